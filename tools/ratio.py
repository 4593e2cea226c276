#!/usr/bin/env python3
"""Runs the benchmarks of two programs in turn and prints how their times compare.

  tools/ratio.py OLD NEW [BENCHMARK]... [--repeats N] [--limit RATIO] [--threads N] [--json FILE]

OLD and NEW are limber programs. Each benchmark (contact, subspace, haptics, ...; default: contact)
runs N times by each program, in turn, so that both see the same machine. Rows that both programs
have are compared: the ratio new / old of each pair of runs, the median of these ratios, and the
lowest and highest one. Ratios are of the medians of rows; --figure min takes their least times.
Exit status 1 where a median ratio is above --limit. Programs of before 0.6.0 measure wall time: build
them with a bench_seconds() of thread processor time, or use --figure min.
"""
import argparse
import json
import statistics
import subprocess
import sys


def run_benchmark(program, name, threads):
    """The rows of a benchmark by their names and parameters."""
    command = [program, "bench", name, "--json", "--quiet", "--threads", str(threads)]
    result = subprocess.run(command, capture_output=True, text=True, timeout=3600)
    if result.returncode:
        sys.exit(f"{' '.join(command)}: {result.stderr.strip()[-300:]}")
    rows = {}
    for row in json.loads(result.stdout):
        parameters = row.get("parameters") or {}
        key = " ".join([row["name"], *(f"{k}={v}" for k, v in sorted(parameters.items()))])
        rows[key] = row
    return rows


def ratio_of(old, new, figure):
    before, after = old.get(figure), new.get(figure)
    return after / before if before and after else None


def collect_ratios(options):
    ratios, units = {}, {}
    for repeat in range(options.repeats):
        for name in options.benchmarks:
            old = run_benchmark(options.old, name, options.threads)
            new = run_benchmark(options.new, name, options.threads)
            for key in old.keys() & new.keys():
                ratio = ratio_of(old[key], new[key], options.figure)
                if ratio is not None and new[key].get("unit") in ("s", "ms", "us", "ns"):
                    ratios.setdefault(key, []).append(ratio)
                    units[key] = (old[key][options.figure], new[key][options.figure], new[key]["unit"])
        print(f"repeat {repeat + 1} of {options.repeats} done", file=sys.stderr)
    return ratios, units


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("benchmarks", nargs="*", default=["contact"])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--limit", type=float, default=1.1)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--figure", choices=("median", "min"), default="median")
    parser.add_argument("--json")
    options = parser.parse_args()
    ratios, units = collect_ratios(options)
    medians = {key: statistics.median(values) for key, values in ratios.items()}
    width = max((len(key) for key in medians), default=0)
    for key in sorted(medians, key=medians.get, reverse=True):
        old, new, unit = units[key]
        mark = " SLOWER" if medians[key] > options.limit else ""
        print(f"{key:{width}}  {medians[key]:6.3f}  ({min(ratios[key]):.3f} to {max(ratios[key]):.3f})"
              f"  last {old:.4g}, {new:.4g} {unit}{mark}")
    slower = sum(value > options.limit for value in medians.values())
    print(f"{len(medians)} rows, median ratio {statistics.median(medians.values()) if medians else 0:.3f}, "
          f"{slower} above {options.limit:g}")
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(ratios, file, indent=1)
    return 1 if slower or not medians else 0


if __name__ == "__main__":
    sys.exit(main())
