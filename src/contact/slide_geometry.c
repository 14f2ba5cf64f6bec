#include "contact/slide_geometry.h"

#include <string.h>

// As core/vec_math.h rotates, v + 2 w (q x v) + 2 q x (q x v), so that files show the same places.
dr_frame dr_frame_of(drape_transform pose)
{
    double x = pose.rotate.x, y = pose.rotate.y, z = pose.rotate.z, w = pose.rotate.w;
    return (dr_frame){
        .turn = {{1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)},
                 {2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)},
                 {2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)}},
        .shift = {pose.translate.x, pose.translate.y, pose.translate.z},
    };
}

// --- Nearest points ---

static double squared_between(const double a[3], const double b[3])
{
    double way[3];
    dr_sub3(a, b, way);
    return dr_dot3(way, way);
}

// Share of the edge ab at which it is nearest to p. An edge without length is its first end.
static double share_of_edge(const double p[3], const double a[3], const double b[3])
{
    double along[3], to[3];
    dr_sub3(b, a, along);
    dr_sub3(p, a, to);
    double length = dr_dot3(along, along), share = dr_dot3(along, to);
    return length > 0.0 ? dr_least(dr_most(share / length, 0.0), 1.0) : 0.0;
}

static void nearest_of_border(const double p[3], const double (*corners)[3], double nearest[3])
{
    double best = INFINITY;
    for (int k = 0; k < 3; ++k) {
        const double *a = corners[k], *b = corners[k == 2 ? 0 : k + 1];
        double along[3], at[3];
        dr_sub3(b, a, along);
        dr_along3(a, share_of_edge(p, a, b), along, at);
        double squared = squared_between(p, at);
        if (squared < best) {
            best = squared;
            memcpy(nearest, at, sizeof at);
        }
    }
}

bool dr_nearest_of_triangle(const double p[3], const double (*corners)[3], double nearest[3])
{
    double u[3], v[3], w[3], normal[3], cross[3];
    dr_sub3(corners[1], corners[0], u);
    dr_sub3(corners[2], corners[0], v);
    dr_sub3(p, corners[0], w);
    dr_cross3(u, v, normal);
    double area = dr_dot3(normal, normal);
    dr_cross3(w, v, cross);
    double second = dr_dot3(cross, normal);
    dr_cross3(u, w, cross);
    double third = dr_dot3(cross, normal);
    if (second > 0.0 && third > 0.0 && second + third < area) {
        dr_along3(p, -dr_dot3(w, normal) / area, normal, nearest);
        return true;
    }
    nearest_of_border(p, corners, nearest);
    return false;
}

double dr_nearest_of_edges(const double a[3], const double b[3], const double c[3],
                           const double d[3], double* s, double* t)
{
    double u[3], v[3], w[3], along_u[3], along_v[3];
    dr_sub3(b, a, u);
    dr_sub3(d, c, v);
    dr_sub3(c, a, w);
    double uu = dr_dot3(u, u), uv = dr_dot3(u, v), vv = dr_dot3(v, v);
    double area = uu * vv - uv * uv;
    // Of parallel edges the middle of u serves as well as any place.
    double share = area > 1e-12 * uu * vv ? (dr_dot3(u, w) * vv - dr_dot3(v, w) * uv) / area : 0.5;
    *s = dr_least(dr_most(share, 0.0), 1.0);
    // Nearest on cd to that, then on ab to this: for clamped shares that is the answer.
    dr_along3(a, *s, u, along_u);
    *t = share_of_edge(along_u, c, d);
    dr_along3(c, *t, v, along_v);
    *s = share_of_edge(along_v, a, b);
    dr_along3(a, *s, u, along_u);
    return squared_between(along_u, along_v);
}

// --- Into the shell ---

// The distance from a triangle is a convex function along a straight way. So from the left Newton's
// steps never pass the first place where it is `reach`, and one that does not fall never will.
bool dr_enter_shell(const double x[3], const double q[3], const double (*corners)[3], double reach,
                    dr_entry* entry)
{
    enum { MOST_STEPS = 24 };
    const double near_enough = 1e-10; // of the reach
    double way[3];
    dr_sub3(q, x, way);
    entry->time = 0.0;
    for (int k = 0; k < MOST_STEPS; ++k) {
        double p[3];
        dr_along3(x, entry->time, way, p);
        entry->is_inner = dr_nearest_of_triangle(p, corners, entry->foot);
        dr_sub3(p, entry->foot, entry->normal);
        entry->distance = dr_unit3(entry->normal);
        double left = entry->distance - reach, slope = dr_dot3(entry->normal, way);
        if (left <= near_enough * reach) {
            return true;
        }
        if (slope >= 0.0 || entry->time - left / slope > 1.0) {
            return false;
        }
        entry->time -= left / slope;
    }
    return true;
}
