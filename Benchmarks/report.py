#!/usr/bin/env python3
"""Writes BENCHMARKS.md and its pictures from what Benchmarks/measure.py has left.

usage: Benchmarks/report.py [--data FOLDER] [--write FILE] [--images FOLDER] | --self-test

Every figure comes out of a file of FOLDER (build/bench); what was not measured is said to be so. Only the prose about where
the time goes is written by hand, in Benchmarks/where-time-goes.md.
"""
import argparse
import json
import os
import sys
import tempfile
from pathlib import Path
from statistics import median

sys.dont_write_bytecode = True
import plot
from goals import goals

ROOT = Path(__file__).resolve().parent.parent
PROSE = ROOT / "Benchmarks" / "where-time-goes.md"


def figure(value):
    """A number with three digits that count, and commas between thousands."""
    if value == 0:
        return "0"
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}" if abs(value) < 1 else f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}"


def spread(samples):
    """The median, and the range behind it where there is one."""
    if not samples:
        return "–"
    if len(samples) == 1:
        return figure(samples[0])
    return f"{figure(median(samples))} ({figure(min(samples))}–{figure(max(samples))})"


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|---" + "|---:" * (len(head) - 1) + "|"]
    return lines + ["| " + " | ".join(row) + " |" for row in rows] + [""]


def machine_section(data):
    machine, parts, end = data.get("machine"), data.get("parts", {}), data.get("end", {})
    if not machine:
        return ["What it was measured on is not known.", ""]
    seconds = sum(part["seconds"] for part in parts.values())
    loads = [part["load"] for part in parts.values()]
    lines = [
        f"Measured {machine['date']} at commit `{machine['commit']}`: {machine['processor']}, {machine['cores']} cores, "
        f"{machine['memory_gib']} GiB, {machine['system']}, {machine['swift']}. All parts took {seconds / 60:.0f} minutes. The "
        f"load at the end of a part lay between {min(loads, default=0):.1f} and {max(loads, default=0):.1f}, and was "
        f"{machine['load_before'][0]:.1f} before, the benchmarks included. Figures are of processor "
        "time unless a unit says otherwise, so other work on the machine moves them less than it moves the time on the wall.", "",
        f"{'One repetition' if machine['repetitions'] == 1 else str(machine['repetitions']) + ' repetitions'} of each: the "
        "median, and behind it the lowest and the highest." + (" This is a quick run: few repetitions, fewer connections."
            if machine["quick"] else ""), ""]
    others = [f"{name} ({part['date']}, `{part['commit']}`)" for name, part in parts.items()
        if (part["date"], part["commit"]) != (machine["date"], machine["commit"])]
    if others:
        lines += ["Not from that run, but measured at: " + ", ".join(others) + ".", ""]
    if machine["connections"] < 10_000 and not machine["quick"]:
        lines += [f"The machine's limit of {machine['descriptors']} descriptors bounds the connections to "
            f"{machine['connections']}.", ""]
    lines += ["Versions: " + "; ".join(machine["versions"]) + ".", ""]
    for failed in end.get("failed", []):
        lines += [f"**Not measured**, because it failed: {failed}", ""]
    return lines


def goals_section(data):
    rows, missed = [], []
    for goal in goals(data):
        if goal.samples is None:
            rows.append([goal.work, goal.words, "not measured", ""])
            continue
        rows.append([goal.work, goal.words, spread(goal.samples), "kept" if goal.is_kept else "**missed**"])
        if not goal.is_kept:
            missed.append(f"- {goal.work}: {figure(goal.value)} {goal.unit} where the goal is {goal.words}, {goal.distance}.")
    kept = sum(row[3] == "kept" for row in rows)
    lines = ["## Goals", "", f"{kept} of {len(rows)} are kept.", ""] + table(["work", "goal", "measured", ""], rows)
    return lines + ["## What missed its goal", ""] + (missed or ["Nothing that was measured."]) + [""]


