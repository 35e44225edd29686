//! Why a reading is unusual, of a model in integers: scores are those of the integers, points and
//! weights are turned back into `float` one by one.

use super::Whole;
use crate::Number;
use crate::export::Name;
use crate::export::c::kernel::plain;
use crate::export::c::reasons::{Route, definitions};
use crate::export::c::{fill, scale, vector};
use crate::model::Model;

/// Scores in integers, of raw readings.
fn whole_route(whole: &Whole) -> Route {
    Route {
        room: "    float reading[NAME_INPUTS];\n",
        fill_room: "    for (i = 0; i < NAME_INPUTS; i++) {\n        reading[i] = x[i];\n    }\n",
        reading: "reading",
        value: "name_unscaled(trial->input, value)",
        locals: "",
        score: "name_score(reading, &verdict)",
        judge: "name_score(x, &verdict)",
        project: "name_prepare(x, scaled, projection)",
        weight: WEIGHT
            .replace("CENTRE_SHIFT", &whole.centre_shift().to_string())
            .replace("WEIGHT_BITS", WEIGHT_BITS),
        point: "point",
    }
}

const WEIGHT: &str = r#"        float point[NAME_INPUTS], weight = name_restored(NAME_READ16(name_points[i].centre), CENTRE_SHIFT - WEIGHT_BITS);

        for (j = 0; j < NAME_COMPONENTS; j++) {
            const int shift = (int)NAME_READ16(name_components[j].shift);

            weight += projection[j] * name_restored(NAME_READ16(name_points[i].weights[j]), shift - WEIGHT_BITS);
        }
        for (j = 0; j < NAME_INPUTS; j++) {
            point[j] = NAME_READ(name_unit[j]) * name_restored(NAME_READ16(name_points[i].coordinates[j]), 0);
        }
"#;

/// The definitions.
pub(super) fn source<T: Number>(model: &Model<T>, whole: &Whole, name: &Name) -> String {
    let numbers = |values: &[f32]| -> Vec<T> {
        values.iter().map(|&value| T::from_f64(f64::from(value))).collect()
    };
    let floor = match model.floor.is_empty() {
        true => String::new(),
        false => vector(name, "floor", "INPUTS", &model.floor),
    };
    let data = [
        "\n/* Mean and deviation of the inputs, and what a coordinate of 1 is in each scaled input. */\n".into(),
        vector(name, "mean", "INPUTS", &model.mean),
        vector(name, "deviation", "INPUTS", &model.deviation),
        floor,
        vector(name, "unit", "INPUTS", &numbers(&whole.units)),
    ]
    .concat();
    let usual = (numbers(&whole.usual.0), numbers(&whole.usual.1));
    let functions = fill::<T>(&[&scale(model), &plain(&model.kernel), PREPARE].concat(), name);
    data + &functions + &definitions(model, &usual, &whole_route(whole), name)
}

/// Bits of a weight behind the point.
const WEIGHT_BITS: &str = "14";

const PREPARE: &str = r#"
/* Scales a raw reading that can be scored, and projects it. Returns 0, or which input is too large to be scaled. */
static int name_prepare(const float *x, float *scaled, float *projection)
{
    const int code = name_scale(x, scaled);

    return code != 0 ? code : name_project(x, projection);
}

/* A stored number, without the 2^15 that were added to it, times 2^exponent. */
static float name_restored(uint16_t stored, int exponent)
{
    return (float)((int32_t)stored - 32768) * name_from_bits((uint32_t)(exponent + 127) << 23);
}
"#;
