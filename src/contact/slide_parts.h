// contact/slide_parts.h: what the files of contact/slide.h share.
#ifndef DR_SLIDE_PARTS_H
#define DR_SLIDE_PARTS_H

#include "contact/slide.h"
#include "contact/slide_geometry.h"

// Vertices of a chunk, and planes that one search of a chunk may find. What does not fit is found
// in the next run.
enum { DR_SLIDE_CHUNK = 64, DR_SLIDE_HITS = 96 };
// Pairs of features that one search of a cloth triangle may find.
enum { DR_SLIDE_PAIRS = 6 };

// Edges and corners are kept clear of by this share of the shell. Less than all of it: what the
// cloth must bulge to go round a sharp edge is seen.
#define DR_SLIDE_EDGE_SHARE 0.25

// Pairs are let be while no more than this share of what they should keep is missing; else planes
// would be added for nothing.
#define DR_SLIDE_LET_BE 0.02

// n.y + offset >= 0 in the frame of an obstacle.
typedef struct dr_slide_plane {
    double normal[3];
    double offset;
} dr_slide_plane;

static inline double dr_height(const dr_slide_plane* plane, const double y[3])
{
    return dr_dot3(plane->normal, y) + plane->offset;
}

typedef enum dr_room_kind {
    DR_ROOM_NONE,  // not known
    DR_ROOM_FREE,  // nothing is near
    DR_ROOM_PLANE, // all that is near is behind the plane
    DR_ROOM_MIXED, // neither
} dr_room_kind;

typedef struct dr_room {
    dr_slide_plane plane;
    float lo[3], hi[3]; // of the way of the vertex
    float cover;        // it holds for what is nearer to the box than this, m
    int32_t triangle;   // of whose face the plane is, -1: an edge or corner
    int32_t nearest;    // triangle when it was made, where a search may begin; no kind: not set
    int32_t key;        // of a vertex that keeps to the plane
    uint8_t kind;       // dr_room_kind
    bool is_convex;     // nothing is above the plane by more than rounding: it is met first
    bool is_begun;      // the start of this step is in the room and clear of the plane
} dr_room;

// What triangles want to know of a vertex: that nothing is near it; or a number from 0 that says
// which plane all that is near is behind, when the vertex is well above it at both ends of its way.
enum { DR_KEY_FREE = -1, DR_KEY_OTHER = -2 };

// How far the triangles below a node of a tree reach, seen along their mean normal: of what is
// nearly flat this says more than a box.
typedef struct dr_slab {
    double normal[3], middle[3];
    double bottom, top; // along the normal
    double radius;      // around the middle
} dr_slab;

// What is kept of an obstacle.
struct dr_slide_guest {
    const dr_body* body;
    bool is_stale; // the body changed its shape
    int triangle_count, edge_count, vertex_count, node_count, room_count; // of the arrays
    float reach;      // thickness of the shell, m
    float edge_reach; // what edges and corners keep
    double rounding;  // of its vertices, m: what is above a plane by less is on it
    // By triangle, which is on it; the same for neighbours in one plane, zero where there is no
    // area.
    dr_slide_plane* planes;
    dr_slab* slabs;           // by node of the tree; for bodies that do not change
    int32_t* groups;          // by triangle: the first one with the same plane
    uint8_t* is_edge_watched; // cloth edges may cut it
    uint8_t* is_corner_watched;
    uint8_t* watched;   // by triangle: bits as in dr_mesh.owned, of those that are watched
    dr_room* rooms;     // by vertex of the cloths
    uint8_t* is_inside; // by vertex: it started inside
    double (*begin)[3]; // by vertex: its start in the frame, where its chunk has begun the step
    int32_t* begun;     // by chunk: the last step in which it was near
    // Of this step.
    dr_frame start, end;
    double shares[2]; // of the way of a changing body, at the start and the end
    double root_lo[3], root_hi[3]; // box of all triangles
};

typedef struct dr_slide_hit {
    int32_t vertex;
    int32_t triangle; // that carries the vertex
    dr_slide_plane plane;
    double anchor[3]; // where the vertex is carried to, in the frame of the obstacle
} dr_slide_hit;

typedef struct dr_slide_chunk {
    bool is_near;
    bool is_full; // there may be more hits
    int hit_count;
    double squared_way; // most that a vertex goes, in the world
    int64_t box_tests, exact_tests;
    double smallest_gap;
} dr_slide_chunk;

typedef enum dr_pair_kind {
    DR_PAIR_EDGES,    // cloth edge, obstacle edge
    DR_PAIR_CORNER,   // cloth triangle, obstacle vertex
    DR_PAIR_CROSSING, // cloth triangle, obstacle triangle
} dr_pair_kind;

struct dr_slide_pair {
    int32_t cloth, other;
    uint8_t kind; // dr_pair_kind
};

// What the search of one unsafe triangle says.
typedef struct dr_slide_lot {
    int32_t pair_count; // more than DR_SLIDE_PAIRS: only so many are kept
    int32_t exact_tests;
} dr_slide_lot;

// One search, of one obstacle in one run.
typedef struct dr_slide_search {
    dr_slide* slide;
    const dr_sheets* sheets;
    const dr_slide_obstacle* obstacle;
    dr_slide_guest* guest;
    dr_limits* limits;
    double tolerance; // m, by which planes may be missed
    double longest;   // edge at the start or the end of the step, at most
} dr_slide_search;

// --- slide_guest.c ---

// Fills a new or stale guest; false when memory is short.
bool dr_guest_prepare(dr_slide_guest* guest, dr_memory* memory, const dr_slide* slide,
                      const dr_slide_obstacle* obstacle);
