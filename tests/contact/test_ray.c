// Vertices that are stopped on their way into a solid.
#include "ray_test.h"

// An open solid: one triangle.
static void add_triangle(lab* at, const drape_vec3 corners[3])
{
    const int32_t order[3] = {0, 1, 2};
    drape_mesh_view view = {
        .positions = corners, .triangles = order, .vertex_count = 3, .triangle_count = 1};
    lab_add_mesh(at, &view);
}

// --- P-4: a vertex through a triangle ---

// From both sides, steep and grazing, the vertex ends `thickness` off the triangle where it started.
START_TEST(p4_vertex_ends_at_thickness_on_its_old_side)
{
    lab at;
    int passed = 0;
    open_lab(&at, 0.1f, 2, 1);
    const drape_vec3 corners[3] = {{-1.0f, 0.1f, -0.8f}, {1.1f, -0.2f, -0.7f}, {0.1f, 0.1f, 1.2f}};
    add_triangle(&at, corners);
    drape_vec3 n =
        dr_normalize(dr_cross(dr_sub(corners[1], corners[0]), dr_sub(corners[2], corners[0])));
    for (int i = 0; i < 2000; ++i) {
        // Through a point well inside, at a slope from 1 to 1/100.
        uint32_t k = (uint32_t)i;
        float u = 0.25f + 0.2f * dr_random_unit(1, k), v = 0.25f + 0.2f * dr_random_unit(2, k);
        drape_vec3 x5 = dr_add(dr_scale(corners[0], 1.0f - u - v),
                               dr_add(dr_scale(corners[1], u), dr_scale(corners[2], v)));
        float slope = (float)(i % 4 == 0 ? 1.0 : i % 4 == 1 ? 0.1 : i % 4 == 2 ? 0.03 : 0.01);
        float side = i % 8 < 4 ? 1.0f : -1.0f;
        drape_vec3 along = dr_normalize(dr_cross(n, any(3, i, 1.0f)));
        drape_vec3 way = dr_add(dr_scale(along, 0.1f / slope * 0.02f), dr_scale(n, -side * 0.002f));
        float before = 1.1f * thickness / 0.002f, after = 0.2f + dr_random_unit(4, k);
        drape_vec3 x = dr_sub(x5, dr_scale(way, before)), q = dr_add(x5, dr_scale(way, after));
        double start = side * (double)dr_dot(dr_sub(x, corners[0]), n), y[3];
        ck_assert_double_gt(start, (double)thickness);
        send_vertex(&at, x, q);
        respond(&at, &rays, y);
        double height = 0.0;
        for (int c = 0; c < 3; ++c) {
            height += (y[c] - (double)(&corners[0].x)[c]) * (double)(&n.x)[c];
        }
        ck_assert_msg(fabs(side * height - (double)thickness) < 1e-6, "%d: %g", i, side * height);
        ck_assert_int_eq(at.limits.hold[0], DR_HOLD_FREE);
        // Along the triangle it went where it wanted.
        double off[3] = {y[0] - (double)q.x, y[1] - (double)q.y, y[2] - (double)q.z};
        double slip = sqrt(off[0] * off[0] + off[1] * off[1] + off[2] * off[2]);
        ck_assert_double_lt(slip, 2.5 * (double)thickness);
        ++passed;
    }
    ck_assert_int_eq(passed, 2000);
    close_lab(&at);
}
END_TEST

