// render/look.h: what surfaces look like.
//
// Colours are drape_vec3 (red, green, blue), linear: 0 is black, 1 sends all light back. Patterns
// are drawn in material coordinates, so they stretch and shear with the cloth.
//
//     weave      bands of warp and weft: both coloured where they cross, a twill of both colours
//                where one does, like gingham
//     checker    squares of two colours
//     plain      one colour
//
// A pattern is asked for its mean over a width, about that of a pixel: what is too fine for the
// picture becomes the mixture of its colours, and never grain.
#ifndef DR_LOOK_H
#define DR_LOOK_H

#include <drape/vec.h>
#include <stdbool.h>
#include <stdint.h>

typedef enum dr_pattern {
    DR_PATTERN_WEAVE,
    DR_PATTERN_CHECKER,
    DR_PATTERN_PLAIN,
} dr_pattern;

// The scale of colours that shows heat, 0 to 1.
typedef enum dr_heat_scale {
    DR_HEAT_NONE,     // the pattern shows
    DR_HEAT_RISING,   // pale, yellow, red, dark
    DR_HEAT_OPPOSITE, // blue below a half, pale there, red above
} dr_heat_scale;

typedef struct dr_look {
    dr_pattern pattern;
    drape_vec3 front[2], back[2]; // the two colours of either side
    float band;                   // width of a band or square, in units of u and v
    float scale;                  // units of u and v to the metre
    float through;                // share of the light that passes to the other side, 0 to 0.5
    float sheen;                  // of fibres seen along the surface, 0 to 1
    dr_heat_scale heat;
} dr_look;

// The mean over `width`, m, around a place on a surface.
typedef struct dr_look_place {
    float u, v, heat;
    bool is_back;
} dr_look_place;

drape_vec3 dr_look_color(const dr_look* look, dr_look_place place, float width);
drape_vec3 dr_heat_color(dr_heat_scale scale, float heat);

// From sRGB bytes, 0xrrggbb, to linear and back: as a number from 0 to 1, and as a byte.
drape_vec3 dr_color_from_srgb(uint32_t rgb);
float dr_srgb_of(float linear);
uint8_t dr_srgb_byte(float linear);

#endif
