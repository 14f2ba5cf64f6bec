// Cloth that slides on obstacles.
#include "slide_test.h"

static const float thickness = 4e-3f;

static dr_slide_def default_def(void)
{
    dr_slide_def def = dr_slide_defaults();
    def.thickness = thickness;
    return def;
}

static drape_shape box_of(float x, float y, float z)
{
    return (drape_shape){.kind = DRAPE_SHAPE_BOX, .size = {x, y, z}};
}

// --- S-1: a point on a slope ---

// How far one vertex slides down a slope in a second and a half of the step length below.
static double slide_down(dr_slide_mode mode, double degrees, int steps, double dt)
{
    lab at;
    dr_slide_def def = default_def();
    def.mode = mode;
    lab_open(&at, 0.02f, 2, &def, 1);
    at.sweeps = 0;
    at.dt = dt;
    lab_add_shape(&at, box_of(20.0f, 1.0f, 2.0f), thickness);
    at.obstacles[0].start = at.obstacles[0].end = (drape_transform){
        {0.0f, 0.0f, 0.0f}, drape_quat_from_degrees((drape_vec3){0.0f, 0.0f, (float)-degrees})};
    drape_vec3 normal = dr_quat_rotate(at.obstacles[0].end.rotate, (drape_vec3){0.0f, 1.0f, 0.0f});
    lab_place(&at, dr_scale(normal, 0.5f + thickness), (drape_vec3){0.0f, 0.0f, (float)-degrees}, 0.0f);
    drape_vec3 from = at.sheets.start[0];
    for (int i = 0; i < steps; ++i) {
        lab_step(&at);
    }
    drape_vec3 way = dr_sub(at.sheets.start[0], from);
    ck_assert_double_lt(fabs((double)dr_dot(way, normal)), 1e-5);
    ck_assert_int_eq(at.frozen, 0);
    lab_close(&at);
    return dr_length_double(way);
}

START_TEST(s1_orthogonal_planes_let_slide)
{
    const double dt = 2e-3;
    const int steps = 250;
    for (int i = 1; i <= 4; ++i) {
        double degrees = 15.0 * i, time = steps * dt;
        double exact = 0.5 * 9.81 * dr_sin(degrees * 3.14159265358979 / 180.0) * time * time;
        double way = slide_down(DR_SLIDE_ORTHOGONAL, degrees, steps, dt);
        ck_assert_msg(fabs(way - exact) < 0.02 * exact, "%g degrees: %g m, not %g", degrees, way, exact);
    }
}
END_TEST

START_TEST(s1_dependent_coordinate_sticks)
{
    ck_assert_double_lt(slide_down(DR_SLIDE_DEPENDENT, 30.0, 250, 2e-3), 1e-4);
}
END_TEST

// --- S-2: nothing goes in ---

// A new direction for all, and noise for each, every so many steps.
static void stir(lab* at, uint32_t seed, float speed, float noise)
{
    drape_vec3 common = {speed * dr_random_signed(seed, 0), speed * dr_random_signed(seed, 1),
                         speed * dr_random_signed(seed, 2)};
    for (int v = 0; v < at->sheets.vertex_count; ++v) {
        uint32_t i = (uint32_t)v * 3 + 3;
        at->velocity[v] = dr_add(at->velocity[v], common);
        at->velocity[v].x += noise * dr_random_signed(seed, i);
        at->velocity[v].y += noise * dr_random_signed(seed, i + 1);
        at->velocity[v].z += noise * dr_random_signed(seed, i + 2);
    }
}

typedef struct scene {
    const char* name;
    const char* file; // or
    drape_shape shape;
    float size, height;
} scene;

