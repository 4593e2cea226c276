#!/usr/bin/env python3
"""limber's page in Chromium: tests/web/page.mjs drives it, limber view --web serves it.

`test_page.py PROGRAM --build` makes web/dist first, as make web does; without emscripten it skips.
"""
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli"))
from cli_testing import PROGRAM, ROOT, bar_scene, limber, write, write_json
from gltf_testing import WEB, validate

DIST = os.path.join(ROOT, "web", "dist")
SKIPPED = 77
CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")


def skip(reason):
    print(reason)
    sys.exit(SKIPPED)


def build():
    if not shutil.which("emcc"):
        skip("emcc is not there: the page is not built (Debian package emscripten)")
    environment = {name: value for name, value in os.environ.items()
                   if name != "CMAKE_C_COMPILER_LAUNCHER"}
    for words in (["cmake", "--preset", "web", "-Wno-dev"],
                  ["cmake", "--build", "build-web", "-j", "2", "--target", "limber-page"],
                  [sys.executable, "tools/make_page.py", PROGRAM, "build-web/page"]):
        done = subprocess.run(words, cwd=ROOT, env=environment, stdout=subprocess.PIPE,
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
    return model


def serve(*words):
    """The server's process and its address."""
    server = subprocess.Popen([PROGRAM, "view", *words, "--web", "--no-open"],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    address = server.stdout.readline().strip()
    if not re.match(r"http://127\.0\.0\.1:\d+/", address):
        server.terminate()
        sys.exit(f"limber view --web says: {address}")
    return server, address


def check_saved(folder):
    """The animations that the page saved, by Khronos's validator."""
    failed = 0
    for name in ("saved.glb", "compared.glb"):
        path = os.path.join(folder, name)
        try:
            print(validate(path).strip()[-1500:])
            verdict = "[       OK ]"
        except Exception as reason:
            print(reason)
            failed, verdict = 1, "[  FAILED  ]"
        print(f"{verdict} {name.replace('.', '_')}_of_the_page_is_valid_glTF")
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
            failed = done.returncode or (0 if os.environ.get("ONLY") else check_saved(folder))
        finally:
            for server, _ in servers:
                server.terminate()
                server.wait()
    sys.exit(1 if failed else 0)


main()
