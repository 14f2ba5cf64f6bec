#include "contact/push_out.h"

#include <math.h>

#include "core/vec_math.h"

// Takes the slip of a vertex against the obstacle back: all of it while friction can hold, else as
// much as it slides with.
static drape_vec3 rub(drape_vec3 slip, drape_vec3 normal, float pressed, dr_friction friction)
{
    drape_vec3 slide = dr_sub(slip, dr_scale(normal, dr_dot(slip, normal)));
    float length = dr_length(slide);
    bool holds = friction.at_rest * pressed >= length;
    float back = holds ? length : fminf(friction.sliding * pressed, length);
    return length > 0.0f ? dr_scale(slide, -back / length) : (drape_vec3){0.0f, 0.0f, 0.0f};
}

int dr_push_out(const dr_sheet* sheet, int begin, int end, const dr_obstacle* obstacle,
                float radius, dr_friction friction)
{
    drape_vec3 place_end = dr_add(obstacle->place, obstacle->shift);
    int count = 0;
    for (int slot = begin; slot < end; ++slot) {
        if (dr_sheet_inverse_mass(sheet, slot) == 0.0f) {
            continue;
        }
        drape_vec3 p = dr_sheet_get(sheet->layout, sheet->pos, slot), normal;
        drape_vec3 local = dr_matrix_apply_transposed(obstacle->rotation_end, dr_sub(p, place_end));
        float depth = radius - dr_shape_distance(&obstacle->terms, local, &normal);
        if (!(depth > 0.0f)) {
            continue;
        }
        normal = dr_matrix_apply(obstacle->rotation_end, normal);
        // Where the obstacle carries a vertex that sticks to it.
        drape_vec3 start = dr_sheet_get(sheet->layout, sheet->start, slot);
        drape_vec3 from =
            dr_matrix_apply_transposed(obstacle->rotation, dr_sub(start, obstacle->place));
        drape_vec3 anchor =
            dr_add(dr_add(start, obstacle->shift), dr_matrix_apply(obstacle->turn, from));
        drape_vec3 back = rub(dr_sub(p, anchor), normal, depth, friction);
        p = dr_add(dr_add(p, dr_scale(normal, depth)), back);
        dr_sheet_set(sheet->layout, sheet->pos, slot, p);
        ++count;
    }
    return count;
}
