#include "io/scene_file.h"

// Longer than any key.
#define MAX_STEP 64

// One step of a path: the name of a member, or the number of an element.
typedef struct path_step {
    char name[MAX_STEP];
    bool last;
} path_step;

// Takes the next step of a path such as cloths.0.name or cloths[0].name. False when there is none.
static bool path_next(const char** path, path_step* step)
{
    size_t length = strcspn(*path, ".[]");
    if (length == 0 || length >= MAX_STEP) {
        return false;
    }
    memcpy(step->name, *path, length);
    step->name[length] = '\0';
    *path += length;
    *path += **path == ']' ? 1 : 0;
    step->last = **path == '\0';
    if (step->last) {
        return true;
    }
    bool goes_on = **path == '.' || **path == '[';
    *path += 1;
    return goes_on;
}

static void mark_source(dr_json_node* node, int source)
{
    node->source = source;
    if (node->kind == DR_JSON_ARRAY || node->kind == DR_JSON_OBJECT) {
        for (dr_json_node* child = node->first_child; child != NULL; child = child->next) {
            mark_source(child, source);
        }
    }
}

static char* copy_string(dr_reader* reader, const char* string)
{
    size_t size = strlen(string) + 1;
    char* copy = dr_reader_allocate(reader, size, 1);
    return copy != NULL ? memcpy(copy, string, size) : NULL;
}

static dr_json_node* make_node(dr_reader* reader, dr_json_kind kind, int source)
{
    dr_json_node* node = dr_reader_allocate(reader, 1, sizeof(*node));
    if (node != NULL) {
        node->kind = kind;
        node->source = source;
        node->line = 1;
    }
    return node;
}

static dr_json_node* make_string(dr_reader* reader, const char* string, int source)
{
    dr_json_node* node = make_node(reader, DR_JSON_STRING, source);
    const char* copy = copy_string(reader, string);
    if (node != NULL) {
        node->string = copy;
    }
    return reader->failed ? NULL : node;
}

// The value of an override: JSON, else the text as it stands.
static dr_json_node* make_value(dr_reader* reader, const char* text, int source)
{
    drape_error error = {0};
    dr_json_node* node = dr_json_parse(reader->json, text, strlen(text), "", &error);
    if (node == NULL) {
        node = make_string(reader, text, source);
    }
    if (node != NULL) {
        mark_source(node, source);
        node->line = 0;
    }
    return node;
}

static dr_sentence fail_override(dr_reader* reader, int source)
{
    reader->failed = true;
    reader->error->kind = DRAPE_ERROR_INPUT;
    dr_sentence sentence =
        dr_sentence_begin(reader->error->sentence, sizeof(reader->error->sentence));
    dr_sentence_join(&sentence, "--set ", reader->options->overrides[source - 1].path, ": ", NULL);
    return sentence;
}

// The number of an element, `count` for one that is to be added; -1 with a sentence for all else.
static int element_index(dr_reader* reader, const dr_json_node* array, const char* name, int source)
{
    int64_t index = 0;
    for (const char* c = name; *c != '\0' && index >= 0; ++c) {
        index = *c >= '0' && *c <= '9' && index < INT32_MAX ? index * 10 + (*c - '0') : -1;
    }
    if (index >= 0 && index <= array->child_count) {
        return (int)index;
    }
    dr_sentence sentence = fail_override(reader, source);
    dr_json_add_path(&sentence, array);
    dr_sentence_add(&sentence, ": expected an index from 0 to ");
    dr_sentence_add_integer(&sentence, array->child_count);
    dr_sentence_join(&sentence, ", found \"", name, "\"", NULL);
    return -1;
}

// The child that a step leads to; null when it is not there yet.
static dr_json_node* find_child(dr_reader* reader, dr_json_node* parent, const char* name,
                                int source)
{
    if (parent->kind == DR_JSON_OBJECT) {
        return dr_json_find(parent, name);
    }
    if (parent->kind == DR_JSON_ARRAY) {
        return dr_json_at(parent, element_index(reader, parent, name, source));
    }
    dr_sentence sentence = fail_override(reader, source);
    dr_json_add_path(&sentence, parent);
    dr_sentence_add(&sentence, ": expected an object or an array, found ");
    dr_json_add_value(&sentence, parent);
    return NULL;
}

