// collide/tree_upkeep.c: looks at the decay of a tree now and then, and makes a new one.
#include "collide/tree_upkeep.h"

#include <math.h>
#include <string.h>

// A look costs 3 ns a triangle, a twentieth of the search of a flat sheet.
enum { CALLS_BETWEEN_LOOKS = 8 };

static const double decay_limit = 2.0;
// A new tree must be better by so much, or it is not worth the change.
static const double least_gain = 1.25;

// Swept trees and octrees group places, whatever lies there; the others group the sheet itself.
static bool groups_places(drape_hierarchy hierarchy)
{
    return hierarchy == DRAPE_HIERARCHY_SWEPT || hierarchy == DRAPE_HIERARCHY_OCTREE;
}

void dr_upkeep_begin(dr_upkeep* upkeep, drape_hierarchy hierarchy, dr_tree* tree,
                     const dr_surface* surface, dr_pool* pool, float radius)
{
    *upkeep = (dr_upkeep){
        .hierarchy = hierarchy,
        .limit = groups_places(hierarchy) ? decay_limit : INFINITY,
        .wait = CALLS_BETWEEN_LOOKS,
    };
    if (tree->node_count > 0) {
        dr_motion still = {.start = &surface->rest->x, .stride = 3, .radius = radius};
        dr_tree_refit(tree, pool, &still);
        dr_tree_decay(tree);
    }
}

static bool create_at(dr_tree* tree, dr_memory* memory, const dr_surface* surface,
                      const dr_motion* motion, drape_hierarchy hierarchy, drape_isa isa)
{
    drape_vec3* pose = dr_new(memory, drape_vec3, surface->vertex_count);
    if (!pose) {
        return false;
    }
    for (int v = 0; v < surface->vertex_count; ++v) {
        memcpy(&pose[v], motion->start + (size_t)v * (size_t)motion->stride, sizeof pose[v]);
    }
    dr_surface posed = *surface;
    posed.rest = pose;
    dr_tree_plan plan = {0};
    bool is_made = dr_plan_builder(hierarchy)(&plan, memory, &posed) &&
                   dr_tree_create(tree, memory, &plan, &posed, isa);
    dr_plan_free(&plan, memory);
    dr_delete(memory, pose, surface->vertex_count);
    return is_made;
}

// Gives the regions of one tree to another over the same triangles.
static bool copy_regions(dr_tree* to, const dr_tree* from, dr_memory* memory, int triangle_count)
{
    if (!from->region) {
        return true;
    }
    uint8_t* region = dr_new_zeroed(memory, uint8_t, triangle_count);
    if (!region) {
        return false;
    }
    for (int place = 0; place < from->triangle_count; ++place) {
        region[from->triangle_of_place[place]] = from->region[place];
    }
    bool is_set = dr_tree_set_regions(to, memory, region, from->allow);
    dr_delete(memory, region, triangle_count);
    return is_set;
}

// The tree of the present pose in place of the old one, if it groups better.
static bool replace(dr_upkeep* upkeep, dr_tree* tree, dr_memory* memory, dr_pool* pool,
                    const dr_surface* surface, const dr_motion* motion, double decay)
{
    dr_tree made;
    if (!create_at(&made, memory, surface, motion, upkeep->hierarchy, tree->isa)) {
        return false;
    }
    dr_tree_refit(&made, pool, motion);
    dr_tree_decay(&made);
    bool is_better = made.grouping * least_gain < tree->grouping * decay;
    if (!is_better) {
        upkeep->limit *= 2.0;
    }
    if (!is_better || !copy_regions(&made, tree, memory, surface->triangle_count)) {
        dr_tree_free(&made, memory);
        return false;
    }
    dr_tree_free(tree, memory);
    *tree = made;
    upkeep->limit = decay_limit;
    ++upkeep->rebuild_count;
    return true;
}

bool dr_upkeep_look(dr_upkeep* upkeep, dr_tree* tree, dr_memory* memory, dr_pool* pool,
                    const dr_surface* surface, const dr_motion* motion)
{
    if (isinf(upkeep->limit) || tree->node_count == 0 || --upkeep->wait > 0) {
        return false;
    }
    upkeep->wait = CALLS_BETWEEN_LOOKS;
    double decay = dr_tree_decay(tree);
    return decay > upkeep->limit && replace(upkeep, tree, memory, pool, surface, motion, decay);
}
