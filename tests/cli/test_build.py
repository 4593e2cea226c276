#!/usr/bin/env python3
"""`limber build` and `limber info` on what it writes: choices, files, bad input."""
import json
import math
import os
import resource
import signal
import struct
import subprocess
import time
import zlib

from gltf_testing import load_in_three, validate
from cli_testing import (PROGRAM, SANITIZED, Failure, add_case, bar_scene, case, check, check_close,
                         limber, run_cases, shared, write, write_json)

FIELDS = {"output", "bytes", "name", "method", "up", "vertices", "triangles", "nodes", "tets",
          "bricks", "fixed_nodes", "mass", "modes", "dropped", "rigid_modes", "frequencies_hz",
          "damping", "chosen", "seconds", "accuracy"}
MODEL_FIELDS = {"name", "methods", "up", "free", "nodes", "tets", "bricks", "fixed_nodes",
                "vertices", "triangles", "uvs", "looks", "textures", "mass", "centre", "inertia",
                "materials", "damping", "provenance", "modes", "subspace", "accuracy"}
PNG_SIZE = 4


def png():
    """A small red picture."""
    def chunk(kind, data):
        return (struct.pack(">I", len(data)) + kind + data
                + struct.pack(">I", zlib.crc32(kind + data)))
    rows = b"".join(b"\0" + b"\xff\0\0" * PNG_SIZE for _ in range(PNG_SIZE))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", PNG_SIZE, PNG_SIZE, 8, 2,
                                                             0, 0, 0))
            + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def textured_box(folder, name="box.obj"):
    """A cuboid 0.5 x 1 x 0.5 that stands on y = 0, with UVs and a texture."""
    write(folder, "paint.png", png())
    write(folder, "box.mtl", "newmtl paint\nKd 1 1 1\nmap_Kd paint.png\n")
    corners = [(x, y, z) for z in (0, .5) for x, y in ((0, 0), (.5, 0), (.5, 1), (0, 1))]
    faces = ((1, 4, 3, 2), (5, 6, 7, 8), (1, 2, 6, 5), (4, 8, 7, 3), (1, 5, 8, 4), (2, 3, 7, 6))
    lines = ["mtllib box.mtl"] + ["v %g %g %g" % corner for corner in corners]
    lines += ["vt 0 0", "vt 1 0", "vt 1 1", "vt 0 1", "usemtl paint"]
    lines += ["f " + " ".join(f"{v}/{k + 1}" for k, v in enumerate(face)) for face in faces]
    return write(folder, name, "\n".join(lines) + "\n")


def scene_file(folder, name="scene.json", **changes):
    return write_json(folder, name, bar_scene(**changes))


def content(path):
    with open(path, "rb") as file:
        return file.read()


def glb_chunks(path):
    data, at, chunks = content(path), 12, {}
    magic, version, length = struct.unpack("<4sII", data[:12])
    check(magic == b"glTF" and version == 2 and length == len(data), f"{path} is no .glb")
    while at < len(data):
        size, kind = struct.unpack("<I4s", data[at:at + 8])
        chunks[kind] = data[at + 8:at + 8 + size]
        at += 8 + size
    return chunks


def check_fields(document, fields, what):
    missing = set(fields) - set(document)
    check(not missing, f"{what} lacks {sorted(missing)}, it has {sorted(document)}")


def info(path, *words):
    found = limber("info", path, "--json", *words).json()
    check(found["kind"] == "model" and len(found["models"]) == 1, str(found)[:300])
    check_fields(found["models"][0], MODEL_FIELDS, "a model")
    return found["models"][0]


# ---- building ------------------------------------------------------------------------------------


@case
def too_little_address_space_is_refused_at_once(folder):
    """OpenBLAS asks for ever for memory that it does not get."""
    def limit(kilobytes):
        return lambda: resource.setrlimit(resource.RLIMIT_AS, (kilobytes << 10, kilobytes << 10))
    if SANITIZED:  # whose shadow needs the room
        return
    path = textured_box(folder)
    for kilobytes in (150000, 300000):
        found = subprocess.run([PROGRAM, "build", path, "--cells", "4", "--threads", "2", "-o",
                                "box.glb"], cwd=folder, preexec_fn=limit(kilobytes), timeout=60,
                               capture_output=True, text=True, check=False)
        written = os.path.exists(os.path.join(folder, "box.glb"))
        if b"openblas" in content(PROGRAM):
            check(found.returncode == 1 and "ulimit -v" in found.stderr, found.stderr)
        else:  # our own engine has no such buffers
            check(found.returncode == (0 if written else 1), found.stderr)
            continue
        check(not written, "a model was written")


