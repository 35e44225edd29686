//! An example that tests the model, then judges or projects readings: the same code wherever it
//! runs, but for how it begins and how it speaks.

use super::MARK;
use crate::Number;
use crate::export::c::{literal, named};
use crate::export::{Name, list};

/// Where an example runs.
#[derive(Clone, Copy)]
pub(super) enum Place {
    /// A sketch.
    Arduino,
    /// A program with `main`.
    Main,
    /// A project of ESP-IDF.
    EspIdf,
}

/// What becomes of a reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    Verdict,
    Projection,
}

/// What an example shows.
#[derive(Clone, Debug)]
pub(crate) struct Example {
    answer: Answer,
    /// The type of the numbers.
    number: &'static str,
    /// Readings as rows of an array, and how many; none for raw samples.
    readings: Option<(String, usize)>,
}

impl Example {
    /// Verdicts of these readings.
    pub(crate) fn judging<T: Number>(readings: &[Vec<T>]) -> Self {
        let rows = readings.iter().map(|row| format!("    {{{}}},\n", list(row, literal)));
        let readings = Some((rows.collect(), readings.len()));
        Self { answer: Answer::Verdict, number: T::NAMES[1], readings }
    }

    /// Projections instead.
    pub(crate) fn projecting(self) -> Self {
        Self { answer: Answer::Projection, ..self }
    }

    /// Raw samples instead of readings.
    pub(crate) fn of_samples(self) -> Self {
        Self { readings: None, ..self }
    }

    /// What the model is for.
    pub(super) fn purpose(&self) -> &'static str {
        match self.answer {
            Answer::Verdict => "Tells unusual readings of sensors from usual ones",
            Answer::Projection => "Makes features of readings of sensors",
        }
    }

    /// The source file.
    pub(super) fn source(&self, name: &Name, place: Place) -> String {
        let step = match (&self.readings, self.answer) {
            (Some(_), Answer::Verdict) => READING_VERDICT.replace("REASON", REASON),
            (Some(_), Answer::Projection) => READING_PROJECTION.into(),
            (None, Answer::Verdict) => SAMPLE
                .replace("OUT", "&verdict")
                .replace("LOCAL", VERDICT)
                .replace("DONE", DONE_VERDICT),
            (None, Answer::Projection) => SAMPLE
                .replace("OUT", "projection")
                .replace("LOCAL", PROJECTION)
                .replace("DONE", DONE_PROJECTION),
        };
        let readings = match &self.readings {
            Some((rows, count)) => {
                READINGS.replace("COUNT", &count.to_string()).replace("ROWS", rows)
            }
            None => SAMPLES.into(),
        };
        let alarm =
            if self.answer == Answer::Verdict { "static name_alarm alarm_state;\n" } else { "" };
        let (includes, say, main) = match place {
            Place::Arduino => (ARDUINO_INCLUDES, ARDUINO_SAY, ARDUINO_MAIN),
            Place::Main => (INCLUDES, SAY, MAIN),
            Place::EspIdf => (INCLUDES, SAY, ESP_IDF_MAIN),
        };
        let text = [BEGINNING, includes, &readings, alarm, say, BEGIN, &step, main].concat();
        let text = text.replace("REAL", self.number).replace("{mark}", MARK);
        named(&text, name).replace("{lower}", name.lower())
    }
}

const BEGINNING: &str =
    "/* {mark}: it is written again with the next export, so copy it before you change it.
 *
 * Tests the model, as a firmware does at boot, then shows it what a device might read. */
";

const INCLUDES: &str = "#include <stdio.h>

#include \"{lower}.h\"
";
const ARDUINO_INCLUDES: &str = "#include <stdio.h>

#include <{lower}.h>
";

const READINGS: &str = "
/* A reading as it usually is, and one that is not. Put what your sensors say in their place, in the order of name_input_names. */
#define STEPS COUNT
static const REAL readings[STEPS][NAME_INPUTS] = {
ROWS};

";

const SAMPLES: &str = "
/* Two windows, one after the other. */
#define STEPS (2 * NAME_WINDOW)

static name_monitor monitor;
";

const SAY: &str = "
static void say(const char *line)
{
    puts(line);
}
";
const ARDUINO_SAY: &str = "
static void say(const char *line)
{
    Serial.println(line);
}
";

const BEGIN: &str = "
/* Which model it is, and whether it says what it said on the host: 0 if so. */
static void begin(void)
{
    char line[64];

    snprintf(line, sizeof line, \"model %08lx, self-test %d\", (unsigned long)NAME_CHECKSUM, name_self_test());
    say(line);
}
";

const READING_VERDICT: &str = "
static void step(int i)
{
    char line[64];
    name_verdict verdict;
    const int code = name_score(readings[i], &verdict);

    if (code != 0) {
        (void)name_alarm_missing(&alarm_state);
        snprintf(line, sizeof line, \"reading %d: cannot be judged, code %d\", i, code);
        say(line);
        return;
    }
    snprintf(line, sizeof line, \"reading %d: unusual %d, alarm %d\", i, verdict.unusual, name_alarm_update(&alarm_state, &verdict));
    say(line);
REASON}
";

const REASON: &str = "    if (verdict.unusual) {
        name_suspect suspect;

        if (name_find_suspect(readings[i], &suspect) == 0) {
            say(name_input_names[suspect.input]);
        }
    }
";

const READING_PROJECTION: &str = "
static void step(int i)
{
    char line[64];
    REAL projection[NAME_COMPONENTS];
    const int code = name_project(readings[i], projection);

    snprintf(line, sizeof line, \"reading %d: code %d\", i, code);
    say(line);
}
";

const SAMPLE: &str = "
static void step(int i)
{
    char line[64];
    name_sample sample[NAME_CHANNELS];
    LOCAL
    int channel, code;

    /* Put what your sensor says, at the rate of the recordings, in the place of this. */
    for (channel = 0; channel < NAME_CHANNELS; channel++) {
        sample[channel] = (name_sample)((i + channel) % 17);
    }
    code = name_monitor_push(&monitor, sample, OUT);
    if (code == NAME_MORE) {
        return;
    }
DONE    say(line);
}
";
const VERDICT: &str = "name_verdict verdict;";
const PROJECTION: &str = "REAL projection[NAME_COMPONENTS];";
const DONE_VERDICT: &str = "    if (code == NAME_JUDGED) {
        snprintf(line, sizeof line, \"sample %d: unusual %d, alarm %d\", i, verdict.unusual, name_alarm_update(&alarm_state, &verdict));
    } else {
        snprintf(line, sizeof line, \"sample %d: cannot be used, code %d, alarm %d\", i, code, name_alarm_missing(&alarm_state));
    }
";
const DONE_PROJECTION: &str = "    snprintf(line, sizeof line, \"sample %d: code %d\", i, code);
";

const MAIN: &str = "
int main(void)
{
    int i;

    begin();
    for (i = 0; i < STEPS; i++) {
        step(i);
    }
    return 0;
}
";

const ESP_IDF_MAIN: &str = "
void app_main(void)
{
    int i;

    begin();
    for (i = 0; i < STEPS; i++) {
        step(i);
    }
}
";

const ARDUINO_MAIN: &str = "
void setup()
{
    Serial.begin(115200);
    begin();
}

void loop()
{
    static int i;

    step(i);
    i = i + 1 < STEPS ? i + 1 : 0;
    delay(20);
}
";
