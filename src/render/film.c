#include "render/film.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "render/grain.h"

// Samples of the first round.
#define FIRST_ROUND 8
// Grain that can be taken out may be this many times as strong as the rest.
#define GRAIN_PASSES 5.0f
// Errors in a fine pattern are hidden by it.
#define COLOR_PASSES 2.0f
// Darker surfaces count as this dark where light is divided by colour.
#define LEAST_COLOR 0.01f
// Edges cannot be smoothed: with few samples they get this many times as many, up to a number.
#define EDGE_TIMES 4
#define EDGE_SAMPLES 64
// Side of a tile, in pixels: the work that a thread takes at once.
#define TILE 16

bool dr_film_create(dr_film* film, dr_memory* memory, int width, int height)
{
    size_t count = (size_t)width * (size_t)height;
    *film = (dr_film){.memory = memory, .width = width, .height = height};
    film->pixels = dr_new_zeroed(memory, dr_film_pixel, count);
    film->doubt = (float(*)[2])dr_new_zeroed(memory, float, 2 * count);
    film->wanted = dr_new_zeroed(memory, uint8_t, count);
    if (film->pixels == NULL || film->doubt == NULL || film->wanted == NULL) {
        dr_film_free(film);
        return false;
    }
    return true;
}

void dr_film_free(dr_film* film)
{
    size_t count = (size_t)film->width * (size_t)film->height;
    dr_delete(film->memory, film->pixels, count);
    dr_release(film->memory, film->doubt, dr_array_bytes(2 * count, sizeof(float)));
    dr_delete(film->memory, film->wanted, count);
    *film = (dr_film){.memory = film->memory};
}

static dr_film_pixel* pixel_at(const dr_film* film, int x, int y)
{
    return film->pixels + (size_t)y * (size_t)film->width + (size_t)x;
}

// --- Rounds ---

// What a pixel may want more of.
enum { WANTS_NOTHING, WANTS_COLOR, WANTS_LIGHT };

// One round over all tiles; threads take the next tile that nobody has.
typedef struct film_round {
    dr_film* film;
    const dr_exposure* exposure;
    int tiles_across, tile_count;
    int sample_count;  // of a pixel after this round
    float begin, size; // share of all work done before, and of this round
    atomic_int next;
} film_round;

// The part of a unit square under a tent: 0 to 1 becomes -1 to 1, most near 0.
static float tent(float u)
{
    return u < 0.5f ? sqrtf(2.0f * u) - 1.0f : 1.0f - sqrtf(2.0f - 2.0f * u);
}

// Ray number `index` of a pixel.
static dr_view_ray ray_of(const film_round* round, const dr_sampler* sampler, int x, int y)
{
    const dr_camera* camera = &round->exposure->camera;
    const dr_film* film = round->film;
    dr_sample u = dr_sampler_get(sampler, 0);
    float px = ((float)x + 0.5f + tent(u.x)) / (float)film->width;
    float py = ((float)y + 0.5f + tent(u.y)) / (float)film->height;
    return (dr_view_ray){camera->eye, dr_camera_direction(camera, px, py),
                         fmaxf(0.0f, fminf(py, 1.0f)),
                         2.0f * camera->slope_y / (float)film->height};
}

static void add_lit(dr_film_pixel* pixel, int half, const dr_shade* shade)
{
    pixel->light[half] = dr_add(pixel->light[half], shade->light);
    pixel->lit[half] = dr_add(pixel->lit[half], shade->color);
    pixel->normal = dr_add(pixel->normal, shade->normal);
    pixel->place = dr_add(pixel->place, shade->place);
}

// Lit samples are the first ones. A pixel that wants light late takes up those that had none.
static void sample_pixel(const film_round* round, int x, int y, bool wants_light)
{
    const dr_stage* stage = round->exposure->stage;
    const dr_scenery* scenery = round->exposure->scenery;
    dr_film_pixel* pixel = pixel_at(round->film, x, y);
    dr_sampler sampler = {.seed = dr_hash_mix((uint32_t)(y * DR_FILM_MOST + x) + 0x51ed270bu)};
    for (int i = wants_light ? pixel->lit_count : pixel->count; i < round->sample_count; ++i) {
        sampler.index = (uint32_t)i;
        dr_view_ray ray = ray_of(round, &sampler, x, y);
        dr_shade shade;
        if (wants_light) {
            shade = dr_shade_ray(stage, scenery, &ray, &sampler);
            add_lit(pixel, i & 1, &shade);
            pixel->lit_count = i + 1;
        } else {
            shade.color = dr_shade_color(stage, scenery, &ray);
        }
        if (i >= pixel->count) {
            pixel->color[i & 1] = dr_add(pixel->color[i & 1], shade.color);
            pixel->count = i + 1;
        }
    }
}

