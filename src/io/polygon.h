// io/polygon.h: polygons cut into triangles.
//
// A polygon is looked at along the axis nearest to its normal (Newell's, which any closed loop
// has). Where every corner turns the same way it is cut as a fan from its first corner; that goes
// for plain quads, whose cut is the diagonal from corner 0 to corner 2. Otherwise ears are cut off
// one by one: corners that turn outward and whose triangle holds no corner that turns inward. A
// loop that crosses itself has no right answer; it still gives count - 2 triangles over its own
// corners.
#ifndef DR_POLYGON_H
#define DR_POLYGON_H

#include "io/list.h"

#include <drape/vec.h>
#include <stdbool.h>

// Cutting ears takes the square of the corners in time, so a polygon that needs it has a limit.
#define DR_POLYGON_EAR_LIMIT 4096

typedef enum dr_polygon_result {
    DR_POLYGON_CUT,
    DR_POLYGON_TOO_LARGE, // not convex and over DR_POLYGON_EAR_LIMIT corners
    DR_POLYGON_NO_MEMORY,
} dr_polygon_result;

// Room that is used from polygon to polygon. Starts as {0}.
typedef struct dr_polygon_cutter {
    dr_list corners;
} dr_polygon_cutter;

// Cuts the polygon `loop` of `count` >= 3 vertex indices into 3 * (count - 2) indices.
dr_polygon_result dr_polygon_cut(dr_polygon_cutter* cutter, const drape_vec3* positions,
                                 const int32_t* loop, size_t count, int32_t* triangles);
void dr_polygon_cutter_free(dr_polygon_cutter* cutter);

#endif
