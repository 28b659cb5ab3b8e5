"""Finds the checks in Swift text that a mutant can take away or turn, and writes all of them into one text.

What is found, without being named: every boolean condition of `guard`, `if`, `while` and `where`, every
comparison and boolean operator anywhere else, every pattern that binds nothing, every arm that is `true` or
`false`, every set of the gate's kinds, every step to the next generation, every `min` and `max`.
"""

import re
from typing import NamedTuple

from swift_source import blank, closing, line_of

PAIRS = {"(": ")", "[": "]", "{": "}"}
BOUNDARY = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}
COMPARISON = re.compile(r"(?<=\s)(?:==|!=|<=|>=|<|>)(?=\s)")
BOOLEAN = re.compile(r"(?<=\s)(?:==|!=|<=|>=|<|>|&&|\|\||\?)(?=\s)|\?\? (?:true|false)\b")
CONDITION = re.compile(r"(?<![\w.`#])(guard|if|while|where)\b(?!:)")
STOPS_LEFT = re.compile(r"(?:^|[^\w.])(?:return|in|case|else|where|guard|if|while)$")
CONTINUES = re.compile(r"\s*(?:&&|\|\||\?|:|\.|==|!=|<|>|\+|-|&[+-])")
DECLARES = re.compile(r"\b(?:extension|func|init|struct|enum|class|protocol|associatedtype|typealias)\b[^{}]*$")
KINDS = ["intent", "request", "opening", "pulse", "end", "timer", "message"]
KINDS_BODY = re.compile(r"\bvar \w+: (SessionEvent\.)?Kind \{")
KINDS_VALUE = re.compile(r"(?<=[:?] )\s*(\[[\s.\w,]+\]|\.\w+)(?=\s*(?:$|:\s))|(?<=\s)(\[[\s.\w,]+\]|\.\w+)(?=\s*$)",
    re.MULTILINE)
FUNCTION = re.compile(r"\b(?:func\s+([^\s(]+)|(init)\b|var\s+(\w+)\s*:[^={}\n]+\{)")


SUPPORT = """#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

let activeMutant = getenv("HEARTWIRE_MUTANT").flatMap { Int(String(cString: $0)) } ?? 0

@inline(__always) func isMutant(_ number: Int) -> Bool { activeMutant == number }
"""
KINDS_SUPPORT = """
func mutantAdmitted(_ first: Int, _ kinds: SessionEvent.Kind) -> SessionEvent.Kind {
    guard activeMutant >= first, activeMutant < first + 7 else { return kinds }
    return kinds.symmetricDifference(.init(rawValue: 1 << UInt8(activeMutant - first)))
}

func mutantKind(_ first: Int, _ kind: SessionEvent.Kind) -> SessionEvent.Kind {
    guard activeMutant >= first, activeMutant < first + 7 else { return kind }
    let other = SessionEvent.Kind(rawValue: 1 << UInt8(activeMutant - first))
    return other == kind ? [] : other
}
"""


class Turn(NamedTuple):
    """One way to change a site: what it is called, and how the changed text comes about."""

    name: str
    make: object


class Site(NamedTuple):
    """A check: its range in the text, and how it can be turned."""

    start: int
    end: int
    turns: list
    write: object


class Mutant(NamedTuple):
    """One site turned in one way."""

    number: int
    path: str
    line: int
    function: str
    check: str
    turn: str

    @property
    def key(self):
        """What the list of equivalent mutants calls it."""
        return f"{self.path.rsplit('/', 1)[-1]}:{self.function}: {self.check} -> {self.turn}"


def top_level(code, start, end, pattern):
    """The matches of `pattern` between the two places that no bracket encloses."""
    at = start
    while at < end:
        if code[at] in PAIRS:
            at = closing(code, at) + 1
            continue
        match = pattern.match(code, at, end)
        if match and match.end() > at:
            yield match
            at = match.end()
        else:
            at += 1


def stripped(code, start, end):
    while start < end and code[start].isspace():
        start += 1
    while end > start and code[end - 1].isspace():
        end -= 1
    return start, end


def pieces(code, start, end, pattern):
    """The range cut at each top-level match."""
    cuts = list(top_level(code, start, end, pattern))
    bounds = [start, *[place for cut in cuts for place in cut.span()], end]
    return [stripped(code, *pair) for pair in zip(bounds[::2], bounds[1::2])]


