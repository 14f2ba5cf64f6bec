// PC2 files.
#include "fuzz_reader.h"
#include "io/pc2.h"

int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t count)
{
    drape_cache_data cache;
    drape_error error = {0};
    bool is_read = dr_pc2_parse((const char*)bytes, count, "f.pc2", &cache, &error);
    require_cache(&cache, is_read);
    if (!is_read) {
        require_sentence(&error, "f.pc2");
    }
    drape_cache_data_free(&cache);
    return 0;
}
