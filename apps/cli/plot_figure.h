// plot_figure.h: from tables to lines that can be drawn.
//
// A figure is one or more panels below each other over the same x axis, a panel for each unit of
// what was asked for. A line is a column of a table over another one, in the unit it is shown in:
// stretch in per cent, gaps in millimetres. It points into its table, so tables must outlive it.
//
// Rows of a table belong to the same line unless their words differ, or their number of threads,
// or, where that would put two points over one x, their size. What differs is the name of the line.
// When that makes too many lines for one panel each value of the first column of words gets its
// own.
#ifndef CLI_PLOT_FIGURE_H
#define CLI_PLOT_FIGURE_H

#include "plot_table.h"

#define CLI_LABEL_SIZE 96
#define CLI_PANELS_MAX 12
#define CLI_LINES_MAX 240

// What the command line says; null and zero: not given.
typedef struct cli_plot_order {
    const char* x;
    const char* y; // keys with commas between them
    const char* title;
    const drape_override* wheres; // only rows in which the column `path` is `value`
    int where_count;
    int log; // place in cli_plot_log_words, or -1
} cli_plot_order;

// x, y, xy, none; ends with null.
extern const char* const cli_plot_log_words[];

// How the values of a column are shown.
typedef struct cli_quantity {
    const char* unit; // "" when it has none
    double scale;     // from the file's unit to this one
    bool is_whole;    // a count
} cli_quantity;

typedef struct cli_line {
    char name[CLI_LABEL_SIZE];
    char family[CLI_LABEL_SIZE]; // the name without files or threads; shares its colour
    int member;                  // place in the family
    const double *x, *y;
    double x_scale, y_scale;
    const size_t* rows; // null: all, in order
    size_t count;
    int panel;
    int colour, dash; // places in the palette and in the list of dashes
} cli_line;

typedef struct cli_panel {
    char label[CLI_LABEL_SIZE]; // of the y axis, without the unit
    const char* unit;
    bool is_whole;
    int line_count;
} cli_panel;

typedef struct cli_figure {
    const char* title; // may be null
    char x_label[CLI_LABEL_SIZE];
    cli_quantity x_quantity;
    bool is_log_x, is_log_y;
    bool has_marks; // points are few and measured one by one
    cli_panel panels[CLI_PANELS_MAX];
    int panel_count;
    cli_line* lines;
    int line_count;
    struct cli_groups* groups; // of each table; lines point to their rows
    int table_count;
} cli_figure;

// A point of a line; false where it has none that can be shown.
bool cli_line_point(const cli_figure* figure, const cli_line* line, size_t index, double* x,
                    double* y);

// Chooses what to draw. Free the figure whatever the result.
bool cli_figure_make(cli_figure* figure, const cli_table* tables, int table_count,
                     const cli_plot_order* order, drape_error* error);
void cli_figure_free(cli_figure* figure);

// --- Rows that belong together ---

#define CLI_GROUP_COLUMNS_MAX 8

typedef struct cli_group {
    double key[CLI_GROUP_COLUMNS_MAX]; // values of the columns, NAN where there is none
    size_t* rows;                      // by rising x; null: all, in their own order
    size_t count, capacity;
} cli_group;

typedef struct cli_groups {
    int columns[CLI_GROUP_COLUMNS_MAX];
    bool differs[CLI_GROUP_COLUMNS_MAX]; // not the same in all groups
    int column_count;
    cli_group* items;
    int count;
} cli_groups;

// Groups the rows that `order` wants and that have an x. Free the groups whatever the result.
bool cli_groups_make(cli_groups* groups, const cli_table* table, int x_column, bool is_log_x,
                     const cli_plot_order* order, drape_error* error);
void cli_groups_free(cli_groups* groups);
// Least and most of the positive values of a column in the rows that `order` wants; false when
// there are none.
bool cli_groups_span(const cli_table* table, int column, const cli_plot_order* order, double* least,
                     double* most, drape_error* error);

// --- Columns by key ---

#define CLI_KEYS_MAX 32

// What a column measures, by its name.
cli_quantity cli_quantity_of(const char* column);
// "kinetic energy" for kinetic_energy, "solve" for ms.solve and ms_solve.
void cli_column_label(const char* column, char label[CLI_LABEL_SIZE]);
// The column of the x axis, or -1 with a sentence.
int cli_choose_x(const cli_table* table, const char* key, drape_error* error);
// The columns to draw; their number, 0 with a sentence. `is_one_of_many`: the table is to be
// compared with others, or has rows to be compared, so one column is enough.
int cli_choose_y(const cli_table* table, const char* keys, bool is_one_of_many, int* columns,
                 drape_error* error);
// A column by its name or a short one; -1 with a sentence that tells what there is.
int cli_choose_column(const cli_table* table, const char* key, size_t length, drape_error* error);

#endif
