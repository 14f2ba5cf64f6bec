// make_torture: writes those parts of the scenes of `make torture` that no one writes by hand.
//
//     make_torture scenes/torture
//
// needles.json   five sheets over a bed of needles of all heights
// random.json    three balls that push a sheet around for 10,000 frames
// ring.obj       a torus
// shirt.obj      a shirt: front and back cut as a T on a lattice, joined at the seams
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static const double two_pi = 6.283185307179586;

static FILE* open_file(const char* directory, const char* name)
{
    char path[1024];
    snprintf(path, sizeof(path), "%s/%s", directory, name);
    FILE* file = fopen(path, "w");
    if (file == NULL) {
        perror(path);
        exit(EXIT_FAILURE);
    }
    return file;
}

static void close_file(FILE* file)
{
    if (fclose(file) != 0) {
        perror("make_torture");
        exit(EXIT_FAILURE);
    }
}

static void write_head(FILE* file, const char* description, int frames)
{
    fprintf(file,
            "{\n"
            "    \"drape\": 1,\n"
            "    \"description\": \"%s\",\n"
            "    \"frames\": %d,\n"
            "    \"fps\": 30,\n"
            "    \"solver\": { \"substeps\": 20, \"iterations\": 4 },\n"
            "    \"collision\": { \"thickness\": 0.002 },\n",
            description, frames);
}

// --- Needles ---

enum { SHEETS = 5, NEEDLES = 6 };

// Sheets that come down at 3 m/s, each turned a little further than the one below.
static void write_sheets(FILE* file)
{
    fprintf(file, "    \"cloths\": [\n");
    for (int k = 0; k < SHEETS; ++k) {
        fprintf(file,
                "        {\n"
                "            \"name\": \"sheet%d\",\n"
                "            \"grid\": { \"size\": [0.6, 0.6], \"resolution\": [31, 31], "
                "\"noise\": 0.0005 },\n"
                "            \"fabric\": \"cotton\",\n"
                "            \"place\": { \"translate\": [0, %.6g, 0], \"rotate\": [90, %d, 0] },\n"
                "            \"velocity\": [0, -3, 0]\n"
                "        }%s\n",
                k, 0.3 + 0.02 * k, 7 * k, k + 1 < SHEETS ? "," : "");
    }
    fprintf(file, "    ],\n");
}

// 3 mm thick at the tip, 0.1 to 0.25 m high, and shifted, so that nothing is symmetric.
static void write_needle(FILE* file, int column, int row)
{
    double x = 0.11 * (column - 2.5) + 0.013;
    double z = 0.11 * (row - 2.5) + 0.007;
    double height = 0.1 + 0.015 * ((7 * column + 5 * row + column * row) % 11);
    fprintf(file,
            "        { \"name\": \"needle%d\", \"capsule\": { \"from\": [%.6g, 0, %.6g], "
            "\"to\": [%.6g, %.6g, %.6g], \"radii\": [0.012, 0.0015] } },\n",
            NEEDLES * row + column, x, z, x, height, z);
}

static void write_needles(const char* directory)
{
    FILE* file = open_file(directory, "needles.json");
    write_head(file, "Five sheets, one above the other, fall on a bed of 36 needles.", 120);
    write_sheets(file);
    fprintf(file, "    \"colliders\": [\n");
    for (int k = 0; k < NEEDLES * NEEDLES; ++k) {
        write_needle(file, k % NEEDLES, k / NEEDLES);
    }
    fprintf(file, "        { \"name\": \"floor\", \"plane\": {} }\n    ]\n}\n");
    close_file(file);
}

// --- Random pushing ---

enum { BALLS = 3, FRAMES = 10000, MAX_KEYS = 2000 };

// Radius of the balls; half the width of the room between the walls; what is left free between
// balls, walls and floor, for some layers of cloth.
static const double ball = 0.07, arena = 0.3, gap = 0.012;

typedef struct vec {
    double x, y, z;
} vec;

// Where all balls are at a time.
typedef struct key {
    double time;
    vec places[BALLS];
} key;

// Numbers of 31 bits; the same on every machine.
static double draw(uint64_t* state, double least, double most)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return least + (most - least) * (double)(*state >> 33) / 2147483648.0;
}

// How near to the origin the straight way from a to b comes.
static double nearest_of_way(vec a, vec b)
{
    vec way = {b.x - a.x, b.y - a.y, b.z - a.z};
    double length = way.x * way.x + way.y * way.y + way.z * way.z;
    double share = length > 0 ? -(a.x * way.x + a.y * way.y + a.z * way.z) / length : 0;
    share = fmin(fmax(share, 0), 1);
    vec p = {a.x + share * way.x, a.y + share * way.y, a.z + share * way.z};
    return sqrt(p.x * p.x + p.y * p.y + p.z * p.z);
}

