// Vertices against the shell of an obstacle, and their rooms.
#include <string.h>

#include "contact/slide_parts.h"

// Triangles that one look at a part of a way can take.
enum { MOST_NEAR = 512 };
// Planes that are found for a vertex in one run.
enum { MOST_NEW = 3 };

// A vertex that is nearer than it should be at the start comes out by this share of the shell in a
// step: slowly, for what moves it also gives it speed.
static const double recovery_share = 0.125;
// Below this share of the shell the way to the foot is no direction.
static const double touching_share = 1e-3;

// One vertex on its way.
typedef struct way {
    int vertex;
    double x[3], q[3];
    double reach;    // that it must keep
    int plane_count; // it already has, and new ones
    dr_slide_plane planes[DR_LIMIT_PLANES + MOST_NEW];
    int hit_count;
    dr_slide_hit hits[MOST_NEW];
    bool is_hit_inner[MOST_NEW];
} way;

// --- The narrow search ---

// Planes of earlier runs that both ends of the way honour: what is behind them is done with.
static void read_planes(const dr_slide_search* search, way* at)
{
    const dr_limit_plane* planes = search->limits->planes.data;
    const dr_frame* frame = &search->guest->end;
    int32_t p = search->limits->first_plane[at->vertex];
    for (; p >= 0 && at->plane_count < DR_LIMIT_PLANES; p = planes[p].next) {
        dr_slide_plane* plane = &at->planes[at->plane_count];
        dr_frame_turn_back(frame, planes[p].plane.normal, plane->normal);
        plane->offset = planes[p].plane.offset + dr_dot3(planes[p].plane.normal, frame->shift);
        at->plane_count += dr_height(plane, at->x) >= -search->tolerance &&
                           dr_height(plane, at->q) >= -search->tolerance;
    }
}

static bool is_behind_planes(const way* at, const double (*corners)[3], double depth)
{
    for (int k = 0; k < at->plane_count; ++k) {
        const dr_slide_plane* plane = &at->planes[k];
        if (dr_height(plane, corners[0]) <= -depth && dr_height(plane, corners[1]) <= -depth &&
            dr_height(plane, corners[2]) <= -depth) {
            return true;
        }
    }
    return false;
}

// Both ends well above, or both well below.
static bool stays_off(const dr_slide_guest* guest, int triangle, const way* at, double reach)
{
    const dr_slide_plane* plane = &guest->planes[triangle];
    double x = dr_height(plane, at->x), q = dr_height(plane, at->q);
    return dr_least(x, q) > reach || dr_most(x, q) < -reach;
}

// How near the start is to the triangles, when that is below the shell.
static double distance_at_start(const dr_slide_search* search, const way* at,
                                const int32_t* triangles, int count)
{
    double nearest = (double)search->guest->reach;
    bool is_rigid = !search->guest->body->is_changing;
    for (int i = 0; i < count; ++i) {
        double corners[3][3], x[3], foot[3], off[3];
        if (is_rigid && fabs(dr_height(&search->guest->planes[triangles[i]], at->x)) >= nearest) {
            continue;
        }
        dr_guest_corners(search->guest, triangles[i], true, corners);
        dr_guest_carry(search->guest, triangles[i], at->x, x);
        dr_nearest_of_triangle(x, DR_POINTS(corners), foot);
        dr_sub3(x, foot, off);
        nearest = dr_least(nearest, sqrt(dr_dot3(off, off)));
    }
    return nearest;
}

typedef struct first_hit {
    dr_entry entry;
    dr_slide_plane plane;
    int triangle; // -1: none
    double x[3];  // carried along with it
} first_hit;

static bool is_before(const dr_entry* a, int a_triangle, const first_hit* b)
{
    if (b->triangle < 0 || a->time != b->entry.time) {
        return b->triangle < 0 || a->time < b->entry.time;
    }
    return a->distance != b->entry.distance ? a->distance < b->entry.distance
                                            : a_triangle < b->triangle;
}