TITLES = {
    "rt64": "round trip, 64 B", "pipe64": "256 × 64 B under way", "pipe1k": "256 × 1 KiB under way",
    "bulk64k": "16 × 64 KiB under way", "bulk1m": "4 × 1 MiB under way", "text64k": "16 × 64 KiB text under way",
    "deflate16k": "16 × 16 KiB JSON, compressed",
}


def peers_section(data):
    rows = data.get("peers")
    if not rows:
        return []
    lines = ["## Beside others", "", "Processor time for a message, in µs, and as a multiple of what raw TCP needs for the same "
        "bytes; for compressed messages, of what zlib alone needs. Text has no raw counterpart, so only its µs are given. Each "
        "client talks to one server in C, each server to one client in C, one core each. *pool* reads on the "
        "pool where tasks run by default instead of the client's executor. In each repetition ours has two turns, each "
        "between two of raw TCP or zlib, and its multiples are of these two; those of all others are of the median.", ""]
    for mode in ["client", "server"]:
        of_mode = [row for row in rows if row["mode"] == mode]
        tests = [test for test in TITLES if any(row["test"] == test for row in of_mode)]
        names = list(dict.fromkeys(row["name"] for row in of_mode))
        cells = {(row["test"], row["name"]): row for row in of_mode}

        def cell(test, name):
            row = cells.get((test, name))
            if not row:
                return "–"
            return f"{figure(row['cpu_us'] if mode == 'client' else row['server_us'])} µs" + (
                f", {spread(row['x_samples'])}" if row["x_samples"] else "")
        lines += [f"### As a {mode}", ""]
        lines += table([""] + names, [[TITLES[test]] + [cell(test, name) for name in names] for test in tests])
        rate = [[TITLES[test]] + [figure(cells[test, name]["rate"]) if (test, name) in cells else "–" for name in names]
            for test in tests]
        lines += ["Messages a second, on the wall:", ""] + table([""] + names, rate)
    return lines


def micro_section(data):
    runs = data.get("micro")
    if not runs:
        return []
    rows = []
    for name, first in runs[0].items():
        each = [run[name]["ns"] for run in runs]
        rate = [run[name]["gbps"] for run in runs]
        ratios = [run[name]["ratio"] for run in runs]
        rows.append([f"`{name}`", spread(each), figure(median(rate)) if median(rate) else "–",
            "–" if first["reference"] == name else f"{spread(ratios)} × `{first['reference']}`"])
    return ["## The small parts", "", "Nanoseconds of processor time for one operation, in one thread. `make bench-check` counts the "
        "instructions of each and holds them against [thresholds](Benchmarks/thresholds.json).", ""] + table(
        ["", "ns", "GB/s", "time of its reference"], rows)


