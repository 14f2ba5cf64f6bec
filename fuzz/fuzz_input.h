// fuzz_input.h: numbers out of the bytes that the fuzzer gives.
//
// Any double may come, but doubles drawn from raw bytes never lie in one plane. So coordinates come
// in several ways, and one byte of the input says which. When the bytes run out there are zeros.
#ifndef FUZZ_INPUT_H
#define FUZZ_INPUT_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct fuzz_input {
    const uint8_t* bytes;
    size_t left;
} fuzz_input;

typedef enum fuzz_way {
    FUZZ_RAW,    // the bits of any finite number
    FUZZ_GRID,   // whole numbers from -8 to 7
    FUZZ_NUDGED, // those, a few units in the last place off
    FUZZ_SCALED, // small whole numbers times any power of two, each its own
    fuzz_way_count
} fuzz_way;

static inline uint8_t fuzz_byte(fuzz_input* in)
{
    if (in->left == 0) {
        return 0;
    }
    --in->left;
    return *in->bytes++;
}

static inline uint64_t fuzz_bits(fuzz_input* in, int bytes)
{
    uint64_t bits = 0;
    for (int i = 0; i < bytes; ++i) {
        bits = bits << 8 | fuzz_byte(in);
    }
    return bits;
}

// Infinities and NaN lose the last bit of their exponent.
static inline double fuzz_raw_double(fuzz_input* in)
{
    uint64_t bits = fuzz_bits(in, 8);
    bits &= (bits >> 52 & 0x7ff) == 0x7ff ? ~(1ull << 52) : ~0ull;
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline float fuzz_raw_float(fuzz_input* in)
{
    uint32_t bits = (uint32_t)fuzz_bits(in, 4);
    bits &= (bits >> 23 & 0xff) == 0xff ? ~(1u << 23) : ~0u;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline double fuzz_double(fuzz_input* in, fuzz_way way)
{
    if (way == FUZZ_RAW) {
        return fuzz_raw_double(in);
    }
    uint8_t byte = fuzz_byte(in);
    double value = (byte & 15) - 8;
    int steps = byte >> 4;
    for (int i = 0; way == FUZZ_NUDGED && i < steps / 2; ++i) {
        value = nextafter(value, steps % 2 ? INFINITY : -INFINITY);
    }
    return way == FUZZ_SCALED ? ldexp(value, (int)(fuzz_bits(in, 2) % 2095) - 1074) : value;
}

static inline float fuzz_float(fuzz_input* in, fuzz_way way)
{
    if (way == FUZZ_RAW) {
        return fuzz_raw_float(in);
    }
    uint8_t byte = fuzz_byte(in);
    float value = (float)(byte & 15) - 8.0f;
    int steps = byte >> 4;
    for (int i = 0; way == FUZZ_NUDGED && i < steps / 2; ++i) {
        value = nextafterf(value, steps % 2 ? INFINITY : -INFINITY);
    }
    return way == FUZZ_SCALED ? ldexpf(value, fuzz_byte(in) * 273 / 255 - 149) : value;
}

// Stops here, so that the input is kept.
static inline void fuzz_require(int condition, const char* what)
{
    if (!condition) {
        fprintf(stderr, "wrong: %s\n", what);
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t count);

#endif
