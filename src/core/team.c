#define _POSIX_C_SOURCE 200809L // pthread_sigmask

#include "core/team.h"

#ifndef DRAPE_NO_THREADS

#    include <pthread.h>
#    include <signal.h>
#    include <stdatomic.h>

#    include "core/base.h"

// Turns of the waiting loop, some 15 to 70 ns each. Every so many waits one tries the longest spin.
enum { spin_least = 32, spin_most = 1024, waits_per_trial = 16 };

// Waking a sleeper is dear. The caller pays for it from a credit, in ms: it earns by working alone,
// by the clock, and by help, a little each time; it loses what it waits for a helper that got no
// processor. The price is about what a call costs, and more after calls that did not pay.
static const double credit_least = -20.0, credit_most = 1.0;
static const double price_least = 0.01, price_most = 1.0;

// What different threads write lies on different cache lines.
typedef struct worker {
    // Its share of the round. Anyone may take from it.
    _Alignas(DR_ALIGNMENT) atomic_int left; // items not yet taken; zero or less: none
    int end;                                // the item after its last

    // Written by the worker alone.
    _Alignas(DR_ALIGNMENT) atomic_uint finished; // items finished since the start
    atomic_uint seen_round;                      // the last it began to work in
    unsigned wait_count;
    int spin; // turns before it sleeps

    // For sleeping and calling.
    _Alignas(DR_ALIGNMENT) atomic_bool asleep; // or about to be
    pthread_mutex_t mutex;
    pthread_cond_t called;

    dr_team* team;
    int index;
    pthread_t thread;
} worker;

struct dr_team {
    dr_memory* memory;
    int capacity;     // workers there is room for
    int worker_count; // workers made ready
    int thread_count; // running; worker 0 is not among them

    // The round of work, in one line for those who wait for it.
    _Alignas(DR_ALIGNMENT) atomic_uint round; // raised when a round begins
    atomic_bool is_calling;                   // sleepers are called in this round
    atomic_bool stop;
    drape_task_fn* task;
    void* context;

    // The caller's alone.
    _Alignas(DR_ALIGNMENT) unsigned published; // items of all rounds so far
    bool has_sleepers;                         // at the start of this round
    double start_time;                         // of this round, ms
    double alone_time;                         // up to which working alone has been counted, ms
    double credit;                             // for calling, ms
    double price;                              // of the next call, ms

    worker workers[];
};

static void relax(void)
{
#    if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#    elif defined(__aarch64__)
    __asm__ volatile("isb");
#    endif
}

// The next item of a share, or -1. Acquires what publish_round released.
static int take_item(worker* from, int kept)
{
    // A look first: an empty share is not written to.
    if (atomic_load_explicit(&from->left, memory_order_relaxed) <= kept) {
        return -1;
    }
    int left = atomic_fetch_sub_explicit(&from->left, 1, memory_order_acquire);
    return left > 0 ? from->end - left : -1;
}

// Wakes a worker that sleeps. By sequential consistency with sleep_until either this sees it
// asleep, or it sees what it is called for and does not fall asleep.
static void worker_call(worker* self)
{
    if (!atomic_load(&self->asleep)) {
        return;
    }
    // Cleared here, not by the sleeper, so that it is called once however long it takes to rise.
    pthread_mutex_lock(&self->mutex);
    bool was_asleep = atomic_exchange(&self->asleep, false);
    pthread_mutex_unlock(&self->mutex);
    if (was_asleep) {
        pthread_cond_signal(&self->called);
    }
}

// Each calls two more, so that a large team is up after a few steps.
static void worker_call_next(worker* self)
{
    dr_team* team = self->team;
    for (int next = 2 * self->index + 1; next <= 2 * self->index + 2; ++next) {
        if (next < team->worker_count &&
            atomic_load_explicit(&team->workers[next].left, memory_order_relaxed) > 0) {
            worker_call(&team->workers[next]);
        }
    }
}

typedef bool condition_fn(const worker* self);

static void sleep_until(worker* self, condition_fn* is_over)
{
    pthread_mutex_lock(&self->mutex);
    for (;;) {
        atomic_store(&self->asleep, true);
        if (is_over(self)) {
            break;
        }
        pthread_cond_wait(&self->called, &self->mutex);
    }
    atomic_store(&self->asleep, false);
    pthread_mutex_unlock(&self->mutex);
}

