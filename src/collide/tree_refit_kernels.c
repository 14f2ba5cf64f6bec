// Boxes of triangles and of nodes, compiled once per instruction set.
#include "collide/tree_kernels.h"
#include "collide/tree_points.h"

#include <math.h>

typedef struct bounds8 {
    dr_v8 lo, hi;
} bounds8;

static inline void widen(bounds8* b, dr_v8 p)
{
    b->lo = (dr_v8){dr_f8_min(b->lo.x, p.x), dr_f8_min(b->lo.y, p.y), dr_f8_min(b->lo.z, p.z)};
    b->hi = (dr_v8){dr_f8_max(b->hi.x, p.x), dr_f8_max(b->hi.y, p.y), dr_f8_max(b->hi.z, p.z)};
}

// The sum may have been rounded down by half a unit in its last place; with a pad of 2^-23 this
// raises it by at least one.
static inline void store_reach(float* row, dr_f8 sum, dr_f8 pad)
{
    dr_f8_store(row, dr_f8_add(sum, dr_f8_mul(dr_f8_abs(sum), pad)));
}

// Without a radius the boxes are exact and stay so.
static inline void store_bounds(float* rows, int step, const bounds8* b, float inflation)
{
    dr_f8 radius = dr_f8_set(inflation), pad = dr_f8_set(inflation > 0.0f ? 0x1p-23f : 0.0f);
    store_reach(rows, dr_f8_sub(radius, b->lo.x), pad);
    store_reach(rows + step, dr_f8_sub(radius, b->lo.y), pad);
    store_reach(rows + 2 * step, dr_f8_sub(radius, b->lo.z), pad);
    store_reach(rows + 3 * step, dr_f8_add(radius, b->hi.x), pad);
    store_reach(rows + 4 * step, dr_f8_add(radius, b->hi.y), pad);
    store_reach(rows + 5 * step, dr_f8_add(radius, b->hi.z), pad);
}

static inline bounds8 bounds_of(const dr_motion* motion, int32_t* const* corner, int corner_count,
                                int first)
{
    dr_v8 p = dr_points_gather(motion->start, motion->stride, corner[0] + first);
    bounds8 b = {p, p};
    for (int k = 1; k < corner_count; ++k) {
        widen(&b, dr_points_gather(motion->start, motion->stride, corner[k] + first));
    }
    for (int k = 0; motion->end && k < corner_count; ++k) {
        widen(&b, dr_points_gather(motion->end, motion->stride, corner[k] + first));
    }
    return b;
}

static void refit_features(float* rows, int step, const dr_motion* motion, int32_t* const* corner,
                           int corner_count, int begin, int end)
{
    for (int i = begin; i < end; i += 8) {
        bounds8 b = bounds_of(motion, corner, corner_count, i);
        store_bounds(rows + i, step, &b, motion->radius);
    }
}

// --- Eight lanes ---

// Lanes without a child keep an empty box, which adds nothing to the parent's.
static void clear_rest(float* rows, int child_count)
{
    for (int r = 0; r < 6; ++r) {
        for (int i = child_count; i < 8; ++i) {
            rows[r * 8 + i] = -INFINITY;
        }
    }
}

static inline dr_f8 max_of_eight(const dr_f8 v[8])
{
    dr_f8 a = dr_f8_max(dr_f8_max(v[0], v[1]), dr_f8_max(v[2], v[3]));
    dr_f8 b = dr_f8_max(dr_f8_max(v[4], v[5]), dr_f8_max(v[6], v[7]));
    return dr_f8_max(a, b);
}

static void refit_wide(const dr_tree* tree, const dr_motion* motion, int begin, int end)
{
    for (int n = end - 1; n >= begin; --n) {
        const dr_tree_node* node = &tree->nodes[n];
        float* rows = tree->reach + (size_t)n * 48;
        if (node->is_leaf) {
            bounds8 b = bounds_of(motion, tree->corner, 3, node->first);
            store_bounds(rows, 8, &b, motion->radius);
        } else {
            const float* child[8];
            for (int i = 0; i < 8; ++i) {
                int lane = i < node->child_count ? i : 0;
                child[i] = tree->reach + (size_t)tree->child[n * 8 + lane] * 48;
            }
            for (int r = 0; r < 6; ++r) {
                dr_f8 v[8];
                for (int i = 0; i < 8; ++i) {
                    v[i] = dr_f8_load(child[i] + r * 8);
                }
                dr_f8_transpose(v);
                dr_f8_store(rows + r * 8, max_of_eight(v));
            }
        }
        if (node->child_count < 8) {
            clear_rest(rows, node->child_count);
        }
    }
}

// --- Fewer lanes ---

static inline float max_of_row(const float* row, int width)
{
    float most = row[0];
    for (int i = 1; i < width; ++i) {
        most = row[i] > most ? row[i] : most;
    }
    return most;
}

// Leaves hold few triangles, but follow one another: boxes are made eight at a time and handed out
// as the pass goes back through them. Lanes without a child have been empty from the start.
static inline void refit_narrow(const dr_tree* tree, const dr_motion* motion, int begin, int end,
                                int width)
{
    float made[6][8];
    int made_first = tree->triangle_count;
    for (int n = end - 1; n >= begin; --n) {
        const dr_tree_node* node = &tree->nodes[n];
        float* rows = tree->reach + (size_t)n * 6 * (size_t)width;
        if (node->is_leaf && node->first < made_first) {
            int first = node->first + node->child_count - 8;
            made_first = first > 0 ? first : 0;
            bounds8 b = bounds_of(motion, tree->corner, 3, made_first);
            store_bounds(made[0], 8, &b, motion->radius);
        }
        for (int i = 0; i < node->child_count; ++i) {
            int32_t child = tree->child[n * width + i];
            const float* below = tree->reach + (size_t)child * 6 * (size_t)width;
            for (int r = 0; r < 6; ++r) {
                rows[r * width + i] = node->is_leaf ? made[r][child - made_first]
                                                    : max_of_row(below + r * width, width);
            }
        }
    }
}

static void refit(const dr_tree* tree, const dr_motion* motion, int begin, int end)
{
    switch (tree->width) {
    case 2: refit_narrow(tree, motion, begin, end, 2); break;
    case 4: refit_narrow(tree, motion, begin, end, 4); break;
    default: refit_wide(tree, motion, begin, end);
    }
}

const dr_refit_kernels DR_KERNEL(dr_refit_kernels);
const dr_refit_kernels DR_KERNEL(dr_refit_kernels) = {refit, refit_features};
