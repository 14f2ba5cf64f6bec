// Yarns are brought to the limit of their fabric: by the masses, and nothing else moves.
#include "solver/stretch_limit.h"

#include "core/base.h"
#include "core/random.h"
#include "solver_test.h"

enum { COLUMNS = 9, ROWS = 7, VERTICES = COLUMNS * ROWS, PASSES = 400 };
static const float LIMIT = 0.03f;

typedef struct setup {
    piece p;
    dr_memory memory;
    dr_stretch_limits limits;
    float x[4 * VERTICES], y[4 * VERTICES];
} setup;

// Even tests have a grid, odd ones a mesh.
static setup* make_setup(int test)
{
    setup* s = calloc(1, sizeof *s);
    drape_fabric fabric = test_fabric();
    piece_weave(&s->p, test % 2, &fabric, COLUMNS, ROWS);
    dr_stretch_part part = {&s->p.mesh, test % 2 ? 0 : COLUMNS, 0, LIMIT};
    dr_memory_init(&s->memory, NULL);
    ck_assert(dr_stretch_limits_create(&s->limits, &s->memory, &part, 1));
    for (int v = 0; v < VERTICES; ++v) {
        memcpy(s->y + 4 * v, &s->p.mesh.rest[v], sizeof(drape_vec3));
        memcpy(s->x + 4 * v, &s->p.mesh.rest[v], sizeof(drape_vec3));
        s->y[4 * v + 3] = 1.0f + 3.0f * dr_random_unit(9, (uint32_t)v);
    }
    return s;
}

static bool limit(setup* s, float shrink, int passes)
{
    dr_stretch_ends ends = {s->x, s->y, shrink, NULL};
    return dr_stretch_limit(&s->limits, &ends, passes);
}

static void free_setup(setup* s)
{
    piece_free(&s->p);
    dr_stretch_limits_free(&s->limits, &s->memory);
    ck_assert_uint_eq(s->memory.live_bytes, 0);
    free(s);
}

static double worst_strain(const setup* s)
{
    double worst = 0.0;
    for (int k = 0; k < s->limits.count; ++k) {
        double squared = 0.0;
        for (int c = 0; c < 3; ++c) {
            double d = 0.0;
            for (int i = 0; i < 3; ++i) {
                d += (double)s->limits.bounds[k].factor[i] *
                     s->y[4 * s->limits.bounds[k].vertex[i] + c];
            }
            squared += d * d;
        }
        worst = fmax(worst, sqrt(squared) - 1.0);
    }
    return worst;
}

static double momentum(const setup* s, int axis)
{
    double sum = 0.0;
    for (int v = 0; v < VERTICES; ++v) {
        sum += (double)s->y[4 * v + axis] / (double)s->y[4 * v + 3];
    }
    return sum;
}

static void shake(setup* s, float by)
{
    for (int i = 0; i < 4 * VERTICES; ++i) {
        s->y[i] += i % 4 < 3 ? by * dr_random_signed(4, (uint32_t)i) : 0.0f;
    }
}

START_TEST(what_is_within_the_limit_does_not_move)
{
    setup* s = make_setup(_i);
    shake(s, 1e-4f);
    float before[4 * VERTICES];
    memcpy(before, s->y, sizeof before);
    ck_assert_double_lt(worst_strain(s), (double)LIMIT);
    ck_assert(!limit(s, 0.0f, PASSES));
    ck_assert_mem_eq(before, s->y, sizeof before);
    free_setup(s);
}
END_TEST

START_TEST(what_is_too_long_comes_to_the_limit)
{
    setup* s = make_setup(_i);
    shake(s, 0.02f);
    double before[3] = {momentum(s, 0), momentum(s, 1), momentum(s, 2)};
    ck_assert_double_gt(worst_strain(s), 3.0 * (double)LIMIT);
    ck_assert(limit(s, 0.0f, PASSES));
    ck_assert_double_lt(worst_strain(s), (double)LIMIT + 2e-5);
    for (int c = 0; c < 3; ++c) {
        ck_assert_double_eq_tol(momentum(s, c), before[c], 1e-4);
    }
    free_setup(s);
}
END_TEST

START_TEST(the_longest_yarn_tells_what_is_used_up)
{
    setup* s = make_setup(_i);
    ck_assert_float_lt(dr_stretch_used(&s->limits, s->y), 1e-3f);
    for (int v = 0; v < VERTICES; ++v) {
        s->y[4 * v] *= 1.0f + 0.5f * LIMIT;
    }
    ck_assert_float_eq_tol(dr_stretch_used(&s->limits, s->y), 0.5f, 1e-3f);
    shake(s, 0.02f);
    ck_assert_double_eq_tol((double)dr_stretch_used(&s->limits, s->y),
                            worst_strain(s) / (double)LIMIT, 1e-3);
    free_setup(s);
}
END_TEST

