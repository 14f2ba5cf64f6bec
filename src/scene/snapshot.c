// The state of a world as bytes: what steps change, and nothing that the definitions say.
//
// A snapshot fits a world that was made in the same way: the same things added in the same order.
// It begins with a word and has the sizes of everything in it, so that one of another world is
// refused before anything is changed, and it ends with a hash. Numbers have their low byte first.
#include <math.h>
#include <string.h>

#include "contact/body.h"
#include "scene/mesh_link.h"
#include "scene/predict_step.h"
#include "scene/snapshot_gates.h"
#include "scene/trials.h"
#include "scene/world.h"

static const char magic[8] = "drapeST6";

// --- Parts, each written and read by functions that stand beside each other ---

static size_t sheet_floats(const dr_cloth* cloth)
{
    return (size_t)cloth->sheet->vector_count * 32;
}

// The model's places and velocities, by way of its backup.
static size_t model_doubles(const dr_cloth* cloth)
{
    return cloth->model ? 6 * (size_t)cloth->sheet->vertex_count : 0;
}

static void put_model(dr_state_writer* w, const dr_cloth* cloth)
{
    if (cloth->model) {
        dr_model_save(cloth->model);
    }
    for (size_t i = 0; i < model_doubles(cloth); ++i) {
        dr_put_double(w, cloth->model->backup[i / 3][i % 3]);
    }
}

static void take_model(dr_state_reader* r, dr_cloth* cloth)
{
    for (size_t i = 0; i < model_doubles(cloth); ++i) {
        double value = dr_take_double(r);
        if (r->stores) {
            cloth->model->backup[i / 3][i % 3] = value;
        }
    }
    if (r->stores && cloth->model) {
        dr_model_restore(cloth->model);
    }
}

static void put_transform(dr_state_writer* w, const drape_transform* t)
{
    const float values[7] = {t->translate.x, t->translate.y, t->translate.z, t->rotate.x,
                             t->rotate.y,    t->rotate.z,    t->rotate.w};
    dr_put_floats(w, values, 7);
}

static void take_transform(dr_state_reader* r, drape_transform* t)
{
    float v[7] = {0};
    dr_take_floats(r, v, 7);
    if (r->stores) {
        *t = (drape_transform){{v[0], v[1], v[2]}, {v[3], v[4], v[5], v[6]}};
    }
}

static void take_flag(dr_state_reader* r, bool* flag)
{
    bool value = dr_take_number(r, 1) != 0;
    *flag = r->stores ? value : *flag;
}

// A pose: where it is and where it shall be at the end of the next step.
static void put_pose(dr_state_writer* w, const dr_cloth* cloth)
{
    const dr_pose* pose = &cloth->control.pose;
    dr_put_number(w, pose->is_followed, 1);
    dr_put_number(w, pose->is_set, 1);
    dr_put_number(w, pose->is_moving, 1);
    dr_put_number(w, pose->has_jumped, 1);
    put_transform(w, &pose->moved);
    put_transform(w, &pose->base);
    const float* arrays[4] = {pose->leash.from, pose->leash.to, pose->leash.normal_from,
                              pose->leash.normal_to};
    for (int slot = 0; pose->is_followed && slot < cloth->sheet->vector_count * 8; ++slot) {
        for (int k = 0; k < 4; ++k) {
            drape_vec3 p = dr_sheet_get(cloth->sheet->layout, arrays[k], slot);
            dr_put_floats(w, &p.x, 3);
        }
    }
}

static void take_pose(dr_state_reader* r, dr_cloth* cloth)
{
    dr_pose* pose = &cloth->control.pose;
    bool is_followed = dr_take_number(r, 1) != 0;
    r->is_good = r->is_good && is_followed == pose->is_followed;
    take_flag(r, &pose->is_set);
    take_flag(r, &pose->is_moving);
    take_flag(r, &pose->has_jumped);
    take_transform(r, &pose->moved);
    take_transform(r, &pose->base);
    float* arrays[4] = {pose->leash.from, pose->leash.to, pose->leash.normal_from,
                        pose->leash.normal_to};
    int slots = r->is_good && is_followed ? cloth->sheet->vector_count * 8 : 0;
    for (int slot = 0; slot < slots; ++slot) {
        for (int k = 0; k < 4; ++k) {
            drape_vec3 p = {0.0f, 0.0f, 0.0f};
            dr_take_floats(r, &p.x, 3);
            if (r->stores) {
                dr_sheet_set(cloth->sheet->layout, arrays[k], slot, p);
            }
        }
    }
}

