// io/json.h: JSON as a tree that remembers where everything stood.
//
// The reader takes standard JSON and `//` comments, and refuses all else with one sentence:
//
//     scene.json:3:14: expected "," or "}", found "frames"
//
// Keys that come twice, numbers that are too large, and nesting deeper than DR_JSON_DEPTH are
// refused too. Strings are checked UTF-8 without the zero letter, so they are plain C strings.
//
// A tree lives in one block of memory: an upper bound of its nodes is counted beforehand (every
// value but the first follows a comma or an opening bracket), then come its strings. A dr_json owns
// any number of such blocks, so that pieces of one text can be put into the tree of another;
// everything is freed together.
//
//     { "fps": 30,                  object ─ first_child ─▶ "fps" ─ next ─▶ "size" ─▶ null
//       "size": [1, 2] }                                                     │ first_child
//                                                                            ▼
//                                                                            1 ─ next ─▶ 2 ─▶ null
#ifndef DR_JSON_H
#define DR_JSON_H

#include <drape/io.h>

#include "io/sentence.h"

#define DR_JSON_DEPTH 64
#define DR_JSON_MAX_LENGTH ((size_t)64 << 20)

typedef enum dr_json_kind {
    DR_JSON_NULL,
    DR_JSON_BOOLEAN,
    DR_JSON_NUMBER,
    DR_JSON_STRING,
    DR_JSON_ARRAY,
    DR_JSON_OBJECT,
} dr_json_kind;

typedef struct dr_json_node {
    dr_json_kind kind;
    int32_t line, column; // of the first letter of the value, from 1
    int32_t key_line;     // of the key
    int32_t source;       // 0: the text itself; others are the caller's
    int32_t child_count;
    const char* key; // of a member of an object, else null
    struct dr_json_node* parent;
    struct dr_json_node* next;
    union {
        bool boolean;
        double number;
        const char* string;
        struct dr_json_node* first_child; // arrays and objects
    };
} dr_json_node;

// The owner of trees; `dr_json json = {0}` to begin with.
typedef struct dr_json {
    struct dr_json_block* blocks;
} dr_json;

// Reads a text of `length` bytes. `name` stands for the file in sentences. Null when the text is
// bad or memory is short; `error` then says why.
dr_json_node* dr_json_parse(dr_json* json, const char* text, size_t length, const char* name,
                            drape_error* error);
void dr_json_free(dr_json* json);
// Zeroed memory that lives as long as the trees; null when memory is short.
void* dr_json_allocate(dr_json* json, size_t count, size_t size);

// The member of an object by its key, null when there is none or the node is no object.
dr_json_node* dr_json_find(const dr_json_node* object, const char* key);
// Element or member number `index`; null outside.
dr_json_node* dr_json_at(const dr_json_node* parent, int index);
// Puts a node that has no parent at the end of an array or an object; `key` is null for arrays.
void dr_json_attach(dr_json_node* parent, const char* key, dr_json_node* node);
// Puts a node that has no parent in the place of another.
void dr_json_replace(dr_json_node* old, dr_json_node* node);
// Takes a node out of its parent.
void dr_json_detach(dr_json_node* node);

// Adds the path of a node from its root, as in cloths[0].fabric.density; nothing for the root.
void dr_json_add_path(dr_sentence* sentence, const dr_json_node* node);
// Adds what a node is, in a few words: "heavy", 2.5, true, an array, an object.
void dr_json_add_value(dr_sentence* sentence, const dr_json_node* node);

#endif
