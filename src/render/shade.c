#include "render/shade.h"

#include <math.h>

// What the numbers of the sampler are for; each bounce has a block of its own.
enum { PURPOSE_LIGHT = 1, PURPOSE_OPEN = 2, PURPOSE_SIDE = 3, PURPOSE_BLOCK = 4 };

// A path that was cut short would go on to find about this share of the sky.
#define CUT_SHARE 0.35f

typedef struct path {
    const dr_stage* stage;
    const dr_scenery* scenery;
    const dr_sampler* sampler;
} path;

static drape_vec3 filter(drape_vec3 a, drape_vec3 b)
{
    return (drape_vec3){a.x * b.x, a.y * b.y, a.z * b.z};
}

static drape_vec3 sky_color(const dr_scenery* scenery, drape_vec3 direction)
{
    return dr_add(scenery->sky_mid, dr_scale(scenery->sky_tilt, direction.y));
}

static dr_sample sample_for(const path* p, int bounce, uint32_t purpose)
{
    return dr_sampler_get(p->sampler, (uint32_t)bounce * PURPOSE_BLOCK + purpose);
}

// --- Ground ---

// Distance along the ray to the ground, infinity when it does not come there from above.
static float ground_distance(const dr_scenery* scenery, drape_vec3 origin, drape_vec3 direction)
{
    float height = origin.y - scenery->ground_y;
    if (!scenery->has_ground || !(direction.y < 0.0f) || !(height > 0.0f)) {
        return INFINITY;
    }
    return -height / direction.y;
}

static drape_vec3 ground_sun(const dr_scenery* scenery)
{
    return dr_scale(scenery->light_color, fmaxf(scenery->light_direction.y, 0.0f));
}

// Of open sky, weighted as matte ground sees it.
static drape_vec3 ground_sky(const dr_scenery* scenery)
{
    return dr_add(scenery->sky_mid, dr_scale(scenery->sky_tilt, 2.0f / 3.0f));
}

static drape_vec3 surface_color(const path* p, const dr_stage_hit* hit, int bounce);

// Light that the ground gets at a place; `sees_colors` is whether what hides the sky counts.
static drape_vec3 ground_light(const path* p, drape_vec3 place, int bounce, bool sees_colors)
{
    const dr_scenery* scenery = p->scenery;
    const drape_vec3 up = {0.0f, 1.0f, 0.0f};
    drape_vec3 light = {0.0f, 0.0f, 0.0f};
    place.y = scenery->ground_y + p->stage->nudge;
    drape_vec3 to_light = dr_sample_cone(scenery->light_direction, scenery->light_cosine,
                                         sample_for(p, bounce, PURPOSE_LIGHT));
    if (to_light.y > 0.0f && !dr_stage_blocks(p->stage, place, to_light)) {
        light = ground_sun(scenery);
    }
    drape_vec3 out = dr_sample_cosine(up, sample_for(p, bounce, PURPOSE_OPEN));
    dr_stage_hit hit;
    if (!sees_colors) {
        return dr_stage_blocks(p->stage, place, out) ? light : dr_add(light, ground_sky(scenery));
    }
    if (!dr_stage_meet(p->stage, place, out, &hit)) {
        return dr_add(light, ground_sky(scenery));
    }
    // What the ground sees of things is but a tint, not worth following far.
    return dr_add(light, surface_color(p, &hit, bounce + 2));
}

static drape_vec3 along(drape_vec3 origin, drape_vec3 direction, float distance)
{
    return dr_add(origin, dr_scale(direction, distance));
}

// The colour of the backdrop, by the share of open light that the ground gets.
static drape_vec3 ground_color(const path* p, drape_vec3 place, drape_vec3 backdrop)
{
    drape_vec3 open = dr_add(ground_sun(p->scenery), ground_sky(p->scenery));
    drape_vec3 light = ground_light(p, place, 0, true);
    return (drape_vec3){backdrop.x * (open.x > 0.0f ? light.x / open.x : 1.0f),
                        backdrop.y * (open.y > 0.0f ? light.y / open.y : 1.0f),
                        backdrop.z * (open.z > 0.0f ? light.z / open.z : 1.0f)};
}