static void sample_tile(const film_round* round, int tile)
{
    const dr_film* film = round->film;
    int left = tile % round->tiles_across * TILE, top = tile / round->tiles_across * TILE;
    for (int y = top; y < top + TILE && y < film->height; ++y) {
        for (int x = left; x < left + TILE && x < film->width; ++x) {
            uint8_t wanted = film->wanted[(size_t)y * (size_t)film->width + (size_t)x];
            if (wanted != WANTS_NOTHING) {
                sample_pixel(round, x, y, wanted == WANTS_LIGHT);
            }
        }
    }
}

static void sample_tiles(void* context, int begin, int end, int worker)
{
    film_round* round = context;
    const dr_exposure* exposure = round->exposure;
    (void)begin, (void)end;
    for (int tile; (tile = atomic_fetch_add(&round->next, 1)) < round->tile_count;) {
        sample_tile(round, tile);
        if (worker == 0 && exposure->progress != NULL) {
            float share = (float)(tile + 1) / (float)round->tile_count;
            exposure->progress(exposure->progress_user, round->begin + round->size * share);
        }
    }
}

// --- Doubt ---

// About how bright light looks.
static float brightness(drape_vec3 light)
{
    return sqrtf(0.21f * light.x + 0.72f * light.y + 0.07f * light.z);
}

// What falls on a surface is the light it sends over its colour, where it has one.
static drape_vec3 over(drape_vec3 light, drape_vec3 color)
{
    return (drape_vec3){light.x / fmaxf(color.x, LEAST_COLOR),
                        light.y / fmaxf(color.y, LEAST_COLOR),
                        light.z / fmaxf(color.z, LEAST_COLOR)};
}

static drape_vec3 times(drape_vec3 light, drape_vec3 color)
{
    return (drape_vec3){light.x * fmaxf(color.x, LEAST_COLOR),
                        light.y * fmaxf(color.y, LEAST_COLOR),
                        light.z * fmaxf(color.z, LEAST_COLOR)};
}

// Means of the samples of a pixel, and of their halves.
typedef struct film_means {
    drape_vec3 light, light_half[2]; // that falls on surfaces
    drape_vec3 color, color_half[2];
    drape_vec3 normal, place;
} film_means;

static drape_vec3 mean_of(const drape_vec3 sums[2], int count)
{
    return dr_scale(dr_add(sums[0], sums[1]), count > 0 ? 1.0f / (float)count : 0.0f);
}

// Half 0 has the even samples of `count`, of which there may be one more.
static drape_vec3 half_of(const drape_vec3 sums[2], int half, int count)
{
    int part = (count + 1 - half) / 2;
    return part > 0 ? dr_scale(sums[half], 1.0f / (float)part) : mean_of(sums, count);
}

static film_means means_of(const dr_film_pixel* pixel)
{
    int lit = pixel->lit_count, all = pixel->count;
    float share = lit > 0 ? 1.0f / (float)lit : 0.0f;
    film_means means = {
        .light = over(mean_of(pixel->light, lit), mean_of(pixel->lit, lit)),
        .color = mean_of(pixel->color, all),
        .normal = dr_scale(pixel->normal, share),
        .place = dr_scale(pixel->place, share),
    };
    for (int i = 0; i < 2; ++i) {
        means.light_half[i] = over(half_of(pixel->light, i, lit), half_of(pixel->lit, i, lit));
        means.color_half[i] = half_of(pixel->color, i, all);
    }
    return means;
}

// How far apart two lights look, over what is let pass; of a mean that is half as far off.
static float apart(drape_vec3 a, drape_vec3 b, float passes)
{
    return 0.5f * fabsf(brightness(a) - brightness(b)) / passes;
}

