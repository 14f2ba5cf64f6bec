// collide/feature_pairs.h: pairs of a point and a triangle, and of two edges, whose boxes meet.
//
// Every vertex and every edge belongs to one triangle (ownership bits of mesh/mesh.h), so to one
// leaf of the tree. There the features that the leaf's triangles own lie side by side, with boxes
// of their own:
//
//     leaf      triangles  t0 t1 t2 t3 t4 t5 t6 t7        boxes in the tree
//               points     v0 v1 v2 v3                    boxes here: of the vertex itself,
//               edges      e0 e1 e2 ... e11               of the edge itself
//
// A walk down the tree brings together all leaves whose boxes meet. The box of a leaf contains
// those of its features, and two leaves meet once; so every pair of features whose boxes meet is
// found, exactly once. Features with a common vertex are dropped, neighbouring triangles are not:
// that is where folds begin.
//
// Lists of a search (collide/tree_pairs.h):
//
//     DR_PAIRS_POINT_TRIANGLE   a = vertex, b = triangle
//     DR_PAIRS_EDGE_EDGE        a, b = edges; between two meshes, a of the first, b of the second
//     DR_PAIRS_TRIANGLE_POINT   between two meshes: a = vertex of the second, b = triangle of the
//                               first; empty in a search of one mesh
//
// With regions, a feature is in the region of the triangle that owns it.
#ifndef DR_FEATURE_PAIRS_H
#define DR_FEATURE_PAIRS_H

#include "collide/tree_pairs.h"

enum { DR_PAIRS_POINT_TRIANGLE, DR_PAIRS_EDGE_EDGE, DR_PAIRS_TRIANGLE_POINT };

// Features of one kind in the order of the tree, those of a leaf side by side. Arrays have room for
// eight more. (Leaves that begin a vector of their own were tried: no faster, and up to four times
// the memory.)
typedef struct dr_feature_list {
    int corner_count; // 1 or 2
    int count;
    int32_t* start;     // by node, node_count + 1: features of a leaf are start[n] .. start[n + 1]
    int32_t* index;     // by feature, as all that follow: vertex or edge of the mesh
    int32_t* corner[2]; // its vertices
    float* key[2];      // the same as keys; null when the mesh has too many
    int32_t* place;     // of the triangle that owns it
    float* reach;       // 6 rows of `step`
    int step;
} dr_feature_list;

typedef struct dr_features {
    dr_feature_list points, edges;
    int node_count;
} dr_features;

// Of the triangles in the tree; `surface` must have edges and ownership. Boxes are not yet made.
// False when memory is short; nothing is held then.
bool dr_features_create(dr_features* features, dr_memory* memory, const dr_tree* tree,
                        const dr_surface* surface);
void dr_features_free(dr_features* features, dr_memory* memory);
// Takes other ones: `surface` owns no more than what the features were created with. Boxes are to
// be made anew.
void dr_features_choose(dr_features* features, const dr_tree* tree, const dr_surface* surface);
// Boxes for all features. The tree is to be refit with the same motion.
void dr_features_refit(dr_features* features, const dr_tree* tree, dr_pool* pool,
                       const dr_motion* motion);

// Pairs within one mesh. `filter` and `pool` may be null. False when memory is short.
bool dr_feature_pairs(dr_pair_search* search, dr_memory* memory, dr_pool* pool, const dr_tree* tree,
                      const dr_features* features, const dr_pair_filter* filter);
// Pairs between two meshes.
bool dr_feature_pairs_between(dr_pair_search* search, dr_memory* memory, dr_pool* pool,
                              const dr_tree* a, const dr_features* features_a, const dr_tree* b,
                              const dr_features* features_b, const dr_pair_filter* filter);

#endif
