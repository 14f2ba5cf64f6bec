// A figure on a page: panels below each other, legends at their right, the x axis below.
//
//     title
//     label (unit)
//     20 ┼──────────────────────┤  ── total
//     10 ┼──────────────────────┤  ── solve
//      0 ┼──────────────────────┤
//        0     1     2     3
//                time (s)
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/list.h"
#include "plot_axis.h"
#include "plot_canvas.h"
#include "plot_font.h"
#include "plot_style.h"

#define TEXT_SIZE 12.0
#define TITLE_SIZE 16.0
#define MARGIN 16.0
// The panels of a figure alone, of two, and of more.
static const double panel_heights[] = {440.0, 240.0, 180.0};
#define LINE_WIDTH 1.6
#define MARK_WIDTH 5.0
#define LEGEND_STEP 18.0
#define LEGEND_SAMPLE 24.0
// The label above a panel, and the numbers and label below the last one.
#define LABEL_HEIGHT 38.0
#define FOOT_HEIGHT 44.0
// Fonts of a browser may be wider than ours.
#define WIDTH_SLACK 1.1
// Longer names are cut in the legend.
#define NAME_LETTERS 36

typedef struct drawing {
    const cli_figure* figure;
    cli_canvas* canvas;
    cli_axis x_axis;
    cli_axis y_axes[CLI_PANELS_MAX];
    double left, right; // of all panels
    double tops[CLI_PANELS_MAX], bottoms[CLI_PANELS_MAX];
    double legend_width;
    dr_list points; // cli_point, for the line being drawn
    bool lacks_memory;
} drawing;

// --- Ranges ---

typedef struct range {
    double low, high;
} range;

static void widen(range* r, double value)
{
    r->low = fmin(r->low, value);
    r->high = fmax(r->high, value);
}

static void find_ranges(const cli_figure* figure, range* x_range, range* y_ranges)
{
    *x_range = (range){HUGE_VAL, -HUGE_VAL};
    for (int i = 0; i < figure->panel_count; ++i) {
        y_ranges[i] = *x_range;
    }
    for (int i = 0; i < figure->line_count; ++i) {
        const cli_line* line = &figure->lines[i];
        double x, y;
        for (size_t k = 0; k < line->count; ++k) {
            if (cli_line_point(figure, line, k, &x, &y)) {
                widen(x_range, x);
                widen(&y_ranges[line->panel], y);
            }
        }
    }
}

// --- Layout ---

// The name of a line as the legend shows it: cut at a letter, not within one.
static void write_name(const cli_line* line, char name[CLI_LABEL_SIZE])
{
    size_t length = 0;
    int letters = 0;
    for (; line->name[length] != '\0' && letters < NAME_LETTERS; ++letters) {
        do {
            ++length;
        } while (((unsigned char)line->name[length] & 0xC0) == 0x80);
    }
    bool is_cut = line->name[length] != '\0' && length < CLI_LABEL_SIZE - 4;
    snprintf(name, CLI_LABEL_SIZE, "%.*s%s", (int)length, line->name, is_cut ? "…" : "");
}

// Panels of one line each need none: their labels say what it is.
static bool has_legend(const cli_figure* figure)
{
    return figure->line_count > figure->panel_count;
}

static double find_legend_width(const cli_figure* figure)
{
    double width = 0.0;
    for (int i = 0; i < figure->line_count && has_legend(figure); ++i) {
        char name[CLI_LABEL_SIZE];
        write_name(&figure->lines[i], name);
        width = fmax(width, LEGEND_SAMPLE + 8.0 + WIDTH_SLACK * cli_text_width(name, TEXT_SIZE));
    }
    return width;
}

// A panel with its label, so that its legend fits.
static double panel_height(const cli_figure* figure, int panel)
{
    double plot = panel_heights[figure->panel_count < 3 ? figure->panel_count - 1 : 2];
    double legend = has_legend(figure) ? LEGEND_STEP * figure->panels[panel].line_count : 0.0;
    return LABEL_HEIGHT + fmax(plot, legend);
}

int cli_figure_height(const cli_figure* figure)
{
    double height = FOOT_HEIGHT + MARGIN + (figure->title != NULL ? 1.6 * TITLE_SIZE : 0.0);
    for (int i = 0; i < figure->panel_count; ++i) {
        height += panel_height(figure, i);
    }
    return (int)ceil(height);
}

