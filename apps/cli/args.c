#include "args.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/scene_words.h"

// The words that are still to be read.
typedef struct reading {
    const cli_command* command;
    char** words;
    int count;
    const cli_option* options;
} reading;

static bool expected(const reading* args, const char* name, const char* what, const char* found)
{
    cli_say(args->command, "%s: expected %s, found \"%s\"", name, what, found);
    return false;
}

// --- Values ---

static bool read_whole(const reading* args, const cli_option* option, const char* text)
{
    char* end = NULL;
    errno = 0;
    long value = strtol(text, &end, 10);
    bool is_number = end != text && *end == '\0' && errno == 0;
    if (is_number && value >= option->least && value <= option->most) {
        *(int*)option->value = (int)value;
        return true;
    }
    char what[80];
    if (option->most == INT_MAX) {
        snprintf(what, sizeof what, "a whole number of at least %d", option->least);
    } else {
        snprintf(what, sizeof what, "a whole number from %d to %d", option->least, option->most);
    }
    return expected(args, option->name, what, text);
}

static bool read_positive(const reading* args, const cli_option* option, const char* text)
{
    char* end = NULL;
    float value = strtof(text, &end);
    if (end == text || *end != '\0' || !isfinite(value) || !(value > 0.0f)) {
        return expected(args, option->name, "a number above 0", text);
    }
    *(float*)option->value = value;
    return true;
}

static bool read_word(const reading* args, const cli_option* option, const char* text)
{
    char what[256] = "one of";
    for (int i = 0; option->words[i] != NULL; ++i) {
        if (strcmp(option->words[i], text) == 0) {
            *(int*)option->value = i;
            return true;
        }
        size_t length = strlen(what);
        snprintf(what + length, sizeof what - length, "%s %s", i > 0 ? "," : "", option->words[i]);
    }
    return expected(args, option->name, what, text);
}

// Cuts "path=value" in two where it stands.
static bool read_override(const reading* args, const cli_option* option, char* text)
{
    char* sign = strchr(text, '=');
    if (sign == NULL || sign == text) {
        return expected(args, option->name, "path=value", text);
    }
    cli_overrides* overrides = option->value;
    size_t size = sizeof(drape_override) * (size_t)(overrides->count + 1);
    drape_override* items = realloc(overrides->items, size);
    if (items == NULL) {
        cli_say(args->command, "%s: not enough memory", option->name);
        return false;
    }
    *sign = '\0';
    items[overrides->count++] = (drape_override){text, sign + 1};
    overrides->items = items;
    return true;
}

static bool push_word(const reading* args, cli_words* words, const char* name, const char* text)
{
    if (text[0] == '\0') {
        return expected(args, name, "a name", text);
    }
    const char** items = realloc(words->items, sizeof *items * ((size_t)words->count + 1));
    if (items == NULL) {
        cli_say(args->command, "%s: not enough memory", name);
        return false;
    }
    items[words->count++] = text;
    words->items = items;
    return true;
}

static bool read_value(const reading* args, const cli_option* option, char* text)
{
    switch (option->kind) {
    case CLI_FLAG: break;
    case CLI_TEXT:
        *(const char**)option->value = text;
        return text[0] != '\0' || expected(args, option->name, "a name", text);
    case CLI_WHOLE: return read_whole(args, option, text);
    case CLI_POSITIVE: return read_positive(args, option, text);
    case CLI_WORD: return read_word(args, option, text);
    case CLI_OVERRIDE: return read_override(args, option, text);
    case CLI_TEXTS: return push_word(args, option->value, option->name, text);
    }
    return false;
}

// --- Options ---

static const cli_option* find_option(const cli_option* options, const char* word, size_t length)
{
    for (const cli_option* option = options; option->name != NULL; ++option) {
        if (strlen(option->name) == length && strncmp(option->name, word, length) == 0) {
            return option;
        }
    }
    return NULL;
}

static bool refuse_option(const reading* args, const char* word)
{
    const char* names[DR_WORDS_MAX];
    int count = 0;
    for (const cli_option* option = args->options; option->name != NULL; ++option) {
        names[count++] = option->name;
    }
    const char* nearest = dr_word_nearest(word, names, count);
    cli_say(args->command, "%s: no such option%s%s; see drape %s --help", word,
            nearest != NULL ? ", did you mean " : "", nearest != NULL ? nearest : "",
            args->command->name);
    return false;
}

static char* next_word(reading* args)
{
    --args->count;
    return *args->words++;
}

// One option, with its value when it takes one.
static bool read_option(reading* args, char* word)
{
    bool is_long = word[1] == '-';
    size_t length = is_long ? strcspn(word, "=") : 2;
    const cli_option* option = find_option(args->options, word, length);
    if (option == NULL) {
        return refuse_option(args, word);
    }
    char* rest = word + length;
    if (option->kind == CLI_FLAG) {
        *(bool*)option->value = true;
        return *rest == '\0' || expected(args, option->name, "no value", rest + is_long);
    }
    if (*rest != '\0') {
        return read_value(args, option, rest + is_long);
    }
    if (args->count == 0) {
        cli_say(args->command, "%s: expected a value, found none", option->name);
        return false;
    }
    return read_value(args, option, next_word(args));
}

// --- Operands ---

static bool read_operand(const reading* args, const cli_operand** operand, const char* word)
{
    if ((*operand)->name == NULL) {
        cli_say(args->command, "%s: expected no further argument; see drape %s --help", word,
                args->command->name);
        return false;
    }
    if ((*operand)->all != NULL) {
        return push_word(args, (*operand)->all, (*operand)->name, word);
    }
    if (word[0] == '\0') {
        return expected(args, (*operand)->name, "a name", word);
    }
    *(*operand)->value = word;
    ++*operand;
    return true;
}

int cli_args_read(const cli_command* command, int argc, char** argv, const cli_option* options,
                  const cli_operand* operands)
{
    reading args = {command, argv, argc, options};
    bool takes_options = true;
    while (args.count > 0) {
        char* word = next_word(&args);
        bool is_option = takes_options && word[0] == '-' && word[1] != '\0';
        if (is_option && strcmp(word, "--") == 0) {
            takes_options = false;
        } else if (is_option && (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)) {
            fputs(command->help, stdout);
            return CLI_DONE;
        } else if (is_option ? !read_option(&args, word) : !read_operand(&args, &operands, word)) {
            return CLI_REFUSED;
        }
    }
    bool has_all = operands->all != NULL && operands->all->count > 0;
    if (operands->name != NULL && operands->is_needed && !has_all) {
        cli_say(command, "expected %s, found nothing; see drape %s --help", operands->name,
                command->name);
        return CLI_REFUSED;
    }
    return CLI_GO_ON;
}
