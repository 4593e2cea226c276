#!/bin/sh
# What `make run` does after building: the gallery, in a window where there is a display; otherwise
# pictures and a film of some of its scenes in build/demo.
set -eu
cd "$(dirname "$0")/.."
limber=build/limber

if [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ]; then
  echo "limber view: pull at things; ? lists the keys, q ends it"
  if $limber view; then exit 0; fi
  echo "no window; pictures instead"
fi

out=build/demo
mkdir -p $out
for scene in bridge turtle stems; do
  $limber render scenes/$scene.json -o $out/$scene.png --time 1 --quiet
done
$limber render scenes/spoon.json -o $out/spoon.mp4 --width 640 --height 400 --to 1.5 --quiet
echo
echo "There is no display here, so that is the gallery in pictures: $out."
echo "To pull at things in a browser:"
echo "  make web && build/limber view --web"
