// closest_test.h: pairs of every shape, and their distance by a slow search in long double.
#ifndef CLOSEST_TEST_H
#define CLOSEST_TEST_H

#include <check.h>
#include <math.h>
#include <stdbool.h>

#include "core/random.h"
#include "core/vec_math.h"

// For loops of a million rounds: ck_assert tells the runner about each one that holds.
#define EXPECT(condition, ...)         \
    do {                               \
        if (!(condition)) {            \
            ck_abort_msg(__VA_ARGS__); \
        }                              \
    } while (0)

// Long double has 11 more bits than double where it matters to us.
typedef long double wide;

typedef struct wide3 {
    wide x, y, z;
} wide3;

static inline wide3 wide_sub(drape_vec3 a, drape_vec3 b)
{
    return (wide3){(wide)a.x - b.x, (wide)a.y - b.y, (wide)a.z - b.z};
}

// a + s b
static inline wide3 wide_add(wide3 a, wide s, wide3 b)
{
    return (wide3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

static inline wide wide_dot(wide3 a, wide3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline wide3 wide_cross(wide3 a, wide3 b)
{
    return (wide3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline wide wide_length(wide3 a)
{
    return sqrtl(wide_dot(a, a));
}

// Distance of the points that weights name: see dr_closest.
static inline wide distance_at(bool is_edges, const drape_vec3 v[4], const double w[3])
{
    if (is_edges) {
        wide3 way = wide_add(wide_sub(v[2], v[0]), -(wide)w[0], wide_sub(v[1], v[0]));
        return wide_length(wide_add(way, w[1], wide_sub(v[3], v[2])));
    }
    wide3 way = wide_add(wide_sub(v[0], v[1]), -(wide)w[1], wide_sub(v[2], v[1]));
    return wide_length(wide_add(way, -(wide)w[2], wide_sub(v[3], v[1])));
}

// The shorter one: along a normal, it carries less of the normal's error.
static inline wide3 wide_shorter(wide3 a, wide3 b)
{
    return wide_dot(a, a) < wide_dot(b, b) ? a : b;
}

static inline wide point_edge_distance(drape_vec3 p, drape_vec3 a, drape_vec3 b)
{
    wide3 ab = wide_sub(b, a), ap = wide_sub(p, a), bp = wide_sub(p, b);
    wide along = wide_dot(ap, ab), squared = wide_dot(ab, ab);
    if (along > 0 && along < squared) {
        // The cross product keeps what the difference of two near points would lose.
        return wide_length(wide_cross(ap, ab)) / sqrtl(squared);
    }
    return along > 0 && squared > 0 ? wide_length(bp) : wide_length(ap);
}

static inline wide point_triangle_distance(drape_vec3 p, drape_vec3 a, drape_vec3 b, drape_vec3 c)
{
    wide3 n = wide_cross(wide_sub(b, a), wide_sub(c, a));
    wide u = wide_dot(n, wide_cross(wide_sub(b, p), wide_sub(c, p)));
    wide v = wide_dot(n, wide_cross(wide_sub(c, p), wide_sub(a, p)));
    wide w = wide_dot(n, wide_cross(wide_sub(a, p), wide_sub(b, p)));
    wide least = point_edge_distance(p, a, b);
    least = fminl(least, point_edge_distance(p, b, c));
    least = fminl(least, point_edge_distance(p, c, a));
    if (u > 0 && v > 0 && w > 0) {
        wide3 way = wide_shorter(wide_sub(p, a), wide_sub(p, b));
        way = wide_shorter(way, wide_sub(p, c));
        least = fminl(least, fabsl(wide_dot(n, way)) / wide_length(n));
    }
    return least;
}

static inline wide edges_distance(drape_vec3 a, drape_vec3 b, drape_vec3 c, drape_vec3 d)
{
    wide3 ab = wide_sub(b, a), cd = wide_sub(d, c), ac = wide_sub(c, a), n = wide_cross(ab, cd);
    wide squared = wide_dot(n, n);
    wide s = wide_dot(wide_cross(ac, cd), n), t = wide_dot(wide_cross(ac, ab), n);
    wide least = fminl(point_edge_distance(a, c, d), point_edge_distance(b, c, d));
    least = fminl(least, point_edge_distance(c, a, b));
    least = fminl(least, point_edge_distance(d, a, b));
    if (s > 0 && s < squared && t > 0 && t < squared) {
        wide3 way = wide_shorter(ac, wide_sub(d, a));
        way = wide_shorter(way, wide_shorter(wide_sub(c, b), wide_sub(d, b)));
        least = fminl(least, fabsl(wide_dot(n, way)) / sqrtl(squared));
    }
    return least;
}

static inline wide reference_distance(bool is_edges, const drape_vec3 v[4])
{
    return is_edges ? edges_distance(v[0], v[1], v[2], v[3])
                    : point_triangle_distance(v[0], v[1], v[2], v[3]);
}

// The greatest distance between two of the four.
static inline double pair_size(const drape_vec3 v[4])
{
    double size = 0.0;
    for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < i; ++j) {
            size = fmax(size, (double)wide_length(wide_sub(v[i], v[j])));
        }
    }
    return size;
}

// --- Pairs ---

typedef enum pair_shape {
    PAIR_RANDOM,
    PAIR_FAR_AWAY, // as in cloth, a hundred times its size from the origin
    PAIR_FLAT,     // all four almost in one plane
    PAIR_IN_LINE,  // all four almost on one line
    PAIR_NEEDLE,   // v[1] and v[2] almost the same
    PAIR_SLIVER,   // v[3] almost on the line of v[1] and v[2]
    PAIR_PARALLEL, // the two edges almost parallel
    PAIR_GRID,     // small whole numbers: touching, coincident, in line, exactly
    PAIR_SIZES,    // of all sizes from 1e-20 to 1e12 in one pair
    PAIR_SHAPE_COUNT
} pair_shape;

static inline drape_vec3 pair_vec(uint32_t seed, uint32_t index, float size)
{
    return (drape_vec3){size * dr_random_signed(seed, 3 * index),
                        size * dr_random_signed(seed, 3 * index + 1),
                        size * dr_random_signed(seed, 3 * index + 2)};
}

// A power of ten between 10^low and 10^high.
static inline float pair_power(uint32_t seed, uint32_t index, float low, float high)
{
    return powf(10.0f, low + (high - low) * dr_random_unit(seed, index));
}

static inline drape_vec3 rounded(drape_vec3 v)
{
    return (drape_vec3){rintf(v.x), rintf(v.y), rintf(v.z)};
}

static inline void make_pair(pair_shape shape, uint32_t number, drape_vec3 v[4])
{
    uint32_t seed = 1000u + (uint32_t)shape, at = 8 * number;
    float tiny = pair_power(seed + 100, number, -9.0f, -1.0f);
    drape_vec3 x = pair_vec(seed, at + 4, 1.0f), y = pair_vec(seed, at + 5, 1.0f);
    for (uint32_t i = 0; i < 4; ++i) {
        drape_vec3 r = pair_vec(seed, at + i, 1.0f);
        float s = dr_random_signed(seed + 200, at + i), t = dr_random_signed(seed + 300, at + i);
        v[i] = r;
        switch (shape) {
        case PAIR_FAR_AWAY: v[i] = dr_add(dr_scale(r, 0.01f), x); break;
        case PAIR_FLAT:
            v[i] = dr_add(dr_add(dr_scale(x, s), dr_scale(y, t)), dr_scale(r, tiny));
            break;
        case PAIR_IN_LINE: v[i] = dr_add(dr_scale(x, s), dr_scale(r, tiny)); break;
        case PAIR_GRID: v[i] = rounded(dr_scale(r, 2.49f)); break;
        case PAIR_SIZES: v[i] = dr_scale(r, pair_power(seed + 400, at + i, -20.0f, 12.0f)); break;
        default: break;
        }
    }
    if (shape == PAIR_NEEDLE) {
        v[2] = dr_add(v[1], dr_scale(x, tiny));
    } else if (shape == PAIR_SLIVER) {
        v[3] = dr_add(dr_lerp(v[1], v[2], 1.5f * x.x), dr_scale(y, tiny));
    } else if (shape == PAIR_PARALLEL) {
        v[3] = dr_add(dr_add(v[2], dr_scale(dr_sub(v[1], v[0]), x.x)), dr_scale(y, tiny));
    }
}

#endif
