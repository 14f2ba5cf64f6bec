# What `cmake --install` leaves behind, and how other projects find it.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(TARGETS drape_shared drape_static drape_io_shared drape_io_static EXPORT drape
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
    INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY include/drape DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

# find_package(drape)
set(config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/drape)
configure_package_config_file(cmake/drape-config.cmake.in drape-config.cmake
    INSTALL_DESTINATION ${config_dir})
write_basic_package_version_file(drape-config-version.cmake COMPATIBILITY SameMinorVersion)
install(EXPORT drape FILE drape-targets.cmake NAMESPACE drape:: DESTINATION ${config_dir})
install(FILES "${PROJECT_BINARY_DIR}/drape-config.cmake"
    "${PROJECT_BINARY_DIR}/drape-config-version.cmake" DESTINATION ${config_dir})

# pkg-config. The prefix is told from where the file lies, so that the tree may be moved.
cmake_path(RELATIVE_PATH CMAKE_INSTALL_FULL_LIBDIR BASE_DIRECTORY "${CMAKE_INSTALL_PREFIX}"
    OUTPUT_VARIABLE pc_libdir)
cmake_path(RELATIVE_PATH CMAKE_INSTALL_FULL_INCLUDEDIR BASE_DIRECTORY "${CMAKE_INSTALL_PREFIX}"
    OUTPUT_VARIABLE pc_includedir)
cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX
    BASE_DIRECTORY "${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig" OUTPUT_VARIABLE pc_prefix)
foreach(name drape drape_io)
    configure_file(cmake/${name}.pc.in ${name}.pc @ONLY)
    install(FILES "${PROJECT_BINARY_DIR}/${name}.pc"
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()

if(TARGET drape)
    install(TARGETS drape RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
    install(DIRECTORY scenes DESTINATION ${CMAKE_INSTALL_DATADIR}/drape)
    install(FILES docs/drape.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
    install(FILES completions/drape.bash RENAME drape
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
endif()
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
