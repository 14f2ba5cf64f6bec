// What of a grid runs when: phases one after the other, their items beside each other.
//
// Chains across are cut in two halves of rows, each eliminated from its border inwards, so that two
// workers keep half of the rows each in their caches. A round of workers costs something too: on
// small grids a half is one item that does all it can without the other half, in four rounds a
// sweep. On large ones the columns are cut as well, for more workers, which takes seven.
#include "solver/xpbd.h"
#include "solver/xpbd_grid.h"

enum { family_count = 3 }; // of chains across

// How far a chain of each family moves sideways per row.
static const int shifts[family_count] = {0, 1, -1};

static bool is_small(const struct dr_xpbd_grid* grid)
{
    return dr_grid_column_groups(grid) <= 4;
}

int dr_grid_phase_count(const struct dr_xpbd_grid* grid, int stage)
{
    if (stage == DR_XPBD_BEND) {
        return 2;
    }
    return grid->rows == 1 ? 1 : is_small(grid) ? 1 + family_count : 1 + 2 * family_count;
}

int dr_grid_item_count(const struct dr_xpbd_grid* grid, int stage, int phase)
{
    if (stage == DR_XPBD_BEND) {
        return phase == 0 ? dr_grid_row_groups(grid) : dr_grid_column_groups(grid);
    }
    if (is_small(grid)) {
        // Rows that are turned together are not parted.
        return dr_grid_row_groups(grid) > 1 ? 2 : 1;
    }
    return phase == 0 ? dr_grid_row_groups(grid) : 2 * dr_grid_column_groups(grid);
}

// One item of the schedule with what it needs to run.
typedef struct grid_run {
    const struct dr_xpbd_grid* grid;
    const dr_grid_kernels* kernels;
    dr_grid_sweep sweep;
    float* scratch;
} grid_run;

static void run_along(const grid_run* run, int half)
{
    int middle = (dr_grid_middle(run->grid) + 7) / 8, last = dr_grid_row_groups(run->grid);
    int begin = half == 0 ? 0 : middle, end = half == 0 ? middle : last;
    for (int group = begin; group < end; ++group) {
        run->kernels->along(run->grid, group, run->sweep, run->scratch);
    }
}

// Along, then the three families: what ends with one half and what begins.
static void run_half(const grid_run* run, int phase, int half)
{
    const struct dr_xpbd_grid* grid = run->grid;
    int groups = dr_grid_column_groups(grid);
    if (phase == 0) {
        run_along(run, half);
    } else {
        for (int group = 0; group < groups; ++group) {
            run->kernels->substitute(grid, shifts[phase - 1], half, group, run->sweep);
        }
    }
    for (int group = 0; phase < family_count && group < groups; ++group) {
        run->kernels->eliminate(grid, shifts[phase], half, group, run->sweep);
    }
}

static void run_part(const grid_run* run, int phase, int item)
{
    const struct dr_xpbd_grid* grid = run->grid;
    int groups = dr_grid_column_groups(grid), half = item / groups, group = item % groups;
    if (phase == 0) {
        run->kernels->along(grid, item, run->sweep, run->scratch);
    } else if (phase % 2 == 1) {
        run->kernels->eliminate(grid, shifts[phase / 2], half, group, run->sweep);
    } else {
        run->kernels->substitute(grid, shifts[phase / 2 - 1], half, group, run->sweep);
    }
}

void dr_grid_run(const struct dr_xpbd_grid* grid, drape_isa isa, dr_grid_item item,
                 dr_xpbd_sweep sweep, float* scratch)
{
    const dr_grid_kernels* kernels = dr_grid_kernels_for(isa);
    dr_grid_sweep at = {sweep.index == 0, sweep.index == sweep.count - 1};
    grid_run run = {grid, kernels, at, scratch};
    if (item.stage == DR_XPBD_BEND) {
        if (item.phase == 0) {
            kernels->twist_cells(grid, item.index);
        } else {
            kernels->bend_across(grid, item.index, scratch);
        }
    } else if (grid->rows == 1) {
        kernels->along(grid, 0, at, scratch);
    } else if (is_small(grid)) {
        run_half(&run, item.phase, item.index);
        if (dr_grid_row_groups(grid) == 1) {
            run_half(&run, item.phase, 1);
        }
    } else {
        run_part(&run, item.phase, item.index);
    }
}
