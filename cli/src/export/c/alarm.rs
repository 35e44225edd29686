//! From verdicts to an alarm in C: the library's state machine with the rule that smooths scores.

use mercer::detect::{AlarmRule, Threshold};

use super::literal;
use crate::Number;

/// What stands in the header.
pub(super) fn declarations() -> String {
    let AlarmRule::Smoothed { shift, end } = AlarmRule::SMOOTHED else {
        unreachable!("it is called so");
    };
    DECLARATIONS
        .replace("SHIFT_DEFAULT", &shift.to_string())
        .replace("END_DEFAULT", &end.to_string())
}

/// The definitions, for scores of floating point.
pub(super) fn source<T: Number>(threshold: &Threshold<T>) -> String {
    // What is usual, but not above the threshold, or an alarm could come out of nothing.
    let start = if threshold.usual > threshold.spe { threshold.spe } else { threshold.usual };
    let start = if start.is_finite() { start } else { T::ZERO };
    let rule = match threshold.spe < T::ZERO {
        true => FLOATING.replace("PERCENT", "(200 - NAME_ALARM_END)"),
        false => FLOATING.replace("PERCENT", "NAME_ALARM_END"),
    };
    rule.replace("START", &literal(&start)).replace("THRESHOLD", &literal(&threshold.spe))
        + &states(" && isfinite(alarm->smoothed)")
}

const DECLARATIONS: &str = r#"
/* One unusual reading is not yet an alarm. This one is raised when a smoothed SPE, which each reading moves by 1/2^SHIFT of the way, is above the threshold, and over
 * when it is below END percent of that. With LATCH it stays until it is acknowledged. The first WARM_UP readings are not judged. Define others before this
 * file is compiled, for all files that include it. */
#ifndef NAME_ALARM_SHIFT
#define NAME_ALARM_SHIFT SHIFT_DEFAULT
#endif
#ifndef NAME_ALARM_END
#define NAME_ALARM_END END_DEFAULT
#endif
#ifndef NAME_ALARM_LATCH
#define NAME_ALARM_LATCH 0
#endif
#ifndef NAME_ALARM_WARM_UP
#define NAME_ALARM_WARM_UP 0
#endif

/* What an alarm says. */
enum {
    /* Nothing to report. */
    NAME_NORMAL = 0,
    /* The readings are not as usual, and nobody has acknowledged it. */
    NAME_RAISED = 1,
    /* The readings are not as usual, and somebody knows. */
    NAME_ACKNOWLEDGED = 2,
    /* It is over, but nobody has acknowledged that it was there. */
    NAME_LATCHED = 3,
    /* Too early to judge. */
    NAME_WARMING = 4
};

/* An alarm, in memory of the caller's. One that is all zeros, as a static one is, has seen nothing and is ready; one on the stack is to be reset first. */
typedef struct name_alarm {
    /* The smoothed SPE, once there was a reading. */
    SMOOTHED smoothed;
    int is_smoothed;
    int state;
    /* Readings of the warm-up that were seen. */
    int warmed;
    /* Missing readings since the last one that was not: how many mean a fault is for the caller to say. */
    int absent;
} name_alarm;

/* Each returns what the alarm says afterwards, or NAME_NULL, or, but for reset, NAME_NOT_READY; nothing is changed then.
 *
 * update: takes a reading that was judged. missing: takes note of one that could not be; nothing else changes. gap: the readings to come do not go on where the last one was,
 * so what is up is over. acknowledge: somebody has seen it. reset: forgets everything, with a new warm-up. */
int name_alarm_update(name_alarm *alarm, const name_verdict *verdict);
int name_alarm_missing(name_alarm *alarm);
int name_alarm_gap(name_alarm *alarm);
int name_alarm_acknowledge(name_alarm *alarm);
int name_alarm_reset(name_alarm *alarm);
int name_alarm_state(const name_alarm *alarm);
"#;

