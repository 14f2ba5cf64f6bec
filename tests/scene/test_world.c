// What the API of a world promises: handles, refusals, memory, time, threads.
#include <pthread.h>

#include "world_test.h"

START_TEST(null_world_is_safe)
{
    drape_cloth_id cloth = {1, 1};
    drape_collider_id collider = {1, 1};
    drape_pin_id pin = {1, 1};
    drape_cloth_def cloth_def = drape_cloth_defaults();
    drape_pin_def pin_def = drape_pin_defaults();
    drape_collider_def collider_def = drape_collider_defaults();
    drape_seam_def seam_def = {0};
    drape_vec3 p = {0, 0, 0};
    int count = 7;
    drape_world_destroy(NULL);
    ck_assert_float_infinite(drape_world_step(NULL, FRAME).smallest_gap);
    ck_assert_str_ne(drape_world_error(NULL), "");
    ck_assert_double_eq(drape_world_time(NULL), 0.0);
    ck_assert_int_eq(drape_world_get_def(NULL).substeps, drape_world_defaults().substeps);
    drape_world_set_gravity(NULL, p);
    drape_world_set_wind(NULL, NULL);
    drape_world_hash(NULL);
    ck_assert_float_eq(drape_world_stretch(NULL, 0.5f), 0.0f);
    drape_world_isa(NULL);
    ck_assert_uint_eq(drape_cloth_add_grid(NULL, &cloth_def, 1, 1, 2, 2).slot, 0);
    ck_assert_uint_eq(drape_cloth_add_disc(NULL, &cloth_def, 1, 2, 0).slot, 0);
    ck_assert_uint_eq(drape_cloth_add_mesh(NULL, &cloth_def, NULL).slot, 0);
    ck_assert(!drape_cloth_is_valid(NULL, cloth));
    drape_cloth_remove(NULL, cloth);
    ck_assert_int_eq(drape_cloth_vertex_count(NULL, cloth), 0);
    ck_assert_ptr_null(drape_cloth_positions(NULL, cloth, &count));
    ck_assert_int_eq(count, 0);
    ck_assert_ptr_null(drape_cloth_velocities(NULL, cloth, NULL));
    ck_assert_ptr_null(drape_cloth_normals(NULL, cloth, NULL));
    ck_assert_ptr_null(drape_cloth_triangles(NULL, cloth, NULL));
    ck_assert_ptr_null(drape_cloth_uv(NULL, cloth, NULL));
    ck_assert_int_eq(drape_cloth_mesh_report(NULL, cloth).vertex_count, 0);
    ck_assert_int_eq(drape_cloth_constraint_count(NULL, cloth), 0);
    ck_assert(!drape_cloth_set_state(NULL, cloth, &p, NULL, 1));
    ck_assert_uint_eq(drape_cloth_pin(NULL, cloth, &pin_def).slot, 0);
    ck_assert(!drape_pin_move(NULL, pin, &p, 1));
    drape_pin_release(NULL, pin);
    ck_assert_uint_eq(drape_seam_add(NULL, &seam_def).slot, 0);
    ck_assert_uint_eq(drape_collider_add(NULL, &collider_def).slot, 0);
    ck_assert_uint_eq(drape_collider_add_sphere(NULL, p, 1).slot, 0);
    ck_assert(!drape_collider_is_valid(NULL, collider));
    drape_collider_remove(NULL, collider);
    ck_assert(!drape_collider_move(NULL, collider, collider_def.place));
    ck_assert_float_eq(drape_collider_pose(NULL, collider).rotate.w, 1.0f);
}
END_TEST

