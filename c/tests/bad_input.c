/* Everything that C can get wrong: codes, and nothing lost. Built with sanitizers by `cargo xtask c-library`. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "mercer.h"
#include "recording.h"

static int failures;

static void expect(int line, const char *what, int32_t found, int32_t expected)
{
    if (found != expected) {
        failures++;
        printf("line %d: %s is %d (%s) instead of %d\n", line, what, (int)found, mercer_error_text(found), (int)expected);
    }
}
#define EXPECT(call, code) expect(__LINE__, #call, (call), (code))

static mercer_learner learner;
static mercer_detector detector, other;
static mercer_monitor monitor;
static uint8_t saved[MERCER_SAVED_BYTES + 8];
static size_t saved_length;

static const float wrong[MERCER_INPUTS] = {2048.0f, 1.0f, NAN, 1.0f};

/* Copies of all objects, to see that nothing was lost. */
static struct { mercer_learner learner; mercer_detector detector, other; } before;

static void remember(void)
{
    before.learner = learner;
    before.detector = detector;
    before.other = other;
}

/* The culprit of the last error is all that may have changed of a learner; it has no say in what it learns. */
static void expect_same(int line)
{
    expect(line, "detector", memcmp(&before.detector, &detector, sizeof detector), 0);
    expect(line, "other", memcmp(&before.other, &other, sizeof other), 0);
    expect(line, "count", mercer_learner_count(&learner), mercer_learner_count(&before.learner));
}
#define EXPECT_SAME() expect_same(__LINE__)

static void reading_of(uint32_t window, float *reading)
{
    uint32_t t;

    (void)mercer_monitor_gap(&monitor);
    for (t = 0; t < MERCER_WINDOW; t++) {
        const int32_t code = mercer_monitor_push(&monitor, NULL, recording[window * MERCER_WINDOW + t], MERCER_CHANNELS, NULL);

        EXPECT(code, t + 1 == MERCER_WINDOW ? MERCER_READING : MERCER_OK);
    }
    EXPECT(mercer_monitor_reading(&monitor, reading, MERCER_INPUTS), MERCER_OK);
}

/* Before anything was initialised: all zeros, as a static is, and something else. */
static void test_not_initialised(void)
{
    float reading[MERCER_INPUTS] = {0};
    mercer_verdict verdict;
    mercer_outcome outcome;
    mercer_suspect suspect;
    mercer_report report;
    uint32_t fingerprint;
    int round;

    for (round = 0; round < 2; round++) {
        EXPECT(mercer_learner_push(&learner, reading, MERCER_INPUTS), MERCER_NOT_INITIALISED);
        EXPECT(mercer_learner_refresh(&learner, reading, MERCER_INPUTS, &verdict), MERCER_NOT_INITIALISED);
        EXPECT(mercer_learner_begin(&learner, NULL), MERCER_NOT_INITIALISED);
        EXPECT(mercer_learner_step(&learner), MERCER_NOT_INITIALISED);
        EXPECT(mercer_learner_give_up(&learner), MERCER_NOT_INITIALISED);
        EXPECT(mercer_learner_forget(&learner), MERCER_NOT_INITIALISED);
        EXPECT(mercer_learner_gap(&learner), MERCER_NOT_INITIALISED);
        EXPECT(mercer_learner_count(&learner), MERCER_NOT_INITIALISED);
        EXPECT(mercer_learner_report(&learner, &report), MERCER_NOT_INITIALISED);
        EXPECT(mercer_learner_culprit(&learner), -1);
        EXPECT(mercer_learner_swap(&learner, &detector), MERCER_NOT_INITIALISED);
        EXPECT(mercer_learner_copy_to(&learner, &detector), MERCER_NOT_INITIALISED);
        EXPECT(mercer_learner_restore(&learner, saved, sizeof saved), MERCER_NOT_INITIALISED);
        EXPECT(mercer_detector_score(&detector, reading, MERCER_INPUTS, &verdict), MERCER_NOT_INITIALISED);
        EXPECT(mercer_detector_suspect(&detector, reading, MERCER_INPUTS, &suspect), MERCER_NOT_INITIALISED);
        EXPECT(mercer_detector_copy(&detector, &other), MERCER_NOT_INITIALISED);
        EXPECT(mercer_detector_save(&detector, saved, sizeof saved, &saved_length), MERCER_NOT_INITIALISED);
        EXPECT(mercer_detector_load(&detector, saved, sizeof saved), MERCER_NOT_INITIALISED);
        EXPECT(mercer_detector_fingerprint(&detector, saved, sizeof saved, &fingerprint), MERCER_NOT_INITIALISED);
        EXPECT(mercer_monitor_push(&monitor, NULL, recording[0], MERCER_CHANNELS, &outcome), MERCER_NOT_INITIALISED);
        EXPECT(mercer_monitor_take(&monitor, NULL, recording[0], MERCER_CHANNELS), MERCER_NOT_INITIALISED);
        EXPECT(mercer_monitor_step(&monitor, NULL, &outcome), MERCER_NOT_INITIALISED);
        EXPECT(mercer_monitor_reading(&monitor, reading, MERCER_INPUTS), MERCER_NOT_INITIALISED);
        EXPECT(mercer_monitor_judge(&monitor, &detector, reading, MERCER_INPUTS, &outcome), MERCER_NOT_INITIALISED);
        EXPECT(mercer_monitor_gap(&monitor), MERCER_NOT_INITIALISED);
        EXPECT(mercer_monitor_alarm(&monitor), MERCER_NOT_INITIALISED);
        EXPECT(mercer_monitor_absent(&monitor), MERCER_NOT_INITIALISED);
        EXPECT(mercer_monitor_acknowledge(&monitor), MERCER_NOT_INITIALISED);
        EXPECT(mercer_monitor_culprit(&monitor), -1);
        EXPECT(mercer_monitor_save_alarm(&monitor, saved, sizeof saved), MERCER_NOT_INITIALISED);
        EXPECT(mercer_monitor_load_alarm(&monitor, saved, sizeof saved), MERCER_NOT_INITIALISED);
        memset(&learner, 0xa5, sizeof learner);
        memset(&detector, 0xa5, sizeof detector);
        memset(&monitor, 0xa5, sizeof monitor);
    }
}

