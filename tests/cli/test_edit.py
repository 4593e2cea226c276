#!/usr/bin/env python3
"""`limber edit`: what it prints and writes, handles in scripts and in words, and what it refuses."""
import math
import os

from cli_testing import (ROOT, bar_scene, case, check, check_close, fast_case, limber, read_csv,
                         read_npz, run_cases, write, write_json)

SUBSPACE = {"method": "subspace", "reduce": {"modes": 4, "dimension": 10},
            "mesh": {"generate": "bar", "size": [1, 0.2, 0.2], "cells": [8, 2, 2],
                     "element": "brick8"}}


def scene_file(folder, **changes):
    return write_json(folder, "scene.json", bar_scene(**{**SUBSPACE, **changes}))


def model_file(folder, **changes):
    path = os.path.join(folder, "bar.glb")
    limber("build", scene_file(folder, **changes), "-o", path, "--quiet").expect(0)
    return path


def script_file(folder, *handles):
    return write_json(folder, "edit.json", {"handles": list(handles)})


def vertices(path):
    """Positions and triangles of an .obj."""
    found = []
    with open(path) as file:
        for line in file:
            if line.startswith("v "):
                found.append([float(x) for x in line.split()[1:4]])
    return found


def rest_of(folder, scene):
    """The surface at rest, as a pose without any motion writes it."""
    path = os.path.join(folder, "rest.obj")
    limber("edit", scene, "--handle", "right:", "-o", path, "--quiet").expect(0)
    return vertices(path)


END = {"name": "end", "box": [[0.99, -1, -1], [1.01, 1, 1]]}


