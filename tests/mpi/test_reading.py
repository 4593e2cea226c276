#!/usr/bin/env python3
"""limber-mpi modes: Gmsh files that every rank reads a part of, and those that rank 0 has to read."""
import os
import struct

from mpi_testing import limber_mpi
from cli_testing import case, check, limber, run_cases

TOLERANCE = 1e-9  # of a frequency, as in test_modes.py
READ_BY_ONE = "rank 0 reads all of it"


def bar_of_tets(cells):
    """Vertices and tets, six to a cell; every third tet is wound the wrong way round."""
    def vertex(i, j, k):
        return (i * (cells[1] + 1) + j) * (cells[2] + 1) + k
    points = [(0.1 * i, 0.1 * j, 0.1 * k) for i in range(cells[0] + 1)
              for j in range(cells[1] + 1) for k in range(cells[2] + 1)]
    tets = []
    for i in range(cells[0]):
        for j in range(cells[1]):
            for k in range(cells[2]):
                c = [vertex(i + (n & 1), j + (n >> 1 & 1), k + (n >> 2)) for n in range(8)]
                for a, b in ((1, 3), (3, 2), (2, 6), (6, 4), (4, 5), (5, 1)):
                    tets.append((c[0], c[a], c[b], c[7]))
    return points, [(a, c, b, d) if n % 3 == 0 else (a, b, c, d)
                    for n, (a, b, c, d) in enumerate(tets)]


def write(folder, name, version, binary, points, tets, first=1, extra=()):
    """`first`: the first node's tag; extra: elements (type, tag, vertices) before the tets."""
    path = os.path.join(folder, f"{name}.msh")
    groups = [list(extra), [(4, 7, tet) for tet in tets]]
    with open(path, "wb") as file:
        def line(*words):
            file.write((" ".join(str(word) for word in words) + "\n").encode())
        line("$MeshFormat")
        line("2.2" if version == 2 else "4.1", 1 if binary else 0, 8)
        if binary:
            file.write(struct.pack("<i", 1) + b"\n")
        line("$EndMeshFormat")
        line("$PhysicalNames\n1\n3 7 \"all\"\n$EndPhysicalNames")
        line("$Nodes")
        (nodes_2 if version == 2 else nodes_4)(file, line, binary, points, first)
        line("$EndNodes")
        line("$Elements")
        (elements_2 if version == 2 else elements_4)(file, line, binary, groups, first)
        line("$EndElements")
    return path


def nodes_2(file, line, binary, points, first):
    line(len(points))
    for n, x in enumerate(points):
        file.write(struct.pack("<i3d", first + n, *x)) if binary else line(first + n, *x)
    if binary:
        file.write(b"\n")


def elements_2(file, line, binary, groups, first):
    line(sum(len(group) for group in groups))
    number = 0
    for group in groups:
        for begin in range(0, len(group), 5):  # headers of five elements each in binary files
            some = group[begin:begin + 5]
            some = [s for s in some if s[0] == some[0][0]]
            check(len(some) == len(group[begin:begin + 5]), "one type a group of five")
            if binary:
                file.write(struct.pack("<3i", some[0][0], len(some), 2))
            for kind, tag, vertices in some:
                number += 1
                nodes = [first + v for v in vertices]
                if binary:
                    file.write(struct.pack(f"<{3 + len(nodes)}i", number, tag, tag, *nodes))
                else:
                    line(number, kind, 2, tag, tag, *nodes)
    if binary:
        file.write(b"\n")


