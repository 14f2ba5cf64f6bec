// Benchmark `geometry`: what a test of two features costs, and what a tree does (bench_trees.c).
//
// Tests of features take those pairs of a folded sheet that a search hands on, in its order, so
// they see what a simulation shows them. Predicates have two kinds of input: points in general
// position, which the filter answers, and degenerate ones, which it cannot.
#include "bench_geometry.h"

#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collide/ccd.h"
#include "collide/closest.h"
#include "collide/predicates.h"
#include "collide/separation.h"
#include "collide/triangle_pair.h"
#include "core/isa.h"
#include "core/parallel.h"
#include "core/random.h"
#include "io/file.h"

// --- Table ---

static void print_head(void)
{
    printf("%-26s %-12s %9s %3s %-5s %11s %10s %-9s %9s\n", "what", "kind", "triangles", "thr",
           "isa", "items", "ns", "per", "M items/s");
}

void cli_geometry_add(geometry_table* table, geometry_row row, double all_ns, int64_t per_count)
{
    row.ns = all_ns / (double)per_count;
    row.millions = 1e3 * (double)row.item_count / all_ns;
    printf("%-26s %-12s %9d %3d %-5s %11lld %10.2f %-9s %9.2f\n", row.what, row.kind,
           row.triangle_count, row.thread_count, cli_isa_words[table->isa],
           (long long)row.item_count, row.ns, row.per, row.millions);
    fflush(stdout);
    if (table->count < GEOMETRY_MAX_ROWS) {
        table->rows[table->count++] = row;
    }
}

static bool write_csv(const char* path, const geometry_table* table, drape_error* error)
{
    static const char head[] = "what,kind,triangles,threads,isa,items,ns,per,million_items_per_s\n";
    dr_output out;
    if (!dr_output_open(&out, path, error)) {
        return false;
    }
    dr_output_write(&out, head, sizeof head - 1);
    for (int i = 0; i < table->count; ++i) {
        char line[256];
        const geometry_row* row = &table->rows[i];
        int length =
            snprintf(line, sizeof line, "%s,%s,%d,%d,%s,%lld,%.3f,%s,%.4f\n", row->what, row->kind,
                     row->triangle_count, row->thread_count, cli_isa_words[table->isa],
                     (long long)row->item_count, row->ns, row->per, row->millions);
        dr_output_write(&out, line, (size_t)length);
    }
    return dr_output_close(&out, error);
}

// --- Time ---

double cli_geometry_now(int thread_count)
{
    struct timespec now;
    clock_gettime(thread_count > 1 ? CLOCK_MONOTONIC : CLOCK_THREAD_CPUTIME_ID, &now);
    return 1e9 * (double)now.tv_sec + (double)now.tv_nsec;
}

double cli_geometry_time(geometry_table* table, int thread_count, geometry_work* work,
                         void* context)
{
    const int most = table->is_quick ? 2 : 25;
    const double enough = 5e8;
    double best = DBL_MAX, spent = 0.0;
    for (int run = 0; run < most && (run < 2 || spent < enough); ++run) {
        double start = cli_geometry_now(thread_count);
        if (!work(context, thread_count > 1 ? table->pool : NULL)) {
            return -1.0;
        }
        double ns = cli_geometry_now(thread_count) - start;
        best = ns < best ? ns : best;
        spent += ns;
    }
    return best;
}

// Many tests of one kind, `count` of them in a run.
typedef struct test_bench {
    geometry_table* table;
    int count;
    const float* positions;    // four floats for each vertex
    const int32_t (*pairs)[4]; // vertices of features
    drape_vec3 (*features)[4]; // their positions
    dr_closest* closest;       // room for results
    dr_ccd_motion* motions;
    double (*points)[4][3]; // for predicates
    drape_vec3 (*triangles)[2][3];
} test_bench;

static bool measure(test_bench* bench, const char* what, const char* kind, geometry_work* work)
{
    if (bench->count == 0) {
        return true;
    }
    double ns = cli_geometry_time(bench->table, 1, work, bench);
    geometry_row row = {.what = what, .kind = kind, .per = "test", .thread_count = 1};
    row.item_count = bench->count;
    cli_geometry_add(bench->table, row, ns, bench->count);
    return ns >= 0.0;
}

// --- Features ---

static bool closest_point_triangle(void* context, dr_pool* pool)
{
    test_bench* bench = context;
    (void)pool;
    for (int k = 0; k < bench->count; ++k) {
        const drape_vec3* v = bench->features[k];
        bench->closest[k] = dr_closest_point_triangle(v[0], v[1], v[2], v[3]);
    }
    return true;
}

static bool closest_edges(void* context, dr_pool* pool)
{
    test_bench* bench = context;
    (void)pool;
    for (int k = 0; k < bench->count; ++k) {
        const drape_vec3* v = bench->features[k];
        bench->closest[k] = dr_closest_edges(v[0], v[1], v[2], v[3]);
    }
    return true;
}