// A way that ends before the triangle, too near; and one that ends where it started.
START_TEST(p4_near_ends_are_put_at_thickness)
{
    lab at;
    double y[3];
    open_lab(&at, 0.1f, 2, 1);
    add_triangle(
        &at, (const drape_vec3[3]){{-1.0f, 0.0f, -1.0f}, {0.0f, 0.0f, 2.0f}, {1.0f, 0.0f, -1.0f}});
    for (int side = -1; side <= 1; side += 2) {
        float s = (float)side;
        send_vertex(&at, (drape_vec3){0.0f, s * 0.1f, 0.0f}, (drape_vec3){0.01f, s * 0.001f, 0.0f});
        respond(&at, &rays, y);
        ck_assert_double_eq_tol(y[1], (double)(s * thickness), 1e-9);
        ck_assert_double_eq_tol(y[0], 0.01, 1e-8);
        // The border counts as well.
        send_vertex(&at, (drape_vec3){0.0f, s * 0.1f, -1.1f},
                    (drape_vec3){0.0f, s * 0.001f, -1.001f});
        respond(&at, &rays, y);
        ck_assert_double_eq_tol(sqrt(y[1] * y[1] + (y[2] + 1.0) * (y[2] + 1.0)), (double)thickness,
                                1e-8);
    }
    // Clear of it, nothing happens.
    send_vertex(&at, (drape_vec3){0.0f, 0.1f, 0.0f}, (drape_vec3){0.0f, thickness + 5e-7f, 0.0f});
    respond(&at, &rays, y);
    ck_assert_int_eq(at.limits.planes.count, 0);
    ck_assert_double_eq_tol(at.last.smallest_gap, (double)thickness + 5e-7, 1e-8);
    close_lab(&at);
}
END_TEST

// --- P-5: the place where the triangle is passed ---

START_TEST(p5_hit_point_lies_in_the_plane)
{
    for (int i = 0; i < 20000; ++i) {
        double corners[3][3], p[3], weights[3], x5[3], u[3], v[3], n[3], off[3];
        for (int k = 0; k < 3; ++k) {
            dr_read3(any((uint32_t)k, i, 1.0f), corners[k]);
        }
        dr_read3(any(9, i, 1.0f), p);
        dr_sub3(corners[1], corners[0], u);
        dr_sub3(corners[2], corners[0], v);
        dr_cross3(u, v, n);
        // Slivers lose digits in the ratio of their sides.
        if (dr_unit3(n) < 0.05) {
            continue;
        }
        ck_assert(dr_solid_weights(DR_POINTS(corners), p, weights));
        dr_solid_weigh(DR_POINTS(corners), weights, x5);
        dr_sub3(x5, corners[0], off);
        ck_assert_double_lt(fabs(dr_dot3(off, n)), 1e-12);
        ck_assert_double_eq_tol(weights[0] + weights[1] + weights[2], 1.0, 1e-12);
        // And it is the foot of p: what is left of the way is along the normal.
        dr_sub3(p, x5, off);
        ck_assert_double_lt(fabs(dr_dot3(off, u)) + fabs(dr_dot3(off, v)), 1e-11);
    }
    const double line[3][3] = {{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}, {2.0, 0.0, 0.0}};
    double weights[3];
    ck_assert(!dr_solid_weights(line, line[1], weights));
}
END_TEST

// --- Corners, insides, sides ---

// Into the corner between floor and wall: two planes, both kept.
START_TEST(corners_get_several_planes)
{
    lab at;
    double y[3];
    open_lab(&at, 0.1f, 2, 1);
    lab_add_shape(&at, box_of(2.0f, 0.2f, 2.0f), thickness);
    lab_add_shape(&at, box_of(0.2f, 2.0f, 2.0f), thickness);
    at.obstacles[0].start.translate.y = at.obstacles[0].end.translate.y = -0.1f;
    at.obstacles[1].start.translate.x = at.obstacles[1].end.translate.x = -0.1f;
    send_vertex(&at, (drape_vec3){0.05f, 0.05f, 0.0f}, (drape_vec3){-0.03f, -0.04f, 0.01f});
    respond(&at, &rays, y);
    ck_assert_double_eq_tol(y[0], (double)thickness, 1e-6);
    ck_assert_double_eq_tol(y[1], (double)thickness, 1e-6);
    ck_assert_double_eq_tol(y[2], 0.01, 1e-6);
    ck_assert_int_eq(at.limits.plane_count[0], 2);
    close_lab(&at);
}
END_TEST

