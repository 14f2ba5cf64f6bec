// make_character: writes the scene of the walking figure.
//
//     make_character > scenes/character.json
//
// A figure of twelve capsules hangs together by joints. It stands for half a second, walks for
// three, then jumps, kicks, bends and turns as fast as anyone could. Every capsule gets one key a
// frame, so the scene needs no skeleton. The clothes come from make_garments: a tunic, a belt over
// it, and a cape. They are held near the pose they begin in, which rides on the figure.
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "tunic.h"

typedef struct vec {
    double x, y, z;
} vec;

typedef struct matrix {
    double m[3][3];
} matrix;

// Where a part stands and how it is turned.
typedef struct frame {
    vec origin;
    matrix turn;
} frame;

static double radians(double degrees)
{
    return degrees * 0.017453292519943295;
}

static matrix multiply(matrix a, matrix b)
{
    matrix c;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            c.m[i][j] = a.m[i][0] * b.m[0][j] + a.m[i][1] * b.m[1][j] + a.m[i][2] * b.m[2][j];
        }
    }
    return c;
}

// About x, then y, then z, in degrees: the order of scene files.
static matrix turn(double x, double y, double z)
{
    double sx = sin(radians(x)), cx = cos(radians(x));
    double sy = sin(radians(y)), cy = cos(radians(y));
    double sz = sin(radians(z)), cz = cos(radians(z));
    matrix about_x = {{{1, 0, 0}, {0, cx, -sx}, {0, sx, cx}}};
    matrix about_y = {{{cy, 0, sy}, {0, 1, 0}, {-sy, 0, cy}}};
    matrix about_z = {{{cz, -sz, 0}, {sz, cz, 0}, {0, 0, 1}}};
    return multiply(about_z, multiply(about_y, about_x));
}

// A part joined to another at a place in the other's frame.
static frame joint(frame parent, vec place, matrix local)
{
    const double(*m)[3] = (const double(*)[3])parent.turn.m;
    vec origin = {
        parent.origin.x + m[0][0] * place.x + m[0][1] * place.y + m[0][2] * place.z,
        parent.origin.y + m[1][0] * place.x + m[1][1] * place.y + m[1][2] * place.z,
        parent.origin.z + m[2][0] * place.x + m[2][1] * place.y + m[2][2] * place.z,
    };
    return (frame){origin, multiply(parent.turn, local)};
}

// --- The figure ---

enum {
    PELVIS,
    ABDOMEN,
    CHEST,
    HEAD,
    LEFT_ARM,
    LEFT_FOREARM,
    RIGHT_ARM,
    RIGHT_FOREARM,
    LEFT_THIGH,
    LEFT_SHIN,
    RIGHT_THIGH,
    RIGHT_SHIN,
    PART_COUNT,
};

// A capsule in its own frame; limbs hang down from their joint.
typedef struct part {
    const char* name;
    vec from, to;
    double radius_from, radius_to;
} part;

static const part parts[PART_COUNT] = {
    {"pelvis", {-0.08, 0, 0}, {0.08, 0, 0}, 0.13, 0.13},
    {"abdomen", {0, 0, 0}, {0, 0.22, 0}, 0.125, 0.12},
    {"chest", {-0.09, 0.1, 0}, {0.09, 0.1, 0}, 0.125, 0.125},
    {"head", {0, 0.03, 0}, {0, 0.15, 0.02}, 0.08, 0.1},
    {"left-arm", {0, -0.28, 0}, {0, 0, 0}, 0.04, 0.05},
    {"left-forearm", {0, -0.26, 0}, {0, 0, 0}, 0.035, 0.04},
    {"right-arm", {0, -0.28, 0}, {0, 0, 0}, 0.04, 0.05},
    {"right-forearm", {0, -0.26, 0}, {0, 0, 0}, 0.035, 0.04},
    {"left-thigh", {0, -0.42, 0}, {0, 0, 0}, 0.06, 0.085},
    {"left-shin", {0, -0.42, 0}, {0, 0, 0}, 0.045, 0.06},
    {"right-thigh", {0, -0.42, 0}, {0, 0, 0}, 0.06, 0.085},
    {"right-shin", {0, -0.42, 0}, {0, 0, 0}, 0.045, 0.06},
};

// The angles of a pose, in degrees.
typedef struct pose {
    vec pelvis;
    double pitch, yaw, roll; // of the pelvis
    double lean, twist;      // of the chest against the pelvis
    double arm_lift;         // to the side
    double arm_swing[2];     // left, right; backward is positive
    double elbow[2];
    double leg_spread;
    double leg_swing[2];
    double knee[2];
} pose;

