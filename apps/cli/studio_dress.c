// What the parts on the stage look like.
#include "studio_parts.h"

// Bands of a pattern along a side of a square cloth.
#define BANDS 20.0f

// Material coordinates where the file has none: the mesh at rest, seen across its thinnest side.
static void make_uv(const cli_part* part, cli_studio_part* made)
{
    cli_bounds box = cli_bounds_empty();
    for (int v = 0; v < part->vertex_count; ++v) {
        cli_bounds_add(&box, made->rest[v]);
    }
    drape_vec3 size = cli_bounds_size(&box);
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

void cli_studio_dress(cli_studio* studio, int index, int number)
{
    const cli_part* part = cli_part_at(studio, index);
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
