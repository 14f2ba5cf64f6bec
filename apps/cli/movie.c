#include "movie.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "frames.h"
#include "io/file.h"
#include "render/png.h"

extern char** environ;

struct cli_movie {
    cli_movie_kind kind; // as written: a film without ffmpeg is a sequence
    char path[CLI_PATH_SIZE];
    char temporary[CLI_PATH_SIZE]; // of a film
    cli_pattern pattern;           // of a sequence
    int width, height;
    bool is_instead;
    // ffmpeg
    pid_t child;
    int pipe;             // to its input, -1 when closed
    FILE* said;           // what it had to say
    void (*on_pipe)(int); // what SIGPIPE did before
};

cli_movie_kind cli_movie_kind_of(const char* path)
{
    if (dr_path_has_ending(path, ".png")) {
        return cli_is_pattern(path) ? CLI_MOVIE_SEQUENCE : CLI_MOVIE_STILL;
    }
    bool is_film = dr_path_has_ending(path, ".mp4") || dr_path_has_ending(path, ".webm") ||
                   dr_path_has_ending(path, ".gif");
    return is_film ? CLI_MOVIE_FILM : CLI_MOVIE_NONE;
}

// --- Finding ffmpeg ---

static bool is_program(const char* folder, size_t length)
{
    char path[CLI_PATH_SIZE];
    // An empty entry of PATH is the current folder.
    int size = length > 0 ? snprintf(path, sizeof path, "%.*s/ffmpeg", (int)length, folder)
                          : snprintf(path, sizeof path, "./ffmpeg");
    return size > 0 && size < (int)sizeof path && access(path, X_OK) == 0;
}

static bool has_ffmpeg(void)
{
    const char* folder = getenv("PATH");
    while (folder != NULL && *folder != '\0') {
        size_t length = strcspn(folder, ":");
        if (is_program(folder, length)) {
            return true;
        }
        folder += length + (folder[length] == ':');
    }
    return false;
}

// --- Running ffmpeg ---

enum { WORDS_MOST = 64 };

typedef struct words {
    const char* items[WORDS_MOST];
    int count;
} words;

static void add_words(words* list, const char* const* items)
{
    for (; *items != NULL && list->count + 1 < WORDS_MOST; ++items) {
        list->items[list->count++] = *items;
    }
    list->items[list->count] = NULL;
}

// Colours stay what they are: the matrix of the film is told to it and to whoever plays it. Films
// of this kind have even sides only.
#define EVEN "pad=ceil(iw/2)*2:ceil(ih/2)*2:0:0:white"
#define MATRIX "scale=out_color_matrix=bt709:out_range=tv:flags=accurate_rnd+full_chroma_int"

static const char* const mp4_words[] = {"-vf",       EVEN "," MATRIX, "-c:v", "libx264",  "-preset",
                                        "slow",      "-crf",          "17",   "-pix_fmt", "yuv420p",
                                        "-movflags", "+faststart",    NULL};
static const char* const webm_words[] = {"-vf",      EVEN "," MATRIX, "-c:v", "libvpx-vp9", "-crf",
                                         "24",       "-b:v",          "0",    "-row-mt",    "1",
                                         "-pix_fmt", "yuv420p",       NULL};
static const char* const tag_words[] = {
    "-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709", NULL};
static const char* const gif_words[] = {
    "-filter_complex",
    "split[a][b];[a]palettegen=stats_mode=full[p];[b][p]paletteuse=dither=sierra2_4a", NULL};

