#include "contact/sensor_outline.h"

#include <math.h>

#include "collide/predicates.h"

bool dr_outline_create(dr_outline* outline, dr_memory* memory, int capacity, int vertex_count)
{
    *outline = (dr_outline){.capacity = capacity, .vertex_count = vertex_count};
    outline->edges = dr_new(memory, dr_outline_edge, capacity + 1);
    outline->order = dr_new(memory, dr_sort_item, capacity + 1);
    outline->edge_from = dr_new(memory, int32_t, vertex_count + 1);
    for (int v = 0; v < vertex_count && outline->edge_from; ++v) {
        outline->edge_from[v] = -1;
    }
    return outline->edges && outline->order && outline->edge_from;
}

void dr_outline_free(dr_outline* outline, dr_memory* memory)
{
    dr_delete(memory, outline->edges, outline->capacity + 1);
    dr_delete(memory, outline->order, outline->capacity + 1);
    dr_delete(memory, outline->edge_from, outline->vertex_count + 1);
    *outline = (dr_outline){0};
}

void dr_outline_clear(dr_outline* outline)
{
    outline->count = 0;
}

void dr_outline_add(dr_outline* outline, int from, int to)
{
    outline->edges[outline->count++] = (dr_outline_edge){.from = from, .to = to};
}

drape_vec3 dr_outline_area(const dr_outline* outline, const drape_vec3* places)
{
    double sum[3] = {0};
    for (int i = 0; i < outline->count; ++i) {
        drape_vec3 o = places[outline->edges[0].from];
        drape_vec3 p = places[outline->edges[i].from], q = places[outline->edges[i].to];
        double a[3] = {(double)p.x - o.x, (double)p.y - o.y, (double)p.z - o.z};
        double b[3] = {(double)q.x - o.x, (double)q.y - o.y, (double)q.z - o.z};
        for (int d = 0; d < 3; ++d) {
            int e = (d + 1) % 3, f = (d + 2) % 3;
            sum[d] += a[e] * b[f] - a[f] * b[e];
        }
    }
    return (drape_vec3){(float)sum[0], (float)sum[1], (float)sum[2]};
}

// --- Seeing ---

// Along the direction onto a plane across an axis: the other two coordinates lose what the
// direction has of them for each unit along the axis, which is -1, 0 or 1.
static void see(drape_vec3 place, const int direction[3], int axis, double out[2])
{
    const double p[3] = {place.x, place.y, place.z};
    for (int k = 0; k < 2; ++k) {
        int d = (axis + 1 + k) % 3, ratio = direction[d] * direction[axis];
        out[k] = p[d] - ratio * p[axis];
    }
}

static void see_edges(dr_outline* outline, const drape_vec3* places, const int direction[3],
                      int axis)
{
    for (int i = 0; i < outline->count; ++i) {
        dr_outline_edge* e = &outline->edges[i];
        see(places[e->from], direction, axis, e->a);
        see(places[e->to], direction, axis, e->b);
        e->lo = fmin(e->a[0], e->b[0]);
        e->hi = fmax(e->a[0], e->b[0]);
        e->is_seen = false;
    }
}

// --- Loops ---

// Notes which edge begins at each vertex. False when two do.
static bool note_edges(dr_outline* outline)
{
    bool is_once = true;
    for (int i = 0; i < outline->count; ++i) {
        int32_t* place = &outline->edge_from[outline->edges[i].from];
        is_once = is_once && *place < 0;
        *place = i;
    }
    return is_once;
}

static void forget_edges(dr_outline* outline)
{
    for (int i = 0; i < outline->count; ++i) {
        outline->edge_from[outline->edges[i].from] = -1;
    }
}

// Twice the area inside the loop that begins with an edge; NaN when it has no end.
static double loop_area(dr_outline* outline, int first)
{
    const double* o = outline->edges[first].a;
    double area = 0.0;
    int i = first;
    do {
        dr_outline_edge* e = &outline->edges[i];
        e->is_seen = true;
        area += (e->a[0] - o[0]) * (e->b[1] - o[1]) - (e->a[1] - o[1]) * (e->b[0] - o[0]);
        i = outline->edge_from[e->to];
    } while (i >= 0 && !outline->edges[i].is_seen);
    return i == first ? area : NAN;
}

