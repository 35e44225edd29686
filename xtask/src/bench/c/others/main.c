/* Firmware that counts a method on some readings, and prints what it says of each. */
#include "../machine.h"
#include "method.h"
#define MODEL_INPUTS INPUTS
#include "readings.h"

static const float *reading;
static float said;
static volatile int unusual;

static void task(void)
{
    said = score(reading);
    unusual = said > 1.0f;
}

int main(void)
{
    say_loops();
    for (int i = 0; i < READINGS; i++) {
        union { float value; uint32_t bits; } bits;

        reading = readings[i];
        say_task(task);
        bits.value = said;
        say("reading");
        say_number(bits.bits);
        say("\n");
    }
    return 0;
}
