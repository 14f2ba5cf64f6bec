// Predictive contacts: what a sweep does to the vertices.
#include "predict_test.h"

typedef struct vector {
    double x[3];
} vector;

static vector minus(vector a, vector b)
{
    return (vector){{a.x[0] - b.x[0], a.x[1] - b.x[1], a.x[2] - b.x[2]}};
}

static double dot(vector a, vector b)
{
    return a.x[0] * b.x[0] + a.x[1] * b.x[1] + a.x[2] * b.x[2];
}

static vector cross(vector a, vector b)
{
    return (vector){{a.x[1] * b.x[2] - a.x[2] * b.x[1], a.x[2] * b.x[0] - a.x[0] * b.x[2],
                     a.x[0] * b.x[1] - a.x[1] * b.x[0]}};
}

// --- Gradients by finite differences ---

// What a contact wants, as it is defined, in doubles.
typedef struct wish {
    bool is_edges;
    double side, target, alpha, beta;
    vector normal;
} wish;

static double value_of(const wish* w, const vector q[4])
{
    if (!w->is_edges) {
        vector raw = cross(minus(q[2], q[1]), minus(q[3], q[1]));
        return w->side * dot(minus(q[0], q[1]), raw) / sqrt(dot(raw, raw)) - w->target;
    }
    vector a, b;
    for (int c = 0; c < 3; ++c) {
        a.x[c] = (1.0 - w->alpha) * q[0].x[c] + w->alpha * q[1].x[c];
        b.x[c] = (1.0 - w->beta) * q[2].x[c] + w->beta * q[3].x[c];
    }
    return dot(minus(b, a), w->normal) - w->target;
}

static void gradient_of(const wish* w, const vector q[4], vector gradient[4])
{
    const double step = 1e-6;
    for (int k = 0; k < 4; ++k) {
        for (int c = 0; c < 3; ++c) {
            vector moved[4];
            memcpy(moved, q, sizeof moved);
            moved[k].x[c] += step;
            double more = value_of(w, moved);
            moved[k].x[c] -= 2.0 * step;
            gradient[k].x[c] = (more - value_of(w, moved)) / (2.0 * step);
        }
    }
}

enum { records_count = 4 + DR_PREDICT_LANES };

// Four vertices at random, and records for them.
static void place(uint32_t seed, float records[records_count][4], vector q[4])
{
    memset(records, 0, sizeof(float[records_count][4]));
    for (int k = 0; k < 4; ++k) {
        for (int c = 0; c < 3; ++c) {
            records[k][c] = dr_random_signed(seed, (uint32_t)(8 * k + c));
            q[k].x[c] = records[k][c];
        }
        records[k][3] = 0.5f + dr_random_unit(seed, (uint32_t)(8 * k + 4));
    }
}

static void fill(dr_predict_lanes* lanes, float target)
{
    memset(lanes, 0, sizeof *lanes);
    for (int lane = 0; lane < 8; ++lane) {
        for (int k = 0; k < 4; ++k) {
            lanes->vertex[k][lane] = lane == 3 ? k : 4 + lane;
        }
        lanes->target[lane] = lane == 3 ? target : 0.0f;
    }
}

// The sweep moves each vertex by -C / (sum w g^2) w g, with g by finite differences.
static double moves_as(const wish* w, const vector q[4], const float before[4][4],
                       const float after[4][4])
{
    vector gradient[4];
    gradient_of(w, q, gradient);
    double value = value_of(w, q), sum = 0.0, worst = 0.0, largest = 0.0;
    for (int k = 0; k < 4; ++k) {
        sum += (double)before[k][3] * dot(gradient[k], gradient[k]);
    }
    for (int k = 0; k < 4; ++k) {
        for (int c = 0; c < 3; ++c) {
            double expected = -value / sum * (double)before[k][3] * gradient[k].x[c];
            double found = (double)after[k][c] - (double)before[k][c];
            worst = fmax(worst, fabs(expected - found));
            largest = fmax(largest, fabs(expected));
        }
    }
    ck_assert_double_gt(largest, 1e-3);
    return worst / largest;
}

static const drape_isa sets[] = {DRAPE_ISA_PLAIN, DRAPE_ISA_SSE2, DRAPE_ISA_AVX2};

static const dr_predict_batch_kernels* kernels_of(int i)
{
    return dr_predict_batch_kernels_for(dr_isa_available(sets[i]) ? sets[i] : DRAPE_ISA_PLAIN);
}

static double point_error(const dr_predict_batch_kernels* kernels, uint32_t seed, bool as_printed)
{
    float records[records_count][4], before[4][4];
    vector q[4];
    place(seed, records, q);
    memcpy(before, records, sizeof before);
    wish w = {.side = seed % 2 ? 1.0 : -1.0};
    w.target = value_of(&w, q) + 0.1;
    dr_point_batch batch;
    fill(&batch.lanes, (float)w.target);
    for (int lane = 0; lane < 8; ++lane) {
        batch.side[lane] = (float)w.side;
    }
    dr_predict_places places = {before[0], records[0]};
    // Friction is off: where vertices began does not matter.
    float start[records_count][4] = {{0}};
    places.start = start[0];
    ck_assert_int_eq(kernels->sweep_points(&batch, 1, places, as_printed), 0);
    return moves_as(&w, q, (const float(*)[4])before, (const float(*)[4])records);
}

