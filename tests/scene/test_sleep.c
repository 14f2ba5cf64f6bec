// Cloth at rest sleeps: it keeps its bits, costs nothing, and wakes by any change near it.
#include "core/base.h"
#include "world_test.h"

#define SLEEP_SPEED 0.02f

static drape_world* make_sleepy_world(void)
{
    drape_world_def def = drape_world_defaults();
    def.thickness = CALM_THICKNESS;
    def.damping = 2.0f;
    def.sleep_speed = SLEEP_SPEED;
    drape_world* world = drape_world_create(&def);
    ck_assert_ptr_nonnull(world);
    return world;
}

// A sheet on a table, stepped until it sleeps.
static drape_cloth_id lay_down(drape_world* world, bool is_mesh)
{
    drape_collider_add_box(world, vec(0, -0.05f, 0), vec(2, 0.1f, 2));
    drape_cloth_id cloth = add_sheet(world, is_mesh, 0.6f, 21, vec(0, 0.02f, 0), vec(0, 0, 0));
    for (int i = 0; i < 300 && !drape_cloth_is_asleep(world, cloth); ++i) {
        drape_world_step(world, FRAME);
    }
    ck_assert_msg(drape_cloth_is_asleep(world, cloth), "still at %g m/s",
                  (double)fastest_of(world, cloth));
    return cloth;
}

START_TEST(cloth_at_rest_sleeps_and_keeps_its_bits)
{
    drape_world* world = make_sleepy_world();
    drape_cloth_id cloth = lay_down(world, _i);
    uint64_t hash = drape_world_hash(world);
    double time = drape_world_time(world);
    for (int i = 0; i < 100; ++i) {
        drape_step_report report = drape_world_step(world, FRAME);
        ck_assert_int_eq(report.sleeping_count, 1);
        ck_assert_int_eq(report.heap_calls, 0);
        ck_assert_int_eq(report.substeps, 0);
        ck_assert(isfinite(report.smallest_gap));
        ck_assert_double_eq(report.kinetic_energy, 0.0);
    }
    ck_assert_uint_eq(drape_world_hash(world), hash);
    ck_assert_double_eq_tol(drape_world_time(world), time + 100.0 / 60.0, 1e-5);
    ck_assert_float_eq(fastest_of(world, cloth), 0.0f);
    // Once awake it hardly moves, and goes to sleep again.
    drape_cloth_wake(world, cloth);
    ck_assert(!drape_cloth_is_asleep(world, cloth));
    drape_vec3 before = middle_of(world, cloth);
    step_frames(world, 60);
    ck_assert_float_le(dr_length(dr_sub(middle_of(world, cloth), before)), 1e-4f);
    ck_assert(drape_cloth_is_asleep(world, cloth));
    drape_world_destroy(world);
}
END_TEST

START_TEST(without_the_wish_nothing_sleeps)
{
    drape_world* world = make_calm_world(2.0f);
    drape_collider_add_box(world, vec(0, -0.05f, 0), vec(2, 0.1f, 2));
    drape_cloth_id cloth = add_square(world, 0.6f, 21, vec(0, 0.002f, 0), vec(0, 0, 0));
    drape_step_report report = step_frames(world, 120);
    ck_assert_int_eq(report.sleeping_count, 0);
    ck_assert(!drape_cloth_is_asleep(world, cloth));
    drape_world_destroy(world);
}
END_TEST

// --- What wakes ---

typedef struct sleeper {
    drape_world* world;
    drape_cloth_id cloth;
    drape_pin_id pin;
    drape_collider_id near, far;
} sleeper;

static void blow(sleeper* s)
{
    drape_wind wind = {.velocity = {1, 0, 0}, .drag = 1.0f};
    drape_world_set_wind(s->world, &wind);
}
static void tilt(sleeper* s)
{
    drape_world_set_gravity(s->world, vec(1.0f, -9.0f, 0));
}
static void pull(sleeper* s)
{
    drape_vec3 to = dr_add(place_of(s->world, s->cloth, 0), vec(0, 0.01f, 0));
    drape_pin_move(s->world, s->pin, &to, 1);
}
static void let_go(sleeper* s)
{
    drape_pin_release(s->world, s->pin);
}
static void push(sleeper* s)
{
    drape_collider_move(s->world, s->near, pose_at(vec(0, 0.25f, 0), vec(0, 0, 0)));
}
static void drop(sleeper* s)
{
    drape_collider_add_sphere(s->world, vec(0, 0.3f, 0), 0.2f);
}
static void take_away(sleeper* s)
{
    drape_collider_remove(s->world, s->near);
}
static void jump(sleeper* s)
{
    drape_collider_teleport(s->world, s->near, pose_at(vec(0, 0.3f, 0), vec(0, 0, 0)));
}
static void put(sleeper* s)
{
    int count;
    const drape_vec3* p = drape_cloth_positions(s->world, s->cloth, &count);
    drape_vec3 places[21 * 21];
    memcpy(places, p, sizeof places);
    drape_cloth_set_state(s->world, s->cloth, places, NULL, count);
}
static void teleport(sleeper* s)
{
    drape_cloth_teleport(s->world, s->cloth, pose_at(vec(0, 0.1f, 0), vec(0, 0, 0)), true);
}
static void lead(sleeper* s)
{
    drape_cloth_set_frame(s->world, s->cloth, pose_at(vec(0, 0.1f, 0), vec(0, 0, 0)));
}
// Nothing new.
static void stay(sleeper* s)
{
    drape_vec3 to = place_of(s->world, s->cloth, 0);
    drape_pin_move(s->world, s->pin, &to, 1);
    drape_world_set_gravity(s->world, drape_world_get_def(s->world).gravity);
    drape_cloth_set_frame(s->world, s->cloth, pose_at(vec(0, 0, 0), vec(0, 0, 0)));
}
static void pass_by(sleeper* s)
{
    drape_collider_move(s->world, s->far, pose_at(vec(-5, 1, 1), vec(0, 90, 0)));
}

