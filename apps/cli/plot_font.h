// plot_font.h: letters made of strokes, for pictures that have no fonts at hand.
//
// Widths are those that sans-serif fonts commonly have, so that the layout also fits the fonts that
// a browser puts into an SVG file. A glyph stands on a grid whose capitals are 21 high and whose
// small letters are 15; a font size is 29 of it.
#ifndef CLI_PLOT_FONT_H
#define CLI_PLOT_FONT_H

#include <stdbool.h>

#define CLI_FONT_SIZE 29.0

typedef struct cli_glyph {
    double advance;
    // "M x y" lifts the pen and begins a stroke, further pairs go on with it in lines,
    // "Q cx cy x y" in a curve drawn towards c. y runs up from the baseline.
    const char* strokes;
    double scale, rise; // of letters above the line: how much smaller, and how far up
} cli_glyph;

// The next letter of a UTF-8 text, and the text behind it; 0 at its end, '?' for what is none.
unsigned cli_letter_next(const char** text);
// How a letter is drawn; letters without strokes of their own look like '?'.
cli_glyph cli_glyph_of(unsigned letter);
// The width of a text in points.
double cli_text_width(const char* text, double size);

#endif
