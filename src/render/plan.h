// render/plan.h: the tree for rays.
//
// A tree for collisions is built once and refit for long; one for rays is built for one frame and
// asked a hundred million times. So it is grouped by what rays meet: a range of triangles is cut
// where the boxes of both sides, each by its surface and its number of triangles, cost least
// (MacDonald, Booth 1990; cuts are tried at a few places only, Wald 2007). The ranges of a node are
// cut again, the costliest first, until there are eight.
#ifndef DR_PLAN_H
#define DR_PLAN_H

#include "collide/tree.h"

// As dr_plan_swept, over the positions in `rest`.
bool dr_plan_for_rays(dr_tree_plan* plan, dr_memory* memory, const dr_surface* surface);

#endif
