//! The Gaussian kernel in `f32` as the library computes it: four points at a time from inner
//! products, by an `exp` of a table and a parabola, hence with the same bits.
//!
//! `src/kernel/gaussian.rs` and `src/math/fast.rs` of the library explain the method; what stands
//! here a second time is held to it by the tests of exports, bit by bit.

use std::f64::consts::{LN_2, LOG2_E};

use super::super::list;
use super::{Centre, literal, vector};
use crate::export::Name;
use crate::model::Model;
use crate::{KernelSpec, Number, Precision};

/// Points of a block.
const LANES: usize = 4;
/// Up to so many inputs, the reading is multiplied by `2γ` instead of the sums.
const FEW: usize = 8;
/// Steps of a doubling: entries of the table.
const STEPS: usize = 64;
/// Steps of a factor `e`.
const STEPS_OF_E: f64 = STEPS as f64 * LOG2_E;
/// What the parabola is multiplied by; the table has it.
const SCALE: f64 = 5.886_129_341_818_333e-5;
/// The least exponent.
const LEAST: f64 = -76.9;

/// A model that is compared with readings in this way.
pub(super) struct Gaussian {
    gamma: f32,
    /// What is kept beside the leading points.
    memos: Vec<f32>,
    scales_reading: bool,
    has_others: bool,
}

impl Gaussian {
    /// None for other kernels, and in `f64`.
    pub(super) fn of<T: Number>(model: &Model<T>) -> Option<Self> {
        let KernelSpec::Rbf { gamma } = model.kernel else { return None };
        let single = T::PRECISION == Precision::F32;
        let memos: Vec<f32> = model.memos().iter().map(|memo| memo.to_f64() as f32).collect();
        single.then(|| Self {
            gamma: gamma.to_f64() as f32,
            scales_reading: model.inputs() <= FEW,
            has_others: memos.len() < model.points.rows() || !memos.len().is_multiple_of(LANES),
            memos,
        })
    }

    /// Points in whole blocks.
    fn blocks(&self) -> usize {
        self.memos.len() / LANES * LANES
    }

    /// Definitions of data and of `name_exp`, then of `name_kernel` where one is needed.
    pub(super) fn functions(&self, name: &Name, centre: Centre) -> String {
        let blocks = self.blocks();
        let memos = match blocks {
            0 => String::new(),
            _ => format!(
                "\n/* These points are compared four at a time. */\n#define NAME_BLOCKS {blocks}\n\n{}",
                vector(name, "memos", "BLOCKS", &self.memos[..blocks])
            ),
        };
        let rows: String = table()
            .chunks(8)
            .map(|row| format!("    {},\n", list(row, |entry| format!("{entry:#010x}u"))))
            .collect();
        let kernel = KERNEL
            .replace("RATE", &literal(&(-STEPS_OF_E as f32 * self.gamma)))
            .replace("LEAST", &literal(&((LEAST * STEPS_OF_E) as f32)));
        // Reasons take kernel values one by one.
        let is_needed = self.has_others || centre == Centre::With;
        let kernel = if is_needed { kernel } else { String::new() };
        format!("{memos}{}{kernel}", EXP.replace("ROWS", &rows))
    }

