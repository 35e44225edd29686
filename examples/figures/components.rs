//! `f_1 … f_6` over three groups of points (C. Bauckhage, Principles of Machine Learning, lecture
//! 13, slide 75).

use std::error::Error;

use mercer::KernelPca;
use mercer::kernel::Rbf;
use mercer::kpca::{Components, ExactWorkspace};
use plotters::prelude::*;

use crate::contour::Field;
use crate::data::groups;
use crate::draw::{Axis, BLUE, INK, ORANGE, bands, contour, dots, page, panel, shades};

const COMPONENTS: usize = 6;
const GAMMA: f64 = 5.0;
/// Grid points along each side, and levels on each side of 0.
const SIDE: usize = 56;
const LEVELS: usize = 5;
const LOW: [f64; 2] = [-1.0, -0.7];
const HIGH: [f64; 2] = [1.0, 1.1];

pub(crate) fn svg() -> Result<String, Box<dyn Error>> {
    let samples = groups();
    let mut model = KernelPca::<Rbf<f64>, [f64; 2], 90, COMPONENTS>::new();
    let mut workspace = Box::new(ExactWorkspace::<f64, 90>::new());
    model.fit_exact(Rbf::new(GAMMA), &samples, Components::Fixed(COMPONENTS), &mut workspace)?;
    let title = format!(
        "Kernel principal components of 90 points (Gaussian kernel, γ = {GAMMA}): below 0 blue, above 0 orange"
    );
    page(1240, &title, |area| {
        let ratios = model.expansion().explained_ratios();
        for ((j, place), ratio) in area.split_evenly((2, 3)).iter().enumerate().zip(ratios) {
            let field = Field::sample(SIDE, LOW, HIGH, |x| model.project(&x).map(|f| f[j]))?;
            let title = format!("f{}(x): {:.1} % of the variance", subscript(j + 1), 100.0 * ratio);
            let (x, y) = (Axis::new("", LOW[0]..HIGH[0]), Axis::new("", LOW[1]..HIGH[1]));
            let mut chart = panel(place, &title, x, y)?;
            let most = field.largest().max(-field.least());
            let step = most / (LEVELS as f64 + 0.5);
            let side = LEVELS as i32;
            let levels: Vec<f64> = (-side..=side).map(|i| step * f64::from(i)).collect();
            bands(&mut chart, &field, &levels, &colours())?;
            contour(&mut chart, &field, 0.0)?;
            dots(&mut chart, &samples, INK)?;
        }
        Ok(())
    })
}

/// From blue by white to orange; the two in the middle meet at 0.
fn colours() -> Vec<RGBColor> {
    let mut colours = shades(BLUE, RGBColor(0xf2, 0xf6, 0xfb), LEVELS + 1);
    colours.extend(shades(RGBColor(0xfd, 0xf4, 0xec), ORANGE, LEVELS + 1));
    colours
}

fn subscript(j: usize) -> char {
    ['₀', '₁', '₂', '₃', '₄', '₅', '₆'][j]
}
