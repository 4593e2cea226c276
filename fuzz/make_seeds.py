#!/usr/bin/env python3
"""Writes the seeds of the volume readers (and of a few others) into fuzz/corpus: one small mesh in
every variant of every format. tests/mesh/test_seeds.c reads them and expects the same mesh from each.

The mesh: a brick (tag 1, "core"), two tets on it (tag 2, "cap"; the second has the other winding),
the quad below (tag 3, "floor"), a triangle and a line without a tag, and vertex 8 (tag 7, "tip")."""
import base64
import json
import os
import struct
import zlib

POINTS = [(0, 0, 0), (.1, 0, 0), (.1, .1, 0), (0, .1, 0),
          (0, 0, .1), (.1, 0, .1), (.1, .1, .1), (0, .1, .1), (.05, .05, .2)]
# (vtk type, gmsh type, vertices, tag)
CELLS = [(9, 3, (0, 3, 2, 1), 3), (5, 2, (4, 5, 8), 0), (3, 1, (0, 1), 0),
         (12, 5, (0, 1, 2, 3, 4, 5, 6, 7), 1), (10, 4, (4, 5, 6, 8), 2), (10, 4, (6, 4, 7, 8), 2)]
NAMES = [(3, 1, "core"), (3, 2, "cap"), (2, 3, "floor"), (0, 7, "tip")]
DIMENSION = {1: 1, 2: 2, 3: 2, 4: 3, 5: 3, 15: 0}
NODE_TAG = [100 - 10 * i for i in range(9)]  # sparse and falling
FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "corpus")


def save(reader, name, data):
    os.makedirs(os.path.join(FOLDER, reader), exist_ok=True)
    with open(os.path.join(FOLDER, reader, name), "wb") as file:
        file.write(data.encode() if isinstance(data, str) else data)


def numbers(values):
    return " ".join(repr(float(v)) if isinstance(v, float) else str(v) for v in values)


def msh_names():
    rows = "".join('%d %d "%s"\n' % n for n in NAMES)
    return "$PhysicalNames\n%d\n%s$EndPhysicalNames\n" % (len(NAMES), rows)


def msh_elements():
    return [(15, (8,), 7)] + [(t, v, tag) for _, t, v, tag in CELLS]


def msh22(order):
    elements = msh_elements()
    if order is None:
        out = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n" + msh_names() + "$Nodes\n9\n"
        out += "".join("%d %s\n" % (t, numbers(p)) for t, p in zip(NODE_TAG, POINTS))
        out += "$EndNodes\n$Elements\n%d\n" % len(elements)
        for i, (t, v, tag) in enumerate(elements):
            out += "%d %d 2 %d 1 %s\n" % (i + 1, t, tag, numbers(NODE_TAG[k] for k in v))
        return out + "$EndElements\n"
    pack = lambda f, *a: struct.pack(order + f, *a)
    out = b"$MeshFormat\n2.2 1 8\n" + pack("i", 1) + b"\n$EndMeshFormat\n" + msh_names().encode()
    out += b"$Nodes\n9\n" + b"".join(pack("i3d", t, *p) for t, p in zip(NODE_TAG, POINTS))
    out += b"\n$EndNodes\n$Elements\n%d\n" % len(elements)
    for i, (t, v, tag) in enumerate(elements):
        out += pack("3i", t, 1, 2) + pack("3i", i + 1, tag, 1)
        out += pack("%di" % len(v), *[NODE_TAG[k] for k in v])
    return out + b"\n$EndElements\n"


