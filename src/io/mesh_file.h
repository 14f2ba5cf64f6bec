// io/mesh_file.h: what the mesh formats share.
#ifndef DR_MESH_FILE_H
#define DR_MESH_FILE_H

#include "io/file.h"
#include "io/list.h"
#include "io/polygon.h"

// Triangles have three indices that other code counts in int.
#define DR_TRIANGLE_LIMIT (INT32_MAX / 3)

// A mesh while it is read. Starts as {0}.
typedef struct dr_mesh_builder {
    dr_list positions; // drape_vec3
    dr_list triangles; // three int32_t each: `count` is that of triangles
    dr_list loop;      // int32_t: corners of the polygon at hand
    dr_polygon_cutter cutter;
} dr_mesh_builder;

// Why a polygon could not be added.
typedef enum dr_mesh_problem {
    DR_MESH_FINE,
    DR_MESH_TOO_LARGE_POLYGON,
    DR_MESH_TOO_MANY_TRIANGLES,
    DR_MESH_NO_MEMORY,
} dr_mesh_problem;

// Cuts the polygon in `loop` and adds its triangles; the indices are known to be good.
dr_mesh_problem dr_mesh_add_polygon(dr_mesh_builder* builder);
// The words that say so in a sentence.
const char* dr_mesh_problem_words(dr_mesh_problem problem);
// Hands positions and triangles over to `mesh`.
void dr_mesh_builder_take(dr_mesh_builder* builder, drape_mesh_data* mesh);
void dr_mesh_builder_free(dr_mesh_builder* builder);

#endif
