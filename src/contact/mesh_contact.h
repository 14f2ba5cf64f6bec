// contact/mesh_contact.h: contacts between cloth and bodies of triangles.
//
// All is looked at in the frame of the body, in which a rigid body rests: `local` is where a vertex
// of the cloth is at the start of the substep, `ahead` where it is going. For each vertex, edge and
// triangle of the cloth there is a list of triangles, edges and vertices of the body that it may
// meet (scene/mesh_link.h); what is near gets a contact with the plane between the closest points.
//
//         p  cloth               Vertices are held at the contact radius r from the triangles. Edges and
//         |   d                  triangles of the cloth are held where the body stands out between
//     ----c---------- body       their vertices (contact/relief.h): at r from sharp edges and tips, at
//                                r/2 from blunt ones. Smooth bodies are carried by vertices alone.
//
// A plane is only as good as what lies behind it. Hence of the triangles near a vertex only those
// count whose closest point is nearest among their neighbours, and an edge or vertex of the body
// counts only where its neighbours are behind its plane: far features do not push sideways. In
// addition come the features that would be pierced on the way to `ahead`. And when all is solved,
// edges and triangles that have gone through something all the same get contacts once more
// (`guards`), and a vertex that has gone through a triangle is put back on its side
// (dr_touch_guard).
//
// A vertex found inside a closed body is pushed out to the nearest surface, by so much a substep.
#ifndef DR_MESH_CONTACT_H
#define DR_MESH_CONTACT_H

#include "collide/closest.h"
#include "contact/body.h"
#include "contact/contact.h"
#include "contact/relief.h"

typedef struct dr_touch_kernels dr_touch_kernels;

typedef struct dr_touch_args {
    const dr_touch_kernels* kernels;
    const dr_sheet* sheet;
    const dr_obstacle* obstacle; // its poses, its body
    const dr_relief* relief;     // of the body, for this cloth
    const float* local;          // by slot: x y z in the frame of the body, and the length of its way
    const float* ahead;          // by slot: x y z, and the way as it was predicted
    dr_contact_range range;      // of vertices
    float near;                  // lists have all within this and 1.5 times the way, as predicted
    float feature_radius[2];     // at which edges and triangles are held: by blunt and by sharp ones
    float feature_static[2];     // and the gaps at which their contacts are made
    bool looks_deep;             // what is inside a closed body is looked for even where it is slow
    bool guards;                 // edges and triangles have contacts only with what they go through
    const float* moved;          // by slot: sum of its moves in the frame of the body so far
    float body_moved;            // and of the body's own changes
    int* test_count;             // closest points found are added up here
    dr_friction friction;
} dr_touch_args;

// Features of the body that one of the cloth may meet: triangles, edges or vertices. Each has a
// bound: its distance when it was last looked at, plus the sum of moves of the vertices then. While
// the bound less the sum of now is beyond all limits the pair need not be looked at again; so at
// rest only what touches costs anything.
typedef struct dr_touch_list {
    const int32_t* features;
    float* bounds; // with room for eight more
    int count;
} dr_touch_list;

// Most contacts of one vertex, edge or triangle with one body.
enum { DR_TOUCH_MOST = 4 };

// Each writes up to DR_TOUCH_MOST contacts and returns their number. `nearest` receives how far the
// vertex is from all of the list, at least; the most urgent contact of a vertex comes first.
int dr_touch_point(const dr_touch_args* args, int32_t slot, const dr_touch_list* list,
                   dr_contact1* out, float* nearest);
int dr_touch_edge(const dr_touch_args* args, const int32_t slots[2], const dr_touch_list* list,
                  dr_contact1* out);
int dr_touch_face(const dr_touch_args* args, const int32_t slots[3], const dr_touch_list* list,
                  dr_contact1* out);

// Keeps a vertex from going through triangles between `local` and `ahead`; true when it had to be
// moved. `place` is where to, in the world.
bool dr_touch_guard(const dr_touch_args* args, int32_t slot, const dr_touch_list* list,
                    drape_vec3* place);
// Distance of a vertex at `local`, negative inside; infinite when nothing of the list is within
// `limit`.
float dr_touch_distance(const dr_touch_args* args, int32_t slot, const dr_touch_list* list,
                        float limit);

// --- Kernels, per instruction set ---

// A feature of the body that is near, with the weights of the closest points (collide/closest.h).
typedef struct dr_touch_near {
    dr_closest closest;
    drape_vec3 point; // of the body, the closest one
    int32_t feature;
} dr_touch_near;

enum { DR_TOUCH_MOST_NEAR = 64 };

// By slot, four floats each: places in the frame of a body, and boxes they should be within.
typedef struct dr_touch_frame {
    float *local, *ahead, *moved;
    const float *lo, *hi;
    bool predicts;    // the ways are those of the prediction
    float slack;      // by how much all are within their boxes, less 1.5 times their ways
    float moved_most; // largest of the sums
} dr_touch_frame;

struct dr_touch_kernels {
    // Writes `local`, `ahead` and `moved` of vectors [begin, end), and what is of all.
    void (*frame)(const dr_sheet* sheet, const dr_obstacle* obstacle, int begin, int end,
                  dr_touch_frame* out);
    // Those nearer than the limit, in order; of too many the nearest. `limits` of the vertex, or of
    // the ends of the edge, or of the corners of the triangle: in between they are mixed like
    // places. Weights of edges: on the cloth's, on the body's.
    int (*near_triangles)(const dr_touch_args* args, const int32_t* slots,
                          const dr_touch_list* list, const float* limits, dr_touch_near* out);
    int (*near_edges)(const dr_touch_args* args, const int32_t* slots, const dr_touch_list* list,
                      const float* limits, dr_touch_near* out);
    int (*near_points)(const dr_touch_args* args, const int32_t* slots, const dr_touch_list* list,
                       const float* limits, dr_touch_near* out);
};

const dr_touch_kernels* dr_touch_kernels_for(drape_isa isa);

#endif
