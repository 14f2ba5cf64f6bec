// The guard on its own: substeps that it gives up, because they would have no end.
#include "../support.h"

#include <string.h>

#include "contact/apart.h"
#include "core/isa.h"
#include "core/random.h"
#include "mesh/generate.h"

enum { COLUMNS = 21, VERTICES = COLUMNS * COLUMNS };

typedef struct apart_case {
    dr_memory memory;
    dr_mesh mesh;
    dr_sheets sheets;
    dr_apart apart;
} apart_case;

// A flat sheet of 1 m at rest; its first vertex is a pin.
static void open_case(apart_case* w)
{
    dr_shape_mesh shape;
    char sentence[256];
    *w = (apart_case){0};
    dr_memory_init(&w->memory, NULL);
    ck_assert(dr_generate_grid(&shape, &w->memory, 1.0f, 1.0f, COLUMNS, COLUMNS,
                               DRAPE_DIAGONALS_ALTERNATE));
    drape_mesh_view view = {.positions = shape.positions,
                            .vertex_count = shape.vertex_count,
                            .triangles = shape.triangles[0],
                            .triangle_count = shape.triangle_count};
    ck_assert(dr_mesh_build(&w->mesh, &w->memory, &view, NULL, sentence, sizeof sentence));
    dr_shape_free(&shape, &w->memory);
    ck_assert_int_eq(w->mesh.vertex_count, VERTICES);
    dr_sheets_part part = {.mesh = &w->mesh, .columns = COLUMNS, .rows = COLUMNS};
    ck_assert(dr_sheets_create(&w->sheets, &w->memory, &part, 1));
    ck_assert(
        dr_apart_create(&w->apart, &w->memory, &w->sheets, NULL, dr_isa_resolve(DRAPE_ISA_AUTO)));
    w->apart.cloths[0].thickness = 0.002f;
    for (int v = 0; v < VERTICES; ++v) {
        memcpy(w->apart.x + 4 * v, &w->mesh.rest[v], sizeof w->mesh.rest[v]);
        memcpy(w->apart.y + 4 * v, &w->mesh.rest[v], sizeof w->mesh.rest[v]);
        w->apart.y[4 * v + 3] = v > 0 ? 1.0f : 0.0f;
    }
}

static void close_case(apart_case* w)
{
    dr_apart_free(&w->apart, &w->memory);
    dr_sheets_free(&w->sheets, &w->memory);
    dr_mesh_free(&w->mesh, &w->memory);
    ck_assert_uint_eq(w->memory.live_bytes, 0);
}

// Every vertex goes by up to `way` along each axis.
static void throw_all(apart_case* w, float way)
{
    for (int v = 0; v < VERTICES; ++v) {
        for (int c = 0; c < 3; ++c) {
            w->apart.y[4 * v + c] =
                w->apart.x[4 * v + c] + way * dr_random_signed(5, (uint32_t)(3 * v + c));
        }
    }
}

static void check_given_up(const apart_case* w, const float pin[3])
{
    const dr_apart* apart = &w->apart;
    ck_assert_mem_eq(apart->y, pin, 3 * sizeof *pin);
    for (int v = 1; v < VERTICES; ++v) {
        ck_assert_mem_eq(apart->y + 4 * v, apart->x + 4 * v, 3 * sizeof *pin);
    }
    ck_assert_int_eq(apart->pinched_count, 1);
    ck_assert_int_eq(apart->jammed_count, 1);
    ck_assert_int_eq(apart->cut_count, VERTICES - 1);
    ck_assert_int_eq(apart->records.count, 0);
    ck_assert(!apart->has_list && apart->is_new);
    ck_assert_double_gt(apart->lost, 0.0);
}

// Ways as long as the sheet: all is near to all, 1.1 million pairs where 210,250 are allowed.
START_TEST(too_many_pairs_are_given_up)
{
    apart_case w;
    float pin[3];
    open_case(&w);
    ck_assert(dr_apart_find_crossed(&w.apart, &w.memory, NULL));
    throw_all(&w, 1.0f);
    memcpy(pin, w.apart.y, sizeof pin);
    ck_assert(dr_apart_cut(&w.apart, &w.memory, NULL));
    ck_assert(w.apart.is_crowded);
    check_given_up(&w, pin);
    close_case(&w);
}
END_TEST

