// Self-collision behind a gate: what opens it, what is found behind it, and what is answered.
#include "contact/self_sensor.h"

#include "core/base.h"
#include "core/isa.h"
#include "sensor_test.h"

static dr_self_sensor sensor_of(test_sheets* t, dr_pool* pool,
                                const dr_self_sensor_options* options)
{
    dr_self_sensor self;
    ck_assert(dr_self_sensor_create(&self, &t->memory, pool, &t->sheets, options));
    return self;
}

static dr_self_result detect(test_sheets* t, dr_self_sensor* self, dr_pool* pool, int run)
{
    dr_self_result result;
    ck_assert(dr_self_sensor_detect(self, &t->memory, pool, &t->limits, run, &result));
    return result;
}

static void finish(test_sheets* t, dr_self_sensor* self)
{
    dr_self_sensor_free(self, &t->memory);
    test_sheets_free(t);
}

// --- The gate ---

START_TEST(nothing_is_tested_behind_a_shut_gate)
{
    test_sheets* t = square_sheet(11);
    dr_self_sensor_options options = dr_self_sensor_defaults();
    options.answer = DR_SENSOR_LIST;
    dr_self_sensor self = sensor_of(t, NULL, &options);
    ck_assert_int_eq(self.gate.parts[0].particles.options.count, 9);
    ck_assert_int_eq(self.gate.parts[0].convex_parts, 1);
    for (int frame = 0; frame < 30; ++frame) {
        lay(t, frame % 3);
        dr_self_result result = detect(t, &self, NULL, 1);
        ck_assert(result.is_clean && result.box_tests == 0 && result.exact_tests == 0);
    }
    // A fold opens it: boxes are compared, and as the layers are apart, nothing meets.
    lay(t, shape_fold_1cm);
    dr_self_result result = detect(t, &self, NULL, 1);
    ck_assert(dr_self_sensor_is_open(&self, 0) && result.box_tests > 0 && result.far_pairs == 0);
    finish(t, &self);
}
END_TEST

// Two layers that dip into each other by `depth`, from a start where they are apart.
static void dip(test_sheets* t, double depth)
{
    const dr_mesh* mesh = t->sheets.parts[0].mesh;
    lay(t, shape_fold_4cm);
    for (int v = 0; v < mesh->vertex_count; ++v) {
        double along, up, x = mesh->rest[v].x;
        fold_over(x, 0.47, 0.04, &along, &up);
        t->sheets.start[v] = (drape_vec3){(float)along, (float)up, mesh->rest[v].z};
        up -= x > 0.75 ? depth : 0.0;
        t->sheets.end[v] = (drape_vec3){(float)along, (float)up, mesh->rest[v].z};
    }
}

START_TEST(the_gate_stays_open_for_a_while)
{
    test_sheets* t = square_sheet(11);
    dr_self_sensor_options options = dr_self_sensor_defaults();
    options.answer = DR_SENSOR_LIST;
    options.particles.reseed_frames = 0;
    dr_self_sensor self = sensor_of(t, NULL, &options);
    dip(t, 0.06);
    dr_self_result first = detect(t, &self, NULL, 1), second = detect(t, &self, NULL, 1);
    ck_assert_int_gt(first.far_pairs, 0);
    ck_assert_int_eq(first.near_pairs, 0);
    ck_assert_int_eq(second.far_pairs, first.far_pairs);
    // What met before was found by itself, without a move of a particle.
    ck_assert_int_eq(second.near_pairs, first.far_pairs);
    int open = 0;
    lay(t, shape_flat);
    for (int frame = 0; frame < 20; ++frame) {
        detect(t, &self, NULL, 1);
        // Once shut it stays so.
        ck_assert(!dr_self_sensor_is_open(&self, 0) || open == frame);
        open += dr_self_sensor_is_open(&self, 0);
    }
    ck_assert_int_eq(open, 10);
    finish(t, &self);
}
END_TEST

// The same contacts with the gate and without, once it is open; with all kinds of hierarchy.
START_TEST(all_ways_find_the_same_contacts)
{
    test_sheets* t = square_sheet(13);
    dr_self_sensor ways[4];
    for (int i = 0; i < 4; ++i) {
        dr_self_sensor_options options = dr_self_sensor_defaults();
        options.answer = DR_SENSOR_LIST;
        options.use_gate = i == 3;
        options.use_positive = i != 0;
        options.use_outline = i != 1;
        ways[i] = sensor_of(t, NULL, &options);
    }
    int found = 0, shut = 0;
    int64_t tests[4] = {0};
    for (int frame = 0; frame < 60; ++frame) {
        test_move(t, 30.0f, 0.0003f);
        memcpy(t->sheets.end, t->raw, sizeof *t->raw * (size_t)t->sheets.vertex_count);
        int counts[4];
        const dr_sensor_contact* lists[4];
        for (int i = 0; i < 4; ++i) {
            tests[i] += detect(t, &ways[i], NULL, 1).exact_tests;
            lists[i] = dr_self_sensor_contacts(&ways[i], &counts[i]);
        }
        found += counts[0];
        shut += !dr_self_sensor_is_open(&ways[3], 0);
        ck_assert(counts[1] <= counts[0]);
        ck_assert_int_eq(counts[2], counts[0]);
        ck_assert(dr_self_sensor_is_open(&ways[3], 0) ? counts[3] == counts[0] : counts[3] == 0);
        for (int k = 0; k < counts[0]; ++k) {
            ck_assert(lists[2][k].a == lists[0][k].a && lists[2][k].b == lists[0][k].b);
            ck_assert(k == 0 || lists[0][k - 1].a < lists[0][k].a ||
                      (lists[0][k - 1].a == lists[0][k].a && lists[0][k - 1].b < lists[0][k].b));
        }
        test_commit(t);
    }
    ck_assert_int_gt(found, 200);
    ck_assert_int_gt(shut, 0);
    ck_assert(tests[3] <= tests[2] && tests[2] < tests[0]);
    for (int i = 0; i < 4; ++i) {
        dr_self_sensor_free(&ways[i], &t->memory);
    }
    test_sheets_free(t);
}
END_TEST

