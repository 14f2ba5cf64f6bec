#include <math.h>
#include <stdio.h>
#include <string.h>

#include "collide/hull.h"
#include "contact/body.h"
#include "contact/slide.h"
#include "core/vec_math.h"
#include "scene/apart_step.h"
#include "scene/mesh_link.h"
#include "scene/motion.h"
#include "scene/sleep.h"
#include "scene/trials.h"

drape_collider_def drape_collider_defaults(void)
{
    return (drape_collider_def){
        .shape = {.kind = DRAPE_SHAPE_SPHERE, .radius = 0.5f, .radius_top = 0.5f},
        .place = {.rotate = {0.0f, 0.0f, 0.0f, 1.0f}},
        .friction_static = -1.0f,
        .friction_dynamic = -1.0f,
    };
}

dr_collider* dr_world_collider(const drape_world* world, drape_collider_id id)
{
    return world ? dr_slots_get(&world->colliders, id.slot, id.generation) : NULL;
}

static bool pose_is_sound(drape_transform pose)
{
    drape_quat q = pose.rotate;
    double norm = (double)q.x * q.x + (double)q.y * q.y + (double)q.z * q.z + (double)q.w * q.w;
    return dr_is_finite(pose.translate) && norm > 0.998 && norm < 1.002;
}

drape_transform dr_collider_frame(const dr_collider* collider, drape_transform pose)
{
    pose.translate = dr_transform_apply(pose, collider->base.translate);
    return pose;
}

// Coordinates that a mesh takes.
static bool check_places(drape_world* world, const drape_vec3* places, int count, const char* what)
{
    for (int i = 0; i < count; ++i) {
        drape_vec3 p = places[i];
        float most = fmaxf(fabsf(p.x), fmaxf(fabsf(p.y), fabsf(p.z)));
        if (!dr_is_finite(p) || most > DR_MESH_MAX_COORDINATE) {
            return dr_world_fail(world,
                                 "%s: vertex %d must be finite and within %g m of the origin", what,
                                 i, (double)DR_MESH_MAX_COORDINATE);
        }
    }
    return true;
}

static bool check_frames(drape_world* world, const drape_collider_def* def)
{
    if (!def->mesh || !def->frames || def->frame_count < 0 || !(def->fps > 0.0f) ||
        !isfinite(def->fps)) {
        return dr_world_fail(world, "frames of a collider need a mesh, an array and fps above 0");
    }
    char what[64];
    for (int i = 0; i < def->frame_count; ++i) {
        snprintf(what, sizeof what, "frame %d of the collider", i);
        const drape_vec3* places = def->frames + (size_t)i * (size_t)def->mesh->vertex_count;
        if (!check_places(world, places, def->mesh->vertex_count, what)) {
            return false;
        }
    }
    return true;
}

static bool check_def(drape_world* world, const drape_collider_def* def)
{
    char sentence[256];
    const char* refusal = def->mesh || def->hull ? NULL : dr_shape_refusal(&def->shape);
    if (def->mesh && def->hull) {
        return dr_world_fail(world, "a collider is a mesh or a hull, not both");
    }
    if (refusal) {
        return dr_world_fail(world, "%s", refusal);
    }
    if ((def->mesh || def->hull) && dr_world_is_discrete(world)) {
        return dr_world_fail(world, "the obstacle response `discrete` knows planes, spheres, "
                                    "capsules and boxes, not meshes and hulls");
    }
    if (!pose_is_sound(def->place)) {
        return dr_world_fail(world, "a collider's place needs finite numbers and a unit rotation");
    }
    if (def->key_count > 0 &&
        (!def->keys || !dr_motion_check(def->keys, def->key_count, sentence, sizeof sentence))) {
        return dr_world_fail(world, "a collider's keys: %s", def->keys ? sentence : "missing");
    }
    if (!isfinite(def->friction_static) || !isfinite(def->friction_dynamic)) {
        return dr_world_fail(world, "a collider's friction must be finite");
    }
    if (def->hull && !check_places(world, def->hull, def->hull_count, "the hull")) {
        return false;
    }
    return def->frame_count == 0 || check_frames(world, def);
}

