# Every tests/<layer>/test_<subject>.c is a program of its own and one CTest test named
# <layer>.<subject>. They run in the source folder, so tests/data and ../shared have fixed paths.
# A program that exits with 77 counts as skipped.
find_package(cmocka REQUIRED)

# What need not be tried with every compiler is tried in the plain build.
set(plain_build OFF)
if(CMAKE_C_COMPILER_ID STREQUAL "GNU" AND CMAKE_BUILD_TYPE STREQUAL "Release"
    AND LIMBER_PROGRAM AND NOT LIMBER_SANITIZE AND NOT LIMBER_PORTABLE)
  set(plain_build ON)
endif()

# Kernels of tests alone: tests/<layer>/<name>.kernel.c.
file(GLOB test_kernels CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/*/*.kernel.c)
add_library(test-kernels STATIC)
limber_add_kernels(test-kernels ${test_kernels})
set_target_properties(test-kernels PROPERTIES LINKER_LANGUAGE C)
foreach(level IN LISTS LIMBER_SIMD_LEVELS)
  target_include_directories(test-kernels_kernels_${level} PRIVATE ${CMAKE_SOURCE_DIR}/tests)
endforeach()
# They call functions of limber, and tests call them.
target_link_libraries(test-kernels PUBLIC limber)

file(GLOB test_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/*/test_*.c)
if(NOT LIMBER_PROGRAM)
  list(FILTER test_sources EXCLUDE REGEX "/tests/viewer/")
