#include "io/pc2.h"

#include <math.h>
#include <string.h>

#include "io/bytes.h"

// With its zero, which is part of it.
static const char mark[12] = "POINTCACHE2";

#define VERSION_AT 12
#define VERTICES_AT 16
#define RATE_AT 24
#define SAMPLES_AT 28
#define HEADER_SIZE 32

bool dr_pc2_recognise(const char* data, size_t size)
{
    return size >= sizeof mark && memcmp(data, mark, sizeof mark) == 0;
}

static bool parse_header(const char* data, size_t size, const char* name, drape_cache_data* cache,
                         drape_error* error)
{
    const unsigned char* bytes = (const unsigned char*)data;
    if (!dr_pc2_recognise(data, size)) {
        return dr_cache_fail(name, 0, error, "expected the mark POINTCACHE2 of a PC2 file");
    }
    if (size < HEADER_SIZE) {
        return dr_cache_fail(name, size, error, "expected a header of 32 bytes, found the end");
    }
    int32_t version = dr_load_i32(bytes + VERSION_AT, false);
    if (version != 1) {
        return dr_cache_fail(name, VERSION_AT, error, "expected version 1, found %d", version);
    }
    float rate = dr_load_float(bytes + RATE_AT, false);
    float fps = DR_CACHE_DEFAULT_FPS / rate;
    if (!(fps > 0.0f) || !isfinite(fps)) {
        return dr_cache_fail(name, RATE_AT, error, "expected a sample rate above zero, found %g",
                             (double)rate);
    }
    int32_t vertex_count = dr_load_i32(bytes + VERTICES_AT, false);
    int32_t frame_count = dr_load_i32(bytes + SAMPLES_AT, false);
    *cache =
        (drape_cache_data){.vertex_count = vertex_count, .frame_count = frame_count, .fps = fps};
    return dr_cache_check_counts(vertex_count, frame_count, VERTICES_AT, HEADER_SIZE, size, name,
                                 error);
}

bool dr_pc2_parse(const char* data, size_t size, const char* name, drape_cache_data* cache,
                  drape_error* error)
{
    *cache = (drape_cache_data){0};
    bool is_read = parse_header(data, size, name, cache, error) &&
                   dr_cache_load(cache, data, HEADER_SIZE, false, name, error);
    if (!is_read) {
        drape_cache_data_free(cache);
    }
    return is_read;
}

static void begin(dr_output* out, int vertex_count)
{
    unsigned char header[HEADER_SIZE];
    memcpy(header, mark, sizeof mark);
    unsigned char* at = dr_store_u32(header + VERSION_AT, 1, false);
    at = dr_store_u32(at, (uint32_t)vertex_count, false);
    at = dr_store_float(at, 0.0f, false);
    at = dr_store_float(at, 1.0f, false);
    dr_store_u32(at, 0, false);
    dr_output_write(out, header, sizeof header);
}

static bool finish(dr_output* out, int frame_count, float fps, drape_error* error)
{
    (void)fps;
    (void)error;
    unsigned char samples[4];
    dr_store_u32(samples, (uint32_t)frame_count, false);
    dr_output_patch(out, SAMPLES_AT, samples, sizeof samples);
    return true;
}

const dr_cache_format dr_pc2_format = {".pc2", false, begin, finish};
