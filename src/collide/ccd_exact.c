// The last stage: continuous collision in whole numbers.
//
// Each axis is scaled by its own power of two, so that all coordinates are whole; contact does not
// mind. Everything below is polynomials with whole coefficients and their signs, and every sign is
// taken at a fraction. Two facts keep it that simple.
//
// Roots. Write a cubic as x^3 + p x + q, x counted from its point of inflection 0. Where it has
// three roots, p < 0, and r = -3q / 2p, the root of the remainder of f by f', lies between the two
// extrema. f(r) = r f'(r) / 3 has the sign opposite to r, so for r > 0 the falling middle part of f
// has passed zero before r: the middle root lies between 0 (where f = q > 0) and r, and r < 0 is
// the mirror image. For r = 0 the middle root is 0. A double root is r itself, a triple root is the
// point of inflection. So the two fractions, inflection and r, separate all roots or are roots
// themselves. The same formula for r gives the vertex of a parabola.
//
// Signs. To know the sign of a quadratic g at a root z of f, divide: g2^2 f = q g + r with q and r
// linear, so q(z) g(z) = -r(z). The sign of a linear function at z follows from comparing z with
// its own root, a fraction x; and z is above or below x as the sign of f(x) says.
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "collide/ccd_stages.h"
#include "collide/whole.h"

// A cubic or less, lowest coefficient first.
typedef struct poly {
    dr_whole c[4];
} poly;

// A fraction with a positive denominator.
typedef struct ratio {
    dr_whole over, under;
} ratio;

// A root of `f` in [0, 1]: the fraction `at`, or the only root between `low` and `high`, where f
// changes its sign.
typedef struct root {
    const poly* f;
    bool is_ratio;
    ratio at, low, high;
    int low_sign; // of f right above `low`
} root;

// The corners P_i(t) = start + t way.
typedef struct sweep {
    dr_whole_pool pool;
    int count;
    dr_whole start[4][3], way[4][3];
} sweep;

// --- Polynomials ---

// a b - c d.
static dr_whole minor(dr_whole_pool* pool, dr_whole a, dr_whole b, dr_whole c, dr_whole d)
{
    return dr_whole_subtract(pool, dr_whole_multiply(pool, a, b), dr_whole_multiply(pool, c, d));
}

static int degree_of(const poly* f)
{
    int degree = 3;
    while (degree >= 0 && f->c[degree].sign == 0) {
        --degree;
    }
    return degree;
}

static poly derivative(dr_whole_pool* pool, const poly* f)
{
    poly d = {{f->c[1], dr_whole_add(pool, f->c[2], f->c[2]),
               dr_whole_add(pool, f->c[3], dr_whole_add(pool, f->c[3], f->c[3]))}};
    return d;
}

static int sign_at_ratio(dr_whole_pool* pool, const poly* f, ratio x)
{
    int mark = pool->used;
    int degree = degree_of(f);
    dr_whole sum = degree >= 0 ? f->c[degree] : dr_whole_zero(), power = x.under;
    for (int k = degree - 1; k >= 0; --k) {
        sum = dr_whole_add(pool, dr_whole_multiply(pool, sum, x.over),
                           dr_whole_multiply(pool, f->c[k], power));
        power = k > 0 ? dr_whole_multiply(pool, power, x.under) : power;
    }
    pool->used = mark;
    return sum.sign;
}

// The sign right above x (side 1) or right below it (side -1).
static int sign_beside(dr_whole_pool* pool, const poly* f, ratio x, int side)
{
    int mark = pool->used, sign = 0, turn = 1;
    poly d = *f;
    for (int k = 0; k <= 3 && sign == 0; ++k) {
        sign = turn * sign_at_ratio(pool, &d, x);
        turn *= side;
        d = derivative(pool, &d);
    }
    pool->used = mark;
    return sign;
}

// --- Roots ---

