#!/usr/bin/env python3
"""Each key of ground, colliders, contact and joints, and each field that they add to the output of
`limber run --json`, by a motion that can be worked out by hand. Rigid bodies, so that nothing has to
be built, but where a key is about bodies that deform."""
import math
import os

from cli_testing import bar_scene, case, check, check_close, limber, run_cases, write_json

G = 9.81
BOX = {"name": "box", "shape": "box", "size": [0.2, 0.2, 0.2], "density": 1000}
WEIGHT = G * 8
HINGE = {"name": "j", "kind": "hinge", "bodies": ["box", None], "points": [[0, 0, 0]],
         "axis": [0, 0, 1]}
SLIDER = {"name": "j", "kind": "slider", "bodies": ["box", None], "points": [[0, 0, 0]],
          "axis": [0, 0, 1]}


def play(folder, **top):
    scene = {"limber": 1, "gravity": [0, 0, -G], "time": {"step": 1 / 120, "count": 120}, **top}
    return limber("run", write_json(folder, "fields.json", scene), "--json").json()


def body_of(found, name="box"):
    return next(b for b in found["bodies"] if b["name"] == name)


# ---- ground and colliders ------------------------------------------------------------------------

@case
def ground_has_a_height_and_lies_across_the_up_axis(folder):
    for up, axis in (("z", 2), ("y", 1)):
        place, gravity = [0, 0, 0], [0, 0, 0]
        place[axis], gravity[axis] = 0.75, -G
        found = play(folder, up=up, gravity=gravity, ground={"height": 0.6},
                     colliders=[{**BOX, "position": place}])
        check_close(body_of(found)["position"][axis], 0.7, 1e-4, f"up {up}")
        check(all(c["bodies"] == ["box", "ground"] for c in found["contacts"]), f"{found['contacts']}")


@case
def friction_of_a_pair_is_the_geometric_mean(folder):
    # 0.8 and 0.2 have 0.4: a push of 0.39 of the weight holds, 0.41 slides. Likewise for the
    # friction of `contact`, which is that of what has none.
    for friction, top in ((0.2, {}), (None, {"contact": {"friction": 0.2}})):
        for push, slides in ((0.39, False), (0.41, True)):
            box = {**BOX, "position": [0, 0, 0.1]}
            if friction is not None:
                box["friction"] = friction
            found = play(folder, gravity=[G * push, 0, -G], ground={"friction": 0.8},
                         colliders=[box], **top)
            way = body_of(found)["position"][0]
            check((way > 0.02) == slides and way > -1e-6, f"{friction} {push}: {way} m")
            check(all(c["sliding"] == slides for c in found["contacts"]), f"{found['contacts']}")


@case
def colliders_are_where_position_and_rotation_say(folder):
    tetra = os.path.join(folder, "slab.obj")
    with open(tetra, "w", encoding="utf-8") as file:  # its top is z = 0
        file.write("v -2 -2 0\nv 2 -2 0\nv 2 2 0\nv -2 2 0\nv 0 0 -1\n"
                   "f 1 2 3\nf 1 3 4\nf 2 1 5\nf 3 2 5\nf 4 3 5\nf 1 4 5\n")
    half = math.sqrt(0.5)
    on_its_side = [0, half, 0, half]
    for what, collider, height in (
            ("plane", {"shape": "plane", "position": [7, 3, 0.5]}, 0.5),
            ("box", {"shape": "box", "size": [1, 3, 4], "rotation": on_its_side}, 0.5),
            ("sphere", {"shape": "sphere", "radius": 0.6, "position": [0, 0, 0.1]}, 0.7),
            ("capsule", {"shape": "capsule", "radius": 0.2, "size": 1, "position": [0, 0, 0.3]}, 1.0),
            ("lying", {"shape": "capsule", "radius": 0.2, "size": 1, "rotation": on_its_side}, 0.2),
            ("mesh", {"shape": "mesh", "file": tetra, "position": [0, 0, 0.5]}, 0.5),
            ("hull", {"shape": "hull", "file": tetra, "position": [0, 0, 0.5]}, 0.5)):
        found = play(folder, colliders=[{**collider, "name": "it"},
                                        {**BOX, "position": [0, 0, height + 0.101]}],
                     time={"step": 1 / 120, "count": 40})
        check_close(body_of(found)["position"][2], height + 0.1, 1e-3, what)
        check({tuple(c["bodies"]) for c in found["contacts"]} == {("box", "it")}, f"{what}: {found}")


