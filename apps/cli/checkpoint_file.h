// checkpoint_file.h: the bytes of one checkpoint.
//
// A header, the frames since the checkpoint before, the state of the world (drape_world_save, which
// has a hash of its own), and a hash of header and frames. Numbers are as this kind of machine has
// them; the header tells which kind that is.
#ifndef CLI_CHECKPOINT_FILE_H
#define CLI_CHECKPOINT_FILE_H

#include "io/file.h"

// A checkpoint in memory; `frames` and `state` are somebody else's.
typedef struct cli_checkpoint_file {
    uint64_t fingerprint;
    int64_t first, last; // frames
    size_t frame_size, state_size;
    const char* frames;
    const char* state;
} cli_checkpoint_file;

bool cli_checkpoint_file_write(const cli_checkpoint_file* file, const char* path,
                               drape_error* error);
// Takes bytes apart; false, with a sentence about `path`, unless they are sound, of this version
// and of frames of this size. The parts stay where they are in `bytes`, at any alignment.
bool cli_checkpoint_file_parse(cli_checkpoint_file* file, const dr_file* bytes, size_t frame_size,
                               const char* path, drape_error* error);

#endif
