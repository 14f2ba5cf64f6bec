// What of a cloth is near what of a body: all of it, or what has left its boxes.
#include <math.h>
#include <string.h>

#include "collide/tree_query.h"
#include "scene/mesh_link.h"

// --- Boxes ---

// Places of slots that no triangle has: nothing leaves such a box.
#define EVERYWHERE 1e30f

// The box of a search: the way of some substeps, not far against the triangles of the cloth; the
// reach and some room around it.
static void make_box(dr_mesh_link* link, int slot)
{
    const dr_cloth* cloth = link->cloth;
    const int32_t* start = cloth->shell->mesh.vertex_triangle_start;
    bool is_used = start[slot + 1] > start[slot];
    float way = link->ahead[(size_t)slot * 4 + 3];
    float substeps = fminf(fmaxf(0.1f * cloth->edge_max / way, 2.0f), 100.0f);
    float room = fmaxf(0.5f * cloth->thickness, 0.05f * cloth->edge_max);
    float by = dr_link_reach(link, slot) + room;
    for (int c = 0; c < 3; ++c) {
        size_t k = (size_t)slot * 4 + (size_t)c;
        float p = link->local[k], q = p + substeps * (link->ahead[k] - p);
        link->lo[k] = is_used ? (p < q ? p : q) - by : -EVERYWHERE;
        link->hi[k] = is_used ? (p < q ? q : p) + by : EVERYWHERE;
    }
}

static bool is_out(const dr_mesh_link* link, int slot)
{
    // A little more than the reach: sums are rounded.
    float reach = 1.0001f * dr_link_reach(link, slot);
    bool is_within = true;
    for (size_t k = (size_t)slot * 4; k < (size_t)slot * 4 + 3; ++k) {
        float p = link->local[k], q = link->ahead[k];
        float least = p < q ? p : q, most = p < q ? q : p;
        is_within = is_within && least - link->lo[k] > reach && link->hi[k] - most > reach;
    }
    return !is_within;
}

// Marks the slots that have left their boxes, and gives them new ones; returns their number.
static int renew_boxes(dr_mesh_link* link)
{
    int count = 0;
    memset(link->is_stale, 0, (size_t)dr_link_slots(link->cloth));
    for (int slot = 0; slot < dr_link_slots(link->cloth); ++slot) {
        if (link->chunk_state[slot / (DR_CHUNK_VECTORS * 8)] == DR_CHUNK_LEFT &&
            is_out(link, slot)) {
            link->is_stale[slot] = 1;
            make_box(link, slot);
            ++count;
        }
    }
    return count;
}

// --- All of it ---

// Sizes and starts of the lists that the pairs make. `side` of a pair is the cloth's.
static void place_lists(dr_candidates* out, const dr_array* pairs, int side)
{
    const int32_t(*pair)[2] = pairs->data;
    memset(out->size, 0, sizeof *out->size * (size_t)out->count);
    for (int i = 0; i < pairs->count; ++i) {
        ++out->size[pair[i][side]];
    }
    out->list.count = 0;
    for (int i = 0; i < out->count; ++i) {
        out->start[i] = out->list.count;
        out->list.count += out->size[i];
        out->size[i] = 0;
    }
}

// Room for these pairs, and for those of later searches of parts.
static bool make_room(dr_candidates* out, dr_memory* memory, int count)
{
    enum { least = 1024 };
    if (out->list.capacity >= count + least) {
        return true;
    }
    return dr_array_reserve(memory, &out->list, sizeof(int32_t), count + count / 2 + least) &&
           dr_array_reserve(memory, &out->bounds, sizeof(float), out->list.capacity);
}

// Sorts pairs by the feature of the cloth.
static bool sort_pairs(dr_candidates* out, dr_memory* memory, const dr_array* pairs, int side)
{
    const int32_t(*pair)[2] = pairs->data;
    if (!make_room(out, memory, pairs->count)) {
        return false;
    }
    place_lists(out, pairs, side);
    int32_t* list = out->list.data;
    for (int i = 0; i < pairs->count; ++i) {
        int32_t mine = pair[i][side];
        list[out->start[mine] + out->size[mine]++] = pair[i][1 - side];
    }
    memset(out->bounds.data, 0, sizeof(float) * (size_t)pairs->count);
    return true;
}

