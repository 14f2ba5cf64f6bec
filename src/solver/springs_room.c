// Vertices with limits in the search of springs_implicit.c: which sides of their room hold them
// back is found in rounds, each side that pushes takes its normal out of the search.
#include <math.h>
#include <string.h>

#include "solver/springs_parts.h"

// One side of a vertex's room: normal.y + offset >= 0.
typedef struct side {
    double normal[3], offset;
} side;

// The sides: lo and hi along the three axes, then planes in the order of their list. False when
// there is none of that number.
static bool find_side(const dr_springs_search* g, int vertex, int number, side* out)
{
    const dr_limits* limits = g->limits;
    int v = g->first_vertex + vertex;
    *out = (side){0};
    if (number < 6) {
        int axis = number / 2;
        bool is_low = number % 2 == 0;
        double end = is_low ? limits->lo[v][axis] : limits->hi[v][axis];
        out->normal[axis] = is_low ? 1.0 : -1.0;
        out->offset = is_low ? -end : end;
        return isfinite(end);
    }
    const dr_limit_plane* planes = limits->planes.data;
    int32_t p = limits->first_plane[v];
    for (int i = 6; i < number && p >= 0; ++i) {
        p = planes[p].next;
    }
    if (p >= 0) {
        memcpy(out->normal, planes[p].plane.normal, sizeof out->normal);
        out->offset = planes[p].plane.offset;
    }
    return p >= 0;
}

void dr_springs_place_of(const dr_springs_search* g, int v, const double u[3], double y[3])
{
    for (int c = 0; c < 3; ++c) {
        y[c] = g->s->x[v][c] + g->s->step.dt * u[c];
    }
}

static double height(const side* at, const double y[3])
{
    return dr_springs_dot(at->normal, y) + at->offset;
}

// Another normal into the axes; false when it nearly lies in what they span already: sides a degree
// apart are one, for where they meet may be anywhere. The place is brought onto the side, along the
// new axis, which leaves the sides before alone.
static bool add_axis(dr_spring_room* room, const side* at, double y[3])
{
    const double least_turn = 0.02;
    double rest[3];
    memcpy(rest, at->normal, sizeof rest);
    for (int k = 0; k < room->axis_count; ++k) {
        double by = dr_springs_dot(rest, room->axes[k]);
        for (int c = 0; c < 3; ++c) {
            rest[c] -= by * room->axes[k][c];
        }
    }
    double length = sqrt(dr_springs_dot(rest, rest));
    if (room->axis_count == 3 || length < least_turn) {
        return false;
    }
    double* axis = room->axes[room->axis_count++];
    for (int c = 0; c < 3; ++c) {
        axis[c] = rest[c] / length;
    }
    double by = -height(at, y) / dr_springs_dot(at->normal, axis);
    for (int c = 0; c < 3; ++c) {
        y[c] += by * axis[c];
    }
    return true;
}

// I less the axes, by columns.
static void set_filter(const dr_spring_room* room, double filter[12])
{
    memset(filter, 0, 12 * sizeof *filter);
    for (int c = 0; c < 3 && !room->is_held; ++c) {
        filter[5 * c] = 1.0;
    }
    for (int k = 0; k < room->axis_count && room->axis_count < 3; ++k) {
        for (int i = 0; i < 9; ++i) {
            filter[i / 3 * 4 + i % 3] -= room->axes[k][i / 3] * room->axes[k][i % 3];
        }
    }
    if (room->axis_count == 3) {
        memset(filter, 0, 12 * sizeof *filter);
    }
}

// Axes, velocity and filter of a vertex from the sides that push.
static void take_sides(const dr_springs_search* g, dr_spring_room* room)
{
    dr_springs* s = g->s;
    int v = room->vertex;
    double y[3];
    room->axis_count = 0;
    dr_springs_place_of(g, v, s->u[v], y);
    for (int i = 0; i < DR_SPRINGS_SIDES && room->pushing >> i; ++i) {
        side at;
        bool pushes = room->pushing >> i & 1u;
        if (pushes && (!find_side(g, v, i, &at) || !add_axis(room, &at, y))) {
            room->pushing &= ~(1u << i);
            room->dropped |= 1u << i;
        }
    }
    for (int c = 0; c < 3 && room->axis_count > 0; ++c) {
        s->u[v][c] = (y[c] - s->x[v][c]) / s->step.dt;
    }
    set_filter(room, s->filter[v]);
}

static int number_of(uint32_t bit)
{
    int number = 0;
    while (bit >> number > 1u) {
        ++number;
    }
    return number;
}

// Of the sides that are not among `besides` the one that a place is furthest behind, by more than
// rounding, as a bit; 0: none.
static uint32_t deepest_side(const dr_springs_search* g, int v, const double y[3], uint32_t besides)
{
    uint32_t found = 0;
    double lowest = -1e-12 * (1.0 + fmax(fmax(fabs(y[0]), fabs(y[1])), fabs(y[2])));
    for (int i = 0; i < DR_SPRINGS_SIDES; ++i) {
        side at;
        bool exists = find_side(g, v, i, &at);
        // Planes have no gaps in their numbers.
        if (!exists && i >= 6) {
            break;
        }
        double is = exists && !(besides >> i & 1u) ? height(&at, y) : 0.0;
        if (is < lowest) {
            lowest = is;
            found = 1u << i;
        }
    }
    return found;
}

