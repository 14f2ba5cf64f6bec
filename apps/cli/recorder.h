// recorder.h: the files of a run, in any of its formats.
//
//     pc2, mdd   NAME.pc2 and NAME.obj for each cloth: all frames, and the mesh at frame 0
//     obj        frame_0000.obj, ...: all cloths one after another, each behind its line `o NAME`
//     ply        frame_0000.ply, ..., or NAME_0000.ply, ... for each of several cloths
//
// In every format obstacles go to obstacle_NAME.obj, or obstacle_NAME_0000.obj, ... if they move.
//
// Caches and their meshes get their names when the recorder is closed; the files of sequences each
// by itself, when it is complete.
#ifndef CLI_RECORDER_H
#define CLI_RECORDER_H

#include "command.h"

typedef enum cli_format {
    CLI_FORMAT_PC2,
    CLI_FORMAT_MDD,
    CLI_FORMAT_OBJ,
    CLI_FORMAT_PLY,
    CLI_FORMAT_GLB,  // not built yet
    CLI_FORMAT_USDA, // not built yet
} cli_format;

// The words of --format in the order above; ends with null.
extern const char* const cli_format_words[];

typedef struct cli_recorder cli_recorder;

// Makes the folder and opens the files that last for the whole run. `folder` must outlive it.
cli_recorder* cli_recorder_open(drape_scene* scene, const char* folder, cli_format format,
                                drape_error* error);
// From now on sensor particles are written as well, as particles_NAME_0000.obj, ...
void cli_recorder_show_particles(cli_recorder* recorder);
// Writes the scene as it is now as the next frame; the first one is frame 0.
bool cli_recorder_add(cli_recorder* recorder, drape_error* error);
// Takes a frame over from an earlier run: the cloths have its positions, and its files that stand
// by themselves are there already.
bool cli_recorder_take(cli_recorder* recorder, drape_error* error);
// True when a frame of an earlier run follows the last one that was added, with its path.
bool cli_recorder_has_older(const cli_recorder* recorder, char* path);
// Completes all files; the recorder is gone whatever the result.
bool cli_recorder_close(cli_recorder* recorder, drape_error* error);
// Forgets what is not complete.
void cli_recorder_discard(cli_recorder* recorder);

#endif
