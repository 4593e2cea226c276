#!/usr/bin/env python3
"""Scenes with joints: what `limber run --json` tells of them, and what is refused."""
import math

from cli_testing import bar_scene, case, check, check_close, limber, run_cases, write_json

BOX = {"name": "box", "shape": "box", "size": [0.2, 0.2, 0.2], "density": 1000}


def joined(folder, joints, colliders=(BOX,), **top):
    scene = {"limber": 1, "gravity": [0, 0, -9.81], "contact": {"friction": 0.5},
             "colliders": list(colliders), "joints": joints,
             "time": {"step": 1 / 60, "count": 60}, **top}
    return write_json(folder, "joined.json", scene)


@case
def what_hangs_pulls_with_its_weight(folder):
    found = limber("run", joined(folder, [
        {"name": "nail", "kind": "point", "bodies": ["box", None], "points": [[0, 0, 0.1]]}]),
        "--json").json()
    joint = found["joints"][0]
    check(joint["name"] == "nail" and joint["broken"] is False, f"{joint}")
    check_close(joint["force"][2], 78.48, 1e-6, "force on the box")
    check_close(found["bodies"][0]["position"][2], 0, 1e-9, "it hangs")


@case
def a_joint_breaks_and_says_so(folder):
    found = limber("run", joined(folder, [
        {"kind": "weld", "bodies": ["box", None], "points": [0, 0, 0], "break_force": 50}]),
        "--json").json()
    check(found["joints"][0]["broken"] and found["joints"][0]["force"] == [0, 0, 0], f"{found}")
    check(any(e["kind"] == "broken" and e["bodies"] == ["box", None] for e in found["events"]),
          f"{found['events']}")
    check(found["bodies"][0]["position"][2] < -4, "it falls")


@case
def a_motor_turns_the_first_body_by_the_right_hand(folder):
    found = limber("run", joined(folder, [
        {"kind": "hinge", "bodies": ["box", None], "points": [[-0.3, 0, 0]], "axis": [0, 0, 1],
         "motor": {"speed": 1, "force": 100}}], gravity=[0, 0, 0]), "--json").json()
    box = found["bodies"][0]
    check_close(box["position"][0], -0.3 + 0.3 * math.cos(1), 5e-3, "x")
    check_close(box["position"][1], 0.3 * math.sin(1), 5e-3, "y")
    check_close(found["joints"][0]["position"], 1, 0.02, "angle")


@case
def a_body_of_every_method_hangs_on_a_rigid_one(folder):
    for method in ("subspace", "modal", "warp", "frames", "full"):
        body = bar_scene(mesh={"generate": "bar", "size": [0.2, 0.2, 0.2], "cells": [2, 2, 2],
                               "element": "brick8"}, method=method, fixed=None,
                         damping={"mass": 2, "stiffness": 0.005},
                         material={"model": "stvk", "young": 1e6, "poisson": 0.3, "density": 1000},
                         position=[-0.1, -0.1, -0.2])["bodies"]
        found = limber("run", joined(folder, [
            {"name": "a", "kind": "weld", "bodies": ["bar", "box"], "points": [[0, 0, 0]]},
            {"name": "b", "kind": "weld", "bodies": ["box", None], "points": [[0, 0, 0.1]]}],
            [{**BOX, "position": [0, 0, 0.1]}], bodies=body, time={"step": 0.01, "count": 100}),
            "--json").json()
        soft, force = found["bodies"][0], [j["force"][2] for j in found["joints"]]
        check_close(force[0], 9.81 * soft["mass"], 0.02 * 9.81 * soft["mass"], f"{method}: {force}")
        check_close(force[1], 9.81 * (soft["mass"] + 8), 0.02 * 9.81 * 16, f"{method}: {force}")


@case
def wrong_joints_are_refused(folder):
    good = {"kind": "hinge", "bodies": ["box", None], "points": [[0, 0, 0]]}
    for change, parts in (({"kind": "hinges"}, ("kind", "hinge")),
                          ({"kind": None}, ("kind",)),
                          ({"bodies": ["box", "box"]}, ("itself",)),
                          ({"bodies": ["box", "bix"]}, ("no body", "bix")),
                          ({"bodies": ["box"]}, ("bodies",)),
                          ({"points": None}, ("points",)),
                          ({"points": [99999]}, ("points[0]", "vertices")),
                          ({"points": [[0, 0, 0], 3]}, ("points[1]", "world")),
                          ({"axis": [0, 0, 0]}, ("axis", "length")),
                          ({"limits": [1, -1]}, ("limits",)),
                          ({"motor": {"speed": 1}}, ("motor", "force")),
                          ({"motor": {"speed": 1, "force": 0}}, ("motor.force",)),
                          ({"break_force": 0}, ("break_force",)),
                          ({"collide": 1}, ("collide",)),
                          ({"region": "skin"}, ("region", "weld")),
                          ({"kind": "point", "axis": None, "motor": {"force": 1}}, ("motor",)),
                          ({"kind": "distance"}, ("distance", "together")),
                          ({"hinge": 1}, ("hinge",))):
        joint = {key: value for key, value in {**good, **change}.items()
                 if value is not None or key == "bodies"}
        limber("run", joined(folder, [joint])).message("joint", *parts)
    limber("run", joined(folder, [{**good, "name": "a"}, {**good, "name": "a"}])).message("two")
    limber("cook", joined(folder, [good]), "-o", folder + "/cooked.glb").expect(0)


run_cases()
