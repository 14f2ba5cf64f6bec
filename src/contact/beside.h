// contact/beside.h: pairs of triangles that the plane of one of them certainly keeps apart.
//
// Near triangles are tested by the thousand, and nearly all of them lie as neighbours in a bent
// sheet do: one is off the plane of the other, on one side, but for what they share. That takes a
// few products per vertex, eight pairs at a time in floats. The bound of the error is that of
// collide/predicates.h with 2^-24 in place of 2^-53, so what is said to be beside is. The rest is
// left to exact tests.
#ifndef DR_BESIDE_H
#define DR_BESIDE_H

#include "collide/tree_pairs.h"

// is_beside[i] = 1: the triangles of pair i have no point in common but what they share. `places`
// are records of four floats, the last of which is dr_tree_key of the vertex: that of the same
// number is the same vertex.
void dr_beside(const float* places, const int32_t (*triangles)[3], const dr_pair* pairs, int count,
               drape_isa isa, uint8_t* is_beside);

// --- For kernels ---

typedef struct dr_beside_kernels {
    void (*beside)(const float* places, const int32_t (*triangles)[3], const dr_pair* pairs,
                   int count, uint8_t* is_beside);
} dr_beside_kernels;

#endif
