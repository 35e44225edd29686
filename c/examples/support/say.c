#include "support.h"

void say_number(uint32_t number)
{
    char text[11];
    size_t place = sizeof text - 1;

    text[place] = 0;
    do {
        text[--place] = (char)('0' + number % 10u);
        number /= 10u;
    } while (number != 0);
    say(" ");
    say(text + place);
}

void say_bits(float number)
{
    union { float number; uint32_t bits; } both;

    both.number = number;
    say_number(both.bits);
}

void say_bytes(const uint8_t *bytes, size_t length)
{
    static const char digits[] = "0123456789abcdef";
    char text[3] = {0};
    size_t i;

    say(" ");
    for (i = 0; i < length; i++) {
        text[0] = digits[bytes[i] >> 4];
        text[1] = digits[bytes[i] & 15];
        say(text);
    }
}
