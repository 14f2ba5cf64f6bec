// Expansions, fixed point and predicates against integers of any length.
#include <float.h>
#include <string.h>

#include "../support.h"
#include "collide/expansion.h"
#include "collide/predicates.h"
#include "collide/wide.h"
#include "core/random.h"
#include "rational.h"

// A stream of chance.
typedef struct chance {
    uint32_t seed, next;
} chance;

static uint32_t draw(chance* c, uint32_t below)
{
    return dr_random_u32(c->seed, c->next++) % below;
}

// All 53 bits of a mantissa in [-1, 1].
static double draw_signed(chance* c)
{
    uint64_t bits = (uint64_t)draw(c, 1u << 27) << 26 | draw(c, 1u << 26);
    return (double)bits * 0x1p-52 - 1.0;
}

// --- Kinds of points ---

typedef enum kind {
    KIND_UNIFORM, // anywhere in a cube
    KIND_GRID,    // small integers: many exact zeros
    KIND_FLOATS,  // single precision in a cube
    KIND_FLAT,    // in a plane but for rounding, then a few units in the last place off
    KIND_LINE,    // on a line but for rounding
    KIND_SUBNORMAL,
    KIND_HUGE,     // differences overflow
    KIND_SCALED,   // flat, and small or large as a whole
    KIND_MIXED,    // each coordinate with an exponent of its own
    KIND_EXTREME,  // the largest, the smallest, one, zero
    KIND_ANY_BITS, // any finite double
    kind_count
} kind;

// A few units in the last place away.
static double nudge(chance* c, double x)
{
    int steps = (int)draw(c, 5) - 2;
    for (; steps > 0; --steps) {
        x = nextafter(x, INFINITY);
    }
    for (; steps < 0; ++steps) {
        x = nextafter(x, -INFINITY);
    }
    return x;
}

static double draw_extreme(chance* c)
{
    static const double values[] = {0.0,     0x1p-1074, 0x1p-1022, DBL_MIN, DBL_MAX, 0x1p1023,
                                    0x1p341, 0x1p-358,  1.0,       3.0,     0x1p53,  0x1p-53};
    double x = values[draw(c, sizeof values / sizeof values[0])];
    return draw(c, 2) ? x : -x;
}

static double draw_bits(chance* c)
{
    for (;;) {
        uint64_t bits = (uint64_t)dr_random_u32(c->seed, c->next) << 32;
        bits |= dr_random_u32(c->seed, c->next + 1);
        c->next += 2;
        double x;
        memcpy(&x, &bits, sizeof x);
        if (isfinite(x)) {
            return x;
        }
    }
}

static double draw_coordinate(chance* c, kind k)
{
    switch (k) {
    case KIND_GRID: return (double)draw(c, 5) - 2.0;
    case KIND_FLOATS: return (float)draw_signed(c);
    case KIND_SUBNORMAL: return ((double)draw(c, 9) - 4.0) * 0x1p-1074;
    case KIND_HUGE: return draw_signed(c) * DBL_MAX;
    case KIND_MIXED: return ldexp(draw_signed(c), (int)draw(c, 2000) - 1000);
    case KIND_EXTREME: return draw_extreme(c);
    case KIND_ANY_BITS: return draw_bits(c);
    default: return draw_signed(c);
    }
}

// Points in the plane, or on the line, of the first ones: a + s (b - a) + t (c - a), rounded.
static void flatten(chance* c, double (*points)[3], int count, int dimension)
{
    for (int i = dimension + 1; i < count; ++i) {
        double s = draw(c, 4) ? draw_signed(c) : draw(c, 3), t = draw(c, 4) ? draw_signed(c) : 1.0;
        for (int k = 0; k < 3; ++k) {
            double x = points[0][k] + s * (points[1][k] - points[0][k]);
            x += dimension == 2 ? t * (points[2][k] - points[0][k]) : 0.0;
            points[i][k] = nudge(c, x);
        }
    }
}

static void draw_points(chance* c, kind k, double (*points)[3], int count)
{
    for (int i = 0; i < 3 * count; ++i) {
        points[i / 3][i % 3] = draw_coordinate(c, k);
    }
    if (k == KIND_FLAT || k == KIND_SCALED) {
        flatten(c, points, count, 2);
    } else if (k == KIND_LINE) {
        flatten(c, points, count, 1);
    }
    if (k == KIND_SCALED) {
        int exponent = (int)draw(c, 2060) - 1060;
        for (int i = 0; i < 3 * count; ++i) {
            points[i / 3][i % 3] = ldexp(points[i / 3][i % 3], exponent);
        }
    }
}

