//! The problems: readings of eight inputs that depend on each other, scaled to unit variance.

/// Samples in each of the three problems.
pub(crate) const SIZES: [usize; 3] = [128, 256, 512];
/// Samples of problems in which only the leading eigenpairs are within reach.
pub(crate) const LARGE: [usize; 3] = [1000, 2000, 5000];
pub(crate) const INPUTS: usize = 8;
/// `γ = 1/(8·d)`, the default for standardised inputs.
pub(crate) const GAMMA: f64 = 1.0 / (8.0 * INPUTS as f64);

pub(crate) type Reading = [f64; INPUTS];

/// `count` readings; the same for the same seed.
pub(crate) fn readings(count: usize, seed: u64) -> Vec<Reading> {
    let mut state = seed;
    let mut uniform = move || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    let mut normal = move || (0..12).map(|_| uniform()).sum::<f64>() - 6.0;
    let mut reading = || {
        let causes = [normal(), normal(), normal()];
        std::array::from_fn(|j| {
            let (a, b) = (causes[j % 3], causes[(j + 1) % 3]);
            (0.7 * a + 0.5 * a * b + 0.5 * normal()) / 0.9949
        })
    };
    (0..count).map(|_| reading()).collect()
}

/// Numbers as bytes, for Python.
pub(crate) fn bytes(readings: &[Reading]) -> Vec<u8> {
    readings.iter().flatten().flat_map(|x| x.to_le_bytes()).collect()
}
