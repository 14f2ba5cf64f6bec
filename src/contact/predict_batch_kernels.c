// The sweep over contacts between cloths, compiled once per instruction set.
#include "contact/predict_batch.h"
#include "core/simd.h"

typedef struct vertex8 {
    dr_v8 at;
    dr_f8 yield; // inverse mass
} vertex8;

static inline vertex8 gather(const float* records, const int32_t* index)
{
    dr_f8 r[4];
    dr_f8_gather4(records, index, r);
    return (vertex8){{r[0], r[1], r[2]}, r[3]};
}

static inline void scatter(float* records, const int32_t* index, vertex8 v)
{
    dr_f8 r[4] = {v.at.x, v.at.y, v.at.z, v.yield};
    dr_f8_scatter4(records, index, r);
}

static inline dr_f8 not_zero(dr_f8 a)
{
    return dr_f8_select(dr_f8_less(dr_f8_zero(), a), a, dr_f8_set(1.0f));
}

static inline dr_f8 where(dr_f8 mask, dr_f8 a)
{
    return dr_f8_select(mask, a, dr_f8_zero());
}

static inline dr_f8 is_outside(dr_f8 weight, float limit)
{
    return dr_f8_less(dr_f8_set(limit), dr_f8_abs(weight));
}

// --- Triangles ---

// The plane of a triangle and where the foot of p is on it.
typedef struct plane8 {
    dr_v8 normal;
    dr_f8 height; // of p
    dr_f8 weight[3];
    dr_f8 is_sound; // has an area
} plane8;

static inline plane8 plane_of(dr_v8 p, dr_v8 p0, dr_v8 p1, dr_v8 p2, dr_f8 side)
{
    dr_v8 e1 = dr_v8_sub(p1, p0), e2 = dr_v8_sub(p2, p0), d = dr_v8_sub(p, p0);
    dr_v8 raw = dr_v8_cross(e1, e2);
    dr_f8 squared = dr_v8_dot(raw, raw), longest = dr_f8_max(dr_v8_dot(e1, e1), dr_v8_dot(e2, e2));
    // Sine of the angle at p0 above a millionth.
    dr_f8 least = dr_f8_mul(dr_f8_mul(longest, longest), dr_f8_set(1e-12f));
    plane8 plane = {.is_sound = dr_f8_less(least, squared)};
    dr_f8 inverse = dr_f8_div(dr_f8_set(1.0f), not_zero(squared));
    dr_f8 length = dr_f8_sqrt(not_zero(squared));
    plane.normal = dr_v8_scale(raw, dr_f8_div(side, length));
    plane.height = dr_v8_dot(plane.normal, d);
    plane.weight[1] = dr_f8_mul(dr_v8_dot(dr_v8_cross(d, e2), raw), inverse);
    plane.weight[2] = dr_f8_mul(dr_v8_dot(dr_v8_cross(e1, d), raw), inverse);
    plane.weight[0] = dr_f8_sub(dr_f8_sub(dr_f8_set(1.0f), plane.weight[1]), plane.weight[2]);
    return plane;
}

static inline dr_f8 lane_far(const dr_f8 weight[3], float limit)
{
    return dr_f8_or(dr_f8_or(is_outside(weight[0], limit), is_outside(weight[1], limit)),
                    is_outside(weight[2], limit));
}

static inline void begin_lanes(dr_predict_lanes* lanes, dr_f8 height, dr_f8 rests, float push)
{
    dr_f8 target = dr_f8_min(dr_f8_load(lanes->gap), dr_f8_add(height, dr_f8_set(push)));
    dr_f8_store(lanes->target, dr_f8_select(rests, dr_f8_set(DR_PREDICT_RESTS), target));
    dr_f8_store(lanes->pressed, dr_f8_zero());
    dr_f8_store(lanes->rubbed, dr_f8_zero());
    lanes->awake = lanes->there & ~(uint32_t)dr_f8_bits(rests);
}

static inline void advance_lanes(dr_predict_lanes* lanes, dr_f8 push)
{
    dr_f8 target = dr_f8_add(dr_f8_load(lanes->target), push);
    dr_f8_store(lanes->target, dr_f8_min(dr_f8_load(lanes->gap), target));
    dr_f8_store(lanes->pressed, dr_f8_zero());
    dr_f8_store(lanes->rubbed, dr_f8_zero());
}

