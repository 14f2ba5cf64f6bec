// contact/body.h: a triangle mesh that cloth collides with, in its own frame.
//
// A body has a pose (scene/collider.c) and vertices. Most bodies are rigid: their vertices rest in
// the frame, their tree is made and refit once, and all motion is in the pose. Others change their
// shape as well: in each step their vertices go straight from where they are to where they shall
// be, and the tree is refit once a step around the whole way.
//
//     from ----x----x----x---- to        places at the substeps: from + share (to - from)
//
// Coincident vertices are joined (files cut meshes open where normals or textures jump), so that a
// watertight mesh is known as such: it is *closed* and has an inside. Parts of it that are turned
// inside out are turned back. Everything else is *open*: a sheet with two sides and no inside.
//
// Not every edge and vertex can be the first to touch a cloth. Between two triangles in one plane,
// or in a valley of a closed body, the faces are met first: those edges are *idle*. Others are
// *sharp* (they bend by more than 30 degrees, or are borders) or *blunt*. Which of them matter to a
// cloth depends on the length of its edges as well (contact/relief.h).
#ifndef DR_BODY_H
#define DR_BODY_H

#include "contact/shell.h"

typedef struct dr_body dr_body;

typedef enum dr_bend {
    DR_BEND_IDLE,
    DR_BEND_BLUNT,
    DR_BEND_SHARP,
} dr_bend;

struct dr_body {
    dr_shell shell;
    bool is_closed;          // it has an inside
    bool is_changing;        // the vertices move in this step
    bool has_changed;        // they did in the last one: boxes are too large
    float* from;             // by vertex, four floats: at the start of the step
    float* to;               // at its end; null while the body has always been rigid
    float* normals;          // by vertex, four floats: towards the outside, closed bodies only
    uint8_t* edge_bend;      // dr_bend
    float* edge_turn;        // by edge: by how much the normal turns there, radians
    float* edge_curve;       // by edge: the same against how far its triangles reach, 1/m
    int version;             // counts the changes of all that is by edge
    float travel;            // most that a vertex goes in the step, m
    // What was given, for drawing.
    int given_count, triangle_count;
    int32_t* welded;         // vertex of each given one
    int32_t (*triangles)[3]; // over given vertices
};

// Null when memory is short or the mesh is bad; then `sentence` (of `sentence_size`) says why.
dr_body* dr_body_create(dr_memory* memory, const drape_mesh_view* view, drape_isa isa,
                        dr_pool* pool, char* sentence, size_t sentence_size);
void dr_body_destroy(dr_body* body, dr_memory* memory);

// Where the given vertices shall be at the end of the step. False when memory is short.
bool dr_body_aim(dr_body* body, dr_memory* memory, const drape_vec3* given);
// Once before the first and once after the last substep of a step.
void dr_body_begin_step(dr_body* body, dr_pool* pool);
void dr_body_end_step(dr_body* body);
// The given vertices now.
void dr_body_places(const dr_body* body, drape_vec3* given);

#endif
