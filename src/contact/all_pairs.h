// contact/all_pairs.h: boxes against boxes without a tree, eight at a time.
//
// Every box of one list is compared with every box of another, or of the same list after it. This
// is the search that hierarchies are measured by, and the truth that they are tested with: it costs
// n^2, but nothing can be forgotten.
#ifndef DR_ALL_PAIRS_H
#define DR_ALL_PAIRS_H

#include "collide/tree_pairs.h"
#include "contact/near.h"

// Boxes of features of up to three corners, as reaches (collide/tree.h): row r of box i is
// rows[r * step + i].
typedef struct dr_box_list {
    int32_t* corner[3]; // vertices; room for eight more
    int corner_count;
    float* rows;
    int step, count;
} dr_box_list;

// Vertices of the features, `corner_count` each. False when memory is short; free it all the same.
bool dr_box_list_create(dr_box_list* list, dr_memory* memory, const int32_t* corners,
                        int corner_count, int count);
void dr_box_list_free(dr_box_list* list, dr_memory* memory);
void dr_box_list_refit(dr_box_list* list, dr_pool* pool, const dr_motion* motion, drape_isa isa);

// Which pairs count. Called from any thread.
typedef bool dr_keep_fn(const void* context, int one, int other);

// `dr_all_pairs all = {0}` is ready. One that has found its size makes no more heap calls.
typedef struct dr_all_pairs {
    dr_array pairs; // dr_pair of the last search, by one, then by other
    int64_t box_tests;

    // Scratch: each chunk of the search has a slice of its own.
    dr_array slices, counts;
    int slice;
} dr_all_pairs;

// Touching boxes count as meeting. When both lists are the same one, each pair is found once, the
// lower number first. False when memory is short.
bool dr_all_pairs_run(dr_all_pairs* all, dr_memory* memory, dr_pool* pool, drape_isa isa,
                      const dr_box_list* ones, const dr_box_list* others, dr_keep_fn* keep,
                      const void* context);
void dr_all_pairs_free(dr_all_pairs* all, dr_memory* memory);

// One with those of the near triangles in some groups whose boxes meet; `out` has room for eight
// per group. Returns how many there are.
int dr_box_list_meet_groups(const dr_box_list* list, drape_isa isa, int one,
                            const dr_near_group* groups, int count, dr_pair* out);

// --- For kernels ---

typedef struct dr_all_pairs_kernels {
    // Numbers in [begin, end) of the boxes that meet one box, written to `out`, which has room for
    // all of them. Returns how many there are.
    int (*row)(const dr_box_list* others, int begin, int end, const dr_box_list* ones, int one,
               int32_t* out);
    int (*groups)(const dr_box_list* list, int one, const dr_near_group* groups, int count,
                  dr_pair* out);
} dr_all_pairs_kernels;

#endif
