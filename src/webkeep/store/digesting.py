"""The three digests of a stored message: over the block, over the payload, and over the decoded content."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from webkeep.formats.codings import decoded, has_codings
from webkeep.model import Body, BytesBody, Digest, Hasher, Headers, new_hasher

PAYLOAD, BLOCK, CONTENT = "sha1", "sha1", "sha256"
"""SHA-1 where other tools look digests up, SHA-256 where contents are compared and a collision would be a lie."""

_BOMB_FLOOR = 100 << 20
_BOMB_RATIO = 200


@dataclass(frozen=True, slots=True)
class MessageDigests:
    """The digests of one message and the size of its payload."""

    block: Digest
    payload: Digest
    content: Digest | None
    """None where the content could not be decoded within reason."""


def digest_message(head: bytes, headers: Headers, body: Body) -> MessageDigests:
    """Digest a message of a head and a body in one pass."""
    block, payload = new_hasher(BLOCK), new_hasher(PAYLOAD)
    block.update(head)
    if isinstance(body, BytesBody) and not has_codings(headers):
        block.update(body.data)
        payload.update(body.data)
        content: Digest | None = Digest(CONTENT, hashlib.sha256(body.data).digest())
    else:
        content = content_digest(headers, overheard(body.chunks(), block, payload), body.size)
    return MessageDigests(Digest(BLOCK, block.digest()), Digest(PAYLOAD, payload.digest()), content)


def content_digest(headers: Headers, chunks: Iterable[bytes], size: int) -> Digest | None:
    """Digest the decoded content; all chunks are taken, whatever becomes of the decoding."""
    hasher = new_hasher(CONTENT)
    if not has_codings(headers):
        for chunk in chunks:
            hasher.update(chunk)
        return Digest(CONTENT, hasher.digest())
    cut: list[str] = []
    feed = iter(chunks)
    limit = max(_BOMB_FLOOR, _BOMB_RATIO * size)
    for piece in decoded(headers, feed, limit, lambda code, _: cut.append(code) if code == "body-cut" else None):
        hasher.update(piece)
    for _ in feed:
        continue
    return None if cut else Digest(CONTENT, hasher.digest())


def overheard(chunks: Iterable[bytes], *hashers: Hasher) -> Iterator[bytes]:
    """The chunks, digested as they pass."""
    for chunk in chunks:
        for hasher in hashers:
            hasher.update(chunk)
        yield chunk
