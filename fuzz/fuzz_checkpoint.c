// Checkpoints: the frames and the state in one, and a step from there.
//
// The bytes are changes to a good checkpoint, for hashes are beyond guessing: each is a kind, a
// place and a value. The first byte says which hashes are then made right again. So inputs stay
// small, and stay good when the format of a state changes.
#include "../apps/cli/checkpoint.h"
#include "core/base.h"
#include "fuzz_reader.h"

#define NAME "f.drape"
#define HASH_SIZE sizeof(uint64_t)

// Cloths of both kinds, pins that are let go and that move, a seam, keys, wind.
static const char text[] =
    "{ \"drape\": 1, \"frames\": 9, \"fps\": 30, \"method\": \"drape\","
    "  \"solver\": { \"substeps\": 2, \"iterations\": 1 }, \"collision\": { \"self\": \"none\" },"
    "  \"wind\": { \"velocity\": [2, 0, 1], \"gust\": 0.5, \"drag\": 1, \"lift\": 0.5 },"
    "  \"cloths\": ["
    "    { \"name\": \"a\", \"grid\": { \"size\": [0.2, 0.2], \"resolution\": [4, 4] },"
    "      \"pins\": [ { \"where\": { \"indices\": [0] } },"
    "                { \"where\": { \"indices\": [3] }, \"release\": 0.1 } ] },"
    "    { \"name\": \"b\", \"disc\": { \"radius\": 0.1, \"rings\": 1 },"
    "      \"place\": { \"translate\": [0, 0.1, 0] } } ],"
    "  \"colliders\": [ { \"name\": \"ball\", \"sphere\": { \"radius\": 0.1 },"
    "      \"keys\": [ { \"time\": 0, \"translate\": [0, -0.2, 0] },"
    "                { \"time\": 1, \"translate\": [0.1, 0, 0] } ] } ] }";

// --- A good one ---

// A roof of two triangles that flaps, beside what the text can say without other files.
static void add_roof(drape_world* world)
{
    static const drape_vec3 frames[2][4] = {
        {{-0.1f, -0.1f, -0.1f}, {0.1f, -0.1f, -0.1f}, {0.0f, -0.05f, 0.0f}, {0.0f, -0.1f, 0.1f}},
        {{-0.1f, -0.1f, -0.1f}, {0.1f, -0.1f, -0.1f}, {0.0f, 0.05f, 0.0f}, {0.0f, 0.0f, 0.1f}}};
    static const int32_t triangles[6] = {0, 2, 1, 1, 2, 3};
    const drape_mesh_view roof = {
        .positions = frames[0], .vertex_count = 4, .triangles = triangles, .triangle_count = 2};
    drape_collider_def def = drape_collider_defaults();
    def.mesh = &roof;
    def.frames = frames[0];
    def.frame_count = 2;
    def.fps = 10.0f;
    fuzz_require(drape_collider_is_valid(world, drape_collider_add(world, &def)), "a roof");
}

static void add_seam(drape_scene* scene)
{
    const int32_t a[1] = {15}, b[1] = {0};
    const drape_seam_def seam = {.cloth_a = drape_scene_cloth(scene, 0),
                                 .cloth_b = drape_scene_cloth(scene, 1),
                                 .vertices_a = a,
                                 .vertices_b = b,
                                 .pair_count = 1,
                                 .duration = 0.2f};
    fuzz_require(drape_seam_add(drape_scene_world(scene), &seam).slot != 0, "a seam");
}

static drape_scene* make_scene(cli_checkpoint* checkpoint)
{
    drape_error error = {0};
    drape_scene* scene = drape_scene_open_text(text, sizeof text - 1, "scene", NULL, &error);
    fuzz_require(scene != NULL, error.sentence);
    add_roof(drape_scene_world(scene));
    add_seam(scene);
    fuzz_require(cli_checkpoint_open(checkpoint, scene, "nowhere", 1000, 0, &error), "a beginning");
    return scene;
}

typedef struct good_one {
    dr_file file;
    size_t state_size;
} good_one;

// Two frames and the state after them, by way of a file that is gone again at once.
static good_one make_good(void)
{
    cli_checkpoint checkpoint;
    drape_error error = {0};
    const double row[CLI_STATS_KEYS] = {0};
    drape_scene* scene = make_scene(&checkpoint);
    const char* parent = getenv("TMPDIR");
    snprintf(checkpoint.folder, sizeof checkpoint.folder, "%s/drape-fuzz-XXXXXX",
             parent ? parent : "/tmp");
    fuzz_require(mkdtemp(checkpoint.folder) != NULL, "a folder");
    for (int frame = 0; frame < 3; ++frame) {
        if (frame > 0) {
            drape_scene_step(scene);
        }
        fuzz_require(cli_checkpoint_add(&checkpoint, row, &error), error.sentence);
    }
    fuzz_require(cli_checkpoint_flush(&checkpoint, &error), error.sentence);
    good_one good;
    char path[CLI_PATH_SIZE];
    fuzz_require(cli_path_join(path, checkpoint.folder, "0002.drape", &error), error.sentence);
    fuzz_require(dr_file_read(path, &good.file, &error), error.sentence);
    fuzz_require(drape_world_save(drape_scene_world(scene), NULL, &good.state_size), "a size");
    remove(path);
    remove(checkpoint.folder);
    cli_checkpoint_close(&checkpoint);
    drape_scene_close(scene);
    return good;
}

