// collide/closest_lanes.h: closest points of eight pairs at a time. For kernel files only.
//
// The same operations in the same order as closest.c: change both or neither.
#ifndef DR_CLOSEST_LANES_H
#define DR_CLOSEST_LANES_H

#include "core/simd.h"

// As dr_closest (closest.h), eight at a time.
typedef struct dr_closest8 {
    dr_f8 squared, w0, w1, w2;
} dr_closest8;

// 1 where there is nothing to divide by: the numerator is zero there, too.
static inline dr_f8 dr_f8_divisor(dr_f8 a)
{
    return dr_f8_select(dr_f8_less(dr_f8_zero(), a), a, dr_f8_set(1.0f));
}

// Into [0, 1]; what is not a number becomes 0.
static inline dr_f8 dr_f8_clamp01(dr_f8 a)
{
    return dr_f8_min(dr_f8_max(a, dr_f8_zero()), dr_f8_set(1.0f));
}

// True where all three are above zero, never where one is not a number.
static inline dr_f8 dr_f8_all_positive(dr_f8 a, dr_f8 b, dr_f8 c)
{
    dr_f8 zero = dr_f8_zero();
    return dr_f8_and(dr_f8_and(dr_f8_less(zero, a), dr_f8_less(zero, b)), dr_f8_less(zero, c));
}

// v - t e
static inline dr_v8 dr_v8_without(dr_v8 v, dr_f8 t, dr_v8 e)
{
    return dr_v8_sub(v, dr_v8_scale(e, t));
}

// The best so far: two numbers say where it is.
typedef struct dr_candidate8 {
    dr_f8 squared, s, t;
} dr_candidate8;

static inline dr_candidate8 dr_candidate8_of(dr_v8 way, dr_f8 s, dr_f8 t)
{
    return (dr_candidate8){dr_v8_dot(way, way), s, t};
}

static inline dr_candidate8 dr_candidate8_select(dr_f8 mask, dr_candidate8 yes, dr_candidate8 no)
{
    return (dr_candidate8){dr_f8_select(mask, yes.squared, no.squared),
                           dr_f8_select(mask, yes.s, no.s), dr_f8_select(mask, yes.t, no.t)};
}

static inline dr_candidate8 dr_candidate8_least(dr_candidate8 best, dr_candidate8 next)
{
    return dr_candidate8_select(dr_f8_less(next.squared, best.squared), next, best);
}

static inline dr_closest8 dr_closest8_point_triangle(dr_v8 p, dr_v8 a, dr_v8 b, dr_v8 c)
{
    dr_f8 zero = dr_f8_zero(), one = dr_f8_set(1.0f);
    dr_v8 ab = dr_v8_sub(b, a), ac = dr_v8_sub(c, a), ap = dr_v8_sub(p, a);
    // The edge bc: v and w are the weights of b and c.
    dr_v8 bc = dr_v8_sub(c, b), bp = dr_v8_sub(p, b);
    dr_f8 w = dr_f8_div(dr_v8_dot(bp, bc), dr_f8_divisor(dr_v8_dot(bc, bc)));
    w = dr_f8_clamp01(w);
    dr_candidate8 best = dr_candidate8_of(dr_v8_without(bp, w, bc), dr_f8_sub(one, w), w);
    // The edge ac.
    w = dr_f8_div(dr_v8_dot(ap, ac), dr_f8_divisor(dr_v8_dot(ac, ac)));
    w = dr_f8_clamp01(w);
    best = dr_candidate8_least(best, dr_candidate8_of(dr_v8_without(ap, w, ac), zero, w));
    // The edge ab.
    dr_f8 inverse = dr_f8_div(one, dr_f8_divisor(dr_v8_dot(ab, ab)));
    dr_f8 along = dr_f8_mul(dr_v8_dot(ap, ab), inverse), v = dr_f8_clamp01(along);
    best = dr_candidate8_least(best, dr_candidate8_of(dr_v8_without(ap, v, ab), v, zero));
    // Inside: without the part along ab, then across it.
    dr_f8 slant = dr_f8_mul(dr_v8_dot(ac, ab), inverse);
    dr_v8 across = dr_v8_without(ac, slant, ab), rest = dr_v8_without(ap, along, ab);
    w = dr_f8_div(dr_v8_dot(rest, across), dr_f8_divisor(dr_v8_dot(across, across)));
    v = dr_f8_sub(along, dr_f8_mul(w, slant));
    dr_candidate8 inside = dr_candidate8_of(dr_v8_without(rest, w, across), v, w);
    dr_f8 is_inside = dr_f8_all_positive(v, w, dr_f8_sub(one, dr_f8_add(v, w)));
    dr_f8 is_least = dr_f8_and(is_inside, dr_f8_less(inside.squared, best.squared));
    best = dr_candidate8_select(is_least, inside, best);
    dr_f8 u = dr_f8_max(dr_f8_sub(one, dr_f8_add(best.s, best.t)), zero);
    return (dr_closest8){best.squared, u, best.s, best.t};
}

