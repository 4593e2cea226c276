#!/usr/bin/env python3
"""Materials and supports that are painted on a surface: OBJ, PLY and glTF, by scenes and by
`limber build`. The reference is a bar of the same bricks whose file says which is which."""
import json
import shutil
import struct

from cli_testing import (Skip, add_case, case, check, check_close, limber, run_cases, write,
                         write_json)

CELLS = (8, 2, 2)
SIZE = (1.0, 0.25, 0.25)
SOFT, STIFF = 1e5, 1e7


# ---- surfaces ------------------------------------------------------------------------------------


def bar_faces():
    """The bar's surface as quads of their own vertices, cut along x as the bricks are: a list of
    (four corners, is it the left end, does it belong to the right half)."""
    (nx, _, _), (lx, ly, lz) = CELLS, SIZE
    faces = [([(0, 0, 0), (0, 0, lz), (0, ly, lz), (0, ly, 0)], True, False),
             ([(lx, 0, 0), (lx, ly, 0), (lx, ly, lz), (lx, 0, lz)], False, True)]
    for i in range(nx):
        a, b, right = lx * i / nx, lx * (i + 1) / nx, 2 * i >= nx
        for quad in ([(a, 0, 0), (b, 0, 0), (b, 0, lz), (a, 0, lz)],
                     [(a, ly, 0), (a, ly, lz), (b, ly, lz), (b, ly, 0)],
                     [(a, 0, 0), (a, ly, 0), (b, ly, 0), (b, 0, 0)],
                     [(a, 0, lz), (b, 0, lz), (b, ly, lz), (a, ly, lz)]):
            faces.append((quad, False, right))
    return faces


def color_of(left, right):
    """Red: the stiff half; green: the end that is held; blue: nothing."""
    return (1.0 if right else 0.0, 1.0 if left else 0.0, 0.0)


def obj_by(kind):
    """`g`, `o`, `usemtl` or `v` colours."""
    lines, count = ["mtllib bar.mtl"] if kind == "usemtl" else [], 0
    for quad, left, right in sorted(bar_faces(), key=lambda face: (face[1], face[2])):
        color = " %g %g %g" % color_of(left, right) if kind == "v" else ""
        lines += ["v %.17g %.17g %.17g" % corner + color for corner in quad]
        if kind != "v":
            lines.append(f"{kind} " + ("end" if left else "stiff" if right else "soft"))
        lines.append("f " + " ".join(str(count + k) for k in (1, 2, 3, 4)))
        count += 4
    return "\n".join(lines) + "\n"


def ply(kind="uchar"):
    lines = [f"ply\nformat ascii 1.0\nelement vertex {4 * len(bar_faces())}",
             "property double x\nproperty double y\nproperty double z"]
    lines += [f"property {kind} {name}" for name in ("red", "green", "blue")]
    lines += [f"element face {len(bar_faces())}\nproperty list uchar int vertex_indices\nend_header"]
    full = 255 if kind == "uchar" else 1
    for quad, left, right in bar_faces():
        color = " ".join("%g" % (full * c) for c in color_of(left, right))
        lines += ["%.17g %.17g %.17g " % corner + color for corner in quad]
    lines += ["4 %d %d %d %d" % tuple(range(4 * i, 4 * i + 4)) for i in range(len(bar_faces()))]
    return "\n".join(lines) + "\n"