// Returns the time it slept, ms.
static double wait_until(worker* self, condition_fn* is_over)
{
    bool is_trial = ++self->wait_count % waits_per_trial == 0;
    int turns = is_trial ? spin_most : self->spin;
    for (int turn = 0; turn < turns; ++turn) {
        if (is_over(self)) {
            int enough = 2 * turn < spin_most ? 2 * turn : spin_most;
            self->spin = self->spin > enough ? self->spin : enough;
            return 0.0;
        }
        relax();
    }
    self->spin = self->spin / 2 > spin_least ? self->spin / 2 : spin_least;
    double begin = dr_now_ms();
    sleep_until(self, is_over);
    return dr_now_ms() - begin;
}

static bool round_has_begun(const worker* self)
{
    return atomic_load(&self->team->round) !=
           atomic_load_explicit(&self->seen_round, memory_order_relaxed);
}

static bool round_is_done(const worker* self)
{
    const dr_team* team = self->team;
    unsigned finished = 0;
    for (int i = 0; i < team->worker_count; ++i) {
        finished += atomic_load(&team->workers[i].finished);
    }
    return finished == team->published;
}

static void credit_add(dr_team* team, double amount)
{
    double credit = team->credit + amount;
    team->credit = credit < credit_least  ? credit_least
                   : credit > credit_most ? credit_most
                                          : credit;
}

// Counts the time that the caller has worked alone.
static void credit_add_alone(dr_team* team)
{
    double now = dr_now_ms();
    credit_add(team, now - team->alone_time);
    team->alone_time = now;
}

// Whether sleepers shall be called in this round. The caller decides, when it has the credit; the
// others follow.
static bool round_calls(worker* self)
{
    dr_team* team = self->team;
    bool is_calling = atomic_load_explicit(&team->is_calling, memory_order_relaxed);
    if (self->index > 0 || is_calling || !team->has_sleepers) {
        return is_calling;
    }
    if (team->credit < team->price) {
        credit_add_alone(team);
        if (team->credit < team->price) {
            return false;
        }
    }
    team->credit -= team->price;
    atomic_store_explicit(&team->is_calling, true, memory_order_relaxed);
    return true;
}

// Items that are left to the owner of a share: the last one, when it is at work. Its data are in
// the owner's cache and would have to move there and back.
static int items_kept(const worker* self, const worker* owner)
{
    unsigned round = atomic_load_explicit(&self->team->round, memory_order_relaxed);
    return owner != self &&
           atomic_load_explicit(&owner->seen_round, memory_order_relaxed) == round;
}

// Empties the worker's own share, then helps with the others. Returns the number of items done.
static unsigned work(worker* self)
{
    dr_team* team = self->team;
    unsigned done = 0;
    bool has_called = false;
    for (int i = 0; i < team->worker_count; ++i) {
        worker* from = &team->workers[(self->index + i) % team->worker_count];
        for (int item; (item = take_item(from, items_kept(self, from))) >= 0; ++done) {
            if (!has_called && round_calls(self)) {
                has_called = true;
                worker_call_next(self);
            }
            team->task(team->context, item, item + 1, self->index);
        }
    }
    return done;
}

static void add_finished(worker* self, unsigned done)
{
    unsigned finished = atomic_load_explicit(&self->finished, memory_order_relaxed);
    atomic_store(&self->finished, finished + done);
}

static void* worker_main(void* argument)
{
    worker* self = argument;
    dr_team* team = self->team;
    for (;;) {
        wait_until(self, round_has_begun);
        atomic_store_explicit(&self->seen_round, atomic_load(&team->round), memory_order_relaxed);
        if (atomic_load(&team->stop)) {
            return NULL;
        }
        unsigned done = work(self);
        if (done > 0) {
            add_finished(self, done);
            worker_call(&team->workers[0]);
        }
    }
}

static void publish_round(dr_team* team, drape_task_fn* task, void* context, int item_count)
{
    // Nobody reads these now: there is no item to take.
    team->task = task;
    team->context = context;
    team->published += (unsigned)item_count;
    atomic_store_explicit(&team->is_calling, false, memory_order_relaxed);
    int shares = item_count < team->worker_count ? item_count : team->worker_count;
    for (int i = 0; i < team->worker_count; ++i) {
        worker* self = &team->workers[i];
        int begin = (int)((int64_t)item_count * i / shares);
        int end = (int)((int64_t)item_count * (i + 1) / shares);
        self->end = end;
        atomic_store_explicit(&self->left, i < shares ? end - begin : 0, memory_order_release);
    }
    atomic_fetch_add(&team->round, 1);
    team->has_sleepers = false;
    for (int i = 1; i < shares && !team->has_sleepers; ++i) {
        team->has_sleepers = atomic_load(&team->workers[i].asleep);
    }
    team->start_time = dr_now_ms();
    team->alone_time = team->start_time;
}

