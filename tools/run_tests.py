#!/usr/bin/env python3
"""Builds and tests limber. Everything by default; --quick builds with gcc and runs its tests only,
without those that compile the library again for other targets (the page, Windows).

Presets: release (gcc), clang (with limber's own engine, docs/engines.md, and without SIMD), sanitize
(clang with the address and undefined-behaviour sanitizers, and the fuzz targets). Counts the test
cases inside the test programs, names the skipped and failed ones, and ends with the line
"N passed, N failed, N skipped".
"""
import os
import re
import subprocess
import sys
import time
import xml.etree.ElementTree as ET

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PRESETS = {"release": "build", "clang": "build-clang", "sanitize": "build-sanitize"}
OTHER_TARGETS = r"^(web\.|check\.mingw)"
# What test programs print for each case (cmocka's form; the scripts follow it).
CASE = re.compile(r"^\[\s+(OK|FAILED|SKIPPED)\s+\] (?!\d+ test\(s\))(\S.*)$", re.M)
EXECUTIONS = re.compile(r"^(fuzz-\S+): (\d+) executions$", re.M)


class Counts:
    def __init__(self):
        self.passed, self.failed, self.skipped = 0, [], []


def build(preset, folder):
    start = time.time()
    steps = [["cmake", "--preset", preset, "-Wno-dev", "-DLIMBER_TESTS=ON"], ["cmake", "--build", folder, "-j", "2"]]
    for step in steps:
        result = subprocess.run(step, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                text=True, errors="replace")
        if result.returncode:
            print(result.stdout[-8000:])
            return False
    print(f"== {preset}: built in {time.time() - start:.0f} s", flush=True)
    return True


def count_case(counts, preset, case):
    """One CTest test: its cases where it prints some, itself otherwise."""
    name = f"{preset}: {case.get('name')}"
    output = case.findtext("system-out") or ""
    status = case.get("status")
    cases = {}  # the last word on a case counts: cmocka lists failures again at the end
    for verdict, title in CASE.findall(output):
        cases[title.split(" (")[0]] = verdict
    for title, executions in EXECUTIONS.findall(output):
        print(f"{preset}: {title}: {executions} executions")
    for title, verdict in cases.items():
        if verdict == "OK":
            counts.passed += 1
        elif verdict == "SKIPPED":
            counts.skipped.append(f"{name}: {title}")
        else:
            counts.failed.append(f"{name}: {title}")
    ran_well = status == "run"
    if not cases and ran_well:
        counts.passed += 1
    if case.find("skipped") is not None or status == "notrun":
        counts.skipped.append(name)
    elif not ran_well:
        if "FAILED" not in cases.values():
            counts.failed.append(name)
        print(f"---- {name}\n{output[-6000:]}\n----")


def test(preset, folder, counts, quick):
    start = time.time()
    chosen = ["-E", OTHER_TARGETS] if quick else []
    report = os.path.join(ROOT, folder, "tests.xml")
    if os.path.exists(report):
        os.remove(report)
    subprocess.run(["ctest", "--test-dir", folder, "-j", "2", "--output-junit", report,
                    "--test-output-size-passed", "1000000", "--test-output-size-failed", "1000000", *chosen],
                   cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.STDOUT)
    if not os.path.exists(report):
        counts.failed.append(f"{preset}: ctest wrote no report")
        return
    cases = ET.parse(report).getroot().findall("testcase")
    if not cases:
        counts.failed.append(f"{preset}: no test was found")
    for case in cases:
        count_case(counts, preset, case)
    print(f"== {preset}: {len(cases)} test programs in {time.time() - start:.0f} s", flush=True)


def main():
    quick = "--quick" in sys.argv[1:]
    counts = Counts()
    for preset, folder in PRESETS.items():
        if quick and preset != "release":
            continue
        if build(preset, folder):
            test(preset, folder, counts, quick)
        else:
            counts.failed.append(f"{preset}: the build failed")
    if quick:
        print("left out: tests of other targets (web.*, check.mingw); make test has them")
    for name in counts.skipped:
        print(f"skipped: {name}")
    for name in counts.failed:
        print(f"failed: {name}")
    print(f"{counts.passed} passed, {len(counts.failed)} failed, {len(counts.skipped)} skipped")
    return 1 if counts.failed else 0


sys.exit(main())
