// collide/octree.h: searches by the rules of two trees of octants (Mohd Shapri, Sulaiman, Bade).
//
// A tree of octants is a tree like others (collide/tree.h) with the plan of dr_plan_octree: around
// the middle of the centroids eight octants, each box shrunk to what is in it, no further below
// eight primitives, at depth 16, or where all centroids coincide. Primitives are triangles, or
// points: the ways of the vertices of a cloth, boxes by dr_motion.
//
// Two trees are walked by three rules:
//
//     both nodes are leaves    their primitives are compared
//     one is a leaf            with each child of the other
//     none is                  the one of larger volume is opened, of larger surface where a volume
//                              is zero; the first when they are equal
//
// and what is apart is left at once. (Where subtrees are larger than DR_TREE_TASK both are opened
// together: there the walk is cut into tasks for threads, always the same.) The order of the pairs
// does not depend on threads.
//
// Measured with 3,721 vertices on solids of 12 to 1,482 triangles: 0.08 to 0.35 ms, and 0.04 to 0.15
// ms by dr_tree_tree_pairs, which opens both nodes everywhere and finds the same pairs. It compares
// up to a sixth more boxes, in kernels.
#ifndef DR_OCTREE_H
#define DR_OCTREE_H

#include "collide/tree_pairs.h"

// Boxes are empty until the first refit. False when memory is short; nothing is held then.
bool dr_octree_create(dr_tree* tree, dr_memory* memory, const dr_surface* surface, drape_isa isa);
// Over points, that is: `corners` has room for three indices of each, which are all the point's.
dr_surface dr_octree_points(int32_t (*corners)[3], const drape_vec3* places, int count);

// Pairs of a primitive of a and one of b whose boxes meet, each once. `search` as in
// collide/tree_pairs.h, with its count of box tests. False when memory is short.
bool dr_octree_pairs(dr_pair_search* search, dr_memory* memory, dr_pool* pool, const dr_tree* a,
                     const dr_tree* b);

// The squared distance of a point from a primitive.
typedef double dr_octree_measure_fn(const void* context, int primitive, const double p[3]);

typedef struct dr_octree_near {
    int primitive;  // -1: none is so near
    double squared; // distance
} dr_octree_near;

// The nearest primitive that is nearer than `most`, or as near; of several the one of least index.
dr_octree_near dr_octree_nearest(const dr_tree* tree, const double p[3], double most,
                                 dr_octree_measure_fn* measure, const void* context);

#endif
