#!/usr/bin/env python3
"""Scenes with reduced bodies: `limber run`, `limber cook` and `limber export`, and what they
refuse."""
import math
import os
import signal
import struct
import subprocess
import time
import zlib

from cli_testing import (PROGRAM, SANITIZED, Failure, bar_scene, case, check, check_close,
                         check_rows, largest, limber, read_csv, read_json, read_npz, run_cases, write,
                         write_json)
from gltf_testing import load_in_three, to_z_up, validate, vertex_at

LINEAR = {"model": "linear", "young": 1e6, "poisson": 0.4, "density": 1000}
MODAL = {"method": "modal", "reduce": {"modes": 8}, "material": LINEAR}


def content(path):
    with open(path, "rb") as file:
        return file.read()


def modal_scene(folder, name="scene.json", **changes):
    return write_json(folder, name, bar_scene(**{**MODAL, **changes}))


def cooked(folder, scene, name="world.glb"):
    path = os.path.join(folder, name)
    limber("cook", scene, "-o", path, "--quiet").expect(0)
    return path


def model_file(folder, name="bar.glb"):
    path = os.path.join(folder, name)
    scene = modal_scene(folder, "build.json", position=[5, 6, 7], rotation=[1, 2, 3, 4])
    limber("build", scene, "-o", path, "--quiet").expect(0)  # the place is not the model's
    os.remove(os.path.join(folder, "build.json"))
    return path


# ---- run -----------------------------------------------------------------------------------------


@case
def run_of_a_modal_body_prints_the_documented_fields(folder):
    out = os.path.join(folder, "out")
    found = limber("run", modal_scene(folder), "--json", "-o", out).json()
    body = found["bodies"][0]
    check(body["method"] == "modal" and body["dimension"] == 8, f"{body}")
    check(body["vertices"] == 20 and body["elements"] == 24, f"{body}")
    check_close(body["mass"], 40, 1e-9, "mass")
    check(found["flags"] == [] and found["probes"][0]["vertex"] == 4, f"{found}")
    check(found["probes"][0]["rest"] == [1, 0, 0], f"{found['probes']}")
    check(found["animation_error_m"] < 1e-6, f"error {found['animation_error_m']}")
    check(sorted(os.listdir(out)) == ["animation.glb", "probes.csv", "run.json"], "files")


@case
def a_modal_bar_moves_as_the_full_one_does(folder):
    """Few modes hold most of the motion under gravity; small steps leave Newmark's error small."""
    rows = []
    for method in ("modal", "full"):
        scene = modal_scene(folder, method=method, time={"step": 0.001, "count": 100})
        path = os.path.join(folder, "p.csv")
        limber("run", scene, "--probes", path).expect(0)
        rows.append(read_csv(path)[1])
    size = largest(row[1:] for row in rows[1])
    check_rows(rows[0], rows[1], 0.02 * size, "modal against full")


@case
def mesh_with_method_and_model_of_the_same_object_agree(folder):
    place = {"position": [1, 2, 3], "rotation": [0, 0, 1, 1], "velocity": {"linear": [0, 0, 1]}}
    model_file(folder)
    by_mesh = modal_scene(folder, **place, loads=[{"vertex": 3, "force": [0, 5, 0]}])
    scene = read_json(by_mesh)
    scene["bodies"] = [{"name": "bar", "model": "bar.glb", **place}]
    by_model = write_json(folder, "model.json", scene)
    results = [limber("run", path, "--json").json()["probes"] for path in (by_mesh, by_model)]
    check(results[0] == results[1], f"{results[0]} is not {results[1]}")
    info = limber("info", by_model, "--json").json()["bodies"][0]
    check(info["vertices"] == 20 and info["fixed_vertices"] == 4, f"{info}")


@case
def a_model_alone_is_released_under_gravity(folder):
    path = model_file(folder)
    result = limber("run", path, "--json")
    found = result.json()
    check(found["steps"] == 240 and abs(found["time"] - 2) < 1e-12, f"{found['steps']}")
    check("240 steps of 1/120 s" in result.err and "-z" in result.err, f"{result.err!r}")
    check(found["bodies"][0]["centre"][2] < 0.1, f"it does not fall: {found['bodies'][0]}")
    check(limber("run", path, "--count", 3, "--json").json()["steps"] == 3, "--count")


@case
def many_instances_are_quick(folder):
    body = dict(bar_scene(**MODAL)["bodies"][0], instances=1000,
                position=[[0, i, 0] for i in range(1000)])
    scene = write_json(folder, "many.json", bar_scene(
        bodies=[body], probes=[{"body": "bar.999", "vertex": 4}]))
    found = limber("run", scene, "--json", timeout=20).json()
    check(len(found["bodies"]) == 1000, "bodies")
    check(found["probes"][0]["rest"] == [1, 999, 0], f"{found['probes']}")
    alone = limber("run", modal_scene(folder), "--json").json()
    check(found["probes"][0]["displacement"] == alone["probes"][0]["displacement"], "not the same")
    check(limber("cook", scene, "-o", os.path.join(folder, "w.glb"), "--json").json()["models"] == 1,
          "one model for all")