// At an edge light and colour go together; on one surface each is looked at alone. The last rounds
// are for edges only.
static void doubt_pixel(const dr_film_pixel* pixel, float tolerance, bool is_late, float doubt[2])
{
    film_means means = means_of(pixel);
    const drape_vec3 *light = means.light_half, *color = means.color_half;
    float length = dr_dot(means.normal, means.normal);
    if (length > 0.0f && length < DR_GRAIN_EDGE) {
        doubt[0] = apart(times(light[0], color[0]), times(light[1], color[1]), tolerance);
        doubt[1] = 0.0f;
        return;
    }
    drape_vec3 all = means.color, mean = means.light;
    doubt[0] = apart(times(light[0], all), times(light[1], all), GRAIN_PASSES * tolerance);
    doubt[1] = apart(times(mean, color[0]), times(mean, color[1]), COLOR_PASSES * tolerance);
    if (is_late) {
        doubt[0] = doubt[1] = 0.0f;
    }
}

static void doubt_rows(void* context, int begin, int end, int worker)
{
    const film_round* round = context;
    const dr_film* film = round->film;
    bool is_late = round->sample_count >= round->exposure->sample_count;
    (void)worker;
    for (int y = begin; y < end; ++y) {
        for (int x = 0; x < film->width; ++x) {
            doubt_pixel(pixel_at(film, x, y), round->exposure->tolerance, is_late,
                        film->doubt[(size_t)y * (size_t)film->width + (size_t)x]);
        }
    }
}

// One pixel may happen to be sure of itself: the mean of all around it counts.
static uint8_t want_of(const dr_film* film, int x, int y)
{
    float light = 0.0f, color = 0.0f;
    int count = 0;
    for (int ny = y - 1; ny <= y + 1; ++ny) {
        for (int nx = x - 1; ny >= 0 && ny < film->height && nx <= x + 1; ++nx) {
            if (nx >= 0 && nx < film->width) {
                const float* doubt = film->doubt[(size_t)ny * (size_t)film->width + (size_t)nx];
                light += doubt[0];
                color += doubt[1];
                ++count;
            }
        }
    }
    return light > (float)count ? WANTS_LIGHT : color > (float)count ? WANTS_COLOR : WANTS_NOTHING;
}

static void want_rows(void* context, int begin, int end, int worker)
{
    const film_round* round = context;
    const dr_film* film = round->film;
    (void)worker;
    for (int y = begin; y < end; ++y) {
        for (int x = 0; x < film->width; ++x) {
            film->wanted[(size_t)y * (size_t)film->width + (size_t)x] = want_of(film, x, y);
        }
    }
}

// Samples after the next round: doubled, but not past the number asked for, or, from there on, past
// what edges may have.
static int next_target(const dr_exposure* exposure, int done)
{
    int most = exposure->sample_count;
    if (exposure->tolerance <= 0.0f) {
        return most;
    }
    int target = done > 0 ? 2 * done : FIRST_ROUND;
    return done < most && target > most ? most : target;
}

static int most_samples(const dr_exposure* exposure)
{
    int most = exposure->sample_count;
    bool has_more = exposure->tolerance > 0.0f && EDGE_TIMES * most <= EDGE_SAMPLES;
    return has_more ? EDGE_TIMES * most : most;
}

void dr_film_expose(dr_film* film, dr_pool* pool, const dr_exposure* exposure)
{
    size_t count = (size_t)film->width * (size_t)film->height;
    memset(film->pixels, 0, count * sizeof *film->pixels);
    memset(film->wanted, WANTS_LIGHT, count);
    int across = (film->width + TILE - 1) / TILE, down = (film->height + TILE - 1) / TILE;
    int most = most_samples(exposure);
    for (int done = 0, target; done < most; done = target) {
        target = next_target(exposure, done);
        target = target < most ? target : most;
        film_round round = {
            .film = film,
            .exposure = exposure,
            .tiles_across = across,
            .tile_count = across * down,
            .sample_count = target,
            .begin = (float)done / (float)most,
            .size = (float)(target - done) / (float)most,
        };
        atomic_init(&round.next, 0);
        dr_parallel_for(pool, dr_pool_worker_count(pool), 1, sample_tiles, &round);
        if (target < most) {
            dr_parallel_for(pool, film->height, 8, doubt_rows, &round);
            dr_parallel_for(pool, film->height, 8, want_rows, &round);
        }
    }
}

