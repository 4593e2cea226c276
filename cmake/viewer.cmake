# limber-viewer: renderer, stage, window and off-screen pictures (apps/viewer), for the program.
# The page has its own build of the same sources: cmake/web.cmake.
enable_language(CXX)
pkg_check_modules(EPOXY REQUIRED IMPORTED_TARGET epoxy)
pkg_check_modules(GLFW REQUIRED IMPORTED_TARGET glfw3)
pkg_check_modules(IMGUI REQUIRED IMPORTED_TARGET imgui)

set(viewer_sources)
foreach(part render stage view desktop)
  file(GLOB files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/apps/viewer/${part}/*.c
    ${CMAKE_SOURCE_DIR}/apps/viewer/${part}/*.cpp)
  list(APPEND viewer_sources ${files})
endforeach()
add_library(limber-viewer STATIC ${viewer_sources})
limber_set_up(limber-viewer)
target_compile_definitions(limber-viewer PRIVATE _GNU_SOURCE)
target_include_directories(limber-viewer PUBLIC ${CMAKE_SOURCE_DIR}/apps/viewer)
target_link_libraries(limber-viewer PUBLIC limber-build
  PRIVATE PkgConfig::JANSSON PkgConfig::EPOXY PkgConfig::GLFW PkgConfig::IMGUI m)
