// Distances and moves of eight pairs at a time, compiled once per instruction set.
#include "collide/closest_lanes.h"
#include "contact/apart.h"

// Too long for the taste of compilers, and far too dear to call.
#define INLINE inline __attribute__((always_inline))

static const int32_t in_a_row[8] = {0, 1, 2, 3, 4, 5, 6, 7};

typedef struct lanes4 {
    dr_v8 p;
    dr_f8 w;
} lanes4;

static INLINE lanes4 load(const float* array, const int32_t (*vertex)[4], int k)
{
    const int32_t index[8] = {vertex[0][k], vertex[1][k], vertex[2][k], vertex[3][k],
                              vertex[4][k], vertex[5][k], vertex[6][k], vertex[7][k]};
    dr_f8 v[4];
    dr_f8_gather4(array, index, v);
    return (lanes4){{v[0], v[1], v[2]}, v[3]};
}

// The last pairs, fewer than eight: the first of them fills the other lanes.
static const int32_t (*pad(const int32_t (*vertex)[4], int count, int32_t padded[8][4]))[4]
{
    for (int i = 0; i < 8; ++i) {
        memcpy(padded[i], vertex[i < count ? i : 0], sizeof padded[i]);
    }
    return (const int32_t(*)[4])padded;
}

static INLINE dr_f8 squared_between(dr_v8 a, dr_v8 b)
{
    dr_v8 d = dr_v8_sub(a, b);
    return dr_v8_dot(d, d);
}

// The largest difference between a vertex of one side and one of the other, squared.
static INLINE dr_f8 most_between(dr_apart_kind kind, const dr_v8 v[4])
{
    dr_f8 most = dr_f8_max(squared_between(v[0], v[2]), squared_between(v[0], v[3]));
    if (kind == DR_APART_POINT) {
        return dr_f8_max(most, squared_between(v[0], v[1]));
    }
    most = dr_f8_max(most, squared_between(v[1], v[2]));
    return dr_f8_max(most, squared_between(v[1], v[3]));
}

// A lower bound of the distance: what closest points may be wrong by (collide/closest.h) is less
// than a millionth of twice the longest way from the first vertex.
static INLINE dr_f8 lower_bound(dr_apart_kind kind, const dr_v8 v[4], dr_closest8* closest)
{
    *closest = kind == DR_APART_EDGES ? dr_closest8_edges(v[0], v[1], v[2], v[3])
                                      : dr_closest8_point_triangle(v[0], v[1], v[2], v[3]);
    dr_f8 far = dr_f8_max(squared_between(v[0], v[1]), squared_between(v[0], v[2]));
    far = dr_f8_sqrt(dr_f8_max(far, squared_between(v[0], v[3])));
    return dr_f8_sub(dr_f8_mul(dr_f8_sqrt(closest->squared), dr_f8_set(1.0f - 0x1p-22f)),
                     dr_f8_mul(far, dr_f8_set(1.25e-6f)));
}

static INLINE void sift(dr_apart_kind kind, const float* x, const float* ball,
                        const int32_t (*vertex)[4], int count, float rounding, float* lower,
                        float* allowed)
{
    int32_t padded[8][4];
    for (int k = 0; k < count; k += 8) {
        bool is_whole = count - k >= 8;
        const int32_t(*at)[4] = is_whole ? vertex + k : pad(vertex + k, count - k, padded);
        dr_v8 place[4], middle[4];
        dr_f8 radius[4];
        for (int i = 0; i < 4; ++i) {
            lanes4 b = load(ball, at, i);
            place[i] = load(x, at, i).p;
            middle[i] = b.p;
            radius[i] = b.w;
        }
        dr_closest8 closest;
        dr_f8 bound = lower_bound(kind, place, &closest);
        dr_f8 first = radius[0], second = dr_f8_max(radius[2], radius[3]);
        if (kind == DR_APART_POINT) {
            second = dr_f8_max(second, radius[1]);
        } else {
            first = dr_f8_max(first, radius[1]);
        }
        dr_f8 may_move =
            dr_f8_add(dr_f8_sqrt(most_between(kind, middle)), dr_f8_add(first, second));
        may_move = dr_f8_mul(may_move, dr_f8_set(1.0f + 0x1p-20f));
        float last[2][8];
        dr_f8_store(is_whole ? lower + k : last[0], bound);
        dr_f8_store(is_whole ? allowed + k : last[1],
                    dr_f8_sub(dr_f8_sub(bound, may_move), dr_f8_set(rounding)));
        if (!is_whole) {
            memcpy(lower + k, last[0], sizeof last[0][0] * (size_t)(count - k));
            memcpy(allowed + k, last[1], sizeof last[1][0] * (size_t)(count - k));
        }
    }
}

