#include "render_options.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/file.h"
#include "render/film.h"

const char cli_render_help[] =
    "usage: drape render FILE|DIR -o OUT [--frame N | --frames A-B] [--size WxH]\n"
    "                    [--samples N] [--view NAME|TURN,HEIGHT]\n"
    "                    [--camera x,y,z [--target x,y,z]] [--fov DEG]\n"
    "                    [--ground Y|none] [--pattern NAME] [--colors RRGGBB,...]\n"
    "                    [--obstacle FILE]... [--overlay NAME] [--rest FILE] [--thickness M]\n"
    "                    [--fps RATE] [--threads N] [--quiet]\n"
    "\n"
    "Draws cloth. FILE is a mesh (.obj, .ply), a point cache with its mesh beside it (.pc2,\n"
    ".mdd) or a sequence (NAME_%04d.obj), DIR a folder that `drape run` wrote, with its\n"
    "obstacles. OUT is\n"
    "\n"
    "  out.png                   one picture, of the last frame\n"
    "  out_%04d.png              a picture of each frame\n"
    "  out.mp4, .webm, .gif      a film of all frames, by ffmpeg; numbered pictures without it\n"
    "\n"
    "  --frame N         draw this frame\n"
    "  --frames A-B      draw the frames from A to B\n"
    "  --size WxH        in pixels, default 1280x720\n"
    "  --samples N       most rays to a pixel, default 64 for one picture, 16 for many\n"
    "  --view VIEW       front, side, top, angle (default), or degrees to the right of the front\n"
    "                    and above it, such as 35,20; all that is there fits into the picture\n"
    "  --camera x,y,z    where the camera is, m\n"
    "  --target x,y,z    what it looks at; default the middle of all\n"
    "  --fov DEG         vertical field of view in degrees, default 28\n"
    "  --ground Y|none   height of the ground; default below all that is there\n"
    "  --pattern NAME    weave (default), checker or plain\n"
    "  --colors A,B,C,D  two colours of the front and two of the back, as RRGGBB; one to four\n"
    "  --obstacle FILE   a mesh, cache or sequence beside the cloth; may be given again\n"
    "  --overlay NAME    colours in place of the pattern: strain (of edges, against frame 0 or\n"
    "                    --rest), speed, crossings, contacts (what is nearer than --thickness)\n"
    "  --rest FILE       the mesh at rest, for one cloth\n"
    "  --thickness M     contact thickness, default 0.002\n"
    "  --fps RATE        frames a second of a film; default that of the cache, or 30\n"
    "  --threads N       1 to 64; default all cores, at most 8; the picture is the same with any\n"
    "  --quiet           print nothing but warnings and errors\n"
    "\n"
    "examples:\n"
    "  drape render out -o tablecloth.png\n"
    "  drape render out -o tablecloth.mp4 --size 1920x1080\n"
    "  drape render out -o strain.png --overlay strain --view top\n"
    "  drape render shirt.pc2 --obstacle body.pc2 -o shirt.gif --frames 0-60 --size 640x480\n";

static const char* const pattern_words[] = {"weave", "checker", "plain", NULL};
static const char* const overlay_words[] = {"none",      "strain",   "speed",
                                            "crossings", "contacts", NULL};

// The values that are more than one number, as given.
typedef struct texts {
    const char *frames, *size, *view, *camera, *target, *ground, *colors;
} texts;

static bool expected(const cli_command* command, const char* name, const char* what,
                     const char* found)
{
    cli_say(command, "%s: expected %s, found \"%s\"", name, what, found);
    return false;
}

// --- Values ---

// Exactly `count` numbers between commas.
static bool read_numbers(const char* text, float* numbers, int count)
{
    for (int i = 0; i < count; ++i) {
        char* end = NULL;
        numbers[i] = strtof(text, &end);
        if (end == text || !isfinite(numbers[i]) || *end != (i + 1 < count ? ',' : '\0')) {
            return false;
        }
        text = end + 1;
    }
    return true;
}

