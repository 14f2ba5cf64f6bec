// core/simd_double.h: four doubles at a time, by the rules of core/simd.h.
//
// The same instruction sets, the same promise: only operations that round correctly, none fused,
// and minimum and maximum as `a < b ? a : b`, so all sets give the same bits. AVX2 holds four
// doubles in one register; the others work on two halves of two. A mask has lanes of all ones or
// all zeros. All is inlined by force: where four doubles are a structure, a call passes them
// through memory, and kernels get five times slower.
#ifndef DR_SIMD_DOUBLE_H
#define DR_SIMD_DOUBLE_H

#include "core/simd.h"

#define DR_DOUBLE_LANES 4

#if defined(DR_SIMD_AVX2)

typedef __m256d dr_d4;

static DR_ALWAYS_INLINE dr_d4 dr_d4_load(const double* p) { return _mm256_loadu_pd(p); }
static DR_ALWAYS_INLINE void dr_d4_store(double* p, dr_d4 a) { _mm256_storeu_pd(p, a); }
static DR_ALWAYS_INLINE dr_d4 dr_d4_set(double a) { return _mm256_set1_pd(a); }
static DR_ALWAYS_INLINE dr_d4 dr_d4_add(dr_d4 a, dr_d4 b) { return _mm256_add_pd(a, b); }
static DR_ALWAYS_INLINE dr_d4 dr_d4_sub(dr_d4 a, dr_d4 b) { return _mm256_sub_pd(a, b); }
static DR_ALWAYS_INLINE dr_d4 dr_d4_mul(dr_d4 a, dr_d4 b) { return _mm256_mul_pd(a, b); }
static DR_ALWAYS_INLINE dr_d4 dr_d4_div(dr_d4 a, dr_d4 b) { return _mm256_div_pd(a, b); }
static DR_ALWAYS_INLINE dr_d4 dr_d4_sqrt(dr_d4 a) { return _mm256_sqrt_pd(a); }
static DR_ALWAYS_INLINE dr_d4 dr_d4_min(dr_d4 a, dr_d4 b) { return _mm256_min_pd(a, b); }
static DR_ALWAYS_INLINE dr_d4 dr_d4_max(dr_d4 a, dr_d4 b) { return _mm256_max_pd(a, b); }
static DR_ALWAYS_INLINE dr_d4 dr_d4_less(dr_d4 a, dr_d4 b)
{
    return _mm256_cmp_pd(a, b, _CMP_LT_OQ);
}
static DR_ALWAYS_INLINE dr_d4 dr_d4_and(dr_d4 a, dr_d4 b) { return _mm256_and_pd(a, b); }
static DR_ALWAYS_INLINE dr_d4 dr_d4_select(dr_d4 mask, dr_d4 yes, dr_d4 no)
{
    return _mm256_blendv_pd(no, yes, mask);
}
static DR_ALWAYS_INLINE int dr_d4_bits(dr_d4 mask) { return _mm256_movemask_pd(mask); }
// Lane i of row k becomes lane k of row i.
static DR_ALWAYS_INLINE void dr_d4_transpose(dr_d4 v[4])
{
    __m256d a0 = _mm256_unpacklo_pd(v[0], v[1]), a1 = _mm256_unpackhi_pd(v[0], v[1]);
    __m256d a2 = _mm256_unpacklo_pd(v[2], v[3]), a3 = _mm256_unpackhi_pd(v[2], v[3]);
    v[0] = _mm256_permute2f128_pd(a0, a2, 0x20);
    v[1] = _mm256_permute2f128_pd(a1, a3, 0x20);
    v[2] = _mm256_permute2f128_pd(a0, a2, 0x31);
    v[3] = _mm256_permute2f128_pd(a1, a3, 0x31);
}

#else // two halves of two

#    if defined(DR_SIMD_SSE2)

typedef __m128d dr_d2;

