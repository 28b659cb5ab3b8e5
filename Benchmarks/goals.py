"""The goals, each with what was measured for it."""
from statistics import median

# A sample of a count that has no fractions may hold a few of what happens once in a while, not for each message.
ONCE_IN_A_WHILE = 0.03


class Goal:
    """A bound, and the samples that are held against it by their median; `None` where nothing was measured."""

    def __init__(self, work, words, limit, samples, unit="", more=False, leeway=0):
        self.work, self.words, self.limit, self.unit, self.more = work, words, limit, unit, more
        self.leeway = leeway
        self.samples = samples or None

    @property
    def value(self):
        return median(self.samples)

    @property
    def is_kept(self):
        return self.value >= self.limit if self.more else self.value <= self.limit + self.leeway

    @property
    def distance(self):
        """How far it is from the goal, in words."""
        if not self.limit:
            return f"{self.value:.3g} more than the goal"
        share = abs(self.value / self.limit - 1) * 100
        return f"{share:.0f} % {'less' if self.more else 'more'} than the goal"


def goals(data):
    """Every goal, in order."""
    return list(of_messages(data)) + list(of_bytes(data)) + list(of_connections(data)) + list(of_delivery(data))


def peer(data, mode, test, name="heartwire"):
    rows = [row for row in data.get("peers", []) if (row["mode"], row["test"], row["name"]) == (mode, test, name)]
    return rows[0] if rows else {}


def of_messages(data):
    yield Goal("64-byte round trip, read on the client's executor", "≤ 1.1 × raw TCP", 1.1,
        peer(data, "client", "rt64").get("x_samples"), "× raw")
    calls = data.get("calls", {}).get("executor", [])
    yield Goal("system calls of a round trip", "≤ 3", 3, [sum(run.values()) for run in calls], "calls", leeway=ONCE_IN_A_WHILE)
    yield Goal("64-byte round trip, read on the pool", "≤ 1.35 × raw TCP", 1.35,
        peer(data, "client", "rt64", "heartwire pool").get("x_samples"), "× raw")
    for test, title, limit in [("pipe64", "256 × 64 B under way", 2), ("pipe1k", "256 × 1 KiB under way", 2),
            ("bulk64k", "64 KiB binary", 1.2), ("bulk1m", "1 MiB binary", 1.2)]:
        for mode, side in [("client", "client"), ("server", "endpoint")]:
            yield Goal(f"{title}, {side}", f"≤ {limit} × raw TCP", limit, peer(data, mode, test).get("x_samples"), "× raw")


def of_bytes(data):
    micro = data.get("micro", [])
    for name, title, limit in [("utf8-ascii-64k", "validation of text, ASCII", 20), ("utf8-mixed-64k", "validation of text, mixed scripts", 10)]:
        yield Goal(title, f"≥ {limit} GB/s", limit, [run[name]["gbps"] for run in micro], "GB/s", more=True)
    for mode, side in [("client", "client"), ("server", "endpoint")]:
        text, binary = (peer(data, mode, test).get("cpu_samples", []) for test in ("text64k", "bulk64k"))
        yield Goal(f"64 KiB text, {side}", "≤ 1.4 × the same as binary", 1.4,
            [sample / median(binary) for sample in text] if binary else None, "× binary")
    ours = peer(data, "client", "deflate16k")
    yield Goal("permessage-deflate, 16 KiB JSON", "≤ 1.15 × zlib alone", 1.15, ours.get("x_samples"), "× zlib")
    others = [row["cpu_us"] for row in data.get("peers", []) if row["mode"] == "client" and row["test"] == "deflate16k"
        and not row["name"].startswith(("heartwire", "zlib"))]
    yield Goal("the same beside the fastest other implementation", "≤ 1", 1,
        [sample / min(others) for sample in ours.get("cpu_samples", [])] if others else None, "× the other's time")
    yield Goal("masking, 64 KiB", "≥ 0.5 × memcpy", 0.5, [1 / run["mask-64k-memcpy"]["ratio"] for run in micro], "× memcpy", more=True)
    allocations = data.get("allocations", {})
    yield Goal("allocations of an echo, payload borrowed (endpoint)", "0", 0,
        allocations.get("endpoint 64 256"), "allocations", leeway=ONCE_IN_A_WHILE)
    yield Goal("allocations of an echo, payload handed over (client)", "1", 1,
        allocations.get("client 64 256"), "allocations", leeway=ONCE_IN_A_WHILE)
    for row in data.get("tls") or [{"window": 1, "ours_us": [], "alone_us": []}]:
        yield Goal(f"TLS 1.3, 64 KiB, {row['window']} under way", "≤ 1.15 × OpenSSL alone", 1.15,
            [ours / alone for ours, alone in zip(row["ours_us"], row["alone_us"])], "× OpenSSL")


def of_connections(data):
    most = (data.get("idle") or [{"connections": 10_000, "runs": []}])[-1]
    for side, limit in [("client", 2), ("endpoint", 1)]:
        yield Goal(f"memory of an idle connection, {side}, at {most['connections']:,}", f"≤ {limit} KiB", limit,
            [run[f"{side}_bytes"] / 1024 for run in most["runs"]], "KiB")
    hearts = (data.get("heartbeat") or [{"connections": 10_000, "runs": []}])[-1]
    yield Goal(f"a heartbeat (timer, ping, pong), at {hearts['connections']:,}", "≤ 12 µs", 12,
        [run["us"] for run in hearts["runs"]], "µs")
    yield Goal(f"{hearts['connections']:,} hearts at 1 Hz", "≤ 15 % of a core", 15,
        [run["core_percent"] for run in hearts["runs"]], "%")


def of_delivery(data):
    bulk = [way["receipts_per_second"] for run in data.get("deliver", []) for way in run if way["way"] == "sqlite-bulk"]
    yield Goal("`deliver` with SQLite, in bulk", "≥ 100,000 a second", 100_000, bulk, "a second", more=True)
    back = data.get("reconnect", [])
    count = back[0]["connections"] if back else 10_000
    yield Goal(f"{count:,} clients are back, behind the policy's own delay", "≤ 2 s", 2, [run["late_ms"] / 1e3 for run in back], "s")
    yield Goal("descriptors that are left over then", "0", 0,
        [max(0, run["descriptors"][1] - run["descriptors"][0]) for run in back], "descriptors")
    yield Goal("tasks that are left when they have closed", "0", 0, [run["readers_left"] for run in back], "tasks")
