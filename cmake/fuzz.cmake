# Every fuzz/fuzz_<reader>.c is a libFuzzer program; its seeds are in fuzz/corpus/<reader>.
file(GLOB fuzz_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/fuzz/fuzz_*.c)
foreach(source IN LISTS fuzz_sources)
  get_filename_component(name ${source} NAME_WE)
  string(REPLACE "_" "-" target ${name})
  add_executable(${target} ${source})
  limber_set_up(${target})
  target_link_libraries(${target} PRIVATE limber-build)
  target_link_options(${target} PRIVATE -fsanitize=fuzzer)
endforeach()

# In the tests each runs for a few seconds; LIMBER_FUZZ_SECONDS sets how many.
set(LIMBER_FUZZ_SECONDS 5 CACHE STRING "Seconds that each fuzz target runs in the tests")
foreach(source IN LISTS fuzz_sources)
  get_filename_component(name ${source} NAME_WE)
  string(REPLACE "_" "-" target ${name})
  string(REPLACE "fuzz_" "" reader ${name})
  add_test(NAME fuzz.${reader} COMMAND ${CMAKE_SOURCE_DIR}/tools/fuzz.sh $<TARGET_FILE:${target}>
    ${CMAKE_SOURCE_DIR}/fuzz/corpus/${reader} ${LIMBER_FUZZ_SECONDS})
  set_tests_properties(fuzz.${reader} PROPERTIES TIMEOUT 120)
endforeach()
