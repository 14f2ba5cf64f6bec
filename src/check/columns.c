#include "check/columns.h"

#include <math.h>
#include <string.h>

// Entries for each box, on average, that the grid may have at most.
#define ENTRIES_PER_BOX 6

// Columns along one axis at most.
#define COLUMNS_ALONG 32768.0

// --- Sorting ---

// One pass of a radix sort; false when all words have the same byte and none was moved.
static bool sort_by_byte(const uint64_t* from, uint64_t* to, size_t count, int shift)
{
    size_t starts[256] = {0};
    for (size_t k = 0; k < count; ++k) {
        ++starts[from[k] >> shift & 0xFF];
    }
    if (starts[from[0] >> shift & 0xFF] == count) {
        return false;
    }
    size_t sum = 0;
    for (int byte = 0; byte < 256; ++byte) {
        size_t here = starts[byte];
        starts[byte] = sum;
        sum += here;
    }
    for (size_t k = 0; k < count; ++k) {
        to[starts[from[k] >> shift & 0xFF]++] = from[k];
    }
    return true;
}

void dr_sort_words(uint64_t* words, uint64_t* spare, size_t count)
{
    uint64_t* from = words;
    uint64_t* to = spare;
    for (int shift = 0; count > 1 && shift < 64; shift += 8) {
        if (sort_by_byte(from, to, count, shift)) {
            uint64_t* sorted = to;
            to = from;
            from = sorted;
        }
    }
    if (from != words) {
        memcpy(words, from, count * sizeof *words);
    }
}

// Bits that sort like the number.
static uint32_t sortable_bits(float value)
{
    // Both zeros are one place.
    float plain = value + 0.0f;
    uint32_t bits;
    memcpy(&bits, &plain, sizeof bits);
    return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}

// The boxes by their lower ends along the sweep, then by number.
static bool sort_boxes(const dr_columns* columns, dr_memory* memory, int32_t* order)
{
    size_t count = (size_t)columns->box_count;
    uint64_t* words = dr_new(memory, uint64_t, count);
    uint64_t* spare = dr_new(memory, uint64_t, count);
    bool is_sorted = words != NULL && spare != NULL;
    if (is_sorted) {
        for (size_t k = 0; k < count; ++k) {
            words[k] = (uint64_t)sortable_bits(columns->boxes[k].lo[0]) << 32 | k;
        }
        dr_sort_words(words, spare, count);
        for (size_t k = 0; k < count; ++k) {
            order[k] = (int32_t)(words[k] & 0x7FFFFFFF);
        }
    }
    dr_delete(memory, words, count);
    dr_delete(memory, spare, count);
    return is_sorted;
}

// --- The grid ---

static void swap(float* a, float* b)
{
    float kept = *a;
    *a = *b;
    *b = kept;
}

// What all boxes fill, and how wide they are on average.
typedef struct spread {
    double lo[3], hi[3];
    double mean[3];
} spread;

static spread measure(const dr_columns* columns)
{
    spread s = {0};
    for (int axis = 0; axis < 3; ++axis) {
        double sum = 0.0;
        s.lo[axis] = columns->boxes[0].lo[axis];
        s.hi[axis] = columns->boxes[0].hi[axis];
        for (int k = 0; k < columns->box_count; ++k) {
            double lo = columns->boxes[k].lo[axis], hi = columns->boxes[k].hi[axis];
            s.lo[axis] = lo < s.lo[axis] ? lo : s.lo[axis];
            s.hi[axis] = hi > s.hi[axis] ? hi : s.hi[axis];
            sum += hi - lo;
        }
        s.mean[axis] = sum / columns->box_count;
    }
    return s;
}

// Turns all boxes so that the longest axis comes first.
static void turn(dr_columns* columns)
{
    spread s = measure(columns);
    int longest = 0;
    for (int axis = 1; axis < 3; ++axis) {
        if (s.hi[axis] - s.lo[axis] > s.hi[longest] - s.lo[longest]) {
            longest = axis;
        }
    }
    for (int k = 0; longest > 0 && k < columns->box_count; ++k) {
        swap(&columns->boxes[k].lo[0], &columns->boxes[k].lo[longest]);
        swap(&columns->boxes[k].hi[0], &columns->boxes[k].hi[longest]);
    }
}

