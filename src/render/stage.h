// render/stage.h: the triangles of one frame, ready for rays.
//
// Meshes are put on the stage one after another. Each triangle brings vertices of its own, with
// normal, pattern coordinates and heat (the value that an overlay shows), so that a crease needs no
// special case and a hit finds all it wants in one place. Cloth is refined on the way: a triangle
// becomes a cubic patch through its corners and their normals (Vlachos et al. 2001: Curved PN
// Triangles), cut into 4^level smaller ones:
//
//         2                  2
//        / \                / \        Corners stay where they are. A border of a patch depends on
//       /   \     --->     *---*       its two ends alone and is computed the same from both
//      /     \            / \ / \      sides, so nothing gapes.
//     0-------1          0---*---1
//
// A tree is made for each frame: cloth that has folded is not near where it was at rest.
#ifndef DR_STAGE_H
#define DR_STAGE_H

#include "collide/tree_query.h"
#include "render/normals.h"

// Most levels of refinement.
#define DR_STAGE_LEVELS 4

typedef struct dr_stage_mesh {
    dr_mesh_part mesh;
    const float* uv;   // two per vertex, null: zeros
    const float* heat; // one per vertex, null: zeros
    float crease;      // as for dr_corner_normals
    int level;         // of refinement, 0 to DR_STAGE_LEVELS
    int look;          // 0 to 255, given back by hits
} dr_stage_mesh;

typedef struct dr_stage_vertex {
    drape_vec3 normal;
    float u, v, heat;
} dr_stage_vertex;

// `dr_stage stage = {.memory = memory}` is empty.
typedef struct dr_stage {
    dr_memory* memory;
    dr_array places;    // of float[4]: x, y, z, 0
    dr_array vertices;  // of dr_stage_vertex
    dr_array triangles; // of int32_t[3]
    dr_array looks;     // of uint8_t, by triangle
    dr_tree tree;       // from dr_stage_ready on
    drape_vec3 lo, hi;  // box of all
    float nudge;        // how far from a surface the rays start that leave it, m
} dr_stage;

// False when memory is short; the stage is to be freed all the same. Positions are finite.
bool dr_stage_add(dr_stage* stage, const dr_stage_mesh* mesh);
// After the last mesh: makes the tree.
bool dr_stage_ready(dr_stage* stage, dr_pool* pool);
// Takes all meshes away and keeps the memory for the next frame.
void dr_stage_clear(dr_stage* stage);
void dr_stage_free(dr_stage* stage);

// Where a ray meets a surface. Both normals are on the side that the ray comes from.
typedef struct dr_stage_hit {
    drape_vec3 place;  // on the flat triangle
    drape_vec3 lifted; // on the smooth surface it stands for: from here light is looked for
    drape_vec3 facet;  // normal of the triangle
    drape_vec3 normal; // of the smooth surface
    float distance;    // in lengths of the direction
    float u, v, heat;
    int look;
    bool is_back;
} dr_stage_hit;

// The nearest surface along a ray. Any number of threads may ask at once.
bool dr_stage_meet(const dr_stage* stage, drape_vec3 origin, drape_vec3 direction,
                   dr_stage_hit* hit);
// Whether anything is in the way.
bool dr_stage_blocks(const dr_stage* stage, drape_vec3 origin, drape_vec3 direction);

#endif