// Shares what is left of the height between the panels, by the lines in their legends.
static void place_panels(drawing* d, double height)
{
    const cli_figure* figure = d->figure;
    double top = MARGIN + (figure->title != NULL ? 1.6 * TITLE_SIZE : 0.0);
    double whole = cli_figure_height(figure) - top - FOOT_HEIGHT;
    double room = height - top - FOOT_HEIGHT;
    for (int i = 0; i < figure->panel_count; ++i) {
        double share = panel_height(figure, i) / whole * room;
        d->tops[i] = floor(top + LABEL_HEIGHT) + 0.5;
        d->bottoms[i] = fmax(d->tops[i] + 10.0, floor(top + share) + 0.5);
        top += share;
    }
}

static void choose_axes(drawing* d, double width)
{
    const cli_figure* figure = d->figure;
    range x_range, y_ranges[CLI_PANELS_MAX];
    find_ranges(figure, &x_range, y_ranges);
    double label_width = 0.0;
    for (int i = 0; i < figure->panel_count; ++i) {
        // Powers of ten may stand closer: there are 2 and 5 times them between.
        double room = figure->is_log_y ? 28.0 : 48.0;
        int goal = (int)((d->bottoms[i] - d->tops[i]) / room);
        cli_axis_choose(&d->y_axes[i], &(cli_axis_order){.low = y_ranges[i].low,
                                                         .high = y_ranges[i].high,
                                                         .is_log = figure->is_log_y,
                                                         .is_whole = figure->panels[i].is_whole,
                                                         .is_rounded = true,
                                                         .tick_goal = goal > 2 ? goal : 2});
        for (int k = 0; k < d->y_axes[i].tick_count; ++k) {
            label_width = fmax(label_width, cli_text_width(d->y_axes[i].labels[k], TEXT_SIZE));
        }
    }
    d->left = floor(MARGIN + WIDTH_SLACK * label_width + 8.0) + 0.5;
    double legend = d->legend_width > 0.0 ? d->legend_width + 18.0 : 0.0;
    d->right = fmax(d->left + 40.0, floor(width - MARGIN - legend - 8.0) + 0.5);
    int goal = (int)((d->right - d->left) / 80.0);
    cli_axis_choose(&d->x_axis, &(cli_axis_order){.low = x_range.low,
                                                  .high = x_range.high,
                                                  .is_log = figure->is_log_x,
                                                  .is_whole = figure->x_quantity.is_whole,
                                                  .tick_goal = goal > 2 ? goal : 2});
}

// --- Axes ---

static double x_of(const drawing* d, double value)
{
    return d->left + (d->right - d->left) * cli_axis_place(&d->x_axis, value);
}

static double y_of(const drawing* d, int panel, double value)
{
    double height = d->bottoms[panel] - d->tops[panel];
    return d->bottoms[panel] - height * cli_axis_place(&d->y_axes[panel], value);
}

// Lines of one point's width are sharp when they run along the middles of points.
static double sharp(double place)
{
    return floor(place) + 0.5;
}

static void draw_segments(drawing* d, const cli_point* ends, int count, cli_pen pen)
{
    cli_point points[3 * (2 * CLI_TICKS_MAX + 4)];
    int used = 0;
    for (int i = 0; i < count; ++i) {
        points[used++] = ends[i];
        if (i % 2 == 1) {
            points[used++] = (cli_point){(double)NAN, 0.0};
        }
    }
    d->canvas->stroke(d->canvas, points, (size_t)used, pen);
}

static void draw_grid(drawing* d, int panel)
{
    cli_point ends[4 * CLI_TICKS_MAX];
    int count = 0;
    const cli_axis* y_axis = &d->y_axes[panel];
    for (int i = 0; i < y_axis->tick_count; ++i) {
        double y = sharp(y_of(d, panel, y_axis->ticks[i]));
        ends[count++] = (cli_point){d->left, y};
        ends[count++] = (cli_point){d->right, y};
    }
    for (int i = 0; i < d->x_axis.tick_count; ++i) {
        double x = sharp(x_of(d, d->x_axis.ticks[i]));
        ends[count++] = (cli_point){x, d->tops[panel]};
        ends[count++] = (cli_point){x, d->bottoms[panel]};
    }
    draw_segments(d, ends, count, (cli_pen){CLI_GRID, 1.0, 0});
    cli_point frame[] = {
        {d->left, d->tops[panel]}, {d->left, d->bottoms[panel]}, {d->right, d->bottoms[panel]}};
    d->canvas->stroke(d->canvas, frame, 3, (cli_pen){CLI_FRAME, 1.0, 0});
}

