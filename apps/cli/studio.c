#include "studio.h"

#include <math.h>
#include <string.h>

#include "core/vec_math.h"
#include "io/file.h"

// Share of the picture that stays free at each side.
#define MARGIN 0.07f
// Triangles longer than this in the picture are refined, unless there are too many.
#define LONG_EDGE 10.0f // pixels
#define MOST_TRIANGLES 1500000
// Obstacles this many times as large as the cloth are the ground or a wall.
#define LARGE 2.5f
// Edges of obstacles sharper than about 40 degrees stay sharp.
#define OBSTACLE_CREASE 0.75f
// Bands of a pattern along a side of a square cloth.
#define BANDS 20.0f

typedef struct bounds {
    drape_vec3 lo, hi;
} bounds;

struct cli_studio_part {
    drape_vec3* positions; // of the frame on the stage
    drape_vec3* rest;      // frame 0, or the mesh of --rest
    drape_vec3 *before, *after;
    float* uv; // of the file, or made up
    float* heat;
    bounds box;         // over all frames
    dr_framing framing; // the same
    double edge_sum;    // of the lengths of all edges at rest
    bool is_large, is_hidden;
    int level;
};

static bool fail_memory(const cli_studio* studio, drape_error* error)
{
    dr_error_set_memory(error, studio->options->in);
    return false;
}

static const cli_part* part_at(const cli_studio* studio, int index)
{
    return &studio->playback->parts[index];
}

static bool read_part(cli_studio* studio, int index, int frame, drape_vec3* positions,
                      drape_error* error)
{
    return cli_playback_read(studio->playback, index, frame, positions, error);
}

// --- Bounds ---

static bounds bounds_empty(void)
{
    return (bounds){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
}

static void bounds_add(bounds* box, drape_vec3 p)
{
    box->lo = (drape_vec3){fminf(box->lo.x, p.x), fminf(box->lo.y, p.y), fminf(box->lo.z, p.z)};
    box->hi = (drape_vec3){fmaxf(box->hi.x, p.x), fmaxf(box->hi.y, p.y), fmaxf(box->hi.z, p.z)};
}

static void bounds_join(bounds* box, const bounds* other)
{
    if (other->lo.x <= other->hi.x) {
        bounds_add(box, other->lo);
        bounds_add(box, other->hi);
    }
}

static drape_vec3 bounds_size(const bounds* box)
{
    return dr_sub(box->hi, box->lo);
}

static float longest(drape_vec3 size)
{
    return fmaxf(size.x, fmaxf(size.y, size.z));
}

// Of all parts but those left out.
static bounds bounds_of(const cli_studio* studio, bool with_obstacles)
{
    bounds all = bounds_empty();
    for (int i = 0; i < studio->playback->part_count; ++i) {
        bool is_in = !part_at(studio, i)->is_obstacle || with_obstacles;
        if (is_in && !studio->parts[i].is_large) {
            bounds_join(&all, &studio->parts[i].box);
        }
    }
    return all;
}

// --- Parts ---

// Parts of one frame stand the same in all.
static bool survey_frame(cli_studio* studio, int index, int frame, drape_error* error)
{
    cli_studio_part* part = &studio->parts[index];
    if (!read_part(studio, index, frame, part->positions, error)) {
        return false;
    }
    for (int v = 0; v < part_at(studio, index)->vertex_count; ++v) {
        bounds_add(&part->box, part->positions[v]);
        dr_framing_add(&part->framing, part->positions[v]);
    }
    return true;
}

static bool survey(cli_studio* studio, int first, int last, const dr_framing* empty,
                   drape_error* error)
{
    for (int i = 0; i < studio->playback->part_count; ++i) {
        int end = part_at(studio, i)->frame_count > 1 ? last : first;
        studio->parts[i].box = bounds_empty();
        studio->parts[i].framing = *empty;
        for (int frame = first; frame <= end; ++frame) {
            if (!survey_frame(studio, i, frame, error)) {
                return false;
            }
        }
    }
    return true;
}

// Material coordinates where the file has none: the mesh at rest, seen across its thinnest side.
static void make_uv(const cli_part* part, cli_studio_part* made)
{
    bounds box = bounds_empty();
    for (int v = 0; v < part->vertex_count; ++v) {
        bounds_add(&box, made->rest[v]);
    }
    drape_vec3 size = bounds_size(&box);
    bool drops_x = size.x <= size.y && size.x <= size.z;
    bool drops_y = !drops_x && size.y <= size.z;
    for (int v = 0; v < part->vertex_count; ++v) {
        drape_vec3 p = made->rest[v];
        made->uv[2 * v] = drops_x ? p.z : p.x;
        made->uv[2 * v + 1] = drops_y ? p.z : p.y;
    }
}

// Areas at rest and in material coordinates, and the sum of all edges.
static void measure_part(const cli_part* part, cli_studio_part* made, double* area, double* uv_area)
{
    *area = *uv_area = made->edge_sum = 0.0;
    for (int t = 0; t < part->triangle_count; ++t) {
        const int32_t* corner = part->triangles + 3 * (size_t)t;
        drape_vec3 p[3];
        const float* uv[3];
        for (int k = 0; k < 3; ++k) {
            p[k] = made->rest[corner[k]];
            uv[k] = made->uv + 2 * (size_t)corner[k];
        }
        for (int k = 0; k < 3; ++k) {
            made->edge_sum += dr_length_double(dr_sub(p[(k + 1) % 3], p[k]));
        }
        *area += 0.5 * dr_length_double(dr_cross(dr_sub(p[1], p[0]), dr_sub(p[2], p[0])));
        *uv_area += 0.5 * fabs((double)(uv[1][0] - uv[0][0]) * (uv[2][1] - uv[0][1]) -
                               (double)(uv[2][0] - uv[0][0]) * (uv[1][1] - uv[0][1]));
    }
}

// Bands that come out even along u.
static void fit_bands(const cli_part* part, const cli_studio_part* made, double uv_area,
                      dr_look* look)
{
    float lo = INFINITY, hi = -INFINITY;
    for (int v = 0; v < part->vertex_count; ++v) {
        lo = fminf(lo, made->uv[2 * v]);
        hi = fmaxf(hi, made->uv[2 * v]);
    }
    float wanted = (float)sqrt(uv_area) / BANDS;
    if (wanted > 0.0f && hi > lo) {
        look->band = (hi - lo) / fmaxf(1.0f, roundf((hi - lo) / wanted));
    }
}

// Warm and cold cloths in turn; each has two colours in front and two, duller, at the back.
static const uint32_t cloth_colors[][4] = {
    {0xb8252d, 0xf5ecdb, 0x8d4a48, 0xd9cfbf},
    {0x27517f, 0xf1ede4, 0x4c6079, 0xcfccc5},
    {0x4d7a4a, 0xf3eedd, 0x5f7258, 0xd0ccbd},
    {0xc08a2b, 0xf6f0e2, 0x8f754a, 0xd5cdbd},
};
static const uint32_t obstacle_color = 0xc2a684; // pale wood

static void color_cloth(const cli_render_options* options, int number, dr_look* look)
{
    const uint32_t* ours = cloth_colors[number % 4];
    drape_vec3 colors[4];
    for (int i = 0; i < 4; ++i) {
        colors[i] = dr_color_from_srgb(ours[i]);
        // With two given the back is like the front, only duller.
        if (options->color_count > 0) {
            int given = i < options->color_count ? i : i % 2;
            given = given < options->color_count ? given : 0;
            colors[i] = dr_scale(options->colors[given], i < options->color_count ? 1.0f : 0.7f);
        }
    }
    look->front[0] = colors[0];
    look->front[1] = colors[1];
    look->back[0] = colors[2];
    look->back[1] = colors[3];
}

static void dress_part(cli_studio* studio, int index, int number)
{
    const cli_part* part = part_at(studio, index);
    cli_studio_part* made = &studio->parts[index];
    dr_look* look = &studio->looks[index];
    *look = (dr_look){.pattern = DR_PATTERN_PLAIN, .band = 1.0f, .scale = 1.0f};
    if (part->is_obstacle) {
        drape_vec3 color = dr_color_from_srgb(obstacle_color);
        look->front[0] = look->back[0] = color;
        return;
    }
    double area, uv_area;
    if (part->uv == NULL) {
        make_uv(part, made);
    }
    measure_part(part, made, &area, &uv_area);
    look->pattern = (dr_pattern)studio->options->pattern;
    look->through = 0.12f;
    look->sheen = 0.2f;
    look->heat = cli_overlay_scale((cli_overlay)studio->options->overlay);
    look->scale = area > 0.0 ? (float)sqrt(uv_area / area) : 1.0f;
    color_cloth(studio->options, number, look);
    fit_bands(part, made, uv_area, look);
}

// --- Making room ---

static bool make_part(cli_studio* studio, int index, drape_error* error)
{
    const cli_part* part = part_at(studio, index);
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
        dress_part(studio, i, numbers[part_at(studio, i)->is_obstacle]++);
    }
    return true;
}

