// The second stage: roots of the cubic in doubles, with a bound on every error.
//
// Let u = 2^-53 and D the product of the three reaches. The corners come with an error of u each. A
// Bernstein coefficient of f is a sum of products of three coordinates, one of each axis: six of
// them in the outer ones, eighteen thirds in the inner ones. Corners (3), products (2), minor,
// sums (2 to 4) and the third make less than 11 u for each: below 70 u D in all. De Casteljau's
// scheme takes means of numbers below 6 D and adds at most 18 u D in a round of three (the halves
// of a piece) or 54 u D (a value at any t). Pieces are halved eight times at most:
// 70 + 8 * 18 = 214. So every coefficient of a piece and every value of f below is wrong by less
// than 512 u D = 2^-44 D, which also covers that D is rounded; products that fall below the range
// of doubles do not count, for reaches are not smaller than 2^-320.
#include <math.h>

#include "collide/ccd_stages.h"
#include "core/double3.h"

enum { MOST_HALVINGS = 8, MOST_STEPS = 12, MOST_WIDENINGS = 3 };

// f over a part of [0, 1].
typedef struct piece {
    double low, high;
    double b[4]; // Bernstein coefficients
    int depth;
} piece;

static piece whole_time(const dr_ccd_corners* corners)
{
    const double(*p)[3] = corners->at[0], (*q)[3] = corners->at[1];
    double start[3], end[3], mixed[3], other[3];
    dr_cross3(p[1], p[2], start);
    dr_cross3(q[1], q[2], end);
    dr_cross3(p[1], q[2], mixed);
    dr_cross3(q[1], p[2], other);
    for (int k = 0; k < 3; ++k) {
        mixed[k] += other[k];
    }
    return (piece){.high = 1.0,
                   .b = {dr_dot3(p[0], start), (dr_dot3(q[0], start) + dr_dot3(p[0], mixed)) / 3.0,
                         (dr_dot3(q[0], mixed) + dr_dot3(p[0], end)) / 3.0, dr_dot3(q[0], end)}};
}

// f(t), and its derivative.
static double value_at(const piece* f, double t, double* slope)
{
    double s = 1.0 - t;
    const double* b = f->b;
    double c0 = s * b[0] + t * b[1], c1 = s * b[1] + t * b[2], c2 = s * b[2] + t * b[3];
    double d0 = s * c0 + t * c1, d1 = s * c1 + t * c2;
    *slope = 3.0 * (d1 - d0);
    return s * d0 + t * d1;
}

static void halve(const piece* whole, piece* left, piece* right)
{
    const double* b = whole->b;
    double middle = 0.5 * (whole->low + whole->high);
    double c0 = 0.5 * (b[0] + b[1]), c1 = 0.5 * (b[1] + b[2]), c2 = 0.5 * (b[2] + b[3]);
    double d0 = 0.5 * (c0 + c1), d1 = 0.5 * (c1 + c2), e = 0.5 * (d0 + d1);
    piece first = {whole->low, middle, {b[0], c0, d0, e}, whole->depth + 1};
    piece second = {middle, whole->high, {e, d1, c2, b[3]}, whole->depth + 1};
    *left = first;
    *right = second;
}

static int sign_of(double value, double error)
{
    return value > error ? 1 : value < -error ? -1 : 0;
}

typedef enum root_count {
    NO_ROOT,
    ONE_ROOT,
    SOME_ROOTS,   // perhaps; halves may tell
    UNKNOWN_ROOTS // not even the sign at an end is certain
} root_count;

// By Descartes' rule there are no more roots than changes of sign among the coefficients, and as
// many when there is just one.
static root_count count_roots(const piece* part, double error)
{
    int first = sign_of(part->b[0], error), last = sign_of(part->b[3], error);
    if (first == 0 || last == 0) {
        return UNKNOWN_ROOTS;
    }
    double b1 = first * part->b[1], b2 = first * part->b[2];
    if (first == last) {
        return b1 > error && b2 > error ? NO_ROOT : SOME_ROOTS;
    }
    return b1 > error || b2 < -error ? ONE_ROOT : SOME_ROOTS;
}