static void put_child(dr_reader* reader, dr_json_node* parent, dr_json_node* old, const char* name,
                      dr_json_node* child)
{
    if (reader->failed || child == NULL) {
        return;
    }
    if (old != NULL) {
        dr_json_replace(old, child);
    } else {
        dr_json_attach(parent, parent->kind == DR_JSON_OBJECT ? copy_string(reader, name) : NULL,
                       child);
    }
}

// A fabric by its name is short for { "base": name }, which a path may enter.
static dr_json_node* open_fabric(dr_reader* reader, dr_json_node* node)
{
    bool is_name = node->kind == DR_JSON_STRING && node->key != NULL && node->parent != NULL &&
                   strcmp(node->key, "fabric") == 0;
    dr_json_node* object = is_name ? make_node(reader, DR_JSON_OBJECT, node->source) : NULL;
    if (object == NULL) {
        return node;
    }
    object->line = node->line;
    object->key_line = node->key_line;
    dr_json_replace(node, object);
    dr_json_attach(object, "base", node);
    return object;
}

// What a vector is that a path enters by a number while the file does not give it; else null.
static const char* missing_vector(const char* name, const char* rest)
{
    static const char* const vectors[][2] = {{"gravity", "[0, -9.81, 0]"},
                                             {"translate", "[0, 0, 0]"},
                                             {"rotate", "[0, 0, 0]"},
                                             {"velocity", "[0, 0, 0]"}};
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; ++i) {
        if (strcmp(name, vectors[i][0]) == 0 && *rest >= '0' && *rest <= '9') {
            return vectors[i][1];
        }
    }
    return NULL;
}

static void apply_override(dr_reader* reader, dr_json_node* root, int source)
{
    const drape_override* override = &reader->options->overrides[source - 1];
    const char* path = override->path;
    dr_json_node* node = root;
    for (path_step step = {.last = false}; !step.last && !reader->failed;) {
        if (!path_next(&path, &step)) {
            dr_sentence sentence = fail_override(reader, source);
            dr_sentence_add(&sentence, "expected a path such as solver.substeps or cloths.0.name");
            return;
        }
        node = open_fabric(reader, node);
        dr_json_node* child = find_child(reader, node, step.name, source);
        if (step.last || child == NULL) {
            const char* vector = step.last ? override->value : missing_vector(step.name, path);
            dr_json_node* made = vector ? make_value(reader, vector, source)
                                        : make_node(reader, DR_JSON_OBJECT, source);
            put_child(reader, node, child, step.name, made);
            child = made;
        }
        node = child;
    }
}

static void drop(dr_json_node* root, const char* object, const char* key)
{
    dr_json_node* node = dr_json_find(dr_json_find(root, object), key);
    if (node != NULL) {
        dr_json_detach(node);
    }
}

// A preset asked for from outside replaces the file's, and the file's single choices with it.
static void apply_method(dr_reader* reader, dr_json_node* root)
{
    dr_json_node* method = make_string(reader, reader->options->method, DR_SOURCE_METHOD);
    if (method == NULL) {
        return;
    }
    method->line = 0;
    put_child(reader, root, dr_json_find(root, "method"), "method", method);
    drop(root, "solver", "model");
    drop(root, "solver", "integrator");
    drop(root, "collision", "self");
    drop(root, "collision", "obstacles");
    drop(root, "collision", "hierarchy");
}

void dr_scene_apply_options(dr_reader* reader, dr_json_node* root)
{
    if (root->kind != DR_JSON_OBJECT) {
        return; // told when the scene is read
    }
    if (reader->options->method != NULL) {
        apply_method(reader, root);
    }
    for (int i = 0; i < reader->options->override_count && !reader->failed; ++i) {
        apply_override(reader, root, i + 1);
    }
}
