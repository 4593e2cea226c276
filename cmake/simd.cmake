# Kernel files (*.kernel.c) are compiled once per SIMD level that the target has; see
# src/math/simd.h. limber_add_kernels(TARGET FILES...) adds the objects to TARGET.
set(LIMBER_SIMD_LEVELS portable)
if(NOT LIMBER_PORTABLE)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    list(APPEND LIMBER_SIMD_LEVELS base avx2 avx512)
  elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64" OR EMSCRIPTEN)
    list(APPEND LIMBER_SIMD_LEVELS base)
  endif()
endif()

# Sanitized kernels take long to compile and to run. These levels differ from AVX2 in their width alone.
# With -O3 the lanes of unrolled loops lie in registers, where nothing has to be checked. Checks of the
# arithmetic of indices take minutes and are left out: wrong indices still meet the address sanitizer.
set(LIMBER_KERNEL_FLAGS "" CACHE STRING "Flags of kernels alone, after all others")
if(LIMBER_SANITIZE)
  list(REMOVE_ITEM LIMBER_SIMD_LEVELS avx512 base)
  list(APPEND LIMBER_KERNEL_FLAGS -O3
    -fno-sanitize=signed-integer-overflow,pointer-overflow,alignment,null,object-size)
endif()

set(LIMBER_SIMD_NUMBER_portable 0)
set(LIMBER_SIMD_NUMBER_base 1)
set(LIMBER_SIMD_NUMBER_avx2 2)
set(LIMBER_SIMD_NUMBER_avx512 3)
# Only levels that not every machine has may fuse multiply and add: the others promise equal bits.
set(LIMBER_SIMD_FLAGS_avx2 -mavx2 -mfma -ffp-contract=fast)
# VL: without it vectors of four (math/four.h) have 16 registers, with it 32.
set(LIMBER_SIMD_FLAGS_avx512 -mavx512f -mavx512dq -mavx512vl -mfma -mprefer-vector-width=512
  -ffp-contract=fast)
if(MINGW)
  # gcc on Windows aligns the stack to 16 bytes only, yet spills wide vectors with aligned moves
  # (gcc bug 54412); let the assembler write unaligned ones.
  list(APPEND LIMBER_SIMD_FLAGS_avx2 -Wa,-muse-unaligned-vector-move)
  list(APPEND LIMBER_SIMD_FLAGS_avx512 -Wa,-muse-unaligned-vector-move)
endif()
if(EMSCRIPTEN AND NOT LIMBER_PORTABLE)
  add_compile_options(-msimd128) # a module with any SIMD in it needs a browser that has it
endif()

set(LIMBER_SIMD_DEFINITIONS)
foreach(level IN LISTS LIMBER_SIMD_LEVELS)
  string(TOUPPER ${level} upper)
  list(APPEND LIMBER_SIMD_DEFINITIONS LB_HAVE_${upper}=1)
endforeach()

function(limber_add_kernels target)
  foreach(level IN LISTS LIMBER_SIMD_LEVELS)
    set(object ${target}_kernels_${level})
    add_library(${object} OBJECT ${ARGN})
    target_compile_definitions(${object} PRIVATE
      LB_SIMD_LEVEL=${LIMBER_SIMD_NUMBER_${level}} LB_SIMD_SUFFIX=${level}
      ${LIMBER_SIMD_DEFINITIONS})
    # -O3 for the unrolling: loops over 3x3 entries of lanes must end in registers.
    # Wide vectors are passed among inlined functions only: no calling convention is at stake.
    target_compile_options(${object} PRIVATE ${LIMBER_WARNINGS} -ffp-contract=off
      -Wno-psabi
      $<$<CONFIG:Release>:-O3> ${LIMBER_SIMD_FLAGS_${level}} ${LIMBER_KERNEL_FLAGS})
    target_include_directories(${object} PRIVATE ${CMAKE_SOURCE_DIR}/include ${CMAKE_SOURCE_DIR}/src)
    set_target_properties(${object} PROPERTIES POSITION_INDEPENDENT_CODE ${LIMBER_PIC})
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:${object}>)
  endforeach()
endfunction()
