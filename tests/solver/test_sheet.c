// Vertices in slots: layouts, prediction and commit, the same bits for every instruction set.
#include "solver/sheet.h"

#include <string.h>

#include "solver_test.h"

static const drape_isa sets[] = {DRAPE_ISA_PLAIN, DRAPE_ISA_SSE2, DRAPE_ISA_AVX2, DRAPE_ISA_NEON,
                                 DRAPE_ISA_WASM};
enum { set_count = sizeof sets / sizeof sets[0], vertex_count = 37, vector_count = 6 };

static dr_memory memory;

// Vertices in every slot but the last ones, in a scattered order; every fifth is held.
static void sheet_create(dr_sheet* sheet, int layout)
{
    dr_memory_init(&memory, NULL);
    ck_assert(dr_sheet_create(sheet, &memory, (dr_layout)layout, vertex_count, vector_count));
    drape_vec3 positions[vertex_count], velocities[vertex_count];
    for (int v = 0; v < vertex_count; ++v) {
        sheet->slot_of_vertex[v] = v * 23 % (vector_count * 8 - 1);
        sheet->mass[v] = 1e-3f * (float)(v + 1);
        dr_sheet_set_inverse_mass(sheet, sheet->slot_of_vertex[v],
                                  v % 5 == 0 ? 0.0f : 1.0f / sheet->mass[v]);
        uint32_t i = 6 * (uint32_t)v;
        positions[v] = (drape_vec3){dr_random_signed(1, i), dr_random_signed(1, i + 1),
                                    dr_random_signed(1, i + 2)};
        velocities[v] = (drape_vec3){dr_random_signed(1, i + 3), dr_random_signed(1, i + 4),
                                     dr_random_signed(1, i + 5)};
    }
    dr_sheet_set_state(sheet, positions, velocities);
}

static void sheet_free(dr_sheet* sheet)
{
    dr_sheet_free(sheet, &memory);
    ck_assert_uint_eq(memory.live_bytes, 0);
}