// --- Surfaces ---

// What comes back along a ray that left a surface.
static drape_vec3 open_color(const path* p, drape_vec3 origin, drape_vec3 direction, int bounce)
{
    const dr_scenery* scenery = p->scenery;
    float ground = ground_distance(scenery, origin, direction);
    dr_stage_hit hit;
    if (dr_stage_meet(p->stage, origin, direction, &hit) && hit.distance < ground) {
        return surface_color(p, &hit, bounce + 1);
    }
    if (isfinite(ground)) {
        drape_vec3 place = along(origin, direction, ground);
        return filter(scenery->ground_color, ground_light(p, place, bounce + 1, false));
    }
    return sky_color(scenery, direction);
}

// A matte surface takes light of its own side, and some of the other one.
static drape_vec3 light_of_lamp(const path* p, const dr_stage_hit* hit, float through, int bounce)
{
    const dr_scenery* scenery = p->scenery;
    drape_vec3 to_light = dr_sample_cone(scenery->light_direction, scenery->light_cosine,
                                         sample_for(p, bounce, PURPOSE_LIGHT));
    float cosine = dr_dot(hit->normal, to_light);
    float share = cosine > 0.0f ? 1.0f - through : through;
    if (!(share * fabsf(cosine) > 0.0f)) {
        return (drape_vec3){0.0f, 0.0f, 0.0f};
    }
    float nudge = cosine > 0.0f ? p->stage->nudge : -p->stage->nudge;
    drape_vec3 origin = along(cosine > 0.0f ? hit->lifted : hit->place, hit->facet, nudge);
    if (isfinite(ground_distance(scenery, origin, to_light)) ||
        dr_stage_blocks(p->stage, origin, to_light)) {
        return (drape_vec3){0.0f, 0.0f, 0.0f};
    }
    return dr_scale(scenery->light_color, share * fabsf(cosine));
}

static drape_vec3 light_of_sky(const path* p, const dr_stage_hit* hit, float through, int bounce)
{
    if (bounce >= p->scenery->bounces) {
        return dr_scale(p->scenery->sky_mid, CUT_SHARE);
    }
    bool passes = through > 0.0f && sample_for(p, bounce, PURPOSE_SIDE).x < through;
    drape_vec3 facet = passes ? dr_scale(hit->facet, -1.0f) : hit->facet;
    drape_vec3 normal = passes ? dr_scale(hit->normal, -1.0f) : hit->normal;
    drape_vec3 out = dr_sample_cosine(normal, sample_for(p, bounce, PURPOSE_OPEN));
    // What the smooth normal sends below the flat triangle is mirrored back.
    float below = fminf(dr_dot(out, facet), 0.0f);
    out = along(out, facet, -2.0f * below);
    return open_color(p, along(hit->place, facet, p->stage->nudge), out, bounce);
}

// Fibres stand off the surface and catch light where it is seen along.
static float sheen_of(float sheen, drape_vec3 normal, drape_vec3 direction)
{
    float edge = 1.0f - fminf(fabsf(dr_dot(normal, direction)), 1.0f);
    return sheen * edge * edge * edge;
}

static drape_vec3 surface_light(const path* p, const dr_stage_hit* hit, int bounce)
{
    float through = p->scenery->looks[hit->look].through;
    return dr_add(light_of_lamp(p, hit, through, bounce), light_of_sky(p, hit, through, bounce));
}

static drape_vec3 plain_color(const path* p, const dr_stage_hit* hit, float width)
{
    dr_look_place place = {hit->u, hit->v, hit->heat, hit->is_back};
    return dr_look_color(&p->scenery->looks[hit->look], place, width);
}

