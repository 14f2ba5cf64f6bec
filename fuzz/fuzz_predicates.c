// Predicates and expansions against whole numbers of any length.
#include "collide/expansion.h"
#include "collide/predicates.h"
#include "collide/rational.h"
#include "fuzz_input.h"

// A point of the plane, or line, of the others but for rounding; then anything but for one number.
static void bend_to_plane(fuzz_input* in, double (*p)[3])
{
    double s = (fuzz_byte(in) - 128) / 32.0, t = (fuzz_byte(in) - 128) / 32.0;
    for (int k = 0; k < 3; ++k) {
        double x = p[0][k] + s * (p[1][k] - p[0][k]) + t * (p[2][k] - p[0][k]);
        p[3][k] = isfinite(x) ? x : p[0][k];
    }
    uint8_t byte = fuzz_byte(in);
    double* one = &p[byte % 4][byte / 4 % 3];
    double moved = nextafter(*one, byte & 64 ? INFINITY : -INFINITY);
    *one = byte & 128 && isfinite(moved) ? moved : *one;
}

static void check_predicates(double (*p)[3])
{
    int flat = rational_orient2d(p[0], p[1], p[2]);
    fuzz_require(dr_orient2d(p[0], p[1], p[2]) == flat, "orient2d");
    fuzz_require(dr_orient2d_exact(p[0], p[1], p[2]) == flat, "orient2d_exact");
    fuzz_require(dr_orient2d(p[1], p[0], p[2]) == -flat, "orient2d swapped");
    int side = rational_orient3d(p[0], p[1], p[2], p[3]);
    fuzz_require(dr_orient3d(p[0], p[1], p[2], p[3]) == side, "orient3d");
    fuzz_require(dr_orient3d_exact(p[0], p[1], p[2], p[3]) == side, "orient3d_exact");
    fuzz_require(dr_orient3d(p[3], p[1], p[2], p[0]) == -side, "orient3d swapped");
    fuzz_require(dr_orient3d(p[1], p[0], p[3], p[2]) == side, "orient3d swapped twice");
}

// p0.p1 - p2.p3, in expansions and in whole numbers, where the range allows it.
static void check_expansions(double (*p)[3])
{
    int shift;
    if (!dr_exact_shift(12, p[0], 2, &shift)) {
        return;
    }
    double sum[12], term[2];
    int count = 0;
    mpz_t exact, left, right;
    mpz_inits(exact, left, right, NULL);
    for (int i = 0; i < 6; ++i) {
        double a = p[i / 3 * 2][i % 3], b = p[i / 3 * 2 + 1][i % 3];
        integer_of(left, i < 3 ? a : -a);
        integer_of(right, b);
        mpz_addmul(exact, left, right);
        double x = ldexp(i < 3 ? a : -a, shift), y = ldexp(b, shift);
        count = dr_expansion_add(count, sum, dr_expansion_scale(x != 0.0, &x, y, term), term);
    }
    fuzz_require(dr_expansion_sign(count, sum) == mpz_sgn(exact), "sign of an expansion");
    double estimate = dr_expansion_estimate(count, sum);
    fuzz_require((estimate > 0.0) - (estimate < 0.0) == mpz_sgn(exact), "sign of an estimate");
    mpz_clears(exact, left, right, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t count)
{
    fuzz_input in = {bytes, count};
    uint8_t mode = fuzz_byte(&in);
    double p[4][3];
    for (int i = 0; i < 12; ++i) {
        p[i / 3][i % 3] = fuzz_double(&in, (fuzz_way)(mode % fuzz_way_count));
    }
    if (mode & 64) {
        bend_to_plane(&in, p);
    }
    check_predicates(p);
    check_expansions(p);
    return 0;
}
