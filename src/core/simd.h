// core/simd.h: eight floats at a time. With core/simd_double.h the only file with intrinsics.
//
// A kernel file is written once against this header and compiled once per instruction set, with one
// of DR_SIMD_PLAIN, DR_SIMD_SSE2, DR_SIMD_AVX2, DR_SIMD_NEON, DR_SIMD_WASM defined; DR_KERNEL(name)
// gives its exported symbols the suffix of the set. All sets give the same bits: only IEEE
// operations that round correctly are used (no reciprocal estimates, no fused multiply-add), and
// minimum and maximum follow one rule, `a < b ? a : b`.
//
// A mask is a dr_f8 whose lanes are all ones or all zeros.
#ifndef DR_SIMD_H
#define DR_SIMD_H

#include <stdint.h>
#include <string.h>

#define DR_LANES 8

// For kernels that are one body with several constants.
#if defined(__GNUC__)
#    define DR_ALWAYS_INLINE inline __attribute__((always_inline))
#else
#    define DR_ALWAYS_INLINE inline
#endif

#define DR_JOIN2(a, b) a##b
#define DR_JOIN(a, b) DR_JOIN2(a, b)

#if defined(DR_SIMD_AVX2)
#    include <immintrin.h>
#    define DR_KERNEL(name) DR_JOIN(name, _avx2)

typedef __m256 dr_f8;

static inline dr_f8 dr_f8_load(const float* p) { return _mm256_loadu_ps(p); }
static inline void dr_f8_store(float* p, dr_f8 a) { _mm256_storeu_ps(p, a); }
static inline dr_f8 dr_f8_set(float a) { return _mm256_set1_ps(a); }
static inline dr_f8 dr_f8_add(dr_f8 a, dr_f8 b) { return _mm256_add_ps(a, b); }
static inline dr_f8 dr_f8_sub(dr_f8 a, dr_f8 b) { return _mm256_sub_ps(a, b); }
static inline dr_f8 dr_f8_mul(dr_f8 a, dr_f8 b) { return _mm256_mul_ps(a, b); }
static inline dr_f8 dr_f8_div(dr_f8 a, dr_f8 b) { return _mm256_div_ps(a, b); }
static inline dr_f8 dr_f8_sqrt(dr_f8 a) { return _mm256_sqrt_ps(a); }
static inline dr_f8 dr_f8_min(dr_f8 a, dr_f8 b) { return _mm256_min_ps(a, b); }
static inline dr_f8 dr_f8_max(dr_f8 a, dr_f8 b) { return _mm256_max_ps(a, b); }
static inline dr_f8 dr_f8_less(dr_f8 a, dr_f8 b) { return _mm256_cmp_ps(a, b, _CMP_LT_OQ); }
static inline dr_f8 dr_f8_and(dr_f8 a, dr_f8 b) { return _mm256_and_ps(a, b); }
static inline dr_f8 dr_f8_or(dr_f8 a, dr_f8 b) { return _mm256_or_ps(a, b); }
static inline dr_f8 dr_f8_select(dr_f8 mask, dr_f8 yes, dr_f8 no)
{
    return _mm256_blendv_ps(no, yes, mask);
}
static inline int dr_f8_bits(dr_f8 mask) { return _mm256_movemask_ps(mask); }
// Lane l takes lane l + 1; the last takes the first.
static inline dr_f8 dr_f8_rotate_down(dr_f8 a)
{
    return _mm256_permutevar8x32_ps(a, _mm256_setr_epi32(1, 2, 3, 4, 5, 6, 7, 0));
}
// Lane l takes lane l - 1; the first takes the last.
static inline dr_f8 dr_f8_rotate_up(dr_f8 a)
{
    return _mm256_permutevar8x32_ps(a, _mm256_setr_epi32(7, 0, 1, 2, 3, 4, 5, 6));
}

