#!/bin/sh
# tools/check_mingw.sh BUILD_FOLDER: the run library cross-compiles for Windows and a program links
# with nothing but the system's own libraries. Kernels are hardly optimised: what counts is that
# they compile. 77 (skipped) without the compiler.
set -u
root=$(cd "$(dirname "$0")/.." && pwd)
build=$1/mingw
cc=x86_64-w64-mingw32-gcc
command -v $cc >/dev/null || { echo "skipped: no $cc (package gcc-mingw-w64-x86-64)"; exit 77; }
command -v ninja >/dev/null && export CMAKE_GENERATOR=Ninja
cmake -S "$root" -B "$build" -DLIMBER_RUN_ONLY=ON -DBUILD_SHARED_LIBS=OFF \
  -DCMAKE_BUILD_TYPE=Release -DLIMBER_KERNEL_FLAGS=-O1 \
  -DCMAKE_TOOLCHAIN_FILE="$root/cmake/mingw.cmake" \
  >"$build.log" 2>&1 && cmake --build "$build" >>"$build.log" 2>&1 ||
  { cat "$build.log"; exit 1; }
$cc -std=c17 -I"$root/include" "$root/tools/run_library_probe.c" "$build/liblimber.a" \
  -o "$build/probe.exe" || exit 1
extra=$(x86_64-w64-mingw32-objdump -p "$build/probe.exe" | sed -n 's/.*DLL Name: //p' |
  grep -v -i -x -e 'kernel32\.dll' -e 'msvcrt\.dll')
if [ -n "$extra" ]; then
  echo "the program needs more than Windows itself:" $extra
  exit 1
fi
echo "mingw: the run library compiles and links"
