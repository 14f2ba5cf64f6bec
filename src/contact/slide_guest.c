// Obstacles as contact/slide.h keeps them: their planes, and the edges that are watched.
#include <string.h>

#include "contact/slide_parts.h"
#include "core/math.h"

void dr_guest_corners(const dr_slide_guest* guest, int triangle, bool at_end, double corners[3][3])
{
    for (int k = 0; k < 3; ++k) {
        dr_guest_corner(guest, guest->body->shell.mesh.triangles[triangle][k], at_end, corners[k]);
    }
}

// Two edges and the unit normal; false when there is no area.
static bool span(const double corners[3][3], double axes[3][3])
{
    dr_sub3(corners[1], corners[0], axes[0]);
    dr_sub3(corners[2], corners[0], axes[1]);
    dr_cross3(axes[0], axes[1], axes[2]);
    return dr_unit3(axes[2]) > 0.0;
}

// Weights along the edges stay, and so does the height above the plane.
void dr_guest_carry(const dr_slide_guest* guest, int triangle, const double x[3], double out[3])
{
    double from[3][3], to[3][3], old[3][3], new[3][3], w[3], cross[3];
    if (!guest->body->is_changing) {
        memcpy(out, x, 3 * sizeof *out);
        return;
    }
    dr_guest_corners(guest, triangle, false, from);
    dr_guest_corners(guest, triangle, true, to);
    bool has_plane = span(DR_POINTS(from), old) && span(DR_POINTS(to), new);
    dr_sub3(x, from[0], w);
    if (!has_plane) {
        dr_along3(to[0], 1.0, w, out);
        return;
    }
    dr_cross3(old[0], old[1], cross);
    double area = dr_dot3(cross, old[2]);
    dr_cross3(w, old[1], cross);
    double first = dr_dot3(cross, old[2]) / area;
    dr_cross3(old[0], w, cross);
    double second = dr_dot3(cross, old[2]) / area;
    dr_along3(to[0], first, new[0], out);
    dr_along3(out, second, new[1], out);
    dr_along3(out, dr_dot3(w, old[2]), new[2], out);
}

// --- Planes ---

static dr_slide_plane plane_of(const dr_slide_guest* guest, int triangle)
{
    double corners[3][3], axes[3][3];
    dr_slide_plane plane = {0};
    dr_guest_corners(guest, triangle, false, corners);
    if (span(DR_POINTS(corners), axes)) {
        memcpy(plane.normal, axes[2], sizeof plane.normal);
        plane.offset = -dr_dot3(plane.normal, corners[0]);
    }
    return plane;
}

// Whether a triangle lies in a plane, turned the same way, as far as floats can tell.
static bool lies_in(const dr_slide_guest* guest, int triangle, const dr_slide_plane* plane)
{
    double corners[3][3], axes[3][3];
    dr_guest_corners(guest, triangle, false, corners);
    if (!span(DR_POINTS(corners), axes) || dr_dot3(axes[2], plane->normal) <= 0.0) {
        return false;
    }
    for (int k = 0; k < 3; ++k) {
        if (fabs(dr_height(plane, corners[k])) > guest->rounding) {
            return false;
        }
    }
    return true;
}

static bool has_plane(const dr_slide_plane* plane)
{
    return plane->normal[0] != 0.0 || plane->normal[1] != 0.0 || plane->normal[2] != 0.0;
}

// Gives the plane of a triangle to its neighbours in the same plane, and theirs. `stack` has room
// for all.
static void spread_plane(dr_slide_guest* guest, int first, uint8_t* is_done, int32_t* stack)
{
    const dr_mesh* mesh = &guest->body->shell.mesh;
    const dr_slide_plane plane = guest->planes[first];
    int count = 0;
    stack[count++] = first;
    is_done[first] = 1;
    while (count > 0) {
        int triangle = stack[--count];
        guest->planes[triangle] = plane;
        guest->groups[triangle] = first;
        for (int k = 0; k < 3; ++k) {
            int32_t edge = mesh->triangle_edges[3 * triangle + k];
            for (int side = 0; edge >= 0 && side < 2; ++side) {
                int32_t other = mesh->edges[edge].t[side];
                if (other >= 0 && !is_done[other] && lies_in(guest, other, &plane)) {
                    is_done[other] = 1;
                    stack[count++] = other;
                }
            }
        }
    }
}

static bool find_planes(dr_slide_guest* guest, dr_memory* memory)
{
    int count = guest->triangle_count;
    uint8_t* is_done = dr_new_zeroed(memory, uint8_t, count);
    int32_t* stack = dr_new(memory, int32_t, count);
    bool has_room = is_done && stack;
    for (int t = 0; has_room && t < count; ++t) {
        if (!is_done[t]) {
            guest->planes[t] = plane_of(guest, t);
            guest->groups[t] = t;
            if (has_plane(&guest->planes[t])) {
                spread_plane(guest, t, is_done, stack);
            }
        }
    }
    dr_delete(memory, is_done, count);
    dr_delete(memory, stack, count);
    return has_room;
}

// --- Slabs ---

