#include "contact/shell.h"

dr_surface dr_surface_of(const dr_mesh* mesh)
{
    return (dr_surface){
        .vertex_count = mesh->vertex_count,
        .triangle_count = mesh->triangle_count,
        .edge_count = mesh->edge_count,
        .triangles = (const int32_t(*)[3])mesh->triangles,
        .rest = mesh->rest,
        .triangle_edges = mesh->triangle_edges,
        .owned = mesh->owned,
    };
}

bool dr_shell_create(dr_shell* shell, dr_memory* memory, dr_mesh* mesh, drape_isa isa,
                     bool with_features)
{
    *shell = (dr_shell){0};
    dr_surface surface = dr_surface_of(mesh);
    dr_tree_plan plan = {0};
    bool made = dr_plan_swept(&plan, memory, &surface) &&
                dr_tree_create(&shell->tree, memory, &plan, &surface, isa);
    dr_plan_free(&plan, memory);
    if (!made) {
        return false;
    }
    if (with_features && !dr_features_create(&shell->features, memory, &shell->tree, &surface)) {
        dr_tree_free(&shell->tree, memory);
        return false;
    }
    shell->mesh = *mesh;
    *mesh = (dr_mesh){0};
    return true;
}

void dr_shell_free(dr_shell* shell, dr_memory* memory)
{
    dr_features_free(&shell->features, memory);
    dr_tree_free(&shell->tree, memory);
    dr_mesh_free(&shell->mesh, memory);
    *shell = (dr_shell){0};
}

void dr_shell_refit(dr_shell* shell, dr_pool* pool, const dr_motion* motion)
{
    dr_tree_refit(&shell->tree, pool, motion);
    dr_features_refit(&shell->features, &shell->tree, pool, motion);
}
