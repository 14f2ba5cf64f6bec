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
#include "scene/trials.h"
#include "scene/world.h"

static const char magic[8] = "drapeST1";

// --- Bytes ---

// Writes into `bytes` as long as there is room, and always counts.
typedef struct writer {
    unsigned char* bytes;
    size_t room, count;
} writer;

static void put_bytes(writer* w, const void* data, size_t size)
{
    if (size > 0 && w->bytes && w->count <= w->room && size <= w->room - w->count) {
        memcpy(w->bytes + w->count, data, size);
    }
    w->count += size;
}

static void put_number(writer* w, uint64_t value, int size)
{
    unsigned char bytes[8];
    for (int i = 0; i < size; ++i) {
        bytes[i] = (unsigned char)(value >> (8 * i));
    }
    put_bytes(w, bytes, (size_t)size);
}

static void put_count(writer* w, int64_t value)
{
    put_number(w, (uint64_t)value, 8);
}

static void put_floats(writer* w, const float* values, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        uint32_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        put_number(w, bits, 4);
    }
}

static void put_double(writer* w, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    put_number(w, bits, 8);
}

// Reads, or only looks: then nothing is stored. `is_good` falls with the first thing that does not
// fit; a number that is not finite never fits.
typedef struct reader {
    const unsigned char* bytes;
    size_t size, at;
    bool is_good;
    bool stores;
    dr_memory* memory;
} reader;

static uint64_t take_number(reader* r, int size)
{
    if (!r->is_good || (size_t)size > r->size - r->at) {
        r->is_good = false;
        return 0;
    }
    uint64_t value = 0;
    for (int i = 0; i < size; ++i) {
        value |= (uint64_t)r->bytes[r->at++] << (8 * i);
    }
    return value;
}

static int64_t take_count(reader* r)
{
    return (int64_t)take_number(r, 8);
}

// A count that the world must have, too.
static void expect_count(reader* r, int64_t value)
{
    r->is_good = take_count(r) == value && r->is_good;
}

static void take_floats(reader* r, float* values, size_t count)
{
    if (!r->is_good || count > (r->size - r->at) / 4) {
        r->is_good = false;
        return;
    }
    for (size_t i = 0; i < count; ++i) {
        uint32_t bits = (uint32_t)take_number(r, 4);
        float value;
        memcpy(&value, &bits, sizeof value);
        r->is_good = r->is_good && isfinite(value);
        if (r->stores) {
            values[i] = value;
        }
    }
}

static double take_double(reader* r)
{
    uint64_t bits = take_number(r, 8);
    double value;
    memcpy(&value, &bits, sizeof value);
    r->is_good = r->is_good && isfinite(value);
    return value;
}

// --- Parts, each written and read by functions that stand beside each other ---

static size_t sheet_floats(const dr_cloth* cloth)
{
    return (size_t)cloth->sheet->vector_count * 32;
}

// The elastic sheet's places and velocities, by way of its backup.
static size_t elastic_doubles(const dr_cloth* cloth)
{
    return cloth->elastic ? 6 * (size_t)cloth->sheet->vertex_count : 0;
}

static void put_elastic(writer* w, const dr_cloth* cloth)
{
    if (cloth->elastic) {
        dr_elastic_get_state(cloth->elastic, cloth->elastic_backup,
                             cloth->elastic_backup + cloth->sheet->vertex_count);
    }
    for (size_t i = 0; i < elastic_doubles(cloth); ++i) {
        put_double(w, cloth->elastic_backup[i / 3][i % 3]);
    }
}

static void take_elastic(reader* r, dr_cloth* cloth)
{
    for (size_t i = 0; i < elastic_doubles(cloth); ++i) {
        double value = take_double(r);
        if (r->stores) {
            cloth->elastic_backup[i / 3][i % 3] = value;
        }
    }
    if (r->stores && cloth->elastic) {
        dr_cloth_take_backup(cloth);
    }
}

static void put_cloth(writer* w, const dr_cloth* cloth)
{
    const dr_sheet* sheet = cloth->sheet;
    put_count(w, sheet->vertex_count);
    put_count(w, sheet->vector_count);
    put_count(w, cloth->mesh.triangle_count);
    put_count(w, (int64_t)elastic_doubles(cloth));
    put_floats(w, sheet->start, sheet_floats(cloth));
    put_floats(w, sheet->vel, sheet_floats(cloth));
    put_floats(w, sheet->pos, sheet_floats(cloth));
    put_floats(w, &cloth->reach, 1);
    for (int c = 0; c < cloth->chunk_count; ++c) {
        put_floats(w, cloth->chunks[c].lo, 3);
        put_floats(w, cloth->chunks[c].hi, 3);
        put_floats(w, &cloth->chunks[c].speed_squared, 1);
    }
    put_elastic(w, cloth);
}

