#include "scene/snapshot_bytes.h"

#include <math.h>
#include <string.h>

void dr_put_bytes(dr_state_writer* w, const void* data, size_t size)
{
    if (size > 0 && w->bytes && w->count <= w->room && size <= w->room - w->count) {
        memcpy(w->bytes + w->count, data, size);
    }
    w->count += size;
}

void dr_put_number(dr_state_writer* w, uint64_t value, int size)
{
    unsigned char bytes[8];
    for (int i = 0; i < size; ++i) {
        bytes[i] = (unsigned char)(value >> (8 * i));
    }
    dr_put_bytes(w, bytes, (size_t)size);
}

void dr_put_count(dr_state_writer* w, int64_t value)
{
    dr_put_number(w, (uint64_t)value, 8);
}

void dr_put_floats(dr_state_writer* w, const float* values, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        uint32_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        dr_put_number(w, bits, 4);
    }
}

void dr_put_double(dr_state_writer* w, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    dr_put_number(w, bits, 8);
}

uint64_t dr_take_number(dr_state_reader* r, int size)
{
    if (!r->is_good || (size_t)size > r->size - r->at) {
        r->is_good = false;
        return 0;
    }
    uint64_t value = 0;
    for (int i = 0; i < size; ++i) {
        value |= (uint64_t)r->bytes[r->at++] << (8 * i);
    }
    return value;
}

int64_t dr_take_count(dr_state_reader* r)
{
    return (int64_t)dr_take_number(r, 8);
}

void dr_expect_count(dr_state_reader* r, int64_t value)
{
    r->is_good = dr_take_count(r) == value && r->is_good;
}

void dr_take_floats(dr_state_reader* r, float* values, size_t count)
{
    if (!r->is_good || count > (r->size - r->at) / 4) {
        r->is_good = false;
        return;
    }
    for (size_t i = 0; i < count; ++i) {
        uint32_t bits = (uint32_t)dr_take_number(r, 4);
        float value;
        memcpy(&value, &bits, sizeof value);
        r->is_good = r->is_good && isfinite(value);
        if (r->stores) {
            values[i] = value;
        }
    }
}

double dr_take_double(dr_state_reader* r)
{
    uint64_t bits = dr_take_number(r, 8);
    double value;
    memcpy(&value, &bits, sizeof value);
    r->is_good = r->is_good && isfinite(value);
    return value;
}
