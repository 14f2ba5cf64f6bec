// mesh/batch.c: batches of constraints that share no vertex, one for each lane of a vector.
#include <string.h>

#include "mesh/order.h"

enum { WINDOW = 64 };

// A ring of open batches. Bit p of a mask speaks of the batch at place p of the ring; the oldest is
// at `head`. Full batches leave at once, so there may be holes between open ones.
typedef struct packer {
    dr_memory* memory;
    const int32_t* slots;
    int arity;
    uint64_t* busy; // per slot: which open batches touch it
    uint64_t open;  // which places hold a batch
    int head, span; // oldest place, and how many places on the youngest is
    int lane_count[WINDOW];
    int32_t lanes[WINDOW][DR_BATCH_LANES];
    dr_array out; // finished batches, DR_BATCH_LANES numbers each
    bool short_of_memory;
} packer;

static uint64_t bit(int place)
{
    return (uint64_t)1 << place;
}

// Finishes the batch at a place: writes it out, frees its slots and its place.
static void close_batch(packer* p, int place)
{
    for (int lane = 0; lane < p->lane_count[place]; ++lane) {
        const int32_t* slots = p->slots + (size_t)p->lanes[place][lane] * (size_t)p->arity;
        for (int k = 0; k < p->arity; ++k) {
            p->busy[slots[k]] &= ~bit(place);
        }
    }
    void* end = dr_array_push(p->memory, &p->out, sizeof p->lanes[place]);
    if (end) {
        memcpy(end, p->lanes[place], sizeof p->lanes[place]);
    } else {
        p->short_of_memory = true;
    }
    p->open &= ~bit(place);
    while (p->span > 0 && !(p->open & bit(p->head))) {
        p->head = (p->head + 1) % WINDOW;
        --p->span;
    }
}

// Opens an empty batch behind the youngest; the oldest goes out unfilled when the ring is full.
static int open_batch(packer* p)
{
    if (p->span == WINDOW) {
        close_batch(p, p->head);
    }
    int place = (p->head + p->span++) % WINDOW;
    p->open |= bit(place);
    p->lane_count[place] = 0;
    memset(p->lanes[place], 0xff, sizeof p->lanes[place]);
    return place;
}

// The oldest batch of a set that is not empty.
static int oldest(const packer* p, uint64_t set)
{
    uint64_t from_head = set >> p->head | (p->head ? set << (WINDOW - p->head) : 0);
    return (p->head + __builtin_ctzll(from_head)) % WINDOW;
}

static void place_constraint(packer* p, int32_t constraint)
{
    const int32_t* slots = p->slots + (size_t)constraint * (size_t)p->arity;
    uint64_t busy = 0;
    for (int k = 0; k < p->arity; ++k) {
        busy |= p->busy[slots[k]];
    }
    uint64_t free = p->open & ~busy;
    int place = free ? oldest(p, free) : open_batch(p);
    for (int k = 0; k < p->arity; ++k) {
        p->busy[slots[k]] |= bit(place);
    }
    p->lanes[place][p->lane_count[place]++] = constraint;
    if (p->lane_count[place] == DR_BATCH_LANES) {
        close_batch(p, place);
    }
}

static void pack_blocks(packer* p, const int32_t* block_start, int block_count,
                        int32_t* batch_start)
{
    for (int b = 0; b < block_count; ++b) {
        batch_start[b] = p->out.count;
        for (int32_t i = block_start[b]; i < block_start[b + 1]; ++i) {
            place_constraint(p, i);
        }
        while (p->open) {
            close_batch(p, p->head);
        }
    }
    batch_start[block_count] = p->out.count;
}

// Hands the finished batches over in an array of the right size.
static bool take_batches(dr_batch* batch, packer* p)
{
    size_t count = DR_BATCH_LANES * (size_t)p->out.count;
    batch->batch_count = p->out.count;
    batch->order = dr_new(p->memory, int32_t, count);
    if (batch->order) {
        memcpy(batch->order, p->out.data, count * sizeof *batch->order);
    }
    return batch->order || count == 0;
}

bool dr_batch_pack(dr_batch* batch, dr_memory* memory, const int32_t* slots, int arity,
                   const int32_t* block_start, int block_count, int slot_count)
{
    packer p = {.memory = memory, .slots = slots, .arity = arity};
    *batch = (dr_batch){.block_count = block_count};
    batch->block_start = dr_new(memory, int32_t, (size_t)block_count + 1);
    p.busy = dr_new_zeroed(memory, uint64_t, slot_count);
    bool ready = batch->block_start && (p.busy || slot_count == 0);
    if (ready) {
        pack_blocks(&p, block_start, block_count, batch->block_start);
        ready = !p.short_of_memory && take_batches(batch, &p);
    }
    dr_delete(memory, p.busy, slot_count);
    dr_array_free(memory, &p.out, sizeof p.lanes[0]);
    if (!ready) {
        dr_batch_free(batch, memory);
    }
    return ready;
}

// --- Pairs ---

