// Continuous collision against ground truth, against rational arithmetic, and against itself.
#include <check.h>
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../support.h"
#include "collide/ccd.h"
#include "core/random.h"
#include "exact_ccd.h"

typedef struct dice {
    uint32_t seed, counter;
} dice;

static uint32_t roll(dice* d)
{
    return dr_random_u32(d->seed, d->counter++);
}

// In [-1, 1), all bits in use.
static double roll_signed(dice* d)
{
    double high = roll(d);
    return (high + roll(d) * 0x1p-32) * 0x1p-31 - 1.0;
}

// From -size to size.
static int roll_whole(dice* d, int size)
{
    return (int)(roll(d) % (uint32_t)(2 * size + 1)) - size;
}

static double* coordinate(dr_ccd_motion* motion, int index)
{
    return index < 12 ? &motion->start[index / 3][index % 3]
                      : &motion->end[index / 3 - 4][index % 3];
}

static dr_ccd_result detect(const dr_ccd_motion* motion, bool is_edges, double separation)
{
    return is_edges ? dr_ccd_edge_edge(motion, separation)
                    : dr_ccd_point_triangle(motion, separation);
}

static void print_motion(const dr_ccd_motion* motion, char* text, size_t size)
{
    size_t used = 0;
    for (int i = 0; i < 24 && used < size; ++i) {
        double x = *coordinate((dr_ccd_motion*)(uintptr_t)motion, i);
        used += (size_t)snprintf(text + used, size - used, " %a", x);
    }
}

static void expect(const dr_ccd_motion* motion, bool is_edges, dr_ccd_result wanted)
{
    dr_ccd_result found = detect(motion, is_edges, 0.0);
    if (found.is_hit != wanted.is_hit || found.toi != wanted.toi) {
        char text[1024];
        print_motion(motion, text, sizeof text);
        ck_abort_msg("%s: %d %a, not %d %a:%s", is_edges ? "ee" : "vf", found.is_hit, found.toi,
                     wanted.is_hit, wanted.toi, text);
    }
}

// --- Ground truth ---

typedef struct tally {
    int queries, hits;
} tally;

static void check_line(const char* line, tally* t)
{
    dr_ccd_motion motion;
    char* at = (char*)(uintptr_t)line + 5;
    for (int i = 0; i < 24; ++i) {
        *coordinate(&motion, i) = strtod(at, &at);
    }
    dr_ccd_result wanted = {line[3] == '1', strtod(at, NULL)};
    expect(&motion, line[0] == 'e', wanted);
    ++t->queries;
    t->hits += wanted.is_hit;
}

// Every label and every time to the last bit: no miss, no late time, no false alarm, none early.
START_TEST(benchmark_is_answered_exactly)
{
    const char* folder = DRAPE_SOURCE_DIR "/../shared/data/ccd";
    DIR* directory = opendir(folder);
    tally t = {0};
    for (struct dirent* entry; directory != NULL && (entry = readdir(directory)) != NULL;) {
        char path[1024], line[2048];
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        FILE* file = strstr(path, ".txt") != NULL ? fopen(path, "r") : NULL;
        while (file != NULL && fgets(line, sizeof line, file) != NULL) {
            if (line[0] != '#') {
                check_line(line, &t);
            }
        }
        if (file != NULL) {
            fclose(file);
        }
    }
    if (directory == NULL) {
        printf("no benchmark queries beside the project; nothing compared\n");
        return;
    }
    closedir(directory);
    ck_assert_int_gt(t.hits, 0);
    ck_assert_int_gt(t.queries, t.hits);
}
END_TEST

// --- Against rational arithmetic ---

enum { WAY_COUNT = 12, QUERIES_PER_WAY = 150 };

