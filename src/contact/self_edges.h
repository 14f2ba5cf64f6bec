// contact/self_edges.h: self-collision found by geometry and answered by freezing.
//
// After J.-D. Liu, M.-T. Ko, R.-C. Chang: Collision avoidance in cloth animation (1996). Every edge
// is compared with every triangle that it has no vertex in common with, where both end. If they
// meet, the five vertices stay where they were for this step, and the step is solved again.
//
//          |  edge           Two triangles that cross always have such an edge and triangle:
//      +---|-----+           at both ends of the line that they have in common an edge of one
//       \  |    /            meets the other. Touching counts as meeting, and tests are exact,
//        \ |   /             so nothing slips through: not even lines that begin in a shared
//         \|  /              vertex.
//          | /
//
// A passage that is complete at the end of the step is not seen at once, but some edge joins what
// has passed to the rest and does cross, so that further runs find the way back ring by ring.
//
// Two separate cloths have no such joining edge. Between them, and everywhere with `is_full`,
// points against triangles and edges against edges are tested on the whole way from start to end.
//
// Without a tree this is the method as printed, which compares all boxes eight at a time; with one,
// the same edges and triangles are found through pairs of triangles. Every edge is looked at by the
// one triangle that owns it.
#ifndef DR_SELF_EDGES_H
#define DR_SELF_EDGES_H

#include "contact/self_guard.h"
#include "contact/self_search.h"

typedef struct dr_self_edges_options {
    bool use_tree;
    bool is_full;
    drape_isa isa;
} dr_self_edges_options;

typedef struct dr_self_edges {
    dr_self_edges_options options;
    const dr_sheets* sheets;
    dr_self_search search;        // pairs of triangles; what shares a vertex is near
    dr_box_list edges, triangles; // without a tree
    dr_all_pairs all;
    dr_array candidates; // dr_pair: an edge and a triangle, or two triangles
    dr_array is_hit;     // uint8_t by candidate
    dr_array hits;       // dr_pair: edges and triangles that meet, of the last run
} dr_self_edges;

// `sheets` stays the caller's and must live as long. False when memory is short; free it then all
// the same.
bool dr_self_edges_create(dr_self_edges* self, dr_memory* memory, const dr_sheets* sheets,
                          const dr_self_edges_options* options);
void dr_self_edges_free(dr_self_edges* self, dr_memory* memory);

// One run: looks at the places in the sheets, freezes what meets. `far_pairs` of the result are
// edges and triangles that meet, `near_pairs` triangles that pass through each other. No heap calls
// once sizes are known. False when memory is short.
bool dr_self_edges_detect(dr_self_edges* self, dr_memory* memory, dr_pool* pool, dr_limits* limits,
                          int run, dr_self_result* result);
// The same as a dr_self_detect_fn.
bool dr_self_edges_detect_any(void* self, dr_memory* memory, dr_pool* pool, dr_limits* limits,
                              int run, dr_self_result* result);

// Edges (a) and triangles (b) of the last run that met, in the order of their numbers.
const dr_pair* dr_self_edges_hits(dr_self_edges* self, int* count);

#endif
