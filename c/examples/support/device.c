/* What a Cortex-M needs to start, and text by semihosting. Says at the end how deep the stack was. */
#include "support.h"

extern uint32_t bss_start, bss_end, data_start, data_end, data_in_flash, stack_top;
int main(void);
void reset(void);

__attribute__((section(".vectors"), used)) static const struct {
    const uint32_t *stack;
    void (*start)(void);
} vectors = {&stack_top, reset};

/* A call of the debugger, or of the emulator. */
static uint32_t host(uint32_t operation, const void *argument)
{
    register uint32_t r0 __asm__("r0") = operation;
    register const void *r1 __asm__("r1") = argument;

    __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
    return r0;
}

void say(const char *text)
{
    static uint32_t output;
    uint32_t block[3];
    uint32_t length = 0;

    while (text[length] != 0) {
        length++;
    }
    if (output == 0) {
        block[0] = (uint32_t)":tt";
        block[1] = 4;
        block[2] = 3;
        output = host(1, block);
    }
    block[0] = output;
    block[1] = (uint32_t)text;
    block[2] = length;
    (void)host(5, block);
}

#define UNUSED 0xa5a5a5a5u

void reset(void)
{
    volatile uint32_t *word;
    const volatile uint32_t *from = &data_in_flash;

#ifdef __ARM_FP
    /* Lets the FPU work. */
    *(volatile uint32_t *)0xe000ed88u |= 0xfu << 20;
    __asm__ volatile("dsb\nisb");
#endif
    for (word = &data_start; word < &data_end; word++) {
        *word = *from++;
    }
    for (word = &bss_start; word < &bss_end; word++) {
        *word = 0;
    }
    /* Up to this function's own frame. */
    for (word = &bss_end; word < (uint32_t *)__builtin_frame_address(0) - 16; word++) {
        *word = UNUSED;
    }
    if (main() == 0) {
        for (word = &bss_end; word < &stack_top && *word == UNUSED; word++) {
        }
        say("stack");
        say_number((uint32_t)((const volatile char *)&stack_top - (const volatile char *)word));
        say("\n");
        /* The end of the application; anything else is a failure. */
        (void)host(0x18, (const void *)0x20026);
    }
    (void)host(0x18, (const void *)0x20023);
    for (;;) {
    }
}
