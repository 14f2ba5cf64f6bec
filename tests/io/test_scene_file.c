// Scene files: what is read, what is refused and in which words, overrides, the scenes that come
// along and the examples of docs/scene.md.
#include "io_test.h"

#include "io/file.h"
#include "io/scene_file.h"

static const drape_scene_options no_options = {0};

static bool read_text(dr_scene_desc* scene, const char* text, const drape_scene_options* options,
                      drape_error* error)
{
    return dr_scene_read(scene, text, strlen(text), "s.json", options, error);
}

// --- What is read ---

START_TEST(defaults)
{
    dr_scene_desc scene;
    drape_error error;
    ck_assert(
        read_text(&scene, "{\"drape\": 1, \"cloths\": [{\"grid\": {}}]}", &no_options, &error));
    drape_world_def world = drape_world_defaults();
    ck_assert_int_eq(scene.frame_count, 90);
    ck_assert_float_eq(scene.fps, 30.0f);
    ck_assert_str_eq(scene.description, "");
    ck_assert_str_eq(scene.method, "drape");
    ck_assert_int_eq(scene.def.method.self, DRAPE_SELF_GUARDED);
    ck_assert_int_eq(scene.def.substeps, world.substeps);
    ck_assert_float_eq(scene.def.gravity.y, -9.81f);
    ck_assert_float_eq(scene.def.wind.drag, 0.0f);
    ck_assert_float_lt(scene.def.friction_static, 0.0f);
    ck_assert_int_eq(scene.collider_count, 0);
    ck_assert_int_eq(scene.cloth_count, 1);
    const dr_cloth_desc* cloth = &scene.cloths[0];
    ck_assert_str_eq(cloth->name, "cloth0");
    ck_assert_int_eq(cloth->shape, DR_CLOTH_GRID);
    ck_assert_float_eq(cloth->size[0], 1.0f);
    ck_assert_int_eq(cloth->resolution[1], 51);
    ck_assert_float_eq(cloth->def.fabric.density, drape_fabric_cotton().density);
    ck_assert_int_eq(cloth->layer, -1);
    dr_scene_desc_free(&scene);
}
END_TEST

// Every key of the format, each with a value that is not its default.
static const char everything[] =
    "{ \"drape\": 1, // all keys\n"
    "  \"description\": \"all\", \"frames\": 7, \"fps\": 24.5, \"gravity\": [1, 2, 3], \"seed\": "
    "5,\n"
    "  \"wind\": { \"velocity\": [4, 5, 6], \"gust\": 0.5, \"seed\": 9, \"drag\": 2, \"lift\": "
    "0.25 },\n"
    "  \"method\": \"predict\",\n"
    "  \"solver\": { \"model\": \"springs\", \"integrator\": \"implicit\", \"substeps\": 3,\n"
    "    \"iterations\": 2, \"damping\": 0.5,\n"
    "    \"elastic\": { \"bend\": \"abs\", \"form\": \"stiff\", \"dt\": 0.001 },\n"
    "    \"springs\": { \"max_elongation\": 0.2, \"sweeps\": 4, \"order\": \"from_pins\",\n"
    "      \"damping\": 0.002, \"eight_bends\": true, \"hardening\": 7, \"structural\": 30,\n"
    "      \"shear\": 6, \"bend\": 3 } },\n"
    "  \"collision\": { \"self\": \"boxes\", \"obstacles\": \"ray\", \"hierarchy\": \"octree\",\n"
    "    \"thickness\": 0.003, \"friction\": [0.4, 0.3], \"static_radius\": 0.02, \"max_runs\": "
    "8,\n"
    "    \"particles\": { \"count\": 4, \"tolerance\": 0.1, \"n_max\": 20, \"n_min\": 2, \"seed\": "
    "5,\n"
    "      \"gate\": false, \"positive\": false, \"outline\": false, \"in_front\": true },\n"
    "    \"features\": \"points\", \"cache\": \"contacts.bin\", \"layers\": false,\n"
    "    \"regions\": [[0, 1], [1, 31]] },\n"
    "  \"cloths\": [\n"
    "    { \"name\": \"sheet\", \"layer\": 2, \"velocity\": [0, -1, 0], \"weld\": true,\n"
    "      \"grid\": { \"size\": [2, 3], \"resolution\": [4, 5], \"diagonals\": \"backward\",\n"
    "        \"noise\": 0.01, \"seed\": 77 },\n"
    "      \"place\": { \"translate\": [1, 2, 3], \"rotate\": [10, 20, 30] },\n"
    "      \"fabric\": { \"base\": \"silk\", \"density\": 0.5, \"thickness\": 0.001,\n"
    "        \"stretch\": [10, 20], \"shear\": 3, \"bend\": 0.5, \"friction\": 0.6, \"limit\": "
    "0.1,\n"
    "        \"damping\": 0.02 },\n"
    "      \"pins\": [ { \"where\": [1, 2], \"weight\": 0.5, \"release\": 2 },\n"
    "        { \"where\": { \"corners\": [\"top-right\", 0] },\n"
    "          \"follow\": { \"keys\": [ { \"time\": 1, \"translate\": [1, 0, 0] } ] } },\n"
    "        { \"where\": { \"box\": { \"min\": [0, 0, 0], \"max\": [1, 1, 1] } },\n"
    "          \"follow\": { \"collider\": \"ball\" } },\n"
    "        { \"where\": { \"nearest\": [[0, 0, 0], [1, 0, 0]] },\n"
    "          \"follow\": { \"cache\": \"pins.pc2\", \"fps\": 60 } },\n"
    "        { \"where\": { \"corners\": \"all\" } }, { \"where\": { \"indices\": [3] } } ],\n"
    "      \"seams\": [ { \"a\": [0, 1], \"b\": [2, 3] },\n"
    "        { \"a\": [0], \"b\": { \"cloth\": \"round\", \"indices\": [7] }, \"start\": 1,\n"
    "          \"duration\": 0 } ],\n"
    "      \"regions\": [ { \"region\": 3, \"where\": [0, 1, 2] } ] },\n"
    "    { \"name\": \"round\", \"disc\": { \"radius\": 2, \"resolution\": 21, \"ring\": 0.5 } },\n"
    "    { \"mesh\": \"shirt.obj\", \"rest\": \"flat.obj\", \"fabric\": \"denim\",\n"
    "      \"pins\": [ { \"where\": { \"group\": \"collar\" } } ] } ],\n"
    "  \"colliders\": [\n"
    "    { \"name\": \"floor\", \"plane\": { \"normal\": [0, 0, 2], \"offset\": 3 } },\n"
    "    { \"name\": \"ball\", \"sphere\": { \"radius\": 0.4 }, \"friction\": [0.2, 0.1],\n"
    "      \"place\": { \"translate\": [1, 0, 0] },\n"
    "      \"keys\": [ { \"time\": 0 },\n"
    "        { \"time\": 1, \"rotate\": [0, 90, 0], \"ease\": \"linear\" } ] },\n"
    "    { \"capsule\": { \"radius\": 0.1, \"height\": 2 } },\n"
    "    { \"capsule\": { \"radii\": [0.2, 0.1], \"from\": [0, 0, 0], \"to\": [4, 0, 0] } },\n"
    "    { \"box\": { \"size\": [1, 2, 3] } },\n"
    "    { \"mesh\": \"sofa.obj\" },\n"
    "    { \"sequence\": { \"files\": [\"a.obj\", \"b.obj\"], \"fps\": 10 } },\n"
    "    { \"sequence\": { \"mesh\": \"a.obj\", \"cache\": \"a.pc2\" } } ] }\n";