@case
def a_plane_looks_along_up_as_it_is_turned(folder):
    angle = 0.3
    found = play(folder, colliders=[
        {"name": "ramp", "shape": "plane", "rotation": [0, math.sin(angle / 2), 0,
                                                        math.cos(angle / 2)], "friction": 0},
        {**BOX, "rotation": [0, math.sin(angle / 2), 0, math.cos(angle / 2)],
         "position": [0.1 * math.sin(angle), 0, 0.1 * math.cos(angle)]}])
    box = body_of(found)
    check_close(box["linear_velocity"][0], G * math.sin(angle) * math.cos(angle), 0.02, "slides down")
    normal = found["contacts"][0]["normal"]
    for value, expected in zip(normal, (math.sin(angle), 0, math.cos(angle))):
        check_close(value, expected, 1e-6, f"{normal}")
    check_close(box["contact_force"][2], WEIGHT * math.cos(angle) ** 2, 1e-3 * WEIGHT, "force")


@case
def contact_false_lets_a_collider_pass(folder):
    slab = {"name": "slab", "shape": "box", "size": [2, 2, 0.2], "position": [0, 0, -0.1]}
    for touches in (True, False):
        found = play(folder, colliders=[{**slab, "contact": touches},
                                        {**BOX, "position": [0, 0, 0.1]}])
        check((body_of(found)["position"][2] < -1) != touches, f"{touches}: {body_of(found)}")


@case
def velocity_density_and_motion_of_colliders_count(folder):
    found = play(folder, gravity=[0, 0, 0], colliders=[
        {**BOX, "density": 500, "velocity": {"linear": [1, 2, 3], "angular": [0, 0, 0.5]}},
        {"name": "led", "shape": "sphere", "radius": 0.1, "motion":
         {"times": [0, 1], "positions": [[5, 0, 0], [5, 0, 1]]}}])
    box = body_of(found)
    check([b["name"] for b in found["bodies"]] == ["box"] and box["method"] == "rigid", f"{found}")
    check_close(box["mass"], 4, 1e-12, "mass")
    for value, expected in zip(box["position"], (1, 2, 3)):
        check_close(value, expected, 1e-9, "position")
    check_close(2 * math.atan2(box["rotation"][2], box["rotation"][3]), 0.5, 1e-9, "turned")
    check_close(box["angular_velocity"][2], 0.5, 1e-9, "spin")


# ---- what is told --------------------------------------------------------------------------------

@case
def contacts_and_events_are_told_as_written(folder):
    # Falls by 0.2 m onto the ground; an elevator takes it up from 0.5 s on.
    found = play(folder, ground={}, colliders=[{**BOX, "position": [0, 0, 0.3]}])
    first = found["events"][0]
    check({e["kind"] for e in found["events"]} <= {"begin", "end", "hit", "sleep"}, f"{found['events']}")
    check(set(first) == {"time", "kind", "bodies"} and first["kind"] == "begin", f"{first}")
    check(first["bodies"] == ["box", "ground"], f"{first}")
    check_close(first["time"], math.sqrt(2 * 0.2 / G), 0.02, "meets the ground")
    total = [0, 0, 0]
    for contact in found["contacts"]:
        check(set(contact) == {"bodies", "point", "normal", "force", "sliding"}, f"{contact}")
        check(contact["normal"][2] > 0.999 and contact["force"][2] > 0, f"{contact}")
        check_close(contact["point"][2], 0, 1e-3, f"{contact}")
        total = [a + b for a, b in zip(total, contact["force"])]
    check_close(total[2], WEIGHT, 1e-3 * WEIGHT, "the force acts on the first")
    check_close(body_of(found)["contact_force"][2], WEIGHT, 1e-3 * WEIGHT, "contact_force")
    thrown = play(folder, ground={}, colliders=[
        {"name": "lift", "shape": "box", "size": [1, 1, 0.1], "motion":
         {"times": [0, 0.5, 0.6], "positions": [[0, 0, 0.1], [0, 0, 0.1], [0, 0, 0.5]]}},
        {**BOX, "position": [0, 0, 0.25]}], time={"step": 1 / 120, "count": 80})
    touches = [e for e in thrown["events"] if e["kind"] in ("begin", "end")]
    kinds = [(e["kind"], e["bodies"][1]) for e in touches]
    check(kinds == [("begin", "lift"), ("end", "lift")], f"{thrown['events']}")
    check(0.5 < touches[1]["time"] < 0.67, f"{thrown['events']}")
    check(thrown["contacts"] == [] and body_of(thrown)["contact_force"] == [0, 0, 0], f"{thrown}")


