#!/usr/bin/env python3
"""Bodies on frames that move: `limber run` against gravity, against a rotating body's equilibrium,
motions from glTF files, and what is refused."""
import base64
import math
import os
import struct

from cli_testing import (bar_scene, case, check, check_close, limber, read_csv, run_cases, write,
                         write_json)


def gltf(folder, name, nodes, channels, interpolation="LINEAR"):
    """A file with one animation; channels: [(node, path, times, rows)]."""
    data, views, accessors, samplers, targets = b"", [], [], [], []
    for node, path, times, rows in channels:
        for values, kind in ((times, "SCALAR"), (rows, "VEC4" if path == "rotation" else "VEC3")):
            flat = [x for row in values for x in (row if isinstance(row, (list, tuple)) else [row])]
            views.append({"buffer": 0, "byteOffset": len(data), "byteLength": 4 * len(flat)})
            accessors.append({"bufferView": len(views) - 1, "componentType": 5126,
                              "count": len(values), "type": kind})
            data += struct.pack(f"<{len(flat)}f", *flat)
        samplers.append({"input": len(accessors) - 2, "output": len(accessors) - 1,
                         "interpolation": interpolation})
        targets.append({"sampler": len(samplers) - 1, "target": {"node": node, "path": path}})
    uri = "data:application/octet-stream;base64," + base64.b64encode(data).decode()
    return write_json(folder, name, {
        "asset": {"version": "2.0"}, "nodes": nodes, "bufferViews": views, "accessors": accessors,
        "buffers": [{"byteLength": len(data), "uri": uri}],
        "animations": [{"samplers": samplers, "channels": targets}]})


def run(folder, scene, name="scene.json"):
    """The document and the rows of the probes."""
    path = write_json(folder, name, scene)
    probes = os.path.join(folder, "probes.csv")
    document = limber("run", path, "--json", "--quiet", "--probes", probes).json()
    bad = [text for text in document["flags"] if "indefinite" not in text]
    check(not bad, f"flags: {bad}")
    return document, read_csv(probes)[1]


def moved(motion, **changes):
    scene = bar_scene(**changes)
    scene["bodies"][0]["motion"] = motion
    return scene


TIME = {"step": 0.00390625, "count": 64}


@case
def an_accelerating_frame_is_gravity(folder):
    """x = 4 t² along z, as one cubic segment with its own tangents: Newmark is exact on it."""
    gltf(folder, "lift.gltf", [{"name": "lift"}],
         [(0, "translation", [0, 0.5], [[0, 0, 0], [0, 0, 0], [0, 0, 0],
                                        [0, 0, 4], [0, 0, 1], [0, 0, 0]])], "CUBICSPLINE")
    body = {"damping": {"mass": 0.5, "stiffness": 0.001}}
    driven = moved({"file": "lift.gltf", "node": "lift"}, gravity=[0, 0, 0], time=TIME, **body)
    held = bar_scene(gravity=[0, 0, -8], time=TIME, **body)
    found, rows = run(folder, driven)
    expected, reference = run(folder, held)
    largest = max(abs(x) for row in reference for x in row[1:])
    check(largest > 1e-3, f"nothing moves: {largest}")
    worst = 0
    for a, b in zip(rows, reference):
        lift = 4 * a[0] ** 2
        for k in range(1, len(a)):
            worst = max(worst, abs(a[k] - (lift if k % 3 == 0 else 0) - b[k]))
    check(worst < 1e-9 * largest, f"residual {worst / largest:.2e}, tolerance 1e-9")
    check_close(found["bodies"][0]["energy"]["elastic"], expected["bodies"][0]["energy"]["elastic"],
                1e-8 * expected["bodies"][0]["energy"]["elastic"], "elastic energy")
    check_close(found["bodies"][0]["centre"][2] - 4 * 0.25 ** 2, expected["bodies"][0]["centre"][2],
                1e-9, "centre")
    # Momentum is of the world: that of the held body, and m v of the frame.
    v, mass = 8 * 0.25, found["bodies"][0]["mass"]
    check_close(found["bodies"][0]["linear_momentum"][2] - mass * v,
                expected["bodies"][0]["linear_momentum"][2], 1e-8 * mass * v, "momentum")


