// render/film.h: takes the picture.
//
// The picture is sampled in rounds. Each pixel gets 8 samples; then in each round the number is
// doubled where the picture is not yet sure of itself, until the number asked for is reached. Even
// and odd samples of a pixel are two pictures of their own, and how far these are apart, around a
// pixel, is how far it may be off. Where one smooth surface is seen more of that is let pass, since
// grain can be taken out (render/grain.h); edges cannot be mended, and get more samples when few
// are asked for. Where only the pattern is in doubt samples look at its colour and do not ask for
// light, which is where the time goes. What a pixel gets depends on the rounds before alone, so the
// picture is the same for any number of threads.
//
// Samples are spread over two pixels by a tent, which is what makes edges smooth. In the end the
// light goes through a curve like that of film, which keeps bright cloth from burning out.
#ifndef DR_FILM_H
#define DR_FILM_H

#include "render/camera.h"
#include "render/shade.h"

#define DR_FILM_MOST 16384 // pixels along a side

// Sums over the samples of a pixel. Halves are even and odd samples.
typedef struct dr_film_pixel {
    drape_vec3 light[2];      // of lit samples
    drape_vec3 lit[2];        // colour of what that light fell on
    drape_vec3 normal, place; // of lit samples
    drape_vec3 color[2];      // of all samples
    int lit_count, count;
} dr_film_pixel;

typedef struct dr_film {
    dr_memory* memory;
    int width, height;
    dr_film_pixel* pixels;
    float (*doubt)[2]; // by pixel: how far light and colour may be off, over what is let pass
    uint8_t* wanted;   // by pixel: what it wants more of
} dr_film;

// How far it is, from 0 to 1; called now and then from the thread that takes the picture.
typedef void dr_film_progress(void* user, float share);

typedef struct dr_exposure {
    const dr_stage* stage;
    const dr_scenery* scenery;
    dr_camera camera;
    int sample_count;           // most samples of a pixel, 1 to 4096; edges may get up to 64
    float tolerance;            // of brightness as seen, 0 (black) to 1; 0: all samples everywhere
    dr_film_progress* progress; // may be null
    void* progress_user;
} dr_exposure;

// What the eye will not see.
#define DR_FILM_TOLERANCE 0.007f

// False when memory is short.
bool dr_film_create(dr_film* film, dr_memory* memory, int width, int height);
void dr_film_free(dr_film* film);
void dr_film_expose(dr_film* film, dr_pool* pool, const dr_exposure* exposure);
// The mean light of a pixel.
drape_vec3 dr_film_light(const dr_film* film, int x, int y);
// Rows from the top, three bytes to a pixel. Grain is taken out when there is memory for it.
void dr_film_develop(const dr_film* film, dr_pool* pool, const dr_camera* camera, uint8_t* pixels);
// Lit samples taken in all.
int64_t dr_film_sample_count(const dr_film* film);

#endif
