// Cloth that follows an animated pose: greatest distances, backstops, frames in time.
#include "contact/leash.h"

#include "core/base.h"
#include "core/isa.h"
#include "core/random.h"
#include "world_test.h"

enum { side = 15, count = side * side };

// The places of a square sheet, shifted.
static void sheet_at(drape_vec3 shift, drape_vec3* places)
{
    for (int i = 0; i < count; ++i) {
        places[i] = vec((float)(i % side) / (side - 1) - 0.5f + shift.x, shift.y,
                        (float)(i / side) / (side - 1) - 0.5f + shift.z);
    }
}

static void fill(float* values, float value)
{
    for (int i = 0; i < count; ++i) {
        values[i] = value;
    }
}

// Two ways to say the same: eight at a time, and one by one in doubles.
static void hold_slowly(const double place[3], const double normal[3], double most, double offset,
                        double radius, double p[3])
{
    double way[3], squared = 0.0;
    for (int d = 0; d < 3; ++d) {
        way[d] = p[d] - place[d];
        squared += way[d] * way[d];
    }
    if (squared > most * most) {
        for (int d = 0; d < 3; ++d) {
            p[d] = place[d] + way[d] * most / sqrt(squared);
        }
    }
    squared = 0.0;
    double centre[3];
    for (int d = 0; d < 3; ++d) {
        centre[d] = place[d] - normal[d] * (offset + radius);
        way[d] = p[d] - centre[d];
        squared += way[d] * way[d];
    }
    for (int d = 0; squared < radius * radius && d < 3; ++d) {
        p[d] = centre[d] + way[d] * radius / sqrt(squared);
    }
}

static void random_unit(uint32_t seed, double out[3])
{
    double squared = 0.0;
    for (int d = 0; d < 3; ++d) {
        out[d] = (double)dr_random_signed(seed, (uint32_t)d) + 0.01;
        squared += out[d] * out[d];
    }
    for (int d = 0; d < 3; ++d) {
        out[d] /= sqrt(squared);
    }
}

START_TEST(eight_at_a_time_is_one_by_one)
{
    enum { vectors = 40 };
    dr_memory memory;
    dr_memory_init(&memory, NULL);
    uint64_t first = 0;
    for (int isa = DRAPE_ISA_PLAIN; isa <= DRAPE_ISA_WASM; ++isa) {
        if (!dr_isa_available((drape_isa)isa)) {
            continue;
        }
        dr_layout layout = _i ? DR_LAYOUT_RECORDS : DR_LAYOUT_STRIPED;
        dr_sheet sheet;
        dr_leash leash;
        ck_assert(dr_sheet_create(&sheet, &memory, layout, vectors * 8, vectors));
        ck_assert(dr_leash_create(&leash, &memory, &sheet));
        leash.has_backstop = true;
        double wanted[vectors * 8][3];
        int moved = 0;
        for (int slot = 0; slot < vectors * 8; ++slot) {
            uint32_t seed = 17 * (uint32_t)slot;
            double place[3], normal[3], p[3];
            random_unit(seed, place);
            random_unit(seed + 1, normal);
            random_unit(seed + 2, p);
            double most = 0.5 + 0.4 * (double)dr_random_signed(seed, 9);
            double radius = slot % 3 ? 0.7 : 0.0, offset = 0.05;
            size_t at = dr_sheet_offset(layout, slot) + 3 * (size_t)dr_sheet_step(layout);
            dr_sheet_set_inverse_mass(&sheet, slot, slot % 5 ? 1.0f : 0.0f);
            dr_sheet_set(layout, sheet.pos, slot, vec((float)p[0], (float)p[1], (float)p[2]));
            dr_sheet_set(layout, leash.to, slot,
                         vec((float)place[0], (float)place[1], (float)place[2]));
            dr_sheet_set(layout, leash.normal_to, slot,
                         vec((float)normal[0], (float)normal[1], (float)normal[2]));
            leash.from[at] = (float)most;
            leash.normal_from[at] = (float)offset;
            leash.normal_to[at] = (float)radius;
            memcpy(wanted[slot], p, sizeof p);
            if (slot % 5) {
                hold_slowly(place, normal, most, offset, radius, wanted[slot]);
            }
            moved += memcmp(wanted[slot], p, sizeof p) != 0;
        }
        ck_assert_int_gt(moved, vectors * 2);
        dr_leash_kernels_for((drape_isa)isa)->hold(&leash, &sheet, 0, vectors);
        for (int slot = 0; slot < vectors * 8; ++slot) {
            drape_vec3 p = dr_sheet_get(layout, sheet.pos, slot);
            ck_assert_double_eq_tol((double)p.x, wanted[slot][0], 2e-6);
            ck_assert_double_eq_tol((double)p.y, wanted[slot][1], 2e-6);
            ck_assert_double_eq_tol((double)p.z, wanted[slot][2], 2e-6);
        }
        uint64_t hash = dr_hash_bytes(DR_HASH_START, sheet.pos, sizeof(float) * 32 * vectors);
        first = first ? first : hash;
        ck_assert_uint_eq(hash, first);
        dr_leash_free(&leash, &memory);
        dr_sheet_free(&sheet, &memory);
    }
    ck_assert_uint_eq(memory.live_bytes, 0);
}
END_TEST

