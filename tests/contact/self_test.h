// self_test.h: cloths that fold and crumple, for tests of self-collision without a model of cloth.
//
// A step moves vertices on, pulls them together, keeps edges near their rest length and adds some
// noise: a raw candidate, which would cross. "Solving" is then to project each vertex of it into
// its limits.
#ifndef SELF_TEST_H
#define SELF_TEST_H

#include <math.h>
#include <string.h>

#include "collide/triangle_pair.h"
#include "contact/self_guard.h"
#include "core/random.h"
#include "core/vec_math.h"
#include "mesh/generate.h"
#include "solver/limits.h"
#include "../support.h"

enum { most_parts = 4 };

typedef struct test_sheets {
    dr_memory memory;
    dr_mesh meshes[most_parts];
    dr_sheets sheets;
    dr_limits limits;
    drape_vec3 *raw, *velocity;
    uint8_t* is_pinned;
    drape_vec3* pin; // where pinned vertices go in this step
    uint32_t noise;  // number of the next random number
} test_sheets;

static inline void test_mesh(test_sheets* t, int part, const dr_shape_mesh* shape)
{
    drape_mesh_view view = {.positions = shape->positions,
                            .vertex_count = shape->vertex_count,
                            .triangles = shape->triangles[0],
                            .triangle_count = shape->triangle_count};
    char sentence[256];
    ck_assert_msg(
        dr_mesh_build(&t->meshes[part], &t->memory, &view, NULL, sentence, sizeof sentence), "%s",
        sentence);
}

// A sheet of side 1 with so many vertices in a row, or a disc of so many rings when it is negative.
static inline dr_sheets_part test_part(test_sheets* t, int part, int size)
{
    dr_shape_mesh shape;
    bool is_grid = size > 0;
    ck_assert(is_grid ? dr_generate_grid(&shape, &t->memory, 1.0f, 1.0f, size, size,
                                         DRAPE_DIAGONALS_ALTERNATE)
                      : dr_generate_disc(&shape, &t->memory, 0.5f, -size, 0.0f));
    test_mesh(t, part, &shape);
    dr_shape_free(&shape, &t->memory);
    return (dr_sheets_part){
        .mesh = &t->meshes[part], .columns = is_grid ? size : 0, .rows = is_grid ? size : 0};
}

static inline test_sheets* test_sheets_create(const int* sizes, int part_count)
{
    test_sheets* t = calloc(1, sizeof *t);
    dr_sheets_part parts[most_parts];
    dr_memory_init(&t->memory, NULL);
    for (int p = 0; p < part_count; ++p) {
        parts[p] = test_part(t, p, sizes[p]);
    }
    ck_assert(dr_sheets_create(&t->sheets, &t->memory, parts, part_count));
    int count = t->sheets.vertex_count;
    ck_assert(dr_limits_create(&t->limits, &t->memory, count));
    t->raw = calloc((size_t)count, sizeof *t->raw);
    t->velocity = calloc((size_t)count, sizeof *t->velocity);
    t->is_pinned = calloc((size_t)count, sizeof *t->is_pinned);
    t->pin = calloc((size_t)count, sizeof *t->pin);
    // Sheets lie above one another, a little apart, with waves so that they fold.
    for (int p = 0; p < part_count; ++p) {
        const dr_sheets_part* part = &t->sheets.parts[p];
        for (int v = 0; v < part->mesh->vertex_count; ++v) {
            drape_vec3 r = part->mesh->rest[v];
            float wave = 0.03f * sinf(9.0f * r.x + 4.0f * r.z) * cosf(5.0f * r.z);
            drape_vec3 at = {r.x + 0.013f * (float)p, 0.3f + 0.11f * (float)p + wave + 0.2f * r.z,
                             r.z + 0.021f * (float)p};
            t->sheets.start[part->first_vertex + v] = at;
            t->sheets.end[part->first_vertex + v] = at;
        }
    }
    return t;
}

static inline void test_sheets_free(test_sheets* t)
{
    dr_limits_free(&t->limits, &t->memory);
    for (int p = 0; p < t->sheets.part_count; ++p) {
        dr_mesh_free(&t->meshes[p], &t->memory);
    }
    dr_sheets_free(&t->sheets, &t->memory);
    ck_assert_uint_eq(t->memory.live_bytes, 0);
    free(t->raw);
    free(t->velocity);
    free(t->is_pinned);
    free(t->pin);
    free(t);
}

// --- Motion ---

static const float test_dt = 0.004f;

static inline float noise(test_sheets* t)
{
    return dr_random_signed(77, t->noise++);
}

// One pass over all edges: both ends move until the edge is as long as at rest.
static inline void keep_lengths(test_sheets* t)
{
    const dr_sheets* s = &t->sheets;
    for (int p = 0; p < s->part_count; ++p) {
        const dr_sheets_part* part = &s->parts[p];
        for (int e = 0; e < part->mesh->edge_count; ++e) {
            const int32_t* v = part->mesh->edges[e].v;
            float rest = dr_length(dr_sub(part->mesh->rest[v[1]], part->mesh->rest[v[0]]));
            drape_vec3* a = &t->raw[part->first_vertex + v[0]];
            drape_vec3* b = &t->raw[part->first_vertex + v[1]];
            drape_vec3 way = dr_sub(*b, *a);
            float length = dr_length(way);
            if (length > 0.0f) {
                drape_vec3 move = dr_scale(way, 0.5f * (length - rest) / length);
                *a = dr_add(*a, move);
                *b = dr_sub(*b, move);
            }
        }
    }
}

