"""Pictures, sounds, films, fonts and programs that are real and tiny, each made from the path it is asked for at."""

import base64
import hashlib
import struct
import zlib
from collections.abc import Callable


def png(path: str) -> bytes:
    """A square of a colour that is the path's own."""
    pixel = hashlib.sha256(path.encode()).digest()[:3]
    side = 8
    rows = (b"\0" + pixel * side) * side
    head = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in ((b"IHDR", head), (b"IDAT", zlib.compress(rows)), (b"IEND", b""))
    )


def wav(path: str) -> bytes:
    """Two seconds of a tone, long enough to be asked for in ranges."""
    rate, seconds = 8000, 2
    step = 4 + len(path) % 8
    samples = bytes(128 + (40 if at // step % 2 else -40) for at in range(rate * seconds))
    form = struct.pack("<HHIIHH", 1, 1, rate, rate, 1, 8)
    body = b"WAVE" + _riff(b"fmt ", form) + _riff(b"data", samples)
    return _riff(b"RIFF", body)


def _riff(kind: bytes, data: bytes) -> bytes:
    return kind + struct.pack("<I", len(data)) + data


_KEY_FRAME = base64.b64decode("MAEAnQEqAQABAAMANCWkAANwAP77lAAA")
"""One VP8 key frame of one pixel."""


def webm(path: str) -> bytes:
    """A film of ten frames, all alike."""
    track = _element("D7", 1) + _element("73C5", 1) + _element("83", 1) + _element("86", b"V_VP8")
    track += _element("E0", _element("B0", 1) + _element("BA", 1))
    info = _element("2AD7B1", 1_000_000) + _element("4489", struct.pack(">d", 1000.0))
    info += _element("4D80", b"webkeep") + _element("5741", path.encode())
    frames = b"".join(_element("A3", b"\x81" + struct.pack(">h", at * 100) + b"\x80" + _KEY_FRAME) for at in range(10))
    cluster = _element("E7", 0) + frames
    head = _element("4286", 1) + _element("42F7", 1) + _element("42F2", 4) + _element("42F3", 8)
    head += _element("4282", b"webm") + _element("4287", 2) + _element("4285", 2)
    segment = _element("1549A966", info) + _element("1654AE6B", _element("AE", track)) + _element("1F43B675", cluster)
    return _element("1A45DFA3", head) + _element("18538067", segment)


def _element(name: str, value: bytes | int) -> bytes:
    if isinstance(value, int):
        value = value.to_bytes(max(1, (value.bit_length() + 7) // 8), "big")
    return bytes.fromhex(name) + (len(value) | 1 << 28).to_bytes(4, "big") + value


def wasm(path: str) -> bytes:
    """A WebAssembly program that exports `answer`, a function that gives 42."""
    parts = ((1, "01 60 00 01 7f"), (3, "01 00"), (7, "01 06 616e73776572 00 00"), (10, "01 04 00 41 2a 0b"))
    sections = ((number, bytes.fromhex(text)) for number, text in parts)
    return b"\0asm\1\0\0\0" + b"".join(bytes([number, len(data)]) + data for number, data in sections)


def ttf(path: str) -> bytes:
    """A font whose every letter from A to Z is a box, as wide as the path tells."""
    width = 600 + sum(path.encode()) % 900
    tables = _font_tables(width)
    count = len(tables)
    head = struct.pack(">IHHHH", 0x00010000, count, 128, 3, count * 16 - 128)
    entries, data, at = b"", b"", 12 + 16 * count
    for name, table in sorted(tables.items()):
        padded = table + bytes(-len(table) % 4)
        entries += name.encode() + struct.pack(">III", _sum(padded), at + len(data), len(table))
        data += padded
    font = bytearray(head + entries + data)
    adjust = (0xB1B0AFBA - _sum(bytes(font))) & 0xFFFFFFFF
    where = next(at for at in range(12, 12 + 16 * count, 16) if font[at : at + 4] == b"head")
    start = int.from_bytes(font[where + 8 : where + 12], "big")
    font[start + 8 : start + 12] = struct.pack(">I", adjust)
    return bytes(font)


def _sum(data: bytes) -> int:
    return sum(struct.unpack(f">{len(data) // 4}I", data)) & 0xFFFFFFFF


def _font_tables(width: int) -> dict[str, bytes]:
    right = width - 100
    box = struct.pack(">hhhhh", 1, 100, 0, right, 700) + struct.pack(">HH", 3, 0) + bytes([1, 1, 1, 1])
    box += struct.pack(">hhhh", 100, right - 100, 0, 100 - right) + struct.pack(">hhhh", 0, 0, 700, 0)
    box += bytes(-len(box) % 4)
    names = "Boxes".encode("utf-16-be")
    records = [(1, 0), (2, 0), (4, 0), (6, 0)]
    name = struct.pack(">HHH", 0, len(records), 6 + 12 * len(records))
    name += b"".join(struct.pack(">HHHHHH", 3, 1, 0x409, which, len(names), at) for which, at in records) + names
    return {
        "head": struct.pack(">IIIIHHQQhhhhHHhhh", 0x10000, 0x10000, 0, 0x5F0F3CF5, 0, 1000, 0, 0, 100, 0, right, 700,
                            0, 8, 2, 1, 0),
        "hhea": struct.pack(">IhhhHhhhhhhhhhhhH", 0x10000, 800, -200, 0, width, 100, 100, right, 1, 0, 0, 0, 0, 0, 0,
                            0, 2),
        "maxp": struct.pack(">IHHHHHHHHHHHHHH", 0x10000, 2, 4, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0),
        "hmtx": struct.pack(">HhHh", width, 0, width, 100),
        "cmap": _cmap(),
        "loca": struct.pack(">III", 0, 0, len(box)),
        "glyf": box,
        "name": name,
        "post": struct.pack(">IIhhIIIII", 0x30000, 0, -100, 50, 0, 0, 0, 0, 0),
        "OS/2": _os2(width),
    }  # fmt: skip


def _cmap() -> bytes:
    """Every letter to the one box there is."""
    groups = b"".join(struct.pack(">III", letter, letter, 1) for letter in range(0x41, 0x5B))
    table = struct.pack(">HHIII", 12, 0, 16 + len(groups), 0, 26) + groups
    return struct.pack(">HHHHI", 0, 1, 3, 10, 12) + table


def _os2(width: int) -> bytes:
    table = struct.pack(">HhHHH", 3, width, 400, 5, 0) + struct.pack(">hhhhhhhhhhh", *([100] * 10), 0) + bytes(10)
    table += struct.pack(">IIII", 1, 0, 0, 0) + b"WEBK" + struct.pack(">HHH", 0x40, 0x41, 0x5A)
    table += struct.pack(">hhhHH", 800, -200, 0, 800, 200) + struct.pack(">II", 1, 0)
    return table + struct.pack(">hhHHH", 500, 700, 0, 32, 0)


MAKERS: dict[str, Callable[[str], bytes]] = {"png": png, "wav": wav, "webm": webm, "wasm": wasm, "ttf": ttf}
