"""Bytes of a hostile peer: frames and heads, right and wrong, and a reader for what comes back."""

import base64
import hashlib
import struct
import zlib

GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
TEXT, BINARY, CLOSE, PING = 0x81, 0x82, 0x88, 0x89
# RSV1 marks a compressed message (RFC 7692 §7.2.3.1).
COMPRESSED = 0x40
KIB, MIB = 1 << 10, 1 << 20
# Of `Limits`: what one message and its frames, one head and one refusal's body may have.
MESSAGE_BYTES, FRAGMENTS, HEAD_BYTES, HEAD_LINES = 16 * MIB, 131_072, 16_384, 128


def header(first, length, masked):
    """A frame's header (RFC 6455 §5.2). The key of a masked one is zero, so its payload stays as it is."""
    bit = 0x80 if masked else 0
    if length < 126:
        return bytes([first, bit | length]) + bytes(4 if masked else 0)
    if length < 1 << 16:
        return bytes([first, bit | 126]) + struct.pack(">H", length) + bytes(4 if masked else 0)
    return bytes([first, bit | 127]) + struct.pack(">Q", length) + bytes(4 if masked else 0)


def frame(first, payload, masked):
    return header(first, len(payload), masked) + payload


def pieces(first, total, masked, byte=b"x"):
    """One frame of `total` equal bytes, in pieces."""
    yield header(first, total, masked)
    while total > 0:
        count = min(total, 256 * KIB)
        yield byte * count
        total -= count


def deflated(total):
    """Raw deflate of `total` zeros, without the tail of its last flush (RFC 7692 §7.2.1)."""
    def flushed(count):
        maker = zlib.compressobj(6, zlib.DEFLATED, -15)
        return maker.compress(bytes(count)) + maker.flush(zlib.Z_FULL_FLUSH)
    # What stands behind a full flush refers to nothing before it, so it can be repeated.
    whole, rest = divmod(total, MIB)
    data = flushed(MIB) * whole + (flushed(rest) if rest else b"")
    return data[:-4]


def accept_key(head):
    for line in head.decode("latin-1").split("\r\n"):
        name, _, value = line.partition(":")
        if name.lower() == "sec-websocket-key":
            return base64.b64encode(hashlib.sha1((value.strip() + GUID).encode()).digest()).decode()
    return ""


def switching(head, *fields):
    """The right 101 for a request, with `fields` added."""
    lines = ["HTTP/1.1 101 Switching Protocols", "Upgrade: websocket", "Connection: Upgrade",
             f"Sec-WebSocket-Accept: {accept_key(head)}", *fields]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


def request(*fields):
    """A right request with `fields` added."""
    lines = ["GET / HTTP/1.1", "Host: 127.0.0.1", "Upgrade: websocket", "Connection: Upgrade",
             "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: AAECAwQFBgcICQoLDA0ODw==", *fields]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


def padded(make, size, lines=1):
    """The head that `make` gives, filled up to `size` bytes by `lines` further fields."""
    names = [f"X-{number}: " for number in range(lines)]
    bare = len(make(*names))
    first = names[0] + "p" * (size - bare)
    head = make(first, *names[1:])
    assert len(head) == size, (len(head), size)
    return head


async def frames(reader):
    """What the other side sends, frame by frame, to the end of its stream."""
    try:
        while True:
            first, second = await reader.readexactly(2)
            length = second & 0x7F
            if length == 126:
                length, = struct.unpack(">H", await reader.readexactly(2))
            elif length == 127:
                length, = struct.unpack(">Q", await reader.readexactly(8))
            key = await reader.readexactly(4) if second & 0x80 else bytes(4)
            payload = bytearray(await reader.readexactly(length))
            if first & 0x0F == 8:
                payload = bytes(byte ^ key[index % 4] for index, byte in enumerate(payload))
            yield first, payload
    except (EOFError, ConnectionError):
        return
