// Made by `mercer export`: do not edit.

#[rustfmt::skip]
const _: () = assert!(
    ::mercer::detect::persist::FORMAT_VERSION == 3,
    "WALKING is of format version 3, this is another version of mercer: run `mercer export` again"
);

/// Names of the inputs of [`WALKING`], in the order of a reading.
#[rustfmt::skip]
#[allow(dead_code, unreachable_pub)]
pub const WALKING_INPUTS: [&str; 12] = ["ax_mean", "ax_logstd", "ay_mean", "ay_logstd", "az_mean", "az_logstd", "gx_mean", "gx_logstd", "gy_mean", "gy_logstd", "gz_mean", "gz_logstd"];

/// Checksum of [`WALKING`], to tell which model a firmware has.
#[rustfmt::skip]
#[allow(dead_code, unreachable_pub)]
pub const WALKING_CHECKSUM: u32 = 0x2024_e686;

/// The type of [`WALKING`].
#[rustfmt::skip]
#[allow(dead_code, unreachable_pub)]
pub type Walking =
    ::mercer::Detector<::mercer::kernel::Rbf<f32>, [f32; 12], 12, 4>;

/// A detector of unusual readings that `mercer fit` learned.
///
/// - inputs, in this order: `ax_mean`, `ax_logstd`, `ay_mean`, `ay_logstd`, `az_mean`, `az_logstd`, `gx_mean`, `gx_logstd`, `gy_mean`, `gy_logstd`, `gz_mean`, `gz_logstd`
/// - these come of raw samples: windows of 16 samples, one every 8, at 10 Hz (1.6 s, 0.8 s); mean,logstd of ax, ay, az, gx, gy, gz; floor of logarithms 1e-9
/// - kernel: rbf, gamma 0.010416667
/// - size: 12 points, 4 components
/// - fitted to 110 samples, whose variance the components explain to 51.5 %
/// - unusual is: SPE above 0.2673; on average it is 0.1302
/// - expected false alarms: 5.0 % of normal readings are unusual (4 folds of whole recordings), if readings are exchangeable with the training rows: same conditions, independent of each other
/// - checksum: 2024e686, as `mercer inspect` shows it
/// - flash: 1,036 bytes
///
/// ```text
/// const _: () = assert!(WALKING_INPUTS.len() == SENSORS, "trained for other sensors");
/// let verdict = WALKING.score(&x)?;
/// if verdict.unusual {
///     let suspect = WALKING.suspect(&x)?;
/// }
/// ```
#[rustfmt::skip]
#[allow(dead_code, unreachable_pub, long_running_const_eval, clippy::all, clippy::pedantic)]
pub static WALKING: Walking = {
    let expansion = ::mercer::kpca::Expansion::from_parts(
        // Points, components, squared norm of the centre, total variance, indefinite?
        ::mercer::kpca::ExpansionHeader::new(12, 4, 0.77830285, 0.22169743, false),
        [
            [-0.49508283, -0.7783098, 0.0024863929, 0.04203351],
            [0.09223455, 0.1633861, 0.21099739, -0.45478353],
            [0.3343754, 0.026216125, -0.44556466, -0.202279],
            [-0.21848725, -0.20448884, -0.35263813, -0.36219522],
            [0.16540208, -0.18696465, 0.5710041, -0.358944],
            [-0.5815227, 0.17534609, -0.08534869, -0.012560612],
            [0.36549503, 0.0037361125, -0.7737866, -0.6991802],
            [0.24141528, 0.39109293, -0.3057411, 0.87593883],
            [-0.34203112, 0.38821277, 0.08477201, 0.2225158],
            [0.21452744, 0.04728907, 0.45941654, 1.1006199],
            [0.25620282, -0.34452283, 0.47284824, 0.16437893],
            [-0.009013011, 0.27978265, 0.16549683, -0.2679299],
        ],
        [0.32761344, -0.008759809, -0.020184126, 0.11124952, -0.015458562, 0.09505198, -0.058325723, 0.20419635, 0.100103095, 0.21862975, 0.099811874, -0.0032728296],
        [-0.108382896, -0.19916713, -0.09687922, 0.38384157],
        [0.051870916, 0.02825766, 0.018215945, 0.015757948],
    );
    let expansion = match expansion {
        ::core::result::Result::Ok(expansion) => expansion,
        ::core::result::Result::Err(_) => ::core::panic!("WALKING has other counts than `mercer export` wrote"),
    };
    Walking::in_flash(
        ::mercer::detect::Scaling::new([0.78586215, 0.19758351, 0.12961939, 1.1001831, -0.28975368, -0.2882206, 0.060455516, -0.40898675, -0.014208153, -0.9971434, -0.00100182, 0.27801058], [0.46121028, 0.29402578, 0.6122303, 0.22346775, 0.2618478, 0.39038068, 0.24781881, 0.25093898, 0.09151456, 0.40509668, 0.24059972, 0.23384473]),
        ::mercer::kernel::Rbf::new(0.010416667),
        [
            [-0.12577863, -0.61524236, -0.19435059, 0.2938205, 2.4464536, -0.57887775, -0.2943287, -1.4157631, 1.4267057, 0.7729017, -0.47045046, -0.40340695],
            [0.1782103, 1.0283968, -0.020908833, 0.5456114, -2.0582585, 3.4204733, 5.8840017, 2.0413394, -4.5885773, 1.8027073, -0.94160616, -0.022556987],
            [3.0996127, 2.1512775, 2.3300345, 2.791813, -2.4545443, 0.6276644, 0.04085236, 0.82903475, 0.2462031, -1.1053216, 0.4102845, 2.5720153],
            [-0.22149765, -0.11968957, 0.24306715, 0.05927824, 0.8984536, -0.3377403, -0.02027348, 0.09858975, -0.7851439, -5.0389977, -0.15081246, 0.3073807],
            [0.6604863, 1.1037508, -0.3160191, 2.1571107, 2.615843, 1.4358468, -0.5112882, 1.8903958, 1.2448092, 0.6581762, -3.5402236, 1.9382125],
            [-1.2056807, -2.9110575, 0.24734138, -1.3294789, -0.17264335, 1.1254569, -0.7900453, -0.36800328, 0.51359004, 0.23427054, 0.69948107, -2.581695],
            [0.2939127, -0.44141904, 3.396851, 1.5754498, 2.0648463, 1.2639523, 1.0060902, -0.61921626, 0.37534988, -0.6698628, 0.9872938, 0.9051998],
            [2.1617038, 1.4663638, 0.5536146, 1.0223082, -0.099856205, -0.056134887, 0.93085927, 0.8165703, -2.6150115, 0.9443425, 1.879791, 1.5104477],
            [-1.430254, -2.1562054, -0.37828758, -0.8921017, -0.72200465, 0.49730536, 3.9508388, 0.4517341, -1.1925893, 0.79153365, 0.39506325, -0.9458486],
            [-0.069618404, 0.076068975, 1.4394275, -0.12291851, -2.0442224, 1.7964067, -0.40381572, 1.4263437, 1.7304709, -0.2627608, 0.12316369, 0.13027763],
            [2.411664, 1.6857036, -1.7127218, 2.2232418, -0.7478649, 0.17231816, -0.5186767, 1.0198628, 0.4499267, -1.1126473, -2.4886003, 2.2459476],
            [0.08638358, -0.6821134, 1.2640462, 0.6473193, -3.018125, 2.9495094, 4.8079314, 2.8910916, -4.4085016, 1.8384714, -1.4487371, -0.9992091],
        ],
        expansion,
        ::mercer::detect::Threshold::new(0.2673164).with_usual(0.13020207),
    )
    .expect("WALKING is not what `mercer export` wrote: `Detector::from_parts` says what is wrong with it")
};

