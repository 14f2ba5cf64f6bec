// core/vec_math.h: arithmetic on the public vector types, for set-up and for once a step.
//
// Kernels that run over all vertices use core/simd.h instead. Everything here gives the same bits
// on every machine: + - * / and sqrt, and core/math.h for angles.
#ifndef DR_VEC_MATH_H
#define DR_VEC_MATH_H

#include <drape/vec.h>
#include <math.h>
#include <stdbool.h>

#include "core/math.h"

static inline drape_vec3 dr_add(drape_vec3 a, drape_vec3 b)
{
    return (drape_vec3){a.x + b.x, a.y + b.y, a.z + b.z};
}

static inline drape_vec3 dr_sub(drape_vec3 a, drape_vec3 b)
{
    return (drape_vec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline drape_vec3 dr_scale(drape_vec3 v, float factor)
{
    return (drape_vec3){v.x * factor, v.y * factor, v.z * factor};
}

static inline float dr_dot(drape_vec3 a, drape_vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline drape_vec3 dr_cross(drape_vec3 a, drape_vec3 b)
{
    return (drape_vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline bool dr_is_finite(drape_vec3 v)
{
    return isfinite(v.x) && isfinite(v.y) && isfinite(v.z);
}

// Through doubles: squares of small and large floats neither vanish nor overflow.
static inline double dr_length_double(drape_vec3 v)
{
    return sqrt((double)v.x * v.x + (double)v.y * v.y + (double)v.z * v.z);
}

static inline float dr_length(drape_vec3 v)
{
    return (float)dr_length_double(v);
}

// Zero stays zero.
static inline drape_vec3 dr_normalize(drape_vec3 v)
{
    double length = dr_length_double(v);
    if (!(length > 0.0)) {
        return (drape_vec3){0.0f, 0.0f, 0.0f};
    }
    return (drape_vec3){(float)(v.x / length), (float)(v.y / length), (float)(v.z / length)};
}

// Exactly a at t = 0, and at any t where a equals b.
static inline drape_vec3 dr_lerp(drape_vec3 a, drape_vec3 b, float t)
{
    return (drape_vec3){a.x + (b.x - a.x) * t, a.y + (b.y - a.y) * t, a.z + (b.z - a.z) * t};
}

// The rotation `second` after `first`.
static inline drape_quat dr_quat_multiply(drape_quat second, drape_quat first)
{
    drape_quat p = second, q = first;
    return (drape_quat){
        p.w * q.x + p.x * q.w + p.y * q.z - p.z * q.y,
        p.w * q.y - p.x * q.z + p.y * q.w + p.z * q.x,
        p.w * q.z + p.x * q.y - p.y * q.x + p.z * q.w,
        p.w * q.w - p.x * q.x - p.y * q.y - p.z * q.z,
    };
}

// The opposite rotation of a unit quaternion.
static inline drape_quat dr_quat_conjugate(drape_quat q)
{
    return (drape_quat){-q.x, -q.y, -q.z, q.w};
}

// v + 2 w (q x v) + 2 q x (q x v), which leaves v as it is when q does nothing.
static inline drape_vec3 dr_quat_rotate(drape_quat q, drape_vec3 v)
{
    drape_vec3 axis = {q.x, q.y, q.z};
    drape_vec3 turn = dr_scale(dr_cross(axis, v), 2.0f);
    return dr_add(v, dr_add(dr_scale(turn, q.w), dr_cross(axis, turn)));
}

static inline drape_vec3 dr_quat_inverse_rotate(drape_quat q, drape_vec3 v)
{
    return dr_quat_rotate(dr_quat_conjugate(q), v);
}

// The unit quaternion a * s + b * t.
static inline drape_quat dr_quat_blend(drape_quat a, double s, drape_quat b, double t)
{
    double x = a.x * s + b.x * t, y = a.y * s + b.y * t;
    double z = a.z * s + b.z * t, w = a.w * s + b.w * t;
    double length = sqrt(x * x + y * y + z * z + w * w);
    return (drape_quat){(float)(x / length), (float)(y / length), (float)(z / length),
                        (float)(w / length)};
}

// Turns from a (t = 0) to b (t = 1) at a steady rate, the short way round.
static inline drape_quat dr_quat_slerp(drape_quat a, drape_quat b, double t)
{
    if (t <= 0.0) {
        return a;
    }
    if (t >= 1.0) {
        return b;
    }
    // q and -q are one rotation: take the one nearer to a.
    double cosine = (double)a.x * b.x + (double)a.y * b.y + (double)a.z * b.z + (double)a.w * b.w;
    double sign = cosine < 0.0 ? -1.0 : 1.0;
    // The angle from both sine and cosine, since a cosine near 1 has lost it.
    double sx = b.x * sign - a.x, sy = b.y * sign - a.y;
    double sz = b.z * sign - a.z, sw = b.w * sign - a.w;
    double cx = b.x * sign + a.x, cy = b.y * sign + a.y;
    double cz = b.z * sign + a.z, cw = b.w * sign + a.w;
    double angle = 2.0 * dr_atan2(sqrt(sx * sx + sy * sy + sz * sz + sw * sw),
                                  sqrt(cx * cx + cy * cy + cz * cz + cw * cw));
    // So near that the arc is straight to the last digit.
    if (angle < 1e-6) {
        return dr_quat_blend(a, 1.0 - t, b, t * sign);
    }
    return dr_quat_blend(a, dr_sin((1.0 - t) * angle), b, dr_sin(t * angle) * sign);
}

static inline drape_vec3 dr_transform_apply(drape_transform pose, drape_vec3 v)
{
    return dr_add(dr_quat_rotate(pose.rotate, v), pose.translate);
}

static inline drape_vec3 dr_transform_inverse_apply(drape_transform pose, drape_vec3 v)
{
    return dr_quat_inverse_rotate(pose.rotate, dr_sub(v, pose.translate));
}

#endif
