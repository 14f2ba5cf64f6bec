// Closest points of many pairs, compiled once per instruction set.
#include "collide/closest.h"
#include "collide/closest_lanes.h"

// Too long for the taste of compilers, and far too dear to call.
#define INLINE inline __attribute__((always_inline))

static const int32_t in_a_row[8] = {0, 1, 2, 3, 4, 5, 6, 7};

// Corner `k` of eight pairs.
static inline dr_v8 load_corner(const float* positions, const int32_t (*pairs)[4], int k)
{
    const int32_t index[8] = {pairs[0][k], pairs[1][k], pairs[2][k], pairs[3][k],
                              pairs[4][k], pairs[5][k], pairs[6][k], pairs[7][k]};
    dr_f8 v[4];
    dr_f8_gather4(positions, index, v);
    return (dr_v8){v[0], v[1], v[2]};
}

typedef enum pair_kind { POINT_TRIANGLE, EDGES } pair_kind;

// `kind` is a constant wherever this is called, and leaves no branch behind.
static INLINE dr_closest8 closest8(pair_kind kind, const float* positions,
                                   const int32_t (*pairs)[4])
{
    dr_v8 v0 = load_corner(positions, pairs, 0), v1 = load_corner(positions, pairs, 1);
    dr_v8 v2 = load_corner(positions, pairs, 2), v3 = load_corner(positions, pairs, 3);
    return kind == EDGES ? dr_closest8_edges(v0, v1, v2, v3)
                         : dr_closest8_point_triangle(v0, v1, v2, v3);
}

static inline void store8(dr_closest* out, dr_closest8 closest)
{
    const dr_f8 fields[4] = {closest.squared, closest.w0, closest.w1, closest.w2};
    dr_f8_scatter4(&out->squared, in_a_row, fields);
}

// Those of eight that are near enough and asked for, in order.
static inline int keep_near(dr_closest8 closest, float limit, int wanted, int first,
                            dr_close_pair* out)
{
    int kept = dr_f8_bits(dr_f8_less(closest.squared, dr_f8_set(limit))) & wanted, count = 0;
    if (kept != 0) {
        dr_closest all[8];
        store8(all, closest);
        for (int lane = 0; lane < 8; ++lane) {
            if (kept >> lane & 1) {
                out[count++] = (dr_close_pair){all[lane], first + lane};
            }
        }
    }
    return count;
}

// The last pairs, fewer than eight: the first of them fills the other lanes.
static const int32_t (*pad(const int32_t (*pairs)[4], int count, int32_t padded[8][4]))[4]
{
    for (int i = 0; i < 8; ++i) {
        memcpy(padded[i], pairs[i < count ? i : 0], sizeof padded[i]);
    }
    return (const int32_t(*)[4])padded;
}

static INLINE void find_all(pair_kind kind, const float* positions, const int32_t (*pairs)[4],
                            int count, dr_closest* out)
{
    int32_t padded[8][4];
    for (int k = 0; k < count; k += 8) {
        bool is_whole = count - k >= 8;
        dr_closest last[8];
        dr_closest8 closest =
            closest8(kind, positions, is_whole ? pairs + k : pad(pairs + k, count - k, padded));
        store8(is_whole ? out + k : last, closest);
        if (!is_whole) {
            memcpy(out + k, last, sizeof last[0] * (size_t)(count - k));
        }
    }
}

static INLINE int find_near(pair_kind kind, const float* positions, const int32_t (*pairs)[4],
                            int count, float limit, dr_close_pair* out)
{
    int32_t padded[8][4];
    int near_count = 0;
    for (int k = 0; k < count; k += 8) {
        bool is_whole = count - k >= 8;
        dr_closest8 closest =
            closest8(kind, positions, is_whole ? pairs + k : pad(pairs + k, count - k, padded));
        int wanted = is_whole ? 0xff : (1 << (count - k)) - 1;
        near_count += keep_near(closest, limit, wanted, k, out + near_count);
    }
    return near_count;
}

static void point_triangle(const float* positions, const int32_t (*pairs)[4], int count,
                           dr_closest* out)
{
    find_all(POINT_TRIANGLE, positions, pairs, count, out);
}

static void edges(const float* positions, const int32_t (*pairs)[4], int count, dr_closest* out)
{
    find_all(EDGES, positions, pairs, count, out);
}

static int point_triangle_near(const float* positions, const int32_t (*pairs)[4], int count,
                               float limit, dr_close_pair* out)
{
    return find_near(POINT_TRIANGLE, positions, pairs, count, limit, out);
}

static int edges_near(const float* positions, const int32_t (*pairs)[4], int count, float limit,
                      dr_close_pair* out)
{
    return find_near(EDGES, positions, pairs, count, limit, out);
}

const dr_closest_kernels DR_KERNEL(dr_closest_kernels);
const dr_closest_kernels DR_KERNEL(dr_closest_kernels) = {point_triangle, edges,
                                                          point_triangle_near, edges_near};
