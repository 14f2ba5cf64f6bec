// Benchmark `spring`, a part of `papers`: the mass-spring sheet on a solid with holes and sharp
// features.
//
// The paper has no figures. Measured are ms a frame, and that two trees of octants find what all
// pairs find: the boxes around the way of each vertex in a frame, as thick as contacts are, against
// the boxes of the triangles of the solid. Both compare the same floats, so the pairs must be equal.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "collide/octree.h"
#include "core/isa.h"
#include "io/file.h"
#include "obstacle.h"

typedef struct spring_frame {
    double ms, ms_detect;
    int substeps;
    int64_t pairs, all_pairs; // found by the trees, by comparing all
    int64_t box_tests;        // of the trees
    bool is_equal;
    double ms_pairs; // of the trees
} spring_frame;

enum { FRAMES = 60, FRAMES_QUICK = 4, SIZES = 2 };

typedef struct spring_row {
    int size, vertex_count, triangle_count;
    int frame_count;
    spring_frame frames[FRAMES];
    drape_isa isa;
} spring_row;

// Ways of the vertices and the solid, each in a tree.
typedef struct spring_view {
    dr_memory memory;
    cli_obstacle solid;
    dr_tree cloth_tree, solid_tree;
    dr_pair_search search;
    int vertex_count;
    int32_t (*corners)[3];
    drape_vec3* before;        // places in the last frame
    drape_vec3 *lower, *upper; // boxes of the ways
    drape_vec3 *least, *most;  // boxes of the triangles
    uint8_t* seen;             // by vertex and triangle
} spring_view;

// --- Looking ---

static float least_of(float a, float b)
{
    return a < b ? a : b;
}

static float most_of(float a, float b)
{
    return a > b ? a : b;
}

static void set_triangle_boxes(spring_view* view)
{
    for (int t = 0; t < view->solid.triangle_count; ++t) {
        const int32_t* corners = view->solid.triangles + 3 * (size_t)t;
        drape_vec3 lo = view->solid.positions[corners[0]], hi = lo;
        for (int k = 1; k < 3; ++k) {
            drape_vec3 p = view->solid.positions[corners[k]];
            lo = (drape_vec3){least_of(lo.x, p.x), least_of(lo.y, p.y), least_of(lo.z, p.z)};
            hi = (drape_vec3){most_of(hi.x, p.x), most_of(hi.y, p.y), most_of(hi.z, p.z)};
        }
        view->least[t] = lo;
        view->most[t] = hi;
    }
}

static void set_way_boxes(spring_view* view, const drape_vec3* now, float more)
{
    for (int v = 0; v < view->vertex_count; ++v) {
        drape_vec3 a = view->before[v], b = now[v];
        view->lower[v] = (drape_vec3){least_of(a.x, b.x) - more, least_of(a.y, b.y) - more,
                                      least_of(a.z, b.z) - more};
        view->upper[v] = (drape_vec3){most_of(a.x, b.x) + more, most_of(a.y, b.y) + more,
                                      most_of(a.z, b.z) + more};
        view->before[v] = b;
    }
}

static bool do_meet(const spring_view* view, int v, int t)
{
    drape_vec3 a = view->lower[v], b = view->upper[v], c = view->least[t], d = view->most[t];
    return a.x <= d.x && c.x <= b.x && a.y <= d.y && c.y <= b.y && a.z <= d.z && c.z <= b.z;
}

// Each pair of the trees is marked, then all pairs are asked whether they are marked rightly.
static void compare_all(spring_view* view, spring_frame* frame)
{
    int count;
    const dr_pair* pairs = dr_pair_search_list(&view->search, 0, &count);
    size_t width = (size_t)view->solid.triangle_count;
    bool is_equal = true;
    memset(view->seen, 0, (size_t)view->vertex_count * width);
    for (int i = 0; i < count; ++i) {
        ++view->seen[(size_t)pairs[i].a * width + (size_t)pairs[i].b];
    }
    for (int v = 0; v < view->vertex_count; ++v) {
        for (int t = 0; t < view->solid.triangle_count; ++t) {
            bool meets = do_meet(view, v, t);
            frame->all_pairs += meets;
            is_equal = is_equal && view->seen[(size_t)v * width + (size_t)t] == (uint8_t)meets;
        }
    }
    frame->pairs = count;
    frame->is_equal = is_equal;
}