// The same within one solid, a V of two slopes: the second plane comes from the corrected way.
START_TEST(corrected_ways_are_tested_again)
{
    lab at;
    double y[3];
    open_lab(&at, 0.1f, 2, 1);
    const drape_vec3 places[6] = {{-1.0f, 1.0f, -1.0f}, {0.0f, 0.0f, -1.0f}, {1.0f, 1.0f, -1.0f},
                                  {-1.0f, 1.0f, 1.0f},  {0.0f, 0.0f, 1.0f},  {1.0f, 1.0f, 1.0f}};
    const int32_t triangles[4][3] = {{0, 3, 1}, {1, 3, 4}, {1, 4, 2}, {2, 4, 5}};
    drape_mesh_view view = {
        .positions = places, .triangles = triangles[0], .vertex_count = 6, .triangle_count = 4};
    lab_add_mesh(&at, &view);
    send_vertex(&at, (drape_vec3){0.02f, 0.5f, 0.1f}, (drape_vec3){-0.02f, -0.3f, 0.1f});
    ck_assert(dr_ray_begin(&ray, &at.memory, at.pool, &at.sheets, at.obstacles, 1));
    ck_assert(dr_ray_detect(&ray, &at.memory, at.pool, &at.sheets, at.obstacles, 1, &at.limits,
                            &at.last));
    ck_assert_int_eq(at.last.plane_count, 2);
    respond(&at, &rays, y);
    for (int side = -1; side <= 1; side += 2) {
        double height = (y[1] - side * y[0]) / sqrt(2.0);
        ck_assert_double_ge(height, (double)thickness - 1e-6);
    }
    close_lab(&at);
}
END_TEST

// What starts inside of a closed solid comes out the shortest way, by no more than the exit step.
START_TEST(insides_are_left_the_shortest_way)
{
    lab at;
    double y[3];
    open_lab(&at, 0.1f, 2, 1);
    lab_add_shape(&at, box_of(1.0f, 1.0f, 1.0f), thickness);
    ray.def.exit_step = 0.02f;
    const drape_vec3 place = {0.1f, 0.47f, -0.2f};
    send_vertex(&at, place, place);
    dr_ray_forget(&ray);
    respond(&at, &rays, y);
    ck_assert_double_eq_tol(y[1], 0.49, 1e-6);
    ck_assert_double_eq_tol(y[0], 0.1, 1e-6);
    ck_assert_double_eq_tol(at.last.smallest_gap, -0.03, 1e-6);
    // The last stretch ends at the thickness.
    send_vertex(&at, (drape_vec3){0.1f, 0.49f, -0.2f}, (drape_vec3){0.1f, 0.49f, -0.2f});
    respond(&at, &rays, y);
    ck_assert_double_eq_tol(y[1], 0.5 + (double)thickness, 1e-6);
    // From outside, not at all: whoever is let in is stopped.
    send_vertex(&at, (drape_vec3){0.1f, 0.6f, -0.2f}, (drape_vec3){0.1f, 0.3f, -0.2f});
    dr_ray_forget(&ray);
    respond(&at, &rays, y);
    ck_assert_double_eq_tol(y[1], 0.5 + (double)thickness, 1e-6);
    close_lab(&at);
}
END_TEST

// On an open solid, to the last bit, there is no old side.
START_TEST(starts_on_open_solids_are_skipped_and_counted)
{
    lab at;
    open_lab(&at, 0.1f, 2, 1);
    add_triangle(
        &at, (const drape_vec3[3]){{-1.0f, 0.0f, -1.0f}, {0.0f, 0.0f, 2.0f}, {1.0f, 0.0f, -1.0f}});
    send_vertex(&at, (drape_vec3){0.0f, 0.0f, 0.0f}, (drape_vec3){0.0f, -0.1f, 0.0f});
    ck_assert(dr_ray_begin(&ray, &at.memory, at.pool, &at.sheets, at.obstacles, 1));
    ck_assert(dr_ray_detect(&ray, &at.memory, at.pool, &at.sheets, at.obstacles, 1, &at.limits,
                            &at.last));
    ck_assert_int_eq(ray.skipped_count, 1);
    ck_assert(at.last.is_clean);
    close_lab(&at);
}
END_TEST

// --- Moving solids ---

