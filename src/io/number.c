#include "io/number.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

// Powers of ten that a double holds exactly.
static const double exact_powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                      1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                      1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
#define EXACT_POWER_MAX 22

static bool is_digit(char letter)
{
    return letter >= '0' && letter <= '9';
}

// `value` times ten to the `power`, each step off by half a unit of the last place at most.
static double scale_by_ten(double value, int power)
{
    for (; power > EXACT_POWER_MAX; power -= EXACT_POWER_MAX) {
        value *= exact_powers[EXACT_POWER_MAX];
    }
    for (; power < -EXACT_POWER_MAX; power += EXACT_POWER_MAX) {
        value /= exact_powers[EXACT_POWER_MAX];
    }
    return power < 0 ? value / exact_powers[-power] : value * exact_powers[power];
}

// --- Reading: whole numbers of any length ---

// A middle between two floats has at most 113 digits. Keeping more, and a 1 for any that are
// dropped, decides every comparison with one.
#define DIGITS_KEPT 120
// 120 digits against a middle down to 2^-150: neither side reaches 640 bits.
#define WORD_COUNT 24

typedef struct natural {
    uint32_t words[WORD_COUNT]; // the least first
} natural;

static void natural_multiply_add(natural* n, uint32_t factor, uint32_t term)
{
    uint64_t carry = term;
    for (int k = 0; k < WORD_COUNT; ++k) {
        carry += (uint64_t)n->words[k] * factor;
        n->words[k] = (uint32_t)carry;
        carry >>= 32;
    }
}

static void natural_multiply_power(natural* n, uint32_t base, int power)
{
    for (int k = 0; k < power; ++k) {
        natural_multiply_add(n, base, 0);
    }
}

static int natural_compare(const natural* a, const natural* b)
{
    for (int k = WORD_COUNT - 1; k >= 0; --k) {
        if (a->words[k] != b->words[k]) {
            return a->words[k] < b->words[k] ? -1 : 1;
        }
    }
    return 0;
}

// --- Reading floats ---

// A decimal: the whole number its digits spell, times ten to the `power`.
typedef struct decimal {
    const char* first;   // the first digit that is not zero, null when all are
    const char* last;    // behind the last digit
    int64_t digit_count; // from `first` on
    uint64_t leading;    // the first of them, LEADING_DIGITS at most
    int64_t power;
} decimal;

// As many as always fit 64 bits.
#define LEADING_DIGITS 19

static const char* scan_digits(decimal* d, const char* at, const char* end)
{
    bool has_point = false;
    bool has_digit = false;
    for (; at < end && (is_digit(*at) || (*at == '.' && !has_point)); ++at) {
        if (*at == '.') {
            has_point = true;
            continue;
        }
        has_digit = true;
        d->power -= has_point;
        d->first = d->first == NULL && *at != '0' ? at : d->first;
        d->digit_count += d->first != NULL;
        if (d->digit_count <= LEADING_DIGITS) {
            d->leading = d->leading * 10 + (uint64_t)(*at - '0');
        }
    }
    d->last = at;
    return has_digit ? at : NULL;
}

// An `e` without digits behind it is not part of the number.
static const char* scan_exponent(decimal* d, const char* at, const char* end)
{
    if (at == end || (*at != 'e' && *at != 'E')) {
        return at;
    }
    const char* digits = at + 1;
    bool is_negative = digits < end && *digits == '-';
    if (digits < end && (*digits == '-' || *digits == '+')) {
        ++digits;
    }
    if (digits == end || !is_digit(*digits)) {
        return at;
    }
    int64_t exponent = 0;
    for (; digits < end && is_digit(*digits); ++digits) {
        exponent = exponent < INT64_MAX / 100 ? exponent * 10 + (*digits - '0') : exponent;
    }
    d->power += is_negative ? -exponent : exponent;
    return digits;
}