// The frames of a body and one more, for places in between.
static bool copy_frames(dr_collider* collider, dr_memory* memory, const drape_collider_def* def)
{
    size_t count = (size_t)def->mesh->vertex_count, held = count * (size_t)def->frame_count;
    collider->frames = dr_allocate(memory, dr_array_bytes(held + count, sizeof *def->frames));
    if (!collider->frames) {
        return false;
    }
    memcpy(collider->frames, def->frames, sizeof *def->frames * held);
    collider->frame_count = def->frame_count;
    collider->place_count = held + count;
    collider->fps = def->fps;
    return true;
}

// The triangles of a collider, at their frame of this time when they have some.
static bool create_body(drape_world* world, dr_collider* collider, const drape_collider_def* def)
{
    char sentence[256];
    drape_mesh_view view = *def->mesh;
    dr_memory* memory = &world->memory;
    if (def->frame_count > 0) {
        if (!copy_frames(collider, memory, def)) {
            return dr_world_fail(world, "out of memory");
        }
        drape_vec3* now = collider->frames + (size_t)def->frame_count * (size_t)view.vertex_count;
        dr_frames_at(collider->frames, def->frame_count, view.vertex_count, def->fps, world->time,
                     now);
        view.positions = now;
    }
    collider->body =
        dr_body_create(memory, &view, world->isa, world->pool, sentence, sizeof sentence);
    collider->is_mesh = true;
    return collider->body || dr_world_fail(world, "%s", sentence);
}

// The triangles of a hull.
static bool create_hull(drape_world* world, dr_collider* collider, const drape_collider_def* def)
{
    char sentence[256];
    dr_hull hull;
    const char* refusal = dr_hull_create(&hull, &world->memory, def->hull, def->hull_count);
    if (!refusal) {
        drape_mesh_view view = {.positions = hull.positions,
                                .triangles = hull.triangles[0],
                                .vertex_count = hull.vertex_count,
                                .triangle_count = hull.triangle_count};
        collider->body = dr_body_create(&world->memory, &view, world->isa, world->pool, sentence,
                                        sizeof sentence);
    }
    dr_hull_free(&hull, &world->memory);
    return collider->body || dr_world_fail(world, "%s", refusal ? refusal : sentence);
}

// Planes for vertices come from triangles, those that files and pictures show; floors have no end.
static bool create_shape_body(drape_world* world, dr_collider* collider)
{
    if (world->def.method.obstacles == DRAPE_OBSTACLES_PREDICTIVE || dr_world_is_discrete(world) ||
        collider->body || collider->shape.kind == DRAPE_SHAPE_PLANE) {
        return true;
    }
    collider->body = dr_slide_body_of_shape(&world->memory, &collider->shape, world->def.thickness,
                                            world->isa, world->pool);
    return collider->body || dr_world_fail(world, "out of memory");
}

static dr_collider* collider_create(dr_memory* memory, const drape_collider_def* def)
{
    dr_collider* collider = dr_new_zeroed(memory, dr_collider, 1);
    if (!collider) {
        return NULL;
    }
    collider->base.rotate = (drape_quat){0.0f, 0.0f, 0.0f, 1.0f};
    if (!def->mesh && !def->hull) {
        collider->shape = dr_shape_simplify(def->shape, &collider->base.translate);
    }
    collider->friction_static = def->friction_static;
    collider->friction_dynamic = def->friction_dynamic;
    collider->pose = def->place;
    if (def->key_count > 0) {
        collider->keys = dr_new(memory, drape_key, def->key_count);
        if (!collider->keys) {
            dr_delete(memory, collider, 1);
            return NULL;
        }
        memcpy(collider->keys, def->keys, sizeof *def->keys * (size_t)def->key_count);
        collider->key_count = def->key_count;
    }
    return collider;
}

