/* What machine.c offers to a program, which it starts at main. */
#include <stdint.h>

int main(void);

/* Writes to the standard output of the emulator. */
void say(const char *text);
/* A blank and the number. */
void say_number(uint32_t number);
/* Starts the timer, and prints the ticks of nothing and of two loops of known length. */
void say_loops(void);
/* Prints the ticks of a task. */
void say_task(void (*work)(void));