static void advance_points(dr_point_batch* batches, int count, float push)
{
    for (int i = 0; i < count; ++i) {
        advance_lanes(&batches[i].lanes, dr_f8_set(push));
    }
}

static void advance_edges(dr_edge_batch* batches, int count, float push)
{
    for (int i = 0; i < count; ++i) {
        advance_lanes(&batches[i].lanes, dr_f8_set(push));
    }
}

static inline dr_f8 lowest_weight(const plane8* plane)
{
    return dr_f8_min(dr_f8_min(plane->weight[0], plane->weight[1]), plane->weight[2]);
}

// The gap stays wide all the way.
static inline dr_f8 stays_wide(const dr_predict_lanes* lanes, dr_f8 start, dr_f8 end, float wide)
{
    return dr_f8_less(dr_f8_add(dr_f8_load(lanes->gap), dr_f8_set(wide)), dr_f8_min(start, end));
}

static inline void gather_all(const float* records, const dr_predict_lanes* lanes, vertex8 v[4])
{
    for (int k = 0; k < 4; ++k) {
        v[k] = gather(records, lanes->vertex[k]);
    }
}

// Kept contacts that can do nothing in this substep; notes whose foot has left the triangle.
static inline dr_f8 points_rest(dr_point_batch* batch, const plane8* start,
                                const dr_predict_begin_args* begin)
{
    vertex8 v[4];
    gather_all(begin->end, &batch->lanes, v);
    plane8 end = plane_of(v[0].at, v[1].at, v[2].at, v[3].at, dr_f8_load(batch->side));
    dr_f8 lowest = dr_f8_max(lowest_weight(start), lowest_weight(&end));
    dr_f8 is_beside = dr_f8_less(lowest, dr_f8_set(-begin->outside));
    dr_f8 is_other = dr_f8_less(start->height, dr_f8_set(-begin->depth));
    dr_f8 is_far =
        dr_f8_or(is_other, stays_wide(&batch->lanes, start->height, end.height, begin->wide));
    dr_f8 is_out = dr_f8_less(lowest_weight(start), dr_f8_set(-DR_PREDICT_OUTSIDE));
    batch->outside = (uint32_t)dr_f8_bits(is_out) & batch->lanes.there;
    batch->strays = batch->outside & ~(uint32_t)dr_f8_bits(is_far);
    return dr_f8_or(is_beside, is_far);
}

static void begin_points(dr_point_batch* batches, int count, const dr_predict_begin_args* begin)
{
    for (int i = 0; i < count; ++i) {
        vertex8 v[4];
        gather_all(begin->start, &batches[i].lanes, v);
        plane8 plane = plane_of(v[0].at, v[1].at, v[2].at, v[3].at, dr_f8_load(batches[i].side));
        dr_f8 rests = begin->can_rest ? points_rest(&batches[i], &plane, begin) : dr_f8_zero();
        if ((batches[i].lanes.there & ~(uint32_t)dr_f8_bits(rests)) == 0) {
            batches[i].lanes.awake = 0;
            continue;
        }
        begin_lanes(&batches[i].lanes, plane.height, rests, begin->push);
    }
}

// --- What both kinds do ---

// A relative move of the pair by `along` and its share for each vertex: c_k of vertex k.
typedef struct pull8 {
    vertex8* v;
    const dr_f8* c;
    dr_f8 compliance; // sum of yield c^2
} pull8;

static inline void pull(pull8* on, dr_v8 relative)
{
    dr_v8 impulse = dr_v8_scale(relative, dr_f8_div(dr_f8_set(1.0f), on->compliance));
    for (int k = 0; k < 4; ++k) {
        dr_f8 share = dr_f8_mul(on->v[k].yield, on->c[k]);
        on->v[k].at = dr_v8_add(on->v[k].at, dr_v8_scale(impulse, share));
    }
}