START_TEST(held_vertices_stay)
{
    setup* s = make_setup(_i);
    for (int c = 0; c < COLUMNS; ++c) {
        s->y[4 * c + 3] = 0.0f;
        s->y[4 * (VERTICES - 1 - c) + 3] = 0.0f;
        s->y[4 * (VERTICES - 1 - c) + 2] *= 1.5f;
    }
    float first[4], last[4];
    memcpy(first, s->y, sizeof first);
    memcpy(last, s->y + 4 * (VERTICES - 1), sizeof last);
    limit(s, 0.0f, 8);
    ck_assert_mem_eq(first, s->y, sizeof first);
    ck_assert_mem_eq(last, s->y + 4 * (VERTICES - 1), sizeof last);
    for (int i = 0; i < 4 * VERTICES; ++i) {
        ck_assert(isfinite(s->y[i]));
    }
    free_setup(s);
}
END_TEST

// A vertex that something else has put elsewhere draws its neighbours along, and only as far as need
// be: all ends within the limit, and what was within it all the time does not move.
START_TEST(what_is_held_draws_its_neighbours)
{
    setup* s = make_setup(_i);
    uint8_t is_held[VERTICES] = {0};
    int middle = VERTICES / 2;
    float put[3], far[3];
    s->y[4 * middle + 1] += 0.03f;
    is_held[middle] = 1;
    memcpy(put, s->y + 4 * middle, sizeof put);
    memcpy(far, s->y, sizeof far);
    ck_assert_double_gt(worst_strain(s), (double)LIMIT + 1e-3);
    dr_stretch_ends ends = {s->x, s->y, 0.0f, is_held};
    ck_assert(dr_stretch_limit(&s->limits, &ends, PASSES));
    ck_assert_double_lt(worst_strain(s), (double)LIMIT + 2e-5);
    ck_assert_mem_eq(put, s->y + 4 * middle, sizeof put);
    ck_assert_mem_eq(far, s->y, sizeof far);
    free_setup(s);
}
END_TEST

// Two cloths, a grid and a mesh: each keeps its own limit, as if it were alone.
START_TEST(cloths_have_their_own_limits)
{
    setup* a = make_setup(0);
    setup* b = make_setup(1);
    dr_stretch_part parts[2] = {{&a->p.mesh, COLUMNS, 0, LIMIT}, {&b->p.mesh, 0, VERTICES, LIMIT}};
    dr_stretch_limits both;
    ck_assert(dr_stretch_limits_create(&both, &a->memory, parts, 2));
    ck_assert_int_eq(both.count, a->limits.count + b->limits.count);
    shake(a, 0.02f);
    shake(b, 0.01f);
    float x[8 * VERTICES], y[8 * VERTICES];
    memcpy(x, a->x, sizeof a->x);
    memcpy(x + 4 * VERTICES, b->x, sizeof b->x);
    memcpy(y, a->y, sizeof a->y);
    memcpy(y + 4 * VERTICES, b->y, sizeof b->y);
    dr_stretch_ends ends = {x, y, 0.0f, NULL};
    ck_assert(dr_stretch_limit(&both, &ends, 6));
    ck_assert(limit(a, 0.0f, 6) && limit(b, 0.0f, 6));
    ck_assert_mem_eq(y, a->y, sizeof a->y);
    ck_assert_mem_eq(y + 4 * VERTICES, b->y, sizeof b->y);
    dr_stretch_limits_free(&both, &a->memory);
    free_setup(a);
    free_setup(b);
}
END_TEST

// Cloth that was put somewhere too long comes back bit by bit.
START_TEST(what_begins_too_long_is_not_thrown)
{
    setup* s = make_setup(_i);
    for (int i = 0; i < 4 * VERTICES; ++i) {
        s->y[i] *= i % 4 < 3 ? 1.2f : 1.0f;
    }
    memcpy(s->x, s->y, sizeof s->x);
    ck_assert(limit(s, 0.01f, PASSES));
    ck_assert_double_eq_tol(worst_strain(s), 0.19, 1e-3);
    free_setup(s);
}
END_TEST

// Shear is free: yarns keep their length when cells become rhombi.
START_TEST(shear_has_no_limit)
{
    setup* s = make_setup(_i);
    for (int v = 0; v < VERTICES; ++v) {
        float z = s->y[4 * v + 2];
        s->y[4 * v] += 0.6f * z;
        s->y[4 * v + 2] = 0.8f * z;
    }
    ck_assert(!limit(s, 0.0f, PASSES));
    free_setup(s);
}
END_TEST

int main(void)
{
    Suite* suite = suite_create("stretch_limit");
    TCase* tcase = tcase_create("limit");
    tcase_add_loop_test(tcase, what_is_within_the_limit_does_not_move, 0, 2);
    tcase_add_loop_test(tcase, what_is_too_long_comes_to_the_limit, 0, 2);
    tcase_add_loop_test(tcase, the_longest_yarn_tells_what_is_used_up, 0, 2);
    tcase_add_loop_test(tcase, held_vertices_stay, 0, 2);
    tcase_add_loop_test(tcase, what_is_held_draws_its_neighbours, 0, 2);
    tcase_add_test(tcase, cloths_have_their_own_limits);
    tcase_add_loop_test(tcase, what_begins_too_long_is_not_thrown, 0, 2);
    tcase_add_loop_test(tcase, shear_has_no_limit, 0, 2);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
