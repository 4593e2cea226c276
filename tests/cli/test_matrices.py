#!/usr/bin/env python3
"""`limber export --matrix`: stiffness, mass, modes, bases and derivatives as SciPy reads them."""
import json
import os
import resource
import signal
import subprocess

from cli_testing import (Failure, Skip, bar_scene, case, check, check_close, limber, read_csv,
                         run_cases, write, write_json)

PYTHON = "/usr/bin/python3"  # Debian's, which has Debian's python3-scipy


def scipy_reads(folder):
    there = os.path.exists(PYTHON) and subprocess.run(
        [PYTHON, "-c", "import scipy.io, scipy.sparse"], stderr=subprocess.DEVNULL).returncode == 0
    if not there:
        raise Skip("SciPy is not installed for /usr/bin/python3 (Debian: python3-scipy)")
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "scipy_matrices.py")
    done = subprocess.run([PYTHON, script, folder], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          env={**os.environ, "OPENBLAS_NUM_THREADS": "1"})
    if done.returncode:
        raise Failure("SciPy cannot read what was written: " + done.stderr.decode())
    return json.loads(done.stdout)


def export_all(folder, source):
    for kind in ("stiffness", "mass", "lumped", "modes", "basis"):
        for extension in ("mtx", "npz"):
            limber("export", source, "--matrix", kind, "--modes", 6, "-o", f"{kind}.{extension}",
                   cwd=folder).expect(0)
            if kind in ("stiffness", "mass", "modes"):
                limber("export", source, "--matrix", kind, "--modes", 6, "--held", "-o",
                       f"held-{kind}.{extension}", cwd=folder).expect(0)
    limber("export", source, "--derivatives", "--modes", 6, "-o", "derivatives.npz",
           cwd=folder).expect(0)


# Relative, or of things of size 1.
TOLERANCES = {"K Phi = M Phi Lambda": 1e-8, "Phi^T M Phi = 1": 1e-10, "U^T M U = 1": 1e-9,
              "modes of the derivatives": 1e-6}


def check_residuals(found):
    for name, residual in found["residuals"].items():
        tolerance = TOLERANCES.get(name, 1e-12)
        check(residual <= tolerance, f"{name}: residual {residual:.3e}, tolerance {tolerance:.0e}")


def check_forces(folder, source):
    """-(H : Phi_i) Phi_j is the second derivative of the internal force, here by differences of
    `limber evaluate`, which knows nothing of derivatives."""
    with open(os.path.join(folder, "forces.csv")) as file:
        rows = [[float(x) for x in line.split(",")] for line in file]
    phi = [[row[2 + k] for row in rows] for k in range(2)]

    def force(a, b):
        u = [a * x + b * y for x, y in zip(*phi)]
        lines = ["%.17g,%.17g,%.17g" % tuple(u[i:i + 3]) for i in range(0, len(u), 3)]
        write(folder, "u.csv", "\n".join(lines) + "\n")
        limber("evaluate", source, "--displacement", "u.csv", "--forces", "f.csv",
               cwd=folder).expect(0)
        return [x for row in read_csv(os.path.join(folder, "f.csv"))[1] for x in row[1:]]
    h = 1e-3
    plus, minus, zero = force(h, 0), force(-h, 0), force(0, 0)
    corners = [force(a * h, b * h) for a, b in ((1, 1), (1, -1), (-1, 1), (-1, -1))]
    second = [[(a - 2 * b + c) / h ** 2 for a, b, c in zip(plus, zero, minus)],
              [(a - b - c + d) / (4 * h ** 2) for a, b, c, d in zip(*corners)]]
    for k in range(2):
        wanted = [-x for x in second[k]]
        free = [i for i in range(len(rows)) if any(rows[i][2:]) or rows[i][k]]
        size = max(abs(wanted[i]) for i in free)
        worst = max(abs(rows[i][k] - wanted[i]) for i in free)
        check(worst <= 1e-5 * size, f"K Phi_0{k}: residual {worst / size:.2e}, tolerance 1e-5")


def bar(folder, **changes):
    changes = {"mesh": {"generate": "bar", "size": [1, 0.2, 0.25], "cells": [6, 2, 2]},
               "method": "subspace", "reduce": {"modes": 6, "dimension": 12}, **changes}
    return write_json(folder, "scene.json", bar_scene(**changes))


@case
def scipy_finds_what_must_hold_of_a_held_bar(folder):
    source = bar(folder)
    export_all(folder, source)
    found = scipy_reads(folder)
    check_residuals(found)
    check_close(found["mass"], 1000 * 0.2 * 0.25, 1e-9, "mass, kg")
    check(found["rows"] == 3 * 7 * 3 * 3, f"{found['rows']} rows")
    # what made nobody able to check a basis: the lumped masses are not its metric
    check(found["lumped_gram"] > 0.01, f"U^T L U = 1 to {found['lumped_gram']:.2e}, too")
    check_forces(folder, source)


