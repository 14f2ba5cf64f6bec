// core/parallel.h: the one door through which threads enter.
//
// dr_parallel_for cuts [0, item_count) into chunks and runs them on the workers of a pool: the
// built-in team (core/team.h), or the host's scheduler. Worker 0 is the calling thread. Which
// worker runs which chunk, and where the cuts are, is not defined, so tasks write only to places of
// their own items; anything that depends on order is done by the caller.
//
// With one worker, or too few items for two chunks, the task runs in place. With one worker no
// thread is ever made, and with DRAPE_NO_THREADS defined there is one worker unless the host brings
// its own.
#ifndef DR_PARALLEL_H
#define DR_PARALLEL_H

#include "core/memory.h"

typedef struct dr_pool dr_pool;

// Null when memory is short or threads cannot be made. `worker_count` is kept within 1 to
// DRAPE_MAX_WORKERS. `scheduler` may be null or empty: the built-in team.
dr_pool* dr_pool_create(dr_memory* memory, int worker_count, const drape_scheduler* scheduler);
// Ends and joins the threads. Null is fine.
void dr_pool_destroy(dr_pool* pool);
// Worker numbers that tasks get are below this. A null pool has one worker.
int dr_pool_worker_count(const dr_pool* pool);
// Runs task over all items and returns when all are done. `grain` is the least number of items
// worth a chunk. A null pool runs in place, and so does a call from within a task of the same pool,
// under the number of the worker that runs it. One thread at a time may call. No heap calls.
void dr_parallel_for(dr_pool* pool, int item_count, int grain, drape_task_fn* task, void* context);

#endif