static void take_cloth(reader* r, dr_cloth* cloth)
{
    dr_sheet* sheet = cloth->sheet;
    expect_count(r, sheet->vertex_count);
    expect_count(r, sheet->vector_count);
    expect_count(r, cloth->mesh.triangle_count);
    expect_count(r, (int64_t)elastic_doubles(cloth));
    take_floats(r, sheet->start, sheet_floats(cloth));
    take_floats(r, sheet->vel, sheet_floats(cloth));
    take_floats(r, sheet->pos, sheet_floats(cloth));
    take_floats(r, &cloth->reach, 1);
    for (int c = 0; c < cloth->chunk_count; ++c) {
        take_floats(r, cloth->chunks[c].lo, 3);
        take_floats(r, cloth->chunks[c].hi, 3);
        take_floats(r, &cloth->chunks[c].speed_squared, 1);
    }
    take_elastic(r, cloth);
    if (r->stores) {
        // Inverse masses came with the positions; pins that are gone by now are found anew.
        cloth->is_held_stale = true;
        dr_cloth_publish(cloth);
    }
}

static void put_pin(writer* w, const dr_pin* pin)
{
    put_count(w, pin->count);
    put_floats(w, &pin->target[0].x, 3 * (size_t)pin->count);
    put_floats(w, &pin->goal[0].x, 3 * (size_t)pin->count);
    put_number(w, pin->moves_by_hand, 1);
}

static void take_pin(reader* r, dr_pin* pin)
{
    expect_count(r, pin->count);
    take_floats(r, &pin->target[0].x, 3 * (size_t)pin->count);
    take_floats(r, &pin->goal[0].x, 3 * (size_t)pin->count);
    bool moves = take_number(r, 1) != 0;
    pin->moves_by_hand = r->stores ? moves : pin->moves_by_hand;
}

static void put_seam(writer* w, const dr_seam* seam)
{
    put_count(w, seam->count);
    put_number(w, seam->has_started, 1);
    for (int i = 0; i < seam->count; ++i) {
        float unset = 0.0f; // not yet measured
        put_floats(w, seam->has_started ? &seam->length[i] : &unset, 1);
    }
}

static void take_seam(reader* r, dr_seam* seam)
{
    expect_count(r, seam->count);
    bool has_started = take_number(r, 1) != 0;
    take_floats(r, seam->length, (size_t)seam->count);
    seam->has_started = r->stores ? has_started : seam->has_started;
}

static void put_transform(writer* w, const drape_transform* t)
{
    const float values[7] = {t->translate.x, t->translate.y, t->translate.z, t->rotate.x,
                             t->rotate.y,    t->rotate.z,    t->rotate.w};
    put_floats(w, values, 7);
}

static void take_transform(reader* r, drape_transform* t)
{
    float v[7] = {0};
    take_floats(r, v, 7);
    if (r->stores) {
        *t = (drape_transform){{v[0], v[1], v[2]}, {v[3], v[4], v[5], v[6]}};
    }
}

static size_t body_floats(const dr_body* body)
{
    return (size_t)body->shell.mesh.vertex_count * 4;
}

static void put_body(writer* w, const dr_body* body)
{
    put_count(w, (int64_t)body_floats(body));
    put_floats(w, body->from, body_floats(body));
    put_number(w, body->is_changing, 1);
    if (body->is_changing) {
        put_floats(w, body->to, body_floats(body));
    }
}

static void take_body(reader* r, dr_body* body)
{
    expect_count(r, (int64_t)body_floats(body));
    take_floats(r, body->from, body_floats(body));
    bool is_changing = take_number(r, 1) != 0;
    if (is_changing && !body->to) {
        body->to = dr_new_zeroed(r->memory, float, body_floats(body));
        r->is_good = r->is_good && body->to != NULL;
    }
    if (is_changing && r->is_good) {
        take_floats(r, body->to, body_floats(body));
    }
    if (r->stores) {
        body->is_changing = is_changing;
        body->has_changed = true; // boxes are made anew
    }
}

static void put_collider(writer* w, const dr_collider* collider)
{
    put_transform(w, &collider->pose);
    put_transform(w, &collider->target);
    put_number(w, collider->moves_by_hand, 1);
    put_number(w, collider->body != NULL, 1);
    if (collider->body) {
        put_body(w, collider->body);
    }
}

static void take_collider(reader* r, dr_collider* collider)
{
    take_transform(r, &collider->pose);
    take_transform(r, &collider->target);
    bool moves = take_number(r, 1) != 0;
    collider->moves_by_hand = r->stores ? moves : collider->moves_by_hand;
    bool has_body = take_number(r, 1) != 0;
    r->is_good = r->is_good && has_body == (collider->body != NULL);
    if (r->is_good && has_body) {
        take_body(r, collider->body);
    }
}

