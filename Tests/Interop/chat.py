"""Two people talk by the example's chat, over `heartwire endpoint`, whatever becomes of their connections."""

import asyncio
import contextlib
import os
import sys

import harness
from harness import Program, endpoint, equal, free_port, holds, interrupt, wait

# Built by `make test`.
CHAT = os.environ.get("CHAT", str(harness.ROOT / ".build/debug/Chat"))
ROOM = "?echo=all"


class Person:
    """One run of the chat."""

    def __init__(self, name, running):
        self.name, self.running = name, running
        self.notes, self.heard = [], []
        self._reading = [
            asyncio.ensure_future(self.read(running.stderr, self.notes)),
            asyncio.ensure_future(self.read(running.stdout, self.heard)),
        ]

    @classmethod
    @contextlib.asynccontextmanager
    async def start(cls, name, url):
        pipe = asyncio.subprocess.PIPE
        running = await asyncio.create_subprocess_exec(
            CHAT, url, name, stdin=pipe, stdout=pipe, stderr=pipe)
        person = cls(name, running)
        try:
            yield person
        finally:
            if running.returncode is None:
                running.kill()
            await running.wait()
            for reading in person._reading:
                reading.cancel()

    @staticmethod
    async def read(stream, lines):
        while line := await stream.readline():
            lines.append(line.decode().removesuffix("\n"))

    async def say(self, *lines):
        for line in lines:
            self.running.stdin.write(f"{line}\n".encode())
        await wait(self.running.stdin.drain())

    async def sees(self, what, count=1, seconds=20):
        """Waits until so many notes hold `what`."""
        for _ in range(int(seconds * 50)):
            if sum(what in note for note in self.notes) >= count:
                return
            await asyncio.sleep(0.02)
        raise AssertionError(f"{self.name} never saw {what!r} {count} times: {self.notes[-20:]}")

    async def hears(self, lines, seconds=20):
        """Waits for these lines, in whatever order, each once."""
        for _ in range(int(seconds * 50)):
            if len(self.heard) >= len(lines):
                break
            await asyncio.sleep(0.02)
        equal(sorted(self.heard), sorted(lines), f"what {self.name} heard")

    async def ends(self, status=0):
        equal(await wait(self.running.wait(), 15), status, f"{self.name}'s status")
        for reading in self._reading:
            await wait(asyncio.shield(reading))


@contextlib.asynccontextmanager
async def two(alices, bobs):
    async with Person.start("alice", alices) as alice, Person.start("bob", bobs) as bob:
        await alice.sees("-- bob is here")
        await bob.sees("-- alice is here")
        yield alice, bob


async def talk():
    """chat: two people talk: each line arrives in order, and its author sees that it has"""
    async with endpoint() as (url, _), two(url + ROOM, url + ROOM) as (alice, bob):
        await alice.say("hello", "how are you?")
        await bob.hears(["alice: hello", "alice: how are you?"])
        equal(bob.heard, ["alice: hello", "alice: how are you?"], "the order")
        await bob.say("fine")
        await alice.hears(["bob: fine"])
        await alice.sees("-- ✓✓ hello")
        await alice.sees("-- ✓✓ how are you?")
        await bob.sees("-- ✓✓ fine")
        # States begin with the present one, so a connection that is fast enough is never seen to be made.
        holds("-- connected" in alice.notes, alice.notes)
        alice.running.stdin.close()
        await alice.ends()
        await bob.sees("-- alice has left")
        interrupt(bob.running)
        await bob.ends()


async def drops():
    """chat: the endpoint resets one's connections again and again: nothing is lost, nothing comes twice"""
    async with endpoint() as (url, _), two(
            url + ROOM + "&drop=rst@400", url + ROOM) as (alice, bob):
        said = {alice: [], bob: []}
        for number in range(40):
            for person in (alice, bob):
                said[person].append(f"{person.name}'s {number}")
                await person.say(said[person][-1])
            await asyncio.sleep(0.05)
        await alice.sees("again in", 2)
        await bob.hears([f"alice: {line}" for line in said[alice]])
        await alice.hears([f"bob: {line}" for line in said[bob]])
        for person, lines in said.items():
            for line in lines:
                await person.sees(f"-- ✓✓ {line}")


async def restart():
    """chat: the endpoint is killed and comes back: what was said meanwhile arrives, from both"""
    port = str(free_port())
    async with contextlib.AsyncExitStack() as stack:
        async with Program.start("endpoint", "--port", port) as first:
            url = (await first.line()).removeprefix("listening ").strip() + ROOM
            alice, bob = await stack.enter_async_context(two(url, url))
            await alice.say("before")
            await bob.hears(["alice: before"])
            first.process.kill()
            await wait(first.process.wait())
        await alice.sees("again in")
        await bob.sees("again in")
        await alice.say("meanwhile")
        await bob.say("likewise")
        async with endpoint("--port", port):
            await bob.hears(["alice: before", "alice: meanwhile"])
            await alice.hears(["bob: likewise"])
            await alice.sees("-- ✓✓ meanwhile")
            await bob.sees("-- ✓✓ likewise")
            for person in (alice, bob):
                person.running.stdin.close()
                await person.ends()


async def latecomer():
    """chat: who comes later hears what was said before"""
    async with endpoint() as (url, _), Person.start("alice", url + ROOM) as alice:
        await alice.sees("-- connected")
        await alice.say("is anybody here?")
        await alice.sees("-- ✓ is anybody here?")
        async with Person.start("bob", url + ROOM) as bob:
            await bob.hears(["alice: is anybody here?"])
            await alice.sees("-- ✓✓ is anybody here?")


async def nobody():
    """chat: a line that nobody hears is told at the end, with status 1"""
    async with endpoint() as (url, _), Person.start("alice", url + ROOM) as alice:
        await alice.say("hello?")
        alice.running.stdin.close()
        await alice.ends(1)
        holds("-- 1 of your lines nobody has heard" in alice.notes, alice.notes)


async def impatient():
    """chat: the first Ctrl-C waits for what was said to be heard, the second for nothing"""
    async with Person.start("alice", f"ws://127.0.0.1:{free_port()}/") as alice:
        await alice.say("hello?")
        await alice.sees("again in")
        interrupt(alice.running)
        await asyncio.sleep(0.3)
        equal(alice.running.returncode, None, "the status after the first")
        interrupt(alice.running)
        await alice.ends(130)


async def misuse():
    """chat: a wrong call is status 2, with a line that says what is right"""
    for arguments in [[], ["ws://h/"], ["ws://h/", ""], ["http://h/", "alice"]]:
        running = await asyncio.create_subprocess_exec(
            CHAT, *arguments, stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE)
        output, errors = await wait(running.communicate())
        equal((running.returncode, output, errors.count(b"\n")), (2, b"", 1), f"{arguments}")


async def run(checks):
    if not os.access(CHAT, os.X_OK):
        sys.exit(f"interop: no program at {CHAT}: run 'swift build --product Chat', or set CHAT")
    await checks.run([talk, drops, restart, latecomer, nobody, impatient, misuse])
