//! The methods of `c/others`: numbers for each, as a header in C, and what it must say of a
//! reading, by its formula in `f64`.
//!
//! Numbers are of a usual magnitude and otherwise at random, as those of our own detectors in the
//! bench: they do not change what a score costs. Only an isolation forest is grown, because its
//! paths depend on the rows.

use std::fmt::Write as _;

use super::forest::Forest;
use crate::exported::Noise;

pub(crate) const INPUTS: usize = 8;
/// Rows that a method may learn from or keep.
pub(crate) const ROWS: usize = 128;

/// A method in one size.
pub(crate) struct Method {
    /// In tables.
    pub(crate) title: &'static str,
    /// Its line in the table of AUROCs of docs/EVALUATION.md.
    pub(crate) evaluated: &'static str,
    /// Its file in C.
    pub(crate) file: &'static str,
    pub(crate) model: fn(&mut Numbers) -> Model,
}

pub(crate) const METHODS: [Method; 9] = [
    Method {
        title: "linear PCA, 4 axes",
        evaluated: "linear PCA, half",
        file: "linear_pca",
        model: linear_pca,
    },
    Method {
        title: "Mahalanobis distance",
        evaluated: "Mahalanobis, Ledoit-Wolf",
        file: "mahalanobis",
        model: mahalanobis,
    },
    Method {
        title: "k-means, 8 centres",
        evaluated: "k-means, 8",
        file: "k_means",
        model: k_means,
    },
    Method {
        title: "autoencoder 8-4-8",
        evaluated: "autoencoder",
        file: "autoencoder",
        model: autoencoder,
    },
    Method {
        title: "isolation forest, 25 trees of 32 rows",
        evaluated: "isolation forest, 25 × 32",
        file: "isolation_forest",
        model: |numbers| forest(numbers, 25, 32),
    },
    Method {
        title: "isolation forest, 100 trees of 64 rows",
        evaluated: "isolation forest, 100 × 64",
        file: "isolation_forest",
        model: |numbers| forest(numbers, 100, 64),
    },
    Method {
        title: "mixture of 4 Gaussians",
        evaluated: "Gaussian mixture, 4",
        file: "mixture",
        model: mixture,
    },
    Method { title: "5-NN of 128 rows", evaluated: "5-NN", file: "neighbours", model: neighbours },
    Method {
        title: "one-class SVM, 64 vectors",
        evaluated: "one-class SVM, half of the rows",
        file: "one_class_svm",
        model: one_class_svm,
    },
];

/// What a method has learned.
pub(crate) struct Model {
    pub(crate) header: Header,
    /// The score of a raw reading.
    pub(crate) says: Box<Score>,
}

type Score = dyn Fn(&[f64]) -> f64;

impl Model {
    fn new(header: Header, says: impl Fn(&[f64]) -> f64 + 'static) -> Model {
        Model { header, says: Box::new(says) }
    }
}

/// `model.h`, and the bytes of what it defines.
#[derive(Default)]
pub(crate) struct Header {
    pub(crate) text: String,
    pub(crate) bytes: usize,
}

impl Header {
    fn size(mut self, name: &str, size: usize) -> Self {
        self.line(format_args!("#define {name} {size}"));
        self
    }

    fn constant(mut self, name: &str, value: f64) -> Self {
        self.line(format_args!("#define {name} {:?}f", value as f32));
        self
    }

    fn row(self, name: &str, row: &[f64]) -> Self {
        self.array(
            &format!("float {name}"),
            "",
            &row.iter().map(literal).collect::<Vec<_>>(),
            4 * row.len(),
        )
    }

    fn rows(self, name: &str, rows: &[Vec<f64>]) -> Self {
        let columns = rows.first().map_or(0, Vec::len);
        let row = |row: &Vec<f64>| row.iter().map(literal).collect::<Vec<_>>().join(", ");
        let cells: Vec<String> = rows.iter().map(|cells| format!("{{{}}}", row(cells))).collect();
        self.array(
            &format!("float {name}"),
            &format!("[{columns}]"),
            &cells,
            4 * rows.len() * columns,
        )
    }

    /// An array of cells that are C already, and all of its bytes.
    fn array(mut self, name: &str, inner: &str, cells: &[String], bytes: usize) -> Self {
        let (count, cells) = (cells.len(), cells.join(",\n    "));
        self.line(format_args!("static const {name}[{count}]{inner} = {{\n    {cells}\n}};"));
        self.bytes += bytes;
        self
    }

