// Whether a pair stays apart on its whole way from x to y.
//
// One normal for all of the way is often enough, and quickest. But things that turn, or slide past
// each other, do not have one. Then the way is cut into pieces with a normal each:
//
//     x ------- t1 -------- t2 ----- y        n0 has a gap from 0 to t1,
//       n0 ....... n1 .......... n2           n1 from t1 to t2, n2 from t2 to the end
//
// For each normal, the heights of the vertices along it are linear in time, so the times at which
// it has a gap are an interval that is found without a search. The next normal is the best one near
// the end of this interval. Each time between two pieces is one number, and at it both normals have
// a gap: there is no time without one.
//
// What is near and turns would need more pieces than anyone wants to wait for: a normal lasts for
// gap / (angle * length) of the way. But a pair meets only when its four vertices are in a plane,
// and where all turn alike the volume between them hardly changes: six times of it is
// the determinant of three edges, each linear in time, so it is a cubic. When all four Bernstein
// coefficients of it have one sign, from some time on, then so it has from there to the end.
#include <math.h>
#include <string.h>

#include "contact/apart.h"

// Library calls cost more than what they compute.
static double larger(double a, double b)
{
    return a > b ? a : b;
}

static double smaller(double a, double b)
{
    return a < b ? a : b;
}

// The pair on its way.
typedef struct way {
    dr_apart_kind kind;
    drape_vec3 x[4], y[4];
} way;

static int split_of(dr_apart_kind kind)
{
    return kind == DR_APART_POINT ? 1 : 2;
}

// Heights of the vertices along a normal at both ends, and what they may be wrong by.
typedef struct heights {
    double x[4], y[4];
    double error;
} heights;

static double height_of(const double n[3], drape_vec3 p, double* terms)
{
    double a = n[0] * p.x, b = n[1] * p.y, c = n[2] * p.z;
    *terms = larger(*terms, fabs(a) + fabs(b) + fabs(c));
    return a + b + c;
}

// Each height has an error of four units in the last place of its terms, one that is between the
// two ends four more: twice that for a difference, and as much again.
static heights heights_along(const way* w, const double n[3])
{
    heights h;
    double terms = 0.0;
    for (int i = 0; i < 4; ++i) {
        h.x[i] = height_of(n, w->x[i], &terms);
        h.y[i] = height_of(n, w->y[i], &terms);
    }
    h.error = 0x1p-48 * terms;
    return h;
}

static double between(double a, double b, double t)
{
    return a + t * (b - a);
}

// The gap along the normal at a time, error taken off.
static double gap_at(const way* w, const heights* h, double t)
{
    double above = INFINITY, below = -INFINITY;
    for (int i = 0; i < 4; ++i) {
        double at = between(h->x[i], h->y[i], t);
        if (i < split_of(w->kind)) {
            above = smaller(above, at);
        } else {
            below = larger(below, at);
        }
    }
    return above - below - h->error;
}

// Up to when the normal keeps a gap that it has at t, as a share of the way.
static double lasts_until(const way* w, const heights* h, double t)
{
    double until = 1.0;
    for (int i = 0; i < split_of(w->kind); ++i) {
        for (int j = split_of(w->kind); j < 4; ++j) {
            double now = between(h->x[i], h->y[i], t) - between(h->x[j], h->y[j], t) - h->error;
            double end = h->y[i] - h->y[j] - h->error;
            if (end <= 0.0) {
                until = smaller(until, t + (1.0 - t) * (now / (now - end)));
            }
        }
    }
    return until;
}

static dr_separation separate(dr_apart_kind kind, const drape_vec3 v[4])
{
    return kind == DR_APART_POINT ? dr_separate_point_triangle(v) : dr_separate_edges(v);
}

static bool best_normal(const way* w, double t, double normal[3])
{
    drape_vec3 v[4];
    for (int i = 0; i < 4; ++i) {
        v[i].x = (float)between(w->x[i].x, w->y[i].x, t);
        v[i].y = (float)between(w->x[i].y, w->y[i].y, t);
        v[i].z = (float)between(w->x[i].z, w->y[i].z, t);
    }
    dr_separation s = separate(w->kind, v);
    memcpy(normal, s.normal, sizeof s.normal);
    return s.gap > 0.0;
}

// --- Never in a plane ---

static double determinant(const double a[3], const double b[3], const double c[3])
{
    return a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
           a[2] * (b[0] * c[1] - b[1] * c[0]);
}

