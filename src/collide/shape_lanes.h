// collide/shape_lanes.h: signed distance of eight points at a time. For kernel files only.
#ifndef DR_SHAPE_LANES_H
#define DR_SHAPE_LANES_H

#include "collide/shape.h"
#include "core/simd.h"

typedef struct dr_field8 {
    dr_f8 distance;
    dr_v8 normal;
} dr_field8;

static inline dr_field8 dr_field8_ball(dr_v8 p, dr_f8 radius)
{
    dr_f8 zero = dr_f8_zero(), length = dr_f8_sqrt(dr_v8_dot(p, p));
    dr_f8 away = dr_f8_less(zero, length);
    dr_f8 inverse = dr_f8_div(dr_f8_set(1.0f), dr_f8_select(away, length, dr_f8_set(1.0f)));
    dr_v8 up = dr_v8_set(0.0f, 1.0f, 0.0f);
    return (dr_field8){dr_f8_sub(length, radius), dr_v8_select(away, dr_v8_scale(p, inverse), up)};
}

static inline dr_field8 dr_field8_select(dr_f8 mask, dr_field8 yes, dr_field8 no)
{
    return (dr_field8){dr_f8_select(mask, yes.distance, no.distance),
                       dr_v8_select(mask, yes.normal, no.normal)};
}

static inline dr_field8 dr_field8_capsule(const dr_shape_terms* t, dr_v8 p)
{
    dr_f8 zero = dr_f8_zero(), one = dr_f8_set(1.0f);
    dr_f8 cosine = dr_f8_set(t->cosine), slope = dr_f8_set(t->slope);
    dr_v8 bottom = {p.x, dr_f8_add(p.y, dr_f8_set(t->half_height)), p.z};
    dr_v8 top = {p.x, dr_f8_sub(bottom.y, dr_f8_set(t->height)), p.z};
    dr_f8 radial = dr_f8_sqrt(dr_f8_add(dr_f8_mul(p.x, p.x), dr_f8_mul(p.z, p.z)));
    dr_f8 along = dr_f8_sub(dr_f8_mul(bottom.y, cosine), dr_f8_mul(radial, slope));
    dr_f8 off_axis = dr_f8_less(zero, radial);
    dr_f8 out = dr_f8_div(cosine, dr_f8_select(off_axis, radial, one));
    dr_field8 mantle;
    mantle.distance = dr_f8_sub(dr_f8_add(dr_f8_mul(radial, cosine), dr_f8_mul(bottom.y, slope)),
                                dr_f8_set(t->radius));
    mantle.normal.x = dr_f8_select(off_axis, dr_f8_mul(p.x, out), cosine);
    mantle.normal.y = slope;
    mantle.normal.z = dr_f8_select(off_axis, dr_f8_mul(p.z, out), zero);
    // Beyond either end the ball there counts, below before above.
    dr_f8 is_below = dr_f8_less(along, zero);
    dr_f8 is_above = dr_f8_less(dr_f8_set(t->cosine * t->height), along);
    dr_field8 end =
        dr_field8_ball(dr_v8_select(is_below, bottom, top),
                       dr_f8_select(is_below, dr_f8_set(t->radius), dr_f8_set(t->radius_top)));
    return dr_field8_select(dr_f8_or(is_below, is_above), end, mantle);
}

// `n` with the sign of `c` (plus for zero).
static inline dr_f8 dr_f8_with_sign(dr_f8 n, dr_f8 c)
{
    return dr_f8_select(dr_f8_less(c, dr_f8_zero()), dr_f8_neg(n), n);
}

static inline dr_field8 dr_field8_box(const dr_shape_terms* t, dr_v8 p)
{
    dr_f8 zero = dr_f8_zero(), one = dr_f8_set(1.0f);
    dr_v8 d = {dr_f8_sub(dr_f8_abs(p.x), dr_f8_set(t->half.x)),
               dr_f8_sub(dr_f8_abs(p.y), dr_f8_set(t->half.y)),
               dr_f8_sub(dr_f8_abs(p.z), dr_f8_set(t->half.z))};
    dr_v8 out = {dr_f8_max(d.x, zero), dr_f8_max(d.y, zero), dr_f8_max(d.z, zero)};
    dr_f8 squared = dr_v8_dot(out, out), outside = dr_f8_less(zero, squared);
    dr_f8 length = dr_f8_sqrt(squared);
    dr_v8 n = dr_v8_scale(out, dr_f8_div(one, dr_f8_select(outside, length, one)));
    // Inside: the nearest face, x before y before z.
    dr_f8 deepest = dr_f8_max(d.x, dr_f8_max(d.y, d.z));
    dr_f8 not_x = dr_f8_less(d.x, deepest), not_y = dr_f8_less(d.y, deepest);
    dr_v8 face = {dr_f8_select(not_x, zero, one),
                  dr_f8_select(not_x, dr_f8_select(not_y, zero, one), zero),
                  dr_f8_select(dr_f8_and(not_x, not_y), one, zero)};
    n = dr_v8_select(outside, n, face);
    return (dr_field8){
        dr_f8_select(outside, length, deepest),
        {dr_f8_with_sign(n.x, p.x), dr_f8_with_sign(n.y, p.y), dr_f8_with_sign(n.z, p.z)}};
}

static inline dr_field8 dr_field8_of(const dr_shape_terms* terms, dr_v8 p)
{
    switch (terms->kind) {
    case DRAPE_SHAPE_SPHERE: return dr_field8_ball(p, dr_f8_set(terms->radius));
    case DRAPE_SHAPE_CAPSULE: return dr_field8_capsule(terms, p);
    case DRAPE_SHAPE_BOX: return dr_field8_box(terms, p);
    case DRAPE_SHAPE_PLANE: break;
    }
    return (dr_field8){p.y, dr_v8_set(0.0f, 1.0f, 0.0f)};
}

#endif
