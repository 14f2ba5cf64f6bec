// The search of the checker against all pairs, one by one.
#include "check/crossings.h"

#include <math.h>
#include <string.h>

#include "../support.h"
#include "check/columns.h"
#include "collide/triangle_pair.h"
#include "core/random.h"

enum { MESHES_MAX = 4, SIDE = 24 };

// Meshes to be searched; their arrays are their own.
typedef struct test_case {
    dr_check_mesh meshes[MESHES_MAX];
    int mesh_count;
} test_case;

static dr_memory memory;

static void setup(void)
{
    dr_memory_init(&memory, NULL);
}

static void teardown(void)
{
    ck_assert_uint_eq(memory.live_bytes, 0);
}

// --- Meshes ---

static drape_vec3* points_of(dr_check_mesh* mesh)
{
    return (drape_vec3*)mesh->positions;
}

static int32_t* corners_of(dr_check_mesh* mesh)
{
    return (int32_t*)mesh->triangles;
}

static dr_check_mesh* add_mesh(test_case* test, int vertex_count, int triangle_count)
{
    dr_check_mesh* mesh = &test->meshes[test->mesh_count++];
    mesh->positions = calloc((size_t)vertex_count, sizeof(drape_vec3));
    mesh->triangles = calloc((size_t)triangle_count, 3 * sizeof(int32_t));
    mesh->vertex_count = vertex_count;
    mesh->triangle_count = triangle_count;
    return mesh;
}

static void free_case(test_case* test)
{
    for (int m = 0; m < test->mesh_count; ++m) {
        free(points_of(&test->meshes[m]));
        free(corners_of(&test->meshes[m]));
    }
}

static drape_vec3 random_point(uint32_t seed, uint32_t index)
{
    return (drape_vec3){dr_random_signed(seed, 3 * index), dr_random_signed(seed, 3 * index + 1),
                        dr_random_signed(seed, 3 * index + 2)};
}

// Triangles of `size` in a cube, none with its neighbour's vertices.
static dr_check_mesh* add_soup(test_case* test, uint32_t seed, int count, float size)
{
    dr_check_mesh* mesh = add_mesh(test, 3 * count, count);
    for (int v = 0; v < 3 * count; ++v) {
        drape_vec3 middle = random_point(seed, (uint32_t)v / 3);
        drape_vec3 offset = random_point(seed + 1, (uint32_t)v);
        points_of(mesh)[v] = (drape_vec3){middle.x + size * offset.x, middle.y + size * offset.y,
                                          middle.z + size * offset.z};
        corners_of(mesh)[v] = v;
    }
    return mesh;
}

// Triangles over the points of a small lattice: shared and coincident vertices, common planes,
// folds and triangles without area, all in plenty.
static dr_check_mesh* add_lattice(test_case* test, uint32_t seed, int count)
{
    enum { VERTICES = 150 };
    dr_check_mesh* mesh = add_mesh(test, VERTICES, count);
    for (int v = 0; v < VERTICES; ++v) {
        uint32_t number = dr_random_u32(seed, (uint32_t)v);
        points_of(mesh)[v] =
            (drape_vec3){(float)(number % 5), (float)(number / 5 % 4), (float)(number / 20 % 3)};
    }
    for (int k = 0; k < 3 * count; ++k) {
        corners_of(mesh)[k] = (int32_t)(dr_random_u32(seed + 1, (uint32_t)k) % VERTICES);
    }
    return mesh;
}

static dr_check_mesh* add_sheet(test_case* test, int side)
{
    dr_check_mesh* mesh = add_mesh(test, (side + 1) * (side + 1), 2 * side * side);
    int32_t* corner = corners_of(mesh);
    for (int v = 0; v < mesh->vertex_count; ++v) {
        points_of(mesh)[v] = (drape_vec3){(float)(v % (side + 1)), 0.0f, (float)(v / (side + 1))};
    }
    for (int k = 0; k < side * side; ++k) {
        int32_t a = k % side + k / side * (side + 1), b = a + 1, c = a + side + 1, d = c + 1;
        const int32_t cell[6] = {a, b, c, b, d, c};
        memcpy(corner, cell, sizeof cell);
        corner += 6;
    }
    return mesh;
}

