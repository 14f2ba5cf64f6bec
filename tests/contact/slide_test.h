// slide_test.h: a sheet of springs that falls on obstacles, with contact/slide.h and nothing else,
// and judges that share no code with it.
#ifndef SLIDE_TEST_H
#define SLIDE_TEST_H

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <drape/drape.h>
#include <drape/io.h>

#include "../support.h"
#include "check/crossings.h"
#include "collide/separation.h"
#include "contact/slide.h"
#include "core/isa.h"
#include "core/random.h"
#include "core/vec_math.h"
#include "mesh/generate.h"

enum { MOST_OBSTACLES = 4, MOST_RUNS = 200 };

typedef struct lab {
    dr_memory memory;
    dr_pool* pool;
    dr_mesh mesh;
    dr_sheets sheets;
    dr_slide slide;
    dr_limits limits;
    dr_slide_obstacle obstacles[MOST_OBSTACLES];
    int obstacle_count;
    drape_vec3* velocity;
    double* rest; // length of each edge
    int sweeps;   // over the edges; 0: every vertex goes its own way
    double stiffness;
    double dt;
    drape_vec3 gravity;
    // Of all steps.
    int most_runs, frozen, planes;
    int64_t runs, steps;
    dr_slide_result last;
} lab;

static inline void lab_open(lab* at, float size, int columns, const dr_slide_def* def, int workers)
{
    *at = (lab){.sweeps = 8, .stiffness = 0.8, .dt = 2e-3, .gravity = {0.0f, -9.81f, 0.0f}};
    dr_memory_init(&at->memory, NULL);
    at->pool = dr_pool_create(&at->memory, workers, NULL);
    dr_shape_mesh grid;
    char sentence[128];
    ck_assert(dr_generate_grid(&grid, &at->memory, size, size, columns, columns,
                               DRAPE_DIAGONALS_ALTERNATE));
    drape_mesh_view view = {.positions = grid.positions,
                            .triangles = grid.triangles[0],
                            .vertex_count = grid.vertex_count,
                            .triangle_count = grid.triangle_count};
    ck_assert(dr_mesh_build(&at->mesh, &at->memory, &view, NULL, sentence, sizeof sentence));
    dr_shape_free(&grid, &at->memory);
    dr_sheets_part part = {.mesh = &at->mesh, .columns = columns, .rows = columns};
    ck_assert(dr_sheets_create(&at->sheets, &at->memory, &part, 1));
    ck_assert(dr_slide_create(&at->slide, &at->memory, def, &at->sheets));
    ck_assert(dr_limits_create(&at->limits, &at->memory, at->sheets.vertex_count));
    at->velocity = calloc((size_t)at->sheets.vertex_count, sizeof *at->velocity);
    at->rest = calloc((size_t)at->sheets.edge_count, sizeof *at->rest);
    for (int e = 0; e < at->sheets.edge_count; ++e) {
        at->rest[e] = dr_length_double(
            dr_sub(at->mesh.rest[at->sheets.edges[e][0]], at->mesh.rest[at->sheets.edges[e][1]]));
    }
}

static inline void lab_close(lab* at)
{
    for (int i = 0; i < at->obstacle_count; ++i) {
        dr_body_destroy((dr_body*)at->obstacles[i].body, &at->memory);
    }
    free(at->velocity);
    free(at->rest);
    dr_limits_free(&at->limits, &at->memory);
    dr_slide_free(&at->slide, &at->memory);
    dr_sheets_free(&at->sheets, &at->memory);
    dr_mesh_free(&at->mesh, &at->memory);
    dr_pool_destroy(at->pool);
    ck_assert_uint_eq(at->memory.live_bytes, 0);
}