static vec between(vec a, vec b)
{
    return (vec){a.x - b.x, a.y - b.y, a.z - b.z};
}

// Whether balls that go straight, all with the same ease, leave room for cloth between them.
static bool is_clear(const key* from, const key* to)
{
    for (int i = 0; i < BALLS; ++i) {
        for (int k = 0; k < i; ++k) {
            vec start = between(from->places[i], from->places[k]);
            vec end = between(to->places[i], to->places[k]);
            if (nearest_of_way(start, end) < 2 * ball + gap) {
                return false;
            }
        }
    }
    return true;
}

static key draw_key(uint64_t* state, double time)
{
    double room = arena - ball - gap;
    key drawn = {.time = time};
    for (int k = 0; k < BALLS; ++k) {
        drawn.places[k].x = draw(state, -room, room);
        drawn.places[k].y = draw(state, ball + gap, 0.4);
        drawn.places[k].z = draw(state, -room, room);
    }
    return drawn;
}

// They wait until half of the sheet lies on the floor.
static int draw_keys(key keys[MAX_KEYS])
{
    uint64_t state = 1;
    int count = 1;
    keys[0] = (key){1.5, {{-0.18, 0.3, 0.15}, {0, 0.3, 0.15}, {0.18, 0.3, 0.15}}};
    while (keys[count - 1].time < FRAMES / 30.0 && count < MAX_KEYS) {
        keys[count] = draw_key(&state, keys[count - 1].time);
        if (is_clear(&keys[count - 1], &keys[count])) {
            keys[count++].time += draw(&state, 0.3, 1.2);
        }
    }
    return count;
}

static void write_ball(FILE* file, int index, const key* keys, int count)
{
    fprintf(file,
            "        {\n"
            "            \"name\": \"ball%d\",\n"
            "            \"sphere\": { \"radius\": %.6g },\n"
            "            \"keys\": [\n",
            index, ball);
    for (int i = 0; i < count; ++i) {
        vec p = keys[i].places[index];
        fprintf(file, "                { \"time\": %.3f, \"translate\": [%.4f, %.4f, %.4f] }%s\n",
                keys[i].time, p.x, p.y, p.z, i + 1 < count ? "," : "");
    }
    fprintf(file, "            ]\n        },\n");
}

static void write_walls(FILE* file)
{
    static const char* const names[] = {"left", "right", "back", "front"};
    for (int k = 0; k < 4; ++k) {
        double place = (k % 2 == 0 ? -1 : 1) * (arena + 0.1);
        fprintf(file,
                "        { \"name\": \"%s\", \"box\": { \"size\": [%s] }, "
                "\"place\": { \"translate\": [%.6g, 0.3, %.6g] } },\n",
                names[k], k < 2 ? "0.2, 0.8, 1" : "1, 0.8, 0.2", k < 2 ? place : 0,
                k < 2 ? 0 : place);
    }
}

static void write_random(const char* directory)
{
    static key keys[MAX_KEYS];
    int count = draw_keys(keys);
    FILE* file = open_file(directory, "random.json");
    write_head(file,
               "A sheet hangs down to the floor between four walls; three balls push it around at "
               "random.",
               FRAMES);
    fprintf(file, "    \"cloths\": [\n"
                  "        {\n"
                  "            \"name\": \"sheet\",\n"
                  "            \"grid\": { \"size\": [0.5, 0.9], \"resolution\": [21, 37], "
                  "\"noise\": 0.001 },\n"
                  "            \"fabric\": \"cotton\",\n"
                  "            \"place\": { \"translate\": [0, 0.48, 0] },\n"
                  "            \"pins\": [\n"
                  "                {\n"
                  "                    \"where\": { \"corners\": [\"top-left\", \"top-right\"] },\n"
                  "                    \"follow\": { \"keys\": [{ \"time\": 0 }, { \"time\": 2, "
                  "\"translate\": [0, -0.4, 0] }] }\n"
                  "                }\n"
                  "            ]\n"
                  "        }\n"
                  "    ],\n"
                  "    \"colliders\": [\n");
    for (int k = 0; k < BALLS; ++k) {
        write_ball(file, k, keys, count);
    }
    write_walls(file);
    fprintf(file, "        { \"name\": \"floor\", \"plane\": {} }\n    ]\n}\n");
    close_file(file);
}

// --- A ring ---

static void write_ring(const char* directory)
{
    enum { AROUND = 64, ACROSS = 16 };
    const double radius = 0.14, half = 0.02;
    FILE* file = open_file(directory, "ring.obj");
    fprintf(file, "# drape: a torus of radius %g m, %g m thick\n", radius, 2 * half);
    for (int i = 0; i < AROUND * ACROSS; ++i) {
        double a = two_pi * (i / ACROSS) / AROUND;
        double b = two_pi * (i % ACROSS) / ACROSS;
        double out = radius + half * cos(b);
        fprintf(file, "v %.6g %.6g %.6g\n", out * cos(a), half * sin(b), out * sin(a));
    }
    for (int i = 0; i < AROUND; ++i) {
        int here = ACROSS * i, right = ACROSS * ((i + 1) % AROUND);
        for (int k = 0; k < ACROSS; ++k) {
            int up = (k + 1) % ACROSS;
            fprintf(file, "f %d %d %d\nf %d %d %d\n", here + k + 1, here + up + 1, right + k + 1,
                    right + k + 1, here + up + 1, right + up + 1);
        }
    }
    close_file(file);
}