static bool same(drape_vec3 a, drape_vec3 b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

// --- Layout ---

START_TEST(slots_do_not_overlap)
{
    for (int layout = 0; layout < 2; ++layout) {
        dr_sheet sheet;
        sheet_create(&sheet, layout);
        for (int slot = 0; slot < vector_count * 8; ++slot) {
            dr_sheet_set(sheet.layout, sheet.pos, slot, (drape_vec3){(float)slot, 1000.0f, -1.0f});
            dr_sheet_set_inverse_mass(&sheet, slot, (float)slot + 0.5f);
        }
        int wrong = 0;
        for (int slot = 0; slot < vector_count * 8; ++slot) {
            drape_vec3 p = dr_sheet_get(sheet.layout, sheet.pos, slot);
            wrong += !same(p, (drape_vec3){(float)slot, 1000.0f, -1.0f});
            wrong += dr_sheet_inverse_mass(&sheet, slot) != (float)slot + 0.5f;
        }
        ck_assert_int_eq(wrong, 0);
        sheet_free(&sheet);
    }
}
END_TEST

START_TEST(state_comes_back)
{
    for (int layout = 0; layout < 2; ++layout) {
        dr_sheet sheet;
        sheet_create(&sheet, layout);
        drape_vec3 x[vertex_count], u[vertex_count], y[vertex_count];
        dr_sheet_get_state(&sheet, x, u);
        dr_sheet_set_state(&sheet, u, NULL);
        dr_sheet_get_state(&sheet, y, NULL);
        ck_assert_mem_eq(y, u, sizeof u);
        dr_sheet_get_state(&sheet, NULL, y);
        for (int v = 0; v < vertex_count; ++v) {
            ck_assert(same(y[v], (drape_vec3){0.0f, 0.0f, 0.0f}));
        }
        // Masses are no part of the state.
        ck_assert_float_eq(dr_sheet_inverse_mass(&sheet, sheet.slot_of_vertex[0]), 0.0f);
        ck_assert_float_gt(dr_sheet_inverse_mass(&sheet, sheet.slot_of_vertex[1]), 0.0f);
        sheet_free(&sheet);
    }
}
END_TEST

static int calls_left;

static void* failing_allocate(void* user, size_t size, size_t alignment)
{
    (void)user;
    return calls_left-- > 0 ? aligned_alloc(alignment, (size + 63) / 64 * 64) : NULL;
}

static void plain_release(void* user, void* block, size_t size)
{
    (void)user;
    (void)size;
    free(block);
}

START_TEST(short_memory_is_told)
{
    drape_allocator hook = {failing_allocate, plain_release, NULL};
    dr_memory_init(&memory, &hook);
    bool done = false;
    for (int calls = 0; !done && calls < 20; ++calls) {
        dr_sheet sheet;
        calls_left = calls;
        done = dr_sheet_create(&sheet, &memory, DR_LAYOUT_RECORDS, 10, 2);
        dr_sheet_free(&sheet, &memory);
        ck_assert_uint_eq(memory.live_bytes, 0);
    }
    ck_assert(done);
}
END_TEST

// --- Prediction ---

// v = (v + h (gravity + force)) keep, x = x + h v, in this order of roundings; held ones stay.
static void expect_prediction(const dr_sheet* sheet, const dr_predict_args* a, int v, drape_vec3* x,
                              drape_vec3* u)
{
    int slot = sheet->slot_of_vertex[v];
    drape_vec3 push = a->gravity;
    if (sheet->force) {
        push = dr_add(push, dr_sheet_get(sheet->layout, sheet->force, slot));
    }
    *u = dr_scale(dr_add(*u, dr_scale(push, a->h)), a->keep);
    if (dr_sheet_inverse_mass(sheet, slot) <= 0.0f) {
        *u = (drape_vec3){0.0f, 0.0f, 0.0f};
    }
    *x = dr_add(*x, dr_scale(*u, a->h));
}

START_TEST(prediction_is_the_recursion)
{
    for (int round = 0; round < 4 && dr_isa_available(sets[_i]); ++round) {
        dr_sheet sheet;
        sheet_create(&sheet, round % 2);
        if (round / 2) {
            sheet.force = dr_new(&memory, float, vector_count * 32);
            for (int i = 0; i < vector_count * 32; ++i) {
                sheet.force[i] = dr_random_signed(5, (uint32_t)i);
            }
        }
        drape_vec3 x[vertex_count], u[vertex_count];
        dr_sheet_get_state(&sheet, x, u);
        dr_predict_args args = {{0.1f, -9.81f, 0.3f}, 1.0f / 1200.0f, 0.999f};
        dr_sheet_kernels_for(sets[_i])->predict(&sheet, 0, vector_count, &args);
        int wrong = 0;
        for (int v = 0; v < vertex_count; ++v) {
            int slot = sheet.slot_of_vertex[v];
            expect_prediction(&sheet, &args, v, &x[v], &u[v]);
            wrong += !same(dr_sheet_get(sheet.layout, sheet.pos, slot), x[v]);
            wrong += !same(dr_sheet_get(sheet.layout, sheet.vel, slot), u[v]);
        }
        ck_assert_int_eq(wrong, 0);
        sheet_free(&sheet);
    }
}
END_TEST

// --- Commit ---

// Free flight keeps the bits of its velocity however many substeps it takes.
START_TEST(free_flight_is_exact)
{
    for (int layout = 0; layout < 2 && dr_isa_available(sets[_i]); ++layout) {
        const dr_sheet_kernels* kernels = dr_sheet_kernels_for(sets[_i]);
        dr_sheet sheet;
        sheet_create(&sheet, layout);
        drape_vec3 x[vertex_count], u[vertex_count], y[vertex_count], w[vertex_count];
        dr_sheet_get_state(&sheet, x, u);
        dr_predict_args args = {{0.0f, -9.81f, 0.0f}, 1.0f / 1200.0f, 1.0f};
        dr_chunk_bounds bounds;
        for (int i = 0; i < 500; ++i) {
            kernels->predict(&sheet, 0, vector_count, &args);
            kernels->commit(&sheet, 0, vector_count, args.h, &bounds);
            for (int v = 0; v < vertex_count; ++v) {
                expect_prediction(&sheet, &args, v, &x[v], &u[v]);
            }
        }
        dr_sheet_get_state(&sheet, y, w);
        ck_assert_mem_eq(y, x, sizeof x);
        ck_assert_mem_eq(w, u, sizeof u);
        sheet_free(&sheet);
    }
}
END_TEST

// A correction of the place is a correction of the velocity, by the length of the substep.
START_TEST(corrections_become_velocity)
{
    for (int layout = 0; layout < 2 && dr_isa_available(sets[_i]); ++layout) {
        const dr_sheet_kernels* kernels = dr_sheet_kernels_for(sets[_i]);
        dr_sheet sheet;
        sheet_create(&sheet, layout);
        dr_predict_args args = {{0.0f, 0.0f, 0.0f}, 0.25f, 1.0f};
        dr_chunk_bounds bounds;
        kernels->predict(&sheet, 0, vector_count, &args);
        int slot = sheet.slot_of_vertex[7];
        drape_vec3 u = dr_sheet_get(sheet.layout, sheet.vel, slot);
        drape_vec3 x = dr_sheet_get(sheet.layout, sheet.pos, slot);
        dr_sheet_set(sheet.layout, sheet.pos, slot, dr_add(x, (drape_vec3){0.5f, 0.0f, -0.25f}));
        kernels->commit(&sheet, 0, vector_count, args.h, &bounds);
        drape_vec3 gain = dr_sub(dr_sheet_get(sheet.layout, sheet.vel, slot), u);
        ck_assert_float_eq_tol(gain.x, 2.0f, 1e-6f);
        ck_assert_float_eq_tol(gain.y, 0.0f, 1e-6f);
        ck_assert_float_eq_tol(gain.z, -1.0f, 1e-6f);
        sheet_free(&sheet);
    }
}
END_TEST

// All slots count, those without a vertex too: whoever owns them lays them over others.
START_TEST(bounds_enclose_exactly)
{
    for (int layout = 0; layout < 2 && dr_isa_available(sets[_i]); ++layout) {
        dr_sheet sheet;
        sheet_create(&sheet, layout);
        dr_chunk_bounds bounds;
        dr_sheet_kernels_for(sets[_i])->commit(&sheet, 1, 5, 0.1f, &bounds);
        float lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY};
        float speed = 0.0f;
        for (int slot = 8; slot < 40; ++slot) {
            drape_vec3 p = dr_sheet_get(sheet.layout, sheet.start, slot);
            drape_vec3 u = dr_sheet_get(sheet.layout, sheet.vel, slot);
            const float c[3] = {p.x, p.y, p.z};
            for (int k = 0; k < 3; ++k) {
                lo[k] = fminf(lo[k], c[k]);
                hi[k] = fmaxf(hi[k], c[k]);
            }
            speed = fmaxf(speed, dr_dot(u, u));
        }
        for (int k = 0; k < 3; ++k) {
            ck_assert_float_eq(bounds.lo[k], lo[k]);
            ck_assert_float_eq(bounds.hi[k], hi[k]);
        }
        ck_assert_float_eq(bounds.speed_squared, speed);
        ck_assert_int_eq(bounds.non_finite_count, 0);
        sheet_free(&sheet);
    }
}
END_TEST

