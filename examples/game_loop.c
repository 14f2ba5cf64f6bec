// A game's loop: steps of fixed length, blended for display; a hundred characters with capes, one
// world each, stepped on the host's own threads; a large flag whose world uses these threads
// itself; and vertex buffers that are the world's arrays. `game_loop [THREADS]`
#include <drape/drape.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MOST_WORKERS = 16, CHARACTERS = 100, COLUMNS = 10, ROWS = 14, VERTICES = COLUMNS * ROWS };
static const double STEP = 1.0 / 60.0;

static double now_ms(void)
{
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

// --- The host's threads: one job at a time, its items taken one by one ---

typedef struct job_pool {
    pthread_t threads[MOST_WORKERS];
    int worker_count; // the thread that waits is one of them
    pthread_mutex_t mutex;
    pthread_cond_t called, done;
    // Guarded by the mutex.
    drape_task_fn* task;
    void* context;
    int item_count, next, finished, numbers;
    bool ends;
} job_pool;

// Runs items until there is none left; the mutex is held before and after.
static void take_items(job_pool* pool, int worker)
{
    while (pool->next < pool->item_count) {
        int item = pool->next++;
        drape_task_fn* task = pool->task;
        void* context = pool->context;
        pthread_mutex_unlock(&pool->mutex);
        task(context, item, item + 1, worker);
        pthread_mutex_lock(&pool->mutex);
        if (++pool->finished == pool->item_count) {
            pthread_cond_signal(&pool->done);
        }
    }
}

static void* work(void* user)
{
    job_pool* pool = user;
    pthread_mutex_lock(&pool->mutex);
    int worker = ++pool->numbers;
    while (!pool->ends) {
        take_items(pool, worker);
        pthread_cond_wait(&pool->called, &pool->mutex);
    }
    pthread_mutex_unlock(&pool->mutex);
    return NULL;
}

// drape_scheduler: starts a task ...
static void* enqueue(void* user, drape_task_fn* task, void* context, int item_count)
{
    job_pool* pool = user;
    pthread_mutex_lock(&pool->mutex);
    pool->task = task;
    pool->context = context;
    pool->item_count = item_count;
    pool->next = pool->finished = 0;
    pthread_cond_broadcast(&pool->called);
    pthread_mutex_unlock(&pool->mutex);
    return pool;
}

// ... and waits for it, after helping as worker 0.
static void finish(void* user, void* handle)
{
    job_pool* pool = handle;
    (void)user;
    pthread_mutex_lock(&pool->mutex);
    take_items(pool, 0);
    while (pool->finished < pool->item_count) {
        pthread_cond_wait(&pool->done, &pool->mutex);
    }
    pthread_mutex_unlock(&pool->mutex);
}

static void pool_start(job_pool* pool, long workers)
{
    memset(pool, 0, sizeof *pool);
    pool->worker_count = workers < 1 ? 1 : workers > MOST_WORKERS ? MOST_WORKERS : (int)workers;
    pthread_mutex_init(&pool->mutex, NULL);
    pthread_cond_init(&pool->called, NULL);
    pthread_cond_init(&pool->done, NULL);
    for (int i = 1; i < pool->worker_count; ++i) {
        pthread_create(&pool->threads[i], NULL, work, pool);
    }
}

static void pool_stop(job_pool* pool)
{
    pthread_mutex_lock(&pool->mutex);
    pool->ends = true;
    pthread_cond_broadcast(&pool->called);
    pthread_mutex_unlock(&pool->mutex);
    for (int i = 1; i < pool->worker_count; ++i) {
        pthread_join(pool->threads[i], NULL);
    }
    pthread_mutex_destroy(&pool->mutex);
    pthread_cond_destroy(&pool->called);
    pthread_cond_destroy(&pool->done);
}

// --- Characters ---

typedef struct character {
    drape_world* world;
    drape_cloth_id cape;
    drape_collider_id body;
    drape_pin_id collar;
    drape_vec3 before[VERTICES]; // the state before the last step, for blending
    size_t bytes;                // that the world holds
    float max_stretch;
    bool is_sound;
    int step;
} character;

static void* counted_allocate(void* user, size_t size, size_t alignment)
{
    *(size_t*)user += size;
    return aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

static void counted_release(void* user, void* memory, size_t size)
{
    *(size_t*)user -= size;
    free(memory);
}

// A hip that walks to and fro, and once in a while is somewhere else at once.
static drape_transform hip_at(int step)
{
    float phase = (float)(step % 80) / 40.0f, jump = (float)(step / 80) * 10.0f;
    return (drape_transform){{jump + (phase < 1.0f ? phase : 2.0f - phase), 1.0f, 0.0f},
                             drape_quat_from_degrees((drape_vec3){0.0f, 40.0f * phase, 0.0f})};
}

static bool character_create(character* c)
{
    drape_world_def def = drape_world_defaults();
    def.substeps = 2;
    def.iterations = 4;
    def.allocator = (drape_allocator){counted_allocate, counted_release, &c->bytes};
    c->world = drape_world_create(&def);
    drape_collider_def body = drape_collider_defaults();
    body.shape = (drape_shape){
        .kind = DRAPE_SHAPE_CAPSULE, .radius = 0.18f, .radius_top = 0.15f, .height = 0.6f};
    body.place = hip_at(0);
    c->body = drape_collider_add(c->world, &body);
    drape_cloth_def cape = drape_cloth_defaults();
    cape.origin = (drape_vec3){-0.2f, 1.45f, -0.25f};
    cape.rotation = drape_quat_from_degrees((drape_vec3){90.0f, 0.0f, 0.0f});
    cape.control.tethers = true;           // few sweeps, no rubber
    cape.control.rigid_damping = 2.0f;     // no endless flutter
    cape.control.inertia_linear = 0.5f;    // runs are felt by half
    cape.control.teleport_distance = 2.0f; // jumps not at all
    c->cape = drape_cloth_add_grid(c->world, &cape, 0.4f, 0.8f, COLUMNS, ROWS);
    int32_t collar[COLUMNS];
    for (int i = 0; i < COLUMNS; ++i) {
        collar[i] = i;
    }
    drape_pin_def pin = drape_pin_defaults();
    pin.vertices = collar;
    pin.vertex_count = COLUMNS;
    pin.collider = c->body;
    c->collar = drape_cloth_pin(c->world, c->cape, &pin);
    drape_cloth_set_frame(c->world, c->cape, hip_at(0));
    c->is_sound = drape_cloth_is_valid(c->world, c->cape) && c->collar.slot != 0;
    return c->is_sound;
}

static void character_step(character* c)
{
    memcpy(c->before, drape_cloth_positions(c->world, c->cape, NULL), sizeof c->before);
    drape_transform hip = hip_at(++c->step);
    if (c->step % 80 == 0) {
        drape_collider_teleport(c->world, c->body, hip);
    } else {
        drape_collider_move(c->world, c->body, hip);
    }
    drape_cloth_set_frame(c->world, c->cape, hip);
    drape_step_report report = drape_world_step(c->world, (float)STEP);
    c->max_stretch = report.max_stretch;
    c->is_sound = c->is_sound && report.non_finite_count == 0;
}

static void step_characters(void* context, int begin, int end, int worker)
{
    (void)worker;
    for (int i = begin; i < end; ++i) {
        character_step((character*)context + i);
    }
}

// What a renderer would get: two streams of positions, one of normals, and how to blend. Here it
// looks at one vertex.
static float draw(character* c, float blend)
{
    const drape_vec3* now = drape_cloth_positions(c->world, c->cape, NULL);
    const drape_vec3* normals = drape_cloth_normals(c->world, c->cape, NULL);
    int last = VERTICES - 1;
    float height = c->before[last].y + (now[last].y - c->before[last].y) * blend;
    return normals[last].y > 2.0f ? 0.0f : height;
}

int main(int argc, char** argv)
{
    job_pool pool;
    pool_start(&pool, argc > 1 ? strtol(argv[1], NULL, 10) : sysconf(_SC_NPROCESSORS_ONLN));
    character* crowd = calloc(CHARACTERS, sizeof *crowd);
    bool is_sound = crowd != NULL;
    for (int i = 0; is_sound && i < CHARACTERS; ++i) {
        is_sound = character_create(&crowd[i]);
    }
    drape_world_def flag_def = drape_world_defaults();
    flag_def.worker_count = pool.worker_count;
    flag_def.substeps = 8;
    flag_def.scheduler = (drape_scheduler){enqueue, finish, &pool};
    flag_def.wind = (drape_wind){.velocity = {4.0f, 0.0f, 1.0f}, .drag = 1.0f};
    drape_world* square = drape_world_create(&flag_def);
    drape_cloth_def flag_cloth = drape_cloth_defaults();
    drape_cloth_id flag = drape_cloth_add_grid(square, &flag_cloth, 2.0f, 1.0f, 101, 51);
    const int32_t pole[2] = {0, 50 * 101};
    drape_pin_def pin = drape_pin_defaults();
    pin.vertices = pole;
    pin.vertex_count = 2;
    is_sound = is_sound && drape_cloth_pin(square, flag, &pin).slot != 0;

    // Frames come as they come: a smooth display, and now and then a hitch.
    double debt = 0.0, worst = 0.0, sum = 0.0, crowd_ms = 0.0, crowd_best = 1e9;
    int steps = 0, frames = 0;
    float height = 0.0f;
    for (; is_sound && steps < 120; ++frames) {
        debt += frames % 50 == 49 ? 0.125 : 1.0 / 75.0;
        debt = debt < 5.0 * STEP ? debt : 5.0 * STEP; // behind by more than this: time is let go
        for (; debt >= STEP; debt -= STEP, ++steps) {
            double begin = now_ms();
            enqueue(&pool, step_characters, crowd, CHARACTERS);
            finish(&pool, &pool);
            double stepped = now_ms() - begin;
            crowd_ms += stepped;
            crowd_best = stepped < crowd_best ? stepped : crowd_best;
            drape_step_report report = drape_world_step(square, (float)STEP);
            double ms = now_ms() - begin;
            is_sound = is_sound && report.non_finite_count == 0;
            sum += ms;
            worst = ms > worst ? ms : worst;
        }
        for (int i = 0; i < CHARACTERS; ++i) {
            height = draw(&crowd[i], (float)(debt / STEP));
        }
    }
    float stretch = 0.0f;
    for (int i = 0; is_sound && i < CHARACTERS; ++i) {
        is_sound = crowd[i].is_sound;
        stretch = crowd[i].max_stretch > stretch ? crowd[i].max_stretch : stretch;
    }
    printf("%d frames, %d steps on %d threads: %.2f ms a step, %.2f at worst\n", frames, steps,
           pool.worker_count, sum / steps, worst);
    printf("the crowd %.2f ms a step, %.2f at best: %.1f us a character\n", crowd_ms / steps,
           crowd_best, 1e3 * crowd_best / CHARACTERS);
    printf("%d characters of %d vertices, %.0f KB each, hem at %.2f m, stretch %.1f %%\n",
           CHARACTERS, VERTICES, (double)crowd[0].bytes / 1024.0, (double)height,
           100.0 * (double)stretch);
    for (int i = 0; i < CHARACTERS; ++i) {
        drape_world_destroy(crowd[i].world);
    }
    drape_world_destroy(square);
    free(crowd);
    pool_stop(&pool);
    return is_sound && stretch < 0.5f ? 0 : 1;
}