endif()
foreach(source IN LISTS test_sources)
  get_filename_component(folder ${source} DIRECTORY)
  get_filename_component(layer ${folder} NAME)
  get_filename_component(subject ${source} NAME_WE)
  string(REPLACE "test_" "" subject ${subject})
  set(name ${layer}.${subject})
  set(target test-${layer}-${subject})
  add_executable(${target} ${source})
  limber_set_up(${target})
  target_compile_definitions(${target} PRIVATE _GNU_SOURCE $<$<NOT:$<BOOL:${plain_build}>>:CHECK_AGAIN=1>)
  if(layer STREQUAL "linalg")
    target_compile_definitions(${target} PRIVATE ${LIMBER_ENGINE_DEFINITIONS})
  endif()
  target_include_directories(${target} PRIVATE ${CMAKE_SOURCE_DIR}/tests)
  target_link_libraries(${target} PRIVATE test-kernels limber-build cmocka)
  if(layer STREQUAL "viewer")
    target_link_libraries(${target} PRIVATE limber-viewer limber-serve)
  endif()
  add_test(NAME ${name} COMMAND ${target} WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
  set_tests_properties(${name} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 300
    ENVIRONMENT "LIMBER_TEST_OUTPUT=${CMAKE_BINARY_DIR}")
endforeach()

# Random scenes, judged from outside (fuzz/campaign.sh runs more of them).
add_executable(campaign ${CMAKE_SOURCE_DIR}/fuzz/campaign.c ${CMAKE_SOURCE_DIR}/fuzz/campaign_check.c
  ${CMAKE_SOURCE_DIR}/fuzz/campaign_scene.c)
limber_set_up(campaign)
target_link_libraries(campaign PRIVATE limber-build)
set(LIMBER_CAMPAIGN_KINDS drop stack heap joints grab press ring CACHE STRING
  "Kinds of random scenes that the tests play")
list(TRANSFORM LIMBER_CAMPAIGN_KINDS PREPEND "--kind;" OUTPUT_VARIABLE campaign_kinds)
add_test(NAME fuzz.campaign COMMAND campaign --count 12 ${campaign_kinds} --seconds 20)
set_tests_properties(fuzz.campaign PROPERTIES TIMEOUT 300)

find_program(LIMBER_PYTHON python3 REQUIRED)

# Every tests/cli/test_<subject>.py runs this build's program and is one CTest test, cli.<subject>.
file(GLOB cli_tests CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/cli/test_*.py)
if(NOT LIMBER_PROGRAM)
  set(cli_tests)
elseif(NOT plain_build)
  list(FILTER cli_tests EXCLUDE REGEX "/test_window\\.py$")
  if(NOT LIMBER_SANITIZE) # with another compiler: that it runs and gives the same numbers
    list(FILTER cli_tests INCLUDE REGEX "/test_(commands|references|gltf)\\.py$")
  endif()
endif()
foreach(script IN LISTS cli_tests)
  get_filename_component(subject ${script} NAME_WE)
  string(REPLACE "test_" "" subject ${subject})
  add_test(NAME cli.${subject} COMMAND ${LIMBER_PYTHON} ${script} $<TARGET_FILE:limber-cli>
    WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
  set_tests_properties(cli.${subject} PROPERTIES TIMEOUT 600 ENVIRONMENT PYTHONDONTWRITEBYTECODE=1)
endforeach()
# Every tests/mpi/test_<subject>.py runs limber-mpi, where there is one, with 1 and 2 ranks beside it.
if(LIMBER_MPI AND plain_build)
  file(GLOB mpi_tests CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/mpi/test_*.py)
  foreach(script IN LISTS mpi_tests)
    get_filename_component(subject ${script} NAME_WE)
    string(REPLACE "test_" "" subject ${subject})
    add_test(NAME mpi.${subject} COMMAND ${LIMBER_PYTHON} ${script} $<TARGET_FILE:limber-cli>
      WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
    set_tests_properties(mpi.${subject} PROPERTIES TIMEOUT 300 PROCESSORS 2
      ENVIRONMENT PYTHONDONTWRITEBYTECODE=1)
  endforeach()
endif()
# It looks at what these write.
if(LIMBER_PROGRAM)
  set_tests_properties(cli.gltf PROPERTIES DEPENDS "export.shapes;export.viewable;gltf.gltf")
endif()

# Bits of the run-time library under gcc, clang and emscripten: in one build, which makes the others.
if(plain_build)
  add_executable(engine ${CMAKE_SOURCE_DIR}/tests/web/engine.c)
  limber_set_up(engine)
  target_link_libraries(engine PRIVATE limber)
  add_test(NAME web.engine_bits COMMAND ${LIMBER_PYTHON} tests/web/test_engine_bits.py
    $<TARGET_FILE:limber-cli> WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
  set_tests_properties(web.engine_bits PROPERTIES TIMEOUT 900
    ENVIRONMENT PYTHONDONTWRITEBYTECODE=1)
  find_program(LIMBER_NODE node)
  if(LIMBER_NODE)
    add_test(NAME web.unpack COMMAND ${LIMBER_NODE} tests/web/unpack.mjs
      WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
    set_tests_properties(web.unpack PROPERTIES TIMEOUT 120)
  endif()
  # The page in Chromium, of web/dist as the first of the two makes it.
  add_test(NAME web.build COMMAND ${LIMBER_PYTHON} tests/web/test_page.py
    $<TARGET_FILE:limber-cli> --build WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
  add_test(NAME web.page COMMAND ${LIMBER_PYTHON} tests/web/test_page.py
    $<TARGET_FILE:limber-cli> WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
  set_tests_properties(web.build web.page PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 900
    ENVIRONMENT PYTHONDONTWRITEBYTECODE=1)
  # And as a package, in node and in a page of three.js.
  add_test(NAME web.module COMMAND ${LIMBER_PYTHON} tests/web/test_module.py
    $<TARGET_FILE:limber-cli> WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
  set_tests_properties(web.module PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 300 DEPENDS web.build
    ENVIRONMENT PYTHONDONTWRITEBYTECODE=1)
  set_tests_properties(web.page PROPERTIES PROCESSORS 2) # a browser, a rasteriser and a server
  set_tests_properties(web.page PROPERTIES DEPENDS web.build)
  # It goes on in the folder that the page is built in.
  set_tests_properties(web.engine_bits PROPERTIES DEPENDS web.build)
  set_tests_properties(web.build web.engine_bits PROPERTIES RESOURCE_LOCK build-web)
  # Others wait for it, so it begins first, also where no run before tells how long it takes.
  set_tests_properties(web.build PROPERTIES COST 1000)
endif()

# Checks of the source tree; tools/ says what each one demands. 77 means skipped.
function(limber_add_check name)
  add_test(NAME check.${name} COMMAND ${ARGN} WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
  set_tests_properties(check.${name} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 900)
endfunction()
if(plain_build)
  limber_add_check(layers ${LIMBER_PYTHON} tools/check_layers.py)
  limber_add_check(layers_fails_when_it_should ${LIMBER_PYTHON} tools/check_layers_test.py)
  limber_add_check(constants ${LIMBER_PYTHON} tools/list_constants.py --check)
  limber_add_check(docs ${LIMBER_PYTHON} tools/check_docs.py)
  limber_add_check(headers tools/check_headers.sh)
  limber_add_check(format tools/check_format.sh)
  limber_add_check(mingw tools/check_mingw.sh ${CMAKE_BINARY_DIR})
  limber_add_check(install tools/check_install.sh ${CMAKE_BINARY_DIR})
endif()
if(LIMBER_PROGRAM)
  limber_add_check(engine tools/check_engine.sh $<TARGET_FILE:limber-cli> ${LIMBER_ENGINE})
endif()
if(NOT LIMBER_SANITIZE) # the sanitizers' run-time library would count as a dependency
  limber_add_check(run_library tools/check_run_library.sh ${CMAKE_BINARY_DIR})
endif()
