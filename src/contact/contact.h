// contact/contact.h: contacts between cloth and colliders, predicted and resolved.
//
// At the start of a substep the signed distance of each near vertex to the collider gives a normal.
// The collider carries the tangent plane along: where the body moves a vertex that sticks to it is
// the `anchor`, and the vertex must end with n.(q - anchor) + gap >= 0, gap the clearance at the
// start. The solid is convex and stays behind that plane, so the side cannot change however far the
// solver drags the vertex. Friction compares q with the anchor, too.
//
// Vertices are handled eight at a time (dr_contact8). Where an edge or a corner of the collider
// lies between vertices, single contacts on a point of a cloth edge or triangle are added
// (dr_contact1).
#ifndef DR_CONTACT_H
#define DR_CONTACT_H

#include "collide/shape.h"
#include "solver/sheet.h"

typedef struct dr_body dr_body;

// A collider as detection sees it in one substep.
typedef struct dr_obstacle {
    const dr_body* body;    // triangles (contact/body.h) in place of the shape; null: the shape
    float share_start, share_end; // of the step: where the vertices of a changing body are
    drape_shape shape;
    dr_shape_terms terms;
    float rotation[9];      // at the start, row by row, local to world
    float rotation_end[9];
    float turn[9];          // rotation_end - rotation
    drape_vec3 place;       // at the start
    drape_vec3 shift;       // place at the end - at the start
    float lo[3], hi[3];     // bounds over the substep
    float friction_static, friction_dynamic; // its own, negative when it has none
} dr_obstacle;

typedef struct dr_friction {
    float at_rest, sliding;
} dr_friction;

// A contact that slips in a sweep of the solver need not slide: where folds are jammed, sweeps go to
// and fro by more than friction can hold, and friction that fell to that of sliding at once would let
// piles jerk for ever. So it falls with the speed at which the substep began. `way` is that along
// the contact. 1: it does not slide, and has the friction of rest throughout; 0: it slides.
#define DR_CONTACT_CREEP 0.02f // m/s; it slides from twice as fast on
static inline float dr_contact_grip(float way, float h)
{
    float grip = 2.0f - way / (DR_CONTACT_CREEP * h);
    return grip < 0.0f ? 0.0f : grip > 1.0f ? 1.0f : grip;
}

// A rotation, row by row, and its inverse.
static inline drape_vec3 dr_matrix_apply(const float m[9], drape_vec3 v)
{
    return (drape_vec3){m[0] * v.x + m[1] * v.y + m[2] * v.z, m[3] * v.x + m[4] * v.y + m[5] * v.z,
                        m[6] * v.x + m[7] * v.y + m[8] * v.z};
}

static inline drape_vec3 dr_matrix_apply_transposed(const float m[9], drape_vec3 v)
{
    return (drape_vec3){m[0] * v.x + m[3] * v.y + m[6] * v.z, m[1] * v.x + m[4] * v.y + m[7] * v.z,
                        m[2] * v.x + m[5] * v.y + m[8] * v.z};
}

void dr_obstacle_set(dr_obstacle* obstacle, const drape_shape* shape, drape_transform start,
                     drape_transform end);
// The same for a body, whose shape is not looked at; bounds are those of its tree. `shares` of the
// step at which the substep starts and ends.
void dr_obstacle_set_body(dr_obstacle* obstacle, const dr_body* body, drape_transform start,
                          drape_transform end, const float shares[2]);

// Eight contacts of one vector of slots. Lanes without contact have an unreachable gap.
#define DR_CONTACT_OUT_OF_REACH 1e30f
typedef struct dr_contact8 {
    float normal[3][8];
    float anchor[3][8];
    float gap[8];
    float pressed[8]; // sum of normal corrections in this substep, m
    float rubbed[8];  // sum of tangential corrections
    float grip[8];    // dr_contact_grip
    int32_t vector;
    int32_t count;    // lanes in contact
} dr_contact8;

// One contact of a point inside a cloth edge or triangle.
typedef struct dr_contact1 {
    int32_t slot[3];
    float weight[3];
    drape_vec3 normal, anchor;
    float gap, pressed, rubbed, grip;
    dr_friction friction;
} dr_contact1;

// How near is near.
typedef struct dr_contact_range {
    float radius;        // of the cloth: half its contact thickness, m
    float static_radius; // contacts are made within this gap, m
    float recovery;      // most that a vertex found inside is pushed out in a substep, m
} dr_contact_range;

// A region (collide/shape.h) with two more words: too far for any edge to reach the obstacle, and
// so far that the other end of the edge must be nearer.
#define DR_REGION_FAR 0xff
#define DR_REGION_AWAY 0x40

typedef struct dr_detect_args {
    const dr_sheet* sheet;
    const dr_obstacle* obstacle;
    dr_contact_range range;
    dr_friction friction;
    float away;       // beyond this distance an edge reaches the obstacle only from its other end
    float far;        // beyond this distance no edge of the cloth can reach the obstacle
    float beyond;     // from this distance on a vertex cannot get near in the substep; 0: no telling
    uint32_t skip;    // bits of vectors from the first, up to 32 of them, known to be far
    uint8_t* regions; // per slot: region of the obstacle it is in, or DR_REGION_FAR; may be null
} dr_detect_args;

typedef struct dr_contact_kernels {
    // Contacts of vectors [begin, end) into out, which has room for all; returns their number.
    int (*detect)(const dr_detect_args* args, int begin, int end, dr_contact8* out);
    // Contacts inside the edges `list` of `edges`, where the obstacle bends away between the ends,
    // into out, which has room for all; returns their number.
    int (*detect_edges)(const dr_detect_args* args, const int32_t (*edges)[2], const int32_t* list,
                        int count, dr_contact1* out);
    // Sets how `count` contacts hold, from the velocities before the prediction.
    void (*grip)(const dr_sheet* sheet, const dr_predict_args* predicted, dr_contact8* contacts,
                 int count);
    // One pass over `count` contacts of one obstacle.
    void (*resolve)(const dr_sheet* sheet, dr_friction friction, dr_contact8* contacts, int count);
    // Smallest distance of committed vertices of [begin, end) at the obstacle's end pose.
    float (*gap)(const dr_sheet* sheet, const dr_obstacle* obstacle, int begin, int end);
} dr_contact_kernels;

const dr_contact_kernels* dr_contact_kernels_for(drape_isa isa);

// Most contacts that a triangle can have inside: a box below it has so many corners on one side.
#define DR_FACE_CONTACTS 4
// Contacts of a triangle with corners of the obstacle that its vertices and edges do not already
// have; returns their number.
int dr_contact_face(const dr_detect_args* args, const int32_t slot[3],
                    dr_contact1 out[DR_FACE_CONTACTS]);
// Contacts that were there before detection was repeated keep what they have pressed and rubbed: it
// is in the positions already. Both lists are in the order of their features.
void dr_contact_inherit(dr_contact1* contacts, int count, const dr_contact1* before,
                        int before_count);
// Where the velocity that it had before the prediction would take a vertex.
drape_vec3 dr_contact_way_before(const dr_sheet* sheet, const dr_predict_args* predicted, int slot);
// How single contacts hold.
void dr_contact_set_grips(const dr_sheet* sheet, const dr_predict_args* predicted,
                          dr_contact1* contacts, int count);
// One pass over single contacts, in order.
void dr_contact_resolve(const dr_sheet* sheet, dr_contact1* contacts, int count);

#endif