static const scene scenes[] = {
    {"box", NULL, {.kind = DRAPE_SHAPE_BOX, .size = {0.5f, 0.3f, 0.5f}}, 1.0f, 0.2f},
    {"sphere", NULL, {.kind = DRAPE_SHAPE_SPHERE, .radius = 0.3f}, 1.0f, 0.35f},
    {"capsule", NULL, {.kind = DRAPE_SHAPE_CAPSULE, .radius = 0.1f, .radius_top = 0.2f, .height = 0.4f},
     1.0f, 0.45f},
    {"cylinder", "cylinder", {0}, 1.0f, 0.0f},
    {"sofa", "sofa", {0}, 2.0f, 0.0f},
    {"table", "round_table", {0}, 1.4f, 0.0f},
};

static float top_of(const dr_body* body)
{
    return body->shell.tree.root[4];
}

static void open_scene(lab* at, const scene* s, int columns, int workers)
{
    dr_slide_def def = default_def();
    lab_open(at, s->size, columns, &def, workers);
    if (s->file) {
        lab_add_file(at, s->file);
    } else {
        lab_add_shape(at, s->shape, thickness);
    }
    float height = top_of(at->obstacles[0].body) + 0.05f;
    lab_place(at, (drape_vec3){0.02f, height, 0.03f}, (drape_vec3){0.0f, 17.0f, 0.0f}, 0.015f);
}

// Falls, is stirred, and falls again.
static void run_scene(const scene* s, int columns, float noise, int sweeps, int step_count)
{
    lab at;
    open_scene(&at, s, columns, 1);
    at.sweeps = sweeps;
    for (int i = 0; i < step_count; ++i) {
        if (i % 20 == 10) {
            stir(&at, (uint32_t)i, 0.5f, noise);
        }
        lab_try_step(&at);
        if (i % 20 == 19) {
            lab_judge(&at, s->name);
        }
        lab_commit(&at);
    }
    if (getenv("SLIDE_SHOW")) {
        printf("%-9s sweeps %d noise %.1f: runs %.2f, at most %d, frozen %d of %lld\n", s->name, sweeps,
               (double)noise, (double)at.runs / (double)at.steps, at.most_runs, at.frozen,
               (long long)at.steps * at.sheets.vertex_count);
    }
    lab_close(&at);
}

START_TEST(s2_falling_cloth_stays_outside)
{
    run_scene(&scenes[_i], 25, 0.3f, 8, 100);
}
END_TEST

START_TEST(s2_crumpled_cloth_stays_outside)
{
    run_scene(&scenes[_i], 21, 3.0f, 8, 60);
}
END_TEST

START_TEST(s2_scattered_vertices_stay_outside)
{
    run_scene(&scenes[_i], 15, 2.0f, 0, 40);
}
END_TEST

// Without planes the same fall goes through: the judges can tell.
START_TEST(s2_judges_have_teeth)
{
    lab at;
    open_scene(&at, &scenes[0], 25, 1);
    int64_t crossings = 0;
    double nearest = INFINITY;
    for (int i = 0; i < 80; ++i) {
        dr_limits_clear(&at.limits);
        lab_solve(&at);
        crossings += lab_count_crossings(&at);
        nearest = fmin(nearest, lab_smallest_distance(&at));
        lab_commit(&at);
    }
    ck_assert_int_gt(crossings, 0);
    ck_assert_int_gt(lab_count_inside(&at), 0);
    ck_assert_double_lt(nearest, (double)thickness);
    lab_close(&at);
}
END_TEST

// --- S-3: a cloth at rest ---

START_TEST(s3_cloth_rests_at_the_shell)
{
    lab at;
    dr_slide_def def = default_def();
    lab_open(&at, 0.4f, 17, &def, 1);
    lab_add_shape(&at, box_of(0.6f, 0.2f, 0.6f), thickness);
    lab_place(&at, (drape_vec3){0.0f, 0.12f, 0.0f}, (drape_vec3){0.0f, 20.0f, 0.0f}, 0.003f);
    for (int i = 0; i < 600; ++i) {
        for (int v = 0; v < at.sheets.vertex_count; ++v) {
            at.velocity[v] = dr_scale(at.velocity[v], 0.98f);
        }
        lab_step(&at);
    }
    for (int v = 0; v < at.sheets.vertex_count; ++v) {
        double height = (double)at.sheets.start[v].y - 0.1;
        ck_assert_msg(fabs(height - 4e-3) < 1e-6, "vertex %d at %.9f m", v, height);
    }
    ck_assert_int_le(at.most_runs, 3);
    ck_assert_int_eq(at.frozen, 0);
    lab_close(&at);
}
END_TEST

