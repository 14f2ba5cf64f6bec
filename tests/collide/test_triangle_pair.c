// How triangles lie to each other: named cases, then the definition in whole numbers.
#include "../support.h"
#include "collide/triangle_pair.h"
#include "core/random.h"
#include "triangle_reference.h"

typedef struct pair {
    drape_vec3 a[3], b[3];
    int32_t a_ids[3], b_ids[3];
} pair;

static dr_triangle_relation relate(const pair* p)
{
    return dr_triangle_pair(p->a, p->a_ids, p->b, p->b_ids);
}

static bool is_same(dr_triangle_relation x, dr_triangle_relation y)
{
    return x.relation == y.relation && x.coplanar == y.coplanar && x.folded == y.folded &&
           x.shared_count == y.shared_count;
}

// --- Invariance ---

// Order of corners, of triangles and of axes; mirrored or not.
static pair rearrange(const pair* p, int order, bool swap, int turn, bool mirror)
{
    static const int orders[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1},
                                     {1, 0, 2}, {0, 2, 1}, {2, 1, 0}};
    pair q;
    for (int t = 0; t < 2; ++t) {
        const drape_vec3* from = t ? p->b : p->a;
        const int32_t* ids = t ? p->b_ids : p->a_ids;
        const int* corners = orders[t ? order / 6 : order % 6];
        for (int i = 0; i < 3; ++i) {
            drape_vec3 v = from[corners[i]];
            const float x[3] = {mirror ? -v.x : v.x, v.y, v.z};
            drape_vec3 w = {x[turn], x[(turn + 1) % 3], x[(turn + 2) % 3]};
            *((t ^ swap) ? &q.b[i] : &q.a[i]) = w;
            *((t ^ swap) ? &q.b_ids[i] : &q.a_ids[i]) = ids[corners[i]];
        }
    }
    return q;
}

static bool is_the_same_from_all_sides(const pair* p, dr_triangle_relation expected)
{
    for (int order = 0; order < 36; ++order) {
        pair q = rearrange(p, order, order % 2, order % 3, order % 5 < 2);
        pair r = rearrange(p, order, !(order % 2), (order + 1) % 3, order % 5 >= 2);
        if (!is_same(relate(&q), expected) || !is_same(relate(&r), expected)) {
            return false;
        }
    }
    return true;
}

// --- Named cases ---

typedef struct named {
    const char* name;
    int points[6][3]; // a, then b
    int ids[6];
    dr_relation relation;
    bool coplanar, folded;
} named;

#define STRANGERS        \
    {                    \
        0, 1, 2, 3, 4, 5 \
    }
#define VERTEX           \
    {                    \
        0, 1, 2, 0, 4, 5 \
    }
#define EDGE             \
    {                    \
        0, 1, 2, 0, 1, 5 \
    }

