#include "render/look.h"

#include <math.h>

#include "core/vec_math.h"

// Threads of a twill in one band.
#define TWILL_LINES 10.0f

// The sum from 0 to x of a wave that is 0 from 0 to 1, 1 from 1 to 2, and so on.
static float wave_sum(float x)
{
    float whole = floorf(0.5f * x), rest = x - 2.0f * whole;
    return whole + fmaxf(rest - 1.0f, 0.0f);
}

// The mean of that wave over a width.
static float wave(float x, float width)
{
    return (wave_sum(x + 0.5f * width) - wave_sum(x - 0.5f * width)) / width;
}

drape_vec3 dr_look_color(const dr_look* look, dr_look_place place, float width)
{
    if (look->heat != DR_HEAT_NONE) {
        return dr_heat_color(look->heat, place.heat);
    }
    const drape_vec3* color = place.is_back ? look->back : look->front;
    if (look->pattern == DR_PATTERN_PLAIN) {
        return color[0];
    }
    float u = place.u / look->band, v = place.v / look->band;
    float wide = fmaxf(width * look->scale / look->band, 1e-4f);
    float warp = wave(u, wide), weft = wave(v, wide);
    float one = warp + weft - 2.0f * warp * weft; // of both, where just one is
    float share = one;
    if (look->pattern == DR_PATTERN_WEAVE) {
        // Lines that a picture can barely show flicker; they are given up a little early.
        const float lines = 2.0f * TWILL_LINES;
        share = warp * weft + one * wave(lines * (u + v), 2.0f * lines * wide);
    }
    return dr_lerp(color[1], color[0], share);
}

// --- Heat ---

enum { STOP_COUNT = 5 };

// sRGB, evenly spaced.
static const uint32_t stops[][STOP_COUNT] = {
    [DR_HEAT_RISING] = {0xe4e6ea, 0xf2dc8c, 0xf0a04b, 0xcf4434, 0x5e1130},
    [DR_HEAT_OPPOSITE] = {0x1f4aa8, 0x7fa7dd, 0xe9e7e4, 0xe08a6b, 0xa3182a},
};

drape_vec3 dr_heat_color(dr_heat_scale scale, float heat)
{
    float place = fmaxf(0.0f, fminf(heat, 1.0f)) * (float)(STOP_COUNT - 1);
    int stop = place < (float)(STOP_COUNT - 1) ? (int)place : STOP_COUNT - 2;
    return dr_lerp(dr_color_from_srgb(stops[scale][stop]),
                   dr_color_from_srgb(stops[scale][stop + 1]), place - (float)stop);
}

// --- sRGB ---

static float linear_of(uint32_t byte)
{
    float x = (float)byte / 255.0f;
    return x <= 0.04045f ? x / 12.92f : powf((x + 0.055f) / 1.055f, 2.4f);
}

drape_vec3 dr_color_from_srgb(uint32_t rgb)
{
    return (drape_vec3){linear_of(rgb >> 16 & 255u), linear_of(rgb >> 8 & 255u),
                        linear_of(rgb & 255u)};
}

float dr_srgb_of(float linear)
{
    float x = fmaxf(0.0f, fminf(linear, 1.0f));
    return x <= 0.0031308f ? 12.92f * x : 1.055f * powf(x, 1.0f / 2.4f) - 0.055f;
}

uint8_t dr_srgb_byte(float linear)
{
    return (uint8_t)(255.0f * dr_srgb_of(linear) + 0.5f);
}
