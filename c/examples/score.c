/* Watches with a model that was learned before: the least that a firmware needs. Says when the alarm changes. */
#include "mercer.h"
#include "model.h"
#include "recording.h"
#include "support.h"

static mercer_detector detector;
static mercer_monitor monitor;

int main(void)
{
    int32_t state = MERCER_NORMAL;
    uint32_t t;
    int32_t code = mercer_detector_init(&detector, sizeof detector, MERCER_BUILD);

    if (code == MERCER_OK) {
        code = mercer_monitor_init(&monitor, sizeof monitor, MERCER_BUILD, NULL);
    }
    if (code == MERCER_OK) {
        code = mercer_detector_load(&detector, stored, sizeof stored);
    }
    for (t = 0; t < RECORDED && code >= 0; t++) {
        mercer_outcome outcome;

        code = mercer_monitor_push(&monitor, &detector, recording[t], MERCER_CHANNELS, &outcome);
        if (code == MERCER_READING && outcome.alarm != state) {
            state = outcome.alarm;
            say(state == MERCER_RAISED ? "raised" : "over");
            say_number(t);
            say("\n");
        }
    }
    if (code < 0) {
        say(mercer_error_text(code));
        say("\n");
    }
    return code < 0;
}
