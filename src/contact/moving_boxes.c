#include "contact/moving_boxes.h"

#include <string.h>

#include "core/isa.h"

const dr_moving_boxes_kernels* dr_moving_boxes_kernels_for(drape_isa isa);
DR_KERNEL_TABLE(dr_moving_boxes_kernels)

static size_t place_floats(const dr_sheets* sheets)
{
    return ((size_t)sheets->vertex_count + 1) * DR_MOVING_PLACE;
}

static size_t box_floats(const dr_sheets* sheets)
{
    return ((size_t)sheets->triangle_count + 1) * DR_MOVING_BOX;
}

bool dr_moving_boxes_create(dr_moving_boxes* boxes, dr_memory* memory, const dr_sheets* sheets,
                            drape_isa isa)
{
    *boxes = (dr_moving_boxes){.sheets = sheets, .isa = dr_isa_resolve(isa)};
    boxes->places = dr_new_zeroed(memory, float, place_floats(sheets));
    boxes->boxes = dr_new_zeroed(memory, float, box_floats(sheets));
    return boxes->places && boxes->boxes;
}

void dr_moving_boxes_free(dr_moving_boxes* boxes, dr_memory* memory)
{
    if (boxes->sheets) {
        dr_delete(memory, boxes->places, place_floats(boxes->sheets));
        dr_delete(memory, boxes->boxes, box_floats(boxes->sheets));
    }
    *boxes = (dr_moving_boxes){0};
}

void dr_moving_boxes_read(dr_moving_boxes* boxes)
{
    const dr_sheets* sheets = boxes->sheets;
    for (int v = 0; v < sheets->vertex_count; ++v) {
        float* place = boxes->places + (size_t)v * DR_MOVING_PLACE;
        memcpy(place, &sheets->start[v], sizeof(drape_vec3));
        memcpy(place + 4, &sheets->end[v], sizeof(drape_vec3));
    }
}

typedef struct refit_work {
    dr_moving_boxes* boxes;
    const dr_moving_boxes_kernels* kernels;
} refit_work;

static void refit_some(void* context, int begin, int end, int worker)
{
    const refit_work* work = context;
    (void)worker;
    work->kernels->refit(work->boxes, begin, end);
}

void dr_moving_boxes_refit(dr_moving_boxes* boxes, dr_pool* pool)
{
    enum { grain = 2048 };
    refit_work work = {boxes, dr_moving_boxes_kernels_for(boxes->isa)};
    dr_parallel_for(pool, boxes->sheets->triangle_count, grain, refit_some, &work);
}

void dr_moving_boxes_look(const dr_moving_boxes* boxes, const dr_pair* pairs, int count,
                          double tight, uint8_t* sights)
{
    // Gaps are rounded to floats, and so is this.
    float more = (float)(tight * 1.001);
    dr_moving_boxes_kernels_for(boxes->isa)->look(boxes, pairs, count, more, sights);
}

static dr_moving_box box_of(const dr_moving_boxes* boxes, int triangle)
{
    const float* from = boxes->boxes + (size_t)triangle * DR_MOVING_BOX;
    dr_moving_box box;
    for (int i = 0; i < 2; ++i) {
        memcpy(box.lo[i], from + 4 * i, sizeof box.lo[i]);
        memcpy(box.hi[i], from + 8 + 4 * i, sizeof box.hi[i]);
    }
    return box;
}

dr_box_meeting dr_moving_boxes_meeting(const dr_moving_boxes* boxes, dr_pair pair)
{
    dr_moving_box a = box_of(boxes, pair.a), b = box_of(boxes, pair.b);
    return dr_interval_times(&a, &b);
}
