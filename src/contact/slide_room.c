// Rooms: where vertices need no search, because nothing is near or all of it is behind a plane.
#include <string.h>

#include "contact/slide_parts.h"

// All that is near a room may be above its plane by this share of the tolerance. With DR_ROOM_CLEAR
// the sum is below one: nothing can be missed that a search would find.
static const double behind_share = 0.4;

// The tangent plane of the shell where it is entered. Over faces it is that of the face, so that it
// is the same wherever the vertex enters, and for neighbours in one plane.
dr_slide_plane dr_guest_tangent(const dr_slide_guest* guest, int triangle, const dr_entry* entry,
                                double reach)
{
    const dr_slide_plane* face = &guest->planes[triangle];
    dr_slide_plane plane;
    memcpy(plane.normal, entry->normal, sizeof plane.normal);
    plane.offset = -dr_dot3(entry->normal, entry->foot) - reach;
    if (entry->is_inner && !guest->body->is_changing && dr_dot3(face->normal, face->normal) > 0.0) {
        double sign = dr_dot3(face->normal, entry->normal) < 0.0 ? -1.0 : 1.0;
        for (int c = 0; c < 3; ++c) {
            plane.normal[c] = sign * face->normal[c];
        }
        plane.offset = sign * face->offset - reach;
    }
    return plane;
}

bool dr_room_fits(const dr_room* room, const double x[3], const double q[3], double cover)
{
    return room->kind != DR_ROOM_NONE && (double)room->cover >= cover && dr_room_has(room, x) &&
           dr_room_has(room, q);
}

// Looks whether all that is near is behind the plane that was chosen.
void dr_room_judge(const dr_slide_search* search, dr_room* room)
{
    double lo[3], hi[3], depth = (double)search->guest->reach;
    for (int c = 0; c < 3; ++c) {
        lo[c] = (double)room->lo[c] - (double)room->cover;
        hi[c] = (double)room->hi[c] + (double)room->cover;
    }
    room->is_convex =
        dr_guest_is_behind(search->guest, &room->plane, depth - search->guest->rounding, lo, hi);
    depth -= behind_share * search->tolerance;
    bool is_behind =
        room->is_convex || dr_guest_is_behind(search->guest, &room->plane, depth, lo, hi);
    room->kind = is_behind ? DR_ROOM_PLANE : DR_ROOM_MIXED;
    room->key = room->triangle >= 0 ? search->guest->groups[room->triangle] : DR_KEY_OTHER;
    room->is_begun = false;
}

// The plane of what is nearest to the start; false when the start is in the shell.
static bool choose_plane(const dr_slide_search* search, const double x[3], int triangle,
                         double distance, dr_room* room)
{
    const dr_slide_guest* guest = search->guest;
    double corners[3][3];
    dr_entry entry = {.distance = distance};
    if (distance < (double)guest->reach - search->tolerance) {
        return false;
    }
    dr_guest_corners(guest, triangle, false, corners);
    entry.is_inner = dr_nearest_of_triangle(x, DR_POINTS(corners), entry.foot);
    dr_sub3(x, entry.foot, entry.normal);
    dr_unit3(entry.normal);
    room->plane = dr_guest_tangent(guest, triangle, &entry, (double)guest->reach);
    room->triangle = entry.is_inner ? triangle : -1;
    return true;
}

void dr_room_renew(const dr_slide_search* search, const double x[3], const double q[3],
                   double cover, dr_room* room, dr_slide_chunk* chunk)
{
    // Large enough to last: some steps of the same length, and the shell.
    double step[3], lo[3], hi[3];
    dr_sub3(q, x, step);
    double margin = (double)search->guest->reach + 4.0 * sqrt(dr_dot3(step, step));
    cover *= 1.25;
    dr_box_of_way(x, q, margin, lo, hi);
    for (int c = 0; c < 3; ++c) {
        room->lo[c] = (float)lo[c];
        room->hi[c] = (float)hi[c];
    }
    room->cover = (float)cover;
    ++chunk->box_tests;
    // The ball around the start that holds all of it.
    double distance, most = 1.75 * (margin + cover) + sqrt(dr_dot3(step, step));
    int hint = room->kind == DR_ROOM_NONE || room->kind == DR_ROOM_FREE ? -1 : room->nearest;
    int triangle = dr_guest_nearest(search->guest, x, most, hint, &distance);
    room->is_begun = false;
    room->key = DR_KEY_FREE;
    room->kind = DR_ROOM_FREE;
    if (triangle < 0) {
        return;
    }
    room->nearest = triangle;
    room->kind = DR_ROOM_MIXED;
    if (choose_plane(search, x, triangle, distance, room)) {
        dr_room_judge(search, room);
    }
}

// Whether the way meets the plane of the room over the inside of its triangle: then that is the
// first thing it meets. Others are no higher than rounding, so they are further from there than
// `reach` once they are further off than this margin to the side.
bool dr_room_meets_face(const dr_slide_guest* guest, const dr_room* room, const double x[3],
                        const double q[3], double start, double end)
{
    if (room->triangle < 0 || !room->is_convex) {
        return false;
    }
    double corners[3][3], p[3], along[3],
        margin = 1.5 * sqrt(2.0 * (double)guest->reach * guest->rounding);
    dr_sub3(q, x, along);
    dr_along3(x, start > 0.0 ? start / (start - end) : 0.0, along, p);
    dr_guest_corners(guest, room->triangle, false, corners);
    const double* normal = guest->planes[room->triangle].normal;
    for (int k = 0; k < 3; ++k) {
        double edge[3], off[3], inward[3];
        dr_sub3(corners[k == 2 ? 0 : k + 1], corners[k], edge);
        dr_sub3(p, corners[k], off);
        dr_cross3(normal, edge, inward);
        double depth = dr_dot3(inward, off);
        if (depth <= 0.0 || depth * depth <= margin * margin * dr_dot3(inward, inward)) {
            return false;
        }
    }
    return true;
}
