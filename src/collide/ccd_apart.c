// Continuous collision with a separation: certified steps in time.
//
// A direction n, |n| <= 1, for which n . P_i > s holds at all corners shows that the polygon is
// further than s from the origin. Two certificates reach over a span of time, and neither cares how
// n was found:
//
// - one direction: n . P_i(t) is linear, so each corner tells until when it holds;
// - a turning direction from n at t = a to m at t = b: (n + x (m - n)) . P_i is a quadratic in the
//   part x of the span, above s if its Bernstein coefficients n.P_i(a), (n.P_i(b) + m.P_i(a)) / 2
//   and m.P_i(b) are. Turning costs only the square of the angle, so features that turn around each
//   other at a small distance do not need small steps.
//
// From t = 0 on, take the longest step that one of them grants. Where the distance at the end of a
// step is within `slack` = 2^-40 of the largest reach above s, that is the answer; the same when
// the steps are used up. Corners at any t have an error below 6 u of their reach, their dots with a
// direction below 12 u of sum(n_k reach_k); 2^-48 is 32 u.
#include <math.h>

#include "collide/ccd_stages.h"
#include "core/double3.h"

enum { MOST_STEPS = 256 };

typedef struct march {
    const dr_ccd_corners* corners;
    double threshold; // what n . P_i has to be above, errors included
    double slack;
} march;

// The corners at one time, a direction that has all of them on its side, and how far they are.
typedef struct view {
    double time;
    double p[4][3];
    double n[3]; // of length 1, or 0 when there is no such direction
    double gap;  // smallest n . P_i
} view;

// Takes the direction when the corners are further along it than along the best so far.
static void try_direction(view* v, int count, const double d[3], double sign)
{
    double length = sqrt(dr_dot3(d, d));
    if (!(length > 0.0)) {
        return;
    }
    double factor = sign / length;
    double n[3] = {factor * d[0], factor * d[1], factor * d[2]};
    double gap = dr_dot3(n, v->p[0]);
    for (int i = 1; i < count; ++i) {
        double along = dr_dot3(n, v->p[i]);
        gap = along < gap ? along : gap;
    }
    if (gap > v->gap) {
        v->gap = gap;
        for (int k = 0; k < 3; ++k) {
            v->n[k] = n[k];
        }
    }
}

// The nearest point of the polygon is on an edge, or it is where the normal meets the face. The
// best of these directions is tried out, so a poor one of a degenerate polygon does no harm.
static void find_direction(view* v, int count)
{
    v->gap = 0.0;
    v->n[0] = v->n[1] = v->n[2] = 0.0;
    double area[3] = {0.0, 0.0, 0.0};
    for (int i = 0; i < count; ++i) {
        const double *a = v->p[i], *b = v->p[i + 1 < count ? i + 1 : 0];
        double way[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
        double square = dr_dot3(way, way), along = -dr_dot3(a, way);
        double x = !(along > 0.0) ? 0.0 : along >= square ? 1.0 : along / square;
        double nearest[3] = {a[0] + x * way[0], a[1] + x * way[1], a[2] + x * way[2]};
        try_direction(v, count, nearest, 1.0);
        area[0] += a[1] * b[2] - a[2] * b[1];
        area[1] += a[2] * b[0] - a[0] * b[2];
        area[2] += a[0] * b[1] - a[1] * b[0];
    }
    try_direction(v, count, area, dr_dot3(area, v->p[0]) > 0.0 ? 1.0 : -1.0);
}

static view look(const march* m, double time)
{
    view v = {.time = time};
    for (int i = 0; i < m->corners->count; ++i) {
        for (int k = 0; k < 3; ++k) {
            v.p[i][k] = (1.0 - time) * m->corners->at[0][i][k] + time * m->corners->at[1][i][k];
        }
    }
    find_direction(&v, m->corners->count);
    return v;
}

// Until when the direction of the view holds; its own time when it does not hold then. May be
// above 1.
static double one_direction_end(const march* m, const view* v)
{
    double end = 2.0;
    for (int i = 0; i < m->corners->count; ++i) {
        double now = dr_dot3(v->n, v->p[i]) - m->threshold;
        double last = dr_dot3(v->n, m->corners->at[1][i]) - m->threshold;
        if (!(now > 0.0)) {
            return v->time;
        }
        if (!(last > 0.0)) {
            // Rounded down by more than the four operations can round up.
            double until = v->time + (1.0 - v->time) * (now / (now - last)) * (1.0 - 0x1p-50);
            until -= until * 0x1p-52;
            end = until < end ? until : end;
        }
    }
    return end > v->time ? end : v->time;
}

static bool turning_direction_holds(const march* m, const view* a, const view* b)
{
    bool holds = true;
    for (int i = 0; i < m->corners->count; ++i) {
        double middle = 0.5 * (dr_dot3(a->n, b->p[i]) + dr_dot3(b->n, a->p[i]));
        holds = holds && dr_dot3(a->n, a->p[i]) > m->threshold && middle > m->threshold &&
                dr_dot3(b->n, b->p[i]) > m->threshold;
    }
    return holds;
}

dr_ccd_result dr_ccd_apart(const dr_ccd_corners* corners, double separation)
{
    const double* reach = corners->reach;
    double sum = reach[0] + reach[1] + reach[2];
    double scale = sum > separation ? sum : separation;
    // Squares must neither vanish nor overflow.
    if (!(scale > 0x1p-400 && scale < 0x1p400)) {
        return dr_ccd_at(0.0);
    }
    march m = {.corners = corners,
               .threshold = separation * (1.0 + 0x1p-49) + sum * 0x1p-48,
               .slack = sum * 0x1p-40};
    view here = look(&m, 0.0);
    double step = 1.0;
    for (int k = 0; k < MOST_STEPS && here.gap > m.threshold + m.slack; ++k) {
        double end = one_direction_end(&m, &here);
        if (end > 1.0) {
            return dr_ccd_none();
        }
        double trial = here.time + step < 1.0 ? here.time + step : 1.0;
        view there = look(&m, trial > end ? trial : end);
        if (trial > end && !turning_direction_holds(&m, &here, &there)) {
            step = 0.25 * (trial - here.time);
            there = look(&m, end);
        } else if (there.time == 1.0) {
            return there.gap > m.threshold ? dr_ccd_none() : dr_ccd_at(1.0);
        } else {
            step = 2.0 * (there.time - here.time);
        }
        here = there;
    }
    return dr_ccd_at(here.time);
}
