#include "contact/sensor_particles.h"

#include <math.h>
#include <string.h>

#include "core/random.h"

// The first relaxation has further to go.
enum { first_factor = 4 };

// Shares of a cell: a longer move counts as moving; the longest move; the least distance in a
// denominator.
static const double still_share = 0.02, step_share = 0.5, least_share = 0.25;

dr_particles_options dr_particles_defaults(void)
{
    return (dr_particles_options){
        .count = 9,
        .most_moves = 50,
        .least_moving = 1,
        .reseed_frames = 10,
        .attraction = 20.0,
        .repulsion = 10.0,
        .spread = 0.3,
        .mobility = 0.02,
    };
}

// --- Create and free ---

static const dr_mesh* mesh_of(const dr_particles* particles)
{
    return particles->geodesic->mesh;
}

bool dr_particles_create(dr_particles* particles, dr_memory* memory, const dr_geodesic* geodesic,
                         const dr_particles_options* options)
{
    *particles = (dr_particles){.options = *options, .geodesic = geodesic};
    dr_particles_options* o = &particles->options;
    const dr_mesh* mesh = geodesic->mesh;
    o->count = o->count < 1 ? 1 : o->count > DR_MOST_PARTICLES ? DR_MOST_PARTICLES : o->count;
    o->cell = o->cell > 0.0 ? o->cell : geodesic->cell;
    o->tolerance = o->tolerance > 0.0 ? o->tolerance : o->cell;
    if (!(geodesic->side > 0.0)) {
        // No area, no place for particles.
        o->count = 0;
        return true;
    }
    particles->area = dr_new(memory, double, mesh->triangle_count);
    particles->rows = dr_new(memory, double, DR_GEODESIC_SEEDS * o->count);
    if (!particles->area || !particles->rows) {
        return false;
    }
    double sum = 0.0;
    for (int t = 0; t < mesh->triangle_count; ++t) {
        sum += mesh->rest_area[t];
        particles->area[t] = sum;
    }
    for (int i = 0; i < o->count; ++i) {
        dr_particles_throw(particles, i);
    }
    return true;
}

void dr_particles_free(dr_particles* particles, dr_memory* memory)
{
    if (particles->geodesic) {
        dr_delete(memory, particles->area, mesh_of(particles)->triangle_count);
        dr_delete(memory, particles->rows, DR_GEODESIC_SEEDS * particles->options.count);
    }
    *particles = (dr_particles){0};
}

static double* row_of(const dr_particles* particles, int i)
{
    return particles->rows + (size_t)i * DR_GEODESIC_SEEDS;
}

// Its row of distances always goes with its place.
void dr_particles_put(dr_particles* particles, int i, const dr_material_point* at)
{
    particles->at[i] = *at;
    dr_geodesic_row(particles->geodesic, &particles->at[i], row_of(particles, i));
}

// --- Chance ---

static double draw(dr_particles* particles)
{
    return dr_random_unit(particles->options.seed, particles->drawn++);
}

void dr_particles_throw(dr_particles* particles, int i)
{
    int last = mesh_of(particles)->triangle_count - 1, lo = 0, hi = last;
    double wanted = draw(particles) * particles->area[last];
    // The first triangle whose sum is above: never one without area.
    while (lo < hi) {
        int middle = (lo + hi) / 2;
        if (particles->area[middle] > wanted) {
            hi = middle;
        } else {
            lo = middle + 1;
        }
    }
    double s = draw(particles);
    dr_material_point at = dr_material_spread(lo, s, draw(particles));
    dr_particles_put(particles, i, &at);
}

// --- Forces ---

typedef struct pair {
    double straight, original;
    double across[3];            // unit vector from i to j in space
    double from_i[3], from_j[3]; // of the way along the cloth
} pair;

// Where all of them are in space.
static void find_places(const dr_particles* particles, const drape_vec3* places, double x[][3])
{
    for (int i = 0; i < particles->options.count; ++i) {
        dr_material_place(mesh_of(particles), places, &particles->at[i], x[i]);
    }
}

static pair pair_of(const dr_particles* particles, double x[][3], int i, int j)
{
    pair p = {0};
    for (int d = 0; d < 3; ++d) {
        p.across[d] = x[j][d] - x[i][d];
        p.straight += p.across[d] * p.across[d];
    }
    p.straight = sqrt(p.straight);
    for (int d = 0; d < 3 && p.straight > 0.0; ++d) {
        p.across[d] /= p.straight;
    }
    p.original = dr_geodesic_between(particles->geodesic, &particles->at[i], row_of(particles, i),
                                     &particles->at[j], row_of(particles, j), p.from_i, p.from_j);
    return p;
}

// Turns a pull through space into one on the rest shape: along the way on which the particle gets
// on best in that direction.
static void add_pull(const dr_particles* particles, const drape_vec3* places, int i,
                     const double pull[3], double force[3])
{
    const dr_mesh* mesh = mesh_of(particles);
    int t = particles->at[i].triangle;
    double values[3], gradient[3];
    for (int k = 0; k < 3; ++k) {
        drape_vec3 x = places[mesh->triangles[t][k]];
        values[k] = pull[0] * x.x + pull[1] * x.y + pull[2] * x.z;
    }
    // Only differences count; the place itself may be far from the origin.
    for (int k = 2; k >= 0; --k) {
        values[k] -= values[0];
    }
    dr_material_gradient(mesh, t, values, gradient);
    for (int d = 0; d < 3; ++d) {
        force[d] += gradient[d];
    }
}

// What acts on all of them: pulls through space, and forces on the rest shape.
typedef struct forces {
    double pull[DR_MOST_PARTICLES][3], force[DR_MOST_PARTICLES][3];
} forces;

