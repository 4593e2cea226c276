#!/usr/bin/env python3
"""The command line's contract: help, JSON, exit status, what is written and what is not."""
import json
import os
import re
import struct

from cli_testing import (PROGRAM, ROOT, add_case, bar_scene, case, check, check_close, check_rows,
                         fast_case, limber, read_csv, read_json, run_cases, shared, shared_names,
                         write, write_json)

VERBS = ("mesh", "modes", "static", "evaluate", "build", "info", "run", "cook", "edit", "export",
         "render", "view", "bench")
SHAPES = ("bar", "plate", "tube", "cylinder", "sphere", "torus", "tee", "sponge",
          "spoon", "bridge", "tower", "bowl", "cactus", "turtle", "figure")
MESH_FIELDS = {"vertices", "triangles", "tets", "bricks", "components", "groups", "bounds",
               "problems"}
# Every build does this; the thorough one voxelises the large surfaces as well.
THOROUGH = os.path.basename(os.path.dirname(PROGRAM)) == "build"


def check_fields(document, fields, what):
    missing = set(fields) - set(document)
    check(not missing, f"{what} lacks {sorted(missing)}, it has {sorted(document)}")


def scene_file(folder, **changes):
    return write_json(folder, "scene.json", bar_scene(**changes))


def generate(folder, name, *words):
    path = os.path.join(folder, name)
    limber("mesh", "--generate", *words, "-o", path).expect(0)
    return path


# ---- help, version, wrong words ------------------------------------------------------------------


@case
def every_verb_has_help_with_an_example(folder):
    for verb in VERBS:
        result = limber(verb, "--help").expect(0)
        check(result.err == "", f"{verb} --help writes on stderr: {result.err}")
        match = re.search(r"^example:\n(?:  limber .*\n)*?  limber " + verb, result.out, re.M)
        check(match, f"{verb} --help shows no example")
        for option in ("--json", "--quiet", "--threads N", "--help"):
            check(option in result.out, f"{verb} --help does not name {option}")


@case
def the_program_has_help_that_names_every_verb(folder):
    for words in (["--help"], ["help"]):
        out = limber(*words).expect(0).out
        for verb in VERBS:
            check(re.search(rf"^  {verb} ", out, re.M), f"help does not name {verb}")
    result = limber().expect(2)
    check(result.out == "" and "usage" in result.err, "no words: usage belongs on stderr")


@case
def version_is_one_line(folder):
    out = limber("--version").expect(0).out
    check(re.fullmatch(r"limber \d+\.\d+\.\d+\n", out), out)


@case
def unknown_verbs_are_refused_with_a_suggestion(folder):
    limber("moeds").message('"moeds"', 'did you mean "modes"', status=2)
    limber("frobnicate-all").message("frobnicate-all", "limber --help", status=2)


@case
def unknown_options_are_refused_with_a_suggestion(folder):
    for verb in VERBS:
        limber(verb, "x.msh", "--jsom").message("--jsom", "--json", f"limber {verb} --help",
                                                status=2)
        limber(verb, "x.msh", "-y").message("-y", status=2)


@case
def options_without_or_with_a_wrong_value_are_refused(folder):
    for words in (["mesh", "--generate"], ["mesh", "x.obj", "--voxelise"], ["mesh", "x.obj", "-o"],
                  ["modes", "x.msh", "--count"], ["run", "x.json", "--probes"],
                  ["static", "x.json", "--displacement"], ["evaluate", "x.msh", "--forces"],
                  ["bench", "--mesh"], ["info", "x.msh", "--threads"]):
        limber(*words).message(words[-1], "needs", status=2)
    for words in (["mesh", "x.obj", "--voxelise", "many"], ["mesh", "x.obj", "--voxelise", "0"],
                  ["modes", "x.msh", "--count", "1.5"], ["modes", "x.msh", "--young", "soft"],
                  ["modes", "x.msh", "--count", "0"], ["modes", "x.msh", "--mode", "21"],
                  ["modes", "x.msh", "--model", "rubber"], ["mesh", "--generate", "bra"],
                  ["mesh", "--generate", "bar", "--size", "1,2"],
                  ["mesh", "--generate", "bar", "--cells", "1,2,x"],
                  ["mesh", "--generate", "bar", "--element", "hex"],
                  ["mesh", "x.obj", "--fill", "magic"], ["run", "x.json", "--count", "-1"],
                  ["run", "x.json", "--frame_rate", "0"], ["info", "x.msh", "--threads", "-1"],
                  ["info", "x.msh", "--threads", "99999999999"]):
        limber(*words).message(words[-2], words[-1], status=2)
    limber("info", "x.msh", "--json=yes").message("--json", "no value", status=2)
    for words in (["--size", "1,0,1"], ["--size", "1,1,-1"], ["--cells", "0,1,1"]):
        limber("mesh", "--generate", "bar", *words).message(words[0][2:], status=2)


