#include "collide/ccd.h"

#include <math.h>

#include "collide/ccd_stages.h"

static const dr_ccd_polygon triangle = {3, {1, 2, 3}, {0, 0, 0}};
static const dr_ccd_polygon parallelogram = {4, {0, 0, 1, 1}, {2, 3, 3, 2}};

static bool is_finite(const dr_ccd_motion* motion)
{
    double sum[3] = {0.0, 0.0, 0.0};
    for (int i = 0; i < 4; ++i) {
        for (int k = 0; k < 3; ++k) {
            sum[k] += 0.0 * motion->start[i][k] + 0.0 * motion->end[i][k];
        }
    }
    return sum[0] + sum[1] + sum[2] == 0.0;
}

static void take_corners(const dr_ccd_polygon* polygon, const dr_ccd_motion* motion,
                         dr_ccd_corners* corners)
{
    corners->count = polygon->count;
    for (int i = 0; i < polygon->count; ++i) {
        int a = polygon->first[i], b = polygon->second[i];
        for (int k = 0; k < 3; ++k) {
            corners->at[0][i][k] = motion->start[a][k] - motion->start[b][k];
            corners->at[1][i][k] = motion->end[a][k] - motion->end[b][k];
        }
    }
}

// Stage 1: along some axis all corners are on one side of the origin, and further than s. Rounding
// keeps order: a difference that is at most s is not above it when rounded either.
static bool is_beside_axis(dr_ccd_corners* corners, double s)
{
    for (int k = 0; k < 3; ++k) {
        double least = INFINITY, most = -INFINITY;
        for (int i = 0; i < corners->count; ++i) {
            double start = corners->at[0][i][k], end = corners->at[1][i][k];
            double low = start < end ? start : end, high = start < end ? end : start;
            least = low < least ? low : least;
            most = high > most ? high : most;
        }
        if (least > s || most < -s) {
            return true;
        }
        corners->reach[k] = most > -least ? most : -least;
    }
    return false;
}

static bool is_in_range(const double reach[3])
{
    bool is_good = true;
    for (int k = 0; k < 3; ++k) {
        is_good = is_good && (reach[k] == 0.0 || (reach[k] > 0x1p-320 && reach[k] < 0x1p320));
    }
    return is_good;
}

static dr_ccd_result touch(const dr_ccd_polygon* polygon, const dr_ccd_motion* motion,
                           const dr_ccd_corners* corners)
{
    if (is_in_range(corners->reach)) {
        double low, high, time;
        dr_ccd_verdict verdict = dr_ccd_roots(corners, &low, &high);
        if (verdict == DR_CCD_NONE) {
            return dr_ccd_none();
        }
        if (verdict == DR_CCD_CONTACT && dr_ccd_time(polygon, motion, corners, low, high, &time)) {
            return dr_ccd_at(time);
        }
    }
    return dr_ccd_exact(polygon, motion);
}

static dr_ccd_result detect(const dr_ccd_polygon* polygon, const dr_ccd_motion* motion,
                            double separation)
{
    // Nothing is known of points that are nowhere.
    if (!is_finite(motion) || !(separation >= 0.0)) {
        return dr_ccd_at(0.0);
    }
    dr_ccd_corners corners;
    take_corners(polygon, motion, &corners);
    if (is_beside_axis(&corners, separation)) {
        return dr_ccd_none();
    }
    return separation > 0.0 ? dr_ccd_apart(&corners, separation) : touch(polygon, motion, &corners);
}

dr_ccd_result dr_ccd_point_triangle(const dr_ccd_motion* motion, double separation)
{
    return detect(&triangle, motion, separation);
}

dr_ccd_result dr_ccd_edge_edge(const dr_ccd_motion* motion, double separation)
{
    return detect(&parallelogram, motion, separation);
}
