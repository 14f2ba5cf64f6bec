// movie.h: where pictures go: one PNG file, numbered ones, or a film.
//
// The name says which: out.png, frame_%04d.png, or out.mp4, out.webm, out.gif. Films are made by
// ffmpeg, which gets the pictures through a pipe. Where it is not installed the film becomes
// numbered pictures, out_0000.png and so on, which it can be made of later.
//
// Every file is written under a temporary name and renamed when it is complete.
#ifndef CLI_MOVIE_H
#define CLI_MOVIE_H

#include "command.h"

typedef enum cli_movie_kind {
    CLI_MOVIE_NONE,     // a name with another ending
    CLI_MOVIE_STILL,    // one picture
    CLI_MOVIE_SEQUENCE, // numbered pictures
    CLI_MOVIE_FILM,
} cli_movie_kind;

cli_movie_kind cli_movie_kind_of(const char* path);

typedef struct cli_movie cli_movie;

// Null with a sentence when the name is bad or ffmpeg does not start.
cli_movie* cli_movie_open(const char* path, int width, int height, float fps, drape_error* error);
// The pattern of names when a film becomes numbered pictures for want of ffmpeg, else null.
const char* cli_movie_instead(const cli_movie* movie);
// Adds a picture, rows from the top, three bytes to a pixel; numbered pictures get `number`.
bool cli_movie_add(cli_movie* movie, const uint8_t* pixels, int number, drape_error* error);
// Completes the film; the movie is gone whatever the result.
bool cli_movie_close(cli_movie* movie, drape_error* error);
// Forgets a film that is not complete. Null is fine.
void cli_movie_discard(cli_movie* movie);

#endif
