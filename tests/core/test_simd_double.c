// Four lanes of doubles against plain C, bit by bit, for each instruction set of this machine.
#include <float.h>
#include <math.h>
#include <string.h>

#include "core/random.h"
#include "core_test.h"
#include "simd_double_kernels.h"

DR_KERNEL_TABLE(simd_double_kernels)

static const drape_isa sets[] = {DRAPE_ISA_PLAIN, DRAPE_ISA_SSE2, DRAPE_ISA_AVX2, DRAPE_ISA_NEON,
                                 DRAPE_ISA_WASM};
enum { set_count = sizeof sets / sizeof sets[0], round_count = 5000 };

static const simd_double_kernels* kernels_of(int i)
{
    return dr_isa_available(sets[i]) ? simd_double_kernels_for(sets[i]) : NULL;
}

static uint64_t bits_of(double a)
{
    uint64_t bits;
    memcpy(&bits, &a, sizeof bits);
    return bits;
}

static double double_of(uint64_t bits)
{
    double a;
    memcpy(&a, &bits, sizeof a);
    return a;
}

// The bits are equal, or neither is a number: which NaN an operation gives is its own affair.
static bool same(double a, double b)
{
    return bits_of(a) == bits_of(b) || (isnan(a) && isnan(b));
}

static const double specials[] = {
    0.0,     -0.0,     1.0,      -1.0,      DBL_TRUE_MIN, -DBL_TRUE_MIN, DBL_MIN,  -DBL_MIN,
    DBL_MAX, -DBL_MAX, INFINITY, -INFINITY, NAN,          3.0,           0x1p-600, 0x1p600};
enum { special_count = sizeof specials / sizeof specials[0] };

// Numbers worth trying: special ones, any bits at all, everyday ones.
static double pick(uint32_t seed, uint32_t i)
{
    uint32_t kind = dr_random_u32(seed, i), low = dr_random_u32(seed + 2, i);
    if (kind % 4 == 0) {
        return specials[(kind >> 8) % special_count];
    }
    uint64_t bits = (uint64_t)dr_random_u32(seed + 1, i) << 32 | low;
    return kind % 4 == 1 ? double_of(bits) : (double)(int64_t)bits * 0x1p-62;
}

static void pick_lanes(uint32_t seed, uint32_t i, double* out, int count)
{
    for (int k = 0; k < count; ++k) {
        out[k] = pick(seed, i * 16 + (uint32_t)k);
    }
}

static void check_lanes(const double* found, const double* wanted, int count, const char* name,
                        drape_isa isa)
{
    for (int k = 0; k < count; ++k) {
        if (!same(found[k], wanted[k])) {
            ck_abort_msg("%s on %s, lane %d: %a, expected %a", name, dr_isa_name(isa), k, found[k],
                         wanted[k]);
        }
    }
}

static double expected_unary(double_unary op, double a)
{
    switch (op) {
    case DOUBLE_SQRT: return sqrt(a);
    case DOUBLE_NEG: return 0.0 - a;
    case DOUBLE_ABS: return a > 0.0 - a ? a : 0.0 - a;
    default: return a;
    }
}

static double expected_binary(double_binary op, double a, double b)
{
    switch (op) {
    case DOUBLE_ADD: return a + b;
    case DOUBLE_SUB: return a - b;
    case DOUBLE_MUL: return a * b;
    case DOUBLE_DIV: return a / b;
    case DOUBLE_MIN: return a < b ? a : b;
    case DOUBLE_MAX: return a > b ? a : b;
    case DOUBLE_LESS: return double_of(a < b ? UINT64_MAX : 0u);
    default: return double_of(bits_of(a) & bits_of(b));
    }
}

static const char* const unary_names[] = {"copy", "sqrt", "neg", "abs"};
static const char* const binary_names[] = {"add", "sub", "mul", "div", "min", "max", "less", "and"};

START_TEST(operations_are_plain_c)
{
    const simd_double_kernels* kernels = kernels_of(_i);
    for (uint32_t i = 0; kernels && i < round_count; ++i) {
        double a[4], b[4], found[4], wanted[4];
        pick_lanes(10, i, a, 4);
        pick_lanes(20, i, b, 4);
        for (int op = 0; op < DOUBLE_UNARY_COUNT; ++op) {
            for (int k = 0; k < 4; ++k) {
                wanted[k] = expected_unary((double_unary)op, a[k]);
            }
            kernels->unary[op](a, found);
            check_lanes(found, wanted, 4, unary_names[op], sets[_i]);
        }
        for (int op = 0; op < DOUBLE_BINARY_COUNT; ++op) {
            for (int k = 0; k < 4; ++k) {
                wanted[k] = expected_binary((double_binary)op, a[k], b[k]);
            }
            kernels->binary[op](a, b, found);
            check_lanes(found, wanted, 4, binary_names[op], sets[_i]);
        }
    }
}
END_TEST

