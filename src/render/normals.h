// render/normals.h: normals that make flat triangles look like the smooth thing they stand for.
//
// The normal of a corner is the sum of the normals of the triangles around its vertex, each by the
// angle it has there, so that it does not depend on how the surface was cut into triangles. Across
// a crease nothing is smoothed: triangles count when their normals are within an angle of the
// corner's own. So a box keeps its edges, a ball is round, and cloth, whose creases are all soft,
// takes in every neighbour.
#ifndef DR_NORMALS_H
#define DR_NORMALS_H

#include "core/memory.h"

// No crease at all.
#define DR_CREASE_NONE (-2.0f)

typedef struct dr_mesh_part {
    const drape_vec3* positions;
    const int32_t* triangles; // three vertices each
    int vertex_count, triangle_count;
} dr_mesh_part;

// Three per triangle into `normals`, of length 1. Triangles whose normals have a dot product below
// `crease` do not count for each other. False when memory is short.
bool dr_corner_normals(dr_memory* memory, const dr_mesh_part* mesh, float crease,
                       drape_vec3* normals);

#endif
