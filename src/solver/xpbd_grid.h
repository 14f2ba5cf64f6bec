// solver/xpbd_grid.h: constraints of a striped grid. Between xpbd_grid.c and its kernels.
//
// Families of row r and the multipliers of each vector, DR_GRID_LAMBDA floats in this order:
//
//   along    (r,c)-(r,c+1)                          8
//   across   (r,c)-(r+1,c)                          8
//   rising   (r,c)-(r+1,c+1)                        8
//   falling  (r,c+1)-(r+1,c)                        8
//   bend along   (r,c-1) (r,c) (r,c+1)             24
//   bend across  (r,c) (r+1,c) (r+2,c)             24
//   twist        (r,c) (r,c+1) (r+1,c) (r+1,c+1)   24
//
// Compliances depend on the column (half width at the borders, none beyond them) and on whether the
// row is a border row; `table` holds them for both kinds of rows.
#ifndef DR_XPBD_GRID_H
#define DR_XPBD_GRID_H

#include "solver/sheet.h"

enum {
    DR_GRID_ALONG,
    DR_GRID_ACROSS,
    DR_GRID_DIAGONAL, // both
    DR_GRID_BEND_ALONG,
    DR_GRID_BEND_ACROSS,
    DR_GRID_TWIST,
    DR_GRID_FAMILIES,
};

#define DR_GRID_LAMBDA 104

struct dr_xpbd_grid {
    int columns, rows; // of the layout: columns is the longer side
    int row_vectors;   // at least 3, so that three neighbours are three vectors
    int block_rows;
    bool turned;       // columns of the layout are rows of the cloth
    float rest_along, rest_across, rest_diagonal; // m
    float stiffness[DR_GRID_FAMILIES]; // of an inner constraint, N/m
    float* pos;        // of the sheet
    float* lambda;     // rows * row_vectors * DR_GRID_LAMBDA
    float* table;      // 2 * row_vectors * DR_GRID_FAMILIES * 8
};

typedef struct dr_grid_kernels {
    void (*warm)(const struct dr_xpbd_grid* grid, int row_begin, int row_end);
    void (*solve)(const struct dr_xpbd_grid* grid, int row_begin, int row_end);
} dr_grid_kernels;

const dr_grid_kernels* dr_grid_kernels_for(drape_isa isa);

struct dr_xpbd;

void dr_grid_prepare(struct dr_xpbd_grid* grid, float h);
void dr_grid_free(struct dr_xpbd_grid* grid, dr_memory* memory);
void dr_grid_fill_padding(const struct dr_xpbd_grid* grid, float* array);
bool dr_grid_find_clamps(struct dr_xpbd* xpbd, dr_memory* memory);
double dr_grid_energy(const struct dr_xpbd_grid* grid, const float* pos);

// Slot of vertex (column, row) of the layout.
static inline int dr_grid_slot(const struct dr_xpbd_grid* grid, int column, int row)
{
    int s = grid->row_vectors;
    return (row * s + column % s) * 8 + column / s;
}

#endif
