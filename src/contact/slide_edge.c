// Cloth triangles against sharp edges, corners and triangles of an obstacle.
#include <string.h>

#include "collide/tree_query.h"
#include "collide/triangle_pair.h"
#include "contact/slide_parts.h"
#include "core/vec_math.h"

// All of a way of a cloth triangle is well above a plane.
static bool is_above(const dr_slide_search* search, const int32_t* v, const dr_slide_plane* plane)
{
    const dr_slide* slide = search->slide;
    double least = (double)(search->guest->edge_reach - search->guest->reach);
    for (int k = 0; k < 3; ++k) {
        if (dr_height(plane, search->guest->begin[v[k]]) < least ||
            dr_height(plane, slide->place[v[k]]) < least) {
            return false;
        }
    }
    return true;
}

// A triangle is safe when nothing is near one of its vertices, or all that is near lies behind a
// plane that all three keep well above.
static bool is_safe(const dr_slide_search* search, const int32_t* v)
{
    const int32_t* key = search->slide->key;
    int32_t a = key[v[0]], b = key[v[1]], c = key[v[2]];
    if (a == DR_KEY_FREE || b == DR_KEY_FREE || c == DR_KEY_FREE || (a >= 0 && a == b && a == c)) {
        return true;
    }
    for (int k = 0; k < 3; ++k) {
        const dr_room* room = &search->guest->rooms[v[k]];
        if (room->kind == DR_ROOM_PLANE && !search->guest->body->is_changing &&
            !search->guest->is_inside[v[k]] && is_above(search, v, &room->plane)) {
            return true;
        }
    }
    return false;
}

void dr_slide_mark_unsafe(const dr_slide_search* search, int begin, int end)
{
    for (int t = begin; t < end; ++t) {
        search->slide->is_unsafe[t] = !is_safe(search, search->sheets->triangles[t]);
    }
}

// A cloth triangle on its way.
typedef struct patch {
    int triangle, lot;
    double starts[3][3], ends[3][3];
    int owned_edges[3]; // of the cloth, by first corner; -1
    double lo[3], hi[3];
    dr_slide_plane plane; // that it is above at both ends; zero when it has none
} patch;

static void add_pair(const dr_slide_search* search, const patch* at, dr_pair_kind kind, int cloth,
                     int other)
{
    dr_slide_lot* lot = &search->slide->lots[at->lot];
    if (lot->pair_count < DR_SLIDE_PAIRS) {
        dr_slide_pair* pairs = search->slide->pairs.data;
        pairs[at->lot * DR_SLIDE_PAIRS + lot->pair_count] =
            (dr_slide_pair){cloth, other, (uint8_t)kind};
    }
    ++lot->pair_count;
}

// `other` are the ends of the obstacle edge at the start and the end of the step.
static bool is_edge_apart(const dr_slide_search* search, const patch* at, int corner,
                          const double other[4][3])
{
    double more = (double)search->guest->edge_reach;
    int next = corner == 2 ? 0 : corner + 1;
    for (int c = 0; c < 3; ++c) {
        double lo = dr_least(dr_least(at->starts[corner][c], at->starts[next][c]),
                             dr_least(at->ends[corner][c], at->ends[next][c]));
        double hi = dr_most(dr_most(at->starts[corner][c], at->starts[next][c]),
                            dr_most(at->ends[corner][c], at->ends[next][c]));
        double low =
            dr_least(dr_least(other[0][c], other[1][c]), dr_least(other[2][c], other[3][c]));
        double high = dr_most(dr_most(other[0][c], other[1][c]), dr_most(other[2][c], other[3][c]));
        if (lo - more > high || hi + more < low) {
            return true;
        }
    }
    return false;
}

static void try_edge(const dr_slide_search* search, const patch* at, int edge)
{
    const dr_edge* other = &search->guest->body->shell.mesh.edges[edge];
    double places[4][3];
    for (int k = 0; k < 2; ++k) {
        dr_guest_corner(search->guest, other->v[k], false, places[k]);
        dr_guest_corner(search->guest, other->v[k], true, places[2 + k]);
    }
    for (int k = 0; k < 3; ++k) {
        int cloth = at->owned_edges[k];
        if (cloth < 0 || is_edge_apart(search, at, k, DR_POINTS(places))) {
            continue;
        }
        // Corners in the order of the edge.
        int next = k == 2 ? 0 : k + 1;
        bool is_turned =
            search->sheets->edges[cloth][0] != search->sheets->triangles[at->triangle][k];
        double starts[2][3], ends[2][3];
        memcpy(starts[is_turned], at->starts[k], sizeof *starts);
        memcpy(starts[!is_turned], at->starts[next], sizeof *starts);
        memcpy(ends[is_turned], at->ends[k], sizeof *ends);
        memcpy(ends[!is_turned], at->ends[next], sizeof *ends);
        dr_slide_stencil stencil;
        ++search->slide->lots[at->lot].exact_tests;
        if (dr_slide_judge_edges(search, DR_POINTS(starts), DR_POINTS(ends), cloth, edge,
                                 &stencil)) {
            add_pair(search, at, DR_PAIR_EDGES, cloth, edge);
        }
    }
}

