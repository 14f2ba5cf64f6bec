// trials_test.h: small worlds for methods that solve and detect in turns.
#ifndef TRIALS_TEST_H
#define TRIALS_TEST_H

#include "method_test.h"

// The methods, some of them with choices of their own.
typedef struct method_case {
    const char* name; // of the preset
    drape_model model;
    drape_obstacle_response obstacles;
    drape_hierarchy hierarchy;
} method_case;

static const method_case method_cases[] = {
    {"box", DRAPE_MODEL_ELASTIC, DRAPE_OBSTACLES_SLIDE, DRAPE_HIERARCHY_MATERIAL},
    {"box", DRAPE_MODEL_ELASTIC, DRAPE_OBSTACLES_SLIDE, DRAPE_HIERARCHY_NONE},
    {"slide", DRAPE_MODEL_ELASTIC, DRAPE_OBSTACLES_SLIDE, DRAPE_HIERARCHY_NONE},
    {"slide", DRAPE_MODEL_ELASTIC, DRAPE_OBSTACLES_SLIDE, DRAPE_HIERARCHY_MATERIAL},
    {"box", DRAPE_MODEL_XPBD, DRAPE_OBSTACLES_PREDICTIVE, DRAPE_HIERARCHY_MATERIAL},
    {"box", DRAPE_MODEL_XPBD, DRAPE_OBSTACLES_SLIDE, DRAPE_HIERARCHY_MATERIAL},
    {"slide", DRAPE_MODEL_XPBD, DRAPE_OBSTACLES_SLIDE, DRAPE_HIERARCHY_MATERIAL},
};
enum { METHOD_CASES = sizeof method_cases / sizeof method_cases[0], ELASTIC_CASES = 4 };

static inline drape_world_def method_def(int index)
{
    const method_case* is = &method_cases[index];
    drape_world_def def = drape_world_defaults();
    ck_assert(drape_method_by_name(is->name, &def.method));
    def.method.model = is->model;
    def.method.obstacles = is->obstacles;
    def.method.hierarchy = is->hierarchy;
    def.thickness = 0.004f;
    def.damping = 2.0f;
    def.substeps = 10;
    return def;
}

static inline drape_world* make_method_world(int index)
{
    drape_world_def def = method_def(index);
    drape_world* world = drape_world_create(&def);
    ck_assert_ptr_nonnull(world);
    return world;
}

static inline drape_cloth_def paper_cloth(drape_vec3 origin)
{
    drape_cloth_def def = drape_cloth_defaults();
    def.fabric.density = 0.2f;
    def.fabric.stretch_warp = def.fabric.stretch_weft = 40.0f;
    def.fabric.shear = 5.0f;
    def.fabric.bend_warp = def.fabric.bend_weft = 1e-4f;
    def.origin = origin;
    return def;
}

// A square of the papers' fabric, horizontal, with its middle at a place.
static inline drape_cloth_id add_paper(drape_world* world, float size, int count,
                                       drape_vec3 middle)
{
    drape_cloth_def def =
        paper_cloth(vec(middle.x - 0.5f * size, middle.y, middle.z - 0.5f * size));
    drape_cloth_id id = drape_cloth_add_grid(world, &def, size, size, count, count);
    ck_assert_msg(drape_cloth_is_valid(world, id), "%s", drape_world_error(world));
    return id;
}

// The same upright with its lower edge on y = 0.01, shaken, so that it folds.
static inline drape_cloth_id add_upright(drape_world* world, float size, int count)
{
    drape_cloth_def def = paper_cloth(vec(-0.5f * size, 0.01f + size, 0.0f));
    def.rotation = drape_quat_from_degrees(vec(86.0f, 0.0f, 0.0f));
    def.noise = 0.002f;
    drape_cloth_id id = drape_cloth_add_grid(world, &def, size, size, count, count);
    ck_assert_msg(drape_cloth_is_valid(world, id), "%s", drape_world_error(world));
    return id;
}

static inline verdict judge_cloths(drape_world* world, const drape_cloth_id* cloths, int count,
                                   const drape_collider_id* colliders, int collider_count)
{
    dr_check_mesh meshes[8] = {0};
    ck_assert_int_le(count + collider_count, 8);
    for (int i = 0; i < count; ++i) {
        meshes[i].positions = drape_cloth_positions(world, cloths[i], &meshes[i].vertex_count);
        meshes[i].triangles = drape_cloth_triangles(world, cloths[i], &meshes[i].triangle_count);
    }
    for (int i = 0; i < collider_count; ++i) {
        meshes[count + i] = collider_mesh(world, colliders[i]);
    }
    verdict v = judge_meshes(meshes, count, collider_count);
    for (int i = 0; i < collider_count; ++i) {
        free_check_mesh(&meshes[count + i]);
    }
    return v;
}

#endif
