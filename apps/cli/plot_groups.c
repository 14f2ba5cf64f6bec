// Rows of a table that make a line together.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/sentence.h"
#include "plot_figure.h"

// --- Rows that are wanted ---

// A column and the value that it must have.
typedef struct condition {
    int column;
    double value;
} condition;

#define CONDITIONS_MAX 16

typedef struct filter {
    condition conditions[CONDITIONS_MAX];
    int count;
} filter;

static bool refuse_value(const cli_table* table, const drape_override* where,
                         const cli_column* column, drape_error* error)
{
    error->kind = DRAPE_ERROR_INPUT;
    dr_sentence sentence = dr_sentence_begin(error->sentence, sizeof error->sentence);
    dr_sentence_join(&sentence, table->path, ": nowhere is ", column->name, " \"", where->value,
                     "\"", NULL);
    for (int i = 0; i < column->word_count; ++i) {
        dr_sentence_join(&sentence, i > 0 ? ", " : "; there are ", column->words[i], NULL);
    }
    return false;
}

// The value of a column that `where` wants, as the column has it; NAN when it never occurs.
static double value_of(const cli_column* column, const char* text)
{
    for (int i = 0; i < column->word_count; ++i) {
        if (strcmp(column->words[i], text) == 0) {
            return i;
        }
    }
    char* end;
    double value = strtod(text, &end);
    return column->is_text || end == text || *end != '\0' ? (double)NAN : value;
}

static bool make_filter(filter* wanted, const cli_table* table, const cli_plot_order* order,
                        drape_error* error)
{
    wanted->count = 0;
    for (int i = 0; i < order->where_count; ++i) {
        const drape_override* where = &order->wheres[i];
        int index = cli_choose_column(table, where->path, strlen(where->path), error);
        if (index < 0) {
            return false;
        }
        const cli_column* column = &table->columns[index];
        condition c = {index, value_of(column, where->value)};
        bool occurs = false;
        for (size_t row = 0; row < table->row_count && !occurs; ++row) {
            occurs = column->values[row] == c.value;
        }
        if (!occurs) {
            return refuse_value(table, where, column, error);
        }
        if (wanted->count == CONDITIONS_MAX) {
            dr_error_set(error, DRAPE_ERROR_INPUT, "--where: expected at most %d of them",
                         CONDITIONS_MAX);
            return false;
        }
        wanted->conditions[wanted->count++] = c;
    }
    return true;
}

static bool is_wanted(const filter* wanted, const cli_table* table, size_t row)
{
    for (int i = 0; i < wanted->count; ++i) {
        const condition* c = &wanted->conditions[i];
        if (table->columns[c->column].values[row] != c->value) {
            return false;
        }
    }
    return true;
}

bool cli_groups_span(const cli_table* table, int column, const cli_plot_order* order, double* least,
                     double* most, drape_error* error)
{
    filter wanted;
    *least = HUGE_VAL;
    *most = 0.0;
    if (!make_filter(&wanted, table, order, error)) {
        return false;
    }
    const double* values = table->columns[column].values;
    for (size_t row = 0; row < table->row_count; ++row) {
        if (values[row] > 0.0 && is_wanted(&wanted, table, row)) {
            *least = fmin(*least, values[row]);
            *most = fmax(*most, values[row]);
        }
    }
    return true;
}

// --- Grouping ---

static bool same_key(const cli_groups* groups, const cli_group* group, const double* key)
{
    for (int i = 0; i < groups->column_count; ++i) {
        bool is_same = group->key[i] == key[i] || (isnan(group->key[i]) && isnan(key[i]));
        if (!is_same) {
            return false;
        }
    }
    return true;
}

// The group of a key, a new one when there is none; null when memory is short or there are too
// many.
static cli_group* find_group(cli_groups* groups, const double* key)
{
    // Rows that follow each other mostly belong together.
    for (int i = groups->count - 1; i >= 0; --i) {
        if (same_key(groups, &groups->items[i], key)) {
            return &groups->items[i];
        }
    }
    if (groups->count == CLI_LINES_MAX) {
        return NULL;
    }
    cli_group* items = realloc(groups->items, (size_t)(groups->count + 1) * sizeof *items);
    if (items == NULL) {
        return NULL;
    }
    groups->items = items;
    cli_group* group = &items[groups->count++];
    *group = (cli_group){0};
    memcpy(group->key, key, (size_t)groups->column_count * sizeof(double));
    return group;
}

static bool add_row(cli_group* group, size_t row)
{
    if (group->count == group->capacity) {
        size_t capacity = group->capacity + group->capacity / 2 + 16;
        size_t* rows = realloc(group->rows, capacity * sizeof *rows);
        if (rows == NULL) {
            return false;
        }
        group->rows = rows;
        group->capacity = capacity;
    }
    group->rows[group->count++] = row;
    return true;
}

static bool refuse_groups(const cli_groups* groups, const cli_table* table, drape_error* error)
{
    if (groups->count < CLI_LINES_MAX) {
        dr_error_set_memory(error, table->path);
    } else {
        dr_error_set(error, DRAPE_ERROR_INPUT,
                     "%s: more than %d lines; choose some rows with --where KEY=VALUE", table->path,
                     CLI_LINES_MAX);
    }
    return false;
}

