#!/usr/bin/env python3
"""limber's .glb files as others see them: Khronos's validator finds nothing to complain about, and
three.js puts every vertex where limber has it."""
import os

from cli_testing import (PROGRAM, Skip, bar_scene, case, check, check_close, check_rows, limber,
                         read_csv, run_cases, write_json)
from gltf_testing import load_in_three, to_z_up, validate, vertex_at

STEP = 0.04  # s, longer than a frame: every step is one
FLOAT = 2e-7  # of positions about 1 m


def run_bar(folder, count):
    """Runs a bar that falls far within a few steps: the result, its probes and the animation."""
    scene = bar_scene(gravity=[0, 2, -20], time={"step": STEP, "count": count},
                      probes=[{"body": "bar", "vertex": vertex} for vertex in (0, 4, 9, 14, 19)])
    out = os.path.join(folder, "out")
    result = limber("run", write_json(folder, "scene.json", scene), "-o", out, "--json").json()
    _, rows = read_csv(os.path.join(out, "probes.csv"))
    return result, rows, os.path.join(out, "animation.glb")


def compare_with_probes(result, rows, path, tolerance):
    three = load_in_three(path, *[row[0] for row in rows])
    samples = [[to_z_up(p) for p in sample["meshes"][0]] for sample in three["samples"]]
    for i, probe in enumerate(result["probes"]):
        vertex = vertex_at(samples[0], probe["rest"], tolerance)
        found = [sample[vertex] for sample in samples]
        expected = [[a + b for a, b in zip(probe["rest"], row[1 + 3 * i:4 + 3 * i])]
                    for row in rows]
        check_rows(found, expected, tolerance, f"probe {i}")
    return three


@case
def three_moves_a_bar_like_the_probes(folder):
    result, rows, path = run_bar(folder, 6)
    validate(path)
    three = compare_with_probes(result, rows, path, result["animation_error_m"] + FLOAT)
    check(len(three["meshes"]) == 1, f"{len(three['meshes'])} meshes, expected 1")
    check(three["meshes"][0]["targets"] > 0, "nothing bends")
    check_close(three["animations"][0]["duration"], 6 * STEP, 1e-6, "duration")


@case
def two_frames_agree_to_float_precision(folder):
    result, rows, path = run_bar(folder, 1)
    check(abs(rows[1][3 * 4 + 3]) > 0.005, "the bar hardly moves")
    three = compare_with_probes(result, rows, path, FLOAT)
    check(three["meshes"][0]["target_names"] == ["component 1"], "not one component")


def run_moving(folder, **changes):
    """A reduced bar that goes somewhere: as run_bar."""
    scene = bar_scene(gravity=[0, 0, -9.81], time={"step": STEP, "count": 12},
                      probes=[{"body": "bar", "vertex": vertex} for vertex in (0, 4, 9, 14, 19)],
                      method="subspace", reduce={"modes": 6}, **changes)
    out = os.path.join(folder, "out")
    result = limber("run", write_json(folder, "scene.json", scene), "-o", out, "--json").json()
    _, rows = read_csv(os.path.join(out, "probes.csv"))
    return result, rows, os.path.join(out, "animation.glb")


def check_moving(result, rows, path):
    """Validator and three.js; the node has the rigid motion, so that the mesh stays small."""
    validate(path)
    three = compare_with_probes(result, rows, path, result["animation_error_m"] + 10 * FLOAT)
    tracks = three["animations"][0]["tracks"]
    check(tracks == 3, f"{tracks} tracks, expected translation, rotation and weights")
    farthest = max(abs(x) for x in rows[-1][1:])
    check(farthest > 0.5, f"the bar goes {farthest:.3g} m, it should go far")


@case
def three_moves_a_free_subspace_body_like_the_probes(folder):
    check_moving(*run_moving(folder, fixed=None, velocity={"linear": [1, 0, 2],
                                                            "angular": [1, 6, 2]}))


@case
def three_moves_a_driven_body_like_the_probes(folder):
    check_moving(*run_moving(folder, motion={
        "times": [0, 0.24, 0.48], "positions": [[0, 0, 0], [0.4, 0.2, 0.1], [0.9, 0.6, 0]],
        "rotations": [[0, 0, 0, 1], [0, 0, 0.3, 0.95], [0, 0.1, 0.6, 0.79]],
        "interpolation": "cubic"}))


# ---- what the tests in C wrote -------------------------------------------------------------------


def written_by_tests(name):
    path = os.path.join(os.path.dirname(PROGRAM), name)
    if not os.path.exists(path):
        raise Skip(f"{name} is written by the tests in C, run them first")
    return path


@case
def three_moves_placed_shapes_to_float_precision(folder):
    path = written_by_tests("shapes.glb")
    validate(path)
    _, rows = read_csv(written_by_tests("shapes.csv"))
    times = sorted({row[1] for row in rows})
    samples = load_in_three(path, *times)["samples"]
    found = [samples[times.index(row[1])]["meshes"][0][int(row[2])] for row in rows]
    check_rows(found, [row[3:] for row in rows], 1e-6, "vertices some metres away")


@case
def three_moves_a_thrown_spinning_body(folder):
    """Rigid tracks of a z-up scene, at frames and between them."""
    path = written_by_tests("rigid.glb")
    validate(path)
    _, rows = read_csv(written_by_tests("rigid.csv"))
    times = sorted({row[0] for row in rows})
    samples = load_in_three(path, *times)["samples"]
    found = [samples[times.index(row[0])]["meshes"][0][int(row[1])] for row in rows]
    check_rows(found, [row[2:] for row in rows], 1e-6, "vertices within metres")


@case
def a_model_has_shapes_to_play_with_and_its_pictures(folder):
    path = written_by_tests("viewable.glb")
    report = validate(path)
    check(report.count("warning") == 1, f"not one warning, for the chunk of limber's own: {report}")
    meshes = load_in_three(path)["meshes"]
    check(len(meshes) == 7, f"{len(meshes)} meshes, expected 3 parts twice and one")
    check(meshes[0]["target_names"] == ["mode 1: 3.2 Hz", "shape 2", "tilt"],
          f"targets {meshes[0]['target_names']}")
    check(meshes[0]["target_normals"] == 3 and meshes[0]["weights"] == [0, 0, 0],
          f"found {meshes[0]}")
    check([mesh["textured"] for mesh in meshes[:3]] == [False, True, False], "textures are lost")


run_cases()
