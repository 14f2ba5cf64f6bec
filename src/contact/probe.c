#include "contact/probe.h"

#include <string.h>

// Vertices whose bounds are found together, and those that are worth a task.
enum { CHUNK = 256, PLACE_GRAIN = 4, JUDGE_GRAIN = 32, SUSPECT_GRAIN = 64 };

// --- Life ---

static int chunk_count(const dr_probe* probe)
{
    return (probe->vertex_count + CHUNK - 1) / CHUNK;
}

bool dr_probe_create(dr_probe* probe, dr_memory* memory, const dr_sheets* sheets, drape_isa isa)
{
    *probe = (dr_probe){.vertex_count = sheets->vertex_count, .isa = isa};
    // One more of each, so that no vertices are not taken for a lack of memory.
    size_t count = (size_t)probe->vertex_count + 1, chunks = (size_t)chunk_count(probe) + 1;
    probe->corners = dr_allocate(memory, dr_array_bytes(count, sizeof *probe->corners));
    probe->start = dr_new(memory, float, count * 4);
    probe->end = dr_new(memory, float, count * 4);
    probe->bounds = dr_allocate(memory, dr_array_bytes(chunks, sizeof *probe->bounds));
    probe->first = dr_new(memory, int32_t, count + 1);
    probe->listed = dr_new(memory, int32_t, count);
    probe->is_suspect = dr_new(memory, uint8_t, count);
    probe->hit_stamp = dr_new_zeroed(memory, int32_t, count);
    if (!probe->corners || !probe->start || !probe->end || !probe->bounds || !probe->first ||
        !probe->listed || !probe->is_suspect || !probe->hit_stamp) {
        return false;
    }
    dr_probe_forget(probe);
    return true;
}

void dr_probe_free(dr_probe* probe, dr_memory* memory)
{
    size_t count = (size_t)probe->vertex_count + 1, chunks = (size_t)chunk_count(probe) + 1;
    dr_solid* solids = probe->solids.data;
    for (int i = 0; i < probe->solids.count; ++i) {
        dr_solid_free(&solids[i], memory);
    }
    dr_array_free(memory, &probe->solids, sizeof(dr_solid));
    dr_array_free(memory, &probe->near, sizeof(int32_t));
    dr_array_free(memory, &probe->lots, sizeof(dr_probe_lot));
    dr_pair_search_free(&probe->search, memory);
    dr_tree_free(&probe->tree, memory);
    dr_delete(memory, probe->corners, count);
    dr_delete(memory, probe->start, count * 4);
    dr_delete(memory, probe->end, count * 4);
    dr_delete(memory, probe->bounds, chunks);
    dr_delete(memory, probe->first, count + 1);
    dr_delete(memory, probe->listed, count);
    dr_delete(memory, probe->is_suspect, count);
    dr_delete(memory, probe->hit_stamp, count);
    *probe = (dr_probe){0};
}

void dr_probe_forget(dr_probe* probe)
{
    memset(probe->is_suspect, 1, (size_t)probe->vertex_count);
}

// --- The start of a step ---

static dr_surface surface_of(const dr_probe* probe, const dr_sheets* sheets)
{
    return dr_octree_points(probe->corners, sheets->start, probe->vertex_count);
}

// Where the cloths are first.
static bool grow_tree(dr_probe* probe, dr_memory* memory, dr_pool* pool, const dr_sheets* sheets,
                      double thickness)
{
    if (probe->tree.node_count > 0 || probe->vertex_count == 0) {
        return true;
    }
    dr_surface surface = surface_of(probe, sheets);
    if (!dr_octree_create(&probe->tree, memory, &surface, probe->isa)) {
        probe->tree = (dr_tree){0};
        return false;
    }
    dr_upkeep_begin(&probe->upkeep, DRAPE_HIERARCHY_OCTREE, &probe->tree, &surface, pool,
                    (float)thickness);
    return true;
}

static bool resize_solids(dr_probe* probe, dr_memory* memory, int count)
{
    if (!dr_array_reserve(memory, &probe->solids, sizeof(dr_solid), count)) {
        return false;
    }
    dr_solid* solids = probe->solids.data;
    for (int i = count; i < probe->solids.count; ++i) {
        dr_solid_free(&solids[i], memory);
    }
    for (int i = probe->solids.count; i < count; ++i) {
        solids[i] = (dr_solid){0};
    }
    probe->solids.count = count;
    return true;
}

typedef struct opening {
    dr_probe* probe;
    const dr_sheets* sheets;
} opening;

// Looks which of the suspects are inside of something.
static void clear_suspects(void* context, int begin, int end, int worker)
{
    const opening* at = context;
    dr_probe* probe = at->probe;
    dr_solid* solids = probe->solids.data;
    (void)worker;
    for (int v = begin; v < end; ++v) {
        if (!probe->is_suspect[v] && probe->hit_stamp[v] != probe->run_stamp) {
            continue;
        }
        uint8_t is_inside = 0;
        for (int i = 0; i < probe->solids.count; ++i) {
            double p[3];
            dr_read3(at->sheets->start[v], p);
            dr_frame_in(&solids[i].frames[0], p, p);
            solids[i].is_inside[v] = dr_solid_is_inside(&solids[i], p, false);
            is_inside |= solids[i].is_inside[v];
        }
        probe->is_suspect[v] = is_inside;
    }
}

