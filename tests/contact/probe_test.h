// probe_test.h: the laboratory of slide_test.h with contact/ray.h or contact/filter.h in the place
// of contact/slide.h.
#ifndef PROBE_TEST_H
#define PROBE_TEST_H

#include "contact/filter.h"
#include "contact/ray.h"
#include "slide_test.h"

typedef bool begin_fn(void* response, dr_memory* memory, dr_pool* pool, const dr_sheets* sheets,
                      const dr_slide_obstacle* obstacles, int obstacle_count);
typedef bool detect_fn(void* response, dr_memory* memory, dr_pool* pool, const dr_sheets* sheets,
                       const dr_slide_obstacle* obstacles, int obstacle_count, dr_limits* limits,
                       dr_slide_result* result);

static inline bool begin_ray(void* response, dr_memory* memory, dr_pool* pool,
                             const dr_sheets* sheets, const dr_slide_obstacle* obstacles, int count)
{
    return dr_ray_begin(response, memory, pool, sheets, obstacles, count);
}

static inline bool detect_ray(void* response, dr_memory* memory, dr_pool* pool,
                              const dr_sheets* sheets, const dr_slide_obstacle* obstacles,
                              int count, dr_limits* limits, dr_slide_result* result)
{
    return dr_ray_detect(response, memory, pool, sheets, obstacles, count, limits, result);
}

static inline bool begin_filter(void* response, dr_memory* memory, dr_pool* pool,
                                const dr_sheets* sheets, const dr_slide_obstacle* obstacles,
                                int count)
{
    return dr_filter_begin(response, memory, pool, sheets, obstacles, count);
}

static inline bool detect_filter(void* response, dr_memory* memory, dr_pool* pool,
                                 const dr_sheets* sheets, const dr_slide_obstacle* obstacles,
                                 int count, dr_limits* limits, dr_slide_result* result)
{
    return dr_filter_detect(response, memory, pool, sheets, obstacles, count, limits, result);
}

// Either response.
typedef struct response {
    void* data;
    begin_fn* begin;
    detect_fn* detect;
} response;

// Runs until clean; returns how many it took. Obstacle poses are those of the step.
static inline int response_try_step(lab* at, const response* with)
{
    int run = 0;
    dr_limits_clear(&at->limits);
    ck_assert(with->begin(with->data, &at->memory, at->pool, &at->sheets, at->obstacles,
                          at->obstacle_count));
    at->last.is_clean = false;
    while (!at->last.is_clean) {
        ck_assert_int_lt(run, MOST_RUNS);
        lab_solve(at);
        ck_assert(with->detect(with->data, &at->memory, at->pool, &at->sheets, at->obstacles,
                               at->obstacle_count, &at->limits, &at->last));
        at->frozen += at->last.frozen_count;
        at->planes += at->last.plane_count;
        ++run;
    }
    at->most_runs = run > at->most_runs ? run : at->most_runs;
    at->runs += run;
    ++at->steps;
    return run;
}

// One vertex goes from x to q; the others stay far off.
static inline void send_vertex(lab* at, drape_vec3 x, drape_vec3 q)
{
    for (int v = 0; v < at->sheets.vertex_count; ++v) {
        at->sheets.start[v] = at->sheets.end[v] = (drape_vec3){3.0f, 3.0f, (float)v};
    }
    at->sheets.start[0] = x;
    at->sheets.end[0] = q;
}

// Where the limits leave that vertex after detections without end; in doubles.
static inline void respond(lab* at, const response* with, double y[3])
{
    drape_vec3 q = at->sheets.end[0];
    dr_limits_clear(&at->limits);
    ck_assert(with->begin(with->data, &at->memory, at->pool, &at->sheets, at->obstacles,
                          at->obstacle_count));
    for (int run = 0; run < 8; ++run) {
        ck_assert(with->detect(with->data, &at->memory, at->pool, &at->sheets, at->obstacles,
                               at->obstacle_count, &at->limits, &at->last));
        y[0] = q.x;
        y[1] = q.y;
        y[2] = q.z;
        dr_limits_project(&at->limits, 0, y);
        at->sheets.end[0] = to_floats(y);
        if (at->last.is_clean) {
            return;
        }
    }
    ck_abort_msg("never clean");
}

// Number i of a stream, each coordinate within `size`.
static inline drape_vec3 any(uint32_t seed, int i, float size)
{
    uint32_t k = (uint32_t)i * 3;
    return (drape_vec3){size * dr_random_signed(seed, k), size * dr_random_signed(seed, k + 1),
                        size * dr_random_signed(seed, k + 2)};
}

#endif
