"""The attacks: what is sent, what has to come of it, and how much memory it may cost.

An attack is a function of whether its frames have to be masked (against the endpoint) that gives pieces of
bytes. Each is made once against `heartwire connect` and once against `heartwire endpoint`, as far as it
makes sense there.
"""

import os
from dataclasses import dataclass, field
from typing import Callable

from wire import (
    BINARY, CLOSE, COMPRESSED, FRAGMENTS, HEAD_BYTES, HEAD_LINES, KIB, MESSAGE_BYTES, MIB, PING,
    TEXT, deflated, frame, header, padded, pieces, request, switching)

DEFLATE = "Sec-WebSocket-Extensions: permessage-deflate"
# What a process may grow by while it takes nothing of what is sent: pages of code that it had not yet
# touched, and buffers of fixed size.
SMALL = 2 * MIB
# What one read of half a MiB may hold of small frames, as events.
EVENTS = 4 * MIB
# OpenSSL itself, with the authorities that the system trusts.
SECURE = 8 * MIB
# A message as long as the limit, in the form in which it is gathered and in that in which it is written.
WHOLE = 3 * MESSAGE_BYTES
# 4 MiB of messages that wait for their reader, and what is written ahead of it.
UNREAD = 8 * MIB


@dataclass
class Attack:
    title: str
    # Bytes of the process's growth that are the most.
    bound: int
    # What has to come of it: a close code, or a piece of what is said; by role.
    client: object = None
    endpoint: object = None
    # What is sent behind the opening handshake.
    frames: Callable = None
    # What is sent instead of a right answer to the handshake, of the request's head.
    answer: Callable = None
    # What is sent instead of a right request.
    asks: Callable = None
    # Further arguments of the program.
    arguments: dict = field(default_factory=dict)
    # Whether compression is agreed on.
    deflate: bool = False
    # Whether what the program sends or prints is left unread meanwhile.
    unread: bool = False
    # How long to wait when nothing is to come of it.
    patience: float = 1.0
    scheme: str = "ws"
    proxy: str = None
    # How many connections make the attack at a time.
    connections: int = 1


TAKEN = "taken"
OPEN = "open"