static void try_triangle(const dr_slide_search* search, const way* at, int triangle,
                         first_hit* first, dr_slide_chunk* chunk)
{
    const dr_slide_guest* guest = search->guest;
    double corners[3][3];
    if (!guest->body->is_changing && stays_off(guest, triangle, at, at->reach)) {
        return;
    }
    dr_guest_corners(guest, triangle, true, corners);
    if (is_behind_planes(at, DR_POINTS(corners), at->reach - search->tolerance)) {
        return;
    }
    dr_entry entry;
    double x[3];
    dr_guest_carry(guest, triangle, at->x, x);
    ++chunk->exact_tests;
    if (!dr_enter_shell(x, at->q, DR_POINTS(corners), at->reach, &entry)) {
        return;
    }
    if (entry.distance < touching_share * at->reach &&
        !dr_normal3(DR_POINTS(corners), entry.normal)) {
        return;
    }
    dr_slide_plane plane = dr_guest_tangent(guest, triangle, &entry, at->reach);
    double height = dr_height(&plane, at->q);
    if (height >= -search->tolerance) {
        chunk->smallest_gap = dr_least(chunk->smallest_gap, height + at->reach);
        return;
    }
    if (is_before(&entry, triangle, first)) {
        first->entry = entry;
        first->plane = plane;
        first->triangle = triangle;
        memcpy(first->x, x, sizeof x);
    }
}

// The first triangle that the way comes too near to. The way is cut where too much is near it.
static first_hit find_first(const dr_slide_search* search, way* at, dr_slide_chunk* chunk)
{
    const double shortest = 1.0 / 1024.0;
    double along[3], from = 0.0, to = 1.0;
    first_hit first = {.triangle = -1};
    dr_sub3(at->q, at->x, along);
    while (from < 1.0) {
        int32_t triangles[MOST_NEAR];
        double a[3], b[3], lo[3], hi[3];
        dr_along3(at->x, from, along, a);
        dr_along3(at->x, to, along, b);
        dr_box_of_way(a, b, (double)search->guest->reach + search->tolerance, lo, hi);
        int count = dr_guest_query(search->guest, lo, hi, triangles, MOST_NEAR);
        ++chunk->box_tests;
        if (count > MOST_NEAR && to - from > shortest) {
            to = from + 0.5 * (to - from);
            continue;
        }
        count = count < MOST_NEAR ? count : MOST_NEAR;
        if (from == 0.0) {
            double nearest = distance_at_start(search, at, triangles, count);
            at->reach = (double)search->guest->reach;
            if (nearest < at->reach - search->tolerance) {
                at->reach = dr_least(at->reach, nearest + recovery_share * at->reach);
            }
        }
        for (int i = 0; i < count; ++i) {
            try_triangle(search, at, triangles[i], &first, chunk);
        }
        if (first.triangle >= 0 && first.entry.time <= to) {
            break;
        }
        from = to;
        to = 1.0;
    }
    return first;
}

// Where the planes found up to now leave the vertex, about.
static void slide_along(way* at, const double q[3])
{
    enum { ROUNDS = 4 };
    memcpy(at->q, q, sizeof at->q);
    for (int round = 0; round < ROUNDS; ++round) {
        for (int k = 0; k < at->hit_count; ++k) {
            double height = dr_height(&at->hits[k].plane, at->q);
            if (height < 0.0) {
                dr_along3(at->q, -height, at->hits[k].plane.normal, at->q);
            }
        }
    }
}

static void search_way(const dr_slide_search* search, way* at, dr_slide_chunk* chunk)
{
    double q[3];
    memcpy(q, at->q, sizeof q);
    read_planes(search, at);
    while (at->hit_count < MOST_NEW) {
        first_hit first = find_first(search, at, chunk);
        if (first.triangle < 0) {
            break;
        }
        dr_slide_hit* hit = &at->hits[at->hit_count];
        *hit = (dr_slide_hit){at->vertex, first.triangle, first.plane, {0.0, 0.0, 0.0}};
        memcpy(hit->anchor, first.x, sizeof hit->anchor);
        at->is_hit_inner[at->hit_count++] = first.entry.is_inner;
        at->planes[at->plane_count++] = hit->plane;
        slide_along(at, q);
        chunk->smallest_gap = dr_least(chunk->smallest_gap, first.entry.distance);
    }
    memcpy(at->q, q, sizeof q);
}

// --- Vertices ---

static void add_hits(const dr_slide_search* search, int chunk_index, const way* at)
{
    dr_slide_chunk* chunk = &search->slide->chunks[chunk_index];
    for (int k = 0; k < at->hit_count; ++k) {
        if (chunk->hit_count >= DR_SLIDE_HITS) {
            chunk->is_full = true;
            return;
        }
        search->slide->hits[chunk_index * DR_SLIDE_HITS + chunk->hit_count++] = at->hits[k];
    }
}

