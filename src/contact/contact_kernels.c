// Detection and resolution of vertex contacts, compiled once per instruction set.
#include "collide/shape_lanes.h"
#include "contact/contact.h"
#include "solver/sheet_lanes.h"

#define OUT_OF_REACH 1e30f

static inline dr_v8 matrix_apply(const float m[9], dr_v8 v)
{
    return (dr_v8){dr_v8_dot(dr_v8_set(m[0], m[1], m[2]), v),
                   dr_v8_dot(dr_v8_set(m[3], m[4], m[5]), v),
                   dr_v8_dot(dr_v8_set(m[6], m[7], m[8]), v)};
}

static inline dr_v8 matrix_apply_transposed(const float m[9], dr_v8 v)
{
    return (dr_v8){dr_v8_dot(dr_v8_set(m[0], m[3], m[6]), v),
                   dr_v8_dot(dr_v8_set(m[1], m[4], m[7]), v),
                   dr_v8_dot(dr_v8_set(m[2], m[5], m[8]), v)};
}

static inline dr_v8 splat(drape_vec3 v) { return dr_v8_set(v.x, v.y, v.z); }

// Regions of eight local points, for the search for edge contacts.
static inline void store_regions(const dr_detect_args* args, int vector, dr_v8 local,
                                 dr_f8 distance)
{
    float x[8], y[8], z[8];
    int near = dr_f8_bits(dr_f8_less(distance, dr_f8_set(args->far)));
    int away = dr_f8_bits(dr_f8_less(dr_f8_set(args->away), distance));
    uint8_t* regions = args->regions + (size_t)vector * 8;
    dr_f8_store(x, local.x);
    dr_f8_store(y, local.y);
    dr_f8_store(z, local.z);
    for (int i = 0; i < 8; ++i) {
        drape_vec3 p = {x[i], y[i], z[i]};
        uint8_t region = dr_shape_region(&args->obstacle->shape, p);
        region |= away >> i & 1 ? DR_REGION_AWAY : 0;
        regions[i] = near >> i & 1 ? region : DR_REGION_FAR;
    }
}

static int detect(const dr_detect_args* args, int begin, int end, dr_contact8* out)
{
    const dr_sheet* sheet = args->sheet;
    const dr_obstacle* obstacle = args->obstacle;
    dr_v8 place = splat(obstacle->place), shift = splat(obstacle->shift);
    dr_f8 zero = dr_f8_zero(), half = dr_f8_set(0.5f);
    dr_f8 radius = dr_f8_set(args->range.radius);
    dr_f8 reach = dr_f8_set(args->range.static_radius);
    dr_f8 deepest = dr_f8_set(-args->range.recovery);
    int count = 0;
    for (int k = begin; k < end; ++k) {
        dr_lanes start = dr_lanes_load(sheet->layout, sheet->start, k);
        dr_lanes pos = dr_lanes_load(sheet->layout, sheet->pos, k);
        dr_v8 local = matrix_apply_transposed(obstacle->rotation, dr_v8_sub(start.p, place));
        dr_field8 field = dr_field8_of(&obstacle->terms, local);
        if (args->regions) {
            store_regions(args, k, local, field.distance);
        }
        // Where the body carries the vertex, as a displacement: a body at rest moves nothing.
        dr_v8 carried = dr_v8_add(shift, matrix_apply(obstacle->turn, local));
        dr_v8 anchor = dr_v8_add(start.p, carried);
        dr_v8 normal = matrix_apply(obstacle->rotation_end, field.normal);
        dr_v8 slip = dr_v8_sub(pos.p, anchor);
        dr_f8 closing = dr_f8_max(dr_f8_neg(dr_v8_dot(slip, normal)), zero);
        dr_f8 drag = dr_f8_mul(half, dr_f8_sqrt(dr_v8_dot(slip, slip)));
        dr_f8 gap = dr_f8_sub(field.distance, radius);
        dr_f8 touching = dr_f8_less(dr_f8_sub(gap, dr_f8_add(closing, drag)), reach);
        touching = dr_f8_and(touching, dr_f8_less(zero, pos.w));
        int bits = dr_f8_bits(touching);
        if (!bits) {
            continue;
        }
        dr_contact8* contact = &out[count++];
        gap = dr_f8_max(gap, deepest);
        dr_v8_store(contact->normal[0], normal);
        dr_v8_store(contact->anchor[0], anchor);
        dr_f8_store(contact->gap, dr_f8_select(touching, gap, dr_f8_set(OUT_OF_REACH)));
        dr_f8_store(contact->pressed, zero);
        dr_f8_store(contact->rubbed, zero);
        contact->vector = k;
        contact->count = 0;
        for (; bits; bits &= bits - 1) {
            ++contact->count;
        }
    }
    return count;
}

