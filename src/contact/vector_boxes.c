#include "contact/vector_boxes.h"

#include "core/isa.h"

DR_KERNEL_TABLE(dr_vector_box_kernels)