static void read_everything(dr_scene_desc* scene)
{
    drape_error error = {0};
    bool is_read = read_text(scene, everything, &no_options, &error);
    ck_assert_msg(is_read, "%s", error.sentence);
}

START_TEST(run_and_methods)
{
    dr_scene_desc scene;
    read_everything(&scene);
    const drape_world_def* def = &scene.def;
    ck_assert_str_eq(scene.description, "all");
    ck_assert_int_eq(scene.frame_count, 7);
    ck_assert_float_eq(scene.fps, 24.5f);
    ck_assert_float_eq(def->gravity.z, 3.0f);
    ck_assert_float_eq(def->wind.velocity.x, 4.0f);
    ck_assert_float_eq(def->wind.gust, 0.5f);
    ck_assert_uint_eq(def->wind.seed, 9);
    ck_assert_float_eq(def->wind.drag, 2.0f);
    ck_assert_float_eq(def->wind.lift, 0.25f);
    ck_assert_str_eq(scene.method, "predict");
    ck_assert_int_eq(def->method.model, DRAPE_MODEL_SPRINGS);
    ck_assert_int_eq(def->method.integrator, DRAPE_INTEGRATOR_IMPLICIT);
    ck_assert_int_eq(def->method.self, DRAPE_SELF_BOXES);
    ck_assert_int_eq(def->method.obstacles, DRAPE_OBSTACLES_RAY);
    ck_assert_int_eq(def->method.hierarchy, DRAPE_HIERARCHY_OCTREE);
    ck_assert_int_eq(def->substeps, 3);
    ck_assert_int_eq(def->iterations, 2);
    ck_assert_float_eq(def->damping, 0.5f);
    ck_assert_float_eq(def->thickness, 0.003f);
    ck_assert_float_eq(def->friction_static, 0.4f);
    ck_assert_float_eq(def->friction_dynamic, 0.3f);
    ck_assert_float_eq(def->static_radius, 0.02f);
    const dr_method_desc* values = &scene.values;
    ck_assert_int_eq(def->elastic.bend, DRAPE_BEND_ABS);
    ck_assert_int_eq(def->elastic.form, DRAPE_FORM_STIFF);
    ck_assert_float_eq(def->elastic.dt, 0.001f);
    ck_assert_float_eq(def->springs.max_elongation, 0.2f);
    ck_assert_int_eq(def->springs.sweeps, 4);
    ck_assert_int_eq(def->springs.order, DRAPE_ORDER_FROM_PINS);
    ck_assert_float_eq(def->springs.damping, 0.002f);
    ck_assert(def->springs.eight_bends);
    ck_assert_float_eq(def->springs.hardening, 7.0f);
    ck_assert_float_eq(def->springs.structural, 30.0f);
    ck_assert_float_eq(def->springs.shear, 6.0f);
    ck_assert_float_eq(def->springs.bend, 3.0f);
    ck_assert_int_eq(def->max_runs, 8);
    ck_assert_int_eq(def->particles.count, 4);
    ck_assert_float_eq(def->particles.tolerance, 0.1f);
    ck_assert_int_eq(def->particles.n_max, 20);
    ck_assert_int_eq(def->particles.n_min, 2);
    ck_assert_uint_eq(def->particles.seed, 5);
    ck_assert(!def->particles.gate && !def->particles.positive && !def->particles.outline);
    ck_assert(def->particles.in_front);
    ck_assert_int_eq(values->features, DR_FEATURES_POINTS);
    ck_assert(values->cache && !values->layers && values->has_regions);
    ck_assert_str_eq(values->cache_file, "contacts.bin");
    ck_assert_int_eq(values->region_pair_count, 2);
    ck_assert_int_eq(values->regions[1][1], 31);
    dr_scene_desc_free(&scene);
}
END_TEST

START_TEST(cloths)
{
    dr_scene_desc scene;
    read_everything(&scene);
    ck_assert_int_eq(scene.cloth_count, 3);
    const dr_cloth_desc* sheet = &scene.cloths[0];
    ck_assert_str_eq(sheet->name, "sheet");
    ck_assert_float_eq(sheet->size[1], 3.0f);
    ck_assert_int_eq(sheet->resolution[0], 4);
    ck_assert_int_eq(sheet->def.diagonals, DRAPE_DIAGONALS_BACKWARD);
    ck_assert_float_eq(sheet->def.noise, 0.01f);
    ck_assert_uint_eq(sheet->def.seed, 77);
    ck_assert_float_eq(sheet->place.translate.y, 2.0f);
    ck_assert_float_eq(sheet->place.rotate.z, 30.0f);
    ck_assert_float_eq(sheet->def.velocity.y, -1.0f);
    ck_assert(sheet->def.weld);
    ck_assert_int_eq(sheet->layer, 2);
    const drape_fabric* fabric = &sheet->def.fabric;
    drape_fabric silk;
    ck_assert(drape_fabric_by_name("silk", &silk));
    ck_assert_float_eq(fabric->density, 0.5f);
    ck_assert_float_eq(fabric->stretch_warp, 10.0f);
    ck_assert_float_eq(fabric->stretch_weft, 20.0f);
    ck_assert_float_eq(fabric->bend_warp, 0.5f);
    ck_assert_float_eq(fabric->bend_weft, 0.5f);
    ck_assert_float_eq(fabric->friction_dynamic, 0.6f);
    ck_assert_float_eq(fabric->strain_limit, 0.1f);
    ck_assert_float_eq(fabric->bend_damping, 0.02f);
    ck_assert_int_eq(sheet->region_count, 1);
    ck_assert_int_eq(sheet->regions[0].region, 3);
    ck_assert_int_eq(sheet->seam_count, 2);
    ck_assert_int_eq(sheet->seams[0].other, 0);
    ck_assert_float_eq(sheet->seams[0].duration, 1.0f);
    ck_assert_int_eq(sheet->seams[1].other, 1);
    ck_assert_int_eq(sheet->seams[1].b[0], 7);
    ck_assert_float_eq(sheet->seams[1].start, 1.0f);
    const dr_cloth_desc* disc = &scene.cloths[1];
    ck_assert_int_eq(disc->shape, DR_CLOTH_DISC);
    ck_assert_int_eq(disc->rings, 10);
    ck_assert_float_eq(disc->ring, 0.5f);
    // Noise differs from cloth to cloth unless told otherwise.
    ck_assert_uint_eq(disc->def.seed, 6);
    const dr_cloth_desc* shirt = &scene.cloths[2];
    ck_assert_str_eq(shirt->name, "cloth2");
    ck_assert_str_eq(shirt->mesh->string, "shirt.obj");
    ck_assert_str_eq(shirt->rest->string, "flat.obj");
    ck_assert_str_eq(shirt->pins[0].where.group, "collar");
    dr_scene_desc_free(&scene);
}
END_TEST