def msh41(order):
    binary = order is not None

    def put(kind, *values):
        if binary:
            return struct.pack(order + "%d%s" % (len(values), kind), *values)
        return (numbers(values) + "\n").encode()

    elements = msh_elements()
    # One entity for every element; entity tags 1, 2, ...; physical tags through $Entities.
    entities = [(DIMENSION[t], i + 1, tag) for i, (t, _, tag) in enumerate(elements)]
    out = b"$MeshFormat\n4.1 %d 8\n" % binary + (put("i", 1) + b"\n" if binary else b"")
    out += b"$EndMeshFormat\n" + msh_names().encode() + b"$Entities\n"
    out += put("Q", *[sum(e[0] == d for e in entities) for d in range(4)])
    for d in range(4):
        for dimension, number, tag in entities:
            if dimension != d:
                continue
            out += put("i", number) + put("d", *[0.0] * (3 if d == 0 else 6))
            out += put("Q", 1) + put("i", tag) if tag else put("Q", 0)
            out += put("Q", 0) if d > 0 else b""
    out += b"\n$EndEntities\n$Nodes\n" + put("Q", 2, 9, 20, 100)
    for block, parametric in ((range(0, 4), 1), (range(4, 9), 0)):
        out += put("i", 2, 1, parametric) + put("Q", len(block))
        out += b"".join(put("Q", NODE_TAG[k]) for k in block)
        for k in block:
            out += put("d", *[float(x) for x in POINTS[k]])
            out += put("d", 0.25, 0.75) if parametric else b""
    out += b"\n$EndNodes\n$Elements\n" + put("Q", len(elements), len(elements), 1, len(elements))
    for i, (t, v, tag) in enumerate(elements):
        out += put("i", DIMENSION[t], i + 1, t) + put("Q", 1)
        out += put("Q", i + 1, *[NODE_TAG[k] for k in v])
    return out + b"\n$EndElements\n"


def medit():
    section = {9: "Quadrilaterals", 5: "Triangles", 3: "Edges", 12: "Hexahedra", 10: "Tetrahedra"}
    out = "# a comment\nMeshVersionFormatted 2\nDimension\n3\nVertices\n9\n"
    for i, p in enumerate(POINTS):
        out += "%s %d\n" % (numbers(p), 7 if i == 8 else 0)
    for kind, name in section.items():
        rows = [(v, tag) for t, _, v, tag in CELLS if t == kind]
        out += "%s\n%d\n" % (name, len(rows))
        out += "".join("%s %d\n" % (numbers(k + 1 for k in v), tag) for v, tag in rows)
    return out + "Corners\n1\n1\nEnd\n"


def veg(kind):
    wanted, word, columns = (10, "TETS", 4) if kind == "tet" else (12, "CUBIC", 8)
    rows = [v for t, _, v, _ in CELLS if t == wanted]
    out = "# Vega\n\n*VERTICES\n9 3 0 0\n"
    out += "".join("%d %s\n" % (i + 1, numbers(p)) for i, p in enumerate(POINTS))
    out += "\n*ELEMENTS\n%s\n%d %d 0\n" % (word, len(rows), columns)
    out += "".join("%d %s\n" % (i + 1, numbers(k + 1 for k in v)) for i, v in enumerate(rows))
    out += "\n*MATERIAL soft\nENU, 1000, 1E6, 0.45\n*SET first\n1,\n"
    out += "*MATERIAL tough\nMOONEYRIVLIN, 900, 1, 2, 3\n"
    return out + "*REGION\nallElements, soft\n*REGION\nfirst, tough\n"


def vtk(order, version):
    def put(kind, *values):
        if order:
            return struct.pack(">%d%s" % (len(values), kind), *values) + b"\n"
        return (numbers(values) + "\n").encode()

    out = b"# vtk DataFile Version %s\na seed\n%s\n" % (version, b"BINARY" if order else b"ASCII")
    out += b"DATASET UNSTRUCTURED_GRID\nPOINTS 9 double\n"
    out += put("d", *[float(x) for p in POINTS for x in p])
    vertices = [k for _, _, v, _ in CELLS for k in v]
    if version >= b"5":
        offsets = [0]
        for _, _, v, _ in CELLS:
            offsets.append(offsets[-1] + len(v))
        out += b"CELLS %d %d\nOFFSETS vtktypeint64\n" % (len(offsets), len(vertices))
        out += put("q", *offsets) + b"CONNECTIVITY vtktypeint64\n" + put("q", *vertices)
    else:
        lists = [k for _, _, v, _ in CELLS for k in (len(v),) + v]
        out += b"CELLS %d %d\n" % (len(CELLS), len(lists)) + put("i", *lists)
    out += b"CELL_TYPES %d\n" % len(CELLS) + put("i", *[c[0] for c in CELLS])
    out += b"POINT_DATA 9\nVECTORS u float\n" + put("f", *[0.5] * 27)
    out += b"CELL_DATA 6\nSCALARS quality float 1\nLOOKUP_TABLE default\n" + put("f", *[1.0] * 6)
    out += b"FIELD FieldData 1\ngroup 1 6 int\n" + put("i", *[c[3] for c in CELLS])
    return out


