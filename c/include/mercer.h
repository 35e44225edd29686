/* mercer: kernel PCA for microcontrollers, as a static library. Made by `cargo run --example header`;
 * docs/C_LIBRARY.md is the guide.
 *
 * Functions return MERCER_OK or another code that is not negative, or an error, which is: what was collected, learned,
 * loaded or raised stays.
 * Objects belong to the caller, who may have as many as there is room for. No two calls use an object at the same
 * time, one of an interrupt and one of what it interrupts among them, unless both take it as const. */

#ifndef MERCER_H
#define MERCER_H

#include <stddef.h>
#include <stdint.h>

/* The choices of the builder, with which the library must have been built as well. */
#define MERCER_BUILD 0xaaab4058u
#define MERCER_INPUTS 4
#define MERCER_READINGS 64
#define MERCER_POINTS 12
#define MERCER_COMPONENTS 4
#define MERCER_RAW 1
#define MERCER_CHANNELS 2
#define MERCER_WINDOW 40
#define MERCER_HOP 40
#define MERCER_SAVED_BYTES 594
#define MERCER_ALARM_BYTES 24
#define MERCER_DETECTOR_WORDS 77
#define MERCER_LEARNER_WORDS 1204
#define MERCER_MONITOR_WORDS 37

/* One channel of a raw sample. */
typedef int16_t mercer_sample;

/* Inputs: 0 channel0_mean, 1 channel0_logstd, 2 channel1_mean, 3 channel1_logstd. */


/* All is well, and there is nothing more to do. */
#define MERCER_OK 0

/* All is well, and there is more to do: call the function that steps again. */
#define MERCER_WORKING 1

/* A window is complete: there is a reading, and with a detector a verdict. */
#define MERCER_READING 2

/* A pointer is NULL that must not be. */
#define MERCER_NULL (-1)

/* A pointer does not have the alignment of its type. */
#define MERCER_MISALIGNED (-2)

/* The memory is too small for the object. */
#define MERCER_TOO_SMALL (-3)

/* The program was compiled with the header of another build of the library. */
#define MERCER_OTHER_BUILD (-4)

/* The object was not initialised. */
#define MERCER_NOT_INITIALISED (-5)

/* A length is not the one that it must be. */
#define MERCER_LENGTH (-6)

/* Two objects lie in the same memory. */
#define MERCER_OVERLAP (-7)

/* An input or a channel is NaN or infinite. */
#define MERCER_NOT_FINITE (-10)

/* An input is so large that it cannot be worked with. */
#define MERCER_TOO_LARGE (-11)

/* The learner has no room for another reading. */
#define MERCER_FULL (-12)

/* Learning is under way: go on with it, or give it up. */
#define MERCER_LEARNING (-13)

/* Nothing was learned or loaded yet. */
#define MERCER_NOT_FITTED (-14)

/* There is no reading yet. */
#define MERCER_NO_READING (-15)

/* A parameter is outside of its range. */
#define MERCER_PARAMETER (-16)

/* Too few readings, or too few that differ. */
#define MERCER_TOO_FEW (-20)

/* All readings are equal: there is nothing to learn. */
#define MERCER_NO_VARIANCE (-21)

/* The kernel is too narrow: lower gamma. */
#define MERCER_KERNEL_TOO_NARROW (-22)

/* The kernel is too wide: raise gamma. */
#define MERCER_KERNEL_TOO_WIDE (-23)

/* The components leave nothing unexplained: build with fewer, or with more points. */
#define MERCER_NO_RESIDUAL (-24)

/* No reading could exceed the threshold. */
#define MERCER_DEAF (-25)

/* The numbers of these readings are too extreme to learn from. */
#define MERCER_NUMERIC (-26)

/* The bytes are no saved model or alarm; erased flash is none. */
#define MERCER_NOT_SAVED (-30)

/* The bytes were saved by another version of the format. */
#define MERCER_OTHER_VERSION (-31)

/* Bytes are missing at the end. */
#define MERCER_TRUNCATED (-32)

/* The bytes were altered. */
#define MERCER_CHECKSUM (-33)

/* The bytes are of another kind of model. */
#define MERCER_OTHER_KIND (-34)

/* The bytes are of a model for another front end: window, features, channels. */
#define MERCER_OTHER_FRONT_END (-35)

/* The bytes are of a model that does not fit: other inputs, more points or components. */
#define MERCER_OTHER_SIZES (-36)

