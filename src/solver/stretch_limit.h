// solver/stretch_limit.h: the strain at which a fabric locks.
//
// Springs of a fabric are stiff, yet where contacts pull at single vertices, in jammed folds or over
// the corner of a table, a few sweeps leave some of them far too long. A *bound* says that yarns may
// be longer by the fabric's strain limit and no more: of a grid every edge along warp or weft, of a
// mesh the strains of every triangle along both. Shear has no limit.
//
//     | sum of factor[i] x[vertex[i]] | <= most
//
// Bounds are projected one after the other, by the masses, so that momentum is kept where nothing is
// held; to and fro, so that a yarn passes a pull on to both of its ends. A bound is *due* when a vertex of it has moved
// since it was looked at; a pass goes over those that are, and when none is left it is done. What a
// substep begins with too long, because it was put there so, comes back in some time: it is not thrown.
#ifndef DR_STRETCH_LIMIT_H
#define DR_STRETCH_LIMIT_H

#include "core/memory.h"
#include "mesh/mesh.h"

typedef struct dr_stretch_bound {
    int32_t vertex[3];
    float factor[3]; // 1/m; their sum is 0
    float most;
} dr_stretch_bound;

// A cloth whose vertices are numbered from `first` on.
typedef struct dr_stretch_part {
    const dr_mesh* mesh;
    int columns; // of a grid, else 0
    int first;
    float strain_limit;
} dr_stretch_part;

typedef struct dr_stretch_limits {
    int count, vertex_count;
    dr_stretch_bound* bounds;
    int32_t* around;       // bounds at each vertex,
    int32_t* around_start; // from around_start[v] to around_start[v + 1]
    uint64_t* due;         // a bit for each bound: scratch of one call
} dr_stretch_limits;

// Of all cloths together. False when memory is short; free it then all the same.
bool dr_stretch_limits_create(dr_stretch_limits* limits, dr_memory* memory,
                              const dr_stretch_part* parts, int part_count);
void dr_stretch_limits_free(dr_stretch_limits* limits, dr_memory* memory);

// A substep from x to y, four floats a vertex, the fourth of y an inverse mass.
typedef struct dr_stretch_ends {
    const float* x;
    float* y;
    float shrink; // what is too long at x comes back by so much strain at most
    // By vertex: it was put where it is, and does not yield. Only what hangs on such vertices is due
    // at first. Null: all is, and nothing is held.
    const uint8_t* is_held;
} dr_stretch_ends;

// Projects y, no more than `passes` times. Returns whether anything was too long.
bool dr_stretch_limit(dr_stretch_limits* limits, const dr_stretch_ends* ends, int passes);
// The largest share of its limit that a yarn has used up at `places`: 1 where it locks.
float dr_stretch_used(const dr_stretch_limits* limits, const float* places);

#endif
