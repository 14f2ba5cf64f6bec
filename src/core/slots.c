#include "core/slots.h"

#include "core/base.h"

static dr_slot_entry* entry_of(const dr_slots* slots, uint32_t slot, uint32_t generation)
{
    if (slot == 0 || slot > (uint32_t)slots->entries.count) {
        return NULL;
    }
    dr_slot_entry* entry = (dr_slot_entry*)slots->entries.data + (slot - 1);
    return entry->item && entry->generation == generation ? entry : NULL;
}

bool dr_slots_add(dr_slots* slots, dr_memory* memory, void* item, uint32_t* slot,
                  uint32_t* generation)
{
    DR_ASSERT(item);
    dr_slot_entry* entries = slots->entries.data;
    int index = 0;
    while (index < slots->entries.count && entries[index].item) {
        ++index;
    }
    if (index == slots->entries.count) {
        dr_slot_entry* entry = dr_array_push(memory, &slots->entries, sizeof *entry);
        if (!entry) {
            return false;
        }
        *entry = (dr_slot_entry){0};
    }
    dr_slot_entry* entry = (dr_slot_entry*)slots->entries.data + index;
    entry->item = item;
    entry->generation += 1;
    *slot = (uint32_t)index + 1;
    *generation = entry->generation;
    return true;
}

void* dr_slots_get(const dr_slots* slots, uint32_t slot, uint32_t generation)
{
    dr_slot_entry* entry = entry_of(slots, slot, generation);
    return entry ? entry->item : NULL;
}

void* dr_slots_remove(dr_slots* slots, uint32_t slot, uint32_t generation)
{
    dr_slot_entry* entry = entry_of(slots, slot, generation);
    if (!entry) {
        return NULL;
    }
    void* item = entry->item;
    entry->item = NULL;
    return item;
}

void dr_slots_free(dr_slots* slots, dr_memory* memory)
{
    dr_array_free(memory, &slots->entries, sizeof(dr_slot_entry));
}
