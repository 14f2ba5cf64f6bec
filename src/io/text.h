// io/text.h: walking through lines of text, with the line number at hand for sentences.
//
// Lines end with \n, \r\n or \r. Blanks are spaces and tabs, and, where the format has it, a
// backslash at the end of a line, which joins the next one. All functions stay within [at, end):
// the text needs no zero byte behind it.
#ifndef DR_TEXT_H
#define DR_TEXT_H

#include "io/file.h"

typedef struct dr_text {
    const char* at;
    const char* end;
    const char* name; // of the file
    int64_t line;     // of `at`, from 1
    char comment;     // starts a comment at the start of a word; 0: none
    bool joins_lines; // by backslashes
} dr_text;

static inline bool dr_text_is_blank(char letter)
{
    return letter == ' ' || letter == '\t';
}

static inline bool dr_text_is_break(char letter)
{
    return letter == '\n' || letter == '\r';
}

// Behind the line break at `at`; the caller knows there is one.
static inline void dr_text_pass_break(dr_text* text)
{
    bool has_two = *text->at == '\r' && text->at + 1 < text->end && text->at[1] == '\n';
    text->at += has_two ? 2 : 1;
    ++text->line;
}

// True at a backslash that joins the next line.
static inline bool dr_text_at_join(const dr_text* text)
{
    return text->joins_lines && text->end - text->at >= 2 && text->at[0] == '\\' &&
           dr_text_is_break(text->at[1]);
}

static inline void dr_text_skip_blanks(dr_text* text)
{
    while (text->at < text->end) {
        if (dr_text_is_blank(*text->at)) {
            ++text->at;
        } else if (dr_text_at_join(text)) {
            ++text->at;
            dr_text_pass_break(text);
        } else {
            return;
        }
    }
}

// True when no word begins here: the end of the text, of the line, or a comment.
static inline bool dr_text_at_line_end(const dr_text* text)
{
    return text->at == text->end || dr_text_is_break(*text->at) ||
           (text->comment != '\0' && *text->at == text->comment);
}

// True when a word cannot go on here.
static inline bool dr_text_at_word_end(const dr_text* text)
{
    return text->at == text->end || dr_text_is_blank(*text->at) || dr_text_is_break(*text->at) ||
           dr_text_at_join(text);
}

// To the start of the next line, or to the end of the text.
void dr_text_next_line(dr_text* text);
// The next word of the line after blanks; its length, 0 at the end of the line.
size_t dr_text_word(dr_text* text, const char** word);
bool dr_text_word_is(const char* word, size_t length, const char* wanted);

// Skips blanks and reads one number, which must end where the word ends. False with a sentence that
// names `what` was expected: "the number y".
bool dr_text_float(dr_text* text, const char* what, float* value, drape_error* error);
bool dr_text_integer(dr_text* text, const char* what, int64_t* value, drape_error* error);

// "FILE:LINE: ..."; always false.
bool dr_text_fail(const dr_text* text, drape_error* error, const char* format, ...)
    __attribute__((format(printf, 3, 4)));
// "FILE:LINE: expected WHAT, found WORD"; always false.
bool dr_text_expected(const dr_text* text, const char* what, drape_error* error);

#endif
