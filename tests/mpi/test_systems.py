#!/usr/bin/env python3
"""Systems that are singular, indefinite or in pieces: limber-mpi says what limber says."""
import os
import subprocess

from mpi_testing import ENVIRONMENT, generate, limber_mpi
from cli_testing import PROGRAM, case, check, limber, run_cases, write_json

SYSTEMS = os.path.join(os.path.dirname(PROGRAM), "mpi-systems")  # of systems.c
TOLERANCE = 1e-7  # of the lowest eigenvalue


def say(ranks):
    """What each solver says of each system: {system: {solver: (status, text or number)}}."""
    done = subprocess.run(["mpirun", "-n", str(ranks), SYSTEMS], env=ENVIRONMENT, timeout=120,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    check(done.returncode == 0, f"status {done.returncode}: {done.stderr.decode()!r}")
    found = {}
    for line in done.stdout.decode().splitlines():
        system, solver, status, text = line.split("|")
        found.setdefault(system, {})[solver] = (int(status), text)
    return found


def check_same(system, solver, found, expected):
    same = found == expected
    if found[0] == expected[0] == 0:
        same = abs(float(found[1]) - float(expected[1])) <= TOLERANCE * abs(float(expected[1]))
    check(same, f"{system}, {solver}: {found}, not {expected}")


@case
def indefinite_systems_are_refused_in_the_words_of_limber(folder):
    for ranks in (1, 2):
        systems = say(ranks)
        check(len(systems) == 6, f"{list(systems)}")
        for system, said in systems.items():
            check_same(system, "direct", said["direct"], said["limber"])
            if system != "negative everywhere":  # whose eigenvalue is told without a factor
                check_same(system, "iterative", said["iterative"], said["limber"])
            if "factor" in said:
                check_same(system, "factor", said["factor"], said["limber's factor"])
            check(said["limber"][0] == 0 or "negative eigenvalue" in said["iterative"][1],
                  f"{system}: {said['iterative']}")
        row = systems["a spring that pushes, held"]["direct"][1]
        check("not positive definite at row 120" in row, row)  # three for each node


def write_bricks(folder, name, bricks):
    """A Gmsh file of unit bricks at whole places; a fourth number keeps pieces apart."""
    number, lines = {}, []

    def vertex(x, y, z, piece):
        if (x, y, z, piece) not in number:
            number[x, y, z, piece] = len(number) + 1
            lines.append(f"{number[x, y, z, piece]} {x} {y} {z}")
        return str(number[x, y, z, piece])

    corners = ((0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1))
    elements = [f"{n + 1} 5 2 1 1 " + " ".join(vertex(x + i, y + j, z + k, piece) for i, j, k in corners)
                for n, (x, y, z, piece) in enumerate(bricks)]
    path = os.path.join(folder, f"{name}.msh")
    with open(path, "w") as file:
        file.write("\n".join(["$MeshFormat", "2.2 0 8", "$EndMeshFormat", "$Nodes", str(len(lines)),
                              *lines, "$EndNodes", "$Elements", str(len(elements)), *elements,
                              "$EndElements", ""]))
    return path


def block(x, y, z, piece=0):
    return [(x + i, y + j, z + k, piece) for i in range(6) for j in range(3) for k in range(3)]


def hold(folder, mesh, name, low, high):
    return write_json(folder, name + ".json", {"limber": 1, "bodies": [
        {"mesh": mesh, "material": {"model": "stvk"}, "fixed": {"box": [low, high]}}]})


def compare(ranks, solver, *words):
    expected = limber(*words, "--json")
    found = limber_mpi(ranks, *words, "--json", "--solver", solver)
    text = f"{words}, {ranks} ranks, {solver}"
    if solver == "iterative" and "use --solver direct" in found.err:
        return  # which is a way out
    check(found.status == expected.status, f"{text}: {found.status}, {found.err!r}")
    if expected.status:
        check(expected.err.strip() in found.err, f"{text}: {found.err!r}, not {expected.err!r}")
        return
    expected, found = expected.json(), found.json()
    rigid = expected["rigid_modes"]
    check(found["rigid_modes"] == rigid, f"{text}: {found['rigid_modes']} rigid modes, not {rigid}")
    for a, b in zip(found["frequencies_hz"], expected["frequencies_hz"]):
        check(abs(a / b - 1) < 1e-8, f"{text}: {a} Hz, not {b}")


@case
def bodies_that_swing_or_fall_apart_are_those_of_limber(folder):
    end, corner = ([-1, -1, -1], [0.5, 99, 99]), ([-0.1, -0.1, -0.1], [0.1, 0.1, 0.1])
    shapes = {"vertex": block(0, 0, 0) + block(6, 3, 3), "edge": block(0, 0, 0) + block(6, 3, 0),
              "pieces": block(0, 0, 0) + block(10, 3, 3, 1)}
    for name, bricks in shapes.items():
        mesh = write_bricks(folder, name, bricks)
        for ranks in (1, 2):
            held = hold(folder, mesh, name, *end)
            compare(ranks, "direct", "modes", held, "--count", 5)
            compare(ranks, "iterative", "modes", held, "--count", 5)
            compare(ranks, "direct", "modes", hold(folder, mesh, name, *corner), "--count", 5)
        compare(2, "direct", "build", held, "--modes", 5, "--dimension", 6, "--accuracy", "none",
                "-o", os.path.join(folder, "x.glb"))


@case
def numbers_that_overflow_are_refused_in_the_words_of_limber(folder):
    bar = generate(folder, "bar", "--cells", "4,2,2")
    for words in (("modes", bar, "--young", "1e308"), ("modes", bar, "--density", "1e308"),
                  ("modes", bar, "--density", "1e-320"), ("modes", bar, "--young", "1e-320")):
        for ranks in (1, 2):
            compare(ranks, "direct", *words)


run_cases()
