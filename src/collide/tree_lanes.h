// collide/tree_lanes.h: tests of one box against eight, for kernels.
//
// Boxes as reaches (collide/tree.h). `box` points to the first reach of one box among others, the
// next one is `step` floats on; `rows` likewise for eight boxes side by side.
#ifndef DR_TREE_LANES_H
#define DR_TREE_LANES_H

#include "collide/tree.h"
#include "core/simd.h"

typedef struct dr_box_at {
    const float* reach;
    int step;
} dr_box_at;

static inline int dr_lowest_bit(int bits)
{
    return __builtin_ctz((unsigned)bits);
}

static inline const float* dr_tree_rows(const dr_tree* tree, int node)
{
    return tree->reach + (size_t)node * 6 * (size_t)tree->width;
}

static inline dr_box_at dr_tree_lane(const dr_tree* tree, int node, int lane)
{
    return (dr_box_at){dr_tree_rows(tree, node) + lane, tree->width};
}

// The same where it is known that nodes have eight lanes.
static inline const float* dr_tree_rows8(const dr_tree* tree, int node)
{
    return tree->reach + (size_t)node * 48;
}

static inline dr_box_at dr_tree_lane8(const dr_tree* tree, int slot)
{
    return (dr_box_at){dr_tree_rows8(tree, slot >> 3) + (slot & 7), 8};
}

static inline dr_f8 dr_row_gap(const float* row, const float* opposite)
{
    return dr_f8_add(dr_f8_load(row), dr_f8_set(*opposite));
}

// One bit for each of eight boxes that meets the box.
static inline int dr_meet_eight(const float* rows, int step, dr_box_at box)
{
    const float* b = box.reach;
    dr_f8 x = dr_f8_min(dr_row_gap(rows, b + 3 * box.step), dr_row_gap(rows + 3 * step, b));
    dr_f8 y = dr_f8_min(dr_row_gap(rows + step, b + 4 * box.step),
                        dr_row_gap(rows + 4 * step, b + box.step));
    dr_f8 z = dr_f8_min(dr_row_gap(rows + 2 * step, b + 5 * box.step),
                        dr_row_gap(rows + 5 * step, b + 2 * box.step));
    dr_f8 least = dr_f8_min(dr_f8_min(x, y), z);
    return ~dr_f8_bits(dr_f8_less(least, dr_f8_zero())) & 0xff;
}

// The same for fewer, side by side.
static inline int dr_meet_few(const float* rows, int width, dr_box_at box)
{
    int bits = 0;
    for (int i = 0; i < width; ++i) {
        bool is_apart = false;
        for (int r = 0; r < 3; ++r) {
            is_apart |= rows[r * width + i] + box.reach[(r + 3) * box.step] < 0.0f;
            is_apart |= rows[(r + 3) * width + i] + box.reach[r * box.step] < 0.0f;
        }
        bits |= (int)!is_apart << i;
    }
    return bits;
}

// The children of a node that meet a box.
static inline int dr_meet_children(const dr_tree* tree, int node, dr_box_at box)
{
    const float* rows = dr_tree_rows(tree, node);
    int bits = tree->width == 8   ? dr_meet_eight(rows, 8, box)
               : tree->width == 4 ? dr_meet_few(rows, 4, box)
                                  : dr_meet_few(rows, 2, box);
    return bits & tree->nodes[node].lanes;
}

// Zero in lanes where one of the three keys of the lane is the given one.
static inline dr_f8 dr_key_product(const dr_f8 keys[3], float key)
{
    dr_f8 k = dr_f8_set(key);
    return dr_f8_mul(dr_f8_mul(dr_f8_sub(k, keys[0]), dr_f8_sub(k, keys[1])),
                     dr_f8_sub(k, keys[2]));
}

// One bit for each lane that is not zero.
static inline int dr_nonzero_bits(dr_f8 a)
{
    return dr_f8_bits(dr_f8_or(dr_f8_less(dr_f8_zero(), a), dr_f8_less(a, dr_f8_zero())));
}

#endif
