// Detection and resolution of vertex contacts, compiled once per instruction set.
#include "collide/shape_lanes.h"
#include "contact/contact.h"
#include "solver/sheet_lanes.h"

#define OUT_OF_REACH DR_CONTACT_OUT_OF_REACH

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

static int bit_count(int bits)
{
    int count = 0;
    for (; bits; bits &= bits - 1) {
        ++count;
    }
    return count;
}

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
    dr_f8 deepest = dr_f8_set(-args->range.recovery), beyond = dr_f8_set(args->beyond);
    int count = 0;
    for (int k = begin; k < end; ++k) {
        if (k - begin < 32 && (args->skip >> (k - begin) & 1)) {
            continue;
        }
        dr_lanes start = dr_lanes_load(sheet->layout, sheet->start, k);
        dr_v8 local = matrix_apply_transposed(obstacle->rotation, dr_v8_sub(start.p, place));
        dr_field8 field = dr_field8_of(&obstacle->terms, local);
        if (args->regions) {
            store_regions(args, k, local, field.distance);
        }
        if (args->beyond > 0.0f && dr_f8_bits(dr_f8_less(beyond, field.distance)) == 0xff) {
            continue;
        }
        dr_lanes pos = dr_lanes_load(sheet->layout, sheet->pos, k);
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
        dr_f8_store(contact->grip, zero);
        contact->vector = k;
        contact->count = bit_count(bits);
    }
    return count;
}

// --- Edges ---

// One end of eight edges: where it starts and where it is predicted, in the frame of the obstacle,
// and how it slips against it.
typedef struct ends {
    dr_v8 start, local, slip;
    dr_field8 field;
    dr_v8 local_end;
    dr_field8 field_end;
} ends;

static dr_v8 gather_points(const dr_sheet* sheet, const float* array, const int32_t slot[8])
{
    float c[3][8];
    for (int i = 0; i < 8; ++i) {
        drape_vec3 p = dr_sheet_get(sheet->layout, array, slot[i]);
        c[0][i] = p.x;
        c[1][i] = p.y;
        c[2][i] = p.z;
    }
    return dr_v8_load(c[0]);
}

// Where the obstacle carries a point that starts there.
static dr_v8 anchor_of(const dr_obstacle* obstacle, dr_v8 start, dr_v8 local)
{
    return dr_v8_add(start, dr_v8_add(splat(obstacle->shift), matrix_apply(obstacle->turn, local)));
}

static ends gather_ends(const dr_detect_args* args, const int32_t slot[8])
{
    const dr_obstacle* obstacle = args->obstacle;
    ends e;
    e.start = gather_points(args->sheet, args->sheet->start, slot);
    e.local = matrix_apply_transposed(obstacle->rotation, dr_v8_sub(e.start, splat(obstacle->place)));
    dr_v8 pos = gather_points(args->sheet, args->sheet->pos, slot);
    e.slip = dr_v8_sub(pos, anchor_of(obstacle, e.start, e.local));
    e.field = dr_field8_of(&obstacle->terms, e.local);
    dr_v8 place_end = dr_v8_add(splat(obstacle->place), splat(obstacle->shift));
    e.local_end = matrix_apply_transposed(obstacle->rotation_end, dr_v8_sub(pos, place_end));
    e.field_end = dr_field8_of(&obstacle->terms, e.local_end);
    return e;
}

// Eight edges at one time, with the distance at their ends.
typedef struct edges8 {
    dr_v8 from, along;
    dr_f8 distance[2], slope[2];
} edges8;

static edges8 edges_of(dr_v8 a, dr_v8 b, const dr_field8* at_a, const dr_field8* at_b)
{
    dr_v8 along = dr_v8_sub(b, a);
    return (edges8){a,
                    along,
                    {at_a->distance, at_b->distance},
                    {dr_v8_dot(at_a->normal, along), dr_v8_dot(at_b->normal, along)}};
}

// Where the distance is least between the ends and may be below `limit`: it falls from both, and
// the tangents at the ends meet below the minimum.
static dr_f8 may_dip(const edges8* e, dr_f8 limit)
{
    dr_f8 zero = dr_f8_zero();
    dr_f8 inside = dr_f8_and(dr_f8_less(e->slope[0], zero), dr_f8_less(zero, e->slope[1]));
    dr_f8 apart = dr_f8_select(inside, dr_f8_sub(e->slope[0], e->slope[1]), dr_f8_set(-1.0f));
    dr_f8 meet = dr_f8_div(
        dr_f8_sub(dr_f8_sub(e->distance[1], e->slope[1]), e->distance[0]), apart);
    dr_f8 lowest = dr_f8_add(e->distance[0], dr_f8_mul(e->slope[0], meet));
    return dr_f8_and(inside, dr_f8_less(lowest, limit));
}

static dr_f8 nearer_end(const edges8* e, dr_f8 by)
{
    return dr_f8_sub(dr_f8_min(e->distance[0], e->distance[1]), by);
}

