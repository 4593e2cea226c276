#!/bin/sh
# Each header compiles alone: all as C17, the public ones also as C++17, and what kernels include
# also with a SIMD level set.
set -u
cd "$(dirname "$0")/.." || exit 1
cc=${CC:-gcc}
cxx=${CXX:-g++}
flags="-fsyntax-only -Wall -Wextra -Werror -Iinclude -Isrc"
status=0
count=0

try() { # try HEADER COMPILER...
  header=$1
  shift
  count=$((count + 1))
  if ! echo "#include \"$header\"" | "$@" -; then
    echo "$header: does not compile alone with: $*"
    status=1
  fi
}

for path in $(find include/limber src -name '*.h' | sort); do
  name=${path#include/}
  name=${name#src/}
  more=""
  case $name in
  petsc/*) # needs PETSc, SLEPc and MPI, which are optional
    more=$(pkg-config --cflags PETSc SLEPc mpi-c 2> /dev/null) || continue ;;
  esac
  # shellcheck disable=SC2086
  try "$name" "$cc" -std=c17 -x c $flags $more
  case $path in
  # shellcheck disable=SC2086
  include/*) try "$name" "$cxx" -std=c++17 -x c++ $flags ;;
  *_lanes.h | src/math/simd.h)
    for level in 0 1; do
      # shellcheck disable=SC2086
      try "$name" "$cc" -std=c17 -x c $flags -DLB_SIMD_LEVEL=$level -DLB_SIMD_SUFFIX=test
    done
    ;;
  esac
done
[ $status -eq 0 ] && echo "headers: $count compilations passed"
exit $status