// Four components of eight records that lie `4 * index[l]` floats into `base`.
static inline void dr_f8_gather4(const float* base, const int32_t* index, dr_f8 out[4])
{
    __m256 r0 = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(base + 4 * index[0])),
                                     _mm_loadu_ps(base + 4 * index[4]), 1);
    __m256 r1 = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(base + 4 * index[1])),
                                     _mm_loadu_ps(base + 4 * index[5]), 1);
    __m256 r2 = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(base + 4 * index[2])),
                                     _mm_loadu_ps(base + 4 * index[6]), 1);
    __m256 r3 = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(base + 4 * index[3])),
                                     _mm_loadu_ps(base + 4 * index[7]), 1);
    __m256 t0 = _mm256_unpacklo_ps(r0, r1), t1 = _mm256_unpackhi_ps(r0, r1);
    __m256 t2 = _mm256_unpacklo_ps(r2, r3), t3 = _mm256_unpackhi_ps(r2, r3);
    out[0] = _mm256_shuffle_ps(t0, t2, 0x44);
    out[1] = _mm256_shuffle_ps(t0, t2, 0xee);
    out[2] = _mm256_shuffle_ps(t1, t3, 0x44);
    out[3] = _mm256_shuffle_ps(t1, t3, 0xee);
}

static inline void dr_f8_scatter4(float* base, const int32_t* index, const dr_f8 in[4])
{
    __m256 t0 = _mm256_unpacklo_ps(in[0], in[1]), t1 = _mm256_unpackhi_ps(in[0], in[1]);
    __m256 t2 = _mm256_unpacklo_ps(in[2], in[3]), t3 = _mm256_unpackhi_ps(in[2], in[3]);
    __m256 r0 = _mm256_shuffle_ps(t0, t2, 0x44), r1 = _mm256_shuffle_ps(t0, t2, 0xee);
    __m256 r2 = _mm256_shuffle_ps(t1, t3, 0x44), r3 = _mm256_shuffle_ps(t1, t3, 0xee);
    _mm_storeu_ps(base + 4 * index[0], _mm256_castps256_ps128(r0));
    _mm_storeu_ps(base + 4 * index[1], _mm256_castps256_ps128(r1));
    _mm_storeu_ps(base + 4 * index[2], _mm256_castps256_ps128(r2));
    _mm_storeu_ps(base + 4 * index[3], _mm256_castps256_ps128(r3));
    _mm_storeu_ps(base + 4 * index[4], _mm256_extractf128_ps(r0, 1));
    _mm_storeu_ps(base + 4 * index[5], _mm256_extractf128_ps(r1, 1));
    _mm_storeu_ps(base + 4 * index[6], _mm256_extractf128_ps(r2, 1));
    _mm_storeu_ps(base + 4 * index[7], _mm256_extractf128_ps(r3, 1));
}

// Lane i of row k becomes lane k of row i.
static inline void dr_f8_transpose(dr_f8 v[8])
{
    __m256 a0 = _mm256_unpacklo_ps(v[0], v[1]), a1 = _mm256_unpackhi_ps(v[0], v[1]);
    __m256 a2 = _mm256_unpacklo_ps(v[2], v[3]), a3 = _mm256_unpackhi_ps(v[2], v[3]);
    __m256 a4 = _mm256_unpacklo_ps(v[4], v[5]), a5 = _mm256_unpackhi_ps(v[4], v[5]);
    __m256 a6 = _mm256_unpacklo_ps(v[6], v[7]), a7 = _mm256_unpackhi_ps(v[6], v[7]);
    __m256 b0 = _mm256_shuffle_ps(a0, a2, 0x44), b1 = _mm256_shuffle_ps(a0, a2, 0xee);
    __m256 b2 = _mm256_shuffle_ps(a1, a3, 0x44), b3 = _mm256_shuffle_ps(a1, a3, 0xee);
    __m256 b4 = _mm256_shuffle_ps(a4, a6, 0x44), b5 = _mm256_shuffle_ps(a4, a6, 0xee);
    __m256 b6 = _mm256_shuffle_ps(a5, a7, 0x44), b7 = _mm256_shuffle_ps(a5, a7, 0xee);
    v[0] = _mm256_permute2f128_ps(b0, b4, 0x20);
    v[1] = _mm256_permute2f128_ps(b1, b5, 0x20);
    v[2] = _mm256_permute2f128_ps(b2, b6, 0x20);
    v[3] = _mm256_permute2f128_ps(b3, b7, 0x20);
    v[4] = _mm256_permute2f128_ps(b0, b4, 0x31);
    v[5] = _mm256_permute2f128_ps(b1, b5, 0x31);
    v[6] = _mm256_permute2f128_ps(b2, b6, 0x31);
    v[7] = _mm256_permute2f128_ps(b3, b7, 0x31);
}

#else // two halves of four

#    if defined(DR_SIMD_SSE2)
#        include <emmintrin.h>
#        define DR_KERNEL(name) DR_JOIN(name, _sse2)

