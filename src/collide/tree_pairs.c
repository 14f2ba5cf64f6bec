#include "collide/tree_pairs.h"

#include <limits.h>
#include <stdatomic.h>
#include <string.h>

#include "collide/tree_kernels.h"
#include "collide/tree_walk_kernels.h"
#include "core/isa.h"

DR_KERNEL_TABLE(dr_pairs_kernels)

// Pairs to a page.
enum { page_size = 1024 };

// One search: the cut into tasks, then the tasks.
typedef struct run {
    dr_pair_search* search;
    dr_memory* memory;
    dr_walk_fn* fn;
    int list_count, page_count;
    atomic_int next_page;
    bool is_short;              // of memory
    dr_pair dump[DR_SINK_ROOM]; // for what has no place
    dr_lane_set lane_sets[256];
} run;

// What a thread needs of its own; on lines of its own.
typedef struct worker {
    _Alignas(DR_ALIGNMENT) dr_walk walk;
    run* run;
    bool is_lost; // pages ran out
    dr_pair dump[DR_PAIR_LISTS][DR_SINK_ROOM];
} worker;

// --- The cut into tasks: the walk over the top of the trees ---

static bool is_last(const dr_tree* tree, int node)
{
    return dr_tree_is_task(tree, node);
}

static void add_task(dr_walk* walk, const dr_walk_task* task)
{
    run* r = walk->sinks[0].owner;
    dr_walk_task* place = dr_array_push(r->memory, &r->search->tasks, sizeof *place);
    if (place) {
        *place = *task;
    } else {
        r->is_short = true;
    }
}

static void last_self(dr_walk* walk, int node)
{
    add_task(walk, &(dr_walk_task){.a = node, .b = -1});
}

static void last_pair(dr_walk* walk, int a, dr_box_at box_a, int b, dr_box_at box_b)
{
    add_task(walk, &(dr_walk_task){.a = a,
                                   .b = b,
                                   .reach_a = box_a.reach,
                                   .reach_b = box_b.reach,
                                   .step_a = box_a.step,
                                   .step_b = box_b.step});
}

static void cut_into_tasks(run* r, const dr_walk* walk)
{
    dr_walk top = *walk;
    top.sinks[0].owner = r;
    r->search->tasks.count = 0;
    run_task(&top, &(dr_walk_task){.b = walk->a == walk->b ? -1 : 0,
                                   .reach_a = walk->a->root,
                                   .reach_b = walk->b->root,
                                   .step_a = 1,
                                   .step_b = 1});
    r->search->box_tests = top.box_tests;
}

// --- On one thread: straight into the lists ---

static void grow_list(dr_sink* sink)
{
    run* r = sink->owner;
    dr_array* list = &r->search->lists[sink->list];
    if (sink->begin != r->dump) {
        list->count = (int)(sink->at - sink->begin);
    }
    int wanted = list->capacity <= INT_MAX / 2 ? 2 * list->capacity : INT_MAX;
    wanted = wanted > page_size ? wanted : page_size;
    if (!r->is_short && list->capacity < INT_MAX &&
        dr_array_reserve(r->memory, list, sizeof(dr_pair), wanted)) {
        sink->begin = list->data;
        sink->at = sink->begin + list->count;
        sink->end = sink->begin + list->capacity;
        return;
    }
    r->is_short = true;
    sink->begin = sink->at = r->dump;
    sink->end = r->dump + DR_SINK_ROOM;
}

static void run_alone(run* r, const dr_walk* walk)
{
    dr_walk own = *walk;
    const dr_walk_task* tasks = r->search->tasks.data;
    for (int l = 0; l < r->list_count; ++l) {
        dr_array* list = &r->search->lists[l];
        dr_pair* data = list->data;
        own.sinks[l] = (dr_sink){.begin = data,
                                 .at = data,
                                 .end = data ? data + list->capacity : data,
                                 .next_piece = grow_list,
                                 .owner = r,
                                 .list = l};
    }
    for (int i = 0; i < r->search->tasks.count && !r->is_short; ++i) {
        r->fn(&own, &tasks[i]);
    }
    for (int l = 0; l < r->list_count && !r->is_short; ++l) {
        r->search->lists[l].count = (int)(own.sinks[l].at - own.sinks[l].begin);
    }
    r->search->box_tests += own.box_tests;
}

// --- On several: into pages that threads take as they need them ---

static int64_t pairs_so_far(const dr_sink* sink)
{
    return sink->before + (sink->at - sink->begin);
}

