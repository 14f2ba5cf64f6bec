// render_test.h: small meshes and pictures for the tests of the renderer.
#ifndef RENDER_TEST_H
#define RENDER_TEST_H

#include <string.h>

#include "../support.h"
#include "render/film.h"

typedef struct test_mesh {
    drape_vec3* positions;
    int32_t* triangles;
    int vertex_count, triangle_count;
} test_mesh;

static inline test_mesh test_mesh_new(int vertex_count, int triangle_count)
{
    test_mesh mesh = {calloc((size_t)vertex_count, sizeof(drape_vec3)),
                      calloc(3 * (size_t)triangle_count, sizeof(int32_t)), vertex_count, 0};
    ck_assert_ptr_nonnull(mesh.positions);
    ck_assert_ptr_nonnull(mesh.triangles);
    return mesh;
}

static inline void test_mesh_free(test_mesh* mesh)
{
    free(mesh->positions);
    free(mesh->triangles);
}

static inline void test_triangle(test_mesh* mesh, int a, int b, int c)
{
    int32_t* corner = mesh->triangles + 3 * (size_t)mesh->triangle_count++;
    corner[0] = a;
    corner[1] = b;
    corner[2] = c;
}

static inline dr_mesh_part test_part(const test_mesh* mesh)
{
    return (dr_mesh_part){mesh->positions, mesh->triangles, mesh->vertex_count,
                          mesh->triangle_count};
}

// A ball around the origin with `rings` strips from pole to pole and twice as many steps round.
static inline test_mesh test_ball(float radius, int rings)
{
    int steps = 2 * rings, last = (rings - 1) * steps + 1;
    test_mesh mesh = test_mesh_new(last + 1, 2 * rings * steps);
    mesh.positions[0].y = radius;
    mesh.positions[last].y = -radius;
    for (int i = 1; i < rings; ++i) {
        for (int j = 0; j < steps; ++j) {
            double down = 180.0 * i / rings, round = 360.0 * j / steps, r = (double)radius;
            mesh.positions[1 + (i - 1) * steps + j] =
                (drape_vec3){(float)(r * dr_sin_degrees(down) * dr_sin_degrees(round)),
                             (float)(r * dr_cos_degrees(down)),
                             (float)(r * dr_sin_degrees(down) * dr_cos_degrees(round))};
        }
    }
    for (int j = 0; j < steps; ++j) {
        int next = (j + 1) % steps;
        test_triangle(&mesh, 0, 1 + j, 1 + next);
        for (int i = 1; i + 1 < rings; ++i) {
            int a = 1 + (i - 1) * steps + j, b = 1 + (i - 1) * steps + next;
            test_triangle(&mesh, a, a + steps, b);
            test_triangle(&mesh, b, a + steps, b + steps);
        }
        test_triangle(&mesh, last - steps + j, last, last - steps + next);
    }
    return mesh;
}

// A level square of side 2 `half` at height y, seen from above counterclockwise.
static inline test_mesh test_square(float half, float y)
{
    test_mesh mesh = test_mesh_new(4, 2);
    const drape_vec3 corner[4] = {{-half, y, -half}, {-half, y, half}, {half, y, half},
                                  {half, y, -half}};
    memcpy(mesh.positions, corner, sizeof corner);
    test_triangle(&mesh, 0, 1, 2);
    test_triangle(&mesh, 0, 2, 3);
    return mesh;
}

// A stage with one mesh of look 0.
static inline dr_stage test_stage(dr_memory* memory, const test_mesh* mesh, int level)
{
    dr_stage stage = {.memory = memory};
    dr_stage_mesh one = {.mesh = test_part(mesh), .crease = DR_CREASE_NONE, .level = level};
    ck_assert(dr_stage_add(&stage, &one));
    ck_assert(dr_stage_ready(&stage, NULL));
    return stage;
}

// White on both sides.
static inline dr_look test_white(void)
{
    const drape_vec3 white = {1.0f, 1.0f, 1.0f};
    return (dr_look){.pattern = DR_PATTERN_PLAIN,
                     .front = {white, white},
                     .back = {white, white},
                     .band = 1.0f,
                     .scale = 1.0f};
}

// The same light `level` from everywhere, and the same backdrop.
static inline dr_scenery test_furnace(const dr_look* look, float level)
{
    const drape_vec3 all = {level, level, level};
    return (dr_scenery){.looks = look,
                        .light_direction = {0.0f, 1.0f, 0.0f},
                        .light_cosine = 1.0f,
                        .sky_mid = all,
                        .backdrop = {all, all},
                        .bounces = 64};
}

#endif
