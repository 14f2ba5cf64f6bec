// scene/fit.h: the rigid motion that takes some places nearest to others, in the sense of least
// squares.
//
// The best rotation, as a quaternion, is the eigenvector of greatest eigenvalue of a symmetric
// matrix of four rows (Horn 1987). What the places do not determine stays as it was before: two
// places leave the turn about the line between them, one place leaves every turn. Then there are
// several such eigenvectors, and the one nearest to the rotation before is taken.
#ifndef DR_FIT_H
#define DR_FIT_H

#include <drape/types.h>

typedef struct dr_fit {
    int count;
    double from[3], to[3]; // centres
    double moments[3][3];  // row: to, column: from
} dr_fit;

void dr_fit_begin(dr_fit* fit);
// All pairs twice: in pass 0 for the centres, in pass 1 for the moments round them.
void dr_fit_add(dr_fit* fit, int pass, drape_vec3 from, drape_vec3 to);
// At the end of a pass.
void dr_fit_turn(dr_fit* fit, int pass);
drape_transform dr_fit_solve(const dr_fit* fit, drape_quat before);

#endif