typedef __m128 dr_f4;

static inline dr_f4 dr_f4_load(const float* p) { return _mm_loadu_ps(p); }
static inline void dr_f4_store(float* p, dr_f4 a) { _mm_storeu_ps(p, a); }
static inline dr_f4 dr_f4_set(float a) { return _mm_set1_ps(a); }
static inline dr_f4 dr_f4_add(dr_f4 a, dr_f4 b) { return _mm_add_ps(a, b); }
static inline dr_f4 dr_f4_sub(dr_f4 a, dr_f4 b) { return _mm_sub_ps(a, b); }
static inline dr_f4 dr_f4_mul(dr_f4 a, dr_f4 b) { return _mm_mul_ps(a, b); }
static inline dr_f4 dr_f4_div(dr_f4 a, dr_f4 b) { return _mm_div_ps(a, b); }
static inline dr_f4 dr_f4_sqrt(dr_f4 a) { return _mm_sqrt_ps(a); }
static inline dr_f4 dr_f4_min(dr_f4 a, dr_f4 b) { return _mm_min_ps(a, b); }
static inline dr_f4 dr_f4_max(dr_f4 a, dr_f4 b) { return _mm_max_ps(a, b); }
static inline dr_f4 dr_f4_less(dr_f4 a, dr_f4 b) { return _mm_cmplt_ps(a, b); }
static inline dr_f4 dr_f4_and(dr_f4 a, dr_f4 b) { return _mm_and_ps(a, b); }
static inline dr_f4 dr_f4_or(dr_f4 a, dr_f4 b) { return _mm_or_ps(a, b); }
static inline dr_f4 dr_f4_select(dr_f4 mask, dr_f4 yes, dr_f4 no)
{
    return _mm_or_ps(_mm_and_ps(mask, yes), _mm_andnot_ps(mask, no));
}
static inline int dr_f4_bits(dr_f4 mask) { return _mm_movemask_ps(mask); }
// (a1, a2, a3, b0)
static inline dr_f4 dr_f4_next(dr_f4 a, dr_f4 b)
{
    __m128 t = _mm_move_ss(a, b);
    return _mm_shuffle_ps(t, t, 0x39);
}
// (a3, b0, b1, b2)
static inline dr_f4 dr_f4_previous(dr_f4 a, dr_f4 b)
{
    return _mm_move_ss(_mm_shuffle_ps(b, b, 0x93), _mm_shuffle_ps(a, a, 0xff));
}
static inline void dr_f4_transpose(dr_f4* a, dr_f4* b, dr_f4* c, dr_f4* d)
{
    _MM_TRANSPOSE4_PS(*a, *b, *c, *d);
}

#    elif defined(DR_SIMD_NEON)
#        include <arm_neon.h>
#        define DR_KERNEL(name) DR_JOIN(name, _neon)

typedef float32x4_t dr_f4;

