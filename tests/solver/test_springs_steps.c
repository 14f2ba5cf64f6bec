// Whole runs of springs: equal bytes whatever the machine does, no memory, meshes like grids.
#include "springs_test.h"

#include "core/base.h"

// --- Equal bytes ---

// A sheet large enough for threads falls on a slope, hung at one corner.
static uint64_t run_hash(dr_springs_integrator integrator, bool is_mesh, bool eight, int workers,
                         drape_isa isa)
{
    dr_springs_def def = skew_def(71, 67);
    def.integrator = integrator;
    def.eight_bends = eight;
    def.max_elongation = 0.05;
    def.elongation_sweeps = 2;
    def.elongation_order = eight ? DR_SPRINGS_FROM_HELD : DR_SPRINGS_TO_AND_FRO;
    net n;
    if (is_mesh) {
        net_create_mesh(&n, &def, 0.2);
    } else {
        net_create(&n, &def);
    }
    net_shake(&n, 0.003, 0.3, 7);
    dr_pool* pool = workers > 1 ? dr_pool_create(&n.memory, workers, NULL) : NULL;
    for (int v = 0; v < n.count; v += 3) {
        dr_halfspace slope = {.normal = {0.6, 0.8, 0.0},
                              .offset = 0.01,
                              .friction_static = 0.5f,
                              .friction_dynamic = 0.4f,
                              .dependent = -1};
        dr_limits_add_plane(&n.limits, &n.memory, v, &slope);
    }
    net_pin(&n, 0, n.x[0]);
    drape_vec3* wind = calloc((size_t)n.count, sizeof *wind);
    for (int v = 0; v < n.count; ++v) {
        wind[v].x = dr_random_signed(3, (uint32_t)v);
    }
    dr_springs_forces forces = {{0.0, -9.81, 0.0}, wind};
    for (int i = 0; i < 5; ++i) {
        dr_springs_begin(&n.s, 0.008, &forces, pool, isa);
        dr_springs_solve(&n.s, &n.limits, 0, pool, isa);
        ck_assert(dr_springs_commit(&n.s));
    }
    net_fetch(&n);
    uint64_t hash = dr_hash_bytes(DR_HASH_START, n.x, (size_t)n.count * sizeof(point));
    hash = dr_hash_bytes(hash, n.v, (size_t)n.count * sizeof(point));
    free(wind);
    dr_pool_destroy(pool);
    net_free(&n);
    return hash;
}

START_TEST(same_bytes_on_any_machine)
{
    static const drape_isa sets[] = {DRAPE_ISA_PLAIN, DRAPE_ISA_SSE2, DRAPE_ISA_AVX2,
                                     DRAPE_ISA_NEON, DRAPE_ISA_WASM};
    dr_springs_integrator integrator = _i % 2 ? DR_SPRINGS_IMPLICIT : DR_SPRINGS_VERLET;
    bool is_mesh = _i / 2 == 1, eight = _i / 2 == 2;
    uint64_t first = run_hash(integrator, is_mesh, eight, 1, DRAPE_ISA_PLAIN);
    for (size_t k = 0; k < sizeof sets / sizeof *sets; ++k) {
        if (dr_isa_available(sets[k])) {
            ck_assert_uint_eq(run_hash(integrator, is_mesh, eight, 1, sets[k]), first);
        }
    }
    drape_isa best = dr_isa_resolve(DRAPE_ISA_AUTO);
    ck_assert_uint_eq(run_hash(integrator, is_mesh, eight, 2, best), first);
    ck_assert_uint_eq(run_hash(integrator, is_mesh, eight, 4, best), first);
}
END_TEST