static void set_arm(frame parts_at[PART_COUNT], const pose* p, int side)
{
    double sign = side == 0 ? -1.0 : 1.0;
    int arm = side == 0 ? LEFT_ARM : RIGHT_ARM;
    matrix lift = multiply(turn(0, 0, sign * p->arm_lift), turn(p->arm_swing[side], 0, 0));
    parts_at[arm] = joint(parts_at[CHEST], (vec){sign * 0.2, 0.17, 0}, lift);
    parts_at[arm + 1] = joint(parts_at[arm], (vec){0, -0.28, 0}, turn(-p->elbow[side], 0, 0));
}

static void set_leg(frame parts_at[PART_COUNT], const pose* p, int side)
{
    double sign = side == 0 ? -1.0 : 1.0;
    int thigh = side == 0 ? LEFT_THIGH : RIGHT_THIGH;
    matrix spread = multiply(turn(0, 0, sign * p->leg_spread), turn(p->leg_swing[side], 0, 0));
    parts_at[thigh] = joint(parts_at[PELVIS], (vec){sign * 0.1, -0.05, 0}, spread);
    parts_at[thigh + 1] = joint(parts_at[thigh], (vec){0, -0.42, 0}, turn(p->knee[side], 0, 0));
}

static void set_figure(frame parts_at[PART_COUNT], const pose* p)
{
    parts_at[PELVIS] = (frame){p->pelvis, turn(p->pitch, p->yaw, p->roll)};
    parts_at[ABDOMEN] =
        joint(parts_at[PELVIS], (vec){0, 0.05, 0}, turn(0.3 * p->lean, 0.2 * p->twist, 0));
    parts_at[CHEST] =
        joint(parts_at[ABDOMEN], (vec){0, 0.22, 0}, turn(0.7 * p->lean, 0.8 * p->twist, 0));
    parts_at[HEAD] = joint(parts_at[CHEST], (vec){0, 0.27, 0}, turn(-0.5 * p->lean, 0, 0));
    for (int side = 0; side < 2; ++side) {
        set_arm(parts_at, p, side);
        set_leg(parts_at, p, side);
    }
}

// --- The motion ---

// 0 before `from`, 1 after `to`, smooth between.
static double ramp(double time, double from, double to)
{
    double t = fmin(1.0, fmax(0.0, (time - from) / (to - from)));
    return t * t * (3.0 - 2.0 * t);
}

static double wave(double time, double frequency, double phase)
{
    return sin(6.283185307179586 * (frequency * time + phase));
}

// The wild part asks for nothing that the clothes have no room for: thighs go far to the front but
// not to the back, as hips do, arms stay out of the cape, and most of a twist is the chest's.
static pose pose_at(double time)
{
    double walk = ramp(time, 0.5, 1.0) * (1.0 - ramp(time, 3.2, 3.6));
    double wild = ramp(time, 3.4, 3.8) * (1.0 - ramp(time, 5.2, 5.8));
    pose p = {.pelvis = {0, 0.95, 0}, .arm_lift = 60.0};
    p.pelvis.z = 1.2 * (fmin(time, 3.4) - 0.5) * ramp(time, 0.5, 1.0);
    p.pelvis.y += 0.02 * walk * wave(time, 2.0, 0.0) + 0.15 * wild * fabs(wave(time, 1.2, 0.0));
    p.pelvis.x = 0.2 * wild * wave(time, 0.8, 0.2);
    p.yaw = 6.0 * walk * wave(time, 1.0, 0.0) + 60.0 * wild * wave(time, 1.3, 0.1);
    p.pitch = 12.0 * wild * wave(time, 1.7, 0.4);
    p.roll = 12.0 * wild * wave(time, 1.1, 0.7);
    p.lean = 4.0 * walk + wild * (14.0 + 20.0 * wave(time, 1.5, 0.0));
    p.twist = -10.0 * walk * wave(time, 1.0, 0.0) + 30.0 * wild * wave(time, 1.9, 0.3);
    p.arm_lift += -20.0 * walk + 15.0 * wild * wave(time, 2.1, 0.5);
    p.leg_spread = 2.0 + 15.0 * wild * (0.5 + 0.5 * wave(time, 1.4, 0.2));
    for (int side = 0; side < 2; ++side) {
        double half = 0.5 * side;
        p.leg_swing[side] =
            -26.0 * walk * wave(time, 1.0, half) - wild * (15.0 + 38.0 * wave(time, 2.0, half));
        p.knee[side] = 8.0 + 35.0 * walk * fmax(0.0, wave(time, 1.0, half + 0.3)) +
                       45.0 * wild * (0.5 + 0.5 * wave(time, 2.0, half + 0.2));
        p.arm_swing[side] =
            22.0 * walk * wave(time, 1.0, half) + wild * (-30.0 + 60.0 * wave(time, 1.8, half));
        p.elbow[side] = 10.0 + 15.0 * walk + 40.0 * wild * (0.5 + 0.5 * wave(time, 2.3, half));
    }
    return p;
}