static bool collect_rows(cli_groups* groups, const cli_table* table, const filter* wanted,
                         const double* x, bool is_log_x, drape_error* error)
{
    for (size_t row = 0; row < table->row_count; ++row) {
        bool has_x = is_log_x ? x[row] > 0.0 : !isnan(x[row]);
        if (!has_x || !is_wanted(wanted, table, row)) {
            continue;
        }
        double key[CLI_GROUP_COLUMNS_MAX];
        for (int i = 0; i < groups->column_count; ++i) {
            key[i] = table->columns[groups->columns[i]].values[row];
        }
        cli_group* group = find_group(groups, key);
        if (group == NULL || !add_row(group, row)) {
            return refuse_groups(groups, table, error);
        }
    }
    return true;
}

// --- Order ---

typedef struct place {
    double x;
    size_t row;
} place;

static int compare_places(const void* a, const void* b)
{
    const place *p = a, *q = b;
    int by_x = (p->x > q->x) - (p->x < q->x);
    return by_x != 0 ? by_x : (p->row > q->row) - (p->row < q->row);
}

static bool sort_rows(cli_group* group, const double* x)
{
    place* places = malloc((group->count + 1) * sizeof *places);
    if (places == NULL) {
        return false;
    }
    for (size_t i = 0; i < group->count; ++i) {
        places[i] = (place){x[group->rows[i]], group->rows[i]};
    }
    qsort(places, group->count, sizeof *places, compare_places);
    for (size_t i = 0; i < group->count; ++i) {
        group->rows[i] = places[i].row;
    }
    free(places);
    return true;
}

static bool has_twins(const cli_groups* groups, const double* x)
{
    for (int g = 0; g < groups->count; ++g) {
        const cli_group* group = &groups->items[g];
        for (size_t i = 1; i < group->count; ++i) {
            if (x[group->rows[i]] == x[group->rows[i - 1]]) {
                return true;
            }
        }
    }
    return false;
}

// --- The whole ---

static void forget_rows(cli_groups* groups)
{
    for (int i = 0; i < groups->count; ++i) {
        free(groups->items[i].rows);
    }
    free(groups->items);
    groups->items = NULL;
    groups->count = 0;
}

static void add_column(cli_groups* groups, int column)
{
    for (int i = 0; i < groups->column_count; ++i) {
        if (groups->columns[i] == column) {
            return;
        }
    }
    if (groups->column_count < CLI_GROUP_COLUMNS_MAX) {
        groups->columns[groups->column_count++] = column;
    }
}

// A size that could tell apart what has the same x.
static int find_size(const cli_table* table, int x_column)
{
    static const char* const sizes[] = {"size", "triangles", "vertices", "n"};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i) {
        int column = cli_table_find(table, sizes[i], strlen(sizes[i]));
        if (column >= 0 && column != x_column && !table->columns[column].is_text) {
            return column;
        }
    }
    return -1;
}

static void choose_columns(cli_groups* groups, const cli_table* table, int x_column)
{
    for (int i = 0; i < table->column_count; ++i) {
        const cli_column* column = &table->columns[i];
        bool is_threads = strcmp(column->name, "threads") == 0 && !column->is_text;
        if (i != x_column && (is_threads || (column->is_text && !column->is_varied))) {
            add_column(groups, i);
        }
    }
}

static bool group_and_sort(cli_groups* groups, const cli_table* table, const filter* wanted,
                           const double* x, bool is_log_x, drape_error* error)
{
    forget_rows(groups);
    if (!collect_rows(groups, table, wanted, x, is_log_x, error)) {
        return false;
    }
    for (int i = 0; i < groups->count; ++i) {
        if (!sort_rows(&groups->items[i], x)) {
            dr_error_set_memory(error, table->path);
            return false;
        }
    }
    return true;
}

static void find_differences(cli_groups* groups)
{
    for (int c = 0; c < groups->column_count; ++c) {
        groups->differs[c] = false;
        for (int g = 1; g < groups->count; ++g) {
            double a = groups->items[0].key[c], b = groups->items[g].key[c];
            groups->differs[c] = groups->differs[c] || !(a == b || (isnan(a) && isnan(b)));
        }
    }
}

// One group of all rows, for a table that has nothing to group by.
static bool make_one(cli_groups* groups, const cli_table* table, drape_error* error)
{
    groups->items = calloc(1, sizeof *groups->items);
    if (groups->items == NULL) {
        dr_error_set_memory(error, table->path);
        return false;
    }
    groups->count = 1;
    groups->items[0].count = table->row_count;
    return true;
}

bool cli_groups_make(cli_groups* groups, const cli_table* table, int x_column, bool is_log_x,
                     const cli_plot_order* order, drape_error* error)
{
    filter wanted;
    *groups = (cli_groups){0};
    if (!make_filter(&wanted, table, order, error)) {
        return false;
    }
    choose_columns(groups, table, x_column);
    if (groups->column_count == 0 && wanted.count == 0) {
        return make_one(groups, table, error);
    }
    const double* x = table->columns[x_column].values;
    bool is_made = group_and_sort(groups, table, &wanted, x, is_log_x, error);
    int size = find_size(table, x_column);
    if (is_made && size >= 0 && has_twins(groups, x)) {
        add_column(groups, size);
        is_made = group_and_sort(groups, table, &wanted, x, is_log_x, error);
    }
    find_differences(groups);
    return is_made;
}

void cli_groups_free(cli_groups* groups)
{
    forget_rows(groups);
}