def nodes_4(file, line, binary, points, first):
    cuts = [0, len(points) // 3, len(points)]  # two blocks
    head = (2, len(points), first, first + len(points) - 1)
    file.write(struct.pack("<4q", *head)) if binary else line(*head)
    for begin, end in zip(cuts, cuts[1:]):
        head = (3, 1, 0, end - begin)
        file.write(struct.pack("<3iq", *head)) if binary else line(*head)
        for n in range(begin, end):
            file.write(struct.pack("<q", first + n)) if binary else line(first + n)
        for n in range(begin, end):
            file.write(struct.pack("<3d", *points[n])) if binary else line(*points[n])
    if binary:
        file.write(b"\n")


def elements_4(file, line, binary, groups, first):
    groups = [group for group in groups if group]
    total = sum(len(group) for group in groups)
    head = (len(groups), total, 1, total)
    file.write(struct.pack("<4q", *head)) if binary else line(*head)
    number = 0
    for group in groups:
        head = (3, 1, group[0][0], len(group))
        file.write(struct.pack("<3iq", *head)) if binary else line(*head)
        for _, _, vertices in group:
            number += 1
            row = [number] + [first + v for v in vertices]
            file.write(struct.pack(f"<{len(row)}q", *row)) if binary else line(*row)
    if binary:
        file.write(b"\n")


def compare(path, ranks, by_one=False):
    words = ("modes", path, "--count", 4, "--young", 1e5, "--json")
    expected = limber(*words).json()
    result = limber_mpi(ranks, *words).expect(0)
    found = result.json()
    for key in ("rigid_modes", "vertices", "elements"):
        check(found[key] == expected[key], f"{key}: {found[key]}, expected {expected[key]}")
    worst = max(abs(a / b - 1) for a, b in zip(found["frequencies_hz"], expected["frequencies_hz"]))
    text = f"{os.path.basename(path)}, {ranks} ranks: residual {worst:.1e}, tolerance {TOLERANCE:.0e}"
    print(f"  {text}")
    check(worst <= TOLERANCE, text)
    check((READ_BY_ONE in result.err) == by_one, f"{path}: {result.err!r}")


@case
def every_kind_of_gmsh_file_is_read_in_parts(folder):
    points, tets = bar_of_tets((5, 2, 2))
    triangles = [(2, 9, (0, 1, 3)), (2, 9, (1, 4, 3))]
    for ranks, version, binary in ((1, 2, False), (3, 2, False), (2, 2, True), (3, 4, False),
                                   (2, 4, True)):
        name = f"{version}-{'binary' if binary else 'text'}"
        compare(write(folder, name, version, binary, points, tets, 1, triangles), ranks)


@case
def nodes_may_begin_anywhere_and_vertices_be_unused(folder):
    points, tets = bar_of_tets((4, 2, 2))
    points = [(9, 9, 9)] + points + [(8, 8, 8)]
    tets = [tuple(v + 1 for v in tet) for tet in tets]
    compare(write(folder, "later", 2, False, points, tets, first=1000), 2)


@case
def an_element_of_two_groups_is_one(folder):
    points, tets = bar_of_tets((4, 2, 2))
    again = [(4, 8, tet) for tet in tets[:10]]
    compare(write(folder, "groups", 2, False, points, tets, 1, again), 3)


def renumber(path, number):
    """The file again, with other numbers of nodes (version 2, text)."""
    with open(path) as file:
        lines = file.read().split("\n")
    begin, renumbered = lines.index("$Elements"), path[:-4] + "-again.msh"
    with open(renumbered, "w") as file:
        for n, row in enumerate(lines):
            words = row.split()
            if n < begin and len(words) == 4 and "." in row:
                words[0] = str(number(int(words[0])))
            elif n > begin and len(words) == 9:
                words[5:] = [str(number(int(word))) for word in words[5:]]
            file.write(" ".join(words) + "\n")
    return renumbered


@case
def nodes_may_have_any_numbers(folder):
    points, tets = bar_of_tets((4, 2, 2))
    path = write(folder, "mixed", 2, False, points, tets)
    count = len(points)
    compare(renumber(path, lambda n: 10 + 2 * (7 * n % count)), 3)


@case
def what_is_unusual_is_left_to_rank_0(folder):
    points, tets = bar_of_tets((4, 2, 2))
    path = write(folder, "usual", 2, False, points, tets)
    last = len(points)
    compare(renumber(path, lambda n: 99999 if n == last else n), 2, by_one=True)


@case
def messages_are_those_of_limber(folder):
    points, tets = bar_of_tets((4, 2, 2))
    flat = tets[:-1] + [(tets[-1][0], tets[-1][1], tets[-1][0], tets[-1][3])]
    missing = tets[:-1] + [tets[-1][:3] + (len(points) + 5,)]
    for name, elements in (("flat", flat), ("missing", missing), ("nothing", []), ("end", tets)):
        path = write(folder, name, 2, False, points, elements)
        if name == "end":  # of a section, which is called otherwise
            with open(path) as file:
                text = file.read()
            with open(path, "w") as file:
                file.write(text.replace("$EndElements", "$EndElem9nts"))
        expected, found = limber("modes", path), limber_mpi(2, "modes", path)
        check(found.status == expected.status == 1, f"{name}: {found.status}, {expected.status}")
        check(expected.err.strip() in found.err, f"{name}: {found.err!r}, not {expected.err!r}")


run_cases()
