// solver/stretch_limit.h: the strain at which a fabric locks.
//
// Springs of a fabric are stiff, yet where contacts pull at single vertices, in jammed folds or over
// the corner of a table, a few sweeps leave some of them far too long. A *bound* says that yarns may
// be longer by the fabric's strain limit and no more: of a grid every edge along warp or weft, of a
// mesh the strains of every triangle along both. Shear has no limit.
//
//     | sum of factor[i] x[vertex[i]] | <= most
//
// Bounds are projected one after the other, by the masses, so that momentum is kept; to and fro, so
// that a yarn passes a pull on to both of its ends. One pass that finds nothing ends it. What a substep
// begins with too long, because it was put there so, comes back in some time: it is not thrown.
#ifndef DR_STRETCH_LIMIT_H
#define DR_STRETCH_LIMIT_H

#include "mesh/mesh.h"

typedef struct dr_stretch_bound {
    int32_t vertex[3];
    float factor[3]; // 1/m; their sum is 0
    float most;
} dr_stretch_bound;

// Bounds of a cloth whose vertices are numbered from `first` on into `out` (null: only counts them).
// `columns` of a grid, else 0. Returns how many.
int dr_stretch_bounds_of(const dr_mesh* mesh, int columns, int first, float strain_limit,
                         dr_stretch_bound* out);
// A substep from x to y, four floats a vertex, the fourth of y an inverse mass.
typedef struct dr_stretch_ends {
    const float* x;
    float* y;
    float shrink;      // what is too long at x comes back by so much strain at most
    uint8_t* is_moved; // by vertex: scratch, zero before; after the first pass only what is near
                       // vertices that have moved can be too long
} dr_stretch_ends;

// Projects y, no more than `passes` times. Returns whether anything was too long.
bool dr_stretch_limit(const dr_stretch_ends* ends, const dr_stretch_bound* bounds, int count,
                      int passes);

#endif
