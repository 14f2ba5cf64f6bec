// Predictive contacts: which pairs are looked at, and which become contacts.
#include "collide/ccd.h"
#include "predict_test.h"

// --- Each pair once ---

static bool has_vertex(const int32_t* triangle, int v)
{
    return triangle[0] == v || triangle[1] == v || triangle[2] == v;
}

static bool share_vertex(const int32_t* a, const int32_t* b)
{
    return a[0] == b[0] || a[0] == b[1] || a[1] == b[0] || a[1] == b[1];
}

// How often each pair was found, by the numbers of its features.
typedef struct tally {
    uint8_t* count;
    int rows, columns;
} tally;

static tally tally_create(int rows, int columns)
{
    return (tally){calloc((size_t)rows * (size_t)columns, 1), rows, columns};
}

static void tally_list(tally t, const dr_array* list, bool is_symmetric)
{
    const dr_pair* pairs = list->data;
    for (int i = 0; i < list->count; ++i) {
        int a = pairs[i].a, b = pairs[i].b;
        if (is_symmetric && a > b) {
            a = pairs[i].b;
            b = pairs[i].a;
        }
        ++t.count[(size_t)a * (size_t)t.columns + (size_t)b];
    }
}

// All features in reach of each other: everything without a common vertex is to be found, once.
START_TEST(c4_each_feature_pair_once)
{
    sheets_test t = {0};
    dr_memory_init(&t.memory, NULL);
    add_sheet(&t, 0.3f, 7);
    if (_i == 1) {
        add_sheet(&t, 0.2f, 4);
    }
    dr_predict_options options = test_options();
    options.static_radius = 10.0f;
    make_predict(&t, &options);
    const dr_predict_mesh* mesh = &t.predict.mesh;
    dr_motion motion = {t.predict.start, t.predict.now, 4, 5.0f};
    ck_assert(dr_predict_search_run(&t.predict.search, &t.memory, NULL, &motion));
    const dr_array* lists = t.predict.search.pairs.lists;
    tally points = tally_create(mesh->vertex_count, mesh->triangle_count);
    tally edges = tally_create(mesh->edge_count, mesh->edge_count);
    tally_list(points, &lists[DR_PAIRS_POINT_TRIANGLE], false);
    tally_list(edges, &lists[DR_PAIRS_EDGE_EDGE], true);
    for (int v = 0; v < mesh->vertex_count; ++v) {
        for (int k = 0; k < mesh->triangle_count; ++k) {
            ck_assert_int_eq(points.count[v * points.columns + k],
                             !has_vertex(mesh->triangles[k], v));
        }
    }
    for (int a = 0; a < mesh->edge_count; ++a) {
        for (int b = a + 1; b < mesh->edge_count; ++b) {
            ck_assert_int_eq(edges.count[a * edges.columns + b],
                             !share_vertex(mesh->edges[a], mesh->edges[b]));
        }
    }
    if (_i == 0) {
        // Both kinds together, on a sheet of 7 x 7.
        ck_assert_int_eq(lists[0].count + lists[1].count, 9949);
    }
    free(points.count);
    free(edges.count);
    free_sheets(&t);
}
END_TEST

// Every vertex and every edge has one owner, and the owner has it.
START_TEST(c4_every_feature_has_one_owner)
{
    sheets_test t = {0};
    dr_memory_init(&t.memory, NULL);
    add_sheet(&t, 0.3f, 9);
    dr_predict_options options = test_options();
    make_predict(&t, &options);
    const dr_predict_mesh* mesh = &t.predict.mesh;
    int vertices = 0, edges = 0;
    for (int k = 0; k < mesh->triangle_count; ++k) {
        ck_assert_int_lt(mesh->own[k], 64);
        vertices += __builtin_popcount(mesh->own[k] & 7u);
        edges += __builtin_popcount(mesh->own[k] >> 3);
    }
    ck_assert_int_eq(vertices, mesh->vertex_count);
    ck_assert_int_eq(edges, mesh->edge_count);
    ck_assert_mem_eq(mesh->own, t.meshes[0].owned, (size_t)mesh->triangle_count);
    free_sheets(&t);
}
END_TEST

