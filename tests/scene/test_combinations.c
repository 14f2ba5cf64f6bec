// Every model with every response to obstacles and every kind of self-collision: those that run keep
// what each part promises, the others are refused with a sentence, and docs/methods.md says which is
// which.
#include "contact/self_gate.h"
#include "scene/trials.h"
#include "scene/world.h"
#include "trials_test.h"

// --- The words ---

typedef struct model_word {
    const char* name;
    drape_model model;
    drape_integrator integrator;
    float most_stretch; // of the soft sheet in this scene
} model_word;

static const model_word models[] = {
    {"`xpbd`", DRAPE_MODEL_XPBD, DRAPE_INTEGRATOR_VERLET, 0.2f},
    {"`elastic`", DRAPE_MODEL_ELASTIC, DRAPE_INTEGRATOR_VERLET, 0.2f},
    {"`springs`, `verlet`", DRAPE_MODEL_SPRINGS, DRAPE_INTEGRATOR_VERLET, 0.2f},
    {"`springs`, `implicit`", DRAPE_MODEL_SPRINGS, DRAPE_INTEGRATOR_IMPLICIT, 0.4f},
};

typedef struct obstacle_word {
    const char* name;
    drape_obstacle_response response;
    bool keeps_triangles; // no triangle of the cloth crosses a solid
} obstacle_word;

static const obstacle_word obstacles[] = {
    {"`predictive`", DRAPE_OBSTACLES_PREDICTIVE, true},
    {"`slide`", DRAPE_OBSTACLES_SLIDE, true},
    {"`ray`", DRAPE_OBSTACLES_RAY, true},
    {"`filter`", DRAPE_OBSTACLES_FILTER, true},
    {"`discrete`", DRAPE_OBSTACLES_DISCRETE, false},
};

typedef enum self_promise {
    NOTHING,    // cloth passes through cloth
    WHILE_OPEN, // nothing comes to cross in a step in which the gate is open
    NO_CROSSING,
} self_promise;

typedef struct self_word {
    const char* name;
    drape_self_collision self;
    drape_hierarchy hierarchy;
    bool in_front; // a gate of particles
    self_promise promise;
    bool holds_vertices; // solids are kept from vertices alone, not from triangles
} self_word;

static const self_word selves[] = {
    {"`none`", DRAPE_SELF_NONE, DRAPE_HIERARCHY_SWEPT, false, NOTHING, false},
    {"`geometric`", DRAPE_SELF_GEOMETRIC, DRAPE_HIERARCHY_MATERIAL, false, NO_CROSSING, false},
    {"`boxes`", DRAPE_SELF_BOXES, DRAPE_HIERARCHY_MATERIAL, false, NO_CROSSING, false},
    {"`particles`", DRAPE_SELF_PARTICLES, DRAPE_HIERARCHY_BOTTOM_UP, false, WHILE_OPEN, false},
    {"gate, `geometric`", DRAPE_SELF_GEOMETRIC, DRAPE_HIERARCHY_MATERIAL, true, WHILE_OPEN, false},
    {"gate, `boxes`", DRAPE_SELF_BOXES, DRAPE_HIERARCHY_MATERIAL, true, WHILE_OPEN, false},
    {"`predictive`", DRAPE_SELF_PREDICTIVE, DRAPE_HIERARCHY_SWEPT, false, NOTHING, true},
    {"`guarded`", DRAPE_SELF_GUARDED, DRAPE_HIERARCHY_SWEPT, false, NO_CROSSING, false},
};

enum {
    MODELS = sizeof models / sizeof models[0],
    OBSTACLES = sizeof obstacles / sizeof obstacles[0],
    SELVES = sizeof selves / sizeof selves[0],
    COMBINATIONS = MODELS * OBSTACLES * SELVES,
    ANY = -1,
};

// --- What is refused ---

typedef struct refusal {
    int model, obstacles, self; // ANY: all of them
    const char* sentence;
} refusal;

#define NEEDS "needs the cloth model `xpbd` and the obstacle response `predictive`"
#define PREDICTIVE_NEEDS "self-collision `predictive` " NEEDS
#define GUARDED_NEEDS "self-collision `guarded` " NEEDS
#define DISCRETE_NEEDS                                                                            \
    "the obstacle response `discrete` needs the cloth model `xpbd` and self-collision `none` or " \
    "`predictive`"