static inline dr_closest8 dr_closest8_edges(dr_v8 a, dr_v8 b, dr_v8 c, dr_v8 d)
{
    dr_f8 zero = dr_f8_zero(), one = dr_f8_set(1.0f);
    dr_v8 ab = dr_v8_sub(b, a), cd = dr_v8_sub(d, c);
    dr_f8 parallel = dr_v8_dot(ab, cd);
    // a, then b, against cd.
    dr_v8 ca = dr_v8_sub(a, c), cb = dr_v8_sub(b, c);
    dr_f8 inverse = dr_f8_div(one, dr_f8_divisor(dr_v8_dot(cd, cd)));
    dr_f8 along = dr_v8_dot(ca, cd);
    dr_f8 t = dr_f8_clamp01(dr_f8_mul(along, inverse));
    dr_candidate8 best = dr_candidate8_of(dr_v8_without(ca, t, cd), zero, t);
    t = dr_f8_clamp01(dr_f8_mul(dr_f8_add(along, parallel), inverse));
    best = dr_candidate8_least(best, dr_candidate8_of(dr_v8_without(cb, t, cd), one, t));
    // c, then d, against ab.
    dr_v8 ac = dr_v8_sub(c, a), ad = dr_v8_sub(d, a);
    inverse = dr_f8_div(one, dr_f8_divisor(dr_v8_dot(ab, ab)));
    along = dr_f8_mul(dr_v8_dot(ac, ab), inverse);
    dr_f8 slant = dr_f8_mul(parallel, inverse), s = dr_f8_clamp01(along);
    best = dr_candidate8_least(best, dr_candidate8_of(dr_v8_without(ac, s, ab), s, zero));
    s = dr_f8_clamp01(dr_f8_add(along, slant));
    best = dr_candidate8_least(best, dr_candidate8_of(dr_v8_without(ad, s, ab), s, one));
    // Inside both: without the parts along ab, then across it.
    dr_v8 across = dr_v8_without(cd, slant, ab), rest = dr_v8_without(ac, along, ab);
    t = dr_f8_div(dr_v8_dot(rest, across), dr_f8_divisor(dr_v8_dot(across, across)));
    dr_v8 way = dr_v8_without(rest, t, across);
    s = dr_f8_sub(along, dr_f8_mul(t, slant));
    t = dr_f8_neg(t);
    dr_f8 is_inside = dr_f8_and(dr_f8_and(dr_f8_less(zero, s), dr_f8_less(s, one)),
                                dr_f8_and(dr_f8_less(zero, t), dr_f8_less(t, one)));
    dr_candidate8 inside = dr_candidate8_of(way, s, t);
    dr_f8 is_least = dr_f8_and(is_inside, dr_f8_less(inside.squared, best.squared));
    best = dr_candidate8_select(is_least, inside, best);
    return (dr_closest8){best.squared, best.s, best.t, zero};
}

#endif
