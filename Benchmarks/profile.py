#!/usr/bin/env python3
"""Shows where the time of a client goes: samples of `perf` while it works, by library and by function.

usage: Benchmarks/profile.py CASE [--binaries FOLDER] [--peers FOLDER]

Cases: rt64, pool64, pipe64, pipe1k, bulk64k, text64k, heartbeat. Needs perf, and a release build of BenchInstruments. Shares are of
the client's own process; `children` counts what a function calls as well.
"""
import argparse
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.dont_write_bytecode = True
import told
from told import Told

ROOT = Path(__file__).resolve().parent.parent
# Arguments behind the URL, and how many messages go round while it is watched; or a crowd.
CASES = {
    "rt64": (["64", "1"], 40_000), "pool64": (["64", "1", "b", "1", "pool"], 20_000), "pipe64": (["64", "256"], 1_500_000),
    "pipe1k": (["1024", "256"], 500_000), "bulk64k": (["65536", "16"], 20_000), "text64k": (["65536", "16", "t"], 20_000),
    "heartbeat": None,
}


def shares(file, *how):
    """The rows of a report of perf."""
    command = ["perf", "report", "-i", file, "-g", "none", "--stdio", *how]
    text = subprocess.run(command, capture_output=True, text=True).stdout
    demangled = subprocess.run(["swift", "demangle", "--simplified"], input=text, capture_output=True, text=True).stdout or text
    return [line.rstrip()[:150] for line in demangled.splitlines() if line.strip() and not line.startswith("#")]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("case", choices=list(CASES))
    parser.add_argument("--binaries", type=Path, default=ROOT / ".build" / "release")
    parser.add_argument("--peers", type=Path, default=ROOT / "build" / "peers")
    options = parser.parse_args()
    told.raise_descriptors()
    port, case = told.free_port(), CASES[options.case]
    url, instruments = f"ws://127.0.0.1:{port}/", options.binaries / "BenchInstruments"
    command = [instruments, "paced", url, *case[0]] if case else [instruments, "crowd", url, "3000", "1000"]
    with Told([options.peers / "cws_server", port], core=0, port=port), Told(command, core=1) as client, \
            tempfile.NamedTemporaryFile() as file:
        client.line()
        client.ask(case[1] // 10) if case else time.sleep(1)
        perf = subprocess.Popen(["perf", "record", "-e", "cpu-clock", "-F", "4000", "-g", "-o", file.name, "-p", str(client.pid)],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(0.5)
        client.ask(case[1], 120) if case else time.sleep(6)
        perf.send_signal(signal.SIGINT)
        perf.wait()
        for title, how in [("library", ["--no-children", "--sort", "dso"]),
                ("function", ["--no-children", "--sort", "sym", "--percent-limit", "1.5"]),
                ("function, children", ["--children", "--sort", "sym", "--percent-limit", "4"])]:
            print(f"== by {title}", *shares(file.name, *how), sep="\n")


if __name__ == "__main__":
    main()
