#!/usr/bin/env python3
"""Bad input and bad luck: malformed files, impossible scenes, full disks, Ctrl-C, closed pipes.

Every failure must be one line that begins "limber: ", names the file and says what is wrong, with
exit status 1, nothing on stdout and no file left half-written.
"""
import os
import resource
import signal
import struct
import subprocess
import time

from cli_testing import (PROGRAM, SANITIZED, Failure, add_case, bar_scene, case, check, limber,
                         run_cases, shared, shared_names, write, write_json)

SECONDS = 60 if SANITIZED else 10  # that "at once" may take on a busy machine

MSH = ("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n{nodes}\n$EndNodes\n$Elements\n{elements}\n"
       "$EndElements\n")
FOUR_NODES = "4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1"
ONE_TET = "1\n1 4 2 1 1 1 2 3 4"


def refuse(path, *parts, verb="mesh"):
    """The file must be refused by name."""
    return limber(verb, path, "--json", "--quiet", timeout=SECONDS).message(
        os.path.basename(path), *parts)


# ---- files of others -----------------------------------------------------------------------------


def check_bad_file(name, words, folder):
    path = shared("meshes", "bad", name)
    result = limber("mesh", path, "--json", "--quiet", *words, timeout=SECONDS)
    if result.status == 0:
        result.json()
        check(result.err == "", f"--quiet and yet: {result.err}")
    else:
        result.message(name)


for name in shared_names("meshes", "bad") or ["OutOfMemory.off"]:
    add_case(f"bad_{name}_is_described_or_refused",
             lambda folder, name=name: check_bad_file(name, [], folder))
    add_case(f"bad_{name}_is_voxelised_or_refused",
             lambda folder, name=name: check_bad_file(name, ["--voxelise", 12], folder))


# ---- malformed meshes ----------------------------------------------------------------------------


@case
def coordinates_that_are_not_finite_are_refused(folder):
    for word in ("nan", "NaN", "inf", "-inf", "1e999"):
        path = write(folder, "a.obj", f"v 0 0 0\nv {word} 0 0\nv 0 1 0\nf 1 2 3\n")
        refuse(path, "vertex 1", "finite")
        path = write(folder, "a.off", f"OFF\n3 1 0\n0 0 0\n1 0 {word}\n0 1 0\n3 0 1 2\n")
        refuse(path, "finite")
        path = write(folder, "a.msh", MSH.format(nodes=FOUR_NODES.replace("1 0 0\n", f"{word} 0 0\n", 1),
                                                 elements=ONE_TET))
        refuse(path, "finite")
        path = write(folder, "a.ply", "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\n"
                     "property float y\nproperty float z\nelement face 1\nproperty list uchar int "
                     f"vertex_indices\nend_header\n0 0 0\n1 0 {word}\n0 1 0\n3 0 1 2\n")
        refuse(path, "finite")
        path = write(folder, "a.mesh", "MeshVersionFormatted 2\nDimension 3\nVertices\n4\n0 0 0 1\n"
                     f"1 {word} 0 1\n0 1 0 1\n0 0 1 1\nTetrahedra\n1\n1 2 3 4 1\nEnd\n")
        refuse(path, "finite")
        path = write(folder, "a.veg", "*VERTICES\n4 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n"
                     f"4 0 0 {word}\n*ELEMENTS\nTET\n1 4 0\n1 1 2 3 4\n")
        refuse(path, "finite")
    single = struct.pack("<12fH", 0, 0, 0, 0, 0, 0, float("nan"), 0, 0, 0, 1, 0, 0)
    path = write(folder, "a.stl", b"\0" * 80 + struct.pack("<I", 1) + single)
    refuse(path, "finite")