class Finder:
    """Collects the sites of one text."""

    def __init__(self, text):
        self.text, self.code, self.sites = text, blank(text), {}
        for match in CONDITION.finditer(self.code):
            self.condition(match)
        for match in BOOLEAN.finditer(self.code):
            self.expression(match)
        self.arms()
        self.kinds()
        self.steps()

    def add(self, start, end, turns, write):
        if (start, end) not in self.sites:
            self.sites[start, end] = Site(start, end, turns, write)

    def condition(self, match):
        start, word = match.end(), match[1]
        if word == "where" and DECLARES.search(self.code, max(0, start - 400), match.start()):
            return
        stop = {"guard": r"\belse\b", "where": r"\{|:(?=\s)"}.get(word, r"\{")
        at, end = start, None
        while at < len(self.code):
            found = re.compile(stop).match(self.code, at)
            if found:
                end = at
                break
            at = closing(self.code, at) + 1 if self.code[at] in PAIRS else at + 1
        if end is None:
            return
        for clause in pieces(self.code, start, end, re.compile(",")):
            self.clause(*clause)

    def clause(self, start, end):
        words = self.code[start:end]
        if re.match(r"(?:let|var)\b|#|$", words):
            return
        if re.match(r"case\b", words):
            if not re.search(r"\b(?:let|var)\b", words):
                self.add(start, end, [Turn("true", None), Turn("false", None)], "pattern")
            return
        self.boolean(start, end)

    def boolean(self, start, end):
        """An expression that is true or false, down to what no operator joins."""
        for operator in [r"\|\|(?=\s)", r"&&(?=\s)"]:
            parts = pieces(self.code, start, end, re.compile(operator))
            if len(parts) > 1:
                for part in parts:
                    self.boolean(*part)
                return
        if self.code[start] == "(" and closing(self.code, start) == end - 1:
            return self.boolean(*stripped(self.code, start + 1, end - 1))
        if start == end or any(top_level(self.code, start, end, re.compile(r"(?<=\s)\?(?=\s)"))):
            return
        turns = [Turn("true", None), Turn("false", None)]
        found = list(top_level(self.code, start, end, COMPARISON))
        if len(found) == 1 and found[0][0] in BOUNDARY:
            turns.append(Turn(BOUNDARY[found[0][0]], found[0].span()))
        self.add(start, end, turns, "boolean")

    def expression(self, match):
        """The whole expression around an operator that stands outside of a condition."""
        line = self.code[self.code.rfind("\n", 0, match.start()) + 1 : match.start()]
        if re.search(r"\b(?:func\s*$|(?:extension|func|init|struct|enum)\b[^{}]*\bwhere\b)", line):
            return
        start, end = self.left(match.start()), self.right(match)
        start, end = stripped(self.code, start, end)
        if any(start <= site[1] and site[0] <= start < site[1] for site in self.sites):
            return
        self.boolean(start, end)

    def left(self, at):
        while at > 0:
            before = self.code[at - 1]
            if before in ")]}":
                opening = self.opening(at - 1)
                if before == "}" and "\n" in self.code[opening:at]:
                    return at
                at = opening
                continue
            if before in "([{,;:":
                return at
            if self.code[at : at + 1].isspace() and STOPS_LEFT.search(self.code[max(0, at - 8) : at]):
                return at
            if before == "=" and self.code[at - 2 : at] not in ("==", "!=", "<=", ">="):
                return at
            if before == "?" and self.code[at - 2].isspace() and self.code[at : at + 1].isspace():
                return at
            if before == "\n" and not CONTINUES.match(self.code, at):
                if not re.search(r"(?:&&|\|\||[=<>?:])\s*$", self.code[: at - 1]):
                    return at
            at -= 1
        return at

    def opening(self, at):
        depth = 0
        while at >= 0:
            if self.code[at] in ")]}":
                depth += 1
            elif self.code[at] in "([{":
                depth -= 1
                if depth == 0:
                    return at
            at -= 1
        return 0

    def right(self, match):
        if match[0] == "?":
            return match.start()
        at = match.end()
        while at < len(self.code):
            here = self.code[at]
            if here in "([":
                at = closing(self.code, at) + 1
                continue
            if here in ")]},;{" or re.match(r"\s[?:]\s", self.code[at : at + 3]):
                return at
            if here == "\n" and not CONTINUES.match(self.code, at + 1):
                # `?? false` has its right side within the match.
                if match[0].startswith("??") or self.code[match.end() : at].strip():
                    return at
            at += 1
        return at

    def arms(self):
        for match in re.finditer(r"(?<=:)[ \n]+(true|false)[ ]*$", self.code, re.MULTILINE):
            other = "false" if match[1] == "true" else "true"
            self.add(*match.span(1), [Turn(other, other)], "text")

    def kinds(self):
        for body in KINDS_BODY.finditer(self.code):
            end = closing(self.code, body.end() - 1)
            for match in KINDS_VALUE.finditer(self.code, body.end(), end):
                span = match.span(1) if match[1] else match.span(2)
                words = set(re.findall(r"\w+", self.code[slice(*span)]))
                if not words <= set(KINDS):
                    continue
                if body[1]:
                    turns = ["without " + kind if kind in words else "with " + kind for kind in KINDS]
                else:
                    turns = ["none" if kind in words else kind for kind in KINDS]
                self.add(*span, [Turn(turn, None) for turn in turns],
                    "admitted" if body[1] else "kind")

    def steps(self):
        for match in re.finditer(r"\b\w+(\.next)\b(?!\()", self.code):
            self.add(*match.span(), [Turn("the same", self.text[match.start() : match.start(1)])], "text")
        for match in re.finditer(r"(?<![\w.])(min|max)(?=\()", self.code):
            other = "max" if match[1] == "min" else "min"
            end = closing(self.code, match.end()) + 1
            self.add(match.start(), end, [Turn(other, (match.span(), other))], "call")


