#include "io/scene_reader.h"

#include "io/json_number.h"

// --- Sentences ---

static void add_place(dr_sentence* sentence, const dr_reader* reader, const dr_json_node* node,
                      int32_t line)
{
    if (node->source > 0) {
        dr_sentence_join(sentence, "--set ", reader->options->overrides[node->source - 1].path,
                         ": ", NULL);
    } else if (node->source == DR_SOURCE_METHOD) {
        dr_sentence_add(sentence, "--method: ");
    } else {
        dr_sentence_join(sentence, reader->name, ":", NULL);
        dr_sentence_add_integer(sentence, line);
        dr_sentence_add(sentence, ": ");
    }
    // The value of an override has its path already.
    bool is_override = node->source != 0 && node->line == 0;
    if (node->parent != NULL && !is_override) {
        dr_json_add_path(sentence, node);
        dr_sentence_add(sentence, ": ");
    }
}

static dr_sentence fail_at(dr_reader* reader, const dr_json_node* node, int32_t line)
{
    reader->failed = true;
    reader->error->kind = DRAPE_ERROR_INPUT;
    dr_sentence sentence =
        dr_sentence_begin(reader->error->sentence, sizeof(reader->error->sentence));
    add_place(&sentence, reader, node, line);
    return sentence;
}

dr_sentence dr_reader_fail(dr_reader* reader, const dr_json_node* node)
{
    return fail_at(reader, node, node->line);
}

void dr_reader_expect(dr_reader* reader, const dr_json_node* node, const char* expected)
{
    dr_sentence sentence = dr_reader_fail(reader, node);
    dr_sentence_join(&sentence, "expected ", expected, ", found ", NULL);
    dr_json_add_value(&sentence, node);
}

void* dr_reader_allocate(dr_reader* reader, size_t count, size_t size)
{
    void* memory = reader->failed ? NULL : dr_json_allocate(reader->json, count, size);
    if (memory == NULL && !reader->failed) {
        reader->failed = true;
        reader->error->kind = DRAPE_ERROR_SYSTEM;
        dr_sentence sentence =
            dr_sentence_begin(reader->error->sentence, sizeof(reader->error->sentence));
        dr_sentence_join(&sentence, reader->name, ": out of memory", NULL);
    }
    return memory;
}

// a, b, c
static void add_list(dr_sentence* sentence, const char* const* words, int count)
{
    for (int i = 0; i < count; ++i) {
        dr_sentence_join(sentence, i > 0 ? ", " : "", words[i], NULL);
    }
}

// --- Objects ---

dr_object dr_object_open(dr_reader* reader, const dr_json_node* node)
{
    if (!reader->failed && node->kind != DR_JSON_OBJECT) {
        dr_reader_expect(reader, node, "an object");
    }
    return (dr_object){.reader = reader, .node = node};
}

const dr_json_node* dr_object_key(dr_object* object, const char* key)
{
    if (object->asked_count < DR_OBJECT_MAX_KEYS) {
        object->asked[object->asked_count++] = key;
    }
    return object->reader->failed ? NULL : dr_json_find(object->node, key);
}

const dr_json_node* dr_object_need(dr_object* object, const char* key)
{
    const dr_json_node* node = dr_object_key(object, key);
    if (node == NULL && object->missing == NULL) {
        object->missing = key;
    }
    return node;
}

static bool was_asked(const dr_object* object, const char* key)
{
    for (int i = 0; i < object->asked_count; ++i) {
        if (strcmp(object->asked[i], key) == 0) {
            return true;
        }
    }
    return false;
}

void dr_object_close(dr_object* object)
{
    dr_reader* reader = object->reader;
    if (reader->failed) {
        return;
    }
    for (const dr_json_node* node = object->node->first_child; node != NULL; node = node->next) {
        if (was_asked(object, node->key)) {
            continue;
        }
        dr_sentence sentence = fail_at(reader, node, node->key_line);
        dr_sentence_add(&sentence, "unknown key; ");
        const char* nearest = dr_word_nearest(node->key, object->asked, object->asked_count);
        if (nearest != NULL) {
            dr_sentence_join(&sentence, "did you mean \"", nearest, "\"?", NULL);
        } else {
            dr_sentence_add(&sentence, "expected one of ");
            add_list(&sentence, object->asked, object->asked_count);
        }
        return;
    }
    if (object->missing != NULL) {
        dr_sentence sentence = dr_reader_fail(reader, object->node);
        dr_sentence_join(&sentence, "expected the key \"", object->missing, "\"", NULL);
    }
}

