// The guard in a world: several solids at once, cloth that starts inside, equal bytes.
#include "pass_test.h"

// --- Two solids ---

// Plates above and below a sheet that close on it at a speed until `room` is left between them, and
// open.
typedef struct pincers {
    drape_world* world;
    drape_cloth_id cloth;
    drape_shape shape[2];
    drape_collider_id plate[2];
} pincers;

static pincers make_pincers(float speed, float room)
{
    pincers p = {.shape = {{.kind = DRAPE_SHAPE_BOX, .size = {0.3f, 0.02f, 0.3f}},
                           {.kind = DRAPE_SHAPE_SPHERE, .radius = 0.05f}}};
    drape_world_def def = drape_world_defaults();
    p.world = drape_world_create(&def);
    p.cloth = add_square(p.world, 1.0f, 31, vec(0, 0, 0), vec(0, 0, 0));
    const float half[2] = {0.01f, 0.05f}, side[2] = {-1.0f, 1.0f};
    for (int k = 0; k < 2; ++k) {
        drape_key keys[4] = {
            {.time = 0.0f}, {.time = 0.06f / speed}, {.time = 0.2f}, {.time = 0.3f}};
        float far = side[k] * (half[k] + 0.06f), near = side[k] * (half[k] + 0.5f * room);
        const float heights[4] = {far, near, near, far};
        for (int i = 0; i < 4; ++i) {
            keys[i].ease = DRAPE_EASE_LINEAR;
            keys[i].pose =
                pose_at(vec(0.013f, heights[i], 0.007f), vec(0, 20.0f * (float)(k * i), 0));
        }
        drape_collider_def solid = drape_collider_defaults();
        solid.shape = p.shape[k];
        solid.keys = keys;
        solid.key_count = 4;
        p.plate[k] = drape_collider_add(p.world, &solid);
        ck_assert_msg(drape_collider_is_valid(p.world, p.plate[k]), "%s",
                      drape_world_error(p.world));
    }
    return p;
}

static double pincers_distance(const pincers* p, int k)
{
    return cloth_distance(p->world, p->cloth, &p->shape[k],
                          drape_collider_pose(p->world, p->plate[k]), 1e-3);
}

// The ball above and the plate below have the sheet between them.
static void check_between(const pincers* p)
{
    drape_vec3 ball = drape_collider_pose(p->world, p->plate[1]).translate;
    drape_vec3 plate = drape_collider_pose(p->world, p->plate[0]).translate;
    drape_vec3 down = vec(0.001f, -1.0f, 0.002f);
    int below_ball = ray_crossings(p->world, p->cloth, ball, down);
    int below_plate = ray_crossings(p->world, p->cloth, plate, down);
    ck_assert_int_eq(abs(below_ball), 1);
    ck_assert_int_eq(below_plate, 0);
}

static const float closing_speeds[] = {2.0f, 20.0f, 200.0f};

START_TEST(pincers_with_room_hold)
{
    pincers p = make_pincers(closing_speeds[_i], 0.004f);
    int pinched = 0;
    for (int frame = 0; frame < 14; ++frame) {
        pinched += drape_world_step(p.world, FRAME).pinched_count;
        ck_assert_double_gt(pincers_distance(&p, 0), -1e-5);
        ck_assert_double_gt(pincers_distance(&p, 1), -1e-5);
        if (frame < 10) {
            check_between(&p);
        }
    }
    ck_assert_int_eq(pinched, 0);
    drape_world_destroy(p.world);
}
END_TEST

// Without room the sheet must be in one of them. It yields to the thin plate, and comes out again.
START_TEST(pincers_without_room_pinch)
{
    pincers p = make_pincers(closing_speeds[_i], -0.004f);
    int pinched = 0;
    for (int frame = 0; frame < 12; ++frame) {
        pinched += drape_world_step(p.world, FRAME).pinched_count;
        ck_assert_double_gt(pincers_distance(&p, 0), -1e-4);
        ck_assert_double_gt(pincers_distance(&p, 1), -0.006);
        ck_assert(is_finite_cloth(p.world, p.cloth));
    }
    ck_assert_int_gt(pinched, 0);
    step_frames(p.world, 6);
    ck_assert_double_gt(pincers_distance(&p, 0), 0.0);
    ck_assert_double_gt(pincers_distance(&p, 1), 0.0);
    drape_world_destroy(p.world);
}
END_TEST

// --- Starting inside ---

