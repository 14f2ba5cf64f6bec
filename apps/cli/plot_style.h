// plot_style.h: how figures look.
#ifndef CLI_PLOT_STYLE_H
#define CLI_PLOT_STYLE_H

#include <stdint.h>

// Told apart by people who do not see all colours alike, on white.
#define CLI_COLOURS 7
static const uint32_t cli_palette[CLI_COLOURS] = {0x0072b2, 0xd55e00, 0x009e73, 0xcc79a7,
                                                  0xe69f00, 0x56b4e9, 0x6b6b6b};
// Lengths of strokes and spaces; none: a whole line.
#define CLI_DASHES 4
static const double cli_dashes[CLI_DASHES][4] = {
    {0.0, 0.0, 0.0, 0.0}, {7.0, 3.5, 7.0, 3.5}, {2.0, 3.0, 2.0, 3.0}, {8.0, 3.0, 2.0, 3.0}};

#define CLI_INK 0x333333
#define CLI_INK_SOFT 0x666666
#define CLI_GRID 0xe2e2e2
#define CLI_FRAME 0x999999
#define CLI_PAPER 0xffffff

#endif
