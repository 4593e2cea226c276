#!/usr/bin/env python3
"""Forces by cubature from the command line: build, info, run, Ctrl-C, wrong words."""
import os
import signal
import subprocess

from cli_testing import (PROGRAM, Failure, bar_scene, case, check, limber, run_cases, write_json)

BRICKS = {"generate": "bar", "size": [1, 0.2, 0.2], "cells": [8, 2, 2], "element": "brick8"}


def scene_file(folder, name="scene.json", law="stvk", **reduce):
    material = {"model": law, "young": 1e6, "poisson": 0.4, "density": 1000}
    return write_json(folder, name, bar_scene(mesh=BRICKS, material=material, method="subspace",
                                              reduce={"modes": 6, "dimension": 9, **reduce}))


def content(path):
    with open(path, "rb") as file:
        return file.read()


@case
def a_scene_asks_for_cubature_and_both_errors_are_told(folder):
    scene = scene_file(folder, forces="cubature", elements=25, error=0.02, poses=60, seed=3)
    found = limber("build", scene, "-o", "bar.glb", "--json", cwd=folder).json()
    subspace = found["subspace"]
    check(subspace["forces"] == "cubature" and subspace["dimension"] == 9, str(subspace))
    cubature = subspace["cubature"]
    check(0 < cubature["elements"] <= 25 and cubature["poses"] == 60, str(cubature))
    check(0 < cubature["training_error"] < 0.2 and 0 < cubature["held_out_error"] < 0.5,
          str(cubature))
    info = limber("info", "bar.glb", "--json", cwd=folder).json()["models"][0]
    check(info["subspace"] == subspace, str(info["subspace"]))
    text = limber("info", "bar.glb", cwd=folder).expect(0).out
    check(f"cubature over {cubature['elements']} of 32 elements" in text, text)


@case
def other_laws_take_cubature_by_themselves_and_run(folder):
    scene = scene_file(folder, law="neohookean")
    done = limber("build", scene, "-o", "rubber.glb", "--accuracy", "none", cwd=folder).expect(0)
    check("cubature" in done.err and "neohookean" in done.err, done.err)
    ran = limber("run", scene, "--json", cwd=folder).json()
    check(ran["bodies"][0]["method"] == "subspace", str(ran["bodies"][0]))
    check(0 < ran["bodies"][0]["pose_distance"] < 100, str(ran["bodies"][0]))
    check(0 < ran["bodies"][0]["unfollowed_force"] <= 1, str(ran["bodies"][0]))


@case
def the_same_seed_gives_the_same_bytes_for_any_number_of_threads(folder):
    scene = scene_file(folder, law="stable_neohookean")
    for threads in (1, 2, 3):
        limber("build", scene, "-o", f"{threads}.glb", "--threads", threads, "--accuracy", "none",
               "--quiet", cwd=folder).expect(0)
    files = [content(os.path.join(folder, f"{threads}.glb")) for threads in (1, 2, 3)]
    check(files[0] == files[1] == files[2], "the files differ")
    limber("build", scene, "-o", "4.glb", "--seed", 2, "--accuracy", "none", "--quiet",
           cwd=folder).expect(0)
    check(content(os.path.join(folder, "4.glb")) != files[0], "another seed changes nothing")


@case
def options_go_before_the_scene(folder):
    scene = scene_file(folder, forces="polynomial")
    found = limber("build", scene, "-o", "a.glb", "--elements", "all", "--json", cwd=folder).json()
    cubature = found["subspace"]["cubature"]
    check(cubature == {"elements": 32, "poses": 0, "training_error": 0, "held_out_error": 0},
          str(cubature))
    for selection in ("nnhtp", "nnhtp_plain", "greedy", "greedy_fast"):
        found = limber("build", scene, "-o", "a.glb", "--forces", "cubature", "--elements", 12,
                       "--error", 0, "--poses", 30, "--amplitude", 0.1, "--selection", selection,
                       "--accuracy", "none", "--json", cwd=folder).json()
        cubature = found["subspace"]["cubature"]
        check(0 < cubature["elements"] <= 12 and cubature["poses"] == 30, str(cubature))


@case
def wrong_words_are_refused(folder):
    scene = scene_file(folder)
    for words, parts in (
            (["--forces", "cubic"], ["cubic", "cubature"]), (["--elements", 0], ["--elements"]),
            (["--elements", "some"], ["some", "all"]), (["--elements", 33], ["33", "32"]),
            (["--error", -1], ["--error"]), (["--poses", 0], ["--poses"]),
            (["--seed", -1], ["--seed"]), (["--amplitude", "wide"], ["wide"]),
            (["--amplitude", -0.1], ["-0.1"]), (["--selection", "best"], ["best", "nnhtp"]),
            (["--forces", "polynomial", "--poses", 9], ["--poses", "polynomial"]),
            (["--method", "modal", "--forces", "cubature"], ["--forces", "subspace"])):
        usage = words != ["--elements", 33]  # what a mesh decides is no matter of words
        limber("build", scene, "-o", "x.glb", *words, cwd=folder).message(
            *parts, status=2 if usage else 1)
    check(os.listdir(folder) == ["scene.json"], str(os.listdir(folder)))


@case
def ctrl_c_keeps_the_best_selection_so_far(folder):
    bricks = dict(BRICKS, cells=[40, 10, 10])
    scene = write_json(folder, "long.json", bar_scene(
        mesh=bricks, method="subspace", reduce={"modes": 12, "dimension": 40, "error": 1e-12,
                                                "elements": 4000, "selection": "greedy"}))
    process = subprocess.Popen([PROGRAM, "build", scene, "-o", "x.glb", "--accuracy", "none"],
                               cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    told = []
    for line in process.stderr:
        told.append(line.decode())
        if "cubature, " in told[-1]:
            process.send_signal(signal.SIGINT)
            break
    try:
        out, err = process.communicate(timeout=60)
    except subprocess.TimeoutExpired:
        process.kill()
        raise Failure("it did not end after the signal") from None
    check(process.returncode == 0, f"{process.returncode}: {told} {err}")
    check(b"interrupted, the best so far is kept" in err and b"by cubature over" in out,
          f"{out} {err}")
    limber("info", "x.glb", cwd=folder).expect(0)


run_cases()
