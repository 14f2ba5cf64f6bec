// contact/self_sensor.h: self-collision behind a gate of particles.
//
// Most cloth most of the time is nowhere near itself. Particles (contact/sensor_particles.h) find
// out whether it is; while they say no, nothing else is done. When they open the gate, a hierarchy
// of patches (contact/sensor_tree.h, sensor_pairs.h) finds the triangles in folds, these are tested
// exactly where they end, and those that meet become contacts:
//
//     pairs that met before -> particles -> hierarchy -> exact tests -> contacts -> limits
//         still meet: open      shut: done
//
// - The gate is looked at in the first run of a step, and stays open while contacts persist and ten
//   frames longer.
// - Pairs that met in the last frame are tested first. As positions change slowly most still meet;
//   then the gate is open and particles need not move, and these pairs are not tested again.
// - Contacts know the nearest points and the normal where the step began, and how to share the
//   correction. The answer is planes between the two triangles, or freezing: as the state at the
//   start is free of crossings, freezing always ends. From `freeze_run` on everything is frozen.
// - Cloths have trees of their own. Between two cloths there is no gate and no positive vector:
//   trees are compared, which costs nothing while their boxes are apart.
//
// The gate may miss a fold, and triangles with a common vertex are only looked at with
// `with_corners`: nothing is promised here. `use_gate` off runs the hierarchy always;
// `use_positive` off runs the plain hierarchy; `use_outline` off believes positive vectors without
// looking at outlines, as printed.
//
// Results do not depend on the number of workers: particles and the walk are done by one, tests are
// independent of each other, and lists are in the order of triangle numbers.
#ifndef DR_SELF_SENSOR_H
#define DR_SELF_SENSOR_H

#include "contact/self_gate.h"
#include "contact/sensor_contact.h"
#include "contact/sensor_pairs.h"

typedef enum dr_sensor_answer {
    DR_SENSOR_FREEZE, // vertices of both triangles stay where they started
    DR_SENSOR_PLANES, // a plane between them, and freezing where there is no room for one
    DR_SENSOR_LIST,   // none: contacts are listed for the caller, who answers them
} dr_sensor_answer;

typedef struct dr_self_sensor_options {
    bool use_gate, use_positive, use_outline;
    bool with_corners;              // pairs with one common vertex are tested as well
    int particle_count;             // of each cloth; 0: from its convex parts, nine at least
    dr_particles_options particles; // its count is not read
    dr_sensor_answer answer;
    int freeze_run;            // from this run on everything that meets is frozen
    const float* inverse_mass; // by vertex of the sheets, read in every run; null: all alike
    drape_isa isa;
} dr_self_sensor_options;

// Gate, positive vectors and outlines on, planes, freezing from run 4 on.
dr_self_sensor_options dr_self_sensor_defaults(void);

typedef struct dr_self_sensor {
    dr_self_sensor_options options;
    const dr_sheets* sheets;
    dr_self_gate gate;      // with a gate
    dr_sensor_tree* trees;  // by cloth
    dr_sensor_pairs pairs;  // of one cloth after the other
    dr_pair_search between; // of two cloths
    dr_array checks;        // dr_pair: triangles of the sheets to be tested in this run
    dr_array relations;     // uint8_t by check: dr_relation
    dr_array order;         // dr_sort_item: checks that meet, by their triangles
    dr_array old;           // dr_pair: what met in the last frame, in order
    dr_array contacts;      // dr_sensor_contact of the last run, in order
} dr_self_sensor;

// `sheets` stays the caller's and must live as long. `pool` may be null. False when memory is
// short; free it then all the same.
bool dr_self_sensor_create(dr_self_sensor* self, dr_memory* memory, dr_pool* pool,
                           const dr_sheets* sheets, const dr_self_sensor_options* options);
void dr_self_sensor_free(dr_self_sensor* self, dr_memory* memory);

// One run: looks at the places in the sheets, answers what meets. Runs of a step count from 1.
// `far_pairs` of the result are contacts, `near_pairs` how many of them are old, `exact_tests` the
// pairs of triangles tested, `clamped` the planes added. No heap calls once sizes are known. False
// when memory is short.
bool dr_self_sensor_detect(dr_self_sensor* self, dr_memory* memory, dr_pool* pool,
                           dr_limits* limits, int run, dr_self_result* result);
// The same as a dr_self_detect_fn.
bool dr_self_sensor_detect_any(void* self, dr_memory* memory, dr_pool* pool, dr_limits* limits,
                               int run, dr_self_result* result);

// Whether the gate of a cloth was open at the last look, or there is none.
bool dr_self_sensor_is_open(const dr_self_sensor* self, int part);
// Contacts of the last run, in the order of their triangles.
const dr_sensor_contact* dr_self_sensor_contacts(const dr_self_sensor* self, int* count);

#endif
