#include "solver/limits.h"

#include <math.h>
#include <string.h>

#include "core/double3.h"

bool dr_limits_create(dr_limits* limits, dr_memory* memory, int vertex_count)
{
    *limits = (dr_limits){.vertex_count = vertex_count};
    // One more, so that no vertices are not taken for a lack of memory.
    size_t count = (size_t)vertex_count + 1;
    limits->lo = dr_allocate(memory, dr_array_bytes(count, sizeof *limits->lo));
    limits->hi = dr_allocate(memory, dr_array_bytes(count, sizeof *limits->hi));
    limits->place = dr_allocate(memory, dr_array_bytes(count, sizeof *limits->place));
    limits->hold = dr_new_zeroed(memory, uint8_t, count);
    limits->is_limited = dr_new_zeroed(memory, uint8_t, count);
    limits->first_plane = dr_new(memory, int32_t, count);
    limits->plane_count = dr_new_zeroed(memory, uint8_t, count);
    if (!limits->lo || !limits->hi || !limits->place || !limits->hold || !limits->is_limited ||
        !limits->first_plane || !limits->plane_count ||
        !dr_array_reserve(memory, &limits->limited, sizeof(int32_t), vertex_count + 1)) {
        return false;
    }
    for (int v = 0; v < vertex_count; ++v) {
        for (int c = 0; c < 3; ++c) {
            limits->lo[v][c] = -INFINITY;
            limits->hi[v][c] = INFINITY;
        }
        limits->first_plane[v] = -1;
    }
    return true;
}

void dr_limits_free(dr_limits* limits, dr_memory* memory)
{
    size_t count = (size_t)limits->vertex_count + 1;
    dr_delete(memory, limits->lo, count);
    dr_delete(memory, limits->hi, count);
    dr_delete(memory, limits->place, count);
    dr_delete(memory, limits->hold, count);
    dr_delete(memory, limits->is_limited, count);
    dr_delete(memory, limits->first_plane, count);
    dr_delete(memory, limits->plane_count, count);
    dr_array_free(memory, &limits->planes, sizeof(dr_limit_plane));
    dr_array_free(memory, &limits->limited, sizeof(int32_t));
    *limits = (dr_limits){0};
}

void dr_limits_clear(dr_limits* limits)
{
    const int32_t* limited = limits->limited.data;
    for (int i = 0; i < limits->limited.count; ++i) {
        int v = limited[i];
        for (int c = 0; c < 3; ++c) {
            limits->lo[v][c] = -INFINITY;
            limits->hi[v][c] = INFINITY;
        }
        limits->hold[v] = DR_HOLD_FREE;
        limits->is_limited[v] = 0;
        limits->first_plane[v] = -1;
        limits->plane_count[v] = 0;
    }
    limits->limited.count = 0;
    limits->planes.count = 0;
}

// Room in `limited` is for all vertices, and each enters once.
static void mark(dr_limits* limits, int vertex)
{
    if (!limits->is_limited[vertex]) {
        limits->is_limited[vertex] = 1;
        ((int32_t*)limits->limited.data)[limits->limited.count++] = vertex;
    }
}

bool dr_limits_hold(dr_limits* limits, int vertex, dr_hold hold, const double place[3])
{
    bool was_free = limits->hold[vertex] == DR_HOLD_FREE;
    if (limits->hold[vertex] < (int)hold) {
        mark(limits, vertex);
        limits->hold[vertex] = (uint8_t)hold;
        memcpy(limits->place[vertex], place, sizeof limits->place[vertex]);
    }
    return was_free;
}

void dr_limits_set_interval(dr_limits* limits, int vertex, int axis, double lo, double hi)
{
    mark(limits, vertex);
    limits->lo[vertex][axis] = lo;
    limits->hi[vertex][axis] = hi;
}

dr_limit_answer dr_limits_add_plane(dr_limits* limits, dr_memory* memory, int vertex,
                                    const dr_halfspace* plane)
{
    if (limits->plane_count[vertex] >= DR_LIMIT_PLANES) {
        return DR_LIMIT_FULL;
    }
    dr_limit_plane* added = dr_array_push(memory, &limits->planes, sizeof *added);
    if (!added) {
        return DR_LIMIT_NO_MEMORY;
    }
    mark(limits, vertex);
    *added = (dr_limit_plane){*plane, vertex, limits->first_plane[vertex]};
    limits->first_plane[vertex] = limits->planes.count - 1;
    ++limits->plane_count[vertex];
    return DR_LIMIT_ADDED;
}

// --- Projection ---

static double height(const dr_halfspace* plane, const double y[3])
{
    return dr_dot3(plane->normal, y) + plane->offset;
}

static void move(double y[3], const double along[3], double by)
{
    for (int c = 0; c < 3; ++c) {
        y[c] += by * along[c];
    }
}

// The planes a vertex ends on: at most three, for then it is a point. `axes` are unit vectors at
// right angles that span their normals.
typedef struct corner {
    int count;
    const dr_halfspace* planes[3];
    double axes[3][3];
} corner;

