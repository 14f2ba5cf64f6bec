#include "verify.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "io/file.h"

// What sentences call the work.
static const char name[] = "--verify";

bool cli_verify_open(cli_verify* verify, drape_scene* scene, int thread_count, drape_error* error)
{
    *verify = (cli_verify){.scene = scene,
                           .cloth_count = drape_scene_cloth_count(scene),
                           .obstacle_count = drape_scene_collider_count(scene)};
    dr_memory_init(&verify->memory, NULL);
    verify->pool = dr_pool_create(&verify->memory, thread_count, NULL);
    size_t obstacle_count = (size_t)verify->obstacle_count;
    size_t mesh_count = (size_t)verify->cloth_count + obstacle_count;
    verify->meshes = calloc(mesh_count + 1, sizeof *verify->meshes);
    verify->obstacles = calloc(obstacle_count + 1, sizeof *verify->obstacles);
    bool is_open = verify->pool != NULL && verify->meshes != NULL && verify->obstacles != NULL;
    if (!is_open) {
        dr_error_set_memory(error, name);
    }
    return is_open;
}

static void view_cloths(cli_verify* verify)
{
    const drape_world* world = drape_scene_world(verify->scene);
    for (int i = 0; i < verify->cloth_count; ++i) {
        drape_cloth_id cloth = drape_scene_cloth(verify->scene, i);
        dr_check_mesh* mesh = &verify->meshes[i];
        mesh->positions = drape_cloth_positions(world, cloth, &mesh->vertex_count);
        mesh->triangles = drape_cloth_triangles(world, cloth, &mesh->triangle_count);
    }
}

// Those that rest are taken once.
static bool view_obstacles(cli_verify* verify, drape_error* error)
{
    for (int i = 0; i < verify->obstacle_count; ++i) {
        cli_obstacle* obstacle = &verify->obstacles[i];
        if (verify->frame_count > 0 && !drape_scene_collider_moves(verify->scene, i)) {
            continue;
        }
        cli_obstacle_free(obstacle);
        if (!cli_obstacle_load(obstacle, verify->scene, i, name, error)) {
            return false;
        }
        verify->meshes[verify->cloth_count + i] = (dr_check_mesh){
            .positions = obstacle->positions,
            .triangles = obstacle->triangles,
            .vertex_count = obstacle->vertex_count,
            .triangle_count = obstacle->triangle_count,
            .is_obstacle = true,
        };
    }
    return true;
}

// Obstacles come behind the cloths, and in a pair they come second.
static int64_t count_obstacle_crossings(const cli_verify* verify, const dr_crossings* found)
{
    int64_t count = 0;
    for (int i = 0; i < found->pair_count; ++i) {
        const dr_crossing* pair = &found->pairs[i];
        count += pair->meeting == DR_MEETING_CROSSING && pair->mesh_b >= verify->cloth_count;
    }
    return count;
}

static bool note_crossings(cli_verify* verify, drape_error* error)
{
    if (verify->crossings == 0) {
        return true;
    }
    size_t size = sizeof *verify->crossed * ((size_t)verify->crossed_count + 1);
    int* crossed = realloc(verify->crossed, size);
    if (crossed == NULL) {
        dr_error_set_memory(error, name);
        return false;
    }
    verify->crossed = crossed;
    crossed[verify->crossed_count++] = verify->frame_count;
    if (verify->crossings > verify->worst_crossings) {
        verify->worst = verify->frame_count;
        verify->worst_crossings = verify->crossings;
    }
    return true;
}

bool cli_verify_add(cli_verify* verify, drape_error* error)
{
    if (verify->scene == NULL) {
        return true;
    }
    dr_crossings found;
    view_cloths(verify);
    if (!view_obstacles(verify, error)) {
        return false;
    }
    if (!dr_crossings_find(&found, &verify->memory, verify->pool, verify->meshes,
                           verify->cloth_count + verify->obstacle_count)) {
        dr_error_set_memory(error, name);
        return false;
    }
    verify->crossings = found.crossing_count;
    verify->obstacle_crossings = count_obstacle_crossings(verify, &found);
    dr_crossings_free(&found, &verify->memory);
    bool is_noted = note_crossings(verify, error);
    ++verify->frame_count;
    return is_noted;
}

bool cli_verify_take(cli_verify* verify, double crossings, drape_error* error)
{
    if (verify->scene == NULL) {
        return true;
    }
    verify->unseen_count += isnan(crossings);
    verify->crossings = isnan(crossings) ? 0 : (int64_t)crossings;
    verify->obstacle_crossings = 0;
    bool is_noted = note_crossings(verify, error);
    ++verify->frame_count;
    return is_noted;
}

// "3-5, 9 and 12 more": neighbours as a range, and no more than fit.
static void write_frames(const cli_verify* verify, char* text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (int k = 0, end; k < verify->crossed_count; k = end) {
        for (end = k + 1;
             end < verify->crossed_count && verify->crossed[end] == verify->crossed[end - 1] + 1;) {
            ++end;
        }
        if (used + 80 > size) {
            snprintf(text + used, size - used, " and %d more", verify->crossed_count - k);
            return;
        }
        used += (size_t)snprintf(text + used, size - used, "%s%d", k > 0 ? ", " : "",
                                 verify->crossed[k]);
        if (end > k + 1) {
            used += (size_t)snprintf(text + used, size - used, "-%d", verify->crossed[end - 1]);
        }
    }
}

void cli_verify_tell(const cli_verify* verify, const cli_command* command)
{
    if (verify->unseen_count > 0) {
        cli_say(command, "%s: %d of the frames that were taken over had not been looked at", name,
                verify->unseen_count);
    }
    if (verify->crossed_count == 0) {
        return;
    }
    char frames[400];
    write_frames(verify, frames, sizeof frames);
    cli_say(command,
            "%s: crossings in %d of %d frames, at most %" PRId64 " in frame %d: frame%s %s", name,
            verify->crossed_count, verify->frame_count, verify->worst_crossings, verify->worst,
            verify->crossed_count == 1 ? "" : "s", frames);
}

void cli_verify_close(cli_verify* verify)
{
    for (int i = 0; verify->obstacles != NULL && i < verify->obstacle_count; ++i) {
        cli_obstacle_free(&verify->obstacles[i]);
    }
    free(verify->obstacles);
    free(verify->meshes);
    free(verify->crossed);
    dr_pool_destroy(verify->pool);
    *verify = (cli_verify){0};
}