static void test_init(void)
{
    mercer_alarm alarm;

    EXPECT(mercer_learner_init(NULL, sizeof learner, MERCER_BUILD), MERCER_NULL);
    EXPECT(mercer_detector_init(NULL, sizeof detector, MERCER_BUILD), MERCER_NULL);
    EXPECT(mercer_monitor_init(NULL, sizeof monitor, MERCER_BUILD, NULL), MERCER_NULL);
    EXPECT(mercer_learner_init(&learner, sizeof learner - 64, MERCER_BUILD), MERCER_TOO_SMALL);
    EXPECT(mercer_detector_init(&detector, 0, MERCER_BUILD), MERCER_TOO_SMALL);
    EXPECT(mercer_monitor_init(&monitor, 8, MERCER_BUILD, NULL), MERCER_TOO_SMALL);
    EXPECT(mercer_learner_init(&learner, sizeof learner, MERCER_BUILD + 1), MERCER_OTHER_BUILD);
    EXPECT(mercer_detector_init(&detector, sizeof detector, 0), MERCER_OTHER_BUILD);
    EXPECT(mercer_monitor_init(&monitor, sizeof monitor, ~MERCER_BUILD, NULL), MERCER_OTHER_BUILD);
    EXPECT(mercer_alarm_default(NULL), MERCER_NULL);
    EXPECT(mercer_alarm_default(&alarm), MERCER_OK);
    alarm.rule = 2;
    EXPECT(mercer_monitor_init(&monitor, sizeof monitor, MERCER_BUILD, &alarm), MERCER_PARAMETER);
    alarm.rule = MERCER_SMOOTHED;
    alarm.end = 0;
    EXPECT(mercer_monitor_init(&monitor, sizeof monitor, MERCER_BUILD, &alarm), MERCER_PARAMETER);
    alarm.rule = MERCER_COUNT;
    alarm.clear = alarm.raise;
    EXPECT(mercer_monitor_init(&monitor, sizeof monitor, MERCER_BUILD, &alarm), MERCER_PARAMETER);
    alarm.clear = 1;
    alarm.latch = 2;
    EXPECT(mercer_monitor_init(&monitor, sizeof monitor, MERCER_BUILD, &alarm), MERCER_PARAMETER);
    /* None of them has made an object of it. */
    EXPECT(mercer_monitor_alarm(&monitor), MERCER_NOT_INITIALISED);
    EXPECT(mercer_learner_count(&learner), MERCER_NOT_INITIALISED);
    alarm.latch = 1;
    EXPECT(mercer_monitor_init(&monitor, sizeof monitor, MERCER_BUILD, &alarm), MERCER_OK);
    EXPECT(mercer_learner_init(&learner, sizeof learner, MERCER_BUILD), MERCER_OK);
    EXPECT(mercer_detector_init(&detector, sizeof detector, MERCER_BUILD), MERCER_OK);
    EXPECT(mercer_detector_init(&other, sizeof other, MERCER_BUILD), MERCER_OK);
    EXPECT((int32_t)mercer_build(), (int32_t)MERCER_BUILD);
}

