// solver/carry.h: cloth that is carried along by a moving frame, and feels only part of its motion.
//
// In a substep the frame goes from one pose to another. The part of that motion which the cloth
// shall not feel is added to its prediction, so that contacts see it as they see any other motion,
// and taken from its velocity after the commit: what is left is motion against the frame.
//
//     predict -> add -> detect, solve, guard, commit -> take
#ifndef DR_CARRY_H
#define DR_CARRY_H

#include "solver/sheet.h"

// x -> to + turn (x - from)
typedef struct dr_carry {
    drape_vec3 from, to;
    float turn[9]; // rows of a rotation
    float h;       // s
    float* moved;  // per slot, four floats: by how much the prediction was moved
} dr_carry;

// The part of a motion from `begin` to `end` that is not felt; `felt` are shares, linear and
// angular.
void dr_carry_set(dr_carry* carry, drape_transform begin, drape_transform end, float felt_linear,
                  float felt_angular, float h);

typedef struct dr_carry_kernels {
    // Moves candidates and velocities of vertices that are not held; the greatest squared speed.
    float (*add)(const dr_carry* carry, const dr_sheet* sheet, int vector_begin, int vector_end);
    // Takes the motion from the velocities again, and turns them along.
    void (*take)(const dr_carry* carry, const dr_sheet* sheet, int vector_begin, int vector_end);
} dr_carry_kernels;

const dr_carry_kernels* dr_carry_kernels_for(drape_isa isa);

#endif