static edges8 edges_select(dr_f8 mask, const edges8* yes, const edges8* no)
{
    edges8 e = {dr_v8_select(mask, yes->from, no->from),
                dr_v8_select(mask, yes->along, no->along),
                {dr_f8_select(mask, yes->distance[0], no->distance[0]),
                 dr_f8_select(mask, yes->distance[1], no->distance[1])},
                {dr_f8_select(mask, yes->slope[0], no->slope[0]),
                 dr_f8_select(mask, yes->slope[1], no->slope[1])}};
    return e;
}

// Where along the edges the distance is least. It is convex: between a place where it falls and one
// where it rises, take in turn where the tangents meet (exact at a kink), where the slope would
// vanish (exact for a parabola), and the middle (never stalls).
static dr_f8 least_along(const dr_obstacle* obstacle, const edges8* e, dr_field8* field)
{
    dr_f8 lo = dr_f8_zero(), hi = dr_f8_set(1.0f), half = dr_f8_set(0.5f), at = half;
    dr_f8 at_lo = e->distance[0], at_hi = e->distance[1];
    dr_f8 slope_lo = e->slope[0], slope_hi = e->slope[1];
    for (int i = 0; i < 9; ++i) {
        dr_f8 width = dr_f8_sub(hi, lo), step = dr_f8_mul(width, half);
        if (i % 3 != 2) {
            dr_f8 rise = i % 3 == 0 ? dr_f8_sub(dr_f8_mul(slope_hi, width), dr_f8_sub(at_hi, at_lo))
                                    : dr_f8_mul(dr_f8_neg(slope_lo), width);
            step = dr_f8_div(rise, dr_f8_sub(slope_hi, slope_lo));
            step = dr_f8_min(dr_f8_max(step, dr_f8_zero()), width); // rounding
        }
        at = dr_f8_add(lo, step);
        *field = dr_field8_of(&obstacle->terms, dr_v8_add(e->from, dr_v8_scale(e->along, at)));
        dr_f8 slope = dr_v8_dot(field->normal, e->along), falls = dr_f8_less(slope, dr_f8_zero());
        lo = dr_f8_select(falls, at, lo);
        slope_lo = dr_f8_select(falls, slope, slope_lo);
        at_lo = dr_f8_select(falls, field->distance, at_lo);
        hi = dr_f8_select(falls, hi, at);
        slope_hi = dr_f8_select(falls, slope_hi, slope);
        at_hi = dr_f8_select(falls, at_hi, field->distance);
    }
    return at;
}

static void store_contacts(const dr_detect_args* args, int32_t slots[2][8], int bits, dr_f8 at,
                           dr_v8 normal, dr_v8 anchor, dr_f8 gap, dr_contact1* out)
{
    float t[8], g[8], n[3][8], c[3][8];
    dr_f8_store(t, at);
    dr_f8_store(g, gap);
    dr_v8_store(n[0], normal);
    dr_v8_store(c[0], anchor);
    for (int i = 0; i < 8; ++i) {
        if (bits >> i & 1) {
            *out++ = (dr_contact1){.slot = {slots[0][i], slots[1][i], slots[0][i]},
                                   .weight = {1.0f - t[i], t[i], 0.0f},
                                   .normal = {n[0][i], n[1][i], n[2][i]},
                                   .anchor = {c[0][i], c[1][i], c[2][i]},
                                   .gap = g[i],
                                   .friction = args->friction};
        }
    }
}

