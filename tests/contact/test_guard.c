// The guard on single triangles: wherever a solver may have thrown them, on the way from where they
// were to where they are put, seen from the solid, they never meet it.
#include "contact/guard.h"

#include <check.h>
#include <drape/drape.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../support.h"
#include "collide/shape_gap.h"
#include "core/isa.h"
#include "core/random.h"
#include "core/vec_math.h"

static const drape_shape shapes[] = {
    {.kind = DRAPE_SHAPE_BOX, .size = {0.6f, 0.2f, 0.4f}},
    {.kind = DRAPE_SHAPE_BOX, .size = {0.01f, 0.5f, 0.01f}},
    {.kind = DRAPE_SHAPE_BOX, .size = {0.4f, 0.004f, 0.4f}},
    {.kind = DRAPE_SHAPE_SPHERE, .radius = 0.25f},
    {.kind = DRAPE_SHAPE_CAPSULE, .radius = 0.002f, .radius_top = 0.002f, .height = 0.5f},
    {.kind = DRAPE_SHAPE_CAPSULE, .radius = 0.2f, .radius_top = 0.1f, .height = 0.3f},
    {.kind = DRAPE_SHAPE_PLANE},
};
enum { shape_count = sizeof shapes / sizeof shapes[0], FACES = 1024, SLOTS = 3 * FACES };

static const drape_isa sets[] = {DRAPE_ISA_PLAIN, DRAPE_ISA_SSE2, DRAPE_ISA_AVX2, DRAPE_ISA_NEON};
#define MARGIN 5e-5f

typedef struct setup {
    dr_memory memory;
    dr_sheet sheet;
    dr_obstacle obstacle;
    drape_transform pose[2]; // of the solid, at the start and at the end
    dr_guard_args args;
    int32_t (*faces)[3];
    int32_t* list;
    int list_count;
} setup;

static drape_vec3 random_point(uint32_t seed, uint32_t i, float size)
{
    return (drape_vec3){size * dr_random_signed(seed, 3 * i),
                        size * dr_random_signed(seed, 3 * i + 1),
                        size * dr_random_signed(seed, 3 * i + 2)};
}

// Triangles around a solid that moves and turns, thrown about as far as they are large.
static void make_setup(setup* s, int shape)
{
    *s =
        (setup){.pose = {{{0.3f, -0.2f, 0.1f}, drape_quat_from_degrees((drape_vec3){20, 40, 60})},
                         {{0.2f, -0.1f, 0.2f}, drape_quat_from_degrees((drape_vec3){50, 10, 70})}}};
    dr_memory_init(&s->memory, NULL);
    ck_assert(dr_sheet_create(&s->sheet, &s->memory, DR_LAYOUT_RECORDS, SLOTS, SLOTS / 8));
    dr_obstacle_set(&s->obstacle, &shapes[shape], s->pose[0], s->pose[1]);
    s->faces = calloc(FACES, sizeof *s->faces);
    s->list = calloc(FACES, sizeof *s->list);
    for (uint32_t i = 0; i < SLOTS; ++i) {
        float size = i / 3 % 3 == 0 ? 0.02f : 0.2f;
        drape_vec3 x = dr_add(random_point(1, i / 3, 0.4f), random_point(2, i, size));
        drape_vec3 y = dr_add(x, dr_add(random_point(3, i / 3, size), random_point(4, i, size)));
        int slot = s->faces[i / 3][i % 3] = (int32_t)i;
        dr_sheet_set(DR_LAYOUT_RECORDS, s->sheet.start, slot, dr_transform_apply(s->pose[0], x));
        dr_sheet_set(DR_LAYOUT_RECORDS, s->sheet.pos, slot, dr_transform_apply(s->pose[1], y));
        dr_sheet_set_inverse_mass(&s->sheet, slot, 1.0f);
    }
    dr_guard_args_set(&s->args, &s->sheet, &s->obstacle, MARGIN);
    s->args.sides = calloc(SLOTS / 8, sizeof *s->args.sides);
    s->args.distance = calloc(SLOTS, sizeof *s->args.distance);
}

static void free_setup(setup* s)
{
    dr_sheet_free(&s->sheet, &s->memory);
    free(s->faces);
    free(s->list);
    free(s->args.sides);
    free(s->args.distance);
}

// --- The second opinion ---

static drape_vec3 local_place(const setup* s, int slot, float time)
{
    const float* arrays[2] = {s->sheet.start, s->sheet.pos};
    drape_vec3 p[2];
    for (int k = 0; k < 2; ++k) {
        p[k] = dr_transform_inverse_apply(s->pose[k],
                                          dr_sheet_get(DR_LAYOUT_RECORDS, arrays[k], slot));
    }
    return dr_lerp(p[0], p[1], time);
}

// Least distance of a triangle at a time, by points all over it.
static float distance_at(const setup* s, int face, float time)
{
    enum { parts = 24 };
    drape_vec3 p[3], normal;
    float nearest = INFINITY;
    for (int i = 0; i < 3; ++i) {
        p[i] = local_place(s, s->faces[face][i], time);
    }
    for (int j = 0; j <= parts; ++j) {
        for (int k = 0; j + k <= parts; ++k) {
            float u = (float)j / parts, v = (float)k / parts;
            drape_vec3 q = dr_add(
                p[0], dr_add(dr_scale(dr_sub(p[1], p[0]), u), dr_scale(dr_sub(p[2], p[0]), v)));
            nearest = fminf(nearest, dr_shape_distance(&s->obstacle.terms, q, &normal));
        }
    }
    return nearest;
}

