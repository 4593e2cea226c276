#!/usr/bin/env python3
"""The program against results computed without it, and against closed forms.

tests/data/refs/README.md tells where the references come from and what decides a comparison. Those
on meshes made by others are read from ../shared/refs. Tolerances are the ones stated there.
"""
import math
import os

from cli_testing import (DATA, SANITIZED, SHARED, Failure, Skip, add_case, bar_scene, case, check,
                         check_close, check_rows, largest, limber, read_csv, read_json, run_cases,
                         shared, write, write_json)

OWN = os.path.join(DATA, "refs")


def find(name):
    """A case folder: carried by the project, or shared."""
    for folder in (OWN, DATA, os.path.join(SHARED, "refs")):
        if os.path.isdir(os.path.join(folder, name)):
            return os.path.join(folder, name)
    raise Skip(f"{name} is not there")


def check_frequencies(found, expected, tolerance):
    """Both ascending, so that modes of a cluster are compared as a set."""
    check(len(found) == len(expected), f"{len(found)} frequencies, expected {len(expected)}")
    worst = max(range(len(expected)), key=lambda i: abs(found[i] / expected[i] - 1))
    residual = abs(found[worst] / expected[worst] - 1)
    check(residual <= tolerance,
          f"mode {worst + 1}: found {found[worst]!r} Hz, expected {expected[worst]!r} Hz, "
          f"relative residual {residual:.3e}, tolerance {tolerance:.1e}")
    check(found == sorted(found), "the frequencies are not ascending")


# ---- modes ---------------------------------------------------------------------------------------


def modes_of(scene, count):
    return limber("modes", scene, "--count", count, "--json").json()


def check_modes(name, rigid):
    folder = find(name)
    expected = read_json(os.path.join(folder, "expected.json"))
    found = modes_of(os.path.join(folder, "scene.json"), 20)
    check_frequencies(found["frequencies_hz"], expected["freq_hz_consistent_mass"], 1e-6)
    check_close(found["total_mass"], expected["total_mass"], 1e-12 * expected["total_mass"],
                "total_mass")
    check(found["rigid_modes"] == rigid, f"rigid_modes is {found['rigid_modes']}, not {rigid}")


def check_lumped(name, folder):
    source = find(name)
    expected = read_json(os.path.join(source, "expected.json"))
    if "freq_hz_lumped_mass" not in expected:
        raise Failure("the reference has no lumped frequencies")
    scene = read_json(os.path.join(source, "scene.json"))
    scene["bodies"][0]["mass"] = "lumped"
    scene["bodies"][0]["mesh"] = os.path.join(source, "mesh.msh")
    found = modes_of(write_json(folder, "scene.json", scene), 20)
    check_frequencies(found["frequencies_hz"], expected["freq_hz_lumped_mass"], 1e-6)


for name, rigid in (("modal_bar_tet_1", 0), ("modal_bar_tet_2", 0), ("modal_bar_hex_1", 0),
                    ("modal_bar_hex_2", 0), ("modal_freebar_hex", 6), ("modal_turtle", 0)):
    add_case(f"{name}_has_the_frequencies_of_the_reference",
             lambda folder, name=name, rigid=rigid: check_modes(name, rigid))
for name in ("modal_bar_tet_1", "modal_bar_tet_2", "modal_turtle"):
    add_case(f"{name}_has_the_lumped_frequencies_of_the_reference",
             lambda folder, name=name: check_lumped(name, folder))


def generated_bar(folder, cells, element):
    """The bar of the modal references, made by limber."""
    scene = bar_scene(mesh={"generate": "bar", "size": [1, 0.1, 0.1], "cells": cells,
                            "element": element},
                      material={"model": "linear", "young": 210e9, "poisson": 0.3,
                                "density": 7850},
                      fixed={"box": [[-1e9, -1e9, -1e9], [1e-9, 1e9, 1e9]]}, gravity=[0, 0, 0])
    return write_json(folder, f"bar{cells[0]}.json", scene)


@case
def a_generated_brick_bar_equals_the_reference_meshes(folder):
    for name, cells in (("modal_bar_hex_1", [10, 1, 1]), ("modal_bar_hex_2", [20, 2, 2])):
        expected = read_json(os.path.join(find(name), "expected.json"))
        found = modes_of(generated_bar(folder, cells, "brick8"), 20)
        check_frequencies(found["frequencies_hz"], expected["freq_hz_consistent_mass"], 1e-6)