// Waves that fold over and cross.
static void crumple(dr_check_mesh* mesh, uint32_t seed, float scale)
{
    for (int v = 0; v < mesh->vertex_count; ++v) {
        drape_vec3 p = points_of(mesh)[v];
        float at[3] = {p.x, p.y, p.z};
        for (uint32_t wave = 0; wave < 6; ++wave) {
            drape_vec3 k = random_point(seed, 2 * wave), push = random_point(seed, 2 * wave + 1);
            float phase = 2.5f * (k.x * p.x + k.y * p.y + k.z * p.z);
            at[0] += scale * push.x * sinf(phase);
            at[1] += scale * push.y * sinf(phase + 1.0f);
            at[2] += scale * push.z * sinf(phase + 2.0f);
        }
        points_of(mesh)[v] = (drape_vec3){at[0], at[1], at[2]};
    }
}

static void lift(dr_check_mesh* mesh, float height)
{
    for (int v = 0; v < mesh->vertex_count; ++v) {
        points_of(mesh)[v].y += height;
    }
}

// --- Cases ---

static void make_soup(test_case* test)
{
    add_soup(test, 1, 700, 0.1f);
}

static void make_mixed_soup(test_case* test)
{
    add_soup(test, 3, 300, 0.02f);
    add_soup(test, 5, 40, 1.0f);
    add_soup(test, 7, 200, 0.1f)->is_obstacle = true;
}

static void make_lattice(test_case* test)
{
    add_lattice(test, 11, 250);
    add_lattice(test, 13, 50)->is_obstacle = true;
    add_lattice(test, 15, 50)->is_obstacle = true;
}

static void make_crumpled(test_case* test)
{
    crumple(add_sheet(test, SIDE), 17, 2.0f);
}

static void make_layers(test_case* test)
{
    for (int layer = 0; layer < 3; ++layer) {
        lift(add_sheet(test, SIDE / 2), 0.001f * (float)layer);
    }
    // One sheet more, crossing all of them.
    dr_check_mesh* slanted = add_sheet(test, SIDE / 2);
    for (int v = 0; v < slanted->vertex_count; ++v) {
        points_of(slanted)[v].y = 0.01f * (points_of(slanted)[v].x - 5.3f);
    }
}

// Sheets in one plane; the second one is folded twice.
static void make_same_place(test_case* test)
{
    add_sheet(test, 6);
    dr_check_mesh* folded = add_sheet(test, 12);
    for (int v = 0; v < folded->vertex_count; ++v) {
        points_of(folded)[v].x = fabsf(fmodf(points_of(folded)[v].x, 8.0f) - 4.0f);
    }
}

// A floor of two triangles below all the others.
static void make_floor(test_case* test)
{
    crumple(add_sheet(test, SIDE), 19, 1.5f);
    dr_check_mesh* floor = add_sheet(test, 1);
    floor->is_obstacle = true;
    for (int v = 0; v < 4; ++v) {
        points_of(floor)[v].x = 1000.0f * (points_of(floor)[v].x - 0.5f);
        points_of(floor)[v].z = 1000.0f * (points_of(floor)[v].z - 0.5f);
    }
}

// All in one point, all on one line, one alone, and far away.
static void make_points(test_case* test)
{
    add_mesh(test, 30, 30);
    dr_check_mesh* line = add_soup(test, 21, 30, 0.1f);
    for (int v = 0; v < line->vertex_count; ++v) {
        points_of(line)[v].x = points_of(line)[v].z = 0.0f;
    }
    add_soup(test, 23, 1, 1e-30f);
    dr_check_mesh* far = add_soup(test, 25, 2, 1.0f);
    for (int v = 0; v < far->vertex_count; ++v) {
        points_of(far)[v].x *= 3e38f;
    }
}

typedef void make_fn(test_case* test);
static make_fn* const makers[] = {make_soup,   make_mixed_soup, make_lattice, make_crumpled,
                                  make_layers, make_same_place, make_floor,   make_points};
enum { CASE_COUNT = sizeof makers / sizeof makers[0] };

static test_case make_case(int index)
{
    test_case test = {0};
    makers[index](&test);
    return test;
}

