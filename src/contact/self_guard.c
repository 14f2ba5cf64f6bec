#include "contact/self_guard.h"

#include <string.h>

#include "collide/ccd.h"
#include "collide/triangle_pair.h"

// --- At the end ---

// Least and greatest of three coordinates at the end.
static void range_at_end(const dr_sheets* sheets, int triangle, float lo[3], float hi[3])
{
    const int32_t* v = sheets->triangles[triangle];
    for (int k = 0; k < 3; ++k) {
        drape_vec3 p = sheets->end[v[k]];
        const float c[3] = {p.x, p.y, p.z};
        for (int d = 0; d < 3; ++d) {
            lo[d] = k == 0 || c[d] < lo[d] ? c[d] : lo[d];
            hi[d] = k == 0 || c[d] > hi[d] ? c[d] : hi[d];
        }
    }
}

bool dr_guard_may_touch(const dr_sheets* sheets, int a, int b)
{
    float lo_a[3], hi_a[3], lo_b[3], hi_b[3];
    range_at_end(sheets, a, lo_a, hi_a);
    range_at_end(sheets, b, lo_b, hi_b);
    bool meet = true;
    for (int d = 0; d < 3; ++d) {
        meet = meet && lo_a[d] <= hi_b[d] && lo_b[d] <= hi_a[d];
    }
    return meet;
}

bool dr_guard_touches(const dr_sheets* sheets, int a, int b)
{
    const int32_t *va = sheets->triangles[a], *vb = sheets->triangles[b];
    const drape_vec3* end = sheets->end;
    const drape_vec3 pa[3] = {end[va[0]], end[va[1]], end[va[2]]};
    const drape_vec3 pb[3] = {end[vb[0]], end[vb[1]], end[vb[2]]};
    return dr_triangle_pair(pa, va, pb, vb).relation != DR_TRIANGLES_APART;
}

// --- On the way ---

static dr_ccd_motion motion_of(const dr_sheets* sheets, const int32_t vertices[4])
{
    dr_ccd_motion motion;
    for (int k = 0; k < 4; ++k) {
        drape_vec3 p = sheets->start[vertices[k]], q = sheets->end[vertices[k]];
        const double start[3] = {p.x, p.y, p.z}, end[3] = {q.x, q.y, q.z};
        memcpy(motion.start[k], start, sizeof start);
        memcpy(motion.end[k], end, sizeof end);
    }
    return motion;
}

static bool has(const int32_t triangle[3], int32_t vertex)
{
    return triangle[0] == vertex || triangle[1] == vertex || triangle[2] == vertex;
}

static bool vertex_passes(const dr_sheets* sheets, int32_t vertex, const int32_t triangle[3])
{
    if (has(triangle, vertex)) {
        return false;
    }
    dr_ccd_motion motion =
        motion_of(sheets, (int32_t[]){vertex, triangle[0], triangle[1], triangle[2]});
    return dr_ccd_point_triangle(&motion, 0.0).is_hit;
}

static bool edge_passes(const dr_sheets* sheets, const int32_t e[2], const int32_t f[2])
{
    if (e[0] == f[0] || e[0] == f[1] || e[1] == f[0] || e[1] == f[1]) {
        return false;
    }
    dr_ccd_motion motion = motion_of(sheets, (int32_t[]){e[0], e[1], f[0], f[1]});
    return dr_ccd_edge_edge(&motion, 0.0).is_hit;
}

bool dr_guard_passes(const dr_sheets* sheets, int a, int b)
{
    const int32_t *va = sheets->triangles[a], *vb = sheets->triangles[b];
    bool is_hit = false;
    for (int k = 0; k < 3 && !is_hit; ++k) {
        is_hit = vertex_passes(sheets, va[k], vb) || vertex_passes(sheets, vb[k], va);
    }
    for (int k = 0; k < 9 && !is_hit; ++k) {
        const int32_t e[2] = {va[k / 3], va[(k / 3 + 1) % 3]};
        const int32_t f[2] = {vb[k % 3], vb[(k % 3 + 1) % 3]};
        is_hit = edge_passes(sheets, e, f);
    }
    return is_hit;
}

// --- Freezing ---

bool dr_guard_is_held(const dr_sheets* sheets, const dr_limits* limits, const int32_t* vertices,
                      int count)
{
    bool is_held = true;
    for (int i = 0; i < count && is_held; ++i) {
        int v = vertices[i];
        drape_vec3 p = sheets->end[v];
        const double* place = limits->place[v];
        is_held = limits->hold[v] != DR_HOLD_FREE && (float)place[0] == p.x &&
                  (float)place[1] == p.y && (float)place[2] == p.z;
    }
    return is_held;
}

int dr_guard_freeze(const dr_sheets* sheets, dr_limits* limits, const int32_t* vertices, int count)
{
    int frozen = 0;
    for (int i = 0; i < count; ++i) {
        drape_vec3 p = sheets->start[vertices[i]];
        const double place[3] = {p.x, p.y, p.z};
        frozen += dr_limits_hold(limits, vertices[i], DR_HOLD_FROZEN, place);
    }
    return frozen;
}

// --- The last resort ---

// What is hit may drag its neighbours into trouble, ring by ring; after so many rounds all of it
// goes back at once.
enum { settle_rounds = 24 };

static void put_back(dr_sheets* sheets, const dr_limits* limits)
{
    for (int v = 0; v < sheets->vertex_count; ++v) {
        if (limits->hold[v] == DR_HOLD_FROZEN) {
            const double* p = limits->place[v];
            sheets->end[v] = (drape_vec3){(float)p[0], (float)p[1], (float)p[2]};
        }
    }
}

static void add_up(dr_self_result* sum, const dr_self_result* one)
{
    sum->is_clean = one->is_clean;
    sum->box_tests += one->box_tests;
    sum->exact_tests += one->exact_tests;
    sum->far_pairs += one->far_pairs;
    sum->near_pairs += one->near_pairs;
    sum->conflicts += one->conflicts;
    sum->clamped += one->clamped;
    sum->frozen += one->frozen;
    sum->forced = one->forced;
}

bool dr_self_settle(dr_self_detect_fn* detect, void* self, dr_memory* memory, dr_pool* pool,
                    dr_sheets* sheets, dr_limits* limits, dr_self_result* result)
{
    *result = (dr_self_result){0};
    put_back(sheets, limits);
    for (int round = 0; round <= settle_rounds; ++round) {
        dr_self_result one;
        if (round == settle_rounds) {
            for (int32_t v = 0; v < sheets->vertex_count; ++v) {
                result->frozen += dr_guard_freeze(sheets, limits, &v, 1);
            }
            put_back(sheets, limits);
        }
        if (!detect(self, memory, pool, limits, DR_SELF_FREEZE_ALL, &one)) {
            return false;
        }
        put_back(sheets, limits);
        add_up(result, &one);
        if (one.is_clean) {
            break;
        }
    }
    return true;
}