START_TEST(what_starts_inside_comes_out)
{
    drape_world_def def = drape_world_defaults();
    drape_world* world = drape_world_create(&def);
    drape_shape ball = {.kind = DRAPE_SHAPE_SPHERE, .radius = 0.2f};
    drape_collider_add_sphere(world, vec(0, -0.19f, 0), 0.2f);
    drape_cloth_id cloth = add_square(world, 1.0f, 31, vec(0, 0, 0), vec(0, 0, 0));
    drape_transform pose = pose_at(vec(0, -0.19f, 0), vec(0, 0, 0));
    double depth = cloth_distance(world, cloth, &ball, pose, 1e-3);
    ck_assert_double_lt(depth, -0.009);
    for (int frame = 0; frame < 30; ++frame) {
        drape_world_step(world, FRAME);
        double now = cloth_distance(world, cloth, &ball, pose, 1e-3);
        ck_assert_double_gt(now, fmin(depth, 0.0) - 1e-5);
        depth = now;
    }
    ck_assert_double_gt(depth, 0.0);
    ck_assert_float_lt(fastest_of(world, cloth), 4.0f);
    drape_world_destroy(world);
}
END_TEST

// --- Quiet things ---

START_TEST(cloth_at_rest_needs_no_guard)
{
    drape_world_def def = drape_world_defaults();
    drape_world* world = drape_world_create(&def);
    add_obstacle(world, _i);
    add_square(world, 0.5f, 21, vec(0.02f, 0.02f, 0.01f), vec(0, 0, 0));
    step_frames(world, 75);
    int guarded = 0;
    for (int frame = 0; frame < 10; ++frame) {
        drape_step_report report = drape_world_step(world, FRAME);
        guarded += report.guarded_count + report.pinched_count;
        ck_assert_int_eq(report.heap_calls, 0);
    }
    ck_assert_int_eq(guarded, 0);
    drape_world_destroy(world);
}
END_TEST

// --- Equal bytes ---

typedef enum cloth_kind { CLOTH_GRID, CLOTH_WIDE, CLOTH_MESH, CLOTH_KINDS } cloth_kind;

// A rod that tumbles through a sheet at 20 m/s beside a ball.
static uint64_t hash_of(cloth_kind kind, int workers, drape_isa isa)
{
    drape_world_def def = drape_world_defaults();
    def.worker_count = workers;
    def.isa = isa;
    drape_world* world = drape_world_create(&def);
    drape_collider_add_sphere(world, vec(0.1f, -0.12f, 0), 0.1f);
    drape_collider_def rod = drape_collider_defaults();
    drape_key keys[3];
    for (int i = 0; i < 3; ++i) {
        keys[i] = (drape_key){
            .time = 0.02f * (float)i,
            .ease = DRAPE_EASE_LINEAR,
            .pose = pose_at(vec(0, 0.2f - 0.2f * (float)i, 0), vec(60.0f * (float)i, 0, 80))};
    }
    rod.shape = (drape_shape){.kind = DRAPE_SHAPE_BOX, .size = {0.009f, 0.3f, 0.009f}};
    rod.keys = keys;
    rod.key_count = 3;
    drape_collider_add(world, &rod);
    if (kind == CLOTH_WIDE) {
        drape_cloth_def cloth = drape_cloth_defaults();
        cloth.origin = vec(-0.5f, 0.0f, -0.1f);
        drape_cloth_add_grid(world, &cloth, 1.0f, 0.2f, 301, 15);
    } else if (kind == CLOTH_MESH) {
        add_square_mesh(world, 0.6f, 41, vec(0, 0, 0), vec(0, 0, 0));
    } else {
        add_square(world, 0.6f, 41, vec(0, 0, 0), vec(0, 0, 0));
    }
    int guarded = 0;
    for (int frame = 0; frame < 3; ++frame) {
        guarded += drape_world_step(world, FRAME).guarded_count;
    }
    ck_assert_int_gt(guarded, 0);
    uint64_t hash = drape_world_hash(world);
    drape_world_destroy(world);
    return hash;
}

START_TEST(threads_and_sets_agree)
{
    uint64_t one = hash_of((cloth_kind)_i, 1, DRAPE_ISA_AUTO);
    ck_assert_uint_eq(hash_of((cloth_kind)_i, 2, DRAPE_ISA_AUTO), one);
    ck_assert_uint_eq(hash_of((cloth_kind)_i, 4, DRAPE_ISA_AUTO), one);
    ck_assert_uint_eq(hash_of((cloth_kind)_i, 1, DRAPE_ISA_PLAIN), one);
}
END_TEST

int main(void)
{
    TCase* tests = tcase_create("guard");
    tcase_add_loop_test(tests, pincers_with_room_hold, 0, 3);
    tcase_add_loop_test(tests, pincers_without_room_pinch, 0, 3);
    tcase_add_test(tests, what_starts_inside_comes_out);
    tcase_add_loop_test(tests, cloth_at_rest_needs_no_guard, 0, obstacle_count);
    tcase_add_loop_test(tests, threads_and_sets_agree, 0, CLOTH_KINDS);
    Suite* suite = suite_create("guard");
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