/// Scores some readings whose scores and alarms were known when [`WALKING`] was exported, as at boot. Not in the image of a firmware that does not call it.
///
/// # Errors
/// Which reading, from 0 on, is the first of which something else came.
#[rustfmt::skip]
#[allow(dead_code, unreachable_pub, long_running_const_eval, clippy::all, clippy::pedantic)]
pub fn walking_self_test() -> ::core::result::Result<(), usize> {
    // Readings, their SPE, whether that is unusual, and whether an alarm is up after them.
    static VECTORS: [([f32; 12], f32, bool, bool); 10] = [
        ([0.72785175, 0.016686395, 0.010632075, 1.1658425, 0.3508448, -0.5142033, -0.01248467, -0.7642569, 0.116356194, -0.68404347, -0.11419207, 0.18367599], 0.07426064, false, false),
        ([0.9214177, 0.067794934, 2.2092745, 1.4522454, 0.2509218, 0.20520192, 0.30978358, -0.56437224, 0.020141825, -1.2685026, 0.2365408, 0.4896868], 0.12863868, false, false),
        ([0.82570314, -0.0029754192, 0.90350676, 1.2448381, -1.0800431, 0.8632108, 1.2519515, 0.31650084, -0.41765022, -0.25238472, -0.3495676, 0.044350803], 0.08668035, false, false),
        ([2.1114826, 0.016686395, 0.010632075, 1.1658425, 0.3508448, -0.5142033, -0.01248467, -0.7642569, 0.116356194, -0.68404347, -0.11419207, 0.18367599], 0.22915393, false, false),
        ([0.9214177, 0.067794934, 2.2092745, 1.4522454, 0.2509218, 0.20520192, -0.6814917, -0.56437224, 0.020141825, -1.2685026, 0.2365408, 0.4896868], 0.32888222, true, false),
        ([0.72785175, 0.016686395, 0.010632075, 1.1658425, 0.3508448, -0.5142033, -0.01248467, -0.7642569, 0.116356194, -0.68404347, -0.11419207, 2.0544338], 0.7723038, true, false),
        ([14.662011, -0.0029754192, 0.90350676, 1.2448381, -1.0800431, 0.8632108, 1.2519515, 0.31650084, -0.41765022, -0.25238472, -0.3495676, 0.044350803], 1.5700595, true, true),
        ([0.72785175, 0.016686395, 0.010632075, 1.1658425, 0.3508448, -0.5142033, -0.01248467, -0.7642569, 0.116356194, -0.68404347, -0.11419207, 0.18367599], 0.07426064, false, true),
        ([0.9214177, 0.067794934, 2.2092745, 1.4522454, 0.2509218, 0.20520192, 0.30978358, -0.56437224, 0.020141825, -1.2685026, 0.2365408, 0.4896868], 0.12863868, false, true),
        ([0.82570314, -0.0029754192, 0.90350676, 1.2448381, -1.0800431, 0.8632108, 1.2519515, 0.31650084, -0.41765022, -0.25238472, -0.3495676, 0.044350803], 0.08668035, false, true),
    ];
    let mut alarm = match ::mercer::Alarm::<f32>::new(::mercer::AlarmConfig::DEFAULT) {
        ::core::result::Result::Ok(alarm) => alarm,
        ::core::result::Result::Err(_) => return ::core::result::Result::Err(0),
    };
    for (index, (x, spe, unusual, raised)) in VECTORS.iter().enumerate() {
        let verdict = match WALKING.score(x) {
            ::core::result::Result::Ok(verdict) => verdict,
            ::core::result::Result::Err(_) => return ::core::result::Result::Err(index),
        };
        let state = alarm.update(&verdict);
        let is_raised = ::core::matches!(state, ::mercer::AlarmState::Raised);
        if verdict.score.spe.to_bits() != spe.to_bits() || verdict.unusual != *unusual || is_raised != *raised {
            return ::core::result::Result::Err(index);
        }
    }
    ::core::result::Result::Ok(())
}

