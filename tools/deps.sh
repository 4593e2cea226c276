#!/bin/sh
# Installs the Debian packages and, for the tests, the npm packages that are missing; nothing,
# offline, when all are there.
# usage: deps.sh build   what the program needs
#        deps.sh web     that, and what makes the web page
#        deps.sh         that, and what the tests use
#        deps.sh mpi     what limber-mpi needs beside the first: some 340 MB, so only when asked for
set -eu
build="gcc g++ libc6-dev make cmake ninja-build pkg-config
libopenblas-dev liblapacke-dev libsuitesparse-dev libjansson-dev zlib1g-dev libassimp-dev
libglfw3-dev libepoxy-dev libimgui-dev libstb-dev libmicrohttpd-dev libegl1 libgl1-mesa-dri ffmpeg
fonts-dejavu-core"
# A second compiler with its sanitizer and fuzzer run time (its linker, lld-14, comes with emscripten),
# a cross compiler, a locale with a decimal comma, the two programs that fill surfaces with tets, NumPy
# and SciPy, which read what is exported, a browser for the page, and a display without a screen for the
# window.
tests="libcmocka-dev python3 git clang libclang-rt-14-dev clang-format gcc-mingw-w64-x86-64
locales tetgen gmsh python3-numpy python3-scipy chromium xvfb xdotool"
page="emscripten python3"
case "${1:-}" in
build) packages="$build" ;;
web) packages="$build $page" ;;
mpi) packages="$build petsc-dev slepc-dev mpi-default-bin" ;;
*) packages="$build $page $tests" ;;
esac
web="$(dirname "$0")/../tests/web"

missing=""
for package in $packages; do
  status=$(dpkg-query -W -f '${Status}' "$package" 2>/dev/null || true)
  [ "$status" = "install ok installed" ] || missing="$missing $package"
done
if [ -z "${1:-}" ]; then # by command: Node may be here from elsewhere, with an npm of its own
  command -v node > /dev/null || missing="$missing nodejs"
  command -v npm > /dev/null || missing="$missing npm"
fi

if [ -n "$missing" ]; then
  echo "installing:$missing"
  as_root=""
  [ "$(id -u)" = 0 ] || as_root="sudo"
  $as_root apt-get update -qq
  # shellcheck disable=SC2086
  DEBIAN_FRONTEND=noninteractive $as_root apt-get install -qq -y --no-install-recommends $missing > /dev/null
fi

# The glTF validator, three.js and what drives the browser, when they are not there or the lock file
# is newer. npm writes the file in node_modules last.
[ -z "${1:-}" ] || exit 0
installed="$web/node_modules/.package-lock.json"
if [ ! -e "$installed" ] || [ "$web/package-lock.json" -nt "$installed" ]; then
  echo "installing: npm packages in tests/web"
  (cd "$web" && npm ci --no-audit --no-fund --ignore-scripts --loglevel=error > /dev/null)
fi
