#include "solver/stretch_limit.h"

#include <math.h>
#include <string.h>

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

// Bounds of a part into `out` (null: only counts them). Returns how many.
static int add_part(const dr_stretch_part* part, dr_stretch_bound* out)
{
    float most = 1.0f + part->strain_limit;
    return part->columns > 0 ? add_yarns(part->mesh, part->columns, part->first, most, out)
                             : add_strains(part->mesh, part->first, most, out);
}

// Yarns name their first vertex twice, with no factor: it counts once.
static int corner_count(const dr_stretch_bound* bound)
{
    return bound->vertex[2] == bound->vertex[0] ? 2 : 3;
}

static void list_around(dr_stretch_limits* limits)
{
    int32_t* start = limits->around_start;
    memset(start, 0, sizeof *start * ((size_t)limits->vertex_count + 2));
    for (int i = 0; i < limits->count; ++i) {
        for (int k = 0; k < corner_count(&limits->bounds[i]); ++k) {
            ++start[limits->bounds[i].vertex[k] + 2];
        }
    }
    for (int v = 0; v < limits->vertex_count; ++v) {
        start[v + 2] += start[v + 1];
    }
    // start[v + 1] goes from the first of v to the first of v + 1.
    for (int i = 0; i < limits->count; ++i) {
        for (int k = 0; k < corner_count(&limits->bounds[i]); ++k) {
            limits->around[start[limits->bounds[i].vertex[k] + 1]++] = i;
        }
    }
}

static size_t due_words(const dr_stretch_limits* limits)
{
    return (size_t)limits->count / 64 + 1;
}

bool dr_stretch_limits_create(dr_stretch_limits* limits, dr_memory* memory,
                              const dr_stretch_part* parts, int part_count)
{
    *limits = (dr_stretch_limits){0};
    for (int p = 0; p < part_count; ++p) {
        int end = parts[p].first + parts[p].mesh->vertex_count;
        limits->count += add_part(&parts[p], NULL);
        limits->vertex_count = end > limits->vertex_count ? end : limits->vertex_count;
    }
    limits->bounds = dr_new(memory, dr_stretch_bound, limits->count + 1);
    limits->around = dr_new(memory, int32_t, 3 * limits->count + 1);
    limits->around_start = dr_new(memory, int32_t, limits->vertex_count + 2);
    limits->due = dr_new_zeroed(memory, uint64_t, due_words(limits));
    if (!limits->bounds || !limits->around || !limits->around_start || !limits->due) {
        return false;
    }
    int count = 0;
    for (int p = 0; p < part_count; ++p) {
        count += add_part(&parts[p], limits->bounds + count);
    }
    list_around(limits);
    return true;
}

void dr_stretch_limits_free(dr_stretch_limits* limits, dr_memory* memory)
{
    dr_delete(memory, limits->bounds, limits->count + 1);
    dr_delete(memory, limits->around, 3 * limits->count + 1);
    dr_delete(memory, limits->around_start, limits->vertex_count + 2);
    dr_delete(memory, limits->due, due_words(limits));
    *limits = (dr_stretch_limits){0};
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

static float yielding(const dr_stretch_ends* ends, int vertex)
{
    return ends->is_held && ends->is_held[vertex] ? 0.0f : ends->y[4 * (size_t)vertex + 3];
}

static bool project(const dr_stretch_ends* ends, const dr_stretch_bound* bound)
{
    const float little = 1e-5f;
    float d[3], before[3], yields[3], resists = 0.0f;
    float squared = stretched(ends->y, bound, d), most = bound->most;
    if (!(squared > (most + little) * (most + little))) {
        return false;
    }
    most = fmaxf(most, sqrtf(stretched(ends->x, bound, before)) - ends->shrink);
    for (int i = 0; i < 3; ++i) {
        yields[i] = yielding(ends, bound->vertex[i]);
        resists += bound->factor[i] * bound->factor[i] * yields[i];
    }
    float length = sqrtf(squared);
    if (!(length > most + little) || !(resists > 0.0f)) {
        return false;
    }
    float by = (most - length) / (length * resists);
    for (int i = 0; i < 3; ++i) {
        float* p = ends->y + 4 * (size_t)bound->vertex[i];
        float factor = by * bound->factor[i] * yields[i];
        for (int c = 0; c < 3; ++c) {
            p[c] += factor * d[c];
        }
    }
    return true;
}

static void set_due_around(dr_stretch_limits* limits, int vertex)
{
    for (int k = limits->around_start[vertex]; k < limits->around_start[vertex + 1]; ++k) {
        limits->due[limits->around[k] / 64] |= 1ull << (limits->around[k] % 64);
    }
}

static void set_due(dr_stretch_limits* limits, const uint8_t* is_held)
{
    int rest = limits->count % 64;
    if (!is_held) {
        memset(limits->due, 0xff, sizeof *limits->due * due_words(limits));
        limits->due[limits->count / 64] = (1ull << rest) - 1;
        return;
    }
    memset(limits->due, 0, sizeof *limits->due * due_words(limits));
    for (int v = 0; v < limits->vertex_count; ++v) {
        if (is_held[v]) {
            set_due_around(limits, v);
        }
    }
}

static bool work_off(dr_stretch_limits* limits, const dr_stretch_ends* ends, int bound)
{
    limits->due[bound / 64] &= ~(1ull << (bound % 64));
    bool is_long = project(ends, &limits->bounds[bound]);
    for (int k = 0; is_long && k < corner_count(&limits->bounds[bound]); ++k) {
        set_due_around(limits, limits->bounds[bound].vertex[k]);
    }
    return is_long;
}

// What becomes due behind where a pass is waits for the next one.
static bool pass_to(dr_stretch_limits* limits, const dr_stretch_ends* ends)
{
    bool is_long = false;
    for (int w = 0; w < (int)due_words(limits); ++w) {
        uint64_t ahead = ~0ull;
        while (limits->due[w] & ahead) {
            int bit = __builtin_ctzll(limits->due[w] & ahead);
            is_long |= work_off(limits, ends, 64 * w + bit);
            ahead = ~1ull << bit;
        }
    }
    return is_long;
}

static bool pass_fro(dr_stretch_limits* limits, const dr_stretch_ends* ends)
{
    bool is_long = false;
    for (int w = (int)due_words(limits) - 1; w >= 0; --w) {
        uint64_t ahead = ~0ull;
        while (limits->due[w] & ahead) {
            int bit = 63 - __builtin_clzll(limits->due[w] & ahead);
            is_long |= work_off(limits, ends, 64 * w + bit);
            ahead = (1ull << bit) - 1;
        }
    }
    return is_long;
}

bool dr_stretch_limit(dr_stretch_limits* limits, const dr_stretch_ends* ends, int passes)
{
    bool is_long = true, was_long = false;
    set_due(limits, ends->is_held);
    for (int pass = 0; pass < passes && is_long; ++pass) {
        is_long = pass % 2 ? pass_fro(limits, ends) : pass_to(limits, ends);
        was_long |= is_long;
    }
    return was_long;
}

float dr_stretch_used(const dr_stretch_limits* limits, const float* places)
{
    const float least = 1e-4f; // of a fabric that does not stretch
    float used = 0.0f;
    for (int i = 0; i < limits->count; ++i) {
        float d[3], limit = fmaxf(limits->bounds[i].most - 1.0f, least);
        float squared = stretched(places, &limits->bounds[i], d), most = 1.0f + used * limit;
        if (squared > most * most) {
            used = (sqrtf(squared) - 1.0f) / limit;
        }
    }
    return used;
}
