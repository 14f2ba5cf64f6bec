#include "contact/interval_times.h"

#include <math.h>

// Part of the time from 0 to 1; empty unless begin <= end.
typedef struct span {
    double begin, end;
} span;

static const span never = {2.0, -1.0};

// While the gap is negative. It is at most once zero, for it is linear.
static span while_negative(double at_start, double at_end)
{
    if (at_start >= 0.0 && at_end >= 0.0) {
        return never;
    }
    span s = {0.0, 1.0};
    if (at_start >= 0.0) {
        s.begin = at_start / (at_start - at_end);
    } else if (at_end >= 0.0) {
        s.end = at_start / (at_start - at_end);
    }
    return s;
}

static span common(span s, span t)
{
    return (span){fmax(s.begin, t.begin), fmin(s.end, t.end)};
}

// What one axis says.
typedef struct along {
    double a_below_b[2], b_below_a[2]; // gaps at the start and at the end
    span overlap;
} along;

static along look_along(const dr_moving_box* a, const dr_moving_box* b, int axis)
{
    along l;
    for (int i = 0; i < 2; ++i) {
        l.a_below_b[i] = (double)b->lo[i][axis] - a->hi[i][axis];
        l.b_below_a[i] = (double)a->lo[i][axis] - b->hi[i][axis];
    }
    l.overlap = common(while_negative(l.a_below_b[0], l.a_below_b[1]),
                       while_negative(l.b_below_a[0], l.b_below_a[1]));
    // Rounding must not part what changes places.
    bool is_change = (l.a_below_b[0] >= 0.0 && l.a_below_b[1] < 0.0 && l.b_below_a[1] >= 0.0) ||
                     (l.b_below_a[0] >= 0.0 && l.b_below_a[1] < 0.0 && l.a_below_b[1] >= 0.0);
    if (is_change && l.overlap.begin <= 1.0) {
        l.overlap.end = fmax(l.overlap.end, l.overlap.begin);
    }
    return l;
}

static double gap_at_start(const along* l)
{
    return fmax(l->a_below_b[0], l->b_below_a[0]);
}

static bool overlaps(const along* l, int when)
{
    return l->a_below_b[when] < 0.0 && l->b_below_a[when] < 0.0;
}

// The axis on which overlap begins last, among those that are apart at the start.
static int last_axis(const along l[3])
{
    int axis = -1;
    for (int d = 0; d < 3; ++d) {
        if (overlaps(&l[d], 0)) {
            continue;
        }
        if (axis < 0 || l[d].overlap.begin > l[axis].overlap.begin ||
            (l[d].overlap.begin == l[axis].overlap.begin &&
             gap_at_start(&l[d]) > gap_at_start(&l[axis]))) {
            axis = d;
        }
    }
    return axis;
}

static bool b_is_lower(const along* l, const dr_moving_box* a, const dr_moving_box* b, int axis)
{
    bool a_below = l->a_below_b[0] >= 0.0, b_below = l->b_below_a[0] >= 0.0;
    if (a_below && b_below) {
        double mean_a = (double)a->lo[1][axis] + a->hi[1][axis];
        double mean_b = (double)b->lo[1][axis] + b->hi[1][axis];
        return mean_b < mean_a;
    }
    return b_below;
}

dr_box_meeting dr_interval_times(const dr_moving_box* a, const dr_moving_box* b)
{
    along l[3] = {look_along(a, b, 0), look_along(a, b, 1), look_along(a, b, 2)};
    if (overlaps(&l[0], 0) && overlaps(&l[1], 0) && overlaps(&l[2], 0)) {
        return (dr_box_meeting){.meeting = DR_BOXES_OVERLAP_FIRST};
    }
    span all = common(common(l[0].overlap, l[1].overlap), l[2].overlap);
    // A beginning just before the end may be rounded to it.
    bool at_end = overlaps(&l[0], 1) && overlaps(&l[1], 1) && overlaps(&l[2], 1);
    if (!at_end && !(all.begin <= all.end)) {
        return (dr_box_meeting){.meeting = DR_BOXES_STAY_APART};
    }
    int axis = last_axis(l);
    bool swap = b_is_lower(&l[axis], a, b, axis);
    const dr_moving_box *lower = swap ? b : a, *upper = swap ? a : b;
    dr_box_meeting m = {.meeting = DR_BOXES_MEET, .axis = axis, .b_is_lower = swap};
    m.time = l[axis].overlap.begin;
    m.floor = lower->hi[0][axis];
    m.ceiling = upper->lo[0][axis];
    m.plane = m.floor + m.time * ((double)lower->hi[1][axis] - m.floor);
    return m;
}

static void widen(float lo[3], float hi[3], drape_vec3 p)
{
    const float c[3] = {p.x, p.y, p.z};
    for (int d = 0; d < 3; ++d) {
        lo[d] = c[d] < lo[d] ? c[d] : lo[d];
        hi[d] = c[d] > hi[d] ? c[d] : hi[d];
    }
}

dr_moving_box dr_moving_box_of(const drape_vec3* start, const drape_vec3* end,
                               const int32_t triangle[3])
{
    dr_moving_box box;
    for (int i = 0; i < 2; ++i) {
        const drape_vec3* places = i == 0 ? start : end;
        drape_vec3 p = places[triangle[0]];
        const float c[3] = {p.x, p.y, p.z};
        for (int d = 0; d < 3; ++d) {
            box.lo[i][d] = box.hi[i][d] = c[d];
        }
        widen(box.lo[i], box.hi[i], places[triangle[1]]);
        widen(box.lo[i], box.hi[i], places[triangle[2]]);
    }
    return box;
}

bool dr_boxes_overlap_at_end(const dr_moving_box* a, const dr_moving_box* b, bool closed)
{
    for (int d = 0; d < 3; ++d) {
        double gap = fmax((double)b->lo[1][d] - a->hi[1][d], (double)a->lo[1][d] - b->hi[1][d]);
        if (gap > 0.0 || (gap == 0.0 && !closed)) {
            return false;
        }
    }
    return true;
}
