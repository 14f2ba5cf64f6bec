// contact/predict_search.h: which features may come near each other in a step.
//
// A tree over the triangles, or over the vertices alone, each swept from where it is to where it is
// going and inflated by half of the distance at which contacts are made: two boxes together cover
// all of it. Regions prune the walk: a node knows which regions are below it and which of them
// these may touch.
#ifndef DR_PREDICT_SEARCH_H
#define DR_PREDICT_SEARCH_H

#include "collide/feature_pairs.h"
#include "contact/predict_mesh.h"

typedef struct dr_predict_search {
    bool is_points; // vertices against vertices only
    int32_t* point; // by leaf of such a tree: its vertex
    int point_count, point_room;
    bool is_empty; // no two regions may touch: nothing is ever looked for
    dr_tree tree;
    dr_features features;
    dr_pair_search pairs;
} dr_predict_search;

// False when memory is short; free it then all the same.
bool dr_predict_search_create(dr_predict_search* search, dr_memory* memory,
                              const dr_predict_mesh* mesh, const uint32_t allow[32], bool is_points,
                              drape_isa isa);
void dr_predict_search_free(dr_predict_search* search, dr_memory* memory);

// Looks; `motion` inflates by half of the distance looked for. Afterwards the lists of `pairs` are
// those of collide/feature_pairs.h, or, of points, pairs of vertices in the first. False when
// memory is short.
bool dr_predict_search_run(dr_predict_search* search, dr_memory* memory, dr_pool* pool,
                           const dr_motion* motion);

#endif
