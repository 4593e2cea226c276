#!/usr/bin/env python3
"""What strangers' files, signals and full disks must not do: read what they should not, fill the
memory, leave processes and files behind, reach the terminal."""
import base64
import json
import os
import re
import resource
import shutil
import signal
import stat
import struct
import subprocess
import time
import zlib

from cli_testing import (PROGRAM, ROOT, SANITIZED, Failure, Skip, bar_scene, case, check,
                         fast_case, limber, run_cases, write, write_json)

SECONDS = 60 if SANITIZED else 20
TRIANGLE = "v 0 0 0\nv 1 0 0\nv 0 1 0\n"
BOX = "".join(f"v {x} {y} {z}\n" for x in (0, 1) for y in (0, 1) for z in (0, 1)) + (
    "f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n")


def gigabytes(number):
    """A limit on memory; sanitizers have address space of their own and get none."""
    def limit():
        if not SANITIZED:
            resource.setrlimit(resource.RLIMIT_AS, (int(number * 2**30),) * 2)
    return limit


# ---- memory that is not there --------------------------------------------------------------------


@fast_case
def what_no_memory_holds_is_said_with_an_estimate(folder):
    """Element data by counts, before they are made; the factor by its analysis."""
    box = write(folder, "box.obj", BOX)
    for cells, what in ((66, 'body "box.obj": 902289 rows'), (40, "the factor of 191634 rows")):
        found = limber("build", box, "--cells", cells, "--threads", 1, "--accuracy", "none", "-o",
                       "x.glb", "--quiet", cwd=folder, preexec=gigabytes(1))
        found.message("box.obj", what, "GB of memory are needed", "GB are free")
        check(not os.path.exists(os.path.join(folder, "x.glb")), "a model was written")


@fast_case
def what_comes_after_the_factor_is_estimated_before_it(folder):
    """Vectors of a search, candidates of a basis, coefficients."""
    box = write(folder, "box.obj", BOX)
    for options, what, advice in (
            (("--cells", 40, "--method", "modal", "--modes", 1000), " modes of 191634 rows", "modes"),
            (("--cells", 24, "--modes", 200), "vectors of 43125 rows, of which the basis is made",
             "modes"),
            (("--cells", 6, "--modes", 60, "--dimension", 256), "the coefficients of 256 vectors",
             "dimension")):
        begin = time.monotonic()
        found = limber("build", box, *options, "--threads", 1, "--accuracy", "none", "-o", "x.glb",
                       "--quiet", cwd=folder, preexec=gigabytes(1))
        found.message("box.obj", what, "GB of memory are needed", "GB are free", advice)
        check(time.monotonic() - begin < SECONDS, "the factor was made first")
        check(not os.path.exists(os.path.join(folder, "x.glb")), "a model was written")


# ---- files that files name (10) ------------------------------------------------------------------


def names(what):
    """Scenes that name this file, one for each key that names files."""
    box = {"box": [[-1, -1, -1], [0.01, 9, 9]]}
    return {"mesh": {"mesh": what, "fixed": box},
            "surface": {"surface": what},
            "fixed": {"fixed": {"file": what}},
            "voxels": {"mesh": {"surface": what, "voxelise": 4}, "fixed": box},
            "sketch": {"method": "subspace", "reduce": {"basis": {"sketch": what}}},
            "basis": {"method": "subspace", "reduce": {"basis": {"file": what}}},
            "motion": {"motion": {"file": what, "node": "a"}}}


@case
def pipes_and_devices_that_a_scene_names_are_refused(folder):
    os.mkfifo(os.path.join(folder, "pipe.obj"))
    os.mkfifo(os.path.join(folder, "pipe.npy"))
    for what in ("pipe.obj", "/dev/zero", "."):
        for key, changes in names(what).items():
            changes = {"fixed": None, **changes} if key == "motion" else changes
            scene = write_json(folder, "scene.json", bar_scene(**changes))
            limber("run", scene, "--quiet", timeout=SECONDS, preexec=gigabytes(4)).message(
                "folder" if what == "." else "ordinary")
    scene = write_json(folder, "scene.json", {
        "limber": 1, "bodies": [{"name": "a", "model": "/dev/zero"}]})
    limber("run", scene, "--quiet", timeout=SECONDS).message("/dev/zero", "ordinary")


