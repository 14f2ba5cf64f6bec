#include "scene/mesh_link.h"

#include <math.h>
#include <string.h>

static size_t float_count(const dr_cloth* cloth)
{
    return (size_t)cloth->sheet->vector_count * 32;
}

// --- The cloth as a shell ---

// A shell over the slots of the cloth: its triangles are the cloth's faces, and its edges, sorted
// by their lowest slot, lie in the order of the chunks.
static dr_shell* make_shell(drape_world* world, const dr_cloth* cloth)
{
    const dr_sheet* sheet = cloth->sheet;
    dr_memory* memory = &world->memory;
    int count = dr_link_slots(cloth);
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
    of->start = dr_new_zeroed(memory, int32_t, count);
    of->size = dr_new_zeroed(memory, int32_t, count);
    return count == 0 || (of->start && of->size);
}

static void candidates_free(dr_candidates* of, dr_memory* memory)
{
    dr_delete(memory, of->start, of->count);
    dr_delete(memory, of->size, of->count);
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
    dr_delete(memory, link->nearest, dr_link_slots(link->cloth));
    dr_delete(memory, link->moved, dr_link_slots(link->cloth));
    dr_delete(memory, link->is_stale, dr_link_slots(link->cloth));
    dr_array_free(memory, &link->along, sizeof(int32_t));
    dr_delete(memory, link->room, link->cloth->chunk_count);
    dr_delete(memory, link->chunk_state, link->cloth->chunk_count);
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
    link->nearest = dr_new_zeroed(memory, float, dr_link_slots(cloth));
    link->moved = dr_new_zeroed(memory, float, dr_link_slots(cloth));
    link->is_stale = dr_new_zeroed(memory, uint8_t, dr_link_slots(cloth));
    link->room = dr_new_zeroed(memory, int32_t, cloth->chunk_count);
    link->chunk_state = dr_new_zeroed(memory, uint8_t, cloth->chunk_count);
    bool lists = candidates_create(&link->triangles, memory, dr_link_slots(cloth)) &&
                 candidates_create(&link->edges, memory, cloth->shell->mesh.edge_count) &&
                 candidates_create(&link->points, memory, cloth->shell->mesh.triangle_count);
    link->has_relief =
        dr_relief_create(&link->relief, memory, body, cloth->edge_max, 0.5f * cloth->thickness);
    if (!lists || !link->has_relief || !link->local || !link->ahead || !link->lo || !link->hi ||
        !link->nearest || !link->moved || !link->is_stale || !link->room || !link->chunk_state) {
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

// --- Places ---

const dr_obstacle* dr_run_obstacle(const drape_world* world, const dr_contact_run* run)
{
    return (const dr_obstacle*)world->obstacles.data + run->obstacle;
}

dr_touch_frame dr_link_frame(const drape_world* world, dr_mesh_link* link,
                             const dr_obstacle* obstacle, int chunk, bool predicts)
{
    const dr_sheet* sheet = link->cloth->sheet;
    int first = chunk * DR_CHUNK_VECTORS, last = first + DR_CHUNK_VECTORS;
    last = last < sheet->vector_count ? last : sheet->vector_count;
    dr_touch_frame frame = {.local = link->local,
                            .ahead = link->ahead,
                            .lo = link->lo,
                            .hi = link->hi,
                            .moved = link->moved,
                            .predicts = predicts};
    dr_touch_kernels_for(world->isa)->frame(sheet, obstacle, first, last, &frame);
    return frame;
}

static void frame_runs(drape_world* world, int begin, int end, bool predicts)
{
    for (int i = begin; i < end; ++i) {
        dr_contact_run* run = &world->runs[i];
        if (run->link) {
            dr_touch_frame frame =
                dr_link_frame(world, run->link, dr_run_obstacle(world, run), run->chunk, predicts);
            run->slack = frame.slack;
            run->moved = frame.moved_most;
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

// How far the links look in this substep, and whether their pairs still hold.
static void measure_links(drape_world* world)
{
    for (int i = 0; i < world->links.count; ++i) {
        dr_mesh_link* link = ((dr_mesh_link**)world->links.data)[i];
        link->needs_search = false;
        link->body_way = link->body->travel * world->substep.h_share;
        // Rounded up.
        link->body_moved += 1.00001f * link->body_way;
        dr_relief_refresh(&link->relief, link->body, world->pool);
        memset(link->chunk_state, 0, (size_t)link->cloth->chunk_count);
    }
    const float far = 1.0f; // sums of moves that have become so large are begun anew, m
    for (int i = 0; i < world->run_count; ++i) {
        const dr_contact_run* run = &world->runs[i];
        dr_mesh_link* link = run->link;
        if (link) {
            const dr_contact_range* range = &run->range;
            link->near =
                range->radius + link->relief.lift_most + fmaxf(range->static_radius, range->radius);
            bool is_within = run->slack > link->near + 1.5f * link->body_way;
            link->chunk_state[run->chunk] = is_within ? DR_CHUNK_NEAR : DR_CHUNK_LEFT;
            link->needs_search = link->needs_search || !is_within;
            link->is_valid = link->is_valid && run->moved < far && link->body_moved < far;
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
        if (link && (!link->is_valid || link->needs_search)) {
            if (!dr_link_search(world, link, dr_run_obstacle(world, &world->runs[i]))) {
                return false;
            }
            link->needs_search = false; // once is enough
        }
    }
    return true;
}