/// What makes readings of raw samples for [`WALKING`]: windows of 16 samples, one every 8, at 10 Hz (1.6 s, 0.8 s); mean,logstd of ax, ay, az, gx, gy, gz; floor of logarithms 1e-9.
#[rustfmt::skip]
#[allow(dead_code, unreachable_pub)]
#[derive(Clone, Copy, Debug)]
pub struct WalkingFront;

#[rustfmt::skip]
#[allow(dead_code, unreachable_pub)]
impl ::mercer::signal::FrontEnd for WalkingFront {
    const FEATURES: &'static [::mercer::signal::Feature] = &[::mercer::signal::Feature::Mean, ::mercer::signal::Feature::LogStd];
    const FLOOR: f32 = 1e-9;
    const SCALES: &'static [f32] = &[];
    const OPERATORS: &'static [::mercer::signal::Operator] = &[];
    const CHANNELS: &'static [&'static str] = &["ax", "ay", "az", "gx", "gy", "gz"];

}

/// Raw samples of 6 channels in, readings for [`WALKING`] out: about 432 bytes of RAM.
#[rustfmt::skip]
#[allow(dead_code, unreachable_pub)]
pub type WalkingStream = ::mercer::stream!(WalkingFront, f32, 6, 16, 8);

/// Raw samples in, verdicts of [`WALKING`] and alarms out.
///
/// ```text
/// static STREAM: ConstStaticCell<WalkingStream> = ConstStaticCell::new(WalkingStream::new());
/// let mut monitor = WalkingMonitor::new(&WALKING, STREAM.take());
/// if let Some(outcome) = monitor.push(&sample)? && outcome.alarm.is_active() {
///     let suspect = monitor.suspect()?;
/// }
/// ```
#[rustfmt::skip]
#[allow(dead_code, unreachable_pub)]
pub type WalkingMonitor<'a> =
    ::mercer::Monitor<&'a Walking, &'a mut WalkingStream>;
