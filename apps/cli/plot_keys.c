// Which columns are meant by the keys of the command line, and what they measure.
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/sentence.h"
#include "plot_figure.h"

// --- Units ---

typedef struct rule {
    const char* pattern; // a name, or its end behind '*', or its start before '*'
    cli_quantity quantity;
} rule;

// The first that fits counts.
static const rule rules[] = {
    {"time", {"s", 1.0, false}},          {"ms.*", {"ms", 1.0, false}},
    {"ms_*", {"ms", 1.0, false}},         {"ms", {"ms", 1.0, false}},
    {"*_ms", {"ms", 1.0, false}},         {"us_*", {"µs", 1.0, false}},
    {"ns_*", {"ns", 1.0, false}},         {"ns", {"ns", 1.0, false}},
    {"*stretch", {"%", 100.0, false}},    {"*strain", {"%", 100.0, false}},
    {"*gap", {"mm", 1000.0, false}},      {"*energy", {"J", 1.0, false}},
    {"contacts", {"count", 1.0, true}},   {"crossings", {"count", 1.0, true}},
    {"touches", {"count", 1.0, true}},    {"*_tests", {"count", 1.0, true}},
    {"runs", {"count", 1.0, true}},       {"heap_calls", {"count", 1.0, true}},
    {"items", {"count", 1.0, true}},      {"frame", {"count", 1.0, true}},
    {"vertices", {"count", 1.0, true}},   {"triangles", {"count", 1.0, true}},
    {"threads", {"count", 1.0, true}},    {"n", {"count", 1.0, true}},
    {"guarded", {"count", 1.0, true}},    {"pinched", {"count", 1.0, true}},
    {"size", {"count", 1.0, true}},       {"substeps", {"count", 1.0, true}},
    {"sweeps", {"count", 1.0, true}},     {"planes", {"count", 1.0, true}},
    {"*_pairs", {"count", 1.0, true}},    {"conflicts", {"count", 1.0, true}},
    {"clamped", {"count", 1.0, true}},    {"frozen", {"count", 1.0, true}},
    {"forced", {"count", 1.0, true}},     {"halved", {"count", 1.0, true}},
    {"*_vertices", {"count", 1.0, true}}, {"*_contacts", {"count", 1.0, true}},
    {"*_searches", {"count", 1.0, true}}, {"crossed", {"count", 1.0, true}},
    {"touching", {"count", 1.0, true}},   {"unconverged", {"count", 1.0, true}},
};

static bool fits(const char* pattern, const char* name)
{
    size_t length = strlen(pattern);
    size_t name_length = strlen(name);
    if (pattern[0] == '*') {
        --length;
        return name_length >= length && strcmp(name + name_length - length, pattern + 1) == 0;
    }
    if (pattern[length - 1] == '*') {
        return strncmp(name, pattern, length - 1) == 0;
    }
    return strcmp(name, pattern) == 0;
}

cli_quantity cli_quantity_of(const char* column)
{
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; ++i) {
        if (fits(rules[i].pattern, column)) {
            return rules[i].quantity;
        }
    }
    return (cli_quantity){"", 1.0, false};
}

void cli_column_label(const char* column, char label[CLI_LABEL_SIZE])
{
    // The unit in front of a name stands at the axis already.
    static const char* const units[] = {"ms.", "ms_", "us_", "ns_"};
    const char* name = column;
    for (size_t i = 0; i < sizeof units / sizeof units[0]; ++i) {
        if (strncmp(column, units[i], 3) == 0 && column[3] != '\0') {
            name = column + 3;
        }
    }
    snprintf(label, CLI_LABEL_SIZE, "%s", name);
    for (char* at = label; *at != '\0'; ++at) {
        *at = *at == '_' ? ' ' : *at;
    }
}

// --- One column ---

// Short names of what people ask for.
static const char* const shorts[][2] = {
    {"energy", "kinetic_energy"}, {"stretch", "max_stretch"}, {"gap", "smallest_gap"}};