@case
def indices_out_of_range_are_refused_with_their_line(folder):
    path = write(folder, "a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4\n")
    refuse(path, "a.obj:4", "4")
    path = write(folder, "b.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 0\n")
    refuse(path, "b.obj:4")
    path = write(folder, "a.off", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 -1\n")
    refuse(path, "a.off:6")
    path = write(folder, "a.msh", MSH.format(nodes=FOUR_NODES,
                                             elements="1\n1 4 2 1 1 1 2 3 93"))
    refuse(path, "a.msh:", "93")
    path = write(folder, "a.mesh", "MeshVersionFormatted 2\nDimension 3\nVertices\n3\n0 0 0 1\n"
                 "1 0 0 1\n0 1 0 1\nTetrahedra\n1\n1 2 3 4 1\nEnd\n")
    refuse(path, "a.mesh:", "4")
    write(folder, "t.node", "4 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n")
    refuse(write(folder, "t.ele", "1 4 0\n1 1 2 3 9\n"), "t.ele:2", "9")
    path = write(folder, "a.veg", "*VERTICES\n3 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n*ELEMENTS\nTET\n"
                 "1 4 0\n1 1 2 3 4\n")
    refuse(path, "a.veg:", "4")
    path = write(folder, "a.vtk", "# vtk DataFile Version 3.0\nx\nASCII\nDATASET UNSTRUCTURED_GRID\n"
                 "POINTS 3 float\n0 0 0 1 0 0 0 1 0\nCELLS 1 5\n4 0 1 2 7\nCELL_TYPES 1\n10\n")
    refuse(path, "a.vtk:", "7")


@case
def absurd_counts_are_refused_before_memory_is_asked_for(folder):
    def small_memory():
        if not SANITIZED:  # whose shadow needs the room
            resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))
    huge = "353535235358"
    files = {
        "a.off": f"OFF\n{huge} 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n",
        "a.ply": f"ply\nformat ascii 1.0\nelement vertex {huge}\nproperty float x\nproperty float y"
                 "\nproperty float z\nend_header\n0 0 0\n",
        "b.ply": "ply\nformat binary_little_endian 1.0\nelement vertex 2000000000\nproperty float x"
                 "\nproperty float y\nproperty float z\nend_header\n",
        "a.msh": MSH.format(nodes=huge + "\n1 0 0 0", elements=ONE_TET),
        "b.msh": MSH.format(nodes=FOUR_NODES, elements="2000000000\n1 4 2 1 1 1 2 3 4"),
        "a.mesh": f"MeshVersionFormatted 2\nDimension 3\nVertices\n{huge}\n0 0 0 1\nEnd\n",
        "a.veg": "*VERTICES\n2000000000 3 0 0\n1 0 0 0\n*ELEMENTS\nTET\n1 4 0\n1 1 2 3 4\n",
        "a.vtk": "# vtk DataFile Version 3.0\nx\nASCII\nDATASET UNSTRUCTURED_GRID\n"
                 "POINTS 2000000000 double\n0 0 0\n",
        "a.stl": b"\0" * 80 + struct.pack("<I", 0xFFFFFFF0) + b"\0" * 50,
    }
    for name, content in files.items():
        path = write(folder, name, content)
        limber("mesh", path, "--json", "--threads", 1, timeout=SECONDS,
               preexec=small_memory).message(name)


@case
def empty_and_foreign_files_are_refused(folder):
    names = ["a" + extension for extension in (".msh", ".ele", ".mesh", ".veg", ".vtk", ".vtu",
                                               ".obj", ".stl", ".ply", ".off", ".glb", ".json")]
    for name in names:
        refuse(write(folder, name, b""), verb="info")
    for name in names:
        refuse(write(folder, name, bytes(range(256)) * 8), verb="info")
        refuse(write(folder, name, b"\0" * 500), verb="info")
    for name in ("a.txt", "a.xyz", "a"):
        refuse(write(folder, name, "hello\n"), ".obj")


@case
def every_truncation_of_a_mesh_ends_well(folder):
    whole = MSH.format(nodes=FOUR_NODES, elements=ONE_TET).encode()
    step = 23 if SANITIZED else 7
    for length in range(1, len(whole) - 15, step):
        refuse(write(folder, "cut.msh", whole[:length]))


@case
def missing_files_and_folders_are_refused_by_name(folder):
    for verb in ("mesh", "info", "modes", "evaluate", "static", "run"):
        refuse(os.path.join(folder, "none.msh"), "no such file", verb=verb)
        refuse(os.path.join(folder, "none.json"), "no such file", verb=verb)
        refuse(folder, "folder", verb=verb)
    os.mkdir(os.path.join(folder, "d.msh"))
    refuse(os.path.join(folder, "d.msh"), "folder")
    scene = write_json(folder, "s.json", bar_scene(mesh="gone.msh"))
    limber("static", scene).message("gone.msh", "no such file")
    scene = write_json(folder, "s.json", bar_scene(mesh=""))
    refuse(scene, "bodies[0].mesh", verb="static")


# ---- scenes --------------------------------------------------------------------------------------


def refuse_scene(folder, *parts, verb="static", **changes):
    path = write_json(folder, "scene.json", bar_scene(**changes))
    return refuse(path, *parts, verb=verb)


