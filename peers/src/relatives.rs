//! Rust's other eigensolvers. They have no way of asking for the leading eigenpairs only.

use anyhow::{Result, ensure};
use faer::Side;

use crate::ours::{centred_gram, each};
use crate::table::Times;
use crate::timing::milliseconds;

pub(crate) fn nalgebra(leading: usize) -> Result<Times> {
    each(|n| {
        let matrix = nalgebra::DMatrix::from_row_slice(n, n, &centred_gram(n)?);
        milliseconds(
            || matrix.clone(),
            |matrix| {
                let eigen = nalgebra::SymmetricEigen::new(matrix);
                ensure!(eigen.eigenvalues.len() >= leading, "too few eigenvalues");
                Ok(eigen)
            },
        )
    })
}

pub(crate) fn faer(leading: usize) -> Result<Times> {
    faer::set_global_parallelism(faer::Par::Seq);
    each(|n| {
        let values = centred_gram(n)?;
        let matrix = faer::Mat::from_fn(n, n, |i, j| values[i * n + j]);
        milliseconds(
            || (),
            |()| {
                let eigen = matrix.self_adjoint_eigen(Side::Lower);
                let eigen = eigen.map_err(|error| anyhow::anyhow!("{error:?}"))?;
                ensure!(eigen.S().dim() >= leading, "too few eigenvalues");
                Ok(eigen)
            },
        )
    })
}