def polydata():
    out = "# vtk DataFile Version 3.0\na seed\nASCII\nDATASET POLYDATA\nPOINTS 5 float\n"
    out += "0 0 0 1 0 0 1 1 0 0 1 0 2 2 0\nPOLYGONS 1 5\n4 0 1 2 3\n"
    return out + "TRIANGLE_STRIPS 1 5\n4 0 1 3 2\nCELL_DATA 2\nSCALARS region int\n4 0\n"


def vtu(appended=None, binary=False, compress=False, order="<", long=False, pieces=1):
    head = order + ("Q" if long else "I")
    blob = b""

    def encode(data):
        if compress:
            half = (len(data) + 1) // 2
            blocks = [data[i:i + half] for i in range(0, len(data), half)] if data else []
            last = len(blocks[-1]) if blocks and len(blocks[-1]) != half else 0
            packed = [zlib.compress(b) for b in blocks]
            header = [len(blocks), half, last] + [len(b) for b in packed]
            return struct.pack(order + "%d%s" % (len(header), head[1]), *header), b"".join(packed)
        return struct.pack(head, len(data)), data

    def array(kind, code, name, components, values):
        nonlocal blob
        tag = '<DataArray type="%s" Name="%s" NumberOfComponents="%d" ' % (kind, name, components)
        data = struct.pack(order + "%d%s" % (len(values), code), *values)
        header, body = encode(data)
        if binary:  # a compressed header is encoded by itself
            whole = [header, body] if compress else [header + body]
            body = b"".join(base64.b64encode(part) for part in whole)
        else:
            body = header + body
        if appended:
            tag += 'format="appended" offset="%d"/>\n' % len(blob)
            blob += body
            return tag.encode()
        if binary:
            return tag.encode() + b'format="binary">\n' + body + b"\n</DataArray>\n"
        return (tag + 'format="ascii">\n%s\n</DataArray>\n' % numbers(values)).encode()

    out = '<?xml version="1.0"?>\n<!-- a seed -->\n<VTKFile type="UnstructuredGrid" version="1.0" '
    out += 'byte_order="%s" header_type="%s"' % (
        "LittleEndian" if order == "<" else "BigEndian", "UInt64" if long else "UInt32")
    out += ' compressor="vtkZLibDataCompressor">\n' if compress else ">\n"
    out = out.encode() + b"<UnstructuredGrid>\n"
    for piece in range(pieces):
        cells = CELLS if pieces == 1 else (CELLS[:3], CELLS[3:])[piece]
        ends, at = [], 0
        for _, _, v, _ in cells:
            at += len(v)
            ends.append(at)
        out += b'<Piece NumberOfPoints="9" NumberOfCells="%d">\n<CellData>\n' % len(cells)
        out += array("Int32", "i", "group", 1, [c[3] for c in cells]) + b"</CellData>\n<Points>\n"
        out += array("Float64", "d", "Points", 3, [float(x) for p in POINTS for x in p])
        out += b"</Points>\n<Cells>\n"
        out += array("Int64", "q", "connectivity", 1, [k for c in cells for k in c[2]])
        out += array("Int32", "i", "offsets", 1, ends)
        out += array("UInt8", "B", "types", 1, [c[0] for c in cells]) + b"</Cells>\n</Piece>\n"
    out += b"</UnstructuredGrid>\n"
    if appended:
        out += b'<AppendedData encoding="%s">\n_' % (b"base64" if binary else b"raw")
        out += blob + b"\n</AppendedData>\n"
    return out + b"</VTKFile>\n"


