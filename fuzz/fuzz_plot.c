// Statistics and CSV as `drape plot` reads them, and what it draws of them.
#include "../apps/cli/plot_canvas.h"
#include "fuzz_reader.h"

#define SIDE 400.0

static void stroke(cli_canvas* canvas, const cli_point* points, size_t count, cli_pen pen)
{
    (void)canvas;
    fuzz_require(pen.width > 0.0 && pen.dash >= 0, "a pen");
    for (size_t i = 0; i < count; ++i) {
        bool is_on_page = points[i].x > -SIDE && points[i].x < 3.0 * SIDE && points[i].y > -SIDE &&
                          points[i].y < 10.0 * SIDE;
        fuzz_require(isnan(points[i].x) || is_on_page, "points on the page");
    }
}

static void write_text(cli_canvas* canvas, double x, double y, const char* text,
                       cli_lettering lettering)
{
    (void)canvas;
    (void)lettering;
    fuzz_require(isfinite(x) && isfinite(y) && text != NULL, "a text on the page");
}

static void draw(const cli_table* table, uint8_t mode)
{
    static const char* const keys[] = {NULL, "ms,energy,stretch", "a", "b,a"};
    cli_figure figure;
    drape_error error = {0};
    cli_plot_order order = {.y = keys[mode & 3], .log = (mode >> 2) % 5 - 1};
    if (cli_figure_make(&figure, table, 1, &order, &error)) {
        cli_canvas canvas = {stroke, write_text};
        fuzz_require(figure.line_count > 0 && figure.panel_count > 0, "lines in panels");
        fuzz_require(cli_figure_draw(&figure, &canvas, SIDE, SIDE), "a drawing");
    } else {
        fuzz_require(error.kind != DRAPE_ERROR_NONE && error.sentence[0] != '\0', "a sentence");
    }
    cli_figure_free(&figure);
}

int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t count)
{
    fuzz_input in = {bytes, count};
    uint8_t mode = fuzz_byte(&in);
    // The readers are given files with a zero behind them, as dr_file_read leaves them.
    dr_file file = {malloc(in.left + 1), in.left};
    fuzz_require(file.data != NULL, "memory");
    memcpy(file.data, in.bytes, in.left);
    file.data[in.left] = '\0';
    cli_table table;
    drape_error error = {0};
    if (cli_table_parse(&table, "f.csv", &file, &error)) {
        draw(&table, mode);
    } else {
        require_sentence(&error, "f.csv");
    }
    cli_table_free(&table);
    free(file.data);
    return 0;
}
