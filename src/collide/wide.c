// collide/wide.c: exact sums of products of up to three doubles.
#include "collide/wide.h"

#include <string.h>

enum { product_digits = 6 };

// A double is sign * mantissa * 2^(shift - 1074), shift >= 0.
typedef struct parts {
    int sign, shift;
    uint64_t mantissa;
} parts;

static parts parts_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    uint64_t fraction = bits & 0xfffffffffffffull;
    int exponent = (int)(bits >> 52 & 0x7ff);
    int sign = bits >> 63 ? -1 : 1;
    if (exponent == 0) {
        return (parts){sign, 0, fraction};
    }
    return (parts){sign, exponent - 1, fraction | 0x10000000000000ull};
}

// digits *= factor < 2^32.
static void multiply(uint32_t digits[product_digits], uint32_t factor)
{
    uint64_t carry = 0;
    for (int i = 0; i < product_digits; ++i) {
        carry += (uint64_t)digits[i] * factor;
        digits[i] = (uint32_t)carry;
        carry >>= 32;
    }
}

// digits *= mantissa < 2^53, as a product of two parts: x (h 2^32 + l) = x h 2^32 + x l.
static void multiply_wide(uint32_t digits[product_digits], uint64_t mantissa)
{
    uint32_t high[product_digits];
    memcpy(high, digits, sizeof high);
    multiply(digits, (uint32_t)mantissa);
    multiply(high, (uint32_t)(mantissa >> 32));
    uint64_t carry = 0;
    for (int i = 1; i < product_digits; ++i) {
        carry += (uint64_t)digits[i] + high[i - 1];
        digits[i] = (uint32_t)carry;
        carry >>= 32;
    }
}

void dr_wide_clear(dr_wide* sum)
{
    memset(sum, 0, sizeof *sum);
}

void dr_wide_add(dr_wide* sum, double a, double b, double c)
{
    parts x = parts_of(a), y = parts_of(b), z = parts_of(c);
    int shift = x.shift + y.shift + z.shift;
    // 159 bits of mantissas and at most 31 of shift fit six digits.
    uint32_t digits[product_digits] = {(uint32_t)x.mantissa, (uint32_t)(x.mantissa >> 32)};
    multiply_wide(digits, y.mantissa);
    multiply_wide(digits, z.mantissa);
    multiply(digits, 1u << shift % 32);

    int64_t* at = sum->digits + shift / 32;
    int sign = x.sign * y.sign * z.sign;
    for (int i = 0; i < product_digits; ++i) {
        at[i] += sign * (int64_t)digits[i];
    }
}

int dr_wide_sign(const dr_wide* sum)
{
    int64_t carry = 0, any = 0;
    for (int i = 0; i < DR_WIDE_DIGITS; ++i) {
        // What is above 32 bits goes on, rounded down, so that every digit left here is positive.
        int64_t value = sum->digits[i] + carry;
        int64_t digit = value & 0xffffffff;
        carry = (value - digit) / 0x100000000;
        any |= digit;
    }
    return carry < 0 ? -1 : carry > 0 || any ? 1 : 0;
}
