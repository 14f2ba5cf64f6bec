// collide/tree_kernels.h: what trees have compiled once per instruction set.
#ifndef DR_TREE_KERNELS_H
#define DR_TREE_KERNELS_H

#include "collide/tree_query.h"
#include "collide/tree_walk.h"

typedef struct dr_refit_kernels {
    // Boxes of the nodes in [begin, end), the last first; those below them are done.
    void (*nodes)(const dr_tree* tree, const dr_motion* motion, int begin, int end);
    // Boxes of features of one to three corners: row r of feature i is rows[r * step + i]. Works in
    // eights from `begin`, so arrays have room for eight more.
    void (*features)(float* rows, int step, const dr_motion* motion, int32_t* const* corner,
                     int corner_count, int begin, int end);
} dr_refit_kernels;

const dr_refit_kernels* dr_refit_kernels_for(drape_isa isa);

typedef struct dr_pairs_kernels {
    dr_walk_fn* triangles;
} dr_pairs_kernels;

const dr_pairs_kernels* dr_pairs_kernels_for(drape_isa isa);

typedef struct dr_feature_kernels {
    dr_walk_fn* features;
} dr_feature_kernels;

const dr_feature_kernels* dr_feature_kernels_for(drape_isa isa);

typedef struct dr_query_kernels {
    int (*box)(const dr_tree* tree, const float reach[6], int32_t* triangles, int capacity);
    // `is_any`: stops at the first hit, which need not be the nearest.
    bool (*ray)(const dr_tree* tree, const float* positions, int stride, const dr_tree_ray* ray,
                bool is_any, dr_tree_ray_hit* hit);
    bool (*nearest)(const dr_tree* tree, const float* positions, int stride,
                    const dr_tree_near_query* query, dr_tree_near* near);
} dr_query_kernels;

const dr_query_kernels* dr_query_kernels_for(drape_isa isa);

#endif