static DR_ALWAYS_INLINE dr_d2 dr_d2_load(const double* p) { return _mm_loadu_pd(p); }
static DR_ALWAYS_INLINE void dr_d2_store(double* p, dr_d2 a) { _mm_storeu_pd(p, a); }
static DR_ALWAYS_INLINE dr_d2 dr_d2_set(double a) { return _mm_set1_pd(a); }
static DR_ALWAYS_INLINE dr_d2 dr_d2_add(dr_d2 a, dr_d2 b) { return _mm_add_pd(a, b); }
static DR_ALWAYS_INLINE dr_d2 dr_d2_sub(dr_d2 a, dr_d2 b) { return _mm_sub_pd(a, b); }
static DR_ALWAYS_INLINE dr_d2 dr_d2_mul(dr_d2 a, dr_d2 b) { return _mm_mul_pd(a, b); }
static DR_ALWAYS_INLINE dr_d2 dr_d2_div(dr_d2 a, dr_d2 b) { return _mm_div_pd(a, b); }
static DR_ALWAYS_INLINE dr_d2 dr_d2_sqrt(dr_d2 a) { return _mm_sqrt_pd(a); }
static DR_ALWAYS_INLINE dr_d2 dr_d2_min(dr_d2 a, dr_d2 b) { return _mm_min_pd(a, b); }
static DR_ALWAYS_INLINE dr_d2 dr_d2_max(dr_d2 a, dr_d2 b) { return _mm_max_pd(a, b); }
static DR_ALWAYS_INLINE dr_d2 dr_d2_less(dr_d2 a, dr_d2 b) { return _mm_cmplt_pd(a, b); }
static DR_ALWAYS_INLINE dr_d2 dr_d2_and(dr_d2 a, dr_d2 b) { return _mm_and_pd(a, b); }
static DR_ALWAYS_INLINE dr_d2 dr_d2_select(dr_d2 mask, dr_d2 yes, dr_d2 no)
{
    return _mm_or_pd(_mm_and_pd(mask, yes), _mm_andnot_pd(mask, no));
}
static DR_ALWAYS_INLINE int dr_d2_bits(dr_d2 mask) { return _mm_movemask_pd(mask); }
// (a0, b0) and (a1, b1)
static DR_ALWAYS_INLINE dr_d2 dr_d2_low(dr_d2 a, dr_d2 b) { return _mm_unpacklo_pd(a, b); }
static DR_ALWAYS_INLINE dr_d2 dr_d2_high(dr_d2 a, dr_d2 b) { return _mm_unpackhi_pd(a, b); }

#    elif defined(DR_SIMD_NEON)

typedef float64x2_t dr_d2;

static DR_ALWAYS_INLINE dr_d2 dr_d2_load(const double* p) { return vld1q_f64(p); }
static DR_ALWAYS_INLINE void dr_d2_store(double* p, dr_d2 a) { vst1q_f64(p, a); }
static DR_ALWAYS_INLINE dr_d2 dr_d2_set(double a) { return vdupq_n_f64(a); }
static DR_ALWAYS_INLINE dr_d2 dr_d2_add(dr_d2 a, dr_d2 b) { return vaddq_f64(a, b); }
static DR_ALWAYS_INLINE dr_d2 dr_d2_sub(dr_d2 a, dr_d2 b) { return vsubq_f64(a, b); }
static DR_ALWAYS_INLINE dr_d2 dr_d2_mul(dr_d2 a, dr_d2 b) { return vmulq_f64(a, b); }
static DR_ALWAYS_INLINE dr_d2 dr_d2_div(dr_d2 a, dr_d2 b) { return vdivq_f64(a, b); }
static DR_ALWAYS_INLINE dr_d2 dr_d2_sqrt(dr_d2 a) { return vsqrtq_f64(a); }
static DR_ALWAYS_INLINE dr_d2 dr_d2_min(dr_d2 a, dr_d2 b)
{
    return vbslq_f64(vcltq_f64(a, b), a, b);
}
static DR_ALWAYS_INLINE dr_d2 dr_d2_max(dr_d2 a, dr_d2 b)
{
    return vbslq_f64(vcltq_f64(b, a), a, b);
}
static DR_ALWAYS_INLINE dr_d2 dr_d2_less(dr_d2 a, dr_d2 b)
{
    return vreinterpretq_f64_u64(vcltq_f64(a, b));
}
static DR_ALWAYS_INLINE dr_d2 dr_d2_and(dr_d2 a, dr_d2 b)
{
    return vreinterpretq_f64_u64(vandq_u64(vreinterpretq_u64_f64(a), vreinterpretq_u64_f64(b)));
}
static DR_ALWAYS_INLINE dr_d2 dr_d2_select(dr_d2 mask, dr_d2 yes, dr_d2 no)
{
    return vbslq_f64(vreinterpretq_u64_f64(mask), yes, no);
}
static DR_ALWAYS_INLINE int dr_d2_bits(dr_d2 mask)
{
    uint64x2_t bit = vshrq_n_u64(vreinterpretq_u64_f64(mask), 63);
    return (int)(vgetq_lane_u64(bit, 0) | vgetq_lane_u64(bit, 1) << 1);
}
static DR_ALWAYS_INLINE dr_d2 dr_d2_low(dr_d2 a, dr_d2 b) { return vzip1q_f64(a, b); }
static DR_ALWAYS_INLINE dr_d2 dr_d2_high(dr_d2 a, dr_d2 b) { return vzip2q_f64(a, b); }