@case
def probes_contain_the_motion_of_the_frame(folder):
    """A probe on a fixed vertex is the frame's motion: rest is its place at t = 0."""
    s = math.sin(0.3)
    scene = moved({"times": [0, 0.1, 0.25], "positions": [[1, 0, 0], [1, 1, 0], [2, 1, 0]],
                   "rotations": [[0, 0, 0, 1], [0, 0, s, math.cos(0.3)], [0, 0, 0, 1]]}, time=TIME)
    scene["bodies"][0]["fixed"] = {"vertices": list(range(12))}
    scene["probes"] = [{"vertex": 0}, {"vertex": 1}]
    document, rows = run(folder, scene)
    check(document["probes"][0]["rest"][0] >= 1, f"rest {document['probes'][0]['rest']}")
    rest = [document["probes"][k]["rest"] for k in (0, 1)]
    own = [[x[0] - 1, x[1], x[2]] for x in rest]
    for row in rows:
        t = min(row[0], 0.25)
        first, w = t < 0.1, (t / 0.1 if t < 0.1 else (t - 0.1) / 0.15)
        p = [1, w, 0] if first else [1 + w, 1, 0]
        angle = 0.6 * w if first else 0.6 * (1 - w)
        c, q = math.cos(angle), math.sin(angle)
        for k in (0, 1):
            x = [p[0] + c * own[k][0] - q * own[k][1], p[1] + q * own[k][0] + c * own[k][1],
                 p[2] + own[k][2]]
            for i in range(3):
                check_close(rest[k][i] + row[1 + 3 * k + i], x[i], 1e-12, f"t = {row[0]}")


@case
def a_node_of_a_file_moves_a_body(folder):
    """Channels with times of their own, below a parent that stands still."""
    gltf(folder, "walk.gltf", [{"name": "root", "children": [1], "translation": [0, 0, 1]},
                               {"name": "hips"}],
         [(1, "translation", [0, 0.125, 0.25], [[0, 0, 0], [0.5, 0, 0], [0.5, 0.5, 0]]),
          (1, "rotation", [0, 0.25], [[0, 0, 0, 1], [0, 0, 1, 0]])])
    scene = moved({"file": "walk.gltf", "node": "hips"}, time=TIME, probes=[{"vertex": 0}])
    document, rows = run(folder, scene)
    x, y, z = document["probes"][0]["rest"]
    end = [0.5 - x, 0.5 - y, z]  # half a turn about z, from height 1
    check(0.8 <= z <= 1.2, f"the vertex is at {z} m at rest")
    for i in range(3):
        check_close(document["probes"][0]["rest"][i] + rows[-1][1 + i], end[i], 1e-7, "the end")


@case
def motions_of_reduced_bodies_are_cooked(folder):
    scene = moved({"times": [0, 1], "positions": [[0, 0, 0], [1, 0, 0]], "cycle": True}, time=TIME)
    scene["bodies"][0].update(method="modal", reduce={"modes": 4})
    path = write_json(folder, "scene.json", scene)
    cooked = os.path.join(folder, "scene.glb")
    limber("cook", path, "-o", cooked, "--quiet").expect(0)
    with open(cooked, "rb") as file:
        check(b"path.times" in file.read(), "the cooked file has no path")
    rows = []
    for name in (path, cooked):
        probes = os.path.join(folder, "probes.csv")
        limber("run", name, "--quiet", "--probes", probes).expect(0)
        with open(probes, encoding="utf-8") as file:
            rows.append(file.read())
    check(rows[0] == rows[1], "the cooked file moves in another way than its scene")


def turned(rotation, vector):
    x, y, z, w = rotation
    rows = [[1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]]
    return [sum(row[k] * vector[k] for k in range(3)) for row in rows]


