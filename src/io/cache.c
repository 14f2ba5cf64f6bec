#include "io/cache.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/bytes.h"
#include "io/mdd.h"
#include "io/pc2.h"

// Bytes of one position.
#define POSITION_SIZE 12

struct drape_cache_writer {
    dr_output out;
    const dr_cache_format* format;
    int vertex_count;
    int frame_count; // so far
    float fps;
};

// --- Reading ---

bool dr_cache_fail(const char* name, size_t byte, drape_error* error, const char* format, ...)
{
    char sentence[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    dr_error_set(error, DRAPE_ERROR_INPUT, "%s: byte %zu: %s", name, byte, sentence);
    return false;
}

bool dr_cache_check_counts(int64_t vertex_count, int64_t frame_count, size_t counts_at,
                           size_t start, size_t size, const char* name, drape_error* error)
{
    if (vertex_count < 1 || frame_count < 1) {
        return dr_cache_fail(name, counts_at, error,
                             "expected at least one vertex and one frame, found %lld and %lld",
                             (long long)vertex_count, (long long)frame_count);
    }
    // Both counts have 31 bits: their product fits 64, its bytes may not.
    uint64_t wanted = (uint64_t)vertex_count * (uint64_t)frame_count;
    uint64_t there = size < start ? 0 : (size - start) / POSITION_SIZE;
    if (wanted > there) {
        return dr_cache_fail(name, counts_at, error,
                             "expected %lld frames of %lld vertices, found only %llu positions",
                             (long long)frame_count, (long long)vertex_count,
                             (unsigned long long)there);
    }
    return true;
}

static bool is_finite(drape_vec3 p)
{
    return isfinite(p.x) && isfinite(p.y) && isfinite(p.z);
}

bool dr_cache_load(drape_cache_data* cache, const char* data, size_t start, bool is_big_endian,
                   const char* name, drape_error* error)
{
    size_t count = (size_t)cache->vertex_count * (size_t)cache->frame_count;
    cache->positions = malloc(count * sizeof(drape_vec3));
    if (cache->positions == NULL) {
        dr_error_set_memory(error, name);
        return false;
    }
    const unsigned char* from = (const unsigned char*)data + start;
    for (size_t k = 0; k < count; ++k, from += POSITION_SIZE) {
        drape_vec3 p = {dr_load_float(from, is_big_endian), dr_load_float(from + 4, is_big_endian),
                        dr_load_float(from + 8, is_big_endian)};
        if (!is_finite(p)) {
            return dr_cache_fail(name, start + k * POSITION_SIZE, error,
                                 "expected vertex %zu of frame %zu to be finite",
                                 k % (size_t)cache->vertex_count, k / (size_t)cache->vertex_count);
        }
        cache->positions[k] = p;
    }
    return true;
}

bool drape_cache_read(const char* path, drape_cache_data* cache, drape_error* error)
{
    *cache = (drape_cache_data){0};
    dr_file file;
    if (!dr_file_read(path, &file, error)) {
        return false;
    }
    // MDD has no mark of its own, so there the name decides.
    bool is_read = false;
    if (dr_pc2_recognise(file.data, file.size) || dr_path_has_ending(path, ".pc2")) {
        is_read = dr_pc2_parse(file.data, file.size, path, cache, error);
    } else if (dr_path_has_ending(path, ".mdd")) {
        is_read = dr_mdd_parse(file.data, file.size, path, cache, error);
    } else {
        dr_error_set(error, DRAPE_ERROR_INPUT, "%s: expected a point cache, .pc2 or .mdd", path);
    }
    dr_file_free(&file);
    return is_read;
}

void drape_cache_data_free(drape_cache_data* cache)
{
    if (cache != NULL) {
        free(cache->positions);
        *cache = (drape_cache_data){0};
    }
}

// --- Writing ---

static const dr_cache_format* find_format(const char* path)
{
    const dr_cache_format* const formats[] = {&dr_pc2_format, &dr_mdd_format};
    for (size_t k = 0; k < sizeof formats / sizeof formats[0]; ++k) {
        if (dr_path_has_ending(path, formats[k]->ending)) {
            return formats[k];
        }
    }
    return NULL;
}

drape_cache_writer* drape_cache_open(const char* path, int vertex_count, float fps,
                                     drape_error* error)
{
    const dr_cache_format* format = find_format(path);
    if (format == NULL) {
        dr_error_set(error, DRAPE_ERROR_INPUT, "%s: expected a name that ends in .pc2 or .mdd",
                     path);
        return NULL;
    }
    if (vertex_count < 1 || !isfinite(fps) || !(fps > 0.0f)) {
        dr_error_set(error, DRAPE_ERROR_INPUT,
                     "%s: expected vertices and a rate above zero, found %d and %g", path,
                     vertex_count, (double)fps);
        return NULL;
    }
    drape_cache_writer* writer = malloc(sizeof *writer);
    if (writer == NULL) {
        dr_error_set_memory(error, path);
        return NULL;
    }
    *writer = (drape_cache_writer){.format = format, .vertex_count = vertex_count, .fps = fps};
    if (!dr_output_open(&writer->out, path, error)) {
        free(writer);
        return NULL;
    }
    format->begin(&writer->out, vertex_count);
    return writer;
}

static bool check_frame(const drape_cache_writer* writer, const drape_vec3* positions,
                        drape_error* error)
{
    for (int v = 0; v < writer->vertex_count; ++v) {
        if (!is_finite(positions[v])) {
            dr_error_set(error, DRAPE_ERROR_INPUT,
                         "%s: frame %d not written, vertex %d is not finite", writer->out.path,
                         writer->frame_count, v);
            return false;
        }
    }
    if (writer->frame_count == INT32_MAX) {
        dr_error_set(error, DRAPE_ERROR_INPUT, "%s: expected fewer frames than 32 bits can number",
                     writer->out.path);
        return false;
    }
    return true;
}

bool drape_cache_append(drape_cache_writer* writer, const drape_vec3* positions, drape_error* error)
{
    if (!check_frame(writer, positions, error)) {
        return false;
    }
    bool is_big_endian = writer->format->is_big_endian;
    for (int v = 0; v < writer->vertex_count; ++v) {
        unsigned char* at = (unsigned char*)dr_output_reserve(&writer->out, POSITION_SIZE);
        at = dr_store_float(at, positions[v].x, is_big_endian);
        at = dr_store_float(at, positions[v].y, is_big_endian);
        at = dr_store_float(at, positions[v].z, is_big_endian);
        dr_output_commit(&writer->out, (const char*)at);
    }
    ++writer->frame_count;
    return dr_output_check(&writer->out, error);
}

bool drape_cache_close(drape_cache_writer* writer, drape_error* error)
{
    bool is_finished = writer->frame_count > 0;
    if (is_finished) {
        is_finished = writer->format->finish(&writer->out, writer->frame_count, writer->fps, error);
    } else {
        dr_error_set(error, DRAPE_ERROR_INPUT, "%s: not written, it has no frames",
                     writer->out.path);
    }
    if (is_finished) {
        is_finished = dr_output_close(&writer->out, error);
    } else {
        dr_output_discard(&writer->out);
    }
    free(writer);
    return is_finished;
}

void drape_cache_discard(drape_cache_writer* writer)
{
    if (writer != NULL) {
        dr_output_discard(&writer->out);
        free(writer);
    }
}