static ratio ratio_of(dr_whole over, dr_whole under)
{
    return under.sign > 0 ? (ratio){over, under}
                          : (ratio){dr_whole_negate(over), dr_whole_negate(under)};
}

static int compare_ratios(dr_whole_pool* pool, ratio a, ratio b)
{
    int mark = pool->used;
    int sign = minor(pool, a.over, b.under, b.over, a.under).sign;
    pool->used = mark;
    return sign;
}

// Points of (0, 1) that separate the roots of f or are roots, in order. Two at most.
static int find_separators(dr_whole_pool* pool, const poly* f, ratio* found)
{
    dr_whole a = f->c[3], b = f->c[2], c = f->c[1], d = f->c[0];
    dr_whole three = dr_whole_of(pool, 3.0, 0), two = dr_whole_of(pool, 2.0, 0);
    dr_whole nine = dr_whole_of(pool, 9.0, 0), one = dr_whole_of(pool, 1.0, 0);
    dr_whole a3 = dr_whole_multiply(pool, a, three);
    // -b / 3a and (bc - 9ad) / (6ac - 2bb)
    dr_whole over[2] = {dr_whole_negate(b), minor(pool, b, c, dr_whole_multiply(pool, a, nine), d)};
    dr_whole under[2] = {a3, dr_whole_multiply(pool, two, minor(pool, a3, c, b, b))};
    int count = 0;
    for (int k = 0; k < 2; ++k) {
        ratio x = ratio_of(over[k], under[k]);
        if (under[k].sign != 0 && x.over.sign > 0 &&
            compare_ratios(pool, x, (ratio){one, one}) < 0) {
            found[count++] = x;
        }
    }
    if (count == 2 && compare_ratios(pool, found[0], found[1]) > 0) {
        ratio first = found[0];
        found[0] = found[1];
        found[1] = first;
    }
    return count;
}

// The only root between two separators, if there is one.
static bool find_between(dr_whole_pool* pool, const poly* f, ratio low, ratio high, root* found)
{
    int low_sign = sign_beside(pool, f, low, 1);
    if (low_sign == sign_beside(pool, f, high, -1)) {
        return false;
    }
    *found = (root){.f = f, .low = low, .high = high, .low_sign = low_sign};
    if (degree_of(f) == 1) {
        found->is_ratio = true;
        found->at = ratio_of(dr_whole_negate(f->c[0]), f->c[1]);
    }
    return true;
}

// The roots in [0, 1] of a polynomial that is not zero, each once, in order. Three at most.
static int find_roots(dr_whole_pool* pool, const poly* f, root* found)
{
    dr_whole one = dr_whole_of(pool, 1.0, 0);
    ratio stops[4] = {{dr_whole_zero(), one}};
    int stop_count = 1 + find_separators(pool, f, stops + 1), count = 0;
    stops[stop_count++] = (ratio){one, one};
    for (int k = 0; k < stop_count && count < 3; ++k) {
        if (sign_at_ratio(pool, f, stops[k]) == 0 &&
            (k == 0 || compare_ratios(pool, stops[k - 1], stops[k]) != 0)) {
            found[count++] = (root){.f = f, .is_ratio = true, .at = stops[k]};
        }
        if (k + 1 < stop_count && count < 3 && compare_ratios(pool, stops[k], stops[k + 1]) < 0 &&
            find_between(pool, f, stops[k], stops[k + 1], &found[count])) {
            ++count;
        }
    }
    return count;
}

// The sign of z - x.
static int compare_root(dr_whole_pool* pool, const root* z, ratio x)
{
    if (z->is_ratio) {
        return compare_ratios(pool, z->at, x);
    }
    if (compare_ratios(pool, x, z->low) <= 0) {
        return 1;
    }
    if (compare_ratios(pool, x, z->high) >= 0) {
        return -1;
    }
    return sign_at_ratio(pool, z->f, x) * z->low_sign;
}

