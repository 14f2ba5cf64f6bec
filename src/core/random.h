// core/random.h: chance that can be repeated.
//
// A counter-based generator: number `counter` of the stream `seed` is a hash of the two, so there
// is no state, any number can be had in any order on any thread, and all machines agree. The hash
// is the finaliser of SplitMix64 (Steele, Lea, Flood 2014) on seed and counter as one 64-bit word.
// Good for noise and tests; not for secrets.
#ifndef DR_RANDOM_H
#define DR_RANDOM_H

#include <stdint.h>

// All 2^32 values.
static inline uint32_t dr_random_u32(uint32_t seed, uint32_t counter)
{
    uint64_t x = ((uint64_t)seed << 32 | counter) + 0x9e3779b97f4a7c15ull;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ x >> 27) * 0x94d049bb133111ebull;
    return (uint32_t)((x ^ x >> 31) >> 32);
}

// In [0, 1), in steps of 2^-24: every value is a float exactly.
static inline float dr_random_unit(uint32_t seed, uint32_t counter)
{
    return (float)(dr_random_u32(seed, counter) >> 8) * 0x1p-24f;
}

// In [-1, 1), in steps of 2^-23.
static inline float dr_random_signed(uint32_t seed, uint32_t counter)
{
    return 2.0f * dr_random_unit(seed, counter) - 1.0f;
}

#endif
