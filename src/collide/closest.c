#include "collide/closest.h"

#include "core/isa.h"
#include "core/vec_math.h"

DR_KERNEL_TABLE(dr_closest_kernels)

// 1 where there is nothing to divide by: the numerator is zero there, too.
static float divisor(float a)
{
    return a > 0.0f ? a : 1.0f;
}

// Into [0, 1]; what is not a number becomes 0.
static float clamp01(float a)
{
    a = a > 0.0f ? a : 0.0f;
    return a < 1.0f ? a : 1.0f;
}

// v - t e
static drape_vec3 without(drape_vec3 v, float t, drape_vec3 e)
{
    return dr_sub(v, dr_scale(e, t));
}

// The shorter of two ways; s and t say where the ends of `way` are.
static dr_closest least(dr_closest best, drape_vec3 way, float s, float t)
{
    float squared = dr_dot(way, way);
    return squared < best.squared ? (dr_closest){squared, {s, t, 0.0f}} : best;
}

dr_closest dr_closest_point_triangle(drape_vec3 p, drape_vec3 a, drape_vec3 b, drape_vec3 c)
{
    drape_vec3 ab = dr_sub(b, a), ac = dr_sub(c, a), ap = dr_sub(p, a);
    // The edge bc: v and w are the weights of b and c.
    drape_vec3 bc = dr_sub(c, b), bp = dr_sub(p, b);
    float w = clamp01(dr_dot(bp, bc) / divisor(dr_dot(bc, bc)));
    drape_vec3 way = without(bp, w, bc);
    dr_closest best = {dr_dot(way, way), {1.0f - w, w, 0.0f}};
    // The edge ac.
    w = clamp01(dr_dot(ap, ac) / divisor(dr_dot(ac, ac)));
    best = least(best, without(ap, w, ac), 0.0f, w);
    // The edge ab.
    float inverse = 1.0f / divisor(dr_dot(ab, ab));
    float along = dr_dot(ap, ab) * inverse, v = clamp01(along);
    best = least(best, without(ap, v, ab), v, 0.0f);
    // Inside: without the parts along ab, then across it.
    float slant = dr_dot(ac, ab) * inverse;
    drape_vec3 across = without(ac, slant, ab), rest = without(ap, along, ab);
    w = dr_dot(rest, across) / divisor(dr_dot(across, across));
    v = along - w * slant;
    if (v > 0.0f && w > 0.0f && 1.0f - (v + w) > 0.0f) {
        best = least(best, without(rest, w, across), v, w);
    }
    v = best.weight[0], w = best.weight[1];
    float u = 1.0f - (v + w);
    return (dr_closest){best.squared, {u > 0.0f ? u : 0.0f, v, w}};
}

dr_closest dr_closest_edges(drape_vec3 a, drape_vec3 b, drape_vec3 c, drape_vec3 d)
{
    drape_vec3 ab = dr_sub(b, a), cd = dr_sub(d, c);
    float parallel = dr_dot(ab, cd);
    // a, then b, against cd.
    drape_vec3 ca = dr_sub(a, c), cb = dr_sub(b, c);
    float inverse = 1.0f / divisor(dr_dot(cd, cd));
    float along = dr_dot(ca, cd), t = clamp01(along * inverse);
    drape_vec3 way = without(ca, t, cd);
    dr_closest best = {dr_dot(way, way), {0.0f, t, 0.0f}};
    t = clamp01((along + parallel) * inverse);
    best = least(best, without(cb, t, cd), 1.0f, t);
    // c, then d, against ab.
    drape_vec3 ac = dr_sub(c, a), ad = dr_sub(d, a);
    inverse = 1.0f / divisor(dr_dot(ab, ab));
    along = dr_dot(ac, ab) * inverse;
    float slant = parallel * inverse, s = clamp01(along);
    best = least(best, without(ac, s, ab), s, 0.0f);
    s = clamp01(along + slant);
    best = least(best, without(ad, s, ab), s, 1.0f);
    // Inside both: without the parts along ab, then across it.
    drape_vec3 across = without(cd, slant, ab), rest = without(ac, along, ab);
    t = dr_dot(rest, across) / divisor(dr_dot(across, across));
    way = without(rest, t, across);
    s = along - t * slant;
    t = 0.0f - t;
    return s > 0.0f && s < 1.0f && t > 0.0f && t < 1.0f ? least(best, way, s, t) : best;
}
