#include "exact_ccd.h"

#include <gmp.h>
#include <math.h>
#include <stdlib.h>

#include "rational.h"

#define MOST_COEFFICIENTS 5

typedef struct poly {
    mpz_t c[MOST_COEFFICIENTS];
    int degree; // -1: zero
    struct poly* next;
} poly;

// All polynomials of one question, freed together.
typedef struct work {
    poly* first;
} work;

// over / 2^shift
typedef struct binary {
    mpz_t over;
    mp_bitcnt_t shift;
} binary;

// A root of a polynomial without multiple roots: between low and high, neither of them a root, or
// low where they are equal.
typedef struct root {
    const poly* f;
    binary low, high;
} root;

// A polynomial without multiple roots, its derivative, and remainders with their signs turned.
typedef struct chain {
    const poly* p[MOST_COEFFICIENTS + 1];
    int count;
} chain;

typedef const poly* vector[3];

// --- Polynomials ---

static poly* poly_new(work* w)
{
    poly* p = malloc(sizeof *p);
    if (p == NULL) {
        abort();
    }
    for (int k = 0; k < MOST_COEFFICIENTS; ++k) {
        mpz_init(p->c[k]);
    }
    p->degree = -1;
    p->next = w->first;
    w->first = p;
    return p;
}

static void work_free(work* w)
{
    for (poly *p = w->first, *next; p != NULL; p = next) {
        next = p->next;
        for (int k = 0; k < MOST_COEFFICIENTS; ++k) {
            mpz_clear(p->c[k]);
        }
        free(p);
    }
}

static poly* settle(poly* p)
{
    p->degree = MOST_COEFFICIENTS - 1;
    while (p->degree >= 0 && mpz_sgn(p->c[p->degree]) == 0) {
        --p->degree;
    }
    return p;
}

// Without a common factor of the coefficients.
static poly* shorten(poly* p)
{
    mpz_t factor;
    mpz_init(factor);
    for (int k = 0; k < MOST_COEFFICIENTS; ++k) {
        mpz_gcd(factor, factor, p->c[k]);
    }
    for (int k = 0; k < MOST_COEFFICIENTS && mpz_sgn(factor) != 0; ++k) {
        mpz_divexact(p->c[k], p->c[k], factor);
    }
    mpz_clear(factor);
    return settle(p);
}

static const poly* subtract(work* w, const poly* a, const poly* b)
{
    poly* p = poly_new(w);
    for (int k = 0; k < MOST_COEFFICIENTS; ++k) {
        mpz_sub(p->c[k], a->c[k], b->c[k]);
    }
    return settle(p);
}

static const poly* add(work* w, const poly* a, const poly* b)
{
    poly* p = poly_new(w);
    for (int k = 0; k < MOST_COEFFICIENTS; ++k) {
        mpz_add(p->c[k], a->c[k], b->c[k]);
    }
    return settle(p);
}

static const poly* multiply(work* w, const poly* a, const poly* b)
{
    poly* p = poly_new(w);
    for (int i = 0; i <= a->degree; ++i) {
        for (int j = 0; j <= b->degree; ++j) {
            mpz_addmul(p->c[i + j], a->c[i], b->c[j]);
        }
    }
    return settle(p);
}

static const poly* derivative(work* w, const poly* a)
{
    poly* p = poly_new(w);
    for (int k = 1; k <= a->degree; ++k) {
        mpz_mul_ui(p->c[k - 1], a->c[k], (unsigned long)k);
    }
    return settle(p);
}

// Quotient and remainder up to positive factors; b is not zero.
static void divide(work* w, const poly* a, const poly* b, const poly** quotient,
                   const poly** remainder)
{
    poly *q = poly_new(w), *r = poly_new(w);
    mpz_t lead, top;
    mpz_inits(lead, top, NULL);
    mpz_abs(lead, b->c[b->degree]);
    for (int k = 0; k <= a->degree; ++k) {
        mpz_set(r->c[k], a->c[k]);
    }
    for (int k = a->degree - b->degree; k >= 0; --k) {
        mpz_mul_si(top, r->c[k + b->degree], mpz_sgn(b->c[b->degree]));
        for (int j = 0; j < MOST_COEFFICIENTS; ++j) {
            mpz_mul(q->c[j], q->c[j], lead);
            mpz_mul(r->c[j], r->c[j], lead);
        }
        mpz_add(q->c[k], q->c[k], top);
        for (int j = 0; j <= b->degree; ++j) {
            mpz_submul(r->c[k + j], top, b->c[j]);
        }
    }
    mpz_clears(lead, top, NULL);
    *quotient = shorten(q);
    *remainder = shorten(r);
}