const dr_json_node* dr_object_choice(dr_object* object, const char* const* keys)
{
    const dr_json_node* found = NULL;
    int count = 0;
    int key_count = 0;
    for (; keys[key_count] != NULL; ++key_count) {
        const dr_json_node* node = dr_object_key(object, keys[key_count]);
        found = node != NULL ? node : found;
        count += node != NULL ? 1 : 0;
    }
    // A misspelt choice is better told as an unknown key.
    dr_object_close(object);
    if (object->reader->failed || count == 1) {
        return object->reader->failed ? NULL : found;
    }
    dr_sentence sentence = dr_reader_fail(object->reader, object->node);
    dr_sentence_add(&sentence, "expected one of the keys ");
    add_list(&sentence, keys, key_count);
    dr_sentence_add(&sentence, count == 0 ? ", found none" : ", found several");
    return NULL;
}

// --- Numbers ---

static void add_number(dr_sentence* sentence, double value)
{
    char text[DR_NUMBER_SIZE];
    dr_number_write_double(text, value);
    dr_sentence_add(sentence, text);
}

static bool range_holds(dr_range range, double value)
{
    bool high_enough = range.kind == DR_RANGE_ABOVE ? value > range.low : value >= range.low;
    return high_enough && value <= range.high;
}

// What to expect instead of `node`, in words.
static void describe_range(dr_sentence* sentence, dr_range range, const dr_json_node* node)
{
    bool is_number = node->kind == DR_JSON_NUMBER;
    dr_sentence_add(sentence, "a number");
    if (range.kind == DR_RANGE_BETWEEN || (range.kind == DR_RANGE_WITHIN && is_number)) {
        dr_sentence_add(sentence, " from ");
        add_number(sentence, range.low);
        dr_sentence_add(sentence, " to ");
        add_number(sentence, range.high);
    } else if (is_number && node->number > range.high) {
        dr_sentence_add(sentence, " up to ");
        add_number(sentence, range.high);
    } else if (range.kind != DR_RANGE_WITHIN) {
        dr_sentence_add(sentence, range.kind == DR_RANGE_ABOVE ? " above " : " of at least ");
        add_number(sentence, range.low);
    }
}

// `besides` is what else would be right, as in " or two of them".
static void read_number(dr_reader* reader, const dr_json_node* node, dr_range range,
                        const char* besides, float* value)
{
    if (reader->failed || node == NULL) {
        return;
    }
    // The range holds for what the world will see: a tiny number may round to zero.
    if (node->kind == DR_JSON_NUMBER && range_holds(range, node->number) &&
        range_holds(range, (double)(float)node->number)) {
        *value = (float)node->number;
        return;
    }
    char text[128];
    dr_sentence expected = dr_sentence_begin(text, sizeof(text));
    describe_range(&expected, range, node);
    dr_sentence_add(&expected, besides);
    dr_reader_expect(reader, node, text);
}

void dr_reader_float(dr_reader* reader, const dr_json_node* node, dr_range range, float* value)
{
    read_number(reader, node, range, "", value);
}

static bool is_whole(const dr_json_node* node, double low, double high)
{
    return node->kind == DR_JSON_NUMBER && node->number >= low && node->number <= high &&
           node->number == (double)(int64_t)node->number;
}

static void expect_whole(dr_reader* reader, const dr_json_node* node, int64_t low, int64_t high)
{
    char text[96];
    dr_sentence expected = dr_sentence_begin(text, sizeof(text));
    dr_sentence_add(&expected, "a whole number from ");
    dr_sentence_add_integer(&expected, low);
    dr_sentence_add(&expected, " to ");
    dr_sentence_add_integer(&expected, high);
    dr_reader_expect(reader, node, text);
}

void dr_reader_integer(dr_reader* reader, const dr_json_node* node, int low, int high, int* value)
{
    if (reader->failed || node == NULL) {
        return;
    }
    if (is_whole(node, low, high)) {
        *value = (int)node->number;
    } else {
        expect_whole(reader, node, low, high);
    }
}

void dr_reader_seed(dr_reader* reader, const dr_json_node* node, uint32_t* value)
{
    if (reader->failed || node == NULL) {
        return;
    }
    if (is_whole(node, 0.0, UINT32_MAX)) {
        *value = (uint32_t)node->number;
    } else {
        expect_whole(reader, node, 0, UINT32_MAX);
    }
}