drape_collider_id drape_collider_add(drape_world* world, const drape_collider_def* def)
{
    drape_collider_id id = {0};
    if (!world || (!def && !dr_world_fail(world, "there is no definition of the collider")) ||
        !check_def(world, def)) {
        return id;
    }
    dr_collider* collider = collider_create(&world->memory, def);
    if (collider && ((def->mesh && !create_body(world, collider, def)) ||
                     (def->hull && !create_hull(world, collider, def)) ||
                     !create_shape_body(world, collider))) {
        dr_collider_destroy(collider, &world->memory);
        return id;
    }
    if (!collider ||
        !dr_slots_add(&world->colliders, &world->memory, collider, &id.slot, &id.generation)) {
        dr_collider_destroy(collider, &world->memory);
        dr_world_fail(world, "out of memory");
        return (drape_collider_id){0};
    }
    if (collider->key_count > 0) {
        collider->pose = dr_motion_at(collider->keys, collider->key_count, world->time);
    }
    dr_world_disturb(world, NULL);
    dr_world_free_apart(world);
    return id;
}

drape_collider_id drape_collider_add_sphere(drape_world* world, drape_vec3 center, float radius)
{
    drape_collider_def def = drape_collider_defaults();
    def.shape = (drape_shape){.kind = DRAPE_SHAPE_SPHERE, .radius = radius};
    def.place.translate = center;
    return drape_collider_add(world, &def);
}

drape_collider_id drape_collider_add_box(drape_world* world, drape_vec3 center, drape_vec3 size)
{
    drape_collider_def def = drape_collider_defaults();
    def.shape = (drape_shape){.kind = DRAPE_SHAPE_BOX, .size = size};
    def.place.translate = center;
    return drape_collider_add(world, &def);
}

// The shortest rotation that takes +y to a direction; none when the direction is zero.
static drape_quat rotation_from_up(drape_vec3 direction)
{
    drape_vec3 d = dr_normalize(direction);
    if (d.y < -0.999999f) {
        return (drape_quat){1.0f, 0.0f, 0.0f, 0.0f};
    }
    double w = sqrt(0.5 * (1.0 + (double)d.y));
    double s = d.x == 0.0f && d.y == 0.0f && d.z == 0.0f ? 0.0 : 0.5 / w;
    return (drape_quat){(float)(d.z * s), 0.0f, (float)(-d.x * s), s == 0.0 ? 1.0f : (float)w};
}

drape_collider_id drape_collider_add_plane(drape_world* world, drape_vec3 point, drape_vec3 normal)
{
    drape_collider_def def = drape_collider_defaults();
    if (world && !(dr_length(normal) > 0.0f)) {
        dr_world_fail(world, "a plane needs a normal other than zero");
        return (drape_collider_id){0};
    }
    def.shape = (drape_shape){.kind = DRAPE_SHAPE_PLANE};
    def.place = (drape_transform){point, rotation_from_up(normal)};
    return drape_collider_add(world, &def);
}

drape_collider_id drape_collider_add_capsule(drape_world* world, drape_vec3 from, drape_vec3 to,
                                             float radius)
{
    drape_collider_def def = drape_collider_defaults();
    drape_vec3 axis = dr_sub(to, from);
    def.shape = (drape_shape){.kind = DRAPE_SHAPE_CAPSULE,
                              .radius = radius,
                              .radius_top = radius,
                              .height = dr_length(axis)};
    def.place = (drape_transform){dr_lerp(from, to, 0.5f), rotation_from_up(axis)};
    return drape_collider_add(world, &def);
}

void dr_collider_destroy(dr_collider* collider, dr_memory* memory)
{
    if (collider) {
        dr_delete(memory, collider->frames, collider->place_count);
        dr_body_destroy(collider->body, memory);
        dr_delete(memory, collider->keys, collider->key_count);
        dr_delete(memory, collider, 1);
    }
}

bool drape_collider_is_valid(const drape_world* world, drape_collider_id collider)
{
    return dr_world_collider(world, collider) != NULL;
}

void drape_collider_remove(drape_world* world, drape_collider_id id)
{
    dr_collider* collider = dr_world_collider(world, id);
    if (collider) {
        dr_world_disturb(world, NULL);
        dr_world_free_apart(world);
        if (collider->body) {
            dr_world_drop_links(world, NULL, collider->body);
            dr_world_free_trials(world);
        }
        dr_collider_destroy(dr_slots_remove(&world->colliders, id.slot, id.generation),
                            &world->memory);
    }
}

