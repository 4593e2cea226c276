# limber-build, the program, the tests and the fuzz targets.
find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
find_package(ZLIB REQUIRED)
pkg_check_modules(JANSSON REQUIRED IMPORTED_TARGET jansson)
pkg_check_modules(ASSIMP IMPORTED_TARGET assimp)
include(cmake/engine.cmake)

limber_layer_sources(build_sources ${LIMBER_BUILD_LAYERS})
set(build_kernels ${build_sources})
list(FILTER build_kernels INCLUDE REGEX "\\.kernel\\.c$")
list(FILTER build_sources EXCLUDE REGEX "\\.kernel\\.c$")
if(LIMBER_ENGINE STREQUAL "own")
  list(FILTER build_sources EXCLUDE REGEX "/linalg/suitesparse/")
endif()
add_library(limber-build ${build_sources})
limber_set_up(limber-build)
limber_add_kernels(limber-build ${build_kernels})
target_compile_definitions(limber-build PRIVATE _GNU_SOURCE)
# Nothing else depends on the choice.
set_source_files_properties(${CMAKE_SOURCE_DIR}/src/linalg/engine.c
  ${CMAKE_SOURCE_DIR}/src/linalg/analyse.c PROPERTIES
  COMPILE_DEFINITIONS "${LIMBER_ENGINE_DEFINITIONS}")
target_link_libraries(limber-build
  PUBLIC limber
  PRIVATE PkgConfig::JANSSON ZLIB::ZLIB Threads::Threads ${LIMBER_ENGINE_LIBRARIES})
# The only one that is linked with assimp: the library starts it for formats that it does not know.
if(ASSIMP_FOUND)
  add_executable(limber-assimp ${CMAKE_SOURCE_DIR}/src/assimp/main.c)
  limber_set_up(limber-assimp)
  target_compile_definitions(limber-assimp PRIVATE _GNU_SOURCE)
  target_link_libraries(limber-assimp PRIVATE limber PkgConfig::ASSIMP)
  add_dependencies(limber-build limber-assimp)
endif()

if(LIMBER_PROGRAM)
  include(cmake/serve.cmake)
  include(cmake/viewer.cmake)
  file(GLOB cli_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/apps/cli/*.c
    ${CMAKE_SOURCE_DIR}/bench/*.c)
  # What `limber bench contact` compares with, where it is there.
  pkg_check_modules(BULLET IMPORTED_TARGET bullet)
  if(BULLET_FOUND)
    list(APPEND cli_sources ${CMAKE_SOURCE_DIR}/bench/peers/bullet.cpp)
    set_source_files_properties(${CMAKE_SOURCE_DIR}/bench/peers/bullet.cpp PROPERTIES
      COMPILE_OPTIONS $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>) # in its headers
  else()
    list(APPEND cli_sources ${CMAKE_SOURCE_DIR}/bench/peers/bullet_none.c)
  endif()
  # CHOLMOD itself, of `limber bench engines`.
  if(LIMBER_ENGINE STREQUAL "own")
    list(APPEND cli_sources ${CMAKE_SOURCE_DIR}/bench/peers/cholmod_none.c)
  else()
    list(APPEND cli_sources ${CMAKE_SOURCE_DIR}/bench/peers/cholmod.c)
  endif()
  add_executable(limber-cli ${cli_sources})
  limber_set_up(limber-cli)
  target_compile_definitions(limber-cli PRIVATE _GNU_SOURCE)
  target_include_directories(limber-cli PRIVATE ${CMAKE_SOURCE_DIR})
  target_link_libraries(limber-cli PRIVATE limber-build limber-viewer limber-serve
    PkgConfig::JANSSON)
  if(NOT LIMBER_ENGINE STREQUAL "own")
    target_link_libraries(limber-cli PRIVATE ${LIMBER_ENGINE_LIBRARIES})
  endif()
  if(BULLET_FOUND)
    target_link_libraries(limber-cli PRIVATE PkgConfig::BULLET)
  endif()
  set_target_properties(limber-cli PROPERTIES OUTPUT_NAME limber)
  include(cmake/mpi.cmake)
endif()

if(LIMBER_TESTS)
  enable_testing()
  include(cmake/tests.cmake)
endif()
if(LIMBER_FUZZ)
  include(cmake/fuzz.cmake)
endif()
