#!/usr/bin/env python3
"""The layer check must fail on each kind of bad include, and name its file and line."""
import sys
import tempfile
from pathlib import Path

import check_layers

GOOD = {
    "CMakeLists.txt": "set(LIMBER_RUN_LAYERS base math)\n",
    "tools/layers.txt": "base:\nmath: base\nmesh: math # and what math gets\n"
                        "viewer/render:\nviewer/stage: viewer/render\n\n"
                        "base.h = base\nmath.h = math\nmesh.h = mesh\n",
    "include/limber/base.h": "#include <stddef.h>\n",
    "include/limber/math.h": '#include "limber/base.h"\n#include <math.h>\n',
    "include/limber/mesh.h": '#include "limber/base.h"\n',
    "src/base/file.c": "#include <unistd.h>\n#include <sys/stat.h>\n",
    "src/base/file.h": '#include "limber/base.h"\n',
    "src/math/a.c": '#include "limber/math.h"\n#include "base/file.h"\n#include "math/a.h"\n',
    "src/math/a.h": "",
    "src/mesh/io/b.c": '#include "limber/mesh.h"\n#include "base/file.h"\n#include <unistd.h>\n',
    "apps/cli/main.c": '#include "limber/mesh.h"\n#include "verbs.h"\n#include "bench/bench.h"\n',
    "apps/cli/verbs.h": "",
    "apps/viewer/render/eye.c": '#include "limber/mesh.h"\n#include <GLFW/glfw3.h>\n',
    "apps/viewer/render/eye.h": "",
    "apps/viewer/stage/play.c": '#include "render/eye.h"\n#include "stage/play.h"\n',
    "apps/viewer/stage/play.h": "",
    "examples/hello.c": '#include "limber/base.h"\n#include <stdio.h>\n',
}

# (file, its bad content, what the check must say)
BAD = [
    ("src/math/a.c", '#include "limber/math.h"\n#include "mesh/builder.h"\n',
     "src/math/a.c:2: layer math may not include"),
    ("src/math/a.c", '  #  include "limber/mesh.h"\n', "src/math/a.c:1: layer math may not include"),
    ("src/base/file.h", '#include "math/a.h"\n', "src/base/file.h:1: layer base may not"),
    ("src/mesh/io/b.c", '\n\n#include "limber/secret.h"\n', "src/mesh/io/b.c:3: public header"),
    ("src/mesh/io/b.c", '#include "b.h"\n', "src/mesh/io/b.c:1: \"b.h\" does not begin"),
    ("src/mesh/io/b.c", '#include "../x.h"\n', "src/mesh/io/b.c:1: "),
    ("src/math/a.c", "#include <unistd.h>\n", "src/math/a.c:1: <unistd.h>"),
    ("src/math/a.c", "#include <sys/time.h>\n", "src/math/a.c:1: <sys/time.h>"),
    ("src/math/a.c", "#include <pthread.h>\n", "src/math/a.c:1: <pthread.h>"),
    ("src/math/a.kernel.c", "#include <dlfcn.h>\n", "src/math/a.kernel.c:1: <dlfcn.h>"),
    ("include/limber/math.h", "#include <unistd.h>\n", "include/limber/math.h:1: <unistd.h>"),
    ("include/limber/math.h", '#include "math/a.h"\n', "include/limber/math.h:1: a public header"),
    ("include/limber/math.h", '#include "limber/mesh.h"\n', "include/limber/math.h:1: layer math"),
    ("include/limber/extra.h", "", "include/limber/extra.h:1: extra.h is not in"),
    ("src/mesh/gl.c", "#include <GL/gl.h>\n", "src/mesh/gl.c:1: <GL/gl.h>"),
    ("src/mesh/gl.c", "#include <epoxy/gl.h>\n", "src/mesh/gl.c:1: <epoxy/gl.h>"),
    ("src/stray/x.c", "", "src/stray/x.c:1: layer stray"),
    ("apps/viewer/render/eye.c", '#include "mesh/builder.h"\n', "apps/viewer/render/eye.c:1: "),
    ("apps/viewer/render/eye.c", '#include "bench/bench.h"\n', "apps/viewer/render/eye.c:1: "),
    ("apps/viewer/render/eye.c", '#include "../cli/verbs.h"\n', "apps/viewer/render/eye.c:1: "),
    ("apps/viewer/render/eye.c", '#include "eye.h"\n', "apps/viewer/render/eye.c:1: "),
    ("apps/viewer/render/eye.c", '#include "stage/play.h"\n',
     "apps/viewer/render/eye.c:1: viewer/render may not include"),
    ("apps/viewer/other/x.c", '#include "render/eye.h"\n',
     "apps/viewer/other/x.c:1: viewer/other is not in"),
    ("apps/cli/main.c", '#include "limber/secret.h"\n', "apps/cli/main.c:1: unknown public"),
    ("examples/hello.c", '#include "base/file.h"\n', "examples/hello.c:1: "),
    ("tools/layers.txt", "base:\nmath: base\nmesh: nowhere\nbase.h = base\nmath.h = math\n"
     "mesh.h = mesh\n", "mesh names nowhere"),
    ("tools/layers.txt", "base:\nmath: mesh base\nmesh: base\nbase.h = base\nmath.h = math\n"
     "mesh.h = mesh\n", "math is run side and may not reach mesh"),
]


def run(files):
    with tempfile.TemporaryDirectory() as folder:
        for name, content in files.items():
            path = Path(folder) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content)
        return check_layers.check(Path(folder))


def main():
    failures = 0
    faults = run(GOOD)
    if faults:
        failures += 1
        print("the good tree was refused:", *faults, sep="\n")
    for name, content, expected in BAD:
        faults = run({**GOOD, name: content})
        if not any(expected in fault for fault in faults):
            failures += 1
            print(f"{name} with {content!r}: expected {expected!r}, got:", *faults, sep="\n")
    print(f"{len(BAD) + 1} trees, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