// Coordinates in many ways: in general position, on grids, flat, at rest, of all sizes.
static double draw(dice* d, int way, int index, const dr_ccd_motion* so_far, int grid)
{
    int axis = index % 3;
    double before = index >= 12 ? so_far->start[index / 3 - 4][axis] : 0.0;
    switch (way) {
    case 0: return roll_signed(d);
    case 1: return roll_whole(d, grid);
    case 2: return axis == 2 ? 0.0 : roll_whole(d, grid);
    case 3: return 0.1 * roll_whole(d, grid) + (roll(d) % 3 == 0 ? 1e-17 * roll_signed(d) : 0.0);
    case 4: return axis == 2 ? 1e-9 * roll_signed(d) : roll_signed(d);
    case 5: return ldexp(roll_signed(d), (int)(roll(d) % 200) - 100);
    case 6: return 1000.0 + (double)(float)roll_signed(d);
    case 7: return index >= 12 && roll(d) % 3 != 0 ? before : roll_whole(d, grid);
    case 8: return index >= 12 ? before + (axis == 1 ? roll_whole(d, 1) : 0) : roll_whole(d, grid);
    case 9: return ldexp(roll_whole(d, grid), -20 * (int)(roll(d) % 3));
    // Everything on one line, and neighbours of whole numbers.
    case 10: return axis == 0 ? roll_whole(d, grid) : 2.0 * so_far->start[0][0] - axis;
    default: return nextafter(grid + 1 + roll_whole(d, grid), roll_signed(d) * 99.0);
    }
}

static dr_ccd_motion draw_motion(dice* d, int way)
{
    dr_ccd_motion motion = {0};
    int grid = 1 + (int)(roll(d) % 4);
    for (int i = 0; i < 24; ++i) {
        *coordinate(&motion, i) = draw(d, way, i, &motion, grid);
    }
    return motion;
}

START_TEST(answers_are_exact)
{
    dice d = {.seed = 17 + (uint32_t)_i};
    for (int i = 0; i < QUERIES_PER_WAY; ++i) {
        dr_ccd_motion motion = draw_motion(&d, _i);
        expect(&motion, false, exact_ccd_point_triangle(&motion));
        expect(&motion, true, exact_ccd_edge_edge(&motion));
    }
}
END_TEST

// A place on the features and a time, all whole or halves; the features are moved so that they meet
// there, then and perhaps before.
START_TEST(planned_contacts_are_found)
{
    dice d = {.seed = 5};
    for (int i = 0; i < 20000; ++i) {
        bool is_edges = i % 2 == 1;
        dr_ccd_motion motion = draw_motion(&d, 1 + (i / 2) % 2);
        // Weights of the second feature's points, with sum 4, zeros and all.
        int a = (int)(roll(&d) % 5), b = (int)(roll(&d) % (uint32_t)(5 - a));
        double weight[4] = {-4, a, b, 4 - a - b};
        if (is_edges) {
            double edge[4] = {-a, a - 4, b, 4 - b};
            memcpy(weight, edge, sizeof weight);
        }
        // Move the first point, or both of the first edge, so that the sum is zero at t = k/4.
        double time = 0.25 * (roll(&d) % 5);
        for (int axis = 0; axis < 3; ++axis) {
            double sum = 0.0;
            for (int p = 0; p < 4; ++p) {
                sum +=
                    weight[p] * ((1.0 - time) * motion.start[p][axis] + time * motion.end[p][axis]);
            }
            for (int p = 0; p < (is_edges ? 2 : 1); ++p) {
                motion.start[p][axis] += sum / 4.0;
                motion.end[p][axis] += sum / 4.0;
            }
        }
        dr_ccd_result found = detect(&motion, is_edges, 0.0);
        ck_assert_msg(found.is_hit && found.toi <= time && found.toi >= 0.0,
                      "query %d: contact at %g, found %d %g", i, time, found.is_hit, found.toi);
    }
}
END_TEST

// --- By hand ---

typedef struct known {
    const char* what;
    bool is_edges;
    dr_ccd_motion motion;
    double toi; // -1: none
} known;

#define TRIANGLE          \
    {0, 0, 0}, {4, 0, 0}, \
    {                     \
        0, 4, 0           \
    }

