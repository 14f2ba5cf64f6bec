#include "mesh/lines.h"

#include <string.h>

#include "core/vec_math.h"

// Edges whose directions differ by more than this cosine are no line.
static const float straight = 0.8f;

// Vertices with more edges than this are no part of a weave.
enum { MOST_EDGES = 16 };

typedef struct finder {
    const dr_mesh* mesh;
    int32_t* edge_start; // per vertex, vertex_count + 1
    int32_t* edge_list;
    int32_t (*next)[2]; // per edge: the one that goes on beyond its first and second vertex, or -1
    bool* is_taken;     // per edge: is in a line, or in none
    int32_t* seen;      // per vertex: the last way that came to it
    int way_count;
} finder;

static bool finder_create(finder* f, dr_memory* memory, const dr_mesh* mesh)
{
    f->mesh = mesh;
    f->edge_start = dr_new_zeroed(memory, int32_t, mesh->vertex_count + 2);
    f->edge_list = dr_new(memory, int32_t, 2 * (size_t)mesh->edge_count + 1);
    f->next =
        dr_allocate_zeroed(memory, dr_array_bytes((size_t)mesh->edge_count + 1, sizeof *f->next));
    f->is_taken = dr_new_zeroed(memory, bool, mesh->edge_count + 1);
    f->seen = dr_new_zeroed(memory, int32_t, mesh->vertex_count + 1);
    f->way_count = 0;
    return f->edge_start && f->edge_list && f->next && f->is_taken && f->seen;
}

static void finder_free(finder* f, dr_memory* memory)
{
    dr_delete(memory, f->edge_start, f->mesh->vertex_count + 2);
    dr_delete(memory, f->edge_list, 2 * (size_t)f->mesh->edge_count + 1);
    dr_release(memory, f->next, sizeof *f->next * ((size_t)f->mesh->edge_count + 1));
    dr_delete(memory, f->is_taken, f->mesh->edge_count + 1);
    dr_delete(memory, f->seen, f->mesh->vertex_count + 1);
}

// --- Which edges go on ---

static void list_edges(finder* f)
{
    const dr_mesh* mesh = f->mesh;
    int32_t* start = f->edge_start + 1; // shifted, so that filling moves it into place
    for (int e = 0; e < mesh->edge_count; ++e) {
        ++start[mesh->edges[e].v[0] + 1];
        ++start[mesh->edges[e].v[1] + 1];
    }
    for (int v = 0; v < mesh->vertex_count; ++v) {
        start[v + 1] += start[v];
    }
    for (int e = 0; e < mesh->edge_count; ++e) {
        f->edge_list[start[mesh->edges[e].v[0]]++] = e;
        f->edge_list[start[mesh->edges[e].v[1]]++] = e;
    }
}

static float length_squared(const dr_mesh* mesh, int edge)
{
    drape_vec3 d = dr_sub(mesh->rest[mesh->edges[edge].v[1]], mesh->rest[mesh->edges[edge].v[0]]);
    return dr_dot(d, d);
}

bool dr_lines_is_diagonal(const dr_mesh* mesh, int edge)
{
    const dr_edge* e = &mesh->edges[edge];
    bool is_longest = true;
    for (int side = 0; side < 2 && e->t[side] >= 0; ++side) {
        for (int k = 0; k < 3; ++k) {
            int other = mesh->triangle_edges[3 * e->t[side] + k];
            is_longest &= other < 0 || other == edge ||
                          length_squared(mesh, other) < 0.98f * length_squared(mesh, edge);
        }
    }
    return is_longest;
}

// Unit direction away from a vertex; false without a length.
static bool direction_from(const dr_mesh* mesh, int edge, int vertex, drape_vec3* direction)
{
    const dr_edge* e = &mesh->edges[edge];
    int other = e->v[0] == vertex ? e->v[1] : e->v[0];
    drape_vec3 d = dr_sub(mesh->rest[other], mesh->rest[vertex]);
    float squared = dr_dot(d, d);
    *direction = squared > 0.0f ? dr_normalize(d) : d;
    return squared > 0.0f;
}

static void join(finder* f, int vertex, int a, int b)
{
    f->next[a][f->mesh->edges[a].v[0] == vertex ? 0 : 1] = b;
    f->next[b][f->mesh->edges[b].v[0] == vertex ? 0 : 1] = a;
}

