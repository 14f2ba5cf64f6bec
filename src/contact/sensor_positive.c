// Positive vectors of nodes, and of adjacent nodes together.
#include "contact/sensor_tree.h"
#include "core/vec_math.h"

bool dr_sensor_tree_refit(dr_sensor_tree* of, dr_memory* memory, dr_pool* pool,
                          const drape_vec3* places, bool use_positive, bool use_outline)
{
    dr_tree* tree = &of->tree;
    dr_motion motion = {.start = &places->x, .stride = 3};
    of->places = places;
    of->use_positive = use_positive;
    of->use_outline = use_outline;
    of->outline_tests = 0;
    dr_tree_refit(tree, pool, &motion);
    for (int n = 0; n < tree->node_count; ++n) {
        drape_vec3 lo, hi;
        dr_tree_box(tree, n, &lo, &hi);
        const float box[6] = {-lo.x, -lo.y, -lo.z, hi.x, hi.y, hi.z};
        for (int d = 0; d < 6; ++d) {
            of->box[n][d] = box[d];
        }
        of->positive[n] = DR_POSITIVE_UNKNOWN;
    }
    return !use_positive || dr_tree_refit_directions(tree, memory, &places->x, 3);
}

// Of the directions in a mask the one nearest to the mean normal: there outlines are seen widest.
static int best_direction(uint32_t mask, drape_vec3 area)
{
    int best = -1;
    float most = 0.0f;
    for (int k = 0; k < DR_TREE_DIRECTION_COUNT; ++k) {
        float along = dr_dot(area, dr_tree_direction(k));
        if (mask >> k & 1 && (best < 0 || along > most)) {
            best = k;
            most = along;
        }
    }
    return best;
}

// Judges the border in `outline`, or takes it as it is when outlines are not asked for.
static bool judge(dr_sensor_tree* of, uint32_t mask, drape_vec3* vector)
{
    int best = best_direction(mask, dr_outline_area(&of->outline, of->places));
    drape_vec3 d = dr_tree_direction(best);
    if (vector) {
        *vector = d;
    }
    if (!of->use_outline) {
        return true;
    }
    const int direction[3] = {(d.x > 0.0f) - (d.x < 0.0f), (d.y > 0.0f) - (d.y < 0.0f),
                              (d.z > 0.0f) - (d.z < 0.0f)};
    ++of->outline_tests;
    return dr_outline_is_simple(&of->outline, of->places, direction);
}

static const dr_border_edge* border_of(const dr_sensor_tree* of, int node, int* count)
{
    *count = of->border_count[node];
    return (const dr_border_edge*)of->borders.data + of->border_start[node];
}

static void add_border_edge(dr_sensor_tree* of, dr_border_edge edge)
{
    const int32_t* v = of->mesh->edges[edge / 2].v;
    dr_outline_add(&of->outline, v[edge & 1], v[!(edge & 1)]);
}

bool dr_sensor_tree_is_positive(dr_sensor_tree* of, int node, drape_vec3* vector)
{
    uint32_t mask = of->use_positive && of->is_surface[node] ? of->tree.directions[node] : 0;
    if (mask == 0) {
        return false;
    }
    // Without outlines there is nothing to save; a vector has to be found each time.
    if (of->positive[node] == DR_POSITIVE_UNKNOWN || vector) {
        int count;
        const dr_border_edge* border = border_of(of, node, &count);
        dr_outline_clear(&of->outline);
        for (int i = 0; i < count; ++i) {
            add_border_edge(of, border[i]);
        }
        of->positive[node] = judge(of, mask, vector) ? DR_POSITIVE_YES : DR_POSITIVE_NO;
    }
    return of->positive[node] == DR_POSITIVE_YES;
}

// --- Two nodes ---

static bool share_a_vertex(const dr_sensor_tree* of, int a, int b)
{
    const int32_t* p = (const int32_t*)of->rims.data + of->rim_start[a];
    const int32_t* q = (const int32_t*)of->rims.data + of->rim_start[b];
    int i = 0, j = 0;
    while (i < of->rim_count[a] && j < of->rim_count[b]) {
        if (p[i] == q[j]) {
            return true;
        }
        if (p[i] < q[j]) {
            ++i;
        } else {
            ++j;
        }
    }
    return false;
}

// The border of both together, into the outline. Returns how many edges they share, -1 when one of
// these is bad.
static int join_borders(dr_sensor_tree* of, int a, int b)
{
    int count_a, count_b, i = 0, j = 0, shared = 0;
    const dr_border_edge *p = border_of(of, a, &count_a), *q = border_of(of, b, &count_b);
    dr_outline_clear(&of->outline);
    while (i < count_a || j < count_b) {
        dr_border_edge e = i < count_a ? p[i] : INT32_MAX, f = j < count_b ? q[j] : INT32_MAX;
        i += e / 2 <= f / 2;
        j += f / 2 <= e / 2;
        if (e / 2 != f / 2) {
            add_border_edge(of, e < f ? e : f);
        } else if (of->is_bad_edge[e / 2]) {
            return -1;
        } else {
            ++shared;
        }
    }
    return shared;
}

bool dr_sensor_tree_are_positive(dr_sensor_tree* of, int a, int b, drape_vec3* vector)
{
    if (!of->use_positive || !of->is_surface[a] || !of->is_surface[b]) {
        return false;
    }
    uint32_t mask = of->tree.directions[a] & of->tree.directions[b];
    if (mask == 0 || !share_a_vertex(of, a, b)) {
        return false;
    }
    // Patches that meet in single vertices are no surface together, and outlines cannot judge them;
    // as printed they count as adjacent all the same.
    int shared = join_borders(of, a, b);
    return shared >= (of->use_outline ? 1 : 0) && judge(of, mask, vector);
}

// --- Parts ---

int dr_sensor_tree_parts(dr_sensor_tree* of)
{
    int parts = 0;
    for (int n = 0; n < of->tree.node_count;) {
        bool is_part = of->tree.nodes[n].is_leaf || dr_sensor_tree_is_positive(of, n, NULL);
        parts += is_part;
        n = is_part ? of->tree.nodes[n].end : n + 1;
    }
    return parts;
}
