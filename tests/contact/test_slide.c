// Cloth that slides on obstacles: what the paper promises.
#include "slide_test.h"

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
    lab_place(&at, dr_scale(normal, 0.5f + thickness), (drape_vec3){0.0f, 0.0f, (float)-degrees},
              0.0f);
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
        ck_assert_msg(fabs(way - exact) < 0.02 * exact, "%g degrees: %g m, not %g", degrees, way,
                      exact);
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
        printf("%-9s sweeps %d noise %.1f: runs %.2f, at most %d, frozen %d of %lld\n", s->name,
               sweeps, (double)noise, (double)at.runs / (double)at.steps, at.most_runs, at.frozen,
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

START_TEST(s2_wild_cloth_stays_outside)
{
    run_scene(&scenes[_i], 15, 15.0f, _i % 2 == 0 ? 8 : 0, 40);
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

// The projections of the three parts of d bound sectors of the plane. A vector of the plane is in
// the sector of two others when it is a sum of both with weights that are not negative.
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
    return suite;
}

int main(void)
{
    return run_suite(slide_suite());
}
