// The blocks of docs/manual.md, one after the other, in a world that has what they speak of.
#include <drape/drape.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A scheduler that does everything at once.
static void* my_enqueue(void* user, drape_task_fn* task, void* context, int item_count)
{
    (void)user;
    task(context, 0, item_count, 0);
    return NULL;
}

static void my_finish(void* user, void* handle)
{
    (void)user;
    (void)handle;
}

int main(void)
{
    drape_world_def world_def = drape_world_defaults();
    drape_world* world = drape_world_create(&world_def);
    drape_collider_id ball = drape_collider_add_sphere(world, (drape_vec3){0.0f, 0.5f, 0.0f}, 0.3f);
    drape_cloth_def cloth_def = drape_cloth_defaults();
    cloth_def.origin = (drape_vec3){-0.5f, 1.0f, -0.5f};
    drape_cloth_id cloth = drape_cloth_add_grid(world, &cloth_def, 1.0f, 1.0f, 40, 40);
    drape_step_report report = drape_world_step(world, 1.0f / 60.0f);
#include "manual_blocks.h"
    bool is_sound = report.non_finite_count == 0 && drape_cloth_is_valid(world, cloth);
    drape_world_destroy(world);
    return is_sound ? 0 : 1;
}
