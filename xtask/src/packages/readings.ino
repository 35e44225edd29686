// What an Uno makes of some readings: printed as the host prints it, with the stack and the time of a score.
#include <avr/sleep.h>
#include <model.h>

#include "readings.h"

static const uint8_t UNTOUCHED = 0xa5;
extern uint8_t __heap_start;

static model_alarm alarm_state;
static float x[MODEL_INPUTS];
static model_verdict verdict;

static void say(unsigned long number)
{
    Serial.print(' ');
    Serial.print(number);
}

static int score(int i)
{
    memcpy_P(x, readings[i], sizeof x);
    return model_score(x, &verdict);
}

// By how much a score lowers the stack. Nothing else runs meanwhile.
static __attribute__((noinline)) unsigned stack_of_a_score(void)
{
    uint8_t *const top = (uint8_t *)SP;
    uint8_t *place;

    noInterrupts();
    for (place = &__heap_start; place < top; place++) {
        *place = UNTOUCHED;
    }
    (void)score(0);
    interrupts();
    for (place = &__heap_start; place < top && *place == UNTOUCHED; place++) {
    }
    return top - place;
}

static unsigned long time_of_a_score(void)
{
    const unsigned long start = micros();

    (void)score(0);
    return micros() - start;
}

void setup()
{
    int i;

    Serial.begin(115200);
    Serial.print(F("stack"));
    say(stack_of_a_score());
    Serial.print(F("\ntime"));
    say(time_of_a_score());
    for (i = 0; i < READINGS; i++) {
        const int code = score(i);
        const int state = model_alarm_update(&alarm_state, &verdict);
        uint32_t bits;

        memcpy(&bits, &verdict.spe, sizeof bits);
        Serial.print(F("\nreading"));
        say(code);
        say(bits);
        say(verdict.unusual);
        say(state == MODEL_RAISED);
    }
    Serial.print(F("\ntest"));
    say(model_self_test());
    Serial.print('\n');
    Serial.flush();
    // The emulator ends where nothing can wake the core.
    noInterrupts();
    sleep_mode();
}

void loop()
{
}
