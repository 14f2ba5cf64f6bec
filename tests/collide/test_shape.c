// Analytic solids against slow second opinions in double precision.
#include <string.h>

#include "collide_test.h"
#include "shape_kernels.h"

DR_KERNEL_TABLE(shape_kernels)

enum { point_count = 2000, surface_count = 1500 };

// --- The second opinion: what the solids are, not how the code finds the distance ---

// A capsule is the union of balls along its axis whose radius grows evenly; the depth below their
// surfaces is a convex function of the place on the axis.
static double capsule_reference(const drape_shape* shape, drape_vec3 p)
{
    double lo = 0.0, hi = 1.0, best = INFINITY;
    for (int i = 0; i < 80; ++i) {
        double value[2], t[2] = {lo + (hi - lo) / 3.0, hi - (hi - lo) / 3.0};
        for (int k = 0; k < 2; ++k) {
            double y = p.y - shape->height * (t[k] - 0.5);
            double radius = shape->radius + ((double)shape->radius_top - shape->radius) * t[k];
            value[k] = sqrt((double)p.x * p.x + y * y + (double)p.z * p.z) - radius;
            best = fmin(best, value[k]);
        }
        *(value[0] < value[1] ? &hi : &lo) = value[0] < value[1] ? t[1] : t[0];
    }
    return best;
}

// The nearest point of the six faces; negative when all face planes are in front.
static double box_reference(const drape_shape* shape, drape_vec3 point)
{
    double p[3] = {point.x, point.y, point.z}, best = INFINITY;
    double e[3] = {0.5 * shape->size.x, 0.5 * shape->size.y, 0.5 * shape->size.z};
    bool inside = true;
    for (int axis = 0; axis < 3; ++axis) {
        inside = inside && fabs(p[axis]) < e[axis];
        for (int side = -1; side <= 1; side += 2) {
            double sum = 0.0;
            for (int c = 0; c < 3; ++c) {
                double near = c == axis ? side * e[c] : fmin(fmax(p[c], -e[c]), e[c]);
                sum += (p[c] - near) * (p[c] - near);
            }
            best = fmin(best, sqrt(sum));
        }
    }
    return inside ? -best : best;
}

static double reference_distance(const drape_shape* shape, drape_vec3 p)
{
    switch (shape->kind) {
    case DRAPE_SHAPE_SPHERE: return dr_length_double(p) - shape->radius;
    case DRAPE_SHAPE_CAPSULE: return capsule_reference(shape, p);
    case DRAPE_SHAPE_BOX: return box_reference(shape, p);
    case DRAPE_SHAPE_PLANE: break;
    }
    return p.y;
}

// Rounding of one distance.
static double rounding(const drape_shape* shape)
{
    return 2e-6 * (double)shape_extent(shape);
}

// Where the surface is met on the way out from the middle along a direction; planes from below.
static drape_vec3 surface_point(const drape_shape* shape, uint32_t i)
{
    drape_vec3 direction = dr_normalize(random_vec(2, i, 1.0f));
    if (shape->kind == DRAPE_SHAPE_PLANE) {
        return (drape_vec3){direction.x, 0.0f, direction.z};
    }
    float lo = 0.0f, hi = 4.0f * shape_extent(shape);
    for (int k = 0; k < 60; ++k) {
        float middle = 0.5f * (lo + hi);
        *(reference_distance(shape, dr_scale(direction, middle)) < 0.0 ? &lo : &hi) = middle;
    }
    return dr_scale(direction, lo);
}

static void sample_surface(const drape_shape* shape, drape_vec3* points)
{
    double worst = 0.0;
    for (uint32_t i = 0; i < surface_count; ++i) {
        points[i] = surface_point(shape, i);
        worst = fmax(worst, fabs((double)distance_to(shape, points[i])));
    }
    ck_assert_double_le(worst, rounding(shape));
}

// --- Distance ---

START_TEST(distance_is_the_reference)
{
    const drape_shape* shape = &test_shapes[_i];
    double worst = 0.0;
    for (uint32_t i = 0; i < point_count; ++i) {
        drape_vec3 p = random_vec(1, i, 2.0f * shape_extent(shape));
        worst = fmax(worst, fabs((double)distance_to(shape, p) - reference_distance(shape, p)));
    }
    ck_assert_double_le(worst, rounding(shape));
}
END_TEST

// No sample of the surface is nearer than the distance, and with many samples one is about there.
START_TEST(distance_is_the_nearest_sample)
{
    const drape_shape* shape = &test_shapes[_i];
    float extent = shape_extent(shape);
    drape_vec3 surface[surface_count];
    sample_surface(shape, surface);
    for (uint32_t i = 0; i < 300; ++i) {
        drape_vec3 p = random_vec(3, i, extent);
        double distance = fabs((double)distance_to(shape, p)), nearest = INFINITY;
        for (int k = 0; k < surface_count; ++k) {
            nearest = fmin(nearest, dr_length_double(dr_sub(p, surface[k])));
        }
        ck_assert_double_le(distance, nearest + rounding(shape));
        ck_assert_double_ge(distance, nearest - 0.35 * (double)extent);
    }
}
END_TEST

