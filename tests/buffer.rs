//! A detector in the caller's memory, of sizes that are known at run time, is the one that a
//! learner of constant sizes learns, to the last bit.

mod common;
mod learning;

use common::Grid;
use learning::Machine;
use mercer::detect::persist::Encode;
use mercer::detect::{DetectorBuffer, Scaling};
use mercer::kernel::{BlockKernel, Laplacian, Rbf};
use mercer::math::Real;
use mercer::{Detector, Error, Learner, Recipe};

const N: usize = 60;
const D: usize = 5;
const R: usize = 18;
const P: usize = 12;

fn readings<T: Real>(seed: u64) -> Vec<[T; D]> {
    let mut random = Machine(seed);
    let mut reading = || {
        let common = random.normal();
        std::array::from_fn(|i| T::from_f64(20.0 * i as f64 + common + 0.5 * random.normal()))
    };
    (0..N).map(|_| reading()).collect()
}

fn same_as_a_learner<T, K>(kernel: K, recipe: Recipe<T>)
where
    T: Real + Encode,
    K: BlockKernel<[T], Scalar = T> + Clone + Encode,
{
    let samples = readings::<T>(1);
    let mut learner = Box::new(Learner::<K, [T; D], N, R, P>::new());
    samples.iter().for_each(|x| learner.push(x).unwrap());
    let report = learner.learn(kernel.clone(), recipe).unwrap().clone();
    let fixed = learner.detector().unwrap();

    let mut memory = vec![T::ZERO; DetectorBuffer::<K, T>::numbers(D, R, P)];
    let mut detector = DetectorBuffer::new(D, R, P, &mut memory).unwrap();
    assert_eq!(detector.view().err(), Some(Error::NotFitted));
    let mut numbers = vec![T::ZERO; detector.learn_numbers(N)];
    let mut indices = vec![0; detector.learn_indices(N)];
    let grid = Grid::from_fn(N, D, |i, j| samples[i][j]);
    let learned = detector.learn(&grid.view(), kernel, recipe, &mut numbers, &mut indices);
    assert_eq!(learned.unwrap(), report);

    let mut expected = vec![0; fixed.encoded_len()];
    fixed.write_to(&mut expected).unwrap();
    let mut bytes = vec![0; detector.view().unwrap().encoded_len()];
    detector.view().unwrap().write_to(&mut bytes).unwrap();
    assert_eq!(bytes, expected);

    let mut other = vec![T::ZERO; DetectorBuffer::<K, T>::numbers(D, R + 3, P + 2)];
    let mut restored = DetectorBuffer::<K, T>::new(D, R + 3, P + 2, &mut other).unwrap();
    restored.read_from(&bytes).unwrap();
    let mut projection = vec![T::ZERO; report.fit.components];
    for mut x in readings::<T>(2) {
        let verdict = fixed.score(&x).unwrap();
        let view = restored.view().unwrap();
        assert_eq!(view.score(&mut x, &mut projection).unwrap(), verdict);
    }
    for i in 0..bytes.len() {
        let mut altered = bytes.clone();
        altered[i] ^= 16;
        assert!(restored.read_from(&altered).is_err(), "byte {i}");
    }
    let mut again = vec![0; bytes.len()];
    restored.view().unwrap().write_to(&mut again).unwrap();
    assert_eq!(again, bytes, "nothing is changed by what was refused");
}

#[test]
fn sizes_at_run_time_learn_the_same_detector() {
    same_as_a_learner(Rbf::for_inputs(D), Recipe::<f32>::default());
    same_as_a_learner(Rbf::for_inputs(D), Recipe::<f64>::default().trim(0.1));
    same_as_a_learner(Laplacian::new(0.02_f32), Recipe::default().folds(3));
    same_as_a_learner(Rbf::new(1e-3_f32), Recipe::default().standardise(false));
}

#[test]
fn too_little_memory_is_named_and_changes_nothing() {
    let needed = DetectorBuffer::<Rbf<f32>, f32>::numbers(D, R, P);
    let mut memory = vec![0.0; needed];
    let short = DetectorBuffer::<Rbf<f32>, f32>::new(D, R, P, &mut memory[1..]).map(drop);
    let capacity = needed - 1;
    assert_eq!(short, Err(Error::Capacity { what: "numbers of a detector", needed, capacity }));
    let none = DetectorBuffer::<Rbf<f32>, f32>::new(D, 0, P, &mut memory).map(drop);
    assert_eq!(none, Err(Error::Parameter { name: "points", rule: ">= 1" }));

    let mut detector = DetectorBuffer::<Rbf<f32>, f32>::new(D, R, P, &mut memory).unwrap();
    let samples = readings::<f32>(1);
    let mut numbers = vec![0.0; detector.learn_numbers(N)];
    let mut indices = vec![0; detector.learn_indices(N)];
    let recipe = Recipe::default();
    let kernel = Rbf::for_inputs(D);
    let few = &mut indices[1..];
    assert!(detector.learn(&samples[..], kernel, recipe, &mut numbers, few).is_err());
    assert!(detector.learn(&samples[..], kernel, recipe, &mut numbers[1..], &mut indices).is_err());
    let narrow = [[0.0_f32; D - 1]; N];
    let other = detector.learn(&narrow[..], kernel, recipe, &mut numbers, &mut indices);
    let expected = Error::Shape { what: "inputs of a sample", expected: D, given: D - 1 };
    assert_eq!(other.map(drop), Err(expected));
    assert_eq!(detector.view().err(), Some(Error::NotFitted));

    // What is learned and stored by constant sizes is read back.
    let model = Detector::<Rbf<f32>, [f32; D], R, P>::new();
    assert_eq!(model.scaling(), &Scaling::EMPTY);
}
