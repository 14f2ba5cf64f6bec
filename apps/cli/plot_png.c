// Figures as pixels.
//
// A stroke is first laid down in a mask: each pixel gets as much of it as lies within, judged by
// how far its middle is from the stroke, and of the pieces of a stroke the one that covers it most.
// Then the mask is painted at once, so that pieces do not show where they overlap.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plot_canvas.h"
#include "plot_font.h"
#include "plot_style.h"
#include "render/png.h"

// Lines of a curve in a letter.
#define CURVE_PIECES 8
// Width of the strokes of letters, of the size of the font.
#define LETTER_WEIGHT 0.085
#define LETTER_WEIGHT_BOLD 0.12

typedef struct png_canvas {
    cli_canvas base;
    uint8_t* pixels; // three bytes each
    float* mask;     // 0 to 1, zero between strokes
    int width, height;
    double scale;                 // pixels to a point
    int left, right, top, bottom; // of what the mask has
} png_canvas;

// --- The mask ---

static double clamp(double value, double low, double high)
{
    return fmin(fmax(value, low), high);
}

static double distance_to(cli_point p, cli_point a, cli_point b)
{
    double dx = b.x - a.x, dy = b.y - a.y;
    double square = dx * dx + dy * dy;
    double along = (p.x - a.x) * dx + (p.y - a.y) * dy;
    double t = square > 0.0 ? clamp(along / square, 0.0, 1.0) : 0.0;
    return hypot(p.x - a.x - t * dx, p.y - a.y - t * dy);
}

// The part of a segment that is within `reach` of a row, from left to right.
static void span_of_row(cli_point a, cli_point b, double y, double reach, double* low, double* high)
{
    double dy = b.y - a.y;
    double t0 = 0.0, t1 = 1.0;
    if (fabs(dy) > 1e-9) {
        t0 = clamp((y - reach - a.y) / dy, 0.0, 1.0);
        t1 = clamp((y + reach - a.y) / dy, 0.0, 1.0);
    }
    double x0 = a.x + t0 * (b.x - a.x), x1 = a.x + t1 * (b.x - a.x);
    *low = fmin(x0, x1) - reach;
    *high = fmax(x0, x1) + reach;
}

// The pixel in which a place lies, kept within 0 and `count` - 1.
static int pixel_of(double place, int count)
{
    return (int)clamp(floor(place), 0.0, count - 1.0);
}

static void cover_segment(png_canvas* c, cli_point a, cli_point b, double radius)
{
    double reach = radius + 0.5;
    int top = pixel_of(fmin(a.y, b.y) - reach, c->height);
    int bottom = pixel_of(fmax(a.y, b.y) + reach, c->height);
    for (int row = top; row <= bottom; ++row) {
        double low, high;
        span_of_row(a, b, row + 0.5, reach, &low, &high);
        int first = pixel_of(low, c->width), last = pixel_of(high, c->width);
        float* mask = c->mask + (size_t)row * (size_t)c->width;
        for (int i = first; i <= last; ++i) {
            double distance = distance_to((cli_point){i + 0.5, row + 0.5}, a, b);
            float cover = (float)clamp(reach - distance, 0.0, 1.0);
            mask[i] = cover > mask[i] ? cover : mask[i];
        }
        c->left = first < c->left ? first : c->left;
        c->right = last > c->right ? last : c->right;
    }
    c->top = top < c->top ? top : c->top;
    c->bottom = bottom > c->bottom ? bottom : c->bottom;
}

static void begin_mask(png_canvas* c)
{
    c->left = c->width;
    c->top = c->height;
    c->right = c->bottom = -1;
}

static void paint_mask(png_canvas* c, uint32_t colour)
{
    for (int row = c->top; row <= c->bottom; ++row) {
        for (int i = c->left; i <= c->right; ++i) {
            size_t at = (size_t)row * (size_t)c->width + (size_t)i;
            float share = c->mask[at];
            for (int k = 0; k < 3 && share > 0.0f; ++k) {
                uint8_t* byte = &c->pixels[3 * at + (size_t)k];
                float ink = (float)(colour >> (16 - 8 * k) & 0xFF);
                *byte = (uint8_t)((float)*byte + share * (ink - (float)*byte) + 0.5f);
            }
            c->mask[at] = 0.0f;
        }
    }
}

// --- Strokes ---

// How far a pen has come in its dashes.
typedef struct dashing {
    const double* lengths;
    int index;
    double left; // of the current stroke or space
} dashing;

static void cover_dashed(png_canvas* c, cli_point a, cli_point b, double radius, dashing* dash)
{
    double length = hypot(b.x - a.x, b.y - a.y);
    double done = 0.0;
    while (done < length) {
        double step = fmin(dash->left, length - done);
        if (dash->index % 2 == 0) {
            double s = done / length, t = (done + step) / length;
            cover_segment(c, (cli_point){a.x + s * (b.x - a.x), a.y + s * (b.y - a.y)},
                          (cli_point){a.x + t * (b.x - a.x), a.y + t * (b.y - a.y)}, radius);
        }
        done += step;
        dash->left -= step;
        if (dash->left <= 1e-9) {
            dash->index = (dash->index + 1) % 4;
            dash->left = c->scale * dash->lengths[dash->index];
        }
    }
}

