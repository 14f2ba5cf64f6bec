// collide/shape_gap.h: a direction along which a few points are apart from a solid, in double.
//
// For a unit vector n the gap is the least n.p over the points, less the furthest that the solid
// reaches along n. No n has a gap above the distance of the solid from the hull of the points, and
// the direction between the closest points has just that. A gap above zero proves the hull and the
// solid apart, however n was found; so the search may stop at any n that is good enough.
//
//     solid ) reach |  <- gap ->  | least n.p  < points       n -------->
//
// Where they overlap every gap is negative, and the largest tells the shortest way out.
#ifndef DR_SHAPE_GAP_H
#define DR_SHAPE_GAP_H

#include "collide/shape.h"

enum { DR_GAP_POINTS = 6 };

typedef struct dr_shape_gap {
    double normal[3]; // unit vector from the solid to the points
    double reach;     // of the solid along it
    double gap;       // m
} dr_shape_gap;

// How far the solid reaches along a direction; infinity for a plane unless it is along its normal.
double dr_shape_reach(const drape_shape* shape, const double normal[3]);
// The gap of `count` points, three numbers each, at most DR_GAP_POINTS, along a given direction.
dr_shape_gap dr_shape_gap_along(const drape_shape* shape, const double* points, int count,
                                const double normal[3]);
// The largest gap, to a billionth of the size of things where they are apart; or the first that is
// found to be `enough`.
dr_shape_gap dr_shape_gap_of(const drape_shape* shape, const double* points, int count,
                             double enough);

#endif
