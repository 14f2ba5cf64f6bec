// `drape run`: simulates a scene, frame by frame.
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "args.h"
#include "checkpoint.h"
#include "interrupt.h"
#include "io/file.h"
#include "progress.h"
#include "recorder.h"
#include "scene_path.h"
#include "stats.h"
#include "verify.h"

static const char help[] =
    "usage: drape run SCENE [-o DIR] [--method NAME] [--frames N] [--format FORMAT]\n"
    "                 [--set path=value]... [--threads N] [--isa NAME] [--stats FILE] [--verify]\n"
    "                 [--particles] [--checkpoint N] [--resume | --from-frame N] [--quiet]\n"
    "\n"
    "Simulates a scene: a file, or a name from `drape scenes`. Frame 0 is the start. The same\n"
    "scene gives the same bytes on any number of threads and with any instruction set.\n"
    "\n"
    "  -o DIR            write an animation into this folder, made when it is not there;\n"
    "                    without it only the summary and the statistics are left\n"
    "  --method NAME     take this method in place of the scene's\n"
    "  --frames N        simulate this many frames in place of the scene's number\n"
    "  --format FORMAT   pc2   NAME.pc2 and NAME.obj for each cloth (default)\n"
    "                    mdd   NAME.mdd and NAME.obj for each cloth\n"
    "                    obj   frame_0000.obj, ...; several cloths follow one another, each\n"
    "                          behind its line `o NAME`\n"
    "                    ply   frame_0000.ply, ...; NAME_0000.ply, ... for several cloths\n"
    "                    Obstacles go to obstacle_NAME.obj, once if they rest, to\n"
    "                    obstacle_NAME_0000.obj, ... if they move.\n"
    "  --set path=value  override one value of the scene; may be given again\n"
    "  --threads N       step on this many threads, 1 to 64; default all cores, at most 8\n"
    "  --isa NAME        instruction set: auto (default), plain, sse2, avx2, neon, wasm\n"
    "  --stats FILE      write a JSON object for each frame and one for the run\n"
    "  --verify          look for crossings in every frame, as `drape check` does; the exit code\n"
    "                    is 3 when there are any\n"
    "  --particles       write sensor particles, as small solids, to particles_NAME_0000.obj, "
    "...;\n"
    "                    `drape render DIR --obstacle 'DIR/particles_NAME_%04d.obj'` draws them\n"
    "  --checkpoint N    every N frames, keep in DIR/checkpoints what a later run goes on from\n"
    "  --resume          go on from the last checkpoint in DIR; the result is the same, to the\n"
    "                    byte, as without the break\n"
    "  --from-frame N    do the frames after N again, from its checkpoint, with values that may\n"
    "                    have changed\n"
    "  --quiet           print nothing but warnings and errors\n"
    "\n"
    "Ctrl-C ends the run after the current frame and keeps what was done; a second one kills.\n"
    "\n"
    "examples:\n"
    "  drape run table -o out\n"
    "  drape run table -o out --format obj --set cloths.0.grid.resolution=[101,101] \\\n"
    "      --set cloths.0.fabric=denim\n"
    "  drape run scene.json --frames 300 --stats stats.jsonl --quiet\n"
    "  drape run scene.json -o out --checkpoint 10\n"
    "  drape run scene.json -o out --checkpoint 10 --resume\n"
    "  drape run scene.json -o out --from-frame 60 --set wind.velocity=[3,0,0]\n";

// What was asked for.
typedef struct request {
    const char* scene;
    const char* folder; // null: no files
    const char* method;
    const char* stats;
    cli_overrides overrides;
    int frame_count; // -1: the scene's
    int format;      // cli_format
    int thread_count;
    int isa;        // drape_isa
    int checkpoint; // frames from one to the next, 0: none
    int from_frame; // -1: not asked for
    bool is_quiet, resumes, verifies, shows_particles;
} request;

// A run under way.
typedef struct run_state {
    const cli_command* command;
    const request* asked;
    drape_scene* scene;
    cli_recorder* recorder; // null: no files
    cli_stats stats;
    cli_verify verify;
    cli_checkpoint checkpoint;
    uint64_t fingerprint; // of the scene, for checkpoints
    cli_progress progress;
    int frame_count; // to be done
    int frame;       // done
    int done_count;  // of them in this run, the others were taken over
    bool has_frames; // frame 0 was taken over
    float max_stretch;
    bool has_lost_files; // a write failed; what was not complete is gone
} run_state;

// --- Setting up ---

