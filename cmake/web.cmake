# Programs of the web build.
if(LIMBER_NODE_PATH)
  set_property(GLOBAL PROPERTY RULE_LAUNCH_LINK
    "${CMAKE_COMMAND} -E env NODE_PATH=${LIMBER_NODE_PATH}")
endif()

# limber_page_module(TARGET FOLDER FUNCTIONS...): the executable TARGET becomes FOLDER/TARGET.mjs,
# whose default export makes an instance, with TARGET.wasm beside it. JavaScript calls the named C
# functions, and malloc and free. Models come as bytes (lb_model_read): a page has no files.
function(limber_page_module target folder)
  set(functions _malloc _free)
  foreach(function IN LISTS ARGN)
    list(APPEND functions _${function})
  endforeach()
  list(JOIN functions "," functions)
  limber_set_up(${target})
  target_link_libraries(${target} PRIVATE limber)
  set_target_properties(${target} PROPERTIES SUFFIX .mjs RUNTIME_OUTPUT_DIRECTORY ${folder})
  target_link_options(${target} PRIVATE --no-entry -sMODULARIZE -sEXPORT_ES6 -sALLOW_MEMORY_GROWTH
    -sENVIRONMENT=web -sEXPORTED_FUNCTIONS=${functions} -sEXPORTED_RUNTIME_METHODS=HEAPU8,HEAPF64)
endfunction()

# The engine as a program for node that reads ordinary files: for the test of its bits.
add_executable(web-engine ${CMAKE_SOURCE_DIR}/tests/web/engine.c)
limber_set_up(web-engine)
target_link_libraries(web-engine PRIVATE limber)
target_link_options(web-engine PRIVATE -sENVIRONMENT=node -sNODERAWFS -sEXIT_RUNTIME
  -sALLOW_MEMORY_GROWTH)
set_target_properties(web-engine PROPERTIES SUFFIX .js)

# The page of `limber bench web`.
set(bench_folder ${CMAKE_BINARY_DIR}/bench)
add_executable(bench-web ${CMAKE_SOURCE_DIR}/bench/web/module.c)
target_include_directories(bench-web PRIVATE ${CMAKE_SOURCE_DIR})
limber_page_module(bench-web ${bench_folder} module_open module_message module_run module_hash)
target_link_options(bench-web PRIVATE -sFILESYSTEM=0)
foreach(file index.html page.mjs drop.html drop.mjs)
  configure_file(${CMAKE_SOURCE_DIR}/bench/web/${file} ${bench_folder}/${file} COPYONLY)
endforeach()

# limber's page and module (make web): worlds, and the viewer without what needs a window, files or the build side. The
# picture decoder is one header of Debian's, alone in a folder: /usr/include would shadow
# emscripten's own headers.
find_path(LIMBER_STB stb/stb_image.h PATHS /usr/include /usr/local/include
  NO_CMAKE_FIND_ROOT_PATH)
set(page_folder ${CMAKE_BINARY_DIR}/page)
if(LIMBER_STB)
  configure_file(${LIMBER_STB}/stb/stb_image.h ${CMAKE_BINARY_DIR}/include/stb/stb_image.h COPYONLY)
  set(page_sources)
  foreach(part render stage view page)
    file(GLOB files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/apps/viewer/${part}/*.c)
    list(APPEND page_sources ${files})
  endforeach()
  add_executable(limber-page ${page_sources})
  target_include_directories(limber-page PRIVATE ${CMAKE_SOURCE_DIR}/apps/viewer)
  target_include_directories(limber-page SYSTEM PRIVATE ${CMAKE_BINARY_DIR}/include)
  target_compile_definitions(limber-page PRIVATE _GNU_SOURCE)
  limber_page_module(limber-page ${page_folder})
  target_link_options(limber-page PRIVATE -sMIN_WEBGL_VERSION=2 -sMAX_WEBGL_VERSION=2
    --pre-js ${CMAKE_SOURCE_DIR}/web/anywhere.js
    -sFILESYSTEM=0 -sDYNAMIC_EXECUTION=0 -sTOTAL_STACK=1MB -sINITIAL_MEMORY=32MB)
else()
  message(STATUS "no stb_image.h: the page is left out (Debian package libstb-dev)")
endif()
