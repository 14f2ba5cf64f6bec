// collide/tree_walk.h: what searches for pairs share: tasks, and where pairs go.
#ifndef DR_TREE_WALK_H
#define DR_TREE_WALK_H

#include "collide/tree_pairs.h"

typedef struct dr_features dr_features;
typedef struct dr_sink dr_sink;

// Pairs that fit after dr_sink_room.
enum { DR_SINK_ROOM = 64 };

// Where pairs go: a piece of memory that is exchanged for another when it is full.
struct dr_sink {
    dr_pair *at, *end;
    dr_pair* begin; // of this piece
    int64_t before; // pairs in earlier pieces
    void (*next_piece)(dr_sink* sink);
    void* owner;
    int list, page;
};

// The lanes in a set of bits, ascending, then zeros.
typedef struct dr_lane_set {
    uint8_t lane[8];
    int32_t count;
} dr_lane_set;

typedef struct dr_walk {
    const dr_tree *a, *b; // the same in a search of one tree against itself
    const dr_features *features_a, *features_b;
    const dr_pair_filter* filter;
    dr_sink sinks[DR_PAIR_LISTS];
    const dr_lane_set* lane_sets; // of all 256 sets
    void* queue;                  // of the kernel that walks
    int64_t box_tests;
} dr_walk;

// A piece of the walk: a node against itself (b < 0), or two nodes whose boxes meet.
typedef struct dr_walk_task {
    int32_t a, b;
    const float *reach_a, *reach_b;
    int32_t step_a, step_b;
    int32_t page[DR_PAIR_LISTS], offset[DR_PAIR_LISTS]; // where its pairs begin
    int32_t count[DR_PAIR_LISTS], start[DR_PAIR_LISTS]; // in the joined lists
} dr_walk_task;

// Does one task.
typedef void dr_walk_fn(dr_walk* walk, const dr_walk_task* task);

// Runs a whole search of trees and features already set in `walk`. False when memory is short.
bool dr_walk_run(dr_pair_search* search, dr_memory* memory, dr_pool* pool, const dr_walk* walk,
                 dr_walk_fn* fn, int list_count);

// Makes sure that DR_SINK_ROOM pairs fit.
static inline void dr_sink_room(dr_sink* sink)
{
    if (sink->end - sink->at < DR_SINK_ROOM) {
        sink->next_piece(sink);
    }
}

// Whether anything below two nodes may touch, as far as regions and the caller know.
static inline bool dr_walk_may_touch(const dr_walk* walk, int a, int b)
{
    if (walk->a->wanted && walk->b->present && !(walk->a->wanted[a] & walk->b->present[b])) {
        return false;
    }
    const dr_pair_filter* filter = walk->filter;
    return !filter || !filter->skip_pair || !filter->skip_pair(filter->context, a, b);
}

static inline bool dr_walk_may_touch_itself(const dr_walk* walk, int node)
{
    if (walk->a->wanted && !(walk->a->wanted[node] & walk->a->present[node])) {
        return false;
    }
    const dr_pair_filter* filter = walk->filter;
    return !filter || !filter->skip_self || !filter->skip_self(filter->context, node);
}

// Of eight triangles or features, those whose regions may touch that of a place of the first tree.
static inline int dr_walk_allowed(const dr_tree* a, int place, const dr_tree* b,
                                  const int32_t* places, int bits)
{
    if (!a->region || !b->region) {
        return bits;
    }
    int allowed = 0;
    for (int j = 0; j < 8; ++j) {
        allowed |= (bits >> j & 1 && a->allow[a->region[place]] >> b->region[places[j]] & 1) << j;
    }
    return allowed;
}

#endif
