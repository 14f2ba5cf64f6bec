// The third stage: the time of a contact, from the cubic in twice the digits.
//
// Numbers are unevaluated sums of two doubles. With u = 2^-53 a product is wrong by less than 8 u^2
// of it, an accurate sum by 3 u^2 (Joldes, Muller, Popescu 2017). The corners are exact. f is kept
// as s^3 f0 + s^2 t f1 + s t^2 f2 + t^3 f3 with s = 1 - t, where f0 and f3 are sums of 6 products
// of three coordinates, f1 and f2 of 18; none of the terms passes more than 14 operations. With D,
// the product of the reaches, the error is below 18 D * 14 * 8 u^2 < 2^-94 D. We take 2^-92 D.
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "collide/ccd_stages.h"
#include "collide/expansion.h"

enum { MOST_MOVES = 4 };

typedef struct cubic {
    dr_two c[4];
    double error;
} cubic;

static dr_two add(dr_two a, dr_two b)
{
    dr_two high = dr_two_sum(a.high, b.high), low = dr_two_sum(a.low, b.low);
    dr_two sum = dr_fast_two_sum(high.high, high.low + low.high);
    return dr_fast_two_sum(sum.high, low.low + sum.low);
}

static dr_two multiply(dr_two a, dr_two b)
{
    dr_two product = dr_two_product(a.high, b.high);
    return dr_fast_two_sum(product.high, product.low + (a.high * b.low + a.low * b.high));
}

static dr_two negate(dr_two a)
{
    return (dr_two){-a.high, -a.low};
}

// sum += a x b
static void add_cross(const dr_two* a, const dr_two* b, dr_two* sum)
{
    for (int k = 0; k < 3; ++k) {
        int x = (k + 1) % 3, y = (k + 2) % 3;
        dr_two n = add(multiply(a[x], b[y]), negate(multiply(a[y], b[x])));
        sum[k] = add(sum[k], n);
    }
}

static dr_two dot(const dr_two* a, const dr_two* b)
{
    return add(add(multiply(a[0], b[0]), multiply(a[1], b[1])), multiply(a[2], b[2]));
}

static cubic cubic_of(const dr_ccd_polygon* polygon, const dr_ccd_motion* motion,
                      const double reach[3])
{
    dr_two p[3][3], q[3][3], start[3] = {{0}}, end[3] = {{0}}, mixed[3] = {{0}};
    for (int i = 0; i < 3; ++i) {
        int a = polygon->first[i], b = polygon->second[i];
        for (int k = 0; k < 3; ++k) {
            p[i][k] = dr_two_difference(motion->start[a][k], motion->start[b][k]);
            q[i][k] = dr_two_difference(motion->end[a][k], motion->end[b][k]);
        }
    }
    add_cross(p[1], p[2], start);
    add_cross(q[1], q[2], end);
    add_cross(p[1], q[2], mixed);
    add_cross(q[1], p[2], mixed);
    return (cubic){{dot(p[0], start), add(dot(q[0], start), dot(p[0], mixed)),
                    add(dot(q[0], mixed), dot(p[0], end)), dot(q[0], end)},
                   reach[0] * reach[1] * reach[2] * 0x1p-92};
}

static double value_at(const cubic* f, double t)
{
    dr_two s = dr_two_difference(1.0, t), x = {t, 0.0};
    dr_two below = add(multiply(f->c[0], s), multiply(f->c[1], x));
    dr_two above = add(multiply(f->c[2], s), multiply(f->c[3], x));
    return add(multiply(below, multiply(s, s)), multiply(above, multiply(x, x))).high;
}

// -1 below the only root, 1 above it, 0 when that is not certain.
static int side_of(const cubic* f, double t, int low_sign)
{
    double value = value_at(f, t) * low_sign;
    return value > f->error ? -1 : value < -f->error ? 1 : 0;
}

// The next double above or below a positive one.
static double neighbour(double t, int side)
{
    uint64_t bits;
    memcpy(&bits, &t, sizeof bits);
    bits += side;
    memcpy(&t, &bits, sizeof t);
    return t;
}

bool dr_ccd_time(const dr_ccd_polygon* polygon, const dr_ccd_motion* motion,
                 const dr_ccd_corners* corners, double low, double high, double* time)
{
    cubic f = cubic_of(polygon, motion, corners->reach);
    double at_low = value_at(&f, low), at_high = value_at(&f, high);
    if (!(fabs(at_low) > f.error && fabs(at_high) > f.error)) {
        return false;
    }
    // The interval is short, and the cubic is nearly straight over it.
    int low_sign = at_low > 0.0 ? 1 : -1;
    double t = low + (high - low) * (at_low / (at_low - at_high));
    for (int k = 0; k < MOST_MOVES && t > low && t < high; ++k) {
        int side = side_of(&f, t, low_sign);
        double beside = neighbour(t, -side);
        if (side == 0) {
            return false;
        }
        if (side_of(&f, beside, low_sign) == -side) {
            *time = side < 0 ? t : beside;
            return true;
        }
        t = beside;
    }
    return false;
}
