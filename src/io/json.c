#include "io/json.h"

#include <math.h>
#include <stdlib.h>

#include "io/json_number.h"

// --- Memory ---

typedef struct dr_json_block {
    struct dr_json_block* next;
    max_align_t data[];
} dr_json_block;

static void* block_add(dr_json* json, size_t size)
{
    dr_json_block* block = malloc(sizeof(dr_json_block) + size);
    if (block == NULL) {
        return NULL;
    }
    block->next = json->blocks;
    json->blocks = block;
    return block->data;
}

void* dr_json_allocate(dr_json* json, size_t count, size_t size)
{
    if (count > (SIZE_MAX / 2) / (size > 0 ? size : 1)) {
        return NULL;
    }
    void* memory = block_add(json, count * size);
    if (memory != NULL) {
        memset(memory, 0, count * size);
    }
    return memory;
}

void dr_json_free(dr_json* json)
{
    while (json->blocks != NULL) {
        dr_json_block* next = json->blocks->next;
        free(json->blocks);
        json->blocks = next;
    }
}

// --- The text ---

typedef struct parser {
    const char* at;
    const char* end;
    const char* line_start;
    int32_t line;
    int32_t extra_bytes; // of letters of several bytes, in this line so far
    int depth;
    dr_json_node* nodes;
    size_t node_count;
    char* strings;          // room for all that follow
    dr_json_node** members; // all so far, by parent and key, to find those that come twice
    size_t member_mask;
    const char* name;
    drape_error* error;
} parser;

static int32_t column_of(const parser* p)
{
    return (int32_t)(p->at - p->line_start) + 1 - p->extra_bytes;
}

static dr_sentence sentence_here(parser* p)
{
    p->error->kind = DRAPE_ERROR_INPUT;
    dr_sentence sentence = dr_sentence_begin(p->error->sentence, sizeof(p->error->sentence));
    dr_sentence_join(&sentence, p->name, ":", NULL);
    dr_sentence_add_integer(&sentence, p->line);
    dr_sentence_add(&sentence, ":");
    dr_sentence_add_integer(&sentence, column_of(p));
    dr_sentence_add(&sentence, ": ");
    return sentence;
}

static bool fail(parser* p, const char* words)
{
    dr_sentence sentence = sentence_here(p);
    dr_sentence_add(&sentence, words);
    return false;
}

static bool is_word_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '+' || c == '-' || c == '.';
}

// Bytes of the letter that starts here, 0 when it is not UTF-8.
static int letter_length(const char* at, const char* end)
{
    const unsigned char* c = (const unsigned char*)at;
    if (c[0] < 0x80) {
        return 1;
    }
    int length = c[0] >= 0xF0 ? 4 : c[0] >= 0xE0 ? 3 : 2;
    if (c[0] < 0xC2 || c[0] > 0xF4 || end - at < length) {
        return 0;
    }
    for (int i = 1; i < length; ++i) {
        if ((c[i] & 0xC0) != 0x80) {
            return 0;
        }
    }
    // Longer than needed, halves of pairs, and beyond the last letter.
    bool bad = (c[0] == 0xE0 && c[1] < 0xA0) || (c[0] == 0xED && c[1] > 0x9F) ||
               (c[0] == 0xF0 && c[1] < 0x90) || (c[0] == 0xF4 && c[1] > 0x8F);
    return bad ? 0 : length;
}

// "expected ..., found ..." with the word or the letter that stands here.
static bool fail_expected(parser* p, const char* expected)
{
    dr_sentence sentence = sentence_here(p);
    dr_sentence_join(&sentence, "expected ", expected, ", found ", NULL);
    if (p->at == p->end) {
        dr_sentence_add(&sentence, "the end of the text");
        return false;
    }
    const char* stop = p->at;
    while (stop < p->end && stop - p->at < 40 && is_word_letter(*stop)) {
        ++stop;
    }
    int length = stop > p->at ? (int)(stop - p->at) : letter_length(p->at, p->end);
    if (length == 0 || (unsigned char)*p->at < 0x20 || *p->at == 0x7f) {
        dr_sentence_add(&sentence, "the byte ");
        dr_sentence_add_integer(&sentence, (unsigned char)*p->at);
        return false;
    }
    const char* quote = *p->at == '"' ? "'" : "\"";
    dr_sentence_add(&sentence, quote);
    dr_sentence_add_bytes(&sentence, p->at, (size_t)length);
    dr_sentence_add(&sentence, quote);
    return false;
}