// --- Regions ---

static uint8_t region_of(int triangle)
{
    return (uint8_t)(dr_random_u32(5, (uint32_t)triangle) % 4);
}

// Regions 0 and 1 may touch each other, 2 itself, 3 nothing.
START_TEST(c5_regions)
{
    sheets_test t = {0};
    dr_memory_init(&t.memory, NULL);
    add_sheet(&t, 0.3f, 8);
    uint8_t regions[98];
    for (int k = 0; k < 98; ++k) {
        regions[k] = region_of(k);
    }
    t.parts[0].region = regions;
    dr_predict_options options = test_options();
    memset(options.allow, 0, sizeof options.allow);
    options.allow[0] = 2;
    options.allow[1] = 1;
    options.allow[2] = 4;
    options.static_radius = 10.0f;
    make_predict(&t, &options);
    const dr_predict_mesh* mesh = &t.predict.mesh;
    dr_motion motion = {t.predict.start, t.predict.now, 4, 5.0f};
    ck_assert(dr_predict_search_run(&t.predict.search, &t.memory, NULL, &motion));
    // The region of a feature is that of its owner.
    uint8_t of_vertex[64], of_edge[256];
    for (int k = mesh->triangle_count - 1; k >= 0; --k) {
        ck_assert_int_ne(mesh->region[k], 3);
        for (int c = 0; c < 3; ++c) {
            of_vertex[mesh->triangles[k][c]] = mesh->region[k];
            of_edge[mesh->triangle_edges[3 * k + c]] = mesh->region[k];
        }
    }
    const dr_array* lists = t.predict.search.pairs.lists;
    const dr_pair* pairs = lists[DR_PAIRS_POINT_TRIANGLE].data;
    for (int i = 0; i < lists[DR_PAIRS_POINT_TRIANGLE].count; ++i) {
        uint32_t bits = options.allow[of_vertex[pairs[i].a]];
        ck_assert(bits >> mesh->region[pairs[i].b] & 1);
    }
    pairs = lists[DR_PAIRS_EDGE_EDGE].data;
    for (int i = 0; i < lists[DR_PAIRS_EDGE_EDGE].count; ++i) {
        ck_assert(options.allow[of_edge[pairs[i].a]] >> of_edge[pairs[i].b] & 1);
    }
    ck_assert_int_gt(lists[0].count, 100);
    ck_assert_int_gt(lists[1].count, 100);
    free_sheets(&t);
}
END_TEST

// --- Nothing that meets is missed ---

static void put_point(double to[3], const float* records, int v)
{
    for (int c = 0; c < 3; ++c) {
        to[c] = records[4 * v + c];
    }
}

static bool meets(const dr_predict* predict, const int32_t vertex[4], bool is_edges)
{
    dr_ccd_motion motion;
    for (int k = 0; k < 4; ++k) {
        put_point(motion.start[k], predict->start, vertex[k]);
        put_point(motion.end[k], predict->now, vertex[k]);
    }
    return (is_edges ? dr_ccd_edge_edge(&motion, 0.0) : dr_ccd_point_triangle(&motion, 0.0)).is_hit;
}

static void tally_contacts(const dr_predict* predict, tally points, tally edges)
{
    const dr_point_contact* point = predict->contacts.points.data;
    for (int i = 0; i < predict->contacts.points.count; ++i) {
        points.count[point[i].vertex * points.columns + (int)point[i].triangle] = 1;
    }
    const dr_edge_contact* edge = predict->contacts.edges.data;
    for (int i = 0; i < predict->contacts.edges.count; ++i) {
        edges.count[edge[i].a * edges.columns + edge[i].b] = 1;
        edges.count[edge[i].b * edges.columns + edge[i].a] = 1;
    }
}

