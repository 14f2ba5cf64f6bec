// Benchmark `crossings`: the scenes of the papers on the elastic sheet with methods that promise
// cloth free of crossings; every frame is checked by arithmetic that is exact and not theirs.
//
//     S1   geometric: edges against triangles, what crosses is frozen
//     S2   boxes, all pairs
//     S3   boxes, through the tree
//
// All with the fabric of the papers: real cotton is so stiff that its steps are ten times as short.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"
#include "check/inside.h"
#include "io/file.h"
#include "obstacle.h"
#include "scene_path.h"

typedef struct crossings_case {
    const char* scene;
    const char* method; // S1, S2, S3
    int size;
} crossings_case;

typedef struct crossings_row {
    crossings_case is;
    int frames, crossed_frames;
    int64_t self_crossings, obstacle_crossings; // of all frames together
    int64_t inside;                             // vertices, of all frames together
    int64_t substeps, runs;
    int runs_most;
    int64_t frozen, forced;
    double ms;
    drape_isa isa;
} crossings_row;

static const char* const scenes[] = {"table",       "ground", "sofa",     "round-table",
                                     "cube",        "cylinder", "table-paper", "ground-paper"};
static const char fabric[] =
    "{\"base\":\"cotton\",\"density\":0.2,\"stretch\":40,\"shear\":5,\"bend\":1e-4}";

enum { SCENE_COUNT = sizeof scenes / sizeof scenes[0], ROWS_MAX = 6 * SCENE_COUNT };

// --- Looking ---

// The meshes of a scene as they are now; obstacles behind the cloths.
typedef struct scene_view {
    dr_check_mesh* meshes;
    cli_obstacle* obstacles;
    int cloth_count, obstacle_count;
} scene_view;

static void close_view(scene_view* view)
{
    for (int i = 0; view->obstacles != NULL && i < view->obstacle_count; ++i) {
        cli_obstacle_free(&view->obstacles[i]);
    }
    free(view->obstacles);
    free(view->meshes);
}

static bool open_view(scene_view* view, drape_scene* scene, drape_error* error)
{
    const drape_world* world = drape_scene_world(scene);
    *view = (scene_view){.cloth_count = drape_scene_cloth_count(scene),
                         .obstacle_count = drape_scene_collider_count(scene)};
    size_t obstacle_count = (size_t)view->obstacle_count;
    view->meshes = calloc((size_t)view->cloth_count + obstacle_count + 1, sizeof *view->meshes);
    view->obstacles = calloc(obstacle_count + 1, sizeof *view->obstacles);
    if (view->meshes == NULL || view->obstacles == NULL) {
        dr_error_set_memory(error, "bench crossings");
        return false;
    }
    for (int i = 0; i < view->cloth_count; ++i) {
        drape_cloth_id cloth = drape_scene_cloth(scene, i);
        dr_check_mesh* mesh = &view->meshes[i];
        mesh->positions = drape_cloth_positions(world, cloth, &mesh->vertex_count);
        mesh->triangles = drape_cloth_triangles(world, cloth, &mesh->triangle_count);
    }
    for (int i = 0; i < view->obstacle_count; ++i) {
        cli_obstacle* obstacle = &view->obstacles[i];
        if (!cli_obstacle_load(obstacle, scene, i, "bench crossings", error)) {
            return false;
        }
        view->meshes[view->cloth_count + i] =
            (dr_check_mesh){obstacle->positions, obstacle->triangles, obstacle->vertex_count,
                            obstacle->triangle_count, true};
    }
    return true;
}

static void count_inside(const scene_view* view, crossings_row* row)
{
    for (int i = 0; i < view->cloth_count; ++i) {
        for (int k = 0; k < view->obstacle_count; ++k) {
            row->inside += dr_inside_count(view->meshes[i].positions, view->meshes[i].vertex_count,
                                           &view->meshes[view->cloth_count + k]);
        }
    }
}

static bool count_crossings(const scene_view* view, crossings_row* row, drape_error* error)
{
    dr_memory memory;
    dr_crossings found;
    dr_memory_init(&memory, NULL);
    if (!dr_crossings_find(&found, &memory, NULL, view->meshes,
                           view->cloth_count + view->obstacle_count)) {
        dr_error_set_memory(error, "bench crossings");
        return false;
    }
    row->crossed_frames += found.crossing_count > 0;
    for (int i = 0; i < found.pair_count; ++i) {
        bool is_self = found.pairs[i].mesh_b < view->cloth_count;
        bool is_crossing = found.pairs[i].meeting == DR_MEETING_CROSSING;
        row->self_crossings += is_crossing && is_self;
        row->obstacle_crossings += is_crossing && !is_self;
    }
    dr_crossings_free(&found, &memory);
    return true;
}

static bool judge(drape_scene* scene, crossings_row* row, drape_error* error)
{
    scene_view view;
    bool is_judged = open_view(&view, scene, error) && count_crossings(&view, row, error);
    if (is_judged) {
        count_inside(&view, row);
    }
    close_view(&view);
    return is_judged;
}

// --- Running ---