static int find_short(const cli_table* table, const char* key, size_t length)
{
    for (size_t i = 0; i < sizeof shorts / sizeof shorts[0]; ++i) {
        if (strlen(shorts[i][0]) == length && memcmp(shorts[i][0], key, length) == 0) {
            return cli_table_find(table, shorts[i][1], strlen(shorts[i][1]));
        }
    }
    return -1;
}

// "solve" for ms.solve and ms_solve, when there is just one such name.
static int find_by_end(const cli_table* table, const char* key, size_t length)
{
    int found = -1;
    for (int i = 0; i < table->column_count; ++i) {
        const char* name = table->columns[i].name;
        size_t name_length = strlen(name);
        bool is_end =
            name_length > length && strncmp(name + name_length - length, key, length) == 0;
        char before = is_end ? name[name_length - length - 1] : '\0';
        if (before == '.' || before == '_') {
            if (found >= 0) {
                return -1;
            }
            found = i;
        }
    }
    return found;
}

static int find_column(const cli_table* table, const char* key, size_t length)
{
    int found = cli_table_find(table, key, length);
    found = found >= 0 ? found : find_short(table, key, length);
    return found >= 0 ? found : find_by_end(table, key, length);
}

static void refuse_key(const cli_table* table, const char* key, size_t length, drape_error* error)
{
    error->kind = DRAPE_ERROR_INPUT;
    dr_sentence sentence = dr_sentence_begin(error->sentence, sizeof error->sentence);
    dr_sentence_join(&sentence, table->path, ": nothing is called \"", NULL);
    dr_sentence_add_bytes(&sentence, key, length < 60 ? length : 60);
    dr_sentence_add(&sentence, "\"; there are");
    for (int i = 0; i < table->column_count; ++i) {
        dr_sentence_join(&sentence, i > 0 ? ", " : " ", table->columns[i].name, NULL);
    }
}

int cli_choose_column(const cli_table* table, const char* key, size_t length, drape_error* error)
{
    int found = find_column(table, key, length);
    if (found < 0) {
        refuse_key(table, key, length, error);
    }
    return found;
}

static bool expect_numbers(const cli_table* table, int column, drape_error* error)
{
    if (column >= 0 && table->columns[column].is_text) {
        dr_error_set(error, DRAPE_ERROR_INPUT, "%s: expected numbers in \"%s\", found words",
                     table->path, table->columns[column].name);
        return false;
    }
    return column >= 0;
}

static bool is_number_column(const cli_table* table, int column)
{
    return column >= 0 && !table->columns[column].is_text;
}

// --- The x axis ---

// At least two values, so that it can be an axis.
static bool has_extent(const cli_table* table, int column)
{
    const double* values = table->columns[column].values;
    double first = (double)NAN;
    for (size_t row = 0; row < table->row_count; ++row) {
        if (!isnan(values[row])) {
            if (!isnan(first) && values[row] != first) {
                return true;
            }
            first = values[row];
        }
    }
    return false;
}

int cli_choose_x(const cli_table* table, const char* key, drape_error* error)
{
    if (key != NULL) {
        int column = cli_choose_column(table, key, strlen(key), error);
        return expect_numbers(table, column, error) ? column : -1;
    }
    static const char* const usual[] = {"time", "frame", "size", "triangles", "vertices", "n"};
    for (size_t i = 0; i < sizeof usual / sizeof usual[0]; ++i) {
        int column = cli_table_find(table, usual[i], strlen(usual[i]));
        if (is_number_column(table, column) && (table->is_stats || has_extent(table, column))) {
            return column;
        }
    }
    for (int i = 0; i < table->column_count; ++i) {
        if (is_number_column(table, i) && has_extent(table, i)) {
            return i;
        }
    }
    dr_error_set(error, DRAPE_ERROR_INPUT,
                 "%s: expected a column of different numbers for the x axis, found none",
                 table->path);
    return -1;
}