static inline dr_f4 dr_f4_load(const float* p) { return vld1q_f32(p); }
static inline void dr_f4_store(float* p, dr_f4 a) { vst1q_f32(p, a); }
static inline dr_f4 dr_f4_set(float a) { return vdupq_n_f32(a); }
static inline dr_f4 dr_f4_add(dr_f4 a, dr_f4 b) { return vaddq_f32(a, b); }
static inline dr_f4 dr_f4_sub(dr_f4 a, dr_f4 b) { return vsubq_f32(a, b); }
static inline dr_f4 dr_f4_mul(dr_f4 a, dr_f4 b) { return vmulq_f32(a, b); }
static inline dr_f4 dr_f4_div(dr_f4 a, dr_f4 b) { return vdivq_f32(a, b); }
static inline dr_f4 dr_f4_sqrt(dr_f4 a) { return vsqrtq_f32(a); }
static inline dr_f4 dr_f4_min(dr_f4 a, dr_f4 b) { return vbslq_f32(vcltq_f32(a, b), a, b); }
static inline dr_f4 dr_f4_max(dr_f4 a, dr_f4 b) { return vbslq_f32(vcltq_f32(b, a), a, b); }
static inline dr_f4 dr_f4_less(dr_f4 a, dr_f4 b) { return vreinterpretq_f32_u32(vcltq_f32(a, b)); }
static inline dr_f4 dr_f4_and(dr_f4 a, dr_f4 b)
{
    return vreinterpretq_f32_u32(vandq_u32(vreinterpretq_u32_f32(a), vreinterpretq_u32_f32(b)));
}
static inline dr_f4 dr_f4_or(dr_f4 a, dr_f4 b)
{
    return vreinterpretq_f32_u32(vorrq_u32(vreinterpretq_u32_f32(a), vreinterpretq_u32_f32(b)));
}
static inline dr_f4 dr_f4_select(dr_f4 mask, dr_f4 yes, dr_f4 no)
{
    return vbslq_f32(vreinterpretq_u32_f32(mask), yes, no);
}
static inline int dr_f4_bits(dr_f4 mask)
{
    const int32_t place[4] = {0, 1, 2, 3};
    uint32x4_t bit = vshrq_n_u32(vreinterpretq_u32_f32(mask), 31);
    return (int)vaddvq_u32(vshlq_u32(bit, vld1q_s32(place)));
}
static inline dr_f4 dr_f4_next(dr_f4 a, dr_f4 b) { return vextq_f32(a, b, 1); }
static inline dr_f4 dr_f4_previous(dr_f4 a, dr_f4 b) { return vextq_f32(a, b, 3); }
static inline void dr_f4_transpose(dr_f4* a, dr_f4* b, dr_f4* c, dr_f4* d)
{
    float32x4x2_t ab = vtrnq_f32(*a, *b), cd = vtrnq_f32(*c, *d);
    *a = vcombine_f32(vget_low_f32(ab.val[0]), vget_low_f32(cd.val[0]));
    *b = vcombine_f32(vget_low_f32(ab.val[1]), vget_low_f32(cd.val[1]));
    *c = vcombine_f32(vget_high_f32(ab.val[0]), vget_high_f32(cd.val[0]));
    *d = vcombine_f32(vget_high_f32(ab.val[1]), vget_high_f32(cd.val[1]));
}

#    elif defined(DR_SIMD_WASM)
#        include <wasm_simd128.h>
#        define DR_KERNEL(name) DR_JOIN(name, _wasm)

typedef v128_t dr_f4;

static inline dr_f4 dr_f4_load(const float* p) { return wasm_v128_load(p); }
static inline void dr_f4_store(float* p, dr_f4 a) { wasm_v128_store(p, a); }
static inline dr_f4 dr_f4_set(float a) { return wasm_f32x4_splat(a); }
static inline dr_f4 dr_f4_add(dr_f4 a, dr_f4 b) { return wasm_f32x4_add(a, b); }
static inline dr_f4 dr_f4_sub(dr_f4 a, dr_f4 b) { return wasm_f32x4_sub(a, b); }
static inline dr_f4 dr_f4_mul(dr_f4 a, dr_f4 b) { return wasm_f32x4_mul(a, b); }
static inline dr_f4 dr_f4_div(dr_f4 a, dr_f4 b) { return wasm_f32x4_div(a, b); }
static inline dr_f4 dr_f4_sqrt(dr_f4 a) { return wasm_f32x4_sqrt(a); }
static inline dr_f4 dr_f4_min(dr_f4 a, dr_f4 b) { return wasm_f32x4_pmin(b, a); }
static inline dr_f4 dr_f4_max(dr_f4 a, dr_f4 b) { return wasm_f32x4_pmax(b, a); }
static inline dr_f4 dr_f4_less(dr_f4 a, dr_f4 b) { return wasm_f32x4_lt(a, b); }
static inline dr_f4 dr_f4_and(dr_f4 a, dr_f4 b) { return wasm_v128_and(a, b); }
static inline dr_f4 dr_f4_or(dr_f4 a, dr_f4 b) { return wasm_v128_or(a, b); }
static inline dr_f4 dr_f4_select(dr_f4 mask, dr_f4 yes, dr_f4 no)
{
    return wasm_v128_bitselect(yes, no, mask);
}
static inline int dr_f4_bits(dr_f4 mask) { return (int)wasm_i32x4_bitmask(mask); }
static inline dr_f4 dr_f4_next(dr_f4 a, dr_f4 b) { return wasm_i32x4_shuffle(a, b, 1, 2, 3, 4); }
static inline dr_f4 dr_f4_previous(dr_f4 a, dr_f4 b)
{
    return wasm_i32x4_shuffle(a, b, 3, 4, 5, 6);
}
static inline void dr_f4_transpose(dr_f4* a, dr_f4* b, dr_f4* c, dr_f4* d)
{
    v128_t t0 = wasm_i32x4_shuffle(*a, *b, 0, 4, 1, 5), t1 = wasm_i32x4_shuffle(*a, *b, 2, 6, 3, 7);
    v128_t t2 = wasm_i32x4_shuffle(*c, *d, 0, 4, 1, 5), t3 = wasm_i32x4_shuffle(*c, *d, 2, 6, 3, 7);
    *a = wasm_i32x4_shuffle(t0, t2, 0, 1, 4, 5);
    *b = wasm_i32x4_shuffle(t0, t2, 2, 3, 6, 7);
    *c = wasm_i32x4_shuffle(t1, t3, 0, 1, 4, 5);
    *d = wasm_i32x4_shuffle(t1, t3, 2, 3, 6, 7);
}

