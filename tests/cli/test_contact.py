#!/usr/bin/env python3
"""Scenes whose bodies touch: what `limber run --json` tells, every method, and what is refused."""
from cli_testing import bar_scene, case, check, check_close, limber, run_cases, write_json

MESH = {"generate": "bar", "size": [0.2, 0.2, 0.2], "cells": [2, 2, 2], "element": "brick8"}
BODY = {"mesh": MESH, "fixed": None, "probes": [{"body": "bar", "vertex": 0}],
        "damping": {"mass": 2, "stiffness": 0.005},
        "material": {"model": "stvk", "young": 2e5, "poisson": 0.3, "density": 1000},
        "time": {"step": 0.01, "count": 150}, "position": [0, 0, 0.02]}


def scene_file(folder, top, **changes):
    scene = bar_scene(**{**BODY, "method": "subspace", "reduce": {"modes": 6, "dimension": 12},
                         **changes})
    return write_json(folder, "scene.json", {**scene, **top})


@case
def a_body_of_every_method_rests_on_the_ground(folder):
    for method in ("subspace", "modal", "warp", "frames", "full"):
        time = {"step": 0.01, "count": 150 if method in ("subspace", "modal") else 100}
        found = limber("run", scene_file(folder, {"ground": {}}, method=method, time=time),
                       "--json").json()
        body = found["bodies"][0]
        check_close(body["contact_force"][2], 9.81 * body["mass"], 0.15 * 9.81 * body["mass"], method)
        check(0.05 < body["centre"][2] < 0.105, f"{method}: {body['centre']}")
        check(found["contacts"] and all(c["bodies"] == ["bar", "ground"] for c in found["contacts"]),
              f"{method}: {found['contacts']}")
        total = sum(c["force"][2] for c in found["contacts"])
        check_close(total, body["contact_force"][2], 1e-9 * abs(total), method)
        check(found["events"][0]["kind"] == "begin"
              and found["events"][0]["bodies"] == ["bar", "ground"], f"{found['events']}")


@case
def colliders_of_every_shape_stop_a_body(folder):
    for collider in ({"shape": "sphere", "radius": 0.3, "position": [0.1, 0.1, -0.3]},
                     {"shape": "box", "size": [1, 1, 0.2], "position": [0, 0, -0.1]},
                     {"shape": "capsule", "radius": 0.2, "size": 1, "position": [0.1, 0.1, -0.2],
                      "rotation": [0, 1, 0, 1]},
                     {"shape": "plane", "position": [5, 3, 0]}):
        time = {"step": 0.01, "count": 30}
        found = limber("run", scene_file(folder, {"colliders": [{**collider, "name": "it"}]},
                                         time=time), "--json").json()
        check(any(e["bodies"] == ["bar", "it"] for e in found["events"]), f"{collider}: {found}")
        check(found["bodies"][0]["centre"][2] > 0.04, f"{collider}: {found['bodies'][0]}")


@case
def friction_and_contact_of_a_body_count(folder):
    slope = {"gravity": [3, 0, -9.4], "ground": {"friction": 1}}
    stuck = limber("run", scene_file(folder, slope, friction=1), "--json").json()
    slid = limber("run", scene_file(folder, slope, friction=0), "--json").json()
    check(stuck["bodies"][0]["centre"][0] < 0.15, f"{stuck['bodies'][0]}")
    check(slid["bodies"][0]["centre"][0] > 0.5, f"{slid['bodies'][0]}")
    check(all(c["sliding"] for c in slid["contacts"]), f"{slid['contacts']}")
    fell = limber("run", scene_file(folder, {"ground": {}}, contact=False), "--json").json()
    check(fell["bodies"][0]["centre"][2] < -1 and fell["contacts"] == [], f"{fell['bodies'][0]}")


@case
def a_moving_collider_carries_a_body(folder):
    lift = {"colliders": [{"shape": "box", "size": [1, 1, 0.2], "name": "lift", "motion":
                           {"times": [0, 1, 3], "positions": [[0, 0, -0.1], [0, 0, -0.1],
                                                              [0, 0, 0.9]]}}]}
    found = limber("run", scene_file(folder, lift, time={"step": 0.01, "count": 250}),
                   "--json").json()
    check(0.8 < found["bodies"][0]["centre"][2] < 0.9, f"{found['bodies'][0]}")
    check_close(found["bodies"][0]["linear_velocity"][2], 0.5, 0.05, "velocity of the lift")


@case
def compliance_carries_a_body_too(folder):
    for compliance in (1e-6, 1e-5):
        top = {"ground": {}, "contact": {"compliance": compliance, "self": True, "substeps": 2}}
        body = limber("run", scene_file(folder, top), "--json").json()["bodies"][0]
        check_close(body["contact_force"][2], 9.81 * body["mass"], 0.05 * 9.81 * body["mass"],
                    f"{compliance} m/N")


@case
def wrong_contacts_are_refused(folder):
    for top, parts in (({"ground": {"hight": 1}}, ("hight", "height")),
                       ({"ground": {"friction": -1}}, ("ground.friction",)),
                       ({"colliders": {}}, ("colliders", "list")),
                       ({"colliders": [{"shape": "cone"}]}, ("colliders[0].shape",)),
                       ({"colliders": [{}]}, ("shape",)),
                       ({"colliders": [{"shape": "box", "size": [1, 0, 1]}]}, ("size",)),
                       ({"colliders": [{"shape": "sphere", "radius": 0}]}, ("radius",)),
                       ({"colliders": [{"shape": "mesh"}]}, ("file",)),
                       ({"colliders": [{"shape": "sphere", "density": 0}]}, ("density",)),
                       ({"colliders": [{"shape": "sphere", "rotation": [0, 0, 0, 0]}]},
                        ("rotation",)),
                       ({"colliders": [{"shape": "sphere", "name": "a"},
                                       {"shape": "sphere", "name": "a"}]}, ("two",)),
                       ({"contact": {"compliance": -1}}, ("contact.compliance", "-1", "0 m/N or more")),
                       ({"contact": {"restitution": 1.1}}, ("contact.restitution", "from 0 to 1")),
                       ({"colliders": [{"shape": "sphere", "rolling_friction": -1}]},
                        ("colliders[0].rolling_friction", "0 m or more")),
                       ({"colliders": [{"shape": "sphere", "sensor": "yes"}]},
                        ("colliders[0].sensor", "true or false")),
                       ({"contact": {"self": 1}}, ("self",)),
                       ({"contact": {"substeps": 0}}, ("substeps",))):
        limber("run", scene_file(folder, top)).message(*parts)
    limber("cook", scene_file(folder, {"ground": {}}, method="full"), "-o",
           folder + "/cooked.glb").message("full", "touch nothing")


@case
def a_cooked_file_and_its_scene_run_alike(folder):
    top = {"ground": {"friction": 0.3}, "contact": {"substeps": 2},
           "colliders": [{"shape": "sphere", "radius": 0.1, "position": [0.25, 0.1, 0.05]}]}
    scene = scene_file(folder, top, time={"step": 0.01, "count": 40})
    limber("cook", scene, "-o", folder + "/cooked.glb").expect(0)
    told, cooked = (limber("run", x, "--json").json() for x in (scene, folder + "/cooked.glb"))
    for found in (told, cooked):
        for body in found["bodies"]:
            del body["step_us"]
    check(told["contacts"] and told["contacts"] == cooked["contacts"], f"{cooked['contacts']}")
    check(told["events"] == cooked["events"], f"{cooked['events']}")
    check(told["bodies"] == cooked["bodies"], f"{told['bodies']} {cooked['bodies']}")


run_cases()
