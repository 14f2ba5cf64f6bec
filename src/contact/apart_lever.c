// Sliding where a pin is one end of a feature: the other end has to make up for it.
//
// A pin that is led past the edge of a table takes an edge of the cloth along, and that tips over:
//
//        free o                              o
//              \  .                           \ .
//        -------\-o table      or:     --------o table   the free end comes up, or over,
//        |       \                     |        \        until the two edges are apart again
//                 x pin                          x
//
// No single normal has both ends of it on its side, so that pushing vertices behind a plane cannot
// help. But the pair is apart as long as the volume between its four vertices keeps its sign, and
// the free end can see to that, by the lever that it has.
#include <math.h>

#include "contact/apart.h"
#include "core/double3.h"

// A share of the edges that is the most a free end goes: beyond that it would be thrown. In half the
// time it has half as far to go.
static const double longest_way = 0.25;
static const double share_beyond = 0.25;

// Lines or a plane at y, and what of each vertex is at the points next to each other.
typedef struct lever {
    double normal[3]; // to the side on which the first feature was at x
    double height;    // of the first feature
    double weight[4]; // negative on the second side
} lever;

static void corners(const float* array, const int32_t vertex[4], double out[4][3])
{
    for (int i = 0; i < 4; ++i) {
        for (int c = 0; c < 3; ++c) {
            out[i][c] = array[4 * vertex[i] + c];
        }
    }
}

// The edges that span the normal, and the way from the second feature to the first.
static void span(dr_apart_kind kind, const double p[4][3], double u[3], double v[3], double w[3])
{
    bool is_point = kind == DR_APART_POINT;
    dr_subtract3(is_point ? p[2] : p[1], is_point ? p[1] : p[0], u);
    dr_subtract3(p[3], is_point ? p[1] : p[2], v);
    dr_subtract3(p[0], is_point ? p[1] : p[2], w);
}

static double volume_at_start(dr_apart_kind kind, const double x[4][3])
{
    double u[3], v[3], w[3], n[3];
    span(kind, x, u, v, w);
    dr_cross3(u, v, n);
    return dr_dot3(n, w);
}

// False when there is none, or other pairs are nearer to what is going on.
static bool find_lever(dr_apart_kind kind, const double x[4][3], const double y[4][3], lever* out)
{
    const double beside = 0.05;
    double u[3], v[3], w[3], n[3];
    span(kind, y, u, v, w);
    dr_cross3(u, v, n);
    double uu = dr_dot3(u, u), uv = dr_dot3(u, v), vv = dr_dot3(v, v);
    double uw = dr_dot3(u, w), vw = dr_dot3(v, w), square = dr_dot3(n, n);
    if (!(square > 1e-6 * uu * vv)) {
        return false;
    }
    // Along u and v: of a point in the triangle, or where the lines are nearest to each other.
    double s = (vv * uw - uv * vw) / square, t = (uu * vw - uv * uw) / square;
    double sign = volume_at_start(kind, x) > 0.0 ? 1.0 : -1.0;
    for (int c = 0; c < 3; ++c) {
        out->normal[c] = sign * n[c] / sqrt(square);
    }
    out->height = dr_dot3(out->normal, w);
    if (kind == DR_APART_POINT) {
        double weight[4] = {1.0, s + t - 1.0, -s, -t};
        for (int i = 0; i < 4; ++i) {
            out->weight[i] = weight[i];
        }
        return s > -beside && t > -beside && s + t < 1.0 + beside;
    }
    s = -s; // from the first corner on; w + s u = t v where they meet
    double weight[4] = {1.0 - s, s, t - 1.0, -t};
    for (int i = 0; i < 4; ++i) {
        out->weight[i] = weight[i];
    }
    return s > -beside && s < 1.0 + beside && t > -beside && t < 1.0 + beside;
}

// Whether a side has vertices that are led and others that are not.
static bool is_mixed(const dr_apart* apart, const dr_apart_record* record)
{
    int split = dr_apart_kind_of(record->list) == DR_APART_POINT ? 1 : 2;
    int led[2] = {0, 0}, of[2] = {split, 4 - split};
    for (int i = 0; i < 4; ++i) {
        led[i >= split] += dr_apart_is_led(apart, record->vertex[i]);
    }
    return (led[0] > 0 && led[0] < of[0]) || (led[1] > 0 && led[1] < of[1]);
}

void dr_apart_lever(dr_apart* apart, const dr_apart_record* record)
{
    if (!is_mixed(apart, record)) {
        return;
    }
    double x[4][3], y[4][3], yields[4], resists = 0.0, longest = 0.0;
    lever l;
    corners(apart->x, record->vertex, x);
    corners(apart->y, record->vertex, y);
    if (!find_lever(dr_apart_kind_of(record->list), (const double(*)[3])x, (const double(*)[3])y,
                    &l) ||
        l.height >= record->wanted) {
        return;
    }
    for (int i = 0; i < 4; ++i) {
        int v = record->vertex[i];
        yields[i] = dr_apart_is_led(apart, v) ? 0.0 : (double)apart->y[4 * v + 3];
        resists += l.weight[i] * l.weight[i] * yields[i];
        longest = fmax(longest, fabs(l.weight[i]) * yields[i]);
    }
    // Both ends go straight, and the feature turns: halfway it is nearer than at the end.
    double push = (1.0 + share_beyond) * (record->wanted - l.height) / resists;
    if (!(push * longest < longest_way * (double)apart->edge_length)) {
        return;
    }
    for (int i = 0; i < 4; ++i) {
        float* p = apart->y + 4 * record->vertex[i];
        if (yields[i] > 0.0) {
            apart->moved_at[record->vertex[i]] = apart->clock;
            for (int c = 0; c < 3; ++c) {
                p[c] += (float)(push * l.weight[i] * yields[i] * l.normal[c]);
            }
        }
    }
}