START_TEST(stale_handles_are_caught)
{
    drape_world* world = make_world();
    drape_cloth_id first = add_square(world, 1, 4, vec(0, 0, 0), vec(0, 0, 0));
    int32_t corner = 0;
    drape_pin_id pin = pin_vertices(world, first, &corner, 1);
    drape_cloth_remove(world, first);
    drape_cloth_id second = add_square(world, 1, 5, vec(0, 0, 0), vec(0, 0, 0));
    ck_assert_uint_eq(second.slot, first.slot);
    ck_assert(!drape_cloth_is_valid(world, first) && drape_cloth_is_valid(world, second));
    ck_assert_int_eq(drape_cloth_vertex_count(world, first), 0);
    drape_vec3 p = {0, 0, 0};
    ck_assert(!drape_pin_move(world, pin, &p, 1)); // went with its cloth
    ck_assert(!drape_cloth_set_state(world, first, &p, NULL, 1));
    ck_assert_str_ne(drape_world_error(world), "");
    drape_collider_id ball = drape_collider_add_sphere(world, p, 1.0f);
    drape_collider_remove(world, ball);
    drape_collider_id box = drape_collider_add_box(world, p, vec(1, 1, 1));
    ck_assert(!drape_collider_is_valid(world, ball) && drape_collider_is_valid(world, box));
    drape_collider_remove(world, ball); // does nothing to the box
    ck_assert(drape_collider_is_valid(world, box));
    ck_assert(!drape_collider_move(world, ball, drape_collider_defaults().place));
    drape_world_destroy(world);
}
END_TEST

// --- Refusals ---

START_TEST(bad_worlds_are_refused)
{
    drape_world_def bad[10];
    for (int i = 0; i < 10; ++i) {
        bad[i] = drape_world_defaults();
    }
    bad[0].gravity.y = NAN;
    bad[1].substeps = 0;
    bad[2].iterations = 1001;
    bad[3].damping = -1.0f;
    bad[4].thickness = INFINITY;
    bad[5].worker_count = 0;
    bad[6].worker_count = DRAPE_MAX_WORKERS + 1;
    bad[7].wind.gust = 5.0f;
    bad[8].static_radius = -0.1f;
    bad[9].friction_static = NAN;
    for (int i = 0; i < 10; ++i) {
        const char* refusal = drape_world_refusal(&bad[i]);
        ck_assert_msg(refusal && strlen(refusal) > 10, "definition %d", i);
        ck_assert_ptr_null(drape_world_create(&bad[i]));
    }
    drape_world_def good = drape_world_defaults();
    ck_assert_ptr_null(drape_world_refusal(&good));
    ck_assert_ptr_nonnull(drape_world_refusal(NULL));
    ck_assert_ptr_null(drape_world_create(NULL));
}
END_TEST

START_TEST(bad_cloths_are_refused)
{
    drape_world* world = make_world();
    drape_cloth_def def = drape_cloth_defaults();
    ck_assert_uint_eq(drape_cloth_add_grid(world, &def, -1, 1, 4, 4).slot, 0);
    ck_assert_ptr_nonnull(strstr(drape_world_error(world), "size"));
    ck_assert_uint_eq(drape_cloth_add_grid(world, &def, 1, 1, 1, 1).slot, 0);
    ck_assert_uint_eq(drape_cloth_add_grid(world, &def, 1, 1, 1 << 30, 1 << 30).slot, 0);
    ck_assert_uint_eq(drape_cloth_add_grid(world, &def, NAN, 1, 4, 4).slot, 0);
    ck_assert_uint_eq(drape_cloth_add_disc(world, &def, 1, 0, 0).slot, 0);
    ck_assert_uint_eq(drape_cloth_add_disc(world, &def, 1, 4, 2).slot, 0);
    drape_cloth_def bad = def;
    bad.fabric.density = 0.0f;
    ck_assert_uint_eq(drape_cloth_add_grid(world, &bad, 1, 1, 4, 4).slot, 0);
    ck_assert_ptr_nonnull(strstr(drape_world_error(world), "density"));
    bad = def;
    bad.rotation.w = 2.0f;
    ck_assert_uint_eq(drape_cloth_add_grid(world, &bad, 1, 1, 4, 4).slot, 0);
    bad = def;
    bad.noise = -1.0f;
    ck_assert_uint_eq(drape_cloth_add_grid(world, &bad, 1, 1, 4, 4).slot, 0);
    drape_vec3 p[3] = {{0, 0, 0}, {1, 0, 0}, {0, 0, 1}};
    int32_t t[3] = {0, 1, 3};
    drape_mesh_view view = {.positions = p, .triangles = t, .vertex_count = 3, .triangle_count = 1};
    ck_assert_uint_eq(drape_cloth_add_mesh(world, &def, &view).slot, 0);
    ck_assert_str_ne(drape_world_error(world), "");
    t[2] = 2;
    p[1].x = NAN;
    ck_assert_uint_eq(drape_cloth_add_mesh(world, &def, &view).slot, 0);
    view.vertex_count = 0;
    ck_assert_uint_eq(drape_cloth_add_mesh(world, &def, &view).slot, 0);
    drape_world_destroy(world);
}
END_TEST

