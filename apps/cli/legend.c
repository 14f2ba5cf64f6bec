#include "legend.h"

#include <math.h>
#include <stdio.h>

#include "plot_canvas.h"

#define INK 0x333333u

typedef struct layout {
    int left, top, width, height; // of the bar, pixels
    double size;                  // of letters
} layout;

static layout lay_out(int width, int height)
{
    double unit = fmin((double)height / 720.0, (double)width / 640.0);
    layout bar = {.left = (int)(36.0 * unit),
                  .width = (int)fmax(220.0 * unit, 8.0),
                  .height = (int)fmax(12.0 * unit, 1.0),
                  .size = 15.0 * unit};
    bar.top = height - (int)(58.0 * unit);
    return bar;
}

static void draw_bar(uint8_t* pixels, int width, int height, const layout* bar, cli_overlay overlay)
{
    dr_heat_scale scale = cli_overlay_scale(overlay);
    for (int i = 0; i < bar->width && bar->left + i < width; ++i) {
        float heat = ((float)i + 0.5f) / (float)bar->width;
        // Of crossings there are three kinds and nothing between them.
        heat = overlay == CLI_OVERLAY_CROSSINGS ? floorf(3.0f * heat) / 2.0f : heat;
        drape_vec3 color = dr_heat_color(scale, heat);
        for (int j = bar->top < 0 ? -bar->top : 0; j < bar->height && bar->top + j < height; ++j) {
            size_t place = (size_t)(bar->top + j) * (size_t)width + (size_t)(bar->left + i);
            pixels[3 * place] = dr_srgb_byte(color.x);
            pixels[3 * place + 1] = dr_srgb_byte(color.y);
            pixels[3 * place + 2] = dr_srgb_byte(color.z);
        }
    }
}

typedef struct labels {
    char title[64];
    char ends[3][32]; // left, middle, right
} labels;

static labels label(cli_overlay overlay, const cli_overlay_range* range)
{
    labels text = {0};
    switch (overlay) {
    case CLI_OVERLAY_NONE: break;
    case CLI_OVERLAY_STRAIN:
        snprintf(text.title, sizeof text.title, "strain, %%");
        snprintf(text.ends[0], sizeof text.ends[0], "%+g", 100.0 * (double)range->low);
        snprintf(text.ends[1], sizeof text.ends[1], "0");
        snprintf(text.ends[2], sizeof text.ends[2], "%+g", 100.0 * (double)range->high);
        break;
    case CLI_OVERLAY_SPEED:
        snprintf(text.title, sizeof text.title, "speed, m/s");
        snprintf(text.ends[0], sizeof text.ends[0], "0");
        snprintf(text.ends[2], sizeof text.ends[2], "%g", (double)range->high);
        break;
    case CLI_OVERLAY_CROSSINGS:
        snprintf(text.title, sizeof text.title, "crossings");
        snprintf(text.ends[0], sizeof text.ends[0], "none");
        snprintf(text.ends[1], sizeof text.ends[1], "touch");
        snprintf(text.ends[2], sizeof text.ends[2], "cross");
        break;
    case CLI_OVERLAY_CONTACTS:
        snprintf(text.title, sizeof text.title, "gap to the next surface, mm");
        snprintf(text.ends[0], sizeof text.ends[0], "%g or more", 1e3 * (double)range->low);
        snprintf(text.ends[2], sizeof text.ends[2], "%g", 1e3 * (double)range->high);
        break;
    }
    return text;
}

bool cli_legend_draw(uint8_t* pixels, int width, int height, cli_overlay overlay,
                     const cli_overlay_range* range)
{
    static const cli_anchor anchors[] = {CLI_ANCHOR_LEFT, CLI_ANCHOR_MIDDLE, CLI_ANCHOR_RIGHT};
    layout bar = lay_out(width, height);
    labels text = label(overlay, range);
    draw_bar(pixels, width, height, &bar, overlay);
    cli_point title = {bar.left, bar.top - 0.6 * bar.size};
    bool is_drawn = cli_pixels_write(pixels, width, height, title, text.title,
                                     (cli_lettering){bar.size, INK, CLI_ANCHOR_LEFT, false});
    for (int i = 0; is_drawn && i < 3; ++i) {
        cli_point place = {bar.left + 0.5 * i * bar.width, bar.top + bar.height + 1.2 * bar.size};
        is_drawn = cli_pixels_write(pixels, width, height, place, text.ends[i],
                                    (cli_lettering){bar.size, INK, anchors[i], false});
    }
    return is_drawn;
}
