#include "contact/sensor_point.h"

#include <math.h>
#include <string.h>

#include "core/double3.h"

static void subtract(drape_vec3 a, drape_vec3 b, double out[3])
{
    out[0] = (double)a.x - b.x;
    out[1] = (double)a.y - b.y;
    out[2] = (double)a.z - b.z;
}

void dr_material_place(const dr_mesh* mesh, const drape_vec3* places, const dr_material_point* at,
                       double out[3])
{
    const int32_t* v = mesh->triangles[at->triangle];
    const double* w = at->weight;
    drape_vec3 a = places[v[0]], b = places[v[1]], c = places[v[2]];
    out[0] = w[0] * a.x + w[1] * b.x + w[2] * c.x;
    out[1] = w[0] * a.y + w[1] * b.y + w[2] * c.y;
    out[2] = w[0] * a.z + w[1] * b.z + w[2] * c.z;
}

// --- Gradients ---

// Those of the three weights. False when the triangle has no area.
static bool weight_gradients(const dr_mesh* mesh, int triangle, double out[3][3])
{
    const int32_t* v = mesh->triangles[triangle];
    double edge[3][3], normal[3];
    for (int k = 0; k < 3; ++k) {
        subtract(mesh->rest[v[(k + 2) % 3]], mesh->rest[v[(k + 1) % 3]], edge[k]);
    }
    dr_cross3(edge[0], edge[1], normal);
    double square = dr_dot3(normal, normal);
    if (!(mesh->rest_area[triangle] > 0.0f) || !(square > 0.0)) {
        memset(out, 0, sizeof(double[3][3]));
        return false;
    }
    for (int k = 0; k < 3; ++k) {
        dr_cross3(normal, edge[k], out[k]);
        for (int d = 0; d < 3; ++d) {
            out[k][d] /= square;
        }
    }
    return true;
}

void dr_material_gradient(const dr_mesh* mesh, int triangle, const double values[3],
                          double gradient[3])
{
    double of_weight[3][3];
    weight_gradients(mesh, triangle, of_weight);
    for (int d = 0; d < 3; ++d) {
        gradient[d] =
            values[0] * of_weight[0][d] + values[1] * of_weight[1][d] + values[2] * of_weight[2][d];
    }
}

// --- Walking ---

// Edges that one move may cross, and how many of them at one place: a way through a vertex turns
// through the triangles around it, and in a corner of the cloth it finds no way on.
enum { most_crossings = 64, most_turns = 8 };

// The triangle across the edge opposite to a corner; -1 at a border, and where there is no area to
// walk on.
static int across(const dr_mesh* mesh, int triangle, int corner)
{
    int edge = mesh->triangle_edges[3 * triangle + corner];
    if (edge < 0) {
        return -1;
    }
    const int32_t* t = mesh->edges[edge].t;
    int other = t[0] == triangle ? t[1] : t[0];
    return other >= 0 && other != triangle && mesh->rest_area[other] > 0.0f ? other : -1;
}

// The unit vector along the edge opposite to a corner.
static void edge_direction(const dr_mesh* mesh, int triangle, int corner, double out[3])
{
    const int32_t* v = mesh->triangles[triangle];
    subtract(mesh->rest[v[(corner + 2) % 3]], mesh->rest[v[(corner + 1) % 3]], out);
    double length = sqrt(dr_dot3(out, out));
    for (int d = 0; d < 3; ++d) {
        out[d] = length > 0.0 ? out[d] / length : 0.0;
    }
}

