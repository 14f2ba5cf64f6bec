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
        int runs = lab_try_step(&at);
        if (i % 5 == 4) {
            lab_judge(&at, s->name);
        }
        (void)runs;
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
    suite_add_tcase(suite, papers);
    return suite;
}

int main(void)
{
    return run_suite(slide_suite());
}