@case
def a_model_has_the_same_bytes_for_any_number_of_threads(folder):
    path = textured_box(folder)
    models = []
    for threads in (1, 2, 3):
        limber("build", path, "--cells", 9, "--accuracy", "none", "--threads", threads, "-o",
               "box.glb", cwd=folder)
        models.append(content(os.path.join(folder, "box.glb")))
    check(models[0] == models[1] == models[2], "models of one, two and three threads differ")


@case
def a_scene_is_built_with_its_own_settings(folder):
    scene = scene_file(folder, damping={"mass": 0.1, "stiffness": 0.002})
    found = limber("build", scene, "-o", "bar.glb", "--modes", 6, "--json", cwd=folder).json()
    check_fields(found, FIELDS, "build --json")
    check(found["output"] == "bar.glb" and found["name"] == "bar", str(found))
    check(found["bytes"] == os.path.getsize(os.path.join(folder, "bar.glb")), "another size")
    check((found["nodes"], found["tets"], found["fixed_nodes"]) == (20, 24, 4), str(found))
    check((found["modes"], found["rigid_modes"]) == (6, 0), str(found))
    check(found["damping"] == {"mass": 0.1, "stiffness": 0.002}, str(found["damping"]))
    check(set(found["chosen"]) == {"method", "basis", "dimension", "forces", "accuracy"},
          str(found["chosen"]))
    check(found["method"] == "subspace" and found["subspace"]["dimension"] > 6, str(found))
    check_close(found["mass"], 40, 1e-10, "mass")
    modes = limber("modes", scene, "--count", 6, "--json").json()["frequencies_hz"]
    for mine, theirs in zip(found["frequencies_hz"], modes):
        check_close(mine / theirs, 1, 1e-12, "frequency")
    check(sorted(os.listdir(folder)) == ["bar.glb", "scene.json"], str(os.listdir(folder)))


@case
def a_surface_alone_gets_choices_that_are_told(folder):
    box = textured_box(folder)
    found = limber("build", box, "--cells", 6, "--json", cwd=folder).json()
    chosen = found["chosen"]
    check_fields(chosen, ("method", "up", "fixed_share", "fixed_nodes", "material", "frequency",
                          "damping_ratio", "damping_stiffness", "modes", "output"), "chosen")
    check((chosen["up"], chosen["output"], chosen["modes"]) == ("y", "box.glb", 20), str(chosen))
    check("cells" not in chosen, "cells was given")
    check_close(chosen["fixed_share"], 0.05, 0, "fixed_share")
    check_close(found["frequencies_hz"][0], 3, 1e-12, "first frequency")
    check_close(chosen["material"]["density"], 1000, 0, "density")
    check_close(chosen["damping_stiffness"] * math.pi * 3, 0.02, 1e-12, "damping ratio")
    check(found["bricks"] > 0 and found["fixed_nodes"] > 0 and found["vertices"] == 8, str(found))
    text = limber("build", box, "--cells", 6, "--quiet", cwd=folder).expect(0)
    check(text.err == "" and text.out == "", f"--quiet and yet {text.err}{text.out}")
    text = limber("build", box, "--cells", 6, cwd=folder).expect(0)
    for part in ("y is up", "lowest 5 %", "Young's modulus", "3 Hz", "--density", "--modes",
                 "--damping_stiffness", "box.glb", "written"):
        check(part in text.out, f"the text does not tell {part!r}:\n{text.out}")


