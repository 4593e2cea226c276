#!/usr/bin/env python3
"""Makes web/dist, the page as a static folder, from web/src, the WebAssembly and the gallery.

usage: make_page.py PROGRAM MODULE_FOLDER [DIST]

Each scene of scenes/gallery.json is cooked (limber cook --bare --single), packed and pictured, again
only when the scene or the program is newer. Prints the sizes; fails when the code is over 3 MB.
"""
import concurrent.futures
import gzip
import json
import os
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SOURCE = os.path.join(ROOT, "web", "src")
SCENES = os.path.join(ROOT, "scenes")
CODE_MAX = 3 << 20
MODEL_LARGE = 4 << 20
THUMBNAIL = (384, 240)


def megabytes(count):
    return f"{count / 1e6:.2f} MB" if count >= 1e5 else f"{count / 1e3:.1f} kB"


def is_newer(target, *sources):
    """Whether the target is there and no source is younger."""
    if not os.path.exists(target):
        return False
    return all(os.path.getmtime(source) <= os.path.getmtime(target) for source in sources)


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}\n{done.stdout}{done.stderr}")


def write(path, data):
    """All of it or nothing: a build that is stopped leaves no half file."""
    with open(path + ".tmp", "wb") as file:
        file.write(data)
    os.replace(path + ".tmp", path)


def cook(program, scene, target):
    with tempfile.TemporaryDirectory() as folder:
        cooked = os.path.join(folder, "cooked.glb")
        run(program, "cook", scene, "--bare", "--single", "-o", cooked)
        with open(cooked, "rb") as file:
            write(target, gzip.compress(file.read(), 9, mtime=0))


def picture(program, scene, target):
    """A small JPEG of the scene after a moment; drawn at twice the size, so that edges are smooth."""
    width, height = THUMBNAIL
    with tempfile.TemporaryDirectory() as folder:
        drawn, small = os.path.join(folder, "drawn.png"), os.path.join(folder, "small.jpg")
        run(program, "render", scene, "-o", drawn, "--width", str(2 * width), "--height",
            str(2 * height), "--time", "0.3")
        run("ffmpeg", "-loglevel", "error", "-y", "-i", drawn, "-vf",
            f"scale={width}:{height}:flags=area", "-q:v", "4", small)
        with open(small, "rb") as file:
            write(target, file.read())


def add_scene(program, dist, file):
    """Makes what the page needs of a scene; returns its entry of gallery.json."""
    name = os.path.splitext(file)[0]
    scene = os.path.join(SCENES, file)
    model, thumbnail = f"models/{name}.glb.gz", f"models/{name}.jpg"
    if not is_newer(os.path.join(dist, model), scene, program):
        cook(program, scene, os.path.join(dist, model))
    if not is_newer(os.path.join(dist, thumbnail), scene, program):
        picture(program, scene, os.path.join(dist, thumbnail))
    with open(scene, encoding="utf-8") as text:
        told = json.load(text)
    return {"name": name, "title": told.get("title", name), "hint": told.get("try", ""),
            "file": model, "bytes": os.path.getsize(os.path.join(dist, model)),
            "thumbnail": thumbnail}


def copy_code(module, dist):
    """Copies the code and returns its size."""
    total = 0
    for folder in (SOURCE, module):
        for name in sorted(os.listdir(folder)):
            shutil.copyfile(os.path.join(folder, name), os.path.join(dist, name))
            size = os.path.getsize(os.path.join(dist, name))
            print(f"  {name:24} {megabytes(size):>10}")
            total += size
    shutil.copyfile(os.path.join(ROOT, "LICENSE"), os.path.join(dist, "LICENSE"))
    return total


def remove_others(dist, entries):
    """Files of scenes that are no longer in the gallery."""
    kept = {entry["file"] for entry in entries} | {entry["thumbnail"] for entry in entries}
    for name in os.listdir(os.path.join(dist, "models")):
        if f"models/{name}" not in kept:
            os.remove(os.path.join(dist, "models", name))


def main():
    program, module = sys.argv[1:3]
    dist = sys.argv[3] if len(sys.argv) > 3 else os.path.join(ROOT, "web", "dist")
    os.makedirs(os.path.join(dist, "models"), exist_ok=True)
    with open(os.path.join(SCENES, "gallery.json"), encoding="utf-8") as file:
        names = json.load(file)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        entries = list(pool.map(lambda name: add_scene(program, dist, name), names))
    remove_others(dist, entries)
    write(os.path.join(dist, "gallery.json"),
          json.dumps({"scenes": entries}, indent=1, ensure_ascii=False).encode())
    for entry in entries:
        large = "  (large)" if entry["bytes"] > MODEL_LARGE else ""
        print(f"  {entry['file']:24} {megabytes(entry['bytes']):>10}{large}")
    code = copy_code(module, dist)
    print(f"{os.path.relpath(dist)}: {megabytes(code)} of code, "
          f"{megabytes(sum(entry['bytes'] for entry in entries))} of models")
    if code > CODE_MAX:
        sys.exit(f"the code is over {megabytes(CODE_MAX)}")


main()
