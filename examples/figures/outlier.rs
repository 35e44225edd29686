//! `F(x) = Σ|f_j(x)|` around data (lecture 13, slide 78), and beside it SPE: far from the data only
//! that stays high.

use std::error::Error;

use mercer::KernelPca;
use mercer::kernel::Rbf;
use mercer::kpca::{Components, ExactWorkspace, Score};
use plotters::prelude::*;

use crate::contour::Field;
use crate::data::{Point, arc};
use crate::draw::{
    Area, Axis, BLUE, Drawn, INK, ORANGE, bands, dashed, dots, failed, font, label, legend, page,
    panel, shades, short,
};

const GAMMA: f64 = 2.0;
const COMPONENTS: usize = 6;
/// Grid points along each side, and bands of colour.
const SIDE: usize = 72;
const BANDS: usize = 9;
const LOW: Point = [-3.0, -2.6];
const HIGH: Point = [3.0, 3.4];
const OUTLIER: Point = [2.3, 0.4];

type Model = KernelPca<Rbf<f64>, Point, 80, COMPONENTS>;

/// A score, how it is written, and its colour.
type Kind = (&'static str, RGBColor, fn(Score<f64>) -> f64);

const KINDS: [Kind; 2] =
    [("F(x) = Σ|fⱼ(x)|", BLUE, |score| score.abs_sum), ("SPE(x)", ORANGE, |score| score.spe)];

pub(crate) fn svg() -> Result<String, Box<dyn Error>> {
    let samples = arc();
    let mut model = Model::new();
    let mut workspace = Box::new(ExactWorkspace::<f64, 80>::new());
    let kept = Components::Fixed(COMPONENTS);
    model.fit_exact(Rbf::new(GAMMA), &samples, kept, &mut workspace)?;
    let title = format!(
        "Two scores around 80 points (Gaussian kernel, γ = {GAMMA}, {COMPONENTS} components): F is highest at the data, SPE far from them"
    );
    require_title(&model, &samples)?;
    page(760, &title, |area| {
        let places = area.split_evenly((1, 3));
        for (place, kind) in places.iter().zip(KINDS) {
            map(place, &model, &samples, kind)?;
        }
        curves(&places[2], &model)
    })
}

/// Is it true what the title says? At the outlier, F is below that of most samples, and SPE above
/// that of all.
fn require_title(model: &Model, samples: &[Point]) -> Drawn {
    let outlier = model.score(&OUTLIER)?;
    let scores = samples.iter().map(|x| model.score(x)).collect::<Result<Vec<_>, _>>()?;
    let higher = scores.iter().filter(|score| score.abs_sum > outlier.abs_sum).count();
    let lower = scores.iter().filter(|score| score.spe < outlier.spe).count();
    match (2 * higher > samples.len(), lower == samples.len()) {
        (true, true) => Ok(()),
        _ => Err("the scores are not as the title says".into()),
    }
}

/// A score as bands of colour.
fn map(place: &Area<'_>, model: &Model, samples: &[Point], (name, colour, score): Kind) -> Drawn {
    let field = Field::sample(SIDE, LOW, HIGH, |x| model.score(&x).map(score))?;
    let title = format!("{name}: white 0, dark {}", short(&field.largest()));
    let (x, y) = (Axis::new("", LOW[0]..HIGH[0]), Axis::new("", LOW[1]..HIGH[1]));
    let mut chart = panel(place, &title, x, y)?;
    let step = field.largest() / BANDS as f64;
    let levels: Vec<f64> = (1..BANDS).map(|i| step * i as f64).collect();
    bands(&mut chart, &field, &levels, &shades(WHITE, colour, BANDS))?;
    dots(&mut chart, samples, INK)?;
    dashed(&mut chart, (0.0, OUTLIER[1]), (HIGH[0], OUTLIER[1]))?;
    dots(&mut chart, &[OUTLIER], RGBColor(0xd0, 0x1c, 0x8b))?;
    label(&mut chart, [OUTLIER[0], OUTLIER[1] + 0.45], "an outlier")
}

/// Both along a line from the inside of the arc to far away.
fn curves(place: &Area<'_>, model: &Model) -> Drawn {
    let end = 6.0;
    let title = "along the dashed line, the largest being 1";
    let (x, y) = (Axis::new("", 0.0..end), Axis::new("", 0.0..1.15));
    let mut chart = panel(place, title, x, y)?;
    for (name, colour, score) in KINDS {
        let at = |i: i32| {
            let x = end * f64::from(i) / 150.0;
            model.score(&[x, OUTLIER[1]]).map(|found| (x, score(found)))
        };
        let curve = (0..=150).map(at).collect::<Result<Vec<_>, _>>()?;
        let most = curve.iter().fold(0.0, |most: f64, &(_, value)| most.max(value));
        let curve = curve.into_iter().map(|(x, value)| (x, value / most));
        chart
            .draw_series(LineSeries::new(curve, colour.stroke_width(6)))
            .map_err(failed)?
            .label(name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 40, y)], colour.stroke_width(6)));
    }
    dashed(&mut chart, (OUTLIER[0], 0.0), (OUTLIER[0], 1.15))?;
    let text = Text::new("the outlier", (OUTLIER[0] + 0.1, 0.08), font(28, &INK));
    chart.draw_series([text]).map_err(failed)?;
    legend(&mut chart, SeriesLabelPosition::MiddleRight)
}