static const known knowns[] = {
    {"through the middle", false, {{{1, 1, 1}, TRIANGLE}, {{1, 1, -1}, TRIANGLE}}, 0.5},
    {"touches at the end", false, {{{1, 1, 1}, TRIANGLE}, {{1, 1, 0}, TRIANGLE}}, 1.0},
    {"stops before", false, {{{1, 1, 1}, TRIANGLE}, {{1, 1, 0x1p-1074}, TRIANGLE}}, -1.0},
    {"touches at the start", false, {{{1, 1, 0}, TRIANGLE}, {{1, 1, 1}, TRIANGLE}}, 0.0},
    {"at rest on it", false, {{{1, 1, 0}, TRIANGLE}, {{1, 1, 0}, TRIANGLE}}, 0.0},
    {"through a corner", false, {{{4, 0, 1}, TRIANGLE}, {{4, 0, -3}, TRIANGLE}}, 0.25},
    {"through an edge", false, {{{2, 2, 1}, TRIANGLE}, {{2, 2, -1}, TRIANGLE}}, 0.5},
    {"past an edge", false, {{{2, 2.0000000000000004, 1}, TRIANGLE}, {{2, 2, -1}, TRIANGLE}}, -1.0},
    {"in its plane, into an edge", false, {{{-1, 1, 0}, TRIANGLE}, {{3, 1, 0}, TRIANGLE}}, 0.25},
    {"in its plane, past", false, {{{-1, 1, 0}, TRIANGLE}, {{-1, 9, 0}, TRIANGLE}}, -1.0},
    {"in its plane, along an edge", false, {{{-1, 0, 0}, TRIANGLE}, {{7, 0, 0}, TRIANGLE}}, 0.125},
    {"slanting through it", false, {{{-2, 1, 1}, TRIANGLE}, {{2, 1, -1}, TRIANGLE}}, 0.5},
    // The plane z = (t - 1/2) x turns under a point that moves along x: f = (t - 1/2)^2.
    {"touches and turns back",
     false,
     {{{-0.5, 0, 0}, {-4, -4, 2}, {4, -4, -2}, {0, 4, 0}},
      {{0.5, 0, 0}, {-4, -4, -2}, {4, -4, 2}, {0, 4, 0}}},
     0.5},
    {"triangle is a segment",
     false,
     {{{1, 0, 1}, {0, 0, 0}, {2, 0, 0}, {4, 0, 0}}, {{1, 0, -1}, {0, 0, 0}, {2, 0, 0}, {4, 0, 0}}},
     0.5},
    {"triangle is a segment, missed",
     false,
     {{{5, 0, 1}, {0, 0, 0}, {2, 0, 0}, {4, 0, 0}}, {{5, 0, -1}, {0, 0, 0}, {2, 0, 0}, {4, 0, 0}}},
     -1.0},
    {"triangle is a point",
     false,
     {{{1, 1, 3}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}}, {{1, 1, -1}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}}},
     0.5},
    {"triangle opens from a point",
     false,
     {{{1, 1, 0}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}},
      {{1, 1, 0}, {0, 0, -1}, {4, 0, -1}, {0, 4, -1}}},
     0.5},
    {"edges cross",
     true,
     {{{-1, 0, 1}, {1, 0, 1}, {0, -1, 0}, {0, 1, 0}},
      {{-1, 0, -3}, {1, 0, -3}, {0, -1, 0}, {0, 1, 0}}},
     0.25},
    {"edges touch at their ends",
     true,
     {{{0, 0, 1}, {1, 0, 1}, {0, 0, 0}, {0, 1, 0}}, {{0, 0, -1}, {1, 0, -1}, {0, 0, 0}, {0, 1, 0}}},
     0.5},
    {"parallel edges meet",
     true,
     {{{0, 0, 1}, {2, 0, 1}, {1, 0, 0}, {3, 0, 0}}, {{0, 0, -1}, {2, 0, -1}, {1, 0, 0}, {3, 0, 0}}},
     0.5},
    {"parallel edges pass end to end",
     true,
     {{{0, 0, 1}, {2, 0, 1}, {3, 0, 0}, {4, 0, 0}}, {{0, 0, -1}, {2, 0, -1}, {3, 0, 0}, {4, 0, 0}}},
     -1.0},
    {"edges slide on one line",
     true,
     {{{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {3, 0, 0}}, {{4, 0, 0}, {5, 0, 0}, {2, 0, 0}, {3, 0, 0}}},
     0.25},
    {"edges in one plane",
     true,
     {{{0, 0, 0}, {0, 4, 0}, {2, 1, 0}, {5, 1, 0}}, {{8, 0, 0}, {8, 4, 0}, {2, 1, 0}, {5, 1, 0}}},
     0.25},
    {"an edge without length",
     true,
     {{{1, 0, 1}, {1, 0, 1}, {0, 0, 0}, {2, 0, 0}}, {{1, 0, -1}, {1, 0, -1}, {0, 0, 0}, {2, 0, 0}}},
     0.5},
    {"two edges without length",
     true,
     {{{0, 0, 0}, {0, 0, 0}, {1, 1, 1}, {1, 1, 1}}, {{2, 2, 2}, {2, 2, 2}, {1, 1, 1}, {1, 1, 1}}},
     0.5},
    {"two edges without length, apart",
     true,
     {{{0, 0, 0}, {0, 0, 0}, {1, 1, 1}, {1, 1, 1}}, {{2, 2, 2}, {2, 2, 2}, {1, 1, 3}, {1, 1, 3}}},
     -1.0},
};