def glb(colors="f3", drop=0):
    """A primitive for each of end, soft and stiff, with a material of that name; `colors`: f3, f4 or
    u4 (bytes); `drop`: so many colours are missing."""
    blob, views, accessors, primitives = b"", [], [], []

    def add(data, count, component, kind, **more):
        nonlocal blob
        views.append({"buffer": 0, "byteOffset": len(blob), "byteLength": len(data)})
        accessors.append({"bufferView": len(views) - 1, "componentType": component, "count": count,
                          "type": kind, **more})
        blob += data + b"\0" * (-len(data) % 4)
        return len(accessors) - 1
    for number, (is_left, is_right) in enumerate([(True, False), (False, False), (False, True)]):
        quads = [quad for quad, left, right in bar_faces() if (left, right) == (is_left, is_right)]
        points = [corner for quad in quads for corner in quad]
        ids = [4 * i + k for i in range(len(quads)) for k in (0, 1, 2, 0, 2, 3)]
        low, high = [list(map(f, zip(*points))) for f in (min, max)]
        position = add(struct.pack(f"<{3 * len(points)}f", *sum(points, ())), len(points), 5126,
                       "VEC3", min=low, max=high)
        indices = add(struct.pack(f"<{len(ids)}H", *ids), len(ids), 5123, "SCALAR")
        width, count = int(colors[1]), len(points) - drop
        row = (color_of(is_left, is_right) + (1.0,))[:width]
        if colors[0] == "f":
            color = add(struct.pack(f"<{width * count}f", *row * count), count, 5126, f"VEC{width}")
        else:
            color = add(bytes(int(255 * c) for c in row) * count, count, 5121, f"VEC{width}",
                        normalized=True)
        primitives.append({"attributes": {"POSITION": position, "COLOR_0": color},
                           "indices": indices, "material": number})
    document = {"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}],
                "nodes": [{"mesh": 0}], "meshes": [{"name": "bar", "primitives": primitives}],
                "materials": [{"name": name} for name in ("end", "soft", "stiff")],
                "buffers": [{"byteLength": len(blob)}], "bufferViews": views,
                "accessors": accessors}
    text = json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    total = 12 + 8 + len(text) + 8 + len(blob)
    return (struct.pack("<4sII", b"glTF", 2, total) + struct.pack("<I4s", len(text), b"JSON") + text
            + struct.pack("<I4s", len(blob), b"BIN\0") + blob)


# ---- the reference -------------------------------------------------------------------------------


def reference_mesh():
    """The same bricks as a Gmsh file with the groups soft and stiff."""
    nodes = [tuple(SIZE[a] * i[a] / CELLS[a] for a in range(3))
             for i in ((x, y, z) for z in range(CELLS[2] + 1) for y in range(CELLS[1] + 1)
                       for x in range(CELLS[0] + 1))]

    def number(x, y, z):
        return 1 + x + (CELLS[0] + 1) * (y + (CELLS[1] + 1) * z)
    lines = ["$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n2\n3 1 \"soft\"\n3 2 \"stiff\"\n"
             f"$EndPhysicalNames\n$Nodes\n{len(nodes)}"]
    lines += ["%d %.17g %.17g %.17g" % (i + 1, *x) for i, x in enumerate(nodes)]
    bricks = [(x, y, z) for z in range(CELLS[2]) for y in range(CELLS[1]) for x in range(CELLS[0])]
    lines.append(f"$EndNodes\n$Elements\n{len(bricks)}")
    for i, (x, y, z) in enumerate(bricks):
        corners = [number(x + dx, y + dy, z + dz) for dz in (0, 1)
                   for dx, dy in ((0, 0), (1, 0), (1, 1), (0, 1))]
        tag = 2 if 2 * x >= CELLS[0] else 1
        lines.append(f"{i + 1} 5 2 {tag} {tag} " + " ".join(map(str, corners)))
    return "\n".join(lines + ["$EndElements"]) + "\n"


BASE = {"model": "linear", "poisson": 0.3, "density": 1000}


def scene(mesh, material, fixed, vertex):
    return {"limber": 1, "gravity": [0, 0, -9.81],
            "bodies": [{"name": "bar", "mesh": mesh, "material": material, "fixed": fixed}],
            "probes": [{"body": "bar", "vertex": vertex}]}


def figures(folder, name, *words):
    """The lowest frequencies and the sag of the tip."""
    path = write_json(folder, "scene.json", scene(*words)) if words else name
    modes = limber("modes", path, "--count", 6, "--json").json()["frequencies_hz"]
    return modes, limber("static", path, "--json").json()["probes"][0]["displacement"]


def reference(folder):
    write(folder, "reference.msh", reference_mesh())
    return figures(folder, "scene.json", "reference.msh",
                   [{**BASE, "young": SOFT, "group": "soft"},
                    {**BASE, "young": STIFF, "group": "stiff"}],
                   {"box": [[-1, -1, -1], [1e-3, 1, 1]]}, CELLS[0])