// The sign of b + a t at the root.
static int sign_of_line(dr_whole_pool* pool, const root* z, dr_whole b, dr_whole a)
{
    if (a.sign == 0) {
        return b.sign;
    }
    return a.sign * compare_root(pool, z, ratio_of(dr_whole_negate(b), a));
}

// The sign of a quadratic at a root that is not known as a fraction.
static int sign_by_division(dr_whole_pool* pool, const root* z, const poly* g)
{
    const dr_whole *f = z->f->c, *d = g->c;
    dr_whole q1 = dr_whole_multiply(pool, d[2], f[3]);
    dr_whole q0 = minor(pool, d[2], f[2], f[3], d[1]);
    int q_sign = sign_of_line(pool, z, q0, q1);
    if (q_sign == 0) {
        return sign_at_ratio(pool, g, ratio_of(dr_whole_negate(q0), q1));
    }
    dr_whole square = dr_whole_multiply(pool, d[2], d[2]);
    dr_whole r1 = dr_whole_subtract(pool, minor(pool, square, f[1], q1, d[0]),
                                    dr_whole_multiply(pool, q0, d[1]));
    dr_whole r0 = minor(pool, square, f[0], q0, d[0]);
    return -q_sign * sign_of_line(pool, z, r0, r1);
}

static int sign_at_root(dr_whole_pool* pool, const root* z, const poly* g)
{
    if (z->is_ratio) {
        return sign_at_ratio(pool, g, z->at);
    }
    int mark = pool->used;
    int sign =
        g->c[2].sign != 0 ? sign_by_division(pool, z, g) : sign_of_line(pool, z, g->c[0], g->c[1]);
    pool->used = mark;
    return sign;
}

// --- The time as a double ---

static double value_of(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static bool is_at_or_below(dr_whole_pool* pool, uint64_t bits, const root* z)
{
    int mark = pool->used;
    double value = value_of(bits);
    int low = value > 0.0 ? dr_whole_low_bit(value) : 0;
    low = low < 0 ? low : 0;
    ratio x = {dr_whole_of(pool, value, low), dr_whole_of(pool, 1.0, low)};
    bool is_below = compare_root(pool, z, x) >= 0;
    pool->used = mark;
    return is_below;
}

static double quotient(ratio x)
{
    int over_exponent, under_exponent;
    double over = dr_whole_round(x.over, &over_exponent);
    double under = dr_whole_round(x.under, &under_exponent);
    return ldexp(over / under, over_exponent - under_exponent);
}

// About where the root is, by halving in doubles.
static double guess_root(const root* z)
{
    if (z->is_ratio) {
        return quotient(z->at);
    }
    double c[4];
    int exponent[4], most = -1;
    for (int k = 0; k < 4; ++k) {
        c[k] = dr_whole_round(z->f->c[k], &exponent[k]);
        most = c[k] != 0.0 && exponent[k] > most ? exponent[k] : most;
    }
    for (int k = 0; k < 4; ++k) {
        c[k] = ldexp(c[k], exponent[k] - most);
    }
    double low = quotient(z->low), high = quotient(z->high);
    for (int k = 0; k < 60; ++k) {
        double middle = 0.5 * (low + high);
        double value = ((c[3] * middle + c[2]) * middle + c[1]) * middle + c[0];
        bool is_below = value * z->low_sign > 0.0;
        low = is_below ? middle : low;
        high = is_below ? high : middle;
    }
    return low;
}

// The largest double that is not above the root: from the guess in growing steps until the root is
// enclosed, then by halving. Doubles that are not negative are ordered as their bits are.
static double floor_of_root(dr_whole_pool* pool, const root* z)
{
    const uint64_t end = bits_of(1.0) + 1;
    double guess = guess_root(z);
    uint64_t low = guess > 0.0 ? bits_of(guess < 1.0 ? guess : 1.0) : 0, high = end, step = 1;
    if (is_at_or_below(pool, low, z)) {
        while (step < end - low && is_at_or_below(pool, low + step, z)) {
            low += step;
            step *= 2;
        }
        high = step < end - low ? low + step : end;
    } else {
        do {
            high = low;
            low = high > step ? high - step : 0;
            step *= 2;
        } while (low > 0 && !is_at_or_below(pool, low, z));
    }
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        bool is_below = is_at_or_below(pool, middle, z);
        low = is_below ? middle : low;
        high = is_below ? high : middle;
    }
    return value_of(low);
}

