#define _POSIX_C_SOURCE 200809L // clock_gettime

#include "core/base.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

bool dr_assert_failed(const dr_host* host, const char* condition, const char* file, int line)
{
    if (host != NULL && host->on_assert != NULL) {
        return host->on_assert(host->assert_user, condition, file, line);
    }
    fprintf(stderr, "drape: assert failed: %s (%s:%d)\n", condition, file, line);
    return false;
}

_Noreturn void dr_abort(void)
{
    abort();
}

void dr_log(const dr_host* host, drape_log_level level, const char* format, ...)
{
    if (host == NULL || host->log == NULL) {
        return;
    }
    char sentence[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof(sentence), format, arguments);
    va_end(arguments);
    host->log(host->log_user, level, sentence);
}

double dr_now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

static uint64_t hash_byte(uint64_t hash, unsigned byte)
{
    return (hash ^ byte) * 0x100000001b3ull;
}

uint64_t dr_hash_bytes(uint64_t seed, const void* bytes, size_t count)
{
    const unsigned char* byte = bytes;
    uint64_t hash = seed;
    for (size_t i = 0; i < count; ++i) {
        hash = hash_byte(hash, byte[i]);
    }
    return hash;
}

uint64_t dr_hash_floats(uint64_t seed, const float* values, size_t count)
{
    uint64_t hash = seed;
    for (size_t i = 0; i < count; ++i) {
        uint32_t bits;
        memcpy(&bits, &values[i], sizeof(bits));
        for (int shift = 0; shift < 32; shift += 8) {
            hash = hash_byte(hash, bits >> shift & 0xff);
        }
    }
    return hash;
}