static int read_request(const cli_command* command, int argc, char** argv, request* asked)
{
    *asked = (request){.frame_count = -1, .from_frame = -1, .thread_count = cli_thread_count()};
    const cli_option options[] = {
        {"-o", CLI_TEXT, .value = &asked->folder},
        {"--method", CLI_TEXT, .value = &asked->method},
        {"--frames", CLI_WHOLE, .value = &asked->frame_count, .least = 0, .most = INT_MAX},
        {"--format", CLI_WORD, .value = &asked->format, .words = cli_format_words},
        {"--set", CLI_OVERRIDE, .value = &asked->overrides},
        {"--threads", CLI_WHOLE, .value = &asked->thread_count, .least = 1,
         .most = DRAPE_MAX_WORKERS},
        {"--isa", CLI_WORD, .value = &asked->isa, .words = cli_isa_words},
        {"--stats", CLI_TEXT, .value = &asked->stats},
        {"--checkpoint", CLI_WHOLE, .value = &asked->checkpoint, .least = 1, .most = INT_MAX},
        {"--resume", CLI_FLAG, .value = &asked->resumes},
        {"--from-frame", CLI_WHOLE, .value = &asked->from_frame, .least = 0, .most = INT_MAX},
        {"--verify", CLI_FLAG, .value = &asked->verifies},
        {"--particles", CLI_FLAG, .value = &asked->shows_particles},
        {"--quiet", CLI_FLAG, .value = &asked->is_quiet},
        {0},
    };
    const cli_operand operands[] = {{"SCENE", &asked->scene, .is_needed = true}, {0}};
    return cli_args_read(command, argc, argv, options, operands);
}

// What is part of the contract but not there yet; null when all is there.
static const char* find_missing(const request* asked)
{
    return asked->format == CLI_FORMAT_GLB    ? "--format glb"
           : asked->format == CLI_FORMAT_USDA ? "--format usda"
                                              : NULL;
}

// Checkpoints and particles live in the folder of the run.
static int check_folder(const cli_command* command, const request* asked)
{
    if (asked->shows_particles && asked->folder == NULL) {
        cli_say(command, "--particles: expected -o DIR, where they are written");
        return CLI_REFUSED;
    }
    const char* option = asked->resumes           ? "--resume"
                         : asked->from_frame >= 0 ? "--from-frame"
                         : asked->checkpoint > 0  ? "--checkpoint"
                                                  : NULL;
    if (option != NULL && asked->folder == NULL) {
        cli_say(command, "%s: expected -o DIR, where checkpoints are kept", option);
        return CLI_REFUSED;
    }
    if (asked->resumes && asked->from_frame >= 0) {
        cli_say(command, "--resume: expected not to be together with --from-frame");
        return CLI_REFUSED;
    }
    return CLI_GO_ON;
}

static void log_above_progress(void* user, drape_log_level level, const char* sentence)
{
    cli_progress_clear(&((run_state*)user)->progress);
    cli_log(NULL, level, sentence);
}

// Particles that are asked for must be there.
static bool check_particles(const run_state* run, drape_error* error)
{
    int count = 0;
    if (!run->asked->shows_particles) {
        return true;
    }
    for (int i = 0; i < drape_scene_cloth_count(run->scene); ++i) {
        count += drape_cloth_particles(drape_scene_world(run->scene),
                                       drape_scene_cloth(run->scene, i), NULL, 0);
    }
    if (count == 0) {
        dr_error_set(error, DRAPE_ERROR_INPUT,
                     "--particles: expected a scene with sensor particles, that is with "
                     "`collision.self` `particles` or `collision.particles.in_front`, and a gate");
    }
    return count > 0;
}

static bool open_scene(run_state* run, drape_error* error)
{
    const request* asked = run->asked;
    char path[CLI_PATH_SIZE];
    if (!cli_scene_find(asked->scene, path, error)) {
        return false;
    }
    drape_scene_options options = drape_scene_options_defaults();
    options.method = asked->method;
    options.overrides = asked->overrides.items;
    options.override_count = asked->overrides.count;
    options.worker_count = asked->thread_count;
    options.isa = (drape_isa)asked->isa;
    options.log = log_above_progress;
    options.log_user = run;
    run->scene = drape_scene_open(path, &options, error);
    if (run->scene == NULL ||
        !cli_checkpoint_fingerprint(path, &options, run->scene, &run->fingerprint, error)) {
        return false;
    }
    run->frame_count =
        asked->frame_count >= 0 ? asked->frame_count : drape_scene_frame_count(run->scene);
    return cli_isa_check(drape_scene_world(run->scene), options.isa, error) &&
           check_particles(run, error);
}

// After the scene: a scene that cannot run touches no file.
static bool open_outputs(run_state* run, drape_error* error)
{
    const request* asked = run->asked;
    // The folder first: the statistics may go into it.
    if (asked->folder != NULL && !dr_directory_make(asked->folder, error)) {
        return false;
    }
    if (asked->stats != NULL && !cli_stats_open(&run->stats, asked->stats, error)) {
        return false;
    }
    if (asked->folder == NULL) {
        return true;
    }
    run->recorder = cli_recorder_open(run->scene, asked->folder, (cli_format)asked->format, error);
    if (run->recorder != NULL && asked->shows_particles) {
        cli_recorder_show_particles(run->recorder);
    }
    return run->recorder != NULL;
}

