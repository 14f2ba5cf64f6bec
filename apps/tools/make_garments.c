// make_garments: writes the cloth meshes of the scenes as OBJ files.
//
//     make_garments scenes/meshes
//
// A *tube* is a garment that goes round the body: ellipses over a profile, closed, looking outward,
// with u around and v along it in metres. Layers of one garment are tubes over wider profiles, so
// that they do not touch at the start. A *bump* is a sheet whose middle was pushed up, with the
// flat sheet as its rest shape.
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "tunic.h"

static const double two_pi = 6.283185307179586;

// One height of a profile: half axes of the ellipse to the sides and to the front.
typedef struct level {
    double y, side, front;
} level;

typedef struct tube {
    const char* name;
    int columns, rows; // vertices around and along
    level bottom, waist, top;
} tube;

static const tube tubes[] = {
    // Three layers of a skirt, each wider and shorter than the one below.
    {"skirt_inner.obj", 24, 8, {0.50, 0.34, 0.30}, {0.85, 0.235, 0.175}, {1.0, 0.205, 0.135}},
    {"skirt_middle.obj", 24, 8, {0.56, 0.36, 0.32}, {0.85, 0.255, 0.195}, {1.0, 0.225, 0.155}},
    {"skirt_outer.obj", 24, 8, {0.62, 0.38, 0.34}, {0.85, 0.275, 0.215}, {1.0, 0.245, 0.175}},
    // The clothes of the walking figure.
    {.name = "tunic.obj",
     .columns = TUNIC_COLUMNS,
     .rows = TUNIC_ROWS,
     .bottom = {0.64, 0.35, 0.31},
     .waist = {1.02, 0.24, 0.175},
     .top = {1.20, 0.24, 0.16}},
    {"belt.obj", TUNIC_COLUMNS, 3, {0.99, 0.265, 0.2}, {1.02, 0.265, 0.2}, {1.05, 0.265, 0.2}},
};

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
    if (ferror(file) || fclose(file) != 0) {
        perror("make_garments");
        exit(EXIT_FAILURE);
    }
}

static double mix(double a, double b, double t)
{
    return a + t * (b - a);
}

// The profile at `t` from 0 at the bottom to 1 at the top, straight on either side of the waist.
static level level_at(const tube* shape, double t)
{
    double height = mix(shape->bottom.y, shape->top.y, t);
    level low = height < shape->waist.y ? shape->bottom : shape->waist;
    level high = height < shape->waist.y ? shape->waist : shape->top;
    double s = (height - low.y) / (high.y - low.y);
    return (level){height, mix(low.side, high.side, s), mix(low.front, high.front, s)};
}

static void write_triangle(FILE* file, int a, int b, int c, bool has_uv)
{
    if (has_uv) {
        fprintf(file, "f %d/%d %d/%d %d/%d\n", a, a, b, b, c, c);
    } else {
        fprintf(file, "f %d %d %d\n", a, b, c);
    }
}

// Two triangles over the corners a b c d, cut from a to c, or from b to d when `turned`.
static void write_quad(FILE* file, const int corners[4], bool turned, bool has_uv)
{
    int first = turned ? 1 : 0;
    const int* q = corners;
    write_triangle(file, q[first], q[first + 1], q[first + 2], has_uv);
    write_triangle(file, q[first], q[first + 2], q[(first + 3) % 4], has_uv);
}

static void write_tube(const char* directory, const tube* shape)
{
    FILE* file = open_file(directory, shape->name);
    fprintf(file, "# drape: %d vertices around, %d along\n", shape->columns, shape->rows);
    for (int row = 0; row < shape->rows; ++row) {
        level l = level_at(shape, row / (shape->rows - 1.0));
        for (int column = 0; column < shape->columns; ++column) {
            double angle = two_pi * column / shape->columns;
            fprintf(file, "v %.9g %.9g %.9g\n", l.side * sin(angle), l.y, l.front * cos(angle));
        }
    }
    // Around by the mean circumference, so that u and v have the same unit.
    double around = two_pi * 0.5 * (shape->waist.side + shape->waist.front) / shape->columns;
    double along = (shape->top.y - shape->bottom.y) / (shape->rows - 1.0);
    for (int row = 0; row < shape->rows; ++row) {
        for (int column = 0; column < shape->columns; ++column) {
            fprintf(file, "vt %.9g %.9g\n", around * column, along * row);
        }
    }
    for (int row = 0; row + 1 < shape->rows; ++row) {
        for (int column = 0; column < shape->columns; ++column) {
            int next = (column + 1) % shape->columns;
            int base = row * shape->columns + 1;
            int above = base + shape->columns;
            int corners[4] = {base + column, base + next, above + next, above + column};
            write_quad(file, corners, (row + column) % 2 == 1, true);
        }
    }
    close_file(file);
}

enum { BUMP_VERTICES = 51 };

// A sheet of one metre in the plane of x and z, raised in the middle by up to `height`.
static void write_bump(const char* directory, const char* name, double height)
{
    FILE* file = open_file(directory, name);
    fprintf(file, "# drape: %d x %d vertices\n", BUMP_VERTICES, BUMP_VERTICES);
    for (int i = 0; i < BUMP_VERTICES * BUMP_VERTICES; ++i) {
        double x = i % BUMP_VERTICES / (BUMP_VERTICES - 1.0) - 0.5;
        double z = i / BUMP_VERTICES / (BUMP_VERTICES - 1.0) - 0.5;
        double y = height * exp(-(x * x + z * z) / (2.0 * 0.16 * 0.16));
        fprintf(file, "v %.9g %.9g %.9g\n", x, y, z);
    }
    for (int row = 0; row + 1 < BUMP_VERTICES; ++row) {
        for (int column = 0; column + 1 < BUMP_VERTICES; ++column) {
            int a = row * BUMP_VERTICES + column + 1;
            // z grows from row to row, so that this order looks up.
            int corners[4] = {a, a + BUMP_VERTICES, a + BUMP_VERTICES + 1, a + 1};
            write_quad(file, corners, (row + column) % 2 == 1, false);
        }
    }
    close_file(file);
}

int main(int argument_count, char** arguments)
{
    if (argument_count != 2) {
        fprintf(stderr, "usage: make_garments DIRECTORY\n");
        return 2;
    }
    for (size_t i = 0; i < sizeof(tubes) / sizeof(tubes[0]); ++i) {
        write_tube(arguments[1], &tubes[i]);
    }
    write_bump(arguments[1], "bump.obj", 0.08);
    write_bump(arguments[1], "bump_rest.obj", 0.0);
    return 0;
}