@case
def a_generated_tet_bar_equals_the_reference_meshes(folder):
    for name, cells in (("modal_bar_tet_1", [10, 1, 1]), ("modal_bar_tet_2", [20, 2, 2])):
        expected = read_json(os.path.join(find(name), "expected.json"))
        found = modes_of(generated_bar(folder, cells, "tet4"), 20)
        check_frequencies(found["frequencies_hz"], expected["freq_hz_consistent_mass"], 1e-6)


@case
def refined_bars_converge_to_timoshenko_from_above(folder):
    beam = read_json(os.path.join(find("analytic_beam_frequencies"), "beam.json"))
    first = []
    cells = ([10, 1, 1], [20, 2, 2]) if SANITIZED else ([10, 1, 1], [20, 2, 2], [40, 4, 4])
    for shape, pair in zip(cells, beam["fe_hex_f1f2_refinement_10_20_40"]):
        found = modes_of(generated_bar(folder, shape, "brick8"), 2)["frequencies_hz"]
        check_frequencies(found, pair, 1e-6)
        first.append(found[0])
    check(first == sorted(first, reverse=True), f"a refinement raised the frequency: {first}")
    limit = beam["timoshenko_clamped_free_hz"][0]
    check(first[-1] > limit, f"{first[-1]} Hz lies below the limit {limit} Hz")
    if len(first) == 3:
        # One Richardson step with the order that the three frequencies show.
        ratio = (first[0] - first[1]) / (first[1] - first[2])
        extrapolated = first[2] - (first[1] - first[2]) / (ratio - 1)
        check_close(extrapolated, limit, 0.005 * limit, "extrapolated first frequency")


@case
def reduced_beam3_tet_has_the_20_frequencies_of_the_reference(folder):
    reduced = read_json(shared("refs", "reduced_beam3_tet", "reduced.json"))
    scene = bar_scene(mesh=shared("refs", "reduced_beam3_tet", "mesh.msh"), probes=None,
                      material={"model": "stvk", "young": reduced["E"], "poisson": reduced["nu"],
                                "density": reduced["rho"]},
                      fixed={"vertices": [i - 1 for i in reduced["fixed_nodes_1based"]]})
    found = modes_of(write_json(folder, "scene.json", scene), 20)
    check_frequencies(found["frequencies_hz"], reduced["freq_hz_first20"], 1e-9)


# ---- statics, forces, dynamics -------------------------------------------------------------------


def check_static(name, folder):
    stem = os.path.join(find("static_bar_tet"), name)
    expected = read_json(stem + ".expected.json")
    table = os.path.join(folder, "u.csv")
    found = limber("static", stem + ".json", "--displacement", table, "--json").json()
    probe = expected["probe_displacement"]
    size = expected.get("umax", math.hypot(*probe))
    check_rows([found["probes"][0]["displacement"]], [probe], 1e-7 * size, "probe")
    if "energy" in expected:
        check_close(found["energy"], expected["energy"], 1e-7 * expected["energy"], "energy")
    rows = read_csv(table)[1]
    check_rows([rows[335][-3:]], [probe], 1e-7 * size, "vertex 335 of --displacement")
    if os.path.exists(stem + ".u.csv"):
        reference = [row[1:] for row in read_csv(stem + ".u.csv")[1]]
        check_rows([row[-3:] for row in rows], reference, 1e-7 * size, "all vertices")


for name in ("linear", "stvk", "mooney_rivlin", "corotational"):
    add_case(f"static_bar_tet_{name}_hangs_like_the_reference",
             lambda folder, name=name: check_static(f"{name}_gravity", folder))


def check_forces(name, model, folder):
    source = shared("refs", "forces_beam3_tet")
    expected = read_json(os.path.join(source, "forces.json"))["models"][name]
    forces, tangent = os.path.join(folder, "f.csv"), os.path.join(folder, "Kd.csv")
    found = limber("evaluate", os.path.join(source, "mesh.msh"), "--model", model, "--young", 1e7,
                   "--poisson", 0.45, "--displacement", os.path.join(source, "u.csv"), "--forces",
                   forces, "--direction", os.path.join(source, "d.csv"), "--tangent", tangent,
                   "--json").json()
    check_close(found["energy"], expected["energy"], 1e-10 * expected["energy"], "energy")
    for made, reference, tolerance in ((forces, f"f_{name}.csv", 1e-10),
                                       (tangent, f"Kd_{name}.csv", 1e-9)):
        rows = [row[1:] for row in read_csv(os.path.join(source, reference))[1]]
        check_rows([row[-3:] for row in read_csv(made)[1]], rows, tolerance * largest(rows),
                   reference)