START_TEST(masks_choose_and_count)
{
    const simd_double_kernels* kernels = kernels_of(_i);
    for (int bits = 0; kernels && bits < 16; ++bits) {
        double mask[4], yes[4], no[4], found[4], wanted[4];
        pick_lanes(40, (uint32_t)bits, yes, 4);
        pick_lanes(50, (uint32_t)bits, no, 4);
        for (int k = 0; k < 4; ++k) {
            mask[k] = double_of(bits >> k & 1 ? UINT64_MAX : 0u);
            wanted[k] = bits >> k & 1 ? yes[k] : no[k];
        }
        kernels->select(mask, yes, no, found);
        check_lanes(found, wanted, 4, "select", sets[_i]);
        ck_assert_int_eq(kernels->bits(mask), bits);
    }
}
END_TEST

START_TEST(one_value_fills_all_lanes)
{
    const simd_double_kernels* kernels = kernels_of(_i);
    for (int i = 0; kernels && i < special_count; ++i) {
        double a = specials[i], found[4];
        kernels->set(a, found);
        check_lanes(found, (const double[4]){a, a, a, a}, 4, "set", sets[_i]);
        kernels->zero(found);
        check_lanes(found, (const double[4]){0.0}, 4, "zero", sets[_i]);
    }
}
END_TEST

START_TEST(rows_become_columns)
{
    const simd_double_kernels* kernels = kernels_of(_i);
    for (uint32_t i = 0; kernels && i < 4; ++i) {
        double a[16], wanted[16], found[16];
        pick_lanes(60, i, a, 16);
        for (int k = 0; k < 16; ++k) {
            wanted[k] = a[k % 4 * 4 + k / 4];
        }
        kernels->transpose(a, found);
        check_lanes(found, wanted, 16, "transpose", sets[_i]);
    }
}
END_TEST

// The order of operations is part of the contract: other orders round otherwise.
START_TEST(vectors_follow_their_formulas)
{
    const simd_double_kernels* kernels = kernels_of(_i);
    for (uint32_t i = 0; kernels && i < round_count; ++i) {
        double a[12], b[12], sum[12], difference[12], product[12], dot[4], cross[12], found[12];
        pick_lanes(90, i, a, 12);
        pick_lanes(95, i, b, 12);
        for (int k = 0; k < 12; ++k) {
            int lane = k % 4, y = (k + 4) % 12, z = (k + 8) % 12;
            sum[k] = a[k] + b[k];
            difference[k] = a[k] - b[k];
            product[k] = a[k] * b[lane];
            cross[k] = a[y] * b[z] - a[z] * b[y];
            dot[lane] = (a[lane] * b[lane] + a[4 + lane] * b[4 + lane]) + a[8 + lane] * b[8 + lane];
        }
        kernels->w_add(a, b, found);
        check_lanes(found, sum, 12, "w_add", sets[_i]);
        kernels->w_sub(a, b, found);
        check_lanes(found, difference, 12, "w_sub", sets[_i]);
        kernels->w_scale(a, b, found);
        check_lanes(found, product, 12, "w_scale", sets[_i]);
        kernels->w_cross(a, b, found);
        check_lanes(found, cross, 12, "w_cross", sets[_i]);
        kernels->w_dot(a, b, found);
        check_lanes(found, dot, 4, "w_dot", sets[_i]);
    }
}
END_TEST

int main(void)
{
    Suite* suite = suite_create("simd double");
    TCase* tests = tcase_create("per instruction set");
    tcase_add_loop_test(tests, operations_are_plain_c, 0, set_count);
    tcase_add_loop_test(tests, masks_choose_and_count, 0, set_count);
    tcase_add_loop_test(tests, one_value_fills_all_lanes, 0, set_count);
    tcase_add_loop_test(tests, rows_become_columns, 0, set_count);
    tcase_add_loop_test(tests, vectors_follow_their_formulas, 0, set_count);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