/* One for another, which have other tags. */
static void test_mixed_up(void)
{
    float reading[MERCER_INPUTS] = {0};
    mercer_detector copy = detector;

    EXPECT(mercer_learner_push((mercer_learner *)(void *)&detector, reading, MERCER_INPUTS), MERCER_NOT_INITIALISED);
    EXPECT(mercer_monitor_alarm((const mercer_monitor *)(const void *)&learner), MERCER_NOT_INITIALISED);
    EXPECT(memcmp(&copy, &detector, sizeof copy), 0);
}

static void test_misaligned(void)
{
    static uint64_t room[MERCER_LEARNER_WORDS + 1];
    /* By way of an integer: the compiler then assumes nothing about the address. */
    const uintptr_t odd = (uintptr_t)room + 4;
    float numbers[MERCER_INPUTS + 1] = {0};
    int16_t samples[MERCER_CHANNELS + 1] = {0};

    EXPECT(mercer_learner_init((mercer_learner *)odd, sizeof learner, MERCER_BUILD), MERCER_MISALIGNED);
    EXPECT(mercer_detector_init((mercer_detector *)(odd + 1), sizeof detector, MERCER_BUILD), MERCER_MISALIGNED);
    EXPECT(mercer_monitor_init((mercer_monitor *)odd, sizeof monitor, MERCER_BUILD, NULL), MERCER_MISALIGNED);
    EXPECT(mercer_learner_step((mercer_learner *)odd), MERCER_MISALIGNED);
    EXPECT(mercer_monitor_alarm((const mercer_monitor *)odd), MERCER_MISALIGNED);
    EXPECT(mercer_learner_push(&learner, (const float *)((uintptr_t)numbers + 2), MERCER_INPUTS), MERCER_MISALIGNED);
    EXPECT(mercer_monitor_push(&monitor, NULL, (const int16_t *)((uintptr_t)samples + 1), MERCER_CHANNELS, NULL), MERCER_MISALIGNED);
    EXPECT(mercer_recipe_default((mercer_recipe *)((uintptr_t)numbers + 1)), MERCER_MISALIGNED);
    EXPECT(mercer_learner_count(&learner), 0);
}

/* Calls that come too early. */
static void test_out_of_order(void)
{
    float reading[MERCER_INPUTS] = {1.0f, 2.0f, 3.0f, 4.0f};
    mercer_verdict verdict;
    mercer_outcome outcome;
    mercer_suspect suspect;
    mercer_report report;

    EXPECT(mercer_monitor_reading(&monitor, reading, MERCER_INPUTS), MERCER_NO_READING);
    EXPECT(mercer_monitor_step(&monitor, NULL, &outcome), MERCER_OK);
    EXPECT(mercer_detector_score(&detector, reading, MERCER_INPUTS, &verdict), MERCER_NOT_FITTED);
    EXPECT(mercer_detector_suspect(&detector, reading, MERCER_INPUTS, &suspect), MERCER_NOT_FITTED);
    EXPECT(mercer_detector_save(&detector, saved, sizeof saved, &saved_length), MERCER_NOT_FITTED);
    EXPECT(saved[0], 0);
    EXPECT(mercer_detector_copy(&other, &detector), MERCER_NOT_FITTED);
    EXPECT(mercer_learner_swap(&learner, &detector), MERCER_NOT_FITTED);
    EXPECT(mercer_learner_copy_to(&learner, &detector), MERCER_NOT_FITTED);
    EXPECT(mercer_learner_report(&learner, &report), MERCER_NOT_FITTED);
    EXPECT(mercer_learner_refresh(&learner, reading, MERCER_INPUTS, &verdict), MERCER_NOT_FITTED);
    EXPECT(mercer_learner_begin(&learner, NULL), MERCER_TOO_FEW);
    EXPECT(mercer_learner_step(&learner), MERCER_OK);
    EXPECT(mercer_monitor_judge(&monitor, &detector, reading, MERCER_INPUTS, &outcome), MERCER_NOT_FITTED);
    EXPECT(mercer_monitor_judge(&monitor, NULL, reading, MERCER_INPUTS, &outcome), MERCER_NULL);
    EXPECT(mercer_monitor_absent(&monitor), 1);
}

