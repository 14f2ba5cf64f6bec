// collide/predicates.h: on which side a point lies. Never wrong, and quick when it is clear.
//
// Each predicate is the sign of a determinant of any finite doubles, also tiny and huge ones. It is
// computed in doubles first, with a bound of its error; where that leaves the sign open, which is
// when the points are nearly or truly in one plane, it is computed again without error: in
// expansions (collide/expansion.h), or in fixed point where the exponents lie too far apart for
// them (collide/wide.h). Floats become doubles first. Most of their differences are then exact, and
// determinants that vanish do so quickly.
//
//     dr_orient2d(a, b, c)       1 when a, b, c turn left, -1 when they turn right, 0 on one line
//     dr_orient3d(a, b, c, d)    1 when d is on the side to which (b-a) x (c-a) points (whence a,
//                                b, c turn left), -1 on the other side, 0 in the plane
//
// Both change sign when two points are swapped, and there is no order of the points that would give
// a different answer.
//
// The bounds. u = 2^-53. A sum or difference of doubles is the true one times (1 + e), |e| <= u; so
// is a product, but for an error of at most 2^-1075 where it underflows. With exact differences of
// the points each term of the determinant of 3D is x y z; the computed one carries
//
//     3 differences, the product x y, the difference of two of these, the product with z, two sums
//
// which is (1 + e)^8 at most, so that the determinant is wrong by less than 8.01 u S, S the sum of
// the absolute values of the six terms. S is computed in the same order and is itself at most 8.01
// u S too small; 9 u S covers this and the rounding of the bound. In 2D there are 2 differences, a
// product and a difference: (1 + e)^4, hence 5 u S. What underflow adds: each x y may be wrong by
// 2^-1075, which z and the sums multiply by less than 1.01 |z|; each product with z by 2^-1075: in
// all less than 2^-1073 (|z1| + |z2| + |z3| + 1). The code adds 2^-1000 (|z1| + |z2| + |z3|) and
// 2^-1020, both normal numbers: subnormal ones are slow on some machines. What S loses by underflow
// is, times 9 u, far less than that. A number that overflows makes S infinite or the comparison one
// with NaN, and both leave the sign open.
#ifndef DR_PREDICATES_H
#define DR_PREDICATES_H

#include <drape/vec.h>
#include <math.h>

// Sides that many points are asked about: what the plane through a, b, c gives to the filter.
typedef struct dr_plane {
    const double *a, *b, *c; // the caller's points, needed until the last question
    double normal[3];        // (b-a) x (c-a), rounded
    double bound[3];         // the same with all signs positive
} dr_plane;

// Without rounding. For the filters below.
int dr_orient2d_exact(const double a[2], const double b[2], const double c[2]);
int dr_orient3d_exact(const double a[3], const double b[3], const double c[3], const double d[3]);

static inline int dr_orient2d(const double a[2], const double b[2], const double c[2])
{
    double left = (b[0] - a[0]) * (c[1] - a[1]);
    double right = (b[1] - a[1]) * (c[0] - a[0]);
    double determinant = left - right;
    double bound = 5.0 * 0x1p-53 * (fabs(left) + fabs(right)) + 0x1p-1020;
    if (determinant > bound) {
        return 1;
    }
    return determinant < -bound ? -1 : dr_orient2d_exact(a, b, c);
}

static inline dr_plane dr_plane_of(const double a[3], const double b[3], const double c[3])
{
    dr_plane plane = {.a = a, .b = b, .c = c};
    for (int i = 0; i < 3; ++i) {
        int j = i == 2 ? 0 : i + 1, k = i == 0 ? 2 : i - 1;
        double left = (b[j] - a[j]) * (c[k] - a[k]);
        double right = (b[k] - a[k]) * (c[j] - a[j]);
        plane.normal[i] = left - right;
        plane.bound[i] = fabs(left) + fabs(right);
    }
    return plane;
}

// dr_orient3d(a, b, c, d).
static inline int dr_plane_side(const dr_plane* plane, const double d[3])
{
    double w[3] = {d[0] - plane->a[0], d[1] - plane->a[1], d[2] - plane->a[2]};
    const double *n = plane->normal, *s = plane->bound;
    double determinant = n[0] * w[0] + n[1] * w[1] + n[2] * w[2];
    double sum = s[0] * fabs(w[0]) + s[1] * fabs(w[1]) + s[2] * fabs(w[2]);
    double bound = 9.0 * 0x1p-53 * sum + 0x1p-1000 * (fabs(w[0]) + fabs(w[1]) + fabs(w[2]));
    bound += 0x1p-1020;
    if (determinant > bound) {
        return 1;
    }
    return determinant < -bound ? -1 : dr_orient3d_exact(plane->a, plane->b, plane->c, d);
}

static inline int dr_orient3d(const double a[3], const double b[3], const double c[3],
                              const double d[3])
{
    dr_plane plane = dr_plane_of(a, b, c);
    return dr_plane_side(&plane, d);
}

// The same for positions as they are stored.
static inline int dr_orient3d_positions(drape_vec3 a, drape_vec3 b, drape_vec3 c, drape_vec3 d)
{
    const double points[4][3] = {
        {a.x, a.y, a.z}, {b.x, b.y, b.z}, {c.x, c.y, c.z}, {d.x, d.y, d.z}};
    return dr_orient3d(points[0], points[1], points[2], points[3]);
}

#endif
