// scene/mesh_link.h: what of a cloth is near what of a body, kept from substep to substep.
//
// A search through both trees is made now and then, not in every substep. In the frame of the body
// each vertex of the cloth gets a box: its way over the coming substeps, and some room around it.
// Features whose boxes do not meet cannot meet while all vertices stay within their boxes, so the
// pairs that the search found serve until one leaves. A cloth at rest on a body searches never
// again; one that moves, every few substeps.
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

// Features of the body by feature of the cloth: those of i are in list from start[i] to
// start[i + 1].
typedef struct dr_candidates {
    int count;
    int32_t* start;
    dr_array list;   // int32_t
    dr_array bounds; // float, for each of the list (dr_touch_list)
} dr_candidates;

struct dr_mesh_link {
    dr_cloth* cloth;
    const dr_body* body;
    bool is_valid;          // the pairs hold while all are within their boxes
    dr_relief relief;       // what of the body stands out
    bool has_relief;
    float near, body_way;   // of this substep, m: nothing matters to a vertex that is further than
                            // near + 1.5 (its way + body_way)
    float slack, way;       // of all vertices that are near
    float moved;            // since the last search, summed up as in dr_touch_args
    float *local, *ahead;   // by slot, four floats: as in dr_touch_args
    float *lo, *hi;         // boxes of the slots in the last search
    float* nearest;         // by slot, m: no triangle is nearer, at the start of the substep
    int32_t* room;          // by chunk: contacts between vertices that fit
    uint8_t* is_chunk_near; // by chunk: it has a run in this substep
    dr_pair_search search;
    dr_candidates triangles, edges, points; // of the body, for slots, edges, faces of the cloth
};

// The link of a cloth and a body, made when it is first asked for; null when memory is short.
dr_mesh_link* dr_world_link(drape_world* world, dr_cloth* cloth, const dr_body* body);
// Forgets all links of a cloth or body that goes; either may be null.
void dr_world_drop_links(drape_world* world, const dr_cloth* cloth, const dr_body* body);
void dr_world_free_links(drape_world* world); // all of them
// The pairs of a body that changed its shape are no longer good; null: of all.
void dr_world_stale_links(drape_world* world, const dr_body* body);

// Brings the links of all runs up to date: places of the substep, and a new search where it is
// needed. False when memory is short.
bool dr_world_refresh_links(drape_world* world);
// Places of all runs anew, after the solver has moved vertices.
void dr_world_frame_links(drape_world* world);
// The contacts of one run; false when there is not room enough for those between vertices, and then
// `single_count` says how many there are. `again`: the run keeps the contacts of its vertices.
bool dr_mesh_run_detect(const drape_world* world, dr_contact_run* run, bool again);
// Puts vertices back that went through a triangle, or out of their boxes.
void dr_mesh_run_guard(const drape_world* world, dr_contact_run* run);
// Smallest distance of the committed vertices of a run; never more than the reach of the substep.
float dr_mesh_run_gap(const drape_world* world, const dr_contact_run* run);

#endif