@case
def a_mesh_reaches_no_further_than_its_folder(folder):
    inner = os.path.join(folder, "inner")
    os.mkdir(inner)
    write(folder, "secret.bin", bytes(36))
    write(folder, "secret.txt", "*VERTICES\n3 3 0 0\n")
    os.symlink(os.path.join(folder, "secret.bin"), os.path.join(inner, "link.bin"))
    gltf = {"asset": {"version": "2.0"}, "buffers": [{"byteLength": 36}],
            "bufferViews": [{"buffer": 0, "byteLength": 36}],
            "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3"}],
            "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
            "nodes": [{"mesh": 0}], "scenes": [{"nodes": [0]}]}
    for uri in ("../secret.bin", "link.bin", "./../inner/../secret.bin"):
        gltf["buffers"][0]["uri"] = uri
        path = write_json(inner, "a.gltf", gltf)
        limber("mesh", path, "--quiet").message("outside the folder", "a.gltf")
    path = write(inner, "a.veg", "*INCLUDE ../secret.txt\n")
    limber("mesh", path, "--quiet").message("outside the folder", "a.veg:1")
    write(folder, "a.mtl", "newmtl red\nKd 1 0 0\n")
    path = write(inner, "a.obj", "mtllib ../a.mtl\n" + TRIANGLE + "usemtl red\nf 1 2 3\n")
    result = limber("mesh", path).expect(0)
    check("outside the folder" in result.err, result.err)
    # A file below is fine, and so is one that is reached by a link to the mesh itself.
    os.mkdir(os.path.join(inner, "below"))
    os.rename(os.path.join(folder, "secret.bin"), os.path.join(inner, "below", "b.bin"))
    gltf["buffers"][0]["uri"] = "below/../below/b.bin"
    path = write_json(inner, "a.gltf", gltf)
    limber("mesh", path, "--json").json()
    os.symlink(path, os.path.join(folder, "seen.gltf"))
    limber("mesh", os.path.join(folder, "seen.gltf"), "--quiet").expect(1)  # "below" is not here
    gltf["buffers"][0]["uri"] = "b.bin"
    path = write_json(os.path.join(inner, "below"), "c.gltf", gltf)
    os.remove(os.path.join(folder, "seen.gltf"))
    os.symlink(path, os.path.join(folder, "seen.gltf"))
    os.symlink(os.path.join(inner, "below", "b.bin"), os.path.join(folder, "b.bin"))
    limber("mesh", os.path.join(folder, "seen.gltf"), "--json").json()


@case
def scenes_reach_anywhere_and_the_command_line_takes_pipes(folder):
    inner = os.path.join(folder, "inner")
    os.mkdir(inner)
    write(folder, "box.obj", BOX)
    scene = write_json(inner, "scene.json", bar_scene(
        mesh={"surface": "../box.obj", "voxelise": 3}, probes=None,
        fixed={"box": [[-1, -1, -1], [0.01, 9, 9]]}))
    limber("info", scene, "--json").json()
    found = subprocess.run(f"cat box.obj | {PROGRAM} mesh /dev/stdin --json", cwd=folder, shell=True,
                           capture_output=True, timeout=SECONDS)
    check(b"unknown" in found.stderr, str(found))  # read, and of no known format
    os.mkfifo(os.path.join(folder, "p.obj"))
    writer = subprocess.Popen(["sh", "-c", "cat box.obj > p.obj"], cwd=folder)
    limber("mesh", os.path.join(folder, "p.obj"), "--json", timeout=SECONDS).json()
    writer.wait()


# ---- budgets (11) --------------------------------------------------------------------------------


def bomb_vtu(points):
    zeros = bytes(24 * points)
    packed = zlib.compress(zeros, 9)
    head = struct.pack("<QQQQ", 1, len(zeros), 0, len(packed))
    blank = zlib.compress(b"", 9)
    empty = struct.pack("<QQQQ", 1, 0, 0, len(blank))
    xml = ('<VTKFile type="UnstructuredGrid" byte_order="LittleEndian" header_type="UInt64" '
           'compressor="vtkZLibDataCompressor"><UnstructuredGrid>'
           f'<Piece NumberOfPoints="{points}" NumberOfCells="0"><Points><DataArray type="Float64" '
           'NumberOfComponents="3" format="appended" offset="0"/></Points></Piece>'
           '</UnstructuredGrid><AppendedData encoding="raw">_')
    return xml.encode() + head + packed + empty + blank + b"</AppendedData></VTKFile>"


