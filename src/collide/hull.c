#include "collide/hull.h"

#include <string.h>

#include "collide/predicates.h"

typedef int32_t face[3];

// The hull in the making.
typedef struct maker {
    dr_memory* memory;
    double (*points)[3];
    int count;
    dr_array faces; // face
    dr_array sides; // int8_t, by face: 1 when the new point is in front
    dr_array rim;   // int32_t[2]: edges as the faces that go have them
} maker;

// --- The first four ---

static bool is_on_line(const maker* m, int a, int b, int c)
{
    for (int axis = 0; axis < 3; ++axis) {
        int i = axis, j = (axis + 1) % 3;
        const double *p = m->points[a], *q = m->points[b], *r = m->points[c];
        if (dr_orient2d((double[2]){p[i], p[j]}, (double[2]){q[i], q[j]},
                        (double[2]){r[i], r[j]}) != 0) {
            return false;
        }
    }
    return true;
}

static int orient(const maker* m, const face f, int point)
{
    return dr_orient3d(m->points[f[0]], m->points[f[1]], m->points[f[2]], m->points[point]);
}

// Four points that span a room; false when all lie in one plane.
static bool find_first(const maker* m, int32_t first[4])
{
    int found = 1;
    first[0] = 0;
    for (int i = 1; i < m->count && found < 4; ++i) {
        bool is_new = found == 1   ? memcmp(m->points[i], m->points[0], sizeof m->points[0]) != 0
                      : found == 2 ? !is_on_line(m, first[0], first[1], i)
                                   : orient(m, first, i) != 0;
        if (is_new) {
            first[found++] = i;
        }
    }
    return found == 4;
}

static bool add_face(maker* m, int a, int b, int c)
{
    face* f = dr_array_push(m->memory, &m->faces, sizeof *f);
    if (f) {
        memcpy(f, (face){a, b, c}, sizeof *f);
    }
    return f != NULL;
}

static bool begin(maker* m, const int32_t first[4])
{
    // The fourth behind the face of the first three.
    bool is_behind = orient(m, first, first[3]) < 0;
    int a = first[0], b = is_behind ? first[1] : first[2], c = is_behind ? first[2] : first[1];
    int d = first[3];
    return add_face(m, a, b, c) && add_face(m, a, d, b) && add_face(m, b, d, c) &&
           add_face(m, c, d, a);
}

// --- One more point ---

// Which faces the point is in front of; -1 when memory is short.
static int look(maker* m, int point)
{
    const face* faces = m->faces.data;
    if (!dr_array_reserve(m->memory, &m->sides, sizeof(int8_t), m->faces.count)) {
        return -1;
    }
    int8_t* sides = m->sides.data;
    int in_front = 0;
    for (int i = 0; i < m->faces.count; ++i) {
        sides[i] = orient(m, faces[i], point) > 0;
        in_front += sides[i];
    }
    return in_front;
}

// Edges of faces that go whose other side stays.
static bool find_rim(maker* m)
{
    const face* faces = m->faces.data;
    const int8_t* sides = m->sides.data;
    m->rim.count = 0;
    for (int i = 0; i < m->faces.count; ++i) {
        for (int k = 0; sides[i] && k < 3; ++k) {
            int a = faces[i][k], b = faces[i][(k + 1) % 3];
            bool is_inner = false;
            for (int j = 0; j < m->faces.count && !is_inner; ++j) {
                const int32_t* f = faces[j];
                is_inner = sides[j] && ((f[0] == b && f[1] == a) || (f[1] == b && f[2] == a) ||
                                        (f[2] == b && f[0] == a));
            }
            int32_t(*edge)[2] = is_inner ? NULL : dr_array_push(m->memory, &m->rim, sizeof *edge);
            if (edge) {
                (*edge)[0] = a;
                (*edge)[1] = b;
            } else if (!is_inner) {
                return false;
            }
        }
    }
    return true;
}

static void drop_faces(maker* m)
{
    face* faces = m->faces.data;
    const int8_t* sides = m->sides.data;
    int kept = 0;
    for (int i = 0; i < m->faces.count; ++i) {
        if (!sides[i]) {
            memmove(faces[kept++], faces[i], sizeof *faces);
        }
    }
    m->faces.count = kept;
}

static bool add_point(maker* m, int point)
{
    int in_front = look(m, point);
    if (in_front <= 0) {
        return in_front == 0;
    }
    if (!find_rim(m)) {
        return false;
    }
    drop_faces(m);
    const int32_t(*rim)[2] = m->rim.data;
    bool added = true;
    for (int i = 0; i < m->rim.count && added; ++i) {
        added = add_face(m, rim[i][0], rim[i][1], point);
    }
    return added;
}

// --- The whole ---

// Corners alone, in the order in which they were given.
static bool gather(const maker* m, dr_hull* hull, const drape_vec3* points)
{
    hull->triangle_count = hull->triangle_room = m->faces.count;
    hull->vertex_room = m->count;
    hull->triangles = dr_new(m->memory, face, hull->triangle_room);
    hull->positions = dr_new(m->memory, drape_vec3, hull->vertex_room);
    int32_t* number = dr_new_zeroed(m->memory, int32_t, m->count);
    bool made = hull->triangles && hull->positions && number;
    const face* faces = m->faces.data;
    for (int i = 0; made && i < 3 * m->faces.count; ++i) {
        number[faces[i / 3][i % 3]] = 1;
    }
    for (int i = 0; made && i < m->count; ++i) {
        if (number[i]) {
            number[i] = hull->vertex_count;
            hull->positions[hull->vertex_count++] = points[i];
        }
    }
    for (int i = 0; made && i < 3 * m->faces.count; ++i) {
        hull->triangles[i / 3][i % 3] = number[faces[i / 3][i % 3]];
    }
    dr_delete(m->memory, number, m->count);
    return made;
}

static const char* make(maker* m, dr_hull* hull, const drape_vec3* points)
{
    const char* memory_is_short = "out of memory";
    for (int i = 0; i < m->count; ++i) {
        m->points[i][0] = points[i].x;
        m->points[i][1] = points[i].y;
        m->points[i][2] = points[i].z;
    }
    int32_t first[4];
    if (!find_first(m, first)) {
        return "the points of a hull lie in one plane";
    }
    bool made = begin(m, first);
    for (int i = 0; i < m->count && made; ++i) {
        made = add_point(m, i);
    }
    return made && gather(m, hull, points) ? NULL : memory_is_short;
}

const char* dr_hull_create(dr_hull* hull, dr_memory* memory, const drape_vec3* points, int count)
{
    *hull = (dr_hull){0};
    if (!points || count < 4 || count > DR_HULL_MOST) {
        return "a hull needs 4 to 4096 points";
    }
    maker m = {.memory = memory, .count = count};
    m.points = dr_allocate(memory, sizeof *m.points * (size_t)count);
    const char* refusal = m.points ? make(&m, hull, points) : "out of memory";
    dr_release(memory, m.points, sizeof *m.points * (size_t)count);
    dr_array_free(memory, &m.faces, sizeof(face));
    dr_array_free(memory, &m.sides, sizeof(int8_t));
    dr_array_free(memory, &m.rim, sizeof(int32_t[2]));
    return refusal;
}

void dr_hull_free(dr_hull* hull, dr_memory* memory)
{
    dr_delete(memory, hull->positions, hull->vertex_room);
    dr_delete(memory, hull->triangles, hull->triangle_room);
    *hull = (dr_hull){0};
}
