// contact/predict.h: predictive contacts between cloths (Lewin: Cloth Self Collision with Predictive
// Contacts), for cloth in real time.
//
//     once    mesh -> tree                     -> kept contacts, where the cache is used
//     step    boxes of the way -> pairs -> contacts -> batches of eight
//     sweep   stretch, colliders, then these: each batch once
//
// Whoever steps the cloths writes where they are into records (dr_predict.start, .now), runs
// dr_predict_begin once and dr_predict_sweep after each sweep of the model, and reads `now` of the
// touched vertices back.
//
// Regions: 32 of them, painted on triangles, with a symmetric matrix of who may touch whom.
// Layers: cloths with an authored order keep it, and untangle when they lost it.
// Cache: contacts inside the marked regions are found once, in the pose of the start, and solved in
// every step without any search. Between layers that is all a garment needs.
#ifndef DR_PREDICT_H
#define DR_PREDICT_H

#include "contact/predict_batch.h"
#include "contact/predict_contacts.h"

typedef struct dr_predict_options {
    float static_radius;   // m; 0: twice the thickness
    uint32_t allow[32];    // of the regions, symmetric
    uint32_t kept_regions; // contacts between two of these come from the cache
    bool use_cache;
    bool use_layers;
    bool is_points;
    bool as_printed;
    drape_isa isa;
} dr_predict_options;

// Batches of both kinds.
typedef struct dr_predict_batches {
    dr_array points; // dr_point_batch
    dr_array edges;  // dr_edge_batch
    int contact_count;
} dr_predict_batches;

// Contacts that are never looked for again.
typedef struct dr_predict_kept {
    bool is_made;
    uint64_t pose;                // hash of where the vertices were
    dr_predict_contacts contacts; // as they were found
    dr_predict_batches batches;
    dr_array walkers; // int32_t, eight to a batch of points: triangle it is over; -1: stands
    dr_array ages;    // uint8_t, eight to a batch, points first: looks at which it was far away
    dr_predict_batches active; // of this step: those that do not rest, anew in batches
    int next;                  // batch that the next look begins with
    int removed;
} dr_predict_kept;

typedef struct dr_predict {
    dr_predict_options options;
    dr_predict_rules rules;
    dr_predict_mesh mesh;
    dr_predict_search search; // for what is not kept
    dr_predict_contacts contacts;
    dr_predict_batches batches;
    dr_predict_kept kept;
    dr_predict_groups groups;
    dr_array quads, awake; // scratch
    float *start, *now;    // four floats to a vertex, see dr_predict_places
    float* ahead;          // where a whole step leads, scratch
    int32_t* touched;      // vertices with contacts, ascending
    uint8_t* is_touched;
    int touched_count;
    uint8_t*
        torn; // by vertex: let go by cloth, 1, by solids, 2; times 4: steps that it is strained
    int torn_count, strained_count;
    float push;         // most that a contact moves what is too near in a whole step, m
    float most_squared; // of the way of a vertex in this substep, m^2
    // Of the last dr_predict_begin.
    int64_t box_tests, exact_tests;
    int contact_count;
    int64_t given_up; // contacts that a sweep could do nothing about, or without a side
} dr_predict;

// `parts` are copied, not the meshes. False when memory is short; free it then all the same.
bool dr_predict_create(dr_predict* predict, dr_memory* memory, const dr_predict_part* parts,
                       int part_count, const dr_predict_options* options);
void dr_predict_free(dr_predict* predict, dr_memory* memory);
void dr_predict_forget(dr_predict* predict);

// Looks for contacts between `start` and `now`, which is the prediction; `share` is that of the
// substep in the step, of which it may be the first. The cache is made at the first call. False
// when memory is short.
bool dr_predict_begin(dr_predict* predict, dr_memory* memory, dr_pool* pool, float share,
                      bool is_first);
void dr_predict_sweep(dr_predict* predict);

// Batches of contacts; those of a cache are told how to find their normals again. False when memory
// is short.
// (dr_predict_turn_kept, once, in the pose that they were found in.)
void dr_predict_turn_kept(dr_predict* predict);
bool dr_predict_lay(dr_predict* predict, dr_memory* memory, const dr_predict_contacts* contacts,
                    bool is_kept, dr_predict_batches* batches);

// --- predict_torn.c ---

// Once a step: which vertices are torn, at the start of it.
void dr_predict_tear(dr_predict* predict);
// Contacts of torn vertices rest.
void dr_predict_let_go(const dr_predict* predict, dr_predict_batches* batches);

// --- predict_cache.c ---

// Finds the contacts to be kept, in the pose of `start`.
bool dr_predict_keep(dr_predict* predict, dr_memory* memory, dr_pool* pool);
// Batches of the contacts that are kept, none of them removed.
bool dr_predict_lay_kept(dr_predict* predict, dr_memory* memory);
// Gathers what does not rest.
bool dr_predict_wake(dr_predict* predict, dr_memory* memory);
// Which tenth of the batches has its turn in this step, 0 to 9.
int dr_predict_turn_of(const dr_predict* predict);
// Once a step: takes out what has been ten static radii away for thirty steps. Never adds.
void dr_predict_age(dr_predict* predict);
// What a step leaves to the next one, as words: ages of kept contacts and sides of the last step.
int dr_predict_word_count(const dr_predict* predict);
uint32_t dr_predict_word(const dr_predict* predict, int index);
// Takes words back, which then come in order. Kept contacts must have been made if they were before.
// False when memory is short or the words are not of this mesh.
bool dr_predict_take_words(dr_predict* predict, dr_memory* memory, const uint32_t* words,
                           int count);

// --- predict_walk.c ---
//
// Layers slide over each other as far as they like, and a vertex has to do with one triangle of
// each: the one below its foot. So of the contacts between layers one for each vertex and cloth is
// kept, the nearest, and its triangle changes to the neighbour when the foot has gone there. Sides
// need no telling: they are the author's, the same for all triangles of a cloth.
//
//     -+-----+-----+-         o   the foot leaves C over an edge: on to D
//      |  \ C|D \  |          |
//     -+-----+-----+-    -----+-->

// Leaves out of the kept contacts those that walkers stand for.
bool dr_predict_choose_walkers(dr_predict* predict, dr_memory* memory);
// Notes who walks, right after the points were laid into batches.
bool dr_predict_note_walkers(dr_predict* predict, dr_memory* memory);
// Moves those walkers of a batch of kept points that `lanes` are the bits of; whether any has moved.
bool dr_predict_walk(dr_predict* predict, int batch_index, uint32_t lanes);
// Puts the walker of a lane elsewhere.
void dr_predict_put_walker(dr_predict* predict, int lane, int triangle);

// --- predict_bytes.c ---

// Where the vertices start, in one number.
uint64_t dr_predict_hash_pose(const dr_predict* predict);
// Kept contacts as bytes, and back. `size` becomes the number of bytes; with a buffer it says
// before how much room there is. Bytes of other cloths, layers, regions or radii are refused.
// dr_predict_fits only looks, and tells the pose that they were found in.
bool dr_predict_fits(const dr_predict* predict, dr_memory* memory, const void* buffer, size_t size,
                     uint64_t* pose);
bool dr_predict_save(const dr_predict* predict, void* buffer, size_t* size);
bool dr_predict_load(dr_predict* predict, dr_memory* memory, const void* buffer, size_t size);

#endif
