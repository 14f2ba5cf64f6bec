// What was found, added to the limits: by one thread, in the order of the vertices.
#include "contact/probe.h"

// One solid of one run.
typedef struct merge {
    dr_probe* probe;
    dr_memory* memory;
    const dr_slide_obstacle* obstacle;
    const dr_probe_search* search;
    dr_limits* limits;
    dr_slide_result* result;
    bool is_freezing, has_memory;
} merge;

static void freeze(dr_probe* probe, dr_limits* limits, int vertex, const double place[3],
                   dr_slide_result* result)
{
    result->frozen_count += dr_limits_hold(limits, vertex, DR_HOLD_FROZEN, place) ? 1 : 0;
    probe->hit_stamp[vertex] = probe->run_stamp;
}

void dr_probe_freeze_torn(dr_probe* probe, const dr_sheets* sheets, dr_limits* limits,
                          double tolerance, dr_slide_result* result)
{
    const dr_limit_plane* planes = limits->planes.data;
    for (int i = 0; i < limits->planes.count; ++i) {
        int v = planes[i].vertex;
        double y[3];
        dr_read3(sheets->end[v], y);
        double height = dr_dot3(planes[i].plane.normal, y) + planes[i].plane.offset;
        if (limits->hold[v] == DR_HOLD_FREE && height < -tolerance) {
            freeze(probe, limits, v, planes[i].plane.anchor, result);
        }
    }
}

static dr_halfspace to_world(const merge* m, const dr_probe_hit* hit)
{
    const dr_frame* frame = &m->search->solid->frames[1];
    dr_halfspace half = {.friction_static = m->obstacle->friction_static,
                         .friction_dynamic = m->obstacle->friction_dynamic,
                         .dependent = -1};
    dr_frame_turn(frame, hit->normal, half.normal);
    dr_unit3(half.normal);
    half.offset = hit->offset - dr_dot3(half.normal, frame->shift);
    dr_frame_out(frame, hit->anchor, half.anchor);
    return half;
}

static bool is_known(const merge* m, int vertex, const dr_halfspace* half)
{
    const dr_limit_plane* planes = m->limits->planes.data;
    for (int32_t p = m->limits->first_plane[vertex]; p >= 0; p = planes[p].next) {
        if (dr_dot3(planes[p].plane.normal, half->normal) > 1.0 - 1e-12 &&
            fabs(planes[p].plane.offset - half->offset) < 0.25 * m->search->tolerance) {
            return true;
        }
    }
    return false;
}

// A plane that is there and did not help, or no room for more: the vertex has no way left, and is
// carried along with the solid.
static void add_hit(merge* m, int vertex, const dr_probe_hit* hit)
{
    dr_halfspace half = to_world(m, hit);
    dr_limit_answer answer = DR_LIMIT_FULL;
    if (!m->is_freezing && !is_known(m, vertex, &half)) {
        answer = dr_limits_add_plane(m->limits, m->memory, vertex, &half);
    }
    m->has_memory = m->has_memory && answer != DR_LIMIT_NO_MEMORY;
    m->result->plane_count += answer == DR_LIMIT_ADDED;
    m->probe->hit_stamp[vertex] = m->probe->run_stamp;
    if (answer == DR_LIMIT_FULL) {
        freeze(m->probe, m->limits, vertex, half.anchor, m->result);
    }
}

bool dr_probe_merge(dr_probe* probe, dr_memory* memory, const dr_slide_obstacle* obstacle,
                    dr_limits* limits, dr_probe_run* run, dr_slide_result* result)
{
    merge m = {probe, memory, obstacle, &run->search, limits, result, run->is_freezing, true};
    const dr_probe_lot* lots = probe->lots.data;
    for (int i = 0; i < probe->listed_count; ++i) {
        const dr_probe_lot* lot = &lots[i];
        result->exact_tests += lot->exact_tests;
        result->smallest_gap = dr_least(result->smallest_gap, lot->gap);
        run->skipped_count += lot->is_skipped;
        for (int k = 0; k < lot->hit_count; ++k) {
            if (limits->hold[probe->listed[i]] == DR_HOLD_FREE) {
                add_hit(&m, probe->listed[i], &lot->hits[k]);
            }
        }
    }
    return m.has_memory;
}