static bool next_is(const parser* p, char c)
{
    return p->at < p->end && *p->at == c;
}

static bool skip_comment(parser* p)
{
    if (p->end - p->at < 2 || p->at[1] != '/') {
        return fail(p, "expected a value; comments begin with \"//\"");
    }
    while (p->at < p->end && *p->at != '\n') {
        int length = letter_length(p->at, p->end);
        if (length == 0) {
            return fail(p, "expected UTF-8 text in the comment");
        }
        p->at += length;
        p->extra_bytes += length - 1;
    }
    return true;
}

// Steps over white space and comments.
static bool skip_space(parser* p)
{
    while (p->at < p->end) {
        switch (*p->at) {
        case ' ':
        case '\t':
        case '\r': ++p->at; break;
        case '\n':
            ++p->at;
            ++p->line;
            p->line_start = p->at;
            p->extra_bytes = 0;
            break;
        case '/':
            if (!skip_comment(p)) {
                return false;
            }
            break;
        default: return true;
        }
    }
    return true;
}

// --- Values ---

static dr_json_node* node_add(parser* p, dr_json_kind kind)
{
    dr_json_node* node = &p->nodes[p->node_count++];
    memset(node, 0, sizeof(*node));
    node->kind = kind;
    node->line = p->line;
    node->column = column_of(p);
    return node;
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    char lower = (char)(c | 0x20);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

// Four hexadecimal digits after "\u", which are stepped over; -1 when they are not there.
static int32_t read_code(parser* p)
{
    if (p->end - p->at < 6 || p->at[0] != '\\' || p->at[1] != 'u') {
        return -1;
    }
    int32_t code = 0;
    for (int i = 2; i < 6; ++i) {
        int digit = hex_digit(p->at[i]);
        if (digit < 0) {
            return -1;
        }
        code = code * 16 + digit;
    }
    p->at += 6;
    return code;
}

static void put_letter(parser* p, int32_t code)
{
    if (code < 0x80) {
        *p->strings++ = (char)code;
        return;
    }
    int tail = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    static const int marks[] = {0, 0xC0, 0xE0, 0xF0};
    *p->strings++ = (char)(marks[tail] | code >> (6 * tail));
    while (tail-- > 0) {
        *p->strings++ = (char)(0x80 | (code >> (6 * tail) & 0x3F));
    }
}

static bool read_unicode_escape(parser* p)
{
    int32_t code = read_code(p);
    if (code < 0) {
        return fail(p, "expected four hexadecimal digits after \"\\u\"");
    }
    if (code >= 0xD800 && code <= 0xDBFF) {
        int32_t low = read_code(p);
        if (low < 0xDC00 || low > 0xDFFF) {
            return fail(p, "expected the second half of a pair after \"\\uD800\" to \"\\uDBFF\"");
        }
        code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
    } else if (code >= 0xDC00 && code <= 0xDFFF) {
        return fail(p, "the second half of a pair stands alone");
    } else if (code == 0) {
        return fail(p, "the zero letter \"\\u0000\" is not allowed");
    }
    put_letter(p, code);
    return true;
}

static bool read_escape(parser* p)
{
    static const char names[] = "\"\\/bfnrt";
    static const char values[] = "\"\\/\b\f\n\r\t";
    if (p->end - p->at >= 2 && p->at[1] == 'u') {
        return read_unicode_escape(p);
    }
    const char* found = p->end - p->at >= 2 && p->at[1] != '\0' ? strchr(names, p->at[1]) : NULL;
    if (found == NULL) {
        return fail(p, "unknown escape; expected one of \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\u");
    }
    *p->strings++ = values[found - names];
    p->at += 2;
    return true;
}

// Reads a string from its opening quote; null with a sentence when it is bad.
static const char* read_string(parser* p)
{
    const char* string = p->strings;
    for (++p->at; !next_is(p, '"');) {
        int length = p->at < p->end ? letter_length(p->at, p->end) : 0;
        if (p->at == p->end || *p->at == '\n' || *p->at == '\r') {
            fail(p, "the string does not end; expected '\"'");
            return NULL;
        }
        if (length == 0 || (unsigned char)*p->at < 0x20) {
            fail(p, length == 0 ? "the string is not UTF-8"
                                : "control letters in strings are written as escapes");
            return NULL;
        }
        if (*p->at == '\\') {
            if (!read_escape(p)) {
                return NULL;
            }
            continue;
        }
        memcpy(p->strings, p->at, (size_t)length);
        p->strings += length;
        p->at += length;
        p->extra_bytes += length - 1;
    }
    ++p->at;
    *p->strings++ = '\0';
    return string;
}

static const char* skip_digits(const char* at, const char* end)
{
    while (at < end && *at >= '0' && *at <= '9') {
        ++at;
    }
    return at;
}

// The end of the number that begins here by the grammar of JSON, null when it is none.
static const char* number_end(const char* at, const char* end)
{
    at += at < end && *at == '-' ? 1 : 0;
    const char* whole = at;
    at = skip_digits(at, end);
    if (at == whole || (*whole == '0' && at > whole + 1)) {
        return NULL;
    }
    if (at < end && *at == '.') {
        const char* fraction = ++at;
        at = skip_digits(at, end);
        if (at == fraction) {
            return NULL;
        }
    }
    if (at < end && (*at == 'e' || *at == 'E')) {
        ++at;
        at += at < end && (*at == '+' || *at == '-') ? 1 : 0;
        const char* exponent = at;
        at = skip_digits(at, end);
        if (at == exponent) {
            return NULL;
        }
    }
    return at < end && is_word_letter(*at) ? NULL : at;
}

static dr_json_node* read_number(parser* p)
{
    const char* stop = number_end(p->at, p->end);
    if (stop == NULL) {
        fail_expected(p, "a number such as -1.5e3");
        return NULL;
    }
    double value = dr_number_read(p->at, (size_t)(stop - p->at));
    if (!isfinite(value)) {
        fail_expected(p, "a number below 1.8e308");
        return NULL;
    }
    dr_json_node* node = node_add(p, DR_JSON_NUMBER);
    node->number = value;
    p->at = stop;
    return node;
}

static bool read_word(parser* p, const char* word)
{
    size_t length = strlen(word);
    bool there = (size_t)(p->end - p->at) >= length && memcmp(p->at, word, length) == 0 &&
                 ((size_t)(p->end - p->at) == length || !is_word_letter(p->at[length]));
    if (there) {
        p->at += length;
    }
    return there;
}

static dr_json_node* read_literal(parser* p)
{
    dr_json_node* node = node_add(p, DR_JSON_BOOLEAN);
    if (read_word(p, "true")) {
        node->boolean = true;
    } else if (read_word(p, "null")) {
        node->kind = DR_JSON_NULL;
    } else if (!read_word(p, "false")) {
        fail_expected(p, "a value");
        return NULL;
    }
    return node;
}

// --- Arrays and objects ---

static void append(dr_json_node* parent, dr_json_node** last, dr_json_node* node)
{
    node->parent = parent;
    if (*last == NULL) {
        parent->first_child = node;
    } else {
        (*last)->next = node;
    }
    *last = node;
    ++parent->child_count;
}

// True when the key is new to its object. An open table over all members of the text.
static bool member_is_new(parser* p, const dr_json_node* object, dr_json_node* node)
{
    uint64_t hash = 0xcbf29ce484222325ull ^ (uint64_t)(object - p->nodes);
    for (const char* c = node->key; *c != '\0'; ++c) {
        hash = (hash ^ (unsigned char)*c) * 0x100000001b3ull;
    }
    size_t slot = (size_t)(hash ^ hash >> 32) & p->member_mask;
    for (; p->members[slot] != NULL; slot = (slot + 1) & p->member_mask) {
        dr_json_node* other = p->members[slot];
        if (other->parent == object && strcmp(other->key, node->key) == 0) {
            return false;
        }
    }
    p->members[slot] = node;
    return true;
}

static dr_json_node* read_value(parser* p);

// After an element: steps over a comma, or over the closing bracket, which ends the list.
static bool read_separator(parser* p, char closing, bool* done)
{
    if (!skip_space(p)) {
        return false;
    }
    *done = next_is(p, closing);
    if (!*done && !next_is(p, ',')) {
        return fail_expected(p, closing == ']' ? "\",\" or \"]\"" : "\",\" or \"}\"");
    }
    ++p->at;
    return skip_space(p);
}

static bool read_elements(parser* p, dr_json_node* array)
{
    dr_json_node* last = NULL;
    for (bool done = false; !done;) {
        dr_json_node* node = read_value(p);
        if (node == NULL) {
            return false;
        }
        append(array, &last, node);
        if (!read_separator(p, ']', &done)) {
            return false;
        }
    }
    return true;
}

static dr_json_node* read_member(parser* p)
{
    if (!next_is(p, '"')) {
        fail_expected(p, "a key in double quotes");
        return NULL;
    }
    int32_t line = p->line;
    const char* key = read_string(p);
    if (key == NULL || !skip_space(p)) {
        return NULL;
    }
    if (!next_is(p, ':')) {
        fail_expected(p, "\":\" after the key");
        return NULL;
    }
    ++p->at;
    dr_json_node* node = skip_space(p) ? read_value(p) : NULL;
    if (node != NULL) {
        node->key = key;
        node->key_line = line;
    }
    return node;
}

static bool read_members(parser* p, dr_json_node* object)
{
    dr_json_node* last = NULL;
    for (bool done = false; !done;) {
        parser start = *p;
        dr_json_node* node = read_member(p);
        if (node == NULL) {
            return false;
        }
        append(object, &last, node);
        if (!member_is_new(p, object, node)) {
            dr_sentence sentence = sentence_here(&start);
            dr_sentence_join(&sentence, "the key \"", node->key, "\" comes twice", NULL);
            return false;
        }
        if (!read_separator(p, '}', &done)) {
            return false;
        }
    }
    return true;
}

static dr_json_node* read_list(parser* p, dr_json_kind kind, char closing)
{
    if (p->depth == DR_JSON_DEPTH) {
        fail(p, "nested too deeply");
        return NULL;
    }
    dr_json_node* node = node_add(p, kind);
    ++p->at;
    ++p->depth;
    if (!skip_space(p)) {
        return NULL;
    }
    if (next_is(p, closing)) {
        ++p->at;
    } else if (!(kind == DR_JSON_ARRAY ? read_elements(p, node) : read_members(p, node))) {
        return NULL;
    }
    --p->depth;
    return node;
}

static dr_json_node* read_value(parser* p)
{
    char c = '\0';
    if (p->at < p->end) {
        c = *p->at;
    }
    if (c == '{') {
        return read_list(p, DR_JSON_OBJECT, '}');
    }
    if (c == '[') {
        return read_list(p, DR_JSON_ARRAY, ']');
    }
    if (c == '"') {
        dr_json_node* node = node_add(p, DR_JSON_STRING);
        node->string = read_string(p);
        return node->string != NULL ? node : NULL;
    }
    return c == '-' || (c >= '0' && c <= '9') ? read_number(p) : read_literal(p);
}

// --- The whole ---

static size_t count_nodes(const char* text, size_t length)
{
    size_t count = 1;
    for (size_t i = 0; i < length; ++i) {
        count += text[i] == ',' || text[i] == '[' || text[i] == '{' ? 1 : 0;
    }
    return count;
}

static bool parser_allocate(parser* p, dr_json* json, const char* text, size_t length)
{
    size_t count = count_nodes(text, length);
    size_t slots = 2;
    while (slots < 2 * count) {
        slots *= 2;
    }
    p->members = calloc(slots, sizeof(*p->members));
    p->member_mask = slots - 1;
    p->nodes = p->members != NULL ? block_add(json, count * sizeof(*p->nodes) + length + 1) : NULL;
    p->strings = p->nodes != NULL ? (char*)(p->nodes + count) : NULL;
    return p->strings != NULL;
}

static dr_json_node* read_text(parser* p)
{
    // A mark that some editors put in front of UTF-8.
    if (p->end - p->at >= 3 && memcmp(p->at, "\xEF\xBB\xBF", 3) == 0) {
        p->at += 3;
        p->line_start = p->at;
    }
    if (!skip_space(p)) {
        return NULL;
    }
    dr_json_node* root = read_value(p);
    if (root == NULL || !skip_space(p)) {
        return NULL;
    }
    if (p->at < p->end) {
        fail_expected(p, "the end of the text");
        return NULL;
    }
    return root;
}

dr_json_node* dr_json_parse(dr_json* json, const char* text, size_t length, const char* name,
                            drape_error* error)
{
    parser p = {.at = text, .line_start = text, .line = 1, .name = name, .error = error};
    if (length > DR_JSON_MAX_LENGTH) {
        fail(&p, "the text is longer than 64 MiB");
        return NULL;
    }
    p.end = text + length;
    dr_json_node* root = NULL;
    if (parser_allocate(&p, json, text, length)) {
        root = read_text(&p);
    } else {
        fail(&p, "out of memory");
        error->kind = DRAPE_ERROR_SYSTEM;
    }
    free(p.members);
    return root;
}
