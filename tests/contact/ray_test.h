// ray_test.h: a lab with rays (contact/ray.h).
#ifndef RAY_TEST_H
#define RAY_TEST_H

#include "probe_test.h"

static dr_ray ray;
static const response rays = {&ray, begin_ray, detect_ray};

static void open_lab(lab* at, float size, int columns, int workers)
{
    dr_slide_def def = default_def();
    lab_open(at, size, columns, &def, workers);
    dr_ray_def ray_def = dr_ray_defaults();
    ray_def.thickness = thickness;
    ck_assert(dr_ray_create(&ray, &at->memory, &ray_def, &at->sheets));
}

static void close_lab(lab* at)
{
    dr_ray_free(&ray, &at->memory);
    lab_close(at);
}

#endif
