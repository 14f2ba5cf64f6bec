// Benchmark `papers`: the tables of the papers, made again. Here those on the elastic sheet; masses
// and springs are in bench_sensor.c and bench_spring.c.
//
//     SLIDE   (Liu, Ko, Chang 1996)  500 steps of the tablecloth: no collision, with the obstacle, with
//             self-collision by freezing; seconds in all, and their ratios
//     BOX     (the same, 1998)       1000 steps of the table and the fall to the ground: S1 edges
//             against triangles, S2 boxes of all pairs, S3 boxes through the tree; runs of detection a step,
//             their average and the most, time of self-detection and in all
//
// The papers' machines are long gone: what counts are the ratios, printed beside theirs.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench.h"
#include "io/file.h"
#include "plot.h"

// What the paper says of a row; 0 where it says nothing.
typedef struct paper_values {
    double runs_average;
    int runs_most;
    double detect_s, total_s; // a step (BOX) or in all (SLIDE)
} paper_values;

// A row of a table.
typedef struct paper_case {
    const char* table; // "SLIDE" or "BOX"
    const char* scene;
    const char* method; // of the paper
    int size;
    int step_count;
    paper_values paper;
} paper_case;

// What we measured of it.
typedef struct paper_row {
    paper_case is;
    int64_t steps, runs;
    int runs_most;
    double detect_ms, total_ms; // of self-detection and all, in all steps
    int64_t box_tests, frozen, conflicts;
    drape_isa isa;
} paper_row;

#define STEPS_SLIDE 500
#define STEPS_BOX 1000

static const paper_case cases[] = {
    {"SLIDE", "table-paper", "none", 21, STEPS_SLIDE, {.total_s = 529}},
    {"SLIDE", "table-paper", "obstacle", 21, STEPS_SLIDE, {.total_s = 627}},
    {"SLIDE", "table-paper", "self", 21, STEPS_SLIDE, {.total_s = 877}},
    {"SLIDE", "table-paper", "none", 51, STEPS_SLIDE, {.total_s = 2519}},
    {"SLIDE", "table-paper", "obstacle", 51, STEPS_SLIDE, {.total_s = 2756}},
    {"SLIDE", "table-paper", "self", 51, STEPS_SLIDE, {.total_s = 13823}},
    {"SLIDE", "table-paper", "none", 101, STEPS_SLIDE, {.total_s = 11602}},
    {"SLIDE", "table-paper", "obstacle", 101, STEPS_SLIDE, {.total_s = 11766}},
    {"SLIDE", "table-paper", "self", 101, STEPS_SLIDE, {.total_s = 81620}},
    {"BOX", "table-paper", "S1", 21, STEPS_BOX, {2, 4, 3.97, 12.96}},
    {"BOX", "table-paper", "S2", 21, STEPS_BOX, {2, 4, 1.33, 2.79}},
    {"BOX", "table-paper", "S3", 21, STEPS_BOX, {2, 4, 0.05, 0.39}},
    {"BOX", "table-paper", "S1", 51, STEPS_BOX, {2, 4, 116.53, 272.76}},
    {"BOX", "table-paper", "S2", 51, STEPS_BOX, {2, 4, 40.14, 73.26}},
    {"BOX", "table-paper", "S3", 51, STEPS_BOX, {2, 4, 0.23, 2.02}},
    {"BOX", "ground-paper", "S1", 21, STEPS_BOX, {3, 4, 4.07, 10.42}},
    {"BOX", "ground-paper", "S2", 21, STEPS_BOX, {3, 5, 1.32, 4.04}},
    {"BOX", "ground-paper", "S3", 21, STEPS_BOX, {3, 5, 0.03, 0.40}},
    {"BOX", "ground-paper", "S1", 51, STEPS_BOX, {4, 5, 118.43, 312.87}},
    {"BOX", "ground-paper", "S2", 51, STEPS_BOX, {4, 8, 40.09, 149.54}},
    {"BOX", "ground-paper", "S3", 51, STEPS_BOX, {4, 8, 0.21, 3.56}},
    // Not in the paper: how the search through the tree grows.
    {"BOX", "ground-paper", "S3", 101, STEPS_BOX, {0, 0, 0, 0}},
    {"BOX", "ground-paper", "S3", 201, STEPS_BOX, {0, 0, 0, 0}},
};
enum { CASE_COUNT = sizeof cases / sizeof cases[0] };

// --- Running ---

enum { OVERRIDES_MAX = 4 };

