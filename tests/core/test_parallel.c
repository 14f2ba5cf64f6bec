// Loops on many workers: each item once, all of it visible afterwards, whatever the host does.
#define _POSIX_C_SOURCE 200809L // nanosleep

#include "core/parallel.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include "core/base.h"
#include "core_test.h"

enum { most_items = 5000 };

static dr_memory memory;

static dr_pool* make_pool(int worker_count)
{
    dr_memory_init(&memory, NULL);
    dr_pool* pool = dr_pool_create(&memory, worker_count, NULL);
    ck_assert_ptr_nonnull(pool);
    return pool;
}

static void end_pool(dr_pool* pool)
{
    dr_pool_destroy(pool);
    ck_assert_uint_eq(memory.live_bytes, 0);
}

static void sleep_ms(int ms)
{
    nanosleep(&(struct timespec){.tv_nsec = ms * 1000000L}, NULL);
}

// Counts how often each item ran. Asserts belong to the main thread, so tasks note trouble.
typedef struct item_census {
    unsigned char runs[most_items];
    int item_count, grain, worker_count;
    pthread_t caller;
    atomic_int call_count;
    atomic_int bad_range, bad_worker, bad_thread;
} item_census;

static void count_items(void* context, int begin, int end, int worker)
{
    item_census* census = context;
    atomic_fetch_add(&census->call_count, 1);
    bool is_whole = begin == 0 && end == census->item_count;
    if (begin < 0 || end > census->item_count || (end - begin < census->grain && !is_whole)) {
        atomic_fetch_add(&census->bad_range, 1);
    }
    if (worker < 0 || worker >= census->worker_count) {
        atomic_fetch_add(&census->bad_worker, 1);
    }
    // Worker 0 is the caller, and nobody else is.
    if ((worker == 0) != (pthread_equal(pthread_self(), census->caller) != 0)) {
        atomic_fetch_add(&census->bad_thread, 1);
    }
    for (int i = begin; i < end; ++i) {
        ++census->runs[i];
    }
}

static void census_init(item_census* census, const dr_pool* pool, int item_count, int grain)
{
    memset(census, 0, sizeof(*census));
    census->item_count = item_count;
    census->grain = grain;
    census->worker_count = dr_pool_worker_count(pool);
    census->caller = pthread_self();
}

static void census_check(item_census* census)
{
    ck_assert_int_eq(census->bad_range, 0);
    ck_assert_int_eq(census->bad_worker, 0);
    ck_assert_int_eq(census->bad_thread, 0);
    for (int i = 0; i < most_items; ++i) {
        ck_assert_int_eq(census->runs[i], i < census->item_count);
    }
}

START_TEST(every_item_runs_once)
{
    static const int worker_counts[] = {1, 2, 3, 8};
    static const int item_counts[] = {0, 1, 2, 7, 100, 1023, most_items};
    static const int grains[] = {1, 3, 64, 2500, most_items + 1};
    for (int w = 0; w < 4; ++w) {
        dr_pool* pool = make_pool(worker_counts[w]);
        for (int i = 0; i < 7 * 5; ++i) {
            item_census census;
            census_init(&census, pool, item_counts[i / 5], grains[i % 5]);
            dr_parallel_for(pool, census.item_count, census.grain, count_items, &census);
            census_check(&census);
        }
        end_pool(pool);
    }
}
END_TEST

START_TEST(without_a_pool_the_task_runs_in_place)
{
    item_census census;
    census_init(&census, NULL, 1000, 1);
    dr_parallel_for(NULL, 1000, 1, count_items, &census);
    census_check(&census);
    ck_assert_int_eq(census.call_count, 1);
    ck_assert_int_eq(dr_pool_worker_count(NULL), 1);
    dr_pool_destroy(NULL);
}
END_TEST

