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
pub const WALKING_CHECKSUM: u32 = 0xbcd5_e7a5;

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
/// - expected false alarms: 5.0 % of normal readings are unusual (4 folds of whole recordings), if readings are exchangeable with the training readings: same conditions, independent of each other
/// - checksum: bcd5e7a5, as `mercer inspect` shows it
/// - flash: 1,084 bytes
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
        ::mercer::kpca::ExpansionHeader::new(12, 4, 0.77830297, 0.22169746, false),
        [
            [-0.49508312, -0.7783091, 0.0024862476, 0.042035125],
            [0.092234395, 0.16338639, 0.21099578, -0.45478487],
            [0.3343753, 0.02621622, -0.44556487, -0.20227765],
            [-0.21848726, -0.20448883, -0.3526386, -0.36219564],
            [0.16540205, -0.18696465, 0.5710038, -0.3589452],
            [-0.5815224, 0.17534566, -0.085348755, -0.012561298],
            [0.36549497, 0.0037362026, -0.7737887, -0.6991789],
            [0.24141541, 0.39109206, -0.3057388, 0.8759392],
            [-0.34203127, 0.38821295, 0.08477259, 0.22251673],
            [0.21452779, 0.04728909, 0.45941833, 1.1006184],
            [0.25620282, -0.344523, 0.47284865, 0.16437767],
            [-0.009012912, 0.2797828, 0.16549656, -0.26792914],
        ],
        [0.3276137, -0.008759819, -0.02018412, 0.111249544, -0.015458578, 0.0950519, -0.05832575, 0.2041963, 0.10010314, 0.21862972, 0.09981183, -0.003272765],
        [-0.108382866, -0.19916725, -0.096878484, 0.38384154],
        [0.051870897, 0.028257664, 0.018215956, 0.015757948],
    );
    let expansion = match expansion {
        ::core::result::Result::Ok(expansion) => expansion,
        ::core::result::Result::Err(_) => ::core::panic!("WALKING has other counts than `mercer export` wrote"),
    };
    Walking::in_flash(
        ::mercer::detect::Scaling::new([0.78586215, 0.19758351, 0.12961939, 1.1001831, -0.28975368, -0.2882206, 0.060455516, -0.40898675, -0.014208153, -0.9971434, -0.00100182, 0.27801058], [0.46121028, 0.29402578, 0.6122303, 0.22346775, 0.2618478, 0.39038068, 0.24781881, 0.25093898, 0.09151456, 0.40509668, 0.24059972, 0.23384473]),
        ::mercer::kernel::Rbf::new(0.010416667),
        [
            [-0.12577863, -0.61524236, -0.1943506, 0.29382047, 2.4464536, -0.57887775, -0.2943287, -1.4157631, 1.4267057, 0.7729018, -0.4704505, -0.40340695],
            [0.17821029, 1.0283968, -0.020908834, 0.5456113, -2.0582585, 3.4204733, 5.884002, 2.0413394, -4.5885773, 1.8027074, -0.9416062, -0.022556987],
            [3.0996127, 2.1512775, 2.3300345, 2.7918127, -2.4545443, 0.6276644, 0.04085236, 0.82903475, 0.2462031, -1.1053216, 0.41028452, 2.5720153],
            [-0.22149765, -0.11968957, 0.24306715, 0.059278235, 0.89845353, -0.3377403, -0.020273482, 0.09858975, -0.7851439, -5.0389977, -0.15081248, 0.3073807],
            [0.6604863, 1.1037508, -0.31601912, 2.1571107, 2.615843, 1.4358468, -0.5112882, 1.8903958, 1.2448092, 0.6581762, -3.5402238, 1.9382125],
            [-1.2056807, -2.9110572, 0.2473414, -1.3294789, -0.17264333, 1.1254568, -0.7900454, -0.36800328, 0.51359004, 0.23427054, 0.6994811, -2.581695],
            [0.2939127, -0.44141904, 3.396851, 1.5754497, 2.0648463, 1.2639523, 1.0060902, -0.61921626, 0.37534988, -0.66986287, 0.98729384, 0.9051998],
            [2.1617038, 1.4663638, 0.5536146, 1.0223082, -0.099856205, -0.056134887, 0.9308593, 0.8165703, -2.6150115, 0.9443425, 1.879791, 1.5104477],
            [-1.430254, -2.1562054, -0.37828758, -0.89210165, -0.72200465, 0.49730536, 3.950839, 0.4517341, -1.1925893, 0.7915337, 0.39506328, -0.9458486],
            [-0.069618404, 0.076068975, 1.4394275, -0.12291851, -2.0442224, 1.7964067, -0.40381572, 1.4263437, 1.7304709, -0.26276082, 0.12316369, 0.13027763],
            [2.4116638, 1.6857036, -1.7127218, 2.2232416, -0.74786484, 0.17231816, -0.51867676, 1.0198628, 0.4499267, -1.1126473, -2.4886005, 2.2459476],
            [0.08638358, -0.6821134, 1.2640462, 0.64731926, -3.018125, 2.9495091, 4.807932, 2.8910916, -4.4085016, 1.8384715, -1.4487373, -0.9992091],
        ],
        expansion,
        ::mercer::detect::Threshold::new(0.26731628).with_usual(0.13020205),
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
        ([0.72785175, 0.016686395, 0.0106320605, 1.1658425, 0.3508448, -0.5142033, -0.01248467, -0.7642569, 0.116356194, -0.6840434, -0.114192076, 0.18367599], 0.07426079, false, false),
        ([0.9214177, 0.067794934, 2.2092745, 1.4522454, 0.2509218, 0.20520192, 0.30978358, -0.56437224, 0.020141825, -1.2685026, 0.23654081, 0.4896868], 0.12863857, false, false),
        ([0.82570314, -0.0029754192, 0.90350676, 1.2448381, -1.0800431, 0.8632108, 1.2519516, 0.31650084, -0.41765022, -0.25238466, -0.3495676, 0.044350803], 0.08668023, false, false),
        ([2.1114826, 0.016686395, 0.0106320605, 1.1658425, 0.3508448, -0.5142033, -0.01248467, -0.7642569, 0.116356194, -0.6840434, -0.114192076, 0.18367599], 0.22915405, false, false),
        ([0.9214177, 0.067794934, 2.2092745, 1.4522454, 0.2509218, 0.20520192, -0.6814917, -0.56437224, 0.020141825, -1.2685026, 0.23654081, 0.4896868], 0.32888195, true, false),
        ([0.72785175, 0.016686395, 0.0106320605, 1.1658425, 0.3508448, -0.5142033, -0.01248467, -0.7642569, 0.116356194, -0.6840434, -0.114192076, 2.0544338], 0.77230394, true, false),
        ([14.662011, -0.0029754192, 0.90350676, 1.2448381, -1.0800431, 0.8632108, 1.2519516, 0.31650084, -0.41765022, -0.25238466, -0.3495676, 0.044350803], 1.57006, true, true),
        ([0.72785175, 0.016686395, 0.0106320605, 1.1658425, 0.3508448, -0.5142033, -0.01248467, -0.7642569, 0.116356194, -0.6840434, -0.114192076, 0.18367599], 0.07426079, false, true),
        ([0.9214177, 0.067794934, 2.2092745, 1.4522454, 0.2509218, 0.20520192, 0.30978358, -0.56437224, 0.020141825, -1.2685026, 0.23654081, 0.4896868], 0.12863857, false, true),
        ([0.82570314, -0.0029754192, 0.90350676, 1.2448381, -1.0800431, 0.8632108, 1.2519516, 0.31650084, -0.41765022, -0.25238466, -0.3495676, 0.044350803], 0.08668023, false, true),
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
