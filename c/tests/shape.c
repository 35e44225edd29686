/* Learns, saves and scores with whatever sizes the library was built with: readings alone, or raw samples too. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "mercer.h"

#define REQUIRE(condition)                                         \
    do {                                                           \
        if (!(condition)) {                                        \
            printf("line %d: not %s\n", __LINE__, #condition);     \
            return 1;                                              \
        }                                                          \
    } while (0)

static mercer_learner learner;
static mercer_detector detector, restored;
static mercer_monitor monitor;
static uint8_t saved[MERCER_SAVED_BYTES];

/* From -1 to 1. */
static float noise(void)
{
    static uint32_t state = 1;

    state = state * 1664525u + 1013904223u;
    return (float)(state >> 8) / 8388608.0f - 1.0f;
}

#ifdef MERCER_RAW
/* A reading of a window of noise. */
static int make_reading(float *reading)
{
    mercer_sample sample[MERCER_CHANNELS];
    const float load = 400.0f + 100.0f * noise();
    int32_t code = MERCER_OK;
    size_t i;

    while (code == MERCER_OK) {
        for (i = 0; i < MERCER_CHANNELS; i++) {
            sample[i] = (mercer_sample)(1000.0f + load * noise());
        }
        code = mercer_monitor_push(&monitor, NULL, sample, MERCER_CHANNELS, NULL);
    }
    REQUIRE(code == MERCER_READING);
    return mercer_monitor_reading(&monitor, reading, MERCER_INPUTS) != MERCER_OK;
}
#else
/* Inputs that go together. */
static int make_reading(float *reading)
{
    const float load = noise();
    size_t i;

    for (i = 0; i < MERCER_INPUTS; i++) {
        reading[i] = 20.0f + 3.0f * load + 0.5f * noise();
    }
    return 0;
}
#endif

int main(void)
{
    float reading[MERCER_INPUTS];
    mercer_verdict here, there;
    mercer_outcome outcome;
    size_t length, i;
    int32_t code;

    REQUIRE(mercer_learner_init(&learner, sizeof learner, MERCER_BUILD) == MERCER_OK);
    REQUIRE(mercer_detector_init(&detector, sizeof detector, MERCER_BUILD) == MERCER_OK);
    REQUIRE(mercer_detector_init(&restored, sizeof restored, MERCER_BUILD) == MERCER_OK);
    REQUIRE(mercer_monitor_init(&monitor, sizeof monitor, MERCER_BUILD, NULL) == MERCER_OK);
    for (i = 0; i < MERCER_READINGS; i++) {
        REQUIRE(make_reading(reading) == 0);
        REQUIRE(mercer_learner_push(&learner, reading, MERCER_INPUTS) == MERCER_OK);
    }
    REQUIRE(mercer_learner_begin(&learner, NULL) == MERCER_OK);
    do {
        code = mercer_learner_step(&learner);
    } while (code == MERCER_WORKING);
    REQUIRE(code == MERCER_OK);
    REQUIRE(mercer_learner_swap(&learner, &detector) == MERCER_OK);
    REQUIRE(mercer_detector_save(&detector, saved, sizeof saved, &length) == MERCER_OK);
    REQUIRE(mercer_detector_load(&restored, saved, length) == MERCER_OK);
    REQUIRE(make_reading(reading) == 0);
    REQUIRE(mercer_detector_score(&detector, reading, MERCER_INPUTS, &here) == MERCER_OK);
    REQUIRE(mercer_detector_score(&restored, reading, MERCER_INPUTS, &there) == MERCER_OK);
    REQUIRE(memcmp(&here, &there, sizeof here) == 0);
    /* Far from all that is usual: the alarm is raised, and the input named. */
    reading[MERCER_INPUTS - 1] += 1e3f;
    for (i = 0; i < 40; i++) {
        REQUIRE(mercer_monitor_judge(&monitor, &detector, reading, MERCER_INPUTS, &outcome) == MERCER_READING);
    }
    REQUIRE(outcome.verdict.unusual == 1 && outcome.alarm == MERCER_RAISED);
    {
        mercer_suspect suspect;

        REQUIRE(mercer_detector_suspect(&detector, reading, MERCER_INPUTS, &suspect) == MERCER_OK);
        REQUIRE(suspect.input == MERCER_INPUTS - 1 && suspect.read == reading[MERCER_INPUTS - 1]);
    }
    printf("%d inputs: learned, saved, loaded, raised\n", MERCER_INPUTS);
    return 0;
}
