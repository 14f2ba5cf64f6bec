// solver/hinge.h: geometry and rigidity of one hinge of the rest shape.
//
// Unfolded into a plane, the edge x0 x1 with opposite corners x2 and x3 gives cotangent weights k
// with sum k_i = 0 and sum k_i x_i = 0; bent by theta the sum has length l 2 sin(theta/2) and
// points along the normal of the pair. On a curved rest shape that sum is the `bow`.
//
// Bending is not the same in all directions: a hinge whose edge runs along the weft bends the warp.
// The rigidity of a hinge is b[0] c^2 + b[1] s^2 with the direction (c, s) across its edge; b is
// chosen per mesh so that a cylinder along either axis costs what the fabric says, whatever the
// triangulation. Cloth does not stay on the cylinder: single vertices give way where that is
// cheaper, and it would be softer by 10 to 25 per cent. So b counts the energy left after that.
#ifndef DR_HINGE_H
#define DR_HINGE_H

#include "mesh/mesh.h"

typedef struct dr_hinge_shape {
    double k[4];
    double area[2];   // of the two triangles
    double bow;       // signed, 0 for a flat rest shape
    double across[2]; // squared components of the direction across the edge: warp, weft
    double response[2]; // sum k_i z_i for unit curvature along warp, along weft
} dr_hinge_shape;

typedef struct dr_hinge_rigidity {
    double b[2];
} dr_hinge_rigidity;

// True when the rest triangle has enough area to carry strains.
bool dr_hinge_triangle_is_sound(const dr_mesh* mesh, int triangle);
dr_hinge_shape dr_hinge_shape_of(const dr_mesh* mesh, int hinge);
// False when memory is short.
bool dr_hinge_calibrate(const dr_mesh* mesh, dr_memory* memory, float bend_warp, float bend_weft,
                        dr_hinge_rigidity* rigidity);
float dr_hinge_rigidity_of(const dr_hinge_rigidity* rigidity, const dr_hinge_shape* shape);
// Unit normal halfway between those of the triangles, where the weighted sum points; as the kernels
// compute it. Zero when there is none.
void dr_hinge_normal(double x[4][3], double n[3]);

#endif
