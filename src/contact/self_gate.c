#include "contact/self_gate.h"

#include <math.h>

// Steps for which the gate stays open after the last contact.
enum { stay_open = 10 };
// Particles where the count is left to the cloth.
enum { few_particles = 9, many_particles = 32 };

// --- Create and free ---

// One particle for each convex part of the rest shape. Cloth that is flat at rest has one alone,
// but folds into several: fewer than nine miss small corners.
static bool count_parts(dr_gate_part* part, dr_memory* memory, const dr_mesh* mesh, drape_isa isa)
{
    dr_sensor_tree tree;
    bool is_made = dr_sensor_tree_create(&tree, memory, mesh, isa) &&
                   (mesh->vertex_count == 0 ||
                    dr_sensor_tree_refit(&tree, memory, NULL, mesh->rest, true, false));
    if (is_made && mesh->vertex_count > 0) {
        part->convex_parts = dr_sensor_tree_parts(&tree);
    }
    dr_sensor_tree_free(&tree, memory);
    return is_made;
}

static bool create_part(dr_gate_part* part, dr_memory* memory, dr_pool* pool, const dr_mesh* mesh,
                        const dr_particles_options* options, drape_isa isa)
{
    dr_particles_options own = *options;
    if (own.count == 0) {
        if (!count_parts(part, memory, mesh, isa)) {
            return false;
        }
        own.count = part->convex_parts < few_particles ? few_particles : part->convex_parts;
        own.count = own.count > many_particles ? many_particles : own.count;
    }
    return dr_geodesic_create(&part->geodesic, memory, pool, mesh) &&
           dr_particles_create(&part->particles, memory, &part->geodesic, &own);
}

bool dr_self_gate_create(dr_self_gate* gate, dr_memory* memory, dr_pool* pool,
                         const dr_sheets* sheets, const dr_particles_options* options, int count,
                         drape_isa isa)
{
    *gate = (dr_self_gate){.sheets = sheets};
    gate->parts = dr_new_zeroed(memory, dr_gate_part, sheets->part_count + 1);
    bool is_made = gate->parts != NULL;
    for (int p = 0; p < sheets->part_count && is_made; ++p) {
        dr_particles_options own = *options;
        own.count = count;
        // Cloths of one shape need not have particles at the same places.
        own.seed += (uint32_t)p;
        is_made = create_part(&gate->parts[p], memory, pool, sheets->parts[p].mesh, &own, isa);
    }
    return is_made;
}

void dr_self_gate_free(dr_self_gate* gate, dr_memory* memory)
{
    for (int p = 0; gate->parts && p < gate->sheets->part_count; ++p) {
        dr_particles_free(&gate->parts[p].particles, memory);
        dr_geodesic_free(&gate->parts[p].geodesic, memory);
    }
    if (gate->sheets) {
        dr_delete(memory, gate->parts, gate->sheets->part_count + 1);
    }
    *gate = (dr_self_gate){0};
}

// --- Looking ---

void dr_self_gate_keep(dr_self_gate* gate, int part)
{
    gate->parts[part].has_contact = true;
}

void dr_self_gate_met(dr_self_gate* gate, int part)
{
    gate->parts[part].open_steps = stay_open;
}

void dr_self_gate_look(dr_self_gate* gate)
{
    for (int p = 0; p < gate->sheets->part_count; ++p) {
        dr_gate_part* part = &gate->parts[p];
        if (part->has_contact) {
            part->open_steps = stay_open + 1;
        } else {
            part->gate = dr_particles_look(&part->particles,
                                           gate->sheets->end + gate->sheets->parts[p].first_vertex);
        }
        part->is_open = part->has_contact || part->gate.is_open || part->open_steps > 0;
        part->open_steps -= part->open_steps > 0;
        part->has_contact = false;
    }
}

// --- In front of a detector ---

typedef struct span {
    float lo[3], hi[3];
} span;

// All of the way of a cloth.
static span span_of(const dr_sheets* sheets, int p)
{
    span box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (int v = sheets->parts[p].first_vertex; v < sheets->parts[p + 1].first_vertex; ++v) {
        const float* places[2] = {&sheets->start[v].x, &sheets->end[v].x};
        for (int k = 0; k < 6; ++k) {
            box.lo[k % 3] = fminf(box.lo[k % 3], places[k / 3][k % 3]);
            box.hi[k % 3] = fmaxf(box.hi[k % 3], places[k / 3][k % 3]);
        }
    }
    return box;
}

static bool do_cloths_meet(const dr_sheets* sheets)
{
    for (int p = 0; p < sheets->part_count; ++p) {
        span a = span_of(sheets, p);
        for (int q = p + 1; q < sheets->part_count; ++q) {
            span b = span_of(sheets, q);
            bool is_apart = false;
            for (int c = 0; c < 3; ++c) {
                is_apart = is_apart || a.lo[c] > b.hi[c] || b.lo[c] > a.hi[c];
            }
            if (!is_apart) {
                return true;
            }
        }
    }
    return false;
}

// The detector does not say in which cloth something met: in all of them, then.
static void look(dr_self_gated* gated)
{
    const dr_sheets* sheets = gated->gate.sheets;
    for (int p = 0; p < sheets->part_count && gated->has_met; ++p) {
        dr_self_gate_keep(&gated->gate, p);
    }
    dr_self_gate_look(&gated->gate);
    gated->is_open = sheets->part_count > 1 && do_cloths_meet(sheets);
    for (int p = 0; p < sheets->part_count; ++p) {
        gated->is_open = gated->is_open || gated->gate.parts[p].is_open;
    }
}

bool dr_self_gated_detect_any(void* self, dr_memory* memory, dr_pool* pool, dr_limits* limits,
                              int run, dr_self_result* result)
{
    dr_self_gated* gated = self;
    if (run == 1) {
        look(gated);
        gated->has_met = false;
    }
    *result = (dr_self_result){.is_clean = true};
    if (gated->is_open && !gated->detect(gated->self, memory, pool, limits, run, result)) {
        return false;
    }
    gated->has_met = gated->has_met || result->far_pairs > 0 || !result->is_clean;
    return true;
}