// A box flies over a vertex that rests, far further than it is thick: the vertex is taken along.
START_TEST(fast_solids_take_vertices_along)
{
    lab at;
    double y[3];
    open_lab(&at, 0.1f, 2, 1);
    lab_add_shape(&at, box_of(0.1f, 1.0f, 1.0f), thickness);
    at.obstacles[0].start.translate.x = -1.0f;
    at.obstacles[0].end.translate.x = 2.0f;
    const drape_vec3 place = {0.0f, 0.1f, 0.2f};
    send_vertex(&at, place, place);
    respond(&at, &rays, y);
    ck_assert_double_eq_tol(y[0], 2.05 + (double)thickness, 1e-6);
    ck_assert_double_eq_tol(y[1], 0.1, 1e-6);
    close_lab(&at);
}
END_TEST

// A triangle whose corners move apart and turn, against a fine walk through time in doubles.
START_TEST(moving_triangles_stop_what_they_pass)
{
    lab at;
    int hits = 0;
    for (int i = 0; i < 400; ++i) {
        double y[3];
        drape_vec3 from[3], to[3];
        open_lab(&at, 0.1f, 2, 1);
        from[0] = (drape_vec3){-1.0f, 0.0f, -1.0f};
        from[1] = (drape_vec3){0.0f, 0.0f, 2.0f};
        from[2] = (drape_vec3){1.0f, 0.0f, -1.0f};
        for (int k = 0; k < 3; ++k) {
            to[k] = dr_add(from[k], any((uint32_t)(20 + k), i, 0.25f));
        }
        add_triangle(&at, from);
        dr_body* body = (dr_body*)at.obstacles[0].body;
        ck_assert(dr_body_aim(body, &at.memory, to));
        dr_body_begin_step(body, at.pool);
        drape_vec3 place = {0.3f * dr_random_signed(30, (uint32_t)i), 0.05f, 0.0f};
        send_vertex(&at, place, place);
        // The normal points up: from the end plane the place must be above by the thickness.
        drape_vec3 n = dr_normalize(dr_cross(dr_sub(to[1], to[0]), dr_sub(to[2], to[0])));
        double end = (double)dr_dot(dr_sub(place, to[0]), n);
        respond(&at, &rays, y);
        double height = (y[0] - (double)to[0].x) * (double)n.x +
                        (y[1] - (double)to[0].y) * (double)n.y +
                        (y[2] - (double)to[0].z) * (double)n.z;
        ck_assert_msg(height > (double)thickness - 2e-6, "%d: %g of %g", i, height, end);
        ck_assert(end < (double)thickness || at.limits.planes.count == 0);
        hits += end < 0.0;
        dr_body_end_step(body);
        close_lab(&at);
    }
    ck_assert_int_gt(hits, 50);
}
END_TEST

// --- Any way through any triangles ---

// Whether the segment from a to b passes a triangle, by signs of volumes in doubles.
static bool passes(const double a[3], const double b[3], const double (*v)[3])
{
    double u[3], w[3], n[3], off[3], way[3], signs[3];
    dr_sub3(v[1], v[0], u);
    dr_sub3(v[2], v[0], w);
    dr_cross3(u, w, n);
    dr_sub3(a, v[0], off);
    double before = dr_dot3(off, n);
    dr_sub3(b, v[0], off);
    if (before * dr_dot3(off, n) >= 0.0) {
        return false;
    }
    dr_sub3(b, a, way);
    for (int k = 0; k < 3; ++k) {
        dr_sub3(v[k], a, u);
        dr_sub3(v[(k + 1) % 3], a, w);
        dr_cross3(u, w, n);
        signs[k] = dr_dot3(n, way);
    }
    return (signs[0] > 0.0 && signs[1] > 0.0 && signs[2] > 0.0) ||
           (signs[0] < 0.0 && signs[1] < 0.0 && signs[2] < 0.0);
}