static const poly* common_divisor(work* w, const poly* a, const poly* b)
{
    while (b->degree >= 0) {
        const poly *quotient, *rest;
        divide(w, a, b, &quotient, &rest);
        a = b;
        b = rest;
    }
    return a;
}

// The same roots, each once.
static const poly* without_multiples(work* w, const poly* a)
{
    const poly *quotient, *rest;
    if (a->degree < 2) {
        return a;
    }
    divide(w, a, common_divisor(w, a, derivative(w, a)), &quotient, &rest);
    return quotient;
}

static int sign_at(const poly* p, const binary* t)
{
    mpz_t sum, term;
    mpz_inits(sum, term, NULL);
    for (int k = p->degree; k >= 0; --k) {
        mpz_mul(sum, sum, t->over);
        mpz_mul_2exp(term, p->c[k], t->shift * (mp_bitcnt_t)(p->degree - k));
        mpz_add(sum, sum, term);
    }
    int sign = mpz_sgn(sum);
    mpz_clears(sum, term, NULL);
    return sign;
}

// --- Roots ---

static void binary_set(binary* out, const binary* value)
{
    mpz_set(out->over, value->over);
    out->shift = value->shift;
}

static void binary_init(binary* out, long value)
{
    mpz_init_set_si(out->over, value);
    out->shift = 0;
}

static void set_middle(binary* out, const binary* low, const binary* high)
{
    mp_bitcnt_t shift = low->shift > high->shift ? low->shift : high->shift;
    mpz_t other;
    mpz_init(other);
    mpz_mul_2exp(other, low->over, shift - low->shift);
    mpz_mul_2exp(out->over, high->over, shift - high->shift);
    mpz_add(out->over, out->over, other);
    out->shift = shift + 1;
    mpz_clear(other);
}

// Rounded towards zero.
static double double_of(const binary* value)
{
    long exponent;
    double part = mpz_get_d_2exp(&exponent, value->over);
    return ldexp(part, (int)(exponent - (long)value->shift));
}

static chain chain_of(work* w, const poly* f)
{
    chain s = {.p = {f, derivative(w, f)}, .count = 2};
    while (s.p[s.count - 1]->degree > 0) {
        const poly *quotient, *rest, *zero = poly_new(w);
        divide(w, s.p[s.count - 2], s.p[s.count - 1], &quotient, &rest);
        s.p[s.count++] = subtract(w, zero, rest);
    }
    return s;
}

static int count_changes(const chain* s, const binary* t)
{
    int changes = 0, last = 0;
    for (int k = 0; k < s->count; ++k) {
        int sign = sign_at(s->p[k], t);
        changes += sign * last < 0;
        last = sign != 0 ? sign : last;
    }
    return changes;
}

// The number of roots above low and not above high (Sturm).
static int count_roots(const chain* s, const binary* low, const binary* high)
{
    return count_changes(s, low) - count_changes(s, high);
}

static void root_init(root* z, const poly* f, const binary* low, const binary* high)
{
    z->f = f;
    binary_init(&z->low, 0);
    binary_init(&z->high, 0);
    binary_set(&z->low, low);
    binary_set(&z->high, high);
}

static void root_clear(root* z)
{
    mpz_clears(z->low.over, z->high.over, NULL);
}

static bool is_point(const root* z)
{
    return z->low.shift == z->high.shift && mpz_cmp(z->low.over, z->high.over) == 0;
}

static void halve(root* z)
{
    binary middle;
    binary_init(&middle, 0);
    set_middle(&middle, &z->low, &z->high);
    int sign = sign_at(z->f, &middle), low_sign = sign_at(z->f, &z->low);
    if (sign == 0 || sign == low_sign) {
        binary_set(&z->low, &middle);
    }
    if (sign != low_sign) {
        binary_set(&z->high, &middle);
    }
    mpz_clear(middle.over);
}

