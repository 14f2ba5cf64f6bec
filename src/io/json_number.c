#include "io/json_number.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

// --- Whole numbers of up to 4096 bits ---

// Enough for 801 digits over 10^1130, the worst that reading can meet.
#define LIMBS 128

typedef struct big {
    uint32_t limb[LIMBS]; // lowest first; those from `count` on are not kept
    int count;            // without leading zeros
} big;

static void big_set(big* a, uint64_t value)
{
    a->count = 0;
    for (; value > 0; value >>= 32) {
        a->limb[a->count++] = (uint32_t)value;
    }
}

static void big_multiply_add(big* a, uint32_t factor, uint32_t addend)
{
    uint64_t carry = addend;
    for (int i = 0; i < a->count; ++i) {
        carry += (uint64_t)a->limb[i] * factor;
        a->limb[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry > 0) {
        a->limb[a->count++] = (uint32_t)carry;
    }
}

static void big_multiply_power_of_ten(big* a, int exponent)
{
    for (; exponent >= 9; exponent -= 9) {
        big_multiply_add(a, 1000000000u, 0);
    }
    for (; exponent > 0; --exponent) {
        big_multiply_add(a, 10, 0);
    }
}

static void big_shift_left(big* a, int bits)
{
    if (a->count == 0 || bits == 0) {
        return;
    }
    int words = bits / 32;
    int rest = bits % 32;
    a->limb[a->count] = 0;
    for (int i = a->count; i >= 0; --i) {
        uint32_t low = i > 0 && rest > 0 ? a->limb[i - 1] >> (32 - rest) : 0;
        a->limb[i + words] = (a->limb[i] << rest) | low;
    }
    memset(a->limb, 0, (size_t)words * sizeof(a->limb[0]));
    a->count += words + (a->limb[a->count + words] != 0 ? 1 : 0);
}

static int big_compare(const big* a, const big* b)
{
    if (a->count != b->count) {
        return a->count < b->count ? -1 : 1;
    }
    for (int i = a->count - 1; i >= 0; --i) {
        if (a->limb[i] != b->limb[i]) {
            return a->limb[i] < b->limb[i] ? -1 : 1;
        }
    }
    return 0;
}

// a -= b, for a >= b.
static void big_subtract(big* a, const big* b)
{
    int64_t borrow = 0;
    for (int i = 0; i < a->count; ++i) {
        borrow += (int64_t)a->limb[i] - (i < b->count ? b->limb[i] : 0);
        a->limb[i] = (uint32_t)borrow;
        borrow >>= 32;
    }
    while (a->count > 0 && a->limb[a->count - 1] == 0) {
        --a->count;
    }
}

static void big_add(big* a, const big* b)
{
    uint64_t carry = 0;
    for (int i = 0; i < a->count || i < b->count || carry > 0; ++i) {
        if (i >= a->count) {
            a->limb[a->count++] = 0;
        }
        carry += (uint64_t)a->limb[i] + (i < b->count ? b->limb[i] : 0);
        a->limb[i] = (uint32_t)carry;
        carry >>= 32;
    }
}

static int bit_length(uint64_t value)
{
    int bits = 0;
    for (; value > 0; value >>= 1) {
        ++bits;
    }
    return bits;
}

static int big_bit_length(const big* a)
{
    return a->count == 0 ? 0 : 32 * (a->count - 1) + bit_length(a->limb[a->count - 1]);
}

static double double_from_bits(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

// --- Reading ---

// More digits than these cannot change the result but by not being zero.
#define MAX_DIGITS 800

// A number as digits and a power of ten: 0.d1 d2 d3 ... times 10^point.
typedef struct decimal {
    const char* text;
    size_t length;
    int digit_count; // significant ones that are kept
    int point;
    uint64_t leading; // the first 19 digits as one number
    bool more;        // digits that are not zero were left out
    bool negative;
} decimal;

// An exponent that no number of digits can bring back.
#define MAX_EXPONENT 1000000000

static int read_exponent(const char* at, const char* end)
{
    bool negative = at < end && *at == '-';
    at += at < end && (*at == '-' || *at == '+') ? 1 : 0;
    int value = 0;
    for (; at < end; ++at) {
        value = value < MAX_EXPONENT / 10 ? value * 10 + (*at - '0') : MAX_EXPONENT;
    }
    return negative ? -value : value;
}

static void decimal_add_digit(decimal* number, int digit)
{
    if (number->digit_count == 0 && digit == 0) {
        return; // leading zeros do not count
    }
    if (number->digit_count == MAX_DIGITS) {
        number->more = number->more || digit != 0;
        return;
    }
    if (number->digit_count < 19) {
        number->leading = number->leading * 10 + (uint64_t)digit;
    }
    ++number->digit_count;
}

static decimal decimal_scan(const char* text, size_t length)
{
    decimal number = {.text = text, .length = length};
    const char* end = text + length;
    const char* at = text;
    if (at < end && *at == '-') {
        number.negative = true;
        ++at;
    }
    int64_t point = 0;
    bool fraction = false;
    for (; at < end && *at != 'e' && *at != 'E'; ++at) {
        if (*at == '.') {
            fraction = true;
            continue;
        }
        decimal_add_digit(&number, *at - '0');
        // The point moves right with every digit before it, left with every zero after it.
        if (!fraction && number.digit_count > 0) {
            ++point;
        } else if (fraction && number.digit_count == 0) {
            --point;
        }
    }
    point += at < end ? read_exponent(at + 1, end) : 0;
    number.point =
        point > MAX_EXPONENT ? MAX_EXPONENT : (int)(point < -MAX_EXPONENT ? -MAX_EXPONENT : point);
    return number;
}

static void decimal_digits(const decimal* number, big* digits)
{
    big_set(digits, 0);
    int taken = 0;
    for (const char* at = number->text; taken < number->digit_count; ++at) {
        if (*at >= '0' && *at <= '9' && (taken > 0 || *at != '0')) {
            big_multiply_add(digits, 10, (uint32_t)(*at - '0'));
            ++taken;
        }
    }
    if (number->more) {
        big_multiply_add(digits, 10, 1);
    }
}

// Rounds numerator / denominator to the nearest double: brings the quotient between 1 and 2, then
// takes bit after bit by long division, and the remainder decides about the last.
static double divide(big* numerator, big* denominator)
{
    int exponent = big_bit_length(numerator) - big_bit_length(denominator);
    big_shift_left(exponent > 0 ? denominator : numerator, exponent > 0 ? exponent : -exponent);
    if (big_compare(numerator, denominator) < 0) {
        --exponent;
        big_shift_left(numerator, 1);
    }
    if (exponent > 1023) {
        return INFINITY;
    }
    int precision = exponent >= -1022 ? 53 : 53 - (-1022 - exponent);
    if (precision < 0) {
        return 0.0;
    }
    uint64_t mantissa = 0;
    for (int i = 0; i < precision; ++i) {
        mantissa <<= 1;
        if (big_compare(numerator, denominator) >= 0) {
            big_subtract(numerator, denominator);
            mantissa |= 1;
        }
        big_shift_left(numerator, 1);
    }
    int half = big_compare(numerator, denominator);
    mantissa += half > 0 || (half == 0 && (mantissa & 1) != 0) ? 1 : 0;
    // A carry out of the mantissa raises the exponent by itself, up to infinity.
    uint64_t hidden = (uint64_t)1 << 52;
    return double_from_bits(
        precision < 53 ? mantissa : ((uint64_t)(exponent + 1023) << 52) + mantissa - hidden);
}

static double decimal_exact(const decimal* number)
{
    if (number->point > 310) {
        return INFINITY;
    }
    if (number->point < -330) {
        return 0.0;
    }
    big numerator;
    big denominator;
    decimal_digits(number, &numerator);
    big_set(&denominator, 1);
    int exponent = number->point - number->digit_count - (number->more ? 1 : 0);
    big_multiply_power_of_ten(exponent > 0 ? &numerator : &denominator,
                              exponent > 0 ? exponent : -exponent);
    return divide(&numerator, &denominator);
}

double dr_number_read(const char* text, size_t length)
{
    // Powers of ten that a double holds exactly.
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                    1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                    1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    decimal number = decimal_scan(text, length);
    double value = 0.0;
    int exponent = number.point - number.digit_count;
    if (number.digit_count == 0) {
        value = 0.0;
    } else if (number.digit_count <= 19 && number.leading <= (uint64_t)1 << 53 && exponent >= -22 &&
               exponent <= 22) {
        // Both operands are exact, so the one rounding is the right one.
        value = (double)number.leading;
        value = exponent < 0 ? value / powers[-exponent] : value * powers[exponent];
    } else {
        value = decimal_exact(&number);
    }
    return number.negative ? -value : value;
}

// --- Writing ---

// A positive value as mantissa times 2^exponent, and whether the next lower value is only half as
// far away as the next higher one.
typedef struct binary {
    uint64_t mantissa;
    int exponent;
    bool narrow_below;
} binary;

// The digits of a number: 0.d1 d2 d3 ... times 10^point.
typedef struct digits {
    char digit[20];
    int count;
    int point;
} digits;

// State of the digit generator: value / scale is what is left to write, low / scale and high /
// scale are half the distances to the neighbours, in units of the digit that comes next.
typedef struct generator {
    big value, scale, low, high;
    bool even; // the ends of the interval read back as the value too
} generator;

static void generator_times_ten(generator* g)
{
    big_multiply_add(&g->value, 10, 0);
    big_multiply_add(&g->low, 10, 0);
    big_multiply_add(&g->high, 10, 0);
}

static bool reaches_upper_end(const generator* g)
{
    big sum = g->value;
    big_add(&sum, &g->high);
    int order = big_compare(&sum, &g->scale);
    return order > 0 || (order == 0 && g->even);
}

static bool reaches_lower_end(const generator* g)
{
    int order = big_compare(&g->value, &g->low);
    return order < 0 || (order == 0 && g->even);
}

// Sets up the generator so that the first digit is value / scale; returns the place of the point.
static int generator_begin(generator* g, binary number)
{
    int narrow = number.narrow_below ? 1 : 0;
    g->even = (number.mantissa & 1) == 0;
    big_set(&g->value, number.mantissa);
    big_set(&g->scale, 1);
    big_set(&g->low, 1);
    big_set(&g->high, 1);
    int up = number.exponent > 0 ? number.exponent : 0;
    int down = number.exponent < 0 ? -number.exponent : 0;
    big_shift_left(&g->value, up + 1 + narrow);
    big_shift_left(&g->scale, down + 1 + narrow);
    big_shift_left(&g->low, up);
    big_shift_left(&g->high, up + narrow);

    // From the binary exponent the decimal one is known but for one, and never too large.
    double estimate = (bit_length(number.mantissa) + number.exponent - 1) * 0.30102999566398120;
    int point = (int)estimate + (estimate > 0.0 && estimate > (int)estimate ? 1 : 0);
    big_multiply_power_of_ten(&g->scale, point > 0 ? point : 0);
    big_multiply_power_of_ten(&g->value, point < 0 ? -point : 0);
    big_multiply_power_of_ten(&g->low, point < 0 ? -point : 0);
    big_multiply_power_of_ten(&g->high, point < 0 ? -point : 0);
    if (reaches_upper_end(g)) {
        return point + 1;
    }
    generator_times_ten(g);
    return point;
}

// Digits until what is left lies within half the distance to a neighbour (Steele and White; Burger
// and Dybvig, "Printing floating-point numbers quickly and accurately").
static digits shortest_digits(binary number)
{
    generator g;
    digits out = {.count = 0};
    out.point = generator_begin(&g, number);
    for (;;) {
        int digit = 0;
        while (big_compare(&g.value, &g.scale) >= 0) {
            big_subtract(&g.value, &g.scale);
            ++digit;
        }
        bool low = reaches_lower_end(&g);
        bool high = reaches_upper_end(&g);
        if (low && high) {
            // Both this digit and the next would do: take the nearer one.
            big_shift_left(&g.value, 1);
            high = big_compare(&g.value, &g.scale) >= 0;
        }
        out.digit[out.count++] = (char)('0' + digit + (high ? 1 : 0));
        if (low || high) {
            return out;
        }
        generator_times_ten(&g);
    }
}

static size_t put_exponent(char* text, int exponent)
{
    size_t at = 0;
    text[at++] = 'e';
    text[at++] = exponent < 0 ? '-' : '+';
    int rest = exponent < 0 ? -exponent : exponent;
    if (rest >= 100) {
        text[at++] = (char)('0' + rest / 100);
    }
    if (rest >= 10) {
        text[at++] = (char)('0' + rest / 10 % 10);
    }
    text[at++] = (char)('0' + rest % 10);
    return at;
}

// 12.5, 0.001, 100000, and with an exponent where that would take too many zeros.
static size_t put_digits(char* text, const digits* number)
{
    size_t at = 0;
    bool plain = number->point > -6 && number->point <= 21;
    int point = plain ? number->point : 1;
    if (point <= 0) {
        text[at++] = '0';
        text[at++] = '.';
    }
    for (int zeros = point; zeros < 0; ++zeros) {
        text[at++] = '0';
    }
    for (int i = 0; i < number->count; ++i) {
        if (i == point && i > 0) {
            text[at++] = '.';
        }
        text[at++] = number->digit[i];
    }
    for (int zeros = number->count; zeros < point; ++zeros) {
        text[at++] = '0';
    }
    if (!plain) {
        at += put_exponent(text + at, number->point - 1);
    }
    text[at] = '\0';
    return at;
}

static size_t write_number(char text[DR_NUMBER_SIZE], bool negative, binary number)
{
    size_t sign = negative ? 1 : 0;
    text[0] = '-';
    if (number.mantissa == 0) {
        text[sign] = '0';
        text[sign + 1] = '\0';
        return sign + 1;
    }
    digits shortest = shortest_digits(number);
    return sign + put_digits(text + sign, &shortest);
}

size_t dr_number_write_double(char text[DR_NUMBER_SIZE], double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof(bits));
    uint64_t fraction = bits & (((uint64_t)1 << 52) - 1);
    int exponent = (int)(bits >> 52 & 0x7FF);
    binary number = {fraction, -1074, false};
    if (exponent > 0) {
        number.mantissa |= (uint64_t)1 << 52;
        number.exponent = exponent - 1075;
        number.narrow_below = fraction == 0 && exponent > 1;
    }
    return write_number(text, bits >> 63 != 0, number);
}

size_t dr_number_write_float(char text[DR_NUMBER_SIZE], float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    uint32_t fraction = bits & (((uint32_t)1 << 23) - 1);
    int exponent = (int)(bits >> 23 & 0xFF);
    binary number = {fraction, -149, false};
    if (exponent > 0) {
        number.mantissa |= (uint32_t)1 << 23;
        number.exponent = exponent - 150;
        number.narrow_below = fraction == 0 && exponent > 1;
    }
    return write_number(text, bits >> 31 != 0, number);
}
