// Benchmark `predict`: the scenes of cloth in real time, as the paper on predictive contacts has
// them, on one thread at 30 frames a second.
//
// The same frames are stepped several times and the least processor time of each counts: a busy
// machine spoils less, and what is slow in every run is slow by itself. Beside the time stands what
// it buys: how far edges are stretched, and how many pairs of triangles cross, by an exact check.
// Where the paper keeps contacts between layers, the scene is run again with a search in every
// substep, to see what keeping them spares.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "check/crossings.h"
#include "io/file.h"

enum { FRAMES = 180, FRAMES_QUICK = 6, REPEATS = 5, REPEATS_LONG = 2, FIRST_SETTLED = 30 };

typedef struct predict_case {
    const char* scene;
    double budget_ms; // of the paper, mean of a frame
    bool is_kept;     // contacts between layers are kept
} predict_case;

static const predict_case cases[] = {{"flaps", 0.1, true},
                                     {"skirt", 0.2, true},
                                     {"character", 0.4, true},
                                     {"knot", 20.0, false},
                                     {"rotating-sphere", 1000.0, false}};
enum { CASE_COUNT = sizeof cases / sizeof cases[0] };

typedef struct predict_frame {
    double ms;      // processor time
    double ms_self; // of contacts between cloths, kept
    double ms_searched;
    float stretch_p99, stretch_max; // of edges, 0.05 is 5 %
    int64_t between, within;        // pairs that cross
    int heap_calls;
    int contacts, exact_tests;
} predict_frame;

typedef struct predict_row {
    predict_case is;
    int vertex_count, frame_count, iterations; // a frame
    predict_frame frames[FRAMES];
    drape_isa isa;
} predict_row;

typedef struct predict_view {
    dr_check_mesh* meshes; // one per cloth
    int cloth_count;
    int vertex_count;
} predict_view;

// --- Looking ---

static double processor_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
}

static void close_view(predict_view* view)
{
    free(view->meshes);
}

static bool open_view(predict_view* view, drape_scene* scene, drape_error* error)
{
    *view = (predict_view){.cloth_count = drape_scene_cloth_count(scene)};
    view->meshes = calloc((size_t)view->cloth_count + 1, sizeof *view->meshes);
    for (int i = 0; view->meshes != NULL && i < view->cloth_count; ++i) {
        const drape_world* world = drape_scene_world(scene);
        drape_cloth_id cloth = drape_scene_cloth(scene, i);
        dr_check_mesh* mesh = &view->meshes[i];
        mesh->positions = drape_cloth_positions(world, cloth, &mesh->vertex_count);
        mesh->triangles = drape_cloth_triangles(world, cloth, &mesh->triangle_count);
        view->vertex_count += mesh->vertex_count;
    }
    if (view->meshes == NULL) {
        dr_error_set_memory(error, "bench predict");
        return false;
    }
    return true;
}

static bool count_crossings(const predict_view* view, predict_frame* frame, drape_error* error)
{
    dr_memory memory;
    dr_crossings found;
    dr_memory_init(&memory, NULL);
    if (!dr_crossings_find(&found, &memory, NULL, view->meshes, view->cloth_count)) {
        dr_error_set_memory(error, "bench predict");
        return false;
    }
    for (int i = 0; i < found.pair_count; ++i) {
        bool is_crossing = found.pairs[i].meeting == DR_MEETING_CROSSING;
        bool is_one = found.pairs[i].mesh_a == found.pairs[i].mesh_b;
        frame->within += is_crossing && is_one;
        frame->between += is_crossing && !is_one;
    }
    dr_crossings_free(&found, &memory);
    return true;
}

// --- Running ---

static double least_of(double a, double b, bool is_first)
{
    return is_first || b < a ? b : a;
}

// What does not change from run to run is looked at in the first one.
static bool measure_frames(predict_row* row, drape_scene* scene, bool is_first, drape_error* error)
{
    predict_view view;
    bool is_done = open_view(&view, scene, error);
    for (int i = 0; is_done && i < row->frame_count; ++i) {
        predict_frame* frame = &row->frames[i];
        double since = processor_ms();
        drape_step_report report = drape_scene_step(scene);
        frame->ms = least_of(frame->ms, processor_ms() - since, is_first);
        frame->ms_self = least_of(frame->ms_self, report.ms.detect_self, is_first);
        if (is_first) {
            frame->heap_calls = report.heap_calls;
            frame->contacts = report.contact_count;
            frame->exact_tests = (int)report.exact_tests;
            row->iterations =
                report.substeps * drape_world_get_def(drape_scene_world(scene)).iterations;
            frame->stretch_p99 = drape_world_stretch(drape_scene_world(scene), 0.99f);
            frame->stretch_max = report.max_stretch;
            is_done = count_crossings(&view, frame, error);
        }
    }
    row->vertex_count = view.vertex_count;
    close_view(&view);
    return is_done;
}

