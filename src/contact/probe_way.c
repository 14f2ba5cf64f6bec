// Geometry of one vertex and one solid, for those who judge (contact/probe.h).
#include <string.h>

#include "collide/tree_query.h"
#include "contact/probe.h"

dr_foot dr_probe_start_foot(const dr_probe_search* search, const dr_probe_way* way, double most)
{
    dr_foot nearest = {.triangle = -1, .distance = most};
    for (int i = 0; i < way->near_count; ++i) {
        double corners[3][3];
        dr_solid_corners(search->solid, way->near[i], false, corners);
        if (dr_solid_is_off(DR_POINTS(corners), way->x, nearest.distance)) {
            continue;
        }
        dr_foot foot = dr_solid_foot(search->solid, way->near[i], way->x, false);
        if (foot.distance < nearest.distance ||
            (foot.distance == nearest.distance && nearest.triangle > foot.triangle)) {
            nearest = foot;
        }
    }
    return nearest;
}

// Out of rounding nobody is moved.
double dr_probe_reach(const dr_probe_search* search, double start_distance)
{
    if (start_distance >= search->thickness - search->tolerance) {
        return search->thickness;
    }
    return dr_least(search->thickness, start_distance + search->exit_step);
}

bool dr_probe_add(const dr_probe_search* search, const dr_probe_way* way, int triangle,
                  const double normal[3], const double place[3], double reach, const double q[3],
                  dr_probe_lot* lot)
{
    dr_probe_hit hit = {.triangle = triangle, .offset = -dr_dot3(normal, place) - reach};
    memcpy(hit.normal, normal, sizeof hit.normal);
    if (lot->hit_count >= DR_PROBE_HITS || dr_probe_height(&hit, q) >= -search->tolerance) {
        return false;
    }
    dr_solid_carry(search->solid, triangle, way->x, hit.anchor);
    lot->hits[lot->hit_count++] = hit;
    return true;
}

void dr_probe_exit(const dr_probe_search* search, const dr_probe_way* way, dr_probe_lot* lot)
{
    // Below this share of the thickness the way to the foot is no direction.
    const double touching = 1e-3;
    double corners[3][3], start[3], normal[3];
    dr_foot foot = dr_solid_nearest(search->solid, way->x, INFINITY, false);
    ++lot->exact_tests;
    if (foot.triangle < 0) {
        return;
    }
    dr_solid_carry(search->solid, foot.triangle, way->x, start);
    dr_solid_carry(search->solid, foot.triangle, foot.place, foot.place);
    dr_sub3(foot.place, start, normal);
    double depth = dr_unit3(normal);
    dr_solid_corners(search->solid, foot.triangle, true, corners);
    if (depth < touching * search->thickness && !dr_normal3(DR_POINTS(corners), normal)) {
        return;
    }
    double out = dr_least(search->exit_step, depth + search->thickness);
    lot->gap = -depth;
    dr_probe_add(search, way, foot.triangle, normal, start, out, way->q, lot);
}

void dr_probe_slide_along(const dr_probe_lot* lot, const double q[3], double out[3])
{
    enum { ROUNDS = 4 };
    memmove(out, q, 3 * sizeof *out);
    for (int round = 0; round < ROUNDS; ++round) {
        for (int k = 0; k < lot->hit_count; ++k) {
            double height = dr_probe_height(&lot->hits[k], out);
            if (height < 0.0) {
                dr_along3(out, -height, lot->hits[k].normal, out);
            }
        }
    }
}

int dr_probe_query(const dr_probe_search* search, const double a[3], const double b[3], double more,
                   int32_t* triangles, int capacity)
{
    double lo[3], hi[3];
    dr_box_of_way(a, b, more, lo, hi);
    drape_vec3 low = {(float)lo[0], (float)lo[1], (float)lo[2]};
    drape_vec3 high = {(float)hi[0], (float)hi[1], (float)hi[2]};
    int count = dr_tree_box_query(&search->solid->tree, low, high, triangles, capacity);
    return count < capacity ? count : capacity;
}
