// `drape render`: pictures and films of cloth.
#include <stdio.h>
#include <stdlib.h>

#include "interrupt.h"
#include "io/file.h"
#include "legend.h"
#include "progress.h"
#include "render/film.h"
#include "studio.h"

// A rendering under way.
typedef struct render_state {
    const cli_command* command;
    const cli_render_options* options;
    cli_playback playback;
    cli_studio studio;
    cli_movie* movie;
    dr_memory memory;
    dr_pool* pool;
    dr_film film;
    uint8_t* pixels;
    cli_progress progress;
    int first, last; // frames to draw
    int done;
} render_state;

// --- Setting up ---

static bool open_playback(render_state* state, drape_error* error)
{
    const cli_render_options* options = state->options;
    if (!cli_playback_add(&state->playback, options->in, CLI_ROLE_BY_NAME, error)) {
        return false;
    }
    for (int i = 0; i < options->obstacles.count; ++i) {
        if (!cli_playback_add(&state->playback, options->obstacles.items[i], CLI_ROLE_OBSTACLE,
                              error)) {
            return false;
        }
    }
    if (!cli_playback_ready(&state->playback, error)) {
        return false;
    }
    if (options->fps > 0.0f) {
        state->playback.fps = options->fps;
    }
    return true;
}

static bool find_frame(render_state* state, const char* option, int number, int* frame,
                       drape_error* error)
{
    *frame = cli_playback_find(&state->playback, number);
    if (*frame < 0) {
        int last = state->playback.frame_count - 1;
        dr_error_set(error, DRAPE_ERROR_INPUT, "%s: expected frames from %d to %d, found %d",
                     option, cli_playback_number(&state->playback, 0),
                     cli_playback_number(&state->playback, last), number);
    }
    return *frame >= 0;
}

static bool choose_frames(render_state* state, drape_error* error)
{
    const cli_render_options* options = state->options;
    const char* option = options->frame >= 0 ? "--frame" : "--frames";
    state->last = state->playback.frame_count - 1;
    state->first = options->kind == CLI_MOVIE_STILL ? state->last : 0;
    return options->first < 0 || (find_frame(state, option, options->first, &state->first, error) &&
                                  find_frame(state, option, options->last, &state->last, error));
}

static bool open_film(render_state* state, drape_error* error)
{
    const cli_render_options* options = state->options;
    size_t size = 3 * (size_t)options->width * (size_t)options->height;
    state->pixels = malloc(size);
    state->pool = dr_pool_create(&state->memory, options->thread_count, NULL);
    if (state->pixels == NULL || state->pool == NULL ||
        !dr_film_create(&state->film, &state->memory, options->width, options->height)) {
        dr_error_set_memory(error, options->out);
        return false;
    }
    return true;
}

// After the input is known to be good: what cannot be drawn touches no file.
static bool open_movie(render_state* state, drape_error* error)
{
    const cli_render_options* options = state->options;
    state->movie =
        cli_movie_open(options->out, options->width, options->height, state->playback.fps, error);
    if (state->movie == NULL) {
        return false;
    }
    const char* instead = cli_movie_instead(state->movie);
    if (instead != NULL) {
        cli_say(state->command, "%s: ffmpeg is not installed; writing pictures %s instead",
                options->out, instead);
    }
    return true;
}

// --- Drawing ---

static void show_share(void* user, float share)
{
    render_state* state = user;
    int count = state->last - state->first + 1;
    if (count == 1) {
        cli_progress_share(&state->progress, (double)share);
    }
}

static int sample_count(const render_state* state)
{
    int asked = state->options->sample_count;
    return asked > 0 ? asked : state->options->kind == CLI_MOVIE_STILL ? 64 : 16;
}

static bool draw_frame(render_state* state, int frame, drape_error* error)
{
    const cli_render_options* options = state->options;
    if (!cli_studio_set(&state->studio, frame, error)) {
        return false;
    }
    const cli_studio* studio = &state->studio;
    dr_exposure exposure = {.stage = &studio->stage,
                            .scenery = &studio->scenery,
                            .camera = studio->camera,
                            .sample_count = sample_count(state),
                            .tolerance = DR_FILM_TOLERANCE,
                            .progress = show_share,
                            .progress_user = state};
    dr_film_expose(&state->film, state->pool, &exposure);
    dr_film_develop(&state->film, state->pool, &studio->camera, state->pixels);
    if (options->overlay != CLI_OVERLAY_NONE &&
        !cli_legend_draw(state->pixels, options->width, options->height,
                         (cli_overlay)options->overlay, &studio->range)) {
        dr_error_set_memory(error, options->out);
        return false;
    }
    int number = cli_playback_number(&state->playback, frame);
    return cli_movie_add(state->movie, state->pixels, number, error);
}

static bool draw_frames(render_state* state, drape_error* error)
{
    int count = state->last - state->first + 1;
    state->progress = cli_progress_begin(count, state->options->is_quiet);
    bool is_drawn = true;
    while (is_drawn && state->done < count && !cli_interrupt_came()) {
        is_drawn = draw_frame(state, state->first + state->done, error);
        state->done += is_drawn;
        if (count > 1 && is_drawn) {
            cli_progress_show(&state->progress, state->done);
        }
    }
    cli_progress_clear(&state->progress);
    return is_drawn;
}

static void print_summary(const render_state* state, double ms, const char* path)
{
    printf("%d picture%s of %d x %d in %.2f s, in %s\n", state->done, state->done == 1 ? "" : "s",
           state->options->width, state->options->height, 1e-3 * ms, path);
}

static bool finish(render_state* state, drape_error* error)
{
    char path[CLI_PATH_SIZE];
    int count = state->last - state->first + 1;
    const char* instead = cli_movie_instead(state->movie);
    snprintf(path, sizeof path, "%s", instead != NULL ? instead : state->options->out);
    cli_movie* movie = state->movie;
    state->movie = NULL;
    if (!cli_movie_close(movie, error)) {
        return false;
    }
    if (!state->options->is_quiet) {
        print_summary(state, cli_now_ms() - state->progress.start, path);
    }
    if (state->done < count) {
        dr_error_set(error, DRAPE_ERROR_SYSTEM,
                     "interrupted after frame %d of %d; what was done is kept", state->done, count);
        return false;
    }
    return true;
}

static bool render_all(render_state* state, drape_error* error)
{
    if (!open_playback(state, error) || !choose_frames(state, error) || !open_film(state, error)) {
        return false;
    }
    bool is_set = cli_studio_open(&state->studio, state->options, &state->playback, &state->memory,
                                  state->pool, state->first, state->last, error);
    if (is_set && state->last > state->first) {
        // What is drawn so far becomes a shorter film.
        cli_interrupt_watch();
    }
    bool is_done =
        is_set && open_movie(state, error) && draw_frames(state, error) && finish(state, error);
    cli_studio_close(&state->studio);
    return is_done;
}

static int render(const cli_command* command, int argc, char** argv)
{
    cli_render_options options;
    int code = cli_render_options_read(command, argc, argv, &options);
    if (code == CLI_GO_ON) {
        drape_error error = {0};
        render_state state = {.command = command, .options = &options};
        dr_memory_init(&state.memory, NULL);
        code = render_all(&state, &error) ? CLI_DONE : cli_fail(command, &error);
        cli_movie_discard(state.movie);
        dr_film_free(&state.film);
        dr_pool_destroy(state.pool);
        free(state.pixels);
        cli_playback_free(&state.playback);
    }
    free(options.obstacles.items);
    return code;
}

const cli_command cli_command_render = {"render", "pictures and films of cloth", cli_render_help,
                                        render};
