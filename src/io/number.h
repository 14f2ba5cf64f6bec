// io/number.h: numbers to text and back, the same in every locale.
//
// Reading is correctly rounded: the float nearest to the decimal, ties to even, for any number of
// digits. Nearly all numbers are settled in double arithmetic, whose error is a few units of its
// last place: unless the double lies that close to the middle between two floats, rounding it is
// right. The rest, and what falls below FLT_MIN, is compared with that middle in whole numbers.
//
// Writing gives the letters of printf's "%.9g": nine digits tell any two floats apart, so what is
// written reads back bit by bit.
#ifndef DR_NUMBER_H
#define DR_NUMBER_H

#include <stdint.h>

// Reads a number at the start of [at, end): sign, digits, point, exponent, or inf or nan in any
// case. Returns the place behind it, or null when there is none. What is too large becomes
// infinite.
const char* dr_parse_float(const char* at, const char* end, float* value);
// Reads a decimal integer with an optional sign; beyond 64 bits it becomes INT64_MAX or INT64_MIN.
const char* dr_parse_integer(const char* at, const char* end, int64_t* value);

// The most letters that the functions below write. They add no zero byte and return the end.
#define DR_NUMBER_LETTERS 24

char* dr_format_float(char* at, float value);
char* dr_format_integer(char* at, int64_t value);

#endif
