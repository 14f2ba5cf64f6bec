#include "scene/control.h"

#include <math.h>
#include <string.h>

#include "core/vec_math.h"
#include "scene/sleep.h"
#include "scene/world.h"
#include "solver/damping.h"

// --- Transforms ---

drape_transform dr_transform_join(drape_transform second, drape_transform first)
{
    return (drape_transform){dr_transform_apply(second, first.translate),
                             dr_quat_multiply(second.rotate, first.rotate)};
}

drape_transform dr_transform_invert(drape_transform t)
{
    drape_quat back = dr_quat_conjugate(t.rotate);
    return (drape_transform){dr_quat_rotate(back, dr_scale(t.translate, -1.0f)), back};
}

bool dr_transform_is_sound(drape_transform t)
{
    drape_quat q = t.rotate;
    double norm = (double)q.x * q.x + (double)q.y * q.y + (double)q.z * q.z + (double)q.w * q.w;
    return dr_is_finite(t.translate) && norm > 0.998 && norm < 1.002;
}

// --- Definition ---

drape_control drape_control_defaults(void)
{
    return (drape_control){.tether_slack = 0.01f, .inertia_linear = 1.0f, .inertia_angular = 1.0f};
}

const char* dr_control_refusal(const drape_control* def)
{
    const float lengths[] = {def->tether_slack, def->rigid_damping, def->stretch_damping,
                             def->teleport_distance};
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; ++i) {
        if (!(lengths[i] >= 0.0f) || !isfinite(lengths[i])) {
            return "a cloth's tether_slack, damping and teleport_distance must be at least 0";
        }
    }
    if (!(def->inertia_linear >= 0.0f && def->inertia_linear <= 1.0f) ||
        !(def->inertia_angular >= 0.0f && def->inertia_angular <= 1.0f)) {
        return "a cloth's inertia must be 0 to 1, linear and angular";
    }
    return NULL;
}

bool dr_control_init(dr_control* control, dr_memory* memory, const drape_control* def,
                     const drape_vec3* home, int count)
{
    control->def = *def;
    control->are_tethers_stale = def->tethers;
    control->home_place = dr_transform_none();
    control->home = dr_new(memory, drape_vec3, count);
    control->home_count = count;
    if (control->home) {
        memcpy(control->home, home, sizeof *home * (size_t)count);
    }
    return control->home != NULL;
}

void dr_control_free(dr_control* control, dr_memory* memory)
{
    dr_tethers_free(&control->tethers, memory);
    dr_yarns_free(&control->yarns, memory);
    dr_pose_free(&control->pose, memory);
    dr_delete(memory, control->root.carry.moved, control->root.moved_floats);
    dr_delete(memory, control->home, control->home_count);
}

drape_control drape_cloth_get_control(const drape_world* world, drape_cloth_id id)
{
    const dr_cloth* cloth = dr_world_cloth(world, id);
    return cloth ? cloth->control.def : drape_control_defaults();
}

bool drape_cloth_set_control(drape_world* world, drape_cloth_id id, const drape_control* def)
{
    dr_cloth* cloth = dr_world_cloth(world, id);
    if (!cloth || !def) {
        return world && dr_world_fail(world, cloth ? "there is no control" : "no such cloth");
    }
    const char* refusal = dr_control_refusal(def);
    if (refusal) {
        return dr_world_fail(world, "%s", refusal);
    }
    cloth->control.are_tethers_stale |= cloth->control.def.tethers != def->tethers ||
                                        cloth->control.def.tether_slack != def->tether_slack;
    cloth->control.def = *def;
    dr_world_disturb(world, cloth);
    return true;
}

bool drape_cloth_set_frame(drape_world* world, drape_cloth_id id, drape_transform frame)
{
    dr_cloth* cloth = dr_world_cloth(world, id);
    if (!cloth) {
        return world && dr_world_fail(world, "no such cloth");
    }
    if (!dr_transform_is_sound(frame)) {
        return dr_world_fail(world, "a frame needs finite numbers and a unit rotation");
    }
    dr_root* root = &cloth->control.root;
    if (!root->is_set) {
        root->now = root->next = frame;
        root->base = dr_transform_join(dr_transform_invert(frame), cloth->control.home_place);
        dr_pose_mount(cloth, frame);
        root->is_set = true;
        return true;
    }
    root->next = frame;
    root->is_moving = memcmp(&root->now, &root->next, sizeof frame) != 0;
    if (root->is_moving) {
        dr_world_disturb(world, cloth);
    }
    return true;
}

