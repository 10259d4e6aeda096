"""Looks for secrets in a folder: in every file, and in all that is compressed in it, however it is spelled."""

from __future__ import annotations

import base64
import json
import re
import zlib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from urllib.parse import quote

import brotli
import zstandard

_GZIP = b"\x1f\x8b\x08"
_ZSTD = b"\x28\xb5\x2f\xfd"
_DEEPEST = 3


def find_secrets(folder: Path, secrets: Iterable[str]) -> dict[str, list[str]]:
    """The secrets that are in any file of a folder, each with the files."""
    wanted = {secret: _spellings(secret) for secret in secrets}
    found: dict[str, list[str]] = {}
    for path in sorted(each for each in folder.rglob("*") if each.is_file()):
        try:
            data = b"\0".join(_unpacked(path.read_bytes(), 0))
        except FileNotFoundError:
            continue  # whoever is at work in the folder removed it meanwhile
        for secret, spellings in wanted.items():
            if any(spelling in data for spelling in spellings):
                found.setdefault(secret, []).append(str(path.relative_to(folder)))
    return found


def _spellings(secret: str) -> list[bytes]:
    plain = secret.encode()
    turned = [base64.b64encode(b"x" * pad + plain)[4 * (pad > 0) : -4] for pad in range(3)]
    texts = [quote(secret, safe="").encode(), json.dumps(secret)[1:-1].encode()]
    wide = [secret.encode("utf-16-le"), secret.encode("utf-16-be"), secret.encode("cp037"), secret.encode("utf-7")]
    return list({plain, plain.hex().encode(), *texts, *wide, *(each for each in turned if len(each) > 7)})


def _unpacked(data: bytes, depth: int) -> Iterator[bytes]:
    """The bytes, and what is packed in them."""
    yield data
    if depth >= _DEEPEST:
        return
    for match in re.finditer(re.escape(_GZIP), data):
        if (plain := _inflated(data, match.start())) is not None:
            yield from _unpacked(plain, depth + 1)
    for match in re.finditer(re.escape(_ZSTD), data):
        try:
            yield from _unpacked(
                zstandard.ZstdDecompressor().decompressobj().decompress(data[match.start() :]), depth + 1
            )
        except zstandard.ZstdError:
            continue
    yield from _of_bodies(data)


def _inflated(data: bytes, at: int) -> bytes | None:
    try:
        return zlib.decompressobj(31).decompress(data[at:])
    except zlib.error:
        return None


def _of_bodies(data: bytes) -> Iterator[bytes]:
    """What codings without a signature hide: the bodies of messages, tried one by one."""
    for match in re.finditer(rb"\r\n\r\n", data):
        body = data[match.end() : match.end() + 4096]
        for end in (len(body), body.find(b"\r\n\r\nWARC"), body.find(b"\r\n\r\n")):
            with suppress(brotli.error):
                yield brotli.decompress(body[:end] if end > 0 else body)
        with suppress(zlib.error):
            yield zlib.decompressobj(15).decompress(body)


def find_matching(folder: Path, pattern: re.Pattern[bytes]) -> dict[str, list[str]]:
    """What in a folder has a shape, however it is spelled, each with the files; for many secrets of one shape."""
    found: dict[str, list[str]] = {}
    for path in sorted(each for each in folder.rglob("*") if each.is_file()):
        for data in _unpacked(path.read_bytes(), 0):
            for view in _views(data):
                for match in pattern.finditer(view):
                    files = found.setdefault(match[0].decode(), [])
                    name = str(path.relative_to(folder))
                    if name not in files:
                        files.append(name)
    return found


def _views(data: bytes) -> Iterator[bytes]:
    """Bytes as they may be meant: as they are, of two bytes a letter, of another alphabet, as base64 or hexadecimal."""
    yield data
    if b"\0" in data:
        yield data.replace(b"\0", b"")
    yield data.decode("cp037").encode("utf-8")
    for match in re.finditer(rb"[A-Za-z0-9+/]{12,}", data):
        for skip in range(4):
            run = match[0][skip:]
            yield base64.b64decode(run[: len(run) - (len(run) % 4 == 1)] + b"==")
    for match in re.finditer(rb"(?:[0-9a-f]{2}){8,}", data):
        yield bytes.fromhex(match[0].decode())
