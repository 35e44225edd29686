//! What is done with readings over time, in C: a piece of code for each operator, in place.

use mercer::signal::{Operator, memory, width};

use super::super::literal;
use crate::front::Front;

/// `NAME_operate`; nothing if no operator does anything.
pub(super) fn source(front: &Front) -> String {
    if !is_needed(front) {
        return String::new();
    }
    let mut at = Place { memory: 0, width: front.row(), delay: 0 };
    let pieces: String = front.operators.iter().map(|&operator| at.piece(operator)).collect();
    format!(
        r#"
/* Takes a row of features through the operators, in place; 0 if one of them needs more rows. */
static int name_operate(name_monitor *monitor)
{{
    float *const row = monitor->reading;
    int i;

{pieces}    return 1;
}}
"#
    )
}

/// Is anything done with the rows? A lag of one row is that row.
pub(super) fn is_needed(front: &Front) -> bool {
    front.operators.iter().any(|&operator| operator != Operator::Lags(1))
}

/// Where an operator stands among the others.
struct Place {
    /// Numbers that those before it remember.
    memory: usize,
    /// Numbers of a row.
    width: usize,
    /// Rows that pass before the first reaches it.
    delay: u32,
}

impl Place {
    /// The code of an operator; the next one has another place.
    fn piece(&mut self, operator: Operator) -> String {
        let Self { memory: place, width: inputs, delay } = *self;
        let (kept, own_delay) = (memory(&[operator], inputs), own_delay(operator));
        *self = Self {
            memory: place + kept,
            width: width(&[operator], inputs),
            delay: delay + own_delay,
        };
        let before = match delay {
            0 => "monitor->seen".to_string(),
            rows => format!("(monitor->seen - {rows}u)"),
        };
        let own = match place {
            0 => "monitor->memory".to_string(),
            place => format!("(monitor->memory + {place})"),
        };
        let code = match operator {
            Operator::Lags(1) => return String::new(),
            // The mean of one row: a sum, which makes −0 a 0.
            Operator::Average(1) => each(inputs, "        row[i] += 0.0f;\n"),
            Operator::Average(rows) => {
                let most = rows - 1;
                let average = AVERAGE.replace("MOST", &most.to_string());
                let average = average.replace("ROW", &inputs.to_string()).replace("MEMORY", &own);
                average.replace("BEFORE", &before)
            }
            Operator::Ewma(share) => {
                let share = literal(&share);
                each(
                    inputs,
                    &format!(
                        "        {own}[i] = {before} == 0u ? row[i] : {own}[i] + {share} * (row[i] - {own}[i]);\n        row[i] = {own}[i];\n"
                    ),
                )
            }
            Operator::Lags(_) => [
                each(kept, &format!("        row[{inputs} + i] = {own}[i];\n")),
                each(kept, &format!("        {own}[i] = row[i];\n")),
            ]
            .concat(),
            Operator::Difference => each(
                inputs,
                &format!(
                    "        const float newest = row[i];\n\n        row[i] = newest - {own}[i];\n        {own}[i] = newest;\n"
                ),
            ),
        };
        let wait = match own_delay {
            0 => String::new(),
            _ => {
                format!("    if (monitor->seen < {}u) {{\n        return 0;\n    }}\n", self.delay)
            }
        };
        format!("    /* {operator} */\n{code}{wait}")
    }
}

/// How many rows pass before an operator gives the first.
fn own_delay(operator: Operator) -> u32 {
    match operator {
        Operator::Lags(rows) => u32::from(rows) - 1,
        Operator::Difference => 1,
        Operator::Average(_) | Operator::Ewma(_) => 0,
    }
}

/// A loop over some numbers.
fn each(count: usize, body: &str) -> String {
    format!("    for (i = 0; i < {count}; i++) {{\n{body}    }}\n")
}

/// The newest row plus a mean of differences to it.
const AVERAGE: &str = r#"    for (i = 0; i < ROW; i++) {
        const int known = BEFORE < MOSTu ? (int)BEFORE : MOST;
        const float newest = row[i];
        float moved = newest, sum = 0.0f;
        int age;

        for (age = 0; age < MOST; age++) {
            float *const past = MEMORY + age * ROW + i;
            const float older = *past;

            if (age < known) {
                sum += older - newest;
            }
            *past = moved;
            moved = older;
        }
        row[i] = newest + sum / (float)(known + 1);
    }
"#;