START_TEST(bad_colliders_are_refused)
{
    drape_world* world = make_world();
    drape_vec3 p = {0, 0, 0};
    ck_assert_uint_eq(drape_collider_add_sphere(world, p, 0.0f).slot, 0);
    ck_assert_ptr_nonnull(strstr(drape_world_error(world), "radius"));
    ck_assert_uint_eq(drape_collider_add_sphere(world, vec(NAN, 0, 0), 1.0f).slot, 0);
    ck_assert_uint_eq(drape_collider_add_box(world, p, vec(1, -1, 1)).slot, 0);
    ck_assert_uint_eq(drape_collider_add_capsule(world, p, vec(0, INFINITY, 0), 1).slot, 0);
    drape_collider_def def = drape_collider_defaults();
    drape_key keys[2] = {{.time = 1, .pose = def.place}, {.time = 0, .pose = def.place}};
    def.keys = keys;
    def.key_count = 2;
    ck_assert_uint_eq(drape_collider_add(world, &def).slot, 0);
    keys[1].time = 2;
    drape_collider_id moving = drape_collider_add(world, &def);
    ck_assert(drape_collider_is_valid(world, moving));
    ck_assert(!drape_collider_move(world, moving, def.place)); // it has keys
    drape_world_destroy(world);
}
END_TEST

// --- Time ---

START_TEST(no_time_does_nothing)
{
    drape_world* world = make_world();
    add_square(world, 1, 9, vec(0, 1, 0), vec(0, 0, 0));
    uint64_t before = drape_world_hash(world);
    drape_step_report report = drape_world_step(world, 0.0f);
    ck_assert_uint_eq(drape_world_hash(world), before);
    ck_assert_double_eq(report.time, 0.0);
    ck_assert_str_eq(drape_world_error(world), "");
    const float bad[] = {-0.1f, NAN, INFINITY};
    for (int i = 0; i < 3; ++i) {
        drape_world_step(world, bad[i]);
        ck_assert_uint_eq(drape_world_hash(world), before);
        ck_assert_double_eq(drape_world_time(world), 0.0);
        ck_assert_str_ne(drape_world_error(world), "");
    }
    drape_world_destroy(world);
}
END_TEST

START_TEST(long_steps_stay_finite)
{
    drape_world* world = make_world();
    drape_collider_add_sphere(world, vec(0, 0, 0), 0.3f);
    drape_cloth_id cloth = add_square(world, 1, 21, vec(0, 0.4f, 0), vec(0, 0, 0));
    for (int i = 0; i < 8; ++i) {
        drape_step_report report = drape_world_step(world, 0.5f);
        ck_assert_int_eq(report.non_finite_count, 0);
        ck_assert_float_gt(report.smallest_gap, 0.0f);
        ck_assert_float_lt(report.max_stretch, 0.5f);
    }
    ck_assert(is_finite_cloth(world, cloth));
    ck_assert_double_eq_tol(drape_world_time(world), 4.0, 1e-9);
    drape_world_destroy(world);
}
END_TEST

static int compare_floats(const void* p, const void* q)
{
    float a = *(const float*)p, b = *(const float*)q;
    return (a > b) - (a < b);
}

