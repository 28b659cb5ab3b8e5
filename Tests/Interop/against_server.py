"""`heartwire connect` and `heartwire accept --url` against the server of PyPI's websockets."""

import asyncio
import base64
import contextlib
import http
import json
import os
import signal
import tempfile
import time

from websockets.asyncio.server import serve

from harness import Program, Skip, equal, holds, run_program, wait


@contextlib.asynccontextmanager
async def server(handler, **options):
    """A server on a free port; gives its URL."""
    options.setdefault("max_size", None)
    async with serve(handler, "127.0.0.1", 0, **options) as serving:
        yield f"ws://127.0.0.1:{serving.sockets[0].getsockname()[1]}/"


async def echoing(socket):
    async for message in socket:
        await socket.send(message)


def closing(code, reason=""):
    async def handler(socket):
        await socket.close(code, reason)
    return handler


async def connect_echo():
    """connect: lines go out, answers come back, 1000 closes"""
    seen = {}

    async def handler(socket):
        await echoing(socket)
        seen["code"] = socket.close_code

    async with server(handler) as url:
        ran = await run_program("connect", url, data="a\nsüß\n\nlast".encode())
        ran.expect(0, "a\nsüß\n\nlast\n".encode(),
                   [f"connecting to {url}", "open", "closing",
                    "closed by the app (1000), the peer answered 1000"])
    equal(seen["code"], 1000, "the code that the server saw")


async def connect_reply_after_eof():
    """connect: an answer 500 ms after the end of the input is printed"""
    async def handler(socket):
        async for message in socket:
            await asyncio.sleep(0.5)
            await socket.send(f"late {message}")

    async with server(handler) as url:
        (await run_program("connect", url, data=b"a\n")).expect(0, b"late a\n")


async def connect_until_close():
    """connect --until-close: waits for the server's close"""
    async def handler(socket):
        for number in range(3):
            await asyncio.sleep(0.2)
            await socket.send(str(number))
        await socket.close(1000, "done")

    async with server(handler) as url:
        ran = await run_program("connect", "--until-close", url)
        ran.expect(0, b"0\n1\n2\n", ['closed by the peer: 1000 "done"'])


async def connect_linger_zero():
    """connect --linger 0: closes at once behind what was queued"""
    seen = []

    async def handler(socket):
        async for message in socket:
            seen.append(message)

    async with server(handler) as url:
        begun = time.monotonic()
        data = b"".join(b"%d\n" % number for number in range(2_000))
        (await run_program("connect", "--linger", "0", url, data=data)).expect(0, b"")
        holds(time.monotonic() - begun < 5, "it took too long")
    equal(seen, [str(number) for number in range(2_000)], "messages")


async def connect_close_codes():
    """connect --no-reconnect: 0 for 1000 and no code, 6 for all else, with code and reason"""
    for code, reason, status, line in (
            (1000, "bye", 0, 'closed by the peer: 1000 "bye"'),
            (1001, "", 6, "closed by the peer: 1001"), (1008, "no", 6, '1008 "no"'),
            (1011, "oops", 6, '1011 "oops"'), (4400, "bad json", 6, '4400 "bad json"'),
            (4000, "\x1b[31mred", 6, '4000 "\\u{1B}[31mred"')):
        async with server(closing(code, reason)) as url:
            ran = await run_program("connect", "--no-reconnect", "--until-close", url)
            ran.expect(status, b"", [line])
            holds("\x1b" not in ran.diagnostics, "a terminal escape came through")


async def connect_no_code():
    """connect --no-reconnect: a Close frame without a code is told and is a good end"""
    async def handler(socket):
        async with socket.send_context():
            socket.protocol.send_close()
        await socket.wait_closed()

    async with server(handler) as url:
        ran = await run_program("connect", "--no-reconnect", "--until-close", url)
        ran.expect(0, b"", ["closed by the peer: no code"])


async def connect_dropped():
    """connect --no-reconnect: the end of the stream without a Close frame is a failure"""
    async def handler(socket):
        socket.transport.abort()

    async with server(handler) as url:
        ran = await run_program("connect", "--no-reconnect", "--until-close", url)
        ran.expect(6, b"", ["connection lost: "])


async def connect_subprotocol():
    """connect --subprotocol: the server's choice is told"""
    async with server(echoing, subprotocols=["chat.v2", "chat.v1"]) as url:
        ran = await run_program("connect", "--subprotocol", "chat.v1,chat.v2", url, data=b"a\n")
        ran.expect(0, b"a\n", ["open, subprotocol chat.v"])