@case
def wrong_combinations_of_words_are_refused(folder):
    for verb in ("mesh", "modes", "static", "evaluate", "build", "info", "run"):
        limber(verb).message("name a file", status=2)
        limber(verb, "a.msh", "b.msh").message("b.msh", status=2)
    limber("mesh", "a.msh", "--generate", "bar").message("--generate", status=2)
    limber("mesh", "a.obj", "--voxelise", 4, "--fill", "any").message("not both", status=2)
    limber("mesh", "a.msh", "--cells", "1,1,1").message("--generate", status=2)
    limber("evaluate", "a.msh", "--direction", "d.csv").message("--tangent", status=2)
    limber("modes", "a.json", "--young", 1).message("a.json", "--young", status=2)
    limber("bench", "fem", "more").message("more", status=2)
    limber("bench", "nothing").message('"nothing"', "fem", status=2)


@case
def values_may_follow_an_equals_sign_and_files_a_double_dash(folder):
    generate(folder, "-x.msh", "bar", "--cells=2,1,1")
    found = limber("modes", "--count=3", "--json", "--", "-x.msh", cwd=folder).json()
    check(len(found["frequencies_hz"]) == 3, str(found))


# ---- mesh ----------------------------------------------------------------------------------------


@case
def mesh_describes_a_mesh_in_json(folder):
    path = generate(folder, "bar.msh", "bar", "--size", "2,1,1", "--cells", "2,1,1", "--element",
                    "brick8")
    found = limber("mesh", path, "--json").json()
    check_fields(found, MESH_FIELDS, "mesh --json")
    check((found["vertices"], found["tets"], found["bricks"], found["components"]) == (12, 0, 2, 1),
          str(found))
    check_rows(found["bounds"], [[0, 0, 0], [2, 1, 1]], 1e-12, "bounds")
    check(found["problems"] == [], str(found["problems"]))
    check({group["name"] for group in found["groups"]} >= {"left", "right"}, str(found["groups"]))


@case
def mesh_lists_problems_and_still_succeeds(folder):
    path = write(folder, "flat.off", "OFF\n5 2 0\n0 0 0\n1 0 0\n0 1 0\n2 0 0\n9 9 9\n3 0 1 2\n"
                 "3 0 1 3\n")
    found = limber("mesh", path, "--json").json()
    check(found["problems"], "no problems were found")
    for problem in found["problems"]:
        check_fields(problem, ("kind", "count", "ids"), "a problem")
        check(len(problem["ids"]) == problem["count"] > 0, str(problem))
    limber("mesh", path).expect(0)


def check_shape(shape, folder):
    tets = limber("mesh", "--generate", shape, "--element", "tet4", "--json").json()
    bricks = limber("mesh", "--generate", shape, "--element", "brick8", "--json").json()
    check(tets["tets"] > 0 and tets["bricks"] == 0, str(tets["tets"]))
    check(bricks["bricks"] > 0 and bricks["tets"] == 0, str(bricks["bricks"]))
    check_close(tets["volume"], bricks["volume"], 0.02 * tets["volume"], "volume of both elements")
    for found in (tets, bricks):
        check(found["components"] == 1, f"{found['components']} components")
        check(found["problems"] == [], str(found["problems"])[:500])
    surface = limber("mesh", "--generate", shape, "--surface", "--json").json()
    check(surface["triangles"] > 0 and surface["tets"] == surface["bricks"] == 0, str(surface)[:200])
    check(surface["closed"], "the surface is not closed")


