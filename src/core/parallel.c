#include "core/parallel.h"

#include "core/base.h"
#include "core/team.h"

// More chunks than workers even out the load; each costs a few nanoseconds.
enum { chunks_per_worker = 4 };

struct dr_pool {
    dr_memory* memory;
    int worker_count;
    drape_scheduler scheduler; // of the host, or empty
    dr_team* team;             // null with one worker or a scheduler
    bool is_running;           // catches two threads in one world
};

// One loop, cut into chunks of nearly equal size.
typedef struct loop {
    const dr_pool* pool;
    drape_task_fn* task;
    void* context;
    int item_count;
    int chunk_count;
} loop;

// The loop this thread is in, so that a nested one keeps its worker number. Not shared, not kept.
static _Thread_local struct {
    const dr_pool* pool;
    int worker;
} inside;

dr_pool* dr_pool_create(dr_memory* memory, int worker_count, const drape_scheduler* scheduler)
{
    dr_pool* pool = dr_new_zeroed(memory, dr_pool, 1);
    if (pool == NULL) {
        return NULL;
    }
    pool->memory = memory;
    bool hosted = scheduler != NULL && scheduler->enqueue != NULL;
    int limit = hosted ? DRAPE_MAX_WORKERS : DR_TEAM_LIMIT;
    pool->worker_count = worker_count < 1 ? 1 : worker_count > limit ? limit : worker_count;
    if (pool->worker_count == 1) {
        return pool;
    }
    if (hosted) {
        pool->scheduler = *scheduler;
        return pool;
    }
    pool->team = dr_team_create(memory, pool->worker_count);
    if (pool->team == NULL) {
        dr_delete(memory, pool, 1);
        return NULL;
    }
    return pool;
}

void dr_pool_destroy(dr_pool* pool)
{
    if (pool != NULL) {
        dr_team_destroy(pool->team);
        dr_delete(pool->memory, pool, 1);
    }
}

int dr_pool_worker_count(const dr_pool* pool)
{
    return pool != NULL ? pool->worker_count : 1;
}

static int chunk_begin(const loop* cut, int chunk)
{
    return (int)((int64_t)cut->item_count * chunk / cut->chunk_count);
}

// What workers are given to run: chunks in place of items.
static void run_chunks(void* context, int begin, int end, int worker)
{
    const loop* cut = context;
    const dr_pool* outer_pool = inside.pool;
    int outer_worker = inside.worker;
    inside.pool = cut->pool;
    inside.worker = worker;
    cut->task(cut->context, chunk_begin(cut, begin), chunk_begin(cut, end), worker);
    inside.pool = outer_pool;
    inside.worker = outer_worker;
}

static int count_chunks(const dr_pool* pool, int item_count, int grain)
{
    int worth = item_count / (grain < 1 ? 1 : grain);
    int most = pool->worker_count * chunks_per_worker;
    return worth < most ? worth : most;
}

void dr_parallel_for(dr_pool* pool, int item_count, int grain, drape_task_fn* task, void* context)
{
    if (item_count <= 0) {
        return;
    }
    if (pool == NULL || pool->worker_count == 1) {
        task(context, 0, item_count, 0);
        return;
    }
    bool nested = inside.pool == pool;
    int chunk_count = count_chunks(pool, item_count, grain);
    if (nested || chunk_count < 2) {
        task(context, 0, item_count, nested ? inside.worker : 0);
        return;
    }
    DR_ASSERT(!pool->is_running);
    pool->is_running = true;
    loop cut = {pool, task, context, item_count, chunk_count};
    if (pool->team != NULL) {
        dr_team_run(pool->team, run_chunks, &cut, chunk_count);
    } else {
        drape_scheduler* host = &pool->scheduler;
        void* handle = host->enqueue(host->user, run_chunks, &cut, chunk_count);
        if (host->finish != NULL) {
            host->finish(host->user, handle);
        }
    }
    pool->is_running = false;
}
