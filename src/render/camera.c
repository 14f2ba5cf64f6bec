#include "render/camera.h"

#include <math.h>

#include "core/math.h"
#include "core/vec_math.h"

static float half_slope(float fov)
{
    double half = 0.5 * (double)fov;
    return (float)(dr_sin_degrees(half) / dr_cos_degrees(half));
}

dr_camera dr_camera_look(drape_vec3 eye, drape_vec3 target, float fov, float aspect)
{
    dr_camera camera = {.eye = eye, .slope_y = half_slope(fov)};
    camera.slope_x = camera.slope_y * aspect;
    camera.forward = dr_normalize(dr_sub(target, eye));
    if (dr_length(camera.forward) == 0.0f) {
        camera.forward = (drape_vec3){0.0f, 0.0f, -1.0f};
    }
    camera.right = dr_normalize(dr_cross(camera.forward, (drape_vec3){0.0f, 1.0f, 0.0f}));
    if (dr_length(camera.right) == 0.0f) {
        camera.right = (drape_vec3){1.0f, 0.0f, 0.0f};
    }
    camera.up = dr_cross(camera.right, camera.forward);
    return camera;
}

drape_vec3 dr_camera_direction(const dr_camera* camera, float x, float y)
{
    drape_vec3 across = dr_scale(camera->right, (2.0f * x - 1.0f) * camera->slope_x);
    drape_vec3 along = dr_scale(camera->up, (1.0f - 2.0f * y) * camera->slope_y);
    drape_vec3 d = dr_add(camera->forward, dr_add(across, along));
    return dr_scale(d, 1.0f / sqrtf(dr_dot(d, d)));
}

bool dr_camera_project(const dr_camera* camera, drape_vec3 point, float* x, float* y)
{
    drape_vec3 to = dr_sub(point, camera->eye);
    float depth = dr_dot(to, camera->forward);
    if (!(depth > 0.0f)) {
        return false;
    }
    *x = 0.5f + 0.5f * dr_dot(to, camera->right) / (depth * camera->slope_x);
    *y = 0.5f - 0.5f * dr_dot(to, camera->up) / (depth * camera->slope_y);
    return true;
}

dr_framing dr_framing_begin(float turn, float height, float fov, float aspect, float margin)
{
    double st = dr_sin_degrees((double)turn), ct = dr_cos_degrees((double)turn);
    double sh = dr_sin_degrees((double)height), ch = dr_cos_degrees((double)height);
    dr_camera camera = {.slope_y = half_slope(fov)};
    camera.slope_x = camera.slope_y * aspect;
    camera.forward = (drape_vec3){(float)(-st * ch), (float)-sh, (float)(-ct * ch)};
    camera.right = (drape_vec3){(float)ct, 0.0f, (float)-st};
    camera.up = dr_cross(camera.right, camera.forward);
    return dr_framing_along(&camera, margin);
}

dr_framing dr_framing_along(const dr_camera* camera, float margin)
{
    float share = 1.0f - 2.0f * margin;
    return (dr_framing){.camera = *camera,
                        .slope_x = share * camera->slope_x,
                        .slope_y = share * camera->slope_y,
                        .most = {-INFINITY, -INFINITY, -INFINITY, -INFINITY}};
}

void dr_framing_add(dr_framing* framing, drape_vec3 point)
{
    const dr_camera* camera = &framing->camera;
    float x = dr_dot(point, camera->right), y = dr_dot(point, camera->up);
    float z = dr_dot(point, camera->forward);
    const float side[4] = {x - framing->slope_x * z, -x - framing->slope_x * z,
                           y - framing->slope_y * z, -y - framing->slope_y * z};
    for (int i = 0; i < 4; ++i) {
        framing->most[i] = fmaxf(framing->most[i], side[i]);
    }
}

void dr_framing_join(dr_framing* framing, const dr_framing* other)
{
    for (int i = 0; i < 4; ++i) {
        framing->most[i] = fmaxf(framing->most[i], other->most[i]);
    }
}

dr_camera dr_framing_camera(const dr_framing* framing)
{
    const float* most = framing->most;
    dr_camera camera = framing->camera;
    float x = 0.5f * (most[0] - most[1]), y = 0.5f * (most[2] - most[3]);
    float z = fminf(-0.5f * (most[0] + most[1]) / framing->slope_x,
                    -0.5f * (most[2] + most[3]) / framing->slope_y);
    camera.eye = dr_add(dr_scale(camera.right, x),
                        dr_add(dr_scale(camera.up, y), dr_scale(camera.forward, z)));
    return camera;
}