// As by sorting the strains of all edges, those that are shorter than at rest too.
START_TEST(stretch_of_a_share_is_that_of_sorted_edges)
{
    enum { n = 9, edges = 2 * n * (n - 1) + (n - 1) * (n - 1) };
    drape_world* world = make_world();
    ck_assert_float_eq(drape_world_stretch(world, 0.99f), 0.0f);
    drape_cloth_id cloth = add_square(world, 1.0f, n, vec(0, 0, 0), vec(0, 0, 0));
    drape_vec3 places[n * n], still[n * n] = {{0}};
    for (int i = 0; i < n * n; ++i) {
        float x = (float)(i % n), z = (float)(i / n);
        places[i] = vec(0.125f * x + 0.01f * sinf(7.0f * x * z), 0.02f * cosf(3.0f * x + z),
                        0.125f * z + 0.01f * cosf(5.0f * x));
    }
    ck_assert(drape_cloth_set_state(world, cloth, places, still, n * n));
    int triangles, count = 0;
    const int32_t* t = drape_cloth_triangles(world, cloth, &triangles);
    float strains[edges];
    bool seen[n * n][n * n] = {{false}};
    for (int i = 0; i < 3 * triangles; ++i) {
        int a = t[i], b = t[i / 3 * 3 + (i + 1) % 3];
        if (!seen[a][b]) {
            seen[a][b] = seen[b][a] = true;
            float rest = a % n != b % n && a / n != b / n ? 0.125f * sqrtf(2.0f) : 0.125f;
            strains[count++] = dr_length(dr_sub(places[a], places[b])) / rest - 1.0f;
        }
    }
    ck_assert_int_eq(count, edges);
    qsort(strains, edges, sizeof *strains, compare_floats);
    ck_assert_float_lt(strains[0], 0.0f);
    for (int i = 0; i < edges; ++i) {
        float share = ((float)i + 0.5f) / edges;
        ck_assert_float_eq_tol(drape_world_stretch(world, share), strains[i], 1e-5f);
    }
    ck_assert_float_eq_tol(drape_world_stretch(world, 1.0f), strains[edges - 1], 1e-5f);
    drape_world_destroy(world);
}
END_TEST

START_TEST(steps_that_leave_the_numbers_are_undone)
{
    drape_world* world = make_world();
    drape_cloth_id cloth = add_square(world, 1, 9, vec(0, 1, 0), vec(0, 0, 0));
    drape_vec3 p[81], v[81];
    memcpy(p, drape_cloth_positions(world, cloth, NULL), sizeof p);
    for (int i = 0; i < 81; ++i) {
        v[i] = vec(1e38f, i % 2 ? 1e38f : -1e38f, 0.0f);
    }
    ck_assert(drape_cloth_set_state(world, cloth, p, v, 81));
    drape_step_report report = drape_world_step(world, FRAME);
    ck_assert_int_gt(report.non_finite_count, 0);
    ck_assert(is_finite_cloth(world, cloth));
    ck_assert_mem_eq(drape_cloth_positions(world, cloth, NULL), p, sizeof p);
    // With sane velocities it goes on.
    ck_assert(drape_cloth_set_state(world, cloth, p, NULL, 81));
    report = drape_world_step(world, FRAME);
    ck_assert_int_eq(report.non_finite_count, 0);
    ck_assert_float_lt(place_of(world, cloth, 0).y, 1.0f);
    // Numbers that are none are not even taken.
    p[3].x = NAN;
    ck_assert(!drape_cloth_set_state(world, cloth, p, NULL, 81));
    ck_assert(!drape_cloth_set_state(world, cloth, p, NULL, 80));
    drape_world_destroy(world);
}
END_TEST

// --- Memory ---

