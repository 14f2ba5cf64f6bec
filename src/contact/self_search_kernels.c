// The walk through the tree of one cloth that leaves out near triangles, compiled once per
// instruction set.
#include "collide/tree_rows.h"
#include "collide/tree_walk_kernels.h"
#include "contact/self_search.h"

static bool is_last(const dr_tree* tree, int node)
{
    return tree->nodes[node].is_leaf;
}

static const dr_leaf_mask all_far = {.has_far = 0xff, .has_far_too = 0xff};

// The near triangles of two leaves; none when they have no mask.
static inline const dr_leaf_mask* mask_of(const dr_self_tree* of, int a, int b)
{
    const dr_leaf_mask* masks = of->masks.data;
    for (int i = of->mask_start[a]; i < of->mask_start[a + 1]; ++i) {
        if (masks[i].leaf == b) {
            return &masks[i];
        }
    }
    return &all_far;
}

// --- Rows: lane of the first leaf (node * 8 + lane) against a leaf ---

static void bits_of_rows(dr_walk* walk, dr_rows* q)
{
    const dr_tree* tree = walk->a;
    for (int i = 0; i < q->count; ++i) {
        int slot = q->rows[i].b, leaf = q->rows[i].a;
        walk->box_tests += __builtin_popcount(q->bits[i]);
        q->bits[i] &=
            (uint8_t)dr_meet_children(tree, leaf, dr_tree_lane(tree, slot >> 3, slot & 7));
    }
}

static void pairs_of_rows(dr_walk* walk, const dr_rows* q)
{
    const dr_tree* tree = walk->a;
    dr_sink* sink = &walk->sinks[0];
    for (int i = 0; i < q->count;) {
        dr_sink_room(sink);
        dr_pair* at = sink->at;
        for (int end = i + 8 < q->count ? i + 8 : q->count; i < end; ++i) {
            int slot = q->rows[i].b;
            int place = tree->nodes[slot >> 3].first + (slot & 7);
            int first = tree->nodes[q->rows[i].a].first;
            at = dr_emit(walk, at, tree->triangle_of_place[place], tree->triangle_of_place + first,
                         q->bits[i]);
        }
        sink->at = at;
    }
}

static void work_off(dr_walk* walk)
{
    dr_rows* q = walk->queue;
    bits_of_rows(walk, q);
    pairs_of_rows(walk, q);
    q->count = 0;
}

// Rows for the lanes in `of_a` of leaf a against those in `of_b` of leaf b that are not near.
static void add_rows(dr_walk* walk, int a, int of_a, int b, int of_b, uint64_t near)
{
    dr_rows* q = walk->queue;
    if (q->count > DR_ROWS - 8) {
        work_off(walk);
    }
    for (; of_a; of_a &= of_a - 1) {
        int i = dr_lowest_bit(of_a), bits = of_b & ~(int)(near >> 8 * i) & 0xff;
        q->rows[q->count] = (dr_pair){b, 8 * a + i};
        q->bits[q->count] = (uint8_t)bits;
        q->count += bits != 0;
    }
}

// The lanes that a leaf has, against all of themselves that come later.
static void last_self(dr_walk* walk, int node)
{
    const dr_self_tree* of = walk->filter->context;
    // Bit 8 i + j for all j > i.
    const uint64_t ahead = 0x0080c0e0f0f8fcfeull;
    uint64_t near = mask_of(of, node, node)->near;
    int lanes = walk->a->nodes[node].lanes;
    if (ahead & ~near) {
        add_rows(walk, node, lanes, node, lanes, near | ~ahead);
    }
}

static void last_pair(dr_walk* walk, int a, dr_box_at box_a, int b, dr_box_at box_b)
{
    const dr_self_tree* of = walk->filter->context;
    const dr_tree* tree = walk->a;
    const dr_leaf_mask* mask = mask_of(of, a, b);
    if (!mask->has_far) {
        return;
    }
    int of_a = dr_meet_children(tree, a, box_b) & mask->has_far;
    walk->box_tests += tree->nodes[a].child_count;
    if (!of_a) {
        return;
    }
    int of_b = dr_meet_children(tree, b, box_a) & mask->has_far_too;
    walk->box_tests += tree->nodes[b].child_count;
    if (of_b) {
        add_rows(walk, a, of_a, b, of_b, mask->near);
    }
}

static void pairs(dr_walk* walk, const dr_walk_task* task)
{
    dr_rows q;
    q.count = 0;
    walk->queue = &q;
    run_task(walk, task);
    work_off(walk);
}

const dr_self_walk_kernels DR_KERNEL(dr_self_walk_kernels);
const dr_self_walk_kernels DR_KERNEL(dr_self_walk_kernels) = {pairs};
