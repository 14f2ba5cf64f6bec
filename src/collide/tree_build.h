// collide/tree_build.h: builders of plans besides dr_plan_swept: who is grouped with whom.
//
//     material    the sheet halved again and again along its longer side       binary   balanced
//     bottom-up   the two neighbouring patches whose union is least merged     binary   <= 112 deep
//     octree      eight octants around the middle                              8-way    <= 16 deep,
//                                                        and families below where points coincide
//
// All look at the rest shape alone (a caller that wants the tree of a pose gives the pose as rest),
// take any number of triangles in any state, collapsed and coincident ones too, and break every tie
// by index: the same surface gives the same plan. All return false when memory is short; the plan
// is to be freed all the same.
//
// Material space is the rest shape, not uv: texture coordinates may overlap (two mirrored sleeves
// on the same place), and then halves of them are no patches at all.
//
// Bottom-up. Patches are adjacent where they share an edge. Sharing a vertex would not do: a
// direction that all normals of a patch agree with says nothing of two fans that meet in a point,
// and n triangles around one vertex would make n^2 pairs. What is "least":
//
//     surface + diagonal^2 / 8, then fewer triangles, then lower numbers
//
// The surface of a flat patch is its area however long and thin it is; the diagonal keeps it
// compact, the number of triangles keeps the tree shallow where boxes do not differ at all. All of
// it only grows when patches grow, so a pair that is weighed once stays valid until one of its two
// is merged: a heap of pairs needs no updates.
//
// Every node is a connected patch but for these, all near the root:
// - the nodes that join the parts of a mesh which has several (or collapsed triangles, each of
//   which is a part by itself);
// - the nodes above patches that reached the greatest height, 2 log2(n) + 16. No ordinary mesh
//   comes near (log2(n) + 5 is usual), but a brush does: the patch of its root meets n bristles,
//   which meet nobody else, and could only take them one by one. As patches of one height do not
//   overlap, the limit also bounds the pairs ever weighed, by 3 n per height.
// These are joined by halving, and below 16 parts by least union.
#ifndef DR_TREE_BUILD_H
#define DR_TREE_BUILD_H

#include "collide/tree.h"

// The builder of a hierarchy; null for none.
dr_plan_fn* dr_plan_builder(drape_hierarchy hierarchy);

bool dr_plan_material(dr_tree_plan* plan, dr_memory* memory, const dr_surface* surface);

// The same for a grid of mesh/generate.h, which knows its cells: rectangles of cells halved down to
// one cell, then its two triangles. The longer side counts in metres.
bool dr_plan_grid(dr_tree_plan* plan, dr_memory* memory, const dr_surface* surface, int columns,
                  int rows);

// A surface without `triangle_edges` is all parts. `weighed`, when not null, receives the number of
// pairs weighed.
bool dr_plan_bottom_up(dr_tree_plan* plan, dr_memory* memory, const dr_surface* surface);
bool dr_plan_bottom_up_counted(dr_tree_plan* plan, dr_memory* memory, const dr_surface* surface,
                               int64_t* weighed);

// Splits at the middle of the box of the centroids, so at least two octants hold something; for
// points this is the node's own box. Fewer than 8 triangles stay together.
bool dr_plan_octree(dr_tree_plan* plan, dr_memory* memory, const dr_surface* surface);

// --- For builders ---

// The mean of the corners.
drape_vec3 dr_surface_centroid(const dr_surface* surface, int triangle);

// Orders points so that the first half of the list (the larger where they differ) lies below the
// second along the longest side of their bounds, and each half is ordered in the same way.
// O(n log n) for any input. False when memory is short.
bool dr_halving_order(int32_t* order, dr_memory* memory, const drape_vec3* points, int count);

#endif