bool drape_collider_move(drape_world* world, drape_collider_id id, drape_transform pose)
{
    dr_collider* collider = dr_world_collider(world, id);
    if (!collider) {
        return world && dr_world_fail(world, "no such collider");
    }
    if (!pose_is_sound(pose)) {
        return dr_world_fail(world, "a pose needs finite numbers and a unit rotation");
    }
    if (collider->key_count > 0) {
        return dr_world_fail(world, "a collider with keys cannot be moved by hand");
    }
    collider->target = pose;
    collider->moves_by_hand = true;
    return true;
}

bool drape_collider_set_vertices(drape_world* world, drape_collider_id id,
                                 const drape_vec3* positions, int count)
{
    dr_collider* collider = dr_world_collider(world, id);
    if (!collider) {
        return world && dr_world_fail(world, "no such collider");
    }
    if (!collider->is_mesh || collider->frame_count > 0) {
        return dr_world_fail(world, "only a mesh collider without frames takes vertices by hand");
    }
    if (!positions || count != collider->body->given_count) {
        return dr_world_fail(world, "expected %d vertices, as many as the mesh has, found %d",
                             collider->body->given_count, count);
    }
    return check_places(world, positions, count, "the vertices of the collider") &&
           (dr_body_aim(collider->body, &world->memory, positions) ||
            dr_world_fail(world, "out of memory"));
}

drape_transform drape_collider_pose(const drape_world* world, drape_collider_id id)
{
    const dr_collider* collider = dr_world_collider(world, id);
    return collider ? collider->pose : (drape_transform){.rotate = {0.0f, 0.0f, 0.0f, 1.0f}};
}

// --- While stepping ---

// The pose at the end of the substep. By hand: the rest of the way is shared among what is left.
static drape_transform next_pose(const drape_world* world, const dr_collider* collider)
{
    if (collider->key_count > 0) {
        return dr_motion_at(collider->keys, collider->key_count, world->substep.time_end);
    }
    if (!collider->moves_by_hand) {
        return collider->pose;
    }
    float h_share = world->substep.h_share, left = 1.0f - world->substep.share_end + h_share;
    float t = left > h_share ? h_share / left : 1.0f;
    return (drape_transform){
        t < 1.0f ? dr_lerp(collider->pose.translate, collider->target.translate, t)
                 : collider->target.translate,
        dr_quat_slerp(collider->pose.rotate, collider->target.rotate, (double)t)};
}

drape_transform dr_collider_end_pose(const drape_world* world, const dr_collider* collider, float dt)
{
    if (collider->key_count > 0) {
        return dr_motion_at(collider->keys, collider->key_count, world->time + (double)dt);
    }
    return collider->moves_by_hand ? collider->target : collider->pose;
}

drape_vec3 dr_collider_far_point(const dr_collider* collider)
{
    if (!collider->body) {
        return dr_shape_support(&collider->shape, (drape_vec3){1.0f, 1.0f, 1.0f});
    }
    const float* root = collider->body->shell.tree.root;
    return (drape_vec3){fmaxf(root[0], root[3]), fmaxf(root[1], root[4]), fmaxf(root[2], root[5])};
}

// How far a solid goes from one pose to another, its turning counted at its own size.
static double travel_between(const dr_collider* collider, const drape_transform* from,
                             const drape_transform* to)
{
    drape_quat p = from->rotate, q = to->rotate;
    double same =
        fabs((double)p.x * q.x + (double)p.y * q.y + (double)p.z * q.z + (double)p.w * q.w);
    double turn = 2.0 * sqrt(fmax(2.0 - 2.0 * same, 0.0)); // the angle, while it is small
    drape_vec3 far = dr_collider_far_point(collider);
    return (double)dr_length(dr_sub(to->translate, from->translate)) +
           turn * (double)dr_length(far);
}

// Between keys it may rush and rest, so the step is looked at in parts.
double dr_collider_travel(const drape_world* world, const dr_collider* collider, float dt)
{
    if (collider->key_count == 0) {
        return collider->moves_by_hand
                   ? travel_between(collider, &collider->pose, &collider->target)
                   : 0.0;
    }
    enum { parts = 16 };
    double most = 0.0;
    drape_transform from = collider->pose;
    for (int i = 1; i <= parts; ++i) {
        double time = world->time + (double)dt * i / parts;
        drape_transform to = dr_motion_at(collider->keys, collider->key_count, time);
        most = fmax(most, travel_between(collider, &from, &to));
        from = to;
    }
    return most * parts;
}