static bool look(spring_view* view, spring_frame* frame)
{
    const dr_motion ways = {.start = &view->lower->x, .end = &view->upper->x, .stride = 3};
    double since = cli_now_ms();
    dr_tree_refit(&view->cloth_tree, NULL, &ways);
    if (!dr_octree_pairs(&view->search, &view->memory, NULL, &view->cloth_tree,
                         &view->solid_tree)) {
        return false;
    }
    frame->ms_pairs = cli_now_ms() - since;
    frame->box_tests = view->search.box_tests;
    compare_all(view, frame);
    return true;
}

// --- Life of a view ---

static void close_view(spring_view* view)
{
    dr_pair_search_free(&view->search, &view->memory);
    dr_tree_free(&view->cloth_tree, &view->memory);
    dr_tree_free(&view->solid_tree, &view->memory);
    cli_obstacle_free(&view->solid);
    free(view->corners);
    free(view->before);
    free(view->lower);
    free(view->upper);
    free(view->least);
    free(view->most);
    free(view->seen);
}

static bool make_trees(spring_view* view, drape_isa isa)
{
    dr_surface points = dr_octree_points(view->corners, view->before, view->vertex_count);
    dr_surface solid = {.triangles = (const int32_t(*)[3])view->solid.triangles,
                        .triangle_count = view->solid.triangle_count,
                        .rest = view->solid.positions,
                        .vertex_count = view->solid.vertex_count};
    const dr_motion still = {.start = &view->solid.positions->x, .stride = 3};
    if (!dr_octree_create(&view->cloth_tree, &view->memory, &points, isa) ||
        !dr_octree_create(&view->solid_tree, &view->memory, &solid, isa)) {
        return false;
    }
    dr_tree_refit(&view->solid_tree, NULL, &still);
    return true;
}

// The solid is the first collider of the scene.
static bool open_view(spring_view* view, drape_scene* scene, drape_error* error)
{
    const drape_world* world = drape_scene_world(scene);
    const drape_vec3* places =
        drape_cloth_positions(world, drape_scene_cloth(scene, 0), &view->vertex_count);
    dr_memory_init(&view->memory, NULL);
    if (!cli_obstacle_load(&view->solid, scene, 0, "bench spring", error)) {
        return false;
    }
    size_t vertices = (size_t)view->vertex_count, triangles = (size_t)view->solid.triangle_count;
    view->corners = calloc(vertices + 1, sizeof *view->corners);
    view->before = calloc(vertices + 1, sizeof *view->before);
    view->lower = calloc(vertices + 1, sizeof *view->lower);
    view->upper = calloc(vertices + 1, sizeof *view->upper);
    view->least = calloc(triangles + 1, sizeof *view->least);
    view->most = calloc(triangles + 1, sizeof *view->most);
    view->seen = calloc(vertices * triangles + 1, sizeof *view->seen);
    bool has_room = view->corners != NULL && view->before != NULL && view->lower != NULL &&
                    view->upper != NULL && view->least != NULL && view->most != NULL &&
                    view->seen != NULL;
    if (has_room) {
        memcpy(view->before, places, vertices * sizeof *places);
        set_triangle_boxes(view);
    }
    if (!has_room || !make_trees(view, drape_world_isa(world))) {
        dr_error_set_memory(error, "bench spring");
        return false;
    }
    return true;
}

// --- Running ---

static bool measure_frame(spring_view* view, drape_scene* scene, spring_frame* frame)
{
    drape_world* world = drape_scene_world(scene);
    drape_step_report report = drape_scene_step(scene);
    frame->ms = report.ms.total;
    frame->ms_detect = report.ms.detect;
    frame->substeps = report.substeps;
    int count;
    const drape_vec3* now = drape_cloth_positions(world, drape_scene_cloth(scene, 0), &count);
    set_way_boxes(view, now, drape_world_get_def(world).thickness);
    return look(view, frame);
}

static bool measure_scene(spring_row* row, drape_scene* scene, drape_error* error)
{
    spring_view view = {0};
    bool is_done = open_view(&view, scene, error);
    for (int i = 0; is_done && i < row->frame_count; ++i) {
        is_done = measure_frame(&view, scene, &row->frames[i]);
        if (!is_done) {
            dr_error_set_memory(error, "bench spring");
        }
    }
    row->vertex_count = view.vertex_count;
    row->triangle_count = view.solid.triangle_count;
    row->isa = drape_world_isa(drape_scene_world(scene));
    close_view(&view);
    return is_done;
}

