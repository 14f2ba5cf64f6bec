// contact/relief.h: what of a body stands out so far that a cloth must be kept from it.
//
// The vertices of a cloth are held off the triangles of a body. Its edges, of length L, are
// straight, and sink towards a body that bends away below them: over an edge that turns the normal
// by the angle a, by L a / 4; and by L/2 to the square times half the curvature where the body is
// finer than the cloth and many edges turn it one after the other.
//
//     o-----------------o   cloth          sink = L/4 max(a, L/2 curvature)
//         ___.---.___       body
//
// Where that is a small part of the thickness, contacts of vertices are enough. Where it is a
// little more, vertices are held higher by the rest (`lift`). Only where the body stands out
// further do its edges and vertices have contacts with the edges and triangles of the cloth. So
// what a cloth costs on a smooth body does not depend on how many triangles the body has.
#ifndef DR_RELIEF_H
#define DR_RELIEF_H

#include "contact/body.h"

typedef struct dr_relief {
    float length, radius;   // edges of the cloth, and half its thickness, m
    uint8_t *edge, *vertex; // of the body, dr_bend: idle where contacts of vertices are enough
    float* lift;            // by vertex of the body, m
    float lift_most;
    bool is_smooth;       // nothing of it is sharp
    dr_features features; // those that are not idle, with boxes
    uint8_t* owned;       // as in mesh/mesh.h, without those that are idle
    int version;          // of the body
} dr_relief;

// False when memory is short; nothing is held then.
bool dr_relief_create(dr_relief* relief, dr_memory* memory, const dr_body* body, float length,
                      float radius);
void dr_relief_free(dr_relief* relief, dr_memory* memory, const dr_body* body);
// After the body has changed its shape; otherwise it does nothing.
void dr_relief_refresh(dr_relief* relief, const dr_body* body, dr_pool* pool);

#endif