// The middle of the sheet goes to a place, turned by angles in degrees.
static inline void lab_place(lab* at, drape_vec3 middle, drape_vec3 degrees, float wave)
{
    drape_quat turn = drape_quat_from_degrees(degrees);
    float half = 0.5f * at->mesh.rest[at->mesh.vertex_count - 1].x;
    for (int v = 0; v < at->sheets.vertex_count; ++v) {
        drape_vec3 p = dr_sub(at->mesh.rest[v], (drape_vec3){half, 0.0f, half});
        p.y += wave * (float)(dr_sin(9.0 * (double)p.x) + dr_sin(7.0 * (double)p.z));
        at->sheets.start[v] = at->sheets.end[v] = dr_add(dr_quat_rotate(turn, p), middle);
        at->velocity[v] = (drape_vec3){0.0f, 0.0f, 0.0f};
    }
    dr_slide_forget(&at->slide);
}

// --- Obstacles ---

static const drape_transform at_origin = {{0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f, 1.0f}};

static inline void lab_add(lab* at, dr_body* body)
{
    ck_assert_ptr_nonnull(body);
    at->obstacles[at->obstacle_count++] =
        (dr_slide_obstacle){.body = body, .start = at_origin, .end = at_origin};
}

static inline void lab_add_shape(lab* at, drape_shape shape, float thickness)
{
    lab_add(at, dr_slide_body_of_shape(&at->memory, &shape, thickness,
                                       dr_isa_resolve(DRAPE_ISA_AUTO), at->pool));
}

static inline void lab_add_mesh(lab* at, const drape_mesh_view* view)
{
    char sentence[128] = "";
    lab_add(at, dr_body_create(&at->memory, view, dr_isa_resolve(DRAPE_ISA_AUTO), at->pool,
                               sentence, sizeof sentence));
}

static inline void lab_add_file(lab* at, const char* name)
{
    char path[512];
    drape_mesh_data data;
    drape_error error;
    snprintf(path, sizeof path, "%s/scenes/meshes/%s.obj", DRAPE_SOURCE_DIR, name);
    ck_assert(drape_mesh_read(path, &data, &error));
    drape_mesh_view view = {.positions = data.positions,
                            .triangles = data.triangles,
                            .vertex_count = data.vertex_count,
                            .triangle_count = data.triangle_count};
    lab_add_mesh(at, &view);
    drape_mesh_data_free(&data);
}

// --- Steps ---

static inline drape_vec3 to_floats(const double y[3])
{
    return (drape_vec3){(float)y[0], (float)y[1], (float)y[2]};
}

static inline void lab_project(lab* at)
{
    for (int v = 0; v < at->sheets.vertex_count; ++v) {
        if (at->limits.is_limited[v]) {
            double y[3] = {at->sheets.end[v].x, at->sheets.end[v].y, at->sheets.end[v].z};
            dr_limits_project(&at->limits, v, y);
            at->sheets.end[v] = to_floats(y);
        }
    }
}

static inline void lab_pull_edges(lab* at)
{
    for (int e = 0; e < at->sheets.edge_count; ++e) {
        drape_vec3* a = &at->sheets.end[at->sheets.edges[e][0]];
        drape_vec3* b = &at->sheets.end[at->sheets.edges[e][1]];
        drape_vec3 way = dr_sub(*b, *a);
        double length = dr_length_double(way);
        float share =
            (float)(length > 0.0 ? at->stiffness * 0.5 * (1.0 - at->rest[e] / length) : 0.0);
        *a = dr_add(*a, dr_scale(way, share));
        *b = dr_sub(*b, dr_scale(way, share));
    }
}

// From the start, as if the last run had not been.
static inline void lab_solve(lab* at)
{
    float dt = (float)at->dt;
    for (int v = 0; v < at->sheets.vertex_count; ++v) {
        drape_vec3 speed = dr_add(at->velocity[v], dr_scale(at->gravity, dt));
        at->sheets.end[v] = dr_add(at->sheets.start[v], dr_scale(speed, dt));
    }
    lab_project(at);
    for (int i = 0; i < at->sweeps; ++i) {
        lab_pull_edges(at);
        lab_project(at);
    }
}

