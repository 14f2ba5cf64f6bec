#include "contact/ray.h"

#include <string.h>

#include "collide/ccd.h"
#include "core/isa.h"

dr_ray_def dr_ray_defaults(void)
{
    // Of the exit step the caller knows better: half an edge of the cloth.
    return (dr_ray_def){.thickness = 5e-3f,
                        .exit_step = 1e-2f,
                        .plane_runs = 8,
                        .max_hits = DR_PROBE_HITS,
                        .isa = dr_isa_resolve(DRAPE_ISA_AUTO)};
}

bool dr_ray_create(dr_ray* ray, dr_memory* memory, const dr_ray_def* def, const dr_sheets* sheets)
{
    *ray = (dr_ray){.def = *def};
    if (!dr_probe_create(&ray->probe, memory, sheets, def->isa)) {
        return false;
    }
    dr_slide_def edges = dr_slide_defaults();
    edges.thickness = def->thickness;
    edges.plane_runs = def->plane_runs;
    edges.edges_only = true;
    return !def->watches_edges || dr_slide_create(&ray->edges, memory, &edges, sheets);
}

void dr_ray_free(dr_ray* ray, dr_memory* memory)
{
    dr_probe_free(&ray->probe, memory);
    if (ray->def.watches_edges) {
        dr_slide_free(&ray->edges, memory);
    }
    *ray = (dr_ray){0};
}

void dr_ray_forget(dr_ray* ray)
{
    dr_probe_forget(&ray->probe);
    if (ray->def.watches_edges) {
        dr_slide_forget(&ray->edges);
    }
}

bool dr_ray_begin(dr_ray* ray, dr_memory* memory, dr_pool* pool, const dr_sheets* sheets,
                  const dr_slide_obstacle* obstacles, int obstacle_count)
{
    ray->run = 0;
    return dr_probe_begin(&ray->probe, memory, pool, sheets, obstacles, obstacle_count,
                          (double)ray->def.thickness) &&
           (!ray->def.watches_edges ||
            dr_slide_begin(&ray->edges, memory, pool, sheets, obstacles, obstacle_count));
}

// --- One triangle ---

// Triangles that one look at a corrected way can take.
enum { MOST_NEAR = 256 };

// Where a way passes a triangle.
typedef struct crossing {
    int triangle; // -1: none
    double time;
    double place[3];  // X5, at the end of the step
    double normal[3]; // at the end, to the old side
} crossing;

static double height_above(const double (*corners)[3], const double normal[3], const double p[3])
{
    double off[3];
    dr_sub3(p, corners[0], off);
    return dr_dot3(off, normal);
}

// Both ends above a triangle that rests by more than `reach`, or both below: without a root.
static bool stays_off(const double (*corners)[3], const double x[3], const double q[3],
                      double reach)
{
    double u[3], v[3], normal[3];
    dr_sub3(corners[1], corners[0], u);
    dr_sub3(corners[2], corners[0], v);
    dr_cross3(u, v, normal);
    double start = height_above(corners, normal, x), end = height_above(corners, normal, q);
    double least = dr_least(fabs(start), fabs(end));
    return start * end > 0.0 && least * least > reach * reach * dr_dot3(normal, normal);
}

// The triangle and the vertex as they move.
static dr_ccd_motion motion_of(const double (*from)[3], const double (*to)[3], const double x[3],
                               const double q[3])
{
    dr_ccd_motion motion;
    memcpy(motion.start[0], x, sizeof motion.start[0]);
    memcpy(motion.end[0], q, sizeof motion.end[0]);
    memcpy(motion.start[1], from, 3 * sizeof *from);
    memcpy(motion.end[1], to, 3 * sizeof *to);
    return motion;
}

