// Tables from JSON lines.
#include <stdio.h>
#include <string.h>

#include "io/json.h"
#include "plot_table.h"

// Longer names are cut.
#define NAME_SIZE 256

typedef struct reading {
    cli_table* table;
    int64_t line;
    int next_column; // where the next key stands when lines are alike
    drape_error* error;
} reading;

static bool refuse(const reading* in, const char* words)
{
    dr_error_set(in->error, DRAPE_ERROR_INPUT, "%s:%lld: %s", in->table->path, (long long)in->line,
                 words);
    return false;
}

// The column of a name, new when it was not there. Lines mostly repeat the order of those before.
static int find_column(reading* in, const char* name, size_t length)
{
    cli_table* table = in->table;
    int column = in->next_column;
    bool is_next = column < table->column_count &&
                   strncmp(table->columns[column].name, name, length) == 0 &&
                   table->columns[column].name[length] == '\0';
    if (!is_next) {
        column = cli_table_find(table, name, length);
        column = column < 0 ? cli_table_add_column(table, name, length) : column;
    }
    in->next_column = column + 1;
    return column;
}

static bool put_value(reading* in, const dr_json_node* node, const char* name, size_t length)
{
    cli_table* table = in->table;
    int column = find_column(in, name, length);
    if (column < 0) {
        return cli_table_check(table, in->error) && refuse(in, "expected at most 128 keys");
    }
    if (node->kind == DR_JSON_STRING) {
        return cli_table_put_word(table, column, node->string, strlen(node->string)) ||
               cli_table_check(table, in->error);
    }
    bool is_number = node->kind == DR_JSON_NUMBER && !table->columns[column].is_text;
    if (is_number) {
        table->columns[column].values[table->row_count - 1] = node->number;
    }
    return true;
}

// Puts the members of an object behind the `length` letters of their parent's name.
static bool put_members(reading* in, const dr_json_node* object, char* name, size_t length)
{
    for (const dr_json_node* node = object->first_child; node != NULL; node = node->next) {
        int added =
            snprintf(name + length, NAME_SIZE - length, "%s%s", length > 0 ? "." : "", node->key);
        size_t end = length + (size_t)added;
        end = end < NAME_SIZE ? end : NAME_SIZE - 1;
        bool is_put = node->kind == DR_JSON_OBJECT  ? put_members(in, node, name, end)
                      : node->kind == DR_JSON_ARRAY ? true
                                                    : put_value(in, node, name, end);
        if (!is_put) {
            return false;
        }
    }
    return true;
}

static bool is_summary(const dr_json_node* object)
{
    return dr_json_find(object, "hash") != NULL && dr_json_find(object, "average") != NULL;
}

static bool read_object(reading* in, const char* text, size_t length)
{
    // Without a name the sentence begins with ":1:", where the file and its line belong.
    dr_json json = {0};
    drape_error trouble = {0};
    const dr_json_node* root = dr_json_parse(&json, text, length, "", &trouble);
    bool is_read = root != NULL;
    if (!is_read) {
        dr_error_set(in->error, trouble.kind, "%s:%lld:%s", in->table->path, (long long)in->line,
                     trouble.sentence + 3);
    } else if (root->kind != DR_JSON_OBJECT) {
        is_read = refuse(in, "expected an object for each line");
    } else if (!is_summary(root)) {
        char name[NAME_SIZE];
        in->next_column = 0;
        is_read = cli_table_add_row(in->table) ? put_members(in, root, name, 0)
                                               : cli_table_check(in->table, in->error);
    }
    dr_json_free(&json);
    return is_read;
}

bool cli_table_read_json(cli_table* table, const dr_file* file, drape_error* error)
{
    reading in = {.table = table, .error = error};
    const char* end = file->data + file->size;
    for (const char* at = file->data; at < end;) {
        const char* stop = memchr(at, '\n', (size_t)(end - at));
        stop = stop != NULL ? stop : end;
        ++in.line;
        size_t length = (size_t)(stop - at);
        bool is_empty = true;
        for (size_t i = 0; i < length && is_empty; ++i) {
            is_empty = at[i] == ' ' || at[i] == '\t' || at[i] == '\r';
        }
        if (!is_empty && !read_object(&in, at, length)) {
            return false;
        }
        at = stop + 1;
    }
    return true;
}