// Appends the roots above low and not above high, in order.
static int isolate(const chain* s, const binary* low, const binary* high, root* roots)
{
    const poly* f = s->p[0];
    int count = count_roots(s, low, high);
    if (count == 0) {
        return 0;
    }
    bool is_high = sign_at(f, high) == 0;
    if (count == 1 && (is_high || sign_at(f, low) != 0)) {
        root_init(roots, f, is_high ? high : low, high);
        return 1;
    }
    binary middle;
    binary_init(&middle, 0);
    set_middle(&middle, low, high);
    int found = isolate(s, low, &middle, roots);
    found += isolate(s, &middle, high, roots + found);
    mpz_clear(middle.over);
    return found;
}

// All roots in [0, 1], in order.
static int find_roots(work* w, const poly* f, root* roots)
{
    binary zero, one;
    binary_init(&zero, 0);
    binary_init(&one, 1);
    chain s = chain_of(w, f);
    int count = 0;
    if (sign_at(f, &zero) == 0) {
        root_init(&roots[count++], f, &zero, &zero);
    }
    count += isolate(&s, &zero, &one, roots + count);
    mpz_clears(zero.over, one.over, NULL);
    return count;
}

// The sign of g at a root: zero if a common divisor has the root too, else draw the ends together
// until g has no root between them.
static int sign_at_root(work* w, root* z, const poly* g)
{
    if (g->degree < 1) {
        return g->degree < 0 ? 0 : mpz_sgn(g->c[0]);
    }
    if (is_point(z)) {
        return sign_at(g, &z->low);
    }
    chain common = chain_of(w, common_divisor(w, z->f, g));
    if (count_roots(&common, &z->low, &z->high) > 0) {
        return 0;
    }
    chain simple = chain_of(w, without_multiples(w, g));
    while (!is_point(z) && count_roots(&simple, &z->low, &z->high) > 0) {
        halve(z);
    }
    return sign_at(g, &z->high);
}

// The largest double not above the root.
static double floor_of_root(root* z)
{
    binary value;
    binary_init(&value, 0);
    double low = double_of(&z->low), high = double_of(&z->high);
    bool is_known = low == high;
    while (!is_known) {
        // The root itself may be the double just below the upper end.
        int exponent;
        mpz_set_d(value.over, ldexp(frexp(high, &exponent), 53));
        value.shift = (mp_bitcnt_t)(53 - exponent);
        is_known = high > low && sign_at(z->f, &value) == 0;
        if (!is_known) {
            halve(z);
            low = double_of(&z->low);
            high = double_of(&z->high);
            is_known = low == high;
        }
    }
    mpz_clear(value.over);
    return high;
}

// --- Geometry ---

static void vector_subtract(work* w, vector a, vector b, vector out)
{
    for (int k = 0; k < 3; ++k) {
        out[k] = subtract(w, a[k], b[k]);
    }
}

static void cross(work* w, vector a, vector b, vector out)
{
    for (int k = 0; k < 3; ++k) {
        int x = (k + 1) % 3, y = (k + 2) % 3;
        out[k] = subtract(w, multiply(w, a[x], b[y]), multiply(w, a[y], b[x]));
    }
}

static const poly* dot(work* w, vector a, vector b)
{
    return add(w, add(w, multiply(w, a[0], b[0]), multiply(w, a[1], b[1])),
               multiply(w, a[2], b[2]));
}

static double least(double a, double b)
{
    return a < b ? a : b;
}

// The first root of f at which none of the conditions is negative, and the first condition, if
// `is_strict`, not zero either; 2 when there is none.
static double first_root(work* w, const poly* f, const poly* const* conditions, int count,
                         bool is_strict)
{
    root roots[MOST_COEFFICIENTS];
    int root_count = find_roots(w, without_multiples(w, f), roots);
    double time = 2.0;
    for (int i = 0; i < root_count; ++i) {
        bool is_good = time > 1.0;
        for (int k = 0; k < count && is_good; ++k) {
            is_good = sign_at_root(w, &roots[i], conditions[k]) >= (is_strict && k == 0 ? 1 : 0);
        }
        time = is_good ? floor_of_root(&roots[i]) : time;
        root_clear(&roots[i]);
    }
    return time;
}

