#!/usr/bin/env python3
"""Motions as .usda and .mdd: read back by parsers of the test's own and compared with the frames that
`limber export` writes as .obj, which take another way through the program."""
import os
import re
import resource
import signal
import struct

from cli_testing import (add_case, bar_scene, case, check, check_close, limber, run_cases, write,
                         write_json)

BAR = {"generate": "bar", "size": [1, 0.2, 0.2], "cells": [4, 1, 1]}


# ---- reading -------------------------------------------------------------------------------------


class Usda:
    """The subset of USD's text that limber writes: metadata, prims, attributes, time samples."""

    def __init__(self, path):
        with open(path) as file:
            self.text = file.read()
        check(self.text.startswith("#usda 1.0\n"), "the file does not begin with #usda 1.0")
        self.at = len("#usda 1.0\n")
        self.metadata = dict(self.pairs("(", ")"))
        self.prims = {}
        self.prim("")
        check(not self.text[self.at:].strip(), f"text behind the end: {self.text[self.at:][:40]!r}")

    def skip(self):
        self.at = re.compile(r"\s*").match(self.text, self.at).end()

    def here(self, token):
        self.skip()
        found = self.text.startswith(token, self.at)
        if found:
            self.at += len(token)
        return found

    def expect(self, token):
        check(self.here(token), f"expected {token!r} at {self.text[self.at:self.at + 40]!r}")

    def word(self, pattern):
        self.skip()
        found = re.compile(pattern).match(self.text, self.at)
        check(found, f"expected {pattern} at {self.text[self.at:self.at + 40]!r}")
        self.at = found.end()
        return found.group()

    def value(self):
        self.skip()
        first = self.text[self.at]
        if first == '"':
            return self.word(r'"[^"]*"')[1:-1]
        if first == "{":
            self.at += 1
            samples = []
            while not self.here("}"):
                time = float(self.word(r"[-+0-9.e]+"))
                self.expect(":")
                samples.append((time, self.value()))
                self.expect(",")
            return samples
        if first in "([":
            end = ")" if first == "(" else "]"
            self.at += 1
            items = []
            while not self.here(end):
                items.append(self.value())
                if not self.here(","):
                    self.expect(end)
                    break
            return tuple(items) if end == ")" else items
        return float(self.word(r"[-+0-9.e]+"))

    def pairs(self, begin, end):
        self.expect(begin)
        while not self.here(end):
            name = self.word(r"\w+")
            self.expect("=")
            yield name, self.value()

    def prim(self, parent):
        self.expect("def")
        kind = self.word(r"\w+")
        path = parent + "/" + self.value()
        check(path not in self.prims, f"{path} is there twice")
        check(re.fullmatch(r"(/[A-Za-z_]\w*)+", path), f"{path} is no path of USD")
        prim = self.prims[path] = {"kind": kind}
        self.expect("{")
        while not self.here("}"):
            self.skip()
            if self.text.startswith("def ", self.at):
                self.prim(path)
                continue
            declared = self.word(r"(uniform )?[\w\[\]]+ [\w:.]+").split()
            self.expect("=")
            prim[declared[-1]] = self.value()
            self.skip()
            if self.text[self.at] == "(":
                prim[declared[-1] + " metadata"] = dict(self.pairs("(", ")"))


def samples(prim, name, times):
    """The value of an attribute at each of the times, sampled or not."""
    if name in prim:
        return [prim[name]] * len(times)
    found = prim[name + ".timeSamples"]
    check([time for time, _ in found] == times, f"{name}: time codes differ from those of others")
    return [value for _, value in found]


def rotate(q, x):
    w, a, b, c = q
    t = [2 * (b * x[2] - c * x[1]), 2 * (c * x[0] - a * x[2]), 2 * (a * x[1] - b * x[0])]
    return [x[0] + w * t[0] + b * t[2] - c * t[1], x[1] + w * t[1] + c * t[0] - a * t[2],
            x[2] + w * t[2] + a * t[1] - b * t[0]]


def world_frames(usda, name):
    """Positions in the world at each time code, and the triangles."""
    frame, mesh = usda.prims["/World/" + name], usda.prims["/World/" + name + "/surface"]
    times = [t for t, _ in mesh.get("points.timeSamples", frame.get(
        "xformOp:translate.timeSamples", frame.get("xformOp:orient.timeSamples", [(0, None)])))]
    points = samples(mesh, "points", times)
    places = [(0, 0, 0)] * len(times)
    turns = [(1, 0, 0, 0)] * len(times)
    order = frame.get("xformOpOrder", [])
    if "xformOp:translate" in order:
        places = samples(frame, "xformOp:translate", times)
    if "xformOp:orient" in order:
        turns = samples(frame, "xformOp:orient", times)
    for q in turns:
        check_close(sum(x * x for x in q), 1, 1e-6, "length of a quaternion, squared")
    check(set(mesh["faceVertexCounts"]) == {3} and mesh["subdivisionScheme"] == "none",
          "the mesh is not one of plain triangles")
    corners = [int(i) for i in mesh["faceVertexIndices"]]
    triangles = [corners[i:i + 3] for i in range(0, len(corners), 3)]
    check(len(triangles) == len(mesh["faceVertexCounts"]), "faces and their corners do not match")
    for extent, frame_points in zip(samples(mesh, "extent", times), points):
        for k in range(3):
            column = [x[k] for x in frame_points]
            check(extent[0][k] == min(column) and extent[1][k] == max(column), "extent is wrong")
    moved = [[[a + b for a, b in zip(rotate(q, x), place)] for x in frame_points]
             for frame_points, q, place in zip(points, turns, places)]
    return times, moved, triangles


