#include "scene/mesh_link.h"

#include <math.h>
#include <string.h>

#include "collide/tree_query.h"
#include "core/vec_math.h"

// Places of slots that no triangle has: nothing leaves such a box.
#define EVERYWHERE 1e30f

static size_t float_count(const dr_cloth* cloth)
{
    return (size_t)cloth->xpbd.sheet.vector_count * 32;
}

static int slot_count(const dr_cloth* cloth)
{
    return cloth->xpbd.sheet.vector_count * 8;
}

// --- The cloth as a shell ---

// A shell over the slots of the cloth: its triangles are the cloth's faces, and its edges, sorted by
// their lowest slot, lie in the order of the chunks.
static dr_shell* make_shell(drape_world* world, const dr_cloth* cloth)
{
    const dr_sheet* sheet = &cloth->xpbd.sheet;
    dr_memory* memory = &world->memory;
    int count = slot_count(cloth);
    drape_vec3* places = dr_new_zeroed(memory, drape_vec3, count);
    dr_shell* shell = dr_new_zeroed(memory, dr_shell, 1);
    dr_mesh mesh = {0};
    char sentence[256];
    bool made = places && shell;
    for (int v = 0; made && v < cloth->mesh.vertex_count; ++v) {
        places[sheet->slot_of_vertex[v]] = cloth->mesh.rest[v];
    }
    if (made) {
        drape_mesh_view view = {.positions = places,
                                .triangles = cloth->face_slots[0],
                                .vertex_count = count,
                                .triangle_count = cloth->mesh.triangle_count};
        made = dr_mesh_build(&mesh, memory, &view, NULL, sentence, sizeof sentence) &&
               dr_shell_create(shell, memory, &mesh, world->isa, true);
        dr_mesh_free(&mesh, memory);
    }
    if (!made) {
        dr_delete(memory, shell, 1);
        shell = NULL;
    }
    dr_delete(memory, places, count);
    return shell;
}

// --- Links ---

static bool candidates_create(dr_candidates* of, dr_memory* memory, int count)
{
    of->count = count;
    of->start = dr_new_zeroed(memory, int32_t, count + 1);
    return of->start != NULL;
}

static void candidates_free(dr_candidates* of, dr_memory* memory)
{
    dr_delete(memory, of->start, of->start ? of->count + 1 : 0);
    dr_array_free(memory, &of->list, sizeof(int32_t));
    dr_array_free(memory, &of->bounds, sizeof(float));
}

static void link_destroy(dr_mesh_link* link, dr_memory* memory)
{
    size_t floats = float_count(link->cloth);
    dr_delete(memory, link->local, floats);
    dr_delete(memory, link->ahead, floats);
    dr_delete(memory, link->lo, floats);
    dr_delete(memory, link->hi, floats);
    dr_delete(memory, link->nearest, slot_count(link->cloth));
    dr_delete(memory, link->room, link->cloth->chunk_count);
    dr_delete(memory, link->is_chunk_near, link->cloth->chunk_count);
    dr_pair_search_free(&link->search, memory);
    if (link->has_relief) {
        dr_relief_free(&link->relief, memory, link->body);
    }
    candidates_free(&link->triangles, memory);
    candidates_free(&link->edges, memory);
    candidates_free(&link->points, memory);
    dr_delete(memory, link, 1);
}

static dr_mesh_link* link_create(dr_memory* memory, dr_cloth* cloth, const dr_body* body)
{
    dr_mesh_link* link = dr_new_zeroed(memory, dr_mesh_link, 1);
    if (!link) {
        return NULL;
    }
    size_t floats = float_count(cloth);
    link->cloth = cloth;
    link->body = body;
    link->local = dr_new_zeroed(memory, float, floats);
    link->ahead = dr_new_zeroed(memory, float, floats);
    link->lo = dr_new_zeroed(memory, float, floats);
    link->hi = dr_new_zeroed(memory, float, floats);
    link->nearest = dr_new_zeroed(memory, float, slot_count(cloth));
    link->room = dr_new_zeroed(memory, int32_t, cloth->chunk_count);
    link->is_chunk_near = dr_new_zeroed(memory, uint8_t, cloth->chunk_count);
    bool lists = candidates_create(&link->triangles, memory, slot_count(cloth)) &&
                 candidates_create(&link->edges, memory, cloth->shell->mesh.edge_count) &&
                 candidates_create(&link->points, memory, cloth->shell->mesh.triangle_count);
    link->has_relief =
        dr_relief_create(&link->relief, memory, body, cloth->edge_max, 0.5f * cloth->thickness);
    if (!lists || !link->has_relief || !link->local || !link->ahead || !link->lo || !link->hi ||
        !link->nearest || !link->room || !link->is_chunk_near) {
        link_destroy(link, memory);
        return NULL;
    }
    return link;
}