static const struct {
    void (*change)(sleeper* s);
    bool wakes;
} changes[] = {{blow, true}, {tilt, true},      {pull, true},    {let_go, true}, {push, true},
               {drop, true}, {take_away, true}, {jump, true},    {put, true},    {teleport, true},
               {lead, true}, {stay, false},     {pass_by, false}};
enum { change_count = sizeof changes / sizeof changes[0] };

START_TEST(any_change_near_it_wakes_it)
{
    sleeper s = {.world = make_sleepy_world()};
    s.near = drape_collider_add_sphere(s.world, vec(0, 0.5f, 0), 0.2f);
    s.far = drape_collider_add_box(s.world, vec(-5, 1, 0), vec(1, 1, 1));
    drape_collider_add_box(s.world, vec(0, -0.05f, 0), vec(2, 0.1f, 2));
    s.cloth = add_square(s.world, 0.6f, 21, vec(0, 0.003f, 0), vec(0, 0, 0));
    const int32_t corner = 0;
    s.pin = pin_vertices(s.world, s.cloth, &corner, 1);
    drape_cloth_set_frame(s.world, s.cloth, pose_at(vec(0, 0, 0), vec(0, 0, 0)));
    step_frames(s.world, 240);
    ck_assert(drape_cloth_is_asleep(s.world, s.cloth));
    changes[_i].change(&s);
    drape_world_step(s.world, FRAME);
    ck_assert(drape_cloth_is_asleep(s.world, s.cloth) == !changes[_i].wakes);
    drape_world_destroy(s.world);
}
END_TEST

// A keyed collider comes by: it wakes the cloth when it is near, not when it sets out.
START_TEST(keys_wake_in_time)
{
    drape_world* world = make_sleepy_world();
    drape_collider_def def = drape_collider_defaults();
    def.shape = (drape_shape){.kind = DRAPE_SHAPE_SPHERE, .radius = 0.1f};
    const drape_key keys[2] = {{6.0f, pose_at(vec(-5, 0.12f, 0), vec(0, 0, 0)), DRAPE_EASE_LINEAR},
                               {10.0f, pose_at(vec(0, 0.05f, 0), vec(0, 0, 0)), DRAPE_EASE_LINEAR}};
    def.keys = keys;
    def.key_count = 2;
    drape_collider_add(world, &def);
    drape_cloth_id cloth = lay_down(world, _i);
    drape_vec3 before = middle_of(world, cloth);
    while (drape_world_time(world) < 7.0) {
        drape_world_step(world, FRAME);
    }
    ck_assert(drape_cloth_is_asleep(world, cloth));
    while (drape_world_time(world) < 9.9) {
        drape_step_report report = drape_world_step(world, FRAME);
        ck_assert_int_eq(report.pinched_count, 0);
    }
    ck_assert(!drape_cloth_is_asleep(world, cloth));
    ck_assert_float_gt(dr_length(dr_sub(middle_of(world, cloth), before)), 0.01f);
    drape_world_destroy(world);
}
END_TEST

