// render/shade.h: how much light comes along a ray.
//
// One large round light far away, a sky that is brighter above, and light that surfaces pass on to
// each other. All surfaces are matte and have two sides; cloth lets some light through. At a hit
// one ray goes to a point of the light and one into the open; where that one meets another surface
// the same happens there, a few times.
//
// The ground is a stage, not a thing: in the picture it has the colour of the backdrop, darkened
// and tinted as much as what stands on it takes from its light. So it has soft shadows and no
// horizon. Open ground costs no noise: its light is known.
#ifndef DR_SHADE_H
#define DR_SHADE_H

#include "render/look.h"
#include "render/sampling.h"
#include "render/stage.h"

typedef struct dr_scenery {
    const dr_look* looks;         // by the number of a hit
    drape_vec3 light_direction;   // to the light, of length 1
    float light_cosine;           // of half the angle that it covers
    drape_vec3 light_color;       // of a white surface that faces it
    drape_vec3 sky_mid, sky_tilt; // from direction d comes mid + tilt d.y
    drape_vec3 backdrop[2];       // what is behind all, at the top and at the bottom of the picture
    bool has_ground;
    float ground_y;
    drape_vec3 ground_color; // what of its light goes back to the things on it
    int bounces;             // surfaces that a ray may meet after the first one
} dr_scenery;

// Warm white light from the upper left of a camera that looks along `forward`; no ground.
dr_scenery dr_scenery_defaults(drape_vec3 forward);

// What a ray of the camera finds.
typedef struct dr_shade {
    drape_vec3 light;  // that comes along it
    drape_vec3 color;  // of the surface: the light is this times what falls on it
    drape_vec3 normal; // 0 for the backdrop
    drape_vec3 place;
} dr_shade;

// A ray of the camera.
typedef struct dr_view_ray {
    drape_vec3 origin, direction; // of length 1
    float height;                 // place in the picture: 0 at the top to 1 at the bottom
    float spread;                 // width of a pixel at distance 1
} dr_view_ray;

dr_shade dr_shade_ray(const dr_stage* stage, const dr_scenery* scenery, const dr_view_ray* ray,
                      const dr_sampler* sampler);
// The colour alone, many times faster.
drape_vec3 dr_shade_color(const dr_stage* stage, const dr_scenery* scenery, const dr_view_ray* ray);

#endif