@case
def a_surface_is_drawn_with_as_few_triangles_as_asked(folder):
    mesh, model = os.path.join(folder, "ball.obj"), os.path.join(folder, "ball.glb")
    limber("mesh", "--generate", "sphere", "--surface", "-o", mesh, "--quiet").expect(0)
    words = ("build", mesh, "--cells", 6, "--modes", 4, "--dimension", 4, "--accuracy", "none", "-o", model)
    whole = limber(*words, "--json").json()
    result = limber(*words, "--triangles", 500, "--json").expect(0)
    thin = result.json()
    check(100 < thin["triangles"] <= 500 < whole["triangles"], f"{thin['triangles']} triangles")
    check(f"drawn with {thin['triangles']} triangles, of {whole['triangles']}" in result.err, result.err)
    for key in ("nodes", "bricks", "mass", "fixed_nodes", "frequencies_hz"):
        check(thin[key] == whole[key], f"{key}: {thin[key]}, not {whole[key]}")
    limber(*words, "--triangles", 0).expect(2)


@case
def uvs_looks_and_pictures_are_kept(folder):
    box = textured_box(folder)
    limber("build", box, "--cells", 4, "--modes", 3, "-o", "out.glb", cwd=folder).expect(0)
    path = os.path.join(folder, "out.glb")
    model = info(path)
    check(model["uvs"] and model["looks"] == 1 and model["textures"] == 1, str(model))
    chunks = glb_chunks(path)
    check(set(chunks) == {b"JSON", b"BIN\0", b"LMBR"}, str(list(chunks)))
    scene = json.loads(chunks[b"JSON"])
    check(len(scene["images"]) == 1 and scene["images"][0]["mimeType"] == "image/png",
          str(scene.get("images")))
    check(png() in chunks[b"BIN\0"], "the picture's bytes are not in the file")
    names = scene["meshes"][0]["extras"]["targetNames"]
    check(len(names) == 3 and names[0] == "mode 1: 3 Hz", str(names))
    targets = scene["meshes"][0]["primitives"][0]["targets"]
    check(len(targets) == 3, f"{len(targets)} morph targets")


@case
def a_built_model_is_valid_gltf_and_three_sees_its_modes(folder):
    path = os.path.join(folder, "box.glb")
    limber("build", textured_box(folder), "--modes", 6, "--cells", 6, "-o", path)
    report = validate(path)
    check(report.count("warning") == 1, f"not one warning, for the chunk of limber's own: {report}")
    names = [f"mode {number}: {mode['frequency_hz']:.4g} Hz"
             for number, mode in enumerate(info(path)["modes"], 1)]
    meshes = load_in_three(path)["meshes"]
    check(len(meshes) == 1 and meshes[0]["textured"], f"found {meshes}")
    check(len(meshes[0]["target_names"]) == 6 and meshes[0]["weights"] == [0] * 6,
          f"not 6 morph targets at rest: {meshes[0]}")
    check(meshes[0]["target_names"] == names, f"{meshes[0]['target_names']}, expected {names}")


@case
def viewers_get_64_modes_at_most(folder):
    box = textured_box(folder)
    limber("build", box, "--method", "modal", "--accuracy", "none", "--cells", 5, "--modes", 70,
           cwd=folder).expect(0)
    path = os.path.join(folder, "box.glb")
    names = json.loads(glb_chunks(path)[b"JSON"])["meshes"][0]["extras"]["targetNames"]
    check(len(names) == 64 and len(info(path)["modes"]) == 70, f"{len(names)} targets")


@case
def names_need_not_be_utf8(folder):
    path = os.path.join(os.fsencode(folder), b"b\xe4r.obj")
    os.rename(textured_box(folder), path)
    found = limber("build", os.fsdecode(path), "--cells", 3, "--modes", 2, "--json",
                   cwd=folder).json()
    check(found["name"] == "b?r" and found["output"] is None, str(found))
    limber("build", os.fsdecode(path), "--cells", 3, "--modes", 2, cwd=folder).expect(0)


@case
def free_bodies_have_no_rigid_modes_in_them(folder):
    box = textured_box(folder)
    found = limber("build", box, "--cells", 4, "--free", "--modes", 5, "--json", cwd=folder).json()
    check((found["rigid_modes"], found["fixed_nodes"], found["modes"]) == (6, 0, 5), str(found))
    check_close(found["frequencies_hz"][0], 3, 1e-12, "first frequency")
    check(info(os.path.join(folder, "box.glb"))["free"], "it is not free")


