# Every tests/<layer>/test_<subject>.c is a program of its own and one CTest test named
# <layer>.<subject>. They run in the source folder, so tests/data and ../shared have fixed paths.
# A program that exits with 77 counts as skipped.
find_package(cmocka REQUIRED)
file(GLOB test_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/*/test_*.c)
foreach(source IN LISTS test_sources)
  get_filename_component(folder ${source} DIRECTORY)
  get_filename_component(layer ${folder} NAME)
  get_filename_component(subject ${source} NAME_WE)
  string(REPLACE "test_" "" subject ${subject})
  set(name ${layer}.${subject})
  set(target test-${layer}-${subject})
  add_executable(${target} ${source})
  limber_set_up(${target})
  target_compile_definitions(${target} PRIVATE _GNU_SOURCE)
  target_include_directories(${target} PRIVATE ${CMAKE_SOURCE_DIR}/tests)
  target_link_libraries(${target} PRIVATE limber-build cmocka)
  add_test(NAME ${name} COMMAND ${target} WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
  set_tests_properties(${name} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 300
    ENVIRONMENT "LIMBER_TEST_OUTPUT=${CMAKE_BINARY_DIR}")
endforeach()
