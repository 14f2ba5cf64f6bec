// Cloth that was pulled out of all shape: caught behind a solid that went away, or in a knot of
// contacts that contradict each other. Contacts would hold it there for good.
#include "contact/predict.h"
#include "core/vec_math.h"

// Edges this much longer than at rest tear their ends out of contacts with cloth, and with solids,
// until all of their edges are this short again.
static const float tears[2] = {1.5f, 2.0f}, heals[2] = {1.05f, 1.25f};

// Bits of dr_predict.torn for a vertex that was torn before and for one that is.
enum { before = 0, now = 2, levels = 2 };

// Which bits an edge of this length, squared and over the rest, tears.
static uint8_t tear_of(float longer, uint8_t torn)
{
    uint8_t bits = 0;
    for (int k = 0; k < levels; ++k) {
        float limit = torn >> (before + k) & 1 ? heals[k] : tears[k];
        bits |= (uint8_t)((longer > limit * limit) << (now + k));
    }
    return bits;
}

void dr_predict_tear(dr_predict* predict)
{
    const dr_predict_mesh* mesh = &predict->mesh;
    uint8_t* torn = predict->torn;
    for (int e = 0; e < mesh->edge_count; ++e) {
        int a = mesh->edges[e][0], b = mesh->edges[e][1];
        drape_vec3 way = dr_sub(dr_record_at(predict->start, a), dr_record_at(predict->start, b));
        drape_vec3 rest = dr_sub(mesh->rest[a], mesh->rest[b]);
        float squared = dr_dot(way, way), at_rest = dr_dot(rest, rest);
        if (squared > heals[0] * heals[0] * at_rest) {
            uint8_t bits = tear_of(squared / at_rest, torn[a] | torn[b]);
            torn[a] |= bits;
            torn[b] |= bits;
        }
    }
    predict->torn_count = 0;
    for (int v = 0; v < mesh->vertex_count; ++v) {
        torn[v] >>= now;
        predict->torn_count += torn[v] != 0;
    }
}

static void let_go(const dr_predict* predict, dr_predict_lanes* lanes)
{
    for (int lane = 0; lane < 8; ++lane) {
        bool is_any = false;
        for (int k = 0; k < 4; ++k) {
            is_any = is_any || predict->torn[lanes->vertex[k][lane]];
        }
        if (is_any) {
            lanes->target[lane] = DR_PREDICT_RESTS;
        }
    }
}

void dr_predict_let_go(dr_predict* predict, dr_predict_batches* batches)
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
