// contact/predict_contacts.h: contacts between features of cloths, made once at the start of a step.
//
// A contact keeps its features on the sides of each other on which they began, however far the
// solver drags them. Between layers the side is not where they began but where the author wants
// them, so what has gone wrong in one step is put right in the next ones.
//
// Beyond what is printed:
//
// - The plane of a triangle goes on beyond it. A point *beside* the triangle, nearer to its border
//   than to its inside, keeps its side of the plane but is not pushed away from it; and when it
//   also is nearly level with the plane it gets a contact only if the two can meet in this step.
//   Otherwise a flat sheet would be held flat by its own neighbourhood.
// - Features that are near each other in the rest shape keep at most 0.8 of that distance.
// - Two edges whose closest points are at an end, now and at the end of the step, and that cannot
//   meet in it, are left to the points.
#ifndef DR_PREDICT_CONTACTS_H
#define DR_PREDICT_CONTACTS_H

#include "contact/predict_mesh.h"
#include "contact/predict_near.h"
#include "contact/predict_search.h"

// Point and triangle: two numbers and one bit. The plane is found anew whenever it is looked at.
typedef struct dr_point_contact {
    int32_t vertex;
    uint32_t triangle : 31;
    uint32_t is_above : 1; // on the side that the normal points to
} dr_point_contact;

// Two edges, or two points: what is frozen at the start of the step.
typedef struct dr_edge_contact {
    int32_t a, b;      // edges, or vertices
    drape_vec3 normal; // from a to b
    float alpha, beta; // places on them
    float turn;        // of a kept one, see dr_edge_batch
} dr_edge_contact;

typedef struct dr_predict_rules {
    float static_radius; // m, beyond the thickness
    float edge_radius;   // the same for edges; 0: no other
    float layer_radius;  // for points over another layer, where it is greater
    bool as_printed;
    bool use_layers;
    bool is_kept; // for the cache: contacts that serve while cloths slide over each other
} dr_predict_rules;

typedef struct dr_predict_contacts {
    dr_array points;     // dr_point_contact
    dr_array point_gaps; // float, m: how far apart each shall be
    dr_array edges;      // dr_edge_contact
    dr_array edge_gaps;
    dr_array pairs; // dr_edge_contact between vertices
    dr_array pair_gaps;
    int64_t exact_tests; // of the last search
    int64_t skipped;     // no side or no normal could be told

    // Sides of the step before, for points in the plane of a triangle.
    dr_array last;
    int32_t* last_start; // by vertex, once asked for
    bool is_last_sorted;

    // Scratch.
    dr_array near;
    dr_array near_counts;
    int vertex_count;
} dr_predict_contacts;

bool dr_predict_contacts_create(dr_predict_contacts* contacts, dr_memory* memory, int vertex_count);
void dr_predict_contacts_free(dr_predict_contacts* contacts, dr_memory* memory);
// Gives back what only looking for contacts needs, and what was set aside for more of them.
void dr_predict_contacts_trim(dr_predict_contacts* contacts, dr_memory* memory);
// Forgets the step before: vertices were put elsewhere.
void dr_predict_contacts_forget(dr_predict_contacts* contacts);

// Contacts of the pairs that a search has found. `query` says where vertices are; its reach is not
// read. False when memory is short.
bool dr_predict_contacts_make(dr_predict_contacts* contacts, dr_memory* memory, dr_pool* pool,
                              const dr_predict_mesh* mesh, const dr_predict_search* search,
                              const dr_predict_query* query, const dr_predict_rules* rules,
                              drape_isa isa);

// Largest distance at which two parts make contacts without motion.
float dr_predict_reach(const dr_predict_mesh* mesh, const dr_predict_rules* rules);

// --- predict_sides.c ---

// 1 or -1; 0 when there was no such contact.
int dr_predict_last_side(dr_predict_contacts* contacts, dr_memory* memory, int vertex,
                         int triangle);

// --- predict_layers.c ---

// 1 when the first part lies over the second by what the author said, -1 when under it, 0 when
// nothing was said.
static inline int dr_predict_order(const dr_predict_part* first, const dr_predict_part* second)
{
    if (first->layer < 0 || second->layer < 0) {
        return 0;
    }
    return (first->layer > second->layer) - (first->layer < second->layer);
}
// The outward normal at an edge, of no particular length.
drape_vec3 dr_predict_outward(const dr_predict_mesh* mesh, const float* start, int edge);
// Whether the normal of a contact between edges of layers points to where the upper one belongs.
// One that does not is turned round when that may be; else, and when it is along the layers, the
// contact says nothing.
bool dr_predict_turn(const dr_predict_mesh* mesh, const float* start, int order, bool can_turn,
                     dr_edge_contact* contact);

static inline drape_vec3 dr_record_at(const float* records, int vertex)
{
    const float* r = records + 4 * (size_t)vertex;
    return (drape_vec3){r[0], r[1], r[2]};
}

#endif
