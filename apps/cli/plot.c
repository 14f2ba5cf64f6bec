// `drape plot`: lines from files of statistics and bench CSV, as SVG or PNG.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "plot.h"
#include "plot_axis.h"
#include "plot_canvas.h"

static const char help[] =
    "usage: drape plot FILE... -o FILE.svg|FILE.png [--x KEY] [--y KEY[,KEY...]] [--log AXES]\n"
    "                  [--where KEY=VALUE]... [--title TEXT] [--size WxH]\n"
    "       drape plot FILE... --list\n"
    "\n"
    "Draws lines from what `drape run --stats` or `drape bench -o` wrote; FILE is - for the\n"
    "standard input. Without further words: of statistics the milliseconds of each stage over\n"
    "time, of a bench the time over the size, a line for each scene, kind and number of threads.\n"
    "Several files are compared. What has another unit gets a panel of its own.\n"
    "\n"
    "  -o FILE            where to write; .svg or .png\n"
    "  --x KEY            what runs to the right; time, or the size\n"
    "  --y KEY[,KEY...]   what to draw: ms, energy, stretch, contacts, crossings, gap, or any of\n"
    "                     --list; the first part of a name (ms) stands for all that have it\n"
    "  --log AXES         logarithmic axes: x, y, xy or none\n"
    "  --where KEY=VALUE  only rows of this value; may be given again\n"
    "  --title TEXT       a line above\n"
    "  --size WxH         in points, or in pixels of a PNG; 960 wide, 1920 as PNG\n"
    "  --list             print the keys of the files, their units and ranges\n"
    "\n"
    "examples:\n"
    "  drape run table --stats table.jsonl && drape plot table.jsonl -o table.svg\n"
    "  drape plot table.jsonl -o table.png --y ms,energy,contacts --title 'A tablecloth'\n"
    "  drape plot before.jsonl after.jsonl -o solve.svg --y ms.solve\n"
    "  drape plot solve.csv -o solve.svg --where scene=table\n";

#define FILES_MAX 16
#define SIZE_LEAST 160
#define SIZE_MOST 16384
#define WIDTH 960

typedef struct request {
    const char* files[FILES_MAX];
    int file_count;
    const char* out;
    const char* size;
    bool is_list;
    int width, height; // 0: not given
    cli_plot_order order;
} request;

// --- Listing ---

static void print_words(const cli_column* column)
{
    for (int i = 0; i < column->word_count; ++i) {
        printf("%s%s", i > 0 ? ", " : "", column->words[i]);
    }
    puts(column->is_varied ? "many words" : "");
}

static void print_column(const cli_table* table, const cli_column* column)
{
    printf("  %-20s ", column->name);
    if (column->is_text) {
        print_words(column);
        return;
    }
    double low = HUGE_VAL, high = -HUGE_VAL;
    cli_quantity quantity = cli_quantity_of(column->name);
    for (size_t row = 0; row < table->row_count; ++row) {
        double value = quantity.scale * column->values[row];
        low = fmin(low, value);
        high = fmax(high, value);
    }
    if (!(low <= high)) {
        puts("no values");
        return;
    }
    char from[CLI_TICK_SIZE], to[CLI_TICK_SIZE];
    cli_number_write(from, low, 4);
    cli_number_write(to, high, 4);
    printf("%s", from);
    if (strcmp(from, to) != 0) {
        printf(" to %s", to);
    }
    printf("%s%s\n", quantity.is_whole ? "" : " ", quantity.is_whole ? "" : quantity.unit);
}

static void list_columns(const cli_table* tables, int count)
{
    for (int i = 0; i < count; ++i) {
        printf("%s: %zu %s\n", tables[i].path, tables[i].row_count,
               tables[i].is_stats ? "frames" : "rows");
        for (int k = 0; k < tables[i].column_count; ++k) {
            print_column(&tables[i], &tables[i].columns[k]);
        }
    }
}

// --- Drawing ---