static drape_scene* open_row(const crossings_case* row, drape_isa isa, drape_error* error)
{
    char path[CLI_PATH_SIZE];
    char resolution[64];
    bool is_s1 = row->method[1] == '1';
    snprintf(resolution, sizeof resolution, "[%d,%d]", row->size, row->size);
    const drape_override overrides[] = {
        {"cloths.0.grid.resolution", resolution},
        {"cloths.0.fabric", fabric},
        {"collision.hierarchy", row->method[1] == '3' ? "material" : "none"},
    };
    drape_scene_options options = drape_scene_options_defaults();
    options.method = is_s1 ? "slide" : "box";
    options.overrides = overrides;
    options.override_count = sizeof overrides / sizeof overrides[0];
    options.isa = isa;
    return cli_scene_find(row->scene, path, error) ? drape_scene_open(path, &options, error) : NULL;
}

static bool run_row(crossings_row* row, const cli_bench_order* order, drape_error* error)
{
    drape_scene* scene = open_row(&row->is, order->isa, error);
    if (scene == NULL) {
        return false;
    }
    int frame_count = order->is_quick ? 3 : drape_scene_frame_count(scene);
    bool going = cli_isa_check(drape_scene_world(scene), order->isa, error);
    for (; going && row->frames < frame_count; ++row->frames) {
        drape_step_report report = drape_scene_step(scene);
        row->substeps += report.substeps;
        row->runs += report.counts.runs;
        row->runs_most = report.runs > row->runs_most ? report.runs : row->runs_most;
        row->frozen += report.counts.frozen;
        row->forced += report.counts.forced;
        row->ms += report.ms.total;
        going = judge(scene, row, error);
    }
    row->isa = drape_world_isa(drape_scene_world(scene));
    drape_scene_close(scene);
    return going;
}

// --- Table and CSV ---

static void print_head(void)
{
    printf("%-12s %-6s %3s %6s | %7s %6s %8s %6s | %5s %4s %8s %6s | %8s\n", "scene", "method", "n",
           "frames", "crossed", "self", "obstacle", "inside", "runs", "most", "frozen", "forced",
           "ms/frame");
}

static void print_row(const crossings_row* row)
{
    printf("%-12s %-6s %3d %6d | %7d %6" PRId64 " %8" PRId64 " %6" PRId64 " | %5.2f %4d %8" PRId64
           " %6" PRId64 " | %8.2f\n",
           row->is.scene, row->is.method, row->is.size, row->frames, row->crossed_frames,
           row->self_crossings, row->obstacle_crossings, row->inside,
           (double)row->runs / (double)row->substeps, row->runs_most, row->frozen, row->forced,
           row->ms / row->frames);
    fflush(stdout);
}

static bool write_csv(const char* path, const crossings_row* rows, int count, drape_error* error)
{
    static const char head[] =
        "scene,method,n,frames,crossed_frames,self_crossings,obstacle_crossings,inside,"
        "runs_average,runs_most,frozen,forced,ms_frame\n";
    dr_output out;
    char line[512];
    if (!dr_output_open(&out, path, error)) {
        return false;
    }
    dr_output_write(&out, head, sizeof head - 1);
    for (int i = 0; i < count; ++i) {
        const crossings_row* row = &rows[i];
        int length = snprintf(
            line, sizeof line,
            "%s,%s,%d,%d,%d,%" PRId64 ",%" PRId64 ",%" PRId64 ",%.4f,%d,%" PRId64 ",%" PRId64
            ",%.4f\n",
            row->is.scene, row->is.method, row->is.size, row->frames, row->crossed_frames,
            row->self_crossings, row->obstacle_crossings, row->inside,
            (double)row->runs / (double)row->substeps, row->runs_most, row->frozen, row->forced,
            row->ms / row->frames);
        dr_output_write(&out, line, (size_t)length);
    }
    return dr_output_close(&out, error);
}

// --- The benchmark ---

// All methods at 21 x 21; at 51 x 51 all pairs of boxes take too long to wait for.
static int list_rows(crossings_row rows[ROWS_MAX], bool is_quick)
{
    static const crossings_case kinds[] = {
        {NULL, "S1", 21}, {NULL, "S2", 21}, {NULL, "S3", 21}, {NULL, "S3", 51}, {NULL, "S1", 51}};
    int count = 0;
    for (int k = 0; k < (is_quick ? 3 : 5); ++k) {
        for (int i = 0; i < SCENE_COUNT; ++i) {
            rows[count] = (crossings_row){.is = kinds[k]};
            rows[count++].is.scene = scenes[i];
        }
    }
    return count;
}

bool cli_bench_crossings(const cli_bench_order* order, drape_error* error)
{
    crossings_row rows[ROWS_MAX];
    char csv[CLI_PATH_SIZE];
    int count = list_rows(rows, order->is_quick);
    print_head();
    for (int i = 0; i < count; ++i) {
        if (!run_row(&rows[i], order, error)) {
            return false;
        }
        print_row(&rows[i]);
    }
    return order->folder == NULL ||
           (cli_bench_path(order, rows[0].isa, "crossings.csv", csv, error) &&
            write_csv(csv, rows, count, error));
}
