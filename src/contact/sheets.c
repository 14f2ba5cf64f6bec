#include "contact/sheets.h"

// First numbers of each part, and the totals.
static void number_parts(dr_sheets* sheets, const dr_sheets_part* parts)
{
    dr_sheets_part at = {0};
    for (int p = 0; p < sheets->part_count; ++p) {
        const dr_mesh* mesh = parts[p].mesh;
        at.mesh = mesh;
        at.columns = parts[p].columns;
        at.rows = parts[p].rows;
        sheets->parts[p] = at;
        at.first_vertex += mesh->vertex_count;
        at.first_edge += mesh->edge_count;
        at.first_triangle += mesh->triangle_count;
    }
    at.mesh = NULL;
    at.columns = at.rows = 0;
    sheets->parts[sheets->part_count] = at;
    sheets->vertex_count = at.first_vertex;
    sheets->edge_count = at.first_edge;
    sheets->triangle_count = at.first_triangle;
}

static void number_features(dr_sheets* sheets, int part)
{
    const dr_sheets_part* at = &sheets->parts[part];
    for (int e = 0; e < at->mesh->edge_count; ++e) {
        for (int k = 0; k < 2; ++k) {
            sheets->edges[at->first_edge + e][k] = at->first_vertex + at->mesh->edges[e].v[k];
        }
    }
    for (int t = 0; t < at->mesh->triangle_count; ++t) {
        sheets->part_of_triangle[at->first_triangle + t] = part;
        for (int k = 0; k < 3; ++k) {
            sheets->triangles[at->first_triangle + t][k] =
                at->first_vertex + at->mesh->triangles[t][k];
        }
    }
}

bool dr_sheets_create(dr_sheets* sheets, dr_memory* memory, const dr_sheets_part* parts,
                      int part_count)
{
    *sheets = (dr_sheets){.part_count = part_count};
    sheets->parts = dr_new(memory, dr_sheets_part, part_count + 1);
    if (!sheets->parts) {
        return false;
    }
    number_parts(sheets, parts);
    // One more of each, so that an empty mesh is not taken for a lack of memory.
    size_t edges = (size_t)sheets->edge_count + 1, triangles = (size_t)sheets->triangle_count + 1;
    size_t vertices = (size_t)sheets->vertex_count + 1;
    sheets->edges = dr_allocate(memory, dr_array_bytes(edges, sizeof *sheets->edges));
    sheets->triangles = dr_allocate(memory, dr_array_bytes(triangles, sizeof *sheets->triangles));
    sheets->part_of_triangle = dr_new(memory, int32_t, triangles);
    sheets->start = dr_new_zeroed(memory, drape_vec3, vertices);
    sheets->end = dr_new_zeroed(memory, drape_vec3, vertices);
    if (!sheets->edges || !sheets->triangles || !sheets->part_of_triangle || !sheets->start ||
        !sheets->end) {
        return false;
    }
    for (int p = 0; p < part_count; ++p) {
        number_features(sheets, p);
    }
    return true;
}

void dr_sheets_free(dr_sheets* sheets, dr_memory* memory)
{
    size_t edges = (size_t)sheets->edge_count + 1, triangles = (size_t)sheets->triangle_count + 1;
    size_t vertices = (size_t)sheets->vertex_count + 1;
    dr_delete(memory, sheets->edges, edges);
    dr_delete(memory, sheets->triangles, triangles);
    dr_delete(memory, sheets->part_of_triangle, triangles);
    dr_delete(memory, sheets->start, vertices);
    dr_delete(memory, sheets->end, vertices);
    dr_delete(memory, sheets->parts, sheets->part_count + 1);
    *sheets = (dr_sheets){0};
}
