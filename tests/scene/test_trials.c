// Worlds whose methods solve and detect in turns: what is kept between steps, threads, memory, and
// input that no one should give.
#include "trials_test.h"

// --- What is kept ---

typedef struct small_world {
    drape_world* world;
    drape_cloth_id cloth;
    drape_collider_id box;
} small_world;

// A cloth that falls over a box and to the floor.
static small_world make_small(drape_world_def def)
{
    small_world s = {.world = drape_world_create(&def)};
    ck_assert_ptr_nonnull(s.world);
    s.box = drape_collider_add_box(s.world, vec(0.0f, 0.1f, 0.0f), vec(0.2f, 0.2f, 0.2f));
    drape_collider_add_plane(s.world, vec(0.0f, 0.0f, 0.0f), vec(0.0f, 1.0f, 0.0f));
    s.cloth = add_paper(s.world, 0.6f, 13, vec(0.02f, 0.22f, 0.01f));
    return s;
}

static uint64_t hash_after(drape_world* world, int frames)
{
    step_frames(world, frames);
    return drape_world_hash(world);
}

static void expect_clean(const small_world* s)
{
    verdict v = judge_cloths(s->world, &s->cloth, 1, &s->box, 1);
    ck_assert_int_eq(v.self, 0);
    ck_assert_int_eq(v.obstacle, 0);
    ck_assert_int_eq(v.inside, 0);
}

// Cloth that is put elsewhere goes on as if it had always been there.
START_TEST(teleported_cloth_forgets_where_it_was)
{
    small_world a = make_small(method_def(_i)), b = make_small(method_def(_i));
    step_frames(a.world, 15);
    int count;
    const drape_vec3* p = drape_cloth_positions(b.world, b.cloth, &count);
    drape_vec3* moved = malloc(sizeof *moved * (size_t)count);
    for (int i = 0; i < count; ++i) {
        moved[i] = dr_add(p[i], vec(0.05f, 0.03f, 0.0f));
    }
    ck_assert(drape_cloth_set_state(a.world, a.cloth, moved, NULL, count));
    ck_assert(drape_cloth_set_state(b.world, b.cloth, moved, NULL, count));
    ck_assert_uint_eq(hash_after(a.world, 15), hash_after(b.world, 15));
    expect_clean(&a);
    free(moved);
    drape_world_destroy(a.world);
    drape_world_destroy(b.world);
}
END_TEST

// Another collider may get the memory of one that went.
START_TEST(colliders_come_and_go)
{
    small_world a = make_small(method_def(_i)), b = make_small(method_def(_i));
    step_frames(a.world, 5);
    step_frames(b.world, 5);
    for (int i = 0; i < 2; ++i) {
        drape_collider_remove(a.world, a.box);
        a.box = drape_collider_add_box(a.world, vec(0.0f, 0.1f, 0.0f), vec(0.2f, 0.2f, 0.2f));
        ck_assert(drape_collider_is_valid(a.world, a.box));
        ck_assert_uint_eq(hash_after(a.world, 5), hash_after(b.world, 5));
    }
    drape_collider_remove(a.world, a.box);
    a.box = drape_collider_add_sphere(a.world, vec(0.0f, 0.05f, 0.0f), 0.05f);
    step_frames(a.world, 20);
    expect_clean(&a);
    drape_collider_remove(a.world, a.box);
    step_frames(a.world, 5);
    ck_assert(is_finite_cloth(a.world, a.cloth));
    drape_world_destroy(a.world);
    drape_world_destroy(b.world);
}
END_TEST