static void test_readings(void)
{
    float reading[MERCER_INPUTS] = {0};
    mercer_recipe recipe;
    int32_t code;
    uint32_t window;

    EXPECT(mercer_learner_push(&learner, NULL, MERCER_INPUTS), MERCER_NULL);
    EXPECT(mercer_learner_push(&learner, reading, MERCER_INPUTS - 1), MERCER_LENGTH);
    EXPECT(mercer_learner_push(&learner, reading, MERCER_INPUTS + 1), MERCER_LENGTH);
    EXPECT(mercer_learner_push(&learner, wrong, MERCER_INPUTS), MERCER_NOT_FINITE);
    EXPECT(mercer_learner_culprit(&learner), 2);
    EXPECT(mercer_learner_count(&learner), 0);
    /* Nothing that differs. */
    for (window = 0; window < 16; window++) {
        EXPECT(mercer_learner_push(&learner, reading, MERCER_INPUTS), MERCER_OK);
    }
    EXPECT(mercer_learner_culprit(&learner), -1);
    code = mercer_learner_begin(&learner, NULL);
    while (code == MERCER_OK || code == MERCER_WORKING) {
        code = mercer_learner_step(&learner);
        if (code == MERCER_OK) {
            break;
        }
    }
    EXPECT(code, MERCER_NO_VARIANCE);
    EXPECT(mercer_learner_count(&learner), 16);
    EXPECT(mercer_learner_forget(&learner), MERCER_OK);
    for (window = 0; window < MERCER_READINGS; window++) {
        reading_of(window, reading);
        EXPECT(mercer_learner_push(&learner, reading, MERCER_INPUTS), MERCER_OK);
    }
    EXPECT(mercer_learner_push(&learner, reading, MERCER_INPUTS), MERCER_FULL);
    EXPECT(mercer_learner_count(&learner), MERCER_READINGS);
    EXPECT(mercer_recipe_default(&recipe), MERCER_OK);
    recipe.gamma = -1.0f;
    EXPECT(mercer_learner_begin(&learner, &recipe), MERCER_PARAMETER);
    (void)mercer_recipe_default(&recipe);
    recipe.false_alarms = NAN;
    EXPECT(mercer_learner_begin(&learner, &recipe), MERCER_PARAMETER);
    (void)mercer_recipe_default(&recipe);
    recipe.trim = 0.75f;
    EXPECT(mercer_learner_begin(&learner, &recipe), MERCER_PARAMETER);
    (void)mercer_recipe_default(&recipe);
    recipe.gamma = 1e6f;
    code = mercer_learner_begin(&learner, &recipe);
    while (code == MERCER_OK || code == MERCER_WORKING) {
        code = mercer_learner_step(&learner);
        if (code == MERCER_OK) {
            break;
        }
    }
    EXPECT(code, MERCER_KERNEL_TOO_NARROW);
    EXPECT(mercer_learner_count(&learner), MERCER_READINGS);
}

static void test_while_learning(void)
{
    float reading[MERCER_INPUTS];
    int32_t code;
    uint32_t steps = 0;

    reading_of(0, reading);
    EXPECT(mercer_learner_begin(&learner, NULL), MERCER_OK);
    EXPECT(mercer_learner_step(&learner), MERCER_WORKING);
    EXPECT(mercer_learner_begin(&learner, NULL), MERCER_LEARNING);
    EXPECT(mercer_learner_push(&learner, reading, MERCER_INPUTS), MERCER_LEARNING);
    EXPECT(mercer_learner_swap(&learner, &detector), MERCER_LEARNING);
    EXPECT(mercer_learner_restore(&learner, saved, sizeof saved), MERCER_NOT_SAVED);
    EXPECT(mercer_learner_give_up(&learner), MERCER_OK);
    EXPECT(mercer_learner_begin(&learner, NULL), MERCER_OK);
    do {
        code = mercer_learner_step(&learner);
        steps++;
    } while (code == MERCER_WORKING);
    EXPECT(code, MERCER_OK);
    EXPECT(steps > 100, 1);
}

