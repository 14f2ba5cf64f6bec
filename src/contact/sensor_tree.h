// contact/sensor_tree.h: a bottom-up hierarchy of patches that cannot hit themselves.
//
// A patch of cloth for which some vector has a positive dot product with all its normals (a
// *positive vector*) does not hit itself by curving round: seen along that vector it nowhere turns
// its back. What this says, and what it does not:
//
//      \__  __/        ^                  .-----.
//         \/           | positive        |  .-. |     a flat spiral has a positive vector and may
//      one patch                         |  | '-+-.   still lie on itself: its *outline*, seen
//                                        '--'   '-'   along the vector, crosses itself
//
// With the outline test (contact/sensor_outline.h) it is a theorem: a patch that faces the vector
// everywhere is seen at a point as often as its outline winds round it; so when the outline is
// simple, nothing is seen twice, and no two triangles touch but where they join. Without it, what
// is said of spirals is not checked. On sheets of 11 x 11 vertices that hang from pins and fall
// through themselves, 100 to 150 frames each, the rule as printed misses contacts in 16 to 55
// frames, in 12 to 24 when only patches that share an edge count as adjacent, and with outlines in
// none; it then saves 6 to 30 % of the checks instead of 11 to 37 %.
//
// The rule holds for connected patches of a surface with two sides. Patches that are not connected,
// or that hold an edge of more than two triangles or one that cannot be given sides (a band with a
// twist), are left out of it. Triangles are turned so that neighbours agree where that is possible.
//
// Nodes know their border: its edges, in the direction in which their triangle has them, and its
// vertices. Two disjoint patches are adjacent when they share an edge (or, as printed, a vertex),
// and the rule then is asked of both together.
#ifndef DR_SENSOR_TREE_H
#define DR_SENSOR_TREE_H

#include "collide/tree.h"
#include "contact/sensor_outline.h"
#include "mesh/mesh.h"

// A border edge: twice its number, and 1 more when it runs from the higher vertex to the lower.
typedef int32_t dr_border_edge;

typedef struct dr_sensor_tree {
    const dr_mesh* mesh;
    dr_tree tree;
    float (*box)[6];       // by node: -lo, hi
    bool* is_surface;      // by node: connected, with two sides
    int32_t* border_start; // by node
    int32_t* border_count;
    int32_t* rim_start; // of the vertices of the border, ascending
    int32_t* rim_count;
    dr_array borders;  // dr_border_edge, of a node ascending
    dr_array rims;     // int32_t
    bool* is_bad_edge; // more than two triangles, or no agreement on sides
    uint8_t* positive; // by node, of the last refit: dr_positive
    dr_outline outline;
    const drape_vec3* places; // of the last refit
    bool use_positive, use_outline;
    int64_t outline_tests; // since the last refit
} dr_sensor_tree;

typedef enum dr_positive {
    DR_POSITIVE_UNKNOWN, // not asked yet
    DR_POSITIVE_NO,
    DR_POSITIVE_YES,
} dr_positive;

// False when memory is short; free it then all the same.
bool dr_sensor_tree_create(dr_sensor_tree* of, dr_memory* memory, const dr_mesh* mesh,
                           drape_isa isa);
void dr_sensor_tree_free(dr_sensor_tree* of, dr_memory* memory);

// New boxes and directions. `places` are the vertices of the mesh, needed until the next refit.
// Without `use_positive` nothing is positive; with `use_outline` only what has a simple outline is.
// False when memory is short.
bool dr_sensor_tree_refit(dr_sensor_tree* of, dr_memory* memory, dr_pool* pool,
                          const drape_vec3* places, bool use_positive, bool use_outline);

// No two triangles below the node can meet. `vector`, when not null, receives the positive vector.
bool dr_sensor_tree_is_positive(dr_sensor_tree* of, int node, drape_vec3* vector);
// The nodes are adjacent and no triangle below one can meet one below the other. Neither is below
// the other.
bool dr_sensor_tree_are_positive(dr_sensor_tree* of, int a, int b, drape_vec3* vector);

// How many convex parts a pose has: the largest nodes that have a positive vector.
int dr_sensor_tree_parts(dr_sensor_tree* of);

#endif
