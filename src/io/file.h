// io/file.h: files and directories, with a sentence for everything that can go wrong.
//
// Reading takes a file whole: counts can be held against its size before anything is allocated, and
// a parser over a buffer can be tested and fuzzed without a disk.
//
// Writing goes to a temporary file beside the target, `.NAME.tmp-PID-N`, which takes the target's
// name when it is complete; until then whatever had that name stays as it was. A target that is a
// device or a pipe is written in place. Writes are buffered and never fail one by one: the first
// failure is kept, later writes do nothing, and dr_output_check() and dr_output_close() tell of it.
//
//     dr_output out;
//     if (!dr_output_open(&out, path, error)) return false;
//     dr_output_write(&out, data, size);
//     return dr_output_close(&out, error);      // or dr_output_discard(&out)
#ifndef DR_FILE_H
#define DR_FILE_H

#include <drape/io.h>

// Puts one sentence into `error`, cut where it is too long. A null error is fine.
void dr_error_set(drape_error* error, drape_error_kind kind, const char* format, ...)
    __attribute__((format(printf, 3, 4)));
// The sentence for memory that ran out while working on the file `name`.
void dr_error_set_memory(drape_error* error, const char* name);

// A file in memory. One zero byte follows the data.
typedef struct dr_file {
    char* data;
    size_t size;
} dr_file;

// Reads a regular file or a pipe; everything else is refused. Nothing is held when it fails.
bool dr_file_read(const char* path, dr_file* file, drape_error* error);
// The same for what a user names, where "-" is the standard input, whatever that is.
bool dr_file_read_named(const char* name, dr_file* file, drape_error* error);
void dr_file_free(dr_file* file);
// True when `path` ends so (".obj"), upper and lower case alike.
bool dr_path_has_ending(const char* path, const char* ending);
// Makes a directory and its parents; one that is there already is fine.
bool dr_directory_make(const char* path, drape_error* error);

// A file being written.
typedef struct dr_output {
    char* path;      // what it will be called
    char* temporary; // what it is called now; null when written in place
    char* buffer;
    size_t used; // bytes of the buffer
    int descriptor;
    int failure; // errno of the first failure, 0 while all is well
} dr_output;

// The most that dr_output_reserve() gives at once.
#define DR_OUTPUT_RESERVE 4096

bool dr_output_open(dr_output* out, const char* path, drape_error* error);
void dr_output_write(dr_output* out, const void* data, size_t size);
// Room for `size` bytes (at most DR_OUTPUT_RESERVE) to be filled in place; dr_output_commit() takes
// what lies before `end` as written.
char* dr_output_reserve(dr_output* out, size_t size);
void dr_output_commit(dr_output* out, const char* end);
// Writes over bytes that were written before.
void dr_output_patch(dr_output* out, size_t offset, const void* data, size_t size);
// Puts `size` bytes in at `offset` and moves all that follows back. Reads and writes the rest once.
void dr_output_insert(dr_output* out, size_t offset, const void* data, size_t size);
// False, with the sentence, when a write has failed so far.
bool dr_output_check(const dr_output* out, drape_error* error);
// Writes what is left, closes and renames. When that fails the temporary file is removed. Either
// way the output is gone.
bool dr_output_close(dr_output* out, drape_error* error);
// Closes and removes what was written.
void dr_output_discard(dr_output* out);

#endif