// The choices behind a word of the papers.
static int choose(const paper_case* row, drape_override overrides[OVERRIDES_MAX])
{
    static const drape_override geometric = {"collision.self", "geometric"},
                                boxes = {"collision.self", "boxes"},
                                nothing = {"collision.self", "none"},
                                treeless = {"collision.hierarchy", "none"},
                                material = {"collision.hierarchy", "material"},
                                empty = {"colliders", "[]"};
    static const struct {
        const char* method;
        const drape_override* choices[2];
    } methods[] = {
        {"none", {&nothing, &empty}},      {"obstacle", {&nothing}},
        {"self", {&geometric, &treeless}}, {"S1", {&geometric, &treeless}},
        {"S2", {&boxes, &treeless}},       {"S3", {&boxes, &material}},
    };
    int count = 0;
    for (size_t i = 0; i < sizeof methods / sizeof methods[0]; ++i) {
        for (int k = 0; k < 2 && strcmp(methods[i].method, row->method) == 0; ++k) {
            if (methods[i].choices[k] != NULL) {
                overrides[count++] = *methods[i].choices[k];
            }
        }
    }
    return count;
}

static drape_scene* open_row(const paper_row* row, drape_isa isa, drape_error* error)
{
    char resolution[64];
    drape_override overrides[OVERRIDES_MAX];
    int count = choose(&row->is, overrides);
    snprintf(resolution, sizeof resolution, "[%d,%d]", row->is.size, row->is.size);
    overrides[count++] = (drape_override){"cloths.0.grid.resolution", resolution};
    return cli_bench_open(row->is.scene, overrides, count, isa, error);
}

static bool measure_row(paper_row* row, drape_isa isa, drape_error* error)
{
    drape_scene* scene = open_row(row, isa, error);
    if (scene == NULL) {
        return false;
    }
    while (row->steps < row->is.step_count) {
        drape_step_report report = drape_scene_step(scene);
        row->steps += report.substeps;
        row->runs += report.counts.runs;
        row->runs_most = report.runs > row->runs_most ? report.runs : row->runs_most;
        row->detect_ms += report.ms.detect_self;
        row->total_ms += report.ms.total;
        row->box_tests += report.self_box_tests;
        row->frozen += report.counts.frozen;
        row->conflicts += report.counts.conflicts;
    }
    row->isa = drape_world_isa(drape_scene_world(scene));
    drape_scene_close(scene);
    return true;
}

// --- Ratios ---

// The row of the same table, scene and size that others are compared with: S3, or no collision.
static const paper_row* find_base(const paper_row* rows, int count, const paper_row* row)
{
    const char* base = strcmp(row->is.table, "BOX") == 0 ? "S3" : "none";
    for (int i = 0; i < count; ++i) {
        if (strcmp(rows[i].is.table, row->is.table) == 0 &&
            strcmp(rows[i].is.scene, row->is.scene) == 0 && rows[i].is.size == row->is.size &&
            strcmp(rows[i].is.method, base) == 0) {
            return &rows[i];
        }
    }
    return row;
}

typedef struct paper_ratios {
    double detect, total, boxes;      // ours
    double paper_detect, paper_total; // theirs; NAN where there is none
} paper_ratios;

static double ratio(double a, double b)
{
    return a > 0.0 && b > 0.0 ? a / b : (double)NAN;
}

static paper_ratios compare(const paper_row* rows, int count, const paper_row* row)
{
    const paper_row* base = find_base(rows, count, row);
    double steps = (double)row->steps, base_steps = (double)base->steps;
    bool has_detection = base->box_tests > 0;
    return (paper_ratios){
        .detect = has_detection ? ratio(row->detect_ms / steps, base->detect_ms / base_steps)
                                : (double)NAN,
        .total = ratio(row->total_ms / steps, base->total_ms / base_steps),
        .boxes = ratio((double)row->box_tests / (double)row->runs,
                       (double)base->box_tests / (double)base->runs),
        .paper_detect = ratio(row->is.paper.detect_s, base->is.paper.detect_s),
        .paper_total = ratio(row->is.paper.total_s, base->is.paper.total_s),
    };
}

// --- Table and CSV ---

static void print_head(void)
{
    printf("%-5s %-12s %-8s %3s %5s | %5s %4s %5s %4s | %9s %9s | %8s %8s %8s %8s %8s\n", "table",
           "scene", "method", "n", "steps", "runs", "most", "paper", "most", "detect ms", "ms/step",
           "detect:", "paper:", "total:", "paper:", "boxes:");
}

// A ratio, or a dash where there is none.
static void print_ratio(double value)
{
    if (isnan(value)) {
        printf(" %8s", "-");
    } else {
        printf(" %8.*f", value < 100.0 ? 2 : 0, value);
    }
}