const FLOATING: &str = r#"
/* Lets the smoothed score follow a reading: is it up (1), is it over (-1)? None if that cannot be told. */
static int name_alarm_follow(name_alarm *alarm, const name_verdict *verdict)
{
    const REAL share = 1.0@ / (REAL)(1 << NAME_ALARM_SHIFT);
    const REAL before = alarm->is_smoothed ? alarm->smoothed : START;

    alarm->smoothed = before * (1.0@ - share) + verdict->spe * share;
    alarm->is_smoothed = 1;
    if (alarm->smoothed > THRESHOLD) {
        return 1;
    }
    return alarm->smoothed < THRESHOLD * ((REAL)PERCENT / 100.0@) ? -1 : 0;
}

static int name_alarm_is_missing(const name_verdict *verdict)
{
    return !isfinite(verdict->spe);
}
"#;

/// What does not depend on the numbers, but for what must hold for the smoothed score.
pub(super) fn states(smoothed: &str) -> String {
    STATES.replace("SMOOTHED", smoothed)
}

const STATES: &str = r#"
/* 0, or why this is no alarm. In memory that nobody prepared there can be anything. */
static int name_alarm_check(const name_alarm *alarm)
{
    int is_ready;

    if (!alarm) {
        return NAME_NULL;
    }
    is_ready = alarm->state >= NAME_NORMAL && alarm->state <= NAME_LATCHED && alarm->absent >= 0 && alarm->warmed >= 0
        && alarm->warmed <= NAME_ALARM_WARM_UP && (alarm->is_smoothed == 0 || alarm->is_smoothed == 1)SMOOTHED;
    return is_ready ? 0 : NAME_NOT_READY;
}

/* What is up is over. */
static void name_alarm_end(name_alarm *alarm)
{
    if (alarm->state == NAME_RAISED) {
        alarm->state = NAME_ALARM_LATCH ? NAME_LATCHED : NAME_NORMAL;
    } else if (alarm->state == NAME_ACKNOWLEDGED) {
        alarm->state = NAME_NORMAL;
    }
}

int name_alarm_update(name_alarm *alarm, const name_verdict *verdict)
{
    const int code = name_alarm_check(alarm);
    int follows;

    if (code != 0) {
        return code;
    }
    if (!verdict) {
        return NAME_NULL;
    }
    if (name_alarm_is_missing(verdict)) {
        return name_alarm_missing(alarm);
    }
    alarm->absent = 0;
    if (alarm->warmed < NAME_ALARM_WARM_UP) {
        alarm->warmed++;
        return name_alarm_state(alarm);
    }
    follows = name_alarm_follow(alarm, verdict);
    if (follows > 0 && (alarm->state == NAME_NORMAL || alarm->state == NAME_LATCHED)) {
        alarm->state = NAME_RAISED;
    } else if (follows < 0) {
        name_alarm_end(alarm);
    }
    return alarm->state;
}

int name_alarm_missing(name_alarm *alarm)
{
    const int code = name_alarm_check(alarm);

    if (code != 0) {
        return code;
    }
    alarm->absent += alarm->absent < 32767 ? 1 : 0;
    return name_alarm_state(alarm);
}

int name_alarm_gap(name_alarm *alarm)
{
    const int code = name_alarm_check(alarm);

    if (code != 0) {
        return code;
    }
    alarm->absent = 0;
    alarm->is_smoothed = 0;
    name_alarm_end(alarm);
    return name_alarm_state(alarm);
}

int name_alarm_acknowledge(name_alarm *alarm)
{
    const int code = name_alarm_check(alarm);

    if (code != 0) {
        return code;
    }
    if (alarm->state == NAME_RAISED) {
        alarm->state = NAME_ACKNOWLEDGED;
    } else if (alarm->state == NAME_LATCHED) {
        alarm->state = NAME_NORMAL;
    }
    return name_alarm_state(alarm);
}

int name_alarm_reset(name_alarm *alarm)
{
    if (!alarm) {
        return NAME_NULL;
    }
    alarm->smoothed = 0;
    alarm->is_smoothed = 0;
    alarm->state = NAME_NORMAL;
    alarm->warmed = 0;
    alarm->absent = 0;
    return name_alarm_state(alarm);
}

int name_alarm_state(const name_alarm *alarm)
{
    const int code = name_alarm_check(alarm);

    if (code != 0) {
        return code;
    }
    return alarm->warmed < NAME_ALARM_WARM_UP ? NAME_WARMING : alarm->state;
}
"#;