bool drape_cloth_ride(drape_world* world, drape_cloth_id id, drape_collider_id mount)
{
    dr_cloth* cloth = dr_world_cloth(world, id);
    const dr_collider* collider = dr_world_collider(world, mount);
    if (!cloth || (!collider && mount.slot != 0)) {
        return world && dr_world_fail(world, cloth ? "no such collider" : "no such cloth");
    }
    cloth->control.root.mount = mount;
    return !collider || drape_cloth_set_frame(world, id, collider->pose);
}

// --- Once a step ---

static void ride(drape_world* world, dr_cloth* cloth, float dt)
{
    dr_root* root = &cloth->control.root;
    const dr_collider* collider = dr_world_collider(world, root->mount);
    if (!collider || !root->is_set) {
        return;
    }
    root->next = dr_collider_end_pose(world, collider, dt);
    root->is_moving = memcmp(&root->now, &root->next, sizeof root->now) != 0;
    if (root->is_moving) {
        dr_world_disturb(world, cloth);
    }
}

void dr_world_ride(drape_world* world, float dt)
{
    for (int i = 0; i < dr_slots_count(&world->cloths); ++i) {
        dr_cloth* cloth = dr_slots_at(&world->cloths, i);
        if (cloth && cloth->control.root.mount.slot != 0) {
            ride(world, cloth, dt);
        }
    }
}

static bool refresh_tethers(drape_world* world, dr_cloth* cloth)
{
    dr_control* control = &cloth->control;
    if (!control->are_tethers_stale) {
        return true;
    }
    dr_tethers_free(&control->tethers, &world->memory);
    bool made =
        !control->def.tethers || dr_tethers_create(&control->tethers, &world->memory, &cloth->mesh,
                                                   cloth->sheet, control->def.tether_slack);
    control->are_tethers_stale = !made;
    return made;
}

static bool refresh_yarns(drape_world* world, dr_cloth* cloth)
{
    dr_yarns* yarns = &cloth->control.yarns;
    if (!cloth->control.def.yarns || !cloth->xpbd.mesh || yarns->batches) {
        return true;
    }
    bool made = dr_yarns_create(yarns, &world->memory, &cloth->mesh, cloth->sheet, &cloth->fabric);
    if (!made) {
        dr_yarns_free(yarns, &world->memory); // the next step tries again
    }
    return made;
}

static bool is_carried(const dr_control* control)
{
    return control->root.is_moving &&
           (control->def.inertia_linear < 1.0f || control->def.inertia_angular < 1.0f);
}

static bool make_room_to_carry(drape_world* world, dr_cloth* cloth)
{
    dr_root* root = &cloth->control.root;
    if (is_carried(&cloth->control) && !root->carry.moved) {
        root->moved_floats = (size_t)cloth->sheet->vector_count * 32;
        root->carry.moved = dr_new_zeroed(&world->memory, float, root->moved_floats);
        root->moved_floats = root->carry.moved ? root->moved_floats : 0;
        return root->carry.moved != NULL;
    }
    return true;
}

// Implicit, as the damping of all motion is: stable for any rate.
static void damp(dr_cloth* cloth, float dt)
{
    const drape_control* def = &cloth->control.def;
    if (def->stretch_damping > 0.0f) {
        float x = def->stretch_damping * dt;
        dr_damp_stretch(cloth->sheet, &cloth->mesh, x / (1.0f + x));
    }
    if (def->rigid_damping > 0.0f) {
        float x = def->rigid_damping * dt;
        dr_damp_rigid(cloth->sheet, x / (1.0f + x));
    }
}