static bool open_verify(run_state* run, drape_error* error)
{
    return !run->asked->verifies ||
           cli_verify_open(&run->verify, run->scene, run->asked->thread_count, error);
}

// --- Beginning ---

static double crossings_now(const run_state* run)
{
    return run->asked->verifies ? (double)run->verify.crossings : (double)NAN;
}

// Rows of --stats and of checkpoints have it.
static double stretch_now(const run_state* run)
{
    bool is_wanted = run->asked->stats != NULL || run->asked->checkpoint > 0;
    return is_wanted ? (double)drape_world_stretch(drape_scene_world(run->scene), 0.99f)
                     : (double)NAN;
}

// Frame 0 goes to the files and is looked at like all others, but nothing was stepped for it.
static bool begin_anew(run_state* run, drape_error* error)
{
    double row[CLI_STATS_KEYS];
    if ((run->recorder != NULL && !cli_recorder_add(run->recorder, error)) ||
        !cli_verify_add(&run->verify, error)) {
        return false;
    }
    cli_stats_row(row, &(drape_step_report){0}, &(cli_stats_seen){.crossings = crossings_now(run)});
    return cli_checkpoint_add(&run->checkpoint, row, error);
}

// A frame of the run that is continued; a cli_replay_fn.
static bool take_frame(void* user, const double row[CLI_STATS_KEYS], double time,
                       drape_error* error)
{
    run_state* run = user;
    bool is_first = !run->has_frames;
    run->has_frames = true;
    run->frame += !is_first;
    return cli_recorder_take(run->recorder, error) &&
           cli_verify_take(&run->verify, cli_stats_crossings(row), error) &&
           (is_first || cli_stats_add(&run->stats, row, time, error));
}

static bool begin_run(run_state* run, drape_error* error)
{
    const request* asked = run->asked;
    bool goes_on = asked->resumes || asked->from_frame >= 0;
    if (asked->folder != NULL && (goes_on || asked->checkpoint > 0) &&
        !cli_checkpoint_open(&run->checkpoint, run->scene, asked->folder, asked->checkpoint,
                             run->fingerprint, error)) {
        return false;
    }
    if (!goes_on) {
        return begin_anew(run, error);
    }
    int frame;
    if (!cli_checkpoint_restore(&run->checkpoint, asked->from_frame, take_frame, run, &frame,
                                error)) {
        return false;
    }
    if (frame < 0) {
        cli_say(run->command, "no checkpoint in %s yet: starting from frame 0", asked->folder);
        return begin_anew(run, error);
    }
    return true;
}

// --- Running ---

// The step was undone, so the files end with the last frame that was whole.
static bool refuse_numbers(const run_state* run, drape_error* error)
{
    dr_error_set(error, DRAPE_ERROR_SYSTEM,
                 "%s: stopped at frame %d, whose positions are not finite; more substeps may help",
                 run->asked->scene, run->frame + 1);
    return false;
}

// The world could not step at all and says why.
static bool refuse_step(const run_state* run, drape_error* error)
{
    dr_error_set(error, DRAPE_ERROR_SYSTEM, "%s: stopped at frame %d: %s", run->asked->scene,
                 run->frame + 1, drape_world_error(drape_scene_world(run->scene)));
    return false;
}

static void discard_outputs(run_state* run)
{
    cli_recorder_discard(run->recorder);
    run->recorder = NULL;
    cli_stats_discard(&run->stats);
}

// A file that lost a frame is worth nothing: whatever had its name before stays.
static bool record_frame(run_state* run, drape_error* error)
{
    run->has_lost_files = run->recorder != NULL && !cli_recorder_add(run->recorder, error);
    if (run->has_lost_files) {
        discard_outputs(run);
    }
    return !run->has_lost_files;
}

static bool run_frame(run_state* run, drape_error* error)
{
    double time = drape_world_time(drape_scene_world(run->scene));
    drape_step_report report = drape_scene_step(run->scene);
    if (report.non_finite_count > 0) {
        return refuse_numbers(run, error);
    }
    if (report.time == time) {
        return refuse_step(run, error);
    }
    double begin = cli_now_ms();
    if (!record_frame(run, error)) {
        return false;
    }
    double output_ms = cli_now_ms() - begin;
    if (!cli_verify_add(&run->verify, error)) {
        return false;
    }
    ++run->frame;
    double row[CLI_STATS_KEYS];
    cli_stats_seen seen = {output_ms, crossings_now(run), stretch_now(run)};
    cli_stats_row(row, &report, &seen);
    if (!cli_checkpoint_add(&run->checkpoint, row, error)) {
        return false;
    }
    run->max_stretch =
        report.max_stretch > run->max_stretch ? report.max_stretch : run->max_stretch;
    cli_progress_show(&run->progress, run->frame);
    bool is_noted = cli_stats_add(&run->stats, row, report.time, error);
    if (!is_noted) {
        cli_stats_discard(&run->stats);
    }
    return is_noted;
}