static bool closest_point_triangle_wide(void* context, dr_pool* pool)
{
    test_bench* bench = context;
    (void)pool;
    dr_closest_kernels_for(bench->table->isa)
        ->point_triangle(bench->positions, bench->pairs, bench->count, bench->closest);
    return true;
}

static bool closest_edges_wide(void* context, dr_pool* pool)
{
    test_bench* bench = context;
    (void)pool;
    dr_closest_kernels_for(bench->table->isa)
        ->edges(bench->positions, bench->pairs, bench->count, bench->closest);
    return true;
}

static bool separate_point_triangle(void* context, dr_pool* pool)
{
    test_bench* bench = context;
    (void)pool;
    for (int k = 0; k < bench->count; ++k) {
        bench->table->checksum += dr_separate_point_triangle(bench->features[k]).gap;
    }
    return true;
}

static bool separate_edges(void* context, dr_pool* pool)
{
    test_bench* bench = context;
    (void)pool;
    for (int k = 0; k < bench->count; ++k) {
        bench->table->checksum += dr_separate_edges(bench->features[k]).gap;
    }
    return true;
}

static bool ccd_point_triangle(void* context, dr_pool* pool)
{
    test_bench* bench = context;
    (void)pool;
    for (int k = 0; k < bench->count; ++k) {
        bench->table->checksum += dr_ccd_point_triangle(&bench->motions[k], 0.0).toi;
    }
    return true;
}

static bool ccd_edge_edge(void* context, dr_pool* pool)
{
    test_bench* bench = context;
    (void)pool;
    for (int k = 0; k < bench->count; ++k) {
        bench->table->checksum += dr_ccd_edge_edge(&bench->motions[k], 0.0).toi;
    }
    return true;
}

// Each vertex moves by up to `reach` along each axis.
static void make_motions(test_bench* bench, float reach)
{
    for (int k = 0; k < bench->count; ++k) {
        for (int i = 0; i < 4; ++i) {
            const float* p = bench->positions + 4 * (size_t)bench->pairs[k][i];
            for (int c = 0; c < 3; ++c) {
                uint32_t number = 3 * (uint32_t)bench->pairs[k][i] + (uint32_t)c;
                bench->motions[k].start[i][c] = p[c];
                bench->motions[k].end[i][c] = p[c] + reach * dr_random_signed(11, number);
            }
        }
    }
}

static bool measure_motions(test_bench* bench, const char* what, float edge, geometry_work* work)
{
    make_motions(bench, 0.1f * edge);
    if (!measure(bench, what, "slow cloth", work)) {
        return false;
    }
    make_motions(bench, edge);
    return measure(bench, what, "fast cloth", work);
}

static void load_features(test_bench* bench)
{
    for (int k = 0; k < bench->count; ++k) {
        for (int i = 0; i < 4; ++i) {
            const float* p = bench->positions + 4 * (size_t)bench->pairs[k][i];
            bench->features[k][i] = (drape_vec3){p[0], p[1], p[2]};
        }
    }
}

static bool measure_pairs(test_bench* bench, bool is_edges, float edge)
{
    load_features(bench);
    if (is_edges) {
        return measure(bench, "closest edge-edge", "scalar", closest_edges) &&
               measure(bench, "closest edge-edge", "eight wide", closest_edges_wide) &&
               measure(bench, "separate edge-edge", "double", separate_edges) &&
               measure_motions(bench, "ccd edge-edge", edge, ccd_edge_edge);
    }
    return measure(bench, "closest point-triangle", "scalar", closest_point_triangle) &&
           measure(bench, "closest point-triangle", "eight wide", closest_point_triangle_wide) &&
           measure(bench, "separate point-triangle", "double", separate_point_triangle) &&
           measure_motions(bench, "ccd point-triangle", edge, ccd_point_triangle);
}

static bool measure_features(test_bench* bench, int32_t (*pairs)[4], int limit)
{
    geometry_sheet sheet;
    if (!cli_sheet_make(&sheet, bench->table, bench->table->is_quick ? 31 : 101, false)) {
        return false;
    }
    bool is_measured = true;
    for (int kind = 0; is_measured && kind < 2; ++kind) {
        bench->positions = sheet.positions;
        bench->count = cli_sheet_pairs(bench->table, &sheet, kind == 1, pairs, limit);
        is_measured = bench->count >= 0 && measure_pairs(bench, kind == 1, sheet.edge);
    }
    cli_sheet_free(&sheet, bench->table);
    return is_measured;
}

// --- Predicates ---

static bool orient2d(void* context, dr_pool* pool)
{
    test_bench* bench = context;
    (void)pool;
    int sum = 0;
    for (int k = 0; k < bench->count; ++k) {
        const double(*p)[3] = (const double(*)[3])bench->points[k];
        sum += dr_orient2d(p[0], p[1], p[2]);
    }
    bench->table->checksum += sum;
    return true;
}

static bool orient3d(void* context, dr_pool* pool)
{
    test_bench* bench = context;
    (void)pool;
    int sum = 0;
    for (int k = 0; k < bench->count; ++k) {
        const double(*p)[3] = (const double(*)[3])bench->points[k];
        sum += dr_orient3d(p[0], p[1], p[2], p[3]);
    }
    bench->table->checksum += sum;
    return true;
}

