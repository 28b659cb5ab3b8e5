#!/usr/bin/env python3
"""Measures what the goals are about, and how cost grows, into files of JSON.

usage: Benchmarks/measure.py [--quick] [--only PART,…] [--out FOLDER] [--binaries FOLDER] [--peers FOLDER]

Parts: machine, micro, peers, allocations, idle, heartbeat, tls, deliver, reconnect, calls, sizes, consumers, outbox. Each
writes FOLDER/PART.json (build/bench). Processor time counts, not the time on the wall, unless a figure says otherwise, so
that other work on the machine disturbs little. --quick has one repetition of each and a tenth of the connections.
"""
import argparse
import json
import os
import platform
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

sys.dont_write_bytecode = True
import told
from told import Told

ROOT = Path(__file__).resolve().parent.parent
HERE = ROOT / "Benchmarks"


class Bench:
    """Where everything is, and how much of it is wanted."""

    def __init__(self, options):
        self.quick, self.out = options.quick, options.out.resolve()
        self.peers = options.peers.resolve()
        self.heartwire = options.binaries.resolve() / "heartwire"
        self.instruments = options.binaries.resolve() / "BenchInstruments"
        self.repetitions = 1 if self.quick else 3
        # Both ends have a process of their own, so each needs one descriptor a connection.
        self.most = min(1_000 if self.quick else 10_000, told.raise_descriptors() - 200)
        self.commit = output("git", "-C", str(ROOT), "describe", "--always", "--dirty")
        self.date = time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime())
        self.out.mkdir(parents=True, exist_ok=True)

    def ideal_server(self, port):
        """The C server with nothing but echo, on the first core."""
        return Told([self.peers / "cws_server", port], core=0, port=port)

    def server(self, port, **options):
        """Our own endpoint, on the first core."""
        return Told([self.heartwire, "bench", "server", port], core=0, port=port, **options)

    def paced(self, url, size, window, *rest, **options):
        """One client, on the second core."""
        client = Told([self.instruments, "paced", url, size, window, *rest], core=1, **options)
        client.line()
        return client

    def crowd(self, port, count, interval=None):
        command = [self.instruments, "crowd", f"ws://127.0.0.1:{port}/", count]
        crowd = Told(command + ([interval] if interval else []), core=1)
        crowd.opened = crowd.line(120).split()
        return crowd

    def write(self, part, figures):
        (self.out / f"{part}.json").write_text(json.dumps(figures, indent=1) + "\n")

    def spread(self, measure, *arguments):
        """What several repetitions give."""
        return [measure(*arguments) for _ in range(self.repetitions)]


def output(*command):
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=120).stdout.strip()
    except OSError:
        return ""


def machine(bench):
    """What this is measured on and with."""
    model = re.search(r"model name\s*:\s*(.*)", Path("/proc/cpuinfo").read_text())
    memory = re.search(r"MemTotal:\s*(\d+)", Path("/proc/meminfo").read_text())
    python = [str(bench.peers / "py" / "bin" / "python"), "-c", "import importlib.metadata as m, sys; "
        "print(*(n + ' ' + m.version(n) for n in ('picows', 'websockets', 'uvloop')), sep=', ')"]
    packages = output("dpkg-query", "-W", "-f=${Package} ${Version}\n", "libssl3", "zlib1g", "libsqlite3-0",
        "libboost-dev", "golang-github-gorilla-websocket-dev", "golang-go", "gcc")
    return {
        "processor": model[1] if model else platform.machine(), "cores": os.cpu_count(),
        "memory_gib": round(int(memory[1]) / 2**20, 1) if memory else 0,
        "system": f"{platform.system()} {platform.release()}",
        "swift": output("swift", "--version").splitlines()[0],
        "versions": [f"Python {platform.python_version()}: {output(*python)}"] + packages.splitlines(),
        "load_before": os.getloadavg(), "quick": bench.quick, "repetitions": bench.repetitions,
        "commit": bench.commit, "date": bench.date, "connections": bench.most,
        "descriptors": told.raise_descriptors(),
    }


