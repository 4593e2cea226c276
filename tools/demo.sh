#!/bin/sh
# make run: a surface becomes a model and moves; a field of stems; the unreduced bar beside them.
set -eu
out=build/demo
mkdir -p "$out"
echo "== a surface becomes a model"
build/limber mesh --generate tee --surface -o "$out/tee.obj" --quiet > "$out/tee.txt"
build/limber build "$out/tee.obj" --up z -o "$out/tee.glb"
echo
echo "== the model sags and swings under its own weight"
build/limber run "$out/tee.glb" -o "$out/tee"
echo
echo "== four hundred stems, one model"
build/limber run scenes/stems.json -o "$out/stems" | tail -n 3
echo
echo "== the reference: a rubber bar, unreduced"
build/limber run scenes/bar.json -o "$out/bar"
cat <<TEXT

Results are in $out:
  tee.glb             the model: open it in Blender (File > Import > glTF) or drop it on any glTF
                      viewer page; its modes are morph targets
  tee/animation.glb   the moving tee, and likewise stems and bar: press play
  bar/probes.csv      the tip's displacement over time: any spreadsheet opens it
  bar/run.json        sizes, energies and timings of the run
More: build/limber --help
TEXT