// A weight on a spring to a place comes to rest where both are even, and however stiff the spring
// is, it never goes further than it was.
START_TEST(pulls_carry_weights)
{
    const double stiffness[] = {5.0, 1e7};
    for (int k = 0; k < 4; ++k) {
        dr_springs_def def = skew_def(1, 1);
        def.size_x = def.size_z = 0.01;
        def.integrator = (dr_springs_integrator)(k % 2);
        def.damping = 5.0;
        net n;
        net_create(&n, &def);
        const double place[3] = {n.x[0][0], n.x[0][1] + 0.2, n.x[0][2]};
        double pull = stiffness[k / 2] * n.s.mass[0];
        dr_springs_forces forces = {{0.0, -9.81, 0.0}, NULL};
        for (int i = 0; i < 4000; ++i) {
            dr_springs_begin(&n.s, 0.004, &forces, NULL, n.isa);
            // Two of them are as good as one.
            dr_springs_add_spring(&n.s, 0, 0.25 * pull, place);
            dr_springs_add_spring(&n.s, 0, 0.75 * pull, place);
            dr_springs_solve(&n.s, NULL, 0, NULL, n.isa);
            ck_assert(dr_springs_commit(&n.s));
            net_fetch(&n);
            ck_assert(k < 2 || fabs(n.x[0][1] - place[1]) < 0.2);
        }
        double even = place[1] - 9.81 / stiffness[k / 2];
        ck_assert_double_eq_tol(n.x[0][1], even, 1e-6);
        net_free(&n);
    }
}
END_TEST

// A step that is tried again gives the same; one that is not committed leaves no trace.
START_TEST(steps_may_be_tried_again)
{
    for (int k = 0; k < 2; ++k) {
        dr_springs_def def = skew_def(13, 11);
        def.integrator = (dr_springs_integrator)k;
        net n;
        net_create(&n, &def);
        net_shake(&n, 0.003, 0.3, 7);
        net_try(&n, 0.01, 9.81);
        point* first = calloc((size_t)n.count, sizeof *first);
        dr_springs_get_candidate(&n.s, first);
        net_pin(&n, 60, n.x[60]);
        dr_springs_solve(&n.s, &n.limits, 0, NULL, n.isa);
        dr_springs_get_candidate(&n.s, n.q);
        ck_assert_int_eq(memcmp(n.q[60], n.x[60], sizeof(point)), 0);
        ck_assert_int_ne(memcmp(n.q, first, (size_t)n.count * sizeof(point)), 0);
        dr_limits_clear(&n.limits);
        dr_springs_solve(&n.s, &n.limits, 0, NULL, n.isa);
        dr_springs_get_candidate(&n.s, n.q);
        ck_assert_int_eq(memcmp(n.q, first, (size_t)n.count * sizeof(point)), 0);
        free(first);
        net_free(&n);
    }
}
END_TEST

START_TEST(steps_need_no_memory)
{
    for (int k = 0; k < 2; ++k) {
        dr_springs_def def = skew_def(13, 11);
        def.integrator = (dr_springs_integrator)k;
        def.max_elongation = 0.1;
        net n;
        net_create(&n, &def);
        net_pin(&n, 0, n.x[0]);
        int64_t calls = n.memory.call_count;
        for (int i = 0; i < 10; ++i) {
            net_step(&n, 0.01, 9.81);
        }
        ck_assert_int_eq(n.memory.call_count, calls);
        net_free(&n);
    }
}
END_TEST

// Some vertices of a larger set of limits.
START_TEST(vertices_are_those_from_the_first_on)
{
    for (int k = 0; k < 2; ++k) {
        dr_springs_def def = skew_def(5, 4);
        def.integrator = (dr_springs_integrator)k;
        net n;
        net_create(&n, &def);
        dr_limits shared;
        ck_assert(dr_limits_create(&shared, &n.memory, 100));
        dr_limits_hold(&shared, 40 + 7, DR_HOLD_PINNED, n.x[7]);
        dr_limits_hold(&shared, 8, DR_HOLD_PINNED, n.x[8]);
        dr_springs_forces forces = {{0.0, -9.81, 0.0}, NULL};
        dr_springs_begin(&n.s, 0.01, &forces, NULL, n.isa);
        dr_springs_solve(&n.s, &shared, 40, NULL, n.isa);
        dr_springs_get_candidate(&n.s, n.q);
        ck_assert_int_eq(memcmp(n.q[7], n.x[7], sizeof(point)), 0);
        ck_assert_double_lt(n.q[8][1], -1e-5);
        dr_limits_free(&shared, &n.memory);
        net_free(&n);
    }
}
END_TEST