START_TEST(c1_point_gradients)
{
    for (uint32_t seed = 0; seed < 200; ++seed) {
        ck_assert_double_lt(point_error(kernels_of(_i), seed, false), 1e-3);
    }
}
END_TEST

// As printed, the geometric stiffness is applied to the normal itself, which gives nothing.
START_TEST(c1_printed_point_gradients_are_off)
{
    int off = 0;
    for (uint32_t seed = 0; seed < 200; ++seed) {
        off += point_error(kernels_of(2), seed, true) > 0.5;
    }
    ck_assert_int_gt(off, 100);
}
END_TEST

START_TEST(c1_edge_gradients)
{
    for (uint32_t seed = 0; seed < 200; ++seed) {
        float records[records_count][4], before[4][4], start[records_count][4] = {{0}};
        vector q[4];
        place(seed, records, q);
        memcpy(before, records, sizeof before);
        drape_vec3 n = dr_normalize((drape_vec3){
            dr_random_signed(seed, 90), dr_random_signed(seed, 91), dr_random_signed(seed, 92)});
        wish w = {.is_edges = true, .normal = {{n.x, n.y, n.z}}};
        dr_edge_batch batch;
        memset(&batch, 0, sizeof batch);
        batch.alpha[3] = dr_random_unit(seed, 93);
        batch.beta[3] = dr_random_unit(seed, 94);
        w.alpha = batch.alpha[3];
        w.beta = batch.beta[3];
        w.target = value_of(&w, q) + 0.1;
        fill(&batch.lanes, (float)w.target);
        batch.normal[0][3] = n.x;
        batch.normal[1][3] = n.y;
        batch.normal[2][3] = n.z;
        dr_predict_places places = {start[0], records[0]};
        kernels_of(_i)->sweep_edges(&batch, 1, places, false);
        ck_assert_double_lt(moves_as(&w, q, (const float(*)[4])before, (const float(*)[4])records),
                            1e-3);
    }
}
END_TEST

// As printed the distance counts the wrong way round: edges well apart are driven further, each
// sweep by more than the one before.
START_TEST(c1_printed_edges_run_away)
{
    const float first = 0.02f, target = 0.01f;
    float apart[2] = {first, first};
    for (int printed = 0; printed < 2; ++printed) {
        float records[records_count][4] = {{-1, 0, 0, 1}, {1, 0, 0, 1}, {0, first, -1, 1}};
        memcpy(records[3], (float[4]){0, first, 1, 1}, sizeof records[3]);
        float start[records_count][4] = {{0}};
        dr_edge_batch batch;
        memset(&batch, 0, sizeof batch);
        fill(&batch.lanes, target);
        batch.alpha[3] = batch.beta[3] = 0.5f;
        batch.normal[1][3] = 1.0f;
        dr_predict_places places = {start[0], records[0]};
        for (int sweep = 0; sweep < 4; ++sweep) {
            kernels_of(_i)->sweep_edges(&batch, 1, places, printed);
        }
        apart[printed] = records[2][1] - records[0][1];
    }
    ck_assert_float_eq_tol(apart[0], first, 1e-6f);
    // d becomes 2 d + target.
    ck_assert_float_eq_tol(apart[1], 16.0f * (first + target) - target, 1e-5f);
}
END_TEST

// Equal masses: what one end gains the other loses.
START_TEST(c1_gradients_sum_to_zero)
{
    for (uint32_t seed = 0; seed < 100; ++seed) {
        float records[records_count][4], start[records_count][4] = {{0}};
        vector q[4];
        place(seed, records, q);
        wish w = {.side = 1.0};
        dr_point_batch batch;
        fill(&batch.lanes, (float)value_of(&w, q) + 0.1f);
        for (int k = 0; k < 8; ++k) {
            batch.side[k] = 1.0f;
            records[k % 4][3] = 1.0f;
        }
        dr_predict_places places = {start[0], records[0]};
        kernels_of(_i)->sweep_points(&batch, 1, places, false);
        for (int c = 0; c < 3; ++c) {
            double sum = 0.0;
            for (int k = 0; k < 4; ++k) {
                sum += (double)records[k][c] - q[k].x[c];
            }
            ck_assert_double_lt(fabs(sum), 1e-5);
        }
    }
}
END_TEST

// --- Signs ---