@case
def a_bounce_begins_and_ends_once(folder):
    # A soft ball bounces three times or more and comes to rest: each touch is told once, however the
    # contacts in it come and go.
    bar = bar_scene(mesh={"generate": "sphere", "size": [0.2, 0.2, 0.2], "cells": [4, 4, 4], "segments": 16})
    body = {**bar["bodies"][0], "position": [0, 0, 0.3], "method": "subspace",
            "reduce": {"modes": 6, "dimension": 12}, "damping": {"stiffness": 0.0005}}
    body.pop("fixed", None)
    for step in (1 / 240, 1 / 60):
        events = play(folder, ground={}, bodies=[body],
                      time={"step": step, "count": round(3 / step)})["events"]
        events = [e for e in events if e["kind"] in ("begin", "end")]
        times = [e["time"] for e in events]
        check([e["kind"] for e in events] == [("begin", "end")[i % 2] for i in range(len(events))]
              and times == sorted(times), f"{events}")
        flights = [b - a for a, b in zip(times[1::2], times[2::2])]
        check(all(t > 0.05 for t in flights), f"flights of {flights} s")
        check(2 <= len(events) < 16, f"step {step}: {len(events)} events")


@case
def sleeping_bodies_tell_their_contacts(folder):
    found = play(folder, ground={}, colliders=[{**BOX, "position": [0, 0, 0.1]}],
                 time={"step": 1 / 60, "count": 300})
    check_close(body_of(found)["contact_force"][2], WEIGHT, 1e-3 * WEIGHT, "after five seconds")
    kinds = [e["kind"] for e in found["events"]]
    check(found["contacts"] and kinds == ["begin", "sleep"], f"{found['events']}")


@case
def a_hit_tells_how_fast_the_two_came_together(folder):
    # From a height h a box meets the ground at sqrt(2 g h), less what a step adds; `hit_speed` says
    # from where on that is a hit.
    for drop, hit_speed in ((0.6, None), (0.6, 3.3), (0.6, 3.6), (0.02, None), (0.02, 0.3)):
        contact = {} if hit_speed is None else {"hit_speed": hit_speed}
        events = play(folder, ground={}, contact=contact, time={"step": 1 / 240, "count": 100},
                      colliders=[{**BOX, "position": [0, 0, 0.1 + drop]}])["events"]
        speed = math.sqrt(2 * G * drop)
        hits = [e for e in events if e["kind"] == "hit"]
        check(len(hits) == (speed > (hit_speed or 1)), f"{drop} m, {hit_speed}: {events}")
        for hit in hits:
            check(set(hit) == {"time", "kind", "bodies", "speed"}, f"{hit}")
            check(hit["bodies"] == ["box", "ground"], f"{hit}")
            check(speed - 2 * G / 240 < hit["speed"] < speed + 1e-9, f"{hit}, {speed} m/s")
            begin = next(e for e in events if e["kind"] == "begin")
            check(begin["time"] == hit["time"], f"{events}")


@case
def a_hit_counts_the_motion_of_both(folder):
    # A ball of 2 m/s meets a plate that comes at 1 m/s, a box that flees at 0.5 m/s, and the end of a
    # bar that is held: 3, 1.5 and 2 m/s.
    ball = {"name": "ball", "shape": "sphere", "radius": 0.1, "density": 1000,
            "position": [0, 0, 0.4], "velocity": {"linear": [0, 0, -2]}}
    plate = {"name": "other", "shape": "box", "size": [1, 1, 0.1], "motion": {
        "times": [0, 1], "positions": [[0, 0, 0], [0, 0, 1]]}}
    box = {**BOX, "name": "other", "velocity": {"linear": [0, 0, -0.5]}}
    soft = bar_scene(position=[-0.9, -0.1, -0.1])["bodies"][0]
    soft["name"] = "other"
    for more, speed in (({"colliders": [plate, ball]}, 3), ({"colliders": [box, ball]}, 1.5),
                        ({"colliders": [ball], "bodies": [soft]}, 2)):
        events = play(folder, gravity=[0, 0, 0], time={"step": 1 / 240, "count": 60}, **more)["events"]
        hits = [e for e in events if e["kind"] == "hit"]
        check(len(hits) == 1 and set(hits[0]["bodies"]) == {"ball", "other"}, f"{events}")
        check_close(hits[0]["speed"], speed, 1e-6, f"{more}")


