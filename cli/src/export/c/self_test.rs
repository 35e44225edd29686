//! A test of itself in C: readings, and what the library said of them.

use super::{fill, literal};
use crate::Number;
use crate::export::vectors::{ProjectedVector, Vector};
use crate::export::{Name, list};

/// What stands in the header.
pub(super) const DECLARATION: &str = r#"
/* Scores some readings whose scores and alarms are known, as at boot. Returns 0, or the number, from 1 on, of the first reading of which something else came. Where nobody calls it, linkers
 * that drop unused sections (-ffunction-sections -fdata-sections -Wl,--gc-sections) leave it out with its readings. */
int name_self_test(void);
"#;

/// The definition. `tolerance` is the share of the largest SPE that scores may be off: 0 where they
/// are the same in every bit.
pub(super) fn source<T: Number>(vectors: &[Vector<T>], tolerance: f64, name: &Name) -> String {
    let largest = vectors.iter().map(|vector| vector.spe.to_f64().abs()).fold(0.0, f64::max);
    let rows: String = vectors
        .iter()
        .map(|Vector { reading, spe, unusual, raised }| {
            let (reading, spe) = (list(reading, literal), literal(spe));
            format!(
                "    {{{{{reading}}}, {spe}, {}, {}}},\n",
                i32::from(*unusual),
                i32::from(*raised)
            )
        })
        .collect();
    let text = match vectors.len() {
        0 => NOTHING.into(),
        count => SELF_TEST
            .replace("ROWS", &rows)
            .replace("COUNT", &count.to_string())
            .replace("TOLERANCE", &literal(&T::from_f64(tolerance * largest))),
    };
    fill::<T>(&text, name)
}

/// What stands in the header of a projector.
pub(super) const PROJECTION_DECLARATION: &str = r#"
/* Projects some readings whose projections are known, as at boot. Returns 0, or the number, from 1 on, of the first reading of which something else came. Where nobody calls it, linkers
 * that drop unused sections (-ffunction-sections -fdata-sections -Wl,--gc-sections) leave it out with its readings. */
int name_self_test(void);
"#;

/// The definition for a projector. `tolerance` is the share of the largest projection that any may
/// be off.
pub(super) fn projections<T: Number>(
    vectors: &[ProjectedVector<T>],
    tolerance: f64,
    name: &Name,
) -> String {
    let all = vectors.iter().flat_map(|vector| &vector.projection);
    let largest = all.map(|f| f.to_f64().abs()).fold(0.0, f64::max);
    let row = |vector: &ProjectedVector<T>| {
        let (reading, projection) =
            (list(&vector.reading, literal), list(&vector.projection, literal));
        format!("    {{{{{reading}}}, {{{projection}}}}},\n")
    };
    let text = match vectors.len() {
        0 => NOTHING.into(),
        count => PROJECTION_TEST
            .replace("ROWS", &vectors.iter().map(row).collect::<String>())
            .replace("COUNT", &count.to_string())
            .replace("TOLERANCE", &literal(&T::from_f64(tolerance * largest))),
    };
    fill::<T>(&text, name)
}

/// A model that says nothing for sure has nothing to be tested by.
const NOTHING: &str = r#"
int name_self_test(void)
{
    return 0;
}
"#;

const SELF_TEST: &str = r#"
/* Readings, their SPE, whether that is unusual, and whether an alarm is up after them. */
typedef struct name_vector {
    REAL x[NAME_INPUTS];
    REAL spe;
    int unusual;
    int raised;
} name_vector;

static const name_vector name_vectors[COUNT] NAME_TABLE = {
ROWS};

int name_self_test(void)
{
    /* Alarms are known for the default rule only. */
    const int has_defaults = NAME_ALARM_SHIFT == 3 && NAME_ALARM_END == 80 && !NAME_ALARM_LATCH && NAME_ALARM_WARM_UP == 0;
    name_alarm alarm;
    int i;

    (void)name_alarm_reset(&alarm);
    for (i = 0; i < COUNT; i++) {
        name_verdict verdict;
        name_vector vector;

        NAME_LOAD(vector, name_vectors[i]);
        if (name_score(vector.x, &verdict) != 0
            || !(fabs@(verdict.spe - vector.spe) <= TOLERANCE)
            || verdict.unusual != vector.unusual) {
            return i + 1;
        }
        if ((name_alarm_update(&alarm, &verdict) == NAME_RAISED) != vector.raised && has_defaults) {
            return i + 1;
        }
    }
    return 0;
}
"#;

const PROJECTION_TEST: &str = r#"
/* Readings and their projections. */
typedef struct name_vector {
    REAL x[NAME_INPUTS];
    REAL projection[NAME_COMPONENTS];
} name_vector;

static const name_vector name_vectors[COUNT] NAME_TABLE = {
ROWS};

int name_self_test(void)
{
    int i, j;

    for (i = 0; i < COUNT; i++) {
        REAL projection[NAME_COMPONENTS];
        name_vector vector;

        NAME_LOAD(vector, name_vectors[i]);
        if (name_project(vector.x, projection) != 0) {
            return i + 1;
        }
        for (j = 0; j < NAME_COMPONENTS; j++) {
            if (!(fabs@(projection[j] - vector.projection[j]) <= TOLERANCE)) {
                return i + 1;
            }
        }
    }
    return 0;
}
"#;
