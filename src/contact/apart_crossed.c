// Triangles that cross already: nothing can be promised of them, and a guard would only lock them.
//
// While two triangles cross, every pair of features between them is left out. So they may move
// through each other, and their neighbours come to cross the same sheets, but only neighbours: to
// get anywhere else, something would have to pass a pair that is guarded. Hence it is enough to
// look at the neighbours of what crosses in each substep; all triangles are looked at only when
// cloths were put somewhere by other hands.
#include <stdlib.h>
#include <string.h>

#include "collide/triangle_pair.h"
#include "contact/apart.h"

int dr_apart_compare_pairs(const void* left, const void* right)
{
    const dr_pair *p = left, *q = right;
    int by_a = (p->a > q->a) - (p->a < q->a);
    return by_a ? by_a : (p->b > q->b) - (p->b < q->b);
}

static drape_vec3 place_of(const dr_apart* apart, int v)
{
    const float* x = apart->x + 4 * v;
    return (drape_vec3){x[0], x[1], x[2]};
}

static bool boxes_meet(const drape_vec3 a[3], const drape_vec3 b[3])
{
    bool meet = true;
    for (int c = 0; c < 3; ++c) {
        float lo[2] = {1e38f, 1e38f}, hi[2] = {-1e38f, -1e38f};
        for (int k = 0; k < 3; ++k) {
            float p = (&a[k].x)[c], q = (&b[k].x)[c];
            lo[0] = p < lo[0] ? p : lo[0];
            hi[0] = p > hi[0] ? p : hi[0];
            lo[1] = q < lo[1] ? q : lo[1];
            hi[1] = q > hi[1] ? q : hi[1];
        }
        meet = meet && lo[0] <= hi[1] && lo[1] <= hi[0];
    }
    return meet;
}

// Adds the pair when it crosses.
static bool look_at(dr_apart* apart, dr_memory* memory, int s, int t)
{
    const int32_t *a = apart->triangles[s], *b = apart->triangles[t];
    drape_vec3 p[3], q[3];
    for (int k = 0; k < 3; ++k) {
        p[k] = place_of(apart, a[k]);
        q[k] = place_of(apart, b[k]);
    }
    if (s == t || !boxes_meet(p, q) ||
        dr_triangle_pair(p, a, q, b).relation != DR_TRIANGLES_CROSSING) {
        return true;
    }
    dr_pair* place = dr_array_push(memory, &apart->crossing, sizeof *place);
    if (place) {
        *place = s < t ? (dr_pair){s, t} : (dr_pair){t, s};
    }
    return place != NULL;
}

// --- All triangles ---

static bool look_at_solids(dr_apart* apart, dr_memory* memory, dr_pool* pool)
{
    dr_apart_refit_solids(apart, pool);
    if (!dr_tree_tree_pairs(&apart->search, memory, pool, &apart->tree, &apart->solid_tree, NULL)) {
        return false;
    }
    int count;
    const dr_pair* pairs = dr_pair_search_list(&apart->search, 0, &count);
    bool done = true;
    for (int i = 0; i < count && done; ++i) {
        done = look_at(apart, memory, pairs[i].a, apart->sheets->triangle_count + pairs[i].b);
    }
    return done;
}

static bool look_everywhere(dr_apart* apart, dr_memory* memory, dr_pool* pool)
{
    dr_motion motion = {.start = apart->x, .stride = 4};
    dr_tree_refit(&apart->tree, pool, &motion);
    if (!dr_tree_triangle_pairs(&apart->search, memory, pool, &apart->tree, NULL)) {
        return false;
    }
    int count;
    const dr_pair* pairs = dr_pair_search_list(&apart->search, 0, &count);
    bool done = true;
    for (int i = 0; i < count && done; ++i) {
        done = look_at(apart, memory, pairs[i].a, pairs[i].b);
    }
    if (done && apart->solids) {
        done = look_at_solids(apart, memory, pool);
    }
    // Those with a common vertex the search leaves out.
    for (int v = 0; v < apart->sheets->vertex_count && done; ++v) {
        int near_count;
        const int32_t* near = dr_apart_around(apart, v, &near_count);
        for (int i = 0; i < near_count && done; ++i) {
            for (int k = i + 1; k < near_count && done; ++k) {
                done = look_at(apart, memory, near[i], near[k]);
            }
        }
    }
    return done;
}

// --- Neighbours of what crosses ---

