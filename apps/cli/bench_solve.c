// Benchmark `solve`: how long the cloth takes, and how good it is.
//
// Each scene at each resolution is stepped until the cloth lies in contact, then the same few
// frames are stepped several times from that state, and the fastest time counts. Cloth is not kept
// from cloth: that has benches of its own (crossings, papers). Time per
// constraint is taken from the same state with one iteration a substep, so that each constraint is
// solved just once: predict and solve of a frame, over substeps times constraints.
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "io/file.h"
#include "scene_path.h"

// What is measured.
typedef struct bench_plan {
    const char* const* scenes; // ends with null
    const int* sizes;          // ends with zero
    int settle_frames;         // until the cloth lies in contact
    int measured_frames;
    int run_count; // the best of so many counts
} bench_plan;

// "disc" is the scene `sphere` with a round cloth, which is a mesh and no grid.
static const char* const scene_names[] = {"sphere", "table", "disc", NULL};
static const int all_sizes[] = {21, 51, 101, 201, 401, 0};
static const int quick_sizes[] = {11, 21, 0};
static const bench_plan full_plan = {scene_names, all_sizes, 30, 5, 5};
static const bench_plan quick_plan = {scene_names, quick_sizes, 12, 2, 2};
static const int thread_counts[] = {1, 2};

// One line of the table.
typedef struct bench_row {
    const char* scene;
    int size;
    int vertex_count;
    int thread_count;
    drape_isa isa;
    drape_stage_ms ms; // a frame
    double ns_per_constraint;
    double us_per_vertex;
    float max_stretch, p99_stretch, smallest_gap;
    double kinetic_energy;
} bench_row;

// Where the cloth is when the measured frames begin.
typedef struct bench_state {
    drape_vec3* positions;
    drape_vec3* velocities;
    int count;
} bench_state;

// --- Scenes ---

static drape_scene* open_scene(const char* name, int size, int iterations, const bench_row* row,
                               drape_error* error)
{
    char path[CLI_PATH_SIZE];
    char shape[256];
    char sweeps[16];
    bool is_disc = strcmp(name, "disc") == 0;
    if (is_disc) {
        // 1 + 3 r (r + 1) vertices in r rings: about as many as in the square.
        snprintf(shape, sizeof shape,
                 "{\"name\": \"cloth\", \"disc\": {\"radius\": 0.5, \"rings\": %d}, \"fabric\": "
                 "{\"base\": \"cotton\", \"density\": 0.2}, \"place\": {\"translate\": [0, 0.95, "
                 "0], \"rotate\": [90, 0, 0]}}",
                 (int)lround(size / sqrt(3.0)));
    } else {
        snprintf(shape, sizeof shape, "[%d,%d]", size, size);
    }
    snprintf(sweeps, sizeof sweeps, "%d", iterations);
    const drape_override overrides[] = {
        {is_disc ? "cloths.0" : "cloths.0.grid.resolution", shape},
        {"collision.self", "none"},
        {"solver.iterations", sweeps}};
    drape_scene_options options = drape_scene_options_defaults();
    options.overrides = overrides;
    options.override_count = iterations > 0 ? 3 : 2;
    options.worker_count = row->thread_count;
    options.isa = row->isa;
    if (!cli_scene_find(is_disc ? "sphere" : name, path, error)) {
        return NULL;
    }
    drape_scene* scene = drape_scene_open(path, &options, error);
    if (scene != NULL && !cli_isa_check(drape_scene_world(scene), row->isa, error)) {
        drape_scene_close(scene);
        return NULL;
    }
    return scene;
}

static void state_free(bench_state* state)
{
    free(state->positions);
    free(state->velocities);
    *state = (bench_state){0};
}