@case
def volume_meshes_are_built_as_they_are(folder):
    for element, kind in (("tet4", "tets"), ("brick8", "bricks")):
        limber("mesh", "--generate", "bar", "--cells", "6,2,2", "--element", element, "-o",
               "bar.msh", cwd=folder).expect(0)
        found = limber("build", "bar.msh", "--young", 1e5, "--modes", 4, "--json",
                       cwd=folder).json()
        check(found[kind] > 0 and found["up"] == "z" and found["fixed_nodes"] == 21, str(found))
        check("frequency" not in found["chosen"], str(found["chosen"]))
        model = info(os.path.join(folder, "bar.glb"))
        check_close(model["materials"][0]["young"], 1e5, 0, "young")


@case
def a_first_frequency_can_be_asked_for(folder):
    limber("mesh", "--generate", "bar", "--cells", "6,2,2", "-o", "bar.msh", cwd=folder).expect(0)
    for words in ([], ["--density", 300], ["--material", "mooneyrivlin", "--c10", 1e4, "--c01", 1e3,
                                           "--v1", 1e5]):
        wanted = ["--frequency", 7.5] if "--c10" not in words else []
        found = limber("build", "bar.msh", "--modes", 3, "--json", *words, *wanted,
                       cwd=folder).json()
        if wanted:
            check_close(found["frequencies_hz"][0], 7.5, 1e-12, "first frequency")
        else:
            check("frequency" not in found["chosen"], str(found["chosen"]))


@case
def one_body_of_several_is_chosen_by_name(folder):
    bodies = [dict(bar_scene()["bodies"][0], name=name) for name in ("a", "b")]
    scene = scene_file(folder, bodies=bodies, probes=None)
    limber("build", scene, "-o", "x.glb", cwd=folder).message("2 bodies", "scene.json")
    limber("build", scene, "-o", "x.glb", "--body", "c", cwd=folder).message('"c"')
    found = limber("build", scene, "-o", "x.glb", "--body", "b", "--json", cwd=folder).json()
    check(found["name"] == "b", str(found))


@case
def modes_are_dropped_by_the_rules_only_when_asked(folder):
    scene = scene_file(folder)
    words = ["build", scene, "-o", "x.glb", "--method", "modal", "--accuracy", "none", "--modes", 12,
             "--json"]
    found = limber(*words, cwd=folder).json()
    check(found["modes"] == 12 and found["dropped"] == {"too_weak": 0, "too_fast": 0}, str(found))
    half = (found["frequencies_hz"][4] + found["frequencies_hz"][5]) / 2
    fast = limber(*words, "--discard", "--frame_rate", 2 * half, "--max_force", 1e12,
                  cwd=folder).json()
    check(fast["modes"] == 5 and fast["dropped"] == {"too_weak": 0, "too_fast": 7}, str(fast))
    fates = [mode["fate"] for mode in info(os.path.join(folder, "x.glb"))["modes"]]
    check(fates == ["kept"] * 5 + ["too_fast"] * 7, str(fates))
    limber(*words, cwd=folder).expect(0)
    last = info(os.path.join(folder, "x.glb"))["modes"][-1]  # the weakest by either measure
    limit = 1.01 * (last["amplitude"] / (2 * math.pi * last["frequency_hz"])) ** 2
    rules = ["--discard", "--frame_rate", 1e6, "--max_force", 1, "--min_resolution", limit]
    weak = limber(*words, *rules, cwd=folder).json()
    norm = limber(*words, *rules, "--amplitude", "norm", cwd=folder).json()
    check(0 < weak["dropped"]["too_weak"] < 12, str(weak["dropped"]))
    check(norm["dropped"]["too_weak"] < weak["dropped"]["too_weak"], str(norm["dropped"]))
    limber(*words, "--discard", "--frame_rate", 0.1, "--max_force", 1e12, cwd=folder).message(
        "no mode is left", "frame rate")


@case
def the_same_input_gives_the_same_bytes(folder):
    box = textured_box(folder)
    for number, words in enumerate(([], [], ["--threads", 2], ["--threads", 1])):
        limber("build", box, "--cells", 5, "--modes", 8, "-o", f"{number}.glb", *words,
               cwd=folder).expect(0)
        check(content(os.path.join(folder, f"{number}.glb"))
              == content(os.path.join(folder, "0.glb")), f"file {number} differs: {words}")
    text = content(os.path.join(folder, "0.glb"))
    check(folder.encode() not in text and b"box.obj" not in text, "the file names a path")


