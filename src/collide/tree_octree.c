// collide/tree_octree.c: eight octants around the middle, and eight again in each.
#include <string.h>

#include "collide/tree_build.h"

enum { OCTREE_DEPTH = 16 };

typedef struct octree {
    dr_memory* memory;
    dr_tree_plan* plan;
    drape_vec3* points; // centroids, in the order of the list
    drape_vec3* spare_points;
    int32_t* list; // triangles; each node has a range of them
    int32_t* spare;
    uint8_t* octant; // by place in the list
} octree;

// Groups triangles that the octants cannot tell apart: eight nearly equal families.
static int32_t add_family(octree* o, const int32_t* list, int count)
{
    if (count == 1) {
        return ~list[0];
    }
    int32_t children[DR_TREE_ARITY];
    int child_count = count < DR_TREE_ARITY ? count : DR_TREE_ARITY;
    for (int k = 0; k < child_count; ++k) {
        int begin = (int)((int64_t)count * k / child_count);
        int end = (int)((int64_t)count * (k + 1) / child_count);
        children[k] = add_family(o, list + begin, end - begin);
    }
    return dr_plan_add(o->plan, o->memory, children, child_count);
}

// The middle of two coordinates, below the upper one unless both are the same.
static float middle(float lo, float hi)
{
    float m = 0.5f * lo + 0.5f * hi;
    return m < hi ? m : lo;
}

// Notes the octant of each point: bit k is set above the middle on axis k. False when all coincide.
static bool find_octants(octree* o, int begin, int end)
{
    const drape_vec3* points = o->points;
    drape_vec3 lo = points[begin], hi = lo;
    for (int i = begin + 1; i < end; ++i) {
        drape_vec3 p = points[i];
        lo =
            (drape_vec3){p.x < lo.x ? p.x : lo.x, p.y < lo.y ? p.y : lo.y, p.z < lo.z ? p.z : lo.z};
        hi =
            (drape_vec3){p.x > hi.x ? p.x : hi.x, p.y > hi.y ? p.y : hi.y, p.z > hi.z ? p.z : hi.z};
    }
    drape_vec3 m = {middle(lo.x, hi.x), middle(lo.y, hi.y), middle(lo.z, hi.z)};
    for (int i = begin; i < end; ++i) {
        drape_vec3 p = points[i];
        o->octant[i] = (uint8_t)((p.x > m.x) | (p.y > m.y) << 1 | (p.z > m.z) << 2);
    }
    return lo.x < hi.x || lo.y < hi.y || lo.z < hi.z;
}

// Sorts a range by octant, which keeps the order of indices within; octant k begins at start[k].
static void sort_octants(octree* o, int begin, int end, int start[9])
{
    int next[9] = {0};
    for (int i = begin; i < end; ++i) {
        ++next[o->octant[i] + 1];
    }
    next[0] = begin;
    for (int k = 0; k < 8; ++k) {
        next[k + 1] += next[k];
    }
    memcpy(start, next, sizeof next);
    for (int i = begin; i < end; ++i) {
        int place = next[o->octant[i]]++;
        o->spare[place] = o->list[i];
        o->spare_points[place] = o->points[i];
    }
    memcpy(o->list + begin, o->spare + begin, (size_t)(end - begin) * sizeof *o->list);
    memcpy(o->points + begin, o->spare_points + begin, (size_t)(end - begin) * sizeof *o->points);
}

static int32_t add_octants(octree* o, int begin, int end, int depth)
{
    if (end - begin < DR_TREE_ARITY || depth == OCTREE_DEPTH || !find_octants(o, begin, end)) {
        return add_family(o, o->list + begin, end - begin);
    }
    int start[9];
    sort_octants(o, begin, end, start);
    int32_t children[DR_TREE_ARITY];
    int child_count = 0;
    for (int k = 0; k < 8; ++k) {
        if (start[k] < start[k + 1]) {
            children[child_count++] = add_octants(o, start[k], start[k + 1], depth + 1);
        }
    }
    return dr_plan_add(o->plan, o->memory, children, child_count);
}

static bool octree_allocate(octree* o, const dr_surface* surface)
{
    int count = surface->triangle_count;
    o->points = dr_new(o->memory, drape_vec3, count);
    o->spare_points = dr_new(o->memory, drape_vec3, count);
    o->list = dr_new(o->memory, int32_t, count);
    o->spare = dr_new(o->memory, int32_t, count);
    o->octant = dr_new(o->memory, uint8_t, count);
    // Nodes have two children or more, so they are fewer than triangles and adding cannot fail.
    return o->points && o->spare_points && o->list && o->spare && o->octant &&
           dr_array_reserve(o->memory, &o->plan->nodes, sizeof(dr_plan_node), count);
}

static void octree_free(octree* o, int count)
{
    dr_delete(o->memory, o->points, count);
    dr_delete(o->memory, o->spare_points, count);
    dr_delete(o->memory, o->list, count);
    dr_delete(o->memory, o->spare, count);
    dr_delete(o->memory, o->octant, count);
}

bool dr_plan_octree(dr_tree_plan* plan, dr_memory* memory, const dr_surface* surface)
{
    int count = surface->triangle_count;
    if (count < 2) {
        return count == 0 || dr_plan_add(plan, memory, (int32_t[]){~0}, 1) >= 0;
    }
    octree o = {.memory = memory, .plan = plan};
    bool ready = octree_allocate(&o, surface);
    if (ready) {
        for (int32_t t = 0; t < count; ++t) {
            o.list[t] = t;
            o.points[t] = dr_surface_centroid(surface, t);
        }
        add_octants(&o, 0, count, 0);
    }
    octree_free(&o, count);
    return ready;
}
