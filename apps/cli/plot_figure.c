#include "plot_figure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/sentence.h"
#include "plot_axis.h"
#include "plot_style.h"

const char* const cli_plot_log_words[] = {"x", "y", "xy", "none", NULL};

// More lines than these in one panel are taken apart.
#define CROWD 12
// A span this wide is shown on a logarithmic axis.
#define WIDE_SPAN 20.0

// Values beyond are left out: their differences would overflow.
#define LARGEST 1e300

typedef struct making {
    cli_figure* figure;
    const cli_table* tables;
    int table_count;
    const cli_plot_order* order;
    drape_error* error;
} making;

bool cli_line_point(const cli_figure* figure, const cli_line* line, size_t index, double* x,
                    double* y)
{
    size_t row = line->rows != NULL ? line->rows[index] : index;
    *x = line->x[row] * line->x_scale;
    *y = line->y[row] * line->y_scale;
    bool is_finite = fabs(*x) < LARGEST && fabs(*y) < LARGEST;
    bool has_x = !figure->is_log_x || *x > 1.0 / LARGEST;
    bool has_y = !figure->is_log_y || *y > 1.0 / LARGEST;
    return is_finite && has_x && has_y;
}

// --- Names ---

static size_t common_start(const making* m)
{
    const char* first = m->tables[0].path;
    size_t length = 0;
    for (size_t i = 0; first[i] != '\0'; ++i) {
        for (int t = 1; t < m->table_count; ++t) {
            if (m->tables[t].path[i] != first[i]) {
                return length;
            }
        }
        length = first[i] == '/' ? i + 1 : length;
    }
    return length;
}

static size_t common_end(const making* m, size_t start)
{
    const char* first = m->tables[0].path;
    size_t first_length = strlen(first);
    size_t length = 0;
    for (size_t i = 1; i + start < first_length; ++i) {
        char letter = first[first_length - i];
        for (int t = 1; t < m->table_count; ++t) {
            size_t other = strlen(m->tables[t].path);
            if (i + start >= other || m->tables[t].path[other - i] != letter) {
                return length;
            }
        }
        length = letter == '/' || letter == '.' ? i : length;
    }
    return length;
}

// What tells the files apart: their paths without what all begin and end with.
static void add_file_name(const making* m, int table, dr_sentence* name)
{
    const char* path = m->tables[table].path;
    size_t start = common_start(m);
    size_t end = common_end(m, start);
    dr_sentence_add_bytes(name, path + start, strlen(path) - start - end);
}

static void add_part(dr_sentence* name, const char* part)
{
    if (part[0] != '\0') {
        dr_sentence_join(name, name->length > 0 ? ", " : "", part, NULL);
    }
}

// The value of one column of a group in words: "swept", "2 threads", "10,201 vertices", "n 51".
static void write_value(const cli_column* column, double value, char text[CLI_LABEL_SIZE])
{
    char number[CLI_TICK_SIZE];
    cli_number_write(number, value, 7);
    if (isnan(value)) {
        text[0] = '\0';
    } else if (column->is_text) {
        snprintf(text, CLI_LABEL_SIZE, "%s", column->words[(int)value]);
    } else if (strlen(column->name) > 1) {
        // One thread, not "1 threads".
        int length = (int)strlen(column->name) - (value == 1.0 ? 1 : 0);
        snprintf(text, CLI_LABEL_SIZE, "%s %.*s", number, length, column->name);
    } else {
        snprintf(text, CLI_LABEL_SIZE, "%s %s", column->name, number);
    }
}

// --- Panels ---

// What panels of several columns show, by their unit.
static const char* topic_of(const char* unit)
{
    static const char* const topics[][2] = {{"ms", "time per frame"}, {"µs", "time"},
                                            {"ns", "time"},           {"J", "energy"},
                                            {"%", "stretch"},         {"mm", "gap"}};
    for (size_t i = 0; i < sizeof topics / sizeof topics[0]; ++i) {
        if (strcmp(topics[i][0], unit) == 0) {
            return topics[i][1];
        }
    }
    return "";
}