// --- Lists of parts ---

typedef void put_fn(writer* w, const void* item);
typedef void take_fn(reader* r, void* item);

// Slot and generation name a part; a slot without one is a part that has gone.
static void put_list(writer* w, const dr_slots* slots, put_fn* put)
{
    const dr_slot_entry* entries = slots->entries.data;
    put_count(w, dr_slots_count(slots));
    for (int i = 0; i < dr_slots_count(slots); ++i) {
        put_number(w, entries[i].item != NULL, 1);
        if (entries[i].item) {
            put_number(w, entries[i].generation, 4);
            put(w, entries[i].item);
        }
    }
}

// Reads a list; with `gone` parts may be missing in the snapshot, and their slots are marked there.
static void take_list(reader* r, const dr_slots* slots, take_fn* take, bool* gone)
{
    const dr_slot_entry* entries = slots->entries.data;
    expect_count(r, dr_slots_count(slots));
    for (int i = 0; r->is_good && i < dr_slots_count(slots); ++i) {
        bool is_there = take_number(r, 1) != 0;
        if (is_there) {
            r->is_good =
                r->is_good && entries[i].item != NULL && take_number(r, 4) == entries[i].generation;
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

static void put_cloth_item(writer* w, const void* item)
{
    put_cloth(w, item);
}
static void put_pin_item(writer* w, const void* item)
{
    put_pin(w, item);
}
static void put_seam_item(writer* w, const void* item)
{
    put_seam(w, item);
}
static void put_collider_item(writer* w, const void* item)
{
    put_collider(w, item);
}
static void take_cloth_item(reader* r, void* item)
{
    take_cloth(r, item);
}
static void take_pin_item(reader* r, void* item)
{
    take_pin(r, item);
}
static void take_seam_item(reader* r, void* item)
{
    take_seam(r, item);
}
static void take_collider_item(reader* r, void* item)
{
    take_collider(r, item);
}

// --- The whole ---

// --- Predictive contacts ---

static void put_predict(writer* w, const drape_world* world)
{
    int count = dr_world_predict_word_count(world);
    put_count(w, count);
    for (int i = 0; i < count; ++i) {
        put_number(w, dr_world_predict_word(world, i), 4);
    }
}

static void take_predict(reader* r, drape_world* world)
{
    int64_t count = take_count(r);
    r->is_good = r->is_good && count >= 0 && (uint64_t)count <= (r->size - r->at) / 4;
    if (!r->is_good) {
        return;
    }
    uint32_t* words = dr_new(&world->memory, uint32_t, (size_t)count + 1);
    r->is_good = words != NULL;
    for (int64_t i = 0; r->is_good && i < count; ++i) {
        words[i] = (uint32_t)take_number(r, 4);
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
    writer w = {buffer, buffer ? *size : 0, 0};
    put_bytes(&w, magic, sizeof magic);
    put_double(&w, world->time);
    put_list(&w, &world->colliders, put_collider_item);
    put_list(&w, &world->cloths, put_cloth_item);
    put_list(&w, &world->pins, put_pin_item);
    put_list(&w, &world->seams, put_seam_item);
    put_predict(&w, world);
    uint64_t hash =
        w.bytes && w.count <= w.room ? dr_hash_bytes(DR_HASH_START, buffer, w.count) : 0;
    put_number(&w, hash, 8);
    *size = w.count;
    return !buffer || w.count <= w.room;
}

// Once to look, once to store.
static bool take_world(reader* r, drape_world* world, bool* gone_pins)
{
    r->at = sizeof magic;
    double time = take_double(r);
    take_list(r, &world->colliders, take_collider_item, NULL);
    take_list(r, &world->cloths, take_cloth_item, NULL);
    take_list(r, &world->pins, take_pin_item, gone_pins);
    take_list(r, &world->seams, take_seam_item, NULL);
    take_predict(r, world);
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
    reader r = {buffer, size, size - 8, true, false, NULL};
    return take_number(&r, 8) == dr_hash_bytes(DR_HASH_START, buffer, size - 8);
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
    reader look = {buffer, size - 8, 0, true, false, &world->memory};
    reader store = {buffer, size - 8, 0, true, true, &world->memory};
    bool fits = dr_world_ready_predict(world) && take_world(&look, world, gone);
    if (fits) {
        dr_world_forget_predict(world);
        take_world(&store, world, gone);
        release_gone(world, gone);
        dr_world_stale_links(world, NULL);
        dr_world_forget_trials(world);
    }
    dr_delete(&world->memory, gone, pin_count + 1);
    return fits || dr_world_fail(world, "the saved state is of another world: its cloths, pins, "
                                        "seams or colliders are others");
}