#    else // plain C
#        include <math.h>
#        define DR_KERNEL(name) DR_JOIN(name, _plain)

typedef struct dr_f4 {
    float v[4];
} dr_f4;

#        define DR_F4_EACH(expression)        \
            dr_f4 r;                          \
            for (int i = 0; i < 4; ++i) {     \
                r.v[i] = (expression);        \
            }                                 \
            return r

static inline uint32_t dr_bits_of(float a)
{
    uint32_t bits;
    memcpy(&bits, &a, sizeof bits);
    return bits;
}
static inline float dr_float_of(uint32_t bits)
{
    float a;
    memcpy(&a, &bits, sizeof a);
    return a;
}
static inline dr_f4 dr_f4_load(const float* p) { DR_F4_EACH(p[i]); }
static inline void dr_f4_store(float* p, dr_f4 a) { memcpy(p, a.v, sizeof a.v); }
static inline dr_f4 dr_f4_set(float a) { DR_F4_EACH(a); }
static inline dr_f4 dr_f4_add(dr_f4 a, dr_f4 b) { DR_F4_EACH(a.v[i] + b.v[i]); }
static inline dr_f4 dr_f4_sub(dr_f4 a, dr_f4 b) { DR_F4_EACH(a.v[i] - b.v[i]); }
static inline dr_f4 dr_f4_mul(dr_f4 a, dr_f4 b) { DR_F4_EACH(a.v[i] * b.v[i]); }
static inline dr_f4 dr_f4_div(dr_f4 a, dr_f4 b) { DR_F4_EACH(a.v[i] / b.v[i]); }
static inline dr_f4 dr_f4_sqrt(dr_f4 a) { DR_F4_EACH(sqrtf(a.v[i])); }
static inline dr_f4 dr_f4_min(dr_f4 a, dr_f4 b) { DR_F4_EACH(a.v[i] < b.v[i] ? a.v[i] : b.v[i]); }
static inline dr_f4 dr_f4_max(dr_f4 a, dr_f4 b) { DR_F4_EACH(a.v[i] > b.v[i] ? a.v[i] : b.v[i]); }
static inline dr_f4 dr_f4_less(dr_f4 a, dr_f4 b)
{
    DR_F4_EACH(dr_float_of(a.v[i] < b.v[i] ? 0xffffffffu : 0u));
}
static inline dr_f4 dr_f4_and(dr_f4 a, dr_f4 b)
{
    DR_F4_EACH(dr_float_of(dr_bits_of(a.v[i]) & dr_bits_of(b.v[i])));
}
static inline dr_f4 dr_f4_or(dr_f4 a, dr_f4 b)
{
    DR_F4_EACH(dr_float_of(dr_bits_of(a.v[i]) | dr_bits_of(b.v[i])));
}
static inline dr_f4 dr_f4_select(dr_f4 mask, dr_f4 yes, dr_f4 no)
{
    DR_F4_EACH(dr_bits_of(mask.v[i]) >> 31 ? yes.v[i] : no.v[i]);
}
static inline int dr_f4_bits(dr_f4 mask)
{
    int bits = 0;
    for (int i = 0; i < 4; ++i) {
        bits |= (int)(dr_bits_of(mask.v[i]) >> 31) << i;
    }
    return bits;
}
static inline dr_f4 dr_f4_next(dr_f4 a, dr_f4 b)
{
    return (dr_f4){{a.v[1], a.v[2], a.v[3], b.v[0]}};
}
static inline dr_f4 dr_f4_previous(dr_f4 a, dr_f4 b)
{
    return (dr_f4){{a.v[3], b.v[0], b.v[1], b.v[2]}};
}
static inline void dr_f4_transpose(dr_f4* a, dr_f4* b, dr_f4* c, dr_f4* d)
{
    dr_f4 rows[4] = {*a, *b, *c, *d};
    for (int i = 0; i < 4; ++i) {
        a->v[i] = rows[i].v[0];
        b->v[i] = rows[i].v[1];
        c->v[i] = rows[i].v[2];
        d->v[i] = rows[i].v[3];
    }
}
#        undef DR_F4_EACH
#    endif