// --- The slow truth ---

typedef struct pair_list {
    dr_crossing* items;
    int count;
} pair_list;

static const int32_t* load(const dr_check_mesh* mesh, int triangle, drape_vec3 corners[3])
{
    const int32_t* ids = mesh->triangles + 3 * triangle;
    for (int k = 0; k < 3; ++k) {
        corners[k] = mesh->positions[ids[k]];
    }
    return ids;
}

static void try_pair(const test_case* test, dr_crossing pair, pair_list* list)
{
    drape_vec3 p[3], q[3];
    const int32_t* a = load(&test->meshes[pair.mesh_a], pair.triangle_a, p);
    const int32_t* b = load(&test->meshes[pair.mesh_b], pair.triangle_b, q);
    bool is_one = pair.mesh_a == pair.mesh_b;
    dr_triangle_relation found = dr_triangle_pair(p, is_one ? a : NULL, q, is_one ? b : NULL);
    if (found.relation == DR_TRIANGLES_APART) {
        return;
    }
    pair.meeting = found.relation == DR_TRIANGLES_CROSSING ? DR_MEETING_CROSSING
                   : found.folded                          ? DR_MEETING_FOLDED
                   : found.coplanar                        ? DR_MEETING_COPLANAR
                                                           : DR_MEETING_TOUCH;
    list->items = realloc(list->items, sizeof *list->items * (size_t)(list->count + 1));
    list->items[list->count++] = pair;
}

static pair_list find_slowly(const test_case* test)
{
    pair_list list = {0};
    for (int a = 0; a < test->mesh_count; ++a) {
        for (int s = 0; s < test->meshes[a].triangle_count; ++s) {
            for (int b = a; b < test->mesh_count; ++b) {
                if (test->meshes[a].is_obstacle && test->meshes[b].is_obstacle) {
                    continue;
                }
                for (int t = a == b ? s + 1 : 0; t < test->meshes[b].triangle_count; ++t) {
                    try_pair(test, (dr_crossing){.mesh_a = a, s, b, t}, &list);
                }
            }
        }
    }
    return list;
}

static dr_crossings find(const test_case* test, dr_pool* pool)
{
    dr_crossings found;
    ck_assert(dr_crossings_find(&found, &memory, pool, test->meshes, test->mesh_count));
    return found;
}

static void expect_same(const dr_crossings* found, const dr_crossing* pairs, int count)
{
    ck_assert_int_eq(found->pair_count, count);
    ck_assert_mem_eq(found->pairs, pairs, sizeof *pairs * (size_t)count);
}

// --- Tests ---

START_TEST(pairs_are_those_of_all_pairs)
{
    test_case test = make_case(_i);
    pair_list slow = find_slowly(&test);
    dr_crossings found = find(&test, NULL);
    expect_same(&found, slow.items, slow.count);
    int64_t crossing_count = 0;
    for (int k = 0; k < slow.count; ++k) {
        crossing_count += slow.items[k].meeting == DR_MEETING_CROSSING;
    }
    ck_assert_int_eq(found.crossing_count, crossing_count);
    ck_assert_int_eq(found.touch_count, slow.count - crossing_count);
    ck_assert_int_gt(slow.count, 0);
    free(slow.items);
    dr_crossings_free(&found, &memory);
    free_case(&test);
}
END_TEST

START_TEST(cases_are_worth_it)
{
    // Each kind of meeting must occur somewhere, or the tests above say little.
    int64_t counts[4] = {0};
    for (int k = 0; k < CASE_COUNT; ++k) {
        test_case test = make_case(k);
        dr_crossings found = find(&test, NULL);
        for (int pair = 0; pair < found.pair_count; ++pair) {
            ++counts[found.pairs[pair].meeting];
        }
        dr_crossings_free(&found, &memory);
        free_case(&test);
    }
    for (int meeting = 0; meeting < 4; ++meeting) {
        ck_assert_int_gt(counts[meeting], 20);
    }
}
END_TEST