// Falling cloth is caught at its greatest distance, and goes along when the pose moves.
START_TEST(no_vertex_goes_further_than_it_may)
{
    drape_world* world = make_world();
    drape_cloth_id cloth = add_sheet(world, _i, 1.0f, side, vec(0, 0, 0), vec(0, 0, 0));
    float most[count];
    drape_vec3 places[count];
    fill(most, 0.1f);
    most[0] = 0.0f;
    drape_pose_def def = {.max_distance = most};
    ck_assert(drape_cloth_follow(world, cloth, &def));
    sheet_at(vec(0, 0, 0), places);
    ck_assert(drape_cloth_set_pose(world, cloth, places, NULL, count));
    for (int frame = 1; frame <= 60; ++frame) {
        drape_vec3 shift = vec(0.02f * (float)frame, 0.0f, 0.0f);
        sheet_at(shift, places);
        ck_assert(drape_cloth_set_pose(world, cloth, places, NULL, count));
        drape_step_report report = drape_world_step(world, FRAME);
        ck_assert_int_eq(report.non_finite_count, 0);
        for (int i = 0; i < count; ++i) {
            float away = dr_length(dr_sub(place_of(world, cloth, i), places[i]));
            ck_assert_msg(away <= most[i] + 1e-5f, "vertex %d is %g m away", i, (double)away);
        }
        ck_assert_int_eq(frame > 5 ? report.heap_calls : 0, 0);
    }
    // Gravity has drawn it down as far as it may go.
    ck_assert_float_lt(middle_of(world, cloth).y, -0.05f);
    ck_assert(drape_cloth_follow(world, cloth, NULL));
    step_frames(world, 30);
    ck_assert_float_lt(middle_of(world, cloth).y, -0.5f);
    drape_world_destroy(world);
}
END_TEST

// Cloth hangs from vertices that may go nowhere as it hangs from pins.
START_TEST(held_vertices_are_as_good_as_pins)
{
    drape_world* worlds[2] = {make_world(), make_world()};
    drape_cloth_id cloths[2];
    int32_t top[side];
    float most[count];
    drape_vec3 places[count];
    fill(most, INFINITY);
    sheet_at(vec(0, 0, 0), places);
    for (int i = 0; i < side; ++i) {
        top[i] = i;
        most[i] = 0.0f;
    }
    for (int k = 0; k < 2; ++k) {
        cloths[k] = add_sheet(worlds[k], _i, 1.0f, side, vec(0, 0, 0), vec(0, 0, 0));
    }
    drape_pin_id pin = pin_vertices(worlds[0], cloths[0], top, side);
    drape_pose_def def = {.max_distance = most};
    ck_assert(drape_cloth_follow(worlds[1], cloths[1], &def));
    ck_assert(drape_cloth_set_pose(worlds[1], cloths[1], places, NULL, count));
    for (int frame = 1; frame <= 40; ++frame) {
        sheet_at(vec(0, 0.01f * (float)frame, 0), places);
        ck_assert(drape_pin_move(worlds[0], pin, places, side));
        ck_assert(drape_cloth_set_pose(worlds[1], cloths[1], places, NULL, count));
        for (int k = 0; k < 2; ++k) {
            drape_world_step(worlds[k], FRAME);
        }
    }
    for (int v = 0; v < count; ++v) {
        drape_vec3 a = place_of(worlds[0], cloths[0], v), b = place_of(worlds[1], cloths[1], v);
        ck_assert_float_lt(dr_length(dr_sub(a, b)), 1e-5f);
    }
    drape_world_destroy(worlds[0]);
    drape_world_destroy(worlds[1]);
}
END_TEST

