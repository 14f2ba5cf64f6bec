// What games do to cloth on bad days: animation ten and a hundred times too fast, hitches of a
// fifth of a second, pins torn apart. Never a number that is none, and a second later all is well.
#include "world_test.h"

#define PI 3.14159265f

typedef struct wearer {
    drape_world* world;
    drape_cloth_id cape;
    drape_collider_id body;
    drape_pin_id collar;
    drape_vec3 home[10 * 14];
} wearer;

typedef struct wish {
    bool is_mesh, has_tethers, has_pose, is_carried, has_yarns;
} wish;

// Every choice for itself and all of them.
static const wish wishes[] = {{0},
                              {.is_mesh = true},
                              {.has_tethers = true},
                              {.is_mesh = true, .has_tethers = true},
                              {.has_tethers = true, .has_pose = true},
                              {.has_tethers = true, .is_carried = true},
                              {.is_mesh = true, .has_tethers = true, .has_yarns = true},
                              {true, true, true, true, false},
                              {true, true, true, true, true}};
enum { wish_count = sizeof wishes / sizeof wishes[0], count = 10 * 14 };

static drape_cloth_id add_cape(drape_world* world, const wish* w)
{
    drape_cloth_def def = drape_cloth_defaults();
    def.origin = vec(-0.2f, 1.45f, -0.25f);
    def.rotation = drape_quat_from_degrees(vec(90, 0, 0));
    def.control.tethers = w->has_tethers;
    def.control.yarns = w->has_yarns;
    def.control.rigid_damping = 2.0f;
    def.control.inertia_linear = def.control.inertia_angular = w->is_carried ? 0.2f : 1.0f;
    if (!w->is_mesh) {
        return drape_cloth_add_grid(world, &def, 0.4f, 0.8f, 10, 14);
    }
    drape_world* other = make_world();
    drape_cloth_def flat = drape_cloth_defaults();
    drape_cloth_id grid = drape_cloth_add_grid(other, &flat, 0.4f, 0.8f, 10, 14);
    drape_mesh_view view = {0};
    view.positions = drape_cloth_positions(other, grid, &view.vertex_count);
    view.triangles = drape_cloth_triangles(other, grid, &view.triangle_count);
    drape_cloth_id id = drape_cloth_add_mesh(world, &def, &view);
    drape_world_destroy(other);
    return id;
}

// As a game has it: 30 steps a second of four substeps with four sweeps.
static wearer dress(const wish* w)
{
    drape_world_def def = drape_world_defaults();
    def.substeps = 4;
    def.iterations = 4;
    def.damping = 1.0f;
    def.wind.drag = 1.0f; // whips die out in air
    wearer a = {.world = drape_world_create(&def)};
    drape_collider_def body = drape_collider_defaults();
    body.shape = (drape_shape){
        .kind = DRAPE_SHAPE_CAPSULE, .radius = 0.18f, .radius_top = 0.15f, .height = 0.6f};
    body.place = pose_at(vec(0, 1, 0), vec(0, 0, 0));
    a.body = drape_collider_add(a.world, &body);
    a.cape = add_cape(a.world, w);
    memcpy(a.home, drape_cloth_positions(a.world, a.cape, NULL), sizeof a.home);
    int32_t collar[10];
    for (int i = 0; i < 10; ++i) {
        collar[i] = i;
    }
    drape_pin_def pin = drape_pin_defaults();
    pin.vertices = collar;
    pin.vertex_count = 10;
    pin.collider = a.body;
    a.collar = drape_cloth_pin(a.world, a.cape, &pin);
    ck_assert(a.collar.slot != 0);
    float most[count];
    for (int i = 0; i < count; ++i) {
        most[i] = 0.02f * (float)(i / 10);
    }
    drape_pose_def limits = {.max_distance = most};
    if (w->has_pose) {
        ck_assert(drape_cloth_follow(a.world, a.cape, &limits));
        ck_assert(drape_cloth_set_pose(a.world, a.cape, a.home, NULL, count));
    }
    drape_cloth_set_frame(a.world, a.cape, body.place);
    return a;
}

static drape_step_report lead(wearer* a, const wish* w, drape_transform hip, float dt)
{
    drape_transform first = pose_at(vec(0, 1, 0), vec(0, 0, 0));
    drape_vec3 pose[count];
    for (int i = 0; i < count; ++i) {
        pose[i] = dr_transform_apply(hip, dr_transform_inverse_apply(first, a->home[i]));
    }
    drape_collider_move(a->world, a->body, hip);
    drape_cloth_set_frame(a->world, a->cape, hip);
    if (w->has_pose) {
        ck_assert(drape_cloth_set_pose(a->world, a->cape, pose, NULL, count));
    }
    drape_step_report report = drape_world_step(a->world, dt);
    ck_assert_int_eq(report.non_finite_count, 0);
    ck_assert(is_finite_cloth(a->world, a->cape));
    return report;
}

