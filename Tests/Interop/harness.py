"""What the checks share: processes with a bound on their time, and a count of what held."""

import asyncio
import contextlib
import os
import signal
import socket
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
# The most seconds that one check may take, and that any single wait within it may take.
CHECK_SECONDS = 30
WAIT_SECONDS = 10


class Skip(Exception):
    """A check that cannot be made here, and why."""


def program():
    """The program under test."""
    path = os.environ.get("HEARTWIRE", str(ROOT / ".build/release/heartwire"))
    if not os.access(path, os.X_OK):
        sys.exit(f"interop: no program at {path}: run 'make build', or set HEARTWIRE")
    return path


def wait(awaitable, seconds=WAIT_SECONDS):
    return asyncio.wait_for(awaitable, seconds)


def equal(seen, expected, what="value"):
    if seen != expected:
        raise AssertionError(f"{what}: expected {shown(expected)}, saw {shown(seen)}")


def holds(condition, what):
    if not condition:
        raise AssertionError(what)


def shown(value, limit=300):
    text = repr(value)
    return text if len(text) <= limit else f"{text[:limit]}… ({len(text)} characters)"


class Checks:
    """Runs checks one by one, prints a line for each, and counts."""

    def __init__(self, only):
        self.only = only
        self.passed = self.failed = self.skipped = 0

    async def run(self, checks):
        for check in checks:
            title = check.__doc__.strip()
            if self.only and self.only not in title:
                continue
            begun = time.monotonic()
            problem = skipped = None
            try:
                await asyncio.wait_for(check(), CHECK_SECONDS)
            except Skip as reason:
                skipped = reason
            except asyncio.TimeoutError:
                problem = "a wait did not end in time"
            except Exception as error:  # Whatever it is, it is this check's failure.
                problem = f"{type(error).__name__}: {error}" if not isinstance(
                    error, AssertionError) else str(error)
            elapsed = time.monotonic() - begun
            if skipped is not None:
                self.skipped += 1
                print(f"skip  {title}: {skipped}", flush=True)
            elif problem is None:
                self.passed += 1
                print(f"ok    {title} ({elapsed:.2f} s)", flush=True)
            else:
                self.failed += 1
                print(f"FAIL  {title} ({elapsed:.2f} s): {problem}", flush=True)


class Ran:
    """What a process did."""

    def __init__(self, status, output, diagnostics):
        self.status, self.output, self.diagnostics = status, output, diagnostics

    def expect(self, status, output=None, diagnostics=()):
        """Compares; `diagnostics` are pieces that the standard error must hold, in this order."""
        equal(self.status, status, f"exit status, with {shown(self.diagnostics)}")
        if output is not None:
            equal(self.output, output, "standard output")
        position = 0
        for piece in diagnostics:
            found = self.diagnostics.find(piece, position)
            holds(found >= 0, f"{shown(piece)} is not in order in {shown(self.diagnostics)}")
            position = found + len(piece)


class Program:
    """The program as a running process."""

    def __init__(self, process):
        self.process = process
        self._errors = asyncio.ensure_future(process.stderr.read())

    @classmethod
    @contextlib.asynccontextmanager
    async def start(cls, *arguments):
        process = await asyncio.create_subprocess_exec(
            program(), *arguments, stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE, limit=1 << 24)
        running = cls(process)
        try:
            yield running
        finally:
            if process.returncode is None:
                process.kill()
            await process.wait()
            running._errors.cancel()

    async def feed(self, data):
        """Writes to the standard input; a program that has gone does not read it."""
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            self.process.stdin.write(data)
            await wait(self.process.stdin.drain())

    def end_input(self):
        self.process.stdin.close()

    async def line(self):
        return (await wait(self.process.stdout.readline())).decode()

    def send_signal(self, number):
        self.process.send_signal(number)

    async def end(self, seconds=WAIT_SECONDS):
        output = await wait(self.process.stdout.read(), seconds)
        errors = await wait(asyncio.shield(self._errors), seconds)
        status = await wait(self.process.wait(), seconds)
        return Ran(status, output, errors.decode())


async def run_program(*arguments, data=b"", seconds=WAIT_SECONDS):
    """Runs the program with `data` as its input, to its end."""
    async with Program.start(*arguments) as running:
        writing = asyncio.ensure_future(running.feed(data))
        writing.add_done_callback(lambda _: running.end_input())
        ran = await running.end(seconds)
        await wait(writing)
        return ran


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


async def listening(port):
    """Returns once somebody listens on `port`."""
    for _ in range(100):
        with contextlib.suppress(OSError):
            _, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.close()
            return
        await asyncio.sleep(0.05)
    raise AssertionError(f"nobody listens on port {port}")


@contextlib.asynccontextmanager
async def daemon(*command):
    """A foreign program without input and output, killed by its id at the end."""
    process = await asyncio.create_subprocess_exec(
        *command, stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL)
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


@contextlib.asynccontextmanager
async def endpoint(*arguments):
    """`heartwire endpoint` on a free port; gives its URL."""
    async with Program.start("endpoint", *arguments) as running:
        first = await running.line()
        holds(first.startswith("listening ws://127.0.0.1:"), f"the first line is {shown(first)}")
        # The journal is read away, as a full pipe would lose lines of it.
        reading = asyncio.ensure_future(running.process.stdout.read())
        try:
            yield first.removeprefix("listening ").strip(), running
        finally:
            reading.cancel()


def interrupt(running):
    running.send_signal(signal.SIGINT)