    fn line(&mut self, line: std::fmt::Arguments<'_>) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.text, "{line}");
    }
}

fn literal(value: &f64) -> String {
    format!("{:?}f", *value as f32)
}

/// Where the numbers of models come from: rows of 8 inputs, and what is drawn at random. All are
/// exact in `f32`.
pub(crate) struct Numbers {
    rows: Vec<Vec<f64>>,
    noise: Noise,
    scaling: Scaling,
}

/// Each input's mean, and one over its deviation.
#[derive(Clone)]
struct Scaling {
    mean: Vec<f64>,
    scale: Vec<f64>,
}

impl Numbers {
    pub(crate) fn of(rows: &[Vec<f32>]) -> Numbers {
        let rows: Vec<Vec<f64>> =
            rows.iter().map(|row| row.iter().map(|&x| f64::from(x)).collect()).collect();
        let column = |i: usize| rows.iter().map(move |row| row[i]);
        let count = rows.len() as f64;
        let mean: Vec<f64> = (0..INPUTS).map(|i| single(column(i).sum::<f64>() / count)).collect();
        let variance = |i: usize| column(i).map(|x| (x - mean[i]).powi(2)).sum::<f64>() / count;
        let scale = (0..INPUTS).map(|i| single(1.0 / variance(i).sqrt())).collect();
        Numbers { scaling: Scaling { mean, scale }, rows, noise: Noise(7) }
    }

    fn scaled(&self, count: usize) -> Vec<Vec<f64>> {
        let scaled = |row: &Vec<f64>| self.scaling.apply(row).into_iter().map(single).collect();
        self.rows[..count].iter().map(scaled).collect()
    }

    fn row(&mut self, length: usize, deviation: f64) -> Vec<f64> {
        (0..length).map(|_| single(deviation * self.noise.normal())).collect()
    }

    fn rows(&mut self, count: usize, length: usize, deviation: f64) -> Vec<Vec<f64>> {
        (0..count).map(|_| self.row(length, deviation)).collect()
    }

    /// A triangle of a square matrix, row by row: about one over the deviation of each raw input.
    fn factor(&mut self) -> Vec<f64> {
        let entry = |numbers: &mut Self, i: usize, j: usize| {
            let own = if i == j { 1.0 } else { 0.0 };
            single(numbers.scaling.scale[j] * (own + 0.1 * numbers.noise.normal()))
        };
        (0..INPUTS)
            .flat_map(|i| (0..=i).map(move |j| (i, j)))
            .map(|(i, j)| entry(self, i, j))
            .collect()
    }
}

fn single(value: f64) -> f64 {
    f64::from(value as f32)
}

impl Scaling {
    fn apply(&self, x: &[f64]) -> Vec<f64> {
        (0..INPUTS).map(|i| (x[i] - self.mean[i]) * self.scale[i]).collect()
    }