// The weights of the place where they meet; X5 is what these weights give of the corners at the end.
static bool find_place(const dr_ccd_motion* motion, double time, double place[3])
{
    double at[4][3], weights[3];
    for (int k = 0; k < 4; ++k) {
        dr_between3(motion->start[k], motion->end[k], time, at[k]);
    }
    if (!dr_solid_weights(DR_POINTS(at + 1), at[0], weights)) {
        return false;
    }
    dr_solid_weigh(DR_POINTS(motion->end + 1), weights, place);
    return true;
}

// Turns the normal to the side where the start is. False when it is on the plane and has no side;
// on a closed solid that is the outside.
static bool turn_to_start(const dr_probe_search* search, const dr_ccd_motion* motion, double time,
                          double normal[3])
{
    double before[3];
    const double(*from)[3] = DR_POINTS(motion->start + 1);
    if (!dr_normal3(from, before)) {
        return false;
    }
    double side = height_above(from, before, motion->start[0]);
    if (time == 0.0 && fabs(side) < search->tolerance) {
        return search->solid->body->is_closed;
    }
    for (int c = 0; c < 3 && side < 0.0; ++c) {
        normal[c] = -normal[c];
    }
    return true;
}

// Keeps the crossing if it comes before the one found up to now.
static void try_crossing(const dr_probe_search* search, int triangle, const dr_ccd_motion* motion,
                         crossing* first, dr_probe_lot* lot)
{
    dr_ccd_result met = dr_ccd_point_triangle(motion, 0.0);
    if (!met.is_hit ||
        (first->triangle >= 0 &&
         (met.toi > first->time || (met.toi == first->time && triangle > first->triangle)))) {
        return;
    }
    crossing found = {.triangle = triangle, .time = met.toi};
    if (!dr_normal3(DR_POINTS(motion->end + 1), found.normal) ||
        !find_place(motion, met.toi, found.place)) {
        return;
    }
    if (!turn_to_start(search, motion, met.toi, found.normal)) {
        lot->is_skipped = true;
        return;
    }
    // A triangle that moves may be passed and be behind again.
    double off[3];
    dr_sub3(motion->end[0], found.place, off);
    if (dr_dot3(off, found.normal) < 0.0) {
        *first = found;
    }
}

// --- One vertex ---

typedef struct look {
    crossing first;
    dr_foot nearest; // at the end
} look;

static look look_around(const dr_probe_search* search, const double x[3], const double q[3],
                        double reach, const int32_t* near, int count, dr_probe_lot* lot)
{
    const dr_solid* solid = search->solid;
    bool rests = solid->places[0] == solid->places[1];
    double more = reach + 2.0 * search->tolerance; // what rests at the thickness tells the gap
    look found = {.first.triangle = -1, .nearest = {.triangle = -1, .distance = INFINITY}};
    for (int i = 0; i < count; ++i) {
        double from[3][3], to[3][3];
        dr_solid_corners(solid, near[i], false, from);
        dr_solid_corners(solid, near[i], true, to);
        if (rests && stays_off(DR_POINTS(to), x, q, more)) {
            continue;
        }
        ++lot->exact_tests;
        // Far more than rounding: a triangle that rests is not passed.
        if (!rests || !stays_off(DR_POINTS(to), x, q, search->tolerance)) {
            dr_ccd_motion motion = motion_of(DR_POINTS(from), DR_POINTS(to), x, q);
            try_crossing(search, near[i], &motion, &found.first, lot);
        }
        if (dr_solid_is_off(DR_POINTS(to), q, dr_least(found.nearest.distance, more))) {
            continue;
        }
        dr_foot foot = dr_solid_foot(solid, near[i], q, true);
        if (foot.distance < found.nearest.distance ||
            (foot.distance == found.nearest.distance && foot.triangle < found.nearest.triangle)) {
            found.nearest = foot;
        }
    }
    return found;
}