// Points may miss what is thin, so whether a triangle was clear at the start is asked elsewhere.
static bool starts_clear(const setup* s, int face)
{
    double p[3][3];
    for (int i = 0; i < 3; ++i) {
        drape_vec3 q = local_place(s, s->faces[face][i], 0.0f);
        p[i][0] = (double)q.x;
        p[i][1] = (double)q.y;
        p[i][2] = (double)q.z;
    }
    double wanted = 2.0 * (double)MARGIN;
    return dr_shape_gap_of(&s->obstacle.shape, p[0], 3, wanted).gap >= wanted;
}

static float distance_on_the_way(const setup* s, int face)
{
    float nearest = INFINITY;
    for (int i = 0; i <= 16; ++i) {
        nearest = fminf(nearest, distance_at(s, face, (float)i / 16.0f));
    }
    return nearest;
}

// --- Truths ---

static void find_faces(setup* s, drape_isa isa)
{
    const dr_guard_kernels* kernels = dr_guard_kernels_for(isa);
    dr_guard_chunk all = kernels->classify(&s->args, 0, SLOTS / 8);
    float clear = s->args.is_round ? dr_guard_clear_distance(&s->args, 0.7f, sqrtf(all.slip)) : 0;
    const int32_t(*faces)[3] = (const int32_t(*)[3])s->faces;
    s->list_count = dr_guard_list(&s->args, clear, faces, 0, FACES, s->list);
    s->list_count = dr_guard_sift(&s->args, faces, s->list, s->list_count);
}

static bool is_listed(const setup* s, int face)
{
    bool found = false;
    for (int i = 0; i < s->list_count; ++i) {
        found = found || s->list[i] == face;
    }
    return found;
}

START_TEST(what_is_not_listed_is_clear)
{
    setup s;
    make_setup(&s, _i);
    find_faces(&s, dr_isa_resolve(DRAPE_ISA_AUTO));
    ck_assert_int_gt(s.list_count, FACES / 50);
    ck_assert_int_lt(s.list_count, FACES);
    for (int f = 0; f < FACES; ++f) {
        if (!is_listed(&s, f)) {
            ck_assert_float_gt(distance_on_the_way(&s, f), 0.9f * MARGIN);
        }
    }
    free_setup(&s);
}
END_TEST

START_TEST(what_is_held_stays_clear)
{
    setup s;
    make_setup(&s, _i);
    find_faces(&s, dr_isa_resolve(DRAPE_ISA_AUTO));
    dr_guard_plane* first[SLOTS] = {NULL};
    const int32_t order[1] = {0};
    dr_guard_holds holds = {&s.sheet, &s.obstacle, order, 1, MARGIN, first};
    int held = 0;
    for (int i = 0; i < s.list_count; ++i) {
        bool was_clear = starts_clear(&s, s.list[i]);
        dr_guard_plane planes[3];
        ck_assert_int_eq(dr_guard_planes(&s.args, s.faces[s.list[i]], planes), 3);
        for (int k = 0; k < 3; ++k) {
            first[planes[k].slot] = &planes[k];
            dr_guard_slide(&holds, planes[k].slot);
            ck_assert(dr_guard_cut(&holds, planes[k].slot));
            first[planes[k].slot] = NULL;
        }
        if (was_clear) {
            ck_assert_float_gt(distance_on_the_way(&s, s.list[i]), 0.0f);
            ++held;
        }
    }
    ck_assert_int_gt(held, 10);
    free_setup(&s);
}
END_TEST

// Without sliding, cuts alone do it as well.
START_TEST(cuts_suffice)
{
    setup s;
    make_setup(&s, _i);
    find_faces(&s, dr_isa_resolve(DRAPE_ISA_AUTO));
    dr_guard_plane* first[SLOTS] = {NULL};
    const int32_t order[1] = {0};
    dr_guard_holds holds = {&s.sheet, &s.obstacle, order, 1, MARGIN, first};
    for (int i = 0; i < s.list_count; ++i) {
        bool was_clear = starts_clear(&s, s.list[i]);
        dr_guard_plane planes[3];
        dr_guard_planes(&s.args, s.faces[s.list[i]], planes);
        for (int k = 0; k < 3; ++k) {
            first[planes[k].slot] = &planes[k];
            ck_assert(dr_guard_cut(&holds, planes[k].slot));
            first[planes[k].slot] = NULL;
        }
        if (was_clear) {
            ck_assert_float_gt(distance_on_the_way(&s, s.list[i]), 0.0f);
        }
    }
    free_setup(&s);
}
END_TEST

START_TEST(sets_agree)
{
    setup s;
    make_setup(&s, _i);
    find_faces(&s, DRAPE_ISA_PLAIN);
    size_t sides = SLOTS / 8 * sizeof *s.args.sides, distances = SLOTS * sizeof *s.args.distance;
    dr_guard_sides* plain_sides = memcpy(malloc(sides), s.args.sides, sides);
    float* plain_distance = memcpy(malloc(distances), s.args.distance, distances);
    for (size_t k = 0; k < sizeof sets / sizeof sets[0]; ++k) {
        if (dr_isa_available(sets[k])) {
            find_faces(&s, sets[k]);
            ck_assert_mem_eq(plain_sides, s.args.sides, sides);
            ck_assert_mem_eq(plain_distance, s.args.distance, distances);
        }
    }
    free(plain_sides);
    free(plain_distance);
    free_setup(&s);
}
END_TEST

int main(void)
{
    TCase* tests = tcase_create("guard");
    tcase_add_loop_test(tests, what_is_not_listed_is_clear, 0, shape_count);
    tcase_add_loop_test(tests, what_is_held_stays_clear, 0, shape_count);
    tcase_add_loop_test(tests, cuts_suffice, 0, shape_count);
    tcase_add_loop_test(tests, sets_agree, 0, shape_count);
    Suite* suite = suite_create("guard");
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
