// mesh/order.c: breadth-first levels.
#include "mesh/order.h"

#include <string.h>

// Walks to find a far end of a part. Each doubles back from the end of the one before; two or three
// suffice on cloth, and the bound keeps all of it linear.
enum { MAX_WALKS = 8 };

typedef struct walker {
    const dr_mesh* mesh;
    uint8_t* seen;        // per vertex: the number of the last walk that met it
    int32_t* queue;       // vertices in the order in which they were met
    int32_t* level_start; // places in the queue where levels begin, counted from the part's first
    int level_count;
    int count; // vertices met
} walker;

static int star_size(const dr_mesh* mesh, int32_t v)
{
    return mesh->vertex_triangle_start[v + 1] - mesh->vertex_triangle_start[v];
}

// Appends the neighbours of v that this walk has not met.
static void visit(walker* w, int32_t v, uint8_t walk)
{
    const dr_mesh* mesh = w->mesh;
    for (int32_t i = mesh->vertex_triangle_start[v]; i < mesh->vertex_triangle_start[v + 1]; ++i) {
        const int32_t* corners = mesh->triangles[mesh->vertex_triangle_list[i]];
        for (int k = 0; k < 3; ++k) {
            if (w->seen[corners[k]] != walk) {
                w->seen[corners[k]] = walk;
                w->queue[w->count++] = corners[k];
            }
        }
    }
}

// One breadth-first walk over the part of `from`.
static void walk_from(walker* w, int32_t from, uint8_t walk)
{
    w->count = 0;
    w->level_count = 0;
    w->seen[from] = walk;
    w->queue[w->count++] = from;
    for (int next = 0; next < w->count;) {
        int level_end = w->count;
        w->level_start[w->level_count++] = next;
        while (next < level_end) {
            visit(w, w->queue[next++], walk);
        }
    }
}

// Of the last level, the vertex with the fewest triangles: the best guess for a corner.
static int32_t far_end(const walker* w)
{
    int32_t best = w->queue[w->level_start[w->level_count - 1]];
    for (int i = w->level_start[w->level_count - 1]; i < w->count; ++i) {
        if (star_size(w->mesh, w->queue[i]) < star_size(w->mesh, best)) {
            best = w->queue[i];
        }
    }
    return best;
}

// Leaves the walk from a pseudo-peripheral vertex (George and Liu 1979): one whose far end sees no
// more levels than itself. Walking from a far end never gives fewer, so the last walk is the one.
static void walk_part(walker* w, int32_t seed)
{
    walk_from(w, seed, 1);
    for (uint8_t walk = 2; walk <= MAX_WALKS; ++walk) {
        int level_count = w->level_count;
        walk_from(w, far_end(w), walk);
        if (w->level_count == level_count) {
            return;
        }
    }
}

// Within a level, vertices of as many triangles follow one another, so that eight of them have as
// much work. Stable.
static void sort_level(const dr_mesh* mesh, int32_t* vertices, int count, int32_t* buffer)
{
    enum { SIZES = 16 };
    int start[SIZES + 1] = {0};
    for (int i = 0; i < count; ++i) {
        int size = star_size(mesh, vertices[i]);
        ++start[1 + (size < SIZES ? size : SIZES - 1)];
    }
    for (int size = 0; size < SIZES; ++size) {
        start[size + 1] += start[size];
    }
    for (int i = 0; i < count; ++i) {
        int size = star_size(mesh, vertices[i]);
        buffer[start[size < SIZES ? size : SIZES - 1]++] = vertices[i];
    }
    memcpy(vertices, buffer, sizeof *vertices * (size_t)count);
}

// Adds the walk's vertices and levels to the order, behind those that are there.
static void append_part(dr_order* order, const walker* w, int first_slot)
{
    for (int k = 0; k < w->level_count; ++k) {
        order->level_start[order->level_count++] = first_slot + w->level_start[k];
    }
}

static void append_isolated(dr_order* order, const dr_mesh* mesh, int first_slot)
{
    if (first_slot < mesh->vertex_count) {
        order->level_start[order->level_count++] = first_slot;
    }
    for (int32_t v = 0; v < mesh->vertex_count; ++v) {
        if (star_size(mesh, v) == 0) {
            order->vertex_of_slot[first_slot++] = v;
        }
    }
}

// Fills in the order; level_start has room for one level per vertex here.
static void build(dr_order* order, walker* w)
{
    const dr_mesh* mesh = w->mesh;
    int slot = 0;
    for (int32_t v = 0; v < mesh->vertex_count; ++v) {
        if (w->seen[v] == 0 && star_size(mesh, v) > 0) {
            w->queue = order->vertex_of_slot + slot;
            walk_part(w, v);
            append_part(order, w, slot);
            slot += w->count;
        }
    }
    append_isolated(order, mesh, slot);
    order->level_start[order->level_count] = mesh->vertex_count;
    for (int k = 0; k < order->level_count; ++k) {
        int first = order->level_start[k];
        // The inverse is not filled in yet and has room.
        sort_level(mesh, order->vertex_of_slot + first, order->level_start[k + 1] - first,
                   order->slot_of_vertex);
    }
    for (int32_t s = 0; s < mesh->vertex_count; ++s) {
        order->slot_of_vertex[order->vertex_of_slot[s]] = s;
    }
}

// Replaces the roomy level_start by one of the right size.
static bool trim_levels(dr_order* order, dr_memory* memory)
{
    size_t room = (size_t)order->vertex_count + 1, used = (size_t)order->level_count + 1;
    int32_t* trimmed = dr_new(memory, int32_t, used);
    if (trimmed) {
        memcpy(trimmed, order->level_start, used * sizeof *trimmed);
    }
    dr_delete(memory, order->level_start, room);
    order->level_start = trimmed;
    return trimmed != NULL;
}

bool dr_order_breadth_first(dr_order* order, dr_memory* memory, const dr_mesh* mesh)
{
    size_t count = (size_t)mesh->vertex_count;
    *order = (dr_order){.vertex_count = mesh->vertex_count};
    walker w = {.mesh = mesh};
    order->slot_of_vertex = dr_new(memory, int32_t, count);
    order->vertex_of_slot = dr_new(memory, int32_t, count);
    order->level_start = dr_new(memory, int32_t, count + 1);
    w.seen = dr_new_zeroed(memory, uint8_t, count);
    w.level_start = dr_new(memory, int32_t, count);
    bool ready = order->slot_of_vertex && order->vertex_of_slot && order->level_start && w.seen &&
                 w.level_start;
    if (ready) {
        build(order, &w);
        ready = trim_levels(order, memory);
    } else {
        dr_delete(memory, order->level_start, count + 1);
        order->level_start = NULL;
    }
    dr_delete(memory, w.seen, count);
    dr_delete(memory, w.level_start, count);
    if (!ready) {
        dr_order_free(order, memory);
    }
    return ready;
}

void dr_order_free(dr_order* order, dr_memory* memory)
{
    dr_delete(memory, order->slot_of_vertex, order->vertex_count);
    dr_delete(memory, order->vertex_of_slot, order->vertex_count);
    dr_delete(memory, order->level_start, (size_t)order->level_count + 1);
    *order = (dr_order){0};
}
