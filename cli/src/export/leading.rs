//! The first components of a model: what is left when only projections are wanted.

use anyhow::{Result, ensure};
use mercer::Error;
use mercer::detect::cost::projector_size;
use mercer::kernel::BlockKernel;

use super::{facts_of_inputs, fitted_to};
use crate::Number;
use crate::grid::Grid;
use crate::kernel::with_kernel;
use crate::memory::Weights;
use crate::model::{Model, component_name};
use crate::text::percent;

/// A part of a model.
pub(crate) struct Leading<'a, T> {
    /// All of it.
    pub whole: &'a Model<T>,
    /// The same with fewer components, and without points that have no weight in them.
    pub model: Model<T>,
}

impl<'a, T: Number> Leading<'a, T> {
    /// The first so many components.
    ///
    /// # Errors
    /// For none of them, for more than there are, and for components that are the same for every
    /// reading.
    pub(crate) fn of(whole: &'a Model<T>, components: usize) -> Result<Self> {
        let there_are = whole.components();
        ensure!(components > 0, "--project 0: a projection on nothing");
        ensure!(
            components <= there_are,
            "--project {components}: the model has only {there_are} components"
        );
        let Weights { header, weights, centre, offsets, variances } = &whole.weights;
        let (mut points, mut rows) = (Grid::new(whole.inputs()), Grid::new(components));
        let mut used = Vec::new();
        let all = whole.points.iter_rows().zip(weights.iter_rows()).zip(centre);
        for ((point, row), &centre) in all {
            let row = &row[..components];
            if row.iter().any(|&weight| weight != T::ZERO) {
                points.push(point);
                rows.push(row);
                used.push(centre);
            }
        }
        ensure!(points.rows() > 0, "no point has any weight in the first {components} components");
        let mut header = *header;
        (header.points, header.components) = (points.rows() as u32, components as u32);
        let weights = Weights {
            header,
            weights: rows,
            centre: used,
            offsets: offsets[..components].to_vec(),
            variances: variances[..components].to_vec(),
        };
        Ok(Self { whole, model: Model { points, weights, ..whole.clone() } })
    }

    /// As `mercer project` calls them.
    pub(crate) fn names(&self) -> Vec<String> {
        (0..self.model.components()).map(component_name).collect()
    }

    /// The share of the variance that each component explains.
    pub(crate) fn explained(&self) -> Vec<T> {
        let total = self.model.weights.header.total_variance;
        self.model.weights.variances.iter().map(|&variance| variance / total).collect()
    }

    /// Bytes of it as a `static` in Rust; of its arrays in C.
    pub(crate) fn flash(&self) -> usize {
        let model = &self.model;
        let (d, r, p) = (model.inputs(), model.points.rows(), model.components());
        fn of<K: BlockKernel<[T], Scalar = T>, T: Number>(
            _: &K,
            d: usize,
            r: usize,
            p: usize,
        ) -> usize {
            projector_size::<K, T>(d, r, p)
        }
        let projector = with_kernel!(model.kernel, T, kernel => of::<_, T>(kernel, d, r, p));
        projector + size_of_val(model.floor.as_slice())
    }

    /// What a reader of the source wants to know, a line each; see [`facts`](super::facts).
    pub(crate) fn facts(
        &self,
        quote: char,
        comment: fn(&str) -> String,
    ) -> Result<Vec<String>, Error> {
        let (whole, model) = (self.whole, &self.model);
        let mut facts = facts_of_inputs(whole, quote, comment);
        let shares: Vec<String> = self
            .names()
            .iter()
            .zip(self.explained())
            .map(|(name, share)| format!("{name} {}", percent(share.to_f64())))
            .collect();
        facts.extend([
            format!("kernel: {}", whole.kernel),
            format!(
                "size: {} points, {} of {} components",
                model.points.rows(),
                model.components(),
                whole.components()
            ),
            format!("components, and what they explain of the variance: {}", shares.join(", ")),
            fitted_to(whole),
            format!("checksum of the whole model: {:08x}", whole.checksum()?),
        ]);
        let warnings = whole.training.all_warnings();
        facts.extend(warnings.map(|warning| format!("warning: {}", comment(&warning))));
        Ok(facts)
    }
}
