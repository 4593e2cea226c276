"""What tests of .glb files share: Khronos's validator and three.js, run by Node (tests/web)."""
import json
import os
import shutil
import subprocess

from cli_testing import ROOT, TIMEOUT, Failure, Skip, check

WEB = os.path.join(ROOT, "tests", "web")


def run_node(script, *words):
    """What a script of tests/web printed; skips the case where Node or its packages are missing."""
    if not shutil.which("node") or not os.path.isdir(os.path.join(WEB, "node_modules")):
        raise Skip("node, or tests/web/node_modules, is not there: make deps")
    command = ["node", os.path.join(WEB, script)] + [str(word) for word in words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT)
    if done.returncode:
        raise Failure(f"{script}: exit status {done.returncode}\n{done.stdout[-3000:]}"
                      f"{done.stderr[-3000:]}")
    return done.stdout


def validate(*paths):
    """No errors, and no warning but the one for a chunk of limber's own."""
    return run_node("validate.mjs", *paths)


def load_in_three(path, *times):
    """What three.js found: "meshes", "animations" and "samples", one a time (tests/web)."""
    return json.loads(run_node("three_load.mjs", path, *[repr(float(time)) for time in times]))


def to_z_up(point):
    """glTF's axes to those of a z-up scene."""
    return [point[0], -point[2], point[1]]


def vertex_at(points, place, tolerance):
    """The index of the vertex at a place; there must be one."""
    distances = [sum((a - b) ** 2 for a, b in zip(point, place)) ** 0.5 for point in points]
    nearest = min(range(len(points)), key=distances.__getitem__)
    check(distances[nearest] <= tolerance, f"no vertex at {place}: the nearest is "
          f"{distances[nearest]:.3e} away, tolerance {tolerance:.3e}")
    return nearest
