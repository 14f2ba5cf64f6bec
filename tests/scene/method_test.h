// method_test.h: scenes of the papers with a method and a size, and judges of what comes out.
#ifndef METHOD_TEST_H
#define METHOD_TEST_H

#include <drape/io.h>
#include <stdio.h>

#include "check/inside.h"
#include "world_test.h"

// The fabric of the papers: soft enough that a step is 2 ms at 21 x 21.
#define PAPER_FABRIC \
    "{\"base\":\"cotton\",\"density\":0.2,\"stretch\":40,\"shear\":5,\"bend\":1e-4}"
// One substep at 21 x 21, s.
#define PAPER_STEP (1.0f / 600.0f)

enum { ORDER_OVERRIDES = 6, ORDER_OBSTACLES = 4 };

// How a scene is opened.
typedef struct order {
    const char* scene;
    const char* method;
    int size;
    int workers; // 0: one
    drape_isa isa;
    drape_override overrides[ORDER_OVERRIDES]; // up to the first without a path
} order;

static inline drape_scene* open_order(const order* o)
{
    char path[512], resolution[32];
    drape_override overrides[ORDER_OVERRIDES + 2];
    int count = 0;
    snprintf(path, sizeof path, DRAPE_SOURCE_DIR "/scenes/%s.json", o->scene);
    snprintf(resolution, sizeof resolution, "[%d,%d]", o->size, o->size);
    overrides[count++] = (drape_override){"cloths.0.grid.resolution", resolution};
    overrides[count++] = (drape_override){"cloths.0.fabric", PAPER_FABRIC};
    for (int i = 0; i < ORDER_OVERRIDES && o->overrides[i].path; ++i) {
        overrides[count++] = o->overrides[i];
    }
    drape_scene_options options = drape_scene_options_defaults();
    drape_error error = {0};
    options.method = o->method;
    options.overrides = overrides;
    options.override_count = count;
    options.worker_count = o->workers;
    options.isa = o->isa;
    drape_scene* scene = drape_scene_open(path, &options, &error);
    ck_assert_msg(scene != NULL, "%s", error.sentence);
    return scene;
}

// --- Judges ---

typedef struct verdict {
    int64_t self, obstacle; // crossings
    int inside;             // vertices
} verdict;

static inline dr_check_mesh cloth_mesh(drape_scene* scene, int index)
{
    dr_check_mesh mesh = {0};
    drape_world* world = drape_scene_world(scene);
    drape_cloth_id cloth = drape_scene_cloth(scene, index);
    mesh.positions = drape_cloth_positions(world, cloth, &mesh.vertex_count);
    mesh.triangles = drape_cloth_triangles(world, cloth, &mesh.triangle_count);
    return mesh;
}

// A collider as a mesh; its arrays are to be freed.
static inline dr_check_mesh collider_mesh(drape_world* world, drape_collider_id id)
{
    const float tolerance = 5e-4f;
    int vertices = 0, triangles = 0;
    ck_assert(drape_collider_mesh(world, id, tolerance, NULL, &vertices, NULL, &triangles));
    drape_vec3* positions = malloc(sizeof *positions * (size_t)vertices);
    int32_t* corners = malloc(sizeof *corners * 3 * (size_t)triangles);
    ck_assert(positions && corners);
    ck_assert(drape_collider_mesh(world, id, tolerance, positions, &vertices, corners, &triangles));
    return (dr_check_mesh){positions, corners, vertices, triangles, true};
}

static inline void free_check_mesh(dr_check_mesh* mesh)
{
    free((void*)(uintptr_t)mesh->positions);
    free((void*)(uintptr_t)mesh->triangles);
}

// Looks at cloths, then colliders, given as meshes.
static inline verdict judge_meshes(const dr_check_mesh* meshes, int cloths, int obstacles)
{
    verdict v = {0};
    dr_memory memory;
    dr_crossings found;
    dr_memory_init(&memory, NULL);
    ck_assert(dr_crossings_find(&found, &memory, NULL, meshes, cloths + obstacles));
    for (int i = 0; i < found.pair_count; ++i) {
        if (found.pairs[i].meeting == DR_MEETING_CROSSING) {
            *(found.pairs[i].mesh_b < cloths ? &v.self : &v.obstacle) += 1;
        }
    }
    dr_crossings_free(&found, &memory);
    for (int i = 0; i < cloths; ++i) {
        for (int k = cloths; k < cloths + obstacles; ++k) {
            v.inside += dr_inside_count(meshes[i].positions, meshes[i].vertex_count, &meshes[k]);
        }
    }
    return v;
}

static inline verdict judge_scene(drape_scene* scene)
{
    dr_check_mesh meshes[1 + ORDER_OBSTACLES];
    int obstacles = drape_scene_collider_count(scene);
    ck_assert_int_le(obstacles, ORDER_OBSTACLES);
    meshes[0] = cloth_mesh(scene, 0);
    for (int i = 0; i < obstacles; ++i) {
        meshes[1 + i] = collider_mesh(drape_scene_world(scene), drape_scene_collider(scene, i));
    }
    verdict v = judge_meshes(meshes, 1, obstacles);
    for (int i = 0; i < obstacles; ++i) {
        free_check_mesh(&meshes[1 + i]);
    }
    return v;
}

static inline int64_t self_crossings(drape_scene* scene)
{
    dr_check_mesh mesh = cloth_mesh(scene, 0);
    return judge_meshes(&mesh, 1, 0).self;
}

#endif