// A raw candidate: all are pulled to a point above the floor, harder by `pull`, shaken by `shake`.
static inline void test_move(test_sheets* t, float pull, float shake)
{
    const drape_vec3 centre = {0.5f, 0.1f, 0.5f};
    for (int v = 0; v < t->sheets.vertex_count; ++v) {
        drape_vec3 start = t->sheets.start[v];
        drape_vec3 to = dr_scale(dr_sub(centre, start), pull);
        to.y -= 9.8f;
        drape_vec3 rush = dr_add(dr_scale(t->velocity[v], 0.99f), dr_scale(to, test_dt));
        drape_vec3 raw = dr_add(start, dr_scale(rush, test_dt));
        raw = dr_add(raw, dr_scale((drape_vec3){noise(t), noise(t), noise(t)}, shake));
        t->raw[v] = raw;
    }
    for (int i = 0; i < 4; ++i) {
        keep_lengths(t);
    }
    for (int v = 0; v < t->sheets.vertex_count; ++v) {
        t->raw[v].y = t->raw[v].y > 0.0f ? t->raw[v].y : 0.0f;
        if (t->is_pinned[v]) {
            t->raw[v] = t->pin[v];
        }
    }
}

static inline void test_begin(test_sheets* t)
{
    dr_limits_clear(&t->limits);
    for (int v = 0; v < t->sheets.vertex_count; ++v) {
        if (t->is_pinned[v]) {
            const double place[3] = {t->pin[v].x, t->pin[v].y, t->pin[v].z};
            dr_limits_hold(&t->limits, v, DR_HOLD_PINNED, place);
        }
    }
}

// From the same raw candidate in every run.
static inline void test_solve(test_sheets* t)
{
    for (int v = 0; v < t->sheets.vertex_count; ++v) {
        double y[3] = {t->raw[v].x, t->raw[v].y, t->raw[v].z};
        dr_limits_project(&t->limits, v, y);
        t->sheets.end[v] = (drape_vec3){(float)y[0], (float)y[1], (float)y[2]};
    }
}

static inline void test_commit(test_sheets* t)
{
    for (int v = 0; v < t->sheets.vertex_count; ++v) {
        drape_vec3 way = dr_sub(t->sheets.end[v], t->sheets.start[v]);
        t->velocity[v] = dr_scale(way, 1.0f / test_dt);
        t->sheets.start[v] = t->sheets.end[v];
    }
}

// --- Steps ---

enum { test_runs = 16 };

// Runs until nothing is found, then commits. Returns the number of runs, test_runs + 1 when the
// last resort was needed. Counters are added to `sum`, which may be null.
static inline int test_step(test_sheets* t, dr_self_detect_fn* detect, void* self, dr_pool* pool,
                            dr_self_result* sum)
{
    test_begin(t);
    dr_self_result result = {0};
    int run = 1;
    for (; run <= test_runs && !result.is_clean; ++run) {
        test_solve(t);
        ck_assert(detect(self, &t->memory, pool, &t->limits, run, &result));
        if (sum) {
            sum->far_pairs += result.far_pairs;
            sum->near_pairs += result.near_pairs;
            sum->conflicts += result.conflicts;
            sum->clamped += result.clamped;
            sum->frozen += result.frozen;
            sum->box_tests += result.box_tests;
            sum->forced += result.forced;
        }
    }
    if (!result.is_clean) {
        test_solve(t);
        ck_assert(dr_self_settle(detect, self, &t->memory, pool, &t->sheets, &t->limits, &result));
        ck_assert(result.is_clean);
        if (sum) {
            sum->forced += result.forced;
            sum->frozen += result.frozen;
        }
        return test_runs + 1;
    }
    return run - 1;
}

// --- The slow truth ---

static inline bool test_boxes_meet(const drape_vec3 a[3], const drape_vec3 b[3])
{
    for (int d = 0; d < 3; ++d) {
        float lo[2] = {INFINITY, INFINITY}, hi[2] = {-INFINITY, -INFINITY};
        for (int k = 0; k < 3; ++k) {
            lo[0] = fminf(lo[0], (&a[k].x)[d]);
            hi[0] = fmaxf(hi[0], (&a[k].x)[d]);
            lo[1] = fminf(lo[1], (&b[k].x)[d]);
            hi[1] = fmaxf(hi[1], (&b[k].x)[d]);
        }
        if (lo[0] > hi[1] || lo[1] > hi[0]) {
            return false;
        }
    }
    return true;
}

static inline void test_corners(const test_sheets* t, const drape_vec3* places, int triangle,
                                drape_vec3 out[3])
{
    for (int k = 0; k < 3; ++k) {
        out[k] = places[t->sheets.triangles[triangle][k]];
    }
}

// Pairs of triangles that cross, of all pairs.
static inline int test_crossings(const test_sheets* t, const drape_vec3* places)
{
    int count = 0;
    for (int a = 0; a < t->sheets.triangle_count; ++a) {
        drape_vec3 pa[3], pb[3];
        test_corners(t, places, a, pa);
        for (int b = a + 1; b < t->sheets.triangle_count; ++b) {
            test_corners(t, places, b, pb);
            count +=
                test_boxes_meet(pa, pb) &&
                dr_triangle_pair(pa, t->sheets.triangles[a], pb, t->sheets.triangles[b]).relation ==
                    DR_TRIANGLES_CROSSING;
        }
    }
    return count;
}

#endif