# The voxels are a millionth larger than the bar.
TOLERANCE = 2e-5


def check_same(found, expected, what):
    for i, (a, b) in enumerate(zip(found[0], expected[0])):
        check_close(a, b, TOLERANCE * b, f"{what}: frequency {i + 1}")
    size = max(map(abs, expected[1]))
    for a, b in zip(found[1], expected[1]):
        check_close(a, b, TOLERANCE * size, f"{what}: sag of the tip")


def tip(name, content):
    """A vertex of the surface at (1, 0, 0): the second quad in the order of each file."""
    if name.endswith(".obj"):
        points = [line.split()[1:4] for line in content.splitlines() if line.startswith("v ")]
        return points.index(["1", "0", "0"])
    if name.endswith(".ply"):
        return 4
    left, soft = 4, 4 * sum(not face[1] and not face[2] for face in bar_faces())
    return left + soft


BY_GROUP = ([{**BASE, "young": SOFT}, {**BASE, "young": STIFF, "group": "stiff"}],
            {"group": "end"})
BY_COLOR = ({**BASE, "color": {"channel": "red", "young": [SOFT, STIFF]}},
            {"color": {"channel": "green", "above": 0.5}})
BY_BOX = ([{**BASE, "young": SOFT}, {**BASE, "young": STIFF, "box": [[0.5, -1, -1], [2, 1, 1]]}],
          {"box": [[-1, -1, -1], [1e-3, 1, 1]]})

WAYS = {"groups of OBJ": ("bar.obj", lambda: obj_by("g"), BY_GROUP),
        "objects of OBJ": ("bar.obj", lambda: obj_by("o"), BY_GROUP),
        "materials of OBJ": ("bar.obj", lambda: obj_by("usemtl"), BY_GROUP),
        "colours of OBJ": ("bar.obj", lambda: obj_by("v"), BY_COLOR),
        "colours of PLY as bytes": ("bar.ply", ply, BY_COLOR),
        "colours of PLY as floats": ("bar.ply", lambda: ply("float"), BY_COLOR),
        "materials of glTF": ("bar.glb", glb, BY_GROUP),
        "three colours of glTF": ("bar.glb", glb, BY_COLOR),
        "four colours of glTF": ("bar.glb", lambda: glb("f4"), BY_COLOR),
        "colour bytes of glTF": ("bar.glb", lambda: glb("u4"), BY_COLOR),
        "boxes": ("bar.obj", lambda: obj_by("g"), BY_BOX)}


def check_way(folder, way):
    name, make, (material, fixed) = WAYS[way]
    content = make()
    write(folder, name, content)
    write(folder, "bar.mtl", "newmtl soft\nnewmtl stiff\nnewmtl end\n")
    mesh = {"surface": name, "voxelise": CELLS[0]}
    found = figures(folder, "scene.json", mesh, material, fixed, tip(name, content))
    check_same(found, reference(folder), way)


for way_name in WAYS:
    add_case(f"a bar is painted half stiff by {way_name}",
             lambda folder, way=way_name: check_way(folder, way))


# ---- limber build --------------------------------------------------------------------------------


def build(folder, *words):
    return limber("build", *words, "--method", "modal", "--modes", 6, "--material", "linear",
                  "--poisson", 0.3, "--cells", CELLS[0], "--accuracy", "none", "-o", "out.glb",
                  "--json", cwd=folder)


