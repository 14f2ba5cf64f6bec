#include "collide/tessellate.h"

#include <math.h>

#include "core/math.h"

#define PI 3.14159265358979323846
#define PLANE_HALF 5.0f

// A solid of revolution: rings of `around` vertices between two poles.
typedef struct revolution {
    int around;
    int bottom_steps, top_steps; // by latitude, pole to tangent ring
    int ring_count;
    bool is_ball;                // both tangent rings are one
    double radius[2], center[2]; // of the lower and the upper ball
    double tangent;              // latitude at which the mantle meets both, radians
} revolution;

static int steps_of(double arc, double step)
{
    int steps = (int)ceil(arc / step - 1e-9);
    return steps > 1 ? steps : 1;
}

static revolution revolution_of(const drape_shape* shape, float tolerance)
{
    bool is_ball = shape->kind == DRAPE_SHAPE_SPHERE;
    double top = (double)(is_ball ? shape->radius : shape->radius_top);
    double height = is_ball ? 0.0 : (double)shape->height;
    revolution r = {.is_ball = is_ball,
                    .radius = {(double)shape->radius, top},
                    .center = {-0.5 * height, 0.5 * height}};
    if (!is_ball) {
        double slope = (r.radius[0] - r.radius[1]) / height;
        r.tangent = dr_atan2(slope, sqrt(fmax(1.0 - slope * slope, 0.0)));
    }
    // 2 R (1 - cos(a/2)) = tolerance, by the half-angle: no cancellation where a is small.
    double sine = sqrt((double)tolerance / (4.0 * fmax(r.radius[0], r.radius[1])));
    double step = sine < 1.0 ? 4.0 * dr_atan2(sine, sqrt(1.0 - sine * sine)) : PI;
    step = fmin(fmax(step, 2.0 * PI / DR_TESSELLATE_MOST), 2.0 * PI / DR_TESSELLATE_LEAST);
    r.around = steps_of(2.0 * PI, step);
    r.bottom_steps = steps_of(0.5 * PI + r.tangent, step);
    r.top_steps = steps_of(0.5 * PI - r.tangent, step);
    r.ring_count = r.bottom_steps + r.top_steps - is_ball;
    return r;
}

// Distance from the axis and height of a ring, counted from the bottom.
static void ring_at(const revolution* r, int ring, double* radial, double* y)
{
    bool bottom = ring < r->bottom_steps;
    int step = bottom ? ring + 1 : ring - r->bottom_steps + r->is_ball;
    double from = bottom ? -0.5 * PI : r->tangent, to = bottom ? r->tangent : 0.5 * PI;
    double latitude = from + (to - from) * step / (bottom ? r->bottom_steps : r->top_steps);
    *radial = r->radius[!bottom] * dr_cos(latitude);
    *y = r->center[!bottom] + r->radius[!bottom] * dr_sin(latitude);
}

static void place_revolution(const revolution* r, drape_vec3* positions)
{
    drape_vec3* at = positions;
    *at++ = (drape_vec3){0.0f, (float)(r->center[0] - r->radius[0]), 0.0f};
    for (int ring = 0; ring < r->ring_count; ++ring) {
        double radial, y;
        ring_at(r, ring, &radial, &y);
        for (int k = 0; k < r->around; ++k) {
            double degrees = 360.0 * k / r->around;
            *at++ = (drape_vec3){(float)(radial * dr_cos_degrees(degrees)), (float)y,
                                 (float)(radial * dr_sin_degrees(degrees))};
        }
    }
    *at = (drape_vec3){0.0f, (float)(r->center[1] + r->radius[1]), 0.0f};
}

static void set_triangle(int32_t out[3], int32_t a, int32_t b, int32_t c)
{
    out[0] = a;
    out[1] = b;
    out[2] = c;
}

static void join_revolution(const revolution* r, int32_t (*triangles)[3])
{
    int n = r->around, last = 1 + r->ring_count * n, count = 0;
    for (int k = 0; k < n; ++k) {
        int32_t here = 1 + k, next = 1 + (k + 1) % n;
        set_triangle(triangles[count++], 0, here, next);
        for (int ring = 1; ring < r->ring_count; ++ring) {
            set_triangle(triangles[count++], here, here + n, next);
            set_triangle(triangles[count++], next, here + n, next + n);
            here += n;
            next += n;
        }
        set_triangle(triangles[count++], here, last, next);
    }
}

// Corner c has bit 0 for +x, bit 1 for +y, bit 2 for +z.
static void fill_box(drape_vec3 size, drape_vec3* positions, int32_t (*triangles)[3])
{
    static const int32_t faces[6][4] = {{1, 3, 7, 5}, {0, 4, 6, 2}, {2, 6, 7, 3},
                                        {0, 1, 5, 4}, {4, 5, 7, 6}, {0, 2, 3, 1}};
    for (int c = 0; c < 8; ++c) {
        positions[c] = (drape_vec3){c & 1 ? 0.5f * size.x : -0.5f * size.x,
                                    c & 2 ? 0.5f * size.y : -0.5f * size.y,
                                    c & 4 ? 0.5f * size.z : -0.5f * size.z};
    }
    for (int f = 0; f < 6; ++f) {
        set_triangle(triangles[2 * f], faces[f][0], faces[f][1], faces[f][2]);
        set_triangle(triangles[2 * f + 1], faces[f][0], faces[f][2], faces[f][3]);
    }
}

static void fill_plane(drape_vec3* positions, int32_t (*triangles)[3])
{
    for (int c = 0; c < 4; ++c) {
        positions[c] = (drape_vec3){c & 1 ? PLANE_HALF : -PLANE_HALF, 0.0f,
                                    c & 2 ? PLANE_HALF : -PLANE_HALF};
    }
    set_triangle(triangles[0], 0, 2, 3);
    set_triangle(triangles[1], 0, 3, 1);
}

void dr_tessellate_count(const drape_shape* shape, float tolerance, int* vertex_count,
                         int* triangle_count)
{
    revolution r;
    switch (shape->kind) {
    case DRAPE_SHAPE_PLANE:
        *vertex_count = 4;
        *triangle_count = 2;
        return;
    case DRAPE_SHAPE_BOX:
        *vertex_count = 8;
        *triangle_count = 12;
        return;
    case DRAPE_SHAPE_SPHERE:
    case DRAPE_SHAPE_CAPSULE: break;
    }
    r = revolution_of(shape, tolerance);
    *vertex_count = 2 + r.ring_count * r.around;
    *triangle_count = 2 * r.ring_count * r.around;
}

void dr_tessellate(const drape_shape* shape, float tolerance, drape_vec3* positions,
                   int32_t (*triangles)[3])
{
    revolution r;
    switch (shape->kind) {
    case DRAPE_SHAPE_PLANE: fill_plane(positions, triangles); return;
    case DRAPE_SHAPE_BOX: fill_box(shape->size, positions, triangles); return;
    case DRAPE_SHAPE_SPHERE:
    case DRAPE_SHAPE_CAPSULE: break;
    }
    r = revolution_of(shape, tolerance);
    place_revolution(&r, positions);
    join_revolution(&r, triangles);
}
