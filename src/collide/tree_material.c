// collide/tree_material.c: sheets halved along their longer side, by triangles or by cells.
#include "collide/tree_build.h"
#include "core/base.h"
#include "core/vec_math.h"

// Room for a binary tree, so that adding its nodes cannot fail.
static bool reserve_binary(dr_tree_plan* plan, dr_memory* memory, int triangle_count)
{
    int node_count = triangle_count > 1 ? triangle_count - 1 : triangle_count;
    return dr_array_reserve(memory, &plan->nodes, sizeof(dr_plan_node), node_count);
}

static int32_t add_pair(dr_tree_plan* plan, dr_memory* memory, int32_t first, int32_t second)
{
    return dr_plan_add(plan, memory, (int32_t[]){first, second}, 2);
}

static int32_t add_halves(dr_tree_plan* plan, dr_memory* memory, const int32_t* order, int count)
{
    if (count == 1) {
        return ~order[0];
    }
    int half = (count + 1) / 2;
    int32_t lower = add_halves(plan, memory, order, half);
    int32_t upper = add_halves(plan, memory, order + half, count - half);
    return add_pair(plan, memory, lower, upper);
}

static bool add_ordered(dr_tree_plan* plan, dr_memory* memory, const int32_t* order, int count)
{
    if (!reserve_binary(plan, memory, count)) {
        return false;
    }
    if (count == 1) {
        dr_plan_add(plan, memory, (int32_t[]){~order[0]}, 1);
    } else if (count > 1) {
        add_halves(plan, memory, order, count);
    }
    return true;
}

bool dr_plan_material(dr_tree_plan* plan, dr_memory* memory, const dr_surface* surface)
{
    int count = surface->triangle_count;
    drape_vec3* centroids = dr_new(memory, drape_vec3, count);
    int32_t* order = dr_new(memory, int32_t, count);
    bool ready = count == 0 || (centroids && order);
    for (int t = 0; ready && t < count; ++t) {
        centroids[t] = dr_surface_centroid(surface, t);
    }
    ready = ready && (count == 0 || (dr_halving_order(order, memory, centroids, count) &&
                                     add_ordered(plan, memory, order, count)));
    dr_delete(memory, centroids, count);
    dr_delete(memory, order, count);
    return ready;
}

// Cells from column to column_end and row to row_end, which are behind the last.
typedef struct cells {
    int column, row, column_end, row_end;
} cells;

typedef struct grid {
    int columns;         // cells in a row
    float width, height; // of a cell, m
} grid;

static int32_t add_cells(dr_tree_plan* plan, dr_memory* memory, const grid* g, cells r)
{
    int wide = r.column_end - r.column, high = r.row_end - r.row;
    if (wide == 1 && high == 1) {
        int32_t t = 2 * (r.row * g->columns + r.column);
        return add_pair(plan, memory, ~t, ~(t + 1));
    }
    cells lower = r, upper = r;
    bool across = high == 1 || (wide > 1 && (float)wide * g->width >= (float)high * g->height);
    if (across) {
        lower.column_end = upper.column = r.column + (wide + 1) / 2;
    } else {
        lower.row_end = upper.row = r.row + (high + 1) / 2;
    }
    int32_t first = add_cells(plan, memory, g, lower);
    return add_pair(plan, memory, first, add_cells(plan, memory, g, upper));
}

bool dr_plan_grid(dr_tree_plan* plan, dr_memory* memory, const dr_surface* surface, int columns,
                  int rows)
{
    if (columns < 2 || rows < 2) {
        return true;
    }
    DR_ASSERT(surface->triangle_count == 2 * (columns - 1) * (rows - 1));
    const drape_vec3* rest = surface->rest;
    grid g = {.columns = columns - 1};
    g.width = dr_length(dr_sub(rest[columns - 1], rest[0])) / (float)(columns - 1);
    g.height = dr_length(dr_sub(rest[(rows - 1) * columns], rest[0])) / (float)(rows - 1);
    if (!reserve_binary(plan, memory, surface->triangle_count)) {
        return false;
    }
    add_cells(plan, memory, &g, (cells){0, 0, columns - 1, rows - 1});
    return true;
}
