#include "overlay.h"

#include <math.h>
#include <string.h>

#include "collide/closest.h"
#include "collide/tree_query.h"
#include "core/vec_math.h"

static float unit(float value)
{
    return fmaxf(0.0f, fminf(value, 1.0f));
}

static const int32_t* corners(const dr_check_mesh* mesh, int triangle)
{
    return mesh->triangles + 3 * (size_t)triangle;
}

// --- Strain ---

static bool measure_strain(dr_memory* memory, const cli_overlay_mesh* one,
                           const cli_overlay_range* range)
{
    const dr_check_mesh* mesh = &one->mesh;
    int* counts = dr_new_zeroed(memory, int, mesh->vertex_count + 1);
    if (counts == NULL) {
        return false;
    }
    memset(one->heat, 0, sizeof(float) * (size_t)mesh->vertex_count);
    for (int t = 0; t < mesh->triangle_count; ++t) {
        const int32_t* corner = corners(mesh, t);
        for (int k = 0; k < 3; ++k) {
            int a = corner[k], b = corner[(k + 1) % 3];
            float now = dr_length(dr_sub(mesh->positions[a], mesh->positions[b]));
            float rest = dr_length(dr_sub(one->rest[a], one->rest[b]));
            float strain = rest > 0.0f ? now / rest - 1.0f : 0.0f;
            one->heat[a] += strain;
            one->heat[b] += strain;
            ++counts[a];
            ++counts[b];
        }
    }
    for (int v = 0; v < mesh->vertex_count; ++v) {
        float mean = counts[v] > 0 ? one->heat[v] / (float)counts[v] : 0.0f;
        one->heat[v] = unit((mean - range->low) / (range->high - range->low));
    }
    dr_delete(memory, counts, mesh->vertex_count + 1);
    return true;
}

// --- Speed ---

static float speed_of(const cli_overlay_mesh* one, int vertex, float seconds)
{
    drape_vec3 way = dr_sub(one->after[vertex], one->before[vertex]);
    return seconds > 0.0f ? dr_length(way) / seconds : 0.0f;
}

float cli_overlay_fastest(const cli_overlay_mesh* one, float seconds)
{
    float most = 0.0f;
    for (int v = 0; v < one->mesh.vertex_count; ++v) {
        most = fmaxf(most, speed_of(one, v, seconds));
    }
    return most;
}

static void measure_speed(const cli_overlay_mesh* one, const cli_overlay_range* range)
{
    for (int v = 0; v < one->mesh.vertex_count; ++v) {
        float speed = speed_of(one, v, range->seconds);
        one->heat[v] = range->high > 0.0f ? unit(speed / range->high) : 0.0f;
    }
}

// --- Crossings ---

static void mark(const cli_overlay_mesh* one, int triangle, float heat)
{
    const int32_t* corner = corners(&one->mesh, triangle);
    for (int k = 0; one->heat != NULL && k < 3; ++k) {
        one->heat[corner[k]] = fmaxf(one->heat[corner[k]], heat);
    }
}

static bool measure_crossings(dr_memory* memory, dr_pool* pool, const cli_overlay_mesh* meshes,
                              int mesh_count)
{
    dr_check_mesh* plain = dr_new(memory, dr_check_mesh, mesh_count);
    dr_crossings found = {0};
    for (int i = 0; plain != NULL && i < mesh_count; ++i) {
        plain[i] = meshes[i].mesh;
        if (meshes[i].heat != NULL) {
            memset(meshes[i].heat, 0, sizeof(float) * (size_t)plain[i].vertex_count);
        }
    }
    bool is_found = plain != NULL && dr_crossings_find(&found, memory, pool, plain, mesh_count);
    for (int k = 0; is_found && k < found.pair_count; ++k) {
        const dr_crossing* pair = &found.pairs[k];
        float heat = pair->meeting == DR_MEETING_CROSSING ? 1.0f : 0.5f;
        mark(&meshes[pair->mesh_a], pair->triangle_a, heat);
        mark(&meshes[pair->mesh_b], pair->triangle_b, heat);
    }
    if (is_found) {
        dr_crossings_free(&found, memory);
    }
    dr_delete(memory, plain, mesh_count);
    return is_found;
}

// --- Contacts ---

// All triangles in one tree, each with its mesh by the first vertex of that.
typedef struct crowd {
    drape_vec3* positions;
    int32_t (*triangles)[3];
    int vertex_count, triangle_count;
    dr_tree tree;
} crowd;

static void crowd_free(crowd* all, dr_memory* memory)
{
    dr_tree_free(&all->tree, memory);
    dr_delete(memory, all->positions, all->vertex_count);
    dr_delete(memory, all->triangles, all->triangle_count);
}

static void crowd_fill(crowd* all, const cli_overlay_mesh* meshes, int mesh_count)
{
    int vertex = 0, triangle = 0;
    for (int i = 0; i < mesh_count; ++i) {
        const dr_check_mesh* mesh = &meshes[i].mesh;
        memcpy(all->positions + vertex, mesh->positions,
               sizeof(drape_vec3) * (size_t)mesh->vertex_count);
        for (int t = 0; t < mesh->triangle_count; ++t, ++triangle) {
            for (int k = 0; k < 3; ++k) {
                all->triangles[triangle][k] = vertex + corners(mesh, t)[k];
            }
        }
        vertex += mesh->vertex_count;
    }
}

