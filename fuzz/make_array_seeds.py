#!/usr/bin/env python3
"""Writes the seeds of the readers of NumPy arrays, sketches and edit scripts into fuzz/corpus, by
Python's own zip writer. tests/reduce/test_basis_file.c reads the arrays and expects the numbers 0 to
11 from each."""
import os
import struct
import zipfile

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "corpus")


def save(reader, name, data):
    os.makedirs(os.path.join(FOLDER, reader), exist_ok=True)
    with open(os.path.join(FOLDER, reader, name), "wb") as file:
        file.write(data)


def npy(version, kind, order, shape):
    text = "{'descr': '%s', 'fortran_order': %s, 'shape': %s, }" % (kind, order, shape)
    start = 10 if version == 1 else 12
    text += " " * (63 - (len(text) + start) % 64) + "\n"
    length = struct.pack("<H" if version == 1 else "<I", len(text))
    values = struct.pack(kind[0] + ("12d" if kind[2] == "8" else "12f"), *range(12))
    return b"\x93NUMPY" + bytes((version, 0)) + length + text.encode() + values


def npz(name, packing, members):
    os.makedirs(os.path.join(FOLDER, "npz"), exist_ok=True)
    with zipfile.ZipFile(os.path.join(FOLDER, "npz", name), "w", packing) as archive:
        for member, data in members:
            entry = zipfile.ZipInfo(member, (1980, 1, 1, 0, 0, 0))
            entry.compress_type = packing
            with archive.open(entry, "w", force_zip64=True) as file:  # as NumPy does
                file.write(data)


plain = npy(1, "<f8", "False", (4, 3))
save("npz", "plain.npy", plain)
save("npz", "big.npy", npy(2, ">f4", "True", (12,)))
save("npz", "three.npy", npy(3, "<f4", "False", (2, 2, 3)))
npz("stored.npz", zipfile.ZIP_STORED, [("basis.npy", plain)])
npz("deflated.npz", zipfile.ZIP_DEFLATED, [("other.npy", plain[:-8] + bytes(8)), ("basis.npy", plain)])
save("sketch", "all.json", b"""{ "limber_sketch": 1, "loads": [
  { "name": "a", "vertex": 7, "force": [1, 2, 3] }, { "vertices": [4, 5], "force": [0, 0, -1e3] },
  { "vertices": [1, 2], "forces": [[1, 0, 0], [0, 2.5, 0]] } ] }
""")
save("edit", "all.json", b"""{ "handles": [
  { "name": "tip", "box": [[0.9, -1, -1], [1.1, 1, 1]], "translate": [0, 0.2, 0],
    "rotate": { "axis": [0, 0, 1], "degrees": 90, "centre": [1, 0, 0] }, "weight": 2 },
  { "name": "foot", "group": "left" } ] }
""")
save("edit", "list.json", b"""{ "handles": [{ "name": "nose", "vertices": [11, 10, 9], "translate": [0.1, 0, 0] }] }
""")
save("edit", "words.txt", b"tip: box 0.9 -1 -1 1.1 1 1; translate 0 0.2 0; rotate z 90 about 1 0 0; weight 2")
save("edit", "group.txt", b"right: rotate 1 0 0 45")