START_TEST(odd_grains_and_counts_are_safe)
{
    dr_pool* pool = make_pool(2);
    item_census census;
    census_init(&census, pool, 100, 0);
    dr_parallel_for(pool, 100, 0, count_items, &census);
    census_check(&census);
    census_init(&census, pool, 100, -5);
    dr_parallel_for(pool, 100, -5, count_items, &census);
    census_check(&census);
    dr_parallel_for(pool, -5, 1, count_items, &census);
    census_check(&census);
    end_pool(pool);
}
END_TEST

// Each item of a row becomes a mix of its neighbours in the other row.
typedef struct row_pair {
    uint32_t from[most_items], to[most_items];
} row_pair;

static void mix_neighbours(void* context, int begin, int end, int worker)
{
    (void)worker;
    row_pair* rows = context;
    for (int i = begin; i < end; ++i) {
        uint32_t left = rows->from[(i + most_items - 1) % most_items];
        uint32_t right = rows->from[(i + 1) % most_items];
        rows->to[i] = (left ^ right << 7) * 2654435761u + rows->from[i];
    }
}

static uint64_t run_rows(dr_pool* pool, int round_count)
{
    static row_pair rows;
    for (uint32_t i = 0; i < most_items; ++i) {
        rows.from[i] = i * i;
    }
    for (int round = 0; round < round_count; ++round) {
        dr_parallel_for(pool, most_items, 10, mix_neighbours, &rows);
        memcpy(rows.from, rows.to, sizeof(rows.from));
    }
    return dr_hash_bytes(DR_HASH_START, rows.from, sizeof(rows.from));
}

START_TEST(each_loop_sees_all_of_the_loop_before)
{
    uint64_t expected = run_rows(NULL, 500);
    for (int worker_count = 1; worker_count <= 8; ++worker_count) {
        dr_pool* pool = make_pool(worker_count);
        ck_assert_uint_eq(run_rows(pool, 500), expected);
        end_pool(pool);
    }
}
END_TEST

START_TEST(loops_make_no_heap_calls)
{
    dr_pool* pool = make_pool(4);
    int64_t calls = memory.call_count;
    run_rows(pool, 100);
    ck_assert_int_eq(memory.call_count, calls);
    end_pool(pool);
}
END_TEST

START_TEST(sleepers_do_not_hold_up_loops)
{
    dr_pool* pool = make_pool(4);
    for (int i = 0; i < 30; ++i) {
        // Long enough for everyone to fall asleep.
        sleep_ms(i % 3 == 0 ? 5 : 0);
        item_census census;
        census_init(&census, pool, most_items, 1);
        dr_parallel_for(pool, most_items, 1, count_items, &census);
        census_check(&census);
    }
    end_pool(pool);
}
END_TEST

static void do_nothing(void* context, int begin, int end, int worker)
{
    (void)context, (void)begin, (void)end, (void)worker;
}

START_TEST(too_many_workers_do_not_collapse)
{
    dr_pool* pool = make_pool(32);
    double begin = dr_now_ms();
    for (int i = 0; i < 1000; ++i) {
        dr_parallel_for(pool, 128, 1, do_nothing, NULL);
    }
    // Some milliseconds when all is well; barriers that spin would take minutes.
    ck_assert_double_lt(dr_now_ms() - begin, 5000.0);
    end_pool(pool);
}
END_TEST

static void work_for_a_while(void* context, int begin, int end, int worker)
{
    atomic_int* helped = context;
    double until = dr_now_ms() + 0.1 * (end - begin);
    while (dr_now_ms() < until) {
    }
    if (worker > 0) {
        atomic_fetch_add(helped, end - begin);
    }
}

START_TEST(helpers_help)
{
    dr_pool* pool = make_pool(2);
    atomic_int helped;
    atomic_init(&helped, 0);
    // Sooner or later, even where there is but one processor.
    double begin = dr_now_ms();
    while (dr_pool_worker_count(pool) > 1 && helped == 0) {
        ck_assert_double_lt(dr_now_ms() - begin, 20000.0);
        dr_parallel_for(pool, 8, 1, work_for_a_while, &helped);
        sleep_ms(1);
    }
    end_pool(pool);
}
END_TEST