void dr_guest_free(dr_slide_guest* guest, dr_memory* memory);
// A vertex of an obstacle at the start or the end of the step, in the frame.
static inline void dr_guest_corner(const dr_slide_guest* guest, int vertex, bool at_end,
                                   double out[3])
{
    const dr_body* body = guest->body;
    const float* from = body->from + (size_t)vertex * 4;
    for (int c = 0; c < 3; ++c) {
        out[c] = from[c];
    }
    if (body->is_changing) {
        const float* to = body->to + (size_t)vertex * 4;
        double share = guest->shares[at_end];
        for (int c = 0; c < 3; ++c) {
            out[c] = share < 1.0 ? out[c] + share * ((double)to[c] - out[c]) : (double)to[c];
        }
    }
}

// Corners of an obstacle triangle at the start and the end of the step, in the frame.
void dr_guest_corners(const dr_slide_guest* guest, int triangle, bool at_end, double corners[3][3]);
// A place at the start, moved along with an obstacle triangle to the end of the step.
void dr_guest_carry(const dr_slide_guest* guest, int triangle, const double x[3], double out[3]);
// Triangles whose boxes meet a box; as dr_tree_box_query.
int dr_guest_query(const dr_slide_guest* guest, const double lo[3], const double hi[3],
                   int32_t* triangles, int capacity);
// Its nearest triangle within `most`, -1 when there is none. `hint` is one that may be near, or -1:
// it makes the search short. `distance` may be null.
int dr_guest_nearest(const dr_slide_guest* guest, const double p[3], double most, int hint,
                     double* distance);
// Whether all triangles near the box are behind the plane by `depth`.
bool dr_guest_is_behind(const dr_slide_guest* guest, const dr_slide_plane* plane, double depth,
                        const double lo[3], const double hi[3]);
// Whether a place at the start is inside of a closed body.
bool dr_guest_is_inside(const dr_slide_guest* guest, const double p[3]);

// --- slide_room.c ---

// Rooms must not change what is found. So a room frees a vertex only of what is clear: that it
// misses the plane by less than this share of the tolerance.
#define DR_ROOM_CLEAR 0.5

// In floats: what is lost is far less than the room to spare.
static inline bool dr_room_has(const dr_room* room, const double p[3])
{
    float x = (float)p[0], y = (float)p[1], z = (float)p[2];
    return (x >= room->lo[0]) & (x <= room->hi[0]) & (y >= room->lo[1]) & (y <= room->hi[1]) &
           (z >= room->lo[2]) & (z <= room->hi[2]);
}

// The tangent plane of the shell of an obstacle triangle where it is entered.
dr_slide_plane dr_guest_tangent(const dr_slide_guest* guest, int triangle, const dr_entry* entry,
                                double reach);
// Whether the way from x to q stays in the room, and the room tells enough about what is around it.
bool dr_room_fits(const dr_room* room, const double x[3], const double q[3], double cover);
// A new room for this way.
void dr_room_renew(const dr_slide_search* search, const double x[3], const double q[3],
                   double cover, dr_room* room, dr_slide_chunk* chunk);
// Looks whether all that is near is behind the plane that was chosen.
void dr_room_judge(const dr_slide_search* search, dr_room* room);
// Whether the way meets the plane of the room over the inside of its triangle: then that is the
// first thing it meets. Heights above the plane are those of x and q.
bool dr_room_meets_face(const dr_slide_guest* guest, const dr_room* room, const double x[3],
                        const double q[3], double start, double end);

// --- slide_vertex.c, slide_edge.c ---

// Planes for the vertices of a chunk, into the chunk and its hits.
void dr_slide_search_chunk(const dr_slide_search* search, int chunk);
// Marks the cloth triangles [begin, end) that rooms do not make safe.
void dr_slide_mark_unsafe(const dr_slide_search* search, int begin, int end);
// What the unsafe cloth triangle number i comes too near to, into its pairs.
void dr_slide_search_triangle(const dr_slide_search* search, int i);

// Vertices of one feature of the cloth and their weights at the nearest point to the obstacle.
typedef struct dr_slide_stencil {
    int count;
    int32_t vertex[3];
    double weight[3];
    double normal[3]; // out of the obstacle, in the frame
    double depth;     // what is missing along it, m
    int32_t triangle; // of the obstacle, that carries the vertices
} dr_slide_stencil;

// Places of vertices in the frame: start, and end as in `ends` (by corner of the feature).
// False when the pair keeps clear.
bool dr_slide_judge_edges(const dr_slide_search* search, const double starts[2][3],
                          const double ends[2][3], int cloth_edge, int edge,
                          dr_slide_stencil* stencil);
bool dr_slide_judge_corner(const dr_slide_search* search, const double starts[3][3],
                           const double ends[3][3], int cloth_triangle, int corner,
                           dr_slide_stencil* stencil);

// --- slide_merge.c ---

// What the parts of one detection add to.
typedef struct dr_slide_merge {
    dr_slide_search search;
    dr_memory* memory;
    dr_slide_result* result;
    bool has_memory;
} dr_slide_merge;

// Adds a plane of the obstacle at hand, or freezes a vertex that has no way left. `triangle`
// carries it.
void dr_slide_add_plane(dr_slide_merge* m, int vertex, int triangle, const dr_slide_plane* plane,
                        const double anchor[3]);
// Adds what the pairs of the unsafe triangles miss.
void dr_slide_merge_pairs(dr_slide_merge* m);
// Freezes the vertices whose planes the candidates do not honour.
void dr_slide_freeze_torn(dr_slide_merge* m);

// Where a vertex starts, in the frame of the obstacle; begin[] has it for those of near chunks.
static inline void dr_slide_start(const dr_slide_search* search, int vertex, double out[3])
{
    double place[3];
    dr_read3(search->sheets->start[vertex], place);
    dr_frame_in(&search->guest->start, place, out);
}

#endif