START_TEST(backstop_is_a_floor_below_the_pose)
{
    drape_world* world = make_world();
    drape_cloth_id cloth = add_sheet(world, _i, 1.0f, side, vec(0, 0, 0), vec(0, 0, 0));
    float offset[count], radius[count];
    drape_vec3 places[count], normals[count];
    fill(offset, 0.03f);
    fill(radius, 10.0f);
    drape_pose_def def = {.backstop_offset = offset, .backstop_radius = radius};
    ck_assert(drape_cloth_follow(world, cloth, &def));
    sheet_at(vec(0, 0, 0), places);
    for (int i = 0; i < count; ++i) {
        normals[i] = vec(0, 1, 0);
    }
    ck_assert(drape_cloth_set_pose(world, cloth, places, normals, count));
    for (int frame = 0; frame < 60; ++frame) {
        drape_world_step(world, FRAME);
        for (int i = 0; i < count; ++i) {
            drape_vec3 centre = dr_sub(places[i], vec(0, 10.03f, 0));
            float high = dr_length(dr_sub(place_of(world, cloth, i), centre)) - 10.0f;
            ck_assert_msg(high >= -1e-5f, "vertex %d is %g m deep", i, (double)-high);
        }
    }
    ck_assert_float_eq_tol(middle_of(world, cloth).y, -0.03f, 2e-3f);
    drape_world_destroy(world);
}
END_TEST

// Frames lead by themselves what set_pose leads by hand.
START_TEST(frames_are_poses_in_time)
{
    enum { frames = 31 };
    static drape_vec3 all[frames][count];
    float most[count];
    fill(most, 0.05f);
    for (int f = 0; f < frames; ++f) {
        sheet_at(vec(0.0f, 0.02f * (float)f, 0.0f), all[f]);
    }
    uint64_t hash[2];
    for (int by_hand = 0; by_hand < 2; ++by_hand) {
        drape_world* world = make_world();
        drape_cloth_id cloth = add_square(world, 1.0f, side, vec(0, 0, 0), vec(0, 0, 0));
        drape_pose_def def = {.max_distance = most,
                              .frames = by_hand ? NULL : &all[0][0],
                              .frame_count = by_hand ? 0 : frames,
                              .fps = 64.0f};
        ck_assert_msg(drape_cloth_follow(world, cloth, &def), "%s", drape_world_error(world));
        for (int f = 0; f < frames; ++f) {
            if (by_hand) {
                ck_assert(drape_cloth_set_pose(world, cloth, all[f], NULL, count));
            } else {
                ck_assert(!drape_cloth_set_pose(world, cloth, all[f], NULL, count));
            }
            if (f > 0) {
                drape_world_step(world, 1.0f / 64.0f);
            }
        }
        hash[by_hand] = drape_world_hash(world);
        drape_world_destroy(world);
    }
    ck_assert_uint_eq(hash[0], hash[1]);
}
END_TEST