@case
def materials_out_of_range_are_refused_by_field(folder):
    good = {"model": "stvk", "young": 1e6, "poisson": 0.4, "density": 1000}
    for field, values in (("poisson", (0.5, 0.6, -1, -3)), ("young", (0, -1e6)),
                          ("density", (0, -1000))):
        for value in values:
            for verb in ("modes", "static", "run", "evaluate", "info"):
                refuse_scene(folder, "bodies[0].material", f"{field} is {value:g}", verb=verb,
                             material=dict(good, **{field: value}))
    refuse_scene(folder, "material.young", "number", material=dict(good, young="soft"))
    refuse_scene(folder, "material.model", 'did you mean "stvk"', material=dict(good, model="svk"))
    refuse_scene(folder, "c10", material={"model": "mooneyrivlin", "c10": -1, "c01": 0, "v1": 1,
                                          "density": 1})
    refuse_scene(folder, "young", "mooneyrivlin", material={"model": "mooneyrivlin", "c10": 1,
                                                            "c01": 1, "v1": 1, "young": 1})
    refuse_scene(folder, "no material", material=None)


@case
def supports_that_hold_all_or_nothing_are_refused(folder):
    for verb in ("static", "modes", "run"):
        refuse_scene(folder, "all vertices are fixed", verb=verb,
                     fixed={"box": [[-9, -9, -9], [9, 9, 9]]})
    refuse_scene(folder, '"fixed"', fixed=None)
    refuse_scene(folder, '"fixed"', fixed={"vertices": []})
    refuse_scene(folder, '"fixed"', fixed={"box": [[8, 8, 8], [9, 9, 9]]})
    refuse_scene(folder, "rigid motion", fixed={"vertices": [0]})
    refuse_scene(folder, "rigid motion", fixed={"vertices": [0, 1]})
    refuse_scene(folder, "fixed.vertices[1]", "999", fixed={"vertices": [0, 999]})
    refuse_scene(folder, "fixed.vertices[0]", "-1", fixed={"vertices": [-1]})
    refuse_scene(folder, "fixed.group", "left", fixed={"group": "lft"})
    refuse_scene(folder, "fixed.box", fixed={"box": [0, 1]})
    limber("static", write_json(folder, "s.json", bar_scene(fixed={"file": "gone.bou"}))).message(
        "gone.bou")


@case
def unknown_keys_are_refused_with_a_suggestion(folder):
    scene = bar_scene()
    for place, key, near in ((scene, "gravty", "gravity"), (scene["bodies"][0], "materal",
                                                            "material"),
                             (scene["bodies"][0]["material"], "yuong", "young"),
                             (scene["bodies"][0]["mesh"], "cell", "cells"),
                             (scene["bodies"][0]["fixed"], "bx", "box"),
                             (scene["time"], "steps", "step"), (scene["probes"][0], "vertx",
                                                                "vertex")):
        place[key] = 1
        path = write_json(folder, "scene.json", scene)
        refuse(path, f'"{key}"', f'did you mean "{near}"', verb="static")
        del place[key]
    scene["zzzzzz"] = 1
    refuse(write_json(folder, "scene.json", scene), '"zzzzzz"', verb="run")


@case
def values_of_the_wrong_kind_are_refused_by_field(folder):
    refuse_scene(folder, "gravity", "3 numbers", gravity=[0, 0])
    refuse_scene(folder, "gravity[1]", "number", gravity=[0, "g", 0])
    refuse_scene(folder, "bodies", bodies=[])
    refuse_scene(folder, "bodies", bodies={})
    refuse_scene(folder, "bodies[0]", bodies=[3])
    refuse_scene(folder, "mesh.generate", 'did you mean "bar"', mesh={"generate": "bra"})
    refuse_scene(folder, "mesh.cells[0]", mesh={"generate": "bar", "cells": [0, 1, 1]})
    refuse_scene(folder, "mesh", mesh={"surface": "x.obj"})
    refuse_scene(folder, "mesh", mesh=7)
    refuse_scene(folder, "method", 'did you mean "full"', method="ful")
    refuse_scene(folder, "mass", mass="heavy")
    refuse_scene(folder, "scale", scale=0)
    refuse_scene(folder, "rotation", rotation=[0, 0, 0, 0])
    refuse_scene(folder, "damping", damping={"mass": -1})
    refuse_scene(folder, "time.step", time={"step": 0})
    refuse_scene(folder, "time.count", time={"step": 1, "count": -1})
    refuse_scene(folder, "time.integrator", "newmark", time={"integrator": "rk4"})
    refuse_scene(folder, "probes[0].vertex", "20", probes=[{"body": "bar", "vertex": 20}])
    refuse_scene(folder, "probes[0]", '"vertex"', probes=[{"body": "bar"}])
    refuse_scene(folder, "loads[0].body", '"rab"',
                 loads=[{"body": "rab", "vertex": 1, "force": [0, 0, 1]}])
    refuse_scene(folder, "loads[0]", '"force"', loads=[{"body": "bar", "vertex": 1}])
    body = bar_scene()["bodies"][0]
    refuse_scene(folder, 'two bodies are called "bar"', bodies=[body, body])
    two = write_json(folder, "two.json", bar_scene(bodies=[body, dict(body, name="other")]))
    limber("modes", two).message("two.json", "--body")
    limber("modes", two, "--body", "third").message("two.json", '"third"')


