// contact/leash.h: a pose that vertices stay near, as games hold cloth to a skinned character.
//
//            .  - .                 each vertex stays within a ball round its place in the pose,
//          .   x    .               and outside of a sphere behind it, the backstop, which stands
//         .    +-->  .  pose        for the body:
//          . __|__  .
//         _/ offset \_              centre = place - normal * (offset + radius)
//        /  backstop  \             .
//
// The pose moves over the step; in a substep it is where it will be at the end of that. Vertices
// are put right one by one, in any order, eight at a time: into the ball first, then out of the
// sphere. The place itself satisfies both.
#ifndef DR_LEASH_H
#define DR_LEASH_H

#include "solver/sheet.h"

// Arrays have the layout of the sheet, four floats to a slot.
typedef struct dr_leash {
    int vector_count;
    float* from;        // places at the start of the step; w: greatest distance, m
    float* to;          // places at its end
    float* normal_from; // w: offset of the backstop, m
    float* normal_to;   // w: its radius, m; 0: none
    bool has_backstop;
    float share; // of the step, at the end of the substep
} dr_leash;

// No limit for any vertex. False when memory is short; free it then all the same.
bool dr_leash_create(dr_leash* leash, dr_memory* memory, const dr_sheet* sheet);
void dr_leash_free(dr_leash* leash, dr_memory* memory);
// The pose stays where it is at its end: once after each step.
void dr_leash_settle(dr_leash* leash, dr_layout layout);

typedef struct dr_leash_kernels {
    // Brings the candidates of a run of vectors within their limits.
    void (*hold)(const dr_leash* leash, const dr_sheet* sheet, int vector_begin, int vector_end);
} dr_leash_kernels;

const dr_leash_kernels* dr_leash_kernels_for(drape_isa isa);

#endif
