# A project of somebody else, who has only what was installed.
cmake_minimum_required(VERSION 3.25)
project(user C)
set(CMAKE_C_STANDARD 17)
find_package(drape ${DRAPE_VERSION} REQUIRED COMPONENTS io)

add_executable(hello_shared "${PROGRAMS}/hello_cloth.c")
target_link_libraries(hello_shared PRIVATE drape::drape)
add_executable(hello_static "${PROGRAMS}/hello_cloth.c")
target_link_libraries(hello_static PRIVATE drape::drape_static)
add_executable(io_shared "${PROGRAMS}/io_user.c")
target_link_libraries(io_shared PRIVATE drape::io)
add_executable(io_static "${PROGRAMS}/io_user.c")
target_link_libraries(io_static PRIVATE drape::io_static)
