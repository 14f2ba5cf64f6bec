// verify.h: `drape run --verify`, the check of every frame while it is at hand.
//
// Looks at what the files will hold: the positions of the cloths as they are, and obstacles as the
// triangles of obstacle_NAME.obj. Finds what `drape check` finds in the folder afterwards.
#ifndef CLI_VERIFY_H
#define CLI_VERIFY_H

#include "check/crossings.h"
#include "obstacle.h"

typedef struct cli_verify {
    drape_scene* scene; // null: off
    dr_memory memory;
    dr_pool* pool;
    dr_check_mesh* meshes; // cloths, then obstacles
    cli_obstacle* obstacles;
    int cloth_count, obstacle_count;
    int frame_count;            // looked at, or taken over
    int unseen_count;           // taken over from a run that did not look
    int64_t crossings;          // of the last frame
    int64_t obstacle_crossings; // those of them with obstacles; 0 when it was taken over
    int* crossed;               // frames with crossings
    int crossed_count;
    int worst; // of them
    int64_t worst_crossings;
} cli_verify;

// Turns it on. False with a sentence; close it then, too.
bool cli_verify_open(cli_verify* verify, drape_scene* scene, int thread_count, drape_error* error);
// Looks at the next frame; the first one is frame 0. Does nothing when it is off.
bool cli_verify_add(cli_verify* verify, drape_error* error);
// Takes over what an earlier run found in the next frame; not a number when it did not look.
bool cli_verify_take(cli_verify* verify, double crossings, drape_error* error);
// Says which frames have crossings, when any have.
void cli_verify_tell(const cli_verify* verify, const cli_command* command);
void cli_verify_close(cli_verify* verify);

#endif
