// `drape bench`: benchmarks by name.
#include "bench.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "args.h"
#include "io/file.h"
#include "scene_path.h"

static const char help[] =
    "usage: drape bench [NAME] [-o DIR] [--isa NAME] [--quick]\n"
    "       drape bench torture [--case CASE]... [--method NAME] [--threads N] [--commit TEXT]\n"
    "                           [--films DIR]\n"
    "\n"
    "Runs a benchmark, or all of them, prints a table and writes CSV:\n"
    "\n"
    "  solve      the scenes sphere and table at 21, 51, 101, 201 and 401 vertices a side, on one\n"
    "             and two threads: ms a frame by stage, ns per constraint, us per vertex, quality\n"
    "  geometry   ns per closest point, predicate and continuous collision; then trees of each\n"
    "             kind on an accordion-folded sheet of 10,000 to a million triangles: build,\n"
    "             refit, triangle pairs, feature pairs\n"
    "  papers     the tables of the papers on the elastic sheet: total times with and without\n"
    "             collision, runs of detection, times of detection; our ratios beside theirs;\n"
    "             then sensor and spring\n"
    "  sensor     exact tests a frame with sensor particles and without, as a table and a plot\n"
    "  spring     a mass-spring sheet on a solid: ms a frame, pairs by trees and by brute force\n"
    "  crossings  the scenes of these papers with S1, S2, S3: crossings and vertices inside of\n"
    "             obstacles in all frames, by an exact check\n"
    "  guard      the scenes table, sphere and ground at 51 and 101 vertices a side, with cloth "
    "kept\n"
    "             from cloth: ms a frame, vertices that were cut, what that took, stretch; the "
    "CSV\n"
    "             has a line a frame\n"
    "  predict    cloth in real time on one thread: ms a frame beside the paper's, stretch,\n"
    "             crossings, what keeping contacts between layers spares\n"
    "  crowd      a hundred characters in worlds of their own, on one and two threads of the\n"
    "             host: ms a frame for all of them, memory of each\n"
    "  torture    only when it is named, for it takes hours: what is meant to drive cloth through\n"
    "             cloth and solids, with the method drape; the exit code is 3 when any case fails\n"
    "\n"
    "  -o DIR       write DIR/CPU-ISA/NAME.csv\n"
    "  --isa NAME   instruction set: auto (default), plain, sse2, avx2, neon, wasm\n"
    "  --quick      little work of each kind, to see that it works; of torture the cases that\n"
    "               every change has to pass, some ten minutes\n"
    "\n"
    "  --case CASE    of torture: this case alone; may be given again\n"
    "  --method NAME  of torture: run them with another method\n"
    "  --threads N    of torture: step on this many threads; default all cores, at most 8\n"
    "  --commit TEXT  of torture: what the last column of its CSV says\n"
    "  --films DIR    of torture: keep the files of each case in DIR/CASE, for `drape render`\n"
    "\n"
    "examples:\n"
    "  drape bench\n"
    "  drape bench solve -o bench/results\n"
    "  drape bench torture --case twist-121 --threads 1\n";

typedef struct benchmark {
    const char* name;
    bool (*run)(const cli_bench_order* order, drape_error* error);
    bool is_part; // of another one, or too long: runs only when it is named
} benchmark;

static const benchmark benchmarks[] = {
    {"solve", cli_bench_solve, .is_part = false},
    {"geometry", cli_bench_geometry, .is_part = false},
    {"papers", cli_bench_papers, .is_part = false},
    {"sensor", cli_bench_sensor, .is_part = true},
    {"spring", cli_bench_spring, .is_part = true},
    {"crossings", cli_bench_crossings, .is_part = false},
    {"guard", cli_bench_guard, .is_part = false},
    {"predict", cli_bench_predict, .is_part = false},
    {"crowd", cli_bench_crowd, .is_part = false},
    {"torture", cli_bench_torture, .is_part = true},
};
enum { BENCHMARK_COUNT = sizeof benchmarks / sizeof benchmarks[0] };

// --- The machine ---

// The processor's own name where the system tells it, else the kind of machine.
static void read_cpu(char* name, size_t size)
{
    struct utsname system;
    snprintf(name, size, "%s", uname(&system) == 0 ? system.machine : "unknown");
    FILE* file = fopen("/proc/cpuinfo", "r");
    char line[512];
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        const char* sign = strchr(line, ':');
        if (strncmp(line, "model name", 10) == 0 && sign != NULL) {
            snprintf(name, size, "%.*s", (int)strcspn(sign + 1, "\n"), sign + 1);
            break;
        }
    }
    if (file != NULL) {
        fclose(file);
    }
}

