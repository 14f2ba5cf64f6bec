# How everything in this tree is compiled. Directory scope: a project that adds drape as a
# subdirectory is not touched.

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release)
endif()

set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

add_compile_definitions(_POSIX_C_SOURCE=200809L)
add_compile_options(-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion)
if(DRAPE_WERROR)
    add_compile_options(-Werror)
endif()

# Equal bits on every machine: a multiply and an add stay two roundings.
add_compile_options(-ffp-contract=off)

# Asserts live in Debug and RelWithDebInfo.
add_compile_definitions($<$<CONFIG:Release,MinSizeRel>:DRAPE_NO_ASSERT>)
if(DRAPE_VALIDATE)
    add_compile_definitions(DRAPE_VALIDATE)
endif()

if(DRAPE_SANITIZE)
    set(flags -fsanitize=${DRAPE_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    add_compile_options(${flags})
    add_link_options(${flags})
    # Else gcc takes minutes to tell the debugger about variables of sanitized kernels.
    if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
        add_compile_options(-fno-var-tracking)
    endif()
endif()
