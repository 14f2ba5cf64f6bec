#include "contact/floor.h"

#include <math.h>

#include "core/vec_math.h"

static double height_over(const dr_halfspace* plane, drape_vec3 p)
{
    return plane->normal[0] * (double)p.x + plane->normal[1] * (double)p.y +
           plane->normal[2] * (double)p.z + plane->offset;
}

// The plane at the end of the step, lifted by the thickness.
static dr_halfspace halfspace_of(const dr_floor* floor, float thickness)
{
    drape_vec3 n = dr_quat_rotate(floor->end.rotate, (drape_vec3){0.0f, 1.0f, 0.0f});
    double normal[3] = {n.x, n.y, n.z}, offset = -(double)thickness;
    double length = sqrt(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]);
    const double at[3] = {floor->end.translate.x, floor->end.translate.y, floor->end.translate.z};
    dr_halfspace plane = {.friction_static = floor->friction_static,
                          .friction_dynamic = floor->friction_dynamic,
                          .dependent = -1};
    for (int c = 0; c < 3; ++c) {
        plane.normal[c] = normal[c] / length;
        offset -= plane.normal[c] * at[c];
    }
    plane.offset = offset;
    return plane;
}

static void carry(const dr_floor* floor, drape_vec3 start, double anchor[3])
{
    drape_vec3 p = dr_transform_apply(floor->end, dr_transform_inverse_apply(floor->start, start));
    anchor[0] = (double)p.x;
    anchor[1] = (double)p.y;
    anchor[2] = (double)p.z;
}

bool dr_floor_detect(const dr_floor* floor, float thickness, dr_slide_mode mode, dr_memory* memory,
                     const dr_sheets* sheets, dr_limits* limits, dr_slide_result* result)
{
    // Candidates are rounded to floats: a solved vertex may be this much below its plane.
    const double rounding = 1e-6;
    dr_halfspace plane = halfspace_of(floor, thickness);
    result->exact_tests += sheets->vertex_count;
    for (int v = 0; v < sheets->vertex_count; ++v) {
        double height = height_over(&plane, sheets->end[v]);
        result->smallest_gap = fmin(result->smallest_gap, height + (double)thickness);
        if (height >= -rounding || limits->hold[v] != DR_HOLD_FREE) {
            continue;
        }
        drape_vec3 from = sheets->start[v], to = sheets->end[v];
        const double way[3] = {(double)to.x - (double)from.x, (double)to.y - (double)from.y,
                               (double)to.z - (double)from.z};
        plane.dependent = mode == DR_SLIDE_DEPENDENT ? dr_slide_dependent(plane.normal, way) : -1;
        carry(floor, from, plane.anchor);
        dr_limit_answer answer = dr_limits_add_plane(limits, memory, v, &plane);
        if (answer == DR_LIMIT_NO_MEMORY) {
            return false;
        }
        if (answer == DR_LIMIT_FULL) {
            // No way out between so many planes: it goes with the last one.
            dr_limits_hold(limits, v, DR_HOLD_FROZEN, plane.anchor);
            ++result->frozen_count;
        }
        ++result->plane_count;
        result->is_clean = false;
    }
    return true;
}