static bool search_all(drape_world* world, dr_mesh_link* link, const dr_obstacle* obstacle)
{
    const dr_shell *cloth = link->cloth->shell, *body = &link->body->shell;
    dr_memory* memory = &world->memory;
    for (int chunk = 0; chunk < link->cloth->chunk_count; ++chunk) {
        dr_link_frame(world, link, obstacle, chunk, true);
    }
    for (int slot = 0; slot < dr_link_slots(link->cloth); ++slot) {
        make_box(link, slot);
    }
    memset(link->moved, 0, sizeof *link->moved * (size_t)dr_link_slots(link->cloth));
    link->body_moved = 0.0f;
    dr_motion motion = {.start = link->lo, .end = link->hi, .stride = 4};
    dr_shell_refit(link->cloth->shell, world->pool, &motion);
    const dr_array* lists = link->search.lists;
    link->is_valid =
        dr_feature_pairs_between(&link->search, memory, world->pool, &cloth->tree, &cloth->features,
                                 &body->tree, &link->relief.features, NULL) &&
        sort_pairs(&link->triangles, memory, &lists[DR_PAIRS_POINT_TRIANGLE], 0) &&
        sort_pairs(&link->edges, memory, &lists[DR_PAIRS_EDGE_EDGE], 0) &&
        sort_pairs(&link->points, memory, &lists[DR_PAIRS_TRIANGLE_POINT], 1) &&
        dr_array_reserve(memory, &link->along, sizeof(int32_t), DR_LINK_ALONG);
    world->report.box_tests += link->search.box_tests;
    return link->is_valid;
}

// --- Parts of it ---

// The box of a feature of the cloth.
static void box_of(const dr_mesh_link* link, const int32_t* slots, int count, drape_vec3 box[2])
{
    box[0] = (drape_vec3){EVERYWHERE, EVERYWHERE, EVERYWHERE};
    box[1] = (drape_vec3){-EVERYWHERE, -EVERYWHERE, -EVERYWHERE};
    for (int i = 0; i < count; ++i) {
        const float *lo = link->lo + (size_t)slots[i] * 4, *hi = link->hi + (size_t)slots[i] * 4;
        box[0] =
            (drape_vec3){fminf(box[0].x, lo[0]), fminf(box[0].y, lo[1]), fminf(box[0].z, lo[2])};
        box[1] =
            (drape_vec3){fmaxf(box[1].x, hi[0]), fmaxf(box[1].y, hi[1]), fmaxf(box[1].z, hi[2])};
    }
}

// Whether a box meets that of some vertices of the body, on all of their way.
static bool meets_box(const dr_body* body, const int32_t* vertices, int count,
                      const drape_vec3 box[2])
{
    const float lo[3] = {box[0].x, box[0].y, box[0].z}, hi[3] = {box[1].x, box[1].y, box[1].z};
    for (int c = 0; c < 3; ++c) {
        float least = INFINITY, most = -INFINITY;
        for (int i = 0; i < count; ++i) {
            size_t k = (size_t)vertices[i] * 4 + (size_t)c;
            float from = body->from[k], to = body->is_changing ? body->to[k] : from;
            least = fminf(least, fminf(from, to));
            most = fmaxf(most, fmaxf(from, to));
        }
        if (most < lo[c] || least > hi[c]) {
            return false;
        }
    }
    return true;
}

// Ends a list that was begun behind all others.
static void end_list(dr_candidates* out, int feature, int count)
{
    out->start[feature] = out->list.count;
    out->size[feature] = count;
    memset((float*)out->bounds.data + out->list.count, 0, sizeof(float) * (size_t)count);
    out->list.count += count;
}

static bool renew_slot(dr_mesh_link* link, int32_t slot)
{
    dr_candidates* out = &link->triangles;
    drape_vec3 box[2];
    box_of(link, &slot, 1, box);
    int room = out->list.capacity - out->list.count;
    int count = dr_tree_box_query(&link->body->shell.tree, box[0], box[1],
                                  (int32_t*)out->list.data + out->list.count, room);
    if (count <= room) {
        end_list(out, slot, count);
    }
    return count <= room;
}