// Takes slip away, as much as what is pressed can hold.
static inline dr_v8 rub_of(dr_predict_lanes* lanes, dr_v8 slip, dr_v8 normal, dr_f8 pressed)
{
    dr_f8 zero = dr_f8_zero(), rubbed = dr_f8_load(lanes->rubbed);
    dr_v8 slide = dr_v8_sub(slip, dr_v8_scale(normal, dr_v8_dot(slip, normal)));
    dr_f8 length = dr_f8_sqrt(dr_v8_dot(slide, slide));
    dr_f8 can_hold = dr_f8_sub(dr_f8_mul(dr_f8_load(lanes->at_rest), pressed), rubbed);
    dr_f8 can_slow = dr_f8_sub(dr_f8_mul(dr_f8_load(lanes->sliding), pressed), rubbed);
    dr_f8 slowed = dr_f8_min(dr_f8_max(can_slow, zero), length);
    dr_f8 rub = dr_f8_select(dr_f8_less(can_hold, length), slowed, length);
    rub = where(dr_f8_less(zero, pressed), rub);
    dr_f8_store(lanes->rubbed, dr_f8_add(rubbed, rub));
    return dr_v8_scale(slide, dr_f8_neg(dr_f8_div(rub, not_zero(length))));
}

// Relative displacement since the start of the substep.
static inline dr_v8 slip_of(const dr_predict_lanes* lanes, const float* start, const vertex8 v[4],
                            const dr_f8 c[4])
{
    dr_v8 slip = dr_v8_set(0.0f, 0.0f, 0.0f);
    for (int k = 0; k < 4; ++k) {
        dr_v8 way = dr_v8_sub(v[k].at, gather(start, lanes->vertex[k]).at);
        slip = dr_v8_add(slip, dr_v8_scale(way, c[k]));
    }
    return slip;
}

// Pushes apart where C < 0, then rubs. `c` are the shares of the relative place n.(sum c_k v_k).
static inline void resolve(dr_predict_lanes* lanes, dr_predict_places places, vertex8 v[4],
                           const dr_f8 c[4], dr_v8 normal, dr_f8 push)
{
    dr_f8 compliance = dr_f8_zero(), longest = dr_f8_zero();
    for (int k = 0; k < 4; ++k) {
        dr_f8 moved = dr_f8_mul(v[k].yield, dr_f8_abs(c[k]));
        compliance = dr_f8_add(compliance, dr_f8_mul(moved, dr_f8_abs(c[k])));
        longest = dr_f8_max(longest, moved);
    }
    // Where only a vertex with a small share can yield it would be thrown far: at most twice as far
    // as the pair shall come apart.
    compliance = dr_f8_max(compliance, dr_f8_mul(longest, dr_f8_set(0.5f)));
    dr_f8 can_yield = dr_f8_less(dr_f8_set(1e-12f), compliance);
    push = where(can_yield, push);
    pull8 on = {v, c, dr_f8_select(can_yield, compliance, dr_f8_set(1.0f))};
    pull(&on, dr_v8_scale(normal, push));
    dr_f8 pressed = dr_f8_add(dr_f8_load(lanes->pressed), push);
    dr_f8_store(lanes->pressed, pressed);
    pull(&on, rub_of(lanes, slip_of(lanes, places.start, v, c), normal, pressed));
    for (int k = 0; k < 4; ++k) {
        scatter(places.now, lanes->vertex[k], v[k]);
    }
}

// Nothing to push and nothing that was pressed before: most contacts of most sweeps.
static inline bool is_idle(const dr_predict_lanes* lanes, dr_f8 push)
{
    dr_f8 busy = dr_f8_less(dr_f8_zero(), dr_f8_add(push, dr_f8_load(lanes->pressed)));
    return dr_f8_bits(busy) == 0;
}

