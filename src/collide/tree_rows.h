// collide/tree_rows.h: queues of one against eight, for kernels.
//
// Nothing is slower in a search than a branch that guesses wrong, and next to that a long chain of
// one result waiting for another. So what meets at the leaves is not compared at once: each
// triangle or feature that meets the other leaf becomes a *row*, it against eight, and rows are
// worked off in short loops without branches: first the bits of all of them, then the pairs of all
// of them. How many of eight lanes count is as good as random, so four are written whatever the
// bits, those that count first, the other four when there are so many, and the end of the list
// moves on by how many count.
#ifndef DR_TREE_ROWS_H
#define DR_TREE_ROWS_H

#include <string.h>

#include "collide/tree_walk.h"

enum { DR_ROWS = 256 };

typedef struct dr_rows {
    int count;
    dr_pair rows[DR_ROWS + 8]; // a = the eight, b = the one
    uint8_t bits[DR_ROWS + 8]; // lanes of the eight that are left
} dr_rows;

// A pair as one word: half as many stores. The compiler knows which half comes first.
static inline uint64_t dr_pair_word(int32_t a, int32_t b)
{
    const union {
        dr_pair pair;
        uint64_t word;
    } one = {{1, 0}};
    bool a_is_low = one.word == 1;
    return a_is_low ? (uint64_t)b << 32 | (uint32_t)a : (uint64_t)a << 32 | (uint32_t)b;
}

// Rows of the eight `a` with first + k for all k in `mask`; `lanes` of the eight exist. The caller
// sees to it that eight rows fit. Returns how many were added.
static inline int dr_rows_add(dr_rows* q, const dr_walk* walk, int32_t a, int lanes, int32_t first,
                              int mask)
{
    const dr_lane_set* set = &walk->lane_sets[mask];
    dr_pair* at = q->rows + q->count;
    for (int k = 0; k < 4; ++k) {
        uint64_t word = dr_pair_word(a, first + set->lane[k]);
        memcpy(at + k, &word, sizeof word);
    }
    for (int k = 4; k < 8 && set->count > 4; ++k) {
        uint64_t word = dr_pair_word(a, first + set->lane[k]);
        memcpy(at + k, &word, sizeof word);
    }
    memset(q->bits + q->count, lanes, 8);
    q->count += set->count;
    return set->count;
}

// A single row.
static inline void dr_rows_push(dr_rows* q, int32_t a, int lanes, int32_t b)
{
    q->rows[q->count] = (dr_pair){a, b};
    q->bits[q->count++] = (uint8_t)lanes;
}

// Pairs of `a` with those of eight others in `bits`, written at `at`, which has room for eight.
// Returns the new end.
static inline dr_pair* dr_emit(const dr_walk* walk, dr_pair* at, int32_t a, const int32_t* others,
                               int bits)
{
    const dr_lane_set* set = &walk->lane_sets[bits];
    for (int k = 0; k < 4; ++k) {
        uint64_t word = dr_pair_word(a, others[set->lane[k]]);
        memcpy(at + k, &word, sizeof word);
    }
    for (int k = 4; k < 8 && set->count > 4; ++k) {
        uint64_t word = dr_pair_word(a, others[set->lane[k]]);
        memcpy(at + k, &word, sizeof word);
    }
    return at + set->count;
}

// The same with branches, for one or two.
static inline dr_pair* dr_emit_few(dr_pair* at, int32_t a, const int32_t* others, int bits)
{
    for (; bits; bits &= bits - 1) {
        *at++ = (dr_pair){a, others[__builtin_ctz((unsigned)bits)]};
    }
    return at;
}

#endif
