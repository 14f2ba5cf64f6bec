// contact/sensor_particles.h: particles that look for folds.
//
// After a paper that puts particles in front of a hierarchy to find self-collisions of deformable
// objects. Some particles live on a cloth. Two numbers say how a pair lies: its straight distance
// rs through space, and its original distance ro along the cloth at rest. In a fold rs is small and
// ro is not:
//
//            fold                  attraction   a (ro - rs) / rs     along the cloth, to where the
//       .---------o i              repulsion    b l0 / ro            pair comes nearer in space
//      (          :  rs
//       '---------o j              Each moves by kappa h F, at most half a cell h a time, and stays
//          ro: all round           on the cloth.
//
// Attraction brings pairs together across the gap where layers are near; repulsion spreads the
// particles where they are not. The printed formula is lost; this is the simplest with all that the
// text says of it, and a = 20, b = 10 are as printed. l0 is a share of the size of the cloth.
//
// Particles are moved until fewer than `least_moving` of them move more than a fiftieth of a cell,
// or `most_moves` times, and stay where they are until the next frame. Every tenth frame one of
// them is thrown to a random place, so that a group stuck in one fold finds others.
//
// The gate opens when some pair has rs < tolerance, ro > 2 rs and ro - rs > h. (The first condition
// alone, as printed, opens on flat cloth as soon as there are many particles.) It is not
// conservative: a small fold that no particle visits is missed. Fewer than two particles have no
// pair, and the gate is open always.
//
// Everything is computed in a fixed order on one thread, in microseconds: results do not depend on
// the number of workers.
#ifndef DR_SENSOR_PARTICLES_H
#define DR_SENSOR_PARTICLES_H

#include "contact/sensor_geodesic.h"

enum { DR_MOST_PARTICLES = 64 };

typedef struct dr_particles_options {
    int count;         // 1 to DR_MOST_PARTICLES
    int most_moves;    // Nmax, in a frame; in the first one four times as many
    int least_moving;  // Nmin
    int reseed_frames; // 0: never
    double attraction, repulsion;
    double spread;    // l0 as a share of the side of the cloth
    double mobility;  // kappa
    double tolerance; // m; 0: one cell
    double cell;      // h, m; 0: from the mesh
    uint32_t seed;    // of all chance
} dr_particles_options;

// Nine particles, 50 moves, 1 moving, one thrown every 10 frames, 20, 10, 0.3, 0.02, one cell.
dr_particles_options dr_particles_defaults(void);

typedef struct dr_particles {
    dr_particles_options options;
    const dr_geodesic* geodesic;
    dr_material_point at[DR_MOST_PARTICLES];
    double* area;     // of all triangles up to each, for even chance
    double* rows;     // DR_GEODESIC_SEEDS for each particle
    uint32_t drawn;   // random numbers used so far
    int frame;        // frames so far
    bool has_relaxed; // the long first relaxation is done
} dr_particles;

// What a look at the cloth found.
typedef struct dr_gate {
    bool is_open;
    int moves;                 // of all particles together
    int pair[2];               // the nearest pair that opens the gate; the nearest one when shut
    double straight, original; // its distances, m
    double least_straight;     // of all pairs, m
} dr_gate;

// `geodesic` stays the caller's and must live as long. False when memory is short; free it then all
// the same.
bool dr_particles_create(dr_particles* particles, dr_memory* memory, const dr_geodesic* geodesic,
                         const dr_particles_options* options);
void dr_particles_free(dr_particles* particles, dr_memory* memory);

// A frame: throws one particle when it is time, relaxes, and judges. `places` are the vertices of
// the mesh. No heap calls.
dr_gate dr_particles_look(dr_particles* particles, const drape_vec3* places);

// Puts a particle somewhere, as when a saved state comes back.
void dr_particles_put(dr_particles* particles, int i, const dr_material_point* at);

// The parts of it.
void dr_particles_throw(dr_particles* particles, int i);
int dr_particles_relax(dr_particles* particles, const drape_vec3* places, int most_moves);
dr_gate dr_particles_judge(const dr_particles* particles, const drape_vec3* places);

#endif
