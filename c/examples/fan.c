/* Learns on the device what a fan feels like, watches it, and takes up what it has learned after a reset.
 *
 * The samples are those of a recording, in recording.h. Firmware has them from a converter, and does the same. */
#include "mercer.h"
#include "recording.h"
#include "support.h"

/* All of it is 0 at first, and takes no flash. */
static mercer_learner learner;
static mercer_detector detector;
static mercer_monitor monitor;
/* Firmware has these in flash. */
static uint8_t saved[MERCER_SAVED_BYTES];
static size_t saved_length;

/* Ends the program with the line of an error. */
static int failed(int32_t code)
{
    say("failed: ");
    say(mercer_error_text(code));
    say("\n");
    return 1;
}

/* An alarm that is up as soon as it is sure: 4 of the last 8 windows. */
static int32_t start_monitor(void)
{
    mercer_alarm alarm;

    (void)mercer_alarm_default(&alarm);
    alarm.rule = MERCER_COUNT;
    alarm.window = 8;
    alarm.raise = 4;
    alarm.clear = 1;
    return mercer_monitor_init(&monitor, sizeof monitor, MERCER_BUILD, &alarm);
}

/* What was learned, and what to know about it. */
static int32_t tell_report(void)
{
    mercer_report report;
    uint32_t bit;
    const int32_t code = mercer_learner_report(&learner, &report);

    if (code != MERCER_OK) {
        return code;
    }
    say("learned: points, components, threshold");
    say_number(report.points);
    say_number(report.components);
    say_bits(report.threshold);
    say("\n");
    for (bit = 0; mercer_warning_text(bit) != NULL; bit++) {
        if ((report.warnings >> bit & 1u) != 0) {
            say("warning: ");
            say(mercer_warning_text(bit));
            say("\n");
        }
    }
    return MERCER_OK;
}

static void tell_outcome(uint32_t sample, const mercer_outcome *outcome)
{
    say("sample");
    say_number(sample);
    say_bits(outcome->verdict.spe);
    say_number((uint32_t)outcome->verdict.unusual);
    say_number((uint32_t)outcome->alarm);
    say("\n");
}

/* Who is to blame, when the alarm is raised. */
static int32_t tell_suspect(void)
{
    float reading[MERCER_INPUTS];
    mercer_suspect suspect;
    int32_t code = mercer_monitor_reading(&monitor, reading, MERCER_INPUTS);

    if (code == MERCER_OK) {
        code = mercer_detector_suspect(&detector, reading, MERCER_INPUTS, &suspect);
    }
    if (code == MERCER_OK) {
        say("suspect");
        say_number((uint32_t)suspect.input);
        say_bits(suspect.expected);
        say("\n");
    }
    return code;
}

/* A step of learning; the last one hands the detector over and saves it. Returns MERCER_OK then. */
static int32_t learn(void)
{
    int32_t code = mercer_learner_step(&learner);

    if (code != MERCER_OK) {
        return code;
    }
    code = tell_report();
    if (code == MERCER_OK) {
        code = mercer_learner_swap(&learner, &detector);
    }
    if (code == MERCER_OK) {
        code = mercer_detector_save(&detector, saved, sizeof saved, &saved_length);
    }
    if (code == MERCER_OK) {
        say("saved");
        say_bytes(saved, saved_length);
        say("\n");
    }
    return code;
}

/* From the first sample on: learns, then watches. */
static int32_t first_life(void)
{
    enum { COLLECTING, LEARNING, WATCHING } stage = COLLECTING;
    int32_t state = MERCER_NORMAL;
    uint32_t t;

    for (t = 0; t < RECORDED; t++) {
        mercer_outcome outcome;
        const mercer_detector *model = stage == WATCHING ? &detector : NULL;
        int32_t code = mercer_monitor_push(&monitor, model, recording[t], MERCER_CHANNELS, &outcome);

        if (code == MERCER_READING && stage == COLLECTING) {
            float reading[MERCER_INPUTS];

            code = mercer_monitor_reading(&monitor, reading, MERCER_INPUTS);
            if (code == MERCER_OK) {
                code = mercer_learner_push(&learner, reading, MERCER_INPUTS);
            }
            if (code == MERCER_OK && mercer_learner_count(&learner) == MERCER_READINGS) {
                code = mercer_learner_begin(&learner, NULL);
                stage = LEARNING;
            }
        } else if (code == MERCER_READING && stage == WATCHING) {
            tell_outcome(t, &outcome);
            if (outcome.alarm == MERCER_RAISED && state != MERCER_RAISED) {
                code = tell_suspect();
            }
            state = outcome.alarm;
        } else if (code >= 0 && stage == LEARNING) {
            code = learn();
            if (code == MERCER_OK) {
                stage = WATCHING;
            }
        }
        if (code < 0) {
            return code;
        }
    }
    return stage == WATCHING ? MERCER_OK : MERCER_NOT_FITTED;
}

/* After a reset: the model from flash, and in the midst of the alarm another reset. */
static int32_t second_life(void)
{
    uint8_t alarm[MERCER_ALARM_BYTES];
    uint32_t t;
    int resets = 0;
    int32_t code = mercer_detector_init(&detector, sizeof detector, MERCER_BUILD);

    if (code == MERCER_OK) {
        code = mercer_detector_load(&detector, saved, saved_length);
    }
    if (code == MERCER_OK) {
        code = start_monitor();
    }
    for (t = AFTER_RESET; t < RECORDED && code >= 0; t++) {
        mercer_outcome outcome;

        code = mercer_monitor_push(&monitor, &detector, recording[t], MERCER_CHANNELS, &outcome);
        if (code != MERCER_READING) {
            continue;
        }
        tell_outcome(t, &outcome);
        if (outcome.alarm == MERCER_RAISED && resets == 0) {
            resets++;
            code = mercer_monitor_save_alarm(&monitor, alarm, sizeof alarm);
            say("alarm");
            say_bytes(alarm, sizeof alarm);
            say("\n");
            if (code == MERCER_OK) {
                code = start_monitor();
            }
            if (code == MERCER_OK) {
                code = mercer_monitor_load_alarm(&monitor, alarm, sizeof alarm);
            }
            if (code == MERCER_OK) {
                (void)mercer_monitor_acknowledge(&monitor);
            }
        }
    }
    return code;
}

int main(void)
{
    int32_t code = mercer_learner_init(&learner, sizeof learner, MERCER_BUILD);

    if (code == MERCER_OK) {
        code = mercer_detector_init(&detector, sizeof detector, MERCER_BUILD);
    }
    if (code == MERCER_OK) {
        code = start_monitor();
    }
    if (code == MERCER_OK) {
        code = first_life();
    }
    if (code == MERCER_OK) {
        say("reset\n");
        code = second_life();
    }
    return code < 0 ? failed(code) : 0;
}