static void search_narrow(const dr_slide_search* search, int chunk, way* at, dr_room* room)
{
    search_way(search, at, &search->slide->chunks[chunk]);
    add_hits(search, chunk, at);
    // On the way that the vertex is on now there may be a better plane.
    if (at->hit_count > 0 && room && at->reach == (double)search->guest->reach &&
        memcmp(&room->plane, &at->hits[0].plane, sizeof room->plane) != 0) {
        room->plane = at->hits[0].plane;
        room->triangle = at->is_hit_inner[0] ? at->hits[0].triangle : -1;
        dr_room_judge(search, room);
    }
}

// The shortest way out, some of it in this step.
static void search_exit(const dr_slide_search* search, int chunk, way* at)
{
    const dr_slide_guest* guest = search->guest;
    double corners[3][3], foot[3];
    dr_slide_hit* hit = &at->hits[0];
    *hit = (dr_slide_hit){.vertex = at->vertex,
                          .triangle = dr_guest_nearest(guest, at->x, INFINITY, -1, NULL)};
    if (hit->triangle < 0) {
        return;
    }
    dr_guest_corners(guest, hit->triangle, true, corners);
    dr_guest_carry(guest, hit->triangle, at->x, hit->anchor);
    dr_nearest_of_triangle(hit->anchor, DR_POINTS(corners), foot);
    dr_sub3(foot, hit->anchor, hit->plane.normal);
    double depth = dr_unit3(hit->plane.normal), reach = (double)guest->reach;
    if (depth < touching_share * reach && !dr_normal3(DR_POINTS(corners), hit->plane.normal)) {
        return;
    }
    double out = dr_least((double)search->slide->def.exit_step, depth + reach);
    hit->plane.offset = -dr_dot3(hit->plane.normal, hit->anchor) - out;
    search->slide->chunks[chunk].smallest_gap = -depth;
    at->hit_count = dr_height(&hit->plane, at->q) < -search->tolerance ? 1 : 0;
    add_hits(search, chunk, at);
}

// True when the room tells all about the vertex.
static bool ask_room(const dr_slide_search* search, int chunk_index, dr_room* room, int vertex,
                     bool is_held)
{
    const dr_slide_guest* guest = search->guest;
    dr_slide_chunk* chunk = &search->slide->chunks[chunk_index];
    const double *x = guest->begin[vertex], *q = search->slide->place[vertex];
    double start = dr_height(&room->plane, x), end = dr_height(&room->plane, q);
    double clear = -DR_ROOM_CLEAR * search->tolerance;
    double least = (double)(guest->edge_reach - guest->reach);
    search->slide->key[vertex] = start >= least && end >= least ? room->key : DR_KEY_OTHER;
    room->is_begun = start >= clear;
    if (!room->is_begun) {
        return false;
    }
    if (end >= clear || is_held) {
        chunk->smallest_gap = dr_least(chunk->smallest_gap, end + (double)guest->reach);
        return true;
    }
    if (end >= -search->tolerance || !dr_room_meets_face(guest, room, x, q, start, end)) {
        return false;
    }
    way at;
    at.hit_count = 1;
    at.hits[0] = (dr_slide_hit){vertex, room->triangle, room->plane, {x[0], x[1], x[2]}};
    add_hits(search, chunk_index, &at);
    return true;
}

// Everything, for those that their rooms do not free of it.
static void search_fully(const dr_slide_search* search, int chunk, int vertex, dr_room* room)
{
    dr_slide* slide = search->slide;
    way at;
    at.vertex = vertex;
    at.reach = (double)search->guest->reach;
    at.plane_count = at.hit_count = 0;
    memcpy(at.x, search->guest->begin[vertex], sizeof at.x);
    memcpy(at.q, slide->place[vertex], sizeof at.q);
    if (search->guest->is_inside[vertex]) {
        search_exit(search, chunk, &at);
    } else {
        search_narrow(search, chunk, &at, room);
    }
}

static void search_vertex(const dr_slide_search* search, int chunk, int vertex, double cover)
{
    dr_slide* slide = search->slide;
    dr_slide_guest* guest = search->guest;
    const double *x = guest->begin[vertex], *q = slide->place[vertex];
    bool is_held = search->limits->hold[vertex] != DR_HOLD_FREE;
    dr_room* room = NULL;
    slide->key[vertex] = DR_KEY_OTHER;
    if (!guest->body->is_changing && !guest->is_inside[vertex]) {
        room = &guest->rooms[vertex];
        if (!dr_room_fits(room, x, q, cover)) {
            dr_room_renew(search, x, q, cover, room, &slide->chunks[chunk]);
        }
        room->is_begun = true;
        if (room->kind == DR_ROOM_FREE) {
            slide->key[vertex] = DR_KEY_FREE;
            return;
        }
        if (room->kind == DR_ROOM_PLANE && ask_room(search, chunk, room, vertex, is_held)) {
            return;
        }
    }
    if (!is_held) {
        search_fully(search, chunk, vertex, room);
    }
}