// The fastest vertex of all cloths, and the finest cloth by its longest edge.
static void look_at_cloths(const drape_world* world, float* fastest, float* finest)
{
    *fastest = 0.0f;
    *finest = INFINITY;
    for (int i = 0; i < dr_slots_count(&world->cloths); ++i) {
        const dr_cloth* cloth = dr_slots_at(&world->cloths, i);
        for (int c = 0; cloth && c < cloth->chunk_count; ++c) {
            *fastest = fmaxf(*fastest, cloth->chunks[c].speed_squared);
        }
        if (cloth && cloth->edge_max > 0.0f) {
            *finest = fminf(*finest, cloth->edge_max);
        }
    }
    *fastest = sqrtf(*fastest);
}

double dr_world_substeps_wanted(const drape_world* world, float dt)
{
    float fastest, finest;
    look_at_cloths(world, &fastest, &finest);
    double wanted = 1.0;
    for (int i = 0; i < dr_slots_count(&world->colliders); ++i) {
        const dr_collider* collider = dr_slots_at(&world->colliders, i);
        if (collider) {
            double travel = dr_collider_travel(world, collider, dt) + (double)fastest * (double)dt;
            // A mesh may be thin anywhere: against it the cloth goes at most an edge at a time.
            float size = collider->body ? 2.0f * finest : dr_shape_inner_radius(&collider->shape);
            wanted = fmax(wanted, 2.0 * travel / (double)size);
        }
    }
    return wanted;
}

bool dr_world_begin_obstacles(drape_world* world, float dt)
{
    for (int i = 0; i < dr_slots_count(&world->colliders); ++i) {
        dr_collider* collider = dr_slots_at(&world->colliders, i);
        dr_body* body = collider ? collider->body : NULL;
        if (body && collider->frame_count > 0) {
            int count = body->given_count;
            drape_vec3* places = collider->frames + (size_t)collider->frame_count * (size_t)count;
            dr_frames_at(collider->frames, collider->frame_count, count, collider->fps,
                         world->time + (double)dt, places);
            if (!dr_body_aim(body, &world->memory, places)) {
                return false;
            }
        }
        if (body && (body->is_changing || body->has_changed)) {
            dr_body_begin_step(body, world->pool);
            dr_world_stale_links(world, body);
        }
    }
    return true;
}

// An obstacle of the substep.
static void set_obstacle(const drape_world* world, const dr_collider* collider, drape_transform end,
                         dr_obstacle* obstacle)
{
    const dr_substep* substep = &world->substep;
    const float shares[2] = {substep->share_end - substep->h_share, substep->share_end};
    if (collider->body) {
        dr_obstacle_set_body(obstacle, collider->body, dr_collider_frame(collider, collider->pose),
                             dr_collider_frame(collider, end), shares);
    } else {
        dr_obstacle_set(obstacle, &collider->shape, dr_collider_frame(collider, collider->pose),
                        dr_collider_frame(collider, end));
    }
    obstacle->friction_static = collider->friction_static;
    obstacle->friction_dynamic = collider->friction_dynamic;
}

bool dr_world_move_obstacles(drape_world* world)
{
    world->obstacles.count = 0;
    for (int i = 0; i < dr_slots_count(&world->colliders); ++i) {
        dr_collider* collider = dr_slots_at(&world->colliders, i);
        if (!collider) {
            continue;
        }
        dr_obstacle* obstacle =
            dr_array_push(&world->memory, &world->obstacles, sizeof(dr_obstacle));
        if (!obstacle) {
            return false;
        }
        drape_transform end = next_pose(world, collider);
        set_obstacle(world, collider, end, obstacle);
        collider->start_pose = collider->pose;
        collider->pose = end;
    }
    return true;
}

void dr_world_finish_obstacles(drape_world* world)
{
    for (int i = 0; i < dr_slots_count(&world->colliders); ++i) {
        dr_collider* collider = dr_slots_at(&world->colliders, i);
        if (collider) {
            collider->moves_by_hand = false;
        }
        if (collider && collider->body) {
            dr_body_end_step(collider->body);
        }
    }
}
