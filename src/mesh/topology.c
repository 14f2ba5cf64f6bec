// mesh/topology.c: who touches whom. Counting sorts only, so all of it is linear.
//
// A half-edge is number 3 t + k: the edge of triangle t opposite to its corner k, running from
// corner k+1 to k+2. Sorted by (lower end, upper end), the half-edges of one edge form a run.
#include <string.h>

#include "mesh/stages.h"

static const int NEXT[3] = {1, 2, 0};

// Stars: the triangles around each vertex, and what they connect.

static void fill_stars(dr_mesh* mesh)
{
    // start[v + 1] counts, then sums, then walks from the beginning of v's list to its end.
    int32_t* start = mesh->vertex_triangle_start;
    for (int t = 0; t < mesh->triangle_count; ++t) {
        const int32_t* corners = mesh->triangles[t];
        for (int k = 0; k < 3 && !dr_triangle_is_collapsed(corners); ++k) {
            ++start[corners[k] + 1];
        }
    }
    int32_t sum = 0;
    for (int v = 0; v < mesh->vertex_count; ++v) {
        int32_t degree = start[v + 1];
        mesh->report.isolated_vertex_count += degree == 0;
        start[v + 1] = sum;
        sum += degree;
    }
    for (int t = 0; t < mesh->triangle_count; ++t) {
        const int32_t* corners = mesh->triangles[t];
        for (int k = 0; k < 3 && !dr_triangle_is_collapsed(corners); ++k) {
            mesh->vertex_triangle_list[start[corners[k] + 1]++] = t;
        }
    }
}

// Gives `part` to all that can be reached from `seed`. `stack` holds vertex_count.
static void flood_part(dr_mesh* mesh, int32_t seed, int32_t part, int32_t* stack)
{
    int depth = 0;
    stack[depth++] = seed;
    mesh->vertex_part[seed] = part;
    while (depth > 0) {
        int32_t v = stack[--depth];
        for (int32_t i = mesh->vertex_triangle_start[v]; i < mesh->vertex_triangle_start[v + 1];
             ++i) {
            const int32_t* corners = mesh->triangles[mesh->vertex_triangle_list[i]];
            for (int k = 0; k < 3; ++k) {
                if (mesh->vertex_part[corners[k]] < 0) {
                    mesh->vertex_part[corners[k]] = part;
                    stack[depth++] = corners[k];
                }
            }
        }
    }
}

static bool find_parts(dr_mesh* mesh, dr_memory* memory)
{
    int32_t* stack = dr_new(memory, int32_t, mesh->vertex_count);
    if (!stack) {
        return false;
    }
    memset(mesh->vertex_part, 0xff, (size_t)mesh->vertex_count * sizeof *mesh->vertex_part);
    for (int32_t v = 0; v < mesh->vertex_count; ++v) {
        if (mesh->vertex_part[v] < 0) {
            flood_part(mesh, v, mesh->part_count++, stack);
        }
    }
    dr_delete(memory, stack, mesh->vertex_count);
    return true;
}

bool dr_mesh_build_stars(dr_mesh* mesh, dr_memory* memory)
{
    size_t corner_count = 3 * (size_t)mesh->triangle_count;
    mesh->vertex_triangle_start = dr_new_zeroed(memory, int32_t, (size_t)mesh->vertex_count + 1);
    mesh->vertex_triangle_list = dr_new(memory, int32_t, corner_count);
    mesh->vertex_part = dr_new(memory, int32_t, mesh->vertex_count);
    if (!mesh->vertex_triangle_start || !mesh->vertex_part ||
        (!mesh->vertex_triangle_list && corner_count > 0)) {
        return false;
    }
    fill_stars(mesh);
    return find_parts(mesh, memory);
}

// A half-edge with its ends at hand, so that sorting reads straight through memory.
typedef struct half_edge {
    int32_t end[2]; // lower, upper
    int32_t h;
} half_edge;

// Scratch of the edge stage: two lists of half-edges, and one number per vertex.
typedef struct edge_scratch {
    half_edge* list;
    half_edge* spare;
    int32_t* by_vertex;
    int count; // half-edges in the list
} edge_scratch;