// A dance of some metres, at a time in seconds.
static drape_transform dance(float time)
{
    return pose_at(vec(0.5f * sinf(2.0f * PI * time), 1.0f + 0.2f * sinf(4.4f * PI * time),
                       0.3f * sinf(3.0f * PI * time)),
                   vec(10.0f * sinf(5.0f * time), 60.0f * sinf(PI * time), 0.0f));
}

static int compare_floats(const void* p, const void* q)
{
    float a = *(const float*)p, b = *(const float*)q;
    return (a > b) - (a < b);
}

// The stretch that one edge in a hundred exceeds.
static float usual_stretch(wearer* a)
{
    int triangles, edges = 0;
    const int32_t* t = drape_cloth_triangles(a->world, a->cape, &triangles);
    static float strain[3 * 2 * 9 * 13];
    for (int i = 0; i < 3 * triangles; ++i) {
        int p = t[i], q = t[i / 3 * 3 + (i + 1) % 3];
        float rest = dr_length(dr_sub(a->home[p], a->home[q]));
        drape_vec3 way = dr_sub(place_of(a->world, a->cape, p), place_of(a->world, a->cape, q));
        strain[edges++] = dr_length(way) / rest - 1.0f;
    }
    qsort(strain, (size_t)edges, sizeof *strain, compare_floats);
    return strain[edges - 1 - edges / 100];
}

// A second after the dance the cape hangs as a cape does. Four substeps of four sweeps leave
// one without tethers some stretch at rest, too.
static void expect_calm(wearer* a, const wish* w, drape_transform hip)
{
    for (int i = 0; i < 30; ++i) {
        lead(a, w, hip, 1.0f / 30.0f);
    }
    float usual = usual_stretch(a), most = w->has_tethers ? 0.1f : 0.25f;
    ck_assert_msg(usual < most, "stretch %g", (double)usual);
    ck_assert_float_lt(fastest_of(a->world, a->cape), 8.0f);
    drape_world_destroy(a->world);
}

START_TEST(animation_too_fast_passes)
{
    const wish* w = &wishes[_i];
    for (float speed = 1.0f; speed < 200.0f; speed *= 10.0f) {
        wearer a = dress(w);
        drape_transform hip = {0};
        for (int i = 1; i <= 45; ++i) {
            hip = dance(speed * (float)i / 30.0f);
            lead(&a, w, hip, 1.0f / 30.0f);
        }
        expect_calm(&a, w, hip);
    }
}
END_TEST

START_TEST(hitches_pass)
{
    const wish* w = &wishes[_i];
    wearer a = dress(w);
    drape_transform hip = {0};
    float time = 0.0f;
    for (int i = 1; i <= 40; ++i) {
        float dt = i % 4 == 0 ? 0.2f : 1.0f / 60.0f;
        time += dt;
        hip = dance(time);
        lead(&a, w, hip, dt);
    }
    expect_calm(&a, w, hip);
}
END_TEST

// The collar is torn to ten times its width and let together again; then half of it lets go.
START_TEST(pins_that_tear_apart_pass)
{
    const wish* w = &wishes[_i];
    wearer a = dress(w);
    drape_pin_release(a.world, a.collar);
    int32_t half[2][5];
    drape_pin_id pins[2];
    for (int k = 0; k < 2; ++k) {
        for (int i = 0; i < 5; ++i) {
            half[k][i] = 5 * k + i;
        }
        pins[k] = pin_vertices(a.world, a.cape, half[k], 5);
    }
    drape_transform hip = pose_at(vec(0, 1, 0), vec(0, 0, 0));
    for (int frame = 0; frame < 30; ++frame) {
        float apart = frame < 10 ? 0.2f * (float)frame : frame < 20 ? 2.0f : 0.0f;
        for (int k = 0; k < 2; ++k) {
            drape_vec3 targets[5];
            for (int i = 0; i < 5; ++i) {
                targets[i] = dr_add(a.home[half[k][i]], vec(k ? apart : -apart, 0, 0));
            }
            ck_assert(drape_pin_move(a.world, pins[k], targets, 5));
        }
        lead(&a, w, hip, 1.0f / 30.0f);
    }
    drape_pin_release(a.world, pins[1]);
    expect_calm(&a, w, hip);
}
END_TEST

// --- Equal bytes ---

