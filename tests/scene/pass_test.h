// pass_test.h: whether a cloth and a solid are on the sides of each other that they started on, by
// geometry alone: nothing here knows how contacts are found or answered.
#ifndef PASS_TEST_H
#define PASS_TEST_H

#include "collider_test.h"
#include "core/double3.h"

// The bracket of a minimum shrinks by a third in every round: to a micrometre for edges of 20 mm.
enum { search_rounds = 24 };

// A triangle in the frame of a solid.
typedef struct probe {
    dr_shape_terms terms;
    drape_vec3 a, ab, ac;
} probe;

static inline double distance_inside(const probe* at, double u, double v)
{
    drape_vec3 normal,
        q = dr_add(at->a, dr_add(dr_scale(at->ab, (float)u), dr_scale(at->ac, (float)v)));
    return (double)dr_shape_distance(&at->terms, q, &normal);
}

static inline double least_across(const probe* at, double u)
{
    double lo = 0.0, hi = 1.0 - u;
    for (int i = 0; i < search_rounds; ++i) {
        double first = lo + (hi - lo) / 3.0, second = hi - (hi - lo) / 3.0;
        bool falls = distance_inside(at, u, first) > distance_inside(at, u, second);
        lo = falls ? first : lo;
        hi = falls ? hi : second;
    }
    return distance_inside(at, u, 0.5 * (lo + hi));
}

// Signed distance of the nearest or deepest point of a triangle: the distance to a convex solid is
// a convex function, and so is its least value across as a function along.
static inline double triangle_distance(const probe* at)
{
    double lo = 0.0, hi = 1.0;
    for (int i = 0; i < search_rounds; ++i) {
        double first = lo + (hi - lo) / 3.0, second = hi - (hi - lo) / 3.0;
        bool falls = least_across(at, first) > least_across(at, second);
        lo = falls ? first : lo;
        hi = falls ? hi : second;
    }
    return least_across(at, 0.5 * (lo + hi));
}

// The same over all triangles of a cloth. Those that cannot be below `limit` are not looked at: the
// distance changes no faster than one goes.
static inline double cloth_distance(drape_world* world, drape_cloth_id cloth,
                                    const drape_shape* shape, drape_transform pose, double limit)
{
    int count;
    const drape_vec3* p = drape_cloth_positions(world, cloth, NULL);
    const int32_t* t = drape_cloth_triangles(world, cloth, &count);
    probe at = {.terms = dr_shape_terms_of(shape)};
    double nearest = limit;
    for (int i = 0; i < count; ++i) {
        at.a = dr_transform_inverse_apply(pose, p[t[3 * i]]);
        at.ab = dr_sub(dr_transform_inverse_apply(pose, p[t[3 * i + 1]]), at.a);
        at.ac = dr_sub(dr_transform_inverse_apply(pose, p[t[3 * i + 2]]), at.a);
        double size = fmax(dr_length_double(at.ab), dr_length_double(at.ac));
        if (distance_inside(&at, 0.0, 0.0) - size < nearest) {
            nearest = fmin(nearest, triangle_distance(&at));
        }
    }
    return nearest;
}

// The corners of a triangle as seen from a point.
static inline void corners_from(const drape_vec3* p, const int32_t t[3], drape_vec3 from,
                                double out[3][3])
{
    for (int k = 0; k < 3; ++k) {
        out[k][0] = (double)p[t[k]].x - (double)from.x;
        out[k][1] = (double)p[t[k]].y - (double)from.y;
        out[k][2] = (double)p[t[k]].z - (double)from.z;
    }
}

// How often a ray leaves through the cloth, by the side of each triangle: through a fold twice,
// which counts nothing. While neither passes the other, nor the ray the border, the number stays.
static inline int ray_crossings(drape_world* world, drape_cloth_id cloth, drape_vec3 from,
                                drape_vec3 along)
{
    int count, sum = 0;
    const drape_vec3* p = drape_cloth_positions(world, cloth, NULL);
    const int32_t* t = drape_cloth_triangles(world, cloth, &count);
    const double d[3] = {(double)along.x, (double)along.y, (double)along.z};
    for (int i = 0; i < count; ++i) {
        double c[3][3], side[3], ahead = 0.0;
        corners_from(p, t + 3 * (size_t)i, from, c);
        for (int k = 0; k < 3; ++k) {
            double normal[3];
            dr_cross3(c[(k + 1) % 3], c[(k + 2) % 3], normal);
            side[k] = dr_dot3(d, normal);
        }
        bool up = side[0] > 0 && side[1] > 0 && side[2] > 0;
        bool down = side[0] < 0 && side[1] < 0 && side[2] < 0;
        for (int k = 0; (up || down) && k < 3; ++k) {
            ahead += side[k] / (side[0] + side[1] + side[2]) * dr_dot3(c[k], d);
        }
        sum += ahead > 0.0 ? up - down : 0;
    }
    return sum;
}

// How much of all directions the cloth covers as seen from a point, 1 for all of them, by the side
// that is seen. It changes little by little, but by a whole when the point passes through the
// cloth.
static inline double cover_of(drape_world* world, drape_cloth_id cloth, drape_vec3 from)
{
    int count;
    double sum = 0.0;
    const drape_vec3* p = drape_cloth_positions(world, cloth, NULL);
    const int32_t* t = drape_cloth_triangles(world, cloth, &count);
    for (int i = 0; i < count; ++i) {
        double c[3][3], length[3], normal[3];
        corners_from(p, t + 3 * (size_t)i, from, c);
        for (int k = 0; k < 3; ++k) {
            length[k] = sqrt(dr_dot3(c[k], c[k]));
        }
        dr_cross3(c[1], c[2], normal);
        // The tangent of half the angle, after van Oosterom and Strackee.
        sum += 2.0 * atan2(dr_dot3(c[0], normal),
                           length[0] * length[1] * length[2] + dr_dot3(c[0], c[1]) * length[2] +
                               dr_dot3(c[1], c[2]) * length[0] + dr_dot3(c[2], c[0]) * length[1]);
    }
    return sum / (4.0 * 3.14159265358979);
}

#endif
