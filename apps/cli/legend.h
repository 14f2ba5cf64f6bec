// legend.h: what the colours of an overlay stand for, drawn into the picture.
#ifndef CLI_LEGEND_H
#define CLI_LEGEND_H

#include "overlay.h"

// Into the lower left corner. False when memory is short.
bool cli_legend_draw(uint8_t* pixels, int width, int height, cli_overlay overlay,
                     const cli_overlay_range* range);

#endif
