// The counter-based generator: repeatable, even, without visible pattern.
#include <math.h>

#include "core/random.h"
#include "core_test.h"

enum { sample_count = 1 << 16 };

START_TEST(numbers_are_the_same_everywhere)
{
    // Worked out apart from this code, with integers of any size.
    ck_assert_uint_eq(dr_random_u32(0, 0), 0xe220a839u);
    ck_assert_uint_eq(dr_random_u32(0, 1), 0x910a2decu);
    ck_assert_uint_eq(dr_random_u32(1, 0), 0xc42c5a1au);
    ck_assert_uint_eq(dr_random_u32(0xffffffffu, 0xffffffffu), 0xe4d97177u);
}
END_TEST

START_TEST(ranges_hold)
{
    for (uint32_t i = 0; i < sample_count; ++i) {
        float unit = dr_random_unit(3, i);
        float both = dr_random_signed(3, i);
        ck_assert(unit >= 0.0f && unit < 1.0f);
        ck_assert(both >= -1.0f && both < 1.0f);
        ck_assert_float_eq(both, 2.0f * unit - 1.0f);
    }
}
END_TEST

START_TEST(mean_and_spread_are_those_of_even_chance)
{
    for (uint32_t seed = 0; seed < 8; ++seed) {
        double sum = 0.0, squares = 0.0;
        for (uint32_t i = 0; i < sample_count; ++i) {
            double x = dr_random_signed(seed, i);
            sum += x;
            squares += x * x;
        }
        // Five standard errors: 1/sqrt(3 n) of the mean, sqrt(4/45 / n) of the mean square.
        ck_assert_double_lt(fabs(sum / sample_count), 5.0 / sqrt(3.0 * sample_count));
        ck_assert_double_lt(fabs(squares / sample_count - 1.0 / 3.0),
                            5.0 * sqrt(4.0 / 45.0 / sample_count));
    }
}
END_TEST

// The mean product of two streams of n numbers in [-1, 1) is within five standard errors of zero.
static void check_uncorrelated(double sum_of_products)
{
    ck_assert_double_lt(fabs(sum_of_products / sample_count), 5.0 / (3.0 * sqrt(sample_count)));
}

START_TEST(neighbours_know_nothing_of_each_other)
{
    for (uint32_t step = 1; step <= 4096; step *= 2) {
        double along = 0.0, across = 0.0;
        for (uint32_t i = 0; i < sample_count; ++i) {
            double x = dr_random_signed(11, i);
            along += x * dr_random_signed(11, i + step);
            across += x * dr_random_signed(11 + step, i);
        }
        check_uncorrelated(along);
        check_uncorrelated(across);
    }
}
END_TEST

START_TEST(one_bit_of_input_turns_half_of_the_output)
{
    for (int bit = 0; bit < 64; ++bit) {
        int turned = 0;
        for (uint32_t i = 0; i < 4096; ++i) {
            uint32_t seed = i * 7, counter = i;
            uint32_t other_seed = bit < 32 ? seed : seed ^ 1u << (bit - 32);
            uint32_t other_counter = bit < 32 ? counter ^ 1u << bit : counter;
            turned += __builtin_popcount(dr_random_u32(seed, counter) ^
                                         dr_random_u32(other_seed, other_counter));
        }
        ck_assert_double_eq_tol(turned / 4096.0, 16.0, 0.5);
    }
}
END_TEST

int main(void)
{
    Suite* suite = suite_create("random");
    TCase* cases = tcase_create("random");
    tcase_add_test(cases, numbers_are_the_same_everywhere);
    tcase_add_test(cases, ranges_hold);
    tcase_add_test(cases, mean_and_spread_are_those_of_even_chance);
    tcase_add_test(cases, neighbours_know_nothing_of_each_other);
    tcase_add_test(cases, one_bit_of_input_turns_half_of_the_output);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