# ---- subspace ------------------------------------------------------------------------------------


@case
def a_report_is_written_with_plots(folder):
    scene = scene_file(folder, damping={"mass": 0.1, "stiffness": 0.01})
    text = limber("build", scene, "--modes", 6, "--dimension", 12, "--report", "out/report", "-o",
                  "bar.glb", cwd=folder).expect(0).out
    for part in ("release", "impulse", "moving load", "twist", "pinch", "shaken supports", "report.md",
                 "full check", "accuracy "):
        check(part in text, f"the text does not tell {part!r}:\n{text}")
    files = sorted(os.listdir(os.path.join(folder, "out", "report")))
    check(len([name for name in files if name.endswith(".svg")]) == 14, str(files))
    with open(os.path.join(folder, "out", "report", "report.json"), encoding="utf-8") as file:
        report = json.load(file)
    model = info(os.path.join(folder, "bar.glb"))
    for mine, theirs in zip(report["motions"], model["accuracy"]["motions"]):
        check(mine["motion"] == theirs["motion"], str(theirs))
        check_close(mine["mass_error"], theirs["mass_error"], 0, "mass error")
    check("full check" in limber("info", os.path.join(folder, "bar.glb")).expect(0).out, "info")


@case
def bases_go_to_vega_files_and_come_back(folder):
    scene = scene_file(folder)
    words = ["--accuracy", "none", "--json", "-o"]
    limber("build", scene, "--modes", 4, "--dimension", 7, *words, "a.glb", cwd=folder).expect(0)
    for name, size in (("a.U", 8 + 8 * 60 * 7), ("a.float", 8 + 4 * 60 * 7),
                       ("a.cub", 16 + 8 * 7 * (7 + 28 + 84))):
        limber("export", "a.glb", "-o", name, cwd=folder).expect(0)
        check(os.path.getsize(os.path.join(folder, name)) == size, f"{name} has another size")
    limber("build", scene, "--basis", "a.U", *words, "b.glb", cwd=folder).expect(0)
    limber("export", "b.glb", "-o", "b.cub", cwd=folder).expect(0)
    first, second = (struct.unpack(f"<{7 * 119}d", content(os.path.join(folder, name))[16:])
                     for name in ("a.cub", "b.cub"))
    largest = max(map(abs, first))
    check(max(abs(a - b) for a, b in zip(first, second)) < 1e-10 * largest, "other polynomials")
    limber("build", scene, "--method", "modal", *words, "m.glb", cwd=folder).expect(0)
    limber("export", "m.glb", "-o", "m.cub", cwd=folder).message("subspace")


@case
def a_subspace_model_runs(folder):
    scene = scene_file(folder)
    limber("build", scene, "--editable", "--accuracy", "none", "-o", "a.glb",
           cwd=folder).expect(0)
    model = info(os.path.join(folder, "a.glb"))
    check(model["methods"] == ["modal", "subspace"] and model["subspace"]["editable"], str(model))
    found = limber("run", "a.glb", "--count", 20, "--json", cwd=folder).json()
    check(found["bodies"][0]["method"] == "subspace" and not found["flags"], str(found))


# ---- info ----------------------------------------------------------------------------------------


@case
def info_tells_what_is_in_a_model(folder):
    scene = scene_file(folder, damping={"mass": 0.5, "stiffness": 0.002})
    path = os.path.join(folder, "bar.glb")
    limber("build", scene, "-o", path, "--method", "modal", "--modes", 4).expect(0)
    model = info(path)
    check(model["subspace"] is None and model["accuracy"]["motions"], str(model["accuracy"]))
    check(model["methods"] == ["modal"] and not model["free"], str(model))
    check(model["provenance"]["method"] == "modal" and model["provenance"]["limber"],
          str(model["provenance"]))
    for mode in model["modes"]:
        omega = 2 * math.pi * mode["frequency_hz"]
        check_close(mode["damping_ratio"], (0.5 / omega + 0.002 * omega) / 2, 1e-14, "ratio")
        check(mode["fate"] == "kept" and mode["residual"] < 1e-6, str(mode))
    check("arrays" not in model, "arrays without --arrays")
    arrays = {array["name"]: array for array in info(path, "--arrays")["arrays"]}
    check(arrays["modal.basis"]["shape"] == [4, 60] and arrays["modal.basis"]["type"] == "f64"
          and arrays["modal.basis"]["bytes"] == 1920, str(arrays["modal.basis"]))
    check_fields(arrays["volume.masses"], ("unit", "meaning"), "an array")
    text = limber("info", path, "--arrays").expect(0).out
    for part in ("model bar", "modal", "provenance", "frequency Hz", "modal.basis", "40 kg"):
        check(part in text, f"the text does not tell {part!r}:\n{text}")