// Small letters, digits and single hyphens, as folders like them.
static void sanitize(char* name)
{
    char* to = name;
    for (const char* from = name; *from != '\0'; ++from) {
        if (isalnum((unsigned char)*from)) {
            *to++ = (char)tolower((unsigned char)*from);
        } else if (to > name && to[-1] != '-') {
            *to++ = '-';
        }
    }
    while (to > name && to[-1] == '-') {
        --to;
    }
    *to = '\0';
}

bool cli_bench_path(const cli_bench_order* order, drape_isa isa, const char* name, char* path,
                    drape_error* error)
{
    char cpu[128];
    char machine[160];
    char parent[CLI_PATH_SIZE];
    read_cpu(cpu, sizeof cpu);
    sanitize(cpu);
    snprintf(machine, sizeof machine, "%s-%s", cpu, cli_isa_words[isa]);
    return cli_path_join(parent, order->folder, machine, error) &&
           dr_directory_make(parent, error) && cli_path_join(path, parent, name, error);
}

// --- Scenes ---

drape_scene* cli_bench_open(const char* name, const drape_override* overrides, int count,
                            drape_isa isa, drape_error* error)
{
    char path[CLI_PATH_SIZE];
    drape_scene_options options = drape_scene_options_defaults();
    options.overrides = overrides;
    options.override_count = count;
    options.isa = isa;
    if (!cli_scene_find(name, path, error)) {
        return NULL;
    }
    drape_scene* scene = drape_scene_open(path, &options, error);
    if (scene != NULL && !cli_isa_check(drape_scene_world(scene), isa, error)) {
        drape_scene_close(scene);
        return NULL;
    }
    return scene;
}

// --- The command ---

static bool is_benchmark(const char* name)
{
    for (int i = 0; i < BENCHMARK_COUNT; ++i) {
        if (strcmp(benchmarks[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

static bool run_benchmarks(const char* name, const cli_bench_order* order, drape_error* error)
{
    for (int i = 0; i < BENCHMARK_COUNT; ++i) {
        bool is_wanted =
            name == NULL ? !benchmarks[i].is_part : strcmp(benchmarks[i].name, name) == 0;
        if (is_wanted && !benchmarks[i].run(order, error)) {
            return false;
        }
    }
    return true;
}

static int run_named(const cli_command* command, const char* name, const cli_bench_order* order)
{
    if (name != NULL && !is_benchmark(name)) {
        cli_say(command,
                "%s: no such benchmark; there are solve, geometry, papers, "
                "sensor, spring, crossings, guard, predict, crowd and torture",
                name);
        return CLI_REFUSED;
    }
    drape_error error = {0};
    if (!run_benchmarks(name, order, &error)) {
        return cli_fail(command, &error);
    }
    return *order->failed_count > 0 ? CLI_CROSSED : CLI_DONE;
}

static int bench(const cli_command* command, int argc, char** argv)
{
    const char* name = NULL;
    int isa = DRAPE_ISA_AUTO;
    int failed_count = 0;
    cli_words cases = {0};
    cli_bench_order order = {
        .commit = "unknown", .thread_count = cli_thread_count(), .failed_count = &failed_count};
    const cli_option options[] = {
        {"-o", CLI_TEXT, .value = &order.folder},
        {"--isa", CLI_WORD, .value = &isa, .words = cli_isa_words},
        {"--quick", CLI_FLAG, .value = &order.is_quick},
        {"--case", CLI_TEXTS, .value = &cases},
        {"--method", CLI_TEXT, .value = &order.method},
        {"--threads", CLI_WHOLE, .value = &order.thread_count, .least = 1,
         .most = DRAPE_MAX_WORKERS},
        {"--commit", CLI_TEXT, .value = &order.commit},
        {"--films", CLI_TEXT, .value = &order.films},
        {0},
    };
    const cli_operand operands[] = {{"NAME", &name, .is_needed = false}, {0}};
    int code = cli_args_read(command, argc, argv, options, operands);
    if (code == CLI_GO_ON) {
        order.isa = (drape_isa)isa;
        order.cases = cases.items;
        order.case_count = cases.count;
        code = run_named(command, name, &order);
    }
    free(cases.items);
    return code;
}

const cli_command cli_command_bench = {"bench", "benchmarks; a table and CSV", help, bench};
