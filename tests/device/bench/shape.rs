//! What to measure, from the environment of the build.

/// The task.
pub(crate) const TASK: &str = match option_env!("BENCH_TASK") {
    Some(name) => name,
    None => "empty",
};

/// Samples that a fit learns from.
pub(crate) const N: usize = number(option_env!("BENCH_N"), 8);
/// Inputs of a sample.
pub(crate) const D: usize = number(option_env!("BENCH_D"), 8);
/// Points of the model.
pub(crate) const R: usize = number(option_env!("BENCH_R"), 8);
/// Components of the model.
pub(crate) const P: usize = number(option_env!("BENCH_P"), 4);

/// What numbers are.
pub(crate) type Scalar = <Double<{ same(PRECISION, "f64") }> as Choice>::Scalar;

const PRECISION: &str = match option_env!("BENCH_PRECISION") {
    Some(name) => name,
    None => "f32",
};

/// A type that depends on a constant.
pub(crate) struct Double<const YES: bool>;

pub(crate) trait Choice {
    type Scalar;
}

impl Choice for Double<false> {
    type Scalar = f32;
}

impl Choice for Double<true> {
    type Scalar = f64;
}

/// A decimal number; anything else stops the build.
pub(crate) const fn number(text: Option<&str>, default: usize) -> usize {
    let Some(text) = text else { return default };
    match usize::from_str_radix(text, 10) {
        Ok(number) => number,
        Err(_) => panic!("not a number"),
    }
}

/// Whether `TASK` is this one, which the compiler decides.
pub(crate) const fn is(name: &str) -> bool {
    same(TASK, name)
}

/// `==`, for the compiler.
const fn same(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut i = 0;
    while i < a.len() && i < b.len() && a[i] == b[i] {
        i += 1;
    }
    i == a.len() && i == b.len()
}