// How far on a batch looks for a partner.
enum { PARTNERS = 64 };

typedef struct pairing {
    const dr_batch* batch;
    const int32_t* slots;
    int arity;
    int32_t* toucher; // per slot: the last batch that looked for a partner and touches it, plus 1
    int32_t* partner; // per batch: -1 while it has none; its own number when it stays alone
} pairing;

// Place `i` of a batch, of arity * DR_BATCH_LANES; null in a lane left empty.
static int32_t* toucher_of(const pairing* p, int32_t batch, int i)
{
    int32_t constraint = p->batch->order[batch * DR_BATCH_LANES + i / p->arity];
    size_t at = (size_t)constraint * (size_t)p->arity + (size_t)(i % p->arity);
    return constraint >= 0 ? &p->toucher[p->slots[at]] : NULL;
}

static void mark_slots(const pairing* p, int32_t batch)
{
    for (int i = 0; i < p->arity * DR_BATCH_LANES; ++i) {
        int32_t* toucher = toucher_of(p, batch, i);
        if (toucher) {
            *toucher = batch + 1;
        }
    }
}

static bool share_slot(const pairing* p, int32_t marked, int32_t other)
{
    for (int i = 0; i < p->arity * DR_BATCH_LANES; ++i) {
        const int32_t* toucher = toucher_of(p, other, i);
        if (toucher && *toucher == marked + 1) {
            return true;
        }
    }
    return false;
}

static void find_partner(const pairing* p, int32_t batch, int32_t end)
{
    mark_slots(p, batch);
    p->partner[batch] = batch;
    end = end < batch + PARTNERS ? end : batch + PARTNERS;
    for (int32_t other = batch + 1; other < end; ++other) {
        if (p->partner[other] < 0 && !share_slot(p, batch, other)) {
            p->partner[batch] = other;
            p->partner[other] = batch;
            return;
        }
    }
}

static void find_partners(const pairing* p)
{
    for (int32_t i = 0; i < p->batch->batch_count; ++i) {
        p->partner[i] = -1;
    }
    for (int b = 0; b < p->batch->block_count; ++b) {
        int32_t end = p->batch->block_start[b + 1];
        for (int32_t i = p->batch->block_start[b]; i < end; ++i) {
            if (p->partner[i] < 0) {
                find_partner(p, i, end);
            }
        }
    }
}

// Appends the batches of a block pair by pair; a null `order` only counts them.
static int write_block(const pairing* p, int block, int32_t* order, int count)
{
    for (int32_t i = p->batch->block_start[block]; i < p->batch->block_start[block + 1]; ++i) {
        int32_t other = p->partner[i];
        if (other < i) {
            continue; // written with its partner
        }
        if (order) {
            int32_t* pair = order + (size_t)count * DR_BATCH_LANES;
            size_t size = sizeof *pair * DR_BATCH_LANES;
            memcpy(pair, p->batch->order + i * DR_BATCH_LANES, size);
            memcpy(pair + DR_BATCH_LANES, p->batch->order + other * DR_BATCH_LANES, size);
            if (other == i) {
                memset(pair + DR_BATCH_LANES, 0xff, size);
            }
        }
        count += 2;
    }
    return count;
}

static bool write_pairs(dr_batch* batch, dr_memory* memory, const pairing* p)
{
    int count = 0;
    for (int b = 0; b < batch->block_count; ++b) {
        count = write_block(p, b, NULL, count);
    }
    int32_t* order = dr_new(memory, int32_t, (size_t)count * DR_BATCH_LANES);
    if (!order && count > 0) {
        return false;
    }
    int end = 0;
    for (int b = 0; b < batch->block_count; ++b) {
        int start = end;
        end = write_block(p, b, order, start);
        // The block's old start is not needed any more; that of the next one still is.
        batch->block_start[b] = start;
    }
    batch->block_start[batch->block_count] = end;
    dr_delete(memory, batch->order, DR_BATCH_LANES * (size_t)batch->batch_count);
    batch->order = order;
    batch->batch_count = count;
    return true;
}

bool dr_batch_pair(dr_batch* batch, dr_memory* memory, const int32_t* slots, int arity,
                   int slot_count)
{
    size_t count = (size_t)batch->batch_count;
    pairing p = {.batch = batch, .slots = slots, .arity = arity};
    p.toucher = dr_new_zeroed(memory, int32_t, slot_count);
    p.partner = dr_new(memory, int32_t, count);
    bool done = (p.toucher || slot_count == 0) && (p.partner || count == 0);
    if (done) {
        find_partners(&p);
        done = write_pairs(batch, memory, &p);
    }
    dr_delete(memory, p.toucher, slot_count);
    dr_delete(memory, p.partner, count);
    return done;
}

void dr_batch_free(dr_batch* batch, dr_memory* memory)
{
    dr_delete(memory, batch->order, DR_BATCH_LANES * (size_t)batch->batch_count);
    dr_delete(memory, batch->block_start, (size_t)batch->block_count + 1);
    *batch = (dr_batch){0};
}