#    elif defined(DR_SIMD_WASM)

typedef v128_t dr_d2;

static DR_ALWAYS_INLINE dr_d2 dr_d2_load(const double* p) { return wasm_v128_load(p); }
static DR_ALWAYS_INLINE void dr_d2_store(double* p, dr_d2 a) { wasm_v128_store(p, a); }
static DR_ALWAYS_INLINE dr_d2 dr_d2_set(double a) { return wasm_f64x2_splat(a); }
static DR_ALWAYS_INLINE dr_d2 dr_d2_add(dr_d2 a, dr_d2 b) { return wasm_f64x2_add(a, b); }
static DR_ALWAYS_INLINE dr_d2 dr_d2_sub(dr_d2 a, dr_d2 b) { return wasm_f64x2_sub(a, b); }
static DR_ALWAYS_INLINE dr_d2 dr_d2_mul(dr_d2 a, dr_d2 b) { return wasm_f64x2_mul(a, b); }
static DR_ALWAYS_INLINE dr_d2 dr_d2_div(dr_d2 a, dr_d2 b) { return wasm_f64x2_div(a, b); }
static DR_ALWAYS_INLINE dr_d2 dr_d2_sqrt(dr_d2 a) { return wasm_f64x2_sqrt(a); }
static DR_ALWAYS_INLINE dr_d2 dr_d2_min(dr_d2 a, dr_d2 b) { return wasm_f64x2_pmin(b, a); }
static DR_ALWAYS_INLINE dr_d2 dr_d2_max(dr_d2 a, dr_d2 b) { return wasm_f64x2_pmax(b, a); }
static DR_ALWAYS_INLINE dr_d2 dr_d2_less(dr_d2 a, dr_d2 b) { return wasm_f64x2_lt(a, b); }
static DR_ALWAYS_INLINE dr_d2 dr_d2_and(dr_d2 a, dr_d2 b) { return wasm_v128_and(a, b); }
static DR_ALWAYS_INLINE dr_d2 dr_d2_select(dr_d2 mask, dr_d2 yes, dr_d2 no)
{
    return wasm_v128_bitselect(yes, no, mask);
}
static DR_ALWAYS_INLINE int dr_d2_bits(dr_d2 mask) { return (int)wasm_i64x2_bitmask(mask); }
static DR_ALWAYS_INLINE dr_d2 dr_d2_low(dr_d2 a, dr_d2 b)
{
    return wasm_i64x2_shuffle(a, b, 0, 2);
}
static DR_ALWAYS_INLINE dr_d2 dr_d2_high(dr_d2 a, dr_d2 b)
{
    return wasm_i64x2_shuffle(a, b, 1, 3);
}

#    else // plain C

typedef struct dr_d2 {
    double v[2];
} dr_d2;

#        define DR_D2_EACH(expression)    \
            dr_d2 r;                      \
            for (int i = 0; i < 2; ++i) { \
                r.v[i] = (expression);    \
            }                             \
            return r

