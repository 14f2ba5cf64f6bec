#include "particles.h"

#include <math.h>
#include <stdlib.h>

#include "io/file.h"

// An octahedron at each.
enum { CORNERS = 6, FACES = 8 };

// Of the cloth's diagonal.
static const float radius_share = 0.02f;

static float diagonal_of(const drape_vec3* positions, int count)
{
    drape_vec3 lo = positions[0], hi = lo;
    for (int i = 1; i < count; ++i) {
        drape_vec3 p = positions[i];
        lo = (drape_vec3){fminf(lo.x, p.x), fminf(lo.y, p.y), fminf(lo.z, p.z)};
        hi = (drape_vec3){fmaxf(hi.x, p.x), fmaxf(hi.y, p.y), fmaxf(hi.z, p.z)};
    }
    return hypotf(hypotf(hi.x - lo.x, hi.y - lo.y), hi.z - lo.z);
}

static void build(const drape_vec3* places, int count, float radius, drape_vec3* positions,
                  int32_t* triangles)
{
    static const int8_t faces[FACES][3] = {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4},
                                           {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}};
    for (int i = 0; i < count; ++i) {
        for (int k = 0; k < CORNERS; ++k) {
            float move[3] = {0.0f, 0.0f, 0.0f};
            move[k / 2] = k % 2 ? -radius : radius;
            positions[i * CORNERS + k] =
                (drape_vec3){places[i].x + move[0], places[i].y + move[1], places[i].z + move[2]};
        }
        for (int k = 0; k < 3 * FACES; ++k) {
            triangles[i * 3 * FACES + k] = i * CORNERS + faces[k / 3][k % 3];
        }
    }
}

bool cli_particles_write(drape_scene* scene, int cloth, const char* path, drape_error* error)
{
    drape_world* world = drape_scene_world(scene);
    drape_cloth_id id = drape_scene_cloth(scene, cloth);
    drape_vec3 places[DRAPE_MAX_PARTICLES];
    int count = drape_cloth_particles(world, id, places, DRAPE_MAX_PARTICLES), vertex_count = 0;
    const drape_vec3* cloth_places = drape_cloth_positions(world, id, &vertex_count);
    if (count == 0 || vertex_count == 0) {
        return true;
    }
    drape_vec3* positions = calloc((size_t)count * CORNERS, sizeof *positions);
    int32_t* triangles = calloc((size_t)count * FACES, 3 * sizeof *triangles);
    bool is_written = false;
    if (positions != NULL && triangles != NULL) {
        float radius = radius_share * diagonal_of(cloth_places, vertex_count);
        build(places, count, radius, positions, triangles);
        drape_mesh_view view = {.positions = positions,
                                .triangles = triangles,
                                .vertex_count = count * CORNERS,
                                .triangle_count = count * FACES};
        is_written = drape_mesh_write(path, &view, error);
    } else {
        dr_error_set_memory(error, path);
    }
    free(positions);
    free(triangles);
    return is_written;
}
