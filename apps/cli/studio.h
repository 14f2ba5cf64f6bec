// studio.h: puts the frames of a run before the camera.
//
// What is decided once, for all frames that are to be drawn, so that a film does not shake: the
// camera, which is fitted around everything; the height of the ground; how finely cloth is refined;
// what the colours of an overlay stand for. Large flat obstacles are the ground or the walls of the
// stage: they are not fitted into the picture, and one that lies flat becomes the ground itself.
#ifndef CLI_STUDIO_H
#define CLI_STUDIO_H

#include "overlay.h"
#include "playback.h"
#include "render/camera.h"
#include "render/shade.h"

typedef struct cli_studio_part cli_studio_part;

typedef struct cli_studio {
    const cli_render_options* options;
    cli_playback* playback;
    dr_memory* memory;
    dr_pool* pool;
    cli_studio_part* parts; // one for each part of the playback
    dr_look* looks;         // the same
    cli_overlay_mesh* meshes;
    cli_overlay_range range;
    dr_camera camera;
    dr_scenery scenery;
    dr_stage stage;
} cli_studio;

// Looks at frames `first` to `last`. False with a sentence; to be closed all the same.
bool cli_studio_open(cli_studio* studio, const cli_render_options* options, cli_playback* playback,
                     dr_memory* memory, dr_pool* pool, int first, int last, drape_error* error);
// Puts one frame on the stage.
bool cli_studio_set(cli_studio* studio, int frame, drape_error* error);
void cli_studio_close(cli_studio* studio);

#endif
