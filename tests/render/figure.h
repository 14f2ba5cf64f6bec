// figure.h: lines and dots on white, for tests that draw what they have seen.
#ifndef FIGURE_H
#define FIGURE_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "render/png.h"

typedef struct figure {
    int width, height;
    uint8_t* pixels;
} figure;

// Pixels, y down.
typedef struct spot {
    float x, y;
} spot;

static inline figure figure_make(int width, int height)
{
    size_t size = (size_t)width * (size_t)height * 3;
    figure f = {width, height, malloc(size)};
    memset(f.pixels, 0xff, size);
    return f;
}

static inline bool figure_save(figure* f, const char* path)
{
    drape_error error;
    bool is_written = dr_png_write(path, f->pixels, f->width, f->height, &error);
    free(f->pixels);
    f->pixels = NULL;
    return is_written;
}

// Covers a pixel by a share, 0 to 1, with 0xrrggbb.
static inline void figure_dye(figure* f, int x, int y, uint32_t colour, float share)
{
    uint8_t* p = f->pixels + 3 * ((size_t)y * (size_t)f->width + (size_t)x);
    for (int c = 0; c < 3; ++c) {
        float ink = (float)(colour >> (16 - 8 * c) & 0xff);
        p[c] = (uint8_t)((float)p[c] + share * (ink - (float)p[c]) + 0.5f);
    }
}

static inline float spot_distance(spot p, spot a, spot b)
{
    float dx = b.x - a.x, dy = b.y - a.y, squared = dx * dx + dy * dy;
    float t = squared > 0.0f ? ((p.x - a.x) * dx + (p.y - a.y) * dy) / squared : 0.0f;
    t = fminf(fmaxf(t, 0.0f), 1.0f);
    return hypotf(p.x - a.x - t * dx, p.y - a.y - t * dy);
}

// From a to b with round ends; a dot when they are the same.
static inline void figure_line(figure* f, spot a, spot b, float width, uint32_t colour)
{
    float reach = 0.5f * width + 1.0f;
    int x0 = (int)fmaxf(fminf(a.x, b.x) - reach, 0.0f),
        y0 = (int)fmaxf(fminf(a.y, b.y) - reach, 0.0f);
    int x1 = (int)fminf(fmaxf(a.x, b.x) + reach, (float)f->width - 1.0f);
    int y1 = (int)fminf(fmaxf(a.y, b.y) + reach, (float)f->height - 1.0f);
    for (int y = y0; y <= y1; ++y) {
        for (int x = x0; x <= x1; ++x) {
            spot p = {(float)x + 0.5f, (float)y + 0.5f};
            float share = 0.5f * width + 0.5f - spot_distance(p, a, b);
            figure_dye(f, x, y, colour, fminf(fmaxf(share, 0.0f), 1.0f));
        }
    }
}

static inline void figure_dot(figure* f, spot at, float radius, uint32_t colour)
{
    figure_line(f, at, at, 2.0f * radius, colour);
}

#endif