static int sweep_points(dr_point_batch* batches, int count, dr_predict_places places,
                        bool as_printed)
{
    dr_f8 zero = dr_f8_zero(), one = dr_f8_set(1.0f);
    int given_up = 0;
    for (int i = 0; i < count; ++i) {
        dr_predict_lanes* lanes = &batches[i].lanes;
        vertex8 v[4];
        for (int k = 0; k < 4; ++k) {
            v[k] = gather(places.now, lanes->vertex[k]);
        }
        plane8 plane = plane_of(v[0].at, v[1].at, v[2].at, v[3].at, dr_f8_load(batches[i].side));
        dr_f8 push = dr_f8_max(dr_f8_sub(dr_f8_load(lanes->target), plane.height), zero);
        dr_f8 is_near = dr_f8_select(lane_far(plane.weight, 1e3f), zero, plane.is_sound);
        dr_f8 wanted = dr_f8_less(zero, push);
        given_up += __builtin_popcount((unsigned)(dr_f8_bits(wanted) & ~dr_f8_bits(is_near)));
        push = where(is_near, push);
        if (is_idle(lanes, push)) {
            continue;
        }
        dr_f8 c[4] = {one, dr_f8_neg(plane.weight[0]), dr_f8_neg(plane.weight[1]),
                      dr_f8_neg(plane.weight[2])};
        for (int k = 1; k < 4; ++k) {
            c[k] = where(is_near, c[k]);
        }
        c[0] = where(is_near, c[0]);
        if (as_printed) {
            c[1] = where(is_near, dr_f8_set(-1.0f));
            c[2] = c[3] = zero;
        }
        resolve(lanes, places, v, c, plane.normal, push);
    }
    return given_up;
}

// --- Edges ---

static inline dr_v8 between(dr_v8 a, dr_v8 b, dr_f8 t)
{
    return dr_v8_add(a, dr_v8_scale(dr_v8_sub(b, a), t));
}

// Kept contacts find normal and parameters anew; they rest where the edges are nearly parallel or
// do not lie across each other.
static inline dr_f8 find_anew(dr_edge_batch* batch, const vertex8 v[4], dr_f8 turn)
{
    dr_f8 zero = dr_f8_zero(), one = dr_f8_set(1.0f);
    dr_v8 e = dr_v8_sub(v[1].at, v[0].at), f = dr_v8_sub(v[3].at, v[2].at);
    dr_v8 apart = dr_v8_sub(v[2].at, v[0].at), raw = dr_v8_cross(e, f);
    dr_f8 squared = dr_v8_dot(raw, raw);
    dr_f8 least = dr_f8_mul(dr_f8_mul(dr_v8_dot(e, e), dr_v8_dot(f, f)), dr_f8_set(0.02f));
    dr_f8 inverse = dr_f8_div(one, not_zero(squared));
    dr_f8 alpha = dr_f8_mul(dr_v8_dot(dr_v8_cross(apart, f), raw), inverse);
    dr_f8 beta = dr_f8_mul(dr_v8_dot(dr_v8_cross(apart, e), raw), inverse);
    dr_f8 outside = dr_f8_or(dr_f8_or(dr_f8_less(alpha, zero), dr_f8_less(one, alpha)),
                             dr_f8_or(dr_f8_less(beta, zero), dr_f8_less(one, beta)));
    dr_v8 normal = dr_v8_scale(raw, dr_f8_div(turn, dr_f8_sqrt(not_zero(squared))));
    // Two points have no edges: they are kept apart along the line between them.
    dr_f8 is_pair = dr_f8_less(dr_f8_set(1.5f), turn), length = dr_v8_dot(apart, apart);
    dr_v8 unit = dr_v8_scale(apart, dr_f8_div(one, dr_f8_sqrt(not_zero(length))));
    normal = dr_v8_select(is_pair, unit, normal);
    alpha = dr_f8_select(is_pair, zero, alpha);
    beta = dr_f8_select(is_pair, zero, beta);
    dr_f8 is_kept = dr_f8_less(zero, dr_f8_abs(turn));
    dr_v8 before = dr_v8_load(batch->normal[0]);
    dr_v8_store(batch->normal[0], dr_v8_select(is_kept, normal, before));
    dr_f8_store(batch->alpha, dr_f8_select(is_kept, alpha, dr_f8_load(batch->alpha)));
    dr_f8_store(batch->beta, dr_f8_select(is_kept, beta, dr_f8_load(batch->beta)));
    dr_f8 rests = dr_f8_and(is_kept, dr_f8_or(outside, dr_f8_less(squared, least)));
    return dr_f8_select(is_pair, zero, rests);
}

