// Queries, compiled once per instruction set.
#include <math.h>

#include "collide/closest_lanes.h"
#include "collide/tree_kernels.h"
#include "collide/tree_lanes.h"
#include "collide/tree_points.h"

// --- Boxes ---

typedef struct box_work {
    const dr_tree* tree;
    dr_box_at box;
    int32_t* triangles;
    int capacity, count;
} box_work;

static void box_below(box_work* work, int node)
{
    const dr_tree* tree = work->tree;
    for (int bits = dr_meet_children(tree, node, work->box); bits; bits &= bits - 1) {
        int32_t child = tree->child[node * tree->width + dr_lowest_bit(bits)];
        if (!tree->nodes[node].is_leaf) {
            box_below(work, child);
            continue;
        }
        if (work->count < work->capacity) {
            work->triangles[work->count] = tree->triangle_of_place[child];
        }
        ++work->count;
    }
}

static int box_query(const dr_tree* tree, const float reach[6], int32_t* triangles, int capacity)
{
    box_work work = {tree, {reach, 1}, triangles, capacity, 0};
    box_below(&work, 0);
    return work.count;
}

// --- The nearest first ---

// Rows of a node for all eight lanes. Narrow nodes are few to a vector; `copy` has them spread.
static inline const float* wide_rows(const dr_tree* tree, int node, float copy[48])
{
    const float* rows = dr_tree_rows(tree, node);
    int width = tree->width, count = tree->nodes[node].child_count;
    if (width == 8) {
        return rows;
    }
    for (int r = 0; r < 6; ++r) {
        for (int i = 0; i < 8; ++i) {
            copy[8 * r + i] = i < count ? rows[r * width + i] : -INFINITY;
        }
    }
    return copy;
}

// A node that is still to be looked at, and how far it is.
typedef struct entry {
    int32_t node;
    float enter;
} entry;

// Each level leaves at most seven behind.
enum { MOST_ENTRIES = DR_TREE_DEPTH * (DR_TREE_ARITY - 1) + 1 };

// Pushes some of the children, the nearest last.
static int push_children(const dr_tree* tree, int node, int bits, const float enter[8],
                         entry* stack, int count)
{
    int bottom = count;
    for (; bits; bits &= bits - 1) {
        int i = dr_lowest_bit(bits), place = count++;
        for (; place > bottom && stack[place - 1].enter < enter[i]; --place) {
            stack[place] = stack[place - 1];
        }
        stack[place] = (entry){tree->child[node * tree->width + i], enter[i]};
    }
    return count;
}

// --- Rays ---

// What rounding may take from a distance to a box, many times over.
#define SLACK 0x1p-21f

// Steeper than this against an axis counts as this, so that no product is 0 times infinity.
#define STEEPEST 1e30f

typedef struct ray_work {
    const dr_tree* tree;
    const float* positions;
    int stride;
    float origin[3], inverse[3]; // of the direction
    float t_min, t_max;          // t_max shrinks to the nearest hit
    int axis[3];                 // the last is the longest of the direction
    float shear[3];              // takes the direction to (0, 0, 1)
    dr_tree_ray_hit* hit;
    bool is_hit;
} ray_work;

static ray_work ray_begin(const dr_tree* tree, const float* positions, int stride,
                          const dr_tree_ray* ray, dr_tree_ray_hit* hit)
{
    const float direction[3] = {ray->direction.x, ray->direction.y, ray->direction.z};
    ray_work work = {.tree = tree,
                     .positions = positions,
                     .stride = stride,
                     .origin = {ray->origin.x, ray->origin.y, ray->origin.z},
                     .t_min = ray->t_min,
                     .t_max = ray->t_max,
                     .hit = hit};
    int longest = 0;
    for (int c = 0; c < 3; ++c) {
        float inverse = 1.0f / direction[c];
        work.inverse[c] = fabsf(inverse) < STEEPEST ? inverse : copysignf(STEEPEST, direction[c]);
        longest = fabsf(direction[c]) > fabsf(direction[longest]) ? c : longest;
    }
    work.axis[0] = (longest + 1) % 3;
    work.axis[1] = (longest + 2) % 3;
    work.axis[2] = longest;
    work.shear[0] = direction[work.axis[0]] / direction[longest];
    work.shear[1] = direction[work.axis[1]] / direction[longest];
    work.shear[2] = 1.0f / direction[longest];
    return work;
}

// Where the ray enters the children of a node, a bit for each that it meets.
static inline int meet_ray(const ray_work* work, int node, float enter[8])
{
    float copy[48];
    const float* rows = wide_rows(work->tree, node, copy);
    dr_f8 near = dr_f8_set(work->t_min), far = dr_f8_set(work->t_max);
    for (int c = 0; c < 3; ++c) {
        dr_f8 origin = dr_f8_set(work->origin[c]), inverse = dr_f8_set(work->inverse[c]);
        dr_f8 lo = dr_f8_neg(dr_f8_load(rows + 8 * c)), hi = dr_f8_load(rows + 8 * (c + 3));
        dr_f8 a = dr_f8_mul(dr_f8_sub(lo, origin), inverse);
        dr_f8 b = dr_f8_mul(dr_f8_sub(hi, origin), inverse);
        near = dr_f8_max(dr_f8_min(a, b), near);
        far = dr_f8_min(dr_f8_max(a, b), far);
    }
    near = dr_f8_mul(near, dr_f8_set(1.0f - SLACK));
    far = dr_f8_mul(far, dr_f8_set(1.0f + SLACK));
    dr_f8_store(enter, near);
    return ~dr_f8_bits(dr_f8_less(far, near)) & work->tree->nodes[node].lanes;
}