static void resolve(const dr_sheet* sheet, dr_friction friction, dr_contact8* contacts, int count)
{
    dr_f8 zero = dr_f8_zero(), one = dr_f8_set(1.0f);
    dr_f8 at_rest = dr_f8_set(friction.at_rest), sliding = dr_f8_set(friction.sliding);
    for (int i = 0; i < count; ++i) {
        dr_contact8* contact = &contacts[i];
        dr_lanes pos = dr_lanes_load(sheet->layout, sheet->pos, contact->vector);
        dr_v8 normal = dr_v8_load(contact->normal[0]), anchor = dr_v8_load(contact->anchor[0]);
        dr_f8 pressed = dr_f8_load(contact->pressed), rubbed = dr_f8_load(contact->rubbed);
        dr_v8 slip = dr_v8_sub(pos.p, anchor);
        dr_f8 along = dr_v8_dot(slip, normal);
        dr_f8 clearance = dr_f8_add(along, dr_f8_load(contact->gap));
        // Push out, or take back what an earlier pass pushed too far.
        dr_f8 push = dr_f8_max(dr_f8_neg(clearance), dr_f8_neg(pressed));
        pressed = dr_f8_add(pressed, push);
        pos.p = dr_v8_add(pos.p, dr_v8_scale(normal, push));
        // Friction: all of the slip while it can hold, else as much as it slides with.
        dr_v8 slide = dr_v8_sub(slip, dr_v8_scale(normal, along));
        dr_f8 length = dr_f8_sqrt(dr_v8_dot(slide, slide));
        dr_f8 can_hold = dr_f8_sub(dr_f8_mul(at_rest, pressed), rubbed);
        dr_f8 can_slow = dr_f8_sub(dr_f8_mul(sliding, pressed), rubbed);
        dr_f8 slowed = dr_f8_min(dr_f8_max(can_slow, zero), length);
        dr_f8 rub = dr_f8_select(dr_f8_less(can_hold, length), slowed, length);
        dr_f8 moves = dr_f8_less(zero, length);
        dr_f8 share = dr_f8_div(rub, dr_f8_select(moves, length, one));
        pos.p = dr_v8_sub(pos.p, dr_v8_scale(slide, share));
        dr_f8_store(contact->pressed, pressed);
        dr_f8_store(contact->rubbed, dr_f8_add(rubbed, rub));
        dr_lanes_store(sheet->layout, sheet->pos, contact->vector, pos);
    }
}

static float gap(const dr_sheet* sheet, const dr_obstacle* obstacle, int begin, int end)
{
    dr_v8 place = dr_v8_add(splat(obstacle->place), splat(obstacle->shift));
    dr_f8 least = dr_f8_set(OUT_OF_REACH);
    for (int k = begin; k < end; ++k) {
        dr_lanes start = dr_lanes_load(sheet->layout, sheet->start, k);
        dr_v8 local = matrix_apply_transposed(obstacle->rotation_end, dr_v8_sub(start.p, place));
        least = dr_f8_min(dr_field8_of(&obstacle->terms, local).distance, least);
    }
    float lane[8], smallest = OUT_OF_REACH;
    dr_f8_store(lane, least);
    for (int i = 0; i < 8; ++i) {
        smallest = lane[i] < smallest ? lane[i] : smallest;
    }
    return smallest;
}

const dr_contact_kernels DR_KERNEL(dr_contact_kernels);
const dr_contact_kernels DR_KERNEL(dr_contact_kernels) = {detect, resolve, gap};