@case
def build_takes_the_same_parts_as_options(folder):
    expected = reference(folder)[0]
    write(folder, "groups.obj", obj_by("g"))
    write(folder, "colors.ply", ply())
    for words in (("groups.obj", "--young", SOFT, "--young", f"stiff={STIFF}", "--fixed", "end"),
                  ("colors.ply", "--young", f"color.red={SOFT},{STIFF}", "--fixed", "color.green"),
                  ("colors.ply", "--young", SOFT, "--young", f"box.0.5,-1,-1,2,1,1={STIFF}",
                   "--fixed", "box.-1,-1,-1,0.001,1,1"),
                  ("colors.ply", "--young", f"color.red={SOFT},{STIFF}", "--fixed",
                   "color.green=0.9")):
        found = build(folder, *words).json()
        check(found["fixed_nodes"] == 9, f"{words}: {found['fixed_nodes']} fixed nodes, not 9")
        for a, b in zip(found["frequencies_hz"], expected):
            check_close(a, b, TOLERANCE * b, f"{words}: a frequency")
        check("fixed_share" not in found["chosen"], f"{words}: the lowest part is fixed too")
        model = limber("info", "out.glb", "--json", cwd=folder).json()["models"][0]
        counts = {material["young"]: material["elements"] for material in model["materials"]
                  if material["elements"]}
        check(counts == {SOFT: 16, STIFF: 16}, f"{words}: elements by modulus are {counts}")


@case
def build_refuses_parts_that_make_no_sense(folder):
    write(folder, "bar.obj", obj_by("g"))
    for words, part in ((("--young", "stiff="), "Young's modulus in Pa"),
                        (("--young", "stiff=-1"), "must be positive"),
                        (("--young", "color.pink=1,2"), "red, green, blue or alpha"),
                        (("--young", "color.red=1e5"), "LOW,HIGH"),
                        (("--young", "box.1,2,3=1e5"), "six numbers"),
                        (("--young", "soft"), "must be a number"),
                        (("--fixed", ""), "names no group"),
                        (("--fixed", "color.red=2"), "below 1"),
                        (("--fixed", "end", "--free"), "not both")):
        build(folder, "bar.obj", *words).message(part, status=2)
    build(folder, "bar.obj", "--young", "stif=1e6").message('"stif"', "there are: soft, stiff, end")
    build(folder, "bar.obj", "--fixed", "ende").message('"ende"', "there are:", "soft", "end")
    build(folder, "bar.obj", "--fixed", "color.red").message("no vertex colours", "COLOR_0")
    write_json(folder, "scene.json", scene("reference.msh", BASE, {"vertices": [0]}, 0))
    limber("build", "scene.json", "--fixed", "end", cwd=folder).message("--fixed", status=2)


# ---- colours between the ends --------------------------------------------------------------------


@case
def a_colour_between_the_ends_is_rounded_to_sixteen_moduli(folder):
    """A tall column whose red rises from 0 to 1: at most 16 materials, even in the logarithm."""
    corners = [(x, y, z) for z in (0, 1) for x, y in ((0, 0), (.05, 0), (.05, .05), (0, .05))]
    faces = ((1, 4, 3, 2), (5, 6, 7, 8), (1, 2, 6, 5), (4, 8, 7, 3), (1, 5, 8, 4), (2, 3, 7, 6))
    lines = ["v %g %g %g %g 0 0" % (*corner, corner[2]) for corner in corners]
    lines += ["f " + " ".join(map(str, face)) for face in faces]
    write(folder, "column.obj", "\n".join(lines) + "\n")
    write_json(folder, "scene.json",
               scene({"surface": "column.obj", "voxelise": 60},
                     {**BASE, "color": {"channel": "red", "young": [1e4, 1e8]}},
                     {"vertices": [0]}, 0))
    body = limber("info", "scene.json", "--json", cwd=folder).json()["bodies"][0]
    found = [material["young"] for material in body["materials"]]
    check(len(found) == 16, f"{len(found)} materials, not 16")
    check(found[0] == 1e4 and found[-1] == 1e8, f"the ends are {found[0]!r} and {found[-1]!r}")
    for i, young in enumerate(found):
        check_close(young / 10 ** (4 + 4 * i / 15), 1, 1e-12, f"modulus {i}")
    elements = [material["elements"] for material in body["materials"]]
    check(sum(elements) == body["bricks"], f"{sum(elements)} elements of {body['bricks']}")
    middle = body["bricks"] / 15
    for count in elements[1:-1]:
        check_close(count, middle, 0.3 * middle, "elements of a level")


