#!/usr/bin/env python3
"""Checks every #include against tools/layers.txt.

  tools/check_layers.py [ROOT]

src/ and include/limber/   only what the table allows, by "layer/x.h" and "limber/x.h"
apps/, examples/           "limber/*.h", their own folder; apps/cli also "bench/..." and
                           "apps/viewer/...", apps/mpi "apps/cli/cli.h"
apps/viewer/FOLDER/        "limber/*.h", and what the table allows, by "folder/x.h"
run side outside src/base  no system headers beyond standard C
src/                       no OpenGL

The run side is LIMBER_RUN_LAYERS of CMakeLists.txt. Prints file:line for each fault; exit status 1
when there is any.
"""
import re
import sys
from pathlib import Path

INCLUDE = re.compile(r'\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)')
SYSTEM = re.compile(r"(unistd|pthread|dlfcn|fcntl|dirent|semaphore|sched|poll|signal|termios|spawn"
                    r"|windows)\.h$|(sys|arpa|net|netinet)/", re.IGNORECASE)
OPENGL = re.compile(r"(GL|GLES\d?|EGL|GLFW|KHR|epoxy|OpenGL)/|glad|GL\.h$")
SUFFIXES = {".c", ".h", ".cc", ".cpp", ".hpp", ".inc"}


class Table:
    """layers: layer -> set of layers it may include, itself among them; headers: x.h -> layer."""

    def __init__(self, path):
        direct, self.headers, self.faults = {}, {}, []
        for number, line in enumerate(path.read_text().splitlines(), 1):
            line = line.split("#")[0].strip()
            if not line:
                continue
            if "=" in line:
                header, layer = (part.strip() for part in line.split("=", 1))
                self.headers[header] = layer
            elif ":" in line:
                layer, entries = line.split(":", 1)
                direct[layer.strip()] = entries.split()
            else:
                self.faults.append(f"{path}:{number}: neither \"layer: entries\" nor \"x.h = layer\"")
        for layer, entries in direct.items():
            for entry in entries:
                if entry not in direct:
                    self.faults.append(f"{path}: {layer} names {entry}, which has no line of its own")
        for header, layer in self.headers.items():
            if layer not in direct:
                self.faults.append(f"{path}: {header} = {layer}, which has no line of its own")
        self.layers = {layer: self.closure(layer, direct) for layer in direct}

    @staticmethod
    def closure(layer, direct):
        reached, open_ends = set(), [layer]
        while open_ends:
            entry = open_ends.pop()
            if entry not in reached:
                reached.add(entry)
                open_ends += direct.get(entry, [])
        return reached


def read_run_layers(root):
    cmake = (root / "CMakeLists.txt").read_text()
    found = re.search(r"set\(LIMBER_RUN_LAYERS\s+([^)]*)\)", cmake)
    return set(found.group(1).split()) if found else set()


def sources(folder):
    if folder.is_dir():
        yield from sorted(p for p in folder.rglob("*") if p.suffix in SUFFIXES and p.is_file())


def includes(path):
    """(line number, quoted name or None, system name or None)"""
    for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
        found = INCLUDE.match(line)
        if found:
            yield number, found.group(1), found.group(2)


def target_layer(table, root, name):
    """The layer that an include in src/ or include/ reaches, and a fault if it reaches none."""
    if name.startswith("limber/"):
        header = name[len("limber/"):]
        if header not in table.headers:
            return None, f'public header "{name}" is not in tools/layers.txt'
        if not (root / "include" / name).is_file():
            return None, f'"{name}" does not exist'
        return table.headers[header], None
    layer = name.split("/")[0]
    if "/" not in name or layer not in table.layers:
        return None, f'"{name}" does not begin with a layer or limber/'
    return layer, None


def check_layer_file(table, root, path, layer, is_run):
    for line, quoted, system in includes(path):
        fault = None
        if quoted is not None:
            target, fault = target_layer(table, root, quoted)
            if target and target not in table.layers[layer]:
                fault = f'layer {layer} may not include "{quoted}" (layer {target})'
        elif OPENGL.match(system):
            fault = f"<{system}>: no OpenGL under src/"
        elif is_run and layer != "base" and SYSTEM.match(system):
            fault = f"<{system}>: the run side uses the system only in src/base"
        if fault:
            yield f"{path.relative_to(root)}:{line}: {fault}"


