#define _XOPEN_SOURCE 700
#define _FILE_OFFSET_BITS 64

#include "io/file.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/sentence.h"

// Large enough that system calls vanish beside formatting.
#define BUFFER_SIZE ((size_t)1 << 18)
// A pipe has no size to check, so it gets a limit.
#define PIPE_LIMIT ((size_t)1 << 31)
// Temporary names keep this much of the target's, so that they stay within NAME_MAX.
#define NAME_KEPT 180

void dr_error_set(drape_error* error, drape_error_kind kind, const char* format, ...)
{
    if (error == NULL) {
        return;
    }
    va_list arguments;
    va_start(arguments, format);
    error->kind = kind;
    vsnprintf(error->sentence, sizeof error->sentence, format, arguments);
    va_end(arguments);
    dr_sentence_tame(error->sentence, strlen(error->sentence));
}

void dr_error_set_memory(drape_error* error, const char* name)
{
    dr_error_set(error, DRAPE_ERROR_SYSTEM, "%s: not enough memory", name);
}

// --- Reading ---

static bool read_fails(const char* path, int number, drape_error* error)
{
    bool is_absent = number == ENOENT || number == ENOTDIR || number == ENAMETOOLONG;
    dr_error_set(error, is_absent ? DRAPE_ERROR_INPUT : DRAPE_ERROR_SYSTEM,
                 "%s: could not read the file: %s", path, strerror(number));
    return false;
}

// Fills `data` up to `size` or to the end of the file; the count of bytes, or -1 with errno.
static ssize_t read_up_to(int descriptor, char* data, size_t size)
{
    size_t done = 0;
    while (done < size) {
        ssize_t count = read(descriptor, data + done, size - done);
        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count < 0) {
            return -1;
        }
        if (count == 0) {
            break;
        }
        done += (size_t)count;
    }
    return (ssize_t)done;
}

// Reads until the end, starting with room for `expected` bytes and doubling it while more comes.
static int read_all(int descriptor, size_t expected, size_t limit, dr_file* file)
{
    size_t capacity = expected;
    for (;;) {
        char* data = realloc(file->data, capacity + 1);
        if (data == NULL) {
            return ENOMEM;
        }
        file->data = data;
        ssize_t count = read_up_to(descriptor, data + file->size, capacity - file->size);
        if (count < 0) {
            return errno;
        }
        file->size += (size_t)count;
        data[file->size] = '\0';
        if (file->size < capacity || expected == limit) {
            return 0;
        }
        if (capacity >= limit) {
            return EFBIG;
        }
        capacity = capacity > limit / 2 ? limit : 2 * capacity;
    }
}

static bool read_open_file(int descriptor, const char* path, dr_file* file, drape_error* error)
{
    struct stat info;
    if (fstat(descriptor, &info) != 0) {
        return read_fails(path, errno, error);
    }
    if (S_ISDIR(info.st_mode)) {
        dr_error_set(error, DRAPE_ERROR_INPUT, "%s: expected a file, found a directory", path);
        return false;
    }
    if (!S_ISREG(info.st_mode) && !S_ISFIFO(info.st_mode)) {
        dr_error_set(error, DRAPE_ERROR_INPUT, "%s: expected a file, found a device", path);
        return false;
    }
    // A regular file is taken at its size, even if it grows meanwhile.
    size_t size = (size_t)info.st_size;
    bool is_pipe = S_ISFIFO(info.st_mode);
    if (!is_pipe && (info.st_size < 0 || (uintmax_t)info.st_size > PTRDIFF_MAX - 1)) {
        return read_fails(path, EFBIG, error);
    }
    int number =
        read_all(descriptor, is_pipe ? BUFFER_SIZE : size, is_pipe ? PIPE_LIMIT : size, file);
    return number == 0 || read_fails(path, number, error);
}

bool dr_file_read(const char* path, dr_file* file, drape_error* error)
{
    *file = (dr_file){0};
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) {
        return read_fails(path, errno, error);
    }
    bool is_read = read_open_file(descriptor, path, file, error);
    close(descriptor);
    if (!is_read) {
        dr_file_free(file);
    }
    return is_read;
}

