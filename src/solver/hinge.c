#include "solver/hinge.h"

#include <math.h>

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void subtract(const double a[3], const double b[3], double out[3])
{
    for (int i = 0; i < 3; ++i) {
        out[i] = a[i] - b[i];
    }
}

static void cross(const double a[3], const double b[3], double out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

bool dr_hinge_triangle_is_sound(const dr_mesh* mesh, int triangle)
{
    const int32_t* v = mesh->triangles[triangle];
    double longest = 0.0;
    for (int i = 0; i < 3; ++i) {
        drape_vec3 p = mesh->rest[v[i]], q = mesh->rest[v[(i + 1) % 3]];
        double d[3] = {(double)q.x - p.x, (double)q.y - p.y, (double)q.z - p.z};
        longest = fmax(longest, dot(d, d));
    }
    return (double)mesh->rest_area[triangle] > 1e-5 * longest;
}

void dr_hinge_normal(double x[4][3], double n[3])
{
    double edge[3], e2[3], e3[3], n2[3], n3[3];
    subtract(x[1], x[0], edge);
    subtract(x[2], x[0], e2);
    subtract(x[3], x[0], e3);
    cross(edge, e2, n2);
    cross(e3, edge, n3);
    double length = 0.0;
    for (int i = 0; i < 3; ++i) {
        n[i] = n2[i] + n3[i];
        length += n[i] * n[i];
    }
    length = sqrt(length);
    for (int i = 0; i < 3; ++i) {
        n[i] = length > 1e-15 ? n[i] / length : 0.0;
    }
}

// Places of the corners when both triangles are laid into the plane, along and across the edge.
static void unfold(double x[4][3], double along[4], double height[4], double* length)
{
    double edge[3];
    subtract(x[1], x[0], edge);
    *length = sqrt(dot(edge, edge));
    for (int i = 0; i < 4; ++i) {
        double d[3];
        subtract(x[i], x[0], d);
        along[i] = dot(d, edge) / *length;
        height[i] = sqrt(fmax(dot(d, d) - along[i] * along[i], 0.0));
    }
    along[0] = height[0] = height[1] = 0.0;
    along[1] = *length;
    height[3] = -height[3];
}

// What unit curvature along each material axis does to the weights.
static void set_directions(dr_hinge_shape* shape, const dr_mesh* mesh, const dr_hinge* hinge,
                           double x[4][3], const double along[4], const double height[4])
{
    drape_vec3 axis[2];
    dr_mesh_warp_direction(mesh, hinge->t[0], &axis[0], &axis[1]);
    double edge[3], out[3];
    subtract(x[1], x[0], edge);
    subtract(x[2], x[0], out);
    double length = sqrt(dot(edge, edge));
    for (int i = 0; i < 3; ++i) {
        edge[i] /= length;
        out[i] -= along[2] * edge[i];
    }
    double size = sqrt(dot(out, out));
    for (int k = 0; k < 2; ++k) {
        double direction[3] = {(double)axis[k].x, (double)axis[k].y, (double)axis[k].z};
        double e = dot(edge, direction), o = dot(out, direction) / size, response = 0.0;
        for (int i = 0; i < 4; ++i) {
            double u = along[i] * e + height[i] * o;
            response += shape->k[i] * 0.5 * u * u;
        }
        shape->across[k] = o * o;
        shape->response[k] = fabs(response);
    }
}

dr_hinge_shape dr_hinge_shape_of(const dr_mesh* mesh, int index)
{
    const dr_hinge* hinge = &mesh->hinges[index];
    dr_hinge_shape shape = {0};
    double x[4][3], along[4], height[4], length, n[3];
    for (int i = 0; i < 4; ++i) {
        drape_vec3 p = mesh->rest[hinge->v[i]];
        x[i][0] = (double)p.x;
        x[i][1] = (double)p.y;
        x[i][2] = (double)p.z;
    }
    unfold(x, along, height, &length);
    // Cotangents of the angles at the ends of the edge, on either side.
    for (int side = 2; side < 4; ++side) {
        double h = fabs(height[side]);
        double at_0 = along[side] / h, at_1 = (length - along[side]) / h;
        shape.k[0] += at_1;
        shape.k[1] += at_0;
        shape.k[side] = -(at_0 + at_1);
        shape.area[side - 2] = 0.5 * length * h;
    }
    dr_hinge_normal(x, n);
    for (int c = 0; c < 3; ++c) {
        double sum = 0.0;
        for (int i = 1; i < 4; ++i) {
            sum += shape.k[i] * (x[i][c] - x[0][c]);
        }
        shape.bow += sum * n[c];
    }
    // Rounding of a flat shape is no bow.
    if (fabs(shape.bow) < 1e-5 * length) {
        shape.bow = 0.0;
    }
    set_directions(&shape, mesh, hinge, x, along, height);
    return shape;
}

float dr_hinge_rigidity_of(const dr_hinge_rigidity* rigidity, const dr_hinge_shape* shape)
{
    return (float)(rigidity->b[0] * shape->across[0] + rigidity->b[1] * shape->across[1]);
}

static bool vertex_is_inside(const dr_mesh* mesh, int32_t vertex)
{
    for (int32_t i = mesh->vertex_triangle_start[vertex];
         i < mesh->vertex_triangle_start[vertex + 1]; ++i) {
        int32_t t = mesh->vertex_triangle_list[i];
        for (int k = 0; k < 3; ++k) {
            const dr_edge* edge = &mesh->edges[mesh->triangle_edges[t * 3 + k]];
            if ((edge->v[0] == vertex || edge->v[1] == vertex) && edge->t[1] < 0) {
                return false;
            }
        }
    }
    return true;
}

dr_hinge_rigidity dr_hinge_calibrate(const dr_mesh* mesh, float bend_warp, float bend_weft)
{
    const double wanted[2] = {(double)bend_warp, (double)bend_weft};
    double m[2][2] = {{0}}, area = 0.0;
    for (int i = 0; i < mesh->hinge_count; ++i) {
        const dr_hinge* hinge = &mesh->hinges[i];
        if (!dr_hinge_triangle_is_sound(mesh, hinge->t[0]) ||
            !dr_hinge_triangle_is_sound(mesh, hinge->t[1])) {
            continue;
        }
        // Whole stars only: at a border some directions are missing.
        double share = 0.5 * (vertex_is_inside(mesh, hinge->v[0]) +
                              vertex_is_inside(mesh, hinge->v[1]));
        if (share <= 0.0) {
            continue;
        }
        dr_hinge_shape shape = dr_hinge_shape_of(mesh, i);
        double both = shape.area[0] + shape.area[1];
        for (int r = 0; r < 2; ++r) {
            for (int c = 0; c < 2; ++c) {
                m[r][c] += share * shape.across[c] * shape.response[r] * shape.response[r] / both;
            }
        }
        area += share * both / 3.0;
    }
    dr_hinge_rigidity rigidity = {{wanted[0], wanted[1]}};
    double det = m[0][0] * m[1][1] - m[0][1] * m[1][0];
    if (area <= 0.0 || det <= 1e-6 * area * area) {
        return rigidity;
    }
    double b[2] = {(wanted[0] * m[1][1] - wanted[1] * m[0][1]) * area / det,
                   (wanted[1] * m[0][0] - wanted[0] * m[1][0]) * area / det};
    for (int k = 0; k < 2; ++k) {
        rigidity.b[k] = fmin(fmax(b[k], 0.2 * wanted[k]), 5.0 * wanted[k]);
    }
    return rigidity;
}
