#include "io/polygon.h"

#include <math.h>

// A corner of the polygon in the plane it is looked at in, and its neighbours that are still there.
typedef struct corner {
    double x, y;
    int32_t vertex;
    int32_t previous, next;
    bool is_ear;
    bool turns_inward;
} corner;

static void fan(const int32_t* loop, size_t count, int32_t* triangles)
{
    for (size_t k = 1; k + 1 < count; ++k) {
        *triangles++ = loop[0];
        *triangles++ = loop[k];
        *triangles++ = loop[k + 1];
    }
}

// Twice the area vector of the loop.
static void newell_normal(const drape_vec3* positions, const int32_t* loop, size_t count,
                          double normal[3])
{
    normal[0] = normal[1] = normal[2] = 0.0;
    drape_vec3 a = positions[loop[count - 1]];
    for (size_t k = 0; k < count; ++k) {
        drape_vec3 b = positions[loop[k]];
        normal[0] += ((double)a.y - b.y) * ((double)a.z + b.z);
        normal[1] += ((double)a.z - b.z) * ((double)a.x + b.x);
        normal[2] += ((double)a.x - b.x) * ((double)a.y + b.y);
        a = b;
    }
}

// Fills the corners, seen from the side on which the loop runs counterclockwise.
static void flatten(const drape_vec3* positions, const int32_t* loop, size_t count, corner* corners)
{
    double normal[3];
    newell_normal(positions, loop, count, normal);
    double nx = fabs(normal[0]), ny = fabs(normal[1]), nz = fabs(normal[2]);
    int axis = nx > ny ? (nx > nz ? 0 : 2) : (ny > nz ? 1 : 2);
    double mirror = normal[axis] < 0.0 ? -1.0 : 1.0;
    int32_t last = (int32_t)count - 1;
    for (int32_t k = 0; k <= last; ++k) {
        drape_vec3 p = positions[loop[k]];
        double x = axis == 0 ? p.y : axis == 1 ? p.z : p.x;
        double y = axis == 0 ? p.z : axis == 1 ? p.x : p.y;
        corners[k] = (corner){.x = mirror * x,
                              .y = y,
                              .vertex = loop[k],
                              .previous = k > 0 ? k - 1 : last,
                              .next = k < last ? k + 1 : 0};
    }
}

// Twice the signed area of a triangle; positive counterclockwise.
static double turn(const corner* a, const corner* b, const corner* c)
{
    return (b->x - a->x) * (c->y - a->y) - (b->y - a->y) * (c->x - a->x);
}

static double turn_at(const corner* corners, int32_t k)
{
    return turn(&corners[corners[k].previous], &corners[k], &corners[corners[k].next]);
}

// Strictly convex: a straight corner would make a triangle without area in a fan.
static bool turns_one_way(const corner* corners, size_t count)
{
    for (size_t k = 0; k < count; ++k) {
        if (turn_at(corners, (int32_t)k) <= 0.0) {
            return false;
        }
    }
    return true;
}

static bool holds(const corner* a, const corner* b, const corner* c, const corner* point)
{
    return turn(a, b, point) >= 0.0 && turn(b, c, point) >= 0.0 && turn(c, a, point) >= 0.0;
}

// Corners at the place of the triangle's own (a loop that touches itself) do not stand in the way.
static bool is_same_place(const corner* a, const corner* b)
{
    return a->x == b->x && a->y == b->y;
}

static void classify(corner* corners, int32_t k)
{
    corner* b = &corners[k];
    const corner* a = &corners[b->previous];
    const corner* c = &corners[b->next];
    double area = turn(a, b, c);
    b->turns_inward = area <= 0.0;
    b->is_ear = area > 0.0;
    for (int32_t j = c->next; b->is_ear && j != b->previous; j = corners[j].next) {
        const corner* other = &corners[j];
        b->is_ear = !other->turns_inward || is_same_place(other, a) || is_same_place(other, b) ||
                    is_same_place(other, c) || !holds(a, b, c, other);
    }
}

static void cut_ears(corner* corners, size_t count, int32_t* triangles)
{
    for (size_t k = 0; k < count; ++k) {
        corners[k].turns_inward = turn_at(corners, (int32_t)k) <= 0.0;
    }
    for (size_t k = 0; k < count; ++k) {
        classify(corners, (int32_t)k);
    }
    int32_t at = 0;
    for (size_t left = count; left >= 3; --left) {
        // Once round without an ear happens to loops that cross themselves: then any corner goes.
        for (size_t k = 0; k < left && !corners[at].is_ear; ++k) {
            at = corners[at].next;
        }
        int32_t previous = corners[at].previous;
        int32_t next = corners[at].next;
        *triangles++ = corners[previous].vertex;
        *triangles++ = corners[at].vertex;
        *triangles++ = corners[next].vertex;
        corners[previous].next = next;
        corners[next].previous = previous;
        classify(corners, previous);
        classify(corners, next);
        at = next;
    }
}

dr_polygon_result dr_polygon_cut(dr_polygon_cutter* cutter, const drape_vec3* positions,
                                 const int32_t* loop, size_t count, int32_t* triangles)
{
    if (count == 3) {
        fan(loop, count, triangles);
        return DR_POLYGON_CUT;
    }
    cutter->corners.count = 0;
    corner* corners =
        count > INT32_MAX ? NULL : dr_list_push(&cutter->corners, count, sizeof *corners);
    if (corners == NULL) {
        return DR_POLYGON_NO_MEMORY;
    }
    flatten(positions, loop, count, corners);
    if (turns_one_way(corners, count)) {
        fan(loop, count, triangles);
        return DR_POLYGON_CUT;
    }
    if (count > DR_POLYGON_EAR_LIMIT) {
        return DR_POLYGON_TOO_LARGE;
    }
    cut_ears(corners, count, triangles);
    return DR_POLYGON_CUT;
}

void dr_polygon_cutter_free(dr_polygon_cutter* cutter)
{
    dr_list_free(&cutter->corners);
}
