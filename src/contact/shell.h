// contact/shell.h: a triangle mesh with its tree, to be searched for what comes near it.
//
// Both sides of a contact between meshes have one: a cloth (over its slots) and a body.
#ifndef DR_SHELL_H
#define DR_SHELL_H

#include "collide/feature_pairs.h"
#include "mesh/mesh.h"

typedef struct dr_shell {
    dr_mesh mesh;
    dr_tree tree;
    dr_features features; // none of a body: each cloth has its own choice (contact/relief.h)
} dr_shell;

dr_surface dr_surface_of(const dr_mesh* mesh);

// Takes `mesh` over when it succeeds. False when memory is short; nothing is held then.
bool dr_shell_create(dr_shell* shell, dr_memory* memory, dr_mesh* mesh, drape_isa isa,
                     bool with_features);
void dr_shell_free(dr_shell* shell, dr_memory* memory);
void dr_shell_refit(dr_shell* shell, dr_pool* pool, const dr_motion* motion);

#endif
