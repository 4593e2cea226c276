#!/bin/sh
# Makes the pictures of the README and the docs with `limber render`: docs/images/*.jpg.
# usage: tools/pictures.sh   (after make; takes about two minutes)
set -eu
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
shot() { # shot NAME X OPTIONS...: a tile
  name=$1 scene=$2
  shift 2
  build/limber render "$scene" -o "$work/$name.png" --width 640 --height 400 --quiet "$@" > "$work/log"
  echo "$name"
}
tiles() { # tiles OUTPUT COLUMNS NAMES...: side by side, row by row
  output=$1 columns=$2
  shift 2
  inputs="" layout="" number=0
  for name in "$@"; do
    inputs="$inputs -i $work/$name.png"
    column=$((number % columns)) row=$((number / columns))
    layout="$layout${layout:+|}$((column * 640))_$((row * 400))"
    number=$((number + 1))
  done
  # shellcheck disable=SC2086
  ffmpeg -y -loglevel error $inputs -filter_complex "xstack=inputs=$number:layout=$layout" \
    -frames:v 1 -q:v 3 "docs/images/$output"
  echo "docs/images/$output"
}

shot figure scenes/figure.json --time 0.55
shot turtle scenes/turtle.json --time 0.6
shot cactus scenes/cactus.json --time 0.4
shot stems scenes/stems.json --time 1.3
shot spoon scenes/spoon.json --time 0.08
shot bridge scenes/bridge.json --time 0.5 --map stress
shot tower scenes/tower.json --time 0.5
shot bowl scenes/bowl.json --time 0
shot twist scenes/twisted-beam.json --time 1.4 --set compare=1
tiles gallery.jpg 3 figure turtle stems spoon twist bridge cactus tower bowl

shot stack scenes/stack.json --time 1
shot collision scenes/collision.json --time 0.45
shot wheel scenes/wheel.json --time 1
shot gripper scenes/gripper.json --time 1.5
shot chain scenes/chain.json --time 1.2
shot bounce scenes/bounce.json --time 0.42
tiles contact.jpg 3 stack collision wheel gripper chain bounce

shapes="bar plate tube cylinder sphere torus tee sponge spoon bridge tower bowl cactus turtle figure"
for shape in $shapes; do
  cat > "$work/$shape.json" <<TEXT
{ "limber": 1, "bodies": [{ "mesh": { "generate": "$shape", "element": "brick8" },
  "material": { "young": 1e6 }, "fixed": { "group": "bottom" }, "method": "modal",
  "reduce": { "modes": 1 } }] }
TEXT
  shot "shape-$shape" "$work/$shape.json"
done
# shellcheck disable=SC2046,SC2086
tiles shapes.jpg 5 $(for shape in $shapes; do echo "shape-$shape"; done)

# The page, in Chromium (after make web and make deps).
if [ -e web/dist/limber-page.wasm ] && [ -d tests/web/node_modules/playwright-core ]; then
  build/limber view --web --no-open > "$work/address" 2> "$work/log" &
  server=$!
  trap 'kill $server; rm -rf "$work"' EXIT
  while [ ! -s "$work/address" ]; do sleep 0.1; done
  node tests/web/picture.mjs "$(head -n 1 "$work/address")#scene=turtle" "$work/page.png"
  ffmpeg -y -loglevel error -i "$work/page.png" -q:v 3 docs/images/page.jpg
  echo docs/images/page.jpg
fi
