// What stands in the way of pins goes along with them, and turns with them.
#include "../support.h"

#include <string.h>

#include "contact/apart.h"

enum { PINS = 3, COUNT = 6 };

// Three pins in a row, and a fourth one that is held elsewhere; two vertices of an edge in their way.
typedef struct lead_case {
    float x[4 * COUNT], y[4 * COUNT], way[4 * COUNT], carried[4 * COUNT], share[COUNT];
    int32_t lead[COUNT];
    int32_t edges[3][2];
    dr_apart_lead leads[DR_APART_LEADS];
    dr_sheets sheets;
    dr_apart apart;
} lead_case;

static const float places[COUNT][3] = {
    {0.75f, 1.0f, 0.1f},   {0.75f, 1.0f, 0.115f},  {0.75f, 1.0f, 0.13f},
    {0.74f, 1.0f, 0.106f}, {0.76f, 1.0f, 0.1061f}, {-0.75f, 1.0f, 0.1f},
};

// Half a degree about the x axis through y = 1, and a little along it.
static void turn(const float from[3], float to[3])
{
    const double sine = 0.0087265355, cosine = 0.9999619231, along = -5e-5;
    double b = (double)from[1] - 1.0, c = from[2];
    to[0] = (float)(from[0] + along);
    to[1] = (float)(1.0 + cosine * b - sine * c);
    to[2] = (float)(sine * b + cosine * c);
}

static void make_case(lead_case* w)
{
    *w = (lead_case){.edges = {{0, 1}, {1, 2}, {3, 4}}};
    for (int v = 0; v < COUNT; ++v) {
        float to[3];
        turn(places[v], to);
        bool turns = v < PINS;
        memcpy(w->x + 4 * v, places[v], sizeof places[v]);
        memcpy(w->y + 4 * v, turns ? to : places[v], sizeof to);
        w->y[4 * v + 3] = v == 3 || v == 4 ? 1.0f : 0.0f;
        for (int c = 0; c < 3; ++c) {
            w->way[4 * v + c] = w->y[4 * v + c] - w->x[4 * v + c];
        }
    }
    w->sheets = (dr_sheets){.vertex_count = COUNT, .edge_count = 3, .edges = w->edges};
    w->apart = (dr_apart){.sheets = &w->sheets,
                          .vertex_count = COUNT,
                          .x = w->x,
                          .y = w->y,
                          .way = w->way,
                          .carried = w->carried,
                          .share = w->share,
                          .lead = w->lead,
                          .leads = w->leads};
    dr_apart_find_leads(&w->apart);
}

START_TEST(pins_that_hang_together_are_a_group)
{
    lead_case w;
    make_case(&w);
    ck_assert_int_eq(w.apart.lead_count, 2);
    const int32_t expected[COUNT] = {0, 0, 0, -1, -1, 1};
    ck_assert_int_eq(memcmp(w.lead, expected, sizeof expected), 0);
}
END_TEST

START_TEST(what_is_carried_turns_along)
{
    lead_case w;
    make_case(&w);
    dr_apart_record record = {.vertex = {0, 1, 3, 4}, .list = DR_APART_EDGES, .gap = 1e-5};
    ck_assert(dr_apart_carry(&w.apart, &record));
    for (int v = 3; v < 5; ++v) {
        float to[3];
        turn(places[v], to);
        ck_assert_int_eq(w.lead[v], 0);
        for (int c = 0; c < 3; ++c) {
            // Without the turn it would be wrong by 50 micrometres.
            ck_assert_float_eq_tol(w.x[4 * v + c] + w.carried[4 * v + c], to[c], 3e-7f);
        }
    }
}
END_TEST

START_TEST(what_is_drawn_two_ways_takes_the_mean)
{
    lead_case w;
    make_case(&w);
    dr_apart_record record = {.vertex = {0, 5, 3, 4}, .list = DR_APART_EDGES, .gap = 1e-5};
    ck_assert(dr_apart_carry(&w.apart, &record));
    for (int c = 0; c < 3; ++c) {
        ck_assert_float_eq_tol(w.carried[4 * 3 + c], 0.5f * w.way[c], 1e-7f);
    }
    ck_assert(!dr_apart_carry(&w.apart, &record));
}
END_TEST

int main(void)
{
    Suite* suite = suite_create("carry");
    TCase* tests = tcase_create("carry");
    tcase_add_test(tests, pins_that_hang_together_are_a_group);
    tcase_add_test(tests, what_is_carried_turns_along);
    tcase_add_test(tests, what_is_drawn_two_ways_takes_the_mean);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
