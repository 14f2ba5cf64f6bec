// io/list.h: arrays that grow while a file is read.
#ifndef DR_LIST_H
#define DR_LIST_H

#include <stdint.h>
#include <stdlib.h>

// Elements of one size, known to whoever uses it. Starts as {0}.
typedef struct dr_list {
    void* data;
    size_t count;
    size_t capacity;
} dr_list;

// Room for `count` more elements at the end, counted at once; null when memory is short, and the
// list is then as it was.
static inline void* dr_list_push(dr_list* list, size_t count, size_t element_size)
{
    if (count > list->capacity - list->count) {
        if (count > SIZE_MAX / 4 / element_size - list->count) {
            return NULL;
        }
        size_t capacity = list->count + count + list->capacity / 2 + 16;
        void* data = realloc(list->data, capacity * element_size);
        if (data == NULL) {
            return NULL;
        }
        list->data = data;
        list->capacity = capacity;
    }
    char* place = (char*)list->data + list->count * element_size;
    list->count += count;
    return place;
}

// The array itself, cut to its length; the list is empty afterwards.
static inline void* dr_list_take(dr_list* list, size_t element_size)
{
    void* data = list->data;
    if (list->count > 0) {
        void* fitted = realloc(data, list->count * element_size);
        data = fitted != NULL ? fitted : data;
    }
    *list = (dr_list){0};
    return data;
}

static inline void dr_list_free(dr_list* list)
{
    free(list->data);
    *list = (dr_list){0};
}

#endif
