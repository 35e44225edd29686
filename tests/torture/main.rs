//! Numerical torture: matrices that have made solvers fail, at every scale that numbers have, for
//! every solver there is and for whole fits.
//!
//! Eigenvalues are compared with those in `tests/data/torture/eigenvalues.csv`, which
//! `make.py` beside it computes with 60 digits. Each bound is that of a backward stable method:
//! `c·n·ε·‖A‖` with a `c` that stands at the test. Where no result is representable there is an
//! error that says so; nowhere a NaN.

#[path = "../common/mod.rs"]
mod common;
mod eigenpairs;
mod factors;
#[path = "../faults/mod.rs"]
mod faults;
mod fits;
mod matrices;