// The first that fits counts; what fits none runs.
static const refusal refusals[] = {
    {DRAPE_MODEL_ELASTIC, DRAPE_OBSTACLES_PREDICTIVE, ANY,
     "the cloth model `elastic` needs the obstacle response `slide` or `ray`"},
    {DRAPE_MODEL_SPRINGS, DRAPE_OBSTACLES_PREDICTIVE, ANY,
     "the cloth model `springs` needs the obstacle response `ray`, `filter` or `slide`"},
    {DRAPE_MODEL_XPBD, DRAPE_OBSTACLES_FILTER, ANY,
     "the obstacle response `filter` needs the cloth model `springs`"},
    {DRAPE_MODEL_ELASTIC, DRAPE_OBSTACLES_FILTER, ANY,
     "the obstacle response `filter` needs the cloth model `springs`"},
    {DRAPE_MODEL_ELASTIC, DRAPE_OBSTACLES_DISCRETE, ANY, DISCRETE_NEEDS},
    {DRAPE_MODEL_SPRINGS, DRAPE_OBSTACLES_DISCRETE, ANY, DISCRETE_NEEDS},
    {ANY, DRAPE_OBSTACLES_DISCRETE, DRAPE_SELF_GEOMETRIC, DISCRETE_NEEDS},
    {ANY, DRAPE_OBSTACLES_DISCRETE, DRAPE_SELF_BOXES, DISCRETE_NEEDS},
    {ANY, DRAPE_OBSTACLES_DISCRETE, DRAPE_SELF_PARTICLES, DISCRETE_NEEDS},
    {ANY, DRAPE_OBSTACLES_DISCRETE, DRAPE_SELF_GUARDED, DISCRETE_NEEDS},
    {DRAPE_MODEL_ELASTIC, ANY, DRAPE_SELF_PREDICTIVE, PREDICTIVE_NEEDS},
    {DRAPE_MODEL_SPRINGS, ANY, DRAPE_SELF_PREDICTIVE, PREDICTIVE_NEEDS},
    {ANY, DRAPE_OBSTACLES_SLIDE, DRAPE_SELF_PREDICTIVE, PREDICTIVE_NEEDS},
    {ANY, DRAPE_OBSTACLES_RAY, DRAPE_SELF_PREDICTIVE, PREDICTIVE_NEEDS},
    {DRAPE_MODEL_ELASTIC, ANY, DRAPE_SELF_GUARDED, GUARDED_NEEDS},
    {DRAPE_MODEL_SPRINGS, ANY, DRAPE_SELF_GUARDED, GUARDED_NEEDS},
    {ANY, DRAPE_OBSTACLES_SLIDE, DRAPE_SELF_GUARDED, GUARDED_NEEDS},
    {ANY, DRAPE_OBSTACLES_RAY, DRAPE_SELF_GUARDED, GUARDED_NEEDS},
};
enum { REFUSALS = sizeof refusals / sizeof refusals[0] };

static bool fits(int wanted, int is)
{
    return wanted == ANY || wanted == is;
}

// Null: it runs.
static const char* expected_refusal(const model_word* m, const obstacle_word* o, const self_word* s)
{
    for (int i = 0; i < REFUSALS; ++i) {
        const refusal* r = &refusals[i];
        if (fits(r->model, (int)m->model) && fits(r->obstacles, (int)o->response) &&
            fits(r->self, (int)s->self)) {
            return r->sentence;
        }
    }
    return NULL;
}

// --- One of them ---

typedef struct combination {
    const model_word* model;
    const obstacle_word* obstacles;
    const self_word* self;
    const char* refusal;
    char name[96];
} combination;

static combination combination_at(int index)
{
    combination c = {&models[index / (OBSTACLES * SELVES)], &obstacles[index / SELVES % OBSTACLES],
                     &selves[index % SELVES], NULL, ""};
    c.refusal = expected_refusal(c.model, c.obstacles, c.self);
    snprintf(c.name, sizeof c.name, "%s on %s with %s", c.model->name, c.obstacles->name,
             c.self->name);
    return c;
}

static drape_world_def def_of(const combination* c, int workers)
{
    drape_world_def def = drape_world_defaults();
    def.method = (drape_method){.model = c->model->model,
                                .integrator = c->model->integrator,
                                .obstacles = c->obstacles->response,
                                .self = c->self->self,
                                .hierarchy = c->self->hierarchy};
    def.particles.in_front = c->self->in_front;
    def.thickness = 0.004f;
    def.damping = 2.0f;
    def.substeps = 1;
    def.iterations = 4;
    def.worker_count = workers;
    return def;
}

// --- The scene ---

// A sheet, folded over itself, falls on a box and beside it to the floor:
//
//       _________
//      (_____________
//           |##|
//     ______|##|______
//
// Steps are so short that each is one substep, to see every state there is.
#define STEP (1.0f / 600.0f)
enum { SIDE = 10, STEPS = 160, MIDDLE = 60, FRAME_STEPS = 10 };

typedef struct fall {
    drape_world* world;
    drape_cloth_id cloth;
    drape_collider_id solids[2];
} fall;

