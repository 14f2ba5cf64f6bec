// Pairs of a cloth edge and an obstacle edge, of a cloth triangle and an obstacle corner: what they
// miss.
#include <string.h>

#include "collide/ccd.h"
#include "contact/slide_parts.h"

// As for vertices: what is too near at the start is given this much more in a step, as a share.
static const double recovery_share = 0.125;
// Nearest points of two edges that are so near to an end belong to another pair.
static const double end_share = 1e-6;

// Whether all points of the cloth are further along n than all of the obstacle, at the start. They
// are so at the end; then they were at all times.
static bool is_parted(const double n[3], const double (*cloth)[3], int count,
                      const double (*obstacle)[3], int other_count, double end_height)
{
    double highest = end_height;
    for (int k = 0; k < other_count; ++k) {
        highest = dr_most(highest, dr_dot3(n, obstacle[k]));
    }
    for (int k = 0; k < count; ++k) {
        if (dr_dot3(n, cloth[k]) <= highest) {
            return false;
        }
    }
    return true;
}

static double target_of(const dr_slide_search* search, double distance_at_start)
{
    double reach = (double)search->guest->edge_reach;
    return dr_least(reach, distance_at_start + recovery_share * reach);
}

// Turns a normal against the way in which the cloth comes. False when that is no way at all.
static bool turn_against(double normal[3], const double coming[3])
{
    double along = dr_dot3(normal, coming);
    for (int c = 0; c < 3 && along > 0.0; ++c) {
        normal[c] = -normal[c];
    }
    return along != 0.0;
}

// The normal at the end, on the side of the one at the time of contact; that one when they differ
// much.
static void choose_normal(const double at_contact[3], double at_end[3])
{
    double cosine = dr_dot3(at_contact, at_end);
    for (int c = 0; c < 3; ++c) {
        at_end[c] = fabs(cosine) < 0.5 ? at_contact[c] : cosine < 0.0 ? -at_end[c] : at_end[c];
    }
}

// --- Edges ---

// Four points in motion: cloth ends, then obstacle ends.
static bool judge_passing_edges(const dr_slide_search* search, const dr_ccd_motion* m, double time,
                                dr_slide_stencil* stencil)
{
    double p[4][3], way[4][3], u[3], v[3], normal[3], coming[3], a[3], b[3], s, t;
    for (int k = 0; k < 4; ++k) {
        dr_between3(m->start[k], m->end[k], time, p[k]);
        dr_sub3(m->end[k], m->start[k], way[k]);
    }
    dr_sub3(p[1], p[0], u);
    dr_sub3(p[3], p[2], v);
    dr_cross3(u, v, normal);
    dr_nearest_of_edges(p[0], p[1], p[2], p[3], &s, &t);
    dr_between3(way[0], way[1], s, a);
    dr_between3(way[2], way[3], t, b);
    dr_sub3(a, b, coming);
    if (!(dr_unit3(normal) > 0.0) || !turn_against(normal, coming)) {
        return false;
    }
    dr_sub3(m->end[1], m->end[0], u);
    dr_sub3(m->end[3], m->end[2], v);
    dr_cross3(u, v, stencil->normal);
    dr_unit3(stencil->normal);
    choose_normal(normal, stencil->normal);
    dr_between3(m->end[0], m->end[1], s, a);
    dr_between3(m->end[2], m->end[3], t, b);
    dr_sub3(a, b, coming);
    double at_start =
        sqrt(dr_nearest_of_edges(m->start[0], m->start[1], m->start[2], m->start[3], &u[0], &u[1]));
    stencil->depth = target_of(search, at_start) - dr_dot3(stencil->normal, coming);
    stencil->weight[0] = 1.0 - s;
    stencil->weight[1] = s;
    return stencil->depth > 0.0;
}

static bool judge_near_edges(const dr_slide_search* search, const dr_ccd_motion* m, double s,
                             double t, double distance, dr_slide_stencil* stencil)
{
    if (s < end_share || s > 1.0 - end_share || t < end_share || t > 1.0 - end_share) {
        return false;
    }
    double other_s, other_t;
    double at_start = sqrt(dr_nearest_of_edges(m->start[0], m->start[1], m->start[2], m->start[3],
                                               &other_s, &other_t));
    stencil->depth = target_of(search, at_start) - distance;
    stencil->weight[0] = 1.0 - s;
    stencil->weight[1] = s;
    return stencil->depth > DR_SLIDE_LET_BE * (double)search->guest->edge_reach;
}

bool dr_slide_judge_edges(const dr_slide_search* search, const double starts[2][3],
                          const double ends[2][3], int cloth_edge, int edge,
                          dr_slide_stencil* stencil)
{
    const dr_slide_guest* guest = search->guest;
    const dr_edge* other = &guest->body->shell.mesh.edges[edge];
    dr_ccd_motion m;
    memcpy(m.start, starts, 2 * sizeof *m.start);
    memcpy(m.end, ends, 2 * sizeof *m.end);
    for (int k = 0; k < 2; ++k) {
        dr_guest_corner(guest, other->v[k], false, m.start[2 + k]);
        dr_guest_corner(guest, other->v[k], true, m.end[2 + k]);
        stencil->vertex[k] = search->sheets->edges[cloth_edge][k];
    }
    stencil->count = 2;
    stencil->triangle = other->t[0];
    double s, t, a[3], b[3];
    dr_nearest_of_edges(m.end[0], m.end[1], m.end[2], m.end[3], &s, &t);
    dr_between3(m.end[0], m.end[1], s, a);
    dr_between3(m.end[2], m.end[3], t, b);
    dr_sub3(a, b, stencil->normal);
    double distance = dr_unit3(stencil->normal);
    bool is_parting =
        distance > 0.0 && is_parted(stencil->normal, DR_POINTS(m.start), 2, DR_POINTS(m.start + 2),
                                    2, dr_dot3(stencil->normal, b));
    if (is_parting && distance >= (1.0 - DR_SLIDE_LET_BE) * (double)guest->edge_reach) {
        return false;
    }
    dr_ccd_result passing = {.is_hit = false};
    if (!is_parting) {
        passing = dr_ccd_edge_edge(&m, 0.0);
    }
    return passing.is_hit ? judge_passing_edges(search, &m, passing.toi, stencil)
                          : judge_near_edges(search, &m, s, t, distance, stencil);
}

