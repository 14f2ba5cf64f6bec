// collide/triangle_flat.c: triangles in one plane, and triangles without area.
#include "collide/triangle_flat.h"

#include "collide/predicates.h"

typedef struct flat_triangle {
    double p[3][2];
    int turn; // of its corners: 1, -1, or 0 when it has no area
} flat_triangle;

// --- From space to a plane ---

// The turn of three points seen along an axis.
static int turn_along(int axis, const double* a, const double* b, const double* c)
{
    int x = (axis + 1) % 3, y = (axis + 2) % 3;
    const double p[3][2] = {{a[x], a[y]}, {b[x], b[y]}, {c[x], c[y]}};
    return dr_orient2d(p[0], p[1], p[2]);
}

// The first axis along which the points are not seen on one line, -1 when they are on one.
static int open_axis(const double* a, const double* b, const double* c)
{
    for (int axis = 0; axis < 3; ++axis) {
        if (turn_along(axis, a, b, c) != 0) {
            return axis;
        }
    }
    return -1;
}

static int compare_points(const double* a, const double* b)
{
    for (int k = 0; k < 3; ++k) {
        if (a[k] != b[k]) {
            return a[k] < b[k] ? -1 : 1;
        }
    }
    return 0;
}

static int axis_of_triangle(const dr_corners* t)
{
    return open_axis(t->p[0], t->p[1], t->p[2]);
}

// The segment that a triangle without area is: along a line points are ordered as their first
// coordinates that differ.
static void find_ends(const dr_corners* t, const double* ends[2])
{
    ends[0] = ends[1] = t->p[0];
    for (int i = 1; i < 3; ++i) {
        ends[0] = compare_points(t->p[i], ends[0]) < 0 ? t->p[i] : ends[0];
        ends[1] = compare_points(t->p[i], ends[1]) > 0 ? t->p[i] : ends[1];
    }
}

// An axis along which two coplanar segments are seen without loss.
static int axis_of_segments(const double* const a[2], const double* const b[2])
{
    const double* const triples[4][3] = {
        {a[0], a[1], b[0]}, {a[0], a[1], b[1]}, {b[0], b[1], a[0]}, {b[0], b[1], a[1]}};
    for (int i = 0; i < 4; ++i) {
        int axis = open_axis(triples[i][0], triples[i][1], triples[i][2]);
        if (axis >= 0) {
            return axis;
        }
    }
    // All on one line: look from the side, so that a coordinate that grows along it stays.
    for (int k = 0; k < 3; ++k) {
        if (a[0][k] != a[1][k] || b[0][k] != b[1][k] || a[0][k] != b[0][k]) {
            return (k + 1) % 3;
        }
    }
    return 0;
}

static flat_triangle flatten(const dr_corners* corners, int axis)
{
    flat_triangle t;
    for (int i = 0; i < 3; ++i) {
        t.p[i][0] = corners->p[i][(axis + 1) % 3];
        t.p[i][1] = corners->p[i][(axis + 2) % 3];
    }
    t.turn = dr_orient2d(t.p[0], t.p[1], t.p[2]);
    return t;
}

// --- In a plane ---

static bool same_place(const double* a, const double* b)
{
    return a[0] == b[0] && a[1] == b[1];
}

static bool is_between(const double* p, const double* q, const double* x)
{
    for (int k = 0; k < 2; ++k) {
        if ((x[k] < p[k] && x[k] < q[k]) || (x[k] > p[k] && x[k] > q[k])) {
            return false;
        }
    }
    return dr_orient2d(p, q, x) == 0;
}

// Closed segments, also those that are points.
static bool segments_meet(const double* p, const double* q, const double* r, const double* s)
{
    if (is_between(p, q, r) || is_between(p, q, s) || is_between(r, s, p) || is_between(r, s, q)) {
        return true;
    }
    return dr_orient2d(p, q, r) * dr_orient2d(p, q, s) < 0 &&
           dr_orient2d(r, s, p) * dr_orient2d(r, s, q) < 0;
}

static bool contains(const flat_triangle* t, const double* x)
{
    for (int i = 0; i < 3; ++i) {
        if (t->turn * dr_orient2d(t->p[i], t->p[(i + 1) % 3], x) < 0) {
            return false;
        }
    }
    return t->turn != 0;
}

static bool sets_meet(const flat_triangle* a, const flat_triangle* b)
{
    for (int i = 0; i < 9; ++i) {
        const double *p = a->p[i / 3], *q = a->p[(i / 3 + 1) % 3];
        if (segments_meet(p, q, b->p[i % 3], b->p[(i + 1) % 3])) {
            return true;
        }
    }
    // No border meets the other: then one is inside the other as a whole.
    return contains(a, b->p[0]) || contains(b, a->p[0]);
}

// The line of an edge of a has b outside; on the line counts as outside.
static bool edge_parts(const flat_triangle* a, const flat_triangle* b)
{
    for (int i = 0; i < 3; ++i) {
        const double *p = a->p[i], *q = a->p[(i + 1) % 3];
        bool parts = true;
        for (int j = 0; j < 3 && parts; ++j) {
            parts = a->turn * dr_orient2d(p, q, b->p[j]) <= 0;
        }
        if (parts) {
            return true;
        }
    }
    return false;
}

