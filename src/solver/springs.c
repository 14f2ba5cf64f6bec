#include "solver/springs.h"

#include <math.h>
#include <string.h>

#include "core/isa.h"
#include "solver/springs_parts.h"

DR_KERNEL_TABLE(dr_springs_kernels)

// More rows or columns than this are taken for a mistake.
enum { MOST = 1 << 15 };

// --- Definition ---

dr_springs_def dr_springs_defaults(void)
{
    return (dr_springs_def){
        .columns = 51,
        .rows = 51,
        .size_x = 1.0,
        .size_z = 1.0,
        .density = 0.2,
        .stretch = {40.0, 40.0},
        .shear = 5.0,
        .bend = {1e-4, 1e-4},
        .fold_angle = 0.5,
        .hardening = 10.0,
        .damping = 2.0,
        .spring_damping = 1e-3,
        .max_elongation = 0.1,
        .elongation_sweeps = 3,
        .max_substeps = 64,
        .tolerance = 1e-4,
        .max_iterations = 100,
    };
}

void dr_springs_set_fabric(dr_springs_def* def, const drape_fabric* fabric)
{
    def->density = (double)fabric->density;
    def->stretch[0] = (double)fabric->stretch_warp;
    def->stretch[1] = (double)fabric->stretch_weft;
    def->shear = (double)fabric->shear;
    def->bend[0] = (double)fabric->bend_warp;
    def->bend[1] = (double)fabric->bend_weft;
    memset(def->stiffness, 0, sizeof def->stiffness);
}

static bool is_positive(double a)
{
    return a > 0.0 && isfinite(a);
}

static bool is_share(double a)
{
    return a >= 0.0 && isfinite(a);
}

static const char* check_sheet(const dr_springs_def* def)
{
    if (!def->mesh &&
        (def->columns < 1 || def->rows < 1 || def->columns > MOST || def->rows > MOST)) {
        return "a sheet of springs needs from 1 to 32768 columns and rows";
    }
    if (!def->mesh && (!is_positive(def->size_x) || !is_positive(def->size_z))) {
        return "the sizes of a sheet of springs must be positive and finite";
    }
    if (def->mesh && def->eight_bends) {
        return "eight bend springs at each vertex need a grid";
    }
    return NULL;
}

static const char* check_stiffness(const dr_springs_def* def)
{
    const double values[] = {def->stretch[0],   def->stretch[1],   def->shear,
                             def->bend[0],      def->bend[1],      def->stiffness[0],
                             def->stiffness[1], def->stiffness[2], def->hardening};
    for (size_t i = 0; i < sizeof values / sizeof *values; ++i) {
        if (!is_share(values[i])) {
            return "the stiffnesses of springs must be finite and not negative";
        }
    }
    // Beyond half a turn neighbours would lie on each other.
    if (!(def->fold_angle > 0.0) || !(def->fold_angle < 3.0)) {
        return "the fold angle of springs must be above 0 and below 3 radians";
    }
    return NULL;
}

const char* dr_springs_check(const dr_springs_def* def)
{
    const char* sentence = check_sheet(def);
    sentence = sentence ? sentence : check_stiffness(def);
    if (sentence) {
        return sentence;
    }
    if (!is_positive(def->density)) {
        return "the density of a sheet of springs must be positive and finite";
    }
    if (!is_share(def->damping) || !is_share(def->spring_damping)) {
        return "the damping of springs must be finite and not negative";
    }
    if (!is_share(def->max_elongation) || def->elongation_sweeps < 0) {
        return "the elongation of springs and its sweeps must be finite and not negative";
    }
    if (def->max_substeps < 1 || def->max_iterations < 1 || !is_positive(def->tolerance)) {
        return "springs need at least one substep and iteration and a positive tolerance";
    }
    if ((unsigned)def->integrator > DR_SPRINGS_IMPLICIT ||
        (unsigned)def->elongation_order > DR_SPRINGS_FROM_HELD) {
        return "springs have no such integrator or order of shortening";
    }
    return NULL;
}

// --- Life ---

static bool lay(dr_springs* s, dr_memory* memory, const dr_mesh* mesh)
{
    if (mesh) {
        return dr_springs_lay_mesh(s, memory, mesh);
    }
    dr_springs_lay_grid(s);
    return true;
}