bool dr_file_read_named(const char* name, dr_file* file, drape_error* error)
{
    if (strcmp(name, "-") != 0) {
        return dr_file_read(name, file, error);
    }
    *file = (dr_file){0};
    int number = read_all(STDIN_FILENO, BUFFER_SIZE, PIPE_LIMIT, file);
    if (number != 0) {
        dr_file_free(file);
        return read_fails("standard input", number, error);
    }
    return true;
}

void dr_file_free(dr_file* file)
{
    free(file->data);
    *file = (dr_file){0};
}

// --- Paths and directories ---

bool dr_path_has_ending(const char* path, const char* ending)
{
    size_t path_length = strlen(path);
    size_t ending_length = strlen(ending);
    if (path_length < ending_length) {
        return false;
    }
    const char* tail = path + path_length - ending_length;
    for (size_t k = 0; k < ending_length; ++k) {
        if (tolower((unsigned char)tail[k]) != tolower((unsigned char)ending[k])) {
            return false;
        }
    }
    return true;
}

// One level. What mkdir says of a path that exists differs with its kind, so existence is asked
// apart.
static int make_one_directory(const char* path)
{
    if (mkdir(path, 0777) == 0) {
        return 0;
    }
    int number = errno;
    struct stat info;
    if (stat(path, &info) == 0) {
        return S_ISDIR(info.st_mode) ? 0 : ENOTDIR;
    }
    return number;
}

bool dr_directory_make(const char* path, drape_error* error)
{
    char* part = strdup(path);
    if (part == NULL) {
        dr_error_set_memory(error, path);
        return false;
    }
    int number = path[0] == '\0' ? ENOENT : 0;
    // Every slash that ends a name ends a parent.
    for (size_t k = 1; number == 0 && part[0] != '\0' && part[k] != '\0'; ++k) {
        if (part[k] == '/' && part[k - 1] != '/') {
            part[k] = '\0';
            number = make_one_directory(part);
            part[k] = '/';
        }
    }
    if (number == 0) {
        number = make_one_directory(part);
    }
    if (number != 0) {
        dr_error_set(error, DRAPE_ERROR_SYSTEM, "%s: could not make the directory: %s", path,
                     strerror(number));
    }
    free(part);
    return number == 0;
}

// --- Writing ---

static bool write_fails(const char* path, int number, drape_error* error)
{
    dr_error_set(error, DRAPE_ERROR_SYSTEM, "%s: could not write the file: %s", path,
                 strerror(number));
    return false;
}

static void output_free(dr_output* out)
{
    free(out->path);
    free(out->temporary);
    free(out->buffer);
    *out = (dr_output){.descriptor = -1};
}

