// plot_axis.h: the range of an axis and its ticks, which stand at round numbers.
//
// Ticks of a plain axis are 1, 2 or 5 times a power of ten apart, those of a logarithmic one stand
// at powers of ten, and where there is room at 2 and 5 times these. Numbers that are all very large
// or very small are shown without a power of a thousand, which the label of the axis tells: ×10⁶.
#ifndef CLI_PLOT_AXIS_H
#define CLI_PLOT_AXIS_H

#include <stdbool.h>

#define CLI_TICKS_MAX 64
#define CLI_TICK_SIZE 32

typedef struct cli_axis {
    double low, high;
    bool is_log;
    int exponent; // labels are values over ten to this power
    int tick_count;
    double ticks[CLI_TICKS_MAX];
    char labels[CLI_TICKS_MAX][CLI_TICK_SIZE];
} cli_axis;

// What an axis is to show.
typedef struct cli_axis_order {
    double low, high; // of the values; not above each other when there are none
    bool is_log;      // values are above 0
    bool is_whole;    // counts: no ticks between whole numbers
    bool is_rounded;  // ends at ticks
    int tick_goal;    // about as many as there is room for
} cli_axis_order;

void cli_axis_choose(cli_axis* axis, const cli_axis_order* order);
// Where a value lies: 0 at the low end, 1 at the high one.
double cli_axis_place(const cli_axis* axis, double value);
// A number as in labels: at most `digits` that count, 12,500, 0.25, 3×10⁷.
void cli_number_write(char text[CLI_TICK_SIZE], double value, int digits);
// A power of ten as letters above the line: 10⁻³.
void cli_power_write(char text[CLI_TICK_SIZE], int exponent);

#endif