// The gap of a sleeping cloth is infinite where there is nothing near.
static void put_gap(dr_state_writer* w, float gap)
{
    uint32_t bits;
    memcpy(&bits, &gap, sizeof bits);
    dr_put_number(w, bits, 4);
}

static void take_gap(dr_state_reader* r, float* gap)
{
    uint32_t bits = (uint32_t)dr_take_number(r, 4);
    if (r->stores) {
        memcpy(gap, &bits, sizeof bits);
    }
}

static void take_int(dr_state_reader* r, int* value)
{
    int taken = (int)(int32_t)(uint32_t)dr_take_number(r, 4);
    *value = r->stores ? taken : *value;
}

static void put_control(dr_state_writer* w, const dr_cloth* cloth)
{
    const dr_control* control = &cloth->control;
    put_transform(w, &control->home_place);
    dr_put_floats(w, &control->calm_time, 1);
    dr_put_floats(w, &control->calm_speed, 1);
    dr_put_number(w, control->root.is_set, 1);
    dr_put_number(w, control->root.is_moving, 1);
    put_transform(w, &control->root.now);
    put_transform(w, &control->root.next);
    put_transform(w, &control->root.base);
    dr_put_number(w, control->sleep.is_asleep, 1);
    dr_put_floats(w, &control->sleep.still_time, 1);
    dr_put_floats(w, &control->sleep.stretch, 1);
    put_gap(w, control->sleep.gap);
    dr_put_number(w, (uint32_t)control->sleep.crossed, 4);
    dr_put_number(w, (uint32_t)control->sleep.touching, 4);
    put_pose(w, cloth);
}

static void take_control(dr_state_reader* r, dr_cloth* cloth)
{
    dr_control* control = &cloth->control;
    take_transform(r, &control->home_place);
    dr_take_floats(r, &control->calm_time, 1);
    dr_take_floats(r, &control->calm_speed, 1);
    take_flag(r, &control->root.is_set);
    take_flag(r, &control->root.is_moving);
    take_transform(r, &control->root.now);
    take_transform(r, &control->root.next);
    take_transform(r, &control->root.base);
    take_flag(r, &control->sleep.is_asleep);
    dr_take_floats(r, &control->sleep.still_time, 1);
    dr_take_floats(r, &control->sleep.stretch, 1);
    take_gap(r, &control->sleep.gap);
    take_int(r, &control->sleep.crossed);
    take_int(r, &control->sleep.touching);
    take_pose(r, cloth);
}

static void put_cloth(dr_state_writer* w, const dr_cloth* cloth)
{
    const dr_sheet* sheet = cloth->sheet;
    dr_put_count(w, sheet->vertex_count);
    dr_put_count(w, sheet->vector_count);
    dr_put_count(w, cloth->mesh.triangle_count);
    dr_put_count(w, (int64_t)model_doubles(cloth));
    dr_put_floats(w, sheet->start, sheet_floats(cloth));
    dr_put_floats(w, sheet->vel, sheet_floats(cloth));
    dr_put_floats(w, sheet->pos, sheet_floats(cloth));
    dr_put_floats(w, &cloth->reach, 1);
    for (int c = 0; c < cloth->chunk_count; ++c) {
        dr_put_floats(w, cloth->chunks[c].lo, 3);
        dr_put_floats(w, cloth->chunks[c].hi, 3);
        dr_put_floats(w, &cloth->chunks[c].speed_squared, 1);
    }
    put_model(w, cloth);
    put_control(w, cloth);
}

