// Cloths that rays keep off solids.
#include "ray_test.h"

// --- P-8 and whole cloths ---

static void judge_vertices(lab* at, const char* name)
{
    double nearest = lab_smallest_distance(at);
    ck_assert_msg(nearest > (double)thickness - 2e-6, "%s: %.9f m", name, nearest);
    ck_assert_msg(lab_count_inside(at) == 0, "%s: %d inside", name, lab_count_inside(at));
}

static void open_ray_scene(lab* at, const scene* s, int columns, int workers)
{
    open_scene(at, s, columns, workers);
    dr_ray_def def = dr_ray_defaults();
    def.thickness = thickness;
    ck_assert(dr_ray_create(&ray, &at->memory, &def, &at->sheets));
}

START_TEST(p8_vertices_stay_outside)
{
    lab at;
    const scene* s = &scenes[_i];
    open_ray_scene(&at, s, 21, 1);
    for (int i = 0; i < 120; ++i) {
        if (i % 30 == 20) {
            for (int v = 0; v < at.sheets.vertex_count; ++v) {
                at.velocity[v] = dr_add(at.velocity[v], any((uint32_t)i, v, 3.0f));
            }
        }
        response_try_step(&at, &rays);
        if (i % 40 == 39) {
            judge_vertices(&at, s->name);
        }
        lab_commit(&at);
    }
    ck_assert_int_gt(at.planes, 100);
    if (getenv("SLIDE_SHOW")) {
        printf("%-9s runs %.2f, at most %d, planes %d, frozen %d of %lld, trees made anew %d\n",
               s->name, (double)at.runs / (double)at.steps, at.most_runs, at.planes, at.frozen,
               (long long)at.steps * at.sheets.vertex_count, ray.probe.upkeep.rebuild_count);
    }
    close_lab(&at);
}
END_TEST

// With the edges of the solid watched, nothing pokes between the vertices.
START_TEST(watched_edges_do_not_poke_through)
{
    lab at;
    const scene* s = &scenes[_i];
    dr_ray_def def = dr_ray_defaults();
    def.thickness = thickness;
    def.watches_edges = true;
    open_scene(&at, s, 21, 1);
    ck_assert(dr_ray_create(&ray, &at.memory, &def, &at.sheets));
    for (int i = 0; i < 100; ++i) {
        response_try_step(&at, &rays);
        if (i % 33 == 32) {
            judge_vertices(&at, s->name);
            ck_assert_int_eq(lab_count_crossings(&at), 0);
        }
        lab_commit(&at);
    }
    if (getenv("SLIDE_SHOW")) {
        printf("%-9s edges: runs %.2f, at most %d, frozen %d of %lld\n", s->name,
               (double)at.runs / (double)at.steps, at.most_runs, at.frozen,
               (long long)at.steps * at.sheets.vertex_count);
    }
    close_lab(&at);
}
END_TEST

// Turning and flying, at a metre and at a hundred metres a second.
START_TEST(moving_solids_keep_vertices_outside)
{
    lab at;
    float speed = _i ? 100.0f : 1.0f;
    open_lab(&at, 0.6f, 17, 1);
    lab_add_shape(&at, box_of(0.2f, 0.15f, 0.25f), thickness);
    lab_place(&at, (drape_vec3){0.0f, 0.0f, 0.0f}, (drape_vec3){0.0f, 0.0f, 90.0f}, 0.005f);
    drape_transform pose = {{-0.125f - 4.0f * speed * (float)at.dt, 0.0f, 0.0f},
                            {0.0f, 0.0f, 0.0f, 1.0f}};
    at.obstacles[0].start = pose;
    for (int i = 0; i < 40; ++i) {
        float way = speed * (float)at.dt;
        pose.translate.x += i < 20 ? way : -way;
        pose.rotate = dr_quat_multiply(
            drape_quat_from_degrees((drape_vec3){0.0f, 360.0f * way, 100.0f * way}), pose.rotate);
        at.obstacles[0].end = pose;
        response_try_step(&at, &rays);
        judge_vertices(&at, "moving");
        lab_commit(&at);
    }
    ck_assert_int_gt(at.planes, 20);
    close_lab(&at);
}
END_TEST

