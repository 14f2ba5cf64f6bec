#include "scene/apart_solids.h"

#include <math.h>
#include <string.h>

#include "collide/shape.h"
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

void dr_apart_solids_undo(dr_apart_solids* solids, dr_apart* apart)
{
    size_t first = 4 * (size_t)apart->sheets->vertex_count, last = 4 * (size_t)apart->vertex_count;
    memcpy(apart->y + first, apart->x + first, sizeof *apart->y * (last - first));
    for (int i = 0; i < solids->count; ++i) {
        solids->solids[i].pose = solids->solids[i].collider->start_pose;
    }
}

// --- Inside ---

// One solid at x.
typedef struct inside_test {
    const dr_apart* apart;
    const dr_apart_solid* solid;
    int first_vertex, first_triangle; // of it, among all
    dr_shape_terms terms;             // of an analytic one
    drape_transform frame;
    float lo[3], hi[3];
} inside_test;

static inside_test open_test(const dr_apart_solids* solids, const dr_apart* apart, int number)
{
    const dr_sheets_part* part = &solids->sheets.parts[number];
    const dr_apart_solid* solid = &solids->solids[number];
    const dr_collider* collider = solid->collider;
    inside_test test = {.apart = apart,
                        .solid = solid,
                        .first_vertex = apart->sheets->vertex_count + part->first_vertex,
                        .first_triangle = apart->sheets->triangle_count + part->first_triangle,
                        .frame = dr_collider_frame(collider, collider->start_pose)};
    if (!collider->body) {
        test.terms = dr_shape_terms_of(&collider->shape);
        return test;
    }
    for (int c = 0; c < 3; ++c) {
        test.lo[c] = INFINITY;
        test.hi[c] = -INFINITY;
        for (int v = 0; v < solid->mesh.vertex_count; ++v) {
            float at = apart->x[4 * (test.first_vertex + v) + c];
            test.lo[c] = fminf(test.lo[c], at);
            test.hi[c] = fmaxf(test.hi[c], at);
        }
    }
    return test;
}

// Half the angle in space under which a point sees a triangle (Van Oosterom, Strackee 1983).
static double half_angle(drape_vec3 p, const float* const corner[3])
{
    double v[3][3], length[3];
    for (int k = 0; k < 3; ++k) {
        v[k][0] = (double)corner[k][0] - p.x;
        v[k][1] = (double)corner[k][1] - p.y;
        v[k][2] = (double)corner[k][2] - p.z;
        length[k] = sqrt(v[k][0] * v[k][0] + v[k][1] * v[k][1] + v[k][2] * v[k][2]);
    }
    double dots[3], volume = 0.0;
    for (int k = 0; k < 3; ++k) {
        const double *a = v[k], *b = v[(k + 1) % 3];
        dots[k] = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
        volume += v[2][k] *
                  (v[0][(k + 1) % 3] * v[1][(k + 2) % 3] - v[0][(k + 2) % 3] * v[1][(k + 1) % 3]);
    }
    return atan2(volume, length[0] * length[1] * length[2] + dots[0] * length[2] +
                             dots[1] * length[0] + dots[2] * length[1]);
}

static bool is_inside_body(const inside_test* test, drape_vec3 p)
{
    const double pi = 3.14159265358979323846;
    const dr_apart* apart = test->apart;
    const float at[3] = {p.x, p.y, p.z};
    for (int c = 0; c < 3; ++c) {
        if (!(at[c] > test->lo[c] && at[c] < test->hi[c])) {
            return false;
        }
    }
    double sum = 0.0;
    for (int t = 0; t < test->solid->mesh.triangle_count; ++t) {
        const int32_t* v = apart->triangles[test->first_triangle + t];
        const float* const corner[3] = {apart->x + 4 * v[0], apart->x + 4 * v[1],
                                        apart->x + 4 * v[2]};
        sum += half_angle(p, corner);
    }
    // Once round is 2 pi of half angles, whichever way the triangles turn.
    return fabs(sum) > pi;
}

// Triangles of an analytic solid lie within it. What is between the two may as well leave.
static bool is_inside(const inside_test* test, drape_vec3 p)
{
    if (test->solid->collider->body) {
        return test->solid->collider->body->is_closed && is_inside_body(test, p);
    }
    drape_vec3 normal, local = dr_transform_inverse_apply(test->frame, p);
    return dr_shape_distance(&test->terms, local, &normal) < 0.0f;
}

// Two marks in one byte: was or may be inside; is.
enum { SUSPECT = 2, INSIDE = 1 };

static void suspect_crossing(dr_apart* apart)
{
    const dr_pair* crossed = apart->crossed.data;
    int cloth_triangles = apart->sheets->triangle_count;
    for (int i = 0; i < apart->crossed.count; ++i) {
        for (int k = 0; k < 3 && crossed[i].b >= cloth_triangles; ++k) {
            apart->is_inside[apart->triangles[crossed[i].a][k]] |= SUSPECT;
        }
    }
}

void dr_apart_solids_note_inside(const dr_apart_solids* solids, dr_apart* apart)
{
    int count = apart->sheets->vertex_count;
    if (solids->count == 0 ||
        (!apart->is_new && apart->inside_count == 0 && apart->crossed.count == 0)) {
        return;
    }
    for (int v = 0; v < count; ++v) {
        apart->is_inside[v] = apart->is_new || apart->is_inside[v] ? SUSPECT : 0;
    }
    apart->is_new = false;
    suspect_crossing(apart);
    for (int i = 0; i < solids->count; ++i) {
        inside_test test = open_test(solids, apart, i);
        for (int v = 0; v < count; ++v) {
            const float* x = apart->x + 4 * v;
            if (apart->is_inside[v] == SUSPECT &&
                is_inside(&test, (drape_vec3){x[0], x[1], x[2]})) {
                apart->is_inside[v] |= INSIDE;
            }
        }
    }
    apart->inside_count = 0;
    for (int v = 0; v < count; ++v) {
        apart->is_inside[v] &= INSIDE;
        apart->inside_count += apart->is_inside[v];
    }
}