START_TEST(workers_change_nothing)
{
    test_case test = make_case(_i);
    dr_pool* pool = dr_pool_create(&memory, 4, NULL);
    dr_crossings one = find(&test, NULL);
    dr_crossings many = find(&test, pool);
    expect_same(&many, one.pairs, one.pair_count);
    ck_assert_int_eq(many.box_tests, one.box_tests);
    ck_assert_int_eq(many.exact_tests, one.exact_tests);
    dr_crossings_free(&one, &memory);
    dr_crossings_free(&many, &memory);
    dr_pool_destroy(pool);
    free_case(&test);
}
END_TEST

// Turns the axes round, the order of triangles in each mesh, and that of their corners.
static void turn_round(test_case* test)
{
    for (int m = 0; m < test->mesh_count; ++m) {
        dr_check_mesh* mesh = &test->meshes[m];
        for (int v = 0; v < mesh->vertex_count; ++v) {
            drape_vec3 p = points_of(mesh)[v];
            points_of(mesh)[v] = (drape_vec3){p.y, p.z, p.x};
        }
        int32_t* corners = corners_of(mesh);
        for (int k = 0; k < 3 * mesh->triangle_count / 2; ++k) {
            int32_t kept = corners[k];
            corners[k] = corners[3 * mesh->triangle_count - 1 - k];
            corners[3 * mesh->triangle_count - 1 - k] = kept;
        }
    }
}

static int compare_pairs(const void* left, const void* right)
{
    return memcmp(left, right, sizeof(dr_crossing));
}

START_TEST(order_and_axes_do_not_matter)
{
    test_case test = make_case(_i);
    dr_crossings straight = find(&test, NULL);
    turn_round(&test);
    dr_crossings turned = find(&test, NULL);
    ck_assert_int_eq(turned.pair_count, straight.pair_count);
    for (int k = 0; k < turned.pair_count; ++k) {
        dr_crossing* pair = &turned.pairs[k];
        pair->triangle_a = test.meshes[pair->mesh_a].triangle_count - 1 - pair->triangle_a;
        pair->triangle_b = test.meshes[pair->mesh_b].triangle_count - 1 - pair->triangle_b;
        if (pair->mesh_a == pair->mesh_b) {
            int32_t kept = pair->triangle_a;
            pair->triangle_a = pair->triangle_b;
            pair->triangle_b = kept;
        }
    }
    size_t count = (size_t)turned.pair_count;
    qsort(turned.pairs, count, sizeof(dr_crossing), compare_pairs);
    qsort(straight.pairs, count, sizeof(dr_crossing), compare_pairs);
    expect_same(&turned, straight.pairs, straight.pair_count);
    dr_crossings_free(&straight, &memory);
    dr_crossings_free(&turned, &memory);
    free_case(&test);
}
END_TEST

START_TEST(neighbours_do_not_touch)
{
    test_case test = {0};
    add_sheet(&test, SIDE);
    dr_crossings found = find(&test, NULL);
    ck_assert_int_eq(found.pair_count, 0);
    dr_crossings_free(&found, &memory);
    // The same sheet cut along a line: the vertices coincide, but are not the same any more.
    dr_check_mesh* sheet = &test.meshes[0];
    dr_check_mesh half = *sheet, rest = *sheet;
    half.triangle_count = rest.triangle_count = SIDE * SIDE;
    rest.triangles += 3 * SIDE * SIDE;
    dr_check_mesh halves[2] = {half, rest};
    ck_assert(dr_crossings_find(&found, &memory, NULL, halves, 2));
    ck_assert_int_eq(found.crossing_count, 0);
    ck_assert_int_ge(found.touch_count, SIDE);
    dr_crossings_free(&found, &memory);
    free_case(&test);
}
END_TEST

START_TEST(obstacles_are_left_alone)
{
    test_case test = {0};
    add_soup(&test, 31, 300, 0.3f)->is_obstacle = true;
    add_soup(&test, 33, 300, 0.3f)->is_obstacle = true;
    dr_crossings found = find(&test, NULL);
    ck_assert_int_eq(found.pair_count, 0);
    test.meshes[0].is_obstacle = false;
    dr_crossings_free(&found, &memory);
    found = find(&test, NULL);
    ck_assert_int_gt(found.crossing_count, 0);
    for (int k = 0; k < found.pair_count; ++k) {
        ck_assert_int_eq(found.pairs[k].mesh_a, 0);
    }
    dr_crossings_free(&found, &memory);
    free_case(&test);
}
END_TEST

