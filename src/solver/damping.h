// solver/damping.h: damping that a free sheet cannot tell from none.
//
// Rigid (Mueller et al. 2006): of all velocities that have the same momentum and angular momentum
// one field is rigid, v + w x r. Drawing the velocities towards it takes the flutter and leaves the
// flight. Only vertices that are not held count.
//
// Stretch: along every edge the two ends draw each other to the same speed, equal and opposite and
// along the line between them, so neither momentum changes.
#ifndef DR_DAMPING_H
#define DR_DAMPING_H

#include "mesh/mesh.h"
#include "solver/sheet.h"

// Draws the velocities by this share, 0 to 1, towards the rigid motion.
void dr_damp_rigid(dr_sheet* sheet, float share);
// Takes this share, 0 to 1, of the rate at which each edge changes its length, edge after edge.
void dr_damp_stretch(dr_sheet* sheet, const dr_mesh* mesh, float share);

#endif