bool dr_probe_begin(dr_probe* probe, dr_memory* memory, dr_pool* pool, const dr_sheets* sheets,
                    const dr_slide_obstacle* obstacles, int obstacle_count, double thickness)
{
    if (!grow_tree(probe, memory, pool, sheets, thickness) ||
        !resize_solids(probe, memory, obstacle_count)) {
        return false;
    }
    dr_solid* solids = probe->solids.data;
    for (int i = 0; i < obstacle_count; ++i) {
        if (solids[i].body != obstacles[i].body) {
            dr_probe_forget(probe);
        }
        if (!dr_solid_prepare(&solids[i], memory, pool, &obstacles[i], probe->vertex_count)) {
            return false;
        }
    }
    opening at = {probe, sheets};
    dr_parallel_for(pool, probe->vertex_count, SUSPECT_GRAIN, clear_suspects, &at);
    return true;
}

// --- Places in the frame of a solid ---

typedef struct placing {
    dr_probe* probe;
    const dr_sheets* sheets;
    const dr_solid* solid;
} placing;

// Unlike fmaxf this is no call.
static float larger(float a, float b)
{
    return a > b ? a : b;
}

static void place_vertex(const placing* at, int v, float bounds[6])
{
    const drape_vec3 world[2] = {at->sheets->start[v], at->sheets->end[v]};
    for (int k = 0; k < 2; ++k) {
        double p[3];
        float* place = (k == 0 ? at->probe->start : at->probe->end) + (size_t)v * 4;
        dr_read3(world[k], p);
        dr_frame_in(&at->solid->frames[k], p, p);
        for (int c = 0; c < 3; ++c) {
            place[c] = (float)p[c];
            bounds[c] = larger(bounds[c], -place[c]);
            bounds[c + 3] = larger(bounds[c + 3], place[c]);
        }
        place[3] = 0.0f;
    }
}

static void place_chunks(void* context, int begin, int end, int worker)
{
    const placing* at = context;
    (void)worker;
    for (int chunk = begin; chunk < end; ++chunk) {
        float* bounds = at->probe->bounds[chunk];
        int last = (chunk + 1) * CHUNK;
        last = last < at->probe->vertex_count ? last : at->probe->vertex_count;
        for (int c = 0; c < 6; ++c) {
            bounds[c] = -INFINITY;
        }
        for (int v = chunk * CHUNK; v < last; ++v) {
            place_vertex(at, v, bounds);
        }
    }
}

// Returns whether the cloths come near the solid at all; `radius` gets room for rounding.
static bool place_all(dr_probe* probe, dr_pool* pool, const dr_sheets* sheets,
                      const dr_solid* solid, double* radius)
{
    placing at = {probe, sheets, solid};
    double reach[6], scale = 0.0;
    dr_parallel_for(pool, chunk_count(probe), PLACE_GRAIN, place_chunks, &at);
    for (int c = 0; c < 6; ++c) {
        reach[c] = -INFINITY;
        for (int i = 0; i < chunk_count(probe); ++i) {
            reach[c] = dr_most(reach[c], (double)probe->bounds[i][c]);
        }
        scale = dr_most(scale, fabs(reach[c]));
    }
    *radius += 0x1p-22 * scale;
    for (int c = 0; c < 3; ++c) {
        const float* root = solid->tree.root;
        if (reach[c] + (double)root[c + 3] + *radius < 0.0 ||
            reach[c + 3] + (double)root[c] + *radius < 0.0) {
            return false;
        }
    }
    return true;
}

// --- Triangles by vertex ---

// Sorts the pairs by vertex, which keeps their order otherwise.
static bool sort_pairs(dr_probe* probe, dr_memory* memory)
{
    int count;
    const dr_pair* pairs = dr_pair_search_list(&probe->search, 0, &count);
    if (probe->near.capacity < count &&
        !dr_array_reserve(memory, &probe->near, sizeof(int32_t), count + count / 2)) {
        return false;
    }
    // Two on: what is at v + 1 ends up as where the next triangle of v goes.
    int32_t *first = probe->first, *near = probe->near.data;
    memset(first, 0, sizeof *first * ((size_t)probe->vertex_count + 2));
    for (int i = 0; i < count; ++i) {
        ++first[pairs[i].a + 2];
    }
    for (int v = 0; v < probe->vertex_count; ++v) {
        first[v + 2] += first[v + 1];
    }
    for (int i = 0; i < count; ++i) {
        near[first[pairs[i].a + 1]++] = pairs[i].b;
    }
    return true;
}

