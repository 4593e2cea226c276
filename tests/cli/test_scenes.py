#!/usr/bin/env python3
"""test_scenes.py LIMBER: every scene in scenes/ runs for three steps, to finite numbers, with all
its output, and docs/scene.md says what it shows."""
import glob
import json
import os
import struct
import subprocess
import sys
import tempfile

STEPS = 3
# Models that sanitized programs take minutes to make.
LARGE = {"bowl", "bridge", "cactus", "collision", "figure", "frames-turtle", "frames-walk", "skittle",
         "tower", "turtle", "walk"}


def run(limber, *words):
    result = subprocess.run([limber, *words], capture_output=True, text=True, timeout=120)
    if result.returncode:
        raise AssertionError(f"limber {' '.join(words)}: exit status {result.returncode}: "
                             f"{result.stderr.strip()}")
    return result.stdout


def refuse_constant(name):
    raise AssertionError(f"the document holds {name}")


def numbers(value, path=""):
    """Every number of a document; null stands for one that is not finite."""
    if value is None:
        raise AssertionError(f"{path} is not finite")
    if isinstance(value, dict):
        value = value.items()
    elif isinstance(value, list):
        value = enumerate(value)
    else:
        return [value] if isinstance(value, (int, float)) else []
    return [n for key, item in value for n in numbers(item, f"{path}/{key}")]


def check_probes(path, probe_count):
    with open(path) as file:
        rows = [line.rstrip("\n").split(",") for line in file]
    assert rows[0] == ["t"] + probe_count * ["dx", "dy", "dz"], f"header {rows[0]}"
    assert len(rows) == STEPS + 2, f"{len(rows)} rows, expected {STEPS + 2}"
    values = [float(word) for row in rows[1:] for word in row]
    assert all(abs(v) < 1e6 for v in values), "a probe is not finite or far away"


def check_scene(limber, scene):
    with tempfile.TemporaryDirectory() as folder:
        text = run(limber, "run", scene, "--count", str(STEPS), "--json", "-o", folder)
        document = json.loads(text, parse_constant=refuse_constant)
        assert document["steps"] == STEPS, f"{document['steps']} steps, expected {STEPS}"
        assert document["bodies"], "no bodies"
        assert document["flags"] == [], f"flags {document['flags']}"
        largest = max(abs(n) for n in numbers(document))
        assert largest < 1e9, f"largest number {largest}, tolerance 1e9"
        assert any(body["energy"]["kinetic"] > 0 for body in document["bodies"]), "nothing moves"
        check_probes(os.path.join(folder, "probes.csv"), len(document["probes"]))
        with open(os.path.join(folder, "animation.glb"), "rb") as file:
            magic, version, length = struct.unpack("<4sII", file.read(12))
        assert (magic, version) == (b"glTF", 2), "animation.glb is no glTF 2 file"
        assert length == os.path.getsize(os.path.join(folder, "animation.glb")), "wrong length"
    info = json.loads(run(limber, "info", scene, "--json"))
    assert len(info["bodies"]) == len(document["bodies"])


def check_described(scene):
    with open("docs/scene.md", encoding="utf-8") as file:
        assert f"`{scene}`" in file.read(), f"docs/scene.md does not name {scene}"


def main():
    limber = sys.argv[1]
    sanitized = "sanitize" in os.path.basename(os.path.dirname(limber))
    scenes = [scene for scene in sorted(glob.glob("scenes/*.json"))
              if os.path.basename(scene) != "gallery.json"
              and not (sanitized and os.path.basename(scene).removesuffix(".json") in LARGE)]
    failed = 0 if len(scenes) >= 2 else 1
    for scene in scenes:
        name = os.path.basename(scene).removesuffix(".json").replace("-", "_")
        for title, check in [(f"{name}_runs_to_finite_numbers", lambda: check_scene(limber, scene)),
                             (f"{name}_is_described", lambda: check_described(scene))]:
            try:
                check()
                print(f"[       OK ] {title}", flush=True)
            except (AssertionError, OSError, ValueError, KeyError,
                    subprocess.TimeoutExpired) as problem:
                print(f"{scene}: {problem}\n[  FAILED  ] {title}", flush=True)
                failed += 1
    return 1 if failed else 0


sys.exit(main())
