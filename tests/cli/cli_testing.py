"""What the tests of the limber program share: cases, running it, comparing numbers.

A test script names its cases with @case and ends with run_cases(). The program's path is the first
argument. Every case prints one line in cmocka's form, which tools/run_tests.py counts.
"""
import ast
import json
import math
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import time
import traceback
import zipfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SHARED = os.path.join(os.path.dirname(ROOT), "shared")
DATA = os.path.join(ROOT, "tests", "data")
PROGRAM = os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else os.path.join(ROOT, "build/limber")
# Programs under sanitizers are many times slower: tests do less there.
SANITIZED = "sanitize" in os.path.basename(os.path.dirname(PROGRAM))
TIMEOUT = 60  # seconds; only a hang takes so long

cases = []


class Failure(Exception):
    pass


class Skip(Exception):
    pass


def case(function):
    cases.append((function.__name__, function))
    return function


def fast_case(function):
    """A case that takes too long under sanitizers; there is none of it there."""
    return function if SANITIZED else case(function)


def add_case(name, function):
    """For cases made in a loop: the same function for several files."""
    cases.append((re.sub(r"\W+", "_", name), function))


def run_cases():
    """Runs the cases, each in an empty folder of its own; an optional second argument selects."""
    wanted = sys.argv[2] if len(sys.argv) > 2 else ""
    failed = 0
    for name, function in cases:
        if wanted not in name:
            continue
        folder = tempfile.mkdtemp(prefix="limber-test-")
        start = time.time()
        try:
            function(folder)
            verdict = "[       OK ]"
        except Skip as reason:
            print(f"{name}: {reason}")
            verdict = "[  SKIPPED ]"
        except Exception as reason:
            failed += 1
            if not isinstance(reason, Failure):
                reason = traceback.format_exc()
            print(f"{name}: {reason}")
            verdict = "[  FAILED  ]"
        shutil.rmtree(folder, ignore_errors=True)
        print(f"{verdict} {name} ({time.time() - start:.1f} s)", flush=True)
    sys.exit(1 if failed else 0)


def shared(*parts):
    """A path in the folder of data made by others; skips the case where it is missing."""
    path = os.path.join(SHARED, *parts)
    if not os.path.exists(path):
        raise Skip(f"{os.path.relpath(path, ROOT)} is not there")
    return path


def shared_names(*parts):
    """The files of a shared folder, or [] where it is missing."""
    folder = os.path.join(SHARED, *parts)
    return sorted(os.listdir(folder)) if os.path.isdir(folder) else []


# ---- running -------------------------------------------------------------------------------------


class Result:
    def __init__(self, command, status, out, err, seconds):
        self.command, self.status, self.out, self.err = command, status, out, err
        self.seconds = seconds

    def fail(self, what):
        def shown(text):
            return text if len(text) < 2000 else text[:1000] + " ... " + text[-1000:]
        raise Failure(f"{what}\n  command: {' '.join(self.command)}\n  status: {self.status}\n"
                      f"  stdout: {shown(self.out)!r}\n  stderr: {shown(self.err)!r}")

    def expect(self, status):
        if self.status != status:
            self.fail(f"the exit status is {self.status}, it should be {status}")
        return self

    def json(self):
        """The one JSON document on stdout of a command that succeeded."""
        self.expect(0)
        try:
            return json.loads(self.out, parse_constant=lambda text: self.fail(f"prints {text}"))
        except json.JSONDecodeError as reason:
            self.fail(f"stdout is not one JSON document: {reason}")

    def message(self, *parts, status=1):
        """The one line of a command that failed, which must contain the parts."""
        self.expect(status)
        if self.out:
            self.fail("a failed command printed on stdout")
        if not re.fullmatch(r"limber: [^\n]+\n", self.err):
            self.fail('stderr is not one line that begins "limber: "')
        for part in parts:
            if part.lower() not in self.err.lower():
                self.fail(f"the message does not contain {part!r}")
        return self.err