static bool read_whole(const char** text, int* value)
{
    char* end = NULL;
    long number = strtol(*text, &end, 10);
    bool is_read = end != *text && **text >= '0' && **text <= '9' && number <= INT_MAX;
    *value = (int)number;
    *text = end;
    return is_read;
}

// Two whole numbers with a letter between them.
static bool read_two(const char* text, char between, int* a, int* b)
{
    return read_whole(&text, a) && *text++ == between && read_whole(&text, b) && *text == '\0';
}

static bool read_size(const cli_command* command, const char* text, cli_render_options* options)
{
    bool is_read = text == NULL || (read_two(text, 'x', &options->width, &options->height) &&
                                    options->width > 0 && options->width <= DR_FILM_MOST &&
                                    options->height > 0 && options->height <= DR_FILM_MOST);
    return is_read ||
           expected(command, "--size", "WxH, such as 1280x720, at most 16384 each", text);
}

static bool read_frames(const cli_command* command, const char* text, cli_render_options* options)
{
    options->first = options->last = options->frame;
    if (text == NULL) {
        return true;
    }
    if (options->frame >= 0) {
        cli_say(command, "--frame: expected it without --frames");
        return false;
    }
    return (read_two(text, '-', &options->first, &options->last) &&
            options->first <= options->last) ||
           expected(command, "--frames", "A-B, such as 10-20", text);
}

typedef struct named_view {
    const char* name;
    float turn, height;
} named_view;

static const named_view views[] = {
    {"front", 0.0f, 0.0f}, {"side", 90.0f, 0.0f}, {"top", 0.0f, 90.0f}, {"angle", 30.0f, 20.0f}};

static bool read_view(const cli_command* command, const char* text, cli_render_options* options)
{
    for (int i = 0; i < (int)(sizeof views / sizeof views[0]); ++i) {
        if (text != NULL && strcmp(views[i].name, text) == 0) {
            options->turn = views[i].turn;
            options->height_view = views[i].height;
            return true;
        }
    }
    float degrees[2] = {options->turn, options->height_view};
    if (text != NULL && !(read_numbers(text, degrees, 2) && fabsf(degrees[1]) <= 90.0f)) {
        return expected(command, "--view",
                        "front, side, top, angle, or two angles in degrees, the second from -90 "
                        "to 90",
                        text);
    }
    options->turn = degrees[0];
    options->height_view = degrees[1];
    return true;
}

static bool read_point(const cli_command* command, const char* name, const char* text,
                       drape_vec3* point, bool* is_given)
{
    float numbers[3];
    *is_given = text != NULL;
    if (text == NULL) {
        return true;
    }
    if (!read_numbers(text, numbers, 3)) {
        return expected(command, name, "three numbers x,y,z", text);
    }
    *point = (drape_vec3){numbers[0], numbers[1], numbers[2]};
    return true;
}

static bool read_ground(const cli_command* command, const char* text, cli_render_options* options)
{
    if (text == NULL) {
        return true;
    }
    if (strcmp(text, "none") == 0) {
        options->ground = CLI_GROUND_NONE;
        return true;
    }
    options->ground = CLI_GROUND_GIVEN;
    return read_numbers(text, &options->ground_y, 1) ||
           expected(command, "--ground", "a height in metres, or none", text);
}

static bool read_colors(const cli_command* command, const char* text, cli_render_options* options)
{
    const char* at = text;
    while (at != NULL && options->color_count < 4) {
        size_t length = strspn(at, "0123456789abcdefABCDEF");
        if (length != 6 || (at[6] != ',' && at[6] != '\0')) {
            break;
        }
        uint32_t rgb = (uint32_t)strtoul(at, NULL, 16);
        options->colors[options->color_count++] = dr_color_from_srgb(rgb);
        at = at[6] == ',' ? at + 7 : NULL;
    }
    return at == NULL ||
           expected(command, "--colors", "one to four colours RRGGBB, such as b3262e,f4ead8", text);
}

// --- The whole ---

