// The search for triangle pairs, compiled once per instruction set.
#include "collide/tree_rows.h"
#include "collide/tree_walk_kernels.h"

static bool is_last(const dr_tree* tree, int node)
{
    return tree->nodes[node].is_leaf;
}

// --- What has no common vertex ---

// Those of the lanes in `bits` whose triangles have no corner in common with the one at a place.
static inline int strangers_by_key(const dr_tree* tree, int place, int first)
{
    const dr_f8 keys[3] = {dr_f8_load(tree->corner_key[0] + first),
                           dr_f8_load(tree->corner_key[1] + first),
                           dr_f8_load(tree->corner_key[2] + first)};
    dr_f8 product = dr_f8_mul(dr_key_product(keys, tree->corner_key[0][place]),
                              dr_key_product(keys, tree->corner_key[1][place]));
    return dr_nonzero_bits(dr_f8_mul(product, dr_key_product(keys, tree->corner_key[2][place])));
}

static inline int strangers(const dr_tree* tree, int place, int first, int bits)
{
    if (tree->corner_key[0]) {
        return bits & strangers_by_key(tree, place, first);
    }
    for (int rest = bits; rest; rest &= rest - 1) {
        int j = dr_lowest_bit(rest);
        for (int k = 0; k < 9; ++k) {
            bool is_common = tree->corner[k / 3][place] == tree->corner[k % 3][first + j];
            bits &= is_common ? ~(1 << j) : ~0;
        }
    }
    return bits;
}

// --- Rows: a leaf of the second tree; node * 8 + lane of the first ---

// In a leaf against itself each triangle looks ahead only. Of two leaves the first comes first.
static inline int lanes_ahead(int place, int first)
{
    unsigned lane = (unsigned)(place - first);
    return lane < 8 ? -(2 << lane) : -1;
}

static void bits_of_rows(const dr_walk* walk, dr_rows* q)
{
    const dr_tree *a = walk->a, *b = walk->b;
    bool is_self = a == b;
    for (int i = 0; i < q->count; ++i) {
        int slot = q->rows[i].b, leaf = q->rows[i].a, place = a->child[slot];
        int bits = q->bits[i] & dr_meet_eight(dr_tree_rows8(b, leaf), 8, dr_tree_lane8(a, slot));
        if (is_self) {
            int first = a->nodes[leaf].first;
            bits = strangers(a, place, first, bits & lanes_ahead(place, first));
        }
        q->bits[i] = (uint8_t)bits;
    }
}

static void drop_forbidden(const dr_walk* walk, dr_rows* q)
{
    const dr_tree *a = walk->a, *b = walk->b;
    for (int i = 0; i < q->count; ++i) {
        int place = a->child[q->rows[i].b];
        const int32_t* places = b->child + q->rows[i].a * 8;
        q->bits[i] = (uint8_t)dr_walk_allowed(a, place, b, places, q->bits[i]);
    }
}

static void pairs_of_rows(dr_walk* walk, const dr_rows* q)
{
    const dr_tree *a = walk->a, *b = walk->b;
    dr_sink* sink = &walk->sinks[0];
    for (int i = 0; i < q->count;) {
        dr_sink_room(sink);
        dr_pair* at = sink->at;
        for (int end = i + 8 < q->count ? i + 8 : q->count; i < end; ++i) {
            int place = a->child[q->rows[i].b], first = b->nodes[q->rows[i].a].first;
            at = dr_emit(walk, at, a->triangle_of_place[place], b->triangle_of_place + first,
                         q->bits[i]);
        }
        sink->at = at;
    }
}

static void work_off(dr_walk* walk)
{
    dr_rows* q = walk->queue;
    bits_of_rows(walk, q);
    if (walk->a->region && walk->b->region) {
        drop_forbidden(walk, q);
    }
    pairs_of_rows(walk, q);
    q->count = 0;
}

// Rows for the lanes of leaf a in `mask` against leaf b.
static void add_rows(dr_walk* walk, int a, int mask, int b)
{
    dr_rows* q = walk->queue;
    const dr_tree_node* leaf = &walk->b->nodes[b];
    if (q->count > DR_ROWS - 8) {
        work_off(walk);
    }
    walk->box_tests += dr_rows_add(q, walk, b, leaf->lanes, a * 8, mask) * leaf->child_count;
}

// --- Leaves ---

// Narrow leaves hold too little for rows.
static void compare_few(dr_walk* walk, int a, int mask, int b)
{
    const dr_tree *tree_a = walk->a, *tree_b = walk->b;
    int first = tree_b->nodes[b].first;
    dr_sink_room(&walk->sinks[0]);
    for (; mask; mask &= mask - 1) {
        int i = dr_lowest_bit(mask), place = tree_a->nodes[a].first + i;
        int bits = dr_meet_children(tree_b, b, dr_tree_lane(tree_a, a, i));
        walk->box_tests += tree_b->nodes[b].child_count;
        if (bits && tree_a == tree_b) {
            bits = strangers(tree_a, place, first, bits & lanes_ahead(place, first));
        }
        bits = dr_walk_allowed(tree_a, place, tree_b, tree_b->child + b * tree_b->width, bits);
        walk->sinks[0].at = dr_emit_few(walk->sinks[0].at, tree_a->triangle_of_place[place],
                                        tree_b->triangle_of_place + first, bits);
    }
}

static inline void compare(dr_walk* walk, int a, int mask, int b)
{
    if (walk->a->width == 8 && walk->b->width == 8) {
        add_rows(walk, a, mask, b);
    } else {
        compare_few(walk, a, mask, b);
    }
}

static void last_self(dr_walk* walk, int node)
{
    compare(walk, node, walk->a->nodes[node].lanes >> 1, node);
}

static void last_pair(dr_walk* walk, int a, dr_box_at box_a, int b, dr_box_at box_b)
{
    (void)box_a;
    walk->box_tests += walk->a->nodes[a].child_count;
    compare(walk, a, dr_meet_children(walk->a, a, box_b), b);
}

static void triangles(dr_walk* walk, const dr_walk_task* task)
{
    dr_rows q;
    q.count = 0;
    walk->queue = &q;
    run_task(walk, task);
    work_off(walk);
}

const dr_pairs_kernels DR_KERNEL(dr_pairs_kernels);
const dr_pairs_kernels DR_KERNEL(dr_pairs_kernels) = {triangles};
