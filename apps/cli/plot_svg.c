// Figures as SVG.
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "plot_canvas.h"
#include "plot_font.h"
#include "plot_style.h"

typedef struct svg_canvas {
    cli_canvas base;
    dr_output* out;
} svg_canvas;

// Puts a short piece of text; longer ones are never written here.
static void put(dr_output* out, const char* format, ...) __attribute__((format(printf, 2, 3)));
static void put(dr_output* out, const char* format, ...)
{
    char* at = dr_output_reserve(out, DR_OUTPUT_RESERVE);
    va_list values;
    va_start(values, format);
    int length = vsnprintf(at, DR_OUTPUT_RESERVE, format, values);
    va_end(values);
    dr_output_commit(out, at + (length < DR_OUTPUT_RESERVE ? length : DR_OUTPUT_RESERVE - 1));
}

// A number with at most one digit behind the point, behind `before` when it needs a blank.
static void put_number(dr_output* out, const char* before, double value)
{
    char text[40];
    snprintf(text, sizeof text, "%.1f", value);
    char* tail = strchr(text, '.');
    if (strcmp(tail, ".0") == 0) {
        *tail = '\0';
    }
    put(out, "%s%s", before, strcmp(text, "-0") == 0 ? "0" : text);
}

static void put_path(dr_output* out, const cli_point* points, size_t count)
{
    bool is_down = false;
    for (size_t i = 0; i < count; ++i) {
        if (isnan(points[i].x)) {
            is_down = false;
            continue;
        }
        bool is_second = is_down && (i < 2 || isnan(points[i - 2].x));
        put_number(out, !is_down ? "M" : is_second ? "L" : " ", points[i].x);
        put_number(out, " ", points[i].y);
        bool is_alone = !is_down && (i + 1 == count || isnan(points[i + 1].x));
        dr_output_write(out, "h0", is_alone ? 2 : 0);
        is_down = true;
    }
}

static void stroke(cli_canvas* canvas, const cli_point* points, size_t count, cli_pen pen)
{
    dr_output* out = ((svg_canvas*)canvas)->out;
    put(out, "<path stroke=\"#%06x\" stroke-width=\"%g\"", (unsigned)pen.colour, pen.width);
    const double* dash = cli_dashes[pen.dash];
    if (dash[0] > 0.0) {
        put(out, " stroke-dasharray=\"%g %g %g %g\"", dash[0], dash[1], dash[2], dash[3]);
    }
    put(out, " d=\"");
    put_path(out, points, count);
    put(out, "\"/>\n");
}

// The letters of a text, with what XML has its own use for, or no use at all, written otherwise.
static void put_text(dr_output* out, const char* text)
{
    while (*text != '\0') {
        const char* start = text;
        unsigned letter = cli_letter_next(&text);
        bool is_bad = letter < 0x20 || letter == 0x7F || letter == 0xFFFE || letter == 0xFFFF ||
                      (letter == '?' && *start != '?');
        const char* word = is_bad          ? "?"
                           : letter == '<' ? "&lt;"
                           : letter == '>' ? "&gt;"
                           : letter == '&' ? "&amp;"
                                           : NULL;
        if (word != NULL) {
            put(out, "%s", word);
        } else {
            dr_output_write(out, start, (size_t)(text - start));
        }
    }
}

static void write_text(cli_canvas* canvas, double x, double y, const char* text,
                       cli_lettering lettering)
{
    static const char* const anchors[] = {"", " text-anchor=\"middle\"", " text-anchor=\"end\""};
    dr_output* out = ((svg_canvas*)canvas)->out;
    put_number(out, "<text x=\"", x);
    put_number(out, "\" y=\"", y);
    put(out, "\" font-size=\"%g\" fill=\"#%06x\"%s%s>", lettering.size, (unsigned)lettering.colour,
        anchors[lettering.anchor], lettering.is_bold ? " font-weight=\"bold\"" : "");
    put_text(out, text);
    put(out, "</text>\n");
}

bool cli_svg_write(const char* path, const cli_figure* figure, int width, int height,
                   drape_error* error)
{
    dr_output out;
    if (!dr_output_open(&out, path, error)) {
        return false;
    }
    put(&out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
        "viewBox=\"0 0 %d %d\" font-family=\"Helvetica,Arial,sans-serif\" fill=\"none\" "
        "stroke-linecap=\"round\" stroke-linejoin=\"round\">\n",
        width, height, width, height);
    if (figure->title != NULL) {
        put(&out, "<title>");
        put_text(&out, figure->title);
        put(&out, "</title>\n");
    }
    put(&out, "<rect width=\"%d\" height=\"%d\" fill=\"#%06x\"/>\n", width, height,
        (unsigned)CLI_PAPER);
    svg_canvas canvas = {{stroke, write_text}, &out};
    if (!cli_figure_draw(figure, &canvas.base, width, height)) {
        dr_output_discard(&out);
        dr_error_set_memory(error, path);
        return false;
    }
    put(&out, "</svg>\n");
    return dr_output_close(&out, error);
}
