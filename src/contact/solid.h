// contact/solid.h: an obstacle of this step with its tree of octants, in its own frame.
//
// The tree is made once. Of a body that changes its shape (contact/body.h) the places of the
// vertices at the start and the end of the substep are kept, and the boxes hold both.
#ifndef DR_SOLID_H
#define DR_SOLID_H

#include "collide/octree.h"
#include "contact/slide.h"
#include "contact/slide_geometry.h"

typedef struct dr_solid {
    const dr_body* body;
    dr_tree tree;
    const float* places[2]; // four floats a vertex, at the start and the end of the step
    float* moved[2];        // room for them where the body changes
    dr_frame frames[2];     // pose at the start and the end
    bool is_swept;          // the boxes are those of a change
    uint8_t* is_inside;     // by vertex of the cloths: it started inside
    int cloth_count;        // of `is_inside`
} dr_solid;

// A point of a triangle.
typedef struct dr_foot {
    int triangle;  // -1: there is none
    bool is_inner; // off the border of the triangle
    double place[3];
    double distance;
} dr_foot;

// Makes the solid ready for a step; `cloth_count` vertices may be marked as inside. False when
// memory is short; free it then all the same.
bool dr_solid_prepare(dr_solid* solid, dr_memory* memory, dr_pool* pool,
                      const dr_slide_obstacle* obstacle, int cloth_count);
void dr_solid_free(dr_solid* solid, dr_memory* memory);

// Corners of a triangle at the start or the end, in the frame.
static inline void dr_solid_corners(const dr_solid* solid, int triangle, bool at_end,
                                    double corners[3][3])
{
    for (int k = 0; k < 3; ++k) {
        const float* p =
            solid->places[at_end] + (size_t)solid->body->shell.mesh.triangles[triangle][k] * 4;
        for (int c = 0; c < 3; ++c) {
            corners[k][c] = p[c];
        }
    }
}

// Whether a place is further than `most` from the plane of a triangle; without a root.
static inline bool dr_solid_is_off(const double (*corners)[3], const double p[3], double most)
{
    double u[3], v[3], off[3], normal[3];
    dr_sub3(corners[1], corners[0], u);
    dr_sub3(corners[2], corners[0], v);
    dr_sub3(p, corners[0], off);
    dr_cross3(u, v, normal);
    double height = dr_dot3(off, normal);
    return height * height > most * most * dr_dot3(normal, normal);
}

// Weights of the corners at the point of the triangle's plane that is nearest to p; their sum is 1.
// False when the triangle has no area to speak of.
bool dr_solid_weights(const double (*corners)[3], const double p[3], double weights[3]);
// The sum of the weighted corners.
static inline void dr_solid_weigh(const double (*corners)[3], const double weights[3],
                                  double out[3])
{
    for (int c = 0; c < 3; ++c) {
        out[c] =
            weights[0] * corners[0][c] + weights[1] * corners[1][c] + weights[2] * corners[2][c];
    }
}

// A place at the start, moved along with a triangle to the end: weights and height stay.
void dr_solid_carry(const dr_solid* solid, int triangle, const double x[3], double out[3]);

// The point of one triangle that is nearest to p, at the start or the end.
dr_foot dr_solid_foot(const dr_solid* solid, int triangle, const double p[3], bool at_end);
// The nearest of all within `most`; of equally near triangles the one of least index.
dr_foot dr_solid_nearest(const dr_solid* solid, const double p[3], double most, bool at_end);
// Whether a place at the start or the end is inside; never of an open body.
bool dr_solid_is_inside(const dr_solid* solid, const double p[3], bool at_end);

#endif
