// Cloth that leaves solids, or is still to be freed from them and from other cloth.
#include "scene/apart_world.h"

// Of open meshes only those count that the vertex is drawn out of; which one it is does not matter.
static bool is_drawn_out(const dr_apart* apart, int vertex, int obstacle)
{
    const uint8_t* sides = apart->untangle.sides.data;
    return apart->crossed.count > 0 && apart->is_sound && apart->is_open[obstacle] &&
           sides[vertex] & DR_TANGLED_IN_SOLID;
}

static bool is_leaving(const dr_world_apart* a, int part, int slot, int obstacle)
{
    int vertex = a->vertex_of_slot[a->first_slot[part] + slot];
    return vertex >= 0 && (dr_apart_is_in(&a->apart, vertex, obstacle) ||
                           is_drawn_out(&a->apart, vertex, obstacle));
}

static bool is_anything_leaving(const drape_world* world)
{
    const dr_world_apart* a = world->apart;
    return dr_world_has_apart(world) && a &&
           (a->apart.inside.count > 0 || a->apart.crossed.count > 0);
}

static int part_of(const dr_world_apart* a, const dr_cloth* cloth)
{
    int part = 0;
    while (a->cloths[part] != cloth) {
        DR_ASSERT(a->cloths[part] != NULL);
        ++part;
    }
    return part;
}

// One vertex of a feature leaves the obstacle, or the obstacle goes through a triangle of it.
static bool is_feature_leaving(const dr_world_apart* a, int part, const int32_t slots[], int count,
                               int obstacle)
{
    bool is_any = false, are_touched = true;
    int32_t vertices[3] = {0};
    for (int i = 0; i < count; ++i) {
        vertices[i] = a->vertex_of_slot[a->first_slot[part] + slots[i]];
        is_any |= is_leaving(a, part, slots[i], obstacle);
        are_touched &= vertices[i] >= 0 && a->apart.is_inside[vertices[i]] & DR_APART_TOUCHED;
    }
    return is_any || (are_touched && dr_apart_is_part_in(&a->apart, vertices, count, obstacle));
}

bool dr_world_is_leaving(const drape_world* world, const dr_cloth* cloth, const int32_t* slots,
                         int count, int obstacle)
{
    const dr_world_apart* a = world->apart;
    return is_anything_leaving(world) &&
           is_feature_leaving(a, part_of(a, cloth), slots, count, obstacle);
}

static void drop_contacts(const dr_world_apart* a, dr_contact_run* run)
{
    int part = part_of(a, run->cloth);
    for (int i = 0; i < run->count; ++i) {
        for (int lane = 0; lane < 8; ++lane) {
            if (is_leaving(a, part, 8 * run->contacts[i].vector + lane, run->obstacle)) {
                run->contacts[i].gap[lane] = DR_CONTACT_OUT_OF_REACH;
            }
        }
    }
    for (int i = 0; i < run->single_count; ++i) {
        if (is_feature_leaving(a, part, run->singles[i].slot, 3, run->obstacle)) {
            run->singles[i].gap = DR_CONTACT_OUT_OF_REACH;
        }
    }
}

void dr_world_drop_leaving(drape_world* world)
{
    const dr_world_apart* a = world->apart;
    bool has_any = is_anything_leaving(world);
    for (int i = 0; has_any && i < world->run_count; ++i) {
        drop_contacts(a, &world->runs[i]);
    }
}

// A pin does not yield, nor does what hangs from one in a solid.
static bool is_held(const dr_world_apart* a, int triangle)
{
    bool is_held = false;
    for (int k = 0; k < 3; ++k) {
        int v = a->apart.triangles[triangle][k];
        bool is_cloth = v < a->sheets.vertex_count;
        is_held |=
            is_cloth && (!(a->apart.y[4 * v + 3] > 0.0f) || a->apart.is_inside[v] & DR_APART_HUNG);
    }
    return is_held;
}

bool dr_world_is_freeing(const drape_world* world)
{
    const dr_world_apart* a = world->apart;
    if (!dr_world_has_apart(world) || !a) {
        return false;
    }
    bool is_freeing = false;
    const dr_apart_exit* exits = a->exits.exits.data;
    for (int i = 0; i < a->exits.exits.count; ++i) {
        is_freeing |= !exits[i].is_hung;
    }
    const dr_pair* crossed = a->apart.crossed.data;
    for (int i = 0; i < a->apart.crossed.count; ++i) {
        is_freeing |= !is_held(a, crossed[i].a) && !is_held(a, crossed[i].b);
    }
    return is_freeing;
}
