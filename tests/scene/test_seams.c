// Seams: rows of vertices that are drawn together and stay together.
#include "world_test.h"

enum { row_count = 11 };

// Two sheets side by side, 0.2 m apart, their near borders to be joined.
typedef struct pair {
    drape_world* world;
    drape_cloth_id a, b;
    int32_t row_a[row_count], row_b[row_count];
} pair;

static pair lay_pair(int test, drape_vec3 gravity)
{
    drape_world_def def = drape_world_defaults();
    def.gravity = gravity;
    pair p = {.world = drape_world_create(&def)};
    bool mesh = test % 2;
    p.a = mesh ? add_square_mesh(p.world, 0.5f, row_count, vec(-0.35f, 1, 0), vec(0, 0, 0))
               : add_square(p.world, 0.5f, row_count, vec(-0.35f, 1, 0), vec(0, 0, 0));
    p.b = add_square(p.world, 0.5f, row_count, vec(0.35f, 1, 0), vec(0, 0, 0));
    for (int i = 0; i < row_count; ++i) {
        p.row_a[i] = i * row_count + row_count - 1;
        p.row_b[i] = i * row_count;
    }
    return p;
}

static drape_seam_def seam_of(const pair* p, float start, float duration)
{
    return (drape_seam_def){.cloth_a = p->a, .cloth_b = p->b, .vertices_a = p->row_a,
                            .vertices_b = p->row_b, .pair_count = row_count, .start_time = start,
                            .duration = duration};
}

static float widest_gap(const pair* p)
{
    float widest = 0.0f;
    for (int i = 0; i < row_count; ++i) {
        drape_vec3 d = dr_sub(place_of(p->world, p->a, p->row_a[i]),
                              place_of(p->world, p->b, p->row_b[i]));
        widest = fmaxf(widest, dr_length(d));
    }
    return widest;
}

START_TEST(borders_close_in_their_time_and_stay)
{
    pair p = lay_pair(_i, vec(0, 0, 0));
    drape_seam_def def = seam_of(&p, 0.5f, 1.0f);
    ck_assert_uint_ne(drape_seam_add(p.world, &def).slot, 0);
    step_frames(p.world, 29);
    ck_assert_float_eq_tol(widest_gap(&p), 0.2f, 1e-6f); // not yet
    step_frames(p.world, 31);
    ck_assert_float_le(widest_gap(&p), 0.1f + 1e-3f); // half way
    step_frames(p.world, 31);
    ck_assert_float_le(widest_gap(&p), 1e-4f);
    step_frames(p.world, 60);
    ck_assert_float_le(widest_gap(&p), 1e-4f);
    drape_world_destroy(p.world);
}
END_TEST

// A sheet that hangs on another by the seam alone.
START_TEST(seams_carry_weight)
{
    pair p = lay_pair(_i, vec(0, -9.81f, 0));
    int32_t far_border[row_count];
    for (int i = 0; i < row_count; ++i) {
        far_border[i] = i * row_count;
    }
    pin_vertices(p.world, p.a, far_border, row_count);
    drape_seam_def def = seam_of(&p, 0.0f, 0.5f);
    drape_seam_add(p.world, &def);
    step_frames(p.world, 40);
    for (int i = 0; i < 60; ++i) {
        drape_step_report report = drape_world_step(p.world, FRAME);
        ck_assert_float_le(widest_gap(&p), 1e-4f);
        ck_assert_float_lt(report.max_stretch, 0.2f);
    }
    drape_world_destroy(p.world);
}
END_TEST

START_TEST(seams_to_the_same_cloth_make_tubes)
{
    drape_world_def world_def = drape_world_defaults();
    world_def.gravity = vec(0, 0, 0);
    pair p = {.world = drape_world_create(&world_def)};
    drape_cloth_def cloth = drape_cloth_defaults();
    cloth.noise = 1e-3f;
    p.a = p.b = drape_cloth_add_grid(p.world, &cloth, 0.5f, 0.5f, row_count, row_count);
    for (int i = 0; i < row_count; ++i) {
        p.row_a[i] = i * row_count + row_count - 1;
        p.row_b[i] = i * row_count;
    }
    drape_seam_def def = seam_of(&p, 0.0f, 1.0f);
    ck_assert_uint_ne(drape_seam_add(p.world, &def).slot, 0);
    drape_step_report report = step_frames(p.world, 90);
    ck_assert_float_le(widest_gap(&p), 1e-4f);
    ck_assert_int_eq(report.non_finite_count, 0);
    ck_assert_float_lt(report.max_stretch, 0.1f);
    drape_world_destroy(p.world);
}
END_TEST

