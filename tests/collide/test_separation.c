// Separating directions: never more gap than there is, and nearly all of it, down to the smallest
// gaps that floats can leave.
#include "collide/separation.h"

#include <stdlib.h>
#include <string.h>

#include "closest_test.h"
#include "collide_test.h"

static dr_separation separate(bool is_edges, const drape_vec3 v[4])
{
    return is_edges ? dr_separate_edges(v) : dr_separate_point_triangle(v);
}

static double gap_along(bool is_edges, const double normal[3], const drape_vec3 v[4])
{
    return is_edges ? dr_gap_edges(normal, v) : dr_gap_point_triangle(normal, v);
}

// Along the normal, relative to the middle.
static double height(const dr_separation* s, drape_vec3 x)
{
    return s->normal[0] * (x.x - s->middle[0]) + s->normal[1] * (x.y - s->middle[1]) +
           s->normal[2] * (x.z - s->middle[2]);
}

static void check_form(bool is_edges, const drape_vec3 v[4], const dr_separation* s, double size)
{
    const double *n = s->normal, *w = s->weight;
    int split = is_edges ? 2 : 1;
    double sums[2] = {0.0, 0.0}, reach = size;
    for (int i = 0; i < 4; ++i) {
        EXPECT(w[i] >= 0.0 && w[i] <= 1.0, "weight %d is %g", i, w[i]);
        sums[i >= split] += w[i];
        reach = fmax(reach, dr_length_double(v[i]));
    }
    EXPECT(fabs(sums[0] - 1.0) < 1e-15 && fabs(sums[1] - 1.0) < 1e-15,
           "weights have sum %.17g, %.17g", sums[0], sums[1]);
    double squared = n[0] * n[0] + n[1] * n[1] + n[2] * n[2];
    EXPECT(fabs(squared - 1.0) < 2e-15, "the normal has a square of %.17g", squared);
    EXPECT(gap_along(is_edges, n, v) == s->gap, "the gap is not that along the normal");
    // Each side is beyond half the gap. The middle is rounded at the size of the coordinates.
    for (int i = 0; i < 4 && s->gap > 0.0; ++i) {
        double side = i < split ? height(s, v[i]) : -height(s, v[i]);
        EXPECT(side >= 0.5 * s->gap - 2e-15 * reach, "vertex %d at %g of %g", i, side, s->gap);
    }
}

// The claims of separation.h against a distance that is true to `doubt`.
static void check_gap(bool is_edges, const drape_vec3 v[4], double true_distance, double doubt)
{
    dr_separation s = separate(is_edges, v);
    double size = pair_size(v);
    if (!(size > 0.0)) {
        EXPECT(s.kind == DR_DIRECTION_NONE && s.gap <= 0.0, "one point has a gap of %g", s.gap);
        return;
    }
    check_form(is_edges, v, &s, size);
    EXPECT(fabs(s.distance - true_distance) <= 1e-14 * size, "distance %.17g, not %.17g",
           s.distance, true_distance);
    EXPECT(s.gap <= true_distance + doubt, "gap %.17g, distance %.17g", s.gap, true_distance);
    double least = (1.0 - 1e-6) * true_distance - 1e-14 * size;
    EXPECT(least <= 0.0 || s.gap >= least, "gap %.17g, distance %.17g, size %g, kind %d", s.gap,
           true_distance, size, (int)s.kind);
}

START_TEST(all_shapes)
{
    bool is_edges = _i != 0;
    for (int shape = 0; shape < PAIR_SHAPE_COUNT; ++shape) {
        for (uint32_t k = 0; k < 20000; ++k) {
            drape_vec3 v[4];
            make_pair((pair_shape)shape, k, v);
            // Long double is not exact: what it may be wrong by.
            double doubt = 1e-18 * pair_size(v);
            check_gap(is_edges, v, (double)reference_distance(is_edges, v), doubt);
        }
    }
}
END_TEST

// --- Gaps that are known exactly ---

typedef struct whole3 {
    int64_t x, y, z;
} whole3;

