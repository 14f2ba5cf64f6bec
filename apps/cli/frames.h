// frames.h: an animation in memory, from and to any of our formats.
//
// A *pattern* is a path with one number in it, %d or %04d: out/frame_%04d.obj names a sequence of
// meshes. Sequences are read from the least of 0 and 1 that is there, up to the first gap.
#ifndef CLI_FRAMES_H
#define CLI_FRAMES_H

#include "command.h"

typedef struct cli_frames {
    drape_mesh_data mesh;   // triangles and uv; without triangles when not known
    drape_cache_data cache; // the positions of all frames
} cli_frames;

// --- Patterns ---

// A path around a number of at least `width` digits.
typedef struct cli_pattern {
    const char* path;
    int before; // letters in front of the number
    int width;
    const char* after; // what follows it
} cli_pattern;

// True when the path has a '%' in it.
bool cli_is_pattern(const char* path);
// Takes a path apart, which must outlive the pattern.
bool cli_pattern_read(cli_pattern* pattern, const char* path, drape_error* error);
// The path of a frame, in CLI_PATH_SIZE letters.
bool cli_pattern_name(const cli_pattern* pattern, int frame, char* path, drape_error* error);
bool cli_pattern_has(const cli_pattern* pattern, int frame);

// --- Animations ---

// Reads a cache or a pattern. `fps` counts for a pattern only, whose files do not say.
bool cli_frames_read(cli_frames* frames, const char* path, float fps, drape_error* error);
// Reads the triangles for a cache: from `mesh_path`, or, when it is null, from the OBJ or PLY
// beside the cache with its name.
bool cli_frames_read_mesh(cli_frames* frames, const char* cache_path, const char* mesh_path,
                          drape_error* error);
// Writes a cache, or a pattern as a sequence from 0.
bool cli_frames_write(const cli_frames* frames, const char* path, drape_error* error);
void cli_frames_free(cli_frames* frames);

#endif
