// Sides that the author has given.
#include "contact/predict_contacts.h"
#include "core/vec_math.h"

drape_vec3 dr_predict_outward(const dr_predict_mesh* mesh, const float* start, int edge)
{
    drape_vec3 sum = {0.0f, 0.0f, 0.0f};
    for (int k = 0; k < 2; ++k) {
        int t = mesh->edge_triangles[edge][k];
        if (t >= 0) {
            const int32_t* corner = mesh->triangles[t];
            drape_vec3 a = dr_record_at(start, corner[0]);
            drape_vec3 ab = dr_sub(dr_record_at(start, corner[1]), a);
            sum = dr_add(sum, dr_cross(ab, dr_sub(dr_record_at(start, corner[2]), a)));
        }
    }
    return sum;
}

bool dr_predict_turn(const dr_predict_mesh* mesh, const float* start, int order, bool can_turn,
                     dr_edge_contact* contact)
{
    const float least = 0.3f; // cosine
    int lower = order > 0 ? contact->b : contact->a;
    drape_vec3 outward = dr_normalize(dr_predict_outward(mesh, start, lower));
    // From a to b; outwards when b is the upper one.
    float along = dr_dot(contact->normal, outward) * (order > 0 ? -1.0f : 1.0f);
    if (can_turn && along < -least) {
        contact->normal = dr_scale(contact->normal, -1.0f);
        along = -along;
    }
    return along > least;
}
