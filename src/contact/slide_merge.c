// What searches found, added to the limits: by one thread, in the order of vertices and triangles.
#include <string.h>

#include "contact/slide_parts.h"

// Plane j has the least say when its share of the way, over its part of the normal, is least.
static bool is_admissible(const double n[3], const double d[3], int j)
{
    for (int i = 0; i < 3; ++i) {
        if (i == j || d[i] == 0.0 || n[i] == 0.0) {
            continue;
        }
        double q_i = d[i] / n[i], q_j = d[j] / n[j];
        if (q_i > 0.0 ? q_j > q_i : q_j < q_i) {
            return false;
        }
    }
    return true;
}

int dr_slide_dependent(const double n[3], const double d[3])
{
    // A plane that hardly depends on a coordinate cannot give it.
    const double least = 0.1;
    int best = -1, steepest = 0;
    for (int j = 0; j < 3; ++j) {
        steepest = fabs(n[j]) > fabs(n[steepest]) ? j : steepest;
        if (fabs(n[j]) >= least && is_admissible(n, d, j) &&
            (best < 0 || fabs(n[j]) > fabs(n[best]))) {
            best = j;
        }
    }
    return best < 0 ? steepest : best;
}

static void freeze(dr_slide_merge* m, int vertex, const double place[3])
{
    m->result->frozen_count +=
        dr_limits_hold(m->search.limits, vertex, DR_HOLD_FROZEN, place) ? 1 : 0;
    m->search.slide->planed_run[vertex] = m->search.slide->run_stamp;
    m->search.slide->shifted_run[vertex] = 0;
}

// Carried along with the obstacle.
static void freeze_on(dr_slide_merge* m, int vertex, int triangle)
{
    double place[3];
    dr_slide_start(&m->search, vertex, place);
    dr_guest_carry(m->search.guest, triangle, place, place);
    dr_frame_out(&m->search.guest->end, place, place);
    freeze(m, vertex, place);
}

static dr_halfspace to_world(const dr_slide_merge* m, int vertex, const dr_slide_plane* plane,
                             const double anchor[3])
{
    const dr_frame* frame = &m->search.guest->end;
    dr_halfspace half = {.friction_static = m->search.obstacle->friction_static,
                         .friction_dynamic = m->search.obstacle->friction_dynamic,
                         .dependent = -1};
    dr_frame_turn(frame, plane->normal, half.normal);
    dr_unit3(half.normal);
    half.offset = plane->offset - dr_dot3(half.normal, frame->shift);
    dr_frame_out(frame, anchor, half.anchor);
    if (m->search.slide->def.mode == DR_SLIDE_DEPENDENT) {
        double start[3], way[3];
        dr_read3(m->search.sheets->start[vertex], start);
        dr_read3(m->search.sheets->end[vertex], way);
        dr_sub3(way, start, way);
        half.dependent = dr_slide_dependent(half.normal, way);
    }
    return half;
}

static bool is_known(const dr_slide_merge* m, int vertex, const dr_halfspace* half)
{
    const dr_limit_plane* planes = m->search.limits->planes.data;
    for (int32_t p = m->search.limits->first_plane[vertex]; p >= 0; p = planes[p].next) {
        if (dr_dot3(planes[p].plane.normal, half->normal) > 1.0 - 1e-12 &&
            fabs(planes[p].plane.offset - half->offset) < 0.25 * m->search.tolerance) {
            return true;
        }
    }
    return false;
}

void dr_slide_add_plane(dr_slide_merge* m, int vertex, int triangle, const dr_slide_plane* plane,
                        const double anchor[3])
{
    dr_slide* slide = m->search.slide;
    dr_halfspace half = to_world(m, vertex, plane, anchor);
    dr_limit_answer answer = DR_LIMIT_FULL;
    // A plane that is there and did not help, or no room for more: the vertex has no way.
    if (slide->run < slide->def.plane_runs && !is_known(m, vertex, &half)) {
        answer = dr_limits_add_plane(m->search.limits, m->memory, vertex, &half);
    }
    m->has_memory = m->has_memory && answer != DR_LIMIT_NO_MEMORY;
    m->result->plane_count += answer == DR_LIMIT_ADDED;
    slide->planed_run[vertex] = slide->run_stamp;
    slide->shifted_run[vertex] = 0;
    if (answer == DR_LIMIT_FULL) {
        freeze_on(m, vertex, triangle);
    }
}

// Planes that the candidates do not honour cannot be honoured together.
void dr_slide_freeze_torn(dr_slide_merge* m)
{
    const dr_limits* limits = m->search.limits;
    const dr_limit_plane* planes = limits->planes.data;
    for (int i = 0; i < limits->planes.count; ++i) {
        int v = planes[i].vertex;
        double y[3];
        dr_read3(m->search.sheets->end[v], y);
        double height = dr_dot3(planes[i].plane.normal, y) + planes[i].plane.offset;
        if (limits->hold[v] == DR_HOLD_FREE && height < -m->search.tolerance) {
            freeze(m, v, planes[i].plane.anchor);
        }
    }
}

// --- Pairs ---

