// make_obstacles: writes the obstacle meshes of the scenes as OBJ files.
//
//     make_obstacles scenes/meshes
//
// Two ways to make a closed surface. A *lathe* turns a profile about the y axis. A *lattice* is a
// block of boxes, some solid and some empty; its surface is what lies between the two. Its nodes
// are then moved to round edges, open round holes and raise spikes. All surfaces are closed, look
// outward and stand on y = 0.
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_VERTICES = 2048, MAX_TRIANGLES = 4096, MAX_LINES = 16 };

// A mesh that grows.
typedef struct surface {
    double positions[MAX_VERTICES][3];
    int triangles[MAX_TRIANGLES][3];
    int vertex_count, triangle_count;
} surface;

static void stop(const char* what, const char* name)
{
    fprintf(stderr, "make_obstacles: %s %s\n", what, name);
    exit(EXIT_FAILURE);
}

static int add_vertex(surface* s, double x, double y, double z)
{
    if (s->vertex_count == MAX_VERTICES) {
        stop("too many", "vertices");
    }
    double* p = s->positions[s->vertex_count];
    p[0] = x;
    p[1] = y;
    p[2] = z;
    return s->vertex_count++;
}

static void add_triangle(surface* s, int a, int b, int c)
{
    if (s->triangle_count == MAX_TRIANGLES) {
        stop("too many", "triangles");
    }
    int* t = s->triangles[s->triangle_count++];
    t[0] = a;
    t[1] = b;
    t[2] = c;
}

static double squared_distance(const surface* s, int a, int b)
{
    double sum = 0.0;
    for (int k = 0; k < 3; ++k) {
        double d = s->positions[a][k] - s->positions[b][k];
        sum += d * d;
    }
    return sum;
}

// Cut along the shorter diagonal; of equal ones along a c.
static void add_quad(surface* s, int a, int b, int c, int d)
{
    if (squared_distance(s, b, d) < squared_distance(s, a, c) - 1e-9) {
        add_triangle(s, a, b, d);
        add_triangle(s, b, c, d);
    } else {
        add_triangle(s, a, b, c);
        add_triangle(s, a, c, d);
    }
}

// A point of a profile: distance from the axis, and height.
typedef struct profile_point {
    double radius, height;
} profile_point;

// Turns a profile that rises along the outside, from the axis at its bottom to the axis at its top,
// about the y axis.
static void add_lathe(surface* s, const profile_point* profile, int point_count, int sides)
{
    const double turn = 6.28318530717958647692;
    int bottom = add_vertex(s, 0.0, profile[0].height, 0.0);
    int first = s->vertex_count;
    for (int i = 0; i < point_count; ++i) {
        for (int k = 0; k < sides; ++k) {
            double angle = turn * k / sides;
            add_vertex(s, profile[i].radius * cos(angle), profile[i].height,
                       profile[i].radius * sin(angle));
        }
    }
    int top = add_vertex(s, 0.0, profile[point_count - 1].height, 0.0);
    for (int k = 0; k < sides; ++k) {
        int next = (k + 1) % sides, last = first + (point_count - 1) * sides;
        add_triangle(s, bottom, first + k, first + next);
        for (int i = 0; i + 1 < point_count; ++i) {
            int low = first + i * sides, high = low + sides;
            add_quad(s, low + k, high + k, high + next, low + next);
        }
        add_triangle(s, top, last + next, last + k);
    }
}

// A block of boxes between planes across each axis.
typedef struct lattice {
    double lines[3][MAX_LINES];
    int line_count[3];
    bool (*is_solid)(const double centre[3]);
    // Moves a node of the surface. `around` are the boxes at it; bit k of the index is up axis k.
    void (*shape_node)(const int node[3], const bool around[8], double position[3]);
} lattice;

// Empty outside the block.
static bool box_is_solid(const lattice* l, const int box[3])
{
    double centre[3];
    for (int k = 0; k < 3; ++k) {
        if (box[k] < 0 || box[k] + 1 >= l->line_count[k]) {
            return false;
        }
        centre[k] = 0.5 * (l->lines[k][box[k]] + l->lines[k][box[k] + 1]);
    }
    return l->is_solid(centre);
}

// The vertex of a node, made and shaped when it is first asked for. `vertices` begins as all -1.
static int node_vertex(surface* s, const lattice* l, const int node[3], int* vertices)
{
    int* vertex = &vertices[(node[2] * MAX_LINES + node[1]) * MAX_LINES + node[0]];
    if (*vertex < 0) {
        bool around[8];
        for (int i = 0; i < 8; ++i) {
            const int box[3] = {node[0] - 1 + (i & 1), node[1] - 1 + (i >> 1 & 1),
                                node[2] - 1 + (i >> 2)};
            around[i] = box_is_solid(l, box);
        }
        double p[3] = {l->lines[0][node[0]], l->lines[1][node[1]], l->lines[2][node[2]]};
        l->shape_node(node, around, p);
        *vertex = add_vertex(s, p[0], p[1], p[2]);
    }
    return *vertex;
}

