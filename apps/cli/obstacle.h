// obstacle.h: the colliders of a scene as triangles.
//
// What is written as obstacle_NAME.obj and what cloth is checked against is the same mesh: solids
// are cut so finely that it lies within half the contact thickness of their surface.
#ifndef CLI_OBSTACLE_H
#define CLI_OBSTACLE_H

#include "command.h"

typedef struct cli_obstacle {
    drape_vec3* positions;
    int32_t* triangles;
    int vertex_count;
    int triangle_count;
} cli_obstacle;

// A collider of the scene as it is now; `name` is what sentences call it.
bool cli_obstacle_load(cli_obstacle* obstacle, drape_scene* scene, int index, const char* name,
                       drape_error* error);
// An empty one is fine.
void cli_obstacle_free(cli_obstacle* obstacle);

#endif