static bool read_texts(const cli_command* command, const texts* given, cli_render_options* options)
{
    return read_size(command, given->size, options) &&
           read_frames(command, given->frames, options) &&
           read_view(command, given->view, options) &&
           read_point(command, "--camera", given->camera, &options->camera,
                      &options->has_camera) &&
           read_point(command, "--target", given->target, &options->target,
                      &options->has_target) &&
           read_ground(command, given->ground, options) &&
           read_colors(command, given->colors, options);
}

// What does not go together.
static bool check_options(const cli_command* command, const texts* given,
                          cli_render_options* options)
{
    if (options->out == NULL) {
        cli_say(command, "expected -o OUT, found none; see drape render --help");
        return false;
    }
    options->kind = cli_movie_kind_of(options->out);
    if (options->kind == CLI_MOVIE_NONE) {
        return expected(command, "-o", "a name that ends in .png, .mp4, .webm or .gif",
                        options->out);
    }
    if (options->kind == CLI_MOVIE_STILL && given->frames != NULL) {
        return expected(command, "--frames", "a film or a name such as out_%04d.png for it",
                        options->out);
    }
    if (given->view != NULL && options->has_camera) {
        cli_say(command, "--view: expected it without --camera");
        return false;
    }
    if (options->has_target && !options->has_camera) {
        cli_say(command, "--target: expected it with --camera");
        return false;
    }
    if (options->fov >= 170.0f) {
        cli_say(command, "--fov: expected less than 170 degrees, found %g", (double)options->fov);
        return false;
    }
    if (options->rest != NULL && options->overlay != CLI_OVERLAY_STRAIN) {
        cli_say(command, "--rest: expected it with --overlay strain");
        return false;
    }
    return true;
}

int cli_render_options_read(const cli_command* command, int argc, char** argv,
                            cli_render_options* options)
{
    *options = (cli_render_options){.frame = -1,
                                    .width = 1280,
                                    .height = 720,
                                    .fov = 28.0f,
                                    .turn = 30.0f,
                                    .height_view = 20.0f,
                                    .thickness = 0.002f,
                                    .thread_count = cli_thread_count()};
    texts given = {0};
    const cli_option table[] = {
        {"-o", CLI_TEXT, .value = &options->out},
        {"--frame", CLI_WHOLE, .value = &options->frame, .least = 0, .most = INT_MAX},
        {"--frames", CLI_TEXT, .value = &given.frames},
        {"--size", CLI_TEXT, .value = &given.size},
        {"--samples", CLI_WHOLE, .value = &options->sample_count, .least = 1, .most = 4096},
        {"--view", CLI_TEXT, .value = &given.view},
        {"--camera", CLI_TEXT, .value = &given.camera},
        {"--target", CLI_TEXT, .value = &given.target},
        {"--fov", CLI_POSITIVE, .value = &options->fov},
        {"--ground", CLI_TEXT, .value = &given.ground},
        {"--pattern", CLI_WORD, .value = &options->pattern, .words = pattern_words},
        {"--colors", CLI_TEXT, .value = &given.colors},
        {"--obstacle", CLI_TEXTS, .value = &options->obstacles},
        {"--overlay", CLI_WORD, .value = &options->overlay, .words = overlay_words},
        {"--rest", CLI_TEXT, .value = &options->rest},
        {"--thickness", CLI_POSITIVE, .value = &options->thickness},
        {"--fps", CLI_POSITIVE, .value = &options->fps},
        {"--threads", CLI_WHOLE, .value = &options->thread_count, .least = 1,
         .most = DRAPE_MAX_WORKERS},
        {"--quiet", CLI_FLAG, .value = &options->is_quiet},
        {0},
    };
    const cli_operand operands[] = {{"FILE", &options->in, .is_needed = true}, {0}};
    int code = cli_args_read(command, argc, argv, table, operands);
    if (code != CLI_GO_ON) {
        return code;
    }
    return read_texts(command, &given, options) && check_options(command, &given, options)
               ? CLI_GO_ON
               : CLI_REFUSED;
}
