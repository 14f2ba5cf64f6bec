#include "contact/beside.h"

#include "core/isa.h"

const dr_beside_kernels* dr_beside_kernels_for(drape_isa isa);
DR_KERNEL_TABLE(dr_beside_kernels)

void dr_beside(const float* places, const int32_t (*triangles)[3], const dr_pair* pairs, int count,
               drape_isa isa, uint8_t* is_beside)
{
    dr_beside_kernels_for(isa)->beside(places, triangles, pairs, count, is_beside);
}