// One frame goes where the cloth's frame goes, whichever was said first, and jumps with the cloth.
START_TEST(single_frames_ride_on_the_cloths_frame)
{
    drape_world* world = make_world();
    drape_cloth_id cloth = add_square(world, 1.0f, side, vec(0, 0, 0), vec(0, 0, 0));
    float most[count];
    drape_vec3 places[count];
    fill(most, 0.02f);
    sheet_at(vec(0, 0, 0), places);
    drape_pose_def def = {.max_distance = most, .frames = places, .frame_count = 1, .fps = 1.0f};
    drape_transform first = pose_at(vec(0.3f, 0.2f, 0.1f), vec(20, 30, 40));
    ck_assert(_i || drape_cloth_set_frame(world, cloth, first));
    ck_assert_msg(drape_cloth_follow(world, cloth, &def), "%s", drape_world_error(world));
    ck_assert(!_i || drape_cloth_set_frame(world, cloth, first));
    for (int frame = 1; frame <= 40; ++frame) {
        float t = (float)frame;
        drape_transform now = pose_at(vec(0.3f + 0.02f * t, 0.2f, 0.1f), vec(20 + 3 * t, 30, 40));
        if (frame == 20) {
            ck_assert(
                drape_cloth_teleport(world, cloth, pose_at(vec(5, 0, 0), vec(0, 90, 0)), true));
        }
        ck_assert(drape_cloth_set_frame(world, cloth, now));
        drape_step_report report = drape_world_step(world, FRAME);
        ck_assert_int_eq(frame > 5 ? report.heap_calls : 0, 0);
        for (int i = 0; i < count; ++i) {
            drape_vec3 place =
                dr_transform_apply(now, dr_transform_inverse_apply(first, places[i]));
            float away = dr_length(dr_sub(place_of(world, cloth, i), place));
            ck_assert_msg(away <= 0.02001f, "vertex %d is %g m away", i, (double)away);
        }
    }
    drape_world_destroy(world);
}
END_TEST

static drape_world* riding_world(drape_cloth_id* cloth, drape_collider_id* mount)
{
    drape_world* world = make_world();
    *cloth = add_square(world, 1.0f, side, vec(0, 0, 0), vec(0, 0, 0));
    *mount = drape_collider_add_sphere(world, vec(0, -3, 0), 0.5f);
    float most[count], behind[count];
    drape_vec3 places[count];
    fill(most, 0.05f);
    fill(behind, 0.01f);
    sheet_at(vec(0, 0, 0), places);
    drape_pose_def def = {.max_distance = most,
                          .backstop_offset = behind,
                          .frames = places,
                          .frame_count = 1,
                          .fps = 1.0f};
    ck_assert(drape_cloth_ride(world, *cloth, *mount));
    ck_assert(drape_cloth_follow(world, *cloth, &def));
    return world;
}

static void spin_frames(drape_world* world, drape_collider_id mount, int from, int to)
{
    for (int frame = from; frame < to; ++frame) {
        float t = (float)frame;
        drape_collider_move(world, mount, pose_at(vec(0.01f * t, -3, 0), vec(0, 0, 4 * t)));
        drape_world_step(world, FRAME);
    }
}

// A state goes on alike in its own world and in another that was made the same way.
START_TEST(saved_rides_go_on_alike)
{
    drape_cloth_id cloths[2];
    drape_collider_id mounts[2];
    drape_world* worlds[2] = {riding_world(&cloths[0], &mounts[0]),
                              riding_world(&cloths[1], &mounts[1])};
    spin_frames(worlds[0], mounts[0], 1, 10);
    size_t size = 0;
    ck_assert(drape_world_save(worlds[0], NULL, &size));
    void* bytes = malloc(size);
    ck_assert(drape_world_save(worlds[0], bytes, &size));
    spin_frames(worlds[0], mounts[0], 10, 20);
    uint64_t hash = drape_world_hash(worlds[0]);
    for (int k = 0; k < 2; ++k) {
        ck_assert(drape_world_load(worlds[k], bytes, size));
        spin_frames(worlds[k], mounts[k], 10, 20);
        ck_assert_uint_eq(drape_world_hash(worlds[k]), hash);
    }
    // Home is the pose where it is by now.
    ck_assert(drape_cloth_reset(worlds[1], cloths[1]));
    drape_transform pose = drape_collider_pose(worlds[1], mounts[1]);
    drape_vec3 corner = dr_transform_apply(pose, vec(-0.5f, 3.0f, -0.5f));
    ck_assert_float_lt(dr_length(dr_sub(place_of(worlds[1], cloths[1], 0), corner)), 1e-5f);
    free(bytes);
    drape_world_destroy(worlds[0]);
    drape_world_destroy(worlds[1]);
}
END_TEST