// A world with one of everything, as far as memory reaches.
static void live_through(drape_world* world, bool steps)
{
    drape_cloth_id grid = {0}, mesh = {0};
    drape_cloth_def def = drape_cloth_defaults();
    def.origin = vec(-0.3f, 0.35f, -0.3f);
    grid = drape_cloth_add_grid(world, &def, 0.6f, 0.6f, 9, 12);
    def.origin = vec(0, 0.6f, 0);
    def.weld = true;
    mesh = drape_cloth_add_disc(world, &def, 0.3f, 4, 0.1f);
    drape_vec3 p[4] = {{0, 1, 0}, {1, 1, 0}, {0, 1, 1}, {0, 1, 0}};
    const int32_t t[6] = {0, 1, 2, 3, 2, 1}, rows[2] = {0, 1};
    drape_mesh_view view = {.positions = p, .triangles = t, .vertex_count = 4, .triangle_count = 2};
    drape_cloth_add_mesh(world, &def, &view);
    drape_collider_add_sphere(world, vec(0, 0, 0), 0.3f);
    drape_collider_id box = drape_collider_add_box(world, vec(0, 0, 0), vec(0.5f, 0.5f, 0.5f));
    drape_collider_def keyed = drape_collider_defaults();
    drape_key key = {.time = 0, .pose = pose_at(vec(0, -2, 0), vec(0, 0, 0))};
    keyed.keys = &key;
    keyed.key_count = 1;
    drape_collider_add(world, &keyed);
    drape_pin_def pin = drape_pin_defaults();
    pin.vertices = rows;
    pin.vertex_count = 2;
    pin.frames = p;
    pin.frame_count = 2;
    drape_cloth_pin(world, grid, &pin);
    drape_seam_def seam = {.cloth_a = grid,
                           .cloth_b = mesh,
                           .vertices_a = rows,
                           .vertices_b = rows,
                           .pair_count = 2,
                           .duration = 1.0f};
    drape_seam_add(world, &seam);
    drape_wind wind = {.velocity = {1, 0, 0}, .drag = 1.0f};
    drape_world_set_wind(world, &wind);
    if (steps) {
        drape_world_step(world, FRAME);
        drape_collider_remove(world, box);
        drape_cloth_remove(world, mesh);
        drape_world_step(world, FRAME);
        add_square(world, 0.2f, 3, vec(0, 2, 0), vec(0, 0, 0));
        drape_world_step(world, FRAME);
    }
}

START_TEST(destroy_gives_all_memory_back)
{
    watched_heap heap;
    drape_world_def def = watched_world(&heap, 1 << 30);
    drape_world* world = drape_world_create(&def);
    live_through(world, true);
    drape_world_destroy(world);
    ck_assert_uint_eq(heap.bytes, 0);
    ck_assert_int_eq(heap.allocate_count, heap.release_count);
    ck_assert_int_gt(heap.allocate_count, 50);
}
END_TEST

// Memory that runs out at each call in turn neither crashes nor leaks, and is told.
START_TEST(memory_may_run_out_anywhere)
{
    watched_heap heap;
    int enough = 0;
    for (int calls = 0; !enough; ++calls) {
        drape_world_def def = watched_world(&heap, calls);
        drape_world* world = drape_world_create(&def);
        if (world) {
            live_through(world, false);
            drape_step_report report = drape_world_step(world, FRAME);
            ck_assert(report.time > 0.0 || strlen(drape_world_error(world)) > 0);
            // What fails once may work the next time.
            heap.calls_left = 1 << 30;
            enough = drape_world_error(world)[0] == '\0';
            report = drape_world_step(world, FRAME);
            ck_assert_double_gt(report.time, 0.0);
        }
        drape_world_destroy(world);
        ck_assert_msg(heap.bytes == 0 && heap.allocate_count == heap.release_count,
                      "%zu bytes left after failing call %d", heap.bytes, calls);
        ck_assert_int_lt(calls, 2000);
    }
}
END_TEST

START_TEST(settled_steps_leave_the_heap_alone)
{
    drape_world_def def = drape_world_defaults();
    def.worker_count = _i + 1;
    drape_world* world = drape_world_create(&def);
    drape_collider_add_box(world, vec(0, 0, 0), vec(0.4f, 0.1f, 0.4f));
    drape_collider_add_plane(world, vec(0, -0.3f, 0), vec(0, 1, 0));
    add_square(world, 0.6f, 25, vec(0, 0.06f, 0), vec(0, 0, 0));
    add_square_mesh(world, 0.3f, 11, vec(0, 0.1f, 0), vec(0, 0, 0));
    step_frames(world, 90);
    for (int i = 0; i < 20; ++i) {
        ck_assert_int_eq(drape_world_step(world, FRAME).heap_calls, 0);
    }
    drape_world_destroy(world);
}
END_TEST

