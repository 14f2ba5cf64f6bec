#include "studio.h"

#include <math.h>
#include <string.h>

#include "io/file.h"
#include "studio_parts.h"

// Edges of obstacles sharper than about 40 degrees stay sharp.
#define OBSTACLE_CREASE 0.75f

static bool fail_memory(const cli_studio* studio, drape_error* error)
{
    dr_error_set_memory(error, studio->options->in);
    return false;
}

static bool read_part(cli_studio* studio, int index, int frame, drape_vec3* positions,
                      drape_error* error)
{
    return cli_playback_read(studio->playback, index, frame, positions, error);
}

// --- Making room ---

static bool make_part(cli_studio* studio, int index, drape_error* error)
{
    const cli_part* part = cli_part_at(studio, index);
    cli_studio_part* made = &studio->parts[index];
    size_t count = (size_t)part->vertex_count;
    made->positions = dr_new(studio->memory, drape_vec3, count);
    made->rest = dr_new(studio->memory, drape_vec3, count);
    made->before = dr_new(studio->memory, drape_vec3, count);
    made->after = dr_new(studio->memory, drape_vec3, count);
    made->uv = dr_new_zeroed(studio->memory, float, 2 * count);
    made->heat = dr_new_zeroed(studio->memory, float, count);
    if (count > 0 && (made->positions == NULL || made->rest == NULL || made->before == NULL ||
                      made->after == NULL || made->uv == NULL || made->heat == NULL)) {
        return fail_memory(studio, error);
    }
    if (part->uv != NULL) {
        memcpy(made->uv, part->uv, 2 * count * sizeof(float));
    }
    return read_part(studio, index, 0, made->rest, error);
}

static bool make_parts(cli_studio* studio, drape_error* error)
{
    int count = studio->playback->part_count;
    studio->parts = dr_new_zeroed(studio->memory, cli_studio_part, count);
    studio->looks = dr_new_zeroed(studio->memory, dr_look, count);
    studio->meshes = dr_new_zeroed(studio->memory, cli_overlay_mesh, count);
    if (studio->parts == NULL || studio->looks == NULL || studio->meshes == NULL) {
        return fail_memory(studio, error);
    }
    int numbers[2] = {0, 0};
    for (int i = 0; i < count; ++i) {
        if (!make_part(studio, i, error)) {
            return false;
        }
        cli_studio_dress(studio, i, numbers[cli_part_at(studio, i)->is_obstacle]++);
    }
    return true;
}

// --- The mesh at rest ---

static int only_cloth(const cli_studio* studio)
{
    int found = -1;
    for (int i = 0; i < studio->playback->part_count; ++i) {
        if (!cli_part_at(studio, i)->is_obstacle) {
            if (found >= 0) {
                return -1;
            }
            found = i;
        }
    }
    return found;
}

static bool read_rest(cli_studio* studio, drape_error* error)
{
    const char* path = studio->options->rest;
    if (path == NULL) {
        return true;
    }
    int cloth = only_cloth(studio);
    if (cloth < 0) {
        dr_error_set(error, DRAPE_ERROR_INPUT, "--rest: expected one cloth, found several");
        return false;
    }
    drape_mesh_data mesh;
    if (!drape_mesh_read(path, &mesh, error)) {
        return false;
    }
    int count = cli_part_at(studio, cloth)->vertex_count;
    bool fits = mesh.vertex_count == count;
    if (fits) {
        memcpy(studio->parts[cloth].rest, mesh.positions, sizeof(drape_vec3) * (size_t)count);
    } else {
        dr_error_set(error, DRAPE_ERROR_INPUT, "%s: expected %d vertices as in %s, found %d", path,
                     count, studio->options->in, mesh.vertex_count);
    }
    drape_mesh_data_free(&mesh);
    return fits;
}

// --- Overlays ---

static void describe_parts(cli_studio* studio)
{
    for (int i = 0; i < studio->playback->part_count; ++i) {
        const cli_part* part = cli_part_at(studio, i);
        cli_studio_part* made = &studio->parts[i];
        studio->meshes[i] = (cli_overlay_mesh){
            .mesh = {made->positions, part->triangles, part->vertex_count, part->triangle_count,
                     part->is_obstacle},
            .rest = made->rest,
            .before = made->before,
            .after = made->after,
            .heat = part->is_obstacle ? NULL : made->heat,
        };
    }
}

// The frames around one; the seconds between them go to the range.
static bool read_neighbours(cli_studio* studio, int frame, drape_error* error)
{
    int last = studio->playback->frame_count - 1;
    int before = frame > 0 ? frame - 1 : frame, after = frame < last ? frame + 1 : frame;
    studio->range.seconds = (float)(after - before) / studio->playback->fps;
    for (int i = 0; i < studio->playback->part_count; ++i) {
        cli_studio_part* part = &studio->parts[i];
        if (!cli_part_at(studio, i)->is_obstacle &&
            (!read_part(studio, i, before, part->before, error) ||
             !read_part(studio, i, after, part->after, error))) {
            return false;
        }
    }
    return true;
}

