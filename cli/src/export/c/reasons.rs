//! Why a reading is unusual, in C: the input to blame, and the contributions of all of them. The
//! searches and formulas of the library, term by term.

use mercer::detect::scaling;

use super::{fill, literal, vector};
use crate::export::Name;
use crate::model::Model;
use crate::{KernelSpec, Number};

/// What stands in the header.
pub(super) const DECLARATIONS: &str = r#"
/* The input to blame for an unusual reading. */
typedef struct name_suspect {
    /* Which input, counted from 0: name_input_names has its name. */
    int input;
    /* What it read, and what it should have read by what the others say. */
    REAL read;
    REAL expected;
    /* By how much SPE falls with that; 0 if no single input makes a difference. */
    REAL fall;
    /* The SPE that is left. Above the threshold, this input alone does not explain the reading. */
    REAL rest;
} name_suspect;

/* Finds the input to blame for a raw reading, by scoring it again with others in its place: 2 scores an input, and 21 more. Returns as name_score. */
int name_find_suspect(const REAL x[NAME_INPUTS], name_suspect *out);

/* Writes how strongly SPE depends on each input of a raw reading: slopes, which do not add up to SPE. Returns as name_score. */
int name_contributions(const REAL x[NAME_INPUTS], REAL out[NAME_INPUTS]);
"#;

/// How a model scores: what differs between floating point and integers.
pub(super) struct Route {
    /// What is scored with another value in it, beside the scaled reading: declared, and filled.
    pub(super) room: &'static str,
    pub(super) fill_room: &'static str,
    pub(super) reading: &'static str,
    /// The value of an input there, and the score of all.
    pub(super) value: &'static str,
    pub(super) locals: &'static str,
    pub(super) score: &'static str,
    /// Scales `x`, judges it, and projects it.
    pub(super) judge: &'static str,
    pub(super) project: &'static str,
    /// The weight of point i, and the point.
    pub(super) weight: String,
    pub(super) point: &'static str,
}

/// Scores of scaled readings in floating point.
fn floating() -> Route {
    Route {
        room: "",
        fill_room: "",
        reading: "scaled",
        value: "value",
        locals: "    REAL projection[NAME_COMPONENTS];\n",
        score: "name_judge(reading, projection, &verdict)",
        judge: "name_scale(x, scaled)",
        project: "name_judge(scaled, projection, &verdict)",
        weight: "        REAL room[NAME_INPUTS], weight = NAME_READ(name_centre[i]);

        for (j = 0; j < NAME_COMPONENTS; j++) {
            weight += projection[j] * NAME_READ(name_weights[i][j]);
        }
"
        .into(),
        point: "NAME_ROW(name_points[i], room)",
    }
}

/// The definitions.
pub(super) fn source<T: Number>(model: &Model<T>, name: &Name) -> String {
    definitions(model, &usual(model), &floating(), name)
}

/// The definitions for a way of scoring, given what each scaled input usually reads.
pub(super) fn definitions<T: Number>(
    model: &Model<T>,
    (mean, deviation): &(Vec<T>, Vec<T>),
    route: &Route,
    name: &Name,
) -> String {
    let data = [
        "\n/* What a scaled input usually reads; a deviation of 0 if it never changed. */\n".into(),
        vector(name, "usual", "INPUTS", mean),
        vector(name, "spread", "INPUTS", deviation),
    ]
    .concat();
    let undo = match model.floor.is_empty() {
        true => "",
        false => UNDO_LOGARITHM,
    };
    let rounding = literal(&(T::from_f64(64.0) * T::EPSILON));
    let (gradient, of_itself) = gradient(&model.kernel);
    let text = [SUSPECT, CONTRIBUTIONS]
        .concat()
        .replace("UNDO", undo)
        .replace("ROUNDING", &rounding)
        .replace("FILL_ROOM", route.fill_room)
        .replace("LOCALS", route.locals)
        .replace("ROOM", route.room)
        .replace("READING", route.reading)
        .replace("VALUE", route.value)
        .replace("SCORE", route.score)
        .replace("JUDGE", route.judge)
        .replace("PROJECT", route.project)
        .replace("WEIGHT", &route.weight)
        .replace("POINT_I", route.point)
        .replace("GRADIENT", &gradient)
        .replace("OF_ITSELF", of_itself)
        .replace("EPSILON", &literal(&T::EPSILON));
    data + &fill::<T>(&text, name)
}

/// Mean and deviation of each input as the model sees it.
fn usual<T: Number>(model: &Model<T>) -> (Vec<T>, Vec<T>) {
    let inputs = model.inputs();
    let (mut mean, mut deviation) = (vec![T::ZERO; inputs], vec![T::ONE; inputs]);
    scaling::learn(&model.points, &mut mean, &mut deviation);
    for input in 0..inputs {
        let mut values = model.points.iter_rows().map(|point| point[input]);
        let first = values.next().unwrap_or_default();
        let is_standardised = model.mean[input] != T::ZERO || model.deviation[input] != T::ONE;
        if values.all(|value| value == first) {
            (mean[input], deviation[input]) = (first, T::ZERO);
        } else if is_standardised {
            (mean[input], deviation[input]) = (T::ZERO, T::ONE);
        }
    }
    (mean, deviation)
}

