"""The client of PyPI's websockets against `heartwire endpoint`: every behaviour, as that client sees it."""

import asyncio
import contextlib
import json
import signal
import time
import urllib.parse

from websockets.asyncio.client import connect as ws_connect
from websockets.client import ClientProtocol
from websockets.exceptions import (
    ConnectionClosedError, ConnectionClosedOK, InvalidHandshake, InvalidMessage, InvalidStatus)
from websockets.frames import Opcode
from websockets.uri import parse_uri

from harness import Program, endpoint, equal, holds, run_program, wait

URL = None


def connect(query="", **options):
    options.setdefault("ping_interval", None)
    return ws_connect(URL + query, open_timeout=options.pop("open_timeout", 5), **options)


class Frames:
    """The protocol of websockets without its automation: every frame can be seen."""

    def __init__(self, reader, writer, protocol):
        self.reader, self.writer, self.protocol = reader, writer, protocol
        self.waiting = []

    @classmethod
    @contextlib.asynccontextmanager
    async def connect(cls, query=""):
        uri = parse_uri(URL + query)
        reader, writer = await wait(asyncio.open_connection(uri.host, uri.port))
        self = cls(reader, writer, ClientProtocol(uri))
        try:
            self.protocol.send_request(self.protocol.connect())
            self.flush()
            await self.next()
            if self.protocol.handshake_exc is not None:
                raise self.protocol.handshake_exc
            yield self
        finally:
            writer.close()

    def flush(self):
        for data in self.protocol.data_to_send():
            if data:
                self.writer.write(data)

    async def next(self, seconds=5):
        """The next event; None at the end of the stream."""
        while not self.waiting:
            data = await wait(self.reader.read(1 << 16), seconds)
            if data:
                self.protocol.receive_data(data)
            else:
                self.protocol.receive_eof()
            self.flush()
            self.waiting += self.protocol.events_received()
            if not data and not self.waiting:
                return None
        return self.waiting.pop(0)

    async def pong(self, seconds=5):
        frame = await self.next(seconds)
        equal(frame.opcode, Opcode.PONG, "opcode")
        return bytes(frame.data)

    async def nothing(self, seconds):
        try:
            event = await self.next(seconds)
        except asyncio.TimeoutError:
            return
        raise AssertionError(f"expected nothing, saw {event}")

    def ping(self, payload):
        self.protocol.send_ping(payload)
        self.flush()


async def closed(socket, code, reason=""):
    """Waits for the server's Close frame."""
    with contextlib.suppress(ConnectionClosedOK, ConnectionClosedError):
        await wait(socket.recv())
        raise AssertionError("a message came instead of the close")
    await wait(socket.wait_closed())
    received = socket.protocol.close_rcvd
    holds(received is not None, "no Close frame came")
    equal((received.code, received.reason), (code, reason), "Close frame")


async def refused(query, status):
    try:
        async with connect(query):
            raise AssertionError("the connection opened")
    except InvalidStatus as error:
        equal(error.response.status_code, status, "status")
        return error.response


async def pong_on():
    """pong=on: a ping is answered, also with 125 bytes"""
    async with connect("?pong=on") as socket:
        await wait(await socket.ping())
        await wait(await socket.ping(b"x" * 125))


async def pong_default():
    """no query: pings are answered and messages come back"""
    async with connect() as socket:
        await wait(await socket.ping())
        await socket.send("a")
        equal(await wait(socket.recv()), "a")


async def pong_off():
    """pong=off: no pong comes, messages still do"""
    async with connect("?pong=off") as socket:
        pong = await socket.ping()
        await socket.send("a")
        equal(await wait(socket.recv()), "a")
        holds(not pong.done(), "a pong came")


async def pong_double():
    """pong=double: two pongs with the ping's payload"""
    async with Frames.connect("?pong=double") as frames:
        frames.ping(b"once")
        equal(await frames.pong(), b"once")
        equal(await frames.pong(), b"once")
        await frames.nothing(0.2)


async def pong_wrong():
    """pong=wrong: one pong with another payload"""
    async with Frames.connect("?pong=wrong") as frames:
        for payload in (b"right", b""):
            frames.ping(payload)
            holds(await frames.pong() != payload, "the payload is right")
        await frames.nothing(0.2)