dr_mesh_link* dr_world_link(drape_world* world, dr_cloth* cloth, const dr_body* body)
{
    for (int i = 0; i < world->links.count; ++i) {
        dr_mesh_link* link = ((dr_mesh_link**)world->links.data)[i];
        if (link->cloth == cloth && link->body == body) {
            return link;
        }
    }
    if (!cloth->shell) {
        cloth->shell = make_shell(world, cloth);
    }
    dr_mesh_link* link = cloth->shell ? link_create(&world->memory, cloth, body) : NULL;
    dr_mesh_link** place = link ? dr_array_push(&world->memory, &world->links, sizeof link) : NULL;
    if (place) {
        *place = link;
        return link;
    }
    if (link) {
        link_destroy(link, &world->memory);
    }
    return NULL;
}

void dr_world_drop_links(drape_world* world, const dr_cloth* cloth, const dr_body* body)
{
    dr_mesh_link** links = world->links.data;
    int kept = 0;
    for (int i = 0; i < world->links.count; ++i) {
        if (links[i]->cloth == cloth || links[i]->body == body) {
            link_destroy(links[i], &world->memory);
        } else {
            links[kept++] = links[i];
        }
    }
    world->links.count = kept;
}

void dr_world_free_links(drape_world* world)
{
    dr_mesh_link** links = world->links.data;
    for (int i = 0; i < world->links.count; ++i) {
        link_destroy(links[i], &world->memory);
    }
    dr_array_free(&world->memory, &world->links, sizeof(dr_mesh_link*));
}

void dr_world_stale_links(drape_world* world, const dr_body* body)
{
    for (int i = 0; i < world->links.count; ++i) {
        dr_mesh_link* link = ((dr_mesh_link**)world->links.data)[i];
        link->is_valid = link->is_valid && body && link->body != body;
    }
}

// --- Searching ---

// `predicts`: the vertices are where they are predicted, and no solver has moved them yet.
static dr_touch_frame frame_chunk(const drape_world* world, dr_mesh_link* link,
                                  const dr_obstacle* obstacle, int chunk, bool predicts)
{
    const dr_sheet* sheet = &link->cloth->xpbd.sheet;
    int first = chunk * DR_CHUNK_VECTORS, last = first + DR_CHUNK_VECTORS;
    last = last < sheet->vector_count ? last : sheet->vector_count;
    dr_touch_frame frame = {.local = link->local,
                            .ahead = link->ahead,
                            .lo = link->lo,
                            .hi = link->hi,
                            .predicts = predicts};
    dr_touch_kernels_for(world->isa)->frame(sheet, obstacle, first, last, &frame);
    return frame;
}

static float furthest_way(const dr_mesh_link* link)
{
    float furthest = 0.0f;
    for (int slot = 0; slot < slot_count(link->cloth); ++slot) {
        furthest = fmaxf(furthest, link->local[(size_t)slot * 4 + 3]);
    }
    return furthest;
}

// How far contacts of a vertex look in this substep.
static float reach_of(const dr_mesh_link* link, int slot)
{
    return link->near + 1.5f * (link->ahead[(size_t)slot * 4 + 3] + link->body_way);
}

// The boxes of a search: the way of so many substeps, the reach and some room around it.
static void make_boxes(dr_mesh_link* link, float substeps, float room)
{
    const int32_t* start = link->cloth->shell->mesh.vertex_triangle_start;
    for (int slot = 0; slot < slot_count(link->cloth); ++slot) {
        bool is_used = start[slot + 1] > start[slot];
        float by = reach_of(link, slot) + room;
        for (int c = 0; c < 3; ++c) {
            size_t k = (size_t)slot * 4 + (size_t)c;
            float p = link->local[k], q = p + substeps * (link->ahead[k] - p);
            link->lo[k] = is_used ? (p < q ? p : q) - by : -EVERYWHERE;
            link->hi[k] = is_used ? (p < q ? q : p) + by : EVERYWHERE;
        }
    }
}