for shape in SHAPES:
    add_case(f"mesh_generates_a_{shape}_of_both_elements_and_its_surface",
             lambda folder, shape=shape: check_shape(shape, folder))


@case
def mesh_writes_every_format_and_reads_it_back(folder):
    for extension, element in ((".msh", "tet4"), (".vtu", "tet4"), (".msh", "brick8"),
                               (".vtu", "brick8")):
        path = generate(folder, "volume" + extension, "tee", "--element", element)
        made = limber("mesh", "--generate", "tee", "--element", element, "--json").json()
        read = limber("mesh", path, "--json").json()
        for key in ("vertices", "tets", "bricks", "components", "bounds", "volume"):
            check(made[key] == read[key], f"{path}: {key}: {made[key]} became {read[key]}")
    made = limber("mesh", "--generate", "torus", "--surface", "--json").json()
    for extension in (".obj", ".stl", ".ply", ".msh", ".vtu"):
        path = generate(folder, "surface" + extension, "torus", "--surface")
        read = limber("mesh", path, "--json").json()
        for key in ("vertices", "triangles", "components", "closed"):
            check(made[key] == read[key], f"{path}: {key}: {made[key]} became {read[key]}")
        tolerance = 1e-6 if extension == ".stl" else 1e-12  # binary STL holds single precision
        check_close(read["volume"], made["volume"], tolerance * made["volume"], path)


@case
def mesh_converts_between_every_pair_of_formats(folder):
    source = generate(folder, "a.obj", "sponge", "--surface")
    expected = limber("mesh", source, "--json").json()
    for step, extension in enumerate((".ply", ".stl", ".vtu", ".msh", ".obj")):
        target = os.path.join(folder, f"b{step}{extension}")
        result = limber("mesh", source, "-o", target).expect(0)
        check(f"written: {target}" in result.out, result.out)
        found = limber("mesh", target, "--json").json()
        check(found["triangles"] == expected["triangles"], f"{target}: {found['triangles']}")
        source = target


@case
def mesh_voxelises_splits_and_takes_the_surface(folder):
    ball = generate(folder, "ball.obj", "sphere", "--surface")
    voxels = os.path.join(folder, "voxels.vtu")
    found = limber("mesh", ball, "--voxelise", 8, "-o", voxels, "--json").json()
    check(found["bricks"] > 100 and found["components"] == 1, str(found)[:300])
    check(found["volume"] > limber("mesh", ball, "--json").json()["volume"], "it does not cover it")
    split = limber("mesh", voxels, "--split", "--json").json()
    check(split["bricks"] == 0 and split["tets"] in (5 * found["bricks"], 6 * found["bricks"]),
          f"{split['tets']} tets of {found['bricks']} bricks")
    check_close(split["volume"], found["volume"], 1e-12 * found["volume"], "volume after --split")
    both = limber("mesh", ball, "--voxelise", 8, "--split", "--json").json()
    check(both["tets"] == split["tets"], "--voxelise --split in one go differs")
    surface = limber("mesh", voxels, "--surface", "--json").json()
    check(surface["triangles"] > 0 and surface["bricks"] == 0 and surface["closed"],
          str(surface)[:300])
    check_close(surface["volume"], found["volume"], 1e-12 * found["volume"], "inside the surface")


@case
def mesh_cleans(folder):
    path = write(folder, "dirty.off", "OFF\n6 4 0\n0 0 0\n1 0 0\n0 1 0\n0 0 0\n7 7 7\n0 0 1\n"
                 "3 0 1 2\n3 3 1 2\n3 0 1 1\n3 0 1 5\n")
    found = limber("mesh", path, "--clean", "--json").json()
    check(found["vertices"] == 4 and found["triangles"] == 2, str(found)[:300])


