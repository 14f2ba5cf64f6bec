// Our elementary functions against those of the C library, and against themselves.
#include <float.h>
#include <math.h>
#include <string.h>

#include "core/base.h"
#include "core/math.h"
#include "core/random.h"
#include "core_test.h"

static const long double pi_long = 3.14159265358979323846264338327950288L;
static const double pi = 3.14159265358979323846;

// Even in [low, high].
static double pick(uint32_t seed, uint32_t counter, double low, double high)
{
    double unit = (dr_random_u32(seed, counter) + 0.5) / 4294967296.0;
    return low + (high - low) * unit;
}

// The larger of the worst error so far and a new one. An assert for each would take seconds.
static double worse(double worst, long double error)
{
    double size = (double)fabsl(error);
    return size > worst || isnan(size) ? size : worst;
}

START_TEST(degrees_are_exact_at_quarter_turns)
{
    static const double sines[4] = {0.0, 1.0, 0.0, -1.0};
    for (int quarter = -4000; quarter <= 4000; ++quarter) {
        double degrees = 90.0 * quarter;
        ck_assert_double_eq(dr_sin_degrees(degrees), sines[quarter & 3]);
        ck_assert_double_eq(dr_cos_degrees(degrees), sines[(quarter + 1) & 3]);
        // A zero without a sign, so that nobody prints "-0".
        ck_assert(!signbit(dr_sin_degrees(degrees)) || sines[quarter & 3] != 0.0);
    }
}
END_TEST

START_TEST(degrees_are_rounded_right_between_quarter_turns)
{
    for (int eighth = -2001; eighth <= 2001; eighth += 2) {
        double degrees = 45.0 * eighth;
        ck_assert_double_eq(fabs(dr_sin_degrees(degrees)), sqrt(0.5));
        ck_assert_double_eq(fabs(dr_cos_degrees(degrees)), sqrt(0.5));
    }
}
END_TEST

START_TEST(degrees_match_the_library)
{
    double worst = 0.0;
    for (uint32_t i = 0; i < 200000; ++i) {
        double degrees = pick(1, i, -1000.0, 1000.0);
        long double radians = degrees * (pi_long / 180.0L);
        worst = worse(worst, dr_sin_degrees(degrees) - sinl(radians));
        worst = worse(worst, dr_cos_degrees(degrees) - cosl(radians));
    }
    ck_assert_double_lt(worst, 3e-16);
}
END_TEST

START_TEST(huge_angles_in_degrees_lose_nothing)
{
    // 2^100 is 16 modulo 360; the others by fmod, which is exact.
    ck_assert_double_eq(dr_sin_degrees(0x1p100), dr_sin_degrees(16.0));
    for (uint32_t i = 0; i < 1000; ++i) {
        double degrees = ldexp(pick(2, i, 1.0, 2.0), (int)(dr_random_u32(3, i) % 1000));
        double rest = fmod(degrees, 360.0);
        ck_assert_double_eq(dr_sin_degrees(degrees), dr_sin_degrees(rest));
        ck_assert_double_eq(dr_cos_degrees(-degrees), dr_cos_degrees(rest));
        ck_assert_double_eq(dr_sin_degrees(-degrees), -dr_sin_degrees(rest));
    }
}
END_TEST

START_TEST(radians_match_the_library)
{
    double worst = 0.0;
    for (uint32_t i = 0; i < 200000; ++i) {
        // All sizes from 1e-8 to a million.
        double x = pick(4, i, -1.0, 1.0) * pow(10.0, pick(5, i, -8.0, 6.0));
        worst = worse(worst, dr_sin(x) - sinl(x));
        worst = worse(worst, dr_cos(x) - cosl(x));
    }
    ck_assert_double_lt(worst, 4e-16);
}
END_TEST

START_TEST(small_sines_keep_their_digits)
{
    for (uint32_t i = 0; i < 10000; ++i) {
        double x = pick(6, i, 0.1, 0.7) * pow(10.0, pick(7, i, -300.0, 0.0));
        ck_assert_double_lt((double)fabsl((dr_sin(x) - sinl(x)) / sinl(x)), 3e-16);
    }
}
END_TEST

START_TEST(sine_and_cosine_lie_on_the_circle)
{
    double worst = 0.0;
    for (uint32_t i = 0; i < 20000; ++i) {
        double x = pick(8, i, -1e5, 1e5);
        double s = dr_sin(x), c = dr_cos(x);
        worst = worse(worst, s * s + c * c - 1.0);
        ck_assert_double_eq(dr_sin(-x), -s);
        ck_assert_double_eq(dr_cos(-x), c);
        // However large the angle: still on the circle.
        s = dr_sin(x * 1e200), c = dr_cos(x * 1e200);
        worst = worse(worst, s * s + c * c - 1.0);
    }
    ck_assert_double_lt(worst, 6e-16);
}
END_TEST

START_TEST(angles_match_the_library)
{
    double worst = 0.0;
    for (uint32_t i = 0; i < 200000; ++i) {
        double y = pick(9, i, -1.0, 1.0) * pow(10.0, pick(10, i, -6.0, 6.0));
        double x = pick(11, i, -1.0, 1.0);
        long double exact = atan2l(y, x);
        worst = worse(worst, (dr_atan2(y, x) - exact) / exact);
    }
    ck_assert_double_lt(worst, 6e-16);
}
END_TEST