static bool state_save(bench_state* state, drape_scene* scene, drape_error* error)
{
    drape_world* world = drape_scene_world(scene);
    drape_cloth_id cloth = drape_scene_cloth(scene, 0);
    const drape_vec3* positions = drape_cloth_positions(world, cloth, &state->count);
    const drape_vec3* velocities = drape_cloth_velocities(world, cloth, &state->count);
    size_t size = sizeof(drape_vec3) * (size_t)state->count;
    state->positions = malloc(size);
    state->velocities = malloc(size);
    if (state->positions == NULL || state->velocities == NULL) {
        dr_error_set_memory(error, "bench");
        state_free(state);
        return false;
    }
    memcpy(state->positions, positions, size);
    memcpy(state->velocities, velocities, size);
    return true;
}

static void state_load(const bench_state* state, drape_scene* scene)
{
    drape_cloth_set_state(drape_scene_world(scene), drape_scene_cloth(scene, 0), state->positions,
                          state->velocities, state->count);
}

// --- Measuring ---

// Steps the measured frames once and returns the stages per frame; `last` is the last report.
static drape_stage_ms time_frames(drape_scene* scene, int frame_count, drape_step_report* last)
{
    drape_stage_ms sum = {0};
    for (int i = 0; i < frame_count; ++i) {
        *last = drape_scene_step(scene);
        sum.total += last->ms.total;
        sum.predict += last->ms.predict;
        sum.detect += last->ms.detect;
        sum.solve += last->ms.solve;
        sum.guard += last->ms.guard;
    }
    return (drape_stage_ms){.total = sum.total / frame_count,
                            .predict = sum.predict / frame_count,
                            .detect = sum.detect / frame_count,
                            .solve = sum.solve / frame_count,
                            .guard = sum.guard / frame_count};
}

static drape_stage_ms time_best(const bench_plan* plan, const bench_state* state,
                                drape_scene* scene, drape_step_report* last)
{
    drape_stage_ms best = {.total = DBL_MAX};
    for (int run = 0; run < plan->run_count; ++run) {
        state_load(state, scene);
        drape_stage_ms ms = time_frames(scene, plan->measured_frames, last);
        best = ms.total < best.total ? ms : best;
    }
    return best;
}

static bool time_constraints(const bench_plan* plan, const bench_state* state, bench_row* row,
                             drape_error* error)
{
    drape_scene* scene = open_scene(row->scene, row->size, 1, row, error);
    if (scene == NULL) {
        return false;
    }
    drape_world* world = drape_scene_world(scene);
    int count = drape_cloth_constraint_count(world, drape_scene_cloth(scene, 0));
    drape_step_report last;
    drape_stage_ms ms = time_best(plan, state, scene, &last);
    row->ns_per_constraint = 1e6 * (ms.predict + ms.solve) / last.substeps / count;
    drape_scene_close(scene);
    return true;
}

static bool measure_scene(const bench_plan* plan, drape_scene* scene, bench_row* row,
                          drape_error* error)
{
    bench_state state;
    drape_step_report last;
    time_frames(scene, plan->settle_frames, &last);
    if (!state_save(&state, scene, error)) {
        return false;
    }
    row->vertex_count = state.count;
    row->ms = time_best(plan, &state, scene, &last);
    row->us_per_vertex = 1e3 * row->ms.total / row->vertex_count;
    row->max_stretch = last.max_stretch;
    row->p99_stretch = drape_world_stretch(drape_scene_world(scene), 0.99f);
    row->smallest_gap = last.smallest_gap;
    row->kinetic_energy = last.kinetic_energy;
    bool is_measured = time_constraints(plan, &state, row, error);
    row->isa = drape_world_isa(drape_scene_world(scene));
    state_free(&state);
    return is_measured;
}

static bool measure_row(const bench_plan* plan, bench_row* row, drape_error* error)
{
    drape_scene* scene = open_scene(row->scene, row->size, 0, row, error);
    if (scene == NULL) {
        return false;
    }
    bool is_measured = measure_scene(plan, scene, row, error);
    drape_scene_close(scene);
    return is_measured;
}

