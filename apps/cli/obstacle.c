#include "obstacle.h"

#include <stdlib.h>

#include "collide/tessellate.h"
#include "io/file.h"

bool cli_obstacle_load(cli_obstacle* obstacle, drape_scene* scene, int index, const char* name,
                       drape_error* error)
{
    drape_world* world = drape_scene_world(scene);
    drape_collider_id collider = drape_scene_collider(scene, index);
    float tolerance = dr_tessellate_tolerance(drape_world_get_def(world).thickness);
    *obstacle = (cli_obstacle){0};
    if (!drape_collider_mesh(world, collider, tolerance, NULL, &obstacle->vertex_count, NULL,
                             &obstacle->triangle_count)) {
        dr_error_set(error, DRAPE_ERROR_SYSTEM, "%s: %s", name, drape_world_error(world));
        return false;
    }
    obstacle->positions = calloc((size_t)obstacle->vertex_count + 1, sizeof(drape_vec3));
    obstacle->triangles = calloc((size_t)obstacle->triangle_count + 1, 3 * sizeof(int32_t));
    if (obstacle->positions == NULL || obstacle->triangles == NULL ||
        !drape_collider_mesh(world, collider, tolerance, obstacle->positions,
                             &obstacle->vertex_count, obstacle->triangles,
                             &obstacle->triangle_count)) {
        cli_obstacle_free(obstacle);
        dr_error_set_memory(error, name);
        return false;
    }
    return true;
}

void cli_obstacle_free(cli_obstacle* obstacle)
{
    free(obstacle->positions);
    free(obstacle->triangles);
    *obstacle = (cli_obstacle){0};
}
