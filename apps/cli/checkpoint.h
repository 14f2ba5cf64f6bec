// checkpoint.h: states of a run, from which a later one goes on.
//
// In the folder of the run, FOLDER/checkpoints/0030.drape has the state after frame 30, and what
// the frames since the checkpoint before it looked like: positions, and the row of the statistics.
// So the checkpoints of a run, one after another, hold all of it, and a run that was killed is
// continued without any of its unfinished files. Each is complete or not there.
//
// A checkpoint knows the version that wrote it and the fingerprint of the scene: its text, the
// meshes and caches it names, and what the command line changed in it. checkpoint_file.h has the
// bytes of one.
#ifndef CLI_CHECKPOINT_H
#define CLI_CHECKPOINT_H

#include "checkpoint_file.h"
#include "command.h"
#include "stats.h"

typedef struct cli_checkpoint {
    drape_scene* scene; // null: off
    char folder[CLI_PATH_SIZE];
    uint64_t fingerprint;
    int every;        // frames
    int first, next;  // frames that are not yet in a checkpoint: first to next - 1
    bool has_cleared; // checkpoints of an earlier run are gone
    size_t frame_size;
    char* frames; // those, each a row and the positions of all cloths
    size_t capacity;
} cli_checkpoint;

// One frame of an earlier run, put into the cloths of the scene. False stops.
typedef bool cli_replay_fn(void* user, const double row[CLI_STATS_KEYS], double time,
                           drape_error* error);

// Text of the scene file, what is in the files it names, method and overrides.
bool cli_checkpoint_fingerprint(const char* path, const drape_scene_options* options,
                                const drape_scene* scene, uint64_t* fingerprint,
                                drape_error* error);
// Turns it on; close it whatever the result. `every` 0: nothing is written.
bool cli_checkpoint_open(cli_checkpoint* checkpoint, drape_scene* scene, const char* folder,
                         int every, uint64_t fingerprint, drape_error* error);
// Goes on from the last checkpoint, or, when `from` is not negative, from that of frame `from`,
// whatever its scene. Replays all frames up to it and leaves the scene there. `frame` becomes its
// number, -1 when there is no checkpoint at all.
bool cli_checkpoint_restore(cli_checkpoint* checkpoint, int from, cli_replay_fn* replay, void* user,
                            int* frame, drape_error* error);
// Its two steps: the frames of one checkpoint, which must follow those replayed before, and the
// state after the last of them.
bool cli_checkpoint_replay(cli_checkpoint* checkpoint, const cli_checkpoint_file* file,
                           const char* path, cli_replay_fn* replay, void* user, drape_error* error);
bool cli_checkpoint_load(cli_checkpoint* checkpoint, const cli_checkpoint_file* file,
                         const char* path, drape_error* error);
// Takes the scene as the next frame, frame 0 first, and writes a checkpoint when it is time.
bool cli_checkpoint_add(cli_checkpoint* checkpoint, const double row[CLI_STATS_KEYS],
                        drape_error* error);
// Writes one now, if a frame came since the last: for a run that is interrupted.
bool cli_checkpoint_flush(cli_checkpoint* checkpoint, drape_error* error);
void cli_checkpoint_close(cli_checkpoint* checkpoint);

#endif
