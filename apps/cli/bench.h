// bench.h: the benchmarks of `drape bench`, and what they share.
//
// `geometry` and `spring` look inside: they may use the private headers of the library. One thread is
// measured in processor time, so that a busy machine spoils less; two threads in time on the clock.
#ifndef CLI_BENCH_H
#define CLI_BENCH_H

#include "command.h"

typedef struct cli_bench_order {
    drape_isa isa;      // may be AUTO
    bool is_quick;      // little work, to see that it works
    const char* folder; // where CSV goes; null: nowhere
    // Of `torture` alone.
    const char* const* cases; // by name; none: all, or those of the short list
    int case_count;
    const char* method; // in place of `drape`, may be null
    const char* commit; // what is written into its CSV
    const char* films;  // folder for the files of each case, may be null
    int thread_count;
    int* failed_count; // counts cases that did not hold
} cli_bench_order;

// Each prints a table and writes its CSV. False, with a sentence, when it cannot.
bool cli_bench_solve(const cli_bench_order* order, drape_error* error);
bool cli_bench_geometry(const cli_bench_order* order, drape_error* error);
bool cli_bench_crossings(const cli_bench_order* order, drape_error* error);
bool cli_bench_papers(const cli_bench_order* order, drape_error* error);
bool cli_bench_sensor(const cli_bench_order* order, drape_error* error);
bool cli_bench_spring(const cli_bench_order* order, drape_error* error);
bool cli_bench_predict(const cli_bench_order* order, drape_error* error);
bool cli_bench_guard(const cli_bench_order* order, drape_error* error);
bool cli_bench_crowd(const cli_bench_order* order, drape_error* error);
bool cli_bench_torture(const cli_bench_order* order, drape_error* error);

// A scene by its name with the values of `overrides`, on one thread; null with a sentence.
drape_scene* cli_bench_open(const char* name, const drape_override* overrides, int count,
                            drape_isa isa, drape_error* error);

// "FOLDER/CPU-ISA/NAME", with its folders made; `path` has CLI_PATH_SIZE letters.
bool cli_bench_path(const cli_bench_order* order, drape_isa isa, const char* name, char* path,
                    drape_error* error);

#endif