def micro(bench):
    """The small parts beside their references, in processor time."""
    def once():
        text = output(str(ROOT / "build" / "micro" / "release" / "MicroBench"), "time")
        rows = [line.split("\t") for line in text.splitlines()]
        return {row[0]: {"ns": float(row[1]), "reference": row[2], "ratio": float(row[4]), "gbps": float(row[5])} for row in rows}
    return bench.spread(once)


def peers(bench):
    """The comparison with others, as a client and as a server."""
    tests = ["--tests", "rt64,bulk64k"] if bench.quick else []
    rows = []
    for mode in ["client", "server"]:
        ours = ["--ours", f"heartwire={shlex.quote(str(bench.heartwire))} bench {mode}"]
        if mode == "client":
            ours += ["--ours", f"heartwire pool={shlex.quote(str(bench.heartwire))} bench client --consumer=pool"]
        file = bench.out / f"peers-{mode}.json"
        subprocess.run([sys.executable, HERE / "peers" / "compare.py", bench.peers, mode, "--reps",
            str(bench.repetitions), "--json", file, *ours, *tests], check=True)
        rows += json.loads(file.read_text())
    return rows


def allocations(bench):
    """Allocations for each message that goes round, in steady state, after a thousand that warm up."""
    count, counter = (2_000 if bench.quick else 20_000), bench.peers / "allocations.so"

    def once(size, window, whose):
        port = told.free_port()
        counted = {"counts_allocations": counter}
        server = bench.server(port, **counted) if whose == "endpoint" else bench.ideal_server(port)
        with server, bench.paced(f"ws://127.0.0.1:{port}/", size, window,
                **(counted if whose == "client" else {})) as client:
            watched = client if whose == "client" else server
            client.ask(1_000)
            before = watched.allocations()
            client.ask(count)
            return (watched.allocations() - before) / count
    return {f"{whose} {size} {window}": bench.spread(once, size, window, whose)
        for whose in ["client", "endpoint"] for size, window in [(64, 1), (64, 256), (65_536, 4)]}


