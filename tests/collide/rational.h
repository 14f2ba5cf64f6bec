// rational.h: the slow second opinion, in the integers and rationals of GMP.
//
// Every finite double is an integer multiple of 2^-1074, so signs of polynomials need integers
// only. GMP is for tests and fuzzers; the library never sees it.
#ifndef TEST_RATIONAL_H
#define TEST_RATIONAL_H

#include <gmp.h>
#include <math.h>

// value / 2^unit, which must be an integer.
static inline void integer_of_units(mpz_t out, double value, int unit)
{
    int exponent;
    double mantissa = frexp(value, &exponent);
    mpz_set_d(out, ldexp(mantissa, 53));
    exponent -= 53 + unit;
    // Then the mantissa ends in zeros, and nothing is lost.
    if (exponent >= 0) {
        mpz_mul_2exp(out, out, (mp_bitcnt_t)exponent);
    } else {
        mpz_tdiv_q_2exp(out, out, (mp_bitcnt_t)-exponent);
    }
}

// value * 2^1074.
static inline void integer_of(mpz_t out, double value)
{
    integer_of_units(out, value, -1074);
}

// The exponent of a unit that all coordinates are multiples of.
static inline int common_unit(const double* const* points, int count, int dimension)
{
    int unit = 1024;
    for (int i = 0; i < count; ++i) {
        for (int k = 0; k < dimension; ++k) {
            int exponent;
            frexp(points[i][k], &exponent);
            unit = points[i][k] != 0.0 && exponent - 53 < unit ? exponent - 53 : unit;
        }
    }
    return unit < -1074 ? -1074 : unit;
}

// out = a - b, both doubles, in units of 2^unit.
static inline void integer_difference(mpz_t out, double a, double b, int unit)
{
    mpz_t other;
    mpz_init(other);
    integer_of_units(out, a, unit);
    integer_of_units(other, b, unit);
    mpz_sub(out, out, other);
    mpz_clear(other);
}

// The determinant of three rows.
static inline void integer_determinant(mpz_t out, mpz_t rows[3][3])
{
    mpz_t minor;
    mpz_init(minor);
    mpz_set_ui(out, 0);
    for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        mpz_mul(minor, rows[1][j], rows[2][k]);
        mpz_submul(minor, rows[1][k], rows[2][j]);
        mpz_addmul(out, rows[0][i], minor);
    }
    mpz_clear(minor);
}

// What dr_orient2d(a, b, c) must be.
static inline int rational_orient2d(const double* a, const double* b, const double* c)
{
    const double* points[3] = {a, b, c};
    int unit = common_unit(points, 3, 2);
    mpz_t u[2], v[2];
    for (int i = 0; i < 2; ++i) {
        mpz_inits(u[i], v[i], NULL);
        integer_difference(u[i], b[i], a[i], unit);
        integer_difference(v[i], c[i], a[i], unit);
    }
    mpz_mul(u[0], u[0], v[1]);
    mpz_submul(u[0], u[1], v[0]);
    int sign = mpz_sgn(u[0]);
    for (int i = 0; i < 2; ++i) {
        mpz_clears(u[i], v[i], NULL);
    }
    return sign;
}

// What dr_orient3d(a, b, c, d) must be.
static inline int rational_orient3d(const double* a, const double* b, const double* c,
                                    const double* d)
{
    const double* points[4] = {a, b, c, d};
    int unit = common_unit(points, 4, 3);
    mpz_t rows[3][3], determinant;
    mpz_init(determinant);
    for (int i = 0; i < 9; ++i) {
        mpz_init(rows[i / 3][i % 3]);
        integer_difference(rows[i / 3][i % 3], points[i / 3 + 1][i % 3], a[i % 3], unit);
    }
    integer_determinant(determinant, rows);
    int sign = mpz_sgn(determinant);
    for (int i = 0; i < 9; ++i) {
        mpz_clear(rows[i / 3][i % 3]);
    }
    mpz_clear(determinant);
    return sign;
}

#endif
