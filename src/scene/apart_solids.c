#include "scene/apart_solids.h"

#include <math.h>
#include <string.h>

#include "collide/tessellate.h"
#include "contact/body.h"
#include "core/vec_math.h"

// --- Making ---

// The triangles in the collider's frame, as a mesh.
static bool create_mesh(dr_apart_solid* solid, dr_memory* memory, float tolerance)
{
    const dr_collider* collider = solid->collider;
    const dr_body* body = collider->body;
    int vertices = body ? body->given_count : 0, faces = body ? body->triangle_count : 0;
    if (!body) {
        dr_tessellate_count(&collider->shape, tolerance, &vertices, &faces);
    }
    drape_vec3* places = dr_new(memory, drape_vec3, vertices + 1);
    int32_t(*triangles)[3] =
        dr_allocate(memory, dr_array_bytes((size_t)faces + 1, sizeof *triangles));
    bool made = places && triangles;
    if (made && body) {
        dr_body_places(body, places);
        memcpy(triangles, body->triangles, sizeof *triangles * (size_t)faces);
    } else if (made) {
        dr_tessellate(&collider->shape, tolerance, places, triangles);
    }
    drape_mesh_view view = {.positions = places,
                            .triangles = (const int32_t*)triangles,
                            .vertex_count = vertices,
                            .triangle_count = faces};
    char sentence[256];
    made = made && dr_mesh_build(&solid->mesh, memory, &view, NULL, sentence, sizeof sentence);
    dr_delete(memory, places, vertices + 1);
    dr_delete(memory, triangles, faces + 1);
    return made;
}

// By the volume that the triangles enclose.
static float turn_of(const dr_mesh* mesh)
{
    double volume = 0.0;
    for (int t = 0; t < mesh->triangle_count; ++t) {
        const int32_t* v = mesh->triangles[t];
        drape_vec3 o = mesh->rest[0], a = dr_sub(mesh->rest[v[0]], o);
        drape_vec3 b = dr_sub(mesh->rest[v[1]], o), c = dr_sub(mesh->rest[v[2]], o);
        volume += (double)dr_dot(a, dr_cross(b, c));
    }
    return volume < 0.0 ? -1.0f : 1.0f;
}

static int count_colliders(const drape_world* world)
{
    int count = 0;
    for (int i = 0; i < dr_slots_count(&world->colliders); ++i) {
        count += dr_slots_at(&world->colliders, i) != NULL;
    }
    return count;
}

static bool create_sheets(dr_apart_solids* solids, dr_memory* memory)
{
    dr_sheets_part* parts = dr_new_zeroed(memory, dr_sheets_part, solids->count + 1);
    for (int i = 0; parts && i < solids->count; ++i) {
        parts[i].mesh = &solids->solids[i].mesh;
    }
    bool made = parts && dr_sheets_create(&solids->sheets, memory, parts, solids->count);
    dr_delete(memory, parts, solids->count + 1);
    return made;
}

bool dr_apart_solids_create(dr_apart_solids* solids, drape_world* world)
{
    dr_memory* memory = &world->memory;
    *solids = (dr_apart_solids){.count = count_colliders(world),
                                .tolerance = dr_tessellate_tolerance(world->def.thickness)};
    solids->solids = dr_new_zeroed(memory, dr_apart_solid, solids->count + 1);
    bool made = solids->solids != NULL;
    for (int i = 0, k = 0; made && i < dr_slots_count(&world->colliders); ++i) {
        dr_collider* collider = dr_slots_at(&world->colliders, i);
        if (collider) {
            dr_apart_solid* solid = &solids->solids[k++];
            solid->collider = collider;
            made = create_mesh(solid, memory, solids->tolerance);
            solid->turn = made ? turn_of(&solid->mesh) : 1.0f;
        }
    }
    return made && create_sheets(solids, memory);
}

void dr_apart_solids_free(dr_apart_solids* solids, dr_memory* memory)
{
    if (!solids->solids) {
        return;
    }
    for (int i = 0; i < solids->count; ++i) {
        dr_mesh_free(&solids->solids[i].mesh, memory);
    }
    dr_sheets_free(&solids->sheets, memory);
    dr_delete(memory, solids->solids, solids->count + 1);
    *solids = (dr_apart_solids){0};
}

// --- Placing ---

// A vertex in the collider's frame, `share` of the step gone by.
static drape_vec3 local_place(const dr_apart_solid* solid, int v, float share)
{
    const dr_body* body = solid->collider->body;
    if (!body) {
        return solid->mesh.rest[v];
    }
    const float* from = body->from + 4 * body->welded[v];
    drape_vec3 a = {from[0], from[1], from[2]};
    if (!body->is_changing || share <= 0.0f) {
        return a;
    }
    const float* to = body->to + 4 * body->welded[v];
    drape_vec3 b = {to[0], to[1], to[2]};
    return share >= 1.0f ? b : dr_lerp(a, b, share);
}

static void place(const dr_apart_solid* solid, drape_transform pose, float share, float* out)
{
    // As drape_collider_mesh does it: change both or neither.
    drape_transform frame = dr_collider_frame(solid->collider, pose);
    for (int v = 0; v < solid->mesh.vertex_count; ++v) {
        drape_vec3 p = dr_transform_apply(frame, local_place(solid, v, share));
        memcpy(out + 4 * v, &p, sizeof p);
        out[4 * v + 3] = 0.0f;
    }
}

static bool is_same(drape_transform a, drape_transform b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

bool dr_apart_solids_place(dr_apart_solids* solids, const drape_world* world, dr_apart* apart)
{
    bool has_jumped = false;
    float end = world->substep.share_end, start = end - world->substep.h_share;
    for (int i = 0; i < solids->count; ++i) {
        dr_apart_solid* solid = &solids->solids[i];
        const dr_collider* collider = solid->collider;
        size_t first =
            4 * (size_t)(apart->sheets->vertex_count + solids->sheets.parts[i].first_vertex);
        bool changes = collider->body && collider->body->is_changing;
        if (!solid->is_placed || !is_same(solid->pose, collider->start_pose)) {
            place(solid, collider->start_pose, start, apart->x + first);
            has_jumped = true;
        } else if (is_same(solid->pose, collider->pose) && !changes) {
            continue;
        }
        place(solid, collider->pose, end, apart->y + first);
        solid->pose = collider->pose;
        solid->is_placed = true;
    }
    return has_jumped;
}

void dr_apart_solids_forget(dr_apart_solids* solids)
{
    for (int i = 0; i < solids->count; ++i) {
        solids->solids[i].is_placed = false;
    }
}

void dr_apart_solids_undo(dr_apart_solids* solids, dr_apart* apart)
{
    size_t first = 4 * (size_t)apart->sheets->vertex_count, last = 4 * (size_t)apart->vertex_count;
    memcpy(apart->y + first, apart->x + first, sizeof *apart->y * (last - first));
    for (int i = 0; i < solids->count; ++i) {
        solids->solids[i].pose = solids->solids[i].collider->start_pose;
    }
}
