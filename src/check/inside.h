// check/inside.h: which points are inside of an obstacle. For checking, not for solving.
//
// By winding numbers, in double precision and with no search at all: like check/crossings.h it must
// not lean on what it judges.
#ifndef DR_INSIDE_H
#define DR_INSIDE_H

#include "check/crossings.h"

// Points in a closed mesh that is turned outside out. A mesh of two triangles stands for a plane
// without end: then those behind it.
int dr_inside_count(const drape_vec3* points, int count, const dr_check_mesh* solid);

#endif
