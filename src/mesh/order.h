// mesh/order.h: orders that keep neighbours near each other in memory, and threads apart.
//
// Breadth-first levels: the first level of each connected part is one vertex at a far end of it,
// and every edge joins vertices of the same or of adjacent levels. Numbering vertices level by
// level makes a mesh look like a strip, so a solver can cut it into blocks of whole levels: what
// starts in one block reaches into the next and no further, and even blocks can run beside each
// other, then odd ones.
//
//     level   0  1 | 2  3 | 4  5  6 | 7  8         a constraint belongs to the block of its lowest
//             o  o | o  o | o  o  o | o  o         slot; T starts in block 0, H in block 1
//             o  T---T  H----H----H | o  o
//             o  o | o  o | o  o  o | o  o
//     block     0      1       2       3
//
// Triangles span at most two levels; hinges three, because their opposite vertices are two edges
// apart. With two levels or more to a block, both reach at most the next block, so constraints of
// one even block share no vertex with those of another even block, and odd ones likewise. Edges
// never join parts, so blocks may end anywhere with respect to them.
//
// Batches: within a block, constraints that share no vertex make the lanes of one vector, or of a
// few.
#ifndef DR_ORDER_H
#define DR_ORDER_H

#include "mesh.h"

typedef struct dr_order {
    int32_t* slot_of_vertex; // vertex_count: place in the new order
    int32_t* vertex_of_slot; // its inverse
    int32_t* level_start;    // level_count + 1: slots of level k are level_start[k] ..
    int level_count;
    int vertex_count;
} dr_order;

// Starts each part at a pseudo-peripheral vertex, so that levels are many and small. Parts follow
// one another by number; isolated vertices form a last level of their own. Within a level, vertices
// of as many triangles follow one another. Linear time, deterministic. False when memory is short.
bool dr_order_breadth_first(dr_order* order, dr_memory* memory, const dr_mesh* mesh);
void dr_order_free(dr_order* order, dr_memory* memory);

typedef struct dr_blocks {
    int32_t* slot_start; // block_count + 1: slots of block b are slot_start[b] ..
    int block_count;
} dr_blocks;

// Cuts the levels into blocks of at least `least_levels` levels (2 for hinges) and, beyond that, of
// about `target` vertices. A mesh of fewer levels is one block. False when memory is short.
bool dr_blocks_cut(dr_blocks* blocks, dr_memory* memory, const dr_order* order, int least_levels,
                   int target);
void dr_blocks_free(dr_blocks* blocks, dr_memory* memory);

// Sorts constraints by their lowest slot: `slots` has `arity` of them for each of `count`; `sorted`
// receives `count` constraint indices, `block_start` the place of each block's first among them
// (block_count + 1 entries). Stable, linear. False when memory is short.
bool dr_blocks_sort(const dr_blocks* blocks, dr_memory* memory, const int32_t* slots, int arity,
                    int count, int32_t* sorted, int32_t* block_start);

enum { DR_BATCH_MOST_LANES = 32 };

typedef struct dr_batch {
    int32_t* order;       // `lanes` constraint indices per batch; lanes left empty are last, and -1
    int32_t* block_start; // block_count + 1: batches of block b are block_start[b] ..
    int lanes, batch_count, block_count;
} dr_batch;

// Packs constraints into batches whose lanes touch disjoint slots. `slots` has `arity` slots for
// each constraint, neighbours near each other; those of block b are block_start[b] .. and never
// share a batch with another block's; all slots are below slot_count. A constraint goes to the
// oldest of at most 64 open batches that has room and shares no slot with it, so batches stay
// local. Linear time, deterministic. False when memory is short.
bool dr_batch_pack(dr_batch* batch, dr_memory* memory, const int32_t* slots, int arity,
                   const int32_t* block_start, int block_count, int slot_count, int lanes);
void dr_batch_free(dr_batch* batch, dr_memory* memory);

#endif
