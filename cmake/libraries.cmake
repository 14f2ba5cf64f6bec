# The two libraries, each compiled once into objects and bound twice: static and shared.

find_package(Threads REQUIRED)

add_library(drape_objects OBJECT)
target_include_directories(drape_objects PRIVATE include src)
target_compile_definitions(drape_objects PRIVATE DRAPE_VERSION="${PROJECT_VERSION}")

add_library(drape_io_objects OBJECT)
target_include_directories(drape_io_objects PRIVATE include src)

# The kernels of a library are compiled once per instruction set of the target machine.
if(CMAKE_SYSTEM_NAME STREQUAL "Emscripten")
    set(DRAPE_KERNEL_SETS plain wasm)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$" AND CMAKE_SIZEOF_VOID_P EQUAL 8)
    set(DRAPE_KERNEL_SETS plain sse2 avx2)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64|ARM64)$" AND CMAKE_SIZEOF_VOID_P EQUAL 8)
    set(DRAPE_KERNEL_SETS plain neon)
else()
    set(DRAPE_KERNEL_SETS plain)
endif()
set(DRAPE_KERNEL_FLAGS_avx2 -mavx2)
set(DRAPE_KERNEL_FLAGS_wasm -msimd128)

foreach(isa IN LISTS DRAPE_KERNEL_SETS)
    string(TOUPPER ${isa} upper)
    add_library(drape_objects_${isa} OBJECT)
    target_compile_definitions(drape_objects_${isa} PRIVATE DR_SIMD_${upper}=1)
    target_compile_options(drape_objects_${isa} PRIVATE ${DRAPE_KERNEL_FLAGS_${isa}})
    target_include_directories(drape_objects_${isa} PRIVATE include src)
endforeach()

# drape_add_kernels(drape_objects file.c ...): each file once per instruction set, with one of
# DR_SIMD_PLAIN, DR_SIMD_SSE2, DR_SIMD_AVX2, DR_SIMD_NEON, DR_SIMD_WASM defined as 1. The file
# gives its symbols a suffix of its own. Each set is an object library, drape_objects_avx2 and so
# on, so that compile_commands.json names the true file.
function(drape_add_kernels target)
    foreach(isa IN LISTS DRAPE_KERNEL_SETS)
        target_sources(${target}_${isa} PRIVATE ${ARGN})
    endforeach()
endfunction()

# Folders appear with the first code that needs them.
function(drape_add_parts)
    foreach(part IN LISTS ARGN)
        if(EXISTS "${PROJECT_SOURCE_DIR}/${part}/CMakeLists.txt")
            add_subdirectory("${PROJECT_SOURCE_DIR}/${part}")
        endif()
    endforeach()
endfunction()

# drape_bind(target STATIC|SHARED objects): one library from objects and their kernels.
function(drape_bind target kind objects)
    add_library(${target} ${kind} $<TARGET_OBJECTS:${objects}>)
    foreach(isa IN LISTS DRAPE_KERNEL_SETS)
        if(TARGET ${objects}_${isa})
            target_sources(${target} PRIVATE $<TARGET_OBJECTS:${objects}_${isa}>)
        endif()
    endforeach()
    string(REPLACE "_objects" "" name ${objects})
    set_target_properties(${target} PROPERTIES OUTPUT_NAME ${name} VERSION ${PROJECT_VERSION}
        SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR} LINKER_LANGUAGE C)
    target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>)
    # A library that forgets one of its own files shall not wait for its user to find out.
    if(CMAKE_SYSTEM_NAME STREQUAL "Linux" AND NOT DRAPE_SANITIZE)
        target_link_options(${target} PRIVATE LINKER:--no-undefined)
    endif()
endfunction()

# drape::drape and drape::io, shared; drape::drape_static and drape::io_static.
function(drape_add_libraries)
    foreach(kind static shared)
        string(TOUPPER ${kind} upper)
        drape_bind(drape_${kind} ${upper} drape_objects)
        target_link_libraries(drape_${kind} PRIVATE Threads::Threads m)
        drape_bind(drape_io_${kind} ${upper} drape_io_objects)
        target_link_libraries(drape_io_${kind} PUBLIC drape_${kind} PRIVATE m)
    endforeach()
    set_target_properties(drape_shared PROPERTIES EXPORT_NAME drape)
    set_target_properties(drape_io_shared PROPERTIES EXPORT_NAME io)
    set_target_properties(drape_io_static PROPERTIES EXPORT_NAME io_static)
    add_library(drape::drape ALIAS drape_shared)
    add_library(drape::io ALIAS drape_io_shared)
    add_library(drape::drape_static ALIAS drape_static)
    add_library(drape::io_static ALIAS drape_io_static)
endfunction()
