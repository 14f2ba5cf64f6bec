// Vertices in contact with a solid lose what of their motion goes into it.
#include "probe_test.h"

static dr_filter filter;
static const response filters = {&filter, begin_filter, detect_filter};

static void open_lab(lab* at, float size, int columns, int workers)
{
    dr_slide_def def = default_def();
    lab_open(at, size, columns, &def, workers);
    dr_filter_def filter_def = dr_filter_defaults();
    filter_def.thickness = thickness;
    ck_assert(dr_filter_create(&filter, &at->memory, &filter_def, &at->sheets));
}

static void close_lab(lab* at)
{
    dr_filter_free(&filter, &at->memory);
    lab_close(at);
}

// --- N-11: no normal velocity into the obstacle ---

// The nearest point of a body that rests in its frame, by trying all triangles and a fine grid of
// weights on each: slow, and nothing of what it judges.
static drape_vec3 slow_foot(const dr_body* body, drape_vec3 p)
{
    enum { STEPS = 100 };
    const dr_mesh* mesh = &body->shell.mesh;
    drape_vec3 best = {0.0f, 0.0f, 0.0f};
    double least = INFINITY;
    for (int t = 0; t < mesh->triangle_count; ++t) {
        drape_vec3 v[3];
        for (int k = 0; k < 3; ++k) {
            const float* c = body->from + (size_t)mesh->triangles[t][k] * 4;
            v[k] = (drape_vec3){c[0], c[1], c[2]};
        }
        for (int i = 0; i <= STEPS; ++i) {
            for (int k = 0; i + k <= STEPS; ++k) {
                float a = (float)i / STEPS, b = (float)k / STEPS;
                drape_vec3 foot = dr_add(dr_scale(v[0], 1.0f - a - b),
                                         dr_add(dr_scale(v[1], a), dr_scale(v[2], b)));
                double distance = dr_length_double(dr_sub(p, foot));
                if (distance < least) {
                    least = distance;
                    best = foot;
                }
            }
        }
    }
    return best;
}

static drape_vec3 into_frame(drape_transform pose, drape_vec3 p)
{
    drape_quat back = {-pose.rotate.x, -pose.rotate.y, -pose.rotate.z, pose.rotate.w};
    return dr_quat_rotate(back, dr_sub(p, pose.translate));
}

// Boxes that rest, fly and spin; vertices near faces, edges and corners, thrown any way.
START_TEST(n11_no_normal_velocity_into_the_obstacle)
{
    lab at;
    const float dt = 2e-3f;
    int thrown_in = 0, moved = 0;
    open_lab(&at, 0.1f, 2, 1);
    const drape_vec3 size = {0.05f, 0.04f, 0.06f};
    lab_add_shape(&at, box_of(size.x, size.y, size.z), thickness);
    for (int i = 0; i < 120; ++i) {
        drape_transform start = at_origin, end;
        if (_i > 0) {
            start.rotate = drape_quat_from_degrees(any(1, i, 180.0f));
            start.translate = any(2, i, 0.5f);
        }
        end = start;
        if (_i > 1) {
            end.rotate = dr_quat_multiply(drape_quat_from_degrees(any(3, i, 2.0f)), start.rotate);
            end.translate = dr_add(start.translate, any(4, i, 2.0f * dt));
        }
        at.obstacles[0].start = start;
        at.obstacles[0].end = end;
        // Off the surface by half of the thickness to all of it.
        drape_vec3 seed = any(5, i, 0.1f);
        drape_vec3 on = {fminf(fmaxf(seed.x, -0.5f * size.x), 0.5f * size.x),
                         fminf(fmaxf(seed.y, -0.5f * size.y), 0.5f * size.y),
                         fminf(fmaxf(seed.z, -0.5f * size.z), 0.5f * size.z)};
        if (dr_length(dr_sub(seed, on)) < 1e-3f) {
            continue;
        }
        drape_vec3 normal = dr_normalize(dr_sub(seed, on));
        float gap = thickness * (0.5f + 0.5f * dr_random_unit(6, (uint32_t)i));
        drape_vec3 local = dr_add(on, dr_scale(normal, gap));
        drape_vec3 x = dr_transform_apply(start, local), carried = dr_transform_apply(end, local);
        drape_vec3 q = dr_add(x, any(7, i, 3.0f * dt));
        double y[3];
        send_vertex(&at, x, q);
        dr_filter_forget(&filter);
        respond(&at, &filters, y);
        ck_assert_int_eq(at.limits.hold[0], DR_HOLD_FREE);
        // Of the motion relative to the obstacle nothing is left along the normal, inwards.
        drape_vec3 foot = slow_foot(at.obstacles[0].body, into_frame(start, x));
        ck_assert_double_lt(dr_length_double(dr_sub(foot, on)), 1e-3);
        drape_vec3 n = dr_quat_rotate(end.rotate, normal);
        double speed = 0.0;
        for (int c = 0; c < 3; ++c) {
            speed += (y[c] - (double)(&carried.x)[c]) * (double)(&n.x)[c] / (double)dt;
        }
        ck_assert_msg(speed > -1e-3, "%d: %g m/s into the obstacle", i, speed);
        // And it is at the thickness, or further.
        double distance = distance_to_obstacle(&at.obstacles[0], to_floats(y));
        ck_assert_msg(distance > (double)thickness - 2e-6, "%d: %.9f m", i, distance);
        thrown_in += dr_dot(dr_sub(q, carried), n) < 0.0f;
        moved += at.limits.planes.count > 0;
        ck_assert(at.limits.planes.count > 0 || dr_dot(dr_sub(q, carried), n) > 0.0f);
    }
    ck_assert_int_gt(thrown_in, 30);
    ck_assert_int_ge(moved, thrown_in);
    close_lab(&at);
}
END_TEST

