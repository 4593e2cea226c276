#!/usr/bin/env python3
"""limber's page in Chromium: tests/web/page.mjs drives it, limber view --web serves it.

`test_page.py PROGRAM --build` makes web/dist first, as make web does; without emscripten it skips.
"""
import json
import math
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli"))
from cli_testing import PROGRAM, ROOT, bar_scene, check, limber, read_json, write, write_json
from gltf_testing import WEB, validate

DIST = os.path.join(ROOT, "web", "dist")
SKIPPED = 77
FORMATS = ("obj", "stl", "ply", "off", "glb")  # of surfaces
CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")


def skip(reason):
    print(reason)
    sys.exit(SKIPPED)


def build():
    if not shutil.which("emcc"):
        skip("emcc is not there: the page is not built (Debian package emscripten)")
    for words in (["cmake", "--preset", "web", "-Wno-dev"],
                  ["cmake", "--build", "build-web", "-j", "2", "--target", "limber-page",
                   "limber-builder"],
                  [sys.executable, "tools/make_page.py", PROGRAM, "build-web/page"]):
        done = subprocess.run(words, cwd=ROOT, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, errors="replace")
        print(done.stdout[-4000:])
        if done.returncode:
            sys.exit(done.returncode)


def make_files(folder):
    """What is dropped on the page: a model, and files that it must refuse."""
    scene = bar_scene(mesh={"generate": "bar", "size": [1, 0.2, 0.2], "cells": [6, 1, 1]})
    model = os.path.join(folder, "bar.glb")
    limber("build", write_json(folder, "bar.json", scene), "--method", "subspace", "--modes", 5,
           "--dimension", 10, "--editable", "--accuracy", "none", "--quiet", "-o", model).expect(0)
    with open(model, "rb") as file:
        good = file.read()
    json_bytes, = struct.unpack_from("<I", good, 12)
    chunk = 20 + json_bytes  # limber's own chunk is somewhere behind
    while good[chunk + 4:chunk + 8] != b"LMBR" and chunk < len(good):
        chunk += 8 + struct.unpack_from("<I", good, chunk)[0]
    newer = bytearray(good)
    if chunk < len(good):
        struct.pack_into("<I", newer, chunk + 8, 99)
    write(folder, "newer.glb", bytes(newer))
    write(folder, "broken.glb", good[:len(good) // 2])
    write(folder, "empty.glb", b"")
    write(folder, "words.txt", "not a model at all\n")
    write(folder, "cut.glb.gz", b"\x1f\x8b\x08" + bytes(40))
    asset = b'{"asset":{"version":"2.0"}}'
    asset += b" " * (-len(asset) % 4)
    write(folder, "foreign.glb", struct.pack("<4sIIII", b"glTF", 2, 20 + len(asset), len(asset),
                                             0x4E4F534A) + asset)
    make_meshes(folder)
    return model


def make_meshes(folder):
    """Surfaces of each format to build from, and files that look like some and are none."""
    for end in ("obj", "stl", "ply"):
        limber("mesh", "--generate", "sphere", "--surface", "--quiet", "-o",
               os.path.join(folder, f"ball.{end}")).expect(0)
    write_ball_off(folder)
    write_ball_glb(folder)
    with open(os.path.join(folder, "ball.obj"), encoding="utf-8") as file:
        write(folder, "bare.obj", "mtllib gone.mtl\nusemtl skin\n" + file.read())
    write(folder, "words.obj", "this is no mesh\n")
    write(folder, "empty.stl", b"")
    write(folder, "points.ply", "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\n"
          "property float y\nproperty float z\nend_header\n0 0 0\n1 0 0\n0 1 0\n")


def read_ball(folder):
    """Corners and triangles of ball.obj."""
    corners, triangles = [], []
    with open(os.path.join(folder, "ball.obj"), encoding="utf-8") as file:
        for words in map(str.split, file):
            if words[:1] == ["v"]:
                corners.append([float(word) for word in words[1:4]])
            elif words[:1] == ["f"]:
                triangles.append([int(word.split("/")[0]) - 1 for word in words[1:4]])
    return corners, triangles


def write_ball_off(folder):
    corners, triangles = read_ball(folder)
    lines = ["OFF", f"{len(corners)} {len(triangles)} 0"] + [" ".join(map(repr, corner)) for corner in corners]
    lines += [f"3 {a} {b} {c}" for a, b, c in triangles]
    write(folder, "ball.off", "\n".join(lines) + "\n")


def write_ball_glb(folder):
    """ball.obj as a plain .glb: one primitive."""
    corners, triangles = read_ball(folder)
    triangles = [corner for triangle in triangles for corner in triangle]
    positions = b"".join(struct.pack("<3f", *corner) for corner in corners)
    indices = struct.pack(f"<{len(triangles)}I", *triangles)
    ends = [[function(corner[axis] for corner in corners) for axis in range(3)] for function in (min, max)]
    text = json.dumps({
        "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
        "buffers": [{"byteLength": len(positions) + len(indices)}],
        "bufferViews": [{"buffer": 0, "byteLength": len(positions)},
                        {"buffer": 0, "byteOffset": len(positions), "byteLength": len(indices)}],
        "accessors": [{"bufferView": 0, "componentType": 5126, "count": len(corners), "type": "VEC3",
                       "min": ends[0], "max": ends[1]},
                      {"bufferView": 1, "componentType": 5125, "count": len(triangles), "type": "SCALAR"}],
    }).encode()
    text += b" " * (-len(text) % 4)
    body = positions + indices
    write(folder, "ball.glb", struct.pack("<4sIIII", b"glTF", 2, 28 + len(text) + len(body), len(text),
                                          0x4E4F534A) + text + struct.pack("<II", len(body), 0x004E4942) + body)


def serve(*words):
    """The server's process and its address."""
    server = subprocess.Popen([PROGRAM, "view", *words, "--web", "--no-open"],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    address = server.stdout.readline().strip()
    if not re.match(r"http://127\.0\.0\.1:\d+/", address):
        server.terminate()
        sys.exit(f"limber view --web says: {address}")
    return server, address


def read_glb(path):
    """The JSON of a .glb, and a function that gives an accessor's floats."""
    with open(path, "rb") as file:
        data = file.read()
    json_bytes, = struct.unpack_from("<I", data, 12)
    document = json.loads(data[20:20 + json_bytes])

    def floats(accessor):
        accessor = document["accessors"][accessor]
        width = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}[accessor["type"]]
        begin = 28 + json_bytes + document["bufferViews"][accessor["bufferView"]]["byteOffset"]
        return struct.unpack_from(f"<{accessor['count'] * width}f", data, begin)
    return document, floats


def first_shape(path):
    """Where the vertices of the first body are in the first frame, z up; it must stand unturned."""
    document, floats = read_glb(path)
    animation, number = document["animations"][0], document["nodes"][0]["children"][0]
    node = document["nodes"][number]
    channel = next(channel for channel in animation["channels"]
                   if channel["target"] == {"node": number, "path": "weights"})
    part = document["meshes"][node["mesh"]]["primitives"][0]
    weights = floats(animation["samplers"][channel["sampler"]]["output"])[:len(part["targets"])]
    check(all(0 <= weight <= 1 for weight in weights), f"weights outside of 0 and 1: {weights}")
    rotation = node.get("rotation", [0, 0, 0, 1])
    check(abs(rotation[3]) > 1 - 1e-6, f"the body is turned by {rotation}")
    shape = list(floats(part["attributes"]["POSITION"]))
    for weight, target in zip(weights, part["targets"]):
        for i, value in enumerate(floats(target["POSITION"])):
            shape[i] += weight * value
    place = node.get("translation", [0, 0, 0])
    return [tuple(shape[i + axis] + place[axis] for axis in range(3))
            for i in range(0, len(shape), 3)]


def check_first_frame(folder):
    """The animation begins with the shape that the page showed."""
    shape = first_shape(os.path.join(folder, "saved.glb"))
    shown = read_json(os.path.join(folder, "vertices.json"))
    size = max(max(v) for v in shown) - min(min(v) for v in shown)
    residual = max(min(math.dist(vertex, other) for other in shape) for vertex in shown)
    text = f"farthest vertex {residual:.3e} m away, tolerance {1e-5 * size:.3e}"
    print(text)
    check(residual <= 1e-5 * size, text)


def check_built(folder, end):
    """What the page built from ball.END has the bytes that the program writes, whatever its engine is."""
    saved, mine = (os.path.join(folder, f"{who}-{end}.glb") for who in ("built", "native"))
    limber("build", os.path.join(folder, f"ball.{end}"), "--cells", 6, "--dimension", 8, "--repeatable",
           "--quiet", "-o", mine).expect(0)
    limber("info", saved, "--quiet").expect(0)
    bytes_of = []
    for path in (saved, mine):
        with open(path, "rb") as file:
            bytes_of.append(file.read())
    theirs, ours = bytes_of
    different = sum(a != b for a, b in zip(theirs, ours)) + abs(len(theirs) - len(ours))
    text = f"{different} of {len(ours)} bytes differ"
    print(text)
    check(different == 0, text)


def check_saved(folder):
    """What the page saved: valid for Khronos's validator, and the motion that was seen."""
    cases = [(f"{name}_of_the_page_is_valid_glTF",
              lambda path=os.path.join(folder, f"{name}.glb"): print(validate(path).strip()[-1500:]))
             for name in ("saved", "compared")]
    cases += [(f"a_{end}_is_built_to_the_bytes_of_the_program", lambda end=end: check_built(folder, end))
              for end in FORMATS]
    cases.append(("saved_animation_begins_with_what_was_seen", lambda: check_first_frame(folder)))
    failed = 0
    for name, body in cases:
        if not re.search(os.environ.get("ONLY", ""), name):
            continue
        verdict = "[       OK ]"
        try:
            body()
        except Exception as reason:
            print(reason)
            failed, verdict = 1, "[  FAILED  ]"
        print(f"{verdict} {name}", flush=True)
    return failed


def main():
    if "--build" in sys.argv[2:]:
        return build()
    for path, what in ((os.path.join(DIST, "limber-page.wasm"), "web/dist is not built: make web"),
                       (CHROMIUM, "Chromium is not there: Debian package chromium"),
                       (os.path.join(WEB, "node_modules", "playwright-core"),
                        "playwright-core is not there: make deps")):
        if not os.path.exists(path):
            skip(what)
    servers = []
    with tempfile.TemporaryDirectory(prefix="limber-page-") as folder:
        try:
            model = make_files(folder)
            for words in ((), (model,)):
                servers.append(serve(*words))
            done = subprocess.run(["node", os.path.join(WEB, "page.mjs"), servers[0][1], folder,
                                   servers[1][1]], timeout=800)
            failed = done.returncode | check_saved(folder)
        finally:
            for server, _ in servers:
                server.terminate()
                server.wait()
    sys.exit(1 if failed else 0)


main()
