// mesh/checks.c: what a mesh must be before anything is built from it.
#include "mesh/stages.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>

// Three half-edges per triangle are counted in an int, and so are vertices and one more.
enum { MAX_TRIANGLES = INT_MAX / 3, MAX_VERTICES = INT_MAX - 1 };

static bool check_counts(const drape_mesh_view* view, char* sentence, size_t size)
{
    int vertices = view->vertex_count, triangles = view->triangle_count;
    if (vertices == 0) {
        snprintf(sentence, size, "the mesh has no vertices; expected at least one");
    } else if (vertices < 0 || vertices > MAX_VERTICES) {
        snprintf(sentence, size, "the mesh has %d vertices; expected 1 to %d", vertices,
                 MAX_VERTICES);
    } else if (triangles < 0 || triangles > MAX_TRIANGLES) {
        snprintf(sentence, size, "the mesh has %d triangles; expected 0 to %d", triangles,
                 MAX_TRIANGLES);
    } else if (!view->positions) {
        snprintf(sentence, size, "the mesh has %d vertices but no array of positions", vertices);
    } else if (!view->triangles && triangles > 0) {
        snprintf(sentence, size, "the mesh has %d triangles but no array of indices", triangles);
    } else {
        return true;
    }
    return false;
}

// False for NaN too.
static bool is_usable(float value)
{
    return fabsf(value) <= DR_MESH_MAX_COORDINATE;
}

static bool check_points(const drape_vec3* points, int count, const char* what, char* sentence,
                         size_t size)
{
    for (int i = 0; i < count; ++i) {
        drape_vec3 p = points[i];
        if (!is_usable(p.x) || !is_usable(p.y) || !is_usable(p.z)) {
            snprintf(sentence, size,
                     "vertex %d: the %s (%g, %g, %g) must be finite and within %g m of the origin",
                     i, what, (double)p.x, (double)p.y, (double)p.z,
                     (double)DR_MESH_MAX_COORDINATE);
            return false;
        }
    }
    return true;
}

static bool check_uv(const float* uv, int count, char* sentence, size_t size)
{
    for (int i = 0; i < count; ++i) {
        float u = uv[2 * (size_t)i], v = uv[2 * (size_t)i + 1];
        if (!is_usable(u) || !is_usable(v)) {
            snprintf(sentence, size, "vertex %d: the uv (%g, %g) must be finite and below %g", i,
                     (double)u, (double)v, (double)DR_MESH_MAX_COORDINATE);
            return false;
        }
    }
    return true;
}

static bool check_indices(const drape_mesh_view* view, char* sentence, size_t size)
{
    for (int t = 0; t < view->triangle_count; ++t) {
        for (int k = 0; k < 3; ++k) {
            int32_t index = view->triangles[3 * (size_t)t + (size_t)k];
            if (index < 0 || index >= view->vertex_count) {
                snprintf(sentence, size,
                         "triangle %d: corner %d is vertex %d, out of range; expected 0 to %d", t,
                         k, index, view->vertex_count - 1);
                return false;
            }
        }
    }
    return true;
}

bool dr_mesh_check_view(const drape_mesh_view* view, char* sentence, size_t sentence_size)
{
    if (!view) {
        snprintf(sentence, sentence_size, "there is no mesh");
        return false;
    }
    int count = view->vertex_count;
    return check_counts(view, sentence, sentence_size) &&
           check_points(view->positions, count, "position", sentence, sentence_size) &&
           (!view->rest ||
            check_points(view->rest, count, "rest position", sentence, sentence_size)) &&
           (!view->uv || check_uv(view->uv, count, sentence, sentence_size)) &&
           check_indices(view, sentence, sentence_size);
}
