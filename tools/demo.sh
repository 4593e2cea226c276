#!/bin/sh
# make run: modes, a static solve and a run of scenes/bar.json into build/demo.
set -eu
out=build/demo
mkdir -p "$out"
echo "== natural frequencies of scenes/bar.json"
build/limber modes scenes/bar.json --count 6 --shape "$out/mode1.csv"
echo
echo "== static equilibrium under gravity"
build/limber static scenes/bar.json --displacement "$out/static.csv"
echo
echo "== one second of motion"
build/limber run scenes/bar.json -o "$out"
cat <<TEXT

Results are in $out:
  animation.glb   the moving bar: open it in Blender (File > Import > glTF), in Windows' 3D Viewer
                  or drop it on any glTF viewer page, and press play
  probes.csv      the tip's displacement over time: any spreadsheet opens it
  run.json        sizes, energies and timings of the run
  static.csv      the displacement of every vertex at rest under gravity
  mode1.csv       the shape of the first mode
More: build/limber --help
TEXT
