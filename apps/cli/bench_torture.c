// Benchmark `torture`: does cloth stay free of crossings, whatever is done to it?
//
// Each case runs with the method `drape`, or with the one that is asked for; see torture.h.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "io/file.h"
#include "torture.h"

typedef struct torture_row {
    const cli_torture_case* is;
    cli_torture_result found;
} torture_row;

// --- Table and CSV ---

static void print_head(void)
{
    printf("%-22s %8s %6s %5s %6s | %8s %8s %6s %7s | %6s %6s %9s | %8s %8s | %s\n", "case",
           "vertices", "mm", "steps", "frames", "cloth", "solid", "frames", "pinched", "p99",
           "worst", "J/kg", "ms/frame", "worst", "verdict");
    fflush(stdout);
}

static void print_row(const torture_row* row)
{
    const cli_torture_result* found = &row->found;
    const char* verdict = cli_torture_verdict(found);
    printf("%-22s %8d %6.2f %5d %6d | %8" PRId64 " %8" PRId64 " %6d %7" PRId64
           " | %5.1f%% %5.1f%% %9.2g | %8.2f %8.2f | %s\n",
           row->is->name, found->vertex_count, 1e3 * (double)found->thickness, found->substeps,
           found->frame_count, found->self_crossings, found->obstacle_crossings,
           found->crossed_frames, found->pinched, 100.0 * (double)found->p99_stretch,
           100.0 * (double)found->p99_worst, found->speed_energy, found->ms / found->frame_count,
           found->ms_worst, verdict == NULL ? "holds" : verdict);
    fflush(stdout);
}

// All but the commit, which may be of any length.
static void write_row(dr_output* out, const torture_row* row, const char* commit)
{
    const cli_torture_result* found = &row->found;
    const char* verdict = cli_torture_verdict(found);
    char line[1024];
    int length = snprintf(
        line, sizeof line,
        "%s,%s,%d,%d,%d,%.6g,%d,%d,%" PRId64 ",%" PRId64 ",%" PRId64 ",%d,%d,%" PRId64 ",%" PRId64
        ",%.6g,%.6g,%.4f,%.4f,%.4g,%.4g,%" PRId64 ",%.3f,%.3f,%s,",
        row->is->name, row->is->scene, row->is->size[0], row->is->size[1], found->vertex_count,
        (double)found->thickness, found->substeps, found->frame_count, found->self_crossings,
        found->obstacle_crossings, found->loose_crossings, found->crossed_frames,
        found->first_crossed, found->pinched, found->inside, found->cut_share, found->guard_energy,
        (double)found->p99_stretch, (double)found->p99_worst, (double)found->furthest,
        found->speed_energy, found->non_finite, found->ms / found->frame_count, found->ms_worst,
        verdict == NULL ? "holds" : verdict);
    dr_output_write(out, line, (size_t)length);
    dr_output_write(out, commit, strlen(commit));
    dr_output_write(out, "\n", 1);
}

static const char head[] =
    "case,scene,columns,rows,vertices,thickness,substeps,frames,cloth_crossings,"
    "solid_crossings,loose_crossings,crossed_frames,first_crossed,pinched,inside,cut_share,"
    "guard_energy,p99_stretch,p99_worst,furthest,energy_per_kg,non_finite,ms_frame,ms_worst,"
    "verdict,commit\n";

// The line of a case in what a file had, or null.
static const char* find_line(const char* text, const char* name)
{
    size_t length = strlen(name);
    for (const char* line = text; line != NULL && *line != '\0';) {
        if (strncmp(line, name, length) == 0 && line[length] == ',') {
            return line;
        }
        line = strchr(line, '\n');
        line = line == NULL ? NULL : line + 1;
    }
    return NULL;
}

// What the file had of other cases is kept, with the commits it was found at.
static bool write_csv(const char* path, const torture_row* rows, const char* commit,
                      drape_error* error)
{
    int case_count = 0;
    const cli_torture_case* cases = cli_torture_cases(&case_count);
    dr_file old = {0};
    bool has_old = dr_file_read(path, &old, NULL) && strncmp(old.data, head, strlen(head)) == 0;
    dr_output out;
    if (!dr_output_open(&out, path, error)) {
        dr_file_free(&old);
        return false;
    }
    dr_output_write(&out, head, strlen(head));
    for (int i = 0; i < case_count; ++i) {
        const char* line = has_old ? find_line(old.data, cases[i].name) : NULL;
        if (rows[i].is != NULL) {
            write_row(&out, &rows[i], commit);
        } else if (line != NULL) {
            dr_output_write(&out, line, strcspn(line, "\n"));
            dr_output_write(&out, "\n", 1);
        }
    }
    dr_file_free(&old);
    return dr_output_close(&out, error);
}

// --- The benchmark ---

static bool is_wanted(const cli_torture_case* torture, const cli_bench_order* order)
{
    for (int i = 0; i < order->case_count; ++i) {
        if (strcmp(torture->name, order->cases[i]) == 0) {
            return true;
        }
    }
    return order->case_count == 0 && (torture->is_quick || !order->is_quick);
}

static bool refuse_unknown(const cli_bench_order* order, drape_error* error)
{
    int count = 0;
    const cli_torture_case* cases = cli_torture_cases(&count);
    for (int i = 0; i < order->case_count; ++i) {
        bool is_known = false;
        for (int k = 0; k < count; ++k) {
            is_known |= strcmp(cases[k].name, order->cases[i]) == 0;
        }
        if (!is_known) {
            dr_error_set(error, DRAPE_ERROR_INPUT, "--case %s: no such case of torture",
                         order->cases[i]);
            return true;
        }
    }
    return false;
}

// The file is written after each case: the longest take hours, and what was found is not lost.
static bool run_cases(torture_row* rows, const cli_bench_order* order, drape_error* error)
{
    char csv[CLI_PATH_SIZE] = "";
    int case_count = 0, row_count = 0;
    const cli_torture_case* cases = cli_torture_cases(&case_count);
    cli_torture_order how = {.method = order->method != NULL ? order->method : "drape",
                             .thread_count = order->thread_count,
                             .isa = order->isa,
                             .films = order->films};
    print_head();
    for (int i = 0; i < case_count; ++i) {
        if (!is_wanted(&cases[i], order)) {
            continue;
        }
        torture_row* row = &rows[i];
        ++row_count;
        row->is = &cases[i];
        if (!cli_torture_run(&row->found, row->is, &how, error)) {
            return false;
        }
        print_row(row);
        *order->failed_count += cli_torture_verdict(&row->found) != NULL;
        if (order->folder != NULL &&
            !(cli_bench_path(order, row->found.isa, "torture.csv", csv, error) &&
              write_csv(csv, rows, order->commit, error))) {
            return false;
        }
    }
    printf("%d cases, %d failed\n", row_count, *order->failed_count);
    if (order->folder != NULL) {
        printf("written to %s\n", csv);
    }
    return true;
}

bool cli_bench_torture(const cli_bench_order* order, drape_error* error)
{
    int count = 0;
    cli_torture_cases(&count);
    if (refuse_unknown(order, error)) {
        return false;
    }
    torture_row* rows = calloc((size_t)count, sizeof *rows);
    if (rows == NULL) {
        dr_error_set_memory(error, "bench torture");
        return false;
    }
    bool is_done = run_cases(rows, order, error);
    free(rows);
    return is_done;
}