// One more of each, so that none of them is not taken for a lack of memory.
static bool allocate_state(dr_springs* s, dr_memory* memory)
{
    size_t n = (size_t)s->vertex_count + 1;
    dr_record** records[] = {&s->x, &s->v, &s->y, &s->w, &s->q, &s->a, &s->pull};
    for (size_t i = 0; i < sizeof records / sizeof *records; ++i) {
        *records[i] = dr_new_zeroed(memory, dr_record, n);
        if (!*records[i]) {
            return false;
        }
    }
    s->springs = dr_new(memory, dr_spring, s->spring_count + 1);
    s->group_start = dr_new_zeroed(memory, int32_t, n);
    s->mass = dr_new_zeroed(memory, double, n);
    s->inverse_mass = dr_new_zeroed(memory, double, n);
    s->block_zero = dr_new_zeroed(memory, int32_t, s->block_count + 1);
    s->order = dr_new(memory, int32_t, s->spring_count + 1);
    s->level = dr_new(memory, int32_t, n);
    s->queue = dr_new(memory, int32_t, n);
    s->link_start = dr_new_zeroed(memory, int32_t, n);
    s->links = dr_new(memory, int32_t, 2 * (size_t)s->spring_count + 1);
    s->is_held = dr_new_zeroed(memory, uint8_t, n);
    return s->springs && s->group_start && s->mass && s->inverse_mass && s->block_zero &&
           s->order && s->level && s->queue && s->link_start && s->links && s->is_held;
}

static bool allocate_system(dr_springs* s, dr_memory* memory)
{
    size_t n = (size_t)s->vertex_count + 1;
    dr_record** records[] = {&s->b, &s->u, &s->r, &s->z, &s->p, &s->ap};
    for (size_t i = 0; i < sizeof records / sizeof *records; ++i) {
        *records[i] = dr_new_zeroed(memory, dr_record, n);
        if (!*records[i]) {
            return false;
        }
    }
    s->system = dr_new(memory, dr_spring_link, s->group_count + 1);
    s->inertia = dr_new_zeroed(memory, double, n);
    s->inverse = dr_allocate(memory, dr_array_bytes(n, sizeof *s->inverse));
    s->filter = dr_allocate(memory, dr_array_bytes(n, sizeof *s->filter));
    s->is_filtered = dr_new_zeroed(memory, uint8_t, s->block_count + 1);
    s->partial =
        dr_allocate_zeroed(memory, dr_array_bytes((size_t)s->block_count + 1, sizeof *s->partial));
    s->rooms = dr_new(memory, dr_spring_room, n);
    return s->system && s->inertia && s->inverse && s->filter && s->is_filtered && s->partial &&
           s->rooms;
}

// How many springs meet in each vertex, then where the groups of each begin.
static bool count_groups(dr_springs* s, dr_memory* memory)
{
    for (int i = 0; i < s->spring_count; ++i) {
        ++s->group_start[s->springs[i].v[0]];
        ++s->group_start[s->springs[i].v[1]];
    }
    int groups = 0;
    for (int v = 0; v <= s->vertex_count; ++v) {
        int count = s->group_start[v];
        s->group_start[v] = groups;
        groups += (count + 3) / 4;
    }
    s->group_count = groups;
    s->groups = dr_new_zeroed(memory, dr_spring_group, groups + 1);
    s->others = dr_allocate(memory, dr_array_bytes((size_t)groups + 1, sizeof *s->others));
    return s->groups && s->others;
}

static void put_side(dr_springs* s, const dr_spring* spring, int here, int other)
{
    int at = s->queue[here]++;
    int32_t g = s->group_start[here] + at / 4;
    dr_spring_group* group = &s->groups[g];
    s->others[g][at % 4] = other;
    group->rest[at % 4] = spring->rest;
    group->stiffness[at % 4] = spring->stiffness;
    group->hardening[at % 4] = spring->hardening;
}

static void fill_groups(dr_springs* s)
{
    for (int v = 0; v < s->vertex_count; ++v) {
        s->queue[v] = 0;
        for (int32_t g = s->group_start[v]; g < s->group_start[v + 1]; ++g) {
            for (int i = 0; i < 4; ++i) {
                s->others[g][i] = v;
            }
        }
    }
    for (int i = 0; i < s->spring_count; ++i) {
        const dr_spring* spring = &s->springs[i];
        put_side(s, spring, spring->v[0], spring->v[1]);
        put_side(s, spring, spring->v[1], spring->v[0]);
    }
}

// Springs to shorten, at each vertex.
static void fill_links(dr_springs* s)
{
    int32_t* start = s->link_start;
    for (int i = 0; i < s->spring_count; ++i) {
        const dr_spring* spring = &s->springs[i];
        if (spring->kind != DR_SPRING_BEND) {
            s->order[s->long_count++] = i;
            ++start[spring->v[0]];
            ++start[spring->v[1]];
        }
    }
    for (int v = 1; v <= s->vertex_count; ++v) {
        start[v] += start[v - 1];
    }
    for (int i = s->long_count - 1; i >= 0; --i) {
        const dr_spring* spring = &s->springs[s->order[i]];
        s->links[--start[spring->v[0]]] = s->order[i];
        s->links[--start[spring->v[1]]] = s->order[i];
    }
}

