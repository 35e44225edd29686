/* Where lines of text go: to a terminal, or through the debugger of a board. */
#ifndef SUPPORT_H
#define SUPPORT_H

#include <stddef.h>
#include <stdint.h>

void say(const char *text);
/* A space, and a number. */
void say_number(uint32_t number);
/* A space, and the bits of a number: what two machines must agree in. */
void say_bits(float number);
/* A space, and bytes as hexadecimal digits. */
void say_bytes(const uint8_t *bytes, size_t length);

#endif