// --- Expansions ---

static void integer_of_expansion(mpz_t out, int count, const double* e)
{
    mpz_t part;
    mpz_init(part);
    mpz_set_ui(out, 0);
    for (int i = 0; i < count; ++i) {
        integer_of(part, e[i]);
        mpz_add(out, out, part);
    }
    mpz_clear(part);
}

// No zeros, growing, and each part below the lowest bit of the next.
static bool is_sound(int count, const double* e)
{
    for (int i = 0; i < count; ++i) {
        if (e[i] == 0.0 || !isfinite(e[i])) {
            return false;
        }
        if (i > 0) {
            int exponent;
            double mantissa = ldexp(frexp(e[i], &exponent), 53);
            exponent -= 53;
            while (fmod(mantissa, 2.0) == 0.0) {
                mantissa *= 0.5;
                ++exponent;
            }
            if (fabs(e[i - 1]) >= ldexp(1.0, exponent)) {
                return false;
            }
        }
    }
    return true;
}

// Sums of a few doubles of very different size, so that there are many parts.
static int draw_expansion(chance* c, int parts, double* e)
{
    int count = 0, spread = 1 + (int)draw(c, 120);
    for (int i = 0; i < parts; ++i) {
        double x = draw(c, 3) ? draw_signed(c) : (double)draw(c, 7) - 3.0;
        double part[1] = {ldexp(x, (int)draw(c, (uint32_t)spread) - spread / 2)};
        count = dr_expansion_add(count, e, part[0] != 0.0, part);
    }
    return count;
}

// The result is sound, no longer than it may be, and times `scale` it is what was expected.
static bool is_right(int count, const double* e, int most, mpz_t expected, mpz_t scale)
{
    mpz_t value;
    mpz_init(value);
    integer_of_expansion(value, count, e);
    mpz_mul(value, value, scale);
    bool right = count <= most && is_sound(count, e) && mpz_cmp(value, expected) == 0;
    mpz_clear(value);
    return right;
}

START_TEST(expansions_are_exact)
{
    chance c = {.seed = 100};
    int wrong = 0;
    mpz_t x, y, expected, one, unit;
    mpz_inits(x, y, expected, one, unit, NULL);
    // Products are in units of 2^-1074 squared.
    mpz_set_ui(one, 1);
    integer_of(unit, 1.0);
    for (int i = 0; i < 20000; ++i) {
        double a[6], b[6], sum[12], product[DR_PRODUCT_ROOM(6, 6)], s = draw_signed(&c);
        int a_count = draw_expansion(&c, (int)draw(&c, 7), a);
        int b_count = draw_expansion(&c, (int)draw(&c, 7), b);
        integer_of_expansion(x, a_count, a);
        integer_of_expansion(y, b_count, b);
        wrong += !is_sound(a_count, a) || !is_sound(b_count, b);
        wrong += mpz_sgn(x) != dr_expansion_sign(a_count, a);

        int count = dr_expansion_sum(a_count, a, b_count, b, sum);
        mpz_add(expected, x, y);
        wrong += !is_right(count, sum, a_count + b_count, expected, one);

        count = dr_expansion_product(a_count, a, b_count, b, product);
        mpz_mul(expected, x, y);
        wrong += !is_right(count, product, 2 * a_count * b_count, expected, unit);

        count = dr_expansion_scale(a_count, a, s, sum);
        integer_of(y, s);
        mpz_mul(expected, x, y);
        wrong += !is_right(count, sum, 2 * a_count, expected, unit);
    }
    ck_assert_int_eq(wrong, 0);
    mpz_clears(x, y, expected, one, unit, NULL);
}
END_TEST

START_TEST(estimate_is_near)
{
    chance c = {.seed = 101};
    int wrong = 0;
    mpz_t exact, estimate;
    mpz_inits(exact, estimate, NULL);
    for (int i = 0; i < 20000; ++i) {
        double e[8];
        int count = draw_expansion(&c, 1 + (int)draw(&c, 8), e);
        integer_of_expansion(exact, count, e);
        integer_of(estimate, dr_expansion_estimate(count, e));
        mpz_sub(estimate, estimate, exact);
        mpz_abs(estimate, estimate);
        mpz_abs(exact, exact);
        mpz_mul_2exp(estimate, estimate, 50);
        wrong += mpz_cmp(estimate, exact) > 0;
    }
    ck_assert_int_eq(wrong, 0);
    mpz_clears(exact, estimate, NULL);
}
END_TEST