// A corner of eight triangles, seen from the origin along the ray.
static inline dr_v8 sheared(const ray_work* work, const int32_t* vertex)
{
    dr_v8 p = dr_points_gather(work->positions, work->stride, vertex);
    p = dr_v8_sub(p, dr_v8_set(work->origin[0], work->origin[1], work->origin[2]));
    const dr_f8 c[3] = {p.x, p.y, p.z};
    dr_f8 z = c[work->axis[2]];
    return (dr_v8){dr_f8_sub(c[work->axis[0]], dr_f8_mul(dr_f8_set(work->shear[0]), z)),
                   dr_f8_sub(c[work->axis[1]], dr_f8_mul(dr_f8_set(work->shear[1]), z)),
                   dr_f8_mul(dr_f8_set(work->shear[2]), z)};
}

static inline dr_f8 edge_function(dr_v8 p, dr_v8 q)
{
    return dr_f8_sub(dr_f8_mul(p.x, q.y), dr_f8_mul(p.y, q.x));
}

// Keeps the best of the lanes in `bits`: nearest, then of least index.
static void keep_nearest(ray_work* work, int first, int bits, dr_f8 t, const dr_f8 weights[3])
{
    float at[8], w[3][8];
    dr_f8_store(at, t);
    for (int k = 0; k < 3; ++k) {
        dr_f8_store(w[k], weights[k]);
    }
    for (; bits; bits &= bits - 1) {
        int i = dr_lowest_bit(bits);
        int32_t triangle = work->tree->triangle_of_place[first + i];
        if (work->is_hit && at[i] == work->t_max && triangle > work->hit->triangle) {
            continue;
        }
        if (at[i] <= work->t_max) {
            *work->hit = (dr_tree_ray_hit){triangle, at[i], {w[0][i], w[1][i], w[2][i]}};
            work->t_max = at[i];
            work->is_hit = true;
        }
    }
}

static void meet_triangles(ray_work* work, int node, int bits)
{
    const dr_tree* tree = work->tree;
    int first = tree->nodes[node].first;
    dr_v8 a = sheared(work, tree->corner[0] + first), b = sheared(work, tree->corner[1] + first);
    dr_v8 c = sheared(work, tree->corner[2] + first);
    dr_f8 u = edge_function(c, b), v = edge_function(a, c), w = edge_function(b, a);
    dr_f8 zero = dr_f8_zero(), sum = dr_f8_add(dr_f8_add(u, v), w);
    // Inside when no two signs differ; zero goes with both.
    int below = dr_f8_bits(dr_f8_less(dr_f8_min(dr_f8_min(u, v), w), zero));
    int above = dr_f8_bits(dr_f8_less(zero, dr_f8_max(dr_f8_max(u, v), w)));
    bits &= ~(below & above) & (below | above) & dr_nonzero_bits(sum);
    if (!bits) {
        return;
    }
    dr_f8 weights[3] = {dr_f8_div(u, sum), dr_f8_div(v, sum), dr_f8_div(w, sum)};
    dr_f8 t = dr_f8_add(dr_f8_add(dr_f8_mul(weights[0], a.z), dr_f8_mul(weights[1], b.z)),
                        dr_f8_mul(weights[2], c.z));
    dr_f8 outside =
        dr_f8_or(dr_f8_less(t, dr_f8_set(work->t_min)), dr_f8_less(dr_f8_set(work->t_max), t));
    keep_nearest(work, first, bits & ~dr_f8_bits(outside), t, weights);
}

static bool ray_query(const dr_tree* tree, const float* positions, int stride,
                      const dr_tree_ray* ray, bool is_any, dr_tree_ray_hit* hit)
{
    entry stack[MOST_ENTRIES];
    ray_work work = ray_begin(tree, positions, stride, ray, hit);
    int count = 1;
    stack[0] = (entry){0, 0.0f};
    while (count > 0 && !(is_any && work.is_hit)) {
        entry top = stack[--count];
        if (top.enter > work.t_max) {
            continue;
        }
        float enter[8];
        int bits = meet_ray(&work, top.node, enter);
        if (bits && tree->nodes[top.node].is_leaf) {
            meet_triangles(&work, top.node, bits);
        } else {
            count = push_children(tree, top.node, bits, enter, stack, count);
        }
    }
    return work.is_hit;
}

// --- Points ---

typedef struct near_work {
    const dr_tree* tree;
    const float* positions;
    int stride;
    const dr_tree_near_query* query;
    float lo[3], hi[3]; // a box around the point, as large as distances may be off
    dr_tree_near* near; // the best so far
} near_work;