// Goes to the next triangle over the edge opposite to `corner`, and turns the way with it.
static void step_over(const dr_mesh* mesh, dr_material_point* at, int corner, int next,
                      double way[3])
{
    const int32_t *from = mesh->triangles[at->triangle], *to = mesh->triangles[next];
    double along[3], inward[3], gradients[3][3], weight[3] = {0};
    int opposite = 0;
    edge_direction(mesh, at->triangle, corner, along);
    for (int k = 0; k < 3; ++k) {
        bool is_common = false;
        for (int j = 0; j < 3; ++j) {
            if (j != corner && from[j] == to[k]) {
                weight[k] = at->weight[j];
                is_common = true;
            }
        }
        opposite = is_common ? opposite : k;
    }
    // What was not along the edge now points away from it, into the next triangle.
    weight_gradients(mesh, next, gradients);
    double steep = sqrt(dr_dot3(gradients[opposite], gradients[opposite]));
    double part = dr_dot3(way, along), total = dr_dot3(way, way);
    double outward = sqrt(fmax(0.0, total - part * part));
    for (int d = 0; d < 3; ++d) {
        inward[d] = steep > 0.0 ? gradients[opposite][d] / steep : 0.0;
        way[d] = part * along[d] + outward * inward[d];
    }
    at->triangle = next;
    memcpy(at->weight, weight, sizeof weight);
}

static void slide_along(const dr_mesh* mesh, const dr_material_point* at, int corner, double way[3])
{
    double along[3];
    edge_direction(mesh, at->triangle, corner, along);
    double part = dr_dot3(way, along);
    for (int d = 0; d < 3; ++d) {
        way[d] = part * along[d];
    }
}

// Sum exactly near 1 and none below 0, however long the walk.
static void tidy(double weight[3])
{
    double sum = 0.0;
    for (int k = 0; k < 3; ++k) {
        weight[k] = fmax(0.0, weight[k]);
        sum += weight[k];
    }
    for (int k = 0; k < 3; ++k) {
        weight[k] /= sum;
    }
}

// Goes as far as the triangle reaches. Returns the corner opposite to the edge where it leaves, -1
// when the way ends inside; `way` becomes what is left.
static int go_inside(dr_material_point* at, double gradients[3][3], double way[3])
{
    double share = 1.0, rate[3];
    int exit = -1;
    for (int k = 0; k < 3; ++k) {
        rate[k] = dr_dot3(gradients[k], way);
        // A way along an edge, which is what sliding leaves, does not leave over it by rounding.
        double noise = 1e-12 * sqrt(dr_dot3(gradients[k], gradients[k]) * dr_dot3(way, way));
        if (rate[k] < -noise && at->weight[k] < -rate[k] * share) {
            share = at->weight[k] / -rate[k];
            exit = k;
        }
    }
    for (int k = 0; k < 3; ++k) {
        at->weight[k] += share * rate[k];
        way[k] *= 1.0 - share;
    }
    if (exit >= 0) {
        at->weight[exit] = 0.0;
    }
    tidy(at->weight);
    return exit;
}

double dr_material_walk(const dr_mesh* mesh, dr_material_point* at, const double move[3])
{
    double way[3] = {move[0], move[1], move[2]}, gradients[3][3];
    double whole = sqrt(dr_dot3(way, way)), gone = 0.0;
    int turns = 0;
    for (int i = 0; i < most_crossings && turns < most_turns; ++i) {
        double before = sqrt(dr_dot3(way, way));
        if (!weight_gradients(mesh, at->triangle, gradients)) {
            break;
        }
        int corner = go_inside(at, gradients, way);
        double went = before - sqrt(dr_dot3(way, way));
        gone += went;
        if (corner < 0) {
            break;
        }
        turns = went > 1e-9 * whole ? 0 : turns + 1;
        int next = across(mesh, at->triangle, corner);
        if (next >= 0) {
            step_over(mesh, at, corner, next, way);
        } else {
            slide_along(mesh, at, corner, way);
        }
    }
    return gone;
}

dr_material_point dr_material_spread(int triangle, double s, double t)
{
    // The other half of the parallelogram is folded back.
    if (s + t > 1.0) {
        s = 1.0 - s;
        t = 1.0 - t;
    }
    return (dr_material_point){triangle, {1.0 - s - t, s, t}};
}
