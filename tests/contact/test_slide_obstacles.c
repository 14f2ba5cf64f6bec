// Cloth that slides on obstacles that move, have two sides, are sharp or change; and equal results.
#include "slide_test.h"

// --- Moving obstacles ---

// A box that flies and spins through a hanging sheet, at 1, 10 and 100 times a metre and a turn a
// second.
START_TEST(moving_obstacles_take_cloth_along)
{
    static const float speeds[3] = {1.0f, 10.0f, 100.0f};
    lab at;
    dr_slide_def def = default_def();
    lab_open(&at, 0.6f, 17, &def, 1);
    lab_add_shape(&at, box_of(0.2f, 0.15f, 0.25f), thickness);
    lab_add_shape(&at, (drape_shape){.kind = DRAPE_SHAPE_SPHERE, .radius = 0.1f}, thickness);
    lab_place(&at, (drape_vec3){0.0f, 0.0f, 0.0f}, (drape_vec3){0.0f, 0.0f, 90.0f}, 0.005f);
    float speed = speeds[_i], far = 0.125f + 4.0f * speed * (float)at.dt;
    drape_transform pose = {{-far, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f, 1.0f}};
    at.obstacles[0].start = pose;
    at.obstacles[1].start = (drape_transform){{far, 0.05f, 0.0f}, {0.0f, 0.0f, 0.0f, 1.0f}};
    for (int i = 0; i < 40; ++i) {
        float way = speed * (float)at.dt, side = i < 20 ? 1.0f : -1.0f;
        pose.translate.x += side * way;
        pose.rotate = dr_quat_multiply(
            drape_quat_from_degrees((drape_vec3){0.0f, 360.0f * way, 100.0f * way}), pose.rotate);
        at.obstacles[0].end = pose;
        at.obstacles[1].end = at.obstacles[1].start;
        at.obstacles[1].end.translate.y += side * 0.3f * way;
        // Not both at once: between two that meet there is no place.
        at.obstacles[1].end.translate.x += side * way;
        lab_try_step(&at);
        lab_judge(&at, "moving");
        lab_commit(&at);
    }
    ck_assert_int_gt(at.planes, 100);
    if (getenv("SLIDE_SHOW")) {
        printf("moving %g: runs %.2f, at most %d, frozen %d\n", (double)speed,
               (double)at.runs / (double)at.steps, at.most_runs, at.frozen);
    }
    lab_close(&at);
}
END_TEST

// What sticks goes where the obstacle goes, however it spins.
START_TEST(anchors_are_carried)
{
    lab at;
    dr_slide_def def = default_def();
    lab_open(&at, 0.1f, 3, &def, 1);
    at.sweeps = 0;
    lab_add_shape(&at, box_of(1.0f, 0.2f, 1.0f), thickness);
    at.obstacles[0].friction_static = at.obstacles[0].friction_dynamic = 1e6f;
    lab_place(&at, (drape_vec3){0.3f, 0.1f + thickness, 0.0f}, (drape_vec3){0.0f, 0.0f, 0.0f},
              0.0f);
    drape_vec3 first = at.sheets.start[0];
    drape_transform pose = at_origin;
    for (int i = 0; i < 50; ++i) {
        for (int v = 0; v < at.sheets.vertex_count; ++v) {
            at.velocity[v] = (drape_vec3){0.0f, 0.0f, 0.0f};
        }
        pose.translate.y += 1e-3f;
        pose.rotate =
            dr_quat_multiply(drape_quat_from_degrees((drape_vec3){0.0f, 5.0f, 0.0f}), pose.rotate);
        at.obstacles[0].end = pose;
        lab_step(&at);
    }
    drape_vec3 carried = dr_transform_apply(pose, first);
    ck_assert_double_lt(dr_length_double(dr_sub(at.sheets.start[0], carried)), 1e-4);
    lab_close(&at);
}
END_TEST

// --- Open sheets, wedges, bodies that change ---

