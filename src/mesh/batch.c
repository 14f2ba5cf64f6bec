// mesh/batch.c: batches of constraints that share no vertex, one for each lane of a vector.
#include <string.h>

#include "core/base.h"
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
    int width;      // lanes of a batch
    int lane_count[WINDOW];
    int32_t lanes[WINDOW][DR_BATCH_MOST_LANES];
    dr_array out; // finished batches, `width` numbers each
    bool short_of_memory;
} packer;

static uint64_t bit(int place)
{
    return (uint64_t)1 << place;
}

static size_t batch_bytes(const packer* p)
{
    return sizeof(int32_t) * (size_t)p->width;
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
    void* end = dr_array_push(p->memory, &p->out, batch_bytes(p));
    if (end) {
        memcpy(end, p->lanes[place], batch_bytes(p));
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
    if (p->lane_count[place] == p->width) {
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
    size_t count = (size_t)p->width * (size_t)p->out.count;
    batch->batch_count = p->out.count;
    batch->order = dr_new(p->memory, int32_t, count);
    if (batch->order) {
        memcpy(batch->order, p->out.data, count * sizeof *batch->order);
    }
    return batch->order || count == 0;
}

bool dr_batch_pack(dr_batch* batch, dr_memory* memory, const int32_t* slots, int arity,
                   const int32_t* block_start, int block_count, int slot_count, int lanes)
{
    DR_ASSERT(lanes > 0 && lanes <= DR_BATCH_MOST_LANES);
    packer p = {.memory = memory, .slots = slots, .arity = arity, .width = lanes};
    *batch = (dr_batch){.block_count = block_count, .lanes = lanes};
    batch->block_start = dr_new(memory, int32_t, (size_t)block_count + 1);
    p.busy = dr_new_zeroed(memory, uint64_t, slot_count);
    bool ready = batch->block_start && (p.busy || slot_count == 0);
    if (ready) {
        pack_blocks(&p, block_start, block_count, batch->block_start);
        ready = !p.short_of_memory && take_batches(batch, &p);
    }
    dr_delete(memory, p.busy, slot_count);
    dr_array_free(memory, &p.out, batch_bytes(&p));
    if (!ready) {
        dr_batch_free(batch, memory);
    }
    return ready;
}

void dr_batch_free(dr_batch* batch, dr_memory* memory)
{
    dr_delete(memory, batch->order, (size_t)batch->lanes * (size_t)batch->batch_count);
    dr_delete(memory, batch->block_start, (size_t)batch->block_count + 1);
    *batch = (dr_batch){0};
}