@case
def info_still_tells_meshes_from_models(folder):
    textured_box(folder)
    limber("run", scene_file(folder), "-o", "out", cwd=folder).expect(0)
    plain = os.path.join(folder, "out", "animation.glb")
    check(limber("info", plain, "--json").json()["kind"] == "mesh", "a plain .glb is a mesh")
    limber("info", plain, "--arrays").message("--arrays", "animation.glb", status=2)


@case
def info_refuses_a_broken_model_by_name(folder):
    path = os.path.join(folder, "bar.glb")
    limber("build", scene_file(folder), "-o", path, "--modes", 3).expect(0)
    whole = content(path)
    for broken in (whole[:-100], whole[:-64] + b"\xff" * 64):
        limber("info", write(folder, "bad.glb", broken)).message("bad.glb")


@case
def a_warped_model_keeps_all_nodes_and_runs(folder):
    scene = scene_file(folder, method="warp", warp={"iterations": 30})
    found = limber("build", scene, "-o", "bar.glb", "--json", cwd=folder).json()
    check(found["method"] == "warp" and found["modes"] == 0, f"built {found['method']}")
    path = os.path.join(folder, "bar.glb")
    check("warp" in str(limber("info", path).out), "info does not name the method")
    body = limber("run", path, "--json").json()["bodies"][0]
    check(body["method"] == "warp" and body["dimension"] == 3 * found["nodes"], f"ran {body}")
    limber("build", scene, "--method", "warp", "--dimension", 4, cwd=folder).message("--dimension",
                                                                                     status=2)
    limber("build", scene, "--method", "warp", "--accuracy", "full",
           cwd=folder).message("--accuracy", status=2)


# ---- bad input -----------------------------------------------------------------------------------


@case
def wrong_words_are_refused(folder):
    scene, box = scene_file(folder), textured_box(folder)
    for words in (["--method", "magic"], ["--frames", "0"], ["--basis", "modes"],
                  ["--basis", "sketch"], ["--dimension", "0"], ["--metric", "heavy"],
                  ["--accuracy", "some"],
                  ["--modes", "0"], ["--cells", "0"], ["--up", "x"], ["--frequency", "0"],
                  ["--damping_mass", "-1"], ["--damping_stiffness", "-1"], ["--young", "0"],
                  ["--material", "rubber"], ["--frame_rate", "30"], ["--amplitude", "norm"],
                  ["-o", "x.obj"], ["-o", "x"]):
        limber("build", box, *words, cwd=folder).message(words[-1] if words[0] == "-o" else
                                                         words[0].lstrip("-"), status=2)
    limber("build", box, "--discard", "--amplitude", "big", cwd=folder).message("big", status=2)
    limber("build", box, "--discard", "--max_force", 0, cwd=folder).message("max_force", status=2)
    limber("build", box, "--young", 1e5, "--frequency", 2, cwd=folder).message("both", status=2)
    for words in (["--dimension", 4], ["--basis", "linear"], ["--editable"]):
        limber("build", box, "--method", "modal", *words, cwd=folder).message(words[0], status=2)
    limber("build", box, "--method", "subspace", "--discard", cwd=folder).message("--discard",
                                                                                  status=2)
    limber("build", box, "--report", "r", "--accuracy", "none", cwd=folder).message("--report",
                                                                                    status=2)
    limber("build", box, "--body", "a", cwd=folder).message("--body", status=2)
    for words in (["--free"], ["--cells", 4], ["--young", 1e5], ["--frequency", 2]):
        limber("build", scene, *words, cwd=folder).message(words[0], "scene.json", status=2)
    check("box.glb" not in os.listdir(folder), "a refused build wrote a file")


