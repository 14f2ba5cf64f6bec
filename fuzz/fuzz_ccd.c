// Continuous collision against rational arithmetic: the same answer and the same time.
#include "collide/ccd.h"
#include "collide/exact_ccd.h"
#include "fuzz_input.h"

static double* coordinate(dr_ccd_motion* motion, int index)
{
    return index < 12 ? &motion->start[index / 3][index % 3]
                      : &motion->end[index / 3 - 4][index % 3];
}

// Raw numbers keep their digits and a little of their size: the rational arithmetic takes seconds
// for numbers of all sizes.
static double bounded(double value, int most)
{
    int exponent;
    double part = frexp(value, &exponent);
    return ldexp(part, exponent % most);
}

// From the largest number to the last bit of the smallest, along the worst axis.
static int spread_of(dr_ccd_motion* motion)
{
    int worst = 0;
    for (int axis = 0; axis < 3; ++axis) {
        int low = 2000, high = -2000;
        for (int i = axis; i < 24; i += 3) {
            int exponent;
            frexp(*coordinate(motion, i), &exponent);
            bool is_zero = *coordinate(motion, i) == 0.0;
            low = !is_zero && exponent - 53 < low ? exponent - 53 : low;
            high = !is_zero && exponent > high ? exponent : high;
        }
        worst = high - low > worst ? high - low : worst;
    }
    return worst;
}

// Points at rest, moves along one axis, all in one plane, all on one line.
static void make_special(dr_ccd_motion* motion, uint8_t how)
{
    for (int i = 0; i < 24; ++i) {
        int axis = i % 3;
        double* x = coordinate(motion, i);
        double start = motion->start[i / 3 % 4][axis];
        *x = how & 1 && i >= 12 && axis != 1 ? start : *x;
        *x = how & 2 && axis == 2 ? 1.0 : *x;
        *x = how & 4 && axis == 1 ? *coordinate(motion, i - 1) : *x;
        *x = how & 8 && i >= 12 && (how >> 4 >> (i / 3 % 4) & 1) ? start : *x;
    }
}

static void check(const dr_ccd_motion* motion, bool is_edges, bool is_wide)
{
    dr_ccd_result wanted =
        is_edges ? exact_ccd_edge_edge(motion) : exact_ccd_point_triangle(motion);
    dr_ccd_result found =
        is_edges ? dr_ccd_edge_edge(motion, 0.0) : dr_ccd_point_triangle(motion, 0.0);
    bool is_same = found.is_hit == wanted.is_hit && found.toi == wanted.toi;
    fuzz_require(is_same || (is_wide && found.is_hit && found.toi == 0.0), "contact");
    // Those that touch come near before.
    dr_ccd_result near =
        is_edges ? dr_ccd_edge_edge(motion, 0.01) : dr_ccd_point_triangle(motion, 0.01);
    fuzz_require(!wanted.is_hit || (near.is_hit && near.toi <= wanted.toi), "separation");
}

int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t count)
{
    fuzz_input in = {bytes, count};
    uint8_t mode = fuzz_byte(&in), how = fuzz_byte(&in);
    dr_ccd_motion motion;
    for (int i = 0; i < 24; ++i) {
        double value = fuzz_double(&in, (fuzz_way)(mode % fuzz_way_count));
        *coordinate(&motion, i) = bounded(value, mode & 32 ? 100 : 10);
    }
    if (mode & 64) {
        make_special(&motion, how);
    }
    check(&motion, mode & 128, spread_of(&motion) > 400);
    return 0;
}
