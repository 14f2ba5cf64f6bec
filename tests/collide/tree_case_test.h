// tree_case_test.h: tests that run on every mesh of tree_test.h with every builder.
#ifndef TREE_CASE_TEST_H
#define TREE_CASE_TEST_H

#include "tree_test.h"

enum { case_count = builder_count * test_cloth_count };

static dr_memory memory;
static test_cloth cloth;
static dr_tree tree;

static inline void set_case(int test)
{
    dr_memory_init(&memory, NULL);
    cloth = cloth_make(&memory, test / builder_count);
    tree = tree_of(&memory, &cloth, test_builders[test % builder_count].plan, DRAPE_ISA_AUTO);
}

// Also of a cloth and a tree that a test has made by itself.
static inline void clear_case(void)
{
    dr_tree_free(&tree, &memory);
    cloth_free(&cloth, &memory);
    ck_assert_uint_eq(memory.live_bytes, 0);
}

#endif
