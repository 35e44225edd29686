/* Firmware that counts the instructions of a score in C, and prints what it makes of some readings. */
#include "machine.h"
#include "model.h"
#include "readings.h"

static model_verdict verdict;

static void task(void)
{
    (void)model_score(readings[0], &verdict);
}

int main(void)
{
    static model_alarm alarm;
    int i;

    say_loops();
    say_task(task);
    for (i = 0; i < READINGS; i++) {
        union { float value; uint32_t bits; } spe;
        const int code = model_score(readings[i], &verdict);
        const int state = model_alarm_update(&alarm, &verdict);

        spe.value = verdict.spe;
        say("reading");
        say_number((uint32_t)code);
        say_number(spe.bits);
        say_number((uint32_t)verdict.unusual);
        say_number(state == MODEL_RAISED);
        say("\n");
    }
    say("test");
    say_number((uint32_t)model_self_test());
    say("\n");
    return 0;
}
