// scene/cloth.h: one cloth of a world.
//
// Vertices have three names. *Given*: as the user numbered them, in all public arrays. *Mesh*:
// after welding; the same where nothing was welded. *Slot*: where solver/sheet.h keeps them.
//
// Slots are cut into chunks of 32 vectors with bounds of their own: what is far from every obstacle
// is skipped chunk by chunk.
#ifndef DR_CLOTH_H
#define DR_CLOTH_H

#include "contact/shell.h"
#include "mesh/mesh.h"
#include "scene/control.h"
#include "scene/model.h"
#include "solver/xpbd.h"

enum { DR_CHUNK_VECTORS = 32 };

typedef struct dr_cloth {
    dr_mesh mesh;
    dr_sheet* sheet; // the vertices, whatever moves them; held by xpbd
    dr_xpbd xpbd;
    dr_model* model;   // moves it in place of xpbd, which then only holds the sheet; or null
    int columns, rows; // of a grid, else 0
    drape_fabric fabric;
    float thickness;         // contact thickness, m
    int layer;               // -1: none
    uint8_t* regions;        // by triangle; null: all 0
    float edge_max;          // longest rest edge, m
    float travel;            // of the fastest vertex in the substep, m
    bool is_fast;            // something near it goes a seventh of an edge in the substep
    float reach;             // longest edge now, m: what may lie between two vertices
    int given_count;
    int32_t* welded;         // mesh vertex of each given one; null where they are the same
    int32_t (*triangles)[3]; // over given vertices
    drape_vec3* positions;   // given order
    drape_vec3* velocities;
    drape_vec3* normals;
    float* uv;        // two per given vertex
    float* edge_rest; // rest length of each mesh edge
    float* backup;    // start and vel of the sheet before the step
    int chunk_count;
    dr_chunk_bounds* chunks;
    // Features in the order of the chunk of their lowest slot, for contacts between vertices.
    int32_t (*edge_slots)[2];
    int32_t* edge_start; // per chunk, chunk_count + 1
    int32_t (*face_slots)[3];
    int32_t* face_start;
    int32_t* face_last; // per chunk: the last chunk that one of its faces reaches into
    // For the guard, per chunk: no edge of its faces is longer, m. Grows by what the ends may have
    // moved.
    float* face_size;
    float size_h;         // substep of the last time it grew
    bool are_sizes_stale; // vertices were moved by other hands
    dr_shell* shell;      // over the slots; made when the cloth first comes near a mesh collider
    bool is_held_stale;   // pins changed: clamps must be found anew
    dr_control control;
} dr_cloth;

// What a cloth is made of beside its mesh.
typedef struct dr_cloth_source {
    const drape_cloth_def* def;
    float thickness;
    // A grid when columns is above 0.
    float size_x, size_z;
    int columns, rows;
    const drape_world_def* world; // that wants a model in place of xpbd, else null
} dr_cloth_source;

dr_model_source dr_cloth_model_source(const dr_cloth_source* source, const dr_mesh* mesh);
// A cloth at `positions` (mesh order). Takes `mesh` and `welded` over when it succeeds; `view` is
// what the mesh was built from. Null when memory is short.
dr_cloth* dr_cloth_create(dr_memory* memory, const dr_cloth_source* source, dr_mesh* mesh,
                          const drape_vec3* positions, const drape_mesh_view* view,
                          int32_t* welded);
void dr_cloth_destroy(dr_cloth* cloth, dr_memory* memory);

// Whether the lines of its mesh are solved in place of its triangles.
static inline bool dr_cloth_has_yarns(const dr_cloth* cloth)
{
    return cloth->control.def.yarns && cloth->control.yarns.batch_count > 0;
}

static inline int dr_cloth_vertex(const dr_cloth* cloth, int given)
{
    return cloth->welded ? cloth->welded[given] : given;
}

static inline int dr_cloth_slot(const dr_cloth* cloth, int given)
{
    return cloth->sheet->slot_of_vertex[dr_cloth_vertex(cloth, given)];
}

// Public arrays from the committed state.
void dr_cloth_publish(dr_cloth* cloth);
// Bounds of all chunks, and the model's own state, from the committed state, after it was set from
// outside.
void dr_cloth_refresh(dr_cloth* cloth);
void dr_cloth_save(dr_cloth* cloth);
void dr_cloth_restore(dr_cloth* cloth);
void dr_cloth_compute_normals(dr_cloth* cloth);
double dr_cloth_kinetic_energy(const dr_cloth* cloth);
// The largest strain of an edge (strain.c).
float dr_cloth_max_stretch(const dr_cloth* cloth);

#endif
