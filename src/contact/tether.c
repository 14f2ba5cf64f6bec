#include "contact/tether.h"

#include <math.h>
#include <string.h>

#include "contact/sensor_geodesic.h"
#include "contact/sensor_march.h"
#include "core/isa.h"

// What building needs and drops again.
typedef struct builder {
    dr_memory* memory;
    const dr_mesh* mesh;
    const dr_sheet* sheet;
    bool is_flat;
    int32_t* island;  // per vertex: a held vertex that stands for its island, -1: free
    int32_t* members; // held vertices, island by island
    int member_count;
    dr_march march;
    double* marched;  // per vertex: way to the source of the last march
    double* way;      // per vertex: way to the nearest anchor of the island
    int32_t* nearest; // that anchor, a vertex
    double* best;     // DR_TETHER_ROWS per vertex, rising
    int32_t* best_anchor;
} builder;

static void builder_free(builder* b)
{
    int count = b->mesh->vertex_count;
    dr_delete(b->memory, b->island, count);
    dr_delete(b->memory, b->members, count);
    dr_delete(b->memory, b->marched, count);
    dr_delete(b->memory, b->way, count);
    dr_delete(b->memory, b->nearest, count);
    dr_delete(b->memory, b->best, (size_t)count * DR_TETHER_ROWS);
    dr_delete(b->memory, b->best_anchor, (size_t)count * DR_TETHER_ROWS);
    dr_march_free(&b->march, b->memory);
}

static bool builder_create(builder* b, dr_memory* memory, const dr_mesh* mesh,
                           const dr_sheet* sheet)
{
    int count = mesh->vertex_count;
    *b = (builder){.memory = memory, .mesh = mesh, .sheet = sheet};
    b->island = dr_new(memory, int32_t, count);
    b->members = dr_new(memory, int32_t, count);
    b->marched = dr_new(memory, double, count);
    b->way = dr_new(memory, double, count);
    b->nearest = dr_new(memory, int32_t, count);
    b->best = dr_new(memory, double, (size_t)count* DR_TETHER_ROWS);
    b->best_anchor = dr_new_zeroed(memory, int32_t, (size_t)count * DR_TETHER_ROWS);
    dr_geodesic geodesic = {.mesh = mesh};
    bool made = b->island && b->members && b->marched && b->way && b->nearest && b->best &&
                b->best_anchor && dr_march_create(&b->march, memory, mesh) &&
                dr_geodesic_find_flat(&geodesic, memory);
    b->is_flat = geodesic.is_flat;
    return made;
}

// --- Islands ---

static bool is_held(const builder* b, int vertex)
{
    return dr_sheet_inverse_mass(b->sheet, b->sheet->slot_of_vertex[vertex]) == 0.0f;
}

static int head_of(int32_t* island, int vertex)
{
    while (island[vertex] != vertex) {
        vertex = island[vertex] = island[island[vertex]];
    }
    return vertex;
}

// Held vertices joined by edges; the least of them stands for all.
static void find_islands(builder* b)
{
    for (int v = 0; v < b->mesh->vertex_count; ++v) {
        b->island[v] = is_held(b, v) ? v : -1;
    }
    for (int e = 0; e < b->mesh->edge_count; ++e) {
        const int32_t* v = b->mesh->edges[e].v;
        if (b->island[v[0]] >= 0 && b->island[v[1]] >= 0) {
            int p = head_of(b->island, v[0]), q = head_of(b->island, v[1]);
            b->island[p > q ? p : q] = p > q ? q : p;
        }
    }
    for (int v = 0; v < b->mesh->vertex_count; ++v) {
        if (b->island[v] >= 0) {
            b->island[v] = head_of(b->island, v);
        }
    }
}

// --- Ways ---

static double straight(const builder* b, int p, int q)
{
    drape_vec3 a = b->mesh->rest[p], c = b->mesh->rest[q];
    double x = (double)c.x - a.x, y = (double)c.y - a.y, z = (double)c.z - a.z;
    return sqrt(x * x + y * y + z * z);
}

static void offer_anchor(builder* b, int anchor)
{
    if (!b->is_flat) {
        dr_march_run(&b->march, anchor, b->marched);
    }
    for (int v = 0; v < b->mesh->vertex_count; ++v) {
        bool is_reached = b->mesh->vertex_part[v] == b->mesh->vertex_part[anchor];
        double way = b->is_flat ? (is_reached ? straight(b, v, anchor) : INFINITY) : b->marched[v];
        if (way < b->way[v]) {
            b->way[v] = way;
            b->nearest[v] = anchor;
        }
    }
}

// The member of an island that is furthest from all its anchors so far; -1 when all are anchors.
static int furthest_member(const builder* b, const int32_t* members, int count)
{
    int found = -1;
    for (int i = 0; i < count; ++i) {
        if (b->way[members[i]] > 0.0 && (found < 0 || b->way[members[i]] > b->way[found])) {
            found = members[i];
        }
    }
    return found;
}

// Ways from all vertices to one island.
static void spread_island(builder* b, const int32_t* members, int count)
{
    for (int v = 0; v < b->mesh->vertex_count; ++v) {
        b->way[v] = INFINITY;
    }
    if (b->is_flat) {
        for (int i = 0; i < count; ++i) {
            offer_anchor(b, members[i]);
        }
        return;
    }
    int next = members[0];
    for (int i = 0; i < DR_TETHER_MARCHES && next >= 0; ++i) {
        offer_anchor(b, next);
        next = furthest_member(b, members, count);
    }
}