// What was given up is looked for everywhere in the next substep, and that one is as any other.
START_TEST(what_was_given_up_goes_on)
{
    apart_case w;
    open_case(&w);
    ck_assert(dr_apart_find_crossed(&w.apart, &w.memory, NULL));
    throw_all(&w, 1.0f);
    memcpy(w.apart.y, w.apart.x, 3 * sizeof *w.apart.y); // the pin stays
    ck_assert(dr_apart_cut(&w.apart, &w.memory, NULL));
    dr_apart_commit(&w.apart);
    ck_assert(!w.apart.is_known);
    ck_assert_int_eq(w.apart.pinched_count, 0);
    ck_assert(dr_apart_find_crossed(&w.apart, &w.memory, NULL));
    ck_assert_int_eq(w.apart.crossed.count, 0);
    for (int v = 1; v < VERTICES; ++v) {
        w.apart.y[4 * v + 1] -= 0.001f;
    }
    ck_assert(dr_apart_slide(&w.apart, &w.memory, NULL, true));
    ck_assert(dr_apart_cut(&w.apart, &w.memory, NULL));
    ck_assert(!w.apart.is_crowded && w.apart.has_list);
    ck_assert_int_eq(w.apart.pinched_count, 0);
    for (int v = 1; v < VERTICES; ++v) {
        ck_assert_float_eq(w.apart.y[4 * v + 1], w.apart.x[4 * v + 1] - 0.001f);
    }
    close_case(&w);
}
END_TEST

// Half of it, by which the world undoes and halves such a substep.
START_TEST(what_is_undone_forgets_that_it_was_given_up)
{
    apart_case w;
    open_case(&w);
    ck_assert(dr_apart_find_crossed(&w.apart, &w.memory, NULL));
    throw_all(&w, 1.0f);
    ck_assert(dr_apart_cut(&w.apart, &w.memory, NULL));
    ck_assert_int_eq(w.apart.jammed_count, 1);
    dr_apart_undo(&w.apart);
    ck_assert_int_eq(w.apart.pinched_count + w.apart.jammed_count + w.apart.cut_count, 0);
    ck_assert_double_eq(w.apart.lost, 0.0);
    ck_assert(w.apart.is_known);
    throw_all(&w, 0.001f);
    ck_assert(dr_apart_cut(&w.apart, &w.memory, NULL));
    ck_assert_int_eq(w.apart.jammed_count, 0);
    ck_assert(!w.apart.is_crowded);
    close_case(&w);
}
END_TEST

// Cloth thicker than its edges has long lists for contacts. The guard has no use for those.
START_TEST(thick_cloth_is_not_given_up)
{
    apart_case w;
    open_case(&w);
    w.apart.cloths[0].thickness = 0.3f;
    ck_assert(dr_apart_find_crossed(&w.apart, &w.memory, NULL));
    for (int v = 0; v < VERTICES; ++v) {
        w.apart.y[4 * v + 1] -= 0.001f;
    }
    ck_assert(dr_apart_touch(&w.apart, &w.memory, NULL));
    ck_assert(dr_apart_slide(&w.apart, &w.memory, NULL, true));
    ck_assert(dr_apart_cut(&w.apart, &w.memory, NULL));
    ck_assert_int_eq(w.apart.pinched_count, 0);
    ck_assert_float_eq(w.apart.y[4 + 1], w.apart.x[4 + 1] - 0.001f);
    close_case(&w);
}
END_TEST

int main(void)
{
    Suite* suite = suite_create("apart");
    TCase* tests = tcase_create("apart");
    tcase_add_test(tests, too_many_pairs_are_given_up);
    tcase_add_test(tests, what_was_given_up_goes_on);
    tcase_add_test(tests, what_is_undone_forgets_that_it_was_given_up);
    tcase_add_test(tests, thick_cloth_is_not_given_up);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
