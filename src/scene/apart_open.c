// A sheet that goes through itself is stiff until it is free: it opens.
//
// Curves along which a sheet crosses itself often tell nothing of which layer should give way, and
// folds hold what is drawn out of them. But the rest shape crosses nothing, and a stiff sheet goes
// there: of 66 sheets crumpled through themselves 65 come free, most of them in half a second.
//
// How stiff follows from what crosses at the start of the substep alone, so that saved worlds go on
// with the same bytes (grids bend while they are predicted, so where it changes the attempt is done
// again); the more, the stiffer, so that a single pinched pair does not whip.
#include <math.h>

#include "scene/apart_world.h"
#include "core/vec_math.h"

// Pairs of triangles of one cloth that cross.
static int count_own_crossings(const dr_world_apart* a, int part)
{
    const dr_apart* apart = &a->apart;
    const dr_pair* crossed = apart->crossed.data;
    int count = 0;
    for (int i = 0; i < apart->crossed.count; ++i) {
        bool are_cloth = crossed[i].a < apart->sheets->triangle_count &&
                         crossed[i].b < apart->sheets->triangle_count;
        count += are_cloth && apart->part_of_vertex[apart->triangles[crossed[i].a][0]] == part &&
                 apart->part_of_vertex[apart->triangles[crossed[i].b][0]] == part;
    }
    return count;
}

// That a sheet carries itself with over four tenths of its width, N m.
static double opening_rigidity(const dr_cloth* cloth)
{
    const double gravity = 9.81, span = 0.4;
    const dr_mesh* mesh = &cloth->mesh;
    double area = 0.0, mass = 0.0;
    for (int t = 0; t < mesh->triangle_count; ++t) {
        const int32_t* v = mesh->triangles[t];
        drape_vec3 p = mesh->rest[v[0]];
        area += 0.5 * dr_length_double(
                          dr_cross(dr_sub(mesh->rest[v[1]], p), dr_sub(mesh->rest[v[2]], p)));
    }
    for (int v = 0; v < cloth->sheet->vertex_count; ++v) {
        float inverse = dr_sheet_inverse_mass(cloth->sheet, cloth->sheet->slot_of_vertex[v]);
        mass += inverse > 0.0f ? 1.0 / (double)inverse : 0.0;
    }
    return span * span * span * gravity * mass * sqrt(area);
}

// In powers of two: compliances are made anew when it changes.
static float times_stiffer(const dr_world_apart* a, int part)
{
    const double many = 0.02; // crossings for each triangle: from there on as stiff as it gets
    const dr_cloth* cloth = a->cloths[part];
    int count = count_own_crossings(a, part);
    if (count == 0) {
        return 1.0f;
    }
    double share = (double)count / (many * (double)cloth->mesh.triangle_count);
    double wanted = fmin(share, 1.0) * opening_rigidity(cloth), times = 1.0;
    while (times * (double)cloth->xpbd.rigidity < wanted && times < 1e6) {
        times *= 2.0;
    }
    return (float)times;
}

bool dr_world_open_crossed(drape_world* world)
{
    dr_world_apart* a = world->apart;
    for (int p = 0; p < a->sheets.part_count; ++p) {
        dr_xpbd* xpbd = &a->cloths[p]->xpbd;
        float times = a->apart.crossed.count > 0 ? times_stiffer(a, p) : 1.0f;
        if (a->cloths[p]->model || times == dr_xpbd_times_stiffer(xpbd)) {
            continue;
        }
        float h = xpbd->h;
        int phases = dr_xpbd_phase_count(xpbd, DR_XPBD_BEND);
        a->has_changed = true;
        dr_xpbd_stiffen(xpbd, times);
        dr_xpbd_prepare(xpbd, h);
        world->is_work_stale |= phases != dr_xpbd_phase_count(xpbd, DR_XPBD_BEND);
    }
    return !world->is_work_stale || dr_world_refresh_work(world);
}