/// What is added to each entry of a gradient; and the gradient of `k(x, x)`.
fn gradient<T: Number>(kernel: &KernelSpec<T>) -> (String, &'static str) {
    const OF_ITSELF: &str = "    name_add_gradient(scaled, scaled, 2.0@, gradient);\n";
    let along = |factor: String, term: &str, of_itself| {
        let text = GRADIENT.replace("FACTOR", &factor).replace("TERM", term);
        (text, of_itself)
    };
    match kernel {
        KernelSpec::Linear {} => (LINEAR_GRADIENT.into(), OF_ITSELF),
        KernelSpec::Rbf { gamma } => {
            let twice = literal(&(*gamma + *gamma));
            along(format!("weight * ({twice} * name_kernel(x, y))"), "(y[i] - x[i])", "")
        }
        KernelSpec::Laplacian { gamma } => along(
            format!("weight * ({} * name_kernel(x, y))", literal(gamma)),
            "(REAL)((y[i] > x[i]) - (y[i] < x[i]))",
            "",
        ),
        KernelSpec::Poly { gamma, coef0, degree } => {
            let factor = literal(&(*gamma * T::from_usize(*degree as usize)));
            let base = format!("{} * name_sum(x, y) + {}", literal(gamma), literal(coef0));
            let power = format!("name_power({base}, {}UL)", degree.saturating_sub(1));
            along(format!("weight * ({factor} * {power})"), "y[i]", OF_ITSELF)
        }
        KernelSpec::Sigmoid { gamma, .. } => along(
            format!(
                "weight * ({} * (1.0@ - name_kernel(x, y) * name_kernel(x, y)))",
                literal(gamma)
            ),
            "y[i]",
            OF_ITSELF,
        ),
        KernelSpec::Cosine {} => (COSINE_GRADIENT.into(), ""),
    }
}

const GRADIENT: &str = r#"    const REAL factor = FACTOR;
    int i;

    for (i = 0; i < NAME_INPUTS; i++) {
        out[i] += factor * TERM;
    }
"#;

const LINEAR_GRADIENT: &str = r#"    int i;

    (void)x;
    for (i = 0; i < NAME_INPUTS; i++) {
        out[i] += weight * y[i];
    }
"#;

const COSINE_GRADIENT: &str = r#"    const REAL square = name_sum(x, x);
    const REAL norms = sqrt@(square) * sqrt@(name_sum(y, y));
    int i;

    if (norms > 0.0@) {
        const REAL factor = weight / norms;
        const REAL turned = factor * name_sum(x, y) / square;

        for (i = 0; i < NAME_INPUTS; i++) {
            out[i] += factor * y[i] - turned * x[i];
        }
    }
"#;

const UNDO_LOGARITHM: &str = r#"    if (NAME_READ(name_floor[input]) > 0.0@) {
        return exp@(value * NAME_READ(name_deviation[input]) + NAME_READ(name_mean[input]));
    }
"#;

const SUSPECT: &str = r#"
/* An input, and the value at which SPE is lowest of those that were tried. */
typedef struct name_trial {
    int input;
    int found;
    REAL value;
    REAL spe;
    REAL fall;
    REAL distance;
} name_trial;

/* A scaled input in raw units. */
static REAL name_unscaled(int input, REAL value)
{
UNDO    return value * NAME_READ(name_deviation[input]) + NAME_READ(name_mean[input]);
}

/* Scores a reading with another value in the place of an input. */
static void name_try(REAL *reading, name_trial *trial, REAL value)
{
LOCALS    const REAL own = reading[trial->input];
    name_verdict verdict;
    int code;

    reading[trial->input] = VALUE;
    code = SCORE;
    reading[trial->input] = own;
    if (code == 0 && (!trial->found || verdict.spe < trial->spe)) {
        trial->value = value;
        trial->spe = verdict.spe;
        trial->found = 1;
    }
}

/* Tries two values of an input: how well does it explain an SPE? */
static name_trial name_candidate(const REAL *scaled, REAL *reading, int input, REAL spe)
{
    const REAL usual = NAME_READ(name_usual[input]), spread = NAME_READ(name_spread[input]);
    const REAL off = fabs@(scaled[input] - usual);
    name_trial trial = {0, 0, 0.0@, 0.0@, 0.0@, 0.0@};

    trial.input = input;
    trial.distance = off > 0.0@ ? off / spread : 0.0@;
    name_try(reading, &trial, usual - spread);
    name_try(reading, &trial, usual + spread);
    if (trial.found) {
        /* No more than rounding counts as nothing. */
        trial.fall = spe - trial.spe;
        trial.fall = fabs@(trial.fall) > ROUNDING * fabs@(spe) ? trial.fall : 0.0@;
    }
    return trial;
}

