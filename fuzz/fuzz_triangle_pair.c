// The relation of two triangles against its definition.
#include "collide/triangle_pair.h"
#include "collide/triangle_reference.h"
#include "fuzz_input.h"

static void require_same(dr_triangle_relation x, dr_triangle_relation y, const char* what)
{
    fuzz_require(x.relation == y.relation && x.coplanar == y.coplanar && x.folded == y.folded &&
                     x.shared_count == y.shared_count,
                 what);
}

int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t count)
{
    fuzz_input in = {bytes, count};
    fuzz_way way = (fuzz_way)(fuzz_byte(&in) % fuzz_way_count);
    drape_vec3 points[6], a[3], b[3];
    int32_t a_ids[3], b_ids[3];
    uint64_t corners = fuzz_bits(&in, 3);
    for (int i = 0; i < 6; ++i) {
        points[i].x = fuzz_float(&in, way);
        points[i].y = fuzz_float(&in, way);
        points[i].z = fuzz_float(&in, way);
    }
    // Any three of the six points for each of the triangles.
    for (int i = 0; i < 3; ++i) {
        a_ids[i] = (int32_t)((corners >> (4 * i)) % 6);
        b_ids[i] = (int32_t)((corners >> (12 + 4 * i)) % 6);
        a[i] = points[a_ids[i]];
        b[i] = points[b_ids[i]];
    }
    whole_workshop shop;
    workshop_open(&shop);
    dr_triangle_relation expected = reference_pair(&shop, a, a_ids, b, b_ids);
    dr_triangle_relation strangers = reference_pair(&shop, a, NULL, b, NULL);
    workshop_close(&shop);
    require_same(dr_triangle_pair(a, a_ids, b, b_ids), expected, "relation");
    require_same(dr_triangle_pair(b, b_ids, a, a_ids), expected, "relation, swapped");
    require_same(dr_triangle_pair(a, NULL, b, NULL), strangers, "relation without ids");
    return 0;
}