START_TEST(normal_is_the_gradient)
{
    const drape_shape* shape = &test_shapes[_i];
    dr_shape_terms terms = dr_shape_terms_of(shape);
    double step = 1e-4 * (double)shape_extent(shape);
    int kinks = 0;
    double length_error = 0.0, gradient_error = 0.0;
    for (uint32_t i = 0; i < point_count; ++i) {
        drape_vec3 n, p = random_vec(4, i, 2.0f * shape_extent(shape));
        dr_shape_distance(&terms, p, &n);
        length_error = fmax(length_error, fabs(dr_length_double(n) - 1.0));
        double error = 0.0, curve = 0.0, middle = reference_distance(shape, p);
        const float normal[3] = {n.x, n.y, n.z};
        for (int c = 0; c < 3; ++c) {
            drape_vec3 a = p, b = p;
            float* from = c == 0 ? &a.x : c == 1 ? &a.y : &a.z;
            float* to = c == 0 ? &b.x : c == 1 ? &b.y : &b.z;
            *from -= (float)step;
            *to += (float)step;
            double low = reference_distance(shape, a), high = reference_distance(shape, b);
            error = fmax(error, fabs((high - low) / ((double)*to - *from) - (double)normal[c]));
            curve = fmax(curve, fabs(high + low - 2.0 * middle) / step);
        }
        // Inside there are ridges where two faces are equally near; no gradient there.
        kinks += curve > 0.01;
        gradient_error = fmax(gradient_error, curve > 0.01 ? 0.0 : error);
    }
    ck_assert_double_le(length_error, 1e-6);
    ck_assert_double_le(gradient_error, 0.01);
    ck_assert_int_lt(kinks, point_count / 20);
}
END_TEST

// Convex along every segment, and never steeper than the way itself.
START_TEST(distance_is_convex)
{
    const drape_shape* shape = &test_shapes[_i];
    double above = -INFINITY, steeper = -INFINITY;
    for (uint32_t i = 0; i < point_count; ++i) {
        drape_vec3 a = random_vec(5, i, 2.0f * shape_extent(shape));
        drape_vec3 b = random_vec(6, i, 2.0f * shape_extent(shape));
        float t = dr_random_unit(7, i);
        double from = (double)distance_to(shape, a), to = (double)distance_to(shape, b);
        double between = (double)distance_to(shape, dr_lerp(a, b, t));
        above = fmax(above, between - (from + (to - from) * (double)t));
        steeper = fmax(steeper, fabs(to - from) - dr_length_double(dr_sub(b, a)));
    }
    ck_assert_double_le(above, rounding(shape));
    ck_assert_double_le(steeper, rounding(shape));
}
END_TEST

// --- Support ---

START_TEST(support_is_furthest_of_all_samples)
{
    const drape_shape* shape = &test_shapes[_i];
    if (shape->kind == DRAPE_SHAPE_PLANE) {
        drape_vec3 top = dr_shape_support(shape, (drape_vec3){0.0f, 1.0f, 0.0f});
        ck_assert_double_eq(dr_length_double(top), 0.0);
        return;
    }
    drape_vec3 surface[surface_count];
    sample_surface(shape, surface);
    for (uint32_t i = 0; i < 200; ++i) {
        drape_vec3 direction = dr_normalize(random_vec(8, i, 1.0f));
        drape_vec3 tip = dr_shape_support(shape, direction);
        double ahead = -INFINITY;
        for (int k = 0; k < surface_count; ++k) {
            ahead = fmax(ahead, (double)dr_dot(direction, dr_sub(surface[k], tip)));
        }
        ck_assert_double_le(fabs(reference_distance(shape, tip)), rounding(shape));
        ck_assert_double_le(ahead, rounding(shape));
    }
}
END_TEST

// The tangent plane at the closest point has the whole solid behind it.
START_TEST(solid_is_behind_the_tangent_plane)
{
    const drape_shape* shape = &test_shapes[_i];
    dr_shape_terms terms = dr_shape_terms_of(shape);
    double worst = 0.0;
    for (uint32_t i = 0; i < point_count && shape->kind != DRAPE_SHAPE_PLANE; ++i) {
        drape_vec3 n, p = random_vec(10, i, 2.0f * shape_extent(shape));
        float distance = dr_shape_distance(&terms, p, &n);
        float plane = dr_dot(n, p) - distance;
        float reach = dr_dot(n, dr_shape_support(shape, n));
        worst = fmax(worst, fabs((double)(reach - plane)));
    }
    ck_assert_double_le(worst, 2.0 * rounding(shape));
}
END_TEST

