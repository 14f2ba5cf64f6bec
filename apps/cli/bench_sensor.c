// Benchmark `sensor`, a part of `papers`: what sensor particles spare, on the paper's three sheets of
// 200 triangles with four particles.
//
//     gate        particles first, and nothing else while they see no fold
//     hierarchy   the tree in every substep, with positive vectors
//     plain       the tree in every substep, boxes alone
//
// Counted are exact tests of triangle against triangle and contacts, in each frame: a frame has
// twenty substeps with a search in each run, where the paper has one search. All three must find
// the same contacts.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "io/file.h"
#include "plot.h"

typedef struct sensor_frame {
    int64_t exact_tests, box_tests, contacts; // of all substeps together
    int substeps;
    double ms, ms_self; // least of all repeats
} sensor_frame;

enum { FRAMES = 150, FRAMES_QUICK = 10, REPEATS = 7 };

typedef struct sensor_row {
    const char* scene;
    const char* method;
    double paper_ms; // a frame, with the gate; 0: the paper does not say
    sensor_frame frames[FRAMES];
    int frame_count;
    drape_isa isa;
} sensor_row;

static const struct {
    const char* scene;
    double paper_ms;
} scenes[] = {{"pins-diagonal", 16.0}, {"pins-corner", 29.0}, {"pins-center", 106.0}};

static const struct {
    const char* name;
    const char *gate, *positive;
} methods[] = {
    {"gate", "true", "true"}, {"hierarchy", "false", "true"}, {"plain", "false", "false"}};

enum {
    SCENE_COUNT = sizeof scenes / sizeof scenes[0],
    METHOD_COUNT = sizeof methods / sizeof methods[0],
    ROW_COUNT = SCENE_COUNT * METHOD_COUNT
};

// --- Running ---

static void add_frame(sensor_frame* frame, const drape_step_report* report, bool is_first)
{
    frame->exact_tests = report->exact_tests;
    frame->box_tests = report->self_box_tests;
    frame->contacts = report->counts.far_pairs;
    frame->substeps = report->substeps;
    if (is_first || report->ms.total < frame->ms) {
        frame->ms = report->ms.total;
        frame->ms_self = report->ms.detect_self;
    }
}

static bool measure_row(sensor_row* row, int method, bool is_first, const cli_bench_order* order,
                        drape_error* error)
{
    const drape_override choices[] = {{"collision.particles.gate", methods[method].gate},
                                      {"collision.particles.positive", methods[method].positive}};
    drape_scene* scene = cli_bench_open(row->scene, choices, 2, order->isa, error);
    if (scene == NULL) {
        return false;
    }
    for (int i = 0; i < row->frame_count; ++i) {
        drape_step_report report = drape_scene_step(scene);
        add_frame(&row->frames[i], &report, is_first);
    }
    row->isa = drape_world_isa(drape_scene_world(scene));
    drape_scene_close(scene);
    return true;
}

// In turns, so that a busy machine spoils all of them alike.
static bool measure_rows(sensor_row* rows, const cli_bench_order* order, drape_error* error)
{
    for (int i = 0; i < (order->is_quick ? 1 : REPEATS) * ROW_COUNT; ++i) {
        int row = i % ROW_COUNT;
        if (!measure_row(&rows[row], row % METHOD_COUNT, i < ROW_COUNT, order, error)) {
            return false;
        }
    }
    return true;
}

// --- Table ---

typedef struct sensor_sum {
    int64_t exact_tests, contacts, substeps;
    int quiet_frames; // without an exact test
    int first;        // frame with an exact test; 0: none has
    double ms, ms_self, ms_active;
} sensor_sum;

static sensor_sum sum_row(const sensor_row* row)
{
    sensor_sum sum = {0};
    for (int i = 0; i < row->frame_count; ++i) {
        const sensor_frame* frame = &row->frames[i];
        bool is_quiet = frame->exact_tests == 0;
        sum.exact_tests += frame->exact_tests;
        sum.contacts += frame->contacts;
        sum.substeps += frame->substeps;
        sum.quiet_frames += is_quiet;
        sum.first = sum.first == 0 && !is_quiet ? i + 1 : sum.first;
        sum.ms += frame->ms / row->frame_count;
        sum.ms_self += frame->ms_self / row->frame_count;
        sum.ms_active += is_quiet ? 0.0 : frame->ms;
    }
    int active = row->frame_count - sum.quiet_frames;
    sum.ms_active = active > 0 ? sum.ms_active / active : 0.0;
    return sum;
}

static void print_head(void)
{
    printf("\n%-13s %-9s %6s | %9s %9s %8s %5s %5s | %8s | %8s %8s %9s %9s\n", "scene", "method",
           "frames", "tests", "a frame", "substep", "quiet", "first", "contacts", "ms/frame",
           "of self", "active ms", "paper ms");
}

