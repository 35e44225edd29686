/* A bare MPS2 board in QEMU: it starts, prints, and counts. QEMU's -icount ties the first timer of these boards to instructions; clock.rs turns its ticks into
 * them. */
#include "machine.h"

#define TIMER ((volatile uint32_t *)0x40000000u)

extern uint32_t stack_top;
void reset(void);

__attribute__((section(".vectors"), used)) static const void *const vectors[2] = {&stack_top, (const void *)reset};

/* A call of the emulator. */
static uint32_t host(uint32_t operation, const void *argument)
{
    register uint32_t r0 __asm__("r0") = operation;
    register const void *r1 __asm__("r1") = argument;

    __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
    return r0;
}

/* Writes to the standard output of the emulator, which is opened first. */
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

void say_number(uint32_t number)
{
    char text[12];
    int place = 11;

    text[place] = 0;
    do {
        text[--place] = (char)('0' + number % 10u);
        number /= 10u;
    } while (number != 0);
    say(" ");
    say(text + place);
}

static __attribute__((noinline)) void nothing(void)
{
    __asm__ volatile("");
}

/* 1 + 2 * 100 instructions, and 2 + 2 * 125 * 2^16. */
static __attribute__((naked, noinline)) void short_loop(void)
{
    __asm__ volatile(".syntax unified\nmovs r0, #100\n1: subs r0, r0, #1\nbne 1b\nbx lr");
}

static __attribute__((naked, noinline)) void long_loop(void)
{
    __asm__ volatile(".syntax unified\nmovs r0, #125\nlsls r0, r0, #16\n1: subs r0, r0, #1\nbne 1b\nbx lr");
}

static __attribute__((noinline)) uint32_t ticks(void (*volatile work)(void))
{
    const uint32_t start = TIMER[1];

    /* Marks that xtask/plugin knows. */
    __asm__ volatile("mov r10, r10" ::: "memory");
    work();
    __asm__ volatile("mov r11, r11" ::: "memory");
    return start - TIMER[1];
}

static void say_ticks(const char *what, void (*work)(void))
{
    say(what);
    say_number(ticks(work));
}

void say_loops(void)
{
    TIMER[0] = 0;
    TIMER[2] = 0xffffffffu;
    TIMER[1] = 0xffffffffu;
    TIMER[0] = 1;
    say_ticks("empty", nothing);
    say(" 0\n");
    say_ticks("loop 201", short_loop);
    say("\n");
    say_ticks("loop 16384002", long_loop);
    say("\n");
}

void say_task(void (*work)(void))
{
    say_ticks("task", work);
    say(" 0\n");
}

void reset(void)
{
#ifdef __ARM_FP
    /* Lets the FPU work. */
    *(volatile uint32_t *)0xe000ed88u |= 0xfu << 20;
    __asm__ volatile("dsb\nisb");
#endif
    (void)main();
    /* The end of the application. */
    (void)host(0x18, (const void *)0x20026);
    for (;;) {
    }
}
