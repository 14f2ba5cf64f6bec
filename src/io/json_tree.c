#include "io/json.h"
#include "io/json_number.h"

dr_json_node* dr_json_find(const dr_json_node* object, const char* key)
{
    if (object == NULL || object->kind != DR_JSON_OBJECT) {
        return NULL;
    }
    dr_json_node* node = object->first_child;
    while (node != NULL && strcmp(node->key, key) != 0) {
        node = node->next;
    }
    return node;
}

dr_json_node* dr_json_at(const dr_json_node* parent, int index)
{
    if (index < 0 || index >= parent->child_count) {
        return NULL;
    }
    dr_json_node* node = parent->first_child;
    while (index-- > 0) {
        node = node->next;
    }
    return node;
}

// The pointer that leads to a child.
static dr_json_node** link_to(dr_json_node* parent, const dr_json_node* child)
{
    dr_json_node** link = &parent->first_child;
    while (*link != child) {
        link = &(*link)->next;
    }
    return link;
}

void dr_json_attach(dr_json_node* parent, const char* key, dr_json_node* node)
{
    *link_to(parent, NULL) = node;
    node->next = NULL;
    node->parent = parent;
    node->key = key;
    ++parent->child_count;
}

void dr_json_replace(dr_json_node* old, dr_json_node* node)
{
    node->parent = old->parent;
    node->next = old->next;
    node->key = old->key;
    *link_to(old->parent, old) = node;
}

void dr_json_detach(dr_json_node* node)
{
    *link_to(node->parent, node) = node->next;
    --node->parent->child_count;
    node->next = NULL;
    node->parent = NULL;
}

void dr_json_add_path(dr_sentence* sentence, const dr_json_node* node)
{
    if (node->parent == NULL) {
        return;
    }
    dr_json_add_path(sentence, node->parent);
    if (node->key != NULL) {
        dr_sentence_join(sentence, node->parent->parent != NULL ? "." : "", node->key, NULL);
        return;
    }
    int index = 0;
    for (const dr_json_node* at = node->parent->first_child; at != node; at = at->next) {
        ++index;
    }
    dr_sentence_add(sentence, "[");
    dr_sentence_add_integer(sentence, index);
    dr_sentence_add(sentence, "]");
}

static void add_quoted(dr_sentence* sentence, const char* string)
{
    size_t most = 60;
    size_t length = strlen(string);
    size_t taken = length < most ? length : most;
    while (taken > 0 && ((unsigned char)string[taken] & 0xC0) == 0x80) {
        --taken;
    }
    dr_sentence_add(sentence, "\"");
    dr_sentence_add_bytes(sentence, string, taken);
    dr_sentence_add(sentence, taken < length ? "...\"" : "\"");
}

void dr_json_add_value(dr_sentence* sentence, const dr_json_node* node)
{
    char number[DR_NUMBER_SIZE];
    switch (node->kind) {
    case DR_JSON_NULL: dr_sentence_add(sentence, "null"); break;
    case DR_JSON_BOOLEAN: dr_sentence_add(sentence, node->boolean ? "true" : "false"); break;
    case DR_JSON_NUMBER:
        dr_number_write_double(number, node->number);
        dr_sentence_add(sentence, number);
        break;
    case DR_JSON_STRING: add_quoted(sentence, node->string); break;
    case DR_JSON_ARRAY:
        dr_sentence_add(sentence, node->child_count > 0 ? "an array" : "an empty array");
        break;
    case DR_JSON_OBJECT:
        dr_sentence_add(sentence, node->child_count > 0 ? "an object" : "an empty object");
        break;
    }
}
