#include "render/refine.h"

#include <math.h>

#include "core/vec_math.h"

// The control point of a border next to its end `a`: a third of the way to b, moved into the
// tangent plane at a. At a sharp fold that plane may be far off; then it is met half way.
static drape_vec3 border_control(drape_vec3 a, drape_vec3 normal, drape_vec3 b)
{
    drape_vec3 edge = dr_sub(b, a);
    float off = dr_dot(edge, normal), most = 0.5f * sqrtf(dr_dot(edge, edge));
    off = fmaxf(fminf(off, most), -most);
    return dr_add(a, dr_scale(dr_sub(edge, dr_scale(normal, off)), 1.0f / 3.0f));
}

void dr_patch_prepare(dr_patch* patch)
{
    drape_vec3 corners = {0, 0, 0}, controls = {0, 0, 0};
    for (int k = 0; k < 3; ++k) {
        corners = dr_add(corners, patch->corner[k]);
        for (int l = 1; l < 3; ++l) {
            drape_vec3 other = patch->corner[(k + l) % 3];
            controls = dr_add(controls, border_control(patch->corner[k], patch->normal[k], other));
        }
    }
    // The mean of the controls, and half of its way from the mean of the corners on top.
    patch->middle = dr_sub(dr_scale(controls, 0.25f), dr_scale(corners, 1.0f / 6.0f));
}

// Normal in the middle of a border: what both ends agree on, mirrored across the edge.
static drape_vec3 border_normal(const dr_patch* patch, int a, int b)
{
    drape_vec3 edge = dr_sub(patch->corner[b], patch->corner[a]);
    drape_vec3 sum = dr_add(patch->normal[a], patch->normal[b]);
    float square = dr_dot(edge, edge);
    float turn = square > 0.0f ? 2.0f * dr_dot(edge, sum) / square : 0.0f;
    return dr_normalize(dr_sub(sum, dr_scale(edge, turn)));
}

static drape_vec3 normal_at(const dr_patch* patch, const float w[3])
{
    drape_vec3 sum = {0, 0, 0}, flat = {0, 0, 0};
    for (int k = 0; k < 3; ++k) {
        int l = (k + 1) % 3;
        flat = dr_add(flat, dr_scale(patch->normal[k], w[k]));
        sum = dr_add(sum, dr_scale(patch->normal[k], w[k] * w[k]));
        sum = dr_add(sum, dr_scale(border_normal(patch, k, l), w[k] * w[l]));
    }
    drape_vec3 normal = dr_normalize(sum);
    // Around a sharp fold the mirrored normals may point anywhere.
    return dr_dot(normal, flat) > 0.0f ? normal : dr_normalize(flat);
}

// Bits must not depend on which triangle asks: the vertex of lower number is the first end.
static drape_vec3 border_at(const dr_patch* patch, int a, int b, float t)
{
    if (patch->vertex[a] > patch->vertex[b]) {
        int c = a;
        a = b;
        b = c;
        t = 1.0f - t;
    }
    drape_vec3 p = patch->corner[a], q = patch->corner[b];
    drape_vec3 near_p = border_control(p, patch->normal[a], q);
    drape_vec3 near_q = border_control(q, patch->normal[b], p);
    float s = 1.0f - t;
    drape_vec3 first = dr_add(dr_scale(p, s * s * s), dr_scale(near_p, 3.0f * s * s * t));
    drape_vec3 second = dr_add(dr_scale(near_q, 3.0f * s * t * t), dr_scale(q, t * t * t));
    return dr_add(first, second);
}

static drape_vec3 inside_at(const dr_patch* patch, const float w[3])
{
    drape_vec3 sum = dr_scale(patch->middle, 6.0f * w[0] * w[1] * w[2]);
    for (int k = 0; k < 3; ++k) {
        drape_vec3 p = patch->corner[k];
        sum = dr_add(sum, dr_scale(p, w[k] * w[k] * w[k]));
        for (int l = 1; l < 3; ++l) {
            int other = (k + l) % 3;
            drape_vec3 control = border_control(p, patch->normal[k], patch->corner[other]);
            sum = dr_add(sum, dr_scale(control, 3.0f * w[k] * w[k] * w[other]));
        }
    }
    return sum;
}

dr_patch_point dr_patch_at(const dr_patch* patch, int i, int j, int cuts)
{
    float step = 1.0f / (float)cuts;
    dr_patch_point point = {
        .weight = {(float)(cuts - i - j) * step, (float)i * step, (float)j * step}};
    const float* w = point.weight;
    for (int k = 0; k < 3; ++k) {
        if (w[k] == 1.0f) {
            point.place = patch->corner[k];
            point.normal = patch->normal[k];
            return point;
        }
    }
    point.place = w[0] == 0.0f   ? border_at(patch, 1, 2, w[2])
                  : w[1] == 0.0f ? border_at(patch, 0, 2, w[2])
                  : w[2] == 0.0f ? border_at(patch, 0, 1, w[1])
                                 : inside_at(patch, w);
    point.normal = normal_at(patch, w);
    return point;
}
