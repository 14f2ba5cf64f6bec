// collide/wide.h: exact sums of products of up to three doubles, whatever their size.
//
// The last resort behind collide/expansion.h: a fixed-point number long enough for the product of
// the three smallest doubles (2^-3222) and for sums of products of the three largest (2^3072), as
// 32-bit digits in 64-bit boxes. Boxes collect digits of either sign and carry only when the sign
// is asked for, so up to 2^30 products may be added. Never wrong, and slow: about a microsecond.
#ifndef DR_WIDE_H
#define DR_WIDE_H

#include <stdint.h>

enum { DR_WIDE_DIGITS = 200 };

typedef struct dr_wide {
    int64_t digits[DR_WIDE_DIGITS]; // least first, in units of 2^-3222
} dr_wide;

void dr_wide_clear(dr_wide* sum);
// sum += a * b * c; all of them finite.
void dr_wide_add(dr_wide* sum, double a, double b, double c);
// -1, 0 or 1.
int dr_wide_sign(const dr_wide* sum);

#endif
