// contact/near.h: which triangles of a cloth are too close in the sheet to be told apart by boxes.
//
// Boxes of neighbouring triangles overlap in almost every pose, so rules about boxes would forbid
// ordinary bending. Two triangles of one cloth are *near* within a ring R when some vertex of one
// is at most R from some vertex of the other:
//
//     on a grid      in columns and in rows, whichever differ more
//     on a mesh      in edges
//
// R = 0 are the incident ones, which have a vertex in common. Triangles of different cloths are
// never near. The lists are made once, for the cloth is never cut.
#ifndef DR_NEAR_H
#define DR_NEAR_H

#include "contact/sheets.h"

// Eight triangles in a row, of which those in the mask are near.
typedef struct dr_near_group {
    int32_t first;
    uint8_t mask;
} dr_near_group;

typedef struct dr_near {
    int32_t* start;       // of each triangle's list, one more than there are triangles
    dr_array list;        // int32_t: near triangles of higher number, ascending
    int32_t* group_start; // likewise
    dr_array groups;      // dr_near_group: the same lists, for kernels
    int triangle_count;
} dr_near;

// False when memory is short; free it then all the same.
bool dr_near_create(dr_near* near, dr_memory* memory, const dr_sheets* sheets, int ring);
void dr_near_free(dr_near* near, dr_memory* memory);

// The near triangles of higher number.
static inline const int32_t* dr_near_of(const dr_near* near, int triangle, int* count)
{
    *count = near->start[triangle + 1] - near->start[triangle];
    return (const int32_t*)near->list.data + near->start[triangle];
}

// Whether a and b, the lower first, are near each other.
static inline bool dr_near_has(const dr_near* near, int a, int b)
{
    const int32_t* list = near->list.data;
    int begin = near->start[a], end = near->start[a + 1];
    while (begin < end) {
        int middle = begin + (end - begin) / 2;
        if (list[middle] < b) {
            begin = middle + 1;
        } else {
            end = middle;
        }
    }
    return begin < near->start[a + 1] && list[begin] == b;
}

#endif