def details_section(data):
    lines = []
    if data.get("allocations"):
        rows = []
        for name, samples in data["allocations"].items():
            whose, size, window = name.split()
            rows.append([f"{whose}, {int(size):,} bytes, {window} under way", spread([round(sample, 4) for sample in samples])])
        lines += ["## Allocations", "", "For each message that goes round, in steady state, counted in the C library of the process. "
            "The client hands each message over to the app; the endpoint echoes it.", ""] + table(["", "allocations"], rows)
    if data.get("calls"):
        rows = []
        for place, runs in data["calls"].items():
            each = {name: median([run.get(name, 0) for run in runs]) for name in runs[0]}
            rows.append([place, spread([sum(run.values()) for run in runs]),
                ", ".join(f"`{name}` {value:.2f}" for name, value in sorted(each.items(), key=lambda pair: -pair[1]))])
        lines += ["## System calls", "", "For each round trip of 64 bytes of the client, by where its messages are read.", ""]
        lines += table(["", "calls", "which"], rows)
    if data.get("tls"):
        rows = [[f"64 KiB, {row['window']} under way", spread(row["ours_us"]), spread(row["alone_us"]),
            spread([a / b for a, b in zip(row["ours_us"], row["alone_us"])])] for row in data["tls"]]
        lines += ["## TLS 1.3", "", "µs for a message there and back, beside a client of bare OpenSSL that sends the same bytes "
            "over one socket to the same server.", ""] + table(["", "heartwire", "OpenSSL alone", "times"], rows)
    if data.get("deliver"):
        rows = [[f"`{way['way']}`", spread([run[place]["receipts_per_second"] for run in data["deliver"]]),
            spread([run[place]["confirmed_per_second"] for run in data["deliver"]]),
            spread([run[place]["cpu_ns_each"] / 1e3 for run in data["deliver"]])] for place, way in enumerate(data["deliver"][0])]
        lines += ["## Guaranteed delivery", "", "Messages of 64 bytes; a receipt of SQLite means that the message is durable "
            "([more](docs/delivery-figures.md)). On the wall, but for the last column.", ""]
        lines += table(["way", "receipts a second", "confirmed a second", "µs of CPU each"], rows)
    if data.get("reconnect"):
        rows = [[f"{run['connections']:,}", f"{run['seconds']:.1f} s", f"{run['delay_ms'] / 1e3:.2f} s", f"{run['late_ms'] / 1e3:.2f} s",
            str(run["attempts"]), f"{run['descriptors'][0]:,} → {run['descriptors'][1]:,} → {run['descriptors_closed']}",
            f"{run['memory'][0] / 2**20:.0f} → {run['memory'][1] / 2**20:.0f}",
            f"{run['threads'][0]} → {run['threads'][1]}", str(run["readers_left"])] for run in data["reconnect"]]
        lines += ["## A crowd that loses its endpoint", "", "The endpoint is killed and comes back on its port half a second later; "
            "the default policy. *Late* is the worst client's time from the end of its last wait until it was open. Descriptors: before, "
            "when all are back, and after all were closed; MiB and threads before and when all are back; of the tasks that read "
            "each client's states none may be left. `make leak-check` counts the library's own.", ""]
        lines += table(["clients", "all back after", "longest wait", "late", "attempts", "descriptors", "MiB", "threads", "tasks left"], rows)
    return lines


def medians(rows, across, key):
    points = []
    for row in rows:
        values = [run[key] for run in row["runs"] if run.get(key) is not None]
        if values:
            points.append((row[across], median(values)))
    return points


def pictures(data):
    """Name, title, axis, axis, remark and series of each picture that there are figures for."""
    if data.get("idle"):
        rows = data["idle"]
        yield ("memory", "Memory of an idle connection", "connections", "bytes of the process, for each connection",
            "The pages that a process takes at its start weigh on few connections, so only the right end says what a connection takes.",
            [("client", medians(rows, "connections", "client_bytes")), ("endpoint", medians(rows, "connections", "endpoint_bytes"))])
        series = [("client", medians(rows, "connections", "client_us")), ("endpoint", medians(rows, "connections", "endpoint_us"))]
        if data.get("heartbeat"):
            series.append(("a heartbeat of the client", medians(data["heartbeat"], "connections", "us")))
        yield ("connections", "A message of 64 bytes, and a heartbeat, by connections", "connections", "µs of CPU, for each",
            "One message for each connection is under way at a time, so with more connections more of them share a wake-up.", series)
    if data.get("sizes"):
        yield ("sizes", "A message by its size", "bytes", "µs of CPU, there and back",
            "Small messages cost what a message costs, long ones what their bytes cost.",
            [("client", medians(data["sizes"], "bytes", "client_us")), ("endpoint", medians(data["sizes"], "bytes", "endpoint_us"))])
    if data.get("consumers"):
        yield ("consumers", "A message by how many consumers read it", "consumers", "µs of CPU of the client, there and back", "",
            [(f"on the {place}", medians([row for row in data["consumers"] if row["place"] == place], "consumers", "client_us"))
                for place in ["executor", "pool"]])
    if data.get("outbox"):
        runs = data["outbox"]
        series = []
        for place, name in enumerate(runs[0]["operations"]):
            series.append((name, [(size["entries"], max(1, median([run["sizes"][row]["nanoseconds"][place] for run in runs])))
                for row, size in enumerate(runs[0]["sizes"])]))
        yield ("outbox", "The outbox's operations by what waits in it", "entries", "ns of CPU, for one operation",
            "`heartwire bench grow`; *reconnect* is for each entry.", series)