// What is far away changes hardly anything: all cloths have the same steps and tolerances.
START_TEST(cloths_come_and_go)
{
    small_world a = make_small(method_def(_i)), b = make_small(method_def(_i));
    step_frames(a.world, 5);
    step_frames(b.world, 5);
    drape_cloth_id other = add_paper(a.world, 0.6f, 13, vec(3.0f, 0.02f, 0.0f));
    step_frames(a.world, 5);
    drape_cloth_remove(a.world, other);
    step_frames(b.world, 5);
    step_frames(a.world, 5);
    step_frames(b.world, 5);
    expect_clean(&a);
    for (int v = 0; v < drape_cloth_vertex_count(a.world, a.cloth); ++v) {
        drape_vec3 p = place_of(a.world, a.cloth, v), q = place_of(b.world, b.cloth, v);
        ck_assert_float_lt(dr_length(dr_sub(p, q)), 0.02f);
    }
    drape_world_destroy(a.world);
    drape_world_destroy(b.world);
}
END_TEST

START_TEST(saved_worlds_go_on_the_same)
{
    small_world a = make_small(method_def(_i)), b = make_small(method_def(_i));
    size_t size = 0;
    step_frames(a.world, 12);
    ck_assert(drape_world_save(a.world, NULL, &size));
    void* bytes = malloc(size);
    ck_assert(drape_world_save(a.world, bytes, &size));
    uint64_t hash = hash_after(a.world, 12);
    // Into a fresh world, and into one that has been elsewhere since.
    ck_assert_msg(drape_world_load(b.world, bytes, size), "%s", drape_world_error(b.world));
    ck_assert_uint_eq(hash_after(b.world, 12), hash);
    ck_assert(drape_world_load(a.world, bytes, size));
    ck_assert_uint_eq(hash_after(a.world, 12), hash);
    free(bytes);
    drape_world_destroy(a.world);
    drape_world_destroy(b.world);
}
END_TEST

// --- Threads, instruction sets, memory ---

static uint64_t folding_hash(drape_world_def def)
{
    drape_world* world = drape_world_create(&def);
    ck_assert_ptr_nonnull(world);
    drape_collider_add_plane(world, vec(0.0f, 0.0f, 0.0f), vec(0.0f, 1.0f, 0.0f));
    drape_collider_add_sphere(world, vec(0.1f, 0.05f, 0.0f), 0.08f);
    add_upright(world, 0.4f, 13);
    add_paper(world, 0.4f, 9, vec(0.0f, 0.7f, 0.0f));
    uint64_t hash = hash_after(world, 8);
    drape_world_destroy(world);
    return hash;
}

START_TEST(same_bits_on_any_threads_and_instruction_set)
{
    static const drape_isa sets[] = {DRAPE_ISA_PLAIN, DRAPE_ISA_SSE2, DRAPE_ISA_AVX2};
    drape_world_def def = method_def(_i);
    uint64_t hash = folding_hash(def);
    for (int workers = 2; workers <= 4; workers += 2) {
        def.worker_count = workers;
        ck_assert_uint_eq(folding_hash(def), hash);
    }
    def.worker_count = 1;
    for (int k = 0; k < 3; ++k) {
        def.isa = sets[k];
        ck_assert_uint_eq(folding_hash(def), hash);
    }
}
END_TEST

START_TEST(settled_steps_leave_the_heap_alone)
{
    small_world s = make_small(method_def(_i));
    step_frames(s.world, 60);
    for (int i = 0; i < 10; ++i) {
        ck_assert_int_eq(drape_world_step(s.world, FRAME).heap_calls, 0);
    }
    drape_world_destroy(s.world);
}
END_TEST