# ---- cook ----------------------------------------------------------------------------------------


@case
def a_cooked_file_runs_to_the_same_bits_without_its_scene(folder):
    scene = modal_scene(folder, loads=[{"vertex": 3, "force": [0, 5, 0], "from": 0, "to": 0.02}],
                        rotation=[1, 2, 3, 4], damping={"mass": 0.1, "stiffness": 0.001})
    result = limber("cook", scene, "-o", os.path.join(folder, "world.glb"), "--json").json()
    check(result["models"] == 1 and result["bodies"] == 1 and result["loads"] == 1, f"{result}")
    texts = []
    for path in (scene, os.path.join(folder, "world.glb")):
        limber("run", path, "--probes", os.path.join(folder, "p.csv")).expect(0)
        texts.append(content(os.path.join(folder, "p.csv")))
        os.remove(scene) if path == scene else None
    check(texts[0] == texts[1], "the probes differ")


@case
def cooking_twice_gives_the_same_bytes(folder):
    scene = modal_scene(folder)
    check(content(cooked(folder, scene, "a.glb")) == content(cooked(folder, scene, "b.glb")),
          "the bytes differ")


@case
def a_cooked_field_of_stems_is_valid_glTF(folder):
    validate(cooked(folder, "scenes/stems.json"))


@case
def a_body_of_method_full_is_recorded_and_played(folder):
    scene, world = modal_scene(folder, method="full"), os.path.join(folder, "w.glb")
    result = limber("cook", scene, "-o", world, "--json").json()
    check(result["recorded"] == 1, f"{result}")
    steps, step = result["steps"], result["time_step"]
    info = limber("info", world, "--json").json()
    recording = info["models"][0]["recording"]
    check(info["models"][0]["methods"] == ["recorded"], f"{info}")
    check(recording["seconds"] >= steps * step * (1 - 1e-9), f"{recording}")
    check(recording["rate_hz"] <= 120 + 1e-9 or recording["frames"] == steps + 1, f"{recording}")
    check("recording: " in limber("info", world).expect(0).out, "info does not tell of it")
    rows = []
    for path in (scene, world):
        limber("run", path, "--probes", os.path.join(folder, "p.csv")).expect(0)
        rows.append(read_csv(os.path.join(folder, "p.csv"))[1])
    most = max(abs(x) for row in rows[0] for x in row[1:])
    error = max(abs(x - y) for a, b in zip(*rows) for x, y in zip(a[1:], b[1:]))
    check(most > 0 and error <= 5e-3 * most, f"the recording is off by {error} of {most} m")


@case
def a_body_of_method_full_needs_steps_to_be_recorded(folder):
    scene = modal_scene(folder, method="full", time={"step": 0.01, "count": 0})
    limber("cook", scene, "-o", os.path.join(folder, "w.glb")).message(
        "scene.json", '"bar"', '"full"', '"count"')
    check(os.listdir(folder) == ["scene.json"], f"it left {os.listdir(folder)}")
    limber("cook", scene).expect(2)
    limber("cook", scene, "-o", os.path.join(folder, "w.json")).expect(2)


@case
def bare_and_single_files_run_and_are_smaller(folder):
    scene, sizes, rows = modal_scene(folder), [], []
    for words in ([], ["--bare"], ["--bare", "--single"]):
        world = os.path.join(folder, "w.glb")
        limber("cook", scene, "-o", world, *words, "--quiet").expect(0)
        limber("run", world, "--probes", os.path.join(folder, "p.csv")).expect(0)
        rows.append(read_csv(os.path.join(folder, "p.csv"))[1])
        sizes.append((len(content(world)), len(zlib.compress(content(world)))))
    check(sizes[1][0] < sizes[0][0] and sizes[2][1] < 0.8 * sizes[1][1], f"sizes {sizes}")
    check(rows[0] == rows[1], "a bare file moves differently")
    most = max(abs(x) for row in rows[0] for x in row[1:])
    error = max(abs(x - y) for a, b in zip(rows[0], rows[2]) for x, y in zip(a[1:], b[1:]))
    check(error <= 1e-5 * most, f"a single file is off by {error} of {most} m")
    validate(os.path.join(folder, "w.glb"))


# ---- export --------------------------------------------------------------------------------------


