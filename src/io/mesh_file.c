#include "io/mesh_file.h"

#include <math.h>
#include <string.h>

#include "io/obj.h"
#include "io/ply.h"

// --- Building ---

dr_mesh_problem dr_mesh_add_polygon(dr_mesh_builder* builder)
{
    size_t count = builder->loop.count;
    if (count - 2 > DR_TRIANGLE_LIMIT - builder->triangles.count) {
        return DR_MESH_TOO_MANY_TRIANGLES;
    }
    int32_t* triangles = dr_list_push(&builder->triangles, count - 2, 3 * sizeof *triangles);
    if (triangles == NULL) {
        return DR_MESH_NO_MEMORY;
    }
    switch (dr_polygon_cut(&builder->cutter, builder->positions.data, builder->loop.data, count,
                           triangles)) {
    case DR_POLYGON_CUT: return DR_MESH_FINE;
    case DR_POLYGON_TOO_LARGE: return DR_MESH_TOO_LARGE_POLYGON;
    case DR_POLYGON_NO_MEMORY: break;
    }
    return DR_MESH_NO_MEMORY;
}

_Static_assert(DR_POLYGON_EAR_LIMIT == 4096, "the sentence below says so");

const char* dr_mesh_problem_words(dr_mesh_problem problem)
{
    switch (problem) {
    case DR_MESH_FINE: break;
    case DR_MESH_TOO_LARGE_POLYGON:
        return "expected at most 4096 corners in a polygon that is not convex";
    case DR_MESH_TOO_MANY_TRIANGLES: return "expected fewer triangles than 32 bits can number";
    case DR_MESH_NO_MEMORY: return "not enough memory";
    }
    return "";
}

void dr_mesh_builder_take(dr_mesh_builder* builder, drape_mesh_data* mesh)
{
    mesh->vertex_count = (int)builder->positions.count;
    mesh->triangle_count = (int)builder->triangles.count;
    mesh->positions = dr_list_take(&builder->positions, sizeof(drape_vec3));
    mesh->triangles = dr_list_take(&builder->triangles, 3 * sizeof(int32_t));
}

void dr_mesh_builder_free(dr_mesh_builder* builder)
{
    dr_list_free(&builder->positions);
    dr_list_free(&builder->triangles);
    dr_list_free(&builder->loop);
    dr_polygon_cutter_free(&builder->cutter);
}

// --- The public calls ---

bool drape_mesh_read(const char* path, drape_mesh_data* mesh, drape_error* error)
{
    *mesh = (drape_mesh_data){0};
    dr_file file;
    if (!dr_file_read(path, &file, error)) {
        return false;
    }
    bool is_ply = dr_ply_recognise(file.data, file.size);
    bool is_read = is_ply ? dr_ply_parse(file.data, file.size, path, mesh, error)
                          : dr_obj_parse(file.data, file.size, path, mesh, error);
    dr_file_free(&file);
    return is_read;
}

// A file that could not be read again is not written.
static bool check_view(const char* path, const drape_mesh_view* mesh, drape_error* error)
{
    for (int v = 0; v < mesh->vertex_count; ++v) {
        drape_vec3 p = mesh->positions[v];
        const float* uv = mesh->uv != NULL ? &mesh->uv[2 * (size_t)v] : (float[2]){0.0f, 0.0f};
        if (!isfinite(p.x) || !isfinite(p.y) || !isfinite(p.z) || !isfinite(uv[0]) ||
            !isfinite(uv[1])) {
            dr_error_set(error, DRAPE_ERROR_INPUT, "%s: not written, vertex %d is not finite", path,
                         v);
            return false;
        }
    }
    for (size_t k = 0; k < 3 * (size_t)mesh->triangle_count; ++k) {
        if (mesh->triangles[k] < 0 || mesh->triangles[k] >= mesh->vertex_count) {
            dr_error_set(error, DRAPE_ERROR_INPUT,
                         "%s: not written, triangle %zu names vertex %d of %d", path, k / 3,
                         (int)mesh->triangles[k], mesh->vertex_count);
            return false;
        }
    }
    return true;
}

bool drape_mesh_write(const char* path, const drape_mesh_view* mesh, drape_error* error)
{
    bool is_obj = dr_path_has_ending(path, ".obj");
    if (!is_obj && !dr_path_has_ending(path, ".ply")) {
        dr_error_set(error, DRAPE_ERROR_INPUT, "%s: expected a name that ends in .obj or .ply",
                     path);
        return false;
    }
    dr_output out;
    if (!check_view(path, mesh, error) || !dr_output_open(&out, path, error)) {
        return false;
    }
    if (is_obj) {
        dr_obj_write(&out, mesh);
    } else {
        dr_ply_write(&out, mesh);
    }
    return dr_output_close(&out, error);
}

void drape_mesh_data_free(drape_mesh_data* mesh)
{
    if (mesh == NULL) {
        return;
    }
    for (int k = 0; k < mesh->group_count; ++k) {
        free(mesh->groups[k].name);
        free(mesh->groups[k].vertices);
    }
    free(mesh->groups);
    free(mesh->positions);
    free(mesh->uv);
    free(mesh->triangles);
    *mesh = (drape_mesh_data){0};
}