    /// The definition of `name_compare`.
    pub(super) fn compare(&self, centre: Centre) -> String {
        let gamma = self.gamma;
        let rate = literal(&((2.0 * STEPS_OF_E) as f32 * gamma));
        let blocks = match self.blocks() {
            0 => String::new(),
            _ => {
                let (reading, query, scale) = match self.scales_reading {
                    true => (
                        format!(
                            "        for (j = 0; j < NAME_INPUTS; j++) {{\n            query[j] = {rate} * x[j];\n        }}\n"
                        ),
                        "query[j]",
                        String::new(),
                    ),
                    false => (String::new(), "x[j]", format!("{rate} * ")),
                };
                let add = match centre {
                    Centre::With => ADD_CENTRE,
                    Centre::Without => "",
                };
                BLOCKS
                    .replace("READING", &reading)
                    .replace("QUERY", query)
                    .replace("SCALE", &scale)
                    .replace("ADD_CENTRE", add)
            }
        };
        let others = match (self.has_others, centre) {
            (false, _) => String::new(),
            (true, Centre::With) => OTHERS.replace("ADD", ADD_OTHER).replace("AFTER", AFTER),
            (true, Centre::Without) => OTHERS.replace("ADD", "").replace("AFTER", ""),
        };
        let (parameter, local, finish) = match centre {
            Centre::With => (
                ", float *centre_product",
                "    float centre = 0.0f;\n",
                "    *centre_product = factor * centre;\n",
            ),
            Centre::Without => ("", "", ""),
        };
        let first = if self.has_others { "    int first = NAME_LEADING;\n" } else { "" };
        let from = if self.has_others { "        first = NAME_FIRST;\n" } else { "" };
        let query = match self.blocks() > 0 && self.scales_reading {
            true => "    float query[NAME_INPUTS];\n",
            false => "",
        };
        let other = match (self.has_others, centre) {
            (true, Centre::With) => "    float others = 0.0f;\n",
            _ => "",
        };
        let index = if self.has_others || self.blocks() > 0 { "i, j" } else { "j" };
        COMPARE
            .replace("PARAMETER", parameter)
            .replace("LOCALS", &[query, local, other, first].concat())
            .replace("INDEX", index)
            .replace("BLOCKS_", &blocks)
            .replace("FROM_", from)
            .replace("OTHERS_", &others)
            .replace("FINISH_", finish)
            .replace("GAMMA", &literal(&gamma))
            .replace("STEPS", &literal(&(-STEPS_OF_E as f32)))
            .replace("NAME_LEADING", &self.memos.len().to_string())
            .replace("NAME_FIRST", if self.blocks() > 0 { "NAME_BLOCKS" } else { "0" })
    }
}

/// The bits of `SCALE · 2^(n/64)`, less what moving `n` to the exponent adds.
fn table() -> [u32; STEPS] {
    const TO_EXPONENT: u32 = 17;
    std::array::from_fn(|step| {
        let exact = SCALE * exp_series(step as f64 * LN_2 / STEPS as f64);
        (exact as f32).to_bits().wrapping_sub((step as u32) << TO_EXPONENT)
    })
}

/// `eˣ` for `0 ≤ x < 1`: the terms that the library adds up, rather than another's `exp`.
fn exp_series(x: f64) -> f64 {
    let (mut sum, mut term) = (1.0, 1.0);
    for k in 1..20 {
        term *= x / f64::from(k);
        sum += term;
    }
    sum
}

const EXP: &str = r#"
/* 2^(n/64) for n from 0 to 63, as bits, for name_exp. */
static const uint32_t name_exp_table[64] NAME_TABLE = {
ROWS};

/* 2^((t + start)/64) but for the part of start that is not whole: a table for the whole part of the exponent, a parabola for the rest. */
static float name_exp(float t, float start)
{
    const float rounded = t + start;
    const float rest = t - (rounded + (-92.0f - start));
    const uint32_t bits = name_bits(rounded);

    return name_from_bits(NAME_READ32(name_exp_table[bits % 64u]) + (bits << 17)) * (rest * rest + 8525.093f);
}
"#;

const KERNEL: &str = r#"
/* Gaussian kernel of one point. */
static float name_kernel(const float *x, const float *y)
{
    float square = 0.0f, exponent;
    int i;

    for (i = 0; i < NAME_INPUTS; i++) {
        square += (x[i] - y[i]) * (x[i] - y[i]);
    }
    exponent = RATE * square;
    return name_exp(exponent > LEAST ? exponent : LEAST, 12582912.0f);
}
"#;