// Up to eight edges; bits of those that exist. Returns how many contacts were made.
//
// An edge gets a contact at its nearest point, when that is between its ends at the start, or when
// it would be inside at the end: it may lie flat on a face now and break over its edge in this
// substep. The plane is always the one at the start.
static int detect_eight(const dr_detect_args* args, int32_t slots[2][8], int exist,
                        dr_contact1* out)
{
    const dr_obstacle* obstacle = args->obstacle;
    dr_f8 zero = dr_f8_zero(), radius = dr_f8_set(args->range.radius);
    dr_f8 little = dr_f8_mul(radius, dr_f8_set(0.02f));
    ends a = gather_ends(args, slots[0]), b = gather_ends(args, slots[1]);
    edges8 start = edges_of(a.local, b.local, &a.field, &b.field);
    edges8 end = edges_of(a.local_end, b.local_end, &a.field_end, &b.field_end);
    dr_f8 slipped = dr_f8_sqrt(dr_f8_max(dr_v8_dot(a.slip, a.slip), dr_v8_dot(b.slip, b.slip)));
    dr_f8 reach = dr_f8_add(radius, dr_f8_set(args->range.static_radius));
    dr_f8 reach_moving = dr_f8_add(reach, dr_f8_mul(slipped, dr_f8_set(1.5f)));
    // An end that is nearest has a contact of its own.
    dr_f8 limit = dr_f8_min(nearer_end(&start, little), reach_moving);
    dr_f8 limit_end = dr_f8_min(nearer_end(&end, little), radius);
    dr_f8 now = may_dip(&start, limit), later = may_dip(&end, limit_end);
    dr_f8 worth = dr_f8_or(now, later);
    if (!(dr_f8_bits(worth) & exist)) {
        return 0;
    }
    edges8 looked_at = edges_select(now, &start, &end);
    looked_at.slope[0] = dr_f8_select(worth, looked_at.slope[0], dr_f8_set(-1.0f));
    looked_at.slope[1] = dr_f8_select(worth, looked_at.slope[1], dr_f8_set(1.0f));
    dr_field8 field;
    dr_f8 at = least_along(obstacle, &looked_at, &field);
    dr_f8 dips = dr_f8_less(field.distance, dr_f8_select(now, limit, limit_end));
    dr_v8 local = dr_v8_add(start.from, dr_v8_scale(start.along, at));
    field = dr_field8_of(&obstacle->terms, local);
    dr_v8 normal = matrix_apply(obstacle->rotation_end, field.normal);
    dr_f8 closing = dr_f8_max(dr_f8_neg(dr_v8_dot(a.slip, normal)),
                              dr_f8_neg(dr_v8_dot(b.slip, normal)));
    closing = dr_f8_add(dr_f8_max(closing, zero), dr_f8_mul(slipped, dr_f8_set(0.5f)));
    dr_f8 touching = dr_f8_and(dips, dr_f8_less(dr_f8_sub(field.distance, closing), reach));
    int bits = dr_f8_bits(dr_f8_and(worth, touching)) & exist;
    dr_v8 at_start = dr_v8_add(a.start, dr_v8_scale(dr_v8_sub(b.start, a.start), at));
    dr_f8 gap = dr_f8_max(dr_f8_sub(field.distance, radius), dr_f8_set(-args->range.recovery));
    store_contacts(args, slots, bits, at, normal, anchor_of(obstacle, at_start, local), gap, out);
    return bit_count(bits);
}

static int detect_edges(const dr_detect_args* args, const int32_t (*edges)[2], const int32_t* list,
                        int count, dr_contact1* out)
{
    int made = 0;
    for (int first = 0; first < count; first += 8) {
        int32_t slots[2][8];
        int exist = 0;
        for (int i = 0; i < 8; ++i) {
            int k = first + i < count ? first + i : first;
            exist |= (first + i < count) << i;
            slots[0][i] = edges[list[k]][0];
            slots[1][i] = edges[list[k]][1];
        }
        made += detect_eight(args, slots, exist, out + made);
    }
    return made;
}

// --- Resolution ---

// As dr_contact_grip.
static void grip(const dr_sheet* sheet, const dr_predict_args* predicted, dr_contact8* contacts,
                 int count)
{
    dr_f8 zero = dr_f8_zero(), one = dr_f8_set(1.0f), two = dr_f8_set(2.0f);
    dr_f8 h = dr_f8_set(predicted->h), pushed = dr_f8_set(predicted->keep * predicted->h);
    dr_f8 creep = dr_f8_set(DR_CONTACT_CREEP * predicted->h);
    for (int i = 0; i < count; ++i) {
        dr_contact8* contact = &contacts[i];
        dr_v8 start = dr_lanes_load(sheet->layout, sheet->start, contact->vector).p;
        dr_v8 vel = dr_lanes_load(sheet->layout, sheet->vel, contact->vector).p;
        dr_v8 push = splat(predicted->gravity);
        if (sheet->force) {
            push = dr_v8_add(push, dr_lanes_load(sheet->layout, sheet->force, contact->vector).p);
        }
        dr_v8 way = dr_v8_scale(dr_v8_sub(vel, dr_v8_scale(push, pushed)), h);
        way = dr_v8_sub(way, dr_v8_sub(dr_v8_load(contact->anchor[0]), start));
        dr_v8 normal = dr_v8_load(contact->normal[0]);
        way = dr_v8_sub(way, dr_v8_scale(normal, dr_v8_dot(way, normal)));
        dr_f8 length = dr_f8_sqrt(dr_v8_dot(way, way));
        dr_f8 holds = dr_f8_sub(two, dr_f8_div(length, creep));
        dr_f8_store(contact->grip, dr_f8_min(dr_f8_max(holds, zero), one));
    }
}

static void resolve(const dr_sheet* sheet, dr_friction friction, dr_contact8* contacts, int count)
{
    dr_f8 zero = dr_f8_zero(), one = dr_f8_set(1.0f);
    dr_f8 at_rest = dr_f8_set(friction.at_rest), sliding = dr_f8_set(friction.sliding);
    dr_f8 more = dr_f8_set(friction.at_rest - friction.sliding);
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
        dr_f8 slows = dr_f8_add(sliding, dr_f8_mul(more, dr_f8_load(contact->grip)));
        dr_f8 can_slow = dr_f8_sub(dr_f8_mul(slows, pressed), rubbed);
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
const dr_contact_kernels DR_KERNEL(dr_contact_kernels) = {detect, detect_edges, grip, resolve,
                                                            gap};