static void try_corner(const dr_slide_search* search, const patch* at, int corner)
{
    dr_slide_stencil stencil;
    double places[2][3];
    dr_guest_corner(search->guest, corner, false, places[0]);
    dr_guest_corner(search->guest, corner, true, places[1]);
    for (int c = 0; c < 3; ++c) {
        if (dr_least(places[0][c], places[1][c]) > at->hi[c] ||
            dr_most(places[0][c], places[1][c]) < at->lo[c]) {
            return;
        }
    }
    ++search->slide->lots[at->lot].exact_tests;
    if (dr_slide_judge_corner(search, DR_POINTS(at->starts), DR_POINTS(at->ends), at->triangle,
                              corner, &stencil)) {
        add_pair(search, at, DR_PAIR_CORNER, at->triangle, corner);
    }
}

// As files have them: rounded to floats in the world.
static bool do_cross(const dr_slide_search* search, const patch* at, int triangle, bool at_end)
{
    const dr_body* body = search->guest->body;
    drape_transform pose = at_end ? search->obstacle->end : search->obstacle->start;
    const drape_vec3* cloth = at_end ? search->sheets->end : search->sheets->start;
    drape_vec3 a[3], b[3];
    for (int k = 0; k < 3; ++k) {
        double p[3];
        dr_guest_corner(search->guest, body->shell.mesh.triangles[triangle][k], at_end, p);
        a[k] = cloth[search->sheets->triangles[at->triangle][k]];
        b[k] = dr_transform_apply(pose, (drape_vec3){(float)p[0], (float)p[1], (float)p[2]});
    }
    return dr_triangle_pair(a, NULL, b, NULL).relation == DR_TRIANGLES_CROSSING;
}

// A plane between them, or that of the obstacle triangle, tells most pairs apart.
static bool is_on_one_side(const dr_slide_search* search, const patch* at, int triangle)
{
    const dr_slide_plane* plane = &search->guest->planes[triangle];
    double corners[3][3];
    if (search->guest->body->is_changing) {
        return false;
    }
    dr_guest_corners(search->guest, triangle, true, corners);
    if (dr_dot3(at->plane.normal, at->plane.normal) > 0.0 &&
        dr_height(&at->plane, corners[0]) < -8.0 * search->tolerance &&
        dr_height(&at->plane, corners[1]) < -8.0 * search->tolerance &&
        dr_height(&at->plane, corners[2]) < -8.0 * search->tolerance) {
        return true;
    }
    double a = dr_height(plane, at->ends[0]), b = dr_height(plane, at->ends[1]);
    double c = dr_height(plane, at->ends[2]), margin = 8.0 * search->tolerance;
    return dr_least(dr_least(a, b), c) > margin || dr_most(dr_most(a, b), c) < -margin;
}

static void try_triangle(const dr_slide_search* search, const patch* at, int triangle)
{
    const dr_slide_guest* guest = search->guest;
    const dr_mesh* mesh = &guest->body->shell.mesh;
    int watched = guest->watched[triangle];
    for (int k = 0; k < 3 && watched != 0; ++k) {
        if (watched >> (3 + k) & 1) {
            try_edge(search, at, mesh->triangle_edges[3 * triangle + (k + 2) % 3]);
        }
        if (watched >> k & 1) {
            try_corner(search, at, mesh->triangles[triangle][k]);
        }
    }
    if (is_on_one_side(search, at, triangle)) {
        return;
    }
    ++search->slide->lots[at->lot].exact_tests;
    if (do_cross(search, at, triangle, true) && !do_cross(search, at, triangle, false)) {
        add_pair(search, at, DR_PAIR_CROSSING, at->triangle, triangle);
    }
}

// Boxes that hold too much are cut in two. A triangle in both is looked at twice, which does no
// harm.
static void search_box(const dr_slide_search* search, const patch* at, const double lo[3],
                       const double hi[3], int depth)
{
    enum { MOST_NEAR = 1024, MOST_CUTS = 12 };
    int32_t triangles[MOST_NEAR];
    drape_vec3 low = {(float)lo[0], (float)lo[1], (float)lo[2]};
    drape_vec3 high = {(float)hi[0], (float)hi[1], (float)hi[2]};
    int count =
        dr_tree_box_query(&search->guest->body->shell.tree, low, high, triangles, MOST_NEAR);
    if (count > MOST_NEAR && depth < MOST_CUTS) {
        double middle[2][3];
        memcpy(middle[0], lo, sizeof *middle);
        memcpy(middle[1], hi, sizeof *middle);
        int axis = depth % 3;
        middle[0][axis] = middle[1][axis] = 0.5 * (lo[axis] + hi[axis]);
        search_box(search, at, lo, middle[1], depth + 1);
        search_box(search, at, middle[0], hi, depth + 1);
        return;
    }
    for (int i = 0; i < count && i < MOST_NEAR; ++i) {
        try_triangle(search, at, triangles[i]);
    }
}

