#include "plot_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// --- Columns and rows ---

static char* copy_text(const char* text, size_t length)
{
    char* copy = malloc(length + 1);
    if (copy != NULL) {
        memcpy(copy, text, length);
        copy[length] = '\0';
    }
    return copy;
}

int cli_table_find(const cli_table* table, const char* name, size_t length)
{
    for (int i = 0; i < table->column_count; ++i) {
        const char* own = table->columns[i].name;
        if (strncmp(own, name, length) == 0 && own[length] == '\0') {
            return i;
        }
    }
    return -1;
}

int cli_table_add_column(cli_table* table, const char* name, size_t length)
{
    if (table->column_count == CLI_COLUMNS_MAX) {
        return -1;
    }
    cli_column* column = &table->columns[table->column_count];
    size_t capacity = table->capacity > 0 ? table->capacity : 1;
    *column = (cli_column){
        copy_text(name, length), malloc(capacity * sizeof(double)), NULL, 0, false, false};
    if (column->name == NULL || column->values == NULL) {
        free(column->name);
        free(column->values);
        table->lacks_memory = true;
        return -1;
    }
    for (size_t row = 0; row < table->row_count; ++row) {
        column->values[row] = (double)NAN;
    }
    return table->column_count++;
}

static bool grow(cli_table* table)
{
    size_t capacity = table->capacity + table->capacity / 2 + 64;
    for (int i = 0; i < table->column_count; ++i) {
        double* values = realloc(table->columns[i].values, capacity * sizeof(double));
        if (values == NULL) {
            table->lacks_memory = true;
            return false;
        }
        table->columns[i].values = values;
    }
    table->capacity = capacity;
    return true;
}

bool cli_table_add_row(cli_table* table)
{
    if (table->row_count == table->capacity && !grow(table)) {
        return false;
    }
    for (int i = 0; i < table->column_count; ++i) {
        table->columns[i].values[table->row_count] = (double)NAN;
    }
    ++table->row_count;
    return true;
}

// --- Words ---

static void become_text(cli_table* table, cli_column* column)
{
    column->is_text = true;
    for (size_t row = 0; row < table->row_count; ++row) {
        column->values[row] = (double)NAN;
    }
}

static void forget_words(cli_column* column)
{
    for (int i = 0; i < column->word_count; ++i) {
        free(column->words[i]);
    }
    free(column->words);
    column->words = NULL;
    column->word_count = 0;
}

// The place of a word in its column, which it gets when it is new; -1 when memory is short.
static int place_word(cli_column* column, const char* word, size_t length)
{
    for (int i = 0; i < column->word_count; ++i) {
        if (strncmp(column->words[i], word, length) == 0 && column->words[i][length] == '\0') {
            return i;
        }
    }
    char** words = realloc(column->words, (size_t)(column->word_count + 1) * sizeof *words);
    if (words == NULL) {
        return -1;
    }
    column->words = words;
    words[column->word_count] = copy_text(word, length);
    return words[column->word_count] != NULL ? column->word_count++ : -1;
}

bool cli_table_put_word(cli_table* table, int column_index, const char* word, size_t length)
{
    cli_column* column = &table->columns[column_index];
    if (!column->is_text) {
        become_text(table, column);
    }
    if (column->is_varied) {
        return true;
    }
    int place = place_word(column, word, length);
    table->lacks_memory = table->lacks_memory || place < 0;
    column->values[table->row_count - 1] = place;
    if (column->word_count > CLI_WORDS_MAX) {
        column->is_varied = true;
        forget_words(column);
    }
    return place >= 0;
}

// --- The whole ---

bool cli_table_check(const cli_table* table, drape_error* error)
{
    if (table->lacks_memory) {
        dr_error_set_memory(error, table->path);
    }
    return !table->lacks_memory;
}

static char first_letter(const dr_file* file)
{
    return file->data[strspn(file->data, " \t\r\n")];
}

static bool parse_text(cli_table* table, const dr_file* file, drape_error* error)
{
    if (memchr(file->data, '\0', file->size) != NULL) {
        dr_error_set(error, DRAPE_ERROR_INPUT,
                     "%s: expected statistics (an object a line) or CSV, found what is no text",
                     table->path);
        return false;
    }
    table->is_stats = first_letter(file) == '{';
    return table->is_stats ? cli_table_read_json(table, file, error)
                           : cli_table_read_csv(table, file, error);
}

bool cli_table_parse(cli_table* table, const char* path, const dr_file* file, drape_error* error)
{
    *table = (cli_table){.path = path};
    bool is_read = parse_text(table, file, error);
    if (is_read && table->row_count == 0) {
        dr_error_set(error, DRAPE_ERROR_INPUT, "%s: expected %s, found none", path,
                     table->is_stats ? "frames" : "rows");
    }
    return is_read && table->row_count > 0;
}

bool cli_table_read(cli_table* table, const char* path, drape_error* error)
{
    *table = (cli_table){.path = path};
    dr_file file;
    if (!dr_file_read_named(path, &file, error)) {
        return false;
    }
    bool is_read = cli_table_parse(table, path, &file, error);
    dr_file_free(&file);
    return is_read;
}

void cli_table_free(cli_table* table)
{
    for (int i = 0; i < table->column_count; ++i) {
        forget_words(&table->columns[i]);
        free(table->columns[i].name);
        free(table->columns[i].values);
    }
    table->column_count = 0;
}