START_TEST(pins)
{
    dr_scene_desc scene;
    read_everything(&scene);
    ck_assert_int_eq(scene.cloths[0].pin_count, 6);
    const dr_pin_desc* pin = scene.cloths[0].pins;
    ck_assert_int_eq(pin[0].where.kind, DR_WHERE_INDICES);
    ck_assert_int_eq(pin[0].where.indices[1], 2);
    ck_assert_float_eq(pin[0].weight, 0.5f);
    ck_assert_float_eq(pin[0].release, 2.0f);
    ck_assert_int_eq(pin[1].where.kind, DR_WHERE_CORNERS);
    ck_assert_int_eq(pin[1].where.indices[0], 3);
    ck_assert_int_eq(pin[1].where.indices[1], 0);
    ck_assert_int_eq(pin[1].motion.key_count, 1);
    ck_assert_float_eq(pin[1].motion.keys[0].place.translate.x, 1.0f);
    ck_assert(isinf(pin[1].release) && pin[1].collider == -1);
    ck_assert_int_eq(pin[2].where.kind, DR_WHERE_BOX);
    ck_assert_float_eq(pin[2].where.points[1].z, 1.0f);
    ck_assert_int_eq(pin[2].collider, 1);
    ck_assert_int_eq(pin[3].where.kind, DR_WHERE_NEAREST);
    ck_assert_int_eq(pin[3].where.point_count, 2);
    ck_assert_str_eq(pin[3].cache->string, "pins.pc2");
    ck_assert_float_eq(pin[3].cache_fps, 60.0f);
    ck_assert_int_eq(pin[4].where.index_count, 4);
    ck_assert_int_eq(pin[5].where.indices[0], 3);
    dr_scene_desc_free(&scene);
}
END_TEST

START_TEST(colliders)
{
    dr_scene_desc scene;
    read_everything(&scene);
    ck_assert_int_eq(scene.collider_count, 8);
    const dr_collider_desc* c = scene.colliders;
    ck_assert_int_eq(c[0].shape.kind, DRAPE_SHAPE_PLANE);
    ck_assert_float_eq(c[0].shape_center.z, 3.0f);
    ck_assert_float_eq(c[0].shape_up.z, 2.0f);
    ck_assert_float_lt(c[0].friction[0], 0.0f);
    ck_assert_float_eq(c[1].shape.radius, 0.4f);
    ck_assert_float_eq(c[1].friction[1], 0.1f);
    ck_assert_int_eq(c[1].motion.key_count, 2);
    // What a key does not say is as in `place`.
    ck_assert_float_eq(c[1].motion.keys[1].place.translate.x, 1.0f);
    ck_assert_float_eq(c[1].motion.keys[1].place.rotate.y, 90.0f);
    ck_assert_int_eq(c[1].motion.keys[0].ease, DRAPE_EASE_SMOOTH);
    ck_assert_int_eq(c[1].motion.keys[1].ease, DRAPE_EASE_LINEAR);
    ck_assert_str_eq(c[2].name, "collider2");
    ck_assert_float_eq(c[2].shape.radius_top, 0.1f);
    ck_assert_float_eq(c[2].shape.height, 2.0f);
    ck_assert_float_eq(c[3].shape.radius, 0.2f);
    ck_assert_float_eq(c[3].shape.radius_top, 0.1f);
    ck_assert_float_eq(c[3].shape.height, 4.0f);
    ck_assert_float_eq(c[3].shape_center.x, 2.0f);
    ck_assert_float_eq(c[4].shape.size.z, 3.0f);
    ck_assert_int_eq(c[5].source, DR_COLLIDER_MESH);
    ck_assert_int_eq(c[6].source, DR_COLLIDER_SEQUENCE);
    ck_assert_int_eq(c[6].files->child_count, 2);
    ck_assert_str_eq(c[7].cache->string, "a.pc2");
    dr_scene_desc_free(&scene);
}
END_TEST

// --- What is refused ---

// A part of a scene, put into an otherwise sound one, and the sentence it gives.
typedef struct bad_part {
    enum { ROOT, CLOTH, PIN, SEAM, COLLIDER } kind;
    const char* text;
    const char* sentence;
} bad_part;

#define METHODS "drape, slide, slide_paper, box, box_paper, sensor, spring, predict, predict_paper"
#define FABRICS                                                                           \
    "silk, satin, chiffon, cotton, poplin, linen, wool, flannel, denim, canvas, jersey, " \
    "rib, fleece, velvet, leather, nylon, felt, tulle"

