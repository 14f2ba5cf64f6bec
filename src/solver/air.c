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

static drape_vec3 triangle_force(const dr_sheet* sheet, const dr_mesh* mesh, const int32_t* v,
                                 drape_vec3 air, float drag, float lift, float h)
{
    drape_vec3 x[3], sum = {0, 0, 0};
    float share = INFINITY;
    for (int k = 0; k < 3; ++k) {
        int slot = sheet->slot_of_vertex[v[k]];
        x[k] = dr_sheet_get(sheet->layout, sheet->start, slot);
        sum = dr_add(sum, dr_sheet_get(sheet->layout, sheet->vel, slot));
        share = fminf(share, mass_share(sheet, mesh, v[k]));
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
    // Implicit for the least of its three shares: no vertex then takes more than it can from all.
    float rate = strength * drag / (3.0f * share);
    return dr_scale(force, strength / (1.0f + h * rate));
}

void dr_air_blow(const dr_sheet* sheet, const dr_mesh* mesh, drape_vec3 air, float drag, float lift,
                 float h, drape_vec3* scratch)
{
    for (int t = 0; t < mesh->triangle_count; ++t) {
        scratch[t] = triangle_force(sheet, mesh, mesh->triangles[t], air, drag, lift, h);
    }
    for (int v = 0; v < mesh->vertex_count; ++v) {
        drape_vec3 sum = {0, 0, 0};
        for (int32_t i = mesh->vertex_triangle_start[v]; i < mesh->vertex_triangle_start[v + 1];
             ++i) {
            sum = dr_add(sum, scratch[mesh->vertex_triangle_list[i]]);
        }
        dr_sheet_set(sheet->layout, sheet->force, sheet->slot_of_vertex[v],
                     dr_scale(sum, 1.0f / (3.0f * sheet->mass[v])));
    }
}
