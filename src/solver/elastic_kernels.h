// solver/elastic_kernels.h: the work on one row of an elastic sheet, per instruction set.
//
// Rows of one kind of work may run in any order and at the same time, but sweeps only those of one
// colour.
#ifndef DR_ELASTIC_KERNELS_H
#define DR_ELASTIC_KERNELS_H

#include "solver/elastic.h"

// From the committed places to the system (elastic_assemble_kernels.c).
typedef struct dr_elastic_assembly {
    void (*weigh_springs[3])(const dr_elastic* elastic, int row); // by drape_elastic_form
    void (*find_normals)(const dr_elastic* elastic, int row);
    // Weights of triples and twists; those of `plate` never change. What they come to at vertices.
    void (*weigh_bending)(const dr_elastic* elastic, int row);
    void (*gather_bending)(const dr_elastic* elastic, int row);
    // Matrix and right side from the weights; rest curvature on top of that.
    void (*assemble[2])(const dr_elastic* elastic, int row); // [1]: with springs on the right side
    void (*curl)(const dr_elastic* elastic, int row);
    // Least (|a_ii| - sum |a_ij|) / |a_ii| of the row.
    double (*margin)(const dr_elastic* elastic, int row);
} dr_elastic_assembly;

// From the system to the next state (elastic_kernels.c).
typedef struct dr_elastic_sweeps {
    // Updates the vertices of one colour within held places and intervals; the largest change.
    double (*sweep[2])(const dr_elastic* elastic, int row, int colour); // [1]: for `plate`
    bool (*is_finite)(const dr_elastic* elastic, int row);
    void (*commit)(const dr_elastic* elastic, int row);
} dr_elastic_sweeps;

const dr_elastic_assembly* dr_elastic_assembly_for(drape_isa isa);
const dr_elastic_sweeps* dr_elastic_sweeps_for(drape_isa isa);

// Way in a field from a vertex of class `k` (column mod 5) to the one `dm` columns on: another run,
// and one place on where the class wraps.
static inline ptrdiff_t dr_elastic_way(const dr_elastic* e, int k, int dm)
{
    int to = k + dm, wrap = to < 0 ? -1 : to >= DR_ELASTIC_COLOURS ? 1 : 0;
    return (ptrdiff_t)(dm - DR_ELASTIC_COLOURS * wrap) * e->run + wrap;
}

// Rows are handed out in blocks, cut by the sheet alone, never by the number of workers. A block
// has room for what its neighbours reach into it: 16 rows at most.
enum {
    DR_ELASTIC_BLOCK = 32, // rows, at least
    // Below this many vertices threads would wait for each other longer than they work.
    DR_ELASTIC_WORTH_THREADS = 1 << 13,
};

static inline int dr_elastic_block_count(const dr_elastic* e)
{
    return e->def.rows < 2 * DR_ELASTIC_BLOCK ? 1 : e->def.rows / DR_ELASTIC_BLOCK;
}

// The row where a block begins, and the one before it ends.
static inline int dr_elastic_block_begin(const dr_elastic* e, int block)
{
    return (int)((int64_t)e->def.rows * block / dr_elastic_block_count(e));
}

// Column mod 5 of a colour in a row.
static inline int dr_elastic_class(int row, int colour)
{
    return (colour + 3 * row) % DR_ELASTIC_COLOURS; // 3 is -2 mod 5
}

#endif