static void test_hand_over(void)
{
    float reading[MERCER_INPUTS];
    mercer_verdict first, second;
    mercer_report report;

    EXPECT(mercer_learner_copy_to(&learner, NULL), MERCER_NULL);
    EXPECT(mercer_learner_swap(NULL, &detector), MERCER_NULL);
    EXPECT(mercer_learner_swap(NULL, NULL), MERCER_NULL);
    EXPECT(mercer_learner_swap(&learner, (mercer_detector *)(void *)&learner), MERCER_OVERLAP);
    EXPECT(mercer_learner_swap(&learner, (mercer_detector *)(void *)&learner.words[8]), MERCER_OVERLAP);
    EXPECT(mercer_detector_copy(&detector, &detector), MERCER_OVERLAP);
    EXPECT(mercer_learner_report(&learner, &report), MERCER_OK);
    EXPECT(mercer_learner_report(&learner, NULL), MERCER_OK);
    EXPECT(mercer_learner_copy_to(&learner, &other), MERCER_OK);
    EXPECT(mercer_learner_swap(&learner, &detector), MERCER_OK);
    reading_of(3, reading);
    EXPECT(mercer_detector_score(&detector, reading, MERCER_INPUTS, &first), MERCER_OK);
    EXPECT(mercer_detector_score(&other, reading, MERCER_INPUTS, &second), MERCER_OK);
    EXPECT(first.spe == second.spe && first.threshold == report.threshold, 1);
    EXPECT(mercer_detector_score(&detector, reading, MERCER_INPUTS, NULL), MERCER_OK);
    EXPECT(mercer_detector_score(&detector, wrong, MERCER_INPUTS, &second), MERCER_NOT_FINITE);
    EXPECT(mercer_detector_score(&detector, NULL, MERCER_INPUTS, &second), MERCER_NULL);
    EXPECT(mercer_detector_score(&detector, reading, 3, &second), MERCER_LENGTH);
    EXPECT(mercer_detector_suspect(&detector, wrong, MERCER_INPUTS, NULL), MERCER_NOT_FINITE);
    /* What failed wrote nothing. */
    EXPECT(first.spe == second.spe, 1);
}

static void test_bytes(void)
{
    uint8_t bytes[MERCER_SAVED_BYTES], small[16];
    uint32_t fingerprint = 0, last;
    size_t length = 0, i;

    EXPECT(mercer_detector_save(&detector, NULL, sizeof saved, &saved_length), MERCER_NULL);
    EXPECT(mercer_detector_save(&detector, small, sizeof small, &length), MERCER_NO_ROOM);
    EXPECT(mercer_detector_save(&detector, small, 0, &length), MERCER_NO_ROOM);
    EXPECT(length == 0, 1);
    EXPECT(mercer_detector_save(&detector, saved, MERCER_SAVED_BYTES, &saved_length), MERCER_OK);
    EXPECT(saved_length > 0 && saved_length <= MERCER_SAVED_BYTES, 1);
    EXPECT(mercer_detector_save(&detector, bytes, saved_length - 1, &length), MERCER_NO_ROOM);
    EXPECT(mercer_detector_save(&detector, bytes, saved_length, NULL), MERCER_OK);
    EXPECT(memcmp(bytes, saved, saved_length), 0);
    EXPECT(mercer_detector_fingerprint(&detector, bytes, sizeof bytes, &fingerprint), MERCER_OK);
    EXPECT(mercer_detector_fingerprint(&detector, bytes, 4, &fingerprint), MERCER_NO_ROOM);
    for (last = 0, i = 0; i < 4; i++) {
        last |= (uint32_t)saved[saved_length - 4 + i] << (8 * i);
    }
    EXPECT(fingerprint == last && last != 0, 1);

    remember();
    EXPECT(mercer_detector_load(&other, NULL, saved_length), MERCER_NULL);
    EXPECT(mercer_detector_load(&other, saved, 0), MERCER_TRUNCATED);
    EXPECT(mercer_detector_load(&other, saved, (size_t)-1), MERCER_LENGTH);
    memset(bytes, 0xff, sizeof bytes);
    EXPECT(mercer_detector_load(&other, bytes, sizeof bytes), MERCER_NOT_SAVED);
    for (i = 0; i < saved_length; i++) {
        const int32_t code = mercer_detector_load(&other, saved, i);

        EXPECT(code == MERCER_TRUNCATED, 1);
    }
    /* Every byte of it altered is noticed. */
    for (i = 0; i < saved_length; i++) {
        int32_t code;

        memcpy(bytes, saved, saved_length);
        bytes[i] ^= 0x10;
        code = mercer_detector_load(&other, bytes, saved_length);
        EXPECT(code < 0 && code != MERCER_OTHER, 1);
    }
    /* Of another version: of the front end, which comes first, and of the detector. */
    memcpy(bytes, saved, saved_length);
    bytes[4]++;
    EXPECT(mercer_detector_load(&other, bytes, saved_length), MERCER_OTHER_VERSION);
    memcpy(bytes, saved, saved_length);
    bytes[bytes[8] + 4]++;
    EXPECT(mercer_detector_load(&other, bytes, saved_length), MERCER_OTHER_VERSION);
    /* A detector without its front end. */
    EXPECT(mercer_detector_load(&other, saved + saved[8], saved_length - saved[8]), MERCER_NOT_SAVED);
    EXPECT_SAME();
    EXPECT(mercer_learner_restore(&learner, saved, saved_length - 1), MERCER_TRUNCATED);
    EXPECT_SAME();
    /* What follows is ignored. */
    EXPECT(mercer_detector_load(&other, saved, sizeof saved), MERCER_OK);
    EXPECT(mercer_learner_restore(&learner, saved, saved_length), MERCER_OK);
    EXPECT(mercer_learner_count(&learner), 0);
}

