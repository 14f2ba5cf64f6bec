// mesh/stages.h: the stages of dr_mesh_build, in the order in which they run.
//
// Each fills in its own fields of the mesh and of its report, and relies on those before it. Stages
// that allocate return false when memory is short; dr_mesh_free cleans up after any of them.
#ifndef DR_STAGES_H
#define DR_STAGES_H

#include "mesh.h"

// True when the view can be built from; else false, and the sentence names what is wrong with it.
bool dr_mesh_check_view(const drape_mesh_view* view, char* sentence, size_t sentence_size);

// For each vertex the least one at the same place, itself as a rule. Returns how many differ from
// theirs, or -1 when memory is short.
int dr_weld_find(int32_t* first, dr_memory* memory, const drape_vec3* positions, int count);

// The uv of a view without any, from the rest shape.
void dr_mesh_make_uv(dr_mesh* mesh);

// True when two corners are the same vertex.
static inline bool dr_triangle_is_collapsed(const int32_t t[3])
{
    return t[0] == t[1] || t[1] == t[2] || t[2] == t[0];
}

// Vertex-triangle lists and parts, edges and hinges, ownership; and what they count.
bool dr_mesh_build_stars(dr_mesh* mesh, dr_memory* memory);
bool dr_mesh_build_edges(dr_mesh* mesh, dr_memory* memory);
bool dr_mesh_build_ownership(dr_mesh* mesh, dr_memory* memory);

#endif
