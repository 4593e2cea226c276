# limber-serve: the local web server of the viewer.
pkg_check_modules(MICROHTTPD REQUIRED IMPORTED_TARGET libmicrohttpd>=0.9.71)
file(GLOB serve_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/apps/viewer/serve/*.c)
add_library(limber-serve STATIC ${serve_sources})
limber_set_up(limber-serve)
target_compile_definitions(limber-serve PRIVATE _GNU_SOURCE)
target_include_directories(limber-serve PUBLIC ${CMAKE_SOURCE_DIR}/apps/viewer)
target_link_libraries(limber-serve PUBLIC limber PRIVATE PkgConfig::MICROHTTPD Threads::Threads)
