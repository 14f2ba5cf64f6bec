// overlay.h: what can be seen of cloth besides its pattern, as a value from 0 to 1 at each vertex.
//
//     strain      how much longer the edges around a vertex are than at rest, their mean
//     speed       from the frames before and after
//     crossings   1 on triangles that pass through others, 0.5 on those that touch
//     contacts    1 within the thickness of another surface, 0 at twice that
#ifndef CLI_OVERLAY_H
#define CLI_OVERLAY_H

#include "check/crossings.h"
#include "command.h"
#include "render/look.h"
#include "render_options.h"

// A cloth or an obstacle in one frame.
typedef struct cli_overlay_mesh {
    dr_check_mesh mesh;
    const drape_vec3* rest;           // for strain
    const drape_vec3 *before, *after; // for speed
    float* heat;                      // result, one per vertex; null: not wanted
} cli_overlay_mesh;

// What 0 and 1 stand for.
typedef struct cli_overlay_range {
    float low, high; // m/s, m, or 1 for a strain of 100 %
    float seconds;   // between `before` and `after`
} cli_overlay_range;

// False when memory is short.
bool cli_overlay_measure(dr_memory* memory, dr_pool* pool, cli_overlay overlay,
                         const cli_overlay_mesh* meshes, int mesh_count,
                         const cli_overlay_range* range);
// The greatest speed of a vertex.
float cli_overlay_fastest(const cli_overlay_mesh* mesh, float seconds);
dr_heat_scale cli_overlay_scale(cli_overlay overlay);

#endif
