#include "core/math.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

_Static_assert(FLT_EVAL_METHOD == 0, "doubles must be computed as doubles");

static const double pi = 3.14159265358979323846;

// An angle as a number of quarter turns and a rest of at most an eighth of a turn either way.
typedef struct quarter_angle {
    double rest; // radians, |rest| <= pi/4
    unsigned quarters;
} quarter_angle;

// Taylor series; the first term left out is below 1e-19 for |x| <= pi/4.
static double series_sin(double x)
{
    double s = x * x;
    double tail = s * (1.0 / 6227020800.0 - s * (1.0 / 1307674368000.0 - s / 355687428096000.0));
    tail = s * (1.0 / 120 - s * (1.0 / 5040 - s * (1.0 / 362880 - s * (1.0 / 39916800 - tail))));
    return x - x * s * (1.0 / 6 - tail);
}

static double series_cos(double x)
{
    double s = x * x;
    double tail = s * (1.0 / 479001600 - s * (1.0 / 87178291200.0 - s / 20922789888000.0));
    tail = s * (1.0 / 24 - s * (1.0 / 720 - s * (1.0 / 40320 - s * (1.0 / 3628800 - tail))));
    return 1.0 - s * (0.5 - tail);
}

// The sine of a whole angle. Taken from zero, so that a negated zero stays positive.
static double quarter_sin(quarter_angle angle)
{
    const double eighth = 45.0 * (pi / 180.0), sqrt_half = 0.70710678118654752440;
    double value = angle.quarters & 1 ? series_cos(angle.rest) : series_sin(angle.rest);
    // Where sine and cosine are one number the two series may not differ in a last digit.
    if (angle.rest == eighth || angle.rest == -eighth) {
        value = value < 0.0 ? -sqrt_half : sqrt_half;
    }
    return angle.quarters & 2 ? 0.0 - value : value;
}

// The rest of x >= 0 modulo the period, by long division in binary: exact, however large x is.
static double wrap(double x, double period)
{
    double multiple = period;
    while (multiple <= x / 2) {
        multiple *= 2;
    }
    for (; multiple >= period; multiple /= 2) {
        if (x >= multiple) {
            x -= multiple;
        }
    }
    return x;
}

// For 0 <= degrees < infinity. The rest in degrees is exact: it has no more digits than the angle.
static quarter_angle reduce_degrees(double degrees)
{
    double angle = wrap(degrees, 360.0);
    unsigned quarters = (unsigned)(angle / 90.0 + 0.5);
    return (quarter_angle){(angle - 90.0 * quarters) * (pi / 180.0), quarters};
}

double dr_sin_degrees(double degrees)
{
    if (!isfinite(degrees)) {
        return NAN;
    }
    return degrees < 0.0 ? 0.0 - quarter_sin(reduce_degrees(-degrees))
                         : quarter_sin(reduce_degrees(degrees));
}

double dr_cos_degrees(double degrees)
{
    if (!isfinite(degrees)) {
        return NAN;
    }
    quarter_angle angle = reduce_degrees(degrees < 0.0 ? -degrees : degrees);
    ++angle.quarters;
    return quarter_sin(angle);
}

// For 0 <= radians < infinity. Subtracts quarters times pi/2, which is cut into pieces of 33 bits
// so that the products with up to 20 bits are exact.
static quarter_angle reduce_radians(double radians)
{
    const double high = 0x1.921fb544p+0, middle = 0x1.0b4611a6p-34, low = 0x1.3198a2e037073p-69;
    double angle = radians > 1e6 ? wrap(radians, 2.0 * pi) : radians;
    unsigned quarters = (unsigned)(angle * (2.0 / pi) + 0.5);
    double rest = ((angle - quarters * high) - quarters * middle) - quarters * low;
    return (quarter_angle){rest, quarters};
}

double dr_sin(double radians)
{
    if (!isfinite(radians)) {
        return NAN;
    }
    return radians < 0.0 ? 0.0 - quarter_sin(reduce_radians(-radians))
                         : quarter_sin(reduce_radians(radians));
}

double dr_cos(double radians)
{
    if (!isfinite(radians)) {
        return NAN;
    }
    quarter_angle angle = reduce_radians(radians < 0.0 ? -radians : radians);
    ++angle.quarters;
    return quarter_sin(angle);
}

// For 0 <= t <= 1: turns by the nearest angle with tangent k/8, and a series for the small rest.
static double atan_unit(double t)
{
    static const double atan_eighths[9] = {
        0.0,
        0.1243549945467614350313548,
        0.2449786631268641541720825,
        0.3587706702705722203959201,
        0.4636476090008061162142562,
        0.5585993153435624359715082,
        0.6435011087932843868028092,
        0.7188299996216245054170142,
        0.7853981633974483096156608,
    };
    int k = (int)(8.0 * t + 0.5);
    double base = k / 8.0;
    double rest = (t - base) / (1.0 + t * base);
    double s = rest * rest;
    double tail = s * (1.0 / 9 - s * (1.0 / 11 - s * (1.0 / 13 - s / 15)));
    tail = s * (1.0 / 3 - s * (1.0 / 5 - s * (1.0 / 7 - tail)));
    return atan_eighths[k] + (rest - rest * tail);
}

// The angle of a point in the first quarter; both infinite counts as the diagonal.
static double atan2_quarter(double y, double x)
{
    if (y > x) {
        return pi / 2 - atan_unit(x / y);
    }
    if (y == x) {
        return x == 0.0 ? 0.0 : pi / 4;
    }
    return atan_unit(y / x);
}

double dr_atan2(double y, double x)
{
    if (isnan(x) || isnan(y)) {
        return NAN;
    }
    double angle = atan2_quarter(signbit(y) ? -y : y, signbit(x) ? -x : x);
    if (signbit(x)) {
        angle = pi - angle;
    }
    return signbit(y) ? -angle : angle;
}

// 2^exponent for normal numbers, from its bits.
static double power_of_two(int exponent)
{
    uint64_t bits = (uint64_t)(1023 + exponent) << 52;
    double power;
    memcpy(&power, &bits, sizeof(power));
    return power;
}

// Taylor series of exp(x) - 1; the first term left out is below 5e-18 for |x| <= ln(2)/2.
static double series_exp_less_one(double x)
{
    double tail = x / 6227020800.0 + 1.0 / 479001600;
    tail = x * (x * (x * tail + 1.0 / 39916800) + 1.0 / 3628800) + 1.0 / 362880;
    tail = x * (x * (x * tail + 1.0 / 40320) + 1.0 / 5040) + 1.0 / 720;
    tail = x * (x * (x * tail + 1.0 / 120) + 1.0 / 24) + 1.0 / 6;
    return x + x * x * (x * tail + 0.5);
}

double dr_exp(double x)
{
    const double ln2_high = 0x1.62e42fefp-1, ln2_low = 0x1.473de6af278edp-34;
    if (isnan(x)) {
        return x;
    }
    if (x > 710.0) {
        return INFINITY;
    }
    if (x < -746.0) {
        return 0.0;
    }
    int k = (int)(x * (1.0 / 0.69314718055994530942) + (x < 0.0 ? -0.5 : 0.5));
    double rest = (x - k * ln2_high) - k * ln2_low;
    double value = 1.0 + series_exp_less_one(rest);
    // In two halves, since 2^k alone may be out of range where the product is not.
    return value * power_of_two(k / 2) * power_of_two(k - k / 2);
}