// --- S-4: the dependent coordinate ---

// The projections of the three parts of d bound sectors of the plane. A vector of the plane is in the sector
// of two others when it is a sum of both with weights that are not negative.
static bool is_in_sector(const double n[3], const double d[3], int left_out)
{
    int i = (left_out + 1) % 3, k = (left_out + 2) % 3;
    double part[3][3];
    for (int a = 0; a < 3; ++a) {
        for (int c = 0; c < 3; ++c) {
            part[a][c] = (a == c ? d[a] : 0.0) - d[a] * n[a] * n[c];
        }
    }
    double sum[3], uv, wv, uw;
    for (int c = 0; c < 3; ++c) {
        sum[c] = part[0][c] + part[1][c] + part[2][c];
    }
    // Turning from one to the other, seen along the normal.
    const double *u = part[i], *w = part[k];
    uv = n[0] * (u[1] * sum[2] - u[2] * sum[1]) + n[1] * (u[2] * sum[0] - u[0] * sum[2]) +
         n[2] * (u[0] * sum[1] - u[1] * sum[0]);
    wv = n[0] * (w[1] * sum[2] - w[2] * sum[1]) + n[1] * (w[2] * sum[0] - w[0] * sum[2]) +
         n[2] * (w[0] * sum[1] - w[1] * sum[0]);
    uw = n[0] * (u[1] * w[2] - u[2] * w[1]) + n[1] * (u[2] * w[0] - u[0] * w[2]) +
         n[2] * (u[0] * w[1] - u[1] * w[0]);
    // sum = a u + b w gives a = (sum x w) / (u x w), b = (u x sum) / (u x w).
    double a = -wv / uw, b = uv / uw;
    return a >= -1e-9 && b >= -1e-9;
}

START_TEST(s4_dependent_coordinate_is_that_of_the_sector)
{
    int several = 0;
    for (uint32_t i = 0; i < 20000; ++i) {
        double n[3], d[3], length = 0.0;
        for (uint32_t c = 0; c < 3; ++c) {
            n[c] = (double)dr_random_signed(1, 6 * i + c);
            d[c] = (double)dr_random_signed(1, 6 * i + 3 + c);
            length += n[c] * n[c];
        }
        bool is_in[3];
        int best = -1, steepest = 0;
        for (int c = 0; c < 3; ++c) {
            n[c] /= sqrt(length);
        }
        for (int c = 0; c < 3; ++c) {
            is_in[c] = is_in_sector(n, d, c);
            steepest = fabs(n[c]) > fabs(n[steepest]) ? c : steepest;
            if (is_in[c] && fabs(n[c]) >= 0.1 && (best < 0 || fabs(n[c]) > fabs(n[best]))) {
                best = c;
            }
        }
        several += is_in[0] + is_in[1] + is_in[2] > 1;
        ck_assert_msg(dr_slide_dependent(n, d) == (best < 0 ? steepest : best), "case %u", i);
    }
    ck_assert_int_gt(several, 10000);
}
END_TEST

// --- Moving obstacles ---