// Edges (for an edge of the cloth) or vertices (for a triangle) of the body that stand out and are
// owned by the triangles near, which come in the order of the tree.
static int collect_owned(const dr_mesh_link* link, int near_count, bool edges,
                         const drape_vec3 box[2], int32_t* out, int room)
{
    const dr_mesh* mesh = &link->body->shell.mesh;
    const int32_t* near = link->along.data;
    int count = 0;
    for (int i = 0; i < near_count; ++i) {
        const int32_t* v = mesh->triangles[near[i]];
        for (int k = 0; k < 3; ++k) {
            const int32_t pair[2] = {v[k], v[(k + 1) % 3]};
            bool is_owned = link->relief.owned[near[i]] >> (edges ? 3 + k : k) & 1;
            if (is_owned && meets_box(link->body, pair, edges ? 2 : 1, box)) {
                if (count < room) {
                    out[count] = edges ? mesh->triangle_edges[3 * near[i] + (k + 2) % 3] : v[k];
                }
                ++count;
            }
        }
    }
    return count;
}

static bool renew_feature(dr_mesh_link* link, dr_candidates* out, int feature, const int32_t* slots,
                          int slot_count)
{
    drape_vec3 box[2];
    box_of(link, slots, slot_count, box);
    int near =
        dr_tree_box_query(&link->body->shell.tree, box[0], box[1], link->along.data, DR_LINK_ALONG);
    int room = out->list.capacity - out->list.count;
    int count = near <= DR_LINK_ALONG
                    ? collect_owned(link, near, slot_count == 2, box,
                                    (int32_t*)out->list.data + out->list.count, room)
                    : room + 1;
    if (count <= room) {
        end_list(out, feature, count);
    }
    return count <= room;
}

// Whether a slot is the first one of a feature that is marked: each feature is searched for once.
static bool is_first(const dr_mesh_link* link, const int32_t* slots, int count, int32_t slot)
{
    for (int i = 0; i < count; ++i) {
        if (link->is_stale[slots[i]]) {
            return slots[i] == slot;
        }
    }
    return false;
}

// The features around a slot. An edge belongs to two triangles: the first one renews it.
static bool renew_features(dr_mesh_link* link, int32_t slot)
{
    const dr_mesh* mesh = &link->cloth->shell->mesh;
    bool done = true;
    for (int i = mesh->vertex_triangle_start[slot]; i < mesh->vertex_triangle_start[slot + 1];
         ++i) {
        int32_t face = mesh->vertex_triangle_list[i];
        if (is_first(link, mesh->triangles[face], 3, slot)) {
            done = done && renew_feature(link, &link->points, face, mesh->triangles[face], 3);
        }
        for (int k = 0; k < 3; ++k) {
            const dr_edge* edge = &mesh->edges[mesh->triangle_edges[3 * face + k]];
            bool is_mine = edge->t[0] == face && is_first(link, edge->v, 2, slot);
            if (is_mine) {
                done = done &&
                       renew_feature(link, &link->edges, (int)(edge - mesh->edges), edge->v, 2);
            }
        }
    }
    return done;
}

// Searches for what has new boxes; false when there is no room for it.
static bool search_stale(dr_mesh_link* link)
{
    const dr_features* features = &link->relief.features;
    bool has_features = features->points.count + features->edges.count > 0;
    for (int slot = 0; slot < dr_link_slots(link->cloth); ++slot) {
        if (link->is_stale[slot] &&
            (!renew_slot(link, slot) || (has_features && !renew_features(link, slot)))) {
            return false;
        }
    }
    return true;
}

bool dr_link_search(drape_world* world, dr_mesh_link* link, const dr_obstacle* obstacle)
{
    if (link->is_valid) {
        // Of much it is quicker to search for all.
        int most = dr_link_slots(link->cloth) / 4;
        if (renew_boxes(link) < most && search_stale(link)) {
            return true;
        }
    }
    return search_all(world, link, obstacle);
}
