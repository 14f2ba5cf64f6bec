// plot_canvas.h: what a figure is drawn on: lines and letters, as SVG or as pixels.
//
// Places are in points of a page whose y runs down; a picture may have several pixels to a point.
// A stroke goes from point to point with round ends; a point whose x is NAN lifts the pen, and one
// that stands alone is a dot as wide as the pen.
#ifndef CLI_PLOT_CANVAS_H
#define CLI_PLOT_CANVAS_H

#include <drape/io.h>

#include "plot_figure.h"

typedef struct cli_point {
    double x, y;
} cli_point;

typedef struct cli_pen {
    uint32_t colour; // 0xrrggbb
    double width;
    int dash; // place in cli_dashes
} cli_pen;

typedef enum cli_anchor { CLI_ANCHOR_LEFT, CLI_ANCHOR_MIDDLE, CLI_ANCHOR_RIGHT } cli_anchor;

typedef struct cli_lettering {
    double size; // of the font
    uint32_t colour;
    cli_anchor anchor; // which part of the text the place is
    bool is_bold;
} cli_lettering;

typedef struct cli_canvas {
    void (*stroke)(struct cli_canvas* canvas, const cli_point* points, size_t count, cli_pen pen);
    // The place is on the baseline. Any UTF-8; what is none is shown as "?".
    void (*write)(struct cli_canvas* canvas, double x, double y, const char* text,
                  cli_lettering lettering);
} cli_canvas;

// --- The two of them ---

// Writes a figure on a page of this size. Pixels are as many as points times `pixels_per_point`.
bool cli_svg_write(const char* path, const cli_figure* figure, int width, int height,
                   drape_error* error);
bool cli_png_write(const char* path, const cli_figure* figure, int width, int height,
                   double pixels_per_point, drape_error* error);

// Writes a text into a picture, three bytes to a pixel; a point is a pixel. False when memory is
// short.
bool cli_pixels_write(uint8_t* pixels, int width, int height, cli_point place, const char* text,
                      cli_lettering lettering);

// --- What they draw ---

// The height that shows every panel and its legend well.
int cli_figure_height(const cli_figure* figure);
// False when memory is short.
bool cli_figure_draw(const cli_figure* figure, cli_canvas* canvas, double width, double height);

#endif