def idle(bench):
    """How memory, and the time of a message, grow with the number of connections."""
    def once(count):
        port = told.free_port()
        with bench.server(port) as server:
            before = server.memory()
            with bench.crowd(port, 1) as one:
                time.sleep(1)
                alone = one.memory()
            with bench.crowd(port, count) as crowd:
                time.sleep(3)  # What a connection takes while it is made is given back.
                client, endpoint = crowd.memory() - alone, server.memory() - before
                rounds = max(1, 20_000 // count)
                crowd.ask("round 1", 120)
                start, server_start = crowd.cpu(), server.cpu()
                crowd.ask(f"round {rounds}", 300)
                messages = rounds * count
                return {"connections": count, "endpoint_bytes": endpoint / count,
                    "client_bytes": client / (count - 1) if count > 1 else None,
                    "client_us": (crowd.cpu() - start) / messages * 1e6,
                    "endpoint_us": (server.cpu() - server_start) / messages * 1e6,
                    "open_seconds": float(crowd.opened[2])}
    rows = []
    for count in counts(bench):
        rows.append({"connections": count, "runs": bench.spread(once, count)})
    return rows


def counts(bench):
    return [count for count in [1, 10, 100, 1_000] if count < bench.most] + [bench.most]


def heartbeat(bench):
    """What a beat takes of the client's processor: its timer, its ping and its pong, which a C server answers."""
    seconds = 5 if bench.quick else 8

    def once(count):
        port = told.free_port()
        with bench.ideal_server(port) as server, bench.crowd(port, count, 1_000) as crowd:
            def pings():
                server.process.send_signal(signal.SIGUSR2)
                return int(server.line().split()[1])
            time.sleep(2)
            beats, start, wall = pings(), crowd.cpu(), time.monotonic()
            time.sleep(seconds)
            beats, cpu, wall = pings() - beats, crowd.cpu() - start, time.monotonic() - wall
            each = cpu / max(1, beats)
            # Of so many hearts at 1 Hz: the interval begins at the pong, so a little less than one beat a second was seen.
            return {"beats": beats, "us": each * 1e6, "core_percent": each * count * 100, "beats_per_second": beats / wall}
    return [{"connections": count, "runs": bench.spread(once, count) if count == bench.most else [once(count)]}
        for count in counts(bench)]


def tls(bench):
    """64 KiB there and back over TLS 1.3, beside OpenSSL alone with the same server."""
    certificate, key = bench.out / "cert.pem", bench.out / "key.pem"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout",
        key, "-out", certificate, "-days", "30", "-subj", "/CN=bench", "-addext", "subjectAltName=IP:127.0.0.1"],
        check=True, capture_output=True)
    count = 1_000 if bench.quick else 5_000

    def alone(window):
        port = told.free_port()
        with Told([bench.peers / "tls_server", port, certificate, key], core=0, port=port):
            line = output("taskset", "-c", str(1 % os.cpu_count()), str(bench.peers / "tls_client"), str(port), "65536",
                str(window), "b", "0.7")
        figures = dict(word.split("=") for word in line.split()[1:])
        return (float(figures["user"]) + float(figures["sys"])) / int(figures["msgs"]) * 1e6

    def ours(window):
        port = told.free_port()
        with Told([bench.peers / "tls_server", port, certificate, key], core=0, port=port):
            with bench.paced(f"wss://127.0.0.1:{port}/", 65_536, window, "b", 1, "executor", certificate) as client:
                client.ask(count // 5)
                start = client.cpu()
                client.ask(count)
                return (client.cpu() - start) / count * 1e6
    rows = []
    for window in [1, 4]:
        pairs = bench.spread(lambda: (ours(window), alone(window)))
        rows.append({"window": window, "ours_us": [a for a, _ in pairs], "alone_us": [b for _, b in pairs]})
    return rows


def deliver(bench):
    """Guaranteed delivery in every way, with the store's file beside the figures."""
    def once():
        return json.loads(output(str(bench.heartwire), "bench", "deliver", "--count", "20000" if bench.quick else "200000",
            "--format", "json", "--folder", str(bench.out)))["ways"]
    return bench.spread(once)


def reconnect(bench):
    """Clients that lose their endpoint, by SIGKILL, and get it back on the same port after half a second."""
    def once():
        port = told.free_port()
        server = bench.server(port)
        try:
            with bench.crowd(port, bench.most) as crowd:
                crowd.ask("watch")
                time.sleep(2)
                descriptors, memory, threads = crowd.descriptors(), crowd.memory(), crowd.threads()
                server.kill()
                lost = time.monotonic()
                time.sleep(0.5)
                server = bench.server(port)
                words = crowd.ask("back", 180).split()
                wall = time.monotonic() - lost
                time.sleep(2)
                figures = {"connections": int(words[1]), "late_ms": int(words[2]), "delay_ms": int(words[3]),
                    "attempts": int(words[4]), "seconds": wall, "descriptors": [descriptors, crowd.descriptors()],
                    "memory": [memory, crowd.memory()], "threads": [threads, crowd.threads()]}
                figures["readers_left"] = int(crowd.ask("close", 300).split()[1])
                time.sleep(1)
                figures["descriptors_closed"] = crowd.descriptors()
                return figures
        finally:
            server.kill()
    return bench.spread(once)


def calls(bench):
    """System calls for each round trip of 64 bytes, by strace, and which they are."""
    def traced(count, place):
        port = told.free_port()
        file = bench.out / "strace.txt"
        with bench.ideal_server(port):
            command = ["strace", "-f", "-c", "-o", file, bench.instruments, "paced", f"ws://127.0.0.1:{port}/", "64", "1", "b", "1", place]
            subprocess.run(command, input=f"{count}\n", capture_output=True, text=True, timeout=120)
        rows = [line.split() for line in file.read_text().splitlines()[2:]]
        return {row[-1]: int(row[3]) for row in rows if len(row) >= 5 and row[3].isdigit()}

    def once(place):
        few, many = traced(1_000, place), traced(3_000, place)
        return {name: (many[name] - few.get(name, 0)) / 2_000 for name in many
            if name != "total" and many[name] - few.get(name, 0) > 20}
    return {place: bench.spread(once, place) for place in ["executor", "pool"]}


def sizes(bench):
    """What one message takes of the client and of the endpoint, by its size; one is under way at a time."""
    def once(size):
        port, count = told.free_port(), max(8, min(20_000, (1 << 28) // max(1, size)))
        with bench.server(port) as server, bench.paced(f"ws://127.0.0.1:{port}/", size, 1) as client:
            client.ask(max(4, count // 10))
            start, server_start = client.cpu(), server.cpu()
            client.ask(count, 120)
            return {"client_us": (client.cpu() - start) / count * 1e6, "endpoint_us": (server.cpu() - server_start) / count * 1e6}
    all_sizes = [16, 256, 4_096, 65_536, 1 << 20] + ([] if bench.quick else [16 << 20])
    return [{"bytes": size, "runs": bench.spread(once, size)} for size in all_sizes]


def consumers(bench):
    """What one message of 64 bytes takes of the client, by how many consumers read it."""
    def once(number, place):
        port, count = told.free_port(), 10_000 if bench.quick else 50_000
        with bench.ideal_server(port), bench.paced(f"ws://127.0.0.1:{port}/", 64, 64, "b", number, place) as client:
            client.ask(count // 10)
            start = client.cpu()
            client.ask(count)
            return {"client_us": (client.cpu() - start) / count * 1e6}
    return [{"consumers": number, "place": place, "runs": bench.spread(once, number, place)}
        for place in ["executor", "pool"] for number in [1, 2, 4, 8, 16]]


def outbox(bench):
    """What the outbox's operations take, by how many entries wait in it."""
    def once():
        return json.loads(output(str(bench.heartwire), "bench", "grow", "--count", "10000" if bench.quick else "1000000",
            "--format", "json"))
    return bench.spread(once)


PARTS = [machine, micro, peers, allocations, idle, heartbeat, tls, deliver, reconnect, calls, sizes, consumers, outbox]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "bench")
    parser.add_argument("--binaries", type=Path, default=ROOT / ".build" / "release")
    parser.add_argument("--peers", type=Path, default=ROOT / "build" / "peers")
    options = parser.parse_args()
    wanted = options.only.split(",") if options.only else [part.__name__ for part in PARTS]
    unknown = set(wanted) - {part.__name__ for part in PARTS}
    if unknown:
        parser.error(f"no such part: {', '.join(sorted(unknown))}")
    bench, failed = Bench(options), []
    known = bench.out / "parts.json"
    parts = json.loads(known.read_text()) if known.is_file() else {}
    for part in PARTS:
        if part.__name__ not in wanted:
            continue
        start = time.monotonic()
        print(f"bench: {part.__name__}", file=sys.stderr, flush=True)
        try:
            bench.write(part.__name__, part(bench))
            parts[part.__name__] = {"date": bench.date, "commit": bench.commit, "seconds": time.monotonic() - start,
                "load": os.getloadavg()[0]}
        except Exception as error:  # One part that fails leaves the others their figures, and is told at the end.
            failed.append(f"{part.__name__}: {error!r}")
            (bench.out / f"{part.__name__}.json").unlink(missing_ok=True)
            parts.pop(part.__name__, None)
        print(f"bench: {part.__name__}: {time.monotonic() - start:.0f} s", file=sys.stderr, flush=True)
    bench.write("parts", parts)
    bench.write("end", {"failed": failed})
    for line in failed:
        print(f"bench: failed: {line}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
