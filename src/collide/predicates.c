// collide/predicates.c: the signs that rounding left open.
#include "collide/predicates.h"

#include <stdbool.h>

#include "collide/expansion.h"
#include "collide/wide.h"

// b - a as an expansion.
typedef struct difference {
    int count;
    double parts[2];
} difference;

static difference difference_of(double b, double a)
{
    difference d;
    d.count = dr_expansion_of_two(dr_two_difference(b, a), d.parts);
    return d;
}

// a b - c d; `out` has room for 16.
static int minor(const difference* a, const difference* b, const difference* c, const difference* d,
                 double* out)
{
    double left[DR_PRODUCT_ROOM(2, 2)], right[DR_PRODUCT_ROOM(2, 2)];
    int left_count = dr_expansion_product(a->count, a->parts, b->count, b->parts, left);
    int right_count = dr_expansion_product(c->count, c->parts, d->count, d->parts, right);
    dr_expansion_negate(right_count, right);
    return dr_expansion_sum(left_count, left, right_count, right, out);
}

// --- Two dimensions ---

static int orient2d_expansion(const double* a, const double* b, const double* c)
{
    difference u[2], v[2];
    for (int i = 0; i < 2; ++i) {
        u[i] = difference_of(b[i], a[i]);
        v[i] = difference_of(c[i], a[i]);
    }
    double determinant[16];
    int count = minor(&u[0], &v[1], &u[1], &v[0], determinant);
    return dr_expansion_sign(count, determinant);
}

// The six terms of the determinant of the points themselves: no differences are needed.
static int orient2d_wide(const double* a, const double* b, const double* c)
{
    const double* p[3] = {a, b, c};
    dr_wide sum;
    dr_wide_clear(&sum);
    for (int i = 0; i < 3; ++i) {
        int next = (i + 1) % 3;
        dr_wide_add(&sum, p[i][0], p[next][1], 1.0);
        dr_wide_add(&sum, -p[i][1], p[next][0], 1.0);
    }
    return dr_wide_sign(&sum);
}

int dr_orient2d_exact(const double a[2], const double b[2], const double c[2])
{
    const double* p[3] = {a, b, c};
    double values[6];
    int shift;
    for (int i = 0; i < 6; ++i) {
        values[i] = p[i / 2][i % 2];
    }
    if (!dr_exact_shift(6, values, 2, &shift)) {
        return orient2d_wide(a, b, c);
    }
    for (int i = 0; shift != 0 && i < 6; ++i) {
        values[i] = ldexp(values[i], shift);
    }
    return orient2d_expansion(values, values + 2, values + 4);
}

// --- Three dimensions ---

static int orient3d_expansion(const double* a, const double* b, const double* c, const double* d)
{
    difference u[3], v[3], w[3];
    for (int i = 0; i < 3; ++i) {
        u[i] = difference_of(b[i], a[i]);
        v[i] = difference_of(c[i], a[i]);
        w[i] = difference_of(d[i], a[i]);
    }
    // (u x v) . w, component by component.
    double normal[16], term[DR_PRODUCT_ROOM(16, 2)], determinant[3 * 64];
    int count = 0;
    for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        int normal_count = minor(&u[j], &v[k], &u[k], &v[j], normal);
        int term_count = dr_expansion_product(normal_count, normal, w[i].count, w[i].parts, term);
        count = dr_expansion_add(count, determinant, term_count, term);
    }
    return dr_expansion_sign(count, determinant);
}

// p . (q x r), times a sign.
static void add_triple(dr_wide* sum, double sign, const double* p, const double* q, const double* r)
{
    for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        dr_wide_add(sum, sign * p[i], q[j], r[k]);
        dr_wide_add(sum, -sign * p[i], q[k], r[j]);
    }
}

// (b-a) . (c-a) x (d-a) = b.(c x d) - a.(c x d) + a.(b x d) - a.(b x c): no differences.
static int orient3d_wide(const double* a, const double* b, const double* c, const double* d)
{
    dr_wide sum;
    dr_wide_clear(&sum);
    add_triple(&sum, 1.0, b, c, d);
    add_triple(&sum, -1.0, a, c, d);
    add_triple(&sum, 1.0, a, b, d);
    add_triple(&sum, -1.0, a, b, c);
    return dr_wide_sign(&sum);
}

// Two points in one, or all four in a plane across an axis: cloth on a floor, neighbours.
static bool is_plainly_flat(const double* const points[4])
{
    for (int axis = 0; axis < 3; ++axis) {
        double x = points[0][axis];
        if (points[1][axis] == x && points[2][axis] == x && points[3][axis] == x) {
            return true;
        }
    }
    for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < i; ++j) {
            const double *p = points[i], *q = points[j];
            if (p[0] == q[0] && p[1] == q[1] && p[2] == q[2]) {
                return true;
            }
        }
    }
    return false;
}

int dr_orient3d_exact(const double a[3], const double b[3], const double c[3], const double d[3])
{
    const double* const points[4] = {a, b, c, d};
    if (is_plainly_flat(points)) {
        return 0;
    }
    double values[12];
    int shift;
    for (int i = 0; i < 12; ++i) {
        values[i] = points[i / 3][i % 3];
    }
    if (!dr_exact_shift(12, values, 3, &shift)) {
        return orient3d_wide(a, b, c, d);
    }
    for (int i = 0; shift != 0 && i < 12; ++i) {
        values[i] = ldexp(values[i], shift);
    }
    return orient3d_expansion(values, values + 3, values + 6, values + 9);
}