static void print_row(const sensor_row* row)
{
    sensor_sum sum = sum_row(row);
    char paper[16] = "-";
    if (row->paper_ms > 0.0) {
        snprintf(paper, sizeof paper, "%.0f", row->paper_ms);
    }
    printf("%-13s %-9s %6d | %9lld %9.1f %8.2f %5d %5d | %8lld | %8.3f %8.3f %9.3f %9s\n",
           row->scene, row->method, row->frame_count, (long long)sum.exact_tests,
           (double)sum.exact_tests / row->frame_count,
           (double)sum.exact_tests / (double)sum.substeps, sum.quiet_frames, sum.first,
           (long long)sum.contacts, sum.ms, sum.ms_self, sum.ms_active, paper);
    fflush(stdout);
}

// --- What must hold ---

// Frames from the first in which the gate was open on, and those of them that differ in contacts.
static int count_other_contacts(const sensor_row* gate, const sensor_row* other, int first)
{
    int count = 0;
    for (int i = first > 0 ? first - 1 : 0; i < gate->frame_count; ++i) {
        count += gate->frames[i].contacts != other->frames[i].contacts;
    }
    return count;
}

static void print_verdict(const char* scene, const char* sentence, bool holds)
{
    printf("%-13s %-52s %s\n", scene, sentence, holds ? "holds" : "DOES NOT HOLD");
}

// `rows` are those of one scene.
static void judge_scene(const sensor_row* rows)
{
    char sentence[128];
    sensor_sum gate = sum_row(&rows[0]), hierarchy = sum_row(&rows[1]);
    int others = count_other_contacts(&rows[0], &rows[1], gate.first) +
                 count_other_contacts(&rows[0], &rows[2], gate.first);
    if (strcmp(rows->scene, "pins-diagonal") == 0) {
        print_verdict(rows->scene, "no exact test with the gate", gate.exact_tests == 0);
    } else {
        snprintf(sentence, sizeof sentence, "no more tests with the gate: %lld, without %lld",
                 (long long)gate.exact_tests, (long long)hierarchy.exact_tests);
        print_verdict(rows->scene, sentence, gate.exact_tests <= hierarchy.exact_tests);
    }
    snprintf(sentence, sizeof sentence, "the same contacts with all three, once open: %lld",
             (long long)gate.contacts);
    print_verdict(rows->scene, sentence, others == 0);
}

// --- Files ---

static bool write_csv(const char* path, const sensor_row* rows, drape_error* error)
{
    static const char head[] = "scene,method,frame,exact_tests,exact_tests_substep,box_tests,"
                               "contacts,ms_frame,ms_self\n";
    dr_output out;
    if (!dr_output_open(&out, path, error)) {
        return false;
    }
    dr_output_write(&out, head, sizeof head - 1);
    for (int i = 0; i < ROW_COUNT; ++i) {
        for (int k = 0; k < rows[i].frame_count; ++k) {
            const sensor_frame* frame = &rows[i].frames[k];
            char line[256];
            int length =
                snprintf(line, sizeof line, "%s,%s,%d,%lld,%.2f,%lld,%lld,%.4f,%.4f\n",
                         rows[i].scene, rows[i].method, k + 1, (long long)frame->exact_tests,
                         (double)frame->exact_tests / frame->substeps, (long long)frame->box_tests,
                         (long long)frame->contacts, frame->ms, frame->ms_self);
            dr_output_write(&out, line, (size_t)length);
        }
    }
    return dr_output_close(&out, error);
}

static bool write_files(const cli_bench_order* order, const sensor_row* rows, drape_error* error)
{
    char csv[CLI_PATH_SIZE];
    char svg[CLI_PATH_SIZE];
    // Logarithmic: where a line is missing there is nothing.
    cli_plot_order plot = {.x = "frame",
                           .y = "exact_tests,contacts",
                           .log = 1,
                           .title = "Exact tests and contacts a frame, of 20 substeps"};
    return cli_bench_path(order, rows[0].isa, "papers-sensor.csv", csv, error) &&
           cli_bench_path(order, rows[0].isa, "papers-sensor.svg", svg, error) &&
           write_csv(csv, rows, error) && cli_plot_file(csv, svg, &plot, error);
}

// --- The benchmark ---

static bool measure_all(const cli_bench_order* order, sensor_row* rows, drape_error* error)
{
    for (int i = 0; i < ROW_COUNT; ++i) {
        int scene = i / METHOD_COUNT, method = i % METHOD_COUNT;
        rows[i].scene = scenes[scene].scene;
        rows[i].method = methods[method].name;
        rows[i].paper_ms = method == 0 ? scenes[scene].paper_ms : 0.0;
        rows[i].frame_count = order->is_quick ? FRAMES_QUICK : FRAMES;
    }
    if (!measure_rows(rows, order, error)) {
        return false;
    }
    print_head();
    for (int i = 0; i < ROW_COUNT; ++i) {
        print_row(&rows[i]);
    }
    for (int i = 0; i < SCENE_COUNT; ++i) {
        judge_scene(&rows[i * METHOD_COUNT]);
    }
    return order->folder == NULL || write_files(order, rows, error);
}

bool cli_bench_sensor(const cli_bench_order* order, drape_error* error)
{
    sensor_row* rows = calloc(ROW_COUNT, sizeof *rows);
    if (rows == NULL) {
        dr_error_set_memory(error, "bench sensor");
        return false;
    }
    bool is_done = measure_all(order, rows, error);
    free(rows);
    return is_done;
}