static void take_cloth(dr_state_reader* r, dr_cloth* cloth)
{
    dr_sheet* sheet = cloth->sheet;
    dr_expect_count(r, sheet->vertex_count);
    dr_expect_count(r, sheet->vector_count);
    dr_expect_count(r, cloth->mesh.triangle_count);
    dr_expect_count(r, (int64_t)model_doubles(cloth));
    dr_take_floats(r, sheet->start, sheet_floats(cloth));
    dr_take_floats(r, sheet->vel, sheet_floats(cloth));
    dr_take_floats(r, sheet->pos, sheet_floats(cloth));
    dr_take_floats(r, &cloth->reach, 1);
    for (int c = 0; c < cloth->chunk_count; ++c) {
        dr_take_floats(r, cloth->chunks[c].lo, 3);
        dr_take_floats(r, cloth->chunks[c].hi, 3);
        dr_take_floats(r, &cloth->chunks[c].speed_squared, 1);
    }
    take_model(r, cloth);
    take_control(r, cloth);
    if (r->stores) {
        // Inverse masses came with the positions; pins that are gone by now are found anew.
        cloth->is_held_stale = true;
        dr_cloth_publish(cloth);
        dr_cloth_save(cloth); // a sleeping cloth goes back to it when a step is undone
    }
}

static void put_pin(dr_state_writer* w, const dr_pin* pin)
{
    dr_put_count(w, pin->count);
    dr_put_floats(w, &pin->target[0].x, 3 * (size_t)pin->count);
    dr_put_floats(w, &pin->goal[0].x, 3 * (size_t)pin->count);
    dr_put_number(w, pin->moves_by_hand, 1);
    dr_put_number(w, pin->has_jumped, 1);
    put_transform(w, &pin->moved);
}

static void take_pin(dr_state_reader* r, dr_pin* pin)
{
    dr_expect_count(r, pin->count);
    dr_take_floats(r, &pin->target[0].x, 3 * (size_t)pin->count);
    dr_take_floats(r, &pin->goal[0].x, 3 * (size_t)pin->count);
    bool moves = dr_take_number(r, 1) != 0;
    pin->moves_by_hand = r->stores ? moves : pin->moves_by_hand;
    take_flag(r, &pin->has_jumped);
    take_transform(r, &pin->moved);
}

static void put_seam(dr_state_writer* w, const dr_seam* seam)
{
    dr_put_count(w, seam->count);
    dr_put_number(w, seam->has_started, 1);
    for (int i = 0; i < seam->count; ++i) {
        float unset = 0.0f; // not yet measured
        dr_put_floats(w, seam->has_started ? &seam->length[i] : &unset, 1);
    }
}

static void take_seam(dr_state_reader* r, dr_seam* seam)
{
    dr_expect_count(r, seam->count);
    bool has_started = dr_take_number(r, 1) != 0;
    dr_take_floats(r, seam->length, (size_t)seam->count);
    seam->has_started = r->stores ? has_started : seam->has_started;
}

static size_t body_floats(const dr_body* body)
{
    return (size_t)body->shell.mesh.vertex_count * 4;
}

static void put_body(dr_state_writer* w, const dr_body* body)
{
    dr_put_count(w, (int64_t)body_floats(body));
    dr_put_floats(w, body->from, body_floats(body));
    dr_put_number(w, body->is_changing, 1);
    if (body->is_changing) {
        dr_put_floats(w, body->to, body_floats(body));
    }
}

static void take_body(dr_state_reader* r, dr_body* body)
{
    dr_expect_count(r, (int64_t)body_floats(body));
    dr_take_floats(r, body->from, body_floats(body));
    bool is_changing = dr_take_number(r, 1) != 0;
    if (is_changing && !body->to) {
        body->to = dr_new_zeroed(r->memory, float, body_floats(body));
        r->is_good = r->is_good && body->to != NULL;
    }
    if (is_changing && r->is_good) {
        dr_take_floats(r, body->to, body_floats(body));
    }
    if (r->stores) {
        body->is_changing = is_changing;
        body->has_changed = true; // boxes are made anew
    }
}

static void put_collider(dr_state_writer* w, const dr_collider* collider)
{
    put_transform(w, &collider->pose);
    put_transform(w, &collider->target);
    dr_put_number(w, collider->moves_by_hand, 1);
    dr_put_number(w, collider->body != NULL, 1);
    if (collider->body) {
        put_body(w, collider->body);
    }
}