// Sorts pairs by the feature of the cloth. `cloth_first` says which of the pair is the cloth's.
static bool sort_pairs(dr_candidates* out, dr_memory* memory, const dr_array* pairs,
                       bool cloth_first)
{
    const dr_pair* pair = pairs->data;
    // Eight more: vectors of bounds are read whole.
    if (!dr_array_reserve(memory, &out->list, sizeof(int32_t), pairs->count) ||
        !dr_array_reserve(memory, &out->bounds, sizeof(float), pairs->count + 8)) {
        return false;
    }
    memset(out->bounds.data, 0, sizeof(float) * (size_t)(pairs->count + 8));
    int32_t* list = out->list.data;
    memset(out->start, 0, sizeof(int32_t) * (size_t)(out->count + 1));
    for (int pass = 0; pass < 2; ++pass) {
        for (int i = 0; i < pairs->count; ++i) {
            int32_t mine = cloth_first ? pair[i].a : pair[i].b;
            int32_t other = cloth_first ? pair[i].b : pair[i].a;
            if (pass == 0) {
                ++out->start[mine + 1];
            } else {
                list[out->start[mine]++] = other;
            }
        }
        for (int i = 0; pass == 0 && i < out->count; ++i) {
            out->start[i + 1] += out->start[i];
        }
    }
    // The second pass moved each start to its end.
    out->list.count = out->start[out->count];
    memmove(out->start + 1, out->start, sizeof(int32_t) * (size_t)out->count);
    out->start[0] = 0;
    return true;
}

static bool search(drape_world* world, dr_mesh_link* link, const dr_obstacle* obstacle)
{
    dr_cloth* cloth = link->cloth;
    dr_memory* memory = &world->memory;
    for (int chunk = 0; chunk < cloth->chunk_count; ++chunk) {
        frame_chunk(world, link, obstacle, chunk, true);
    }
    // As many substeps ahead as keep the boxes small against the triangles.
    float left = (1.0f - world->substep.share_end) / world->substep.h_share + 1.0f;
    float substeps = fminf(fmaxf(0.5f * cloth->edge_max / furthest_way(link), 1.0f), left);
    float room = fmaxf(0.5f * cloth->thickness, 0.05f * cloth->edge_max);
    make_boxes(link, substeps, room);
    dr_motion motion = {.start = link->lo, .end = link->hi, .stride = 4};
    dr_shell_refit(cloth->shell, world->pool, &motion);
    const dr_tree* tree = &link->body->shell.tree;
    if (!dr_feature_pairs_between(&link->search, memory, world->pool, &cloth->shell->tree,
                                  &cloth->shell->features, tree, &link->relief.features, NULL)) {
        return false;
    }
    world->report.box_tests += link->search.box_tests;
    link->moved = 0.0f;
    const dr_array* lists = link->search.lists;
    link->is_valid = sort_pairs(&link->triangles, memory, &lists[DR_PAIRS_POINT_TRIANGLE], true) &&
                     sort_pairs(&link->edges, memory, &lists[DR_PAIRS_EDGE_EDGE], true) &&
                     sort_pairs(&link->points, memory, &lists[DR_PAIRS_TRIANGLE_POINT], false);
    return link->is_valid;
}

static const dr_obstacle* obstacle_of(const drape_world* world, const dr_contact_run* run)
{
    return (const dr_obstacle*)world->obstacles.data + run->obstacle;
}

static void frame_runs(drape_world* world, int begin, int end, bool predicts)
{
    for (int i = begin; i < end; ++i) {
        dr_contact_run* run = &world->runs[i];
        if (run->link) {
            dr_touch_frame frame =
                frame_chunk(world, run->link, obstacle_of(world, run), run->chunk, predicts);
            run->slack = frame.slack;
            run->way = frame.way;
            run->moved = frame.moved;
        }
    }
}

static void predict_task(void* context, int begin, int end, int worker)
{
    (void)worker;
    frame_runs(context, begin, end, true);
}