START_TEST(zero_has_no_parts)
{
    double e[DR_PRODUCT_ROOM(2, 2)], a[2] = {0x1p-60, 1.0}, minus_a[2] = {-0x1p-60, -1.0};
    ck_assert_int_eq(dr_expansion_of(0.0, e), 0);
    ck_assert_int_eq(dr_expansion_of(-0.0, e), 0);
    ck_assert_int_eq(dr_expansion_of(2.0, e), 1);
    ck_assert_int_eq(dr_expansion_sum(2, a, 2, minus_a, e), 0);
    ck_assert_int_eq(dr_expansion_scale(2, a, 0.0, e), 0);
    ck_assert_int_eq(dr_expansion_scale(0, a, 3.0, e), 0);
    ck_assert_int_eq(dr_expansion_product(2, a, 0, a, e), 0);
    ck_assert_int_eq(dr_expansion_product(0, a, 2, a, e), 0);
    ck_assert_int_eq(dr_expansion_sign(0, e), 0);
    ck_assert_double_eq(dr_expansion_estimate(0, e), 0.0);
}
END_TEST

// --- Range ---

START_TEST(shift_brings_into_range)
{
    int shift;
    const double floats[] = {FLT_MAX, 0x1p-149, -0.0, 1.0};
    for (int degree = 1; degree <= 7; ++degree) {
        ck_assert(dr_exact_shift(4, floats, degree, &shift));
        ck_assert_int_eq(shift, 0);
    }
    const double zeros[] = {0.0, -0.0};
    ck_assert(dr_exact_shift(2, zeros, 3, &shift) && shift == 0);

    // One set bit is all a value needs, so 680 bits apart is 679 between the powers of two.
    const double wide[] = {0x1p-1074, 0x1p-395};
    ck_assert(dr_exact_shift(2, wide, 3, &shift) && shift == 1074 - 358);
    const double too_wide[] = {0x1p-1074, 0x1p-394};
    ck_assert(!dr_exact_shift(2, too_wide, 3, &shift));
    const double large[] = {0x1.8p1023, 0x1p500};
    ck_assert(dr_exact_shift(2, large, 3, &shift) && shift == 322 - 1024);
    const double broken[] = {1.0, INFINITY}, more[] = {1.0, NAN};
    ck_assert(!dr_exact_shift(2, broken, 3, &shift));
    ck_assert(!dr_exact_shift(2, more, 1, &shift));
}
END_TEST

START_TEST(wide_sums_are_exact)
{
    chance c = {.seed = 102};
    int wrong = 0;
    mpz_t sum, term, factor;
    mpz_inits(sum, term, factor, NULL);
    for (int i = 0; i < 4000; ++i) {
        kind k = (kind)draw(&c, kind_count);
        dr_wide wide;
        dr_wide_clear(&wide);
        mpz_set_ui(sum, 0);
        double x[3] = {0.0, 0.0, 0.0};
        for (int n = 0; n < 8; ++n) {
            // Now and then the last product is taken back.
            bool back = draw(&c, 2);
            for (int f = 0; f < 3; ++f) {
                x[f] = back ? (f ? x[f] : -x[f]) : draw_coordinate(&c, k);
            }
            dr_wide_add(&wide, x[0], x[1], x[2]);
            integer_of(term, x[0]);
            for (int f = 1; f < 3; ++f) {
                integer_of(factor, x[f]);
                mpz_mul(term, term, factor);
            }
            mpz_add(sum, sum, term);
            wrong += dr_wide_sign(&wide) != mpz_sgn(sum);
        }
    }
    ck_assert_int_eq(wrong, 0);
    mpz_clears(sum, term, factor, NULL);
}
END_TEST

// --- Predicates ---

START_TEST(orient2d_is_exact)
{
    chance c = {.seed = 200u + (uint32_t)_i};
    int wrong = 0;
    for (int i = 0; i < 12000; ++i) {
        double p[4][3];
        draw_points(&c, (kind)_i, p, 4);
        wrong += dr_orient2d(p[0], p[1], p[2]) != rational_orient2d(p[0], p[1], p[2]);
    }
    ck_assert_int_eq(wrong, 0);
}
END_TEST

