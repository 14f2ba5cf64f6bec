#include "solver/stretch_limit.h"

#include <math.h>

#include "core/vec_math.h"

// --- Making ---

static int add_yarns(const dr_mesh* mesh, int columns, int first, float most, dr_stretch_bound* out)
{
    int count = 0;
    for (int e = 0; e < mesh->edge_count; ++e) {
        const int32_t* v = mesh->edges[e].v;
        float rest = dr_length(dr_sub(mesh->rest[v[1]], mesh->rest[v[0]]));
        bool is_yarn = v[1] - v[0] == columns || (v[1] - v[0] == 1 && v[1] % columns != 0);
        if (!is_yarn || !(rest > 0.0f)) {
            continue;
        }
        if (out) {
            out[count] = (dr_stretch_bound){{first + v[0], first + v[1], first + v[0]},
                                            {-1.0f / rest, 1.0f / rest, 0.0f},
                                            most};
        }
        ++count;
    }
    return count;
}

// The derivative of places along warp or weft from the corners of a triangle.
static void set_strain(const dr_mesh* mesh, int triangle, int first, float most,
                       dr_stretch_bound out[2])
{
    const int32_t* t = mesh->triangles[triangle];
    drape_vec3 axes[2];
    dr_mesh_warp_direction(mesh, triangle, &axes[0], &axes[1]);
    drape_vec3 e1 = dr_sub(mesh->rest[t[1]], mesh->rest[t[0]]);
    drape_vec3 e2 = dr_sub(mesh->rest[t[2]], mesh->rest[t[0]]);
    double u1 = (double)dr_dot(e1, axes[0]), u2 = (double)dr_dot(e2, axes[0]);
    double v1 = (double)dr_dot(e1, axes[1]), v2 = (double)dr_dot(e2, axes[1]);
    double det = u1 * v2 - u2 * v1;
    const double factor[2][2] = {{v2 / det, -v1 / det}, {-u2 / det, u1 / det}};
    for (int k = 0; k < 2; ++k) {
        float a = (float)factor[k][0], b = (float)factor[k][1];
        out[k] =
            (dr_stretch_bound){{first + t[0], first + t[1], first + t[2]}, {-a - b, a, b}, most};
    }
}

static int add_strains(const dr_mesh* mesh, int first, float most, dr_stretch_bound* out)
{
    int count = 0;
    for (int t = 0; t < mesh->triangle_count; ++t) {
        if (mesh->rest_area[t] > 0.0f) {
            if (out) {
                set_strain(mesh, t, first, most, out + count);
            }
            count += 2;
        }
    }
    return count;
}

int dr_stretch_bounds_of(const dr_mesh* mesh, int columns, int first, float strain_limit,
                         dr_stretch_bound* out)
{
    float most = 1.0f + strain_limit;
    return columns > 0 ? add_yarns(mesh, columns, first, most, out)
                       : add_strains(mesh, first, most, out);
}

// --- Projecting ---

static float stretched(const float* places, const dr_stretch_bound* bound, float d[3])
{
    d[0] = d[1] = d[2] = 0.0f;
    for (int i = 0; i < 3; ++i) {
        const float* p = places + 4 * (size_t)bound->vertex[i];
        for (int c = 0; c < 3; ++c) {
            d[c] += bound->factor[i] * p[c];
        }
    }
    return d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
}

static bool project(const dr_stretch_ends* ends, const dr_stretch_bound* bound)
{
    const float little = 1e-5f;
    float d[3], before[3], resists = 0.0f, *y = ends->y;
    float squared = stretched(y, bound, d), most = bound->most;
    if (!(squared > (most + little) * (most + little))) {
        return false;
    }
    most = fmaxf(most, sqrtf(stretched(ends->x, bound, before)) - ends->shrink);
    for (int i = 0; i < 3; ++i) {
        resists += bound->factor[i] * bound->factor[i] * y[4 * (size_t)bound->vertex[i] + 3];
    }
    float length = sqrtf(squared);
    if (!(length > most + little) || !(resists > 0.0f)) {
        return false;
    }
    float by = (most - length) / (length * resists);
    for (int i = 0; i < 3; ++i) {
        float* p = y + 4 * (size_t)bound->vertex[i];
        float factor = by * bound->factor[i] * p[3];
        ends->is_moved[bound->vertex[i]] = 1;
        for (int c = 0; c < 3; ++c) {
            p[c] += factor * d[c];
        }
    }
    return true;
}

static bool is_moved(const dr_stretch_ends* ends, const dr_stretch_bound* bound)
{
    return ends->is_moved[bound->vertex[0]] | ends->is_moved[bound->vertex[1]] |
           ends->is_moved[bound->vertex[2]];
}

bool dr_stretch_limit(const dr_stretch_ends* ends, const dr_stretch_bound* bounds, int count,
                      int passes)
{
    bool is_long = true, was_long = false;
    for (int pass = 0; pass < passes && is_long; ++pass) {
        is_long = false;
        for (int i = 0; i < count; ++i) {
            const dr_stretch_bound* bound = &bounds[pass % 2 ? count - 1 - i : i];
            is_long |= (pass == 0 || is_moved(ends, bound)) && project(ends, bound);
        }
        was_long |= is_long;
    }
    return was_long;
}
