// check/crossings.h: all pairs of triangles that cross or touch. For checking, not for solving.
//
// A judge must not lean on the one it judges: of the detectors of the solvers nothing is used here
// but the exact relation of two triangles (collide/triangle_pair.h). The search for pairs is its
// own (check/columns.h) and the meshes are plain arrays, so they may come from a world or a file.
//
//     dr_crossings found;
//     if (!dr_crossings_find(&found, &memory, pool, meshes, mesh_count)) { memory is short }
//     ... found.crossing_count, found.pairs[k].mesh_a, ...
//     dr_crossings_free(&found, &memory);
//
// Every mesh is held against itself and all others, but obstacles neither against themselves nor
// against each other. Within a mesh vertices are shared by index. Vertices of different meshes, and
// those of one mesh that coincide but have different indices, are not shared: they touch.
//
// The result does not depend on the number of workers.
#ifndef DR_CROSSINGS_H
#define DR_CROSSINGS_H

#include <drape/vec.h>

#include "core/memory.h"
#include "core/parallel.h"

// What is looked at. Positions must be finite, indices in range.
typedef struct dr_check_mesh {
    const drape_vec3* positions;
    const int32_t* triangles; // three per triangle
    int vertex_count;
    int triangle_count;
    bool is_obstacle;
} dr_check_mesh;

// How a pair meets; see collide/triangle_pair.h.
typedef enum dr_meeting {
    DR_MEETING_TOUCH,    // in points or a line
    DR_MEETING_COPLANAR, // in one plane, with an area in common
    DR_MEETING_FOLDED,   // the same, over a common edge
    DR_MEETING_CROSSING, // one passes through the other
} dr_meeting;

// A pair: (mesh_a, triangle_a) comes before (mesh_b, triangle_b).
typedef struct dr_crossing {
    int32_t mesh_a, triangle_a;
    int32_t mesh_b, triangle_b;
    dr_meeting meeting;
} dr_crossing;

// At most so many pairs are kept; all are counted. Only meshes in ruins have more.
#define DR_CROSSINGS_LIMIT (1 << 20)

typedef struct dr_crossings {
    dr_crossing* pairs; // sorted
    int pair_count;
    int64_t crossing_count;
    int64_t touch_count; // all that is not crossing
    int64_t box_tests;   // pairs whose boxes were compared
    int64_t exact_tests; // pairs that were looked at
} dr_crossings;

// False when memory is short, or for more than INT32_MAX / 8 triangles; `found` is empty then. A
// null pool means one worker.
bool dr_crossings_find(dr_crossings* found, dr_memory* memory, dr_pool* pool,
                       const dr_check_mesh* meshes, int mesh_count);
void dr_crossings_free(dr_crossings* found, dr_memory* memory);

#endif
