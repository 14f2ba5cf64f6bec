// collide/tree.h: trees of boxes over the triangles of a mesh.
//
// There is one tree type. A builder only decides who is grouped with whom: it yields a plan, nodes
// of 2 to 8 children, and dr_tree_create lays any plan out in the same way:
//
//     plan                 tree: nodes depth first, each with the boxes of its children
//
//         0                node   0        1        2        3        4
//        / \                    [1 4]    [2 3]   [t0 t1]  [t2 t3]  [t4 t5 t6]
//       .   .                                      leaf     leaf     leaf
//
// - A node is *inner* (its children are nodes) or a *leaf* (its children are 1 to 8 triangles).
//   Where a plan mixes both under one node, the triangles get a leaf of their own.
// - The boxes of a node's children lie together, in lanes, so that one test takes them all. A tree
//   has 2, 4 or 8 lanes to a node, whatever its widest node needs. (A binary tree in nodes of 8
//   would take four times the memory. Searches are 5 to 10 times faster in trees that are 8 wide by
//   nature: builders that are free to choose take 8.)
// - Nodes are in depth-first order: a subtree is a range of nodes and a range of triangles, a refit
//   is one pass from the last node to the first, and threads take subtrees.
// - The *place* of a triangle is its number in this order; `triangle_of_place` has its index.
//
// A box is kept as its *reach* in six directions, the largest d.p of its points p for d = -x, -y,
// -z, x, y, z: so -lo.x, -lo.y, -lo.z, hi.x, hi.y, hi.z. The union of boxes is a maximum, and boxes
// are apart if and only if reach_A(d) + reach_B(-d) < 0 for some d; the sign of a sum of two floats
// is exact. So boxes are closed: those that only touch overlap in every search, and no search loses
// features that touch. (Tests that must not count touching come after.)
//
// Boxes contain what they must, to the last bit: an inflated box is rounded outwards.
//
// A primitive need not be a true triangle: three equal corners make a tree of points, two equal
// ones of edges. Positions must be finite; with others nothing crashes, but pairs may be missing.
//
// Extras of the nodes, each made when first asked for, refit on demand: direction masks or normal
// cones, region masks.
#ifndef DR_TREE_H
#define DR_TREE_H

#include "core/memory.h"
#include "core/parallel.h"

// Most children of a node, and most nodes on the way from the root to a leaf.
#define DR_TREE_ARITY 8
#define DR_TREE_DEPTH 256

// Subtrees of about so many triangles are the tasks of threads: some ten microseconds of work.
#define DR_TREE_TASK 512

// --- Surface: what builders and trees want to know of a mesh ---

// Arrays of the caller (those of mesh/mesh.h fit); they are read while building, not kept.
typedef struct dr_surface {
    int vertex_count, triangle_count, edge_count;
    const int32_t (*triangles)[3];
    const drape_vec3* rest;        // rest shape
    const float (*uv)[2];          // material coordinates; null where no builder wants them
    const int32_t* triangle_edges; // three per triangle: opposite to corner k, joining k+1 and k+2
    const uint8_t* owned;          // bits 0-2 own corner k, bits 3-5 own edge (k,k+1)
} dr_surface;

// --- Plan: what a builder yields ---

typedef struct dr_plan_node {
    int32_t child[DR_TREE_ARITY]; // a node, or ~t for triangle t
    int32_t child_count;          // 1 to 8; a node with one child is taken for that child
} dr_plan_node;

// No triangle may appear twice; some may be left out. `dr_tree_plan plan = {0}` is empty and ready.
typedef struct dr_tree_plan {
    dr_array nodes; // dr_plan_node, in any order
    int32_t root;   // a node, or ~t when there is but one triangle; not read without nodes
} dr_tree_plan;

// Adds a node and returns its number, or -1 when memory is short. The last one added is the root.
int dr_plan_add(dr_tree_plan* plan, dr_memory* memory, const int32_t* children, int child_count);
void dr_plan_free(dr_tree_plan* plan, dr_memory* memory);

// Eight to a node, in the Morton order of the rest shape: all nodes full but the last of a level.
// False when memory is short; the plan is to be freed all the same.
bool dr_plan_swept(dr_tree_plan* plan, dr_memory* memory, const dr_surface* surface);

// --- Tree ---

typedef struct dr_tree_node {
    int32_t end;   // the node after its subtree
    int32_t first; // place of the first triangle of the subtree; the last is before `end`'s first
    uint8_t child_count;
    uint8_t lanes; // child_count bits
    bool is_leaf;
} dr_tree_node;

// Axis and half-angle; a cosine of -1 is all directions.
typedef struct dr_cone {
    drape_vec3 axis;
    float cosine, sine;
} dr_cone;