@case
def export_writes_every_format(folder):
    scene = modal_scene(folder)
    for source in (scene, cooked(folder, scene), model_file(folder)):
        expected = {"glb": ["x.glb"], "obj": ["x_00000.obj", "x_00001.obj"],
                    "ply": ["x_00000.ply", "x_00001.ply"], "pc2": ["x.obj", "x.pc2"],
                    "pvd": ["x.pvd", "x_00000.vtu", "x_00001.vtu"], "npz": ["x.npz"]}
        for extension, names in expected.items():
            out = os.path.join(folder, "out")
            os.mkdir(out)
            words = ["--count", 2, "--frame_rate", 50 if source == scene else 60]
            found = limber("export", source, "-o", os.path.join(out, "x." + extension), "--json",
                           *words).json()
            check(found["bodies"] == 1, f"{found}")
            check(sorted(os.listdir(out)) == names, f"{sorted(os.listdir(out))}, not {names}")
            for name in names:
                os.remove(os.path.join(out, name))
            os.rmdir(out)


@case
def exported_frames_follow_the_probes(folder):
    scene = modal_scene(folder, position=[0, 0, 2], rotation=[0, 0, 1, 1])
    probe = limber("run", scene, "--json").json()["probes"][0]
    limber("export", scene, "-o", os.path.join(folder, "x.obj"), "--frame_rate", 100).expect(0)
    limber("export", scene, "-o", os.path.join(folder, "x.pvd"), "--frame_rate", 100).expect(0)
    place = [a + b for a, b in zip(probe["rest"], probe["displacement"])]
    points = [[float(word) for word in line.split()[1:4]]
              for line in content(os.path.join(folder, "x_00005.obj")).decode().splitlines()
              if line.startswith("v ")]
    nearest = min(math.dist(point, place) for point in points)
    check(nearest < 1e-6, f"the nearest vertex is {nearest} m away, tolerance 1e-6")
    text = content(os.path.join(folder, "x_00005.vtu")).decode("latin-1")
    check("displacement" in text, "no displacement in the .vtu")


@case
def the_animation_of_a_modal_body_is_played_by_its_basis(folder):
    scene = modal_scene(folder, position=[0, 0, 2], rotation=[0, 0, 1, 1])
    probe = limber("run", scene, "--json").json()["probes"][0]
    path = os.path.join(folder, "x.glb")
    limber("export", scene, "-o", path, "--frame_rate", 100).expect(0)
    validate(path)
    three = load_in_three(path, 0, 0.05)
    check(0 < three["meshes"][0]["targets"] <= 8, f"{three['meshes'][0]['targets']} targets")
    at_rest, at_end = [[to_z_up(p) for p in sample["meshes"][0]] for sample in three["samples"]]
    vertex = vertex_at(at_rest, probe["rest"], 1e-6)
    place = [a + b for a, b in zip(probe["rest"], probe["displacement"])]
    check(math.dist(at_end[vertex], place) < 1e-5, f"{at_end[vertex]} is not {place}")


@case
def export_of_one_body(folder):
    body = bar_scene(**MODAL)["bodies"][0]
    other = dict(body, name="other", method="full", position=[0, 1, 0])
    scene = write_json(folder, "two.json", bar_scene(bodies=[body, other]))
    found = limber("export", scene, "-o", os.path.join(folder, "x.ply"), "--json").json()
    check(found["bodies"] == 2 and os.path.exists(os.path.join(folder, "x_other_00000.ply")), "two")
    limber("export", scene, "-o", os.path.join(folder, "y.ply"), "--body", "other").expect(0)
    check(os.path.exists(os.path.join(folder, "y_00000.ply")), "--body")
    limber("export", scene, "-o", os.path.join(folder, "y.ply"), "--body", "none").message(
        'no body "none"')
    limber("export", scene, "-o", os.path.join(folder, "y.npz")).expect(0)  # the one with a model
    limber("export", scene, "-o", os.path.join(folder, "z.npz"), "--body", "other").message("full")


@case
def arrays_of_a_model_are_those_of_its_modes(folder):
    scene = modal_scene(folder, damping={"mass": 0.1, "stiffness": 0.001})
    path = os.path.join(folder, "x.npz")
    limber("export", scene, "-o", path).expect(0)
    found = read_npz(path)
    modes = limber("modes", scene, "--count", 8, "--json").json()
    shape, frequencies, _ = found["frequencies_hz"]
    check(shape == (8,), f"{shape}")
    for a, b in zip(frequencies, modes["frequencies_hz"]):
        check_close(a, b, 1e-9 * b, "frequency")
        w = 2 * math.pi * a
        check_close(found["damping_ratios"][1][frequencies.index(a)], (0.1 / w + 0.001 * w) / 2,
                    1e-12, "damping ratio")
    check(found["basis"][0] == (60, 8) and found["basis"][2], f"{found['basis'][0]}")
    check(found["modal.basis"][0] == (8, 60), f"{found['modal.basis'][0]}")
    check(found["basis"][1] == found["modal.basis"][1], "the bases differ")
    check_close(sum(found["masses"][1]), modes["total_mass"], 1e-9, "mass")
    check(bytes(found["object.name"][1]) == b"bar\0", "name")


