// io/cache.h: point caches, positions of the same vertices frame after frame.
//
// Frames are written as they come; how many there will be is known only at the end, when the format
// completes its header (`finish`). cache.c is the public side and the rows of positions, pc2.c and
// mdd.c are the headers. A cache without frames is neither written nor read, nor is one with a
// position that is not finite.
#ifndef DR_CACHE_H
#define DR_CACHE_H

#include "io/file.h"

// Rate of a cache that does not say.
#define DR_CACHE_DEFAULT_FPS 30.0f

// One of the formats.
typedef struct dr_cache_format {
    const char* ending; // of its files
    bool is_big_endian;
    void (*begin)(dr_output* out, int vertex_count);
    // Completes the header; false, with a sentence, when memory is short.
    bool (*finish)(dr_output* out, int frame_count, float fps, drape_error* error);
} dr_cache_format;

// "FILE: byte N: ..."; always false.
bool dr_cache_fail(const char* name, size_t byte, drape_error* error, const char* format, ...)
    __attribute__((format(printf, 4, 5)));
// Checks the counts of a header against each other and the size of the file: positions start at
// byte `start` of `size`. `counts_at` is the byte that sentences about counts name.
bool dr_cache_check_counts(int64_t vertex_count, int64_t frame_count, size_t counts_at,
                           size_t start, size_t size, const char* name, drape_error* error);
// Allocates and fills the positions of a cache whose counts were checked.
bool dr_cache_load(drape_cache_data* cache, const char* data, size_t start, bool is_big_endian,
                   const char* name, drape_error* error);

#endif
