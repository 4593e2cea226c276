#!/usr/bin/env python3
"""Pictures of meshes without a graphics card: a small software rasteriser (Python and NumPy).

docs/images/shapes.png, the built-in shapes in their default sizes, is made by

    ctest --test-dir build -R mesh.shapes
    python3 tools/render.py \\
        build/shape-{bar,plate,tube,cylinder,sphere,torus,tee,sponge,spoon,bridge}.obj \\
        build/shape-{tower,bowl,cactus,turtle,figure}.obj \\
        --columns 5 --tile 300x260 -o docs/images/shapes.png

Reads OBJ and PLY (text or binary little-endian), z up. Every file is one tile: smooth normals up to
a crease angle, a key light and a dome of lights with shadow maps, a soft shadow on the ground.
--checker shows the texture coordinates, --edges the triangles.
"""
import argparse
import struct
import sys
import zlib

import numpy as np

PALETTE = ["e4572e", "2e86ab", "f3a712", "3aa17e", "c8553d", "6a5acd", "4f8fc0", "d9a441", "8a9aa8",
           "b5651d"]


# ---- reading ---------------------------------------------------------------------------------

def read_obj(path):
    """Vertices (n x 3), triangles (m x 3), corner UVs (m x 3 x 2) or None."""
    vertices, texture, triangles, corners = [], [], [], []
    with open(path, errors="replace") as file:
        for line in file:
            words = line.split()
            if not words:
                continue
            if words[0] == "v":
                vertices.append([float(w) for w in words[1:4]])
            elif words[0] == "vt":
                texture.append([float(w) for w in words[1:3]])
            elif words[0] == "f":
                parts = [w.split("/") for w in words[1:]]
                ids = [int(p[0]) for p in parts]
                ids = [i - 1 if i > 0 else len(vertices) + i for i in ids]
                uvs = [int(p[1]) - 1 if len(p) > 1 and p[1] else -1 for p in parts]
                for k in range(1, len(ids) - 1):
                    triangles.append([ids[0], ids[k], ids[k + 1]])
                    corners.append([uvs[0], uvs[k], uvs[k + 1]])
    corners = np.array(corners, int).reshape(-1, 3)
    uvs = np.array(texture)[corners] if texture and (corners >= 0).all() else None
    return np.array(vertices, float), np.array(triangles, int).reshape(-1, 3), uvs


PLY_TYPES = {"char": "i1", "uchar": "u1", "short": "i2", "ushort": "u2", "int": "i4", "uint": "u4",
             "float": "f4", "double": "f8", "int8": "i1", "uint8": "u1", "int16": "i2",
             "uint16": "u2", "int32": "i4", "uint32": "u4", "float32": "f4", "float64": "f8"}


def ply_values(data, binary):
    """A function that takes the next `count` values of a type from the body of a PLY file."""
    if binary:
        place = [0]

        def take(kind, count):
            values = np.frombuffer(data, "<" + kind, count, place[0])
            place[0] += values.nbytes
            return values
    else:
        words = iter(data.split())

        def take(kind, count):
            return np.array([float(next(words)) for _ in range(count)])
    return take


def read_ply(path):
    with open(path, "rb") as file:
        head, data = file.read().split(b"end_header", 1)
    data = data[data.index(b"\n") + 1:]
    elements = []
    for line in head.decode("ascii", "replace").splitlines():
        words = line.split()
        if words[:1] == ["element"]:
            elements.append((words[1], int(words[2]), []))
        elif words[:1] == ["property"]:
            elements[-1][2].append([PLY_TYPES.get(w, w) for w in words[1:]])
    take = ply_values(data, b"binary_little_endian" in head)
    vertices, triangles = [], []
    for name, count, properties in elements:
        for _ in range(count):
            row = {}
            for p in properties:
                values = take(p[2], int(take(p[1], 1)[0])) if p[0] == "list" else take(p[0], 1)
                row[p[-1]] = values
            if name == "vertex":
                vertices.append([row["x"][0], row["y"][0], row["z"][0]])
            elif name == "face":
                ids = row.get("vertex_indices", row.get("vertex_index"))
                triangles += [[ids[0], ids[k], ids[k + 1]] for k in range(1, len(ids) - 1)]
    return np.array(vertices, float), np.array(triangles, int).reshape(-1, 3), None


def read_mesh(path):
    return read_ply(path) if path.lower().endswith(".ply") else read_obj(path)


