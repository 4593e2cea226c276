#!/usr/bin/env python3
"""Scenes with rigid bodies: colliders with a density, among the bodies of `limber run --json`."""
import math
import os

from cli_testing import bar_scene, case, check, check_close, limber, run_cases, write_json

BALL = {"name": "ball", "shape": "sphere", "radius": 0.1, "density": 1000, "position": [0, 0, 0.1]}


def rigid(folder, colliders, **top):
    scene = {"limber": 1, "gravity": [0, 0, -9.81], "ground": {"friction": 0.4},
             "colliders": colliders, "time": {"step": 1 / 60, "count": 90}, **top}
    return write_json(folder, "rigid.json", scene)


@case
def a_ball_slides_and_then_rolls(folder):
    out = os.path.join(folder, "out")
    found = limber("run", rigid(folder, [{**BALL, "velocity": {"linear": [1.4, 0, 0]}}]), "-o", out,
                   "--json").json()
    ball = found["bodies"][0]
    check(ball["name"] == "ball" and ball["method"] == "rigid", f"{ball}")
    mass = 4 / 3 * math.pi * 0.1 ** 3 * 1000
    check_close(ball["mass"], mass, 1e-12 * mass, "mass")
    check_close(ball["linear_velocity"][0], 1, 1e-6, "5/7 of its speed")
    check_close(ball["angular_velocity"][1], 10, 1e-5, "it rolls")
    check_close(ball["contact_force"][2], 9.81 * mass, 1e-6, "weight")
    check(os.path.getsize(os.path.join(out, "animation.glb")) > 5000, "animation")
    check(found["contacts"][0]["bodies"] == ["ball", "ground"], f"{found['contacts']}")


@case
def a_ball_falls_on_a_body_of_every_method(folder):
    for method in ("subspace", "modal", "warp", "frames", "full"):
        body = bar_scene(mesh={"generate": "bar", "size": [0.2, 0.2, 0.2], "cells": [2, 2, 2],
                               "element": "brick8"}, method=method, fixed=None,
                         damping={"mass": 2, "stiffness": 0.005},
                         material={"model": "stvk", "young": 2e5, "poisson": 0.3, "density": 1000},
                         position=[-0.1, -0.1, 0])["bodies"]
        found = limber("run", rigid(folder, [{**BALL, "position": [0, 0, 0.32]}], bodies=body,
                                    time={"step": 0.01, "count": 60}), "--json").json()
        ball = found["bodies"][1]
        check(any(e["bodies"] == ["bar", "ball"] for e in found["events"]), f"{found['events']}")
        check(0.25 < ball["position"][2] < 0.35, f"{method}: {ball['position']}")


@case
def wrong_rigid_bodies_are_refused(folder):
    mesh = os.path.join(folder, "tetra.obj")
    with open(mesh, "w", encoding="utf-8") as file:
        file.write("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n")
    for change, parts in (({"density": 0}, ("colliders[0].density", "positive")),
                          ({"density": -2}, ("colliders[0].density",)),
                          ({"shape": "plane"}, ("density", "plane")),
                          ({"shape": "mesh", "file": mesh}, ("density", "mesh")),
                          ({"position": None, "motion": {"times": [0, 1]}}, ("motion",)),
                          ({"velocity": {"lineal": [0, 0, 1]}}, ("lineal", "linear"))):
        ball = {key: value for key, value in {**BALL, **change}.items() if value is not None}
        limber("run", rigid(folder, [ball])).message(*parts)
    limber("run", rigid(folder, [BALL, BALL])).message("two bodies", "ball")
    limber("run", rigid(folder, [])).message("bodies", "at least one")
    hull = limber("run", rigid(folder, [{"name": "it", "shape": "hull", "file": mesh, "density": 600,
                                         "position": [0, 0, 0.1]}]), "--json").json()["bodies"][0]
    check_close(hull["mass"], 100, 1e-9, "mass of a hull")
    check_close(hull["contact_force"][2], 981, 1, "weight of a hull")


run_cases()
