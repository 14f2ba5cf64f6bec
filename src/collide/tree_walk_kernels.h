// collide/tree_walk_kernels.h: the walk down two subtrees.
//
// A file that includes it says where the walk ends and what happens there, and gets `run_task`:
// searches end at the leaves, where they compare triangles or features; the cut into tasks ends at
// small subtrees.
#ifndef DR_TREE_WALK_KERNELS_H
#define DR_TREE_WALK_KERNELS_H

#include "collide/tree_kernels.h"
#include "collide/tree_lanes.h"
#include "collide/tree_walk.h"

// Whether the walk goes no further down.
static bool is_last(const dr_tree* tree, int node);
// All below a last node among each other.
static void last_self(dr_walk* walk, int node);
// All below two last nodes whose boxes meet.
static void last_pair(dr_walk* walk, int a, dr_box_at box_a, int b, dr_box_at box_b);

static void walk_pair(dr_walk* walk, int a, dr_box_at box_a, int b, dr_box_at box_b);

// Neither last: first those of a that meet b at all, each then against all of b.
static void walk_inner(dr_walk* walk, int a, int b, dr_box_at box_b)
{
    const dr_tree *tree_a = walk->a, *tree_b = walk->b;
    int mask = dr_meet_children(tree_a, a, box_b);
    walk->box_tests += tree_a->nodes[a].child_count;
    for (; mask; mask &= mask - 1) {
        int i = dr_lowest_bit(mask);
        dr_box_at lane = dr_tree_lane(tree_a, a, i);
        int bits = dr_meet_children(tree_b, b, lane);
        walk->box_tests += tree_b->nodes[b].child_count;
        for (; bits; bits &= bits - 1) {
            int j = dr_lowest_bit(bits);
            walk_pair(walk, tree_a->child[a * tree_a->width + i], lane,
                      tree_b->child[b * tree_b->width + j], dr_tree_lane(tree_b, b, j));
        }
    }
}

static void walk_pair(dr_walk* walk, int a, dr_box_at box_a, int b, dr_box_at box_b)
{
    const dr_tree *tree_a = walk->a, *tree_b = walk->b;
    bool a_is_last = is_last(tree_a, a), b_is_last = is_last(tree_b, b);
    if (!dr_walk_may_touch(walk, a, b)) {
        return;
    }
    if (a_is_last && b_is_last) {
        last_pair(walk, a, box_a, b, box_b);
    } else if (b_is_last) {
        walk->box_tests += tree_a->nodes[a].child_count;
        for (int bits = dr_meet_children(tree_a, a, box_b); bits; bits &= bits - 1) {
            int i = dr_lowest_bit(bits);
            walk_pair(walk, tree_a->child[a * tree_a->width + i], dr_tree_lane(tree_a, a, i), b,
                      box_b);
        }
    } else if (a_is_last) {
        walk->box_tests += tree_b->nodes[b].child_count;
        for (int bits = dr_meet_children(tree_b, b, box_a); bits; bits &= bits - 1) {
            int j = dr_lowest_bit(bits);
            walk_pair(walk, a, box_a, tree_b->child[b * tree_b->width + j],
                      dr_tree_lane(tree_b, b, j));
        }
    } else {
        walk_inner(walk, a, b, box_b);
    }
}

static void walk_self(dr_walk* walk, int node)
{
    const dr_tree* tree = walk->a;
    int count = tree->nodes[node].child_count;
    const int32_t* child = tree->child + node * tree->width;
    if (!dr_walk_may_touch_itself(walk, node)) {
        return;
    }
    if (is_last(tree, node)) {
        last_self(walk, node);
        return;
    }
    for (int i = 0; i < count; ++i) {
        dr_box_at lane = dr_tree_lane(tree, node, i);
        walk_self(walk, child[i]);
        for (int bits = dr_meet_children(tree, node, lane) & -(2 << i); bits; bits &= bits - 1) {
            int j = dr_lowest_bit(bits);
            walk_pair(walk, child[i], lane, child[j], dr_tree_lane(tree, node, j));
        }
    }
    walk->box_tests += count * (count - 1) / 2;
}

static void run_task(dr_walk* walk, const dr_walk_task* task)
{
    if (task->b < 0) {
        walk_self(walk, task->a);
    } else {
        walk_pair(walk, task->a, (dr_box_at){task->reach_a, task->step_a}, task->b,
                  (dr_box_at){task->reach_b, task->step_b});
    }
}

#endif