static void take_page(dr_sink* sink)
{
    worker* w = sink->owner;
    run* r = w->run;
    int32_t *ends = r->search->page_ends.data, *next = r->search->page_next.data;
    int page = w->is_lost ? r->page_count
                          : atomic_fetch_add_explicit(&r->next_page, 1, memory_order_relaxed);
    sink->before = pairs_so_far(sink);
    if (page >= r->page_count) {
        // Count on, so that the next try has enough.
        w->is_lost = true;
        sink->begin = sink->at = w->dump[sink->list];
        sink->end = sink->begin + DR_SINK_ROOM;
        sink->page = -1;
        return;
    }
    if (sink->page >= 0) {
        ends[sink->page] = (int32_t)(sink->at - sink->begin);
        next[sink->page] = page;
    }
    ends[page] = page_size;
    sink->begin = sink->at = (dr_pair*)r->search->pages.data + (size_t)page * page_size;
    sink->end = sink->begin + page_size;
    sink->page = page;
}

static void run_tasks(void* context, int begin, int end, int index)
{
    run* r = context;
    worker* w = (worker*)r->search->workers.data + index;
    dr_walk_task* tasks = r->search->tasks.data;
    for (int i = begin; i < end; ++i) {
        int64_t before[DR_PAIR_LISTS];
        for (int l = 0; l < r->list_count; ++l) {
            dr_sink* sink = &w->walk.sinks[l];
            dr_sink_room(sink);
            tasks[i].page[l] = sink->page;
            tasks[i].offset[l] = (int32_t)(sink->at - sink->begin);
            before[l] = pairs_so_far(sink);
        }
        r->fn(&w->walk, &tasks[i]);
        for (int l = 0; l < r->list_count; ++l) {
            int64_t count = pairs_so_far(&w->walk.sinks[l]) - before[l];
            tasks[i].count[l] = count < INT32_MAX ? (int32_t)count : INT32_MAX;
        }
    }
}

static void join_tasks(void* context, int begin, int end, int index)
{
    const run* r = context;
    const dr_walk_task* tasks = r->search->tasks.data;
    const dr_pair* pages = r->search->pages.data;
    const int32_t *ends = r->search->page_ends.data, *next = r->search->page_next.data;
    (void)index;
    for (int i = begin; i < end; ++i) {
        for (int l = 0; l < r->list_count; ++l) {
            int page = tasks[i].page[l], offset = tasks[i].offset[l], left = tasks[i].count[l];
            if (left == 0) {
                continue;
            }
            dr_pair* to = (dr_pair*)r->search->lists[l].data + tasks[i].start[l];
            while (left > 0) {
                int count = ends[page] - offset < left ? ends[page] - offset : left;
                memcpy(to, pages + (size_t)page * page_size + offset, sizeof *to * (size_t)count);
                to += count;
                left -= count;
                page = next[page];
                offset = 0;
            }
        }
    }
}

static bool prepare_workers(run* r, const dr_walk* walk, int worker_count)
{
    dr_array* workers = &r->search->workers;
    if (!dr_array_reserve(r->memory, workers, sizeof(worker), worker_count)) {
        return false;
    }
    for (int i = 0; i < worker_count; ++i) {
        worker* w = (worker*)workers->data + i;
        w->walk = *walk;
        w->run = r;
        w->is_lost = false;
        for (int l = 0; l < r->list_count; ++l) {
            dr_pair* none = w->dump[l];
            w->walk.sinks[l] = (dr_sink){.begin = none,
                                         .at = none,
                                         .end = none,
                                         .next_piece = take_page,
                                         .owner = w,
                                         .list = l,
                                         .page = -1};
        }
    }
    atomic_init(&r->next_page, 0);
    return true;
}

static bool reserve_pages(run* r, int64_t count)
{
    dr_pair_search* search = r->search;
    if (count > INT_MAX / page_size ||
        !dr_array_reserve(r->memory, &search->pages, sizeof(dr_pair), (int)count * page_size) ||
        !dr_array_reserve(r->memory, &search->page_ends, sizeof(int32_t), (int)count) ||
        !dr_array_reserve(r->memory, &search->page_next, sizeof(int32_t), (int)count)) {
        return false;
    }
    r->page_count = (int)count;
    return true;
}

// Places of all tasks in the joined lists. Returns the pages that hold them in the worst case: full
// up to the room kept free, and one begun by each thread.
static int64_t count_tasks(run* r, int worker_count, int64_t total[DR_PAIR_LISTS])
{
    dr_walk_task* tasks = r->search->tasks.data;
    int64_t pages = 0;
    for (int l = 0; l < r->list_count; ++l) {
        total[l] = 0;
        for (int i = 0; i < r->search->tasks.count; ++i) {
            tasks[i].start[l] = (int32_t)total[l];
            total[l] += tasks[i].count[l];
        }
        pages += total[l] / (page_size - DR_SINK_ROOM) + worker_count + 1;
    }
    return pages;
}