static const bad_part bad_parts[] = {
    {ROOT, "\"frame\": 3", "frame: unknown key; did you mean \"frames\"?"},
    {ROOT, "\"frame\\u001b\": 3", "frame?: unknown key; did you mean \"frames\"?"},
    {ROOT, "\"zzz\": 3",
     "zzz: unknown key; expected one of drape, description, frames, fps, seed, gravity, wind, "
     "method, solver, collision, colliders, cloths"},
    {ROOT, "\"frames\": -1", "frames: expected a whole number from 0 to 1000000, found -1"},
    {ROOT, "\"frames\": 2.5", "frames: expected a whole number from 0 to 1000000, found 2.5"},
    {ROOT, "\"frames\": 1e300", "frames: expected a whole number from 0 to 1000000, found 1e+300"},
    {ROOT, "\"frames\": \"many\"",
     "frames: expected a whole number from 0 to 1000000, found \"many\""},
    {ROOT, "\"fps\": 0", "fps: expected a number above 0, found 0"},
    {ROOT, "\"fps\": 1e-60", "fps: expected a number above 0, found 1e-60"},
    {ROOT, "\"fps\": 1e9", "fps: expected a number up to 100000, found 1000000000"},
    {ROOT, "\"seed\": 4294967296",
     "seed: expected a whole number from 0 to 4294967295, found 4294967296"},
    {ROOT, "\"description\": 1", "description: expected a string, found 1"},
    {ROOT, "\"gravity\": [0, -9.81]", "gravity: expected three numbers [x, y, z], found an array"},
    {ROOT, "\"gravity\": [0, null, 0]", "gravity[1]: expected a number, found null"},
    {ROOT, "\"gravity\": [0, 1e5, 0]",
     "gravity[1]: expected a number from -10000 to 10000, found 100000"},
    {ROOT, "\"wind\": 3", "wind: expected an object, found 3"},
    {ROOT, "\"wind\": {\"gust\": 5}", "wind.gust: expected a number from 0 to 4, found 5"},
    {ROOT, "\"wind\": {\"force\": 5}",
     "wind.force: unknown key; expected one of velocity, gust, seed, drag, lift"},
    {ROOT, "\"method\": \"boks\"",
     "method: expected one of " METHODS ", found \"boks\"; did you mean \"box\"?"},
    {ROOT, "\"method\": \"Drape\"",
     "method: expected one of " METHODS ", found \"Drape\"; did you mean \"drape\"?"},
    {ROOT, "\"method\": 1", "method: expected one of " METHODS ", found 1"},
    {ROOT, "\"solver\": {\"substeps\": 0}",
     "solver.substeps: expected a whole number from 1 to 1000, found 0"},
    {ROOT, "\"solver\": {\"model\": \"spring\"}",
     "solver.model: expected one of xpbd, elastic, springs, found \"spring\"; did you mean "
     "\"springs\"?"},
    {ROOT, "\"solver\": {\"elastic\": {\"dt\": 0}}",
     "solver.elastic.dt: expected a number above 0, found 0"},
    {ROOT, "\"solver\": {\"springs\": {\"sweep\": 1}}",
     "solver.springs.sweep: unknown key; did you mean \"sweeps\"?"},
    {ROOT, "\"solver\": {\"springs\": 3}", "solver.springs: expected an object, found 3"},
    {ROOT, "\"solver\": {\"springs\": {\"max_elongation\": -0.1}}",
     "solver.springs.max_elongation: expected a number from 0 to 100, found -0.1"},
    {ROOT, "\"solver\": {\"springs\": {\"sweeps\": 1001}}",
     "solver.springs.sweeps: expected a whole number from 0 to 1000, found 1001"},
    {ROOT, "\"solver\": {\"springs\": {\"order\": \"from_pin\"}}",
     "solver.springs.order: expected one of to_and_fro, from_pins, found \"from_pin\"; did you "
     "mean "
     "\"from_pins\"?"},
    {ROOT, "\"solver\": {\"springs\": {\"damping\": 2}}",
     "solver.springs.damping: expected a number from 0 to 1, found 2"},
    {ROOT, "\"solver\": {\"springs\": {\"eight_bends\": 8}}",
     "solver.springs.eight_bends: expected true or false, found 8"},
    {ROOT, "\"solver\": {\"springs\": {\"hardening\": -1}}",
     "solver.springs.hardening: expected a number from 0 to 1000000, found -1"},
    {ROOT, "\"solver\": {\"springs\": {\"structural\": 1e10}}",
     "solver.springs.structural: expected a number from 0 to 1000000000, found 10000000000"},
    {ROOT, "\"solver\": {\"springs\": {\"shear\": \"soft\"}}",
     "solver.springs.shear: expected a number from 0 to 1000000000, found \"soft\""},
    {ROOT, "\"solver\": {\"springs\": {\"bend\": -2}}",
     "solver.springs.bend: expected a number from 0 to 1000000000, found -2"},
    {ROOT, "\"solver\": {\"integrator\": \"euler\"}",
     "solver.integrator: expected one of verlet, implicit, found \"euler\""},
    {ROOT, "\"collision\": {\"particles\": []}",
     "collision.particles: expected an object, found an empty array"},
    {ROOT, "\"collision\": {\"particles\": {\"count\": 65}}",
     "collision.particles.count: expected a whole number from 0 to 64, found 65"},
    {ROOT, "\"collision\": {\"particles\": {\"tolerance\": 0}}",
     "collision.particles.tolerance: expected a number above 0, found 0"},
    {ROOT, "\"collision\": {\"particles\": {\"n_max\": 0}}",
     "collision.particles.n_max: expected a whole number from 1 to 100000, found 0"},
    {ROOT, "\"collision\": {\"particles\": {\"n_min\": 1001}}",
     "collision.particles.n_min: expected a whole number from 1 to 1000, found 1001"},
    {ROOT, "\"collision\": {\"particles\": {\"seed\": -1}}",
     "collision.particles.seed: expected a whole number from 0 to 2147483647, found -1"},
    {ROOT, "\"collision\": {\"particles\": {\"gate\": 1}}",
     "collision.particles.gate: expected true or false, found 1"},
    {ROOT, "\"collision\": {\"particles\": {\"positive\": null}}",
     "collision.particles.positive: expected true or false, found null"},
    {ROOT, "\"collision\": {\"particles\": {\"outline\": \"no\"}}",
     "collision.particles.outline: expected true or false, found \"no\""},
    {ROOT, "\"collision\": {\"particles\": {\"in_front\": 2}}",
     "collision.particles.in_front: expected true or false, found 2"},
    {ROOT, "\"collision\": {\"particles\": {\"gates\": true}}",
     "collision.particles.gates: unknown key; did you mean \"gate\"?"},
    {ROOT, "\"collision\": {\"self\": \"all\"}",
     "collision.self: expected one of none, geometric, boxes, particles, predictive, guarded, "
     "found \"all\""},
    {ROOT, "\"collision\": {\"hierarchy\": \"bottom_up\"}",
     "collision.hierarchy: expected one of none, material, bottom-up, octree, swept, found "
     "\"bottom_up\"; did you mean \"bottom-up\"?"},
    {ROOT, "\"collision\": {\"friction\": [1, 2, 3]}",
     "collision.friction: expected a number from 0 to 10 or two of them, found an array"},
    {ROOT, "\"collision\": {\"friction\": [1, -2]}",
     "collision.friction[1]: expected a number from 0 to 10, found -2"},
    {ROOT, "\"collision\": {\"layers\": 1}", "collision.layers: expected true or false, found 1"},
    {ROOT, "\"collision\": {\"cache\": 1}",
     "collision.cache: expected true, false or the name of a file, found 1"},
    {ROOT, "\"collision\": {\"regions\": [[1]]}",
     "collision.regions[0]: expected two regions that may meet, found an array"},
    {ROOT, "\"collision\": {\"regions\": [[1, 32]]}",
     "collision.regions[0][1]: expected a whole number from 0 to 31, found 32"},
    {ROOT, "\"colliders\": {}", "colliders: expected an array, found an empty object"},

    {CLOTH, "\"name\": \"a/b\", \"grid\": {}",
     "cloths[0].name: expected a name that a file can have: 1 to 100 letters, none of / \\ : * ? "
     "\" < > |, no dot in front, found \"a/b\""},
    {CLOTH, "\"name\": \"\", \"grid\": {}",
     "cloths[0].name: expected a name that a file can have: 1 to 100 letters, none of / \\ : * ? "
     "\" < > |, no dot in front, found \"\""},
    {CLOTH, "\"name\": \"x\"", "cloths[0]: expected one of the keys grid, disc, mesh, found none"},
    {CLOTH, "\"grid\": {}, \"disc\": {}",
     "cloths[0]: expected one of the keys grid, disc, mesh, found several"},
    {CLOTH, "\"gird\": {}", "cloths[0].gird: unknown key; did you mean \"grid\"?"},
    {CLOTH, "\"grid\": {\"size\": [1]}",
     "cloths[0].grid.size: expected two numbers, found an array"},
    {CLOTH, "\"grid\": {\"size\": [1, 0]}",
     "cloths[0].grid.size[1]: expected a number above 0, found 0"},
    {CLOTH, "\"grid\": {\"resolution\": [51]}",
     "cloths[0].grid.resolution: expected two whole numbers of vertices, found an array"},
    {CLOTH, "\"grid\": {\"resolution\": [1, 51]}",
     "cloths[0].grid.resolution[0]: expected a whole number from 2 to 32768, found 1"},
    {CLOTH, "\"grid\": {\"resolution\": [30000, 30000]}",
     "cloths[0].grid.resolution: expected at most 4096 x 4096 vertices, found 30000 x 30000"},
    {CLOTH, "\"grid\": {\"diagonals\": \"forwards\"}",
     "cloths[0].grid.diagonals: expected one of alternate, forward, backward, found "
     "\"forwards\"; did you mean \"forward\"?"},
    {CLOTH, "\"disc\": {\"rings\": 3, \"resolution\": 7}",
     "cloths[0].disc.resolution: expected either \"rings\" or \"resolution\", found both"},
    {CLOTH, "\"disc\": {\"resolution\": 8}",
     "cloths[0].disc.resolution: expected an odd number of vertices across the disc, found 8"},
    {CLOTH, "\"disc\": {\"radius\": 1, \"ring\": 1}",
     "cloths[0].disc.ring: expected a number below the radius, found 1"},
    {CLOTH, "\"mesh\": 3", "cloths[0].mesh: expected the name of a file, found 3"},
    {CLOTH, "\"grid\": {}, \"rest\": \"a.obj\"",
     "cloths[0].rest: a rest shape needs \"mesh\"; grids and discs rest flat"},
    {CLOTH, "\"grid\": {}, \"fabric\": {\"density\": \"heavy\"}",
     "cloths[0].fabric.density: expected a number above 0, found \"heavy\""},
    {CLOTH, "\"grid\": {}, \"fabric\": {\"density\": 0}",
     "cloths[0].fabric.density: expected a number above 0, found 0"},
    {CLOTH, "\"grid\": {}, \"fabric\": {\"stretch\": []}",
     "cloths[0].fabric.stretch: expected a number above 0 or two of them, found an empty array"},
    {CLOTH, "\"grid\": {}, \"fabric\": \"coton\"",
     "cloths[0].fabric: expected one of " FABRICS ", found \"coton\"; did you mean \"cotton\"?"},
    {CLOTH, "\"grid\": {}, \"fabric\": {\"base\": 7}",
     "cloths[0].fabric.base: expected one of " FABRICS ", found 7"},
    {CLOTH, "\"grid\": {}, \"place\": {\"rotation\": [0, 0, 0]}",
     "cloths[0].place.rotation: unknown key; did you mean \"rotate\"?"},
    {CLOTH, "\"grid\": {}, \"layer\": -1",
     "cloths[0].layer: expected a whole number from 0 to 1000, found -1"},
    {CLOTH, "\"grid\": {}, \"regions\": [{\"region\": 1}]",
     "cloths[0].regions[0]: expected the key \"where\""},

    {PIN, "\"weight\": 1", "cloths[0].pins[0]: expected the key \"where\""},
    {PIN, "\"where\": {}",
     "cloths[0].pins[0].where: expected one of the keys indices, corners, box, nearest, group, "
     "found none"},
    {PIN, "\"where\": [-1]",
     "cloths[0].pins[0].where[0]: expected a whole number from 0 to 2147483646, found -1"},
    {PIN, "\"where\": {\"corners\": [\"top\"]}",
     "cloths[0].pins[0].where.corners[0]: expected one of bottom-left, bottom-right, top-left, "
     "top-right, found \"top\""},
    {PIN, "\"where\": {\"corners\": 4}",
     "cloths[0].pins[0].where.corners: expected a whole number from 0 to 3, found 4"},
    {PIN, "\"where\": {\"box\": {\"min\": [0, 0, 0]}}",
     "cloths[0].pins[0].where.box: expected the key \"max\""},
    {PIN, "\"where\": {\"box\": {\"min\": [0, 2, 0], \"max\": [1, 1, 1]}}",
     "cloths[0].pins[0].where.box: expected \"min\" to be at most \"max\" along every axis"},
    {PIN, "\"where\": {\"group\": \"collar\"}",
     "cloths[0].pins[0].where.group: only a mesh has groups"},
    {PIN, "\"where\": [0], \"weight\": 0",
     "cloths[0].pins[0].weight: expected a number above 0, found 0"},
    {PIN, "\"where\": [0], \"weight\": 2",
     "cloths[0].pins[0].weight: expected a number up to 1, found 2"},
    {PIN, "\"where\": [0], \"follow\": {\"collider\": \"bal\"}",
     "cloths[0].pins[0].follow.collider: expected one of ball, found \"bal\"; did you mean "
     "\"ball\"?"},
    {PIN, "\"where\": [0], \"follow\": {\"keys\": [], \"fps\": 3}",
     "cloths[0].pins[0].follow.fps: only a cache has frames per second"},
    {PIN, "\"where\": [0], \"follow\": {\"keys\": [{\"translate\": [0, 0, 0]}]}",
     "cloths[0].pins[0].follow.keys[0]: expected the key \"time\""},

    {SEAM, "\"a\": [0], \"b\": [1, 2]",
     "cloths[0].seams[0]: expected as many vertices in \"a\" as in \"b\", found 1 and 2"},
    {SEAM, "\"a\": [0]", "cloths[0].seams[0]: expected the key \"b\""},
    {SEAM, "\"a\": [0], \"b\": {\"cloth\": \"other\", \"indices\": [0]}",
     "cloths[0].seams[0].b.cloth: expected the name of a cloth, found \"other\""},

    {COLLIDER, "\"name\": \"x\"",
     "colliders[0]: expected one of the keys plane, sphere, capsule, box, hull, mesh, sequence, "
     "found "
     "none"},
    {COLLIDER, "\"sfere\": {}", "colliders[0].sfere: unknown key; did you mean \"sphere\"?"},
    {COLLIDER, "\"sphere\": {}", "colliders[0].sphere: expected the key \"radius\""},
    {COLLIDER, "\"plane\": {\"normal\": [0, 0, 0]}",
     "colliders[0].plane.normal: expected a direction that is not zero"},
    {COLLIDER, "\"box\": {\"size\": [1, -1, 1]}",
     "colliders[0].box.size[1]: expected a number above 0, found -1"},
    {COLLIDER, "\"capsule\": {\"height\": 1}",
     "colliders[0].capsule: expected either \"radius\" or \"radii\""},
    {COLLIDER, "\"capsule\": {\"radius\": 1, \"height\": 1, \"to\": [0, 0, 0]}",
     "colliders[0].capsule: expected either \"height\", or \"from\" and \"to\""},
    {COLLIDER, "\"capsule\": {\"radii\": [1, 3], \"height\": 1}",
     "colliders[0].capsule: expected the radii to differ by less than the height, else one ball "
     "holds the other"},
    {COLLIDER, "\"hull\": [[0, 0, 0], [1, 0, 0], [0, 1, 0]]",
     "colliders[0].hull: expected a file, or at least 4 points [x, y, z], found an array"},
    {COLLIDER, "\"hull\": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0]]",
     "colliders[0].hull[3]: expected three numbers [x, y, z], found an array"},
    {COLLIDER, "\"sequence\": {\"files\": []}",
     "colliders[0].sequence.files: expected at least one file, found an empty array"},
    {COLLIDER, "\"sequence\": {\"cache\": \"a.pc2\"}",
     "colliders[0].sequence: expected \"mesh\" together with \"cache\""},
    {COLLIDER, "\"sphere\": {\"radius\": 1}, \"keys\": [{\"time\": 1}, {\"time\": 1}]",
     "colliders[0].keys[1].time: expected a time after that of the key before, found 1"},
    {COLLIDER, "\"sphere\": {\"radius\": 1}, \"keys\": [{\"time\": 1, \"ease\": \"fast\"}]",
     "colliders[0].keys[0].ease: expected one of smooth, linear, found \"fast\""},
};