@case
def a_frame_is_told(folder):
    """position + rotation X of a fixed vertex is where its probe is, whatever the method; the frame
    moves as its key frames say."""
    motion = {"times": [0, 0.25], "positions": [[0, 0, 0], [0.1, 0.05, 0]],
              "rotations": [[0, 0, 0, 1], [0, math.sin(0.1), 0, math.cos(0.1)]]}
    centre = [0.5, 0.1, 0.1]
    for change in ({}, {"method": "modal", "reduce": {"modes": 6}},
                   {"method": "subspace", "reduce": {"modes": 4, "dimension": 8}}):
        scene = moved(motion, probes=[{"body": "bar", "vertex": 0}, {"body": "bar", "vertex": 4}],
                      time={"step": 0.00390625, "count": 40})
        scene["bodies"][0].update(change)
        document, _ = run(folder, scene)
        body, share = document["bodies"][0], document["time"] / 0.25
        for axis in range(3):
            for probe in document["probes"][:1]:
                place = body["position"][axis] + turned(body["rotation"], probe["rest"])[axis]
                check_close(place, probe["rest"][axis] + probe["displacement"][axis], 1e-14,
                            "a fixed vertex")
            check_close(body["position"][axis], share * motion["positions"][1][axis], 1e-15,
                        "position")
            check_close(body["angular_velocity"][axis], [0, 0.8, 0][axis], 1e-12, "spin")
        arm = turned(body["rotation"], centre)
        velocity = [0.4 + 0.8 * arm[2], 0.2, -0.8 * arm[0]]
        for axis in range(3):
            check_close(body["linear_velocity"][axis], velocity[axis], 1e-12, "velocity")


@case
def thrown_bodies_move_alike_by_every_method(folder):
    """Free, spinning and bending: reduced bodies within 1 % of the unreduced one."""
    found = []
    for change in ({}, {"method": "modal", "reduce": {"modes": 20}},
                   {"method": "subspace", "reduce": {"modes": 8, "dimension": 24}}):
        scene = bar_scene(fixed=None, position=[0, 0, 3], rotation=[1, 0, 0, 2],
                          velocity={"linear": [1, 0, 4], "angular": [1, 5, 2]},
                          loads=[{"body": "bar", "vertex": 4, "force": [0, 0, 20], "from": 0,
                                  "to": 0.02}], time={"step": 0.001, "count": 250})
        scene["bodies"][0].update(change)
        found.append(run(folder, scene)[0])
    for document in found[1:]:
        for axis in range(3):
            check_close(document["probes"][0]["displacement"][axis],
                        found[0]["probes"][0]["displacement"][axis], 0.01, "displacement")
            for key, tolerance in (("position", 0.01), ("rotation", 0.01), ("centre", 0.001),
                                   ("linear_velocity", 0.01), ("angular_velocity", 0.1)):
                check_close(document["bodies"][0][key][axis], found[0]["bodies"][0][key][axis],
                            tolerance, key)


@case
def a_frame_that_jumps_is_flagged(folder):
    motion = {"times": [0, 0.02, 0.021], "positions": [[0, 0, 0], [0, 0, 0], [50, 0, 0]]}
    scene = moved(motion, time={"step": 0.00390625, "count": 10})
    scene["bodies"][0].update(method="modal", reduce={"modes": 6})
    path = write_json(folder, "scene.json", scene)
    document = limber("run", path, "--json", "--quiet").json()
    check(document["flags"] == ["bar: 1 step carried it along a frame that jumped"],
          str(document["flags"]))
    check(abs(document["probes"][0]["displacement"][0] - 50) < 0.1, str(document["probes"]))


@case
def wrong_motions_are_refused(folder):
    def refuse(motion, *parts, **changes):
        path = write_json(folder, "scene.json", moved(motion, **changes))
        limber("run", path, "--json", "--quiet").message(*parts)

    still = [[0, 0, 0]] * 4
    refuse({"times": [0, 0.2, 0.5, 0.5], "positions": still},
           "scene.json: bodies[0].motion.times[3]: 0.5 does not rise above 0.5 before it")
    refuse({"times": [0, 1], "positions": still}, "motion.positions: has 4 entries for 2 times")
    refuse({"times": [0], "rotations": [[0, 0, 0, 0]]}, "motion.rotations[0]", "length 0")
    refuse({"file": "no.glb", "node": "a"}, "no.glb", "cannot open")
    refuse({"times": [0], "positions": [[0, 0, 0]]}, "bodies[0].position", position=[0, 0, 0])
    refuse({"times": [0], "positions": [[0, 0, 0]]}, "full", "fixed", fixed=[])
    gltf(folder, "a.gltf", [{"name": "a"}], [(0, "translation", [0, 1], [[0, 0, 0]])])
    refuse({"file": "a.gltf", "node": "a"}, "a.gltf: animations[0].channels[0]", "2 times")
    refuse({"file": "a.gltf", "node": "b"}, "a.gltf", "there is no node \"b\"")
    write(folder, "broken.gltf", "{")
    refuse({"file": "broken.gltf", "node": "b"}, "broken.gltf", "JSON")


run_cases()