// The triangle has a corner before the k-th of `corners`: it was met there.
static bool was_met(const dr_apart* apart, int triangle, const int32_t* corners, int k)
{
    const int32_t* t = apart->triangles[triangle];
    bool is_met = false;
    for (int i = 0; i < k; ++i) {
        is_met = is_met || t[0] == corners[i] || t[1] == corners[i] || t[2] == corners[i];
    }
    return is_met;
}

// All triangles around the corners of `s` against `t`.
static bool look_beside(dr_apart* apart, dr_memory* memory, int s, int t)
{
    const int32_t* corners = apart->triangles[s];
    bool done = true;
    for (int k = 0; k < 3; ++k) {
        int count;
        const int32_t* near = dr_apart_around(apart, corners[k], &count);
        for (int i = 0; i < count && done; ++i) {
            done = was_met(apart, near[i], corners, k) || look_at(apart, memory, near[i], t);
        }
    }
    return done;
}

static bool look_nearby(dr_apart* apart, dr_memory* memory)
{
    const dr_pair* crossed = apart->crossed.data;
    bool done = true;
    for (int i = 0; i < apart->crossed.count && done; ++i) {
        const int32_t* corners = apart->triangles[crossed[i].b];
        for (int k = 0; k < 3 && done; ++k) {
            int count;
            const int32_t* near = dr_apart_around(apart, corners[k], &count);
            for (int j = 0; j < count && done; ++j) {
                done = was_met(apart, near[j], corners, k) ||
                       look_beside(apart, memory, crossed[i].a, near[j]);
            }
        }
    }
    return done;
}

// --- The set ---

bool dr_apart_is_closed(const dr_apart* apart, int triangle)
{
    return triangle >= apart->sheets->triangle_count &&
           !apart->is_open[apart->part_of_vertex[apart->triangles[triangle][0]]];
}

// Whether a triangle is partly in a solid.
static bool leaves_any(const dr_apart* apart)
{
    const dr_pair* crossed = apart->crossed.data;
    bool leaves = false;
    for (int i = 0; i < apart->crossed.count && !leaves; ++i) {
        leaves = dr_apart_is_closed(apart, crossed[i].b);
    }
    return leaves;
}

// Sorted, each once. Pairs that share a vertex were looked at more than once.
static void tidy(dr_array* list)
{
    dr_pair* pairs = list->data;
    int count = 0;
    if (list->count > 1) {
        qsort(pairs, (size_t)list->count, sizeof *pairs, dr_apart_compare_pairs);
    }
    for (int i = 0; i < list->count; ++i) {
        if (i == 0 || dr_apart_compare_pairs(&pairs[i], &pairs[i - 1]) != 0) {
            pairs[count++] = pairs[i];
        }
    }
    list->count = count;
}

bool dr_apart_find_crossed(dr_apart* apart, dr_memory* memory, dr_pool* pool)
{
    if (apart->is_known && apart->crossed.count == 0 && apart->inside.count == 0) {
        return true;
    }
    // What leaves a solid may cross it anywhere.
    bool is_nearby = apart->is_known && apart->inside.count == 0 && !leaves_any(apart);
    apart->crossing.count = 0;
    if (!(is_nearby ? look_nearby(apart, memory) : look_everywhere(apart, memory, pool))) {
        return false;
    }
    tidy(&apart->crossing);
    dr_array before = apart->crossed;
    apart->crossed = apart->crossing;
    apart->crossing = before;
    memset(apart->is_crossed, 0, (size_t)apart->triangle_count);
    const dr_pair* crossed = apart->crossed.data;
    for (int i = 0; i < apart->crossed.count; ++i) {
        apart->is_crossed[crossed[i].a] = apart->is_crossed[crossed[i].b] = 1;
    }
    apart->is_known = true;
    return true;
}

static bool do_cross(const dr_apart* apart, int s, int t)
{
    dr_pair pair = s < t ? (dr_pair){s, t} : (dr_pair){t, s};
    return bsearch(&pair, apart->crossed.data, (size_t)apart->crossed.count, sizeof pair,
                   dr_apart_compare_pairs) != NULL;
}

static bool has_corner(const dr_apart* apart, int triangle, int vertex)
{
    const int32_t* t = apart->triangles[triangle];
    return t[0] == vertex || t[1] == vertex || t[2] == vertex;
}

// Whether a triangle around the first of some vertices crosses anything, and has all of them.
static bool is_crossed_of(const dr_apart* apart, int triangle, const int32_t* vertex, int count)
{
    bool is_of = apart->is_crossed[triangle];
    for (int k = 1; k < count && is_of; ++k) {
        is_of = has_corner(apart, triangle, vertex[k]);
    }
    return is_of;
}