def cub():
    """Two modes: f = P q + Q(q,q) + S(q,q,q) with P = (4 1; 1 3), Q_000.. = 6 2 1 5, S_0000.. =
    8 3 2 1 7."""
    P, Q, S = (4, 1, 3), (6, 2, 1, 5), (8, 3, 2, 1, 7)  # by the number of ones among the indices
    out = struct.pack("<4i", 2, 2, 3, 4)
    for p in range(2):
        out += struct.pack("<2d", *(P[p + i] for i in range(2)))
    for p in range(2):
        out += struct.pack("<3d", *(n * Q[p + i] for i, n in enumerate((1, 2, 1))))
    for p in range(2):
        out += struct.pack("<4d", *(n * S[p + i] for i, n in enumerate((1, 3, 3, 1))))
    return out


def gltf_motion(nodes, channels, binary):
    """One animation; channels: [(node, path, interpolation, times, rows)]."""
    data, views, accessors, samplers, targets = b"", [], [], [], []
    for node, path, interpolation, times, rows in channels:
        for values in ([[t] for t in times], rows):
            flat = [x for row in values for x in row]
            views.append({"buffer": 0, "byteOffset": len(data), "byteLength": 4 * len(flat)})
            accessors.append({"bufferView": len(views) - 1, "componentType": 5126,
                              "count": len(values),
                              "type": {1: "SCALAR", 3: "VEC3", 4: "VEC4"}[len(values[0])]})
            data += struct.pack("<%df" % len(flat), *flat)
        samplers.append({"input": len(accessors) - 2, "output": len(accessors) - 1,
                         "interpolation": interpolation})
        targets.append({"sampler": len(samplers) - 1, "target": {"node": node, "path": path}})
    buffer = {"byteLength": len(data)}
    if not binary:
        uri = "data:application/octet-stream;base64," + base64.b64encode(data).decode()
        buffer["uri"] = uri
    text = json.dumps({"asset": {"version": "2.0"}, "nodes": nodes, "buffers": [buffer],
                       "bufferViews": views, "accessors": accessors,
                       "animations": [{"name": "walk", "samplers": samplers, "channels": targets}]},
                      separators=(",", ":")).encode()
    if not binary:
        return text
    text += b" " * (-len(text) % 4)
    chunks = struct.pack("<I4s", len(text), b"JSON") + text
    chunks += struct.pack("<I4s", len(data), b"BIN\0") + data
    return b"glTF" + struct.pack("<II", 2, 12 + len(chunks)) + chunks


def save_motions():
    moves, turns = [[0, 0, 0], [1, 2, 0]], [[0, 0, 0, 1], [0, 0.6, 0, 0.8]]
    save("motion", "text.gltf", gltf_motion(
        [{"name": "root", "children": [1], "rotation": [0, 0, 1, 0], "scale": [2, 2, 2]},
         {"name": "hips"}],
        [(1, "translation", "LINEAR", [0, 1], moves), (1, "rotation", "LINEAR", [0, 1], turns)],
        False))
    matrix = [2, 0, 0, 0, 0, 0, 2, 0, 0, -2, 0, 0, 1, 0, 0, 1]
    save("motion", "cubic.glb", gltf_motion(
        [{"children": [1], "matrix": matrix}, {"name": "a"}],
        [(1, "translation", "CUBICSPLINE", [0, 1], 3 * moves),
         (1, "rotation", "CUBICSPLINE", [0, 0.5], 3 * turns)], True))
    save("motion", "chain.glb", gltf_motion(
        [{"children": [1]}, {"children": [2]}, {"name": "a", "translation": [0, 1, 0]}],
        [(0, "rotation", "STEP", [0, 2], turns), (1, "scale", "STEP", [0, 1], moves),
         (2, "translation", "STEP", [0, 1], moves)], True))


