// mesh/mesh.c: building a mesh from arrays.
#include "mesh/mesh.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "mesh/stages.h"

// A triangle whose height is below this share of its longest edge has no usable plane in floats.
static const double SLIVER = 1e-6;

// Turns "the first at this place" into dense new numbers, in place. A first one comes before all
// that refer to it, so its new number is known by then.
static void number_welded(int32_t* first, int count)
{
    int32_t next = 0;
    for (int32_t i = 0; i < count; ++i) {
        first[i] = first[i] == i ? next++ : first[first[i]];
    }
}

// Finds coincident vertices, and how many vertices the mesh will have. `welded` may be null.
static bool find_coincident(dr_mesh* mesh, dr_memory* memory, const drape_mesh_view* view,
                            int32_t* welded)
{
    int count = view->vertex_count;
    const drape_vec3* rest = view->rest ? view->rest : view->positions;
    int32_t* first = welded ? welded : dr_new(memory, int32_t, count);
    int joined = first ? dr_weld_find(first, memory, rest, count) : -1;
    mesh->vertex_count = count;
    if (welded && joined >= 0) {
        number_welded(welded, count);
        mesh->vertex_count -= joined;
        mesh->report.welded_vertex_count = joined;
    } else if (!welded) {
        mesh->report.coincident_vertex_count = joined;
        dr_delete(memory, first, count);
    }
    return joined >= 0;
}

// Copies per-vertex data, backwards so that the least of the welded vertices is written last.
static bool copy_vertices(dr_mesh* mesh, dr_memory* memory, const drape_mesh_view* view,
                          const int32_t* welded)
{
    mesh->rest = dr_new(memory, drape_vec3, mesh->vertex_count);
    mesh->uv = (float(*)[2])dr_new(memory, float, 2 * (size_t)mesh->vertex_count);
    if (!mesh->rest || !mesh->uv) {
        return false;
    }
    const drape_vec3* rest = view->rest ? view->rest : view->positions;
    for (int i = view->vertex_count - 1; i >= 0; --i) {
        int32_t to = welded ? welded[i] : i;
        mesh->rest[to] = rest[i];
        if (view->uv) {
            memcpy(mesh->uv[to], &view->uv[2 * (size_t)i], sizeof mesh->uv[to]);
        }
    }
    if (!view->uv) {
        dr_mesh_make_uv(mesh);
    }
    return true;
}

static bool copy_triangles(dr_mesh* mesh, dr_memory* memory, const drape_mesh_view* view,
                           const int32_t* welded)
{
    mesh->triangle_count = view->triangle_count;
    size_t index_count = 3 * (size_t)view->triangle_count;
    int32_t* indices = dr_new(memory, int32_t, index_count);
    if (!indices && index_count > 0) {
        return false;
    }
    for (size_t i = 0; i < index_count; ++i) {
        indices[i] = welded ? welded[view->triangles[i]] : view->triangles[i];
    }
    mesh->triangles = (int32_t(*)[3])indices;
    return true;
}

static double squared_length(const double a[3])
{
    return a[0] * a[0] + a[1] * a[1] + a[2] * a[2];
}

static void subtract(drape_vec3 a, drape_vec3 b, double out[3])
{
    out[0] = (double)a.x - (double)b.x;
    out[1] = (double)a.y - (double)b.y;
    out[2] = (double)a.z - (double)b.z;
}

// Area of a triangle of the rest shape, 0 when it is degenerate.
static float area_of(const dr_mesh* mesh, const int32_t t[3])
{
    double a[3], b[3], c[3];
    subtract(mesh->rest[t[1]], mesh->rest[t[0]], a);
    subtract(mesh->rest[t[2]], mesh->rest[t[0]], b);
    subtract(mesh->rest[t[2]], mesh->rest[t[1]], c);
    const double cross[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2],
                             a[0] * b[1] - a[1] * b[0]};
    double twice_area = sqrt(squared_length(cross));
    double longest = fmax(squared_length(a), fmax(squared_length(b), squared_length(c)));
    bool degenerate = dr_triangle_is_collapsed(t) || !(twice_area > SLIVER * longest);
    return degenerate ? 0.0f : (float)(0.5 * twice_area);
}