@case
def json_that_is_no_scene_is_refused_with_its_line(folder):
    for text, part in (("{", "scene.json:1"), ('{\n"limber": 1,\n]', "scene.json:3"), ("[]", "object"),
                       ("{}", '"limber"'), ('{"limber": 2}', "version 2"), ("7", "scene.json"),
                       ('{"limber": 1, "gravity": [0, 0, NaN]}', "NaN"),
                       ('{"limber": 1, "gravity": [0, 0, 1e999]}', "1e999"),
                       ('{"limber": 1, "limber": 1}', "duplicate"), ("[" * 100000, "scene.json")):
        refuse(write(folder, "scene.json", text), part, verb="run")


@case
def elements_that_cannot_be_simulated_are_refused_by_number(folder):
    flat = FOUR_NODES.replace("4 0 0 1", "4 1 1 0")
    path = write(folder, "flat.msh", MSH.format(nodes=flat, elements=ONE_TET))
    check(limber("mesh", path, "--json").json()["problems"], "the flat tet is no problem")
    for verb in ("modes", "evaluate"):
        refuse(path, "element 0", verb=verb)
    surface = write(folder, "s.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    for verb in ("modes", "evaluate"):
        refuse(surface, "voxelise", verb=verb)
    none = write(folder, "none.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\n")
    limber("mesh", none, "--voxelise", 4).message("none.obj", "no triangles")


@case
def too_many_modes_are_refused_with_the_possible_number(folder):
    path = write(folder, "one.msh", MSH.format(nodes=FOUR_NODES, elements=ONE_TET))
    limber("modes", path, "--count", 7).message("one.msh", "at most 6")
    check(len(limber("modes", path, "--count", 6, "--json").json()["frequencies_hz"]) == 6, "6")


@case
def tables_that_do_not_fit_are_refused_with_their_line(folder):
    mesh = write(folder, "one.msh", MSH.format(nodes=FOUR_NODES, elements=ONE_TET))
    for text, part in (("1,2,3\n", "4 vertices"), ("0,0,0\n" * 5, "4 vertices"), ("", "u.csv"),
                       ("0,0,0\n0,0,x\n0,0,0\n0,0,0\n", "u.csv:2"),
                       ("0,0,0\n0,0\n0,0,0\n0,0,0\n", "u.csv:2"),
                       ("0,0,0\n0,0,nan\n0,0,0\n0,0,0\n", "u.csv:2"),
                       ("1,0,0,0\n1,0,0,0\n3,0,0,0\n4,0,0,0\n", "u.csv:2")):
        path = write(folder, "u.csv", text)
        limber("evaluate", mesh, "--displacement", path).message("u.csv", part)
        limber("evaluate", mesh, "--direction", path, "--tangent",
               os.path.join(folder, "K.csv")).message("u.csv", part)
    limber("evaluate", mesh, "--displacement", "gone.csv").message("gone.csv")
    check(not os.path.exists(os.path.join(folder, "K.csv")), "a refused job wrote its output")


@case
def an_inverted_element_without_energy_is_named(folder):
    mesh = write(folder, "one.msh", MSH.format(nodes=FOUR_NODES, elements=ONE_TET))
    table = write(folder, "u.csv", "0,0,0\n0,0,0\n0,0,0\n0,0,-3\n")
    limber("evaluate", mesh, "--model", "neohookean", "--displacement", table).message(
        "one.msh", "element 0", "inverted")
    limber("evaluate", mesh, "--model", "stvk", "--displacement", table).expect(0)


# ---- output that cannot be written ---------------------------------------------------------------


def writers(folder, target):
    """A command for every kind of file that is written, the target's extension being .msh"""
    scene = write_json(folder, "scene.json", bar_scene())
    stem = target[:-4]
    return [["mesh", "--generate", "bar", "-o", stem + extension]
            for extension in (".msh", ".vtu", ".obj", ".stl", ".ply")] + [
        ["modes", scene, "--count", 3, "--shape", stem + ".csv"],
        ["static", scene, "--displacement", stem + ".csv"],
        ["evaluate", scene, "--forces", stem + ".csv"],
        ["run", scene, "--probes", stem + ".csv"]]


@case
def output_into_a_missing_folder_is_refused(folder):
    for command in writers(folder, os.path.join(folder, "gone", "x.msh")):
        limber(*command, "--json").message("gone/x.", "folder")
    limber("mesh", "--generate", "bar", "-o", "x.foo").message("x.foo", ".msh", ".obj")
    check(os.listdir(folder) == ["scene.json"], str(os.listdir(folder)))


@case
def output_onto_a_folder_is_refused(folder):
    for extension in (".msh", ".vtu", ".obj", ".stl", ".ply", ".csv"):
        os.mkdir(os.path.join(folder, "x" + extension))
    before = sorted(os.listdir(folder) + ["scene.json"])
    for command in writers(folder, os.path.join(folder, "x.msh")):
        limber(*command, "--json").message("x.", "is a folder")
    check(sorted(os.listdir(folder)) == before, str(os.listdir(folder)))
    scene = os.path.join(folder, "scene.json")
    limber("run", scene, "-o", scene).message("scene.json", "not a folder")
    limber("run", scene, "-o", scene + "/out").message("scene.json")


@case
def a_full_device_is_a_failure(folder):
    if not os.path.exists("/dev/full"):
        raise Failure("there is no /dev/full")
    for extension in (".msh", ".vtu", ".obj", ".stl", ".ply", ".csv"):
        os.symlink("/dev/full", os.path.join(folder, "x" + extension))
    before = sorted(os.listdir(folder) + ["scene.json"])
    for command in writers(folder, os.path.join(folder, "x.msh")):
        limber(*command, "--json").message("x.", "full")
    check(sorted(os.listdir(folder)) == before, str(os.listdir(folder)))
    for words in (["--version"], ["--help"], ["mesh", "--generate", "bar"],
                  ["mesh", "--generate", "bar", "--json"]):
        with open("/dev/full", "wb") as full:
            done = subprocess.run([PROGRAM] + words, stdout=full, stderr=subprocess.PIPE)
        check(done.returncode == 1 and done.stderr.startswith(b"limber: standard output"),
              f"{words} > /dev/full: status {done.returncode}, {done.stderr}")


@case
def a_full_disk_leaves_the_old_file_and_no_other(folder):
    def full_disk():
        resource.setrlimit(resource.RLIMIT_FSIZE, (64, 64))
    old = {"x" + extension: b"precious" for extension in (".msh", ".vtu", ".obj", ".stl", ".ply",
                                                          ".csv")}
    for name, content in old.items():
        write(folder, name, content)
    for command in writers(folder, os.path.join(folder, "x.msh")):
        if command[0] == "run":
            command += ["--count", 40]  # a table over the limit
        limber(*command, "--json", preexec=full_disk).message("x.", "full")
    check(sorted(os.listdir(folder)) == sorted(list(old) + ["scene.json"]), str(os.listdir(folder)))
    for name, content in old.items():
        found = open(os.path.join(folder, name), "rb").read()
        check(found == content, f"the old {name} became {found[:100]}")
    out = os.path.join(folder, "out")
    scene = os.path.join(folder, "scene.json")
    limber("run", scene, "-o", out, "--json", preexec=full_disk).message("full")
    left = os.listdir(out) if os.path.isdir(out) else []
    check(not [name for name in left if ".part" in name or name == "animation.glb"], str(left))


# ---- signals and pipes ---------------------------------------------------------------------------


def interrupt(words, folder, signal_number, wait=0.7, twice=False):
    """Starts the program, sends a signal, returns status, stderr and the seconds until it ended."""
    process = subprocess.Popen([PROGRAM] + [str(word) for word in words], cwd=folder,
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE)
    time.sleep(wait)
    if process.poll() is not None:
        raise Failure(f"{words} ended by itself: {process.returncode}, {process.stderr.read()}")
    start = time.time()
    process.send_signal(signal_number)
    if twice:
        process.send_signal(signal_number)
    try:
        out, err = process.communicate(timeout=SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        raise Failure(f"{words} did not end {SECONDS} s after the signal") from None
    return process.returncode, out.decode(), err.decode(), time.time() - start


def long_scene(folder):
    return write_json(folder, "long.json", bar_scene(
        mesh={"generate": "bar", "size": [1, 0.2, 0.2], "cells": [10, 2, 2]},
        time={"step": 0.001, "count": 200000}))


@case
def ctrl_c_ends_a_run_with_one_message_and_nothing_written(folder):
    scene = long_scene(folder)
    for number, twice in ((signal.SIGINT, False), (signal.SIGTERM, False), (signal.SIGINT, True)):
        status, out, err, seconds = interrupt(
            ["run", scene, "-o", "out", "--probes", "p.csv", "--json", "--quiet"], folder, number,
            twice=twice)
        check(status == 1, f"the exit status is {status}, it should be 1: {err}")
        check(out == "" and err.count("\n") == 1 and err.startswith("limber: ")
              and "interrupted" in err, f"stdout {out!r}, stderr {err!r}")
        check(os.listdir(folder) == ["long.json"], f"it left {os.listdir(folder)}")
        check(seconds < (20 if SANITIZED else 5), f"it took {seconds:.1f} s")


@case
def ctrl_c_ends_the_reading_of_many_bodies(folder):
    body = dict(bar_scene()["bodies"][0], instances=10000)
    scene = write_json(folder, "many.json", bar_scene(bodies=[body], probes=None))
    status, out, err, seconds = interrupt(["run", scene, "--quiet"], folder, signal.SIGINT)
    check(status == 1 and out == "" and "interrupted" in err, f"{status}, {out!r}, {err!r}")
    check(seconds < (20 if SANITIZED else 5), f"it took {seconds:.1f} s")


@case
def ctrl_c_ends_work_that_does_not_ask_for_it(folder):
    words = ["mesh", "--generate", "bar", "--cells", "100,80,80", "--quiet"]
    status, out, err, seconds = interrupt(words, folder, signal.SIGINT)
    check(status == 1 and out == "" and "interrupted" in err, f"{status}, {out!r}, {err!r}")
    check(seconds < (20 if SANITIZED else 5), f"it took {seconds:.1f} s")


@case
def ctrl_c_ends_long_modes(folder):
    scene = write_json(folder, "modes.json", bar_scene(
        mesh={"generate": "bar", "cells": [40, 10, 10]}))
    status, out, err, _ = interrupt(["modes", scene, "--count", 400, "--quiet"], folder,
                                    signal.SIGINT)
    check(status == 1 and out == "" and "interrupted" in err, f"{status}, {out!r}, {err!r}")


@case
def a_closed_pipe_does_not_crash(folder):
    mesh = write(folder, "one.msh", MSH.format(nodes=FOUR_NODES, elements=ONE_TET))
    for words in (["mesh", mesh, "--json"], ["mesh", mesh], ["--help"], ["mesh", "--help"],
                  ["modes", mesh, "--count", "3"]):
        reading, writing = os.pipe()
        os.close(reading)
        done = subprocess.run([PROGRAM] + words, stdout=writing, stderr=subprocess.PIPE,
                              timeout=SECONDS)
        os.close(writing)
        check(done.returncode == 1 and done.stderr == b"",
              f"{words} into a closed pipe: status {done.returncode}, {done.stderr}")
    reading, writing = os.pipe()  # messages nobody hears do not stop the work
    os.close(reading)
    done = subprocess.run([PROGRAM, "mesh", "gone.msh"], stderr=writing, timeout=SECONDS)
    os.close(writing)
    check(done.returncode == 1, f"closed stderr: status {done.returncode}")


@case
def standard_streams_may_be_closed(folder):
    target = os.path.join(folder, "x.msh")
    def close_all():
        for number in (0, 1, 2):
            os.close(number)
    subprocess.run([PROGRAM, "mesh", "--generate", "bar", "-o", target, "--quiet"],
                   preexec_fn=close_all, timeout=SECONDS)
    if os.path.exists(target):  # then it holds the mesh and nothing that was meant for a stream
        limber("mesh", target).expect(0)


run_cases()
