#!/usr/bin/env python3
"""How far the guard of a step goes: `guard` of `limber run --json`, and what the text says of it."""
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


run_cases()