// Opens a name of its own beside the target; the errno, or 0.
static int open_temporary(dr_output* out)
{
    size_t capacity = strlen(out->path) + 64;
    out->temporary = malloc(capacity);
    if (out->temporary == NULL) {
        return ENOMEM;
    }
    const char* slash = strrchr(out->path, '/');
    const char* name = slash != NULL ? slash + 1 : out->path;
    int folder_length = (int)(name - out->path);
    // A name may be taken by a run that was killed, or by another writer of this process.
    for (int attempt = 0; attempt < 1000; ++attempt) {
        snprintf(out->temporary, capacity, "%.*s.%.*s.tmp-%ld-%d", folder_length, out->path,
                 NAME_KEPT, name, (long)getpid(), attempt);
        out->descriptor = open(out->temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (out->descriptor >= 0) {
            return 0;
        }
        if (errno != EEXIST) {
            break;
        }
    }
    int number = errno;
    free(out->temporary);
    out->temporary = NULL;
    return number;
}

// Renaming over a link or a device would put a file in its place: links are followed, and devices
// and pipes are written as they are.
static int open_target(dr_output* out, const char* path)
{
    struct stat info;
    bool exists = stat(path, &info) == 0;
    out->path = exists ? realpath(path, NULL) : NULL;
    if (out->path == NULL) {
        out->path = strdup(path);
    }
    if (out->path == NULL) {
        return ENOMEM;
    }
    if (exists && S_ISDIR(info.st_mode)) {
        return EISDIR;
    }
    if (!exists || S_ISREG(info.st_mode)) {
        return open_temporary(out);
    }
    out->descriptor = open(path, O_WRONLY | O_CLOEXEC);
    return out->descriptor < 0 ? errno : 0;
}

bool dr_output_open(dr_output* out, const char* path, drape_error* error)
{
    *out = (dr_output){.descriptor = -1};
    out->buffer = malloc(BUFFER_SIZE);
    int number = out->buffer == NULL ? ENOMEM : open_target(out, path);
    if (number != 0) {
        write_fails(path, number, error);
        output_free(out);
    }
    return number == 0;
}

// Bytes that a system call moved; 0 to try again, or with the failure kept.
static size_t bytes_moved(dr_output* out, ssize_t count)
{
    if (count > 0) {
        return (size_t)count;
    }
    if (count == 0 || errno != EINTR) {
        out->failure = count < 0 ? errno : EIO;
    }
    return 0;
}

// Writes to the file itself, at its end.
static void write_through(dr_output* out, const char* data, size_t size)
{
    while (size > 0 && out->failure == 0) {
        size_t count = bytes_moved(out, write(out->descriptor, data, size));
        data += count;
        size -= count;
    }
}

// Writes over what is there, or behind it.
static void write_at(dr_output* out, const char* data, size_t size, off_t offset)
{
    while (size > 0 && out->failure == 0) {
        size_t count = bytes_moved(out, pwrite(out->descriptor, data, size, offset));
        data += count;
        size -= count;
        offset += (off_t)count;
    }
}

static void read_at(dr_output* out, char* data, size_t size, off_t offset)
{
    while (size > 0 && out->failure == 0) {
        size_t count = bytes_moved(out, pread(out->descriptor, data, size, offset));
        data += count;
        size -= count;
        offset += (off_t)count;
    }
}

static void flush(dr_output* out)
{
    write_through(out, out->buffer, out->used);
    out->used = 0;
}

void dr_output_write(dr_output* out, const void* data, size_t size)
{
    if (size > BUFFER_SIZE - out->used) {
        flush(out);
    }
    if (size > BUFFER_SIZE) {
        write_through(out, data, size);
    } else if (size > 0) {
        memcpy(out->buffer + out->used, data, size);
        out->used += size;
    }
}

char* dr_output_reserve(dr_output* out, size_t size)
{
    if (size > BUFFER_SIZE - out->used) {
        flush(out);
    }
    return out->buffer + out->used;
}

void dr_output_commit(dr_output* out, const char* end)
{
    out->used = (size_t)(end - out->buffer);
}

void dr_output_patch(dr_output* out, size_t offset, const void* data, size_t size)
{
    flush(out);
    write_at(out, data, size, (off_t)offset);
}

void dr_output_insert(dr_output* out, size_t offset, const void* data, size_t size)
{
    flush(out);
    off_t from = (off_t)offset;
    off_t end = lseek(out->descriptor, 0, SEEK_END);
    if (end < from) {
        out->failure = out->failure != 0 ? out->failure : ESPIPE;
    }
    // From the back, so that no piece lands on one that still has to move.
    while (out->failure == 0 && end > from) {
        size_t piece = (size_t)(end - from) < BUFFER_SIZE ? (size_t)(end - from) : BUFFER_SIZE;
        end -= (off_t)piece;
        read_at(out, out->buffer, piece, end);
        write_at(out, out->buffer, piece, end + (off_t)size);
    }
    write_at(out, data, size, from);
    if (out->failure == 0) {
        lseek(out->descriptor, 0, SEEK_END);
    }
}

bool dr_output_check(const dr_output* out, drape_error* error)
{
    return out->failure == 0 || write_fails(out->path, out->failure, error);
}

bool dr_output_close(dr_output* out, drape_error* error)
{
    flush(out);
    if (close(out->descriptor) != 0 && out->failure == 0) {
        out->failure = errno;
    }
    if (out->failure == 0 && out->temporary != NULL && rename(out->temporary, out->path) != 0) {
        out->failure = errno;
    }
    bool is_complete = dr_output_check(out, error);
    if (!is_complete && out->temporary != NULL) {
        unlink(out->temporary);
    }
    output_free(out);
    return is_complete;
}

void dr_output_discard(dr_output* out)
{
    close(out->descriptor);
    if (out->temporary != NULL) {
        unlink(out->temporary);
    }
    output_free(out);
}