// Compares the decimal with `mantissa` times two to the `binary_power`, exactly.
static int decimal_compare(const decimal* d, uint32_t mantissa, int binary_power)
{
    natural left = {{0}};
    natural right = {{mantissa}};
    int64_t kept = 0;
    bool drops = false;
    for (const char* at = d->first; at < d->last; ++at) {
        if (*at == '.') {
            continue;
        }
        if (kept < DIGITS_KEPT) {
            natural_multiply_add(&left, 10, (uint32_t)(*at - '0'));
            ++kept;
        } else {
            drops = drops || *at != '0';
        }
    }
    int power = (int)(d->power + (d->digit_count - kept));
    if (drops) {
        natural_multiply_add(&left, 10, 1);
        --power;
    }
    natural_multiply_power(power < 0 ? &right : &left, 10, power < 0 ? -power : power);
    natural_multiply_power(binary_power < 0 ? &left : &right, 2,
                           binary_power < 0 ? -binary_power : binary_power);
    return natural_compare(&left, &right);
}

// The nearer of the two floats around `estimate`, a double within a few of its units of the
// decimal.
static float round_exactly(const decimal* d, double estimate)
{
    float below = (float)estimate;
    uint32_t bits;
    memcpy(&bits, &below, sizeof bits);
    bits -= (double)below > estimate;
    // The middle to the float above: one more bit of mantissa.
    uint32_t biased = bits >> 23;
    uint32_t fraction = (bits & 0x7fffffu) | (biased > 0 ? 0x800000u : 0u);
    int order = decimal_compare(d, 2 * fraction + 1, (biased > 0 ? (int)biased : 1) - 151);
    bits += order > 0 || (order == 0 && (bits & 1u) != 0);
    memcpy(&below, &bits, sizeof below);
    return below;
}

static float decimal_to_float(const decimal* d)
{
    int64_t power =
        d->power + (d->digit_count > LEADING_DIGITS ? d->digit_count - LEADING_DIGITS : 0);
    // Below half the least float, and above the greatest, whatever the leading digits are.
    if (d->first == NULL || power < -65) {
        return 0.0f;
    }
    if (power > 38) {
        return INFINITY;
    }
    double estimate = scale_by_ten((double)d->leading, (int)power);
    if (estimate >= 0x1p128) {
        return INFINITY;
    }
    // The 29 bits a float has not: far from their middle, rounding cannot go wrong.
    uint64_t bits;
    memcpy(&bits, &estimate, sizeof bits);
    int64_t from_middle = (int64_t)(bits & 0x1fffffffu) - 0x10000000;
    if (estimate >= (double)FLT_MIN && (from_middle > 16 || from_middle < -16)) {
        return (float)estimate;
    }
    return round_exactly(d, estimate);
}

// `word` in any case at the start of [at, end): the place behind it, or null.
static const char* scan_word(const char* at, const char* end, const char* word)
{
    for (; *word != '\0'; ++word, ++at) {
        if (at == end || (*at | 0x20) != *word) {
            return NULL;
        }
    }
    return at;
}

static const char* scan_special(const char* at, const char* end, float* value)
{
    static const struct {
        const char* word;
        float value;
    } specials[] = {{"infinity", INFINITY}, {"inf", INFINITY}, {"nan", NAN}};
    for (size_t k = 0; k < sizeof specials / sizeof specials[0]; ++k) {
        const char* behind = scan_word(at, end, specials[k].word);
        if (behind != NULL) {
            *value = specials[k].value;
            return behind;
        }
    }
    return NULL;
}

const char* dr_parse_float(const char* at, const char* end, float* value)
{
    bool is_negative = at < end && *at == '-';
    if (at < end && (*at == '-' || *at == '+')) {
        ++at;
    }
    decimal d = {0};
    const char* behind = scan_digits(&d, at, end);
    if (behind != NULL) {
        behind = scan_exponent(&d, behind, end);
        *value = decimal_to_float(&d);
    } else {
        behind = scan_special(at, end, value);
    }
    if (behind != NULL && is_negative) {
        *value = -*value;
    }
    return behind;
}

