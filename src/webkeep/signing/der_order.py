"""The certificates of a time-stamp token put in the order that DER wants.

OpenSSL, which many authorities answer with, writes them in the order it has them; readers that are strict about DER
refuse such an answer. The order is covered by no signature and means nothing, so it is mended before reading.
"""

from __future__ import annotations

from dataclasses import dataclass

_SEQUENCE, _CONTEXT_0, _SET, _INTEGER = 0x30, 0xA0, 0x31, 0x02
"""Kinds of elements, as DER numbers them."""
_MAX_CERTIFICATES = 64
"""Of one token; more come from nobody earnest."""


@dataclass(frozen=True, slots=True)
class _Element:
    """One element of DER: what it is, where it begins, where its content begins and where it ends."""

    kind: int
    start: int
    content: int
    end: int


def sort_certificates(response: bytes) -> bytes:
    """The same answer with its certificates in order; what is no such answer is given back as it is."""
    try:
        certificates = _find_certificates(response)
        parts = _children(response, certificates)
    except (IndexError, ValueError):
        return response
    if len(parts) > _MAX_CERTIFICATES:
        return response
    ordered = sorted(response[part.start : part.end] for part in parts)
    return response[: certificates.content] + b"".join(ordered) + response[certificates.end :]


def _find_certificates(response: bytes) -> _Element:
    """TimeStampResp, its token (a ContentInfo), SignedData in it, and there the first element under [0]."""
    whole = _read_element(response, 0, len(response))
    _, token, *_ = _children(response, whole)
    _, wrapped, *_ = _children(response, token)
    signed = _children(response, wrapped)[0]
    if (whole.kind, token.kind, wrapped.kind, signed.kind) != (_SEQUENCE, _SEQUENCE, _CONTEXT_0, _SEQUENCE):
        raise ValueError("no time-stamp token")
    version, digests, content, certificates, *_ = _children(response, signed)
    if (version.kind, digests.kind, content.kind, certificates.kind) != (_INTEGER, _SET, _SEQUENCE, _CONTEXT_0):
        raise ValueError("no certificates in it")
    return certificates


def _children(data: bytes, parent: _Element) -> list[_Element]:
    found: list[_Element] = []
    at = parent.content
    while at < parent.end and len(found) <= _MAX_CERTIFICATES:
        found.append(_read_element(data, at, parent.end))
        at = found[-1].end
    return found


def _read_element(data: bytes, start: int, bound: int) -> _Element:
    kind, size, content = data[start], data[start + 1], start + 2
    if size & 0x80:
        width = size & 0x7F
        size = int.from_bytes(data[content : content + width], "big")
        content += width
    if kind & 0x1F == 0x1F or content + size > bound:
        raise ValueError("not as DER is")
    return _Element(kind, start, content, content + size)
