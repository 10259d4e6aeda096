"""The digests of a stored message and their algorithms: over the block, over the payload, with a second quick hash
beside it, and over the decoded content.

The payload's is SHA-1, because that is what other tools look records up by; the block's is SHA-256, because that is
evidence. SHA-1 can be made to collide, so two payloads count as equal only if a second, quick hash agrees: a pair of
inputs that was made to collide in one does not collide in the other. Content that is coded in no way has the digest
of its payload, and none of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import xxhash

from webkeep.formats.codings import CODING_BOMB, decode_body, has_codings
from webkeep.model import Body, BytesBody, Digest, Hasher, Headers, new_hasher

PAYLOAD_ALGORITHM, BLOCK_ALGORITHM = "sha1", "sha256"


@dataclass(frozen=True, slots=True)
class MessageDigests:
    """The digests of one message."""

    block: Digest
    payload: Digest
    check: bytes
    """The quick hash of the payload."""
    content: str | None
    """Over the decoded content; "" where that is the payload, None where it could not be decoded within reason."""


def new_check_hasher() -> Hasher:
    """A fresh hasher of the quick hash."""
    return xxhash.xxh3_128()


def digest_message(head: bytes, headers: Headers, body: Body) -> MessageDigests:
    """Digest a message of a head and a body in one pass."""
    block, payload = new_hasher(BLOCK_ALGORITHM), new_hasher(PAYLOAD_ALGORITHM)
    block.update(head)
    if isinstance(body, BytesBody) and not has_codings(headers):
        block.update(body.data)
        payload.update(body.data)
        check = xxhash.xxh3_128_digest(body.data)
        content: str | None = ""
    else:
        checking = new_check_hasher()
        content = content_digest(headers, hash_chunks(body.chunks(), block, payload, checking), PAYLOAD_ALGORITHM)
        check = checking.digest()
    return MessageDigests(
        Digest(BLOCK_ALGORITHM, block.digest()), Digest(PAYLOAD_ALGORITHM, payload.digest()), check, content
    )


def content_digest(headers: Headers, chunks: Iterable[bytes], algorithm: str) -> str | None:
    """Digest the decoded content where it is coded; all chunks are taken, whatever becomes of the decoding."""
    feed = iter(chunks)
    if not has_codings(headers):
        for _ in feed:
            continue
        return ""
    hasher = new_hasher(algorithm)
    cut: list[str] = []
    for piece in decode_body(headers, feed, on_flaw=lambda code, _: cut.append(code) if code == CODING_BOMB else None):
        hasher.update(piece)
    for _ in feed:
        continue
    return None if cut else str(Digest(algorithm, hasher.digest()))


def hash_chunks(chunks: Iterable[bytes], *hashers: Hasher) -> Iterator[bytes]:
    """The chunks, digested as they pass."""
    for chunk in chunks:
        for hasher in hashers:
            hasher.update(chunk)
        yield chunk
