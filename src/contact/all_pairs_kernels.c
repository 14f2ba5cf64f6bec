// One box against many, compiled once per instruction set.
#include "collide/tree_lanes.h"
#include "contact/all_pairs.h"

static int row(const dr_box_list* others, int begin, int end, const dr_box_list* ones, int one,
               int32_t* out)
{
    dr_box_at box = {ones->rows + one, ones->step};
    int count = 0;
    for (int j = begin & ~7; j < end; j += 8) {
        int bits = dr_meet_eight(others->rows + j, others->step, box);
        if (!bits) {
            continue;
        }
        bits &= j < begin ? -(1 << (begin - j)) : -1;
        bits &= end - j < 8 ? (1 << (end - j)) - 1 : 0xff;
        for (; bits; bits &= bits - 1) {
            out[count++] = j + dr_lowest_bit(bits);
        }
    }
    return count;
}

static int groups(const dr_box_list* list, int one, const dr_near_group* group, int group_count,
                  dr_pair* out)
{
    dr_box_at box = {list->rows + one, list->step};
    int count = 0;
    for (int i = 0; i < group_count; ++i) {
        int bits = dr_meet_eight(list->rows + group[i].first, list->step, box) & group[i].mask;
        for (; bits; bits &= bits - 1) {
            out[count++] = (dr_pair){one, group[i].first + dr_lowest_bit(bits)};
        }
    }
    return count;
}

const dr_all_pairs_kernels DR_KERNEL(dr_all_pairs_kernels);
const dr_all_pairs_kernels DR_KERNEL(dr_all_pairs_kernels) = {row, groups};
