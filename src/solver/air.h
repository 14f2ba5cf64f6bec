// solver/air.h: the force of moving air on the triangles of a sheet.
//
// Per triangle of area A with unit normal n, v its mean velocity against the air:
//
//   drag  -rho/2 A |n.v| drag v                    against the motion, nothing edge-on
//   lift   rho/2 A |n.v| lift (|n.v| v/|v| - s |v| n)   across it, s the sign of n.v; 0 head-on
//
// It goes to the corners by what they weigh of the triangle. On meshes that is a third. Vertices of
// a grid weigh the cells around them, however these are cut, so that of alternating diagonals half
// of the vertices have twice as many triangles as the others: thirds would blow them apart, and
// cloth that bends easily would ripple from vertex to vertex as it falls. The drag is taken
// implicitly per triangle, so light cloth in a storm slows down to the wind and no further.
#ifndef DR_AIR_H
#define DR_AIR_H

#include "mesh/mesh.h"
#include "solver/sheet.h"

// Acceleration of each vertex by the air from the committed state into sheet->force, which exists.
// `scratch` has room for one vector per triangle.
void dr_air_blow(const dr_sheet* sheet, const dr_mesh* mesh, drape_vec3 air, float drag, float lift,
                 float h, drape_vec3* scratch);

#endif