def read_mdd(path):
    with open(path, "rb") as file:
        data = file.read()
    frames, points = struct.unpack(">ii", data[:8])
    check(len(data) == 8 + 4 * frames + 12 * frames * points, f"{len(data)} bytes, {frames} frames "
          f"of {points} points")
    times = struct.unpack(f">{frames}f", data[8:8 + 4 * frames])
    values = struct.unpack(f">{3 * frames * points}f", data[8 + 4 * frames:])
    rows = [values[i:i + 3] for i in range(0, len(values), 3)]
    return times, [rows[f * points:(f + 1) * points] for f in range(frames)]


def read_obj(path):
    with open(path) as file:
        lines = [line.split() for line in file]
    vertices = [[float(x) for x in words[1:4]] for words in lines if words and words[0] == "v"]
    faces = [[int(w.split("/")[0]) - 1 for w in words[1:]] for words in lines
             if words and words[0] == "f"]
    return vertices, faces


def check_frames(found, folder, stem, count, tolerance):
    worst = 0.0
    for f in range(count):
        vertices, _ = read_obj(os.path.join(folder, f"{stem}_{f:05d}.obj"))
        check(len(vertices) == len(found[f]), f"frame {f}: {len(found[f])} points")
        worst = max([worst] + [abs(a - b) for x, y in zip(found[f], vertices)
                               for a, b in zip(x, y)])
    check(len(found) == count, f"{len(found)} frames, not {count}")
    check(not os.path.exists(os.path.join(folder, f"{stem}_{count:05d}.obj")), "frames are missing")
    check(worst <= tolerance, f"residual {worst:.3e} m, tolerance {tolerance:.0e} m")


# ---- cases ---------------------------------------------------------------------------------------

SPIN = {"linear": [0.5, 0.2, 1.0], "angular": [2.0, 3.0, 1.0]}
MOTION = {"times": [0, 0.2, 0.4], "positions": [[0, 0, 0], [0.3, 0, 0.1], [0, 0.2, 0]],
          "rotations": [[0, 0, 0, 1], [0, 0, 0.6, 0.8], [0.6, 0, 0, 0.8]]}
TIME = {"step": 0.01, "count": 40}
# name -> changes of the scene
SUBJECTS = {"held and unreduced": {"gravity": [0, 0, -9.81]},
            "free and unreduced": {"fixed": None, "velocity": SPIN},
            "held and reduced": {"method": "subspace", "position": [1, 0, 2],
                                 "rotation": [0, 0.6, 0, 0.8]},
            "free and reduced": {"method": "modal", "fixed": None, "velocity": SPIN},
            "driven": {"method": "subspace", "motion": MOTION}}


def subject(folder, changes):
    if changes.get("method"):
        changes = {**changes, "reduce": {"modes": 4}}
    return write_json(folder, "scene.json", bar_scene(mesh=BAR, time=TIME, **changes))


def check_subject(folder, name):
    source = subject(folder, SUBJECTS[name])
    for output in ("out.obj", "out.usda", "out.mdd"):
        limber("export", source, "--frame_rate", 50, "-o", output, cwd=folder).expect(0)
    usda = Usda(os.path.join(folder, "out.usda"))
    check(usda.metadata == {"defaultPrim": "World", "doc": usda.metadata["doc"], "endTimeCode": 20,
                            "framesPerSecond": 50, "metersPerUnit": 1, "startTimeCode": 0,
                            "timeCodesPerSecond": 50, "upAxis": "Z"}, f"{usda.metadata}")
    check([(path, prim["kind"]) for path, prim in usda.prims.items()]
          == [("/World", "Xform"), ("/World/bar", "Xform"), ("/World/bar/surface", "Mesh")],
          f"prims are {list(usda.prims)}")
    order = usda.prims["/World/bar"]["xformOpOrder"]
    check(order == ["xformOp:translate", "xformOp:orient"], f"the frame's Xform has {order}")
    times, frames, triangles = world_frames(usda, "bar")
    check(times == list(range(21)), f"time codes {times}")
    check_frames(frames, folder, "out", 21, 2e-6)
    rest, faces = read_obj(os.path.join(folder, "out_00000.obj"))
    check(triangles == faces, "triangles differ")
    times, frames = read_mdd(os.path.join(folder, "out.mdd"))
    for f, time in enumerate(times):
        check_close(time, f / 50, 1e-6, f"time of frame {f}")
    check_frames(frames, folder, "out", 21, 1e-6)
    cached, faces = read_obj(os.path.join(folder, "out.obj"))
    check(faces == triangles and len(cached) == len(frames[0]), "out.obj does not fit the cache")


