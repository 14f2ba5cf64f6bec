// contact/self_boxes_parts.h: what the files of contact/self_boxes.h share.
#ifndef DR_SELF_BOXES_PARTS_H
#define DR_SELF_BOXES_PARTS_H

#include "contact/self_boxes.h"

// One run.
typedef struct dr_boxes_run {
    dr_self_boxes* self;
    dr_memory* memory;
    dr_pool* pool;
    dr_limits* limits;
    int number;
    dr_self_result* result;
} dr_boxes_run;

// What a pair of the search is.
typedef enum dr_boxes_kind {
    DR_BOXES_APART,
    DR_BOXES_OPEN, // it may meet: times of their boxes will tell
    DR_BOXES_GUARDED,
} dr_boxes_kind;

// Pairs to a chunk of a thread: some microseconds.
enum { DR_BOXES_GRAIN = 256 };

// Room for `count` in all, with some to spare so that it soon suffices for good.
static inline bool dr_boxes_room(dr_memory* memory, dr_array* list, size_t size, int count)
{
    return count <= list->capacity || dr_array_reserve(memory, list, size, count + count / 4);
}

static inline bool dr_boxes_is_held(const dr_boxes_run* r, dr_pair pair)
{
    const dr_sheets* s = r->self->sheets;
    return dr_guard_is_held(s, r->limits, s->triangles[pair.a], 3) &&
           dr_guard_is_held(s, r->limits, s->triangles[pair.b], 3);
}

static inline void dr_boxes_freeze(const dr_boxes_run* r, dr_pair pair)
{
    const dr_sheets* s = r->self->sheets;
    r->result->frozen += dr_guard_freeze(s, r->limits, s->triangles[pair.a], 3);
    r->result->frozen += dr_guard_freeze(s, r->limits, s->triangles[pair.b], 3);
}

// What changed since the last run (self_boxes_changes.c). False when memory is short.
bool dr_boxes_create_changes(dr_self_boxes* self, dr_memory* memory);
void dr_boxes_free_changes(dr_self_boxes* self, dr_memory* memory);
void dr_boxes_find_changes(const dr_boxes_run* r);

static inline const uint8_t* dr_boxes_changed(const dr_self_boxes* self)
{
    return self->has_changed + self->sheets->vertex_count;
}

// Lists the guarded pairs, those of the search and near ones, and tests them. False when memory is
// short.
bool dr_boxes_test_guarded(dr_boxes_run* r);
// Freezes those that were hit.
void dr_boxes_freeze_guarded(const dr_boxes_run* r);

#endif
