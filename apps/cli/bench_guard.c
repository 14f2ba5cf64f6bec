// Benchmark `guard`: what it costs to keep cloth from crossing, and what it does to the motion.
//
// The scenes of the default method run as they are, on one thread. The table has a line a scene, the
// CSV one a frame, so that speed is never bought with vertices that stop or yarns that grow.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"
#include "core/vec_math.h"
#include "io/file.h"
#include "scene/world.h"

typedef struct guard_plan {
    const char* const* scenes; // ends with null
    const int* sizes;          // ends with zero
    int frame_count;
} guard_plan;

static const char* const scene_names[] = {"table", "sphere", "ground", NULL};
static const int all_sizes[] = {51, 101, 0};
static const int quick_sizes[] = {11, 0};
static const guard_plan full_plan = {scene_names, all_sizes, 90};
static const guard_plan quick_plan = {scene_names, quick_sizes, 15};
enum { MOST_FRAMES = 90 };

typedef struct guard_frame {
    drape_step_report report;
    float p99_stretch;
} guard_frame;

// A scene at a size.
typedef struct guard_run {
    const char* scene;
    int size, vertex_count, frame_count;
    drape_isa isa;
    double mass; // kg
    guard_frame frames[MOST_FRAMES];
} guard_run;

// --- Running ---

static double mass_of(const drape_world* world)
{
    double mass = 0.0;
    for (int i = 0; i < dr_slots_count(&world->cloths); ++i) {
        const dr_cloth* cloth = dr_slots_at(&world->cloths, i);
        if (cloth) {
            mass += (double)cloth->fabric.density * (double)cloth->mesh.report.area;
        }
    }
    return mass;
}

static bool run_scene(guard_run* run, drape_isa isa, drape_error* error)
{
    char resolution[32];
    snprintf(resolution, sizeof resolution, "[%d,%d]", run->size, run->size);
    const drape_override size = {"cloths.0.grid.resolution", resolution};
    drape_scene* scene = cli_bench_open(run->scene, &size, 1, isa, error);
    if (scene == NULL) {
        return false;
    }
    drape_world* world = drape_scene_world(scene);
    drape_cloth_positions(world, drape_scene_cloth(scene, 0), &run->vertex_count);
    run->isa = drape_world_isa(world);
    run->mass = mass_of(world);
    for (int i = 0; i < run->frame_count; ++i) {
        run->frames[i].report = drape_scene_step(scene);
        run->frames[i].p99_stretch = drape_world_stretch(world, 0.99f);
    }
    drape_scene_close(scene);
    return true;
}

// --- Table ---

static void print_head(void)
{
    printf("%-7s %4s %8s | %9s %9s | %10s %10s %9s %9s %7s | %6s %6s %9s\n", "scene", "n",
           "vertices", "ms/frame", "worst", "cut median", "cut most", "guard J", "kg m/s",
           "pinched", "p99 %", "worst", "J/kg");
}

static int compare_counts(const void* left, const void* right)
{
    int a = *(const int*)left, b = *(const int*)right;
    return (a > b) - (a < b);
}

// Shares are of all vertices in all substeps of a frame.
static void print_run(const guard_run* run)
{
    double ms = 0.0, worst = 0.0, energy = 0.0, momentum = 0.0;
    float p99_worst = 0.0f;
    int cut[MOST_FRAMES], pinched = 0, substeps = 1;
    for (int i = 0; i < run->frame_count; ++i) {
        const drape_step_report* report = &run->frames[i].report;
        ms += report->ms.total / run->frame_count;
        worst = fmax(worst, report->ms.total);
        energy += report->guard_energy;
        momentum += dr_length_double(report->guard_momentum);
        pinched += report->pinched_count;
        substeps = report->substeps > substeps ? report->substeps : substeps; // 0 in sleep
        p99_worst = fmaxf(p99_worst, run->frames[i].p99_stretch);
        cut[i] = report->cut_count;
    }
    qsort(cut, (size_t)run->frame_count, sizeof *cut, compare_counts);
    const guard_frame* last = &run->frames[run->frame_count - 1];
    double moves = (double)run->vertex_count * substeps;
    printf("%-7s %4d %8d | %9.2f %9.2f | %9.4f%% %9.4f%% %9.2g %9.2g %7d | %6.2f %6.2f %9.2g\n",
           run->scene, run->size, run->vertex_count, ms, worst,
           100.0 * cut[run->frame_count / 2] / moves, 100.0 * cut[run->frame_count - 1] / moves,
           energy, momentum, pinched, 100.0 * (double)last->p99_stretch, 100.0 * (double)p99_worst,
           last->report.kinetic_energy / run->mass);
    fflush(stdout);
}

// --- CSV ---

static void write_frame(dr_output* out, const guard_run* run, int frame)
{
    const drape_step_report* report = &run->frames[frame].report;
    char line[512];
    int length = snprintf(
        line, sizeof line,
        "%s,%d,%d,%d,%.4f,%.4f,%.4f,%.4f,%d,%d,%.6g,%.6g,%d,%d,%d,%.5f,%.5f,%.4g\n", run->scene,
        run->size, run->vertex_count, frame + 1, report->ms.total, report->ms.detect,
        report->ms.solve, report->ms.guard, report->self_contact_count, report->cut_count,
        report->guard_energy, dr_length_double(report->guard_momentum), report->pinched_count,
        report->crossed_count, report->touching_count, (double)report->max_stretch,
        (double)run->frames[frame].p99_stretch, report->kinetic_energy / run->mass);
    dr_output_write(out, line, (size_t)length);
}

static bool write_csv(const char* path, const guard_run* runs, int count, drape_error* error)
{
    static const char head[] =
        "scene,n,vertices,frame,ms,ms_detect,ms_solve,ms_guard,self_contacts,cut_vertices,"
        "guard_energy,guard_momentum,pinched,crossed,touching,max_stretch,p99_stretch,"
        "energy_per_kg\n";
    dr_output out;
    if (!dr_output_open(&out, path, error)) {
        return false;
    }
    dr_output_write(&out, head, sizeof head - 1);
    for (int i = 0; i < count; ++i) {
        for (int frame = 0; frame < runs[i].frame_count; ++frame) {
            write_frame(&out, &runs[i], frame);
        }
    }
    return dr_output_close(&out, error);
}

// --- The benchmark ---

enum { MOST_RUNS = 8 };

static bool run_plan(const guard_plan* plan, const cli_bench_order* order, guard_run* runs,
                     drape_error* error)
{
    int count = 0;
    print_head();
    for (int s = 0; plan->scenes[s] != NULL; ++s) {
        for (int n = 0; plan->sizes[n] != 0; ++n) {
            guard_run* run = &runs[count++];
            *run = (guard_run){
                .scene = plan->scenes[s], .size = plan->sizes[n], .frame_count = plan->frame_count};
            if (!run_scene(run, order->isa, error)) {
                return false;
            }
            print_run(run);
        }
    }
    char path[CLI_PATH_SIZE];
    if (order->folder == NULL) {
        return true;
    }
    if (!cli_bench_path(order, runs[0].isa, "guard.csv", path, error) ||
        !write_csv(path, runs, count, error)) {
        return false;
    }
    printf("written to %s\n", path);
    return true;
}

bool cli_bench_guard(const cli_bench_order* order, drape_error* error)
{
    guard_run* runs = malloc(sizeof *runs * MOST_RUNS);
    if (runs == NULL) {
        dr_error_set_memory(error, "bench");
        return false;
    }
    bool is_done = run_plan(order->is_quick ? &quick_plan : &full_plan, order, runs, error);
    free(runs);
    return is_done;
}
