// scene/model.h: what moves a cloth in place of xpbd.
//
// Models keep places and velocities in doubles and find a candidate within limits
// (solver/limits.h). Here they have one face, so that the world need not know which of them a cloth
// has: the elastic sheet (solver/elastic.h) or masses and springs (solver/springs.h).
#ifndef DR_MODEL_H
#define DR_MODEL_H

#include "solver/elastic.h"
#include "solver/springs.h"

typedef struct dr_model {
    int vertex_count;
    dr_elastic* elastic; // one of the two
    dr_springs* springs;
    double (*backup)[3]; // places, then velocities, before the step
} dr_model;

// What a model is made of beside its mesh.
typedef struct dr_model_source {
    const drape_world_def* world;
    const drape_fabric* fabric;
    const dr_mesh* mesh;
    // A grid when columns is above 0.
    double size_x, size_z;
    int columns, rows;
} dr_model_source;

// A sentence when the world's model cannot take this cloth, else null.
const char* dr_model_refusal(const dr_model_source* source);
// Null when memory is short.
dr_model* dr_model_create(dr_memory* memory, const dr_model_source* source);
void dr_model_destroy(dr_model* model, dr_memory* memory);

// From the committed state into the backup, and back.
void dr_model_save(dr_model* model);
void dr_model_restore(dr_model* model);

// The longest substep to take, s.
double dr_model_step_limit(const dr_model* model);
// Makes the system of a substep. False when it should be begun again with half of dt.
// `acceleration` of each vertex may be null.
bool dr_model_begin(dr_model* model, double dt, drape_vec3 gravity, const drape_vec3* acceleration,
                    dr_pool* pool, drape_isa isa);
// Between begin and solve: pulls a vertex to a place by a spring, N/m, implicitly.
void dr_model_add_spring(dr_model* model, int vertex, double stiffness, drape_vec3 place);
typedef struct dr_model_effort {
    int sweeps;        // or iterations
    bool is_converged; // and stable
} dr_model_effort;

// The candidate within the limits of the vertices from `first_vertex` on, as floats into `places`.
dr_model_effort dr_model_solve(dr_model* model, const dr_limits* limits, int first_vertex, drape_vec3* places,
                   dr_pool* pool, drape_isa isa);
// Overrules the solver for one vertex before the commit.
void dr_model_set_candidate(dr_model* model, int vertex, drape_vec3 place);
// The candidate becomes the state; nothing changes when it is not finite.
void dr_model_commit(dr_model* model, drape_isa isa);

#endif