static void take_collider(dr_state_reader* r, dr_collider* collider)
{
    take_transform(r, &collider->pose);
    take_transform(r, &collider->target);
    bool moves = dr_take_number(r, 1) != 0;
    collider->moves_by_hand = r->stores ? moves : collider->moves_by_hand;
    bool has_body = dr_take_number(r, 1) != 0;
    r->is_good = r->is_good && has_body == (collider->body != NULL);
    if (r->is_good && has_body) {
        take_body(r, collider->body);
    }
}

// --- Lists of parts ---

typedef void put_fn(dr_state_writer* w, const void* item);
typedef void take_fn(dr_state_reader* r, void* item);

// Slot and generation name a part; a slot without one is a part that has gone.
static void put_list(dr_state_writer* w, const dr_slots* slots, put_fn* put)
{
    const dr_slot_entry* entries = slots->entries.data;
    dr_put_count(w, dr_slots_count(slots));
    for (int i = 0; i < dr_slots_count(slots); ++i) {
        dr_put_number(w, entries[i].item != NULL, 1);
        if (entries[i].item) {
            dr_put_number(w, entries[i].generation, 4);
            put(w, entries[i].item);
        }
    }
}

// Reads a list; with `gone` parts may be missing in the snapshot, and their slots are marked there.
static void take_list(dr_state_reader* r, const dr_slots* slots, take_fn* take, bool* gone)
{
    const dr_slot_entry* entries = slots->entries.data;
    dr_expect_count(r, dr_slots_count(slots));
    for (int i = 0; r->is_good && i < dr_slots_count(slots); ++i) {
        bool is_there = dr_take_number(r, 1) != 0;
        if (is_there) {
            r->is_good = r->is_good && entries[i].item != NULL &&
                         dr_take_number(r, 4) == entries[i].generation;
            if (r->is_good) {
                take(r, entries[i].item);
            }
        } else if (gone) {
            gone[i] = entries[i].item != NULL;
        } else {
            r->is_good = r->is_good && entries[i].item == NULL;
        }
    }
}

static void put_cloth_item(dr_state_writer* w, const void* item)
{
    put_cloth(w, item);
}
static void put_pin_item(dr_state_writer* w, const void* item)
{
    put_pin(w, item);
}
static void put_seam_item(dr_state_writer* w, const void* item)
{
    put_seam(w, item);
}
static void put_collider_item(dr_state_writer* w, const void* item)
{
    put_collider(w, item);
}
static void take_cloth_item(dr_state_reader* r, void* item)
{
    take_cloth(r, item);
}
static void take_pin_item(dr_state_reader* r, void* item)
{
    take_pin(r, item);
}
static void take_seam_item(dr_state_reader* r, void* item)
{
    take_seam(r, item);
}
static void take_collider_item(dr_state_reader* r, void* item)
{
    take_collider(r, item);
}

// --- The whole ---

// --- Predictive contacts ---

static void put_kept(dr_state_writer* w, const drape_world* world)
{
    size_t size = dr_world_kept_bytes(world, NULL, 0);
    dr_put_count(w, (int64_t)size);
    if (w->bytes && w->count + size <= w->room) {
        dr_world_kept_bytes(world, w->bytes + w->count, size);
    }
    w->count += size;
}

static void take_kept(dr_state_reader* r, drape_world* world)
{
    int64_t size = dr_take_count(r);
    r->is_good = r->is_good && size >= 0 && (uint64_t)size <= r->size - r->at;
    if (r->is_good) {
        const unsigned char* bytes = r->bytes + r->at;
        r->at += (size_t)size;
        r->is_good = r->stores ? dr_world_take_kept(world, bytes, (size_t)size)
                               : dr_world_kept_fits(world, bytes, (size_t)size);
    }
}

static void put_predict(dr_state_writer* w, const drape_world* world)
{
    put_kept(w, world);
    int count = dr_world_predict_word_count(world);
    dr_put_count(w, count);
    for (int i = 0; i < count; ++i) {
        dr_put_number(w, dr_world_predict_word(world, i), 4);
    }
}