// --- Writing ---

static double degrees(double angle)
{
    return angle * 57.29577951308232;
}

// `angle` plus or minus whole turns, as near to `before` as can be.
static double near_to(double angle, double before)
{
    return angle + 360.0 * round((before - angle) / 360.0);
}

// The angles of a rotation. Each has two sets of angles; the one nearer to those before is taken,
// so that they do not jump from key to key.
static vec angles_of(const matrix* r, vec before)
{
    double y = asin(fmax(-1.0, fmin(1.0, -r->m[2][0])));
    vec one = {degrees(atan2(r->m[2][1], r->m[2][2])), degrees(y),
               degrees(atan2(r->m[1][0], r->m[0][0]))};
    vec two = {one.x + 180.0, 180.0 - one.y, one.z + 180.0};
    vec sets[2] = {one, two};
    double far[2];
    for (int i = 0; i < 2; ++i) {
        vec* a = &sets[i];
        *a = (vec){near_to(a->x, before.x), near_to(a->y, before.y), near_to(a->z, before.z)};
        far[i] = fabs(a->x - before.x) + fabs(a->y - before.y) + fabs(a->z - before.z);
    }
    return far[0] <= far[1] ? sets[0] : sets[1];
}

// Keys, and those of the time in which nothing moves.
enum { FRAMES = 180, RATE = 30, STANDING = 15 };

// To a number of decimals; never minus zero.
static double rounded(double value, double unit)
{
    return round(value / unit) * unit + 0.0;
}

static void write_key(int key, vec at, vec angles)
{
    printf("                { \"time\": %.6g, \"translate\": [%.6g, %.6g, %.6g], \"rotate\": "
           "[%.6g, %.6g, %.6g], \"ease\": \"linear\" }%s\n",
           rounded((double)key / RATE, 1e-4), rounded(at.x, 1e-4), rounded(at.y, 1e-4),
           rounded(at.z, 1e-4), rounded(angles.x, 1e-2), rounded(angles.y, 1e-2),
           rounded(angles.z, 1e-2), key < FRAMES ? "," : "");
}

static void write_keys(int index)
{
    vec angles = {0, 0, 0};
    for (int key = 0; key <= FRAMES; ++key) {
        frame parts_at[PART_COUNT];
        double time = (double)key / RATE;
        if (key > 0 && key < STANDING) {
            continue;
        }
        pose p = pose_at(time);
        set_figure(parts_at, &p);
        vec before = angles;
        angles = angles_of(&parts_at[index].turn, before);
        if (key > 0 && fmax(fabs(angles.x - before.x),
                            fmax(fabs(angles.y - before.y), fabs(angles.z - before.z))) > 150.0) {
            fprintf(stderr, "make_character: %s turns too far in key %d\n", parts[index].name, key);
            exit(EXIT_FAILURE);
        }
        write_key(key, parts_at[index].origin, angles);
    }
}

static void write_part(int index)
{
    const part* p = &parts[index];
    printf("        {\n            \"name\": \"%s\",\n", p->name);
    printf("            \"capsule\": { \"from\": [%g, %g, %g], \"to\": [%g, %g, %g], \"radii\": "
           "[%g, %g] },\n",
           p->from.x, p->from.y, p->from.z, p->to.x, p->to.y, p->to.z, p->radius_from,
           p->radius_to);
    printf("            \"keys\": [\n");
    write_keys(index);
    printf("            ]\n        }%s\n", index + 1 < PART_COUNT ? "," : "");
}

// --- The clothes ---

static const char head[] =
    "{\n"
    "    \"drape\": 1,\n"
    "    \"description\": \"A figure of twelve capsules in tunic, belt and cape walks, then moves "
    "violently; the layers come back whatever happens (PREDICT figure 1).\",\n"
    "    \"frames\": 180,\n"
    "    \"fps\": 30,\n"
    "    \"method\": \"predict\",\n"
    "    \"solver\": { \"substeps\": 4, \"iterations\": 2, \"sleep_speed\": 0.02, \"damping\": 2 "
    "},\n"
    "    \"collision\": { \"thickness\": 0.01, \"static_radius\": 0.02, \"friction\": 0.3, "
    "\"cache\": true, \"layers\": true },\n"
    "    \"cloths\": [\n";