START_TEST(known_answers)
{
    const known* k = &knowns[_i];
    dr_ccd_result found = detect(&k->motion, k->is_edges, 0.0);
    ck_assert_msg(found.is_hit == (k->toi >= 0.0) && found.toi == k->toi, "%s: %d %g, not %g",
                  k->what, found.is_hit, found.toi, k->toi);
}
END_TEST

// --- What may not matter ---

static dr_ccd_motion permute(const dr_ccd_motion* motion, const int order[4])
{
    dr_ccd_motion out;
    for (int i = 0; i < 4; ++i) {
        memcpy(out.start[i], motion->start[order[i]], sizeof out.start[i]);
        memcpy(out.end[i], motion->end[order[i]], sizeof out.end[i]);
    }
    return out;
}

START_TEST(order_does_not_matter)
{
    static const int orders[2][7][4] = {
        {{0, 2, 3, 1}, {0, 3, 1, 2}, {0, 2, 1, 3}, {0, 1, 3, 2}, {0, 3, 2, 1}, {0, 1, 2, 3}},
        {{1, 0, 2, 3},
         {0, 1, 3, 2},
         {1, 0, 3, 2},
         {2, 3, 0, 1},
         {3, 2, 0, 1},
         {2, 3, 1, 0},
         {3, 2, 1, 0}},
    };
    dice d = {.seed = 300 + (uint32_t)_i};
    for (int i = 0; i < 300; ++i) {
        dr_ccd_motion motion = draw_motion(&d, _i);
        for (int is_edges = 0; is_edges < 2; ++is_edges) {
            dr_ccd_result wanted = detect(&motion, is_edges, 0.0);
            for (int k = 0; k < 6 + is_edges; ++k) {
                dr_ccd_motion other = permute(&motion, orders[is_edges][k]);
                expect(&other, is_edges, wanted);
            }
        }
    }
}
END_TEST

START_TEST(place_size_and_direction_of_time_do_not_matter)
{
    dice d = {.seed = 99};
    for (int i = 0; i < 3000; ++i) {
        dr_ccd_motion motion = draw_motion(&d, 1 + i % 2), moved = motion, back = motion;
        for (int k = 0; k < 24; ++k) {
            *coordinate(&moved, k) = ldexp(*coordinate(&moved, k) + 1e6, 30 * (k % 3) - 100);
        }
        memcpy(back.start, motion.end, sizeof back.start);
        memcpy(back.end, motion.start, sizeof back.end);
        for (int is_edges = 0; is_edges < 2; ++is_edges) {
            dr_ccd_result wanted = detect(&motion, is_edges, 0.0);
            expect(&moved, is_edges, wanted);
            ck_assert_int_eq(detect(&back, is_edges, 0.0).is_hit, wanted.is_hit);
        }
    }
}
END_TEST

// --- The end of the range ---

START_TEST(all_sizes_are_safe)
{
    dice d = {.seed = 7};
    for (int i = 0; i < 120; ++i) {
        dr_ccd_motion motion = draw_motion(&d, 1 + i % 2);
        int spread = i % 30 == 0 ? 2000 : 300;
        for (int k = 0; k < 24; ++k) {
            double* x = coordinate(&motion, k);
            *x = ldexp(*x, (int)(roll(&d) % (uint32_t)spread) - spread / 2);
        }
        for (int is_edges = 0; is_edges < 2; ++is_edges) {
            dr_ccd_result found = detect(&motion, is_edges, 0.0);
            dr_ccd_result wanted =
                is_edges ? exact_ccd_edge_edge(&motion) : exact_ccd_point_triangle(&motion);
            ck_assert(!wanted.is_hit || (found.is_hit && found.toi <= wanted.toi));
        }
    }
}
END_TEST