// A loop within a loop.
typedef struct outer_loop {
    dr_pool* pool;
    atomic_int inner_count, bad_inner;
} outer_loop;

typedef struct inner_loop {
    outer_loop* nest;
    pthread_t thread;
    int worker;
} inner_loop;

static void run_inner(void* context, int begin, int end, int worker)
{
    inner_loop* inner = context;
    atomic_fetch_add(&inner->nest->inner_count, 1);
    if (begin != 0 || end != 100 || worker != inner->worker ||
        !pthread_equal(pthread_self(), inner->thread)) {
        atomic_fetch_add(&inner->nest->bad_inner, 1);
    }
}

static void run_outer(void* context, int begin, int end, int worker)
{
    outer_loop* nest = context;
    for (int i = begin; i < end; ++i) {
        inner_loop inner = {nest, pthread_self(), worker};
        dr_parallel_for(nest->pool, 100, 1, run_inner, &inner);
    }
}

static void check_nested(dr_pool* pool)
{
    outer_loop nest = {.pool = pool};
    dr_parallel_for(pool, 500, 1, run_outer, &nest);
    ck_assert_int_eq(nest.inner_count, 500);
    ck_assert_int_eq(nest.bad_inner, 0);
}

START_TEST(nested_loops_run_in_place)
{
    dr_pool* pool = make_pool(4);
    for (int i = 0; i < 20; ++i) {
        check_nested(pool);
    }
    end_pool(pool);
}
END_TEST

// A host's scheduler with two threads of its own, made anew for each loop.
typedef struct host_threads {
    drape_task_fn* task;
    void* context;
    int item_count;
    pthread_t threads[2];
    int enqueued, finished;
} host_threads;

static void* host_first_third(void* argument)
{
    host_threads* host = argument;
    host->task(host->context, 0, host->item_count / 3, 2);
    return NULL;
}

static void* host_rest(void* argument)
{
    host_threads* host = argument;
    host->task(host->context, host->item_count / 3, host->item_count, 1);
    return NULL;
}

static void* host_enqueue(void* user, drape_task_fn* task, void* context, int item_count)
{
    host_threads* host = user;
    host->task = task;
    host->context = context;
    host->item_count = item_count;
    ++host->enqueued;
    pthread_create(&host->threads[0], NULL, host_first_third, host);
    pthread_create(&host->threads[1], NULL, host_rest, host);
    return host;
}

static void host_finish(void* user, void* handle)
{
    host_threads* host = user;
    ck_assert_ptr_eq(handle, host);
    pthread_join(host->threads[0], NULL);
    pthread_join(host->threads[1], NULL);
    ++host->finished;
}

START_TEST(host_scheduler_runs_the_loops)
{
    host_threads host = {0};
    drape_scheduler scheduler = {host_enqueue, host_finish, &host};
    dr_memory_init(&memory, NULL);
    dr_pool* pool = dr_pool_create(&memory, 3, &scheduler);
    ck_assert_int_eq(dr_pool_worker_count(pool), 3);
    ck_assert_uint_eq(run_rows(pool, 50), run_rows(NULL, 50));
    ck_assert_int_eq(host.enqueued, 50);
    ck_assert_int_eq(host.finished, 50);
    check_nested(pool);
    ck_assert_int_eq(host.enqueued, 51);
    // Too little for two chunks is not worth the host's time.
    dr_parallel_for(pool, 10, 6, do_nothing, NULL);
    ck_assert_int_eq(host.enqueued, 51);
    end_pool(pool);
}
END_TEST

static void* host_run_at_once(void* user, drape_task_fn* task, void* context, int item_count)
{
    (void)user;
    task(context, 0, item_count, 0);
    return NULL;
}