def repeated(piece, count):
    """`piece` as often as that, in larger writes."""
    def make():
        block = max(1, 64 * KIB // len(piece))
        for start in range(0, count, block):
            yield piece * min(block, count - start)
    return make()


def fragments(count, size, masked):
    yield frame(0x02, b"x" * size, masked)
    yield from repeated(frame(0x00, b"x" * size, masked), count - 2)
    yield frame(0x80, b"x" * size, masked)


def compressed(data, masked):
    yield header(BINARY | COMPRESSED, len(data), masked)
    yield data


def endless(piece, mebibytes):
    return repeated(piece, mebibytes * MIB // len(piece))


def lines(count, start):
    yield start
    yield from repeated(b"X-Y: z\r\n", count)
    yield b"\r\n"


STATUS = b"HTTP/1.1 101 Switching Protocols\r\n"
ASK = b"GET / HTTP/1.1\r\n"

# The heartbeat would give up a server that stands still as soon.
NO_HEARTBEAT = {"client": ["--no-heartbeat"]}

FRAMES = [
    Attack("a length of 2^64 - 1", SMALL, 1002, 1002,
           lambda m: [bytes([BINARY, (m << 7) | 127]) + b"\xff" * 8 + bytes(4 * m)]),
    Attack("a length of 2^63", SMALL, 1002, 1002,
           lambda m: [header(BINARY, 1 << 63, m)]),
    Attack("a length of 2^63 - 1", SMALL, 1009, 1009,
           lambda m: [header(BINARY, (1 << 63) - 1, m)]),
    Attack("4 GiB announced", SMALL, 1009, 1009, lambda m: [header(BINARY, 1 << 32, m)]),
    Attack("a fragment, then one of 2^63 - 1", SMALL, 1009, 1009,
           lambda m: [frame(0x02, b"x", m), header(0x80, (1 << 63) - 1, m)]),
    Attack("16 MiB announced, then silence", SMALL, OPEN, OPEN,
           lambda m: [header(BINARY, MESSAGE_BYTES, m)]),
    Attack("16 MiB announced, then silence for 30 s", SMALL, 1008, 1008,
           lambda m: [header(BINARY, MESSAGE_BYTES, m)], arguments=NO_HEARTBEAT),
    Attack("a header that breaks off, then silence for 30 s", SMALL, 1008, 1008,
           lambda m: [header(BINARY, MESSAGE_BYTES, m)[:3]], arguments=NO_HEARTBEAT),
    Attack("a message of 16 MiB", WHOLE, TAKEN, TAKEN,
           lambda m: pieces(BINARY, MESSAGE_BYTES, m)),
    Attack("a message of 16 MiB and a byte", SMALL, 1009, 1009,
           lambda m: pieces(BINARY, MESSAGE_BYTES + 1, m)),
    Attack("a text of 16 MiB", WHOLE, TAKEN, TAKEN, lambda m: pieces(TEXT, MESSAGE_BYTES, m)),
    Attack("a text of 16 MiB whose last byte is no UTF-8", WHOLE, 1007, 1007,
           lambda m: [*list(pieces(TEXT, MESSAGE_BYTES, m))[:-1], b"x" * (256 * KIB - 1) + b"\xff"]),
    Attack("16 MiB in 64 fragments", WHOLE, TAKEN, TAKEN,
           lambda m: fragments(64, 256 * KIB, m)),
    Attack("16 MiB in 64 fragments, and a 65th of a byte", WHOLE, 1009, 1009,
           lambda m: [*list(fragments(64, 256 * KIB, m))[:-1], frame(0, b"x" * 256 * KIB, m),
                      frame(0x80, b"x", m)]),
    Attack("131,072 fragments of a byte", SMALL, TAKEN, TAKEN,
           lambda m: fragments(FRAGMENTS, 1, m)),
    Attack("131,073 fragments of a byte", SMALL, 1009, 1009,
           lambda m: fragments(FRAGMENTS + 1, 1, m)),
    Attack("4,000,000 empty fragments", SMALL, 1009, 1009,
           lambda m: fragments(4_000_000, 0, m)),
    Attack("1,000,000 pings, no pong read", EVENTS, OPEN, OPEN,
           lambda m: repeated(frame(PING, b"p" * 125, m), 1_000_000), unread=True, patience=2),
    Attack("200,000 messages of 1 KiB, nothing read", UNREAD, OPEN, OPEN,
           lambda m: repeated(frame(BINARY, b"x" * 1_024, m), 200_000), unread=True, patience=2),
    Attack("256 connections, each with 64 KiB of 16 MiB", 32 * MIB, None, OPEN,
           lambda m: [header(BINARY, MESSAGE_BYTES, m) + b"x" * 64 * KIB], connections=256),
    Attack("a frame that is masked, or not, as it must not be", SMALL, 1002, 1002,
           lambda m: [frame(BINARY, b"1234", not m)]),
    Attack("64 MiB behind a Close", SMALL, 1000, 1000,
           lambda m: [frame(CLOSE, b"\x03\xe8", m), *endless(frame(BINARY, b"x" * 64 * KIB, m), 64)]),
    Attack("1,000,000 Close frames", SMALL, 1000, 1000,
           lambda m: repeated(frame(CLOSE, b"\x03\xe8", m), 1_000_000)),
]

EMPTY_BLOCK = b"\x00\x00\x00\xff\xff"
BOMB, FULL, OVER = deflated(1 << 30), deflated(MESSAGE_BYTES), deflated(MESSAGE_BYTES + 1)
DEFLATED = [
    Attack("1 GiB in 1 MiB of deflate", WHOLE, 1009, 1009, lambda m: compressed(BOMB, m),
           deflate=True),
    Attack("16 MiB out of 16 KiB of deflate", WHOLE, TAKEN, TAKEN, lambda m: compressed(FULL, m),
           deflate=True),
    Attack("16 MiB and a byte out of 16 KiB of deflate", WHOLE, 1009, 1009,
           lambda m: compressed(OVER, m), deflate=True),
    Attack("16 MiB of empty blocks", SMALL, TAKEN, TAKEN,
           lambda m: compressed((EMPTY_BLOCK * (MESSAGE_BYTES // len(EMPTY_BLOCK)))[:-4], m),
           deflate=True),
    Attack("19 MiB of empty blocks", SMALL, 1009, 1009,
           lambda m: compressed((EMPTY_BLOCK * (19 * MIB // len(EMPTY_BLOCK)))[:-4], m),
           deflate=True),
    Attack("random bytes for deflate", SMALL, 1007, 1007,
           lambda m: [frame(BINARY | COMPRESSED, b"\xff" * 64 * KIB, m)], deflate=True),
]

REFUSED = "bad opening handshake"
HEADS = [
    Attack("a head of 16,384 bytes", SMALL, OPEN, OPEN,
           answer=lambda head: [padded(lambda *f: switching(head, *f), HEAD_BYTES)],
           asks=lambda: [padded(request, HEAD_BYTES)]),
    Attack("a head of 16,385 bytes", SMALL, REFUSED, "HTTP/1.1 431",
           answer=lambda head: [padded(lambda *f: switching(head, *f), HEAD_BYTES + 1)],
           asks=lambda: [padded(request, HEAD_BYTES + 1)]),
    Attack("128 lines in a head", SMALL, OPEN, OPEN,
           answer=lambda head: [switching(head, *["X: y"] * (HEAD_LINES - 3))],
           asks=lambda: [request(*["X: y"] * (HEAD_LINES - 5))]),
    Attack("129 lines in a head", SMALL, REFUSED, "HTTP/1.1 431",
           answer=lambda head: [switching(head, *["X: y"] * (HEAD_LINES - 2))],
           asks=lambda: [request(*["X: y"] * (HEAD_LINES - 4))]),
    Attack("a million header lines", SMALL, REFUSED, "HTTP/1.1 431",
           answer=lambda _: lines(1_000_000, STATUS), asks=lambda: lines(1_000_000, ASK)),
    Attack("a header line of 64 MiB", SMALL, REFUSED, "HTTP/1.1 431",
           answer=lambda _: [STATUS, b"X: ", *endless(b"y" * 64 * KIB, 64)],
           asks=lambda: [ASK, b"X: ", *endless(b"y" * 64 * KIB, 64)]),
    Attack("interim answers without end", SMALL, REFUSED, None,
           answer=lambda _: endless(b"HTTP/1.1 100 Continue\r\n\r\n" * 2_048, 64)),
    Attack("16,384 bytes behind a request", SMALL, None, OPEN,
           asks=lambda: [request() + header(BINARY, MESSAGE_BYTES, True) + b"x" * (HEAD_BYTES - 14)]),
    Attack("16,385 bytes behind a request", SMALL, None, "",
           asks=lambda: [request() + header(BINARY, MESSAGE_BYTES, True) + b"x" * (HEAD_BYTES - 13)]),
    Attack("an extension parameter of 100 KiB", SMALL, REFUSED, "HTTP/1.1 431",
           answer=lambda head: [switching(head, f"{DEFLATE}; {'a' * 100 * KIB}=1")],
           asks=lambda: [request(f"{DEFLATE}; {'a' * 100 * KIB}=1")]),
    Attack("3,000 extension parameters", SMALL, REFUSED, OPEN,
           answer=lambda head: [switching(head, DEFLATE + "; a=1" * 3_000)],
           asks=lambda: [request(DEFLATE + "; a=1" * 3_000)]),
    Attack("a status line of 64 MiB", SMALL, REFUSED, None,
           answer=lambda _: [b"HTTP/1.1 101 ", *endless(b"y" * 64 * KIB, 64)]),
    Attack("a refusal with a body of 64 MiB", SMALL, "HTTP 403", None,
           answer=lambda _: [b"HTTP/1.1 403 No\r\nContent-Length: 67108864\r\n\r\n",
                             *endless(b"y" * 64 * KIB, 64)]),
    Attack("a refusal whose chunks do not end", SMALL, "HTTP 403", None,
           answer=lambda _: [b"HTTP/1.1 403 No\r\nTransfer-Encoding: chunked\r\n\r\n",
                             *endless(b"1\r\ny\r\n" * 8_192, 64)]),
    Attack("another protocol's greeting, then silence", SMALL, REFUSED, "HTTP/1.1 400",
           answer=lambda _: [b"SSH-2.0-OpenSSH_9.6\r\n"], asks=lambda: [b"SSH-2.0-OpenSSH_9.6\r\n"]),
    Attack("TLS where plain HTTP is spoken", SMALL, REFUSED, "HTTP/1.1 400",
           answer=lambda _: [b"\x15\x03\x01\x00\x02\x02\x16"],
           asks=lambda: [b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"]),
    Attack("an answer of no bytes", SMALL, "not open in time (upgrade)", None,
           answer=lambda _: [], arguments={"client": ["--connect-timeout", "500ms"]}, patience=3),
    Attack("64 MiB instead of TLS", SECURE, "does not speak TLS", None, scheme="wss",
           answer=lambda _: endless(b"y" * 64 * KIB, 64)),
    Attack("a ServerHello of 16 MiB", SECURE, "the peer broke TLS", None, scheme="wss",
           answer=lambda _: [b"\x16\x03\x03\x40\x00\x02\xff\xff\xff" + bytes(16_380),
                             *endless(b"\x16\x03\x03\x40\x00" + bytes(16_384), 15)]),
    Attack("64 MiB in place of a ClientHello", SMALL, None, "", scheme="wss",
           asks=lambda: endless(b"y" * 64 * KIB, 64)),
    Attack("a ClientHello of 16 MiB", SMALL, None, "\x15\x03", scheme="wss",
           asks=lambda: [b"\x16\x03\x01\x40\x00\x01\xff\xff\xff" + bytes(16_380),
                         *endless(b"\x16\x03\x03\x40\x00" + bytes(16_384), 15)]),
    Attack("a proxy's answer of a million header lines", SMALL, "the proxy", None, proxy="http",
           answer=lambda _: lines(1_000_000, b"HTTP/1.1 200 OK\r\n")),
    Attack("a SOCKS5 proxy that answers 64 MiB of 05", SMALL, "the proxy", None, proxy="socks5",
           answer=lambda _: endless(b"\x05" * 64 * KIB, 64)),
    Attack("1,000 connections that say nothing", 4 * MIB, None, OPEN, connections=1_000,
           asks=lambda: []),
    Attack("1,000 connections with a head that does not end", 24 * MIB, None, OPEN,
           connections=1_000, asks=lambda: [ASK + b"X: " + b"y" * 16_000]),
]

ALL = FRAMES + DEFLATED + HEADS