// The same where f is zero at all times and only the start is asked for.
static double start_if(const poly* const* conditions, int count)
{
    bool is_good = mpz_sgn(conditions[0]->c[0]) > 0;
    for (int k = 1; k < count && is_good; ++k) {
        is_good = mpz_sgn(conditions[k]->c[0]) >= 0;
    }
    return is_good ? 0.0 : 2.0;
}

// When the point p first is on the segment from a to b.
static double point_on_segment(work* w, vector p, vector a, vector b)
{
    vector u, v, n;
    vector_subtract(w, a, p, u);
    vector_subtract(w, b, p, v);
    cross(w, u, v, n);
    const poly* zero = poly_new(w);
    const poly* between = subtract(w, zero, dot(w, u, v));
    const poly* common = common_divisor(w, common_divisor(w, n[0], n[1]), n[2]);
    if (common->degree >= 0) {
        return common->degree > 0 ? first_root(w, common, &between, 1, false) : 2.0;
    }
    return mpz_sgn(between->c[0]) >= 0 ? 0.0 : first_root(w, between, NULL, 0, false);
}

static double face_time(work* w, const poly* f, const poly* const* conditions, int count)
{
    return f->degree >= 0 ? first_root(w, f, conditions, count, true) : start_if(conditions, count);
}

// Integers in a unit that all coordinates are multiples of.
static void take_points(work* w, const dr_ccd_motion* motion, vector* points)
{
    const double* all[8];
    for (int i = 0; i < 4; ++i) {
        all[i] = motion->start[i];
        all[4 + i] = motion->end[i];
    }
    int unit = common_unit(all, 8, 3);
    for (int i = 0; i < 12; ++i) {
        poly* p = poly_new(w);
        integer_of_units(p->c[0], all[i / 3][i % 3], unit);
        integer_difference(p->c[1], all[4 + i / 3][i % 3], all[i / 3][i % 3], unit);
        points[i / 3][i % 3] = settle(p);
    }
}

static dr_ccd_result finish(work* w, double time)
{
    work_free(w);
    return time <= 1.0 ? (dr_ccd_result){true, time} : (dr_ccd_result){false, -1.0};
}

dr_ccd_result exact_ccd_point_triangle(const dr_ccd_motion* motion)
{
    work w = {0};
    vector p[4], ab, ac, ap, n, bu, bv;
    take_points(&w, motion, p);
    vector_subtract(&w, p[2], p[1], ab);
    vector_subtract(&w, p[3], p[1], ac);
    vector_subtract(&w, p[0], p[1], ap);
    cross(&w, ab, ac, n);
    cross(&w, ap, ac, bu);
    cross(&w, ab, ap, bv);
    // p = a + (u ab + v ac) / nn
    const poly *nn = dot(&w, n, n), *u = dot(&w, n, bu), *v = dot(&w, n, bv);
    const poly* conditions[] = {nn, u, v, subtract(&w, nn, add(&w, u, v))};
    double time = face_time(&w, dot(&w, ap, n), conditions, 4);
    for (int k = 0; k < 3; ++k) {
        time = least(time, point_on_segment(&w, p[0], p[1 + k], p[1 + (k + 1) % 3]));
    }
    return finish(&w, time);
}

dr_ccd_result exact_ccd_edge_edge(const dr_ccd_motion* motion)
{
    work w = {0};
    vector p[4], ab, cd, ac, n, bx, by;
    take_points(&w, motion, p);
    vector_subtract(&w, p[1], p[0], ab);
    vector_subtract(&w, p[3], p[2], cd);
    vector_subtract(&w, p[2], p[0], ac);
    cross(&w, ab, cd, n);
    cross(&w, ac, cd, bx);
    cross(&w, ac, ab, by);
    // a + ab x / nn = c + cd y / nn
    const poly *nn = dot(&w, n, n), *x = dot(&w, n, bx), *y = dot(&w, n, by);
    const poly* conditions[] = {nn, x, y, subtract(&w, nn, x), subtract(&w, nn, y)};
    double time = face_time(&w, dot(&w, ac, n), conditions, 5);
    time = least(time, point_on_segment(&w, p[0], p[2], p[3]));
    time = least(time, point_on_segment(&w, p[1], p[2], p[3]));
    time = least(time, point_on_segment(&w, p[2], p[0], p[1]));
    time = least(time, point_on_segment(&w, p[3], p[0], p[1]));
    return finish(&w, time);
}