typedef struct dr_tree {
    drape_isa isa;
    int width;           // lanes to a node: 2, 4, 8
    int node_count;      // node 0 is the root
    int triangle_count;  // triangles in the tree
    int vertex_count;    // indices of corners are below this
    dr_tree_node* nodes; // node_count + 1; the last one only ends the list
    int32_t* child;      // width per node: nodes of an inner one, places of a leaf
    float* reach;        // 6 rows of `width` per node: -lo.x -lo.y -lo.z hi.x hi.y hi.z
    float root[6];       // reach of all
    int32_t (*span)[2];  // by node: least and greatest index of the triangles below it

    int32_t* triangle_of_place; // by place, as all that follow; room for eight more
    int32_t* corner[3];         // vertices of the triangle
    float* corner_key[3];       // the same as keys, which compare eight at a time; null when there
                                // are too many

    int32_t* cut; // roots of the subtrees that are tasks of threads, ascending
    int cut_count;

    // Extras, null until asked for. By node, then by place where it says so.
    uint32_t* directions;
    dr_cone* cones;
    uint32_t *present, *wanted; // regions below the node; regions that these may touch
    uint8_t* region;            // by place
    uint32_t allow[32];         // of the regions

    double grouping; // see dr_tree_decay
} dr_tree;

// A builder.
typedef bool dr_plan_fn(dr_tree_plan* plan, dr_memory* memory, const dr_surface* surface);

// Lays a plan out. Boxes are empty until the first refit. False when memory is short, or the plan
// is deeper than DR_TREE_DEPTH or not a tree over distinct triangles; nothing is held then.
bool dr_tree_create(dr_tree* tree, dr_memory* memory, const dr_tree_plan* plan,
                    const dr_surface* surface, drape_isa isa);
// The same by the plan of a builder, which is gone afterwards.
bool dr_tree_build(dr_tree* tree, dr_memory* memory, const dr_surface* surface, dr_plan_fn* builder,
                   drape_isa isa);
void dr_tree_free(dr_tree* tree, dr_memory* memory);

// --- Refit ---

// Where vertices are, or may be: the box of a vertex is that of its two points, inflated.
//
//     still         start, end null
//     swept         start, end
//     given boxes   start = lower corners, end = upper corners
typedef struct dr_motion {
    const float* start; // x y z of a vertex every `stride` floats
    const float* end;   // null: as start
    int stride;         // 3 (drape_vec3) or 4 (records of a sheet, faster)
    float radius;       // of the inflation, >= 0
} dr_motion;

// New boxes for all nodes; the same bits with any pool. `pool` may be null. No heap calls.
void dr_tree_refit(dr_tree* tree, dr_pool* pool, const dr_motion* motion);

// --- Looking at a tree ---

// Vertices as floats. Differences of keys are exact, and zero or of a size from 2^-12 to 2^12, so
// that a product of up to nine tells whether one of them is zero.
#define DR_TREE_MOST_KEYS (1 << 24)
static inline float dr_tree_key(int32_t vertex)
{
    return (float)vertex * 0x1p-12f;
}

// Triangles below a node.
static inline int dr_tree_below(const dr_tree* tree, int node)
{
    return tree->nodes[tree->nodes[node].end].first - tree->nodes[node].first;
}

// Whether the subtree is small enough for a task of its own.
static inline bool dr_tree_is_task(const dr_tree* tree, int node)
{
    return tree->nodes[node].is_leaf || dr_tree_below(tree, node) <= DR_TREE_TASK;
}

// The box of everything below a node.
void dr_tree_box(const dr_tree* tree, int node, drape_vec3* lo, drape_vec3* hi);

// How much worse the tree groups its triangles than at the first call: surface of all boxes of
// nodes to that of the boxes of triangles, over what this ratio was then. 1 at the first call after
// dr_tree_create. Looks at every node; call it now and then.
double dr_tree_decay(dr_tree* tree);

// --- Extras ---

// The 26 directions to the faces, edges and corners of a cube. Bit k of a mask stands for
// dr_tree_direction(k): all normals below the node have a dot product above 0.02 with it. Triangles
// of no area have all bits. `positions` as in dr_motion. False when memory is short.
enum { DR_TREE_DIRECTION_COUNT = 26 };
drape_vec3 dr_tree_direction(int k);
bool dr_tree_refit_directions(dr_tree* tree, dr_memory* memory, const float* positions, int stride);
// A cone around all normals below each node; triangles of no area count for nothing.
bool dr_tree_refit_cones(dr_tree* tree, dr_memory* memory, const float* positions, int stride);
// The least cone that holds both, up to rounding, which widens it.
dr_cone dr_cone_merge(dr_cone a, dr_cone b);
// True when some vector has a positive dot product with all directions of the cone.
bool dr_cone_is_positive(dr_cone cone);

// `region` has a number below 32 for each triangle of the surface, `allow` for each region the mask
// of those it may touch, a symmetric matrix. Searches then skip what may not touch; between two
// trees the matrix of the first counts.
bool dr_tree_set_regions(dr_tree* tree, dr_memory* memory, const uint8_t* region,
                         const uint32_t allow[32]);

#endif