// a + s b
static whole3 whole_add(whole3 a, int64_t s, whole3 b)
{
    return (whole3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

static wide3 widened(whole3 a)
{
    return (wide3){(wide)a.x, (wide)a.y, (wide)a.z};
}

// Whole numbers below 2^24 become floats exactly.
static drape_vec3 placed(whole3 a, float scale)
{
    return (drape_vec3){scale * (float)a.x, scale * (float)a.y, scale * (float)a.z};
}

static int64_t largest(whole3 a)
{
    int64_t x = llabs(a.x), y = llabs(a.y), z = llabs(a.z);
    return x > y ? (x > z ? x : z) : (y > z ? y : z);
}

// Three vectors e, f, w of whole numbers, of about `limit`, whose determinant is 1: adding a
// multiple of one row to another does not change it. So w is 1/|e x f| above the plane of e and f.
static void make_basis(uint32_t seed, int64_t limit, int axis_count, whole3 v[3])
{
    v[0] = (whole3){1, 0, 0}, v[1] = (whole3){0, 1, 0}, v[2] = (whole3){0, 0, 1};
    for (uint32_t k = 0; k < 1000; ++k) {
        uint32_t to = dr_random_u32(seed, 3 * k) % (uint32_t)axis_count;
        uint32_t by = 1 + dr_random_u32(seed, 3 * k + 1) % (uint32_t)(axis_count - 1);
        uint32_t from = (to + by) % (uint32_t)axis_count;
        int64_t factor = (int64_t)(dr_random_u32(seed, 3 * k + 2) % 7) - 3;
        whole3 next[3];
        for (int i = 0; i < 3; ++i) {
            int64_t row[3] = {v[i].x, v[i].y, v[i].z};
            row[to] += factor * row[from];
            next[i] = (whole3){row[0], row[1], row[2]};
        }
        if (largest(next[0]) > limit || largest(next[1]) > limit || largest(next[2]) > limit) {
            break;
        }
        memcpy(v, next, sizeof next);
    }
}

// Moves w by whole e and f so that its foot lies in their parallelogram, at s and t.
static whole3 bring_home(whole3 e, whole3 f, whole3 w, wide* s, wide* t)
{
    wide3 n = wide_cross(widened(e), widened(f));
    wide squared = wide_dot(n, n);
    *s = wide_dot(wide_cross(widened(w), widened(f)), n) / squared;
    *t = wide_dot(wide_cross(widened(e), widened(w)), n) / squared;
    w = whole_add(whole_add(w, -(int64_t)floorl(*s), e), -(int64_t)floorl(*t), f);
    *s -= floorl(*s);
    *t -= floorl(*t);
    return w;
}

// The closest points are inside the features, and the gap is down to 1e-13 of their size.
START_TEST(tiny_gaps_over_faces)
{
    bool is_edges = _i != 0;
    double least = 1.0;
    for (uint32_t k = 0; k < 20000; ++k) {
        whole3 basis[3], o = {(int64_t)k, 1000 - (int64_t)k % 2000, 77};
        make_basis(k, 1 << (4 + k % 11), 3, basis);
        wide s, t;
        whole3 e = basis[0], f = basis[1], w = bring_home(e, f, basis[2], &s, &t);
        if (s < 1e-6L || t < 1e-6L || s > 0.999999L || t > 0.999999L) {
            continue;
        }
        if (!is_edges && s + t > 1.0L) {
            w = whole_add(whole_add(e, 1, f), -1, w);
        }
        const whole3 faced[4] = {whole_add(o, 1, w), o, whole_add(o, 1, e), whole_add(o, 1, f)};
        const whole3 crossed[4] = {o, whole_add(o, 1, e), whole_add(o, 1, w),
                                   whole_add(whole_add(o, 1, w), -1, f)};
        float scale = 0x1p-14f;
        drape_vec3 v[4];
        for (int i = 0; i < 4; ++i) {
            v[i] = placed(is_edges ? crossed[i] : faced[i], scale);
        }
        wide length = wide_length(wide_cross(widened(e), widened(f)));
        double gap = (double)(scale / length), size = pair_size(v);
        check_gap(is_edges, v, gap, 0x1p-52 * gap);
        least = gap > 1e-14 * size ? fmin(least, gap / size) : least;
    }
    ck_assert_double_lt(least, 2e-12);
}
END_TEST

// Turns and makes three times as long: rows at right angles.
static whole3 turned(whole3 a)
{
    return (whole3){a.x + 2 * a.y + 2 * a.z, 2 * a.x + a.y - 2 * a.z, 2 * a.x - 2 * a.y + a.z};
}

// A vertex beside an edge, and all else on the other side.
START_TEST(tiny_gaps_beside_edges)
{
    bool is_edges = _i != 0;
    double least = 1.0;
    for (uint32_t k = 0; k < 20000; ++k) {
        whole3 basis[3], o = {0, 0, 0};
        make_basis(k, 1 << (4 + k % 16), 2, basis);
        whole3 e = basis[0], w = basis[1], side = {-e.y, e.x, 0};
        wide squared = wide_dot(widened(e), widened(e));
        wide along = wide_dot(widened(w), widened(e)) / squared;
        w = whole_add(w, -(int64_t)floorl(along), e);
        along -= floorl(along);
        if (along < 1e-6L || along > 0.999999L) {
            continue;
        }
        // On the far side of the edge for the triangle, on the near one for the other edge.
        int64_t up = (int64_t)(k % 5) - 2;
        whole3 far = {-side.x + e.x / 2, -side.y + e.y / 2, up * largest(e) / 2};
        whole3 near = {w.x + side.x, w.y + side.y, up * largest(e) / 2};
        float scale = 0x1p-20f;
        drape_vec3 v[4];
        const whole3 faced[4] = {w, far, e, o}, crossed[4] = {w, near, o, e};
        for (int i = 0; i < 4; ++i) {
            v[i] = placed(turned(is_edges ? crossed[i] : faced[i]), scale);
        }
        double gap = (double)(3.0L * scale / sqrtl(squared)), size = pair_size(v);
        check_gap(is_edges, v, gap, 0x1p-52 * gap);
        least = gap > 1e-14 * size ? fmin(least, gap / size) : least;
    }
    ck_assert_double_lt(least, 2e-12);
}
END_TEST

// Neighbouring floats: a gap of one unit in the last place between two vertices.
START_TEST(tiny_gaps_between_points)
{
    bool is_edges = _i != 0;
    for (uint32_t k = 0; k < 20000; ++k) {
        drape_vec3 a = pair_vec(5, 4 * k, 1.0f), b = a, way[2];
        float* at[3] = {&b.x, &b.y, &b.z};
        *at[k % 3] = nextafterf(*at[k % 3], 2.0f);
        *at[k / 3 % 3] = nextafterf(*at[k / 3 % 3], -2.0f);
        drape_vec3 across = dr_sub(b, a);
        for (uint32_t i = 0; i < 2; ++i) {
            way[i] = pair_vec(5, 4 * k + 1 + i, 0.1f);
            way[i] = dr_dot(way[i], across) < 0.0f ? dr_scale(way[i], -1.0f) : way[i];
        }
        drape_vec3 end = dr_sub(a, way[0]);
        const drape_vec3 faced[4] = {a, b, dr_add(b, way[0]), dr_add(b, way[1])};
        const drape_vec3 crossed[4] = {a, end, b, dr_add(b, way[1])};
        const drape_vec3* v = is_edges ? crossed : faced;
        double doubt = 1e-18 * pair_size(v);
        check_gap(is_edges, v, (double)reference_distance(is_edges, v), doubt);
    }
}
END_TEST

// --- Nothing to separate ---

START_TEST(what_touches_has_no_gap)
{
    // A point in the triangle, on its edge, at its corner; edges that cross and that share a part.
    const drape_vec3 touching[][4] = {
        {{1, 1, 0}, {0, 0, 0}, {4, 0, 0}, {0, 4, 0}},
        {{2, 0, 0}, {0, 0, 0}, {4, 0, 0}, {0, 4, 0}},
        {{0, 4, 0}, {0, 0, 0}, {4, 0, 0}, {0, 4, 0}},
        {{3, 3, 3}, {0, 0, 0}, {5, 5, 5}, {8, 8, 8}},
        {{0, 0, 0}, {4, 0, 0}, {1, 1, 1}, {1, -1, -1}},
        {{0, 0, 0}, {4, 4, 4}, {1, 1, 1}, {9, 9, 9}},
        {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}},
    };
    for (int k = 0; k < 7; ++k) {
        dr_separation s = separate(k >= 4, touching[k]);
        ck_assert_double_le(s.gap, 0.0);
        ck_assert_double_eq(s.distance, 0.0);
    }
}
END_TEST

START_TEST(kinds_of_normals)
{
    drape_vec3 v[4] = {{1, 1, 2}, {0, 0, 0}, {4, 0, 0}, {0, 4, 0}};
    dr_separation s = dr_separate_point_triangle(v);
    ck_assert_int_eq(s.kind, DR_DIRECTION_FACE);
    ck_assert_double_eq(s.normal[2], 1.0);
    ck_assert_double_eq_tol(s.gap, 2.0, 1e-14);
    ck_assert_double_eq(s.middle[2], 1.0);
    v[0] = (drape_vec3){2, -3, 0};
    s = dr_separate_point_triangle(v);
    ck_assert_int_eq(s.kind, DR_DIRECTION_EDGE);
    ck_assert_double_eq(s.normal[1], -1.0);
    v[0] = (drape_vec3){-3, -4, 0};
    s = dr_separate_point_triangle(v);
    ck_assert_int_eq(s.kind, DR_DIRECTION_POINT);
    ck_assert_double_eq_tol(s.gap, 5.0, 1e-14);
    // The first edge above the second, and beside its end.
    const drape_vec3 over[4] = {{-1, 0, 1}, {1, 0, 1}, {0, -1, 0}, {0, 1, 0}};
    s = dr_separate_edges(over);
    ck_assert_int_eq(s.kind, DR_DIRECTION_FACE);
    ck_assert_double_eq(s.normal[2], 1.0);
    const drape_vec3 beside[4] = {{3, -1, 0}, {3, 5, 0}, {0, 1, 0}, {2, 1, 0}};
    s = dr_separate_edges(beside);
    ck_assert_int_eq(s.kind, DR_DIRECTION_EDGE);
    ck_assert_double_eq(s.normal[0], 1.0);
}
END_TEST

int main(void)
{
    Suite* suite = suite_create("separation");
    TCase* tests = tcase_create("separation");
    tcase_add_loop_test(tests, all_shapes, 0, 2);
    tcase_add_loop_test(tests, tiny_gaps_over_faces, 0, 2);
    tcase_add_loop_test(tests, tiny_gaps_beside_edges, 0, 2);
    tcase_add_loop_test(tests, tiny_gaps_between_points, 0, 2);
    tcase_add_test(tests, what_touches_has_no_gap);
    tcase_add_test(tests, kinds_of_normals);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