// All of it at once on a large sheet, stepped in one of the ways that must not matter.
static uint64_t run_all(bool is_mesh, int workers, drape_isa isa)
{
    enum { side = 76 };
    static drape_vec3 home[side * side], pose[side * side];
    static float most[side * side], offset[side * side];
    drape_world_def def = drape_world_defaults();
    def.worker_count = workers;
    def.isa = isa;
    def.substeps = 4;
    def.sleep_speed = 0.01f;
    drape_world* world = drape_world_create(&def);
    drape_collider_add_sphere(world, vec(0, -0.4f, 0), 0.3f);
    drape_cloth_id cloth = add_sheet(world, is_mesh, 1.0f, side, vec(0, 0, 0), vec(0, 0, 0));
    drape_control control = drape_control_defaults();
    control.tethers = true;
    control.rigid_damping = 1.0f;
    control.stretch_damping = 5.0f;
    control.inertia_linear = control.inertia_angular = 0.3f;
    ck_assert(drape_cloth_set_control(world, cloth, &control));
    memcpy(home, drape_cloth_positions(world, cloth, NULL), sizeof home);
    for (int i = 0; i < side * side; ++i) {
        most[i] = 0.15f;
        offset[i] = 0.05f;
    }
    const int32_t corners[2] = {0, side - 1};
    drape_pin_id pin = pin_vertices(world, cloth, corners, 2);
    drape_pose_def limits = {.max_distance = most, .backstop_offset = offset};
    ck_assert(drape_cloth_follow(world, cloth, &limits));
    for (int frame = 0; frame < 8; ++frame) {
        drape_transform hip = pose_at(vec(0.02f * (float)frame, 0, 0), vec(0, (float)frame, 0));
        for (int i = 0; i < side * side; ++i) {
            pose[i] = dr_transform_apply(hip, home[i]);
        }
        const drape_vec3 targets[2] = {pose[0], pose[side - 1]};
        drape_cloth_set_pose(world, cloth, pose, NULL, side * side);
        drape_cloth_set_frame(world, cloth, hip);
        drape_pin_move(world, pin, targets, 2);
        drape_world_step(world, 1.0f / 30.0f);
    }
    drape_cloth_teleport(world, cloth, pose_at(vec(0, 1, 0), vec(0, 0, 30)), true);
    step_frames(world, 4);
    uint64_t hash = drape_world_hash(world);
    drape_world_destroy(world);
    return hash;
}

START_TEST(threads_and_instruction_sets_do_not_matter)
{
    uint64_t first = run_all(_i, 1, DRAPE_ISA_AUTO);
    for (int workers = 2; workers <= 4; workers += 2) {
        ck_assert_uint_eq(run_all(_i, workers, DRAPE_ISA_AUTO), first);
    }
    for (int isa = DRAPE_ISA_PLAIN; isa <= DRAPE_ISA_WASM; ++isa) {
        ck_assert_uint_eq(run_all(_i, 1, (drape_isa)isa), first);
    }
}
END_TEST

// --- Memory ---

// Wherever memory ends, calls fail and nothing is lost or used twice.
START_TEST(memory_may_end_anywhere)
{
    for (int calls = 0; calls < 400; calls += 3) {
        watched_heap heap;
        drape_world_def def = watched_world(&heap, calls);
        drape_world* world = drape_world_create(&def);
        drape_cloth_def cloth_def = drape_cloth_defaults();
        cloth_def.control.tethers = cloth_def.control.yarns = true;
        cloth_def.control.inertia_linear = 0.5f;
        drape_cloth_id cloth = drape_cloth_add_disc(world, &cloth_def, 0.5f, 4, 0.0f);
        const int32_t middle = 0;
        drape_pin_def pin = drape_pin_defaults();
        pin.vertices = &middle;
        pin.vertex_count = 1;
        drape_cloth_pin(world, cloth, &pin);
        drape_pose_def limits = {0};
        drape_cloth_follow(world, cloth, &limits);
        int vertices;
        const drape_vec3* p = drape_cloth_positions(world, cloth, &vertices);
        drape_cloth_set_pose(world, cloth, p, NULL, vertices);
        for (int i = 0; i < 3; ++i) {
            drape_cloth_set_frame(world, cloth, pose_at(vec((float)i, 0, 0), vec(0, 0, 0)));
            drape_world_step(world, FRAME);
        }
        drape_cloth_reset(world, cloth);
        drape_world_destroy(world);
        ck_assert_uint_eq(heap.bytes, 0);
    }
}
END_TEST

int main(void)
{
    Suite* suite = suite_create("control_stress");
    TCase* tests = tcase_create("control_stress");
    tcase_add_loop_test(tests, animation_too_fast_passes, 0, wish_count);
    tcase_add_loop_test(tests, hitches_pass, 0, wish_count);
    tcase_add_loop_test(tests, pins_that_tear_apart_pass, 0, wish_count);
    tcase_add_loop_test(tests, threads_and_instruction_sets_do_not_matter, 0, 2);
    tcase_add_test(tests, memory_may_end_anywhere);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