def function_around(code, at):
    """The name of the last function or computed property that begins before `at`."""
    name = "-"
    for match in FUNCTION.finditer(code, 0, at):
        name = next(group for group in match.groups() if group)
    return name


def mutate(path, text, first):
    """The text with every mutant in it, asleep, and the mutants; their numbers begin at `first`."""
    finder = Finder(text)
    sites = sorted(finder.sites.values(), key=lambda site: (site.start, -site.end))
    mutants, numbers, used = [], {}, {}
    for site in sites:
        check = " ".join(text[site.start : site.end].split())
        function = function_around(finder.code, site.start)
        same = used[function, check] = used.get((function, check), 0) + 1
        numbers[site.start, site.end] = first + len(mutants)
        for turn in site.turns:
            mutants.append(Mutant(first + len(mutants), path, line_of(text, site.start), function,
                check + (f" #{same}" if same > 1 else ""), turn.name))

    def render(start, end, inside):
        out, at = [], start
        while inside:
            site, rest = inside[0], inside[1:]
            within = [other for other in rest if other.end <= site.end]
            inside = [other for other in rest if other.end > site.end]
            out.append(text[at : site.start])
            out.append(write(site, within))
            at = site.end
        return "".join(out) + text[at:end]

    def write(site, within):
        number, plain = numbers[site.start, site.end], render(site.start, site.end, within)
        if site.write in ("admitted", "kind"):
            return f"mutant{site.write.capitalize()}({number}, {plain})"
        if site.write == "pattern":
            subject = f"{{ if {plain} {{ return true }} else {{ return false }} }}()"
            return f"(isMutant({number}) ? true : isMutant({number + 1}) ? false : {subject})"
        if site.write == "text":
            return f"(isMutant({number}) ? {site.turns[0].make} : {plain})"
        if site.write == "call":
            (begin, stop), other = site.turns[0].make
            return f"(isMutant({number}) ? {other}{plain[stop - begin:]} : {plain})"
        if len(site.turns) == 3:
            begin, stop = site.turns[2].make
            sides = [render(*side, [other for other in within if side[0] <= other.start < side[1]])
                for side in [(site.start, begin), (stop, site.end)]]
            plain = f"isMutant({number + 2}) ? {sides[0]}{site.turns[2].name}{sides[1]} : {plain}"
        return f"(isMutant({number}) ? true : isMutant({number + 1}) ? false : ({plain}))"

    return render(0, len(text), sites), mutants, len(sites)
