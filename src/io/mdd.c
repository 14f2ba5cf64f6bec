#include "io/mdd.h"

#include <math.h>
#include <stdlib.h>

#include "io/bytes.h"

#define FRAMES_AT 0
#define VERTICES_AT 4
#define TIMES_AT 8

static float load_time(const char* data, int64_t frame)
{
    return dr_load_float((const unsigned char*)data + TIMES_AT + 4 * (size_t)frame, true);
}

// Times are rounded to floats, so a rate that is whole but for rounding is taken as whole.
static float rate_of_span(float first, float last, int64_t frame_count)
{
    double span = (double)last - (double)first;
    double rate = span > 0.0 ? (double)(frame_count - 1) / span : 0.0;
    double whole = floor(rate + 0.5);
    rate = fabs(rate - whole) < 1e-5 * whole ? whole : rate;
    return rate > 1e-6 && rate < 1e6 ? (float)rate : DR_CACHE_DEFAULT_FPS;
}

static bool parse_header(const char* data, size_t size, const char* name, drape_cache_data* cache,
                         drape_error* error)
{
    if (size < TIMES_AT) {
        return dr_cache_fail(name, size, error, "expected a header of 8 bytes, found the end");
    }
    int32_t frame_count = dr_load_i32((const unsigned char*)data + FRAMES_AT, true);
    int32_t vertex_count = dr_load_i32((const unsigned char*)data + VERTICES_AT, true);
    // A table that does not fit leaves no room for positions, and that is what is checked.
    uint64_t start = TIMES_AT + 4 * (uint64_t)(frame_count > 0 ? frame_count : 0);
    size_t in_file = start > size ? size : (size_t)start;
    if (!dr_cache_check_counts(vertex_count, frame_count, FRAMES_AT, in_file, size, name, error)) {
        return false;
    }
    for (int64_t frame = 0; frame < frame_count; ++frame) {
        if (!isfinite(load_time(data, frame))) {
            return dr_cache_fail(name, TIMES_AT + 4 * (size_t)frame, error,
                                 "expected the time of frame %lld to be finite", (long long)frame);
        }
    }
    float fps = rate_of_span(load_time(data, 0), load_time(data, frame_count - 1), frame_count);
    *cache =
        (drape_cache_data){.vertex_count = vertex_count, .frame_count = frame_count, .fps = fps};
    return true;
}

bool dr_mdd_parse(const char* data, size_t size, const char* name, drape_cache_data* cache,
                  drape_error* error)
{
    *cache = (drape_cache_data){0};
    bool is_read =
        parse_header(data, size, name, cache, error) &&
        dr_cache_load(cache, data, TIMES_AT + 4 * (size_t)cache->frame_count, true, name, error);
    if (!is_read) {
        drape_cache_data_free(cache);
    }
    return is_read;
}

static void begin(dr_output* out, int vertex_count)
{
    unsigned char header[TIMES_AT];
    unsigned char* at = dr_store_u32(header, 0, true);
    dr_store_u32(at, (uint32_t)vertex_count, true);
    dr_output_write(out, header, sizeof header);
}

static bool finish(dr_output* out, int frame_count, float fps, drape_error* error)
{
    size_t size = 4 * (size_t)frame_count;
    unsigned char* times = malloc(size);
    if (times == NULL) {
        dr_error_set_memory(error, out->path);
        return false;
    }
    unsigned char* at = times;
    for (int frame = 0; frame < frame_count; ++frame) {
        at = dr_store_float(at, (float)(frame / (double)fps), true);
    }
    unsigned char frames[4];
    dr_store_u32(frames, (uint32_t)frame_count, true);
    dr_output_patch(out, FRAMES_AT, frames, sizeof frames);
    dr_output_insert(out, TIMES_AT, times, size);
    free(times);
    return true;
}

const dr_cache_format dr_mdd_format = {".mdd", true, begin, finish};