async def pong_late():
    """pong=late:300: the pong comes 300 ms later, messages meanwhile"""
    async with connect("?pong=late:300") as socket:
        begun = time.monotonic()
        pong = await socket.ping()
        await socket.send("meanwhile")
        equal(await wait(socket.recv()), "meanwhile")
        holds(not pong.done(), "the pong came at once")
        await wait(pong)
        elapsed = time.monotonic() - begun
        holds(0.3 <= elapsed < 2, f"the pong came after {elapsed:.3f} s")


async def echo_on():
    """echo=on: text and binary of 0 to 65,537 bytes come back as they were"""
    async with connect("?echo=on", max_size=None) as socket:
        for size in (0, 1, 125, 126, 127, 65_535, 65_536, 65_537):
            for message in ("x" * size, b"\x00" * size):
                await socket.send(message)
                equal(await wait(socket.recv()), message)


async def echo_large():
    """echo=on: 1 MiB comes back, in one frame or in many"""
    async with connect("?echo=on", max_size=None) as socket:
        text = "äx\n" * (1 << 18)
        await socket.send(text)
        holds(await wait(socket.recv()) == text, "the text differs")
        pieces = [bytes([n]) * 4_096 for n in range(256)]
        await socket.send(iter(pieces))
        holds(await wait(socket.recv()) == b"".join(pieces), "the fragments differ")


async def echo_order():
    """echo=on: 5,000 messages in flight come back in order"""
    async with connect("?echo=on") as socket:
        async def send():
            for number in range(5_000):
                await socket.send(str(number))
        sending = asyncio.ensure_future(send())
        for number in range(5_000):
            equal(await wait(socket.recv()), str(number))
        await sending


async def echo_off():
    """echo=off: nothing comes back, pings are answered"""
    async with connect("?echo=off") as socket:
        await socket.send("a")
        await wait(await socket.ping())
        try:
            await wait(socket.recv(), 0.2)
        except asyncio.TimeoutError:
            return
        raise AssertionError("the message came back")


async def hello():
    """hello=3x10: three texts of ten characters come at once"""
    async with connect("?hello=3x10") as socket:
        for _ in range(3):
            message = await wait(socket.recv())
            holds(isinstance(message, str) and len(message) == 10, f"saw {message!r}")
        await socket.send("then")
        equal(await wait(socket.recv()), "then")


async def hello_many():
    """hello=10000x100: many messages come, none is lost"""
    async with connect("?hello=10000x100") as socket:
        for _ in range(10_000):
            equal(len(await wait(socket.recv())), 100, "length")


async def close_code():
    """close=CODE: each lawful code arrives"""
    for code in (1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014, 3000, 4999):
        async with connect(f"?close={code}") as socket:
            await closed(socket, code)


async def close_reason():
    """close=CODE:reason@MS: code, reason and time hold"""
    reason = "später: a&b@7 "
    async with connect(f"?close=4400:{urllib.parse.quote(reason)}@200") as socket:
        begun = time.monotonic()
        await closed(socket, 4400, reason)
        holds(0.15 <= time.monotonic() - begun < 2, "not after 200 ms")


async def close_none():
    """close=none: an empty Close frame"""
    async with Frames.connect("?close=none") as frames:
        frame = await frames.next()
        equal((frame.opcode, bytes(frame.data)), (Opcode.CLOSE, b""), "frame")


async def close_unlawful():
    """close=1005, close=0: codes that may not stand on the wire do stand there"""
    for code in (0, 999, 1005, 1006, 1015, 65_535):
        async with connect(f"?close={code}") as socket:
            try:
                await wait(socket.recv())
                raise AssertionError("a message came")
            except ConnectionClosedError as error:
                equal(error.sent.code, 1002, f"the client's answer to {code}")


async def close_after_hello():
    """hello and close: the messages come first"""
    async with connect("?hello=100x1000&close=1001") as socket:
        for _ in range(100):
            await wait(socket.recv())
        await closed(socket, 1001)


async def close_by_client():
    """a client's Close frame is answered with its code"""
    socket = await connect()
    await wait(socket.close(4000, "bye"))
    equal(socket.protocol.close_rcvd.code, 4000, "code of the answer")


async def drop_fin():
    """drop=fin@100: the stream ends without a Close frame"""
    async with connect("?drop=fin@100") as socket:
        try:
            await wait(socket.recv())
            raise AssertionError("a message came")
        except ConnectionClosedError as error:
            equal(error.rcvd, None, "Close frame")


