// Which vertices of cloths are inside of which solids, at the start of a substep.
//
// It follows from places alone, so that a world that is saved and loaded goes on with the same
// bytes. Analytic solids are asked for every vertex near them. Bodies of many triangles are too dear
// for that: by the triangles of the guard a vertex goes in or out only with a pair that is not
// guarded, so only *suspects* are asked for, those of such pairs in the last substep (contact/apart.c).
#include <math.h>
#include <string.h>

#include "collide/shape.h"
#include "contact/body.h"
#include "core/vec_math.h"
#include "scene/apart_solids.h"
#include "scene/contact_runs.h"

// One solid at x.
typedef struct inside_test {
    const dr_apart* apart;
    const dr_apart_solid* solid;
    int first_triangle;   // of it, among all
    dr_shape_terms terms; // of an analytic one
    drape_transform frame;
    float tolerance; // its triangles are no deeper below the true surface
} inside_test;

static inside_test open_test(const dr_apart_solids* solids, const dr_apart* apart, int number)
{
    const dr_sheets_part* part = &solids->sheets.parts[number];
    const dr_apart_solid* solid = &solids->solids[number];
    const dr_collider* collider = solid->collider;
    inside_test test = {.apart = apart,
                        .solid = solid,
                        .first_triangle = apart->sheets->triangle_count + part->first_triangle,
                        .tolerance = solids->tolerance,
                        .frame = dr_collider_frame(collider, collider->start_pose)};
    if (!collider->body) {
        test.terms = dr_shape_terms_of(&collider->shape);
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

static double sum_of_angles(const inside_test* test, drape_vec3 p)
{
    const dr_apart* apart = test->apart;
    double sum = 0.0;
    for (int t = 0; t < test->solid->mesh.triangle_count; ++t) {
        const int32_t* v = apart->triangles[test->first_triangle + t];
        const float* const corner[3] = {apart->x + 4 * v[0], apart->x + 4 * v[1],
                                        apart->x + 4 * v[2]};
        sum += half_angle(p, corner);
    }
    return sum;
}

// Once round is 2 pi of half angles, whichever way the triangles turn.
static bool is_enclosed(const inside_test* test, drape_vec3 p)
{
    const double pi = 3.14159265358979323846;
    return fabs(sum_of_angles(test, p)) > pi;
}

// --- By a ray ---

// On which side of an edge a ray along x passes, the other one for an edge that runs the other way.
// Both triangles at an edge have the same answer, also where the ray meets it.
static int side_of_edge(drape_vec3 p, drape_vec3 a, drape_vec3 b, int* met_count)
{
    bool is_turned = a.y > b.y || (a.y == b.y && a.z > b.z);
    drape_vec3 u = is_turned ? b : a, v = is_turned ? a : b;
    double side =
        ((double)u.y - p.y) * ((double)v.z - p.z) - ((double)u.z - p.z) * ((double)v.y - p.y);
    *met_count += side == 0.0;
    return (side >= 0.0) == is_turned ? -1 : 1;
}

// Counts how often a ray along x goes out of the triangle, less how often in; false where rounding
// decides: it meets a corner, or starts in the plane.
static bool count_passage(const inside_test* test, drape_vec3 p, int triangle, int* count)
{
    drape_vec3 t[3];
    int met_count = 0, side[3];
    for (int k = 0; k < 3; ++k) {
        const float* x = test->apart->x + 4 * test->apart->triangles[triangle][k];
        t[k] = (drape_vec3){x[0], x[1], x[2]};
    }
    for (int k = 0; k < 3; ++k) {
        side[k] = side_of_edge(p, t[k], t[(k + 1) % 3], &met_count);
    }
    if (side[0] != side[1] || side[0] != side[2]) {
        return met_count < 2;
    }
    double u[3] = {(double)t[1].x - t[0].x, (double)t[1].y - t[0].y, (double)t[1].z - t[0].z};
    double v[3] = {(double)t[2].x - t[0].x, (double)t[2].y - t[0].y, (double)t[2].z - t[0].z};
    double height = (u[1] * v[2] - u[2] * v[1]) * ((double)p.x - t[0].x) +
                    (u[2] * v[0] - u[0] * v[2]) * ((double)p.y - t[0].y) +
                    (u[0] * v[1] - u[1] * v[0]) * ((double)p.z - t[0].z);
    *count += height * side[0] < 0.0 ? side[0] : 0;
    return met_count < 2 && height != 0.0;
}

static bool is_inside_body(const inside_test* test, drape_vec3 p)
{
    if (!test->solid->collider->body->is_closed) {
        return false;
    }
    int found = dr_apart_list_solids(test->apart, p, (drape_vec3){INFINITY, p.y, p.z}), count = 0;
    int end = test->first_triangle + test->solid->mesh.triangle_count;
    bool is_sure = true;
    for (int i = 0; i < found && is_sure; ++i) {
        int triangle = test->apart->near_solids[i];
        is_sure = triangle < test->first_triangle || triangle >= end ||
                  count_passage(test, p, triangle, &count);
    }
    return is_sure ? count != 0 : is_enclosed(test, p);
}

bool dr_apart_solids_is_in_body(const dr_apart_solids* solids, const dr_apart* apart, int number,
                                drape_vec3 place)
{
    inside_test test = open_test(solids, apart, number);
    return is_inside_body(&test, place);
}

// The triangles decide, which lie a little within the true shape, and only near them are they asked.
// Of a plane there are two, which close nothing: from below they are seen the other way round.
static bool is_inside_shape(const inside_test* test, drape_vec3 p)
{
    float largest = fmaxf(fmaxf(fabsf(p.x), fabsf(p.y)), fabsf(p.z));
    float little = fmaxf(0.1f * test->tolerance, 0x1p-20f * largest);
    drape_vec3 normal, local = dr_transform_inverse_apply(test->frame, p);
    float distance = dr_shape_distance(&test->terms, local, &normal);
    if (!(distance < little) || distance < -test->tolerance - little) {
        return distance < 0.0f;
    }
    return test->terms.kind == DRAPE_SHAPE_PLANE ? sum_of_angles(test, p) > 0.0
                                                 : is_enclosed(test, p);
}

// --- All vertices ---

typedef struct inside_search {
    const dr_apart_solids* solids;
    drape_world* world;
    dr_apart* apart;
    dr_cloth* const* cloths;
} inside_search;

static bool note(const inside_search* s, int solid, int vertex)
{
    dr_pair* pair = dr_array_push(&s->world->memory, &s->apart->inside, sizeof *pair);
    if (pair) {
        *pair = (dr_pair){solid, vertex};
        s->apart->is_inside[vertex] |= DR_APART_INSIDE;
    }
    return pair != NULL;
}

static drape_vec3 place_of(const dr_apart* apart, int v)
{
    const float* x = apart->x + 4 * v;
    return (drape_vec3){x[0], x[1], x[2]};
}

static bool is_cloth_near(const dr_cloth* cloth, const dr_obstacle* obstacle)
{
    bool is_near = false;
    for (int c = 0; c < cloth->chunk_count && !is_near; ++c) {
        is_near = dr_chunk_is_near(&cloth->chunks[c], obstacle, cloth->thickness);
    }
    return is_near;
}

// Vertices of near chunks.
static bool note_in_shape(const inside_search* s, int number, int part)
{
    enum { chunk_slots = 8 * DR_CHUNK_VECTORS };
    const dr_cloth* cloth = s->cloths[part];
    const dr_obstacle* obstacle = (const dr_obstacle*)s->world->obstacles.data + number;
    if (!is_cloth_near(cloth, obstacle)) {
        return true;
    }
    inside_test test = open_test(s->solids, s->apart, number);
    int first = s->apart->sheets->parts[part].first_vertex;
    bool done = true;
    for (int v = 0; v < cloth->sheet->vertex_count && done; ++v) {
        int chunk = cloth->sheet->slot_of_vertex[v] / chunk_slots;
        if (dr_chunk_is_near(&cloth->chunks[chunk], obstacle, cloth->thickness) &&
            is_inside_shape(&test, place_of(s->apart, first + v))) {
            done = note(s, number, first + v);
        }
    }
    return done;
}

static bool note_in_body(const inside_search* s, int number, bool has_suspects)
{
    bool done = true;
    if (!has_suspects) {
        return done;
    }
    inside_test test = open_test(s->solids, s->apart, number);
    for (int v = 0; v < s->apart->sheets->vertex_count && done; ++v) {
        if (s->apart->is_inside[v] & DR_APART_SUSPECT &&
            is_inside_body(&test, place_of(s->apart, v))) {
            done = note(s, number, v);
        }
    }
    return done;
}

// What was inside is suspect, and all are where something is new.
static bool choose_suspects(dr_apart* apart)
{
    bool has_any = false;
    for (int v = 0; v < apart->sheets->vertex_count; ++v) {
        apart->is_inside[v] = apart->is_new || apart->is_inside[v] ? DR_APART_SUSPECT : 0;
        has_any |= apart->is_inside[v] != 0;
    }
    apart->is_new = false;
    return has_any;
}

bool dr_apart_solids_note_inside(const dr_apart_solids* solids, drape_world* world, dr_apart* apart,
                                 dr_cloth* const* cloths)
{
    inside_search s = {solids, world, apart, cloths};
    bool has_suspects = choose_suspects(apart), done = true;
    if (has_suspects || apart->crossed.count > 0) {
        dr_apart_refit_solids(apart, world->pool);
    }
    apart->inside.count = 0;
    for (int i = 0; i < solids->count && done; ++i) {
        if (solids->solids[i].collider->body) {
            done = note_in_body(&s, i, has_suspects);
            continue;
        }
        for (int p = 0; p < apart->sheets->part_count && done; ++p) {
            done = note_in_shape(&s, i, p);
        }
    }
    for (int v = 0; v < apart->sheets->vertex_count; ++v) {
        apart->is_inside[v] &= DR_APART_INSIDE;
    }
    return done;
}
