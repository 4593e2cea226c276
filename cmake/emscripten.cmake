# Toolchain: WebAssembly through emscripten's own toolchain file. emcc on the PATH says where that
# is (Debian keeps it in /usr/share/emscripten).
find_program(LIMBER_EMCC emcc HINTS $ENV{EMSDK}/upstream/emscripten $ENV{EMSCRIPTEN})
find_program(LIMBER_EM_CONFIG em-config HINTS $ENV{EMSDK}/upstream/emscripten $ENV{EMSCRIPTEN})
set(emscripten_root /usr/share/emscripten)
if(LIMBER_EM_CONFIG)
  execute_process(COMMAND ${LIMBER_EM_CONFIG} EMSCRIPTEN_ROOT OUTPUT_VARIABLE answer
    ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(IS_DIRECTORY "${answer}")
    set(emscripten_root ${answer})
  endif()
endif()
set(emscripten_toolchain ${emscripten_root}/cmake/Modules/Platform/Emscripten.cmake)
if(NOT LIMBER_EMCC OR NOT EXISTS ${emscripten_toolchain})
  message(FATAL_ERROR "no emscripten (emcc) here, which makes WebAssembly: "
    "install the Debian package emscripten (sudo apt install emscripten)")
endif()

# Debian's emcc does not tell node where Debian's JavaScript packages are (acorn, for linking).
set(LIMBER_NODE_PATH $ENV{NODE_PATH})
if(NOT LIMBER_NODE_PATH AND EXISTS /usr/share/nodejs/acorn)
  set(LIMBER_NODE_PATH /usr/share/nodejs)
endif()
set(ENV{NODE_PATH} "${LIMBER_NODE_PATH}")
include(${emscripten_toolchain})

# emcc takes longer to start than clang takes for most files, and does nothing but call it with these
# options. It still links.
execute_process(COMMAND ${LIMBER_EMCC} --cflags OUTPUT_VARIABLE emscripten_flags
  RESULT_VARIABLE failed ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
set(emscripten_clang)
if(LIMBER_EM_CONFIG)
  execute_process(COMMAND ${LIMBER_EM_CONFIG} LLVM_ROOT OUTPUT_VARIABLE emscripten_clang
    ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
  string(APPEND emscripten_clang /clang)
endif()
if(NOT failed AND emscripten_flags MATCHES "-target wasm" AND EXISTS "${emscripten_clang}")
  set(CMAKE_C_COMPILE_OBJECT
    "${emscripten_clang} ${emscripten_flags} <DEFINES> <INCLUDES> <FLAGS> -o <OBJECT> -c <SOURCE>")
endif()
