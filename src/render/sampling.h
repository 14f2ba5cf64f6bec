// render/sampling.h: where samples go, without chance.
//
// Points of the Sobol sequence in two dimensions, scrambled in the manner of Owen by a hash of the
// pixel and of what the pair of numbers is for (Burley 2020: Practical Hash-based Owen Scrambling).
// The first 2^n points of a pixel are spread evenly for every n, so a pixel may stop at 16 or go on
// to 64; pixels and purposes are independent of each other; and nothing depends on the order in
// which pixels are done.
//
// Maps of the unit square to directions follow: a hemisphere by the cosine, a cone evenly.
#ifndef DR_SAMPLING_H
#define DR_SAMPLING_H

#include <math.h>
#include <stdint.h>

#include "core/vec_math.h"

// Samples of one pixel.
typedef struct dr_sampler {
    uint32_t seed;  // of the pixel
    uint32_t index; // of the sample
} dr_sampler;

// A point of the unit square, both in [0, 1).
typedef struct dr_sample {
    float x, y;
} dr_sample;

static inline uint32_t dr_hash_mix(uint32_t x)
{
    x = (x ^ x >> 16) * 0x21f0aaadu;
    x = (x ^ x >> 15) * 0xd35a2d97u;
    return x ^ x >> 15;
}

static inline uint32_t dr_reverse_bits(uint32_t x)
{
    x = x >> 16 | x << 16;
    x = (x & 0x00ff00ffu) << 8 | (x & 0xff00ff00u) >> 8;
    x = (x & 0x0f0f0f0fu) << 4 | (x & 0xf0f0f0f0u) >> 4;
    x = (x & 0x33333333u) << 2 | (x & 0xccccccccu) >> 2;
    return (x & 0x55555555u) << 1 | (x & 0xaaaaaaaau) >> 1;
}

// On reversed bits: each bit is turned by a hash of those below it.
static inline uint32_t dr_scramble_reversed(uint32_t x, uint32_t seed)
{
    x ^= x * 0x3d20adeau;
    x += seed;
    x *= (seed >> 16) | 1u;
    x ^= x * 0x05526c56u;
    return x ^ x * 0x53a22864u;
}

// The second coordinate of the sequence with its bits reversed: the index times the triangle of
// Pascal over two elements, which is five steps of shift and add (Ahmed 2024).
static inline uint32_t dr_sobol_second_reversed(uint32_t x)
{
    x ^= x >> 16;
    x ^= (x & 0xff00ff00u) >> 8;
    x ^= (x & 0xf0f0f0f0u) >> 4;
    x ^= (x & 0xccccccccu) >> 2;
    return x ^ (x & 0xaaaaaaaau) >> 1;
}

static inline float dr_unit_of_bits(uint32_t bits)
{
    return (float)(bits >> 8) * 0x1p-24f;
}

// The pair of numbers for `purpose`; one purpose, one pair.
static inline dr_sample dr_sampler_get(const dr_sampler* sampler, uint32_t purpose)
{
    uint32_t seed = dr_hash_mix(sampler->seed + purpose * 0x9e3779b9u);
    // The order of the points is scrambled, too: purposes with the same order would be paired.
    uint32_t index = dr_reverse_bits(dr_scramble_reversed(dr_reverse_bits(sampler->index), seed));
    // The first coordinate is the index with its bits reversed, so reversed once more it is index.
    uint32_t x = dr_reverse_bits(dr_scramble_reversed(index, dr_hash_mix(seed ^ 0x68bc21ebu)));
    uint32_t y = dr_sobol_second_reversed(index);
    y = dr_reverse_bits(dr_scramble_reversed(y, dr_hash_mix(seed ^ 0x02e5be93u)));
    return (dr_sample){dr_unit_of_bits(x), dr_unit_of_bits(y)};
}

// --- Directions ---

// A vector of a frame whose third axis is `n`, of length 1 (Duff et al. 2017).
static inline drape_vec3 dr_frame_apply(drape_vec3 n, float x, float y, float z)
{
    float sign = n.z < 0.0f ? -1.0f : 1.0f;
    float a = -1.0f / (sign + n.z), b = n.x * n.y * a;
    drape_vec3 s = {1.0f + sign * n.x * n.x * a, sign * b, -sign * n.x};
    drape_vec3 t = {b, sign + n.y * n.y * a, -n.y};
    return (drape_vec3){s.x * x + t.x * y + n.x * z, s.y * x + t.y * y + n.y * z,
                        s.z * x + t.z * y + n.z * z};
}

// Sine and cosine for angles within 45 degrees, to a few units of the last place.
static inline float dr_small_sine(float x)
{
    float q = x * x;
    return x * (1.0f - q * (1.0f / 6.0f - q * (1.0f / 120.0f - q * (1.0f / 5040.0f))));
}

static inline float dr_small_cosine(float x)
{
    float q = x * x;
    return 1.0f - q * (0.5f - q * (1.0f / 24.0f - q * (1.0f / 720.0f - q * (1.0f / 40320.0f))));
}

// A point of the unit disc, evenly; neighbours stay neighbours (Shirley, Chiu 1997).
static inline dr_sample dr_sample_disc(dr_sample u)
{
    const float quarter_pi = 0.785398163f;
    float a = 2.0f * u.x - 1.0f, b = 2.0f * u.y - 1.0f;
    if (a == 0.0f && b == 0.0f) {
        return (dr_sample){0.0f, 0.0f};
    }
    if (fabsf(a) > fabsf(b)) {
        float angle = quarter_pi * (b / a);
        return (dr_sample){a * dr_small_cosine(angle), a * dr_small_sine(angle)};
    }
    float angle = quarter_pi * (a / b);
    return (dr_sample){b * dr_small_sine(angle), b * dr_small_cosine(angle)};
}

// A direction above the surface with normal n; the more the steeper, by its cosine.
static inline drape_vec3 dr_sample_cosine(drape_vec3 n, dr_sample u)
{
    dr_sample disc = dr_sample_disc(u);
    float up = 1.0f - disc.x * disc.x - disc.y * disc.y;
    return dr_frame_apply(n, disc.x, disc.y, sqrtf(up > 0.0f ? up : 0.0f));
}

// A direction within a cone, evenly; `cosine` is that of its half-angle.
static inline drape_vec3 dr_sample_cone(drape_vec3 axis, float cosine, dr_sample u)
{
    dr_sample disc = dr_sample_disc(u);
    float square = disc.x * disc.x + disc.y * disc.y;
    float up = 1.0f - square * (1.0f - cosine);
    // The disc is blown up so that areas on it are areas on the cap.
    float widen = sqrtf((1.0f - cosine) * (1.0f + up));
    return dr_frame_apply(axis, disc.x * widen, disc.y * widen, up);
}

#endif