// --- Threads of the host ---

enum { host_workers = 4 };

typedef struct host_job {
    drape_task_fn* task;
    void* context;
    int begin, end, worker;
    pthread_t thread;
} host_job;

typedef struct host_scheduler {
    host_job jobs[host_workers];
    int calls;
} host_scheduler;

static void* run_job(void* argument)
{
    host_job* job = argument;
    // One by one from behind: order must not matter.
    for (int i = job->end - 1; i >= job->begin; --i) {
        job->task(job->context, i, i + 1, job->worker);
    }
    return NULL;
}

// Odd cuts over four threads that are made for each call.
static void* host_enqueue(void* user, drape_task_fn* task, void* context, int item_count)
{
    host_scheduler* host = user;
    ++host->calls;
    const int cuts[host_workers + 1] = {0, item_count / 7, item_count / 3, item_count / 2,
                                        item_count};
    for (int i = 0; i < host_workers; ++i) {
        host->jobs[i] = (host_job){.task = task,
                                   .context = context,
                                   .begin = cuts[i],
                                   .end = cuts[i + 1],
                                   .worker = host_workers - 1 - i};
        pthread_create(&host->jobs[i].thread, NULL, run_job, &host->jobs[i]);
    }
    return host;
}

static void host_finish(void* user, void* handle)
{
    host_scheduler* host = user;
    ck_assert_ptr_eq(handle, host);
    for (int i = 0; i < host_workers; ++i) {
        pthread_join(host->jobs[i].thread, NULL);
    }
}

static uint64_t hash_after(drape_world_def def)
{
    drape_world* world = drape_world_create(&def);
    drape_collider_add_sphere(world, vec(0, 0, 0), 0.3f);
    drape_collider_add_box(world, vec(0.4f, 0, 0), vec(0.2f, 0.5f, 0.2f));
    add_square(world, 1, 33, vec(0, 0.32f, 0), vec(0, -1, 0));
    add_square_mesh(world, 0.8f, 27, vec(0, 0.4f, 0), vec(0, -1, 0));
    step_frames(world, 4);
    uint64_t hash = drape_world_hash(world);
    drape_world_destroy(world);
    return hash;
}

START_TEST(schedulers_of_the_host_give_the_same_bits)
{
    host_scheduler host = {0};
    drape_world_def def = drape_world_defaults();
    uint64_t alone = hash_after(def);
    def.worker_count = host_workers;
    def.scheduler = (drape_scheduler){host_enqueue, host_finish, &host};
    ck_assert_uint_eq(hash_after(def), alone);
    ck_assert_int_gt(host.calls, 100);
}
END_TEST

int main(void)
{
    TCase* tests = tcase_create("world");
    tcase_add_test(tests, null_world_is_safe);
    tcase_add_test(tests, stale_handles_are_caught);
    tcase_add_test(tests, bad_worlds_are_refused);
    tcase_add_test(tests, bad_cloths_are_refused);
    tcase_add_test(tests, bad_colliders_are_refused);
    tcase_add_test(tests, no_time_does_nothing);
    tcase_add_test(tests, long_steps_stay_finite);
    tcase_add_test(tests, stretch_of_a_share_is_that_of_sorted_edges);
    tcase_add_test(tests, steps_that_leave_the_numbers_are_undone);
    tcase_add_test(tests, destroy_gives_all_memory_back);
    tcase_add_test(tests, memory_may_run_out_anywhere);
    tcase_add_loop_test(tests, settled_steps_leave_the_heap_alone, 0, 2);
    tcase_add_test(tests, schedulers_of_the_host_give_the_same_bits);
    Suite* suite = suite_create("world");
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