START_TEST(angle_of_a_sine_and_cosine_comes_back)
{
    double worst = 0.0;
    for (uint32_t i = 0; i < 100000; ++i) {
        double angle = pick(12, i, -pi, pi);
        worst = worse(worst, dr_atan2(dr_sin(angle), dr_cos(angle)) - angle);
    }
    ck_assert_double_lt(worst, 9e-16);
}
END_TEST

START_TEST(odd_points_have_the_angles_of_the_library)
{
    static const double odd[] = {0.0,      -0.0,    1.0,      -1.0,     2.5,      DBL_MIN,
                                 4.9e-324, DBL_MAX, -DBL_MAX, INFINITY, -INFINITY};
    enum { odd_count = sizeof(odd) / sizeof(odd[0]) };
    for (int i = 0; i < odd_count; ++i) {
        for (int k = 0; k < odd_count; ++k) {
            double expected = atan2(odd[i], odd[k]);
            double angle = dr_atan2(odd[i], odd[k]);
            ck_assert_double_eq_tol(angle, expected, 5e-16);
            ck_assert(!signbit(angle) == !signbit(expected));
        }
    }
    ck_assert_double_nan(dr_atan2(NAN, 1.0));
    ck_assert_double_nan(dr_atan2(1.0, NAN));
}
END_TEST

START_TEST(exponentials_match_the_library)
{
    double worst = 0.0;
    for (uint32_t i = 0; i < 200000; ++i) {
        double x = pick(13, i, -707.0, 709.0);
        long double exact = expl(x);
        worst = worse(worst, (dr_exp(x) - exact) / exact);
    }
    ck_assert_double_lt(worst, 3e-16);
    for (uint32_t i = 0; i < 1000; ++i) {
        // Subnormal results: within one of their units.
        double x = pick(14, i, -745.2, -708.0);
        ck_assert_double_le(fabs(dr_exp(x) - exp(x)), 4.9e-324);
    }
}
END_TEST

START_TEST(exponentials_end_like_the_library)
{
    ck_assert_double_eq(dr_exp(0.0), 1.0);
    ck_assert_double_eq(dr_exp(-0.0), 1.0);
    ck_assert_double_eq(dr_exp(709.79), INFINITY);
    ck_assert_double_eq(dr_exp(1e300), INFINITY);
    ck_assert_double_eq(dr_exp(INFINITY), INFINITY);
    ck_assert_double_eq(dr_exp(-745.2), 0.0);
    ck_assert_double_eq(dr_exp(-1e300), 0.0);
    ck_assert_double_eq(dr_exp(-INFINITY), 0.0);
    ck_assert_double_nan(dr_exp(NAN));
    double largest = dr_exp(709.78);
    ck_assert(largest > 1.7e308 && largest < INFINITY);
}
END_TEST

START_TEST(what_is_no_angle_has_no_sine)
{
    static const double odd[3] = {NAN, INFINITY, -INFINITY};
    for (int i = 0; i < 3; ++i) {
        ck_assert_double_nan(dr_sin(odd[i]));
        ck_assert_double_nan(dr_cos(odd[i]));
        ck_assert_double_nan(dr_sin_degrees(odd[i]));
        ck_assert_double_nan(dr_cos_degrees(odd[i]));
    }
}
END_TEST

static uint64_t hash_double(uint64_t hash, double value)
{
    uint64_t bits;
    unsigned char bytes[8];
    memcpy(&bits, &value, sizeof(bits));
    for (int i = 0; i < 8; ++i) {
        bytes[i] = (unsigned char)(bits >> 8 * i);
    }
    return dr_hash_bytes(hash, bytes, sizeof(bytes));
}

START_TEST(bits_are_the_same_everywhere)
{
    uint64_t hash = DR_HASH_START;
    for (uint32_t i = 0; i < 20000; ++i) {
        double x = pick(15, i, -500.0, 500.0), y = pick(16, i, -500.0, 500.0);
        hash = hash_double(hash, dr_sin_degrees(x));
        hash = hash_double(hash, dr_cos_degrees(y));
        hash = hash_double(hash, dr_sin(x));
        hash = hash_double(hash, dr_cos(y));
        hash = hash_double(hash, dr_atan2(y, x));
        hash = hash_double(hash, dr_exp(x));
    }
    ck_assert_uint_eq(hash, 0x42b9308fdd695c70ull);
}
END_TEST

int main(void)
{
    Suite* suite = suite_create("math");
    TCase* cases = tcase_create("math");
    tcase_add_test(cases, degrees_are_exact_at_quarter_turns);
    tcase_add_test(cases, degrees_are_rounded_right_between_quarter_turns);
    tcase_add_test(cases, degrees_match_the_library);
    tcase_add_test(cases, huge_angles_in_degrees_lose_nothing);
    tcase_add_test(cases, radians_match_the_library);
    tcase_add_test(cases, small_sines_keep_their_digits);
    tcase_add_test(cases, sine_and_cosine_lie_on_the_circle);
    tcase_add_test(cases, angles_match_the_library);
    tcase_add_test(cases, angle_of_a_sine_and_cosine_comes_back);
    tcase_add_test(cases, odd_points_have_the_angles_of_the_library);
    tcase_add_test(cases, exponentials_match_the_library);
    tcase_add_test(cases, exponentials_end_like_the_library);
    tcase_add_test(cases, what_is_no_angle_has_no_sine);
    tcase_add_test(cases, bits_are_the_same_everywhere);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