// --- Hard cases ---

static void throw_vertices(lab* at, int i, float noise)
{
    for (int v = 0; v < at->sheets.vertex_count; ++v) {
        at->velocity[v] = dr_add(at->velocity[v], any((uint32_t)i, v, noise));
    }
}

// Each vertex its own way, at up to twenty metres a second: far further than an edge in a step.
START_TEST(wild_vertices_stay_outside)
{
    lab at;
    const scene* s = &scenes[_i];
    open_ray_scene(&at, s, 15, 1);
    at.sweeps = _i % 2 ? 0 : 8;
    for (int i = 0; i < 60; ++i) {
        if (i % 10 == 5) {
            throw_vertices(&at, i, 15.0f);
        }
        response_try_step(&at, &rays);
        if (i % 10 == 6) {
            judge_vertices(&at, s->name);
        }
        lab_commit(&at);
    }
    if (getenv("SLIDE_SHOW")) {
        printf("%-9s wild: runs %.2f, at most %d, planes %d, frozen %d of %lld\n", s->name,
               (double)at.runs / (double)at.steps, at.most_runs, at.planes, at.frozen,
               (long long)at.steps * at.sheets.vertex_count);
    }
    close_lab(&at);
}
END_TEST

// A sheet in two pieces of cloth's way: who starts above stays above, who starts below below.
START_TEST(open_solids_have_two_sides)
{
    lab at;
    open_lab(&at, 0.5f, 15, 1);
    const drape_vec3 places[4] = {
        {-2.0f, 0.0f, -2.0f}, {2.0f, 0.0f, -2.0f}, {2.0f, 0.0f, 2.0f}, {-2.0f, 0.0f, 2.0f}};
    const int32_t triangles[2][3] = {{0, 1, 2}, {0, 2, 3}};
    drape_mesh_view view = {
        .positions = places, .triangles = triangles[0], .vertex_count = 4, .triangle_count = 2};
    lab_add_mesh(&at, &view);
    float side = _i ? 1.0f : -1.0f;
    lab_place(&at, (drape_vec3){0.0f, side * 0.05f, 0.0f}, (drape_vec3){0.0f, 20.0f, 0.0f}, 0.01f);
    at.gravity.y = -side * 9.81f;
    for (int i = 0; i < 100; ++i) {
        if (i % 25 == 10) {
            throw_vertices(&at, i, 5.0f);
        }
        response_try_step(&at, &rays);
        for (int v = 0; v < at.sheets.vertex_count; ++v) {
            float height = side * at.sheets.end[v].y;
            ck_assert_msg(height > thickness - 2e-6f, "step %d: %g", i, (double)height);
        }
        lab_commit(&at);
    }
    ck_assert_int_gt(at.planes, 100);
    close_lab(&at);
}
END_TEST

