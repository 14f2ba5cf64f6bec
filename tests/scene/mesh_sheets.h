// Solids of triangles for the tests of mesh colliders.
#ifndef MESH_SHEETS_H
#define MESH_SHEETS_H

#include "mesh_test.h"

static const drape_vec3 still = {0, 0, 0};

// Of the table of solids those that are not planes, as meshes.
enum { first_solid = 2, solid_count = obstacle_count - first_solid };

static inline drape_collider_id add_solid(drape_world* world, int index)
{
    test_mesh mesh = mesh_of_shape(obstacles[index].shape, 2e-3f);
    drape_collider_id id =
        add_mesh(world, &mesh, pose_at(obstacles[index].place, obstacles[index].degrees));
    free_mesh(&mesh);
    return id;
}

#endif
