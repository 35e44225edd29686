//! Kernel ridge regression on the device: reads a thermistor whose curve it has learned.
//!
//! The resistance of a thermistor falls steeply with temperature, so the voltage of a divider is
//! anything but linear in it. From 12 calibration points a firmware learns to tell the temperature
//! from the voltage, and at once, as a second output, how many millivolts make a degree. A small
//! ridge meets the calibration points; a large one pulls everything towards zero.
//!
//! - host: `cargo run --release --example ridge`
//! - Cortex-M4F in QEMU: `cargo run --release --example ridge --target thumbv7em-none-eabihf`
#![cfg_attr(target_os = "none", no_std, no_main)]

mod support;

use mercer::Error;
use mercer::kernel::Rbf;
use mercer::linalg::Matrix;
use mercer::methods::KernelRidge;
use static_cell::ConstStaticCell;
use support::say;

const POINTS: usize = 12;

type Volts = [f32; 1];
/// Degrees Celsius, and millivolts a degree.
type Output = [f32; 2];
type Model = KernelRidge<Rbf<f32>, Volts, Output, POINTS>;

/// `V = 3.3 V · 10 kΩ/(10 kΩ + R)` and its slope, for `R = 10 kΩ · exp(3435 K · (1/T − 1/298.15
/// K))` every ten degrees, rounded.
#[rustfmt::skip]
const VOLTS: [Volts; POINTS] = [
    [0.377], [0.586], [0.853], [1.162], [1.488], [1.806],
    [2.094], [2.340], [2.542], [2.703], [2.830], [2.928],
];
#[rustfmt::skip]
const OUTPUTS: [Output; POINTS] = [
    [-20.0, 17.9], [-10.0, 23.9], [0.0, 29.1], [10.0, 32.2], [20.0, 32.7], [30.0, 30.6],
    [40.0, 26.8], [50.0, 22.4], [60.0, 18.1], [70.0, 14.3], [80.0, 11.1], [90.0, 8.6],
];

/// Temperatures between the calibration points, and the voltages there by the same formula.
const UNSEEN: [(f32, Volts); 6] = [
    (-15.0, [0.474]),
    (5.0, [1.003]),
    (25.0, [1.650]),
    (37.0, [2.012]),
    (62.0, [2.578]),
    (85.0, [2.882]),
];

// Large values live in statics, never on the stack.
static MODEL: ConstStaticCell<Model> = ConstStaticCell::new(KernelRidge::new());
static WORKSPACE: ConstStaticCell<Matrix<f32, POINTS, POINTS>> =
    ConstStaticCell::new(Matrix::zeros());

fn run() -> Result<(), Error> {
    let (model, workspace) = (MODEL.take(), WORKSPACE.take());
    say!("A regression in {} bytes, learned from {POINTS} calibration points", Model::SIZE);
    say!("  ridge   mean error at these   and between them, degrees");
    for ridge in [100.0, 1.0, 1e-2, 1e-4] {
        model.fit(Rbf::new(0.5), &VOLTS, &OUTPUTS, ridge, workspace)?;
        let (mut known, mut unseen) = (0.0, 0.0);
        for (volts, [degrees, _]) in VOLTS.iter().zip(OUTPUTS) {
            known += (model.predict(volts)?[0] - degrees).abs() / POINTS as f32;
        }
        for (degrees, volts) in &UNSEEN {
            unseen += (model.predict(volts)?[0] - degrees).abs() / UNSEEN.len() as f32;
        }
        say!("{ridge:>7.4} {known:>21.3} {unseen:>18.3}");
    }
    say!("  volts   degrees    read   mV/degree");
    for (degrees, volts) in UNSEEN {
        let [read, slope] = model.predict(&volts)?;
        say!("{:>7.3} {degrees:>9.1} {read:>7.2} {slope:>11.1}", volts[0]);
    }
    Ok(())
}

support::main!(run);
