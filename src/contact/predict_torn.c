// Cloth that was pulled out of all shape: caught behind a solid that went away, or in a knot of
// contacts that contradict each other. Contacts would hold it there for good.
#include <string.h>

#include "contact/predict.h"
#include "core/vec_math.h"

// Edges this much longer than at rest tear their ends out of contacts with cloth, and with solids,
// until all of their edges are this short again.
static const float tears[2] = {1.5f, 2.5f}, heals[2] = {1.05f, 1.25f};
// So many steps with an edge that is this long do so, too: it is caught.
static const float strains = 1.15f;
enum { caught = 20, strained = 4, oldest_age = 63 };

// Bits of the ends of an edge of this length, squared and over the rest.
static uint8_t bits_of(float longer, uint8_t torn)
{
    uint8_t bits = longer > strains * strains ? strained : 0;
    for (int k = 0; k < 2; ++k) {
        float limit = torn >> k & 1 ? heals[k] : tears[k];
        bits |= (uint8_t)((longer > limit * limit) << k);
    }
    return bits;
}

static uint8_t age_of(uint8_t bits, uint8_t torn)
{
    int age = bits & strained ? (torn >> 2) + 1 : 0;
    return (uint8_t)(age < oldest_age ? age : oldest_age);
}

void dr_predict_tear(dr_predict* predict)
{
    const dr_predict_mesh* mesh = &predict->mesh;
    uint8_t *torn = predict->torn, *bits = predict->is_touched; // which is made anew afterwards
    memset(bits, 0, (size_t)mesh->vertex_count);
    for (int e = 0; e < mesh->edge_count; ++e) {
        int a = mesh->edges[e][0], b = mesh->edges[e][1];
        drape_vec3 way = dr_sub(dr_record_at(predict->start, a), dr_record_at(predict->start, b));
        float squared = dr_dot(way, way), at_rest = mesh->rest_squared[e];
        if (squared > heals[0] * heals[0] * at_rest && at_rest > 0.0f) {
            uint8_t more = bits_of(squared / at_rest, torn[a] | torn[b]);
            bits[a] |= more;
            bits[b] |= more;
        }
    }
    predict->torn_count = predict->strained_count = 0;
    for (int v = 0; v < mesh->vertex_count; ++v) {
        uint8_t age = age_of(bits[v], torn[v]);
        torn[v] = (uint8_t)((bits[v] & 3) | (age >= caught) | age << 2);
        predict->torn_count += (torn[v] & 3) != 0;
        predict->strained_count += torn[v] != 0;
    }
}

static void let_go(const dr_predict* predict, dr_predict_lanes* lanes)
{
    for (int lane = 0; lane < 8; ++lane) {
        bool is_any = false;
        for (int k = 0; k < 4; ++k) {
            is_any = is_any || (predict->torn[lanes->vertex[k][lane]] & 3);
        }
        if (is_any) {
            lanes->target[lane] = DR_PREDICT_RESTS;
        }
    }
}

void dr_predict_let_go(const dr_predict* predict, dr_predict_batches* batches)
{
    dr_point_batch* points = batches->points.data;
    dr_edge_batch* edges = batches->edges.data;
    for (int i = 0; i < batches->points.count && predict->torn_count > 0; ++i) {
        let_go(predict, &points[i].lanes);
    }
    for (int i = 0; i < batches->edges.count && predict->torn_count > 0; ++i) {
        let_go(predict, &edges[i].lanes);
    }
}
