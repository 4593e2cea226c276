#!/bin/sh
# Installs the Debian packages that are missing; nothing, offline, when all are there.
# usage: deps.sh build   what the program needs
#        deps.sh         that, and what the tests use
set -eu
build="gcc g++ libc6-dev make cmake ninja-build pkg-config
libopenblas-dev liblapacke-dev libsuitesparse-dev libjansson-dev zlib1g-dev libassimp-dev"
# A second compiler with its sanitizer and fuzzer run time, a cross compiler, a locale with a decimal
# comma, and the two programs that fill surfaces with tets.
tests="libcmocka-dev python3 git clang libclang-rt-14-dev clang-format gcc-mingw-w64-x86-64
locales tetgen gmsh"
[ "${1:-}" = build ] && packages="$build" || packages="$build $tests"

missing=""
for package in $packages; do
  status=$(dpkg-query -W -f '${Status}' "$package" 2>/dev/null || true)
  [ "$status" = "install ok installed" ] || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

echo "installing:$missing"
as_root=""
[ "$(id -u)" = 0 ] || as_root="sudo"
$as_root apt-get update -qq
# shellcheck disable=SC2086
DEBIAN_FRONTEND=noninteractive $as_root apt-get install -qq -y --no-install-recommends $missing > /dev/null