static drape_vec3 surface_color(const path* p, const dr_stage_hit* hit, int bounce)
{
    // Light that was scattered tells little of where exactly.
    return filter(plain_color(p, hit, 0.3f * hit->distance), surface_light(p, hit, bounce));
}

// --- The whole ---

static drape_vec3 seen_color(const path* p, const dr_stage_hit* hit, const dr_view_ray* ray)
{
    const drape_vec3 white = {1.0f, 1.0f, 1.0f};
    float sheen = sheen_of(p->scenery->looks[hit->look].sheen, hit->normal, ray->direction);
    // A pixel covers more of a surface that is seen along; this is between its width and length.
    float cosine = fmaxf(fabsf(dr_dot(hit->facet, ray->direction)), 0.05f);
    float width = ray->spread * hit->distance / sqrtf(cosine);
    return dr_lerp(plain_color(p, hit, width), white, sheen);
}

static drape_vec3 backdrop_color(const dr_scenery* scenery, const dr_view_ray* ray)
{
    return dr_lerp(scenery->backdrop[0], scenery->backdrop[1], ray->height);
}

// Whether a thing is seen, not the ground or nothing; `ground` becomes the distance of that.
static bool sees_thing(const path* p, const dr_view_ray* ray, dr_stage_hit* hit, float* ground)
{
    *ground = ground_distance(p->scenery, ray->origin, ray->direction);
    return dr_stage_meet(p->stage, ray->origin, ray->direction, hit) && hit->distance < *ground;
}

dr_shade dr_shade_ray(const dr_stage* stage, const dr_scenery* scenery, const dr_view_ray* ray,
                      const dr_sampler* sampler)
{
    path p = {stage, scenery, sampler};
    dr_stage_hit hit;
    float ground;
    if (sees_thing(&p, ray, &hit, &ground)) {
        drape_vec3 color = seen_color(&p, &hit, ray);
        return (dr_shade){filter(color, surface_light(&p, &hit, 0)), color, hit.normal, hit.place};
    }
    drape_vec3 backdrop = backdrop_color(scenery, ray);
    dr_shade shade = {.light = backdrop, .color = backdrop};
    if (isfinite(ground)) {
        shade.normal = (drape_vec3){0.0f, 1.0f, 0.0f};
        shade.place = along(ray->origin, ray->direction, ground);
        shade.light = ground_color(&p, shade.place, backdrop);
    }
    return shade;
}

drape_vec3 dr_shade_color(const dr_stage* stage, const dr_scenery* scenery, const dr_view_ray* ray)
{
    path p = {stage, scenery, NULL};
    dr_stage_hit hit;
    float ground;
    return sees_thing(&p, ray, &hit, &ground) ? seen_color(&p, &hit, ray)
                                              : backdrop_color(scenery, ray);
}

dr_scenery dr_scenery_defaults(drape_vec3 forward)
{
    // To the left of the camera, above, and a little towards it.
    drape_vec3 ahead = dr_normalize((drape_vec3){forward.x, 0.0f, forward.z});
    if (dr_dot(ahead, ahead) == 0.0f) {
        ahead = (drape_vec3){0.0f, 0.0f, -1.0f};
    }
    drape_vec3 left = {ahead.z, 0.0f, -ahead.x};
    drape_vec3 up = {0.0f, 1.1f, 0.0f};
    drape_vec3 to_light = dr_add(up, dr_sub(dr_scale(left, 0.9f), dr_scale(ahead, 0.25f)));
    return (dr_scenery){
        .light_direction = dr_normalize(to_light),
        .light_cosine = 0.985f,
        .light_color = {1.22f, 1.15f, 1.05f},
        .sky_mid = {0.31f, 0.33f, 0.365f},
        .sky_tilt = {0.14f, 0.15f, 0.17f},
        .backdrop = {dr_color_from_srgb(0xd3d6d9), dr_color_from_srgb(0xe6e4e0)},
        .ground_color = {0.55f, 0.54f, 0.52f},
        .bounces = 2,
    };
}
