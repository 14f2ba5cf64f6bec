// core/double3.h: arithmetic on three doubles, where floats are not enough.
#ifndef DR_DOUBLE3_H
#define DR_DOUBLE3_H

static inline double dr_dot3(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// `out` is neither of the two.
static inline void dr_cross3(const double a[3], const double b[3], double out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static inline void dr_subtract3(const double a[3], const double b[3], double out[3])
{
    for (int c = 0; c < 3; ++c) {
        out[c] = a[c] - b[c];
    }
}

#endif