// The sides that push a place back that is free otherwise: always the one it is furthest behind,
// for sides that are nearly parallel must not push both. Where these meet is far away.
static uint32_t sides_before(const dr_springs_search* g, int v, double y[3])
{
    dr_spring_room room = {0};
    uint32_t passed = 0;
    for (int i = 0; i < DR_SPRINGS_SIDES; ++i) {
        side at;
        uint32_t next = deepest_side(g, v, y, passed);
        if (!next) {
            break;
        }
        passed |= next;
        find_side(g, v, number_of(next), &at);
        room.pushing |= add_axis(&room, &at, y) ? next : 0u;
    }
    return room.pushing;
}

// A block with limits filters all its vertices.
static void open_block(dr_springs* s, int block)
{
    int end = dr_springs_block_end(s, block);
    for (int v = block * DR_SPRINGS_BLOCK; v < end && !s->is_filtered[block]; ++v) {
        const dr_spring_room open = {0};
        set_filter(&open, s->filter[v]);
    }
    s->is_filtered[block] = 1;
}

// Held vertices have the velocity that takes them to their places. Others begin with the sides that
// they would pass without springs.
static void enter_room(dr_springs_search* g, int v)
{
    dr_springs* s = g->s;
    dr_spring_room* room = &s->rooms[s->room_count++];
    *room = (dr_spring_room){.vertex = v, .is_held = s->is_held[v]};
    open_block(s, v / DR_SPRINGS_BLOCK);
    if (room->is_held) {
        const double* place = g->limits->place[g->first_vertex + v];
        for (int c = 0; c < 3; ++c) {
            s->u[v][c] = (place[c] - s->x[v][c]) / s->step.dt;
        }
    } else {
        double free[3], y[3];
        for (int c = 0; c < 3; ++c) {
            free[c] = s->v[v][c] + s->step.dt * s->a[v][c];
        }
        dr_springs_place_of(g, v, free, y);
        room->pushing = sides_before(g, v, y);
    }
    take_sides(g, room);
}

void dr_springs_enter_rooms(dr_springs_search* g)
{
    dr_springs* s = g->s;
    s->room_count = 0;
    memset(s->is_filtered, 0, (size_t)s->block_count);
    const int32_t* limited = g->limits ? g->limits->limited.data : NULL;
    for (int i = 0; g->limits && i < g->limits->limited.count; ++i) {
        int v = limited[i] - g->first_vertex;
        if (v >= 0 && v < s->vertex_count) {
            enter_room(g, v);
        }
    }
}

void dr_springs_find_push(const dr_springs_search* g, int v, double push[3])
{
    const dr_springs* s = g->s;
    for (int c = 0; c < 3; ++c) {
        push[c] = s->inertia[v] * s->u[v][c] - s->b[v][c];
    }
    for (int32_t k = s->group_start[v]; k < s->group_start[v + 1]; ++k) {
        const dr_spring_link* link = &s->system[k];
        for (int i = 0; i < 4; ++i) {
            const double *other = s->u[s->others[k][i]], *here = s->u[v];
            const double way[3] = {here[0] - other[0], here[1] - other[1], here[2] - other[2]};
            const double d[3] = {link->d[0][i], link->d[1][i], link->d[2][i]};
            double along = dr_springs_dot(d, way);
            for (int c = 0; c < 3; ++c) {
                push[c] += link->alpha[i] * way[c] + along * d[c];
            }
        }
    }
}

// Shares of the pushing sides in `push`, from the last to the first, whose axes no later normal is
// free of. Returns those that pull.
static uint32_t sides_pulling(const dr_springs_search* g, const dr_spring_room* room,
                              const double push[3])
{
    side sides[3];
    int numbers[3] = {0}, count = 0;
    for (int i = 0; i < DR_SPRINGS_SIDES && count < room->axis_count; ++i) {
        if (room->pushing >> i & 1u) {
            find_side(g, room->vertex, i, &sides[count]);
            numbers[count++] = i;
        }
    }
    double share[3] = {0};
    uint32_t pulling = 0;
    for (int k = count - 1; k >= 0; --k) {
        double rest = dr_springs_dot(push, room->axes[k]);
        for (int j = k + 1; j < count; ++j) {
            rest -= share[j] * dr_springs_dot(sides[j].normal, room->axes[k]);
        }
        share[k] = rest / dr_springs_dot(sides[k].normal, room->axes[k]);
        pulling |= share[k] < 0.0 ? 1u << numbers[k] : 0u;
    }
    return pulling;
}

// Lets go of sides that pull and takes the one that is passed furthest. True when anything changed.
// A side that was let go and is passed again stays: that is what makes the rounds end.
static bool change_sides(const dr_springs_search* g, dr_spring_room* room)
{
    double push[3], y[3];
    if (room->is_held) {
        return false;
    }
    dr_springs_find_push(g, room->vertex, push);
    dr_springs_place_of(g, room->vertex, g->s->u[room->vertex], y);
    uint32_t pulling = sides_pulling(g, room, push) & ~room->let_go;
    uint32_t behind = deepest_side(g, room->vertex, y, room->pushing | room->dropped);
    if (!pulling && !behind) {
        return false;
    }
    room->let_go |= pulling;
    room->pushing = (room->pushing & ~pulling) | behind;
    take_sides(g, room);
    return true;
}

bool dr_springs_change_rooms(const dr_springs_search* g)
{
    bool has_changed = false;
    for (int i = 0; i < g->s->room_count; ++i) {
        has_changed |= change_sides(g, &g->s->rooms[i]);
    }
    return has_changed;
}