static void write_scene(char* text, size_t size, const bad_part* part)
{
    static const char* const before[] = {
        "{\"drape\": 1, \"cloths\": [{\"grid\": {}}], ",
        "{\"drape\": 1, \"cloths\": [{",
        ("{\"drape\": 1, \"colliders\": [{\"name\": \"ball\", \"sphere\": {\"radius\": 1}}], "
         "\"cloths\": [{\"grid\": {}, \"pins\": [{"),
        "{\"drape\": 1, \"cloths\": [{\"grid\": {}, \"seams\": [{",
        "{\"drape\": 1, \"cloths\": [{\"grid\": {}}], \"colliders\": [{",
    };
    static const char* const after[] = {"}", "}]}", "}]}]}", "}]}]}", "}]}"};
    snprintf(text, size, "%s%s%s", before[part->kind], part->text, after[part->kind]);
}

START_TEST(refuses_with_a_sentence)
{
    const bad_part* part = &bad_parts[_i];
    char text[1024];
    char expected[1024];
    dr_scene_desc scene;
    drape_error error = {0};
    write_scene(text, sizeof(text), part);
    ck_assert_msg(!read_text(&scene, text, &no_options, &error), "accepted %s", text);
    snprintf(expected, sizeof(expected), "s.json:1: %s", part->sentence);
    ck_assert_str_eq(error.sentence, expected);
    ck_assert_int_eq(error.kind, DRAPE_ERROR_INPUT);
    dr_scene_desc_free(&scene);
}
END_TEST

