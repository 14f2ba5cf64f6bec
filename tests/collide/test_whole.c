// Whole numbers in a pool against those of GMP.
#include <check.h>
#include <float.h>
#include <math.h>

#include "../support.h"
#include "collide/whole.h"
#include "core/random.h"
#include "rational.h"

static dr_whole_pool pool;

static void expect_equal(dr_whole found, mpz_t wanted)
{
    mpz_t value;
    mpz_init(value);
    mpz_import(value, (size_t)found.count, -1, sizeof *found.limbs, 0, 0, found.limbs);
    mpz_mul_si(value, value, found.sign);
    ck_assert_int_eq(mpz_cmp(value, wanted), 0);
    ck_assert(found.sign == mpz_sgn(wanted));
    ck_assert(found.count == 0 || found.limbs[found.count - 1] != 0);
    mpz_clear(value);
}

static double draw(uint32_t seed, uint32_t counter)
{
    double high = dr_random_u32(seed, 2 * counter), low = dr_random_u32(seed, 2 * counter + 1);
    int exponent = (int)(dr_random_u32(seed + 1, counter) % 160);
    // Zeros and numbers of few bits as well.
    return counter % 7 == 0 ? ldexp((double)(counter % 3) - 1.0, exponent)
                            : ldexp(rint((high - 0x1p31) * 0x1p20 + low * 0x1p-12), exponent);
}

START_TEST(sums_and_products_are_exact)
{
    mpz_t a, b, c;
    mpz_inits(a, b, c, NULL);
    for (uint32_t i = 0; i < 20000; ++i) {
        dr_whole_pool_clear(&pool);
        double x = draw(1, i), y = draw(3, i / 2), z = draw(5, i / 3);
        integer_of_units(a, x, 0);
        integer_of_units(b, y, 0);
        integer_of_units(c, z, 0);
        dr_whole u = dr_whole_of(&pool, x, 0), v = dr_whole_of(&pool, y, 0);
        dr_whole w = dr_whole_of(&pool, z, 0);
        expect_equal(u, a);
        // x y + z and z - x y, long and short in both orders; then (x y + z)^2 - z^2.
        mpz_mul(a, a, b);
        dr_whole product = dr_whole_multiply(&pool, u, v);
        expect_equal(product, a);
        dr_whole sum = dr_whole_add(&pool, product, w);
        mpz_sub(b, c, a);
        expect_equal(dr_whole_subtract(&pool, w, product), b);
        mpz_add(a, a, c);
        expect_equal(sum, a);
        mpz_mul(a, a, a);
        mpz_submul(a, c, c);
        expect_equal(dr_whole_subtract(&pool, dr_whole_multiply(&pool, sum, sum),
                                       dr_whole_multiply(&pool, w, w)),
                     a);
        expect_equal(dr_whole_subtract(&pool, sum, sum), (mpz_set_ui(a, 0), a));
        ck_assert(!pool.is_full);
    }
    mpz_clears(a, b, c, NULL);
}
END_TEST

START_TEST(doubles_come_and_go)
{
    static const double values[] = {1.0, -3.0, 0.1, DBL_MAX, DBL_MIN, DBL_TRUE_MIN, -0x1.8p-1070};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; ++i) {
        dr_whole_pool_clear(&pool);
        int low = dr_whole_low_bit(values[i]), exponent;
        dr_whole odd = dr_whole_of(&pool, values[i], low);
        ck_assert(odd.limbs[0] & 1);
        double part = dr_whole_round(odd, &exponent);
        ck_assert_double_eq(ldexp(part, exponent + low), values[i]);
        dr_whole shifted = dr_whole_of(&pool, values[i], low - 77);
        part = dr_whole_round(shifted, &exponent);
        ck_assert_double_eq(ldexp(part, exponent - 77 + low), values[i]);
        ck_assert(fabs(part) >= 0.5 && fabs(part) < 1.0);
    }
    ck_assert_int_eq(dr_whole_of(&pool, -0.0, 0).sign, 0);
}
END_TEST

START_TEST(full_pool_is_told)
{
    dr_whole_pool_clear(&pool);
    dr_whole x = dr_whole_of(&pool, 0x1p1000 - 0x1p950, 0);
    for (int k = 0; k < 30; ++k) {
        int used = pool.used;
        x = dr_whole_multiply(&pool, x, x);
        ck_assert_int_le(pool.used, DR_WHOLE_ROOM);
        ck_assert(!pool.is_full || (x.sign == 0 && pool.used == used));
    }
    ck_assert(pool.is_full);
    dr_whole_pool_clear(&pool);
    ck_assert(!pool.is_full);
}
END_TEST

int main(void)
{
    Suite* suite = suite_create("whole");
    TCase* tests = tcase_create("whole");
    tcase_add_test(tests, sums_and_products_are_exact);
    tcase_add_test(tests, doubles_come_and_go);
    tcase_add_test(tests, full_pool_is_told);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