/* The room for the bytes is too small: MERCER_SAVED_BYTES always suffice. */
#define MERCER_NO_ROOM (-37)

/* The bytes are of an alarm with another configuration. */
#define MERCER_OTHER_ALARM (-38)

/* An error that has no code of its own. */
#define MERCER_OTHER (-99)



/* Too early to judge: see `warm_up`. */
#define MERCER_WARM_UP 0

/* Nothing to report. */
#define MERCER_NORMAL 1

/* Readings are not as usual, and nobody has acknowledged it. */
#define MERCER_RAISED 2

/* Readings are not as usual, and somebody knows. */
#define MERCER_ACKNOWLEDGED 3

/* It is over, but nobody has acknowledged that it was there: see `latch`. */
#define MERCER_LATCHED 4

/* The alarm looks at a smoothed score. */
#define MERCER_SMOOTHED 0

/* The alarm counts unusual readings. */
#define MERCER_COUNT 1

/* A detector: scaling, model and threshold. Learned, or loaded.
 *
 * Memory for the library's own use; make it `static`. */
typedef struct {
  /* Not for use. */
  uint64_t words[MERCER_DETECTOR_WORDS];
} mercer_detector;

/* What was made of a reading. */
typedef struct {
  /* How strange the reading is. */
  float spe;
  /* What that was compared with. */
  float threshold;
  /* How far it is from the middle of what is usual, along what varies. */
  float t2;
  /* 1 if it is strange, 0 if not. */
  int32_t unusual;
} mercer_verdict;

/* The input to blame for an unusual reading. */
typedef struct {
  /* Which one, counted from 0; mercer_input_name knows what it is called. */
  int32_t input;
  /* What it read. */
  float read;
  /* What it should have read, by what the others say. */
  float expected;
  /* By how much the score falls with that. */
  float fall;
  /* The score that is left: above the threshold, this input alone does not explain it. */
  float rest;
} mercer_suspect;

/* How to learn. mercer_recipe_default fills it in. */
typedef struct {
  /* How narrow the kernel is: by default 1 / (8 * MERCER_INPUTS). */
  float gamma;
  /* The share of normal readings that may be unusual, between 0 and 1: by default 0.05. */
  float false_alarms;
  /* The share of the readings to leave out, those that are strangest: 0 to 0.5, by default 0. */
  float trim;
} mercer_recipe;

/* A learner: up to MERCER_READINGS readings, the memory to learn from them, and what it has
 * learned.
 *
 * Memory for the library's own use; make it `static`, it is large. */
typedef struct {
  /* Not for use. */
  uint64_t words[MERCER_LEARNER_WORDS];
} mercer_learner;

/* What learning has found. */
typedef struct {
  /* What scores are compared with. */
  float threshold;
  /* The share of normal readings that will be unusual, as far as these readings can tell; more
   * than was wished for if they were too few. */
  float false_alarms;
  /* The share of the variance that the components explain. */
  float explained;
  /* How many points and components the model has. */
  uint32_t points;
  /* See `points`. */
  uint32_t components;
  /* Readings that were left out. */
  uint32_t trimmed;
  /* What may not be as it was meant, a bit for each: mercer_warning_text has the words. */
  uint32_t warnings;
  /* Inputs whose faults pass unnoticed, a bit for each of the first 32. */
  uint32_t blind_inputs;
} mercer_report;

/* When the alarm is raised, and when it ends. mercer_alarm_default fills it in. */
typedef struct {
  /* MERCER_SMOOTHED or MERCER_COUNT. */
  uint8_t rule;
  /* If smoothed: how slowly the score is followed, 0 to 8. */
  uint8_t shift;
  /* If smoothed: the end, in percent of the threshold, 1 to 100. */
  uint8_t end;
  /* If counted: how many of the last readings count, 1 to 32. */
  uint8_t window;
  /* If counted: raised when so many of them are unusual, 1 to `window`. */
  uint8_t raise;
  /* If counted: over when at most so many of them are, less than `raise`. */
  uint8_t clear;
  /* 1 if it does not end before it was acknowledged, else 0. */
  uint8_t latch;
  /* How many readings after the start are not judged. */
  uint16_t warm_up;
} mercer_alarm;

/* A monitor: the window of raw samples, if there are any, and the alarm.
 *
 * Memory for the library's own use; make it `static`. */
typedef struct {
  /* Not for use. */
  uint64_t words[MERCER_MONITOR_WORDS];
} mercer_monitor;

