#!/usr/bin/env python3
"""Checks what README.md and docs/ say of the tree.

links     point to files, and to headings of theirs
paths     `src/...`, `tests/...`, `scenes/...` and so on exist, but for an X in a name
tests     `world.x`, `body.x` and so on of docs/contact.md are tests
steps     each file of "One step, followed" (docs/architecture.md) defines the functions named with
          it, and there are no more than 25
layers    the table of docs/architecture.md agrees with tools/layers.txt
length    no paragraph of docs/architecture.md has more than 120 words

Prints file: fault; exit status 1 when there is any.
"""
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PATH = re.compile(r"`((?:src|apps|include|tests|tools|scenes|examples|bench|fuzz|web|cmake)/[\w./-]+\.\w+)`")
LINK = re.compile(r"\]\(([^)\s]+)\)")
FILES_MOST, WORDS_MOST = 25, 120


def plain(text):
    return re.sub(r"```.*?```", "", text, flags=re.S)


def anchors(path):
    """Headings as GitHub names them."""
    found = set()
    for line in plain(path.read_text(encoding="utf-8")).splitlines():
        heading = re.match(r"#+\s+(.*)", line)
        if heading:
            words = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading[1]).lower().replace("`", "")
            name = re.sub(r"[^\w\- ]", "", words).strip().replace(" ", "-")
            number = sum(1 for one in found if re.fullmatch(re.escape(name) + r"(-\d+)?", one))
            found.add(f"{name}-{number}" if number else name)
    return found


def link_faults(path, text):
    for link in LINK.findall(plain(text)):
        if re.match(r"[a-z]+:", link):
            continue
        target, _, anchor = link.partition("#")
        file = (path.parent / target).resolve() if target else path
        if not file.exists():
            yield f"links to {link}, which is not there"
        elif anchor and file.suffix == ".md" and anchor not in anchors(file):
            yield f"links to {link}, which has no such heading"


def path_faults(text):
    for name in PATH.findall(plain(text)):
        if not (ROOT / name).exists() and "X" not in name:
            yield f"names {name}, which is not there"


def test_faults(text):
    for layer, subject in re.findall(r"`([a-z]+)\.([a-z_]+)`", text):
        folder = ROOT / "tests" / layer
        if folder.is_dir() and not any((folder / f"test_{subject}{end}").exists() for end in (".c", ".py")):
            yield f"names the test {layer}.{subject}, which is not there"


def step_faults(text):
    section = text.partition("## One step, followed")[2].partition("\n## ")[0]
    items = re.findall(r"^\d+\. (.*)$", section, re.M)
    files = set()
    for item in items:
        words = re.findall(r"`([^`]+)`", item.partition(":")[0])
        if not words or not (ROOT / words[0]).exists():
            yield f"the step: no file in {item!r}"
            continue
        files.add(words[0])
        code = (ROOT / words[0]).read_text(encoding="utf-8")
        for function in words[1:]:
            if not re.search(rf"^[a-z][^;\n]*\b{function}\(", code, re.M):
                yield f"the step: {words[0]} does not define {function}"
    if not items or len(files) > FILES_MOST:
        yield f"the step: goes through {len(files)} files, from 1 to {FILES_MOST} are wanted"


def layer_faults(text):
    listed = {}
    for line in (ROOT / "tools" / "layers.txt").read_text(encoding="utf-8").splitlines():
        entry = re.match(r"(\w+):\s*([^#]*)$", line)
        if entry:
            listed[entry[1]] = set(entry[2].split())
    told = {layer: set(re.findall(r"`(\w+)`", may)) for layer, may in
            re.findall(r"^\| (?:run|build|mpi) \| `(\w+)` \|.*\| ([^|]*)\|$", text, re.M)}
    for layer in sorted(set(listed) | set(told)):
        if listed.get(layer) != told.get(layer):
            yield f"the layer {layer}: {told.get(layer)} is not {listed.get(layer)} of tools/layers.txt"


def length_faults(text):
    for paragraph in plain(text).split("\n\n"):
        words = len(paragraph.split())
        if words > WORDS_MOST and not paragraph.lstrip().startswith("|"):
            yield f"a paragraph of {words} words: {paragraph.strip()[:60]}"


def main():
    faults = 0
    for path in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]:
        text = path.read_text(encoding="utf-8")
        found = [*link_faults(path, text), *path_faults(text)]
        if path.name == "contact.md":
            found += test_faults(text)
        if path.name == "architecture.md":
            found += [*step_faults(text), *layer_faults(text), *length_faults(text)]
        for fault in found:
            print(f"{path.relative_to(ROOT)}: {fault}")
        faults += len(found)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
