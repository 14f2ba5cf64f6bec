// What sensor particles remember from step to step.
#include <limits.h>

#include "contact/self_gate.h"
#include "scene/snapshot_bytes.h"
#include "scene/snapshot_gates.h"
#include "scene/trials.h"

static void put_material_point(dr_state_writer* w, const dr_material_point* at)
{
    dr_put_count(w, at->triangle);
    for (int k = 0; k < 3; ++k) {
        dr_put_double(w, at->weight[k]);
    }
}

static void take_particle(dr_state_reader* r, dr_particles* particles, int i, int triangle_count)
{
    dr_material_point point = {.triangle = (int32_t)dr_take_count(r)};
    for (int k = 0; k < 3; ++k) {
        point.weight[k] = dr_take_double(r);
        r->is_good = r->is_good && point.weight[k] >= 0.0 && point.weight[k] <= 1.0;
    }
    r->is_good = r->is_good && point.triangle >= 0 && point.triangle < triangle_count;
    if (r->stores && r->is_good) {
        dr_particles_put(particles, i, &point);
    }
}

static void put_gate_part(dr_state_writer* w, const dr_gate_part* part)
{
    const dr_particles* particles = &part->particles;
    dr_put_count(w, particles->options.count);
    dr_put_count(w, particles->drawn);
    dr_put_count(w, particles->frame);
    dr_put_count(w, part->open_steps);
    dr_put_number(w, particles->has_relaxed, 1);
    for (int i = 0; i < particles->options.count; ++i) {
        put_material_point(w, &particles->at[i]);
    }
}

static void take_gate_part(dr_state_reader* r, dr_gate_part* part, int triangle_count)
{
    dr_particles* particles = &part->particles;
    dr_expect_count(r, particles->options.count);
    uint32_t drawn = (uint32_t)dr_take_count(r);
    int64_t frame = dr_take_count(r), open_steps = dr_take_count(r);
    bool has_relaxed = dr_take_number(r, 1) != 0;
    r->is_good =
        r->is_good && frame >= 0 && frame <= INT_MAX && open_steps >= 0 && open_steps <= INT_MAX;
    if (r->stores) {
        particles->drawn = drawn;
        particles->frame = (int)frame;
        particles->has_relaxed = has_relaxed;
        part->open_steps = (int)open_steps;
    }
    for (int i = 0; r->is_good && i < particles->options.count; ++i) {
        take_particle(r, particles, i, triangle_count);
    }
}

static void put_met(dr_state_writer* w, const dr_gate_memory* memory)
{
    int count = memory->old ? memory->old->count : 0;
    const dr_pair* pairs = memory->old ? memory->old->data : NULL;
    dr_put_number(w, memory->has_met && *memory->has_met, 1);
    dr_put_count(w, count);
    for (int i = 0; i < count; ++i) {
        dr_put_count(w, pairs[i].a);
        dr_put_count(w, pairs[i].b);
    }
}

static void take_met(dr_state_reader* r, const dr_gate_memory* memory, int triangle_count)
{
    bool has_met = dr_take_number(r, 1) != 0;
    int64_t count = dr_take_count(r);
    // Two numbers of eight bytes to a pair.
    r->is_good = r->is_good && count >= 0 && (uint64_t)count <= (r->size - r->at) / 16;
    r->is_good = r->is_good && (memory->old || count == 0);
    if (r->is_good && memory->old) {
        r->is_good = dr_array_reserve(r->memory, memory->old, sizeof(dr_pair), (int)count);
    }
    for (int64_t i = 0; r->is_good && i < count; ++i) {
        int64_t a = dr_take_count(r), b = dr_take_count(r);
        r->is_good = r->is_good && a >= 0 && a < triangle_count && b >= 0 && b < triangle_count;
        if (r->is_good && r->stores) {
            ((dr_pair*)memory->old->data)[i] = (dr_pair){(int32_t)a, (int32_t)b};
        }
    }
    if (r->stores && r->is_good) {
        *(memory->old ? &memory->old->count : &(int){0}) = (int)count;
        *(memory->has_met ? memory->has_met : &(bool){false}) = has_met;
    }
}

void dr_put_gates(dr_state_writer* w, drape_world* world)
{
    bool is_short;
    const dr_self_gate* gate = dr_world_gate(world, &is_short);
    int count = gate ? gate->sheets->part_count : 0;
    dr_put_count(w, count);
    for (int p = 0; p < count; ++p) {
        put_gate_part(w, &gate->parts[p]);
    }
    if (gate) {
        dr_gate_memory memory = dr_world_gate_memory(world);
        put_met(w, &memory);
    }
}

void dr_take_gates(dr_state_reader* r, drape_world* world)
{
    bool is_short;
    dr_self_gate* gate = dr_world_gate(world, &is_short);
    int count = gate ? gate->sheets->part_count : 0;
    r->is_good = r->is_good && !is_short;
    dr_expect_count(r, count);
    for (int p = 0; r->is_good && p < count; ++p) {
        take_gate_part(r, &gate->parts[p], gate->sheets->parts[p].mesh->triangle_count);
    }
    if (r->is_good && gate) {
        dr_gate_memory memory = dr_world_gate_memory(world);
        take_met(r, &memory, gate->sheets->triangle_count);
    }
}