async def connect_header():
    """connect --header: fields of one's own reach the server, in order"""
    seen = {}

    async def handler(socket):
        seen["tags"] = socket.request.headers.get_all("X-Tag")
        seen["authorization"] = socket.request.headers.get("Authorization")

    async with server(handler) as url:
        ran = await run_program(
            "connect", "--no-reconnect", "--until-close", "--header", "X-Tag: a: b", "--header",
            "X-Tag:c", url.replace("ws://", "ws://user:pass@"))
        holds("pass" not in ran.diagnostics, "the password is on the standard error")
        ran.expect(0)
    equal(seen["tags"], ["a: b", "c"], "X-Tag")
    credentials = base64.b64encode(b"user:pass").decode()
    equal(seen["authorization"], f"Basic {credentials}", "Authorization")


async def connect_server_ping():
    """connect: the server's pings are answered, also while nothing else happens"""
    seen = []

    async def handler(socket):
        for _ in range(3):
            seen.append(await wait(await socket.ping(), 5))
            await asyncio.sleep(0.05)

    async with server(handler, ping_interval=0.1, ping_timeout=2) as url:
        (await run_program("connect", "--no-reconnect", "--until-close", url)).expect(0, b"")
    equal(len(seen), 3, "pongs")


async def connect_heartbeat():
    """connect --interval: the heartbeat pings the server and is satisfied"""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "journal")
        async with server(echoing) as url:
            ran = await run_program(
                "connect", "--interval", "50", "--timeout", "2s", "--linger", "600", "--journal",
                path, url, data=b"canary-7f3a\n")
            ran.expect(0, b"canary-7f3a\n")
        with open(path, encoding="utf-8") as file:
            text = file.read()
    kinds = [json.loads(line)["kind"] for line in text.splitlines()]
    holds(kinds.count("pong-received") >= 3, f"pongs: {kinds.count('pong-received')}")
    holds(kinds.count("closed") == 1, "not one cause")
    holds("canary" not in text, "a message is in the journal")


async def connect_large():
    """connect: a line of 1 MiB is one message, both ways"""
    sizes = []

    async def handler(socket):
        async for message in socket:
            sizes.append(len(message))
            await socket.send(message)

    async with server(handler) as url:
        data = b"x" * (1 << 20)
        ran = await run_program("connect", url, data=data + b"\n")
        holds(ran.output == data + b"\n", f"the output has {len(ran.output)} bytes")
        ran.expect(0)
    equal(sizes, [1 << 20], "messages")


async def connect_many():
    """connect: 20,000 lines come back in order"""
    async with server(echoing) as url:
        data = b"".join(b"line %d\n" % number for number in range(20_000))
        ran = await run_program("connect", url, data=data, seconds=25)
        holds(ran.output == data, f"the output has {len(ran.output)} of {len(data)} bytes")
        ran.expect(0)


async def connect_fragmented():
    """connect: a message in fragments is printed whole, with a ping in between"""
    async def handler(socket):
        async def pieces():
            for piece in ("a", "", "ß" * 1_000, "z"):
                yield piece
                await socket.ping()
        await socket.send(pieces())

    async with server(handler) as url:
        ran = await run_program("connect", "--no-reconnect", "--until-close", url)
        ran.expect(0, f"a{'ß' * 1_000}z\n".encode())


async def connect_binary():
    """connect --binary: bytes go out and come back unaltered"""
    kinds = []

    async def handler(socket):
        async for message in socket:
            kinds.append(type(message))
            await socket.send(message)

    async with server(handler) as url:
        ran = await run_program("connect", "--binary", url, data=b"\x00\xff\r\nb\n")
        ran.expect(0, b"\x00\xff\rb")
        ran = await run_program("connect", "--binary", "--format=json", url, data=b"\x00\xff\n")
        equal(json.loads(ran.output), {"type": "binary", "base64": "AP8="}, "JSON")
    equal(kinds, [bytes, bytes, bytes], "types")


async def connect_refused_status():
    """connect: an HTTP refusal exits 4 with status, fields and escaped body"""
    def refuse(connection, request):
        response = connection.respond(http.HTTPStatus.TOO_MANY_REQUESTS, "slow\x1b[2J down\n")
        response.headers["Retry-After"] = "7"
        return response

    async with server(echoing, process_request=refuse) as url:
        ran = await run_program("connect", url, data=b"a\n")
        ran.expect(4, b"", ["HTTP 429 Too Many Requests", "Retry-After: 7", "slow\\u{1b}[2J down"])
        holds("\x1b" not in ran.diagnostics, "a terminal escape came through")


async def connect_refused_port():
    """connect: a refused port exits 1 at once and says so"""
    async with server(echoing) as url:
        pass
    (await run_program("connect", url, data=b"a\n")).expect(1, b"", ["connection refused"])