const char* dr_parse_integer(const char* at, const char* end, int64_t* value)
{
    bool is_negative = at < end && *at == '-';
    if (at < end && (*at == '-' || *at == '+')) {
        ++at;
    }
    if (at == end || !is_digit(*at)) {
        return NULL;
    }
    int64_t number = 0;
    bool overflows = false;
    for (; at < end && is_digit(*at); ++at) {
        int digit = *at - '0';
        overflows = overflows || number > (INT64_MAX - digit) / 10;
        number = overflows ? 0 : number * 10 + digit;
    }
    if (overflows) {
        *value = is_negative ? INT64_MIN : INT64_MAX;
    } else {
        *value = is_negative ? -number : number;
    }
    return at;
}

// --- Writing ---

// Letters of a natural number from the back: the place of the first.
static char* digits_before(char* end, uint64_t value)
{
    do {
        *--end = (char)('0' + value % 10);
        value /= 10;
    } while (value > 0);
    return end;
}

char* dr_format_integer(char* at, int64_t value)
{
    char letters[DR_NUMBER_LETTERS];
    char* end = letters + sizeof letters;
    uint64_t size = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    char* first = digits_before(end, size);
    if (value < 0) {
        *at++ = '-';
    }
    memcpy(at, first, (size_t)(end - first));
    return at + (end - first);
}

// printf is exact where doubles are not, but its point is the locale's.
static char* format_by_printf(char* at, float value)
{
    char letters[64];
    snprintf(letters, sizeof letters, "%.9g", (double)value);
    bool was_odd = false;
    for (const char* from = letters; *from != '\0'; ++from) {
        bool is_plain = is_digit(*from) || strchr("+-einfa", *from) != NULL;
        if (is_plain) {
            *at++ = *from;
        } else if (!was_odd) {
            *at++ = '.';
        }
        was_odd = !is_plain;
    }
    return at;
}

// Nine digits as "%.9g" lays them out: `exponent` is that of the first.
static char* lay_out_digits(char* at, uint64_t nine_digits, int exponent)
{
    char digits[9];
    digits_before(digits + 9, nine_digits);
    int count = 9;
    while (count > 1 && digits[count - 1] == '0') {
        --count;
    }
    bool is_scientific = exponent < -4 || exponent >= 9;
    int before_point = is_scientific ? 1 : exponent + 1;
    if (before_point <= 0) {
        *at++ = '0';
        *at++ = '.';
        for (int k = before_point; k < 0; ++k) {
            *at++ = '0';
        }
    }
    for (int k = 0; k < count || k < before_point; ++k) {
        if (k == before_point && k > 0) {
            *at++ = '.';
        }
        *at++ = k < count ? digits[k] : '0';
    }
    if (is_scientific) {
        *at++ = 'e';
        *at++ = exponent < 0 ? '-' : '+';
        int size = exponent < 0 ? -exponent : exponent;
        *at++ = (char)('0' + size / 10);
        *at++ = (char)('0' + size % 10);
    }
    return at;
}

char* dr_format_float(char* at, float value)
{
    if (!isfinite(value) || value == 0.0f) {
        return format_by_printf(at, value);
    }
    // Scaled to nine digits before the point; the guess from the binary exponent is low by one at
    // most.
    double size = fabs((double)value);
    int binary_exponent;
    frexp(size, &binary_exponent);
    int exponent = (int)floor((binary_exponent - 1) * 0.30102999566398120);
    double scaled = scale_by_ten(size, 8 - exponent);
    if (scaled >= 1e9) {
        ++exponent;
        scaled = scale_by_ten(size, 8 - exponent);
    }
    // A double is off by less than a millionth here; nearer to a tie than that, it cannot decide.
    double whole = floor(scaled);
    double part = scaled - whole;
    if (whole < 1e8 || whole >= 999999999.0 || fabs(part - 0.5) < 1e-5) {
        return format_by_printf(at, value);
    }
    if (value < 0.0f) {
        *at++ = '-';
    }
    return lay_out_digits(at, (uint64_t)whole + (part > 0.5), exponent);
}