// --- Contact ---

// The product of two coordinates of corners, which are linear.
static poly product(sweep* s, int i, int axis_i, int j, int axis_j)
{
    dr_whole a0 = s->start[i][axis_i], a1 = s->way[i][axis_i];
    dr_whole b0 = s->start[j][axis_j], b1 = s->way[j][axis_j];
    dr_whole_pool* pool = &s->pool;
    return (poly){
        {dr_whole_multiply(pool, a0, b0),
         dr_whole_add(pool, dr_whole_multiply(pool, a0, b1), dr_whole_multiply(pool, a1, b0)),
         dr_whole_multiply(pool, a1, b1)}};
}

static poly sum_of(dr_whole_pool* pool, const poly* a, const poly* b, int sign)
{
    poly sum;
    for (int k = 0; k < 4; ++k) {
        dr_whole c = sign < 0 ? dr_whole_negate(b->c[k]) : b->c[k];
        sum.c[k] = dr_whole_add(pool, a->c[k], c);
    }
    return sum;
}

// One component of P_i x P_j.
static poly cross(sweep* s, int i, int j, int axis)
{
    int x = (axis + 1) % 3, y = (axis + 2) % 3;
    poly a = product(s, i, x, j, y), b = product(s, i, y, j, x);
    return sum_of(&s->pool, &a, &b, -1);
}

static poly dot(sweep* s, int i, int j)
{
    poly sum = product(s, i, 0, j, 0);
    for (int axis = 1; axis < 3; ++axis) {
        poly term = product(s, i, axis, j, axis);
        sum = sum_of(&s->pool, &sum, &term, 1);
    }
    return sum;
}

// P_0 . (P_1 x P_2)
static poly volume(sweep* s)
{
    dr_whole_pool* pool = &s->pool;
    poly sum = {0};
    for (int axis = 0; axis < 3; ++axis) {
        poly n = cross(s, 1, 2, axis);
        dr_whole a0 = s->start[0][axis], a1 = s->way[0][axis];
        poly term = {{dr_whole_multiply(pool, a0, n.c[0]),
                      dr_whole_add(pool, dr_whole_multiply(pool, a0, n.c[1]),
                                   dr_whole_multiply(pool, a1, n.c[0])),
                      dr_whole_add(pool, dr_whole_multiply(pool, a0, n.c[2]),
                                   dr_whole_multiply(pool, a1, n.c[1])),
                      dr_whole_multiply(pool, a1, n.c[2])}};
        sum = sum_of(pool, &sum, &term, 1);
    }
    return sum;
}

// Whether the polygon holds the origin at a time when its plane does. All crosses are then
// multiples of one vector; a component in which they are not all zero tells the sides. When all of
// them are zero the polygon is a segment on a line through the origin, covered by its edges, or a
// point.
static bool holds_origin(sweep* s, const root* z)
{
    int mark = s->pool.used;
    bool is_known = false, is_inside = true;
    for (int axis = 0; axis < 3 && !is_known; ++axis) {
        bool has_sign[3] = {false, false, false};
        for (int i = 0; i < s->count && is_inside; ++i) {
            poly n = cross(s, i, (i + 1) % s->count, axis);
            has_sign[1 + sign_at_root(&s->pool, z, &n)] = true;
            is_inside = !(has_sign[0] && has_sign[2]);
            s->pool.used = mark;
        }
        is_known = has_sign[0] || has_sign[2];
    }
    if (is_known) {
        return is_inside;
    }
    is_inside = false;
    for (int i = 0; i < s->count && !is_inside; ++i) {
        poly n = dot(s, i, (i + 1) % s->count);
        is_inside = sign_at_root(&s->pool, z, &n) <= 0;
        s->pool.used = mark;
    }
    return is_inside;
}