// Its input is our pipe, what it says goes to a file without a name.
static bool spawn_ffmpeg(cli_movie* movie, const words* list, const int ends[2])
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t manner;
    sigset_t normal;
    sigemptyset(&normal);
    sigaddset(&normal, SIGPIPE);
    posix_spawn_file_actions_init(&files);
    posix_spawnattr_init(&manner);
    posix_spawn_file_actions_adddup2(&files, ends[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&files, fileno(movie->said), STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&files, fileno(movie->said), STDERR_FILENO);
    posix_spawn_file_actions_addclose(&files, ends[0]);
    posix_spawn_file_actions_addclose(&files, ends[1]);
    // In a group of its own Ctrl-C does not reach it: the film is completed by us.
    posix_spawnattr_setpgroup(&manner, 0);
    posix_spawnattr_setsigdefault(&manner, &normal);
    posix_spawnattr_setflags(&manner, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
    int failure =
        posix_spawnp(&movie->child, "ffmpeg", &files, &manner, (char* const*)list->items, environ);
    posix_spawnattr_destroy(&manner);
    posix_spawn_file_actions_destroy(&files);
    errno = failure;
    return failure == 0;
}

static bool start_ffmpeg(cli_movie* movie, const words* list)
{
    int ends[2];
    movie->said = tmpfile();
    if (movie->said == NULL || pipe(ends) != 0) {
        return false;
    }
    bool is_started = spawn_ffmpeg(movie, list, ends);
    close(ends[0]);
    movie->pipe = ends[1];
    // An ffmpeg that ended early is a failed write, not the end of us.
    movie->on_pipe = signal(SIGPIPE, SIG_IGN);
    return is_started;
}

// The last line that ffmpeg said.
static void last_words(cli_movie* movie, char* text, size_t size)
{
    char line[256];
    snprintf(text, size, "no reason was given");
    rewind(movie->said);
    while (fgets(line, sizeof line, movie->said) != NULL) {
        line[strcspn(line, "\r\n")] = '\0';
        if (line[0] != '\0') {
            snprintf(text, size, "%s", line);
        }
    }
}

static bool tell_failure(cli_movie* movie, drape_error* error)
{
    char text[256];
    last_words(movie, text, sizeof text);
    dr_error_set(error, DRAPE_ERROR_SYSTEM, "%s: ffmpeg could not make the film: %s", movie->path,
                 text);
    return false;
}

// Closes its input and waits for it; true when it was content.
static bool end_ffmpeg(cli_movie* movie)
{
    int status = 0;
    if (movie->pipe >= 0) {
        close(movie->pipe);
        movie->pipe = -1;
    }
    if (movie->child <= 0) {
        return false;
    }
    while (waitpid(movie->child, &status, 0) < 0 && errno == EINTR) {
    }
    movie->child = 0;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// --- Opening ---

// "FOLDER/.NAME.tmp-PID.mp4": ffmpeg wants the ending to know what to make.
static bool name_temporary(cli_movie* movie, drape_error* error)
{
    const char* slash = strrchr(movie->path, '/');
    const char* name = slash != NULL ? slash + 1 : movie->path;
    int length =
        snprintf(movie->temporary, sizeof movie->temporary, "%.*s.%s.tmp-%ld%s",
                 (int)(name - movie->path), movie->path, name, (long)getpid(), strrchr(name, '.'));
    if (length < 0 || length >= (int)sizeof movie->temporary) {
        dr_error_set(error, DRAPE_ERROR_INPUT, "%.80s...: expected a shorter path", movie->path);
        return false;
    }
    return true;
}

static bool open_film(cli_movie* movie, float fps, drape_error* error)
{
    char size[32], rate[32], output[CLI_PATH_SIZE + 8];
    if (!name_temporary(movie, error)) {
        return false;
    }
    // Found out now, not after the last frame.
    int probe = open(movie->temporary, O_WRONLY | O_CREAT, 0666);
    if (probe < 0) {
        dr_error_set(error, DRAPE_ERROR_SYSTEM, "%s: could not write: %s", movie->path,
                     strerror(errno));
        return false;
    }
    close(probe);
    snprintf(size, sizeof size, "%dx%d", movie->width, movie->height);
    snprintf(rate, sizeof rate, "%g", (double)fps);
    snprintf(output, sizeof output, "file:%s", movie->temporary);
    const char* const begin[] = {"ffmpeg",   "-v",       "error", "-y", "-f",
                                 "rawvideo", "-pix_fmt", "rgb24", "-s", size,
                                 "-r",       rate,       "-i",    "-",  NULL};
    const char* const end[] = {output, NULL};
    bool is_gif = dr_path_has_ending(movie->path, ".gif");
    words list = {0};
    add_words(&list, begin);
    add_words(&list, is_gif                                     ? gif_words
                     : dr_path_has_ending(movie->path, ".webm") ? webm_words
                                                                : mp4_words);
    if (!is_gif) {
        add_words(&list, tag_words);
    }
    add_words(&list, end);
    if (!start_ffmpeg(movie, &list)) {
        dr_error_set(error, DRAPE_ERROR_SYSTEM, "%s: ffmpeg did not start: %s", movie->path,
                     strerror(errno));
        return false;
    }
    return true;
}

// "out.mp4" becomes "out_%04d.png".
static bool make_sequence(cli_movie* movie, drape_error* error)
{
    size_t length = (size_t)(strrchr(movie->path, '.') - movie->path);
    if (length + sizeof "_%04d.png" > sizeof movie->path) {
        dr_error_set(error, DRAPE_ERROR_INPUT, "%.80s...: expected a shorter path", movie->path);
        return false;
    }
    memcpy(movie->path + length, "_%04d.png", sizeof "_%04d.png");
    movie->kind = CLI_MOVIE_SEQUENCE;
    movie->is_instead = true;
    return true;
}

static bool open_movie(cli_movie* movie, float fps, drape_error* error)
{
    if (movie->kind == CLI_MOVIE_FILM && cli_is_pattern(movie->path)) {
        dr_error_set(error, DRAPE_ERROR_INPUT,
                     "%s: expected one film for all frames, without a number in its name",
                     movie->path);
        return false;
    }
    if (movie->kind == CLI_MOVIE_FILM && has_ffmpeg()) {
        return open_film(movie, fps, error);
    }
    if (movie->kind == CLI_MOVIE_FILM && !make_sequence(movie, error)) {
        return false;
    }
    return movie->kind != CLI_MOVIE_SEQUENCE ||
           cli_pattern_read(&movie->pattern, movie->path, error);
}

cli_movie* cli_movie_open(const char* path, int width, int height, float fps, drape_error* error)
{
    cli_movie* movie = calloc(1, sizeof *movie);
    if (movie == NULL) {
        dr_error_set_memory(error, path);
        return NULL;
    }
    movie->kind = cli_movie_kind_of(path);
    movie->pipe = -1;
    movie->width = width;
    movie->height = height;
    if (snprintf(movie->path, sizeof movie->path, "%s", path) >= (int)sizeof movie->path) {
        dr_error_set(error, DRAPE_ERROR_INPUT, "%.80s...: expected a shorter path", path);
        free(movie);
        return NULL;
    }
    if (!open_movie(movie, fps, error)) {
        cli_movie_discard(movie);
        return NULL;
    }
    return movie;
}

const char* cli_movie_instead(const cli_movie* movie)
{
    return movie->is_instead ? movie->path : NULL;
}

// --- Pictures ---

static bool write_all(int descriptor, const uint8_t* bytes, size_t size)
{
    while (size > 0) {
        ssize_t count = write(descriptor, bytes, size);
        if (count < 0 && errno != EINTR) {
            return false;
        }
        if (count > 0) {
            bytes += count;
            size -= (size_t)count;
        }
    }
    return true;
}

bool cli_movie_add(cli_movie* movie, const uint8_t* pixels, int number, drape_error* error)
{
    char name[CLI_PATH_SIZE];
    size_t size = 3 * (size_t)movie->width * (size_t)movie->height;
    switch (movie->kind) {
    case CLI_MOVIE_NONE: break;
    case CLI_MOVIE_STILL:
        return dr_png_write(movie->path, pixels, movie->width, movie->height, error);
    case CLI_MOVIE_SEQUENCE:
        return cli_pattern_name(&movie->pattern, number, name, error) &&
               dr_png_write(name, pixels, movie->width, movie->height, error);
    case CLI_MOVIE_FILM:
        if (write_all(movie->pipe, pixels, size)) {
            return true;
        }
        end_ffmpeg(movie);
        return tell_failure(movie, error);
    }
    return false;
}

// --- Ending ---

static void free_movie(cli_movie* movie)
{
    if (movie->said != NULL) {
        fclose(movie->said);
        signal(SIGPIPE, movie->on_pipe);
    }
    free(movie);
}

bool cli_movie_close(cli_movie* movie, drape_error* error)
{
    if (movie->kind == CLI_MOVIE_FILM) {
        if (!end_ffmpeg(movie)) {
            tell_failure(movie, error);
            cli_movie_discard(movie);
            return false;
        }
        if (rename(movie->temporary, movie->path) != 0) {
            dr_error_set(error, DRAPE_ERROR_SYSTEM, "%s: could not write: %s", movie->path,
                         strerror(errno));
            cli_movie_discard(movie);
            return false;
        }
    }
    free_movie(movie);
    return true;
}

void cli_movie_discard(cli_movie* movie)
{
    if (movie == NULL) {
        return;
    }
    end_ffmpeg(movie);
    if (movie->temporary[0] != '\0') {
        unlink(movie->temporary);
    }
    free_movie(movie);
}
