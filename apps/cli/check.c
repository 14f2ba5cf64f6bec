// `drape check`: what crosses or touches in the frames of an animation.
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "check_paint.h"
#include "io/file.h"
#include "playback.h"
#include "progress.h"

static const char help[] =
    "usage: drape check FILE|DIR... [--obstacle FILE]... [--frame N | --frames A-B]\n"
    "                   [--list] [--out FILE.ply] [--quiet]\n"
    "\n"
    "Finds all pairs of triangles that cross (one passes through the other) or touch, in exact\n"
    "arithmetic: of each cloth with itself, with other cloths and with obstacles, frame by frame.\n"
    "Neighbours do not touch where they share vertices. FILE is one of\n"
    "\n"
    "  .obj, .ply             a mesh; the objects of an OBJ file are cloths of their own\n"
    "  .pc2, .mdd             a point cache, with its mesh (.obj or .ply) beside it\n"
    "  NAME_%04d.obj or .ply  a sequence of meshes, numbered from 0 or 1\n"
    "\n"
    "and DIR a folder that `drape run` wrote, with its obstacles. Several files are cloths of one\n"
    "scene, obstacle_NAME.obj is an obstacle; frame_0000.obj frame_0001.obj ... are one sequence.\n"
    "\n"
    "  --obstacle FILE  a mesh, cache or sequence that cloth may not cross; may be given again\n"
    "  --frame N        look at this frame only\n"
    "  --frames A-B     look at the frames from A to B\n"
    "  --list           print each pair: frame, cloth, triangle, cloth, triangle (from 0), and\n"
    "                   crossing, touch, coplanar (with an area in common) or folded\n"
    "  --out FILE.ply   write the worst frame: red what crosses, yellow what touches\n"
    "  --quiet          print no more than what --list asks for\n"
    "\n"
    "The exit code is 3 when anything crosses, 0 when not.\n"
    "\n"
    "examples:\n"
    "  drape check out\n"
    "  drape check out --frames 30-60 --list\n"
    "  drape check 'frames/frame_%04d.obj' --obstacle frames/obstacle_top.obj\n"
    "  drape check shirt.pc2 trousers.pc2 --obstacle body.pc2 --out worst.ply\n";

static const char* const meeting_words[] = {"touch", "coplanar", "folded", "crossing"};

// What was asked for.
typedef struct request {
    cli_words paths;
    cli_words obstacles;
    const char* frames; // "A-B"
    const char* out;
    int frame; // -1: not given
    bool lists, is_quiet;
} request;

// A check under way.
typedef struct check_state {
    const cli_command* command;
    const request* asked;
    cli_playback playback;
    dr_memory memory;
    dr_pool* pool;
    dr_check_mesh* meshes; // one per part, with the frame at hand
    int first, last;       // frames to look at
    cli_progress progress;
    int64_t crossing_count, touch_count; // of all frames
    int crossing_frames, touch_frames;   // that have any
    int worst;                           // frame, -1: none so far
    int64_t worst_crossings, worst_touches;
} check_state;

// --- Words ---

// "12,345".
static const char* write_count(char* text, size_t size, int64_t count)
{
    char digits[24];
    int length = snprintf(digits, sizeof digits, "%" PRId64, count);
    size_t used = 0;
    for (int k = 0; k < length && used + 2 < size; ++k) {
        if (k > 0 && (length - k) % 3 == 0) {
            text[used++] = ',';
        }
        text[used++] = digits[k];
    }
    text[used] = '\0';
    return text;
}

// "no crossings", "1 crossing", "1,234 crossings".
static void print_count(int64_t count, const char* one, const char* many)
{
    char digits[40];
    printf("%s %s", count == 0 ? "no" : write_count(digits, sizeof digits, count),
           count == 1 ? one : many);
}

static void print_found(int64_t crossings, int crossing_frames, int64_t touches, int touch_frames)
{
    print_count(crossings, "crossing", "crossings");
    if (crossing_frames > 0) {
        printf(" in %d frame%s", crossing_frames, crossing_frames == 1 ? "" : "s");
    }
    printf(", ");
    print_count(touches, "touch", "touches");
    if (touch_frames > 0) {
        printf(" in %d frame%s", touch_frames, touch_frames == 1 ? "" : "s");
    }
    printf("\n");
}

// "91 frames, 5,000 triangles, 2 obstacles: no crossings, no touches".
static void print_summary(const check_state* state)
{
    int64_t triangle_count = 0;
    int obstacle_count = 0;
    for (int p = 0; p < state->playback.part_count; ++p) {
        const cli_part* part = &state->playback.parts[p];
        triangle_count += part->is_obstacle ? 0 : part->triangle_count;
        obstacle_count += part->is_obstacle;
    }
    print_count(state->last - state->first + 1, "frame", "frames");
    printf(", ");
    print_count(triangle_count, "triangle", "triangles");
    if (obstacle_count > 0) {
        printf(", ");
        print_count(obstacle_count, "obstacle", "obstacles");
    }
    printf(": ");
    bool is_one = state->first == state->last;
    print_found(state->crossing_count, is_one ? 0 : state->crossing_frames, state->touch_count,
                is_one ? 0 : state->touch_frames);
}