// The earlier of `best` and the first root of f at which there is contact.
static double first_contact(sweep* s, const poly* f, double best)
{
    int mark = s->pool.used;
    root roots[3];
    int count = find_roots(&s->pool, f, roots);
    for (int k = 0; k < count; ++k) {
        if (holds_origin(s, &roots[k])) {
            double time = floor_of_root(&s->pool, &roots[k]);
            best = time < best ? time : best;
            break;
        }
    }
    s->pool.used = mark;
    return best;
}

// The plane of the polygon holds the origin at all times. Unless the polygon does so from the
// start, the origin comes in through an edge, whose cross is zero then; or along an edge whose
// cross is always zero, and then the dot of its ends changes its sign.
static double first_flat_contact(sweep* s, double none)
{
    int mark = s->pool.used;
    dr_whole one = dr_whole_of(&s->pool, 1.0, 0);
    root start = {.is_ratio = true, .at = {dr_whole_zero(), one}};
    if (holds_origin(s, &start)) {
        return 0.0;
    }
    double best = none;
    for (int i = 0; i < s->count; ++i) {
        int j = (i + 1) % s->count;
        bool is_line = true;
        for (int axis = 0; axis < 3; ++axis) {
            poly n = cross(s, i, j, axis);
            if (degree_of(&n) >= 0) {
                is_line = false;
                best = first_contact(s, &n, best);
            }
            s->pool.used = mark;
        }
        poly n = dot(s, i, j);
        if (is_line && degree_of(&n) >= 0) {
            best = first_contact(s, &n, best);
        }
        s->pool.used = mark;
    }
    return best;
}

// The lowest bit of all coordinates along one axis.
static int low_bit_of(const dr_ccd_motion* motion, int axis)
{
    int low = 1024;
    for (int i = 0; i < 8; ++i) {
        double x = i < 4 ? motion->start[i][axis] : motion->end[i - 4][axis];
        int own = x != 0.0 ? dr_whole_low_bit(x) : low;
        low = own < low ? own : low;
    }
    return low;
}

static void take_corners(sweep* s, const dr_ccd_polygon* polygon, const dr_ccd_motion* motion)
{
    dr_whole_pool* pool = &s->pool;
    dr_whole_pool_clear(pool);
    s->count = polygon->count;
    for (int axis = 0; axis < 3; ++axis) {
        int low = low_bit_of(motion, axis);
        dr_whole start[4], end[4];
        for (int i = 0; i < 4; ++i) {
            start[i] = dr_whole_of(pool, motion->start[i][axis], low);
            end[i] = dr_whole_of(pool, motion->end[i][axis], low);
        }
        for (int i = 0; i < polygon->count; ++i) {
            int a = polygon->first[i], b = polygon->second[i];
            s->start[i][axis] = dr_whole_subtract(pool, start[a], start[b]);
            s->way[i][axis] =
                dr_whole_subtract(pool, dr_whole_subtract(pool, end[a], end[b]), s->start[i][axis]);
        }
    }
}

dr_ccd_result dr_ccd_exact(const dr_ccd_polygon* polygon, const dr_ccd_motion* motion)
{
    const double none = 2.0;
    sweep s;
    take_corners(&s, polygon, motion);
    poly f = volume(&s);
    double time = degree_of(&f) >= 0 ? first_contact(&s, &f, none) : first_flat_contact(&s, none);
    // No room for the numbers: contact may be, and it may be at once.
    if (s.pool.is_full) {
        return dr_ccd_at(0.0);
    }
    return time <= 1.0 ? dr_ccd_at(time) : dr_ccd_none();
}