bool dr_world_begin_controls(drape_world* world, float dt)
{
    world->is_controlled = world->has_yarns = false;
    for (int i = 0; i < dr_slots_count(&world->cloths); ++i) {
        dr_cloth* cloth = dr_world_awake(world, i);
        if (!cloth || cloth->model) {
            continue;
        }
        dr_control* control = &cloth->control;
        if (!refresh_tethers(world, cloth) || !refresh_yarns(world, cloth) ||
            !make_room_to_carry(world, cloth)) {
            return false;
        }
        if (control->pose.frame_count > 1) {
            dr_pose_lead(cloth, world->time + (double)dt);
        } else if (control->pose.frame_count == 1 && control->root.is_moving) {
            dr_pose_ride(cloth);
        }
        damp(cloth, dt);
        world->is_controlled |= control->calm_time > 0.0f;
        world->has_yarns |= dr_cloth_has_yarns(cloth);
        world->is_controlled |= control->tethers.row_count > 0 || is_carried(control) ||
                                (control->pose.is_followed && control->pose.is_set);
    }
    return true;
}

void dr_world_finish_controls(drape_world* world, float dt)
{
    for (int i = 0; i < dr_slots_count(&world->cloths); ++i) {
        dr_cloth* cloth = dr_slots_at(&world->cloths, i);
        if (!cloth) {
            continue;
        }
        dr_control* control = &cloth->control;
        control->calm_time = fmaxf(control->calm_time - dt, 0.0f);
        if (control->pose.is_moving) {
            dr_leash_settle(&control->pose.leash, cloth->sheet->layout);
            control->pose.is_moving = false;
        }
        if (control->root.is_moving) {
            control->root.now = control->root.next;
            control->root.is_moving = false;
        }
    }
}

// --- Once a substep ---

static drape_transform frame_at(const dr_root* root, float share)
{
    return (drape_transform){share < 1.0f
                                 ? dr_lerp(root->now.translate, root->next.translate, share)
                                 : root->next.translate,
                             dr_quat_slerp(root->now.rotate, root->next.rotate, (double)share)};
}

static int last_vector(const dr_work_item* item)
{
    int last = (item->index + 1) * DR_CHUNK_VECTORS;
    return last < item->cloth->sheet->vector_count ? last : item->cloth->sheet->vector_count;
}

static void carry_task(void* context, int begin, int end, int worker)
{
    (void)worker;
    drape_world* world = context;
    const dr_work_item* items = world->chunk_items.data;
    for (int i = begin; i < end; ++i) {
        dr_cloth* cloth = items[i].cloth;
        if (is_carried(&cloth->control)) {
            float fastest = dr_carry_kernels_for(world->isa)
                                ->add(&cloth->control.root.carry, cloth->sheet,
                                      items[i].index * DR_CHUNK_VECTORS, last_vector(&items[i]));
            // Contacts are looked for as far as the fastest goes.
            dr_chunk_bounds* bounds = &cloth->chunks[items[i].index];
            bounds->speed_squared = fmaxf(bounds->speed_squared, fastest);
        }
    }
}

void dr_world_aim_controls(drape_world* world)
{
    if (!world->is_controlled) {
        return;
    }
    const dr_substep* substep = &world->substep;
    for (int i = 0; i < dr_slots_count(&world->cloths); ++i) {
        dr_cloth* cloth = dr_world_awake(world, i);
        if (!cloth) {
            continue;
        }
        dr_control* control = &cloth->control;
        dr_tethers_begin(&control->tethers, cloth->sheet);
        control->pose.leash.share = substep->share_end;
        if (is_carried(control)) {
            dr_carry_set(&control->root.carry,
                         frame_at(&control->root, substep->share_end - substep->h_share),
                         frame_at(&control->root, substep->share_end), control->def.inertia_linear,
                         control->def.inertia_angular, substep->h);
        }
    }
    dr_parallel_for(world->threads_pay ? world->pool : NULL, world->chunk_items.count, 1,
                    carry_task, world);
}