START_TEST(nothing_is_fine)
{
    dr_crossings found;
    ck_assert(dr_crossings_find(&found, &memory, NULL, NULL, 0));
    ck_assert_int_eq(found.pair_count, 0);
    dr_check_mesh empty = {0};
    ck_assert(dr_crossings_find(&found, &memory, NULL, &empty, 1));
    dr_crossings_free(&found, &memory);
}
END_TEST

// More pairs than are kept: they are counted, and those kept are true.
START_TEST(ruins_are_counted)
{
    // Two stacks of triangles that stand across each other.
    enum { STACK = 1050 };
    test_case test = {0};
    dr_check_mesh* mesh = add_soup(&test, 41, 2 * STACK, 0.0f);
    for (int v = 0; v < mesh->vertex_count; ++v) {
        float place = 1e-4f * (float)(v / 3 % STACK);
        float side = v % 3 == 1 ? 1.0f : -1.0f, height = v % 3 == 2 ? 4.0f : -1.0f;
        points_of(mesh)[v] =
            v / 3 < STACK ? (drape_vec3){place, height, side} : (drape_vec3){side, height, place};
    }
    dr_crossings found = find(&test, NULL);
    ck_assert_int_eq(found.crossing_count, STACK * STACK);
    ck_assert_int_eq(found.touch_count, 0);
    ck_assert_int_eq(found.pair_count, DR_CROSSINGS_LIMIT);
    // One assert for all: each of them writes to a file.
    bool is_sorted = true;
    for (int k = 1; k < found.pair_count; ++k) {
        const dr_crossing *last = &found.pairs[k - 1], *next = &found.pairs[k];
        bool is_next =
            last->triangle_a < next->triangle_a ||
            (last->triangle_a == next->triangle_a && last->triangle_b < next->triangle_b);
        is_sorted = is_sorted && is_next && next->triangle_a < next->triangle_b;
    }
    ck_assert(is_sorted);
    dr_crossings_free(&found, &memory);
    free_case(&test);
}
END_TEST

START_TEST(short_memory_is_told)
{
    test_case test = make_case(_i);
    bool is_found = false;
    for (int calls = 0; !is_found; ++calls) {
        watched_heap heap = {.calls_left = calls};
        drape_allocator hook = {watched_allocate, watched_release, &heap};
        dr_memory scarce;
        dr_memory_init(&scarce, &hook);
        dr_crossings found;
        is_found = dr_crossings_find(&found, &scarce, NULL, test.meshes, test.mesh_count);
        dr_crossings_free(&found, &scarce);
        ck_assert_uint_eq(heap.bytes, 0);
        ck_assert_int_lt(calls, 30);
    }
    free_case(&test);
}
END_TEST

START_TEST(words_are_sorted)
{
    uint64_t words[500], spare[500];
    for (uint32_t k = 0; k < 500; ++k) {
        words[k] = (uint64_t)dr_random_u32(51, k) << (k % 33) ^ dr_random_u32(52, k);
    }
    dr_sort_words(words, spare, 500);
    for (int k = 1; k < 500; ++k) {
        ck_assert(words[k - 1] <= words[k]);
    }
}
END_TEST

int main(void)
{
    Suite* suite = suite_create("crossings");
    TCase* tests = tcase_create("search");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_loop_test(tests, pairs_are_those_of_all_pairs, 0, CASE_COUNT);
    tcase_add_test(tests, cases_are_worth_it);
    tcase_add_loop_test(tests, workers_change_nothing, 0, CASE_COUNT);
    tcase_add_loop_test(tests, order_and_axes_do_not_matter, 0, CASE_COUNT);
    tcase_add_test(tests, neighbours_do_not_touch);
    tcase_add_test(tests, obstacles_are_left_alone);
    tcase_add_test(tests, nothing_is_fine);
    tcase_add_test(tests, ruins_are_counted);
    tcase_add_loop_test(tests, short_memory_is_told, 0, CASE_COUNT);
    tcase_add_test(tests, words_are_sorted);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