static void add_open_square(lab* at, float half)
{
    drape_vec3 p[4] = {{-half, 0, -half}, {half, 0, -half}, {half, 0, half}, {-half, 0, half}};
    int32_t t[6] = {0, 2, 1, 0, 3, 2};
    drape_mesh_view view = {.positions = p, .triangles = t, .vertex_count = 4, .triangle_count = 2};
    lab_add_mesh(at, &view);
}

// From above it stays above, from below it stays below.
START_TEST(open_sheets_have_two_sides)
{
    float side = _i == 0 ? 1.0f : -1.0f;
    lab at;
    dr_slide_def def = default_def();
    lab_open(&at, 0.5f, 17, &def, 1);
    add_open_square(&at, 0.15f);
    at.gravity.y *= side;
    lab_place(&at, (drape_vec3){0.01f, 0.03f * side, 0.02f}, (drape_vec3){0.0f, 30.0f, 0.0f},
              0.004f);
    for (int i = 0; i < 150; ++i) {
        lab_try_step(&at);
        lab_judge(&at, "open");
        // What hangs down beside it may swing below; the middle may not.
        for (int k = 0; k < 25; ++k) {
            int v = (6 + k / 5) * 17 + 6 + k % 5;
            ck_assert_float_gt(at.sheets.end[v].y * side, 0.0f);
        }
        lab_commit(&at);
    }
    ck_assert_int_le(at.most_runs, 6);
    lab_close(&at);
}
END_TEST

// A roof with its ridge upwards, of this angle between its sides.
static void add_wedge(lab* at, double degrees)
{
    double half = 0.5 * degrees * 3.14159265358979 / 180.0;
    float x = (float)(0.3 * dr_sin(half) / dr_cos(half)), y = -0.3f, z = 0.35f;
    drape_vec3 p[6] = {{0, 0, -z}, {0, 0, z}, {-x, y, -z}, {x, y, -z}, {-x, y, z}, {x, y, z}};
    int32_t t[24] = {0, 1, 5, 0, 5, 3, 0, 4, 1, 0, 2, 4, 2, 3, 5, 2, 5, 4, 0, 3, 2, 1, 4, 5};
    drape_mesh_view view = {.positions = p, .triangles = t, .vertex_count = 6, .triangle_count = 8};
    lab_add_mesh(at, &view);
    ck_assert(at->obstacles[0].body->is_closed);
}

START_TEST(cloth_goes_round_acute_edges)
{
    static const double angles[4] = {90.0, 45.0, 20.0, 5.0};
    lab at;
    dr_slide_def def = default_def();
    lab_open(&at, 0.6f, 19, &def, 1);
    add_wedge(&at, angles[_i]);
    lab_place(&at, (drape_vec3){0.02f, 0.02f, 0.01f}, (drape_vec3){0.0f, 25.0f, 0.0f}, 0.003f);
    for (int i = 0; i < 200; ++i) {
        lab_try_step(&at);
        if (i % 4 == 3) {
            lab_judge(&at, "wedge");
        }
        lab_commit(&at);
    }
    if (getenv("SLIDE_SHOW")) {
        printf("wedge %g: runs %.2f, at most %d, frozen %d\n", angles[_i],
               (double)at.runs / (double)at.steps, at.most_runs, at.frozen);
    }
    // It hangs on both sides.
    float left = 0.0f, right = 0.0f;
    for (int v = 0; v < at.sheets.vertex_count; ++v) {
        left = fminf(left, at.sheets.start[v].x < 0.0f ? at.sheets.start[v].y : 0.0f);
        right = fminf(right, at.sheets.start[v].x > 0.0f ? at.sheets.start[v].y : 0.0f);
    }
    ck_assert_float_lt(left, -0.05f);
    ck_assert_float_lt(right, -0.05f);
    lab_close(&at);
}
END_TEST