static void test_samples(void)
{
    mercer_outcome outcome;
    uint8_t alarm[MERCER_ALARM_BYTES], wrong_alarm[MERCER_ALARM_BYTES];
    float reading[MERCER_INPUTS];
    uint32_t t;
    int32_t code = MERCER_OK, readings = 0;

    (void)mercer_monitor_gap(&monitor);
    EXPECT(mercer_monitor_push(&monitor, &detector, NULL, MERCER_CHANNELS, &outcome), MERCER_NULL);
    EXPECT(mercer_monitor_push(&monitor, &detector, recording[0], 1, &outcome), MERCER_LENGTH);
    EXPECT(mercer_monitor_take(&monitor, &detector, recording[0], 3), MERCER_LENGTH);
    EXPECT(mercer_monitor_push(&monitor, (const mercer_detector *)(const void *)&learner, recording[0], MERCER_CHANNELS, &outcome), MERCER_NOT_INITIALISED);
    /* None of them was taken: the first window is complete when it should be. In steps, to compare. */
    for (t = 0; t < RECORDED; t++) {
        code = mercer_monitor_take(&monitor, &detector, recording[t], MERCER_CHANNELS);
        EXPECT(code, (t + 1) % MERCER_WINDOW == 0 ? MERCER_WORKING : MERCER_OK);
        while (code == MERCER_WORKING) {
            code = mercer_monitor_step(&monitor, &detector, &outcome);
        }
        readings += code == MERCER_READING;
        if (mercer_monitor_alarm(&monitor) == MERCER_RAISED) {
            break;
        }
    }
    EXPECT(readings, (int32_t)((t + 1) / MERCER_WINDOW));
    EXPECT(mercer_monitor_alarm(&monitor), MERCER_RAISED);
    /* Readings that cannot be used neither raise nor end it. */
    EXPECT(mercer_monitor_judge(&monitor, &detector, wrong, MERCER_INPUTS, &outcome), MERCER_NOT_FINITE);
    EXPECT(mercer_monitor_culprit(&monitor), 2);
    EXPECT(mercer_monitor_absent(&monitor), 1);
    EXPECT(mercer_monitor_alarm(&monitor), MERCER_RAISED);
    EXPECT(mercer_monitor_reading(&monitor, reading, MERCER_INPUTS + 1), MERCER_LENGTH);
    EXPECT(mercer_monitor_reading(&monitor, NULL, MERCER_INPUTS), MERCER_NULL);
    EXPECT(mercer_monitor_reading(&monitor, reading, MERCER_INPUTS), MERCER_OK);

    EXPECT(mercer_monitor_save_alarm(&monitor, alarm, sizeof alarm - 1), MERCER_NO_ROOM);
    EXPECT(mercer_monitor_save_alarm(&monitor, NULL, sizeof alarm), MERCER_NULL);
    EXPECT(mercer_monitor_save_alarm(&monitor, alarm, sizeof alarm), MERCER_OK);
    memcpy(wrong_alarm, alarm, sizeof alarm);
    wrong_alarm[1] ^= 1;
    EXPECT(mercer_monitor_load_alarm(&monitor, wrong_alarm, sizeof alarm), MERCER_CHECKSUM);
    EXPECT(mercer_monitor_load_alarm(&monitor, alarm, sizeof alarm - 1), MERCER_TRUNCATED);
    EXPECT(mercer_monitor_load_alarm(&monitor, NULL, sizeof alarm), MERCER_NULL);
    EXPECT(mercer_monitor_alarm(&monitor), MERCER_RAISED);

    /* Another detector is a gap to the alarm, which somebody still has to acknowledge: it latches. */
    EXPECT(mercer_monitor_judge(&monitor, &other, reading, MERCER_INPUTS, &outcome), MERCER_READING);
    EXPECT(mercer_monitor_alarm(&monitor), MERCER_LATCHED);
    EXPECT(mercer_monitor_load_alarm(&monitor, alarm, sizeof alarm), MERCER_OK);
    EXPECT(mercer_monitor_alarm(&monitor), MERCER_RAISED);
    /* So is the same one after it was loaded again. */
    EXPECT(mercer_detector_load(&other, saved, saved_length), MERCER_OK);
    EXPECT(mercer_monitor_judge(&monitor, &other, reading, MERCER_INPUTS, &outcome), MERCER_READING);
    EXPECT(mercer_monitor_alarm(&monitor), MERCER_LATCHED);
    EXPECT(mercer_monitor_acknowledge(&monitor), MERCER_NORMAL);
    /* And after it was initialised again. */
    EXPECT(mercer_monitor_load_alarm(&monitor, alarm, sizeof alarm), MERCER_OK);
    EXPECT(mercer_detector_init(&other, sizeof other, MERCER_BUILD), MERCER_OK);
    EXPECT(mercer_detector_load(&other, saved, saved_length), MERCER_OK);
    EXPECT(mercer_monitor_judge(&monitor, &other, reading, MERCER_INPUTS, &outcome), MERCER_READING);
    EXPECT(mercer_monitor_alarm(&monitor), MERCER_LATCHED);
    /* But not if it is the same. */
    EXPECT(mercer_monitor_load_alarm(&monitor, alarm, sizeof alarm), MERCER_OK);
    EXPECT(mercer_monitor_judge(&monitor, &other, reading, MERCER_INPUTS, &outcome), MERCER_READING);
    EXPECT(mercer_monitor_alarm(&monitor), MERCER_RAISED);
    EXPECT(mercer_monitor_init(&monitor, sizeof monitor, MERCER_BUILD, NULL), MERCER_OK);
    EXPECT(mercer_monitor_load_alarm(&monitor, alarm, sizeof alarm), MERCER_OTHER_ALARM);
    EXPECT(mercer_monitor_alarm(&monitor), MERCER_NORMAL);
}

static void test_texts(void)
{
    int32_t code;
    uint32_t bit, texts = 0;
    size_t input;

    for (code = -200; code < 200; code++) {
        EXPECT(mercer_error_text(code) != NULL && mercer_error_text(code)[0] != 0, 1);
    }
    EXPECT(strcmp(mercer_error_text(MERCER_DEAF), mercer_error_text(MERCER_FULL)) != 0, 1);
    for (bit = 0; bit < 64; bit++) {
        texts += mercer_warning_text(bit) != NULL;
    }
    EXPECT(texts == 15 && mercer_warning_text(0xffffffffu) == NULL, 1);
    for (input = 0; input < MERCER_INPUTS; input++) {
        EXPECT(mercer_input_name(input) != NULL, 1);
    }
    EXPECT(mercer_input_name(MERCER_INPUTS) == NULL && mercer_input_name((size_t)-1) == NULL, 1);
    EXPECT(mercer_version()[0] != 0, 1);
}

int main(void)
{
    test_not_initialised();
    test_init();
    test_mixed_up();
    test_misaligned();
    test_out_of_order();
    test_readings();
    test_while_learning();
    test_hand_over();
    test_bytes();
    test_samples();
    test_texts();
    printf("%d failures\n", failures);
    return failures != 0;
}
