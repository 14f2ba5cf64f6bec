// Every operation of core/simd_double.h as a function, compiled once per instruction set.
#include "simd_double_kernels.h"

#include "core/simd_double.h"

#define UNARY(name)                                     \
    static void do_##name(const double* a, double* out) \
    {                                                   \
        dr_d4_store(out, dr_d4_##name(dr_d4_load(a)));  \
    }
#define BINARY(name)                                                     \
    static void do_##name(const double* a, const double* b, double* out) \
    {                                                                    \
        dr_d4_store(out, dr_d4_##name(dr_d4_load(a), dr_d4_load(b)));    \
    }
#define W_BINARY(name)                                                  \
    static void w_##name(const double* a, const double* b, double* out) \
    {                                                                   \
        w_store(out, dr_w4_##name(w_load(a), w_load(b)));               \
    }

static dr_w4 w_load(const double* p)
{
    return (dr_w4){dr_d4_load(p), dr_d4_load(p + 4), dr_d4_load(p + 8)};
}

static void w_store(double* p, dr_w4 a)
{
    dr_d4_store(p, a.x);
    dr_d4_store(p + 4, a.y);
    dr_d4_store(p + 8, a.z);
}

static void do_copy(const double* a, double* out)
{
    dr_d4_store(out, dr_d4_load(a));
}
UNARY(sqrt)
UNARY(neg)
UNARY(abs)
BINARY(add)
BINARY(sub)
BINARY(mul)
BINARY(div)
BINARY(min)
BINARY(max)
BINARY(less)
BINARY(and)
W_BINARY(add)
W_BINARY(sub)
W_BINARY(cross)

static void do_set(double a, double* out)
{
    dr_d4_store(out, dr_d4_set(a));
}

static void do_zero(double* out)
{
    dr_d4_store(out, dr_d4_zero());
}

static void do_select(const double* mask, const double* yes, const double* no, double* out)
{
    dr_d4_store(out, dr_d4_select(dr_d4_load(mask), dr_d4_load(yes), dr_d4_load(no)));
}

static int do_bits(const double* mask)
{
    return dr_d4_bits(dr_d4_load(mask));
}

static void do_transpose(const double* a, double* out)
{
    dr_d4 rows[4] = {dr_d4_load(a), dr_d4_load(a + 4), dr_d4_load(a + 8), dr_d4_load(a + 12)};
    dr_d4_transpose(rows);
    for (int i = 0; i < 4; ++i) {
        dr_d4_store(out + 4 * i, rows[i]);
    }
}

static void w_dot(const double* a, const double* b, double* out)
{
    dr_d4_store(out, dr_w4_dot(w_load(a), w_load(b)));
}

static void w_scale(const double* a, const double* s, double* out)
{
    w_store(out, dr_w4_scale(w_load(a), dr_d4_load(s)));
}

const simd_double_kernels DR_KERNEL(simd_double_kernels);
const simd_double_kernels DR_KERNEL(simd_double_kernels) = {
    .unary = {do_copy, do_sqrt, do_neg, do_abs},
    .binary = {do_add, do_sub, do_mul, do_div, do_min, do_max, do_less, do_and},
    .set = do_set,
    .zero = do_zero,
    .select = do_select,
    .bits = do_bits,
    .transpose = do_transpose,
    .w_add = w_add,
    .w_sub = w_sub,
    .w_cross = w_cross,
    .w_dot = w_dot,
    .w_scale = w_scale,
};