def growth_section(data, images, beside):
    lines = []
    for name, title, across, up, remark, series in pictures(data):
        file = images / f"bench-{name}.svg"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(plot.picture(title, across, up, series))
        link = os.path.relpath(file.resolve(), beside.resolve())
        lines += [f"### {title}", "", f"![{title}]({link})", ""] + ([remark, ""] if remark else [])
        values = sorted({x for _, points in series for x, _ in points})
        rows = [[series_name] + [figure(dict(points)[x]) if x in dict(points) else "–" for x in values]
            + [plot.grows(points).removeprefix("exponent "), plot.grows(points[-2:]).removeprefix("exponent ")]
            for series_name, points in series]
        lines += table([f"{up}; {across}:"] + [f"{x:,}" for x in values] + ["exponent", "at the end"], rows)
    if not lines:
        return []
    return ["## How cost grows", "", "Both scales are logarithmic. The exponent is the slope of the straight line through all points: 0 "
        "means that it does not grow, 1 that it grows as what it is drawn over; *at the end* is that of the last two points.", ""] + lines


def report(data, images, beside):
    lines = ["# Benchmarks", "", "Written by `make bench`; every figure is out of the files that it leaves. `make bench ARGS=quick` takes a few "
        "minutes and writes into `build/bench` instead.", ""]
    for section in [machine_section, goals_section, peers_section]:
        lines += section(data)
    lines += growth_section(data, images, beside) + micro_section(data) + details_section(data)
    if PROSE.is_file():
        lines += [PROSE.read_text().strip(), ""]
    return "\n".join(lines).rstrip() + "\n"


def read(folder):
    return {file.stem: json.loads(file.read_text()) for file in sorted(folder.glob("*.json"))}


def self_test():
    """A line of known slope, goals on both sides of their bounds, and a report of nothing."""
    from goals import Goal
    wrong = []
    if abs(plot.exponent([(x, 3 * x ** 0.5) for x in (1, 10, 1_000)]) - 0.5) > 1e-9:
        wrong.append("the exponent of a square root")
    if plot.exponent([(1, 1), (1, 2)]) is not None:
        wrong.append("the exponent of a point")
    if not Goal("w", "g", 1.1, [1.0, 1.1, 1.2]).is_kept or Goal("w", "g", 1.1, [1.0, 1.2, 1.2]).is_kept:
        wrong.append("a goal of at most")
    more = Goal("w", "g", 20, [10.0], more=True)
    if more.is_kept or "50 %" not in more.distance:
        wrong.append(f"a goal of at least: {more.distance}")
    if spread([3, 1, 2]) != "2.00 (1.00–3.00)" or spread([]) != "–" or figure(12_345.6) != "12,346":
        wrong.append("numbers")
    with tempfile.TemporaryDirectory() as folder:
        empty = report({}, Path(folder), Path(folder))
        picture = plot.picture("t", "x", "y", [("a<b", [(1, 2), (100, 200)]), ("nothing", [(1, 0)])])
    if "not measured" not in empty or "0 of " not in empty or "kept |" in empty:
        wrong.append("a report of nothing")
    if "exponent 1.00" not in picture or "a&lt;b" not in picture or "nothing" in picture:
        wrong.append("a picture")
    if wrong:
        print("bench report: self-test failed:", *wrong, sep="\n  ", file=sys.stderr)
        return 1
    print("bench report: self-test passed")
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=ROOT / "build" / "bench")
    parser.add_argument("--write", type=Path, default=ROOT / "BENCHMARKS.md")
    parser.add_argument("--images", type=Path, default=ROOT / "docs" / "images")
    parser.add_argument("--self-test", action="store_true")
    options = parser.parse_args()
    if options.self_test:
        return self_test()
    options.write.write_text(report(read(options.data), options.images, options.write.parent))
    print(f"bench: written: {options.write}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
