// torture.h: the cases of `drape bench torture`, and how one is run.
//
// The promise of the method `drape` is that cloth passes neither through cloth nor through solids,
// whatever happens. Each case does something that is meant to break it, and every frame is looked at
// in exact arithmetic, with solids as the very triangles that are written to obstacle_NAME.obj.
//
//     crossings    may only be where the guard said so itself: pairs that pins or solids left no
//                  room for are counted as pinched, and as crossed until they are free; half a
//                  second after the last pinch nothing may cross or be inside of a solid
//     explosion    vertices that leave the numbers, or `reach`; motion or stretch left at the end
#ifndef CLI_TORTURE_H
#define CLI_TORTURE_H

#include "command.h"

typedef struct cli_torture_case {
    const char* name;  // its scene and size, and what is special about it
    const char* scene; // what `drape run` takes
    int size[2];       // vertices along width and height of its grids; 0: as the scene has it
    int sheets;        // grids that get this size; 0: one
    const char* sets;  // path=value, with a space between; null: none
    int frames;        // 0: the scene's
    bool is_quick;     // belongs to the short list
} cli_torture_case;

// All cases; `count` becomes their number.
const cli_torture_case* cli_torture_cases(int* count);

// How a case is run.
typedef struct cli_torture_order {
    const char* method;
    int thread_count;
    drape_isa isa;
    const char* films; // folder that gets one with the files of each case; null: none are kept
} cli_torture_order;

typedef struct cli_torture_result {
    int vertex_count, substeps, frame_count;    // frames that were stepped
    float thickness;                            // m
    int64_t self_crossings, obstacle_crossings; // of all frames together
    int64_t loose_crossings;                    // those that the guard did not count
    int crossed_frames, first_crossed;          // -1: none
    int64_t pinched, inside;                    // inside of a solid in the last frame
    int64_t left_crossings;                     // of the last frame
    double free_time;                           // at the end, since something was pinched, s
    double cut_share;                           // most vertices cut in a frame, of those stepped
    double guard_energy;                        // J
    float p99_stretch, p99_worst;               // at the end, in any frame
    float furthest;                             // from the origin, m
    double speed_energy;                        // at the end, J/kg
    int64_t non_finite;
    double ms, ms_worst; // of a frame
    drape_isa isa;
} cli_torture_result;

// Runs a case. False, with a sentence, when it cannot be run; what was found is in the result.
bool cli_torture_run(cli_torture_result* result, const cli_torture_case* torture,
                     const cli_torture_order* order, drape_error* error);
// Null when all held, else what did not.
const char* cli_torture_verdict(const cli_torture_result* result);

#endif