static bool is_whole_frame(const char* column)
{
    return strcmp(column, "ms.total") == 0 || strcmp(column, "ms_frame") == 0 ||
           strcmp(column, "ms_total") == 0;
}

static void label_panel(cli_panel* panel, const char* column, const char* word)
{
    char label[CLI_LABEL_SIZE];
    cli_column_label(column, label);
    bool is_unit = strcmp(label, panel->unit) == 0 || is_whole_frame(column);
    snprintf(panel->label, sizeof panel->label, "%s",
             word[0] != '\0' ? word
             : is_unit       ? topic_of(panel->unit)
                             : label);
}

// The panel of a unit and, where lines are taken apart, a word; -1 when there are too many.
static int find_panel(cli_figure* figure, const char* column, const char* word, bool is_alone)
{
    cli_quantity quantity = cli_quantity_of(column);
    cli_panel fresh = {.unit = quantity.unit, .is_whole = quantity.is_whole};
    label_panel(&fresh, column, word);
    for (int i = 0; i < figure->panel_count; ++i) {
        cli_panel* panel = &figure->panels[i];
        bool is_here = strcmp(panel->unit, fresh.unit) == 0 &&
                       (word[0] == '\0' || strcmp(panel->label, word) == 0);
        // Without a unit nothing says that two columns can be compared.
        is_here = is_here && (fresh.unit[0] != '\0' || strcmp(panel->label, fresh.label) == 0);
        if (is_here) {
            if (word[0] == '\0' && !is_alone && strcmp(panel->label, fresh.label) != 0) {
                snprintf(panel->label, sizeof panel->label, "%s", topic_of(panel->unit));
            }
            return i;
        }
    }
    if (figure->panel_count == CLI_PANELS_MAX) {
        return -1;
    }
    figure->panels[figure->panel_count] = fresh;
    return figure->panel_count++;
}

// --- Lines ---

// What the lines of one table have in common.
typedef struct source {
    int table;
    int x_column;
    int y_columns[CLI_KEYS_MAX];
    int y_count;
    const cli_groups* groups;
    int panel_column; // place in the groups' columns, or -1
} source;

// True when another column is drawn in the panel of this one.
static bool shares_panel(const making* m, const source* from, const char* column)
{
    const char* unit = cli_quantity_of(column).unit;
    int count = 0;
    for (int i = 0; i < from->y_count; ++i) {
        const char* other = m->tables[from->table].columns[from->y_columns[i]].name;
        count += unit[0] != '\0' && strcmp(cli_quantity_of(other).unit, unit) == 0;
    }
    return count > 1;
}

static void name_line(const making* m, const source* from, const cli_group* group,
                      const char* column, cli_line* line)
{
    char part[CLI_LABEL_SIZE];
    dr_sentence name = dr_sentence_begin(line->name, sizeof line->name);
    dr_sentence family = dr_sentence_begin(line->family, sizeof line->family);
    if (m->table_count > 1) {
        add_file_name(m, from->table, &name);
        line->member = from->table;
    }
    cli_column_label(column, part);
    add_part(&name, shares_panel(m, from, column) ? part : "");
    add_part(&family, part);
    for (int c = 0; c < from->groups->column_count; ++c) {
        if (from->groups->differs[c] && c != from->panel_column) {
            const cli_column* by = &m->tables[from->table].columns[from->groups->columns[c]];
            write_value(by, group->key[c], part);
            add_part(&name, part);
            bool is_threads = strcmp(by->name, "threads") == 0;
            add_part(&family, is_threads ? "" : part);
            line->member = is_threads && group->key[c] > 1.0 ? line->member + 1 : line->member;
        }
    }
    if (name.length == 0) {
        cli_column_label(column, part);
        add_part(&name, part);
    }
}

static bool refuse_crowd(const making* m, const char* what, int most)
{
    dr_error_set(m->error, DRAPE_ERROR_INPUT,
                 "more than %d %s; choose some rows with --where KEY=VALUE, or columns with --y",
                 most, what);
    return false;
}

// True when a line has at least one point.
static bool is_visible(const cli_figure* figure, const cli_line* line)
{
    double x, y;
    for (size_t i = 0; i < line->count; ++i) {
        if (cli_line_point(figure, line, i, &x, &y)) {
            return true;
        }
    }
    return false;
}