static bool crowd_make(crowd* all, dr_memory* memory, dr_pool* pool, const cli_overlay_mesh* meshes,
                       int mesh_count)
{
    *all = (crowd){0};
    for (int i = 0; i < mesh_count; ++i) {
        all->vertex_count += meshes[i].mesh.vertex_count;
        all->triangle_count += meshes[i].mesh.triangle_count;
    }
    all->positions = dr_new(memory, drape_vec3, all->vertex_count);
    all->triangles = (int32_t(*)[3])dr_new(memory, int32_t, 3 * (size_t)all->triangle_count);
    if (all->positions == NULL || all->triangles == NULL) {
        return false;
    }
    crowd_fill(all, meshes, mesh_count);
    dr_surface surface = {.vertex_count = all->vertex_count,
                          .triangle_count = all->triangle_count,
                          .triangles = (const int32_t(*)[3])all->triangles,
                          .rest = all->positions};
    bool is_made = dr_tree_build(&all->tree, memory, &surface, dr_plan_swept, DRAPE_ISA_AUTO);
    if (is_made) {
        dr_motion still = {.start = &all->positions[0].x, .stride = 3};
        dr_tree_refit(&all->tree, pool, &still);
    }
    return is_made;
}

// Triangles that are looked at around a vertex.
enum { NEAR_MOST = 256 };

static bool holds(const int32_t corner[3], int32_t vertex)
{
    return corner[0] == vertex || corner[1] == vertex || corner[2] == vertex;
}

// Whether the triangle has a vertex in common with one that holds `vertex`: those are near it
// without touching. The ones that hold it are always among the near ones.
static bool is_neighbour(const crowd* all, const int32_t* near, int count, int32_t vertex,
                         int32_t triangle)
{
    const int32_t* corner = all->triangles[triangle];
    for (int i = 0; i < count; ++i) {
        const int32_t* other = all->triangles[near[i]];
        if (holds(other, vertex) &&
            (holds(other, corner[0]) || holds(other, corner[1]) || holds(other, corner[2]))) {
            return true;
        }
    }
    return false;
}

static float nearest(const crowd* all, int32_t vertex, float reach)
{
    int32_t near[NEAR_MOST];
    drape_vec3 p = all->positions[vertex], by = {reach, reach, reach};
    int count = dr_tree_box_query(&all->tree, dr_sub(p, by), dr_add(p, by), near, NEAR_MOST);
    count = count < NEAR_MOST ? count : NEAR_MOST;
    float least = reach * reach;
    for (int i = 0; i < count; ++i) {
        if (is_neighbour(all, near, count, vertex, near[i])) {
            continue;
        }
        const int32_t* corner = all->triangles[near[i]];
        dr_closest closest = dr_closest_point_triangle(
            p, all->positions[corner[0]], all->positions[corner[1]], all->positions[corner[2]]);
        least = fminf(least, closest.squared);
    }
    return sqrtf(least);
}

static bool measure_contacts(dr_memory* memory, dr_pool* pool, const cli_overlay_mesh* meshes,
                             int mesh_count, const cli_overlay_range* range)
{
    crowd all;
    bool is_made = crowd_make(&all, memory, pool, meshes, mesh_count);
    int vertex = 0;
    for (int i = 0; is_made && i < mesh_count; ++i) {
        for (int v = 0; v < meshes[i].mesh.vertex_count; ++v, ++vertex) {
            if (meshes[i].heat != NULL) {
                float gap = nearest(&all, vertex, range->low);
                meshes[i].heat[v] = unit((gap - range->low) / (range->high - range->low));
            }
        }
    }
    crowd_free(&all, memory);
    return is_made;
}

// --- The whole ---

bool cli_overlay_measure(dr_memory* memory, dr_pool* pool, cli_overlay overlay,
                         const cli_overlay_mesh* meshes, int mesh_count,
                         const cli_overlay_range* range)
{
    if (overlay == CLI_OVERLAY_CROSSINGS) {
        return measure_crossings(memory, pool, meshes, mesh_count);
    }
    if (overlay == CLI_OVERLAY_CONTACTS) {
        return measure_contacts(memory, pool, meshes, mesh_count, range);
    }
    for (int i = 0; i < mesh_count; ++i) {
        if (meshes[i].heat == NULL) {
            continue;
        }
        if (overlay == CLI_OVERLAY_SPEED) {
            measure_speed(&meshes[i], range);
        } else if (overlay == CLI_OVERLAY_STRAIN && !measure_strain(memory, &meshes[i], range)) {
            return false;
        }
    }
    return true;
}

dr_heat_scale cli_overlay_scale(cli_overlay overlay)
{
    return overlay == CLI_OVERLAY_NONE     ? DR_HEAT_NONE
           : overlay == CLI_OVERLAY_STRAIN ? DR_HEAT_OPPOSITE
                                           : DR_HEAT_RISING;
}