// Whole texts, for what concerns lines and the root.
static const struct {
    const char* text;
    const char* sentence;
} bad_texts[] = {
    {"[]", "s.json:1: expected an object, found an empty array"},
    {"{\n\n \"cloths\": [{\"grid\": {}}]}", "s.json:1: expected the key \"drape\""},
    {"{\"drape\": 1}", "s.json:1: expected the key \"cloths\""},
    {"{\"drape\": 2, \"cloths\": [{\"grid\": {}}]}",
     "s.json:1: drape: expected 1, the version of the scene format, found 2"},
    {"{\"drape\": 1, \"cloths\": []}",
     "s.json:1: cloths: expected at least one cloth, found an empty array"},
    {"{\"drape\": 1,\n// one\n\"cloths\": [{\n\"fabric\":\n{\"density\": \"heavy\"}, \"grid\": "
     "{}}]}",
     "s.json:5: cloths[0].fabric.density: expected a number above 0, found \"heavy\""},
    {"{\"drape\": 1, \"cloths\": [{\"grid\": {\n\"sise\":\n1}}]}",
     "s.json:2: cloths[0].grid.sise: unknown key; did you mean \"size\"?"},
    {"{\"drape\": 1, \"cloths\": [{\"name\": \"a\", \"grid\": {}},\n{\"name\": \"a\", \"grid\": "
     "{}}]}",
     "s.json:2: cloths[1]: the name \"a\" belongs to another cloth"},
    {"{\"drape\": 1,\n \"cloths\": [{\"grid\": {}}],}",
     "s.json:2:27: expected a key in double quotes, found \"}\""},
};

START_TEST(refuses_at_the_right_line)
{
    dr_scene_desc scene;
    drape_error error = {0};
    ck_assert(!read_text(&scene, bad_texts[_i].text, &no_options, &error));
    ck_assert_str_eq(error.sentence, bad_texts[_i].sentence);
    dr_scene_desc_free(&scene);
}
END_TEST

// --- Overrides ---

static const char small_scene[] =
    "{\"drape\": 1, \"method\": \"predict\", \"solver\": {\"model\": \"springs\"},\n"
    " \"collision\": {\"self\": \"boxes\", \"thickness\": 0.004},\n"
    " \"cloths\": [{\"name\": \"a\", \"grid\": {\"resolution\": [5, 5]}, \"fabric\": \"silk\"}]}";

START_TEST(overrides_replace_and_make)
{
    static const drape_override overrides[] = {
        {"solver.substeps", "40"},
        {"cloths.0.grid.resolution", "[101, 7]"},
        {"cloths[0].grid.size", "[2, 3]"},
        {"cloths.0.name", "bare words"},
        {"collision.self", "\"none\""},
        {"wind.velocity", "[1, 2, 3]"},
        {"gravity.0", "1.5"},
        {"cloths.0.fabric.density", "0.3"},
        {"cloths.1", "{\"grid\": {}}"},
        {"cloths.1.fabric", "denim"},
        {"frames", "1"},
        {"frames", "2"},
    };
    drape_scene_options options = {.overrides = overrides,
                                   .override_count = sizeof(overrides) / sizeof(overrides[0])};
    dr_scene_desc scene;
    drape_error error = {0};
    bool is_read = read_text(&scene, small_scene, &options, &error);
    ck_assert_msg(is_read, "%s", error.sentence);
    drape_fabric silk;
    ck_assert(drape_fabric_by_name("silk", &silk));
    ck_assert_int_eq(scene.def.substeps, 40);
    ck_assert_int_eq(scene.def.method.model, DRAPE_MODEL_SPRINGS);
    ck_assert_int_eq(scene.def.method.self, DRAPE_SELF_NONE);
    ck_assert_float_eq(scene.def.thickness, 0.004f);
    ck_assert_float_eq(scene.def.wind.velocity.z, 3.0f);
    // One number of a vector that the file leaves out.
    ck_assert_float_eq(scene.def.gravity.x, 1.5f);
    ck_assert_float_eq(scene.def.gravity.y, -9.81f);
    ck_assert_int_eq(scene.frame_count, 2);
    ck_assert_int_eq(scene.cloth_count, 2);
    ck_assert_int_eq(scene.cloths[0].resolution[0], 101);
    ck_assert_float_eq(scene.cloths[0].size[1], 3.0f);
    ck_assert_str_eq(scene.cloths[0].name, "bare words");
    // A fabric by name is entered as its base.
    ck_assert_float_eq(scene.cloths[0].def.fabric.density, 0.3f);
    ck_assert_float_eq(scene.cloths[0].def.fabric.shear, silk.shear);
    ck_assert_float_gt(scene.cloths[1].def.fabric.density, 0.3f);
    dr_scene_desc_free(&scene);
}
END_TEST

