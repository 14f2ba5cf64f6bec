// Solids that cloth is pushed out of after the fact, in place of predicted contacts.
#include "contact/push_out.h"
#include "scene/world.h"

bool dr_world_begin_push_out(drape_world* world)
{
    world->run_count = world->group_count = 0;
    world->push_counts = dr_arena_new(&world->arena, int32_t, world->chunk_items.count + 1);
    return world->push_counts != NULL;
}

static void push_out_task(void* context, int begin, int end, int worker)
{
    (void)worker;
    drape_world* world = context;
    const dr_obstacle* obstacles = world->obstacles.data;
    for (int i = begin; i < end; ++i) {
        const dr_work_item* item = (const dr_work_item*)world->chunk_items.data + i;
        const dr_cloth* cloth = item->cloth;
        int slots = 8 * cloth->sheet->vector_count;
        int first = 8 * DR_CHUNK_VECTORS * item->index, last = first + 8 * DR_CHUNK_VECTORS;
        last = last < slots ? last : slots;
        world->push_counts[i] = 0;
        for (int o = 0; o < world->obstacles.count; ++o) {
            dr_friction friction = dr_world_friction(world, cloth, obstacles[o].friction_static,
                                                     obstacles[o].friction_dynamic);
            world->push_counts[i] += dr_push_out(cloth->sheet, first, last, &obstacles[o],
                                                 0.5f * cloth->thickness, friction);
        }
    }
}

void dr_world_push_out(drape_world* world)
{
    if (!dr_world_is_discrete(world)) {
        return;
    }
    dr_parallel_for(world->pool, world->chunk_items.count, 1, push_out_task, world);
    drape_step_report* report = &world->report;
    report->contact_count = 0;
    for (int i = 0; i < world->chunk_items.count; ++i) {
        report->contact_count += world->push_counts[i];
    }
    report->exact_tests +=
        (int64_t)world->chunk_items.count * world->obstacles.count * DR_CHUNK_VECTORS * 8;
}
