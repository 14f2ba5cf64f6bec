// core/team.h: the threads behind dr_parallel_for, when the host brings none.
//
// Worker 0 is the calling thread, the others wait for a round of work. Each round gives every
// worker a share of neighbouring items, so that a worker meets the same data in round after round;
// whoever is through with its own share takes from the others, so nobody waits for a worker that
// sleeps:
//
//     share 0 [ 0 1 2 3 ]   share 1 [ 4 5 6 7 ]        left: items of a share not yet taken,
//               ^ worker 0            ^ worker 1        counted down by whoever takes one
//
// Taking an item proves that its round is not over, so what a round is about may be read after that
// and needs no lock. The caller is done when the items finished by all workers add up.
//
// Waiting is a bounded spin (rounds follow each other within microseconds), then sleep. A spin that
// fails halves the next one, down to a microsecond or so; a spin that pays lengthens it, and now
// and then a long one is tried. Sleepers are called in a tree, each calls two more. That is dear,
// so a call that brought no help doubles the price of the next, up to a millisecond of work alone.
// So a crowded host is not fought, and is found free again soon.
#ifndef DR_TEAM_H
#define DR_TEAM_H

#include "core/memory.h"

typedef struct dr_team dr_team;

#ifndef DRAPE_NO_THREADS

// Most workers that a team may have.
#    define DR_TEAM_LIMIT DRAPE_MAX_WORKERS

// Null when memory is short or threads cannot be made. `worker_count` counts the caller, too.
dr_team* dr_team_create(dr_memory* memory, int worker_count);
// Ends and joins the threads. Null is fine.
void dr_team_destroy(dr_team* team);
// Runs task(context, i, i + 1, worker) once for each item i, and returns when all are done. Not to
// be called from within a task. No heap calls.
void dr_team_run(dr_team* team, drape_task_fn* task, void* context, int item_count);

#else

#    define DR_TEAM_LIMIT 1

static inline dr_team* dr_team_create(dr_memory* memory, int worker_count)
{
    (void)memory, (void)worker_count;
    return NULL;
}

static inline void dr_team_destroy(dr_team* team)
{
    (void)team;
}

static inline void dr_team_run(dr_team* team, drape_task_fn* task, void* context, int item_count)
{
    (void)team;
    task(context, 0, item_count, 0);
}

#endif

#endif
