// contact/apart_untangle.h: cloth that crosses cloth, or an open mesh, is brought apart.
//
// Triangles that cross (apart_crossed.c) do so along segments, and segments that meet in an edge are
// pieces of one *curve*. A curve has two sides, the two sheets that it lies in (or two places of
// one sheet), and on each it is a path from triangle to triangle:
//
//     loop               strip                     slot
//     .---------.        .---------.               .---------.
//     |   ___   |        |_________|  from border  |______   |  from a border to
//     |  /   \  |        |         |  to border    |         |  within; the other side
//     |  \___/  |        '---------'               '---------'  likewise
//     '---------'
//
// A sheet may also go through itself from a vertex on, which both triangles of the last piece have:
// a *cusp*, where the two sides of the curve are one path.
//
// Where a curve cuts a side in two, the smaller part is on the wrong side of the other sheet, or
// the part that the author's layers say. It goes back through where it came from: at each piece of
// the curve the two triangles move against each other, along the normal of the other sheet, and the
// curve wanders over the part until it is gone. Where it cuts neither, one side is drawn along the
// curve out of the other. A path through cusps that cuts off a part means that its layers have to
// change places; where it does not, it is shortened. (After Baraff, Witkin and Kass 2003 and
// Volino and Magnenat-Thalmann 2006.)
//
// Both are *pulls*: two triangles, at the point where they meet, shall have a speed against each
// other. They act in every sweep like contacts, by masses, so that momentum is kept.
//
// Nothing is carried from substep to substep: all follows from where the vertices are.
#ifndef DR_APART_UNTANGLE_H
#define DR_APART_UNTANGLE_H

#include "core/memory.h"

// A crossed pair of triangles, with what they have in common.
typedef struct dr_tangle_piece {
    int32_t triangle[2];
    int32_t end[2];     // numbers of the piercings at its ends, -1 where there is none
    double place[2][3]; // of the ends
    int32_t curve;      // that it is a piece of
    int32_t next;       // piece of the same curve, or -1
    bool is_turned;     // triangle[1] is on the first side of the curve
    int32_t entered;    // end by which one comes to it from the beginning of the curve, or -1
    double way[3];      // where its first side is to go
} dr_tangle_piece;

// An edge of one triangle of a piece goes through the other one.
typedef struct dr_piercing {
    int32_t v[2]; // ends of the edge, ascending
    int32_t through;
    int32_t piece;
    int32_t slot;   // the edge is of triangle[slot]
    int32_t end;    // of the piece
    bool is_border; // the edge has one triangle
} dr_piercing;

typedef struct dr_tangle_curve {
    int32_t first_piece, piece_count;
    bool is_twisted;  // its two sides are one and the same
    bool is_backward; // its beginning is a border of the second side
    bool is_pushed;   // it cuts a side in two
    bool has_cusp;    // it ends in a vertex of both sides
} dr_tangle_curve;

// An edge that a curve crosses an odd number of times.
typedef struct dr_tangle_cut {
    int32_t curve, side;
    int32_t v[2];
    int32_t through; // one of the triangles
} dr_tangle_cut;

// Two triangles that shall come to move against each other.
typedef struct dr_apart_pull {
    int32_t vertex[6];
    float weight[6]; // of the point where they meet, negative on the second triangle
    float normal[3]; // that the first is to move along
    float away[3];   // the same point as seen from the two triangles at x, nearly 0
    float inverse;   // of what resists a push
    float strength;  // so many times what gets sheets at rest going is the most: a pull without
                     // bounds tears at the cloth
    float pushed;
} dr_apart_pull;

enum { DR_TANGLED_IN_SOLID = 4 };

typedef struct dr_untangle {
    dr_array pieces;    // dr_tangle_piece
    dr_array piercings; // dr_piercing, sorted
    dr_array parents;   // int32_t: scratch of joining pieces
    dr_array flips;     // uint8_t: the same
    dr_array queue;     // int32_t: pieces that a walk has reached, vertices of two floods
    dr_array curves;    // dr_tangle_curve
    dr_array cuts;      // dr_tangle_cut, sorted
    dr_array marks;     // int32_t by vertex: the flood that has reached it
    dr_array leads;     // int32_t by cloth: size of the part that others follow, or 0
    dr_array is_lead;   // uint8_t by vertex: it is in that part
    dr_array sides; // uint8_t by vertex: bit k, it is on side k of a curve and near it or behind;
                    // DR_TANGLED_IN_SOLID: of one with an open mesh that does not yield
    dr_array pulls; // dr_apart_pull
    float way;      // that a pull asks for in a substep, m; set by the caller
} dr_untangle;

typedef struct dr_apart dr_apart;

// Makes the pulls of this substep; there are none when nothing crosses. False when memory is short.
bool dr_apart_untangle(dr_apart* apart, dr_memory* memory);
// One sweep over the pulls, on y.
void dr_apart_pull_all(dr_apart* apart);
// Whether the features of a pair are on the two sides of a curve and near it, or on the wrong side:
// a contact would hold them where they must not stay.
bool dr_apart_is_tangled(const dr_apart* apart, const int32_t vertex[4], int split);
void dr_untangle_free(dr_untangle* untangle, dr_memory* memory);

// --- For the files of this module ---

// Pieces, curves and cuts from what crosses (apart_curves.c).
bool dr_apart_trace(dr_apart* apart, dr_memory* memory);
// The ways of all pieces, and `sides` of the parts behind them (apart_parts.c).
bool dr_apart_choose_ways(dr_apart* apart, dr_memory* memory);
// Not of unit length.
void dr_apart_normal(const dr_apart* apart, const int32_t triangle[3], double normal[3]);
int dr_compare_cuts(const void* left, const void* right);

#endif
