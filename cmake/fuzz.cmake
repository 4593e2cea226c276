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

# The attack: mutated files through all of these readers in one program, and random calls of the API.
# fuzz/attack.sh runs it long, the tests for a few seconds.
add_executable(attack ${CMAKE_SOURCE_DIR}/fuzz/attack.c ${CMAKE_SOURCE_DIR}/fuzz/attack_api.c
  ${CMAKE_SOURCE_DIR}/fuzz/attack_contact.c)
set(attack_readers "")
foreach(source IN LISTS fuzz_sources)
  get_filename_component(reader ${source} NAME_WE)
  string(REPLACE "fuzz_" "" reader ${reader})
  string(APPEND attack_readers "READER(${reader})\n")
  add_library(attack-${reader} OBJECT ${source})
  limber_set_up(attack-${reader})
  target_compile_definitions(attack-${reader} PRIVATE LLVMFuzzerTestOneInput=attack_${reader})
  target_sources(attack PRIVATE $<TARGET_OBJECTS:attack-${reader}>)
endforeach()
file(CONFIGURE OUTPUT attack_readers.h CONTENT "${attack_readers}")
limber_set_up(attack)
target_compile_definitions(attack PRIVATE _GNU_SOURCE)
target_include_directories(attack PRIVATE ${CMAKE_BINARY_DIR})
target_link_libraries(attack PRIVATE limber-build)
add_test(NAME fuzz.attack_files COMMAND attack ${CMAKE_SOURCE_DIR}/fuzz/corpus files 2000 1)
add_test(NAME fuzz.attack_calls COMMAND attack ${CMAKE_SOURCE_DIR}/fuzz/corpus calls 20000 1)
add_test(NAME fuzz.attack_contact COMMAND attack ${CMAKE_SOURCE_DIR}/fuzz/corpus contact 2000 1)
set_tests_properties(fuzz.attack_files fuzz.attack_calls fuzz.attack_contact PROPERTIES TIMEOUT 120
  ENVIRONMENT ASAN_OPTIONS=allocator_may_return_null=1)
