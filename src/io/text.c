#include "io/text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "io/number.h"

// Longer words are cut in sentences.
#define QUOTE_LENGTH 40

void dr_text_next_line(dr_text* text)
{
    // A comment may end with a backslash without meaning anything by it.
    bool joins = !(text->at < text->end && text->comment != '\0' && *text->at == text->comment);
    while (text->at < text->end && !dr_text_is_break(*text->at)) {
        bool at_join = joins && dr_text_at_join(text);
        ++text->at;
        if (at_join) {
            dr_text_pass_break(text);
        }
    }
    if (text->at < text->end) {
        dr_text_pass_break(text);
    }
}

size_t dr_text_word(dr_text* text, const char** word)
{
    dr_text_skip_blanks(text);
    *word = text->at;
    if (dr_text_at_line_end(text)) {
        return 0;
    }
    while (!dr_text_at_word_end(text)) {
        ++text->at;
    }
    return (size_t)(text->at - *word);
}

bool dr_text_word_is(const char* word, size_t length, const char* wanted)
{
    return strlen(wanted) == length && memcmp(word, wanted, length) == 0;
}

// Takes a number that ends at `behind`, which must be the end of the word too.
static bool take_number(dr_text* text, const char* behind, const char* what, drape_error* error)
{
    dr_text after = *text;
    after.at = behind;
    if (behind == NULL || !dr_text_at_word_end(&after)) {
        return dr_text_expected(text, what, error);
    }
    text->at = behind;
    return true;
}

bool dr_text_float(dr_text* text, const char* what, float* value, drape_error* error)
{
    dr_text_skip_blanks(text);
    const char* start = text->at;
    if (!take_number(text, dr_parse_float(start, text->end, value), what, error)) {
        return false;
    }
    if (!isfinite(*value)) {
        text->at = start;
        char finite[64];
        snprintf(finite, sizeof finite, "%s to be finite", what);
        return dr_text_expected(text, finite, error);
    }
    return true;
}

bool dr_text_integer(dr_text* text, const char* what, int64_t* value, drape_error* error)
{
    dr_text_skip_blanks(text);
    return take_number(text, dr_parse_integer(text->at, text->end, value), what, error);
}

bool dr_text_fail(const dr_text* text, drape_error* error, const char* format, ...)
{
    char sentence[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    dr_error_set(error, DRAPE_ERROR_INPUT, "%s:%lld: %s", text->name, (long long)text->line,
                 sentence);
    return false;
}

bool dr_text_expected(const dr_text* text, const char* what, drape_error* error)
{
    dr_text from = *text;
    const char* word;
    size_t length = dr_text_word(&from, &word);
    if (length == 0) {
        bool at_end = from.at == from.end;
        return dr_text_fail(text, error, "expected %s, found the end of the %s", what,
                            at_end ? "file" : "line");
    }
    // The word may hold anything; control letters stay out of the sentence.
    char quote[QUOTE_LENGTH + 1] = {0};
    for (size_t k = 0; k < length && k < QUOTE_LENGTH; ++k) {
        unsigned char letter = (unsigned char)word[k];
        quote[k] = letter < 0x20 || letter == 0x7f ? '?' : word[k];
    }
    return dr_text_fail(text, error, "expected %s, found \"%s%s\"", what, quote,
                        length > QUOTE_LENGTH ? "..." : "");
}