// Many loose triangles, which may meet each other; the vertex starts clear of all and goes anywhere.
START_TEST(any_way_ends_clear_of_any_triangles)
{
    enum { CASES = 150, TRIANGLES = 12, WAYS = 40 };
    int ways = 0, held = 0;
    for (int i = 0; i < CASES; ++i) {
        lab at;
        drape_vec3 places[TRIANGLES * 3];
        int32_t triangles[TRIANGLES][3];
        open_lab(&at, 0.1f, 2, 1);
        for (int k = 0; k < TRIANGLES * 3; ++k) {
            places[k] = any((uint32_t)(100 + i), k, 0.5f);
            triangles[k / 3][k % 3] = k;
        }
        drape_mesh_view view = {.positions = places,
                                .triangles = triangles[0],
                                .vertex_count = TRIANGLES * 3,
                                .triangle_count = TRIANGLES};
        lab_add_mesh(&at, &view);
        for (int k = 0; k < WAYS; ++k) {
            drape_vec3 x = any((uint32_t)(1000 + i), k, 0.5f);
            drape_vec3 q = dr_add(x, any((uint32_t)(2000 + i), k, k % 2 ? 0.05f : 0.5f));
            if (distance_to_obstacle(&at.obstacles[0], x) < (double)thickness) {
                continue;
            }
            double from[3], y[3];
            send_vertex(&at, x, q);
            respond(&at, &rays, y);
            dr_read3(x, from);
            double distance = distance_to_obstacle(&at.obstacles[0], to_floats(y));
            ck_assert_msg(distance > (double)thickness - 3e-6, "%d %d: %g", i, k, distance);
            for (int t = 0; t < TRIANGLES; ++t) {
                double v[3][3];
                for (int c = 0; c < 3; ++c) {
                    dr_read3(places[3 * t + c], v[c]);
                }
                ck_assert_msg(!passes(from, y, DR_POINTS(v)), "%d %d: triangle %d", i, k, t);
            }
            ++ways;
            held += at.limits.hold[0] != DR_HOLD_FREE;
        }
        close_lab(&at);
    }
    ck_assert_int_gt(ways, 4000);
    ck_assert_int_lt(held, ways / 20);
    if (getenv("SLIDE_SHOW")) {
        printf("%d ways, %d frozen\n", ways, held);
    }
}
END_TEST

// --- Freezing ---

// From the run on that the definition says, what is found is frozen, and then it is clean.
START_TEST(late_runs_freeze)
{
    lab at;
    double y[3];
    open_lab(&at, 0.1f, 2, 1);
    lab_add_shape(&at, box_of(1.0f, 1.0f, 1.0f), thickness);
    at.obstacles[0].end.translate.y = 0.25f;
    send_vertex(&at, (drape_vec3){0.0f, 0.6f, 0.0f}, (drape_vec3){0.0f, 0.0f, 0.0f});
    dr_limits_clear(&at.limits);
    ck_assert(rays.begin(&ray, &at.memory, at.pool, &at.sheets, at.obstacles, 1));
    ray.run = ray.def.plane_runs;
    ck_assert(
        rays.detect(&ray, &at.memory, at.pool, &at.sheets, at.obstacles, 1, &at.limits, &at.last));
    ck_assert_int_eq(at.last.frozen_count, 1);
    dr_limits_project(&at.limits, 0, y);
    ck_assert_double_eq_tol(y[1], 0.85, 1e-6);
    at.sheets.end[0] = to_floats(y);
    ck_assert(
        rays.detect(&ray, &at.memory, at.pool, &at.sheets, at.obstacles, 1, &at.limits, &at.last));
    ck_assert(at.last.is_clean);
    close_lab(&at);
}
END_TEST

static Suite* ray_suite(void)
{
    Suite* suite = suite_create("ray");
    TCase* single = tcase_create("one vertex");
    tcase_add_test(single, p4_vertex_ends_at_thickness_on_its_old_side);
    tcase_add_test(single, p4_near_ends_are_put_at_thickness);
    tcase_add_test(single, p5_hit_point_lies_in_the_plane);
    tcase_add_test(single, corners_get_several_planes);
    tcase_add_test(single, corrected_ways_are_tested_again);
    tcase_add_test(single, insides_are_left_the_shortest_way);
    tcase_add_test(single, starts_on_open_solids_are_skipped_and_counted);
    tcase_add_test(single, fast_solids_take_vertices_along);
    tcase_add_test(single, moving_triangles_stop_what_they_pass);
    tcase_add_test(single, any_way_ends_clear_of_any_triangles);
    tcase_add_test(single, late_runs_freeze);
    suite_add_tcase(suite, single);
    return suite;
}

int main(void)
{
    return run_suite(ray_suite());
}
