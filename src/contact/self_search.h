// contact/self_search.h: pairs of triangles of cloths whose boxes meet, near ones left out.
//
// Without a tree all pairs are compared (contact/all_pairs.h). With one, each cloth has its own
// tree: grids the rectangles of their cells (contact/block_plan.h), meshes a swept one; trees are
// searched against themselves and against each other. Both ways find the same pairs.
//
// Most boxes that meet belong to near triangles (contact/near.h), some thirty per triangle, so
// these must go before anything is written down. They are known in advance: for every two leaves
// with near triangles there is a mask of 64 bits, eight lanes against eight, and only lanes outside
// of it are compared at all.
#ifndef DR_SELF_SEARCH_H
#define DR_SELF_SEARCH_H

#include "collide/tree_walk.h"
#include "contact/all_pairs.h"
#include "contact/near.h"

// Near triangles of two leaves: bit 8 i + j is lane i of the first, lane j of the second.
typedef struct dr_leaf_mask {
    uint64_t near;
    int32_t leaf;                 // the second, a node behind the first
    uint8_t has_far, has_far_too; // lanes of the first and of the second that are not near to all
} dr_leaf_mask;

typedef struct dr_self_tree {
    dr_tree tree;
    int32_t* mask_start; // by node, one more than there are
    dr_array masks;      // dr_leaf_mask, of each leaf by the number of the second, itself included
    uint8_t* has_changed; // by node: something below it has
    dr_pair_search search;
} dr_self_tree;

typedef struct dr_self_search {
    const dr_sheets* sheets;
    drape_isa isa;
    bool use_tree;
    dr_near near;
    float *start, *end;   // records of four floats, the last of which is dr_tree_key at the end
    dr_self_tree* parts;  // with trees
    dr_pair_search cross; // of two parts
    dr_box_list boxes;    // without
    dr_all_pairs all;
    dr_array pairs; // dr_pair of the last search, each with the lower number first
    int64_t box_tests;
    double largest; // coordinate of a triangle, without its sign
    const uint8_t* changed; // during a search: flags of triangles, or null
} dr_self_search;

typedef enum dr_self_span {
    DR_SPAN_STEP, // boxes of the whole way from start to end
    DR_SPAN_END,  // boxes at the end
} dr_self_span;

// `sheets` stays the caller's and must live as long. Only the tree of a part is asked for its mesh.
// False when memory is short; free it then all the same.
bool dr_self_search_create(dr_self_search* search, dr_memory* memory, const dr_sheets* sheets,
                           int ring, bool use_tree, drape_isa isa);
void dr_self_search_free(dr_self_search* search, dr_memory* memory);

// Looks at the places in the sheets. The order of pairs depends on the kind of search, not on the
// number of workers. False when memory is short.
bool dr_self_search_run(dr_self_search* search, dr_memory* memory, dr_pool* pool,
                        dr_self_span span);

// The same after a search of the same span in which only some triangles were elsewhere: those with
// a flag in `changed`. Null: all of them.
bool dr_self_search_again(dr_self_search* search, dr_memory* memory, dr_pool* pool,
                          dr_self_span span, const uint8_t* changed);

// Puts pairs in the order of their numbers, for those who compare lists.
void dr_pairs_sort(dr_pair* pairs, int count);

// --- For kernels ---

typedef struct dr_self_walk_kernels {
    dr_walk_fn* pairs; // the context of the walk's filter is the dr_self_tree
} dr_self_walk_kernels;

#endif
