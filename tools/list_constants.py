#!/usr/bin/env python3
"""The numeric constants of the layers that step bodies, as a table of a document.

  tools/list_constants.py            prints the table
  tools/list_constants.py --write    writes it into docs/constants.md
  tools/list_constants.py --check    exit status 1 unless docs/constants.md has it
  tools/list_constants.py --missing  lists constants without a unit or without what doubling does

A constant is a "#define NAME number" in the folders below. Its comment stands behind it, and may go
on in the lines that follow, or above it:

  #define PUSH_SPEED 1.0 // m/s: an overlap ends no faster. Doubled, deep bodies part with a jolt

The first word, or what stands before the first colon, is the unit; "of X" is a share of X. The
sentence that has "doubled", "twice" or "half" in it says what happens when the constant is doubled.
"""
import re
import sys
from pathlib import Path

FOLDERS = ("method", "body", "collide", "solve", "world")
ROOT = Path(__file__).resolve().parent.parent
DOCUMENT = ROOT / "docs" / "constants.md"
BEGIN, END = "<!-- made by tools/list_constants.py -->", "<!-- end -->"

DEFINE = re.compile(r"#define ([A-Z][A-Z0-9_]*) +(-?[\d.(](?:[^/\\]|/(?!/))*?)\s*(\\?)(?://\s*(.*))?$")
COMMENT = re.compile(r"\s*//\s?(.*)$")
UNIT_WORDS = {
    "m", "m/s", "m/s²", "m/N", "s", "rad", "rad/s", "J", "N", "N/m", "N s", "kg", "kg/m³", "Pa", "Hz", "degrees", "m²",
    "sweeps", "rounds", "iterations", "halvings", "substeps", "steps", "contacts", "rows", "bodies", "bytes", "numbers",
    "vertices", "triangles", "nodes", "lanes", "pairs", "islands", "vectors", "points", "columns", "factorings", "1",
}
DOUBLED = re.compile(r"\b(doubl\w*|twice|half)\b", re.IGNORECASE)


class Constant:
    def __init__(self, name, value, comment, path, line):
        self.name, self.path, self.line = name, path, line
        self.value = " ".join(value.split())
        text = " ".join(comment.split())
        before, colon, after = text.partition(":")
        first = re.match(r"[^\s:,;]*", text)[0]
        if colon and before in UNIT_WORDS:
            self.unit, text = before, after.strip()
        elif first.lower() in ("of", "times", "share"):
            self.unit = "times" if first.lower() == "times" else "share"
        else:
            self.unit = first if first in UNIT_WORDS else ""
        sentences = re.split(r"(?<=[.!?])\s+", text)
        self.doubled = " ".join(s for s in sentences if DOUBLED.search(s)).rstrip(".")
        self.meaning = " ".join(s for s in sentences if not DOUBLED.search(s)).rstrip(".")


def comment_above(lines, at):
    """The lines of comment right above line `at`, without rulers."""
    begin = at
    while begin > 0 and COMMENT.match(lines[begin - 1]) and not lines[begin - 1].startswith("// ---"):
        begin -= 1
    return " ".join(COMMENT.match(line)[1] for line in lines[begin:at])


def constants_of(path):
    lines = path.read_text(encoding="utf-8").splitlines()
    for at, line in enumerate(lines):
        last = at
        while line.endswith("\\") and last + 1 < len(lines):
            last += 1
            line = line[:-1].rstrip() + " " + lines[last].strip()
        found = DEFINE.match(line)
        if not found:
            continue
        comment = found[4] or ""
        if comment:
            while last + 1 < len(lines) and re.match(r"\s{8,}//", lines[last + 1]):
                last += 1
                comment += " " + COMMENT.match(lines[last])[1]
        else:
            comment = comment_above(lines, at)
        yield Constant(found[1], found[2], comment, path, at + 1)


def all_constants():
    for folder in FOLDERS:
        for path in sorted((ROOT / "src" / folder).rglob("*.[ch]")):
            yield from constants_of(path)


def cell(text):
    return text.replace("|", "\\|") or " "


def table():
    rows = ["| constant | value | unit | what it is | doubled |", "| --- | --- | --- | --- | --- |"]
    folder = None
    for c in all_constants():
        place = c.path.relative_to(ROOT / "src").as_posix()
        if place != folder:
            rows.append(f"| *{place}* | | | | |")
            folder = place
        rows.append(f"| `{c.name}` | {cell(c.value)} | {cell(c.unit)} | {cell(c.meaning)} | {cell(c.doubled)} |")
    return "\n".join(rows)


def document():
    """Before, the table, after; after is None where the document has no place for it."""
    text = DOCUMENT.read_text(encoding="utf-8")
    before, begin, rest = text.partition(BEGIN)
    made, end, after = rest.partition(END)
    return before, made, after if begin and end else None


def main(arguments):
    option = arguments[0] if arguments else ""
    if option == "--missing":
        for c in all_constants():
            lacks = [what for what, text in (("unit", c.unit), ("doubled", c.doubled)) if not text]
            if lacks:
                print(f"{c.path.relative_to(ROOT)}:{c.line}: {c.name} has no {' and no '.join(lacks)}")
        return 0
    if option in ("--write", "--check"):
        before, made, after = document()
        if after is None:
            print(f"{DOCUMENT}: has no place for the table, {BEGIN} … {END}")
            return 1
        wanted = f"\n\n{table()}\n\n"
        if option == "--write":
            DOCUMENT.write_text(before + BEGIN + wanted + END + after, encoding="utf-8")
        elif made != wanted:
            print("docs/constants.md is not current: run tools/list_constants.py --write")
            return 1
        return 0
    if option:
        print(__doc__)
        return 2
    print(table())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