// Triangles below a node are those of a range of places.
typedef struct place_range {
    int first, end;
} place_range;

static place_range places_below(const dr_tree* tree, int node)
{
    return (place_range){tree->nodes[node].first, tree->nodes[tree->nodes[node].end].first};
}

static void find_middle(const dr_slide_guest* guest, place_range range, dr_slab* slab)
{
    const dr_tree* tree = &guest->body->shell.tree;
    for (int i = range.first; i < range.end; ++i) {
        double corners[3][3];
        int triangle = tree->triangle_of_place[i];
        dr_guest_corners(guest, triangle, false, corners);
        dr_along3(slab->normal, 1.0, guest->planes[triangle].normal, slab->normal);
        for (int k = 0; k < 3; ++k) {
            dr_along3(slab->middle, 1.0 / (3.0 * (range.end - range.first)), corners[k],
                      slab->middle);
        }
    }
    dr_unit3(slab->normal);
}

static void find_slab(const dr_slide_guest* guest, int node, dr_slab* slab)
{
    const dr_tree* tree = &guest->body->shell.tree;
    place_range range = places_below(tree, node);
    *slab = (dr_slab){.bottom = INFINITY, .top = -INFINITY};
    find_middle(guest, range, slab);
    for (int i = range.first; i < range.end; ++i) {
        double corners[3][3], off[3];
        dr_guest_corners(guest, tree->triangle_of_place[i], false, corners);
        for (int k = 0; k < 3; ++k) {
            double height = dr_dot3(slab->normal, corners[k]);
            slab->bottom = dr_least(slab->bottom, height);
            slab->top = dr_most(slab->top, height);
            dr_sub3(corners[k], slab->middle, off);
            slab->radius = dr_most(slab->radius, sqrt(dr_dot3(off, off)));
        }
    }
}

// --- Watched edges ---

// How deep a cloth edge cuts below an obstacle edge between faces that it touches with both ends:
// over a single bend, and over a round surface of which this edge is a part.
typedef struct cut {
    double bend, round;
} cut;

static double height_over(const dr_slide_guest* guest, int triangle, const double along[3])
{
    double corners[3][3], axes[3][3], cross[3];
    dr_guest_corners(guest, triangle, false, corners);
    span(DR_POINTS(corners), axes);
    dr_cross3(axes[0], axes[1], cross);
    double length = sqrt(dr_dot3(along, along));
    return length > 0.0 ? sqrt(dr_dot3(cross, cross)) / length : 0.0;
}

static cut cut_of(const dr_slide_guest* guest, const dr_edge* edge, double longest)
{
    const double *a = guest->planes[edge->t[0]].normal, *b = guest->planes[edge->t[1]].normal;
    double cross[3], from[3], along[3];
    dr_cross3(a, b, cross);
    double bend = dr_atan2(sqrt(dr_dot3(cross, cross)), dr_dot3(a, b));
    dr_guest_corner(guest, edge->v[0], false, from);
    dr_guest_corner(guest, edge->v[1], false, along);
    dr_sub3(along, from, along);
    double height =
        0.5 * (height_over(guest, edge->t[0], along) + height_over(guest, edge->t[1], along));
    // Middles of two triangles of a ball are two thirds of their height apart.
    double radius = 2.0 / 3.0 * height / dr_most(bend, 1e-9);
    return (cut){.bend = 0.5 * longest * dr_sin(0.5 * bend),
                 .round = longest * longest / (8.0 * dr_most(radius, 1e-9))};
}

static bool is_blunt(const dr_slide_guest* guest, int edge)
{
    return guest->body->edge_bend[edge] == DR_BEND_BLUNT;
}

// The shell is thick enough that edges do not cut what is round, within reason.
static void choose_reach(dr_slide_guest* guest, float thickness, double longest)
{
    const dr_mesh* mesh = &guest->body->shell.mesh;
    double deepest = 0.0;
    for (int e = 0; e < mesh->edge_count; ++e) {
        if (is_blunt(guest, e)) {
            deepest = dr_most(deepest, cut_of(guest, &mesh->edges[e], longest).round);
        }
    }
    guest->edge_reach = (float)DR_SLIDE_EDGE_SHARE * thickness;
    double wanted = deepest + (double)guest->edge_reach;
    guest->reach = (float)dr_least(dr_most(wanted, (double)thickness), 2.0 * (double)thickness);
}

static bool is_watched(const dr_slide_guest* guest, int edge, double longest)
{
    const dr_body* body = guest->body;
    if (body->is_changing || body->edge_bend[edge] == DR_BEND_SHARP) {
        return true;
    }
    if (!is_blunt(guest, edge)) {
        return false;
    }
    cut at = cut_of(guest, &body->shell.mesh.edges[edge], longest);
    return dr_most(at.bend, at.round) > (double)(guest->reach - guest->edge_reach);
}

static void watch_edges(dr_slide_guest* guest, double longest)
{
    const dr_mesh* mesh = &guest->body->shell.mesh;
    memset(guest->is_corner_watched, 0, (size_t)mesh->vertex_count);
    for (int e = 0; e < mesh->edge_count; ++e) {
        guest->is_edge_watched[e] = is_watched(guest, e, longest);
        for (int k = 0; k < 2 && guest->is_edge_watched[e]; ++k) {
            guest->is_corner_watched[mesh->edges[e].v[k]] = 1;
        }
    }
}