// Pairs that meet on the way and have no contact; `hits` counts those that meet.
static int count_missed(const dr_predict* predict, int* hits)
{
    const dr_predict_mesh* mesh = &predict->mesh;
    tally points = tally_create(mesh->vertex_count, mesh->triangle_count);
    tally edges = tally_create(mesh->edge_count, mesh->edge_count);
    int missed = 0;
    tally_contacts(predict, points, edges);
    for (int v = 0; v < mesh->vertex_count; ++v) {
        for (int k = 0; k < mesh->triangle_count; ++k) {
            const int32_t* c = mesh->triangles[k];
            if (!has_vertex(c, v) && meets(predict, (int32_t[4]){v, c[0], c[1], c[2]}, false)) {
                ++*hits;
                missed += !points.count[v * points.columns + k];
            }
        }
    }
    for (int a = 0; a < mesh->edge_count; ++a) {
        for (int b = a + 1; b < mesh->edge_count; ++b) {
            const int32_t *e = mesh->edges[a], *f = mesh->edges[b];
            if (!share_vertex(e, f) && meets(predict, (int32_t[4]){e[0], e[1], f[0], f[1]}, true)) {
                ++*hits;
                missed += !edges.count[a * edges.columns + b];
            }
        }
    }
    free(points.count);
    free(edges.count);
    return missed;
}

// Two sheets that turn, shear and crumple through each other at four speeds.
START_TEST(c9_no_pair_that_meets_is_missed)
{
    sheets_test t = {0};
    dr_memory_init(&t.memory, NULL);
    add_sheet(&t, 0.3f, 5);
    add_sheet(&t, 0.3f, 4);
    dr_predict_options options = test_options();
    options.static_radius = 0.002f;
    make_predict(&t, &options);
    int hits = 0;
    float speed = 0.03f * powf(10.0f, (float)(_i % 4));
    for (uint32_t round = 0; round < 4; ++round) {
        uint32_t seed = 100u * (uint32_t)_i + round;
        for (int v = 0; v < t.predict.mesh.vertex_count; ++v) {
            drape_vec3 at = t.predict.mesh.rest[v], way;
            uint32_t k = (uint32_t)v * 6;
            at.y += 0.02f * (float)t.predict.mesh.part_of_vertex[v] +
                    0.009f * dr_random_signed(seed, k);
            way = (drape_vec3){dr_random_signed(seed, k + 1), dr_random_signed(seed, k + 2),
                               dr_random_signed(seed, k + 3)};
            set_record(t.predict.start, v, at);
            set_record(t.predict.now, v, dr_add(at, dr_scale(way, speed)));
        }
        dr_predict_forget(&t.predict);
        ck_assert(dr_predict_begin(&t.predict, &t.memory, NULL, 1.0f, true));
        ck_assert_int_eq(count_missed(&t.predict, &hits), 0);
    }
    ck_assert_int_gt(hits, _i % 4 == 0 ? 5 : 50);
    free_sheets(&t);
}
END_TEST

// A point and a triangle that turns while it comes: the closest point alone does not tell.
static int contacts_of_turning(bool as_printed)
{
    const int32_t triangles[1][3] = {{1, 2, 3}};
    const float start[4][4] = {
        {0, 0, -0.0009f, 0}, {0.045f, 0, 0, 0}, {0.048f, 0.05f, 0, 0}, {0.048f, -0.05f, 0, 0}};
    const float way[4][3] = {
        {0.02997f, 0, 0.001f}, {0.02997f, 0, 0}, {-0.03f, 0, 0}, {-0.03f, 0, 0}};
    float end[4][4] = {{0}};
    for (int k = 0; k < 4; ++k) {
        for (int c = 0; c < 3; ++c) {
            end[k][c] = start[k][c] + way[k][c];
        }
    }
    dr_predict_query query = {start[0], end[0], triangles, NULL, 0.03f, as_printed, false};
    dr_pair pair = {0, 0};
    dr_predict_near near[8];
    drape_isa isa = dr_isa_resolve(DRAPE_ISA_AUTO);
    return dr_predict_near_kernels_for(isa)->point_triangle(&query, &pair, 0, 1, near);
}

