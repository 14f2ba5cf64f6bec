// scene/mesh_link.h: what of a cloth is near what of a body, kept from substep to substep.
//
// A search through both trees is made now and then, not in every substep. In the frame of the body
// each vertex of the cloth gets a box: its way over the coming substeps, and some room around it.
// Features whose boxes do not meet cannot meet while all vertices stay within their boxes, so the
// pairs that the search found serve until one leaves; then only what has a vertex outside is
// searched for again. A cloth at rest on a body searches never again.
//
//     +----------------------------+     reach   how far contacts look in one substep
//     |   room   +--------------+  |     room    what makes the search last
//     |          | reach  p--q  |  |     p q     at the start and at the end of a substep, in the
//     |          +--------------+  |             frame of the body
//     +----------------------------+
//
// The pairs are sorted by the feature of the cloth, then by the body's tree (the walk brings them
// in this order, whatever the boxes are), so that the chunks of a cloth can be looked at beside
// each other. What becomes of a pair depends on the substep alone: nothing beyond the reach of the
// substep is looked at, whatever an older search brought along. So it makes no difference when the
// last search was, and a world that is stored and read back goes the same way.
#ifndef DR_MESH_LINK_H
#define DR_MESH_LINK_H

#include "contact/mesh_contact.h"
#include "scene/world.h"

// Features of the body by feature of the cloth: those of i are `size[i]` from list[start[i]] on.
typedef struct dr_candidates {
    int count;
    int32_t *start, *size;
    dr_array list;   // int32_t
    dr_array bounds; // float, for each of the list (dr_touch_list)
} dr_candidates;

// Most triangles of a body that a part of a cloth is searched for among, one by one.
enum { DR_LINK_ALONG = 4096 };

// What is known of a chunk in this substep: it has no run, or it has, or vertices have left their
// boxes.
typedef enum dr_chunk_state {
    DR_CHUNK_FAR,
    DR_CHUNK_NEAR,
    DR_CHUNK_LEFT,
} dr_chunk_state;

struct dr_mesh_link {
    dr_cloth* cloth;
    const dr_body* body;
    bool is_valid;          // the pairs hold while all are within their boxes
    dr_relief relief;       // what of the body stands out
    bool has_relief;
    float near, body_way;   // of this substep, m: nothing matters to a vertex that is further than
                            // near + 1.5 (its way + body_way)
    bool needs_search;      // vertices have left their boxes
    float* moved;           // by slot: as in dr_touch_args
    float body_moved;
    float *local, *ahead;   // by slot, four floats: as in dr_touch_args
    float *lo, *hi;         // boxes of the slots, as they were searched for
    float* nearest;         // by slot, m: no triangle is nearer, at the start of the substep
    int32_t* room;          // by chunk: contacts between vertices that fit
    uint8_t* chunk_state;   // by chunk: dr_chunk_state
    dr_pair_search search;
    dr_candidates triangles, edges, points; // of the body, for slots, edges, faces of the cloth
    uint8_t* is_stale;                      // by slot: it has left its box; scratch
    dr_array along;                         // int32_t, DR_LINK_ALONG of them: scratch
};

static inline int dr_link_slots(const dr_cloth* cloth) { return cloth->sheet->vector_count * 8; }

// How far contacts of a vertex look in this substep.
static inline float dr_link_reach(const dr_mesh_link* link, int slot)
{
    return link->near + 1.5f * (link->ahead[(size_t)slot * 4 + 3] + link->body_way);
}

// The link of a cloth and a body, made when it is first asked for; null when memory is short.
dr_mesh_link* dr_world_link(drape_world* world, dr_cloth* cloth, const dr_body* body);
// Forgets all links of a cloth or body that goes; either may be null.
void dr_world_drop_links(drape_world* world, const dr_cloth* cloth, const dr_body* body);
void dr_world_free_links(drape_world* world); // all of them
// The pairs of a body that changed its shape are no longer good; null: of all.
void dr_world_stale_links(drape_world* world, const dr_body* body);

// Places of the vertices of a chunk. `predicts`: no solver has moved them yet.
dr_touch_frame dr_link_frame(const drape_world* world, dr_mesh_link* link,
                             const dr_obstacle* obstacle, int chunk, bool predicts);
const dr_obstacle* dr_run_obstacle(const drape_world* world, const dr_contact_run* run);
// Makes the pairs good for this substep: its places have been framed. False when memory is short.
bool dr_link_search(drape_world* world, dr_mesh_link* link, const dr_obstacle* obstacle);

// Brings the links of all runs up to date: places of the substep, and a new search where it is
// needed. False when memory is short.
bool dr_world_refresh_links(drape_world* world);
// Places of all runs anew, after the solver has moved vertices.
void dr_world_frame_links(drape_world* world);
// The contacts of one run; false when there is not room enough for those between vertices, and then
// `single_count` says how many there are. `again`: the run keeps the contacts of its vertices.
bool dr_mesh_run_detect(const drape_world* world, dr_contact_run* run, bool again);
// Answers edges and triangles of all runs that went through something, one after the other. False
// when some still do.
bool dr_world_guard_features(drape_world* world);
// Last of all, puts edges and triangles back that are through something after all.
void dr_world_hold_back(drape_world* world);
// Puts vertices back that went through a triangle, or out of their boxes.
void dr_mesh_run_guard(const drape_world* world, dr_contact_run* run);
// Smallest distance of the committed vertices of a run; never more than the reach of the substep.
float dr_mesh_run_gap(const drape_world* world, const dr_contact_run* run);

#endif