static const named cases[] = {
    {"far",
     {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {0, 0, 9}, {4, 0, 9}, {0, 4, 9}},
     STRANGERS,
     DR_TRIANGLES_APART,
     false,
     false},
    {"boxes overlap, a plane between",
     {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {4, 4, -1}, {4, 4, 1}, {4, 3, 0}},
     STRANGERS,
     DR_TRIANGLES_APART,
     false,
     false},
    {"an edge through the inside",
     {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {1, 1, -1}, {1, 1, 1}, {9, 9, 0}},
     STRANGERS,
     DR_TRIANGLES_CROSSING,
     false,
     false},
    {"a corner on the inside",
     {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {1, 1, 0}, {1, 1, 2}, {2, 2, 1}},
     STRANGERS,
     DR_TRIANGLES_TOUCHING,
     false,
     false},
    {"a corner on a corner",
     {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {0, 0, 0}, {-1, 0, 2}, {-1, -2, 1}},
     STRANGERS,
     DR_TRIANGLES_TOUCHING,
     false,
     false},
    {"an edge lies on the inside",
     {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {1, 1, 0}, {2, 1, 0}, {1, 1, 3}},
     STRANGERS,
     DR_TRIANGLES_TOUCHING,
     false,
     false},
    {"edge across edge at one point",
     {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {2, 0, -1}, {2, 0, 1}, {2, -3, 0}},
     STRANGERS,
     DR_TRIANGLES_TOUCHING,
     false,
     false},
    {"edge through edge at both ends of the section",
     {{-2, 0, 0}, {2, 0, -2}, {2, 0, 2}, {0, -2, -1}, {0, 2, -1}, {0, 0, 3}},
     STRANGERS,
     DR_TRIANGLES_CROSSING,
     false,
     false},
    {"same section, edge on edge",
     {{-1, 0, 0}, {1, 0, 0}, {1, 0, 4}, {0, -1, 0}, {0, 1, 0}, {0, 1, 4}},
     STRANGERS,
     DR_TRIANGLES_CROSSING,
     false,
     false},
    {"only half of it",
     {{-1, 0, 0}, {1, 0, 0}, {1, 0, 4}, {0, 0, 0}, {0, 1, 0}, {0, 0, 2}},
     STRANGERS,
     DR_TRIANGLES_TOUCHING,
     false,
     false},
    {"a plane through corner and opposite edge",
     {{0, 0, 0}, {2, 2, 0}, {2, -2, 0}, {0, 0, -1}, {2, 0, -1}, {1, 0, 5}},
     STRANGERS,
     DR_TRIANGLES_CROSSING,
     false,
     false},
    {"in one plane, overlapping",
     {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {1, 1, 0}, {5, 1, 0}, {1, 5, 0}},
     STRANGERS,
     DR_TRIANGLES_TOUCHING,
     true,
     false},
    {"in one plane, one in the other",
     {{0, 0, 0}, {9, 0, 0}, {0, 9, 0}, {1, 1, 0}, {2, 1, 0}, {1, 2, 0}},
     STRANGERS,
     DR_TRIANGLES_TOUCHING,
     true,
     false},
    {"in one plane, along an edge",
     {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {1, 0, 0}, {3, 0, 0}, {1, -2, 0}},
     STRANGERS,
     DR_TRIANGLES_TOUCHING,
     false,
     false},
    {"in one plane, apart",
     {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {3, 3, 0}, {4, 3, 0}, {3, 4, 0}},
     STRANGERS,
     DR_TRIANGLES_APART,
     false,
     false},
    {"coincident, other ids",
     {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {4, 0, 0}, {0, 0, 0}, {0, 4, 0}},
     STRANGERS,
     DR_TRIANGLES_TOUCHING,
     true,
     false},

    {"neighbours at a vertex",
     {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {0, 0, 0}, {-4, 0, 1}, {0, -4, 1}},
     VERTEX,
     DR_TRIANGLES_APART,
     false,
     false},
    {"neighbours at a vertex, crossing",
     {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {0, 0, 0}, {3, 3, -1}, {3, 3, 1}},
     VERTEX,
     DR_TRIANGLES_CROSSING,
     false,
     false},
    {"neighbours at a vertex, far edges meet",
     {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {0, 0, 0}, {2, 2, -1}, {2, 2, 1}},
     VERTEX,
     DR_TRIANGLES_CROSSING,
     false,
     false},
    {"neighbours at a vertex, an edge on the other",
     {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {0, 0, 0}, {1, 1, 0}, {1, 1, 3}},
     VERTEX,
     DR_TRIANGLES_TOUCHING,
     false,
     false},
    {"neighbours at a vertex, through the vertex",
     {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {0, 0, 0}, {-1, -1, -1}, {-1, -1, 1}},
     VERTEX,
     DR_TRIANGLES_APART,
     false,
     false},
    {"neighbours at a vertex in one plane",
     {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {0, 0, 0}, {-1, 0, 0}, {0, -1, 0}},
     VERTEX,
     DR_TRIANGLES_APART,
     false,
     false},
    {"neighbours at a vertex in one plane, along an edge",
     {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {0, 0, 0}, {2, 0, 0}, {2, -1, 0}},
     VERTEX,
     DR_TRIANGLES_TOUCHING,
     false,
     false},
    {"neighbours at a vertex in one plane, overlapping",
     {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {0, 0, 0}, {1, 1, 0}, {2, 1, 0}},
     VERTEX,
     DR_TRIANGLES_TOUCHING,
     true,
     false},
    {"neighbours at a vertex, another pair of corners coincides",
     {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {0, 0, 0}, {4, 0, 0}, {0, 0, 4}},
     VERTEX,
     DR_TRIANGLES_TOUCHING,
     false,
     false},

    {"neighbours at an edge",
     {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {0, 0, 0}, {4, 0, 0}, {0, 3, 1}},
     EDGE,
     DR_TRIANGLES_APART,
     false,
     false},
    {"neighbours at an edge, flat",
     {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {0, 0, 0}, {4, 0, 0}, {0, -3, 0}},
     EDGE,
     DR_TRIANGLES_APART,
     false,
     false},
    {"neighbours at an edge, folded",
     {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {0, 0, 0}, {4, 0, 0}, {9, 1, 0}},
     EDGE,
     DR_TRIANGLES_TOUCHING,
     true,
     true},
    {"twice the same",
     {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {0, 0, 0}, {4, 0, 0}, {0, 4, 0}},
     {0, 1, 2, 0, 1, 2},
     DR_TRIANGLES_TOUCHING,
     true,
     true},

    {"a segment through the inside",
     {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {1, 1, -1}, {1, 1, 1}, {1, 1, 0}},
     STRANGERS,
     DR_TRIANGLES_CROSSING,
     false,
     false},
    {"a segment through an edge",
     {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {2, 0, -1}, {2, 0, 1}, {2, 0, 3}},
     STRANGERS,
     DR_TRIANGLES_TOUCHING,
     false,
     false},
    {"a segment ends on the inside",
     {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {1, 1, 0}, {1, 1, 1}, {1, 1, 3}},
     STRANGERS,
     DR_TRIANGLES_TOUCHING,
     false,
     false},
    {"a segment in the plane",
     {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {-1, 1, 0}, {5, 1, 0}, {1, 1, 0}},
     STRANGERS,
     DR_TRIANGLES_TOUCHING,
     false,
     false},
    {"two segments crosswise",
     {{0, 0, 0}, {4, 0, 0}, {2, 0, 0}, {2, 2, 0}, {2, -2, 0}, {2, 1, 0}},
     STRANGERS,
     DR_TRIANGLES_TOUCHING,
     false,
     false},
    {"two segments one over the other",
     {{0, 0, 0}, {4, 0, 0}, {2, 0, 0}, {2, 2, 1}, {2, -2, 1}, {2, 1, 1}},
     STRANGERS,
     DR_TRIANGLES_APART,
     false,
     false},
    {"a segment through its shared middle corner",
     {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {0, 0, 0}, {1, 1, 1}, {-1, -1, -1}},
     VERTEX,
     DR_TRIANGLES_APART,
     false,
     false},
    {"two segments beyond a shared edge",
     {{0, 0, 0}, {1, 0, 0}, {3, 0, 0}, {0, 0, 0}, {1, 0, 0}, {2, 0, 0}},
     EDGE,
     DR_TRIANGLES_TOUCHING,
     false,
     false},
    {"two segments beyond either end of a shared edge",
     {{0, 0, 0}, {1, 0, 0}, {3, 0, 0}, {0, 0, 0}, {1, 0, 0}, {-2, 0, 0}},
     EDGE,
     DR_TRIANGLES_APART,
     false,
     false},
    {"a point on the inside",
     {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {1, 1, 0}, {1, 1, 0}, {1, 1, 0}},
     STRANGERS,
     DR_TRIANGLES_TOUCHING,
     false,
     false},
    {"a point beside",
     {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {3, 3, 0}, {3, 3, 0}, {3, 3, 0}},
     STRANGERS,
     DR_TRIANGLES_APART,
     false,
     false},
    {"two points in one place",
     {{1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}},
     STRANGERS,
     DR_TRIANGLES_TOUCHING,
     false,
     false},
    {"a collapsed triangle on its neighbour",
     {{0, 0, 0}, {0, 0, 0}, {4, 0, 0}, {0, 0, 0}, {4, 0, 0}, {0, 4, 0}},
     {0, 0, 1, 0, 1, 2},
     DR_TRIANGLES_APART,
     false,
     false},
};