@case
def deforming_bodies_hit_at_the_speed_of_their_surface(folder):
    # The frame of a held bar stands; its end swings down onto a plate.
    bar = bar_scene(material={"model": "stvk", "young": 2e5, "poisson": 0.4, "density": 1000},
                    method="subspace", reduce={"modes": 4, "dimension": 8})["bodies"][0]
    plate = {"name": "plate", "shape": "plane", "position": [0, 0, -0.15]}
    scene = {"bodies": [bar], "time": {"step": 1 / 480, "count": 240},
             "probes": [{"body": "bar", "vertex": 4}]}
    free = limber("run", write_json(folder, "free.json", {
        "limber": 1, "gravity": [0, 0, -G], **scene}), "--probes", os.path.join(folder, "p.csv"))
    check(free.status == 0, free.err)
    events = play(folder, colliders=[plate], contact={"hit_speed": 0.1}, **scene)["events"]
    hit = next(e for e in events if e["kind"] == "hit")
    with open(os.path.join(folder, "p.csv"), encoding="utf-8") as file:
        rows = [[float(x) for x in line.split(",")] for line in file.read().split("\n")[1:] if line]
    before = round(hit["time"] * 480) - 1
    speed = (rows[before - 1][3] - rows[before + 1][3]) * 240
    check(speed > 0.5, f"{speed} m/s")
    check_close(hit["speed"], speed, 0.1 * speed, "of the end")


@case
def sleep_and_wake_are_told(folder):
    # A box rests, sleeps, and is hit by a ball that falls for two seconds.
    ball = {"name": "ball", "shape": "sphere", "radius": 0.1, "density": 1000,
            "position": [0, 0, 0.3 + 0.5 * G * 4]}
    events = play(folder, ground={}, colliders=[{**BOX, "position": [0, 0, 0.1]}, ball],
                  time={"step": 1 / 120, "count": 264})["events"]
    told = [(e["kind"], e["time"]) for e in events if e["bodies"] == ["box", None]]
    check([kind for kind, _ in told] == ["sleep", "wake"], f"{events}")
    check(0.5 <= told[0][1] < 1.5 and abs(told[1][1] - 2) < 0.05, f"{told}")
    times = [e["time"] for e in events]
    check(times == sorted(times), f"{events}")


@case
def filters_choose_what_touches(folder):
    # A box over a slab over the ground: it lies on the first of them that it may touch.
    slab = {"name": "slab", "shape": "box", "size": [2, 2, 0.2], "position": [0, 0, 0.3]}
    for box, other, height in (({}, {}, 0.5), ({"mask": 65533}, {"category": 2}, 0.1),
                               ({"category": 4}, {"mask": 3}, 0.1),
                               ({"category": 4}, {"mask": 7}, 0.5),
                               ({"mask": 1, "group": 2}, {"category": 2, "group": 2}, 0.5),
                               ({"group": -2}, {"group": -2}, 0.1)):
        found = play(folder, ground={}, colliders=[
            {**slab, "filter": other}, {**BOX, "position": [0, 0, 0.501], "filter": box}])
        check_close(body_of(found)["position"][2], height, 2e-3, f"{box} {other}")


@case
def substeps_and_self_are_taken(folder):
    box = {**BOX, "position": [0, 0, 0.4]}
    ends = [body_of(play(folder, ground={}, colliders=[box], contact={"substeps": n, "self": s},
                         time={"step": 1 / 30, "count": 60})) for n, s in ((1, False), (4, True))]
    for end in ends:
        check_close(end["position"][2], 0.1, 2e-3, "rests")