// Of the triangles that have all of some vertices, one crosses `triangle`.
static bool any_crosses(const dr_apart* apart, const int32_t* vertex, int count, int triangle)
{
    int near_count;
    const int32_t* near = dr_apart_around(apart, vertex[0], &near_count);
    bool found = false;
    for (int i = 0; i < near_count && !found; ++i) {
        found = is_crossed_of(apart, near[i], vertex, count) && do_cross(apart, near[i], triangle);
    }
    return found;
}

bool dr_apart_is_in(const dr_apart* apart, int vertex, int solid)
{
    dr_pair pair = {solid, vertex};
    return apart->is_inside[vertex] & DR_APART_INSIDE &&
           bsearch(&pair, apart->inside.data, (size_t)apart->inside.count, sizeof pair,
                   dr_apart_compare_pairs);
}

// Of the pairs in `crossed` the first that is not before one.
static int lower_bound(const dr_apart* apart, dr_pair pair)
{
    const dr_pair* crossed = apart->crossed.data;
    int begin = 0, end = apart->crossed.count;
    while (begin < end) {
        int middle = begin + (end - begin) / 2;
        if (dr_apart_compare_pairs(&crossed[middle], &pair) < 0) {
            begin = middle + 1;
        } else {
            end = middle;
        }
    }
    return begin;
}

const dr_pair* dr_apart_crossed_in(const dr_apart* apart, int triangle, int solid, int* count)
{
    const dr_sheets_part* part = &apart->solids->parts[solid];
    int cloth_count = apart->sheets->triangle_count;
    int first = lower_bound(apart, (dr_pair){triangle, cloth_count + part[0].first_triangle});
    int last = lower_bound(apart, (dr_pair){triangle, cloth_count + part[1].first_triangle});
    *count = last - first;
    return *count > 0 ? (const dr_pair*)apart->crossed.data + first : NULL;
}

static bool crosses_solid(const dr_apart* apart, int triangle, int solid)
{
    int count;
    dr_apart_crossed_in(apart, triangle, solid, &count);
    return count > 0;
}

bool dr_apart_is_part_in(const dr_apart* apart, const int32_t* vertex, int count, int solid)
{
    if (apart->crossed.count == 0 || apart->is_open[solid]) {
        return false;
    }
    int near_count;
    const int32_t* near = dr_apart_around(apart, vertex[0], &near_count);
    bool found = false;
    for (int i = 0; i < near_count && !found; ++i) {
        found =
            is_crossed_of(apart, near[i], vertex, count) && crosses_solid(apart, near[i], solid);
    }
    return found;
}

// A pair of a cloth and a solid that the cloth has a vertex inside of, or a triangle partly: a cap of
// the solid may stand out of one all of whose corners are outside.
static bool leaves_solid(const dr_apart* apart, const int32_t vertex[4], int split)
{
    int cloth_count = apart->sheets->vertex_count;
    bool is_first = vertex[0] < cloth_count; // the side of the cloth
    if (is_first == (vertex[3] < cloth_count)) {
        return false;
    }
    const int32_t* own = is_first ? vertex : vertex + split;
    int count = is_first ? split : 4 - split;
    int solid = apart->part_of_vertex[is_first ? vertex[3] : vertex[0]];
    bool leaves = false;
    for (int i = 0; i < count; ++i) {
        leaves |= dr_apart_is_in(apart, own[i], solid);
    }
    return leaves || dr_apart_is_part_in(apart, own, count, solid);
}

bool dr_apart_is_exempt(const dr_apart* apart, dr_apart_kind kind, const int32_t vertex[4])
{
    int split = kind == DR_APART_POINT ? 1 : 2, near_count;
    if (apart->inside.count == 0 && apart->crossed.count == 0) {
        return false;
    }
    if (leaves_solid(apart, vertex, split)) {
        return true;
    }
    const int32_t* near = dr_apart_around(apart, vertex[split], &near_count);
    bool found = false;
    for (int i = 0; i < near_count && !found; ++i) {
        found = is_crossed_of(apart, near[i], vertex + split, 4 - split) &&
                any_crosses(apart, vertex, split, near[i]);
    }
    return found;
}

int dr_apart_count_touching(const dr_apart* apart)
{
    const dr_apart_record* records = apart->records.data;
    int count = 0;
    for (int i = 0; i < apart->records.count; ++i) {
        count += !(records[i].gap > 0.0);
    }
    return count;
}