for name, model in (("stvk", "stvk"), ("corotational", "corotated"), ("linear", "linear")):
    add_case(f"forces_beam3_tet_{name}_has_the_forces_energy_and_tangent_of_the_reference",
             lambda folder, name=name, model=model: check_forces(name, model, folder))


def check_dynamic(name, folder):
    stem = os.path.join(find("dynamic_bar_tet"), name)
    steps = 60 if SANITIZED else 500
    table = os.path.join(folder, "probes.csv")
    found = limber("run", stem + ".json", "--count", steps, "--probes", table, "--json").json()
    check(found["steps"] == steps and found["flags"] == [], f"{found['steps']}, {found['flags']}")
    reference = read_csv(stem + ".expected.csv")[1]
    size = largest([row[1:7] for row in reference])
    rows = read_csv(table)[1]
    check_rows([row[:1] for row in rows], [row[:1] for row in reference[:steps + 1]], 1e-12, "t")
    check_rows([row[1:] for row in rows], [row[1:7] for row in reference[:steps + 1]],
               1e-6 * size, "probes")
    kinetic, elastic = reference[steps][10:12]
    energy = found["bodies"][0]["energy"]
    check_close(energy["kinetic"], kinetic, 1e-6 * max(kinetic, elastic), "kinetic energy")
    check_close(energy["elastic"], elastic, 1e-6 * max(kinetic, elastic), "elastic energy")


for name in ("newmark_undamped", "newmark_rayleigh_tangent"):
    add_case(f"dynamic_bar_tet_{name}_follows_the_reference",
             lambda folder, name=name: check_dynamic(name, folder))


# ---- shells --------------------------------------------------------------------------------------


def obj_points(path):
    return [[float(x) for x in line.split()[1:4]] for line in open(path) if line.startswith("v ")]


@case
def shell_strip_has_the_energies_and_the_gradient_of_the_reference(folder):
    source = find("shell_strip")
    reference = read_json(os.path.join(source, "shell.json"))["random_case"]
    rest = obj_points(os.path.join(source, "rest.obj"))
    moved = obj_points(os.path.join(source, "deformed_random.obj"))
    rows = "\n".join(",".join(repr(y - x) for x, y in zip(a, b)) for a, b in zip(rest, moved))
    displacement = write(folder, "u.csv", rows + "\n")
    forces = os.path.join(folder, "f.csv")
    scene = write_json(folder, "strip.json", {"limber": 1, "bodies": [{
        "mesh": os.path.abspath(os.path.join(source, "rest.obj")),
        "material": {"model": "shell", "thickness": 0.1, "stretch": reference["ks"],
                     "area": reference["ka"], "bend": reference["kb"]}}]})
    found = limber("evaluate", scene, "--displacement", displacement, "--forces", forces,
                   "--json").json()
    energy = reference["W_B"] + reference["W_L"] + reference["W_A"]
    check_close(found["energy"], energy, 1e-12 * energy, "energy")
    check(found["von_mises"] is None, f"von_mises is {found['von_mises']}")
    table = read_csv(os.path.join(source, "grad_random.csv"))[1]
    expected = [[row[1 + i] + row[4 + i] + row[7 + i] for i in range(3)] for row in table]
    check_rows([row[-3:] for row in read_csv(forces)[1]], expected, 1e-12 * largest(expected),
               "gradient")


@case
def a_shell_goes_the_way_from_a_surface_to_a_reduced_body(folder):
    surface, model = os.path.join(folder, "pipe.obj"), os.path.join(folder, "pipe.glb")
    limber("mesh", "--generate", "pipe", "--cells", "10,1,8", "-o", surface).expect(0)
    found = limber("modes", surface, "--model", "shell", "--thickness", 0.01, "--count", 2,
                   "--json").json()
    check(found["rigid_modes"] == 6, f"rigid_modes is {found['rigid_modes']}")
    made = limber("build", surface, "--material", "shell", "--thickness", 0.01, "--method",
                  "subspace", "--modes", 4, "--dimension", 8, "--error", 0.1, "-o", model,
                  "--json").json()
    check(made["subspace"]["cubature"]["elements"] > 0, f"{made['subspace']}")
    info = limber("info", model, "--json").json()
    check(info["models"][0]["shell_triangles"] == 160, f"{info['models'][0]}")
    run = limber("run", model, "--json").json()
    check(run["flags"] == [], f"{run['flags']}")