@case
def a_response_is_warned_of(folder):
    for contact, warned in (({"friction": 0.5}, False), ({"response": "lcp"}, True)):
        scene = {"limber": 1, "ground": {}, "contact": contact, "colliders": [BOX],
                 "time": {"step": 1 / 120, "count": 1}}
        done = limber("run", write_json(folder, "fields.json", scene), "--json")
        done.json()
        lines = [line for line in done.err.splitlines() if "contact.response" in line]
        check(len(lines) == warned, f"{done.err!r}")
        check(not warned or lines[0].endswith(
            'contact.response is no longer used: contacts are rigid with optional "compliance" (m/N); '
            '"penalty" corresponds to a compliance, "lcp" needs nothing'), f"{lines}")


@case
def a_sensor_tells_what_passes_and_does_not_push(folder):
    # A box and a soft block fall through a gate 0.4 m high; a third body is filtered out.
    gate = {"name": "gate", "shape": "box", "size": [4, 4, 0.4], "sensor": True}
    block = bar_scene(mesh={"generate": "bar", "size": [0.2, 0.2, 0.2], "cells": [2, 2, 2],
                            "element": "brick8"}, fixed=None, method="modal", reduce={"modes": 6},
                      damping={"mass": 0, "stiffness": 0.005}, position=[1, 0, 0.4])["bodies"][0]
    block["name"] = "block"
    other = {**BOX, "name": "other", "position": [-1, 0, 0.5], "filter": {"mask": 2}}
    found = play(folder, bodies=[block], time={"step": 1 / 120, "count": 80},
                 colliders=[gate, {**BOX, "position": [0, 0, 0.5]}, other])
    told = {name: [(e["kind"], e["time"]) for e in found["events"] if e["bodies"] == [name, "gate"]]
            for name in ("box", "block", "other")}
    check(told["other"] == [] and len(found["events"]) == 4, f"{found['events']}")
    for name, low in (("box", 0.4), ("block", 0.4)):
        (begin, at), (end, left) = told[name]
        check((begin, end) == ("begin", "end"), f"{told}")
        check_close(at, math.sqrt(2 * (low - 0.2) / G), 0.02, f"{name} enters")
        check_close(left, math.sqrt(2 * (low + 0.4) / G), 0.02, f"{name} leaves")
    check(found["contacts"] == [], f"{found['contacts']}")
    check_close(body_of(found)["linear_velocity"][2], -G * 80 / 120, 1e-6, "it falls freely")


# ---- joints --------------------------------------------------------------------------------------

@case
def limits_stop_hinges_sliders_and_distances(folder):
    hinge = {**HINGE, "motor": {"speed": 3, "force": 50}, "limits": [-0.4, 0.7]}
    found = play(folder, colliders=[BOX], joints=[hinge])
    check_close(found["joints"][0]["position"], 0.7, 1e-3, "hinge")
    turned = body_of(found)["rotation"]
    check_close(2 * math.atan2(turned[2], turned[3]), 0.7, 1e-3, "by the right hand")
    found = play(folder, colliders=[BOX], joints=[{**SLIDER, "limits": [-0.25, 0.1]}])
    check_close(found["joints"][0]["position"], -0.25, 1e-3, "slider")
    check_close(body_of(found)["position"][2], -0.25, 1e-3, "slider's body")
    check_close(found["joints"][0]["force"][2], WEIGHT, 0.01 * WEIGHT, "it hangs at its limit")
    rope = {"name": "j", "kind": "distance", "bodies": ["box", None],
            "points": [[0, 0, 0], [0, 0, 1]], "limits": [-1, 0.3]}
    found = play(folder, colliders=[BOX], joints=[rope])
    check_close(found["joints"][0]["position"], 0.3, 1e-3, "distance")
    check_close(body_of(found)["position"][2], -0.3, 2e-3, "as far down as the rope is long")


@case
def motors_lift_as_far_as_their_force_reaches(folder):
    for force, rises in ((1.5 * WEIGHT, True), (0.5 * WEIGHT, False)):
        motor = {**SLIDER, "motor": {"speed": 0.4, "force": force}}
        found = play(folder, colliders=[BOX], joints=[motor])
        joint = found["joints"][0]
        check((joint["position"] > 0) == rises, f"{force}: {joint}")
        check(abs(joint["force"][2]) < force * 1.001, f"{force}: {joint}")
        if rises:
            check_close(joint["position"], 0.4 - 0.016, 0.005, "0.4 m/s, once it has got there")