for subject_name in SUBJECTS:
    add_case(f"a body that is {subject_name} is read back from usda and mdd",
             lambda folder, name=subject_name: check_subject(folder, name))


@case
def run_writes_a_motion_file_or_a_folder(folder):
    source = subject(folder, SUBJECTS["free and reduced"])
    text = limber("run", source, "-o", "out.usda", "--frame_rate", 50, cwd=folder).expect(0).out
    check("written: out.usda, 21 frames" in text, text)
    limber("run", source, "-o", "again.mdd", "--frame_rate", 50, cwd=folder).expect(0)
    check(sorted(os.listdir(folder)) == ["again.mdd", "again.obj", "out.usda", "scene.json"],
          f"{os.listdir(folder)}")
    limber("export", source, "-o", "export.usda", "--frame_rate", 50, cwd=folder).expect(0)
    contents = []
    for name in ("out.usda", "export.usda"):
        with open(os.path.join(folder, name)) as file:
            contents.append(file.read())
    check(contents[0] == contents[1], "run and export write different files")
    os.mkdir(os.path.join(folder, "results.glb"))
    limber("run", source, "-o", "results.glb", cwd=folder).expect(0)
    check(sorted(os.listdir(os.path.join(folder, "results.glb")))
          == ["animation.glb", "probes.csv", "run.json"], "a folder was not taken for one")


@case
def bodies_with_any_names_have_prims_of_their_own(folder):
    base = {"mesh": BAR, "material": {"young": 1e6}, "fixed": {"group": "left"}}
    names = ["a b", "a_b", "1st", "käse", "\"quoted\"", "surface"]
    scene = {"limber": 1, "bodies": [{**base, "name": name, "position": [0, i, 0]}
                                     for i, name in enumerate(names)],
             "gravity": [0, -9.81, 0], "time": {"step": 0.01, "count": 2}}
    write_json(folder, "scene.json", scene)
    limber("run", "scene.json", "-o", "out.usda", cwd=folder).expect(0)
    usda = Usda(os.path.join(folder, "out.usda"))
    check(usda.metadata["upAxis"] == "Y", f"up is {usda.metadata['upAxis']}, gravity is along -y")
    bodies = [path for path in usda.prims if path.count("/") == 2]
    check(len(bodies) == len(names) and bodies[:3] == ["/World/a_b", "/World/a_b_2", "/World/_1st"],
          f"{bodies}")


@case
def a_single_frame_is_a_still_mesh(folder):
    limber("run", subject(folder, {}), "--count", 0, "-o", "out.usda", cwd=folder).expect(0)
    usda = Usda(os.path.join(folder, "out.usda"))
    check("points" in usda.prims["/World/bar/surface"], "one frame has time samples")


@case
def looks_and_texture_coordinates_come_along(folder):
    write(folder, "two.obj", "mtllib two.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nvt 0 0\nvt 1 0\n"
          "vt 0 1\nusemtl red\nf 1/1 3/2 2/3\nf 1/1 2/2 4/3\nusemtl blue\nf 2/1 3/2 4/3\n"
          "f 1/1 4/2 3/3\n")
    write(folder, "two.mtl", "newmtl red\nKd 1 0 0\nnewmtl blue\nKd 0 0 1\n")
    write_json(folder, "scene.json", bar_scene(mesh={"surface": "two.obj", "voxelise": 2},
                                               fixed={"vertices": [0]}, time=TIME, probes=[]))
    limber("run", "scene.json", "--count", 1, "-o", "out.usda", cwd=folder).expect(0)
    mesh = Usda(os.path.join(folder, "out.usda")).prims["/World/bar/surface"]
    check(mesh["primvars:displayColor"] == [(1, 0, 0)] * 2 + [(0, 0, 1)] * 2,
          f"{mesh['primvars:displayColor']}")
    check(mesh["primvars:displayColor metadata"] == {"interpolation": "uniform"}, "interpolation")
    check(mesh["primvars:st"] == [(0, 0), (1, 0), (0, 1)] * 4, f"{mesh['primvars:st']}")


@case
def a_full_disk_leaves_nothing_and_the_old_file_stays(folder):
    source = subject(folder, {})

    def small():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
    for verb in ("run", "export"):
        for name in ("out.usda", "out.mdd"):
            write(folder, name, "kept")
            limber(verb, source, "-o", name, "--quiet", cwd=folder, preexec=small).message("out")
            with open(os.path.join(folder, name)) as file:
                check(file.read() == "kept", f"{name} was replaced")
    check(sorted(os.listdir(folder)) == ["out.mdd", "out.usda", "scene.json"],
          f"left: {os.listdir(folder)}")


run_cases()