// Swells, shrinks and leans; each step in two substeps, which see a share of the way.
START_TEST(changing_bodies_keep_vertices_off)
{
    lab at;
    open_lab(&at, 0.6f, 17, 1);
    lab_add_shape(&at,
                  _i == 0 ? (drape_shape){.kind = DRAPE_SHAPE_SPHERE, .radius = 0.15f}
                          : box_of(0.25f, 0.2f, 0.25f),
                  8e-3f);
    dr_body* body = (dr_body*)at.obstacles[0].body;
    drape_vec3* rest = calloc((size_t)body->given_count, sizeof *rest);
    drape_vec3* places = calloc((size_t)body->given_count, sizeof *places);
    dr_body_places(body, rest);
    lab_place(&at, (drape_vec3){0.01f, 0.2f, 0.02f}, (drape_vec3){0.0f, 30.0f, 0.0f}, 0.004f);
    for (int i = 0; i < 60; ++i) {
        double swell = 1.0 + 0.2 * dr_sin(0.1 * i), lean = 0.2 * dr_sin(0.07 * i);
        for (int v = 0; v < body->given_count; ++v) {
            places[v] = (drape_vec3){(float)((double)rest[v].x * swell + lean * (double)rest[v].y),
                                     (float)((double)rest[v].y / swell),
                                     (float)((double)rest[v].z * swell)};
        }
        ck_assert(dr_body_aim(body, &at.memory, places));
        dr_body_begin_step(body, at.pool);
        for (int half = 0; half < 2; ++half) {
            at.obstacles[0].share_gone = 0.5f * (float)half;
            at.obstacles[0].share_left = 0.5f * (float)(1 - half);
            response_try_step(&at, &rays);
            if (half == 1 && i % 8 == 7) {
                judge_vertices(&at, "changing");
            }
            lab_commit(&at);
        }
        dr_body_end_step(body);
    }
    ck_assert_int_gt(at.planes, 100);
    if (getenv("SLIDE_SHOW")) {
        printf("changing %d: runs %.2f, at most %d, frozen %d\n", _i,
               (double)at.runs / (double)at.steps, at.most_runs, at.frozen);
    }
    free(rest);
    free(places);
    close_lab(&at);
}
END_TEST

// A sheet that starts within a ball comes out by steps, and is off it in the end.
START_TEST(vertices_inside_come_out_by_steps)
{
    lab at;
    open_lab(&at, 0.2f, 9, 1);
    ray.def.exit_step = 5e-3f;
    at.sweeps = 0;
    at.gravity.y = 0.0f;
    lab_add_shape(&at, (drape_shape){.kind = DRAPE_SHAPE_SPHERE, .radius = 0.2f}, thickness);
    lab_place(&at, (drape_vec3){0.0f, 0.17f, 0.0f}, (drape_vec3){0.0f, 0.0f, 0.0f}, 0.0f);
    ck_assert_int_gt(lab_count_inside(&at), 20);
    for (int i = 0; i < 60; ++i) {
        response_try_step(&at, &rays);
        for (int v = 0; v < at.sheets.vertex_count; ++v) {
            double way = dr_length_double(dr_sub(at.sheets.end[v], at.sheets.start[v]));
            ck_assert_double_lt(way, 5.1e-3);
            at.velocity[v] = (drape_vec3){0.0f, 0.0f, 0.0f};
        }
        memcpy(at.sheets.start, at.sheets.end,
               sizeof *at.sheets.end * (size_t)at.sheets.vertex_count);
    }
    judge_vertices(&at, "ball");
    close_lab(&at);
}
END_TEST

// --- Equal results, memory ---

START_TEST(results_do_not_depend_on_workers)
{
    drape_vec3* expected = NULL;
    for (int workers = 1; workers <= 4; ++workers) {
        lab at;
        open_ray_scene(&at, &scenes[4], 31, workers);
        for (int i = 0; i < 60; ++i) {
            response_try_step(&at, &rays);
            lab_commit(&at);
        }
        size_t size = sizeof *expected * (size_t)at.sheets.vertex_count;
        if (!expected) {
            expected = malloc(size);
            memcpy(expected, at.sheets.start, size);
        }
        ck_assert_int_eq(memcmp(expected, at.sheets.start, size), 0);
        close_lab(&at);
    }
    free(expected);
}
END_TEST

