// collide/tree_pairs.h: pairs of triangles whose boxes meet.
//
// Two kinds of search, named apart. Triangle pairs (here) are for tests of triangle against
// triangle: pairs with a common vertex are dropped. Feature pairs (collide/feature_pairs.h) are for
// tests of point against triangle and edge against edge: neighbouring triangles stay in.
//
// Two subtrees whose boxes meet are walked down together, eight lanes against eight. The walk is
// cut by the tree into tasks for threads, never by their number; each task has a list of its own,
// and lists are joined in the order of the tasks. So any number of threads, and any instruction
// set, gives the same pairs in the same order. A search that has found its size makes no more heap
// calls.
#ifndef DR_TREE_PAIRS_H
#define DR_TREE_PAIRS_H

#include "collide/tree.h"

typedef struct dr_pair {
    int32_t a, b;
} dr_pair;

// What the caller knows better than the boxes. Called from any thread; null where nothing is known.
typedef struct dr_pair_filter {
    // True: nothing below the node can meet anything else below it.
    bool (*skip_self)(void* context, int node);
    // True: nothing below node a (of the first tree) can meet anything below node b.
    bool (*skip_pair)(void* context, int a, int b);
    void* context;
} dr_pair_filter;

enum { DR_PAIR_LISTS = 3 };

// Results and scratch of a search; kept from search to search. `dr_pair_search search = {0}` is
// ready.
typedef struct dr_pair_search {
    dr_array lists[DR_PAIR_LISTS]; // dr_pair; the first one, unless a search says otherwise
    int64_t box_tests;             // boxes compared with boxes in the last search

    // Scratch.
    dr_array tasks, workers, pages, page_ends, page_next;
} dr_pair_search;

void dr_pair_search_free(dr_pair_search* search, dr_memory* memory);

// The pairs of the last search.
static inline const dr_pair* dr_pair_search_list(const dr_pair_search* search, int list, int* count)
{
    *count = search->lists[list].count;
    return search->lists[list].data;
}

// Pairs of triangles of one tree, without those that have a common vertex, each once. `filter` and
// `pool` may be null. False when memory is short; the lists are empty then.
bool dr_tree_triangle_pairs(dr_pair_search* search, dr_memory* memory, dr_pool* pool,
                            const dr_tree* tree, const dr_pair_filter* filter);
// Pairs of a triangle of one tree and one of another tree, as a rule of another mesh; nothing is
// dropped.
bool dr_tree_tree_pairs(dr_pair_search* search, dr_memory* memory, dr_pool* pool, const dr_tree* a,
                        const dr_tree* b, const dr_pair_filter* filter);

#endif
