// Planes between a cloth and a body of triangles, and the contacts made of them.
#include "contact/mesh_contact_parts.h"
#include "core/isa.h"

DR_KERNEL_TABLE(dr_touch_kernels)

bool dr_touch_is_in_range(const dr_touch_args* args, const dr_touch_spot* at,
                          const dr_touch_plane* facing, float radius, float reach)
{
    float closing = 0.0f, furthest = 0.0f;
    for (int i = 0; i < at->count; ++i) {
        drape_vec3 slip = slip_of(args, at->slots[i], facing->carried);
        closing = fmaxf(closing, -dr_dot(slip, facing->normal));
        furthest = fmaxf(furthest, dr_dot(slip, slip));
    }
    return facing->distance - radius - closing - 0.5f * sqrtf(furthest) <= reach;
}

dr_contact1 dr_touch_contact(const dr_touch_args* args, const dr_touch_spot* at,
                             const dr_touch_plane* facing, float radius)
{
    const dr_obstacle* obstacle = args->obstacle;
    drape_vec3 start = {0, 0, 0}, local = {0, 0, 0};
    dr_contact1 contact = {.friction = args->friction,
                           .gap = fmaxf(facing->distance - radius, -args->range.recovery),
                           .normal = dr_matrix_apply(obstacle->rotation_end, facing->normal)};
    for (int i = 0; i < 3; ++i) {
        int32_t slot = at->slots[i < at->count ? i : 0];
        float weight = i < at->count ? at->weights[i] : 0.0f;
        contact.slot[i] = slot;
        contact.weight[i] = weight;
        drape_vec3 p = dr_sheet_get(args->sheet->layout, args->sheet->start, slot);
        start = dr_add(start, dr_scale(p, weight));
        local = dr_add(local, dr_scale(local_of(args, slot), weight));
    }
    drape_vec3 moved = dr_add(obstacle->shift, dr_matrix_apply(obstacle->turn, local));
    moved = dr_add(moved, dr_matrix_apply(obstacle->rotation_end, facing->carried));
    contact.anchor = dr_add(start, moved);
    return contact;
}

drape_vec3 dr_touch_normal(const dr_touch_args* args, const dr_points3 start, const dr_points3 end,
                           drape_vec3 p, drape_vec3 slip)
{
    drape_vec3 n = normal_of(end);
    int side = side_of(start, p);
    bool is_open = !args->obstacle->body->is_closed;
    bool is_behind = side < 0 || (side == 0 && is_open && dr_dot(slip, n) > 0.0f);
    return is_behind ? dr_scale(n, -1.0f) : n;
}