// A ball of the smallest radius of curvature fits at every point of the surface.
START_TEST(roundness_fits_a_ball)
{
    const drape_shape* shape = &test_shapes[_i];
    float radius = dr_shape_roundness(shape);
    if (shape->kind == DRAPE_SHAPE_PLANE) {
        ck_assert(isinf(radius));
        return;
    }
    double loosest = -INFINITY, tightest = -INFINITY;
    for (uint32_t i = 0; i < point_count; ++i) {
        drape_vec3 n = dr_normalize(random_vec(11, i, 1.0f));
        drape_vec3 inside = dr_sub(dr_shape_support(shape, n), dr_scale(n, radius));
        loosest = fmax(loosest, reference_distance(shape, inside) + (double)radius);
        drape_vec3 deeper = dr_sub(dr_shape_support(shape, n), dr_scale(n, 1.1f * radius));
        tightest = fmax(tightest, reference_distance(shape, deeper) + 1.1 * (double)radius);
    }
    ck_assert_double_le(loosest, rounding(shape));
    // And a larger one does not fit everywhere.
    ck_assert(radius == 0.0f || tightest > 0.003 * (double)radius);
}
END_TEST

// --- Regions, simplification, refusal ---

// Outside, the code of a box says which faces the normal leans over; elsewhere there is no code.
START_TEST(regions_are_sides_of_the_normal)
{
    const drape_shape* shape = &test_shapes[_i];
    dr_shape_terms terms = dr_shape_terms_of(shape);
    int wrong = 0;
    for (uint32_t i = 0; i < point_count; ++i) {
        drape_vec3 n, p = random_vec(14, i, 1.5f * shape_extent(shape));
        int wanted = 0;
        if (dr_shape_distance(&terms, p, &n) > 0.0f && shape->kind == DRAPE_SHAPE_BOX) {
            wanted = (n.x < 0.0f) | (n.x > 0.0f) << 1 | (n.y < 0.0f) << 2 | (n.y > 0.0f) << 3 |
                     (n.z < 0.0f) << 4 | (n.z > 0.0f) << 5;
        }
        wrong += dr_shape_region(shape, p) != wanted;
    }
    ck_assert_int_eq(wrong, 0);
}
END_TEST

START_TEST(swallowed_ball_is_left_out)
{
    const drape_shape capsules[] = {
        {.kind = DRAPE_SHAPE_CAPSULE, .radius = 0.5f, .radius_top = 0.1f, .height = 0.3f},
        {.kind = DRAPE_SHAPE_CAPSULE, .radius = 0.1f, .radius_top = 0.5f, .height = 0.4f},
        {.kind = DRAPE_SHAPE_CAPSULE, .radius = 0.2f, .radius_top = 0.2f, .height = 0.0f},
    };
    for (int c = 0; c < 3; ++c) {
        drape_vec3 center;
        drape_shape ball = dr_shape_simplify(capsules[c], &center);
        ck_assert_int_eq(ball.kind, DRAPE_SHAPE_SPHERE);
        double worst = 0.0;
        for (uint32_t i = 0; i < point_count; ++i) {
            drape_vec3 p = random_vec(15, i, 1.0f);
            double found = (double)distance_to(&ball, dr_sub(p, center));
            worst = fmax(worst, fabs(found - capsule_reference(&capsules[c], p)));
        }
        ck_assert_double_le(worst, 1e-6);
    }
}
END_TEST

START_TEST(sound_shapes_stay_as_they_are)
{
    const drape_shape* shape = &test_shapes[_i];
    drape_vec3 center = {1.0f, 1.0f, 1.0f};
    drape_shape same = dr_shape_simplify(*shape, &center);
    ck_assert_ptr_null(dr_shape_refusal(shape));
    ck_assert_int_eq(same.kind, shape->kind);
    ck_assert_double_eq(dr_length_double(center), 0.0);
}
END_TEST

START_TEST(senseless_shapes_are_refused)
{
    const drape_shape bad[] = {
        {.kind = DRAPE_SHAPE_SPHERE},
        {.kind = DRAPE_SHAPE_SPHERE, .radius = -1.0f},
        {.kind = DRAPE_SHAPE_SPHERE, .radius = NAN},
        {.kind = DRAPE_SHAPE_SPHERE, .radius = INFINITY},
        {.kind = DRAPE_SHAPE_CAPSULE, .radius = 1.0f, .height = 1.0f},
        {.kind = DRAPE_SHAPE_CAPSULE, .radius = 1.0f, .radius_top = 1.0f, .height = -1.0f},
        {.kind = DRAPE_SHAPE_CAPSULE, .radius = 1.0f, .radius_top = INFINITY, .height = 1.0f},
        {.kind = DRAPE_SHAPE_CAPSULE, .radius = 1.0f, .radius_top = 1.0f, .height = NAN},
        {.kind = DRAPE_SHAPE_BOX, .size = {1.0f, 0.0f, 1.0f}},
        {.kind = DRAPE_SHAPE_BOX, .size = {1.0f, 1.0f, NAN}},
        {.kind = (drape_shape_kind)99},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
        const char* sentence = dr_shape_refusal(&bad[i]);
        ck_assert_ptr_nonnull(sentence);
        ck_assert_uint_gt(strlen(sentence), 10);
    }
}
END_TEST

