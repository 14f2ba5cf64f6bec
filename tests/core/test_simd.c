// Eight lanes against plain C, bit by bit, for each instruction set of this machine.
#include <float.h>
#include <math.h>
#include <string.h>

#include "core/random.h"
#include "core_test.h"
#include "simd_kernels.h"

DR_KERNEL_TABLE(simd_kernels)

static const drape_isa sets[] = {DRAPE_ISA_PLAIN, DRAPE_ISA_SSE2, DRAPE_ISA_AVX2, DRAPE_ISA_NEON,
                                 DRAPE_ISA_WASM};
enum { set_count = sizeof sets / sizeof sets[0] };

// The kernels of set `i`; null when this machine cannot run them.
static const simd_kernels* kernels_of(int i)
{
    return dr_isa_available(sets[i]) ? simd_kernels_for(sets[i]) : NULL;
}

static uint32_t bits_of(float a)
{
    uint32_t bits;
    memcpy(&bits, &a, sizeof bits);
    return bits;
}

static float float_of(uint32_t bits)
{
    float a;
    memcpy(&a, &bits, sizeof a);
    return a;
}

// The bits are equal, or neither is a number: which NaN an operation gives is its own affair.
static bool same(float a, float b)
{
    return bits_of(a) == bits_of(b) || (isnan(a) && isnan(b));
}

static const float specials[] = {
    0.0f,     -0.0f,     1.0f,      -1.0f,    FLT_TRUE_MIN,   -FLT_TRUE_MIN, 0x1.fffffcp-127f,
    FLT_MIN,  -FLT_MIN,  FLT_MAX,   -FLT_MAX, INFINITY,       -INFINITY,     NAN,
    0x1.8p0f, 0x1p-100f, 0x1p+100f, 3.0f,     -0x1.000002p0f,
};
enum { special_count = sizeof specials / sizeof specials[0], random_count = 20000 };

// Numbers worth trying: special ones, any bits at all, everyday ones.
static float pick(uint32_t seed, uint32_t i)
{
    uint32_t bits = dr_random_u32(seed, i);
    if (bits % 4 == 0) {
        return specials[(bits >> 8) % special_count];
    }
    return bits % 4 == 1 ? float_of(dr_random_u32(seed + 1, i)) : dr_random_signed(seed + 2, i);
}

static void pick_lanes(uint32_t seed, uint32_t i, float* out, int count)
{
    for (int k = 0; k < count; ++k) {
        out[k] = pick(seed, i * 64 + (uint32_t)k);
    }
}

static void check_lanes(const float* found, const float* wanted, int count, const char* name,
                        drape_isa isa)
{
    for (int k = 0; k < count; ++k) {
        if (!same(found[k], wanted[k])) {
            ck_abort_msg("%s on %s, lane %d: %a, expected %a", name, dr_isa_name(isa), k,
                         (double)found[k], (double)wanted[k]);
        }
    }
}

// --- The second opinion ---

static float expected_unary(simd_unary op, const float* a, int lane)
{
    switch (op) {
    case SIMD_SQRT: return sqrtf(a[lane]);
    case SIMD_NEG: return 0.0f - a[lane];
    case SIMD_ABS: return a[lane] > 0.0f - a[lane] ? a[lane] : 0.0f - a[lane];
    case SIMD_ROTATE_DOWN: return a[(lane + 1) % 8];
    case SIMD_ROTATE_UP: return a[(lane + 7) % 8];
    default: return a[lane];
    }
}

static float expected_binary(simd_binary op, float a, float b)
{
    switch (op) {
    case SIMD_ADD: return a + b;
    case SIMD_SUB: return a - b;
    case SIMD_MUL: return a * b;
    case SIMD_DIV: return a / b;
    case SIMD_MIN: return a < b ? a : b;
    case SIMD_MAX: return a > b ? a : b;
    case SIMD_LESS: return float_of(a < b ? 0xffffffffu : 0u);
    case SIMD_AND: return float_of(bits_of(a) & bits_of(b));
    default: return float_of(bits_of(a) | bits_of(b));
    }
}

static const char* const unary_names[] = {"copy", "sqrt", "neg", "abs", "rotate_down", "rotate_up"};
static const char* const binary_names[] = {"add", "sub",  "mul", "div", "min",
                                           "max", "less", "and", "or"};

// --- Tests, each per instruction set ---