static void take_predict(dr_state_reader* r, drape_world* world)
{
    take_kept(r, world);
    int64_t count = dr_take_count(r);
    r->is_good = r->is_good && count >= 0 && (uint64_t)count <= (r->size - r->at) / 4;
    if (!r->is_good) {
        return;
    }
    uint32_t* words = dr_new(&world->memory, uint32_t, (size_t)count + 1);
    r->is_good = words != NULL;
    for (int64_t i = 0; r->is_good && i < count; ++i) {
        words[i] = (uint32_t)dr_take_number(r, 4);
    }
    if (r->stores && r->is_good) {
        r->is_good = dr_world_take_predict_words(world, words, (int)count);
    }
    dr_delete(&world->memory, words, (size_t)count + 1);
}

bool drape_world_save(const drape_world* world, void* buffer, size_t* size)
{
    if (!world || !size) {
        return false;
    }
    dr_state_writer w = {buffer, buffer ? *size : 0, 0};
    dr_put_bytes(&w, magic, sizeof magic);
    dr_put_double(&w, world->time);
    put_list(&w, &world->colliders, put_collider_item);
    put_list(&w, &world->cloths, put_cloth_item);
    put_list(&w, &world->pins, put_pin_item);
    put_list(&w, &world->seams, put_seam_item);
    put_predict(&w, world);
    // The trials are made when they are not there yet, which changes nothing.
    dr_put_gates(&w, (drape_world*)(uintptr_t)world);
    uint64_t hash =
        w.bytes && w.count <= w.room ? dr_hash_bytes(DR_HASH_START, buffer, w.count) : 0;
    dr_put_number(&w, hash, 8);
    *size = w.count;
    return !buffer || w.count <= w.room;
}

// Once to look, once to store.
static bool take_world(dr_state_reader* r, drape_world* world, bool* gone_pins)
{
    r->at = sizeof magic;
    double time = dr_take_double(r);
    take_list(r, &world->colliders, take_collider_item, NULL);
    take_list(r, &world->cloths, take_cloth_item, NULL);
    take_list(r, &world->pins, take_pin_item, gone_pins);
    take_list(r, &world->seams, take_seam_item, NULL);
    take_predict(r, world);
    dr_take_gates(r, world);
    r->is_good = r->is_good && r->at == r->size;
    if (r->stores && r->is_good) {
        world->time = time;
    }
    return r->is_good;
}

static bool is_whole(const void* buffer, size_t size)
{
    if (!buffer || size < sizeof magic + 8 || memcmp(buffer, magic, sizeof magic) != 0) {
        return false;
    }
    dr_state_reader r = {buffer, size, size - 8, true, false, NULL};
    return dr_take_number(&r, 8) == dr_hash_bytes(DR_HASH_START, buffer, size - 8);
}

static void release_gone(drape_world* world, const bool* gone)
{
    const dr_slot_entry* entries = world->pins.entries.data;
    for (int i = 0; i < dr_slots_count(&world->pins); ++i) {
        if (gone[i]) {
            drape_pin_release(world, (drape_pin_id){(uint32_t)i + 1, entries[i].generation});
        }
    }
}

bool drape_world_load(drape_world* world, const void* buffer, size_t size)
{
    if (!world) {
        return false;
    }
    if (!is_whole(buffer, size)) {
        return dr_world_fail(world, "the saved state is damaged or not one of this version");
    }
    int pin_count = dr_slots_count(&world->pins);
    bool* gone = dr_new_zeroed(&world->memory, bool, pin_count + 1);
    if (!gone) {
        return dr_world_fail(world, "out of memory");
    }
    dr_state_reader look = {buffer, size - 8, 0, true, false, &world->memory};
    dr_state_reader store = {buffer, size - 8, 0, true, true, &world->memory};
    bool fits = dr_world_ready_predict(world) && take_world(&look, world, gone);
    if (fits) {
        dr_world_forget_predict(world);
        // Releasing wakes a cloth, the state says whether it sleeps.
        release_gone(world, gone);
        fits = take_world(&store, world, gone);
        world->is_work_stale = true;
        dr_world_stale_links(world, NULL);
        dr_world_forget_trials(world);
    }
    dr_delete(&world->memory, gone, pin_count + 1);
    return fits || dr_world_fail(world, "the saved state is of another world: its cloths, pins, "
                                        "seams or colliders are others");
}