// --- The mesh at rest ---

static int only_cloth(const cli_studio* studio)
{
    int found = -1;
    for (int i = 0; i < studio->playback->part_count; ++i) {
        if (!part_at(studio, i)->is_obstacle) {
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
    int count = part_at(studio, cloth)->vertex_count;
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

// --- Ground and camera ---

// A large obstacle that lies flat is the ground, when there is to be one.
static void find_ground(cli_studio* studio)
{
    bounds cloth = bounds_of(studio, false);
    float size = longest(bounds_size(&cloth));
    float top = -INFINITY;
    for (int i = 0; i < studio->playback->part_count; ++i) {
        cli_studio_part* part = &studio->parts[i];
        drape_vec3 extent = bounds_size(&part->box);
        part->is_large = part_at(studio, i)->is_obstacle && longest(extent) > LARGE * size &&
                         part_at(studio, i)->triangle_count <= 12;
        bool is_flat = extent.y < 0.01f * size && extent.x > size && extent.z > size;
        if (part->is_large && is_flat && studio->options->ground != CLI_GROUND_NONE) {
            part->is_hidden = true;
            top = fmaxf(top, part->box.hi.y);
        }
    }
    bounds all = bounds_of(studio, true);
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
    bounds all = bounds_of(studio, true);
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
        const cli_part* part = part_at(studio, i);
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

// --- Overlays ---

static void describe_parts(cli_studio* studio)
{
    for (int i = 0; i < studio->playback->part_count; ++i) {
        const cli_part* part = part_at(studio, i);
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
        if (!part_at(studio, i)->is_obstacle &&
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
    dr_framing empty = dr_framing_begin(options->turn, options->height_view, options->fov,
                                        (float)options->width / (float)options->height, MARGIN);
    if (!make_parts(studio, error) || !read_rest(studio, error) ||
        !survey(studio, first, last, &empty, error)) {
        return false;
    }
    find_ground(studio);
    place_camera(studio, &empty);
    choose_levels(studio);
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
        const cli_part* part = part_at(studio, i);
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
    size_t count = (size_t)part_at(studio, index)->vertex_count;
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
