// contact/self_gate.h: particles that say whether a cloth is near itself, before anybody searches.
//
// Each cloth has its own particles (contact/sensor_particles.h). They look once a step, unless
// something met in the last one: then the gate is open without a look, and stays so ten steps
// longer. Between two cloths there is no gate.
//
// A gate may stand in front of any detector of self-collision (dr_self_gated): while all cloths are
// shut, and the boxes around them are apart from each other, the detector is not asked. As the gate
// may miss a fold, what the detector promises on its own is then promised no longer.
#ifndef DR_SELF_GATE_H
#define DR_SELF_GATE_H

#include "contact/self_guard.h"
#include "contact/sensor_particles.h"
#include "contact/sensor_tree.h"

// One cloth.
typedef struct dr_gate_part {
    dr_geodesic geodesic;
    dr_particles particles;
    dr_gate gate;     // of the last look
    int open_steps;   // steps for which the gate stays open at least
    int convex_parts; // of the rest shape
    bool has_contact; // something met that met before: no look is needed
    bool is_open;
} dr_gate_part;

typedef struct dr_self_gate {
    const dr_sheets* sheets;
    dr_gate_part* parts;
} dr_self_gate;

// `count` particles on each cloth; 0: one for each of its convex parts, nine at least. The count of
// the options is not read. `sheets` stays the caller's and must live as long. `pool` may be null.
// False when memory is short; free it then all the same.
bool dr_self_gate_create(dr_self_gate* gate, dr_memory* memory, dr_pool* pool,
                         const dr_sheets* sheets, const dr_particles_options* options, int count,
                         drape_isa isa);
void dr_self_gate_free(dr_self_gate* gate, dr_memory* memory);

// Once a step: looks at the ends of the sheets.
void dr_self_gate_look(dr_self_gate* gate);
// Before the look: something still meets in this cloth.
void dr_self_gate_keep(dr_self_gate* gate, int part);
// After it: something meets in this cloth.
void dr_self_gate_met(dr_self_gate* gate, int part);

// --- In front of a detector ---

typedef struct dr_self_gated {
    dr_self_gate gate;
    dr_self_detect_fn* detect; // what is behind the gate
    void* self;
    bool is_open; // in this step
    bool has_met; // in the last one
} dr_self_gated;

// A dr_self_detect_fn.
bool dr_self_gated_detect_any(void* gated, dr_memory* memory, dr_pool* pool, dr_limits* limits,
                              int run, dr_self_result* result);

#endif
