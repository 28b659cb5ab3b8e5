"""A package of a few of the project's targets, in a scratch folder: it builds in a fraction of the time of the whole."""

import os
import re
import subprocess
from pathlib import Path

from swift_source import blank, closing

ROOT = Path(__file__).resolve().parent.parent
STRICT = re.compile(r"\.treatAllWarnings\(as: \.error\),|\[\.strictMemorySafety\(\)\]")


def entries(text):
    """The text of every target in a manifest, by its name."""
    code, found, at = blank(text), {}, 0
    for match in re.finditer(r"\.(?:\w*[tT]arget|systemLibrary)\(", code):
        # What stands inside of another entry is a dependency.
        if match.start() >= at:
            at = closing(code, match.end() - 1) + 1
            named = re.search(r'\bname: "(\w+)"', text[match.start() : at])
            if named:
                found[named[1]] = text[match.start() : at]
    return found


def needed(found, name):
    """A target and all that it is built of, in the manifest's order."""
    wanted, left = set(), [name]
    while left:
        one = left.pop()
        if one not in wanted:
            wanted.add(one)
            left += [other for other in re.findall(r'"(\w+)"', found[one]) if other in found]
    return [one for one in found if one in wanted]


def manifest(text, names, strict=True):
    """The manifest with these targets alone; `strict=False` lets warnings pass."""
    found = entries(text)
    head = text[: text.index("\n    name:", text.index("\nlet package = Package("))]
    if not strict:
        head = STRICT.sub(lambda match: "" if match[0][0] == "." else "[]", head)
    platforms = re.search(r"platforms: \[[^]]*\],", text)[0]
    targets = "".join(f"        {found[name]},\n" for name in names)
    return f'{head}\n    name: "Part", {platforms}\n    targets: [\n{targets}    ])\n'


def files_of(name, entry):
    """Every file of a target."""
    stated = re.search(r'path: "([^"]+)"', entry)
    folder = "Tests" if entry.startswith(".testTarget") else "Sources"
    place = stated[1] if stated else f"{folder}/{name}"
    return [path for path in sorted((ROOT / place).rglob("*")) if path.is_file()]


def write(place, contents):
    """Writes only what differs, so that nothing is compiled twice."""
    if not place.is_file() or place.read_bytes() != contents:
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(contents)


def prepare(folder, target, changed=None, leaves_out=lambda name: False, strict=True):
    """Copies a target and all that it is built of into `folder`. `changed` holds texts by their path in the
    project that take the place of others there, or join them. `leaves_out` is asked by the name of a file."""
    text = (ROOT / "Package.swift").read_text(encoding="utf-8")
    found = entries(text)
    names = needed(found, target)
    wanted = {"Package.swift": manifest(text, names, strict).encode()}
    for path in (path for name in names for path in files_of(name, found[name])):
        if not leaves_out(path.name):
            wanted[str(path.relative_to(ROOT))] = path.read_bytes()
    wanted.update({inside: text.encode() for inside, text in (changed or {}).items()})
    for kept in ["Sources", "Tests"]:
        for path in (folder / kept).rglob("*"):
            if path.is_file() and str(path.relative_to(folder)) not in wanted:
                path.unlink()
    for inside, contents in wanted.items():
        write(folder / inside, contents)


def build(folder, *options):
    """Builds the tests in `folder` and gives the program that holds them."""
    command = [os.environ.get("SWIFT", "swift"), "build", "--package-path", str(folder),
        "--build-tests", *options]
    result = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if result.returncode != 0:
        errors = [line for line in result.stdout.splitlines() if "error:" in line]
        print(*(dict.fromkeys(errors) or [result.stdout]), sep="\n")
        raise SystemExit(f"failed: {' '.join(command)}")
    shown = subprocess.run([*command, "--show-bin-path"], text=True, check=True,
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    bundle = Path(shown.stdout.strip().splitlines()[-1]) / "PartPackageTests.xctest"
    inner = bundle / "Contents" / "MacOS" / bundle.stem
    return inner if inner.is_file() else bundle