@case
def fill_without_a_mesher_says_what_to_install(folder):
    ball = generate(folder, "ball.obj", "sphere", "--surface")
    environment = dict(os.environ, PATH=folder)
    for mesher, names in (("any", ("tetgen", "gmsh")), ("tetgen", ("tetgen",)),
                          ("gmsh", ("gmsh",))):
        result = limber("mesh", ball, "--fill", mesher, "-o", "filled.msh", cwd=folder,
                        env=environment)
        message = result.message("ball.obj", *names)
        check("install" in message.lower() or "voxelise" in message.lower(),
              f"it does not say what to do: {message}")
    check(os.listdir(folder) == ["ball.obj"], str(os.listdir(folder)))


def check_voxelise(name, folder):
    path = shared("meshes", "surface", name)
    target = os.path.join(folder, "x.vtu")
    cells = 64 if THOROUGH else 8
    found = limber("mesh", path, "--voxelise", cells, "-o", target, "--json").json()
    check(found["bricks"] >= cells and found["components"] == 1,
          f"{found['bricks']} bricks in {found['components']} components")
    again = limber("mesh", target, "--json").json()
    check(again["bricks"] == found["bricks"] and again["problems"] == [],
          f"{again['bricks']} bricks, {str(again['problems'])[:300]}")


surfaces = [name for name in shared_names("meshes", "surface")
            if name.endswith((".obj", ".off", ".ply"))] or ["bunny_npm.obj"]
for name in surfaces if THOROUGH else [n for n in surfaces if n.startswith(("cow", "suz"))]:
    add_case(f"mesh_voxelises_{name}", lambda folder, name=name: check_voxelise(name, folder))


# ---- modes, static, evaluate, info, bench --------------------------------------------------------


@case
def modes_prints_the_documented_fields(folder):
    bar = generate(folder, "bar.msh", "bar", "--size", "1,0.1,0.1", "--cells", "4,1,1")
    found = limber("modes", bar, "--count", 5, "--density", 500, "--json").json()
    check_fields(found, ("frequencies_hz", "rigid_modes", "total_mass"), "modes --json")
    check(len(found["frequencies_hz"]) == 5 and found["rigid_modes"] == 6, str(found))
    check(min(found["frequencies_hz"]) > 0, str(found))
    check_close(found["total_mass"], 5, 1e-12, "total_mass")
    stiff = limber("modes", bar, "--count", 5, "--density", 500, "--young", 4e6, "--json").json()
    for a, b in zip(found["frequencies_hz"], stiff["frequencies_hz"]):  # the default is 1e6
        check_close(b / a, 2, 1e-6, "four times as stiff is twice as fast")
    default = limber("modes", bar, "--json").json()["frequencies_hz"]
    check(len(default) == 20, f"{len(default)} modes without --count")
    shape = os.path.join(folder, "shape.csv")
    limber("modes", bar, "--shape", shape, "--mode", 2).expect(0)
    check(len(read_csv(shape)[1]) == 20, "--shape writes one row a vertex")


@case
def static_prints_the_documented_fields(folder):
    found = limber("static", scene_file(folder), "--json").json()
    check_fields(found, ("probes", "energy", "iterations", "residual"), "static --json")
    check_fields(found["probes"][0], ("body", "vertex", "rest", "displacement"), "a probe")
    check(found["probes"][0]["displacement"][2] < 0, "it does not hang")
    check(found["residual"] <= 1e-10, f"residual {found['residual']}, tolerance 1e-10")


