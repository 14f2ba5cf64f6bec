// solver/xpbd_grid.h: a grid as a weave of chains. Between xpbd_grid.c and its kernels.
//
// Every yarn is a chain of springs, and so is every diagonal. Projecting springs one by one lets a
// load creep along a chain one spring at a time; instead each chain is solved whole: the
// tridiagonal system of its multipliers, one elimination forward, one substitution back. Warp and
// weft act nearly at right angles, so solving all chains of one direction after the other comes
// close to solving everything, and a yarn of a hundred cells is as stiff as one of ten.
//
//   along    (r,c)-(r,c+1)      eight rows at a time, turned so that lanes are rows
//   across   (r,c)-(r+1,c)      lanes are columns, row by row, from both borders to the middle
//   rising   (r,c)-(r+1,c+1)    the same; the chain moves on by one vector each row, and by one
//   falling  (r,c)-(r+1,c-1)    lane where the vectors of a row wrap round
//
// Bending is linear (1 -2 1 along both directions, 1 -1 -1 1 per cell), so it is solved with the
// prediction: (M + h^2 K) d = -h^2 K q for each line, five diagonals factored once. Internal
// friction acts as if the cloth were bent as it will be some milliseconds later, by
// q + (tau / h)(q - start) in place of q. The twist T of the cells couples neighbouring lines; it
// is a load of the lines across, whose matrix gets what bounds it, P = 4 twist D'D along the line:
// T <= P, so no mode is overdone. Taken explicitly it would blow up at free corners: the saddle x z
// bends no line at all.
#ifndef DR_XPBD_GRID_H
#define DR_XPBD_GRID_H

#include "solver/sheet.h"

enum {
    DR_GRID_ALONG,
    DR_GRID_ACROSS,
    DR_GRID_DIAGONAL, // both
    DR_GRID_SPRINGS,  // number of spring families with a table of compliances
};

enum {
    DR_GRID_GROUP = 4, // most chains of vectors handled together
    DR_GRID_EDGE = 40, // floats per vector of springs in elimination
    DR_GRID_END = 72,  // floats per vector where half a chain ends
    DR_GRID_LINE = 32, // floats per vector of a bending line: 1/D, L1, L2, k h^2
};

struct dr_xpbd_grid {
    int columns, rows; // of the layout: columns is the longer side
    int row_vectors;   // at least 3
    bool turned;       // columns of the layout are rows of the cloth
    float rest_along, rest_across, rest_diagonal; // m
    float cell_mass;   // kg
    float spring[DR_GRID_SPRINGS]; // stiffness of an inner spring, N/m
    float bend_along, bend_across, twist; // stiffness of an inner stencil, N/m
    float twist_h2;    // twist times h^2
    float damping;     // tau, s
    float lag;         // tau / h
    float* pos;        // of the sheet
    const float* start;
    float* lambda;     // multipliers: along (turned), then across, rising, falling by vector
    float* table;      // compliances: 2 kinds of rows * row_vectors * DR_GRID_SPRINGS * 8
    float* springs;    // in elimination, rows * row_vectors * DR_GRID_EDGE
    float* ends;       // of the halves of chains, 3 families * 2 * row_vectors * DR_GRID_END
    float* cells;      // twist of each cell, rows * row_vectors * 24
    float* line_along;  // per eight rows and column, DR_GRID_LINE
    float* line_across; // per vector and row, DR_GRID_LINE
    double* line_mass;  // one line's masses and stencils while factoring
};

// Which sweep of the substep this is.
typedef struct dr_grid_sweep {
    bool is_first; // multipliers start from zero; bending along is done
    bool is_last;  // multipliers need not be kept
} dr_grid_sweep;

typedef struct dr_grid_kernels {
    // Twist of the cells of rows [8 group, 8 group + 8).
    void (*twist_cells)(const struct dr_xpbd_grid* grid, int group);
    // Twist and bending across the rows, vectors of one group. scratch: rows * 24 floats.
    void (*bend_across)(const struct dr_xpbd_grid* grid, int group, float* scratch);
    // Bending along (first sweep), then springs along, of rows [8 group, 8 group + 8).
    void (*along)(const struct dr_xpbd_grid* grid, int group, dr_grid_sweep sweep, float* scratch);
    // Springs across (shift 0), rising (1) or falling (-1), half 0 or 1 of the chains of a group:
    // elimination; and when both halves are eliminated, substitution.
    void (*eliminate)(const struct dr_xpbd_grid* grid, int shift, int half, int group,
                      dr_grid_sweep sweep);
    void (*substitute)(const struct dr_xpbd_grid* grid, int shift, int half, int group,
                       dr_grid_sweep sweep);
} dr_grid_kernels;

const dr_grid_kernels* dr_grid_kernels_for(drape_isa isa);

struct dr_xpbd;
struct dr_xpbd_sweep;

// A piece of work in the schedule.
typedef struct dr_grid_item {
    int stage, phase, index;
} dr_grid_item;

int dr_grid_phase_count(const struct dr_xpbd_grid* grid, int stage);
int dr_grid_item_count(const struct dr_xpbd_grid* grid, int stage, int phase);
void dr_grid_run(const struct dr_xpbd_grid* grid, drape_isa isa, dr_grid_item item,
                 struct dr_xpbd_sweep sweep, float* scratch);

size_t dr_grid_scratch(const struct dr_xpbd_grid* grid); // floats one worker needs
void dr_grid_prepare(struct dr_xpbd* xpbd, float h);
void dr_grid_free(struct dr_xpbd_grid* grid, dr_memory* memory);
void dr_grid_fill_padding(const struct dr_xpbd_grid* grid, float* array);
double dr_grid_energy(const struct dr_xpbd_grid* grid, const float* pos);

static inline int dr_grid_column_groups(const struct dr_xpbd_grid* grid)
{
    return (grid->row_vectors + DR_GRID_GROUP - 1) / DR_GRID_GROUP;
}

// First vector of a group of columns; all groups are of nearly the same width.
static inline int dr_grid_group_begin(const struct dr_xpbd_grid* grid, int group)
{
    return (int)((int64_t)group * grid->row_vectors / dr_grid_column_groups(grid));
}

static inline int dr_grid_row_groups(const struct dr_xpbd_grid* grid)
{
    return (grid->rows + 7) / 8;
}

// Row at which chains across are cut in two, so that two workers can have half of the rows each:
// where dr_parallel_for cuts the groups of rows. 1 to rows - 1, or 0 when there is a single row.
static inline int dr_grid_middle(const struct dr_xpbd_grid* grid)
{
    int groups = dr_grid_row_groups(grid);
    return groups > 1 ? groups / 2 * 8 : grid->rows / 2;
}

// Slot of vertex (column, row) of the layout.
static inline int dr_grid_slot(const struct dr_xpbd_grid* grid, int column, int row)
{
    int s = grid->row_vectors;
    return (row * s + column % s) * 8 + column / s;
}

#endif
