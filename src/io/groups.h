// io/groups.h: the named sets of vertices of an OBJ file.
//
// While faces are read, every name in force covers a span of triangles. At the end the spans of
// each name are joined and their vertices collected, so that files with many groups cost no more
// than those with few.
#ifndef DR_GROUPS_H
#define DR_GROUPS_H

#include "io/list.h"

#include <drape/io.h>

// The most names that one face may have; without a bound, a small file could ask for large memory.
#define DR_GROUPS_PER_FACE 32

// Letters of the file, which must outlive the groups.
typedef struct dr_group_name {
    const char* letters;
    size_t length;
} dr_group_name;

// Starts as {0}.
typedef struct dr_groups {
    dr_group_name names[DR_GROUPS_PER_FACE]; // in force: groups
    int name_count;
    dr_group_name object; // in force: the object; length 0: none
    int32_t first;        // triangle since which they are
    dr_list spans;
} dr_groups;

// Ends what was in force before `triangle_count`. False when memory is short.
bool dr_groups_close(dr_groups* groups, int32_t triangle_count);
// Fills in the groups of `mesh`, sorted by name, from its triangles. False when memory is short.
bool dr_groups_collect(dr_groups* groups, drape_mesh_data* mesh);
void dr_groups_free(dr_groups* groups);

#endif