static cli_point to_pixels(const png_canvas* c, cli_point point)
{
    return (cli_point){c->scale * point.x, c->scale * point.y};
}

static void stroke(cli_canvas* canvas, const cli_point* points, size_t count, cli_pen pen)
{
    png_canvas* c = (png_canvas*)canvas;
    const double* lengths = cli_dashes[pen.dash];
    double radius = 0.5 * pen.width * c->scale;
    dashing dash = {0};
    begin_mask(c);
    for (size_t i = 0; i < count; ++i) {
        if (isnan(points[i].x)) {
            continue;
        }
        bool is_first = i == 0 || isnan(points[i - 1].x);
        cli_point a = to_pixels(c, points[is_first ? i : i - 1]), b = to_pixels(c, points[i]);
        if (is_first) {
            dash = (dashing){lengths, 0, c->scale * lengths[0]};
        }
        if (is_first || lengths[0] <= 0.0) {
            cover_segment(c, a, b, radius);
        } else {
            cover_dashed(c, a, b, radius, &dash);
        }
    }
    paint_mask(c, pen.colour);
}

// --- Letters ---

// Where a glyph stands, and how wide its strokes are.
typedef struct placed {
    cli_point origin;
    double scale;
    double radius;
} placed;

static cli_point read_point(const char** at, const placed* place)
{
    char* end;
    double x = strtod(*at, &end);
    double y = strtod(end, &end);
    *at = end;
    return (cli_point){place->origin.x + place->scale * x, place->origin.y - place->scale * y};
}

static void cover_curve(png_canvas* c, cli_point a, cli_point control, cli_point b, double radius)
{
    cli_point before = a;
    for (int i = 1; i <= CURVE_PIECES; ++i) {
        double t = (double)i / CURVE_PIECES, s = 1.0 - t;
        cli_point next = {s * s * a.x + 2.0 * s * t * control.x + t * t * b.x,
                          s * s * a.y + 2.0 * s * t * control.y + t * t * b.y};
        cover_segment(c, before, next, radius);
        before = next;
    }
}

static void cover_glyph(png_canvas* c, const char* strokes, const placed* place)
{
    cli_point pen = {0};
    for (const char* at = strokes; *at != '\0';) {
        if (*at == ' ') {
            ++at;
        } else if (*at == 'M') {
            ++at;
            pen = read_point(&at, place);
        } else if (*at == 'Q') {
            ++at;
            cli_point control = read_point(&at, place);
            cli_point end = read_point(&at, place);
            cover_curve(c, pen, control, end, place->radius);
            pen = end;
        } else {
            cli_point end = read_point(&at, place);
            cover_segment(c, pen, end, place->radius);
            pen = end;
        }
    }
}

static void write_text(cli_canvas* canvas, double x, double y, const char* text,
                       cli_lettering lettering)
{
    png_canvas* c = (png_canvas*)canvas;
    double width = cli_text_width(text, lettering.size);
    double unit = c->scale * lettering.size / CLI_FONT_SIZE;
    double weight = lettering.is_bold ? LETTER_WEIGHT_BOLD : LETTER_WEIGHT;
    x -= 0.5 * (double)lettering.anchor * width;
    // Baselines between pixels blur every letter.
    placed place = {{c->scale * x, floor(c->scale * y + 0.5)}, unit, 0.0};
    place.radius = fmax(0.5, 0.5 * weight * c->scale * lettering.size);
    begin_mask(c);
    for (unsigned letter; (letter = cli_letter_next(&text)) != 0;) {
        cli_glyph glyph = cli_glyph_of(letter);
        placed raised = place;
        raised.origin.y -= unit * glyph.rise;
        raised.scale *= glyph.scale;
        cover_glyph(c, glyph.strokes, &raised);
        place.origin.x += unit * glyph.advance;
    }
    paint_mask(c, lettering.colour);
}

// --- The whole ---

bool cli_png_write(const char* path, const cli_figure* figure, int width, int height,
                   double pixels_per_point, drape_error* error)
{
    size_t count = (size_t)width * (size_t)height;
    png_canvas canvas = {.base = {stroke, write_text},
                         .pixels = malloc(3 * count),
                         .mask = calloc(count, sizeof(float)),
                         .width = width,
                         .height = height,
                         .scale = pixels_per_point};
    bool is_drawn = canvas.pixels != NULL && canvas.mask != NULL;
    if (is_drawn) {
        memset(canvas.pixels, CLI_PAPER & 0xFF, 3 * count);
        is_drawn = cli_figure_draw(figure, &canvas.base, width / pixels_per_point,
                                   height / pixels_per_point);
    }
    if (!is_drawn) {
        dr_error_set_memory(error, path);
    }
    bool is_written = is_drawn && dr_png_write(path, canvas.pixels, width, height, error);
    free(canvas.pixels);
    free(canvas.mask);
    return is_written;
}

bool cli_pixels_write(uint8_t* pixels, int width, int height, cli_point place, const char* text,
                      cli_lettering lettering)
{
    png_canvas canvas = {.base = {stroke, write_text},
                         .pixels = pixels,
                         .mask = calloc((size_t)width * (size_t)height, sizeof(float)),
                         .width = width,
                         .height = height,
                         .scale = 1.0};
    if (canvas.mask == NULL) {
        return false;
    }
    write_text(&canvas.base, place.x, place.y, text, lettering);
    free(canvas.mask);
    return true;
}