// A ball that swells, sinks in and leans.
static void change_body(lab* at, dr_body* body, drape_vec3* places, const drape_vec3* rest,
                        int step)
{
    double swell = 1.0 + 0.2 * dr_sin(0.1 * step), lean = 0.2 * dr_sin(0.07 * step);
    for (int i = 0; i < body->given_count; ++i) {
        places[i] =
            (drape_vec3){(float)((double)rest[i].x * swell + lean * (double)rest[i].y),
                         (float)((double)rest[i].y / swell), (float)((double)rest[i].z * swell)};
    }
    ck_assert(dr_body_aim(body, &at->memory, places));
    dr_body_begin_step(body, at->pool);
}

START_TEST(changing_bodies_keep_cloth_off)
{
    lab at;
    dr_slide_def def = default_def();
    lab_open(&at, 0.6f, 17, &def, 1);
    lab_add_shape(&at,
                  _i == 0 ? (drape_shape){.kind = DRAPE_SHAPE_SPHERE, .radius = 0.15f}
                          : box_of(0.25f, 0.2f, 0.25f),
                  8e-3f);
    dr_body* body = (dr_body*)at.obstacles[0].body;
    drape_vec3* rest = calloc((size_t)body->given_count, sizeof *rest);
    drape_vec3* places = calloc((size_t)body->given_count, sizeof *places);
    dr_body_places(body, rest);
    lab_place(&at, (drape_vec3){0.01f, 0.2f, 0.02f}, (drape_vec3){0.0f, 30.0f, 0.0f}, 0.004f);
    for (int i = 0; i < 120; ++i) {
        change_body(&at, body, places, rest, i < 100 ? i : 100);
        lab_try_step(&at);
        if (i % 4 == 3) {
            // The places of a triangle's sides are not those of its middle: some of the shell may
            // be lost where a body shears, and is won back.
            double nearest = lab_smallest_distance(&at);
            ck_assert_msg(nearest > 0.9 * (double)thickness, "step %d: %g m", i, nearest);
            ck_assert_int_eq(lab_count_crossings(&at), 0);
            ck_assert_int_eq(lab_count_inside(&at), 0);
        }
        lab_commit(&at);
        dr_body_end_step(body);
    }
    if (getenv("SLIDE_SHOW")) {
        printf("changing %d: runs %.2f, at most %d, frozen %d\n", _i,
               (double)at.runs / (double)at.steps, at.most_runs, at.frozen);
    }
    free(rest);
    free(places);
    lab_close(&at);
}
END_TEST

// --- Bad starts ---

START_TEST(vertices_inside_come_out_by_steps)
{
    lab at;
    dr_slide_def def = default_def();
    def.exit_step = 5e-3f;
    lab_open(&at, 0.2f, 9, &def, 1);
    at.sweeps = 0;
    at.gravity.y = 0.0f;
    lab_add_shape(&at, (drape_shape){.kind = DRAPE_SHAPE_SPHERE, .radius = 0.2f}, thickness);
    lab_place(&at, (drape_vec3){0.0f, 0.17f, 0.0f}, (drape_vec3){0.0f, 0.0f, 0.0f}, 0.0f);
    ck_assert_int_gt(lab_count_inside(&at), 20);
    for (int i = 0; i < 60; ++i) {
        lab_try_step(&at);
        for (int v = 0; v < at.sheets.vertex_count; ++v) {
            double way = dr_length_double(dr_sub(at.sheets.end[v], at.sheets.start[v]));
            ck_assert_double_lt(way, 5.1e-3);
            at.velocity[v] = (drape_vec3){0.0f, 0.0f, 0.0f};
        }
        memcpy(at.sheets.start, at.sheets.end,
               sizeof *at.sheets.end * (size_t)at.sheets.vertex_count);
    }
    ck_assert_int_eq(lab_count_inside(&at), 0);
    ck_assert_double_gt(lab_smallest_distance(&at), (double)thickness - 1e-6);
    lab_close(&at);
}
END_TEST