def viewer_layer(root, path):
    """"viewer/stage" for a file of apps/viewer/stage; None elsewhere."""
    parts = path.relative_to(root).parts
    return f"viewer/{parts[2]}" if parts[:2] == ("apps", "viewer") and len(parts) > 3 else None


def check_viewer_include(table, root, path, quoted):
    """None, or why a file of the viewer may not include "folder/x.h"."""
    layer, target = viewer_layer(root, path), "viewer/" + quoted.split("/")[0]
    if layer not in table.layers:
        return f"{layer} is not in tools/layers.txt"
    if not (root / "apps/viewer" / quoted).is_file() or quoted.count("/") != 1:
        return f'"{quoted}" is neither a public header (limber/*.h) nor a file of apps/viewer/'
    if target not in table.layers[layer]:
        return f'{layer} may not include "{quoted}"'
    return None


def check_outer_file(table, root, path, own_folder):
    """A file of apps/ or examples/."""
    for line, quoted, _ in includes(path):
        if quoted is None:
            continue
        if quoted.startswith("limber/"):
            if quoted[len("limber/"):] not in table.headers:
                yield f'{path.relative_to(root)}:{line}: unknown public header "{quoted}"'
            continue
        if quoted.startswith(("bench/", "apps/viewer/")) and own_folder == root / "apps/cli":
            continue
        if quoted == "apps/cli/cli.h" and own_folder == root / "apps/mpi":
            continue
        if viewer_layer(root, path):
            fault = check_viewer_include(table, root, path, quoted)
            if fault:
                yield f"{path.relative_to(root)}:{line}: {fault}"
            continue
        candidates = [path.parent / quoted, own_folder / quoted, root / quoted]
        if any(c.is_file() and own_folder in c.resolve().parents for c in candidates):
            continue
        yield (f'{path.relative_to(root)}:{line}: "{quoted}" is neither a public header '
               f"(limber/*.h) nor a file of {own_folder.relative_to(root)}/")


def check(root):
    root = root.resolve()
    table, run_layers = Table(root / "tools/layers.txt"), read_run_layers(root)
    faults = list(table.faults)
    if not run_layers:
        faults.append("CMakeLists.txt: LIMBER_RUN_LAYERS not found")
    for layer in sorted(run_layers & set(table.layers)):
        for entry in sorted(table.layers[layer] - run_layers):
            faults.append(f"tools/layers.txt: {layer} is run side and may not reach {entry}")
    for path in sources(root / "src"):
        layer = path.relative_to(root / "src").parts[0]
        if layer not in table.layers:
            faults.append(f"{path.relative_to(root)}:1: layer {layer} is not in tools/layers.txt")
            continue
        faults += check_layer_file(table, root, path, layer, layer in run_layers)
    for path in sources(root / "include"):
        name = path.relative_to(root / "include/limber").as_posix()
        if name not in table.headers:
            faults.append(f"{path.relative_to(root)}:1: {name} is not in tools/layers.txt")
            continue
        layer = table.headers[name]
        faults += check_layer_file(table, root, path, layer, layer in run_layers)
        faults += [f'{path.relative_to(root)}:{line}: a public header includes only "limber/*.h"'
                   for line, quoted, _ in includes(path)
                   if quoted is not None and not quoted.startswith("limber/")]
    for folder in ("apps", "examples"):
        for path in sources(root / folder):
            parts = path.relative_to(root / folder).parts
            own = root / folder / parts[0] if len(parts) > 1 else root / folder
            faults += check_outer_file(table, root, path, own)
    return faults


if __name__ == "__main__":
    root_folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent.parent
    found_faults = check(root_folder)
    print("\n".join(found_faults) if found_faults else "layers: all includes are within the table")
    sys.exit(1 if found_faults else 0)