// Every call for memory fails once; the step is then undone, and works the next time.
START_TEST(lack_of_memory_is_survived)
{
    bool is_enough = false;
    for (int calls = 0; !is_enough; calls += calls < 60 ? 7 : 1) {
        watched_heap heap;
        drape_world_def def = method_def(_i);
        drape_world_def watched = watched_world(&heap, 1 << 30);
        def.allocator = watched.allocator;
        drape_world* world = drape_world_create(&def);
        ck_assert_ptr_nonnull(world);
        drape_collider_add_box(world, vec(0, 0, 0), vec(0.1f, 0.1f, 0.1f));
        drape_cloth_id cloth = add_paper(world, 0.3f, 6, vec(0.0f, 0.055f, 0.0f));
        drape_vec3 before = place_of(world, cloth, 0);
        heap.calls_left = calls;
        drape_step_report report = drape_world_step(world, FRAME);
        is_enough = report.substeps > 0;
        if (!is_enough) {
            ck_assert_int_gt((int)strlen(drape_world_error(world)), 0);
            ck_assert_float_eq(place_of(world, cloth, 0).y, before.y);
        }
        heap.calls_left = 1 << 30;
        ck_assert_int_gt(drape_world_step(world, FRAME).substeps, 0);
        ck_assert(is_finite_cloth(world, cloth));
        drape_world_destroy(world);
        ck_assert_msg(heap.bytes == 0 && heap.allocate_count == heap.release_count,
                      "%zu bytes left after call %d", heap.bytes, calls);
        ck_assert_int_lt(calls, 2000);
    }
}
END_TEST

// --- Input that no one should give ---

START_TEST(odd_lengths_of_steps_do_no_harm)
{
    static const float lengths[] = {1e-45f, 1e-40f, 1e-30f, 1e-12f, 1e30f, 3e38f};
    small_world s = make_small(method_def(_i));
    step_frames(s.world, 5);
    uint64_t hash = drape_world_hash(s.world);
    const float refused[] = {0.0f, -1.0f, NAN, INFINITY};
    for (int i = 0; i < 4; ++i) {
        ck_assert_int_eq(drape_world_step(s.world, refused[i]).substeps, 0);
        ck_assert_uint_eq(drape_world_hash(s.world), hash);
    }
    for (int i = 0; i < 6; ++i) {
        drape_world_step(s.world, lengths[i]);
        ck_assert_msg(is_finite_cloth(s.world, s.cloth), "after a step of %g s",
                      (double)lengths[i]);
        // And it goes on.
        ck_assert_int_eq(drape_world_step(s.world, FRAME).non_finite_count, 0);
    }
    drape_world_destroy(s.world);
}
END_TEST

START_TEST(steps_that_leave_the_numbers_are_undone)
{
    small_world s = make_small(method_def(_i));
    step_frames(s.world, 5);
    uint64_t hash = drape_world_hash(s.world);
    drape_world_set_gravity(s.world, vec(0.0f, -3e38f, 0.0f));
    drape_transform pose = drape_collider_pose(s.world, s.box);
    pose.translate.x = 0.05f;
    ck_assert(drape_collider_move(s.world, s.box, pose));
    drape_step_report report = drape_world_step(s.world, 1.0f);
    ck_assert_int_gt(report.non_finite_count, 0);
    ck_assert_uint_eq(drape_world_hash(s.world), hash);
    // What is led goes on without the cloth.
    ck_assert_float_eq(drape_collider_pose(s.world, s.box).translate.x, 0.05f);
    drape_world_set_gravity(s.world, vec(0.0f, -9.81f, 0.0f));
    report = drape_world_step(s.world, FRAME);
    ck_assert_int_eq(report.non_finite_count, 0);
    ck_assert(is_finite_cloth(s.world, s.cloth));
    drape_world_destroy(s.world);
}
END_TEST

START_TEST(odd_grids_work)
{
    static const int sizes[][2] = {{1, 2}, {2, 1}, {1, 9}, {9, 1}, {2, 2}, {2, 7}, {3, 3}, {4, 6}};
    for (int i = 0; i < 8; ++i) {
        drape_world* world = make_method_world(_i);
        drape_cloth_def def = paper_cloth(vec(0.0f, 0.05f, 0.0f));
        drape_collider_add_plane(world, vec(0, 0, 0), vec(0, 1, 0));
        drape_cloth_id id =
            drape_cloth_add_grid(world, &def, 0.2f, 0.3f, sizes[i][0], sizes[i][1]);
        ck_assert_msg(drape_cloth_is_valid(world, id), "%s", drape_world_error(world));
        step_frames(world, 20);
        int count;
        const drape_vec3* p = drape_cloth_positions(world, id, &count);
        for (int v = 0; v < count; ++v) {
            ck_assert_msg(p[v].y > 0.0f && p[v].y < 0.05f, "%d x %d: vertex %d at %g", sizes[i][0],
                          sizes[i][1], v, (double)p[v].y);
        }
        drape_world_destroy(world);
    }
}
END_TEST

