// Where the ground is, where the camera stands, and how fine the cloth must be for it.
#include "studio_parts.h"

// Share of the picture that stays free at each side.
#define MARGIN 0.07f
// Triangles longer than this in the picture are refined, unless there are too many.
#define LONG_EDGE 10.0f // pixels
#define MOST_TRIANGLES 1500000
// Obstacles this many times as large as the cloth are the ground or a wall.
#define LARGE 2.5f

// --- Looking around ---

// Of all parts but those left out.
static cli_bounds bounds_of(const cli_studio* studio, bool with_obstacles)
{
    cli_bounds all = cli_bounds_empty();
    for (int i = 0; i < studio->playback->part_count; ++i) {
        bool is_in = !cli_part_at(studio, i)->is_obstacle || with_obstacles;
        if (is_in && !studio->parts[i].is_large) {
            cli_bounds_join(&all, &studio->parts[i].box);
        }
    }
    return all;
}

// Parts of one frame stand the same in all.
static bool survey_frame(cli_studio* studio, int index, int frame, drape_error* error)
{
    cli_studio_part* part = &studio->parts[index];
    if (!cli_playback_read(studio->playback, index, frame, part->positions, error)) {
        return false;
    }
    for (int v = 0; v < cli_part_at(studio, index)->vertex_count; ++v) {
        cli_bounds_add(&part->box, part->positions[v]);
        dr_framing_add(&part->framing, part->positions[v]);
    }
    return true;
}

static bool survey(cli_studio* studio, int first, int last, const dr_framing* empty,
                   drape_error* error)
{
    for (int i = 0; i < studio->playback->part_count; ++i) {
        int end = cli_part_at(studio, i)->frame_count > 1 ? last : first;
        studio->parts[i].box = cli_bounds_empty();
        studio->parts[i].framing = *empty;
        for (int frame = first; frame <= end; ++frame) {
            if (!survey_frame(studio, i, frame, error)) {
                return false;
            }
        }
    }
    return true;
}

// --- Ground and camera ---

// A large obstacle that lies flat is the ground, when there is to be one.
static void find_ground(cli_studio* studio)
{
    cli_bounds cloth = bounds_of(studio, false);
    float size = cli_longest(cli_bounds_size(&cloth));
    float top = -INFINITY;
    for (int i = 0; i < studio->playback->part_count; ++i) {
        cli_studio_part* part = &studio->parts[i];
        drape_vec3 extent = cli_bounds_size(&part->box);
        part->is_large = cli_part_at(studio, i)->is_obstacle &&
                         cli_longest(extent) > LARGE * size &&
                         cli_part_at(studio, i)->triangle_count <= 12;
        bool is_flat = extent.y < 0.01f * size && extent.x > size && extent.z > size;
        if (part->is_large && is_flat && studio->options->ground != CLI_GROUND_NONE) {
            part->is_hidden = true;
            top = fmaxf(top, part->box.hi.y);
        }
    }
    cli_bounds all = bounds_of(studio, true);
    dr_scenery* scenery = &studio->scenery;
    scenery->has_ground = studio->options->ground != CLI_GROUND_NONE;
    scenery->ground_y = studio->options->ground == CLI_GROUND_GIVEN ? studio->options->ground_y
                        : isfinite(top)                             ? top
                                                                    : all.lo.y;
    // Cloth that hangs free does not touch the ground it happens to hang above.
    if (studio->options->ground == CLI_GROUND_AUTO && !isfinite(top) && cloth.lo.y <= all.lo.y) {
        scenery->ground_y -= 0.04f * size;
    }
}

static void place_camera(cli_studio* studio, const dr_framing* empty)
{
    const cli_render_options* options = studio->options;
    cli_bounds all = bounds_of(studio, true);
    if (options->has_camera) {
        drape_vec3 middle = dr_scale(dr_add(all.lo, all.hi), 0.5f);
        studio->camera =
            dr_camera_look(options->camera, options->has_target ? options->target : middle,
                           options->fov, (float)options->width / (float)options->height);
        return;
    }
    dr_framing framing = *empty;
    for (int i = 0; i < studio->playback->part_count; ++i) {
        if (!studio->parts[i].is_large) {
            dr_framing_join(&framing, &studio->parts[i].framing);
        }
    }
    studio->camera = dr_framing_camera(&framing);
}

// Cloth is refined until its edges are short in the picture.
static void choose_levels(cli_studio* studio)
{
    for (int i = 0; i < studio->playback->part_count; ++i) {
        const cli_part* part = cli_part_at(studio, i);
        cli_studio_part* made = &studio->parts[i];
        bool is_exact = studio->options->overlay == CLI_OVERLAY_CROSSINGS;
        if (part->is_obstacle || part->triangle_count == 0 || is_exact) {
            continue;
        }
        drape_vec3 middle = dr_scale(dr_add(made->box.lo, made->box.hi), 0.5f);
        float distance = dr_length(dr_sub(middle, studio->camera.eye));
        float pixel = 2.0f * studio->camera.slope_y * distance / (float)studio->options->height;
        double edge = made->edge_sum / (3.0 * part->triangle_count);
        int64_t count = part->triangle_count;
        while (edge > (double)(LONG_EDGE * pixel) && made->level < 3 &&
               4 * count <= MOST_TRIANGLES) {
            edge *= 0.5;
            count *= 4;
            ++made->level;
        }
    }
}

bool cli_studio_view(cli_studio* studio, int first, int last, drape_error* error)
{
    const cli_render_options* options = studio->options;
    dr_framing empty = dr_framing_begin(options->turn, options->height_view, options->fov,
                                        (float)options->width / (float)options->height, MARGIN);
    if (!survey(studio, first, last, &empty, error)) {
        return false;
    }
    find_ground(studio);
    place_camera(studio, &empty);
    choose_levels(studio);
    return true;
}