static DR_ALWAYS_INLINE uint64_t dr_bits_of_double(double a)
{
    uint64_t bits;
    memcpy(&bits, &a, sizeof bits);
    return bits;
}
static DR_ALWAYS_INLINE double dr_double_of(uint64_t bits)
{
    double a;
    memcpy(&a, &bits, sizeof a);
    return a;
}
static DR_ALWAYS_INLINE dr_d2 dr_d2_load(const double* p) { DR_D2_EACH(p[i]); }
static DR_ALWAYS_INLINE void dr_d2_store(double* p, dr_d2 a) { memcpy(p, a.v, sizeof a.v); }
static DR_ALWAYS_INLINE dr_d2 dr_d2_set(double a) { DR_D2_EACH(a); }
static DR_ALWAYS_INLINE dr_d2 dr_d2_add(dr_d2 a, dr_d2 b) { DR_D2_EACH(a.v[i] + b.v[i]); }
static DR_ALWAYS_INLINE dr_d2 dr_d2_sub(dr_d2 a, dr_d2 b) { DR_D2_EACH(a.v[i] - b.v[i]); }
static DR_ALWAYS_INLINE dr_d2 dr_d2_mul(dr_d2 a, dr_d2 b) { DR_D2_EACH(a.v[i] * b.v[i]); }
static DR_ALWAYS_INLINE dr_d2 dr_d2_div(dr_d2 a, dr_d2 b) { DR_D2_EACH(a.v[i] / b.v[i]); }
static DR_ALWAYS_INLINE dr_d2 dr_d2_sqrt(dr_d2 a) { DR_D2_EACH(sqrt(a.v[i])); }
static DR_ALWAYS_INLINE dr_d2 dr_d2_min(dr_d2 a, dr_d2 b)
{
    DR_D2_EACH(a.v[i] < b.v[i] ? a.v[i] : b.v[i]);
}
static DR_ALWAYS_INLINE dr_d2 dr_d2_max(dr_d2 a, dr_d2 b)
{
    DR_D2_EACH(a.v[i] > b.v[i] ? a.v[i] : b.v[i]);
}
static DR_ALWAYS_INLINE dr_d2 dr_d2_less(dr_d2 a, dr_d2 b)
{
    DR_D2_EACH(dr_double_of(a.v[i] < b.v[i] ? UINT64_MAX : 0u));
}
static DR_ALWAYS_INLINE dr_d2 dr_d2_and(dr_d2 a, dr_d2 b)
{
    DR_D2_EACH(dr_double_of(dr_bits_of_double(a.v[i]) & dr_bits_of_double(b.v[i])));
}
static DR_ALWAYS_INLINE dr_d2 dr_d2_select(dr_d2 mask, dr_d2 yes, dr_d2 no)
{
    DR_D2_EACH(dr_bits_of_double(mask.v[i]) >> 63 ? yes.v[i] : no.v[i]);
}
static DR_ALWAYS_INLINE int dr_d2_bits(dr_d2 mask)
{
    return (int)(dr_bits_of_double(mask.v[0]) >> 63 | dr_bits_of_double(mask.v[1]) >> 63 << 1);
}
static DR_ALWAYS_INLINE dr_d2 dr_d2_low(dr_d2 a, dr_d2 b) { return (dr_d2){{a.v[0], b.v[0]}}; }
static DR_ALWAYS_INLINE dr_d2 dr_d2_high(dr_d2 a, dr_d2 b) { return (dr_d2){{a.v[1], b.v[1]}}; }
#        undef DR_D2_EACH
#    endif

// Four lanes as a low and a high half; every operation works on both.
typedef struct dr_d4 {
    dr_d2 lo, hi;
} dr_d4;

