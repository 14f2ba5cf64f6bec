# drape_add_test_kernels(test file.c): links the file into a test once per instruction set, compiled as
# the kernels of the library are (cmake/libraries.cmake).
function(drape_add_test_kernels test file)
    foreach(isa IN LISTS DRAPE_KERNEL_SETS)
        string(TOUPPER ${isa} upper)
        add_library(${test}_${isa} OBJECT ${file})
        target_compile_definitions(${test}_${isa} PRIVATE DR_SIMD_${upper}=1)
        target_compile_options(${test}_${isa} PRIVATE ${DRAPE_KERNEL_FLAGS_${isa}})
        target_include_directories(${test}_${isa} PRIVATE "${PROJECT_SOURCE_DIR}/include"
            "${PROJECT_SOURCE_DIR}/src")
        target_sources(${test} PRIVATE $<TARGET_OBJECTS:${test}_${isa}>)
    endforeach()
endfunction()