// Runs until clean; returns how many it took. Obstacle poses are those of the step.
static inline int lab_try_step(lab* at)
{
    int run = 0;
    dr_limits_clear(&at->limits);
    ck_assert(dr_slide_begin(&at->slide, &at->memory, at->pool, &at->sheets, at->obstacles,
                             at->obstacle_count));
    at->last.is_clean = false;
    while (!at->last.is_clean) {
        ck_assert_int_lt(run, MOST_RUNS);
        lab_solve(at);
        ck_assert(dr_slide_detect(&at->slide, &at->memory, at->pool, &at->sheets, at->obstacles,
                                  at->obstacle_count, &at->limits, &at->last));
        at->frozen += at->last.frozen_count;
        at->planes += at->last.plane_count;
        ++run;
    }
    at->most_runs = run > at->most_runs ? run : at->most_runs;
    at->runs += run;
    ++at->steps;
    return run;
}

static inline void lab_commit(lab* at)
{
    const float most = 20.0f; // m/s
    for (int v = 0; v < at->sheets.vertex_count; ++v) {
        drape_vec3 way = dr_sub(at->sheets.end[v], at->sheets.start[v]);
        drape_vec3 speed = dr_scale(way, (float)(1.0 / at->dt));
        float length = dr_length(speed);
        at->velocity[v] = length > most ? dr_scale(speed, most / length) : speed;
        at->sheets.start[v] = at->sheets.end[v];
    }
    for (int i = 0; i < at->obstacle_count; ++i) {
        at->obstacles[i].start = at->obstacles[i].end;
    }
}

static inline int lab_step(lab* at)
{
    int runs = lab_try_step(at);
    lab_commit(at);
    return runs;
}

// --- Scenes of their own ---

static const float thickness = 4e-3f;

static inline dr_slide_def default_def(void)
{
    dr_slide_def def = dr_slide_defaults();
    def.thickness = thickness;
    return def;
}

static inline drape_shape box_of(float x, float y, float z)
{
    return (drape_shape){.kind = DRAPE_SHAPE_BOX, .size = {x, y, z}};
}

typedef struct scene {
    const char* name;
    const char* file; // or
    drape_shape shape;
    float size, height;
} scene;

static const scene scenes[] = {
    {"box", NULL, {.kind = DRAPE_SHAPE_BOX, .size = {0.5f, 0.3f, 0.5f}}, 1.0f, 0.2f},
    {"sphere", NULL, {.kind = DRAPE_SHAPE_SPHERE, .radius = 0.3f}, 1.0f, 0.35f},
    {"capsule",
     NULL,
     {.kind = DRAPE_SHAPE_CAPSULE, .radius = 0.1f, .radius_top = 0.2f, .height = 0.4f},
     1.0f,
     0.45f},
    {"cylinder", "cylinder", {0}, 1.0f, 0.0f},
    {"sofa", "sofa", {0}, 2.0f, 0.0f},
    {"table", "round_table", {0}, 1.4f, 0.0f},
};

static inline float top_of(const dr_body* body)
{
    return body->shell.tree.root[4];
}

static inline void open_scene(lab* at, const scene* s, int columns, int workers)
{
    dr_slide_def def = default_def();
    lab_open(at, s->size, columns, &def, workers);
    if (s->file) {
        lab_add_file(at, s->file);
    } else {
        lab_add_shape(at, s->shape, thickness);
    }
    float height = top_of(at->obstacles[0].body) + 0.05f;
    lab_place(at, (drape_vec3){0.02f, height, 0.03f}, (drape_vec3){0.0f, 17.0f, 0.0f}, 0.015f);
}

// --- Judges: the ends of the sheet against the obstacles at their ends ---

static inline drape_vec3 lab_obstacle_vertex(const dr_slide_obstacle* obstacle, int vertex)
{
    const dr_body* body = obstacle->body;
    const float* p = (body->is_changing ? body->to : body->from) + (size_t)vertex * 4;
    return dr_transform_apply(obstacle->end, (drape_vec3){p[0], p[1], p[2]});
}

