#include "scene/responder.h"

static bool create_slide(dr_responder* r, dr_memory* memory, const dr_sheets* sheets)
{
    dr_slide_def def = dr_slide_defaults();
    def.edges_only = r->kind == DRAPE_OBSTACLES_FILTER;
    def.thickness = r->thickness;
    def.mode = r->mode;
    return dr_slide_create(&r->slide, memory, &def, sheets);
}

static bool create_ray(dr_responder* r, dr_memory* memory, const dr_sheets* sheets, drape_isa isa)
{
    dr_ray_def def = dr_ray_defaults();
    def.watches_edges = true;
    def.thickness = r->thickness;
    def.isa = isa;
    return dr_ray_create(&r->ray, memory, &def, sheets);
}

static bool create_filter(dr_responder* r, dr_memory* memory, const dr_sheets* sheets,
                          drape_isa isa)
{
    dr_filter_def def = dr_filter_defaults();
    def.thickness = r->thickness;
    def.isa = isa;
    return dr_filter_create(&r->filter, memory, &def, sheets);
}

bool dr_responder_create(dr_responder* responder, dr_memory* memory, const drape_method* method,
                         float thickness, const dr_sheets* sheets, drape_isa isa)
{
    *responder = (dr_responder){
        .kind = method->obstacles,
        .thickness = thickness,
        .mode = method->as_printed ? DR_SLIDE_DEPENDENT : DR_SLIDE_ORTHOGONAL,
    };
    switch (responder->kind) {
    case DRAPE_OBSTACLES_SLIDE: return create_slide(responder, memory, sheets);
    case DRAPE_OBSTACLES_RAY: return create_ray(responder, memory, sheets, isa);
    case DRAPE_OBSTACLES_FILTER:
        return create_filter(responder, memory, sheets, isa) &&
               create_slide(responder, memory, sheets);
    default: return true;
    }
}

void dr_responder_free(dr_responder* responder, dr_memory* memory)
{
    switch (responder->kind) {
    case DRAPE_OBSTACLES_SLIDE: dr_slide_free(&responder->slide, memory); break;
    case DRAPE_OBSTACLES_RAY: dr_ray_free(&responder->ray, memory); break;
    case DRAPE_OBSTACLES_FILTER:
        dr_filter_free(&responder->filter, memory);
        dr_slide_free(&responder->slide, memory);
        break;
    default: break;
    }
    *responder = (dr_responder){0};
}

void dr_responder_forget(dr_responder* responder)
{
    switch (responder->kind) {
    case DRAPE_OBSTACLES_SLIDE: dr_slide_forget(&responder->slide); break;
    case DRAPE_OBSTACLES_RAY: dr_ray_forget(&responder->ray); break;
    case DRAPE_OBSTACLES_FILTER:
        dr_filter_forget(&responder->filter);
        dr_slide_forget(&responder->slide);
        break;
    default: break;
    }
}

bool dr_responder_begin(dr_responder* responder, dr_memory* memory, dr_pool* pool,
                        const dr_sheets* sheets, const dr_array* obstacles, float exit_step)
{
    dr_responder* r = responder;
    r->slide.def.exit_step = r->ray.def.exit_step = r->filter.def.exit_step = exit_step;
    switch (r->kind) {
    case DRAPE_OBSTACLES_SLIDE:
        return dr_slide_begin(&r->slide, memory, pool, sheets, obstacles->data, obstacles->count);
    case DRAPE_OBSTACLES_RAY:
        return dr_ray_begin(&r->ray, memory, pool, sheets, obstacles->data, obstacles->count);
    case DRAPE_OBSTACLES_FILTER:
        return dr_filter_begin(&r->filter, memory, pool, sheets, obstacles->data,
                               obstacles->count) &&
               dr_slide_begin(&r->slide, memory, pool, sheets, obstacles->data, obstacles->count);
    default: return true;
    }
}

// The filter sees vertices alone. Once these are clear, edges and corners of obstacles that poke between
// them are looked for as by cloth that slides.
static bool detect_between(dr_responder* r, dr_memory* memory, dr_pool* pool,
                           const dr_sheets* sheets, const dr_array* obstacles, dr_limits* limits,
                           dr_slide_result* result)
{
    if (!result->is_clean) {
        return true;
    }
    dr_slide_result more;
    if (!dr_slide_detect(&r->slide, memory, pool, sheets, obstacles->data, obstacles->count, limits,
                         &more)) {
        return false;
    }
    result->is_clean = more.is_clean;
    result->plane_count += more.plane_count;
    result->frozen_count += more.frozen_count;
    result->box_tests += more.box_tests;
    result->exact_tests += more.exact_tests;
    return true;
}

bool dr_responder_detect(dr_responder* responder, dr_memory* memory, dr_pool* pool,
                         const dr_sheets* sheets, const dr_array* obstacles, dr_limits* limits,
                         dr_slide_result* result)
{
    dr_responder* r = responder;
    const dr_slide_obstacle* first = obstacles->data;
    int count = obstacles->count;
    switch (r->kind) {
    case DRAPE_OBSTACLES_SLIDE:
        return dr_slide_detect(&r->slide, memory, pool, sheets, first, count, limits, result);
    case DRAPE_OBSTACLES_RAY:
        return dr_ray_detect(&r->ray, memory, pool, sheets, first, count, limits, result);
    case DRAPE_OBSTACLES_FILTER:
        return dr_filter_detect(&r->filter, memory, pool, sheets, first, count, limits, result) &&
               detect_between(r, memory, pool, sheets, obstacles, limits, result);
    default: return true;
    }
}

void dr_responder_freeze(dr_responder* responder)
{
    responder->slide.run = responder->slide.def.plane_runs;
    responder->ray.run = responder->ray.def.plane_runs;
    responder->filter.run = responder->filter.def.plane_runs;
}