static bool add_line(const making* m, const source* from, const cli_group* group, int y_column)
{
    cli_figure* figure = m->figure;
    const cli_table* table = &m->tables[from->table];
    const cli_column* y = &table->columns[y_column];
    cli_line line = {.x = table->columns[from->x_column].values,
                     .y = y->values,
                     .x_scale = figure->x_quantity.scale,
                     .y_scale = cli_quantity_of(y->name).scale,
                     .rows = group->rows,
                     .count = group->count};
    if (!is_visible(figure, &line)) {
        return true;
    }
    char word[CLI_LABEL_SIZE] = "";
    if (from->panel_column >= 0) {
        int column = from->groups->columns[from->panel_column];
        write_value(&table->columns[column], group->key[from->panel_column], word);
    }
    name_line(m, from, group, y->name, &line);
    line.panel = find_panel(figure, y->name, word, from->y_count == 1);
    if (line.panel < 0) {
        return refuse_crowd(m, "panels", CLI_PANELS_MAX);
    }
    if (figure->line_count == CLI_LINES_MAX) {
        return refuse_crowd(m, "lines", CLI_LINES_MAX);
    }
    figure->panels[line.panel].line_count += 1;
    figure->lines[figure->line_count++] = line;
    return true;
}

// The first column of words that takes a crowd of lines apart into few panels.
static int choose_panel_column(const making* m, const source* from)
{
    const cli_groups* groups = from->groups;
    if (groups->count * from->y_count <= CROWD || m->table_count > 1) {
        return -1;
    }
    const cli_table* table = &m->tables[from->table];
    for (int c = 0; c < groups->column_count; ++c) {
        bool is_seen[CLI_WORDS_MAX + 1] = {false};
        int count = 0;
        bool is_text = table->columns[groups->columns[c]].is_text;
        for (int g = 0; g < groups->count && is_text; ++g) {
            int word =
                isnan(groups->items[g].key[c]) ? CLI_WORDS_MAX : (int)groups->items[g].key[c];
            count += !is_seen[word];
            is_seen[word] = true;
        }
        if (count > 1 && count * from->y_count <= CLI_PANELS_MAX) {
            return c;
        }
    }
    return -1;
}

static bool add_lines(const making* m, int table, int x_column)
{
    source from = {.table = table, .x_column = x_column, .groups = &m->figure->groups[table]};
    bool is_one_of_many = m->table_count > 1 || from.groups->count > 1;
    from.y_count =
        cli_choose_y(&m->tables[table], m->order->y, is_one_of_many, from.y_columns, m->error);
    from.panel_column = choose_panel_column(m, &from);
    for (int y = 0; y < from.y_count; ++y) {
        for (int g = 0; g < from.groups->count; ++g) {
            if (!add_line(m, &from, &from.groups->items[g], from.y_columns[y])) {
                return false;
            }
        }
    }
    return from.y_count > 0;
}

// --- Colours ---

// The families of all lines, numbered; returns the most of them that are in one panel.
static int number_families(cli_figure* figure, int* family_count)
{
    const char* families[CLI_LINES_MAX];
    bool is_seen[CLI_LINES_MAX] = {false};
    int most = 0;
    *family_count = 0;
    for (int panel = 0; panel < figure->panel_count; ++panel) {
        int count = 0;
        memset(is_seen, 0, sizeof is_seen);
        for (int i = 0; i < figure->line_count; ++i) {
            cli_line* line = &figure->lines[i];
            if (line->panel != panel) {
                continue;
            }
            int f = 0;
            while (f < *family_count && strcmp(families[f], line->family) != 0) {
                ++f;
            }
            families[f] = line->family;
            *family_count = f == *family_count ? f + 1 : *family_count;
            count += !is_seen[f];
            is_seen[f] = true;
            line->colour = f;
        }
        most = count > most ? count : most;
    }
    return most;
}