static bool list_vertices(dr_probe* probe, dr_memory* memory, const dr_solid* solid,
                          const dr_limits* limits)
{
    probe->listed_count = 0;
    for (int v = 0; v < probe->vertex_count; ++v) {
        bool is_near = probe->first[v + 1] > probe->first[v] || solid->is_inside[v];
        probe->listed[probe->listed_count] = v;
        probe->listed_count += is_near && limits->hold[v] == DR_HOLD_FREE;
    }
    int wanted = probe->listed_count;
    return probe->lots.capacity >= wanted ||
           dr_array_reserve(memory, &probe->lots, sizeof(dr_probe_lot), wanted + wanted / 2);
}

// --- One run ---

typedef struct judging {
    const dr_probe* probe;
    const dr_sheets* sheets;
    const dr_probe_run* run;
} judging;

static void judge_listed(void* context, int begin, int end, int worker)
{
    const judging* at = context;
    const dr_probe* probe = at->probe;
    const dr_solid* solid = at->run->search.solid;
    (void)worker;
    for (int i = begin; i < end; ++i) {
        const int32_t* near = probe->near.data;
        int v = probe->listed[i], first = probe->first[v], count = probe->first[v + 1] - first;
        dr_probe_lot* lot = (dr_probe_lot*)probe->lots.data + i;
        dr_probe_way way = {.vertex = v,
                            .is_inside = solid->is_inside[v],
                            .near_count = count,
                            .near = count > 0 ? near + first : NULL};
        lot->hit_count = lot->exact_tests = 0;
        lot->is_skipped = false;
        lot->gap = INFINITY;
        dr_read3(at->sheets->start[v], way.x);
        dr_read3(at->sheets->end[v], way.q);
        dr_frame_in(&solid->frames[0], way.x, way.x);
        dr_frame_in(&solid->frames[1], way.q, way.q);
        at->run->judge(&at->run->search, &way, lot);
    }
}

static bool detect_one(dr_probe* probe, dr_memory* memory, dr_pool* pool, const dr_sheets* sheets,
                       const dr_slide_obstacle* obstacle, dr_limits* limits, dr_probe_run* run,
                       dr_slide_result* result)
{
    const dr_solid* solid = run->search.solid;
    double radius = run->search.thickness + run->search.tolerance;
    ++result->box_tests;
    if (probe->vertex_count == 0 || !place_all(probe, pool, sheets, solid, &radius)) {
        return true;
    }
    dr_motion motion = {
        .start = probe->start, .end = probe->end, .stride = 4, .radius = (float)radius};
    dr_surface surface = surface_of(probe, sheets);
    dr_tree_refit(&probe->tree, pool, &motion);
    dr_upkeep_look(&probe->upkeep, &probe->tree, memory, pool, &surface, &motion);
    if (!dr_octree_pairs(&probe->search, memory, pool, &probe->tree, &solid->tree) ||
        !sort_pairs(probe, memory) || !list_vertices(probe, memory, solid, limits)) {
        return false;
    }
    result->box_tests += probe->search.box_tests;
    judging at = {probe, sheets, run};
    dr_parallel_for(pool, probe->listed_count, JUDGE_GRAIN, judge_listed, &at);
    return dr_probe_merge(probe, memory, obstacle, limits, run, result);
}

static double largest_coordinate(const dr_sheets* sheets)
{
    float most = 0.0f;
    for (int v = 0; v < sheets->vertex_count; ++v) {
        drape_vec3 a = sheets->start[v], b = sheets->end[v];
        float x = larger(fabsf(a.x), fabsf(b.x)), y = larger(fabsf(a.y), fabsf(b.y));
        most = larger(most, larger(x, larger(y, larger(fabsf(a.z), fabsf(b.z)))));
    }
    return (double)most;
}

// What is held may be led into a solid.
static void suspect_held(dr_probe* probe, const dr_limits* limits)
{
    const int32_t* limited = limits->limited.data;
    for (int i = 0; i < limits->limited.count; ++i) {
        if (limits->hold[limited[i]] != DR_HOLD_FREE) {
            probe->is_suspect[limited[i]] = 1;
        }
    }
}

bool dr_probe_detect(dr_probe* probe, dr_memory* memory, dr_pool* pool, const dr_sheets* sheets,
                     const dr_slide_obstacle* obstacles, int obstacle_count, dr_limits* limits,
                     dr_probe_run* run, dr_slide_result* result)
{
    bool has_memory = true;
    *result = (dr_slide_result){.smallest_gap = INFINITY};
    run->skipped_count = 0;
    // Floats at this distance from the origin are rounded by a quarter of the second term.
    run->search.tolerance = 1e-4 * run->search.thickness + 0x1p-22 * largest_coordinate(sheets);
    probe->run_stamp = probe->run_stamp == INT32_MAX ? 1 : probe->run_stamp + 1;
    suspect_held(probe, limits);
    dr_probe_freeze_torn(probe, sheets, limits, run->search.tolerance, result);
    const dr_solid* solids = probe->solids.data;
    for (int i = 0; i < obstacle_count && i < probe->solids.count && has_memory; ++i) {
        run->search.solid = &solids[i];
        has_memory = detect_one(probe, memory, pool, sheets, &obstacles[i], limits, run, result);
    }
    result->is_clean = has_memory && result->plane_count == 0 && result->frozen_count == 0;
    return has_memory;
}
