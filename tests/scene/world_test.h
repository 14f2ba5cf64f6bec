// world_test.h: what the tests of worlds share.
#ifndef WORLD_TEST_H
#define WORLD_TEST_H

#include <check.h>
#include <drape/drape.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../support.h"
#include "core/vec_math.h"

#define FRAME (1.0f / 60.0f)

// --- Memory that is watched ---

static inline drape_world_def watched_world(watched_heap* heap, int calls_left)
{
    drape_world_def def = drape_world_defaults();
    *heap = (watched_heap){.calls_left = calls_left};
    def.allocator = (drape_allocator){watched_allocate, watched_release, heap};
    return def;
}

// --- Worlds ---

static inline drape_world* make_world(void)
{
    drape_world_def def = drape_world_defaults();
    drape_world* world = drape_world_create(&def);
    ck_assert_ptr_nonnull(world);
    return world;
}

// One in which cloth comes to rest soon, held so far off that it can be measured.
#define CALM_THICKNESS 0.002f
static inline drape_world* make_calm_world(float damping)
{
    drape_world_def def = drape_world_defaults();
    def.thickness = CALM_THICKNESS;
    def.damping = damping;
    drape_world* world = drape_world_create(&def);
    ck_assert_ptr_nonnull(world);
    return world;
}

// --- Things to put into a world ---

static inline drape_vec3 vec(float x, float y, float z)
{
    return (drape_vec3){x, y, z};
}

static inline drape_transform pose_at(drape_vec3 translate, drape_vec3 degrees)
{
    return (drape_transform){translate, drape_quat_from_degrees(degrees)};
}

// A square grid of cotton with its middle at a place, horizontal.
static inline drape_cloth_id add_square(drape_world* world, float size, int count,
                                        drape_vec3 middle, drape_vec3 velocity)
{
    drape_cloth_def def = drape_cloth_defaults();
    def.origin = vec(middle.x - 0.5f * size, middle.y, middle.z - 0.5f * size);
    def.velocity = velocity;
    drape_cloth_id id = drape_cloth_add_grid(world, &def, size, size, count, count);
    ck_assert_msg(drape_cloth_is_valid(world, id), "%s", drape_world_error(world));
    return id;
}

// The same by way of the mesh solver.
static inline drape_cloth_id add_square_mesh(drape_world* world, float size, int count,
                                             drape_vec3 middle, drape_vec3 velocity)
{
    drape_world_def plain = drape_world_defaults();
    drape_world* other = drape_world_create(&plain);
    drape_cloth_id grid = add_square(other, size, count, middle, velocity);
    drape_cloth_def def = drape_cloth_defaults();
    def.velocity = velocity;
    drape_mesh_view view = {0};
    view.positions = drape_cloth_positions(other, grid, &view.vertex_count);
    view.triangles = drape_cloth_triangles(other, grid, &view.triangle_count);
    drape_cloth_id id = drape_cloth_add_mesh(world, &def, &view);
    drape_world_destroy(other);
    ck_assert_msg(drape_cloth_is_valid(world, id), "%s", drape_world_error(world));
    return id;
}

static inline drape_cloth_id add_sheet(drape_world* world, bool is_mesh, float size, int count,
                                       drape_vec3 middle, drape_vec3 velocity)
{
    return is_mesh ? add_square_mesh(world, size, count, middle, velocity)
                   : add_square(world, size, count, middle, velocity);
}

static inline drape_pin_id pin_vertices(drape_world* world, drape_cloth_id cloth,
                                        const int32_t* vertices, int count)
{
    drape_pin_def def = drape_pin_defaults();
    def.vertices = vertices;
    def.vertex_count = count;
    drape_pin_id id = drape_cloth_pin(world, cloth, &def);
    ck_assert_msg(id.slot != 0, "%s", drape_world_error(world));
    return id;
}

// --- Looking ---

static inline drape_vec3 place_of(drape_world* world, drape_cloth_id cloth, int vertex)
{
    return drape_cloth_positions(world, cloth, NULL)[vertex];
}

static inline drape_vec3 middle_of(drape_world* world, drape_cloth_id cloth)
{
    int count;
    const drape_vec3* p = drape_cloth_positions(world, cloth, &count);
    double sum[3] = {0};
    for (int i = 0; i < count; ++i) {
        sum[0] += (double)p[i].x / count;
        sum[1] += (double)p[i].y / count;
        sum[2] += (double)p[i].z / count;
    }
    return vec((float)sum[0], (float)sum[1], (float)sum[2]);
}

static inline float fastest_of(drape_world* world, drape_cloth_id cloth)
{
    int count;
    const drape_vec3* v = drape_cloth_velocities(world, cloth, &count);
    float fastest = 0.0f;
    for (int i = 0; i < count; ++i) {
        fastest = fmaxf(fastest, dr_length(v[i]));
    }
    return fastest;
}

static inline bool is_finite_cloth(drape_world* world, drape_cloth_id cloth)
{
    int count;
    const drape_vec3* p = drape_cloth_positions(world, cloth, &count);
    bool finite = count > 0;
    for (int i = 0; i < count; ++i) {
        finite = finite && isfinite(p[i].x) && isfinite(p[i].y) && isfinite(p[i].z);
    }
    return finite;
}

static inline drape_step_report step_frames(drape_world* world, int frames)
{
    drape_step_report report = {0};
    for (int i = 0; i < frames; ++i) {
        report = drape_world_step(world, FRAME);
    }
    return report;
}

#endif