START_TEST(method_replaces_the_whole_row)
{
    drape_override one = {"collision.hierarchy", "material"};
    drape_scene_options options = {.method = "spring", .overrides = &one, .override_count = 1};
    dr_scene_desc scene;
    drape_error error = {0};
    ck_assert(read_text(&scene, small_scene, &options, &error));
    drape_method spring;
    ck_assert(drape_method_by_name("spring", &spring));
    ck_assert_str_eq(scene.method, "spring");
    ck_assert_int_eq(scene.def.method.model, spring.model);
    ck_assert_int_eq(scene.def.method.self, spring.self);
    ck_assert_int_eq(scene.def.method.obstacles, spring.obstacles);
    ck_assert_int_eq(scene.def.method.hierarchy, DRAPE_HIERARCHY_MATERIAL);
    ck_assert_float_eq(scene.def.thickness, 0.004f);
    dr_scene_desc_free(&scene);

    // Without it the scene's own words stand.
    ck_assert(read_text(&scene, small_scene, &no_options, &error));
    ck_assert_int_eq(scene.def.method.self, DRAPE_SELF_BOXES);
    dr_scene_desc_free(&scene);
}
END_TEST

static const struct {
    const char* path;
    const char* value;
    const char* sentence;
} bad_overrides[] = {
    {"solver.substeps", "0",
     "--set solver.substeps: expected a whole number from 1 to 1000, found 0"},
    {"solver.substeps", "[1",
     "--set solver.substeps: expected a whole number from 1 to 1000, found "
     "\"[1\""},
    {"cloths.0.fabric", "{\"density\": \"x\"}",
     "--set cloths.0.fabric: cloths[0].fabric.density: expected a number above 0, found \"x\""},
    {"cloths.0.grid.resolution", "[51, 1]",
     "--set cloths.0.grid.resolution: cloths[0].grid.resolution[1]: expected a whole number from 2 "
     "to 32768, found 1"},
    {"solvr.substeps", "3", "--set solvr.substeps: solvr: unknown key; did you mean \"solver\"?"},
    {"solver.substep", "3", "--set solver.substep: unknown key; did you mean \"substeps\"?"},
    {"cloths.2.name", "x",
     "--set cloths.2.name: cloths: expected an index from 0 to 1, found \"2\""},
    {"cloths.first.name", "x",
     "--set cloths.first.name: cloths: expected an index from 0 to 1, found \"first\""},
    {"cloths.99999999999999999999", "x",
     "--set cloths.99999999999999999999: cloths: expected an index from 0 to 1, found "
     "\"99999999999999999999\""},
    {"drape.x", "1", "--set drape.x: drape: expected an object or an array, found 1"},
    {"", "1", "--set : expected a path such as solver.substeps or cloths.0.name"},
    {"solver.", "1", "--set solver.: expected a path such as solver.substeps or cloths.0.name"},
    {"solver..x", "1", "--set solver..x: expected a path such as solver.substeps or cloths.0.name"},
    {"cloths", "3", "--set cloths: expected an array, found 3"},
};

START_TEST(bad_overrides_are_named)
{
    drape_override one = {bad_overrides[_i].path, bad_overrides[_i].value};
    drape_scene_options options = {.overrides = &one, .override_count = 1};
    dr_scene_desc scene;
    drape_error error = {0};
    ck_assert(!read_text(&scene, small_scene, &options, &error));
    ck_assert_str_eq(error.sentence, bad_overrides[_i].sentence);
    dr_scene_desc_free(&scene);
}
END_TEST

START_TEST(bad_method_is_named)
{
    drape_scene_options options = {.method = "bix"};
    dr_scene_desc scene;
    drape_error error = {0};
    ck_assert(!read_text(&scene, small_scene, &options, &error));
    ck_assert_str_eq(error.sentence,
                     "--method: expected one of " METHODS ", found \"bix\"; did you mean \"box\"?");
    dr_scene_desc_free(&scene);
}
END_TEST

START_TEST(words_of_the_core_are_known)
{
    drape_method method;
    for (int i = 0; i < dr_words_method_count; ++i) {
        ck_assert_msg(drape_method_by_name(dr_words_method[i], &method), "%s", dr_words_method[i]);
    }
    ck_assert_int_le(drape_fabric_count(), DR_WORDS_MAX);
}
END_TEST

START_TEST(nearest_words)
{
    static const char* const words[] = {"thickness", "friction", "self"};
    ck_assert_str_eq(dr_word_nearest("thicknes", words, 3), "thickness");
    ck_assert_str_eq(dr_word_nearest("firction", words, 3), "friction");
    ck_assert_str_eq(dr_word_nearest("slef", words, 3), "self");
    ck_assert_str_eq(dr_word_nearest("SELF", words, 3), "self");
    ck_assert_ptr_null(dr_word_nearest("gravity", words, 3));
    ck_assert_ptr_null(dr_word_nearest("", words, 3));
    ck_assert_ptr_null(dr_word_nearest("0123456789012345678901234567890123456789", words, 3));
}
END_TEST

// --- What comes along ---

static const char* const scene_names[] = {
    "table",       "ground",          "sofa",         "round-table",   "cube",
    "cylinder",    "table-paper",     "ground-paper", "pins-diagonal", "pins-corner",
    "pins-center", "solid",           "flaps",        "skirt",         "character",
    "knot",        "rotating-sphere", "sphere",       "flag",          "curtain",
    "tangled",
};

START_TEST(scenes_that_come_along)
{
    char path[1024];
    dr_file file;
    dr_scene_desc scene;
    drape_error error = {0};
    snprintf(path, sizeof(path), "%s/scenes/%s.json", DRAPE_SOURCE_DIR, scene_names[_i]);
    ck_assert_msg(dr_file_read(path, &file, &error), "%s", error.sentence);
    bool is_read = dr_scene_read(&scene, file.data, file.size, path, &no_options, &error);
    ck_assert_msg(is_read, "%s", error.sentence);
    ck_assert_uint_gt(strlen(scene.description), 20);
    ck_assert_int_gt(scene.frame_count, 0);
    dr_scene_desc_free(&scene);
    dr_file_free(&file);
}
END_TEST