// --- Grid and mesh ---

// The same cloth hung at two corners sags the same, cut either way.
START_TEST(grid_and_mesh_hang_alike)
{
    double height[2];
    for (int k = 0; k < 2; ++k) {
        dr_springs_def def = skew_def(13, 13);
        def.integrator = DR_SPRINGS_IMPLICIT;
        def.damping = 4.0;
        net n;
        if (k) {
            net_create_mesh(&n, &def, 0.0);
        } else {
            net_create(&n, &def);
        }
        net_pin(&n, 0, n.x[0]);
        net_pin(&n, 12, n.x[12]);
        for (int i = 0; i < 300; ++i) {
            net_step(&n, 0.01, 9.81);
        }
        net_fetch(&n);
        height[k] = n.x[12 * 13 + 6][1];
        net_free(&n);
    }
    ck_assert_double_lt(height[0], -0.4);
    ck_assert_double_eq_tol(height[1] / height[0], 1.0, 0.05);
}
END_TEST

// A disc, whose edges lie in all directions, and a mesh with a loose vertex and none at all.
START_TEST(any_mesh_will_do)
{
    for (int k = 0; k < 2; ++k) {
        net n = {0};
        dr_memory_init(&n.memory, NULL);
        dr_shape_mesh shape;
        ck_assert(dr_generate_disc(&shape, &n.memory, 0.5f, 8, 0.0f));
        dr_springs_def def = skew_def(2, 2);
        def.integrator = (dr_springs_integrator)k;
        def.max_elongation = 0.1;
        // The outermost vertex is taken out of all triangles.
        int last = shape.vertex_count - 1, kept = 0;
        for (int t = 0; t < shape.triangle_count; ++t) {
            const int32_t* v = shape.triangles[t];
            if (v[0] != last && v[1] != last && v[2] != last) {
                memmove(shape.triangles[kept++], v, sizeof shape.triangles[0]);
            }
        }
        int all = shape.triangle_count;
        shape.triangle_count = kept;
        net_take_shape(&n, def, &shape);
        shape.triangle_count = all;
        dr_shape_free(&shape, &n.memory);
        net_pin(&n, 0, n.x[0]);
        for (int i = 0; i < 60; ++i) {
            net_step(&n, 1.0 / 60.0, 9.81);
        }
        net_fetch(&n);
        double least = 0.0;
        for (int v = 0; v < last; ++v) {
            ck_assert(isfinite(n.x[v][0] + n.x[v][1] + n.x[v][2]));
            least = fmin(least, n.x[v][1]);
        }
        ck_assert_double_gt(least, -0.75);
        ck_assert_double_lt(least, -0.3);
        ck_assert_double_lt(n.x[last][1], -2.0); // it falls alone
        net_free(&n);
    }
}
END_TEST

int main(void)
{
    Suite* suite = suite_create("springs_steps");
    TCase* tcase = tcase_create("steps");
    tcase_add_loop_test(tcase, same_bytes_on_any_machine, 0, 6);
    tcase_add_test(tcase, pulls_carry_weights);
    tcase_add_test(tcase, steps_may_be_tried_again);
    tcase_add_test(tcase, steps_need_no_memory);
    tcase_add_test(tcase, vertices_are_those_from_the_first_on);
    tcase_add_test(tcase, grid_and_mesh_hang_alike);
    tcase_add_test(tcase, any_mesh_will_do);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
