// scene/snapshot_bytes.h: numbers of a snapshot as bytes, the low one first.
#ifndef DR_SNAPSHOT_BYTES_H
#define DR_SNAPSHOT_BYTES_H

#include "core/memory.h"

// Writes into `bytes` as long as there is room, and always counts.
typedef struct dr_state_writer {
    unsigned char* bytes;
    size_t room, count;
} dr_state_writer;

// Reads, or only looks: then nothing is stored. `is_good` falls with the first thing that does not
// fit; a number that is not finite never fits.
typedef struct dr_state_reader {
    const unsigned char* bytes;
    size_t size, at;
    bool is_good;
    bool stores;
    dr_memory* memory;
} dr_state_reader;

void dr_put_bytes(dr_state_writer* w, const void* data, size_t size);
void dr_put_number(dr_state_writer* w, uint64_t value, int size);
void dr_put_count(dr_state_writer* w, int64_t value);
void dr_put_floats(dr_state_writer* w, const float* values, size_t count);
void dr_put_double(dr_state_writer* w, double value);
uint64_t dr_take_number(dr_state_reader* r, int size);
int64_t dr_take_count(dr_state_reader* r);
// A count that the world must have, too.
void dr_expect_count(dr_state_reader* r, int64_t value);
void dr_take_floats(dr_state_reader* r, float* values, size_t count);
double dr_take_double(dr_state_reader* r);

#endif