async def connect_again():
    """connect: a connection that the server closes is made anew, lines wait for it"""
    seen = []

    async def handler(socket):
        seen.append([])
        async for message in socket:
            seen[-1].append(message)
            if message == "restart":
                return await socket.close(1012, "restarting")
            await socket.send(message)

    async with server(handler) as url:
        async with Program.start("connect", url) as running:
            await running.feed(b"first\n")
            equal(await running.line(), "first\n")
            await running.feed(b"restart\n")
            await asyncio.sleep(0.3)
            await running.feed(b"second\n")
            equal(await running.line(), "second\n")
            running.end_input()
            (await running.end()).expect(
                0, b"", ['1012 "restarting"; attempt 1 follows in 1.', ", attempt 1", "open"])
    equal(seen, [["first", "restart"], ["second"]], "messages")


async def connect_policy():
    """connect: a close that asks not to come back ends the session"""
    async with server(closing(1008, "banned")) as url:
        ran = await run_program("connect", "--until-close", url)
        ran.expect(6, b"", ['closed by the peer: 1008 "banned"'])


async def connect_unsent():
    """connect: lines that could not be sent are counted, and the status tells why they were not"""
    requests = []

    def refuse_second(connection, request):
        requests.append(request.path)
        if len(requests) == 2:
            return connection.respond(http.HTTPStatus.FORBIDDEN, "no more")
        return None

    async def handler(socket):
        await socket.recv()
        await socket.close(1012)

    async with server(handler, process_request=refuse_second) as url:
        async with Program.start("connect", url) as running:
            await running.feed(b"a\n")
            await asyncio.sleep(0.5)
            await running.feed(b"b\nc\n")
            (await running.end()).expect(
                4, b"", ["1012", "2 lines of the input could not be sent", "HTTP 403 Forbidden"])


async def connect_interrupt():
    """connect: Ctrl-C closes with 1001 and exits 130; SIGTERM 143"""
    for number, status in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
        codes = []

        async def handler(socket):
            await echoing(socket)
            codes.append(socket.close_code)

        async with server(handler) as url:
            async with Program.start("connect", url) as running:
                await running.feed(b"a\n")
                equal(await running.line(), "a\n")
                running.send_signal(number)
                (await running.end()).expect(status)
        equal(codes, [1001], "the code that the server saw")


async def connect_second_interrupt():
    """connect: a second Ctrl-C ends at once though the server answers no close"""
    over = asyncio.Event()

    async def handler(socket):
        await socket.send("ready")
        socket.transport.pause_reading()
        await over.wait()
        socket.transport.abort()

    async with server(handler) as url:
        async with Program.start("connect", url) as running:
            equal(await running.line(), "ready\n")
            begun = time.monotonic()
            running.send_signal(signal.SIGINT)
            await asyncio.sleep(0.2)
            holds(running.process.returncode is None, "the first one did not wait for the close")
            running.send_signal(signal.SIGINT)
            equal(await wait(running.process.wait()), 130, "exit status")
            holds(time.monotonic() - begun < 2, "it waited for the close")
        over.set()


async def connect_broken_pipe():
    """connect: a reader of the output that goes away ends the session, exit status 0"""
    codes = []

    async def handler(socket):
        with contextlib.suppress(Exception):
            while True:
                await socket.send("tick")
                await asyncio.sleep(0.05)
        codes.append(socket.close_code)

    async with server(handler) as url:
        async with Program.start("connect", url) as running:
            equal(await running.line(), "tick\n")
            running.process._transport.get_pipe_transport(1).close()
            equal(await wait(running.process.wait()), 0, "exit status")
        await asyncio.sleep(0.2)
    equal(codes, [1000], "the code that the server saw")


async def accept_url():
    """accept --url: the list against a foreign server passes or skips"""
    async with server(echoing) as url:
        ran = await run_program("accept", "--url", url, "--format", "json", seconds=29)
    if ran.status == 2:
        raise Skip("accept does not know --format yet")
    report = json.loads(ran.output)
    if not report["scenarios"]:
        raise Skip("accept has no scenarios yet")
    failed = [f"{row['id']}: {row['detail']}" for row in report["scenarios"]
              if row["verdict"] == "fail"]
    equal(failed, [], "failed scenarios")
    passed = [row["id"] for row in report["scenarios"] if row["verdict"] == "pass"]
    holds(passed, "every scenario was skipped")
    unexplained = [row["id"] for row in report["scenarios"]
                   if row["verdict"] == "skip" and not row["detail"]]
    equal(unexplained, [], "skipped without a reason")
    equal((report["version"], report["verdict"], ran.status), (1, "pass", 0), "verdict")


CHECKS = [
    connect_echo, connect_reply_after_eof, connect_until_close, connect_linger_zero,
    connect_close_codes, connect_no_code, connect_dropped, connect_subprotocol, connect_header,
    connect_server_ping, connect_heartbeat, connect_large, connect_many, connect_fragmented,
    connect_binary, connect_refused_status, connect_refused_port, connect_again, connect_policy,
    connect_unsent, connect_interrupt, connect_second_interrupt, connect_broken_pipe, accept_url,
]


async def run(checks):
    await checks.run(CHECKS)