// --- A shirt ---

// In cells: half the width of the body and of the neck, how far a sleeve reaches from the middle,
// the armpit and the height.
enum { BODY = 13, NECK = 5, REACH = 30, ARMPIT = 18, HEIGHT = 27 };
enum { COLUMNS = 2 * REACH + 1, ROWS = HEIGHT + 1 };

// Whether a cell belongs to the flat T; columns are counted from the middle.
static bool is_cloth(int column, int row)
{
    int side = column >= 0 ? column : -1 - column;
    bool is_sleeve = side < REACH && row >= ARMPIT;
    return row >= 0 && row < HEIGHT && (side < BODY || is_sleeve);
}

// Cells around a vertex that belong to it.
static int count_cells(int column, int row)
{
    return is_cloth(column - 1, row - 1) + is_cloth(column - 1, row) + is_cloth(column, row - 1) +
           is_cloth(column, row);
}

// Whether front and back share a vertex: the outline but for hem, cuffs and collar.
static bool is_seam(int column, int row)
{
    int side = abs(column);
    int cells = count_cells(column, row);
    bool is_open = (row == 0 && side < BODY) || (side == REACH && row > ARMPIT && row < HEIGHT) ||
                   (row == HEIGHT && side < NECK);
    return cells > 0 && cells < 4 && !is_open;
}

// How far front and back stand off the middle: as a quarter of an ellipse from the nearest seam.
static double find_depth(int column, int row)
{
    double nearest = 1e9;
    for (int c = -REACH; c <= REACH; ++c) {
        for (int r = 0; r <= HEIGHT; ++r) {
            nearest = is_seam(c, r) ? fmin(nearest, hypot(column - c, row - r)) : nearest;
        }
    }
    double share = fmin(nearest / 6.0, 1.0);
    return 0.08 * sqrt(1 - (1 - share) * (1 - share));
}

// Front vertices, then those of the back that are not shared; numbers from 1, 0 where there is none.
static void write_shirt_vertices(FILE* file, int numbers[2][COLUMNS][ROWS])
{
    int count = 0;
    for (int side = 0; side < 2; ++side) {
        for (int i = 0; i < COLUMNS * ROWS; ++i) {
            int c = i / ROWS, r = i % ROWS;
            if (count_cells(c - REACH, r) == 0) {
                continue;
            }
            if (side == 1 && is_seam(c - REACH, r)) {
                numbers[1][c][r] = numbers[0][c][r];
                continue;
            }
            double depth = find_depth(c - REACH, r);
            numbers[side][c][r] = ++count;
            fprintf(file, "v %.6g %.6g %.6g\n", 0.02 * (c - REACH), 0.02 * r,
                    side == 0 ? depth : -depth);
        }
    }
}

// Two triangles of a cell, cut along alternating diagonals; the back looks the other way.
static void write_cell(FILE* file, int (*at)[ROWS], int c, int r, bool is_back)
{
    int a = at[c][r], b = at[c + 1][r], d = at[c][r + 1], e = at[c + 1][r + 1];
    bool is_even = (c + r) % 2 == 0;
    int cut[6] = {a, b, is_even ? e : d, is_even ? a : b, e, d};
    for (int t = 0; t < 6; t += 3) {
        fprintf(file, "f %d %d %d\n", cut[t], cut[t + (is_back ? 2 : 1)],
                cut[t + (is_back ? 1 : 2)]);
    }
}

static void write_shirt(const char* directory)
{
    static int numbers[2][COLUMNS][ROWS];
    FILE* file = open_file(directory, "shirt.obj");
    fprintf(file, "# drape: a shirt, open at hem, cuffs and collar\n");
    write_shirt_vertices(file, numbers);
    for (int i = 0; i < 2 * (COLUMNS - 1) * (ROWS - 1); ++i) {
        int side = i % 2, c = i / 2 / (ROWS - 1), r = i / 2 % (ROWS - 1);
        if (is_cloth(c - REACH, r)) {
            write_cell(file, numbers[side], c, r, side == 1);
        }
    }
    close_file(file);
}

int main(int argc, char** argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: make_torture DIRECTORY\n");
        return 2;
    }
    write_needles(argv[1]);
    write_random(argv[1]);
    write_ring(argv[1]);
    write_shirt(argv[1]);
    return 0;
}
