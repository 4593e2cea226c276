# Headers, libraries, the program, pkg-config files and the CMake package. The installed tree can be
# moved: nothing in it names the prefix. tools/check_install.sh tries all of it.
include(CMakePackageConfigHelpers)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/limber)

function(limber_install_library target)
  set_target_properties(${target} PROPERTIES VERSION ${PROJECT_VERSION}
    SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  install(TARGETS ${target} EXPORT ${target}-targets
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(EXPORT ${target}-targets NAMESPACE limber:: DESTINATION ${package_folder})
  configure_file(cmake/${target}.pc.in ${target}.pc @ONLY)
  install(FILES ${CMAKE_BINARY_DIR}/${target}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endfunction()

# From the folder of the .pc files to the prefix.
file(RELATIVE_PATH LIMBER_PC_TO_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
# What limber-build is linked with. A program must name it too when the library is static; a shared
# one brings it along.
set(needed_packages "jansson, zlib")
set(needed_libraries "-lpthread")
if(LIMBER_ENGINE STREQUAL "suitesparse")
  set(needed_libraries "-lcholmod -llapacke -lopenblas -lpthread")
endif()
if(BUILD_SHARED_LIBS)
  set(LIMBER_PC_NEEDS "Requires.private: ${needed_packages}\nLibs.private: ${needed_libraries}")
else()
  set(LIMBER_PC_REQUIRES ", ${needed_packages}")
  set(LIMBER_PC_LIBS " ${needed_libraries}")
endif()

limber_install_library(limber)
if(TARGET limber-build)
  limber_install_library(limber-build)
endif()
if(TARGET limber-assimp)
  install(TARGETS limber-assimp)
endif()
if(TARGET limber-cli)
  install(TARGETS limber-cli)
  install(DIRECTORY scenes DESTINATION ${CMAKE_INSTALL_DATADIR}/limber)
  # The page, where `make web` has made it.
  install(DIRECTORY web/dist/ DESTINATION ${CMAKE_INSTALL_DATADIR}/limber/web OPTIONAL)
endif()
install(DIRECTORY include/limber DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES LICENSE README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
configure_package_config_file(cmake/limber-config.cmake.in limber-config.cmake
  INSTALL_DESTINATION ${package_folder})
# A program that asks for 0.3 gets any later 0.x: the changelog says what to do about changes.
write_basic_package_version_file(limber-config-version.cmake COMPATIBILITY SameMajorVersion)
install(FILES ${CMAKE_BINARY_DIR}/limber-config.cmake ${CMAKE_BINARY_DIR}/limber-config-version.cmake
  DESTINATION ${package_folder})