// What goes along the obstacle or away from it is let go.
START_TEST(other_motion_is_kept)
{
    lab at;
    double y[3];
    open_lab(&at, 0.1f, 2, 1);
    lab_add_shape(&at, box_of(1.0f, 1.0f, 1.0f), thickness);
    const drape_vec3 x = {0.1f, 0.5f + thickness, 0.1f};
    send_vertex(&at, x, (drape_vec3){0.2f, 0.45f, 0.05f});
    respond(&at, &filters, y);
    ck_assert_double_eq_tol(y[0], 0.2, 1e-7);
    ck_assert_double_eq_tol(y[1], 0.5 + (double)thickness, 1e-7);
    ck_assert_double_eq_tol(y[2], 0.05, 1e-7);
    send_vertex(&at, x, (drape_vec3){0.2f, 0.6f, 0.05f});
    respond(&at, &filters, y);
    ck_assert_int_eq(at.limits.planes.count, 0);
    close_lab(&at);
}
END_TEST

// The obstacle rises: the vertex has its normal velocity, and with friction all of it.
START_TEST(n11_moving_obstacles_lend_their_velocity)
{
    lab at;
    double y[3];
    open_lab(&at, 0.1f, 2, 1);
    lab_add_shape(&at, box_of(1.0f, 1.0f, 1.0f), thickness);
    at.obstacles[0].end.translate = (drape_vec3){0.01f, 0.02f, 0.0f};
    const drape_vec3 x = {0.1f, 0.5f + thickness, 0.1f};
    send_vertex(&at, x, (drape_vec3){0.1f, 0.49f, 0.1f});
    respond(&at, &filters, y);
    ck_assert_double_eq_tol(y[0], 0.1, 1e-7);
    ck_assert_double_eq_tol(y[1], 0.52 + (double)thickness, 1e-6);
    at.obstacles[0].friction_static = at.obstacles[0].friction_dynamic = 10.0f;
    send_vertex(&at, x, (drape_vec3){0.1f, 0.49f, 0.1f});
    respond(&at, &filters, y);
    ck_assert_double_eq_tol(y[0], 0.11, 1e-6);
    close_lab(&at);
}
END_TEST

// --- Contact at the end, insides ---

START_TEST(contacts_of_the_end_are_found)
{
    lab at;
    double y[3];
    open_lab(&at, 0.1f, 2, 1);
    lab_add_shape(&at, box_of(1.0f, 1.0f, 1.0f), thickness);
    // Into the shell, and deep into the box: out the shortest way.
    send_vertex(&at, (drape_vec3){0.1f, 0.6f, 0.1f}, (drape_vec3){0.1f, 0.501f, 0.1f});
    respond(&at, &filters, y);
    ck_assert_double_eq_tol(y[1], 0.5 + (double)thickness, 1e-6);
    send_vertex(&at, (drape_vec3){0.1f, 0.6f, 0.1f}, (drape_vec3){0.1f, 0.4f, 0.1f});
    respond(&at, &filters, y);
    ck_assert_double_eq_tol(y[1], 0.5 + (double)thickness, 1e-6);
    // Starting inside, by no more than the exit step.
    filter.def.exit_step = 0.005f;
    send_vertex(&at, (drape_vec3){0.1f, 0.1f, 0.49f}, (drape_vec3){0.1f, 0.1f, 0.49f});
    dr_filter_forget(&filter);
    respond(&at, &filters, y);
    ck_assert_double_eq_tol(y[2], 0.495, 1e-6);
    close_lab(&at);
}
END_TEST

START_TEST(corners_get_several_planes)
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
    send_vertex(&at, (drape_vec3){0.001f, 0.008f, 0.1f}, (drape_vec3){0.0005f, 0.002f, 0.1f});
    respond(&at, &filters, y);
    for (int side = -1; side <= 1; side += 2) {
        ck_assert_double_ge((y[1] - side * y[0]) / sqrt(2.0), (double)thickness - 2e-6);
    }
    ck_assert_int_ge(at.limits.plane_count[0], 2);
    close_lab(&at);
}
END_TEST

