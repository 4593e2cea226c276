#!/usr/bin/env python3
"""How far the guard of a step goes: `guard` of `limber run --json`, what the text says of it, and
"substeps_max" of scenes and cooked files."""
import os
import re

from cli_testing import bar_scene, case, check, limber, run_cases, write_json


def hard_hit(**time):
    """A soft block that meets the ground at 12 m/s in steps of 1/60 s."""
    scene = bar_scene(mesh={"generate": "bar", "size": [0.2, 0.2, 0.2], "cells": [3, 3, 3],
                            "element": "brick8"}, fixed=None, method="subspace",
                      reduce={"modes": 6, "dimension": 15}, damping={"stiffness": 0.002},
                      material={"model": "stvk", "young": 1e5, "poisson": 0.3, "density": 1000},
                      position=[0, 0, 0.05], velocity={"linear": [0, 0, -12]}, probes=None)
    return {**scene, "ground": {}, "time": {"step": 1 / 60, "count": 40, **time}}


@case
def the_guard_is_always_told(folder):
    calm = limber("run", write_json(folder, "bar.json", bar_scene()), "--json").json()
    check(calm["guard"] == {"restored": 0, "halved": 0, "damped": 0}, f"{calm['guard']}")
    path = write_json(folder, "hit.json", hard_hit())
    guard = limber("run", path, "--json").json()["guard"]
    check(set(guard) == {"restored", "halved", "damped"}, f"{guard}")
    check(guard["restored"] >= guard["halved"] > 0, f"{guard}")
    said = re.search(r"note: bodies were restored (\d+) times? to take a step again",
                     limber("run", path).out)
    check(said and int(said[1]) == guard["restored"], f"{said and said[0]}")


@case
def without_more_substeps_none_are_taken(folder):
    for most in (1, 2):
        path = write_json(folder, "hit.json", hard_hit(substeps_max=most))
        guard = limber("run", path, "--json").json()["guard"]
        check((guard["halved"] > 0) == (most > 1), f"{most}: {guard}")


@case
def substeps_max_goes_through_cooked_files(folder):
    cooked = os.path.join(folder, "hit.glb")
    for most in (None, 1):
        path = write_json(folder, "hit.json", hard_hit(**({"substeps_max": most} if most else {})))
        told = limber("cook", path, "-o", cooked, "--json").json()
        check(told["substeps_max"] == (most or 16), f"cook: {told}")
        for file in (path, cooked):
            said = limber("info", file, "--json").json()
            found = said.get("world", said)["substeps_max"]
            check(found == (most or 16), f"info {file}: {found}")
            check(("up to 1 substeps" in limber("info", file).out) == bool(most), file)
        runs = [limber("run", file, "--json").json() for file in (path, cooked)]
        check(runs[0]["guard"] == runs[1]["guard"], f"{runs[0]['guard']} {runs[1]['guard']}")
        check(runs[0]["bodies"][0]["centre"] == runs[1]["bodies"][0]["centre"], "another motion")


@case
def wrong_substeps_max_is_refused_by_name(folder):
    for wrong in (0, 65, 2.5, "4"):
        path = write_json(folder, "hit.json", hard_hit(substeps_max=wrong))
        limber("run", path).message("time.substeps_max")


run_cases()