static void frame_task(void* context, int begin, int end, int worker)
{
    (void)worker;
    frame_runs(context, begin, end, false);
}

void dr_world_frame_links(drape_world* world)
{
    dr_parallel_for(world->pool, world->run_count, 1, frame_task, world);
}

// Adds the greatest move of each link to its sum. `way` serves as scratch.
static void add_moves(drape_world* world)
{
    for (int i = 0; i < world->run_count; ++i) {
        dr_mesh_link* link = world->runs[i].link;
        if (link) {
            link->way = fmaxf(link->way, world->runs[i].moved);
        }
    }
    for (int i = 0; i < world->links.count; ++i) {
        dr_mesh_link* link = ((dr_mesh_link**)world->links.data)[i];
        // Rounded up; what the body itself did counts as well.
        link->moved += 1.00001f * (link->way + link->body_way) + 1e-8f;
        link->way = 0.0f;
    }
}

// How far the links look in this substep, from all of their runs.
static void measure_links(drape_world* world)
{
    for (int i = 0; i < world->links.count; ++i) {
        dr_mesh_link* link = ((dr_mesh_link**)world->links.data)[i];
        link->slack = INFINITY;
        link->way = 0.0f;
        link->body_way = link->body->travel * world->substep.h_share;
        dr_relief_refresh(&link->relief, link->body, world->pool);
        memset(link->is_chunk_near, 0, (size_t)link->cloth->chunk_count);
    }
    add_moves(world);
    for (int i = 0; i < world->run_count; ++i) {
        const dr_contact_run* run = &world->runs[i];
        dr_mesh_link* link = run->link;
        if (link) {
            const dr_contact_range* range = &run->range;
            link->is_chunk_near[run->chunk] = 1;
            link->slack = fminf(link->slack, run->slack);
            link->way = fmaxf(link->way, run->way);
            link->near =
                range->radius + link->relief.lift_most + fmaxf(range->static_radius, range->radius);
        }
    }
}

bool dr_world_refresh_links(drape_world* world)
{
    if (world->links.count == 0) {
        return true;
    }
    dr_parallel_for(world->pool, world->run_count, 1, predict_task, world);
    measure_links(world);
    for (int i = 0; i < world->run_count; ++i) {
        dr_mesh_link* link = world->runs[i].link;
        if (link && (!link->is_valid || !(link->slack > link->near + 1.5f * link->body_way))) {
            if (!search(world, link, obstacle_of(world, &world->runs[i]))) {
                return false;
            }
            link->slack = INFINITY; // once is enough
        }
    }
    return true;
}

// --- Contacts ---

static dr_touch_args args_of(const drape_world* world, const dr_contact_run* run, int* test_count)
{
    float radius = run->range.radius;
    bool is_last = world->substep.share_end > 1.0f - 0.5f * world->substep.h_share;
    return (dr_touch_args){.kernels = dr_touch_kernels_for(world->isa),
                           .sheet = &run->cloth->xpbd.sheet,
                           .obstacle = obstacle_of(world, run),
                           .relief = &run->link->relief,
                           .local = run->link->local,
                           .ahead = run->link->ahead,
                           .range = run->range,
                           .feature_radius = {0.5f * radius, radius},
                           .feature_static = {0.5f * radius, radius},
                           .near = run->link->near,
                           .looks_deep = is_last,
                           .moved = run->link->moved,
                           .test_count = test_count,
                           .friction = run->friction};
}

