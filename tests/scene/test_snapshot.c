// Saved states: steps from them have the same bits as from where they were saved.
#include "core/base.h"
#include "world_test.h"

static const drape_key ball_keys[2] = {
    {.time = 0.0f, .pose = {{0.0f, -0.3f, 0.0f}, {0.0f, 0.0f, 0.0f, 1.0f}}},
    {.time = 1.0f, .pose = {{0.1f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f, 1.0f}}},
};

typedef struct stage {
    drape_world* world;
    drape_collider_id box;
    drape_pin_id hand;
} stage;

// Everything that has a state: two cloths, pins of all kinds, a seam, colliders, air.
static stage make_stage(int columns)
{
    stage s;
    drape_world_def def = drape_world_defaults();
    def.wind = (drape_wind){.velocity = {1.0f, 0.0f, 0.5f}, .gust = 0.5f, .drag = 1.0f};
    s.world = drape_world_create(&def);
    drape_cloth_id grid = add_square(s.world, 0.5f, columns, vec(0, 0.1f, 0), vec(0, 0, 0));
    drape_cloth_id mesh = add_square_mesh(s.world, 0.3f, 9, vec(0.1f, 0.3f, 0), vec(0, -1, 0));
    const int32_t corner[1] = {0}, other[1] = {8}, third[2] = {columns - 1, columns - 2};
    drape_pin_def pin = drape_pin_defaults();
    pin.vertices = corner;
    pin.vertex_count = 1;
    pin.release_time = 0.25f;
    drape_cloth_pin(s.world, grid, &pin);
    pin.release_time = INFINITY;
    pin.vertices = other;
    pin.weight = 0.4f;
    drape_cloth_pin(s.world, mesh, &pin);
    pin.vertices = third;
    pin.vertex_count = 2;
    pin.weight = 1.0f;
    s.hand = drape_cloth_pin(s.world, grid, &pin);
    const int32_t a[2] = {60, 61}, b[2] = {0, 1};
    drape_seam_def seam = {grid, mesh, a, b, 2, 0.1f, 0.3f};
    drape_seam_add(s.world, &seam);
    drape_collider_def ball = drape_collider_defaults();
    ball.shape = (drape_shape){.kind = DRAPE_SHAPE_SPHERE, .radius = 0.2f};
    ball.keys = ball_keys;
    ball.key_count = 2;
    drape_collider_add(s.world, &ball);
    s.box = drape_collider_add_box(s.world, vec(0.2f, -0.2f, 0), vec(0.2f, 0.1f, 0.2f));
    return s;
}

// Steps frames [from, to), with things moved by hand on the way.
static uint64_t step_stage(const stage* s, int from, int to)
{
    for (int frame = from; frame < to; ++frame) {
        float at = 0.004f * (float)frame;
        const drape_vec3 targets[2] = {{0.25f, 0.1f + at, -0.25f}, {0.2f, 0.1f + at, -0.25f}};
        drape_collider_move(s->world, s->box, pose_at(vec(0.2f, -0.2f + at, 0), vec(0, 3 * at, 0)));
        drape_pin_move(s->world, s->hand, targets, 2);
        drape_step_report report = drape_world_step(s->world, FRAME);
        ck_assert_int_eq(report.non_finite_count, 0);
    }
    return drape_world_hash(s->world);
}

static void* save(const drape_world* world, size_t* size)
{
    ck_assert(drape_world_save(world, NULL, size));
    void* state = malloc(*size);
    ck_assert(drape_world_save(world, state, size));
    return state;
}