// The time that the caller slept beyond that of an item: someone took one and got no processor.
static double stall_time(const dr_team* team, unsigned done, double slept)
{
    double worked = dr_now_ms() - team->start_time - slept;
    return slept - worked / (done > 0 ? done : 1);
}

// Learns from the round what calling is worth.
static void judge_round(dr_team* team, bool was_helped, double stall)
{
    if (stall > 0.0) {
        credit_add(team, -stall);
    } else if (was_helped) {
        credit_add(team, price_least);
        team->price = price_least;
    } else if (team->has_sleepers) {
        credit_add_alone(team);
    }
    // Nobody came in time, or to no avail.
    bool has_called = atomic_load_explicit(&team->is_calling, memory_order_relaxed);
    if (has_called && (stall > 0.0 || !was_helped)) {
        team->price = 2.0 * team->price < price_most ? 2.0 * team->price : price_most;
    }
}

void dr_team_run(dr_team* team, drape_task_fn* task, void* context, int item_count)
{
    worker* caller = &team->workers[0];
    publish_round(team, task, context, item_count);
    atomic_store_explicit(&caller->seen_round, atomic_load(&team->round), memory_order_relaxed);
    unsigned done = work(caller);
    add_finished(caller, done);
    bool was_helped = done < (unsigned)item_count;
    double slept = was_helped ? wait_until(caller, round_is_done) : 0.0;
    judge_round(team, was_helped, slept > 0.0 ? stall_time(team, done, slept) : 0.0);
}

static bool worker_init(worker* self, dr_team* team, int index)
{
    atomic_init(&self->left, 0);
    atomic_init(&self->finished, 0);
    atomic_init(&self->seen_round, 0);
    atomic_init(&self->asleep, false);
    self->spin = spin_most;
    self->team = team;
    self->index = index;
    if (pthread_mutex_init(&self->mutex, NULL) != 0) {
        return false;
    }
    if (pthread_cond_init(&self->called, NULL) != 0) {
        pthread_mutex_destroy(&self->mutex);
        return false;
    }
    return true;
}

// The threads take no signals: those are for the threads that the host knows of.
static bool threads_start(dr_team* team)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    for (int i = 1; i < team->worker_count; ++i) {
        worker* self = &team->workers[i];
        if (pthread_create(&self->thread, NULL, worker_main, self) != 0) {
            break;
        }
        ++team->thread_count;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return team->thread_count == team->worker_count - 1;
}

static size_t team_bytes(int worker_count)
{
    return sizeof(dr_team) + (size_t)worker_count * sizeof(worker);
}

dr_team* dr_team_create(dr_memory* memory, int worker_count)
{
    dr_team* team = dr_allocate_zeroed(memory, team_bytes(worker_count));
    if (team == NULL) {
        return NULL;
    }
    team->memory = memory;
    team->capacity = worker_count;
    team->credit = credit_most;
    team->price = price_least;
    atomic_init(&team->round, 0);
    atomic_init(&team->is_calling, false);
    atomic_init(&team->stop, false);
    while (team->worker_count < worker_count) {
        if (!worker_init(&team->workers[team->worker_count], team, team->worker_count)) {
            break;
        }
        ++team->worker_count;
    }
    if (team->worker_count < worker_count || !threads_start(team)) {
        dr_team_destroy(team);
        return NULL;
    }
    return team;
}

void dr_team_destroy(dr_team* team)
{
    if (team == NULL) {
        return;
    }
    atomic_store(&team->stop, true);
    atomic_fetch_add(&team->round, 1);
    for (int i = 1; i <= team->thread_count; ++i) {
        worker_call(&team->workers[i]);
        pthread_join(team->workers[i].thread, NULL);
    }
    for (int i = 0; i < team->worker_count; ++i) {
        pthread_cond_destroy(&team->workers[i].called);
        pthread_mutex_destroy(&team->workers[i].mutex);
    }
    dr_release(team->memory, team, team_bytes(team->capacity));
}

#endif
