// Contacts of the chunks of a cloth with a body, from the pairs that the search found.
#include <math.h>
#include <string.h>

#include "collide/tree_query.h"
#include "core/vec_math.h"
#include "scene/apart_step.h"
#include "scene/predict_step.h"
#include "scene/mesh_link.h"

// Gaps of lanes without contact.
#define UNREACHABLE 1e30f

// --- Contacts ---

static dr_touch_args args_of(const drape_world* world, const dr_contact_run* run, int* test_count)
{
    float radius = run->range.radius;
    bool is_last = world->substep.share_end > 1.0f - 0.5f * world->substep.h_share;
    return (dr_touch_args){.kernels = dr_touch_kernels_for(world->isa),
                           .sheet = run->cloth->sheet,
                           .obstacle = dr_run_obstacle(world, run),
                           .relief = &run->link->relief,
                           .local = run->link->local,
                           .ahead = run->link->ahead,
                           .range = run->range,
                           .feature_radius = {0.5f * radius, radius},
                           .feature_static = {0.5f * radius, radius},
                           .near = run->link->near,
                           .looks_deep = is_last,
                           .moved = run->link->moved,
                           .body_moved = run->link->body_moved,
                           .test_count = test_count,
                           .friction = run->friction};
}

static dr_touch_list list_of(const dr_candidates* candidates, int index)
{
    int32_t first = candidates->start[index], count = candidates->size[index];
    // With nothing near there are no arrays to point into.
    return count == 0 ? (dr_touch_list){0}
                      : (dr_touch_list){(const int32_t*)candidates->list.data + first,
                                        (float*)candidates->bounds.data + first, count};
}

// Puts contacts between vertices into the run, as many as there is room for.
static void add_singles(dr_contact_run* run, const dr_contact1* contacts, int count)
{
    for (int i = 0; i < count; ++i) {
        if (run->single_count < run->single_room) {
            run->singles[run->single_count] = contacts[i];
        }
        ++run->single_count;
    }
}

static void set_lane(dr_contact8* eight, int lane, const dr_contact1* contact)
{
    const float n[3] = {contact->normal.x, contact->normal.y, contact->normal.z};
    const float a[3] = {contact->anchor.x, contact->anchor.y, contact->anchor.z};
    for (int c = 0; c < 3; ++c) {
        eight->normal[c][lane] = n[c];
        eight->anchor[c][lane] = a[c];
    }
    eight->gap[lane] = contact->gap;
    ++eight->count;
}

// The contacts of eight vertices: the most urgent of each into `eight` (null: all as singles).
static void detect_vector(const drape_world* world, const dr_touch_args* args, dr_contact_run* run,
                          int vector, dr_contact8* eight)
{
    dr_contact1 made[DR_TOUCH_MOST];
    for (int lane = 0; lane < 8; ++lane) {
        int slot = vector * 8 + lane, taken = 0;
        dr_touch_list list = list_of(&run->link->triangles, slot);
        run->link->nearest[slot] = INFINITY;
        if (list.count == 0 || !(dr_sheet_inverse_mass(args->sheet, slot) > 0.0f) ||
            dr_world_is_torn(world, run->cloth, slot)) {
            continue;
        }
        int found = dr_touch_point(args, slot, &list, made, &run->link->nearest[slot]);
        if (found > 0 && eight) {
            set_lane(eight, lane, &made[0]);
            taken = 1;
        }
        add_singles(run, made + taken, found - taken);
    }
}

static void detect_points(const drape_world* world, const dr_touch_args* args, dr_contact_run* run,
                          bool again)
{
    int first = run->chunk * DR_CHUNK_VECTORS, last = first + DR_CHUNK_VECTORS;
    last = last < args->sheet->vector_count ? last : args->sheet->vector_count;
    const int32_t* size = run->link->triangles.size;
    for (int vector = first; vector < last; ++vector) {
        int all = 0;
        for (int lane = 0; lane < 8; ++lane) {
            all += size[vector * 8 + lane];
        }
        if (all == 0) {
            continue;
        }
        if (again) {
            detect_vector(world, args, run, vector, NULL);
            continue;
        }
        dr_contact8* eight = &run->contacts[run->count];
        memset(eight, 0, sizeof *eight);
        eight->vector = vector;
        for (int lane = 0; lane < 8; ++lane) {
            eight->gap[lane] = UNREACHABLE;
        }
        detect_vector(world, args, run, vector, eight);
        run->count += eight->count > 0;
    }
}