@case
def evaluate_prints_the_documented_fields_and_files(folder):
    scene = scene_file(folder)
    limber("static", scene, "--displacement", "u.csv", cwd=folder).expect(0)
    found = limber("evaluate", scene, "--displacement", "u.csv", "--forces", "f.csv", "--direction",
                   "u.csv", "--tangent", "Kd.csv", "--json", cwd=folder).json()
    check_fields(found, ("energy", "von_mises"), "evaluate --json")
    check_fields(found["von_mises"], ("max", "element"), "von_mises")
    energy = limber("static", scene, "--json").json()["energy"]
    check_close(found["energy"], energy, 1e-12 * energy, "energy of static and evaluate")
    for name in ("u.csv", "f.csv", "Kd.csv"):
        check(len(read_csv(os.path.join(folder, name))[1]) == 20, f"{name} has a row a vertex")
    forces = [row[-3:] for row in read_csv(os.path.join(folder, "f.csv"))[1]]
    total = [sum(row[i] for row in forces) for i in range(3)]  # fixed vertices are included
    check_rows([total], [[0, 0, 0]], 1e-9 * max(abs(x) for row in forces for x in row), "sum of f")
    rest = limber("evaluate", scene, "--json").json()
    check_close(rest["energy"], 0, 0, "energy at rest")


@case
def evaluate_reads_tables_with_and_without_header_and_node_column(folder):
    scene = scene_file(folder)
    limber("static", scene, "--displacement", "u.csv", cwd=folder).expect(0)
    rows = [line.split(",")[-3:] for line in open(os.path.join(folder, "u.csv"))][1:]
    plain = "".join(",".join(row) for row in rows)
    numbered = "".join(f"{i + 1}," + ",".join(row) for i, row in enumerate(rows))
    energies = set()
    for name, text in (("a.csv", plain), ("b.csv", "x,y,z\n" + plain), ("c.csv", numbered),
                       ("d.csv", "node,x,y,z\n" + numbered)):
        path = write(folder, name, text)
        energies.add(limber("evaluate", scene, "--displacement", path, "--json").json()["energy"])
    check(len(energies) == 1, f"the same table read four ways gives {energies}")


@case
def info_describes_meshes_and_scenes(folder):
    bar = generate(folder, "bar.msh", "bar")
    found = limber("info", bar, "--json").json()
    check_fields(found, MESH_FIELDS | {"kind"}, "info --json of a mesh")
    scene = limber("info", scene_file(folder), "--json").json()
    check_fields(scene, ("kind", "bodies", "gravity", "time_step", "steps"), "info --json")
    check(scene["bodies"][0]["fixed_vertices"] == 4, str(scene))
    limber("info", os.path.join(ROOT, "scenes", "bar.json")).expect(0)


@case
def bench_prints_the_documented_rows(folder):
    bar = generate(folder, "bar.msh", "bar", "--cells", "6,2,2")
    rows = limber("bench", "fem", "--mesh", bar, "--threads", 1, "--json").json()
    for row in rows:
        check_fields(row, ("name", "parameters", "unit", "median", "min", "p99", "max", "repeats",
                           "paper", "peer", "limit"), "a bench row")
        check(row["median"] is not None and 0 < row["min"] <= row["median"], str(row))
        check(row["median"] <= row["p99"] <= row["max"], str(row))
    names = {row["name"] for row in rows}
    check(names >= {"fem.force_stiffness", "fem.factor_solve", "fem.modes"}, str(names))
    rows = limber("bench", "fem.factor_solve", "--mesh", bar, "--threads", 1, "--json").json()
    check({row["name"] for row in rows} == {"fem.factor_solve"}, str(rows))
    limber("bench", "fem.nothing", "--mesh", bar).message("no row", status=2)


@fast_case
def bench_web_says_why_there_is_no_page(folder):
    rows = limber("bench", "web", "--json", "--quiet", env={"PATH": folder}).json()
    check([row["name"] for row in rows] == ["web.step"] * 3 + ["web.build"] * 2, str(rows))
    check([row["parameters"]["where"] for row in rows] == ["native"] * 2 + ["chromium"] * 3, str(rows))
    check(rows[0]["median"] > 0 and rows[1]["median"] > 0 and rows[2]["median"] is None, str(rows))
    check(any(part in rows[2]["note"] for part in ("--target bench-web", "no chromium", "libmicrohttpd")),
          str(rows[2]))
    for row in rows[3:]:
        check(row["median"] is None and any(part in row["note"] for part in ("make web", "no chromium", "libmicrohttpd")),
              str(row))