// Two at one place have no way between them; by chance they get one, or they would stay together.
static void part_ways(const dr_particles* particles, int i, int j, pair* p)
{
    double values[3], square = 0.0;
    for (int k = 0; k < 3; ++k) {
        uint32_t number = (uint32_t)(3 * (i * DR_MOST_PARTICLES + j) + k);
        values[k] = (double)dr_random_signed(~particles->options.seed, number);
    }
    dr_material_gradient(mesh_of(particles), particles->at[i].triangle, values, p->from_i);
    for (int d = 0; d < 3; ++d) {
        square += p->from_i[d] * p->from_i[d];
    }
    for (int d = 0; d < 3 && square > 0.0; ++d) {
        p->from_i[d] /= sqrt(square);
        p->from_j[d] = -p->from_i[d];
    }
}

static void add_pair(const dr_particles* particles, double x[][3], int i, int j, forces* sum)
{
    const dr_particles_options* o = &particles->options;
    const dr_geodesic* g = particles->geodesic;
    pair p = pair_of(particles, x, i, j);
    if (g->is_flat && p.original == 0.0) {
        part_ways(particles, i, j, &p);
    }
    double least = least_share * o->cell;
    double straight = fmax(p.straight, least), original = fmax(p.original, least);
    bool is_joined = p.original < g->beyond;
    // Pieces that are not joined attract as if they were one cloth's length apart.
    double ways = is_joined ? original : straight + g->side;
    double attraction = ways > straight ? o->attraction * (ways - straight) / straight : 0.0;
    double repulsion = is_joined ? o->repulsion * o->spread * g->side / original : 0.0;
    for (int d = 0; d < 3; ++d) {
        sum->pull[i][d] += attraction * p.across[d];
        sum->pull[j][d] -= attraction * p.across[d];
        sum->force[i][d] -= repulsion * p.from_i[d];
        sum->force[j][d] -= repulsion * p.from_j[d];
    }
}

static void find_forces(const dr_particles* particles, const drape_vec3* places, forces* sum)
{
    double x[DR_MOST_PARTICLES][3];
    int count = particles->options.count;
    memset(sum, 0, sizeof *sum);
    find_places(particles, places, x);
    for (int i = 0; i < count; ++i) {
        for (int j = i + 1; j < count; ++j) {
            add_pair(particles, x, i, j, sum);
        }
    }
    for (int i = 0; i < count; ++i) {
        add_pull(particles, places, i, sum->pull[i], sum->force[i]);
    }
}

// --- Moves ---

// Moves all at once; returns how many went far enough to count.
static int move_all(dr_particles* particles, const drape_vec3* places)
{
    const dr_particles_options* o = &particles->options;
    forces sum;
    int moving = 0;
    find_forces(particles, places, &sum);
    for (int i = 0; i < o->count; ++i) {
        double* move = sum.force[i];
        double scale = o->mobility * o->cell, most = step_share * o->cell;
        double length = scale * sqrt(move[0] * move[0] + move[1] * move[1] + move[2] * move[2]);
        scale *= length > most ? most / length : 1.0;
        for (int d = 0; d < 3; ++d) {
            move[d] *= scale;
        }
        double gone = dr_material_walk(mesh_of(particles), &particles->at[i], move);
        moving += gone > still_share * o->cell;
        dr_geodesic_row(particles->geodesic, &particles->at[i], row_of(particles, i));
    }
    return moving;
}

int dr_particles_relax(dr_particles* particles, const drape_vec3* places, int most_moves)
{
    int moves = 0, moving = particles->options.least_moving;
    while (moves < most_moves && moving >= particles->options.least_moving) {
        moving = move_all(particles, places);
        ++moves;
    }
    return moves;
}

// --- The gate ---

static bool opens(const dr_particles_options* o, const pair* p)
{
    return p->straight < o->tolerance && p->original > 2.0 * p->straight &&
           p->original - p->straight > o->cell;
}

dr_gate dr_particles_judge(const dr_particles* particles, const drape_vec3* places)
{
    // One alone sees no fold.
    dr_gate gate = {
        .is_open = particles->options.count < 2, .straight = INFINITY, .least_straight = INFINITY};
    double x[DR_MOST_PARTICLES][3];
    find_places(particles, places, x);
    for (int i = 0; i < particles->options.count; ++i) {
        for (int j = i + 1; j < particles->options.count; ++j) {
            pair p = pair_of(particles, x, i, j);
            bool is_open = opens(&particles->options, &p);
            if (is_open > gate.is_open || (is_open == gate.is_open && p.straight < gate.straight)) {
                gate.is_open = is_open;
                gate.pair[0] = i;
                gate.pair[1] = j;
                gate.straight = p.straight;
                gate.original = p.original;
            }
            gate.least_straight = fmin(gate.least_straight, p.straight);
        }
    }
    return gate;
}

dr_gate dr_particles_look(dr_particles* particles, const drape_vec3* places)
{
    const dr_particles_options* o = &particles->options;
    if (o->count == 0) {
        return dr_particles_judge(particles, places);
    }
    ++particles->frame;
    if (o->reseed_frames > 0 && particles->frame % o->reseed_frames == 0) {
        dr_particles_throw(particles, (int)(draw(particles) * o->count));
    }
    int most = o->most_moves * (particles->has_relaxed ? 1 : first_factor);
    particles->has_relaxed = true;
    int moves = dr_particles_relax(particles, places, most);
    dr_gate gate = dr_particles_judge(particles, places);
    gate.moves = moves;
    return gate;
}
