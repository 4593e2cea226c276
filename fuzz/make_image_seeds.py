#!/usr/bin/env python3
"""Writes the seeds of the reader of volume images into fuzz/corpus. All have the numbers 0 to 23 on
2 x 3 x 4 places, 2, 3 and 4 mm apart, the first at 10, 20, 30 mm; tests/arrayio/test_image.c reads
them."""
import os
import struct

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "corpus", "image")


def save(name, data):
    os.makedirs(FOLDER, exist_ok=True)
    with open(os.path.join(FOLDER, name), "wb") as file:
        file.write(data)


def nifti(order, code, letter, form, units=2, slope=1.0, intercept=0.0):
    head = bytearray(352)

    def put(at, kind, *values):
        struct.pack_into(order + kind, head, at, *values)

    put(0, "i", 348)
    put(40, "8h", 3, 2, 3, 4, 1, 1, 1, 1)
    put(70, "hh", code, 8 * struct.calcsize(letter))
    put(76, "8f", 1, 2, 3, 4, 0, 0, 0, 0)
    put(108, "fff", 352, slope, intercept)
    head[123] = units
    if form == "s":
        put(254, "h", 1)
        for row in range(3):
            line = [0.0] * 4
            line[row] = (2, 3, 4)[row]
            line[3] = (10, 20, 30)[row]
            put(280 + 16 * row, "4f", *line)
    if form == "q":
        put(252, "h", 1)
        put(256, "6f", 0, 0, 0, 10, 20, 30)
    head[344:348] = b"n+1\0"
    return bytes(head) + struct.pack(order + "24" + letter, *range(24))


def nrrd(kind, letter, endian, axes):
    text = "NRRD0004\n# a comment\ntype: %s\ndimension: 3\nspace: left-posterior-superior\n" % kind
    text += "sizes: 2 3 4\n" + axes + "endian: %s\nencoding: raw\n\n" % endian
    return text.encode() + struct.pack((">" if endian == "big" else "<") + "24" + letter, *range(24))


DIRECTIONS = ('space directions: (2,0,0) (0,3,0) (0,0,4)\nspace origin: (10, 20, 30)\n'
              'space units: "mm" "mm" "mm"\n')
METRES = "spacings: 0.002 0.003 0.004\nspace origin: (0.01,0.02,0.03)\n"

save("little.nii", nifti("<", 4, "h", "s"))
save("big.nii", nifti(">", 16, "f", "q"))
save("double.nii", nifti("<", 64, "d", "s", slope=0.0, intercept=7.0))
save("bytes.nrrd", nrrd("uchar", "B", "little", DIRECTIONS))
save("big.nrrd", nrrd("unsigned short", "H", "big", METRES))
save("float.nrrd", nrrd("float", "f", "little", DIRECTIONS))
