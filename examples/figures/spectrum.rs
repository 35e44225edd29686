//! How the variance is distributed over the components, for narrow and wide kernels.

use std::error::Error;

use mercer::KernelPca;
use mercer::kernel::Rbf;
use mercer::kpca::{Components, ExactWorkspace};
use plotters::prelude::*;

use crate::data::groups;
use crate::draw::{Area, Axis, BLUE, Drawn, GREEN, ORANGE, failed, legend, page, panel};

const SHOWN: usize = 20;
const WIDTHS: [(f64, RGBColor); 3] = [(0.5, BLUE), (5.0, ORANGE), (50.0, GREEN)];

/// The share of each component in the variance, in percent.
type Shares = [f64; SHOWN];

pub(crate) fn svg() -> Result<String, Box<dyn Error>> {
    let mut spectra = Vec::new();
    for (gamma, colour) in WIDTHS {
        spectra.push((format!("γ = {gamma}"), colour, shares(gamma)?));
    }
    let title = "Spectrum of 90 points in three groups: the wider the kernel (small γ), the fewer components matter";
    page(760, title, |area| {
        let (left, right) = area.split_horizontally(1000);
        let format = |exponent: &f64| format!("{}", libm::pow(10.0, *exponent));
        let axis = Axis { label: "", range: -3.0..2.1, format };
        let logarithms = |shares: &Shares| shares.map(libm::log10);
        let corner = SeriesLabelPosition::LowerLeft;
        curves(&left, "share of each component, %", axis, corner, &spectra, logarithms)?;
        let sums = |shares: &Shares| {
            let mut sum = 0.0;
            shares.map(|share| {
                sum += share;
                sum
            })
        };
        let (axis, corner) = (Axis::new("", 0.0..105.0), SeriesLabelPosition::LowerRight);
        curves(&right, "share of all up to this one, %", axis, corner, &spectra, sums)
    })
}

fn shares(gamma: f64) -> Result<Shares, mercer::Error> {
    let mut model = KernelPca::<Rbf<f64>, [f64; 2], 90, SHOWN>::new();
    let mut workspace = Box::new(ExactWorkspace::<f64, 90>::new());
    model.fit_exact(Rbf::new(gamma), &groups(), Components::Fixed(SHOWN), &mut workspace)?;
    let mut shares = [0.0; SHOWN];
    for (share, ratio) in shares.iter_mut().zip(model.expansion().explained_ratios()) {
        *share = 100.0 * ratio;
    }
    Ok(shares)
}

fn curves(
    place: &Area<'_>,
    title: &str,
    y: Axis<'_>,
    corner: SeriesLabelPosition,
    spectra: &[(String, RGBColor, Shares)],
    shown: impl Fn(&Shares) -> Shares,
) -> Drawn {
    let (x, range) = (Axis::new("component", 0.5..SHOWN as f64 + 0.5), y.range.clone());
    let mut chart = panel(place, title, x, y)?;
    for (name, colour, shares) in spectra {
        let (colour, values) = (*colour, shown(shares));
        let points = || {
            let numbered = values.iter().enumerate().map(|(j, &value)| (j as f64 + 1.0, value));
            numbered.filter(|(_, value)| range.contains(value))
        };
        chart
            .draw_series(LineSeries::new(points(), colour.stroke_width(4)))
            .map_err(failed)?
            .label(name)
            .legend(move |(x, y)| Circle::new((x + 20, y), 9, colour.filled()));
        chart
            .draw_series(points().map(|at| Circle::new(at, 8, colour.filled())))
            .map_err(failed)?;
    }
    legend(&mut chart, corner)
}