static bool scratch_allocate(edge_scratch* scratch, dr_memory* memory, const dr_mesh* mesh)
{
    size_t half_edge_count = 3 * (size_t)mesh->triangle_count;
    scratch->list = dr_new(memory, half_edge, half_edge_count);
    scratch->spare = dr_new(memory, half_edge, half_edge_count);
    scratch->by_vertex = dr_new(memory, int32_t, (size_t)mesh->vertex_count + 1);
    return scratch->by_vertex && (half_edge_count == 0 || (scratch->list && scratch->spare));
}

static void scratch_free(edge_scratch* scratch, dr_memory* memory, const dr_mesh* mesh)
{
    size_t half_edge_count = 3 * (size_t)mesh->triangle_count;
    dr_delete(memory, scratch->list, half_edge_count);
    dr_delete(memory, scratch->spare, half_edge_count);
    dr_delete(memory, scratch->by_vertex, (size_t)mesh->vertex_count + 1);
}

static int32_t from_of(const dr_mesh* mesh, half_edge edge)
{
    return mesh->triangles[edge.h / 3][NEXT[edge.h % 3]];
}

static int32_t opposite_of(const dr_mesh* mesh, half_edge edge)
{
    return mesh->triangles[edge.h / 3][edge.h % 3];
}

// Lists the half-edges of all triangles that have any, and marks the edges of the others as none.
static void list_half_edges(dr_mesh* mesh, edge_scratch* scratch)
{
    scratch->count = 0;
    for (int32_t t = 0; t < mesh->triangle_count; ++t) {
        const int32_t* corners = mesh->triangles[t];
        bool collapsed = dr_triangle_is_collapsed(corners);
        for (int k = 0; k < 3; ++k) {
            mesh->triangle_edges[3 * t + k] = -1;
            if (!collapsed) {
                int32_t a = corners[NEXT[k]], b = corners[NEXT[NEXT[k]]];
                scratch->list[scratch->count++] =
                    (half_edge){.end = {a < b ? a : b, a < b ? b : a}, .h = 3 * t + k};
            }
        }
    }
}

// Stable counting sort of the list by the lower (0) or upper (1) end.
static void sort_by_end(const dr_mesh* mesh, edge_scratch* scratch, int end)
{
    int32_t* start = scratch->by_vertex;
    memset(start, 0, ((size_t)mesh->vertex_count + 1) * sizeof *start);
    for (int i = 0; i < scratch->count; ++i) {
        ++start[scratch->list[i].end[end] + 1];
    }
    for (int v = 0; v < mesh->vertex_count; ++v) {
        start[v + 1] += start[v];
    }
    for (int i = 0; i < scratch->count; ++i) {
        scratch->spare[start[scratch->list[i].end[end]]++] = scratch->list[i];
    }
    half_edge* sorted = scratch->spare;
    scratch->spare = scratch->list;
    scratch->list = sorted;
}

// Number of half-edges of the edge whose run begins here.
static int run_length(const edge_scratch* scratch, int begin)
{
    const half_edge* run = scratch->list + begin;
    int length = 1;
    while (begin + length < scratch->count && run[length].end[0] == run[0].end[0] &&
           run[length].end[1] == run[0].end[1]) {
        ++length;
    }
    return length;
}

// What is unusual about an edge, from the half-edges of its run.
static void report_run(dr_mesh* mesh, const half_edge* run, int length)
{
    mesh->report.border_edge_count += length == 1;
    mesh->report.non_manifold_edge_count += length > 2;
    mesh->report.inconsistent_edge_count +=
        length == 2 && from_of(mesh, run[0]) == from_of(mesh, run[1]);
}

// Duplicates meet in the run of their two lowest vertices with the same third. `last_edge` holds
// for each vertex the last edge that met it as such a third.
static void report_duplicates(dr_mesh* mesh, const half_edge* run, int length, int32_t* last_edge)
{
    int32_t edge = mesh->edge_count;
    for (int i = 0; i < length; ++i) {
        int32_t third = opposite_of(mesh, run[i]);
        if (third > run[i].end[1]) {
            mesh->report.duplicate_count += last_edge[third] == edge;
            last_edge[third] = edge;
        }
    }
}

