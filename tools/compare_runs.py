#!/usr/bin/env python3
"""Runs every scene of scenes/ with two programs and compares where the bodies end.

  tools/compare_runs.py OLD NEW [--steps N] [--scenes TEXT] [--json FILE]

OLD and NEW are limber programs. For each scene: the largest difference of a position, over the size
of the world that the bodies span; the flags and contacts of both; the ratio of the times of a step.
Exit status 1 where a number differs, unless --tolerance allows it.
"""
import argparse
import json
import math
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TIMINGS = ("step_us",)


def run(program, scene, steps):
    command = [program, "run", scene, "--json", "--quiet"]
    if steps:
        command += ["--count", str(steps)]
    result = subprocess.run(command, capture_output=True, text=True, timeout=1800)
    if result.returncode:
        return {"error": result.stderr.strip()[-300:]}
    return json.loads(result.stdout)


def numbers(value, path=""):
    """Every number of a run with its path, timings left out."""
    if isinstance(value, dict):
        for key, entry in value.items():
            if key not in TIMINGS:
                yield from numbers(entry, f"{path}.{key}")
    elif isinstance(value, list):
        for i, entry in enumerate(value):
            yield from numbers(entry, f"{path}[{i}]")
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield path, float(value)


def compare(old, new):
    a, b = dict(numbers(old)), dict(numbers(new))
    size = max((abs(v) for k, v in a.items() if ".centre[" in k or ".position[" in k), default=1) or 1
    worst, where = 0.0, ""
    for path in a.keys() | b.keys():
        if path not in a or path not in b:
            difference = math.inf
        else:
            difference = abs(a[path] - b[path])
        if difference > worst:
            worst, where = difference, path
    return worst, worst / size, where


def medians(result):
    return sum(b["step_us"]["median"] for b in result.get("bodies", []) if b.get("step_us"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--steps", type=int)
    parser.add_argument("--scenes", default="")
    parser.add_argument("--tolerance", type=float, default=0.0, help="of the largest difference")
    parser.add_argument("--json")
    options = parser.parse_args()
    table, failed = [], 0
    folder = os.path.join(ROOT, "scenes")
    for name in sorted(os.listdir(folder)):
        if not name.endswith(".json") or options.scenes not in name:
            continue
        scene = os.path.join(folder, name)
        old, new = run(options.old, scene, options.steps), run(options.new, scene, options.steps)
        if "error" in old or "error" in new:
            same = old == new
            print(f"{name:32} {'same refusal' if same else 'old: ' + old.get('error', 'ran') + ' new: ' + new.get('error', 'ran')}")
            failed += not same
            continue
        worst, relative, where = compare(old, new)
        ratio = medians(new) / medians(old) if medians(old) else float("nan")
        failed += worst > options.tolerance
        table.append({"scene": name, "difference": worst, "relative": relative, "at": where,
                      "flags": [old["flags"], new["flags"]], "time_ratio": ratio})
        print(f"{name:32} differs by {worst:.3g} {where}  time x {ratio:.2f}", flush=True)
    if options.json:
        with open(options.json, "w") as file:
            json.dump(table, file, indent=1)
    print(f"{failed} scenes differ")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