static bool measure_row(spring_row* row, const cli_bench_order* order, drape_error* error)
{
    char resolution[64];
    snprintf(resolution, sizeof resolution, "[%d,%d]", row->size, row->size);
    const drape_override size = {"cloths.0.grid.resolution", resolution};
    drape_scene* scene = cli_bench_open("solid", &size, 1, order->isa, error);
    bool is_done = scene != NULL && measure_scene(row, scene, error);
    drape_scene_close(scene);
    return is_done;
}

// --- Table and CSV ---

static void print_head(void)
{
    printf("\n%-5s %3s %6s %9s %9s | %8s %8s | %10s %11s %5s | %10s %12s %8s\n", "scene", "n",
           "frames", "triangles", "steps", "ms/frame", "detect", "pairs", "brute force", "equal",
           "box tests", "brute force", "ms/pairs");
}

static void print_row(const spring_row* row)
{
    spring_frame sum = {.is_equal = true};
    int64_t steps = 0;
    for (int i = 0; i < row->frame_count; ++i) {
        const spring_frame* frame = &row->frames[i];
        sum.ms += frame->ms / row->frame_count;
        sum.ms_detect += frame->ms_detect / row->frame_count;
        sum.ms_pairs += frame->ms_pairs / row->frame_count;
        sum.pairs += frame->pairs;
        sum.all_pairs += frame->all_pairs;
        sum.box_tests += frame->box_tests;
        sum.is_equal = sum.is_equal && frame->is_equal;
        steps += frame->substeps;
    }
    printf("solid %3d %6d %9d %9lld | %8.2f %8.2f | %10lld %11lld %5s | %10lld %12lld %8.3f\n",
           row->size, row->frame_count, row->triangle_count, (long long)steps, sum.ms,
           sum.ms_detect, (long long)sum.pairs, (long long)sum.all_pairs,
           sum.is_equal ? "yes" : "NO", (long long)sum.box_tests,
           (long long)row->vertex_count * row->triangle_count * row->frame_count, sum.ms_pairs);
    fflush(stdout);
}

static bool write_csv(const cli_bench_order* order, const spring_row* rows, int count,
                      drape_error* error)
{
    static const char head[] = "scene,n,frame,substeps,ms_frame,ms_detect,pairs,pairs_brute_force,"
                               "is_equal,box_tests,box_tests_brute_force,ms_pairs\n";
    char path[CLI_PATH_SIZE];
    dr_output out;
    if (!cli_bench_path(order, rows[0].isa, "papers-spring.csv", path, error) ||
        !dr_output_open(&out, path, error)) {
        return false;
    }
    dr_output_write(&out, head, sizeof head - 1);
    for (int i = 0; i < count; ++i) {
        for (int k = 0; k < rows[i].frame_count; ++k) {
            const spring_frame* frame = &rows[i].frames[k];
            char line[256];
            int length = snprintf(
                line, sizeof line, "solid,%d,%d,%d,%.3f,%.3f,%lld,%lld,%d,%lld,%lld,%.4f\n",
                rows[i].size, k + 1, frame->substeps, frame->ms, frame->ms_detect,
                (long long)frame->pairs, (long long)frame->all_pairs, frame->is_equal,
                (long long)frame->box_tests,
                (long long)rows[i].vertex_count * rows[i].triangle_count, frame->ms_pairs);
            dr_output_write(&out, line, (size_t)length);
        }
    }
    return dr_output_close(&out, error);
}

bool cli_bench_spring(const cli_bench_order* order, drape_error* error)
{
    static const int sizes[SIZES] = {51, 101};
    spring_row rows[SIZES];
    int count = order->is_quick ? 1 : SIZES;
    print_head();
    for (int i = 0; i < count; ++i) {
        rows[i] =
            (spring_row){.size = sizes[i], .frame_count = order->is_quick ? FRAMES_QUICK : FRAMES};
        if (!measure_row(&rows[i], order, error)) {
            return false;
        }
        print_row(&rows[i]);
    }
    return order->folder == NULL || write_csv(order, rows, count, error);
}
