#!/bin/sh
# Runs one fuzz target for a bounded time on a copy of its seeds; no executions is a failure.
# usage: fuzz.sh PROGRAM SEEDS SECONDS
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/corpus"
cp "$2"/* "$work/corpus/"
name=$(basename "$1")
# No seed is cut short.
most=$(for seed in "$2"/*; do wc -c < "$seed"; done | sort -n | tail -n 1)
[ "$most" -gt 4096 ] || most=4096
log="$work/log"
# A finding is written beside the log and printed, so that it can be taken over as a seed.
if ! "$1" "$work/corpus" -max_total_time="$3" -max_len="$most" -rss_limit_mb=2048 -timeout=10 \
    -print_final_stats=1 -artifact_prefix="$work/" > "$log" 2>&1; then
  tail -n 60 "$log"
  for finding in "$work"/crash-* "$work"/timeout-* "$work"/oom-* "$work"/leak-*; do
    [ -f "$finding" ] && { echo "$finding:"; od -c "$finding" | head -n 40; }
  done
  exit 1
fi
executions=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
echo "$name: ${executions:-0} executions"
[ "${executions:-0}" -gt 0 ]
