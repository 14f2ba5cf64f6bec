// io/sentence.h: sentences put together piece by piece in a fixed buffer.
//
// In place of printf, so that the readers of scene files need nothing of the C library but memory
// and strings. What does not fit is cut off; the text always ends with a zero. Control letters,
// which files can put into keys and names, become "?": a sentence is one line, and harmless on a
// terminal.
#ifndef DR_SENTENCE_H
#define DR_SENTENCE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct dr_sentence {
    char* text;
    size_t size;   // of the buffer
    size_t length; // so far, without the zero
} dr_sentence;

static inline dr_sentence dr_sentence_begin(char* text, size_t size)
{
    if (size > 0) {
        text[0] = '\0';
    }
    return (dr_sentence){text, size, 0};
}

// Makes "?" of the control letters in a text.
static inline void dr_sentence_tame(char* text, size_t length)
{
    for (size_t i = 0; i < length; ++i) {
        bool is_control = (unsigned char)text[i] < 0x20 || text[i] == 0x7f;
        text[i] = is_control ? '?' : text[i];
    }
}

static inline void dr_sentence_add_bytes(dr_sentence* sentence, const char* bytes, size_t count)
{
    size_t room = sentence->size > sentence->length ? sentence->size - sentence->length - 1 : 0;
    size_t taken = count < room ? count : room;
    // A letter of several bytes is taken whole or not at all.
    while (taken > 0 && taken < count && ((unsigned char)bytes[taken] & 0xC0) == 0x80) {
        --taken;
    }
    memcpy(sentence->text + sentence->length, bytes, taken);
    dr_sentence_tame(sentence->text + sentence->length, taken);
    sentence->length += taken;
    if (sentence->size > 0) {
        sentence->text[sentence->length] = '\0';
    }
}

static inline void dr_sentence_add(dr_sentence* sentence, const char* words)
{
    dr_sentence_add_bytes(sentence, words, strlen(words));
}

// Adds every string up to a null.
static inline void dr_sentence_join(dr_sentence* sentence, ...)
{
    va_list pieces;
    va_start(pieces, sentence);
    for (const char* piece = va_arg(pieces, const char*); piece != NULL;
         piece = va_arg(pieces, const char*)) {
        dr_sentence_add(sentence, piece);
    }
    va_end(pieces);
}

static inline void dr_sentence_add_integer(dr_sentence* sentence, int64_t value)
{
    char digits[24];
    size_t at = sizeof(digits);
    uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    do {
        digits[--at] = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest > 0);
    if (value < 0) {
        digits[--at] = '-';
    }
    dr_sentence_add_bytes(sentence, digits + at, sizeof(digits) - at);
}

#endif