static bool draw(const request* asked, const cli_table* tables, drape_error* error)
{
    cli_figure figure;
    bool is_done = cli_figure_make(&figure, tables, asked->file_count, &asked->order, error);
    if (is_done) {
        bool is_png = dr_path_has_ending(asked->out, ".png");
        int width = asked->width > 0 ? asked->width : is_png ? 2 * WIDTH : WIDTH;
        // A picture with more pixels shows the same, finer.
        double scale = is_png ? fmax(1.0, (double)width / WIDTH) : 1.0;
        int own_height = (int)(scale * fmax(540.0, cli_figure_height(&figure)));
        int height = asked->height > 0 ? asked->height : own_height;
        is_done = is_png ? cli_png_write(asked->out, &figure, width, height, scale, error)
                         : cli_svg_write(asked->out, &figure, width, height, error);
    }
    cli_figure_free(&figure);
    return is_done;
}

static bool plot_files(const request* asked, drape_error* error)
{
    cli_table* tables = calloc((size_t)asked->file_count, sizeof *tables);
    if (tables == NULL) {
        dr_error_set_memory(error, asked->files[0]);
        return false;
    }
    bool is_done = true;
    for (int i = 0; i < asked->file_count && is_done; ++i) {
        is_done = cli_table_read(&tables[i], asked->files[i], error);
    }
    if (is_done && asked->is_list) {
        list_columns(tables, asked->file_count);
    } else if (is_done) {
        is_done = draw(asked, tables, error);
    }
    for (int i = 0; i < asked->file_count; ++i) {
        cli_table_free(&tables[i]);
    }
    free(tables);
    return is_done;
}

bool cli_plot_file(const char* path, const char* out, const cli_plot_order* order,
                   drape_error* error)
{
    request asked = {.files = {path}, .file_count = 1, .out = out, .order = *order};
    return plot_files(&asked, error);
}

// --- The command ---

static bool read_size(request* asked)
{
    char rest;
    if (asked->size == NULL) {
        return true;
    }
    int count = sscanf(asked->size, "%5dx%5d%c", &asked->width, &asked->height, &rest);
    return count == 2 && asked->width >= SIZE_LEAST && asked->width <= SIZE_MOST &&
           asked->height >= SIZE_LEAST && asked->height <= SIZE_MOST;
}

static bool check_request(const cli_command* command, request* asked)
{
    while (asked->file_count < FILES_MAX && asked->files[asked->file_count] != NULL) {
        ++asked->file_count;
    }
    if (!read_size(asked)) {
        cli_say(command, "--size: expected WIDTHxHEIGHT, %d to %d each, found \"%s\"", SIZE_LEAST,
                SIZE_MOST, asked->size);
        return false;
    }
    if (asked->out == NULL && !asked->is_list) {
        cli_say(command, "expected -o FILE.svg or FILE.png, found neither it nor --list");
        return false;
    }
    if (asked->out != NULL && !dr_path_has_ending(asked->out, ".svg") &&
        !dr_path_has_ending(asked->out, ".png")) {
        cli_say(command, "-o: expected a name that ends with .svg or .png, found \"%s\"",
                asked->out);
        return false;
    }
    return true;
}

static int plot(const cli_command* command, int argc, char** argv)
{
    request asked = {.order.log = -1};
    cli_overrides wheres = {0};
    const cli_option options[] = {
        {"-o", CLI_TEXT, .value = &asked.out},
        {"--x", CLI_TEXT, .value = &asked.order.x},
        {"--y", CLI_TEXT, .value = &asked.order.y},
        {"--log", CLI_WORD, .value = &asked.order.log, .words = cli_plot_log_words},
        {"--where", CLI_OVERRIDE, .value = &wheres},
        {"--title", CLI_TEXT, .value = &asked.order.title},
        {"--size", CLI_TEXT, .value = &asked.size},
        {"--list", CLI_FLAG, .value = &asked.is_list},
        {0},
    };
    cli_operand operands[FILES_MAX + 1] = {{"FILE", &asked.files[0], .is_needed = true}};
    for (int i = 1; i < FILES_MAX; ++i) {
        operands[i] = (cli_operand){"FILE", &asked.files[i], .is_needed = false};
    }
    int code = cli_args_read(command, argc, argv, options, operands);
    if (code == CLI_GO_ON && !check_request(command, &asked)) {
        code = CLI_REFUSED;
    }
    if (code == CLI_GO_ON) {
        drape_error error = {0};
        asked.order.wheres = wheres.items;
        asked.order.where_count = wheres.count;
        code = plot_files(&asked, &error) ? CLI_DONE : cli_fail(command, &error);
    }
    free(wheres.items);
    return code;
}

const cli_command cli_command_plot = {"plot", "lines from statistics and bench files", help, plot};
