// Certificates of pairs on their way, against exact continuous collision: what is certified never
// touches, and of what does not touch nearly all is certified.
#include "../support.h"

#include <string.h>

#include "collide/ccd.h"
#include "contact/apart.h"
#include "core/random.h"

typedef struct pair_way {
    float x[16], y[16]; // four floats per vertex
    dr_apart apart;
    dr_apart_record record;
} pair_way;

// Four points in a cube of 10 cm, moved by up to `speed` each; on top, both sides turn by a common
// angle about z, which no single normal outlives.
static bool make_way(pair_way* w, dr_apart_kind kind, uint32_t seed, float speed, float angle)
{
    *w = (pair_way){.apart = {.floor = 4e-6f}};
    w->apart.x = w->x;
    w->apart.y = w->y;
    drape_vec3 v[4];
    float c = cosf(angle), s = sinf(angle);
    for (int i = 0; i < 4; ++i) {
        for (int k = 0; k < 3; ++k) {
            w->x[4 * i + k] = 0.05f * dr_random_signed(seed, (uint32_t)(8 * i + k));
            w->y[4 * i + k] =
                w->x[4 * i + k] + speed * dr_random_signed(seed, (uint32_t)(100 + 8 * i + k));
        }
        float a = w->y[4 * i], b = w->y[4 * i + 1];
        w->y[4 * i] = c * a - s * b;
        w->y[4 * i + 1] = s * a + c * b;
        memcpy(&v[i], w->x + 4 * i, sizeof v[i]);
        w->record.vertex[i] = i;
    }
    dr_separation at =
        kind == DR_APART_POINT ? dr_separate_point_triangle(v) : dr_separate_edges(v);
    w->record.list = (int32_t)kind;
    memcpy(w->record.normal, at.normal, sizeof at.normal);
    w->record.gap = at.gap;
    w->record.needed = 1e-9;
    return at.gap > 1e-6;
}

static bool touches(const pair_way* w, dr_apart_kind kind)
{
    dr_ccd_motion motion;
    for (int i = 0; i < 4; ++i) {
        for (int k = 0; k < 3; ++k) {
            motion.start[i][k] = (double)w->x[4 * i + k];
            motion.end[i][k] = (double)w->y[4 * i + k];
        }
    }
    return kind == DR_APART_POINT ? dr_ccd_point_triangle(&motion, 0.0).is_hit
                                  : dr_ccd_edge_edge(&motion, 0.0).is_hit;
}

START_TEST(what_is_certified_never_touches)
{
    dr_apart_kind kind = (dr_apart_kind)_i;
    int certified = 0, apart = 0, hits = 0, by_one = 0;
    for (uint32_t seed = 0; seed < 40000; ++seed) {
        float speed = 0.002f * (float)(1 << seed % 6), angle = 0.1f * (float)(seed % 7);
        pair_way w;
        if (!make_way(&w, kind, seed, speed, angle)) {
            continue;
        }
        bool is_certified = dr_apart_certify(&w.apart, &w.record), hit = touches(&w, kind);
        ck_assert_msg(!(is_certified && hit), "seed %u", seed);
        certified += is_certified;
        by_one += is_certified && memcmp(w.record.push, w.record.normal, sizeof w.record.push) == 0;
        apart += !hit;
        hits += hit;
    }
    ck_assert_int_gt(hits, 500);
    ck_assert_int_ge(certified, apart - apart / 200);
    // Many need more than one normal.
    ck_assert_int_lt(by_one, certified - apart / 50);
}
END_TEST

// Two edges that turn together about one of them, 40 mm long and 1 mm apart, or 10 micrometres: no
// number of normals would do for these.
START_TEST(what_turns_together_is_certified)
{
    float gap = _i ? 1e-5f : 1e-3f;
    for (int degrees = 5; degrees <= 60; degrees += 5) {
        float c = cosf((float)degrees * 0.0174533f), s = sinf((float)degrees * 0.0174533f);
        pair_way w = {.apart = {.floor = 4e-6f}};
        w.apart.x = w.x;
        w.apart.y = w.y;
        const float places[4][3] = {
            {-0.02f, 0.0f, 0.0f}, {0.02f, 0.0f, 0.0f}, {0.0f, -0.02f, gap}, {0.0f, 0.02f, gap}};
        drape_vec3 v[4];
        for (int i = 0; i < 4; ++i) {
            memcpy(w.x + 4 * i, places[i], sizeof places[i]);
            memcpy(&v[i], places[i], sizeof v[i]);
            w.y[4 * i] = places[i][0];
            w.y[4 * i + 1] = c * places[i][1] - s * places[i][2];
            w.y[4 * i + 2] = s * places[i][1] + c * places[i][2];
            w.record.vertex[i] = i;
        }
        dr_separation at = dr_separate_edges(v);
        w.record.list = DR_APART_EDGES;
        memcpy(w.record.normal, at.normal, sizeof at.normal);
        w.record.gap = at.gap;
        w.record.needed = 0.5 * at.gap;
        ck_assert_msg(dr_apart_certify(&w.apart, &w.record), "%d degrees", degrees);
    }
}
END_TEST

int main(void)
{
    Suite* suite = suite_create("certify");
    TCase* tests = tcase_create("certify");
    tcase_add_loop_test(tests, what_is_certified_never_touches, 0, 2);
    tcase_add_loop_test(tests, what_turns_together_is_certified, 0, 2);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