@case
def bad_files_are_refused_and_nothing_is_written(folder):
    write(folder, "points.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\n")
    write(folder, "broken.obj", "v 0 0 0\nf 1 2 3\n")
    scene_file(folder, "sub.json", method="frames", frames={"positions": [[99, 0, 0]]})
    scene_file(folder, "rubber.json", method="subspace", material={"model": "neohookean"})
    write_json(folder, "empty.json", {"limber_sketch": 1, "loads": []})
    scene_file(folder, "many.json")
    before = sorted(os.listdir(folder))
    for name, words, parts in (
            ("missing.obj", [], ["missing.obj"]), ("points.obj", [], ["points.obj"]),
            ("broken.obj", [], ["broken.obj:2"]), ("sub.json", [], ["frame 0", "outside"]),
            ("rubber.json", ["--forces", "polynomial"], ["cubature", "neohookean"]),
            ("rubber.json", ["--elements", 100000], ["elements is 100000"]),
            ("many.json", ["--sketch", "empty.json"], ["no load"]),
            ("many.json", ["--basis", "missing.npz"], ["missing.npz"]),
            ("many.json", ["--dimension", 49], ["49", "48"]),
            ("many.json", ["--modes", 3, "--dimension", 10], ["10", "9"]),
            ("many.json", ["--basis", "linear", "--modes", 3, "--dimension", 4], ["4", "3"]),
            ("many.json", ["--method", "modal", "--modes", 49], ["49 modes", "48"])):
        limber("build", name, "-o", "x.glb", *words, cwd=folder).message(*parts)
    limber("build", "many.json", "-o", "no/such/x.glb", cwd=folder).message("no/such/x.glb")
    check(sorted(os.listdir(folder)) == before, str(os.listdir(folder)))


@case
def too_many_cells_are_refused(folder):
    box = textured_box(folder)
    limber("build", box, "--cells", 2000000000, "-o", "x.glb", cwd=folder).message("box.obj")


@case
def the_input_is_never_overwritten(folder):
    path = os.path.join(folder, "bar.glb")
    limber("build", scene_file(folder), "-o", path, "--modes", 3).expect(0)
    before = content(path)
    limber("build", "bar.glb", cwd=folder).message("is the input", status=2)
    limber("build", path, "-o", os.path.join(folder, "again.glb")).message("already")
    check(content(path) == before, "the input changed")
    check("again.glb" not in os.listdir(folder), "a file was written")


@case
def ctrl_c_leaves_no_file(folder):
    scene = scene_file(folder, mesh={"generate": "bar", "cells": [40, 10, 10]})
    process = subprocess.Popen([PROGRAM, "build", scene, "--modes", "400", "-o", "x.glb",
                                "--quiet"], cwd=folder, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE)
    time.sleep(2 if SANITIZED else 0.7)
    process.send_signal(signal.SIGINT)
    try:
        out, err = process.communicate(timeout=60)
    except subprocess.TimeoutExpired:
        process.kill()
        raise Failure("it did not end after the signal") from None
    check(process.returncode == 1 and out == b"" and b"interrupted" in err, f"{out} {err}")
    check(os.listdir(folder) == ["scene.json"], str(os.listdir(folder)))


# ---- files of others -----------------------------------------------------------------------------


def check_shared_build(parts, words, folder):
    path = shared("meshes", *parts)
    found = limber("build", path, "-o", "x.glb", "--modes", 4, "--json", "--quiet", *words,
                   cwd=folder).json()
    check(found["modes"] == 4 and found["frequencies_hz"][0] > 0, str(found))
    info(os.path.join(folder, "x.glb"))


for parts, words in ((("surface", "spot_low.obj"), ["--cells", 8]),
                     (("surface", "suzanne.obj"), ["--cells", 8]),
                     (("surface", "fertility.off"), ["--cells", 8]),
                     (("tet", "turtle_het.veg"), []), (("tet", "spot_tet.ele"), []),
                     (("bad", "soup.stl"), ["--cells", 6])):
    add_case(f"build_of_{parts[1]}",
             lambda folder, parts=parts, words=words: check_shared_build(parts, words, folder))


run_cases()
