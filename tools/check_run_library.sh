#!/bin/sh
# tools/check_run_library.sh BUILD_FOLDER: the run library needs nothing but libc and libm; only
# memory.c takes memory from the C library, nothing prints or exits, and only src/haptics starts a
# thread, through src/base/thread.c.
set -u
root=$(cd "$(dirname "$0")/.." && pwd)
library=$1/liblimber.a
cc=${CC:-gcc}
[ -f "$library" ] || { echo "$library: not found, build it first"; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0

needs_only_libc() { # needs_only_libc FILE
  extra=$(readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' |
    grep -v -x -e 'libc\.so\.6' -e 'libm\.so\.6' -e 'ld-linux.*')
  if [ -n "$extra" ]; then
    echo "$(basename "$1") needs more than libc and libm:" $extra
    status=1
  fi
}

# All of it, also what no program calls. libgcc.a (static) holds the processor detection.
"$cc" -shared -nodefaultlibs -o "$work/all.so" -Wl,--whole-archive "$library" \
  -Wl,--no-whole-archive -Wl,-z,defs -lm -lc -lgcc || exit 1
needs_only_libc "$work/all.so"

"$cc" -std=c17 -I"$root/include" "$root/tools/run_library_probe.c" "$library" -lm \
  -o "$work/probe" || exit 1
needs_only_libc "$work/probe"
"$work/probe" || { echo "the probe program failed"; status=1; }

# "object: symbol" for every symbol that an object takes from outside
nm -A -u "$library" | sed 's/.*liblimber\.a:\([^:]*\):.* U \([^@ ]*\).*/\1: \2/' >"$work/symbols"
grep -q '^memory\.c.*: malloc$' "$work/symbols" || { echo "nm's output was not understood"; exit 1; }
heap=$(grep -E ': (malloc|calloc|realloc|aligned_alloc|posix_memalign|free)$' "$work/symbols" |
  grep -v '^memory\.c')
if [ -n "$heap" ]; then
  printf 'memory goes through lb_alloc, but:\n%s\n' "$heap"
  status=1
fi
# An assertion of a debug build prints and aborts; a release build has none.
loud=$(grep -E ': (exit|_exit|abort|printf|puts|putchar|perror|system|fork)$' "$work/symbols")
if [ -n "$loud" ] && ! nm "$library" | grep -q 'T lb_assert_failed'; then
  printf 'library code never prints or exits, but:\n%s\n' "$loud"
  status=1
fi
grep -q '^thread\.c.*: pthread_create$' "$work/symbols" || { echo "thread.c starts none"; status=1; }
threads=$(grep -E ': (pthread_|thrd_|clone)' "$work/symbols" | grep -v '^thread\.c')
if [ -n "$threads" ]; then
  printf 'threads are started in src/base/thread.c alone, but:\n%s\n' "$threads"
  status=1
fi
users=$(grep -r -l -E 'base/thread\.h|lb_thread_start' "$root/src" "$root/include" |
  grep -v -e "^$root/src/base/thread\.[ch]$" -e "^$root/src/haptics/")
if [ -n "$users" ]; then
  printf 'only src/haptics may start a thread, but:\n%s\n' "$users"
  status=1
fi
[ $status -eq 0 ] && echo "run library: libc and libm alone"
exit $status
