// contact/block_plan.h: the material tree of a grid, eight wide.
//
// Halving the cells of a grid again and again gives a binary tree, whose boxes are compared one at
// a time. The same rectangles, three halvings at once, fill all eight lanes of a node:
//
//     leaf     2 x 2 cells, eight triangles
//     then     4 x 2 of these, 2 x 4 of those, 4 x 2, ... until one is left
//
// Rectangles at the last column and the last row hold what is left of the grid.
#ifndef DR_BLOCK_PLAN_H
#define DR_BLOCK_PLAN_H

#include "collide/tree.h"

// For a grid of mesh/generate.h. False when memory is short; the plan is to be freed all the same.
bool dr_plan_blocks(dr_tree_plan* plan, dr_memory* memory, int columns, int rows);

#endif
