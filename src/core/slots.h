// core/slots.h: things behind handles. A slot keeps a pointer and a generation; a removed thing
// leaves its slot to the next one with the generation raised, so that old handles miss.
#ifndef DR_SLOTS_H
#define DR_SLOTS_H

#include "core/memory.h"

typedef struct dr_slots {
    dr_array entries; // of dr_slot_entry
} dr_slots;

typedef struct dr_slot_entry {
    void* item; // null when free
    uint32_t generation;
} dr_slot_entry;

// Stores `item` (not null) and tells the fields of its handle; false when memory is short.
bool dr_slots_add(dr_slots* slots, dr_memory* memory, void* item, uint32_t* slot,
                  uint32_t* generation);
// The item behind a handle, null when it is stale or null.
void* dr_slots_get(const dr_slots* slots, uint32_t slot, uint32_t generation);
// Takes the item out and returns it; null when the handle is stale.
void* dr_slots_remove(dr_slots* slots, uint32_t slot, uint32_t generation);
void dr_slots_free(dr_slots* slots, dr_memory* memory);

static inline int dr_slots_count(const dr_slots* slots) { return slots->entries.count; }
// Item number `index`, null where a slot is free.
static inline void* dr_slots_at(const dr_slots* slots, int index)
{
    return ((const dr_slot_entry*)slots->entries.data)[index].item;
}

#endif