static bool triangle_pair(void* context, dr_pool* pool)
{
    test_bench* bench = context;
    (void)pool;
    for (int k = 0; k < bench->count; ++k) {
        dr_triangle_relation found =
            dr_triangle_pair(bench->triangles[k][0], NULL, bench->triangles[k][1], NULL);
        bench->table->checksum += (double)found.relation;
    }
    return true;
}

// In general position; or on one line in the plane and in one plane in space, to the last bit, with
// coordinates of as many bits as cloth has.
static void make_points(test_bench* bench, bool is_degenerate)
{
    for (int k = 0; k < bench->count; ++k) {
        double(*p)[3] = bench->points[k];
        for (int i = 0; i < 12; ++i) {
            float x = dr_random_signed(13, 12 * (uint32_t)k + (uint32_t)i);
            p[i / 3][i % 3] = is_degenerate ? 0x1p-20 * (int)(0x1p20f * x) : x;
        }
        for (int c = 0; is_degenerate && c < 3; ++c) {
            p[2][c] = p[0][c] + 3.0 * (p[1][c] - p[0][c]) + (c == 2);
            p[3][c] = p[2][c] + 2.0 * (p[1][c] - p[0][c]);
        }
    }
}

// Triangles of random places, half of which cross; or of whole numbers 0 to 3, where nearly all are
// in special position.
static void make_triangles(test_bench* bench, bool is_degenerate)
{
    for (int k = 0; k < bench->count; ++k) {
        float* p = &bench->triangles[k][0][0].x;
        for (int i = 0; i < 18; ++i) {
            uint32_t number = 18 * (uint32_t)k + (uint32_t)i;
            p[i] = is_degenerate ? (float)(dr_random_u32(17, number) % 4)
                                 : dr_random_signed(17, number);
        }
    }
}

static bool measure_predicates(test_bench* bench)
{
    for (int is_degenerate = 0; is_degenerate < 2; ++is_degenerate) {
        const char* kind = is_degenerate ? "degenerate" : "random";
        make_points(bench, is_degenerate);
        make_triangles(bench, is_degenerate);
        if (!measure(bench, "orient2d", kind, orient2d) ||
            !measure(bench, "orient3d", kind, orient3d) ||
            !measure(bench, "triangle pair", kind, triangle_pair)) {
            return false;
        }
    }
    return true;
}

// --- The benchmark ---

static bool measure_tests(geometry_table* table)
{
    const int limit = table->is_quick ? 2000 : 50000;
    const int predicate_count = table->is_quick ? 500 : 5000;
    size_t room = (size_t)limit, few = (size_t)predicate_count;
    test_bench bench = {.table = table};
    int32_t(*pairs)[4] = malloc(room * sizeof *pairs);
    bench.pairs = (const int32_t(*)[4])pairs;
    bench.features = malloc(room * sizeof *bench.features);
    bench.closest = malloc(room * sizeof *bench.closest);
    bench.motions = malloc(room * sizeof *bench.motions);
    bench.points = malloc(few * sizeof *bench.points);
    bench.triangles = malloc(few * sizeof *bench.triangles);
    bool is_measured = pairs && bench.features && bench.closest && bench.motions && bench.points &&
                       bench.triangles && measure_features(&bench, pairs, limit);
    if (is_measured) {
        bench.count = predicate_count;
        is_measured = measure_predicates(&bench);
    }
    free(pairs);
    free(bench.features);
    free(bench.closest);
    free(bench.motions);
    free(bench.points);
    free(bench.triangles);
    return is_measured;
}

static bool run_table(geometry_table* table, drape_error* error)
{
    dr_memory_init(&table->memory, NULL);
    table->pool = dr_pool_create(&table->memory, 2, NULL);
    print_head();
    bool is_measured = table->pool != NULL && measure_tests(table) && cli_bench_trees(table);
    if (!is_measured) {
        dr_error_set_memory(error, "bench");
    }
    dr_pool_destroy(table->pool);
    return is_measured;
}

bool cli_bench_geometry(const cli_bench_order* order, drape_error* error)
{
    char path[CLI_PATH_SIZE];
    geometry_table table = {.isa = dr_isa_resolve(order->isa), .is_quick = order->is_quick};
    if (order->isa != DRAPE_ISA_AUTO && order->isa != table.isa) {
        dr_error_set(error, DRAPE_ERROR_INPUT,
                     "--isa: expected an instruction set of this machine and build, such as %s, "
                     "found \"%s\"",
                     cli_isa_words[table.isa], cli_isa_words[order->isa]);
        return false;
    }
    if (!run_table(&table, error)) {
        return false;
    }
    if (order->folder == NULL) {
        return true;
    }
    if (!cli_bench_path(order, table.isa, "geometry.csv", path, error) ||
        !write_csv(path, &table, error)) {
        return false;
    }
    printf("written to %s\n", path);
    return true;
}