@case
def sliders_and_points_leave_what_they_say(folder):
    # A slider along x holds z; a point joint lets a pendulum swing; a distance keeps its length.
    found = play(folder, gravity=[1, 0, -G], colliders=[BOX],
                 joints=[{**SLIDER, "axis": [1, 0, 0]}])
    box = body_of(found)
    check_close(box["position"][0], 0.5, 0.01, "slides along x")
    check_close(box["position"][2], 0, 1e-6, "held along z")
    for kind, points in (("point", [[0, 0, 1]]), ("distance", [[0, 0, 0], [0, 0, 1]])):
        found = play(folder, colliders=[{**BOX, "velocity": {"linear": [1, 0, 0]}}],
                     joints=[{"name": "j", "kind": kind, "bodies": ["box", None],
                              "points": points}])
        box = body_of(found)["position"]
        check_close(math.dist(box, [0, 0, 1]), 1, 5e-3, kind)
        check(set(found["joints"][0]) == {"name", "force", "torque", "position", "broken"},
              f"{found['joints'][0]}")


@case
def a_weld_tells_force_and_torque_on_the_first(folder):
    found = play(folder, colliders=[{**BOX, "position": [0.5, 0, 0]}],
                 joints=[{"name": "j", "kind": "weld", "bodies": ["box", None],
                          "points": [[0, 0, 0]]}])
    joint = found["joints"][0]
    check_close(joint["force"][2], WEIGHT, 1e-3 * WEIGHT, "force")
    check_close(joint["torque"][1], -0.5 * WEIGHT, 5e-3 * WEIGHT, f"torque about the joint: {joint}")


@case
def jointed_bodies_touch_if_they_collide(folder):
    # Two boxes side by side on a hinge between their upper edges: they fold down, or lean on each
    # other.
    for collide in (False, True):
        found = play(folder, colliders=[
            {**BOX, "position": [-0.101, 0, 0.5]},
            {**BOX, "name": "other", "position": [0.101, 0, 0.5]}],
            joints=[{"kind": "hinge", "bodies": ["box", "other"], "points": [[0, 0, 0.6]],
                     "axis": [0, 1, 0], "collide": collide},
                    {"kind": "point", "bodies": ["box", None], "points": [[-0.1, 0, 0.6]]},
                    {"kind": "distance", "bodies": ["other", None],
                     "points": [[0.1, 0, 0.6], [0.1, 0, 1.6]]}],
            time={"step": 1 / 120, "count": 60})
        touch = any(set(e["bodies"]) == {"box", "other"} for e in found["events"])
        check(touch == collide, f"collide {collide}: {found['events']}")


@case
def points_may_be_vertices_and_a_region_is_welded(folder):
    mesh = {"generate": "bar", "size": [0.2, 0.2, 0.2], "cells": [2, 2, 2], "element": "brick8"}
    made = bar_scene(mesh=mesh, fixed=None, method="modal", reduce={"modes": 6},
                     damping={"mass": 5, "stiffness": 0.005},
                     material={"model": "stvk", "young": 1e6, "poisson": 0.3, "density": 1000})
    body = {**made["bodies"][0], "name": "soft"}
    obj = os.path.join(folder, "cube.obj")
    with open(obj, "w", encoding="utf-8") as file:
        corners = [(x, y, z) for z in (0, 0.2) for y in (0, 0.2) for x in (0, 0.2)]
        file.writelines(f"v {x} {y} {z}\n" for x, y, z in corners)
        file.write("g rest\nf 1 3 4 2\nf 1 2 6 5\nf 2 4 8 6\nf 4 3 7 8\nf 3 1 5 7\n"
                   "g top\nf 5 6 8 7\n")
    surface = {**body, "mesh": {"surface": obj, "voxelise": 2}}
    weld = {"name": "j", "kind": "weld", "bodies": ["soft", None], "region": "top"}
    for soft, joint in ((body, {"name": "j", "kind": "point", "bodies": ["soft", None],
                                "points": [26]}), (surface, weld)):
        found = play(folder, bodies=[soft], joints=[joint], time={"step": 1 / 120, "count": 180})
        weight = G * body_of(found, "soft")["mass"]
        check_close(found["joints"][0]["force"][2], weight, 0.1 * weight, joint["kind"])
        check(body_of(found, "soft")["centre"][2] > -0.3, f"{joint}: it fell")


run_cases()