static void list_pairs(const check_state* state, int number, const dr_crossings* found)
{
    const cli_part* parts = state->playback.parts;
    for (int k = 0; k < found->pair_count; ++k) {
        const dr_crossing* pair = &found->pairs[k];
        printf("%d %s %d %s %d %s\n", number, parts[pair->mesh_a].name, pair->triangle_a,
               parts[pair->mesh_b].name, pair->triangle_b, meeting_words[pair->meeting]);
    }
    if (found->pair_count < found->crossing_count + found->touch_count) {
        cli_say(state->command, "warning: only %d pairs of frame %d are listed", found->pair_count,
                number);
    }
}

// --- Setting up ---

static bool open_parts(check_state* state, drape_error* error)
{
    const request* asked = state->asked;
    cli_playback* playback = &state->playback;
    if (!cli_playback_add_all(playback, asked->paths.items, asked->paths.count, CLI_ROLE_BY_NAME,
                              error)) {
        return false;
    }
    if (asked->obstacles.count > 0 &&
        !cli_playback_add_all(playback, asked->obstacles.items, asked->obstacles.count,
                              CLI_ROLE_OBSTACLE, error)) {
        return false;
    }
    return cli_playback_ready(playback, error);
}

static bool find_frame(const cli_playback* playback, const char* option, int number, int* frame,
                       drape_error* error)
{
    *frame = cli_playback_find(playback, number);
    if (*frame < 0) {
        dr_error_set(error, DRAPE_ERROR_INPUT, "%s: expected frames from %d to %d, found %d",
                     option, cli_playback_number(playback, 0),
                     cli_playback_number(playback, playback->frame_count - 1), number);
    }
    return *frame >= 0;
}

// Reads "A-B".
static bool read_range(const char* text, int* first, int* last, drape_error* error)
{
    char* end = NULL;
    long low = strtol(text, &end, 10);
    long high = -1;
    if (end != text && *end == '-' && end[1] >= '0' && end[1] <= '9') {
        high = strtol(end + 1, &end, 10);
    }
    if (low < 0 || high < low || high > INT_MAX || *end != '\0') {
        dr_error_set(error, DRAPE_ERROR_INPUT,
                     "--frames: expected A-B, such as 10-20, found \"%s\"", text);
        return false;
    }
    *first = (int)low;
    *last = (int)high;
    return true;
}

static bool choose_frames(check_state* state, drape_error* error)
{
    const request* asked = state->asked;
    int first = asked->frame, last = asked->frame;
    if (asked->frame >= 0 && asked->frames != NULL) {
        dr_error_set(error, DRAPE_ERROR_INPUT, "--frame: expected it without --frames");
        return false;
    }
    if (asked->frame < 0 && asked->frames == NULL) {
        state->first = 0;
        state->last = state->playback.frame_count - 1;
        return true;
    }
    const char* option = asked->frames != NULL ? "--frames" : "--frame";
    return (asked->frames == NULL || read_range(asked->frames, &first, &last, error)) &&
           find_frame(&state->playback, option, first, &state->first, error) &&
           find_frame(&state->playback, option, last, &state->last, error);
}

static bool allocate_meshes(check_state* state, drape_error* error)
{
    int count = state->playback.part_count;
    state->meshes = calloc((size_t)count, sizeof *state->meshes);
    state->pool = dr_pool_create(&state->memory, cli_thread_count(), NULL);
    bool is_made = state->meshes != NULL && state->pool != NULL;
    for (int p = 0; is_made && p < count; ++p) {
        const cli_part* part = &state->playback.parts[p];
        state->meshes[p] = (dr_check_mesh){
            .positions = malloc(sizeof(drape_vec3) * ((size_t)part->vertex_count + 1)),
            .triangles = part->triangles,
            .vertex_count = part->vertex_count,
            .triangle_count = part->triangle_count,
            .is_obstacle = part->is_obstacle,
        };
        is_made = state->meshes[p].positions != NULL;
    }
    if (!is_made) {
        dr_error_set_memory(error, state->asked->paths.items[0]);
    }
    return is_made;
}

static void free_all(check_state* state)
{
    for (int p = 0; state->meshes != NULL && p < state->playback.part_count; ++p) {
        free((drape_vec3*)state->meshes[p].positions);
    }
    free(state->meshes);
    dr_pool_destroy(state->pool);
    cli_playback_free(&state->playback);
}

// --- Checking ---