// --- Changes ---

static void put(dr_file* file, size_t at, const void* bytes, size_t count)
{
    for (size_t i = 0; i < count && at + i < file->size; ++i) {
        file->data[at + i] = ((const char*)bytes)[i];
    }
}

static void change(dr_file* file, fuzz_input* in)
{
    static const float floats[8] = {NAN, INFINITY, -1.0f, 0.0f, 1e-38f, 3e38f, -3e38f, 1e9f};
    uint8_t kind = fuzz_byte(in);
    size_t at = (size_t)fuzz_bits(in, 2) % (file->size + 1), from_end = file->size - at;
    uint64_t bits = kind % 4 == 3 ? 0 : fuzz_bits(in, kind % 4 == 2 ? 8 : 1);
    switch (kind % 4) {
    case 0: // one byte
        put(file, at, &bits, 1);
        break;
    case 1: // a number of a float
        put(file, at / 4 * 4, &floats[bits % 8], sizeof(float));
        break;
    case 2: // a long number
        put(file, at, &bits, sizeof bits);
        break;
    default: // the bytes before are gone, or those behind
        file->size = kind & 4 ? at : from_end;
        memmove(file->data, file->data + (kind & 4 ? 0 : at), file->size);
    }
}

// A state ends with the hash of what is before it; the file with that of what is before the state.
static void mend(dr_file* file, size_t state_size, uint8_t which)
{
    if (file->size < state_size + HASH_SIZE) {
        return;
    }
    size_t before = file->size - HASH_SIZE - state_size;
    char* state = file->data + before;
    uint64_t of_state = dr_hash_bytes(DR_HASH_START, state, state_size - HASH_SIZE);
    uint64_t of_file = dr_hash_bytes(DR_HASH_START, file->data, before);
    if (which & 1) {
        memcpy(state + state_size - HASH_SIZE, &of_state, HASH_SIZE);
    }
    if (which & 2) {
        memcpy(state + state_size, &of_file, HASH_SIZE);
    }
}

// --- Reading ---

static void require_positions(drape_scene* scene)
{
    for (int i = 0; i < drape_scene_cloth_count(scene); ++i) {
        int count = 0;
        const drape_vec3* points =
            drape_cloth_positions(drape_scene_world(scene), drape_scene_cloth(scene, i), &count);
        fuzz_require(points != NULL && count > 0, "a cloth with vertices");
        require_finite(points, (size_t)count);
    }
}

static bool see_frame(void* user, const double row[CLI_STATS_KEYS], double time, drape_error* error)
{
    (void)row;
    (void)time;
    (void)error;
    require_positions(user);
    return true;
}

static void restore(const dr_file* bytes)
{
    cli_checkpoint checkpoint;
    cli_checkpoint_file file;
    drape_error error = {0};
    drape_scene* scene = make_scene(&checkpoint);
    drape_world* world = drape_scene_world(scene);
    bool is_good = cli_checkpoint_file_parse(&file, bytes, checkpoint.frame_size, NAME, &error);
    bool is_replayed =
        is_good && cli_checkpoint_replay(&checkpoint, &file, NAME, see_frame, scene, &error);
    uint64_t before = drape_world_hash(world);
    bool is_loaded = is_replayed && cli_checkpoint_load(&checkpoint, &file, NAME, &error);
    if (is_loaded) {
        require_positions(scene);
        drape_scene_step(scene);
        require_positions(scene);
    } else {
        // What a frame cannot hold is told of the folder, where all of them are.
        bool is_frame = is_good && !is_replayed && error.sentence[0] == checkpoint.folder[0];
        require_sentence(&error, is_frame ? checkpoint.folder : NAME);
        fuzz_require(drape_world_hash(world) == before, "a state as it was");
    }
    cli_checkpoint_close(&checkpoint);
    drape_scene_close(scene);
}

int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t count)
{
    static good_one good;
    if (good.file.data == NULL) {
        good = make_good();
        restore(&good.file);
    }
    fuzz_input in = {bytes, count};
    uint8_t which = fuzz_byte(&in);
    dr_file file = {malloc(good.file.size + 1), good.file.size};
    fuzz_require(file.data != NULL, "memory");
    memcpy(file.data, good.file.data, good.file.size + 1);
    while (in.left > 0) {
        change(&file, &in);
    }
    mend(&file, good.state_size, which);
    restore(&file);
    free(file.data);
    return 0;
}
