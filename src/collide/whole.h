// collide/whole.h: whole numbers of any size, in a small pool.
//
// Exact tests of high degree multiply a few dozen doubles with one another. A double is a whole
// number times a power of two; here are the sums and products of such whole numbers. They are
// values, limbs low first, and their limbs lie in the pool one behind the other:
//
//     pool   [ a | b | a b | ... | used ....... free ]
//
// Give `used` back its old value, and all numbers made since are forgotten. Nothing is allocated.
// When the pool runs full the results are zero and `is_full` stays set: what was computed since the
// pool was made is then worth nothing, and whoever made it has to ask.
#ifndef DR_WHOLE_H
#define DR_WHOLE_H

#include <stdbool.h>
#include <stdint.h>

// 32 bits each; 32 kB in all.
#define DR_WHOLE_ROOM 8192

typedef struct dr_whole {
    const uint32_t* limbs; // low first, the last one is not zero
    int count;
    int sign; // -1, 0, 1
} dr_whole;

typedef struct dr_whole_pool {
    int used;
    bool is_full;
    uint32_t limbs[DR_WHOLE_ROOM];
} dr_whole_pool;

static inline void dr_whole_pool_clear(dr_whole_pool* pool)
{
    pool->used = 0;
    pool->is_full = false;
}

static inline dr_whole dr_whole_zero(void)
{
    return (dr_whole){0};
}

static inline dr_whole dr_whole_negate(dr_whole a)
{
    return (dr_whole){a.limbs, a.count, -a.sign};
}

// The exponent of the lowest bit of a finite double that is not zero.
int dr_whole_low_bit(double value);
// value / 2^exponent for a finite double; `exponent` is at most that of its lowest bit.
dr_whole dr_whole_of(dr_whole_pool* pool, double value, int exponent);

dr_whole dr_whole_add(dr_whole_pool* pool, dr_whole a, dr_whole b);
dr_whole dr_whole_multiply(dr_whole_pool* pool, dr_whole a, dr_whole b);

static inline dr_whole dr_whole_subtract(dr_whole_pool* pool, dr_whole a, dr_whole b)
{
    return dr_whole_add(pool, a, dr_whole_negate(b));
}

// About a / 2^exponent, 0 or of a magnitude from 1/2 to 1; the error is below 2^-51 of it.
double dr_whole_round(dr_whole a, int* exponent);

#endif