// Nearer than it should be, but passing nothing: away from the nearest point.
static bool add_near(const dr_probe_search* search, const dr_probe_way* way, const double q[3],
                     double reach, const dr_foot* foot, dr_probe_lot* lot)
{
    // Below this share of the thickness the way from the foot is no direction.
    const double touching = 1e-3;
    double corners[3][3], normal[3];
    if (foot->triangle < 0 || foot->distance >= reach) {
        return false;
    }
    dr_sub3(q, foot->place, normal);
    if (dr_unit3(normal) < touching * search->thickness) {
        dr_solid_corners(search->solid, foot->triangle, false, corners);
        if (!dr_normal3(DR_POINTS(corners), normal)) {
            return false;
        }
        bool is_below = height_above(DR_POINTS(corners), normal, way->x) < 0.0;
        dr_solid_corners(search->solid, foot->triangle, true, corners);
        if (!dr_normal3(DR_POINTS(corners), normal)) {
            return false;
        }
        for (int c = 0; c < 3 && is_below; ++c) {
            normal[c] = -normal[c];
        }
    }
    return dr_probe_add(search, way, foot->triangle, normal, foot->place, reach, q, lot);
}

static void judge(const dr_probe_search* search, const dr_probe_way* way, dr_probe_lot* lot)
{
    const dr_ray_def* def = search->def;
    int32_t triangles[MOST_NEAR];
    const int32_t* near = way->near;
    int count = way->near_count;
    if (way->is_inside) {
        dr_probe_exit(search, way, lot);
        return;
    }
    double q[3], reach;
    reach = dr_probe_reach(search, dr_probe_start_foot(search, way, search->thickness).distance);
    memcpy(q, way->q, sizeof q);
    while (lot->hit_count < def->max_hits) {
        look found = look_around(search, way->x, q, reach, near, count, lot);
        lot->gap = lot->hit_count == 0 ? found.nearest.distance : lot->gap;
        bool is_added = found.first.triangle >= 0
                            ? dr_probe_add(search, way, found.first.triangle, found.first.normal,
                                           found.first.place, reach, q, lot)
                            : add_near(search, way, q, reach, &found.nearest, lot);
        if (!is_added) {
            break;
        }
        // Where the planes leave it, the way there is another one.
        dr_probe_slide_along(lot, way->q, q);
        near = triangles;
        count = dr_probe_query(search, way->x, q, reach + search->tolerance, triangles, MOST_NEAR);
    }
}

// Only when the vertices are fine: else much would be frozen that is about to be lifted off.
static bool detect_edges(dr_ray* ray, dr_memory* memory, dr_pool* pool, const dr_sheets* sheets,
                         const dr_slide_obstacle* obstacles, int obstacle_count, dr_limits* limits,
                         dr_slide_result* result)
{
    dr_slide_result more;
    ray->edges.run = ray->run;
    if (!dr_slide_detect(&ray->edges, memory, pool, sheets, obstacles, obstacle_count, limits,
                         &more)) {
        return false;
    }
    result->is_clean = result->is_clean && more.is_clean;
    result->plane_count += more.plane_count;
    result->frozen_count += more.frozen_count;
    result->box_tests += more.box_tests;
    result->exact_tests += more.exact_tests;
    return true;
}

bool dr_ray_detect(dr_ray* ray, dr_memory* memory, dr_pool* pool, const dr_sheets* sheets,
                   const dr_slide_obstacle* obstacles, int obstacle_count, dr_limits* limits,
                   dr_slide_result* result)
{
    dr_probe_run run = {.judge = judge,
                        .search = {.def = &ray->def,
                                   .thickness = (double)ray->def.thickness,
                                   .exit_step = (double)ray->def.exit_step},
                        .is_freezing = ray->run >= ray->def.plane_runs};
    bool has_memory = dr_probe_detect(&ray->probe, memory, pool, sheets, obstacles, obstacle_count,
                                      limits, &run, result);
    ray->skipped_count = run.skipped_count;
    has_memory = has_memory && (!ray->def.watches_edges || !result->is_clean ||
                                detect_edges(ray, memory, pool, sheets, obstacles, obstacle_count,
                                             limits, result));
    ++ray->run;
    return has_memory;
}
