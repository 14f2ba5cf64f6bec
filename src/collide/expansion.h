// collide/expansion.h: exact sums and products of doubles.
//
// A number is kept as a sum of doubles that do not overlap, an *expansion*: smallest first, none of
// them zero, so that the last one has the sign of the whole and the number zero has no parts at
// all. Sums and products of expansions are again expansions, and nothing is rounded away.
// (Dekker 1971; Priest 1991; Shewchuk 1997, "Adaptive precision floating-point arithmetic and fast
// robust geometric predicates", theorems 13 and 19: with rounding to nearest even both operations
// keep the parts strongly nonoverlapping, which is what they ask of their input.)
//
//     dr_expansion_sum        a + b      at most   a_count + b_count parts
//     dr_expansion_scale      a * s      at most   2 a_count parts
//     dr_expansion_product    a * b      at most   2 a_count b_count parts
//
// The caller gives the memory, nothing is allocated; each function says how much room it needs.
// Zeros are dropped, so sums of small integers or of floats stay much shorter than the room. A
// single double x != 0 is an expansion of one part as it is; use dr_expansion_of where x may be 0.
//
// What can go wrong is the range of doubles. Everything here is exact as long as
//
// - nothing reaches 2^990: the splitting of a product needs the room above,
// - nothing has bits below 2^-1074: if every input of a polynomial of degree d is a multiple of
//   2^k, all terms are multiples of 2^(kd), so kd >= -1074 is enough.
//
// Values that come from floats satisfy both up to degree 7 (128 * 7 = 896, -149 * 7 = -1043), with
// room for coefficients and long sums. For other doubles dr_exact_shift finds the power of two to
// multiply with, or says that there is none; then the numbers go to collide/wide.h.
#ifndef DR_EXPANSION_H
#define DR_EXPANSION_H

#include <float.h>
#include <stdbool.h>

#if FLT_EVAL_METHOD != 0
#    error "expansions need every double operation to be rounded to double at once"
#endif

// high + low exactly; high is the rounded result.
typedef struct dr_two {
    double high, low;
} dr_two;

// a + b (Knuth).
static inline dr_two dr_two_sum(double a, double b)
{
    double sum = a + b;
    double b_part = sum - a;
    double a_part = sum - b_part;
    return (dr_two){sum, (a - a_part) + (b - b_part)};
}

// a + b where |a| >= |b| or a = 0 (Dekker).
static inline dr_two dr_fast_two_sum(double a, double b)
{
    double sum = a + b;
    return (dr_two){sum, b - (sum - a)};
}

// a - b.
static inline dr_two dr_two_difference(double a, double b)
{
    return dr_two_sum(a, -b);
}

// Upper and lower 26 bits; |a| < 2^996.
static inline dr_two dr_split(double a)
{
    double shifted = 134217729.0 * a; // 2^27 + 1
    double high = shifted - (shifted - a);
    return (dr_two){high, a - high};
}

// a * b, with b already split. fma() would do, but where there is no hardware for it it is slow.
static inline dr_two dr_two_product_split(double a, double b, dr_two b_split)
{
    double product = a * b;
    dr_two s = dr_split(a);
    double error = product - s.high * b_split.high;
    error -= s.low * b_split.high;
    error -= s.high * b_split.low;
    return (dr_two){product, s.low * b_split.low - error};
}

// a * b.
static inline dr_two dr_two_product(double a, double b)
{
    return dr_two_product_split(a, b, dr_split(b));
}

// Doubles that dr_expansion_product needs for its result; the result itself is shorter by the last
// 2 a_count.
#define DR_PRODUCT_ROOM(a_count, b_count) (2 * (a_count) * ((b_count) + 1))

// Each function returns the number of parts it wrote, 0 when the number is zero.

// One double; `out` has room for 1.
int dr_expansion_of(double value, double* out);
// The two parts of an exact sum or product; `out` has room for 2.
int dr_expansion_of_two(dr_two value, double* out);
// a + b; `out` has room for a_count + b_count and does not overlap the others.
int dr_expansion_sum(int a_count, const double* a, int b_count, const double* b, double* out);
// e += b in place; `e` has room for count + b_count and does not overlap b.
int dr_expansion_add(int count, double* e, int b_count, const double* b);
// a * s; `out` has room for 2 a_count and does not overlap a.
int dr_expansion_scale(int count, const double* a, double s, double* out);
// a * b; `out` has room for DR_PRODUCT_ROOM(a_count, b_count) and does not overlap the others.
// Quicker when b is the shorter one.
int dr_expansion_product(int a_count, const double* a, int b_count, const double* b, double* out);
// e = -e.
void dr_expansion_negate(int count, double* e);

// -1, 0 or 1.
static inline int dr_expansion_sign(int count, const double* e)
{
    return count == 0 ? 0 : e[count - 1] > 0.0 ? 1 : -1;
}

// About the value, relative error below 2^-50.
double dr_expansion_estimate(int count, const double* e);

// A power of two by which all values can be multiplied so that polynomials of the given degree in
// them are exact here. Taken into account are sums: up to 2^20 terms, each with differences of
// values for factors. False when a value is not finite or the range of exponents is too wide: more
// than 680 bits from the highest to the lowest at degree 3, 1021 at degree 2. `shift` goes into
// ldexp; it is 0 whenever 0 will do, as it always does for floats up to degree 7.
bool dr_exact_shift(int count, const double* values, int degree, int* shift);

#endif