@fast_case
def a_vtu_that_unpacks_to_gigabytes_is_refused(folder):
    path = write(folder, "bomb.vtu", bomb_vtu(8000000))  # 0.19 MB for 192 MB
    limber("mesh", path, "--quiet", preexec=gigabytes(1)).message("unpacks to", "bomb.vtu")
    path = write(folder, "small.vtu", bomb_vtu(100000))  # the floor: small files may be anything
    check("unpacks" not in limber("mesh", path, "--quiet").err, "a small file was refused")


@fast_case
def a_dae_of_many_instances_is_refused(folder):
    if not os.path.exists(os.path.join(os.path.dirname(PROGRAM), "limber-assimp")):
        raise Skip("limber-assimp is not built")
    nodes = '<node id="n0"><instance_geometry url="#g"/></node>'
    for i in range(1, 6):
        nodes += f'<node id="n{i}">' + f'<instance_node url="#n{i - 1}"/>' * 8 + "</node>"
    path = write(folder, "bomb.dae", (
        '<?xml version="1.0"?><COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" '
        'version="1.4.1"><asset><up_axis>Z_UP</up_axis></asset><library_geometries>'
        '<geometry id="g"><mesh><source id="p"><float_array id="pa" count="9">'
        '0 0 0 1 0 0 0 1 0</float_array><technique_common><accessor source="#pa" count="3" '
        'stride="3"><param name="X" type="float"/><param name="Y" type="float"/>'
        '<param name="Z" type="float"/></accessor></technique_common></source>'
        '<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>'
        '<triangles count="200"><input semantic="VERTEX" source="#v" offset="0"/><p>' + "0 1 2 " * 200 + '</p>'
        f'</triangles></mesh></geometry></library_geometries><library_nodes>{nodes}</library_nodes>'
        '<library_visual_scenes><visual_scene id="s"><node><instance_node url="#n5"/></node>'
        '</visual_scene></library_visual_scenes><scene><instance_visual_scene url="#s"/></scene>'
        "</COLLADA>"))
    limber("mesh", path, "--quiet", timeout=90).message("bomb.dae", "too much for a file of its size")


@fast_case
def a_gltf_of_many_instances_is_refused(folder):
    uri = "data:application/octet-stream;base64," + base64.b64encode(bytes(36000)).decode()

    def placed(times):
        return write_json(folder, "many.gltf", {
            "asset": {"version": "2.0"}, "buffers": [{"byteLength": 36000, "uri": uri}],
            "bufferViews": [{"buffer": 0, "byteLength": 36000}],
            "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3000, "type": "VEC3"}],
            "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
            "nodes": [{"mesh": 0}] * times, "scenes": [{"nodes": list(range(times))}]})
    limber("mesh", placed(2000), "--quiet").message("many.gltf", "too many for a file of its size")
    check(limber("mesh", placed(20), "--json").json()["vertices"] == 60000, "20 are not many")


@fast_case
def a_polygon_of_many_corners_takes_no_quadratic_time(folder):
    def user_seconds(count):
        import math
        points = [(math.cos(2 * math.pi * i / count), math.sin(2 * math.pi * i / count))
                  for i in range(count)]
        path = write(folder, "round.obj", "".join(f"v {x} {y} 0\n" for x, y in points)
                     + "f " + " ".join(str(i + 1) for i in range(count)) + "\n")
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        limber("mesh", path, "--json").json()
        return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    small, large = user_seconds(15000), user_seconds(60000)  # 4 times, not 16 times the work
    check(large < 9 * small + 1, f"15 000 corners: {small:.2f} s, 60 000: {large:.2f} s")


# ---- text of foreign origin (23) -----------------------------------------------------------------


def check_harmless(result):
    for text in (result.out, result.err):
        bad = re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e]", text)
        check(not bad, f"{bad and bad.group()!r} in {text[:300]!r}, {result.command}")


