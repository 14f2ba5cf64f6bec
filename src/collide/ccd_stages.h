// collide/ccd_stages.h: what the stages of collide/ccd.h hand to one another.
#ifndef DR_CCD_STAGES_H
#define DR_CCD_STAGES_H

#include "collide/ccd.h"

// Which differences are the corners of the polygon: point first[i] - point second[i]. Going round,
// so that corner 3 of a parallelogram is P0 - P1 + P2.
typedef struct dr_ccd_polygon {
    int count; // 3 or 4
    unsigned char first[4], second[4];
} dr_ccd_polygon;

// The corners in doubles, each rounded once.
typedef struct dr_ccd_corners {
    int count;
    double at[2][4][3]; // start and end
    double reach[3];    // largest magnitude along each axis
} dr_ccd_corners;

typedef enum dr_ccd_verdict { DR_CCD_NONE, DR_CCD_CONTACT, DR_CCD_OPEN } dr_ccd_verdict;

static inline dr_ccd_result dr_ccd_none(void)
{
    return (dr_ccd_result){false, -1.0};
}

static inline dr_ccd_result dr_ccd_at(double toi)
{
    return (dr_ccd_result){true, toi};
}

// Stage 2: contact is certain, or certain not to be, or open. With contact, `low` and `high`
// enclose its time, the only root of f there. Each reach must be zero or from 2^-320 to 2^320.
dr_ccd_verdict dr_ccd_roots(const dr_ccd_corners* corners, double* low, double* high);
// Stage 3: the largest double not above the root that `low` and `high` enclose. False when twice
// the digits do not tell.
bool dr_ccd_time(const dr_ccd_polygon* polygon, const dr_ccd_motion* motion,
                 const dr_ccd_corners* corners, double low, double high, double* time);
// Stage 4: exact, for finite points.
dr_ccd_result dr_ccd_exact(const dr_ccd_polygon* polygon, const dr_ccd_motion* motion);

// With a separation > 0.
dr_ccd_result dr_ccd_apart(const dr_ccd_corners* corners, double separation);

#endif