static drape_vec3 folded_at(float x, float z)
{
    const float fold = 0.2f, radius = 0.025f, turn = 0.3f;
    float past = x - fold, arc = 3.14159265f * radius, along = x, up = 0.0f;
    if (past > arc) {
        along = fold - (past - arc);
        up = 2.0f * radius;
    } else if (past > 0.0f) {
        along = fold + radius * sinf(past / radius);
        up = radius - radius * cosf(past / radius);
    }
    along -= 0.1f;
    z -= 0.2f;
    return vec(along * cosf(turn) - z * sinf(turn), 0.108f + up,
               along * sinf(turn) + z * cosf(turn));
}

static fall make_fall(const combination* c, int workers)
{
    drape_world_def def = def_of(c, workers);
    fall f = {.world = drape_world_create(&def)};
    ck_assert_msg(f.world != NULL, "%s", c->name);
    f.solids[0] = drape_collider_add_box(f.world, vec(0, 0.05f, 0), vec(0.1f, 0.1f, 0.12f));
    f.solids[1] = drape_collider_add_plane(f.world, vec(0, 0, 0), vec(0, 1, 0));
    f.cloth = add_paper(f.world, 0.4f, SIDE, vec(0, 0.5f, 0));
    drape_vec3 places[SIDE * SIDE], velocities[SIDE * SIDE];
    for (int v = 0; v < SIDE * SIDE; ++v) {
        places[v] =
            folded_at(0.4f * (float)(v % SIDE) / (SIDE - 1), 0.4f * (float)(v / SIDE) / (SIDE - 1));
        velocities[v] = vec(0, places[v].y > 0.14f ? -0.5f : 0.0f, 0);
    }
    ck_assert(drape_cloth_set_state(f.world, f.cloth, places, velocities, SIDE * SIDE));
    return f;
}

static uint64_t hash_after(drape_world* world, int steps)
{
    for (int i = 0; i < steps; ++i) {
        drape_world_step(world, STEP);
    }
    return drape_world_hash(world);
}

// --- Watching it ---

// Whether the gate let anybody look in the last step.
static bool was_open(const fall* f)
{
    bool is_short;
    const dr_self_gate* gate = dr_world_gate(f->world, &is_short);
    ck_assert(gate && !is_short);
    return gate->parts[0].is_open;
}

typedef struct watch {
    int64_t crossings; // of the cloth with itself, at the last look
    int crossed_steps, open_steps;
    bool has_touched;
} watch;

static void watch_step(const combination* c, fall* f, watch* w)
{
    drape_step_report report = drape_world_step(f->world, STEP);
    ck_assert_msg(report.substeps == 1, "%s: %d substeps", c->name, report.substeps);
    ck_assert_msg(report.non_finite_count == 0 && is_finite_cloth(f->world, f->cloth), "%s",
                  c->name);
    ck_assert_msg(report.max_stretch < c->model->most_stretch, "%s: stretched by %g", c->name,
                  (double)report.max_stretch);
    int64_t before = w->crossings;
    w->crossings = judge_cloths(f->world, &f->cloth, 1, NULL, 0).self;
    w->crossed_steps += w->crossings > 0;
    w->has_touched = w->has_touched || report.contact_count > 0;
    if (c->self->promise == WHILE_OPEN) {
        bool is_open = was_open(f);
        w->open_steps += is_open;
        ck_assert_msg(!is_open || before > 0 || w->crossings == 0,
                      "%s: %lld crossings with the gate open", c->name, (long long)w->crossings);
    } else if (c->self->promise == NO_CROSSING) {
        ck_assert_msg(w->crossings == 0, "%s: %lld crossings", c->name, (long long)w->crossings);
    }
}

static void watch_solids(const combination* c, fall* f)
{
    verdict v = judge_cloths(f->world, &f->cloth, 1, f->solids, 2);
    ck_assert_msg(v.inside == 0, "%s: %d vertices inside", c->name, v.inside);
    if (c->obstacles->keeps_triangles && !c->self->holds_vertices) {
        ck_assert_msg(v.obstacle == 0, "%s: %lld crossings with solids", c->name,
                      (long long)v.obstacle);
    }
}

// --- Tests ---

typedef struct saved {
    void* bytes;
    size_t size;
} saved;

static saved save(const drape_world* world)
{
    saved s = {0};
    ck_assert(drape_world_save(world, NULL, &s.size));
    s.bytes = malloc(s.size);
    ck_assert(drape_world_save(world, s.bytes, &s.size));
    return s;
}

static void expect_refused(const combination* c)
{
    drape_world_def def = def_of(c, 1);
    ck_assert_msg(drape_world_refusal(&def) != NULL, "%s is not refused", c->name);
    ck_assert_str_eq(drape_world_refusal(&def), c->refusal);
    ck_assert_str_eq(drape_method_refusal(&def.method), c->refusal);
    ck_assert_ptr_null(drape_world_create(&def));
}

