#include "solver/hinge.h"

#include <math.h>
#include <string.h>

#include "core/double3.h"

bool dr_hinge_triangle_is_sound(const dr_mesh* mesh, int triangle)
{
    const int32_t* v = mesh->triangles[triangle];
    double longest = 0.0;
    for (int i = 0; i < 3; ++i) {
        drape_vec3 p = mesh->rest[v[i]], q = mesh->rest[v[(i + 1) % 3]];
        double d[3] = {(double)q.x - p.x, (double)q.y - p.y, (double)q.z - p.z};
        longest = fmax(longest, dr_dot3(d, d));
    }
    return (double)mesh->rest_area[triangle] > 1e-5 * longest;
}

static void normalize(double v[3])
{
    double length = sqrt(dr_dot3(v, v));
    for (int i = 0; i < 3; ++i) {
        v[i] = length > 1e-15 ? v[i] / length : 0.0;
    }
}

void dr_hinge_normal(double x[4][3], double n[3])
{
    double edge[3], e2[3], e3[3], n2[3], n3[3];
    dr_subtract3(x[1], x[0], edge);
    dr_subtract3(x[2], x[0], e2);
    dr_subtract3(x[3], x[0], e3);
    dr_cross3(edge, e2, n2);
    dr_cross3(e3, edge, n3);
    normalize(n2);
    normalize(n3);
    for (int i = 0; i < 3; ++i) {
        n[i] = n2[i] + n3[i];
    }
    normalize(n);
}