// Reads a frame and finds its pairs.
static bool look(check_state* state, int frame, dr_crossings* found, drape_error* error)
{
    for (int p = 0; p < state->playback.part_count; ++p) {
        drape_vec3* positions = (drape_vec3*)state->meshes[p].positions;
        if (!cli_playback_read(&state->playback, p, frame, positions, error)) {
            return false;
        }
    }
    if (!dr_crossings_find(found, &state->memory, state->pool, state->meshes,
                           state->playback.part_count)) {
        dr_error_set_memory(error, state->asked->paths.items[0]);
        return false;
    }
    return true;
}

static void count_frame(check_state* state, int frame, const dr_crossings* found)
{
    state->crossing_count += found->crossing_count;
    state->touch_count += found->touch_count;
    state->crossing_frames += found->crossing_count > 0;
    state->touch_frames += found->touch_count > 0;
    if (state->worst < 0 || found->crossing_count > state->worst_crossings ||
        (found->crossing_count == state->worst_crossings &&
         found->touch_count > state->worst_touches)) {
        state->worst = frame;
        state->worst_crossings = found->crossing_count;
        state->worst_touches = found->touch_count;
    }
}

static void tell_frame(check_state* state, int frame, const dr_crossings* found)
{
    if (found->crossing_count + found->touch_count == 0) {
        return;
    }
    int number = cli_playback_number(&state->playback, frame);
    cli_progress_clear(&state->progress);
    if (!state->asked->is_quiet) {
        printf("frame %d: ", number);
        print_found(found->crossing_count, 0, found->touch_count, 0);
    }
    if (state->asked->lists) {
        list_pairs(state, number, found);
    }
}

static bool look_at_all(check_state* state, drape_error* error)
{
    int count = state->last - state->first + 1;
    state->progress = cli_progress_begin(count, state->asked->is_quiet);
    state->worst = -1;
    for (int frame = state->first; frame <= state->last; ++frame) {
        dr_crossings found;
        if (!look(state, frame, &found, error)) {
            cli_progress_clear(&state->progress);
            return false;
        }
        count_frame(state, frame, &found);
        tell_frame(state, frame, &found);
        dr_crossings_free(&found, &state->memory);
        cli_progress_show(&state->progress, frame - state->first + 1);
    }
    cli_progress_clear(&state->progress);
    return true;
}

static bool paint_worst(check_state* state, drape_error* error)
{
    dr_crossings found;
    if (state->asked->out == NULL) {
        return true;
    }
    if (!look(state, state->worst, &found, error)) {
        return false;
    }
    bool is_written = cli_check_paint(state->asked->out, state->meshes, state->playback.part_count,
                                      &found, error);
    dr_crossings_free(&found, &state->memory);
    if (is_written && !state->asked->is_quiet) {
        printf("frame %d is in %s\n", cli_playback_number(&state->playback, state->worst),
               state->asked->out);
    }
    return is_written;
}

static bool check_all(check_state* state, drape_error* error)
{
    if (state->asked->out != NULL && !dr_path_has_ending(state->asked->out, ".ply")) {
        dr_error_set(error, DRAPE_ERROR_INPUT,
                     "--out: expected a name that ends in .ply, found "
                     "\"%s\"",
                     state->asked->out);
        return false;
    }
    if (!open_parts(state, error) || !choose_frames(state, error) ||
        !allocate_meshes(state, error) || !look_at_all(state, error)) {
        return false;
    }
    if (!state->asked->is_quiet) {
        print_summary(state);
    }
    return paint_worst(state, error);
}

static int check(const cli_command* command, int argc, char** argv)
{
    request asked = {.frame = -1};
    const cli_option options[] = {
        {"--obstacle", CLI_TEXTS, .value = &asked.obstacles},
        {"--frame", CLI_WHOLE, .value = &asked.frame, .least = 0, .most = INT_MAX},
        {"--frames", CLI_TEXT, .value = &asked.frames},
        {"--list", CLI_FLAG, .value = &asked.lists},
        {"--out", CLI_TEXT, .value = &asked.out},
        {"--quiet", CLI_FLAG, .value = &asked.is_quiet},
        {0},
    };
    const cli_operand operands[] = {{"FILE or DIR", .is_needed = true, .all = &asked.paths}, {0}};
    int code = cli_args_read(command, argc, argv, options, operands);
    if (code == CLI_GO_ON) {
        drape_error error = {0};
        check_state state = {.command = command, .asked = &asked};
        dr_memory_init(&state.memory, NULL);
        bool is_done = check_all(&state, &error);
        code = !is_done                   ? cli_fail(command, &error)
               : state.crossing_count > 0 ? CLI_CROSSED
                                          : CLI_DONE;
        free_all(&state);
    }
    free(asked.paths.items);
    free(asked.obstacles.items);
    return code;
}

const cli_command cli_command_check = {"check", "find what crosses or touches", help, check};
