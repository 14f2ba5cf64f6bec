#include "contact/filter.h"

#include <string.h>

#include "core/isa.h"

dr_filter_def dr_filter_defaults(void)
{
    // Of the exit step the caller knows better: half an edge of the cloth.
    return (dr_filter_def){.thickness = 4e-3f,
                           .exit_step = 1e-2f,
                           .plane_runs = 8,
                           .isa = dr_isa_resolve(DRAPE_ISA_AUTO)};
}

bool dr_filter_create(dr_filter* filter, dr_memory* memory, const dr_filter_def* def,
                      const dr_sheets* sheets)
{
    *filter = (dr_filter){.def = *def};
    return dr_probe_create(&filter->probe, memory, sheets, def->isa);
}

void dr_filter_free(dr_filter* filter, dr_memory* memory)
{
    dr_probe_free(&filter->probe, memory);
    *filter = (dr_filter){0};
}

void dr_filter_forget(dr_filter* filter)
{
    dr_probe_forget(&filter->probe);
}

bool dr_filter_begin(dr_filter* filter, dr_memory* memory, dr_pool* pool, const dr_sheets* sheets,
                     const dr_slide_obstacle* obstacles, int obstacle_count)
{
    filter->run = 0;
    return dr_probe_begin(&filter->probe, memory, pool, sheets, obstacles, obstacle_count,
                          (double)filter->def.thickness);
}

// --- One vertex ---

// Triangles that one look around a place can take.
enum { MOST_NEAR = 256 };
// Below this share of the thickness the way from the foot is no direction.
static const double touching = 1e-3;

// From `from` to `to`; where they are one, the normal of the triangle at the end.
static bool find_normal(const dr_probe_search* search, int triangle, const double from[3],
                        const double to[3], double normal[3])
{
    double corners[3][3];
    dr_sub3(to, from, normal);
    if (dr_unit3(normal) > touching * search->thickness) {
        return true;
    }
    dr_solid_corners(search->solid, triangle, true, corners);
    return dr_normal3(DR_POINTS(corners), normal);
}

// In contact at the start: the solid takes the foot along, and the normal with it.
static void keep_start(const dr_probe_search* search, const dr_probe_way* way, const dr_foot* foot,
                       double reach, dr_probe_lot* lot)
{
    double place[3], x[3], normal[3];
    dr_solid_carry(search->solid, foot->triangle, foot->place, place);
    dr_solid_carry(search->solid, foot->triangle, way->x, x);
    if (find_normal(search, foot->triangle, place, x, normal)) {
        dr_probe_add(search, way, foot->triangle, normal, place, reach, way->q, lot);
    }
}

static dr_foot nearest_of(const dr_probe_search* search, const double q[3], double most)
{
    int32_t triangles[MOST_NEAR];
    dr_foot nearest = {.triangle = -1, .distance = INFINITY};
    int count = dr_probe_query(search, q, q, most, triangles, MOST_NEAR);
    // There may be more, and the nearest among them.
    if (count == MOST_NEAR) {
        return dr_solid_nearest(search->solid, q, most, true);
    }
    for (int i = 0; i < count; ++i) {
        dr_foot foot = dr_solid_foot(search->solid, triangles[i], q, true);
        if (foot.distance < nearest.distance ||
            (foot.distance == nearest.distance && foot.triangle < nearest.triangle)) {
            nearest = foot;
        }
    }
    return nearest;
}

// Over the inside of a face its normal tells; elsewhere rays do.
static bool is_inside(const dr_probe_search* search, const double q[3], const dr_foot* foot)
{
    double corners[3][3], normal[3], off[3];
    if (!search->solid->body->is_closed) {
        return false;
    }
    if (foot->triangle >= 0 && foot->is_inner) {
        dr_solid_corners(search->solid, foot->triangle, true, corners);
        dr_sub3(q, foot->place, off);
        return dr_normal3(DR_POINTS(corners), normal) && dr_dot3(off, normal) < 0.0;
    }
    return dr_solid_is_inside(search->solid, q, true);
}

// In contact at the end; false when it is not.
static bool keep_end(const dr_probe_search* search, const dr_probe_way* way, const double q[3],
                     double reach, dr_probe_lot* lot)
{
    double normal[3];
    dr_foot foot = nearest_of(search, q, reach);
    bool goes_in = is_inside(search, q, &foot);
    ++lot->exact_tests;
    if (goes_in && foot.triangle < 0) {
        foot = dr_solid_nearest(search->solid, q, INFINITY, true);
    }
    if (lot->hit_count == 0) {
        lot->gap = goes_in ? -foot.distance : foot.distance;
    }
    if (foot.triangle < 0 || (!goes_in && foot.distance >= reach)) {
        return false;
    }
    return find_normal(search, foot.triangle, goes_in ? q : foot.place, goes_in ? foot.place : q,
                       normal) &&
           dr_probe_add(search, way, foot.triangle, normal, foot.place, reach, q, lot);
}

static void judge(const dr_probe_search* search, const dr_probe_way* way, dr_probe_lot* lot)
{
    double q[3];
    if (way->is_inside) {
        dr_probe_exit(search, way, lot);
        return;
    }
    dr_foot foot = dr_probe_start_foot(search, way, search->thickness + search->tolerance);
    double reach = dr_probe_reach(search, foot.distance);
    ++lot->exact_tests;
    if (foot.triangle >= 0) {
        keep_start(search, way, &foot, reach, lot);
    }
    do {
        dr_probe_slide_along(lot, way->q, q);
    } while (lot->hit_count < DR_PROBE_HITS && keep_end(search, way, q, reach, lot));
}

bool dr_filter_detect(dr_filter* filter, dr_memory* memory, dr_pool* pool, const dr_sheets* sheets,
                      const dr_slide_obstacle* obstacles, int obstacle_count, dr_limits* limits,
                      dr_slide_result* result)
{
    dr_probe_run run = {.judge = judge,
                        .search = {.def = &filter->def,
                                   .thickness = (double)filter->def.thickness,
                                   .exit_step = (double)filter->def.exit_step},
                        .is_freezing = filter->run >= filter->def.plane_runs};
    bool has_memory = dr_probe_detect(&filter->probe, memory, pool, sheets, obstacles,
                                      obstacle_count, limits, &run, result);
    ++filter->run;
    return has_memory;
}