// A tree made from another shape finds the same, and is made anew.
START_TEST(results_do_not_depend_on_the_tree)
{
    drape_vec3* expected = NULL;
    for (int round = 0; round < 2; ++round) {
        lab at;
        open_ray_scene(&at, &scenes[1], 31, 1);
        if (round == 1) {
            ck_assert(rays.begin(&ray, &at.memory, at.pool, &at.sheets, at.obstacles, 1));
        }
        at.sweeps = 0;
        for (int v = 0; v < at.sheets.vertex_count; ++v) {
            drape_vec3 up = any(77, v, 0.4f);
            up.y = 0.5f + 0.1f * fabsf(up.y);
            at.sheets.start[v] = up;
        }
        dr_ray_forget(&ray);
        for (int i = 0; i < 120; ++i) {
            response_try_step(&at, &rays);
            lab_commit(&at);
        }
        ck_assert_int_gt(at.planes, 1000);
        ck_assert(round == 0 || ray.probe.upkeep.rebuild_count > 0);
        size_t size = sizeof *expected * (size_t)at.sheets.vertex_count;
        if (!expected) {
            expected = malloc(size);
            memcpy(expected, at.sheets.start, size);
        }
        ck_assert_int_eq(memcmp(expected, at.sheets.start, size), 0);
        close_lab(&at);
    }
    free(expected);
}
END_TEST

START_TEST(settled_steps_make_no_heap_calls)
{
    lab at;
    open_ray_scene(&at, &scenes[0], 21, 1);
    for (int i = 0; i < 120; ++i) {
        int64_t calls = at.memory.call_count;
        response_try_step(&at, &rays);
        lab_commit(&at);
        ck_assert_msg(i < 100 || at.memory.call_count == calls, "step %d", i);
    }
    close_lab(&at);
}
END_TEST

// Whatever block is not there, the answer is no and all is given back.
START_TEST(short_memory_is_survived)
{
    lab at;
    open_scene(&at, &scenes[0], 9, 1);
    for (int v = 0; v < at.sheets.vertex_count; ++v) {
        at.sheets.end[v].y -= 0.2f;
    }
    bool is_done = false;
    for (int calls = 0; !is_done; ++calls) {
        watched_heap heap = {.calls_left = calls};
        drape_allocator hook = {watched_allocate, watched_release, &heap};
        dr_memory memory;
        dr_slide_result result;
        dr_ray_def def = dr_ray_defaults();
        dr_memory_init(&memory, &hook);
        dr_limits limits;
        is_done = dr_limits_create(&limits, &memory, at.sheets.vertex_count);
        is_done = dr_ray_create(&ray, &memory, &def, &at.sheets) && is_done &&
                  dr_ray_begin(&ray, &memory, NULL, &at.sheets, at.obstacles, 1) &&
                  dr_ray_detect(&ray, &memory, NULL, &at.sheets, at.obstacles, 1, &limits, &result);
        dr_ray_free(&ray, &memory);
        dr_limits_free(&limits, &memory);
        ck_assert_uint_eq(heap.bytes, 0);
        ck_assert_int_lt(calls, 1000);
    }
    lab_close(&at);
}
END_TEST

static Suite* ray_suite(void)
{
    Suite* suite = suite_create("ray cloths");
    const int scene_count = (int)(sizeof scenes / sizeof *scenes);
    TCase* whole = tcase_create("cloths");
    tcase_set_timeout(whole, 60);
    tcase_add_loop_test(whole, p8_vertices_stay_outside, 0, scene_count);
    tcase_add_loop_test(whole, watched_edges_do_not_poke_through, 0, scene_count);
    tcase_add_loop_test(whole, moving_solids_keep_vertices_outside, 0, 2);
    tcase_add_loop_test(whole, wild_vertices_stay_outside, 0, scene_count);
    tcase_add_loop_test(whole, open_solids_have_two_sides, 0, 2);
    tcase_add_loop_test(whole, changing_bodies_keep_vertices_off, 0, 2);
    tcase_add_test(whole, vertices_inside_come_out_by_steps);
    suite_add_tcase(suite, whole);
    TCase* machine = tcase_create("machine");
    tcase_set_timeout(machine, 60);
    tcase_add_test(machine, results_do_not_depend_on_workers);
    tcase_add_test(machine, results_do_not_depend_on_the_tree);
    tcase_add_test(machine, settled_steps_make_no_heap_calls);
    tcase_add_test(machine, short_memory_is_survived);
    suite_add_tcase(suite, machine);
    return suite;
}

int main(void)
{
    return run_suite(ray_suite());
}