START_TEST(worlds_without_anything_step)
{
    drape_world* world = make_method_world(_i);
    step_frames(world, 2);
    drape_collider_add_sphere(world, vec(0, 0, 0), 0.1f);
    step_frames(world, 2);
    drape_cloth_id cloth = add_paper(world, 0.3f, 5, vec(0.0f, 1.0f, 0.0f));
    int32_t all[25];
    for (int i = 0; i < 25; ++i) {
        all[i] = i;
    }
    pin_vertices(world, cloth, all, 25);
    uint64_t hash = drape_world_hash(world);
    ck_assert_uint_eq(hash_after(world, 3), hash);
    drape_world_destroy(world);
}
END_TEST

// A start with crossings is none that these methods promise anything for: they must only end.
START_TEST(tangled_starts_end)
{
    drape_world* world = make_method_world(_i);
    drape_collider_id floor = drape_collider_add_plane(world, vec(0, 0, 0), vec(0, 1, 0));
    drape_cloth_id cloths[2] = {add_paper(world, 0.4f, 11, vec(0.0f, 0.1f, 0.0f)),
                                add_upright(world, 0.4f, 11)};
    ck_assert_int_gt(judge_cloths(world, cloths, 2, &floor, 1).self, 0);
    for (int frame = 0; frame < 10; ++frame) {
        drape_step_report report = drape_world_step(world, FRAME);
        ck_assert_int_eq(report.non_finite_count, 0);
    }
    for (int i = 0; i < 2; ++i) {
        ck_assert(is_finite_cloth(world, cloths[i]));
        ck_assert_float_lt(fastest_of(world, cloths[i]), 20.0f);
    }
    ck_assert_int_eq(judge_cloths(world, cloths, 2, &floor, 1).inside, 0);
    drape_world_destroy(world);
}
END_TEST

// With hardly any runs the last resorts have all to do.
START_TEST(few_runs_are_safe_all_the_same)
{
    drape_world_def def = method_def(_i);
    def.max_runs = 1;
    small_world s = make_small(def);
    for (int frame = 0; frame < 25; ++frame) {
        drape_world_step(s.world, FRAME);
        expect_clean(&s);
    }
    drape_world_destroy(s.world);
}
END_TEST

int main(void)
{
    Suite* suite = suite_create("trials");
    TCase* cases = tcase_create("trials");
    tcase_add_loop_test(cases, teleported_cloth_forgets_where_it_was, 0, METHOD_CASES);
    tcase_add_loop_test(cases, colliders_come_and_go, 0, METHOD_CASES);
    tcase_add_loop_test(cases, cloths_come_and_go, 0, METHOD_CASES);
    tcase_add_loop_test(cases, saved_worlds_go_on_the_same, 0, METHOD_CASES);
    tcase_add_loop_test(cases, same_bits_on_any_threads_and_instruction_set, 0, METHOD_CASES);
    tcase_add_loop_test(cases, settled_steps_leave_the_heap_alone, 0, METHOD_CASES);
    tcase_add_loop_test(cases, lack_of_memory_is_survived, 0, METHOD_CASES);
    tcase_add_loop_test(cases, odd_lengths_of_steps_do_no_harm, 0, METHOD_CASES);
    tcase_add_loop_test(cases, steps_that_leave_the_numbers_are_undone, 0, METHOD_CASES);
    tcase_add_loop_test(cases, odd_grids_work, 0, METHOD_CASES);
    tcase_add_loop_test(cases, worlds_without_anything_step, 0, METHOD_CASES);
    tcase_add_loop_test(cases, tangled_starts_end, 0, METHOD_CASES);
    tcase_add_loop_test(cases, few_runs_are_safe_all_the_same, 0, METHOD_CASES);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
