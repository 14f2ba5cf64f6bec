// collide/tree_upkeep.h: when a tree has decayed so far that a new one pays.
//
// A tree keeps its grouping while the cloth moves. That costs surprisingly little: cloth hardly
// stretches, so a patch that was small at rest stays small in any fold, and its box with it.
// Measured on 20,000 triangles laid in an accordion, rolled up, crumpled and crushed to a ball,
// with the tree of the flat rest shape against a new tree of the pose:
//
//                decay           a search with the new tree takes
//     swept      0.69 - 1.05     1.2 - 1.8 times as long
//     material   0.88 - 1.03     0.92 - 1.07
//     bottom-up  0.81 - 1.20     0.91 - 1.2
//     octree     0.85 - 1.07     0.89 - 1.4
//
// Points that are near each other in a pose belong to different layers, which soon go different
// ways: so new trees are no better at first and worse later. What does decay is a tree whose groups
// were never patches: made from a shape that was itself folded, or over many loose parts that drift
// apart. Decay is then 2 to 100, and a new tree has paid for itself after so many searches:
//
//     decay      swept, material, octree         bottom-up
//     1.3        10, or never (up to 1.5)        never
//     2 to 3     0.4 to 4                        5, or never
//     4          about 1                         more than 100
//     10         less than 1, at most 2          50
//
// Hence the limit of 2, for swept trees and octrees. Bottom-up trees hold by themselves, as their
// patches are connected whatever shape they were made from; they and material trees are left alone,
// since methods rely on their patches. (Such a tree is to be made from a shape laid out flat.)
//
// Rotations of binary trees were tried as well: for the price of half a search they save 0 to 11 %
// of one, and leave neither rectangles to a material tree nor connected patches to a bottom-up one.
// They are not done.
//
// Nothing here looks at a clock: what is decided depends on shapes alone.
#ifndef DR_TREE_UPKEEP_H
#define DR_TREE_UPKEEP_H

#include "collide/tree_build.h"

typedef struct dr_upkeep {
    drape_hierarchy hierarchy;
    double limit;      // of the decay; doubled when a new tree was no better
    int wait;          // calls until the next look
    int rebuild_count; // new trees so far
} dr_upkeep;

// Begins with a tree just made from a surface by this hierarchy: notes how well it groups the shape
// it was made from. Leaves it refit to that shape. `radius` is that of later motions.
void dr_upkeep_begin(dr_upkeep* upkeep, drape_hierarchy hierarchy, dr_tree* tree,
                     const dr_surface* surface, dr_pool* pool, float radius);

// To be called after a refit, with the same motion; looks at every eighth call. True when the tree
// was replaced by one of the start positions of the motion, refit to the motion: its nodes are
// others then, and direction masks and cones are to be made again; regions are kept. When memory is
// short the old tree stays.
bool dr_upkeep_look(dr_upkeep* upkeep, dr_tree* tree, dr_memory* memory, dr_pool* pool,
                    const dr_surface* surface, const dr_motion* motion);

#endif
