"""The server's end of a WebSocket (RFC 6455): it says every message back, changed a little."""

import asyncio
import base64
import hashlib

_MAGIC = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
TEXT, BINARY, CLOSE, PING, PONG = 1, 2, 8, 9, 10


def handshake(fields: dict[str, str]) -> bytes:
    """The answer that opens a WebSocket; the last of the protocols that are offered is taken."""
    accept = base64.b64encode(hashlib.sha1(fields["sec-websocket-key"].encode() + _MAGIC).digest()).decode()
    lines = ["HTTP/1.1 101 Switching Protocols", "Upgrade: websocket", "Connection: Upgrade"]
    lines.append(f"Sec-WebSocket-Accept: {accept}")
    if offered := fields.get("sec-websocket-protocol"):
        lines.append(f"Sec-WebSocket-Protocol: {offered.rpartition(',')[2].strip()}")
    return "\r\n".join([*lines, "", ""]).encode()


async def converse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Ping once, then text comes back in capitals, in two pieces, and bytes the other way round."""
    writer.write(_frame(PING, b"are you there"))
    while True:
        opcode, payload = await _read(reader)
        if opcode == TEXT:
            said = payload.decode().upper().encode()
            writer.write(_frame(TEXT, said[:3], is_last=False) + _frame(0, said[3:]))
        elif opcode == BINARY:
            writer.write(_frame(BINARY, payload[::-1]))
        elif opcode == CLOSE:
            writer.write(_frame(CLOSE, payload))
            await writer.drain()
            return
        await writer.drain()


async def _read(reader: asyncio.StreamReader) -> tuple[int, bytes]:
    first, second = await reader.readexactly(2)
    size = second & 127
    if size > 125:
        size = int.from_bytes(await reader.readexactly(2 if size == 126 else 8), "big")
    mask = await reader.readexactly(4)
    payload = await reader.readexactly(size)
    return first & 15, bytes(byte ^ mask[at % 4] for at, byte in enumerate(payload))


def _frame(opcode: int, payload: bytes, is_last: bool = True) -> bytes:
    first = opcode | (0x80 if is_last else 0)
    size = bytes([len(payload)]) if len(payload) < 126 else b"\x7e" + len(payload).to_bytes(2, "big")
    return bytes([first]) + size + payload