/* What has come of a reading. */
typedef struct {
  /* Of this reading. */
  mercer_verdict verdict;
  /* What the alarm says after it: MERCER_NORMAL and so on. */
  int32_t alarm;
} mercer_outcome;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/* The version of the library, such as "0.1.0". */
const char *mercer_version(void);

/* With which choices the library was built; compare it with MERCER_BUILD, that of the header.
 * The functions that initialise objects do so, too. */
uint32_t mercer_build(void);

/* What an input is called, such as "ax_logstd"; NULL if there is no such input. */
const char *mercer_input_name(size_t input);

/* What a code means, in one line; also for codes that there are none of. Never NULL. */
const char *mercer_error_text(int32_t code);

/* Initialises a detector that has learned nothing. `size` is its `sizeof`, `build` MERCER_BUILD. */
int32_t mercer_detector_init(mercer_detector *detector, size_t size, uint32_t build);

/* Scores a reading of MERCER_INPUTS numbers. `verdict` may be NULL. */
int32_t mercer_detector_score(const mercer_detector *detector,
                              const float *reading,
                              size_t inputs,
                              mercer_verdict *verdict);

/* The input to blame for an unusual reading: as much work as 2 * MERCER_INPUTS + 21 scores. */
int32_t mercer_detector_suspect(const mercer_detector *detector,
                                const float *reading,
                                size_t inputs,
                                mercer_suspect *suspect);

/* Makes `to` the same as `from`, in place. `to` is what it was if that fails. */
int32_t mercer_detector_copy(mercer_detector *to, const mercer_detector *from);

/* Writes a detector to `bytes`, MERCER_SAVED_BYTES at most; `length` is how many it takes.
 *
 * With raw samples, what they are made into readings by is part of it. The bytes are the same on
 * every machine, and those of mercer in Rust. Their last four are the checksum of the model, the
 * lowest byte first. */
int32_t mercer_detector_save(const mercer_detector *detector,
                             uint8_t *bytes,
                             size_t room,
                             size_t *length);

/* Takes up a detector that was saved. It is what it was if that fails. */
int32_t mercer_detector_load(mercer_detector *detector, const uint8_t *bytes, size_t length);

/* The checksum of a model, which `mercer inspect` shows for one that a desk has; `bytes` is room
 * to work in, MERCER_SAVED_BYTES of it. */
int32_t mercer_detector_fingerprint(const mercer_detector *detector,
                                    uint8_t *bytes,
                                    size_t room,
                                    uint32_t *fingerprint);

/* The usual recipe. */
int32_t mercer_recipe_default(mercer_recipe *recipe);

/* What a bit of `warnings` means, for its number from 0 on; NULL from the last one on. */
const char *mercer_warning_text(uint32_t bit);

/* Initialises a learner. `size` is its `sizeof`, `build` MERCER_BUILD. */
int32_t mercer_learner_init(mercer_learner *learner, size_t size, uint32_t build);

/* Takes a reading of MERCER_INPUTS numbers to learn from. */
int32_t mercer_learner_push(mercer_learner *learner, const float *reading, size_t inputs);

/* Scores a reading by what was learned last; a normal one becomes one to learn from, in place of
 * the oldest. Not while learning is under way, nor for a fault. `verdict` may be NULL. */
int32_t mercer_learner_refresh(mercer_learner *learner,
                               const float *reading,
                               size_t inputs,
                               mercer_verdict *verdict);

/* The next reading does not follow the last one: readings were lost, or the machine was off. */
int32_t mercer_learner_gap(mercer_learner *learner);

/* How many readings it has; MERCER_READINGS if it is full. Less than 0 is an error. */
int32_t mercer_learner_count(const mercer_learner *learner);

/* Begins to learn, by a recipe or, if that is NULL, by the usual one. */
int32_t mercer_learner_begin(mercer_learner *learner, const mercer_recipe *recipe);

/* Does a bounded piece of learning: MERCER_WORKING as long as there is more, then MERCER_OK. After
 * an error learning is given up, and readings and detector are what they were. */
int32_t mercer_learner_step(mercer_learner *learner);

/* Gives up learning that is under way. */
int32_t mercer_learner_give_up(mercer_learner *learner);

/* Drops all readings and what was learned from them. */
int32_t mercer_learner_forget(mercer_learner *learner);

/* What the last learning has found. Look at `warnings`. */
int32_t mercer_learner_report(const mercer_learner *learner, mercer_report *report);

/* Which input or reading the last error of this learner is about, counted from 0; -1 if about
 * none, and for no learner. */
