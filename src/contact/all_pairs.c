#include "contact/all_pairs.h"

#include <limits.h>
#include <string.h>

#include "collide/tree_kernels.h"
#include "core/isa.h"

const dr_all_pairs_kernels* dr_all_pairs_kernels_for(drape_isa isa);
DR_KERNEL_TABLE(dr_all_pairs_kernels)

// --- Boxes ---

// Kernels work in eights; boxes of the last ones are not read, but their corners are.
enum { spare = 8 };

bool dr_box_list_create(dr_box_list* list, dr_memory* memory, const int32_t* corners,
                        int corner_count, int count)
{
    *list = (dr_box_list){.corner_count = corner_count, .step = count + spare, .count = count};
    list->rows = dr_new_zeroed(memory, float, 6 * (size_t)list->step);
    bool is_done = list->rows != NULL;
    for (int k = 0; k < corner_count; ++k) {
        list->corner[k] = dr_new_zeroed(memory, int32_t, list->step);
        is_done = is_done && list->corner[k];
        for (int i = 0; i < count && is_done; ++i) {
            list->corner[k][i] = corners[i * corner_count + k];
        }
    }
    return is_done;
}

void dr_box_list_free(dr_box_list* list, dr_memory* memory)
{
    dr_delete(memory, list->rows, 6 * (size_t)list->step);
    for (int k = 0; k < list->corner_count; ++k) {
        dr_delete(memory, list->corner[k], list->step);
    }
    *list = (dr_box_list){0};
}

typedef struct refit_work {
    dr_box_list* list;
    const dr_motion* motion;
    const dr_refit_kernels* kernels;
} refit_work;

// Items are eights, so that no two workers write to the same.
static void refit_eights(void* context, int begin, int end, int worker)
{
    const refit_work* work = context;
    dr_box_list* list = work->list;
    (void)worker;
    work->kernels->features(list->rows, list->step, work->motion, list->corner, list->corner_count,
                            8 * begin, 8 * end);
}

void dr_box_list_refit(dr_box_list* list, dr_pool* pool, const dr_motion* motion, drape_isa isa)
{
    refit_work work = {list, motion, dr_refit_kernels_for(isa)};
    dr_parallel_for(pool, (list->count + 7) / 8, 64, refit_eights, &work);
}

int dr_box_list_meet_groups(const dr_box_list* list, drape_isa isa, int one,
                            const dr_near_group* groups, int count, dr_pair* out)
{
    return dr_all_pairs_kernels_for(isa)->groups(list, one, groups, count, out);
}

// --- Search ---

// Boxes of the first list to a chunk, boxes of the second list to a stretch of a row.
enum { chunk_size = 32, stretch = 1024 };

typedef struct run {
    dr_all_pairs* all;
    const dr_all_pairs_kernels* kernels;
    const dr_box_list *ones, *others;
    dr_keep_fn* keep;
    const void* context;
} run;

// Counts on when the slice is full, so that the next try has enough.
static void add_pair(const run* r, int chunk, int one, int other)
{
    int32_t* count = (int32_t*)r->all->counts.data + chunk;
    if (*count < r->all->slice) {
        dr_pair* slice = (dr_pair*)r->all->slices.data + (size_t)chunk * (size_t)r->all->slice;
        slice[*count] = (dr_pair){one, other};
    }
    ++*count;
}

static void search_one(const run* r, int chunk, int one)
{
    int32_t found[stretch + 8];
    int total = r->others->count;
    for (int begin = r->ones == r->others ? one + 1 : 0; begin < total; begin += stretch) {
        int end = total - begin < stretch ? total : begin + stretch;
        int count = r->kernels->row(r->others, begin, end, r->ones, one, found);
        for (int i = 0; i < count; ++i) {
            if (r->keep(r->context, one, found[i])) {
                add_pair(r, chunk, one, found[i]);
            }
        }
    }
}

static void search_chunks(void* context, int begin, int end, int worker)
{
    const run* r = context;
    (void)worker;
    for (int chunk = begin; chunk < end; ++chunk) {
        ((int32_t*)r->all->counts.data)[chunk] = 0;
        int last = (chunk + 1) * chunk_size;
        for (int i = chunk * chunk_size; i < last && i < r->ones->count; ++i) {
            search_one(r, chunk, i);
        }
    }
}

// Puts slices one after the other. False when memory is short.
static bool join(dr_all_pairs* all, dr_memory* memory, int chunk_count)
{
    const int32_t* counts = all->counts.data;
    int64_t total = 0;
    for (int c = 0; c < chunk_count; ++c) {
        total += counts[c];
    }
    all->pairs.count = 0;
    if (total > INT_MAX / 2 ||
        (total > all->pairs.capacity &&
         !dr_array_reserve(memory, &all->pairs, sizeof(dr_pair), (int)(total + total / 4)))) {
        return false;
    }
    for (int c = 0; c < chunk_count; ++c) {
        if (counts[c] > 0) {
            const dr_pair* slices = all->slices.data;
            dr_pair* to = (dr_pair*)all->pairs.data + all->pairs.count;
            memcpy(to, slices + (size_t)c * (size_t)all->slice, sizeof *to * (size_t)counts[c]);
            all->pairs.count += counts[c];
        }
    }
    return true;
}

static int largest(const dr_all_pairs* all, int chunk_count)
{
    const int32_t* counts = all->counts.data;
    int most = 0;
    for (int c = 0; c < chunk_count; ++c) {
        most = counts[c] > most ? counts[c] : most;
    }
    return most;
}

static bool reserve_slices(dr_all_pairs* all, dr_memory* memory, int chunk_count, int slice)
{
    int64_t total = (int64_t)chunk_count * slice;
    if (total > INT_MAX || !dr_array_reserve(memory, &all->slices, sizeof(dr_pair), (int)total)) {
        return false;
    }
    all->slice = slice;
    return true;
}

bool dr_all_pairs_run(dr_all_pairs* all, dr_memory* memory, dr_pool* pool, drape_isa isa,
                      const dr_box_list* ones, const dr_box_list* others, dr_keep_fn* keep,
                      const void* context)
{
    int chunk_count = (ones->count + chunk_size - 1) / chunk_size;
    run r = {all, dr_all_pairs_kernels_for(isa), ones, others, keep, context};
    int64_t n = ones->count, m = others->count;
    all->box_tests = ones == others ? n * (n - 1) / 2 : n * m;
    all->pairs.count = 0;
    if (!dr_array_reserve(memory, &all->counts, sizeof(int32_t), chunk_count)) {
        return false;
    }
    dr_parallel_for(pool, chunk_count, 1, search_chunks, &r);
    int most = largest(all, chunk_count);
    if (most > all->slice) {
        if (!reserve_slices(all, memory, chunk_count, most + most / 2)) {
            return false;
        }
        dr_parallel_for(pool, chunk_count, 1, search_chunks, &r);
    }
    return join(all, memory, chunk_count);
}

void dr_all_pairs_free(dr_all_pairs* all, dr_memory* memory)
{
    dr_array_free(memory, &all->pairs, sizeof(dr_pair));
    dr_array_free(memory, &all->slices, sizeof(dr_pair));
    dr_array_free(memory, &all->counts, sizeof(int32_t));
    *all = (dr_all_pairs){0};
}
