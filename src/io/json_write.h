// io/json_write.h: JSON as it is written, into memory that grows.
//
//     dr_json_writer out = {0};
//     dr_json_open_object(&out, NULL);
//     dr_json_put_integer(&out, "frame", 12);
//     dr_json_close_object(&out);
//     ... out.text, out.length ...                  {"frame": 12}
//     dr_json_writer_free(&out);
//
// `key` names the value within an object and is null elsewhere. Numbers have the fewest digits that
// read back as the same value; those that are not finite become null. When memory is short `failed`
// is set and all further calls do nothing, so it is enough to look at the end.
#ifndef DR_JSON_WRITE_H
#define DR_JSON_WRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct dr_json_writer {
    char* text; // ends with a zero
    size_t length;
    size_t capacity;
    bool follows; // a value stands before the next one in the same list
    bool failed;
} dr_json_writer;

void dr_json_open_object(dr_json_writer* out, const char* key);
void dr_json_close_object(dr_json_writer* out);
void dr_json_open_array(dr_json_writer* out, const char* key);
void dr_json_close_array(dr_json_writer* out);
void dr_json_put_null(dr_json_writer* out, const char* key);
void dr_json_put_boolean(dr_json_writer* out, const char* key, bool value);
void dr_json_put_integer(dr_json_writer* out, const char* key, int64_t value);
void dr_json_put_double(dr_json_writer* out, const char* key, double value);
void dr_json_put_float(dr_json_writer* out, const char* key, float value);
// UTF-8; what must be escaped is.
void dr_json_put_string(dr_json_writer* out, const char* key, const char* value);
// Ends a line, as between the objects of a file with one object a line.
void dr_json_end_line(dr_json_writer* out);
// Forgets what was written and keeps the memory.
void dr_json_writer_clear(dr_json_writer* out);
void dr_json_writer_free(dr_json_writer* out);

#endif