// Whether all kept edges of a batch lie beside each other, told without roots and divisions.
static inline bool are_beside(const dr_edge_batch* batch, const vertex8 v[4])
{
    dr_f8 zero = dr_f8_zero();
    dr_v8 e = dr_v8_sub(v[1].at, v[0].at), f = dr_v8_sub(v[3].at, v[2].at);
    dr_v8 apart = dr_v8_sub(v[2].at, v[0].at), raw = dr_v8_cross(e, f);
    dr_f8 squared = dr_v8_dot(raw, raw);
    dr_f8 alpha = dr_v8_dot(dr_v8_cross(apart, f), raw);
    dr_f8 beta = dr_v8_dot(dr_v8_cross(apart, e), raw);
    // A little outside, so that rounding does not matter.
    dr_f8 little = dr_f8_mul(squared, dr_f8_set(1e-3f)), most = dr_f8_add(squared, little);
    dr_f8 below = dr_f8_neg(little);
    dr_f8 outside = dr_f8_or(dr_f8_or(dr_f8_less(alpha, below), dr_f8_less(most, alpha)),
                             dr_f8_or(dr_f8_less(beta, below), dr_f8_less(most, beta)));
    dr_f8 turn = dr_f8_abs(dr_f8_load(batch->turn));
    dr_f8 is_edge = dr_f8_and(dr_f8_less(zero, turn), dr_f8_less(turn, dr_f8_set(1.5f)));
    uint32_t bits = (uint32_t)dr_f8_bits(dr_f8_and(outside, is_edge));
    return (batch->lanes.there & ~bits) == 0;
}

// How far apart the edges are along the normal.
static inline dr_f8 edge_height(const dr_edge_batch* batch, const vertex8 v[4])
{
    dr_v8 apart = dr_v8_sub(between(v[2].at, v[3].at, dr_f8_load(batch->beta)),
                            between(v[0].at, v[1].at, dr_f8_load(batch->alpha)));
    return dr_v8_dot(apart, dr_v8_load(batch->normal[0]));
}

static void begin_edges(dr_edge_batch* batches, int count, const dr_predict_begin_args* begin)
{
    for (int i = 0; i < count; ++i) {
        dr_edge_batch* batch = &batches[i];
        dr_f8 rests = dr_f8_zero();
        vertex8 v[4];
        gather_all(begin->start, &batch->lanes, v);
        if (begin->can_rest && are_beside(batch, v)) {
            batch->lanes.awake = 0;
            continue;
        }
        if (begin->is_kept) {
            rests = find_anew(batch, v, dr_f8_load(batch->turn));
        }
        dr_f8 height = edge_height(batch, v);
        if (begin->can_rest) {
            gather_all(begin->end, &batch->lanes, v);
            dr_f8 end = edge_height(batch, v);
            rests = dr_f8_or(rests, stays_wide(&batch->lanes, height, end, begin->wide));
            rests = dr_f8_or(rests, dr_f8_less(height, dr_f8_set(-begin->depth)));
        }
        begin_lanes(&batch->lanes, height, rests, begin->push);
    }
}

static int sweep_edges(dr_edge_batch* batches, int count, dr_predict_places places, bool as_printed)
{
    dr_f8 zero = dr_f8_zero(), one = dr_f8_set(1.0f);
    for (int i = 0; i < count; ++i) {
        dr_edge_batch* batch = &batches[i];
        dr_predict_lanes* lanes = &batch->lanes;
        vertex8 v[4];
        for (int k = 0; k < 4; ++k) {
            v[k] = gather(places.now, lanes->vertex[k]);
        }
        dr_f8 alpha = dr_f8_load(batch->alpha), beta = dr_f8_load(batch->beta);
        dr_v8 apart = dr_v8_sub(between(v[2].at, v[3].at, beta), between(v[0].at, v[1].at, alpha));
        dr_v8 normal = dr_v8_load(batch->normal[0]);
        dr_f8 height = dr_v8_dot(apart, normal);
        height = as_printed ? dr_f8_neg(height) : height;
        dr_f8 push = dr_f8_max(dr_f8_sub(dr_f8_load(lanes->target), height), zero);
        if (is_idle(lanes, push)) {
            continue;
        }
        dr_f8 c[4] = {dr_f8_sub(alpha, one), dr_f8_neg(alpha), dr_f8_sub(one, beta), beta};
        resolve(lanes, places, v, c, normal, push);
    }
    return 0;
}

const dr_predict_batch_kernels DR_KERNEL(dr_predict_batch_kernels);
const dr_predict_batch_kernels DR_KERNEL(dr_predict_batch_kernels) = {
    begin_points, begin_edges, advance_points, advance_edges, sweep_points, sweep_edges};