// Draws the ends of a piece with one root together: Newton's steps, and halving where they leave
// the piece; then out again from the root until the sign is certain on both sides.
static void enclose_root(const piece* f, const piece* part, double error, double* low, double* high)
{
    int low_sign = part->b[0] > 0.0 ? 1 : -1;
    double a = part->low, b = part->high, slope = 0.0;
    double t = a + (b - a) * (part->b[0] / (part->b[0] - part->b[3]));
    for (int k = 0; k < MOST_STEPS; ++k) {
        double value = low_sign * value_at(f, t, &slope);
        slope *= low_sign;
        a = value > error ? t : a;
        b = value < -error ? t : b;
        double next = t - value / slope;
        if (!(next > a && next < b)) {
            next = 0.5 * (a + b);
        }
        double step = fabs(next - t);
        t = next;
        if (step <= 0x1p-50 || fabs(value) <= error) {
            break;
        }
    }
    double width = 2.0 * error / fabs(slope) + 0x1p-52;
    for (int k = 0; k < MOST_WIDENINGS; ++k, width *= 4.0) {
        double below = t - width, above = t + width;
        a = below > a && low_sign * value_at(f, below, &slope) > error ? below : a;
        b = above < b && low_sign * value_at(f, above, &slope) < -error ? above : b;
    }
    *low = a;
    *high = b;
}

// Whether the polygon holds the origin at the root between `low` and `high`. Looks at the component
// of the crosses along which the polygon is largest, at the middle of the interval. The root is no
// further than half the width from there, and corners move at twice their reach at most: they are
// wrong by e = 8 u + width of their reach. A cross of reaches A and B is then wrong by less than
// AB (4 e + 2 e^2 + 4 u).
static dr_ccd_verdict judge(const dr_ccd_corners* corners, double low, double high)
{
    double t = 0.5 * (low + high), s = 1.0 - t, width = high - low;
    int count = corners->count;
    double p[4][3], n[4][3], area[3] = {0.0, 0.0, 0.0};
    for (int i = 0; i < count; ++i) {
        for (int k = 0; k < 3; ++k) {
            p[i][k] = s * corners->at[0][i][k] + t * corners->at[1][i][k];
        }
    }
    for (int i = 0; i < count; ++i) {
        dr_cross3(p[i], p[(i + 1) % count], n[i]);
        for (int k = 0; k < 3; ++k) {
            area[k] += n[i][k];
        }
    }
    int axis = fabs(area[0]) > fabs(area[1]) ? 0 : 1;
    axis = fabs(area[2]) > fabs(area[axis]) ? 2 : axis;
    const double* reach = corners->reach;
    double error = reach[(axis + 1) % 3] * reach[(axis + 2) % 3] *
                   (0x1p-47 + 4.0 * width + 2.0 * width * width);
    bool has_sign[3] = {false, false, false};
    for (int i = 0; i < count; ++i) {
        has_sign[1 + sign_of(n[i][axis], error)] = true;
    }
    if (has_sign[0] && has_sign[2]) {
        return DR_CCD_NONE;
    }
    return has_sign[1] ? DR_CCD_OPEN : DR_CCD_CONTACT;
}

dr_ccd_verdict dr_ccd_roots(const dr_ccd_corners* corners, double* low, double* high)
{
    double error = corners->reach[0] * corners->reach[1] * corners->reach[2] * 0x1p-44;
    piece f = whole_time(corners), parts[MOST_HALVINGS + 1];
    int count = 1;
    parts[0] = f;
    // From left to right; the parts still to come are on the stack.
    while (count > 0) {
        piece part = parts[--count];
        root_count roots = count_roots(&part, error);
        if (roots == UNKNOWN_ROOTS || (roots == SOME_ROOTS && part.depth == MOST_HALVINGS)) {
            return DR_CCD_OPEN;
        }
        if (roots == SOME_ROOTS) {
            halve(&part, &parts[count + 1], &parts[count]);
            count += 2;
        }
        if (roots == ONE_ROOT) {
            enclose_root(&f, &part, error, low, high);
            dr_ccd_verdict verdict = judge(corners, *low, *high);
            if (verdict != DR_CCD_NONE) {
                return verdict;
            }
        }
    }
    return DR_CCD_NONE;
}