@case
def control_characters_of_files_do_not_reach_the_terminal(folder):
    evil = "\x1b]0;pwn\x07\x9b31m\x7f\u202e"
    raw = evil.encode() + b"\xff\x9b"
    obj = write(folder, "a.obj", TRIANGLE.encode() + b"g " + raw + b"\nf 1 2 3\n")
    for words in ((), ("--json",)):
        result = limber("mesh", obj, *words).expect(0)
        check_harmless(result)
        check("pwn" in result.out, "the group is not there")
    check_harmless(limber("mesh", write(folder, "b.obj", b"v " + raw + b" 0 0\n")))
    check_harmless(limber("mesh", os.path.join(folder, evil + ".obj")))
    check_harmless(limber("mesh", obj, "--" + evil))
    check_harmless(limber(evil))
    document = bar_scene()
    document["bodies"][0]["name"] = document["probes"][0]["body"] = evil + "\nwritten: lie"
    scene = write_json(folder, "s.json", document)
    for verb in ("info", "run", "static"):
        for words in ((), ("--json",)):
            result = limber(verb, scene, *words).expect(0)
            check_harmless(result)
            check("\nwritten" not in result.out, result.out)
    check_harmless(limber("run", write_json(folder, "t.json", {"limber": 1, evil: 2})))
    model = os.path.join(folder, "m.glb")
    check_harmless(limber("build", scene, "--accuracy", "none", "-o", model).expect(0))
    check_harmless(limber("info", model).expect(0))


# ---- files that are written (24) -----------------------------------------------------------------


@case
def output_goes_through_links_and_keeps_the_mode(folder):
    os.mkdir(os.path.join(folder, "far"))
    target, link = os.path.join(folder, "far", "a.obj"), os.path.join(folder, "link.obj")
    os.symlink("far/a.obj", link)  # to nothing yet
    limber("mesh", "--generate", "bar", "--surface", "-o", link).expect(0)
    check(os.path.islink(link) and os.path.isfile(target), "the link was replaced")
    os.chmod(target, 0o600)
    limber("mesh", "--generate", "torus", "--surface", "-o", link).expect(0)
    mode = stat.S_IMODE(os.stat(target).st_mode)
    check(os.path.islink(link) and mode == 0o600, f"mode {mode:o}")
    check(sorted(os.listdir(folder)) == ["far", "link.obj"], str(os.listdir(folder)))
    os.symlink("loop.obj", os.path.join(folder, "loop.obj"))
    limber("mesh", "--generate", "bar", "-o", os.path.join(folder, "loop.obj"), "--quiet").expect(1)


@case
def a_failed_obj_leaves_no_material_library(folder):
    write(folder, "in.mtl", "newmtl red\nKd 1 0 0\n")
    source = write(folder, "in.obj", "mtllib in.mtl\n" + "".join(
        f"v {i} {i * i % 7} {i * i * i % 5}\n" for i in range(30000)) + "usemtl red\n" + "".join(
        f"f {i} {i + 1} {i + 2}\n" for i in range(1, 29000)))

    def full_disk():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (65536, 65536))
    out = os.path.join(folder, "out.obj")
    limber("mesh", source, "-o", out, "--quiet", preexec=full_disk).message("full")
    check(sorted(os.listdir(folder)) == ["in.mtl", "in.obj"], str(os.listdir(folder)))


# ---- the command line (25, 29) -------------------------------------------------------------------


@case
def an_option_is_not_taken_for_a_value(folder):
    scene = write_json(folder, "s.json", bar_scene())
    limber("modes", scene, "--count", 2, "--shape", "--json", cwd=folder).message(
        "--shape needs", "--json", status=2)
    limber("mesh", "--generate", "bar", "-o", "--quiet", cwd=folder).message("-o needs", status=2)
    check(os.listdir(folder) == ["s.json"], str(os.listdir(folder)))
    limber("modes", scene, "--count", 2, "--shape=--json", cwd=folder).expect(0)


