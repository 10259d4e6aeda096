"""A block as an HTML comment, and back out of whatever became of it.

The comment begins with `!`, which tells minifiers to leave it; holds ASCII only and no two hyphens in a row; and says
where the data begins, so that it is read however its white space was changed. It is also read where it is no comment
any more: with entities for characters, or quoted as in JSON.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import quopri
import re
from functools import lru_cache
from struct import Struct

from turbohtml import unescape

from webkeep.errors import FormatError
from webkeep.vault.blocks.block_header import BlockHeader, SegmentIdentity, parse_header
from webkeep.vault.blocks.block_signing import BlockSigner, is_signed

BEGIN_MARK, END_MARK = b"BEGIN_FILE_RECOVERY v2", b"END_FILE_RECOVERY"
_OPENING, _CLOSING = "<!--! " + BEGIN_MARK.decode() + "\n", "\n" + END_MARK.decode() + " -->"
_COLUMNS = 76
"""Of base64 in a line, as in mail: lines of any length would do for pages, not for those who look at them."""
MAX_HEADER_BYTES = 2048
"""More than that stands before no data, whatever became of it."""

_FIELD = re.compile(r"\s*([a-z0-9-]{1,20}):\s*([^\s:]+(?::[^\s:]+)*+)(?=\s)")
_DATA = re.compile(r"\s*data:")
_BLANKS = b" \t\r\n\f\v"
_QUOTED_BLANKS = re.compile(rb"\\[nrt]|\xc2?\xa0")
_UNSIGNED = b"\0" * 64

COMMENT = re.compile(
    rb"<!--!? BEGIN_FILE_RECOVERY v2\s[^<>]*?END_FILE_RECOVERY -->"
    rb"|<\0!\0-\0-\0!\0 \0B\0E\0G\0I\0N\0_\0F\0I\0L\0E\0_\0R\0E\0C\0O\0V\0E\0R\0Y\0[^<>]*?Y\0 \0-\0-\0>\0"
    rb"|\0<\0!\0-\0-\0!\0 \0B\0E\0G\0I\0N\0_\0F\0I\0L\0E\0_\0R\0E\0C\0O\0V\0E\0R\0Y[^<>]*?\0Y\0 \0-\0-\0>"
)
"""A comment with a block as it was written, to take it out of a page again; in UTF-16 as well."""


def make_comment(segment: SegmentIdentity, index: int, data: bytes, signer: BlockSigner) -> bytes:
    """A block as the comment that carries it."""
    header = BlockHeader(segment, index, hashlib.sha256(data).hexdigest())
    return _render_comment(header, signer.sign(header), data)


@lru_cache(maxsize=256)
def comment_bytes(segment: SegmentIdentity) -> int:
    """How long the comment of each block of a segment is."""
    empty = _render_comment(BlockHeader(segment, 0, segment.digest), _UNSIGNED, b"")
    characters = -(-segment.layout.block_bytes // 3) * 4
    return len(empty) + characters + -(-characters // _COLUMNS) - 1


def _render_comment(header: BlockHeader, signature: bytes, data: bytes) -> bytes:
    text = base64.b64encode(data)
    lines = b"\n".join(_line_cutter(len(text)).unpack(text))
    return b"".join([_OPENING.encode(), header.render(signature).encode("ascii"), lines, _CLOSING.encode()])


@lru_cache(maxsize=4)
def _line_cutter(length: int) -> Struct:
    """What cuts so much text into lines, in a third of the time that slices take."""
    whole, rest = divmod(length, _COLUMNS)
    return Struct(f"{_COLUMNS}s" * whole + (f"{rest}s" if rest else ""))


def parse_block(raw: bytes) -> tuple[BlockHeader, bytes]:
    """A block out of what stands between its marks; raises FormatError with the reason where it is not to be used."""
    if b"=3D" in raw[:MAX_HEADER_BYTES]:  # as pages are saved in mail; in a block "=" ends a word
        raw = quopri.decodestring(raw)
    header, signature, data_start = _parse_head(raw)
    data = _decode_data(raw[data_start:])
    if len(data) < header.segment.layout.block_bytes:
        raise FormatError("cut off")
    if hashlib.sha256(data).hexdigest() != header.block_digest:
        raise FormatError("altered")
    if not is_signed(header, signature):
        raise FormatError("forged")
    return header, data


def _parse_head(raw: bytes) -> tuple[BlockHeader, bytes, int]:
    """Head, signature, and where the data begins."""
    # Latin-1 has a character for each byte, so that places stay what they are.
    start = raw[:MAX_HEADER_BYTES].replace(b"\xc2\xa0", b"  ").decode("latin-1")
    if "&" in start or "\\" in start:
        data_start = start.find("data:")
        text = unescape(start[:data_start]).replace("\\n", "\n").replace("\\r", "\n").replace("\\/", "/")
        fields = _read_fields(text + "\n")[0]
        after = data_start + len("data:")
    else:
        fields, position = _read_fields(start)
        match = _DATA.match(start, position)
        after = match.end() if match else -1
    if after < len("data:"):
        raise FormatError("cut off")
    try:
        header, signature = parse_header(fields)
    except FormatError as error:
        raise FormatError(f"unreadable: {error.args[0]}") from error
    return header, signature, after


def _read_fields(text: str) -> tuple[dict[str, str], int]:
    fields: dict[str, str] = {}
    position = 0
    while (match := _FIELD.match(text, position)) and match[1] != "data":
        fields.setdefault(match[1], match[2])
        position = match.end()
    return fields, position


def _decode_data(text: bytes) -> bytes:
    if b"&" in text:
        text = unescape(text.decode("latin-1")).encode("latin-1", "replace")
    text = text.translate(None, _BLANKS)
    if b"\\" in text or b"\xa0" in text:
        text = _QUOTED_BLANKS.sub(b"", text.replace(b"\\/", b"/"))
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return _decode_beginning(text)


def _decode_beginning(text: bytes) -> bytes:
    """What can be decoded of data that was cut off or disturbed; its length or its digest will tell."""
    match = re.match(rb"[A-Za-z0-9+/]*", text)
    sound = match[0] if match else b""
    return base64.b64decode(sound[: len(sound) // 4 * 4])
