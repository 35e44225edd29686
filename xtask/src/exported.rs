//! The command `mercer` at work: readings to fit to, and models that it exports.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

use crate::toolchain::host_cargo;

/// Runs `mercer` of the project in this folder, which must go well, and returns what it prints.
pub(crate) fn mercer(root: &Path, arguments: &[&str]) -> Result<String> {
    let mut command = Command::new(host_cargo());
    command.current_dir(root).args(["run", "--quiet", "--package", "mercer-cli", "--"]);
    let output = command.args(arguments).stderr(Stdio::inherit()).output();
    let output = output.context("cargo does not run")?;
    ensure!(output.status.success(), "mercer {} failed", arguments.join(" "));
    Ok(String::from_utf8(output.stdout)?)
}

/// Readings to learn from, and others among which there are a fault in one input and one far from
/// all.
pub(crate) fn readings(samples: u32, inputs: u32) -> (Vec<Vec<f32>>, Vec<Vec<f32>>) {
    let mut noise = Noise(1);
    let usual: Vec<Vec<f32>> = (0..samples).map(|_| noise.reading(inputs)).collect();
    let mut readings: Vec<Vec<f32>> = (0..40).map(|_| noise.reading(inputs)).collect();
    readings[15..25].iter_mut().for_each(|reading| reading[0] += 12.0);
    readings[20].iter_mut().for_each(|x| *x += 1e3);
    (usual, readings)
}

/// A row of `mercer score` as C prints it: code, bits of SPE, unusual, in alarm.
pub(crate) fn expected(line: &str) -> Result<String> {
    let cells: Vec<&str> = line.split(',').collect();
    let [_, spe, _, _, unusual, alarm] = *cells else { anyhow::bail!("mercer score: {line}") };
    Ok(format!("0 {} {unusual} {alarm}", spe.parse::<f32>()?.to_bits()))
}

pub(crate) fn csv(rows: &[Vec<f32>]) -> String {
    let inputs = rows.first().map_or(0, Vec::len);
    let heading: Vec<String> = (0..inputs).map(|input| format!("s{input}")).collect();
    let row = |row: &Vec<f32>| row.iter().map(|x| format!("{x:?}")).collect::<Vec<_>>().join(",");
    let rows: Vec<String> = rows.iter().map(row).collect();
    format!("{}\n{}\n", heading.join(","), rows.join("\n"))
}

/// The readings as an array in C.
pub(crate) fn c_array(rows: &[Vec<f32>], place: &str) -> String {
    let literals = |row: &Vec<f32>| row.iter().map(|x| format!("{x:?}f")).collect::<Vec<_>>();
    let text: String =
        rows.iter().map(|row| format!("    {{{}}},\n", literals(row).join(", "))).collect();
    let count = rows.len();
    format!(
        "#define READINGS {count}\nstatic const float readings[READINGS][MODEL_INPUTS]{place} = {{\n{text}}};\n"
    )
}

/// Correlated inputs, as sensors have them, from a linear congruential generator.
pub(crate) struct Noise(pub(crate) u64);

impl Noise {
    fn reading(&mut self, inputs: u32) -> Vec<f32> {
        let causes = [self.normal(), self.normal(), self.normal()];
        let value = |input: u32, noise: f64| 20.0 + 1.4 * (causes[input as usize % 3] + noise);
        (0..inputs).map(|input| value(input, self.normal()) as f32).collect()
    }

    /// About normal, of variance 1.
    pub(crate) fn normal(&mut self) -> f64 {
        3.0_f64.sqrt() * (0..4).map(|_| self.uniform()).sum::<f64>()
    }

    /// A whole number that is less.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        ((self.uniform() + 0.5) * bound as f64) as usize
    }

    /// From −½ to ½.
    pub(crate) fn uniform(&mut self) -> f64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 40) as f64 / (1_u64 << 24) as f64 - 0.5
    }
}