    fn header(&self) -> Header {
        Header::default().row("mean", &self.mean).row("scale", &self.scale)
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn squared_distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum()
}

/// `|F (x − mean)|²` of the triangle `F`.
fn stretched(factor: &[f64], x: &[f64], mean: &[f64]) -> f64 {
    let z: Vec<f64> = x.iter().zip(mean).map(|(x, mean)| x - mean).collect();
    let row = |i: usize| &factor[i * (i + 1) / 2..][..=i];
    (0..INPUTS).map(|i| dot(row(i), &z).powi(2)).sum()
}

fn linear_pca(numbers: &mut Numbers) -> Model {
    let mut axes: Vec<Vec<f64>> = Vec::new();
    // Gram and Schmidt, of directions at random.
    for mut axis in numbers.rows(4, INPUTS, 1.0) {
        for other in &axes {
            let along = dot(&axis, other);
            axis.iter_mut().zip(other).for_each(|(a, b)| *a -= along * b);
        }
        let length = dot(&axis, &axis).sqrt();
        axes.push(axis.into_iter().map(|a| a / length).collect());
    }
    let scaling = numbers.scaling.clone();
    let header = scaling.header().size("AXES", axes.len()).rows("axes", &axes);
    Model::new(header, move |x| {
        let z = scaling.apply(x);
        // What the axes make of it, and how far that is.
        let along: Vec<f64> = axes.iter().map(|axis| dot(axis, &z)).collect();
        let again = |i: usize| axes.iter().zip(&along).map(|(axis, along)| along * axis[i]).sum();
        squared_distance(&z, &(0..INPUTS).map(again).collect::<Vec<f64>>())
    })
}

fn mahalanobis(numbers: &mut Numbers) -> Model {
    let (mean, factor) = (numbers.scaling.mean.clone(), numbers.factor());
    let header = Header::default().row("mean", &mean).row("factor", &factor);
    Model::new(header, move |x| stretched(&factor, x, &mean))
}

fn mixture(numbers: &mut Numbers) -> Model {
    const PARTS: usize = 4;
    let means = numbers.rows[..PARTS].to_vec();
    let factors: Vec<Vec<f64>> = (0..PARTS).map(|_| numbers.factor()).collect();
    let weights = numbers.row(PARTS, 1.0);
    let header = Header::default().size("PARTS", PARTS).rows("mean", &means);
    let header = header.rows("factor", &factors).row("weight", &weights);
    Model::new(header, move |x| {
        let part = |k: usize| (weights[k] - 0.5 * stretched(&factors[k], x, &means[k])).exp();
        -(0..PARTS).map(part).sum::<f64>().ln()
    })
}

fn k_means(numbers: &mut Numbers) -> Model {
    let (scaling, points) = (numbers.scaling.clone(), numbers.scaled(8));
    let header = scaling.header().size("POINTS", points.len()).rows("point", &points);
    Model::new(header, move |x| {
        let z = scaling.apply(x);
        points.iter().map(|point| squared_distance(point, &z)).fold(f64::INFINITY, f64::min)
    })
}

fn neighbours(numbers: &mut Numbers) -> Model {
    const NEAREST: usize = 5;
    let (scaling, points) = (numbers.scaling.clone(), numbers.scaled(ROWS));
    let header = scaling.header().size("NEAREST", NEAREST).size("POINTS", points.len());
    Model::new(header.rows("point", &points), move |x| {
        let z = scaling.apply(x);
        let mut distances: Vec<f64> =
            points.iter().map(|point| squared_distance(point, &z)).collect();
        distances.sort_by(f64::total_cmp);
        distances[NEAREST - 1]
    })
}

fn one_class_svm(numbers: &mut Numbers) -> Model {
    let (scaling, points) = (numbers.scaling.clone(), numbers.scaled(64));
    let weights: Vec<f64> = numbers.row(points.len(), 0.5).into_iter().map(f64::abs).collect();
    let gamma = 1.0 / INPUTS as f64;
    let header = scaling.header().size("POINTS", points.len()).constant("GAMMA", gamma);
    Model::new(header.rows("point", &points).row("weight", &weights), move |x| {
        let z = scaling.apply(x);
        let kernel = |point: &Vec<f64>| (-gamma * squared_distance(point, &z)).exp();
        -points.iter().zip(&weights).map(|(point, weight)| weight * kernel(point)).sum::<f64>()
    })
}

fn autoencoder(numbers: &mut Numbers) -> Model {
    const HIDDEN: usize = 4;
    let scaling = numbers.scaling.clone();
    let (inner, outer) = (numbers.rows(HIDDEN, INPUTS, 0.35), numbers.rows(INPUTS, HIDDEN, 0.5));
    let (inner_bias, outer_bias) = (numbers.row(HIDDEN, 0.1), numbers.row(INPUTS, 0.1));
    let header = scaling.header().size("HIDDEN", HIDDEN).rows("inner", &inner);
    let header = header.row("inner_bias", &inner_bias).rows("outer", &outer);
    Model::new(header.row("outer_bias", &outer_bias), move |x| {
        let z = scaling.apply(x);
        let layer = |weights: &[Vec<f64>], bias: &[f64], input: &[f64]| -> Vec<f64> {
            weights.iter().zip(bias).map(|(row, bias)| bias + dot(row, input)).collect()
        };
        let hidden: Vec<f64> = layer(&inner, &inner_bias, &z).into_iter().map(f64::tanh).collect();
        squared_distance(&z, &layer(&outer, &outer_bias, &hidden))
    })
}

fn forest(numbers: &mut Numbers, trees: usize, rows: usize) -> Model {
    let forest = Forest::grown(&numbers.rows, trees, rows, &mut numbers.noise);
    let (nodes, roots) = forest.flat();
    let header = Header::default().size("TREES", trees);
    // A node is padded to 8 bytes.
    let header = header.array("struct node nodes", "", &nodes, 8 * nodes.len());
    let roots: Vec<String> = roots.iter().map(usize::to_string).collect();
    let header = header.array("uint16_t root", "", &roots, 2 * roots.len());
    Model::new(header, move |x| -forest.path_lengths(x))
}