START_TEST(saved_poses_go_on_alike)
{
    drape_world* world = make_world();
    drape_cloth_id cloth = add_square(world, 1.0f, side, vec(0, 0, 0), vec(0, 0, 0));
    float most[count];
    drape_vec3 places[count];
    fill(most, 0.05f);
    drape_pose_def def = {.max_distance = most};
    ck_assert(drape_cloth_follow(world, cloth, &def));
    sheet_at(vec(0, 0, 0), places);
    drape_cloth_set_pose(world, cloth, places, NULL, count);
    drape_cloth_set_frame(world, cloth, pose_at(vec(0, 0, 0), vec(0, 0, 0)));
    step_frames(world, 5);
    sheet_at(vec(0.1f, 0.1f, 0), places);
    drape_cloth_set_pose(world, cloth, places, NULL, count);
    drape_cloth_set_frame(world, cloth, pose_at(vec(0.1f, 0, 0), vec(0, 10, 0)));
    size_t size = 0;
    ck_assert(drape_world_save(world, NULL, &size));
    void* bytes = malloc(size);
    ck_assert(drape_world_save(world, bytes, &size));
    step_frames(world, 5);
    uint64_t hash = drape_world_hash(world);
    step_frames(world, 7);
    ck_assert(drape_world_load(world, bytes, size));
    step_frames(world, 5);
    ck_assert_uint_eq(drape_world_hash(world), hash);
    free(bytes);
    drape_world_destroy(world);
}
END_TEST

START_TEST(nonsense_is_refused)
{
    drape_world* world = make_world();
    drape_cloth_id cloth = add_square(world, 1.0f, side, vec(0, 0, 0), vec(0, 0, 0));
    float values[count];
    drape_vec3 places[count];
    sheet_at(vec(0, 0, 0), places);
    ck_assert(!drape_cloth_set_pose(world, cloth, places, NULL, count));
    fill(values, 0.1f);
    values[7] = -1.0f;
    drape_pose_def def = {.max_distance = values};
    ck_assert(!drape_cloth_follow(world, cloth, &def));
    values[7] = NAN;
    ck_assert(!drape_cloth_follow(world, cloth, &def));
    values[7] = INFINITY;
    ck_assert(drape_cloth_follow(world, cloth, &def));
    ck_assert(!drape_cloth_set_pose(world, cloth, places, NULL, count - 1));
    places[3].y = NAN;
    ck_assert(!drape_cloth_set_pose(world, cloth, places, NULL, count));
    ck_assert(!drape_cloth_follow(NULL, cloth, &def));
    drape_control control = drape_control_defaults();
    control.inertia_linear = 1.5f;
    ck_assert(!drape_cloth_set_control(world, cloth, &control));
    drape_world_destroy(world);
}
END_TEST

int main(void)
{
    Suite* suite = suite_create("pose");
    TCase* tests = tcase_create("pose");
    tcase_add_loop_test(tests, eight_at_a_time_is_one_by_one, 0, 2);
    tcase_add_loop_test(tests, no_vertex_goes_further_than_it_may, 0, 2);
    tcase_add_loop_test(tests, held_vertices_are_as_good_as_pins, 0, 2);
    tcase_add_loop_test(tests, backstop_is_a_floor_below_the_pose, 0, 2);
    tcase_add_test(tests, frames_are_poses_in_time);
    tcase_add_loop_test(tests, single_frames_ride_on_the_cloths_frame, 0, 2);
    tcase_add_test(tests, saved_rides_go_on_alike);
    tcase_add_test(tests, saved_poses_go_on_alike);
    tcase_add_test(tests, nonsense_is_refused);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
