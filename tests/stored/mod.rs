//! Detectors to store, and their bytes.
#![allow(dead_code, reason = "every test program uses a part of it")]

use mercer::detect::persist::{Encode, EncodeScaling};
use mercer::detect::{Reading, Scaling, Threshold};
use mercer::kernel::{BlockKernel, Rbf};
use mercer::kpca::{Components, LandmarkWorkspace, Landmarks};
use mercer::math::Real;
use mercer::{Detector, KernelPca};

pub(crate) const SAMPLES: usize = 24;

/// Readings of three sensors around a curve; `phase` makes different ones.
pub(crate) fn readings<T: Real>(phase: f64) -> [[T; 3]; SAMPLES] {
    core::array::from_fn(|i| {
        let t = 0.61 * i as f64 + phase;
        [t.sin(), t.cos() * 2.0 + 5.0, (3.0 * t + phase).sin() * 0.3 - 1.0].map(T::from_f64)
    })
}

/// A detector of as many points and components as are wanted, which may be less than it has room
/// for.
pub(crate) fn learn<K, T, const R: usize, const P: usize>(
    kernel: K,
    phase: f64,
    points: usize,
    components: usize,
) -> Detector<K, [T; 3], R, P>
where
    T: Real,
    K: BlockKernel<[T], Scalar = T>,
{
    let raw = readings::<T>(phase);
    let scaling: Scaling<[T; 3]> = Scaling::learn(raw.as_slice());
    let samples = raw.map(|x| scaling.apply(&x));
    let mut model = KernelPca::<K, [T; 3], R, P>::new();
    let mut workspace = LandmarkWorkspace::<T, SAMPLES, R>::new();
    let (landmarks, components) = (Landmarks::Rank(points), Components::Fixed(components));
    model.fit_landmarks(kernel, &samples, landmarks, components, &mut workspace).unwrap();
    let threshold = Threshold::new(T::from_f64(0.1 + phase / 2.0));
    Detector::from_parts(scaling, model, threshold).unwrap()
}

pub(crate) type Small = Detector<Rbf<f32>, [f32; 3], 8, 4>;

pub(crate) fn small(phase: f64) -> Small {
    learn(Rbf::new(0.125), phase, 8, 4)
}

pub(crate) fn bytes_of<K, X, const R: usize, const P: usize>(
    detector: &Detector<K, X, R, P>,
) -> Vec<u8>
where
    X: Reading<Scaling: EncodeScaling> + Encode,
    K: BlockKernel<X::View, Scalar: Encode> + Encode,
{
    // Not zeros: every byte must be written.
    let mut bytes = vec![0xA5; Detector::<K, X, R, P>::ENCODED_SIZE];
    let length = detector.write_to(&mut bytes).unwrap();
    assert_eq!(length, detector.encoded_len());
    bytes.truncate(length);
    bytes
}

/// The checksum of forged bytes, by the definition: a polynomial division, bit by bit.
pub(crate) fn seal(bytes: &mut [u8]) {
    let (body, check) = bytes.split_last_chunk_mut().unwrap();
    let crc = body.iter().fold(u32::MAX, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| {
            (crc >> 1) ^ if crc & 1 == 1 { 0xEDB8_8320 } else { 0 }
        })
    });
    *check = (!crc).to_le_bytes();
}