# ---- closed forms --------------------------------------------------------------------------------


def stretched_forces(folder, stretch, lateral):
    """The pull on the right end of a 1 x 0.1 x 0.1 bar under a homogeneous stretch."""
    rest = os.path.join(folder, "bar.msh")
    limber("mesh", "--generate", "bar", "--size", "1,0.1,0.1", "--cells", "3,2,2", "-o",
           rest).expect(0)
    points = msh_points(rest)
    rows = "\n".join(f"{(stretch - 1) * x!r},{(lateral - 1) * y!r},{(lateral - 1) * z!r}"
                     for x, y, z in points)
    displacement = write(folder, "u.csv", "ux,uy,uz\n" + rows + "\n")
    forces = os.path.join(folder, "f.csv")
    limber("evaluate", rest, "--model", "stvk", "--young", 1e6, "--poisson", 0.3, "--displacement",
           displacement, "--forces", forces, "--json").json()
    right = max(point[0] for point in points)
    rows = [row[-3:] for row in read_csv(forces)[1]]
    return sum(row[0] for row, point in zip(rows, points) if point[0] > right - 1e-9)


def msh_points(path):
    lines = open(path).read().split("$Nodes\n")[1].split("\n")
    return [tuple(float(x) for x in line.split()[1:4]) for line in lines[1:int(lines[0]) + 1]]


@case
def a_stretched_bar_pulls_as_the_uniaxial_stvk_law_says(folder):
    rows = read_csv(os.path.join(find("analytic_stvk_uniaxial"), "stvk_uniaxial.csv"))[1]
    for stretch, free, lateral, confined, _ in rows[::4] if SANITIZED else rows:
        check_close(stretched_forces(folder, stretch, lateral), free, 1e-9 * 1000,
                    f"free sides, stretch {stretch}")
        check_close(stretched_forces(folder, stretch, 1), confined, 1e-9 * 1000,
                    f"confined sides, stretch {stretch}")


def oscillator_scene(folder, frequency, alpha, beta, step, count):
    """One tet with three vertices fixed: with Poisson 0 the fourth moves along z as an oscillator
    of mass density V / 10 and stiffness young V, so young = density omega^2 / 10."""
    mesh = write(folder, "tet.msh", "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n"
                 "2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n$Elements\n1\n1 4 2 1 1 1 2 3 4\n"
                 "$EndElements\n")
    omega = 2 * math.pi * frequency
    scene = bar_scene(mesh=mesh, gravity=[0, 0, 0],
                      material={"model": "linear", "young": 1000 * omega ** 2 / 10, "poisson": 0,
                                "density": 1000},
                      damping={"mass": alpha, "stiffness": beta}, fixed={"vertices": [0, 1, 2]},
                      probes=[{"vertex": 3}], loads=[{"vertex": 3, "force": [0, 0, 1000 / 60]}],
                      time={"step": step, "count": count})
    return write_json(folder, "tet.json", scene)


@case
def a_single_oscillator_steps_as_newmark_in_closed_form(folder):
    for item in read_json(os.path.join(find("analytic_oscillator"), "oscillator.json"))["cases"]:
        expected = {int(k): q for k, q in item["newmark_avg_accel_step_response"].items()}
        scene = oscillator_scene(folder, item["freq_hz"], item["alpha"], item["beta"], item["dt"],
                                 max(expected))
        table = os.path.join(folder, "probes.csv")
        limber("run", scene, "--probes", table, "--json").json()
        rows = read_csv(table)[1]
        size = max(abs(q) for q in expected.values())
        for k, q in expected.items():
            check_close(rows[k][3], q, 1e-9 * size, f"{item['freq_hz']} Hz, step {k}")


