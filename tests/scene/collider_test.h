// collider_test.h: solids to fall on, and an independent eye for how near the cloth is to them.
#ifndef COLLIDER_TEST_H
#define COLLIDER_TEST_H

#include "collide/shape.h"
#include "world_test.h"

// One of each kind, turned where turning matters, their tops near y = 0.
static const struct {
    const char* name;
    drape_shape shape;
    drape_vec3 place, degrees;
} obstacles[] = {
    {"plane", {.kind = DRAPE_SHAPE_PLANE}, {0, 0, 0}, {0, 0, 0}},
    {"tilted plane", {.kind = DRAPE_SHAPE_PLANE}, {0, 0, 0}, {10, 0, 5}},
    {"sphere", {.kind = DRAPE_SHAPE_SPHERE, .radius = 0.3f}, {0, -0.3f, 0}, {0, 0, 0}},
    {"small sphere", {.kind = DRAPE_SHAPE_SPHERE, .radius = 0.04f}, {0, -0.04f, 0}, {0, 0, 0}},
    {"capsule",
     {.kind = DRAPE_SHAPE_CAPSULE, .radius = 0.1f, .radius_top = 0.1f, .height = 0.4f},
     {0, -0.1f, 0},
     {0, 20, 90}},
    {"tapered capsule",
     {.kind = DRAPE_SHAPE_CAPSULE, .radius = 0.15f, .radius_top = 0.05f, .height = 0.4f},
     {0, -0.15f, 0},
     {0, 0, 80}},
    {"box", {.kind = DRAPE_SHAPE_BOX, .size = {0.4f, 0.1f, 0.4f}}, {0, -0.05f, 0}, {0, 30, 0}},
    {"box on a corner",
     {.kind = DRAPE_SHAPE_BOX, .size = {0.2f, 0.2f, 0.2f}},
     {0, -0.18f, 0},
     {45, 0, 35}},
};

enum { obstacle_count = sizeof obstacles / sizeof obstacles[0] };

static inline drape_collider_id add_obstacle(drape_world* world, int index)
{
    drape_collider_def def = drape_collider_defaults();
    def.shape = obstacles[index].shape;
    def.place = pose_at(obstacles[index].place, obstacles[index].degrees);
    drape_collider_id id = drape_collider_add(world, &def);
    ck_assert_msg(drape_collider_is_valid(world, id), "%s", drape_world_error(world));
    return id;
}

static inline float distance_at(const drape_shape* shape, drape_transform pose, drape_vec3 p)
{
    dr_shape_terms terms = dr_shape_terms_of(shape);
    drape_vec3 normal;
    return dr_shape_distance(&terms, dr_transform_inverse_apply(pose, p), &normal);
}

static inline float nearest_vertex(drape_world* world, drape_cloth_id cloth,
                                   const drape_shape* shape, drape_transform pose)
{
    int count;
    const drape_vec3* p = drape_cloth_positions(world, cloth, &count);
    float nearest = INFINITY;
    for (int i = 0; i < count; ++i) {
        nearest = fminf(nearest, distance_at(shape, pose, p[i]));
    }
    return nearest;
}

// Least distance of points all over the triangles, their edges included.
static inline float nearest_point(drape_world* world, drape_cloth_id cloth,
                                  const drape_shape* shape, drape_transform pose)
{
    enum { parts = 8 };
    int count;
    const drape_vec3* p = drape_cloth_positions(world, cloth, NULL);
    const int32_t* t = drape_cloth_triangles(world, cloth, &count);
    float nearest = INFINITY;
    for (int i = 0; i < count; ++i) {
        drape_vec3 a = p[t[3 * i]], ab = dr_sub(p[t[3 * i + 1]], a);
        drape_vec3 ac = dr_sub(p[t[3 * i + 2]], a);
        for (int j = 0; j <= parts; ++j) {
            for (int k = 0; j + k <= parts; ++k) {
                drape_vec3 q = dr_add(a, dr_add(dr_scale(ab, (float)j / parts),
                                                dr_scale(ac, (float)k / parts)));
                nearest = fminf(nearest, distance_at(shape, pose, q));
            }
        }
    }
    return nearest;
}

// --- Belts ---

// Sets a belt in motion along x: what lies on it goes along.
static inline void expect_ride(drape_world* world, drape_collider_id belt, drape_cloth_id cloth)
{
    step_frames(world, 5);
    float from = middle_of(world, cloth).x;
    drape_transform pose = drape_collider_pose(world, belt);
    for (int frame = 1; frame <= 90; ++frame) {
        // 2 m/s^2 for the first half second, then steadily 1 m/s: mu g is 5.4.
        float t = (float)frame * FRAME;
        pose.translate.x = t < 0.5f ? t * t : 0.25f + (t - 0.5f);
        drape_collider_move(world, belt, pose);
        drape_world_step(world, FRAME);
    }
    // Moved frame by frame, the belt jerks in every first substep: it slips 0.1 mm a jerk.
    ck_assert_float_eq_tol(middle_of(world, cloth).x - from, pose.translate.x, 5e-3f);
}

#endif
