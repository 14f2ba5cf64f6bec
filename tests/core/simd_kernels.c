// Every operation of core/simd.h as a function, compiled once per instruction set.
#include "simd_kernels.h"

#include "core/simd.h"

#define UNARY(name)                                    \
    static void do_##name(const float* a, float* out)  \
    {                                                  \
        dr_f8_store(out, dr_f8_##name(dr_f8_load(a))); \
    }
#define BINARY(name)                                                  \
    static void do_##name(const float* a, const float* b, float* out) \
    {                                                                 \
        dr_f8_store(out, dr_f8_##name(dr_f8_load(a), dr_f8_load(b))); \
    }
#define V_UNARY(name)                                  \
    static void v_##name(const float* a, float* out)   \
    {                                                  \
        dr_v8_store(out, dr_v8_##name(dr_v8_load(a))); \
    }
#define V_BINARY(name)                                                \
    static void v_##name(const float* a, const float* b, float* out)  \
    {                                                                 \
        dr_v8_store(out, dr_v8_##name(dr_v8_load(a), dr_v8_load(b))); \
    }

static void do_copy(const float* a, float* out)
{
    dr_f8_store(out, dr_f8_load(a));
}
UNARY(sqrt)
UNARY(neg)
UNARY(abs)
UNARY(rotate_down)
UNARY(rotate_up)
BINARY(add)
BINARY(sub)
BINARY(mul)
BINARY(div)
BINARY(min)
BINARY(max)
BINARY(less)
BINARY(and)
BINARY(or)
V_BINARY(add)
V_BINARY(sub)
V_BINARY(cross)
V_UNARY(rotate_down)
V_UNARY(rotate_up)

static void do_set(float a, float* out)
{
    dr_f8_store(out, dr_f8_set(a));
}
static void do_zero(float* out)
{
    dr_f8_store(out, dr_f8_zero());
}
static int do_bits(const float* mask)
{
    return dr_f8_bits(dr_f8_load(mask));
}

static void do_select(const float* mask, const float* yes, const float* no, float* out)
{
    dr_f8_store(out, dr_f8_select(dr_f8_load(mask), dr_f8_load(yes), dr_f8_load(no)));
}

static void do_gather4(const float* base, const int32_t* index, float* out)
{
    dr_f8 c[4];
    dr_f8_gather4(base, index, c);
    for (int i = 0; i < 4; ++i) {
        dr_f8_store(out + 8 * i, c[i]);
    }
}

static void do_scatter4(float* base, const int32_t* index, const float* in)
{
    dr_f8 c[4];
    for (int i = 0; i < 4; ++i) {
        c[i] = dr_f8_load(in + 8 * i);
    }
    dr_f8_scatter4(base, index, c);
}

static void do_transpose(float* rows)
{
    dr_f8 v[8];
    for (int i = 0; i < 8; ++i) {
        v[i] = dr_f8_load(rows + 8 * i);
    }
    dr_f8_transpose(v);
    for (int i = 0; i < 8; ++i) {
        dr_f8_store(rows + 8 * i, v[i]);
    }
}

static void v_dot(const float* a, const float* b, float* out)
{
    dr_f8_store(out, dr_v8_dot(dr_v8_load(a), dr_v8_load(b)));
}

static void v_scale(const float* a, const float* s, float* out)
{
    dr_v8_store(out, dr_v8_scale(dr_v8_load(a), dr_f8_load(s)));
}

static void v_set(float x, float y, float z, float* out)
{
    dr_v8_store(out, dr_v8_set(x, y, z));
}

static void v_select(const float* mask, const float* yes, const float* no, float* out)
{
    dr_v8_store(out, dr_v8_select(dr_f8_load(mask), dr_v8_load(yes), dr_v8_load(no)));
}

const simd_kernels DR_KERNEL(simd_kernels);
const simd_kernels DR_KERNEL(simd_kernels) = {
    .unary = {do_copy, do_sqrt, do_neg, do_abs, do_rotate_down, do_rotate_up},
    .binary = {do_add, do_sub, do_mul, do_div, do_min, do_max, do_less, do_and, do_or},
    .set = do_set,
    .zero = do_zero,
    .select = do_select,
    .bits = do_bits,
    .gather4 = do_gather4,
    .scatter4 = do_scatter4,
    .transpose = do_transpose,
    .v_add = v_add,
    .v_sub = v_sub,
    .v_cross = v_cross,
    .v_dot = v_dot,
    .v_scale = v_scale,
    .v_set = v_set,
    .v_select = v_select,
    .v_rotate_down = v_rotate_down,
    .v_rotate_up = v_rotate_up,
};
