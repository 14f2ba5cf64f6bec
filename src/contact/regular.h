// contact/regular.h: patches of a grid that certainly do not cross themselves.
//
// Almost everywhere a sheet is only gently bent, and there nobody need ask whether near triangles
// cross. Let s and t count columns and rows, and p(s,t) be the sheet: on each triangle p is linear,
// and its derivatives are an edge e1 along a row and an edge e2 along a column. Look at the patch
// along two directions, f = (u.p, v.p). If
//
//     u.e1 > 0        v.e2 > 0        4 (u.e1) (v.e2) > (v.e1 + u.e2)^2
//
// on all triangles of a rectangle of cells, then w.(f'w) > 0 for any step w in it, so that (x -
// y).(f(x) - f(y)) > 0 for any two of its points: the way from y to x runs inside the rectangle.
// Hence no two points of the patch have the same place, and none of its triangles cross or touch
// but where they join.
//
// It would be slow to ask every triangle. Bounds of e1 and of e2 are kept for blocks of 2 x 2
// cells; a block is *regular* when the conditions hold for anything within the bounds of itself and
// the eight blocks around it, with u and v chosen so that the middle of the bounds becomes the unit
// square. So whatever is at most two cells away from a triangle of a regular block cannot cross it.
// The cost is a few microseconds; what is not regular is tested pair by pair.
//
// Rounding: edges are differences of floats, wrong by 2^-24 of their size, and the margin is 10^-3.
#ifndef DR_REGULAR_H
#define DR_REGULAR_H

#include "core/parallel.h"
#include "contact/sheets.h"

// Floats to a block: least and greatest of e1 and of e2, each of two vertices of four floats.
enum { DR_REGULAR_FLOATS = 32 };

// A part that is a grid of at least two cells both ways; others have no blocks.
typedef struct dr_regular_part {
    int first_vertex, columns, rows;
    int block_columns, block_rows, first_block;
} dr_regular_part;

typedef struct dr_regular {
    int part_count, block_count;
    dr_regular_part* parts;
    int32_t* block;      // of each triangle, -1 where there is none
    float* bounds;       // DR_REGULAR_FLOATS to a block
    uint8_t* is_regular; // by block
    drape_isa isa;
    int triangle_count;
    bool has_all; // every triangle has a block
} dr_regular;

// False when memory is short; free it then all the same.
bool dr_regular_create(dr_regular* regular, dr_memory* memory, const dr_sheets* sheets,
                       drape_isa isa);
void dr_regular_free(dr_regular* regular, dr_memory* memory);

// Looks at places, records of four floats with room for two vertices more.
void dr_regular_update(dr_regular* regular, dr_pool* pool, const float* places);

// True: every triangle is in a regular block.
bool dr_regular_is_all(const dr_regular* regular);

// True: the block of the triangle is regular, so nothing within two cells crosses it.
static inline bool dr_regular_at(const dr_regular* regular, int triangle)
{
    int block = regular->block[triangle];
    return block >= 0 && regular->is_regular[block];
}

// True: these two cannot cross. `part` is that of both.
static inline bool dr_regular_has(const dr_regular* regular, int part, int a, int b)
{
    if (!dr_regular_at(regular, a)) {
        return false;
    }
    const dr_regular_part* p = &regular->parts[part];
    int at = regular->block[a] - p->first_block, other = regular->block[b] - p->first_block;
    int columns = other % p->block_columns - at % p->block_columns;
    int rows = other / p->block_columns - at / p->block_columns;
    return columns >= -1 && columns <= 1 && rows >= -1 && rows <= 1;
}

// --- For kernels ---

typedef struct dr_regular_kernels {
    // Bounds, then judgement, of rows of blocks.
    void (*bound)(const dr_regular* regular, const dr_regular_part* part, const float* places,
                  int begin, int end);
    void (*judge)(const dr_regular* regular, const dr_regular_part* part, int begin, int end);
} dr_regular_kernels;

#endif
