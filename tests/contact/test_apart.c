// The guard on its own: substeps that it gives up, because they would have no end; that what comes
// out does not depend on its lists; what it does to momentum.
#include "../support.h"

#include <math.h>
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

// Every vertex goes by up to `way` along each axis, at random.
static void throw_by(apart_case* w, float way, uint32_t seed)
{
    for (int v = 0; v < VERTICES; ++v) {
        for (int c = 0; c < 3; ++c) {
            w->apart.y[4 * v + c] =
                w->apart.x[4 * v + c] + way * dr_random_signed(seed, (uint32_t)(3 * v + c));
        }
    }
}

static void throw_all(apart_case* w, float way)
{
    throw_by(w, way, 5);
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

// The next list is made anew, as if for so many substeps.
static void renew_list(apart_case* w, int horizon)
{
    w->apart.has_list = w->apart.has_list && horizon == 0;
    w->apart.age = horizon > 0 ? horizon : w->apart.age;
}

// A substep of a sheet that is shaken, every stage of it with a new list on demand. Returns the number
// of contacts.
static int shake(apart_case* w, uint32_t seed, int horizon)
{
    dr_apart* apart = &w->apart;
    ck_assert(dr_apart_find_crossed(apart, &w->memory, NULL));
    throw_by(w, 0.04f, seed);
    memcpy(apart->y, apart->x, 3 * sizeof *apart->y); // the pin stays
    renew_list(w, horizon);
    ck_assert(dr_apart_touch(apart, &w->memory, NULL));
    int contact_count = apart->contacts.count;
    for (int sweep = 0; sweep < 4; ++sweep) {
        dr_apart_resolve(apart);
    }
    for (int round = 0; round < 3; ++round) {
        renew_list(w, horizon);
        ck_assert(dr_apart_slide(apart, &w->memory, NULL, round == 0));
    }
    renew_list(w, horizon);
    ck_assert(dr_apart_cut(apart, &w->memory, NULL));
    ck_assert_int_eq(apart->pinched_count, 0);
    ck_assert_int_eq(apart->crossed.count, 0);
    dr_apart_commit(apart);
    for (int v = 0; v < VERTICES; ++v) {
        memcpy(apart->x + 4 * v, apart->y + 4 * v, 3 * sizeof *apart->x);
    }
    return contact_count;
}

// Lists that are carried along and lists for one, four, nine substeps, made in every stage: contacts,
// pushes and cuts are the same.
START_TEST(nothing_depends_on_lists)
{
    enum { cases = 4 };
    const int horizons[cases] = {0, 1, 4, 9};
    apart_case w[cases];
    for (int i = 0; i < cases; ++i) {
        open_case(&w[i]);
        w[i].apart.recovery = 0.001f;
        w[i].apart.h = 0.01f;
    }
    for (uint32_t substep = 0; substep < 16; ++substep) {
        int contact_count = 0;
        for (int i = 0; i < cases; ++i) {
            int count = shake(&w[i], substep, horizons[i]);
            contact_count = i > 0 ? contact_count : count;
            ck_assert_int_eq(count, contact_count);
            ck_assert_mem_eq(w[i].apart.y, w[0].apart.y, 4 * VERTICES * sizeof *w[0].apart.y);
        }
    }
    ck_assert_int_gt(w[0].apart.cut_count, 0);
    for (int i = 0; i < cases; ++i) {
        close_case(&w[i]);
    }
}
END_TEST

// What solids and pins carried along in one substep yields again in the next.
START_TEST(what_was_carried_is_free_again)
{
    apart_case w[2];
    for (int i = 0; i < 2; ++i) {
        open_case(&w[i]);
        w[i].apart.recovery = 0.001f;
        w[i].apart.h = 0.01f;
    }
    for (uint32_t substep = 0; substep < 4; ++substep) {
        for (int v = 1; v < VERTICES; v += 2) {
            w[1].apart.carried[4 * v + 3] = 2.0f;
        }
        for (int i = 0; i < 2; ++i) {
            shake(&w[i], substep, 0);
        }
        ck_assert_mem_eq(w[1].apart.y, w[0].apart.y, 4 * VERTICES * sizeof *w[0].apart.y);
    }
    for (int i = 0; i < 2; ++i) {
        close_case(&w[i]);
    }
}
END_TEST

// Of a sheet with a pin it is told; without one the sheet has it back.
START_TEST(what_the_cut_takes_is_told_or_given_back)
{
    apart_case w;
    open_case(&w);
    dr_apart* apart = &w.apart;
    ck_assert(dr_apart_find_crossed(apart, &w.memory, NULL));
    throw_by(&w, 0.04f, 1);
    memcpy(apart->y, apart->x, 3 * sizeof *apart->y);
    float was[4 * VERTICES];
    memcpy(was, apart->y, sizeof was);
    ck_assert(dr_apart_touch(apart, &w.memory, NULL));
    ck_assert(dr_apart_cut(apart, &w.memory, NULL));
    double lost[3] = {0.0, 0.0, 0.0};
    for (int i = 0; i < 4 * VERTICES; ++i) {
        if (i % 4 < 3) {
            lost[i % 4] += (double)was[i] - apart->y[i];
        }
    }
    ck_assert_double_gt(fabs(lost[1]), 0.01);
    dr_apart_return_momentum(apart);
    for (int c = 0; c < 3; ++c) {
        ck_assert_double_eq_tol(apart->losses[0].momentum[c], lost[c], 1e-9);
        ck_assert_float_eq(apart->losses[0].back[c], 0.0f);
    }
    apart->y[3] = 1.0f;
    dr_apart_return_momentum(apart);
    for (int c = 0; c < 3; ++c) {
        ck_assert_double_eq(apart->losses[0].momentum[c], 0.0);
        ck_assert_double_eq_tol((double)apart->losses[0].back[c] * VERTICES, lost[c], 1e-5);
    }
    close_case(&w);
}
END_TEST

int main(void)
{
    Suite* suite = suite_create("apart");
    TCase* tests = tcase_create("apart");
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, too_many_pairs_are_given_up);
    tcase_add_test(tests, what_was_given_up_goes_on);
    tcase_add_test(tests, what_is_undone_forgets_that_it_was_given_up);
    tcase_add_test(tests, thick_cloth_is_not_given_up);
    tcase_add_test(tests, nothing_depends_on_lists);
    tcase_add_test(tests, what_was_carried_is_free_again);
    tcase_add_test(tests, what_the_cut_takes_is_told_or_given_back);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