// Keeps the nearest islands of each vertex, sorted.
static void keep_best(builder* b)
{
    for (int v = 0; v < b->mesh->vertex_count; ++v) {
        double* best = b->best + (size_t)v * DR_TETHER_ROWS;
        int32_t* anchor = b->best_anchor + (size_t)v * DR_TETHER_ROWS;
        double way = b->way[v];
        int32_t nearest = b->nearest[v];
        for (int row = 0; row < DR_TETHER_ROWS && isfinite(way); ++row) {
            if (way < best[row]) {
                double further = best[row];
                int32_t other = anchor[row];
                best[row] = way;
                anchor[row] = nearest;
                way = further;
                nearest = other;
            }
        }
    }
}

static void find_ways(builder* b)
{
    for (size_t i = 0; i < (size_t)b->mesh->vertex_count * DR_TETHER_ROWS; ++i) {
        b->best[i] = INFINITY;
    }
    for (int v = 0; v < b->mesh->vertex_count; ++v) {
        if (b->island[v] != v) {
            continue;
        }
        b->member_count = 0;
        for (int m = v; m < b->mesh->vertex_count; ++m) {
            if (b->island[m] == v) {
                b->members[b->member_count++] = m;
            }
        }
        spread_island(b, b->members, b->member_count);
        keep_best(b);
    }
}

// --- Ties ---

// Numbers the anchors that are used; `island` is reused for their numbers.
static void number_anchors(builder* b, dr_tethers* tethers)
{
    int32_t* number = b->island;
    for (int v = 0; v < b->mesh->vertex_count; ++v) {
        number[v] = -1;
    }
    for (size_t i = 0; i < (size_t)b->mesh->vertex_count * DR_TETHER_ROWS; ++i) {
        bool is_used = isfinite(b->best[i]) && !is_held(b, (int)(i / DR_TETHER_ROWS));
        int row = (int)(i % DR_TETHER_ROWS);
        if (is_used && number[b->best_anchor[i]] < 0) {
            number[b->best_anchor[i]] = tethers->anchor_count;
            b->members[tethers->anchor_count++] = b->best_anchor[i];
        }
        tethers->row_count = is_used && row + 1 > tethers->row_count ? row + 1 : tethers->row_count;
    }
}

static bool allocate(dr_tethers* tethers, dr_memory* memory)
{
    size_t slots = (size_t)tethers->vector_count * 8, ties = slots * (size_t)tethers->row_count;
    tethers->anchor = dr_new_zeroed(memory, int32_t, ties);
    tethers->length = dr_new(memory, float, ties);
    tethers->anchor_slots = dr_new(memory, int32_t, tethers->anchor_count);
    tethers->anchors = dr_new_zeroed(memory, float, (size_t)tethers->anchor_count * 4);
    bool made = tethers->anchor && tethers->length && tethers->anchor_slots && tethers->anchors;
    for (size_t i = 0; made && i < ties; ++i) {
        tethers->length[i] = INFINITY;
    }
    return made;
}

static void tie(const builder* b, dr_tethers* tethers, float slack)
{
    size_t slots = (size_t)tethers->vector_count * 8;
    double longer = (1.0 + (double)slack) * (b->is_flat ? 1.0 + 1e-6 : 1.01);
    for (int i = 0; i < tethers->anchor_count; ++i) {
        tethers->anchor_slots[i] = b->sheet->slot_of_vertex[b->members[i]];
    }
    for (int v = 0; v < b->mesh->vertex_count; ++v) {
        for (int k = 0; k < tethers->row_count && !is_held(b, v); ++k) {
            size_t from = (size_t)v * DR_TETHER_ROWS + (size_t)k;
            // The nearest one is applied last: where they are at odds, it holds.
            size_t row = (size_t)(tethers->row_count - 1 - k);
            size_t to = row * slots + (size_t)b->sheet->slot_of_vertex[v];
            if (isfinite(b->best[from])) {
                tethers->anchor[to] = b->island[b->best_anchor[from]];
                tethers->length[to] = (float)(longer * b->best[from]);
            }
        }
    }
}

bool dr_tethers_create(dr_tethers* tethers, dr_memory* memory, const dr_mesh* mesh,
                       const dr_sheet* sheet, float slack)
{
    *tethers = (dr_tethers){.vector_count = sheet->vector_count};
    int held = 0;
    builder b = {.memory = memory, .mesh = mesh, .sheet = sheet};
    for (int v = 0; v < mesh->vertex_count; ++v) {
        held += is_held(&b, v);
    }
    if (held == 0 || held == mesh->vertex_count) {
        return true;
    }
    bool made = builder_create(&b, memory, mesh, sheet);
    if (made) {
        find_islands(&b);
        find_ways(&b);
        number_anchors(&b, tethers);
        made = tethers->anchor_count == 0 || allocate(tethers, memory);
        if (made && tethers->anchor_count > 0) {
            tie(&b, tethers, slack);
        }
    }
    builder_free(&b);
    return made;
}

void dr_tethers_free(dr_tethers* tethers, dr_memory* memory)
{
    size_t ties = (size_t)tethers->vector_count * 8 * (size_t)tethers->row_count;
    dr_delete(memory, tethers->anchor, ties);
    dr_delete(memory, tethers->length, ties);
    dr_delete(memory, tethers->anchor_slots, tethers->anchor_count);
    dr_delete(memory, tethers->anchors, (size_t)tethers->anchor_count * 4);
    *tethers = (dr_tethers){0};
}

void dr_tethers_begin(dr_tethers* tethers, const dr_sheet* sheet)
{
    for (int i = 0; i < tethers->anchor_count; ++i) {
        drape_vec3 p = dr_sheet_get(sheet->layout, sheet->pos, tethers->anchor_slots[i]);
        memcpy(tethers->anchors + (size_t)i * 4, (const float[4]){p.x, p.y, p.z, 0.0f},
               sizeof(float[4]));
    }
}

DR_KERNEL_TABLE(dr_tether_kernels)
