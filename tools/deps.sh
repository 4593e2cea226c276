#!/bin/sh
# Installs the Debian packages that are missing; nothing, offline, when all are there.
# The build side's libraries, two compilers, and what the tests use (cmocka, python3, the Windows
# cross compiler, clang's sanitizer and fuzzer run time, clang-format).
set -eu
packages="gcc g++ libc6-dev make cmake ninja-build pkg-config
libopenblas-dev liblapacke-dev libsuitesparse-dev libjansson-dev zlib1g-dev
libassimp-dev libcmocka-dev python3 git clang libclang-rt-14-dev clang-format
gcc-mingw-w64-x86-64 locales"

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