// An edge or triangle with a vertex in a chunk that is not near cannot come near either.
static bool is_near(const dr_mesh_link* link, const int32_t* slots, int count)
{
    bool is_near = true;
    for (int i = 0; i < count; ++i) {
        is_near = is_near && link->chunk_state[slots[i] / (8 * DR_CHUNK_VECTORS)] != DR_CHUNK_FAR;
    }
    return is_near;
}

// What is torn out of shape passes.
static bool is_torn(const drape_world* world, const dr_contact_run* run, const int32_t* slots,
                    int count)
{
    bool is_any = false;
    for (int i = 0; i < count; ++i) {
        is_any |= dr_world_is_torn(world, run->cloth, slots[i]);
    }
    return is_any;
}

static void detect_features(const drape_world* world, const dr_touch_args* args,
                            dr_contact_run* run)
{
    const dr_cloth* cloth = run->cloth;
    const dr_mesh* mesh = &cloth->shell->mesh;
    dr_contact1 made[DR_TOUCH_MOST];
    for (int e = cloth->edge_start[run->chunk]; e < cloth->edge_start[run->chunk + 1]; ++e) {
        dr_touch_list list = list_of(&run->link->edges, e);
        const int32_t* v = mesh->edges[e].v;
        if (list.count > 0 && is_near(run->link, v, 2) && !is_torn(world, run, v, 2)) {
            add_singles(run, made, dr_touch_edge(args, v, &list, made));
        }
    }
    for (int f = cloth->face_start[run->chunk]; f < cloth->face_start[run->chunk + 1]; ++f) {
        dr_touch_list list = list_of(&run->link->points, f);
        const int32_t* v = mesh->triangles[f];
        if (list.count > 0 && is_near(run->link, v, 3) && !is_torn(world, run, v, 3)) {
            add_singles(run, made, dr_touch_face(args, v, &list, made));
        }
    }
}

bool dr_mesh_run_detect(const drape_world* world, dr_contact_run* run, bool again)
{
    dr_touch_args args = args_of(world, run, &run->test_count);
    run->single_count = 0;
    run->test_count = 0;
    run->count = again ? run->count : 0;
    detect_points(world, &args, run, again);
    detect_features(world, &args, run);
    return run->single_count <= run->single_room;
}

// --- The last word ---

// Where a vertex is after a contact has moved it.
static void frame_slot(const dr_touch_args* args, dr_mesh_link* link, int32_t slot)
{
    const dr_obstacle* obstacle = args->obstacle;
    drape_vec3 pos = dr_sheet_get(args->sheet->layout, args->sheet->pos, slot);
    drape_vec3 end = dr_add(obstacle->place, obstacle->shift);
    drape_vec3 q = dr_matrix_apply_transposed(obstacle->rotation_end, dr_sub(pos, end));
    float *local = link->local + (size_t)slot * 4, *ahead = link->ahead + (size_t)slot * 4;
    ahead[0] = q.x;
    ahead[1] = q.y;
    ahead[2] = q.z;
    local[3] = dr_length(dr_sub(q, (drape_vec3){local[0], local[1], local[2]}));
}

// Takes a vertex to where it was on the body when the substep began.
static void put_back(const dr_touch_args* args, dr_mesh_link* link, int32_t slot)
{
    const dr_obstacle* obstacle = args->obstacle;
    const float* p = link->local + (size_t)slot * 4;
    drape_vec3 end = dr_add(obstacle->place, obstacle->shift);
    drape_vec3 turned = dr_matrix_apply(obstacle->rotation_end, (drape_vec3){p[0], p[1], p[2]});
    if (dr_sheet_inverse_mass(args->sheet, slot) > 0.0f) {
        dr_sheet_set(args->sheet->layout, args->sheet->pos, slot, dr_add(end, turned));
    }
}