START_TEST(equal_sizes_are_exact)
{
    dice d = {.seed = 8};
    static const int exponents[] = {-1074, -1040, -700, 700, 1010, 1020};
    for (int i = 0; i < 600; ++i) {
        dr_ccd_motion motion = draw_motion(&d, 1 + i % 2), scaled = motion;
        for (int k = 0; k < 24; ++k) {
            double* x = coordinate(&scaled, k);
            *x = ldexp(*x, exponents[(i + k % 3) % 6]);
        }
        expect(&scaled, false, detect(&motion, false, 0.0));
        expect(&scaled, true, detect(&motion, true, 0.0));
    }
}
END_TEST

START_TEST(what_is_not_finite_is_contact_at_once)
{
    static const double bad[] = {INFINITY, -INFINITY, NAN};
    for (int k = 0; k < 24 * 3; ++k) {
        dr_ccd_motion motion = {{{9, 9, 9}, TRIANGLE}, {{9, 9, 9}, TRIANGLE}};
        *coordinate(&motion, k / 3) = bad[k % 3];
        dr_ccd_result found = detect(&motion, k % 2 == 0, k % 5 == 0 ? 0.1 : 0.0);
        ck_assert(found.is_hit && found.toi == 0.0);
    }
}
END_TEST

// --- Separation ---

static double dot(const double* a, const double* b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const double* a, const double* b, double* out)
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static void between(const double* a, const double* b, double t, double* out)
{
    for (int k = 0; k < 3; ++k) {
        out[k] = (1.0 - t) * a[k] + t * b[k];
    }
}

