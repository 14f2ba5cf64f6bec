// render/grain.h: takes the grain out of a picture.
//
// Few samples leave grain in soft shadows. It is in the light that falls on surfaces, not in their
// colours, so the light alone is smoothed, and only among pixels that show one smooth surface: with
// like normals, in one plane, and with light that differs by no more than its own noise. A real
// edge of a shadow differs by more and stays. Three passes over 5 x 5 pixels, the second with every
// other, the third with every fourth (Dammertz et al. 2010: Edge-avoiding A-Trous Wavelet
// Transform).
#ifndef DR_GRAIN_H
#define DR_GRAIN_H

#include "core/memory.h"
#include "core/parallel.h"

// Below this square of its mean normal's length a pixel shows several surfaces, and is left alone.
#define DR_GRAIN_EDGE 0.97f

typedef struct dr_grain_pixel {
    drape_vec3 light;  // on the surface
    float variance;    // of its brightness, as the pixel itself knows it
    float samples;     // it has: the variance of one is that of the pixel times this
    drape_vec3 normal; // shorter than 1 where several surfaces meet
    drape_vec3 place;
    float reach; // m that a pixel covers there
} dr_grain_pixel;

// Smooths `light` of all pixels, row by row. False when memory is short; nothing is changed then.
bool dr_grain_remove(dr_memory* memory, dr_pool* pool, dr_grain_pixel* pixels, int width,
                     int height);

#endif