def fall(folder, integrator, damping, count=500):
    scene = bar_scene(fixed=None, damping=damping,
                      time={"step": 0.001, "count": count, "integrator": integrator})
    table = os.path.join(folder, "probes.csv")
    limber("run", write_json(folder, "fall.json", scene), "--probes", table, "--json").json()
    return read_csv(table)[1]


@case
def a_free_body_falls_as_the_integrators_say(folder):
    expected = read_json(os.path.join(find("analytic_conservation"), "conservation.json"))["table"]
    for integrator, key in (("newmark", "newmark_a0_consistent"), ("euler", "backward_euler")):
        rows = fall(folder, integrator, {"stiffness": 0.01})  # acts on no rigid translation
        for item in expected:
            check_rows([rows[item["n"]]], [[item["t"], 0, 0, item[key]]],
                       1e-9 * abs(expected[-1][key]), f"{integrator}, step {item['n']}")


@case
def mass_damping_slows_a_fall_as_the_closed_form_says(folder):
    rows = fall(folder, "newmark", {"mass": 2.0})
    g, a = 9.81, 2.0
    for t, _, _, dz in rows:  # the integrator's own error is about dt^2
        check_close(dz, -g / a * (t - (1 - math.exp(-a * t)) / a), 1e-6, f"t {t}")


@case
def a_free_body_keeps_its_momentum(folder):
    velocity = {"linear": [1, 2, -0.5], "angular": [0, 0, 3]}
    for count in (0, 40):
        scene = bar_scene(fixed=None, gravity=[0, 0, 0], velocity=velocity,
                          time={"step": 0.002, "count": count})
        body = limber("run", write_json(folder, "spin.json", scene), "--json").json()["bodies"][0]
        momentum = [body["mass"] * v for v in velocity["linear"]]
        check_rows([body["linear_momentum"]], [momentum], 1e-12 * largest([momentum]),
                   f"linear momentum after {count} steps")
        if count == 0:
            angular = body["angular_momentum"]
        check_rows([body["angular_momentum"]], [angular], 2e-3 * largest([angular]),
                   f"angular momentum after {count} steps")


@case
def newmark_keeps_the_energy_of_a_linear_bar(folder):
    totals = []
    for count in (0, 1, 37, 100):
        scene = bar_scene(gravity=[0, 0, 0], velocity={"linear": [0, 0, 1]},
                          material={"model": "linear", "young": 1e6, "poisson": 0.4,
                                    "density": 1000}, time={"step": 0.005, "count": count})
        found = limber("run", write_json(folder, "swing.json", scene), "--json").json()
        totals.append(sum(found["bodies"][0]["energy"].values()))
        check_close(totals[-1], totals[0], 1e-10 * totals[0], f"energy after {count} steps")
    check(totals[0] > 1, f"nothing moved: {totals[0]} J")


# ---- the same bits -------------------------------------------------------------------------------


def without_timings(document):
    for body in document.get("bodies", []):
        body.pop("step_us")
    return document


@case
def results_do_not_depend_on_the_number_of_threads(folder):
    static = os.path.join(find("static_bar_tet"), "stvk_gravity.json")
    dynamic = os.path.join(find("dynamic_bar_tet"), "newmark_rayleigh_tangent.json")
    modes = os.path.join(find("modal_bar_hex_2"), "scene.json")
    commands = (["modes", modes, "--shape", "shape.csv"], ["static", static, "--displacement",
                "u.csv"], ["run", dynamic, "--count", 20, "-o", "out"],
                ["evaluate", static, "--displacement", "u.csv", "--forces", "f.csv",
                 "--direction", "u.csv", "--tangent", "Kd.csv"])
    for command in commands:
        texts, documents = [], []
        for threads in (1, 2):
            place = os.path.join(folder, str(threads))
            os.makedirs(place, exist_ok=True)
            result = limber(*command, "--threads", threads, "--json", cwd=place)
            documents.append(without_timings(result.json()))
            texts.append(result.out)
        if command[0] == "run":
            texts = [str(document) for document in documents]
        check(texts[0] == texts[1], f"{command[0]} --json differs between 1 and 2 threads")
    for name in ("shape.csv", "u.csv", "f.csv", "Kd.csv", "out/probes.csv", "out/animation.glb"):
        contents = [open(os.path.join(folder, t, name), "rb").read() for t in ("1", "2")]
        check(contents[0] == contents[1], f"{name} differs between 1 and 2 threads")


run_cases()