// Eight lanes as a low and a high half; every operation works on both.
typedef struct dr_f8 {
    dr_f4 lo, hi;
} dr_f8;

static inline dr_f8 dr_f8_load(const float* p)
{
    return (dr_f8){dr_f4_load(p), dr_f4_load(p + 4)};
}
static inline void dr_f8_store(float* p, dr_f8 a)
{
    dr_f4_store(p, a.lo);
    dr_f4_store(p + 4, a.hi);
}
static inline dr_f8 dr_f8_set(float a) { return (dr_f8){dr_f4_set(a), dr_f4_set(a)}; }
static inline dr_f8 dr_f8_sqrt(dr_f8 a) { return (dr_f8){dr_f4_sqrt(a.lo), dr_f4_sqrt(a.hi)}; }
#    define DR_F8_BOTH(name)                                                   \
        static inline dr_f8 dr_f8_##name(dr_f8 a, dr_f8 b)                     \
        {                                                                      \
            return (dr_f8){dr_f4_##name(a.lo, b.lo), dr_f4_##name(a.hi, b.hi)}; \
        }
DR_F8_BOTH(add)
DR_F8_BOTH(sub)
DR_F8_BOTH(mul)
DR_F8_BOTH(div)
DR_F8_BOTH(min)
DR_F8_BOTH(max)
DR_F8_BOTH(less)
DR_F8_BOTH(and)
DR_F8_BOTH(or)
#    undef DR_F8_BOTH
static inline dr_f8 dr_f8_select(dr_f8 mask, dr_f8 yes, dr_f8 no)
{
    return (dr_f8){dr_f4_select(mask.lo, yes.lo, no.lo), dr_f4_select(mask.hi, yes.hi, no.hi)};
}
static inline int dr_f8_bits(dr_f8 mask)
{
    return dr_f4_bits(mask.lo) | dr_f4_bits(mask.hi) << 4;
}
static inline dr_f8 dr_f8_rotate_down(dr_f8 a)
{
    return (dr_f8){dr_f4_next(a.lo, a.hi), dr_f4_next(a.hi, a.lo)};
}
static inline dr_f8 dr_f8_rotate_up(dr_f8 a)
{
    return (dr_f8){dr_f4_previous(a.hi, a.lo), dr_f4_previous(a.lo, a.hi)};
}

static inline void dr_f8_gather4(const float* base, const int32_t* index, dr_f8 out[4])
{
    dr_f4 a = dr_f4_load(base + 4 * index[0]), b = dr_f4_load(base + 4 * index[1]);
    dr_f4 c = dr_f4_load(base + 4 * index[2]), d = dr_f4_load(base + 4 * index[3]);
    dr_f4 e = dr_f4_load(base + 4 * index[4]), f = dr_f4_load(base + 4 * index[5]);
    dr_f4 g = dr_f4_load(base + 4 * index[6]), h = dr_f4_load(base + 4 * index[7]);
    dr_f4_transpose(&a, &b, &c, &d);
    dr_f4_transpose(&e, &f, &g, &h);
    out[0] = (dr_f8){a, e};
    out[1] = (dr_f8){b, f};
    out[2] = (dr_f8){c, g};
    out[3] = (dr_f8){d, h};
}

static inline void dr_f8_scatter4(float* base, const int32_t* index, const dr_f8 in[4])
{
    dr_f4 a = in[0].lo, b = in[1].lo, c = in[2].lo, d = in[3].lo;
    dr_f4 e = in[0].hi, f = in[1].hi, g = in[2].hi, h = in[3].hi;
    dr_f4_transpose(&a, &b, &c, &d);
    dr_f4_transpose(&e, &f, &g, &h);
    dr_f4_store(base + 4 * index[0], a);
    dr_f4_store(base + 4 * index[1], b);
    dr_f4_store(base + 4 * index[2], c);
    dr_f4_store(base + 4 * index[3], d);
    dr_f4_store(base + 4 * index[4], e);
    dr_f4_store(base + 4 * index[5], f);
    dr_f4_store(base + 4 * index[6], g);
    dr_f4_store(base + 4 * index[7], h);
}

static inline void dr_f8_transpose(dr_f8 v[8])
{
    dr_f4_transpose(&v[0].lo, &v[1].lo, &v[2].lo, &v[3].lo);
    dr_f4_transpose(&v[4].hi, &v[5].hi, &v[6].hi, &v[7].hi);
    dr_f4_transpose(&v[0].hi, &v[1].hi, &v[2].hi, &v[3].hi);
    dr_f4_transpose(&v[4].lo, &v[5].lo, &v[6].lo, &v[7].lo);
    for (int i = 0; i < 4; ++i) {
        dr_f4 keep = v[i].hi;
        v[i].hi = v[i + 4].lo;
        v[i + 4].lo = keep;
    }
}

#endif

// --- Common to all sets ---

static inline dr_f8 dr_f8_zero(void) { return dr_f8_set(0.0f); }
static inline dr_f8 dr_f8_neg(dr_f8 a) { return dr_f8_sub(dr_f8_zero(), a); }
static inline dr_f8 dr_f8_abs(dr_f8 a) { return dr_f8_max(a, dr_f8_neg(a)); }

// Three components of eight vectors.
typedef struct dr_v8 {
    dr_f8 x, y, z;
} dr_v8;

static inline dr_v8 dr_v8_load(const float* p)
{
    return (dr_v8){dr_f8_load(p), dr_f8_load(p + 8), dr_f8_load(p + 16)};
}
static inline void dr_v8_store(float* p, dr_v8 a)
{
    dr_f8_store(p, a.x);
    dr_f8_store(p + 8, a.y);
    dr_f8_store(p + 16, a.z);
}
static inline dr_v8 dr_v8_set(float x, float y, float z)
{
    return (dr_v8){dr_f8_set(x), dr_f8_set(y), dr_f8_set(z)};
}
static inline dr_v8 dr_v8_add(dr_v8 a, dr_v8 b)
{
    return (dr_v8){dr_f8_add(a.x, b.x), dr_f8_add(a.y, b.y), dr_f8_add(a.z, b.z)};
}
static inline dr_v8 dr_v8_sub(dr_v8 a, dr_v8 b)
{
    return (dr_v8){dr_f8_sub(a.x, b.x), dr_f8_sub(a.y, b.y), dr_f8_sub(a.z, b.z)};
}
static inline dr_v8 dr_v8_scale(dr_v8 a, dr_f8 s)
{
    return (dr_v8){dr_f8_mul(a.x, s), dr_f8_mul(a.y, s), dr_f8_mul(a.z, s)};
}
static inline dr_f8 dr_v8_dot(dr_v8 a, dr_v8 b)
{
    return dr_f8_add(dr_f8_add(dr_f8_mul(a.x, b.x), dr_f8_mul(a.y, b.y)), dr_f8_mul(a.z, b.z));
}
static inline dr_v8 dr_v8_cross(dr_v8 a, dr_v8 b)
{
    return (dr_v8){dr_f8_sub(dr_f8_mul(a.y, b.z), dr_f8_mul(a.z, b.y)),
                   dr_f8_sub(dr_f8_mul(a.z, b.x), dr_f8_mul(a.x, b.z)),
                   dr_f8_sub(dr_f8_mul(a.x, b.y), dr_f8_mul(a.y, b.x))};
}
static inline dr_v8 dr_v8_select(dr_f8 mask, dr_v8 yes, dr_v8 no)
{
    return (dr_v8){dr_f8_select(mask, yes.x, no.x), dr_f8_select(mask, yes.y, no.y),
                   dr_f8_select(mask, yes.z, no.z)};
}
static inline dr_v8 dr_v8_rotate_down(dr_v8 a)
{
    return (dr_v8){dr_f8_rotate_down(a.x), dr_f8_rotate_down(a.y), dr_f8_rotate_down(a.z)};
}
static inline dr_v8 dr_v8_rotate_up(dr_v8 a)
{
    return (dr_v8){dr_f8_rotate_up(a.x), dr_f8_rotate_up(a.y), dr_f8_rotate_up(a.z)};
}

#endif
