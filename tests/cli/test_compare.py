#!/usr/bin/env python3
"""`limber compare`: its figures against motions that `limber run` writes, and what it refuses."""
import json
import os
import struct

from cli_testing import bar_scene, case, check, check_close, limber, run_cases, write, write_json

MESH = {"generate": "bar", "size": [1, 0.2, 0.2], "cells": [6, 2, 2], "element": "brick8"}
TIME = {"step": 0.01, "count": 30}


def scene_file(folder, **changes):
    settings = {"mesh": MESH, "time": TIME, "gravity": [0, 0, -9.81],
                "reduce": {"modes": 6, "dimension": 12}, **changes}
    return write_json(folder, "scene.json", bar_scene(**settings))


def frames_of(path):
    """The frames of a .pc2 file, each a flat list of coordinates."""
    with open(path, "rb") as file:
        data = file.read()
    count, frames = struct.unpack_from("<i", data, 16)[0], struct.unpack_from("<i", data, 28)[0]
    return [struct.unpack_from(f"<{3 * count}f", data, 32 + 12 * count * f)
            for f in range(frames)]


def motion(folder, method):
    out = os.path.join(folder, method + ".pc2")
    limber("run", scene_file(folder, method=method), "-o", out, "--quiet").expect(0)
    return frames_of(out)


@case
def errors_are_those_of_the_motions_that_run_writes(folder):
    found = limber("compare", scene_file(folder), "--methods", "modal,full,subspace",
                   "--json").json()
    check([way["name"] for way in found["methods"]] == ["modal", "full", "subspace"], f"{found}")
    check(found["steps"] == 30 and abs(found["time"] - 0.3) < 1e-12, f"{found}")
    full = motion(folder, "full")
    for way in found["methods"]:
        if way["name"] == "full":
            check(way["error"] is None and way["distance"] is None, f"{way}")
            continue
        off = moved = farthest = 0
        for x, reference in zip(motion(folder, way["name"]), full):
            squares = [(a - b) ** 2 for a, b in zip(x, reference)]
            off += sum(squares)
            moved += sum((b - c) ** 2 for b, c in zip(reference, full[0]))
            farthest = max(farthest, max(sum(squares[i:i + 3]) for i in range(0, len(x), 3)))
        check_close(way["error"], (off / moved) ** 0.5, 1e-4 * way["error"], way["name"])
        check_close(way["distance"], farthest ** 0.5, 1e-3 * way["distance"], way["name"])
    errors = {way["name"]: way["error"] for way in found["methods"]}
    check(0 < errors["subspace"] < errors["modal"], f"{errors}")


@case
def every_method_that_suits_is_played_and_files_are_written(folder):
    out = os.path.join(folder, "out")
    found = limber("compare", scene_file(folder), "--count", 10, "-o", out, "--json").json()
    played = [way["name"] for way in found["methods"] if way["refused"] is None]
    check(played[:5] == ["full", "warp", "subspace", "cubature", "modal"], f"{found}")
    for name in played:
        check(os.path.getsize(os.path.join(out, name + ".glb")) > 1000, name)
    with open(os.path.join(out, "compare.json")) as file:
        written = json.load(file)
    for a, b in zip(written["methods"], found["methods"]):
        check(a["name"] == b["name"] and a.get("error") == b.get("error"), f"{a} {b}")
    with open(os.path.join(out, "compare.svg")) as file:
        picture = file.read()
    check(all(f">{name}<" in picture for name in played[1:]), "names in the plot")


@case
def laws_without_polynomials_are_not_played_by_them(folder):
    law = {"model": "neohookean", "young": 1e6, "poisson": 0.4, "density": 1000}
    scene = scene_file(folder, material=law)
    found = limber("compare", scene, "--count", 2, "--json").json()
    check("subspace" not in [way["name"] for way in found["methods"]], f"{found}")
    found = limber("compare", scene, "--count", 2, "--methods", "full,subspace", "--json").json()
    check("stvk" in found["methods"][1]["refused"], f"{found}")


@case
def models_and_bare_meshes_are_played_too(folder):
    model = os.path.join(folder, "bar.glb")
    limber("build", scene_file(folder), "-o", model, "--accuracy", "none", "--quiet").expect(0)
    found = limber("compare", model, "--count", 5, "--json").json()
    check([way["name"] for way in found["methods"]] == ["full", "subspace", "modal"], f"{found}")
    found = limber("compare", model, "--count", 5, "--methods", "full,warp", "--json").json()
    check("not built for warp" in found["methods"][1]["refused"], f"{found}")
    ball = os.path.join(folder, "ball.obj")
    limber("mesh", "--generate", "sphere", "-o", ball).expect(0)
    found = limber("compare", ball, "--cells", 4, "--count", 5, "--methods", "full,subspace",
                   "--json").json()
    check(0 < found["methods"][1]["error"] < 0.2, f"{found}")


@case
def wrong_words_are_named(folder):
    scene = scene_file(folder)
    for words, hint in ((["--methods", "full,worp"], "worp"), (["--methods", "full,full"], "twice"),
                        (["--methods", ""], "empty"), (["--frame_rate", "0"], "--frame_rate"),
                        (["--count", "-1"], "--count"), (["--cells", "0"], "--cells")):
        limber("compare", scene, *words).message(hint, status=2)
    limber("compare", write(folder, "empty.obj", "")).expect(1)


run_cases()