static DR_ALWAYS_INLINE dr_d4 dr_d4_load(const double* p)
{
    return (dr_d4){dr_d2_load(p), dr_d2_load(p + 2)};
}
static DR_ALWAYS_INLINE void dr_d4_store(double* p, dr_d4 a)
{
    dr_d2_store(p, a.lo);
    dr_d2_store(p + 2, a.hi);
}
static DR_ALWAYS_INLINE dr_d4 dr_d4_set(double a) { return (dr_d4){dr_d2_set(a), dr_d2_set(a)}; }
static DR_ALWAYS_INLINE dr_d4 dr_d4_sqrt(dr_d4 a)
{
    return (dr_d4){dr_d2_sqrt(a.lo), dr_d2_sqrt(a.hi)};
}
#    define DR_D4_BOTH(name)                                                    \
        static DR_ALWAYS_INLINE dr_d4 dr_d4_##name(dr_d4 a, dr_d4 b)                      \
        {                                                                       \
            return (dr_d4){dr_d2_##name(a.lo, b.lo), dr_d2_##name(a.hi, b.hi)}; \
        }
DR_D4_BOTH(add)
DR_D4_BOTH(sub)
DR_D4_BOTH(mul)
DR_D4_BOTH(div)
DR_D4_BOTH(min)
DR_D4_BOTH(max)
DR_D4_BOTH(less)
DR_D4_BOTH(and)
#    undef DR_D4_BOTH
static DR_ALWAYS_INLINE dr_d4 dr_d4_select(dr_d4 mask, dr_d4 yes, dr_d4 no)
{
    return (dr_d4){dr_d2_select(mask.lo, yes.lo, no.lo), dr_d2_select(mask.hi, yes.hi, no.hi)};
}
static DR_ALWAYS_INLINE int dr_d4_bits(dr_d4 mask)
{
    return dr_d2_bits(mask.lo) | dr_d2_bits(mask.hi) << 2;
}
static DR_ALWAYS_INLINE void dr_d4_transpose(dr_d4 v[4])
{
    dr_d4 a = {dr_d2_low(v[0].lo, v[1].lo), dr_d2_low(v[2].lo, v[3].lo)};
    dr_d4 b = {dr_d2_high(v[0].lo, v[1].lo), dr_d2_high(v[2].lo, v[3].lo)};
    dr_d4 c = {dr_d2_low(v[0].hi, v[1].hi), dr_d2_low(v[2].hi, v[3].hi)};
    dr_d4 d = {dr_d2_high(v[0].hi, v[1].hi), dr_d2_high(v[2].hi, v[3].hi)};
    v[0] = a;
    v[1] = b;
    v[2] = c;
    v[3] = d;
}

#endif

// --- Common to all sets ---

static DR_ALWAYS_INLINE dr_d4 dr_d4_zero(void) { return dr_d4_set(0.0); }
static DR_ALWAYS_INLINE dr_d4 dr_d4_neg(dr_d4 a) { return dr_d4_sub(dr_d4_zero(), a); }
static DR_ALWAYS_INLINE dr_d4 dr_d4_abs(dr_d4 a) { return dr_d4_max(a, dr_d4_neg(a)); }

// Three components of four vectors.
typedef struct dr_w4 {
    dr_d4 x, y, z;
} dr_w4;

static DR_ALWAYS_INLINE dr_w4 dr_w4_add(dr_w4 a, dr_w4 b)
{
    return (dr_w4){dr_d4_add(a.x, b.x), dr_d4_add(a.y, b.y), dr_d4_add(a.z, b.z)};
}
static DR_ALWAYS_INLINE dr_w4 dr_w4_sub(dr_w4 a, dr_w4 b)
{
    return (dr_w4){dr_d4_sub(a.x, b.x), dr_d4_sub(a.y, b.y), dr_d4_sub(a.z, b.z)};
}
static DR_ALWAYS_INLINE dr_w4 dr_w4_scale(dr_w4 a, dr_d4 s)
{
    return (dr_w4){dr_d4_mul(a.x, s), dr_d4_mul(a.y, s), dr_d4_mul(a.z, s)};
}
static DR_ALWAYS_INLINE dr_d4 dr_w4_dot(dr_w4 a, dr_w4 b)
{
    return dr_d4_add(dr_d4_add(dr_d4_mul(a.x, b.x), dr_d4_mul(a.y, b.y)), dr_d4_mul(a.z, b.z));
}
static DR_ALWAYS_INLINE dr_w4 dr_w4_cross(dr_w4 a, dr_w4 b)
{
    return (dr_w4){dr_d4_sub(dr_d4_mul(a.y, b.z), dr_d4_mul(a.z, b.y)),
                   dr_d4_sub(dr_d4_mul(a.z, b.x), dr_d4_mul(a.x, b.z)),
                   dr_d4_sub(dr_d4_mul(a.x, b.y), dr_d4_mul(a.y, b.x))};
}

#endif