// On triangles cloth sleeps too, until they move, or change their shape.
START_TEST(meshes_wake_when_they_change)
{
    drape_world* world = make_sleepy_world();
    drape_vec3 corners[8];
    for (int i = 0; i < 8; ++i) {
        corners[i] = vec(i & 1 ? 1.0f : -1.0f, i & 2 ? 0.0f : -0.2f, i & 4 ? 1.0f : -1.0f);
    }
    const int32_t sides[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                               2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
    drape_mesh_view view = {
        .positions = corners, .triangles = sides, .vertex_count = 8, .triangle_count = 12};
    drape_collider_def def = drape_collider_defaults();
    def.mesh = &view;
    drape_collider_id table = drape_collider_add(world, &def);
    def.place.translate.x = 50.0f;
    drape_collider_id far = drape_collider_add(world, &def);
    drape_cloth_id cloth = add_sheet(world, _i, 0.6f, 21, vec(0, 0.01f, 0), vec(0, 0, 0));
    step_frames(world, 120);
    ck_assert(drape_cloth_is_asleep(world, cloth));
    drape_collider_move(world, far, pose_at(vec(49, 0, 0), vec(0, 0, 0)));
    drape_world_step(world, FRAME);
    ck_assert(drape_cloth_is_asleep(world, cloth));
    corners[7].y += 0.01f;
    ck_assert(drape_collider_set_vertices(world, table, corners, 8));
    drape_world_step(world, FRAME);
    ck_assert(!drape_cloth_is_asleep(world, cloth));
    step_frames(world, 120);
    ck_assert(drape_cloth_is_asleep(world, cloth));
    drape_collider_move(world, table, pose_at(vec(0, 0.01f, 0), vec(0, 0, 0)));
    drape_world_step(world, FRAME);
    ck_assert(!drape_cloth_is_asleep(world, cloth));
    drape_world_destroy(world);
}
END_TEST

// --- Several, and states ---

START_TEST(one_sleeps_while_another_flies)
{
    drape_world* world = make_sleepy_world();
    drape_cloth_id cloth = lay_down(world, _i);
    drape_cloth_id other = add_square(world, 0.5f, 11, vec(5, 2, 0), vec(1, 0, 0));
    const int32_t corner = 0;
    pin_vertices(world, other, &corner, 1);
    drape_vec3 before[441];
    step_frames(world, 60);
    ck_assert(drape_cloth_is_asleep(world, cloth));
    ck_assert(!drape_cloth_is_asleep(world, other));
    memcpy(before, drape_cloth_positions(world, cloth, NULL), sizeof before);
    drape_step_report report = step_frames(world, 20);
    ck_assert_int_eq(report.heap_calls, 0);
    ck_assert_int_eq(report.sleeping_count, 1);
    ck_assert(memcmp(before, drape_cloth_positions(world, cloth, NULL), sizeof before) == 0);
    ck_assert_float_gt(fastest_of(world, other), 0.1f);
    drape_world_destroy(world);
}
END_TEST

// A state that was saved asleep, half asleep or awake goes on with the same bits.
START_TEST(saved_sleep_goes_on_alike)
{
    drape_world* world = make_sleepy_world();
    drape_collider_add_box(world, vec(0, -0.05f, 0), vec(2, 0.1f, 2));
    drape_cloth_id cloth = add_square(world, 0.6f, 21, vec(0, 0.02f, 0), vec(0, 0, 0));
    const int steps[] = {5, 30, 45, 60, 200};
    step_frames(world, steps[_i]);
    size_t size = 0;
    ck_assert(drape_world_save(world, NULL, &size));
    void* bytes = malloc(size);
    ck_assert(drape_world_save(world, bytes, &size));
    uint64_t hash[2];
    bool sleeps[2];
    for (int k = 0; k < 2; ++k) {
        step_frames(world, 25);
        sleeps[k] = drape_cloth_is_asleep(world, cloth);
        drape_world_set_gravity(world, vec(0.5f, -9, 0));
        step_frames(world, 25);
        hash[k] = drape_world_hash(world);
        drape_world_set_gravity(world, vec(0, -9.81f, 0));
        ck_assert(drape_world_load(world, bytes, size));
    }
    ck_assert_uint_eq(hash[0], hash[1]);
    ck_assert(sleeps[0] == sleeps[1]);
    free(bytes);
    drape_world_destroy(world);
}
END_TEST

START_TEST(sleeping_costs_next_to_nothing)
{
    drape_world* world = make_sleepy_world();
    drape_cloth_id cloth = lay_down(world, false);
    double begin = dr_now_ms();
    step_frames(world, 1000);
    double asleep = (dr_now_ms() - begin) / 1000.0;
    begin = dr_now_ms();
    for (int i = 0; i < 20; ++i) {
        drape_cloth_wake(world, cloth);
        drape_world_step(world, FRAME);
    }
    double awake = (dr_now_ms() - begin) / 20.0;
    ck_assert_msg(asleep < 0.02 * awake, "%g ms asleep, %g ms awake", asleep, awake);
    drape_world_destroy(world);
}
END_TEST

int main(void)
{
    Suite* suite = suite_create("sleep");
    TCase* tests = tcase_create("sleep");
    tcase_add_loop_test(tests, cloth_at_rest_sleeps_and_keeps_its_bits, 0, 2);
    tcase_add_test(tests, without_the_wish_nothing_sleeps);
    tcase_add_loop_test(tests, any_change_near_it_wakes_it, 0, change_count);
    tcase_add_loop_test(tests, keys_wake_in_time, 0, 2);
    tcase_add_loop_test(tests, meshes_wake_when_they_change, 0, 2);
    tcase_add_loop_test(tests, one_sleeps_while_another_flies, 0, 2);
    tcase_add_loop_test(tests, saved_sleep_goes_on_alike, 0, 5);
    tcase_add_test(tests, sleeping_costs_next_to_nothing);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