// Where the limits leave a vertex, in the frame of the obstacle.
static void shifted_place(dr_slide_merge* m, int vertex, double out[3])
{
    dr_slide* slide = m->search.slide;
    if (slide->shifted_run[vertex] != slide->run_stamp) {
        slide->shifted_run[vertex] = slide->run_stamp;
        dr_read3(m->search.sheets->end[vertex], slide->shifted[vertex]);
        if (m->search.limits->is_limited[vertex]) {
            dr_limits_project(m->search.limits, vertex, slide->shifted[vertex]);
        }
    }
    dr_frame_in(&m->search.guest->end, slide->shifted[vertex], out);
}

// Shares what is missing among the vertices that are free, each by its weight.
static void add_stencil(dr_slide_merge* m, const dr_slide_stencil* s, const double (*ends)[3])
{
    // Below this a small share would have to go far.
    const double least = 0.05;
    // A pair that is found again slid along its planes to where these do not quite suffice: it gets
    // more than is missing, by this share of what it should keep for each run before.
    const double again = 0.05;
    double depth = s->depth + again * m->search.slide->run * (double)m->search.guest->edge_reach;
    double sum = 0.0;
    for (int k = 0; k < s->count; ++k) {
        bool is_free = m->search.limits->hold[s->vertex[k]] == DR_HOLD_FREE;
        sum += is_free ? s->weight[k] * s->weight[k] : 0.0;
    }
    for (int k = 0; k < s->count; ++k) {
        if (m->search.limits->hold[s->vertex[k]] != DR_HOLD_FREE) {
            continue;
        }
        if (sum < least) {
            freeze_on(m, s->vertex[k], s->triangle);
            continue;
        }
        double anchor[3], more = depth * s->weight[k] / sum;
        dr_slide_plane plane = {.offset = -dr_dot3(s->normal, ends[k]) - more};
        memcpy(plane.normal, s->normal, sizeof plane.normal);
        dr_slide_start(&m->search, s->vertex[k], anchor);
        dr_guest_carry(m->search.guest, s->triangle, anchor, anchor);
        dr_slide_add_plane(m, s->vertex[k], s->triangle, &plane, anchor);
    }
}

static bool merge_edges(dr_slide_merge* m, const dr_slide_pair* pair)
{
    double starts[2][3], ends[2][3];
    dr_slide_stencil stencil;
    for (int k = 0; k < 2; ++k) {
        int32_t v = m->search.sheets->edges[pair->cloth][k];
        dr_slide_start(&m->search, v, starts[k]);
        shifted_place(m, v, ends[k]);
    }
    bool is_wrong = dr_slide_judge_edges(&m->search, DR_POINTS(starts), DR_POINTS(ends),
                                         pair->cloth, pair->other, &stencil);
    if (is_wrong) {
        add_stencil(m, &stencil, DR_POINTS(ends));
    }
    return is_wrong;
}

static bool merge_corner(dr_slide_merge* m, const dr_slide_pair* pair)
{
    double starts[3][3], ends[3][3];
    dr_slide_stencil stencil;
    for (int k = 0; k < 3; ++k) {
        int32_t v = m->search.sheets->triangles[pair->cloth][k];
        dr_slide_start(&m->search, v, starts[k]);
        shifted_place(m, v, ends[k]);
    }
    bool is_wrong = dr_slide_judge_corner(&m->search, DR_POINTS(starts), DR_POINTS(ends),
                                          pair->cloth, pair->other, &stencil);
    if (is_wrong) {
        add_stencil(m, &stencil, DR_POINTS(ends));
    }
    return is_wrong;
}

// What crosses although nothing was missing is frozen; where planes were added it gets another run.
static void merge_crossing(dr_slide_merge* m, const dr_slide_pair* pair)
{
    const dr_slide* slide = m->search.slide;
    const int32_t* v = m->search.sheets->triangles[pair->cloth];
    bool is_planed = slide->planed_run[v[0]] == slide->run_stamp ||
                     slide->planed_run[v[1]] == slide->run_stamp ||
                     slide->planed_run[v[2]] == slide->run_stamp;
    for (int k = 0; k < 3 && !is_planed; ++k) {
        if (m->search.limits->hold[v[k]] == DR_HOLD_FREE) {
            freeze_on(m, v[k], pair->other);
        }
    }
}

static int kept_pairs(const dr_slide_lot* lot)
{
    return lot->pair_count < DR_SLIDE_PAIRS ? lot->pair_count : DR_SLIDE_PAIRS;
}

void dr_slide_merge_pairs(dr_slide_merge* m)
{
    const dr_slide* slide = m->search.slide;
    const dr_slide_pair* pairs = slide->pairs.data;
    for (int i = 0; i < slide->unsafe_count; ++i) {
        m->result->exact_tests += slide->lots[i].exact_tests;
        for (int k = 0; k < kept_pairs(&slide->lots[i]); ++k) {
            const dr_slide_pair* pair = &pairs[i * DR_SLIDE_PAIRS + k];
            if (pair->kind == DR_PAIR_EDGES) {
                merge_edges(m, pair);
            } else if (pair->kind == DR_PAIR_CORNER) {
                merge_corner(m, pair);
            }
        }
    }
    for (int i = 0; i < slide->unsafe_count; ++i) {
        for (int k = 0; k < kept_pairs(&slide->lots[i]); ++k) {
            const dr_slide_pair* pair = &pairs[i * DR_SLIDE_PAIRS + k];
            if (pair->kind == DR_PAIR_CROSSING) {
                merge_crossing(m, pair);
            }
        }
    }
}
