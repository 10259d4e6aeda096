"""The readers of the vault under the fuzzer: pages with blocks in them, containers, and what is encrypted."""

from __future__ import annotations

import contextlib
import io
import tarfile
import tempfile
from pathlib import Path
from random import Random

from webkeep.errors import FormatError, UsageError
from webkeep.vault.blocks import BlockSigner, ScannedBlock, SegmentIdentity, make_comment, scan_blocks, strip_blocks
from webkeep.vault.container import EntryKind, PackedEntry, SealingKey, UnsealingKeys, decrypt, unseal, write_tar
from webkeep.vault.recovery.restore import restore_container

_SIGNER = BlockSigner(bytes(range(32)))
_SEGMENT = SegmentIdentity(
    _SIGNER.vault, "app", "20260102T030405Z-0a0b0c0d", "rs-gf256-cauchy", 40, 3, 300, "ab" * 32, "age"
)
_DATA = bytes(range(100))
_COMMENT = make_comment(_SEGMENT, 7, _DATA, _SIGNER)
_KEY = SealingKey.from_passphrase("open sesame", 1)
_KEYS = UnsealingKeys("open sesame")


def _tar(kind: bytes, name: str, target: str = "") -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as tar:
        info = tarfile.TarInfo(name)
        info.type, info.linkname = kind, target
        tar.addfile(info)
    return packed.getvalue()


BLOCK_SEEDS = [
    b"<!doctype html><p>x</p>" + _COMMENT,
    _COMMENT * 2,
    _COMMENT.replace(b"\n", b" "),
    _COMMENT.decode().encode("utf-16"),
    _COMMENT.replace(b"+", b"&#43;"),
]
BLOCK_WORDS = [
    b"BEGIN_FILE_RECOVERY v2\n", b"END_FILE_RECOVERY -->", b"data:", b"n: 60000\n", b"r: 1\n", b"index: 39\n",
    b"size: ", b"999999999999", b"block-size: ", b"&#x41;", b"&#" + b"1" * 5000, b"&", b"\\n", b"\0", b"<!--! ",
    b"cipher: none\n", b"=",
]  # fmt: skip
CONTAINER_SEEDS = [
    b"".join(write_tar([PackedEntry("app/a", EntryKind.FILE, 3, 5)], lambda _: [b"abc"])),
    b"".join(write_tar([PackedEntry("x" * 200, EntryKind.LINK, 0, -5, 0o777, "y" * 200)], lambda _: [])),
    _tar(tarfile.SYMTYPE, "app/link", "../../x"),
    _tar(tarfile.CHRTYPE, "app/device"),
    _tar(tarfile.DIRTYPE, "app"),
]
CONTAINER_WORDS = [
    b"../",
    b"/",
    b"\0" * 512,
    b"ustar\x0000",
    b"30 mtime=",
    b"11 path=a/b\n",
    b"77777777777\0",
    b"x",
    b"2",
]
SEALED_SEEDS = [b"".join(_KEY.encrypt([b"abc" * 10])), b"".join(_KEY.encrypt([]))]
SEALED_WORDS = [b"age-encryption.org/v1\n", b"-> scrypt ", b" 18\n", b" 99\n", b"-> X25519 ", b"--- ", b"\n", b"A" * 43]


def put_page(chance: Random, data: bytes) -> None:
    """Any bytes as a page: only the very block that was signed is ever taken."""
    width = chance.choice((1, 7, 100, len(data) + 1))
    for each in scan_blocks(data[start : start + width] for start in range(0, len(data), width)):
        if isinstance(each, ScannedBlock) and (each.header.segment, each.header.index, each.data) != (
            _SEGMENT,
            7,
            _DATA,
        ):
            raise AssertionError("a block was taken that nobody signed")
    strip_blocks(data)


def put_container(_chance: Random, data: bytes) -> None:
    """Any bytes as a container: nothing is written beside its folder."""
    with tempfile.TemporaryDirectory() as folder:
        inside = Path(folder) / "inside"
        inside.mkdir()
        with contextlib.suppress(FormatError):
            restore_container([data], inside, "app")
        if [each.name for each in Path(folder).iterdir()] != ["inside"]:
            raise AssertionError("something was written beside the folder")


def put_sealed(_chance: Random, data: bytes) -> None:
    """Any bytes as something encrypted, and as something compressed."""
    for pieces in (decrypt([data], _KEYS), unseal([data], len(data), None)):
        with contextlib.suppress(FormatError, UsageError):
            for _ in pieces:
                pass
