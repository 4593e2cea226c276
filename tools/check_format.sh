#!/bin/sh
# Every C file that git knows is formatted as .clang-format says. 77 (skipped) without the tools.
cd "$(dirname "$0")/.." || exit 1
command -v clang-format >/dev/null || { echo "skipped: no clang-format"; exit 77; }
git rev-parse --is-inside-work-tree >/dev/null 2>&1 || { echo "skipped: no git checkout"; exit 77; }
files=$(git ls-files '*.c' '*.h' '*.cpp')
[ -n "$files" ] || exit 1
# shellcheck disable=SC2086
clang-format --dry-run -Werror $files && echo "format: $(echo "$files" | wc -l) files"
