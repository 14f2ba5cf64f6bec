// contact/surface.h: a mesh as the trees of collide/ see it.
//
// Neither of mesh/ and collide/ knows the other; whoever has a mesh in a tree comes by here.
#ifndef DR_CONTACT_SURFACE_H
#define DR_CONTACT_SURFACE_H

#include "collide/tree.h"
#include "mesh/mesh.h"

// Lives as long as the arrays of the mesh.
static inline dr_surface dr_mesh_surface(const dr_mesh* mesh)
{
    return (dr_surface){
        .vertex_count = mesh->vertex_count,
        .triangle_count = mesh->triangle_count,
        .edge_count = mesh->edge_count,
        .triangles = (const int32_t(*)[3])mesh->triangles,
        .rest = mesh->rest,
        .uv = (const float(*)[2])mesh->uv,
        .triangle_edges = mesh->triangle_edges,
        .owned = mesh->owned,
    };
}

#endif
