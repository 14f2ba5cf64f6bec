#include "plot_axis.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Numbers from here on lose a power of a thousand, or are written as powers of ten.
#define LARGE 1e6
#define SMALL 1e-3
// A logarithmic axis that does not end at ticks goes on by this share beyond its values.
#define LOG_EDGE 0.03

// --- Numbers ---

// Adds ten to a power behind what is there.
static void add_power(char text[CLI_TICK_SIZE], int exponent)
{
    static const char* const raised[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    char digits[12];
    snprintf(digits, sizeof digits, "%d", exponent);
    strcat(text, "10");
    for (const char* at = digits; *at != '\0'; ++at) {
        strcat(text, *at == '-' ? "⁻" : raised[*at - '0']);
    }
}

void cli_power_write(char text[CLI_TICK_SIZE], int exponent)
{
    text[0] = '\0';
    add_power(text, exponent);
}

// Puts commas between the thousands of a plain number.
static void group_digits(char text[CLI_TICK_SIZE])
{
    char* start = text + (text[0] == '-' ? 1 : 0);
    for (int i = (int)strcspn(start, ".") - 3; i > 0; i -= 3) {
        memmove(start + i + 1, start + i, strlen(start + i) + 1);
        start[i] = ',';
    }
}

static void write_fixed(char text[CLI_TICK_SIZE], double value, int decimals)
{
    // No minus in front of nothing.
    value = fabs(value) < 0.5 * pow(10.0, -decimals) ? 0.0 : value;
    snprintf(text, CLI_TICK_SIZE, "%.*f", decimals, value);
    group_digits(text);
}

// The power of ten of a number above zero, as it is after rounding to some digits.
static int exponent_of(double value, int digits)
{
    char text[64];
    snprintf(text, sizeof text, "%.*e", digits - 1, value);
    int exponent = 0;
    sscanf(strchr(text, 'e') + 1, "%d", &exponent);
    return exponent;
}

void cli_number_write(char text[CLI_TICK_SIZE], double value, int digits)
{
    double size = fabs(value);
    int exponent = size > 0.0 ? exponent_of(size, digits) : 0;
    if (exponent >= 7 || exponent < -3) {
        snprintf(text, CLI_TICK_SIZE, "%.*g×", digits, value / pow(10.0, exponent));
        text[0] = strcmp(text, "1×") == 0 ? '\0' : text[0];
        add_power(text, exponent);
        return;
    }
    int decimals = digits - 1 - exponent;
    write_fixed(text, value, decimals > 0 ? decimals : 0);
    if (strchr(text, '.') != NULL) {
        char* end = text + strlen(text);
        while (end[-1] == '0') {
            *--end = '\0';
        }
        end[-1] = end[-1] == '.' ? '\0' : end[-1];
    }
}

// --- Plain axes ---

// The round number at or above a size: 1, 2 or 5 times a power of ten.
static double round_step(double size)
{
    double power = pow(10.0, floor(log10(size)));
    double part = size / power;
    // What is a hair above comes from rounding.
    double round = part <= 1.0 + 1e-9   ? 1.0
                   : part <= 2.0 + 1e-9 ? 2.0
                   : part <= 5.0 + 1e-9 ? 5.0
                                        : 10.0;
    return round * power;
}

// Zero belongs to the axis unless that would squeeze the lines into a part of it.
static void include_zero(cli_axis* axis, double share)
{
    double span = axis->high - axis->low;
    double size = fmax(fabs(axis->low), fabs(axis->high));
    bool is_flat = span <= 1e-6 * size;
    if (axis->low > 0.0 && (is_flat || axis->low <= share * axis->high)) {
        axis->low = 0.0;
    } else if (axis->high < 0.0 && (is_flat || axis->high >= share * axis->low)) {
        axis->high = 0.0;
    } else if (size == 0.0) {
        axis->high = 1.0;
    }
}

static void choose_exponent(cli_axis* axis)
{
    double size = fmax(fabs(axis->low), fabs(axis->high));
    if (size >= LARGE || size < SMALL) {
        axis->exponent = 3 * (int)floor(exponent_of(size, 2) / 3.0);
    }
}

static void add_plain_ticks(cli_axis* axis, double step)
{
    double unit = pow(10.0, axis->exponent);
    int decimals = (int)ceil(-log10(step / unit) - 1e-9);
    decimals = decimals < 0 ? 0 : decimals > 12 ? 12 : decimals;
    double first = ceil(axis->low / step - 1e-6);
    for (int i = 0; i < CLI_TICKS_MAX; ++i) {
        double tick = (first + i) * step;
        if (tick > axis->high + 1e-6 * step) {
            break;
        }
        axis->ticks[axis->tick_count] = tick;
        write_fixed(axis->labels[axis->tick_count++], tick / unit, decimals);
    }
}

static void choose_plain(cli_axis* axis, const cli_axis_order* order)
{
    include_zero(axis, order->is_rounded ? 0.7 : 0.1);
    double step = round_step((axis->high - axis->low) / order->tick_goal);
    step = order->is_whole && step < 1.0 ? 1.0 : step;
    if (order->is_rounded) {
        axis->low = step * floor(axis->low / step + 1e-6);
        axis->high = step * ceil(axis->high / step - 1e-6);
    }
    choose_exponent(axis);
    add_plain_ticks(axis, step);
}

// --- Logarithmic axes ---

// The nearest of 1, 2, 5 times powers of ten at or below a value, or at or above it.
static double round_down(double value)
{
    double power = pow(10.0, floor(log10(value) + 1e-9));
    double part = value / power;
    return power * (part >= 5.0 - 1e-6 ? 5.0 : part >= 2.0 - 1e-6 ? 2.0 : 1.0);
}

static double round_up(double value)
{
    return 1.0 / round_down(1.0 / value);
}

// Powers of ten `stride` apart, and 2 and 5 times these when `is_fine`.
static void add_log_ticks(cli_axis* axis, int stride, bool is_fine)
{
    int first = (int)floor(log10(axis->low) + 1e-9);
    int last = (int)ceil(log10(axis->high) - 1e-9);
    for (int power = first; power <= last; power += stride) {
        for (int k = 0; k < (is_fine ? 3 : 1); ++k) {
            double tick = (k == 0 ? 1.0 : k == 1 ? 2.0 : 5.0) * pow(10.0, power);
            bool is_in = tick >= axis->low * (1.0 - 1e-9) && tick <= axis->high * (1.0 + 1e-9);
            if (is_in && axis->tick_count < CLI_TICKS_MAX) {
                axis->ticks[axis->tick_count] = tick;
                cli_number_write(axis->labels[axis->tick_count++], tick, 1);
            }
        }
    }
}

// Ends at round numbers, or a little beyond the values.
static void choose_log_ends(cli_axis* axis, bool is_rounded)
{
    if (!is_rounded && axis->high >= 2.0 * axis->low) {
        double edge = pow(axis->high / axis->low, LOG_EDGE);
        axis->low /= edge;
        axis->high *= edge;
        return;
    }
    axis->low = round_down(axis->low);
    axis->high = round_up(axis->high);
    if (axis->high < 5.0 * axis->low) {
        axis->low = round_down(0.9 * axis->low);
        axis->high = round_up(1.1 * axis->high);
    }
}

static void choose_log(cli_axis* axis, const cli_axis_order* order)
{
    choose_log_ends(axis, order->is_rounded);
    double decades = log10(axis->high / axis->low);
    bool is_fine = 3.0 * decades <= order->tick_goal + 1.0;
    if (!is_fine && order->is_rounded) {
        axis->low = pow(10.0, floor(log10(axis->low) + 1e-9));
        axis->high = pow(10.0, ceil(log10(axis->high) - 1e-9));
    }
    int stride = (int)ceil(decades / order->tick_goal);
    add_log_ticks(axis, stride > 1 && !is_fine ? stride : 1, is_fine);
}

// --- The whole ---

void cli_axis_choose(cli_axis* axis, const cli_axis_order* order)
{
    *axis = (cli_axis){.low = order->low, .high = order->high, .is_log = order->is_log};
    if (!(axis->low <= axis->high)) {
        axis->low = axis->is_log ? 1.0 : 0.0;
        axis->high = axis->is_log ? 10.0 : 1.0;
    }
    if (axis->is_log) {
        choose_log(axis, order);
    } else {
        choose_plain(axis, order);
    }
}

double cli_axis_place(const cli_axis* axis, double value)
{
    if (axis->is_log) {
        return log(value / axis->low) / log(axis->high / axis->low);
    }
    return (value - axis->low) / (axis->high - axis->low);
}