START_TEST(c9_printed_closing_misses_a_turning_triangle)
{
    ck_assert_int_eq(contacts_of_turning(false), 1);
    ck_assert_int_eq(contacts_of_turning(true), 0);
}
END_TEST

// --- What a contact is ---

START_TEST(c10_a_point_contact_is_two_numbers_and_a_bit)
{
    ck_assert_uint_eq(sizeof(dr_point_contact), 2 * sizeof(int32_t));
    dr_point_contact contact = {7, 0x7fffffff, 1};
    ck_assert_int_eq(contact.vertex, 7);
    ck_assert_uint_eq(contact.triangle, 0x7fffffff);
    ck_assert_uint_eq(contact.is_above, 1);
}
END_TEST

// Points mode: the pairs whose closest approach is below the reach, by brute force.
START_TEST(points_are_found_by_closest_approach)
{
    sheets_test t = {0};
    dr_memory_init(&t.memory, NULL);
    add_sheet(&t, 0.3f, 9);
    add_sheet(&t, 0.3f, 7);
    dr_predict_options options = test_options();
    options.is_points = true;
    make_predict(&t, &options);
    const dr_predict_mesh* mesh = &t.predict.mesh;
    for (int v = 0; v < mesh->vertex_count; ++v) {
        drape_vec3 way = {0.05f * dr_random_signed(3, 3 * (uint32_t)v),
                          0.05f * dr_random_signed(3, 3 * (uint32_t)v + 1),
                          0.05f * dr_random_signed(3, 3 * (uint32_t)v + 2)};
        set_record(t.predict.now, v, dr_add(dr_record_at(t.predict.start, v), way));
    }
    ck_assert(dr_predict_begin(&t.predict, &t.memory, NULL, 1.0f, true));
    int expected = 0;
    for (int a = 0; a < mesh->vertex_count; ++a) {
        for (int b = a + 1; b < mesh->vertex_count; ++b) {
            double least = 1e9;
            for (int k = 0; k <= 1000; ++k) {
                float s = (float)k / 1000.0f;
                drape_vec3 pa =
                    dr_lerp(dr_record_at(t.predict.start, a), dr_record_at(t.predict.now, a), s);
                drape_vec3 pb =
                    dr_lerp(dr_record_at(t.predict.start, b), dr_record_at(t.predict.now, b), s);
                least = fmin(least, dr_length_double(dr_sub(pa, pb)));
            }
            expected += least <= 0.03;
        }
    }
    ck_assert_int_gt(expected, 100);
    // Sampling is coarse by a hair.
    ck_assert_int_le(abs(t.predict.contacts.pairs.count - expected), 2);
    free_sheets(&t);
}
END_TEST

int main(void)
{
    Suite* suite = suite_create("predict_search");
    TCase* pairs = tcase_create("pairs");
    tcase_add_loop_test(pairs, c4_each_feature_pair_once, 0, 2);
    tcase_add_test(pairs, c4_every_feature_has_one_owner);
    tcase_add_test(pairs, c5_regions);
    tcase_add_loop_test(pairs, c9_no_pair_that_meets_is_missed, 0, 8);
    tcase_add_test(pairs, c9_printed_closing_misses_a_turning_triangle);
    tcase_add_test(pairs, c10_a_point_contact_is_two_numbers_and_a_bit);
    tcase_add_test(pairs, points_are_found_by_closest_approach);
    tcase_set_timeout(pairs, 60);
    suite_add_tcase(suite, pairs);
    return run_suite(suite);
}