def save_rig():
    """A tetrahedron on two joints that turn."""
    parts = [("3f", 5126, "VEC3", [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]),
             ("H", 5123, "SCALAR", [(i,) for i in (0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3)]),
             ("4B", 5121, "VEC4", 4 * [(0, 1, 0, 0)]),
             ("4f", 5126, "VEC4", 4 * [(0.75, 0.25, 0, 0)]),
             ("16f", 5126, "MAT4", [(1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, -y, 0, 1) for y in (0, 0.5)]),
             ("f", 5126, "SCALAR", [(0,), (0.5,), (1,)]),
             ("4f", 5126, "VEC4", [(0, 0, 0, 1), (0, 0, 0.6, 0.8), (0, 0, 0, 1)])]
    data, views, accessors = b"", [], []
    for form, code, kind, rows in parts:
        block = b"".join(struct.pack("<" + form, *row) for row in rows)
        views.append({"buffer": 0, "byteOffset": len(data), "byteLength": len(block)})
        accessors.append({"bufferView": len(views) - 1, "componentType": code, "count": len(rows),
                          "type": kind})
        data += block
    turns = [{"sampler": 0, "target": {"node": node, "path": "rotation"}} for node in (0, 1)]
    text = json.dumps({
        "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0, 2]}],
        "nodes": [{"name": "hips", "children": [1]}, {"name": "knee", "translation": [0, 0.5, 0]},
                  {"name": "skin", "mesh": 0, "skin": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0, "JOINTS_0": 2, "WEIGHTS_0": 3},
                                    "indices": 1}]}],
        "skins": [{"joints": [0, 1], "inverseBindMatrices": 4}],
        "animations": [{"channels": turns, "samplers": [{"input": 5, "output": 6}]}],
        "accessors": accessors, "bufferViews": views, "buffers": [{"byteLength": len(data)}]},
        separators=(",", ":")).encode()
    text += b" " * (-len(text) % 4)
    chunks = struct.pack("<I4s", len(text), b"JSON") + text
    chunks += struct.pack("<I4s", len(data), b"BIN\0") + data
    save("rig", "leg.glb", b"glTF" + struct.pack("<II", 2, 12 + len(chunks)) + chunks)


def main():
    save_motions()
    save_rig()
    save("cub", "two.cub", cub())
    save("basis", "double.U", struct.pack("<2i6d", 3, 2, 1, -2, 0.5, 4, 5, -6))
    save("basis", "single.float", struct.pack("<2i6f", 3, 2, 1, -2, 0.5, 4, 5, -6))
    save("msh", "22_text.msh", msh22(None))
    save("msh", "22_little.msh", msh22("<"))
    save("msh", "22_big.msh", msh22(">"))
    save("msh", "41_text.msh", msh41(None))
    save("msh", "41_little.msh", msh41("<"))
    save("msh", "41_big.msh", msh41(">"))
    save("medit", "all.mesh", medit())
    save("veg", "tet.veg", veg("tet"))
    save("veg", "brick.veg", veg("brick"))
    save("bou", "list.bou", "1,2,\n3 4\n# more\n9\n")
    node = "# nodes\n9 3 1 1\n" + "".join(
        "%d %s 0.5 %d\n" % (i, numbers(p), 7 if i == 8 else 0) for i, p in enumerate(POINTS))
    ele = "2 4 1\n0 4 5 6 8 2\n1 6 4 7 8 2 # turned\n"
    save("ele", "pair", node + "\0" + ele)
    save("vtk", "3_text.vtk", vtk(False, b"3.0"))
    save("vtk", "3_binary.vtk", vtk(True, b"3.0"))
    save("vtk", "5_text.vtk", vtk(False, b"5.1"))
    save("vtk", "5_binary.vtk", vtk(True, b"5.1"))
    save("vtk", "polydata.vtk", polydata())
    save("vtu", "text.vtu", vtu())
    save("vtu", "base64.vtu", vtu(binary=True))
    save("vtu", "base64_zlib_big.vtu", vtu(binary=True, compress=True, order=">"))
    save("vtu", "raw.vtu", vtu(appended=True))
    save("vtu", "raw_zlib_long_big.vtu", vtu(appended=True, compress=True, long=True, order=">"))
    save("vtu", "appended64_long.vtu", vtu(appended=True, binary=True, long=True))
    save("vtu", "appended64_zlib.vtu", vtu(appended=True, binary=True, compress=True))
    save("vtu", "pieces.vtu", vtu(pieces=2))


main()
