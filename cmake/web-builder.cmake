# The builder of the page: the build side with limber's own engine, as a module of its own that a worker
# loads when a mesh is dropped. Jansson is not there: web/builder has what readers of glTF need of it.
if(TARGET limber-build)
  file(GLOB builder_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/web/builder/*.c)
  add_executable(limber-builder ${builder_sources} ${CMAKE_SOURCE_DIR}/apps/viewer/page/text.c)
  target_include_directories(limber-builder PRIVATE ${CMAKE_SOURCE_DIR}/apps/viewer)
  target_include_directories(limber-builder SYSTEM PRIVATE ${CMAKE_BINARY_DIR}/include)
  target_compile_definitions(limber-builder PRIVATE _GNU_SOURCE)
  limber_page_module(limber-builder ${CMAKE_BINARY_DIR}/page)
  target_link_libraries(limber-builder PRIVATE limber-build)
  # -O1: what the optimiser of whole modules gains is not worth the minute that it takes.
  target_link_options(limber-builder PRIVATE -O1 -sFORCE_FILESYSTEM -sDYNAMIC_EXECUTION=0
    -sEXPORTED_RUNTIME_METHODS=HEAPU8,HEAPF64,FS -sTOTAL_STACK=8MB -sINITIAL_MEMORY=64MB
    --pre-js ${CMAKE_SOURCE_DIR}/web/anywhere.js)
endif()