// What is left of a normal beside those that are there already; below this they are the same plane.
static const double least_turn = 1e-6;

static bool add_to_corner(corner* at, const dr_halfspace* plane)
{
    double rest[3];
    memcpy(rest, plane->normal, sizeof rest);
    for (int k = 0; k < at->count; ++k) {
        move(rest, at->axes[k], -dr_dot3(rest, at->axes[k]));
    }
    double length = sqrt(dr_dot3(rest, rest));
    if (at->count == 3 || length < least_turn) {
        return false;
    }
    for (int c = 0; c < 3; ++c) {
        at->axes[at->count][c] = rest[c] / length;
    }
    at->planes[at->count++] = plane;
    return true;
}

// The point nearest to y on all planes of the corner: its height above each is taken off in the
// order in which they were added, along the axes, which leave the planes before alone.
static void onto_corner(const corner* at, double y[3])
{
    for (int k = 0; k < at->count; ++k) {
        double slope = dr_dot3(at->planes[k]->normal, at->axes[k]);
        move(y, at->axes[k], -height(at->planes[k], y) / slope);
    }
}

// The planes of one vertex, at most DR_LIMIT_PLANES.
typedef struct plane_set {
    int count;
    const dr_halfspace* planes[DR_LIMIT_PLANES];
} plane_set;

// Most that y is behind one of the planes; 0 when that is rounding.
static double depth(const plane_set* set, const double y[3])
{
    // Of a coordinate's own size, with room for a few operations.
    double slack = 1e-12 * (1.0 + fmax(fmax(fabs(y[0]), fabs(y[1])), fabs(y[2])));
    double deepest = 0.0;
    for (int k = 0; k < set->count; ++k) {
        deepest = fmax(deepest, -height(set->planes[k], y));
    }
    return deepest > slack ? deepest : 0.0;
}

// True when each plane of the corner pushes: `way` is a sum of their normals with no negative
// share. Shares are found from the last plane to the first, whose axis no later normal is free of.
static bool pushes(const corner* at, const double way[3])
{
    double share[3];
    for (int k = at->count - 1; k >= 0; --k) {
        double rest = dr_dot3(way, at->axes[k]);
        for (int j = k + 1; j < at->count; ++j) {
            rest -= share[j] * dr_dot3(at->planes[j]->normal, at->axes[k]);
        }
        share[k] = rest / dr_dot3(at->planes[k]->normal, at->axes[k]);
        if (!(share[k] >= 0.0)) {
            return false;
        }
    }
    return true;
}

// A walk over corners. When none is right, for the planes leave no room, the least wrong is kept.
typedef struct search {
    plane_set set;
    double y[3]; // to be projected
    double best[3];
    double deepest; // of `best`
    corner at;      // of `best`
} search;

// The corner is right when its planes all push and its nearest point is behind no other: the
// conditions of the nearest point of a convex set, which is the only one.
static bool try_corner(search* s, const corner* at)
{
    double y[3], way[3];
    memcpy(y, s->y, sizeof y);
    onto_corner(at, y);
    for (int c = 0; c < 3; ++c) {
        way[c] = y[c] - s->y[c];
    }
    double deepest = depth(&s->set, y);
    bool is_right = deepest == 0.0 && pushes(at, way);
    if (is_right || deepest < s->deepest) {
        memcpy(s->best, y, sizeof y);
        s->deepest = deepest;
        s->at = *at;
    }
    return is_right;
}

// Corners of `size` planes that hold those of `base` and others from `first` on.
static bool try_corners(search* s, const corner* base, int first, int size)
{
    for (int i = first; i < s->set.count; ++i) {
        corner next = *base;
        if (add_to_corner(&next, s->set.planes[i]) &&
            (size == 1 ? try_corner(s, &next) : try_corners(s, &next, i + 1, size - 1))) {
            return true;
        }
    }
    return false;
}

// Behind no plane, as near to y as can be. Where no place is, the corner that is least wrong.
static corner onto_planes(const plane_set* set, double y[3])
{
    search s = {.set = *set, .y = {y[0], y[1], y[2]}};
    const corner open = {0};
    s.deepest = depth(set, y);
    memcpy(s.best, y, sizeof s.best);
    bool is_right = s.deepest == 0.0;
    for (int size = 1; size <= 3 && !is_right; ++size) {
        is_right = try_corners(&s, &open, 0, size);
    }
    memcpy(y, s.best, sizeof s.best);
    return s.at;
}

