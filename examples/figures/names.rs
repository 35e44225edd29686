//! Names in the plane, by the substrings they share (C. Bauckhage, Principles of Machine Learning,
//! lecture 13, slide 81).

use std::error::Error;

use mercer::KernelPca;
use mercer::kernel::{Normalised, Spectrum};
use mercer::kpca::{Components, ExactWorkspace};
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use crate::data::Point;
use crate::draw::{Axis, BLUE, Chart, Drawn, GREY, ORANGE, dots, failed, font, page, panel};
use crate::vocabulary::{NEW, VOCABULARY, family};

pub(crate) fn svg() -> Result<String, Box<dyn Error>> {
    let mut model = KernelPca::<Normalised<Spectrum<f64>>, &str, 35, 2>::new();
    let mut workspace = ExactWorkspace::<f64, 35>::new();
    let kernel = Normalised(Spectrum::new(3));
    model.fit_exact(kernel, &VOCABULARY, Components::Fixed(2), &mut workspace)?;
    let place = |name: &str| model.project(name).map(|f| [f[0], f[1]]);

    page(1100, "Names, compared by the substrings of 3 letters they share", |area| {
        let title =
            "blue: families among 35 names, grey: the others; orange: names that were not learned";
        let (x, y) = (Axis::new("f₁", -0.55..0.95), Axis::new("f₂", -0.4..0.8));
        let mut chart = panel(area, title, x, y)?;
        // The vocabulary is in the order of the alphabet: families stand together.
        for members in VOCABULARY.chunk_by(|a, b| family(a) == family(b)) {
            let places = members.iter().map(|name| place(name)).collect::<Result<Vec<_>, _>>()?;
            match members {
                [name, _, ..] => {
                    dots(&mut chart, &places, BLUE)?;
                    beside(&mut chart, &places, family(name))?;
                }
                _ => dots(&mut chart, &places, GREY)?,
            }
        }
        for name in NEW {
            let [x, y] = place(name)?;
            dots(&mut chart, &[[x, y]], ORANGE)?;
            write(&mut chart, [x, y + 0.04], name, ORANGE, HPos::Left)?;
        }
        Ok(())
    })
}

/// The name of a family, on the side of it that is further from the others.
fn beside(chart: &mut Chart<'_, '_>, places: &[Point], name: &str) -> Drawn {
    let middle = |axis: usize| places.iter().map(|p| p[axis]).sum::<f64>() / places.len() as f64;
    let ends = places.iter().map(|p| p[0]);
    if middle(0) < -0.1 {
        let left = ends.fold(f64::MAX, f64::min);
        write(chart, [left - 0.015, middle(1)], name, BLUE, HPos::Right)
    } else {
        let right = ends.fold(f64::MIN, f64::max);
        write(chart, [right + 0.015, middle(1)], name, BLUE, HPos::Left)
    }
}

fn write(chart: &mut Chart<'_, '_>, [x, y]: Point, name: &str, ink: RGBColor, side: HPos) -> Drawn {
    let style = font(30, &ink).pos(Pos::new(side, VPos::Center));
    chart.draw_series([Text::new(name.to_string(), (x, y), style)]).map_err(failed)?;
    Ok(())
}