// Answers what an edge (of two slots) or triangle (of three) has gone through.
static bool guard_feature(const dr_touch_args* args, dr_mesh_link* link, int feature,
                          const int32_t* slots, int count, bool holds_back)
{
    dr_touch_list list = list_of(count == 2 ? &link->edges : &link->points, feature);
    if (list.count == 0 || !is_near(link, slots, count)) {
        return false;
    }
    dr_contact1 made[DR_TOUCH_MOST];
    int found = count == 2 ? dr_touch_edge(args, slots, &list, made)
                           : dr_touch_face(args, slots, &list, made);
    if (!holds_back) {
        dr_contact_resolve(args->sheet, made, found);
    }
    for (int i = 0; i < count && found > 0; ++i) {
        if (holds_back) {
            put_back(args, link, slots[i]);
        }
        frame_slot(args, link, slots[i]);
    }
    return found > 0;
}

// What is on its way out of a body is not held by it, nor what is torn.
static bool may_pass(const drape_world* world, const dr_contact_run* run, const int32_t* slots,
                     int count)
{
    return dr_world_is_leaving(world, run->cloth, slots, count, run->obstacle) ||
           is_torn(world, run, slots, count);
}

static bool guard_run(const drape_world* world, dr_contact_run* run, bool holds_back)
{
    dr_touch_args args = args_of(world, run, &run->test_count);
    const dr_cloth* cloth = run->cloth;
    const dr_mesh* mesh = &cloth->shell->mesh;
    bool is_any = false;
    args.guards = true;
    for (int e = cloth->edge_start[run->chunk]; e < cloth->edge_start[run->chunk + 1]; ++e) {
        is_any |= !may_pass(world, run, mesh->edges[e].v, 2) &&
                  guard_feature(&args, run->link, e, mesh->edges[e].v, 2, holds_back);
    }
    for (int f = cloth->face_start[run->chunk]; f < cloth->face_start[run->chunk + 1]; ++f) {
        is_any |= !may_pass(world, run, mesh->triangles[f], 3) &&
                  guard_feature(&args, run->link, f, mesh->triangles[f], 3, holds_back);
    }
    return is_any;
}

static bool has_features(const dr_mesh_link* link)
{
    const dr_features* features = &link->relief.features;
    return features->edges.count + features->points.count > 0;
}

// True when something was gone through in the last round as well.
static bool guard_rounds(drape_world* world, int rounds, bool holds_back)
{
    bool is_any = true;
    for (int round = 0; round < rounds && is_any; ++round) {
        is_any = false;
        for (int i = 0; i < world->run_count; ++i) {
            dr_contact_run* run = &world->runs[i];
            is_any |= run->link && has_features(run->link) && guard_run(world, run, holds_back);
        }
    }
    return is_any;
}

static bool any_features(const drape_world* world)
{
    bool is_any = false;
    for (int i = 0; i < world->run_count; ++i) {
        is_any = is_any || (world->runs[i].link && has_features(world->runs[i].link));
    }
    return is_any;
}

bool dr_world_guard_features(drape_world* world)
{
    enum { rounds = 3 }; // one answer may push the next feature through
    if (!any_features(world)) {
        return true;
    }
    dr_world_frame_links(world);
    return !guard_rounds(world, rounds, false);
}

// Where planes are at odds, as around the rim of a thin plate, only the start of the substep is
// sure to be free. What is put back may leave its neighbours crossing, so it goes on from ring to
// ring.
void dr_world_hold_back(drape_world* world)
{
    enum { rounds = 16 };
    if (any_features(world)) {
        dr_world_frame_links(world);
        guard_rounds(world, rounds, true);
    }
}

