// The guard over all cloths and analytic solids: planes are given to vertices, which slide and are
// cut, in rounds until no triangle is in question.
#include "scene/guard.h"

#include <string.h>

#include "scene/sleep.h"

// Rounds in which vertices slide; the last one only cuts. More than four were never seen to help.
enum { MOST_ROUNDS = 6 };

// --- Holding vertices ---

static bool open_holds(dr_guard* g)
{
    dr_arena* arena = &g->world->arena;
    const dr_sheet* sheet = g->cloth->sheet;
    size_t slots = (size_t)sheet->vector_count * 8;
    g->holds.first = dr_arena_new(arena, dr_guard_plane*, slots);
    g->held = dr_arena_new(arena, int32_t, slots);
    g->has_moved = dr_arena_new(arena, uint8_t, slots);
    if (!g->holds.first || !g->held || !g->has_moved) {
        return false;
    }
    memset(g->holds.first, 0, slots * sizeof *g->holds.first);
    memset(g->has_moved, 0, slots);
    return true;
}

static bool is_known(const dr_guard* g, const dr_guard_plane* plane)
{
    const dr_guard_plane* at = g->holds.first[plane->slot];
    while (at && !(at->face == plane->face && at->obstacle == plane->obstacle)) {
        at = at->next;
    }
    return at != NULL;
}

// Gives new planes to their vertices; false when there is none.
static bool adopt_planes(dr_guard* g)
{
    bool has_new = false;
    for (int i = 0; i < g->run_count; ++i) {
        for (int k = 0; k < g->runs[i].plane_count; ++k) {
            dr_guard_plane* plane = &g->runs[i].planes[k];
            if (is_known(g, plane)) {
                continue;
            }
            if (!g->holds.first[plane->slot]) {
                g->held[g->held_count++] = plane->slot;
            }
            plane->next = g->holds.first[plane->slot];
            g->holds.first[plane->slot] = plane;
            has_new = true;
        }
    }
    return has_new;
}

static void slide_all(dr_guard* g)
{
    for (int i = 0; i < g->held_count; ++i) {
        bool moved = dr_guard_slide(&g->holds, g->held[i]);
        g->has_moved[g->held[i]] |= moved;
    }
}

static void cut_all(dr_guard* g)
{
    drape_step_report* report = &g->world->report;
    for (int i = 0; i < g->held_count; ++i) {
        report->pinched_count += !dr_guard_cut(&g->holds, g->held[i]);
        report->guarded_count += g->has_moved[g->held[i]];
    }
}

static bool guard_cloth(dr_guard* g)
{
    for (int round = 0; round < MOST_ROUNDS; ++round) {
        if (!dr_guard_search(g)) {
            return false;
        }
        bool has_planes = false;
        for (int i = 0; i < g->run_count; ++i) {
            has_planes |= g->runs[i].plane_count > 0;
        }
        if (has_planes && !g->held && !open_holds(g)) {
            return false;
        }
        if (!has_planes || !adopt_planes(g)) {
            break;
        }
        if (round + 1 < MOST_ROUNDS) {
            slide_all(g);
        }
    }
    cut_all(g);
    return true;
}

// --- All cloths ---

// The solids, and their order: the thickest first; equal ones as they were added.
typedef struct solids {
    dr_obstacle* obstacles;
    int32_t* order;
    int count; // in the order
} solids;

static void put_in_order(solids* all, int index)
{
    float radius = dr_shape_inner_radius(&all->obstacles[index].shape);
    int at = all->count++;
    while (at > 0 && dr_shape_inner_radius(&all->obstacles[all->order[at - 1]].shape) < radius) {
        all->order[at] = all->order[at - 1];
        --at;
    }
    all->order[at] = index;
}

static bool list_solids(drape_world* world, solids* all)
{
    const dr_obstacle* obstacles = world->obstacles.data;
    int count = world->obstacles.count;
    *all = (solids){dr_arena_new(&world->arena, dr_obstacle, count + 1),
                    dr_arena_new(&world->arena, int32_t, count + 1), 0};
    for (int o = 0; o < count && all->obstacles && all->order; ++o) {
        all->obstacles[o] = obstacles[o];
        if (!obstacles[o].body) {
            all->obstacles[o] = dr_guard_obstacle(&obstacles[o]);
            put_in_order(all, o);
        }
    }
    return all->obstacles && all->order;
}

static bool open_guard(dr_guard* g, drape_world* world, dr_cloth* cloth, const solids* all)
{
    dr_arena* arena = &world->arena;
    size_t chunks = (size_t)cloth->chunk_count;
    *g = (dr_guard){.world = world, .cloth = cloth, .obstacles = all->obstacles};
    g->boxes = dr_arena_new(arena, dr_guard_box, chunks);
    g->face_boxes = dr_arena_new(arena, dr_guard_box, chunks);
    g->sights = dr_arena_new(arena, dr_guard_sight, all->count);
    g->runs = dr_arena_new(arena, dr_guard_run, (size_t)all->count * chunks);
    g->holds = (dr_guard_holds){.sheet = cloth->sheet,
                                .obstacles = all->obstacles,
                                .order = all->order,
                                .order_count = all->count,
                                .margin = dr_guard_margin(cloth)};
    return g->boxes && g->face_boxes && g->sights && g->runs;
}

bool dr_world_guard_solids(drape_world* world)
{
    solids all;
    if (!list_solids(world, &all)) {
        return false;
    }
    for (int i = 0; i < dr_slots_count(&world->cloths); ++i) {
        dr_cloth* cloth = dr_world_awake(world, i);
        if (!cloth || cloth->mesh.triangle_count == 0) {
            continue;
        }
        if (all.count == 0) {
            cloth->are_sizes_stale = true;
            continue;
        }
        dr_guard g;
        dr_guard_grow_sizes(cloth, world->substep.h);
        if (!open_guard(&g, world, cloth, &all) || !guard_cloth(&g)) {
            return false;
        }
    }
    return true;
}