static INLINE void measure(dr_apart_kind kind, const float* x, const int32_t (*vertex)[4],
                           int count, dr_closest* closest, float* out)
{
    int32_t padded[8][4];
    for (int k = 0; k < count; k += 8) {
        bool is_whole = count - k >= 8;
        const int32_t(*at)[4] = is_whole ? vertex + k : pad(vertex + k, count - k, padded);
        dr_v8 place[4];
        for (int i = 0; i < 4; ++i) {
            place[i] = load(x, at, i).p;
        }
        dr_closest8 found;
        dr_closest all[8];
        float lower[8];
        dr_f8_store(lower, lower_bound(kind, place, &found));
        const dr_f8 fields[4] = {found.squared, found.w0, found.w1, found.w2};
        dr_f8_scatter4(&all[0].squared, in_a_row, fields);
        size_t some = is_whole ? 8 : (size_t)(count - k);
        memcpy(closest + k, all, sizeof all[0] * some);
        memcpy(out + k, lower, sizeof lower[0] * some);
    }
}

static INLINE int watch(dr_apart_kind kind, const float* way, const int32_t (*vertex)[4],
                        const float* lower, float limit, float rounding, int first, int count,
                        float* after, int32_t* flagged)
{
    int32_t padded[8][4];
    int flag_count = 0;
    for (int k = 0; k < count; k += 8) {
        bool is_whole = count - k >= 8;
        const int32_t(*at)[4] = is_whole ? vertex + k : pad(vertex + k, count - k, padded);
        dr_v8 ways[4];
        for (int i = 0; i < 4; ++i) {
            ways[i] = load(way, at, i).p;
        }
        dr_f8 moved = dr_f8_sqrt(most_between(kind, ways));
        moved = dr_f8_mul(moved, dr_f8_set(1.0f + 0x1p-20f));
        // Arrays have room for eight more.
        dr_f8 left = dr_f8_mul(dr_f8_load(lower + k), dr_f8_set(1.0f - 0x1p-22f));
        left = dr_f8_sub(dr_f8_sub(left, moved), dr_f8_set(rounding));
        dr_f8_store(after + k, left);
        int bits = dr_f8_bits(dr_f8_less(left, dr_f8_set(limit)));
        bits &= is_whole ? 0xff : (1 << (count - k)) - 1;
        for (; bits; bits &= bits - 1) {
            flagged[flag_count++] = first + k + __builtin_ctz((unsigned)bits);
        }
    }
    return flag_count;
}

static void sift_point(const float* x, const float* ball, const int32_t (*vertex)[4], int count,
                       float rounding, float* lower, float* allowed)
{
    sift(DR_APART_POINT, x, ball, vertex, count, rounding, lower, allowed);
}

static void sift_edges(const float* x, const float* ball, const int32_t (*vertex)[4], int count,
                       float rounding, float* lower, float* allowed)
{
    sift(DR_APART_EDGES, x, ball, vertex, count, rounding, lower, allowed);
}

static void measure_point(const float* x, const int32_t (*vertex)[4], int count,
                          dr_closest* closest, float* out)
{
    measure(DR_APART_POINT, x, vertex, count, closest, out);
}

static void measure_edges(const float* x, const int32_t (*vertex)[4], int count,
                          dr_closest* closest, float* out)
{
    measure(DR_APART_EDGES, x, vertex, count, closest, out);
}

static int watch_point(const float* way, const int32_t (*vertex)[4], const float* lower,
                       float limit, float rounding, int first, int count, float* after,
                       int32_t* flagged)
{
    return watch(DR_APART_POINT, way, vertex, lower, limit, rounding, first, count, after, flagged);
}

static int watch_edges(const float* way, const int32_t (*vertex)[4], const float* lower,
                       float limit, float rounding, int first, int count, float* after,
                       int32_t* flagged)
{
    return watch(DR_APART_EDGES, way, vertex, lower, limit, rounding, first, count, after, flagged);
}

const dr_apart_kernels DR_KERNEL(dr_apart_kernels);
const dr_apart_kernels DR_KERNEL(dr_apart_kernels) = {
    {sift_point, sift_edges}, {measure_point, measure_edges}, {watch_point, watch_edges}};
