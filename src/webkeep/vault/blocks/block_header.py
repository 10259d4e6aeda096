"""The head of a block: everything that is needed to use it without anything else, as `name: value` in plain ASCII.

Values hold neither blanks nor two hyphens in a row, so that a head survives collapsed white space and may stand in an
HTML comment. All blocks of a segment have heads of one length. Fields that are not known are passed over.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Mapping
from dataclasses import dataclass

from webkeep.errors import FormatError
from webkeep.vault.coding.segment_coding import BlockLayout, block_bytes_of
from webkeep.vault.vault_plan import MAX_NEEDED_BLOCKS, MAX_SEGMENT_BLOCKS, ErasureCode

NO_CIPHER, AGE_CIPHER = "none", "age"
"""What a segment is encrypted by: nothing, or age (https://age-encryption.org/v1)."""
PACKING = "tar.zst"
"""What a segment is, once it is decrypted."""
MAX_BLOCK_BYTES = 16 << 20
"""No page carries more in one block, and nothing that says so is read."""
MAX_SEGMENT_BYTES = 64 << 30
"""No segment is larger, and nothing that says so is read."""

_NAME = re.compile(r"(?=.{1,64}\Z)[A-Za-z0-9_.]+(?:-[A-Za-z0-9_.]+)*\Z")
_VERSION = re.compile(r"\d{8}T\d{6}Z-[0-9a-f]{8}\Z")
_DIGEST = re.compile(r"[0-9a-f]{64}\Z")
_MAX_DIGITS = 12
"""Of any number in a head."""
_KEY_BYTES, _SIGNATURE_BYTES = 32, 64
"""Of Ed25519."""


@dataclass(frozen=True, slots=True)
class SegmentIdentity:
    """What all blocks of one version of a segment have in common; blocks that differ in any of it never combine."""

    vault: str
    """The public key that the vault's blocks are signed by, in base64: who it is."""
    name: str
    version: str
    """When it was made, and a random mark."""
    code: str
    total: int
    needed: int
    size: int
    """Bytes of the sealed segment."""
    digest: str
    """SHA-256 of the sealed segment, in hexadecimal."""
    cipher: str

    @property
    def layout(self) -> BlockLayout:
        """How it is cut into blocks."""
        return BlockLayout(self.size, self.needed, self.total)


@dataclass(frozen=True, slots=True)
class BlockHeader:
    """What a block says of itself."""

    segment: SegmentIdentity
    index: int
    block_digest: str
    """SHA-256 of the block's bytes, in hexadecimal."""

    def signed_text(self) -> bytes:
        """What the signature is of: every field that matters, in one spelling."""
        return "".join(f"{name}: {value}\n" for name, value in self._fields().items()).encode("ascii")

    def render(self, signature: bytes) -> str:
        """The head as text, up to where the data begins."""
        lines = [f"{name}: {value}" for name, value in self._fields().items()]
        return "\n".join([*lines, f"signature: {base64.b64encode(signature).decode()}", "data:", ""])

    def _fields(self) -> dict[str, str]:
        segment = self.segment
        return {
            "by": "webkeep",
            "vault": segment.vault,
            "file": segment.name,
            "version": segment.version,
            "packing": PACKING,
            "cipher": segment.cipher,
            "code": segment.code,
            "n": str(segment.total),
            "r": str(segment.needed),
            "index": str(self.index).zfill(len(str(segment.total))),
            "size": str(segment.size),
            "block-size": str(segment.layout.block_bytes),
            "sha256-file": segment.digest,
            "sha256-block": self.block_digest,
        }


def parse_header(fields: Mapping[str, str]) -> tuple[BlockHeader, bytes]:
    """The head that fields make, and the signature in it; raises FormatError where it cannot be one."""
    total, needed = _number(fields, "n", MAX_SEGMENT_BLOCKS), _number(fields, "r", MAX_NEEDED_BLOCKS)
    size = _number(fields, "size", MAX_SEGMENT_BYTES)
    if not 1 <= needed <= total or (fields.get("index", "") and _number(fields, "index", MAX_SEGMENT_BLOCKS) >= total):
        raise FormatError("a block has numbers that contradict each other")
    segment = SegmentIdentity(
        vault=_matching(fields, "vault", is_base64=_KEY_BYTES),
        name=_matching(fields, "file", _NAME),
        version=_matching(fields, "version", _VERSION),
        code=ErasureCode(fields["code"]).value if fields.get("code") in list(ErasureCode) else "",
        total=total,
        needed=needed,
        size=size,
        digest=_matching(fields, "sha256-file", _DIGEST),
        cipher=fields.get("cipher", ""),
    )
    _check_kind(segment, fields)
    header = BlockHeader(segment, _number(fields, "index", total), _matching(fields, "sha256-block", _DIGEST))
    return header, base64.b64decode(_matching(fields, "signature", is_base64=_SIGNATURE_BYTES))


def _check_kind(segment: SegmentIdentity, fields: Mapping[str, str]) -> None:
    block_bytes = block_bytes_of(segment.size, segment.needed, segment.total)
    if segment.code != segment.layout.code or segment.cipher not in (NO_CIPHER, AGE_CIPHER):
        raise FormatError("a block is of a code or a cipher that is not known")
    if fields.get("packing") != PACKING:
        raise FormatError("a block is of a packing that is not known")
    if fields.get("block-size") != str(block_bytes) or block_bytes > MAX_BLOCK_BYTES:
        raise FormatError("a block says a size that does not follow from the others")


def is_segment_name(name: str) -> bool:
    """Whether a segment may be called so."""
    return _NAME.match(name) is not None


def is_version(text: str) -> bool:
    """Whether a version of a segment may be called so."""
    return _VERSION.match(text) is not None


def _number(fields: Mapping[str, str], name: str, most: int) -> int:
    text = fields.get(name, "")
    if not (text.isascii() and text.isdigit() and len(text) <= _MAX_DIGITS) or int(text) > most:
        raise FormatError(f"a block has no sensible {name!r}")
    return int(text)


def _matching(
    fields: Mapping[str, str], name: str, pattern: re.Pattern[str] | None = None, is_base64: int | None = None
) -> str:
    text = fields.get(name, "")
    if pattern is not None and not pattern.match(text):
        raise FormatError(f"a block has no sensible {name!r}")
    if is_base64 is not None:
        try:
            decoded = base64.b64decode(text, validate=True)
        except (binascii.Error, ValueError) as error:
            raise FormatError(f"a block has no sensible {name!r}") from error
        if len(decoded) != is_base64 or base64.b64encode(decoded).decode() != text:
            raise FormatError(f"a block has no sensible {name!r}")
    return text