static dr_touch_list list_of(const dr_candidates* candidates, int index)
{
    int32_t first = candidates->start[index];
    int32_t count = candidates->start[index + 1] - first;
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
static void detect_vector(const dr_touch_args* args, dr_contact_run* run, int vector,
                          dr_contact8* eight)
{
    dr_contact1 made[DR_TOUCH_MOST];
    for (int lane = 0; lane < 8; ++lane) {
        int slot = vector * 8 + lane, taken = 0;
        dr_touch_list list = list_of(&run->link->triangles, slot);
        run->link->nearest[slot] = INFINITY;
        if (list.count == 0 || !(dr_sheet_inverse_mass(args->sheet, slot) > 0.0f)) {
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

static void detect_points(const dr_touch_args* args, dr_contact_run* run, bool again)
{
    int first = run->chunk * DR_CHUNK_VECTORS, last = first + DR_CHUNK_VECTORS;
    last = last < args->sheet->vector_count ? last : args->sheet->vector_count;
    const int32_t* start = run->link->triangles.start;
    for (int vector = first; vector < last; ++vector) {
        if (start[vector * 8] == start[vector * 8 + 8]) {
            continue;
        }
        if (again) {
            detect_vector(args, run, vector, NULL);
            continue;
        }
        dr_contact8* eight = &run->contacts[run->count];
        memset(eight, 0, sizeof *eight);
        eight->vector = vector;
        for (int lane = 0; lane < 8; ++lane) {
            eight->gap[lane] = EVERYWHERE;
        }
        detect_vector(args, run, vector, eight);
        run->count += eight->count > 0;
    }
}

// An edge or triangle with a vertex in a chunk that is not near cannot come near either.
static bool is_near(const dr_mesh_link* link, const int32_t* slots, int count)
{
    bool is_near = true;
    for (int i = 0; i < count; ++i) {
        is_near = is_near && link->is_chunk_near[slots[i] / (8 * DR_CHUNK_VECTORS)];
    }
    return is_near;
}

static void detect_features(const dr_touch_args* args, dr_contact_run* run)
{
    const dr_cloth* cloth = run->cloth;
    const dr_mesh* mesh = &cloth->shell->mesh;
    dr_contact1 made[DR_TOUCH_MOST];
    for (int e = cloth->edge_start[run->chunk]; e < cloth->edge_start[run->chunk + 1]; ++e) {
        dr_touch_list list = list_of(&run->link->edges, e);
        if (list.count > 0 && is_near(run->link, mesh->edges[e].v, 2)) {
            add_singles(run, made, dr_touch_edge(args, mesh->edges[e].v, &list, made));
        }
    }
    for (int f = cloth->face_start[run->chunk]; f < cloth->face_start[run->chunk + 1]; ++f) {
        dr_touch_list list = list_of(&run->link->points, f);
        if (list.count > 0 && is_near(run->link, mesh->triangles[f], 3)) {
            add_singles(run, made, dr_touch_face(args, mesh->triangles[f], &list, made));
        }
    }
}

bool dr_mesh_run_detect(const drape_world* world, dr_contact_run* run, bool again)
{
    dr_touch_args args = args_of(world, run, &run->test_count);
    run->single_count = 0;
    run->test_count = 0;
    run->count = again ? run->count : 0;
    detect_points(&args, run, again);
    detect_features(&args, run);
    return run->single_count <= run->single_room;
}

// --- The last word ---

// A way that is longer than what the pairs were searched for: all triangles along it, from the tree.
// False when there are more than `room`.
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
    float share = 0.999f * reach_of(link, slot) / p[3];
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
    if (way >= reach_of(link, slot)) {
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
    frame_chunk(world, link, args.obstacle, run->chunk, false);
    int first = run->chunk * DR_CHUNK_VECTORS * 8, last = first + DR_CHUNK_VECTORS * 8;
    last = last < slot_count(run->cloth) ? last : slot_count(run->cloth);
    for (int slot = first; slot < last; ++slot) {
        // Nothing is met on a way that is shorter than the distance from everything.
        float way = link->local[(size_t)slot * 4 + 3];
        bool is_safe = way + link->body_way < link->nearest[slot] && way < reach_of(link, slot);
        drape_vec3 place;
        if (!is_safe && dr_sheet_inverse_mass(sheet, slot) > 0.0f &&
            guard_vertex(&args, link, slot, &place)) {
            dr_sheet_set(sheet->layout, sheet->pos, slot, place);
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
    link->moved += 1.00001f * frame_chunk(world, link, &now, run->chunk, false).moved;
    args.moved = link->moved;
    float smallest = link->near;
    int first = run->chunk * DR_CHUNK_VECTORS * 8, last = first + DR_CHUNK_VECTORS * 8;
    last = last < slot_count(run->cloth) ? last : slot_count(run->cloth);
    for (int slot = first; slot < last; ++slot) {
        dr_touch_list list = list_of(&link->triangles, slot);
        if (list.count > 0) {
            smallest = fminf(smallest, dr_touch_distance(&args, slot, &list, smallest));
        }
    }
    return smallest;
}