// --- Same result ---

static void run_some(lab* at, int workers, bool forgets, dr_slide_result* sum)
{
    open_scene(at, &scenes[4], 31, workers);
    *sum = (dr_slide_result){0};
    for (int i = 0; i < 60; ++i) {
        if (forgets && i % 7 == 3) {
            dr_slide_forget(&at->slide);
        }
        lab_step(at);
        sum->frozen_count += at->last.frozen_count;
        sum->exact_tests += at->last.exact_tests;
    }
}

START_TEST(results_do_not_depend_on_workers_or_rooms)
{
    lab one, other;
    dr_slide_result first, second;
    run_some(&one, 1, false, &first);
    size_t size = sizeof *one.sheets.start * (size_t)one.sheets.vertex_count;
    for (int i = 0; i < 3; ++i) {
        run_some(&other, i == 0 ? 2 : i == 1 ? 4 : 1, i == 2, &second);
        ck_assert_int_eq(memcmp(one.sheets.start, other.sheets.start, size), 0);
        ck_assert_int_eq((int)(one.runs - other.runs), 0);
        ck_assert(i == 2 || first.exact_tests == second.exact_tests);
        lab_close(&other);
    }
    lab_close(&one);
}
END_TEST

// A cloth that has settled asks for no memory.
START_TEST(settled_steps_call_no_allocator)
{
    lab at;
    open_scene(&at, &scenes[0], 25, 1);
    for (int i = 0; i < 200; ++i) {
        lab_step(&at);
    }
    int64_t calls = at.memory.call_count;
    for (int i = 0; i < 20; ++i) {
        lab_step(&at);
    }
    ck_assert_int_eq((int)(at.memory.call_count - calls), 0);
    lab_close(&at);
}
END_TEST

static void fail_after(int calls)
{
    watched_heap heap = {.calls_left = calls};
    drape_allocator hook = {
        .allocate = watched_allocate, .release = watched_release, .user = &heap};
    lab at;
    dr_slide slide;
    dr_memory memory;
    dr_slide_def def = default_def();
    dr_slide_result result;
    open_scene(&at, &scenes[0], 9, 1);
    dr_memory_init(&memory, &hook);
    if (dr_slide_create(&slide, &memory, &def, &at.sheets) &&
        dr_slide_begin(&slide, &memory, NULL, &at.sheets, at.obstacles, 1)) {
        dr_slide_detect(&slide, &memory, NULL, &at.sheets, at.obstacles, 1, &at.limits, &result);
    }
    dr_slide_free(&slide, &memory);
    ck_assert_uint_eq(heap.bytes, 0);
    lab_close(&at);
}

START_TEST(lack_of_memory_is_told)
{
    for (int calls = 0; calls < 32; ++calls) {
        fail_after(calls);
    }
}
END_TEST

static Suite* slide_obstacles_suite(void)
{
    Suite* suite = suite_create("slide_obstacles");
    TCase* hard = tcase_create("hard");
    tcase_add_loop_test(hard, moving_obstacles_take_cloth_along, 0, 3);
    tcase_add_test(hard, anchors_are_carried);
    tcase_add_loop_test(hard, open_sheets_have_two_sides, 0, 2);
    tcase_add_loop_test(hard, cloth_goes_round_acute_edges, 0, 4);
    tcase_add_loop_test(hard, changing_bodies_keep_cloth_off, 0, 2);
    tcase_add_test(hard, vertices_inside_come_out_by_steps);
    suite_add_tcase(suite, hard);

    TCase* machine = tcase_create("machine");
    tcase_add_test(machine, results_do_not_depend_on_workers_or_rooms);
    tcase_add_test(machine, settled_steps_call_no_allocator);
    tcase_add_test(machine, lack_of_memory_is_told);
    suite_add_tcase(suite, machine);
    return suite;
}

int main(void)
{
    return run_suite(slide_obstacles_suite());
}
