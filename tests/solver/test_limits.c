// Limits of vertices: the projection against slower ways to the same place.
#include "solver/limits.h"

#include <check.h>
#include <math.h>
#include <string.h>

#include "../support.h"
#include "core/random.h"

typedef struct bench {
    dr_memory memory;
    dr_limits limits;
} bench;

static void bench_create(bench* b, int vertices)
{
    dr_memory_init(&b->memory, NULL);
    ck_assert(dr_limits_create(&b->limits, &b->memory, vertices));
}

static void bench_free(bench* b)
{
    dr_limits_free(&b->limits, &b->memory);
    ck_assert_uint_eq(b->memory.live_bytes, 0);
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// A plane through a point, without friction.
static dr_halfspace plane_at(double x, double y, double z, const double through[3])
{
    double length = sqrt(x * x + y * y + z * z);
    dr_halfspace plane = {.normal = {x / length, y / length, z / length}, .dependent = -1};
    plane.offset = -dot(plane.normal, through);
    return plane;
}

static double height(const dr_halfspace* plane, const double y[3])
{
    return dot(plane->normal, y) + plane->offset;
}

static void add(bench* b, int vertex, dr_halfspace plane)
{
    ck_assert_int_eq(dr_limits_add_plane(&b->limits, &b->memory, vertex, &plane), DR_LIMIT_ADDED);
}

static void check_at(const double y[3], double x0, double x1, double x2, double tolerance)
{
    const double wanted[3] = {x0, x1, x2};
    for (int c = 0; c < 3; ++c) {
        ck_assert_msg(fabs(y[c] - wanted[c]) <= tolerance, "coordinate %d is %.17g, not %.17g", c,
                      y[c], wanted[c]);
    }
}

static double chance(uint32_t seed, uint32_t i)
{
    return (double)dr_random_signed(seed, i);
}

// --- What is allowed ---

START_TEST(free_vertices_stay)
{
    bench b;
    bench_create(&b, 2);
    double y[3] = {1.0, -2.0, 3.0};
    ck_assert(!dr_limits_project(&b.limits, 1, y));
    check_at(y, 1.0, -2.0, 3.0, 0.0);
    bench_free(&b);
}
END_TEST

START_TEST(held_vertices_go_to_their_place)
{
    bench b;
    bench_create(&b, 1);
    const double frozen[3] = {1.0, 2.0, 3.0}, pinned[3] = {4.0, 5.0, 6.0};
    ck_assert(dr_limits_hold(&b.limits, 0, DR_HOLD_FROZEN, frozen));
    double y[3] = {0.0};
    dr_limits_project(&b.limits, 0, y);
    check_at(y, 1.0, 2.0, 3.0, 0.0);
    ck_assert(!dr_limits_hold(&b.limits, 0, DR_HOLD_PINNED, pinned));
    // What is pinned stays pinned, whatever freezes it, and no plane moves it.
    dr_limits_hold(&b.limits, 0, DR_HOLD_FROZEN, frozen);
    add(&b, 0, plane_at(0.0, 1.0, 0.0, (const double[3]){0.0, 9.0, 0.0}));
    dr_limits_project(&b.limits, 0, y);
    check_at(y, 4.0, 5.0, 6.0, 0.0);
    bench_free(&b);
}
END_TEST

START_TEST(intervals_clamp_and_planes_win)
{
    bench b;
    bench_create(&b, 2);
    dr_limits_set_interval(&b.limits, 0, 1, -0.5, 0.25);
    double y[3] = {1.0, 3.0, 2.0};
    ck_assert(!dr_limits_project(&b.limits, 0, y));
    check_at(y, 1.0, 0.25, 2.0, 0.0);
    add(&b, 0, plane_at(0.0, 1.0, 0.0, (const double[3]){0.0, 0.5, 0.0}));
    ck_assert(dr_limits_project(&b.limits, 0, y));
    check_at(y, 1.0, 0.5, 2.0, 0.0);
    bench_free(&b);
}
END_TEST

// Clearing gives back all of a step and keeps the memory.
START_TEST(cleared_limits_are_gone)
{
    bench b;
    bench_create(&b, 3);
    for (int round = 0; round < 3; ++round) {
        int64_t calls = b.memory.call_count;
        for (int v = 0; v < 3; ++v) {
            dr_limits_hold(&b.limits, v, DR_HOLD_FROZEN, (const double[3]){9.0, 9.0, 9.0});
            dr_limits_set_interval(&b.limits, v, 0, 5.0, 6.0);
            add(&b, v, plane_at(0.0, 0.0, 1.0, (const double[3]){0.0, 0.0, 7.0}));
        }
        ck_assert_int_eq(b.limits.limited.count, 3);
        ck_assert(round == 0 || b.memory.call_count == calls);
        dr_limits_clear(&b.limits);
        double y[3] = {1.0, 2.0, 3.0};
        ck_assert(!dr_limits_project(&b.limits, 1, y));
        check_at(y, 1.0, 2.0, 3.0, 0.0);
        ck_assert_int_eq(b.limits.limited.count, 0);
    }
    bench_free(&b);
}
END_TEST

START_TEST(more_planes_than_there_is_room_for_are_refused)
{
    bench b;
    bench_create(&b, 1);
    dr_halfspace plane = plane_at(0.0, 1.0, 0.0, (const double[3]){0.0});
    for (int i = 0; i < DR_LIMIT_PLANES; ++i) {
        add(&b, 0, plane);
    }
    ck_assert_int_eq(dr_limits_add_plane(&b.limits, &b.memory, 0, &plane), DR_LIMIT_FULL);
    double y[3] = {0.1, -1.0, 0.2};
    dr_limits_project(&b.limits, 0, y);
    check_at(y, 0.1, 0.0, 0.2, 1e-15);
    bench_free(&b);
}
END_TEST

START_TEST(lack_of_memory_is_told)
{
    for (int calls = 0; calls < 12; ++calls) {
        watched_heap heap = {.calls_left = calls};
        drape_allocator hook = {
            .allocate = watched_allocate, .release = watched_release, .user = &heap};
        dr_memory memory;
        dr_memory_init(&memory, &hook);
        dr_limits limits;
        bool created = dr_limits_create(&limits, &memory, 5);
        dr_halfspace plane = plane_at(0.0, 1.0, 0.0, (const double[3]){0.0});
        dr_limit_answer answer =
            created ? dr_limits_add_plane(&limits, &memory, 0, &plane) : DR_LIMIT_NO_MEMORY;
        ck_assert_int_eq(answer, calls >= 9 ? DR_LIMIT_ADDED : DR_LIMIT_NO_MEMORY);
        dr_limits_free(&limits, &memory);
        ck_assert_uint_eq(heap.bytes, 0);
    }
}
END_TEST

// --- Nearest places ---

// Dykstra's projections one after the other, each with its own memory, end at the nearest point.
static void dykstra(const dr_halfspace* planes, int count, double y[3])
{
    double memory[DR_LIMIT_PLANES][3] = {{0.0}};
    for (int round = 0; round < 20000; ++round) {
        double change = 0.0;
        for (int k = 0; k < count; ++k) {
            double from[3];
            for (int c = 0; c < 3; ++c) {
                from[c] = y[c] + memory[k][c];
            }
            double below = fmin(height(&planes[k], from), 0.0);
            for (int c = 0; c < 3; ++c) {
                double to = from[c] - below * planes[k].normal[c];
                memory[k][c] = from[c] - to;
                change = fmax(change, fabs(to - y[c]));
                y[c] = to;
            }
        }
        if (change < 1e-14) {
            return;
        }
    }
}

// Random sets of planes around a point that all of them allow.
START_TEST(several_planes_give_the_nearest_place)
{
    int moved = 0;
    for (uint32_t i = 0; i < 3000; ++i) {
        bench b;
        bench_create(&b, 1);
        dr_halfspace planes[DR_LIMIT_PLANES];
        int count = 1 + (int)(dr_random_u32(1, i) % DR_LIMIT_PLANES);
        for (int k = 0; k < count; ++k) {
            uint32_t at = i * 32 + 4 * (uint32_t)k;
            double n[3] = {chance(2, at), chance(2, at + 1), chance(2, at + 2)};
            planes[k] = plane_at(n[0], n[1], n[2], (const double[3]){0.0});
            planes[k].offset = 0.2 * (double)dr_random_unit(3, at);
            add(&b, 0, planes[k]);
        }
        double y[3] = {chance(4, 3 * i), chance(4, 3 * i + 1), chance(4, 3 * i + 2)};
        double start[3] = {y[0], y[1], y[2]}, slow[3] = {y[0], y[1], y[2]};
        dr_limits_project(&b.limits, 0, y);
        dykstra(planes, count, slow);
        double near = 0.0, far = 0.0;
        for (int c = 0; c < 3; ++c) {
            near += (y[c] - start[c]) * (y[c] - start[c]);
            far += (slow[c] - start[c]) * (slow[c] - start[c]);
        }
        moved += near > 0.0;
        // Behind no plane, and no further than the slow way, which may not be there yet.
        for (int k = 0; k < count; ++k) {
            ck_assert_double_ge(height(&planes[k], y), -1e-11);
        }
        ck_assert_msg(sqrt(near) <= sqrt(far) + 1e-6, "case %u: %g beside %g", i, sqrt(near),
                      sqrt(far));
        bench_free(&b);
    }
    ck_assert_int_gt(moved, 2000);
}
END_TEST

// Onto the first plane the way leads behind the second; the third, in front of which the vertex is
// all the time, has a point that is behind none, but a far one.
START_TEST(planes_that_do_not_push_are_left_alone)
{
    bench b;
    bench_create(&b, 1);
    const double origin[3] = {0.0};
    add(&b, 0, plane_at(1.0, 0.0, 0.0, origin));
    add(&b, 0, plane_at(0.2, 1.0, 0.0, (const double[3]){0.0, 0.1, 0.0}));
    add(&b, 0, plane_at(-1.0, 0.0, 0.0, (const double[3]){1.0, 0.0, 0.0}));
    double y[3] = {-0.5, 0.05, 0.0};
    dr_limits_project(&b.limits, 0, y);
    check_at(y, 0.0, 0.1, 0.0, 1e-12);
    bench_free(&b);
}
END_TEST

// The edge of a blade: the nearest point is on the edge or on one side, never in the blade.
START_TEST(acute_edges_hold)
{
    for (int k = 1; k <= 60; ++k) {
        bench b;
        bench_create(&b, 1);
        double angle = 0.025 * k; // between the faces and the plane of symmetry
        const double origin[3] = {0.0};
        // Cloth in a groove that is ever narrower.
        dr_halfspace left = plane_at(cos(angle), sin(angle), 0.0, origin);
        dr_halfspace right = plane_at(-cos(angle), sin(angle), 0.0, origin);
        add(&b, 0, left);
        add(&b, 0, right);
        double y[3] = {0.01, -1.0, 0.3};
        dr_limits_project(&b.limits, 0, y);
        check_at(y, 0.0, 0.0, 0.3, 1e-12);
        double beside[3] = {10.0, 0.5 * 10.0 * cos(angle) / sin(angle), 0.0};
        double start[3] = {beside[0], beside[1], 0.0};
        dr_limits_project(&b.limits, 0, beside);
        ck_assert_double_ge(height(&right, beside), -1e-11 * (1.0 + start[1]));
        ck_assert_double_ge(height(&left, beside), -1e-11 * (1.0 + start[1]));
        // The way is along the normal of the only plane that pushes.
        double way[3] = {beside[0] - start[0], beside[1] - start[1], 0.0};
        ck_assert_double_eq_tol(dot(way, right.normal) / sqrt(dot(way, way)), 1.0, 1e-9);
        bench_free(&b);
    }
}
END_TEST

START_TEST(corner_of_three_planes)
{
    bench b;
    bench_create(&b, 1);
    const double corner[3] = {0.1, 0.2, 0.3};
    add(&b, 0, plane_at(1.0, 0.0, 0.0, corner));
    add(&b, 0, plane_at(0.0, 1.0, 0.0, corner));
    add(&b, 0, plane_at(0.0, 0.0, 1.0, corner));
    double y[3] = {-1.0, -1.0, -1.0};
    dr_limits_project(&b.limits, 0, y);
    check_at(y, 0.1, 0.2, 0.3, 1e-15);
    bench_free(&b);
}
END_TEST

// Planes that leave no room: an answer all the same, no worse than staying.
START_TEST(no_room_gives_the_least_wrong_place)
{
    for (uint32_t i = 0; i < 500; ++i) {
        bench b;
        bench_create(&b, 1);
        double gap = 0.01 + (double)dr_random_unit(7, i);
        dr_halfspace planes[3];
        planes[0] = plane_at(0.0, 1.0, 0.0, (const double[3]){0.0, gap, 0.0});
        planes[1] = plane_at(0.0, -1.0, 0.0, (const double[3]){0.0});
        planes[2] = plane_at(chance(8, 3 * i), chance(8, 3 * i + 1), chance(8, 3 * i + 2),
                             (const double[3]){0.0});
        double y[3] = {chance(9, 3 * i), chance(9, 3 * i + 1), chance(9, 3 * i + 2)}, before = 0.0;
        for (int k = 0; k < 3; ++k) {
            add(&b, 0, planes[k]);
            before = fmax(before, -height(&planes[k], y));
        }
        dr_limits_project(&b.limits, 0, y);
        double after = 0.0;
        for (int k = 0; k < 3; ++k) {
            after = fmax(after, -height(&planes[k], y));
        }
        ck_assert(isfinite(y[0] + y[1] + y[2]));
        ck_assert_double_le(after, before + 1e-15);
        ck_assert_double_ge(after, 0.5 * gap - 1e-12);
        bench_free(&b);
    }
}
END_TEST

// Far from the origin rounding is larger, and still no reason to miss the nearest place.
START_TEST(far_away_corners_are_found)
{
    bench b;
    bench_create(&b, 1);
    const double corner[3] = {1e5, -2e5, 3e5};
    add(&b, 0, plane_at(1.0, 0.3, 0.1, corner));
    add(&b, 0, plane_at(-0.2, 1.0, 0.2, corner));
    add(&b, 0, plane_at(0.1, -0.1, 1.0, corner));
    double y[3] = {1e5 - 1.0, -2e5 - 1.0, 3e5 - 1.0};
    dr_limits_project(&b.limits, 0, y);
    check_at(y, 1e5, -2e5, 3e5, 1e-8);
    bench_free(&b);
}
END_TEST

// --- Friction and the dependent coordinate ---

// Weight moves a vertex on a slope by g dt^2 a step. Steep slopes slip with the part of g that is
// left.
START_TEST(slopes_hold_up_to_the_angle_of_friction)
{
    const double push = 1e-3, friction = 0.5;
    for (int degrees = 1; degrees < 90; ++degrees) {
        bench b;
        bench_create(&b, 1);
        double angle = degrees * 3.14159265358979323846 / 180.0;
        dr_halfspace slope = plane_at(sin(angle), cos(angle), 0.0, (const double[3]){0.0});
        slope.friction_static = slope.friction_dynamic = (float)friction;
        add(&b, 0, slope);
        double y[3] = {0.0, -push, 0.0};
        dr_limits_project(&b.limits, 0, y);
        double slide = push * fmax(sin(angle) - friction * cos(angle), 0.0);
        check_at(y, slide * cos(angle), -slide * sin(angle), 0.0, 1e-12);
        bench_free(&b);
    }
}
END_TEST

START_TEST(static_friction_is_stronger_than_dynamic)
{
    bench b;
    bench_create(&b, 2);
    dr_halfspace floor = plane_at(0.0, 1.0, 0.0, (const double[3]){0.0});
    floor.friction_static = 0.5f;
    floor.friction_dynamic = 0.25f;
    floor.anchor[0] = 1.0;
    add(&b, 0, floor);
    add(&b, 1, floor);
    double held[3] = {1.049, -0.1, 0.0}, slips[3] = {1.06, -0.1, 0.0};
    dr_limits_project(&b.limits, 0, held);
    check_at(held, 1.0, 0.0, 0.0, 1e-12);
    dr_limits_project(&b.limits, 1, slips);
    check_at(slips, 1.035, 0.0, 0.0, 1e-12);
    bench_free(&b);
}
END_TEST

// At an edge only the way along it is left, and friction takes off that.
START_TEST(edges_rub_along_themselves)
{
    bench b;
    bench_create(&b, 1);
    for (int k = 0; k < 2; ++k) {
        dr_halfspace wall = plane_at(k == 0, k == 1, 0.0, (const double[3]){0.0});
        wall.friction_dynamic = k == 0 ? 0.1f : 0.25f;
        add(&b, 0, wall);
    }
    double y[3] = {-0.3, -0.4, 1.0};
    dr_limits_project(&b.limits, 0, y);
    check_at(y, 0.0, 0.0, 1.0 - 0.25 * 0.5, 1e-12);
    bench_free(&b);
}
END_TEST

// As printed: two coordinates as they are, the third from the plane, from both sides.
START_TEST(dependent_coordinate_follows_the_plane)
{
    for (int j = 0; j < 3; ++j) {
        for (int side = -1; side <= 1; side += 2) {
            bench b;
            bench_create(&b, 1);
            dr_halfspace plane = plane_at(0.5, 0.7, -0.4, (const double[3]){0.1, 0.2, 0.3});
            plane.dependent = j;
            add(&b, 0, plane);
            double y[3] = {0.1 + 0.2 * side, 0.4, 0.9}, before[3] = {y[0], y[1], y[2]};
            dr_limits_project(&b.limits, 0, y);
            ck_assert_double_eq_tol(height(&plane, y), 0.0, 1e-15);
            for (int c = 0; c < 3; ++c) {
                ck_assert(c == j || y[c] == before[c]);
            }
            bench_free(&b);
        }
    }
}
END_TEST

// --- Pieces of a step ---

// What the start does not honour is reached evenly, and at the end to the last bit.
START_TEST(pieces_come_out_evenly)
{
    bench b;
    bench_create(&b, 1);
    add(&b, 0, plane_at(0.0, 1.0, 0.0, (const double[3]){0.0, 0.01, 0.0}));
    dr_limits_set_interval(&b.limits, 0, 0, 0.02, INFINITY);
    const double start[3] = {0.0, 0.0, 0.3};
    double y[3] = {start[0], start[1], start[2]}, whole[3] = {start[0], start[1], start[2]};
    for (int i = 0; i < 8; ++i) {
        double from[3] = {y[0], y[1], y[2]};
        dr_limits_project_piece(&b.limits, 0, &(dr_limit_piece){start, from, i, 8}, y);
        check_at(y, 0.02 * (i + 1) / 8, 0.01 * (i + 1) / 8, 0.3, 1e-15);
    }
    dr_limits_project(&b.limits, 0, whole);
    check_at(y, whole[0], whole[1], whole[2], 0.0);
    bench_free(&b);
}
END_TEST

// A vertex that slid in the pieces before is not pulled back to where the step began.
START_TEST(pieces_rub_against_their_own_slip)
{
    bench b;
    bench_create(&b, 1);
    dr_halfspace floor = plane_at(0.0, 1.0, 0.0, (const double[3]){0.0, 0.0, 0.0});
    floor.friction_static = floor.friction_dynamic = 0.5f;
    add(&b, 0, floor); // the anchor is the start
    const double start[3] = {0.0, 0.0, 0.0}, from[3] = {0.1, 0.0, 0.0};
    const dr_limit_piece piece = {start, from, 4, 8};
    double still[3] = {0.1, -0.01, 0.0}, sliding[3] = {0.12, -0.01, 0.0};
    dr_limits_project_piece(&b.limits, 0, &piece, still);
    check_at(still, 0.1, 0.0, 0.0, 1e-15);
    dr_limits_project_piece(&b.limits, 0, &piece, sliding);
    check_at(sliding, 0.115, 0.0, 0.0, 1e-15);
    bench_free(&b);
}
END_TEST

int main(void)
{
    Suite* suite = suite_create("limits");
    TCase* allowed = tcase_create("what is allowed");
    tcase_add_test(allowed, free_vertices_stay);
    tcase_add_test(allowed, held_vertices_go_to_their_place);
    tcase_add_test(allowed, intervals_clamp_and_planes_win);
    tcase_add_test(allowed, cleared_limits_are_gone);
    tcase_add_test(allowed, more_planes_than_there_is_room_for_are_refused);
    tcase_add_test(allowed, lack_of_memory_is_told);
    suite_add_tcase(suite, allowed);
    TCase* nearest = tcase_create("nearest places");
    tcase_add_test(nearest, several_planes_give_the_nearest_place);
    tcase_add_test(nearest, planes_that_do_not_push_are_left_alone);
    tcase_add_test(nearest, acute_edges_hold);
    tcase_add_test(nearest, corner_of_three_planes);
    tcase_add_test(nearest, no_room_gives_the_least_wrong_place);
    tcase_add_test(nearest, far_away_corners_are_found);
    suite_add_tcase(suite, nearest);
    TCase* friction = tcase_create("friction");
    tcase_add_test(friction, slopes_hold_up_to_the_angle_of_friction);
    tcase_add_test(friction, static_friction_is_stronger_than_dynamic);
    tcase_add_test(friction, edges_rub_along_themselves);
    tcase_add_test(friction, dependent_coordinate_follows_the_plane);
    suite_add_tcase(suite, friction);
    TCase* pieces = tcase_create("pieces of a step");
    tcase_add_test(pieces, pieces_come_out_evenly);
    tcase_add_test(pieces, pieces_rub_against_their_own_slip);
    suite_add_tcase(suite, pieces);
    return run_suite(suite);
}
