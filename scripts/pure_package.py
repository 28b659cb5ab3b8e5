"""A package of the pure targets alone, in a scratch folder: it builds in a fraction of the time of the whole."""

import os
import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TARGETS = [
    ("HeartwireProtocol", []),
    ("HeartwireSession", ["HeartwireProtocol"]),
    ("HeartwireSessionTests", ["HeartwireSession", "HeartwireProtocol"]),
]
STRICT = re.compile(r"\.treatAllWarnings\(as: \.error\),|\[\.strictMemorySafety\(\)\]")


def manifest(strict=True):
    """The package's own settings over the pure targets; `strict=False` lets warnings pass."""
    head, bar, _ = (ROOT / "Package.swift").read_text(encoding="utf-8").partition("\nlet package")
    if not bar:
        raise SystemExit("pure_package: Package.swift has no `let package`")
    if not strict:
        head = STRICT.sub(lambda match: "" if match[0][0] == "." else "[]", head)
    platforms = re.search(r"platforms: \[[^]]*\],", (ROOT / "Package.swift").read_text())[0]
    targets = []
    for name, needs in TARGETS:
        kind, manner = (".testTarget", "manner") if name.endswith("Tests") else (".target", "pure")
        needed = ", ".join(f'"{need}"' for need in needs)
        targets.append(f'{kind}(name: "{name}", dependencies: [{needed}], swiftSettings: {manner})')
    body = ",\n        ".join(targets)
    return (f'{head}\nlet package = Package(\n    name: "Pure", {platforms}\n    targets: [\n'
        f"        {body},\n    ])\n")


def write(place, text):
    """Writes only what differs, so that nothing is compiled twice."""
    if not place.is_file() or place.read_text(encoding="utf-8") != text:
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")


def prepare(folder, change=lambda path, text: text, extra=None, strict=True):
    """Copies the pure targets and their tests into `folder`. `change` gets each source file, by its path
    in the project, and its text; `extra` holds further files."""
    wanted = {"Package.swift": manifest(strict), **(extra or {})}
    for name, _ in TARGETS:
        place = ("Tests/" if name.endswith("Tests") else "Sources/") + name
        for path in sorted((ROOT / place).rglob("*.swift")):
            inside = str(path.relative_to(ROOT))
            wanted[inside] = change(inside, path.read_text(encoding="utf-8"))
    for kept in ["Sources", "Tests"]:
        for path in (folder / kept).rglob("*.swift"):
            if str(path.relative_to(folder)) not in wanted:
                path.unlink()
    for inside, text in wanted.items():
        write(folder / inside, text)


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
    bundle = Path(shown.stdout.strip().splitlines()[-1]) / "PurePackageTests.xctest"
    inner = bundle / "Contents" / "MacOS" / bundle.stem
    return inner if inner.is_file() else bundle