# ---- geometry --------------------------------------------------------------------------------

def normalised(v):
    return v / np.maximum(np.linalg.norm(v, axis=-1, keepdims=True), 1e-300)


def corner_normals(vertices, triangles, crease_degrees):
    """(m x 3 x 3): at each corner the mean of the neighbouring faces that bend less than the crease,
    weighted by area."""
    p = vertices[triangles]
    area = np.cross(p[:, 1] - p[:, 0], p[:, 2] - p[:, 0])
    unit = normalised(area)
    corner_vertex = triangles.ravel()
    order = np.argsort(corner_vertex, kind="stable")
    counts = np.bincount(corner_vertex, minlength=len(vertices))
    begin = np.concatenate([[0], np.cumsum(counts)[:-1]])
    partners = counts[corner_vertex]  # of each corner, itself included
    corner = np.repeat(np.arange(len(corner_vertex)), partners)
    rank = np.arange(len(corner)) - np.repeat(np.cumsum(partners) - partners, partners)
    other_face = order[begin[corner_vertex[corner]] + rank] // 3
    bend = (unit[corner // 3] * unit[other_face]).sum(1)
    kept = bend > np.cos(np.radians(crease_degrees))
    total = np.zeros((len(corner_vertex), 3))
    for axis in range(3):
        total[:, axis] = np.bincount(corner[kept], area[other_face[kept], axis],
                                     len(corner_vertex))
    return normalised(total).reshape(-1, 3, 3)


def look_from(direction):
    """Rows right, up, back of a camera that looks against `direction`."""
    back = normalised(np.asarray(direction, float))
    up = np.array([0, 0, 1.0]) if abs(back[2]) < 0.99 else np.array([0, 1.0, 0])
    right = normalised(np.cross(up, back))
    return np.array([right, np.cross(back, right), back])


# ---- rasteriser ------------------------------------------------------------------------------

def fragments(points, first, size, width, height):
    """Pixels of the triangles `first` whose boxes fit size x size: pixel, triangle, barycentric."""
    p = points[first]
    low = np.floor(p[:, :, :2].min(1)).astype(int)
    step = np.arange(size)
    x = low[:, 0, None, None] + step[None, None, :]
    y = low[:, 1, None, None] + step[None, :, None]
    x, y = np.broadcast_arrays(x, y)
    fx, fy = x + 0.5, y + 0.5
    (ax, ay), (bx, by), (cx, cy) = [(p[:, k, 0, None, None], p[:, k, 1, None, None])
                                    for k in range(3)]
    area = (bx - ax) * (cy - ay) - (cx - ax) * (by - ay)
    with np.errstate(divide="ignore", invalid="ignore"):
        u = ((bx - fx) * (cy - fy) - (cx - fx) * (by - fy)) / area
        v = ((cx - fx) * (ay - fy) - (ax - fx) * (cy - fy)) / area
        w = 1 - u - v
    inside = (u >= 0) & (v >= 0) & (w >= 0) & (x >= 0) & (y >= 0) & (x < width) & (y < height)
    owner = np.broadcast_to(first[:, None, None], inside.shape)[inside]
    return (y * width + x)[inside], owner, np.stack([u[inside], v[inside], w[inside]], 1)


def rasterise(points, width, height):
    """Nearest triangle of each pixel. points: (m x 3 x 3), x and y in pixels, larger z is nearer,
    and linear on the screen. Returns id (-1: none), depth and barycentric coordinates."""
    ids = np.full(width * height, -1)
    depth = np.full(width * height, -np.inf)
    weights = np.zeros((width * height, 3))
    box = np.ceil(np.ptp(points[:, :, :2], axis=1).max(1)).astype(int) + 2
    levels = np.ceil(np.log2(np.maximum(box, 2))).astype(int)
    for level in np.unique(levels):
        members = np.nonzero(levels == level)[0]
        size = min(1 << level, 2 * max(width, height))
        chunk = max(1, 2_000_000 // size ** 2)
        for start in range(0, len(members), chunk):
            pixel, owner, bary = fragments(points, members[start:start + chunk], size, width,
                                           height)
            z = (points[owner, :, 2] * bary).sum(1)
            order = np.lexsort((z, pixel))
            last = np.append(pixel[order][1:] != pixel[order][:-1], True)
            best = order[last[:len(order)]] if len(order) else order
            best = best[z[best] > depth[pixel[best]]]
            at = pixel[best]
            ids[at], depth[at], weights[at] = owner[best], z[best], bary[best]
    return ids, depth, weights


class ShadowMap:
    """Depth of a scene seen from far away along a direction."""

    def __init__(self, corners, direction, centre, radius, size):
        self.axes, self.centre, self.size = look_from(direction), centre, size
        self.scale = size / (2 * radius)
        _, depth, _ = rasterise(self.project(corners), size, size)
        self.depth = depth.reshape(size, size)

    def project(self, points):
        p = (points - self.centre) @ self.axes.T
        return np.concatenate([p[..., :2] * self.scale + self.size / 2, p[..., 2:]], -1)

    def lit(self, points, bias):
        """1 in the light, 0 in the shadow, between them over a pixel or so."""
        p = self.project(points)
        x, y = p[:, 0] - 0.5, p[:, 1] - 0.5
        x0, y0 = np.floor(x).astype(int), np.floor(y).astype(int)
        result = np.zeros(len(p))
        for dx in (0, 1):
            for dy in (0, 1):
                weight = np.abs(1 - dx - (x - x0)) * np.abs(1 - dy - (y - y0))
                cx, cy = x0 + dx, y0 + dy
                known = (cx >= 0) & (cy >= 0) & (cx < self.size) & (cy < self.size)
                seen = self.depth[np.clip(cy, 0, self.size - 1), np.clip(cx, 0, self.size - 1)]
                result += weight * (~known | (p[:, 2] > seen - bias))
        return result


# ---- one picture -----------------------------------------------------------------------------

def light_directions():
    """(direction, weight) of a soft key light and of a dome, low-discrepancy and fixed."""
    key = np.array([-0.35, -0.75, 1.1])
    lights = []
    for k in range(6):
        angle = 2 * np.pi * k / 6
        lights.append((key + 0.10 * np.array([np.cos(angle), 0.5 * np.sin(angle),
                                              np.sin(angle)]), 0.62 / 6))
    count = 18
    for k in range(count):
        z = np.sqrt((k + 0.5) / count)
        angle = 2.399963 * k
        r = np.sqrt(1 - z * z)
        lights.append((np.array([r * np.cos(angle), r * np.sin(angle), z]), 0.5 / count))
    return [(normalised(d), w) for d, w in lights]


class Camera:
    def __init__(self, vertices, width, height, azimuth, elevation):
        low, high = vertices.min(0), vertices.max(0)
        a, e = np.radians(azimuth), np.radians(elevation)
        self.axes = look_from([np.cos(a) * np.cos(e), np.sin(a) * np.cos(e), np.sin(e)])
        self.centre = (low + high) / 2
        self.radius = np.linalg.norm(high - low) / 2
        self.distance = 5 * self.radius
        self.width, self.height = width, height
        p = self.flat(vertices)
        spread = np.ptp(p, axis=0)
        self.scale = 0.76 * min(width / spread[0], height / spread[1])
        self.middle = (p.min(0) + p.max(0)) / 2

    def flat(self, points):
        q = (points - self.centre) @ self.axes.T
        return q[..., :2] / (1 - q[..., 2:] / self.distance)

    def project(self, points):
        """Pixels, and 1 / distance, which is linear on the screen."""
        q = (points - self.centre) @ self.axes.T
        s = (self.flat(points) - self.middle) * self.scale
        return np.stack([self.width / 2 + s[..., 0], self.height / 2 - s[..., 1],
                         1 / (self.distance - q[..., 2])], -1)

    def eye(self):
        return self.centre + self.distance * self.axes[2]

    def rays(self):
        """Unit directions through the pixels, row by row."""
        y, x = np.mgrid[0:self.height, 0:self.width] + 0.5
        sx = (x - self.width / 2) / self.scale + self.middle[0]
        sy = (self.height / 2 - y) / self.scale + self.middle[1]
        local = np.stack([sx, sy, np.full_like(sx, -self.distance)], -1).reshape(-1, 3)
        return normalised(local @ self.axes)


def surface_colour(points, normals, view, lights, maps, bias, base):
    """Diffuse light, a highlight of the key and a bright rim; linear colours."""
    light = np.zeros(len(points))
    shine = np.zeros(len(points))
    for k, ((direction, weight), shadow) in enumerate(zip(lights, maps)):
        facing = np.maximum((normals * direction).sum(1), 0)
        # A step along the normal keeps a curved surface from shadowing itself.
        lit = shadow.lit(points + 2 * bias * normals, bias) * (facing > 0)
        light += weight * 1.55 * lit * facing
        if k < 6:
            half = normalised(direction - view)
            shine += lit / 6 * np.maximum((normals * half).sum(1), 0) ** 60
    rim = (1 - np.maximum(-(normals * view).sum(1), 0)) ** 4
    bounce = 0.10 * (1 - normals[:, 2]) / 2
    shade = (0.07 + bounce + light)[:, None]
    return base * shade + 0.22 * shine[:, None] + 0.08 * rim[:, None]


def render(mesh, base, width, height, options):
    """Colour (h x w x 3, linear), coverage and ground light, oversampled by the caller."""
    vertices, triangles, uvs = mesh
    corners = vertices[triangles]
    camera = Camera(vertices, width, height, options.azimuth, options.elevation)
    lights = light_directions()
    size = 400
    maps = [ShadowMap(corners, d, camera.centre, 1.02 * camera.radius, size) for d, _ in lights]
    bias = 3 * camera.radius / size
    ids, _, weights = rasterise(camera.project(corners), width, height)
    hit = np.nonzero(ids >= 0)[0]
    face = ids[hit]
    # Screen weights to weights on the triangle: divide by the distance.
    w = weights[hit] * (1 / camera.project(corners)[face, :, 2])
    w /= w.sum(1, keepdims=True)
    points = (corners[face] * w[:, :, None]).sum(1)
    normals = corner_normals(vertices, triangles, options.crease)[face]
    normals = normalised((normals * w[:, :, None]).sum(1))
    view = normalised(points - camera.eye())
    tint = np.broadcast_to(base, (len(hit), 3)).copy()
    if options.checker and uvs is not None:
        uv = (uvs[face] * w[:, :, None]).sum(1)
        tint[(np.floor(uv * 16).astype(int).sum(1) & 1) == 1] *= 0.45
        tint[:, 0] *= 0.4 + 0.6 * uv[:, 0]
    if options.edges:
        tint[weights[hit].min(1) < 0.04] *= 0.3
    colour = np.zeros((width * height, 3))
    colour[hit] = surface_colour(points, normals, view, lights, maps, bias, tint)
    coverage = np.zeros(width * height)
    coverage[hit] = 1
    ground = ground_light(camera, lights, maps, vertices[:, 2].min(), coverage, bias)
    return [a.reshape(height, width, -1) for a in (colour, coverage, ground)]


def ground_light(camera, lights, maps, level, coverage, bias):
    rays = camera.rays()
    light = np.ones(len(rays))
    down = np.nonzero((rays[:, 2] < -1e-3) & (coverage == 0))[0]
    eye = camera.eye()
    points = eye + rays[down] * ((level - eye[2]) / rays[down, 2])[:, None]
    near = np.linalg.norm(points - camera.centre, axis=1) < 6 * camera.radius
    down, points = down[near], points[near]
    total = np.zeros(len(down))
    whole = sum(weight * d[2] for d, weight in lights)
    for (direction, weight), shadow in zip(lights, maps):
        total += weight * direction[2] * shadow.lit(points, bias) / whole
    light[down] = 1 - 0.75 * (1 - total)
    return light


def soften_ground(ground, coverage, reach):
    """Blurs the light on the ground, which comes from a few lights only, without letting the object
    bleed into it; fades the shadow out towards the sides of the tile."""
    def blurred(image):
        for axis in (0, 1):
            for _ in range(3):
                padded = np.pad(image, [(reach + 1, reach) if a == axis else (0, 0)
                                        for a in range(2)], mode="edge")
                total = np.cumsum(padded, axis)
                n, width = image.shape[axis], 2 * reach + 1
                image = (np.take(total, range(width, width + n), axis)
                         - np.take(total, range(n), axis)) / width
        return image

    free = 1 - coverage[..., 0]
    light = blurred(ground[..., 0] * free) / np.maximum(blurred(free), 1e-3)
    height, width = light.shape
    y, x = np.mgrid[0:height, 0:width]
    x, y = np.minimum(x, width - 1 - x) / width, np.minimum(y, height - 1 - y) / height
    fade = np.clip(x / 0.12, 0, 1) * np.clip(y / 0.08, 0, 1)
    fade = fade * fade * (3 - 2 * fade)
    return (1 - fade * (1 - np.clip(light, 0, 1)))[..., None]


# ---- pictures --------------------------------------------------------------------------------

def smaller(image, factor):
    h, w = image.shape[0] // factor, image.shape[1] // factor
    return image[:h * factor, :w * factor].reshape(h, factor, w, factor, -1).mean((1, 3))


def compose(tiles, columns, width, height):
    """Tiles over one soft gradient from top to bottom."""
    rows = -(-len(tiles) // columns)
    top, bottom = np.array([0.985, 0.99, 1.0]), np.array([0.86, 0.88, 0.91])
    fall = np.linspace(0, 1, rows * height)[:, None, None] ** 1.5
    image = np.broadcast_to(top * (1 - fall) + bottom * fall,
                            (rows * height, columns * width, 3)).copy()
    for k, (colour, coverage, ground) in enumerate(tiles):
        y, x = k // columns * height, k % columns * width
        part = image[y:y + height, x:x + width]
        part *= ground * (1 - coverage)
        part += colour
    return image


def filter_rows(pixels):
    """PNG rows, each with the filter whose output is smallest."""
    previous = np.zeros(pixels.shape[1:], np.int16)
    out = []
    for row in pixels.astype(np.int16):
        left = np.vstack([np.zeros((1, 3), np.int16), row[:-1]])
        corner = np.vstack([np.zeros((1, 3), np.int16), previous[:-1]])
        guess = left + previous - corner
        da, db, dc = [np.abs(guess - x) for x in (left, previous, corner)]
        paeth = np.where((da <= db) & (da <= dc), left, np.where(db <= dc, previous, corner))
        choices = [row - x for x in (0, left, previous, (left + previous) // 2, paeth)]
        choices = [(c & 255).astype(np.uint8) for c in choices]
        best = min(range(5), key=lambda k: int(np.abs(choices[k].view(np.int8)
                                                      .astype(int)).sum()))
        out.append(bytes([best]) + choices[best].tobytes())
        previous = row
    return b"".join(out)


def write_png(path, image):
    """image: linear light, 0 to 1."""
    linear = np.clip(image, 0, 1)
    encoded = np.where(linear <= 0.0031308, 12.92 * linear,
                       1.055 * np.maximum(linear, 1e-9) ** (1 / 2.4) - 0.055)
    pixels = np.round(encoded * 255).astype(np.uint8)
    height, width = pixels.shape[:2]

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(
            ">I", zlib.crc32(kind + data))

    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n")
        file.write(chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)))
        file.write(chunk(b"IDAT", zlib.compress(filter_rows(pixels), 9)))
        file.write(chunk(b"IEND", b""))


def linear_colour(text):
    srgb = np.array([int(text[k:k + 2], 16) / 255 for k in (0, 2, 4)])
    return np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4)


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("meshes", nargs="+", help="OBJ or PLY files, one tile each")
    parser.add_argument("-o", "--output", required=True, help="PNG file")
    parser.add_argument("--tile", default="480x400", help="pixels, width x height")
    parser.add_argument("--columns", type=int, default=0, help="tiles a row (default: all)")
    parser.add_argument("--azimuth", type=float, default=-58, help="degrees from x towards y")
    parser.add_argument("--elevation", type=float, default=24, help="degrees above the ground")
    parser.add_argument("--crease", type=float, default=35, help="degrees, sharper edges stay")
    parser.add_argument("--samples", type=int, default=3, help="per pixel and axis")
    parser.add_argument("--checker", action="store_true", help="show texture coordinates")
    parser.add_argument("--edges", action="store_true", help="show triangles")
    return parser.parse_args()


def main():
    options = parse_options()
    width, height = [int(n) for n in options.tile.split("x")]
    tiles = []
    for k, path in enumerate(options.meshes):
        mesh = read_mesh(path)
        if len(mesh[1]) == 0:
            sys.exit(f"{path}: no triangles")
        base = linear_colour(PALETTE[k % len(PALETTE)])
        n = options.samples
        # Clip before averaging, or highlights leave jagged edges.
        colour, coverage, ground = render(mesh, base, width * n, height * n, options)
        colour = np.clip(colour, 0, 1) * coverage
        # The ground passes under the edges of the object, so that they stay clean.
        ground = soften_ground(smaller(ground, n), smaller(coverage, n), max(1, width // 150))
        tiles.append((smaller(colour, n), smaller(coverage, n), ground))
    columns = options.columns or len(tiles)
    write_png(options.output, compose(tiles, columns, width, height))


if __name__ == "__main__":
    main()