int32_t mercer_learner_culprit(const mercer_learner *learner);

/* Exchanges what was learned for another detector, without a copy: how it leaves for an interrupt.
 *
 * The learner goes on with what it was given: mercer_learner_refresh judges by it, and the next
 * learning keeps its scaling. */
int32_t mercer_learner_swap(mercer_learner *learner, mercer_detector *detector);

/* Copies what was learned to a detector; the learner keeps it as well. */
int32_t mercer_learner_copy_to(const mercer_learner *learner, mercer_detector *detector);

/* After a reset: takes up a detector that was saved, to refresh it. Readings are collected anew. */
int32_t mercer_learner_restore(mercer_learner *learner, const uint8_t *bytes, size_t length);

/* The usual configuration of the alarm. */
int32_t mercer_alarm_default(mercer_alarm *alarm);

/* Initialises a monitor with an alarm or, if that is NULL, with the usual one. `size` is its
 * `sizeof`, `build` MERCER_BUILD. */
int32_t mercer_monitor_init(mercer_monitor *monitor,
                            size_t size,
                            uint32_t build,
                            const mercer_alarm *alarm);

#if defined(MERCER_RAW)
/* Takes a raw sample of MERCER_CHANNELS numbers and does all work that it leads to.
 *
 * Returns MERCER_READING if it completes a window, else MERCER_OK. `detector` is NULL while there
 * is none: then there are readings to learn from, but no verdicts. `outcome`, which may be NULL,
 * is written with a verdict only. */
int32_t mercer_monitor_push(mercer_monitor *monitor,
                            const mercer_detector *detector,
                            const mercer_sample *sample,
                            size_t channels,
                            mercer_outcome *outcome);
#endif

#if defined(MERCER_RAW)
/* Takes a raw sample and does nothing else: MERCER_WORKING if there is work for
 * mercer_monitor_step, which has the time until the next sample for it. */
int32_t mercer_monitor_take(mercer_monitor *monitor,
                            const mercer_detector *detector,
                            const mercer_sample *sample,
                            size_t channels);
#endif

#if defined(MERCER_RAW)
/* Does a piece of the work on a window: MERCER_WORKING while there is more, MERCER_READING with
 * the last piece, MERCER_OK if there was none. As mercer_monitor_push otherwise. */
int32_t mercer_monitor_step(mercer_monitor *monitor,
                            const mercer_detector *detector,
                            mercer_outcome *outcome);
#endif

#if defined(MERCER_RAW)
/* Copies the reading of the last window, MERCER_INPUTS numbers: to learn from, or to blame. */
int32_t mercer_monitor_reading(const mercer_monitor *monitor, float *reading, size_t inputs);
#endif

/* Takes a reading that was made elsewhere, of MERCER_INPUTS numbers: verdict and alarm. A reading
 * that is an error counts as missing, which neither raises the alarm nor ends it. */
int32_t mercer_monitor_judge(mercer_monitor *monitor,
                             const mercer_detector *detector,
                             const float *reading,
                             size_t inputs,
                             mercer_outcome *outcome);

/* Samples or readings are missing here, or the machine stood still: window and alarm start afresh,
 * and a window that was taken but not worked on is dropped. Returns the state of the alarm, or an
 * error. */
int32_t mercer_monitor_gap(mercer_monitor *monitor);

/* What the alarm says: MERCER_NORMAL and so on, or an error. */
int32_t mercer_monitor_alarm(const mercer_monitor *monitor);

/* How many readings in a row were missing, up to 65535, or an error. While it grows nothing is
 * watched: a sensor is broken. */
int32_t mercer_monitor_absent(const mercer_monitor *monitor);

/* Somebody has seen the alarm. Returns its state, or an error. */
int32_t mercer_monitor_acknowledge(mercer_monitor *monitor);

/* Which input or channel the last error of this monitor is about, counted from 0; -1 if about
 * none, and for no monitor. */
int32_t mercer_monitor_culprit(const mercer_monitor *monitor);

/* Writes the alarm to `bytes`, MERCER_ALARM_BYTES of them: for memory that survives a reset. */
int32_t mercer_monitor_save_alarm(const mercer_monitor *monitor, uint8_t *bytes, size_t room);

/* After a reset: goes on with an alarm as it was saved. It is what it was if that fails. */
int32_t mercer_monitor_load_alarm(mercer_monitor *monitor, const uint8_t *bytes, size_t length);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* MERCER_H */