// Where panels have several families, these share a colour and their members differ by dashes. Else
// each line of a panel takes the next colour.
static void choose_styles(cli_figure* figure)
{
    int family_count, last_member = 0;
    bool by_family = number_families(figure, &family_count) > 1;
    for (int i = 0; i < figure->line_count; ++i) {
        int member = figure->lines[i].member;
        last_member = member > last_member ? member : last_member;
    }
    by_family = by_family && family_count < figure->line_count && family_count <= CLI_COLOURS &&
                last_member < CLI_DASHES;
    int in_panel[CLI_PANELS_MAX] = {0};
    for (int i = 0; i < figure->line_count; ++i) {
        cli_line* line = &figure->lines[i];
        int place = by_family ? line->colour : in_panel[line->panel]++;
        line->dash = by_family ? line->member : place / CLI_COLOURS % CLI_DASHES;
        line->colour = place % CLI_COLOURS;
    }
}

// --- The whole ---

// Sizes that grow by factors, as those of benchmarks do, are spaced by factors.
static bool choose_log_x(const making* m, int x_column, bool* is_log)
{
    if (m->order->log >= 0) {
        *is_log = m->order->log == 0 || m->order->log == 2;
        return true;
    }
    double least, most;
    *is_log = false;
    if (m->tables[0].is_stats) {
        return true;
    }
    if (!cli_groups_span(&m->tables[0], x_column, m->order, &least, &most, m->error)) {
        return false;
    }
    *is_log = most >= WIDE_SPAN * least;
    return true;
}

// The y axis follows the x axis when every value allows it.
static bool choose_log_y(const making* m)
{
    if (m->order->log >= 0) {
        return m->order->log == 1 || m->order->log == 2;
    }
    bool is_log = m->figure->is_log_x;
    for (int i = 0; i < m->figure->line_count && is_log; ++i) {
        const cli_line* line = &m->figure->lines[i];
        double x, y;
        for (size_t k = 0; k < line->count && is_log; ++k) {
            is_log = !cli_line_point(m->figure, line, k, &x, &y) || y > 0.0;
        }
    }
    return is_log;
}

static bool add_table(const making* m, int table)
{
    cli_figure* figure = m->figure;
    int x_column = cli_choose_x(&m->tables[table], m->order->x, m->error);
    if (x_column < 0) {
        return false;
    }
    const char* name = m->tables[table].columns[x_column].name;
    if (table == 0) {
        figure->x_quantity = cli_quantity_of(name);
        cli_column_label(name, figure->x_label);
        if (!choose_log_x(m, x_column, &figure->is_log_x)) {
            return false;
        }
    }
    figure->table_count = table + 1;
    return cli_groups_make(&figure->groups[table], &m->tables[table], x_column, figure->is_log_x,
                           m->order, m->error) &&
           add_lines(m, table, x_column);
}

bool cli_figure_make(cli_figure* figure, const cli_table* tables, int table_count,
                     const cli_plot_order* order, drape_error* error)
{
    making m = {figure, tables, table_count, order, error};
    *figure = (cli_figure){.title = order->title, .has_marks = !tables[0].is_stats};
    figure->lines = malloc(CLI_LINES_MAX * sizeof *figure->lines);
    figure->groups = calloc((size_t)table_count, sizeof *figure->groups);
    if (figure->lines == NULL || figure->groups == NULL) {
        dr_error_set_memory(error, tables[0].path);
        return false;
    }
    // An axis that is asked for decides which points there are, so it is known before the lines.
    figure->is_log_y = order->log >= 0 && choose_log_y(&m);
    for (int i = 0; i < table_count; ++i) {
        if (!add_table(&m, i)) {
            return false;
        }
    }
    if (figure->line_count == 0) {
        dr_error_set(error, DRAPE_ERROR_INPUT, "%s: expected values to draw%s, found none",
                     tables[0].path,
                     figure->is_log_x || figure->is_log_y ? " that are above 0" : "");
        return false;
    }
    figure->is_log_y = choose_log_y(&m);
    choose_styles(figure);
    return true;
}

void cli_figure_free(cli_figure* figure)
{
    for (int i = 0; i < figure->table_count; ++i) {
        cli_groups_free(&figure->groups[i]);
    }
    free(figure->groups);
    free(figure->lines);
}
