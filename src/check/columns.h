// check/columns.h: boxes that meet, by columns of a grid and a sweep along each.
//
// The longest axis of all boxes is the way of the sweep. Across it lies a grid; a box is entered
// into every column that it reaches into, in the order of its lower ends along the sweep:
//
//     columns |  0  |  1  |  2  |        entries of a column, by lower end:
//             |  a  | aa  |     |            b  [----]
//             |     | bbb | b   |            a     [-----]      meets b
//             |     |     | c   |            d            [--]  meets nobody
//
// Two boxes meet when they do so along the sweep, which their order in a column tells, and across
// it. They may have several columns in common. Their pair belongs to the one that has the lower
// corner of what they share, and so is met once. Which column a place is in is a monotone function
// of it, so that corner is in a column of both, whatever rounding does.
//
// Columns are about as wide as boxes; wider when boxes of mixed sizes would fill too many of them.
#ifndef DR_COLUMNS_H
#define DR_COLUMNS_H

#include "core/memory.h"

// The box of a triangle; axis 0 is the way of the sweep.
typedef struct dr_column_box {
    float lo[3], hi[3];
    int32_t mesh;
    bool is_obstacle;
} dr_column_box;

typedef struct dr_columns {
    dr_column_box* boxes; // given by the caller, then turned so that axis 0 is the longest
    int box_count;
    double start[2], per_unit[2]; // of the grid: columns in a unit of length
    int column_counts[2];
    int32_t* entries; // boxes, column by column, each column sorted by lower ends
    int32_t* places;  // column of each entry
    int entry_count;
} dr_columns;

// Fills in all but the boxes. False when memory is short.
bool dr_columns_build(dr_columns* columns, dr_memory* memory);
// Frees all but the boxes.
void dr_columns_free(dr_columns* columns, dr_memory* memory);

// The column along axis 1 or 2 in which a place is.
static inline int dr_column_along(const dr_columns* columns, int axis, float at)
{
    double offset = ((double)at - columns->start[axis - 1]) * columns->per_unit[axis - 1];
    int last = columns->column_counts[axis - 1] - 1;
    return offset >= (double)last ? last : (int)offset;
}

// Sorts whole numbers upward; `spare` has room for as many.
void dr_sort_words(uint64_t* words, uint64_t* spare, size_t count);

#endif
