# limber-serve: the local web server of the viewer; without libmicrohttpd there is none.
pkg_check_modules(MICROHTTPD IMPORTED_TARGET libmicrohttpd>=0.9.71)
if(MICROHTTPD_FOUND)
  add_library(limber-serve STATIC apps/viewer/serve.c apps/viewer/serve_path.c
    apps/viewer/open_browser.c)
  limber_set_up(limber-serve)
  target_compile_definitions(limber-serve PRIVATE _GNU_SOURCE)
  target_include_directories(limber-serve PUBLIC $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/apps>)
  target_link_libraries(limber-serve PUBLIC limber PRIVATE PkgConfig::MICROHTTPD Threads::Threads)
else()
  message(STATUS "libmicrohttpd not found: no limber-serve, no tests of it")
endif()
