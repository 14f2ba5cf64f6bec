#include "io/json_write.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/json_number.h"
#include "io/sentence.h"

static void put_bytes(dr_json_writer* out, const char* bytes, size_t count)
{
    if (out->failed) {
        return;
    }
    if (out->capacity - out->length <= count) {
        size_t capacity = 2 * out->capacity + count + 256;
        char* text = realloc(out->text, capacity);
        if (text == NULL) {
            out->failed = true;
            return;
        }
        out->text = text;
        out->capacity = capacity;
    }
    memcpy(out->text + out->length, bytes, count);
    out->length += count;
    out->text[out->length] = '\0';
}

static void put(dr_json_writer* out, const char* words)
{
    put_bytes(out, words, strlen(words));
}

static void put_quoted(dr_json_writer* out, const char* string)
{
    static const char hex[] = "0123456789abcdef";
    put(out, "\"");
    for (const char* at = string; *at != '\0';) {
        size_t plain = 0;
        while ((unsigned char)at[plain] >= 0x20 && at[plain] != '"' && at[plain] != '\\') {
            ++plain;
        }
        put_bytes(out, at, plain);
        at += plain;
        if (*at == '"' || *at == '\\') {
            put_bytes(out, (char[]){'\\', *at}, 2);
            ++at;
        } else if (*at != '\0') {
            put_bytes(out, (char[]){'\\', 'u', '0', '0', hex[*at >> 4], hex[*at & 15]}, 6);
            ++at;
        }
    }
    put(out, "\"");
}

// What stands before every value: a comma after another one, and the key.
static void begin_value(dr_json_writer* out, const char* key)
{
    put(out, out->follows ? ", " : "");
    if (key != NULL) {
        put_quoted(out, key);
        put(out, ": ");
    }
    out->follows = true;
}

static void open_list(dr_json_writer* out, const char* key, const char* bracket)
{
    begin_value(out, key);
    put(out, bracket);
    out->follows = false;
}

static void close_list(dr_json_writer* out, const char* bracket)
{
    put(out, bracket);
    out->follows = true;
}

void dr_json_open_object(dr_json_writer* out, const char* key)
{
    open_list(out, key, "{");
}

void dr_json_close_object(dr_json_writer* out)
{
    close_list(out, "}");
}

void dr_json_open_array(dr_json_writer* out, const char* key)
{
    open_list(out, key, "[");
}

void dr_json_close_array(dr_json_writer* out)
{
    close_list(out, "]");
}

void dr_json_put_null(dr_json_writer* out, const char* key)
{
    begin_value(out, key);
    put(out, "null");
}

void dr_json_put_boolean(dr_json_writer* out, const char* key, bool value)
{
    begin_value(out, key);
    put(out, value ? "true" : "false");
}

void dr_json_put_integer(dr_json_writer* out, const char* key, int64_t value)
{
    char digits[24];
    dr_sentence number = dr_sentence_begin(digits, sizeof(digits));
    dr_sentence_add_integer(&number, value);
    begin_value(out, key);
    put(out, digits);
}

void dr_json_put_double(dr_json_writer* out, const char* key, double value)
{
    char number[DR_NUMBER_SIZE] = "null";
    if (isfinite(value)) {
        dr_number_write_double(number, value);
    }
    begin_value(out, key);
    put(out, number);
}

void dr_json_put_float(dr_json_writer* out, const char* key, float value)
{
    char number[DR_NUMBER_SIZE] = "null";
    if (isfinite(value)) {
        dr_number_write_float(number, value);
    }
    begin_value(out, key);
    put(out, number);
}

void dr_json_put_string(dr_json_writer* out, const char* key, const char* value)
{
    begin_value(out, key);
    put_quoted(out, value);
}

void dr_json_end_line(dr_json_writer* out)
{
    put(out, "\n");
    out->follows = false;
}

void dr_json_writer_clear(dr_json_writer* out)
{
    out->length = 0;
    out->follows = false;
}

void dr_json_writer_free(dr_json_writer* out)
{
    free(out->text);
    *out = (dr_json_writer){0};
}