// --- Table and CSV ---

static void print_table_head(void)
{
    printf("%-7s %4s %8s %3s %-5s %9s %8s %8s %8s %8s %8s %8s %8s %9s %9s\n", "scene", "n",
           "vertices", "thr", "isa", "ms/frame", "predict", "detect", "solve", "ns/con", "us/vert",
           "max %", "p99 %", "gap mm", "energy J");
}

static void print_table_row(const bench_row* row)
{
    printf("%-7s %4d %8d %3d %-5s %9.3f %8.3f %8.3f %8.3f %8.3f %8.3f %8.3f %8.3f %9.4f %9.3g\n",
           row->scene, row->size, row->vertex_count, row->thread_count, cli_isa_words[row->isa],
           row->ms.total, row->ms.predict, row->ms.detect, row->ms.solve, row->ns_per_constraint,
           row->us_per_vertex, 100.0 * (double)row->max_stretch, 100.0 * (double)row->p99_stretch,
           1e3 * (double)row->smallest_gap, row->kinetic_energy);
    fflush(stdout);
}

static void write_csv_row(dr_output* out, const bench_row* row)
{
    char line[512];
    int length = snprintf(
        line, sizeof line, "%s,%d,%d,%d,%s,%.4f,%.4f,%.4f,%.4f,%.3f,%.4f,%.5f,%.5f,%.3e,%.3e\n",
        row->scene, row->size, row->vertex_count, row->thread_count, cli_isa_words[row->isa],
        row->ms.total, row->ms.predict, row->ms.detect, row->ms.solve, row->ns_per_constraint,
        row->us_per_vertex, (double)row->max_stretch, (double)row->p99_stretch,
        (double)row->smallest_gap, row->kinetic_energy);
    dr_output_write(out, line, (size_t)length);
}

static bool write_csv(const char* path, const bench_row* rows, int count, drape_error* error)
{
    static const char head[] =
        "scene,n,vertices,threads,isa,ms_frame,ms_predict,ms_detect,ms_solve,ns_per_constraint,"
        "us_per_vertex,max_stretch,p99_stretch,smallest_gap,kinetic_energy\n";
    dr_output out;
    if (!dr_output_open(&out, path, error)) {
        return false;
    }
    dr_output_write(&out, head, sizeof head - 1);
    for (int i = 0; i < count; ++i) {
        write_csv_row(&out, &rows[i]);
    }
    return dr_output_close(&out, error);
}

// --- The benchmark ---

#define MAX_ROWS 64

static bool run_plan(const bench_plan* plan, drape_isa isa, bench_row* rows, int* count,
                     drape_error* error)
{
    print_table_head();
    for (int s = 0; plan->scenes[s] != NULL; ++s) {
        for (int n = 0; plan->sizes[n] != 0; ++n) {
            for (size_t t = 0; t < sizeof thread_counts / sizeof thread_counts[0]; ++t) {
                bench_row* row = &rows[*count];
                *row = (bench_row){.scene = plan->scenes[s],
                                   .size = plan->sizes[n],
                                   .thread_count = thread_counts[t],
                                   .isa = isa};
                if (!measure_row(plan, row, error)) {
                    return false;
                }
                print_table_row(row);
                ++*count;
            }
        }
    }
    return true;
}

bool cli_bench_solve(const cli_bench_order* order, drape_error* error)
{
    bench_row rows[MAX_ROWS];
    int count = 0;
    char path[CLI_PATH_SIZE];
    if (!run_plan(order->is_quick ? &quick_plan : &full_plan, order->isa, rows, &count, error)) {
        return false;
    }
    if (order->folder == NULL) {
        return true;
    }
    if (!cli_bench_path(order, rows[0].isa, "solve.csv", path, error) ||
        !write_csv(path, rows, count, error)) {
        return false;
    }
    printf("written to %s\n", path);
    return true;
}