@case
def export_refuses_what_it_does_not_know(folder):
    scene = modal_scene(folder)
    for name in ("x.xyz", "x", "x.fbx"):
        limber("export", scene, "-o", os.path.join(folder, name)).message(".npz", status=2)
    limber("export", scene).message("-o", status=2)
    limber("export", scene, "-o", "x.obj", "--frame_rate", 0).message("frame_rate", status=2)
    limber("export", scene, "-o", "x.obj", "--count", -1).message("count", status=2)
    full = modal_scene(folder, "full.json", method="full")
    limber("export", full, "-o", os.path.join(folder, "x.npz")).message("reduced method")
    check(sorted(os.listdir(folder)) == ["full.json", "scene.json"], f"{os.listdir(folder)}")


# ---- bad input -----------------------------------------------------------------------------------


@case
def model_files_that_are_missing_broken_or_newer_are_refused(folder):
    whole = content(model_file(folder))
    scene = write_json(folder, "scene.json", bar_scene(bodies=[{"name": "bar", "model": "m.glb"}]))
    limber("run", scene).message("m.glb", "cannot open")
    at = whole.index(b"LMBR") + 4
    cases = {
        "newer": whole[:at] + struct.pack("<I", 99) + whole[at + 4:],
        "m.glb": whole[:len(whole) // 2],
        "damaged": whole[:-100] + bytes([whole[-100] ^ 1]) + whole[-99:],
        "": b"",
    }
    for part, data in cases.items():
        write(folder, "m.glb", data)
        limber("run", scene, "--json").message("m.glb", part)
    write(folder, "m.glb", whole)
    limber("run", scene).expect(0)


@case
def cut_cooked_files_are_refused(folder):
    whole = content(cooked(folder, modal_scene(folder)))
    for length in range(0, len(whole), max(1, len(whole) // (7 if SANITIZED else 40))):
        path = write(folder, "cut.glb", whole[:length])
        result = limber("run", path)
        result.message("cut.glb")


@case
def what_a_model_settles_is_refused_beside_it(folder):
    model_file(folder)
    for key, value in (("mesh", "a.msh"), ("surface", "a.obj"), ("material", {}),
                       ("fixed", {"vertices": [0]}), ("mass", "lumped"), ("scale", 2)):
        scene = write_json(folder, "scene.json", bar_scene(
            bodies=[{"name": "bar", "model": "bar.glb", key: value}]))
        limber("run", scene).message("scene.json", f"bodies[0].{key}", "model")
    for verb in ("modes", "static", "evaluate"):
        scene = write_json(folder, "scene.json", bar_scene(
            bodies=[{"name": "bar", "model": "bar.glb"}]))
        limber(verb, scene).message("scene.json", "model file")


@case
def free_modal_bodies_fall(folder):
    scene = modal_scene(folder, fixed=None)
    document = limber("run", scene, "--json", "--quiet").json()
    body, gravity = document["bodies"][0], bar_scene(**MODAL)["gravity"]
    for axis in range(3):
        fallen = gravity[axis] * document["time"]
        check_close(body["linear_velocity"][axis], fallen, 1e-12, "velocity")
        check_close(body["position"][axis], 0.5 * fallen * document["time"], 1e-12, "position")
    check(not document["flags"], str(document["flags"]))


@case
def ctrl_c_leaves_nothing_half_written(folder):
    """While modes are computed, steps are taken and frames are written."""
    mesh = {"generate": "bar", "size": [1, 0.1, 0.1], "cells": [60, 8, 8]}
    slow = modal_scene(folder, mesh=mesh, reduce={"modes": 200})
    long = modal_scene(folder, "long.json", instances=1000, probes=None,
                       time={"step": 0.001, "count": 1000000})
    for words in (["cook", slow, "-o", "w.glb"], ["export", slow, "-o", "x.obj"],
                  ["export", long, "-o", "x.obj", "--frame_rate", 1], ["run", long, "-o", "out", "--frame_rate", 1]):
        process = subprocess.Popen([PROGRAM, *map(str, words), "--quiet"], cwd=folder,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        time.sleep(0.3)
        if process.poll() is not None:
            raise Failure(f"{words} ended by itself: {process.stderr.read()}")
        process.send_signal(signal.SIGINT)
        try:
            out, err = process.communicate(timeout=30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            raise Failure(f"{words} did not end") from None
        check(process.returncode == 1 and b"interrupted" in err and out == b"", f"{words}: {err}")
        check(sorted(os.listdir(folder)) == ["long.json", "scene.json"], f"{os.listdir(folder)}")


run_cases()