START_TEST(unary_operations_are_plain_c)
{
    const simd_kernels* kernels = kernels_of(_i);
    for (uint32_t i = 0; kernels && i < random_count / 8; ++i) {
        float a[8], found[8], wanted[8];
        pick_lanes(10, i, a, 8);
        for (int op = 0; op < SIMD_UNARY_COUNT; ++op) {
            for (int k = 0; k < 8; ++k) {
                wanted[k] = expected_unary((simd_unary)op, a, k);
            }
            kernels->unary[op](a, found);
            check_lanes(found, wanted, 8, unary_names[op], sets[_i]);
        }
    }
}
END_TEST

static void check_binary(const simd_kernels* kernels, const float* a, const float* b, drape_isa isa)
{
    for (int op = 0; op < SIMD_BINARY_COUNT; ++op) {
        float found[8], wanted[8];
        for (int k = 0; k < 8; ++k) {
            wanted[k] = expected_binary((simd_binary)op, a[k], b[k]);
        }
        kernels->binary[op](a, b, found);
        check_lanes(found, wanted, 8, binary_names[op], isa);
    }
}

START_TEST(binary_operations_are_plain_c)
{
    const simd_kernels* kernels = kernels_of(_i);
    for (uint32_t i = 0; kernels && i < random_count / 8; ++i) {
        float a[8], b[8];
        pick_lanes(20, i, a, 8);
        pick_lanes(30, i, b, 8);
        check_binary(kernels, a, b, sets[_i]);
    }
}
END_TEST

// Minimum and maximum of zeros of both signs and of what is no number give the second operand.
START_TEST(special_values_meet_each_other)
{
    const simd_kernels* kernels = kernels_of(_i);
    for (int i = 0; kernels && i < special_count; ++i) {
        for (int j = 0; j < special_count; ++j) {
            float a[8], b[8];
            for (int k = 0; k < 8; ++k) {
                a[k] = specials[(i + k) % special_count];
                b[k] = specials[(j + 3 * k) % special_count];
            }
            check_binary(kernels, a, b, sets[_i]);
        }
    }
}
END_TEST

START_TEST(masks_choose_and_count)
{
    const simd_kernels* kernels = kernels_of(_i);
    for (int bits = 0; kernels && bits < 256; ++bits) {
        float mask[8], yes[24], no[24], found[24], wanted[24];
        pick_lanes(40, (uint32_t)bits, yes, 24);
        pick_lanes(50, (uint32_t)bits, no, 24);
        for (int k = 0; k < 8; ++k) {
            mask[k] = float_of(bits >> k & 1 ? 0xffffffffu : 0u);
        }
        for (int k = 0; k < 24; ++k) {
            wanted[k] = bits >> k % 8 & 1 ? yes[k] : no[k];
        }
        kernels->select(mask, yes, no, found);
        check_lanes(found, wanted, 8, "select", sets[_i]);
        kernels->v_select(mask, yes, no, found);
        check_lanes(found, wanted, 24, "v_select", sets[_i]);
        ck_assert_int_eq(kernels->bits(mask), bits);
    }
}
END_TEST

START_TEST(one_value_fills_all_lanes)
{
    const simd_kernels* kernels = kernels_of(_i);
    for (int i = 0; kernels && i < special_count; ++i) {
        float found[24], wanted[24];
        for (int k = 0; k < 24; ++k) {
            wanted[k] = specials[(i + k / 8) % special_count];
        }
        kernels->set(specials[i], found);
        check_lanes(found, wanted, 8, "set", sets[_i]);
        kernels->v_set(wanted[0], wanted[8], wanted[16], found);
        check_lanes(found, wanted, 24, "v_set", sets[_i]);
        kernels->zero(found);
        check_lanes(found, (float[8]){0}, 8, "zero", sets[_i]);
    }
}
END_TEST