// --- The y axis ---

typedef struct choice {
    int* columns;
    int count;
} choice;

static void add_column(choice* chosen, int column)
{
    for (int i = 0; i < chosen->count; ++i) {
        if (chosen->columns[i] == column) {
            return;
        }
    }
    if (chosen->count < CLI_KEYS_MAX) {
        chosen->columns[chosen->count++] = column;
    }
}

static bool is_zero(const cli_table* table, int column)
{
    const double* values = table->columns[column].values;
    for (size_t row = 0; row < table->row_count; ++row) {
        if (!isnan(values[row]) && values[row] != 0.0) {
            return false;
        }
    }
    return true;
}

// All columns KEY.* or KEY_*, but for those that are nothing but zero: stages that did not run.
static void add_group(const cli_table* table, const char* key, size_t length, choice* chosen)
{
    for (int keeps_zero = 0; keeps_zero < 2 && chosen->count == 0; ++keeps_zero) {
        for (int i = 0; i < table->column_count; ++i) {
            const char* name = table->columns[i].name;
            bool is_in = strncmp(name, key, length) == 0 &&
                         (name[length] == '.' || name[length] == '_') && is_number_column(table, i);
            if (is_in && (keeps_zero || !is_zero(table, i))) {
                add_column(chosen, i);
            }
        }
    }
}

static bool add_key(const cli_table* table, const char* key, size_t length, choice* chosen,
                    drape_error* error)
{
    int group[CLI_KEYS_MAX];
    choice members = {group, 0};
    if (cli_table_find(table, key, length) < 0) {
        add_group(table, key, length, &members);
    }
    for (int i = 0; i < members.count; ++i) {
        add_column(chosen, group[i]);
    }
    if (members.count > 0) {
        return true;
    }
    int column = cli_choose_column(table, key, length, error);
    if (!expect_numbers(table, column, error)) {
        return false;
    }
    add_column(chosen, column);
    return true;
}

// Times, in the first unit that is there; one column of them where lines are compared.
static bool add_usual(const cli_table* table, bool is_one_of_many, choice* chosen,
                      drape_error* error)
{
    static const char* const totals[] = {"ms.total", "ms_total", "ms_frame", "ms", "ns"};
    for (size_t i = 0; i < sizeof totals / sizeof totals[0]; ++i) {
        int column = cli_table_find(table, totals[i], strlen(totals[i]));
        bool is_alone = is_one_of_many || strlen(totals[i]) == 2;
        if (is_alone && is_number_column(table, column)) {
            add_column(chosen, column);
            return true;
        }
    }
    static const char* const units[] = {"ms", "us", "ns"};
    for (size_t i = 0; i < sizeof units / sizeof units[0] && chosen->count == 0; ++i) {
        add_group(table, units[i], 2, chosen);
    }
    if (chosen->count == 0) {
        dr_error_set(error, DRAPE_ERROR_INPUT,
                     "%s: expected times (ms or ns), found none; say with --y what to draw, --list "
                     "tells what there is",
                     table->path);
    }
    chosen->count = is_one_of_many && chosen->count > 1 ? 1 : chosen->count;
    return chosen->count > 0;
}

int cli_choose_y(const cli_table* table, const char* keys, bool is_one_of_many, int* columns,
                 drape_error* error)
{
    choice chosen = {columns, 0};
    if (keys == NULL) {
        return add_usual(table, is_one_of_many, &chosen, error) ? chosen.count : 0;
    }
    for (const char* at = keys;; ++at) {
        size_t length = strcspn(at, ",");
        if (length == 0) {
            dr_error_set(error, DRAPE_ERROR_INPUT,
                         "--y: expected keys with commas between them, found \"%s\"", keys);
            return 0;
        }
        if (!add_key(table, at, length, &chosen, error)) {
            return 0;
        }
        at += length;
        if (*at == '\0') {
            return chosen.count;
        }
    }
}
