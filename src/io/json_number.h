// io/json_number.h: numbers as text, exactly.
//
// Independent of the locale and of the C library. Reading rounds to the nearest double, ties to
// even, whatever the number of digits; writing gives the fewest digits that read back as the same
// value. Common numbers take a short exact path, all others are settled in whole numbers of some
// thousand bits: slow, some microseconds, but beyond doubt.
#ifndef DR_JSON_NUMBER_H
#define DR_JSON_NUMBER_H

#include <stddef.h>

// Room for any number that is written, with its zero.
#define DR_NUMBER_SIZE 32

// The value of a number that follows the grammar of JSON. Infinite when it is too large.
double dr_number_read(const char* text, size_t length);

// Fewest digits that read back as the same double, or as the same float. Returns the length. The
// value must be finite.
size_t dr_number_write_double(char text[DR_NUMBER_SIZE], double value);
size_t dr_number_write_float(char text[DR_NUMBER_SIZE], float value);

#endif