// "kinetic energy (10⁻³ J)"
static void write_label(char* text, size_t size, const char* label, const char* unit, int exponent)
{
    char power[CLI_TICK_SIZE] = "";
    if (exponent != 0) {
        cli_power_write(power, exponent);
    }
    bool has_both = exponent != 0 && unit[0] != '\0';
    bool has_any = exponent != 0 || unit[0] != '\0';
    snprintf(text, size, "%s%s%s%s%s%s", label, has_any && label[0] != '\0' ? " (" : "", power,
             has_both ? " " : "", unit, has_any && label[0] != '\0' ? ")" : "");
}

static void draw_y_axis(drawing* d, int panel)
{
    const cli_axis* axis = &d->y_axes[panel];
    const cli_lettering style = {TEXT_SIZE, CLI_INK_SOFT, CLI_ANCHOR_RIGHT, false};
    for (int i = 0; i < axis->tick_count; ++i) {
        double y = sharp(y_of(d, panel, axis->ticks[i]));
        d->canvas->write(d->canvas, d->left - 8.0, y + 0.36 * TEXT_SIZE, axis->labels[i], style);
    }
    char label[2 * CLI_LABEL_SIZE];
    write_label(label, sizeof label, d->figure->panels[panel].label, d->figure->panels[panel].unit,
                axis->exponent);
    d->canvas->write(d->canvas, MARGIN, d->tops[panel] - 15.0, label,
                     (cli_lettering){TEXT_SIZE, CLI_INK, CLI_ANCHOR_LEFT, true});
}

static void draw_x_axis(drawing* d)
{
    const cli_figure* figure = d->figure;
    double bottom = d->bottoms[figure->panel_count - 1];
    double free_from = 0.0;
    for (int i = 0; i < d->x_axis.tick_count; ++i) {
        // Labels that would run into the one before are left out.
        double x = sharp(x_of(d, d->x_axis.ticks[i]));
        double half = 0.5 * cli_text_width(d->x_axis.labels[i], TEXT_SIZE);
        if (x - half >= free_from) {
            d->canvas->write(d->canvas, x, bottom + 17.0, d->x_axis.labels[i],
                             (cli_lettering){TEXT_SIZE, CLI_INK_SOFT, CLI_ANCHOR_MIDDLE, false});
            free_from = x + half + 6.0;
        }
    }
    // Of a count the label says what is counted.
    const char* unit = figure->x_quantity.is_whole ? "" : figure->x_quantity.unit;
    char label[2 * CLI_LABEL_SIZE];
    write_label(label, sizeof label, figure->x_label, unit, d->x_axis.exponent);
    d->canvas->write(d->canvas, 0.5 * (d->left + d->right), bottom + 36.0, label,
                     (cli_lettering){TEXT_SIZE, CLI_INK, CLI_ANCHOR_MIDDLE, true});
}

// --- Lines ---

static void push_point(drawing* d, cli_point point)
{
    cli_point* place = dr_list_push(&d->points, 1, sizeof point);
    if (place == NULL) {
        d->lacks_memory = true;
    } else {
        *place = point;
    }
}

static void lift_pen(drawing* d)
{
    push_point(d, (cli_point){(double)NAN, 0.0});
}

// Points that follow each other in one column of half a point's width.
typedef struct bundle {
    cli_point first, low, high, last;
    size_t low_at, high_at;
    size_t count;
    double column;
} bundle;

// At most four of a bundle show all of it: the ends, the lowest and the highest, in their order.
static void flush_bundle(drawing* d, bundle* b)
{
    if (b->count == 0) {
        return;
    }
    bool low_first = b->low_at < b->high_at;
    size_t early_at = low_first ? b->low_at : b->high_at;
    size_t late_at = low_first ? b->high_at : b->low_at;
    push_point(d, b->first);
    if (early_at > 0 && early_at < b->count - 1) {
        push_point(d, low_first ? b->low : b->high);
    }
    if (late_at > 0 && late_at < b->count - 1 && late_at != early_at) {
        push_point(d, low_first ? b->high : b->low);
    }
    if (b->count > 1) {
        push_point(d, b->last);
    }
    b->count = 0;
}

static void add_to_bundle(drawing* d, bundle* b, cli_point point)
{
    double column = floor(2.0 * point.x);
    if (b->count > 0 && column != b->column) {
        flush_bundle(d, b);
    }
    if (b->count == 0) {
        *b = (bundle){point, point, point, point, 0, 0, 0, column};
    }
    if (point.y > b->low.y) {
        b->low = point;
        b->low_at = b->count;
    }
    if (point.y < b->high.y) {
        b->high = point;
        b->high_at = b->count;
    }
    b->last = point;
    ++b->count;
}