void dr_reader_vec3(dr_reader* reader, const dr_json_node* node, dr_range range, drape_vec3* value)
{
    if (reader->failed || node == NULL) {
        return;
    }
    if (node->kind != DR_JSON_ARRAY || node->child_count != 3) {
        dr_reader_expect(reader, node, "three numbers [x, y, z]");
        return;
    }
    dr_reader_float(reader, dr_json_at(node, 0), range, &value->x);
    dr_reader_float(reader, dr_json_at(node, 1), range, &value->y);
    dr_reader_float(reader, dr_json_at(node, 2), range, &value->z);
}

void dr_reader_pair(dr_reader* reader, const dr_json_node* node, dr_range range, float* a, float* b)
{
    if (reader->failed || node == NULL) {
        return;
    }
    if (node->kind != DR_JSON_ARRAY || node->child_count != 2) {
        dr_reader_expect(reader, node, "two numbers");
        return;
    }
    dr_reader_float(reader, dr_json_at(node, 0), range, a);
    dr_reader_float(reader, dr_json_at(node, 1), range, b);
}

void dr_reader_one_or_two(dr_reader* reader, const dr_json_node* node, dr_range range, float* a,
                          float* b)
{
    if (reader->failed || node == NULL) {
        return;
    }
    if (node->kind == DR_JSON_ARRAY && node->child_count == 2) {
        dr_reader_pair(reader, node, range, a, b);
        return;
    }
    read_number(reader, node, range, " or two of them", a);
    *b = *a;
}

const int32_t* dr_reader_indices(dr_reader* reader, const dr_json_node* node, int limit, int* count)
{
    *count = dr_reader_count(reader, node);
    int32_t* indices =
        *count > 0 ? dr_reader_allocate(reader, (size_t)*count, sizeof(int32_t)) : NULL;
    if (indices == NULL) {
        *count = 0;
        return NULL;
    }
    const dr_json_node* child = node->first_child;
    for (int i = 0; i < *count; ++i, child = child->next) {
        dr_reader_integer(reader, child, 0, limit - 1, &indices[i]);
    }
    return indices;
}

// --- Others ---

void dr_reader_boolean(dr_reader* reader, const dr_json_node* node, bool* value)
{
    if (reader->failed || node == NULL) {
        return;
    }
    if (node->kind == DR_JSON_BOOLEAN) {
        *value = node->boolean;
    } else {
        dr_reader_expect(reader, node, "true or false");
    }
}

void dr_reader_string(dr_reader* reader, const dr_json_node* node, const char** value)
{
    if (reader->failed || node == NULL) {
        return;
    }
    if (node->kind == DR_JSON_STRING) {
        *value = node->string;
    } else {
        dr_reader_expect(reader, node, "a string");
    }
}

void dr_reader_file(dr_reader* reader, const dr_json_node* node, const char** value)
{
    if (reader->failed || node == NULL) {
        return;
    }
    if (node->kind == DR_JSON_STRING && node->string[0] != '\0') {
        *value = node->string;
    } else {
        dr_reader_expect(reader, node, "the name of a file");
    }
}

void dr_reader_expect_word(dr_reader* reader, const dr_json_node* node, const char* const* words,
                           int count)
{
    char text[512];
    dr_sentence expected = dr_sentence_begin(text, sizeof(text));
    dr_sentence_add(&expected, "one of ");
    add_list(&expected, words, count);
    dr_reader_expect(reader, node, text);
    const char* nearest =
        node->kind == DR_JSON_STRING ? dr_word_nearest(node->string, words, count) : NULL;
    if (nearest != NULL) {
        char* end = strchr(reader->error->sentence, '\0');
        size_t room = sizeof(reader->error->sentence) - (size_t)(end - reader->error->sentence);
        dr_sentence sentence = dr_sentence_begin(end, room);
        dr_sentence_join(&sentence, "; did you mean \"", nearest, "\"?", NULL);
    }
}

int dr_reader_word(dr_reader* reader, const dr_json_node* node, const dr_word* words, int value)
{
    if (reader->failed || node == NULL) {
        return value;
    }
    const char* known[DR_WORDS_MAX];
    int count = 0;
    for (; words[count].word != NULL; ++count) {
        if (node->kind == DR_JSON_STRING && strcmp(words[count].word, node->string) == 0) {
            return words[count].value;
        }
        known[count] = words[count].word;
    }
    dr_reader_expect_word(reader, node, known, count);
    return value;
}

int dr_reader_count(dr_reader* reader, const dr_json_node* node)
{
    if (reader->failed || node == NULL) {
        return 0;
    }
    if (node->kind != DR_JSON_ARRAY) {
        dr_reader_expect(reader, node, "an array");
        return 0;
    }
    return node->child_count;
}