@case
def a_damaged_model_is_a_failed_job_with_arrays_too(folder):
    scene = write_json(folder, "s.json", bar_scene())
    model = os.path.join(folder, "m.glb")
    limber("build", scene, "--accuracy", "none", "-o", model).expect(0)
    content = open(model, "rb").read()
    for length in (0, 11, 100, len(content) // 2, len(content) - 1):
        write(folder, "d.glb", content[:length])
        for words in ((), ("--arrays",), ("--arrays", "--json")):
            limber("info", os.path.join(folder, "d.glb"), *words).message("d.glb")
    limber("info", scene, "--arrays").message("--arrays", status=2)


@case
def quiet_prints_nothing_but_json(folder):
    scene = write_json(folder, "s.json", bar_scene(method="subspace"))
    model = os.path.join(folder, "m.glb")
    jobs = [("mesh", "--generate", "bar", "-o", os.path.join(folder, "b.msh")), ("modes", scene),
            ("static", scene), ("build", scene, "--accuracy", "none", "-o", model),
            ("info", model), ("info", scene), ("run", scene, "-o", os.path.join(folder, "out")),
            ("cook", scene, "-o", os.path.join(folder, "c.glb")),
            ("export", model, "-o", os.path.join(folder, "x.npz"))]
    for words in jobs:
        result = limber(*words, "--quiet").expect(0)
        check(result.out == "" and result.err == "", f"{words}: {result.out!r} {result.err!r}")
        limber(*words, "--quiet", "--json").json()


@case
def a_basis_file_brings_its_own_number_of_vectors(folder):
    scene = write_json(folder, "s.json", bar_scene(
        method="subspace", reduce={"basis": "derivatives", "modes": 5, "dimension": 12}))
    vertices = 20
    header = f"{{'descr': '<f8', 'fortran_order': False, 'shape': (4, {vertices}, 3), }}"
    header = header.ljust(118 - 1) + "\n"
    values = [((7 * i) % 13 - 6) * (1 + i % 5) for i in range(4 * vertices * 3)]
    path = write(folder, "b.npy", b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header))
                 + header.encode() + struct.pack(f"<{len(values)}d", *values))
    built = limber("build", scene, "--basis", path, "--accuracy", "none", "-o",
                   os.path.join(folder, "m.glb"), "--json").json()
    check(built["subspace"]["dimension"] == 4, str(built["subspace"]))
    limber("build", scene, "--basis", path, "--dimension", 9, "--accuracy", "none", "-o",
           os.path.join(folder, "m.glb"), "--quiet").message("9", "4 vectors", "--dimension")


@case
def running_a_surface_names_build(folder):
    path = write(folder, "box.obj", BOX)
    limber("run", path, "--quiet").message("box.obj", "limber build")


@case
def all_json_numbers_have_one_writer(folder):
    for name in os.listdir(os.path.join(ROOT, "apps", "cli")):
        text = open(os.path.join(ROOT, "apps", "cli", name)).read()
        if name != "output.c":
            check("json_real(" not in text and not re.search(r'"[^"]*s:f', text),
                  f"{name} writes a number that may not be finite; use cli_number")
    page = open(os.path.join(ROOT, "apps", "viewer", "page", "page.c")).read()
    check(not re.search(r'write\([^;]*%[.0-9]*[gfe]', page), "page.c: use write_value")


# ---- the stack (9), a model that shrinks (5) -----------------------------------------------------


@fast_case
def a_small_stack_is_enough(folder):
    def small():
        resource.setrlimit(resource.RLIMIT_STACK, (200 * 1024, 200 * 1024))
    scene = write_json(folder, "s.json", bar_scene(
        mesh={"generate": "bar", "size": [1, 0.2, 0.2], "cells": [12, 4, 4]}, method="subspace"))
    for words in (("modes", scene), ("static", scene), ("run", scene),
                  ("build", scene, "-o", os.path.join(folder, "m.glb"))):
        limber(*words, "--quiet", preexec=small).expect(0)


