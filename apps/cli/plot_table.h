// plot_table.h: columns of numbers and words, from a file of statistics or a bench CSV.
//
//     JSON lines   one object a line, as --stats writes them; objects within objects give names
//                  with dots: ms.total. The last line of a run, which has its `hash`, is passed
//                  over, and so are arrays.
//     CSV          a head of names, then lines of as many cells; cells may stand in double quotes.
//                  Lines that start with # are comments.
//
// A column is one of words when any of its values is no number. Cells that are empty, null or not
// finite are NAN. Both readers go by what the file begins with, never by its name.
#ifndef CLI_PLOT_TABLE_H
#define CLI_PLOT_TABLE_H

#include "io/file.h"

#define CLI_COLUMNS_MAX 128
// A column of more words than these tells no series apart; it keeps none.
#define CLI_WORDS_MAX 200

typedef struct cli_column {
    char* name;
    double* values; // in a column of words: the place in `words`
    char** words;   // each once
    int word_count;
    bool is_text;
    bool is_varied; // too many words
} cli_column;

typedef struct cli_table {
    const char* path; // of the caller
    cli_column columns[CLI_COLUMNS_MAX];
    int column_count;
    size_t row_count;
    size_t capacity;   // rows that every column has room for
    bool is_stats;     // JSON lines
    bool lacks_memory; // a call below ran out of it
} cli_table;

// Reads a whole file; "-" is the standard input. Free it with cli_table_free whatever the result.
bool cli_table_read(cli_table* table, const char* path, drape_error* error);
// The same of a file in memory, which `path` names in sentences.
bool cli_table_parse(cli_table* table, const char* path, const dr_file* file, drape_error* error);
void cli_table_free(cli_table* table);
// The place of a column, or -1.
int cli_table_find(const cli_table* table, const char* name, size_t length);

// --- For the readers ---

// The place of a new column that is empty so far; -1 when there are too many or memory is short.
int cli_table_add_column(cli_table* table, const char* name, size_t length);
// A new row in which everything is empty.
bool cli_table_add_row(cli_table* table);
// Puts a word into the last row. Numbers before it in the column are lost.
bool cli_table_put_word(cli_table* table, int column, const char* word, size_t length);
// True when all went well; else the sentence for what did not.
bool cli_table_check(const cli_table* table, drape_error* error);

bool cli_table_read_json(cli_table* table, const dr_file* file, drape_error* error);
bool cli_table_read_csv(cli_table* table, const dr_file* file, drape_error* error);

#endif
