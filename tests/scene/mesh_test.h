// mesh_test.h: triangle meshes to fall on, and an exact eye for cloth that goes through them.
#ifndef MESH_TEST_H
#define MESH_TEST_H

#include "collide/triangle_pair.h"
#include "collider_test.h"

typedef struct test_mesh {
    drape_vec3* positions;
    int32_t* triangles;
    int vertex_count, triangle_count;
} test_mesh;

static inline test_mesh new_mesh(int vertex_count, int triangle_count)
{
    return (test_mesh){calloc((size_t)vertex_count, sizeof(drape_vec3)),
                       calloc((size_t)triangle_count * 3, sizeof(int32_t)), vertex_count,
                       triangle_count};
}

static inline void free_mesh(test_mesh* mesh)
{
    free(mesh->positions);
    free(mesh->triangles);
}

static inline drape_mesh_view view_of(const test_mesh* mesh)
{
    return (drape_mesh_view){.positions = mesh->positions,
                             .triangles = mesh->triangles,
                             .vertex_count = mesh->vertex_count,
                             .triangle_count = mesh->triangle_count};
}

// The surface of a solid, in its own frame.
static inline test_mesh mesh_of_shape(drape_shape shape, float tolerance)
{
    drape_world_def world_def = drape_world_defaults();
    drape_world* world = drape_world_create(&world_def);
    drape_collider_def def = drape_collider_defaults();
    def.shape = shape;
    drape_collider_id id = drape_collider_add(world, &def);
    int vertices, triangles;
    ck_assert(drape_collider_mesh(world, id, tolerance, NULL, &vertices, NULL, &triangles));
    test_mesh mesh = new_mesh(vertices, triangles);
    ck_assert(drape_collider_mesh(world, id, tolerance, mesh.positions, &vertices, mesh.triangles,
                                  &triangles));
    drape_world_destroy(world);
    return mesh;
}

// An open square in the plane y = 0, centred, of cells * cells squares.
static inline test_mesh mesh_of_square(float size, int cells)
{
    int n = cells + 1;
    test_mesh mesh = new_mesh(n * n, 2 * cells * cells);
    for (int i = 0; i < n * n; ++i) {
        mesh.positions[i] = vec(size * ((float)(i % n) / (float)cells - 0.5f), 0.0f,
                                size * ((float)(i / n) / (float)cells - 0.5f));
    }
    int32_t* t = mesh.triangles;
    for (int i = 0; i < cells * cells; ++i, t += 6) {
        int32_t a = i / cells * n + i % cells;
        const int32_t corners[6] = {a, a + n, a + 1, a + 1, a + n, a + n + 1};
        memcpy(t, corners, sizeof corners);
    }
    return mesh;
}

static inline drape_collider_id add_mesh(drape_world* world, const test_mesh* mesh,
                                         drape_transform place)
{
    drape_mesh_view view = view_of(mesh);
    drape_collider_def def = drape_collider_defaults();
    def.mesh = &view;
    def.place = place;
    drape_collider_id id = drape_collider_add(world, &def);
    ck_assert_msg(drape_collider_is_valid(world, id), "%s", drape_world_error(world));
    return id;
}

// --- Looking ---

typedef struct triangle_box {
    drape_vec3 corner[3], lo, hi;
} triangle_box;

static inline triangle_box* boxes_of(const drape_vec3* positions, const int32_t* triangles,
                                     int count)
{
    triangle_box* boxes = calloc((size_t)count, sizeof *boxes);
    for (int i = 0; i < count; ++i) {
        triangle_box* box = &boxes[i];
        box->lo = vec(INFINITY, INFINITY, INFINITY);
        box->hi = vec(-INFINITY, -INFINITY, -INFINITY);
        for (int k = 0; k < 3; ++k) {
            drape_vec3 p = box->corner[k] = positions[triangles[3 * i + k]];
            box->lo = vec(fminf(box->lo.x, p.x), fminf(box->lo.y, p.y), fminf(box->lo.z, p.z));
            box->hi = vec(fmaxf(box->hi.x, p.x), fmaxf(box->hi.y, p.y), fmaxf(box->hi.z, p.z));
        }
    }
    return boxes;
}

static inline bool boxes_meet(const triangle_box* a, const triangle_box* b)
{
    return a->lo.x <= b->hi.x && b->lo.x <= a->hi.x && a->lo.y <= b->hi.y && b->lo.y <= a->hi.y &&
           a->lo.z <= b->hi.z && b->lo.z <= a->hi.z;
}

// Pairs of triangles of the cloth and of the collider that pass through each other, exactly.
static inline int crossings_of(drape_world* world, drape_cloth_id cloth, drape_collider_id collider)
{
    int vertices, faces, count, found = 0;
    ck_assert(drape_collider_mesh(world, collider, 1e-3f, NULL, &vertices, NULL, &faces));
    test_mesh mesh = new_mesh(vertices, faces);
    ck_assert(drape_collider_mesh(world, collider, 1e-3f, mesh.positions, &vertices,
                                  mesh.triangles, &faces));
    const drape_vec3* p = drape_cloth_positions(world, cloth, NULL);
    const int32_t* t = drape_cloth_triangles(world, cloth, &count);
    triangle_box* a = boxes_of(p, t, count);
    triangle_box* b = boxes_of(mesh.positions, mesh.triangles, faces);
    for (int i = 0; i < count; ++i) {
        for (int j = 0; j < faces; ++j) {
            found += boxes_meet(&a[i], &b[j]) &&
                     dr_triangle_pair(a[i].corner, NULL, b[j].corner, NULL).relation ==
                         DR_TRIANGLES_CROSSING;
        }
    }
    free(a);
    free(b);
    free_mesh(&mesh);
    return found;
}

#endif