@case
def a_model_that_is_shortened_while_it_runs_does_no_harm(folder):
    scene = write_json(folder, "s.json", bar_scene())
    model = os.path.join(folder, "m.glb")
    limber("build", scene, "--accuracy", "none", "-o", model).expect(0)
    process = subprocess.Popen([PROGRAM, "run", model, "--count", "3000000", "--json"],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    time.sleep(0.5)
    with open(model, "r+b") as file:
        file.truncate(100)
    time.sleep(0.5)
    if process.poll() is None:
        process.send_signal(signal.SIGINT)
    process.communicate(timeout=SECONDS)
    check(process.returncode in (0, 1), f"ended with {process.returncode}")


# ---- signals and children (13) -------------------------------------------------------------------


def wait_until(condition, what):
    end = time.time() + SECONDS
    while not condition():
        if time.time() > end:
            raise Failure(f"{what}: not within {SECONDS} s")
        time.sleep(0.05)


def slow_mesher(folder):
    """A tetgen that takes for ever, in PATH; its command line has the folder's name in it."""
    path = write(folder, "tetgen", "#!/bin/sh\nexec sleep 1234.5\n")
    os.chmod(path, 0o755)
    scratch = os.path.join(folder, "scratch")
    os.makedirs(scratch, exist_ok=True)
    surface = write(folder, "box.obj", BOX)
    environment = dict(os.environ, PATH=f"{folder}:{os.environ['PATH']}", TMPDIR=scratch)
    process = subprocess.Popen([PROGRAM, "mesh", surface, "--fill", "tetgen", "--quiet"],
                               env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    children = f"/proc/{process.pid}/task/{process.pid}/children"
    found = []

    def started():
        found[:] = [int(word) for word in open(children).read().split()]
        return any(is_sleep(child) for child in found)
    wait_until(started, "the mesher did not start")
    return process, [child for child in found if is_sleep(child)][0], scratch


def is_sleep(process):
    try:
        return b"1234.5" in open(f"/proc/{process}/cmdline", "rb").read()
    except OSError:
        return False


@case
def a_hangup_ends_the_mesher_and_removes_its_folder(folder):
    for number in (signal.SIGHUP, signal.SIGTERM, signal.SIGINT):
        process, child, scratch = slow_mesher(folder)
        process.send_signal(number)
        _, err = process.communicate(timeout=SECONDS)
        check(process.returncode == 1 and b"interrupted" in err, f"{process.returncode} {err}")
        check(not is_sleep(child), "the mesher is still there")
        check(os.listdir(scratch) == [], str(os.listdir(scratch)))


@case
def programs_end_with_a_limber_that_is_killed(folder):
    process, child, _ = slow_mesher(folder)
    process.kill()
    process.communicate(timeout=SECONDS)
    wait_until(lambda: not is_sleep(child), "the mesher outlives limber")


def installed(folder):
    """The program as an installation has it, without the page."""
    os.makedirs(os.path.join(folder, "bin"))
    return shutil.copy(PROGRAM, os.path.join(folder, "bin", "limber"))


@case
def an_installation_without_the_page_says_what_to_do(folder):
    found = subprocess.run([installed(folder), "view", "--web", "--no-open"], capture_output=True,
                           timeout=SECONDS)
    check(found.returncode == 1 and b"make web, then install again" in found.stderr, str(found))


@case
def a_hangup_leaves_no_temporary_model_of_the_page(folder):
    scratch = os.path.join(folder, "scratch")
    program = installed(folder)
    os.mkdir(scratch)
    os.makedirs(os.path.join(folder, "share", "limber", "web"))
    write(os.path.join(folder, "share", "limber", "web"), "index.html", "<html></html>")
    scene = write_json(folder, "s.json", bar_scene(method="modal"))
    process = subprocess.Popen([program, "view", "--web", "--no-open", scene],
                               env=dict(os.environ, TMPDIR=scratch), stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE)
    check(b"http" in process.stdout.readline(), "no address")
    check(len(os.listdir(scratch)) == 1, str(os.listdir(scratch)))
    process.send_signal(signal.SIGHUP)
    process.communicate(timeout=SECONDS)
    check(os.listdir(scratch) == [], str(os.listdir(scratch)))


@case
def a_hangup_leaves_no_aside_file(folder):
    scene = write_json(folder, "s.json", bar_scene(
        mesh={"generate": "bar", "size": [1, 0.2, 0.2], "cells": [10, 2, 2]},
        time={"step": 0.001, "count": 200000}))
    process = subprocess.Popen([PROGRAM, "run", scene, "--probes", "p.csv", "-o", "out"],
                               cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    time.sleep(0.7)
    process.send_signal(signal.SIGHUP)
    process.communicate(timeout=SECONDS)
    check(process.returncode == 1 and os.listdir(folder) == ["s.json"], str(os.listdir(folder)))


run_cases()
