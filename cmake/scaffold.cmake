# While the house is being built: what cannot be linked yet is left out.
if(NOT EXISTS "${PROJECT_SOURCE_DIR}/src/scene/CMakeLists.txt")
    set(DRAPE_UNFINISHED ON)
endif()
if(NOT EXISTS "${PROJECT_SOURCE_DIR}/apps/cli/CMakeLists.txt")
    set(DRAPE_BUILD_COMMAND OFF)
endif()