// Pairs the edges of a vertex, the straightest first.
static void pair_edges(finder* f, int vertex)
{
    int edges[MOST_EDGES], count = 0;
    drape_vec3 direction[MOST_EDGES];
    int begin = f->edge_start[vertex], end = f->edge_start[vertex + 1];
    for (int i = begin; i < end && end - begin <= MOST_EDGES; ++i) {
        int edge = f->edge_list[i];
        if (!f->is_taken[edge] && direction_from(f->mesh, edge, vertex, &direction[count])) {
            edges[count++] = edge;
        }
    }
    for (;;) {
        int best_a = -1, best_b = -1;
        float best = -straight;
        for (int a = 0; a < count; ++a) {
            for (int b = a + 1; b < count; ++b) {
                float cosine =
                    edges[a] < 0 || edges[b] < 0 ? 1.0f : dr_dot(direction[a], direction[b]);
                if (cosine < best) {
                    best = cosine;
                    best_a = a;
                    best_b = b;
                }
            }
        }
        if (best_a < 0) {
            return;
        }
        join(f, vertex, edges[best_a], edges[best_b]);
        edges[best_a] = edges[best_b] = -1;
    }
}

// --- Ways ---

typedef struct way {
    int edge, vertex; // at its head
} way;

static int far_end(const dr_mesh* mesh, way w)
{
    const dr_edge* e = &mesh->edges[w.edge];
    return e->v[0] == w.vertex ? e->v[1] : e->v[0];
}

// The edge after this one, which begins where it ends; -1: none.
static int after(const finder* f, way w)
{
    int end = far_end(f->mesh, w);
    return f->next[w.edge][f->mesh->edges[w.edge].v[0] == end ? 0 : 1];
}

// Back from an edge to where its line begins; a ring begins with the edge itself.
static way begin_of(const finder* f, int edge)
{
    way w = {edge, f->mesh->edges[edge].v[1]}; // looking back: towards its first vertex
    int next = after(f, w);
    while (next >= 0 && next != edge && !f->is_taken[next]) {
        w = (way){next, far_end(f->mesh, w)};
        next = after(f, w);
    }
    return next == edge ? (way){edge, f->mesh->edges[edge].v[0]}
                        : (way){w.edge, far_end(f->mesh, w)};
}

// A way that comes to a vertex again is cut there, unless it is the first: a ring.
static void add_line(finder* f, dr_lines* lines, way w)
{
    int32_t* vertices = lines->vertices + lines->vertex_count;
    int32_t* edges = lines->edges + lines->vertex_count;
    int count = 1;
    ++f->way_count;
    vertices[0] = w.vertex;
    while (w.edge >= 0 && !f->is_taken[w.edge]) {
        int end = far_end(f->mesh, w);
        if (f->seen[end] == f->way_count) {
            break;
        }
        f->seen[end] = f->way_count;
        f->is_taken[w.edge] = true;
        edges[count - 1] = w.edge;
        vertices[count++] = end;
        w = (way){after(f, w), end};
        if (end == vertices[0]) {
            break;
        }
    }
    edges[count - 1] = -1;
    lines->vertex_count += count;
    lines->start[++lines->count] = lines->vertex_count;
}

bool dr_lines_find(dr_lines* lines, dr_memory* memory, const dr_mesh* mesh)
{
    *lines = (dr_lines){.edge_room = mesh->edge_count};
    size_t room = 2 * (size_t)mesh->edge_count + 2; // a line of one edge has two vertices
    lines->start = dr_new_zeroed(memory, int32_t, mesh->edge_count + 2);
    lines->vertices = dr_new(memory, int32_t, room);
    lines->edges = dr_new(memory, int32_t, room);
    finder f;
    bool done = finder_create(&f, memory, mesh) && lines->start && lines->vertices && lines->edges;
    if (done) {
        memset(f.next, -1, sizeof *f.next * ((size_t)mesh->edge_count + 1));
        list_edges(&f);
        for (int e = 0; e < mesh->edge_count; ++e) {
            f.is_taken[e] = !(length_squared(mesh, e) > 0.0f);
        }
        for (int v = 0; v < mesh->vertex_count; ++v) {
            pair_edges(&f, v);
        }
        for (int e = 0; e < mesh->edge_count; ++e) {
            if (!f.is_taken[e]) {
                add_line(&f, lines, begin_of(&f, e));
            }
        }
    }
    finder_free(&f, memory);
    return done;
}

void dr_lines_free(dr_lines* lines, dr_memory* memory)
{
    size_t room = 2 * (size_t)lines->edge_room + 2;
    dr_delete(memory, lines->start, lines->edge_room + 2);
    dr_delete(memory, lines->vertices, room);
    dr_delete(memory, lines->edges, room);
    *lines = (dr_lines){0};
}
