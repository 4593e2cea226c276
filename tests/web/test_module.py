#!/usr/bin/env python3
"""limber as an npm package: packed, installed offline into an empty folder, and used from there by
tests/web/module.mjs in node and by examples/three in Chromium (tests/web/three_page.mjs). Needs
web/dist, as web.build makes it."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli"))
from cli_testing import ROOT, bar_scene, limber, read_json, write_json
from gltf_testing import WEB

SKIPPED = 77
CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")


def report(name, trouble):
    if trouble:
        print(f"{name}: {trouble}")
    print(f"[{'  FAILED  ' if trouble else '       OK '}] {name}", flush=True)
    return bool(trouble)


def run(*words, cwd):
    done = subprocess.run(words, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace", timeout=300)
    if done.returncode:
        raise RuntimeError(f"{' '.join(words)}\n{done.stdout[-3000:]}")
    return done.stdout


def make_files(folder):
    """A cooked bar and what the program says of its motion; a free block of 8 kg."""
    time = {"step": 0.01, "count": 40}
    bar = bar_scene(method="subspace", reduce={"modes": 5, "dimension": 10},
                    damping={"mass": 2, "stiffness": 0}, time=time)
    scene = write_json(folder, "bar.json", bar)
    limber("cook", scene, "--bare", "-o", os.path.join(folder, "bar.glb")).expect(0)
    probe = limber("run", scene, "--json").expect(0).json()["probes"][0]
    write_json(folder, "run.json", {"steps": time["count"], "step": time["step"],
                                    "vertex": probe["rest"], "displacement": probe["displacement"]})
    block = {"limber": 1, "bodies": [{
        "name": "block", "method": "subspace", "reduce": {"modes": 5, "dimension": 10},
        "mesh": {"generate": "bar", "size": [0.2, 0.2, 0.2], "cells": [2, 2, 2]},
        "material": {"model": "stvk", "young": 1e6, "poisson": 0.4, "density": 1000}}]}
    limber("build", write_json(folder, "block.json", block), "--accuracy", "none", "--quiet", "-o",
           os.path.join(folder, "block.glb")).expect(0)


def pack(folder):
    """The packed file, and whether it is what package.json says."""
    listed = json.loads(re.search(r"^\[.*", run(
        "npm", "pack", "--json", "--pack-destination", folder, cwd=os.path.join(ROOT, "web")),
        re.S | re.M).group())[0]
    wanted = read_json(os.path.join(ROOT, "web", "package.json"))
    with open(os.path.join(ROOT, "include", "limber", "base.h"), encoding="utf-8") as header:
        version = ".".join(re.findall(r"^#define LB_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", header.read(), re.M))
    names = {entry["path"] for entry in listed["files"]}
    trouble = ""
    if names != set(wanted["files"]) | {"package.json"}:
        trouble = f"it holds {sorted(names)}"
    elif listed["version"] != version:
        trouble = f"package.json says {listed['version']}, limber/base.h {version}"
    print(f"{listed['filename']}: {listed['size'] / 1e6:.2f} MB packed")
    return os.path.join(folder, listed["filename"]), report("the_package_holds_what_it_lists", trouble)


def install(package, folder):
    os.makedirs(folder)
    with open(os.path.join(folder, "package.json"), "w", encoding="utf-8") as file:
        json.dump({"name": "user", "private": True, "type": "module"}, file)
    run("npm", "install", "--offline", "--no-audit", "--no-fund", "--ignore-scripts", package,
        cwd=folder)


def make_example(package_folder, folder):
    """examples/three with its two packages, three.js being that of the tests."""
    shutil.copytree(os.path.join(ROOT, "examples", "three"), folder,
                    ignore=shutil.ignore_patterns("node_modules"))
    shutil.copytree(os.path.join(package_folder, "node_modules"), os.path.join(folder, "node_modules"))
    shutil.copytree(os.path.join(WEB, "node_modules", "three", "build"),
                    os.path.join(folder, "node_modules", "three", "build"))
    packed = os.path.join(ROOT, "web", "dist", "models", "cactus.glb.gz")
    shutil.copyfile(packed, os.path.join(folder, "cactus.glb"))  # the module unpacks it


def main():
    if not os.path.exists(os.path.join(ROOT, "web", "dist", "limber-page.wasm")):
        print("web/dist is not built: make web")
        sys.exit(SKIPPED)
    if not shutil.which("npm"):
        print("npm is not there")
        sys.exit(SKIPPED)
    with tempfile.TemporaryDirectory(prefix="limber-module-") as folder:
        make_files(folder)
        package, failed = pack(folder)
        user = os.path.join(folder, "user")
        install(package, user)
        shutil.copyfile(os.path.join(WEB, "module.mjs"), os.path.join(user, "module.mjs"))
        failed |= subprocess.run(["node", "module.mjs", folder], cwd=user, timeout=300).returncode != 0
        if os.path.exists(CHROMIUM) and os.path.exists(os.path.join(WEB, "node_modules", "three")):
            example = os.path.join(folder, "three")
            make_example(user, example)
            failed |= subprocess.run(["node", os.path.join(WEB, "three_page.mjs"), example],
                                     timeout=300).returncode != 0
        else:
            print("[  SKIPPED ] a_body_in_three_js_is_drawn_and_pulled")
    sys.exit(1 if failed else 0)


main()