@case
def scipy_finds_the_same_of_bricks_of_two_materials_that_stand_elsewhere(folder):
    mesh = {"generate": "bar", "size": [1, 0.2, 0.25], "cells": [6, 2, 2], "element": "brick8"}
    source = bar(folder, mesh=mesh, position=[1, 2, 3], rotation=[0.5, 0.5, 0.5, 0.5],
                 material=[{"young": 1e6}, {"young": 1e7, "density": 500,
                                            "box": [[0.5, 0, 0], [1, 1, 1]]}])
    export_all(folder, source)
    found = scipy_reads(folder)
    check_residuals(found)
    check_close(found["mass"], 750 * 0.2 * 0.25, 1e-9, "mass, kg")


@case
def scipy_finds_the_same_of_a_free_bar(folder):
    export_all(folder, bar(folder, fixed=None))
    check_residuals(scipy_reads(folder))


@case
def scipy_finds_the_same_of_a_model_file(folder):
    limber("build", bar(folder), "--accuracy", "none", "-o", "bar.glb", cwd=folder).expect(0)
    export_all(folder, "bar.glb")
    check_residuals(scipy_reads(folder))


@case
def matrix_market_files_say_what_they_are(folder):
    source = bar(folder)
    found = limber("export", source, "--matrix", "mass", "--held", "-o", "M.mtx", "--json",
                   cwd=folder).json()
    with open(os.path.join(folder, "M.mtx")) as file:
        lines = file.read().splitlines()
    check(lines[0] == "%%MatrixMarket matrix coordinate real symmetric", lines[0])
    check(lines[1].startswith("% mass of bar at rest, kg") and "neither fixed" in lines[2],
          f"{lines[1:3]}")
    rows, columns, entries = map(int, lines[3].split())
    check(rows == columns == found["rows"] == 3 * 6 * 9 and entries == found["entries"],
          f"{lines[3]}, {found}")
    for line in lines[4:]:
        i, j, value = line.split()
        check(1 <= int(j) <= int(i) <= rows and float(value) != 0, f"entry {line!r}")
    check(len(lines) == 4 + entries, f"{len(lines) - 4} entries of {entries}")
    limber("export", source, "--matrix", "modes", "--modes", 3, "-o", "m.mtx", cwd=folder).expect(0)
    with open(os.path.join(folder, "m.mtx")) as file:
        lines = file.read().splitlines()
    check(lines[0] == "%%MatrixMarket matrix array real general" and lines[3] == "189 3",
          f"{lines[0]}, {lines[3]}")


@case
def matrices_are_the_same_bytes_for_any_number_of_threads(folder):
    source, contents = bar(folder), []
    for threads in (1, 2):
        files = []
        for kind, name in (("stiffness", "K.npz"), ("derivatives", "d.npz"), ("mass", "M.mtx")):
            limber("export", source, "--matrix", kind, "--modes", 4, "-o", name, "--threads",
                   threads, cwd=folder).expect(0)
            with open(os.path.join(folder, name), "rb") as file:
                files.append(file.read())
        contents.append(files)
    check(contents[0] == contents[1], "bytes depend on the number of threads")


@case
def wrong_words_are_refused(folder):
    source = bar(folder)
    for words, part in ((("--matrix", "stiff", "-o", "K.mtx"), "use stiffness, mass"),
                        (("--matrix", "mass", "-o", "K.txt"), ".mtx or .npz"),
                        (("-o", "K.mtx"), "--matrix"),
                        (("--held", "-o", "K.npz"), "--held needs"),
                        (("--modes", 3, "-o", "K.npz"), "--modes needs"),
                        (("--matrix", "modes", "--modes", 0, "-o", "K.npz"), "at least 1"),
                        (("--matrix", "mass", "--derivatives", "-o", "K.npz"), "not both"),
                        (("--matrix", "mass",), "name the file")):
        limber("export", source, *words, cwd=folder).message(part, status=2)
    limber("export", bar(folder, method="modal", reduce=None), "--matrix", "basis", "-o", "U.npz",
           cwd=folder).message("has no basis")
    limber("export", bar(folder), "--matrix", "mass", "--body", "foot", "-o", "M.npz",
           cwd=folder).message("foot")


@case
def a_full_disk_leaves_nothing_and_the_old_file_stays(folder):
    source = bar(folder)

    def small():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
    for kind, name in (("stiffness", "K.mtx"), ("stiffness", "K.npz"), ("basis", "U.mtx")):
        write(folder, name, "kept")
        limber("export", source, "--matrix", kind, "-o", name, cwd=folder,
               preexec=small).message(name)
        with open(os.path.join(folder, name)) as file:
            check(file.read() == "kept", f"{name} was replaced")
    check(sorted(os.listdir(folder)) == ["K.mtx", "K.npz", "U.mtx", "scene.json"],
          f"left: {os.listdir(folder)}")


run_cases()