static bool measure_kept(predict_row* row, const cli_bench_order* order, bool is_first,
                         drape_error* error)
{
    drape_scene* scene = cli_bench_open(row->is.scene, NULL, 0, order->isa, error);
    if (scene == NULL) {
        return false;
    }
    int frames = drape_scene_frame_count(scene), most = order->is_quick ? FRAMES_QUICK : FRAMES;
    row->frame_count = frames < most ? frames : most;
    row->isa = drape_world_isa(drape_scene_world(scene));
    bool is_done = measure_frames(row, scene, is_first, error);
    drape_scene_close(scene);
    return is_done;
}

static bool measure_searched(predict_row* row, const cli_bench_order* order, bool is_first,
                             drape_error* error)
{
    const drape_override search = {"collision.cache", "false"};
    drape_scene* scene = cli_bench_open(row->is.scene, &search, 1, order->isa, error);
    for (int i = 0; scene != NULL && i < row->frame_count; ++i) {
        drape_step_report report = drape_scene_step(scene);
        predict_frame* frame = &row->frames[i];
        frame->ms_searched = least_of(frame->ms_searched, report.ms.detect_self, is_first);
    }
    drape_scene_close(scene);
    return scene != NULL;
}

static bool measure_row(predict_row* row, const cli_bench_order* order, drape_error* error)
{
    int repeats = row->is.is_kept ? REPEATS : REPEATS_LONG;
    for (int i = 0; i < (order->is_quick ? 1 : repeats); ++i) {
        if (!measure_kept(row, order, i == 0, error) ||
            (row->is.is_kept && !measure_searched(row, order, i == 0, error))) {
            return false;
        }
    }
    return true;
}

// --- Table ---

typedef struct predict_sum {
    double ms, ms_p99, ms_self, ms_searched;
    double p99_median; // of the frames
    float p99_max, stretch_max;
    int stretched_frames; // whose 99th percentile is above 5 %
    int64_t between, within;
    int between_frames, within_frames;
    int heap_frames; // of those that are settled
} predict_sum;

static int compare_doubles(const void* first, const void* second)
{
    double a = *(const double*)first, b = *(const double*)second;
    return (a > b) - (a < b);
}

// After the first second, with no more to do than some frame before: a knot that is being tied has
// more and more contacts.
static bool is_settled(const predict_row* row, int frame)
{
    int contacts = 0, tests = 0;
    for (int i = 0; i < frame; ++i) {
        contacts = contacts > row->frames[i].contacts ? contacts : row->frames[i].contacts;
        tests = tests > row->frames[i].exact_tests ? tests : row->frames[i].exact_tests;
    }
    const predict_frame* at = &row->frames[frame];
    return frame >= FIRST_SETTLED && at->contacts <= contacts && at->exact_tests <= tests;
}

// The first frame makes what is kept: it is no frame like others.
static predict_sum sum_row(const predict_row* row)
{
    predict_sum sum = {0};
    double ms[FRAMES], p99[FRAMES];
    int count = 0;
    for (int i = 1; i < row->frame_count; ++i) {
        const predict_frame* frame = &row->frames[i];
        ms[count] = frame->ms;
        p99[count++] = (double)frame->stretch_p99;
        sum.ms += frame->ms;
        sum.ms_self += frame->ms_self;
        sum.ms_searched += frame->ms_searched;
        sum.p99_max = fmaxf(sum.p99_max, frame->stretch_p99);
        sum.stretch_max = fmaxf(sum.stretch_max, frame->stretch_max);
        sum.stretched_frames += frame->stretch_p99 > 0.05f;
        sum.between += frame->between;
        sum.within += frame->within;
        sum.between_frames += frame->between > 0;
        sum.within_frames += frame->within > 0;
        sum.heap_frames += is_settled(row, i) && frame->heap_calls > 0;
    }
    qsort(ms, (size_t)count, sizeof *ms, compare_doubles);
    qsort(p99, (size_t)count, sizeof *p99, compare_doubles);
    sum.ms_p99 = ms[count * 99 / 100];
    sum.p99_median = p99[count / 2];
    sum.ms /= count;
    sum.ms_self /= count;
    sum.ms_searched /= count;
    return sum;
}

