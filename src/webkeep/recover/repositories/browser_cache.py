"""Caches of browsers: what someone who visited the lost site may still have of it; how entries of Chromium and of
Firefox are read, and which are passed over.

Read are the caches of Chromium on Linux, macOS and Android ("simple" cache: one file for an answer) and of Firefox
("cache2"). The caches of Chromium on Windows (one file of many blocks) and of Safari are not.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Iterator
from pathlib import Path

from webkeep.errors import FormatError, UsageError
from webkeep.formats.http import parse_response
from webkeep.model import Exchange, Finding, Moment
from webkeep.recover.repositories.original_head import build_head
from webkeep.store.folder import FileBody
from webkeep.url import normalize_url
from webkeep.url.canonical import FETCH_IDENTITY

FindingListener = Callable[[Finding], None]

_CHROMIUM = re.compile(r"[0-9a-f]{16}_0").fullmatch
_FIREFOX = re.compile(r"[0-9A-F]{40}").fullmatch
_MAX_PART_BYTES = 16 << 20
"""Of the head of an entry; what says more is damaged."""
_URL = re.compile(r"https?://\S+")

_BEGIN = struct.Struct("<QIII4x")
_BEGIN_MAGIC = 0xFCFB6D1BA7725C30
"""Of Chromium's simple cache, at the beginning of an entry."""
_END = struct.Struct("<QIII4x")
_END_MAGIC = 0xF4FA6F45970D41D8
"""Of Chromium's simple cache, at the end of each stream of an entry."""
_HAS_KEY_DIGEST = 2
"""The flag that a digest of the key follows."""
_EPOCH_1601_MICROS = 11_644_473_600_000_000
"""Chromium counts from the year 1601."""
_EARLIEST, _LATEST = Moment.parse("1995"), Moment.parse("2200")

_FIREFOX_CHUNK_BYTES = 256 * 1024
"""Firefox keeps a checksum for each piece of this size."""
_METADATA = struct.Struct(">IIIIIII")


def read_exchanges(folder: Path, tell: FindingListener) -> Iterator[Exchange]:
    """The answers in a browser's cache; what cannot be taken is told."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    readers = [(path, _reader_for(path)) for path in files]
    if not any(reader for _, reader in readers):
        advice = "name a folder Cache_Data of Chromium or cache2 of Firefox"
        raise UsageError(f"{folder} is no browser's cache that can be read; {advice}")
    for path, reader in readers:
        if reader is None:
            continue
        try:
            exchange = reader(path)
        except (OSError, FormatError, struct.error, ValueError) as error:
            tell(Finding("cache-passed-over", str(path), 0, f"cannot be read ({error}); left out"))
            continue
        if exchange is not None:
            yield exchange


def _reader_for(path: Path) -> Callable[[Path], Exchange | None] | None:
    if _CHROMIUM(path.name):
        return _read_chromium
    return _read_firefox if _FIREFOX(path.name) else None


def _read_chromium(path: Path) -> Exchange | None:
    """An entry of Chromium: its key, the body, a mark, the head in a pickle, a mark."""
    size = path.stat().st_size
    with path.open("rb") as stream:
        magic, _, key_size, _ = _BEGIN.unpack(stream.read(_BEGIN.size))
        if magic != _BEGIN_MAGIC or key_size > size:
            raise FormatError("it is no entry of the cache", str(path))
        key = stream.read(key_size).decode("utf-8", "replace")
        stream.seek(size - _END.size)
        magic, flags, _, head_size = _END.unpack(stream.read(_END.size))
        digest = 32 if flags & _HAS_KEY_DIGEST else 0
        start = size - _END.size - digest - head_size
        body_at = _BEGIN.size + key_size
        if magic != _END_MAGIC or start - _END.size < body_at or head_size > _MAX_PART_BYTES:
            raise FormatError("it is cut short, or was open when it was copied", str(path))
        stream.seek(start)
        pickle = stream.read(head_size)
    urls = _URL.findall(key)
    head, moment = _parse_pickle(pickle, path)
    if not urls or not head:
        return None
    return _build_exchange(urls[-1], moment, head, FileBody(path, start - _END.size - body_at, body_at))


def _parse_pickle(pickle: bytes, path: Path) -> tuple[bytes, Moment]:
    """The head in the pickle, its lines parted by zeros, and the moment before it."""
    at = pickle.find(b"HTTP/")
    end = pickle.find(b"\0\0", at)
    if at < 12 or end < 0:
        return b"", Moment(0)
    micros = int.from_bytes(pickle[at - 12 : at - 4], "little", signed=True) - _EPOCH_1601_MICROS
    moment = Moment(micros) if _EARLIEST.micros < micros < _LATEST.micros else _file_moment(path)
    return pickle[at:end].replace(b"\0", b"\r\n") + b"\r\n\r\n", moment


def _read_firefox(path: Path) -> Exchange | None:
    """An entry of Firefox: the body, and behind it what is known of it; the last bytes say where that begins."""
    size = path.stat().st_size
    with path.open("rb") as stream:
        stream.seek(max(size - 4, 0))
        at = int.from_bytes(stream.read(4), "big")
        if not 0 <= at < size - 4 - _METADATA.size or size - at > _MAX_PART_BYTES:
            raise FormatError("it is no entry of the cache", str(path))
        stream.seek(at + 4 + 2 * -(-at // _FIREFOX_CHUNK_BYTES))
        metadata = stream.read()[:-4]
    version, _, fetched, _, _, _, key_size = _METADATA.unpack_from(metadata)
    start = _METADATA.size + (4 if version >= 2 else 0)
    key = metadata[start : start + key_size].decode("utf-8", "replace")
    told = _parse_elements(metadata[start + key_size + 1 :])
    url = _URL.search(key[key.find(":http") + 1 :]) if ":http" in key else None
    head = told.get("response-head", "")
    if url is None or not head or told.get("request-method", "GET") != "GET":
        return None
    body_size = _body_size(told.get("alt-data", ""), at)
    raw = head.encode("utf-8", "surrogateescape").rstrip(b"\r\n") + b"\r\n\r\n"
    return _build_exchange(url[0], Moment(fetched * 1_000_000), raw, FileBody(path, body_size))


def _parse_elements(data: bytes) -> dict[str, str]:
    parts = data.decode("utf-8", "surrogateescape").split("\0")
    return dict(zip(parts[::2], parts[1::2], strict=False))


def _body_size(told: str, size: int) -> int:
    """How much of the body is what the server sent: compiled scripts are kept behind it."""
    offset = told.partition(";")[2].partition(",")[0]
    return min(int(offset), size) if offset.isascii() and offset.isdigit() else size


def _build_exchange(url: str, moment: Moment, raw: bytes, body: FileBody) -> Exchange | None:
    head, plain = parse_response(raw), normalize_url(url)
    if not head.status or plain is None:
        return None
    return Exchange(FETCH_IDENTITY(plain), moment, build_head(head, head.headers, body.size), body)


def _file_moment(path: Path) -> Moment:
    return Moment(path.stat().st_mtime_ns // 1000)