// One face of a box, looking up or down an axis.
static void add_face(surface* s, const lattice* l, const int box[3], int axis, int up,
                     int* vertices)
{
    static const int corners[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    int v[4];
    for (int i = 0; i < 4; ++i) {
        int node[3] = {box[0], box[1], box[2]};
        node[axis] += up;
        node[(axis + 1) % 3] += corners[i][0];
        node[(axis + 2) % 3] += corners[i][1];
        v[i] = node_vertex(s, l, node, vertices);
    }
    add_quad(s, v[0], v[up ? 1 : 3], v[2], v[up ? 3 : 1]);
}

static void add_faces_of_box(surface* s, const lattice* l, const int box[3], int* vertices)
{
    for (int side = 0; side < 6 && box_is_solid(l, box); ++side) {
        int neighbour[3] = {box[0], box[1], box[2]};
        neighbour[side / 2] += side % 2 ? 1 : -1;
        if (!box_is_solid(l, neighbour)) {
            add_face(s, l, box, side / 2, side % 2, vertices);
        }
    }
}

static void add_lattice(surface* s, const lattice* l)
{
    int* vertices = malloc(MAX_LINES * MAX_LINES * MAX_LINES * sizeof *vertices);
    if (!vertices) {
        stop("no memory for", "a lattice");
    }
    memset(vertices, 0xff, MAX_LINES * MAX_LINES * MAX_LINES * sizeof *vertices);
    for (int z = 0; z + 1 < l->line_count[2]; ++z) {
        for (int y = 0; y + 1 < l->line_count[1]; ++y) {
            for (int x = 0; x + 1 < l->line_count[0]; ++x) {
                add_faces_of_box(s, l, (const int[3]){x, y, z}, vertices);
            }
        }
    }
    free(vertices);
}

static void set_lines(lattice* l, int axis, int count, const double* lines)
{
    memcpy(l->lines[axis], lines, (size_t)count * sizeof *lines);
    l->line_count[axis] = count;
}

// The sofa: seat, two arms and a back, 1.6 m wide. Lines run at one radius from every edge, so that
// moving the edge itself rounds it and leaves the faces flat.
static const double SOFA_RADIUS = 0.04;

static bool sofa_is_solid(const double p[3])
{
    bool is_seat = p[1] < 0.42;
    bool is_arm = fabs(p[0]) > 0.6 && p[1] < 0.62;
    bool is_back = p[2] < -0.2;
    return is_seat || is_arm || is_back;
}

// Pulls edges and corners that stick out onto the round. The pull is towards the solid boxes, along
// the axes that the node sticks out on, which the number of solid boxes tells:
//   1 a corner, 2 an edge      all of them
//   3 an edge with a bend in   the one that all boxes agree on
//   5 an edge that ends at a wall, which keeps the wall's plane
// On the floor the boxes above count twice, so that the sofa stands on sharp edges.
static void round_edge(const int node[3], const bool around[8], double position[3])
{
    int count = 0, pull[3] = {0};
    for (int i = 0; i < 8; ++i) {
        bool is_solid = around[node[1] == 0 ? i | 2 : i];
        for (int k = 0; k < 3; ++k) {
            pull[k] += is_solid ? (i >> k & 1 ? 1 : -1) : 0;
        }
        count += is_solid;
    }
    for (int k = 0; k < 3; ++k) {
        bool agreed = abs(pull[k]) == 3;
        bool moves = count <= 2 || (count == 3 && agreed) || (count == 5 && !agreed);
        if (moves && pull[k] != 0) {
            position[k] += copysign(SOFA_RADIUS * (1.0 - sqrt(0.5)), pull[k]);
        }
    }
}

static void make_sofa(surface* s)
{
    lattice l = {.is_solid = sofa_is_solid, .shape_node = round_edge};
    set_lines(&l, 0, 9, (const double[]){-0.8, -0.76, -0.64, -0.6, 0.0, 0.6, 0.64, 0.76, 0.8});
    set_lines(&l, 1, 7, (const double[]){0.0, 0.38, 0.42, 0.58, 0.62, 0.81, 0.85});
    set_lines(&l, 2, 6, (const double[]){-0.45, -0.41, -0.24, -0.2, 0.41, 0.45});
    add_lattice(s, &l);
}

// The solid: a plate of 0.6 m with two round holes, a ridge between them and a spike near each
// corner. Lines are 0.05 m apart, and numbered from 0 to 12 along x and z.
enum { PLATE_LINES = 13, PLATE_TOP = 2 };
static const double PLATE_STEP = 0.05;
static const double HOLE_CENTRE = 0.15; // from the middle, along x, to either side
static const double HOLE_RADIUS = 0.115;

static bool in_hole_block(const double p[3], double margin)
{
    double half = 2.0 * PLATE_STEP + margin;
    return fabs(fabs(p[0]) - HOLE_CENTRE) < half && fabs(p[2]) < half;
}

static bool plate_is_solid(const double p[3])
{
    return !in_hole_block(p, 0.0);
}

static void shape_plate(const int node[3], const bool around[8], double position[3])
{
    (void)around;
    bool at_end = node[0] == 2 || node[0] == 10;
    if (in_hole_block(position, 1e-6)) {
        // The rim of the square hole becomes a circle.
        double centre = copysign(HOLE_CENTRE, position[0]);
        double x = position[0] - centre, z = position[2], scale = HOLE_RADIUS / hypot(x, z);
        position[0] = centre + scale * x;
        position[2] = scale * z;
    } else if (node[1] == PLATE_TOP && node[0] == 6 && node[2] >= 2 && node[2] <= 10) {
        position[1] += 0.06;
    } else if (node[1] == PLATE_TOP && at_end && (node[2] == 2 || node[2] == 10)) {
        position[1] += 0.12;
    }
}

static void make_solid(surface* s)
{
    lattice l = {.is_solid = plate_is_solid, .shape_node = shape_plate};
    double lines[PLATE_LINES];
    for (int i = 0; i < PLATE_LINES; ++i) {
        lines[i] = PLATE_STEP * (i - PLATE_LINES / 2);
    }
    set_lines(&l, 0, PLATE_LINES, lines);
    set_lines(&l, 1, 3, (const double[]){0.0, 0.05, 0.1});
    set_lines(&l, 2, PLATE_LINES, lines);
    add_lattice(s, &l);
}

// A round top of 0.5 m radius and 0.03 m thickness on a column with a foot.
static void make_round_table(surface* s)
{
    const profile_point profile[] = {{0.25, 0.0},  {0.25, 0.02}, {0.04, 0.05},
                                     {0.04, 0.72}, {0.5, 0.72},  {0.5, 0.75}};
    add_lathe(s, profile, 6, 31);
}

static void make_cylinder(surface* s)
{
    const profile_point profile[] = {{0.25, 0.0}, {0.25, 0.5}};
    add_lathe(s, profile, 2, 50);
}

// A coordinate as it is read back: a float, and no minus before a zero or what is left of one.
static double rounded(double value)
{
    return fabs(value) < 1e-9 ? 0.0 : (double)(float)value;
}

static void write_obj(const surface* s, const char* directory, const char* name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.obj", directory, name);
    FILE* file = fopen(path, "w");
    if (!file) {
        stop("cannot write", path);
    }
    fprintf(file, "# %s: %d vertices, %d triangles, metres, y up; made by make_obstacles\no %s\n",
            name, s->vertex_count, s->triangle_count, name);
    for (int i = 0; i < s->vertex_count; ++i) {
        const double* p = s->positions[i];
        fprintf(file, "v %.9g %.9g %.9g\n", rounded(p[0]), rounded(p[1]), rounded(p[2]));
    }
    for (int i = 0; i < s->triangle_count; ++i) {
        const int* t = s->triangles[i];
        fprintf(file, "f %d %d %d\n", t[0] + 1, t[1] + 1, t[2] + 1);
    }
    bool failed = ferror(file) != 0;
    if (fclose(file) != 0 || failed) {
        stop("cannot write", path);
    }
    printf("%s: %d triangles\n", path, s->triangle_count);
}

int main(int argc, char** argv)
{
    static const struct {
        const char* name;
        void (*make)(surface* s);
    } obstacles[] = {{"sofa", make_sofa},
                     {"round_table", make_round_table},
                     {"solid", make_solid},
                     {"cylinder", make_cylinder}};
    if (argc != 2) {
        fprintf(stderr, "usage: make_obstacles DIRECTORY\n");
        return 2;
    }
    surface* s = malloc(sizeof *s);
    if (!s) {
        stop("no memory for", "a surface");
    }
    for (size_t i = 0; i < sizeof obstacles / sizeof obstacles[0]; ++i) {
        s->vertex_count = s->triangle_count = 0;
        obstacles[i].make(s);
        write_obj(s, argv[1], obstacles[i].name);
    }
    free(s);
    return EXIT_SUCCESS;
}