def limber(*words, cwd=None, env=None, timeout=TIMEOUT, preexec=None, stdin=subprocess.DEVNULL):
    command = [PROGRAM] + [str(word) for word in words]
    start = time.time()
    try:
        done = subprocess.run(command, cwd=cwd, env=env, timeout=timeout, preexec_fn=preexec,
                              stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    except subprocess.TimeoutExpired:
        raise Failure(f"no end after {timeout} s\n  command: {' '.join(command)}") from None
    result = Result(command, done.returncode, done.stdout.decode("utf-8", "replace"),
                    done.stderr.decode("utf-8", "replace"), time.time() - start)
    if done.returncode < 0:
        result.fail(f"ended by signal {-done.returncode}")
    if "Sanitizer" in result.err or "runtime error" in result.err:
        result.fail("a sanitizer complains")
    return result


# ---- files ---------------------------------------------------------------------------------------


def write(folder, name, content):
    path = os.path.join(folder, name)
    with open(path, "wb") as file:
        file.write(content if isinstance(content, bytes) else content.encode())
    return path


def write_json(folder, name, document):
    return write(folder, name, json.dumps(document))


def read_json(path):
    with open(path) as file:
        return json.load(file)


def read_csv(path):
    """The header's names and the rows of numbers."""
    with open(path) as file:
        lines = file.read().splitlines()
    return lines[0].split(","), [[float(x) for x in line.split(",")] for line in lines[1:]]


def read_npz(path):
    """The arrays of an .npz archive: name -> (shape, numbers in the order of the file, fortran)."""
    letters, found = {"<f8": "d", "<f4": "f", "<i4": "i", "<i8": "q", "|u1": "B"}, {}
    with zipfile.ZipFile(path) as archive:
        check(archive.testzip() is None, f"{path} is damaged")
        for name in archive.namelist():
            data = archive.read(name)
            check(data[:6] == b"\x93NUMPY", f"{name} is no .npy")
            size = struct.unpack("<H", data[8:10])[0]
            header = ast.literal_eval(data[10:10 + size].decode())
            count = math.prod(header["shape"])
            numbers = struct.unpack(f"<{count}{letters[header['descr']]}", data[10 + size:])
            found[name.removesuffix(".npy")] = (header["shape"], numbers, header["fortran_order"])
    return found


def bar_scene(**changes):
    """A small clamped bar; changes replace keys of the scene, or of its body where they are its."""
    body = {"name": "bar",
            "mesh": {"generate": "bar", "size": [1, 0.2, 0.2], "cells": [4, 1, 1]},
            "material": {"model": "stvk", "young": 1e6, "poisson": 0.4, "density": 1000},
            "fixed": {"group": "left"}}
    scene = {"limber": 1, "gravity": [0, 0, -9.81], "bodies": [body],
             "probes": [{"body": "bar", "vertex": 4}], "time": {"step": 0.01, "count": 5}}
    for key, value in changes.items():
        target = scene if key in ("gravity", "bodies", "loads", "probes", "time") else body
        target[key] = value
        if value is None:
            del target[key]
    return scene


# ---- comparing -----------------------------------------------------------------------------------


def check(condition, text):
    if not condition:
        raise Failure(text)


def check_close(found, expected, tolerance, what):
    """Absolute; both numbers."""
    residual = abs(found - expected)
    check(residual <= tolerance, f"{what}: found {found!r}, expected {expected!r}, residual "
          f"{residual:.3e}, tolerance {tolerance:.3e}")


def check_rows(found, expected, tolerance, what):
    """The largest difference of two lists of rows of numbers against an absolute tolerance."""
    check(len(found) == len(expected), f"{what}: {len(found)} rows, expected {len(expected)}")
    worst, place = 0.0, 0
    for i, (row, other) in enumerate(zip(found, expected)):
        check(len(row) == len(other), f"{what}: row {i} has {len(row)} values, not {len(other)}")
        for a, b in zip(row, other):
            if not abs(a - b) <= worst:
                worst, place = abs(a - b), i
    check(worst <= tolerance,
          f"{what}: residual {worst:.3e}, tolerance {tolerance:.3e}, worst in row {place}")


def largest(rows):
    return max(abs(x) for row in rows for x in row)