// Places of the corners when both triangles are laid into the plane, along and across the edge.
static void unfold(double x[4][3], double along[4], double height[4], double* length)
{
    double edge[3];
    dr_subtract3(x[1], x[0], edge);
    *length = sqrt(dr_dot3(edge, edge));
    for (int i = 0; i < 4; ++i) {
        double d[3];
        dr_subtract3(x[i], x[0], d);
        along[i] = dr_dot3(d, edge) / *length;
        height[i] = sqrt(fmax(dr_dot3(d, d) - along[i] * along[i], 0.0));
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
    dr_subtract3(x[1], x[0], edge);
    dr_subtract3(x[2], x[0], out);
    double length = sqrt(dr_dot3(edge, edge));
    for (int i = 0; i < 3; ++i) {
        edge[i] /= length;
        out[i] -= along[2] * edge[i];
    }
    double size = sqrt(dr_dot3(out, out));
    for (int k = 0; k < 2; ++k) {
        double direction[3] = {(double)axis[k].x, (double)axis[k].y, (double)axis[k].z};
        double e = dr_dot3(edge, direction), o = dr_dot3(out, direction) / size, response = 0.0;
        for (int i = 0; i < 4; ++i) {
            double u = along[i] * e + height[i] * o;
            response += shape->k[i] * 0.5 * u * u;
        }
        shape->across[k] = o * o;
        shape->response[k] = response;
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

// --- Calibration ---

// Heights of the inner vertices above a cylinder, relaxed one material axis at a time.
typedef struct relaxation {
    const dr_mesh* mesh;
    dr_hinge_shape* shapes; // area 0: takes no part
    uint8_t* depth;         // per vertex: 0 at a border, 1 next to one, 2 inside
    double *z[2], *residual, *direction, *image, *diagonal;
} relaxation;

enum { RELAX_STEPS = 6, RELAX_ROUNDS = 2, RELAX_ARRAYS = 6 };

static bool relaxation_create(relaxation* r, dr_memory* memory, const dr_mesh* mesh)
{
    size_t n = (size_t)mesh->vertex_count;
    *r = (relaxation){.mesh = mesh};
    r->shapes = dr_new_zeroed(memory, dr_hinge_shape, mesh->hinge_count);
    r->depth = dr_new_zeroed(memory, uint8_t, n);
    r->z[0] = dr_new_zeroed(memory, double, n * RELAX_ARRAYS);
    if ((mesh->hinge_count > 0 && !r->shapes) || !r->depth || !r->z[0]) {
        return false;
    }
    r->z[1] = r->z[0] + n;
    r->residual = r->z[1] + n;
    r->direction = r->residual + n;
    r->image = r->direction + n;
    r->diagonal = r->image + n;
    for (int v = 0; v < mesh->vertex_count; ++v) {
        r->depth[v] = vertex_is_inside(mesh, v) ? 2 : 0;
    }
    for (int i = 0; i < mesh->edge_count; ++i) {
        const int32_t* v = mesh->edges[i].v;
        for (int k = 0; k < 2; ++k) {
            if (r->depth[v[k]] == 2 && r->depth[v[1 - k]] == 0) {
                r->depth[v[k]] = 1;
            }
        }
    }
    for (int i = 0; i < mesh->hinge_count; ++i) {
        if (dr_hinge_triangle_is_sound(mesh, mesh->hinges[i].t[0]) &&
            dr_hinge_triangle_is_sound(mesh, mesh->hinges[i].t[1])) {
            r->shapes[i] = dr_hinge_shape_of(mesh, i);
        }
    }
    return true;
}

static void relaxation_free(relaxation* r, dr_memory* memory)
{
    dr_delete(memory, r->shapes, r->mesh->hinge_count);
    dr_delete(memory, r->depth, r->mesh->vertex_count);
    dr_delete(memory, r->z[0], (size_t)r->mesh->vertex_count * RELAX_ARRAYS);
}

// What a hinge measures of heights.
static double bend_of(const relaxation* r, int i, const double* heights)
{
    const int32_t* v = r->mesh->hinges[i].v;
    double sum = 0.0;
    for (int k = 0; k < 4; ++k) {
        sum += r->shapes[i].k[k] * heights[v[k]];
    }
    return sum;
}

// Forces of bends of heights (and of the cylinder, with axis >= 0) on the vertices that may move.
static void forces_of(const relaxation* r, const dr_hinge_rigidity* b, const double* heights,
                      int axis, double* out)
{
    memset(out, 0, sizeof(double) * (size_t)r->mesh->vertex_count);
    for (int i = 0; i < r->mesh->hinge_count; ++i) {
        const dr_hinge_shape* shape = &r->shapes[i];
        double both = shape->area[0] + shape->area[1];
        if (both <= 0.0) {
            continue;
        }
        double bend = bend_of(r, i, heights) + (axis >= 0 ? shape->response[axis] : 0.0);
        double moment = (double)dr_hinge_rigidity_of(b, shape) * bend / both;
        for (int k = 0; k < 4; ++k) {
            int32_t v = r->mesh->hinges[i].v[k];
            out[v] += r->depth[v] > 0 ? shape->k[k] * moment : 0.0;
        }
    }
}

static void set_diagonal(relaxation* r, const dr_hinge_rigidity* b)
{
    memset(r->diagonal, 0, sizeof(double) * (size_t)r->mesh->vertex_count);
    for (int i = 0; i < r->mesh->hinge_count; ++i) {
        const dr_hinge_shape* shape = &r->shapes[i];
        double both = shape->area[0] + shape->area[1];
        for (int k = 0; k < 4 && both > 0.0; ++k) {
            r->diagonal[r->mesh->hinges[i].v[k]] +=
                (double)dr_hinge_rigidity_of(b, shape) * shape->k[k] * shape->k[k] / both;
        }
    }
}

// Conjugate gradients, scaled by the diagonal. A few steps: only what varies from vertex to vertex
// moves, the cylinder as a whole is held by the border.
static void relax(relaxation* r, const dr_hinge_rigidity* b, int axis)
{
    int n = r->mesh->vertex_count;
    double *z = r->z[axis], before = 0.0;
    forces_of(r, b, z, axis, r->residual);
    for (int step = 0; step < RELAX_STEPS; ++step) {
        double now = 0.0, along = 0.0;
        for (int v = 0; v < n; ++v) {
            now += r->diagonal[v] > 0.0 ? r->residual[v] * r->residual[v] / r->diagonal[v] : 0.0;
        }
        for (int v = 0; v < n; ++v) {
            double d = r->diagonal[v] > 0.0 ? -r->residual[v] / r->diagonal[v] : 0.0;
            r->direction[v] = step > 0 ? d + now / before * r->direction[v] : d;
        }
        forces_of(r, b, r->direction, -1, r->image);
        for (int v = 0; v < n; ++v) {
            along += r->direction[v] * r->image[v];
        }
        if (!(along > 0.0) || !(now > 0.0)) {
            return;
        }
        for (int v = 0; v < n; ++v) {
            z[v] += now / along * r->direction[v];
            r->residual[v] += now / along * r->image[v];
        }
        before = now;
    }
}

// What unit rigidity along warp and weft costs on either cylinder, over whole stars of this depth.
static double measure(const relaxation* r, int depth, double m[2][2])
{
    double area = 0.0;
    memset(m, 0, sizeof(double) * 4);
    for (int i = 0; i < r->mesh->hinge_count; ++i) {
        const dr_hinge_shape* shape = &r->shapes[i];
        const int32_t* v = r->mesh->hinges[i].v;
        double share = 0.5 * ((r->depth[v[0]] >= depth) + (r->depth[v[1]] >= depth));
        double both = shape->area[0] + shape->area[1];
        if (share <= 0.0 || both <= 0.0) {
            continue;
        }
        for (int row = 0; row < 2; ++row) {
            double bend = bend_of(r, i, r->z[row]) + shape->response[row];
            for (int c = 0; c < 2; ++c) {
                m[row][c] += share * shape->across[c] * bend * bend / both;
            }
        }
        area += share * both / 3.0;
    }
    return area;
}

static void fit(const relaxation* r, const double wanted[2], dr_hinge_rigidity* rigidity)
{
    double m[2][2], area = measure(r, 2, m);
    area = area > 0.0 ? area : measure(r, 1, m);
    double det = m[0][0] * m[1][1] - m[0][1] * m[1][0];
    if (area <= 0.0 || det <= 1e-6 * area * area) {
        return;
    }
    double b[2] = {(wanted[0] * m[1][1] - wanted[1] * m[0][1]) * area / det,
                   (wanted[1] * m[0][0] - wanted[0] * m[1][0]) * area / det};
    for (int k = 0; k < 2; ++k) {
        rigidity->b[k] = fmin(fmax(b[k], 0.2 * wanted[k]), 5.0 * wanted[k]);
    }
}

bool dr_hinge_calibrate(const dr_mesh* mesh, dr_memory* memory, float bend_warp, float bend_weft,
                        dr_hinge_rigidity* rigidity)
{
    const double wanted[2] = {(double)bend_warp, (double)bend_weft};
    relaxation r;
    *rigidity = (dr_hinge_rigidity){{wanted[0], wanted[1]}};
    bool made = relaxation_create(&r, memory, mesh);
    for (int round = 0; made && round < RELAX_ROUNDS; ++round) {
        set_diagonal(&r, rigidity);
        relax(&r, rigidity, 0);
        relax(&r, rigidity, 1);
        fit(&r, wanted, rigidity);
    }
    relaxation_free(&r, memory);
    return made;
}