// The next of 1, 2, 5, 10, 20, ...
static float round_up(float value)
{
    float unit = 1e-3f;
    while (unit < value) {
        const float steps[] = {2.0f, 5.0f, 10.0f};
        for (int i = 0; i < 3; ++i) {
            if (value <= steps[i] * unit) {
                return steps[i] * unit;
            }
        }
        unit *= 10.0f;
    }
    return unit;
}

static bool choose_range(cli_studio* studio, int first, int last, drape_error* error)
{
    float thickness = studio->options->thickness;
    switch ((cli_overlay)studio->options->overlay) {
    case CLI_OVERLAY_NONE:
    case CLI_OVERLAY_CROSSINGS: studio->range = (cli_overlay_range){0.0f, 1.0f, 0.0f}; return true;
    case CLI_OVERLAY_STRAIN: studio->range = (cli_overlay_range){-0.05f, 0.05f, 0.0f}; return true;
    case CLI_OVERLAY_CONTACTS:
        studio->range = (cli_overlay_range){2.0f * thickness, thickness, 0.0f};
        return true;
    case CLI_OVERLAY_SPEED: break;
    }
    float most = 0.0f;
    for (int frame = first; frame <= last; ++frame) {
        if (!read_neighbours(studio, frame, error)) {
            return false;
        }
        for (int i = 0; i < studio->playback->part_count; ++i) {
            if (studio->meshes[i].heat != NULL) {
                float fastest = cli_overlay_fastest(&studio->meshes[i], studio->range.seconds);
                most = fmaxf(most, fastest);
            }
        }
    }
    studio->range.high = round_up(most);
    return true;
}

// --- The whole ---

bool cli_studio_open(cli_studio* studio, const cli_render_options* options, cli_playback* playback,
                     dr_memory* memory, dr_pool* pool, int first, int last, drape_error* error)
{
    *studio = (cli_studio){.options = options,
                           .playback = playback,
                           .memory = memory,
                           .pool = pool,
                           .stage = {.memory = memory}};
    if (!make_parts(studio, error) || !read_rest(studio, error) ||
        !cli_studio_view(studio, first, last, error)) {
        return false;
    }
    describe_parts(studio);
    dr_scenery scenery = dr_scenery_defaults(studio->camera.forward);
    scenery.looks = studio->looks;
    scenery.has_ground = studio->scenery.has_ground;
    scenery.ground_y = studio->scenery.ground_y;
    studio->scenery = scenery;
    return choose_range(studio, first, last, error);
}

static bool put_parts(cli_studio* studio)
{
    for (int i = 0; i < studio->playback->part_count; ++i) {
        const cli_part* part = cli_part_at(studio, i);
        const cli_studio_part* made = &studio->parts[i];
        dr_stage_mesh mesh = {
            .mesh = {made->positions, part->triangles, part->vertex_count, part->triangle_count},
            .uv = made->uv,
            .heat = made->heat,
            .crease = part->is_obstacle ? OBSTACLE_CREASE : DR_CREASE_NONE,
            .level = made->level,
            .look = i < 255 ? i : 255,
        };
        if (!made->is_hidden && !dr_stage_add(&studio->stage, &mesh)) {
            return false;
        }
    }
    return dr_stage_ready(&studio->stage, studio->pool);
}

bool cli_studio_set(cli_studio* studio, int frame, drape_error* error)
{
    cli_overlay overlay = (cli_overlay)studio->options->overlay;
    for (int i = 0; i < studio->playback->part_count; ++i) {
        if (!read_part(studio, i, frame, studio->parts[i].positions, error)) {
            return false;
        }
    }
    if (overlay == CLI_OVERLAY_SPEED && !read_neighbours(studio, frame, error)) {
        return false;
    }
    if (overlay != CLI_OVERLAY_NONE &&
        !cli_overlay_measure(studio->memory, studio->pool, overlay, studio->meshes,
                             studio->playback->part_count, &studio->range)) {
        return fail_memory(studio, error);
    }
    dr_stage_clear(&studio->stage);
    return put_parts(studio) || fail_memory(studio, error);
}

static void free_part(cli_studio* studio, int index)
{
    cli_studio_part* made = &studio->parts[index];
    size_t count = (size_t)cli_part_at(studio, index)->vertex_count;
    dr_delete(studio->memory, made->positions, count);
    dr_delete(studio->memory, made->rest, count);
    dr_delete(studio->memory, made->before, count);
    dr_delete(studio->memory, made->after, count);
    dr_delete(studio->memory, made->uv, 2 * count);
    dr_delete(studio->memory, made->heat, count);
}

void cli_studio_close(cli_studio* studio)
{
    int count = studio->playback->part_count;
    dr_stage_free(&studio->stage);
    for (int i = 0; studio->parts != NULL && i < count; ++i) {
        free_part(studio, i);
    }
    dr_delete(studio->memory, studio->parts, count);
    dr_delete(studio->memory, studio->looks, count);
    dr_delete(studio->memory, studio->meshes, count);
}