async def drop_rst():
    """drop=rst: the connection is reset"""
    reader, writer = await raw_open("/?drop=rst@100")
    try:
        while await wait(reader.read(4096)):
            pass
        raise AssertionError("the stream ended with FIN")
    except ConnectionResetError:
        pass
    finally:
        writer.close()


async def freeze():
    """freeze@200: works before, then neither answers nor ends"""
    async with Frames.connect("?freeze@200") as frames:
        frames.protocol.send_text(b"before")
        frames.flush()
        equal(bytes((await frames.next()).data), b"before")
        await asyncio.sleep(0.3)
        frames.protocol.send_text(b"after")
        frames.ping(b"p")
        await frames.nothing(0.4)


async def refuse_status():
    """refuse=STATUS: the HTTP answer has the status and a body"""
    for status in (200, 204, 301, 400, 401, 403, 404, 426, 429, 500, 503, 599):
        response = await refused(f"?refuse={status}", status)
        holds("Retry-After" not in response.headers, "Retry-After without being asked for")


async def refuse_retry_after():
    """refuse=503&retry-after=7: the header field says 7"""
    response = await refused("?refuse=503&retry-after=7", 503)
    equal(response.headers.get("Retry-After"), "7", "Retry-After")


async def refuse_reset():
    """refuse=reset: reset instead of an answer"""
    try:
        async with connect("?refuse=reset"):
            raise AssertionError("the connection opened")
    except (ConnectionResetError, InvalidMessage) as error:
        cause = error if isinstance(error, ConnectionResetError) else error.__cause__
        holds(isinstance(cause, (ConnectionResetError, EOFError)), f"saw {cause!r}")


async def refuse_silence():
    """refuse=silence: no answer within the client's patience"""
    try:
        async with connect("?refuse=silence", open_timeout=0.4):
            raise AssertionError("the connection opened")
    except TimeoutError:
        pass


async def refuse_garbage():
    """refuse=garbage: the answer is no HTTP"""
    try:
        async with connect("?refuse=garbage"):
            raise AssertionError("the connection opened")
    except InvalidMessage:
        pass


async def refuse_bad_accept():
    """refuse=badaccept: the client finds the wrong Sec-WebSocket-Accept"""
    try:
        async with connect("?refuse=badaccept"):
            raise AssertionError("the connection opened")
    except InvalidHandshake as error:
        holds("Sec-WebSocket-Accept" in str(error), f"saw {error!r}")


async def delay():
    """delay=300: the handshake takes 300 ms, and then works"""
    begun = time.monotonic()
    async with connect("?delay=300") as socket:
        elapsed = time.monotonic() - begun
        holds(0.3 <= elapsed < 2, f"it took {elapsed:.3f} s")
        await socket.send("a")
        equal(await wait(socket.recv()), "a")


async def delay_refuse():
    """delay and refuse: the refusal comes late"""
    begun = time.monotonic()
    await refused("?delay=200&refuse=403", 403)
    holds(time.monotonic() - begun >= 0.2, "it came at once")


async def unknown():
    """unknown keys and values: HTTP 400 and a line that says why"""
    for query, why in (
            ("?bogus=1", b"bogus: unknown key"), ("?pong=maybe", b"pong: expected"),
            ("?echo=on&echo=off", b"echo: may be given only once"),
            ("?refuse=403&echo=on", b"echo: contradicts refuse"),
            ("?close=70000", b"close: expected"), ("?hello=0x1", b"hello: expected"),
            ("?retry-after=1", b"retry-after: stands only beside refuse"),
            ("?freeze=x", b"freeze: expected"), ("?delay=-1", b"delay: expected"),
            ("?drop=gone", b"drop: expected")):
        body = (await refused(query, 400)).body
        holds(body.startswith(why) and body.count(b"\n") == 1, f"{query}: saw {body!r}")


async def any_path():
    """the path says nothing: /any/path?echo=off"""
    async with ws_connect(f"{URL}any/path?hello=1x2", open_timeout=5) as socket:
        equal(len(await wait(socket.recv())), 2, "length")