@case
def what_has_no_colour_keeps_the_material_before(folder):
    """Some programs colour one object of several."""
    text, lines = obj_by("v"), []
    for line in text.splitlines():
        words = line.split()
        lines.append(" ".join(words[:4]) if words[0] == "v" and float(words[1]) < 0.45 else line)
    write(folder, "bar.obj", "\n".join(lines) + "\n")
    mesh = {"surface": "bar.obj", "voxelise": CELLS[0]}
    graded = {**BASE, "color": {"channel": "red", "young": [SOFT, STIFF]}}
    write_json(folder, "scene.json", scene(mesh, [{**BASE, "young": 123.0}, graded],
                                           {"vertices": [0]}, 0))
    found = {m["young"]: m["elements"]
             for m in limber("info", "scene.json", "--json", cwd=folder).json()["bodies"][0][
                 "materials"]}
    check(found.get(123.0) == 16, f"elements by modulus are {found}")
    write_json(folder, "scene.json", scene(mesh, graded, {"vertices": [0]}, 0))
    limber("info", "scene.json", cwd=folder).message("element", "none of the regions")


# ---- bad input -----------------------------------------------------------------------------------


def refused(folder, *words):
    write_json(folder, "scene.json", scene(*words))
    return limber("info", "scene.json", cwd=folder)


@case
def wrong_regions_of_a_scene_are_refused_by_name(folder):
    write(folder, "bar.obj", obj_by("g"))
    write(folder, "colors.ply", ply())
    mesh = {"surface": "bar.obj", "voxelise": CELLS[0]}
    painted = {"surface": "colors.ply", "voxelise": CELLS[0]}
    fixed, base = {"vertices": [0]}, {**BASE, "young": SOFT}
    refused(folder, mesh, [base, {"group": "stif"}], fixed, 0).message(
        "material[1]", '"stif"', "there are: soft, stiff, end")
    refused(folder, painted, [base, {"group": "stiff"}], fixed, 0).message(
        "material[1]", "no group", "neither mesh nor surface has groups")
    refused(folder, mesh, base, {"group": "en"}, 0).message("fixed", '"en"', "soft, stiff, end")
    refused(folder, mesh, [base, {"box": [[5, 5, 5], [6, 6, 6]]}], fixed, 0).message(
        "material[1]", "box covers no element")
    refused(folder, mesh, {"color": {"channel": "red", "young": [1, 2]}}, fixed, 0).message(
        "material", "no vertex colours")
    refused(folder, mesh, base, {"color": {"channel": "red"}}, 0).message(
        "fixed", "no vertex colours")
    for color, part in (({"young": [1, 2]}, "channel"), ({"channel": "rd"}, "did you mean"),
                        ({"channel": "red"}, "young"), ({"channel": "red", "young": 1}, "2"),
                        ({"channel": "red", "young": [1, -2]}, "positive"),
                        ({"channel": "red", "young": [1, 2], "above": 0.5}, "unknown key")):
        refused(folder, painted, {**BASE, "color": color}, fixed, 0).message("material.color", part)
    refused(folder, painted, {**base, "color": {"channel": "red", "young": [1, 2]}}, fixed,
            0).message("material.young", "remove")
    refused(folder, painted, base, {"color": {"channel": "red", "above": 1}}, 0).message("below 1")


@case
def a_group_that_covers_nothing_is_refused_with_those_that_exist(folder):
    count = 4 * len(bar_faces())
    speck = ["v 0 0 0", "v 1e-4 0 0", "v 0 1e-4 0", "g speck",
             "f %d %d %d" % (count + 1, count + 2, count + 3)]
    write(folder, "bar.obj", obj_by("g") + "\n".join(speck) + "\n")
    mesh, base = {"surface": "bar.obj", "voxelise": CELLS[0]}, {**BASE, "young": SOFT}
    refused(folder, mesh, [base, {"group": "speck"}], {"vertices": [0]}, 0).message(
        '"speck" covers no element', "soft, stiff, end, speck")


