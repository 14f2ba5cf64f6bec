// Tables from CSV.
//
// Twice over the text: the first time tells which columns are numbers and whether each line has
// its cells, the second one fills the columns.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/text.h"
#include "plot_table.h"

// A cell without its quotes; `text` may lie in the file.
typedef struct cell {
    const char* text;
    size_t length;
} cell;

// Quotes within quotes are written twice; such a cell is put together here.
typedef struct reading {
    dr_text text;
    char* joined;
    drape_error* error;
} reading;

static bool at_cell_end(const dr_text* text)
{
    return text->at == text->end || *text->at == ',' || dr_text_is_break(*text->at);
}

// Takes what stands between quotes; line breaks may not.
static bool read_quoted(reading* in, cell* found)
{
    dr_text* text = &in->text;
    size_t length = 0;
    for (++text->at; text->at < text->end && !dr_text_is_break(*text->at); ++text->at) {
        if (*text->at == '"') {
            ++text->at;
            if (text->at == text->end || *text->at != '"') {
                *found = (cell){in->joined, length};
                dr_text_skip_blanks(text);
                return at_cell_end(text) || dr_text_expected(text, "a comma", in->error);
            }
        }
        in->joined[length++] = *text->at;
    }
    return dr_text_expected(text, "a closing quote", in->error);
}

static bool read_cell(reading* in, cell* found)
{
    dr_text* text = &in->text;
    dr_text_skip_blanks(text);
    if (text->at < text->end && *text->at == '"') {
        return read_quoted(in, found);
    }
    const char* start = text->at;
    while (!at_cell_end(text)) {
        ++text->at;
    }
    const char* stop = text->at;
    while (stop > start && dr_text_is_blank(stop[-1])) {
        --stop;
    }
    *found = (cell){start, (size_t)(stop - start)};
    return true;
}

// Over the comma to the next cell; false at the end of the line.
static bool next_cell(dr_text* text)
{
    bool has_next = text->at < text->end && *text->at == ',';
    text->at += has_next ? 1 : 0;
    return has_next;
}

// To the next line that has cells; false at the end of the file.
static bool next_row(dr_text* text)
{
    for (; text->at < text->end; dr_text_next_line(text)) {
        dr_text_skip_blanks(text);
        if (!dr_text_at_line_end(text)) {
            return true;
        }
    }
    return false;
}

// The number in a cell, NAN when it has none or is empty. `is_word` tells the two apart.
static double number_of(cell c, bool* is_word)
{
    char digits[64];
    *is_word = c.length >= sizeof digits;
    if (c.length == 0 || *is_word || (c.length == 4 && memcmp(c.text, "null", 4) == 0)) {
        return (double)NAN;
    }
    memcpy(digits, c.text, c.length);
    digits[c.length] = '\0';
    char* behind;
    double value = strtod(digits, &behind);
    *is_word = behind != digits + c.length;
    return *is_word || !isfinite(value) ? (double)NAN : value;
}

static bool read_head(reading* in, cli_table* table)
{
    do {
        cell name;
        if (!read_cell(in, &name)) {
            return false;
        }
        if (name.length == 0) {
            return dr_text_fail(&in->text, in->error, "expected a name for column %d, found none",
                                table->column_count + 1);
        }
        if (cli_table_find(table, name.text, name.length) >= 0) {
            return dr_text_fail(&in->text, in->error, "the column \"%.*s\" comes twice",
                                (int)(name.length < 60 ? name.length : 60), name.text);
        }
        if (cli_table_add_column(table, name.text, name.length) < 0) {
            return cli_table_check(table, in->error) &&
                   dr_text_fail(&in->text, in->error, "expected at most %d columns",
                                CLI_COLUMNS_MAX);
        }
    } while (next_cell(&in->text));
    return true;
}

// Looks at a row, or puts it into the table.
static bool read_row(reading* in, cli_table* table, bool is_put)
{
    int count = 0;
    do {
        cell c;
        if (!read_cell(in, &c)) {
            return false;
        }
        if (count++ >= table->column_count) {
            continue;
        }
        cli_column* column = &table->columns[count - 1];
        bool is_word;
        double value = number_of(c, &is_word);
        if (is_put && column->is_text) {
            if (!cli_table_put_word(table, count - 1, c.text, c.length)) {
                return cli_table_check(table, in->error);
            }
        } else if (is_put) {
            column->values[table->row_count - 1] = value;
        } else {
            column->is_text = column->is_text || is_word;
        }
    } while (next_cell(&in->text));
    return count == table->column_count ||
           dr_text_fail(&in->text, in->error, "expected %d cells, found %d", table->column_count,
                        count);
}

static bool read_rows(reading* in, cli_table* table, bool is_put)
{
    for (dr_text_next_line(&in->text); next_row(&in->text); dr_text_next_line(&in->text)) {
        if (is_put && !cli_table_add_row(table)) {
            return cli_table_check(table, in->error);
        }
        if (!read_row(in, table, is_put)) {
            return false;
        }
    }
    return true;
}

static bool read_table(reading* in, cli_table* table)
{
    if (!next_row(&in->text)) {
        dr_error_set(in->error, DRAPE_ERROR_INPUT,
                     "%s: expected statistics (an object a line) or CSV, found an empty file",
                     table->path);
        return false;
    }
    if (!read_head(in, table)) {
        return false;
    }
    dr_text start = in->text;
    bool is_sound = read_rows(in, table, false);
    in->text = start;
    return is_sound && read_rows(in, table, true);
}

bool cli_table_read_csv(cli_table* table, const dr_file* file, drape_error* error)
{
    reading in = {.error = error, .joined = malloc(file->size + 1)};
    if (in.joined == NULL) {
        dr_error_set_memory(error, table->path);
        return false;
    }
    // A mark that some editors put in front of UTF-8.
    bool has_mark = file->size >= 3 && memcmp(file->data, "\xEF\xBB\xBF", 3) == 0;
    in.text = (dr_text){.at = file->data + (has_mark ? 3 : 0),
                        .end = file->data + file->size,
                        .name = table->path,
                        .line = 1,
                        .comment = '#'};
    bool is_read = read_table(&in, table);
    free(in.joined);
    return is_read;
}