enum { case_count = sizeof cases / sizeof cases[0] };

START_TEST(named_cases_are_as_named)
{
    const named* n = &cases[_i];
    pair p;
    for (int i = 0; i < 6; ++i) {
        const int* x = n->points[i];
        drape_vec3 v = {(float)x[0], (float)x[1], (float)x[2]};
        *(i < 3 ? &p.a[i] : &p.b[i - 3]) = v;
        *(i < 3 ? &p.a_ids[i] : &p.b_ids[i - 3]) = n->ids[i];
    }
    dr_triangle_relation r = relate(&p);
    ck_assert_msg(r.relation == n->relation && r.coplanar == n->coplanar && r.folded == n->folded,
                  "%s: relation %d, coplanar %d, folded %d", n->name, (int)r.relation, r.coplanar,
                  r.folded);
    ck_assert_msg(is_the_same_from_all_sides(&p, r), "%s: not from all sides", n->name);
}
END_TEST

START_TEST(no_ids_share_nothing)
{
    const drape_vec3 t[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    const int32_t ids[3] = {0, 1, 2};
    dr_triangle_relation r = dr_triangle_pair(t, NULL, t, NULL);
    ck_assert(r.shared_count == 0 && r.coplanar && !r.folded);
    r = dr_triangle_pair(t, ids, t, NULL);
    ck_assert(r.shared_count == 0 && r.relation == DR_TRIANGLES_TOUCHING);
}
END_TEST

// --- Chance ---

typedef struct chance {
    uint32_t seed, next;
} chance;

static uint32_t draw(chance* c, uint32_t below)
{
    return dr_random_u32(c->seed, c->next++) % below;
}

typedef enum kind {
    KIND_TINY_GRID, // coordinates 0, 1, 2: nearly everything degenerate
    KIND_GRID,
    KIND_PLANE, // whole points of one slanted plane
    KIND_UNIFORM,
    KIND_NEAR,      // corners of b on a, but for rounding and a unit in the last place
    KIND_SUBNORMAL, // grid of the smallest floats
    KIND_HUGE,      // grid of the largest
    KIND_MIXED,     // each coordinate with an exponent of its own
    kind_count
} kind;

static float draw_coordinate(chance* c, kind k)
{
    float x = dr_random_signed(c->seed, c->next++);
    switch (k) {
    case KIND_TINY_GRID: return (float)draw(c, 3);
    case KIND_GRID:
    case KIND_PLANE: return (float)draw(c, 7) - 3.0f;
    case KIND_SUBNORMAL: return ((float)draw(c, 7) - 3.0f) * 0x1p-149f;
    case KIND_HUGE: return ((float)draw(c, 7) - 3.0f) * 0x1p126f;
    case KIND_MIXED: return ldexpf(x, (int)draw(c, 20) * 14 - 140);
    default: return x;
    }
}

static drape_vec3 draw_point(chance* c, kind k)
{
    drape_vec3 p = {draw_coordinate(c, k), draw_coordinate(c, k), draw_coordinate(c, k)};
    if (k == KIND_PLANE) {
        p.z = 2.0f * p.x - p.y;
    }
    return p;
}

static float nudge(chance* c, float x)
{
    switch (draw(c, 4)) {
    case 0: return nextafterf(x, 2.0f);
    case 1: return nextafterf(x, -2.0f);
    default: return x;
    }
}

// On the triangle of three points, or a little outside, but for rounding.
static drape_vec3 draw_on(chance* c, const drape_vec3* t)
{
    float u = (float)draw(c, 6) / 4.0f, v = draw(c, 2) ? 0.0f : (float)draw(c, 6) / 4.0f,
          w = 1.0f - u - v;
    return (drape_vec3){nudge(c, u * t[0].x + v * t[1].x + w * t[2].x),
                        nudge(c, u * t[0].y + v * t[1].y + w * t[2].y),
                        nudge(c, u * t[0].z + v * t[1].z + w * t[2].z)};
}

// Six points, of which the triangles take any three, shared or not.
static pair draw_pair(chance* c, kind k)
{
    drape_vec3 points[6];
    for (int i = 0; i < 6; ++i) {
        bool is_near = k == KIND_NEAR && i >= 3 && draw(c, 3);
        points[i] = is_near ? draw_on(c, points) : draw_point(c, k);
    }
    pair p;
    uint32_t pool = draw(c, 2) ? 6 : 3 + draw(c, 3);
    for (int i = 0; i < 3; ++i) {
        // Mostly a triangle of the first three, and one that shares some of its corners.
        int32_t own = draw(c, 12) ? i : (int32_t)draw(c, 6);
        int32_t other = pool == 6 && draw(c, 12) ? i + 3 : (int32_t)draw(c, pool);
        p.a[i] = points[own];
        p.b[i] = points[other];
        p.a_ids[i] = own;
        p.b_ids[i] = other;
    }
    return p;
}

START_TEST(relation_is_the_definition)
{
    chance c = {.seed = 700u + (uint32_t)_i};
    whole_workshop shop;
    workshop_open(&shop);
    int wrong = 0, seen[3][4] = {{0}};
    for (int i = 0; i < 15000; ++i) {
        pair p = draw_pair(&c, (kind)_i);
        dr_triangle_relation r = relate(&p);
        dr_triangle_relation s = reference_pair(&shop, p.a, p.a_ids, p.b, p.b_ids);
        wrong += !is_same(r, s);
        ++seen[s.relation][s.shared_count];
    }
    workshop_close(&shop);
    ck_assert_int_eq(wrong, 0);
    // The test sees what it is about.
    for (int i = 0; i < 3; ++i) {
        ck_assert_int_gt(seen[DR_TRIANGLES_APART][i], 0);
        ck_assert(i == 2 || _i == KIND_PLANE || seen[DR_TRIANGLES_CROSSING][i] > 0);
    }
    ck_assert_int_gt(seen[DR_TRIANGLES_TOUCHING][3], 0);
}
END_TEST

START_TEST(relation_is_the_same_from_all_sides)
{
    chance c = {.seed = 800u + (uint32_t)_i};
    int wrong = 0;
    for (int i = 0; i < 1500; ++i) {
        pair p = draw_pair(&c, (kind)_i);
        wrong += !is_the_same_from_all_sides(&p, relate(&p));
    }
    ck_assert_int_eq(wrong, 0);
}
END_TEST

// Another view of crossing: 0 is inside the hull of all differences of corners. It is not when some
// plane through 0 and two of them has all of them on one side, or when they are all in one plane.
static bool crosses_by_differences(const pair* p)
{
    int d[9][3];
    for (int i = 0; i < 9; ++i) {
        drape_vec3 a = p->a[i / 3], b = p->b[i % 3];
        d[i][0] = (int)(a.x - b.x);
        d[i][1] = (int)(a.y - b.y);
        d[i][2] = (int)(a.z - b.z);
    }
    bool is_open = false;
    for (int i = 0; i < 9; ++i) {
        for (int j = 0; j < i; ++j) {
            const int *u = d[i], *v = d[j];
            int n[3] = {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2],
                        u[0] * v[1] - u[1] * v[0]};
            bool above = false, below = false;
            for (int k = 0; k < 9; ++k) {
                int height = n[0] * d[k][0] + n[1] * d[k][1] + n[2] * d[k][2];
                above = above || height > 0;
                below = below || height < 0;
            }
            if (above != below) {
                return false;
            }
            is_open = is_open || above;
        }
    }
    return is_open;
}

START_TEST(crossing_is_no_plane_between)
{
    chance c = {.seed = 900u + (uint32_t)_i};
    int wrong = 0, crossings = 0;
    for (int i = 0; i < 100000; ++i) {
        pair p = draw_pair(&c, (kind)_i);
        bool crosses = crosses_by_differences(&p);
        wrong += crosses != (relate(&p).relation == DR_TRIANGLES_CROSSING);
        crossings += crosses;
    }
    ck_assert_int_eq(wrong, 0);
    ck_assert(_i == KIND_PLANE || crossings > 1000);
}
END_TEST

int main(void)
{
    Suite* suite = suite_create("triangle_pair");
    TCase* tests = tcase_create("triangle_pair");
    tcase_add_loop_test(tests, named_cases_are_as_named, 0, case_count);
    tcase_add_test(tests, no_ids_share_nothing);
    tcase_add_loop_test(tests, relation_is_the_definition, 0, kind_count);
    tcase_add_loop_test(tests, relation_is_the_same_from_all_sides, 0, kind_count);
    tcase_add_loop_test(tests, crossing_is_no_plane_between, 0, KIND_PLANE + 1);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