// Closest points are off by up to 5e-7 of the longest way between two of the four, which is no
// longer than two ways from the point to the far end of the tree (collide/closest.h).
static near_work near_begin(const dr_tree* tree, const float* positions, int stride,
                            const dr_tree_near_query* query, dr_tree_near* near)
{
    const float share = 0x1p-19f, p[3] = {query->point.x, query->point.y, query->point.z};
    near_work work = {
        .tree = tree, .positions = positions, .stride = stride, .query = query, .near = near};
    float squared = 0.0f;
    for (int c = 0; c < 3; ++c) {
        float far = fmaxf(p[c] + tree->root[c], tree->root[c + 3] - p[c]);
        squared += far * far;
    }
    float slack = share * sqrtf(squared);
    for (int c = 0; c < 3; ++c) {
        work.lo[c] = p[c] - slack;
        work.hi[c] = p[c] + slack;
    }
    *near = (dr_tree_near){.triangle = -1, .closest = {.squared = INFINITY}};
    return work;
}

// Squares of the distances to the children of a node, a bit for each that is not too far.
static inline int near_children(const near_work* work, int node, float enter[8])
{
    float copy[48];
    const float* rows = wide_rows(work->tree, node, copy);
    dr_f8 sum = dr_f8_zero();
    for (int c = 0; c < 3; ++c) {
        dr_f8 below = dr_f8_add(dr_f8_load(rows + 8 * c), dr_f8_set(work->hi[c]));
        dr_f8 above = dr_f8_sub(dr_f8_set(work->lo[c]), dr_f8_load(rows + 8 * (c + 3)));
        dr_f8 gap = dr_f8_max(dr_f8_max(dr_f8_neg(below), above), dr_f8_zero());
        sum = dr_f8_add(sum, dr_f8_mul(gap, gap));
    }
    dr_f8_store(enter, sum);
    int far = dr_f8_bits(dr_f8_less(dr_f8_set(work->near->closest.squared), sum));
    return ~far & work->tree->nodes[node].lanes;
}

static bool is_nearer(const dr_tree_near* near, float squared, int32_t triangle)
{
    float best = near->closest.squared;
    return squared < best || (squared == best && triangle < near->triangle);
}

static void near_triangles(near_work* work, int node, int bits)
{
    const dr_tree* tree = work->tree;
    int first = tree->nodes[node].first;
    dr_v8 corner[3];
    for (int k = 0; k < 3; ++k) {
        corner[k] = dr_points_gather(work->positions, work->stride, tree->corner[k] + first);
    }
    drape_vec3 p = work->query->point;
    dr_closest8 closest =
        dr_closest8_point_triangle(dr_v8_set(p.x, p.y, p.z), corner[0], corner[1], corner[2]);
    float squared[8], w[3][8];
    dr_f8_store(squared, closest.squared);
    dr_f8_store(w[0], closest.w0);
    dr_f8_store(w[1], closest.w1);
    dr_f8_store(w[2], closest.w2);
    for (; bits; bits &= bits - 1) {
        int i = dr_lowest_bit(bits);
        int32_t t = tree->triangle_of_place[first + i];
        if (is_nearer(work->near, squared[i], t)) {
            *work->near = (dr_tree_near){t, {squared[i], {w[0][i], w[1][i], w[2][i]}}};
        }
    }
}

// Other parts of what the tree is over may be nearer than all that is asked for.
static bool has_asked_for(const near_work* work, int node)
{
    const int32_t* span = work->tree->span[node];
    return span[0] < work->query->end && span[1] >= work->query->first;
}

// Those of a leaf that are asked for.
static int asked_for(const near_work* work, int node, int bits)
{
    const int32_t* triangles = work->tree->triangle_of_place + work->tree->nodes[node].first;
    int asked = 0;
    for (; bits; bits &= bits - 1) {
        int i = dr_lowest_bit(bits);
        bool is_asked = triangles[i] >= work->query->first && triangles[i] < work->query->end;
        asked |= (int)is_asked << i;
    }
    return asked;
}

static bool nearest_query(const dr_tree* tree, const float* positions, int stride,
                          const dr_tree_near_query* query, dr_tree_near* near)
{
    entry stack[MOST_ENTRIES];
    near_work work = near_begin(tree, positions, stride, query, near);
    int count = 1;
    stack[0] = (entry){0, 0.0f};
    while (count > 0) {
        entry top = stack[--count];
        if (top.enter > near->closest.squared || !has_asked_for(&work, top.node)) {
            continue;
        }
        float enter[8];
        int bits = near_children(&work, top.node, enter);
        if (!tree->nodes[top.node].is_leaf) {
            count = push_children(tree, top.node, bits, enter, stack, count);
            continue;
        }
        bits = asked_for(&work, top.node, bits);
        if (bits) {
            near_triangles(&work, top.node, bits);
        }
    }
    return near->triangle >= 0;
}

const dr_query_kernels DR_KERNEL(dr_query_kernels);
const dr_query_kernels DR_KERNEL(dr_query_kernels) = {box_query, ray_query, nearest_query};
