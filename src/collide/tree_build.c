// collide/tree_build.c: what builders share.
//
// Halving: three lists hold the points sorted along each axis. A range of one list is always the
// same set as that range of the others: halving marks the upper half along one axis and parts the
// other two lists by the marks, which keeps them sorted. So every level is linear, whatever the
// points.
#include "collide/tree_build.h"

#include <string.h>

typedef struct halving {
    const float* points; // x y z of each
    int count;
    int32_t* sorted[3];
    int32_t* spare;
    uint8_t* is_upper; // by point
} halving;

static float coordinate(const halving* h, int32_t point, int axis)
{
    return h->points[3 * (size_t)point + (size_t)axis];
}

// Unsigned numbers in the order of the floats; both zeros are one.
static uint32_t ordered_bits(float value)
{
    value += 0.0f;
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}

// Counting sorts of eleven bits at a time; stable, so ties stay in the order of their indices.
static void sort_axis(halving* h, int axis)
{
    int32_t* from = h->sorted[axis];
    int32_t* to = h->spare;
    for (int32_t i = 0; i < h->count; ++i) {
        from[i] = i;
    }
    for (int shift = 0; shift < 32; shift += 11) {
        int32_t start[2049] = {0};
        for (int i = 0; i < h->count; ++i) {
            ++start[(ordered_bits(coordinate(h, i, axis)) >> shift & 2047) + 1];
        }
        for (int digit = 0; digit < 2048; ++digit) {
            start[digit + 1] += start[digit];
        }
        for (int i = 0; i < h->count; ++i) {
            uint32_t digit = ordered_bits(coordinate(h, from[i], axis)) >> shift & 2047;
            to[start[digit]++] = from[i];
        }
        int32_t* swap = from;
        from = to;
        to = swap;
    }
    h->sorted[axis] = from;
    h->spare = to;
}

static int longest_axis(const halving* h, int begin, int end)
{
    int longest = 0;
    float extents[3];
    for (int axis = 0; axis < 3; ++axis) {
        extents[axis] = coordinate(h, h->sorted[axis][end - 1], axis) -
                        coordinate(h, h->sorted[axis][begin], axis);
        longest = extents[axis] > extents[longest] ? axis : longest;
    }
    return longest;
}

// Brings the marked points of a range behind the others, which keep their order like them.
static void part(halving* h, int32_t* list, int begin, int end)
{
    int lower = begin, upper = 0;
    for (int i = begin; i < end; ++i) {
        int32_t point = list[i];
        bool is_upper = h->is_upper[point];
        // Both are written and one is kept: which one it is cannot be predicted.
        h->spare[upper] = point;
        list[lower] = point;
        upper += is_upper;
        lower += !is_upper;
    }
    memcpy(list + lower, h->spare, (size_t)upper * sizeof *list);
}

// As deep as the tree: 31 levels at most.
static void halve(halving* h, int begin, int end)
{
    if (end - begin < 2) {
        return;
    }
    int axis = longest_axis(h, begin, end);
    int middle = begin + (end - begin + 1) / 2;
    for (int i = begin; i < end; ++i) {
        h->is_upper[h->sorted[axis][i]] = i >= middle;
    }
    part(h, h->sorted[(axis + 1) % 3], begin, end);
    part(h, h->sorted[(axis + 2) % 3], begin, end);
    halve(h, begin, middle);
    halve(h, middle, end);
}

bool dr_halving_order(int32_t* order, dr_memory* memory, const drape_vec3* points, int count)
{
    if (count == 0) {
        return true;
    }
    halving h = {.points = &points->x, .count = count};
    for (int axis = 0; axis < 3; ++axis) {
        h.sorted[axis] = dr_new(memory, int32_t, count);
    }
    h.spare = dr_new(memory, int32_t, count);
    h.is_upper = dr_new(memory, uint8_t, count);
    bool ready = h.sorted[0] && h.sorted[1] && h.sorted[2] && h.spare && h.is_upper;
    if (ready) {
        for (int axis = 0; axis < 3; ++axis) {
            sort_axis(&h, axis);
        }
        halve(&h, 0, count);
        memcpy(order, h.sorted[0], (size_t)count * sizeof *order);
    }
    for (int axis = 0; axis < 3; ++axis) {
        dr_delete(memory, h.sorted[axis], count);
    }
    dr_delete(memory, h.spare, count);
    dr_delete(memory, h.is_upper, count);
    return ready;
}

drape_vec3 dr_surface_centroid(const dr_surface* surface, int triangle)
{
    const int32_t* corners = surface->triangles[triangle];
    drape_vec3 a = surface->rest[corners[0]], b = surface->rest[corners[1]];
    drape_vec3 c = surface->rest[corners[2]];
    return (drape_vec3){(a.x + b.x + c.x) / 3.0f, (a.y + b.y + c.y) / 3.0f,
                        (a.z + b.z + c.z) / 3.0f};
}

dr_plan_fn* dr_plan_builder(drape_hierarchy hierarchy)
{
    switch (hierarchy) {
    case DRAPE_HIERARCHY_SWEPT: return dr_plan_swept;
    case DRAPE_HIERARCHY_MATERIAL: return dr_plan_material;
    case DRAPE_HIERARCHY_BOTTOM_UP: return dr_plan_bottom_up;
    case DRAPE_HIERARCHY_OCTREE: return dr_plan_octree;
    case DRAPE_HIERARCHY_NONE: break;
    }
    return NULL;
}