START_TEST(table_sphere_and_ground_are_as_promised)
{
    for (int i = 0; i < 3; ++i) {
        static const char* const names[] = {"table", "sphere", "ground"};
        char path[1024];
        dr_file file;
        dr_scene_desc scene;
        drape_error error = {0};
        snprintf(path, sizeof(path), "%s/scenes/%s.json", DRAPE_SOURCE_DIR, names[i]);
        ck_assert(dr_file_read(path, &file, &error));
        ck_assert(dr_scene_read(&scene, file.data, file.size, path, &no_options, &error));
        const dr_cloth_desc* cloth = &scene.cloths[0];
        ck_assert_str_eq(scene.method, "drape");
        ck_assert_float_eq(cloth->size[0] * cloth->size[1] * cloth->def.fabric.density, 0.2f);
        ck_assert_int_eq(cloth->resolution[0], 51);
        ck_assert_int_eq(cloth->resolution[1], 51);
        const dr_collider_desc* under = &scene.colliders[0];
        float top = under->place.translate.y;
        top += i == 0 ? 0.5f * under->shape.size.y : i == 1 ? under->shape.radius : 0.0f;
        float low = cloth->place.translate.y - (i == 2 ? 0.5f : 0.0f);
        ck_assert_float_eq_tol(low - top, i == 2 ? 0.1f : 0.15f, 1e-6f);
        ck_assert_float_eq(cloth->place.rotate.x, i == 2 ? 0.0f : 90.0f);
        dr_scene_desc_free(&scene);
        dr_file_free(&file);
    }
}
END_TEST

// Every block of JSON in docs/scene.md is a whole scene.
START_TEST(examples_of_the_manual)
{
    size_t size;
    int count = 0;
    char* text = test_file_read(DRAPE_SOURCE_DIR "/docs/scene.md", &size);
    for (char* at = strstr(text, "```json\n"); at != NULL; at = strstr(at, "```json\n")) {
        at += strlen("```json\n");
        char* end = strstr(at, "```");
        ck_assert_ptr_nonnull(end);
        dr_scene_desc scene;
        drape_error error = {0};
        bool is_read =
            dr_scene_read(&scene, at, (size_t)(end - at), "scene.md", &no_options, &error);
        ck_assert_msg(is_read, "example %d: %s", count, error.sentence);
        dr_scene_desc_free(&scene);
        at = end + 3;
        ++count;
    }
    ck_assert_int_ge(count, 4);
    free(text);
}
END_TEST

// --- Damage ---

// Puts other values in the place of values, so that most damage reaches the scene and not only
// JSON.
static char* damage_scene(uint64_t* state, size_t* size)
{
    static const char* const values[] = {"0",       "-1",    "1e30",       "1e-30",         "[]",
                                         "{}",      "null",  "true",       "\"\"",          "\"a\"",
                                         "[1,2,3]", "[[1]]", "2147483648", "{\"grid\":{}}", "0.5",
                                         "[0,-1]"};
    size_t length = sizeof(everything) - 1;
    char* text = malloc(length + 512);
    memcpy(text, everything, length);
    for (uint64_t k = test_random(state) % 3 + 1; k > 0; --k) {
        // After some colon or comma up to the next comma or bracket.
        size_t from = test_random(state) % length;
        while (from > 0 && text[from] != ':' && text[from] != ',') {
            --from;
        }
        ++from;
        size_t to = from + strcspn(text + from, ",]}");
        const char* value = values[test_random(state) % (sizeof(values) / sizeof(values[0]))];
        size_t added = strlen(value);
        to = to < length ? to : length;
        memmove(text + from + added, text + to, length - to);
        memcpy(text + from, value, added);
        length += added - (to - from);
        text[length] = '\0';
    }
    *size = length;
    return text;
}

START_TEST(damaged_scenes_never_break)
{
    uint64_t state = 1234567;
    int accepted = 0;
    int rounds = 20000;
    for (int i = 0; i < rounds; ++i) {
        size_t size;
        char* text = i % 4 == 0 ? test_damage(everything, sizeof(everything) - 1, &state, &size)
                                : damage_scene(&state, &size);
        dr_scene_desc scene;
        drape_error error = {0};
        if (dr_scene_read(&scene, text, size, "s.json", &no_options, &error)) {
            ++accepted;
            ck_assert_int_gt(scene.cloth_count, 0);
        } else {
            test_error_has(&error, DRAPE_ERROR_INPUT, "s.json:");
        }
        dr_scene_desc_free(&scene);
        free(text);
    }
    ck_assert_int_gt(accepted, 100);
    ck_assert_int_lt(accepted, rounds);
}
END_TEST

START_TEST(random_overrides_never_break)
{
    static const char* const steps[] = {"cloths",    "0",      "grid", "fabric", "pins",
                                        "where",     "solver", "1",    "6",      "keys",
                                        "colliders", "",       "[2]",  "x",      "regions"};
    static const char* const values[] = {"1", "[]", "{}", "silk", "[1,2]", "null", "{\"a\":{}}"};
    uint64_t state = 99;
    for (int i = 0; i < 20000; ++i) {
        char paths[3][128];
        drape_override overrides[3];
        for (int k = 0; k < 3; ++k) {
            paths[k][0] = '\0';
            for (uint64_t n = test_random(&state) % 4 + 1; n > 0; --n) {
                strcat(paths[k], steps[test_random(&state) % (sizeof(steps) / sizeof(steps[0]))]);
                strcat(paths[k], n > 1 ? "." : "");
            }
            overrides[k] = (drape_override){
                paths[k], values[test_random(&state) % (sizeof(values) / sizeof(values[0]))]};
        }
        drape_scene_options options = {.overrides = overrides, .override_count = 3};
        options.method = i % 3 == 0 ? "box" : NULL;
        dr_scene_desc scene;
        drape_error error = {0};
        if (!read_text(&scene, everything, &options, &error)) {
            ck_assert_uint_gt(strlen(error.sentence), 5);
        }
        dr_scene_desc_free(&scene);
    }
}
END_TEST

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

int main(void)
{
    Suite* suite = suite_create("scene_file");
    TCase* reading = tcase_create("reading");
    tcase_add_test(reading, defaults);
    tcase_add_test(reading, run_and_methods);
    tcase_add_test(reading, cloths);
    tcase_add_test(reading, pins);
    tcase_add_test(reading, colliders);
    tcase_add_loop_test(reading, refuses_with_a_sentence, 0, COUNT(bad_parts));
    tcase_add_loop_test(reading, refuses_at_the_right_line, 0, COUNT(bad_texts));
    tcase_add_test(reading, words_of_the_core_are_known);
    tcase_add_test(reading, nearest_words);
    suite_add_tcase(suite, reading);
    TCase* options = tcase_create("options");
    tcase_add_test(options, overrides_replace_and_make);
    tcase_add_test(options, method_replaces_the_whole_row);
    tcase_add_loop_test(options, bad_overrides_are_named, 0, COUNT(bad_overrides));
    tcase_add_test(options, bad_method_is_named);
    suite_add_tcase(suite, options);
    TCase* along = tcase_create("along");
    tcase_add_loop_test(along, scenes_that_come_along, 0, COUNT(scene_names));
    tcase_add_test(along, table_sphere_and_ground_are_as_promised);
    tcase_add_test(along, examples_of_the_manual);
    suite_add_tcase(suite, along);
    TCase* damage = tcase_create("damage");
    tcase_add_test(damage, damaged_scenes_never_break);
    tcase_add_test(damage, random_overrides_never_break);
    suite_add_tcase(suite, damage);
    return test_run(suite);
}
