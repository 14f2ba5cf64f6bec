// contact/sensor_point.h: places in a cloth, and walking on it.
//
// A place is a triangle and three weights, so it stays with the cloth however that is bent. Moves
// are vectors of the rest shape. Where a way leaves its triangle it is turned into the plane of the
// next one, as if the two were laid flat; at a border it goes on along the border:
//
//          +---------+               +
//         / \   .>  / \             / \       border: what leads out is lost,
//        /   \ '   /   \           / o-'\     the rest goes on along it
//       /  o--'   /     \         +---->-+
//      +-----+---------+
//
// So on a flat rectangle a place moves as if its two coordinates were clamped.
#ifndef DR_SENSOR_POINT_H
#define DR_SENSOR_POINT_H

#include "mesh/mesh.h"

typedef struct dr_material_point {
    int32_t triangle;
    double weight[3]; // of the corners, in [0, 1], with sum 1
} dr_material_point;

// Where the place is when the vertices of its mesh are at `places`.
void dr_material_place(const dr_mesh* mesh, const drape_vec3* places, const dr_material_point* at,
                       double out[3]);

// The gradient on the rest shape of a function that is linear on the triangle, from its values at
// the corners: a vector in the plane of the triangle. Zero where the triangle has no area.
void dr_material_gradient(const dr_mesh* mesh, int triangle, const double values[3],
                          double gradient[3]);

// Moves a place by a vector in the plane of its triangle. Returns the length of the way gone.
double dr_material_walk(const dr_mesh* mesh, dr_material_point* at, const double move[3]);

// The place at (s, t) of the triangle, both in [0, 1): evenly spread when they are.
dr_material_point dr_material_spread(int triangle, double s, double t);

#endif
