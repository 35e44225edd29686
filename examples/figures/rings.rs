//! Two rings, which no straight line separates, as linear and as kernel PCA see them (R. Osadchy,
//! Unsupervised Learning 2011, kernel PCA).

use std::error::Error;

use mercer::KernelPca;
use mercer::kernel::{BlockKernel, Linear, Rbf};
use mercer::kpca::{Components, ExactWorkspace};
use plotters::prelude::*;

use crate::data::{Point, rings};
use crate::draw::{
    Area, Axis, BLUE, Drawn, ORANGE, dashed, dots, failed, label, legend, page, panel,
};

const GAMMA: f64 = 4.0;
const POINTS: usize = 120;

pub(crate) fn svg() -> Result<String, Box<dyn Error>> {
    let samples = rings();
    let linear = projections(Linear, &samples)?;
    let kernel = projections(Rbf::new(GAMMA), &samples)?;
    page(760, "Two rings of 60 points: what the first two components make of them", |area| {
        let places = area.split_evenly((1, 3));
        scatter(&places[0], "the points", ("x₁", "x₂"), &samples)?;
        scatter(&places[1], "linear PCA: the same, turned", ("f₁", "f₂"), &linear)?;
        let title = format!("kernel PCA (Gaussian, γ = {GAMMA})");
        scatter(&places[2], &title, ("f₁", "f₂"), &kernel)
    })
}

/// The first two components of each sample.
fn projections<K: BlockKernel<[f64], Scalar = f64>>(
    kernel: K,
    samples: &[Point; POINTS],
) -> Result<Vec<Point>, mercer::Error> {
    let mut model = KernelPca::<K, Point, POINTS, 2>::new();
    let mut workspace = Box::new(ExactWorkspace::<f64, POINTS>::new());
    model.fit_exact(kernel, samples, Components::Fixed(2), &mut workspace)?;
    samples.iter().map(|x| model.project(x).map(|f| [f[0], f[1]])).collect()
}

/// Both rings, and if one coordinate can tell them apart, the line that does.
fn scatter(place: &Area<'_>, title: &str, (x, y): (&str, &str), points: &[Point]) -> Drawn {
    let most = points.iter().flatten().fold(0.0, |most: f64, value| most.max(value.abs()));
    let range = -1.25 * most..1.25 * most;
    let (x, y) = (Axis::new(x, range.clone()), Axis::new(y, range.clone()));
    let mut chart = panel(place, title, x, y)?;
    let (inner, outer) = points.split_at(POINTS / 2);
    let between = gap(inner, outer);
    if let Some(between) = between {
        dashed(&mut chart, (between, range.start), (between, 0.85 * range.end))?;
        label(&mut chart, [between, 0.92 * range.end], "f₁ alone separates them")?;
    }
    for (name, ring, colour) in [("inner ring", inner, BLUE), ("outer ring", outer, ORANGE)] {
        dots(&mut chart, ring, colour)?;
        chart
            .draw_series(std::iter::empty::<Circle<(f64, f64), i32>>())
            .map_err(failed)?
            .label(name)
            .legend(move |(x, y)| Circle::new((x + 20, y), 9, colour.filled()));
    }
    match between {
        Some(_) => legend(&mut chart, SeriesLabelPosition::LowerLeft),
        // No room, and no need: the colours are the same everywhere.
        None => Ok(()),
    }
}

/// A first coordinate with one ring on each side.
fn gap(inner: &[Point], outer: &[Point]) -> Option<f64> {
    let ends = |ring: &[Point]| {
        let first = ring.iter().map(|point| point[0]);
        (first.clone().fold(f64::MAX, f64::min), first.fold(f64::MIN, f64::max))
    };
    let ((inner_low, inner_high), (outer_low, outer_high)) = (ends(inner), ends(outer));
    if inner_high < outer_low {
        Some((inner_high + outer_low) / 2.0)
    } else if outer_high < inner_low {
        Some((outer_high + inner_low) / 2.0)
    } else {
        None
    }
}
