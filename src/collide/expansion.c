// collide/expansion.c: exact sums and products of doubles.
#include "collide/expansion.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

int dr_expansion_of(double value, double* out)
{
    out[0] = value;
    return value != 0.0;
}

int dr_expansion_of_two(dr_two value, double* out)
{
    int count = 0;
    if (value.low != 0.0) {
        out[count++] = value.low;
    }
    if (value.high != 0.0) {
        out[count++] = value.high;
    }
    return count;
}

// Merges by magnitude and carries the running sum upwards. A part is written only after two were
// read, which dr_expansion_add relies on.
int dr_expansion_sum(int a_count, const double* a, int b_count, const double* b, double* out)
{
    int i = 0, j = 0, count = 0;
    double carry = 0.0;
    while (i < a_count || j < b_count) {
        bool from_a = j == b_count || (i < a_count && fabs(a[i]) < fabs(b[j]));
        dr_two sum = dr_two_sum(carry, from_a ? a[i++] : b[j++]);
        carry = sum.high;
        if (sum.low != 0.0) {
            out[count++] = sum.low;
        }
    }
    if (carry != 0.0) {
        out[count++] = carry;
    }
    return count;
}

int dr_expansion_add(int count, double* e, int b_count, const double* b)
{
    // Moved up by b_count, the unread parts of e are always ahead of what is written.
    memmove(e + b_count, e, (size_t)count * sizeof *e);
    return dr_expansion_sum(count, e + b_count, b_count, b, e);
}

int dr_expansion_scale(int count, const double* a, double s, double* out)
{
    if (count == 0 || s == 0.0) {
        return 0;
    }
    dr_two s_split = dr_split(s);
    dr_two product = dr_two_product_split(a[0], s, s_split);
    double carry = product.high;
    int length = 0;
    if (product.low != 0.0) {
        out[length++] = product.low;
    }
    for (int i = 1; i < count; ++i) {
        product = dr_two_product_split(a[i], s, s_split);
        dr_two low = dr_two_sum(carry, product.low);
        dr_two high = dr_fast_two_sum(product.high, low.high);
        carry = high.high;
        if (low.low != 0.0) {
            out[length++] = low.low;
        }
        if (high.low != 0.0) {
            out[length++] = high.low;
        }
    }
    if (carry != 0.0) {
        out[length++] = carry;
    }
    return length;
}

int dr_expansion_product(int a_count, const double* a, int b_count, const double* b, double* out)
{
    // Rows a * b[j] are made behind the room of the result and added one by one to the first.
    double* row = out + 2 * a_count * b_count;
    int count = b_count > 0 ? dr_expansion_scale(a_count, a, b[0], out) : 0;
    for (int j = 1; j < b_count; ++j) {
        int row_count = dr_expansion_scale(a_count, a, b[j], row);
        count = dr_expansion_add(count, out, row_count, row);
    }
    return count;
}

void dr_expansion_negate(int count, double* e)
{
    for (int i = 0; i < count; ++i) {
        e[i] = -e[i];
    }
}

double dr_expansion_estimate(int count, const double* e)
{
    double sum = 0.0;
    for (int i = 0; i < count; ++i) {
        sum += e[i];
    }
    return sum;
}

// The value is a multiple of 2^low and smaller than 2^high. Quickly 2^low is what its exponent
// allows; else its lowest bit that is set.
static void bit_range(double value, bool quick, int* low, int* high)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    int exponent = (int)(bits >> 52 & 0x7ff);
    // Subnormal numbers have the exponent of the smallest normal ones, without the leading bit.
    uint64_t mantissa = (bits & 0xfffffffffffffull) | (uint64_t)(exponent > 0) << 52;
    exponent += exponent == 0;
    *low = exponent - 1075;
    *high = exponent - 1022;
    if (!quick) {
        *low += ilogb((double)(mantissa & (~mantissa + 1)));
    }
}

// The range of all values that are not zero; low > high when there are none.
static void bit_range_of_all(int count, const double* values, bool quick, int* low, int* high)
{
    *low = 2000;
    *high = -2000;
    for (int i = 0; i < count; ++i) {
        if (values[i] != 0.0) {
            int value_low, value_high;
            bit_range(values[i], quick, &value_low, &value_high);
            *low = value_low < *low ? value_low : *low;
            *high = value_high > *high ? value_high : *high;
        }
    }
}

bool dr_exact_shift(int count, const double* values, int degree, int* shift)
{
    // The range that all values must be moved into; one bit for a difference of two.
    int least = -(1074 / degree), most = 970 / degree - 1;
    int low, high;
    *shift = 0;
    bit_range_of_all(count, values, true, &low, &high);
    if (low > high || (low >= least && high <= most)) {
        return true;
    }
    // Infinities and NaN.
    if (high > 1024) {
        return false;
    }
    bit_range_of_all(count, values, false, &low, &high);
    *shift = low < least ? least - low : high > most ? most - high : 0;
    return high + *shift <= most && low + *shift >= least;
}
