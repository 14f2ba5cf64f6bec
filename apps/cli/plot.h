// plot.h: a figure from a file, for commands that draw what they measured.
#ifndef CLI_PLOT_H
#define CLI_PLOT_H

#include "plot_figure.h"

// Draws the file of statistics, or CSV, `path` into `out`, which ends with .svg or .png.
bool cli_plot_file(const char* path, const char* out, const cli_plot_order* order,
                   drape_error* error);

#endif