// Two convex polygons without common inner points are parted by the line of one of their edges.
static bool interiors_meet(const flat_triangle* a, const flat_triangle* b)
{
    return a->turn != 0 && b->turn != 0 && !edge_parts(a, b) && !edge_parts(b, a);
}

// p and q are on one ray from the origin.
static bool same_direction(const double* origin, const double* p, const double* q)
{
    if (same_place(origin, p) || same_place(origin, q) || dr_orient2d(origin, p, q) != 0) {
        return false;
    }
    int k = p[0] != origin[0] ? 0 : 1;
    return (p[k] > origin[k]) == (q[k] > origin[k]);
}

// x is seen from the first corner of t within its angle.
static bool angle_holds(const flat_triangle* t, const double* x)
{
    const double *origin = t->p[0], *p = t->p[1], *q = t->p[2];
    if (t->turn == 0) {
        return same_direction(origin, p, x) || same_direction(origin, q, x);
    }
    return !same_place(origin, x) && t->turn * dr_orient2d(origin, p, x) >= 0 &&
           t->turn * dr_orient2d(origin, x, q) >= 0;
}

// Beyond the shared first corner they meet if and only if their angles do.
static bool meet_beyond_vertex(const flat_triangle* a, const flat_triangle* b)
{
    return angle_holds(a, b->p[1]) || angle_holds(a, b->p[2]) || angle_holds(b, a->p[1]) ||
           angle_holds(b, a->p[2]);
}

// Beyond the shared edge, other than in an area, only two that have none can meet: when their third
// corners are beyond the same end of it.
static bool meet_beyond_edge(const flat_triangle* a, const flat_triangle* b)
{
    for (int i = 0; i < 2 && a->turn == 0 && b->turn == 0; ++i) {
        const double *end = a->p[i], *other = a->p[1 - i];
        if (same_direction(end, a->p[2], b->p[2]) && !same_direction(end, other, a->p[2])) {
            return true;
        }
    }
    return false;
}

static dr_triangle_relation relate_in_plane(const flat_triangle* a, const flat_triangle* b,
                                            int shared)
{
    dr_triangle_relation result = {.relation = DR_TRIANGLES_APART, .shared_count = shared};
    result.coplanar = interiors_meet(a, b);
    result.folded = result.coplanar && shared >= 2;
    bool touch = result.coplanar;
    switch (shared) {
    case 0: touch = touch || sets_meet(a, b); break;
    case 1: touch = touch || meet_beyond_vertex(a, b); break;
    case 2: touch = touch || meet_beyond_edge(a, b); break;
    default: break;
    }
    result.relation = touch ? DR_TRIANGLES_TOUCHING : DR_TRIANGLES_APART;
    return result;
}

// --- In space ---

// A segment with an end off the plane of t. It meets the plane in one point, the shared vertex if
// there is one; else the edges of t are seen from the segment to turn around that point or not.
static dr_relation relate_segment(const dr_corners* t, const double* const ends[2],
                                  const int sides[2], int shared)
{
    if (shared > 0 || sides[0] * sides[1] > 0) {
        return DR_TRIANGLES_APART;
    }
    bool left = false, right = false, border = sides[0] * sides[1] == 0;
    for (int i = 0; i < 3; ++i) {
        int turn = dr_orient3d(ends[0], ends[1], t->p[i], t->p[(i + 1) % 3]);
        left = left || turn > 0;
        right = right || turn < 0;
        border = border || turn == 0;
    }
    if (left && right) {
        return DR_TRIANGLES_APART;
    }
    return border ? DR_TRIANGLES_TOUCHING : DR_TRIANGLES_CROSSING;
}

// `t` has an area, `line` has none. False when they are in one plane.
static bool relate_off_plane(const dr_corners* t, const dr_corners* line, int shared,
                             dr_relation* relation)
{
    const double* ends[2];
    find_ends(line, ends);
    int sides[2];
    for (int i = 0; i < 2; ++i) {
        sides[i] = dr_orient3d(t->p[0], t->p[1], t->p[2], ends[i]);
    }
    if (sides[0] == 0 && sides[1] == 0) {
        return false;
    }
    *relation = relate_segment(t, ends, sides, shared);
    return true;
}

dr_triangle_relation dr_triangle_pair_flat(const dr_corners* a, const dr_corners* b,
                                           int shared_count)
{
    dr_triangle_relation result = {.relation = DR_TRIANGLES_APART, .shared_count = shared_count};
    int a_axis = axis_of_triangle(a), b_axis = axis_of_triangle(b);
    int axis = a_axis >= 0 ? a_axis : b_axis;
    if (a_axis < 0 && b_axis < 0) {
        const double *a_ends[2], *b_ends[2];
        find_ends(a, a_ends);
        find_ends(b, b_ends);
        if (dr_orient3d(a_ends[0], a_ends[1], b_ends[0], b_ends[1]) != 0) {
            return result;
        }
        axis = axis_of_segments(a_ends, b_ends);
    } else if (a_axis < 0 || b_axis < 0) {
        const dr_corners* t = a_axis >= 0 ? a : b;
        const dr_corners* line = a_axis >= 0 ? b : a;
        if (relate_off_plane(t, line, shared_count, &result.relation)) {
            return result;
        }
    }
    flat_triangle p = flatten(a, axis), q = flatten(b, axis);
    return relate_in_plane(&p, &q, shared_count);
}
