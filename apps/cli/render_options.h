// render_options.h: what `drape render` was asked for.
#ifndef CLI_RENDER_OPTIONS_H
#define CLI_RENDER_OPTIONS_H

#include "args.h"
#include "movie.h"
#include "render/look.h"

typedef enum cli_overlay {
    CLI_OVERLAY_NONE,
    CLI_OVERLAY_STRAIN,
    CLI_OVERLAY_SPEED,
    CLI_OVERLAY_CROSSINGS,
    CLI_OVERLAY_CONTACTS,
} cli_overlay;

typedef enum cli_ground {
    CLI_GROUND_AUTO, // under all that is there
    CLI_GROUND_NONE,
    CLI_GROUND_GIVEN,
} cli_ground;

typedef struct cli_render_options {
    const char *in, *out, *rest;
    cli_words obstacles;
    cli_movie_kind kind; // of out
    int frame;           // -1: not given
    int first, last;     // -1: not given
    int width, height;
    int sample_count;
    bool has_camera, has_target;
    drape_vec3 camera, target;
    float fov;               // vertical, degrees
    float turn, height_view; // of the view, degrees
    cli_ground ground;
    float ground_y;
    int pattern; // dr_pattern
    drape_vec3 colors[4];
    int color_count; // 0: ours
    int overlay;     // cli_overlay
    float thickness; // m, for contacts
    float fps;       // 0: as the input says
    int thread_count;
    bool is_quiet;
} cli_render_options;

extern const char cli_render_help[];

// CLI_GO_ON, or the exit code when all has been said. `obstacles.items` is freed by the caller.
int cli_render_options_read(const cli_command* command, int argc, char** argv,
                            cli_render_options* options);

#endif
