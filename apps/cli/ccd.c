// `drape ccd`: continuous collision of single pairs, from a file of queries.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "args.h"
#include "collide/ccd.h"
#include "io/text.h"

static const char help[] =
    "usage: drape ccd FILE\n"
    "\n"
    "Tells for each query whether a vertex and a triangle, or two edges, touch while their points\n"
    "move in straight lines from t = 0 to t = 1, and when first. Touching counts, at both ends of\n"
    "the time too. Never a miss, never late. FILE is - for the standard input; one query a line:\n"
    "\n"
    "  KIND LABEL X0 Y0 Z0 X1 Y1 Z1 ... X7 Y7 Z7 TIME\n"
    "\n"
    "  KIND    vf: vertex, three corners of a triangle; ee: two ends of one edge, of the other\n"
    "  LABEL   0 or 1, what is expected; not used\n"
    "  X0 ...  four points at t = 0, the same four at t = 1; decimal or hexadecimal (0x1.8p-1)\n"
    "  TIME    when it is expected; not used\n"
    "\n"
    "Lines that start with # are comments. Prints `1 TIME` or `0 -0x1p+0` for each query, and at\n"
    "last the number of queries and the processor time of the detection, reading not counted.\n"
    "\n"
    "examples:\n"
    "  drape ccd queries.txt\n"
    "  cut -d' ' -f2,27 queries.txt | diff - <(drape ccd queries.txt)\n";

typedef struct query {
    dr_ccd_motion motion;
    bool is_edges;
    dr_ccd_result result;
} query;

typedef struct query_list {
    query* items;
    size_t count, capacity;
} query_list;

// --- Reading ---

// The place of a new query, or null when memory is short.
static query* query_push(query_list* list)
{
    if (list->count == list->capacity) {
        size_t capacity = list->capacity > 0 ? 2 * list->capacity : 1024;
        query* items = realloc(list->items, capacity * sizeof *items);
        if (items == NULL) {
            return NULL;
        }
        list->items = items;
        list->capacity = capacity;
    }
    return &list->items[list->count++];
}

// Takes a finite number. A zero byte ends the text, so strtod stays within it; line ends are looked
// for by hand, for strtod would go on to the next line.
static bool take_number(dr_text* text, double* value)
{
    dr_text_skip_blanks(text);
    if (dr_text_at_line_end(text)) {
        return false;
    }
    char* behind;
    *value = strtod(text->at, &behind);
    dr_text after = *text;
    after.at = behind;
    bool is_taken = behind != text->at && dr_text_at_word_end(&after) && isfinite(*value);
    text->at = is_taken ? behind : text->at;
    return is_taken;
}

static bool read_kind(dr_text* text, query* q, drape_error* error)
{
    dr_text from = *text;
    const char* word;
    size_t length = dr_text_word(text, &word);
    q->is_edges = dr_text_word_is(word, length, "ee");
    if (!q->is_edges && !dr_text_word_is(word, length, "vf")) {
        return dr_text_expected(&from, "vf or ee", error);
    }
    from = *text;
    length = dr_text_word(text, &word);
    if (!dr_text_word_is(word, length, "0") && !dr_text_word_is(word, length, "1")) {
        return dr_text_expected(&from, "the label 0 or 1", error);
    }
    return true;
}

static bool read_query(dr_text* text, query* q, drape_error* error)
{
    if (!read_kind(text, q, error)) {
        return false;
    }
    for (int i = 0; i < 24; ++i) {
        double(*points)[3] = i < 12 ? q->motion.start : q->motion.end;
        if (!take_number(text, &points[i / 3 % 4][i % 3])) {
            char what[64];
            snprintf(what, sizeof what, "the number %c%d (coordinate %d of 24)", "xyz"[i % 3],
                     i / 3, i + 1);
            return dr_text_expected(text, what, error);
        }
    }
    double time;
    if (!take_number(text, &time)) {
        return dr_text_expected(text, "the time", error);
    }
    dr_text_skip_blanks(text);
    return dr_text_at_line_end(text) || dr_text_expected(text, "the end of the line", error);
}

static bool read_queries(const dr_file* file, const char* name, query_list* list,
                         drape_error* error)
{
    dr_text text = {
        .at = file->data, .end = file->data + file->size, .name = name, .line = 1, .comment = '#'};
    for (; text.at < text.end; dr_text_next_line(&text)) {
        dr_text_skip_blanks(&text);
        if (dr_text_at_line_end(&text)) {
            continue;
        }
        query* q = query_push(list);
        if (q == NULL) {
            dr_error_set_memory(error, name);
            return false;
        }
        if (!read_query(&text, q, error)) {
            return false;
        }
    }
    return true;
}

// --- Answering ---

static double processor_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void answer(query_list* list)
{
    double start = processor_seconds();
    for (size_t i = 0; i < list->count; ++i) {
        query* q = &list->items[i];
        q->result = q->is_edges ? dr_ccd_edge_edge(&q->motion, 0.0)
                                : dr_ccd_point_triangle(&q->motion, 0.0);
    }
    double seconds = processor_seconds() - start;
    for (size_t i = 0; i < list->count; ++i) {
        printf("%d %a\n", list->items[i].result.is_hit, list->items[i].result.toi);
    }
    printf("# queries %zu seconds %.9f\n", list->count, seconds);
}

static int ccd(const cli_command* command, int argc, char** argv)
{
    const char* name = NULL;
    const cli_option options[] = {{0}};
    const cli_operand operands[] = {{"FILE", &name, .is_needed = true}, {0}};
    int code = cli_args_read(command, argc, argv, options, operands);
    if (code != CLI_GO_ON) {
        return code;
    }
    dr_file file;
    query_list list = {0};
    drape_error error = {0};
    if (!dr_file_read_named(name, &file, &error)) {
        return cli_fail(command, &error);
    }
    bool is_read = read_queries(&file, name, &list, &error);
    dr_file_free(&file);
    if (is_read) {
        answer(&list);
    }
    free(list.items);
    return is_read ? CLI_DONE : cli_fail(command, &error);
}

const cli_command cli_command_ccd = {"ccd", "first contact of moving pairs, exactly", help, ccd};