/* Far from all points nothing lowers SPE; then the distance tells. */
static int name_explains_more(const name_trial *trial, const name_trial *other)
{
    return trial->fall > other->fall || (trial->fall >= other->fall && trial->distance > other->distance);
}

/* Looks more closely for the lowest SPE: to 1/16 of a deviation. */
static void name_refine(const REAL *scaled, REAL *reading, name_trial *trial, REAL spe)
{
    REAL step = NAME_READ(name_spread[trial->input]);
    int i;

    if (!(fabs@(trial->fall) > 0.0@)) {
        trial->value = NAME_READ(name_usual[trial->input]);
        trial->spe = spe;
        return;
    }
    for (i = 0; i < 5; i++) {
        const REAL from = trial->value;

        name_try(reading, trial, from - step);
        name_try(reading, trial, from + step);
        step *= 0.5@;
    }
    if (!(trial->spe < spe)) {
        trial->value = scaled[trial->input];
        trial->spe = spe;
    }
}

int name_find_suspect(const REAL x[NAME_INPUTS], name_suspect *out)
{
    REAL scaled[NAME_INPUTS], projection[NAME_COMPONENTS];
ROOM    name_trial first, second;
    name_verdict verdict;
    int i, code;

    if (!x || !out) {
        return NAME_NULL;
    }
    code = JUDGE;
    if (code == 0) {
        code = PROJECT;
    }
    if (code != 0) {
        return code;
    }
FILL_ROOM    first = name_candidate(scaled, READING, 0, verdict.spe);
    second = first;
    for (i = 1; i < NAME_INPUTS; i++) {
        const name_trial trial = name_candidate(scaled, READING, i, verdict.spe);

        if (name_explains_more(&trial, &first)) {
            second = first;
            first = trial;
        } else if (i == 1 || name_explains_more(&trial, &second)) {
            second = trial;
        }
    }
    name_refine(scaled, READING, &first, verdict.spe);
    if (second.input != first.input) {
        name_refine(scaled, READING, &second, verdict.spe);
        first = second.spe < first.spe ? second : first;
    }
    out->input = first.input;
    out->read = x[first.input];
    out->expected = name_unscaled(first.input, first.value);
    out->fall = verdict.spe - first.spe;
    out->rest = first.spe;
    return 0;
}
"#;

const CONTRIBUTIONS: &str = r#"
/* Adds the gradient of the kernel by x, so many times. */
static void name_add_gradient(const REAL *x, const REAL *y, REAL weight, REAL *out)
{
GRADIENT}

/* Shares SPE out by the squares of a scaled reading: what slopes come to where they vanish. */
static void name_share(REAL spe, const REAL *scaled, REAL *out)
{
    REAL largest = 0.0@, norm = 0.0@;
    int i;

    for (i = 0; i < NAME_INPUTS; i++) {
        largest = fabs@(scaled[i]) > largest ? fabs@(scaled[i]) : largest;
    }
    for (i = 0; i < NAME_INPUTS && largest > 0.0@; i++) {
        norm += (scaled[i] / largest) * (scaled[i] / largest);
    }
    for (i = 0; i < NAME_INPUTS; i++) {
        out[i] = largest > 0.0@ ? spe * ((scaled[i] / largest) * (scaled[i] / largest)) / norm : 0.0@;
    }
}

int name_contributions(const REAL x[NAME_INPUTS], REAL out[NAME_INPUTS])
{
    REAL scaled[NAME_INPUTS], projection[NAME_COMPONENTS], gradient[NAME_INPUTS];
    REAL total = 0.0@;
    name_verdict verdict;
    int i, j, code;

    if (!x || !out) {
        return NAME_NULL;
    }
    code = JUDGE;
    if (code == 0) {
        code = PROJECT;
    }
    if (code != 0) {
        return code;
    }
    for (i = 0; i < NAME_INPUTS; i++) {
        gradient[i] = 0.0@;
    }
OF_ITSELF    for (i = 0; i < NAME_POINTS; i++) {
WEIGHT        name_add_gradient(scaled, POINT_I, -2.0@ * weight, gradient);
    }
    for (i = 0; i < NAME_INPUTS; i++) {
        gradient[i] *= scaled[i];
        total += fabs@(gradient[i]);
    }
    if (!isfinite(total)) {
        return NAME_UNUSABLE;
    }
    if (total <= EPSILON * verdict.spe) {
        name_share(verdict.spe, scaled, gradient);
    }
    for (i = 0; i < NAME_INPUTS; i++) {
        out[i] = gradient[i];
    }
    return 0;
}
"#;
