#include "solver/limits.h"

#include <math.h>
#include <string.h>

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

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static double height(const dr_halfspace* plane, const double y[3])
{
    return dot(plane->normal, y) + plane->offset;
}

static void move(double y[3], const double along[3], double by)
{
    for (int c = 0; c < 3; ++c) {
        y[c] += by * along[c];
    }
}

// The planes a vertex ends on: at most three, for then it is a point. `axes` are unit vectors at right
// angles that span their normals.
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
        move(rest, at->axes[k], -dot(rest, at->axes[k]));
    }
    double length = sqrt(dot(rest, rest));
    if (at->count == 3 || length < least_turn) {
        return false;
    }
    for (int c = 0; c < 3; ++c) {
        at->axes[at->count][c] = rest[c] / length;
    }
    at->planes[at->count++] = plane;
    return true;
}

// The point nearest to y on all planes of the corner: its height above each is taken off in the order
// in which they were added, along the axes, which leave the planes before alone.
static void onto_corner(const corner* at, double y[3])
{
    for (int k = 0; k < at->count; ++k) {
        double slope = dot(at->planes[k]->normal, at->axes[k]);
        move(y, at->axes[k], -height(at->planes[k], y) / slope);
    }
}

// The best answer so far of a search over corners.
typedef struct search {
    const dr_halfspace* planes[DR_LIMIT_PLANES];
    int count;
    double y[3];       // to be projected
    double best[3];
    double deepest;    // most that `best` is behind a plane
    double distance;   // from y, squared
    corner at;         // of `best`
} search;

// Behind a plane by less than this, in metres, is on it: rounding.
static const double on_plane = 1e-12;

static void try_corner(search* s, const corner* at)
{
    double y[3], deepest = 0.0, way[3];
    memcpy(y, s->y, sizeof y);
    onto_corner(at, y);
    for (int k = 0; k < s->count; ++k) {
        deepest = fmax(deepest, -height(s->planes[k], y));
    }
    deepest = deepest > on_plane ? deepest : 0.0;
    for (int c = 0; c < 3; ++c) {
        way[c] = y[c] - s->y[c];
    }
    double distance = dot(way, way);
    if (deepest < s->deepest || (deepest == s->deepest && distance < s->distance)) {
        memcpy(s->best, y, sizeof y);
        s->deepest = deepest;
        s->distance = distance;
        s->at = *at;
    }
}

// All corners of up to three planes, beginning with those of one.
static void try_corners(search* s)
{
    const corner open = {0};
    try_corner(s, &open);
    for (int size = 1; size <= 3 && s->deepest > 0.0; ++size) {
        for (int i = 0; i < s->count; ++i) {
            corner one = open;
            add_to_corner(&one, s->planes[i]);
            if (size == 1) {
                try_corner(s, &one);
                continue;
            }
            for (int j = i + 1; j < s->count; ++j) {
                corner two = one;
                if (!add_to_corner(&two, s->planes[j])) {
                    continue;
                }
                if (size == 2) {
                    try_corner(s, &two);
                    continue;
                }
                for (int k = j + 1; k < s->count; ++k) {
                    corner three = two;
                    if (add_to_corner(&three, s->planes[k])) {
                        try_corner(s, &three);
                    }
                }
            }
        }
    }
}

// Behind all planes, as near to y as can be. When nothing is behind all of them, where it is least wrong.
static corner onto_planes(const search* asked, double y[3])
{
    search s = *asked;
    memcpy(s.y, y, sizeof s.y);
    s.deepest = INFINITY;
    try_corners(&s);
    memcpy(y, s.best, sizeof s.best);
    return s.at;
}

// Coulomb: what the planes pushed back, times the coefficient, is what may be taken off the way along
// them.
static bool rub(const corner* at, const double pushed[3], double y[3])
{
    if (at->count == 0 || at->count == 3) {
        return false;
    }
    const dr_halfspace* plane = at->planes[0];
    double push = sqrt(dot(pushed, pushed));
    double slip[3];
    for (int c = 0; c < 3; ++c) {
        slip[c] = y[c] - plane->anchor[c];
    }
    for (int k = 0; k < at->count; ++k) {
        move(slip, at->axes[k], -dot(slip, at->axes[k]));
    }
    double length = sqrt(dot(slip, slip));
    double most = (double)plane->friction_dynamic * push;
    bool sticks = length <= (double)plane->friction_static * push;
    if (length == 0.0 || (most == 0.0 && !sticks)) {
        return false;
    }
    move(y, slip, sticks ? -1.0 : -fmin(most / length, 1.0));
    return true;
}

// The coordinate that the plane gives once the two others are known.
static void follow_plane(const dr_halfspace* plane, double y[3])
{
    int j = plane->dependent;
    y[j] -= height(plane, y) / plane->normal[j];
}

static bool left_interval(const dr_limits* limits, int vertex, const double y[3])
{
    for (int c = 0; c < 3; ++c) {
        if (y[c] < limits->lo[vertex][c] || y[c] > limits->hi[vertex][c]) {
            return true;
        }
    }
    return false;
}

bool dr_limits_project(const dr_limits* limits, int vertex, double y[3])
{
    if (limits->hold[vertex] != DR_HOLD_FREE) {
        memcpy(y, limits->place[vertex], 3 * sizeof *y);
        return false;
    }
    for (int c = 0; c < 3; ++c) {
        y[c] = fmin(fmax(y[c], limits->lo[vertex][c]), limits->hi[vertex][c]);
    }
    search s = {0};
    const dr_limit_plane* planes = limits->planes.data;
    for (int p = limits->first_plane[vertex]; p >= 0; p = planes[p].next) {
        s.planes[s.count++] = &planes[p].plane;
    }
    if (s.count == 0) {
        return false;
    }
    if (s.count == 1 && s.planes[0]->dependent >= 0) {
        follow_plane(s.planes[0], y);
        return left_interval(limits, vertex, y);
    }
    double pushed[3] = {y[0], y[1], y[2]};
    corner at = onto_planes(&s, y);
    for (int c = 0; c < 3; ++c) {
        pushed[c] -= y[c];
    }
    if (rub(&at, pushed, y)) {
        onto_planes(&s, y);
    }
    return left_interval(limits, vertex, y);
}
