# limber-viewer: renderer, stage, window and off-screen pictures (apps/viewer), for the program.
# The page has its own build of the same sources: cmake/web.cmake.
enable_language(CXX)
pkg_check_modules(EPOXY REQUIRED IMPORTED_TARGET epoxy)
pkg_check_modules(GLFW REQUIRED IMPORTED_TARGET glfw3)
pkg_check_modules(IMGUI REQUIRED IMPORTED_TARGET imgui)

file(GLOB viewer_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/apps/viewer/*.c
  ${CMAKE_SOURCE_DIR}/apps/viewer/*.cpp)
list(FILTER viewer_sources EXCLUDE REGEX "/(page|serve|serve_listen|serve_path|open_browser)\\.c$")
add_library(limber-viewer STATIC ${viewer_sources})
limber_set_up(limber-viewer)
target_compile_definitions(limber-viewer PRIVATE _GNU_SOURCE)
target_include_directories(limber-viewer PUBLIC ${CMAKE_SOURCE_DIR}/apps/viewer)
target_link_libraries(limber-viewer PUBLIC limber-build
  PRIVATE PkgConfig::JANSSON PkgConfig::EPOXY PkgConfig::GLFW PkgConfig::IMGUI m)
