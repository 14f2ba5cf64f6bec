#include "render/grain.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/vec_math.h"

enum { RADIUS = 2, PASS_COUNT = 3 };

// Tolerances: of noise in standard deviations, of the plane in pixels, of normals.
#define NOISE_RANGE 3.0f
#define PLANE_RANGE 3.0f
#define NORMAL_RANGE 0.35f

typedef struct grain_pass {
    const dr_grain_pixel* from;
    dr_grain_pixel* to;
    int width, height, step;
} grain_pass;

// 1 at 0, falling to 0 at 1: a bell without an exponential.
static float bell(float square)
{
    float rest = 1.0f - square;
    return rest > 0.0f ? rest * rest : 0.0f;
}

static float brightness(drape_vec3 light)
{
    return 0.21f * light.x + 0.72f * light.y + 0.07f * light.z;
}

static bool is_edge(const dr_grain_pixel* pixel)
{
    return dr_dot(pixel->normal, pixel->normal) < DR_GRAIN_EDGE;
}

// How much q counts for p.
static float likeness(const dr_grain_pixel* p, const dr_grain_pixel* q)
{
    float apart = brightness(p->light) - brightness(q->light);
    float noise = NOISE_RANGE * NOISE_RANGE * (p->variance + q->variance) + 1e-8f;
    float weight = bell(apart * apart / noise);
    if (!(weight > 0.0f)) {
        return 0.0f;
    }
    drape_vec3 turn = dr_sub(p->normal, q->normal);
    weight *= bell(dr_dot(turn, turn) / (NORMAL_RANGE * NORMAL_RANGE));
    float range = PLANE_RANGE * (p->reach + q->reach);
    float off = dr_dot(p->normal, dr_sub(q->place, p->place));
    return range > 0.0f ? weight * bell(off * off / (range * range)) : weight;
}

static dr_grain_pixel smooth_pixel(const grain_pass* pass, int x, int y)
{
    static const float kernel[RADIUS + 1] = {0.375f, 0.25f, 0.0625f};
    const dr_grain_pixel* here = pass->from + (size_t)y * (size_t)pass->width + (size_t)x;
    dr_grain_pixel result = *here;
    if (!(here->variance > 0.0f) || is_edge(here)) {
        return result;
    }
    drape_vec3 sum = {0.0f, 0.0f, 0.0f};
    float total = 0.0f, variance = 0.0f;
    for (int j = -RADIUS; j <= RADIUS; ++j) {
        int ny = y + j * pass->step;
        for (int i = -RADIUS; ny >= 0 && ny < pass->height && i <= RADIUS; ++i) {
            int nx = x + i * pass->step;
            if (nx < 0 || nx >= pass->width) {
                continue;
            }
            const dr_grain_pixel* other = pass->from + (size_t)ny * (size_t)pass->width + nx;
            float weight = kernel[i < 0 ? -i : i] * kernel[j < 0 ? -j : j];
            weight *= other->samples * (other == here ? 1.0f : likeness(here, other));
            sum = dr_add(sum, dr_scale(other->light, weight));
            total += weight;
            variance += weight * weight * other->variance;
        }
    }
    result.light = dr_scale(sum, 1.0f / total);
    result.variance = variance / (total * total);
    return result;
}

static void smooth_rows(void* context, int begin, int end, int worker)
{
    const grain_pass* pass = context;
    (void)worker;
    for (int y = begin; y < end; ++y) {
        for (int x = 0; x < pass->width; ++x) {
            pass->to[(size_t)y * (size_t)pass->width + (size_t)x] = smooth_pixel(pass, x, y);
        }
    }
}

// What is known of the pixels around one.
typedef struct surroundings {
    float variance;    // of one sample, mean
    float least, most; // brightness of the eight neighbours
} surroundings;

static surroundings look_around(const grain_pass* pass, int x, int y)
{
    surroundings seen = {0.0f, INFINITY, -INFINITY};
    float sum = 0.0f;
    int count = 0;
    for (int ny = y - RADIUS; ny <= y + RADIUS; ++ny) {
        for (int nx = x - RADIUS; ny >= 0 && ny < pass->height && nx <= x + RADIUS; ++nx) {
            if (nx < 0 || nx >= pass->width) {
                continue;
            }
            const dr_grain_pixel* other = pass->from + (size_t)ny * (size_t)pass->width + nx;
            sum += other->variance * other->samples;
            ++count;
            bool is_next = abs(nx - x) <= 1 && abs(ny - y) <= 1 && (nx != x || ny != y);
            float bright = is_next ? brightness(other->light) : NAN;
            seen.least = fminf(seen.least, bright);
            seen.most = fmaxf(seen.most, bright);
        }
    }
    seen.variance = sum / (float)count;
    return seen;
}

// Two things before the passes. What one pixel guesses of its noise is itself noise, and nothing
// where all of its samples happen to agree; the mean of its neighbours' is better. And a pixel that
// sticks out from all around it is a stray.
static void prepare_rows(void* context, int begin, int end, int worker)
{
    const grain_pass* pass = context;
    (void)worker;
    for (int y = begin; y < end; ++y) {
        for (int x = 0; x < pass->width; ++x) {
            size_t place = (size_t)y * (size_t)pass->width + (size_t)x;
            dr_grain_pixel pixel = pass->from[place];
            surroundings seen = look_around(pass, x, y);
            float bright = brightness(pixel.light);
            float within = fmaxf(fminf(bright, seen.most), seen.least);
            if (bright > 0.0f && !is_edge(&pixel) && isfinite(within)) {
                pixel.light = dr_scale(pixel.light, within / bright);
            }
            pixel.variance = seen.variance / pixel.samples;
            pass->to[place] = pixel;
        }
    }
}

bool dr_grain_remove(dr_memory* memory, dr_pool* pool, dr_grain_pixel* pixels, int width,
                     int height)
{
    size_t count = (size_t)width * (size_t)height;
    dr_grain_pixel* other = dr_new(memory, dr_grain_pixel, count);
    if (other == NULL) {
        return false;
    }
    grain_pass pass = {pixels, other, width, height, 1};
    dr_parallel_for(pool, height, 4, prepare_rows, &pass);
    for (int i = 0; i < PASS_COUNT; ++i) {
        const dr_grain_pixel* from = pass.from;
        pass.from = pass.to;
        pass.to = from == pixels ? pixels : other;
        pass.step = 1 << i;
        dr_parallel_for(pool, height, 4, smooth_rows, &pass);
    }
    if (pass.to != pixels) {
        memcpy(pixels, pass.to, sizeof *pixels * count);
    }
    dr_delete(memory, other, count);
    return true;
}
