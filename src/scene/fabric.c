// The named fabrics. Figures typical of their class rather than of one bolt of cloth: they rank
// fabrics well, and may miss a given one by a factor of two. Stiffness is the secant at 98 N/m. The
// bending length (B / W g)^(1/3), which says how far a strip stands out, is 12 to 34 mm throughout.
#include <drape/drape.h>

#include <string.h>

// One row, in the units of a textile laboratory.
typedef struct fabric_row {
    const char* name;
    double density;                    // kg/m^2
    double thickness;                  // mm
    double stretch_warp, stretch_weft; // N/m
    double shear;                      // N/m
    double bend_warp, bend_weft;       // uN m
    double friction_static, friction_dynamic;
    double strain_limit; // %, at about 490 N/m
} fabric_row;

// clang-format off
static const fabric_row fabric_rows[] = {
    // name     density  thick   warp   weft shear    bend warp, weft    friction  limit
    {"silk",     0.067,   0.15,  4000,  2000,   15,      2.6,   1.8,   0.30, 0.24,   6},
    {"satin",    0.089,   0.18,  3500,  2500,   12,      4.5,   2.5,   0.25, 0.20,   6},
    {"chiffon",  0.045,   0.12,  1500,  1200,    8,      0.9,   0.7,   0.35, 0.28,   8},
    {"cotton",   0.130,   0.30,  6000,  3500,   70,     12.0,   8.0,   0.55, 0.45,   5},
    {"poplin",   0.115,   0.22,  8000,  4000,   90,     12.0,   6.0,   0.50, 0.40,   4},
    {"linen",    0.152,   0.35,  9000,  6000,   40,     22.0,  16.0,   0.50, 0.42,   3},
    {"wool",     0.230,   0.50,  3300,  2200,   45,     10.0,   8.0,   0.45, 0.38,   8},
    {"flannel",  0.170,   0.75,  4000,  2000,   50,     11.0,   7.0,   0.65, 0.55,   6},
    {"denim",    0.324,   0.75,  6000,  3500,  100,     50.0,  30.0,   0.60, 0.50,   5},
    {"canvas",   0.393,   0.70, 15000,  9000,  180,    140.0, 100.0,   0.60, 0.50,   2.5},
    {"jersey",   0.187,   0.65,    70,    33,   18,      5.8,   3.6,   0.60, 0.50,  40},
    {"rib",      0.276,   1.10,   130,    86,   42,     11.6,   8.1,   0.65, 0.55,  80},
    {"fleece",   0.220,   2.50,   250,   150,   25,     20.0,  14.0,   0.70, 0.60,  30},
    {"velvet",   0.250,   1.20,  2500,  1800,   25,     14.0,   9.0,   0.70, 0.55,   7},
    {"leather",  0.500,   0.80, 15000, 10000, 4500,     32.0,  26.0,   0.60, 0.50,   5},
    {"nylon",    0.058,   0.10, 15000, 12000,   60,      3.0,   2.2,   0.30, 0.22,   4},
    {"felt",     0.300,   1.50,  2500,  2000,  800,    120.0, 100.0,   0.65, 0.55,  10},
    {"tulle",    0.025,   0.25,   800,   300,   10,      2.0,   0.8,   0.40, 0.32,  20},
};
// clang-format on

enum { fabric_row_count = sizeof(fabric_rows) / sizeof(fabric_rows[0]) };

static drape_fabric fabric_from_row(const fabric_row* row)
{
    return (drape_fabric){
        .density = (float)row->density,
        .thickness = (float)(row->thickness * 1e-3),
        .stretch_warp = (float)row->stretch_warp,
        .stretch_weft = (float)row->stretch_weft,
        .shear = (float)row->shear,
        .bend_warp = (float)(row->bend_warp * 1e-6),
        .bend_weft = (float)(row->bend_weft * 1e-6),
        .friction_static = (float)row->friction_static,
        .friction_dynamic = (float)row->friction_dynamic,
        .strain_limit = (float)(row->strain_limit * 1e-2),
        .bend_damping = 0.002f,
    };
}

bool drape_fabric_by_name(const char* name, drape_fabric* fabric)
{
    for (int i = 0; name != NULL && fabric != NULL && i < fabric_row_count; ++i) {
        if (strcmp(name, fabric_rows[i].name) == 0) {
            *fabric = fabric_from_row(&fabric_rows[i]);
            return true;
        }
    }
    return false;
}

drape_fabric drape_fabric_cotton(void)
{
    drape_fabric fabric = {0};
    drape_fabric_by_name("cotton", &fabric);
    return fabric;
}

int drape_fabric_count(void)
{
    return fabric_row_count;
}

const char* drape_fabric_name(int index)
{
    return index >= 0 && index < fabric_row_count ? fabric_rows[index].name : NULL;
}