static double point_point(const double* a, const double* b)
{
    double d[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
    return sqrt(dot(d, d));
}

static double point_segment(const double* p, const double* a, const double* b)
{
    double d[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
    double e[3] = {p[0] - a[0], p[1] - a[1], p[2] - a[2]}, nearest[3];
    double x = dot(d, d) > 0.0 ? fmin(fmax(dot(d, e) / dot(d, d), 0.0), 1.0) : 0.0;
    between(a, b, x, nearest);
    return point_point(p, nearest);
}

// By the golden section over the points of one edge: the distance to the other is convex.
static double segment_segment(double (*p)[3])
{
    double low = 0.0, high = 1.0, at[3];
    for (int k = 0; k < 80; ++k) {
        double x = low + 0.382 * (high - low), y = low + 0.618 * (high - low);
        between(p[0], p[1], x, at);
        double at_x = point_segment(at, p[2], p[3]);
        between(p[0], p[1], y, at);
        double at_y = point_segment(at, p[2], p[3]);
        high = at_x < at_y ? y : high;
        low = at_x < at_y ? low : x;
    }
    between(p[0], p[1], low, at);
    return point_segment(at, p[2], p[3]);
}

// Above the inside of the triangle the distance to its plane, else that to an edge.
static double point_triangle(double (*p)[3])
{
    double n[3], side[3], ab[3], ac[3], least = INFINITY;
    for (int k = 0; k < 3; ++k) {
        ab[k] = p[2][k] - p[1][k];
        ac[k] = p[3][k] - p[1][k];
    }
    cross(ab, ac, n);
    bool is_inside = dot(n, n) > 0.0;
    for (int i = 0; i < 3; ++i) {
        const double *a = p[1 + i], *b = p[1 + (i + 1) % 3];
        double edge[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
        double to[3] = {p[0][0] - a[0], p[0][1] - a[1], p[0][2] - a[2]};
        cross(edge, to, side);
        is_inside = is_inside && dot(side, n) >= 0.0;
        least = fmin(least, point_segment(p[0], a, b));
    }
    double to[3] = {p[0][0] - p[1][0], p[0][1] - p[1][1], p[0][2] - p[1][2]};
    return is_inside ? fabs(dot(to, n)) / sqrt(dot(n, n)) : least;
}

static double distance_at(const dr_ccd_motion* motion, bool is_edges, double t)
{
    double p[4][3];
    for (int i = 0; i < 4; ++i) {
        between(motion->start[i], motion->end[i], t, p[i]);
    }
    return is_edges ? segment_segment(p) : point_triangle(p);
}

// Never late, and when there is contact the distance at that time is not much above what was asked.
static double check_separation(const dr_ccd_motion* motion, bool is_edges, double s)
{
    dr_ccd_result found = detect(motion, is_edges, s);
    double until = found.is_hit ? found.toi : 1.0;
    for (int k = 0; k <= 50 && until > 0.0; ++k) {
        double t = until * k / 50.0;
        double distance = distance_at(motion, is_edges, t);
        ck_assert_msg(distance > s * (1.0 - 1e-9) - 1e-9, "distance %.17g at %g, answer %d %.17g",
                      distance, t, found.is_hit, found.toi);
    }
    return found.is_hit ? distance_at(motion, is_edges, until) - s : -s;
}

START_TEST(separation_is_kept_and_not_overdone)
{
    dice d = {.seed = 400 + (uint32_t)_i};
    int far_count = 0, hit_count = 0;
    for (int i = 0; i < 1500; ++i) {
        dr_ccd_motion motion = draw_motion(&d, _i);
        double s = ldexp(1.0, -(int)(roll(&d) % 16));
        bool is_edges = i % 2 == 1;
        double above = check_separation(&motion, is_edges, s);
        far_count += above > 1e-10;
        hit_count += detect(&motion, is_edges, s).is_hit;
    }
    ck_assert_int_gt(hit_count, 0);
    ck_assert_msg(far_count == 0, "%d of %d contacts are too far apart", far_count, hit_count);
}
END_TEST

START_TEST(separation_grows_to_contact)
{
    // Head on, from 1 to -1: the distance is s when t = (1 - s) / 2.
    dr_ccd_motion motion = {{{1, 1, 1}, TRIANGLE}, {{1, 1, -1}, TRIANGLE}};
    for (double s = 0.5; s > 1e-9; s *= 0.25) {
        dr_ccd_result found = detect(&motion, false, s);
        double wanted = 0.5 - 0.5 * s;
        ck_assert(found.is_hit && found.toi <= wanted && found.toi > wanted - 1e-11);
    }
    ck_assert(detect(&motion, false, 1.5).toi == 0.0);
}
END_TEST

// Turning around each other at a small distance is no contact.
START_TEST(turning_does_not_wake_the_separation)
{
    dice d = {.seed = 11};
    for (int i = 0; i < 500; ++i) {
        double x = roll_signed(&d), y = roll_signed(&d), s = 0.01, gap = 1.02 * s;
        dr_ccd_motion turn = {{{0, 0, gap}, {-1, -1, -x}, {1, -1, x}, {0, 1, 0}},
                              {{0, 0, gap}, {-1, -1, y}, {1, -1, -y}, {0, 1, 0}}};
        bool is_near = false;
        for (int k = 0; k <= 1000; ++k) {
            is_near = is_near || distance_at(&turn, false, k * 1e-3) <= 1.001 * s;
        }
        ck_assert(is_near || !detect(&turn, false, s).is_hit);
    }
}
END_TEST

int main(void)
{
    Suite* suite = suite_create("ccd");
    TCase* tests = tcase_create("contact");
    tcase_add_test(tests, benchmark_is_answered_exactly);
    tcase_add_loop_test(tests, answers_are_exact, 0, WAY_COUNT);
    tcase_add_test(tests, planned_contacts_are_found);
    tcase_add_loop_test(tests, known_answers, 0, sizeof knowns / sizeof knowns[0]);
    tcase_add_loop_test(tests, order_does_not_matter, 0, WAY_COUNT);
    tcase_add_test(tests, place_size_and_direction_of_time_do_not_matter);
    tcase_add_test(tests, all_sizes_are_safe);
    tcase_add_test(tests, equal_sizes_are_exact);
    tcase_add_test(tests, what_is_not_finite_is_contact_at_once);
    suite_add_tcase(suite, tests);
    TCase* apart = tcase_create("separation");
    static const int ways[] = {0, 1, 4, 7, 9};
    for (size_t k = 0; k < sizeof ways / sizeof ways[0]; ++k) {
        tcase_add_loop_test(apart, separation_is_kept_and_not_overdone, ways[k], ways[k] + 1);
    }
    tcase_add_test(apart, separation_grows_to_contact);
    tcase_add_test(apart, turning_does_not_wake_the_separation);
    suite_add_tcase(suite, apart);
    return run_suite(suite);
}
