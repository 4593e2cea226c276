# Headers, libraries, pkg-config and CMake packages.
include(CMakePackageConfigHelpers)
set(installed_libraries limber)
if(TARGET limber-build)
  list(APPEND installed_libraries limber-build)
endif()
if(TARGET limber-cli)
  install(TARGETS limber-cli)
endif()
install(TARGETS ${installed_libraries} EXPORT limber-targets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/limber DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT limber-targets NAMESPACE limber:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/limber)
configure_package_config_file(cmake/limber-config.cmake.in limber-config.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/limber)
write_basic_package_version_file(limber-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/limber-config.cmake ${CMAKE_BINARY_DIR}/limber-config-version.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/limber)
configure_file(cmake/limber.pc.in limber.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/limber.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
if(TARGET limber-build)
  configure_file(cmake/limber-build.pc.in limber-build.pc @ONLY)
  install(FILES ${CMAKE_BINARY_DIR}/limber-build.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endif()