// --- Chunks ---

static void merge_turned(const dr_frame* frame, const float box[6], double lo[3], double hi[3])
{
    double middle[3], half[3];
    for (int c = 0; c < 3; ++c) {
        middle[c] = 0.5 * ((double)box[c] + (double)box[c + 3]);
        half[c] = 0.5 * ((double)box[c + 3] - (double)box[c]);
    }
    dr_frame_in(frame, middle, middle);
    for (int c = 0; c < 3; ++c) {
        double more = fabs(frame->turn[0][c]) * half[0] + fabs(frame->turn[1][c]) * half[1] +
                      fabs(frame->turn[2][c]) * half[2];
        lo[c] = dr_least(lo[c], middle[c] - more);
        hi[c] = dr_most(hi[c], middle[c] + more);
    }
}

static bool is_chunk_near(const dr_slide_search* search, int chunk)
{
    const dr_slide_guest* guest = search->guest;
    double lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY};
    double more = search->longest + 2.0 * (double)guest->reach;
    merge_turned(&guest->start, search->slide->start_box[chunk], lo, hi);
    merge_turned(&guest->end, search->slide->end_box[chunk], lo, hi);
    for (int c = 0; c < 3; ++c) {
        if (lo[c] - more > guest->root_hi[c] || hi[c] + more < guest->root_lo[c]) {
            return false;
        }
    }
    return true;
}

// Starts in the frame, once a step.
static void begin_chunk(const dr_slide_search* search, int chunk, int first, int end)
{
    dr_slide_guest* guest = search->guest;
    if (guest->begun[chunk] == search->slide->step) {
        return;
    }
    guest->begun[chunk] = search->slide->step;
    for (int v = first; v < end; ++v) {
        dr_slide_start(search, v, guest->begin[v]);
        guest->rooms[v].is_begun = false;
    }
}

// Most vertices need no more than this: their rooms say that they are fine.
static void search_near_chunk(const dr_slide_search* search, int chunk, int first, int end)
{
    dr_slide* slide = search->slide;
    dr_slide_guest* guest = search->guest;
    const dr_frame frame = guest->end;
    double cover = search->longest + (double)guest->reach, lowest = INFINITY;
    double clear = -DR_ROOM_CLEAR * search->tolerance;
    begin_chunk(search, chunk, first, end);
    for (int v = first; v < end; ++v) {
        const dr_room* room = &guest->rooms[v];
        double place[3], *q = slide->place[v];
        dr_read3(search->sheets->end[v], place);
        dr_frame_in(&frame, place, q);
        bool is_fine = room->is_begun && (double)room->cover >= cover && dr_room_has(room, q);
        double height = room->kind == DR_ROOM_PLANE ? dr_height(&room->plane, q) : INFINITY;
        if (is_fine && room->kind != DR_ROOM_MIXED && height >= clear) {
            slide->key[v] = room->key;
            lowest = dr_least(lowest, height);
        } else {
            search_vertex(search, chunk, v, cover);
        }
    }
    slide->chunks[chunk].smallest_gap =
        dr_least(slide->chunks[chunk].smallest_gap, lowest + (double)guest->reach);
}

void dr_slide_search_chunk(const dr_slide_search* search, int chunk_index)
{
    dr_slide* slide = search->slide;
    dr_slide_chunk* chunk = &slide->chunks[chunk_index];
    int first = chunk_index * DR_SLIDE_CHUNK;
    int end = first + DR_SLIDE_CHUNK;
    end = end < slide->vertex_count ? end : slide->vertex_count;
    chunk->is_near = is_chunk_near(search, chunk_index);
    chunk->is_full = false;
    chunk->hit_count = 0;
    chunk->box_tests = 1;
    chunk->exact_tests = 0;
    chunk->smallest_gap = INFINITY;
    if (!chunk->is_near) {
        for (int v = first; v < end; ++v) {
            slide->key[v] = DR_KEY_FREE;
        }
        return;
    }
    search_near_chunk(search, chunk_index, first, end);
}
