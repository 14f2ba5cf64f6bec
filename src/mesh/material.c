// mesh/material.c: the coordinates of the weave, and where warp and weft run on a triangle.
#include <math.h>

#include "mesh/stages.h"

// uv whose area is below this share of its own extent squared has no direction left in floats.
static const double FLAT_UV = 1e-6;

typedef struct vec {
    double x, y, z;
} vec;

static vec vec_between(drape_vec3 from, drape_vec3 to)
{
    return (vec){(double)to.x - (double)from.x, (double)to.y - (double)from.y,
                 (double)to.z - (double)from.z};
}

static vec combine(double s, vec a, double t, vec b)
{
    return (vec){s * a.x + t * b.x, s * a.y + t * b.y, s * a.z + t * b.z};
}

static double dot(vec a, vec b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static vec cross(vec a, vec b)
{
    return (vec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static vec unit(vec a)
{
    return combine(1.0 / sqrt(dot(a, a)), a, 0.0, a);
}

static drape_vec3 to_float(vec a)
{
    return (drape_vec3){(float)a.x, (float)a.y, (float)a.z};
}

static float axis_of(drape_vec3 p, int axis)
{
    return axis == 0 ? p.x : axis == 1 ? p.y : p.z;
}

static float extent_along(const dr_mesh* mesh, int axis)
{
    float least = axis_of(mesh->rest[0], axis), most = least;
    for (int i = 1; i < mesh->vertex_count; ++i) {
        least = fminf(least, axis_of(mesh->rest[i], axis));
        most = fmaxf(most, axis_of(mesh->rest[i], axis));
    }
    return most - least;
}

void dr_mesh_make_uv(dr_mesh* mesh)
{
    float x = extent_along(mesh, 0), y = extent_along(mesh, 1), z = extent_along(mesh, 2);
    int u_axis = 0, v_axis = 2;
    if (z < y && z <= x) {
        v_axis = 1;
    } else if (x < y && x < z) {
        u_axis = 2;
        v_axis = 1;
    }
    for (int i = 0; i < mesh->vertex_count; ++i) {
        mesh->uv[i][0] = axis_of(mesh->rest[i], u_axis);
        mesh->uv[i][1] = axis_of(mesh->rest[i], v_axis);
    }
}

// A unit vector at right angles to a unit vector.
static vec any_across(vec a)
{
    vec least = fabs(a.x) < 0.5 ? (vec){1.0, 0.0, 0.0} : (vec){0.0, 0.0, 1.0};
    return unit(combine(1.0, least, -dot(least, a), a));
}

// The unit normal of a triangle with sides a and b, any that is at right angles to its longest side
// when it has no plane.
static vec normal_of(vec a, vec b)
{
    vec n = cross(a, b);
    vec c = combine(1.0, b, -1.0, a);
    vec longest = dot(a, a) > dot(b, b) ? a : b;
    longest = dot(c, c) > dot(longest, longest) ? c : longest;
    double scale = dot(longest, longest);
    if (!(scale > 0.0)) {
        return (vec){0.0, 1.0, 0.0};
    }
    return dot(n, n) > 1e-24 * scale * scale ? unit(n) : any_across(unit(longest));
}

// The x axis laid into the plane, or z when little of x is left there.
static vec axis_in_plane(vec normal)
{
    vec x = {1.0, 0.0, 0.0}, z = {0.0, 0.0, 1.0};
    vec laid = combine(1.0, x, -dot(x, normal), normal);
    if (dot(laid, laid) < 1e-12) {
        laid = combine(1.0, z, -dot(z, normal), normal);
    }
    return unit(laid);
}

void dr_mesh_warp_direction(const dr_mesh* mesh, int triangle, drape_vec3* warp, drape_vec3* weft)
{
    const int32_t* t = mesh->triangles[triangle];
    vec a = vec_between(mesh->rest[t[0]], mesh->rest[t[1]]);
    vec b = vec_between(mesh->rest[t[0]], mesh->rest[t[2]]);
    const float *uv0 = mesh->uv[t[0]], *uv1 = mesh->uv[t[1]], *uv2 = mesh->uv[t[2]];
    double ua = (double)uv1[0] - (double)uv0[0], va = (double)uv1[1] - (double)uv0[1];
    double ub = (double)uv2[0] - (double)uv0[0], vb = (double)uv2[1] - (double)uv0[1];

    // Columns of the Jacobian dP/d(u,v) times its determinant's size: only directions matter.
    double determinant = ua * vb - ub * va;
    double sign = determinant < 0.0 ? -1.0 : 1.0;
    vec along_u = combine(sign * vb, a, -sign * va, b);
    vec along_v = combine(-sign * ub, a, sign * ua, b);

    vec normal = normal_of(a, b);
    double extent = fmax(ua * ua + va * va, ub * ub + vb * vb);
    bool usable = fabs(determinant) > FLAT_UV * extent && mesh->rest_area[triangle] > 0.0f;
    vec along = usable ? unit(along_u) : axis_in_plane(normal);
    vec across = cross(normal, along);
    if (usable && dot(across, along_v) < 0.0) {
        across = combine(-1.0, across, 0.0, across);
    }
    *warp = to_float(along);
    *weft = to_float(across);
}