static void measure_areas(dr_mesh* mesh)
{
    double total = 0.0;
    for (int t = 0; t < mesh->triangle_count; ++t) {
        const int32_t* corners = mesh->triangles[t];
        float area = area_of(mesh, corners);
        mesh->rest_area[t] = area;
        mesh->report.degenerate_count += area == 0.0f;
        total += (double)area;
        for (int k = 0; k < 3; ++k) {
            mesh->vertex_area[corners[k]] += area / 3.0f;
        }
    }
    mesh->report.area = (float)total;
}

static void measure_edges(dr_mesh* mesh)
{
    double least = INFINITY, most = 0.0, total = 0.0;
    for (int e = 0; e < mesh->edge_count; ++e) {
        double along[3];
        subtract(mesh->rest[mesh->edges[e].v[1]], mesh->rest[mesh->edges[e].v[0]], along);
        double length = sqrt(squared_length(along));
        least = fmin(least, length);
        most = fmax(most, length);
        total += length;
    }
    if (mesh->edge_count > 0) {
        mesh->report.edge_min = (float)least;
        mesh->report.edge_mean = (float)(total / mesh->edge_count);
        mesh->report.edge_max = (float)most;
    }
}

static bool measure(dr_mesh* mesh, dr_memory* memory)
{
    mesh->rest_area = dr_new(memory, float, mesh->triangle_count);
    mesh->vertex_area = dr_new_zeroed(memory, float, mesh->vertex_count);
    if (!mesh->vertex_area || (!mesh->rest_area && mesh->triangle_count > 0)) {
        return false;
    }
    measure_areas(mesh);
    measure_edges(mesh);
    return true;
}

// The counts that are fields of the mesh as well.
static void complete_report(dr_mesh* mesh)
{
    mesh->report.vertex_count = mesh->vertex_count;
    mesh->report.triangle_count = mesh->triangle_count;
    mesh->report.edge_count = mesh->edge_count;
    mesh->report.hinge_count = mesh->hinge_count;
    mesh->report.part_count = mesh->part_count;
}

bool dr_mesh_build(dr_mesh* mesh, dr_memory* memory, const drape_mesh_view* view, int32_t* welded,
                   char* sentence, size_t sentence_size)
{
    *mesh = (dr_mesh){0};
    if (!dr_mesh_check_view(view, sentence, sentence_size)) {
        return false;
    }
    bool built = find_coincident(mesh, memory, view, welded) &&
                 copy_vertices(mesh, memory, view, welded) &&
                 copy_triangles(mesh, memory, view, welded) && dr_mesh_build_stars(mesh, memory) &&
                 dr_mesh_build_edges(mesh, memory) && dr_mesh_build_ownership(mesh, memory) &&
                 measure(mesh, memory);
    if (!built) {
        dr_mesh_free(mesh, memory);
        snprintf(sentence, sentence_size,
                 "memory is too short for a mesh of %d vertices and %d triangles",
                 view->vertex_count, view->triangle_count);
        return false;
    }
    complete_report(mesh);
    return true;
}

void dr_mesh_free(dr_mesh* mesh, dr_memory* memory)
{
    size_t vertices = (size_t)mesh->vertex_count, triangles = (size_t)mesh->triangle_count;
    dr_delete(memory, mesh->triangles, triangles);
    dr_delete(memory, mesh->rest, vertices);
    dr_delete(memory, mesh->uv, vertices);
    dr_delete(memory, mesh->edges, mesh->edge_count);
    dr_delete(memory, mesh->hinges, mesh->hinge_count);
    dr_delete(memory, mesh->triangle_edges, 3 * triangles);
    dr_delete(memory, mesh->vertex_triangle_start, vertices + 1);
    dr_delete(memory, mesh->vertex_triangle_list, 3 * triangles);
    dr_delete(memory, mesh->vertex_part, vertices);
    dr_delete(memory, mesh->owned, triangles);
    dr_delete(memory, mesh->rest_area, triangles);
    dr_delete(memory, mesh->vertex_area, vertices);
    *mesh = (dr_mesh){0};
}
