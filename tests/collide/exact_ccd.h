// exact_ccd.h: continuous collision in rational numbers, slow and by another way.
//
// For tests and fuzzers: the second opinion on collide/ccd.h. Polynomials over the integers of GMP,
// roots by Sturm's chains and halving, signs at roots by greatest common divisors. The geometry is
// another one too: barycentric coordinates on the normal where the features are not degenerate, and
// points on segments for all the rest.
#ifndef EXACT_CCD_H
#define EXACT_CCD_H

#include "collide/ccd.h"

// Any finite points. The time is the largest double that is not above the true one.
dr_ccd_result exact_ccd_point_triangle(const dr_ccd_motion* motion);
dr_ccd_result exact_ccd_edge_edge(const dr_ccd_motion* motion);

#endif