// --- Corners ---

static void weights_of(const double p[3], const double (*corners)[3], double weights[3])
{
    double u[3], v[3], w[3], normal[3], cross[3];
    dr_sub3(corners[1], corners[0], u);
    dr_sub3(corners[2], corners[0], v);
    dr_sub3(p, corners[0], w);
    dr_cross3(u, v, normal);
    double area = dr_dot3(normal, normal);
    weights[0] = weights[1] = weights[2] = 1.0 / 3.0;
    if (area > 0.0) {
        dr_cross3(w, v, cross);
        weights[1] = dr_least(dr_most(dr_dot3(cross, normal) / area, 0.0), 1.0);
        dr_cross3(u, w, cross);
        weights[2] = dr_least(dr_most(dr_dot3(cross, normal) / area, 0.0), 1.0 - weights[1]);
        weights[0] = 1.0 - weights[1] - weights[2];
    }
}

static void blend(const double (*points)[3], const double weights[3], double out[3])
{
    for (int c = 0; c < 3; ++c) {
        out[c] = weights[0] * points[0][c] + weights[1] * points[1][c] + weights[2] * points[2][c];
    }
}

static double distance_to_triangle(const double p[3], const double (*corners)[3], double foot[3])
{
    double way[3];
    dr_nearest_of_triangle(p, corners, foot);
    dr_sub3(p, foot, way);
    return sqrt(dr_dot3(way, way));
}

// Four points in motion: the corner of the obstacle, then the cloth triangle.
static bool judge_passing_corner(const dr_slide_search* search, const dr_ccd_motion* m, double time,
                                 dr_slide_stencil* stencil)
{
    double p[4][3], way[4][3], normal[3], coming[3], foot[3];
    for (int k = 0; k < 4; ++k) {
        dr_between3(m->start[k], m->end[k], time, p[k]);
        dr_sub3(m->end[k], m->start[k], way[k]);
    }
    weights_of(p[0], DR_POINTS(p + 1), stencil->weight);
    blend(DR_POINTS(way + 1), stencil->weight, coming);
    dr_sub3(coming, way[0], coming);
    if (!dr_normal3(DR_POINTS(p + 1), normal) || !turn_against(normal, coming)) {
        return false;
    }
    if (!dr_normal3(DR_POINTS(m->end + 1), stencil->normal)) {
        memcpy(stencil->normal, normal, sizeof normal);
    }
    choose_normal(normal, stencil->normal);
    double at_start = distance_to_triangle(m->start[0], DR_POINTS(m->start + 1), foot);
    blend(DR_POINTS(m->end + 1), stencil->weight, coming);
    dr_sub3(coming, m->end[0], coming);
    stencil->depth = target_of(search, at_start) - dr_dot3(stencil->normal, coming);
    return stencil->depth > 0.0;
}

bool dr_slide_judge_corner(const dr_slide_search* search, const double starts[3][3],
                           const double ends[3][3], int cloth_triangle, int corner,
                           dr_slide_stencil* stencil)
{
    const dr_slide_guest* guest = search->guest;
    const dr_mesh* mesh = &guest->body->shell.mesh;
    const double(*after)[3] = ends;
    double foot[3], edge_reach = (double)guest->edge_reach;
    dr_ccd_motion m;
    dr_guest_corner(guest, corner, false, m.start[0]);
    dr_guest_corner(guest, corner, true, m.end[0]);
    memcpy(m.start + 1, starts, 3 * sizeof *m.start);
    memcpy(m.end + 1, ends, 3 * sizeof *m.end);
    stencil->count = 3;
    stencil->triangle = mesh->vertex_triangle_list[mesh->vertex_triangle_start[corner]];
    memcpy(stencil->vertex, search->sheets->triangles[cloth_triangle], sizeof stencil->vertex);
    dr_nearest_of_triangle(m.end[0], after, foot);
    dr_sub3(foot, m.end[0], stencil->normal);
    double distance = dr_unit3(stencil->normal);
    bool is_parting = distance > 0.0 && is_parted(stencil->normal, starts, 3, DR_POINTS(m.start), 1,
                                                  dr_dot3(stencil->normal, m.end[0]));
    if (is_parting && distance >= (1.0 - DR_SLIDE_LET_BE) * edge_reach) {
        return false;
    }
    dr_ccd_result passing = {.is_hit = false};
    if (!is_parting) {
        passing = dr_ccd_point_triangle(&m, 0.0);
    }
    if (passing.is_hit) {
        return judge_passing_corner(search, &m, passing.toi, stencil);
    }
    double other[3], at_start = distance_to_triangle(m.start[0], starts, other);
    weights_of(foot, after, stencil->weight);
    stencil->depth = target_of(search, at_start) - distance;
    return stencil->depth > DR_SLIDE_LET_BE * edge_reach;
}