// Loops with their inside to the left; -1 when one has no inside.
static int count_outlines(dr_outline* outline, int sign)
{
    int outlines = 0;
    for (int i = 0; i < outline->count; ++i) {
        if (!outline->edges[i].is_seen) {
            double area = sign * loop_area(outline, i);
            if (!(area > 0.0) && !(area < 0.0)) {
                return -1;
            }
            outlines += area > 0.0;
        }
    }
    return outlines;
}

// Every vertex is passed once, and one loop alone has its inside to the left.
static bool has_one_outline(dr_outline* outline, int sign)
{
    bool is_one = note_edges(outline) && count_outlines(outline, sign) == 1;
    forget_edges(outline);
    return is_one;
}

// --- Crossings ---

static double lesser(double a, double b)
{
    return a < b ? a : b;
}

static double greater(double a, double b)
{
    return a > b ? a : b;
}

static bool is_between(const double a[2], const double b[2], const double p[2])
{
    return lesser(a[0], b[0]) <= p[0] && p[0] <= greater(a[0], b[0]) &&
           lesser(a[1], b[1]) <= p[1] && p[1] <= greater(a[1], b[1]);
}

// Touching counts.
static bool segments_meet(const double a[2], const double b[2], const double c[2],
                          const double d[2])
{
    int c_side = dr_orient2d(a, b, c), d_side = dr_orient2d(a, b, d);
    int a_side = dr_orient2d(c, d, a), b_side = dr_orient2d(c, d, b);
    if (c_side * d_side < 0 && a_side * b_side < 0) {
        return true;
    }
    return (c_side == 0 && is_between(a, b, c)) || (d_side == 0 && is_between(a, b, d)) ||
           (a_side == 0 && is_between(c, d, a)) || (b_side == 0 && is_between(c, d, b));
}

// Edges with a common vertex meet elsewhere only when one lies on the other.
static bool lie_on_each_other(const double common[2], const double p[2], const double q[2])
{
    return dr_orient2d(common, p, q) == 0 && (is_between(common, p, q) || is_between(common, q, p));
}

static bool edges_meet(const dr_outline_edge* e, const dr_outline_edge* f)
{
    if (lesser(e->a[1], e->b[1]) > greater(f->a[1], f->b[1]) ||
        lesser(f->a[1], f->b[1]) > greater(e->a[1], e->b[1])) {
        return false;
    }
    if (e->to == f->from && e->from == f->to) {
        return true;
    }
    if (e->to == f->from) {
        return lie_on_each_other(e->b, e->a, f->b);
    }
    return e->from == f->to ? lie_on_each_other(e->a, e->b, f->a)
                            : segments_meet(e->a, e->b, f->a, f->b);
}

// By the first coordinate: an edge is compared with those that begin before it ends.
static bool nothing_meets(dr_outline* outline)
{
    const dr_outline_edge* edges = outline->edges;
    dr_sort_item* order = outline->order;
    for (int i = 0; i < outline->count; ++i) {
        order[i] = (dr_sort_item){dr_sort_key_of_number(edges[i].lo), i};
    }
    dr_sort(order, outline->count);
    for (int i = 0; i < outline->count; ++i) {
        const dr_outline_edge* e = &edges[order[i].value];
        for (int j = i + 1; j < outline->count && edges[order[j].value].lo <= e->hi; ++j) {
            if (edges_meet(e, &edges[order[j].value])) {
                return false;
            }
        }
    }
    return true;
}

bool dr_outline_is_simple(dr_outline* outline, const drape_vec3* places, const int direction[3])
{
    int axis = direction[0] != 0 ? 0 : direction[1] != 0 ? 1 : 2;
    see_edges(outline, places, direction, axis);
    return has_one_outline(outline, direction[axis]) && nothing_meets(outline);
}
