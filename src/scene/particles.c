// Sensor particles for those who draw them.
#include "contact/self_gate.h"
#include "scene/trials.h"

// The particles of a cloth; null when there are none.
static const dr_gate_part* find_part(drape_world* world, const dr_cloth* cloth)
{
    bool is_short;
    const dr_self_gate* gate = dr_world_gate(world, &is_short);
    for (int p = 0; gate && p < gate->sheets->part_count; ++p) {
        if (gate->sheets->parts[p].mesh == &cloth->mesh) {
            return &gate->parts[p];
        }
    }
    return NULL;
}

int drape_cloth_particles(drape_world* world, drape_cloth_id id, drape_vec3* places, int room)
{
    const dr_cloth* cloth = world ? dr_world_cloth(world, id) : NULL;
    const dr_gate_part* part = cloth ? find_part(world, cloth) : NULL;
    int count = part ? part->particles.options.count : 0;
    const dr_sheet* sheet = cloth ? cloth->sheet : NULL;
    for (int i = 0; places && i < count && i < room; ++i) {
        const dr_material_point* at = &part->particles.at[i];
        double sum[3] = {0};
        for (int k = 0; k < 3; ++k) {
            int slot = sheet->slot_of_vertex[cloth->mesh.triangles[at->triangle][k]];
            drape_vec3 p = dr_sheet_get(sheet->layout, sheet->start, slot);
            sum[0] += at->weight[k] * (double)p.x;
            sum[1] += at->weight[k] * (double)p.y;
            sum[2] += at->weight[k] * (double)p.z;
        }
        places[i] = (drape_vec3){(float)sum[0], (float)sum[1], (float)sum[2]};
    }
    return count;
}
