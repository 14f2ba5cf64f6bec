// playback.h: what runs leave behind, to be looked at again frame by frame.
//
//     cli_playback playback = {0};
//     if (!cli_playback_add(&playback, "out", CLI_ROLE_BY_NAME, &error) ||
//         !cli_playback_ready(&playback, &error)) { ... cli_playback_free(&playback); }
//     const cli_part* part = &playback.parts[0];
//     drape_vec3* positions = malloc(sizeof *positions * (size_t)part->vertex_count);
//     for (int frame = 0; frame < playback.frame_count; ++frame) {
//         if (!cli_playback_read(&playback, 0, frame, positions, &error)) { ... }
//     }
//     cli_playback_free(&playback);
//
// A *part* is one mesh: a cloth or an obstacle. Parts come from what the user names:
//
//     cloth.obj, cloth.ply     one frame; an OBJ comes apart by its objects again, when these have
//                              no vertices in common
//     cloth.pc2, cloth.mdd     all frames of a cache, with the triangles of the .obj or .ply beside
//     frame_%04d.obj           a sequence of meshes, from 0 or 1 up to the first gap
//     a folder                 all that `drape run` wrote into it, in any of its formats, with its
//                              obstacles
//
// Frames have numbers: those in the names of a sequence, from 0 in a cache. Those of the cloth with
// the most frames count. A part of one frame rests; any other must have all frames that count, and
// is met by their numbers. Caches are kept in memory whole, of a sequence one frame at a time.
#ifndef CLI_PLAYBACK_H
#define CLI_PLAYBACK_H

#include "command.h"

// What the thing named is to be.
typedef enum cli_role {
    CLI_ROLE_BY_NAME,  // an obstacle when its file is called obstacle_..., else a cloth
    CLI_ROLE_OBSTACLE, // an obstacle
} cli_role;

typedef struct cli_part {
    char* name; // "cloth", "top"; not always unique
    bool is_obstacle;
    int32_t* triangles; // vertex indices within the part
    int triangle_count;
    float* uv; // two per vertex, null when the file has none
    int vertex_count;
    int frame_count;   // 1: rests
    int source;        // private
    int32_t* vertices; // private: place of each vertex in its file, null for the same
} cli_part;

typedef struct cli_playback {
    cli_part* parts;
    int part_count;
    int frame_count;            // from cli_playback_ready on
    float fps;                  // of the first cache, 30 when there is none
    struct cli_source* sources; // private: files
    int source_count;
    int timeline; // private: the source whose frames count
} cli_playback;

// Opens one thing of the list above and adds its parts. False with a sentence; free it then, too.
bool cli_playback_add(cli_playback* playback, const char* path, cli_role role, drape_error* error);
// The same for each of several. Files whose names differ only in a number of three digits or more,
// as from out/frame_*.obj, are frames of one sequence.
bool cli_playback_add_all(cli_playback* playback, const char* const* paths, int path_count,
                          cli_role role, drape_error* error);
// After the last part: holds the frames of all parts against each other. Parts that are all
// obstacles become cloths.
bool cli_playback_ready(cli_playback* playback, drape_error* error);
// The number of a frame, for people: `frame` counts from 0 to frame_count - 1.
int cli_playback_number(const cli_playback* playback, int frame);
// The frame with this number, -1 when there is none.
int cli_playback_find(const cli_playback* playback, int number);
// Positions of all vertices of a part; `positions` has room for them. All are finite.
bool cli_playback_read(cli_playback* playback, int part, int frame, drape_vec3* positions,
                       drape_error* error);
void cli_playback_free(cli_playback* playback);

#endif
