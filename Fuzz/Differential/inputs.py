"""Makes up what a peer might send behind the opening handshake: mostly lawful frames, and every kind of fault.

One seed gives one list of inputs.
"""

import struct

TEXTS = [
    b"", b"hello", "κόσμε".encode(), "\U0001F600".encode(), b"\xed\xa0\x80", b"\xf4\x90\x80\x80",
    b"\xc0\xaf", b"\xff", b"\xce", b"\xf0\x9f\x98", b"ok\xe2\x82", b"\xe2\x82\xac" * 50, b"\x00",
    b"\xef\xbf\xbf", b"\xf8\x88\x80\x80\x80", b"a" * 126, b"b" * 300,
]
CODES = [
    0, 1, 999, 1000, 1001, 1002, 1003, 1004, 1005, 1006, 1007, 1008, 1009, 1010, 1011, 1012, 1013,
    1014, 1015, 1016, 1100, 2000, 2999, 3000, 3999, 4000, 4999, 5000, 65535,
]


def frame(random, role, opcode, payload, fin=True, reserved=0, masked=None, length=None):
    """A frame towards `role`: masked towards a server, unless told otherwise."""
    masked = role == "server" if masked is None else masked
    length = length or (1 if len(payload) < 126 else 2 if len(payload) < 65_536 else 8)
    second = {1: len(payload), 2: 126, 8: 127}[length] | (0x80 if masked else 0)
    head = bytes([(0x80 if fin else 0) | reserved << 4 | opcode, second])
    head += {1: b"", 2: struct.pack(">H", len(payload) & 0xFFFF), 8: struct.pack(">Q", len(payload))}[length]
    if not masked:
        return head + payload
    key = random.randbytes(4)
    return head + key + bytes(byte ^ key[index % 4] for index, byte in enumerate(payload))


def text(random):
    return b"".join(random.choice(TEXTS) for _ in range(random.choice([1, 1, 1, 2, 3])))


def lawful(random, role):
    """Some frames that belong together."""
    kind = random.randrange(8)
    if kind == 0:
        return frame(random, role, 1, random.choice(TEXTS[:4]))
    if kind == 1:
        return frame(random, role, 2, random.randbytes(random.choice([0, 1, 5, 125, 126, 200])))
    if kind == 2:
        return frame(random, role, 9, random.randbytes(random.choice([0, 4, 125])))
    if kind == 3:
        return frame(random, role, 10, random.randbytes(random.choice([0, 4, 125])))
    if kind in (4, 5):
        whole = b"".join(random.choice(TEXTS[:4]) for _ in range(4))
        opcode = 1 if kind == 4 else 2
        cuts = sorted(random.randrange(len(whole) + 1) for _ in range(random.randrange(1, 5)))
        parts = [whole[a:b] for a, b in zip([0, *cuts], [*cuts, len(whole)])]
        frames = b""
        for index, part in enumerate(parts):
            frames += frame(
                random, role, 0 if index else opcode, part, fin=index == len(parts) - 1)
            if random.randrange(4) == 0 and index < len(parts) - 1:
                frames += frame(random, role, random.choice([9, 10]), b"between")
        return frames
    if kind == 6 and random.randrange(3) == 0:
        payload = struct.pack(">H", random.choice([1000, 1001, 3000, 4999])) + b"bye"
        return frame(random, role, 8, random.choice([b"", payload, payload]))
    return frame(random, role, 1, text(random))


def faulty(random, role):
    """One frame or two with something wrong, as likely as not."""
    kind = random.randrange(12)
    if kind == 0:
        return frame(random, role, 1, text(random), masked=role == "client")
    if kind == 1:
        return frame(random, role, random.randrange(16), text(random)[:120])
    if kind == 2:
        return frame(random, role, random.choice([1, 2, 8, 9]), b"reserved", reserved=random.randrange(8))
    if kind == 3:
        return frame(random, role, random.choice([8, 9, 10]), b"\x03\xe8" + b"x" * random.choice([123, 124, 200]))
    if kind == 4:
        return frame(random, role, random.choice([8, 9, 10]), b"\x03\xe8", fin=False)
    if kind == 5:
        return frame(random, role, random.choice([1, 2, 9]), b"length", length=random.choice([2, 8]))
    if kind == 6:
        return frame(random, role, 0, b"stray", fin=random.random() < 0.5)
    if kind == 7:
        return frame(random, role, 1, b"begun", fin=False) + frame(random, role, 1, b"again")
    if kind == 8:
        return frame(random, role, 8, struct.pack(">H", random.choice(CODES)) + random.choice(TEXTS[:15]))
    if kind == 9:
        return frame(random, role, 8, random.choice([b"\x03", b"\xff\xff", b"\x03\xe8"]))
    if kind == 10:
        size = random.choice([1 << 20, (1 << 20) + 1, 1 << 31, 1 << 62, (1 << 63) - 1, 1 << 63])
        head = bytes([0x82, (0x80 if role == "server" else 0) | 127]) + struct.pack(">Q", size)
        return head + random.randbytes(30)
    return b"".join(
        frame(random, role, 0 if index else 1, part, fin=index == 2)
        for index, part in enumerate([text(random), text(random), text(random)]))


def one(random):
    """A role and the bytes that it receives."""
    role = random.choice(["client", "server"])
    data = b"".join(lawful(random, role) for _ in range(random.randrange(4)))
    if random.randrange(4):
        data += faulty(random, role)
    if random.randrange(3) == 0:
        data += lawful(random, role)
    if random.randrange(6) == 0 and data:
        damaged = bytearray(data)
        for _ in range(random.randrange(1, 4)):
            damaged[random.randrange(len(damaged))] = random.randrange(256)
        data = bytes(damaged)
    if random.randrange(6) == 0:
        data = data[:random.randrange(len(data) + 1)]
    if random.randrange(40) == 0:
        data = random.randbytes(random.randrange(60))
    return role, data