// A way that is longer than what the pairs were searched for: all triangles along it, from the
// tree. False when there are more than `room`.
static bool list_along(const dr_mesh_link* link, int slot, int32_t* triangles, int room, int* count)
{
    const float *p = link->local + (size_t)slot * 4, *q = link->ahead + (size_t)slot * 4;
    drape_vec3 lo = {fminf(p[0], q[0]), fminf(p[1], q[1]), fminf(p[2], q[2])};
    drape_vec3 hi = {fmaxf(p[0], q[0]), fmaxf(p[1], q[1]), fmaxf(p[2], q[2])};
    *count = dr_tree_box_query(&link->body->shell.tree, lo, hi, triangles, room);
    return *count <= room;
}

// Cuts a way short, so that the pairs of the search are enough.
static void keep_in_reach(dr_mesh_link* link, int slot)
{
    float *p = link->local + (size_t)slot * 4, *q = link->ahead + (size_t)slot * 4;
    float share = 0.999f * dr_link_reach(link, slot) / p[3];
    for (int c = 0; c < 3; ++c) {
        q[c] = p[c] + share * (q[c] - p[c]);
    }
}

static bool guard_vertex(const dr_touch_args* args, dr_mesh_link* link, int slot, drape_vec3* place)
{
    enum { most_along = 512 };
    int32_t along[most_along];
    float way = link->local[(size_t)slot * 4 + 3];
    dr_touch_list list = list_of(&link->triangles, slot);
    bool is_cut = false;
    // No smaller than the boxes that vertices have kept within.
    if (way >= dr_link_reach(link, slot)) {
        is_cut = !list_along(link, slot, along, most_along, &list.count);
        if (is_cut) {
            list = list_of(&link->triangles, slot);
            keep_in_reach(link, slot);
        } else {
            list.features = along;
        }
    }
    return dr_touch_guard(args, slot, &list, place) || is_cut;
}

void dr_mesh_run_guard(const drape_world* world, dr_contact_run* run)
{
    dr_touch_args args = args_of(world, run, &run->test_count);
    dr_mesh_link* link = run->link;
    const dr_sheet* sheet = args.sheet;
    dr_link_frame(world, link, args.obstacle, run->chunk, false);
    int first = run->chunk * DR_CHUNK_VECTORS * 8, last = first + DR_CHUNK_VECTORS * 8;
    last = last < dr_link_slots(run->cloth) ? last : dr_link_slots(run->cloth);
    run->has_put_back = false;
    for (int slot = first; slot < last; ++slot) {
        // Nothing is met on a way that is shorter than the distance from everything.
        float way = link->local[(size_t)slot * 4 + 3];
        bool is_safe =
            way + link->body_way < link->nearest[slot] && way < dr_link_reach(link, slot);
        drape_vec3 place;
        if (!is_safe && dr_sheet_inverse_mass(sheet, slot) > 0.0f &&
            !dr_world_is_torn(world, run->cloth, slot) && guard_vertex(&args, link, slot, &place)) {
            dr_sheet_set(sheet->layout, sheet->pos, slot, place);
            run->has_put_back = true;
        }
    }
}

// --- Report ---

float dr_mesh_run_gap(const drape_world* world, const dr_contact_run* run)
{
    int tests = 0;
    dr_touch_args args = args_of(world, run, &tests);
    dr_mesh_link* link = run->link;
    // The committed places at the end of the last substep.
    dr_obstacle now = *args.obstacle;
    now.place = dr_add(now.place, now.shift);
    now.shift = (drape_vec3){0.0f, 0.0f, 0.0f};
    memcpy(now.rotation, now.rotation_end, sizeof now.rotation);
    now.share_start = now.share_end;
    args.obstacle = &now;
    dr_link_frame(world, link, &now, run->chunk, false);
    float smallest = link->near;
    int first = run->chunk * DR_CHUNK_VECTORS * 8, last = first + DR_CHUNK_VECTORS * 8;
    last = last < dr_link_slots(run->cloth) ? last : dr_link_slots(run->cloth);
    for (int slot = first; slot < last; ++slot) {
        dr_touch_list list = list_of(&link->triangles, slot);
        if (list.count > 0) {
            smallest = fminf(smallest, dr_touch_distance(&args, slot, &list, smallest));
        }
    }
    return smallest;
}
