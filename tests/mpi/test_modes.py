#!/usr/bin/env python3
"""limber-mpi modes with 1, 2 and 3 ranks: what limber modes finds, to the residuals."""
import os

from mpi_testing import generate, limber_mpi, worst_difference
from cli_testing import case, check, limber, read_csv, run_cases, write_json

# Of a frequency: both engines' residuals are 1e-10 and less, and eigenvalues better than those.
TOLERANCE = 1e-9


def compare(ranks, *words):
    expected = limber("modes", *words, "--json").json()
    found = limber_mpi(ranks, "modes", *words, "--json").json()
    check(found.keys() == expected.keys(), f"{sorted(found)}, expected {sorted(expected)}")
    for key in ("rigid_modes", "vertices", "elements"):
        check(found[key] == expected[key], f"{key}: {found[key]}, expected {expected[key]}")
    mass = abs(found["total_mass"] / expected["total_mass"] - 1)
    check(mass <= 1e-12, f"mass: residual {mass:.1e}, tolerance 1e-12")
    worst = max(abs(a / b - 1) for a, b in zip(found["frequencies_hz"], expected["frequencies_hz"]))
    count = len(found["frequencies_hz"])
    check(count == len(expected["frequencies_hz"]), f"{count} modes")
    text = f"{ranks} ranks, {count} modes: residual {worst:.1e}, tolerance {TOLERANCE:.0e}"
    print(f"  {text}")
    check(worst <= TOLERANCE, text)


@case
def held_bar_of_bricks(folder):
    for ranks in (1, 2):
        compare(ranks, "scenes/bar.json", "--count", 10)


@case
def free_sphere_of_tets(folder):
    mesh = generate(folder, "sphere")
    compare(2, mesh, "--count", 8, "--young", 1e5)


@case
def shapes_agree_though_frequencies_repeat(folder):
    paths = [os.path.join(folder, name) for name in ("one.csv", "two.csv")]
    words = ("modes", "scenes/bar.json", "--count", 4, "--mode", 2, "--quiet", "--shape")
    limber(*words, paths[0]).expect(0)
    limber_mpi(2, *words, paths[1]).expect(0)
    rows = [[x for row in read_csv(path)[1] for x in row] for path in paths]
    worst = worst_difference(rows[1], rows[0])
    check(worst <= 1e-7, f"shape: residual {worst:.1e}, tolerance 1e-07")


@case
def two_loose_parts_have_twelve_rigid_modes(folder):
    compare(2, write_parts(folder), "--count", 5)


def write_parts(folder):
    """Two bricks far from each other, as a Gmsh file."""
    corners = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)]
    lines = ["$MeshFormat", "2.2 0 8", "$EndMeshFormat", "$Nodes", "16"]
    for part in range(2):
        lines += [f"{8 * part + i + 1} {x * (1 + part) + 5 * part} {y} {z}"
                  for i, (x, y, z) in enumerate(corners)]
    lines += ["$EndNodes", "$Elements", "2"]
    lines += [f"{part + 1} 5 2 1 1 " + " ".join(str(8 * part + i) for i in range(1, 9))
              for part in range(2)]
    path = os.path.join(folder, "parts.msh")
    with open(path, "w") as file:
        file.write("\n".join(lines + ["$EndElements", ""]))
    return path


def write_hinge(folder):
    """Two bars of two bricks with one vertex in common: a mechanism."""
    lines, bricks, number = [], [], {}
    def vertex(x, y, z):
        if (x, y, z) not in number:
            number[x, y, z] = len(number) + 1
            lines.append(f"{number[x, y, z]} {x} {y} {z}")
        return number[x, y, z]
    for x, y, z in ((0, 0, 0), (1, 0, 0), (2, 1, 1), (3, 1, 1)):
        bricks.append([vertex(x + i, y + j, z + k) for i, j, k in
                       ((0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0),
                        (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1))])
    path = os.path.join(folder, "hinge.msh")
    with open(path, "w") as file:
        file.write("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n%d\n" % len(lines))
        file.write("\n".join(lines) + "\n$EndNodes\n$Elements\n%d\n" % len(bricks))
        for n, brick in enumerate(bricks):
            file.write(f"{n + 1} 5 2 1 1 {' '.join(str(v) for v in brick)}\n")
        file.write("$EndElements\n")
    return path


@case
def a_mechanism_has_nine_rigid_modes_or_a_message(folder):
    mesh = write_hinge(folder)
    compare(2, mesh, "--count", 5)
    found = limber("modes", mesh, "--count", 5, "--json").json()
    check(found["rigid_modes"] == 9, f"{found['rigid_modes']} rigid modes")
    result = limber_mpi(2, "modes", mesh, "--count", 5, "--solver", "iterative")
    check(result.status == 0 or "use --solver direct" in result.err, result.err)
    check("MPI_ABORT" not in result.err, result.err)


@case
def bad_input_gets_the_messages_of_limber(folder):
    bar = generate(folder, "bar", "--cells", "4,2,2")
    everywhere = {"box": [[-9, -9, -9], [9, 9, 9]]}
    held = write_json(folder, "held.json", {"limber": 1, "bodies": [
        {"mesh": bar, "material": {"model": "stvk"}, "fixed": everywhere}]})
    for words in (("modes", "nothing.msh"), ("modes", "scenes/bar.json", "--count", 100000),
                  ("modes", bar, "--young", 1e-300), ("modes", bar, "--density", 1e-300),
                  ("modes", bar, "--density", 0), ("modes", bar, "--poisson", 0.5),
                  ("modes", held)):
        expected, found = limber(*words), limber_mpi(2, *words)
        check(expected.status == found.status, f"{words}: {found.status}, not {expected.status}")
        check(expected.err in found.err, f"{words}: {found.err!r}, not {expected.err!r}")


@case
def more_ranks_than_nodes_are_refused(folder):
    mesh = generate(folder, "bar", "--cells", "1,1,1", "--element", "brick8")
    result = limber_mpi(9, "modes", mesh, "--count", 2)
    check(result.status == 1 and "ranks" in result.err, f"{result.status}: {result.err!r}")


run_cases()
