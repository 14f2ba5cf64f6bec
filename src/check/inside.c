#include "check/inside.h"

#include <math.h>

typedef struct corner {
    double x, y, z, length;
} corner;

static corner corner_from(drape_vec3 p, drape_vec3 a)
{
    corner c = {(double)a.x - (double)p.x, (double)a.y - (double)p.y, (double)a.z - (double)p.z, 0};
    c.length = sqrt(c.x * c.x + c.y * c.y + c.z * c.z);
    return c;
}

static double dot(const corner* a, const corner* b)
{
    return a->x * b->x + a->y * b->y + a->z * b->z;
}

static double volume(const corner* a, const corner* b, const corner* c)
{
    return a->x * (b->y * c->z - b->z * c->y) + a->y * (b->z * c->x - b->x * c->z) +
           a->z * (b->x * c->y - b->y * c->x);
}

// Half the angle in space under which a point sees a triangle (Van Oosterom, Strackee 1983).
static double half_angle(drape_vec3 p, const dr_check_mesh* solid, int triangle)
{
    const int32_t* v = solid->triangles + 3 * (size_t)triangle;
    corner a = corner_from(p, solid->positions[v[0]]), b = corner_from(p, solid->positions[v[1]]);
    corner c = corner_from(p, solid->positions[v[2]]);
    return atan2(volume(&a, &b, &c), a.length * b.length * c.length + dot(&a, &b) * c.length +
                                         dot(&b, &c) * a.length + dot(&c, &a) * b.length);
}

static bool is_inside(drape_vec3 p, const dr_check_mesh* solid)
{
    const double pi = 3.14159265358979323846;
    double sum = 0.0;
    for (int t = 0; t < solid->triangle_count; ++t) {
        sum += half_angle(p, solid, t);
    }
    // Once round is 2 pi of half angles: inside it is that, outside 0.
    return sum > pi;
}

static bool is_behind(drape_vec3 p, const dr_check_mesh* plane)
{
    const int32_t* v = plane->triangles;
    corner a = corner_from(p, plane->positions[v[0]]), b = corner_from(p, plane->positions[v[1]]);
    corner c = corner_from(p, plane->positions[v[2]]);
    return volume(&a, &b, &c) > 0.0;
}

int dr_inside_count(const drape_vec3* points, int count, const dr_check_mesh* solid)
{
    int inside = 0;
    for (int i = 0; i < count; ++i) {
        inside += solid->triangle_count == 2 ? is_behind(points[i], solid)
                                             : is_inside(points[i], solid);
    }
    return inside;
}