static void watch_triangles(dr_slide_guest* guest)
{
    const dr_mesh* mesh = &guest->body->shell.mesh;
    for (int t = 0; t < mesh->triangle_count; ++t) {
        uint8_t watched = 0;
        for (int k = 0; k < 3; ++k) {
            int32_t edge = mesh->triangle_edges[3 * t + (k + 2) % 3];
            watched |= (uint8_t)(guest->is_corner_watched[mesh->triangles[t][k]] << k);
            watched |= (uint8_t)((edge >= 0 && guest->is_edge_watched[edge]) << (3 + k));
        }
        guest->watched[t] = watched & mesh->owned[t];
    }
}

// --- Life ---

static bool make_room(dr_slide_guest* guest, dr_memory* memory, int room_count)
{
    const dr_mesh* mesh = &guest->body->shell.mesh;
    guest->triangle_count = mesh->triangle_count;
    guest->edge_count = mesh->edge_count;
    guest->vertex_count = mesh->vertex_count;
    guest->node_count = guest->body->shell.tree.node_count;
    guest->room_count = room_count;
    guest->slabs = dr_new(memory, dr_slab, guest->node_count + 1);
    guest->planes = dr_new(memory, dr_slide_plane, guest->triangle_count);
    guest->groups = dr_new_zeroed(memory, int32_t, guest->triangle_count);
    guest->watched = dr_new_zeroed(memory, uint8_t, guest->triangle_count);
    guest->is_edge_watched = dr_new_zeroed(memory, uint8_t, guest->edge_count + 1);
    guest->is_corner_watched = dr_new_zeroed(memory, uint8_t, guest->vertex_count);
    guest->rooms = dr_new_zeroed(memory, dr_room, room_count + 1);
    guest->is_inside = dr_new_zeroed(memory, uint8_t, room_count + 1);
    guest->begin =
        dr_allocate(memory, dr_array_bytes((size_t)room_count + 1, sizeof *guest->begin));
    guest->begun = dr_new_zeroed(memory, int32_t, room_count / DR_SLIDE_CHUNK + 1);
    return guest->slabs && guest->planes && guest->groups && guest->watched &&
           guest->is_edge_watched && guest->is_corner_watched && guest->rooms && guest->is_inside &&
           guest->begin && guest->begun;
}

void dr_guest_free(dr_slide_guest* guest, dr_memory* memory)
{
    dr_delete(memory, guest->slabs, guest->node_count + 1);
    dr_delete(memory, guest->planes, guest->triangle_count);
    dr_delete(memory, guest->groups, guest->triangle_count);
    dr_delete(memory, guest->watched, guest->triangle_count);
    dr_delete(memory, guest->is_edge_watched, guest->edge_count + 1);
    dr_delete(memory, guest->is_corner_watched, guest->vertex_count);
    dr_delete(memory, guest->rooms, guest->room_count + 1);
    dr_delete(memory, guest->is_inside, guest->room_count + 1);
    dr_delete(memory, guest->begin, guest->room_count + 1);
    dr_delete(memory, guest->begun, guest->room_count / DR_SLIDE_CHUNK + 1);
    *guest = (dr_slide_guest){0};
}

bool dr_guest_prepare(dr_slide_guest* guest, dr_memory* memory, const dr_slide* slide,
                      const dr_slide_obstacle* obstacle)
{
    const dr_body* body = obstacle->body;
    if (guest->body != body) {
        dr_guest_free(guest, memory);
        guest->body = body;
        guest->is_stale = true;
        if (!make_room(guest, memory, slide->vertex_count)) {
            guest->body = NULL;
            return false;
        }
    }
    guest->shares[0] = (double)obstacle->share_gone;
    guest->shares[1] = 1.0 - (double)obstacle->share_left;
    if (!guest->is_stale && !body->is_changing) {
        return true;
    }
    double scale = 0.0;
    for (int c = 0; c < 6; ++c) {
        scale = dr_most(scale, fabs((double)body->shell.tree.root[c]));
    }
    guest->rounding = 0x1p-22 * scale;
    // Cloth is stretched a little.
    double longest = 1.1 * (double)slide->longest_rest;
    if (!body->is_changing && !find_planes(guest, memory)) {
        return false;
    }
    for (int t = 0; body->is_changing && t < guest->triangle_count; ++t) {
        guest->planes[t] = plane_of(guest, t);
    }
    for (int n = 0; !body->is_changing && n < guest->node_count; ++n) {
        find_slab(guest, n, &guest->slabs[n]);
    }
    choose_reach(guest, slide->def.thickness, longest);
    watch_edges(guest, longest);
    watch_triangles(guest);
    for (int v = 0; v < guest->room_count; ++v) {
        guest->rooms[v].kind = DR_ROOM_NONE;
    }
    guest->is_stale = body->is_changing;
    return true;
}