// A box that flies and spins through a hanging sheet, at 1, 10 and 100 times a metre and a turn a second.
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
    lab_place(&at, (drape_vec3){0.3f, 0.1f + thickness, 0.0f}, (drape_vec3){0.0f, 0.0f, 0.0f}, 0.0f);
    drape_vec3 first = at.sheets.start[0];
    drape_transform pose = at_origin;
    for (int i = 0; i < 50; ++i) {
        for (int v = 0; v < at.sheets.vertex_count; ++v) {
            at.velocity[v] = (drape_vec3){0.0f, 0.0f, 0.0f};
        }
        pose.translate.y += 1e-3f;
        pose.rotate = dr_quat_multiply(drape_quat_from_degrees((drape_vec3){0.0f, 5.0f, 0.0f}), pose.rotate);
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
    lab_place(&at, (drape_vec3){0.01f, 0.03f * side, 0.02f}, (drape_vec3){0.0f, 30.0f, 0.0f}, 0.004f);
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
static void change_body(lab* at, dr_body* body, drape_vec3* places, const drape_vec3* rest, int step)
{
    double swell = 1.0 + 0.2 * dr_sin(0.1 * step), lean = 0.2 * dr_sin(0.07 * step);
    for (int i = 0; i < body->given_count; ++i) {
        places[i] = (drape_vec3){(float)((double)rest[i].x * swell + lean * (double)rest[i].y),
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
    lab_add_shape(&at, _i == 0 ? (drape_shape){.kind = DRAPE_SHAPE_SPHERE, .radius = 0.15f}
                               : box_of(0.25f, 0.2f, 0.25f), 8e-3f);
    dr_body* body = (dr_body*)at.obstacles[0].body;
    drape_vec3* rest = calloc((size_t)body->given_count, sizeof *rest);
    drape_vec3* places = calloc((size_t)body->given_count, sizeof *places);
    dr_body_places(body, rest);
    lab_place(&at, (drape_vec3){0.01f, 0.2f, 0.02f}, (drape_vec3){0.0f, 30.0f, 0.0f}, 0.004f);
    for (int i = 0; i < 120; ++i) {
        change_body(&at, body, places, rest, i < 100 ? i : 100);
        lab_try_step(&at);
        if (i % 4 == 3) {
            // The places of a triangle's sides are not those of its middle: some of the shell may be lost
            // where a body shears, and is won back.
            double nearest = lab_smallest_distance(&at);
            ck_assert_msg(nearest > 0.9 * (double)thickness, "step %d: %g m", i, nearest);
            ck_assert_int_eq(lab_count_crossings(&at), 0);
            ck_assert_int_eq(lab_count_inside(&at), 0);
        }
        lab_commit(&at);
        dr_body_end_step(body);
    }
    if (getenv("SLIDE_SHOW")) {
        printf("changing %d: runs %.2f, at most %d, frozen %d\n", _i, (double)at.runs / (double)at.steps,
               at.most_runs, at.frozen);
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
        memcpy(at.sheets.start, at.sheets.end, sizeof *at.sheets.end * (size_t)at.sheets.vertex_count);
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
    drape_allocator hook = {.allocate = watched_allocate, .release = watched_release, .user = &heap};
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

START_TEST(s2_wild_cloth_stays_outside)
{
    run_scene(&scenes[_i], 15, 15.0f, _i % 2 == 0 ? 8 : 0, 40);
}
END_TEST

static Suite* slide_suite(void)
{
    Suite* suite = suite_create("slide");
    const int scene_count = (int)(sizeof scenes / sizeof *scenes);
    TCase* papers = tcase_create("paper");
    tcase_add_test(papers, s1_orthogonal_planes_let_slide);
    tcase_add_test(papers, s1_dependent_coordinate_sticks);
    tcase_add_loop_test(papers, s2_falling_cloth_stays_outside, 0, scene_count);
    tcase_add_loop_test(papers, s2_crumpled_cloth_stays_outside, 0, scene_count);
    tcase_add_loop_test(papers, s2_scattered_vertices_stay_outside, 0, scene_count);
    tcase_add_loop_test(papers, s2_wild_cloth_stays_outside, 0, scene_count);
    tcase_add_test(papers, s2_judges_have_teeth);
    tcase_add_test(papers, s3_cloth_rests_at_the_shell);
    tcase_add_test(papers, s4_dependent_coordinate_is_that_of_the_sector);
    suite_add_tcase(suite, papers);

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
    return run_suite(slide_suite());
}