@fast_case
def bench_render_says_why_nothing_can_be_drawn(folder):
    # The frames themselves are timed by people: software takes seconds for them.
    nowhere = dict(os.environ, __EGL_VENDOR_LIBRARY_FILENAMES=os.path.join(folder, "no.json"))
    rows = limber("bench", "render", "--json", "--quiet", env=nowhere).json()
    names = [row["name"] for row in rows]
    check(names == ["render.skin"] + ["render.frame"] * 3, str(names))
    check(rows[0]["median"] > 0 and rows[0]["parameters"]["triangles"] == 100000, str(rows[0]))
    for row in rows[1:]:
        check(row["median"] is None and row["parameters"]["device"] == "none", str(row))
        check("EGL" in row["note"], str(row))
    limber("bench", "render", "--mesh", "x.msh").message("--mesh", status=2)


@case
def bench_haptics_prints_the_documented_rows(folder):
    block = generate(folder, "block.msh", "bar", "--cells", "8,3,2", "--size", "1,0.3,0.2")
    rows = limber("bench", "haptics", "--mesh", block, "--seconds", 1, "--json").json()
    found = {row["name"]: row for row in rows}
    check(set(found) == {"haptics.step", "haptics.jitter", "haptics.missed", "haptics.tool"},
          str(set(found)))
    check(found["haptics.step"]["median"] > 0 and found["haptics.missed"]["median"] >= 0, str(rows))
    check("p99" in found["haptics.step"]["note"], str(rows))
    for row in (row for row in rows if row["name"] == "haptics.tool"):
        check(row["median"] > 0 and "p99" in row["note"] and "too long" in row["note"], str(row))
    limber("bench", "haptics", "--seconds", 0).message("--seconds", status=2)
    limber("bench", "modal", "--mesh", block).message("--mesh", status=2)
    limber("bench", "fem", "--fixed", "x.bou").message("--fixed", status=2)
    limber("bench", "haptics", "--mesh", block, "--fixed", os.path.join(folder, "no.bou")).message(
        "no.bou")


# ---- run -----------------------------------------------------------------------------------------


def check_glb(path):
    content = open(path, "rb").read()
    magic, version, length = struct.unpack("<4sII", content[:12])
    check(magic == b"glTF" and version == 2 and length == len(content), f"{path} is no .glb")
    bytes_, kind = struct.unpack("<I4s", content[12:20])
    document = json.loads(content[20:20 + bytes_])
    check(kind == b"JSON" and document["animations"], "the .glb has no animation")


def check_run(found):
    check_fields(found, ("steps", "time", "bodies", "probes", "flags"), "run --json")
    body = found["bodies"][0]
    check_fields(body, ("name", "method", "vertices", "elements", "dimension", "mass", "centre",
                        "linear_momentum", "angular_momentum", "step_us", "energy"), "a body")
    check_fields(body["step_us"], ("median", "p99", "max"), "step_us")
    check_fields(body["energy"], ("kinetic", "elastic"), "energy")
    check_fields(found["probes"][0], ("body", "vertex", "rest", "displacement"), "a probe")
    check((found["steps"], body["dimension"], found["flags"]) == (5, 48, []), str(found))
    check_close(found["time"], 0.05, 1e-12, "time")
    check_close(body["mass"], 40, 1e-12, "mass")


def check_probes(path, steps, probe_count):
    text = open(path).read()
    lines = text.split("\n")
    check(lines[-1] == "" and len(lines) == steps + 3, f"{len(lines)} lines for {steps} steps")
    check("#" not in text, "there is a comment")
    header = lines[0].split(",")
    check(header[0].strip() == "t" and len(header) == 1 + 3 * probe_count, f"header {lines[0]!r}")
    rows = read_csv(path)[1]
    check(all(len(row) == 1 + 3 * probe_count for row in rows), "a row has another length")
    check(rows[0] == [0] * (1 + 3 * probe_count), f"the first row is {rows[0]}")
    return rows


@case
def run_prints_the_documented_fields_and_writes_nothing(folder):
    scene = scene_file(folder)
    place = os.path.join(folder, "empty")
    os.mkdir(place)
    check_run(limber("run", scene, "--json", cwd=place).json())
    limber("run", scene, cwd=place).expect(0)
    check(os.listdir(place) == [], f"run wrote {os.listdir(place)}")