static inline double distance_to_obstacle(const dr_slide_obstacle* obstacle, drape_vec3 p)
{
    const dr_mesh* mesh = &obstacle->body->shell.mesh;
    double nearest = INFINITY;
    for (int t = 0; t < mesh->triangle_count; ++t) {
        drape_vec3 v[4] = {p};
        for (int k = 0; k < 3; ++k) {
            v[k + 1] = lab_obstacle_vertex(obstacle, mesh->triangles[t][k]);
        }
        nearest = fmin(nearest, dr_separate_point_triangle(v).distance);
    }
    return nearest;
}

static inline double lab_smallest_distance(const lab* at)
{
    double nearest = INFINITY;
    for (int i = 0; i < at->obstacle_count; ++i) {
        for (int v = 0; v < at->sheets.vertex_count; ++v) {
            nearest = fmin(nearest, distance_to_obstacle(&at->obstacles[i], at->sheets.end[v]));
        }
    }
    return nearest;
}

// How often the obstacle goes round a point: 1 inside, 0 outside (sum of solid angles, van Oosterom
// and Strackee 1983).
static inline double winding(const dr_slide_obstacle* obstacle, drape_vec3 p)
{
    const dr_mesh* mesh = &obstacle->body->shell.mesh;
    double sum = 0.0;
    for (int t = 0; t < mesh->triangle_count; ++t) {
        drape_vec3 v[3];
        double length[3];
        for (int k = 0; k < 3; ++k) {
            v[k] = dr_sub(lab_obstacle_vertex(obstacle, mesh->triangles[t][k]), p);
            length[k] = dr_length_double(v[k]);
        }
        double over = (double)dr_dot(v[0], dr_cross(v[1], v[2]));
        double under = length[0] * length[1] * length[2] + (double)dr_dot(v[0], v[1]) * length[2] +
                       (double)dr_dot(v[1], v[2]) * length[0] +
                       (double)dr_dot(v[2], v[0]) * length[1];
        sum += 2.0 * dr_atan2(over, under);
    }
    return sum / (4.0 * 3.14159265358979);
}

static inline int lab_count_inside(const lab* at)
{
    int count = 0;
    for (int i = 0; i < at->obstacle_count; ++i) {
        for (int v = 0; at->obstacles[i].body->is_closed && v < at->sheets.vertex_count; ++v) {
            count += fabs(winding(&at->obstacles[i], at->sheets.end[v])) > 0.5;
        }
    }
    return count;
}

// Pairs of cloth and obstacle triangles that cross.
static inline int64_t lab_count_crossings(lab* at)
{
    dr_check_mesh meshes[2] = {{at->sheets.end, at->mesh.triangles[0], at->sheets.vertex_count,
                                at->sheets.triangle_count, false}};
    int64_t sum = 0;
    for (int i = 0; i < at->obstacle_count; ++i) {
        const dr_mesh* mesh = &at->obstacles[i].body->shell.mesh;
        drape_vec3* places = calloc((size_t)mesh->vertex_count, sizeof *places);
        for (int v = 0; v < mesh->vertex_count; ++v) {
            places[v] = lab_obstacle_vertex(&at->obstacles[i], v);
        }
        meshes[1] = (dr_check_mesh){places, mesh->triangles[0], mesh->vertex_count,
                                    mesh->triangle_count, true};
        dr_crossings found;
        ck_assert(dr_crossings_find(&found, &at->memory, at->pool, meshes, 2));
        for (int k = 0; k < found.pair_count; ++k) {
            sum += found.pairs[k].mesh_b == 1 && found.pairs[k].meeting == DR_MEETING_CROSSING;
        }
        dr_crossings_free(&found, &at->memory);
        free(places);
    }
    return sum;
}

// No vertex inside, none nearer than the shell, no crossing.
static inline void lab_judge(lab* at, const char* name)
{
    double nearest = lab_smallest_distance(at);
    ck_assert_msg(nearest > (double)at->slide.def.thickness - 1e-6, "%s: %.9f m", name, nearest);
    int inside = lab_count_inside(at);
    ck_assert_msg(inside == 0, "%s: %d inside", name, inside);
    int64_t crossings = lab_count_crossings(at);
    ck_assert_msg(crossings == 0, "%s: %lld crossings", name, (long long)crossings);
}

#endif
