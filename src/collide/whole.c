#include "collide/whole.h"

#include <math.h>
#include <string.h>

#define LIMB_BITS 32

static uint32_t* take(dr_whole_pool* pool, int count)
{
    if (count > DR_WHOLE_ROOM - pool->used) {
        pool->is_full = true;
        return NULL;
    }
    uint32_t* limbs = pool->limbs + pool->used;
    pool->used += count;
    return limbs;
}

// The newest number of the pool, without zeros at its upper end.
static dr_whole finish(dr_whole_pool* pool, const uint32_t* limbs, int count, int sign)
{
    int kept = count;
    while (kept > 0 && limbs[kept - 1] == 0) {
        --kept;
    }
    pool->used -= count - kept;
    return (dr_whole){limbs, kept, kept > 0 ? sign : 0};
}

// The 53 bits of a finite double as a whole number, and the exponent of its last bit.
static uint64_t take_apart(double value, int* exponent)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    int biased = (int)(bits >> 52 & 0x7ff);
    uint64_t fraction = bits & 0xfffffffffffffull;
    *exponent = (biased > 0 ? biased : 1) - 1075;
    return biased > 0 ? fraction | 1ull << 52 : fraction;
}

int dr_whole_low_bit(double value)
{
    int exponent;
    uint64_t bits = take_apart(value, &exponent);
    while (bits != 0 && (bits & 1) == 0) {
        bits >>= 1;
        ++exponent;
    }
    return exponent;
}

dr_whole dr_whole_of(dr_whole_pool* pool, double value, int exponent)
{
    int own;
    uint64_t bits = take_apart(value, &own);
    if (bits == 0) {
        return dr_whole_zero();
    }
    // Bits below the wanted exponent are zero.
    if (own < exponent) {
        bits >>= exponent - own;
        own = exponent;
    }
    int skipped = (own - exponent) / LIMB_BITS, shift = (own - exponent) % LIMB_BITS;
    int count = skipped + 3;
    uint32_t* limbs = take(pool, count);
    if (limbs == NULL) {
        return dr_whole_zero();
    }
    memset(limbs, 0, (size_t)skipped * sizeof *limbs);
    limbs[skipped] = (uint32_t)(bits << shift);
    limbs[skipped + 1] = (uint32_t)(bits >> (LIMB_BITS - shift));
    limbs[skipped + 2] = (uint32_t)(bits >> LIMB_BITS >> (LIMB_BITS - shift));
    return finish(pool, limbs, count, value < 0.0 ? -1 : 1);
}

static int compare_sizes(dr_whole a, dr_whole b)
{
    if (a.count != b.count) {
        return a.count < b.count ? -1 : 1;
    }
    for (int k = a.count - 1; k >= 0; --k) {
        if (a.limbs[k] != b.limbs[k]) {
            return a.limbs[k] < b.limbs[k] ? -1 : 1;
        }
    }
    return 0;
}

// |a| + |b| where a is not the shorter one.
static dr_whole add_sizes(dr_whole_pool* pool, dr_whole a, dr_whole b, int sign)
{
    uint32_t* sum = take(pool, a.count + 1);
    if (sum == NULL) {
        return dr_whole_zero();
    }
    uint64_t carry = 0;
    for (int k = 0; k < a.count; ++k) {
        carry += (uint64_t)a.limbs[k] + (k < b.count ? b.limbs[k] : 0);
        sum[k] = (uint32_t)carry;
        carry >>= LIMB_BITS;
    }
    sum[a.count] = (uint32_t)carry;
    return finish(pool, sum, a.count + 1, sign);
}

// |a| - |b| where a is the larger one.
static dr_whole subtract_sizes(dr_whole_pool* pool, dr_whole a, dr_whole b, int sign)
{
    uint32_t* difference = take(pool, a.count);
    if (difference == NULL) {
        return dr_whole_zero();
    }
    uint64_t borrow = 0;
    for (int k = 0; k < a.count; ++k) {
        uint64_t d = (uint64_t)a.limbs[k] - (k < b.count ? b.limbs[k] : 0) - borrow;
        difference[k] = (uint32_t)d;
        borrow = d >> 63;
    }
    return finish(pool, difference, a.count, sign);
}

dr_whole dr_whole_add(dr_whole_pool* pool, dr_whole a, dr_whole b)
{
    if (a.sign == 0 || b.sign == 0) {
        return a.sign == 0 ? b : a;
    }
    if (a.sign == b.sign) {
        return a.count >= b.count ? add_sizes(pool, a, b, a.sign) : add_sizes(pool, b, a, a.sign);
    }
    int order = compare_sizes(a, b);
    if (order == 0) {
        return dr_whole_zero();
    }
    return order > 0 ? subtract_sizes(pool, a, b, a.sign) : subtract_sizes(pool, b, a, b.sign);
}

dr_whole dr_whole_multiply(dr_whole_pool* pool, dr_whole a, dr_whole b)
{
    int count = a.count + b.count;
    uint32_t* product = a.sign != 0 && b.sign != 0 ? take(pool, count) : NULL;
    if (product == NULL) {
        return dr_whole_zero();
    }
    memset(product, 0, (size_t)a.count * sizeof *product);
    for (int j = 0; j < b.count; ++j) {
        uint64_t carry = 0, factor = b.limbs[j];
        for (int i = 0; i < a.count; ++i) {
            carry += a.limbs[i] * factor + product[i + j];
            product[i + j] = (uint32_t)carry;
            carry >>= LIMB_BITS;
        }
        product[a.count + j] = (uint32_t)carry;
    }
    return finish(pool, product, count, a.sign * b.sign);
}

double dr_whole_round(dr_whole a, int* exponent)
{
    // The upper three limbs have 65 bits at least; what lies below is less than 2^-64 of them.
    double value = 0.0;
    int first = a.count > 3 ? a.count - 3 : 0;
    for (int k = a.count - 1; k >= first; --k) {
        value = value * 0x1p32 + a.limbs[k];
    }
    value = frexp(value, exponent);
    *exponent += LIMB_BITS * first;
    return a.sign < 0 ? -value : value;
}
