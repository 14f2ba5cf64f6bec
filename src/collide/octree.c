#include "collide/octree.h"

#include "collide/tree_build.h"
#include "collide/tree_lanes.h"
#include "collide/tree_walk.h"

bool dr_octree_create(dr_tree* tree, dr_memory* memory, const dr_surface* surface, drape_isa isa)
{
    return dr_tree_build(tree, memory, surface, dr_plan_octree, isa);
}

dr_surface dr_octree_points(int32_t (*corners)[3], const drape_vec3* places, int count)
{
    for (int i = 0; i < count; ++i) {
        corners[i][0] = corners[i][1] = corners[i][2] = i;
    }
    return (dr_surface){.vertex_count = count,
                        .triangle_count = count,
                        .triangles = (const int32_t(*)[3])corners,
                        .rest = places};
}

// --- Pairs ---

// A node and its box.
typedef struct side {
    const dr_tree* tree;
    int node;
    dr_box_at box;
} side;

static side child_of(const side* of, int lane)
{
    return (side){of->tree, of->tree->child[of->node * of->tree->width + lane],
                  dr_tree_lane(of->tree, of->node, lane)};
}

static bool is_leaf(const side* of)
{
    return of->tree->nodes[of->node].is_leaf;
}

static int meet(dr_walk* walk, const side* of, dr_box_at box)
{
    walk->box_tests += of->tree->nodes[of->node].child_count;
    return dr_meet_children(of->tree, of->node, box);
}

static void extent(dr_box_at box, double size[3])
{
    for (int c = 0; c < 3; ++c) {
        size[c] = (double)box.reach[c * box.step] + (double)box.reach[(c + 3) * box.step];
    }
}

static bool is_larger(dr_box_at a, dr_box_at b)
{
    double s[3], t[3];
    extent(a, s);
    extent(b, t);
    double volume_a = s[0] * s[1] * s[2], volume_b = t[0] * t[1] * t[2];
    if (volume_a > 0.0 && volume_b > 0.0) {
        return volume_a >= volume_b;
    }
    return s[0] * s[1] + s[1] * s[2] + s[2] * s[0] >= t[0] * t[1] + t[1] * t[2] + t[2] * t[0];
}

static void compare(dr_walk* walk, const side* a, const side* b)
{
    dr_sink* sink = &walk->sinks[0];
    int first_a = a->tree->nodes[a->node].first, first_b = b->tree->nodes[b->node].first;
    dr_sink_room(sink); // eight times eight
    for (int mask = meet(walk, a, b->box); mask; mask &= mask - 1) {
        int i = dr_lowest_bit(mask);
        dr_box_at lane = dr_tree_lane(a->tree, a->node, i);
        for (int bits = meet(walk, b, lane); bits; bits &= bits - 1) {
            *sink->at++ = (dr_pair){a->tree->triangle_of_place[first_a + i],
                                    b->tree->triangle_of_place[first_b + dr_lowest_bit(bits)]};
        }
    }
}

static void walk_sides(dr_walk* walk, const side* a, const side* b)
{
    if (is_leaf(a) && is_leaf(b)) {
        compare(walk, a, b);
        return;
    }
    bool opens_a = is_leaf(b) || (!is_leaf(a) && is_larger(a->box, b->box));
    const side *opened = opens_a ? a : b, *other = opens_a ? b : a;
    for (int bits = meet(walk, opened, other->box); bits; bits &= bits - 1) {
        side child = child_of(opened, dr_lowest_bit(bits));
        walk_sides(walk, opens_a ? &child : other, opens_a ? other : &child);
    }
}

static void walk_task(dr_walk* walk, const dr_walk_task* task)
{
    side a = {walk->a, task->a, {task->reach_a, task->step_a}};
    side b = {walk->b, task->b, {task->reach_b, task->step_b}};
    walk_sides(walk, &a, &b);
}

bool dr_octree_pairs(dr_pair_search* search, dr_memory* memory, dr_pool* pool, const dr_tree* a,
                     const dr_tree* b)
{
    dr_walk walk = {.a = a, .b = b};
    return dr_walk_run(search, memory, pool, &walk, walk_task, 1);
}

// --- The nearest ---

enum { STACK = DR_TREE_DEPTH * DR_TREE_ARITY };

typedef struct near_child {
    double squared;
    int32_t child;
} near_child;

static double squared_to_lane(const dr_tree* tree, int node, int lane, const double p[3])
{
    dr_box_at box = dr_tree_lane(tree, node, lane);
    double squared = 0.0;
    for (int c = 0; c < 3; ++c) {
        double below = -(double)box.reach[c * box.step] - p[c];
        double above = p[c] - (double)box.reach[(c + 3) * box.step];
        double out = below > above ? below : above;
        squared += out > 0.0 ? out * out : 0.0;
    }
    return squared;
}

// The children of a node that are no further than `most`, the nearest last.
static int sort_children(const dr_tree* tree, int node, const double p[3], double most,
                         near_child* out)
{
    int count = 0;
    for (int lane = 0; lane < tree->nodes[node].child_count; ++lane) {
        near_child child = {squared_to_lane(tree, node, lane, p),
                            tree->child[node * tree->width + lane]};
        if (child.squared > most) {
            continue;
        }
        int at = count++;
        for (; at > 0 && out[at - 1].squared < child.squared; --at) {
            out[at] = out[at - 1];
        }
        out[at] = child;
    }
    return count;
}

dr_octree_near dr_octree_nearest(const dr_tree* tree, const double p[3], double most,
                                 dr_octree_measure_fn* measure, const void* context)
{
    dr_octree_near found = {-1, most * most};
    near_child stack[STACK];
    int count = tree->node_count > 0 ? 1 : 0;
    stack[0] = (near_child){0.0, 0};
    while (count > 0) {
        near_child top = stack[--count];
        if (top.squared > found.squared) {
            continue;
        }
        near_child children[DR_TREE_ARITY];
        int near_count = sort_children(tree, top.child, p, found.squared, children);
        bool is_last = tree->nodes[top.child].is_leaf;
        for (int k = near_count - 1; is_last && k >= 0; --k) {
            int primitive = tree->triangle_of_place[children[k].child];
            double squared = measure(context, primitive, p);
            if (squared < found.squared || (squared == found.squared &&
                                            (found.primitive < 0 || primitive < found.primitive))) {
                found = (dr_octree_near){primitive, squared};
            }
        }
        for (int k = 0; !is_last && k < near_count; ++k) {
            stack[count++] = children[k];
        }
    }
    return found;
}