// Another world goes on from the middle to the same end, and two threads get as far as the middle.
static void expect_same(const combination* c, const saved* middle, uint64_t hash_middle,
                        uint64_t hash_end)
{
    fall loaded = make_fall(c, 1), threads = make_fall(c, 2);
    ck_assert_msg(drape_world_load(loaded.world, middle->bytes, middle->size), "%s: %s", c->name,
                  drape_world_error(loaded.world));
    ck_assert_msg(hash_after(loaded.world, STEPS - MIDDLE) == hash_end, "%s: not as saved",
                  c->name);
    ck_assert_msg(hash_after(threads.world, MIDDLE) == hash_middle, "%s: not as on one thread",
                  c->name);
    drape_world_destroy(loaded.world);
    drape_world_destroy(threads.world);
}

START_TEST(every_combination_keeps_its_promise_or_is_refused)
{
    combination c = combination_at(_i);
    if (c.refusal) {
        expect_refused(&c);
        return;
    }
    fall f = make_fall(&c, 1);
    watch w = {0};
    saved middle = {0};
    uint64_t hash_middle = 0;
    for (int step = 1; step <= STEPS; ++step) {
        watch_step(&c, &f, &w);
        if (step % FRAME_STEPS == 0) {
            watch_solids(&c, &f);
        }
        if (step == MIDDLE) {
            middle = save(f.world);
            hash_middle = drape_world_hash(f.world);
        }
    }
    // The scene has teeth: all come down, and without self-collision the fold goes through itself.
    ck_assert_msg(w.has_touched, "%s", c.name);
    ck_assert_msg(c.self->self != DRAPE_SELF_NONE || w.crossed_steps > 0, "%s", c.name);
    ck_assert_msg(c.self->promise != WHILE_OPEN || w.open_steps > 0, "%s", c.name);
    expect_same(&c, &middle, hash_middle, drape_world_hash(f.world));
    free(middle.bytes);
    drape_world_destroy(f.world);
}
END_TEST

// The box is thrown up into the sheet at 3 m/s, turning.
START_TEST(solids_that_move_stay_outside)
{
    combination c = combination_at(_i * SELVES);
    if (c.refusal) {
        return;
    }
    fall f = make_fall(&c, 1);
    for (int step = 1; step <= MIDDLE; ++step) {
        float t = (float)step * STEP;
        drape_collider_move(f.world, f.solids[0],
                            pose_at(vec(0, 0.05f + 3.0f * t, 0), vec(0, 90.0f * t, 0)));
        drape_step_report report = drape_world_step(f.world, STEP);
        ck_assert_int_eq(report.non_finite_count, 0);
        watch_solids(&c, &f);
    }
    // The sheet went along.
    ck_assert_float_gt(middle_of(f.world, f.cloth).y, 0.3f);
    drape_world_destroy(f.world);
}
END_TEST

// --- The table ---

static char* read_page(void)
{
    FILE* file = fopen(DRAPE_SOURCE_DIR "/docs/methods.md", "rb");
    ck_assert_ptr_nonnull(file);
    enum { most = 1 << 18 };
    char* text = malloc(most);
    size_t size = fread(text, 1, most - 1, file);
    text[size] = '\0';
    fclose(file);
    return text;
}

static void expect_line(const char* page, const char* line)
{
    ck_assert_msg(strstr(page, line) != NULL, "docs/methods.md should have\n%s", line);
}

// A row of the table: the name, then what is said of each column.
START_TEST(the_page_tells_which_run)
{
    char* page = read_page();
    for (int m = 0; m < MODELS; ++m) {
        char line[256];
        int at = snprintf(line, sizeof line, "\n| %s |", models[m].name);
        for (int o = 0; o < OBSTACLES; ++o) {
            bool runs = !expected_refusal(&models[m], &obstacles[o], &selves[0]);
            at += snprintf(line + at, sizeof line - (size_t)at, " %s |", runs ? "yes" : "refused");
        }
        // Self-collision: with any response to obstacles.
        for (int s = 0; s < SELVES; ++s) {
            bool runs = false;
            for (int o = 0; o < OBSTACLES; ++o) {
                runs = runs || !expected_refusal(&models[m], &obstacles[o], &selves[s]);
            }
            at += snprintf(line + at, sizeof line - (size_t)at, " %s |", runs ? "yes" : "refused");
        }
        expect_line(page, line);
    }
    free(page);
}
END_TEST

int main(void)
{
    Suite* suite = suite_create("combinations");
    TCase* cases = tcase_create("combinations");
    tcase_add_loop_test(cases, every_combination_keeps_its_promise_or_is_refused, 0, COMBINATIONS);
    tcase_add_loop_test(cases, solids_that_move_stay_outside, 0, MODELS * OBSTACLES);
    tcase_add_test(cases, the_page_tells_which_run);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