async def default_behaviour():
    """--behaviour: for clients without a query, the others choose"""
    async with endpoint("--behaviour", "hello=1x7&echo=off") as (url, _):
        async with ws_connect(url, open_timeout=5) as socket:
            equal(len(await wait(socket.recv())), 7, "length")
        async with ws_connect(f"{url}?echo=on", open_timeout=5) as socket:
            await socket.send("a")
            equal(await wait(socket.recv()), "a")


async def plain_http():
    """a plain HTTP request gets an answer, 426 or 400"""
    reader, writer = await raw_open("/", upgrade=False)
    line = await wait(reader.readline())
    holds(line.split()[1] in (b"426", b"400"), f"saw {line!r}")
    writer.close()


async def journal():
    """the journal is JSON Lines, in order, without contents"""
    async with Program.start("endpoint") as running:
        url = (await running.line()).removeprefix("listening ").strip()
        async with ws_connect(f"{url}?hello=1x5", open_timeout=5) as socket:
            await wait(socket.recv())
            await socket.send("canary-7f3a")
            await wait(socket.recv())
        events = []
        while not events or events[-1]["event"] != "ended":
            line = await running.line()
            holds("canary" not in line, "a message is in the journal")
            events.append(json.loads(line))
        names = [event["event"] for event in events]
        equal(names, ["accepted", "requested", "opened", "message", "close-received",
                      "close-sent", "ended"], "events")
        equal(events[3]["bytes"], 11, "bytes")
        holds(all(event["connection"] == 1 for event in events), "not connection 1")


async def quiet():
    """--quiet: nothing but the first line"""
    async with Program.start("endpoint", "--quiet") as running:
        url = (await running.line()).removeprefix("listening ").strip()
        async with ws_connect(url, open_timeout=5) as socket:
            await socket.send("a")
            await wait(socket.recv())
        running.send_signal(signal.SIGINT)
        (await running.end()).expect(130, output=b"", diagnostics=())


async def stop_signals():
    """Ctrl-C and SIGTERM: 1001 to who is connected, exit status 130 and 143"""
    for number, status in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
        async with Program.start("endpoint", "--quiet") as running:
            url = (await running.line()).removeprefix("listening ").strip()
            async with ws_connect(url, open_timeout=5) as socket:
                running.send_signal(number)
                await closed(socket, 1001, "the endpoint stops")
            (await running.end()).expect(status)


async def busy_port():
    """a busy port: exit status 1 and a line that says what to do"""
    port = urllib.parse.urlsplit(URL).port
    ran = await run_program("endpoint", "--port", str(port))
    ran.expect(1, output=b"", diagnostics=[f"port {port} on 127.0.0.1 is in use: choose another"])


async def broken_pipe():
    """a reader of the journal that goes away: exit status 0, quietly"""
    async with Program.start("endpoint") as running:
        url = (await running.line()).removeprefix("listening ").strip()
        running.process._transport.get_pipe_transport(1).close()
        # It may have heard of that, and be ending, before the handshake or even the connection is through.
        with contextlib.suppress(
                ConnectionClosedError, ConnectionClosedOK, InvalidMessage, ConnectionError):
            async with ws_connect(url, open_timeout=5) as socket:
                await wait(socket.wait_closed())
        equal(await wait(running.process.wait()), 0, "exit status")
        equal(await wait(asyncio.shield(running._errors)), b"", "standard error")


async def raw_open(target, upgrade=True):
    """A bare TCP connection that has sent an opening request."""
    parts = urllib.parse.urlsplit(URL)
    reader, writer = await wait(asyncio.open_connection(parts.hostname, parts.port))
    request = f"GET {target} HTTP/1.1\r\nHost: {parts.netloc}\r\n"
    if upgrade:
        request += ("Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n")
    writer.write(f"{request}\r\n".encode())
    return reader, writer


CHECKS = [
    pong_on, pong_default, pong_off, pong_double, pong_wrong, pong_late, echo_on, echo_large,
    echo_order, echo_off, hello, hello_many, close_code, close_reason, close_none, close_unlawful,
    close_after_hello, close_by_client, drop_fin, drop_rst, freeze, refuse_status,
    refuse_retry_after, refuse_reset, refuse_silence, refuse_garbage, refuse_bad_accept, delay,
    delay_refuse, unknown, any_path, default_behaviour, plain_http, journal, quiet, stop_signals,
    busy_port, broken_pipe,
]


async def run(checks):
    global URL
    async with endpoint() as (url, _):
        URL = url
        await checks.run(CHECKS)