static bool run_once(run* r, dr_pool* pool, const dr_walk* walk, int worker_count, bool* is_lost)
{
    if (!prepare_workers(r, walk, worker_count)) {
        return false;
    }
    dr_parallel_for(pool, r->search->tasks.count, 1, run_tasks, r);
    const worker* workers = r->search->workers.data;
    *is_lost = false;
    for (int i = 0; i < worker_count; ++i) {
        *is_lost |= workers[i].is_lost;
        r->search->box_tests += workers[i].walk.box_tests;
    }
    return true;
}

static bool run_together(run* r, dr_pool* pool, const dr_walk* walk)
{
    int worker_count = dr_pool_worker_count(pool);
    int64_t total[DR_PAIR_LISTS], box_tests = r->search->box_tests;
    bool is_lost = true;
    r->page_count = r->search->page_next.capacity;
    if (!run_once(r, pool, walk, worker_count, &is_lost)) {
        return false;
    }
    int64_t pages = count_tasks(r, worker_count, total);
    if (is_lost) {
        r->search->box_tests = box_tests;
        if (!reserve_pages(r, pages + pages / 4) ||
            !run_once(r, pool, walk, worker_count, &is_lost) || is_lost) {
            return false;
        }
    }
    for (int l = 0; l < r->list_count; ++l) {
        dr_array* list = &r->search->lists[l];
        int64_t roomy = total[l] + total[l] / 4;
        if (total[l] > INT_MAX || roomy > INT_MAX ||
            (total[l] > list->capacity &&
             !dr_array_reserve(r->memory, list, sizeof(dr_pair), (int)roomy))) {
            return false;
        }
        list->count = (int)total[l];
    }
    dr_parallel_for(pool, r->search->tasks.count, 16, join_tasks, r);
    return true;
}

static void list_lanes(dr_lane_set* sets)
{
    for (int bits = 0; bits < 256; ++bits) {
        sets[bits] = (dr_lane_set){0};
        for (int i = 0; i < 8; ++i) {
            sets[bits].lane[sets[bits].count & 7] = (uint8_t)i;
            sets[bits].count += bits >> i & 1;
        }
    }
}

bool dr_walk_run(dr_pair_search* search, dr_memory* memory, dr_pool* pool, const dr_walk* given,
                 dr_walk_fn* fn, int list_count)
{
    run r = {.search = search, .memory = memory, .fn = fn, .list_count = list_count};
    dr_walk copy = *given, *walk = &copy;
    walk->lane_sets = r.lane_sets;
    list_lanes(r.lane_sets);
    search->box_tests = 0;
    for (int l = 0; l < DR_PAIR_LISTS; ++l) {
        search->lists[l].count = 0;
    }
    if (walk->a->node_count == 0 || walk->b->node_count == 0) {
        return true;
    }
    cut_into_tasks(&r, walk);
    if (!r.is_short && dr_pool_worker_count(pool) > 1) {
        r.is_short = !run_together(&r, pool, walk);
    } else if (!r.is_short) {
        run_alone(&r, walk);
    }
    for (int l = 0; r.is_short && l < list_count; ++l) {
        search->lists[l].count = 0;
    }
    return !r.is_short;
}

void dr_pair_search_free(dr_pair_search* search, dr_memory* memory)
{
    for (int l = 0; l < DR_PAIR_LISTS; ++l) {
        dr_array_free(memory, &search->lists[l], sizeof(dr_pair));
    }
    dr_array_free(memory, &search->tasks, sizeof(dr_walk_task));
    dr_array_free(memory, &search->workers, sizeof(worker));
    dr_array_free(memory, &search->pages, sizeof(dr_pair));
    dr_array_free(memory, &search->page_ends, sizeof(int32_t));
    dr_array_free(memory, &search->page_next, sizeof(int32_t));
    *search = (dr_pair_search){0};
}

// --- Triangles ---

bool dr_tree_triangle_pairs(dr_pair_search* search, dr_memory* memory, dr_pool* pool,
                            const dr_tree* tree, const dr_pair_filter* filter)
{
    dr_walk walk = {.a = tree, .b = tree, .filter = filter};
    return dr_walk_run(search, memory, pool, &walk, dr_pairs_kernels_for(tree->isa)->triangles, 1);
}

bool dr_tree_tree_pairs(dr_pair_search* search, dr_memory* memory, dr_pool* pool, const dr_tree* a,
                        const dr_tree* b, const dr_pair_filter* filter)
{
    dr_walk walk = {.a = a, .b = b, .filter = filter};
    return dr_walk_run(search, memory, pool, &walk, dr_pairs_kernels_for(a->isa)->triangles, 1);
}
