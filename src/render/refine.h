// render/refine.h: one triangle as a curved patch, see render/stage.h.
#ifndef DR_REFINE_H
#define DR_REFINE_H

#include <drape/vec.h>
#include <stdint.h>

typedef struct dr_patch {
    drape_vec3 corner[3], normal[3];
    int32_t vertex[3]; // numbers in the mesh: tell which end of a border comes first
    drape_vec3 middle; // control point
} dr_patch;

// Point `i`, `j` of a patch that is cut into `cuts` along each border; corner 0 is (0, 0), corner 1
// (cuts, 0), corner 2 (0, cuts).
typedef struct dr_patch_point {
    drape_vec3 place, normal;
    float weight[3]; // of the corners
} dr_patch_point;

// Needs corner, normal and vertex.
void dr_patch_prepare(dr_patch* patch);
dr_patch_point dr_patch_at(const dr_patch* patch, int i, int j, int cuts);

#endif