// Columns of `width` across, about as many as there are boxes at most.
static void set_grid(dr_columns* columns, const spread* s, double width)
{
    double sizes[2], counts[2];
    for (int k = 0; k < 2; ++k) {
        sizes[k] = s->hi[k + 1] - s->lo[k + 1];
        counts[k] = width > 0.0 && sizes[k] > width ? sizes[k] / width : 1.0;
    }
    double excess = counts[0] * counts[1] / columns->box_count;
    for (int k = 0; k < 2; ++k) {
        double count = excess > 1.0 ? counts[k] / sqrt(excess) : counts[k];
        count = count < 1.0 ? 1.0 : count > COLUMNS_ALONG ? COLUMNS_ALONG : floor(count);
        columns->start[k] = s->lo[k + 1];
        columns->per_unit[k] = sizes[k] > 0.0 ? count / sizes[k] : 0.0;
        columns->column_counts[k] = (int)count;
    }
}

// The columns that a box reaches into, first and last along both axes.
typedef struct reach {
    int first[2], last[2];
} reach;

static reach find_reach(const dr_columns* columns, const dr_column_box* box)
{
    return (reach){
        {dr_column_along(columns, 1, box->lo[1]), dr_column_along(columns, 2, box->lo[2])},
        {dr_column_along(columns, 1, box->hi[1]), dr_column_along(columns, 2, box->hi[2])}};
}

static int64_t count_entries(const dr_columns* columns)
{
    int64_t count = 0;
    for (int k = 0; k < columns->box_count; ++k) {
        reach r = find_reach(columns, &columns->boxes[k]);
        count += (int64_t)(r.last[0] - r.first[0] + 1) * (r.last[1] - r.first[1] + 1);
    }
    return count;
}

// Widens the columns until the boxes fit; with a single column they do.
static void choose_grid(dr_columns* columns)
{
    spread s = measure(columns);
    double width = s.mean[1] > s.mean[2] ? s.mean[1] : s.mean[2];
    set_grid(columns, &s, width);
    while (count_entries(columns) > (int64_t)ENTRIES_PER_BOX * columns->box_count) {
        width *= 2.0;
        set_grid(columns, &s, width);
    }
    columns->entry_count = (int)count_entries(columns);
}

// --- Entries ---

// `starts` has the place of the first entry of each column, and moves on with every entry.
static void enter(dr_columns* columns, int32_t box, int32_t* starts)
{
    reach r = find_reach(columns, &columns->boxes[box]);
    for (int v = r.first[1]; v <= r.last[1]; ++v) {
        for (int u = r.first[0]; u <= r.last[0]; ++u) {
            int column = v * columns->column_counts[0] + u;
            int32_t place = starts[column]++;
            columns->entries[place] = box;
            columns->places[place] = column;
        }
    }
}

static void count_columns(const dr_columns* columns, int column_count, int32_t* starts)
{
    for (int k = 0; k < columns->box_count; ++k) {
        reach r = find_reach(columns, &columns->boxes[k]);
        for (int v = r.first[1]; v <= r.last[1]; ++v) {
            for (int u = r.first[0]; u <= r.last[0]; ++u) {
                ++starts[v * columns->column_counts[0] + u];
            }
        }
    }
    int32_t sum = 0;
    for (int column = 0; column < column_count; ++column) {
        int32_t here = starts[column];
        starts[column] = sum;
        sum += here;
    }
}

bool dr_columns_build(dr_columns* columns, dr_memory* memory)
{
    columns->entries = NULL;
    columns->places = NULL;
    columns->entry_count = 0;
    if (columns->box_count == 0) {
        return true;
    }
    turn(columns);
    choose_grid(columns);
    int column_count = columns->column_counts[0] * columns->column_counts[1];
    int32_t* order = dr_new(memory, int32_t, columns->box_count);
    int32_t* starts = dr_new_zeroed(memory, int32_t, column_count);
    columns->entries = dr_new(memory, int32_t, columns->entry_count);
    columns->places = dr_new(memory, int32_t, columns->entry_count);
    bool is_built = order != NULL && starts != NULL && columns->entries != NULL &&
                    columns->places != NULL && sort_boxes(columns, memory, order);
    if (is_built) {
        count_columns(columns, column_count, starts);
        for (int k = 0; k < columns->box_count; ++k) {
            enter(columns, order[k], starts);
        }
    }
    dr_delete(memory, order, columns->box_count);
    dr_delete(memory, starts, column_count);
    return is_built;
}

void dr_columns_free(dr_columns* columns, dr_memory* memory)
{
    dr_delete(memory, columns->entries, columns->entry_count);
    dr_delete(memory, columns->places, columns->entry_count);
    columns->entries = NULL;
    columns->places = NULL;
}