// --- Contacts ---

START_TEST(contacts_know_points_and_shares)
{
    test_sheets* t = square_sheet(11);
    dr_self_sensor_options options = dr_self_sensor_defaults();
    float* inverse_mass = calloc((size_t)t->sheets.vertex_count, sizeof *inverse_mass);
    for (int v = 0; v < t->sheets.vertex_count; ++v) {
        inverse_mass[v] = t->meshes[0].rest[v].x > 0.5f ? 1.0f : 0.0f; // the lower layer is pinned
    }
    options.answer = DR_SENSOR_LIST;
    options.use_gate = false;
    options.inverse_mass = inverse_mass;
    dr_self_sensor self = sensor_of(t, NULL, &options);
    dip(t, 0.06);
    detect(t, &self, NULL, 1);
    int count;
    const dr_sensor_contact* contacts = dr_self_sensor_contacts(&self, &count);
    ck_assert_int_gt(count, 10);
    for (int i = 0; i < count; ++i) {
        const dr_sensor_contact* c = &contacts[i];
        const int32_t *va = t->sheets.triangles[c->a], *vb = t->sheets.triangles[c->b];
        double normal[3], offset;
        ck_assert(dr_sensor_contact_plane(c, normal, &offset));
        // At the start all of a is above the plane and all of b below, with room.
        for (int k = 0; k < 3; ++k) {
            drape_vec3 a = t->sheets.start[va[k]], b = t->sheets.start[vb[k]];
            double up = normal[0] * a.x + normal[1] * a.y + normal[2] * a.z - offset;
            double down = normal[0] * b.x + normal[1] * b.y + normal[2] * b.z - offset;
            ck_assert_double_gt(up, 0.1 * (double)c->gap);
            ck_assert_double_lt(down, -0.1 * (double)c->gap);
        }
        ck_assert_double_eq_tol(dr_length_double(c->normal), 1.0, 1e-5);
        bool a_moves =
            inverse_mass[va[0]] > 0 && inverse_mass[va[1]] > 0 && inverse_mass[va[2]] > 0;
        bool b_moves =
            inverse_mass[vb[0]] > 0 || inverse_mass[vb[1]] > 0 || inverse_mass[vb[2]] > 0;
        ck_assert(!a_moves || b_moves || c->share_a == 1.0f);
    }
    dr_self_sensor_free(&self, &t->memory);
    free(inverse_mass);
    test_sheets_free(t);
}
END_TEST

// --- Answers ---

// Without the gate and with corners nothing crosses, whichever the answer.
START_TEST(nothing_crosses_without_the_gate)
{
    const int sizes[][2] = {{11, 0}, {-5, 0}, {9, 8}};
    test_sheets* t = test_sheets_create(sizes[_i / 2], sizes[_i / 2][1] ? 2 : 1);
    dr_self_sensor_options options = dr_self_sensor_defaults();
    options.use_gate = false;
    options.with_corners = true;
    options.answer = _i % 2 ? DR_SENSOR_PLANES : DR_SENSOR_FREEZE;
    dr_self_sensor self = sensor_of(t, NULL, &options);
    dr_self_result sum = {0};
    int would_cross = 0;
    for (int i = 0; i < 80; ++i) {
        test_move(t, 30.0f, 0.0005f);
        would_cross += i % 10 == 0 ? test_crossings(t, t->raw) : 0;
        test_step(t, dr_self_sensor_detect_any, &self, NULL, &sum);
        // Two separate cloths may pass through each other unseen within a step, but not in steps as
        // short as these.
        ck_assert_int_eq(test_crossings(t, t->sheets.end), 0);
        test_commit(t);
    }
    ck_assert_int_gt(would_cross, 5);
    ck_assert_int_eq(sum.forced, 0);
    ck_assert(_i % 2 ? sum.clamped > 0 : sum.frozen > 0 && sum.clamped == 0);
    finish(t, &self);
}
END_TEST

// --- The same on any number of workers and with any instruction set ---