@case
def edit_prints_and_writes_what_the_contract_says(folder):
    model = model_file(folder, reduce={"modes": 8, "dimension": 20})
    shift, degrees = [0, 0.02, 0.1], 20
    script = script_file(folder, {**END, "translate": shift,
                                  "rotate": {"axis": [0, 0, 2], "degrees": degrees}})
    out = os.path.join(folder, "posed.obj")
    found = limber("edit", model, "--script", script, "-o", out, "--json").json()
    for key in ("energy", "handle_error", "iterations", "flags"):
        check(key in found, f"no {key} in {found}")
    check(found["energy"] > 0 and found["iterations"] > 0 and found["flags"] == [], f"{found}")
    limber("export", model, "-o", os.path.join(folder, "m.npz")).expect(0)
    rest = read_npz(os.path.join(folder, "m.npz"))["surface.positions"][1]
    rest = [rest[3 * i:3 * i + 3] for i in range(len(rest) // 3)]
    posed = vertices(out)
    check(len(posed) == len(rest), "as many vertices as surface.positions has")
    region = [i for i, x in enumerate(rest) if x[0] >= 0.99]
    mean = [sum(rest[i][k] for i in region) / len(region) for k in range(3)]
    a, worst = math.radians(degrees), 0
    for i in region:
        d = [rest[i][k] - mean[k] for k in range(3)]
        turned = [math.cos(a) * d[0] - math.sin(a) * d[1], math.sin(a) * d[0] + math.cos(a) * d[1],
                  d[2]]
        worst = max(worst, math.dist(posed[i], [mean[k] + turned[k] + shift[k] for k in range(3)]))
    check_close(worst, found["handle_error"], 1e-12, "greatest distance of a vertex of the handle")
    check(worst < 0.02, f"the handle is followed to {worst} m")
    check(found["handles"][0] == {"name": "end", "vertices": len(region), "error": worst} or
          abs(found["handles"][0]["error"] - worst) < 1e-12, f"{found['handles']}")
    fixed = max(math.dist(posed[i], x) for i, x in enumerate(rest) if x[0] < 1e-9)
    check(fixed < 1e-15, f"the fixed end moved by {fixed}")


@case
def words_and_scripts_give_the_same_bits(folder):
    scene = scene_file(folder)
    script = script_file(folder, {**END, "translate": [0, 0, 0.1], "weight": 2, "rotate":
                                  {"axis": [1, 0, 0], "degrees": 30, "centre": [1, 0.1, 0.1]}})
    words = "end: box 0.99 -1 -1 1.01 1 1; translate 0 0 0.1; weight 2; rotate x 30 about 1 .1 .1"
    outs = [os.path.join(folder, name) for name in ("a.obj", "b.obj", "c.obj")]
    first = limber("edit", scene, "--script", script, "-o", outs[0], "--json").json()
    second = limber("edit", scene, "--handle", words, "-o", outs[1], "--json", "--threads",
                    1).json()
    check(first == second, f"{first} {second}")
    plain = script_file(folder, END)
    limber("edit", scene, "--script", plain, "--handle",
           "end: translate 0,0,0.1; weight 2; rotate 1 0 0 30 about 1 .1 .1", "-o", outs[2],
           "--quiet").expect(0)
    texts = [open(path).read() for path in outs]
    check(texts[0] == texts[1] == texts[2], "the same surface")


@case
def regions_by_group_and_by_vertices(folder):
    scene = scene_file(folder)
    found = limber("edit", scene, "--handle", "right: translate 0 0 0.1", "--json").json()
    check(found["handles"][0]["vertices"] == 9, f"{found}")
    ids = [8 + 9 * i for i in range(9)]  # of the volume's vertices at x = 1
    other = limber("edit", scene, "--handle",
                   f"tip: vertices {' '.join(map(str, ids))}; translate 0 0 0.1", "--json").json()
    check(other["handles"][0]["vertices"] == 9, f"{other}")
    check_close(other["energy"], found["energy"], 1e-9 * found["energy"], "energy")


@case
def displacements_are_those_of_the_surface(folder):
    scene = scene_file(folder)
    out, table = os.path.join(folder, "p.obj"), os.path.join(folder, "u.csv")
    limber("edit", scene, "--handle", "right: translate 0 0 0.1", "-o", out, "--displacement",
           table, "--quiet").expect(0)
    _, rows = read_csv(table)
    check(len(rows) == 81 and rows[80][0] == 81, "a row a vertex")
    rest, posed = rest_of(folder, scene), vertices(out)
    most = max(math.dist(a, b) for a, b in zip(rest, posed))
    check_close(most, max(math.hypot(*row[1:]) for row in rows), 1e-12, "largest displacement")


@case
def a_free_body_turns_with_its_handles(folder):
    scene = scene_file(folder, fixed=None)
    out = os.path.join(folder, "p.obj")
    words = ["--handle", "left: translate 1 0 0; rotate z 90 about 0 0 0",
             "--handle", "right: translate 1 0 0; rotate z 90 about 0 0 0"]
    found = limber("edit", scene, *words, "-o", out, "--json").json()
    check(found["energy"] < 1e-12 and found["handle_error"] < 1e-9, f"{found}")
    rest = rest_of(folder, scene)
    worst = max(math.dist(b, [1 - a[1], a[0], a[2]]) for a, b in zip(rest, vertices(out)))
    check(worst < 1e-9, f"turned as a whole to {worst} m")


@case
def the_unreduced_pose_is_near_and_has_less_energy(folder):
    scene = scene_file(folder, reduce={"modes": 8, "dimension": 20})
    tables, energies = [], []
    for method in ("subspace", "full"):
        table = os.path.join(folder, method + ".csv")
        found = limber("edit", scene, "--handle", "right: translate 0 0 0.3; rotate x 40",
                       "--method", method, "--displacement", table, "--json").json()
        check(found["method"] == method and found["flags"] == [], f"{found}")
        tables.append(read_csv(table)[1])
        energies.append(found["energy"])
    off = math.sqrt(sum(math.dist(a[1:], b[1:]) ** 2 for a, b in zip(*tables)))
    size = math.sqrt(sum(math.hypot(*b[1:]) ** 2 for b in tables[1]))
    print(f"reduced {energies[0]:.4g} J, unreduced {energies[1]:.4g} J, L2 error {off / size:.3%}")
    check(off / size < 0.1, f"relative L2 error {off / size}")
    check(energies[1] < energies[0], f"{energies}")


@fast_case
def the_scenes_of_poses_are_there(folder):
    names = sorted(os.listdir(os.path.join(ROOT, "scenes", "poses")))
    check(len(names) == 8, f"{names}")
    scene, script = (os.path.join(ROOT, "scenes", "poses", name) for name in
                     ("cylinder.json", "cylinder-bend-twist.json"))
    found = limber("edit", scene, "--script", script, "--json").json()
    check(found["flags"] == [] and found["handle_error"] < 0.05, f"{found}")


@case
def far_handles_are_flagged(folder):
    found = limber("edit", scene_file(folder), "--handle", "right: translate 0 0 30", "--json")
    check(found.json()["flags"] == ["beyond_subspace"], found.out)


@case
def bad_scripts_are_refused_by_name(folder):
    scene = scene_file(folder)
    def refused(*parts, **handle):
        limber("edit", scene, "--script", script_file(folder, {**END, **handle})).message(*parts)
    refused("handles[0]", "trnslate", "translate", trnslate=[0, 0, 1])
    refused("handles[0].rotate", "degree", "degrees", rotate={"axis": [1, 0, 0], "degree": 1})
    refused("zero length", rotate={"axis": [0, 0, 0], "degrees": 1})
    refused("degrees", rotate={"axis": [0, 0, 1]})
    refused("exactly one", group="right")
    refused("weight", weight=0)
    refused("translate", translate=[0, 1])
    nowhere = {"name": "nowhere", "box": [[5, 5, 5], [6, 6, 6]]}
    limber("edit", scene, "--script", script_file(folder, nowhere)).message("nowhere", "no vertices")
    empty = {"name": "empty", "vertices": []}
    limber("edit", scene, "--script", script_file(folder, empty)).message("empty", "no vertices")
    missing = {"name": "missing", "vertices": [100000]}
    limber("edit", scene, "--script", script_file(folder, missing)).message("100000")
    limber("edit", scene, "--script", script_file(folder, END, {**END, "name": "other"})).message(
        "other", "overlaps", "end")
    limber("edit", scene, "--script", script_file(folder, END, END)).message("end")
    limber("edit", scene, "--script", script_file(folder)).message("at least one handle")
    limber("edit", scene, "--script", write(folder, "x.json", "{")).message("x.json:1")
    limber("edit", scene, "--script", os.path.join(folder, "none.json")).message("none.json")
    limber("edit", scene, "--handle", "tip: group rihgt").message("rihgt")


@case
def bad_words_are_refused(folder):
    scene = scene_file(folder)
    for words, part in (("right: trnslate 0 0 1", "translate"), ("right translate 0 0 1", "':'"),
                        (": translate 0 0 1", "name"), ("right: translate 0 0", "3 numbers"),
                        ("right: rotate q 20", "axis"), ("right: rotate z", "degrees"),
                        ("right: rotate z 10 at 0 0 0", "about"), ("right: box 1 2", "6 numbers"),
                        ("right: vertices a b", "numbers of vertices")):
        limber("edit", scene, "--handle", words).message(part)
    limber("edit", scene).message("--handle", status=2)
    limber("edit", scene, "--handle", "right:", "--method", "modal").message("modal", status=2)
    limber("edit", scene, "--handle", "right:", "-o", "x.foo").message("foo", status=2)
    limber("edit", scene, "--handle", "right: translate 0 0 1e300").message("right")


@case
def models_without_what_it_needs_are_refused(folder):
    modal = model_file(folder, method="modal", reduce={"modes": 4})
    limber("edit", modal, "--handle", "a: box 0 0 0 1 1 1").message("subspace")
    model = model_file(folder)
    limber("edit", model, "--handle", "right: translate 0 0 1").message("right", "group")
    limber("edit", model, "--handle", "a: box 0.9 0 0 1 1 1", "--method", "full").message("mesh")


run_cases()