@case
def run_writes_animation_probes_and_results_into_a_folder(folder):
    scene = scene_file(folder, probes=[{"vertex": 4}, {"vertex": 9}])
    place = os.path.join(folder, "new", "out")
    found = limber("run", scene, "-o", place, "--json").json()
    check(sorted(os.listdir(place)) == ["animation.glb", "probes.csv", "run.json"],
          str(os.listdir(place)))
    check_glb(os.path.join(place, "animation.glb"))
    rows = check_probes(os.path.join(place, "probes.csv"), 5, 2)
    check_rows([rows[-1][1:4]], [found["probes"][0]["displacement"]], 0, "last row and JSON")
    check(read_json(os.path.join(place, "run.json")) == found, "run.json is not what was printed")
    limber("run", scene, "-o", place).expect(0)  # over what is there


@case
def run_writes_probes_alone(folder):
    scene = scene_file(folder)
    place = os.path.join(folder, "empty")
    os.mkdir(place)
    limber("run", scene, "--probes", "p.csv", "--count", 7, cwd=place).expect(0)
    check(os.listdir(place) == ["p.csv"], str(os.listdir(place)))
    rows = check_probes(os.path.join(place, "p.csv"), 7, 1)
    for step, row in enumerate(rows):
        check_close(row[0], 0.01 * step, 1e-12, f"t of row {step}")
    limber("run", scene_file(folder, probes=[]), "--probes", "none.csv", cwd=place).expect(0)
    check_probes(os.path.join(place, "none.csv"), 5, 0)


@case
def run_warns_where_there_is_no_step_to_take(folder):
    result = limber("run", scene_file(folder, time=None)).expect(0)
    check("warning" in result.err and "--count" in result.err, result.err)
    check(limber("run", scene_file(folder, time=None), "--count", 0).expect(0).err == "", "warned")


@case
def loads_act_in_the_stated_steps_only(folder):
    load = {"body": "bar", "vertex": 4, "force": [0, 0, 10], "from": 0.02, "to": 0.03}
    scene = scene_file(folder, gravity=[0, 0, 0], loads=[load])
    path = os.path.join(folder, "p.csv")
    limber("run", scene, "--probes", path).expect(0)
    rows = read_csv(path)[1]  # acts at t = 0.03 only
    check(all(row[3] == 0 for row in rows[:3]), f"it moved before the load: {rows[:3]}")
    check(all(row[3] > 0 for row in rows[3:]), f"the load did not act: {rows[3:]}")


# ---- common options ------------------------------------------------------------------------------


@case
def json_is_the_only_thing_on_stdout_and_quiet_silences_stderr(folder):
    ball = generate(folder, "ball.obj", "sphere", "--surface")
    loud = limber("mesh", ball, "--voxelise", 6, "--json")
    loud.json()
    check("voxelised" in loud.err, f"no note on stderr: {loud.err!r}")
    check(limber("mesh", ball, "--voxelise", 6, "--json", "--quiet").expect(0).err == "", "noise")
    warned = scene_file(folder, scale=2000)
    check("warning" in limber("info", warned).expect(0).err, "an object of 2 km draws no warning")
    check(limber("info", warned, "--quiet").expect(0).err == "", "noise")


@case
def json_numbers_have_17_digits(folder):
    found = limber("mesh", "--generate", "bar", "--size", "0.1,0.1,0.3", "--json").out
    check("0.10000000000000001" in found and "0.29999999999999999" in found, found[:600])


@case
def failures_print_nothing_on_stdout(folder):
    missing = os.path.join(folder, "missing.msh")
    for verb in ("mesh", "modes", "static", "evaluate", "build", "info", "run"):
        for words in ([], ["--json"], ["--quiet"]):
            limber(verb, missing, *words).message("missing.msh")
    limber("bench", "fem", "--mesh", missing, "--json").message("missing.msh")


run_cases()