// The largest 2/m sum of k, and a length that is none.
static void find_limits(dr_springs* s)
{
    // Springs that harden are at most fully squeezed.
    double harder = dr_springs_hardens(s) ? 1.0 + 3.0 * s->def.hardening : 1.0;
    double most = 0.0, length = 0.0;
    for (int v = 0; v < s->vertex_count; ++v) {
        double sum = 0.0;
        s->inverse_mass[v] = 1.0 / s->mass[v];
        for (int32_t g = s->group_start[v]; g < s->group_start[v + 1]; ++g) {
            for (int i = 0; i < 4; ++i) {
                const dr_spring_group* group = &s->groups[g];
                sum += group->stiffness[i] * (group->hardening[i] > 0.0 ? harder : 1.0);
            }
        }
        most = fmax(most, 2.0 * sum * s->inverse_mass[v]);
    }
    for (int i = 0; i < s->spring_count; ++i) {
        length += s->springs[i].rest / s->spring_count;
    }
    s->step_limit = most > 0.0 ? 2.0 / sqrt(most) : INFINITY;
    s->least_length = 1e-10 * length;
}

bool dr_springs_create(dr_springs* springs, dr_memory* memory, const dr_springs_def* def)
{
    dr_springs* s = springs;
    const dr_mesh* mesh = def->mesh;
    *s = (dr_springs){.def = *def};
    s->def.mesh = NULL;
    s->vertex_count = mesh ? mesh->vertex_count : def->columns * def->rows;
    s->block_count = (s->vertex_count + DR_SPRINGS_BLOCK - 1) / DR_SPRINGS_BLOCK;
    if (!lay(s, memory, mesh) || !allocate_state(s, memory) || !lay(s, memory, mesh) ||
        !count_groups(s, memory) ||
        (def->integrator == DR_SPRINGS_IMPLICIT && !allocate_system(s, memory))) {
        return false;
    }
    if (mesh) {
        dr_springs_weigh_mesh(s, mesh);
    } else {
        dr_springs_weigh_grid(s);
    }
    fill_groups(s);
    fill_links(s);
    find_limits(s);
    return true;
}

void dr_springs_free(dr_springs* springs, dr_memory* memory)
{
    dr_springs* s = springs;
    size_t n = (size_t)s->vertex_count + 1;
    dr_record* records[] = {s->x, s->v, s->y, s->w, s->q, s->a, s->pull,
                            s->b, s->u, s->r, s->z, s->p, s->ap};
    for (size_t i = 0; i < sizeof records / sizeof *records; ++i) {
        dr_delete(memory, records[i], n);
    }
    dr_delete(memory, s->springs, s->spring_count + 1);
    dr_delete(memory, s->group_start, n);
    dr_delete(memory, s->groups, s->group_count + 1);
    dr_delete(memory, s->others, s->group_count + 1);
    dr_delete(memory, s->mass, n);
    dr_delete(memory, s->inverse_mass, n);
    dr_delete(memory, s->block_zero, s->block_count + 1);
    dr_delete(memory, s->order, s->spring_count + 1);
    dr_delete(memory, s->level, n);
    dr_delete(memory, s->queue, n);
    dr_delete(memory, s->link_start, n);
    dr_delete(memory, s->links, 2 * (size_t)s->spring_count + 1);
    dr_delete(memory, s->is_held, n);
    dr_delete(memory, s->system, s->group_count + 1);
    dr_delete(memory, s->inertia, n);
    dr_delete(memory, s->inverse, n);
    dr_delete(memory, s->filter, n);
    dr_delete(memory, s->is_filtered, s->block_count + 1);
    dr_delete(memory, s->partial, s->block_count + 1);
    dr_delete(memory, s->rooms, n);
    *s = (dr_springs){0};
}

bool dr_springs_hardens(const dr_springs* s)
{
    return s->def.eight_bends && s->def.hardening > 0.0;
}

double dr_springs_step_limit(const dr_springs* springs)
{
    return springs->step_limit;
}

// --- State ---

void dr_springs_set_state(dr_springs* springs, const double (*places)[3],
                          const double (*velocities)[3])
{
    dr_springs* s = springs;
    for (int v = 0; v < s->vertex_count; ++v) {
        for (int c = 0; c < 3; ++c) {
            s->x[v][c] = s->y[v][c] = s->q[v][c] = places[v][c];
            s->v[v][c] = velocities ? velocities[v][c] : 0.0;
        }
    }
}

static void read_records(const dr_record* from, double (*to)[3], int count)
{
    for (int v = 0; v < count; ++v) {
        memcpy(to[v], from[v], 3 * sizeof(double));
    }
}

void dr_springs_get_state(const dr_springs* springs, double (*places)[3], double (*velocities)[3])
{
    if (places) {
        read_records((const dr_record*)springs->x, places, springs->vertex_count);
    }
    if (velocities) {
        read_records((const dr_record*)springs->v, velocities, springs->vertex_count);
    }
}

void dr_springs_get_candidate(const dr_springs* springs, double (*places)[3])
{
    read_records((const dr_record*)springs->q, places, springs->vertex_count);
}

void dr_springs_get_candidate_floats(const dr_springs* springs, drape_vec3* places)
{
    for (int v = 0; v < springs->vertex_count; ++v) {
        const double* q = springs->q[v];
        places[v] = (drape_vec3){(float)q[0], (float)q[1], (float)q[2]};
    }
}