START_TEST(orient3d_is_exact)
{
    chance c = {.seed = 300u + (uint32_t)_i};
    int wrong = 0;
    for (int i = 0; i < 30000; ++i) {
        double p[4][3];
        draw_points(&c, (kind)_i, p, 4);
        wrong += dr_orient3d(p[0], p[1], p[2], p[3]) != rational_orient3d(p[0], p[1], p[2], p[3]);
    }
    ck_assert_int_eq(wrong, 0);
}
END_TEST

// The filter hides the exact stage from most inputs, so it is asked directly as well.
START_TEST(exact_stage_needs_no_filter)
{
    chance c = {.seed = 400u + (uint32_t)_i};
    int wrong = 0;
    for (int i = 0; i < 3000; ++i) {
        double p[4][3];
        draw_points(&c, (kind)_i, p, 4);
        wrong += dr_orient2d_exact(p[0], p[1], p[2]) != rational_orient2d(p[0], p[1], p[2]);
        wrong +=
            dr_orient3d_exact(p[0], p[1], p[2], p[3]) != rational_orient3d(p[0], p[1], p[2], p[3]);
    }
    ck_assert_int_eq(wrong, 0);
}
END_TEST

// Every order of the points agrees.
START_TEST(swaps_change_the_sign)
{
    chance c = {.seed = 500u + (uint32_t)_i};
    int wrong = 0;
    for (int i = 0; i < 2000; ++i) {
        double p[4][3];
        draw_points(&c, (kind)_i, p, 4);
        const double* q[4] = {p[0], p[1], p[2], p[3]};
        int expected = dr_orient3d(q[0], q[1], q[2], q[3]);
        int expected2 = dr_orient2d(q[0], q[1], q[2]);
        for (int n = 0; n < 12; ++n) {
            uint32_t at = draw(&c, 4), other = (at + 1 + draw(&c, 3)) % 4;
            const double* moved = q[at];
            q[at] = q[other];
            q[other] = moved;
            expected = -expected;
            wrong += dr_orient3d(q[0], q[1], q[2], q[3]) != expected;
        }
        wrong += dr_orient2d(p[1], p[0], p[2]) != -expected2;
        wrong += dr_orient2d(p[1], p[2], p[0]) != expected2;
    }
    ck_assert_int_eq(wrong, 0);
}
END_TEST

START_TEST(sides_are_named_right)
{
    const double a[3] = {0, 0, 0}, b[3] = {1, 0, 0}, c[3] = {0, 1, 0}, up[3] = {0.3, 0.3, 1e-300};
    ck_assert_int_eq(dr_orient2d(a, b, c), 1);
    ck_assert_int_eq(dr_orient3d(a, b, c, up), 1);
    drape_vec3 x = {0.1f, 0.0f, 0.0f}, y = {0.0f, 0.1f, 0.0f}, z = {0.0f, 0.0f, 0.1f};
    ck_assert_int_eq(dr_orient3d_positions(x, y, z, (drape_vec3){1.0f, 1.0f, 1.0f}), 1);
    ck_assert_int_eq(dr_orient3d_positions(x, y, z, (drape_vec3){0.0f, 0.0f, 0.0f}), -1);
    // The sum of three floats of 0.1 / 4, 0.1 / 4, 0.1 / 2 is in the plane to the last bit.
    drape_vec3 in = {0.1f / 4, 0.1f / 4, 0.1f / 2};
    ck_assert_int_eq(dr_orient3d_positions(x, y, z, in), 0);
    in.z = nextafterf(in.z, 1.0f);
    ck_assert_int_eq(dr_orient3d_positions(x, y, z, in), 1);
}
END_TEST

int main(void)
{
    Suite* suite = suite_create("predicates");
    TCase* expansions = tcase_create("expansions");
    tcase_add_test(expansions, expansions_are_exact);
    tcase_add_test(expansions, estimate_is_near);
    tcase_add_test(expansions, zero_has_no_parts);
    tcase_add_test(expansions, shift_brings_into_range);
    tcase_add_test(expansions, wide_sums_are_exact);
    suite_add_tcase(suite, expansions);
    TCase* predicates = tcase_create("predicates");
    tcase_add_loop_test(predicates, orient2d_is_exact, 0, kind_count);
    tcase_add_loop_test(predicates, orient3d_is_exact, 0, kind_count);
    tcase_add_loop_test(predicates, exact_stage_needs_no_filter, 0, kind_count);
    tcase_add_loop_test(predicates, swaps_change_the_sign, 0, kind_count);
    tcase_add_test(predicates, sides_are_named_right);
    suite_add_tcase(suite, predicates);
    return run_suite(suite);
}
