#include "contact/sensor_contact.h"

#include <string.h>

#include "collide/closest.h"
#include "core/vec_math.h"

// The nearest points so far.
typedef struct nearest {
    float squared;
    float weight_a[3], weight_b[3];
} nearest;

// A corner of one triangle against the other.
static void try_corner(nearest* best, const drape_vec3 a[3], const drape_vec3 b[3], int k,
                       bool of_a)
{
    const drape_vec3* t = of_a ? b : a;
    dr_closest found = dr_closest_point_triangle(of_a ? a[k] : b[k], t[0], t[1], t[2]);
    if (found.squared < best->squared) {
        float corner[3] = {k == 0, k == 1, k == 2};
        best->squared = found.squared;
        memcpy(of_a ? best->weight_a : best->weight_b, corner, sizeof corner);
        memcpy(of_a ? best->weight_b : best->weight_a, found.weight, sizeof corner);
    }
}

static void try_edges(nearest* best, const drape_vec3 a[3], const drape_vec3 b[3], int i, int j)
{
    int i2 = (i + 1) % 3, j2 = (j + 1) % 3;
    dr_closest found = dr_closest_edges(a[i], a[i2], b[j], b[j2]);
    if (found.squared < best->squared) {
        *best = (nearest){.squared = found.squared};
        best->weight_a[i] = 1.0f - found.weight[0];
        best->weight_a[i2] = found.weight[0];
        best->weight_b[j] = 1.0f - found.weight[1];
        best->weight_b[j2] = found.weight[1];
    }
}

static drape_vec3 weighed(const drape_vec3 p[3], const float w[3])
{
    return dr_add(dr_add(dr_scale(p[0], w[0]), dr_scale(p[1], w[1])), dr_scale(p[2], w[2]));
}

// How easily the point of a triangle moves.
static float ease(const int32_t v[3], const float w[3], const float* inverse_mass)
{
    float sum = 0.0f;
    for (int k = 0; k < 3; ++k) {
        sum += w[k] * w[k] * (inverse_mass ? inverse_mass[v[k]] : 1.0f);
    }
    return sum;
}

dr_sensor_contact dr_sensor_contact_of(const dr_sheets* sheets, const float* inverse_mass, int a,
                                       int b, dr_relation relation)
{
    const int32_t *va = sheets->triangles[a], *vb = sheets->triangles[b];
    const drape_vec3* x = sheets->start;
    const drape_vec3 pa[3] = {x[va[0]], x[va[1]], x[va[2]]};
    const drape_vec3 pb[3] = {x[vb[0]], x[vb[1]], x[vb[2]]};
    nearest best = {.squared = INFINITY};
    for (int k = 0; k < 6; ++k) {
        try_corner(&best, pa, pb, k % 3, k < 3);
    }
    for (int k = 0; k < 9; ++k) {
        try_edges(&best, pa, pb, k / 3, k % 3);
    }
    dr_sensor_contact contact = {.a = a, .b = b, .relation = relation};
    memcpy(contact.weight_a, best.weight_a, sizeof best.weight_a);
    memcpy(contact.weight_b, best.weight_b, sizeof best.weight_b);
    contact.point_a = weighed(pa, best.weight_a);
    contact.point_b = weighed(pb, best.weight_b);
    drape_vec3 way = dr_sub(contact.point_a, contact.point_b);
    contact.normal = dr_normalize(way);
    contact.gap = dr_length(way);
    float ease_a = ease(va, best.weight_a, inverse_mass);
    float sum = ease_a + ease(vb, best.weight_b, inverse_mass);
    contact.share_a = sum > 0.0f ? ease_a / sum : 0.5f;
    return contact;
}

// Both sides keep at least this share of the gap: a pinned side is not asked to move, but it may
// not stand on the plane either.
static const double least_room = 0.125;

bool dr_sensor_contact_plane(const dr_sensor_contact* contact, double normal[3], double* offset)
{
    drape_vec3 n = contact->normal, b = contact->point_b;
    normal[0] = n.x;
    normal[1] = n.y;
    normal[2] = n.z;
    // Who moves more easily uses more of the gap.
    double room = fmin(fmax(1.0 - (double)contact->share_a, least_room), 1.0 - least_room);
    *offset = normal[0] * b.x + normal[1] * b.y + normal[2] * b.z + room * contact->gap;
    return contact->gap > 0.0f;
}
