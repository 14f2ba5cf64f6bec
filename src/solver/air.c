#include "solver/air.h"

#include <math.h>

#include "core/vec_math.h"

#define AIR_DENSITY 1.2f // kg/m^3

// The part of a vertex's mass that is one triangle's.
static float mass_share(const dr_sheet* sheet, const dr_mesh* mesh, int32_t v)
{
    int32_t around = mesh->vertex_triangle_start[v + 1] - mesh->vertex_triangle_start[v];
    return sheet->mass[v] / (float)(around > 1 ? around : 1);
}

// Grids weigh their cells, meshes their triangles.
static bool is_grid(const dr_sheet* sheet)
{
    return sheet->layout == DR_LAYOUT_STRIPED;
}

typedef struct triangle_mass {
    float least, sum; // of the shares of its corners
} triangle_mass;

static triangle_mass weigh(const dr_sheet* sheet, const dr_mesh* mesh, const int32_t* v)
{
    triangle_mass mass = {.least = INFINITY, .sum = 0.0f};
    for (int k = 0; k < 3; ++k) {
        float share = mass_share(sheet, mesh, v[k]);
        mass.least = fminf(mass.least, share);
        mass.sum += share;
    }
    return mass;
}

static drape_vec3 triangle_force(const dr_sheet* sheet, const dr_mesh* mesh, const int32_t* v,
                                 drape_vec3 air, float drag, float lift, float h)
{
    drape_vec3 x[3], sum = {0, 0, 0};
    for (int k = 0; k < 3; ++k) {
        int slot = sheet->slot_of_vertex[v[k]];
        x[k] = dr_sheet_get(sheet->layout, sheet->start, slot);
        sum = dr_add(sum, dr_sheet_get(sheet->layout, sheet->vel, slot));
    }
    drape_vec3 flow = dr_sub(dr_scale(sum, 1.0f / 3.0f), air);
    drape_vec3 n = dr_cross(dr_sub(x[1], x[0]), dr_sub(x[2], x[0]));
    float twice_area = sqrtf(dr_dot(n, n)), speed = sqrtf(dr_dot(flow, flow));
    if (!(twice_area > 0.0f) || !(speed > 0.0f)) {
        return (drape_vec3){0, 0, 0};
    }
    float through = dr_dot(n, flow) / twice_area, head_on = fabsf(through);
    float strength = 0.25f * AIR_DENSITY * twice_area * head_on;
    drape_vec3 side = dr_scale(flow, head_on / speed);
    side = dr_sub(side, dr_scale(n, copysignf(speed, through) / twice_area));
    drape_vec3 force = dr_add(dr_scale(flow, -drag), dr_scale(side, lift));
    // Implicit for the least of three equal shares: no vertex then takes more than it can from all.
    triangle_mass mass = weigh(sheet, mesh, v);
    float rate = strength * drag / (is_grid(sheet) ? mass.sum : 3.0f * mass.least);
    force = dr_scale(force, strength / (1.0f + h * rate));
    return is_grid(sheet) ? dr_scale(force, 1.0f / mass.sum) : force;
}

// From forces on the triangles of a mesh, or accelerations of those of a grid, of which its vertices
// have the mean: a corner's share of the force over its share of the mass is the same for all three.
void dr_air_blow(const dr_sheet* sheet, const dr_mesh* mesh, drape_vec3 air, float drag, float lift,
                 float h, drape_vec3* scratch)
{
    for (int t = 0; t < mesh->triangle_count; ++t) {
        scratch[t] = triangle_force(sheet, mesh, mesh->triangles[t], air, drag, lift, h);
    }
    for (int v = 0; v < mesh->vertex_count; ++v) {
        drape_vec3 sum = {0, 0, 0};
        int32_t begin = mesh->vertex_triangle_start[v], end = mesh->vertex_triangle_start[v + 1];
        for (int32_t i = begin; i < end; ++i) {
            sum = dr_add(sum, scratch[mesh->vertex_triangle_list[i]]);
        }
        float over = is_grid(sheet) ? (float)(end - begin) : 3.0f * sheet->mass[v];
        dr_sheet_set(sheet->layout, sheet->force, sheet->slot_of_vertex[v],
                     dr_scale(sum, 1.0f / over));
    }
}
