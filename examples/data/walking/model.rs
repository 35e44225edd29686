// Made by `mercer export`: do not edit.

#[rustfmt::skip]
const _: () = assert!(
    ::mercer::detect::persist::FORMAT_VERSION == 2,
    "WALKING is of format version 2, this is another version of mercer: run `mercer export` again"
);

/// Names of the inputs of [`WALKING`], in the order of a reading.
#[rustfmt::skip]
#[allow(dead_code, unreachable_pub)]
pub const WALKING_INPUTS: [&str; 12] = ["mean_ax", "mean_ay", "mean_az", "mean_gx", "mean_gy", "mean_gz", "deviation_ax", "deviation_ay", "deviation_az", "deviation_gx", "deviation_gy", "deviation_gz"];

/// Checksum of [`WALKING`], to tell which model a firmware has.
#[rustfmt::skip]
#[allow(dead_code, unreachable_pub)]
pub const WALKING_CHECKSUM: u32 = 0xe0f7_0751;

/// The type of [`WALKING`].
#[rustfmt::skip]
#[allow(dead_code, unreachable_pub)]
pub type Walking =
    ::mercer::Detector<::mercer::kernel::Rbf<f32>, [f32; 12], 12, 4>;

/// A detector of unusual readings that `mercer fit` learned.
///
/// - inputs, in this order: `mean_ax`, `mean_ay`, `mean_az`, `mean_gx`, `mean_gy`, `mean_gz`, `deviation_ax`, `deviation_ay`, `deviation_az`, `deviation_gx`, `deviation_gy`, `deviation_gz`
/// - kernel: rbf, gamma 0.010416667
/// - size: 12 points, 4 components
/// - fitted to 50 samples, whose variance the components explain to 58.1 %
/// - an alarm is: SPE above 0.3364
/// - expected false alarms: 5.0 % of normal readings (4 contiguous folds), if readings are exchangeable with the training rows: same conditions, independent of each other
/// - checksum: e0f70751, as `mercer inspect` shows it
/// - warning: faults of 5 deviations pass unnoticed in input mean_gx: line 24 is far from all others there: trim, or take it out
/// - flash: 1,032 bytes
///
/// ```text
/// const _: () = assert!(WALKING_INPUTS.len() == SENSORS, "trained for other sensors");
/// let verdict = WALKING.score(&x)?;
/// if verdict.anomalous {
///     let why = WALKING.contributions(&x)?;
/// }
/// ```
#[rustfmt::skip]
#[allow(dead_code, unreachable_pub, long_running_const_eval, clippy::all, clippy::pedantic)]
pub static WALKING: Walking = {
    let expansion = ::mercer::kpca::Expansion::from_parts(
        // Points, components, squared norm of the centre, total variance, indefinite?
        ::mercer::kpca::ExpansionHeader::new(12, 4, 0.78690726, 0.21309236, false),
        [
            [-0.073021, -0.5126321, -0.59490895, -0.069372475],
            [0.074511595, 0.508116, 0.4450345, -0.27711135],
            [0.3961554, -0.39693183, -0.02679308, -0.11285951],
            [-0.058474455, -0.23219557, 0.80405307, 0.9413094],
            [0.31016335, 0.4254771, -0.49736747, 0.42660597],
            [-0.25085866, 0.38618395, 0.14351445, -0.30388752],
            [0.34434155, 0.031824697, 0.39376652, -0.39864722],
            [-0.7577362, -0.4790375, -0.096044235, -0.013487512],
            [0.060717046, -0.41699344, 0.27456543, -0.013094353],
            [-0.3407515, 0.51099116, -0.5046315, 0.6002091],
            [0.31200272, 0.1301037, -0.3581967, -0.10196521],
            [0.008848239, 0.031314787, 0.03097507, -0.6581197],
        ],
        [0.19524811, 0.010873619, 0.05434697, 0.070430584, 0.023355316, 0.048562035, -0.025829602, 0.31214017, 0.19030571, 0.08536192, 0.06619525, -0.013885794],
        [-0.15359215, -0.25143296, -0.16924445, 0.11754869],
        [0.054171193, 0.029001746, 0.022956166, 0.01763823],
    );
    let expansion = match expansion {
        ::core::result::Result::Ok(expansion) => expansion,
        ::core::result::Result::Err(_) => ::core::panic!("WALKING has other counts than `mercer export` wrote"),
    };
    Walking::in_flash(
        ::mercer::detect::Scaling::new([0.7517376, 0.106880575, -0.2698267, 0.06537781, -0.019535834, 0.004234761, 1.264609, 3.0395634, 0.8226799, 0.68487906, 0.40711832, 1.3342558], [0.38462967, 0.52459455, 0.2126817, 0.2576293, 0.10453329, 0.31178552, 0.36323017, 0.70315474, 0.36447427, 0.1609061, 0.14645709, 0.2987676]),
        ::mercer::kernel::Rbf::new(0.010416667),
        [
            [0.5509197, 0.687681, 1.8494473, 0.390807, 0.049301762, 1.0533539, -0.21078633, 0.2918018, -0.32166508, -0.5745062, 0.92015594, 0.23292862],
            [0.4915544, 0.42147678, -0.7774522, 4.172966, -2.8285186, -2.2845588, -0.6394351, 0.6742801, 4.5585833, 3.5885866, 2.1818423, -0.5031122],
            [2.9903443, 0.48636764, -0.77514803, -0.6636686, 0.27988437, -1.8292532, 2.3030868, 3.0760157, 0.02415197, 0.72972506, -1.2440456, 2.8022444],
            [0.09589967, -1.1909007, -1.778675, -0.9174667, 1.5589135, -1.2859614, 0.57353085, -0.3648629, -0.090925984, 1.5813457, 2.5122814, 0.1058592],
            [1.7337121, -0.839156, -1.5594774, 0.9950641, -1.3813279, 1.5910932, 2.6567638, 1.0256426, 0.57041436, 0.5438845, 1.0139364, 1.2698271],
            [-1.7152824, 0.041341297, 0.608633, 3.7082727, -1.2488381, -0.47401357, -1.7525927, -0.6715282, 1.0309976, 0.18918738, 0.5751753, -0.81774634],
            [0.765485, -0.5984957, 1.92546, 0.0031326185, 0.7142954, -1.1710671, 0.90027636, 2.178339, 1.3509341, 1.9491757, 0.2884247, 2.6799874],
            [-1.4900194, -1.5510428, 1.0135189, -0.052692894, 0.29134908, -0.11865322, -0.70528364, -0.6054842, -0.75751305, -0.8509024, -1.1777447, -0.61357665],
            [0.1512541, 0.51540446, -1.6651292, -1.4493573, 0.8607978, -0.6713412, 0.39730483, 0.09479647, 1.8668197, 0.29939696, -0.48612896, 0.249666],
            [0.04757993, 0.86882925, 0.14040211, 0.43215945, -2.3762724, 1.0324253, 0.2009573, -0.42333075, -0.089961454, 0.2610814, 2.8052235, -0.004720609],
            [2.8495445, 2.3363771, -0.69652915, 0.3019008, -0.028407909, 1.1011908, 1.5125129, 1.6062264, 0.18233228, 1.0928925, -0.53502357, 2.0581932],
            [0.12772247, -0.08548462, 3.6278086, -0.06509839, -0.0972007, 0.187589, 0.85808694, -0.7917675, 0.12159699, -0.13247435, -0.31857312, 0.026791085],
        ],
        expansion,
        ::mercer::detect::Threshold::new(0.3364205),
    )
    .expect("WALKING is not what `mercer export` wrote: `Detector::from_parts` says what is wrong with it")
};
