// collide/ccd.h: the first time at which two moving features touch.
//
// A vertex against a triangle, or an edge against an edge; each of the four points moves in a
// straight line from its start (t = 0) to its end (t = 1). Contact is closed: touching counts, at
// any time from 0 to 1, both included. The answer is never a miss and never late.
//
// One picture serves both pairs. Take the differences of the points of one feature and those of the
// other, at the same time: they are the corners of a flat polygon, a triangle (corner - vertex) or
// a parallelogram (end of one edge - end of the other), which moves, turns and bends its angles;
// each corner moves in a straight line. The features touch when the polygon holds the origin.
//
//        P2 +-------+ P1       f(t) = P0 . (P1 x P2), a cubic, is zero when the plane of the
//           |  o    |          polygon passes through the origin; then the crosses P0 x P1,
//           +-------+ P0       P1 x P2, ..., quadratics in t, tell whether it is inside.
//
// Without separation four stages answer, each only what those before it left open:
//
// 1. Some axis has all corners on one side of the origin at both ends, so at all times: no contact.
//    Comparisons of the given numbers, nothing is rounded.                       (ccd.c)
// 2. Bernstein coefficients of f with a bound on their error. All of one sign: no contact. Else the
//    roots are enclosed in short intervals with a certain sign of f at both ends, and the signs of
//    the crosses, when certain all over the interval, say inside or outside.     (ccd_roots.c)
// 3. The time of a contact: f in twice the digits, certain on both sides of a root that lies
//    between two neighbouring doubles.                                           (ccd_time.c)
// 4. Whole numbers: everything at once and without any doubt.                    (ccd_exact.c)
//
// So the answer is exact: contact or not as the given doubles say, and the time is the largest
// double that is not above the true first time. There are two exceptions, and both are answered
// with contact at 0: coordinates that are not finite; and numbers along one axis that span more
// than 400 bits, 10^120, from the largest to the last bit of the smallest, for then stage 4 may
// have no room for them (it does not matter if an earlier stage can tell). Equal sizes of any kind,
// subnormal or near the largest double, are exact. All work is bounded: no loop waits for
// convergence. Stage 4 takes 5 to 100 microseconds, and less than a millisecond below 200 bits.
//
// With a separation s > 0 the question is the first time at which the distance is s or less. The
// answer is certain steps through time (ccd_apart.c). It is never late: the distance is above s at
// all earlier times. It may be early: let L be the sum of the largest differences along the three
// axes; where contact is reported the distance is below s + 2^-39 L, unless 256 steps did not lead
// there, which takes features that turn around each other by a large angle, hardly further than s
// apart. Sizes from 2^-400 to 2^400; else contact at 0.
//
// Only + - * / and sqrt, so all machines give the same bits.
#ifndef DR_CCD_H
#define DR_CCD_H

#include <stdbool.h>

// Four points at both ends of their way. A vertex and the three corners of a triangle, or the two
// ends of one edge and the two ends of the other.
typedef struct dr_ccd_motion {
    double start[4][3];
    double end[4][3];
} dr_ccd_motion;

typedef struct dr_ccd_result {
    bool is_hit;
    double toi; // time of the first contact, 0 to 1; -1 when there is none
} dr_ccd_result;

// The first time at which the distance is `separation` or less. Zero asks for contact and is
// answered exactly; a negative one, or NaN, gets contact at 0.
dr_ccd_result dr_ccd_point_triangle(const dr_ccd_motion* motion, double separation);
dr_ccd_result dr_ccd_edge_edge(const dr_ccd_motion* motion, double separation);

#endif
