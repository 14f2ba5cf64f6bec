// io/bytes.h: numbers in files of either byte order, on machines of either byte order.
#ifndef DR_BYTES_H
#define DR_BYTES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static inline uint16_t dr_load_u16(const unsigned char* at, bool big_endian)
{
    return (uint16_t)(big_endian ? at[0] << 8 | at[1] : at[1] << 8 | at[0]);
}

static inline uint32_t dr_load_u32(const unsigned char* at, bool big_endian)
{
    uint32_t little = at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
    uint32_t big = at[3] | (uint32_t)at[2] << 8 | (uint32_t)at[1] << 16 | (uint32_t)at[0] << 24;
    return big_endian ? big : little;
}

static inline int32_t dr_load_i32(const unsigned char* at, bool big_endian)
{
    return (int32_t)dr_load_u32(at, big_endian);
}

static inline float dr_load_float(const unsigned char* at, bool big_endian)
{
    uint32_t bits = dr_load_u32(at, big_endian);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline double dr_load_double(const unsigned char* at, bool big_endian)
{
    uint64_t first = dr_load_u32(at, big_endian);
    uint64_t second = dr_load_u32(at + 4, big_endian);
    uint64_t bits = big_endian ? first << 32 | second : second << 32 | first;
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

// The stores return the place behind what they wrote.
static inline unsigned char* dr_store_u32(unsigned char* at, uint32_t value, bool big_endian)
{
    for (int k = 0; k < 4; ++k) {
        at[k] = (unsigned char)(value >> (big_endian ? 24 - 8 * k : 8 * k));
    }
    return at + 4;
}

static inline unsigned char* dr_store_float(unsigned char* at, float value, bool big_endian)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return dr_store_u32(at, bits, big_endian);
}

#endif