static void collect_points(drawing* d, const cli_line* line)
{
    bundle b = {0};
    bool is_down = false;
    d->points.count = 0;
    for (size_t i = 0; i < line->count && !d->lacks_memory; ++i) {
        double x, y;
        if (cli_line_point(d->figure, line, i, &x, &y)) {
            add_to_bundle(d, &b, (cli_point){x_of(d, x), y_of(d, line->panel, y)});
            is_down = true;
        } else if (is_down) {
            flush_bundle(d, &b);
            lift_pen(d);
            is_down = false;
        }
    }
    flush_bundle(d, &b);
}

// A dot at each point: the same points with the pen lifted between them.
static void draw_marks(drawing* d, const cli_line* line)
{
    size_t count = d->points.count;
    for (size_t i = 0; i < count && !d->lacks_memory; ++i) {
        push_point(d, ((const cli_point*)d->points.data)[i]);
        lift_pen(d);
    }
    if (!d->lacks_memory) {
        d->canvas->stroke(d->canvas, (const cli_point*)d->points.data + count, 2 * count,
                          (cli_pen){cli_palette[line->colour], MARK_WIDTH, 0});
    }
}

static void draw_line(drawing* d, const cli_line* line)
{
    collect_points(d, line);
    if (d->lacks_memory) {
        return;
    }
    d->canvas->stroke(d->canvas, d->points.data, d->points.count,
                      (cli_pen){cli_palette[line->colour], LINE_WIDTH, line->dash});
    if (d->figure->has_marks && d->points.count <= 100) {
        draw_marks(d, line);
    }
}

// --- Legends ---

static void draw_legend(drawing* d, int panel)
{
    double x = d->right + 18.0;
    double y = d->tops[panel] + 0.5 * LEGEND_STEP;
    const cli_lettering style = {TEXT_SIZE, CLI_INK, CLI_ANCHOR_LEFT, false};
    // What a panel has no room for is counted.
    int room = (int)((d->bottoms[panel] - d->tops[panel]) / LEGEND_STEP);
    int count = d->figure->panels[panel].line_count;
    int shown = count <= room || room < 1 ? count : room - 1;
    for (int i = 0; i < d->figure->line_count && shown > 0; ++i) {
        const cli_line* line = &d->figure->lines[i];
        bool is_told = count == 1 && strcmp(line->name, d->figure->panels[panel].label) == 0;
        if (line->panel != panel || is_told) {
            continue;
        }
        char name[CLI_LABEL_SIZE];
        write_name(line, name);
        cli_point sample[] = {{x, y}, {x + LEGEND_SAMPLE, y}};
        cli_pen pen = {cli_palette[line->colour], LINE_WIDTH, line->dash};
        d->canvas->stroke(d->canvas, sample, 2, pen);
        if (d->figure->has_marks) {
            cli_point mark = {x + 0.5 * LEGEND_SAMPLE, y};
            d->canvas->stroke(d->canvas, &mark, 1, (cli_pen){pen.colour, MARK_WIDTH, 0});
        }
        d->canvas->write(d->canvas, x + LEGEND_SAMPLE + 8.0, y + 0.36 * TEXT_SIZE, name, style);
        y += LEGEND_STEP;
        --shown;
        --count;
    }
    if (shown == 0 && count > 0) {
        char rest[32];
        snprintf(rest, sizeof rest, "and %d more", count);
        d->canvas->write(d->canvas, x, y + 0.36 * TEXT_SIZE, rest, style);
    }
}

// --- The whole ---

bool cli_figure_draw(const cli_figure* figure, cli_canvas* canvas, double width, double height)
{
    drawing* d = calloc(1, sizeof *d);
    if (d == NULL) {
        return false;
    }
    d->figure = figure;
    d->canvas = canvas;
    d->legend_width = find_legend_width(figure);
    place_panels(d, height);
    choose_axes(d, width);
    if (figure->title != NULL) {
        canvas->write(canvas, MARGIN, MARGIN + TITLE_SIZE, figure->title,
                      (cli_lettering){TITLE_SIZE, CLI_INK, CLI_ANCHOR_LEFT, true});
    }
    for (int i = 0; i < figure->panel_count; ++i) {
        draw_grid(d, i);
        draw_y_axis(d, i);
    }
    draw_x_axis(d);
    for (int i = 0; i < figure->line_count; ++i) {
        draw_line(d, &figure->lines[i]);
    }
    for (int i = 0; i < figure->panel_count && has_legend(figure); ++i) {
        draw_legend(d, i);
    }
    bool is_drawn = !d->lacks_memory;
    dr_list_free(&d->points);
    free(d);
    return is_drawn;
}
