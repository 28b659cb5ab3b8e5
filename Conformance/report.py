"""Reads the suite's reports and says in words and tables what came out."""

import fnmatch
import json

VERDICTS = ["OK", "NON-STRICT", "INFORMATIONAL", "UNIMPLEMENTED", "FAILED"]
SECTIONS = {
    1: "Framing", 2: "Pings and pongs", 3: "Reserved bits", 4: "Opcodes", 5: "Fragmentation",
    6: "UTF-8", 7: "Closing", 9: "Limits", 10: "Auto-fragmentation",
    12: "Compression, payloads", 13: "Compression, parameters",
}


class Incomplete(Exception):
    """A report that does not hold what it should."""


def order(case):
    return [int(number) for number in case.split(".")]


def section(case):
    return order(case)[0]


class Result:
    """What the suite found in one role."""

    def __init__(self, folder, agent, wanted, seconds):
        self.seconds = seconds
        index = folder / "index.json"
        if not index.is_file():
            raise Incomplete(f"the suite wrote no report into {folder.name}")
        found = json.loads(index.read_text(encoding="utf-8")).get(agent, {})
        missing = sorted(set(wanted) - set(found), key=order)
        # A run that ended early would leave a report that is short and all green.
        if missing:
            raise Incomplete(
                f"{folder.name}: {len(missing)} of {len(wanted)} cases were not run,"
                f" first {missing[0]}")
        self.cases = sorted(found, key=order)
        self.behaviours = {case: found[case]["behavior"] for case in self.cases}
        self.closings = {case: found[case]["behaviorClose"] for case in self.cases}
        self.findings = {}
        for case in self.cases:
            if self.behaviours[case] != "OK" or self.closings[case] != "OK":
                details = json.loads(
                    (folder / found[case]["reportfile"]).read_text(encoding="utf-8"))
                of = "resultClose" if self.behaviours[case] == "OK" else "result"
                self.findings[case] = " ".join(str(details.get(of) or "").split())

    def verdict(self, case):
        """The worse of the two verdicts of the suite, on what was done and on the closing handshake."""
        pair = [self.behaviours[case], self.closings[case]]
        for verdict in pair:
            if verdict not in VERDICTS:
                return "FAILED"
        return max(pair, key=VERDICTS.index)

    def others(self):
        """The cases that are not strictly OK."""
        return [case for case in self.cases if self.verdict(case) != "OK"]

    def rows(self):
        """For each section, and for all, how many cases got which verdict."""
        rows = []
        for number in sorted({section(case) for case in self.cases}):
            cases = [case for case in self.cases if section(case) == number]
            rows.append((f"{number} {SECTIONS.get(number, '')}".strip(), cases))
        rows.append(("all", self.cases))
        return [
            (title, [sum(self.verdict(case) == verdict for case in cases) for verdict in VERDICTS],
                len(cases))
            for title, cases in rows]


class Reasons:
    """Why a case is not strictly OK: lines `ROLES | CASES | REASON`, both lists with commas."""

    def __init__(self, path):
        self.lines = []
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if line.strip() and not line.startswith("#"):
                parts = [part.strip() for part in line.split("|", 2)]
                if len(parts) != 3 or not all(parts):
                    raise Incomplete(f"{path.name}:{number}: wanted ROLES | CASES | REASON")
                roles, cases = ([word.strip() for word in part.split(",")] for part in parts[:2])
                self.lines.append((number, roles, cases, parts[2]))

    def of(self, role, case):
        """The reason for one case, and the number of its line; none if there is no line."""
        for number, roles, cases, words in self.lines:
            if role in roles and any(fnmatch.fnmatchcase(case, pattern) for pattern in cases):
                return number, words
        return None

    def faults(self, results, isWhole):
        """Cases without a reason; and, after a run of everything, reasons without a case."""
        faults, used = [], set()
        for role, result in results.items():
            for case in result.others():
                reason = self.of(role, case)
                if reason:
                    used.add(reason[0])
                else:
                    faults.append(
                        f"{role} {case} is {result.verdict(case)}: {result.findings[case]}")
        for number, *_ in self.lines if isWhole else []:
            if number not in used:
                faults.append(f"reasons:{number}: no case needs this line any more")
        return faults


def text(results, reasons):
    """The tables for a terminal."""
    lines = []
    for role, result in results.items():
        lines.append(f"{role}: {len(result.cases)} cases in {result.seconds:.0f} s")
        lines.append("  " + " " * 24 + "".join(f"{verdict:>15}" for verdict in VERDICTS))
        for title, counts, _ in result.rows():
            lines.append(f"  {title:<24}" + "".join(f"{count:>15}" for count in counts))
        for case in result.others():
            lines.append(f"  {case} {result.verdict(case)}: {result.findings[case]}")
    return "\n".join(lines)


def ranges(cases):
    """`7.1.6, 7.13.1 to 7.13.2`: ids in order, neighbours joined."""
    groups = []
    for case in cases:
        *head, last = order(case)
        if groups and groups[-1][0] == head and groups[-1][2] == last - 1:
            groups[-1][2] = last
        else:
            groups.append([head, last, last])
    name = lambda head, last: ".".join(map(str, head + [last]))
    return ", ".join(
        name(head, first) if first == last else f"{name(head, first)} to {name(head, last)}"
        for head, first, last in groups)


def markdown(results, reasons):
    """The file CONFORMANCE.md."""
    lines = [
        "# Conformance", "",
        "What Autobahn's WebSocket test suite says about Heartwire, written by `make autobahn`. Each case counts",
        "with the worse of the suite's two verdicts, on what was done and on the closing handshake. The client",
        "is `heartwire autobahn` over the public `WebSocketClient`, the server is the controllable endpoint."]
    for role, result in results.items():
        lines += ["", f"## As a {role}", "", "| section | " + " | ".join(VERDICTS) + " | cases |",
            "|---|" + "---:|" * (len(VERDICTS) + 1)]
        for title, counts, total in result.rows():
            lines.append(f"| {title} | " + " | ".join(map(str, counts)) + f" | {total} |")
        groups = {}
        for case in result.others():
            reason = reasons.of(role, case)
            key = (result.verdict(case), reason[1] if reason else result.findings[case])
            groups.setdefault(key, []).append(case)
        if groups:
            lines += ["", "Not strictly OK:", "", "| cases | verdict | reason |", "|---|---|---|"]
        for (verdict, words), cases in groups.items():
            lines.append(f"| {ranges(cases)} | {verdict} | {words} |")
    return "\n".join(lines) + "\n"
