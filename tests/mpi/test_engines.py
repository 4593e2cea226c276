#!/usr/bin/env python3
"""limber bench engines: limber-mpi, as a child process, stands beside the engines that are built in."""
from mpi_testing import ENVIRONMENT, generate
from cli_testing import PROGRAM, case, check, run_cases

import json
import subprocess


@case
def petsc_has_rows_beside_the_others(folder):
    mesh = generate(folder, "bar", "--cells", "4,2,2")
    environment = {name: value for name, value in ENVIRONMENT.items() if "AS_ROOT" not in name}
    done = subprocess.run([PROGRAM, "bench", "engines", "--mesh", mesh, "--threads", "1", "--json"],
                          env=environment, timeout=120, stdout=subprocess.PIPE)
    check(done.returncode == 0, f"status {done.returncode}")
    found = {}
    for row in json.loads(done.stdout):
        p = row["parameters"]
        if "engine" in p:
            found[(p["engine"], p.get("ranks", 0), row["name"])] = row["median"]
    for engine in (("own", 0), ("petsc", 1), ("petsc", 2)):
        for name in ("factor", "solve", "modes"):
            value = found.get(engine + (f"engines.{name}",))
            check(value is not None and value > 0, f"{engine}: engines.{name} is {value}")
        for name in ("residual", "modes_residual"):
            value = found.get(engine + (f"engines.{name}",), 1)
            text = f"{engine[0]}, {engine[1]} ranks: {name} {value:.1e}, tolerance 1e-08"
            print(f"  {text}")
            check(value <= 1e-8, text)


run_cases()
