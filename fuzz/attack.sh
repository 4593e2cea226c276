#!/bin/sh
# fuzz/attack.sh [FILES [CALLS [SEED]]]: mutated files through every reader and random calls of the
# C API (and as many on worlds whose bodies touch), under address and undefined-behaviour sanitizers. Defaults: 20000 files, a million calls.
# A fault ends it with the sanitizer's report; the same numbers bring it back. Run it longer with
# larger numbers and other seeds.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
files=${1:-20000} calls=${2:-1000000} seed=${3:-1}
cd "$root"
[ -f build-sanitize/build.ninja ] || cmake --preset sanitize -Wno-dev > /dev/null
cmake --build build-sanitize --target attack
export ASAN_OPTIONS=allocator_may_return_null=1:detect_leaks=1
build-sanitize/attack fuzz/corpus files "$files" "$seed"
build-sanitize/attack fuzz/corpus calls "$calls" "$seed"
build-sanitize/attack fuzz/corpus contact "$calls" "$seed"