// How far a garment may go from its pose, m: at the hem in front and behind and at its sides, at the
// share `at` of the way up, and at the top. In between it grows evenly.
typedef struct limit {
    double hem, side, at, waist, top;
} limit;

// What is between these heights at the start is pinned to the frame, on which the pose rides too.
typedef struct garment {
    const char *name, *shape, *fabric, *place, *frame, *control, *pose;
    double from, to;
    int columns, rows; // 0: `pose` says it all
    limit distance;
} garment;

static const garment garments[] = {
    {.name = "tunic",
     .shape = "\"mesh\": \"meshes/tunic.obj\"",
     .fabric = "{ \"base\": \"linen\", \"bend\": 0.0001 }",
     .frame = "abdomen",
     .control = "\"inertia\": 0.1",
     .from = 1.199,
     .to = 1.3,
     .columns = TUNIC_COLUMNS,
     .rows = TUNIC_ROWS,
     .distance = {0.4, 0.1, 0.62, 0.015, 0.01}},
    {.name = "belt",
     .shape = "\"mesh\": \"meshes/belt.obj\"",
     .fabric = "\"leather\"",
     .frame = "abdomen",
     .control = "\"inertia\": 0.1",
     .from = 1.049,
     .to = 1.1,
     .pose = "\"max_distance\": 0.01"},
    {.name = "cape",
     .shape = "\"grid\": { \"size\": [0.44, 0.7], \"resolution\": [22, 24] }",
     .fabric = "{ \"base\": \"wool\", \"bend\": 0.0001 }",
     .place = "{ \"translate\": [0, 1.095, -0.262], \"rotate\": [17, 0, 0] }",
     .frame = "chest",
     .control = "\"inertia\": [0.4, 0.1]",
     .from = 1.42,
     .to = 1.5,
     .columns = 22,
     .rows = 24,
     .distance = {0.5, 0.5, 0.7, 0.15, 0.0},
     .pose = "\"backstop\": 0.06"},
};

enum { GARMENT_COUNT = sizeof garments / sizeof garments[0] };

// At a share of the way up and a share of the way around, which begins in front.
static double limit_at(const limit* l, double share, double around)
{
    double sideways = sin(6.283185307179586 * around);
    double hem = l->hem + (l->side - l->hem) * sideways * sideways;
    return share < l->at ? hem + (l->waist - hem) * share / l->at
                         : l->waist + (l->top - l->waist) * (share - l->at) / (1.0 - l->at);
}

// One length for each vertex, a row to a line.
static void write_distances(const garment* g)
{
    printf("                \"max_distance\": [\n");
    for (int row = 0; row < g->rows; ++row) {
        printf("                    ");
        for (int column = 0; column < g->columns; ++column) {
            double share = row / (g->rows - 1.0), around = (double)column / g->columns;
            bool is_last = row + 1 == g->rows && column + 1 == g->columns;
            printf("%g%s", rounded(limit_at(&g->distance, share, around), 1e-3),
                   is_last                   ? "\n"
                   : column + 1 < g->columns ? ", "
                                             : ",\n");
        }
    }
    printf("                ]%s\n", g->pose != NULL ? "," : "");
}

static void write_pose(const garment* g)
{
    printf("            \"pose\": {\n");
    if (g->rows > 0) {
        write_distances(g);
    }
    if (g->pose != NULL) {
        printf("                %s\n", g->pose);
    }
    printf("            },\n");
}

static void write_garment(int index)
{
    const garment* g = &garments[index];
    printf("        {\n            \"name\": \"%s\",\n            %s,\n", g->name, g->shape);
    printf("            \"fabric\": %s,\n            \"layer\": %d,\n", g->fabric, index);
    if (g->place != NULL) {
        printf("            \"place\": %s,\n", g->place);
    }
    printf("            \"control\": { \"frame\": \"%s\", %s },\n", g->frame, g->control);
    write_pose(g);
    printf("            \"pins\": [\n                { \"where\": { \"box\": { \"min\": [-1, %g, "
           "-1], \"max\": [1, %g, 1] } }, \"follow\": { \"collider\": \"%s\" } }\n            ]\n",
           g->from, g->to, g->frame);
    printf("        }%s\n", index + 1 < GARMENT_COUNT ? "," : "");
}

int main(void)
{
    fputs(head, stdout);
    for (int i = 0; i < GARMENT_COUNT; ++i) {
        write_garment(i);
    }
    puts("    ],\n    \"colliders\": [");
    for (int i = 0; i < PART_COUNT; ++i) {
        write_part(i);
    }
    puts("    ]\n}");
    return ferror(stdout) || fflush(stdout) != 0 ? 1 : 0;
}
