// contact/sensor_pairs.h: which triangles of a cloth must be tested against each other.
//
//     self(N):    N has a positive vector: nothing below it meets
//                 otherwise its children among themselves, then against each other
//     pair(P,Q):  boxes apart: nothing
//                 adjacent, and positive together: nothing
//                 two triangles: a check, unless they are neighbours
//                 otherwise the children of the node with the larger box against the other
//
// One thread walks: in regular cloth it is done at the root, and what it finds in folds is tested
// by all workers.
#ifndef DR_SENSOR_PAIRS_H
#define DR_SENSOR_PAIRS_H

#include "collide/tree_pairs.h"
#include "contact/sensor_tree.h"

typedef struct dr_sensor_pairs {
    dr_array checks; // dr_pair: triangles of the mesh, the lower number first
    dr_array stack;  // dr_pair
    int64_t box_tests;
    int self_skips, pair_skips; // subtrees left out for their positive vectors
} dr_sensor_pairs;

void dr_sensor_pairs_free(dr_sensor_pairs* pairs, dr_memory* memory);

// The tree is as it was refit. `with_corners`: pairs with one common vertex are checked as well;
// those with two never are. The order follows from the tree. False when memory is short.
bool dr_sensor_pairs_find(dr_sensor_pairs* pairs, dr_memory* memory, dr_sensor_tree* of,
                          bool with_corners);

#endif