// Before and after the pin lets go, the seam starts and closes.
START_TEST(steps_go_on_from_a_saved_state)
{
    const int moments[4] = {0, 5, 12, 25};
    stage first = make_stage(15), second = make_stage(15);
    step_stage(&first, 0, moments[_i]);
    size_t size, again_size;
    void* state = save(first.world, &size);
    uint64_t hash = step_stage(&first, moments[_i], 40);
    // Into a fresh world, and back into the first one.
    ck_assert(drape_world_load(second.world, state, size));
    void* again = save(second.world, &again_size);
    ck_assert_uint_eq(again_size, size);
    ck_assert_mem_eq(again, state, size);
    ck_assert_double_eq(drape_world_time(second.world), moments[_i] * (double)FRAME);
    ck_assert_uint_eq(step_stage(&second, moments[_i], 40), hash);
    stage third = make_stage(15);
    step_stage(&third, 0, 3);
    ck_assert(drape_world_load(third.world, state, size));
    ck_assert_uint_eq(step_stage(&third, moments[_i], 40), hash);
    free(state);
    free(again);
    drape_world_destroy(first.world);
    drape_world_destroy(second.world);
    drape_world_destroy(third.world);
}
END_TEST

START_TEST(what_does_not_fit_changes_nothing)
{
    stage s = make_stage(15), other = make_stage(16);
    step_stage(&s, 0, 10);
    size_t size, small = 100;
    unsigned char* state = save(s.world, &size);
    uint64_t before = drape_world_hash(other.world);
    ck_assert(!drape_world_load(other.world, state, size));
    ck_assert_ptr_nonnull(strstr(drape_world_error(other.world), "another world"));
    ck_assert_uint_eq(drape_world_hash(other.world), before);
    step_stage(&s, 10, 12);
    uint64_t now = drape_world_hash(s.world);
    for (size_t at = 0; at < size; at += size / 97 + 1) {
        state[at] ^= 0x10;
        ck_assert(!drape_world_load(s.world, state, size));
        state[at] ^= 0x10;
        ck_assert(!drape_world_load(s.world, state, at));
    }
    ck_assert(!drape_world_load(s.world, NULL, size));
    ck_assert(!drape_world_load(NULL, state, size));
    ck_assert_uint_eq(drape_world_hash(s.world), now);
    ck_assert(!drape_world_save(s.world, state, &small));
    ck_assert_uint_eq(small, size);
    free(state);
    drape_world_destroy(s.world);
    drape_world_destroy(other.world);
}
END_TEST

static void set_hash(unsigned char* state, size_t size)
{
    uint64_t hash = dr_hash_bytes(DR_HASH_START, state, size - sizeof hash);
    memcpy(state + size - sizeof hash, &hash, sizeof hash);
}

// The hash tells of accidents only: a state with a right one may still hold anything.
START_TEST(numbers_are_finite)
{
    const float mark = 0.1234567f, bad[2] = {NAN, INFINITY};
    drape_world_def def = drape_world_defaults();
    drape_world* world = drape_world_create(&def);
    add_square(world, 0.5f, 9, vec(mark, 0, 0), vec(0, 0, 0));
    uint64_t before = drape_world_hash(world);
    size_t size;
    unsigned char* state = save(world, &size);
    int found = 0;
    for (size_t at = 0; at + sizeof mark < size; ++at) {
        if (memcmp(state + at, &mark, sizeof mark) == 0) {
            memcpy(state + at, &bad[found++ % 2], sizeof mark);
            set_hash(state, size);
            ck_assert(!drape_world_load(world, state, size));
            ck_assert_uint_eq(drape_world_hash(world), before);
            memcpy(state + at, &mark, sizeof mark);
        }
    }
    ck_assert_int_gt(found, 0);
    set_hash(state, size);
    ck_assert(drape_world_load(world, state, size));
    free(state);
    drape_world_destroy(world);
}
END_TEST

int main(void)
{
    TCase* tests = tcase_create("snapshot");
    tcase_add_loop_test(tests, steps_go_on_from_a_saved_state, 0, 4);
    tcase_add_test(tests, numbers_are_finite);
    tcase_add_test(tests, what_does_not_fit_changes_nothing);
    Suite* suite = suite_create("snapshot");
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