// --- Eight at a time ---

// Random points, and those where a branch turns: middle, axis, faces, edges, corners.
static drape_vec3 awkward_point(const drape_shape* shape, uint32_t i)
{
    float extent = shape_extent(shape);
    drape_vec3 p = random_vec(16, i, 1.5f * extent);
    drape_vec3 half = {0.5f * shape->size.x, 0.5f * shape->size.y, 0.5f * shape->size.z};
    switch (i % 8) {
    case 0: return (drape_vec3){0.0f, i % 16 ? 0.0f : p.y, 0.0f};
    case 1: return (drape_vec3){0.0f, p.y, p.z};
    case 2: return (drape_vec3){p.x, 0.5f * shape->height, p.z};
    case 3: return (drape_vec3){half.x, p.y, p.z};
    case 4: return (drape_vec3){half.x, -half.y, i % 16 < 8 ? half.z : p.z};
    default: return p;
    }
}

// How far eight lanes are from eight single answers: distance, in units of the shape, or normal.
static float lanes_error(const drape_shape* shape, const shape_kernels* kernels, uint32_t first)
{
    dr_shape_terms terms = dr_shape_terms_of(shape);
    float points[24], distances[8], normals[24];
    drape_vec3 p[8];
    for (int k = 0; k < 8; ++k) {
        p[k] = awkward_point(shape, first + (uint32_t)k);
        points[k] = p[k].x;
        points[8 + k] = p[k].y;
        points[16 + k] = p[k].z;
    }
    kernels->field(&terms, points, distances, normals);
    float worst = 0.0f;
    for (int k = 0; k < 8; ++k) {
        drape_vec3 n, lane = {normals[k], normals[8 + k], normals[16 + k]};
        float distance = dr_shape_distance(&terms, p[k], &n);
        worst = fmaxf(worst, fabsf(distances[k] - distance) / fmaxf(1.0f, shape_extent(shape)));
        worst = fmaxf(worst, dr_length(dr_sub(lane, n)));
    }
    return worst;
}

START_TEST(lanes_are_the_scalar_distance)
{
    const drape_isa sets[] = {DRAPE_ISA_PLAIN, DRAPE_ISA_SSE2, DRAPE_ISA_AVX2, DRAPE_ISA_NEON,
                              DRAPE_ISA_WASM};
    for (size_t s = 0; s < sizeof sets / sizeof sets[0]; ++s) {
        float worst = 0.0f;
        for (uint32_t i = 0; dr_isa_available(sets[s]) && i < point_count; i += 8) {
            worst = fmaxf(worst, lanes_error(&test_shapes[_i], shape_kernels_for(sets[s]), i));
        }
        ck_assert_float_le(worst, 1e-6f);
    }
}
END_TEST

int main(void)
{
    Suite* suite = suite_create("shape");
    TCase* each = tcase_create("each shape");
    tcase_add_loop_test(each, distance_is_the_reference, 0, test_shape_count);
    tcase_add_loop_test(each, distance_is_the_nearest_sample, 0, test_shape_count);
    tcase_add_loop_test(each, normal_is_the_gradient, 0, test_shape_count);
    tcase_add_loop_test(each, distance_is_convex, 0, test_shape_count);
    tcase_add_loop_test(each, support_is_furthest_of_all_samples, 0, test_shape_count);
    tcase_add_loop_test(each, solid_is_behind_the_tangent_plane, 0, test_shape_count);
    tcase_add_loop_test(each, roundness_fits_a_ball, 0, test_shape_count);
    tcase_add_loop_test(each, regions_are_sides_of_the_normal, 0, test_shape_count);
    tcase_add_loop_test(each, sound_shapes_stay_as_they_are, 0, test_shape_count);
    tcase_add_loop_test(each, lanes_are_the_scalar_distance, 0, test_shape_count);
    suite_add_tcase(suite, each);
    TCase* other = tcase_create("other");
    tcase_add_test(other, swallowed_ball_is_left_out);
    tcase_add_test(other, senseless_shapes_are_refused);
    suite_add_tcase(suite, other);
    return run_suite(suite);
}