static uint64_t run_hash(int workers, drape_isa isa)
{
    test_sheets* t = test_sheets_create((int[]){19, -7}, 2);
    dr_pool* pool = workers > 1 ? dr_pool_create(&t->memory, workers, NULL) : NULL;
    dr_self_sensor_options options = dr_self_sensor_defaults();
    options.isa = isa;
    dr_self_sensor self = sensor_of(t, pool, &options);
    uint64_t hash = DR_HASH_START;
    int64_t contacts = 0;
    for (int i = 0; i < 50; ++i) {
        dr_self_result sum = {0};
        test_move(t, 60.0f, 0.001f);
        test_step(t, dr_self_sensor_detect_any, &self, pool, &sum);
        hash = dr_hash_floats(hash, &t->sheets.end[0].x, 3 * (size_t)t->sheets.vertex_count);
        const dr_material_point* at = self.gate.parts[0].particles.at;
        for (int k = 0; k < 9; ++k) {
            hash = dr_hash_bytes(hash, &at[k].triangle, sizeof at[k].triangle);
            hash = dr_hash_bytes(hash, at[k].weight, sizeof at[k].weight);
        }
        contacts += sum.far_pairs;
        test_commit(t);
    }
    ck_assert_int_gt(contacts, 100);
    dr_self_sensor_free(&self, &t->memory);
    dr_pool_destroy(pool);
    test_sheets_free(t);
    return hash;
}

START_TEST(workers_do_not_matter)
{
    uint64_t alone = run_hash(1, DRAPE_ISA_AUTO);
    ck_assert_uint_eq(run_hash(2, DRAPE_ISA_AUTO), alone);
    ck_assert_uint_eq(run_hash(5, DRAPE_ISA_AUTO), alone);
    ck_assert_uint_eq(run_hash(3, DRAPE_ISA_PLAIN), alone);
}
END_TEST

// Once sizes are known there are no heap calls.
START_TEST(settled_runs_leave_the_heap_alone)
{
    test_sheets* t = square_sheet(11);
    dr_self_sensor_options options = dr_self_sensor_defaults();
    dr_self_sensor self = sensor_of(t, NULL, &options);
    int64_t calls = 0;
    for (int frame = 0; frame < 12; ++frame) {
        dip(t, 0.06);
        dr_limits_clear(&t->limits);
        calls = frame == 2 ? t->memory.call_count : calls;
        ck_assert_int_gt(detect(t, &self, NULL, 1).far_pairs, 0);
    }
    ck_assert_int_eq(t->memory.call_count, calls);
    finish(t, &self);
}
END_TEST

START_TEST(memory_may_be_short)
{
    test_sheets* t = square_sheet(6);
    bool is_done = false;
    for (int calls = 0; calls < 300 && !is_done; ++calls) {
        watched_heap heap = {.calls_left = calls};
        drape_allocator hook = {watched_allocate, watched_release, &heap};
        dr_memory memory;
        dr_self_sensor self;
        dr_self_result result;
        dr_self_sensor_options options = dr_self_sensor_defaults();
        options.answer = DR_SENSOR_LIST;
        dr_memory_init(&memory, &hook);
        dip(t, 0.06);
        is_done = dr_self_sensor_create(&self, &memory, NULL, &t->sheets, &options) &&
                  dr_self_sensor_detect(&self, &memory, NULL, &t->limits, 1, &result);
        dr_self_sensor_free(&self, &memory);
        ck_assert_uint_eq(heap.bytes, 0);
    }
    ck_assert(is_done);
    test_sheets_free(t);
}
END_TEST

// Cloths of no triangles, of one, and of nothing but slivers do no harm.
START_TEST(poor_cloth_does_no_harm)
{
    drape_vec3 positions[4] = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {0, 0, 1}};
    int32_t triangles[2][3] = {{0, 1, 2}, {0, 3, 1}};
    for (int count = 1; count <= 2; ++count) {
        test_sheets* t = sheet_of(positions, 4, triangles, count);
        dr_self_sensor_options options = dr_self_sensor_defaults();
        dr_self_sensor self = sensor_of(t, NULL, &options);
        for (int frame = 0; frame < 12; ++frame) {
            ck_assert(detect(t, &self, NULL, 1).is_clean);
        }
        finish(t, &self);
    }
}
END_TEST

int main(void)
{
    Suite* suite = suite_create("self_sensor");
    TCase* tc = tcase_create("sensor");
    tcase_add_test(tc, nothing_is_tested_behind_a_shut_gate);
    tcase_add_test(tc, the_gate_stays_open_for_a_while);
    tcase_add_test(tc, all_ways_find_the_same_contacts);
    tcase_add_test(tc, contacts_know_points_and_shares);
    tcase_add_loop_test(tc, nothing_crosses_without_the_gate, 0, 6);
    tcase_add_test(tc, workers_do_not_matter);
    tcase_add_test(tc, settled_runs_leave_the_heap_alone);
    tcase_add_test(tc, memory_may_be_short);
    tcase_add_test(tc, poor_cloth_does_no_harm);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
