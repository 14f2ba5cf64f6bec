#include "contact/block_plan.h"

// Rectangles of one level: nodes in rows, from the first column on.
typedef struct level {
    int32_t* nodes;
    int columns, rows;
} level;

enum { leaf_side = 2 };

static int pieces(int count, int size)
{
    return (count + size - 1) / size;
}

// A leaf over the cells of one block.
static int32_t add_leaf(dr_tree_plan* plan, dr_memory* memory, int cells, int cell_rows, int column,
                        int row)
{
    int32_t triangles[2 * leaf_side * leaf_side];
    int count = 0;
    for (int r = row; r < row + leaf_side && r < cell_rows; ++r) {
        for (int c = column; c < column + leaf_side && c < cells; ++c) {
            int32_t first = 2 * (r * cells + c);
            triangles[count++] = ~first;
            triangles[count++] = ~(first + 1);
        }
    }
    return dr_plan_add(plan, memory, triangles, count);
}

static bool add_leaves(dr_tree_plan* plan, dr_memory* memory, int cells, int cell_rows, level* out)
{
    for (int r = 0; r < out->rows; ++r) {
        for (int c = 0; c < out->columns; ++c) {
            int32_t node = add_leaf(plan, memory, cells, cell_rows, c * leaf_side, r * leaf_side);
            if (node < 0) {
                return false;
            }
            out->nodes[r * out->columns + c] = node;
        }
    }
    return true;
}

// Joins wide x high nodes of a level; the next level takes the place of the last, which is read
// ahead of it.
static bool join(dr_tree_plan* plan, dr_memory* memory, level* at, int wide, int high)
{
    level next = {at->nodes, pieces(at->columns, wide), pieces(at->rows, high)};
    for (int r = 0; r < next.rows; ++r) {
        for (int c = 0; c < next.columns; ++c) {
            int32_t children[DR_TREE_ARITY];
            int count = 0;
            for (int k = r * high; k < (r + 1) * high && k < at->rows; ++k) {
                for (int i = c * wide; i < (c + 1) * wide && i < at->columns; ++i) {
                    children[count++] = at->nodes[k * at->columns + i];
                }
            }
            int32_t node = dr_plan_add(plan, memory, children, count);
            if (node < 0) {
                return false;
            }
            next.nodes[r * next.columns + c] = node;
        }
    }
    *at = next;
    return true;
}

bool dr_plan_blocks(dr_tree_plan* plan, dr_memory* memory, int columns, int rows)
{
    if (columns < 2 || rows < 2) {
        return true;
    }
    level at = {NULL, pieces(columns - 1, leaf_side), pieces(rows - 1, leaf_side)};
    int block_count = at.columns * at.rows;
    at.nodes = dr_new(memory, int32_t, block_count);
    bool is_done = at.nodes && add_leaves(plan, memory, columns - 1, rows - 1, &at);
    for (bool is_wide = true; is_done && at.columns * at.rows > 1; is_wide = !is_wide) {
        is_done = join(plan, memory, &at, is_wide ? 4 : 2, is_wide ? 2 : 4);
    }
    dr_delete(memory, at.nodes, block_count);
    return is_done;
}