const COMPARE: &str = r#"
/* Projects a scaled reading on the components, by its Gaussian kernel with every point. */
static void name_compare(const float *x, float *projectionPARAMETER)
{
    float sums[NAME_COMPONENTS];
LOCALS    float square = 0.0f, factor = 1.0f;
    int INDEX;

    for (j = 0; j < NAME_COMPONENTS; j++) {
        sums[j] = 0.0f;
    }
    for (j = 0; j < NAME_INPUTS; j++) {
        square += x[j] * x[j];
    }
    /* Further out, all but the last points count as 0. */
    if (GAMMA * square <= 45.0f) {
        /* What all exponents share: its whole part goes into them, the rest into a factor. */
        const float shared = STEPS * (GAMMA * square);
        const float start = shared + 12582912.0f;
        const float rest = shared - (start - 12582912.0f);

        factor = 1.0f + rest * (0.010830465f + rest * 5.8649344e-5f);
BLOCKS_FROM_    }
OTHERS_    for (j = 0; j < NAME_COMPONENTS; j++) {
        projection[j] = factor * sums[j] - NAME_READ(name_offsets[j]);
    }
FINISH_}
"#;

const BLOCKS: &str = r#"READING        for (i = 0; i < NAME_BLOCKS; i += 4) {
            const float *p0 = name_points[i], *p1 = name_points[i + 1];
            const float *p2 = name_points[i + 2], *p3 = name_points[i + 3];
            const float *w0 = name_weights[i], *w1 = name_weights[i + 1];
            const float *w2 = name_weights[i + 2], *w3 = name_weights[i + 3];
            float k0 = NAME_READ(name_memos[i]), k1 = NAME_READ(name_memos[i + 1]);
            float k2 = NAME_READ(name_memos[i + 2]), k3 = NAME_READ(name_memos[i + 3]);

            for (j = 0; j < NAME_INPUTS; j++) {
                const float q = QUERY;

                k0 += q * NAME_READ(p0[j]);
                k1 += q * NAME_READ(p1[j]);
                k2 += q * NAME_READ(p2[j]);
                k3 += q * NAME_READ(p3[j]);
            }
            k0 = name_exp(SCALEk0, start);
            k1 = name_exp(SCALEk1, start);
            k2 = name_exp(SCALEk2, start);
            k3 = name_exp(SCALEk3, start);
            for (j = 0; j < NAME_COMPONENTS && j < 4; j++) {
                sums[j] += (NAME_READ(w0[j]) * k0 + NAME_READ(w1[j]) * k1)
                    + (NAME_READ(w2[j]) * k2 + NAME_READ(w3[j]) * k3);
            }
            for (; j < NAME_COMPONENTS; j++) {
                sums[j] += NAME_READ(w0[j]) * k0;
                sums[j] += NAME_READ(w1[j]) * k1;
                sums[j] += NAME_READ(w2[j]) * k2;
                sums[j] += NAME_READ(w3[j]) * k3;
            }
ADD_CENTRE        }
"#;

const ADD_CENTRE: &str = r#"            centre += (NAME_READ(name_centre[i]) * k0 + NAME_READ(name_centre[i + 1]) * k1)
                + (NAME_READ(name_centre[i + 2]) * k2 + NAME_READ(name_centre[i + 3]) * k3);
"#;

const OTHERS: &str = r#"    for (i = first; i < NAME_POINTS; i++) {
        float room[NAME_INPUTS];
        const float value = name_kernel(x, NAME_ROW(name_points[i], room)) / factor;

ADD        for (j = 0; j < NAME_COMPONENTS; j++) {
            sums[j] += NAME_READ(name_weights[i][j]) * value;
        }
    }
AFTER"#;

const ADD_OTHER: &str = "        others += NAME_READ(name_centre[i]) * value;\n";
const AFTER: &str = "    centre += others;\n";

#[cfg(test)]
mod tests {
    use super::*;
    use mercer::math::{Fast, Math};

    /// `name_exp`, in Rust.
    fn exp(t: f32, start: f32) -> f32 {
        let rounded = t + start;
        let rest = t - (rounded + (-92.0 - start));
        let bits = rounded.to_bits();
        let power = f32::from_bits(table()[bits as usize % STEPS].wrapping_add(bits << 17));
        power * (rest * rest + 8525.093)
    }

    #[test]
    fn the_table_is_that_of_the_library() {
        for i in 0..70_000 {
            let t = -0.1017 * i as f32;
            let here = exp(t, 12_582_912.0);
            assert_eq!(here.to_bits(), Fast.exp_steps(t, Fast::ORIGIN).to_bits(), "{t}");
        }
    }
}