static void count_edges(dr_mesh* mesh, edge_scratch* scratch)
{
    int32_t* last_edge = scratch->by_vertex;
    memset(last_edge, 0xff, ((size_t)mesh->vertex_count + 1) * sizeof *last_edge);
    for (int begin = 0, length; begin < scratch->count; begin += length) {
        length = run_length(scratch, begin);
        const half_edge* run = scratch->list + begin;
        report_run(mesh, run, length);
        report_duplicates(mesh, run, length, last_edge);
        for (int i = 1; i < length; ++i) {
            mesh->hinge_count += opposite_of(mesh, run[i]) != opposite_of(mesh, run[0]);
        }
        ++mesh->edge_count;
    }
}

static dr_hinge make_hinge(const dr_mesh* mesh, half_edge first, half_edge second, int32_t edge)
{
    bool rising = from_of(mesh, first) == first.end[0];
    return (dr_hinge){
        .v = {first.end[!rising], first.end[rising], opposite_of(mesh, first),
              opposite_of(mesh, second)},
        .t = {first.h / 3, second.h / 3},
        .edge = edge,
    };
}

static void fill_edges(dr_mesh* mesh, const edge_scratch* scratch)
{
    int32_t edge = 0;
    int hinge = 0;
    for (int begin = 0, length; begin < scratch->count; begin += length, ++edge) {
        length = run_length(scratch, begin);
        const half_edge* run = scratch->list + begin;
        mesh->edges[edge] = (dr_edge){
            .v = {run[0].end[0], run[0].end[1]},
            .t = {run[0].h / 3, length > 1 ? run[1].h / 3 : -1},
        };
        for (int i = 0; i < length; ++i) {
            mesh->triangle_edges[run[i].h] = edge;
            if (opposite_of(mesh, run[i]) != opposite_of(mesh, run[0])) {
                mesh->hinges[hinge++] = make_hinge(mesh, run[0], run[i], edge);
            }
        }
    }
}

bool dr_mesh_build_edges(dr_mesh* mesh, dr_memory* memory)
{
    edge_scratch scratch = {0};
    size_t half_edge_count = 3 * (size_t)mesh->triangle_count;
    mesh->triangle_edges = dr_new(memory, int32_t, half_edge_count);
    bool ready =
        scratch_allocate(&scratch, memory, mesh) && (mesh->triangle_edges || half_edge_count == 0);
    if (ready) {
        // The stable second sort keeps the order of the first, and triangles ascend within a run.
        list_half_edges(mesh, &scratch);
        sort_by_end(mesh, &scratch, 1);
        sort_by_end(mesh, &scratch, 0);
        count_edges(mesh, &scratch);
        mesh->edges = dr_new(memory, dr_edge, mesh->edge_count);
        mesh->hinges = dr_new(memory, dr_hinge, mesh->hinge_count);
        ready = (mesh->edges || mesh->edge_count == 0) && (mesh->hinges || mesh->hinge_count == 0);
    }
    if (ready) {
        fill_edges(mesh, &scratch);
    }
    scratch_free(&scratch, memory, mesh);
    return ready;
}

bool dr_mesh_build_ownership(dr_mesh* mesh, dr_memory* memory)
{
    mesh->owned = dr_new_zeroed(memory, uint8_t, mesh->triangle_count);
    if (!mesh->owned) {
        return mesh->triangle_count == 0;
    }
    for (int v = 0; v < mesh->vertex_count; ++v) {
        int32_t start = mesh->vertex_triangle_start[v];
        if (start < mesh->vertex_triangle_start[v + 1]) {
            int32_t owner = mesh->vertex_triangle_list[start];
            const int32_t* corners = mesh->triangles[owner];
            int corner = corners[0] == v ? 0 : corners[1] == v ? 1 : 2;
            mesh->owned[owner] |= (uint8_t)(1 << corner);
        }
    }
    // The edge opposite to corner k runs from k+1 on, so it is number k+1 of the edge bits.
    for (int32_t h = 0; h < 3 * mesh->triangle_count; ++h) {
        int32_t edge = mesh->triangle_edges[h];
        if (edge >= 0 && mesh->edges[edge].t[0] == h / 3) {
            mesh->owned[h / 3] |= (uint8_t)(8 << NEXT[h % 3]);
        }
    }
    return true;
}