// --- Developing ---

drape_vec3 dr_film_light(const dr_film* film, int x, int y)
{
    film_means means = means_of(pixel_at(film, x, y));
    return times(means.light, means.color);
}

static dr_grain_pixel grain_of(const dr_film* film, const dr_camera* camera, int x, int y)
{
    const dr_film_pixel* pixel = pixel_at(film, x, y);
    film_means means = means_of(pixel);
    drape_vec3 a = means.light_half[0], b = means.light_half[1];
    float off = 0.21f * (a.x - b.x) + 0.72f * (a.y - b.y) + 0.07f * (a.z - b.z);
    float depth = dr_dot(dr_sub(means.place, camera->eye), camera->forward);
    return (dr_grain_pixel){
        .light = means.light,
        .variance = 0.25f * off * off,
        .samples = (float)pixel->lit_count,
        .normal = means.normal,
        .place = means.place,
        .reach = 2.0f * camera->slope_y * fmaxf(depth, 0.0f) / (float)film->height,
    };
}

// A soft foot, a straight middle, a shoulder that reaches white late (after Narkowicz 2015).
static float film_curve(float x)
{
    return x * (2.51f * x + 0.03f) / (x * (2.43f * x + 0.59f) + 0.14f);
}

// Smooth backdrops would show steps of one byte: each pixel is rounded by a threshold of its own
// (Jimenez 2014: interleaved gradient noise).
static uint8_t round_dithered(float value, int x, int y)
{
    float place = 0.06711056f * (float)x + 0.00583715f * (float)y;
    float noise = 52.9829189f * (place - floorf(place));
    float byte = 255.0f * dr_srgb_of(value) + (noise - floorf(noise));
    return (uint8_t)fminf(byte, 255.0f);
}

typedef struct developing {
    const dr_film* film;
    const dr_camera* camera;
    dr_grain_pixel* grains; // null: as it is
    uint8_t* pixels;
} developing;

static void grain_rows(void* context, int begin, int end, int worker)
{
    const developing* work = context;
    int width = work->film->width;
    (void)worker;
    for (int y = begin; y < end; ++y) {
        for (int x = 0; x < width; ++x) {
            work->grains[(size_t)y * (size_t)width + (size_t)x] =
                grain_of(work->film, work->camera, x, y);
        }
    }
}

static void develop_rows(void* context, int begin, int end, int worker)
{
    const developing* work = context;
    int width = work->film->width;
    (void)worker;
    for (int y = begin; y < end; ++y) {
        for (int x = 0; x < width; ++x) {
            size_t place = (size_t)y * (size_t)width + (size_t)x;
            film_means means = means_of(&work->film->pixels[place]);
            drape_vec3 light = work->grains != NULL ? work->grains[place].light : means.light;
            light = times(light, means.color);
            work->pixels[3 * place] = round_dithered(film_curve(light.x), x, y);
            work->pixels[3 * place + 1] = round_dithered(film_curve(light.y), x, y);
            work->pixels[3 * place + 2] = round_dithered(film_curve(light.z), x, y);
        }
    }
}

void dr_film_develop(const dr_film* film, dr_pool* pool, const dr_camera* camera, uint8_t* pixels)
{
    size_t count = (size_t)film->width * (size_t)film->height;
    developing work = {film, camera, dr_new(film->memory, dr_grain_pixel, count), pixels};
    if (work.grains != NULL) {
        dr_parallel_for(pool, film->height, 8, grain_rows, &work);
        dr_grain_remove(film->memory, pool, work.grains, film->width, film->height);
    }
    dr_parallel_for(pool, film->height, 8, develop_rows, &work);
    dr_delete(film->memory, work.grains, count);
}

int64_t dr_film_sample_count(const dr_film* film)
{
    int64_t sum = 0;
    for (size_t i = 0; i < (size_t)film->width * (size_t)film->height; ++i) {
        sum += film->pixels[i].lit_count;
    }
    return sum;
}