START_TEST(lost_vertices_are_counted)
{
    const drape_vec3 lost[] = {{NAN, 0, 0},   {0, INFINITY, 0}, {0, 0, -INFINITY},
                               {0, 1e31f, 0}, {0, NAN, 0},      {0, 0, NAN}};
    const int count = sizeof lost / sizeof lost[0];
    for (int layout = 0; layout < 2 && dr_isa_available(sets[_i]); ++layout) {
        dr_sheet sheet;
        sheet_create(&sheet, layout);
        for (int i = 0; i < count; ++i) {
            dr_sheet_set(sheet.layout, sheet.pos, sheet.slot_of_vertex[5 * i + 1], lost[i]);
        }
        dr_chunk_bounds bounds;
        dr_sheet_kernels_for(sets[_i])->commit(&sheet, 0, vector_count, 0.1f, &bounds);
        ck_assert_int_eq(bounds.non_finite_count, count);
        sheet_free(&sheet);
    }
}
END_TEST

int main(void)
{
    Suite* suite = suite_create("sheet");
    TCase* layout = tcase_create("layout");
    tcase_add_test(layout, slots_do_not_overlap);
    tcase_add_test(layout, state_comes_back);
    tcase_add_test(layout, short_memory_is_told);
    suite_add_tcase(suite, layout);
    TCase* kernels = tcase_create("per instruction set");
    tcase_add_loop_test(kernels, prediction_is_the_recursion, 0, set_count);
    tcase_add_loop_test(kernels, free_flight_is_exact, 0, set_count);
    tcase_add_loop_test(kernels, corrections_become_velocity, 0, set_count);
    tcase_add_loop_test(kernels, bounds_enclose_exactly, 0, set_count);
    tcase_add_loop_test(kernels, lost_vertices_are_counted, 0, set_count);
    suite_add_tcase(suite, kernels);
    return run_suite(suite);
}
