// Made by `mercer export`: do not edit.

#[rustfmt::skip]
const _: () = assert!(
    ::mercer::detect::persist::FORMAT_VERSION == 3,
    "WALKING is of format version 3, this is another version of mercer: run `mercer export` again"
);

/// Names of the inputs of [`WALKING`], in the order of a reading.
#[rustfmt::skip]
#[allow(dead_code, unreachable_pub)]
pub const WALKING_INPUTS: [&str; 12] = ["mean_ax", "mean_ay", "mean_az", "mean_gx", "mean_gy", "mean_gz", "deviation_ax", "deviation_ay", "deviation_az", "deviation_gx", "deviation_gy", "deviation_gz"];

/// Checksum of [`WALKING`], to tell which model a firmware has.
#[rustfmt::skip]
#[allow(dead_code, unreachable_pub)]
pub const WALKING_CHECKSUM: u32 = 0x913c_3572;

/// The type of [`WALKING`].
#[rustfmt::skip]
#[allow(dead_code, unreachable_pub)]
pub type Walking =
    ::mercer::Detector<::mercer::kernel::Rbf<f32>, [f32; 12], 12, 4, ::mercer::detect::LogScaling<[f32; 12]>>;

/// A detector of unusual readings that `mercer fit` learned.
///
/// - inputs, in this order: `mean_ax`, `mean_ay`, `mean_az`, `mean_gx`, `mean_gy`, `mean_gz`, `deviation_ax`, `deviation_ay`, `deviation_az`, `deviation_gx`, `deviation_gy`, `deviation_gz`
/// - of these it takes the logarithm: `deviation_ax` from 0.3140 up, `deviation_ay` from 0.8286 up, `deviation_az` from 0.1958 up, `deviation_gx` from 0.1979 up, `deviation_gy` from 0.08849 up, `deviation_gz` from 0.4261 up
/// - kernel: rbf, gamma 0.010416667
/// - size: 12 points, 4 components
/// - fitted to 50 samples, whose variance the components explain to 56.8 %
/// - unusual is: SPE above 0.3627; on average it is 0.1324
/// - expected false alarms: 5.0 % of normal readings are unusual (4 contiguous folds), if readings are exchangeable with the training rows: same conditions, independent of each other
/// - checksum: 913c3572, as `mercer inspect` shows it
/// - warning: faults of 5 deviations pass unnoticed in input mean_gx: line 24 is far from all others there: trim, or take it out
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
        ::mercer::kpca::ExpansionHeader::new(12, 4, 0.78375393, 0.21624616, false),
        [
            [-0.1994864, -0.23833245, -0.61313844, -0.03864056],
            [0.036189497, 0.47392017, 0.39205724, -0.371925],
            [0.37881476, -0.54001427, 0.031521447, -0.32222733],
            [-0.5613028, 0.02701623, 0.43654653, 0.121141106],
            [0.1181833, 0.61281395, -0.4717393, 0.8932635],
            [0.12895091, -0.48820302, 0.70445496, 1.0421481],
            [0.02498215, -0.02491339, -0.047015224, -0.32794586],
            [-0.3692102, 0.38653854, -0.5459577, 0.5580588],
            [-0.10768456, 0.44636536, 0.10053386, -0.24473053],
            [0.20848213, -0.046470128, 0.4118659, -0.38669324],
            [0.46399298, 0.23123582, -0.237044, -0.18894883],
            [-0.11285269, -0.8608868, -0.13422585, -0.6911635],
        ],
        [0.23149271, 0.021105176, 0.08640668, 0.07015482, 0.032908883, 0.15583688, 0.16799349, 0.083810255, -0.009355805, -0.0037536505, 0.022251856, 0.16401401],
        [-0.086316116, -0.17185752, -0.15077628, 0.14767252],
        [0.054920092, 0.02852938, 0.022463266, 0.016991148],
    );
    let expansion = match expansion {
        ::core::result::Result::Ok(expansion) => expansion,
        ::core::result::Result::Err(_) => ::core::panic!("WALKING has other counts than `mercer export` wrote"),
    };
    Walking::in_flash(
        ::mercer::detect::LogScaling::new(::mercer::detect::Scaling::new([0.7517376, 0.106880575, -0.2698267, 0.06537781, -0.019535834, 0.004234761, 0.19320741, 1.0864222, -0.27055132, -0.40517196, -0.9645159, 0.2648266], [0.38462967, 0.52459455, 0.2126817, 0.2576293, 0.10453329, 0.31178552, 0.29116306, 0.22312492, 0.37078485, 0.23075345, 0.36879307, 0.21468444]), [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.31400722, 0.82860976, 0.19576184, 0.19786736, 0.08849383, 0.4260591]),
        ::mercer::kernel::Rbf::new(0.010416667),
        [
            [0.5509197, 0.687681, 1.8494473, 0.390807, 0.049301762, 1.0533539, -0.071775235, 0.40611634, -0.21139069, -0.51283264, 0.95394504, 0.3465084],
            [0.4915544, 0.42147678, -0.7774522, 4.172966, -2.8285186, -2.2845588, -0.55423486, 0.7629969, 3.1837556, 2.7653368, 1.7495601, -0.44706023],
            [2.9903443, 0.48636764, -0.77514803, -0.6636686, 0.27988437, -1.8292532, 1.8865098, 2.5219636, 0.23195791, 0.80126494, -1.4303386, 2.378283],
            [-1.4967052, -0.52978134, -0.6849155, 0.1432125, 0.64677703, -0.88746196, -2.217735, -2.605182, -0.26259652, 0.77133936, 0.37140533, -1.978982],
            [1.7337121, -0.839156, -1.5594774, 0.9950641, -1.3813279, 1.5910932, 2.0903282, 1.067545, 0.810913, 0.6366566, 1.0218167, 1.2753257],
            [0.09589967, -1.1909007, -1.778675, -0.9174667, 1.5589135, -1.2859614, 0.6664583, -0.28185868, 0.092361234, 1.4846175, 1.9243876, 0.21880765],
            [-0.560769, -1.1845213, -0.6430468, 0.56655335, -0.1328717, 0.8761008, 0.18494175, -0.068174645, 1.3381592, 1.1862129, -1.8329681, 0.05600258],
            [-0.09790431, -0.20719804, 0.47884598, -0.108517766, -1.785165, 0.9969745, -1.5698051, -0.41130546, -0.35496515, -2.0563397, 0.20996325, -1.0813706],
            [-1.7152824, 0.041341297, 0.608633, 3.7082727, -1.2488381, -0.47401357, -2.2612743, -0.6433086, 1.2179086, 0.30399257, 0.6885466, -0.8324041],
            [0.765485, -0.5984957, 1.92546, 0.0031326185, 0.7142954, -1.1710671, 0.932614, 1.942273, 1.4683288, 1.7494178, 0.44628105, 2.2992644],
            [2.8495445, 2.3363771, -0.69652915, 0.3019008, -0.028407909, 1.1011908, 1.3817912, 1.5294185, 0.41276082, 1.1059424, -0.40106598, 1.8752211],
            [-1.0505776, 0.96094435, 0.72721523, -0.20569539, 0.10280719, -0.48896283, -1.2514074, -1.2763159, -0.53609574, -2.2614582, -1.1477262, -0.6540185],
        ],
        expansion,
        ::mercer::detect::Threshold::new(0.36268163).with_usual(0.13240041),
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
        ([0.96363765, 0.4676343, 0.12351686, 0.16606115, -0.014382158, 0.33265525, 1.188045, 3.2447453, 0.70544124, 0.5924375, 0.5418817, 1.4038473], 0.08950001, false, false),
        ([0.5360492, -0.5145129, -0.406591, 0.21133855, -0.03342535, 0.2773903, 1.2802503, 2.9189115, 1.2530967, 0.8768238, 0.19388272, 1.3189678], 0.16343424, false, false),
        ([0.34765425, 0.6109867, -0.115161344, 0.012384649, -0.008789061, -0.14821677, 0.84268993, 2.2292035, 0.6254227, 0.3957347, 0.24962653, 1.1324903], 0.050320074, false, false),
        ([2.1175265, 0.4676343, 0.12351686, 0.16606115, -0.014382158, 0.33265525, 1.188045, 3.2447453, 0.70544124, 0.5924375, 0.5418817, 1.4038473], 0.22189583, false, false),
        ([0.5360492, -0.5145129, -0.406591, 0.21133855, -0.03342535, 0.2773903, 0.39947802, 2.9189115, 1.2530967, 0.8768238, 0.19388272, 1.3189678], 0.30476707, false, false),
        ([0.96363765, 0.4676343, 0.12351686, 0.16606115, -0.014382158, 0.33265525, 1.188045, 3.2447453, 0.70544124, 0.5924375, 0.5418817, 7.8200593], 0.8483854, true, false),
        ([11.886544, 0.6109867, -0.115161344, 0.012384649, -0.008789061, -0.14821677, 0.84268993, 2.2292035, 0.6254227, 0.3957347, 0.24962653, 1.1324903], 1.7018979, true, true),
        ([0.96363765, 0.4676343, 0.12351686, 0.16606115, -0.014382158, 0.33265525, 1.188045, 3.2447453, 0.70544124, 0.5924375, 0.5418817, 1.4038473], 0.08950001, false, true),
        ([0.5360492, -0.5145129, -0.406591, 0.21133855, -0.03342535, 0.2773903, 1.2802503, 2.9189115, 1.2530967, 0.8768238, 0.19388272, 1.3189678], 0.16343424, false, true),
        ([0.34765425, 0.6109867, -0.115161344, 0.012384649, -0.008789061, -0.14821677, 0.84268993, 2.2292035, 0.6254227, 0.3957347, 0.24962653, 1.1324903], 0.050320074, false, true),
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
