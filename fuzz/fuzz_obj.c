// OBJ files.
#include "fuzz_reader.h"
#include "io/obj.h"

int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t count)
{
    drape_mesh_data mesh;
    drape_error error = {0};
    bool is_read = dr_obj_parse((const char*)bytes, count, "f.obj", &mesh, &error);
    require_mesh(&mesh, is_read);
    if (!is_read) {
        require_sentence(&error, "f.obj");
    }
    drape_mesh_data_free(&mesh);
    return 0;
}
