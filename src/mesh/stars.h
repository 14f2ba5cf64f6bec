// mesh/stars.h: triangles given to vertices, for solvers that work them off one by one.
//
// Each triangle is given to one of its corners, the owner. A star is an owner and a run of its
// triangles, each beside the one before:
//
//          1-----2            Triangle A has the owner o and the rim vertices 0 and 1, B has 1 and
//         / \ B / \           2. Going on to the next triangle a solver keeps the owner and one
//        / A \ / C \          vertex of the rim: for n triangles it fetches n + 2 vertices, where
//       0-----o-----3         one by one it were 3 n. A closed star ends with the vertex it began.
//
// Stars of as many triangles that share no vertex are the lanes of vectors of eight, and up to four
// such vectors make a group, so that there is work to do while one of them waits for its roots and
// divisions. Long stars come first. Those that fill no vectors are taken apart and given out again
// as shorter ones; single triangles are packed as well as they can be. Every other star goes round
// the other way: if all went the same way, a solver would turn the mesh.
//
// A triangle belongs to the block of its lowest slot (order.h), and a star has triangles of one
// block only, so it reaches into the next block and no further.
#ifndef DR_STARS_H
#define DR_STARS_H

#include "mesh/order.h"

enum {
    DR_STAR_LENGTH = 8, // most triangles of a star
    DR_STAR_LANES = 8,
    DR_STAR_WIDTH = 4, // most vectors of a group
};

// Row: one number per lane, -1 in lanes left empty.
typedef int32_t dr_star_row[DR_STAR_LANES];

typedef struct dr_star_group {
    int32_t length;     // triangles of each star
    int32_t width;      // vectors side by side
    int32_t first_slot; // row of the first owners; `width` rows of owners, then of rim vertex 0 ..
    int32_t first_triangle; // row of the first triangles; `width` rows of them, then of the next ..
} dr_star_group;

typedef struct dr_stars {
    dr_star_group* groups;
    int32_t* group_start; // block_count + 1: groups of block b are group_start[b] ..
    dr_star_row* slots;
    dr_star_row* triangles;
    int group_count, block_count, slot_row_count, triangle_row_count;
} dr_stars;

// Triangles where `is_left_out` is true are in no star. Linear time, deterministic. False when
// memory is short; nothing is held then.
bool dr_stars_build(dr_stars* stars, dr_memory* memory, const dr_mesh* mesh, const dr_order* order,
                    const dr_blocks* blocks, const bool* is_left_out);
void dr_stars_free(dr_stars* stars, dr_memory* memory);

#endif
