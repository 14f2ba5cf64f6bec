#include "render/normals.h"

#include <math.h>

#include "core/vec_math.h"

// The triangles around each vertex: corners `first[v]` to `first[v + 1] - 1` of the list, a corner
// being three times its triangle plus its place there.
typedef struct fans {
    int32_t* first;
    int32_t* corner;
    drape_vec3* face; // normal of each triangle, of length 1, or 0
    float* angle;     // of each corner
} fans;

static void fans_free(fans* around, dr_memory* memory, const dr_mesh_part* mesh)
{
    dr_delete(memory, around->first, mesh->vertex_count + 2);
    dr_delete(memory, around->corner, 3 * (size_t)mesh->triangle_count);
    dr_delete(memory, around->face, mesh->triangle_count);
    dr_delete(memory, around->angle, 3 * (size_t)mesh->triangle_count);
}

static bool fans_make(fans* around, dr_memory* memory, const dr_mesh_part* mesh)
{
    *around = (fans){
        .first = dr_new_zeroed(memory, int32_t, mesh->vertex_count + 2),
        .corner = dr_new(memory, int32_t, 3 * (size_t)mesh->triangle_count),
        .face = dr_new(memory, drape_vec3, mesh->triangle_count),
        .angle = dr_new(memory, float, 3 * (size_t)mesh->triangle_count),
    };
    if (around->first == NULL || around->corner == NULL || around->face == NULL ||
        around->angle == NULL) {
        return false;
    }
    int corner_count = 3 * mesh->triangle_count;
    // Counted two places up; filling moves each start to where it belongs.
    for (int c = 0; c < corner_count; ++c) {
        ++around->first[mesh->triangles[c] + 2];
    }
    for (int v = 0; v < mesh->vertex_count; ++v) {
        around->first[v + 2] += around->first[v + 1];
    }
    for (int c = 0; c < corner_count; ++c) {
        around->corner[around->first[mesh->triangles[c] + 1]++] = c;
    }
    return true;
}

static float angle_between(drape_vec3 a, drape_vec3 b)
{
    return (float)dr_atan2(dr_length_double(dr_cross(a, b)), (double)dr_dot(a, b));
}

static void measure_triangles(fans* around, const dr_mesh_part* mesh)
{
    for (int t = 0; t < mesh->triangle_count; ++t) {
        const int32_t* v = mesh->triangles + 3 * (size_t)t;
        drape_vec3 p[3];
        for (int k = 0; k < 3; ++k) {
            p[k] = mesh->positions[v[k]];
        }
        around->face[t] = dr_normalize(dr_cross(dr_sub(p[1], p[0]), dr_sub(p[2], p[0])));
        for (int k = 0; k < 3; ++k) {
            drape_vec3 to_next = dr_sub(p[(k + 1) % 3], p[k]);
            around->angle[3 * t + k] = angle_between(to_next, dr_sub(p[(k + 2) % 3], p[k]));
        }
    }
}

static drape_vec3 corner_normal(const fans* around, int vertex, drape_vec3 own, float crease)
{
    drape_vec3 sum = {0.0f, 0.0f, 0.0f};
    for (int32_t i = around->first[vertex]; i < around->first[vertex + 1]; ++i) {
        int32_t corner = around->corner[i];
        drape_vec3 face = around->face[corner / 3];
        if (dr_dot(face, own) >= crease) {
            sum = dr_add(sum, dr_scale(face, around->angle[corner]));
        }
    }
    drape_vec3 normal = dr_normalize(sum);
    // Folded flat onto itself, the surface has no normal there but those of its triangles.
    bool is_lost = dr_dot(sum, sum) < 1e-6f;
    bool has_own = dr_dot(own, own) > 0.0f;
    return !is_lost ? normal : has_own ? own : (drape_vec3){0.0f, 1.0f, 0.0f};
}

bool dr_corner_normals(dr_memory* memory, const dr_mesh_part* mesh, float crease,
                       drape_vec3* normals)
{
    fans around;
    bool is_made = fans_make(&around, memory, mesh);
    if (is_made) {
        measure_triangles(&around, mesh);
        for (int c = 0; c < 3 * mesh->triangle_count; ++c) {
            normals[c] = corner_normal(&around, mesh->triangles[c], around.face[c / 3], crease);
        }
    }
    fans_free(&around, memory, mesh);
    return is_made;
}
