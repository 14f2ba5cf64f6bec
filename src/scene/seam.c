#include <math.h>

#include "core/vec_math.h"
#include "scene/predict_step.h"
#include "scene/sleep.h"

static bool check_rows(drape_world* world, const dr_cloth* cloth, const int32_t* vertices,
                       int count, const char* side)
{
    for (int i = 0; i < count; ++i) {
        if (vertices[i] < 0 || vertices[i] >= cloth->given_count) {
            return dr_world_fail(world, "seam vertex %d of row %s is %d, expected 0 to %d", i, side,
                                 vertices[i], cloth->given_count - 1);
        }
    }
    return true;
}

static bool check_def(drape_world* world, const drape_seam_def* def)
{
    const dr_cloth* a = dr_world_cloth(world, def->cloth_a);
    const dr_cloth* b = dr_world_cloth(world, def->cloth_b);
    if (!a || !b) {
        return dr_world_fail(world, "a seam joins a cloth that is not there");
    }
    if (a->model || b->model) {
        return dr_world_fail(world,
                             "the cloth model `%s` has no seams; choose `xpbd` for cloths "
                             "that are sewn together",
                             a->model->elastic ? "elastic" : "springs");
    }
    if (def->pair_count < 1 || !def->vertices_a || !def->vertices_b) {
        return dr_world_fail(world, "a seam needs at least one pair of vertices");
    }
    if (!isfinite(def->start_time) || !(def->duration >= 0.0f) || !isfinite(def->duration)) {
        return dr_world_fail(world, "a seam's times must be finite, its duration at least 0");
    }
    return check_rows(world, a, def->vertices_a, def->pair_count, "a") &&
           check_rows(world, b, def->vertices_b, def->pair_count, "b");
}

drape_seam_id drape_seam_add(drape_world* world, const drape_seam_def* def)
{
    drape_seam_id id = {0};
    if (!world || (!def && !dr_world_fail(world, "there is no definition of the seam")) ||
        !check_def(world, def)) {
        return id;
    }
    dr_memory* memory = &world->memory;
    dr_seam* seam = dr_new_zeroed(memory, dr_seam, 1);
    if (seam) {
        seam->count = def->pair_count;
        seam->slots_a = dr_new(memory, int32_t, def->pair_count);
        seam->slots_b = dr_new(memory, int32_t, def->pair_count);
        seam->length = dr_new(memory, float, def->pair_count);
    }
    if (!seam || !seam->slots_a || !seam->slots_b || !seam->length ||
        !dr_slots_add(&world->seams, memory, seam, &id.slot, &id.generation)) {
        dr_seam_destroy(seam, memory);
        dr_world_fail(world, "out of memory");
        return (drape_seam_id){0};
    }
    seam->cloth_a = def->cloth_a;
    seam->cloth_b = def->cloth_b;
    seam->start_time = def->start_time;
    seam->duration = def->duration;
    for (int i = 0; i < seam->count; ++i) {
        seam->slots_a[i] = dr_cloth_slot(dr_world_cloth(world, def->cloth_a), def->vertices_a[i]);
        seam->slots_b[i] = dr_cloth_slot(dr_world_cloth(world, def->cloth_b), def->vertices_b[i]);
    }
    dr_world_disturb(world, NULL);
    dr_world_free_predict(world); // sewn vertices need no contacts
    return id;
}

void dr_seam_destroy(dr_seam* seam, dr_memory* memory)
{
    if (seam) {
        dr_delete(memory, seam->slots_a, seam->count);
        dr_delete(memory, seam->slots_b, seam->count);
        dr_delete(memory, seam->length, seam->count);
        dr_delete(memory, seam, 1);
    }
}

void dr_world_drop_seams(drape_world* world, drape_cloth_id cloth)
{
    dr_slot_entry* entries = world->seams.entries.data;
    for (int i = 0; i < dr_slots_count(&world->seams); ++i) {
        dr_seam* seam = entries[i].item;
        if (seam &&
            ((seam->cloth_a.slot == cloth.slot && seam->cloth_a.generation == cloth.generation) ||
             (seam->cloth_b.slot == cloth.slot && seam->cloth_b.generation == cloth.generation))) {
            dr_seam_destroy(dr_slots_remove(&world->seams, (uint32_t)i + 1, entries[i].generation),
                            &world->memory);
        }
    }
}

// Brings one pair to at most `length` apart, by inverse mass. At 0 they are one point.
static void pull_pair(dr_sheet* a, int slot_a, dr_sheet* b, int slot_b, float length)
{
    float wa = dr_sheet_inverse_mass(a, slot_a), wb = dr_sheet_inverse_mass(b, slot_b);
    drape_vec3 p = dr_sheet_get(a->layout, a->pos, slot_a);
    drape_vec3 q = dr_sheet_get(b->layout, b->pos, slot_b), d = dr_sub(q, p);
    float apart = dr_length(d);
    if (apart <= length || wa + wb <= 0.0f) {
        return;
    }
    drape_vec3 middle = dr_add(p, dr_scale(d, wa / (wa + wb)));
    drape_vec3 half = dr_scale(d, length / apart);
    float share = wa / (wa + wb);
    if (wa > 0.0f) {
        dr_sheet_set(a->layout, a->pos, slot_a, dr_sub(middle, dr_scale(half, share)));
    }
    if (wb > 0.0f) {
        dr_sheet_set(b->layout, b->pos, slot_b, dr_add(middle, dr_scale(half, 1.0f - share)));
    }
}

static void start_seam(dr_seam* seam, const dr_sheet* a, const dr_sheet* b)
{
    for (int i = 0; i < seam->count; ++i) {
        drape_vec3 p = dr_sheet_get(a->layout, a->start, seam->slots_a[i]);
        drape_vec3 q = dr_sheet_get(b->layout, b->start, seam->slots_b[i]);
        seam->length[i] = dr_length(dr_sub(q, p));
    }
    seam->has_started = true;
}

void dr_world_pull_seams(drape_world* world)
{
    for (int k = 0; k < dr_slots_count(&world->seams); ++k) {
        dr_seam* seam = dr_slots_at(&world->seams, k);
        if (!seam || world->substep.time_end < (double)seam->start_time) {
            continue;
        }
        dr_sheet* a = dr_world_cloth(world, seam->cloth_a)->sheet;
        dr_sheet* b = dr_world_cloth(world, seam->cloth_b)->sheet;
        if (!seam->has_started) {
            start_seam(seam, a, b);
        }
        double passed = world->substep.time_end - (double)seam->start_time;
        double left = passed < (double)seam->duration ? 1.0 - passed / (double)seam->duration : 0.0;
        for (int i = 0; i < seam->count; ++i) {
            pull_pair(a, seam->slots_a[i], b, seam->slots_b[i], (float)left * seam->length[i]);
        }
    }
}
