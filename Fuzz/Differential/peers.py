"""What two independent implementations make of the same bytes, in the same words as Fuzz/Driver.

Each function gives (events, fault, sent): the events in order, the close code with which a broken rule is
answered or None, and the code in the answer to a Close (0 for none; None when nothing was answered).
"""

import codecs

import wsproto
from websockets.frames import Opcode
from websockets.protocol import CLIENT, OPEN, SERVER, Protocol
from wsproto.connection import Connection, ConnectionState, ConnectionType
from wsproto.events import BytesMessage, CloseConnection, Ping, Pong, TextMessage

LIMIT = 1 << 20


def by_wsproto(role, data):
    connection = Connection(
        ConnectionType.CLIENT if role == "client" else ConnectionType.SERVER)
    connection.receive_data(data)
    events, fault, text, binary = [], None, "", b""
    for event in connection.events():
        if isinstance(event, TextMessage):
            text += event.data
            if event.message_finished:
                events.append(["text", text.encode().hex()])
                text = ""
        elif isinstance(event, BytesMessage):
            binary += event.data
            if event.message_finished:
                events.append(["binary", binary.hex()])
                binary = b""
        elif isinstance(event, Ping):
            events.append(["ping", bytes(event.payload).hex()])
        elif isinstance(event, Pong):
            events.append(["pong", bytes(event.payload).hex()])
        elif isinstance(event, CloseConnection):
            if connection.state is ConnectionState.REMOTE_CLOSING:
                code = None if event.code == 1005 else int(event.code)
                events.append(["close", code, (event.reason or "").encode().hex()])
            else:
                fault = int(event.code)
    return events, fault, None


def by_websockets(role, data):
    protocol = Protocol(CLIENT if role == "client" else SERVER, state=OPEN, max_size=LIMIT)
    protocol.logger.disabled = True
    protocol.receive_data(data)
    events, fault = [], None
    kind, parts, decoder = None, b"", None
    for frame in protocol.events_received():
        payload = bytes(frame.data)
        if frame.opcode is Opcode.PING:
            events.append(["ping", payload.hex()])
        elif frame.opcode is Opcode.PONG:
            events.append(["pong", payload.hex()])
        elif frame.opcode is Opcode.CLOSE:
            close = protocol.close_rcvd
            code = None if close.code == 1005 else int(close.code)
            events.append(["close", code, close.reason.encode().hex()])
        else:
            if frame.opcode is not Opcode.CONT:
                kind, parts = "text" if frame.opcode is Opcode.TEXT else "binary", b""
                decoder = codecs.getincrementaldecoder("utf-8")() if kind == "text" else None
            parts += payload
            # This layer of websockets leaves UTF-8 to the one above it, which fails with 1007.
            if decoder:
                try:
                    decoder.decode(payload, frame.fin)
                except UnicodeDecodeError:
                    return events, 1007, 1007
            if frame.fin:
                events.append([kind, parts.hex()])
    sent = protocol.close_sent
    code = None if sent is None else 0 if sent.code == 1005 else int(sent.code)
    if protocol.parser_exc is not None:
        fault = code
    return events, fault, code


PEERS = {f"wsproto {wsproto.__version__}": by_wsproto, "websockets": by_websockets}