START_TEST(seams_go_with_their_cloth)
{
    pair p = lay_pair(_i, vec(0, 0, 0));
    drape_seam_def def = seam_of(&p, 0.0f, 1.0f);
    drape_seam_add(p.world, &def);
    drape_world_step(p.world, FRAME);
    drape_cloth_remove(p.world, p.b);
    step_frames(p.world, 5);
    ck_assert(is_finite_cloth(p.world, p.a));
    drape_world_destroy(p.world);
}
END_TEST

// Predictive contacts leave what is sewn together alone: seams close as without them.
START_TEST(seams_close_between_predictive_contacts)
{
    pair p = lay_pair(0, vec(0, -9.81f, 0));
    drape_world_def def = drape_world_get_def(p.world);
    drape_world_destroy(p.world);
    ck_assert(drape_method_by_name("predict", &def.method));
    def.predictive.features = _i == 1 ? DRAPE_FEATURES_POINTS : DRAPE_FEATURES_MESH;
    def.substeps = 4;
    def.thickness = 0.01f;
    def.static_radius = 0.02f;
    p.world = drape_world_create(&def);
    p.a = add_square(p.world, 0.5f, row_count, vec(-0.35f, 1, 0), vec(0, 0, 0));
    p.b = add_square(p.world, 0.5f, row_count, vec(0.35f, 1, 0), vec(0, 0, 0));
    int32_t far_border[row_count];
    for (int i = 0; i < row_count; ++i) {
        far_border[i] = i * row_count;
    }
    pin_vertices(p.world, p.a, far_border, row_count);
    drape_world_step(p.world, FRAME); // sewn while it runs
    drape_seam_def seam = seam_of(&p, 0.0f, 0.5f);
    ck_assert_uint_ne(drape_seam_add(p.world, &seam).slot, 0);
    step_frames(p.world, 40);
    for (int i = 0; i < 60; ++i) {
        drape_step_report report = drape_world_step(p.world, FRAME);
        ck_assert_float_le(widest_gap(&p), 1e-3f);
        ck_assert_float_lt(report.max_stretch, 0.2f);
    }
    drape_world_destroy(p.world);
}
END_TEST

START_TEST(bad_seams_are_refused)
{
    pair p = lay_pair(0, vec(0, 0, 0));
    drape_seam_def bad = seam_of(&p, 0.0f, 1.0f);
    bad.pair_count = 0;
    ck_assert_uint_eq(drape_seam_add(p.world, &bad).slot, 0);
    bad = seam_of(&p, 0.0f, -1.0f);
    ck_assert_uint_eq(drape_seam_add(p.world, &bad).slot, 0);
    bad = seam_of(&p, NAN, 1.0f);
    ck_assert_uint_eq(drape_seam_add(p.world, &bad).slot, 0);
    p.row_b[3] = row_count * row_count;
    bad = seam_of(&p, 0.0f, 1.0f);
    ck_assert_uint_eq(drape_seam_add(p.world, &bad).slot, 0);
    ck_assert_ptr_nonnull(strstr(drape_world_error(p.world), "121"));
    bad.cloth_a = (drape_cloth_id){7, 7};
    ck_assert_uint_eq(drape_seam_add(p.world, &bad).slot, 0);
    drape_world_destroy(p.world);
}
END_TEST

int main(void)
{
    TCase* tests = tcase_create("seams");
    tcase_add_loop_test(tests, borders_close_in_their_time_and_stay, 0, 2);
    tcase_add_loop_test(tests, seams_carry_weight, 0, 2);
    tcase_add_test(tests, seams_to_the_same_cloth_make_tubes);
    tcase_add_loop_test(tests, seams_go_with_their_cloth, 0, 2);
    tcase_add_loop_test(tests, seams_close_between_predictive_contacts, 0, 2);
    tcase_add_test(tests, bad_seams_are_refused);
    Suite* suite = suite_create("seams");
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
