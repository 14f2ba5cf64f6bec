// contact/sensor_contact.h: how two triangles that meet lay before, and who gives way.
//
// The test says that two triangles meet where they end; how they should lie is seen where they
// started, free of each other. There a contact has the two nearest points (a vertex and a triangle,
// or two edges), the way between them as its normal, and the plane across it:
//
//          a  /            normal from b to a; a stays above the plane, b below. The plane divides
//      -----./-------      the gap by how easily both sides move: with equal masses in the middle,
//           /:             and all of it is the other's when one side is pinned.
//      plane :
//      ------:-----  b
//
// How easily a side moves is the sum of its inverse masses times the squares of their weights at
// the point: what the point itself would do when pushed.
#ifndef DR_SENSOR_CONTACT_H
#define DR_SENSOR_CONTACT_H

#include "collide/triangle_pair.h"
#include "contact/sheets.h"

typedef struct dr_sensor_contact {
    int32_t a, b;                   // triangles, a below b in number
    dr_relation relation;           // where they end
    float weight_a[3], weight_b[3]; // of the nearest points where they started
    drape_vec3 point_a, point_b;    // these points
    drape_vec3 normal;              // from b to a, of length 1; zero when they touched already
    float gap;                      // between the points, m
    float share_a;                  // of the correction that a takes, 0 to 1; b takes the rest
    bool is_old;                    // in the list of the frame before
} dr_sensor_contact;

// `inverse_mass` by vertex of the sheets, or null: all alike.
dr_sensor_contact dr_sensor_contact_of(const dr_sheets* sheets, const float* inverse_mass, int a,
                                       int b, dr_relation relation);

// The plane of a contact: normal.y >= offset for a, <= for b; false when they touched already.
bool dr_sensor_contact_plane(const dr_sensor_contact* contact, double normal[3], double* offset);

#endif