static void print_row(const paper_row* row, const paper_ratios* ratios)
{
    double steps = (double)row->steps;
    printf("%-5s %-12s %-8s %3d %5lld | %5.2f %4d %5.0f %4d | %9.4f %9.4f |", row->is.table,
           row->is.scene, row->is.method, row->is.size, (long long)row->steps,
           (double)row->runs / steps, row->runs_most, row->is.paper.runs_average,
           row->is.paper.runs_most, row->detect_ms / steps, row->total_ms / steps);
    print_ratio(ratios->detect);
    print_ratio(ratios->paper_detect);
    print_ratio(ratios->total);
    print_ratio(ratios->paper_total);
    print_ratio(ratios->boxes);
    printf("\n");
    fflush(stdout);
}

// An empty cell where there is no ratio.
static void put_ratio(char* text, size_t size, double value)
{
    text[0] = '\0';
    if (!isnan(value)) {
        snprintf(text, size, "%.4g", value);
    }
}

static void write_row(dr_output* out, const paper_row* row, const paper_ratios* ratios)
{
    char line[512];
    char texts[5][32];
    const double values[5] = {ratios->detect, ratios->paper_detect, ratios->total,
                              ratios->paper_total, ratios->boxes};
    double steps = (double)row->steps;
    for (int i = 0; i < 5; ++i) {
        put_ratio(texts[i], sizeof texts[i], values[i]);
    }
    int length = snprintf(
        line, sizeof line, "%s,%s,%s,%d,%lld,%.4f,%d,%.6f,%.6f,%.1f,%.3f,%.3f,%s,%s,%s,%s,%s\n",
        row->is.table, row->is.scene, row->is.method, row->is.size, (long long)row->steps,
        (double)row->runs / steps, row->runs_most, row->detect_ms / steps, row->total_ms / steps,
        (double)row->box_tests / steps, (double)row->conflicts / steps, (double)row->frozen / steps,
        texts[0], texts[1], texts[2], texts[3], texts[4]);
    dr_output_write(out, line, (size_t)length);
}

static bool write_csv(const char* path, const paper_row* rows, int count, drape_error* error)
{
    static const char head[] =
        "table,scene,method,n,steps,runs_average,runs_most,ms_detect,ms_step,box_tests,conflicts,"
        "frozen,detect_ratio,detect_ratio_paper,total_ratio,total_ratio_paper,box_ratio\n";
    dr_output out;
    if (!dr_output_open(&out, path, error)) {
        return false;
    }
    dr_output_write(&out, head, sizeof head - 1);
    for (int i = 0; i < count; ++i) {
        paper_ratios ratios = compare(rows, count, &rows[i]);
        write_row(&out, &rows[i], &ratios);
    }
    return dr_output_close(&out, error);
}

// --- The benchmark ---

// Quick: one size, few steps.
static bool is_asked(const paper_case* row, bool is_quick)
{
    return !is_quick || row->size <= 21;
}

static bool write_files(const cli_bench_order* order, const paper_row* rows, int count,
                        drape_error* error)
{
    char csv[CLI_PATH_SIZE];
    char svg[CLI_PATH_SIZE];
    const drape_override box = {"table", "BOX"};
    cli_plot_order plot = {.x = "n",
                           .y = "ms_step,ms_detect",
                           .log = -1,
                           .wheres = &box,
                           .where_count = 1,
                           .title = "Time of a step: S1, S2, S3"};
    return cli_bench_path(order, rows[0].isa, "papers.csv", csv, error) &&
           cli_bench_path(order, rows[0].isa, "papers.svg", svg, error) &&
           write_csv(csv, rows, count, error) && cli_plot_file(csv, svg, &plot, error);
}

static bool measure_elastic(const cli_bench_order* order, drape_error* error)
{
    paper_row rows[CASE_COUNT];
    int count = 0;
    print_head();
    for (int i = 0; i < CASE_COUNT; ++i) {
        if (!is_asked(&cases[i], order->is_quick)) {
            continue;
        }
        rows[count] = (paper_row){.is = cases[i]};
        rows[count].is.step_count = order->is_quick ? 20 : cases[i].step_count;
        if (!measure_row(&rows[count], order->isa, error)) {
            return false;
        }
        ++count;
    }
    for (int i = 0; i < count; ++i) {
        paper_ratios ratios = compare(rows, count, &rows[i]);
        print_row(&rows[i], &ratios);
    }
    return order->folder == NULL || write_files(order, rows, count, error);
}

bool cli_bench_papers(const cli_bench_order* order, drape_error* error)
{
    return measure_elastic(order, error) && cli_bench_sensor(order, error) &&
           cli_bench_spring(order, error);
}
