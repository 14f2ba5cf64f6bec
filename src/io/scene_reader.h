// io/scene_reader.h: values out of a JSON tree, each of them checked.
//
// The reader keeps the first sentence that goes wrong. From then on every call does nothing, so
// code that reads a scene is a plain list of keys, without an `if` after each:
//
//     dr_object wind = dr_object_open(reader, node);
//     dr_reader_vec3(reader, dr_object_key(&wind, "velocity"), dr_within(1000), &out->velocity);
//     dr_reader_float(reader, dr_object_key(&wind, "gust"), dr_between(0, 4), &out->gust);
//     dr_object_close(&wind);           // keys that were not asked for are unknown
//
// A key that is not there gives a null node, and a null node leaves the value as it was: its
// default. Sentences name the place of the value, its path, what was expected and what was found:
//
//     scene.json:12: cloths[0].fabric.density: expected a number above 0, found "heavy"
//     --set solver.substeps: expected a whole number from 1 to 1000, found 0
#ifndef DR_SCENE_READER_H
#define DR_SCENE_READER_H

#include "io/json.h"
#include "io/scene_words.h"

// Where a value came from, in dr_json_node.source: 0 the file, k > 0 override number k - 1. The
// value of an override itself stands in line 0.
#define DR_SOURCE_METHOD (-1) // the method that was asked for in place of the file's

typedef struct dr_reader {
    dr_json* json;                      // memory for what is read
    const char* name;                   // of the file
    const drape_scene_options* options; // names the overrides
    drape_error* error;
    bool failed; // the sentence stands
    uint64_t file_hash; // of the meshes and caches that were read
} dr_reader;

// Begins a sentence about a node with its place and path; the caller adds the rest.
dr_sentence dr_reader_fail(dr_reader* reader, const dr_json_node* node);
// "expected ..., found ...".
void dr_reader_expect(dr_reader* reader, const dr_json_node* node, const char* expected);
// Zeroed memory that lives as long as the tree. Null, with a sentence, when memory is short.
void* dr_reader_allocate(dr_reader* reader, size_t count, size_t size);

// --- Objects ---

#define DR_OBJECT_MAX_KEYS 24

typedef struct dr_object {
    dr_reader* reader;
    const dr_json_node* node;
    const char* asked[DR_OBJECT_MAX_KEYS];
    int asked_count;
    const char* missing; // the first needed key that is not there
} dr_object;

dr_object dr_object_open(dr_reader* reader, const dr_json_node* node);
// The value of a key, null when it is not there.
const dr_json_node* dr_object_key(dr_object* object, const char* key);
// The same for a key that must be there, which dr_object_close() tells.
const dr_json_node* dr_object_need(dr_object* object, const char* key);
void dr_object_close(dr_object* object);
// The one of `keys` (ends with null) that is there. Null with a sentence when it is none or
// several.
const dr_json_node* dr_object_choice(dr_object* object, const char* const* keys);

// --- Numbers ---

// What a number may be, and in which words it is told.
typedef struct dr_range {
    enum { DR_RANGE_BETWEEN, DR_RANGE_ABOVE, DR_RANGE_AT_LEAST, DR_RANGE_WITHIN } kind;
    double low, high;
} dr_range;

// "a number from LOW to HIGH".
static inline dr_range dr_between(double low, double high)
{
    return (dr_range){DR_RANGE_BETWEEN, low, high};
}

// "a number above LOW", and up to HIGH, which is mentioned only to those who exceed it.
static inline dr_range dr_above(double low, double high)
{
    return (dr_range){DR_RANGE_ABOVE, low, high};
}

// "a number of at least LOW", and up to HIGH.
static inline dr_range dr_at_least(double low, double high)
{
    return (dr_range){DR_RANGE_AT_LEAST, low, high};
}

// "a number", and from -LIMIT to LIMIT.
static inline dr_range dr_within(double limit)
{
    return (dr_range){DR_RANGE_WITHIN, -limit, limit};
}

void dr_reader_float(dr_reader* reader, const dr_json_node* node, dr_range range, float* value);
void dr_reader_integer(dr_reader* reader, const dr_json_node* node, int low, int high, int* value);
void dr_reader_seed(dr_reader* reader, const dr_json_node* node, uint32_t* value);
void dr_reader_vec3(dr_reader* reader, const dr_json_node* node, dr_range range, drape_vec3* value);
// Two numbers, [a, b].
void dr_reader_pair(dr_reader* reader, const dr_json_node* node, dr_range range, float* a,
                    float* b);
// One number for both, or [a, b].
void dr_reader_one_or_two(dr_reader* reader, const dr_json_node* node, dr_range range, float* a,
                          float* b);
// An array of whole numbers of at least 0 and below `limit`, allocated; `count` is 0 without a
// node.
const int32_t* dr_reader_indices(dr_reader* reader, const dr_json_node* node, int limit,
                                 int* count);

// --- Others ---

void dr_reader_boolean(dr_reader* reader, const dr_json_node* node, bool* value);
void dr_reader_string(dr_reader* reader, const dr_json_node* node, const char** value);
// A file name: a string that is not empty.
void dr_reader_file(dr_reader* reader, const dr_json_node* node, const char** value);
// One word of a table; `value` is what it stands for.
int dr_reader_word(dr_reader* reader, const dr_json_node* node, const dr_word* words, int value);
// "expected one of ..., found ...; did you mean ...?"
void dr_reader_expect_word(dr_reader* reader, const dr_json_node* node, const char* const* words,
                           int count);
// The number of elements of an array; 0 without a node, and with a sentence when it is no array.
int dr_reader_count(dr_reader* reader, const dr_json_node* node);

#endif