// A solid with hundreds of triangles within the thickness: the nearest of all of them counts.
START_TEST(fine_solids_are_met_at_their_nearest_point)
{
    enum { SIDE = 41, CELLS = SIDE - 1 };
    static drape_vec3 places[SIDE * SIDE];
    static int32_t triangles[2 * CELLS * CELLS][3];
    for (int i = 0; i < SIDE * SIDE; ++i) {
        places[i] = (drape_vec3){4e-4f * (float)(i % SIDE - SIDE / 2), 0.0f,
                                 4e-4f * (float)(i / SIDE - SIDE / 2)};
    }
    for (int i = 0; i < CELLS * CELLS; ++i) {
        int32_t a = i / CELLS * SIDE + i % CELLS;
        const int32_t cell[2][3] = {{a, a + SIDE, a + 1}, {a + 1, a + SIDE, a + SIDE + 1}};
        memcpy(triangles[2 * i], cell, sizeof cell);
    }
    lab at;
    double y[3];
    open_lab(&at, 0.1f, 2, 1);
    drape_mesh_view view = {.positions = places,
                            .triangles = triangles[0],
                            .vertex_count = SIDE * SIDE,
                            .triangle_count = 2 * CELLS * CELLS};
    lab_add_mesh(&at, &view);
    for (int i = 0; i < 100; ++i) {
        drape_vec3 x = any(11, i, 3e-3f), q = x;
        x.y = 0.01f;
        q.y = 1e-3f;
        send_vertex(&at, x, q);
        respond(&at, &filters, y);
        ck_assert_double_eq_tol(y[0], (double)q.x, 1e-6);
        ck_assert_double_eq_tol(y[1], (double)thickness, 1e-6);
        ck_assert_double_eq_tol(y[2], (double)q.z, 1e-6);
        ck_assert_int_eq(at.limits.plane_count[0], 1);
    }
    close_lab(&at);
}
END_TEST

// What the header says it cannot do.
START_TEST(fast_vertices_pass_thin_solids_unseen)
{
    lab at;
    double y[3];
    open_lab(&at, 0.1f, 2, 1);
    lab_add_shape(&at, box_of(1.0f, 0.01f, 1.0f), thickness);
    send_vertex(&at, (drape_vec3){0.1f, 0.05f, 0.1f}, (drape_vec3){0.1f, -0.05f, 0.1f});
    respond(&at, &filters, y);
    ck_assert_int_eq(at.limits.planes.count, 0);
    close_lab(&at);
}
END_TEST

// --- Whole cloths ---

static void open_filter_scene(lab* at, const scene* s, int columns, int workers)
{
    open_scene(at, s, columns, workers);
    dr_filter_def def = dr_filter_defaults();
    def.thickness = thickness;
    ck_assert(dr_filter_create(&filter, &at->memory, &def, &at->sheets));
}

START_TEST(slow_cloth_stays_outside)
{
    lab at;
    const scene* s = &scenes[_i];
    open_filter_scene(&at, s, 21, 1);
    for (int i = 0; i < 120; ++i) {
        response_try_step(&at, &filters);
        if (i % 20 == 19) {
            double nearest = lab_smallest_distance(&at);
            ck_assert_msg(nearest > (double)thickness - 2e-6, "%s: %.9f m", s->name, nearest);
            ck_assert_int_eq(lab_count_inside(&at), 0);
        }
        lab_commit(&at);
    }
    ck_assert_int_gt(at.planes, 100);
    if (getenv("SLIDE_SHOW")) {
        printf("%-9s runs %.2f, at most %d, planes %d, frozen %d of %lld\n", s->name,
               (double)at.runs / (double)at.steps, at.most_runs, at.planes, at.frozen,
               (long long)at.steps * at.sheets.vertex_count);
    }
    close_lab(&at);
}
END_TEST

START_TEST(results_do_not_depend_on_workers)
{
    drape_vec3* expected = NULL;
    for (int workers = 1; workers <= 3; ++workers) {
        lab at;
        open_filter_scene(&at, &scenes[4], 31, workers);
        for (int i = 0; i < 40; ++i) {
            response_try_step(&at, &filters);
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

static Suite* filter_suite(void)
{
    Suite* suite = suite_create("filter");
    const int scene_count = (int)(sizeof scenes / sizeof *scenes);
    TCase* single = tcase_create("one vertex");
    tcase_add_loop_test(single, n11_no_normal_velocity_into_the_obstacle, 0, 3);
    tcase_add_test(single, n11_moving_obstacles_lend_their_velocity);
    tcase_add_test(single, other_motion_is_kept);
    tcase_add_test(single, contacts_of_the_end_are_found);
    tcase_add_test(single, corners_get_several_planes);
    tcase_add_test(single, fine_solids_are_met_at_their_nearest_point);
    tcase_add_test(single, fast_vertices_pass_thin_solids_unseen);
    suite_add_tcase(suite, single);
    TCase* whole = tcase_create("whole cloths");
    tcase_set_timeout(whole, 60);
    tcase_add_loop_test(whole, slow_cloth_stays_outside, 0, scene_count);
    tcase_add_test(whole, results_do_not_depend_on_workers);
    suite_add_tcase(suite, whole);
    return suite;
}

int main(void)
{
    return run_suite(filter_suite());
}
