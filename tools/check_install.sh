#!/bin/sh
# tools/check_install.sh BUILD_FOLDER: installs into a temporary prefix and uses it as a stranger
# would: the examples through pkg-config and through find_package(limber),
# the program from the prefix. play must need nothing but libc and libm.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
build=$(cd "$1" && pwd)
cc=${CC:-gcc}
cxx=${CXX:-g++}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
  echo "$1"
  [ -f "$work/log" ] && tail -n 40 "$work/log"
  exit 1
}

# The README shows play.c as it is.
sed -n '/^```c$/,/^```$/p' "$root/README.md" | sed '1d;$d' | diff - "$root/examples/play.c" ||
  fail "the README's C example is not examples/play.c"

# The prefix has a blank in it and is moved after the installation: nothing may name it.
cmake --install "$build" --prefix "$work/first" >"$work/log" 2>&1 || fail "cmake --install failed"
mkdir "$work/a place"
mv "$work/first" "$work/a place/limber"
prefix="$work/a place/limber"
pc=$(find "$prefix" -name limber.pc)
PKG_CONFIG_PATH=$(dirname "$pc")
LD_LIBRARY_PATH=$(dirname "$PKG_CONFIG_PATH")
export PKG_CONFIG_PATH LD_LIBRARY_PATH

# Five rising frequencies. Beam theory has 3.25 Hz for the first; this coarse mesh is stiffer.
expect_hello() { # expect_hello PROGRAM
  "$1" >"$work/frequencies" || fail "$1 failed"
  awk '$2 != "Hz" || $1 < last { bad = 1 } { last = $1 } NR == 1 && ($1 < 3.5 || $1 > 3.54) { bad = 1 }
    END { exit bad || NR != 5 }' "$work/frequencies" ||
    fail "hello printed: $(cat "$work/frequencies")"
}

# Sixty lines, and the bar's tip goes down while it is pushed.
expect_play() { # expect_play PROGRAM
  "$1" "$work/bar.glb" >"$work/words" || fail "$1 failed"
  awk 'NR == 1 { first = $5 } NR == 15 { pushed = $5 } END { exit !(NR == 60 && pushed < first) }' \
    "$work/words" || fail "play printed: $(cat "$work/words")"
  extra=$(ldd "$1" | grep -v -e 'linux-vdso' -e 'ld-linux' -e 'libc\.so' -e 'libm\.so' \
    -e 'liblimber\.so' || true)
  [ -z "$extra" ] || fail "play needs more than libc and libm: $extra"
}

# Two seconds of frames: the cart carries its plant along, the ball pushes in the first half second
# alone, the meadow moves after the explosion at frame 61 alone; no step has a flag.
expect_game() { # expect_game PROGRAM
  "$1" "$work/bar.glb" >"$work/words" || fail "$1 failed"
  awk '{ y = $4; push = $7; meadow = $10; if ($13 != 0) bad = 1 }
    NR == 1 { least = most = y; still = meadow }
    { if (y < least) least = y; if (y > most) most = y }
    NR <= 30 { pushed += push } NR > 30 && push != 0 { bad = 1 }
    NR <= 60 && meadow != still { bad = 1 } NR == 61 && meadow == still { bad = 1 }
    END { exit bad || NR != 120 || most - least < 0.3 || pushed <= 0 }' "$work/words" ||
    fail "game printed: $(cat "$work/words")"
}

# Ten lines; the ball is pushed, stays on the bar, and rises no higher than it fell from.
expect_coupling() { # expect_coupling PROGRAM
  "$1" "$work/bar.glb" >"$work/words" || fail "$1 failed"
  awk '$11 > 0 { pushed = 1 } $7 < -0.2 || $7 > 0.2 { bad = 1 } END { exit bad || !(NR == 10 && pushed) }' \
    "$work/words" || fail "coupling printed: $(cat "$work/words")"
}

# Ten lines and a summary: the hand feels the body, and no more than the device can bear.
expect_touch() { # expect_touch PROGRAM
  "$1" "$work/bar.glb" >"$work/words" || fail "$1 failed"
  awk '$8 == "N" && $7 > 0.1 { pushed = 1 } $8 == "N" && $7 > 6.0001 { bad = 1 }
    END { exit bad || !(NR == 11 && pushed) }' "$work/words" ||
    fail "touch printed: $(cat "$work/words")"
}

# eval: pkg-config quotes the blank.
compile() { # compile SOURCE PACKAGE PROGRAM
  flags=$(pkg-config --cflags --libs "$2") || fail "pkg-config does not know $2"
  case $1 in
  *.cpp) with="\"\$cxx\" -std=c++17" ;;
  *) with="\"\$cc\" -std=c17" ;;
  esac
  eval "$with -Wall -Wextra -Werror \"\$1\" -o \"\$3\" $flags" >"$work/log" 2>&1 ||
    fail "$1 does not compile with: $flags"
}

compile "$root/examples/hello.c" limber-build "$work/hello"
expect_hello "$work/hello"
"$prefix/bin/limber" build "$root/scenes/modal-bar.json" -o "$work/bar.glb" >"$work/log" 2>&1 ||
  fail "the installed program failed"
compile "$root/examples/play.c" limber "$work/play"
expect_play "$work/play"
compile "$root/examples/coupling.c" limber "$work/coupling"
expect_coupling "$work/coupling"
compile "$root/examples/touch.c" limber "$work/touch"
expect_touch "$work/touch"
compile "$root/examples/game.cpp" limber "$work/game"
expect_game "$work/game"

cmake -S "$root/examples" -B "$work/examples" -DCMAKE_BUILD_TYPE=Release \
  -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER="$cc" -DCMAKE_CXX_COMPILER="$cxx" \
  >"$work/log" 2>&1 &&
  cmake --build "$work/examples" >>"$work/log" 2>&1 || fail "find_package(limber) failed"
expect_hello "$work/examples/hello"
expect_play "$work/examples/play"
expect_coupling "$work/examples/coupling"
expect_touch "$work/examples/touch"
expect_game "$work/examples/game"

# Earlier versions of the same major number are accepted, later ones are not.
mkdir "$work/versions"
cat >"$work/versions/CMakeLists.txt" <<'EOF'
cmake_minimum_required(VERSION 3.22)
project(versions LANGUAGES C)
foreach(wanted ${ACCEPTED} ${REFUSED})
  unset(limber_DIR CACHE)
  find_package(limber ${wanted} QUIET)
  list(FIND ACCEPTED ${wanted} place)
  if((limber_FOUND AND place LESS 0) OR (NOT limber_FOUND AND NOT place LESS 0))
    message(FATAL_ERROR "find_package(limber ${wanted}): found is ${limber_FOUND}")
  endif()
endforeach()
EOF
version=$(pkg-config --modversion limber)
cmake -S "$work/versions" -B "$work/versions/build" -DCMAKE_PREFIX_PATH="$prefix" \
  -DCMAKE_C_COMPILER="$cc" "-DACCEPTED=0.1;0.3;0.4.0;$version" \
  "-DREFUSED=0.99;1.0;1" >"$work/log" 2>&1 || fail "find_package accepts the wrong versions"

"$prefix/bin/limber" info "$prefix/share/limber/scenes/bar.json" >"$work/log" 2>&1 ||
  fail "the installed program failed"
if grep -r -l -F -e "$work/first" "$prefix/lib" | grep -v '\.so' | grep -q .; then
  fail "an installed file names the prefix it was first installed to"
fi
echo "install: pkg-config, find_package and the program work"