static void print_head(void)
{
    printf(
        "\nOne thread, processor time; stretch of edges in %% (99th percentile: median and worst\n"
        "frame; frames above 5 %%; largest edge); pairs that cross (frames with any)\n\n");
    printf("%-15s %8s %6s %4s | %8s %8s %8s | %6s %6s %5s %6s | %13s %13s | %4s | %8s %8s\n",
           "scene", "vertices", "frames", "its", "ms mean", "ms p99", "paper", "p99", "worst",
           "> 5 %", "max", "between", "within", "heap", "kept ms", "searched");
}

static void print_row(const predict_row* row)
{
    predict_sum sum = sum_row(row);
    char between[32], within[32], searched[16] = "-";
    snprintf(between, sizeof between, "%lld (%d)", (long long)sum.between, sum.between_frames);
    snprintf(within, sizeof within, "%lld (%d)", (long long)sum.within, sum.within_frames);
    if (row->is.is_kept) {
        snprintf(searched, sizeof searched, "%.3f", sum.ms_searched);
    }
    printf(
        "%-15s %8d %6d %4d | %8.3f %8.3f %8.1f | %6.1f %6.1f %5d %6.0f | %13s %13s | %4d | %8.3f "
        "%8s\n",
        row->is.scene, row->vertex_count, row->frame_count, row->iterations, sum.ms, sum.ms_p99,
        row->is.budget_ms, 100.0 * sum.p99_median, 100.0 * (double)sum.p99_max,
        sum.stretched_frames, 100.0 * (double)sum.stretch_max, between, within, sum.heap_frames,
        sum.ms_self, searched);
    fflush(stdout);
}

// What is promised and does not hold is said.
static void print_failures(const predict_row* row)
{
    predict_sum sum = sum_row(row);
    const char* scene = row->is.scene;
    if (sum.ms > row->is.budget_ms) {
        printf("%s: %.3f ms a frame, above %.1f ms\n", scene, sum.ms, row->is.budget_ms);
    }
    if (sum.ms_p99 > 3.0 * sum.ms) {
        printf("%s: one frame in a hundred takes %.1f times the mean\n", scene,
               sum.ms_p99 / sum.ms);
    }
    if (row->is.is_kept && sum.stretched_frames * 20 > row->frame_count) {
        printf("%s: edges are stretched above 5 %% in %d of %d frames\n", scene,
               sum.stretched_frames, row->frame_count);
    }
    if (sum.between > 0) {
        printf("%s: layers cross in %d frames\n", scene, sum.between_frames);
    }
    if (sum.heap_frames > 0) {
        printf("%s: the heap is called in %d settled frames\n", scene, sum.heap_frames);
    }
}

// --- CSV ---

static bool write_csv(const cli_bench_order* order, const predict_row* rows, drape_error* error)
{
    static const char head[] = "scene,vertices,threads,iterations,frame,ms,paper_ms,stretch_p99,"
                               "stretch_max,crossings_between,crossings_within,heap_calls,"
                               "ms_kept,ms_searched\n";
    char path[CLI_PATH_SIZE];
    dr_output out;
    if (!cli_bench_path(order, rows[0].isa, "predict.csv", path, error) ||
        !dr_output_open(&out, path, error)) {
        return false;
    }
    dr_output_write(&out, head, sizeof head - 1);
    for (int i = 0; i < CASE_COUNT; ++i) {
        for (int k = 0; k < rows[i].frame_count; ++k) {
            const predict_frame* frame = &rows[i].frames[k];
            char line[256];
            int length = snprintf(
                line, sizeof line, "%s,%d,1,%d,%d,%.4f,%g,%.4f,%.4f,%lld,%lld,%d,%.4f,%.4f\n",
                rows[i].is.scene, rows[i].vertex_count, rows[i].iterations, k + 1, frame->ms,
                rows[i].is.budget_ms, (double)frame->stretch_p99, (double)frame->stretch_max,
                (long long)frame->between, (long long)frame->within, frame->heap_calls,
                frame->ms_self, frame->ms_searched);
            dr_output_write(&out, line, (size_t)length);
        }
    }
    return dr_output_close(&out, error);
}

bool cli_bench_predict(const cli_bench_order* order, drape_error* error)
{
    predict_row* rows = calloc(CASE_COUNT, sizeof *rows);
    if (rows == NULL) {
        dr_error_set_memory(error, "bench predict");
        return false;
    }
    print_head();
    bool is_done = true;
    for (int i = 0; is_done && i < CASE_COUNT; ++i) {
        rows[i].is = cases[i];
        is_done = measure_row(&rows[i], order, error);
        if (is_done) {
            print_row(&rows[i]);
        }
    }
    for (int i = 0; is_done && i < CASE_COUNT; ++i) {
        print_failures(&rows[i]);
    }
    is_done = is_done && (order->folder == NULL || write_csv(order, rows, error));
    free(rows);
    return is_done;
}