// Edges from the first vertex to the others at a time, the largest component of each into `most`.
static void edges_at(const way* w, double t, double edge[3][3], double most[3])
{
    const drape_vec3 *x = w->x, *y = w->y;
    const double origin[3] = {between(x[0].x, y[0].x, t), between(x[0].y, y[0].y, t),
                              between(x[0].z, y[0].z, t)};
    for (int k = 0; k < 3; ++k) {
        const drape_vec3 *a = &x[k + 1], *b = &y[k + 1];
        const double at[3] = {between(a->x, b->x, t), between(a->y, b->y, t),
                              between(a->z, b->z, t)};
        for (int c = 0; c < 3; ++c) {
            edge[k][c] = at[c] - origin[c];
            most[k] = larger(most[k], fabs(edge[k][c]));
        }
    }
}

// Whether the four vertices are in a plane at no time from t to the end. A place between the ends
// has an error of 2^-51 of its coordinates, a determinant one of 2^-46 of its largest product.
static bool is_never_flat(const way* w, double t)
{
    double a[3][3], b[3][3], most[3] = {0.0, 0.0, 0.0}, far = 0.0;
    edges_at(w, t, a, most);
    edges_at(w, 1.0, b, most);
    for (int i = 0; i < 4; ++i) {
        const drape_vec3 p = w->x[i], q = w->y[i];
        far = larger(far, larger(larger(fabsf(p.x), fabsf(p.y)), fabsf(p.z)));
        far = larger(far, larger(larger(fabsf(q.x), fabsf(q.y)), fabsf(q.z)));
    }
    const double volume[4] = {determinant(a[0], a[1], a[2]),
                              (determinant(b[0], a[1], a[2]) + determinant(a[0], b[1], a[2]) +
                               determinant(a[0], a[1], b[2])) /
                                  3.0,
                              (determinant(a[0], b[1], b[2]) + determinant(b[0], a[1], b[2]) +
                               determinant(b[0], b[1], a[2])) /
                                  3.0,
                              determinant(b[0], b[1], b[2])};
    double of_places = most[0] * most[1] + most[1] * most[2] + most[2] * most[0];
    double error = 0x1p-45 * most[0] * most[1] * most[2] + 0x1p-46 * far * of_places;
    double side = volume[0] < 0.0 ? -1.0 : 1.0, least = INFINITY;
    for (int i = 0; i < 4; ++i) {
        least = smaller(least, side * volume[i]);
    }
    return least > error;
}

// --- All of it ---

bool dr_apart_certify(const dr_apart* apart, dr_apart_record* record)
{
    enum { most_pieces = 24 };
    const double too_near = 0.1; // in between, as a share of what is needed at the end
    way w = {.kind = dr_apart_kind_of(record->list)};
    for (int i = 0; i < 4; ++i) {
        memcpy(&w.x[i], apart->x + 4 * record->vertex[i], sizeof w.x[i]);
        memcpy(&w.y[i], apart->y + 4 * record->vertex[i], sizeof w.y[i]);
    }
    double t = 0.0, normal[3];
    memcpy(normal, record->normal, sizeof normal);
    heights h = heights_along(&w, normal);
    memcpy(record->push, normal, sizeof normal);
    if (gap_at(&w, &h, 1.0) >= record->needed) {
        return true;
    }
    for (int piece = 0; piece < most_pieces; ++piece) {
        if (is_never_flat(&w, t)) {
            dr_separation s = separate(w.kind, w.y);
            memcpy(record->push, s.gap > 0.0 ? s.normal : normal, sizeof normal);
            return s.gap >= record->needed;
        }
        double until = lasts_until(&w, &h, t);
        // The end of the interval has no gap; where the next normal takes over both shall have one.
        double next = until >= 1.0 ? 1.0 : t + 0.9 * (until - t);
        double other[3];
        if (!best_normal(&w, next, other)) {
            return false;
        }
        heights of_other = heights_along(&w, other);
        double gap = gap_at(&w, &of_other, next);
        // What meets comes nearer by nine tenths in each piece, for ever.
        if (!(gap > too_near * record->needed) || !(gap_at(&w, &h, next) > 0.0)) {
            return false;
        }
        memcpy(record->push, other, sizeof other);
        if (next >= 1.0) {
            return gap >= record->needed;
        }
        h = of_other;
        t = next;
    }
    return false;
}