@case
def colours_of_a_wrong_count_are_refused(folder):
    write(folder, "five.obj", "v 0 0 0 1 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    limber("mesh", "five.obj", cwd=folder).message("five.obj:1", "vertex 1", "2 numbers", "3 or 4")
    write(folder, "many.obj", "v 0 0 0\nv 1 0 0 1 1 1 1 1 1\nv 0 1 0\nf 1 2 3\n")
    limber("mesh", "many.obj", cwd=folder).message("many.obj:2", "vertex 2", "3 or 4")
    write(folder, "nan.obj", "v 0 0 0 nan 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    limber("mesh", "nan.obj", cwd=folder).message("nan.obj:1", "finite")
    write(folder, "short.glb", glb(drop=1))
    limber("mesh", "short.glb", cwd=folder).message("short.glb", "3 colours for 4 vertices")
    write(folder, "weight.obj", "v 0 0 0 1\nv 1 0 0 1\nv 0 1 0 1\nf 1 2 3\n")
    check(limber("mesh", "weight.obj", "--json", cwd=folder).json()["colors"] is None,
          "a weight was taken for a colour")
    write(folder, "bright.obj", "v 0 0 0 255 0 0\nv 1 0 0 0 0 0\nv 0 1 0 0 0 0\nf 1 2 3\n")
    bright = limber("mesh", "bright.obj", cwd=folder).expect(0)
    check("1 vertex colours lie outside" in bright.err, f"no warning: {bright.err!r}")


# ---- reports and files ---------------------------------------------------------------------------


@case
def reports_name_groups_looks_and_colours(folder):
    write(folder, "bar.glb", glb())
    found = limber("mesh", "bar.glb", "--json", cwd=folder).json()
    soft = 2 * sum(not face[1] and not face[2] for face in bar_faces())
    check(found["looks"] == [{"name": "end", "triangles": 2}, {"name": "soft", "triangles": soft},
                             {"name": "stiff", "triangles": soft + 2}], f"looks {found['looks']}")
    check(found["colors"] == {"vertices": 4 * len(bar_faces()), "low": [0, 0, 0, 1],
                              "high": [1, 1, 0, 1]}, f"colours {found['colors']}")
    text = limber("info", "bar.glb", cwd=folder).expect(0).out
    check('look "stiff": ' in text and "red 0 to 1, green 0 to 1, blue 0 to 0" in text, text)


@case
def colours_survive_conversion_and_cleaning(folder):
    write(folder, "bar.obj", obj_by("v"))
    limber("mesh", "bar.obj", "-o", "bar.ply", cwd=folder).expect(0)
    limber("mesh", "bar.ply", "-o", "again.obj", cwd=folder).expect(0)
    with open(folder + "/again.obj") as file:
        rows = [line.split()[1:] for line in file if line.startswith("v ")]
    expected = [line.split()[1:] for line in obj_by("v").splitlines() if line.startswith("v ")]
    check([list(map(float, row)) for row in rows] == [list(map(float, row)) for row in expected],
          "colours or positions differ after OBJ to PLY to OBJ")
    clean = limber("mesh", "bar.obj", "--clean", "--json", cwd=folder).json()
    check(clean["colors"]["vertices"] == clean["vertices"] < len(rows), f"{clean['colors']}")


@case
def a_filled_surface_is_painted_too(folder):
    if not shutil.which("tetgen"):
        raise Skip("tetgen is not installed")
    write(folder, "bar.obj", obj_by("g"))
    write_json(folder, "scene.json",
               scene({"surface": "bar.obj", "fill": "tetgen"}, *BY_GROUP, 0))
    body = limber("info", "scene.json", "--json", cwd=folder).json()["bodies"][0]
    soft, stiff = [material["elements"] for material in body["materials"]]
    check(soft + stiff == body["tets"] and 0.5 < soft / stiff < 2, f"{soft} soft, {stiff} stiff")
    limber("mesh", "bar.obj", "--fill", "tetgen", "-o", "bar.msh", cwd=folder).expect(0)
    with open(folder + "/bar.msh") as file:
        nodes = file.read().split("$Nodes\n")[1].split("$EndNodes")[0].splitlines()[1:]
    at_end = sum(abs(float(node.split()[1])) < 1e-9 for node in nodes)
    check(body["fixed_vertices"] == at_end >= 4,
          f"{body['fixed_vertices']} fixed vertices, {at_end} lie on the end")


run_cases()