// Records of four floats, at any places, and nothing else is touched.
START_TEST(gather_and_scatter_move_records)
{
    const simd_kernels* kernels = kernels_of(_i);
    enum { records = 40 };
    for (uint32_t i = 0; kernels && i < 500; ++i) {
        float base[4 * records], copy[4 * records], found[32], wanted[32];
        int32_t index[8];
        pick_lanes(60, i, base, 4 * records);
        memcpy(copy, base, sizeof base);
        for (int k = 0; k < 8; ++k) {
            index[k] = k * 5 + (int32_t)(dr_random_u32(70, i * 8 + (uint32_t)k) % 5);
        }
        for (int k = 0; k < 32; ++k) {
            wanted[k] = base[4 * index[k % 8] + k / 8];
        }
        kernels->gather4(base, index, found);
        check_lanes(found, wanted, 32, "gather4", sets[_i]);
        pick_lanes(80, i, wanted, 32);
        kernels->scatter4(base, index, wanted);
        for (int k = 0; k < 32; ++k) {
            copy[4 * index[k % 8] + k / 8] = wanted[k];
        }
        check_lanes(base, copy, 4 * records, "scatter4", sets[_i]);
    }
}
END_TEST

START_TEST(transpose_swaps_rows_and_lanes)
{
    const simd_kernels* kernels = kernels_of(_i);
    if (!kernels) {
        return;
    }
    float rows[64], wanted[64];
    for (int k = 0; k < 64; ++k) {
        rows[k] = (float)k;
        wanted[k] = (float)(k % 8 * 8 + k / 8);
    }
    kernels->transpose(rows);
    check_lanes(rows, wanted, 64, "transpose", sets[_i]);
}
END_TEST

// The order of operations of dot and cross is part of the contract: other orders round otherwise.
START_TEST(vectors_follow_their_formulas)
{
    const simd_kernels* kernels = kernels_of(_i);
    for (uint32_t i = 0; kernels && i < 2000; ++i) {
        float a[24], b[24], sum[24], difference[24], product[24], dot[8], cross[24], found[24];
        pick_lanes(90, i, a, 24);
        pick_lanes(95, i, b, 24);
        for (int k = 0; k < 24; ++k) {
            int lane = k % 8, y = (k + 8) % 24, z = (k + 16) % 24;
            sum[k] = a[k] + b[k];
            difference[k] = a[k] - b[k];
            product[k] = a[k] * b[lane];
            cross[k] = a[y] * b[z] - a[z] * b[y];
            dot[lane] =
                (a[lane] * b[lane] + a[8 + lane] * b[8 + lane]) + a[16 + lane] * b[16 + lane];
        }
        kernels->v_add(a, b, found);
        check_lanes(found, sum, 24, "v_add", sets[_i]);
        kernels->v_sub(a, b, found);
        check_lanes(found, difference, 24, "v_sub", sets[_i]);
        kernels->v_scale(a, b, found);
        check_lanes(found, product, 24, "v_scale", sets[_i]);
        kernels->v_cross(a, b, found);
        check_lanes(found, cross, 24, "v_cross", sets[_i]);
        kernels->v_dot(a, b, found);
        check_lanes(found, dot, 8, "v_dot", sets[_i]);
    }
}
END_TEST

START_TEST(vectors_rotate_by_components)
{
    const simd_kernels* kernels = kernels_of(_i);
    if (!kernels) {
        return;
    }
    float a[24], down[24], up[24], found[24];
    for (int k = 0; k < 24; ++k) {
        a[k] = (float)k;
        down[k] = (float)(k / 8 * 8 + (k + 1) % 8);
        up[k] = (float)(k / 8 * 8 + (k + 7) % 8);
    }
    kernels->v_rotate_down(a, found);
    check_lanes(found, down, 24, "v_rotate_down", sets[_i]);
    kernels->v_rotate_up(a, found);
    check_lanes(found, up, 24, "v_rotate_up", sets[_i]);
}
END_TEST

int main(void)
{
    Suite* suite = suite_create("simd");
    TCase* tests = tcase_create("per instruction set");
    tcase_add_loop_test(tests, unary_operations_are_plain_c, 0, set_count);
    tcase_add_loop_test(tests, binary_operations_are_plain_c, 0, set_count);
    tcase_add_loop_test(tests, special_values_meet_each_other, 0, set_count);
    tcase_add_loop_test(tests, masks_choose_and_count, 0, set_count);
    tcase_add_loop_test(tests, one_value_fills_all_lanes, 0, set_count);
    tcase_add_loop_test(tests, gather_and_scatter_move_records, 0, set_count);
    tcase_add_loop_test(tests, transpose_swaps_rows_and_lanes, 0, set_count);
    tcase_add_loop_test(tests, vectors_follow_their_formulas, 0, set_count);
    tcase_add_loop_test(tests, vectors_rotate_by_components, 0, set_count);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