static void find_owned_edges(const dr_sheets* sheets, patch* at)
{
    const dr_sheets_part* part = &sheets->parts[sheets->part_of_triangle[at->triangle]];
    int t = at->triangle - part->first_triangle;
    for (int k = 0; k < 3; ++k) {
        int32_t edge = part->mesh->triangle_edges[3 * t + (k + 2) % 3];
        bool is_owned = edge >= 0 && (part->mesh->owned[t] >> (3 + k) & 1);
        at->owned_edges[k] = is_owned ? part->first_edge + edge : -1;
    }
}

// The two planes of its rooms that differ most: about those of the faces on both sides of an edge
// that the triangle goes over.
static void choose_planes(const dr_slide_search* search, const int32_t* v,
                          const dr_slide_plane* planes[2])
{
    const dr_room* rooms = search->guest->rooms;
    double least = 2.0; // more than any cosine
    for (int k = 0; k < 3; ++k) {
        const dr_slide_plane *a = &rooms[v[k]].plane, *b = &rooms[v[k == 2 ? 0 : k + 1]].plane;
        double cosine = dr_dot3(a->normal, b->normal);
        if (k == 0 || cosine < least) {
            least = cosine;
            planes[0] = a;
            planes[1] = b;
        }
    }
}

// Whether a plane that leans between those of the rooms has the triangle on one side at both ends
// of its way, and all of the obstacle that is near well on the other.
static bool is_clear(const dr_slide_search* search, patch* at)
{
    enum { LEANS = 7 };
    const dr_slide_guest* guest = search->guest;
    const dr_slide_plane* planes[2] = {NULL, NULL};
    double heights[2][6], best = -INFINITY, share = 0.5;
    choose_planes(search, search->sheets->triangles[at->triangle], planes);
    for (int i = 0; i < 2; ++i) {
        for (int k = 0; k < 3; ++k) {
            heights[i][k] = dr_height(planes[i], at->starts[k]);
            heights[i][k + 3] = dr_height(planes[i], at->ends[k]);
        }
    }
    for (int i = 1; i <= LEANS; ++i) {
        double lean = i / (LEANS + 1.0), lowest = INFINITY;
        for (int k = 0; k < 6; ++k) {
            lowest = dr_least(lowest, heights[0][k] + lean * (heights[1][k] - heights[0][k]));
        }
        share = lowest > best ? lean : share;
        best = dr_most(best, lowest);
    }
    dr_between3(planes[0]->normal, planes[1]->normal, share, at->plane.normal);
    double length = dr_unit3(at->plane.normal);
    if (!(length > 0.0)) {
        return false;
    }
    double offset = planes[0]->offset + share * (planes[1]->offset - planes[0]->offset) - best;
    at->plane.offset = offset / length;
    double depth = (1.0 - DR_SLIDE_LET_BE) * (double)guest->edge_reach;
    return dr_guest_is_behind(guest, &at->plane, depth, at->lo, at->hi);
}

void dr_slide_search_triangle(const dr_slide_search* search, int i)
{
    const dr_slide* slide = search->slide;
    const dr_slide_guest* guest = search->guest;
    patch at = {.triangle = slide->unsafe[i], .lot = i};
    double more = (double)guest->edge_reach + 8.0 * search->tolerance;
    slide->lots[i] = (dr_slide_lot){0};
    for (int c = 0; c < 3; ++c) {
        at.lo[c] = INFINITY;
        at.hi[c] = -INFINITY;
    }
    for (int k = 0; k < 3; ++k) {
        int32_t v = search->sheets->triangles[at.triangle][k];
        // What has begun to leave the inside crosses on its way.
        if (guest->is_inside[v]) {
            return;
        }
        memcpy(at.starts[k], guest->begin[v], sizeof at.starts[k]);
        memcpy(at.ends[k], slide->place[v], sizeof at.ends[k]);
        for (int c = 0; c < 3; ++c) {
            at.lo[c] = dr_least(at.lo[c], dr_least(at.starts[k][c], at.ends[k][c]) - more);
            at.hi[c] = dr_most(at.hi[c], dr_most(at.starts[k][c], at.ends[k][c]) + more);
        }
    }
    if (!guest->body->is_changing && is_clear(search, &at)) {
        return;
    }
    find_owned_edges(search->sheets, &at);
    search_box(search, &at, at.lo, at.hi, 0);
}
