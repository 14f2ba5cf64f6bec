// Benchmark `crowd`: a hundred characters in one process, a world each, stepped beside each other on
// threads that the worlds know nothing of. Memory is what the world of one of them holds.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "core/parallel.h"
#include "io/file.h"
#include "scene_path.h"

enum { CROWD = 100, CROWD_QUICK = 4, FRAMES = 120, FRAMES_QUICK = 4, REPEATS = 3 };

typedef struct crowd_row {
    int threads, characters, frames;
    double ms_best, ms_mean; // a frame of all of them
    double kilobytes;        // a character
    drape_isa isa;
} crowd_row;

// Worlds step beside each other, so each has a count of its own.
typedef struct crowd_heap {
    size_t bytes;
} crowd_heap;

static void* counted_allocate(void* user, size_t size, size_t alignment)
{
    ((crowd_heap*)user)->bytes += size;
    return aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

static void counted_release(void* user, void* memory, size_t size)
{
    ((crowd_heap*)user)->bytes -= size;
    free(memory);
}

static void step_scenes(void* context, int begin, int end, int worker)
{
    drape_scene** scenes = context;
    (void)worker;
    for (int i = begin; i < end; ++i) {
        drape_scene_step(scenes[i]);
    }
}

static void close_crowd(drape_scene** scenes, int count)
{
    for (int i = 0; i < count; ++i) {
        drape_scene_close(scenes[i]);
    }
}

static bool open_crowd(drape_scene** scenes, crowd_heap* heaps, int count, drape_isa isa,
                       drape_error* error)
{
    char path[CLI_PATH_SIZE];
    if (!cli_scene_find("character", path, error)) {
        return false;
    }
    for (int i = 0; i < count; ++i) {
        drape_scene_options options = drape_scene_options_defaults();
        heaps[i] = (crowd_heap){0};
        options.isa = isa;
        options.allocator = (drape_allocator){counted_allocate, counted_release, &heaps[i]};
        scenes[i] = drape_scene_open(path, &options, error);
        if (scenes[i] == NULL) {
            close_crowd(scenes, i);
            return false;
        }
    }
    return true;
}

// The first frame finds the contacts that are kept, and counts for nothing.
static void run_crowd(crowd_row* row, drape_scene** scenes, dr_pool* pool)
{
    double sum = 0.0;
    dr_parallel_for(pool, row->characters, 1, step_scenes, scenes);
    for (int i = 0; i < row->frames; ++i) {
        double since = cli_now_ms();
        dr_parallel_for(pool, row->characters, 1, step_scenes, scenes);
        double ms = cli_now_ms() - since;
        row->ms_best = row->ms_best > 0.0 && row->ms_best < ms ? row->ms_best : ms;
        sum += ms;
    }
    double mean = sum / row->frames;
    row->ms_mean = row->ms_mean > 0.0 && row->ms_mean < mean ? row->ms_mean : mean;
}

static bool measure(crowd_row* row, const cli_bench_order* order, drape_error* error)
{
    drape_scene* scenes[CROWD];
    crowd_heap heaps[CROWD];
    dr_memory memory;
    dr_memory_init(&memory, NULL);
    dr_pool* pool = dr_pool_create(&memory, row->threads, NULL);
    bool is_done = pool != NULL;
    for (int i = 0; is_done && i < (order->is_quick ? 1 : REPEATS); ++i) {
        is_done = open_crowd(scenes, heaps, row->characters, order->isa, error);
        if (is_done) {
            row->isa = drape_world_isa(drape_scene_world(scenes[0]));
            run_crowd(row, scenes, pool);
            row->kilobytes = (double)heaps[0].bytes / 1024.0;
            close_crowd(scenes, row->characters);
        }
    }
    if (pool == NULL) {
        dr_error_set_memory(error, "bench crowd");
    }
    dr_pool_destroy(pool);
    return is_done;
}

static bool write_csv(const cli_bench_order* order, const crowd_row* rows, int count,
                      drape_error* error)
{
    char path[CLI_PATH_SIZE], line[128];
    static const char head[] = "threads,characters,frames,ms_best,ms_mean,kilobytes\n";
    dr_output out;
    if (!cli_bench_path(order, rows[0].isa, "crowd.csv", path, error) ||
        !dr_output_open(&out, path, error)) {
        return false;
    }
    dr_output_write(&out, head, sizeof head - 1);
    for (int i = 0; i < count; ++i) {
        int length = snprintf(line, sizeof line, "%d,%d,%d,%.3f,%.3f,%.0f\n", rows[i].threads,
                              rows[i].characters, rows[i].frames, rows[i].ms_best, rows[i].ms_mean,
                              rows[i].kilobytes);
        dr_output_write(&out, line, (size_t)length);
    }
    return dr_output_close(&out, error);
}

bool cli_bench_crowd(const cli_bench_order* order, drape_error* error)
{
    static const int threads[] = {1, 2};
    crowd_row rows[2] = {0};
    bool is_done = true;
    printf("\nCharacters in worlds of their own, beside each other; wall time\n\n");
    printf("%8s %10s %6s | %8s %8s %8s | %8s\n", "threads", "characters", "frames", "ms best",
           "ms mean", "us each", "KB each");
    for (int i = 0; is_done && i < 2; ++i) {
        rows[i].threads = threads[i];
        rows[i].characters = order->is_quick ? CROWD_QUICK : CROWD;
        rows[i].frames = order->is_quick ? FRAMES_QUICK : FRAMES;
        is_done = measure(&rows[i], order, error);
        if (is_done) {
            printf("%8d %10d %6d | %8.2f %8.2f %8.1f | %8.0f\n", rows[i].threads,
                   rows[i].characters, rows[i].frames, rows[i].ms_best, rows[i].ms_mean,
                   1e3 * rows[i].ms_mean / rows[i].characters, rows[i].kilobytes);
            fflush(stdout);
        }
    }
    return is_done && (order->folder == NULL || write_csv(order, rows, 2, error));
}
