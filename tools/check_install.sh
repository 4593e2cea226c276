#!/bin/sh
# tools/check_install.sh BUILD_FOLDER: installs into a temporary prefix and uses it as a stranger
# would: examples/hello.c and run_side.c through pkg-config and through find_package(limber), the
# program from the prefix. run_side must need nothing but libc and libm.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
build=$(cd "$1" && pwd)
cc=${CC:-gcc}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
  echo "$1"
  [ -f "$work/log" ] && tail -n 40 "$work/log"
  exit 1
}

# The README shows hello.c as it is.
sed -n '/^```c$/,/^```$/p' "$root/README.md" | sed '1d;$d' | diff - "$root/examples/hello.c" ||
  fail "the README's C example is not examples/hello.c"

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

expect_run_side() { # expect_run_side PROGRAM
  "$1" >"$work/words" || fail "$1 failed"
  grep -q '^the point moved to -0.250 0.375 0.250$' "$work/words" &&
    grep -q '^rotation 90.0 degrees about z, stretch 1.500 1.000 1.000$' "$work/words" ||
    fail "run_side printed: $(cat "$work/words")"
  extra=$(ldd "$1" | grep -v -e 'linux-vdso' -e 'ld-linux' -e 'libc\.so' -e 'libm\.so' \
    -e 'liblimber\.so' || true)
  [ -z "$extra" ] || fail "run_side needs more than libc and libm: $extra"
}

# eval: pkg-config quotes the blank.
compile() { # compile SOURCE PACKAGE PROGRAM
  flags=$(pkg-config --cflags --libs "$2") || fail "pkg-config does not know $2"
  eval "\"\$cc\" -std=c17 -Wall -Wextra -Werror \"\$1\" -o \"\$3\" $flags" >"$work/log" 2>&1 ||
    fail "$1 does not compile with: $flags"
}

compile "$root/examples/hello.c" limber-build "$work/hello"
expect_hello "$work/hello"
compile "$root/examples/run_side.c" limber "$work/run_side"
expect_run_side "$work/run_side"

cmake -S "$root/examples" -B "$work/examples" -DCMAKE_BUILD_TYPE=Release \
  -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER="$cc" >"$work/log" 2>&1 &&
  cmake --build "$work/examples" >>"$work/log" 2>&1 || fail "find_package(limber) failed"
expect_hello "$work/examples/hello"
expect_run_side "$work/examples/run_side"

"$prefix/bin/limber" info "$prefix/share/limber/scenes/bar.json" >"$work/log" 2>&1 ||
  fail "the installed program failed"
if grep -r -l -F -e "$work/first" "$prefix/lib" | grep -v '\.so' | grep -q .; then
  fail "an installed file names the prefix it was first installed to"
fi
echo "install: pkg-config, find_package and the program work"