// Sheets further apart than their thickness: no contact wants anything at the start.
START_TEST(c2_separated_features_want_nothing)
{
    sheets_test t = {0};
    dr_memory_init(&t.memory, NULL);
    add_sheet(&t, 0.3f, 7);
    add_sheet(&t, 0.25f, 6);
    dr_predict_options options = test_options();
    options.use_layers = _i & 1;
    options.is_points = _i & 2;
    // Normals of a flat sheet point up.
    t.parts[0].layer = 0;
    t.parts[1].layer = 1;
    make_predict(&t, &options);
    dr_predict* predict = &t.predict;
    for (int v = 0; v < predict->mesh.vertex_count; ++v) {
        drape_vec3 p = dr_record_at(predict->start, v);
        p.y += 0.002f * dr_random_signed(8, (uint32_t)v);
        set_record(predict->start, v, p);
        set_record(predict->now, v, p);
    }
    ck_assert(dr_predict_begin(predict, &t.memory, NULL, 1.0f, true));
    ck_assert_int_gt(predict->contact_count, 30);
    size_t bytes = sizeof(float) * 4 * (size_t)predict->mesh.vertex_count;
    dr_predict_sweep(predict);
    ck_assert_mem_eq(predict->now, predict->start, bytes);
    ck_assert_int_eq((int)predict->given_up, 0);
    free_sheets(&t);
}
END_TEST

// --- Groups ---

START_TEST(groups_share_no_vertex_and_lose_no_contact)
{
    enum { vertices = 60, count = 500 };
    dr_memory memory;
    dr_memory_init(&memory, NULL);
    dr_predict_groups groups;
    ck_assert(dr_predict_groups_create(&groups, &memory, vertices));
    int32_t quads[count][4];
    for (int i = 0; i < count; ++i) {
        for (int k = 0; k < 4; ++k) {
            quads[i][k] = (int32_t)(dr_random_u32(4, (uint32_t)(4 * i + k)) % (vertices + 5));
        }
    }
    ck_assert(dr_predict_group(&groups, &memory, (const int32_t(*)[4])quads, count));
    int seen[count] = {0};
    const int32_t(*group)[8] = groups.groups.data;
    for (int g = 0; g < groups.groups.count; ++g) {
        int user[vertices] = {0};
        for (int lane = 0; lane < 8; ++lane) {
            int i = group[g][lane];
            for (int k = 0; i >= 0 && k < 4; ++k) {
                int v = quads[i][k];
                ck_assert(v >= vertices || user[v] == 0 || user[v] == i + 1);
                if (v < vertices) {
                    user[v] = i + 1;
                }
            }
            if (i >= 0) {
                ++seen[i];
            }
        }
    }
    for (int i = 0; i < count; ++i) {
        ck_assert_int_eq(seen[i], 1);
    }
    dr_predict_groups_free(&groups, &memory);
    ck_assert_uint_eq(memory.live_bytes, 0);
}
END_TEST

// --- Bits ---

// A crumpled pair of sheets: the same bits with every instruction set.
static void run_crumple(drape_isa isa, float* out, int floats)
{
    sheets_test t = {0};
    dr_memory_init(&t.memory, NULL);
    add_sheet(&t, 0.3f, 8);
    add_sheet(&t, 0.3f, 7);
    t.parts[0].friction_static = t.parts[1].friction_static = 0.4f;
    t.parts[0].friction_dynamic = t.parts[1].friction_dynamic = 0.3f;
    dr_predict_options options = test_options();
    options.isa = isa;
    make_predict(&t, &options);
    for (int v = 0; v < t.predict.mesh.vertex_count; ++v) {
        drape_vec3 p = dr_record_at(t.predict.start, v);
        p.y += 0.03f * dr_random_signed(9, (uint32_t)v);
        p.x += 0.01f * dr_random_signed(10, (uint32_t)v);
        set_record(t.predict.now, v, p);
    }
    ck_assert(dr_predict_begin(&t.predict, &t.memory, NULL, 1.0f, true));
    for (int i = 0; i < 5; ++i) {
        dr_predict_sweep(&t.predict);
    }
    ck_assert_int_ge(4 * t.predict.mesh.vertex_count, floats);
    memcpy(out, t.predict.now, sizeof *out * (size_t)floats);
    free_sheets(&t);
}

START_TEST(every_instruction_set_gives_the_same_bits)
{
    enum { floats = 4 * (64 + 49) };
    float plain[floats], other[floats];
    run_crumple(DRAPE_ISA_PLAIN, plain, floats);
    for (int i = 1; i < 3; ++i) {
        if (dr_isa_available(sets[i])) {
            run_crumple(sets[i], other, floats);
            ck_assert_mem_eq(plain, other, sizeof plain);
        }
    }
}
END_TEST

int main(void)
{
    Suite* suite = suite_create("predict_solve");
    TCase* solve = tcase_create("solve");
    tcase_add_loop_test(solve, c1_point_gradients, 0, 3);
    tcase_add_test(solve, c1_printed_point_gradients_are_off);
    tcase_add_loop_test(solve, c1_edge_gradients, 0, 3);
    tcase_add_loop_test(solve, c1_printed_edges_run_away, 0, 3);
    tcase_add_loop_test(solve, c1_gradients_sum_to_zero, 0, 3);
    tcase_add_loop_test(solve, c2_separated_features_want_nothing, 0, 4);
    tcase_add_test(solve, groups_share_no_vertex_and_lose_no_contact);
    tcase_add_test(solve, every_instruction_set_gives_the_same_bits);
    tcase_set_timeout(solve, 60);
    suite_add_tcase(suite, solve);
    return run_suite(suite);
}
