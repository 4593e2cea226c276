#!/usr/bin/env python3
"""The run-time library computes the same bits under gcc, under clang and as WebAssembly.

tests/web/engine.c, built by each of them, steps two models and a world whose bodies touch, that
also with its tasks in orders that two workers may take them in, and hashes all that it sees. The
levels without fused multiply-add must agree too, whatever their width.
gcc's program belongs to this build; clang's is made of the library of the preset clang, which has no
other level, that of WebAssembly in the folder of the page (make web). Both folders are built as far as
needed.
"""
import os
import re
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli"))
from cli_testing import PROGRAM, ROOT, Failure, Skip, bar_scene, case, check, limber, run_cases, \
    write_json

BUILD = os.path.dirname(PROGRAM)
ENGINE = [os.path.join(BUILD, "engine")]
models = {}  # of the first case that asks: method -> path; hashes of gcc's portable level likewise
expected = {}


def call(words):
    """Output of a build step; its end when it fails."""
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace", timeout=500)
    if done.returncode:
        raise Failure(f"{' '.join(words)}\n{done.stdout[-4000:]}")
    return done.stdout


def build(preset, target):
    """The folder of the preset, with the target in it."""
    call(["cmake", "-S", ROOT, "--preset", preset, "-Wno-dev"])
    folder = os.path.join(ROOT, "build-" + preset)
    call(["cmake", "--build", folder, "-j", "2", "--target", target])
    return folder


def world_scene():
    """Bodies by both methods that fall on the ground, on a rod that moves, and on each other; a
    rigid ball and two rigid boxes on hinges, one with a motor."""
    body = {"mesh": {"generate": "bar", "size": [0.2, 0.2, 0.2], "cells": [2, 2, 2],
                     "element": "brick8"}, "damping": {"stiffness": 0.002},
            "material": {"model": "stvk", "young": 1e5, "poisson": 0.3, "density": 1000}}
    return {"limber": 1, "gravity": [0, 0, -9.81], "ground": {"friction": 0.4},
            "colliders": [{"shape": "capsule", "radius": 0.05, "size": 0.4, "motion":
                           {"times": [0, 1], "positions": [[0.2, 0.1, 0], [0.2, 0.1, 0.3]]}},
                          {"shape": "sphere", "radius": 0.2, "position": [1.1, 0.1, -0.1]},
                          {"name": "ball", "shape": "sphere", "radius": 0.08, "density": 700,
                           "position": [0.12, 0.1, 0.7]},
                          {"name": "door", "shape": "box", "size": [0.3, 0.05, 0.2],
                           "density": 500, "position": [2.15, 0, 0.3]},
                          {"name": "wing", "shape": "box", "size": [0.3, 0.05, 0.2],
                           "density": 500, "position": [2.45, 0, 0.3]}],
            "joints": [{"kind": "hinge", "bodies": ["door", None], "points": [[2, 0, 0.3]],
                        "axis": [0, 1, 0]},
                       {"kind": "hinge", "bodies": ["wing", "door"], "points": [[2.3, 0, 0.3]],
                        "axis": [0, 0, 1], "motor": {"speed": 2, "force": 1}}],
            "bodies": [{**body, "name": "a", "method": "subspace", "instances": 2,
                        "reduce": {"modes": 4, "dimension": 8},
                        "position": [[0, 0, 0.1], [0.05, 0.03, 0.35]]},
                       {**body, "name": "b", "method": "modal", "reduce": {"modes": 6},
                        "position": [1, 0, 0.2], "velocity": {"angular": [0, 2, 1]}}],
            "time": {"step": 1 / 120, "count": 120}}


def make_models():
    """One file each; their folder lives as long as the build's."""
    folder = os.path.join(BUILD, "engine-models")
    os.makedirs(folder, exist_ok=True)
    scene = bar_scene(mesh={"generate": "bar", "size": [1, 0.2, 0.2], "cells": [8, 2, 2]})
    path = write_json(folder, "bar.json", scene)
    for method, options in {"modal": ["--modes", 15],
                            "subspace": ["--modes", 6, "--dimension", 12, "--editable"]}.items():
        models[method] = os.path.join(folder, method + ".glb")
        limber("build", path, "--method", method, *options, "--accuracy", "none", "--quiet",
               "-o", models[method]).expect(0)
    models["world"] = models["workers"] = os.path.join(folder, "world.glb")
    limber("cook", write_json(folder, "world.json", world_scene()), "--bare", "-o",
           models["world"]).expect(0)


def engine_hash(command, level, method):
    """The level's name and the hash."""
    words = command + [level, method, models[method]]
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          timeout=60)
    found = re.fullmatch(r"(\w+) ([0-9a-f]{16})\n", done.stdout)
    if done.returncode or not found:
        raise Failure(f"{' '.join(words)}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return found.groups()


def check_bits(compiler, command, levels):
    """Hashes of both methods at the levels, against gcc's portable one. levels: {level: name}"""
    if not models:
        make_models()
    for method in ("modal", "subspace", "world", "workers"):
        if method not in expected:  # workers may not change the bits of the world
            of = "world" if method == "workers" else method
            expected[method] = engine_hash(ENGINE, "portable", of)[1]
        for level, expected_name in levels.items():
            name, found = engine_hash(command, level, method)
            print(f"{method:8} {compiler:12} {name:8} {found}")
            check(name == expected_name, f"level {level} is {name}, not {expected_name}")
            check(found == expected[method], f"{method}, {compiler}, {name}: the hash is {found}, "
                  f"that of gcc's portable level is {expected[method]}")


@case
def levels_without_fused_multiply_add_agree(_):
    base = "sse2" if os.uname().machine == "x86_64" else "neon"
    check_bits("gcc", ENGINE, {"portable": "portable", "base": base})
    check(expected["modal"] != expected["subspace"], "both methods have the same hash")


@case
def clang_gives_the_bits_of_gcc(_):
    if not shutil.which("clang"):
        raise Skip("clang is not installed")
    folder = build("clang", "limber")
    program = os.path.join(folder, "engine")
    call(["clang", "-std=c17", "-O2", "-ffp-contract=off", f"-I{ROOT}/include", f"-I{ROOT}/src",
          f"{ROOT}/tests/web/engine.c", f"{folder}/liblimber.a", "-lm", "-o", program])
    check_bits("clang", [program], {"portable": "portable"})


@case
def webassembly_gives_the_bits_of_gcc(_):
    for program in ("emcc", "node"):
        if not shutil.which(program):
            raise Skip(f"{program} is not installed (Debian packages emscripten, nodejs)")
    folder = build("web", "web-engine")
    # Without the option node's own fetch is taken for a page's, which reads no files.
    command = ["node", "--no-experimental-fetch", os.path.join(folder, "web-engine.js")]
    check_bits("wasm", command, {"portable": "portable", "base": "wasm"})


run_cases()