// What solids pushed in this substep.
static void note_pressed(const drape_world* world)
{
    for (int i = 0; i < world->run_count; ++i) {
        const dr_contact_run* run = &world->runs[i];
        dr_yarns* yarns = &run->cloth->control.yarns;
        for (int k = 0; dr_cloth_has_yarns(run->cloth) && k < run->count; ++k) {
            const dr_contact8* contact = &run->contacts[k];
            for (int lane = 0; lane < 8; ++lane) {
                if (contact->pressed[lane] > 0.0f) {
                    drape_vec3 normal = {contact->normal[0][lane], contact->normal[1][lane],
                                         contact->normal[2][lane]};
                    dr_yarns_press(yarns, 8 * contact->vector + lane, normal);
                }
            }
        }
    }
}

void dr_world_press_yarns(drape_world* world)
{
    for (int i = 0; world->has_yarns && i < dr_slots_count(&world->cloths); ++i) {
        dr_cloth* cloth = dr_world_awake(world, i);
        if (cloth && dr_cloth_has_yarns(cloth)) {
            dr_yarns_release_all(&cloth->control.yarns);
            dr_yarns_prepare(&cloth->control.yarns, world->substep.h);
        }
    }
    if (world->has_yarns) {
        note_pressed(world);
    }
}

static void yarn_task(void* context, int begin, int end, int worker)
{
    (void)worker;
    drape_world* world = context;
    for (int i = begin; i < end; ++i) {
        dr_cloth* cloth = dr_world_awake(world, i);
        if (cloth && dr_cloth_has_yarns(cloth)) {
            dr_yarn_kernels_for(world->isa)->pull(&cloth->control.yarns, cloth->sheet->pos);
        }
    }
}

void dr_world_pull_yarns(drape_world* world)
{
    if (world->has_yarns) {
        dr_parallel_for(world->threads_pay ? world->pool : NULL, dr_slots_count(&world->cloths), 1,
                        yarn_task, world);
    }
}

static void pull_task(void* context, int begin, int end, int worker)
{
    (void)worker;
    drape_world* world = context;
    const dr_work_item* items = world->chunk_items.data;
    for (int i = begin; i < end; ++i) {
        const dr_cloth* cloth = items[i].cloth;
        const dr_control* control = &cloth->control;
        int first = items[i].index * DR_CHUNK_VECTORS, last = last_vector(&items[i]);
        if (control->tethers.row_count > 0) {
            dr_tether_kernels_for(world->isa)->pull(&control->tethers, cloth->sheet, first, last);
        }
        if (control->pose.is_followed && control->pose.is_set) {
            dr_leash_kernels_for(world->isa)->hold(&control->pose.leash, cloth->sheet, first, last);
        }
    }
}

void dr_world_pull_controls(drape_world* world)
{
    if (world->is_controlled) {
        dr_parallel_for(world->threads_pay ? world->pool : NULL, world->chunk_items.count, 1,
                        pull_task, world);
    }
}

// Shortens velocities that are too long.
static void calm_down(const dr_cloth* cloth, int first, int last)
{
    const dr_sheet* sheet = cloth->sheet;
    float most = cloth->control.calm_speed;
    for (int slot = first * 8; slot < last * 8; ++slot) {
        drape_vec3 u = dr_sheet_get(sheet->layout, sheet->vel, slot);
        float squared = dr_dot(u, u);
        if (squared > most * most && dr_sheet_inverse_mass(sheet, slot) > 0.0f) {
            dr_sheet_set(sheet->layout, sheet->vel, slot, dr_scale(u, most / sqrtf(squared)));
        }
    }
}

static void drop_task(void* context, int begin, int end, int worker)
{
    (void)worker;
    drape_world* world = context;
    const dr_work_item* items = world->chunk_items.data;
    for (int i = begin; i < end; ++i) {
        const dr_cloth* cloth = items[i].cloth;
        if (is_carried(&cloth->control)) {
            dr_carry_kernels_for(world->isa)
                ->take(&cloth->control.root.carry, cloth->sheet, items[i].index * DR_CHUNK_VECTORS,
                       last_vector(&items[i]));
        }
        if (cloth->control.calm_time > 0.0f) {
            calm_down(cloth, items[i].index * DR_CHUNK_VECTORS, last_vector(&items[i]));
        }
    }
}

void dr_world_drop_carries(drape_world* world)
{
    if (world->is_controlled) {
        dr_parallel_for(world->threads_pay ? world->pool : NULL, world->chunk_items.count, 1,
                        drop_task, world);
    }
}