static void run_frames(run_state* run, drape_error* error)
{
    run->progress = cli_progress_begin(run->frame_count, run->asked->is_quiet);
    int taken = run->frame;
    while (run->frame < run->frame_count && !cli_interrupt_came() && run_frame(run, error)) {
    }
    cli_progress_clear(&run->progress);
    run->done_count = run->frame - taken;
    if (cli_interrupt_came() && run->frame < run->frame_count && error->kind == DRAPE_ERROR_NONE) {
        dr_error_set(error, DRAPE_ERROR_SYSTEM, "interrupted after frame %d of %d%s", run->frame,
                     run->frame_count, run->asked->folder != NULL ? "; what was done is kept" : "");
    }
}

// --- Ending ---

// Closes the files, also those of a run that ended early: they are then shorter animations.
static void close_outputs(run_state* run, drape_error* error)
{
    char older[CLI_PATH_SIZE];
    drape_error closing = {0};
    bool is_closed = true;
    if (run->recorder != NULL) {
        if (cli_recorder_has_older(run->recorder, older)) {
            cli_say(run->command, "warning: %s is left from an earlier run", older);
        }
        is_closed = cli_recorder_close(run->recorder, &closing);
        run->recorder = NULL;
    }
    uint64_t hash = drape_world_hash(drape_scene_world(run->scene));
    is_closed = cli_stats_close(&run->stats, hash, is_closed ? &closing : NULL) && is_closed;
    run->has_lost_files = run->has_lost_files || !is_closed;
    if (!is_closed && error->kind != DRAPE_ERROR_NONE) {
        cli_say(run->command, "%s", error->sentence);
    }
    if (!is_closed) {
        *error = closing;
    }
}

static void print_summary(const run_state* run, double ms)
{
    const char* folder = run->asked->folder;
    printf("%d frame%s in %.2f s, %.2f ms a frame, largest stretch %.2f %%", run->done_count,
           run->done_count == 1 ? "" : "s", 1e-3 * ms,
           run->done_count > 0 ? ms / run->done_count : 0.0, 100.0 * (double)run->max_stretch);
    if (run->asked->verifies && run->verify.crossed_count == 0) {
        printf(", no crossings");
    }
    printf("%s%s\n", folder != NULL ? ", in " : ", no files written", folder != NULL ? folder : "");
}

static void simulate(run_state* run, drape_error* error)
{
    run_frames(run, error);
    double ms = cli_now_ms() - run->progress.start;
    if (cli_interrupt_came() && !run->has_lost_files) {
        cli_checkpoint_flush(&run->checkpoint, error->kind == DRAPE_ERROR_NONE ? error : NULL);
    }
    close_outputs(run, error);
    if (!run->asked->is_quiet && !run->has_lost_files) {
        print_summary(run, ms);
    }
}

static int run_scene(run_state* run)
{
    drape_error error = {0};
    if (open_scene(run, &error)) {
        cli_interrupt_watch();
        if (open_outputs(run, &error) && open_verify(run, &error) && begin_run(run, &error)) {
            simulate(run, &error);
        }
    }
    cli_verify_tell(&run->verify, run->command);
    int code = run->verify.crossed_count > 0 ? CLI_CROSSED : CLI_DONE;
    cli_verify_close(&run->verify);
    cli_checkpoint_close(&run->checkpoint);
    discard_outputs(run);
    drape_scene_close(run->scene);
    return error.kind == DRAPE_ERROR_NONE ? code : cli_fail(run->command, &error);
}

static int run_command(const cli_command* command, int argc, char** argv)
{
    request asked;
    int code = read_request(command, argc, argv, &asked);
    const char* missing = code == CLI_GO_ON ? find_missing(&asked) : NULL;
    if (missing != NULL) {
        cli_say(command, "%s: not built yet", missing);
        code = CLI_REFUSED;
    } else if (code == CLI_GO_ON) {
        code = check_folder(command, &asked);
    }
    if (code == CLI_GO_ON) {
        run_state run = {.command = command, .asked = &asked};
        code = run_scene(&run);
    }
    free(asked.overrides.items);
    return code;
}

const cli_command cli_command_run = {"run", "simulate a scene, write an animation", help,
                                     run_command};