START_TEST(host_scheduler_may_run_at_once)
{
    drape_scheduler scheduler = {host_run_at_once, NULL, NULL};
    dr_memory_init(&memory, NULL);
    dr_pool* pool = dr_pool_create(&memory, 4, &scheduler);
    item_census census;
    census_init(&census, pool, most_items, 3);
    dr_parallel_for(pool, most_items, 3, count_items, &census);
    census_check(&census);
    end_pool(pool);
}
END_TEST

static void* run_world(void* argument)
{
    // Its own memory and pool: worlds share nothing.
    dr_memory own;
    dr_memory_init(&own, NULL);
    dr_pool* pool = dr_pool_create(&own, 3, NULL);
    row_pair* rows = argument;
    for (int round = 0; round < 300; ++round) {
        dr_parallel_for(pool, most_items, 10, mix_neighbours, rows);
        memcpy(rows->from, rows->to, sizeof(rows->from));
    }
    dr_pool_destroy(pool);
    return NULL;
}

START_TEST(worlds_on_two_threads_are_independent)
{
    static row_pair worlds[3];
    for (uint32_t i = 0; i < most_items; ++i) {
        worlds[0].from[i] = worlds[1].from[i] = worlds[2].from[i] = 3 * i;
    }
    pthread_t other;
    ck_assert_int_eq(pthread_create(&other, NULL, run_world, &worlds[0]), 0);
    run_world(&worlds[1]);
    pthread_join(other, NULL);
    run_world(&worlds[2]);
    ck_assert_mem_eq(worlds[0].to, worlds[2].to, sizeof(worlds[2].to));
    ck_assert_mem_eq(worlds[1].to, worlds[2].to, sizeof(worlds[2].to));
}
END_TEST

START_TEST(worker_count_is_kept_in_range)
{
    static const int asked[] = {-3, 0, 1, 1000};
    for (int i = 0; i < 4; ++i) {
        dr_pool* pool = make_pool(asked[i]);
        ck_assert_int_ge(dr_pool_worker_count(pool), 1);
        ck_assert_int_le(dr_pool_worker_count(pool), DRAPE_MAX_WORKERS);
        item_census census;
        census_init(&census, pool, 300, 1);
        dr_parallel_for(pool, 300, 1, count_items, &census);
        census_check(&census);
        end_pool(pool);
    }
}
END_TEST

START_TEST(shortage_of_memory_gives_no_pool)
{
    watched_heap heap;
    for (int calls = 0; calls < 2; ++calls) {
        memory_watch(&memory, &heap, calls);
        dr_pool* pool = dr_pool_create(&memory, 4, NULL);
        // Without threads one block is enough.
        ck_assert(pool == NULL || dr_pool_worker_count(pool) == 1);
        dr_pool_destroy(pool);
        ck_assert_uint_eq(heap.bytes, 0);
    }
}
END_TEST

int main(void)
{
    Suite* suite = suite_create("parallel");
    TCase* cases = tcase_create("parallel");
    tcase_add_test(cases, every_item_runs_once);
    tcase_add_test(cases, without_a_pool_the_task_runs_in_place);
    tcase_add_test(cases, odd_grains_and_counts_are_safe);
    tcase_add_test(cases, each_loop_sees_all_of_the_loop_before);
    tcase_add_test(cases, loops_make_no_heap_calls);
    tcase_add_test(cases, sleepers_do_not_hold_up_loops);
    tcase_add_test(cases, too_many_workers_do_not_collapse);
    tcase_add_test(cases, helpers_help);
    tcase_add_test(cases, nested_loops_run_in_place);
    tcase_add_test(cases, host_scheduler_runs_the_loops);
    tcase_add_test(cases, host_scheduler_may_run_at_once);
    tcase_add_test(cases, worlds_on_two_threads_are_independent);
    tcase_add_test(cases, worker_count_is_kept_in_range);
    tcase_add_test(cases, shortage_of_memory_gives_no_pool);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