// Coulomb: what the planes pushed back, times the coefficient, is what may be taken off the way
// along them. At an edge the rougher plane counts.
static bool rub(const corner* at, const double pushed[3], double y[3])
{
    double friction_static = 0.0, friction_dynamic = 0.0, slip[3];
    for (int k = 0; k < at->count; ++k) {
        friction_static = fmax(friction_static, (double)at->planes[k]->friction_static);
        friction_dynamic = fmax(friction_dynamic, (double)at->planes[k]->friction_dynamic);
    }
    if (at->count == 3 || (friction_static <= 0.0 && friction_dynamic <= 0.0)) {
        return false;
    }
    for (int c = 0; c < 3; ++c) {
        slip[c] = y[c] - at->planes[0]->anchor[c];
    }
    for (int k = 0; k < at->count; ++k) {
        move(slip, at->axes[k], -dr_dot3(slip, at->axes[k]));
    }
    double length = sqrt(dr_dot3(slip, slip)), push = sqrt(dr_dot3(pushed, pushed));
    bool sticks = length <= friction_static * push;
    if (length == 0.0) {
        return false;
    }
    move(y, slip, sticks ? -1.0 : -fmin(friction_dynamic * push / length, 1.0));
    return true;
}

// The coordinate that the plane gives once the two others are known.
static void follow_plane(const dr_halfspace* plane, double y[3])
{
    int j = plane->dependent;
    y[j] -= height(plane, y) / plane->normal[j];
}

// The commonest case: one plane.
static void onto_plane(const dr_halfspace* plane, double y[3])
{
    double above = height(plane, y);
    if (above >= 0.0) {
        return;
    }
    move(y, plane->normal, -above);
    if (plane->friction_static > 0.0f || plane->friction_dynamic > 0.0f) {
        corner at = {0};
        const double pushed[3] = {above * plane->normal[0], above * plane->normal[1],
                                  above * plane->normal[2]};
        add_to_corner(&at, plane);
        rub(&at, pushed, y);
    }
}

static void onto_all(const plane_set* set, double y[3])
{
    double pushed[3] = {y[0], y[1], y[2]};
    corner at = onto_planes(set, y);
    for (int c = 0; c < 3; ++c) {
        pushed[c] -= y[c];
    }
    if (at.count > 0 && rub(&at, pushed, y)) {
        onto_planes(set, y);
    }
}

// What a vertex that is not held must honour.
typedef struct room {
    double lo[3], hi[3];
    plane_set set;
} room;

static room room_of(const dr_limits* limits, int vertex)
{
    room r = {.set = {.count = 0}};
    memcpy(r.lo, limits->lo[vertex], sizeof r.lo);
    memcpy(r.hi, limits->hi[vertex], sizeof r.hi);
    const dr_limit_plane* planes = limits->planes.data;
    for (int p = limits->first_plane[vertex]; p >= 0; p = planes[p].next) {
        r.set.planes[r.set.count++] = &planes[p].plane;
    }
    return r;
}

static bool left_interval(const room* r, const double y[3])
{
    for (int c = 0; c < 3; ++c) {
        if (y[c] < r->lo[c] || y[c] > r->hi[c]) {
            return true;
        }
    }
    return false;
}

static bool enter(const room* r, double y[3])
{
    for (int c = 0; c < 3; ++c) {
        y[c] = fmin(fmax(y[c], r->lo[c]), r->hi[c]);
    }
    if (r->set.count == 0) {
        return false;
    }
    if (r->set.count > 1) {
        onto_all(&r->set, y);
    } else if (r->set.planes[0]->dependent >= 0) {
        follow_plane(r->set.planes[0], y);
    } else {
        onto_plane(r->set.planes[0], y);
    }
    return left_interval(r, y);
}

bool dr_limits_project(const dr_limits* limits, int vertex, double y[3])
{
    if (limits->hold[vertex] != DR_HOLD_FREE) {
        memcpy(y, limits->place[vertex], 3 * sizeof *y);
        return false;
    }
    room r = room_of(limits, vertex);
    return enter(&r, y);
}

// --- Pieces of a step ---

// As it is at the end of the piece. `left` is the share of the step that is still to come.
static dr_halfspace move_plane(const dr_halfspace* plane, const dr_limit_piece* piece, double left)
{
    dr_halfspace moved = *plane;
    moved.offset -= left * fmin(height(plane, piece->start), 0.0);
    for (int c = 0; c < 3; ++c) {
        moved.anchor[c] = piece->from[c] + (plane->anchor[c] - piece->start[c]) / piece->count;
    }
    return moved;
}

bool dr_limits_project_piece(const dr_limits* limits, int vertex, const dr_limit_piece* piece,
                             double y[3])
{
    if (piece->count == 1 || limits->hold[vertex] != DR_HOLD_FREE) {
        return dr_limits_project(limits, vertex, y);
    }
    room r = room_of(limits, vertex);
    dr_halfspace moved[DR_LIMIT_PLANES];
    double left = 1.0 - (double)(piece->number + 1) / piece->count;
    for (int k = 0; k < r.set.count; ++k) {
        moved[k] = move_plane(r.set.planes[k], piece, left);
        r.set.planes[k] = &moved[k];
    }
    for (int c = 0; c < 3; ++c) {
        // Where there is no limit nothing is missing from it.
        r.lo[c] -= left * fmax(r.lo[c] - piece->start[c], 0.0);
        r.hi[c] += left * fmax(piece->start[c] - r.hi[c], 0.0);
    }
    return enter(&r, y);
}
